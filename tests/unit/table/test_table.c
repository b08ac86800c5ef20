/* Reading tables: what becomes of each cell, and what is said about those that are wrong. */
#include "core/alloc.h"
#include "support.h"
#include "table/read/table.h"

static const kanon__column *column_of(const kanon_table *table, const char *name)
{
    for (int i = 0; i < table->data.n_columns; i++)
        if (strcmp(table->data.columns[i].name, name) == 0)
            return &table->data.columns[i];
    fail_msg("no column %s", name);
    return NULL;
}

static void assert_codes(const kanon_table *table, const char *name, const uint32_t *expected)
{
    const kanon__column *column = column_of(table, name);
    assert_true(column->domain != NULL);
    for (int64_t row = 0; row < table->data.n_rows; row++)
        if (kanon__code_at(column->codes, row) != expected[row])
            fail_msg("row %lld of %s is %u, not %u", (long long)row, name, kanon__code_at(column->codes, row),
                     expected[row]);
}

static void assert_code_text(const kanon_table *table, const char *name, uint32_t code, const char *expected)
{
    size_t length;
    const char *text = kanon__column_text(column_of(table, name), code, &length);
    if (length != strlen(expected) || memcmp(text, expected, length) != 0)
        fail_msg("code %u of %s is '%.*s', not '%s'", code, name, (int)length, text, expected);
}

#define CODES(...) ((const uint32_t[]){__VA_ARGS__})

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

/* The drawing in table.h. */
static void numbers_become_ranks(void **state)
{
    (void)state;
    kanon_table *table = table_of("missing: [\"?\"]\nattributes: {age: {role: quasi, type: integer}}\n",
                                  "age\n24\n22\n?\n33\n23\n");
    const kanon__column *age = column_of(table, "age");
    assert_codes(table, "age", CODES(2, 0, 4, 3, 1));
    assert_int_equal(age->domain->n_codes, 5);
    assert_int_equal(age->domain->missing_code, 4);
    assert_int_equal(age->domain->scale, 0);
    static const int64_t values[] = {22, 23, 24, 33};
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(age->domain->scaled[i], values[i]);
        assert_true(age->domain->values[i] == (double)values[i]);
    }
    assert_code_text(table, "age", 3, "33");
    assert_code_text(table, "age", 4, "?");
    kanon_table_free(table);
}

/* A column takes 1, 2 or 4 bytes a cell; at the borders every code is still itself. */
static void width_follows_the_domain(void **state)
{
    static const struct {
        uint32_t n_values;
        int width;
    } cases[] = {{256, 1}, {257, 2}, {65536, 2}, {65537, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t n = cases[i].n_values;
        char *text = malloc(8 * (size_t)n + 8), *end = text;
        assert_non_null(text);
        end += sprintf(end, "x\n");
        for (uint32_t value = n; value-- > 0;)
            end += sprintf(end, "%u\n", value);
        kanon_table *table = table_of("attributes: {x: {role: quasi, type: integer}}\n", text);
        const kanon__column *x = column_of(table, "x");
        assert_int_equal(x->codes.width, cases[i].width);
        for (uint32_t row = 0; row < n; row++)
            assert_int_equal(kanon__code_at(x->codes, row), n - 1 - row);
        kanon_table_free(table);
        free(text);
    }
}

/* Where memory is short the codes lie in a file, and are the same. */
static void codes_can_lie_in_a_file(void **state)
{
    enum { N_ROWS = 3000 };
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_read_options options = {.struct_size = sizeof options, .memory = 1000};
    place schema_path = scratch("s.yaml"), table_path = scratch("t.csv");
    (void)state;
    write_text(schema_path.text, "attributes: {x: {role: quasi, type: integer}}\n");
    FILE *file = fopen(table_path.text, "wb");
    assert_non_null(file);
    fprintf(file, "x\n");
    for (int row = 0; row < N_ROWS; row++)
        fprintf(file, "%d\n", row * 7 % 1000);
    assert_int_equal(fclose(file), 0);
    assert_done(kanon_schema_read(&schema, KANON_PATH(schema_path.text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(table_path.text), schema, &options, &err), &err);
    assert_true(table->data.spilled && table->data.columns[0].codes.spilled);
    for (uint32_t row = 0; row < N_ROWS; row++)
        assert_int_equal(kanon__code_at(table->data.columns[0].codes, row), row * 7 % 1000);
    kanon_table_free(table);
    char *before = getenv("TMPDIR") != NULL ? strdup(getenv("TMPDIR")) : NULL;
    setenv("TMPDIR", "/nonexistent/directory", 1);
    assert_int_equal(kanon_table_read(&table, KANON_PATH(table_path.text), schema, &options, &err), KANON_EIO);
    assert_holds(err.message, "/nonexistent/directory");
    if (before != NULL)
        setenv("TMPDIR", before, 1);
    else
        unsetenv("TMPDIR");
    free(before);
    kanon_schema_free(schema);
}

static void equal_numbers_share_a_code(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes:\n  d: {role: quasi, type: decimal}\n  i: {role: quasi, type: integer}\n",
                                  "d,i\n1.50,007\n-2,+7\n15e-1,7\n+1.5,-0\n.25,0\n-2.0,8\n0.250,-1\n");
    assert_codes(table, "d", CODES(2, 0, 2, 2, 1, 0, 1));
    assert_code_text(table, "d", 0, "-2");
    assert_code_text(table, "d", 1, ".25");
    assert_code_text(table, "d", 2, "1.50");
    assert_int_equal(column_of(table, "d")->domain->n_codes, 3);
    assert_int_equal(column_of(table, "d")->domain->scale, 2);
    assert_int_equal(column_of(table, "d")->domain->scaled[0], -200);
    assert_int_equal(column_of(table, "d")->domain->scaled[2], 150);
    assert_codes(table, "i", CODES(2, 2, 2, 1, 1, 3, 0));
    assert_code_text(table, "i", 2, "007");
    assert_code_text(table, "i", 1, "-0");
    kanon_table_free(table);
}

static void dates_are_days(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes: {d: {role: quasi, type: date}}\n",
                                  "d\n2000-03-01\n1969-12-31\n2000-02-29\n1970-01-01\n");
    const kanon__column *d = column_of(table, "d");
    assert_codes(table, "d", CODES(3, 0, 2, 1));
    assert_int_equal(d->domain->scaled[0], -1);
    assert_int_equal(d->domain->scaled[1], 0);
    assert_int_equal(d->domain->scaled[3] - d->domain->scaled[2], 1);
    assert_int_equal(d->domain->scaled[3], 11017); /* 30 years with 7 leap days, 31 + 29 */
    assert_code_text(table, "d", 2, "2000-02-29");
    kanon_table_free(table);
}

/* Digits that 64 bits cannot hold at one scale: then the doubles have to do. */
static void huge_numbers_have_no_common_scale(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes: {d: {role: quasi, type: decimal}}\n", "d\n1e30\n0.5\n-1e30\n1e30\n");
    const kanon__column *d = column_of(table, "d");
    assert_null(d->domain->scaled);
    assert_codes(table, "d", CODES(2, 1, 0, 2));
    assert_true(d->domain->values[0] == -1e30 && d->domain->values[1] == 0.5 && d->domain->values[2] == 1e30);
    kanon_table_free(table);
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

static void categories_become_leaves(void **state)
{
    (void)state;
    kanon_table *table = table_of(
        "missing: [\"?\", NA]\n"
        "attributes:\n"
        "  flat: {role: quasi, type: categorical}\n"
        "  zip: {role: quasi, type: categorical, mask: right}\n"
        "  ill: {role: sensitive, taxonomy: {Cancer: , Viral: {HIV: , Respiratory: {Flu: , Bronchitis: }}}}\n",
        "flat,zip,ill\nb,75277,Flu\na,75275,HIV\n?,?,?\nB,12345,Cancer\nNA,75275,Bronchitis\nb,75278,Flu\n");
    /* by bytes, and the missing leaf last; in a tree, the order in which it is written */
    assert_codes(table, "flat", CODES(2, 1, 3, 0, 3, 2));
    assert_int_equal(column_of(table, "flat")->domain->missing_code, 3);
    assert_int_equal(column_of(table, "flat")->domain->n_codes, 4);
    assert_code_text(table, "flat", 0, "B");
    assert_code_text(table, "flat", 3, "?");
    assert_codes(table, "zip", CODES(2, 1, 4, 0, 1, 3));
    assert_codes(table, "ill", CODES(2, 1, 4, 0, 3, 2));
    assert_int_equal(column_of(table, "ill")->domain->taxonomy->height[0], 3);
    assert_int_equal(column_of(table, "zip")->domain->taxonomy->height[0], 5);
    assert_int_equal(table->data.n_quasi, 2);
    assert_int_equal(table->data.n_sensitive, 1);
    assert_int_equal(table->data.sensitive[0], 2);
    kanon_table_free(table);
}

/* Leaves of the taxonomy that no record has are codes all the same: they belong to the domain. */
static void taxonomy_files_are_the_domain(void **state)
{
    (void)state;
    write_text(scratch("job.csv").text, "cook;work;*\nbaker;work;*\nnone;*\n");
    kanon_table *table = table_of("attributes: {job: {role: quasi, taxonomy: job.csv}}\n", "job\nnone\ncook\n");
    assert_codes(table, "job", CODES(2, 0));
    assert_int_equal(column_of(table, "job")->domain->n_codes, 3);
    assert_int_equal(column_of(table, "job")->domain->missing_code, KANON__NO_CODE);
    assert_int_equal(kanon_table_column_at(table, 0)->type, KANON_TYPE_CATEGORICAL);
    kanon_table_free(table);
}

static void quoted_cells(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes:\n  a: {role: quasi}\n  b: {role: quasi}\n",
                                  "a,b\n\"say \"\"x\"\"\",\"7\"\n\"say \"\"x\"\"\",7\n\"a,\nb\",8\n\"\"\"\",\"7\"\n");
    assert_codes(table, "a", CODES(2, 2, 1, 0));
    assert_code_text(table, "a", 2, "say \"x\"");
    assert_code_text(table, "a", 1, "a,\nb");
    assert_code_text(table, "a", 0, "\"");
    assert_codes(table, "b", CODES(0, 0, 1, 0));
    assert_int_equal(kanon_table_column_at(table, 1)->type, KANON_TYPE_INTEGER);
    kanon_table_free(table);
}

/* ---- types ------------------------------------------------------------------------------------------------------- */

static void types_are_inferred(void **state)
{
    (void)state;
    kanon_table *table = table_of("missing: [\"?\", \"\"]\ndefault-role: quasi\nattributes: {id: {role: identifying}}\n",
                                  "id,int,dec,cat,date,none,quoted\n"
                                  "1,5,5,5,2020-01-01,?,\"1\"\n"
                                  "2,?,1.5,?,2020-01-02,,\"2\"\n"
                                  "3,-7,,x1,?,?,3\n");
    static const kanon_type expected[] = {KANON_TYPE_UNKNOWN,     KANON_TYPE_INTEGER,     KANON_TYPE_DECIMAL,
                                          KANON_TYPE_CATEGORICAL, KANON_TYPE_DATE,        KANON_TYPE_CATEGORICAL,
                                          KANON_TYPE_INTEGER};
    assert_non_null(kanon_table_column_at(table, 6));
    assert_null(kanon_table_column_at(table, 7));
    for (int i = 0; i < 7; i++)
        assert_int_equal(kanon_table_column_at(table, i)->type, expected[i]);
    assert_codes(table, "none", CODES(0, 0, 0));
    assert_int_equal(column_of(table, "none")->domain->missing_code, 0);
    assert_int_equal(kanon_table_column_at(table, 0)->role, KANON_ROLE_IDENTIFYING);
    assert_int_equal(kanon_table_column_at(table, 1)->role, KANON_ROLE_QUASI);
    assert_null(table->data.columns[0].domain);
    kanon_table_free(table);
    /* numbers under a taxonomy are categories, and so are numbers that are called so */
    table = table_of("attributes:\n  a: {role: quasi, mask: right}\n  b: {role: quasi, type: categorical}\n",
                     "a,b\n10,1\n11,1.0\n");
    assert_int_equal(kanon_table_column_at(table, 0)->type, KANON_TYPE_CATEGORICAL);
    assert_int_equal(column_of(table, "b")->domain->n_codes, 2);
    kanon_table_free(table);
}

static void missing_numbers_without_numbers(void **state)
{
    (void)state;
    kanon_table *table = table_of("missing: [\"?\", NA]\nattributes: {a: {role: quasi, type: integer}}\n", "a\nNA\n?\nNA\n");
    assert_codes(table, "a", CODES(0, 0, 0));
    assert_int_equal(column_of(table, "a")->domain->missing_code, 0);
    assert_int_equal(column_of(table, "a")->domain->n_codes, 1);
    assert_code_text(table, "a", 0, "NA"); /* the text that came first */
    kanon_table_free(table);
}

/* ---- what is wrong ----------------------------------------------------------------------------------------------- */

static void assert_refused_with(const char *yaml, const char *csv, const kanon_read_options *options, const char *message,
                                const char *hint)
{
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = read_table(&table, yaml, csv, options, &err);
    if (st != KANON_EDATA)
        fail_msg("%s: %s", kanon_enum_text(KANON_ENUM_STATUS, st), err.message);
    assert_null(table);
    assert_int_equal(err.status, KANON_EDATA);
    assert_holds(err.message, message);
    assert_holds(err.hint, hint);
}

static void assert_refused(const char *yaml, const char *csv, const char *message, const char *hint)
{
    assert_refused_with(yaml, csv, NULL, message, hint);
}

static void bad_values_are_told_with_lines(void **state)
{
    (void)state;
    assert_refused("attributes: {age: {role: quasi, type: integer}}\n", "age\n22\nsecretA\n23\n1.5\nsecretA\nsecretB\n",
                   "t.csv:3: age: not a whole number (more such values: line 5, 7)", "missing");
    assert_refused("attributes: {x: {role: quasi, type: decimal}}\n", "x,y\n1,a\n1e400,b\n", "t.csv:3: x: not a number",
                   "decimal");
    assert_refused("attributes: {d: {role: quasi, type: date}}\n", "d\n2020-02-30\n", "t.csv:2: d: not a date",
                   "YYYY-MM-DD");
    /* lines are lines of the file, not records */
    assert_refused("attributes: {n: {role: insensitive}, age: {role: quasi, type: integer}}\n",
                   "n,age\n\"two\nlines\",1\n\"a\n\nb\",x\n", "t.csv:4: age: not a whole number", "");
    assert_refused("attributes: {job: {role: quasi, taxonomy: {cook: , baker: }}}\n", "job\ncook\nsecretA\nbaker\nsecretB\n",
                   "t.csv:3: job: value is no leaf of the column's taxonomy (more such values: line 5)", "taxonomy");
}

static void cell_values_stay_secret(void **state)
{
    static const char *const yamls[] = {
        "attributes: {a: {role: quasi, type: integer}}\n", "attributes: {a: {role: quasi, type: decimal}}\n",
        "attributes: {a: {role: quasi, type: date}}\n", "attributes: {a: {role: quasi, taxonomy: {cook: , baker: }}}\n",
        "attributes: {a: {role: sensitive, taxonomy: {cook: , baker: }}, b: {role: quasi}}\n"};
    (void)state;
    for (size_t i = 0; i < sizeof yamls / sizeof *yamls; i++) {
        kanon_table *table = NULL;
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(read_table(&table, yamls[i], "a,b\nsecretA,1\nsecretB,2\nsecretC,3\n", NULL, &err), KANON_EDATA);
        assert_null(strstr(err.message, "secret"));
        assert_null(strstr(err.hint, "secret"));
    }
}

/* Eleven bad values: ten lines at most are told, and how many there are. */
static void many_bad_values_are_counted(void **state)
{
    char csv[400] = "age\n";
    (void)state;
    for (int i = 0; i < 25; i++)
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), "bad%c\n", 'a' + i);
    assert_refused("attributes: {age: {role: quasi, type: integer}}\n", csv,
                   "t.csv:2: age: not a whole number (more such values: line 3, 4, 5, 6, 7, 8, 9, 10, 11, ... 25 in all)",
                   "");
}

static void unknown_columns_are_told(void **state)
{
    (void)state;
    assert_refused("attributes:\n  age: {role: quasi}\n  gendre: {role: quasi}\n", "age,gender\n1,x\n",
                   "s.yaml:3: gendre: the table has no such column", "did you mean 'gender'?");
    assert_refused("attributes:\n  age: {role: quasi}\n  occupation: {role: quasi}\n", "age,gender\n1,x\n",
                   "s.yaml:3: occupation: the table has no such column", "delimiter");
    assert_refused("attributes: {age: {role: quasi}}\nkey: [idd]\n", "age,id\n1,x\n", "idd: the table has no such column",
                   "did you mean 'id'?");
    assert_refused("attributes: {age: {role: quasi}}\nentity: person\n", "age,id\n1,x\n",
                   "person: the table has no such column", "");
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "Age", "role", "quasi", NULL), KANON_OK);
    assert_int_equal(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), KANON_EDATA);
    assert_holds(err.message,
                 "t.csv:1: Age: the table has no such column"); /* said by a flag, so there is no line of a schema */
    assert_holds(err.hint, "did you mean 'age'?");
    kanon_schema_free(schema);
}

static const char *topic_of(const char *yaml)
{
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(read_table(&table, yaml, "age\n1\n", NULL, &err), KANON_EDATA);
    return err.topic == NULL ? "" : err.topic;
}

/* So that a host can say in its own words how columns are named; a slip of the pen has its own hint. */
static void wrong_columns_have_a_topic(void **state)
{
    (void)state;
    assert_string_equal(topic_of("attributes: {age: sensitive}\n"), "roles");
    assert_string_equal(topic_of("attributes: {profession: quasi}\n"), "columns");
    assert_string_equal(topic_of("attributes: {agee: quasi}\n"), "");
}

static void tables_without_use_are_refused(void **state)
{
    (void)state;
    assert_refused("attributes: {a: {role: sensitive}}\n", "a\n1\n", "no column is a quasi-identifier",
                   "give the role quasi");
    assert_refused("attributes: {a: {role: quasi}}\n", "a\n", "t.csv:2: a: no records", "");
    assert_refused("attributes: {a: {role: quasi}}\n", "", "t.csv:1: column 1: the file is empty", "");
    assert_refused("attributes: {a: {role: quasi}}\n", "a,b\n1,2\n3\n", "t.csv:3", "");
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon_schema_new(&schema, NULL, NULL), KANON_OK);
    assert_int_equal(kanon_table_read(&table, KANON_PATH(scratch("nowhere.csv").text), schema, NULL, &err), KANON_EIO);
    assert_holds(err.message, "nowhere.csv");
    assert_null(table);
    kanon_schema_free(schema);
}

/* ---- unnamed columns --------------------------------------------------------------------------------------------- */

static void unnamed_columns_are_told(void **state)
{
    (void)state;
    kanon_table *table = table_of("attributes: {a: {role: quasi}}\n", "x,a,y\n1,2,3\n");
    assert_string_equal(kanon_table_notice_at(table, 0)->text,
                        "not named in the schema, so withheld: x, y; to release a column, give "
                                                       "it the role insensitive");
    assert_null(kanon_table_notice_at(table, 1));
    assert_null(kanon_table_notice_at(table, SIZE_MAX));
    assert_int_equal(kanon_table_column_at(table, 0)->role, KANON_ROLE_IDENTIFYING);
    kanon_table_free(table);
    table = table_of("default-role: insensitive\nattributes: {a: {role: quasi}}\n", "x,a\n1,2\n");
    assert_string_equal(kanon_table_notice_at(table, 0)->text, "not named in the schema, so insensitive: x");
    assert_int_equal(kanon_table_column_at(table, 0)->role, KANON_ROLE_INSENSITIVE);
    kanon_table_free(table);
    table = table_of("attributes: {a: {role: quasi}, x: {role: insensitive}}\n", "x,a\n1,2\n");
    assert_null(kanon_table_notice_at(table, 0));
    kanon_table_free(table);
}

static void strict_wants_every_column(void **state)
{
    kanon_read_options strict = {.struct_size = sizeof strict, .strict = 1};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_refused_with("attributes: {a: {role: quasi}}\n", "x,a,y\n1,2,3\n", &strict,
                        "t.csv:1: x: the schema does not name these columns: x, y", "role");
    assert_refused_with("attributes: {a: {role: quasi}}\n", "a,y\n2,3\n", &strict,
                        "t.csv:1: y: the schema does not name this column", "role");
    assert_done(read_table(&table, "attributes: {a: {role: quasi}}\n", "a\n2\n", &strict, &err), &err);
    kanon_table_free(table);
}

/* All names are listed, however many they are: a column that is left out by mistake must be found. */
static void many_unnamed_columns(void **state)
{
    static char csv[20000];
    (void)state;
    strcpy(csv, "a");
    for (int i = 0; i < 200; i++)
        snprintf(csv + strlen(csv), sizeof csv - strlen(csv), ",column-%03d", i);
    strcat(csv, "\n1");
    for (int i = 0; i < 200; i++)
        strcat(csv, ",1");
    strcat(csv, "\n");
    kanon_table *table = table_of("attributes: {a: {role: quasi}}\n", csv);
    const char *warning = kanon_table_notice_at(table, 0)->text;
    assert_holds(warning, "withheld: column-000, column-001, ");
    assert_holds(warning, ", column-198, column-199; ");
    kanon_table_free(table);
}

/* A name that alone is longer than a message may be. */
static void unnamed_column_with_a_long_name(void **state)
{
    char csv[1000], name[701];
    kanon_read_options strict = {.struct_size = sizeof strict, .strict = 1};
    (void)state;
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = '\0';
    snprintf(csv, sizeof csv, "a,%s,b\n1,2,3\n", name);
    kanon_table *table = table_of("attributes: {a: {role: quasi}}\n", csv);
    assert_holds(kanon_table_notice_at(table, 0)->text, name);
    assert_holds(kanon_table_notice_at(table, 0)->text, "xxx, b; ");
    kanon_table_free(table);
    assert_refused_with("attributes: {a: {role: quasi}}\n", csv, &strict, "the schema does not name these columns", "role");
}

/* ---- the file's form and the schema's wishes --------------------------------------------------------------------- */

static void form_of_the_file_is_kept(void **state)
{
    static const char csv[] = "a:b\n1,5:2\n", yaml[] = "attributes: {a: {role: quasi}, b: {role: quasi}}\n";
    const kanon_input input = {.struct_size = sizeof input, .bytes = csv, .size = sizeof csv - 1, .delimiter = ":"};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    table = table_of("attributes: {a: {role: quasi}, b: {role: insensitive}}\n", "\xef\xbb\xbf"
                                                                                 "a;b\r\n1;x\r\n2;y\r\n");
    assert_true(table->source->crlf);
    assert_int_equal(table->source->delimiter, ';');
    assert_string_equal(kanon_table_column_at(table, 0)->name, "a");
    assert_null(kanon_table_column_at(table, 2));
    assert_null(kanon_table_column_at(table, SIZE_MAX));
    assert_int_equal(kanon_table_rows(table), 2);
    kanon_table_free(table);
    assert_done(kanon_schema_read(&schema, KANON_BYTES(yaml, sizeof yaml - 1), NULL, &err), &err);
    assert_done(kanon_table_read(&table, &input, schema, NULL, &err), &err);
    kanon_schema_free(schema);
    assert_false(table->source->crlf);
    assert_codes(table, "a", CODES(0));
    assert_code_text(table, "a", 0, "1,5");
    kanon_table_free(table);
}

static void wishes_of_the_schema_are_kept(void **state)
{
    (void)state;
    kanon_table *table = table_of(
        "attributes: {a: {role: quasi, weight: 2.50}, s: {role: sensitive}}\n"
        "privacy: {k: 10, suppress: 0.29, constraints: [{model: t-closeness, attribute: s, t: 0.3}]}\n"
        "algorithm: {name: mondrian, ties: relaxed}\nentity: who\nentity-together: true\n",
        "a,s,who\n1,x,eve\n2,y,bob\n3,y,eve\n4,x,\n5,x,zoe\n6,x,bob\n7,x,eve\n");
    assert_int_equal(table->policy.k, 10);
    assert_string_equal(table->policy.algorithm, "mondrian");
    assert_int_equal(table->policy.n_settings, 1);
    assert_string_equal(table->policy.settings[0].name, "ties");
    assert_string_equal(table->policy.settings[0].value, "relaxed");
    assert_int_equal(table->policy.n_constraints, 1);
    assert_string_equal(table->policy.constraints[0].values.items[2], "0.3");
    assert_int_equal(table->policy.constraints[0].line, 2);
    assert_true(table->data.has_entity && table->policy.entity_together);
    const uint32_t whose[] = {0, 1, 0, 2, 3, 1, 0};
    assert_int_equal(table->data.n_entities, 4);
    for (int row = 0; row < 7; row++)
        assert_int_equal(kanon__code_at(table->data.entity_codes, row), whose[row]);
    assert_int_equal(column_of(table, "who")->role, KANON_ROLE_IDENTIFYING); /* unless the schema names it */
    assert_int_equal(kanon__fraction_of(table->policy.suppress, table->data.n_rows), 2); /* 2.03 */
    assert_string_equal(table->policy.schema_path, scratch("s.yaml").text);
    assert_true(column_of(table, "a")->weight == 2.5);
    assert_string_equal(column_of(table, "a")->weight_text, "2.50");
    assert_true(column_of(table, "s")->weight == 1);
    kanon_table_free(table);
}

/* What the schema says counts where the call says nothing, and the call wins. */
static void wishes_are_followed(void **state)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_table *table = table_of(
        "attributes: {a: {role: quasi}}\nprivacy: {k: 3}\nalgorithm: {name: mondrian, ties: loose}\n",
        "a\n1\n2\n3\n4\n5\n6\n");
    assert_int_equal(kanon_anonymize(&grouping, table, NULL, &err), KANON_EINVAL); /* the setting of the schema is checked */
    assert_holds(err.hint, "relaxed");
    kanon_setting relaxed = {"ties", "relaxed"};
    kanon_options options = {.struct_size = sizeof options, .algorithm = "kmember"};
    assert_done(kanon_anonymize(&grouping, table, &options, &err),
                &err); /* the settings of another algorithm do not count */
    assert_int_equal(kanon_grouping_describe(grouping)->smallest, 3);
    kanon_grouping_free(grouping);
    options = (kanon_options){.struct_size = sizeof options, .k = 2};
    assert_int_equal(kanon_anonymize(&grouping, table, &options, &err), KANON_EINVAL);
    kanon_table_free(table);
    table = table_of("attributes: {a: {role: quasi}}\nprivacy: {k: 3}\nalgorithm: {name: mondrian, ties: strict}\n",
                     "a\n1\n1\n1\n1\n1\n2\n");
    options = (kanon_options){.struct_size = sizeof options, .settings = &relaxed, .n_settings = 1};
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    assert_int_equal(kanon_grouping_describe(grouping)->groups, 2); /* ties fall on both sides: 3 and 3 */
    kanon_grouping_free(grouping);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    assert_int_equal(kanon_grouping_describe(grouping)->groups, 1); /* strict: five equal ones cannot be parted */
    kanon_grouping_free(grouping);
    kanon_table_free(table);
}

static int stop(const kanon_progress *progress, void *payload)
{
    *(const char **)payload = progress->stage;
    return 1;
}

static void reading_can_be_cancelled(void **state)
{
    const char *stage = NULL;
    kanon_read_options options = {.struct_size = sizeof options, .tick = stop, .payload = &stage};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_int_equal(read_table(&table, "attributes: {a: {role: quasi}}\n", "a\n1\n2\n", &options, &err), KANON_ECANCELLED);
    assert_null(table);
    assert_string_equal(stage, "reading");
}

static void every_allocation_may_fail(void **state)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    write_text(scratch("job.csv").text, "cook;work;*\nbaker;work;*\nnone;*\n");
    table = table_of(
        "missing: [\"?\"]\n"
        "attributes:\n  a: {role: quasi, weight: 2}\n  b: {role: quasi, mask: left}\n  c: {role: quasi, taxonomy: job.csv}\n"
        "  d: {role: sensitive, type: date}\n"
        "privacy: {k: 2}\nalgorithm: {name: mondrian, ties: strict}\n",
        "a,b,c,d,e\n1.5,\"x\"\"1\",cook,2020-01-01,p\n?,y2,?,?,q\n");
    kanon_table_free(table);
    place path = scratch("t.csv");
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    kanon__alloc_fail_at(0, false);
    assert_done(kanon_table_read(&table, KANON_PATH(path.text), schema, NULL, &err), &err);
    int64_t n = kanon__alloc_count();
    kanon_table_free(table);
    for (int64_t i = 1; i <= 2 * n; i++) {
        table = (kanon_table *)&err;
        kanon__alloc_fail_at((i + 1) / 2, i % 2 == 0);
        kanon_status st = kanon_table_read(&table, KANON_PATH(path.text), schema, NULL, &err);
        kanon__alloc_fail_at(0, false);
        assert_int_equal(st, KANON_ENOMEM);
        assert_null(table);
    }
    kanon_schema_free(schema);
    assert_no_leak();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_become_ranks),
        cmocka_unit_test(width_follows_the_domain),
        cmocka_unit_test(codes_can_lie_in_a_file),
        cmocka_unit_test(equal_numbers_share_a_code),
        cmocka_unit_test(dates_are_days),
        cmocka_unit_test(huge_numbers_have_no_common_scale),
        cmocka_unit_test(categories_become_leaves),
        cmocka_unit_test(taxonomy_files_are_the_domain),
        cmocka_unit_test(quoted_cells),
        cmocka_unit_test(types_are_inferred),
        cmocka_unit_test(missing_numbers_without_numbers),
        cmocka_unit_test(bad_values_are_told_with_lines),
        cmocka_unit_test(cell_values_stay_secret),
        cmocka_unit_test(many_bad_values_are_counted),
        cmocka_unit_test(unknown_columns_are_told),
        cmocka_unit_test(wrong_columns_have_a_topic),
        cmocka_unit_test(tables_without_use_are_refused),
        cmocka_unit_test(unnamed_columns_are_told),
        cmocka_unit_test(strict_wants_every_column),
        cmocka_unit_test(many_unnamed_columns),
        cmocka_unit_test(unnamed_column_with_a_long_name),
        cmocka_unit_test(form_of_the_file_is_kept),
        cmocka_unit_test(wishes_of_the_schema_are_kept),
        cmocka_unit_test(wishes_are_followed),
        cmocka_unit_test(reading_can_be_cancelled),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
