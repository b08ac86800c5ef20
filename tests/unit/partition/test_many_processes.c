/* One release by many processes, played in one: a driver and parts that know nothing of each other but bytes. Random tables
 * are divided in any way, the parts come back in any order, and the release is that of kanon_anonymize in blocks, record by
 * record and byte by byte. */
#include "core/random.h"
#include "unit/embed_helpers.h"
#include "measures/measure.h"

#include <kanon_blocks.h>
#include <math.h>

enum { MOST_COLUMNS = 9, MOST_ROWS = 320, CELL_TEXT = 32, TEXT_SIZE = 1 << 16, MOST_PARTS = 6, MOST_BLOCKS = 200 };

/* ---- random tables ------------------------------------------------------------------------------------------------ */

typedef struct sample {
    kanon__random random;
    bool arrow; /* else CSV */
    int coarse; /* values are few, so that many groups are equally good: by this factor */
    int n, n_columns;
    const char *names[MOST_COLUMNS];
    char cells[MOST_ROWS][MOST_COLUMNS][CELL_TEXT];
    bool null[MOST_ROWS][MOST_COLUMNS];
    int64_t places[MOST_ROWS]; /* rising */
    char yaml[4096];
    kanon_schema *schema;
    int64_t k, blocks;
    kanon_options options;
    kanon_setting settings[2];
} sample;

static int below(sample *s, int n)
{
    return (int)kanon__random_below(&s->random, n);
}

/* One kind of column: its line in the schema, and a random cell. */
enum { ZEROS, PLAIN, DECIMAL, DATE, FLAT, TREE, MASK, BANDS, N_KINDS };

static const char *const kinds[N_KINDS] = {
    [ZEROS] = "{role: quasi, type: integer}",
    [PLAIN] = "{role: quasi, weight: 0.5}",
    [DECIMAL] = "{role: quasi, weight: 2}",
    [DATE] = "quasi",
    [FLAT] = "quasi",
    [TREE] = "{role: quasi, taxonomy: {any: {north: {a: , b: , c: }, south: {d: , e: }}}}",
    [MASK] = "{role: quasi, mask: right}",
    [BANDS] = "{role: quasi, bands: 5, top: 30}",
};

static void print_cell(sample *s, char out[CELL_TEXT], int kind)
{
    switch (kind) {
    case ZEROS: /* 07 and 7 are one number, shown as the first record has it */
        snprintf(out, CELL_TEXT, "%s%d", below(s, 3) == 0 ? "0" : "", below(s, 30 / s->coarse));
        break;
    case PLAIN:
        snprintf(out, CELL_TEXT, "%d", below(s, 50 / s->coarse));
        break;
    case DECIMAL:
        snprintf(out, CELL_TEXT, below(s, 2) == 0 ? "%d.5" : "%d.50", below(s, 12 / s->coarse));
        break;
    case DATE:
        snprintf(out, CELL_TEXT, "2024-0%d-%02d", 1 + below(s, 9), 1 + below(s, 28 / s->coarse));
        break;
    case MASK:
        snprintf(out, CELL_TEXT, "%03d", 100 + below(s, 60 / s->coarse));
        break;
    case BANDS:
        snprintf(out, CELL_TEXT, "%d", below(s, 45 / s->coarse));
        break;
    default:
        snprintf(out, CELL_TEXT, "%s%c", kind == FLAT && below(s, 9) == 0 ? " " : "", 'a' + below(s, 5));
    }
}

/* Quasi columns of any kinds, a sensitive one, and one that is kept, with texts that need quotes. */
static void fill(sample *s)
{
    static const char *const names[] = {"c0", "c1", "c2", "c3", "c4", "c5", "ill", "kept"};
    static const char *const kept[] = {"plain", "with, comma", "with \"quotes\"", "two\nlines", ""};
    int n_quasi = s->coarse > 1 ? 4 : 1 + below(s, 5);
    size_t used = (size_t)snprintf(s->yaml, sizeof s->yaml, "missing: ['?', '']\nattributes:\n");
    for (int column = 0; column < n_quasi; column++) {
        int kind = below(s, N_KINDS), missing = below(s, 2) * 10;
        s->names[column] = names[column];
        used += (size_t)snprintf(s->yaml + used, sizeof s->yaml - used, "  %s: %s\n", names[column], kinds[kind]);
        for (int row = 0; row < s->n; row++) {
            print_cell(s, s->cells[row][column], kind);
            if (below(s, 100) < missing)
                snprintf(s->cells[row][column], CELL_TEXT, "%s", below(s, 2) == 0 ? "?" : "");
            s->null[row][column] = s->arrow && missing > 0 && below(s, 12) == 0;
        }
    }
    s->n_columns = n_quasi + 2;
    s->names[n_quasi] = names[6];
    s->names[n_quasi + 1] = names[7];
    for (int row = 0; row < s->n; row++) {
        snprintf(s->cells[row][n_quasi], CELL_TEXT, "ill%d", below(s, 7));
        snprintf(s->cells[row][n_quasi + 1], CELL_TEXT, "%s", kept[below(s, 5)]);
    }
    snprintf(s->yaml + used, sizeof s->yaml - used, "  ill: sensitive\n  kept: insensitive\n");
}

static void choose_options(sample *s)
{
    static const char *const algorithms[] = {"kmember", "densest", "mondrian", "top-down", "strips", "auto", "oka"};
    static const char *const refinements[] = {"none", "search", "il-optimization"};
    s->k = 2 + below(s, 3);
    s->blocks = s->k + below(s, s->n / 3);
    s->settings[0] = (kanon_setting){"moves", "3000"};
    const char *refine = refinements[below(s, 3)];
    s->options = (kanon_options){.struct_size = sizeof s->options,
                                 .k = s->k,
                                 .algorithm = algorithms[below(s, 7)],
                                 .seed = (uint64_t)below(s, 1000),
                                 .threads = 1 + below(s, 2),
                                 .blocks = s->blocks,
                                 .refine = refine,
                                 .refine_settings = s->settings,
                                 .n_refine_settings = strcmp(refine, "search") == 0};
}

static sample *sample_new(uint64_t seed)
{
    kanon_error err = KANON_INIT(kanon_error);
    char k[16];
    sample *s = calloc(1, sizeof *s);
    assert_non_null(s);
    kanon__random_init(&s->random, seed, 3);
    s->arrow = below(s, 2) == 0;
    s->coarse = below(s, 2) == 0 ? 1 : 10;
    s->n = 40 + below(s, MOST_ROWS - 40);
    int64_t at_place = s->arrow ? -500 : 0;
    for (int row = 0; row < s->n; row++)
        s->places[row] = at_place += s->arrow ? 1 + below(s, 9) : 1;
    fill(s);
    choose_options(s);
    assert_done(kanon_schema_read(&s->schema, KANON_BYTES_AS(s->yaml, strlen(s->yaml), "sample"), NULL, &err), &err);
    snprintf(k, sizeof k, "%d", (int)s->k);
    assert_done(kanon_schema_set(s->schema, NULL, "k", k, &err), &err);
    return s;
}

static void sample_free(sample *s)
{
    kanon_schema_free(s->schema);
    free(s);
}

/* ---- rows as the engine moves them -------------------------------------------------------------------------------- */

/* Some rows, in some order. */
typedef struct rows {
    int n, at[MOST_ROWS];
    char csv[TEXT_SIZE]; /* as long as a table or stream of them */
    size_t size;
    const char *columns[MOST_COLUMNS][MOST_ROWS];
    arrow_field fields[MOST_COLUMNS];
    arrow_table table;
    arrow_layout layout;
    arrow_counts counts;
} rows;

static void print_quoted(char *out, size_t *used, const char *text)
{
    bool quoted = strpbrk(text, ",\"\n") != NULL;
    if (quoted)
        out[(*used)++] = '"';
    for (; *text != '\0'; text++) {
        if (*text == '"')
            out[(*used)++] = '"';
        out[(*used)++] = *text;
    }
    if (quoted)
        out[(*used)++] = '"';
}

static void print_csv(const sample *s, rows *r)
{
    r->size = 0;
    for (int i = -1; i < r->n; i++)
        for (int column = 0; column < s->n_columns; column++) {
            print_quoted(r->csv, &r->size, i < 0 ? s->names[column] : s->cells[r->at[i]][column]);
            r->csv[r->size++] = column + 1 < s->n_columns ? ',' : '\n';
        }
    assert_true(r->size < TEXT_SIZE);
}

static void make_stream(const sample *s, rows *r, struct ArrowArrayStream *out)
{
    for (int column = 0; column < s->n_columns; column++) {
        for (int i = 0; i < r->n; i++)
            r->columns[column][i] = s->null[r->at[i]][column] ? NULL : s->cells[r->at[i]][column];
        r->fields[column] = (arrow_field){s->names[column], "u", NULL, r->columns[column]};
    }
    r->table = (arrow_table){s->n_columns, r->fields, r->n};
    arrow_produce(out, &r->table, &r->layout, &r->counts);
}

/* The table of these rows; `domain` NULL: they are the whole. */
static kanon_table *table_of_rows(const sample *s, rows *r, const kanon_domain *domain)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    const kanon_read_options options = {.struct_size = sizeof options, .domain = domain};
    struct ArrowArrayStream stream;
    if (s->arrow) {
        make_stream(s, r, &stream);
        assert_done(kanon_table_read(&table, KANON_STREAM(&stream), s->schema, &options, &err), &err);
    } else {
        print_csv(s, r);
        const kanon_input input = {.struct_size = sizeof input,
                                   .bytes = r->csv,
                                   .size = r->size,
                                   .name = "rows",
                                   .header = KANON_HEADER_YES};
        assert_done(kanon_table_read(&table, &input, s->schema, &options, &err), &err);
    }
    return table;
}

/* `codes` may be NULL. */
static kanon_domain *domain_of(const sample *s, rows *r, kanon_codes **codes)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_domain *domain = NULL;
    const kanon_read_options options = {.struct_size = sizeof options};
    struct ArrowArrayStream stream;
    kanon_input input = {.struct_size = sizeof input, .header = KANON_HEADER_YES};
    int64_t each[MOST_ROWS];
    kanon_places places = {.struct_size = sizeof places};
    for (int i = 0; i < r->n; i++)
        each[i] = s->places[r->at[i]];
    if (s->arrow) {
        make_stream(s, r, &stream);
        input.stream = &stream;
        places.each = each;
        places.n = r->n;
    } else {
        print_csv(s, r);
        input.bytes = r->csv;
        input.size = r->size;
        places.first = r->n > 0 ? each[0] : 0;
    }
    assert_done(codes != NULL ? kanon_codes_read(codes, &domain, &input, &places, s->schema, &options, &err)
                              : kanon_domain_read(&domain, &input, &places, s->schema, &options, &err),
                &err);
    return domain;
}

/* Parts of the table: of CSV stretches, of a stream any rows in any order. Some are empty. */
static int divide(sample *s, rows *parts)
{
    int n = 1 + below(s, MOST_PARTS);
    for (int row = 0; row < s->n; row++) {
        int part = s->arrow ? below(s, n) : (int)((int64_t)row * n / s->n);
        int at = s->arrow ? below(s, parts[part].n + 1) : parts[part].n;
        memmove(parts[part].at + at + 1, parts[part].at + at, (size_t)(parts[part].n - at) * sizeof(int));
        parts[part].at[at] = row;
        parts[part].n++;
    }
    return n;
}

/* ---- what travels ------------------------------------------------------------------------------------------------- */

/* Write a piece, free it, and make it again of its bytes, which are then written equal. */
static void travel(kanon_piece **piece, const kanon_domain *domain)
{
    kanon_error err = KANON_INIT(kanon_error);
    collected bytes = {0}, again = {0};
    const kanon_sink to = sink_of(&bytes, NULL), to_again = sink_of(&again, NULL);
    assert_done(kanon_piece_write(*piece, &to, &err), &err);
    kanon_piece_free(*piece);
    assert_done(kanon_piece_read(piece, KANON_BYTES(bytes.text, bytes.size), domain, NULL, &err), &err);
    assert_done(kanon_piece_write(*piece, &to_again, &err), &err);
    assert_int_equal(bytes.size, again.size);
    assert_memory_equal(bytes.text, again.text, bytes.size);
    free(bytes.text);
    free(again.text);
}

/* Merge `n` pieces in a random order into one of them. */
static kanon_piece *merge_all(sample *s, kanon_piece **pieces, int n)
{
    kanon_error err = KANON_INIT(kanon_error);
    while (n > 1) {
        int from = below(s, n), into = below(s, n - 1);
        into += into >= from;
        assert_done(kanon_piece_merge(pieces[into], pieces[from], &err), &err);
        kanon_piece_free(pieces[from]);
        pieces[from] = pieces[--n];
    }
    return pieces[0];
}

/* ---- the driver --------------------------------------------------------------------------------------------------- */

typedef struct play {
    sample *s;
    rows parts[MOST_PARTS];
    int n_parts;
    kanon_domain *domain;
    kanon_codes *codes[MOST_PARTS];
    kanon_cuts *cuts;
    int n_blocks;
    rows blocks[MOST_BLOCKS];
    kanon_block_groups *groups[MOST_BLOCKS];
    int32_t block_of[MOST_ROWS];
    int64_t group_of[MOST_ROWS]; /* within its block; 0: left over */
    int rounds;
} play;

static void play_domain(play *p)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_domain *domains[MOST_PARTS];
    for (int i = 0; i < p->n_parts; i++) {
        domains[i] = domain_of(p->s, &p->parts[i], NULL);
        travel(&domains[i], NULL);
    }
    p->domain = merge_all(p->s, domains, p->n_parts);
    assert_int_equal(kanon_domain_rows(p->domain), p->s->n);
    assert_done(kanon_domain_seal(p->domain, p->s->schema, &err), &err);
    travel(&p->domain, NULL);
    assert_done(kanon_domain_seal(p->domain, p->s->schema, &err), &err);
}

/* The codes of each part, which were read with its domain or are those of its table. */
static void play_codes(play *p)
{
    kanon_error err = KANON_INIT(kanon_error);
    for (int i = 0; i < p->n_parts; i++) {
        if (p->parts[i].n > 0 && below(p->s, 3) == 0) {
            kanon_table *table = table_of_rows(p->s, &p->parts[i], p->domain);
            assert_done(kanon_codes_new(&p->codes[i], table, &err), &err);
            kanon_table_free(table);
        } else {
            kanon_domain *own = domain_of(p->s, &p->parts[i], &p->codes[i]);
            travel(&p->codes[i], p->domain);
            travel(&own, NULL);
            assert_done(kanon_codes_seal(p->codes[i], own, p->domain, &err), &err);
            kanon_piece_free(own);
        }
        assert_int_equal(kanon_codes_rows(p->codes[i]), p->parts[i].n);
        travel(&p->codes[i], p->domain);
    }
}

/* Counts of codes are those of the table, whether what was found out at the level before is kept or not. */
static void count_codes(play *p, int part, const kanon_counts *of_table)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_counts *counts = NULL;
    collected wanted = {0}, got = {0}, before = {0};
    const kanon_sink to_wanted = sink_of(&wanted, NULL), to_got = sink_of(&got, NULL), to_before = sink_of(&before, NULL);
    assert_done(kanon_piece_write(p->codes[part], &to_before, &err), &err);
    assert_done(kanon_codes_count(&counts, p->codes[part], p->cuts, &err), &err);
    assert_done(kanon_piece_write(of_table, &to_wanted, &err), &err);
    assert_done(kanon_piece_write(counts, &to_got, &err), &err);
    assert_int_equal(wanted.size, got.size);
    assert_memory_equal(wanted.text, got.text, got.size);
    if (below(p->s, 2) == 0) {
        kanon_piece_free(p->codes[part]);
        assert_done(kanon_piece_read(&p->codes[part], KANON_BYTES(before.text, before.size), p->domain, NULL, &err), &err);
    } else {
        travel(&p->codes[part], p->domain);
    }
    kanon_piece_free(counts);
    free(before.text);
    free(got.text);
    free(wanted.text);
}

static void play_cuts(play *p)
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_cuts_new(&p->cuts, p->domain, p->s->blocks, &err), &err);
    while (!kanon_cuts_done(p->cuts)) {
        kanon_counts *counts[MOST_PARTS];
        int n = 0;
        travel(&p->cuts, p->domain);
        for (int i = 0; i < p->n_parts; i++) {
            if (p->parts[i].n == 0)
                continue;
            kanon_table *table = table_of_rows(p->s, &p->parts[i], p->domain);
            assert_done(kanon_cuts_count(&counts[n], p->cuts, table, &err), &err);
            count_codes(p, i, counts[n]);
            travel(&counts[n], NULL);
            kanon_table_free(table);
            n++;
        }
        kanon_counts *all = merge_all(p->s, counts, n);
        assert_done(kanon_cuts_next(p->cuts, all, &err), &err);
        kanon_piece_free(all);
    }
    travel(&p->cuts, p->domain);
    p->n_blocks = (int)kanon_cuts_blocks(p->cuts);
    assert_true(p->n_blocks <= MOST_BLOCKS);
}

/* Rows go to their blocks, in the order of their places. */
static void play_shuffle(play *p)
{
    kanon_error err = KANON_INIT(kanon_error);
    for (int i = 0; i < p->n_parts; i++) {
        int32_t block_of[MOST_ROWS], by_codes[MOST_ROWS];
        if (p->parts[i].n == 0) {
            kanon_piece_free(p->codes[i]);
            continue;
        }
        kanon_table *table = table_of_rows(p->s, &p->parts[i], p->domain);
        assert_done(kanon_codes_block_of(by_codes, p->codes[i], p->cuts, &err), &err);
        kanon_piece_free(p->codes[i]);
        assert_done(kanon_cuts_block_of(block_of, p->cuts, table, &err), &err);
        assert_memory_equal(block_of, by_codes, (size_t)p->parts[i].n * sizeof *by_codes);
        for (int row = 0; row < p->parts[i].n; row++)
            p->block_of[p->parts[i].at[row]] = block_of[row];
        kanon_table_free(table);
    }
    for (int row = 0; row < p->s->n; row++) {
        rows *block = &p->blocks[p->block_of[row]];
        block->at[block->n++] = row;
    }
}

static void play_group(play *p, int block)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *grouping = NULL;
    rows *r = &p->blocks[block];
    int64_t places[MOST_ROWS];
    assert_int_equal(kanon_cuts_rows(p->cuts, block), r->n);
    kanon_table *table = table_of_rows(p->s, r, p->domain);
    assert_done(kanon_block_group(&grouping, table, p->cuts, block, &p->s->options, &err), &err);
    for (int i = 0; i < r->n; i++) {
        places[i] = p->s->places[r->at[i]];
        p->group_of[r->at[i]] = kanon_grouping_group_of(grouping, i);
    }
    assert_done(kanon_block_groups_new(&p->groups[block], table, grouping, p->cuts, block, places, &err), &err);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH("/nowhere/release.csv")};
    if (kanon_grouping_left(grouping) > 0) /* records without a group are never released */
        assert_int_equal(kanon_publish(table, grouping, &outputs, &err), KANON_EINVAL);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    travel(&p->groups[block], p->domain);
}

static int row_at(const sample *s, int64_t wanted)
{
    int row = 0;
    while (s->places[row] != wanted)
        row++;
    return row;
}

static void play_rest(play *p)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_rest *rests[MOST_BLOCKS];
    for (int i = 0; i < p->n_blocks; i++) {
        assert_done(kanon_rest_new(&rests[i], p->groups[i], &err), &err);
        travel(&rests[i], p->domain);
    }
    kanon_rest *rest = merge_all(p->s, rests, p->n_blocks);
    for (p->rounds = 0; !kanon_rest_done(rest); p->rounds++) {
        kanon_offers *offers[MOST_BLOCKS];
        travel(&rest, p->domain);
        for (int i = 0; i < p->n_blocks; i++) {
            assert_done(kanon_rest_offer(&offers[i], rest, p->groups[i], &err), &err);
            travel(&offers[i], p->domain);
        }
        kanon_offers *all = merge_all(p->s, offers, p->n_blocks);
        assert_done(kanon_rest_place(rest, all, &err), &err);
        kanon_piece_free(all);
    }
    for (int64_t i = 0; i < kanon_rest_count(rest); i++) {
        kanon_rest_record record = {.struct_size = sizeof record};
        assert_done(kanon_rest_at(&record, rest, i, &err), &err);
        int row = row_at(p->s, record.place);
        assert_int_equal(p->block_of[row], record.from_block);
        assert_int_equal(p->group_of[row], 0);
        p->block_of[row] = (int32_t)record.to_block;
        p->group_of[row] = record.to_group;
    }
    kanon_piece_free(rest);
}

/* ---- against one process ------------------------------------------------------------------------------------------- */

/* The same partition, whatever the numbers are. */
static void assert_same_groups(const play *p, const kanon_grouping *expected)
{
    static int64_t name_of[MOST_ROWS + 1];
    int64_t n = 0;
    memset(name_of, 0, sizeof name_of);
    for (int row = 0; row < p->s->n; row++) {
        int64_t group = kanon_grouping_group_of(expected, row), name = p->block_of[row] * 1000 + p->group_of[row];
        assert_true(p->group_of[row] > 0);
        if (name_of[group] == 0) {
            name_of[group] = name;
            n++;
        }
        if (name_of[group] != name)
            fail_msg("record %d is in another group", row);
    }
    for (int64_t i = 1; i <= n; i++)
        for (int64_t j = 1; j < i; j++)
            assert_true(name_of[i] != name_of[j]);
}

static void publish(collected *out, const kanon_table *table, const kanon_grouping *grouping)
{
    kanon_error err = KANON_INIT(kanon_error);
    const kanon_sink sink = sink_of(out, "release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .threads = 1};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
}

/* The end of the row of CSV that begins at `at`. */
static const char *row_end(const char *at)
{
    bool quoted = false;
    for (; *at != '\0'; at++) {
        quoted ^= *at == '"';
        if (*at == '\n' && !quoted)
            return at + 1;
    }
    return at;
}

/* The merged figures are those of the whole. */
static void assert_same_figures(play *p, kanon_tally **tallies, const kanon_table *whole, const kanon_grouping *expected)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_tally *tally = merge_all(p->s, tallies, p->n_blocks);
    kanon_measures *merged = NULL, *measures = NULL;
    travel(&tally, p->domain);
    assert_done(kanon_tally_measures(&merged, tally, p->domain, &err), &err);
    assert_done(kanon_evaluate(&measures, whole, expected, NULL, &err), &err);
    for (size_t i = 0; kanon_measures_at(measures, i) != NULL; i++) { /* all that are made of sums */
        const kanon_figure *want = kanon_measures_at(measures, i);
        bool is_merged = kanon_measures_find(merged, want->name, want->attribute) != NULL;
        if (kanon__measure_find(want->name)->figure != NULL && !is_merged)
            fail_msg("there is no merged %s", want->name);
    }
    for (size_t i = 0; kanon_measures_at(merged, i) != NULL; i++) {
        const kanon_figure *got = kanon_measures_at(merged, i);
        const kanon_figure *want = kanon_measures_find(measures, got->name, got->attribute);
        assert_non_null(want);
        assert_int_equal(got->whole, want->whole);
        bool same = isnan(want->value)
                        ? isnan(got->value)
                        : got->value == want->value || fabs(got->value - want->value) <= 1e-12 * fabs(want->value);
        if (!same)
            fail_msg("%s %s: %.17g, not %.17g", got->name, got->attribute != NULL ? got->attribute : "", got->value,
                     want->value);
    }
    kanon_measures_free(measures);
    kanon_measures_free(merged);
    kanon_piece_free(tally);
}

/* Every block releases its rows by itself; put in order they are the release of the whole. */
static void assert_same_release(play *p, const kanon_table *whole, const kanon_grouping *expected)
{
    static char lines[MOST_ROWS][512];
    char header[512] = "";
    collected all = {0};
    kanon_tally *tallies[MOST_BLOCKS];
    kanon_error err = KANON_INIT(kanon_error);
    for (int block = 0; block < p->n_blocks; block++) {
        rows *r = &p->blocks[block];
        int64_t group_of[MOST_ROWS];
        collected text = {0};
        r->n = 0;
        for (int row = 0; row < p->s->n; row++)
            if (p->block_of[row] == block) {
                group_of[r->n] = p->group_of[row];
                r->at[r->n++] = row;
            }
        kanon_table *table = table_of_rows(p->s, r, p->domain);
        kanon_grouping *grouping = grouping_of(table, group_of);
        publish(&text, table, grouping);
        assert_done(kanon_tally_new(&tallies[block], table, grouping, &err), &err);
        travel(&tallies[block], p->domain);
        const char *at = text.text, *end = row_end(at);
        snprintf(header, sizeof header, "%.*s", (int)(end - at), at);
        for (int i = 0; i < r->n; i++) {
            at = end;
            end = row_end(at);
            snprintf(lines[r->at[i]], sizeof lines[0], "%.*s", (int)(end - at), at);
        }
        free(text.text);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
    assert_same_figures(p, tallies, whole, expected);
    publish(&all, whole, expected);
    const char *at = all.text;
    assert_memory_equal(at, header, strlen(header));
    at += strlen(header);
    for (int row = 0; row < p->s->n; row++) {
        size_t length = strlen(lines[row]);
        if (strncmp(at, lines[row], length) != 0)
            fail_msg("record %d is released as another line: %s", row, lines[row]);
        at += length;
    }
    assert_int_equal(*at, '\0');
    free(all.text);
}

/* Plays one case; returns how many rounds of offers it took, and in *n_left how many records were left over. */
static int play_case(uint64_t seed, int *n_left, int *n_blocks)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_grouping *expected = NULL;
    sample *s = sample_new(seed);
    play *p = calloc(1, sizeof *p);
    rows *all = calloc(1, sizeof *all);
    assert_non_null(p);
    assert_non_null(all);
    p->s = s;
    for (all->n = 0; all->n < s->n; all->n++)
        all->at[all->n] = all->n;
    kanon_table *whole = table_of_rows(s, all, NULL);
    assert_done(kanon_anonymize(&expected, whole, &s->options, &err), &err);
    assert_done(kanon_blocks_allow(s->schema, &s->options, &err), &err);
    p->n_parts = divide(s, p->parts);
    play_domain(p);
    play_codes(p);
    play_cuts(p);
    play_shuffle(p);
    for (int i = 0; i < p->n_blocks; i++)
        play_group(p, i);
    for (int row = 0; row < s->n; row++)
        *n_left += p->group_of[row] == 0;
    play_rest(p);
    assert_same_groups(p, expected);
    assert_same_release(p, whole, expected);
    int rounds = p->rounds;
    *n_blocks += p->n_blocks;
    for (int i = 0; i < p->n_blocks; i++)
        kanon_piece_free(p->groups[i]);
    kanon_piece_free(p->cuts);
    kanon_piece_free(p->domain);
    kanon_grouping_free(expected);
    kanon_table_free(whole);
    free(all);
    free(p);
    sample_free(s);
    return rounds;
}

static void release_is_that_of_one_process(void **state)
{
    enum { CASES = 60 };
    uint64_t seed = test_seed();
    int n_left = 0, n_blocks = 0, most_rounds = 0;
    (void)state;
    for (uint64_t i = 0; i < CASES; i++) {
        print_message("case %llu\n", (unsigned long long)(seed + i));
        int rounds = play_case(seed + i, &n_left, &n_blocks);
        most_rounds = rounds > most_rounds ? rounds : most_rounds;
    }
    assert_true(n_blocks > CASES); /* the test tests something */
    assert_true(n_left > CASES);
    print_message("%d blocks, %d records left over, at most %d rounds\n", n_blocks, n_left, most_rounds);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(release_is_that_of_one_process, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
