/* Cells of records that come later: what a state understands as the table's own cells, and what it refuses. A refused change
 * changes nothing. */
#include "support.h"

/* A state of this table. */
static kanon_state *state_of(const char *yaml, const char *csv)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    place path = scratch("x.state");
    unlink(path.text);
    write_text(scratch("s.yaml").text, yaml);
    write_text(scratch("t.csv").text, csv);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&state, path.text, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return state;
}

static kanon_change done = KANON_INIT(kanon_change);

static kanon_status insert(kanon_state *state, const char *csv, bool grow, kanon_error *err)
{
    write_text(scratch("i.csv").text, csv);
    kanon_change_options options = {.struct_size = sizeof options, .grow_taxonomy = grow};
    return kanon_state_change(state, KANON_INSERT, KANON_PATH(scratch("i.csv").text), &options, &done, err);
}

/* How many records the state has, after all of it was checked. */
static int64_t count(kanon_state *state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_info *info = NULL;
    assert_done(kanon_state_describe(&info, state, &err), &err);
    int64_t n = info->records;
    kanon_state_info_free(info);
    return n;
}

/* The release of the state. */
static char *released(kanon_state *state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(scratch("r.csv").text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    assert_done(kanon_state_release(state, &options, &done, &err), &err);
    return read_text(scratch("r.csv").text);
}

typedef struct cell_case {
    const char *yaml, *csv, *delta, *message; /* NULL: all of it is taken */
} cell_case;

static const cell_case cell_cases[] = {
    /* numbers */
    {"x: {role: quasi, type: decimal}", "x\n1\n2\n3\n", "x\n0.1234567890123456789012345\n",
     "more digits than a state can hold"},
    {"x: {role: quasi, type: decimal}", "x\n0.000000001\n2\n3\n", "x\n99999999999999\n",
     "more digits than a state can hold"},
    {"x: {role: quasi, type: integer}", "x\n1\n2\n3\n", "x\n9223372036854775807\n", "more digits than a state can hold"},
    {"x: {role: quasi, type: decimal}", "x\n1\n2\n3\n", "x\n0.25\n7\n", NULL},
    {"x: {role: quasi, type: integer}", "x\n1\n2\n3\n", "x\n1.5\n", "not a whole number"},
    {"x: {role: quasi, type: decimal}", "x\n1\n2\n3\n", "x\nmany\n", "not a number"},
    {"x: {role: quasi, type: date}", "x\n2020-01-01\n2020-01-02\n2020-01-03\n", "x\n2020-13-45\n", "not a date"},
    {"x: {role: quasi, type: date, format: \"%d.%m.%Y\"}", "x\n01.02.2020\n02.02.2020\n03.02.2020\n", "x\n2020-02-04\n",
     "not a date"},
    {"x: {role: quasi, type: date, format: \"%d.%m.%Y\"}", "x\n01.02.2020\n02.02.2020\n03.02.2020\n", "x\n4.2.2020\n", NULL},
    /* masks: a star, nothing, more characters than the column had */
    {"x: {role: quasi, mask: right}", "x\n101\n102\n103\n", "x\n1*4\n", "x: "},
    {"x: {role: quasi, mask: right}", "x\n101\n102\n103\n", "x\n1045\n", "x: "},
    {"x: {role: quasi, mask: right}", "x\n101\n102\n103\n", "x\n104\n9\n\xc3\xa9\n", NULL},
    {"x: {role: quasi, mask: left}", "x\n101\n102\n103\n", "x\n204\n9\n", NULL},
    /* what means "missing" and stands elsewhere in the tree, or just below the root */
    {"x: {role: quasi, taxonomy: {cook: , office: {clerk: , boss: }}}", "x\ncook\nclerk\nboss\n", "x\nnone\n", NULL},
    {"x: {role: quasi, taxonomy: {cook: , office: {clerk: , boss: }}}", "x\ncook\nclerk\nboss\n", "x\noffice\n", "x: "},
    {"x: {role: quasi, taxonomy: {cook: , office: {clerk: , boss: }}}", "x\ncook\nclerk\nboss\n", "x\n?\n?\n", NULL},
    {"x: {role: quasi}", "x\ncook\nclerk\ncook\n", "x\nbaker\n?\n", NULL},
    {"x: {role: quasi}", "x\ncook\ncook\ncook\n", "x\nbaker\n", NULL},
};

static void later_cells(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof cell_cases / sizeof *cell_cases; i++) {
        const cell_case *c = &cell_cases[i];
        char yaml[400];
        kanon_error err = KANON_INIT(kanon_error);
        snprintf(yaml, sizeof yaml, "missing: [\"?\"]\njoint-k: off\nattributes:\n  %s\nprivacy: {k: 2}\n", c->yaml);
        kanon_state *s = state_of(yaml, c->csv);
        kanon_status st = insert(s, c->delta, c->message == NULL, &err);
        if (c->message == NULL ? st != KANON_OK : st != KANON_EDATA || strstr(err.message, c->message) == NULL)
            fail_msg("case %zu: %s: %s", i, kanon_enum_text(KANON_ENUM_STATUS, st), err.message);
        assert_int_equal(count(s) > 3, c->message == NULL);
        free(released(s));
        kanon_state_close(s);
    }
}

/* A text for "missing" that is an inner node, or a value below the root. */
static void missing_in_the_tree(void **state)
{
    static const char attribute[] = "joint-k: off\nattributes: {x: {role: quasi, taxonomy: {cook: , office: {clerk: , "
                                    "boss: }}}}\n"
                                    "privacy: {k: 2}\n";
    char yaml[300];
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    snprintf(yaml, sizeof yaml, "missing: [boss]\n%s", attribute);
    kanon_state *s = state_of(yaml, "x\ncook\nclerk\ncook\n");
    assert_int_equal(insert(s, "x\nboss\n", true, &err), KANON_EDATA);
    assert_holds(err.message, "another place in the taxonomy");
    assert_int_equal(count(s), 3);
    kanon_state_close(s);
    snprintf(yaml, sizeof yaml, "missing: [cook]\n%s", attribute);
    s = state_of(yaml, "x\nclerk\nboss\nclerk\n");
    assert_done(insert(s, "x\ncook\n", true, &err), &err);
    assert_int_equal(count(s), 4);
    kanon_state_close(s);
}

/* The lines of a release end as those of the table. Without a key, records are named by all columns. */
static void line_ends_and_names(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_state *s = state_of("joint-k: off\nattributes: {x: quasi, y: sensitive}\nprivacy: {k: 2}\n",
                              "x,y\r\n1,a\r\n2,b\r\n3,a\r\n");
    assert_done(insert(s, "x,y\n4,b\n", false, &err), &err);
    char *text = released(s);
    assert_holds(text, "\r\n");
    for (const char *at = text; (at = strchr(at, '\n')) != NULL; at++)
        assert_true(at > text && at[-1] == '\r');
    free(text);
    write_text(scratch("d.csv").text, "x\n4\n");
    assert_int_equal(kanon_state_change(s, KANON_DELETE, KANON_PATH(scratch("d.csv").text), NULL, &done, &err), KANON_EDATA);
    assert_holds(err.hint, "no key");
    write_text(scratch("d.csv").text, "x,y\n4,b\n");
    assert_done(kanon_state_change(s, KANON_DELETE, KANON_PATH(scratch("d.csv").text), NULL, &done, &err), &err);
    assert_int_equal(count(s), 3);
    kanon_state_close(s);
}

static void new_categories_are_counted(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_state *s = state_of("joint-k: off\nattributes: {x: quasi}\nprivacy: {k: 2}\n", "x\ncook\nclerk\ncook\n");
    assert_done(insert(s, "x\nbaker\nboss\nbaker\ncook\n", true, &err), &err);
    assert_int_equal(done.grown, 2);
    kanon_state_close(s);
}

/* Persons who are missing are one person; all records of a person are in one group. */
static void missing_persons_are_one(void **state)
{
    static const char yaml[] = "missing: [\"?\", none]\njoint-k: off\nattributes: {age: {role: quasi}, ill: {role: "
                               "sensitive}}\n"
                               "entity: who\nentity-together: true\nprivacy: {k: 2}\n";
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_state *s = state_of(yaml, "who,age,ill\na,1,x\nb,2,y\n?,50,x\nc,51,y\nnone,52,x\n");
    assert_done(insert(s, "who,age,ill\nnone,1,y\n?,90,z\nd,3,x\na,60,x\n", false, &err), &err);
    assert_int_equal(count(s), 9);
    char *text = released(s), *last = strrchr(strstr(text, "[") != NULL ? strstr(text, "[") : text, '[');
    assert_non_null(last);
    free(text);
    kanon_state_close(s);
}

/* The delimiter of a delta may be another one, so that a cell has the state's own; quotes in keys are doubled or not. */
static void other_spellings(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon_state *s = state_of("joint-k: off\nattributes: {key: identifying, job: quasi, note: insensitive}\nkey: key\n"
                              "privacy: {k: 2}\n",
                              "key,job,note\n\"a \"\"b\"\"\",cook,x\nc,cook,y\nd,cook,z\n");
    assert_done(insert(s, "key;job;note\ne;cook;u,v\n\"f\"\"\";cook;\"w;\"\"\"\n", false, &err), &err);
    char *text = released(s);
    assert_holds(text, "\"u,v\"");
    free(text);
    assert_int_equal(insert(s, "key,job,note\n\"f\"\"\",cook,twice\n", false, &err), KANON_EDATA); /* the key is taken */
    write_text(scratch("d.csv").text, "key\n\"a \"\"b\"\"\"\n\"e\"\n");
    assert_done(kanon_state_change(s, KANON_DELETE, KANON_PATH(scratch("d.csv").text), NULL, &done, &err), &err);
    assert_int_equal(count(s), 3);
    kanon_state_close(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(later_cells),
        cmocka_unit_test(missing_in_the_tree),
        cmocka_unit_test(missing_persons_are_one),
        cmocka_unit_test(new_categories_are_counted),
        cmocka_unit_test(line_ends_and_names),
        cmocka_unit_test(other_spellings),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
