/* See spill.h. O_TMPFILE where the file system has it, else mkstemp and unlink. */
#define _GNU_SOURCE /* O_TMPFILE, mkostemp, madvise */
#include "core/spill.h"

#include "core/alloc.h"
#include "core/context.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

const char *kanon__spill_directory(void)
{
    const char *directory = kanon__call_temporary();
    if (directory == NULL)
        directory = getenv("TMPDIR");
    return directory != NULL && directory[0] != '\0' ? directory : "/tmp";
}

kanon_status kanon__spill_open(int *out, kanon_error *err)
{
    const char *directory = kanon__spill_directory();
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

/* Without the room taken beforehand, a full disk would be a signal in the middle of a loop instead of an error here. */
kanon_status kanon__spill_new(void **out, size_t size, kanon_error *err)
{
    int fd = -1;
    *out = NULL;
    kanon_status st = kanon__spill_open(&fd, err);
    if (st != KANON_OK)
        return st;
    size = size > 0 ? size : 1;
    int error = posix_fallocate(fd, 0, (off_t)size);
    void *mapping = MAP_FAILED;
    if (error == 0) {
        mapping = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = mapping == MAP_FAILED ? errno : 0;
    }
    close(fd);
    if (error != 0) {
        st = kanon__fail_errno(err, error, "make a temporary file in", kanon__spill_directory());
        return kanon__hint(err, st, "%s to a directory with room for it, or allow more memory",
                           kanon__call_temporary() != NULL ? "set the context's folder of temporary files" : "set TMPDIR");
    }
    *out = mapping;
    return KANON_OK;
}

void kanon__spill_free(void *memory, size_t size)
{
    if (memory != NULL)
        munmap(memory, size > 0 ? size : 1);
}

void kanon__spill_rest(void *memory, size_t size)
{
    if (memory != NULL && size > 0)
        madvise(memory, size, MADV_DONTNEED);
}
