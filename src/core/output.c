/* See output.h. A file is written to a temporary one in its own directory (core/temporary_file.h), which is named by
 * kanon__output_commit; a replaced file keeps a second name until all files of the commit are in place. */
#define _GNU_SOURCE
#include "core/output.h"

#include "core/alloc.h"
#include "core/temporary_file.h"
#include "core/ticker.h"

#include <kanon_host.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { BUFFER_SIZE = 1 << 18 };

struct kanon__output {
    char *path;                 /* as given, for messages */
    char *place;                /* where the file goes: `path` with symbolic links followed; NULL: written to directly */
    kanon__temporary_file file; /* what it is until then */
    mode_t mode;                /* what it gets */
    char *backup;               /* what stands at the place is called so, too, while it is being replaced */
    int backup_fd;              /* its lock; -1: none */
    bool has_backup, committed, can_undo;
    bool by_others; /* somebody else writes the file */
    int fd;         /* that is written to; the temporary file's, where there is one */
    bool is_stdout;
    kanon_sink sink; /* write is NULL: a file */
    bool sink_finished;
    int error; /* the first errno; 0: none */
    size_t used;
    int64_t n_bytes;
    bool with_sha256;
    kanon__sha256 hash;
    char digest[KANON__SHA256_TEXT];
    char buffer[BUFFER_SIZE];
};

static bool stat_directory(const char *path, struct stat *out);

/* In a directory with the sticky bit, such as /tmp, a file can be replaced by its owner and by that of the directory alone,
 * whatever its permissions say. Better known now than when all work is done. */
static bool is_kept_by_others(const char *place, const struct stat *old)
{
    struct stat directory;
    uid_t own = geteuid();
    return own != 0 && stat_directory(place, &directory) && (directory.st_mode & S_ISVTX) != 0 && old->st_uid != own &&
           directory.st_uid != own;
}

/* A place that is not there yet, or a regular file, is replaced by renaming; the permissions of a file stay. */
static kanon_status open_beside(kanon__output *o, const struct stat *old, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char resolved[PATH_MAX];
    const char *place = old != NULL && realpath(o->path, resolved) != NULL ? resolved : o->path;
    if (old != NULL && is_kept_by_others(place, old))
        return kanon__fail_errno(err, EPERM, "write", o->path);
    KANON_TRY(kanon__copy_text(&o->place, place, strlen(place), "a file name", err), out);
    KANON_TRY(kanon__temporary_file_open(&o->file, o->place, false, o->path, err), out);
    o->fd = o->file.fd;
    o->mode = old != NULL ? old->st_mode & 0777 : o->file.usual_mode;
out:
    return st;
}

static kanon_status open_file(kanon__output *o, kanon_error *err)
{
    struct stat old;
    if (o->is_stdout) {
        o->fd = STDOUT_FILENO;
        return KANON_OK;
    }
    if (stat(o->path, &old) != 0)
        return open_beside(o, NULL, err);
    if (S_ISREG(old.st_mode))
        return open_beside(o, &old, err);
    o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
    if (o->fd < 0)
        return kanon__fail_errno(err, errno, "write", o->path);
    return KANON_OK;
}

static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The directory that the path's last name stands in. */
static bool stat_directory(const char *path, struct stat *out)
{
    char directory[PATH_MAX] = ".";
    size_t length = (size_t)(base_of(path) - path);
    if (length >= sizeof directory)
        return false;
    if (length > 0)
        snprintf(directory, sizeof directory, "%.*s", (int)length, path);
    return stat(directory, out) == 0;
}

bool kanon__output_same_place(const char *left, const char *right)
{
    struct stat a, b;
    if (strcmp(left, right) == 0)
        return true;
    if (strcmp(left, "-") == 0 || strcmp(right, "-") == 0)
        return false;
    bool has_a = stat(left, &a) == 0, has_b = stat(right, &b) == 0;
    if (has_a || has_b)
        return has_a && has_b && S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
    return strcmp(base_of(left), base_of(right)) == 0 && stat_directory(left, &a) && stat_directory(right, &b) &&
           a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}

/* SQLite puts these names after that of the file, once links are followed. */
int kanon_state_owns(const char *state, const char *path)
{
    static const char *const suffixes[] = {"", "-journal", "-journal-done", "-wal", "-shm"};
    char resolved[PATH_MAX], name[PATH_MAX + 16];
    if (state == NULL || path == NULL)
        return 0;
    const char *places[] = {state, realpath(state, resolved)};
    for (size_t i = 0; i < sizeof places / sizeof *places && places[i] != NULL; i++)
        for (size_t j = 0; j < sizeof suffixes / sizeof *suffixes; j++)
            if (snprintf(name, sizeof name, "%s%s", places[i], suffixes[j]) < (int)sizeof name &&
                kanon__output_same_place(name, path))
                return 1;
    return 0;
}

kanon_status kanon__output_open(kanon__output **out, const kanon_output *to, bool with_sha256, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__output *o = NULL;
    *out = NULL;
    KANON_CHECK(kanon__output_no_stream(to, err));
    KANON_TRY(kanon__new_array(&o, 1, "an output buffer", err), out);
    o->fd = -1;
    o->backup_fd = -1;
    o->file = KANON__NO_TEMPORARY_FILE;
    if (to->sink != NULL)
        o->sink = *to->sink;
    o->is_stdout = to->sink == NULL && strcmp(to->location, "-") == 0;
    const char *name = o->is_stdout ? "standard output" : kanon__output_name(to);
    KANON_TRY(kanon__copy_text(&o->path, name, strlen(name), "a file name", err), out);
    o->with_sha256 = with_sha256;
    kanon__sha256_begin(&o->hash);
    if (to->sink == NULL)
        KANON_TRY(open_file(o, err), out);
    *out = o;
    o = NULL;
out:
    kanon__output_free(o);
    return st;
}

void kanon__output_make_private(kanon__output *o)
{
    o->mode = 0600;
}

/* A pipe whose reader waits holds a write up for any time, so who interrupts it is asked whether to go on. */
static bool was_stopped(const kanon__output *o)
{
    enum { UNTIL_THE_NEXT_TICK_MS = 50 };
    struct pollfd written = {.fd = o->fd, .events = POLLOUT};
    kanon_error ignored = KANON_INIT(kanon_error);
    poll(&written, 1, UNTIL_THE_NEXT_TICK_MS);
    return kanon__poll_tick(KANON__TICK_POLL_NS, &ignored) != KANON_OK;
}

static void put(kanon__output *o, const char *at, size_t size)
{
    size_t left = size;
    if (o->with_sha256)
        kanon__sha256_add(&o->hash, at, left);
    if (o->sink.write != NULL && left > 0 && o->error == 0) {
        o->error = o->sink.write(at, left, o->sink.payload);
        left = 0;
    }
    while (left > 0 && o->error == 0) {
        ssize_t n = write(o->fd, at, left);
        bool interrupted = n < 0 ? errno == EINTR : n > 0 && (size_t)n < left; /* some of it may be written */
        if (n <= 0 && !interrupted)
            o->error = n < 0 ? errno : EIO;
        else if (interrupted && was_stopped(o))
            o->error = EINTR;
        at += n > 0 ? n : 0;
        left -= n > 0 ? (size_t)n : 0;
    }
    o->n_bytes += (int64_t)size;
}

static void flush(kanon__output *o)
{
    put(o, o->buffer, o->used);
    o->used = 0;
}

/* What has no room in the buffer empties it; what would fill half of it goes past it. */
void kanon__output_write(kanon__output *o, const void *bytes, size_t size)
{
    if (size > BUFFER_SIZE - o->used)
        flush(o);
    if (size >= BUFFER_SIZE / 2) {
        flush(o);
        put(o, bytes, size);
        return;
    }
    memcpy(o->buffer + o->used, bytes, size);
    o->used += size;
}

void kanon__output_text(kanon__output *o, const char *text)
{
    kanon__output_write(o, text, strlen(text));
}

void kanon__output_integer(kanon__output *o, int64_t value)
{
    char digits[24];
    char *end = digits + sizeof digits, *at = end;
    uint64_t rest = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (value < 0)
        *--at = '-';
    kanon__output_write(o, at, (size_t)(end - at));
}

bool kanon__output_needs_quotes(const char *text, size_t length, char delimiter)
{
    if (length == 0)
        return false;
    if (text[0] == ' ' || text[length - 1] == ' ')
        return true;
    for (size_t i = 0; i < length; i++)
        if (text[i] == delimiter || text[i] == '"' || text[i] == '\n' || text[i] == '\r' ||
            (delimiter == '\0' && strchr(",;|\t", text[i]) != NULL))
            return true;
    return false;
}

void kanon__output_cell(kanon__output *o, const char *text, size_t length, char delimiter)
{
    if (!kanon__output_needs_quotes(text, length, delimiter)) {
        kanon__output_write(o, text, length);
        return;
    }
    kanon__output_write(o, "\"", 1);
    for (size_t i = 0; i < length; i++)
        kanon__output_write(o, text[i] == '"' ? "\"\"" : &text[i], text[i] == '"' ? 2 : 1);
    kanon__output_write(o, "\"", 1);
}

bool kanon__output_other_name(kanon__output *o, char out[KANON__OUTPUT_NAME])
{
    o->by_others = o->place != NULL;
    if (o->by_others && o->file.name != NULL)
        return snprintf(out, KANON__OUTPUT_NAME, "%s", o->file.name) < KANON__OUTPUT_NAME;
    snprintf(out, KANON__OUTPUT_NAME, "/proc/self/fd/%d", o->fd);
    return o->by_others;
}

/* What somebody else has written is read once, for its size and its checksum. */
static void read_written(kanon__output *o)
{
    ssize_t n;
    while (o->error == 0 && (n = pread(o->fd, o->buffer, BUFFER_SIZE, (off_t)o->n_bytes)) != 0) {
        if (n < 0 && errno != EINTR)
            o->error = errno;
        if (n > 0 && o->with_sha256)
            kanon__sha256_add(&o->hash, o->buffer, (size_t)n);
        o->n_bytes += n > 0 ? n : 0;
    }
}

kanon_status kanon__output_finish(kanon__output *o, kanon_error *err)
{
    if (o->by_others)
        read_written(o);
    flush(o);
    if (o->error == 0 && o->place != NULL && fsync(o->fd) != 0)
        o->error = errno;
    /* a temporary file stays open, which is its lock, until it has its name */
    if (o->fd >= 0 && !o->is_stdout && o->place == NULL && close(o->fd) != 0 && o->error == 0)
        o->error = errno;
    o->fd = -1;
    if (o->error == EINTR)
        return kanon__fail(err, KANON_ECANCELLED, "stopped while writing");
    if (o->error != 0)
        return kanon__fail_errno(err, o->error, "write", o->path);
    if (o->with_sha256)
        kanon__sha256_finish(o->digest, &o->hash);
    return KANON_OK;
}

/* The rename itself must survive a power cut, so the directory is synced; where that cannot be done, the file is whole
 * anyway. */
static void sync_directory(const char *path)
{
    char copy[PATH_MAX];
    if (snprintf(copy, sizeof copy, "%s", path) >= (int)sizeof copy)
        return;
    char *slash = strrchr(copy, '/');
    if (slash != NULL)
        slash[slash == copy] = '\0';
    int fd = open(slash != NULL ? copy : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

/* A second name for what is about to be replaced. Where there is none to be had, the commit cannot be undone. */
static kanon_status keep_backup(kanon__output *o, kanon_error *err)
{
    int error;
    kanon_status st = kanon__backup_link(&o->backup, &o->backup_fd, &error, o->place, err);
    if (st != KANON_OK)
        return st;
    o->has_backup = error == 0;
    o->can_undo = o->has_backup || error == ENOENT; /* nothing stands there: to undo is to remove */
    return KANON_OK;
}

static kanon_status commit_one(kanon__output *o, kanon_error *err)
{
    if (o->file.fd < 0)
        return KANON_OK;
    kanon_status st = keep_backup(o, err);
    if (st != KANON_OK)
        return st;
    if (fchmod(o->file.fd, o->mode) != 0)
        return kanon__fail_errno(err, errno, "set the permissions of", o->path);
    st = kanon__temporary_file_name(&o->file, o->place, o->path, err);
    if (st != KANON_OK)
        return st;
    o->committed = true;
    sync_directory(o->place);
    return KANON_OK;
}

/* What was there before comes back; false where it cannot. */
static bool undo(kanon__output *o)
{
    if (o->committed && o->has_backup) {
        o->has_backup = false; /* used up; where it cannot be, it is the only copy of what was there, and stays */
        o->committed = rename(o->backup, o->place) != 0;
    } else if (o->committed && o->can_undo) /* a sink that was told cannot be untold */
        o->committed = unlink(o->place) != 0;
    return !o->committed;
}

/* Tell a sink, once, whether what it got is to be kept. */
static kanon_status finish_sink(kanon__output *o, bool complete, kanon_error *err)
{
    if (o->sink.write == NULL || o->sink_finished)
        return KANON_OK;
    o->sink_finished = true;
    int error = o->sink.finish != NULL ? o->sink.finish(complete, o->sink.payload) : 0;
    o->committed = complete && error == 0;
    return error != 0 ? kanon__fail_errno(err, error, "write", o->path) : KANON_OK;
}

/* Files first: what they replaced can come back where a sink fails. */
kanon_status kanon__output_commit(kanon__output *const *outputs, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < n && st == KANON_OK; i++)
        if (outputs[i] != NULL)
            st = commit_one(outputs[i], err);
    for (int i = 0; i < n && st == KANON_OK; i++)
        if (outputs[i] != NULL)
            st = finish_sink(outputs[i], true, err);
    for (int i = 0; i < n && st != KANON_OK; i++)
        if (outputs[i] != NULL && !undo(outputs[i]))
            kanon__hint(err, st, "%s is complete already and could not be taken back", outputs[i]->path);
    return st;
}

bool kanon__output_is_out(const kanon__output *o)
{
    return o->committed;
}

const char *kanon__output_sha256(const kanon__output *o)
{
    return o->digest;
}

int64_t kanon__output_bytes(const kanon__output *o)
{
    return o->n_bytes + (int64_t)o->used;
}

void kanon__output_free(kanon__output *o)
{
    if (o == NULL)
        return;
    finish_sink(o, false, NULL);
    if (o->fd >= 0 && !o->is_stdout && o->place == NULL)
        close(o->fd);
    kanon__temporary_file_close(&o->file);
    if (o->has_backup)
        unlink(o->backup);
    if (o->backup_fd >= 0)
        close(o->backup_fd);
    kanon__free(o->backup);
    kanon__free(o->place);
    kanon__free(o->path);
    kanon__free(o);
}
