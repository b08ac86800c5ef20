/* Faults from outside: no memory, no room on the disk, a place that goes away, a kill half-way, a cancel. Whatever happens,
 * there is no crash, nothing stays allocated, and no file is half-written under its final name. */
#define _XOPEN_SOURCE 700
#include "core/alloc.h"
#include "core/random.h"
#include "core/ticker.h"
#include "support.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/wait.h>

static const char yaml[] = "missing: [\"?\"]\n"
                           "attributes:\n"
                           "  name: {role: identifying}\n"
                           "  age: {role: quasi, type: integer, weight: 2}\n"
                           "  zip: {role: quasi, mask: right}\n"
                           "  job: {role: quasi, taxonomy: jobs.csv}\n"
                           "  pay: {role: quasi, type: decimal}\n"
                           "  ill: {role: sensitive, taxonomy: {Cancer: , Viral: {HIV: , Flu: }}}\n"
                           "privacy: {k: 2}\n"
                           "algorithm: {name: mondrian, ties: relaxed}\n";

static const char small_csv[] = "name,age,zip,job,pay,ill,note\n"
                                "Ann,20,75275,cook,1.5,Flu,\"a \"\"x\"\"\"\n"
                                "Bob,24,75277,baker,2.25,HIV,b\n"
                                "Cid,?,75278,cook,3,Flu,c\n"
                                "Dan,33,12345,none,?,Cancer,d\n"
                                "Eve,38,12346,?,7,Flu,e\n"
                                "Fay,36,12346,none,8,HIV,f\n";

typedef struct paths {
    place schema, table, outside, release, groups, report, figures;
} paths;

/* The inputs in the scratch directory, the outputs in an empty directory below it. */
static paths set_up(void)
{
    entries(scratch_directory, true);
    paths p = {.schema = scratch("s.yaml"), .table = scratch("t.csv"), .outside = scratch("out")};
    write_text(scratch("jobs.csv").text, "cook;work;any\nbaker;work;any\nnone;any\n");
    write_text(p.schema.text, yaml);
    write_text(p.table.text, small_csv);
    assert_int_equal(mkdir(p.outside.text, 0777), 0);
    p.release = inside(p.outside.text, "release.csv");
    p.groups = inside(p.outside.text, "groups.csv");
    p.report = inside(p.outside.text, "report.json");
    p.figures = inside(p.outside.text, "figures.json");
    return p;
}

static kanon_outputs all_outputs(const paths *p)
{
    static kanon_output release, groups, report;
    release = *KANON_TO_PATH(p->release.text);
    groups = *KANON_TO_PATH(p->groups.text);
    report = *KANON_TO_PATH(p->report.text);
    return (kanon_outputs){
        .struct_size = sizeof(kanon_outputs), .release = &release, .groups = &groups, .report = &report};
}

/* ---- no memory --------------------------------------------------------------------------------------------------- */

typedef struct objects {
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping, *read;
    kanon_measures *measures;
    kanon_check *check;
    kanon_curve *curve;
    kanon_proposal *proposal;
    kanon_profile *profile;
} objects;

static void free_objects(objects *o)
{
    kanon_profile_free(o->profile);
    kanon_proposal_free(o->proposal);
    kanon_curve_free(o->curve);
    kanon_check_free(o->check);
    kanon_measures_free(o->measures);
    kanon_grouping_free(o->read);
    kanon_grouping_free(o->grouping);
    kanon_table_free(o->table);
    kanon_schema_free(o->schema);
}

/* What the interface can do, in three steps; each adds to the objects of the one before. */
typedef kanon_status (*step)(const paths *p, objects *o, kanon_error *err);

static kanon_status read_step(const paths *p, objects *o, kanon_error *err)
{
    kanon_status st = kanon_schema_read(&o->schema, KANON_PATH(p->schema.text), NULL, err);
    if (st == KANON_OK)
        st = kanon_schema_set(o->schema, "zip", "weight", "0.5", err);
    if (st == KANON_OK)
        st = kanon_table_read(&o->table, KANON_PATH(p->table.text), o->schema, NULL, err);
    if (st == KANON_OK)
        st = kanon_anonymize(&o->grouping, o->table, NULL, err);
    return st;
}

static kanon_status publish_step(const paths *p, objects *o, kanon_error *err)
{
    kanon_outputs outputs = all_outputs(p);
    return kanon_publish(o->table, o->grouping, &outputs, err);
}

static kanon_status publish_otherwise_step(const paths *p, objects *o, kanon_error *err)
{
    kanon_outputs outputs = all_outputs(p);
    outputs.report = NULL;
    outputs.numeric = KANON_NUMERIC_COLUMNS;
    outputs.shuffle = 1;
    outputs.shuffle_seed = 1; /* another order needs other buffers, and these tests count */
    return kanon_publish(o->table, o->grouping, &outputs, err);
}

static kanon_status publish_measures(const objects *o, const kanon_grouping *grouping, const char *path, kanon_error *err)
{
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .report = KANON_TO_PATH(path), .measures = o->measures};
    return kanon_publish(o->table, grouping, &outputs, err);
}

static kanon_status judge_step(const paths *p, objects *o, kanon_error *err)
{
    kanon_status st = kanon_check_read(&o->check, KANON_PATH(scratch("release.csv").text), o->schema, NULL, err);
    if (st == KANON_OK)
        st = kanon_grouping_read(&o->read, o->table, KANON_PATH(scratch("groups.csv").text), err);
    if (st == KANON_OK)
        st = kanon_evaluate(&o->measures, o->table, o->read, NULL, err);
    if (st == KANON_OK)
        st = publish_measures(o, o->read, p->figures.text, err);
    return st;
}

static kanon_status tradeoff_step(const paths *p, objects *o, kanon_error *err)
{
    kanon_tradeoff_options grid = {.struct_size = sizeof grid,
                                   .k = "2,3",
                                   .suppress = "0.2",
                                   .settings = (const kanon_setting[]){{"ties", "strict,relaxed"}},
                                   .n_settings = 1,
                                   .threads = 1,
                                   .csv = KANON_TO_PATH(p->release.text),
                                   .json = KANON_TO_PATH(p->figures.text),
                                   .plot = KANON_TO_PATH(p->report.text)};
    return kanon_tradeoff(&o->curve, o->table, &grid, err);
}

static kanon_status propose_step(const paths *p, objects *o, kanon_error *err)
{
    kanon_propose_options proposing = {
        .struct_size = sizeof proposing, .threads = 1, .schema = KANON_TO_PATH(p->figures.text)};
    return kanon_propose(&o->proposal, KANON_PATH(p->table.text), &proposing, err);
}

static kanon_status profile_step(const paths *p, objects *o, kanon_error *err)
{
    kanon_profile_options profiling = {
        .struct_size = sizeof profiling, .threads = 1, .report = KANON_TO_PATH(p->figures.text)};
    return kanon_profile_table(&o->profile, o->table, &profiling, err);
}

/* Free what `now` has more than `before`. */
static void free_added(const objects *before, objects *now)
{
    objects added = *now;
    if (before->schema != NULL)
        added.schema = NULL, added.table = NULL, added.grouping = NULL;
    free_objects(&added);
    *now = *before;
}

/* Every allocation of the step fails in turn, some with all that follow: nothing is left, neither memory nor files. */
static void fail_every_allocation(step run, const paths *p, const objects *before, int n_files)
{
    objects now = *before;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__alloc_fail_at(0, false);
    assert_done(run(p, &now, &err), &err);
    int64_t n = kanon__alloc_count();
    print_message("%lld allocations\n", (long long)n);
    assert_int_equal(entries(p->outside.text, true), n_files);
    free_added(before, &now);
    for (int64_t i = 1; i <= n; i++)
        for (int all_after = 0; all_after < (i % 5 == 0 ? 2 : 1); all_after++) { /* every run waits for the disk */
            kanon__alloc_fail_at(i, all_after);
            kanon_status st = run(p, &now, &err);
            kanon__alloc_fail_at(0, false);
            assert_int_equal(st, KANON_ENOMEM);
            assert_int_equal(err.status, KANON_ENOMEM);
            assert_int_equal(entries(p->outside.text, false), 0);
            free_added(before, &now);
        }
    assert_no_leak();
}

static void no_memory_to_read(void **state)
{
    (void)state;
    paths p = set_up();
    fail_every_allocation(read_step, &p, &(objects){0}, 0);
}

static void no_memory_for_a_curve(void **state)
{
    objects o = {0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    assert_done(read_step(&p, &o, &err), &err);
    fail_every_allocation(tradeoff_step, &p, &o, 3);
    free_objects(&o);
}

static void no_memory_to_propose(void **state)
{
    (void)state;
    paths p = set_up();
    fail_every_allocation(propose_step, &p, &(objects){0}, 1);
}

static void no_memory_to_profile(void **state)
{
    objects o = {0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    assert_done(read_step(&p, &o, &err), &err);
    fail_every_allocation(profile_step, &p, &o, 1);
    free_objects(&o);
}

static void no_memory_to_publish(void **state)
{
    objects o = {0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    assert_done(read_step(&p, &o, &err), &err);
    fail_every_allocation(publish_step, &p, &o, 3);
    fail_every_allocation(publish_otherwise_step, &p, &o, 2);
    free_objects(&o);
}

static void no_memory_to_judge(void **state)
{
    objects o = {0};
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    assert_done(read_step(&p, &o, &err), &err);
    assert_done(publish_step(&p, &o, &err), &err);
    assert_int_equal(rename(p.release.text, scratch("release.csv").text), 0);
    assert_int_equal(rename(p.groups.text, scratch("groups.csv").text), 0);
    entries(p.outside.text, true);
    fail_every_allocation(judge_step, &p, &o, 1);
    free_objects(&o);
}

/* ---- a table that takes its time --------------------------------------------------------------------------------- */

static void write_large(const paths *p, int64_t n_rows)
{
    kanon__random random;
    kanon__random_init(&random, 21, 0);
    FILE *file = fopen(p->table.text, "wb");
    assert_non_null(file);
    fprintf(file, "name,age,zip,job,pay,ill,note\n");
    for (int64_t row = 0; row < n_rows; row++)
        fprintf(file, "N%lld,%d,%05d,%s,%d.5,%s,some text that makes the line a little longer\n", (long long)row,
                (int)kanon__random_below(&random, 90), (int)kanon__random_below(&random, 1000), row % 2 ? "cook" : "none",
                (int)kanon__random_below(&random, 5000), row % 3 ? "Flu" : "HIV");
    assert_int_equal(fclose(file), 0);
}

static objects read_and_group(const paths *p)
{
    objects o = {0};
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon_schema_read(&o.schema, KANON_PATH(p->schema.text), NULL, &err), &err);
    assert_done(kanon_table_read(&o.table, KANON_PATH(p->table.text), o.schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&o.grouping, o.table, NULL, &err), &err);
    return o;
}

/* ---- no room on the disk ----------------------------------------------------------------------------------------- */

static off_t size_of(const char *path)
{
    struct stat is;
    assert_int_equal(stat(path, &is), 0);
    return is.st_size;
}

/* Files may not grow beyond `limit` bytes; the signal that comes with it is ignored, as a library's host may do. */
static kanon_status publish_below(rlim_t limit, const objects *o, const kanon_outputs *outputs, kanon_error *err)
{
    struct rlimit old, now;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    now = (struct rlimit){limit, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
    kanon_status st = kanon_publish(o->table, o->grouping, outputs, err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
    return st;
}

static void files_may_not_grow(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    write_large(&p, 8000); /* more than one buffer */
    objects o = read_and_group(&p);
    kanon_outputs outputs = all_outputs(&p);
    assert_done(kanon_publish(o.table, o.grouping, &outputs, &err), &err);
    rlim_t release = (rlim_t)size_of(p.release.text), groups = (rlim_t)size_of(p.groups.text);
    rlim_t limits[] = {0, 1, 100, 4096, groups - 1, groups, 300000, release - 1};
    assert_true(release > 300000);
    assert_int_equal(entries(p.outside.text, true), 3);
    void (*before)(int) = signal(SIGXFSZ, SIG_IGN);
    for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
        kanon_status st = publish_below(limits[i], &o, &outputs, &err);
        assert_int_equal(st, KANON_EIO);
        assert_holds(err.message, p.outside.text);
        assert_int_equal(entries(p.outside.text, false), 0);
    }
    assert_done(publish_below(release, &o, &outputs, &err), &err);
    assert_int_equal(entries(p.outside.text, true), 3);
    signal(SIGXFSZ, before);
    free_objects(&o);
}

static void device_is_full(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    paths p = set_up();
    objects o = read_and_group(&p);
    for (int i = 0; i < 3; i++) {
        kanon_outputs outputs = all_outputs(&p);
        *(i == 0 ? &outputs.release : i == 1 ? &outputs.groups : &outputs.report) = KANON_TO_PATH("/dev/full");
        assert_int_equal(kanon_publish(o.table, o.grouping, &outputs, &err), KANON_EIO);
        assert_holds(err.message, "/dev/full");
        assert_int_equal(entries(p.outside.text, false), 0);
    }
    assert_done(kanon_evaluate(&o.measures, o.table, o.grouping, NULL, &err), &err);
    assert_int_equal(publish_measures(&o, o.grouping, "/dev/full", &err), KANON_EIO);
    free_objects(&o);
}

/* ---- places that are none ---------------------------------------------------------------------------------------- */

/* One output cannot be opened: the others are not written, and those that were there stay as they were. */
static void one_place_is_closed(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    objects o = read_and_group(&p);
    place nowhere = scratch("nowhere/x"), closed = scratch("closed"), in_closed = scratch("closed/x");
    assert_int_equal(mkdir(closed.text, 0555), 0);
    assert_int_equal(chmod(scratch_directory, 0755), 0);
    bool was_root = geteuid() == 0;
    for (int i = 0; i < 6; i++) {
        kanon_outputs outputs = all_outputs(&p);
        *(i % 3 == 0   ? &outputs.release
          : i % 3 == 1 ? &outputs.groups
                       : &outputs.report) = KANON_TO_PATH(i < 3 ? nowhere.text : in_closed.text);
        write_text(p.release.text, "old");
        assert_int_equal(chmod(p.outside.text, 0777), 0);
        if (was_root)
            assert_int_equal(seteuid(65534), 0);
        kanon_status st = kanon_publish(o.table, o.grouping, &outputs, &err);
        if (was_root)
            assert_int_equal(seteuid(0), 0);
        assert_int_equal(st, KANON_EIO);
        assert_file(p.release.text, "old");
        assert_int_equal(entries(p.outside.text, true), 1);
    }
    free_objects(&o);
}

static int remove_place(const kanon_progress *progress, void *payload)
{
    const char *directory = payload;
    (void)progress;
    entries(directory, true);
    rmdir(directory);
    return 0;
}

static void place_goes_away(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    objects o = read_and_group(&p);
    kanon_outputs outputs = all_outputs(&p);
    outputs.tick = remove_place;
    outputs.payload = p.outside.text;
    assert_int_equal(kanon_publish(o.table, o.grouping, &outputs, &err), KANON_EIO);
    assert_holds(err.message, p.outside.text); /* one of the outputs in it: the release is named last */
    assert_false(exists(p.outside.text));
    assert_int_equal(entries(scratch_directory, false), 3); /* the inputs */
    free_objects(&o);
}

/* ---- killed half-way --------------------------------------------------------------------------------------------- */

/* The linker puts these in place of the calls by which outputs come to be, so that a process dies before the n-th. */
static atomic_int n_calls, die_at;

static void count_call(void)
{
    if (atomic_fetch_add(&n_calls, 1) + 1 == atomic_load(&die_at))
        kill(getpid(), SIGKILL);
}

#define COUNTED(type, name, parameters, arguments)                                                                          \
    type __real_##name parameters;                                                                                          \
    type __wrap_##name parameters;                                                                                          \
    type __wrap_##name parameters                                                                                           \
    {                                                                                                                       \
        count_call();                                                                                                       \
        return __real_##name arguments;                                                                                     \
    }

COUNTED(ssize_t, write, (int fd, const void *bytes, size_t n), (fd, bytes, n))
COUNTED(int, fsync, (int fd), (fd))
COUNTED(int, link, (const char *from, const char *to), (from, to))
COUNTED(int, linkat, (int from, const char *path, int to, const char *name, int flags), (from, path, to, name, flags))
COUNTED(int, rename, (const char *from, const char *to), (from, to))
COUNTED(int, unlink, (const char *path), (path))

/* Publish in a child that dies before the n-th call; it makes as many as the parent did. */
static void publish_and_die(const objects *o, const kanon_outputs *outputs, int n)
{
    int status;
    atomic_store(&n_calls, 0);
    atomic_store(&die_at, n);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0)
        _exit(kanon_publish(o->table, o->grouping, outputs, NULL) == KANON_OK ? 0 : 1);
    atomic_store(&die_at, 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/* Nothing, what was there before, or all of it. */
static bool assert_whole(const char *path, const char *before, const char *expected)
{
    char *text = read_text(path);
    bool complete = text != NULL && strcmp(text, expected) == 0;
    if (!complete && text == NULL)
        assert_null(before);
    if (!complete && text != NULL) {
        assert_non_null(before);
        assert_string_equal(text, before);
    }
    free(text);
    return complete;
}

/* `before`: what the outputs held, NULL: they are new. */
static void prepare_places(const paths *p, const char *before)
{
    entries(p->outside.text, true); /* what a killed run leaves under temporary names */
    if (before == NULL)
        return;
    write_text(p->release.text, before);
    write_text(p->groups.text, before);
}

static void killed_half_way(void **state)
{
    enum { EARLY = 8, LATE = 16 };
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    write_large(&p, 10000);
    objects o = read_and_group(&p);
    kanon_outputs outputs = all_outputs(&p);
    outputs.report = NULL; /* it has a time, so that no two are equal */
    const place *places[] = {&p.release, &p.groups};
    for (int old = 0; old < 2; old++) {
        const char *before = old ? "old\n" : NULL;
        char *expected[2];
        int n_complete = 0;
        prepare_places(&p, before);
        atomic_store(&n_calls, 0);
        assert_done(kanon_publish(o.table, o.grouping, &outputs, &err), &err);
        int n = atomic_load(&n_calls);
        assert_true(n > 8); /* bytes, sync, name and folder of two files */
        for (int i = 0; i < 2; i++)
            expected[i] = read_text(places[i]->text);
        for (int at = 1; at <= n; at += at + LATE < n ? 1 + n / EARLY : 1) { /* what matters comes last */
            prepare_places(&p, before);
            publish_and_die(&o, &outputs, at);
            for (int i = 0; i < 2; i++)
                n_complete += assert_whole(places[i]->text, before, expected[i]);
        }
        assert_true(n_complete > 0);
        for (int i = 0; i < 2; i++)
            free(expected[i]);
    }
    free_objects(&o);
}

/* ---- cancelled --------------------------------------------------------------------------------------------------- */

typedef struct ticks {
    int n, stop_at;
    const char *stage;
} ticks;

static int stop_tick(const kanon_progress *progress, void *payload)
{
    ticks *t = payload;
    t->stage = progress->stage;
    return ++t->n == t->stop_at;
}

static void cancelled_while_reading(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon__ticker_step(KANON__STEP_OF_A_TICK);
    paths p = set_up();
    write_large(&p, 80000);
    kanon_schema *schema = NULL;
    assert_done(kanon_schema_read(&schema, KANON_PATH(p.schema.text), NULL, &err), &err);
    for (int stop_at = 1; stop_at <= 3; stop_at++) {
        ticks t = {.stop_at = stop_at};
        kanon_read_options options = {.struct_size = sizeof options, .tick = stop_tick, .payload = &t};
        kanon_table *table = (kanon_table *)&options;
        assert_int_equal(kanon_table_read(&table, KANON_PATH(p.table.text), schema, &options, &err), KANON_ECANCELLED);
        assert_null(table);
        assert_int_equal(t.n, stop_at);
        assert_string_equal(t.stage, "reading");
    }
    ticks t = {.stop_at = 1};
    kanon_check_options options = {.struct_size = sizeof options, .tick = stop_tick, .payload = &t};
    kanon_check *check = (kanon_check *)&options;
    assert_int_equal(kanon_check_read(&check, KANON_PATH(p.table.text), schema, &options, &err), KANON_ECANCELLED);
    assert_null(check);
    kanon_schema_free(schema);
    kanon__ticker_step(0);
    assert_no_leak();
}

static void cancelled_while_grouping(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon__ticker_step(KANON__STEP_OF_A_TICK);
    paths p = set_up();
    write_large(&p, 30000);
    objects o = read_and_group(&p);
    for (int stop_at = 1; stop_at <= 2; stop_at++) {
        ticks t = {.stop_at = stop_at};
        kanon_options options = {.struct_size = sizeof options, .tick = stop_tick, .payload = &t};
        kanon_grouping *grouping = (kanon_grouping *)&options;
        assert_int_equal(kanon_anonymize(&grouping, o.table, &options, &err), KANON_ECANCELLED);
        assert_null(grouping);
        assert_string_equal(t.stage, "grouping");
    }
    free_objects(&o);
    kanon__ticker_step(0);
    assert_no_leak();
}

static void cancelled_while_writing(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kanon__ticker_step(KANON__STEP_OF_A_TICK);
    paths p = set_up();
    write_large(&p, 40000);
    objects o = read_and_group(&p);
    for (int before = 0; before < 2; before++)
        for (int stop_at = 1; stop_at <= 6; stop_at++) {
            ticks t = {.stop_at = (stop_at + 1) / 2};
            kanon_outputs outputs = all_outputs(&p);
            outputs.tick = stop_tick;
            outputs.payload = &t;
            outputs.shuffle = stop_at % 2;
            if (before)
                write_text(p.release.text, "old");
            assert_int_equal(kanon_publish(o.table, o.grouping, &outputs, &err), KANON_ECANCELLED);
            assert_string_equal(t.stage, "writing");
            assert_int_equal(t.n, t.stop_at);
            if (before)
                assert_file(p.release.text, "old");
            assert_int_equal(entries(p.outside.text, true), before);
        }
    free_objects(&o);
    kanon__ticker_step(0);
    assert_no_leak();
}

/* ---- the input goes away ----------------------------------------------------------------------------------------- */

/* The table keeps its file open: it may lose its name while the table lives. */
static void input_loses_its_name(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    paths p = set_up();
    objects o = read_and_group(&p);
    assert_int_equal(unlink(p.table.text), 0);
    kanon_outputs outputs = all_outputs(&p);
    assert_done(kanon_publish(o.table, o.grouping, &outputs, &err), &err);
    assert_int_equal(entries(p.outside.text, true), 3);
    free_objects(&o);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_memory_to_read),       cmocka_unit_test(no_memory_to_publish),
        cmocka_unit_test(no_memory_to_judge),      cmocka_unit_test(files_may_not_grow),
        cmocka_unit_test(device_is_full),          cmocka_unit_test(one_place_is_closed),
        cmocka_unit_test(place_goes_away),         cmocka_unit_test(killed_half_way),
        cmocka_unit_test(cancelled_while_reading), cmocka_unit_test(cancelled_while_grouping),
        cmocka_unit_test(cancelled_while_writing), cmocka_unit_test(input_loses_its_name),
        cmocka_unit_test(no_memory_for_a_curve),   cmocka_unit_test(no_memory_to_propose),
        cmocka_unit_test(no_memory_to_profile),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
