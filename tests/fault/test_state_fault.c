/* What can happen to a state: flipped bits, a cut file, no memory, no room on the disk, a stop half-way. It is refused or as
 * it was before; never is there a crash. */
#define _XOPEN_SOURCE 700
#include "core/alloc.h"
#include "core/random.h"
#include "state/store/page_checksum.h"
#include "state/store/store.h"
#include "support.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>

static const char yaml[] = "missing: [\"?\"]\n"
                           "joint-k: off\nattributes:\n"
                           "  id: {role: identifying}\n"
                           "  age: {role: quasi, type: integer, weight: 2}\n"
                           "  pay: {role: quasi, type: decimal}\n"
                           "  job: {role: quasi, taxonomy: {cook: , baker: , office: {clerk: , boss: }}}\n"
                           "  zip: {role: quasi, mask: right}\n"
                           "  ill: {role: sensitive}\n"
                           "  who: {role: identifying}\n"
                           "key: [id]\n";

/* What is asked of the groups. */
enum { PLAIN, CONSTRAINED, BANDED, TOGETHER, CLOSE, N_WISHES };
static const char *const wishes[N_WISHES] = {
    "privacy: {k: 3}\n",
    "privacy: {k: 3, constraints: [{model: distinct-l-diversity, attribute: ill, l: 2}, "
    "{model: alpha-k, attribute: ill, alpha: 0.7}]}\n",
    "privacy: {k: 3}\n", /* numbers are shown as bands */
    "privacy: {k: 3, constraints: [{model: entropy-l-diversity, attribute: ill, l: 1.5}]}\n"
    "entity: who\nentity-together: true\n",
    "privacy: {k: 3, constraints: [{model: t-closeness, attribute: ill, t: 0.2}], suppress: 0.02}\nentity: who\n",
};

typedef struct files {
    place schema, table, state, insert, delete, update, release;
    int wish;
} files;

static void write_people(const char *path, char letter, int from, int n, const char *columns)
{
    static const char *const jobs[] = {"cook", "baker", "clerk", "boss", "?"};
    kanon__random random;
    kanon__random_init(&random, (uint64_t)(letter + from), 0);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fprintf(file, "%s\n", columns);
    for (int i = from; i < from + n; i++) {
        if (strcmp(columns, "id") == 0) {
            fprintf(file, "%c%d\n", letter, i);
            continue;
        }
        fprintf(file, "%c%d,%d,%d.%d,%s,%03d,%s,w%d\n", letter, i, (int)kanon__random_below(&random, 60),
                (int)kanon__random_below(&random, 9), (int)kanon__random_below(&random, 9),
                jobs[kanon__random_below(&random, 5)], (int)kanon__random_below(&random, 40),
                kanon__random_below(&random, 2) ? "flu" : "cold", (int)kanon__random_below(&random, 150));
    }
    assert_int_equal(fclose(file), 0);
}

static const char all_columns[] = "id,age,pay,job,zip,ill,who";

/* A state with two releases, and deltas for it. */
static files set_up_state(int wish)
{
    char text[1024];
    kanon_error err = KANON_INIT(kanon_error);
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_grouping *grouping = NULL;
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    entries(scratch_directory, true);
    files f = {scratch("s.yaml"), scratch("t.csv"), scratch("x.state"), scratch("i.csv"),
               scratch("d.csv"),  scratch("u.csv"), scratch("r.csv"),   wish};
    snprintf(text, sizeof text, "%s%s", yaml, wishes[wish]);
    write_text(f.schema.text, text);
    write_people(f.table.text, 'a', 1, 200, all_columns);
    write_people(f.insert.text, 'b', 1, 12, all_columns);
    write_people(f.delete.text, 'a', 1, 9, "id");
    write_people(f.update.text, 'a', 50, 8, all_columns);
    assert_done(kanon_schema_read(&schema, KANON_PATH(f.schema.text), NULL, &err), &err);
    if (wish == BANDED) {
        assert_done(kanon_schema_set(schema, "age", "bands", "5", &err), &err);
        assert_done(kanon_schema_set(schema, "age", "top", "50", &err), &err);
        assert_done(kanon_schema_set(schema, "pay", "bands", "0.5", &err), &err);
    }
    assert_done(kanon_table_read(&table, KANON_PATH(f.table.text), schema, NULL, &err), &err);
    /* only states with a constraint are of groups that a search made: each command on them searches again */
    kanon_options fast = {.struct_size = sizeof fast, .settings = &(kanon_setting){"effort", "fast"}, .n_settings = 1};
    assert_done(kanon_anonymize(&grouping, table, wish == CONSTRAINED ? NULL : &fast, &err), &err);
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(f.release.text)};
    kanon_change_options options = {.struct_size = sizeof options, .outputs = &outputs};
    assert_done(kanon_state_create(f.state.text, table, schema, grouping, &outputs, NULL, &err), &err);
    assert_done(kanon_state_open(&state, f.state.text, NULL, &err), &err);
    write_people(scratch("first.csv").text, 'a', 150, 10, "id");
    assert_done(kanon_state_change(state, KANON_DELETE, KANON_PATH(scratch("first.csv").text), &options, &done, &err), &err);
    kanon_state_close(state);
    kanon_grouping_free(grouping);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return f;
}

/* ---- commands ---------------------------------------------------------------------------------------------------- */

enum { INSERT, DELETE, UPDATE, OPTIMIZE, RELEASE, N_CHANGES, DESCRIBE = N_CHANGES, AUDIT, N_COMMANDS };

static kanon_status run(const files *f, int command, kanon_error *err)
{
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_state_info *info = NULL;
    kanon_audit *audit = NULL;
    kanon_outputs outputs = {.struct_size = sizeof outputs, .release = KANON_TO_PATH(f->release.text)};
    kanon_change_options options = {
        .struct_size = sizeof options, .outputs = &outputs, .joint_k = f->wish < TOGETHER ? 2 : 0};
    kanon_state_options no_wait = {.struct_size = sizeof no_wait, .wait_seconds = -1};
    kanon_status st = kanon_state_open(&state, f->state.text, &no_wait, err);
    if (st == KANON_OK && command == INSERT)
        st = kanon_state_change(state, KANON_INSERT, KANON_PATH(f->insert.text), f->wish == CONSTRAINED ? &options : NULL,
                                &done, err);
    if (st == KANON_OK && command == DELETE)
        st = kanon_state_change(state, KANON_DELETE, KANON_PATH(f->delete.text), NULL, &done, err);
    if (st == KANON_OK && command == UPDATE)
        st = kanon_state_change(state, KANON_UPDATE, KANON_PATH(f->update.text), NULL, &done, err);
    if (st == KANON_OK && command == OPTIMIZE)
        st = kanon_state_improve(state, NULL, NULL, &done, err);
    if (st == KANON_OK && command == RELEASE)
        st = kanon_state_release(state, &options, &done, err);
    if (st == KANON_OK && command == DESCRIBE)
        st = kanon_state_describe(&info, state, err);
    if (st == KANON_OK && command == AUDIT)
        st = kanon_state_audit(&audit, state, 0, err);
    kanon_audit_free(audit);
    kanon_state_info_free(info);
    kanon_state_close(state);
    return st;
}

/* ---- damage ------------------------------------------------------------------------------------------------------ */

typedef struct bytes {
    unsigned char *at;
    size_t size;
} bytes;

static bytes load(const char *path)
{
    struct stat is;
    assert_int_equal(stat(path, &is), 0);
    return (bytes){(unsigned char *)read_text(path), (size_t)is.st_size};
}

static void put_back(const files *f, bytes original)
{
    write_bytes(f->state.text, (const char *)original.at, original.size);
    unlink(inside(scratch_directory, "x.state-journal").text);
}

/* Any flipped bit is found by looking at the whole file, and no command is led astray by it. */
static void flipped_bits(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random random;
    (void)unused;
    files f = set_up_state(PLAIN);
    bytes original = load(f.state.text);
    kanon__random_init(&random, test_seed(), 0);
    assert_done(run(&f, DESCRIBE, &err), &err);
    for (int i = 0; i < 250; i++) {
        size_t where = (size_t)kanon__random_below(&random, (int64_t)original.size);
        if (i % 10 == 0)
            where %= 100; /* the header */
        unsigned char bit = (unsigned char)(1 << kanon__random_below(&random, 8));
        original.at[where] ^= bit;
        put_back(&f, original);
        kanon_status st = run(&f, DESCRIBE, &err);
        if (st != KANON_EDATA && st != KANON_EVERSION)
            fail_msg("bit %d of byte %zu: %s", bit, where, kanon_enum_text(KANON_ENUM_STATUS, st));
        assert_holds(err.message, f.state.text);
        st = run(&f, i % N_CHANGES, &err);
        assert_true(st == KANON_OK || st == KANON_EDATA || st == KANON_EVERSION);
        original.at[where] ^= bit;
    }
    free(original.at);
}

static void cut_files(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random random;
    (void)unused;
    files f = set_up_state(PLAIN);
    bytes original = load(f.state.text);
    kanon__random_init(&random, test_seed(), 1);
    for (int i = 0; i < 60; i++) {
        size_t size = i < 3 ? (size_t)i * 50 : (size_t)kanon__random_below(&random, (int64_t)original.size);
        if (i % 3 == 0 && i > 3)
            size = size / KANON__PAGE_SIZE * KANON__PAGE_SIZE;
        put_back(&f, (bytes){original.at, size});
        for (int command = 0; command < N_COMMANDS; command++)
            assert_int_equal(run(&f, command, &err), KANON_EDATA);
    }
    put_back(&f, original);
    FILE *file = fopen(f.state.text, "ab");
    assert_non_null(file);
    fputs("more", file);
    fclose(file);
    assert_int_equal(run(&f, INSERT, &err), KANON_EDATA);
    free(original.at);
}

/* Pages with right sums but wrong contents, as no fault of a disk makes them: still no crash. */
static void seal_nonsense(int wish)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__random random;
    int n = wish == PLAIN ? 300 : 40;
    files f = set_up_state(wish);
    bytes original = load(f.state.text);
    unsigned char *copy = malloc(original.size);
    assert_non_null(copy);
    kanon__random_init(&random, test_seed(), 2 + 10 * (uint64_t)wish);
    int n_refused = 0;
    for (int i = 0; i < n; i++) {
        memcpy(copy, original.at, original.size);
        int64_t page = kanon__random_below(&random, (int64_t)original.size / KANON__PAGE_SIZE) * KANON__PAGE_SIZE;
        for (int j = 0; j < 1 + i % 4; j++) {
            int64_t where = kanon__random_below(&random, KANON__PAGE_SIZE - KANON__PAGE_RESERVED);
            if (page == 0 && where < 100)
                where += 100;
            copy[page + where] = (unsigned char)kanon__random_below(&random, 256);
        }
        kanon__page_write_checksum(copy + page, page);
        put_back(&f, (bytes){copy, original.size});
        for (int command = N_COMMANDS - 1; command >= 0; command--)
            n_refused += run(&f, command, &err) != KANON_OK;
    }
    print_message("%d of %d refused\n", n_refused, n * N_COMMANDS);
    assert_true(n_refused > n / 3);
    free(copy);
    free(original.at);
}

static void sealed_nonsense(void **unused)
{
    (void)unused;
    for (int wish = 0; wish < N_WISHES; wish++)
        seal_nonsense(wish);
}

static void other_files(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)unused;
    files f = set_up_state(PLAIN);
    bytes original = load(f.state.text);
    for (int newer = 0; newer < 2; newer++) {
        original.at[63] = newer ? KANON__STATE_VERSION + 1 : KANON__STATE_OLDEST - 1; /* the last byte of four */
        kanon__page_write_checksum(original.at, 0);
        put_back(&f, original);
        for (int command = 0; command < N_COMMANDS; command++) {
            assert_int_equal(run(&f, command, &err), KANON_EVERSION);
            assert_holds(err.message, newer ? "newer version" : "older version");
        }
    }
    write_text(f.state.text, "age,zip\n1,2\n");
    assert_int_equal(run(&f, INSERT, &err), KANON_EDATA);
    assert_holds(err.message, "not a state");
    write_text(f.state.text, "");
    assert_int_equal(run(&f, INSERT, &err), KANON_EDATA);
    unlink(f.state.text);
    assert_int_equal(run(&f, INSERT, &err), KANON_EIO);
    assert_int_equal(mkdir(f.state.text, 0700), 0);
    assert_int_equal(run(&f, INSERT, &err), KANON_EIO);
    rmdir(f.state.text);
    free(original.at);
}

/* ---- no memory, no room ------------------------------------------------------------------------------------------ */

static void assert_unchanged(const files *f, bytes before)
{
    bytes now = load(f->state.text);
    assert_int_equal(now.size, before.size);
    assert_memory_equal(now.at, before.at, now.size);
    free(now.at);
}

/* Allocations fail one after the other, up to `most` of them, or many more with KANON_ALL_FAULTS. */
static void fail_allocations(const files *f, int command, bytes before, int64_t most)
{
    kanon_error err = KANON_INIT(kanon_error);
    most = getenv("KANON_ALL_FAULTS") != NULL ? 500 : most;
    put_back(f, before);
    kanon__alloc_fail_at(0, false);
    assert_done(run(f, command, &err), &err);
    int64_t n = kanon__alloc_count();
    print_message("%lld allocations\n", (long long)n);
    put_back(f, before);
    unlink(f->release.text);
    int64_t step = n / most + 1;
    for (int64_t i = 1; i <= n; i += step) {
        kanon__alloc_fail_at(i, i % 2 == 0);
        kanon_status st = run(f, command, &err);
        kanon__alloc_fail_at(0, false);
        assert_int_equal(st, KANON_ENOMEM);
        assert_false(exists(f->release.text));
    }
    assert_unchanged(f, before);
}

static void no_memory(void **unused)
{
    (void)unused;
    for (int wish = 0; wish < N_WISHES; wish++) {
        files f = set_up_state(wish);
        bytes before = load(f.state.text);
        for (int command = 0; command < N_COMMANDS; command++)
            if (wish != TOGETHER || command != OPTIMIZE) /* which is refused */
                fail_allocations(&f, command, before, wish == PLAIN ? 150 : 50);
        free(before.at);
        assert_no_leak();
    }
}

/* Files may not grow beyond `limit` bytes: a change that needs more is not made at all. */
static void no_room(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    struct rlimit old, now;
    (void)unused;
    files f = set_up_state(PLAIN);
    bytes before = load(f.state.text);
    void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    for (int command = 0; command < N_CHANGES; command++) {
        rlim_t limits[] = {0, 1, 512, 4096, 10000, before.size / 2};
        for (size_t i = 0; i < sizeof limits / sizeof *limits; i++) {
            now = (struct rlimit){limits[i], old.rlim_max};
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &now), 0);
            kanon_status st = run(&f, command, &err);
            assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
            if (st == KANON_OK) { /* it was enough */
                put_back(&f, before);
                continue;
            }
            assert_int_equal(st, KANON_EIO);
            kanon_error again = KANON_INIT(kanon_error);
            assert_done(run(&f, DESCRIBE, &again), &again);
            assert_unchanged(&f, before);
        }
    }
    signal(SIGXFSZ, handler);
    free(before.at);
}

static int stop_at(const kanon_progress *progress, void *payload)
{
    int *left = payload;
    (void)progress;
    return --*left <= 0;
}

static void stopped(void **unused)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_state *state = NULL;
    kanon_change done = KANON_INIT(kanon_change);
    (void)unused;
    files f = set_up_state(PLAIN);
    bytes before = load(f.state.text);
    int n_stopped = 0;
    for (int after = 1; after < 4; after++) {
        int left = after;
        kanon_state_options options = {.struct_size = sizeof options, .tick = stop_at, .payload = &left};
        assert_done(kanon_state_open(&state, f.state.text, &options, &err), &err);
        kanon_status st = kanon_state_improve(state, NULL, NULL, &done, &err);
        kanon_state_close(state);
        if (st == KANON_OK) {
            put_back(&f, before);
            continue;
        }
        assert_int_equal(st, KANON_ECANCELLED);
        n_stopped++;
        assert_unchanged(&f, before);
    }
    print_message("%d stopped\n", n_stopped);
    free(before.at);
}

static int set_up(void **state)
{
    if (getenv("TMPDIR") == NULL && access("/dev/shm", W_OK) == 0)
        setenv("TMPDIR", "/dev/shm", 1);
    return make_scratch(state);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(flipped_bits, no_leak),    cmocka_unit_test_teardown(cut_files, no_leak),
        cmocka_unit_test_teardown(sealed_nonsense, no_leak), cmocka_unit_test_teardown(other_files, no_leak),
        cmocka_unit_test_teardown(no_memory, no_leak),       cmocka_unit_test_teardown(no_room, no_leak),
        cmocka_unit_test_teardown(stopped, no_leak),
    };
    return cmocka_run_group_tests(tests, set_up, remove_scratch);
}
