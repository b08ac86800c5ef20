/* The calls of kanon_blocks.h one by one: bytes that are damaged or made up, steps in a wrong order, parts that are missing
 * or came twice, what is refused by name, parts of a CSV file, and no memory. */
#include "unit/block_world.h"
#include "core/alloc.h"
#include "core/random.h"
#include "core/sha256.h"
#include "unit/embed_helpers.h"

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

enum { N_FORMS = 11 };

/* The bytes of every kind of object; the first two are one kind. */
static void write_all(collected out[N_FORMS], const block_world *w)
{
    kanon_error err = {0};
    kanon_sink sinks[N_FORMS];
    for (int i = 0; i < N_FORMS; i++) {
        out[i] = (collected){0};
        sinks[i] = sink_of(&out[i], NULL);
    }
    assert_done(kanon_domain_write(w->domain, &sinks[0], &err), &err);
    assert_done(kanon_domain_write(w->parts[1], &sinks[1], &err), &err);
    assert_done(kanon_cuts_write(w->open, &sinks[2], &err), &err);
    assert_done(kanon_cuts_write(w->cuts, &sinks[3], &err), &err);
    assert_done(kanon_counts_write(w->counts[0], &sinks[4], &err), &err);
    assert_done(kanon_block_groups_write(w->groups[0], &sinks[5], &err), &err);
    assert_done(kanon_rest_write(w->rest, &sinks[6], &err), &err);
    assert_done(kanon_offers_write(w->all_offers, &sinks[7], &err), &err);
    assert_done(kanon_tally_write(w->tally, &sinks[8], &err), &err);
    assert_done(kanon_codes_write(w->read, &sinks[9], &err), &err);
    assert_done(kanon_codes_write(w->codes, &sinks[10], &err), &err);
}

/* Make the object again; where that works, write it and use it. */
static kanon_status take(const block_world *w, int form, const char *bytes, size_t size, collected *again, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_sink to = sink_of(again, NULL);
    kanon_error unheard;
    if (form < 2) {
        kanon_domain *d = NULL;
        STEP(kanon_domain_from_bytes(&d, bytes, size, NULL, err));
        STEP(kanon_domain_write(d, &to, err));
        if (st == KANON_OK && kanon_domain_merge(d, w->parts[0], &unheard) == KANON_OK)
            kanon_domain_seal(d, w->schema, &unheard);
        kanon_domain_free(d);
    } else if (form < 4) {
        kanon_cuts *c = NULL;
        int32_t block_of[WORLD_ROWS];
        STEP(kanon_cuts_from_bytes(&c, w->domain, bytes, size, err));
        STEP(kanon_cuts_write(c, &to, err));
        if (st == KANON_OK) {
            assert_done(kanon_cuts_block_of(block_of, c, w->tables[0], &unheard), &unheard);
            kanon_cuts_next(c, w->counts[0], &unheard);
        }
        kanon_cuts_free(c);
    } else if (form == 4) {
        kanon_counts *c = NULL;
        STEP(kanon_counts_from_bytes(&c, bytes, size, NULL, err));
        STEP(kanon_counts_write(c, &to, err));
        if (st == KANON_OK && kanon_counts_merge(c, w->counts[1], &unheard) == KANON_OK) {
            kanon_cuts *cuts = NULL;
            assert_done(kanon_cuts_new(&cuts, w->domain, 8, &unheard), &unheard);
            kanon_cuts_next(cuts, c, &unheard);
            kanon_cuts_free(cuts);
        }
        kanon_counts_free(c);
    } else if (form == 5) {
        kanon_block_groups *g = NULL;
        kanon_offers *o = NULL;
        STEP(kanon_block_groups_from_bytes(&g, w->domain, bytes, size, err));
        STEP(kanon_block_groups_write(g, &to, err));
        if (st == KANON_OK)
            kanon_rest_offer(&o, w->rest, g, &unheard);
        kanon_offers_free(o);
        kanon_block_groups_free(g);
    } else if (form == 6) {
        kanon_rest *r = NULL;
        kanon_offers *o = NULL;
        STEP(kanon_rest_from_bytes(&r, w->domain, bytes, size, err));
        STEP(kanon_rest_write(r, &to, err));
        if (st == KANON_OK) {
            kanon_rest_offer(&o, r, w->groups[0], &unheard);
            kanon_rest_place(r, w->all_offers, &unheard);
        }
        kanon_offers_free(o);
        kanon_rest_free(r);
    } else if (form == 7) {
        kanon_offers *o = NULL;
        kanon_rest *r = NULL;
        collected rest = {0};
        const kanon_sink rest_to = sink_of(&rest, NULL);
        STEP(kanon_offers_from_bytes(&o, w->domain, bytes, size, err));
        STEP(kanon_offers_write(o, &to, err));
        if (st == KANON_OK) {
            assert_done(kanon_rest_write(w->rest, &rest_to, &unheard), &unheard);
            assert_done(kanon_rest_from_bytes(&r, w->domain, rest.text, rest.size, &unheard), &unheard);
            kanon_rest_place(r, o, &unheard);
        }
        free(rest.text);
        kanon_rest_free(r);
        kanon_offers_free(o);
    } else if (form > 8) {
        kanon_codes *c = NULL;
        kanon_counts *counts = NULL;
        int32_t block_of[WORLD_ROWS];
        STEP(kanon_codes_from_bytes(&c, w->domain, bytes, size, err));
        STEP(kanon_codes_write(c, &to, err));
        if (st == KANON_OK) {
            kanon_codes_seal(c, w->parts[0], w->domain, &unheard);
            kanon_codes_count(&counts, c, w->open, &unheard);
            if (kanon_codes_rows(c) <= WORLD_ROWS)
                kanon_codes_block_of(block_of, c, w->cuts, &unheard);
        }
        kanon_counts_free(counts);
        kanon_codes_free(c);
    } else {
        kanon_tally *t = NULL;
        kanon_measures *m = NULL;
        STEP(kanon_tally_from_bytes(&t, w->domain, bytes, size, err));
        STEP(kanon_tally_write(t, &to, err));
        if (st == KANON_OK && kanon_tally_merge(t, w->tally, &unheard) == KANON_OK)
            kanon_tally_measures(&m, t, w->domain, &unheard);
        kanon_measures_free(m);
        kanon_tally_free(t);
    }
    return st;
}

static block_world *world_new(void)
{
    kanon_error err = {0};
    block_world *w = malloc(sizeof *w);
    assert_non_null(w);
    assert_done(world_make(w, &err), &err);
    assert_true(w->n_blocks > 2 && kanon_rest_count(w->rest) > 2);
    assert_non_null(w->tally);
    return w;
}

static void world_end(block_world *w)
{
    world_free(w);
    free(w);
}

/* Every byte that is changed, and every byte that is missing, is found. */
static void damage_is_found(void **state)
{
    block_world *w = world_new();
    collected forms[N_FORMS];
    (void)state;
    write_all(forms, w);
    for (int form = 0; form < N_FORMS; form++) {
        for (size_t i = 0; i < forms[form].size; i++) {
            kanon_error err = {0};
            collected again = {0};
            forms[form].text[i] ^= 1;
            kanon_status st = take(w, form, forms[form].text, forms[form].size, &again, &err);
            assert_true(st == KANON_EDATA || (st == KANON_EVERSION && i == 6));
            forms[form].text[i] ^= 1;
            char *less = malloc(i + 1); /* a byte behind the end would be found by the sanitizer */
            memcpy(less, forms[form].text, i);
            assert_int_equal(take(w, form, less, i, &again, &err), KANON_EDATA);
            free(less);
            free(again.text);
        }
        for (int other = 0; other < N_FORMS; other++) {
            kanon_error err = {0};
            collected again = {0};
            bool same_kind = form == other || (form < 2 && other < 2) || (form / 2 == 1 && other / 2 == 1) ||
                             (form > 8 && other > 8);
            if (!same_kind)
                assert_int_equal(take(w, other, forms[form].text, forms[form].size, &again, &err), KANON_EDATA);
            free(again.text);
        }
    }
    for (int form = 0; form < N_FORMS; form++)
        free(forms[form].text);
    world_end(w);
}

static int hex(char c)
{
    return c <= '9' ? c - '0' : c - 'a' + 10;
}

/* The checksum that belongs to the bytes before it. */
static void sign(char *bytes, size_t size)
{
    char text[KANON__SHA256_TEXT];
    kanon__sha256_of(text, bytes, size - 16);
    for (int i = 0; i < 16; i++)
        bytes[size - 16 + (size_t)i] = (char)(16 * hex(text[2 * i]) + hex(text[2 * i + 1]));
}

/* Bytes that somebody made up, with a right checksum: refused, or an object that is written as the same bytes and can be
 * used without harm. */
static void made_up_bytes_do_no_harm(void **state)
{
    enum { TRIES = 1500 };
    block_world *w = world_new();
    collected forms[N_FORMS];
    kanon__random random;
    int n_taken = 0;
    (void)state;
    kanon__random_init(&random, test_seed(), 0);
    write_all(forms, w);
    for (int form = 0; form < N_FORMS; form++)
        for (int i = 0; i < TRIES; i++) {
            kanon_error err = {0};
            collected again = {0};
            size_t size = forms[form].size;
            char *bytes = malloc(size);
            memcpy(bytes, forms[form].text, size);
            for (int64_t changes = 1 + kanon__random_below(&random, 3); changes > 0; changes--)
                bytes[8 + kanon__random_below(&random, (int64_t)size - 24)] = (char)kanon__random_below(&random, 256);
            sign(bytes, size);
            kanon_status st = take(w, form, bytes, size, &again, &err);
            if (st == KANON_OK) {
                n_taken++;
                assert_int_equal(again.size, size);
                assert_memory_equal(again.text, bytes, size);
            } else {
                assert_true(st == KANON_EDATA || st == KANON_EINVAL || st == KANON_ENOMEM);
            }
            free(again.text);
            free(bytes);
        }
    print_message("%d of %d were objects\n", n_taken, N_FORMS * TRIES);
    assert_true(n_taken > TRIES / 10);
    for (int form = 0; form < N_FORMS; form++)
        free(forms[form].text);
    world_end(w);
}

/* ---- wrong steps --------------------------------------------------------------------------------------------------- */

static void assert_refused(kanon_status got, kanon_status wanted, const kanon_error *err, const char *words)
{
    assert_int_equal(got, wanted);
    assert_holds(err->message, words);
    assert_true(err->hint[0] != '\0');
}

static void wrong_steps_are_refused(void **state)
{
    block_world *w = world_new();
    kanon_error err = {0};
    kanon_cuts *cuts = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_rest *rest = NULL;
    int32_t block_of[WORLD_ROWS];
    (void)state;
    /* domains */
    assert_refused(kanon_cuts_new(&cuts, w->parts[0], 8, &err), KANON_EINVAL, &err, "not sealed");
    assert_refused(kanon_domain_merge(w->parts[0], w->domain, &err), KANON_EINVAL, &err, "is sealed");
    kanon_read_options read = {.struct_size = sizeof read, .domain = w->parts[0], .header = KANON_HEADER_YES};
    assert_refused(kanon_table_from_bytes(&table, w->csv[0], strlen(w->csv[0]), "t", w->schema, &read, &err), KANON_EINVAL,
                   &err, "not sealed");
    static const char other[] = "age,zip,sex,ill\n20,100,F,ill0\n77,999,F,ill0\n";
    read.domain = w->domain;
    assert_refused(kanon_table_from_bytes(&table, other, strlen(other), "t", w->schema, &read, &err), KANON_EDATA, &err,
                   "t:3: age: the value is not in the domain");
    assert_null(strstr(err.message, "77"));
    /* counts: a part is missing, a part came twice, an old level */
    assert_refused(kanon_cuts_next(w->open, w->counts[0], &err), KANON_EDATA, &err, "not those of all records");
    assert_done(kanon_counts_merge(w->counts[0], w->counts[0], &err), &err);
    assert_refused(kanon_cuts_next(w->open, w->counts[0], &err), KANON_EDATA, &err, "not those of all records");
    assert_int_equal(kanon_cuts_done(w->cuts), 1);
    assert_done(kanon_cuts_next(w->cuts, w->counts[0], &err), &err); /* nothing is open: nothing happens */
    /* codes: not sealed yet, of another part, sealed twice, of a table without a domain */
    kanon_counts *counts = NULL;
    kanon_codes *codes = NULL;
    assert_refused(kanon_codes_count(&counts, w->read, w->open, &err), KANON_EINVAL, &err, "not of this domain");
    assert_refused(kanon_codes_seal(w->read, w->parts[1], w->domain, &err), KANON_EINVAL, &err, "not those of this part");
    assert_refused(kanon_codes_seal(w->read, w->parts[0], w->parts[1], &err), KANON_EINVAL, &err, "not sealed");
    assert_done(kanon_codes_seal(w->read, w->parts[0], w->domain, &err), &err);
    assert_refused(kanon_codes_seal(w->read, w->parts[0], w->domain, &err), KANON_EINVAL, &err, "not those of this part");
    assert_done(kanon_table_from_bytes(&table, w->csv[0], strlen(w->csv[0]), "t", w->schema, NULL, &err), &err);
    assert_refused(kanon_codes_new(&codes, table, &err), KANON_EINVAL, &err, "without a domain");
    kanon_table_free(table);
    /* blocks */
    assert_refused(kanon_block_group(&grouping, w->rows[0], w->open, 0, &w->options, &err), KANON_EINVAL, &err, "not cut");
    assert_refused(kanon_block_group(&grouping, w->rows[0], w->cuts, 99, &w->options, &err), KANON_EINVAL, &err,
                   "no block 99");
    assert_refused(kanon_block_group(&grouping, w->tables[0], w->cuts, 0, &w->options, &err), KANON_EINVAL, &err, "has");
    w->options.blocks = 9;
    assert_refused(kanon_block_group(&grouping, w->rows[0], w->cuts, 0, &w->options, &err), KANON_EINVAL, &err,
                   "blocks of 8 records, and 9");
    w->options.blocks = 8;
    assert_done(kanon_table_from_bytes(&table, w->csv[0], strlen(w->csv[0]), "t", w->schema, NULL, &err), &err);
    assert_refused(kanon_cuts_block_of(block_of, w->cuts, table, &err), KANON_EINVAL, &err, "not read with this domain");
    kanon_table_free(table);
    /* the rest */
    assert_refused(kanon_rest_merge(w->rest, w->rests[1], &err), KANON_EINVAL, &err, "the same block");
    assert_refused(kanon_rest_place(w->rest, w->offers[0], &err), KANON_EDATA, &err, "not those of all blocks");
    assert_refused(kanon_offers_merge(w->all_offers, w->offers[1], &err), KANON_EINVAL, &err, "the same block");
    assert_done(kanon_rest_new(&rest, w->groups[0], &err), &err);
    assert_refused(kanon_rest_place(rest, w->offers[0], &err), KANON_EDATA, &err, "not those of all blocks");
    kanon_rest_record record = {.struct_size = sizeof record};
    assert_refused(kanon_rest_at(&record, w->rest, 0, &err), KANON_EINVAL, &err, "has no group");
    assert_done(kanon_rest_place(w->rest, w->all_offers, &err), &err);
    assert_done(kanon_rest_at(&record, w->rest, 0, &err), &err);
    if (!kanon_rest_done(w->rest)) /* the same offers again */
        assert_refused(kanon_rest_place(w->rest, w->all_offers, &err), KANON_EDATA, &err, "to the records that are left");
    /* figures of a part */
    kanon_measures *measures = NULL;
    assert_refused(kanon_tally_measures(&measures, w->tally, w->domain, &err), KANON_EDATA, &err, "the table has 48");
    kanon_rest_free(rest);
    world_end(w);
}

/* ---- what is refused by name --------------------------------------------------------------------------------------- */

static void refuse_schema(const char *yaml, const kanon_options *options, const char *words)
{
    kanon_error err = {0};
    kanon_schema *schema = NULL;
    assert_done(kanon_schema_from_bytes(&schema, yaml, strlen(yaml), "s", NULL, &err), &err);
    assert_refused(kanon_blocks_allow(schema, options, &err), KANON_EINVAL, &err, words);
    kanon_schema_free(schema);
}

static void what_cannot_be_done_is_refused(void **state)
{
    static const char plain[] = "attributes: {age: quasi}\nprivacy: {k: 3}\n";
    const kanon_setting limit = {"time-limit", "5"};
    kanon_options o = {.struct_size = sizeof o, .blocks = 100};
    kanon_error err = {0};
    kanon_schema *schema = NULL;
    (void)state;
    assert_done(kanon_schema_from_bytes(&schema, plain, strlen(plain), "s", NULL, &err), &err);
    assert_done(kanon_blocks_allow(schema, &o, &err), &err);
    kanon_schema_free(schema);
    refuse_schema("entity: who\nattributes: {age: quasi, who: identifying}\nprivacy: {k: 3}\n", &o, "an entity");
    refuse_schema("attributes: {age: quasi, ill: sensitive}\nprivacy: {k: 3, constraints: [{model: distinct-l-diversity, "
                  "attribute: ill, l: 2}]}\n",
                  &o, "a constraint");
    refuse_schema("attributes: {age: quasi}\nprivacy: {k: 3, suppress: 0.1}\n", &o, "suppression");
    o.suppress = "0.05";
    refuse_schema(plain, &o, "suppression");
    o.suppress = NULL;
    o.recode = KANON_RECODE_ATTRIBUTE;
    refuse_schema(plain, &o, "recoding of attributes");
    o.recode = KANON_RECODE_RECORD;
    o.refine_settings = &limit;
    o.n_refine_settings = 1;
    refuse_schema(plain, &o, "a time limit");
    o.n_refine_settings = 0;
    o.blocks = 2;
    refuse_schema(plain, &o, "smaller than k = 3");
    o.blocks = 0;
    refuse_schema(plain, &o, "not given");
}

/* ---- parts of a file ------------------------------------------------------------------------------------------------ */

typedef struct row_list {
    char text[4096];
    int n;
} row_list;

static int add_row(int64_t row, const char *text, size_t size, void *payload)
{
    row_list *list = payload;
    assert_int_equal(row, list->n++);
    strncat(list->text, text, size);
    return 0;
}

static int stop_at_two(int64_t row, const char *text, size_t size, void *payload)
{
    (void)text;
    (void)size;
    (void)payload;
    return row == 2;
}

/* The rows of all parts, each read as a table of its own, are the rows of the file. */
static void parts_hold_all_rows(const char *csv, int64_t part_bytes)
{
    kanon_error err = {0};
    kanon_csv_parts *parts = NULL;
    kanon_schema *schema = NULL;
    static const char yaml[] = "attributes: {a: quasi, b: insensitive}\n";
    place path = scratch("parts.csv");
    row_list rows = {0};
    write_text(path.text, csv);
    assert_done(kanon_schema_from_bytes(&schema, yaml, strlen(yaml), "s", NULL, &err), &err);
    assert_done(kanon_csv_parts_find(&parts, path.text, schema, NULL, part_bytes, &err), &err);
    assert_int_equal(parts->header, KANON_HEADER_YES);
    assert_int_equal(parts->delimiter, ';');
    for (size_t i = 0; i < parts->n_parts; i++) {
        char bytes[4096];
        kanon_table *table = NULL;
        row_list part = {0};
        size_t header = (size_t)parts->header_size, size = (size_t)parts->parts[i].size;
        memcpy(bytes, csv, header);
        memcpy(bytes + header, csv + parts->parts[i].offset, size);
        const kanon_read_options read = {
            .struct_size = sizeof read, .delimiter = parts->delimiter, .header = parts->header, .encoding = parts->encoding};
        assert_done(kanon_table_from_bytes(&table, bytes, header + size, "part", schema, &read, &err), &err);
        assert_done(kanon_table_row_texts(table, add_row, &part, &err), &err);
        assert_int_equal(part.n, kanon_table_rows(table));
        assert_int_equal(kanon_table_row_texts(table, stop_at_two, NULL, &err),
                         kanon_table_rows(table) > 2 ? KANON_ECANCELLED : KANON_OK);
        strcat(rows.text, part.text);
        rows.n += part.n;
        kanon_table_free(table);
    }
    assert_int_equal(rows.n, 7);
    assert_string_equal(rows.text, strchr(csv, '\n') + 1);
    kanon_csv_parts_free(parts);
    kanon_schema_free(schema);
}

static void files_are_divided_at_rows(void **state)
{
    static const char csv[] = "a;b\n1;one\n2;\"two\nlines; and \"\"quotes\"\"\"\n3;three\n4;\"\n\n\"\n5;five\n6;\"\"\n7;end";
    (void)state;
    for (int64_t part_bytes = 0; part_bytes < 90; part_bytes++)
        parts_hold_all_rows(csv, part_bytes);
    kanon_error err = {0};
    kanon_csv_parts *parts = NULL;
    kanon_schema *schema = NULL;
    place path = scratch("latin.csv");
    write_text(path.text, "a\nZo\xeb\nx\n");
    assert_done(kanon_schema_new(&schema, NULL, &err), &err);
    assert_refused(kanon_csv_parts_find(&parts, path.text, schema, NULL, 10, &err), KANON_EINVAL, &err,
                   "only a file of UTF-8");
    kanon_schema_free(schema);
}

/* ---- no memory ------------------------------------------------------------------------------------------------------ */

/* Every allocation of every call fails in turn; nothing crashes, nothing stays. */
static void no_memory(void **state)
{
    kanon_error err = {0};
    block_world *w = world_new();
    (void)state;
    world_free(w);
    kanon__alloc_fail_at(0, false);
    assert_done(world_make(w, &err), &err);
    int64_t n = kanon__alloc_count(), step = n / 400 + 1;
    world_free(w);
    for (int64_t i = 1; i <= n; i += step) {
        kanon__alloc_fail_at(i, false);
        kanon_status st = world_make(w, &err);
        kanon__alloc_fail_at(0, false);
        assert_true(st == KANON_ENOMEM || st == KANON_OK); /* what only warns is left out where there is no memory */
        world_free(w);
    }
    free(w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(damage_is_found, no_leak),
        cmocka_unit_test_teardown(made_up_bytes_do_no_harm, no_leak),
        cmocka_unit_test_teardown(wrong_steps_are_refused, no_leak),
        cmocka_unit_test_teardown(what_cannot_be_done_is_refused, no_leak),
        cmocka_unit_test_teardown(files_are_divided_at_rows, no_leak),
        cmocka_unit_test_teardown(no_memory, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
