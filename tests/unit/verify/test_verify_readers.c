/* The readers of the independent check, each by itself: a cell that is not exactly the value of an Arrow array never passes
 * for it, arrays that are not sound are refused, and certificates whose fields are not as they should be. */
#include "verify/arrow_reader.h" /* before support.h, whose `place` its parameters would hide */

#include "arrow_producer.h"
#include "support.h"
#include "table/read/arrow_source.h"
#include "table/read/table.h"
#include "verify/arrow_cells.h"

#include <math.h>

/* ---- cells ---------------------------------------------------------------------------------------------------------- */

#define CELLS(...) ((const char *const[]){__VA_ARGS__})

static void assert_other(const kanon__arrow_source *source, int64_t row, int column, kanon__cell cell, const char *text,
                         size_t length)
{
    char *exact = malloc(length + 1);
    memcpy(exact, text, length);
    cell.text = exact;
    cell.length = length;
    cell.doubled = memchr(text, '"', length) != NULL;
    if (kanon__arrow_cell_matches(source, row, column, &cell))
        fail_msg("row %d, column %d: '%.*s' passes", (int)row, column, (int)length, text);
    free(exact);
}

/* One character is another one, is gone or is one too many; the text ends early. No change is another way to write it. */
static void spoil_cell(const kanon__arrow_source *source, int64_t row, int column, kanon__cell cell)
{
    static const char others[] = "x9-:./ +eT\"0";
    char text[80];
    for (size_t at = 0; at <= cell.length; at++) {
        for (size_t o = 0; o < sizeof others - 1; o++) {
            bool trailing = others[o] == '0' && column != 6;
            memcpy(text, cell.text, cell.length);
            if (at < cell.length && text[at] != others[o] && !trailing) {
                text[at] = others[o];
                assert_other(source, row, column, cell, text, cell.length);
            }
            if (others[o] == 'x' || others[o] == ':') {
                memcpy(text, cell.text, at);
                text[at] = others[o];
                memcpy(text + at + 1, cell.text + at, cell.length - at);
                assert_other(source, row, column, cell, text, cell.length + 1);
            }
        }
        if (at < cell.length)
            assert_other(source, row, column, cell, cell.text, at);
        if (at < cell.length) {
            memcpy(text, cell.text, at);
            memcpy(text + at, cell.text + at + 1, cell.length - at - 1);
            assert_other(source, row, column, cell, text, cell.length - 1);
        }
    }
    kanon__cell none = cell;
    none.null = !cell.null;
    if (cell.length > 0)
        assert_false(kanon__arrow_cell_matches(source, row, column, &none));
}

static void other_cells_do_not_pass(void **state)
{
    /* no value has a zero that could be left out */
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("-37", "1")},
                                  {"d", "d:10,2", NULL, CELLS("12345", "-67")},
                                  {"dn", "d:10,-2", NULL, CELLS("58", "-6")},
                                  {"day", "tdD", NULL, CELLS("19789", "-45100000")},
                                  {"s", "tss:", NULL, CELLS("1704067205", NULL)},
                                  {"ms", "tsm:", NULL, CELLS("1704153599123", "-1")},
                                  {"u", "u", NULL, CELLS("a text", "say \"it\"")},
                                  {"f", "g", NULL, CELLS("1.5", "nan")},
                                  {"b", "b", NULL, CELLS("1", "0")}};
    const arrow_table made = {9, fields, 2};
    arrow_counts counts = {0};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__cursor *cursor = NULL;
    struct ArrowArrayStream stream;
    place path = scratch("s.yaml");
    bool has_row;
    (void)state;
    write_text(path.text, "default-role: insensitive\nattributes: {q: {role: quasi}}\n");
    assert_done(kanon_schema_read(&schema, KANON_PATH(path.text), NULL, &err), &err);
    const arrow_layout plain = {0};
    arrow_produce(&stream, &made, &plain, &counts);
    assert_done(kanon_table_read(&table, KANON_STREAM(&stream), schema, NULL, &err), &err);
    const kanon__arrow_source *source = kanon__arrow_source_of(table->source);
    assert_done(table->source->class->open(&cursor, table->source, &err), &err);
    for (int64_t row = 0; row < 2; row++) {
        assert_done(table->source->class->next(cursor, &has_row, &err), &err);
        assert_true(kanon__arrow_cells_match(source, row, cursor->cells));
        assert_false(kanon__arrow_cells_match(source, 1 - row, cursor->cells));
        assert_false(kanon__arrow_cells_match(source, 2, cursor->cells));
        assert_false(kanon__arrow_cells_match(source, -1, cursor->cells));
        assert_false(kanon__arrow_cell_matches(source, 2, 0, &cursor->cells[0]));
        for (int column = 0; column < 9; column++)
            spoil_cell(source, row, column, cursor->cells[column]);
        kanon__cell quoted = cursor->cells[0];
        quoted.quoted = true;
        assert_true(kanon__arrow_cell_matches(source, row, 0, &cursor->cells[0]));
        (void)kanon__arrow_cell_matches(source, row, 0, &quoted); /* quotes are no part of the value */
    }
    table->source->class->close(cursor);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

static bool passes(const kanon__arrow_source *source, int64_t row, int column, const char *text, bool null, bool quoted)
{
    const kanon__cell cell = {.text = text, .length = strlen(text), .null = null, .quoted = quoted};
    return kanon__arrow_cell_matches(source, row, column, &cell);
}

/* Values at the ends of what can be written, in two rows, and texts that are one of them, or nearly. */
static void only_one_way_to_write_it(void **state)
{
    const arrow_field fields[] = {{"q", "i", NULL, CELLS("1", "2")},
                                  {"big", "d:38,0", NULL, CELLS("99999999999999999999999999999999999999", "0")},
                                  {"dn", "d:10,-2", NULL, CELLS("0", "1")},
                                  {"f", "g", NULL, CELLS("inf", "-inf")},
                                  {"n", "g", NULL, CELLS("nan", NULL)},
                                  {"day", "tdD", NULL, CELLS("11016", "-25508")}, /* 2000-02-29 + 30 days, 1900-02-28 + 1 */
                                  {"z", "tss:UTC", NULL, CELLS("1704067205", "0")}};
    static const struct {
        int row, column;
        const char *text;
        bool null, quoted, passes;
    } cells[] = {{0, 1, "99999999999999999999999999999999999999", false, false, true},
                 {0, 1, "999999999999999999999999999999999999999", false, false, false}, /* too large for 128 bits */
                 {0, 1, "170141183460469231731687303715884105728", false, false, false},
                 {1, 1, "-170141183460469231731687303715884105728", false, false, false},
                 {1, 1, "0", false, false, true},
                 {1, 1, "", false, false, false},
                 {0, 2, "0", false, false, true},
                 {1, 2, "100", false, false, true},
                 {1, 2, "10", false, false, false},
                 {1, 2, "00", false, false, false},
                 {0, 3, "inf", false, false, true},
                 {1, 3, "-inf", false, false, true},
                 {0, 3, "-inf", false, false, false},
                 {1, 3, "inf", false, false, false},
                 {0, 3, "inf", true, false, false},
                 {0, 3, "inf", false, true, false},
                 {0, 4, "", true, false, true},
                 {0, 4, "", false, false, false},
                 {0, 4, "nan", true, false, false},
                 {1, 4, "", true, false, true},
                 {1, 4, "x", true, false, false},
                 {0, 5, "2000-02-29", false, false, true},
                 {1, 5, "1900-03-01", false, false, true},
                 {1, 5, "1900-02-29", false, false, false},
                 {0, 5, "2000-00-29", false, false, false},
                 {0, 5, "2000-13-29", false, false, false},
                 {0, 5, "2000-02-00", false, false, false},
                 {0, 5, "2000-02-32", false, false, false},
                 {0, 5, "+0000000000000002000-02-29", false, false, false},
                 {0, 6, "2024-01-01T00:00:05Z", false, false, true},
                 {0, 6, "2024-01-01T00:00:05", false, false, false},
                 {0, 6, "2024-01-01T00:00:05z", false, false, false},
                 {0, 6, "2024-01-01T00:00:05.Z", false, false, false},
                 {0, 6, "2024-01-01T00:00:05.0Z", false, false, false},
                 {0, 6, "2024-01-01T00:00:05.0000000000Z", false, false, false},
                 {0, 6, "2023-12-31T24:00:05Z", false, false, false},
                 {0, 6, "2023-12-31T23:60:05Z", false, false, false},
                 {0, 6, "2023-12-31T23:59:65Z", false, false, false},
                 {1, 6, "1970-01-01T00:00:00Z", false, false, true}};
    const arrow_table made = {7, fields, 2};
    const arrow_layout plain = {0};
    arrow_counts counts = {0};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    struct ArrowArrayStream stream;
    place path = scratch("s.yaml");
    (void)state;
    write_text(path.text, "default-role: insensitive\nattributes: {q: {role: quasi}}\n");
    assert_done(kanon_schema_read(&schema, KANON_PATH(path.text), NULL, &err), &err);
    arrow_produce(&stream, &made, &plain, &counts);
    assert_done(kanon_table_read(&table, KANON_STREAM(&stream), schema, NULL, &err), &err);
    const kanon__arrow_source *source = kanon__arrow_source_of(table->source);
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++)
        if (passes(source, cells[i].row, cells[i].column, cells[i].text, cells[i].null, cells[i].quoted) != cells[i].passes)
            fail_msg("row %d, column %d, '%s'", cells[i].row, cells[i].column, cells[i].text);
    kanon_table_free(table);
    kanon_schema_free(schema);
}

/* ---- arrays --------------------------------------------------------------------------------------------------------- */

static void no_release(struct ArrowArray *array)
{
    (void)array;
}

static void plain_arrays(void **state)
{
    const int32_t values[2] = {5, 6};
    const unsigned char bits = 0x2;
    const void *buffers[3] = {NULL, values, NULL}, *none[2] = {NULL, NULL}, *some[2] = {&bits, values};
    const struct ArrowSchema schema = {.format = "i"}, unknown = {.format = "?"}, empty = {.format = ""},
                             two = {.format = "ii"};
    const struct ArrowArray good = {.length = 2, .n_buffers = 2, .buffers = buffers, .release = no_release};
    struct ArrowArray other = {.release = no_release};
    kanon__read_shape shape = kanon__read_shape_of(&schema);
    (void)state;
    assert_true(kanon__read_is_sound(shape, &good));
    assert_false(kanon__read_is_sound(kanon__read_shape_of(&unknown), &good));
    assert_false(kanon__read_is_sound(kanon__read_shape_of(&empty), &good));
    assert_false(kanon__read_is_sound(kanon__read_shape_of(&two), &good));
#define REFUSED(change)                                                                                                     \
    do {                                                                                                                    \
        struct ArrowArray bad = good;                                                                                       \
        change;                                                                                                             \
        assert_false(kanon__read_is_sound(shape, &bad));                                                                    \
    } while (0)
    REFUSED(bad.length = -1);
    REFUSED(bad.offset = -1);
    REFUSED(bad.n_buffers = 3);
    REFUSED(bad.buffers = none);
    REFUSED(bad.release = NULL);
    REFUSED(bad.n_children = 1);
    REFUSED(bad.dictionary = &other);
    REFUSED(bad.null_count = 1);
    REFUSED((bad.buffers = some, bad.null_count = 2));
#undef REFUSED
    struct ArrowArray uncounted = good;
    uncounted.null_count = -1;
    assert_true(kanon__read_is_sound(shape, &uncounted));
    struct ArrowArray no_rows = {.n_buffers = 2, .buffers = none, .release = no_release};
    assert_true(kanon__read_is_sound(shape, &no_rows));
    assert_true(kanon__read_is_bare(shape, &no_rows));
    struct ArrowArray under_null = good;
    under_null.buffers = some;
    under_null.null_count = 1;
    assert_true(kanon__read_is_sound(shape, &under_null));
    assert_false(kanon__read_is_bare(shape, &under_null));
}

typedef struct view {
    int32_t length;
    char prefix[4];
    int32_t piece, at;
} view;

static void views(void **state)
{
    static const char bytes[] = "twenty bytes of text";
    const int64_t sizes[1] = {20};
    const unsigned char bits = 0;
    const view good = {20, {'t', 'w', 'e', 'n'}, 0, 0};
    const view bad[] = {{-1, {'t', 'w', 'e', 'n'}, 0, 0}, {20, {'t', 'w', 'e', 'n'}, -1, 0},
                        {20, {'t', 'w', 'e', 'n'}, 1, 0}, {20, {'t', 'w', 'e', 'n'}, 0, -1},
                        {20, {'t', 'w', 'e', 'n'}, 0, 1}, {20, {'x', 'w', 'e', 'n'}, 0, 0}};
    const struct ArrowSchema schema = {.format = "vu"};
    kanon__read_shape shape = kanon__read_shape_of(&schema);
    (void)state;
    const void *buffers[4] = {NULL, &good, bytes, sizes};
    struct ArrowArray array = {.length = 1, .n_buffers = 4, .buffers = buffers, .release = no_release};
    assert_true(kanon__read_is_sound(shape, &array));
    array.n_buffers = 2;
    assert_false(kanon__read_is_sound(shape, &array));
    array.n_buffers = 4;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        const void *spoilt[4] = {NULL, &bad[i], bytes, sizes}, *null[4] = {&bits, &bad[i], bytes, sizes};
        array.buffers = spoilt;
        array.null_count = 0;
        assert_false(kanon__read_is_sound(shape, &array));
        array.buffers = null; /* what nobody reads may be anything */
        array.null_count = 1;
        assert_true(kanon__read_is_sound(shape, &array));
    }
}

static void dictionaries(void **state)
{
    const int32_t offsets[3] = {0, 1, 2}, falling[3] = {0, 2, 1}, indices[2] = {0, 1}, low[2] = {-1, 1}, high[2] = {0, 2};
    const unsigned char second = 0x2, first = 0x1;
    const void *texts[3] = {NULL, offsets, "ab"}, *fallen[3] = {NULL, falling, "ab"}, *nulls[3] = {&first, offsets, "ab"};
    struct ArrowSchema entries = {.format = "u"};
    const struct ArrowSchema schema = {.format = "i", .dictionary = &entries};
    kanon__read_shape shape = kanon__read_shape_of(&schema);
    (void)state;
    struct {
        const void *indices[2], **texts;
        int64_t index_nulls, index_offset, entry_nulls, entry_offset, length;
        bool unreleased, sound, bare;
    } cases[] = {
        {{NULL, indices}, texts, 0, 0, 0, 0, 2, false, true, true},
        {{NULL, low}, texts, 0, 0, 0, 0, 2, false, false, false},
        {{NULL, high}, texts, 0, 0, 0, 0, 2, false, false, false},
        {{&second, low}, texts, 1, 0, 0, 0, 2, false, true, false},
        {{NULL, indices}, fallen, 0, 0, 0, 0, 2, false, false, false},
        {{NULL, indices}, nulls, 0, 0, 1, 0, 2, false, true, false},
        {{NULL, indices}, nulls, 0, 0, 0, 0, 2, false, false, false},
        {{NULL, indices}, texts, 0, 1, 0, 0, 1, false, true, false},
        {{NULL, indices}, texts, 1, 0, 0, 0, 2, false, false, false},
        {{NULL, indices}, texts, 0, 0, 0, 0, -1, false, false, false},
        {{NULL, indices}, texts, 0, 0, 0, 0, 2, true, false, false},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct ArrowArray dictionary = {.length = 2,
                                        .null_count = cases[i].entry_nulls,
                                        .offset = cases[i].entry_offset,
                                        .n_buffers = 3,
                                        .buffers = cases[i].texts,
                                        .release = cases[i].unreleased ? NULL : no_release};
        struct ArrowArray array = {.length = cases[i].length,
                                   .null_count = cases[i].index_nulls,
                                   .offset = cases[i].index_offset,
                                   .n_buffers = 2,
                                   .buffers = cases[i].indices,
                                   .dictionary = &dictionary,
                                   .release = no_release};
        assert_int_equal(kanon__read_is_sound(shape, &array), cases[i].sound);
        if (cases[i].sound)
            assert_int_equal(kanon__read_is_bare(shape, &array), cases[i].bare);
    }
}

static void equal_values(void **state)
{
    const kanon__read_value none = {.kind = KANON__READ_NULL}, one = {.kind = KANON__READ_WHOLE, .whole = 1},
                            real = {.kind = KANON__READ_REAL, .real = 1}, half = {.kind = KANON__READ_REAL, .real = 0.5},
                            nan = {.kind = KANON__READ_REAL, .real = NAN},
                            text = {.kind = KANON__READ_TEXT, .bytes = "ab", .length = 2},
                            longer = {.kind = KANON__READ_TEXT, .bytes = "abc", .length = 3},
                            other = {.kind = KANON__READ_TEXT, .bytes = "ax", .length = 2};
    const kanon__read_value all[] = {none, one, real, half, nan, text, longer, other};
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof *all; i++)
        for (size_t j = 0; j < sizeof all / sizeof *all; j++)
            assert_int_equal(kanon__read_equal(all[i], all[j]), i == j);
}

/* ---- certificates --------------------------------------------------------------------------------------------------- */

static kanon_status check_with(const kanon_table *table, const char *proof, const char *old, const char *replacement,
                               kanon_certificate *found, kanon_error *err)
{
    char text[3000];
    const char *at = strstr(proof, old);
    assert_non_null(at);
    snprintf(text, sizeof text, "%.*s%s%s", (int)(at - proof), proof, replacement, at + strlen(old));
    *err = (kanon_error)KANON_INIT(kanon_error);
    return kanon_certificate_check(found, table, KANON_BYTES_AS(text, strlen(text), "proof"),
                                   &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1}, err);
}

static void certificates_of_other_forms(void **state)
{
    static const struct {
        const char *old, *replacement;
        kanon_status status;
        const char *message; /* of a proof that does not hold: the reason */
    } cases[] = {
        {"\"k\": 2", "\"k\": 2", KANON_OK, ""},
        {"\"format\": 1", "\"format\": 0", KANON_EDATA, "not a certificate"},
        {"\"format\": 1", "\"format\": 2", KANON_EVERSION, "newer version"},
        {"table_sha256", "table_sha1", KANON_EDATA, "not a certificate"},
        {"\"records\": 3", "\"records\": -1", KANON_EDATA, "out of range"},
        {"\"records\": 3", "\"records\": 4", KANON_EDATA, "not one price for each record"},
        {"\"k\": 2", "\"k\": 1", KANON_EDATA, "out of range"},
        {"\"k\": 2", "\"k\": 99999999999", KANON_EDATA, "out of range"},
        {"\"k\": 2", "\"k\": 4", KANON_OK, "fewer than k records"},
        {"\"scale\": ", "\"scale\": -", KANON_EDATA, "out of range"},
        {"price_sum", "price_sums", KANON_EDATA, "out of range"},
        {"\"prices\"", "\"price\"", KANON_EDATA, "not one price for each record"},
        {"\"prices\": [", "\"prices\": [99999999999", KANON_EDATA, "at most 32 bits"},
        {"\"prices\": [", "\"prices\": [-99999999999", KANON_EDATA, "at most 32 bits"},
        {"\"prices\": [", "\"prices\": [0.5e", KANON_EDATA, "at most 32 bits"},
        {"\"price_sum\": ", "\"price_sum\": 1", KANON_OK, "do not add up"},
    };
    (void)state;
    place path = scratch("proof.json");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_lower_bound *bound = NULL;
    kanon_table *table = table_of("attributes: {age: quasi}\nprivacy: {k: 2}\n", "age\n0\n1\n2\n");
    kanon_bound_options options = {
        .struct_size = sizeof options, .k = 2, .threads = 1, .certificate = KANON_TO_PATH(path.text)};
    assert_done(kanon_bound(&bound, table, &options, &err), &err);
    char *proof = read_text(path.text);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_certificate found = KANON_INIT(kanon_certificate);
        kanon_status st = check_with(table, proof, cases[i].old, cases[i].replacement, &found, &err);
        if (st != cases[i].status)
            fail_msg("%s: status %d, %s", cases[i].replacement, (int)st, err.message);
        assert_holds(st == KANON_OK ? found.reason : err.message, cases[i].message);
        assert_int_equal(st == KANON_OK && found.holds, i == 0);
    }
    free(proof);
    kanon_lower_bound_free(bound);
    kanon_table_free(table);
}

/* Weights and numbers that have no whole unit are rounded down, and the proof still holds. */
static void certificates_of_awkward_numbers(void **state)
{
    static const char *const yamls[] = {"attributes: {age: {role: quasi, weight: 0.3333333333333333333333}}\n",
                                        "missing: [\"?\"]\nattributes: {age: {role: quasi, type: decimal}}\n",
                                        "attributes: {age: {role: quasi, type: decimal, weight: 0.000000000000000001}}\n"};
    static const char *const tables[] = {"age\n0\n1\n2\n5\n", "age\n1e-200\n1e200\n0.1\n7\n?\n",
                                         "age\n1e-200\n1e200\n0.1\n7\n"};
    (void)state;
    for (int i = 0; i < 3; i++) {
        place path = scratch("proof.json");
        kanon_error err = KANON_INIT(kanon_error);
        kanon_lower_bound *bound = NULL;
        kanon_certificate found = KANON_INIT(kanon_certificate);
        kanon_table *table = table_of(yamls[i], tables[i]);
        kanon_bound_options options = {
            .struct_size = sizeof options, .k = 2, .threads = 1, .certificate = KANON_TO_PATH(path.text)};
        assert_done(kanon_bound(&bound, table, &options, &err), &err);
        assert_done(kanon_certificate_check(&found, table, KANON_PATH(path.text),
                                            &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1},
                                            &err),
                    &err);
        if (!found.holds)
            fail_msg("table %d: %s", i, found.reason);
        assert_int_not_equal(
            kanon_certificate_check(&found, table, KANON_PATH("/nonexistent"),
                                    &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1}, NULL),
            KANON_OK);
        assert_int_not_equal(
            kanon_certificate_check(&found, table, KANON_BYTES_AS("x", 1, "x"),
                                    &(kanon_prove_options){.struct_size = sizeof(kanon_prove_options), .threads = 1}, NULL),
            KANON_OK);
        kanon_lower_bound_free(bound);
        kanon_table_free(table);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(other_cells_do_not_pass),
        cmocka_unit_test(only_one_way_to_write_it),
        cmocka_unit_test(plain_arrays),
        cmocka_unit_test(views),
        cmocka_unit_test(dictionaries),
        cmocka_unit_test(equal_values),
        cmocka_unit_test(certificates_of_other_forms),
        cmocka_unit_test(certificates_of_awkward_numbers),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
