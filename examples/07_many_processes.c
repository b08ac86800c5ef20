/* One release by many processes: the calls of kanon_blocks.h in their order. Here one program plays all parts; an engine
 * runs each step where the rows are, and carries the objects as bytes (kanon_piece_write, kanon_piece_read). The lines are
 * those that kanon_anonymize with the same blocks and seed would release. */
#include <kanon_blocks.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 16, LINE = 64, TEXT = 1024, PART_BYTES = 80 };

/* What the engine knows of a record. Its place is its number. */
typedef struct record {
    char text[LINE]; /* the row as it stands in the file */
    int32_t block;
    int64_t group; /* within its block; 0: left over */
    char released[LINE];
} record;

static char file[TEXT], header[LINE];
static record records[MOST];
static int n_records;
static kanon_error err = KANON_INIT(kanon_error);

/* This program gives up where a call fails; a task of an engine would fail, and be repeated. */
static void must(kanon_status status)
{
    if (status == KANON_OK)
        return;
    fprintf(stderr, "%s\n%s\n", err.message, err.hint);
    exit(1);
}

/* ---- bytes and rows, the engine's own work ------------------------------------------------------------------------ */

static int append(const void *bytes, size_t size, void *payload)
{
    strncat(payload, bytes, size);
    return 0;
}

static int keep_row(int64_t row, const char *text, size_t size, void *payload)
{
    (void)row;
    (void)payload;
    snprintf(records[n_records++].text, LINE, "%.*s", (int)size, text);
    return 0;
}

/* The rows of a block in the order of their places, as CSV with its header line; `at` gets the number of each. */
static int rows_of(int32_t block, char text[TEXT], int at[MOST])
{
    int n = 0;
    strcpy(text, header);
    for (int i = 0; i < n_records; i++)
        if (records[i].block == block) {
            strcat(text, records[i].text);
            at[n++] = i;
        }
    return n;
}

/* A part of the file, with the header line before it. */
static size_t part_of(char text[TEXT], const kanon_csv_parts *parts, size_t i)
{
    return (size_t)snprintf(text, TEXT, "%s%.*s", header, (int)parts->parts[i].size, file + parts->parts[i].offset);
}

/* ---- the steps ----------------------------------------------------------------------------------------------------- */

/* 1. Each part gives the domain of its rows; all together tell types, ranges and orders. */
static kanon_domain *find_domain(const kanon_csv_parts *parts, const kanon_schema *schema)
{
    kanon_domain *whole = NULL;
    kanon_places places = {.struct_size = sizeof places};
    for (size_t i = 0; i < parts->n_parts; i++) {
        char text[TEXT];
        size_t size = part_of(text, parts, i);
        kanon_domain *domain = NULL;
        must(kanon_domain_read(&domain, KANON_BYTES(text, size), &places, schema, NULL, &err));
        places.first += kanon_domain_rows(domain);
        if (whole == NULL) {
            whole = domain;
            continue;
        }
        must(kanon_piece_merge(whole, domain, &err));
        kanon_piece_free(domain);
    }
    must(kanon_domain_seal(whole, schema, &err));
    return whole;
}

/* 2. The first cut follows from the domain; for each of the next the parts count. */
static kanon_cuts *cut(kanon_table *const *tables, size_t n, const kanon_domain *domain, int64_t least)
{
    kanon_cuts *cuts = NULL;
    must(kanon_cuts_new(&cuts, domain, least, &err));
    while (!kanon_cuts_done(cuts)) {
        kanon_counts *all = NULL;
        for (size_t i = 0; i < n; i++) {
            kanon_counts *counts = NULL;
            must(kanon_cuts_count(&counts, cuts, tables[i], &err));
            if (all != NULL)
                must(kanon_piece_merge(all, counts, &err));
            if (all != NULL)
                kanon_piece_free(counts);
            else
                all = counts;
        }
        must(kanon_cuts_next(cuts, all, &err));
        kanon_piece_free(all);
    }
    return cuts;
}

/* 3. Every block is grouped by itself. What others need to know of it is small. */
static kanon_block_groups *group(int32_t block, const kanon_cuts *cuts, const kanon_schema *schema,
                                 const kanon_read_options *reading, const kanon_options *options)
{
    char text[TEXT];
    int at[MOST], n = rows_of(block, text, at);
    int64_t places[MOST];
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_block_groups *groups = NULL;
    must(kanon_table_read(&table, KANON_BYTES_AS(text, strlen(text), "block"), schema, reading, &err));
    must(kanon_block_group(&grouping, table, cuts, block, options, &err));
    for (int i = 0; i < n; i++) {
        places[i] = at[i];
        records[at[i]].group = kanon_grouping_group_of(grouping, i);
    }
    must(kanon_block_groups_new(&groups, table, grouping, cuts, block, places, &err));
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    return groups;
}

/* 4. Records that are left over join the best group of any block: blocks offer, the driver decides. */
static void place_rest(kanon_block_groups *const *groups, int n)
{
    kanon_rest *rest = NULL;
    must(kanon_rest_new(&rest, groups[0], &err));
    for (int i = 1; i < n; i++) {
        kanon_rest *other = NULL;
        must(kanon_rest_new(&other, groups[i], &err));
        must(kanon_piece_merge(rest, other, &err));
        kanon_piece_free(other);
    }
    while (!kanon_rest_done(rest)) {
        kanon_offers *offers = NULL;
        must(kanon_rest_offer(&offers, rest, groups[0], &err));
        for (int i = 1; i < n; i++) {
            kanon_offers *other = NULL;
            must(kanon_rest_offer(&other, rest, groups[i], &err));
            must(kanon_piece_merge(offers, other, &err));
            kanon_piece_free(other);
        }
        must(kanon_rest_place(rest, offers, &err));
        kanon_piece_free(offers);
    }
    for (int64_t i = 0; i < kanon_rest_count(rest); i++) {
        kanon_rest_record placed = {.struct_size = sizeof placed};
        must(kanon_rest_at(&placed, rest, i, &err));
        records[placed.place].block = (int32_t)placed.to_block;
        records[placed.place].group = placed.to_group;
    }
    kanon_piece_free(rest);
}

/* 5. A block whose groups are complete is released like a table of its own, and checked like one. */
static void publish(int32_t block, const kanon_schema *schema, const kanon_read_options *reading)
{
    char text[TEXT], released[TEXT] = "";
    int at[MOST], n = rows_of(block, text, at);
    int64_t group_of[MOST];
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_sink sink = {.struct_size = sizeof sink, .name = "a block", .write = append, .payload = released};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    for (int i = 0; i < n; i++)
        group_of[i] = records[at[i]].group;
    must(kanon_table_read(&table, KANON_BYTES_AS(text, strlen(text), "block"), schema, reading, &err));
    must(kanon_grouping_new(&grouping, table, group_of, &err));
    must(kanon_publish(table, grouping, &outputs, &err));
    const char *line = strchr(released, '\n') + 1;
    for (int i = 0; i < n; i++, line = strchr(line, '\n') + 1)
        snprintf(records[at[i]].released, LINE, "%.*s", (int)(strchr(line, '\n') - line), line);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

int main(void)
{
    kanon_options options = {.struct_size = sizeof options, .k = 2, .seed = 1, .blocks = 3};
    kanon_read_options reading = {.struct_size = sizeof reading};
    kanon_schema *schema = NULL;
    kanon_csv_parts *parts = NULL;
    kanon_table *tables[MOST] = {0};
    kanon_block_groups *groups[MOST] = {0};
    static char texts[MOST][TEXT];
    int32_t block_of[MOST];

    must(kanon_schema_read(&schema, KANON_PATH("people.yaml"), NULL, &err));
    must(kanon_schema_set(schema, NULL, "k", "2", &err)); /* for the check of each block's release */
    must(kanon_blocks_allow(schema, &options, &err));
    must(kanon_csv_parts_find(&parts, KANON_PATH("people.csv"), schema, NULL, PART_BYTES, &err));
    FILE *f = fopen("people.csv", "rb");
    file[f != NULL ? fread(file, 1, TEXT - 1, f) : 0] = '\0';
    if (f != NULL)
        fclose(f);
    snprintf(header, LINE, "%.*s", (int)parts->header_size, file);

    kanon_domain *domain = find_domain(parts, schema);
    reading.domain = domain;
    for (size_t i = 0; i < parts->n_parts; i++) {
        size_t size = part_of(texts[i], parts, i);
        must(kanon_table_read(&tables[i], KANON_BYTES_AS(texts[i], size, "people.csv"), schema, &reading, &err));
    }
    kanon_cuts *cuts = cut(tables, parts->n_parts, domain, options.blocks);
    int n_blocks = (int)kanon_cuts_blocks(cuts);
    for (size_t i = 0; i < parts->n_parts; i++) {
        int first = n_records;
        must(kanon_table_row_texts(tables[i], keep_row, NULL, &err));
        must(kanon_cuts_block_of(block_of, cuts, tables[i], &err));
        for (int row = first; row < n_records; row++)
            records[row].block = block_of[row - first];
    }
    printf("%d records in %d parts and %d blocks\n", n_records, (int)parts->n_parts, n_blocks);
    for (int i = 0; i < n_blocks; i++)
        groups[i] = group(i, cuts, schema, &reading, &options);
    place_rest(groups, n_blocks);
    for (int i = 0; i < n_blocks; i++)
        publish(i, schema, &reading);
    for (int i = 0; i < n_records; i++)
        printf("%s\n", records[i].released);

    for (int i = 0; i < n_blocks; i++)
        kanon_piece_free(groups[i]);
    for (size_t i = 0; i < parts->n_parts; i++)
        kanon_table_free(tables[i]);
    kanon_piece_free(cuts);
    kanon_piece_free(domain);
    kanon_csv_parts_free(parts);
    kanon_schema_free(schema);
    return 0;
}
