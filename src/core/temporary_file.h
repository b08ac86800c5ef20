/* The file that an output is until it is complete. Where the file system can, it has no name at all, so that a process
 * that is killed leaves nothing. Elsewhere it stands beside its place under a name of its own, PLACE.kanon-PID-N.tmp,
 * and is locked as long as its process lives; the next output at that place removes what no living process has locked.
 * Only its owner can read it until it gets its final permissions. */
#ifndef KANON_CORE_TEMPORARY_FILE_H
#define KANON_CORE_TEMPORARY_FILE_H

#include "core/status.h"

#include <stdbool.h>
#include <sys/types.h>

typedef struct kanon__temporary_file {
    int fd;            /* -1: there is none; open, and so locked, until it is closed or named */
    char *name;        /* NULL: it has none */
    mode_t usual_mode; /* what the process gives to new files in this folder */
} kanon__temporary_file;

/* Nothing there: may be closed. */
#define KANON__NO_TEMPORARY_FILE ((kanon__temporary_file){.fd = -1})

/* An empty file that is to stand at `place`, after what killed processes left there was removed. `needs_name`: somebody
 * opens it by its name. `called` is the place in messages. */
kanon_status kanon__temporary_file_open(kanon__temporary_file *out, const char *place, bool needs_name, const char *called,
                                        kanon_error *err);
/* Give the complete file the name `place`, in place of what stands there, and close it. */
kanon_status kanon__temporary_file_name(kanon__temporary_file *file, const char *place, const char *called,
                                        kanon_error *err);
/* The file is at its place now: nothing is left to remove. */
void kanon__temporary_file_named(kanon__temporary_file *file);
/* Close it and remove its name. */
void kanon__temporary_file_close(kanon__temporary_file *file);
/* A second name of the file at `place`, PLACE.kanon-PID-N.old, which stays what it is when the place gets another file. It
 * is locked as above: *fd, -1 where the file cannot be opened. *error is 0 or the errno of the link; a failure is one of
 * memory. */
kanon_status kanon__backup_link(char **name, int *fd, int *error, const char *place, kanon_error *err);

#endif
