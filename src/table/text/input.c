/* See input.h. Small files are read into memory; larger ones stay open and are read by pread. Whatever is no regular
 * file is copied to an unnamed temporary file (core/spill.h) first. */
#include "table/text/input.h"

#include "core/alloc.h"
#include "core/file_stamp.h"
#include "core/spill.h"
#include "core/take_input.h"
#include "core/ticker.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_SIZE = 1 << 16, COPY_NS = 1 /* for a byte */, READ_WHOLE = 1 << 20 };

/* The most bytes that an input has: as a file, and as a pipe or a device. */
typedef struct size_limit {
    const char *what;
    uint64_t file, pipe;
} size_limit;

#define MB ((uint64_t)1 << 20)
static const uint64_t DEVICE = 16 * MB; /* of whatever kind */
static const size_limit limits[] = {
    [KANON__INPUT_SCHEMA] = {"a schema", 64 * MB, 16 * MB},
    [KANON__INPUT_TAXONOMY] = {"a taxonomy", 1024 * MB, 16 * MB},
    [KANON__INPUT_CERTIFICATE] = {"a certificate", UINT64_MAX, 256 * MB},
    [KANON__INPUT_PIECE] = {"a piece", UINT64_MAX, UINT64_MAX},
};

static int open_to_read(const char *path)
{
    int fd;
    do {
        fd = open(path, O_RDONLY | O_CLOEXEC);
    } while (fd < 0 && errno == EINTR);
    return fd;
}

static ssize_t read_some(int fd, char *buffer, size_t size)
{
    ssize_t n;
    do {
        n = read(fd, buffer, size);
    } while (n < 0 && errno == EINTR);
    return n;
}

static bool write_all(int fd, const char *bytes, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, bytes, size);
        if (n < 0 && errno != EINTR)
            return false;
        if (n > 0) {
            bytes += n;
            size -= (size_t)n;
        }
    }
    return true;
}

static kanon_status fail_too_large(const char *path, const char *what, uint64_t most, const char *hint, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: too large for %s, which has at most %llu MB", path, what,
                                  (unsigned long long)((most + MB - 1) / MB));
    return kanon__hint(err, st, "%s", hint);
}

/* Copy all that `fd` gives to an unnamed file. Where it gives nothing, *copy stays -1. */
static kanon_status copy_to_unnamed(int *copy, int fd, const char *path, const size_limit *limit, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *buffer = NULL;
    uint64_t size = 0;
    ssize_t n;
    *copy = -1;
    KANON_TRY(kanon__new_array(&buffer, COPY_SIZE, "a copy buffer", err), out);
    while ((n = read_some(fd, buffer, COPY_SIZE)) > 0) {
        size += (uint64_t)n;
        if (size > limit->pipe) {
            st = fail_too_large(path, limit->what, limit->pipe, "if it ends at all, write it to a file, and name that", err);
            goto out;
        }
        KANON_TRY(kanon__poll_tick(n * COPY_NS, err), out);
        if (*copy < 0)
            KANON_TRY(kanon__spill_open(copy, err), out);
        if (!write_all(*copy, buffer, (size_t)n)) {
            st = kanon__fail_errno(err, errno, "write a temporary file in", kanon__spill_directory());
            st = kanon__hint(err, st, "set TMPDIR to a directory with room for a copy of the input");
            goto out;
        }
    }
    if (n < 0)
        st = kanon__fail_errno(err, errno, "read", path);
out:
    kanon__free(buffer);
    if (st != KANON_OK && *copy >= 0) {
        close(*copy);
        *copy = -1;
    }
    return st;
}

static kanon_status fail_changed(const kanon__input *in, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EIO, "%s: the file has changed while it was read", in->path);
    return kanon__hint(err, st, "wait until it is complete, or make a copy and read that");
}

kanon_status kanon__input_read(const kanon__input *in, size_t offset, char *buffer, size_t size, kanon_error *err)
{
    if (in->bytes != NULL) {
        memcpy(buffer, in->bytes + offset, size);
        return KANON_OK;
    }
    while (size > 0) {
        ssize_t n = pread(in->fd, buffer, size, (off_t)offset);
        if (n == 0)
            return fail_changed(in, err);
        if (n < 0 && errno != EINTR)
            return kanon__fail_errno(err, errno, "read", in->path);
        if (n > 0) {
            offset += (size_t)n;
            buffer += n;
            size -= (size_t)n;
        }
    }
    return KANON_OK;
}

kanon_status kanon__input_chunk(const kanon__input *in, size_t position, size_t end, char buffer[KANON__INPUT_CHUNK],
                                const char **bytes, size_t *n, kanon_error *err)
{
    *n = end - position;
    if (in->bytes != NULL) {
        *bytes = in->bytes + position;
        return KANON_OK;
    }
    *n = *n < KANON__INPUT_CHUNK ? *n : KANON__INPUT_CHUNK;
    *bytes = buffer;
    return kanon__input_read(in, position, buffer, *n, err);
}

kanon_status kanon__input_unchanged(const kanon__input *in, kanon_error *err)
{
    struct stat info;
    if (!in->has_file)
        return KANON_OK;
    if (fstat(in->fd, &info) != 0)
        return kanon__fail_errno(err, errno, "read", in->path);
    return kanon__file_stamp_same(&in->opened, &info) ? KANON_OK : fail_changed(in, err);
}

static void close_file(kanon__input *in)
{
    if (in->has_file)
        close(in->fd);
    in->has_file = false;
}

kanon_status kanon__input_load(kanon__input *in, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *bytes = NULL;
    if (!in->has_file)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&bytes, (int64_t)in->size, "an input file", err), out);
    KANON_TRY(kanon__input_read(in, 0, bytes, in->size, err), out);
    KANON_TRY(kanon__input_unchanged(in, err), out);
    close_file(in);
    in->bytes = in->size > 0 ? bytes : NULL;
    in->owned = bytes;
    bytes = NULL;
out:
    kanon__free(bytes);
    return st;
}

/* Take over the open file `fd`, in any case. */
static kanon_status take_file(kanon__input *in, int fd, const size_limit *limit, kanon_error *err)
{
    struct stat info;
    in->fd = fd;
    in->has_file = true;
    if (fstat(fd, &info) != 0)
        return kanon__fail_errno(err, errno, "read", in->path);
    if ((uintmax_t)info.st_size > SIZE_MAX / 2)
        return kanon__fail_errno(err, EFBIG, "read", in->path);
    if ((uint64_t)info.st_size > limit->file)
        return fail_too_large(in->path, limit->what, limit->file, "name the right file", err);
    in->size = (size_t)info.st_size;
    in->opened = info;
    return in->size <= READ_WHOLE ? kanon__input_load(in, err) : KANON_OK;
}

/* Files that claim to be empty are read too: those of /proc are not. *fd becomes -1 where it is taken over. */
static kanon_status keep_or_copy(kanon__input *in, int *fd, bool is_stdin, const size_limit *limit, kanon_error *err)
{
    struct stat info;
    int copy = -1;
    size_limit own = *limit;
    if (fstat(*fd, &info) != 0)
        return kanon__fail_errno(err, errno, "read", in->path);
    if (S_ISDIR(info.st_mode))
        return kanon__fail_errno(err, EISDIR, "read", in->path);
    if (S_ISREG(info.st_mode) && info.st_size > 0 && !is_stdin) {
        int kept = *fd;
        *fd = -1;
        return take_file(in, kept, limit, err);
    }
    if (S_ISCHR(info.st_mode) && own.pipe > DEVICE)
        own = (size_limit){.what = "what is typed or comes from a device", .pipe = DEVICE};
    kanon_status st = copy_to_unnamed(&copy, *fd, in->path, &own, err);
    return copy >= 0 ? take_file(in, copy, limit, err) : st;
}

static kanon_status open_input(kanon__input *out, const char *path, const size_limit *limit, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input in = {0};
    int fd = -1;
    bool is_stdin = strcmp(path, "-") == 0;
    const char *name = is_stdin ? "standard input" : path;
    *out = (kanon__input){0};
    KANON_TRY(kanon__copy_text(&in.path, name, strlen(name), "a file name", err), out);
    fd = is_stdin ? STDIN_FILENO : open_to_read(path);
    if (fd < 0) {
        st = kanon__fail_errno(err, errno, "read", in.path);
        goto out;
    }
    if (!is_stdin)
        KANON_TRY(kanon__copy_text(&in.file, path, strlen(path), "a file name", err), out);
    KANON_TRY(keep_or_copy(&in, &fd, is_stdin, limit, err), out);
    *out = in;
    in = (kanon__input){0};
out:
    if (fd >= 0 && !is_stdin)
        close(fd);
    kanon__input_close(&in);
    return st;
}

kanon_status kanon__input_open(kanon__input *out, const char *path, kanon__input_kind kind, kanon_error *err)
{
    return open_input(out, path, &limits[kind], err);
}

kanon_status kanon__input_open_upto(kanon__input *out, const char *path, uint64_t most, const char *what, kanon_error *err)
{
    const size_limit limit = {.what = what, .file = UINT64_MAX, .pipe = most};
    return open_input(out, path, &limit, err);
}

kanon_status kanon__input_from_bytes(kanon__input *out, const char *path, const char *bytes, size_t size, void *owned,
                                     kanon_error *err)
{
    *out = (kanon__input){.bytes = bytes, .size = size, .owned = owned};
    kanon_status st = kanon__copy_text(&out->path, path, strlen(path), "a file name", err);
    if (st != KANON_OK)
        kanon__input_close(out);
    return st;
}

static kanon_status copy_name(char **out, const char *name, kanon_error *err)
{
    return name == NULL ? KANON_OK : kanon__copy_text(out, name, strlen(name), "a file name", err);
}

kanon_status kanon__input_rename(kanon__input *input, const char *name, kanon_error *err)
{
    kanon__free(input->path);
    input->path = NULL;
    return copy_name(&input->path, name, err);
}

bool kanon__input_twin(kanon__input *out, const kanon__input *input)
{
    *out = (kanon__input){0};
    if (!input->has_file || input->owned != NULL || input->stream != NULL)
        return false;
    kanon__input twin = *input;
    twin.path = twin.file = NULL;
    twin.fd = fcntl(input->fd, F_DUPFD_CLOEXEC, 0);
    if (twin.fd < 0)
        return false;
    *out = twin;
    if (copy_name(&out->path, input->path, NULL) == KANON_OK && copy_name(&out->file, input->file, NULL) == KANON_OK)
        return true;
    kanon__input_close(out);
    return false;
}

void kanon__input_close(kanon__input *input)
{
    close_file(input);
    if (input->stream != NULL && input->stream->release != NULL)
        input->stream->release(input->stream);
    kanon__free(input->stream);
    kanon__free(input->owned);
    kanon__free(input->path);
    kanon__free(input->file);
    *input = (kanon__input){0};
}

static kanon_status open_given(kanon__input *out, const kanon__given *given, kanon__input_kind kind, kanon_error *err)
{
    const kanon_input *in = &given->input;
    if (in->stream != NULL)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%s is not a stream of records", limits[kind].what),
                           "hand over its bytes, or say where it is");
    if (in->bytes != NULL)
        return kanon__input_from_bytes(out, kanon__given_name(given), in->bytes, in->size, NULL, err);
    KANON_CHECK(kanon__input_open(out, in->location, kind, err));
    return in->name != NULL ? kanon__input_rename(out, in->name, err) : KANON_OK;
}

kanon_status kanon__input_take(kanon__input *out, const kanon_input *given, kanon__input_kind kind, kanon_status before,
                               kanon_error *err)
{
    kanon__given g;
    *out = (kanon__input){0};
    kanon_status st = kanon__given_take(&g, given, before, err);
    if (st == KANON_OK)
        st = open_given(out, &g, kind, err);
    kanon__given_clear(&g);
    if (st != KANON_OK)
        kanon__input_close(out);
    return st;
}
