/* Contexts: whose memory, folder, threads and ticks a call uses. */
#include "core/alloc.h"
#include "core/conveyor.h"
#include "core/context.h"
#include "core/pool.h"
#include "core/spill.h"
#include "core/ticker.h"
#include "state/store/page_checksum.h"
#include "state/store/store.h"
#include "support.h"

#include <sched.h>
#include <signal.h>

/* ---- an allocator that counts ------------------------------------------------------------------------------------ */

typedef struct counter {
    atomic_llong n_asked, n_live, fail_at; /* fail_at 0: never */
    atomic_bool foreign;                   /* another thread than `owner` asked */
    pthread_t owner;
} counter;

static bool may_have(counter *c)
{
    long long asked = atomic_fetch_add(&c->n_asked, 1) + 1, at = atomic_load(&c->fail_at);
    if (!pthread_equal(pthread_self(), c->owner))
        atomic_store(&c->foreign, true);
    return at == 0 || asked != at;
}

static void *count_allocate(size_t size, void *payload)
{
    counter *c = payload;
    void *memory = may_have(c) ? malloc(size) : NULL;
    if (memory != NULL) {
        memset(memory, 0xa5, size); /* that it is zeroed is the library's task */
        atomic_fetch_add(&c->n_live, 1);
    }
    return memory;
}

static void *count_reallocate(void *memory, size_t size, void *payload)
{
    return may_have(payload) ? realloc(memory, size) : NULL;
}

static void count_release(void *memory, void *payload)
{
    atomic_fetch_sub(&((counter *)payload)->n_live, 1);
    free(memory);
}

static kanon_context counting(counter *c)
{
    c->owner = pthread_self();
    return (kanon_context){.struct_size = sizeof(kanon_context),
                           .allocate = count_allocate,
                           .reallocate = count_reallocate,
                           .release = count_release,
                           .payload = c};
}

/* ---- a run ------------------------------------------------------------------------------------------------------- */

enum { N_ROWS = 60, N_MANY = 6000 };

static void write_table(const char *path, int n)
{
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("age,city,disease\n", file);
    for (int i = 0; i < n; i++)
        fprintf(file, "%d,%s,%s\n", 20 + i * 7919 % 53, i * 31 % 3 == 0 ? "Rome" : i % 2 == 0 ? "Oslo" : "Bonn",
                i % 5 == 0 ? "flu" : "gout");
    fclose(file);
}

typedef struct run {
    const kanon_context *context;
    place table, release, groups, report;
    kanon_options options;
    kanon_status status;
    kanon_error err;
} run;

static run new_run(const kanon_context *context, const char *name)
{
    char text[64];
    run r = {.context = context,
             .table = scratch("t.csv"),
             .options = {.struct_size = sizeof r.options, .k = 3, .algorithm = "mondrian"},
             .err = KANON_INIT(kanon_error)};
    snprintf(text, sizeof text, "%s-release.csv", name);
    r.release = scratch(text);
    snprintf(text, sizeof text, "%s-groups.csv", name);
    r.groups = scratch(text);
    snprintf(text, sizeof text, "%s-report.json", name);
    r.report = scratch(text);
    return r;
}

static kanon_status set_schema(kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon_schema_set(schema, "age", "role", "quasi", err), out);
    KANON_TRY(kanon_schema_set(schema, "age", "type", "integer", err), out);
    KANON_TRY(kanon_schema_set(schema, "age", "weight", "2", err), out);
    KANON_TRY(kanon_schema_set(schema, "city", "role", "quasi", err), out);
    KANON_TRY(kanon_schema_set(schema, "disease", "role", "sensitive", err), out);
    KANON_TRY(kanon_schema_set(schema, NULL, "missing", "?", err), out);
    KANON_TRY(kanon_schema_set(schema, NULL, "suppress", "0.1", err), out);
    KANON_TRY(kanon_schema_set(schema, NULL, "constraint", "model=alpha-k,attribute=disease,alpha=0.9", err), out);
out:
    return st;
}

/* Schema, table, groups and every output; all objects are freed again. */
static void go(run *r)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_outputs outputs = {.struct_size = sizeof outputs,
                             .release = KANON_TO_PATH(r->release.text),
                             .groups = KANON_TO_PATH(r->groups.text),
                             .report = KANON_TO_PATH(r->report.text),
                             .threads = r->options.threads};
    KANON_TRY(kanon_schema_new(&schema, r->context, &r->err), out);
    KANON_TRY(set_schema(schema, &r->err), out);
    KANON_TRY(kanon_table_read(&table, KANON_PATH(r->table.text), schema, NULL, &r->err), out);
    KANON_TRY(kanon_anonymize(&grouping, table, &r->options, &r->err), out);
    KANON_TRY(kanon_publish(table, grouping, &outputs, &r->err), out);
out:
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    r->status = st;
}

static void *go_thread(void *payload)
{
    run *r = payload;
    ((counter *)r->context->payload)->owner = pthread_self();
    go(r);
    return NULL;
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

/* What the library asked for in all is what the context was asked for, so nothing went past it. */
static void context_gets_every_allocation(void **state)
{
    (void)state;
    counter c = {0};
    kanon_context context = counting(&c);
    run r = new_run(&context, "all");
    write_table(r.table.text, N_ROWS);
    kanon__alloc_fail_at(0, false);
    go(&r);
    assert_done(r.status, &r.err);
    assert_true(atomic_load(&c.n_asked) > 100);
    assert_int_equal(atomic_load(&c.n_asked), kanon__alloc_count());
    assert_int_equal(atomic_load(&c.n_live), 0);
    assert_null(kanon__call_now());
    entries(scratch_directory, true);
}

static void context_out_of_memory_anywhere(void **state)
{
    (void)state;
    counter c = {0};
    kanon_context context = counting(&c);
    long long at = 0;
    run r;
    write_table(scratch("t.csv").text, N_ROWS);
    do {
        r = new_run(&context, "short");
        atomic_store(&c.n_asked, 0);
        atomic_store(&c.fail_at, ++at);
        r.options.threads = 1;
        go(&r);
        assert_int_equal(atomic_load(&c.n_live), 0);
        assert_null(kanon__call_now());
        if (r.status == KANON_OK)
            break;
        if (r.status != KANON_ENOMEM)
            fail_msg("allocation %lld: %s", at, r.err.message);
        assert_int_equal(entries(scratch_directory, false), 1);
    } while (at < 1000000);
    assert_true(at > 100);
    entries(scratch_directory, true);
}

static void context_of_a_state(void **state)
{
    (void)state;
    counter c = {0};
    kanon_context context = counting(&c);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *kept = NULL;
    kanon_state_info *info = NULL;
    kanon_change change = KANON_INIT(kanon_change);
    kanon_state_options options = {.struct_size = sizeof options, .context = &context};
    kanon_options grouping_options = {.struct_size = sizeof grouping_options, .k = 3, .algorithm = "mondrian"};
    place path = scratch("k.state"), more = scratch("more.csv");
    write_table(scratch("t.csv").text, N_ROWS);
    write_text(more.text, "age,city,disease\n30,Oslo,flu\n31,Oslo,gout\n");
    kanon__alloc_fail_at(0, false);
    assert_done(kanon_schema_new(&schema, &context, &err), &err);
    assert_done(kanon_schema_set(schema, "age", "role", "quasi", &err), &err);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    assert_done(kanon_anonymize(&grouping, table, &grouping_options, &err), &err);
    assert_done(kanon_state_create(path.text, table, schema, grouping, NULL, NULL, &err), &err);
    assert_done(kanon_state_open(&kept, path.text, &options, &err), &err);
    assert_done(kanon_state_change(kept, KANON_INSERT, KANON_PATH(more.text), NULL, &change, &err), &err);
    assert_done(kanon_state_describe(&info, kept, &err), &err);
    assert_int_equal(atomic_load(&c.n_asked), kanon__alloc_count());
    kanon_state_info_free(info);
    kanon_state_close(kept);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    assert_int_equal(atomic_load(&c.n_live), 0);
    entries(scratch_directory, true);
}

/* What states put into SQLite's list of layers is gone: by its one name once, and by that of this library at all. */
static void state_leaves_no_layer(void **state)
{
    (void)state;
    kanon__store store;
    char name[sizeof store.layer->name];
    kanon_error err = KANON_INIT(kanon_error);
    int n_before = 0, n_open = 0, n_after = 0;
    for (sqlite3_vfs *vfs = sqlite3_vfs_find(NULL); vfs != NULL; vfs = vfs->pNext)
        n_before++;
    assert_done(kanon__store_create(&store, scratch("layer.state").text, NULL, &err), &err);
    assert_done(kanon__store_run(&store, "CREATE TABLE t(x); INSERT INTO t VALUES(1)", &err), &err);
    memcpy(name, store.layer->name, sizeof name);
    for (sqlite3_vfs *vfs = sqlite3_vfs_find(NULL); vfs != NULL; vfs = vfs->pNext)
        n_open++;
    assert_done(kanon__store_commit(&store, &err), &err);
    kanon__store_close(&store);
    for (sqlite3_vfs *vfs = sqlite3_vfs_find(NULL); vfs != NULL; vfs = vfs->pNext)
        n_after++;
    assert_null(sqlite3_vfs_find(name));
    assert_memory_equal(name, "kanon-pages-", 12);
    assert_int_equal(n_open, n_before);
    assert_int_equal(n_after, n_before);
    entries(scratch_directory, true);
}

static void context_of_options_wins(void **state)
{
    (void)state;
    counter of_schema = {0}, of_table = {0};
    kanon_context first = counting(&of_schema), second = counting(&of_table);
    kanon_read_options reading = {.struct_size = sizeof reading, .context = &second};
    kanon_check_options checking = {.struct_size = sizeof checking, .context = &second};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_check *check = NULL;
    write_table(scratch("t.csv").text, N_ROWS);
    assert_done(kanon_schema_new(&schema, &first, &err), &err);
    assert_done(set_schema(schema, &err), &err);
    long long before = atomic_load(&of_schema.n_asked);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, &reading, &err), &err);
    long long read = atomic_load(&of_table.n_asked);
    assert_true(read > 0);
    assert_done(kanon_check_read(&check, KANON_PATH(scratch("t.csv").text), schema, &checking, &err), &err);
    assert_true(atomic_load(&of_table.n_asked) > read);
    assert_int_equal(atomic_load(&of_schema.n_asked), before);
    kanon_check_free(check);
    assert_done(kanon_check_read(&check, KANON_PATH(scratch("t.csv").text), schema, NULL, &err), &err);
    assert_true(atomic_load(&of_schema.n_asked) > before);
    kanon_check_free(check);
    kanon_schema_free(schema);
    kanon_table_free(table);
    assert_int_equal(atomic_load(&of_schema.n_live), 0);
    assert_int_equal(atomic_load(&of_table.n_live), 0);
    entries(scratch_directory, true);
}

static void contexts_in_two_threads(void **state)
{
    (void)state;
    counter counters[2] = {{0}, {0}};
    kanon_context contexts[2] = {counting(&counters[0]), counting(&counters[1])};
    run runs[2] = {new_run(&contexts[0], "left"), new_run(&contexts[1], "right")};
    pthread_t threads[2];
    write_table(scratch("t.csv").text, N_MANY);
    for (int i = 0; i < 2; i++) {
        contexts[i].threads = 1;
        assert_int_equal(pthread_create(&threads[i], NULL, go_thread, &runs[i]), 0);
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 2; i++) {
        assert_done(runs[i].status, &runs[i].err);
        assert_int_equal(atomic_load(&counters[i].n_live), 0);
        assert_false(atomic_load(&counters[i].foreign));
    }
    assert_int_equal(atomic_load(&counters[0].n_asked), atomic_load(&counters[1].n_asked));
    entries(scratch_directory, true);
}

/* ---- what a context must be -------------------------------------------------------------------------------------- */

static void assert_refused(kanon_context context, const char *why)
{
    kanon_schema *schema = NULL;
    kanon_state *kept = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state_options options = {.struct_size = sizeof options, .context = &context};
    assert_int_equal(kanon_schema_new(&schema, &context, &err), KANON_EINVAL);
    assert_null(schema);
    assert_holds(err.message, why);
    assert_int_equal(kanon_schema_read(&schema, KANON_PATH("none.yaml"), &context, &err), KANON_EINVAL);
    assert_int_equal(kanon_state_open(&kept, "none.state", &options, &err), KANON_EINVAL);
    assert_null(kept);
}

static void context_is_checked(void **state)
{
    (void)state;
    kanon_context whole = counting(&(counter){0}), part = whole;
    part.reallocate = NULL;
    assert_refused(part, "some of allocate");
    part = whole;
    part.threads = -1;
    assert_refused(part, "negative number of threads");
    part = whole;
    part.struct_size = 0;
    assert_refused(part, "struct_size");
}

/* A caller built against a header with fewer fields. */
static void context_may_be_shorter(void **state)
{
    (void)state;
    counter c = {0};
    kanon_context context = counting(&c);
    kanon__call call;
    kanon_schema *schema = NULL;
    context.struct_size = offsetof(kanon_context, threads);
    context.threads = 1;
    assert_int_equal(kanon_schema_new(&schema, &context, NULL), KANON_OK);
    kanon_schema_free(schema);
    kanon__call_begin(&call, &context);
    assert_int_equal(kanon__call_threads(), 0);
    kanon__call_end(&call, KANON_OK);
}

/* ---- temporary files --------------------------------------------------------------------------------------------- */

static void context_names_the_temporary_folder(void **state)
{
    (void)state;
    place folder = scratch("room");
    kanon_context context = {.struct_size = sizeof context, .temporary = folder.text};
    kanon_read_options reading = {.struct_size = sizeof reading, .memory = 1000};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    char line[PATH_SIZE];
    bool found = false;
    write_table(scratch("t.csv").text, N_MANY);
    assert_done(kanon_schema_new(&schema, &context, &err), &err);
    assert_done(set_schema(schema, &err), &err);
    assert_int_equal(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, &reading, &err), KANON_EIO);
    assert_holds(err.message, folder.text);
    assert_int_equal(mkdir(folder.text, 0700), 0);
    assert_done(kanon_table_read(&table, KANON_PATH(scratch("t.csv").text), schema, &reading, &err), &err);
    FILE *maps = fopen("/proc/self/maps", "r");
    while (maps != NULL && fgets(line, sizeof line, maps) != NULL)
        found = found || strstr(line, folder.text) != NULL;
    if (maps != NULL)
        fclose(maps);
    assert_true(found || maps == NULL);
    kanon_table_free(table);
    kanon_schema_free(schema);
    assert_string_not_equal(kanon__spill_directory(), folder.text);
    entries(scratch_directory, true);
}

/* ---- threads ----------------------------------------------------------------------------------------------------- */

typedef struct crowd {
    atomic_int now, most;
    int limit;
    bool nested;
} crowd;

static kanon_status stay(int64_t index, void *payload, kanon_error *err)
{
    crowd *c = payload;
    (void)index;
    if (c->nested) {
        crowd *inner = c + 1;
        kanon__call call; /* as of a public function that is called inside another */
        kanon__call_begin(&call, kanon__call_context());
        return kanon__call_end(&call, kanon__pool_run(8, 8, stay, inner, err));
    }
    int here = atomic_fetch_add(&c->now, 1) + 1, most = atomic_load(&c->most);
    while (here > most && !atomic_compare_exchange_weak(&c->most, &most, here))
        continue;
    for (int i = 0; i < 2 && atomic_load(&c->now) < c->limit; i++)
        sched_yield(); /* so that there is time for one too many */
    atomic_fetch_sub(&c->now, 1);
    return KANON_OK;
}

static void context_limits_threads(void **state)
{
    (void)state;
    kanon_context context = {.struct_size = sizeof context, .threads = 2};
    for (int limit = 1; limit <= 3; limit++) {
        kanon__call call;
        crowd crowds[2] = {{.nested = true}, {.limit = limit + 1}};
        context.threads = limit;
        kanon__call_begin(&call, &context);
        assert_int_equal(kanon__pool_threads(8), limit);
        assert_true(kanon__pool_threads(0) <= limit);
        assert_int_equal(kanon__pool_threads(1), 1);
        assert_int_equal(kanon__pool_run(8, 6, stay, &crowds[1], NULL), KANON_OK);
        assert_in_range(atomic_load(&crowds[1].most), 1, limit);
        assert_int_equal(kanon__pool_run(8, 6, stay, crowds, NULL), KANON_OK);
        assert_in_range(atomic_load(&crowds[1].most), 1, limit);
        assert_int_equal(kanon__call_take_threads(9), limit - 1); /* all were given back */
        kanon__call_end(&call, KANON_OK);
        assert_int_equal(kanon__pool_threads(8), 8);
    }
}

/* Blocks are grouped on other threads unless the context says that there are none. */
static void context_limits_a_whole_run(void **state)
{
    (void)state;
    for (int limit = 0; limit < 2; limit++) {
        counter c = {0};
        kanon_context context = counting(&c);
        context.threads = limit;
        run r = new_run(&context, "blocks");
        r.options.threads = 4;
        r.options.algorithm = "kmember";
        r.options.blocks = 500;
        write_table(r.table.text, N_MANY);
        go(&r);
        assert_done(r.status, &r.err);
        assert_int_equal(atomic_load(&c.foreign), limit == 0);
        assert_int_equal(atomic_load(&c.n_live), 0);
    }
    entries(scratch_directory, true);
}

typedef struct signals {
    pthread_t owner;
    atomic_bool seen; /* by another thread */
} signals;

static kanon_status look_at_signals(int64_t index, void *payload, kanon_error *err)
{
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGPIPE, SIGPROF};
    signals *s = payload;
    sigset_t mask;
    (void)index;
    if (pthread_equal(pthread_self(), s->owner)) {
        while (!atomic_load(&s->seen))
            sched_yield(); /* so that no thread does all tasks */
        return KANON_OK;
    }
    atomic_store(&s->seen, true);
    pthread_sigmask(SIG_BLOCK, NULL, &mask);
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++)
        if (!sigismember(&mask, wanted[i]))
            return kanon__fail(err, KANON_EINTERNAL, "signal %d is not blocked", wanted[i]);
    if (sigismember(&mask, SIGSEGV) || sigismember(&mask, SIGBUS))
        return kanon__fail(err, KANON_EINTERNAL, "a fault is blocked");
    return kanon__fail(err, KANON_ECANCELLED, "seen");
}

static void workers_block_signals(void **state)
{
    (void)state;
    sigset_t before, after;
    kanon_error err = KANON_INIT(kanon_error);
    signals s = {.owner = pthread_self()};
    pthread_sigmask(SIG_BLOCK, NULL, &before);
    kanon_status st = kanon__pool_run(4, 8, look_at_signals, &s, &err);
    assert_string_equal(err.message, "seen");
    assert_int_equal(st, KANON_ECANCELLED);
    pthread_sigmask(SIG_BLOCK, NULL, &after);
    for (int i = 1; i < 32; i++)
        assert_int_equal(sigismember(&before, i), sigismember(&after, i));
}

/* ---- ticks ------------------------------------------------------------------------------------------------------- */

typedef struct listener {
    pthread_t owner;
    atomic_int n_ticks, n_foreign, n_inside; /* ticks; on another thread; while the library thought itself in a call */
    int answer;
    char stage[32], detail[32];
    atomic_bool working;
    bool anytime, late;
} listener;

static int hear(const kanon_progress *progress, void *payload)
{
    listener *l = payload;
    if (!pthread_equal(pthread_self(), l->owner))
        atomic_fetch_add(&l->n_foreign, 1);
    if (kanon__call_now() != NULL)
        atomic_fetch_add(&l->n_inside, 1);
    snprintf(l->stage, sizeof l->stage, "%s", progress->stage);
    snprintf(l->detail, sizeof l->detail, "%s", progress->detail != NULL ? progress->detail : "");
    atomic_fetch_add(&l->n_ticks, 1);
    return l->answer;
}

typedef struct watched {
    listener *listener;
    kanon_tick tick;
    void *payload;
} watched;

/* The owner's task ends as soon as the worker's has begun, and so the owner waits. */
static kanon_status watched_task(int64_t index, void *payload, kanon_error *err)
{
    watched *w = payload;
    listener *l = w->listener;
    kanon__ticker ticker;
    char detail[] = "half-way";
    (void)index;
    if (pthread_equal(pthread_self(), l->owner)) {
        while (!atomic_load(&l->working))
            sched_yield();
        return KANON_OK;
    }
    atomic_store(&l->working, true);
    kanon__ticker_init(&ticker, w->tick, w->payload, "working");
    ticker.anytime = l->anytime;
    ticker.detail = detail;
    for (;;) {
        kanon_status st = kanon__tick(&ticker, 1, 2, INT64_C(1) << 40, err);
        if (st != KANON_OK || ticker.finish)
            return st;
        while (l->late && atomic_load(&l->n_ticks) == 0)
            sched_yield();
        if (l->late)
            return KANON_OK;
        sched_yield();
    }
}

static kanon_status watched_part(int64_t index, int slot, void *payload, kanon_error *err)
{
    (void)slot;
    return watched_task(index, payload, err);
}

static kanon_status nothing(int64_t index, int slot, void *payload, kanon_error *err)
{
    (void)index, (void)slot, (void)payload, (void)err;
    return KANON_OK;
}

static kanon_status run_watched(listener *l, bool conveyor, kanon_error *err)
{
    kanon_context context = {.struct_size = sizeof context, .tick_on_caller = 1};
    kanon__call call;
    watched w = {l, hear, l};
    l->owner = pthread_self();
    kanon__call_begin(&call, &context);
    kanon__call_ticks(&w.tick, &w.payload);
    return kanon__call_end(&call, conveyor ? kanon__conveyor_run(2, 2, 2, watched_part, nothing, &w, err)
                                           : kanon__pool_run(2, 2, watched_task, &w, err));
}

static void assert_heard(const listener *l)
{
    assert_true(atomic_load(&l->n_ticks) > 0);
    assert_int_equal(atomic_load(&l->n_foreign), 0);
    assert_int_equal(atomic_load(&l->n_inside), 0);
    assert_string_equal(l->stage, "working");
    assert_string_equal(l->detail, "half-way");
}

static void tick_stops_while_the_caller_waits(void **state)
{
    (void)state;
    for (int conveyor = 0; conveyor < 2; conveyor++) {
        listener l = {.answer = 1};
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(run_watched(&l, conveyor != 0, &err), KANON_ECANCELLED);
        assert_string_equal(err.message, "stopped while working");
        assert_heard(&l);
    }
}

/* The worker is done before it hears that it was to stop; the call stops nevertheless. */
static void tick_stops_late(void **state)
{
    (void)state;
    listener l = {.answer = 1, .late = true};
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(run_watched(&l, false, &err), KANON_ECANCELLED);
    assert_string_equal(err.message, "stopped while working");
    assert_heard(&l);
}

static void tick_finishes_while_the_caller_waits(void **state)
{
    (void)state;
    listener l = {.answer = KANON_TICK_FINISH, .anytime = true};
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(run_watched(&l, false, &err), &err);
    assert_heard(&l);
}

/* To finish one stage is not to stop the next one. */
static void tick_to_finish_is_for_one_stage(void **state)
{
    (void)state;
    kanon_context context = {.struct_size = sizeof context, .tick_on_caller = 1};
    listener l = {.answer = KANON_TICK_FINISH, .anytime = true, .owner = pthread_self()};
    kanon__call call;
    kanon__ticker next;
    kanon_error err = KANON_INIT(kanon_error);
    watched w = {&l, hear, &l};
    kanon__call_begin(&call, &context);
    kanon__call_ticks(&w.tick, &w.payload);
    assert_done(kanon__pool_run(2, 2, watched_task, &w, &err), &err);
    l.answer = 0;
    kanon__ticker_init(&next, w.tick, w.payload, "writing");
    assert_done(kanon__tick(&next, 0, 0, INT64_C(1) << 40, &err), &err);
    assert_string_equal(l.stage, "writing");
    kanon__call_end(&call, KANON_OK);
}

/* Without the flag the tick that was given is the one that is called. */
static void tick_without_the_flag_stays(void **state)
{
    (void)state;
    kanon_context context = {.struct_size = sizeof context};
    kanon__call call;
    kanon_tick tick = hear;
    void *payload = &context;
    kanon__call_begin(&call, &context);
    kanon__call_ticks(&tick, &payload);
    assert_true(tick == hear && payload == &context);
    kanon__call_end(&call, KANON_OK);
    kanon__call_ticks(&tick, &payload); /* no call at all */
    assert_true(tick == hear);
}

/* Of a whole run on several threads, every tick is on this one; and one that asks to stop is obeyed. */
static void ticks_of_a_whole_run(void **state)
{
    (void)state;
    for (int stop = 0; stop < 2; stop++) {
        kanon_context context = {.struct_size = sizeof context, .tick_on_caller = 1};
        listener l = {.owner = pthread_self(), .answer = stop};
        run r = new_run(&context, "ticks");
        r.options = (kanon_options){.struct_size = sizeof r.options,
                                    .k = 3,
                                    .threads = 3,
                                    .algorithm = "kmember",
                                    .settings = (const kanon_setting[]){{"search", "scan"}},
                                    .n_settings = 1,
                                    .blocks = 2500,
                                    .tick = hear,
                                    .payload = &l};
        write_table(r.table.text, N_MANY);
        go(&r);
        if (stop)
            assert_int_equal(r.status, KANON_ECANCELLED);
        else
            assert_done(r.status, &r.err);
        assert_true(atomic_load(&l.n_ticks) > 0);
        assert_int_equal(atomic_load(&l.n_foreign), 0);
        assert_int_equal(atomic_load(&l.n_inside), 0);
        entries(scratch_directory, true);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(context_gets_every_allocation, no_leak),
        cmocka_unit_test_teardown(context_out_of_memory_anywhere, no_leak),
        cmocka_unit_test_teardown(context_of_a_state, no_leak),
        cmocka_unit_test(state_leaves_no_layer),
        cmocka_unit_test(context_of_options_wins),
        cmocka_unit_test(contexts_in_two_threads),
        cmocka_unit_test(context_is_checked),
        cmocka_unit_test(context_may_be_shorter),
        cmocka_unit_test(context_names_the_temporary_folder),
        cmocka_unit_test(context_limits_threads),
        cmocka_unit_test(context_limits_a_whole_run),
        cmocka_unit_test(workers_block_signals),
        cmocka_unit_test(tick_stops_while_the_caller_waits),
        cmocka_unit_test(tick_stops_late),
        cmocka_unit_test(tick_finishes_while_the_caller_waits),
        cmocka_unit_test(tick_to_finish_is_for_one_stage),
        cmocka_unit_test(tick_without_the_flag_stays),
        cmocka_unit_test(ticks_of_a_whole_run),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
