/* Bands: what the independent check allows, what groups show, and what is left when memory ends. */
#include "core/alloc.h"
#include "support.h"
#include "table/schema/schema.h"
#include "verify/verify_bands.h"

#include <math.h>

/* Whether the check takes the cells for bands of this rule. */
static bool allowed(kanon_type type, const char *bands, const char *top, const char *bottom, kanon_numeric numeric,
                    const char *first, const char *second)
{
    kanon__domain domain = {.type = type, .band_texts = {(char *)bands, (char *)top, (char *)bottom}};
    kanon__band_cell cells[2] = {{first, strlen(first)}, {second, strlen(second)}};
    double ends[2];
    return kanon__verify_band_cell(&domain, numeric, cells, ends);
}

typedef struct claim {
    kanon_type type;
    const char *bands, *top, *bottom, *cell;
    bool good;
} claim;

static void the_check_knows_where_bands_end(void **state)
{
    static const claim claims[] = {
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[20..24]", true},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[20..34]", true},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[20..]", true},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[90..]", true},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[-5..-1]", true},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[21..24]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[20..23]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[20..25)", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[95..]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[90..94]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[..24]", false},
        {KANON_TYPE_INTEGER, "5", NULL, NULL, "[20..]", false},
        {KANON_TYPE_INTEGER, "5", NULL, NULL, "22", false},
        {KANON_TYPE_INTEGER, "1", NULL, NULL, "22", true},
        {KANON_TYPE_INTEGER, "5", NULL, "18", "[19..24]", true},
        {KANON_TYPE_INTEGER, "5", NULL, "18", "[..18]", true},
        {KANON_TYPE_INTEGER, "5", NULL, "18", "[..17]", false},
        {KANON_TYPE_INTEGER, "5", NULL, "18", "[15..24]", false},
        {KANON_TYPE_INTEGER, "0,18,65", NULL, NULL, "[18..64]", true},
        {KANON_TYPE_INTEGER, "0,18,65", NULL, NULL, "[..-1]", true},
        {KANON_TYPE_INTEGER, "0,18,65", NULL, NULL, "[65..]", true},
        {KANON_TYPE_INTEGER, "0,18,65", NULL, NULL, "[18..65]", false},
        {KANON_TYPE_INTEGER, NULL, "90", NULL, "[30..33]", true},
        {KANON_TYPE_INTEGER, NULL, "90", NULL, "[30..91]", false},
        {KANON_TYPE_INTEGER, NULL, "90", NULL, "95", false},
        {KANON_TYPE_DECIMAL, "2.5", NULL, NULL, "[2.5..7.5)", true},
        {KANON_TYPE_DECIMAL, "2.5", NULL, NULL, "[2.5..7.5]", false},
        {KANON_TYPE_DECIMAL, "2.5", NULL, NULL, "[2.6..7.5)", false},
        {KANON_TYPE_DECIMAL, "2.5", NULL, NULL, "[7.5..7.5)", false},
        {KANON_TYPE_DECIMAL, "2.5", NULL, "3", "[3..5)", true},
        {KANON_TYPE_DECIMAL, "2.5", NULL, "3", "[..3]", true},
        {KANON_TYPE_DECIMAL, "2.5", NULL, "3", "[..3)", false},
        {KANON_TYPE_DATE, "month", NULL, NULL, "[2024-02-01..2024-02-29]", true},
        {KANON_TYPE_DATE, "month", NULL, NULL, "[2023-02-01..2023-02-27]", false},
        {KANON_TYPE_DATE, "quarter", NULL, NULL, "[2024-02-01..2024-06-30]", false},
        {KANON_TYPE_DATE, "quarter", NULL, NULL, "[2024-04-01..2024-06-30]", true},
        {KANON_TYPE_DATE, "decade", NULL, NULL, "[2020-01-01..2029-12-31]", true},
        {KANON_TYPE_DATE, "decade", NULL, NULL, "[2021-01-01..2029-12-31]", false},
        {KANON_TYPE_DATE, "week", NULL, NULL, "[2024-01-01..2024-01-07]", true},
        {KANON_TYPE_DATE, "week", NULL, NULL, "[2024-01-02..2024-01-08]", false},
        {KANON_TYPE_DATE, "year", NULL, NULL, "[9999-01-01..9999-12-31]", true},
        {KANON_TYPE_DATE, "year", NULL, NULL, "[2024-04-01..2024-12-31]", false},
        /* what cannot be read is nowhere */
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[x..24]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[1234]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[..]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[20..)", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "(20..24]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "x20..24]", false},
        {KANON_TYPE_INTEGER, "5", "90", NULL, "[20..24x", false},
        {KANON_TYPE_DECIMAL, "5", NULL, NULL, "[0.123456789012345678901..5)", false},
        {KANON_TYPE_DATE, "month", NULL, NULL, "[2024-13-01..2024-02-29]", false},
        {KANON_TYPE_INTEGER, "month", NULL, NULL, "[0..4]", false},
        {KANON_TYPE_INTEGER, "~5", NULL, NULL, "[0..4]", false},
        {KANON_TYPE_INTEGER, "0", NULL, NULL, "[0..4]", false},
        {KANON_TYPE_DECIMAL, "0.123456789012345678901", NULL, NULL, "[0..5)", false},
        {KANON_TYPE_INTEGER, "0,x,65", NULL, NULL, "[65..]", true},
        {KANON_TYPE_INTEGER, "0,x,65", NULL, NULL, "[66..]", false},
        {KANON_TYPE_INTEGER, "5", "x", NULL, "[20..24]", true},
        {KANON_TYPE_INTEGER, "5", "x", NULL, "[20..]", false},
        /* without bands, and at the ends of all numbers */
        {KANON_TYPE_INTEGER, NULL, "90", NULL, "[..5]", false},
        {KANON_TYPE_INTEGER, NULL, NULL, "18", "[18..20]", false},
        {KANON_TYPE_INTEGER, NULL, NULL, "18", "[19..20]", true},
        {KANON_TYPE_DECIMAL, NULL, "90", NULL, "[1..2)", false},
        {KANON_TYPE_DECIMAL, NULL, NULL, "3", "[4..5]", true},
        {KANON_TYPE_DECIMAL, "2.5", NULL, "3", "[..2]", false},
        {KANON_TYPE_INTEGER, "5", NULL, "9223372036854775807", "[0..4]", false},
        {KANON_TYPE_INTEGER, "5", NULL, NULL, "[0..9223372036854775807]", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        const claim *c = &claims[i];
        if (allowed(c->type, c->bands, c->top, c->bottom, KANON_NUMERIC_INTERVAL, c->cell, "") != c->good)
            fail_msg("%s should %sbe allowed", c->cell, c->good ? "" : "not ");
    }
    assert_true(allowed(KANON_TYPE_INTEGER, "5", "90", NULL, KANON_NUMERIC_RANGE, "[90,)", ""));
    assert_true(allowed(KANON_TYPE_INTEGER, "5", NULL, "19", KANON_NUMERIC_RANGE, "(,19]", ""));
    assert_false(allowed(KANON_TYPE_INTEGER, "5", NULL, "19", KANON_NUMERIC_RANGE, "[,19]", ""));
    assert_false(allowed(KANON_TYPE_INTEGER, "5", NULL, NULL, KANON_NUMERIC_RANGE, "(15,24]", ""));
    assert_true(allowed(KANON_TYPE_INTEGER, "5", "90", NULL, KANON_NUMERIC_COLUMNS, "90", ""));
    assert_false(allowed(KANON_TYPE_INTEGER, "5", "90", NULL, KANON_NUMERIC_COLUMNS, "", "90"));
    assert_true(allowed(KANON_TYPE_DECIMAL, "2.5", NULL, NULL, KANON_NUMERIC_COLUMNS, "0", "2.5"));
    assert_false(allowed(KANON_TYPE_DECIMAL, "2.5", NULL, NULL, KANON_NUMERIC_COLUMNS, "0", "2.4"));
}

/* Ends are read as the column writes its values: 1.250 may be a number of thousands. */
static void the_check_reads_the_format_of_the_column(void **state)
{
    static const struct {
        kanon__value_format format;
        const char *bands, *cell;
        bool good;
    } claims[] = {
        {{.decimal = ',', .thousands = '.'}, "0.125", "[1,25..2,625)", true},
        {{.decimal = ',', .thousands = '.'}, "0.125", "[1.25..2.625)", false},
        {{.decimal = ',', .thousands = '.'}, "0.125", "[1,26..2,625)", false},
        {{.decimal = ',', .thousands = '.'}, "1000", "[1.000..2.000)", true},
        {{.thousands = '\''}, "1000", "[1'000..2000)", true},
        {{.date = "%d.%m.%Y"}, "month", "[01.02.2024..29.02.2024]", true},
        {{.date = "%d.%m.%Y"}, "month", "[01.02.2024..28.02.2024]", false},
        {{.date = "%m/%d/%Y"}, "quarter", "[01/04/2024..06/30/2024]", false},
        {{.date = "%d/%m/%Y"}, "quarter", "[01/04/2024..30/06/2024]", true},
        {{.date = "%Y.%m.%d."}, "month", "[2024.02.01...2024.02.29.]", true},
        {{.date = "%Y.%m.%d."}, "month", "[2024.02.01...2024.02.28.]", false},
        {{.date = "%d.%m.%y"}, "decade", "[1960-01-01..31.12.69]", true},
        {{.date = "%d.%m.%y"}, "decade", "[01.01.60..31.12.69]", false}, /* from 2060 to 1969 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
        kanon_type type = claims[i].format.date[0] != '\0' ? KANON_TYPE_DATE : KANON_TYPE_DECIMAL;
        kanon__domain domain = {.type = type, .format = claims[i].format, .band_texts = {(char *)claims[i].bands}};
        kanon__band_cell cells[2] = {{claims[i].cell, strlen(claims[i].cell)}, {"", 0}};
        double ends[2];
        if (kanon__verify_band_cell(&domain, KANON_NUMERIC_INTERVAL, cells, ends) != claims[i].good)
            fail_msg("%s should %sbe allowed", claims[i].cell, claims[i].good ? "" : "not ");
    }
}

static const char csv[] = "age,kg,zip\n20,1.5,75201\n24,2,75203\n91,3.25,60100\n95,9,60100\n";

/* A schema made by setters, which a table is read with. */
static kanon_status read_banded(kanon_table **table, kanon_error *err)
{
    kanon_schema *schema = NULL;
    kanon_read_options options = {.struct_size = sizeof options};
    kanon_status st = kanon_schema_new(&schema, NULL, err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, "age", "role", "quasi", err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, "kg", "role", "quasi", err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, "age", "bands", "5", err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, "age", "top", "90", err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, "kg", "bottom", "1.5", err);
    if (st == KANON_OK)
        st = kanon_schema_set(schema, "kg", "bands", "0.5", err);
    if (st == KANON_OK)
        st = kanon_table_read(table, KANON_BYTES_AS(csv, sizeof csv - 1, "t.csv"), schema, &options, err);
    kanon_schema_free(schema);
    return st;
}

static void groups_show_bands(void **state)
{
    static const int64_t groups[] = {1, 1, 2, 2};
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_group_view *view = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_group_cell cell = {.struct_size = sizeof cell};
    (void)state;
    assert_done(read_banded(&table, &err), &err);
    assert_done(kanon_grouping_new(&grouping, table, groups, &err), &err);
    assert_done(kanon_group_view_new(&view, table, grouping, &err), &err);
    assert_done(kanon_group_view_cell(&cell, view, 1, 0, &err), &err);
    assert_true(cell.min == 20 && cell.max == 24);
    assert_string_equal(cell.min_text, "20");
    assert_string_equal(cell.max_text, "24");
    assert_done(kanon_group_view_cell(&cell, view, 2, 0, &err), &err);
    assert_true(cell.min == 90 && cell.max == INFINITY);
    assert_string_equal(cell.max_text, "");
    assert_done(kanon_group_view_cell(&cell, view, 1, 1, &err), &err);
    assert_true(cell.min == -INFINITY && cell.max == 2.5);
    kanon_group_view_free(view);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

/* Every allocation fails in turn; what a failed call leaves is nothing. */
static void memory_may_end_anywhere(void **state)
{
    static const char *const levels[] = {"5,20", "2,1", NULL, "right", "3,1", "2"};
    static const char *const columns[] = {"age", "kg", NULL, "zip", "zip", "zip"};
    (void)state;
    for (int method = -1; method < 6; method++) {
        kanon_status st = KANON_ENOMEM;
        if (method >= 0 && levels[method] == NULL)
            continue;
        for (int64_t i = 1; st != KANON_OK; i++) {
            kanon_error err = KANON_INIT(kanon_error);
            kanon_table *table = NULL;
            kanon_taxonomy *taxonomy = NULL;
            kanon_column_options options = {.struct_size = sizeof options};
            options.column = method >= 0 ? columns[method] : NULL;
            kanon__alloc_fail_at(i, false);
            st = method < 0 ? read_banded(&table, &err)
                            : kanon_taxonomy_build(&taxonomy, KANON_BYTES_AS(csv, sizeof csv - 1, "t.csv"), &options,
                                                   (kanon_taxonomy_method)method, levels[method], NULL, &err);
            kanon__alloc_fail_at(0, false);
            if (st != KANON_OK)
                assert_int_equal(st, KANON_ENOMEM);
            assert_true((st == KANON_OK) == (table != NULL || taxonomy != NULL));
            kanon_taxonomy_free(taxonomy);
            kanon_table_free(table);
        }
    }
    assert_int_equal(kanon__alloc_in_use(), 0);
}

static int ignore(const void *bytes, size_t size, void *payload)
{
    (void)bytes;
    (void)size;
    (void)payload;
    return 0;
}

/* The same for reading and writing each form of a taxonomy. */
static void forms_survive_without_memory(void **state)
{
    static const char *const texts[] = {
        [KANON_TAXONOMY_CSV] = "a;x;*\nb;x;*\nc;*\n",
        [KANON_TAXONOMY_INDENTED] = "*\n  x\n    a\n    b\n  c\n",
        [KANON_TAXONOMY_YAML] = "x:\n  a:\n  'b':\nc:\n",
        [KANON_TAXONOMY_PARENTS] = "node,parent\na,x\nx,*\n*,\nc,*\n\"b\",x\n",
        [KANON_TAXONOMY_JSON] =
            "{\"name\": \"*\", \"children\": [{\"name\": \"\\u00e9\", \"children\": [{\"name\": \"a\"}]}]}",
    };
    const kanon_sink sink = {.struct_size = sizeof(kanon_sink), .write = ignore};
    (void)state;
    for (int form = KANON_TAXONOMY_CSV; form <= KANON_TAXONOMY_JSON; form++) {
        kanon_status st = KANON_ENOMEM;
        for (int64_t i = 1; st != KANON_OK; i++) {
            kanon_error err = KANON_INIT(kanon_error);
            kanon_taxonomy *taxonomy = NULL;
            kanon__alloc_fail_at(i, false);
            st = kanon_taxonomy_read(&taxonomy, KANON_BYTES_AS(texts[form], strlen(texts[form]), "t"),
                                     (kanon_taxonomy_form)form, NULL, &err);
            if (st == KANON_OK)
                st = kanon_taxonomy_write(taxonomy, KANON_TO_SINK(&sink), (kanon_taxonomy_form)form, &err);
            kanon__alloc_fail_at(0, false);
            if (st != KANON_OK)
                assert_int_equal(st, KANON_ENOMEM);
            kanon_taxonomy_free(taxonomy);
        }
    }
    assert_int_equal(kanon__alloc_in_use(), 0);
}

/* All bands with ends from 0 to 2, open and half-open: one holds another where it covers each quarter that the other one
 * covers. */
static void one_band_holds_another(void **state)
{
    enum { N_ENDS = 3, N_BANDS = N_ENDS * N_ENDS * 8 };
    (void)state;
    for (int pair = 0; pair < N_BANDS * N_BANDS; pair++) {
        kanon__shown_band bands[2];
        bool expected = true;
        for (int i = 0; i < 2; i++) {
            int code = i == 0 ? pair % N_BANDS : pair / N_BANDS, low = code / 8 % N_ENDS, high = code / 8 / N_ENDS;
            bands[i] = (kanon__shown_band){.low = {.mantissa = low, .exact = true, .value = low},
                                           .high = {.mantissa = high, .exact = true, .value = high},
                                           .open_below = code % 2 == 1,
                                           .open_above = code / 2 % 2 == 1,
                                           .half_open = code / 4 % 2 == 1 && code / 2 % 2 == 0};
            if (!bands[i].open_below && !bands[i].open_above && (low > high || (low == high && bands[i].half_open)))
                goto next; /* empty, which no cell is */
        }
        for (int quarter = -4; quarter <= 12; quarter++) {
            kanon__decimal number = {.mantissa = 25 * quarter, .scale = 2, .exact = true, .value = quarter / 4.0};
            expected = expected &&
                       (kanon__shown_band_covers(&bands[0], &number) || !kanon__shown_band_covers(&bands[1], &number));
        }
        if (kanon__shown_band_holds(&bands[0], &bands[1]) != expected)
            fail_msg("pair %d", pair);
next:;
    }
}

static void no_number_is_read_where_none_is(void **state)
{
    static const struct {
        kanon_type type;
        const char *text;
        bool good;
    } rows[] = {{KANON_TYPE_INTEGER, "12", true},      {KANON_TYPE_INTEGER, "", false},
                {KANON_TYPE_INTEGER, "x", false},      {KANON_TYPE_DECIMAL, "1e-300", false}, /* not exactly */
                {KANON_TYPE_DATE, "2020-02-29", true}, {KANON_TYPE_DATE, "", false},
                {KANON_TYPE_DATE, "2021-02-29", false}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        kanon__domain domain = {.type = rows[i].type};
        kanon__decimal number;
        assert_int_equal(kanon__verify_band_number(&domain, rows[i].text, strlen(rows[i].text), &number), rows[i].good);
    }
    assert_false(allowed(KANON_TYPE_INTEGER, "5", "", NULL, KANON_NUMERIC_INTERVAL, "[20..]", ""));
    assert_false(allowed(KANON_TYPE_DECIMAL, "5", "1e-300", NULL, KANON_NUMERIC_INTERVAL, "[20..]", ""));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_check_knows_where_bands_end),
        cmocka_unit_test(the_check_reads_the_format_of_the_column),
        cmocka_unit_test(groups_show_bands),
        cmocka_unit_test(memory_may_end_anywhere),
        cmocka_unit_test(forms_survive_without_memory),
        cmocka_unit_test(one_band_holds_another),
        cmocka_unit_test(no_number_is_read_where_none_is),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
