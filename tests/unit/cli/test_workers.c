/* What kanon anonymize --workers is built on: processes that run tasks, files between them, and the last check's readers. */
#define _GNU_SOURCE
#include <kanon.h>

#include "workers/bundle.h"
#include "workers/cell_hash.h"
#include "workers/csv_lines.h"
#include "workers/exchange.h"
#include "workers/release_file.h"
#include "workers/worker_error.h"
#include "workers/worker_pool.h"
#include "workers/workers_run.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

static char base[] = "/tmp/kanon-test-workers.XXXXXX";
static exchange folder = {.folder = -1};

enum { N_TASKS = 20 };

/* What tasks do and what the driver saw of it. */
typedef struct scene {
    int64_t fails_from; /* tasks from here on fail; -1: none */
    int64_t dies;       /* this task kills its worker; -1: none */
    int most_deaths;    /* so often, by the files that it leaves */
    int64_t done[N_TASKS], n_done;
    int stop_after; /* ticks; 0: never */
    int n_ticks;
} scene;

static int count_deaths(int64_t task)
{
    char name[32];
    int n = 0;
    for (; n < 10; n++) {
        snprintf(name, sizeof name, "death-%d-%d", (int)task, n);
        if (faccessat(folder.folder, name, F_OK, 0) != 0)
            break;
    }
    return n;
}

static kanon_status run_task(int64_t task, void *payload, kanon_error *err)
{
    scene *s = payload;
    char name[32];
    exchange_file file;
    int deaths = count_deaths(task);
    if (s->stop_after > 0)
        pause();
    if (task == s->dies && deaths < s->most_deaths) {
        snprintf(name, sizeof name, "death-%d-%d", (int)task, deaths);
        close(openat(folder.folder, name, O_CREAT | O_WRONLY, 0600));
        raise(SIGKILL);
    }
    if (s->fails_from >= 0 && task >= s->fails_from)
        return worker_hint(err, worker_fail(err, KANON_EDATA, "task %d is wrong", (int)task), "mend it");
    s->n_done = 1000; /* seen by nobody */
    kanon_status st = exchange_create(&file, &folder, "number", task, err);
    if (st != KANON_OK)
        return st;
    exchange_write(&file, &task, sizeof task);
    return exchange_finish(&file, KANON_OK, err);
}

static kanon_status take_task(int64_t task, void *payload, kanon_error *err)
{
    scene *s = payload;
    void *bytes = NULL;
    size_t size = 0;
    kanon_status st = exchange_load(&bytes, &size, &folder, "number", task, err);
    if (st != KANON_OK)
        return st;
    assert_int_equal(size, sizeof task);
    memcpy(&s->done[s->n_done++], bytes, sizeof task);
    free(bytes);
    exchange_drop(&folder, "number", task);
    return KANON_OK;
}

static int tick(const kanon_progress *now, void *payload)
{
    scene *s = payload;
    assert_true(now->done <= now->total);
    return s->stop_after > 0 && ++s->n_ticks > s->stop_after;
}

static kanon_status run_pool(scene *s, int workers, kanon_error *err)
{
    worker_pool pool = {.n = workers, .tick = tick, .payload = s};
    worker_stage stage = {.name = "testing", .n_tasks = N_TASKS, .run = run_task, .done = take_task, .payload = s};
    kanon_status st = worker_pool_run(&pool, &stage, err);
    assert_int_equal(waitpid(-1, NULL, WNOHANG), -1); /* no child is left */
    assert_int_equal(errno, ECHILD);
    return st;
}

static void test_all_tasks_run_once(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 3; workers++) {
        scene s = {.fails_from = -1, .dies = -1};
        kanon_error err = KANON_INIT(kanon_error);
        bool seen[N_TASKS] = {0};
        assert_int_equal(run_pool(&s, workers, &err), KANON_OK);
        assert_int_equal(s.n_done, N_TASKS);
        for (int i = 0; i < N_TASKS; i++) {
            assert_false(seen[s.done[i]]);
            seen[s.done[i]] = true;
        }
    }
}

static void test_lowest_failure_is_told(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 3; workers++) {
        scene s = {.fails_from = 7, .dies = -1};
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(run_pool(&s, workers, &err), KANON_EDATA);
        assert_string_equal(err.message, "task 7 is wrong");
        assert_string_equal(err.hint, "mend it");
        assert_int_equal(s.n_done, 7);
    }
}

static void test_killed_worker_is_replaced(void **state)
{
    (void)state;
    for (int workers = 1; workers <= 2; workers++) {
        scene s = {.fails_from = -1, .dies = 4 + workers, .most_deaths = 2};
        kanon_error err = KANON_INIT(kanon_error);
        assert_int_equal(run_pool(&s, workers, &err), KANON_OK);
        assert_int_equal(s.n_done, N_TASKS);
        assert_int_equal(count_deaths(4 + workers), 2);
    }
}

static void test_three_deaths_are_an_error(void **state)
{
    (void)state;
    scene s = {.fails_from = -1, .dies = 9, .most_deaths = 100};
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(run_pool(&s, 2, &err), KANON_EIO);
    assert_non_null(strstr(err.message, "died 3 times on one task, by signal 9"));
    assert_int_equal(count_deaths(9), 3);
}

static void test_tick_stops(void **state)
{
    (void)state;
    scene s = {.fails_from = -1, .dies = -1, .stop_after = 2};
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(run_pool(&s, 2, &err), KANON_ECANCELLED);
}

/* ---- files --------------------------------------------------------------------------------------------------------- */

static void test_folder_is_private_and_goes(void **state)
{
    (void)state;
    exchange x;
    exchange_file file;
    kanon_error err = KANON_INIT(kanon_error);
    struct stat found;
    char path[256];
    int fd;
    assert_int_equal(exchange_open(&x, base, &err), KANON_OK);
    assert_int_equal(stat(x.path, &found), 0);
    assert_int_equal(found.st_mode & 0777, 0700);
    assert_int_equal(exchange_create(&file, &x, "rows", 3, &err), KANON_OK);
    exchange_write(&file, "secret", 6);
    assert_int_equal(exchange_read(&x, "rows", 3, &err), -1); /* not complete yet */
    assert_int_equal(exchange_finish(&file, KANON_OK, &err), KANON_OK);
    fd = exchange_read(&x, "rows", 3, &err);
    assert_true(fd >= 0 && fstat(fd, &found) == 0);
    assert_int_equal(found.st_mode & 0777, 0600);
    close(fd);
    assert_int_equal(exchange_create(&file, &x, "rows", 4, &err), KANON_OK); /* as a killed worker leaves it */
    close(file.fd);
    snprintf(path, sizeof path, "%s", x.path);
    exchange_close(&x);
    assert_int_equal(stat(path, &found), -1);
}

/* What a killed run left goes, what a living one has stays. */
static void test_leftovers_are_removed(void **state)
{
    (void)state;
    exchange living, x;
    kanon_error err = KANON_INIT(kanon_error);
    struct stat found;
    char dead[256], inside[300];
    snprintf(dead, sizeof dead, "%s/kanon-workers-abcdef", base);
    snprintf(inside, sizeof inside, "%s/rows-0", dead);
    assert_int_equal(mkdir(dead, 0700), 0);
    close(open(inside, O_CREAT | O_WRONLY, 0600));
    assert_int_equal(exchange_open(&living, base, &err), KANON_OK);
    assert_int_equal(stat(dead, &found), -1);
    assert_int_equal(exchange_open(&x, base, &err), KANON_OK);
    assert_int_equal(stat(living.path, &found), 0);
    exchange_close(&x);
    exchange_close(&living);
}

static void test_full_disk(void **state)
{
    (void)state;
    exchange_file file;
    kanon_error err = KANON_INIT(kanon_error);
    char bytes[5000] = {0};
    struct rlimit old, small = {.rlim_cur = 4096};
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(exchange_create(&file, &folder, "large", 0, &err), KANON_OK);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    exchange_write(&file, bytes, sizeof bytes);
    kanon_status st = exchange_finish(&file, KANON_OK, &err);
    setrlimit(RLIMIT_FSIZE, &old);
    assert_int_equal(st, KANON_EIO);
    assert_non_null(strstr(err.hint, "TMPDIR"));
    assert_int_equal(exchange_read(&folder, "large", 0, &err), -1);
}

static void test_bundle(void **state)
{
    (void)state;
    bundle b;
    kanon_error err = KANON_INIT(kanon_error);
    char bytes[16] = "";
    bundle_line lines[3];
    bundle_mark totals[3] = {{0, 0}}, n = {16, 3};
    assert_int_equal(bundle_init(&b, 3, 3, &err), KANON_OK);
    b.marks[0] = (bundle_mark){4, 1}; /* "one\n" */
    b.marks[2] = (bundle_mark){8, 2}; /* "two\nsix\n" */
    memcpy(b.lines, (bundle_line[]){{5, 4}, {0, 4}, {7, 4}}, 3 * sizeof *lines);
    assert_int_equal(bundle_sum(&b, &err), KANON_OK);
    memcpy(b.bytes, "one\ntwo\nsix\n", 12);
    assert_int_equal(bundle_write(&b, &folder, "bundle", 1, &err), KANON_OK);
    assert_int_equal(bundle_count(totals, 3, &folder, "bundle", 1, &err), KANON_OK);
    assert_int_equal(totals[1].line, 0);
    assert_int_equal(totals[2].byte, 8);
    assert_int_equal(bundle_read(bytes, lines, &n, 3, 2, &folder, "bundle", 1, &err), KANON_OK);
    assert_int_equal(n.line, 2);
    assert_memory_equal(bytes, "two\nsix\n", 8);
    assert_int_equal(lines[1].slot, 7);
    n = (bundle_mark){7, 3};
    assert_int_equal(bundle_read(bytes, lines, &n, 3, 2, &folder, "bundle", 1, &err), KANON_EINTERNAL);
    bundle_clear(&b);
}

static mode_t mode_of(const char *path)
{
    struct stat found;
    return stat(path, &found) == 0 ? found.st_mode & 0777 : 0;
}

static void test_release_file(void **state)
{
    (void)state;
    release_file file;
    kanon_error err = KANON_INIT(kanon_error);
    char path[256];
    mode_t mask = umask(022);
    snprintf(path, sizeof path, "%s/r.csv", base);
    assert_int_equal(release_open(&file, path, folder.path, &err), KANON_OK);
    assert_int_equal(release_write(&file, "b\n", 2, 2, &err), KANON_OK);
    release_close(&file);
    assert_int_equal(access(path, F_OK), -1); /* it was not finished */
    for (int i = 0; i < 2; i++) {             /* a new file, then one that replaces a private one */
        assert_int_equal(release_open(&file, path, folder.path, &err), KANON_OK);
        assert_int_equal(release_write(&file, "b\n", 2, 2, &err), KANON_OK);
        assert_int_equal(release_write(&file, "a\n", 2, 0, &err), KANON_OK);
        assert_int_equal(release_finish(&file, &err), KANON_OK);
        release_close(&file);
        assert_int_equal(mode_of(path), i == 0 ? 0644 : 0600);
        chmod(path, 0600);
    }
    umask(mask);
    unlink(path);
}

/* ---- readers of the last check ------------------------------------------------------------------------------------- */

static void test_lines_and_cells(void **state)
{
    (void)state;
    const char text[] = "a,\"b,\n\"\"x\",\r\nlast", *end = text + sizeof text - 1, *line = csv_line_end(text, end),
               *at = text;
    assert_int_equal(line - text, 13);
    assert_ptr_equal(csv_line_end(line, end), end);
    csv_text cell = csv_next_cell(&at, line, ',');
    assert_true(cell.size == 1 && *cell.text == 'a');
    cell = csv_next_cell(&at, line, ',');
    assert_int_equal(cell.size, 8);
    assert_true(csv_cell_is(cell, "b,\n\"", "x"));
    assert_false(csv_cell_is(cell, "b,\n\"", ""));
    cell = csv_next_cell(&at, line, ',');
    assert_true(cell.size == 0 && at == NULL);
}

/* The first test vectors of the authors, key 00 01 02 ... 0f: of nothing, and of the bytes 00 .. 0e. */
static void test_hash(void **state)
{
    (void)state;
    static const unsigned char wanted[2][16] = {
        {0xa3, 0x81, 0x7f, 0x04, 0xba, 0x25, 0xa8, 0xe6, 0x6d, 0xf6, 0x72, 0x14, 0xc7, 0x55, 0x02, 0x93},
        {0x54, 0x93, 0xe9, 0x99, 0x33, 0xb0, 0xa8, 0x11, 0x7e, 0x08, 0xec, 0x0f, 0x97, 0xcf, 0xc3, 0xd9}};
    unsigned char bytes[16];
    uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u}, out[2];
    cell_hash hash;
    for (int i = 0; i < 16; i++)
        bytes[i] = (unsigned char)i;
    for (int i = 0; i < 2; i++) {
        cell_hash_begin(&hash, key);
        cell_hash_add(&hash, bytes, i == 0 ? 0 : 7);
        cell_hash_add(&hash, bytes + 7, i == 0 ? 0 : 8);
        cell_hash_end(&hash, out);
        for (int j = 0; j < 16; j++)
            assert_int_equal(out[j / 8] >> 8 * (j % 8) & 0xff, wanted[i][j]);
    }
}

/* ---- the last check ------------------------------------------------------------------------------------------------ */

/* The finished file of four records in two parts, k = 2; what the check says of it. */
static kanon_status recount(const char *lines, int64_t first_part, int64_t records, kanon_error *err)
{
    static const char header[] = "age,ill\n", table[] = "age,ill\n1,a\n2,b\n3,c\n4,d\n5,e\n";
    kanon_schema *schema = NULL;
    kanon_csv_parts parts = {.delimiter = ","};
    workers_order order = {.k = 2, .workers = 2};
    int64_t part_rows[] = {2, 2}, size = (int64_t)strlen(lines);
    int64_t begins[] = {sizeof header - 1, (int64_t)sizeof header - 1 + first_part, (int64_t)sizeof header - 1 + size};
    bundle_mark part_lines[] = {{first_part, 2}, {size - first_part, 2}};
    char head[] = "q.";
    workers_run run = {.order = &order,
                       .pool = {.n = 2},
                       .exchange = folder,
                       .parts = &parts,
                       .n_parts = 2,
                       .part_rows = part_rows,
                       .part_lines = part_lines,
                       .line_begin = begins,
                       .head = head};
    assert_int_equal(kanon_schema_new(&schema, NULL, err), KANON_OK);
    assert_int_equal(kanon_schema_set(schema, "age", "role", "quasi", err), KANON_OK);
    size_t used = strlen("age,ill\n") + (size_t)records * strlen("1,a\n");
    assert_int_equal(kanon_domain_read(&run.domain, KANON_BYTES(table, used), NULL, schema, NULL, err), KANON_OK);
    assert_int_equal(release_open(&run.release, "-", folder.path, err), KANON_OK);
    assert_int_equal(release_write(&run.release, header, sizeof header - 1, 0, err), KANON_OK);
    assert_int_equal(release_write(&run.release, lines, (size_t)size, begins[0], err), KANON_OK);
    kanon_status st = stage_recount(&run, err);
    release_close(&run.release);
    free(run.bucket_lines);
    kanon_piece_free(run.domain);
    kanon_schema_free(schema);
    return st;
}

/* Classes may lie in several parts; a class of one, a lost, a joined and a doubled record are found. */
static void test_last_check(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(recount("1,a\n[2..3],b\n1,c\n[2..3],\"d,\n\"\n", 13, 4, &err), KANON_OK);
    assert_int_equal(recount("1,a\n[2..3],b\n1,c\n[2..4],d\n", 13, 4, &err), KANON_EINTERNAL);
    assert_non_null(strstr(err.message, "a class of 1 records"));
    assert_int_equal(recount("1,a\n1,b\n1,c\n1,d\n", 8, 5, &err), KANON_EINTERNAL);
    assert_non_null(strstr(err.message, "another number of records"));
    assert_int_equal(recount("1,a\n1,b\n1,c\n", 8, 4, &err), KANON_EINTERNAL);
    assert_int_equal(recount("1,a\n1,b\n1,c\n1,d\n1,e\n", 8, 4, &err), KANON_EINTERNAL);
    assert_int_equal(recount("1,a\n1,b\n1,c\n1,d,e\n", 8, 4, &err), KANON_EINTERNAL);
    assert_non_null(strstr(err.message, "other columns than its header"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_tasks_run_once),
        cmocka_unit_test(test_lowest_failure_is_told),
        cmocka_unit_test(test_killed_worker_is_replaced),
        cmocka_unit_test(test_three_deaths_are_an_error),
        cmocka_unit_test(test_tick_stops),
        cmocka_unit_test(test_folder_is_private_and_goes),
        cmocka_unit_test(test_leftovers_are_removed),
        cmocka_unit_test(test_full_disk),
        cmocka_unit_test(test_bundle),
        cmocka_unit_test(test_release_file),
        cmocka_unit_test(test_lines_and_cells),
        cmocka_unit_test(test_hash),
        cmocka_unit_test(test_last_check),
    };
    kanon_error err = KANON_INIT(kanon_error);
    if (mkdtemp(base) == NULL || exchange_open(&folder, base, &err) != KANON_OK)
        return 1;
    int failures = cmocka_run_group_tests(tests, NULL, NULL);
    exchange_close(&folder);
    return rmdir(base) != 0 || failures != 0; /* nothing is left */
}
