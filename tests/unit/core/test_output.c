/* Output files: whole or not at all, with their permissions, links and checksums; cells and numbers as they are written. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "core/output.h"
#include "core/temporary_file.h"
#include "support.h"

#include <fcntl.h>
#include <kanon_host.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/wait.h>

static kanon__output *open_output(const char *path)
{
    kanon__output *output = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__output_open(&output, KANON_TO_PATH(path), true, &err), &err);
    return output;
}

static void finish_output(kanon__output *output)
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__output_finish(output, &err), &err);
}

static void commit_output(kanon__output *output)
{
    kanon_error err = KANON_INIT(kanon_error);
    assert_done(kanon__output_commit(&output, 1, &err), &err);
    kanon__output_free(output);
}

static void output_appears_when_committed(void **state)
{
    place path = scratch("a.txt");
    (void)state;
    kanon__output *output = open_output(path.text);
    kanon__output_text(output, "first");
    assert_false(exists(path.text));
    finish_output(output);
    assert_false(exists(path.text));
    commit_output(output);
    assert_file(path.text, "first");
    assert_int_equal(entries(scratch_directory, false), 1);
    output = open_output(path.text);
    kanon__output_text(output, "second");
    finish_output(output);
    assert_file(path.text, "first");
    commit_output(output);
    assert_file(path.text, "second");
    assert_int_equal(entries(scratch_directory, true), 1);
}

static void output_vanishes_when_not_committed(void **state)
{
    place path = scratch("a.txt");
    (void)state;
    for (int finished = 0; finished < 2; finished++) {
        kanon__output *output = open_output(path.text);
        kanon__output_text(output, "text");
        assert_false(exists(path.text));
        if (finished)
            finish_output(output);
        kanon__output_free(output);
        assert_int_equal(entries(scratch_directory, false), 0);
    }
    write_text(path.text, "old");
    kanon__output_free(open_output(path.text));
    assert_file(path.text, "old");
    kanon__output *one = open_output(path.text), *other = open_output(path.text); /* two at one place */
    kanon__output_free(one);
    kanon__output_free(other);
    kanon__output_free(NULL);
    assert_int_equal(entries(scratch_directory, true), 1);
}

static void output_keeps_permissions(void **state)
{
    static const mode_t modes[] = {0600, 0640, 0444, 0777};
    place path = scratch("a.txt");
    struct stat is;
    (void)state;
    mode_t mask = umask(022);
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        write_text(path.text, "old");
        assert_int_equal(chmod(path.text, modes[i]), 0);
        kanon__output *output = open_output(path.text);
        finish_output(output);
        commit_output(output);
        assert_int_equal(stat(path.text, &is), 0);
        assert_int_equal(is.st_mode & 07777, modes[i]);
        assert_int_equal(unlink(path.text), 0);
    }
    kanon__output *output = open_output(path.text);
    finish_output(output);
    commit_output(output);
    assert_int_equal(stat(path.text, &is), 0);
    assert_int_equal(is.st_mode & 07777, 0644); /* a new file has what the process gives to new files */
    umask(mask);
    entries(scratch_directory, true);
}

/* What tells about single records is its owner's alone, whatever the umask and whatever stood there. */
static void private_output_is_its_owners(void **state)
{
    place path = scratch("a.txt");
    struct stat is;
    (void)state;
    mode_t mask = umask(0);
    for (int i = 0; i < 2; i++) {
        kanon__output *output = open_output(path.text);
        kanon__output_make_private(output);
        finish_output(output);
        commit_output(output);
        assert_int_equal(stat(path.text, &is), 0);
        assert_int_equal(is.st_mode & 07777, 0600);
        assert_int_equal(chmod(path.text, 0666), 0); /* the second one replaces this */
    }
    umask(mask);
    entries(scratch_directory, true);
}

/* The file that a process leaves that is killed, on a file system without unnamed files. */
static void kill_while_writing(const char *path)
{
    pid_t child = fork();
    if (child == 0) {
        kanon__temporary_file file;
        if (kanon__temporary_file_open(&file, path, true, path, NULL) == KANON_OK && write(file.fd, "row", 3) == 3)
            raise(SIGKILL);
        _exit(1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static void leftovers_go_and_living_files_stay(void **state)
{
    place path = scratch("a.txt"), user = scratch("a.txt.2024-01.old"), like = scratch("a.txt.kanon-1-.tmp"),
          other = scratch("b.txt.kanon-1-0.tmp"), backup = scratch("a.txt.kanon-1-0.old");
    kanon__temporary_file living = KANON__NO_TEMPORARY_FILE;
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    kill_while_writing(path.text);
    assert_int_equal(entries(scratch_directory, false), 1);
    write_text(backup.text, "of a killed run");
    write_text(user.text, "the user's");
    write_text(like.text, "the user's");
    write_text(other.text, "of another place");
    assert_done(kanon__temporary_file_open(&living, path.text, true, path.text, &err), &err);
    assert_int_equal(entries(scratch_directory, false), 4);
    kanon__output *output = open_output(path.text);
    assert_true(exists(living.name));
    finish_output(output);
    commit_output(output);
    assert_true(exists(living.name) && exists(user.text) && exists(like.text) && exists(other.text));
    assert_done(kanon__temporary_file_name(&living, path.text, path.text, &err), &err);
    assert_int_equal(entries(scratch_directory, true), 4);
}

/* A process that is killed in the middle of an output leaves nothing where files can be unnamed. */
static void kill_leaves_nothing(void **state)
{
    place path = scratch("a.txt");
    int status = 0;
    (void)state;
    int fd = open(scratch_directory, O_TMPFILE | O_WRONLY, 0600);
    if (fd < 0)
        skip();
    close(fd);
    pid_t child = fork();
    if (child == 0) {
        kanon__output_text(open_output(path.text), "row");
        raise(SIGKILL);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(entries(scratch_directory, false), 0);
}

/* A limit on the size of files is an error like a full disk, where the process ignores the signal. */
static void limit_of_size_is_an_error(void **state)
{
    place path = scratch("a.txt");
    int status = 0;
    (void)state;
    pid_t child = fork();
    if (child == 0) {
        kanon_error err = KANON_INIT(kanon_error);
        signal(SIGXFSZ, SIG_IGN);
        setrlimit(RLIMIT_FSIZE, &(struct rlimit){100, 100});
        kanon__output *output = open_output(path.text);
        for (int i = 0; i < 100; i++)
            kanon__output_text(output, "0123456789");
        kanon_status st = kanon__output_finish(output, &err);
        kanon__output_free(output);
        _exit(st == KANON_EIO && strstr(err.message, "large") != NULL ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    assert_int_equal(entries(scratch_directory, false), 0);
}

static void assert_escaped(const char *text, const char *wanted)
{
    char out[64];
    assert_int_equal(kanon_escape(out, sizeof out, text), strlen(wanted));
    assert_string_equal(out, wanted);
    assert_int_equal(kanon_escape(out, sizeof out, wanted), strlen(wanted)); /* twice is the same as once */
    assert_string_equal(out, wanted);
}

static void names_are_escaped(void **state)
{
    char cut[8];
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    assert_escaped("", "");
    assert_escaped("plain \\ \xc3\xa9\xe6\x97\xa5", "plain \\ \xc3\xa9\xe6\x97\xa5");
    assert_escaped("\x1b[31m\x7f\n\t", "\\x1b[31m\\x7f\\n\\t");
    assert_escaped("\xc2\x9b"
                   "31m",
                   "\\u009b31m");
    assert_escaped("\xe2\x80\xaa\xe2\x80\xae\xe2\x81\xa6\xe2\x81\xa9", "\\u202a\\u202e\\u2066\\u2069");
    assert_escaped("\xe2\x80\x8e\xe2\x80\x8f\xd8\x9c", "\\u200e\\u200f\\u061c");
    assert_escaped("\x9b\xff\xc2", "\\x9b\\xff\\xc2");
    assert_int_equal(kanon_escape(cut, sizeof cut,
                                  "abcd\x1b"
                                  "e"),
                     9); /* the escape is left out whole, and all after it */
    assert_string_equal(cut, "abcd");
    kanon__hint(&err,
                kanon__fail(&err, KANON_EDATA, "t.csv: %s: bad",
                            "a\xc2\x9b"
                            "b"),
                "see %s", "\xe2\x80\xae");
    assert_string_equal(err.message, "t.csv: a\\u009bb: bad");
    assert_string_equal(err.hint, "see \\u202e");
}

static void output_follows_links(void **state)
{
    place real_directory = scratch("real"), real = inside(real_directory.text, "a.txt"), link = scratch("link"),
          chain = scratch("chain");
    struct stat is;
    (void)state;
    assert_int_equal(mkdir(real_directory.text, 0777), 0);
    write_text(real.text, "old");
    assert_int_equal(symlink("real/a.txt", link.text), 0);
    assert_int_equal(symlink(link.text, chain.text), 0);
    kanon__output *output = open_output(chain.text);
    kanon__output_text(output, "new");
    assert_int_equal(entries(scratch_directory, false), 3);
    finish_output(output);
    commit_output(output);
    assert_int_equal(lstat(chain.text, &is), 0);
    assert_true(S_ISLNK(is.st_mode));
    assert_file(real.text, "new");
    entries(scratch_directory, true);
}

static void output_tells_of_a_full_disk(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    (void)state;
    if (access("/dev/full", W_OK) != 0)
        skip();
    kanon__output *output = open_output("/dev/full");
    kanon__output_text(output, "text");
    assert_int_equal(kanon__output_finish(output, &err), KANON_EIO);
    assert_holds(err.message, "/dev/full");
    kanon__output_free(output);
    output = open_output("/dev/full"); /* the failure comes long before the end, and is kept */
    for (int i = 0; i < 100000; i++)
        kanon__output_text(output, "0123456789");
    assert_int_equal(kanon__output_finish(output, NULL), KANON_EIO);
    kanon__output_free(output);
    assert_true(exists("/dev/full"));
}

static void assert_cannot_open(const char *path)
{
    kanon__output *output = (kanon__output *)&path;
    kanon_error err = KANON_INIT(kanon_error);
    assert_int_equal(kanon__output_open(&output, KANON_TO_PATH(path), false, &err), KANON_EIO);
    assert_null(output);
    assert_holds(err.message, path);
}

static void output_needs_a_place(void **state)
{
    place nowhere = scratch("nowhere/a.txt"), file = scratch("file"), below_file = scratch("file/a.txt"),
          closed = scratch("closed"), in_closed = scratch("closed/a.txt");
    (void)state;
    assert_cannot_open(nowhere.text);
    write_text(file.text, "old");
    assert_cannot_open(below_file.text);
    assert_cannot_open(scratch_directory);
    assert_int_equal(mkdir(closed.text, 0555), 0);
    assert_int_equal(chmod(scratch_directory, 0755), 0);
    bool was_root = geteuid() == 0;
    if (was_root)
        assert_int_equal(seteuid(65534), 0); /* root may write everywhere */
    assert_cannot_open(in_closed.text);
    if (was_root)
        assert_int_equal(seteuid(0), 0);
    assert_int_equal(entries(closed.text, false), 0);
    assert_int_equal(entries(scratch_directory, true), 2);
}

static void output_to_devices_is_direct(void **state)
{
    (void)state;
    kanon__output *output = open_output("/dev/null");
    kanon__output_text(output, "text");
    finish_output(output);
    assert_int_equal(kanon__output_bytes(output), 4);
    commit_output(output);
    assert_true(exists("/dev/null"));
}

static void assert_checksum(const char *text, int64_t times, const char *expected)
{
    place path = scratch("a.txt");
    kanon__output *output = open_output(path.text);
    char digest[KANON__SHA256_TEXT];
    for (int64_t i = 0; i < times; i++)
        kanon__output_text(output, text);
    assert_int_equal(kanon__output_bytes(output), times * (int64_t)strlen(text));
    finish_output(output);
    assert_string_equal(kanon__output_sha256(output), expected);
    commit_output(output);
    char *bytes = read_text(path.text);
    kanon__sha256_of(digest, bytes, strlen(bytes));
    assert_string_equal(digest, expected);
    free(bytes);
    entries(scratch_directory, true);
}

/* The vectors of FIPS 180-2, and of the empty text. */
static void output_checksum_is_sha256(void **state)
{
    (void)state;
    assert_checksum("", 1, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_checksum("abc", 1, "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_checksum("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq", 1,
                    "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_checksum("aaaaaaaaaa", 100000, "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    kanon__output *output = NULL;
    assert_int_equal(kanon__output_open(&output, KANON_TO_PATH("/dev/null"), false, NULL), KANON_OK);
    finish_output(output);
    assert_string_equal(kanon__output_sha256(output), "");
    kanon__output_free(output);
}

static void output_larger_than_its_buffer(void **state)
{
    enum { SIZE = 1 << 20 };
    place path = scratch("a.txt");
    (void)state;
    char *bytes = malloc(SIZE + 1);
    assert_non_null(bytes);
    for (int i = 0; i < SIZE; i++)
        bytes[i] = (char)('a' + i % 23);
    bytes[SIZE] = '\0';
    kanon__output *output = open_output(path.text);
    for (size_t at = 0, step = 1; at < SIZE; at += step, step = step * 3 < SIZE - at ? step * 3 : SIZE - at)
        kanon__output_write(output, bytes + at, step < SIZE - at ? step : SIZE - at);
    finish_output(output);
    commit_output(output);
    assert_file(path.text, bytes);
    free(bytes);
    entries(scratch_directory, true);
}

static void assert_cell(const char *text, char delimiter, const char *expected)
{
    place path = scratch("a.txt");
    kanon__output *output = open_output(path.text);
    kanon__output_cell(output, text, strlen(text), delimiter);
    finish_output(output);
    commit_output(output);
    assert_file(path.text, expected);
    entries(scratch_directory, true);
}

static void output_quotes_cells(void **state)
{
    (void)state;
    assert_cell("", ',', "");
    assert_cell("plain", ',', "plain");
    assert_cell("a b", ',', "a b");
    assert_cell("a,b", ',', "\"a,b\"");
    assert_cell("a,b", ';', "a,b");
    assert_cell("a;b", ';', "\"a;b\"");
    assert_cell("a\tb", '\t', "\"a\tb\"");
    assert_cell("say \"x\"", ',', "\"say \"\"x\"\"\"");
    assert_cell("\"", ',', "\"\"\"\"");
    assert_cell("a\nb", ',', "\"a\nb\"");
    assert_cell("a\rb", ',', "\"a\rb\"");
    assert_cell(" a", ',', "\" a\"");
    assert_cell("a ", ',', "\"a \"");
    assert_cell("[20,29]", ',', "\"[20,29]\"");
}

static void output_prints_integers(void **state)
{
    static const int64_t values[] = {0, 7, 10, -1, -100, INT64_MAX, INT64_MIN};
    place path = scratch("a.txt");
    (void)state;
    kanon__output *output = open_output(path.text);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        kanon__output_integer(output, values[i]);
        kanon__output_text(output, " ");
    }
    finish_output(output);
    commit_output(output);
    assert_file(path.text, "0 7 10 -1 -100 9223372036854775807 -9223372036854775808 ");
    entries(scratch_directory, true);
}

/* A later file that cannot be named takes the earlier ones back: a new one vanishes, a replaced one is as it was. */
static void outputs_come_together_or_not_at_all(void **state)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__output *outputs[3] = {NULL};
    place old = scratch("old.csv"), fresh = scratch("fresh.csv"), directory = scratch("gone"), gone = scratch("gone/g.csv");
    (void)state;
    write_text(old.text, "as it was");
    assert_int_equal(mkdir(directory.text, 0777), 0);
    outputs[0] = open_output(old.text);
    outputs[1] = open_output(fresh.text);
    outputs[2] = open_output(gone.text);
    for (int i = 0; i < 3; i++)
        finish_output(outputs[i]);
    entries(directory.text, true);
    assert_int_equal(rmdir(directory.text), 0);
    assert_int_equal(kanon__output_commit(outputs, 3, &err), KANON_EIO);
    for (int i = 0; i < 3; i++)
        kanon__output_free(outputs[i]);
    assert_file(old.text, "as it was");
    assert_int_equal(entries(scratch_directory, true), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(output_appears_when_committed),
        cmocka_unit_test(output_vanishes_when_not_committed),
        cmocka_unit_test(output_keeps_permissions),
        cmocka_unit_test(output_follows_links),
        cmocka_unit_test(output_tells_of_a_full_disk),
        cmocka_unit_test(output_needs_a_place),
        cmocka_unit_test(output_to_devices_is_direct),
        cmocka_unit_test(output_checksum_is_sha256),
        cmocka_unit_test(output_larger_than_its_buffer),
        cmocka_unit_test(output_quotes_cells),
        cmocka_unit_test(private_output_is_its_owners),
        cmocka_unit_test(leftovers_go_and_living_files_stay),
        cmocka_unit_test(kill_leaves_nothing),
        cmocka_unit_test(limit_of_size_is_an_error),
        cmocka_unit_test(names_are_escaped),
        cmocka_unit_test(output_prints_integers),
        cmocka_unit_test(outputs_come_together_or_not_at_all),
    };
    return cmocka_run_group_tests(tests, make_scratch, remove_scratch);
}
