/* The check of Arrow releases, where others of its tests do not look: wide decimals, slices of texts, codes of bands that
 * the input does not have, and every bit of the ends of bands. */
#include "arrow_consumer.h"
#include "unit/arrow_release_cases.h"
#include "pipeline/arrow_export.h"
#include "release/sink/arrow_release.h"
#include "table/read/table.h"
#include "to_stream.h"

#include <math.h>

/* ---- damage -------------------------------------------------------------------------------------------------------- */

/* Flips bits of a byte in `records` records, `stride` bytes apart. */
typedef struct flip {
    int child, buffer;
    size_t byte, stride;
    int64_t records;
    unsigned char bits;
} flip;

static void flip_bytes(struct ArrowSchema *schema, kanon__arrow_batches *batches, void *payload)
{
    const flip *f = payload;
    unsigned char *bytes = (unsigned char *)(uintptr_t)batches->batches[0].children[f->child]->buffers[f->buffer];
    (void)schema;
    for (int64_t i = 0; i < f->records; i++)
        bytes[f->byte + (size_t)i * f->stride] ^= f->bits;
}

static void assert_refused(const kanon_table *table, const kanon_grouping *grouping, flip f)
{
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream = {0};
    kanon_outputs options = {.struct_size = sizeof options, .numeric = KANON_NUMERIC_COLUMNS, .threads = 1};
    kanon_status st = kanon__arrow_export(&stream, table, grouping, &options, &err, flip_bytes, &f);
    if (st != KANON_EINTERNAL || stream.release != NULL)
        fail_msg("column %d, buffer %d, byte %d, %d records: %s", f.child, f.buffer, (int)f.byte, (int)f.records,
                 kanon_enum_text(KANON_ENUM_STATUS, st));
}

/* A damaged interval that is wider and ends where bands do is not wrong. */
static void assert_refused_or_wider(const kanon_table *table, const kanon_grouping *grouping, flip f, double step,
                                    const char *const *cells)
{
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream = {0};
    kanon_outputs options = {.struct_size = sizeof options, .numeric = KANON_NUMERIC_COLUMNS, .threads = 1};
    kanon_status st = kanon__arrow_export(&stream, table, grouping, &options, &err, flip_bytes, &f);
    if (st == KANON_EINTERNAL)
        return;
    assert_done(st, &err);
    arrow_taken taken = arrow_take(&stream);
    int64_t row = (int64_t)(f.byte / f.stride) / 2 * 2;
    char *low = arrow_taken_cell(&taken, row, 0), *high = arrow_taken_cell(&taken, row, 1);
    double ends[] = {strtod(low, NULL), strtod(high, NULL)};
    if (step <= 0 || f.records < 2)
        fail_msg("%s: byte %d, %d records: [%s..%s] is not refused", taken.schema.children[f.child]->format, (int)f.byte,
                 (int)f.records, low, high);
    for (int64_t i = row; i < row + 2; i++)
        if (!(ends[0] <= strtod(cells[i], NULL) && strtod(cells[i], NULL) <= ends[1] && fmod(ends[0], step) == 0))
            fail_msg("column %d, byte %d: [%s..%s] step %g", f.child, (int)f.byte, low, high, step);
    free(high);
    free(low);
    arrow_taken_clear(&taken);
}

static kanon_status export_plainly(const kanon_table *table, const kanon_grouping *grouping, kanon_numeric numeric,
                                   kanon_error *err)
{
    struct ArrowArrayStream stream = {0};
    kanon_outputs options = {.struct_size = sizeof options, .numeric = numeric, .threads = 1};
    kanon_status st = release_to_stream(&stream, table, grouping, &options, err);
    if (st == KANON_OK)
        stream.release(&stream);
    return st;
}

/* ---- wide decimals -------------------------------------------------------------------------------------------------- */

/* The end of a group moves inwards, past its records: a bit that is not set in a minimum, or set in a maximum. */
static bool narrows(const char *end, bool is_maximum, size_t byte, unsigned char bits)
{
    __int128 value = 0, moved;
    bool negative = *end == '-';
    for (end += negative; *end != '\0'; end++)
        value = 10 * value + (*end - '0');
    moved = value = negative ? -value : value;
    ((unsigned char *)&moved)[byte] ^= bits; /* as Arrow on these machines: the lowest byte first */
    return is_maximum ? moved < value - 2 : moved > value + 2;
}

/* Numbers of more than 64 bits, three of which are one double: an interval that ends at one of them ends at the outermost.
 * Each bit counts: in one record alone always, in all records of a group where it moves the end inwards. */
static void wide_decimals(void **state)
{
    const arrow_field field = {"d", "d:38,0", NULL,
                               CELLS("12345678901234567890122", "12345678901234567890123", "12345678901234567890121",
                                     "-99999999999999999999999", "-99999999999999999999999", "7")};
    arrow_counts counts = {0};
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    (void)state;
    kanon_table *table = import("attributes: {d: {role: quasi}}\n", &(arrow_table){1, &field, 6}, &(arrow_layout){0},
                                &counts);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2, 3, 3));
    assert_done(release(&stream, table, grouping, KANON_NUMERIC_COLUMNS, false, 1, &err), &err);
    arrow_taken taken = arrow_take(&stream);
    static const char *const ends[][2] = {{"12345678901234567890121", "12345678901234567890123"},
                                          {"-99999999999999999999999", "12345678901234567890123"},
                                          {"-99999999999999999999999", "7"}};
    for (int64_t row = 0; row < 6; row++)
        for (int c = 0; c < 2; c++) {
            char *cell = arrow_taken_cell(&taken, row, c);
            assert_string_equal(cell, ends[row / 2][c]);
            free(cell);
        }
    arrow_taken_clear(&taken);
    for (int child = 0; child < 2; child++)
        for (size_t byte = 0; byte < 16; byte++) {
            assert_refused(table, grouping, (flip){child, 1, byte, 16, 1, 0x10});
            for (size_t group = 0; group < 3; group++)
                if (narrows(ends[group][child], child == 1, byte, 0x10))
                    assert_refused(table, grouping, (flip){child, 1, 32 * group + byte, 16, 2, 0x10});
        }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    assert_int_equal(counts.released_arrays, counts.arrays);
}

/* ---- slices --------------------------------------------------------------------------------------------------------- */

/* Texts of a slice are copied, and compared batch by batch: whichever byte of the copy is another one, it is seen. */
static void slices_of_texts(void **state)
{
    static const arrow_layout layouts[] = {{.array_offset = 3}, {.array_offset = 1, .batch_rows = 3, .rows_behind = 2}};
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "2", "3", "4", "5", "6")},
                                  {"u", "u", NULL, CELLS("one", "two", "three", "", "five", "six")},
                                  {"w", "U", NULL, CELLS("a", "b", "c", "d", "e", "f")},
                                  {"n", "u", NULL, CELLS("x", NULL, "y", "z", "", "x")}};
    (void)state;
    for (size_t i = 0; i < N_OF(layouts); i++) {
        arrow_counts counts = {0};
        kanon_error err = KANON_INIT(kanon_error);
        kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n",
                                    &(arrow_table){4, fields, 6}, &layouts[i], &counts);
        kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1, 2, 2, 2));
        assert_done(export_plainly(table, grouping, KANON_NUMERIC_COLUMNS, &err), &err);
        for (size_t byte = 0; byte < 11; byte++) /* onetwothree */
            assert_refused(table, grouping, (flip){2, 2, byte, 0, 1, 1});
        for (size_t byte = 0; byte < 3; byte++)
            assert_refused(table, grouping, (flip){3, 2, byte, 0, 1, 1});
        assert_refused(table, grouping, (flip){4, 2, 0, 0, 1, 1});
        assert_refused(table, grouping, (flip){2, 1, 4, 0, 1, 1}); /* on|etwo|three */
        kanon_grouping_free(grouping);
        kanon_table_free(table);
        assert_int_equal(counts.released_arrays, counts.arrays);
    }
}

/* ---- structs -------------------------------------------------------------------------------------------------------- */

/* Another type of a column, or another length of its array. */
typedef struct other_struct {
    int child;
    const char *format;
    int64_t longer;
} other_struct;

static void change_struct(struct ArrowSchema *schema, kanon__arrow_batches *batches, void *payload)
{
    const other_struct *o = payload;
    if (o->format != NULL)
        schema->children[o->child]->format = o->format;
    batches->batches[0].children[o->child]->length += o->longer;
}

/* All values are 0, so that they are the same in every type: only the type tells. */
static void other_types_and_lengths(void **state)
{
    static const other_struct others[] = {{2, "i", 0},  {2, "L", 0},  {3, "C", 0},  {3, "s", 0},  {0, "i", 0},  {0, "L", 0},
                                          {0, NULL, 1}, {1, NULL, 1}, {2, NULL, 1}, {3, NULL, 1}, {2, NULL, -1}};
    const arrow_field fields[] = {{"q", "l", NULL, CELLS("0", "0", "0", "0")},
                                  {"z", "l", NULL, CELLS("0", "0", "0", "0")},
                                  {"d", "c", "u", CELLS("x", "x", "x", "x")}};
    arrow_counts counts = {0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n", &(arrow_table){3, fields, 4},
                                &(arrow_layout){0}, &counts);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1, 1));
    assert_done(export_plainly(table, grouping, KANON_NUMERIC_COLUMNS, &err), &err);
    for (size_t i = 0; i < N_OF(others); i++) {
        struct ArrowArrayStream stream = {0};
        other_struct o = others[i];
        kanon_outputs options = {.struct_size = sizeof options, .numeric = KANON_NUMERIC_COLUMNS, .threads = 1};
        if (kanon__arrow_export(&stream, table, grouping, &options, &err, change_struct, &o) != KANON_EINTERNAL)
            fail_msg("column %d, %s, %d: not refused", o.child, o.format != NULL ? o.format : "", (int)o.longer);
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- releases of others ---------------------------------------------------------------------------------------------- */

/* A null of a sensitive column is the value that texts for "missing" are, too; where no text means that, it is one more. */
static void nulls_count_as_missing_values(void **state)
{
    static const struct {
        const char *yaml;
        int64_t least; /* different values in the class that has fewest */
    } cases[] = {{"missing: ['?', NA]\nattributes: {q: {role: quasi}, s: {role: sensitive}}\n", 1},
                 {"empty: value\nattributes: {q: {role: quasi}, s: {role: sensitive}}\n", 3}};
    const arrow_field fields[] = {{"q", "u", NULL, CELLS("a", "a", "a")}, {"s", "u", NULL, CELLS(NULL, "?", "NA")}};
    (void)state;
    for (size_t i = 0; i < N_OF(cases); i++) {
        arrow_counts counts = {0};
        kanon_error err = KANON_INIT(kanon_error);
        kanon_schema *schema = NULL;
        kanon_check *check = NULL;
        struct ArrowArrayStream stream;
        write_text(scratch("s.yaml").text, cases[i].yaml);
        assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
        arrow_produce(&stream, &(arrow_table){2, fields, 3}, &(arrow_layout){0}, &counts);
        assert_done(kanon_check_read(&check, KANON_STREAM(&stream), schema, NULL, &err), &err);
        bool found = false;
        for (size_t j = 0; j < check->n_figures; j++)
            if (strcmp(check->figures[j]->figure, "distinct_l") == 0) {
                assert_true(check->figures[j]->value == (double)cases[i].least);
                found = true;
            }
        assert_true(found);
        kanon_check_free(check);
        kanon_schema_free(schema);
    }
}

/* ---- bands ---------------------------------------------------------------------------------------------------------- */

/* Four numbers, of which the first two and the last two are in different bands. No real end is 0, since -0 is the same. */
typedef struct band_case {
    const char *format, *entry_format, *rule;
    const char *const *cells;
    double step;  /* of bands of equal width whose cells are the numbers themselves; 0: others */
    size_t width; /* of a released end; 0: it does not fit the type, and is released as text */
} band_case;

static const band_case band_cases[] = {
    {"c", NULL, "bands: 5", CELLS("20", "24", "41", "43"), 5, 1},
    {"s", NULL, "bands: 100", CELLS("-300", "-201", "5", "7"), 100, 2},
    {"i", NULL, "bands: [0, 18, 65]", CELLS("1", "17", "18", "64"), 0, 4},
    {"l", NULL, "bands: 10", CELLS("-1", "-9", "5", "6"), 10, 8},
    {"f", NULL, "bands: 0.5", CELLS("0.75", "0.625", "1.5", "1.75"), 0.5, 4},
    {"g", NULL, "bands: 0.5", CELLS("-0.75", "-0.8", "0.5", "0.75"), 0.5, 8},
    {"d:9,2", NULL, "bands: 0.5", CELLS("150", "199", "-1", "-50"), 0, 16},
    {"d:38,0", NULL, "bands: 10", CELLS("10", "19", "-1", "-10"), 10, 16},
    {"d:9,-2", NULL, "bands: 1000", CELLS("10", "19", "-1", "-10"), 0, 0},
    {"tdD", NULL, "bands: month", CELLS("0", "30", "31", "40"), 0, 4},
    {"tdD", NULL, "bands: week", CELLS("2932896", "2932895", "0", "1"), 0, 0},     /* 9999-12-31 is a Friday */
    {"tdD", NULL, "bands: decade", CELLS("-719162", "-719161", "-3", "-2"), 0, 4}, /* 0001-01-01 */
    {"tdm", NULL, "bands: year", CELLS("86400000", "0", "-86400000", "-172800000"), 0, 8},
    {"i", "g", "bands: 2.5", CELLS("3", "4.5", "5.5", "6"), 2.5, 8},
    {"S", "l", "bands: 5", CELLS("-5", "-1", "5", "9"), 5, 8},
    {"u", NULL, "bands: 5", CELLS("5", "9", "10", "14"), 5, 8},
    {"l", NULL, "bottom: 0, top: 1000", CELLS("-999999999999999999", "0", "1000", "999999999999999999"), 0, 0},
    {"L", NULL, "top: 1000", CELLS("7", "7", "1000", "999999999999999999"), 0, 0},
};

static kanon_table *import_banded(const band_case *b, arrow_counts *counts)
{
    char yaml[160];
    arrow_field field = {"x", b->format, b->entry_format, b->cells};
    snprintf(yaml, sizeof yaml, "attributes: {x: {role: quasi, %s}}\n", b->rule);
    return import(yaml, &(arrow_table){1, &field, 4}, &(arrow_layout){0}, counts);
}

/* A record has the code of another band: the input tells. */
static void codes_of_other_bands_are_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(band_cases); i++) {
        arrow_counts counts = {0};
        kanon_error err = KANON_INIT(kanon_error);
        kanon_numeric numeric = band_cases[i].width > 0 ? KANON_NUMERIC_COLUMNS : KANON_NUMERIC_INTERVAL;
        kanon_table *table = import_banded(&band_cases[i], &counts);
        kanon_grouping *one = grouping_of(table, GROUPS(1, 1, 1, 1)), *two = grouping_of(table, GROUPS(1, 1, 2, 2));
        kanon__codes codes = table->data.columns[0].codes;
        assert_done(export_plainly(table, one, numeric, &err), &err);
        assert_done(export_plainly(table, two, numeric, &err), &err);
        for (int64_t row = 0; row < 4; row++) {
            uint32_t code = kanon__code_at(codes, row);
            kanon__code_set(codes, row, kanon__code_at(codes, (row + 2) % 4));
            if (export_plainly(table, one, numeric, &err) != KANON_EINTERNAL)
                fail_msg("%s, %s: record %d", band_cases[i].format, band_cases[i].rule, (int)row);
            kanon__code_set(codes, row, code);
        }
        kanon_grouping_free(two);
        kanon_grouping_free(one);
        kanon_table_free(table);
    }
}

/* Whichever bit of an end changes in all records of a group, or in one of them: it is seen, or the group is shown in a
 * wider interval of whole bands. */
static void ends_of_bands_are_compared_bit_by_bit(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(band_cases); i++) {
        const band_case *b = &band_cases[i];
        arrow_counts counts = {0};
        kanon_table *table = import_banded(b, &counts);
        kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2));
        for (int child = 0; child < 2; child++)
            for (size_t bit = 0; bit < 8 * b->width; bit++) {
                unsigned char bits = (unsigned char)(1 << bit % 8);
                for (size_t group = 0; group < 2; group++)
                    for (int64_t n = 1; n <= 2; n++)
                        assert_refused_or_wider(table, grouping,
                                                (flip){child, 1, 2 * group * b->width + bit / 8, b->width, n, bits}, b->step,
                                                b->cells);
            }
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(wide_decimals, no_leak),
        cmocka_unit_test_teardown(slices_of_texts, no_leak),
        cmocka_unit_test_teardown(other_types_and_lengths, no_leak),
        cmocka_unit_test_teardown(nulls_count_as_missing_values, no_leak),
        cmocka_unit_test_teardown(codes_of_other_bands_are_refused, no_leak),
        cmocka_unit_test_teardown(ends_of_bands_are_compared_bit_by_bit, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
