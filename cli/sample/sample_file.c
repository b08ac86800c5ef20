/* Opening under a temporary name, writing, naming. A commit links what stands at each place to a backup name first, so that
 * it can be undone when a later file fails. */
#define _XOPEN_SOURCE 700
#include "sample/sample_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ----------------------------------------------------------------------------------------------------- */

static kanon_status copy(char **out, const char *text, kanon_error *err)
{
    kanon_status st = sample_new((void **)out, strlen(text) + 1, "a file name", err);
    if (st == KANON_OK)
        memcpy(*out, text, strlen(text));
    return st;
}

/* A file that no other process has, under the first number that is free. Returns its descriptor, -1 with errno set. */
static int open_numbered(sample_file *f, size_t size)
{
    enum { MOST_NUMBERS = 10000 };
    int fd = -1;
    for (int number = 0; number < MOST_NUMBERS && fd < 0; number++) {
        snprintf(f->temporary, size, "%s.%ld-%d.tmp", f->place, (long)getpid(), number);
        snprintf(f->backup, size, "%s.%ld-%d.old", f->place, (long)getpid(), number);
        fd = open(f->temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (fd < 0 && errno != EEXIST)
            break;
    }
    return fd;
}

static kanon_status open_temporary(sample_file *f, kanon_error *err)
{
    size_t size = strlen(f->place) + 64;
    kanon_status st = sample_new((void **)&f->backup, size, "a file name", err);
    if (st == KANON_OK)
        st = sample_new((void **)&f->temporary, size, "a file name", err);
    if (st != KANON_OK)
        return st;
    int fd = open_numbered(f, size);
    if (fd < 0) { /* there is nothing to remove */
        st = sample_fail_errno(err, errno, "write", f->path);
        free(f->temporary);
        f->temporary = NULL;
        return st;
    }
    f->file = fdopen(fd, "w");
    if (f->file == NULL) {
        st = sample_fail_errno(err, errno, "write", f->path);
        close(fd);
    }
    return st;
}

/* A place that is free, or has a regular file, is renamed to; the permissions of the old file stay. */
static kanon_status open_beside(sample_file *f, const struct stat *old, kanon_error *err)
{
    char *resolved = old != NULL ? realpath(f->path, NULL) : NULL;
    kanon_status st = copy(&f->place, resolved != NULL ? resolved : f->path, err);
    free(resolved);
    if (st == KANON_OK)
        st = open_temporary(f, err);
    if (st == KANON_OK && old != NULL && fchmod(fileno(f->file), old->st_mode & 07777) != 0)
        st = sample_fail_errno(err, errno, "keep the permissions of", f->path);
    return st;
}

kanon_status sample_file_open(sample_file *out, const char *path, kanon_error *err)
{
    struct stat old;
    *out = (sample_file){0};
    kanon_status st = copy(&out->path, path, err);
    if (st != KANON_OK)
        return st;
    bool exists = stat(path, &old) == 0;
    if (!exists || S_ISREG(old.st_mode))
        return open_beside(out, exists ? &old : NULL, err);
    out->file = fopen(path, "w");
    return out->file != NULL ? KANON_OK : sample_fail_errno(err, errno, "write", path);
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

void sample_file_write(sample_file *f, const void *bytes, size_t size)
{
    if (f->error == 0 && fwrite(bytes, 1, size, f->file) != size)
        f->error = errno;
}

void sample_file_text(sample_file *f, const char *text)
{
    sample_file_write(f, text, strlen(text));
}

/* ---- naming ------------------------------------------------------------------------------------------------------ */

static kanon_status finish(sample_file *f, kanon_error *err)
{
    if (f->error == 0 && fflush(f->file) != 0)
        f->error = errno;
    if (f->error == 0 && f->temporary != NULL && fsync(fileno(f->file)) != 0)
        f->error = errno;
    if (fclose(f->file) != 0 && f->error == 0)
        f->error = errno;
    f->file = NULL;
    return f->error == 0 ? KANON_OK : sample_fail_errno(err, f->error, "write", f->path);
}

/* The rename must survive a power cut, so the directory is synced. Where that fails, the file is complete anyway. */
static void sync_directory(char *place)
{
    char *slash = strrchr(place, '/');
    if (slash != NULL)
        *slash = '\0';
    int fd = open(slash == NULL ? "." : slash == place ? "/" : place, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (slash != NULL)
        *slash = '/';
    if (fd >= 0) {
        fsync(fd);
        close(fd);
    }
}

static kanon_status name(sample_file *f, kanon_error *err)
{
    if (f->temporary == NULL)
        return KANON_OK;
    f->has_backup = link(f->place, f->backup) == 0;
    f->can_undo = f->has_backup || errno == ENOENT; /* nothing stands there: to undo is to remove */
    if (rename(f->temporary, f->place) != 0)
        return sample_fail_errno(err, errno, "write", f->path);
    free(f->temporary);
    f->temporary = NULL;
    f->committed = true;
    sync_directory(f->place);
    return KANON_OK;
}

static void undo(sample_file *f)
{
    if (f->committed && f->has_backup)
        f->has_backup = rename(f->backup, f->place) != 0;
    else if (f->committed && f->can_undo)
        unlink(f->place);
}

kanon_status sample_files_commit(sample_file *files, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < n && st == KANON_OK; i++)
        st = finish(&files[i], err);
    for (int i = 0; i < n && st == KANON_OK; i++)
        st = name(&files[i], err);
    for (int i = 0; i < n && st != KANON_OK; i++)
        undo(&files[i]);
    return st;
}

void sample_file_clear(sample_file *f)
{
    if (f->file != NULL)
        fclose(f->file);
    if (f->temporary != NULL)
        unlink(f->temporary);
    if (f->has_backup)
        unlink(f->backup);
    free(f->backup);
    free(f->temporary);
    free(f->place);
    free(f->path);
    *f = (sample_file){0};
}
