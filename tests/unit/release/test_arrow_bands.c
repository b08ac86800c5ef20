/* Columns with bands in Arrow: what every type of column shows, what does not fit, that the check refuses ends where no band
 * ends, and that an Arrow table with bands is released as the same table of CSV. */
#include "arrow_consumer.h"
#include "unit/arrow_release_cases.h"
#include "core/alloc.h"
#include "pipeline/arrow_export.h"
#include "release/sink/arrow_release.h"
#include "table/read/table.h"

#include <math.h>

/* ---- types --------------------------------------------------------------------------------------------------------- */

/* Two groups of two, and what NAME_min and NAME_max show of them; "-": null. */
typedef struct band_case {
    const char *format, *entry_format, *released, *rule;
    const char *const *cells, *const *ends;
} band_case;

static const band_case band_cases[] = {
    {"c", NULL, "c", "bands: 5, top: 90", CELLS("20", "24", "90", "127"), CELLS("20", "24", "90", "-")},
    {"C", NULL, "C", "bands: 10, bottom: 9", CELLS("0", "9", "200", "249"), CELLS("-", "9", "200", "249")},
    {"s", NULL, "s", "bands: 100", CELLS("-300", "-1", NULL, "7"), CELLS("-300", "-1", "-", "-")},
    {"S", NULL, "S", "bands: 5", CELLS("65530", "65534", NULL, NULL), CELLS("65530", "65534", "-", "-")},
    {"i", NULL, "i", "bands: [0, 18, 65]", CELLS("-7", "17", "65", "18"), CELLS("-", "17", "18", "-")},
    {"I", NULL, "I", "bands: [0, 18, 65]", CELLS("0", "1", "20", "64"), CELLS("0", "17", "18", "64")},
    {"l", NULL, "l", "bands: 1000000000000", CELLS("-1", "1", "5", "6"),
     CELLS("-1000000000000", "999999999999", "0", "999999999999")},
    {"L", NULL, "L", "top: 10, bottom: 3", CELLS("3", "11", "4", "9"), CELLS("-", "-", "4", "9")},
    {"f", NULL, "f", "bands: 0.1", CELLS("0.1", "0.2", "-0.05", "nan"),
     CELLS("0.10000000149011612", "0.30000001192092896", "-", "-")},
    {"f", NULL, "f", "bands: 0.1", CELLS("0.1", "0.15", "100000.1", "100000.1"),
     CELLS("0.10000000149011612", "0.20000000298023224", "100000.1015625", "100000.203125")},
    {"g", NULL, "g", "bands: 0.5, bottom: 0", CELLS("-3", "0", "0.25", "0.75"), CELLS("-", "0", "0", "1")},
    {"g", NULL, "g", "top: 1e3", CELLS("0.25", "0.3000000004", "1e3", "1e6"), CELLS("0.25", "0.3000000004", "1000", "-")},
    {"d:9,2", NULL, "d:9,2", "bands: 0.5", CELLS("150", "199", "-1", "0"), CELLS("1.50", "2.00", "-0.50", "0.50")},
    {"d:9,2", NULL, "d:9,2", "bands: 0.5, top: 7.25", CELLS("725", "99999", "700", "724"),
     CELLS("7.25", "-", "7.00", "7.25")},
    {"d:38,0", NULL, "d:38,0", "bands: 10", CELLS("15", "19", "-1", "0"), CELLS("10", "19", "-10", "9")},
    {"tdD", NULL, "tdD", "bands: month", CELLS("0", "30", "-1", "0"),
     CELLS("1970-01-01", "1970-01-31", "1969-12-01", "1970-01-31")},
    {"tdm", NULL, "tdm", "bands: year, top: 1971-01-01", CELLS("86400000", "0", "86400000000", "86400000000"),
     CELLS("1970-01-01", "1970-12-31", "1971-01-01", "-")},
    {"S", "l", "l", "bands: 5", CELLS("-5", "6", NULL, NULL), CELLS("-5", "9", "-", "-")},
    {"i", "g", "g", "bands: 2.5", CELLS("0.5", "1.5", "2.5", "2.5"), CELLS("0", "2.5", "2.5", "5")},
    {"u", NULL, "l", "bands: 5", CELLS("7", "11", NULL, "3"), CELLS("5", "14", "-", "-")},
    {"vu", NULL, "g", "bands: 2.5, type: decimal", CELLS("7.5", "11", "3", "3.25"), CELLS("7.5", "12.5", "2.5", "5")},
    {"u", NULL, "tdD", "bands: decade", CELLS("1999-12-31", "1990-01-01", "2020-02-29", "2020-03-01"),
     CELLS("1990-01-01", "1999-12-31", "2020-01-01", "2029-12-31")},
};

static kanon_table *import_banded(const band_case *b, const arrow_layout *layout, arrow_counts *counts)
{
    char yaml[160];
    arrow_field field = {"x", b->format, b->entry_format, b->cells};
    snprintf(yaml, sizeof yaml, "attributes: {x: {role: quasi, %s}}\n", b->rule);
    return import(yaml, &(arrow_table){1, &field, 4}, layout, counts);
}

/* The CSV release shows the same ends; an open one is empty, and a suppressed cell "*". */
static void assert_csv_ends(const kanon_table *table, const kanon_grouping *grouping, const band_case *b)
{
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("release.csv");
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(path.text), .numeric = KANON_NUMERIC_COLUMNS};
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    char *text = read_text(path.text), *at = strchr(text, '\n') + 1;
    for (int row = 0; row < 4; row++)
        for (int c = 0; c < 2; c++) {
            const char *end = b->ends[row / 2 * 2 + c], *other = b->ends[row / 2 * 2 + 1 - c];
            size_t length = strcspn(at, ",\n");
            char cell[64];
            snprintf(cell, sizeof cell, "%.*s", (int)length, at);
            at += length + 1;
            bool good = strcmp(end, "-") != 0                    ? strcmp(cell, end) == 0
                        : strcmp(other, "-") != 0 || length == 0 ? length == 0
                                                                 : strcmp(cell, "*") == 0; /* any value, or none at all */
            bool number = strcmp(end, "-") != 0 && strchr(end + 1, '-') == NULL;
            if (!good && !(number && (float)strtod(cell, NULL) == (float)strtod(end, NULL)))
                fail_msg("%s, %s: %s instead of %s", b->format, b->rule, cell, end);
        }
    free(text);
}

static void bands_keep_the_type(void **state)
{
    static const arrow_layout layouts[] = {{0}, {.batch_rows = 1, .array_offset = 3}, {.odd_dictionary = true}};
    (void)state;
    for (size_t i = 0; i < N_OF(band_cases) * N_OF(layouts); i++) {
        const band_case *b = &band_cases[i / N_OF(layouts)];
        arrow_counts counts = {0};
        struct ArrowArrayStream stream;
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = import_banded(b, &layouts[i % N_OF(layouts)], &counts);
        kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2));
        assert_csv_ends(table, grouping, b);
        for (int form = 1; form >= 0; form--) {
            kanon_status st = release(&stream, table, grouping, form == 0 ? KANON_NUMERIC_COLUMNS : KANON_NUMERIC_INTERVAL,
                                      i % 2 == 1, 1, &err);
            if (st != KANON_OK)
                fail_msg("%s, %s: %s", b->format, b->rule, err.message);
            if (form == 1 || i % 2 == 1) {
                stream.release(&stream);
                continue;
            }
            arrow_taken taken = arrow_take(&stream);
            for (int c = 0; c < 2; c++) {
                assert_string_equal(taken.schema.children[c]->format, b->released);
                for (int64_t row = 0; row < 4; row++) {
                    char *cell = arrow_taken_cell(&taken, row, c);
                    const char *end = b->ends[row / 2 * 2 + c];
                    if (strcmp(cell != NULL ? cell : "-", end) != 0 &&
                        (cell == NULL || (float)strtod(cell, NULL) != (float)strtod(end, NULL)))
                        fail_msg("%s, %s: %s instead of %s", b->format, b->rule, cell != NULL ? cell : "-", end);
                    free(cell);
                }
            }
            arrow_taken_clear(&taken);
        }
        kanon_grouping_free(grouping);
        kanon_table_free(table);
        assert_int_equal(counts.released_arrays, counts.arrays);
    }
}

/* What the type of a column does not hold, and means. As text it can be shown. */
static void ends_that_do_not_fit(void **state)
{
    const band_case cases[] = {
        {"c", NULL, NULL, "bands: 5", CELLS("126", "125", "1", "2"), NULL},              /* 129 */
        {"C", NULL, NULL, "bands: [-10, 300]", CELLS("0", "1", "2", "3"), NULL},         /* -10 and 299 */
        {"d:9,2", NULL, NULL, "bands: 0.125", CELLS("0", "1", "2", "3"), NULL},          /* three digits after the point */
        {"d:3,2", NULL, NULL, "bands: 0.5", CELLS("999", "998", "2", "3"), NULL},        /* 10.00 has four digits */
        {"f", NULL, NULL, "bands: 0.01", CELLS("1000000", "1000000", "2", "3.5"), NULL}, /* 1000000.01 is no float */
        {"l", NULL, NULL, "bands: 0.5, type: decimal", CELLS("0", "1", "2", "3"), NULL},
    };
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        arrow_counts counts = {0};
        struct ArrowArrayStream stream;
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = import_banded(&cases[i], &(arrow_layout){0}, &counts);
        kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2));
        assert_int_equal(release(&stream, table, grouping, KANON_NUMERIC_COLUMNS, false, 1, &err), KANON_EINVAL);
        assert_holds(err.message, "x: the ends of its bands do not fit");
        assert_int_equal(release(&stream, table, grouping, KANON_NUMERIC_MEAN, false, 1, &err), KANON_EINVAL);
        assert_holds(err.message, "a mean would show more");
        assert_done(release(&stream, table, grouping, KANON_NUMERIC_INTERVAL, false, 1, &err), &err);
        stream.release(&stream);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

/* ---- damage -------------------------------------------------------------------------------------------------------- */

/* Bits of a byte of every record of group 1, which are the first two; or the validity of a record. */
typedef struct band_damage {
    const char *name;
    int child, buffer;
    size_t byte, stride;
    unsigned char flip;
    int64_t fewer_nulls;
    int numeric;
} band_damage;

static void spoil(struct ArrowSchema *schema, kanon__arrow_batches *batches, void *payload)
{
    const band_damage *d = payload;
    struct ArrowArray *array = batches->batches[0].children[d->child];
    (void)schema;
    array->null_count -= d->fewer_nulls;
    for (size_t i = 0; i < (d->stride > 0 ? 2 : 1); i++)
        ((unsigned char *)(uintptr_t)array->buffers[d->buffer])[d->byte + i * d->stride] ^= d->flip;
}

/* a: 20 to 24 and from 90 on; b: 0 to 0.5 (not included), 1 to 3; c: January 1970, all of it. Group 3 is suppressed. */
static const char banded_yaml[] = "privacy: {suppressed: keep}\nattributes:\n  a: {role: quasi, bands: 5, top: 90}\n"
                                  "  b: {role: quasi, bands: 0.5, type: decimal}\n  c: {role: quasi, bands: month}\n";
static const char banded_csv[] = "a,b,c\n20,0.25,1970-01-05\n24,0.49,1970-01-31\n90,1,1970-01-01\n99,2.5,1970-01-02\n"
                                 "1,1,1970-01-01\n";
static const int64_t banded_groups[] = {1, 1, 2, 2, 0};

static void damaged_ends_are_refused(void **state)
{
    static const band_damage damages[] = {
        {.name = "16 is no lower end", .child = 0, .buffer = 1, .stride = 8, .flip = 4},
        {.name = "22 is no lower end", .child = 0, .buffer = 1, .stride = 8, .flip = 2},
        {.name = "25 to 24", .child = 0, .buffer = 1, .stride = 8, .flip = 13},
        {.name = "30 to 24", .child = 0, .buffer = 1, .stride = 8, .flip = 10},
        {.name = "up to 16", .child = 1, .buffer = 1, .stride = 8, .flip = 8},
        {.name = "up to 26", .child = 1, .buffer = 1, .stride = 8, .flip = 2},
        {.name = "up to 19", .child = 1, .buffer = 1, .stride = 8, .flip = 11},
        {.name = "up to 24 in one record, 29 in the other", .child = 1, .buffer = 1, .flip = 5},
        {.name = "open above though 89 is there", .child = 1, .buffer = 0, .flip = 3, .fewer_nulls = -2},
        {.name = "85 and above", .child = 0, .buffer = 1, .byte = 16, .stride = 8, .flip = 0x5a ^ 0x5f},
        {.name = "95 and above", .child = 0, .buffer = 1, .byte = 16, .stride = 8, .flip = 0x5a ^ 0x5b},
        {.name = "a suppressed record shows", .child = 0, .buffer = 0, .flip = 16, .fewer_nulls = 1},
        {.name = "up to 0.25", .child = 3, .buffer = 1, .byte = 6, .stride = 8, .flip = 0x30},
        {.name = "from 2 instead of 0", .child = 2, .buffer = 1, .byte = 7, .stride = 8, .flip = 0x40},
        {.name = "up to 30 January", .child = 5, .buffer = 1, .stride = 4, .flip = 3},
        {.name = "from 2 January", .child = 4, .buffer = 1, .stride = 4, .flip = 1},
        {.name = "[21..24]", .child = 0, .buffer = 2, .byte = 2, .stride = 8, .flip = 1, .numeric = 1},
        {.name = "[20..25]", .child = 0, .buffer = 2, .byte = 6, .stride = 8, .flip = 1, .numeric = 1},
        {.name = "[0..0.5]", .child = 1, .buffer = 2, .byte = 7, .stride = 8, .flip = ')' ^ ']', .numeric = 1},
    };
    (void)state;
    kanon_table *table = table_of(banded_yaml, banded_csv);
    kanon_grouping *grouping = grouping_of(table, banded_groups);
    for (size_t i = 0; i < N_OF(damages); i++) {
        kanon_error err = KANON_INIT(kanon_error);
        struct ArrowArrayStream stream = {0};
        band_damage d = damages[i];
        kanon_outputs options = {.struct_size = sizeof options,
                                 .numeric = d.numeric ? KANON_NUMERIC_INTERVAL : KANON_NUMERIC_COLUMNS,
                                 .threads = 1};
        kanon_status st = kanon__arrow_export(&stream, table, grouping, &options, &err, spoil, &d);
        if (st != KANON_EINTERNAL || stream.release != NULL)
            fail_msg("%s: %s", d.name, kanon_enum_text(KANON_ENUM_STATUS, st));
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* The band of a code, as text, is widened or moved: what is released covers it no longer, or the input does not lie in
 * it. */
static void wrong_codes_are_refused(void **state)
{
    (void)state;
    for (int source = 0; source < 2; source++) {
        const arrow_field field = {"x", "i", NULL, CELLS("1", "2", "11", "12")};
        arrow_counts counts = {0};
        kanon_table *table = source == 0 ? table_of("attributes: {x: {role: quasi, bands: 5}}\n", "x\n1\n2\n11\n12\n")
                                         : import("attributes: {x: {role: quasi, bands: 5}}\n", &(arrow_table){1, &field, 4},
                                                  &(arrow_layout){0}, &counts);
        kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2));
        struct ArrowArrayStream stream;
        kanon_error err = KANON_INIT(kanon_error);
        kanon__codes codes = table->data.columns[0].codes;
        assert_int_equal(kanon__code_at(codes, 0), 0);
        kanon__code_set(codes, 0, 1); /* the first record is in the band [10..14], says its code */
        for (int numeric = 0; numeric < 2; numeric++)
            assert_int_equal(
                release(&stream, table, grouping, numeric ? KANON_NUMERIC_INTERVAL : KANON_NUMERIC_COLUMNS, false, 1, &err),
                KANON_EINTERNAL);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

/* ---- checks of a release --------------------------------------------------------------------------------------------- */

static double loss_of(const kanon_measures *measures)
{
    const kanon_figure *figure = kanon_measures_find(measures, "information_loss", NULL);
    assert_non_null(figure);
    return figure->value;
}

/* Groups, suppressed records and the loss are found again in the released stream. */
static void released_bands_can_be_checked(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    place path = scratch("b.yaml");
    write_text(path.text, banded_yaml);
    assert_done(kanon_schema_read(&schema, KANON_PATH(path.text), NULL, &err), &err);
    kanon_table *table = table_of(banded_yaml, banded_csv);
    kanon_grouping *grouping = grouping_of(table, banded_groups);
    kanon_measures *own = NULL;
    assert_done(kanon_evaluate(&own, table, grouping, NULL, &err), &err);
    for (int form = 0; form < 2; form++) {
        struct ArrowArrayStream stream;
        kanon_check *check = NULL;
        kanon_measures *measures = NULL;
        assert_done(
            release(&stream, table, grouping, form == 0 ? KANON_NUMERIC_COLUMNS : KANON_NUMERIC_INTERVAL, false, 1, &err),
            &err);
        assert_done(kanon_check_read(&check, KANON_STREAM(&stream), schema, NULL, &err), &err);
        assert_int_equal(check->classes, 3); /* the record of stars is one, too */
        assert_int_equal(check->suppressed, 1);
        assert_int_equal(check->records, 5);
        kanon_check_free(check);
        assert_done(
            release(&stream, table, grouping, form == 0 ? KANON_NUMERIC_COLUMNS : KANON_NUMERIC_INTERVAL, false, 1, &err),
            &err);
        assert_done(kanon_evaluate_release(&measures, table, KANON_STREAM(&stream), schema, NULL, &err), &err);
        assert_true(fabs(loss_of(measures) - loss_of(own)) < 1e-9);
        kanon_measures_free(measures);
    }
    kanon_measures_free(own);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* ---- memory -------------------------------------------------------------------------------------------------------- */

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int source = 0; source < 3; source++) {
        arrow_counts counts = {0};
        kanon_table *table = source == 0 ? table_of(banded_yaml, banded_csv)
                                         : import_banded(&band_cases[source == 1 ? 0 : 12], &(arrow_layout){0}, &counts);
        kanon_grouping *grouping = grouping_of(table, source == 0 ? banded_groups : GROUPS(1, 1, 2, 2));
        bool done = false;
        for (int64_t n = 1; !done; n++) {
            kanon_error err = KANON_INIT(kanon_error);
            struct ArrowArrayStream stream;
            int64_t before = kanon__alloc_in_use();
            kanon__alloc_fail_at(n, false);
            kanon_status st = release(&stream, table, grouping, source == 1 ? KANON_NUMERIC_INTERVAL : KANON_NUMERIC_COLUMNS,
                                      false, 1, &err);
            kanon__alloc_fail_at(0, false);
            assert_true(st == KANON_OK || st == KANON_ENOMEM);
            done = st == KANON_OK;
            if (done)
                stream.release(&stream);
            assert_int_equal(kanon__alloc_in_use(), before);
        }
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bands_keep_the_type),           cmocka_unit_test(ends_that_do_not_fit),
        cmocka_unit_test(damaged_ends_are_refused),      cmocka_unit_test(wrong_codes_are_refused),
        cmocka_unit_test(released_bands_can_be_checked), cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
