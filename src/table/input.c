#define _GNU_SOURCE /* O_TMPFILE, mkostemp, madvise */
#include "table/input.h"

#include "core/alloc.h"

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

static const char *temporary_directory(void)
{
    const char *directory = getenv("TMPDIR");
    return directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

/* A file that no other process can open and that is gone with its descriptor. */
static kanon_status open_unnamed(int *out, kanon_error *err)
{
    const char *directory = temporary_directory();
    char *name = NULL;
    size_t size = strlen(directory) + sizeof "/kanon-XXXXXX";
    *out = open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (*out >= 0)
        return KANON_OK;
    /* Some file systems cannot make a file without a name. */
    kanon_status st = kanon__new_array(&name, (int64_t)size, "a file name", err);
    if (st != KANON_OK)
        return st;
    snprintf(name, size, "%s/kanon-XXXXXX", directory);
    *out = mkostemp(name, O_CLOEXEC);
    if (*out < 0)
        st = kanon__fail_errno(err, errno, "make a temporary file in", directory);
    else
        unlink(name);
    kanon__free(name);
    return st;
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
            KANON_TRY(open_unnamed(copy, err), out);
        if (!write_all(*copy, buffer, (size_t)n)) {
            st = kanon__fail_errno(err, errno, "write a temporary file in", temporary_directory());
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
    *out = in;
    in = (kanon__input){0};
out:
    if (fd >= 0 && !is_stdin)
        close(fd);
    kanon__input_close(&in);
    return st;
}

void kanon__input_close(kanon__input *input)
{
    if (input->mapping != NULL)
        munmap(input->mapping, input->size);
    kanon__free(input->path);
    *input = (kanon__input){0};
}
