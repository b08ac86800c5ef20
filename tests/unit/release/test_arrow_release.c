/* Releases as Arrow streams: what every type becomes, who holds what, and that the check refuses every damaged buffer. */
#include "arrow_consumer.h"
#include "unit/arrow_release_cases.h"
#include "core/alloc.h"
#include "core/random.h"
#include "model/grouping.h"
#include "reference/random_table.h"
#include "core/arrow_block.h"
#include "support.h"
#include "table/read/arrow_source.h"
#include "table/text/csv.h"
#include "to_stream.h"

#include <errno.h>
#include <math.h>

/* ---- making releases ----------------------------------------------------------------------------------------------- */

static arrow_taken released(const kanon_table *table, const kanon_grouping *grouping, kanon_numeric numeric,
                            bool shuffle, int threads)
{
    struct ArrowArrayStream stream;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(release(&stream, table, grouping, numeric, shuffle, threads, &err), &err);
    return arrow_take(&stream);
}

static void assert_taken(arrow_taken taken, const char *expected)
{
    char *text = arrow_taken_print(&taken);
    assert_string_equal(text, expected);
    free(text);
    arrow_taken_clear(&taken);
}

static void assert_release(const kanon_table *table, const int64_t *group_of, kanon_numeric numeric,
                           const char *expected)
{
    kanon_grouping *grouping = grouping_of(table, group_of);
    assert_taken(released(table, grouping, numeric, false, 1), expected);
    kanon_grouping_free(grouping);
}

/* ---- a table of CSV, by hand --------------------------------------------------------------------------------------- */

static void columns_of_csv(void **state)
{
    (void)state;
    kanon_table *table = table_of(people_yaml, people_csv);
    assert_release(table, people_groups, KANON_NUMERIC_COLUMNS,
                   "age_min:l,age_max:l,temp_min:g,temp_max:g,day_min:tdD,day_max:tdD,job:i=u,ill:u,dose:l,note:u\n"
                   "20,24,-1.5,2,2020-02-28,2020-03-01,Work,flu,1,a\n"
                   "20,24,-1.5,2,2020-02-28,2020-03-01,Work,hiv,-2,b \"c\"\n"
                   "20,24,-1.5,2,2020-02-28,2020-03-01,Work,flu,-,\n"
                   "-7,-5,0.25,0.25,1969-12-31,1969-12-31,none,NA,3,x\n"
                   "-7,-5,0.25,0.25,1969-12-31,1969-12-31,none,?,4,y\n"
                   "-,-,-,-,2020-01-01,2020-01-01,cook,flu,5,z\n"
                   "-,-,-,-,2020-01-01,2020-01-01,cook,flu,6,z\n"
                   "-,-,4,4,-,-,?,flu,7,z\n"
                   "-,-,4,4,-,-,?,flu,8,z\n"
                   "50,50,1,1,2020-01-01,2020-01-01,-,hiv,9,z\n"
                   "50,50,1,1,2020-01-01,2020-01-01,-,hiv,9,z\n"
                   "-,-,-,-,-,-,-,hiv,9,z\n");
    kanon_table_free(table);
}

static void texts_of_csv(void **state)
{
    (void)state;
    kanon_table *table = table_of(people_yaml, people_csv);
    assert_release(table, people_groups, KANON_NUMERIC_INTERVAL,
                   "age:u,temp:u,day:u,job:i=u,ill:u,dose:l,note:u\n"
                   "[20..24],[-1.50..2],[2020-02-28..2020-03-01],Work,flu,1,a\n"
                   "[20..24],[-1.50..2],[2020-02-28..2020-03-01],Work,hiv,-2,b \"c\"\n"
                   "[20..24],[-1.50..2],[2020-02-28..2020-03-01],Work,flu,-,\n"
                   "[-7..-5],0.25,1969-12-31,none,NA,3,x\n"
                   "[-7..-5],0.25,1969-12-31,none,?,4,y\n"
                   "-,-,2020-01-01,cook,flu,5,z\n"
                   "-,-,2020-01-01,cook,flu,6,z\n"
                   "-,4,-,?,flu,7,z\n"
                   "-,4,-,?,flu,8,z\n"
                   "50,1,2020-01-01,-,hiv,9,z\n"
                   "50,1,2020-01-01,-,hiv,9,z\n"
                   "-,-,-,-,hiv,9,z\n");
    kanon_table_free(table);
}

/* 65/3 = 21.67; (-1.5 + 2 - 1.5)/3 = -0.3333; the day between 28 February and 1 March 2020 is the 29th; -12/2 = -6. The
 * doubles nearest to 21.67 and -0.3333 have these 17 digits. */
static void means_of_csv(void **state)
{
    (void)state;
    kanon_table *table = table_of(people_yaml, people_csv);
    assert_release(table, people_groups, KANON_NUMERIC_MEAN,
                   "age:g,temp:g,day:tdD,job:i=u,ill:u,dose:l,note:u\n"
                   "21.670000000000002,-0.33329999999999999,2020-02-29,Work,flu,1,a\n"
                   "21.670000000000002,-0.33329999999999999,2020-02-29,Work,hiv,-2,b \"c\"\n"
                   "21.670000000000002,-0.33329999999999999,2020-02-29,Work,flu,-,\n"
                   "-6,0.25,1969-12-31,none,NA,3,x\n"
                   "-6,0.25,1969-12-31,none,?,4,y\n"
                   "-,-,2020-01-01,cook,flu,5,z\n"
                   "-,-,2020-01-01,cook,flu,6,z\n"
                   "-,4,-,?,flu,7,z\n"
                   "-,4,-,?,flu,8,z\n"
                   "50,1,2020-01-01,-,hiv,9,z\n"
                   "50,1,2020-01-01,-,hiv,9,z\n"
                   "-,-,-,-,hiv,9,z\n");
    kanon_table_free(table);
}

/* Times are timestamps without a zone, instants are in UTC; means are in whole seconds. */
static void times_of_csv(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes: {t: {role: quasi}, z: {role: quasi}}\n",
                                  "t,z\n2020-01-01T10:00:00,2020-01-01T10:00:00.5Z\n"
                                  "2020-01-01 10:00:03,2020-01-01T12:00:01+02:00\n");
    assert_release(table, GROUPS(1, 1), KANON_NUMERIC_COLUMNS,
                   "t_min:tsu:,t_max:tsu:,z_min:tsu:UTC,z_max:tsu:UTC\n"
                   "1577872800000000,1577872803000000,1577872800500000,1577872801000000\n"
                   "1577872800000000,1577872803000000,1577872800500000,1577872801000000\n");
    assert_release(table, GROUPS(1, 1), KANON_NUMERIC_MEAN,
                   "t:tss:,z:tss:UTC\n1577872802,1577872800\n1577872802,1577872800\n");
    kanon_table_free(table);
}

/* The root has a name of its own, so it is shown. The range of the integers is too large for their differences, and three of
 * them are one double: an interval that ends there ends at the outermost. */
static void roots_and_large_integers(void **state)
{
    (void)state;
    kanon_table *table = table_of("default-role: insensitive\nattributes:\n  n: {role: quasi, type: integer}\n"
                                  "  c: {role: quasi, taxonomy: {Any: {a: , b: }}}\n",
                                  "n,c\n9223372036854775806,a\n-9223372036854775807,b\n9223372036854775807,a\n"
                                  "9223372036854775805,a\n");
    assert_release(table, GROUPS(1, 1, 2, 2), KANON_NUMERIC_COLUMNS,
                   "n_min:l,n_max:l,c:i=u\n"
                   "-9223372036854775807,9223372036854775807,Any\n-9223372036854775807,9223372036854775807,Any\n"
                   "9223372036854775805,9223372036854775807,a\n9223372036854775805,9223372036854775807,a\n");
    kanon_table_free(table);
}

/* ---- tables from Arrow ---------------------------------------------------------------------------------------------- */

/* All shapes that a table can come in. */
static const arrow_layout layouts[] = {
    {0},
    {.batch_rows = 1},
    {.batch_rows = 2, .unknown_nulls = true, .always_validity = true},
    {.array_offset = 3, .rows_behind = 2},
    {.batch_offset = 5, .batch_rows = 3, .batch_validity = true},
    {.array_offset = 8, .batch_offset = 2, .always_validity = true, .rows_behind = 1},
    {.empty_batches = true, .batch_rows = 2, .odd_dictionary = true, .unknown_nulls = true},
    {.odd_dictionary = true, .array_offset = 1},
};

/* A quasi column of each type: two groups of two, and what NAME_min and NAME_max show of them; "-": null. */
typedef struct number_case {
    const char *format, *entry_format, *released;
    const char *const *cells, *const *ends;
} number_case;

static const number_case number_cases[] = {
    {"c", NULL, "c", CELLS("-128", "127", NULL, "5"), CELLS("-128", "127", "-", "-")},
    {"C", NULL, "C", CELLS("255", "0", "7", "8"), CELLS("0", "255", "7", "8")},
    {"s", NULL, "s", CELLS("-300", "300", NULL, NULL), CELLS("-300", "300", "-", "-")},
    {"S", NULL, "S", CELLS("65535", "1", "2", "2"), CELLS("1", "65535", "2", "2")},
    {"i", NULL, "i", CELLS("7", "-7", "1", "2"), CELLS("-7", "7", "1", "2")},
    {"I", NULL, "I", CELLS("4294967295", "7", "8", "8"), CELLS("7", "4294967295", "8", "8")},
    {"l", NULL, "l", CELLS("-9223372036854775808", "9223372036854775807", "9223372036854775806", "9223372036854775805"),
     CELLS("-9223372036854775808", "9223372036854775807", "9223372036854775805", "9223372036854775807")},
    {"L", NULL, "L", CELLS("18446744073709551615", "3", "18446744073709551614", "18446744073709551613"),
     CELLS("3", "18446744073709551615", "18446744073709551613", "18446744073709551615")},
    {"f", NULL, "f", CELLS("0.5", "-1.5", "nan", "2"), CELLS("-1.5", "0.5", "-", "-")},
    {"g", NULL, "g", CELLS("0.5", "-1.5", "1e300", "1e300"),
     CELLS("-1.5", "0.5", "1.0000000000000001e+300", "1.0000000000000001e+300")},
    {"g", NULL, "g", CELLS("3", "4", "nan", "nan"), CELLS("3", "4", "-", "-")},
    {"d:9,2", NULL, "d:9,2", CELLS("150", "-5", "0", NULL), CELLS("-0.05", "1.50", "-", "-")},
    {"d:38,0", NULL, "d:38,0", CELLS("99999999999999999999999999999999999999", "-1", "7", "7"),
     CELLS("-1", "99999999999999999999999999999999999999", "7", "7")},
    {"tdD", NULL, "tdD", CELLS("0", "-1", "19753", "19753"), CELLS("1969-12-31", "1970-01-01", "2024-01-31", "2024-01-31")},
    {"tdm", NULL, "tdm", CELLS("86400000", "0", NULL, "0"), CELLS("1970-01-01", "1970-01-02", "-", "-")},
    {"tss:", NULL, "tss:", CELLS("86400", "-1", NULL, "0"), CELLS("-1", "86400", "-", "-")},
    {"tsu:UTC", NULL, "tsu:UTC", CELLS("1000001", "0", "7", "7"), CELLS("0", "1000001", "7", "7")},
    {"u", NULL, "tsu:", CELLS("1970-01-01 00:00:01.5", "1970-01-01T00:00", NULL, "1970-01-02"),
     CELLS("0", "1500000", "-", "-")},
    {"u", NULL, "tdD", CELLS("31.12.1969", "01.01.1970", NULL, "13.01.1970"), CELLS("1969-12-31", "1970-01-01", "-", "-")},
    {"u", NULL, "g", CELLS("1.234,5", "7,25", "1", "1"), CELLS("7.25", "1234.5", "1", "1")},
    {"S", "l", "l", CELLS("-5", "6", NULL, NULL), CELLS("-5", "6", "-", "-")},
    {"i", "g", "g", CELLS("0.5", "1.5", "2.5", "2.5"), CELLS("0.5", "1.5", "2.5", "2.5")},
    {"u", NULL, "l", CELLS("7", "11", NULL, "3"), CELLS("7", "11", "-", "-")},
    {"vu", NULL, "g", CELLS("7.5", "11", "3", "3.25"), CELLS("7.5", "11", "3", "3.25")},
};

static void numbers_keep_their_type(void **state)
{
    (void)state;
    for (size_t i = 0; i < N_OF(number_cases); i++)
        for (size_t l = 0; l < N_OF(layouts); l++) {
            const number_case *n = &number_cases[i];
            arrow_field field = {"x", n->format, n->entry_format, n->cells};
            arrow_counts counts = {0};
            /* texts and dictionaries are categories unless the schema says otherwise */
            bool told = n->entry_format != NULL || n->format[0] == 'u' || n->format[0] == 'v';
            const char *yaml = !told                   ? "default-role: insensitive\nattributes: {x: {role: quasi}}\n"
                               : n->released[0] == 'l' ? "attributes: {x: {role: quasi, type: integer}}\n"
                               : n->released[0] == 'g' ? "attributes: {x: {role: quasi, type: decimal}}\n"
                                                       : "attributes: {x: {role: quasi, type: date}}\n";
            kanon_table *table = import(yaml, &(arrow_table){1, &field, 4}, &layouts[l], &counts);
            kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2));
            arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, false, 1);
            for (int c = 0; c < 2; c++) {
                assert_string_equal(taken.schema.children[c]->name, c == 0 ? "x_min" : "x_max");
                assert_string_equal(taken.schema.children[c]->format, n->released);
                for (int64_t row = 0; row < 4; row++) {
                    char *cell = arrow_taken_cell(&taken, row, c);
                    assert_string_equal(cell != NULL ? cell : "-", n->ends[row / 2 * 2 + c]);
                    free(cell);
                }
            }
            arrow_taken_clear(&taken);
            kanon_grouping_free(grouping);
            kanon_table_free(table);
            assert_int_equal(counts.released_arrays, counts.arrays);
        }
}

/* By hand: the groups have true and false, true twice, and true beside a null. */
static void truth_values_stay_such(void **state)
{
    static const char flat[] = "attributes: {x: {role: quasi}, y: {role: insensitive}}\n",
                      tree[] = "attributes: {x: {role: quasi, taxonomy: {Known: [\"true\", \"false\"]}}, y: insensitive}\n";
    const arrow_field fields[] = {{"x", "b", NULL, CELLS("1", "0", "1", "1", "1", NULL)},
                                  {"y", "b", NULL, CELLS("1", "0", NULL, "0", "1", "1")}};
    (void)state;
    for (size_t l = 0; l < N_OF(layouts); l++) {
        arrow_layout layout = layouts[l];
        layout.batch_rows = layout.batch_rows > 0 ? 2 : 0;
        arrow_counts counts = {0};
        kanon_table *table = import(flat, &(arrow_table){2, fields, 6}, &layout, &counts);
        assert_release(table, GROUPS(1, 1, 2, 2, 3, 3), KANON_NUMERIC_COLUMNS,
                       layout.batch_rows > 0
                           ? "x:b,y:b\n-,true\n-,false\n--\ntrue,-\ntrue,false\n--\n-,true\n-,true\n"
                           : "x:b,y:b\n-,true\n-,false\ntrue,-\ntrue,false\n-,true\n-,true\n");
        kanon_table_free(table);
    }
    arrow_counts counts = {0};
    kanon_table *table = import(tree, &(arrow_table){2, fields, 4}, &layouts[0], &counts);
    assert_release(table, GROUPS(1, 1, 2, 2), KANON_NUMERIC_COLUMNS,
                   "x:i=u,y:b\nKnown,true\nKnown,false\ntrue,-\ntrue,false\n");
    kanon_table_free(table);
}

/* The type that a released column may have. */
static void assert_kept_type(const struct ArrowSchema *schema, const arrow_field *field)
{
    bool views = field->entry_format != NULL && strcmp(field->entry_format, "vu") == 0;
    assert_string_equal(schema->name, field->name);
    assert_string_equal(schema->format, field->format);
    if (field->entry_format != NULL)
        assert_string_equal(schema->dictionary->format, views ? "u" : field->entry_format);
    else
        assert_null(schema->dictionary);
}

static char *given_cell(const arrow_field *field, int64_t row)
{
    const char *cell = field->cells[row], *format = field->entry_format != NULL ? field->entry_format : field->format;
    char out[64];
    if (cell == NULL)
        return NULL;
    if (format[0] == 'b')
        return strdup(cell[0] == '1' ? "true" : "false");
    if (strcmp(format, "tdm") == 0)
        return strdup(cell[0] == '0' ? "1970-01-01" : "1970-01-02");
    if (strcmp(format, "tdD") == 0) {
        snprintf(out, sizeof out, "%s", cell[0] == '-' ? "1969-12-29" : "1970-01-0?");
        if (cell[0] != '-')
            out[9] = (char)(cell[0] + 1);
        return strdup(out);
    }
    if (format[0] == 'd') { /* 150 is 1.50 */
        snprintf(out, sizeof out, "%.2f", atof(cell) / 100);
        return strdup(out);
    }
    return strdup(cell);
}

static void assert_kept(const kanon_table *table, const kanon_grouping *grouping, bool shuffle, const int32_t *order)
{
    arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, shuffle, 2);
    assert_int_equal(taken.n_rows, N_KEPT_ROWS);
    assert_int_equal(taken.schema.n_children, N_KEPT);
    for (int c = 1; c < N_KEPT; c++) {
        assert_kept_type(taken.schema.children[c], &kept_fields[c]);
        for (int64_t i = 0; i < N_KEPT_ROWS; i++) {
            char *cell = arrow_taken_cell(&taken, i, c), *given = given_cell(&kept_fields[c], order != NULL ? order[i] : i);
            if (cell == NULL || given == NULL)
                assert_true(cell == NULL && given == NULL);
            else
                assert_string_equal(cell, given);
            free(given);
            free(cell);
        }
    }
    arrow_taken_clear(&taken);
}

/* The order of a shuffled release, found from a column that tells records apart. */
static void find_order(int32_t *order, const kanon_table *table, const kanon_grouping *grouping)
{
    arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, true, 1);
    for (int64_t i = 0; i < N_KEPT_ROWS; i++) {
        char *cell = arrow_taken_cell(&taken, i, 3); /* S: 1 2 3 4 5 6 65535 */
        order[i] = atoi(cell) == 65535 ? 6 : atoi(cell) - 1;
        free(cell);
    }
    arrow_taken_clear(&taken);
}

static void kept_columns_are_as_they_were(void **state)
{
    (void)state;
    for (size_t l = 0; l < N_OF(layouts); l++) {
        arrow_counts counts = {0};
        int32_t order[N_KEPT_ROWS];
        bool seen[N_KEPT_ROWS] = {false};
        kanon_table *table = import(
            "default-role: insensitive\nattributes: {q: {role: quasi}, cu: {role: sensitive}, f: {role: sensitive}}\n",
            &(arrow_table){N_KEPT, kept_fields, N_KEPT_ROWS}, &layouts[l], &counts);
        kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1, 1, 1, 1, 1));
        assert_kept(table, grouping, false, NULL);
        find_order(order, table, grouping);
        for (int i = 0; i < N_KEPT_ROWS; i++) {
            assert_false(seen[order[i]]);
            seen[order[i]] = true;
        }
        assert_kept(table, grouping, true, order);
        kanon_grouping_free(grouping);
        kanon_table_free(table);
        assert_int_equal(counts.released_arrays, counts.arrays);
        assert_int_equal(counts.released_schemas, counts.schemas);
    }
}

/* Values of whole arrays are not copied: kept buffers are those of the input. Text views are, because others' texts may lie
 * beside them. */
static void kept_buffers_are_shared(void **state)
{
    (void)state;
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "2")},
                                  {"u", "u", NULL, CELLS("one", "two")},
                                  {"v", "vu", NULL, CELLS("a text of some length", "two")}};
    arrow_counts counts = {0};
    kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n", &(arrow_table){3, fields, 2},
                                &(arrow_layout){0}, &counts);
    const kanon__arrow_source *source = kanon__arrow_source_of(table->source);
    const void *given = source->batches[0].children[1]->buffers[2], *views = source->batches[0].children[2]->buffers[2];
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1));
    arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, false, 1);
    assert_ptr_equal(taken.batches[0].children[2]->buffers[2], given);
    assert_ptr_not_equal(taken.batches[0].children[3]->buffers[2], views);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    assert_int_equal(counts.released_arrays, 0);
    arrow_taken_clear(&taken); /* the last reference */
    assert_int_equal(counts.released_arrays, counts.arrays);
}

/* 30 batches whose dictionaries have ten values each: together they need more than a byte. */
static void assert_widens(const char *format)
{
    enum { N = 300 };
    static char texts[N][16];
    const char *cells[N], *quasi[N];
    int64_t groups[N];
    for (int i = 0; i < N; i++) {
        snprintf(texts[i], sizeof texts[i], "v%d", i);
        cells[i] = texts[i];
        quasi[i] = "1";
        groups[i] = 1;
    }
    const arrow_field fields[] = {{"q", "i", NULL, quasi}, {"x", format, "u", cells}};
    arrow_counts counts = {0};
    kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n", &(arrow_table){2, fields, N},
                                &(arrow_layout){.batch_rows = 10}, &counts);
    kanon_grouping *grouping = grouping_of(table, groups);
    arrow_taken plain = released(table, grouping, KANON_NUMERIC_COLUMNS, false, 1);
    arrow_taken shuffled = released(table, grouping, KANON_NUMERIC_COLUMNS, true, 3);
    bool seen[N] = {false};
    assert_string_equal(plain.schema.children[2]->format, "i");
    assert_string_equal(shuffled.schema.children[2]->format, "i");
    assert_int_equal(shuffled.n_batches, 30);
    for (int i = 0; i < N; i++) {
        char *cell = arrow_taken_cell(&shuffled, i, 2);
        assert_false(seen[atoi(cell + 1)]);
        seen[atoi(cell + 1)] = true;
        free(cell);
    }
    arrow_taken_clear(&plain);
    arrow_taken_clear(&shuffled);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static void joined_dictionaries_widen(void **state)
{
    (void)state;
    assert_widens("c");
    assert_widens("C"); /* indices become signed, too */
}

/* A column with three blocks of bytes. Its last buffers lie in one block, as those of text views do. */
static void column_of_blocks(struct ArrowArray *out, kanon__arrow_memory **memory, const int64_t sizes[3])
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon__arrow_memory_new(memory, NULL, NULL, &err), KANON_OK);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(kanon__arrow_memory_block(*memory, i, sizes[i], &err), KANON_OK);
        for (int64_t at = 0; at < sizes[i]; at++)
            ((char *)(*memory)->blocks[i])[at] = (char)(at * 7 + i);
    }
    const char *last = (*memory)->blocks[2];
    const void *buffers[4] = {NULL, (*memory)->blocks[1], last + (sizes[2] > 8 ? 8 : 0), last};
    assert_int_equal(kanon__arrow_array_init(out, *memory, sizes[1], 0, buffers, 4, &err), KANON_OK);
}

static void check_blocks(const struct ArrowArray *column, const int64_t sizes[3])
{
    int64_t skipped = sizes[2] > 8 ? 8 : 0;
    assert_null(column->buffers[0]);
    assert_ptr_equal(column->buffers[2], (const char *)column->buffers[3] + skipped);
    for (int64_t at = 0; at < sizes[1]; at++)
        assert_int_equal(((const char *)column->buffers[1])[at], (char)(at * 7 + 1));
    for (int64_t at = 0; at < sizes[2]; at++)
        assert_int_equal(((const char *)column->buffers[3])[at], (char)(at * 7 + 2));
}

/* What columns have for themselves is moved to pages of their own; what others use, too, stays. */
static void columns_go_aside(void **state)
{
    static const int64_t sizes[][3] = {{9, 4096, 100}, {4096, 1, 0}, {1, 70000, 9}, {5, 64, 64}};
    enum { N = sizeof sizes / sizeof *sizes };
    kanon_error err = KANON_INIT(kanon_error);
    kanon__arrow_memory *memory[N], *shared;
    const void *before[N];
    struct ArrowArray batch;
    (void)state;
    assert_int_equal(kanon__arrow_array_init_struct(&batch, NULL, 1, N, &err), KANON_OK);
    for (int i = 0; i < N; i++) {
        column_of_blocks(batch.children[i], &memory[i], sizes[i]);
        before[i] = batch.children[i]->buffers[1];
    }
    shared = kanon__arrow_memory_share(memory[3]);
    assert_int_equal(kanon__arrow_array_put_aside(&batch, &err), KANON_OK);
    for (int i = 0; i < N; i++) {
        const struct ArrowArray *column = batch.children[i];
        kanon__arrow_array_rest(column);
        check_blocks(column, sizes[i]);
        assert_true((column->buffers[1] == before[i]) == (i == 3));
        if (i < 3)
            assert_int_equal((uintptr_t)column->buffers[1] % 4096, 0);
        if (i < 3)
            assert_int_equal((uintptr_t)column->buffers[3] % 64, 0);
    }
    kanon__arrow_memory_free(shared);
    kanon__arrow_array_clear(&batch);
}

static void drop_flag(void *flag)
{
    *(bool *)flag = true;
}

/* A batch with an encoded column, all of it in one room. The column is moved out, and outlives batch and dictionary. */
static void arrays_lie_in_a_room(void **state)
{
    (void)state;
    for (int spilled = 0; spilled < 2; spilled++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__arrow_memory *memory;
        struct ArrowArray batch, column, dictionary;
        bool dropped = false;
        size_t size = kanon__arrow_room_arrays(1, 1) + kanon__arrow_room_pages(5000);
        assert_int_equal(kanon__arrow_memory_new(&memory, &dropped, drop_flag, &err), KANON_OK);
        assert_int_equal(kanon__arrow_room_new(memory, size, spilled, &err), KANON_OK);
        assert_int_equal(kanon__arrow_array_init_struct(&batch, kanon__arrow_memory_share(memory), 5, 1, &err), KANON_OK);
        assert_int_equal(kanon__arrow_array_init(batch.children[0], kanon__arrow_memory_share(memory), 5, 0, NULL, 2, &err),
                         KANON_OK);
        assert_int_equal(kanon__arrow_array_init(&dictionary, kanon__arrow_memory_share(memory), 1, 0, NULL, 3, &err),
                         KANON_OK);
        kanon__arrow_array_adopt(batch.children[0], &dictionary);
        kanon__arrow_column_begin(memory);
        char *values = kanon__arrow_room_take(memory, 5000);
        memset(values, 7, 5000);
        batch.children[0]->buffers[1] = values;
        kanon__arrow_column_end(batch.children[0]);
        assert_true(memory->room_used <= size);
        assert_int_equal((uintptr_t)(values - memory->room) % 4096, 0);
        kanon__arrow_memory_free(memory);
        column = *batch.children[0];
        batch.children[0]->release = NULL;
        kanon__arrow_array_clear(&batch);
        kanon__arrow_array_clear(column.dictionary);
        assert_false(dropped);
        for (int i = 0; i < 5000; i++)
            assert_int_equal(((const char *)column.buffers[1])[i], 7);
        kanon__arrow_array_clear(&column);
        assert_null(column.release);
        assert_true(dropped);
    }
}

static void shorten_second(struct ArrowArray *batch, int64_t number, void *payload)
{
    (void)payload;
    if (number == 1)
        batch->length = 5;
}

/* Batches of 10, 5 and 10 rows: the third does not begin where batches of equal sizes would. */
static void uneven_batches_keep_their_rows(void **state)
{
    enum { N = 25 };
    static char texts[N + 5][16];
    const char *cells[N + 5], *quasi[N + 5];
    int64_t groups[N];
    (void)state;
    for (int i = 0; i < N + 5; i++) {
        snprintf(texts[i], sizeof texts[i], "v%d", i);
        cells[i] = texts[i];
        quasi[i] = "1";
        groups[i % N] = 1;
    }
    const arrow_field fields[] = {{"q", "i", NULL, quasi}, {"x", "i", "u", cells}};
    arrow_counts counts = {0};
    kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n",
                                &(arrow_table){2, fields, N + 5}, &(arrow_layout){.batch_rows = 10, .spoil = shorten_second},
                                &counts);
    kanon_grouping *grouping = grouping_of(table, groups);
    arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, false, 1);
    for (int i = 0; i < N; i++) {
        char *cell = arrow_taken_cell(&taken, i, 2);
        assert_string_equal(cell, texts[i < 15 ? i : i + 5]);
        free(cell);
    }
    arrow_taken_clear(&taken);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* ---- nothing else leaves ---------------------------------------------------------------------------------------------- */

/* Whether the bytes of a dictionary's texts hold this one. */
static bool holds_text(const struct ArrowArray *entries, const char *text)
{
    const int32_t *offsets = entries->buffers[1];
    char bytes[256];
    assert_int_equal(entries->offset, 0);
    assert_int_equal(offsets[0], 0);
    assert_true(offsets[entries->length] < (int32_t)sizeof bytes);
    memcpy(bytes, entries->buffers[2], (size_t)offsets[entries->length]);
    bytes[offsets[entries->length]] = '\0';
    return strstr(bytes, text) != NULL;
}

/* What a spoiled input is to be like: rows that a filter took away left their values in the dictionary. */
static void filter_away(struct ArrowArray *batch, int64_t number, void *payload)
{
    int8_t *indices = (int8_t *)(uintptr_t)batch->children[1]->buffers[1];
    (void)number;
    (void)payload;
    for (int64_t i = 0; i < batch->children[1]->length; i++) /* entries: cholera, asthma, hiv, flu */
        indices[i] = indices[i] == 0 ? 3 : indices[i] == 2 ? 1 : indices[i];
}

static void set_ordered(struct ArrowSchema *schema, void *payload)
{
    (void)payload;
    schema->children[1]->flags |= ARROW_FLAG_DICTIONARY_ORDERED;
}

/* flu asthma asthma flu remain. Their order in the dictionary is that of their first use; in an ordered one, its own. */
static void dictionaries_have_no_other_values(void **state)
{
    static const char *const cells[] = {"cholera", "asthma", "hiv", "flu"};
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "2", "3", "4")}, {"ill", "c", "u", cells}};
    (void)state;
    for (int ordered = 0; ordered < 2; ordered++)
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            arrow_counts counts = {0};
            arrow_layout layout = {.spoil = filter_away, .spoil_schema = ordered ? set_ordered : NULL};
            kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n",
                                        &(arrow_table){2, fields, 4}, &layout, &counts);
            kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 2, 2));
            arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, shuffle, 1);
            const struct ArrowArray *ill = taken.batches[0].children[2];
            assert_int_equal(ill->dictionary->length, 2);
            assert_false(holds_text(ill->dictionary, "hiv"));
            assert_false(holds_text(ill->dictionary, "cholera"));
            assert_true(holds_text(ill->dictionary, ordered ? "asthmaflu" : shuffle ? "flu" : "fluasthma"));
            assert_int_equal(taken.schema.children[2]->flags & ARROW_FLAG_DICTIONARY_ORDERED,
                             ordered ? ARROW_FLAG_DICTIONARY_ORDERED : 0);
            if (!shuffle)
                assert_taken(taken, "q_min:i,q_max:i,ill:c=u\n1,2,flu\n1,2,asthma\n3,4,asthma\n3,4,flu\n");
            else
                arrow_taken_clear(&taken);
            kanon_grouping_free(grouping);
            kanon_table_free(table);
        }
}

/* Bytes of a value in buffer 1 by format; 0: bits, or none. */
static size_t width_of(const char *format)
{
    static const struct {
        const char *format;
        size_t width;
    } widths[] = {{"c", 1}, {"S", 2}, {"l", 8},   {"f", 4},   {"g", 8},   {"d:9,2", 16},
                  {"u", 4}, {"U", 8}, {"vu", 16}, {"tdD", 4}, {"tdm", 8}, {"tsu:Europe/Zurich", 8},
                  {"I", 4}, {"s", 2}, {"i", 4}};
    for (size_t i = 0; i < N_OF(widths); i++)
        if (strcmp(widths[i].format, format) == 0)
            return widths[i].width;
    return 0;
}

/* The producer's buffers hold garbage in front of slices, behind them and under nulls. */
static void assert_bare(const struct ArrowArray *array, const struct ArrowSchema *schema)
{
    static const char zeros[16];
    size_t width = width_of(schema->format);
    bool texts = schema->format[0] == 'u' || schema->format[0] == 'U';
    assert_int_equal(array->offset, 0);
    if (texts)
        assert_memory_equal(array->buffers[1], zeros, width);
    for (int64_t i = 0; width > 0 && array->buffers[0] != NULL && i < array->length; i++) {
        const char *value = (const char *)array->buffers[1] + (size_t)i * width;
        if ((((const uint8_t *)array->buffers[0])[i / 8] >> i % 8 & 1) == 0)
            assert_memory_equal(value, texts ? value + width : zeros, width);
    }
}

static void slices_are_copied(void **state)
{
    (void)state;
    for (size_t l = 0; l < N_OF(layouts); l++)
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            arrow_counts counts = {0};
            kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n",
                                        &(arrow_table){N_KEPT, kept_fields, N_KEPT_ROWS}, &layouts[l], &counts);
            const kanon__arrow_source *source = kanon__arrow_source_of(table->source);
            bool sliced = layouts[l].array_offset > 0 || layouts[l].batch_offset > 0 || layouts[l].rows_behind > 0;
            kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1, 1, 1, 1, 1));
            arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, shuffle, 1);
            for (int64_t b = 0; b < taken.n_batches; b++)
                for (int c = 1; c < N_KEPT; c++) {
                    const struct ArrowArray *array = taken.batches[b].children[c], *given = source->batches[b].children[c];
                    assert_bare(array, taken.schema.children[c]);
                    if (array->dictionary != NULL)
                        assert_bare(array->dictionary, taken.schema.children[c]->dictionary);
                    for (int64_t i = 0; (sliced || shuffle) && i < array->n_buffers; i++)
                        assert_true(array->buffers[i] == NULL || array->buffers[i] != given->buffers[i]);
                }
            arrow_taken_clear(&taken);
            kanon_grouping_free(grouping);
            kanon_table_free(table);
        }
}

static void cut_batch(struct ArrowArray *batch, int64_t number, void *payload)
{
    (void)number;
    (void)payload;
    batch->length = 2;
}

/* The columns of a batch may have more rows than the batch: the last one is none of the table's. */
static void longer_columns_are_copied(void **state)
{
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "2", "3")},
                                  {"x", "l", NULL, CELLS("7", "8", "9")},
                                  {"u", "u", NULL, CELLS("one", "two", "three")}};
    arrow_counts counts = {0};
    (void)state;
    kanon_table *table = import("default-role: insensitive\nattributes: {q: {role: quasi}}\n", &(arrow_table){3, fields, 3},
                                &(arrow_layout){.spoil = cut_batch}, &counts);
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1));
    arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, false, 1);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    assert_int_equal(counts.released_arrays, counts.arrays); /* nothing of the input is held any more */
    assert_taken(taken, "q_min:i,q_max:i,x:l,u:u\n1,2,7,one\n1,2,8,two\n");
}

/* ---- against the CSV release ---------------------------------------------------------------------------------------- */

static bool is_missing(const kanon_table *table, const char *text, size_t length)
{
    return kanon__texts_find(&table->missing, text, length) >= 0;
}

/* Whether a value of the stream is what the CSV release shows. An open end of bands is null there and empty here. */
static bool is_same(const kanon_table *table, const char *name, const char *cell, const char *text, size_t length)
{
    bool is_end = strlen(name) > 4 &&
                  (strcmp(name + strlen(name) - 4, "_min") == 0 || strcmp(name + strlen(name) - 4, "_max") == 0);
    char copy[512];
    assert_true(length < sizeof copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    if (cell == NULL)
        return strcmp(copy, "*") == 0 || is_missing(table, text, length) || (is_end && length == 0);
    if (strcmp(cell, copy) == 0)
        return true;
    char *end, *other;
    double left = strtod(cell, &end), right = strtod(copy, &other);
    return (end > cell && *end == '\0' && other > copy && *other == '\0' && left == right) ||
           (is_missing(table, cell, strlen(cell)) && is_missing(table, text, length));
}

static void compare_with_csv(const kanon_table *table, const kanon_grouping *grouping, bool shuffle, int form)
{
    static const kanon_numeric numeric[] = {KANON_NUMERIC_COLUMNS, KANON_NUMERIC_INTERVAL, KANON_NUMERIC_MEAN};
    static const kanon_numeric arrow[] = {KANON_NUMERIC_COLUMNS, KANON_NUMERIC_INTERVAL, KANON_NUMERIC_MEAN};
    kanon_error err = KANON_INIT(kanon_error);
    place path = scratch("release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_PATH(path.text),
                             .numeric = numeric[form],
                             .shuffle = shuffle,
                             .shuffle_seed = shuffle ? 5 : 0,
                             .threads = 1};
    kanon__input input = {0};
    kanon__csv csv = {0};
    kanon__csv_options options = {.delimiter = table->source->delimiter};
    bool has_row;
    assert_done(kanon_publish(table, grouping, &outputs, &err), &err);
    arrow_taken taken = released(table, grouping, arrow[form], shuffle, 2);
    assert_done(kanon__input_open_upto(&input, path.text, UINT64_MAX, "a file", &err), &err);
    assert_done(kanon__csv_open(&csv, &input, &options, &err), &err);
    assert_int_equal(csv.n_columns, taken.schema.n_children);
    for (int64_t row = 0; row < taken.n_rows; row++) {
        assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
        assert_true(has_row);
        for (int c = 0; c < csv.n_columns; c++) {
            char *cell = arrow_taken_cell(&taken, row, c);
            if (row == 0)
                assert_string_equal(csv.names[c], taken.schema.children[c]->name);
            assert_true(is_same(table, csv.names[c], cell, csv.cells[c].text, csv.cells[c].length));
            free(cell);
        }
    }
    assert_done(kanon__csv_next(&csv, &has_row, &err), &err);
    assert_false(has_row);
    kanon__csv_close(&csv);
    kanon__input_close(&input);
    arrow_taken_clear(&taken);
}

/* Bands and levels have no means; as Arrow, levels are two columns then. */
static bool lacks_means(const kanon_table *table)
{
    bool found = false;
    for (int i = 0; i < table->data.n_quasi; i++) {
        const kanon__domain *domain = table->data.columns[table->data.quasi[i]].domain;
        found = found || domain->bands != NULL || domain->type == KANON_TYPE_ORDINAL;
    }
    return found;
}

/* Groups of k records in the order of the table; of some tables the first are suppressed. */
static void compare_random_table(const random_table *r, bool suppress, bool shuffle)
{
    int64_t n = kanon_table_rows(r->table), *group_of = calloc((size_t)n, sizeof *group_of);
    int64_t n_groups = n / r->k > 0 ? n / r->k : 1;
    bool fits = n >= r->k;
    for (int64_t i = 0; i < n; i++) /* the last group takes the rest */
        group_of[i] = i / r->k < n_groups ? i / r->k + 1 : n_groups;
    for (int64_t i = 0; fits && n_groups > 1 && suppress && i < r->k; i++)
        group_of[i] = 0;
    kanon_grouping *grouping = grouping_of(r->table, group_of);
    for (int form = 0; form < (lacks_means(r->table) ? 2 : 3) && fits; form++)
        compare_with_csv(r->table, grouping, shuffle, form);
    kanon_grouping_free(grouping);
    free(group_of);
}

static void random_tables_equal_their_csv(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    kanon__random random;
    kanon__random_init(&random, seed, 1);
    for (int round = 0; round < 150; round++) {
        random_table r = random_table_new(seed * 1000 + (uint64_t)round);
        compare_random_table(&r, kanon__random_below(&random, 2) == 0, round % 2 == 1);
        random_table_clear(&r);
    }
}

static void random_bands_equal_their_csv(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    int n_banded = 0;
    for (int round = 0; round < 200; round++) {
        random_table r = random_table_banded(seed * 1000 + (uint64_t)round);
        n_banded += lacks_means(r.table);
        if (lacks_means(r.table))
            compare_random_table(&r, round % 3 == 0, round % 2 == 1);
        random_table_clear(&r);
    }
    assert_true(n_banded > 80);
}

/* One mapping per attribute, made by the library. */
static void recode_maps_equal_their_csv(void **state)
{
    (void)state;
    uint64_t seed = test_seed();
    for (int round = 0; round < 30; round++) {
        random_table r = random_table_sized(seed * 77 + (uint64_t)round, 40, 3);
        kanon_options options = {.struct_size = sizeof options, .k = 3, .recode = KANON_RECODE_ATTRIBUTE, .threads = 1};
        kanon_grouping *grouping = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_done(kanon_anonymize(&grouping, r.table, &options, &err), &err);
        compare_with_csv(r.table, grouping, false, 0);
        compare_with_csv(r.table, grouping, true, 1);
        struct ArrowArrayStream stream;
        assert_int_equal(release(&stream, r.table, grouping, KANON_NUMERIC_MEAN, false, 1, &err), KANON_EINVAL);
        kanon_grouping_free(grouping);
        random_table_clear(&r);
    }
}

/* ---- who holds what ------------------------------------------------------------------------------------------------- */

static void the_stream_outlives_everything(void **state)
{
    (void)state;
    struct ArrowArrayStream stream;
    struct ArrowSchema one, two;
    struct ArrowArray batch, child, dictionary;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = table_of(people_yaml, people_csv);
    kanon_grouping *grouping = grouping_of(table, people_groups);
    assert_done(release(&stream, table, grouping, KANON_NUMERIC_COLUMNS, true, 1, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    assert_int_equal(stream.get_schema(&stream, &one), 0);
    assert_int_equal(stream.get_schema(&stream, &two), 0); /* any number of times */
    assert_null(stream.get_last_error(&stream));
    assert_int_equal(stream.get_next(&stream, &batch), 0);
    struct ArrowArray end;
    assert_int_equal(stream.get_next(&stream, &end), 0);
    assert_null(end.release);
    stream.release(&stream);
    one.release(&one);
    struct ArrowSchema field = *two.children[6]; /* job */
    two.children[6]->release = NULL;
    two.release(&two);
    assert_string_equal(field.name, "job");
    assert_string_equal(field.dictionary->format, "u");
    field.release(&field);
    child = *batch.children[6];
    batch.children[6]->release = NULL;
    batch.release(&batch);
    dictionary = *child.dictionary;
    child.dictionary->release = NULL;
    assert_int_equal(child.length, 12);
    child.release(&child);
    assert_null(child.release);
    assert_true(dictionary.length >= 4); /* Work, none, cook, ? */
    const int32_t *offsets = dictionary.buffers[1];
    assert_true(offsets[dictionary.length] >= 13);
    dictionary.release(&dictionary);
    assert_no_leak();
}

/* Batches share a dictionary; each can be released while others live. */
static void batches_share_a_dictionary(void **state)
{
    enum { N = 140000 };
    (void)state;
    char *csv = malloc(N * 8 + 16), *at = csv;
    int64_t *group_of = malloc(N * sizeof *group_of);
    at += sprintf(at, "a,c\n");
    for (int i = 0; i < N; i++) {
        at += sprintf(at, "%d,c%d\n", i % 7, i % 5);
        group_of[i] = i % 5 + 1;
    }
    kanon_table *table = table_of("default-role: insensitive\nattributes: {a: {role: quasi}, c: {role: quasi}}\n", csv);
    kanon_grouping *grouping = grouping_of(table, group_of);
    arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, false, 3);
    assert_int_equal(taken.n_batches, 3); /* 65536 + 65536 + 8928 */
    assert_int_equal(taken.batches[1].length, 65536);
    const void *labels = taken.batches[0].children[2]->dictionary->buffers[2];
    assert_ptr_equal(taken.batches[2].children[2]->dictionary->buffers[2], labels);
    taken.batches[0].release(&taken.batches[0]);
    taken.batches[0] = taken.batches[--taken.n_batches];
    taken.n_rows -= 65536;
    char *cell = arrow_taken_cell(&taken, 0, 2); /* row 131072 */
    assert_string_equal(cell, "c2");
    free(cell);
    arrow_taken_clear(&taken);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    free(group_of);
    free(csv);
}

static void threads_do_not_matter(void **state)
{
    (void)state;
    for (int source = 0; source < 2; source++)
        for (int shuffle = 0; shuffle < 2; shuffle++) {
            arrow_counts counts = {0};
            kanon_table *table =
                source == 0
                    ? table_of(people_yaml, people_csv)
                    : import(
                          "default-role: insensitive\nattributes: {q: {role: quasi}, S: {role: quasi}, g: {role: quasi}}\n",
                          &(arrow_table){N_KEPT, kept_fields, N_KEPT_ROWS}, &(arrow_layout){.batch_rows = 2}, &counts);
            kanon_grouping *grouping = grouping_of(table, source == 0 ? people_groups : GROUPS(1, 1, 1, 2, 2, 2, 2));
            char *texts[2];
            for (int i = 0; i < 2; i++) {
                arrow_taken taken = released(table, grouping, KANON_NUMERIC_COLUMNS, shuffle, i == 0 ? 1 : 3);
                texts[i] = arrow_taken_print(&taken);
                arrow_taken_clear(&taken);
            }
            assert_string_equal(texts[0], texts[1]);
            free(texts[0]);
            free(texts[1]);
            kanon_grouping_free(grouping);
            kanon_table_free(table);
        }
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    for (int source = 0; source < 3; source++) {
        arrow_counts counts = {0};
        kanon_table *table =
            source == 0
                ? table_of(people_yaml, people_csv)
                : import(
                      "default-role: insensitive\nattributes: {q: {role: quasi}, S: {role: quasi}, l: {role: sensitive}}\n",
                      &(arrow_table){N_KEPT, kept_fields, N_KEPT_ROWS}, &(arrow_layout){.batch_rows = 3}, &counts);
        kanon_grouping *grouping = grouping_of(table, source == 0 ? people_groups : GROUPS(1, 1, 1, 2, 2, 2, 2));
        bool done = false;
        for (int64_t n = 1; !done; n++) {
            kanon_error err = KANON_INIT(kanon_error);
            struct ArrowArrayStream stream;
            int64_t before = kanon__alloc_in_use();
            kanon__alloc_fail_at(n, false);
            kanon_status st = release(&stream, table, grouping, source == 0 ? KANON_NUMERIC_INTERVAL : KANON_NUMERIC_COLUMNS,
                                      source == 2, 1, &err);
            kanon__alloc_fail_at(0, false);
            assert_true(st == KANON_OK || st == KANON_ENOMEM);
            done = st == KANON_OK;
            if (done) {
                struct ArrowSchema schema;
                for (int64_t fails = 1;; fails++) {
                    kanon__alloc_fail_at(fails, false);
                    int code = stream.get_schema(&stream, &schema);
                    kanon__alloc_fail_at(0, false);
                    if (code == 0)
                        break;
                    assert_int_equal(code, ENOMEM);
                    assert_holds(stream.get_last_error(&stream), "out of memory");
                }
                schema.release(&schema);
                stream.release(&stream);
            }
            assert_int_equal(kanon__alloc_in_use(), before);
        }
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

/* ---- contexts -------------------------------------------------------------------------------------------------------- */

typedef struct live_blocks {
    int n_asked, n_live;
} live_blocks;

static void *count_block(size_t size, void *payload)
{
    ((live_blocks *)payload)->n_asked++;
    ((live_blocks *)payload)->n_live++;
    return malloc(size);
}

static void *count_moved(void *memory, size_t size, void *payload)
{
    ((live_blocks *)payload)->n_asked++;
    return realloc(memory, size);
}

static void count_freed(void *memory, void *payload)
{
    ((live_blocks *)payload)->n_live--;
    free(memory);
}

/* What a stream holds, and what its callbacks ask for, is memory of the table's context. */
static void streams_use_the_context(void **state)
{
    (void)state;
    live_blocks blocks = {0};
    kanon_context context = {.struct_size = sizeof context,
                             .allocate = count_block,
                             .reallocate = count_moved,
                             .release = count_freed,
                             .payload = &blocks,
                             .threads = 1};
    kanon_read_options options = {.struct_size = sizeof options, .context = &context};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_table *table = NULL;
    struct ArrowArrayStream stream;
    struct ArrowSchema schema;
    assert_done(read_table(&table, people_yaml, people_csv, &options, &err), &err);
    kanon_grouping *grouping = grouping_of(table, people_groups);
    assert_done(release(&stream, table, grouping, KANON_NUMERIC_COLUMNS, false, 1, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    assert_true(blocks.n_live > 0);
    int before = blocks.n_asked;
    assert_int_equal(stream.get_schema(&stream, &schema), 0);
    assert_true(blocks.n_asked > before);
    schema.release(&schema);
    stream.release(&stream);
    assert_int_equal(blocks.n_live, 0);
}

/* ---- what is refused ------------------------------------------------------------------------------------------------ */

static void wrong_calls_are_refused(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    kanon_table *table = table_of("privacy: {k: 2}\nattributes: {a: {role: quasi}, a_max: {role: insensitive}}\n",
                                  "a,a_max\n1,x\n2,y\n3,z\n");
    kanon_grouping *grouping = grouping_of(table, GROUPS(1, 1, 1)), *small = grouping_of(table, GROUPS(1, 1, 2));
    assert_int_equal(release(&stream, table, grouping, KANON_NUMERIC_COLUMNS, false, 1, &err), KANON_EINVAL);
    assert_holds(err.message, "a_max: the release would have two columns of this name");
    assert_string_equal(err.topic, "numeric");
    assert_done(release(&stream, table, grouping, KANON_NUMERIC_INTERVAL, false, 1, &err), &err);
    stream.release(&stream);
    assert_int_equal(release(&stream, table, grouping, (kanon_numeric)7, false, 1, &err), KANON_EINVAL);
    assert_int_equal(release(&stream, table, small, KANON_NUMERIC_INTERVAL, false, 1, &err), KANON_EINVAL);
    assert_holds(err.message, "a group has 1 records, fewer than k = 2");
    kanon_table *other = table_of("default-role: insensitive\nattributes: {a: {role: quasi}}\n", "a\n1\n");
    assert_int_equal(release(&stream, other, grouping, KANON_NUMERIC_INTERVAL, false, 1, &err), KANON_EINVAL);
    kanon_table_free(other);
    kanon_grouping_free(small);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* A grouping of the caller's own that violates a constraint is the caller's fault, not the library's. */
static void own_groupings_keep_constraints(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    kanon_table *table = table_of("privacy: {k: 2, constraints: [{model: distinct-l-diversity, attribute: s, l: 2}]}\n"
                                  "default-role: insensitive\nattributes: {a: {role: quasi}, s: {role: sensitive}}\n",
                                  "a,s\n1,x\n2,y\n3,z\n4,z\n");
    kanon_grouping *good = grouping_of(table, GROUPS(1, 1, 1, 1)), *bad = grouping_of(table, GROUPS(1, 1, 2, 2));
    assert_int_equal(release(&stream, table, bad, KANON_NUMERIC_COLUMNS, false, 1, &err), KANON_EINVAL);
    assert_holds(err.message, "violates a constraint");
    assert_done(release(&stream, table, good, KANON_NUMERIC_COLUMNS, false, 1, &err), &err);
    stream.release(&stream);
    kanon_grouping_free(bad);
    kanon_grouping_free(good);
    kanon_table_free(table);
}

/* A batch of a CSV file begins in the middle of the file. */
static void several_batches_of_csv(void **state)
{
    enum { N = 70000, LINE = 16 };
    static int64_t group_of[N];
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    char *csv = malloc(16 + N * LINE), *at = csv;
    (void)state;
    at += sprintf(at, "a,note\n");
    for (int row = 0; row < N; row++) {
        at += sprintf(at, "%d,n%d\n", row / 7000, row);
        group_of[row] = 1 + row / 7000;
    }
    kanon_table *table = table_of("default-role: insensitive\nattributes: {a: {role: quasi}}\n", csv);
    kanon_grouping *grouping = grouping_of(table, group_of);
    for (int threads = 1; threads <= 2; threads++) {
        assert_done(release(&stream, table, grouping, KANON_NUMERIC_COLUMNS, false, threads, &err), &err);
        arrow_taken taken = arrow_take(&stream);
        assert_int_equal(taken.n_rows, N);
        assert_true(taken.n_batches > 1);
        for (int64_t row = taken.batches[0].length - 1; row <= taken.batches[0].length; row++) {
            char expected[LINE], *cell = arrow_taken_cell(&taken, row, taken.schema.n_children - 1);
            snprintf(expected, sizeof expected, "n%d", (int)row);
            assert_string_equal(cell, expected);
            free(cell);
        }
        arrow_taken_clear(&taken);
    }
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    free(csv);
}

static int stop(const kanon_progress *progress, void *payload)
{
    assert_string_equal(progress->stage, "writing");
    ++*(int *)payload;
    return 1;
}

static void a_tick_stops_it(void **state)
{
    (void)state;
    int n_ticks = 0;
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream = {0};
    kanon_outputs options = {.struct_size = sizeof options, .tick = stop, .payload = &n_ticks, .threads = 1};
    kanon_table *table = table_of(people_yaml, people_csv);
    kanon_grouping *grouping = grouping_of(table, people_groups);
    kanon_status st = release_to_stream(&stream, table, grouping, &options, &err);
    assert_int_equal(n_ticks > 0 ? st : KANON_ECANCELLED,
                     KANON_ECANCELLED); /* a fast machine is done before the first tick */
    assert_true((st == KANON_OK) == (stream.release != NULL));
    if (stream.release != NULL)
        stream.release(&stream);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static int stop_check(const kanon_progress *progress, void *payload)
{
    bool checking = strcmp(progress->stage, "checking") == 0;
    assert_true(progress->done >= 0 && progress->done <= progress->total);
    *(bool *)payload |= checking;
    return checking;
}

static void a_tick_stops_the_check(void **state)
{
    (void)state;
    for (int source = 0; source < 2; source++) {
        bool was_checking = false;
        kanon_error err = KANON_INIT(kanon_error);
        struct ArrowArrayStream stream = {0};
        arrow_counts counts = {0};
        kanon_outputs options = {
            .struct_size = sizeof options, .tick = stop_check, .payload = &was_checking, .threads = 1};
        kanon_table *table = source == 0
                                 ? table_of(people_yaml, people_csv)
                                 : import("default-role: insensitive\nattributes: {q: {role: quasi}}\n",
                                          &(arrow_table){N_KEPT, kept_fields, N_KEPT_ROWS}, &(arrow_layout){0}, &counts);
        kanon_grouping *grouping = grouping_of(table, source == 0 ? people_groups : GROUPS(1, 1, 1, 1, 1, 1, 1));
        assert_int_equal(release_to_stream(&stream, table, grouping, &options, &err), KANON_ECANCELLED);
        assert_true(was_checking);
        assert_null(stream.release);
        assert_string_equal(err.message, "stopped while checking");
        kanon_grouping_free(grouping);
        kanon_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_of_csv),
        cmocka_unit_test(times_of_csv),
        cmocka_unit_test(texts_of_csv),
        cmocka_unit_test(means_of_csv),
        cmocka_unit_test(roots_and_large_integers),
        cmocka_unit_test(numbers_keep_their_type),
        cmocka_unit_test(truth_values_stay_such),
        cmocka_unit_test(kept_columns_are_as_they_were),
        cmocka_unit_test(kept_buffers_are_shared),
        cmocka_unit_test(joined_dictionaries_widen),
        cmocka_unit_test(uneven_batches_keep_their_rows),
        cmocka_unit_test(columns_go_aside),
        cmocka_unit_test(arrays_lie_in_a_room),
        cmocka_unit_test(dictionaries_have_no_other_values),
        cmocka_unit_test(slices_are_copied),
        cmocka_unit_test(longer_columns_are_copied),
        cmocka_unit_test(random_tables_equal_their_csv),
        cmocka_unit_test(random_bands_equal_their_csv),
        cmocka_unit_test(recode_maps_equal_their_csv),
        cmocka_unit_test(the_stream_outlives_everything),
        cmocka_unit_test(batches_share_a_dictionary),
        cmocka_unit_test(threads_do_not_matter),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(streams_use_the_context),
        cmocka_unit_test(wrong_calls_are_refused),
        cmocka_unit_test(own_groupings_keep_constraints),
        cmocka_unit_test(several_batches_of_csv),
        cmocka_unit_test(a_tick_stops_it),
        cmocka_unit_test(a_tick_stops_the_check),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
