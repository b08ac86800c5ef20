/* The library inside somebody's process: several hosts at once, each with its own allocator, threads and ticks; memory that
 * runs out, streams and sinks that fail, ticks that cancel, at every place. Nothing is left behind. */
#include "unit/embed_helpers.h"
#include "to_stream.h"

/* ---- jobs: what hosts do, each with a result as text ------------------------------------------------------------- */

enum { N_PEOPLE = 300, N_JOBS = 8, RESULT_SIZE = 1 << 16 };

typedef struct job_run {
    host host;
    int job, number; /* what to do; which of all runs it is */
    const people *people;
    char result[RESULT_SIZE];
    size_t used;
    kanon_status status;
    kanon_error err;
    arrow_counts counts;
} job_run;

static void say(job_run *r, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    r->used += (size_t)vsnprintf(r->result + r->used, RESULT_SIZE - r->used, format, arguments);
    va_end(arguments);
    if (r->used >= RESULT_SIZE)
        abort();
}

static kanon_options grouping_options(job_run *r, const char *algorithm)
{
    return (kanon_options){.struct_size = sizeof(kanon_options), .k = 5, .algorithm = algorithm, .seed = 7,
                           .tick = host_tick, .payload = &r->host};
}

/* Schema, table and grouping of the people, from CSV or from a stream. */
typedef struct objects {
    kanon_schema *schema;
    kanon_table *table;
    kanon_grouping *grouping;
} objects;

static kanon_status make_objects(objects *o, job_run *r, bool arrow, const char *algorithm)
{
    static const arrow_layout layout = {.batch_rows = 77};
    struct ArrowArrayStream stream;
    kanon_options options = grouping_options(r, algorithm);
    kanon_read_options reading = {.struct_size = sizeof reading, .tick = host_tick, .payload = &r->host};
    *o = (objects){0};
    kanon_status st = people_schema(&o->schema, &r->host.context, &r->err);
    if (arrow && st == KANON_OK) {
        arrow_produce(&stream, &r->people->table, &layout, &r->counts);
        STEP(kanon_table_read(&o->table, KANON_STREAM(&stream), o->schema, &reading, &r->err));
    } else {
        STEP(kanon_table_read(&o->table, KANON_BYTES_AS(r->people->csv, strlen(r->people->csv), "people"), o->schema,
                              &reading, &r->err));
    }
    if (algorithm != NULL)
        STEP(kanon_anonymize(&o->grouping, o->table, &options, &r->err));
    return st;
}

static void free_objects(objects *o)
{
    kanon_grouping_free(o->grouping);
    kanon_table_free(o->table);
    kanon_schema_free(o->schema);
}

static void say_collected(job_run *r, collected *c)
{
    say(r, "%d %d %s\n", c->n_finished, c->n_complete, c->text != NULL ? c->text : "");
    free(c->text);
}

static kanon_status csv_job(job_run *r)
{
    objects o;
    collected release = {.host = &r->host}, groups = release, report = release;
    kanon_sink release_to = sink_of(&release, "r.csv"), groups_to = sink_of(&groups, "g.csv");
    kanon_sink report_to = sink_of(&report, "report.json");
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_SINK(&release_to),
                             .groups = KANON_TO_SINK(&groups_to),
                             .report = KANON_TO_SINK(&report_to),
                             .tick = host_tick,
                             .payload = &r->host};
    kanon_status st = make_objects(&o, r, false, "kmember");
    STEP(kanon_publish(o.table, o.grouping, &outputs, &r->err));
    free_objects(&o);
    say_collected(r, &release);
    say_collected(r, &groups);
    say(r, "report: %d %d\n", report.n_complete, report.size > 0); /* times are in it */
    free(report.text);
    return st;
}

static kanon_status arrow_job(job_run *r)
{
    objects o;
    struct ArrowArrayStream released = {0};
    kanon_outputs options = {.struct_size = sizeof options, .tick = host_tick, .payload = &r->host};
    kanon_status st = make_objects(&o, r, true, "top-down");
    STEP(release_to_stream(&released, o.table, o.grouping, &options, &r->err));
    free_objects(&o);
    if (st == KANON_OK) {
        arrow_taken taken = arrow_take(&released);
        char *text = arrow_taken_print(&taken);
        say(r, "%s", text);
        free(text);
        arrow_taken_clear(&taken);
    }
    return st;
}

static const char published[] = "age,zip,city,disease\n[20-29],1000*,Italy,flu\n[20-29],1000*,Italy,gout\n"
                                "[20-29],1000*,Italy,flu\n30,10001,Oslo,flu\n30,10001,Oslo,cold\n*,*,*,flu\n";

static kanon_status check_job(job_run *r)
{
    kanon_schema *schema = NULL;
    kanon_check *check = NULL;
    kanon_check_options options = {.struct_size = sizeof options, .k = 2, .tick = host_tick, .payload = &r->host};
    kanon_status st = people_schema(&schema, &r->host.context, &r->err);
    STEP(kanon_check_read(&check, KANON_BYTES_AS(published, strlen(published), "published"), schema, &options, &r->err));
    kanon_schema_free(schema); /* a check does not need it */
    for (size_t i = 0; st == KANON_OK && i < check->n_figures; i++)
        say(r, "%s %s %.17g\n", check->figures[i]->attribute, check->figures[i]->figure, check->figures[i]->value);
    if (st == KANON_OK)
        say(r, "%lld records, %lld suppressed, %lld classes, k %lld, risk %g, holds %d\n", (long long)check->records,
            (long long)check->suppressed, (long long)check->classes, (long long)check->k, check->highest_risk, check->holds);
    kanon_check_free(check);
    return st;
}

static kanon_status evaluate_job(job_run *r)
{
    objects o;
    kanon_measures *measures = NULL;
    kanon_evaluate_options options = {.struct_size = sizeof options, .tick = host_tick, .payload = &r->host};
    kanon_status st = make_objects(&o, r, false, "mondrian");
    STEP(kanon_evaluate(&measures, o.table, o.grouping, &options, &r->err));
    for (size_t i = 0; st == KANON_OK && kanon_measures_at(measures, i) != NULL; i++) {
        const kanon_figure *figure = kanon_measures_at(measures, i);
        if (strcmp(figure->name, "seconds") != 0)
            say(r, "%s %s %.17g\n", figure->name, figure->attribute != NULL ? figure->attribute : "", figure->value);
    }
    kanon_measures_free(measures);
    free_objects(&o);
    return st;
}

static kanon_status bound_job(job_run *r)
{
    objects o;
    kanon_lower_bound *bound = NULL;
    kanon_certificate certificate = KANON_INIT(kanon_certificate);
    collected proof = {.host = &r->host};
    kanon_sink sink = sink_of(&proof, "proof.json");
    kanon_bound_options options = {.struct_size = sizeof options, .k = 5, .rounds = 3, .certificate = KANON_TO_SINK(&sink),
                                   .tick = host_tick, .payload = &r->host};
    kanon_status st = make_objects(&o, r, false, NULL);
    STEP(kanon_bound(&bound, o.table, &options, &r->err));
    STEP(kanon_certificate_check(
        &certificate, o.table, KANON_BYTES_AS(proof.text, proof.size, "proof.json"),
        &(kanon_prove_options){
            .struct_size = sizeof(kanon_prove_options), .threads = 2, .tick = host_tick, .payload = &r->host},
        &r->err));
    if (st == KANON_OK)
        say(r, "%.17g %.17g %lld %d\n", bound->lower_bound, bound->neighbour_bound, (long long)bound->price_sum,
            certificate.holds);
    say_collected(r, &proof);
    kanon_lower_bound_free(bound);
    free_objects(&o);
    return st;
}

static kanon_status tradeoff_job(job_run *r)
{
    objects o;
    kanon_curve *curve = NULL;
    collected outputs[3] = {{.host = &r->host}, {.host = &r->host}, {.host = &r->host}};
    kanon_sink csv = sink_of(&outputs[0], "c.csv"), json = sink_of(&outputs[1], "c.json");
    kanon_sink plot = sink_of(&outputs[2], "c.svg");
    kanon_tradeoff_options options = {.struct_size = sizeof options,
                                      .k = "2,4,9",
                                      .algorithm = "mondrian",
                                      .csv = KANON_TO_SINK(&csv),
                                      .json = KANON_TO_SINK(&json),
                                      .plot = KANON_TO_SINK(&plot),
                                      .tick = host_tick,
                                      .payload = &r->host};
    kanon_status st = make_objects(&o, r, false, NULL);
    STEP(kanon_tradeoff(&curve, o.table, &options, &r->err));
    for (size_t i = 0; st == KANON_OK && kanon_curve_at(curve, i) != NULL; i++) {
        const kanon_curve_point *point = kanon_curve_at(curve, i);
        say(r, "%s %s:", point->settings[0].value, kanon_enum_text(KANON_ENUM_POINT_RESULT, point->result));
        for (size_t j = 0; j < point->n_figures; j++)
            if (strcmp(point->figures[j]->name, "seconds") != 0)
                say(r, " %.17g", point->figures[j]->value);
        say(r, "\n");
    }
    for (int i = 0; i < 3; i++) {
        say(r, "%d %d\n", outputs[i].n_complete, outputs[i].size > 0); /* times are in them */
        free(outputs[i].text);
    }
    kanon_curve_free(curve);
    free_objects(&o);
    return st;
}

static kanon_status change_state(job_run *r, const char *path)
{
    kanon_state *state = NULL;
    kanon_audit *audit = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    collected release = {.host = &r->host};
    kanon_sink sink = sink_of(&release, "release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    kanon_change_options and_release = {.struct_size = sizeof and_release, .outputs = &outputs};
    kanon_state_options opening = {.struct_size = sizeof opening, .tick = host_tick, .payload = &r->host,
                                   .context = &r->host.context};
    static const char more[] = "id,age,zip,city,disease\n9001,40,10001,Rome,flu\n9002,41,10002,Rome,gout\n";
    static const char gone[] = "id\n9001\n5\n";
    kanon_status st = kanon_state_open(&state, path, &opening, &r->err);
    STEP(kanon_state_change(state, KANON_INSERT, KANON_BYTES_AS(more, strlen(more), "more"), NULL, &change, &r->err));
    STEP(
        kanon_state_change(state, KANON_DELETE, KANON_BYTES_AS(gone, strlen(gone), "gone"), &and_release, &change, &r->err));
    STEP(kanon_state_audit(&audit, state, 0, &r->err));
    if (st == KANON_OK)
        say(r, "%lld records, %lld groups, release %lld, %lld classes\n", (long long)change.records,
            (long long)change.groups, (long long)change.release, (long long)audit->classes);
    say_collected(r, &release);
    kanon_audit_free(audit);
    kanon_state_close(state);
    return st;
}

static kanon_status state_job(job_run *r)
{
    objects o;
    char path[PATH_SIZE];
    snprintf(path, sizeof path, "%s/%d.state", scratch_directory, r->number);
    kanon_status st = make_objects(&o, r, true, "mondrian");
    STEP(kanon_state_create(path, o.table, o.schema, o.grouping, NULL, NULL, &r->err));
    free_objects(&o);
    STEP(change_state(r, path));
    unlink(path);
    return st;
}

static kanon_status groups_job(job_run *r)
{
    objects o;
    char text[N_PEOPLE * 16] = "row,group\n";
    size_t used = strlen(text);
    collected release = {.host = &r->host};
    kanon_sink sink = sink_of(&release, NULL);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .numeric = KANON_NUMERIC_MEAN,
                             .shuffle = 1,
                             .shuffle_seed = 5};
    for (int row = 0; row < N_PEOPLE; row++)
        used += (size_t)snprintf(text + used, sizeof text - used, "%d,%d\n", row + 1, row % 40);
    kanon_status st = make_objects(&o, r, false, NULL);
    STEP(kanon_grouping_read(&o.grouping, o.table, KANON_BYTES_AS(text, used, "groups"), &r->err));
    STEP(kanon_publish(o.table, o.grouping, &outputs, &r->err));
    say_collected(r, &release);
    free_objects(&o);
    return st;
}

static kanon_status (*const jobs[N_JOBS])(job_run *) = {csv_job,   arrow_job,    check_job, evaluate_job,
                                                        bound_job, tradeoff_job, state_job, groups_job};

static void run_job(job_run *r, int threads)
{
    host_init(&r->host, threads);
    r->err = (kanon_error)KANON_INIT(kanon_error);
    r->status = jobs[r->job](r);
}

static void assert_job_done(job_run *r)
{
    if (r->status != KANON_OK)
        fail_msg("job %d: %s: %s", r->job, kanon_enum_text(KANON_ENUM_STATUS, r->status), r->err.message);
    assert_int_equal(atomic_load(&r->host.n_live), 0);
    assert_int_equal(atomic_load(&r->host.n_foreign), 0);
    assert_true(atomic_load(&r->host.n_asked) > 0);
    assert_true(r->used > 0);
    assert_all_released(&r->counts);
}

/* ---- many hosts at once ------------------------------------------------------------------------------------------ */

/* Each thread does all jobs, and begins with another one. */
static void *do_all_jobs(void *payload)
{
    job_run *runs = payload;
    for (int i = 0; i < N_JOBS; i++)
        run_job(&runs[(runs->number + i) % N_JOBS], 2);
    return NULL;
}

static void hosts_do_not_meet(void **state)
{
    (void)state;
    people *p = people_new(N_PEOPLE, 1);
    job_run *alone = calloc(N_JOBS, sizeof *alone), *together = calloc(N_JOBS * N_JOBS, sizeof *together);
    pthread_t threads[N_JOBS];
    assert_non_null(alone);
    assert_non_null(together);
    for (int i = 0; i < N_JOBS; i++) {
        alone[i].job = i;
        alone[i].number = 1000 + i;
        alone[i].people = p;
        run_job(&alone[i], 1);
        assert_job_done(&alone[i]);
    }
    for (int i = 0; i < N_JOBS * N_JOBS; i++) {
        together[i].job = i % N_JOBS;
        together[i].number = i;
        together[i].people = p;
    }
    for (int i = 0; i < N_JOBS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, do_all_jobs, &together[i * N_JOBS]), 0);
    for (int i = 0; i < N_JOBS; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < N_JOBS * N_JOBS; i++) {
        assert_job_done(&together[i]);
        assert_string_equal(together[i].result, alone[i % N_JOBS].result);
    }
    assert_int_equal(entries(scratch_directory, false), 0);
    free(together);
    free(alone);
    people_free(p);
}

/* ---- one embedded run, of which anything may fail ---------------------------------------------------------------- */

typedef struct embedded {
    host host;
    const people *people;
    const char *file;        /* groups are also written there; NULL: not */
    collected release;       /* of the CSV */
    arrow_counts counts;     /* of the stream that comes in */
    int64_t n_released_rows; /* of the stream that goes out */
    kanon_status status;
    kanon_error err;
} embedded;

/* Read a released stream to its end: its errno becomes a status. */
static kanon_status drain(struct ArrowArrayStream *stream, int64_t *n_rows)
{
    struct ArrowSchema schema = {0};
    struct ArrowArray batch = {0};
    int error = stream->get_schema(stream, &schema);
    if (error == 0)
        schema.release(&schema);
    while (error == 0 && (error = stream->get_next(stream, &batch)) == 0 && batch.release != NULL) {
        *n_rows += batch.length;
        batch.release(&batch);
    }
    stream->release(stream);
    return error == 0 ? KANON_OK : error == ENOMEM ? KANON_ENOMEM : KANON_EIO;
}

/* Arrow in, anonymize, Arrow out, and the release to a sink. */
static void run_embedded(embedded *e, const arrow_layout *layout)
{
    struct ArrowArrayStream stream, released = {0};
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_sink sink = sink_of(&e->release, "the release");
    kanon_read_options reading = {.struct_size = sizeof reading, .tick = host_tick, .payload = &e->host};
    kanon_options options = {.struct_size = sizeof options, .k = 3, .algorithm = "mondrian", .refine = "il-optimization",
                             .tick = host_tick, .payload = &e->host};
    kanon_outputs to_arrow = {.struct_size = sizeof to_arrow, .tick = host_tick, .payload = &e->host};
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_SINK(&sink),
                             .groups = KANON_TO_PATH(e->file),
                             .tick = host_tick,
                             .payload = &e->host};
    e->release.host = &e->host;
    arrow_produce(&stream, &e->people->table, layout, &e->counts);
    kanon_status st = people_schema(&schema, &e->host.context, &e->err);
    if (st == KANON_OK)
        st = kanon_table_read(&table, KANON_STREAM(&stream), schema, &reading, &e->err);
    else
        stream.release(&stream);
    assert_null(stream.release);
    STEP(kanon_anonymize(&grouping, table, &options, &e->err));
    STEP(release_to_stream(&released, table, grouping, &to_arrow, &e->err));
    assert_true(st == KANON_OK || (released.release == NULL && e->release.n_finished == 0));
    if (st == KANON_OK)
        st = kanon_publish(table, grouping, &outputs, &e->err);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    if (released.release != NULL) {
        kanon_status drained = drain(&released, &e->n_released_rows);
        st = st != KANON_OK ? st : drained;
    }
    e->status = st;
}

/* Nothing is left, and the sink knows how it ended. */
static void assert_clean(const embedded *e)
{
    assert_int_equal(atomic_load(&e->host.n_live), 0);
    assert_int_equal(atomic_load(&e->host.n_foreign), 0);
    assert_all_released(&e->counts);
    assert_int_equal(e->counts.streams, 1);
    assert_in_range(e->release.n_finished, 0, 1);
    assert_true(e->release.n_writes == 0 || e->release.n_finished == 1);
}

static void embedded_init(embedded *e, const people *p, int threads)
{
    *e = (embedded){.people = p, .err = KANON_INIT(kanon_error)};
    host_init(&e->host, threads);
}

static void memory_runs_out_anywhere(void **state)
{
    (void)state;
    static const arrow_layout layout = {.batch_rows = 5};
    people *p = people_new(12, 1);
    long long at = 0, n_asked;
    do {
        embedded e;
        embedded_init(&e, p, 1);
        atomic_store(&e.host.fail_at, ++at);
        run_embedded(&e, &layout);
        n_asked = atomic_load(&e.host.n_asked);
        if (e.status != (n_asked >= at ? KANON_ENOMEM : KANON_OK))
            fail_msg("allocation %lld: %s: %s", at, kanon_enum_text(KANON_ENUM_STATUS, e.status), e.err.message);
        assert_clean(&e);
        if (e.status == KANON_OK)
            assert_true(e.release.n_complete == 1 && e.n_released_rows == 12);
        free(e.release.text);
    } while (n_asked >= at);
    assert_true(at > 200);
    assert_no_leak();
    people_free(p);
}

/* ---- streams that fail ------------------------------------------------------------------------------------------- */

/* What takes a stream. The state and the table are there, the stream is all that can fail. */
typedef struct receiver {
    kanon_schema *schema;
    kanon_table *table;
    kanon_state *state;
} receiver;

static kanon_status give(int to, receiver *r, struct ArrowArrayStream *stream, kanon_error *err)
{
    kanon_status st;
    kanon_table *table = NULL;
    kanon_check *check = NULL;
    kanon_measures *measures = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    switch (to) {
    case 0: st = kanon_table_read(&table, KANON_STREAM(stream), r->schema, NULL, err); break;
    case 1: st = kanon_check_read(&check, KANON_STREAM(stream), r->schema, NULL, err); break;
    case 2: st = kanon_evaluate_release(&measures, r->table, KANON_STREAM(stream), r->schema, NULL, err); break;
    case 3: st = kanon_state_change(r->state, KANON_INSERT, KANON_STREAM(stream), NULL, &change, err); break;
    case 4: st = kanon_state_change(r->state, KANON_DELETE, KANON_STREAM(stream), NULL, &change, err); break;
    default: st = kanon_state_change(r->state, KANON_UPDATE, KANON_STREAM(stream), NULL, &change, err); break;
    }
    assert_true(st == KANON_OK || (table == NULL && check == NULL && measures == NULL));
    kanon_table_free(table);
    kanon_check_free(check);
    kanon_measures_free(measures);
    return st;
}
enum { N_RECEIVERS = 6 };

static void open_receiver(receiver *r, const people *p, const host *h, const char *path)
{
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options, .k = 3, .algorithm = "mondrian"};
    kanon_state_options opening = {.struct_size = sizeof opening, .context = &h->context};
    *r = (receiver){0};
    assert_done(people_schema(&r->schema, &h->context, &err), &err);
    assert_done(kanon_table_read(&r->table, KANON_BYTES_AS(p->csv, strlen(p->csv), "people"), r->schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, r->table, &options, &err), &err);
    assert_done(kanon_state_create(path, r->table, r->schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&r->state, path, &opening, &err), &err);
    kanon_grouping_free(grouping);
}

static void close_receiver(receiver *r)
{
    kanon_state_close(r->state);
    kanon_table_free(r->table);
    kanon_schema_free(r->schema);
}

static void streams_fail_at_each_call(void **state)
{
    (void)state;
    static const struct {
        int code;
        kanon_status status;
    } codes[] = {{ENOMEM, KANON_ENOMEM}, {EIO, KANON_EIO}, {ECANCELED, KANON_ECANCELLED}};
    people *p = people_new(12, 1), *delta = people_new(3, 100);
    host h;
    receiver r;
    host_init(&h, 2);
    open_receiver(&r, p, &h, scratch("streams.state").text);
    for (int to = 0; to < N_RECEIVERS; to++)
        for (size_t code = 0; code < N_OF(codes); code++)
            for (int at = -1; at <= 3; at++) { /* get_schema, and each get_next of three batches and the end */
                arrow_layout layout = {.batch_rows = 1, .fail_schema = at < 0 ? codes[code].code : 0,
                                       .fail_next = at < 0 ? 0 : codes[code].code, .fail_at = at};
                struct ArrowArrayStream stream;
                arrow_counts counts = {0};
                kanon_error err = KANON_INIT(kanon_error);
                long long live = atomic_load(&h.n_live);
                arrow_produce(&stream, &delta->table, &layout, &counts);
                kanon_status st = give(to, &r, &stream, &err);
                if (st != codes[code].status)
                    fail_msg("receiver %d, call %d: %s", to, at, kanon_enum_text(KANON_ENUM_STATUS, st));
                assert_int_equal(err.status, st);
                assert_string_equal(err.message, "Arrow stream: the producer is tired");
                assert_null(stream.release);
                assert_all_released(&counts);
                assert_int_equal(counts.streams, 1);
                assert_int_equal(atomic_load(&h.n_live), live);
            }
    close_receiver(&r);
    assert_int_equal(atomic_load(&h.n_live), 0);
    entries(scratch_directory, true);
    people_free(delta);
    people_free(p);
}

/* ---- ticks that cancel ------------------------------------------------------------------------------------------- */

/* The n-th tick cancels, for every n until there are fewer ticks. */
static void ticks_cancel_anywhere(void **state)
{
    (void)state;
    static const arrow_layout layout = {.batch_rows = 1000};
    people *p = people_new(4000, 1);
    place file = scratch("groups.csv");
    int at = 0, n_ticks;
    do {
        embedded e;
        embedded_init(&e, p, 2);
        e.file = file.text;
        e.host.cancel_at = ++at;
        run_embedded(&e, &layout);
        n_ticks = atomic_load(&e.host.n_ticks);
        if (e.status != (n_ticks >= at ? KANON_ECANCELLED : KANON_OK))
            fail_msg("tick %d of %d: %s: %s", at, n_ticks, kanon_enum_text(KANON_ENUM_STATUS, e.status), e.err.message);
        assert_int_equal(e.release.n_complete, n_ticks < at);
        assert_clean(&e);
        assert_int_equal(entries(scratch_directory, true), n_ticks < at);
        if (n_ticks >= at)
            assert_holds(e.err.message, "stopped while ");
        free(e.release.text);
    } while (n_ticks >= at);
    assert_true(at > 4); /* reading, grouping, refining, writing twice */
    people_free(p);
}

/* The same of a state: it is as it was. */
static void cancelled_changes_change_nothing(void **state)
{
    (void)state;
    people *p = people_new(400, 1), *delta = people_new(100, 1000);
    place path = scratch("cancelled.state");
    receiver r;
    host h;
    int at = 0, n_ticks;
    host_init(&h, 2);
    open_receiver(&r, p, &h, path.text);
    close_receiver(&r);
    do {
        kanon_state_options opening = {.struct_size = sizeof opening, .tick = host_tick, .payload = &h,
                                       .context = &h.context};
        collected release = {.host = &h};
        kanon_sink sink = sink_of(&release, "release.csv");
        kanon_outputs outputs = {
            .struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink), .tick = host_tick, .payload = &h};
        kanon_change_options change = {.struct_size = sizeof change, .outputs = &outputs};
        kanon_state *kept = NULL;
        kanon_state_info *info = NULL;
        kanon_change done = KANON_INIT(kanon_change);
        kanon_error err = KANON_INIT(kanon_error);
        struct ArrowArrayStream stream;
        arrow_counts counts = {0};
        atomic_store(&h.n_ticks, 0);
        h.cancel_at = ++at;
        assert_done(kanon_state_open(&kept, path.text, &opening, &err), &err);
        arrow_produce(&stream, &delta->table, NULL, &counts);
        kanon_status st = kanon_state_change(kept, KANON_INSERT, KANON_STREAM(&stream), &change, &done, &err);
        n_ticks = atomic_load(&h.n_ticks);
        h.cancel_at = 0;
        assert_int_equal(st, n_ticks >= at ? KANON_ECANCELLED : KANON_OK);
        assert_all_released(&counts);
        assert_int_equal(release.n_finished, 1);
        assert_int_equal(release.n_complete, n_ticks < at);
        assert_done(kanon_state_describe(&info, kept, &err), &err);
        assert_int_equal(info->records, n_ticks >= at ? 400 : 500);
        assert_int_equal(info->n_releases, n_ticks < at);
        kanon_state_info_free(info);
        kanon_state_close(kept);
        assert_int_equal(atomic_load(&h.n_live), 0);
        free(release.text);
    } while (n_ticks >= at);
    assert_true(at > 2);
    assert_int_equal(entries(scratch_directory, true), 1);
    people_free(delta);
    people_free(p);
}

/* ---- sinks that fail --------------------------------------------------------------------------------------------- */

typedef struct two_sinks {
    collected release, groups;
    place file;
    kanon_status status;
    kanon_error err;
} two_sinks;

static void publish_to_sinks(two_sinks *s, const kanon_table *table, const kanon_grouping *grouping)
{
    kanon_sink release = sink_of(&s->release, "the release"), groups = sink_of(&s->groups, "the groups");
    s->file = scratch("report.json");
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_SINK(&release),
                             .groups = KANON_TO_SINK(&groups),
                             .report = KANON_TO_PATH(s->file.text)};
    s->status = kanon_publish(table, grouping, &outputs, &s->err);
}

static void sinks_fail_anywhere(void **state)
{
    (void)state;
    people *p = people_new(60000, 1); /* a release of more than one buffer */
    host h;
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_options options = {.struct_size = sizeof options, .k = 5, .algorithm = "mondrian"};
    host_init(&h, 2);
    assert_done(people_schema(&schema, &h.context, &err), &err);
    assert_done(kanon_table_read(&table, KANON_BYTES_AS(p->csv, strlen(p->csv), "people"), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, &options, &err), &err);
    for (int of = 0; of < 2; of++) { /* a write of the release, or of the groups */
        int at = 0, n_writes = 0;
        do {
            two_sinks s = {.release = {.host = &h}, .groups = {.host = &h}, .err = KANON_INIT(kanon_error)};
            *(of == 0 ? &s.release.fail_write_at : &s.groups.fail_write_at) = ++at;
            publish_to_sinks(&s, table, grouping);
            n_writes = of == 0 ? s.release.n_writes : s.groups.n_writes;
            assert_int_equal(s.status, n_writes >= at ? KANON_EIO : KANON_OK);
            if (n_writes >= at)
                assert_holds(s.err.message, of == 0 ? "cannot write the release: " : "cannot write the groups: ");
            assert_int_equal(n_writes, n_writes >= at ? at : at - 1); /* nothing more is written then */
            assert_int_equal(s.release.n_finished, 1);
            assert_int_equal(s.groups.n_finished, 1);
            assert_int_equal(s.release.n_complete + s.groups.n_complete, n_writes >= at ? 0 : 2);
            assert_int_equal(entries(scratch_directory, true), n_writes >= at ? 0 : 1);
            free(s.release.text);
            free(s.groups.text);
            if (n_writes < at)
                break;
        } while (at < 1000);
        assert_true(at > (of == 0 ? 2 : 1));
    }
    for (int of = 0; of < 2; of++) { /* everything is written, but the last word is no */
        two_sinks s = {.release = {.host = &h, .fail_finish = of == 0},
                       .groups = {.host = &h, .fail_finish = of == 1},
                       .err = KANON_INIT(kanon_error)};
        publish_to_sinks(&s, table, grouping);
        assert_int_equal(s.status, KANON_EIO);
        assert_int_equal(s.release.n_finished, 1);
        assert_int_equal(s.groups.n_finished, 1);
        assert_int_equal(s.groups.n_complete, 1);
        assert_int_equal(s.release.n_complete, of == 0); /* it is told last */
        assert_int_equal(entries(scratch_directory, true), 0);
        free(s.release.text);
        free(s.groups.text);
    }
    assert_int_equal(atomic_load(&h.n_foreign), 0);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    assert_int_equal(atomic_load(&h.n_live), 0);
    people_free(p);
}

/* The last word of a sink is a part of the commit: what it refuses is not recorded. */
static void state_forgets_what_a_sink_refuses(void **state)
{
    (void)state;
    people *p = people_new(30, 1);
    place path = scratch("refused.state");
    host h;
    receiver r;
    collected release = {.fail_finish = 1};
    kanon_sink sink = sink_of(&release, "release.csv");
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_SINK(&sink)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    kanon_state_info *info = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    kanon_error err = KANON_INIT(kanon_error);
    host_init(&h, 1);
    open_receiver(&r, p, &h, path.text);
    assert_int_equal(kanon_state_release(r.state, &options, &change, &err), KANON_EIO);
    assert_holds(err.message, "cannot write release.csv: ");
    assert_int_equal(release.n_finished, 1);
    assert_int_equal(release.n_complete, 1);
    assert_done(kanon_state_describe(&info, r.state, &err), &err);
    assert_int_equal(info->n_releases, 0);
    kanon_state_info_free(info);
    close_receiver(&r);
    assert_int_equal(atomic_load(&h.n_live), 0);
    free(release.text);
    entries(scratch_directory, true);
    people_free(p);
}

static void assert_refused_once(collected *c, kanon_status status, kanon_status expected)
{
    assert_int_equal(status, expected);
    assert_int_equal(c->n_writes, 0);
    assert_int_equal(c->n_finished, 1);
    assert_int_equal(c->n_complete, 0);
    c->n_finished = 0;
}

/* Calls that fail before anything is written: the sink is told all the same. */
static void sinks_hear_of_early_failures(void **state)
{
    (void)state;
    people *p = people_new(30, 1);
    place path = scratch("early.state"), none = scratch("none.csv");
    host h;
    receiver r;
    collected c = {0};
    kanon_sink sink = sink_of(&c, "out.json");
    kanon_grouping *grouping = NULL;
    kanon_lower_bound *bound = NULL;
    kanon_curve *curve = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    kanon_options options = {.struct_size = sizeof options, .k = 3, .algorithm = "mondrian"};
    kanon_outputs outputs = {
        .struct_size = sizeof outputs, .report_external = KANON_TO_SINK(&sink), .numeric = (kanon_numeric)9};
    kanon_change_options changing = {.struct_size = sizeof changing, .outputs = &outputs};
    kanon_bound_options bounding = {.struct_size = sizeof bounding, .k = 31, .certificate = KANON_TO_SINK(&sink)};
    kanon_tradeoff_options grid = {.struct_size = sizeof grid, .k = "two", .plot = KANON_TO_SINK(&sink)};
    struct ArrowArrayStream released = {0};
    host_init(&h, 1);
    open_receiver(&r, p, &h, path.text);
    assert_int_equal(kanon_anonymize(&grouping, r.table, &options, NULL), KANON_OK);
    assert_refused_once(&c, kanon_publish(r.table, grouping, &outputs, NULL), KANON_EINVAL);
    assert_refused_once(&c, kanon_bound(&bound, r.table, &bounding, NULL), KANON_EINFEASIBLE);
    assert_refused_once(&c, kanon_tradeoff(&curve, r.table, &grid, NULL), KANON_EINVAL);
    assert_refused_once(&c, kanon_state_create(path.text, r.table, r.schema, grouping, &outputs, NULL, NULL), KANON_EINVAL);
    assert_refused_once(&c, kanon_state_change(r.state, KANON_INSERT, KANON_PATH(none.text), &changing, &change, NULL),
                        KANON_EIO);
    assert_refused_once(
        &c, kanon_state_change(r.state, KANON_INSERT, KANON_BYTES_AS("", 0, "nothing"), &changing, &change, NULL),
        KANON_EDATA);
    assert_refused_once(&c, kanon_state_change(r.state, KANON_UPDATE, KANON_STREAM(&released), &changing, &change, NULL),
                        KANON_EINVAL);
    assert_refused_once(&c, kanon_state_improve(r.state, "no-such", &changing, &change, NULL), KANON_EINVAL);
    assert_refused_once(&c, kanon_state_release(r.state, &changing, &change, NULL), KANON_EINVAL);
    changing.joint_k = -1;
    assert_refused_once(&c, kanon_state_release(r.state, &changing, &change, NULL), KANON_EINVAL);
    kanon_grouping_free(grouping);
    close_receiver(&r);
    assert_int_equal(atomic_load(&h.n_live), 0);
    entries(scratch_directory, true);
    people_free(p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hosts_do_not_meet),
        cmocka_unit_test(memory_runs_out_anywhere),
        cmocka_unit_test(streams_fail_at_each_call),
        cmocka_unit_test(ticks_cancel_anywhere),
        cmocka_unit_test(cancelled_changes_change_nothing),
        cmocka_unit_test(sinks_fail_anywhere),
        cmocka_unit_test(state_forgets_what_a_sink_refuses),
        cmocka_unit_test(sinks_hear_of_early_failures),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
