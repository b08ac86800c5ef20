/* See input.h. Regular files are mapped; whatever cannot be mapped is copied to a spill file (core/spill.h), which is
 * mapped instead. Called by the CSV source and by the readers of schemas and taxonomies. */
#define _GNU_SOURCE /* madvise */
#include "table/input.h"

#include "core/alloc.h"
#include "core/spill.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { COPY_SIZE = 1 << 16 };

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

/* Copy all that `fd` gives to an unnamed file. Where it gives nothing, *copy stays -1. */
static kanon_status copy_to_unnamed(int *copy, int fd, const char *path, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *buffer = NULL;
    ssize_t n;
    *copy = -1;
    KANON_TRY(kanon__new_array(&buffer, COPY_SIZE, "a copy buffer", err), out);
    while ((n = read_some(fd, buffer, COPY_SIZE)) > 0) {
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

static kanon_status map_file(kanon__input *in, int fd, kanon_error *err)
{
    struct stat info;
    if (fstat(fd, &info) != 0)
        return kanon__fail_errno(err, errno, "read", in->path);
    if ((uintmax_t)info.st_size > SIZE_MAX / 2)
        return kanon__fail_errno(err, EFBIG, "read", in->path);
    if (info.st_size == 0)
        return KANON_OK;
    void *mapping = mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    if (mapping == MAP_FAILED)
        return kanon__fail_errno(err, errno, "read", in->path);
    madvise(mapping, (size_t)info.st_size, MADV_SEQUENTIAL);
    in->mapping = mapping;
    in->bytes = mapping;
    in->size = (size_t)info.st_size;
    return KANON_OK;
}

/* Files that claim to be empty are read too: those of /proc are not. */
static kanon_status map_or_copy(kanon__input *in, int fd, bool is_stdin, kanon_error *err)
{
    struct stat info;
    int copy = -1;
    if (fstat(fd, &info) != 0)
        return kanon__fail_errno(err, errno, "read", in->path);
    if (S_ISDIR(info.st_mode))
        return kanon__fail_errno(err, EISDIR, "read", in->path);
    if (S_ISREG(info.st_mode) && info.st_size > 0 && !is_stdin)
        return map_file(in, fd, err);
    kanon_status st = copy_to_unnamed(&copy, fd, in->path, err);
    if (copy >= 0) {
        st = map_file(in, copy, err);
        close(copy);
    }
    return st;
}

kanon_status kanon__input_open(kanon__input *out, const char *path, kanon_error *err)
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
    KANON_TRY(map_or_copy(&in, fd, is_stdin, err), out);
    in.is_file = !is_stdin;
    *out = in;
    in = (kanon__input){0};
out:
    if (fd >= 0 && !is_stdin)
        close(fd);
    kanon__input_close(&in);
    return st;
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

void kanon__input_close(kanon__input *input)
{
    if (input->mapping != NULL)
        munmap(input->mapping, input->size);
    kanon__free(input->owned);
    kanon__free(input->path);
    *input = (kanon__input){0};
}

/* Pages that were read count as memory of the process, although the file can give them back at any time. */
void kanon__input_done(kanon__input *input, size_t from, size_t until)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    size_t begin = (from + page - 1) / page * page, end = until / page * page;
    if (input->mapping != NULL && begin < end)
        madvise((char *)input->mapping + begin, end - begin, MADV_DONTNEED);
}
