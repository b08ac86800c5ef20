/* See visit_files.h. */
#define _XOPEN_SOURCE 700 /* nftw */
#include "serve/visit_files.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)found;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

static void remove_tree(const char *path)
{
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

bool visit_open(visit_files *self, const char *temporary)
{
    int length = snprintf(self->folder, sizeof self->folder, "%s/kanon-serve-XXXXXX", temporary);
    if (length < 0 || (size_t)length >= sizeof self->folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    self->last = 0;
    if (mkdtemp(self->folder) == NULL) /* mode 0700 */
        return false;
    return true;
}

void visit_close(visit_files *self)
{
    if (self->folder[0] != '\0')
        remove_tree(self->folder);
    self->folder[0] = '\0';
}

void visit_empty(visit_files *self)
{
    remove_tree(self->folder);
    mkdir(self->folder, 0700);
}

/* ---- files by their numbers -------------------------------------------------------------------------------------- */

static void path_of(const visit_files *self, char path[VISIT_PATH], int64_t number)
{
    snprintf(path, VISIT_PATH, "%s/%" PRId64, self->folder, number);
}

int visit_new_file(visit_files *self, int64_t *number)
{
    char path[VISIT_PATH];
    *number = ++self->last;
    path_of(self, path, *number);
    return open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
}

int visit_open_file(const visit_files *self, int64_t number, int64_t *size)
{
    char path[VISIT_PATH];
    struct stat found;
    path_of(self, path, number);
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &found) != 0 || !S_ISREG(found.st_mode)) {
        if (fd >= 0)
            close(fd);
        return -1;
    }
    *size = found.st_size;
    return fd;
}

void visit_remove_file(const visit_files *self, int64_t number)
{
    char path[VISIT_PATH];
    path_of(self, path, number);
    unlink(path);
}

/* ---- files by names of the page ---------------------------------------------------------------------------------- */

/* A file whose name begins with a dot could be a step upwards or a hidden file; neither is needed. */
bool visit_good_name(const char *name)
{
    size_t length = strlen(name);
    if (length == 0 || length > VISIT_NAME || name[length - 1] == '/')
        return false;
    bool begins = true;
    for (const char *c = name; *c != '\0'; c++) {
        if ((begins && (*c == '.' || *c == '/')) || (unsigned char)*c < ' ' || *c == '\\' || *c == 127)
            return false;
        begins = *c == '/';
    }
    return true;
}

/* The path of a name inside a folder of the visit, with the folders before it made. */
static bool place_of(const visit_files *self, char path[VISIT_PATH], const char *below, const char *name)
{
    if (!visit_good_name(name))
        return false;
    int length = snprintf(path, VISIT_PATH, "%s/%s/%s", self->folder, below, name);
    if (length < 0 || length >= VISIT_PATH)
        return false;
    for (char *c = path + strlen(self->folder) + 1; *c != '\0'; c++) {
        if (*c != '/')
            continue;
        *c = '\0';
        int made = mkdir(path, 0700);
        *c = '/';
        if (made != 0 && errno != EEXIST)
            return false;
    }
    return true;
}

bool visit_link(const visit_files *self, int64_t number, const char *below, const char *name)
{
    char path[VISIT_PATH], target[VISIT_PATH];
    path_of(self, target, number);
    if (!place_of(self, path, below, name) || access(target, R_OK) != 0)
        return false;
    unlink(path);
    return link(target, path) == 0;
}

int64_t visit_take(visit_files *self, const char *below, const char *name)
{
    char path[VISIT_PATH], target[VISIT_PATH];
    path_of(self, target, self->last + 1);
    if (!place_of(self, path, below, name) || rename(path, target) != 0)
        return 0;
    return ++self->last;
}

bool visit_folder(const visit_files *self, char path[VISIT_PATH], const char *name)
{
    snprintf(path, VISIT_PATH, "%s/%s", self->folder, name);
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

void visit_remove_folder(const visit_files *self, const char *name)
{
    char path[VISIT_PATH];
    snprintf(path, VISIT_PATH, "%s/%s", self->folder, name);
    remove_tree(path);
}
