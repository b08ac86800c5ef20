/* Inputs: small files are read whole, large ones stay open, everything else is copied first. Each failure says what could
 * not be read, and a file that changes is noticed. */
#define _GNU_SOURCE /* mkdtemp, sigaction */
#include "core/alloc.h"
#include "table/text/input.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

enum { MIDDLE = 300000, LARGE = 1300000 }; /* more than a pipe holds at once; more than is read whole */

static char dir[256];
static char large[LARGE];

static const char *in_dir(const char *name)
{
    static char path[512];
    snprintf(path, sizeof path, "%s/%s", dir, name);
    return path;
}

static void write_file(const char *path, const char *bytes, size_t size)
{
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
}

static int n_files(void)
{
    DIR *listing = opendir(dir);
    int n = 0;
    assert_non_null(listing);
    while (readdir(listing) != NULL)
        n++;
    closedir(listing);
    return n - 2;
}

static int make_dir(void **state)
{
    (void)state;
    const char *root = getenv("TMPDIR");
    snprintf(dir, sizeof dir, "%s/kanon-test-XXXXXX", root != NULL && root[0] != '\0' ? root : "/tmp");
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (char)('a' + i % 23);
    return mkdtemp(dir) == NULL || setenv("TMPDIR", dir, 1) != 0;
}

static int remove_dir(void **state)
{
    (void)state;
    return rmdir(dir);
}

static void assert_holds(const kanon__input *in, const char *bytes, size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    assert_int_equal(in->size, size);
    assert_int_equal(in->has_file, size > 1 << 20);
    assert_int_equal(in->bytes != NULL, size > 0 && size <= 1 << 20);
    assert_int_equal(kanon__input_read(in, 0, copy, size, &err), KANON_OK);
    assert_memory_equal(copy, bytes, size);
    if (size > 100)
        assert_int_equal(kanon__input_read(in, size - 7, copy, 7, &err), KANON_OK);
    if (size > 100)
        assert_memory_equal(copy, bytes + size - 7, 7);
    free(copy);
}

/* Chunk by chunk, between any two places. */
static void assert_chunks(const kanon__input *in, const char *bytes, size_t from, size_t until)
{
    static char buffer[KANON__INPUT_CHUNK];
    kanon_error err = KANON_INIT(kanon_error);
    const char *part;
    size_t n;
    for (size_t at = from; at < until; at += n) {
        assert_int_equal(kanon__input_chunk(in, at, until, buffer, &part, &n, &err), KANON_OK);
        assert_in_range(n, 1, until - at);
        assert_memory_equal(part, bytes + at, n);
    }
}

static void assert_opens_as(const char *path, const char *name, const char *bytes, size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input in;
    assert_int_equal(kanon__input_open_upto(&in, path, UINT64_MAX, "a file", &err), KANON_OK);
    assert_string_equal(in.path, name);
    assert_holds(&in, bytes, size);
    assert_chunks(&in, bytes, 0, size);
    assert_chunks(&in, bytes, size / 3, size / 2);
    assert_int_equal(kanon__input_unchanged(&in, &err), KANON_OK);
    int fd = in.has_file ? in.fd : -1;
    kanon__input_close(&in);
    assert_null(in.path);
    assert_false(in.has_file);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void test_reads_files(void **state)
{
    (void)state;
    const char *path = in_dir("table.csv");
    write_file(path, "a,b\n1,2\n", 8);
    assert_opens_as(path, path, "a,b\n1,2\n", 8);
    const size_t sizes[] = {MIDDLE, 1 << 20, (1 << 20) + 1, LARGE};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        write_file(path, large, sizes[i]);
        assert_opens_as(path, path, large, sizes[i]);
    }
    write_file(path, "", 0);
    assert_opens_as(path, path, "", 0);
    unlink(path);
}

static void test_loads_files(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, MIDDLE, LARGE};
    const char *path = in_dir("table.csv");
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__input in;
        write_file(path, large, sizes[i]);
        assert_int_equal(kanon__input_open_upto(&in, path, UINT64_MAX, "a file", &err), KANON_OK);
        assert_int_equal(kanon__input_load(&in, &err), KANON_OK);
        assert_false(in.has_file);
        assert_int_equal(in.size, sizes[i]);
        if (sizes[i] > 0)
            assert_memory_equal(in.bytes, large, sizes[i]);
        kanon__input_close(&in);
    }
    unlink(path);
}

/* Ways to change a file: cut it, add to it, write the same bytes again. The clock of a file may stand still for some
 * milliseconds, so it is set back first. */
enum { CUT, GROWN, REWRITTEN, N_CHANGES };

static void set_back(const char *path)
{
    const struct timespec times[2] = {{.tv_sec = 1000000000}, {.tv_sec = 1000000000}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static void change(const char *path, int way)
{
    int fd = open(path, O_WRONLY);
    assert_true(fd >= 0);
    if (way == CUT)
        assert_int_equal(ftruncate(fd, LARGE / 2), 0);
    else
        assert_int_equal(pwrite(fd, large, 10, way == GROWN ? LARGE : 0), 10);
    close(fd);
}

static void test_notices_changes(void **state)
{
    (void)state;
    static char buffer[LARGE];
    const char *path = in_dir("table.csv");
    char expected[512];
    snprintf(expected, sizeof expected, "%s: the file has changed while it was read", path);
    for (int way = 0; way < N_CHANGES; way++) {
        kanon_error err = KANON_INIT(kanon_error);
        kanon__input in;
        write_file(path, large, LARGE);
        set_back(path);
        assert_int_equal(kanon__input_open_upto(&in, path, UINT64_MAX, "a file", &err), KANON_OK);
        change(path, way);
        assert_int_equal(kanon__input_unchanged(&in, &err), KANON_EIO);
        assert_string_equal(err.message, expected);
        err = (kanon_error)KANON_INIT(kanon_error);
        assert_int_equal(kanon__input_read(&in, 0, buffer, LARGE / 2, &err), KANON_OK);
        assert_int_equal(kanon__input_read(&in, 10, buffer, LARGE - 10, &err), way == CUT ? KANON_EIO : KANON_OK);
        assert_string_equal(err.message, way == CUT ? expected : "");
        assert_int_equal(kanon__input_load(&in, &err), KANON_EIO);
        assert_string_equal(err.message, expected);
        assert_null(in.bytes);
        kanon__input_close(&in);
    }
    unlink(path);
}

/* What was read whole is what it was. */
static void test_keeps_small_files(void **state)
{
    (void)state;
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input in;
    const char *path = in_dir("table.csv");
    write_file(path, large, MIDDLE);
    set_back(path);
    assert_int_equal(kanon__input_open_upto(&in, path, UINT64_MAX, "a file", &err), KANON_OK);
    write_file(path, "other", 5);
    assert_int_equal(kanon__input_unchanged(&in, &err), KANON_OK);
    assert_holds(&in, large, MIDDLE);
    kanon__input_close(&in);
    unlink(path);
}

static void assert_fails(const char *path, int reason)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input in;
    char expected[512];
    snprintf(expected, sizeof expected, "cannot read %s: %s", path, strerror(reason));
    assert_int_equal(kanon__input_open_upto(&in, path, UINT64_MAX, "a file", &err), KANON_EIO);
    assert_int_equal(err.status, KANON_EIO);
    assert_string_equal(err.message, expected);
    assert_null(in.path);
    assert_int_equal(kanon__input_open_upto(&in, path, UINT64_MAX, "a file", NULL), KANON_EIO);
}

static void test_says_why_a_file_cannot_be_read(void **state)
{
    (void)state;
    assert_fails(in_dir("missing.csv"), ENOENT);
    assert_fails(dir, EISDIR);
    write_file(in_dir("file"), "x", 1);
    assert_fails(in_dir("file/below"), ENOTDIR);
    unlink(in_dir("file"));
}

typedef struct feed {
    int fd; /* -1: open the fifo at `path` */
    const char *path;
    size_t size;
    pthread_t interrupt; /* a thread to send signals to before each part */
    int n_signals;
} feed;

/* Writes the first feed->size bytes of `large` in small parts. */
static void *write_feed(void *argument)
{
    feed *f = argument;
    int fd = f->fd >= 0 ? f->fd : open(f->path, O_WRONLY);
    size_t done = 0;
    while (fd >= 0 && done < f->size) {
        for (int i = 0; i < f->n_signals; i++)
            pthread_kill(f->interrupt, SIGUSR1);
        size_t part = f->size - done < 5000 ? f->size - done : 5000;
        ssize_t n = write(fd, large + done, part);
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    close(fd);
    return NULL;
}

static void test_copies_pipes(void **state)
{
    (void)state;
    const size_t sizes[] = {0, 1, 4096, MIDDLE, LARGE};
    const char *path = in_dir("fifo");
    assert_int_equal(mkfifo(path, 0600), 0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        pthread_t writer;
        feed f = {.fd = -1, .path = path, .size = sizes[i]};
        assert_int_equal(pthread_create(&writer, NULL, write_feed, &f), 0);
        assert_opens_as(path, path, large, sizes[i]);
        pthread_join(writer, NULL);
    }
    unlink(path);
}

/* Run `check` with standard input fed from a pipe. */
static void with_standard_input(size_t size, int n_signals, void (*check)(size_t size))
{
    int ends[2], kept = dup(STDIN_FILENO);
    pthread_t writer;
    assert_int_equal(pipe(ends), 0);
    feed f = {.fd = ends[1], .size = size, .interrupt = pthread_self(), .n_signals = n_signals};
    assert_int_equal(dup2(ends[0], STDIN_FILENO), STDIN_FILENO);
    close(ends[0]);
    assert_int_equal(pthread_create(&writer, NULL, write_feed, &f), 0);
    check(size);
    pthread_join(writer, NULL);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
}

static void check_standard_input(size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input in;
    assert_int_equal(kanon__input_open_upto(&in, "-", UINT64_MAX, "a file", &err), KANON_OK);
    assert_string_equal(in.path, "standard input");
    assert_holds(&in, large, size);
    assert_int_equal(n_files(), 0);
    kanon__input_close(&in);
    assert_true(fcntl(STDIN_FILENO, F_GETFD) >= 0);
}

static void test_copies_standard_input(void **state)
{
    (void)state;
    with_standard_input(0, 0, check_standard_input);
    with_standard_input(1, 0, check_standard_input);
    with_standard_input(LARGE, 0, check_standard_input);
}

static void do_nothing(int signal_number)
{
    (void)signal_number;
}

static void test_is_not_stopped_by_signals(void **state)
{
    (void)state;
    struct sigaction kept, action = {.sa_handler = do_nothing}; /* without SA_RESTART, so that calls end with EINTR */
    assert_int_equal(sigaction(SIGUSR1, &action, &kept), 0);
    with_standard_input(LARGE, 20, check_standard_input);
    sigaction(SIGUSR1, &kept, NULL);
}

static void test_reads_standard_input_from_where_it_stands(void **state)
{
    (void)state;
    const char *path = in_dir("table.csv");
    int kept = dup(STDIN_FILENO);
    write_file(path, "skipped,a\n", 10);
    int fd = open(path, O_RDONLY);
    assert_true(fd >= 0);
    assert_int_equal(lseek(fd, 8, SEEK_SET), 8);
    assert_int_equal(dup2(fd, STDIN_FILENO), STDIN_FILENO);
    close(fd);
    assert_opens_as("-", "standard input", "a\n", 2);
    if (kept >= 0) {
        dup2(kept, STDIN_FILENO);
        close(kept);
    }
    unlink(path);
}

static void test_reads_devices(void **state)
{
    (void)state;
    assert_opens_as("/dev/null", "/dev/null", "", 0);
}

static void check_missing_temporary_directory(size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input in;
    char *missing = strdup(in_dir("missing")), expected[512];
    (void)size;
    snprintf(expected, sizeof expected, "cannot make a temporary file in %s: %s", missing, strerror(ENOENT));
    setenv("TMPDIR", missing, 1);
    assert_int_equal(kanon__input_open_upto(&in, "-", UINT64_MAX, "a file", &err), KANON_EIO);
    assert_string_equal(err.message, expected);
    setenv("TMPDIR", dir, 1);
    free(missing);
}

static void test_needs_a_temporary_directory_for_pipes(void **state)
{
    (void)state;
    with_standard_input(100, 0, check_missing_temporary_directory);
    setenv("TMPDIR", "", 1); /* as if it were not set: /tmp */
    with_standard_input(100, 0, check_standard_input);
    setenv("TMPDIR", dir, 1);
}

/* A limit on the size of files stands for a full disk. */
static void check_no_room(size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input in;
    struct rlimit kept, small;
    char expected[512], rest[4096];
    (void)size;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &kept), 0);
    small = kept;
    small.rlim_cur = 100000;
    snprintf(expected, sizeof expected, "cannot write a temporary file in %s: %s", dir, strerror(EFBIG));
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    kanon_status st = kanon__input_open_upto(&in, "-", UINT64_MAX, "a file", &err);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &kept), 0);
    assert_int_equal(st, KANON_EIO);
    assert_string_equal(err.message, expected);
    assert_string_equal(err.hint, "set TMPDIR to a directory with room for a copy of the input");
    while (read(STDIN_FILENO, rest, sizeof rest) > 0)
        ;
}

static void test_says_that_there_is_no_room_for_a_copy(void **state)
{
    (void)state;
    struct sigaction kept, action = {.sa_handler = SIG_IGN};
    assert_int_equal(sigaction(SIGXFSZ, &action, &kept), 0);
    with_standard_input(LARGE, 0, check_no_room);
    sigaction(SIGXFSZ, &kept, NULL);
}

#ifdef KANON_TEST_HOOKS
static void assert_survives_failed_allocations(const char *path)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__input in;
    int64_t n = 0;
    do {
        kanon__alloc_fail_at(++n, true);
        if (kanon__input_open_upto(&in, path, UINT64_MAX, "a file", &err) == KANON_OK)
            break;
        assert_int_equal(err.status, KANON_ENOMEM);
        assert_null(in.path);
    } while (n < 100);
    kanon__alloc_fail_at(0, false);
    assert_in_range(n, 2, 99);
    kanon__input_close(&in);
}

static void test_survives_failed_allocations(void **state)
{
    (void)state;
    const char *path = in_dir("table.csv");
    write_file(path, "a\n", 2);
    assert_survives_failed_allocations(path);
    write_file(path, large, LARGE);
    assert_survives_failed_allocations(path);
    unlink(path);
    assert_survives_failed_allocations("/dev/null");
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reads_files),
        cmocka_unit_test(test_loads_files),
        cmocka_unit_test(test_notices_changes),
        cmocka_unit_test(test_keeps_small_files),
        cmocka_unit_test(test_says_why_a_file_cannot_be_read),
        cmocka_unit_test(test_copies_pipes),
        cmocka_unit_test(test_copies_standard_input),
        cmocka_unit_test(test_is_not_stopped_by_signals),
        cmocka_unit_test(test_reads_standard_input_from_where_it_stands),
        cmocka_unit_test(test_reads_devices),
        cmocka_unit_test(test_needs_a_temporary_directory_for_pipes),
        cmocka_unit_test(test_says_that_there_is_no_room_for_a_copy),
#ifdef KANON_TEST_HOOKS
        cmocka_unit_test(test_survives_failed_allocations),
#endif
    };
    return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
