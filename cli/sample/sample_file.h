/* Files that appear together or not at all. A file is written under a temporary name in the directory of its place.
 * sample_files_commit gives all files their names once all of them are complete and on disk; sample_file_clear removes
 * what was not committed. Things that are not regular files, such as devices, are written to directly. */
#ifndef KANON_CLI_SAMPLE_FILE_H
#define KANON_CLI_SAMPLE_FILE_H

#include "sample/sample_error.h"

#include <stdbool.h>
#include <stdio.h>

/* All zero: not opened. While a backup exists, what stood at the place before can be restored. */
typedef struct sample_file {
    char *path;      /* as given, for messages */
    char *place;     /* where the file goes: `path` with symbolic links followed */
    char *temporary; /* its name until the commit; NULL: nothing to remove or rename */
    char *backup;    /* a second name for what stands at the place during the commit */
    FILE *file;      /* NULL: not open */
    int error;       /* the first errno of a write; 0: none */
    bool committed, has_backup, can_undo;
} sample_file;

/* Opens the file at once, so that an unwritable place is known before the work begins. Clear *out either way. */
kanon_status sample_file_open(sample_file *out, const char *path, kanon_error *err);
/* Buffered. A failure is kept, and sample_files_commit reports it. */
void sample_file_write(sample_file *file, const void *bytes, size_t size);
void sample_file_text(sample_file *file, const char *text);
/* Closes and names the files. Where one fails, none is there, and what stood at their places before is back. */
kanon_status sample_files_commit(sample_file *files, int n, kanon_error *err);
void sample_file_clear(sample_file *file);

#endif
