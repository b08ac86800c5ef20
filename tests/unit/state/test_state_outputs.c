/* A change of a state and its outputs are done together: where an output cannot get its name, or its sink refuses it, the
 * state is as it was; where the process ends in between, the state knows the delta and does not take it twice. */
#include "support.h"

#include <errno.h>
#include <sys/wait.h>

static const char yaml[] = "joint-k: off\nattributes:\n"
                           "  name: {role: identifying}\n"
                           "  age: {role: quasi, type: integer}\n"
                           "  ill: {role: sensitive}\n"
                           "privacy: {k: 2}\n";
static const char csv[] = "name,age,ill\na,20,flu\nb,21,gout\nc,40,flu\nd,41,gout\ne,60,flu\nf,61,gout\n";
static const char more[] = "name,age,ill\ng,30,flu\nh,50,gout\n";

/* ---- outputs that fail ------------------------------------------------------------------------------------------- */

/* A sink, and what it does. */
typedef struct receiver {
    const char *removes; /* a directory: emptied and removed when the first bytes come */
    int error;           /* what finish returns */
    bool dies;           /* the process ends in finish */
    int n_complete, n_incomplete;
} receiver;

static int receive(const void *bytes, size_t size, void *payload)
{
    const receiver *r = payload;
    (void)bytes;
    (void)size;
    if (r->removes != NULL) {
        entries(r->removes, true);
        rmdir(r->removes);
    }
    return 0;
}

static int finish(int complete, void *payload)
{
    receiver *r = payload;
    if (complete && r->dies)
        _exit(7);
    *(complete ? &r->n_complete : &r->n_incomplete) += 1;
    return complete ? r->error : 0;
}

static kanon_sink sink_of(receiver *r, const char *name)
{
    return (kanon_sink){sizeof(kanon_sink), name, receive, finish, r};
}

/* ---- states ------------------------------------------------------------------------------------------------------ */

static kanon_status make_state(const kanon_outputs *outputs, kanon_error *err)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    write_text(scratch("s.yaml").text, yaml);
    write_text(scratch("t.csv").text, csv);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, err), err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, err), err);
    assert_done(kanon_anonymize(&grouping, table, NULL, err), err);
    kanon_status st = kanon_state_create(scratch("x.state").text, table, schema, grouping, outputs, NULL, err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st;
}

typedef kanon_status (*state_call)(kanon_state *state, const kanon_change_options *options, kanon_change *out,
                                   kanon_error *err);

static kanon_status insert_more(kanon_state *state, const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    return kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), options, out, err);
}

static kanon_status delete_two(kanon_state *state, const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    static const char gone[] = "name,age,ill\na,20,flu\nf,61,gout\n";
    return kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), options, out, err);
}

static kanon_status optimize(kanon_state *state, const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    return kanon_state_improve(state, NULL, options, out, err);
}

static const state_call calls[] = {insert_more, delete_two, optimize, kanon_state_release};
enum { N_CALLS = sizeof calls / sizeof *calls };

static kanon_status change(state_call call, const kanon_outputs *outputs, bool again, kanon_change *out, kanon_error *err)
{
    kanon_state *state = NULL;
    kanon_change_options options = {.struct_size = sizeof options, .outputs = outputs, .again = again};
    assert_done(kanon_state_open(&state, scratch("x.state").text, NULL, err), err);
    kanon_status st = call(state, &options, out, err);
    kanon_state_close(state);
    return st;
}

/* How many records, releases and commands the state has. */
static void assert_state(int64_t records, size_t releases, size_t commands)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    assert_done(kanon_state_open(&state, scratch("x.state").text, NULL, &err), &err);
    assert_done(kanon_state_describe(&info, state, &err), &err);
    assert_int_equal(info->records, records);
    assert_int_equal(info->n_releases, releases);
    assert_int_equal(info->n_history, commands);
    kanon_state_info_free(info);
    kanon_state_close(state);
}

/* ---- tests ------------------------------------------------------------------------------------------------------- */

/* The directory of the release goes while the groups are written, so its file can have no name. */
static void a_name_that_fails_changes_nothing(void **unused)
{
    (void)unused;
    for (int i = 0; i < N_CALLS; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_change done = KANON_INIT(kanon_change);
        place directory = scratch("gone"), release = scratch("gone/r.csv"), report = scratch("report.json");
        receiver groups = {.removes = directory.text};
        kanon_sink to = sink_of(&groups, "groups");
        kanon_outputs outputs = {.struct_size = sizeof outputs,
                                 .report = KANON_TO_PATH(report.text),
                                 .release = KANON_TO_PATH(release.text),
                                 .groups = KANON_TO_SINK(&to)};
        assert_done(make_state(NULL, &err), &err);
        write_text(report.text, "as it was");
        assert_int_equal(mkdir(directory.text, 0777), 0);
        assert_int_equal(change(calls[i], &outputs, false, &done, &err), KANON_EIO);
        assert_int_equal(groups.n_complete, 0);
        assert_int_equal(groups.n_incomplete, 1);
        assert_file(report.text, "as it was");
        assert_state(6, 0, 1);
        assert_int_equal(entries(scratch_directory, false), 4); /* state, report, table, schema: no journal, nothing else */
        groups.removes = NULL;
        outputs.release = KANON_TO_PATH(scratch("r.csv").text);
        assert_done(change(calls[i], &outputs, false, &done, &err), &err); /* and it can be tried again */
        assert_int_equal(done.records, i == 0 ? 8 : i == 1 ? 4 : 6);
        assert_state(done.records, 1, 2);
        entries(scratch_directory, true);
    }
}

/* A sink that refuses in the end, alone and after another one that was told already. */
static void a_sink_that_refuses_changes_nothing(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    receiver release = {.error = ENOSPC}, groups = {.error = ENOSPC};
    kanon_sink release_to = sink_of(&release, "the release"), groups_to = sink_of(&groups, "the groups");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&release_to)};
    (void)unused;
    assert_done(make_state(NULL, &err), &err);
    assert_int_equal(change(insert_more, &outputs, false, &done, &err), KANON_EIO);
    assert_holds(err.message, "the release");
    assert_state(6, 0, 1);
    outputs.groups = KANON_TO_SINK(&groups_to);
    release = (receiver){0};
    assert_int_equal(change(insert_more, &outputs, false, &done, &err), KANON_EIO);
    assert_holds(err.message, "the groups");
    assert_int_equal(release.n_complete, 0); /* it is told last: nobody has a release that the state does not know */
    assert_state(6, 0, 1);
    groups.error = 0;
    release.error = ENOSPC;
    assert_int_equal(change(insert_more, &outputs, false, &done, &err), KANON_EIO);
    assert_holds(err.message, "the release");
    assert_holds(err.hint, "the groups is complete already and could not be taken back");
    assert_state(6, 0, 1);
    release.error = 0;
    assert_done(change(insert_more, &outputs, false, &done, &err), &err);
    assert_state(8, 1, 2);
    entries(scratch_directory, true);
}

/* A new state whose release cannot be named is not there, and can be made again. */
static void a_new_state_goes_with_its_outputs(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    place directory = scratch("gone"), release = scratch("gone/r.csv");
    receiver groups = {.removes = directory.text};
    kanon_sink to = sink_of(&groups, "groups");
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text), .groups = KANON_TO_SINK(&to)};
    (void)unused;
    assert_int_equal(mkdir(directory.text, 0777), 0);
    assert_int_equal(make_state(&outputs, &err), KANON_EIO);
    assert_false(exists(scratch("x.state").text));
    assert_int_equal(entries(scratch_directory, false), 2);
    groups.removes = NULL;
    outputs.release = KANON_TO_PATH(scratch("r.csv").text);
    assert_done(make_state(&outputs, &err), &err);
    assert_state(6, 1, 1);
    entries(scratch_directory, true);
}

/* The end of the process while the outputs are named: the delta is applied, and the next attempt is told so. */
static void a_second_attempt_takes_nothing_twice(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    place aside = scratch("x.state-journal-done");
    (void)unused;
    for (int i = 0; i < 2; i++) {
        receiver release = {.dies = true};
        kanon_sink to = sink_of(&release, "the release");
        kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&to)};
        int status, n = i == 0 ? 8 : 4;
        assert_done(make_state(NULL, &err), &err);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            change(calls[i], &outputs, false, &done, &err);
            _exit(1);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 7);
        assert_true(exists(aside.text));
        assert_state(n, 1, 2);
        release.dies = false;
        assert_int_equal(change(calls[i], &outputs, false, &done, &err), KANON_EDATA);
        assert_holds(err.message, "the state has this delta already");
        assert_string_equal(err.topic, "again");
        assert_false(exists(aside.text)); /* it has the pages as they were, so it does not stay */
        assert_state(n, 1, 2);
        assert_done(change(kanon_state_release, &outputs, false, &done, &err), &err);
        assert_int_equal(change(calls[i], &outputs, false, &done, &err), KANON_EDATA); /* a release changes no record */
        if (i == 0) {
            assert_done(change(calls[i], NULL, true, &done, &err), &err);
            assert_state(10, 2, 4);
        }
        entries(scratch_directory, true);
    }
}

/* Another delta in between, and a delta without records, may be applied again. */
static void deltas_may_come_back(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_change done = KANON_INIT(kanon_change);
    kanon_state *state = NULL;
    static const char nobody[] = "name,age,ill\n";
    (void)unused;
    assert_done(make_state(NULL, &err), &err);
    assert_done(kanon_state_open(&state, scratch("x.state").text, NULL, &err), &err);
    for (int i = 0; i < 2; i++) {
        assert_done(insert_more(state, NULL, &done, &err), &err);
        assert_done(kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(more, strlen(more), "more"), NULL, &done, &err),
                    &err);
    }
    for (int i = 0; i < 2; i++)
        assert_done(
            kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(nobody, strlen(nobody), "nobody"), NULL, &done, &err),
            &err);
    kanon_state_close(state);
    entries(scratch_directory, true);
}

/* The schema of a state is the one that its table was read with. */
static void another_schema_is_refused(void **unused)
{
    static const struct {
        const char *yaml, *what;
    } others[] = {
        {"joint-k: off\nattributes: {name: insensitive, age: {role: quasi, type: integer}, ill: sensitive}\nprivacy: {k: "
         "2}\n", "name: "},
        {"joint-k: off\nattributes: {name: identifying, age: {role: quasi, type: integer, weight: 2}, ill: sensitive}\n",
         "age: "},
        {"joint-k: off\nattributes: {name: identifying, age: {role: quasi, type: integer}, ill: sensitive}\nentity: name\n",
         "entity: "},
        {"joint-k: off\nattributes: {name: identifying, age: {role: quasi, type: integer}, ill: sensitive}\nprivacy: "
         "{suppress: 0.5}\n",
         "suppress: "},
        {"joint-k: off\nattributes: {name: identifying, age: {role: quasi, type: integer}, ill: sensitive}\n"
         "privacy: {constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}]}\n",
         "constraints: "},
        /* k may differ */
        {"joint-k: off\nattributes: {name: identifying, age: {role: quasi, type: integer}, ill: sensitive}\n", NULL},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_schema *schema = NULL, *other = NULL;
        kanon_table *table = NULL;
        kanon_grouping *grouping = NULL;
        place path = scratch("x.state");
        write_text(scratch("s.yaml").text, yaml);
        write_text(scratch("t.csv").text, csv);
        write_text(scratch("o.yaml").text, others[i].yaml);
        assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
        assert_done(kanon_schema_read(&other, KANON_PATH(scratch("o.yaml").text), NULL, &err), &err);
        assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
        assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
        kanon_status st = kanon_state_create(path.text, table, other, grouping, NULL, NULL, &err);
        assert_int_equal(st, others[i].what != NULL ? KANON_EINVAL : KANON_OK);
        if (others[i].what != NULL) {
            assert_int_equal(strncmp(err.message, others[i].what, strlen(others[i].what)), 0);
            assert_holds(err.message, "the schema is not the one that the table was read with");
        }
        kanon_grouping_free(grouping);
        kanon_table_free(table);
        kanon_schema_free(other);
        kanon_schema_free(schema);
        entries(scratch_directory, true);
    }
}

/* A mask makes a tree of the values; a column in which all of them are missing has none, and the schema fits still. */
static void a_mask_of_nothing_is_kept(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    place path = scratch("x.state");
    (void)unused;
    write_text(scratch("s.yaml").text,
               "joint-k: off\nattributes: {age: {role: quasi, type: integer}, zip: {role: quasi, mask: right}}\nprivacy: "
               "{k: 2}\n");
    write_text(scratch("t.csv").text, "age,zip\n1,\n2,\n3,\n4,\n");
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, NULL, &err), &err);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    entries(scratch_directory, true);
}

/* The report of a release of the state, as text. `own`: the groups are the caller's, made by no algorithm. */
static char *report_of(bool own)
{
    static const int64_t pairs[] = {1, 1, 2, 2, 3, 3};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    place report = scratch("report.json");
    kanon_options how = {.struct_size = sizeof how, .algorithm = "mondrian", .refine = "il-optimization", .seed = 7};
    kanon_outputs outputs = {.struct_size = sizeof outputs, .report = KANON_TO_PATH(report.text)};
    entries(scratch_directory, true);
    write_text(scratch("s.yaml").text,
               "joint-k: off\nattributes: {name: identifying, age: {role: quasi, type: integer, weight: 2.5}, "
                                       "ill: sensitive}\nprivacy: {k: 2}\n");
    write_text(scratch("t.csv").text, csv);
    assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    assert_done(own ? kanon_grouping_new(&grouping, table, pairs, &err) : kanon_anonymize(&grouping, table, &how, &err),
                &err);
    assert_done(kanon_state_create(scratch("x.state").text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(change(kanon_state_release, &outputs, false, &done, &err), &err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return read_text(report.text);
}

/* The state keeps how its groups were made. */
static void reports_say_how_groups_were_made(void **unused)
{
    (void)unused;
    char *made = report_of(false), *own = report_of(true);
    assert_holds(made, "\"algorithm\": \"mondrian\"");
    assert_holds(made, "\"refinement\": \"il-optimization\"");
    assert_holds(made, "\"seed\": 7");
    assert_holds(made, "\"weight\": 2.5");
    assert_holds(own, "\"algorithm\": null");
    assert_null(strstr(own, "refinement"));
    free(own);
    free(made);
    entries(scratch_directory, true);
}

/* What a state cannot keep is refused before a file is made. */
static void what_cannot_be_kept_is_refused(void **unused)
{
    static const struct {
        const char *yaml, *csv, *message;
        int64_t groups[4];
    } cases[] = {
        {"joint-k: off\nattributes: {q: {role: quasi, type: integer}}\nprivacy: {k: 2}\n",
         "q\n-5000000000000000000\n1\n2\n3\n",
         "q: a state holds numbers of at most 18 digits",
         {1, 1, 2, 2}},
        {"joint-k: off\nattributes: {q: {role: quasi, type: integer}}\nprivacy: {k: 2}\n",
         "q\n0\n1\n2\n5000000000000000000\n",
         "q: a state holds numbers of at most 18 digits",
         {1, 1, 2, 2}},
        {"joint-k: off\nattributes: {q: {role: quasi, taxonomy: tax.csv}}\nprivacy: {k: 2}\n",
         "q\na\na\nb\nc\n",
         "q: a state cannot keep a taxonomy in which a value is also a node",
         {1, 1, 2, 2}},
        {"joint-k: off\nattributes: {w: identifying, q: {role: quasi, type: integer}}\nprivacy: {k: 2, suppress: 0.5}\n"
         "entity: w\nentity-together: true\n",
         "w,q\na,0\nb,1\nc,2\nd,3\n",
         "a state cannot keep entities together while some are suppressed",
         {1, 1, 0, 0}},
    };
    (void)unused;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_schema *schema = NULL;
        kanon_table *table = NULL;
        kanon_grouping *grouping = NULL;
        write_text(scratch("tax.csv").text, "a;a;*\nb;a;*\nc;a;*\n");
        write_text(scratch("s.yaml").text, cases[i].yaml);
        write_text(scratch("t.csv").text, cases[i].csv);
        assert_done(kanon_schema_read(&schema, KANON_PATH(scratch("s.yaml").text), NULL, &err), &err);
        assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
        assert_done(kanon_grouping_new(&grouping, table, cases[i].groups, &err), &err);
        assert_int_equal(kanon_state_create(scratch("x.state").text, table, schema, grouping, NULL, NULL, &err),
                         KANON_EINVAL);
        assert_string_equal(err.message, cases[i].message);
        assert_false(exists(scratch("x.state").text));
        kanon_grouping_free(grouping);
        kanon_table_free(table);
        kanon_schema_free(schema);
    }
    entries(scratch_directory, true);
}

/* A row that cannot be read is found before a record goes, and where it is said to be right, the same rows come again. */
static void rows_of_deltas_are_read_first(void **unused)
{
    static const char wrong[] = "name,age,ill\na,20,flu\nf,61\n";
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_change_options again = {.struct_size = sizeof again, .again = 1};
    (void)unused;
    assert_done(make_state(NULL, &err), &err);
    assert_done(kanon_state_open(&state, scratch("x.state").text, NULL, &err), &err);
    assert_int_equal(
        kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(wrong, strlen(wrong), "wrong"), NULL, &done, &err),
        KANON_EDATA);
    assert_int_equal(
        kanon_state_change(state, KANON_UPDATE, KANON_BYTES_AS(wrong, strlen(wrong), "wrong"), NULL, &done, &err),
        KANON_EINVAL);
    assert_done(insert_more(state, NULL, &done, &err), &err);
    assert_int_equal(insert_more(state, NULL, &done, &err), KANON_EDATA);
    assert_done(insert_more(state, &again, &done, &err), &err);
    assert_int_equal(done.records, 10);
    kanon_state_close(state);
    entries(scratch_directory, true);
}

/* A state that is read again says of each release what it lost: as much as its groups do. */
static void releases_keep_their_loss(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_state_info *info = NULL;
    receiver r = {0};
    kanon_sink sink = sink_of(&r, "release");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    (void)unused;
    unlink(scratch("x.state").text);
    assert_done(make_state(&outputs, &err), &err);
    assert_done(kanon_state_open(&state, scratch("x.state").text, NULL, &err), &err);
    assert_done(kanon_state_describe(&info, state, &err), &err);
    assert_int_equal(info->n_releases, 1);
    assert_true(info->loss > 0);
    assert_true(info->releases[0]->loss > info->loss * (1 - 1e-9) && info->releases[0]->loss < info->loss * (1 + 1e-9));
    kanon_state_info_free(info);
    kanon_state_close(state);
    unlink(scratch("x.state").text);
}

/* Records that must go do, although no release is possible then; a caller need not want to know why. */
static void deletes_do_not_wait_for_a_release(void **unused)
{
    static const char gone[] = "name,age,ill\na,20,flu\nc,40,flu\ne,60,flu\n";
    place release = scratch("r.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs, .joint_k = 2};
    (void)unused;
    for (int wants_error = 0; wants_error < 2; wants_error++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon_state *state = NULL;
        kanon_change done = KANON_INIT(kanon_change);
        assert_done(make_state(&outputs, &err), &err);
        unlink(release.text);
        assert_done(kanon_state_open(&state, scratch("x.state").text, NULL, &err), &err);
        kanon_status st = kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), &options,
                                             &done, wants_error ? &err : NULL);
        assert_int_equal(st, KANON_EINFEASIBLE);
        assert_true(done.committed);
        assert_int_equal(done.records, 3);
        assert_false(exists(release.text));
        if (wants_error)
            assert_holds(err.message, "the change is made, but no release is written: ");
        kanon_state_close(state);
        unlink(scratch("x.state").text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(what_cannot_be_kept_is_refused, no_leak),
        cmocka_unit_test_teardown(rows_of_deltas_are_read_first, no_leak),
        cmocka_unit_test_teardown(reports_say_how_groups_were_made, no_leak),
        cmocka_unit_test_teardown(a_name_that_fails_changes_nothing, no_leak),
        cmocka_unit_test_teardown(a_sink_that_refuses_changes_nothing, no_leak),
        cmocka_unit_test_teardown(a_new_state_goes_with_its_outputs, no_leak),
        cmocka_unit_test_teardown(a_second_attempt_takes_nothing_twice, no_leak),
        cmocka_unit_test_teardown(deltas_may_come_back, no_leak),
        cmocka_unit_test_teardown(another_schema_is_refused, no_leak),
        cmocka_unit_test_teardown(a_mask_of_nothing_is_kept, no_leak),
        cmocka_unit_test_teardown(releases_keep_their_loss, no_leak),
        cmocka_unit_test_teardown(deletes_do_not_wait_for_a_release, no_leak),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
