/* See temporary_file.h. Unnamed files are made by O_TMPFILE and named by linkat. A lock (flock) belongs to an open file and
 * ends with its process, however that ends, so a locked file is a living run's and a name without a lock is garbage. Whoever
 * makes a named file locks it and then looks whether the name is still there: another run may have taken it for garbage in
 * between. */
#define _GNU_SOURCE /* O_TMPFILE */
#include "core/temporary_file.h"

#include "core/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MOST_NUMBERS = 10000 };

/* ---- names --------------------------------------------------------------------------------------------------------- */

/* PLACE.kanon-PID-NUMBER.SUFFIX */
static kanon_status name_beside(char **out, const char *place, int number, const char *suffix, kanon_error *err)
{
    size_t size = strlen(place) + 64;
    kanon__free(*out);
    kanon_status st = kanon__new_array(out, (int64_t)size, "a file name", err);
    if (st == KANON_OK)
        snprintf(*out, size, "%s.kanon-%ld-%d.%s", place, (long)getpid(), number, suffix);
    return st;
}

/* The part of a path after its folder. */
static const char *base_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash != NULL ? slash + 1 : path;
}

/* The folder of a path: "." or what stands before and with its last slash. */
static kanon_status folder_of(char **out, const char *path, kanon_error *err)
{
    size_t length = (size_t)(base_of(path) - path);
    return length > 0 ? kanon__copy_text(out, path, length, "a file name", err)
                      : kanon__copy_text(out, ".", 1, "a file name", err);
}

/* What SQLite puts behind the name of a file for its journal. */
#define JOURNAL "-journal"

/* Whether `name` is BASE.kanon-DIGITS-DIGITS.tmp or .old, or that of the first with a journal. The word is in it so that no
 * file of the user is taken for one of these. */
static bool is_name_beside(const char *name, const char *base, bool journal)
{
    static const char digits[] = "0123456789", word[] = ".kanon-";
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0 || strncmp(name + length, word, sizeof word - 1) != 0)
        return false;
    const char *process = name + length + sizeof word - 1, *number = process + strspn(process, digits) + 1;
    if (number == process + 1 || number[-1] != '-')
        return false;
    const char *suffix = number + strspn(number, digits);
    if (journal)
        return suffix > number && strcmp(suffix, ".tmp" JOURNAL) == 0;
    return suffix > number && (strcmp(suffix, ".tmp") == 0 || strcmp(suffix, ".old") == 0);
}

/* ---- what killed processes left ------------------------------------------------------------------------------------ */

/* Whether the name, in the folder `at`, is that of the open file. */
static bool names_file(int at, const char *name, int fd)
{
    struct stat named, open_one;
    return fstatat(at, name, &named, AT_SYMLINK_NOFOLLOW) == 0 && fstat(fd, &open_one) == 0 &&
           named.st_dev == open_one.st_dev && named.st_ino == open_one.st_ino;
}

/* Removes the file unless a living process has locked it. What cannot be opened stays. */
static void remove_if_unlocked(int folder, const char *name)
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    struct stat file;
    if (fd < 0)
        return;
    if (fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
        names_file(folder, name, fd))
        unlinkat(folder, name, 0);
    close(fd);
}

/* What SQLite puts beside a state that is being made goes with it. */
static void remove_if_alone(int folder, const char *name)
{
    char owner[NAME_MAX + 1];
    struct stat file;
    snprintf(owner, sizeof owner, "%.*s", (int)(strlen(name) - strlen(JOURNAL)), name);
    if (fstatat(folder, owner, &file, AT_SYMLINK_NOFOLLOW) != 0 && errno == ENOENT)
        unlinkat(folder, name, 0);
}

/* Files first, then the journals whose files are gone. What cannot be cleaned is no reason to fail: nothing depends on
 * it. */
static void remove_leftovers(const char *folder, const char *base)
{
    DIR *directory = opendir(folder);
    if (directory == NULL)
        return;
    for (int journals = 0; journals < 2; journals++, rewinddir(directory))
        for (const struct dirent *entry; (entry = readdir(directory)) != NULL;)
            if (is_name_beside(entry->d_name, base, journals))
                (journals ? remove_if_alone : remove_if_unlocked)(dirfd(directory), entry->d_name);
    closedir(directory);
}

/* ---- the file ------------------------------------------------------------------------------------------------------ */

/* A name is shown by linkat from /proc, so without /proc an unnamed file could never be named. */
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

/* A locked file under the first number that is free; -1 and errno where there is none. */
static kanon_status open_named(kanon__temporary_file *file, const char *place, kanon_error *err)
{
    for (int number = 0; number < MOST_NUMBERS; number++) {
        kanon_status st = name_beside(&file->name, place, number, "tmp", err);
        if (st != KANON_OK)
            return st;
        int fd = open(file->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
        /* a file system without locks has no other run that could see one either: the name then simply stays */
        bool taken = fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
        if (fd >= 0 && !taken && names_file(AT_FDCWD, file->name, fd)) {
            file->fd = fd;
            return KANON_OK;
        }
        if (fd < 0)
            continue;
        if (!taken && names_file(AT_FDCWD, file->name, fd)) /* the first look failed, not the file: nothing is left behind */
            unlink(file->name);
        close(fd);
    }
    int error = errno;
    kanon__free(file->name);
    file->name = NULL;
    errno = error;
    return KANON_OK;
}

kanon_status kanon__temporary_file_open(kanon__temporary_file *out, const char *place, bool needs_name, const char *called,
                                        kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *folder = NULL;
    struct stat made;
    *out = KANON__NO_TEMPORARY_FILE;
    KANON_TRY(folder_of(&folder, place, err), out);
    remove_leftovers(folder, base_of(place));
    if (!needs_name)
        out->fd = open_unnamed(folder);
    if (out->fd < 0)
        KANON_TRY(open_named(out, place, err), out);
    /* until it is complete only its owner may read it */
    if (out->fd < 0 || fstat(out->fd, &made) != 0 || fchmod(out->fd, 0600) != 0)
        st = kanon__fail_errno(err, errno, "write", called);
    else
        out->usual_mode = made.st_mode & 0777;
out:
    kanon__free(folder);
    if (st != KANON_OK)
        kanon__temporary_file_close(out);
    return st;
}

/* A name beside `place` for a file without one, so that it can be renamed. */
static kanon_status show(kanon__temporary_file *file, const char *link, const char *place, const char *called,
                         kanon_error *err)
{
    kanon_status st = KANON_OK;
    int error = EEXIST;
    for (int number = 0; number < MOST_NUMBERS && error == EEXIST; number++) {
        KANON_TRY(name_beside(&file->name, place, number, "tmp", err), out);
        error = linkat(AT_FDCWD, link, AT_FDCWD, file->name, AT_SYMLINK_FOLLOW) == 0 ? 0 : errno;
    }
    if (error != 0)
        st = kanon__fail_errno(err, error, "write", called);
out:
    if (st != KANON_OK) {
        kanon__free(file->name);
        file->name = NULL;
    }
    return st;
}

/* Nothing stands there in most cases, and then the only name that the file ever has is its last one. */
kanon_status kanon__temporary_file_name(kanon__temporary_file *file, const char *place, const char *called, kanon_error *err)
{
    char link[64];
    if (file->name == NULL) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file->fd);
        if (linkat(AT_FDCWD, link, AT_FDCWD, place, AT_SYMLINK_FOLLOW) == 0) {
            kanon__temporary_file_named(file);
            return KANON_OK;
        }
        flock(file->fd, LOCK_EX | LOCK_NB); /* before others can see it */
        kanon_status st = show(file, link, place, called, err);
        if (st != KANON_OK)
            return st;
    }
    if (rename(file->name, place) != 0)
        return kanon__fail_errno(err, errno, "write", called);
    kanon__temporary_file_named(file);
    return KANON_OK;
}

void kanon__temporary_file_named(kanon__temporary_file *file)
{
    kanon__free(file->name);
    if (file->fd >= 0)
        close(file->fd);
    *file = KANON__NO_TEMPORARY_FILE;
}

void kanon__temporary_file_close(kanon__temporary_file *file)
{
    if (file->name != NULL)
        unlink(file->name);
    kanon__temporary_file_named(file);
}

kanon_status kanon__backup_link(char **name, int *fd, int *error, const char *place, kanon_error *err)
{
    *error = EEXIST;
    *fd = open(place, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (*fd >= 0)
        flock(*fd, LOCK_SH | LOCK_NB);
    for (int number = 0; number < MOST_NUMBERS && *error == EEXIST; number++) {
        kanon_status st = name_beside(name, place, number, "old", err);
        if (st != KANON_OK)
            return st;
        *error = link(place, *name) == 0 ? 0 : errno;
    }
    return KANON_OK;
}
