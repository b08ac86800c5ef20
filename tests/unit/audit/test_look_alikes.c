/* Pairs of spellings in released files. For two cells of a quasi column the judge is a reader of the file: can they be told
 * apart? It reads the raw cell by RFC 4180 alone and compares bytes; it knows nothing of notations. For two cells of a
 * sensitive column the judge is arithmetic: a class of the two has two values only if no value can be both.
 *
 * Every pair is checked as a file of two records, in the first or the last column, alone or as one end of two columns. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <kanon.h>
#include <kanon_arrow.h>

enum { MOST_CELLS = 24, CELL = 96 };

static int n_pairs;

/* ---- the judge --------------------------------------------------------------------------------------------------- */

/* The characters of a raw cell of CSV: quotes around it are not part of it, doubled ones inside are one. */
static size_t characters_of(char *out, const char *raw)
{
    size_t n = strlen(raw), length = 0;
    if (raw[0] != '"') {
        memcpy(out, raw, n);
        return n;
    }
    for (size_t i = 1; i + 1 < n; i++) {
        out[length++] = raw[i];
        if (raw[i] == '"')
            i++;
    }
    return length;
}

static bool reader_tells_apart(const char *left, const char *right)
{
    char a[CELL], b[CELL];
    size_t n = characters_of(a, left);
    return n != characters_of(b, right) || memcmp(a, b, n) != 0;
}

/* ---- one file ---------------------------------------------------------------------------------------------------- */

static kanon_schema *new_schema(kanon_type type)
{
    kanon_schema *schema = NULL;
    assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "q", "role", "quasi", NULL), KANON_OK);
    if (type != KANON_TYPE_UNKNOWN)
        assert_int_equal(kanon_schema_set(schema, "q", "type", kanon_enum_text(KANON_ENUM_TYPE, type), NULL), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "x", "role", "quasi", NULL), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, NULL, "missing", "[?, NA]", NULL), KANON_OK);
    return schema;
}

static kanon_check *check_bytes(const kanon_schema *schema, const char *text, size_t size)
{
    kanon_check *check = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    const kanon_check_options options = {.struct_size = sizeof options, .k = 2};
    const kanon_input release = {.struct_size = sizeof release,
                                 .bytes = text,
                                 .size = size,
                                 .delimiter = ",",
                                 .header = KANON_HEADER_YES,
                                 .encoding = "utf-8"};
    if (kanon_check_read(&check, &release, schema, &options, &err) != KANON_OK)
        fail_msg("%s in\n%s", err.message, text);
    return check;
}

/* Two records that differ in this cell at most. `apart`: whether they must be two classes. */
static void expect_pair(const kanon_schema *schema, const char *form, const char *left, const char *right, bool apart)
{
    char text[4 * CELL];
    const char *newline = strchr(form, '\n') + 1, *end = strchr(newline, '\n') + 1;
    size_t used = (size_t)(newline - form);
    memcpy(text, form, used);
    for (int row = 0; row < 2; row++)
        for (const char *c = newline; c < end; c++)
            if (*c == '@')
                used += (size_t)sprintf(text + used, "%s", row == 0 ? left : right);
            else
                text[used++] = *c;
    text[used] = '\0';
    kanon_check *check = check_bytes(schema, text, used);
    if (check->records != 2 || check->k != (apart ? 1 : 2) || check->classes != (apart ? 2 : 1) ||
        (check->holds != 0) != !apart)
        fail_msg("k = %lld, %s, in\n%s", (long long)check->k, check->holds ? "holds" : "fails", text);
    kanon_check_free(check);
    n_pairs++;
}

/* ---- quasi columns ----------------------------------------------------------------------------------------------- */

static const struct family {
    kanon_type type;
    const char *cells[MOST_CELLS]; /* as they stand in the file */
} families[] = {
    {KANON_TYPE_INTEGER,
     {"15-19", "[15-19]", "[15..19]", "15..19", "\"[15,19]\"", "\"[15, 19]\"", "\"[15,20)\"", "\"[15, 20[\"", "\"(14,20)\"",
      "\"]14,20[\"", " [15-19]", "[15-19] ", "\"15-19\"", "[15 - 19]", "15 - 19", "[015-019]"}},
    {KANON_TYPE_UNKNOWN,
     {"1", "1.0", "01", "+1", "1 ", " 1", "\"1\"", "1.", "1e0", "[1..1]", "[1-1]", "{1}", "1,0", "0x1"}},
    {KANON_TYPE_DECIMAL,
     {"0", "-0", "0.0", "0.00", "00", "-0.0", ".0", "+0", "[0..0]", "0 ", "0\xc2\xa0"}},
    {KANON_TYPE_INTEGER,
     {"<5", "<=4", "[..4]", "\"(,4]\"", "\"(,5)\"", ">4", ">=5", "[5..]", "\"[5,)\"", "\"]4,)\"", "< 5"}},
    {KANON_TYPE_DATE,
     {"2020-01-05", "[2020-01-05..2020-01-05]", "2020-01-05 ", "05.01.2020", "2020-1-5", "20200105", "2020-01-05T00:00:00",
      "{2020-01-05}", "\"2020-01-05\""}},
    {KANON_TYPE_CATEGORICAL,
     {"nurse", "{nurse}", "\"{nurse,nurse}\"", "{ nurse}", "{nurse }", "Nurse", "NURSE", "nurse ", " nurse", "\tnurse",
      "\"nurse\"", "nurs\xc3\xa9", "nurse\xcc\x81", "\xe2\x80\x8bnurse", "nurse\xc2\xa0", "\xef\xbb\xbfnurse",
      "\"\"\"nurse\"\"\"", "'nurse'", "\"nurse\n\"", "n\xd1\x83rse", "{{nurse}}"}},
    {KANON_TYPE_CATEGORICAL,
     {"\"{a,b}\"", "\"{b,a}\"", "\"{a, b}\"", "\"{ a,b}\"", "\"{a,b,a}\"", "\"{a,b} \"", "\"[a,b]\"",
      "a", "{a}", "a;b", "a|b"}},
    {KANON_TYPE_UNKNOWN,
     {"*", "**", "*****", " *", "* ", "{*}", "?", "NA", "na", "", "\"\"", " ", "-", "any", "null", "[..]", "[*]", "\"*\"",
      "\xef\xbc\x8a"}},
    {KANON_TYPE_CATEGORICAL,
     {"8130*", "813**", "\"8130*\"", "8130* ", "[8130*]", "{8130*}", "8130\xe2\x88\x97", "8130?", "81300-81309"}},
    {KANON_TYPE_CATEGORICAL,
     {"Zo\xc3\xab", "Zoe\xcc\x88", "Zoe", "ZO\xc3\x8b", "\"Zo\xc3\xab\"", "Zo\xc3\xab\xe2\x81\xa0", "\xef\xac\x81", "fi"}},
};

static void quasi_cells(void **state)
{
    static const char *const forms[] = {"q,x\n@,1\n", "x,q\n1,@\n"};
    (void)state;
    for (size_t f = 0; f < sizeof families / sizeof *families; f++) {
        kanon_schema *schema = new_schema(families[f].type);
        const char *const *cells = families[f].cells;
        for (int i = 0; i < MOST_CELLS && cells[i] != NULL; i++)
            for (int j = i; j < MOST_CELLS && cells[j] != NULL; j++) {
                bool plain = strchr(cells[i], ',') == NULL || cells[i][0] == '"';
                plain = plain && (strchr(cells[j], ',') == NULL || cells[j][0] == '"');
                if (plain)
                    expect_pair(schema, forms[(i + j) % 2], cells[i], cells[j], reader_tells_apart(cells[i], cells[j]));
            }
        kanon_schema_free(schema);
    }
    print_message("%d pairs\n", n_pairs);
    assert_true(n_pairs >= 900);
}

/* One end of an interval in two columns. */
static void ends_in_columns(void **state)
{
    static const char *const cells[] = {"5", "5.0", "05", " 5", "*", "**", "?", "NA", "", "\"5\"", "[5]", "-", "5 "};
    enum { N = sizeof cells / sizeof *cells };
    (void)state;
    kanon_schema *schema = new_schema(KANON_TYPE_INTEGER);
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            expect_pair(schema, "q_min,q_max,x\n@,9,1\n", cells[i], cells[j], reader_tells_apart(cells[i], cells[j]));
            expect_pair(schema, "q_min,q_max,x\n1,@,1\n", cells[i], cells[j], reader_tells_apart(cells[i], cells[j]));
        }
    kanon_schema_free(schema);
}

/* What the schema joins is one, whatever both look like, and nothing else is. */
static void joined_by_the_schema(void **state)
{
    (void)state;
    const char *const *cells = families[7].cells; /* stars and missing texts */
    for (int i = 0; cells[i] != NULL; i++)
        for (int j = i + 1; cells[j] != NULL; j++) {
            char a[CELL], b[CELL], list[2 * CELL + 8];
            kanon_schema *schema = new_schema(families[7].type);
            a[characters_of(a, cells[i])] = '\0';
            b[characters_of(b, cells[j])] = '\0';
            snprintf(list, sizeof list, "['%s', '%s']", a, b);
            assert_int_equal(kanon_schema_set(schema, NULL, "same", list, NULL), KANON_OK);
            expect_pair(schema, "q,x\n@,1\n", cells[i], cells[j], false);
            if (reader_tells_apart(cells[j], "other"))
                expect_pair(schema, "q,x\n@,1\n", cells[j], "other", true);
            kanon_schema_free(schema);
        }
}

/* ---- nulls of a typed source ------------------------------------------------------------------------------------- */

typedef struct pair_stream {
    int32_t offsets[3];
    uint8_t validity;
    char data[2 * CELL];
    bool given;
    const char *format;
    struct ArrowArray column, *columns[1];
    struct ArrowSchema field, *fields[1];
    const void *buffers[3], *no_buffers[1];
} pair_stream;

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    pair_stream *s = stream->private_data;
    s->field = (struct ArrowSchema){.format = s->format, .name = "q", .flags = ARROW_FLAG_NULLABLE};
    s->field.release = release_schema;
    s->fields[0] = &s->field;
    *out = (struct ArrowSchema){
        .format = "+s", .name = "", .n_children = 1, .children = s->fields, .release = release_schema};
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    pair_stream *s = stream->private_data;
    *out = (struct ArrowArray){0};
    if (s->given)
        return 0;
    s->given = true;
    s->column = (struct ArrowArray){.length = 2,
                                    .null_count = -1,
                                    .n_buffers = s->format[0] == 'u' ? 3 : 2,
                                    .buffers = s->buffers,
                                    .release = release_array};
    s->columns[0] = &s->column;
    *out = (struct ArrowArray){.length = 2,
                               .n_buffers = 1,
                               .buffers = s->no_buffers,
                               .n_children = 1,
                               .children = s->columns,
                               .release = release_array};
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    (void)stream;
    return NULL;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    stream->release = NULL;
}

static void expect_stream_pair(const kanon_schema *schema, pair_stream *s, bool apart)
{
    struct ArrowArrayStream stream = {.get_schema = get_schema,
                                      .get_next = get_next,
                                      .get_last_error = get_last_error,
                                      .release = release_stream,
                                      .private_data = s};
    kanon_check *check = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    const kanon_check_options options = {.struct_size = sizeof options, .k = 2};
    if (kanon_check_read(&check, KANON_STREAM(&stream), schema, &options, &err) != KANON_OK)
        fail_msg("%s", err.message);
    if (check->k != (apart ? 1 : 2))
        fail_msg("k = %lld of a pair of format %s", (long long)check->k, s->format);
    kanon_check_free(check);
    n_pairs++;
}

/* NULL is a null. */
static void expect_typed_pair(const kanon_schema *schema, const char *left, const char *right, bool apart)
{
    pair_stream s = {.validity = (uint8_t)((left != NULL) | (right != NULL) << 1)};
    size_t n_left = left != NULL ? strlen(left) : 0, n_right = right != NULL ? strlen(right) : 0;
    s.offsets[1] = (int32_t)n_left;
    s.offsets[2] = (int32_t)(n_left + n_right);
    memcpy(s.data, left != NULL ? left : "", n_left);
    memcpy(s.data + n_left, right != NULL ? right : "", n_right);
    s.format = "u";
    s.buffers[0] = &s.validity;
    s.buffers[1] = s.offsets;
    s.buffers[2] = s.data;
    expect_stream_pair(schema, &s, apart);
}

/* A null is no text: a reader tells it from the empty one, from a star, and from what the schema calls missing. */
static void nulls(void **state)
{
    static const char *const texts[] = {NULL, "", "*", "**", "?", "NA", " ", "null", "None", "nurse", "{nurse}",
                                        "\"nurse\""};
    enum { N = sizeof texts / sizeof *texts };
    (void)state;
    kanon_schema *schema = NULL;
    assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "q", "role", "quasi", NULL), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, NULL, "missing", "?", NULL), KANON_OK);
    for (int i = 0; i < N; i++)
        for (int j = i; j < N; j++) {
            bool apart = texts[i] == NULL || texts[j] == NULL ? texts[i] != texts[j] : strcmp(texts[i], texts[j]) != 0;
            expect_typed_pair(schema, texts[i], texts[j], apart);
            expect_typed_pair(schema, texts[j], texts[i], apart);
        }
    kanon_schema_free(schema);
}

/* ---- numbers of a typed source ----------------------------------------------------------------------------------- */

/* The cells are those of q; `format` is g or f, float64 or float32. NULL is a null. */
static void expect_real_pair(const kanon_schema *schema, const char *format, const double *left, const double *right,
                             bool apart)
{
    pair_stream s = {.validity = (uint8_t)((left != NULL) | (right != NULL) << 1)};
    double wide[2] = {left != NULL ? *left : 0, right != NULL ? *right : 0};
    float narrow[2] = {(float)wide[0], (float)wide[1]};
    s.format = format;
    s.buffers[0] = &s.validity;
    s.buffers[1] = format[0] == 'g' ? (void *)wide : (void *)narrow;
    expect_stream_pair(schema, &s, apart);
}

/* A reader tells -0 from 0, and NaN from a null. */
static void reals(void **state)
{
    static const double zero = 0, minus_zero = -0.0, no_number = NAN, one = 1, minus_one = -1;
    static const double *const cells[] = {NULL, &zero, &minus_zero, &no_number, &one, &minus_one};
    enum { N = sizeof cells / sizeof *cells };
    (void)state;
    kanon_schema *schema = NULL;
    assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "q", "role", "quasi", NULL), KANON_OK);
    for (int i = 0; i < N; i++)
        for (int j = 0; j < N; j++) {
            expect_real_pair(schema, "g", cells[i], cells[j], i != j);
            expect_real_pair(schema, "f", cells[i], cells[j], i != j);
        }
    kanon_schema_free(schema);
}

/* ---- sensitive columns ------------------------------------------------------------------------------------------- */

/* A cell and what may stand behind it, as bits over the values of its column. */
typedef struct secret {
    const char *cell;
    unsigned values;
} secret;

/* flu 1, gout 2, hiv 4, cold 8, `missing` 16 and anything else 32 */
static const secret diseases[] = {{"flu", 1},   {"gout", 2},  {"hiv", 4},   {"{flu}", 1},       {" flu", 1},
                                  {"flu ", 1},  {"{ flu }", 1}, {"*", 63}, {"**", 63},          {"* ", 63},
                                  {"?", 16},    {"NA", 16},   {"", 16},     {"\"{flu,gout}\"", 3}, {"\"{flu,flu}\"", 1},
                                  {"f*", 33},   {"*t", 34},   {"\"flu\"", 1}, {"cold", 8}};
/* whole numbers from 0 to 20 as bits */
static const secret numbers[] = {{"3", 1u << 3},
                                 {"4", 1u << 4},
                                 {"3 ", 1u << 3},
                                 {"{3}", 1u << 3},
                                 {"[3..4]", 3u << 3},
                                 {"3-4", 3u << 3},
                                 {"\"[3,4)\"", 1u << 3},
                                 {"[5..9]", 31u << 5},
                                 {"<5", 31},
                                 {">=5", 0x1fffe0},
                                 {"*", 0x1fffff},
                                 {"\"{3,4}\"", 3u << 3}};

static void expect_secrets(const kanon_schema *schema, const secret *a, const secret *b)
{
    char text[4 * CELL];
    size_t used = (size_t)snprintf(text, sizeof text, "q,s,x\n1,%s,1\n1,%s,1\n", a->cell, b->cell);
    kanon_check *check = check_bytes(schema, text, used);
    /* two plain values that differ are two; of others the check may say less than is true, never more */
    bool plain = strpbrk(a->cell, "[<>-*,") == NULL && strpbrk(b->cell, "[<>-*,") == NULL;
    double truth = (a->values & b->values) == 0 ? 2 : 1, found = check->figures[0]->value;
    if (found > truth || (plain && found != truth) || (check->holds != 0) != (found == 2))
        fail_msg("%g values, %s, in\n%s", found, check->holds ? "holds" : "fails", text);
    kanon_check_free(check);
    n_pairs++;
}

static void sensitive_cells(void **state)
{
    static const struct {
        const secret *cells;
        size_t n;
        kanon_type type;
    } columns[] = {
        {diseases, sizeof diseases / sizeof *diseases, KANON_TYPE_UNKNOWN},
        {diseases, sizeof diseases / sizeof *diseases, KANON_TYPE_CATEGORICAL},
        {numbers, sizeof numbers / sizeof *numbers, KANON_TYPE_UNKNOWN},
        {numbers, sizeof numbers / sizeof *numbers, KANON_TYPE_INTEGER},
        {numbers, sizeof numbers / sizeof *numbers, KANON_TYPE_DECIMAL},
    };
    (void)state;
    for (size_t c = 0; c < sizeof columns / sizeof *columns; c++) {
        kanon_schema *schema = new_schema(KANON_TYPE_UNKNOWN);
        assert_int_equal(kanon_schema_set(schema, "s", "role", "sensitive", NULL), KANON_OK);
        if (columns[c].type != KANON_TYPE_UNKNOWN)
            assert_int_equal(kanon_schema_set(schema, "s", "type", kanon_enum_text(KANON_ENUM_TYPE, columns[c].type), NULL),
                             KANON_OK);
        assert_int_equal(
            kanon_schema_set(schema, NULL, "constraint", "{model: distinct-l-diversity, attribute: s, l: 2}", NULL),
            KANON_OK);
        for (size_t i = 0; i < columns[c].n; i++)
            for (size_t j = i; j < columns[c].n; j++)
                expect_secrets(schema, &columns[c].cells[i], &columns[c].cells[j]);
        kanon_schema_free(schema);
    }
    print_message("%d pairs\n", n_pairs);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quasi_cells), cmocka_unit_test(ends_in_columns), cmocka_unit_test(joined_by_the_schema),
        cmocka_unit_test(nulls),       cmocka_unit_test(reals),     cmocka_unit_test(sensitive_cells),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
