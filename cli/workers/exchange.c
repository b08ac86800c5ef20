/* See exchange.h. A lock (flock) belongs to an open folder and to all processes that have it from the driver, and ends with
 * them, so a folder without a lock is garbage. */
#define _GNU_SOURCE
#include "workers/exchange.h"

#include "workers/worker_error.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_PREFIX "kanon-workers-"

/* ---- the folder ---------------------------------------------------------------------------------------------------- */

/* Folders have only files in them. */
static void remove_files(DIR *listed)
{
    rewinddir(listed);
    for (const struct dirent *entry; (entry = readdir(listed)) != NULL;)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            unlinkat(dirfd(listed), entry->d_name, 0);
}

/* NULL and errno: it cannot be opened. */
static DIR *open_folder(int base, const char *name)
{
    int fd = openat(base, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *listed = fd >= 0 ? fdopendir(fd) : NULL;
    int error = errno;
    if (fd >= 0 && listed == NULL)
        close(fd);
    errno = error;
    return listed;
}

/* What cannot be cleaned is no reason to fail: nothing depends on it. */
static void remove_if_unlocked(int base, const char *name)
{
    struct stat found;
    DIR *listed = open_folder(base, name);
    if (listed == NULL)
        return;
    if (fstat(dirfd(listed), &found) == 0 && found.st_uid == geteuid() && flock(dirfd(listed), LOCK_EX | LOCK_NB) == 0) {
        remove_files(listed);
        unlinkat(base, name, AT_REMOVEDIR);
    }
    closedir(listed);
}

static void remove_leftovers(const char *base)
{
    DIR *listed = opendir(base);
    if (listed == NULL)
        return;
    for (const struct dirent *entry; (entry = readdir(listed)) != NULL;)
        if (strncmp(entry->d_name, FOLDER_PREFIX, sizeof FOLDER_PREFIX - 1) == 0)
            remove_if_unlocked(dirfd(listed), entry->d_name);
    closedir(listed);
}

/* Another run may take the folder for garbage before it is locked; then there is no folder at that path any more. */
static DIR *open_locked(const char *path)
{
    struct stat named, opened;
    DIR *listed = open_folder(AT_FDCWD, path);
    if (listed == NULL)
        return NULL;
    int fd = dirfd(listed);
    bool locked = flock(fd, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; /* some file systems know no locks */
    if (locked && fstat(fd, &opened) == 0 && stat(path, &named) == 0 && named.st_ino == opened.st_ino)
        return listed;
    closedir(listed);
    errno = ENOENT;
    return NULL;
}

kanon_status exchange_open(exchange *out, const char *base, kanon_error *err)
{
    enum { MOST_TRIES = 10 };
    size_t size = strlen(base) + sizeof "/" FOLDER_PREFIX "XXXXXX";
    *out = (exchange){.folder = -1};
    kanon_status st = worker_new(&out->path, (int64_t)size, 1, err);
    if (st != KANON_OK)
        return st;
    remove_leftovers(base);
    for (int i = 0; i < MOST_TRIES && out->listed == NULL; i++) {
        snprintf(out->path, size, "%s/" FOLDER_PREFIX "XXXXXX", base);
        if (mkdtemp(out->path) == NULL) /* for its owner alone */
            break;
        out->listed = open_locked(out->path);
        int error = errno;
        if (out->listed == NULL)
            rmdir(out->path);
        errno = error;
    }
    if (out->listed != NULL) {
        out->folder = dirfd(out->listed);
        return KANON_OK;
    }
    st = worker_fail_errno(err, errno, "make a folder in", base);
    free(out->path);
    *out = (exchange){.folder = -1};
    return worker_hint(err, st, "set TMPDIR to a folder with room for about three times the table");
}

void exchange_close(exchange *x)
{
    if (x->path == NULL)
        return;
    remove_files(x->listed);
    rmdir(x->path);
    closedir(x->listed);
    free(x->path);
    *x = (exchange){.folder = -1};
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

static kanon_status fail_write(const exchange *x, int error, kanon_error *err)
{
    kanon_status st = worker_fail_errno(err, error, "write to", x->path);
    if (error == ENOSPC || error == EDQUOT || error == EFBIG)
        worker_hint(err, st, "set TMPDIR to a folder with room for about three times the table");
    return st;
}

static void name_file(char out[EXCHANGE_NAME], const char *kind, int64_t number)
{
    snprintf(out, EXCHANGE_NAME, "%s-%" PRId64, kind, number);
}

kanon_status exchange_create(exchange_file *out, const exchange *x, const char *kind, int64_t number, kanon_error *err)
{
    *out = (exchange_file){.exchange = x, .fd = -1};
    name_file(out->name, kind, number);
    snprintf(out->made_as, sizeof out->made_as, "%.40s.%ld", out->name, (long)getpid());
    out->fd = openat(x->folder, out->made_as, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    return out->fd >= 0 ? KANON_OK : fail_write(x, errno, err);
}

void exchange_write(exchange_file *file, const void *bytes, size_t size)
{
    for (const char *at = bytes; size > 0 && file->error == 0;) {
        ssize_t n = write(file->fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            file->error = n < 0 ? errno : EIO;
            break;
        }
        at += n;
        size -= (size_t)n;
    }
}

static int write_to_file(const void *bytes, size_t size, void *payload)
{
    exchange_file *file = payload;
    exchange_write(file, bytes, size);
    return file->error;
}

kanon_sink exchange_sink(exchange_file *file)
{
    return (kanon_sink){
        .struct_size = sizeof(kanon_sink), .name = "the exchange folder", .write = write_to_file, .payload = file};
}

kanon_status exchange_finish(exchange_file *file, kanon_status st, kanon_error *err)
{
    const exchange *x = file->exchange;
    if (file->fd < 0)
        return st;
    if (close(file->fd) != 0 && file->error == 0)
        file->error = errno;
    file->fd = -1;
    if (st == KANON_OK && file->error == 0 && renameat(x->folder, file->made_as, x->folder, file->name) != 0)
        file->error = errno;
    if (st == KANON_OK && file->error == 0)
        return KANON_OK;
    unlinkat(x->folder, file->made_as, 0);
    return file->error != 0 ? fail_write(x, file->error, err) : st;
}

/* ---- reading ------------------------------------------------------------------------------------------------------- */

static kanon_status fail_read(const exchange *x, int error, kanon_error *err)
{
    return worker_fail_errno(err, error, "read from", x->path);
}

int exchange_read(const exchange *x, const char *kind, int64_t number, kanon_error *err)
{
    char name[EXCHANGE_NAME];
    name_file(name, kind, number);
    int fd = openat(x->folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        fail_read(x, errno, err);
    return fd;
}

kanon_status exchange_read_at(int fd, void *bytes, size_t size, int64_t offset, const char *called, kanon_error *err)
{
    for (char *at = bytes; size > 0;) {
        ssize_t n = pread(fd, at, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return worker_fail_errno(err, errno, "read", called);
        if (n == 0)
            return worker_fail(err, KANON_EIO, "%.800s: it became shorter while it was read", called);
        at += n;
        offset += n;
        size -= (size_t)n;
    }
    return KANON_OK;
}

kanon_status exchange_load(void **bytes, size_t *size, const exchange *x, const char *kind, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    struct stat found;
    char *all = NULL;
    int fd = exchange_read(x, kind, number, err);
    if (fd < 0)
        return err != NULL ? err->status : KANON_EIO;
    if (fstat(fd, &found) != 0) {
        st = fail_read(x, errno, err);
        goto out;
    }
    WORKER_TRY(worker_new(&all, found.st_size, 1, err));
    WORKER_TRY(exchange_read_at(fd, all, (size_t)found.st_size, 0, x->path, err));
    *bytes = all;
    *size = (size_t)found.st_size;
    all = NULL;
out:
    free(all);
    close(fd);
    return st;
}

void exchange_drop(const exchange *x, const char *kind, int64_t number)
{
    char name[EXCHANGE_NAME];
    name_file(name, kind, number);
    unlinkat(x->folder, name, 0);
}
