/* The file that the release is until it is complete. Workers write their stretches of it at any place; it gets its name
 * when it was checked and is on disk. Until then it has no name, or where the file system cannot do that, one that the
 * library's own outputs at this place clean up after a kill (PLACE.kanon-PID-N.tmp, locked). Standard output and
 * devices get all of it at the end. */
#ifndef KANON_CLI_RELEASE_FILE_H
#define KANON_CLI_RELEASE_FILE_H

#include <kanon.h>
#include <sys/types.h>

typedef struct release_file {
    const char *path;
    char *place; /* where the file goes, links followed; NULL: it is copied to standard output or a device */
    char *name;  /* NULL: it has none yet */
    int fd;      /* -1: none */
    mode_t mode; /* that it gets */
} release_file;

/* `folder` is where it lies if it is copied in the end. */
kanon_status release_open(release_file *out, const char *path, const char *folder, kanon_error *err);
kanon_status release_write(const release_file *file, const void *bytes, size_t size, int64_t offset, kanon_error *err);
/* It is on disk, and lacks only its name; nothing where it is copied in the end. */
kanon_status release_prepare(release_file *file, kanon_error *err);
/* It is on disk and has its name; or all of it is written to standard output or the device. */
kanon_status release_finish(release_file *file, kanon_error *err);
/* Nothing is left of a file that was not finished. */
void release_close(release_file *file);

#endif
