/* See release_file.h. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "workers/release_file.h"

#include "workers/worker_error.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NUMBERS = 10000 };

/* ---- opening ------------------------------------------------------------------------------------------------------- */

/* "." or what stands before the last slash. */
static kanon_status folder_of(char **out, const char *path, kanon_error *err)
{
    const char *slash = strrchr(path, '/');
    size_t length = slash == NULL ? 1 : (size_t)(slash - path) + 1;
    kanon_status st = worker_new(out, (int64_t)length + 1, 1, err);
    if (st == KANON_OK)
        memcpy(*out, slash == NULL ? "." : path, length);
    return st;
}

static kanon_status name_beside(char **out, const char *place, int number, kanon_error *err)
{
    size_t size = strlen(place) + 64;
    free(*out);
    kanon_status st = worker_new(out, (int64_t)size, 1, err);
    if (st == KANON_OK)
        snprintf(*out, size, "%s.kanon-%ld-%d.tmp", place, (long)getpid(), number);
    return st;
}

/* It can get a name only by way of /proc. */
static int open_unnamed(const char *folder)
{
    char link[64];
    int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0666);
    if (fd < 0)
        return -1;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    if (access(link, F_OK) == 0)
        return fd;
    close(fd);
    return -1;
}

static kanon_status open_named(release_file *file, const char *place, kanon_error *err)
{
    for (int number = 0; number < MOST_NUMBERS && file->fd < 0; number++) {
        kanon_status st = name_beside(&file->name, place, number, err);
        if (st != KANON_OK)
            return st;
        file->fd = open(file->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (file->fd < 0 && errno != EEXIST)
            break;
    }
    if (file->fd >= 0) {
        flock(file->fd, LOCK_EX | LOCK_NB);
        return KANON_OK;
    }
    int error = errno;
    free(file->name);
    file->name = NULL;
    return worker_fail_errno(err, error, "write", file->path);
}

/* An empty file that only its owner can read, in the folder of `place`. */
static kanon_status open_private(release_file *file, const char *place, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *folder = NULL;
    struct stat made;
    WORKER_TRY(folder_of(&folder, place, err));
    file->fd = open_unnamed(folder);
    if (file->fd < 0)
        WORKER_TRY(open_named(file, place, err));
    if (fstat(file->fd, &made) != 0 || fchmod(file->fd, 0600) != 0)
        st = worker_fail_errno(err, errno, "write", file->path);
    else
        file->mode = made.st_mode & 0777;
out:
    free(folder);
    return st;
}

/* In the exchange folder, for what is copied: nobody needs its name. */
static kanon_status open_to_copy(release_file *file, const char *folder, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *place = NULL;
    size_t size = strlen(folder) + sizeof "/release";
    WORKER_TRY(worker_new(&place, (int64_t)size, 1, err));
    snprintf(place, size, "%s/release", folder);
    WORKER_TRY(open_private(file, place, err));
out:
    free(place);
    return st;
}

kanon_status release_open(release_file *out, const char *path, const char *folder, kanon_error *err)
{
    kanon_status st = KANON_OK;
    struct stat old;
    char resolved[PATH_MAX];
    bool is_there = strcmp(path, "-") != 0 && stat(path, &old) == 0;
    *out = (release_file){.path = strcmp(path, "-") == 0 ? "standard output" : path, .fd = -1};
    if (strcmp(path, "-") == 0 || (is_there && !S_ISREG(old.st_mode)))
        return open_to_copy(out, folder, err);
    const char *place = is_there && realpath(path, resolved) != NULL ? resolved : path;
    WORKER_TRY(worker_new(&out->place, (int64_t)strlen(place) + 1, 1, err));
    strcpy(out->place, place);
    WORKER_TRY(open_private(out, place, err));
    if (is_there)
        out->mode = old.st_mode & 0777;
out:
    return st;
}

/* ---- writing ------------------------------------------------------------------------------------------------------- */

kanon_status release_write(const release_file *file, const void *bytes, size_t size, int64_t offset, kanon_error *err)
{
    for (const char *at = bytes; size > 0;) {
        ssize_t n = pwrite(file->fd, at, size, (off_t)offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return worker_fail_errno(err, n < 0 ? errno : EIO, "write", file->path);
        at += n;
        offset += n;
        size -= (size_t)n;
    }
    return KANON_OK;
}

/* ---- finishing ----------------------------------------------------------------------------------------------------- */

static int write_all(int fd, const char *at, size_t size)
{
    while (size > 0) {
        ssize_t n = write(fd, at, size);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : EIO;
        at += n;
        size -= (size_t)n;
    }
    return 0;
}

static kanon_status copy_to(const release_file *file, int to, kanon_error *err)
{
    char buffer[1 << 16];
    int64_t done = 0;
    for (ssize_t n; (n = pread(file->fd, buffer, sizeof buffer, (off_t)done)) != 0;) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return worker_fail_errno(err, errno, "read", "the release");
        int error = write_all(to, buffer, (size_t)n);
        if (error != 0)
            return worker_fail_errno(err, error, "write", file->path);
        done += n;
    }
    return KANON_OK;
}

static kanon_status copy_out(const release_file *file, kanon_error *err)
{
    if (strcmp(file->path, "standard output") == 0)
        return copy_to(file, STDOUT_FILENO, err);
    int to = open(file->path, O_WRONLY | O_CLOEXEC);
    if (to < 0)
        return worker_fail_errno(err, errno, "write", file->path);
    kanon_status st = copy_to(file, to, err);
    if (close(to) != 0 && st == KANON_OK)
        st = worker_fail_errno(err, errno, "write", file->path);
    return st;
}

/* A name beside its place, so that it can be renamed. */
static kanon_status show(release_file *file, kanon_error *err)
{
    char link[64];
    int error = EEXIST;
    snprintf(link, sizeof link, "/proc/self/fd/%d", file->fd);
    flock(file->fd, LOCK_EX | LOCK_NB); /* before others can see it */
    for (int number = 0; number < MOST_NUMBERS && error == EEXIST; number++) {
        kanon_status st = name_beside(&file->name, file->place, number, err);
        if (st != KANON_OK)
            return st;
        error = linkat(AT_FDCWD, link, AT_FDCWD, file->name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    if (error == 0)
        return KANON_OK;
    free(file->name);
    file->name = NULL;
    return worker_fail_errno(err, error, "write", file->path);
}

/* The name itself must survive a power cut, too; where that cannot be done, the file is whole anyway. */
static void sync_folder(const char *place)
{
    char *folder = NULL;
    if (folder_of(&folder, place, NULL) != KANON_OK)
        return;
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
    free(folder);
}

kanon_status release_prepare(release_file *file, kanon_error *err)
{
    if (file->place == NULL)
        return KANON_OK;
    if (fsync(file->fd) != 0)
        return worker_fail_errno(err, errno, "write", file->path);
    if (fchmod(file->fd, file->mode) != 0)
        return worker_fail_errno(err, errno, "set the permissions of", file->path);
    return file->name == NULL ? show(file, err) : KANON_OK;
}

kanon_status release_finish(release_file *file, kanon_error *err)
{
    if (file->place == NULL)
        return copy_out(file, err);
    kanon_status st = release_prepare(file, err);
    if (st == KANON_OK && rename(file->name, file->place) != 0)
        st = worker_fail_errno(err, errno, "write", file->path);
    if (st != KANON_OK)
        return st;
    free(file->name);
    file->name = NULL;
    sync_folder(file->place);
    return KANON_OK;
}

void release_close(release_file *file)
{
    if (file->name != NULL)
        unlink(file->name);
    if (file->fd >= 0)
        close(file->fd);
    free(file->name);
    free(file->place);
    *file = (release_file){.fd = -1};
}
