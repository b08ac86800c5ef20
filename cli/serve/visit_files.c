/* See visit_files.h. */
#define _GNU_SOURCE /* nftw, flock */
#include "serve/visit_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

static const char folder_name[] = "kanon-serve-";
enum { DEPTH = 16 }; /* folders that nftw keeps open */

static int remove_one(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    (void)found;
    (void)kind;
    (void)place;
    remove(path);
    return 0;
}

/* All but the folder itself, which stays locked. */
static int remove_below(const char *path, const struct stat *found, int kind, struct FTW *place)
{
    return place->level > 0 ? remove_one(path, found, kind, place) : 0;
}

static void remove_tree(const char *path)
{
    nftw(path, remove_one, DEPTH, FTW_DEPTH | FTW_PHYS);
}

/* The folder, open and locked; -1: another program has it, or removed it just now. Where the file system has no locks the
 * folder is open alone, and since nobody can lock it nobody removes it. */
static int lock_folder(const char *path)
{
    struct stat opened, there;
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return -1;
    bool taken = flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK;
    if (taken || fstat(fd, &opened) != 0 || lstat(path, &there) != 0 || opened.st_ino != there.st_ino) {
        close(fd);
        return -1;
    }
    return fd;
}

/* A program that is killed leaves its folder behind, with the data of its visitor. */
static void remove_dead(const char *temporary)
{
    char path[VISIT_PATH];
    struct stat found;
    DIR *all = opendir(temporary);
    if (all == NULL)
        return;
    for (const struct dirent *one; (one = readdir(all)) != NULL;) {
        int length = snprintf(path, sizeof path, "%s/%s", temporary, one->d_name);
        if (strncmp(one->d_name, folder_name, sizeof folder_name - 1) != 0 || length < 0 || length >= VISIT_PATH)
            continue;
        int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd < 0)
            continue;
        if (fstat(fd, &found) == 0 && found.st_uid == geteuid() && flock(fd, LOCK_EX | LOCK_NB) == 0)
            remove_tree(path);
        close(fd);
    }
    closedir(all);
}

static bool new_folder(visit_files *self, const char *temporary)
{
    int length = snprintf(self->folder, sizeof self->folder, "%s/%sXXXXXX", temporary, folder_name);
    if (length < 0 || (size_t)length >= sizeof self->folder) {
        errno = ENAMETOOLONG;
        return false;
    }
    return mkdtemp(self->folder) != NULL; /* mode 0700 */
}

bool visit_open(visit_files *self, const char *temporary)
{
    enum { TRIES = 10 };
    remove_dead(temporary);
    self->last = 0;
    for (int i = 0; i < TRIES; i++) {
        if (!new_folder(self, temporary))
            return false;
        self->lock = lock_folder(self->folder);
        if (self->lock >= 0)
            return true;
    }
    self->folder[0] = '\0';
    errno = EAGAIN;
    return false;
}

void visit_close(visit_files *self)
{
    if (self->folder[0] == '\0')
        return;
    remove_tree(self->folder);
    close(self->lock);
    self->folder[0] = '\0';
}

void visit_empty(visit_files *self)
{
    nftw(self->folder, remove_below, DEPTH, FTW_DEPTH | FTW_PHYS);
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
