/* The files of a visit: a folder that only its owner can read, with what the page sent and what it can fetch. Files have
 * numbers; names given by a page are used only inside the folder of an engine. The folder goes with the visit; where the
 * program was killed, the next one removes it: a folder that nobody has locked is nobody's.
 * Used by http.c and engines.c; calls the system. */
#ifndef KANON_CLI_VISIT_FILES_H
#define KANON_CLI_VISIT_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { VISIT_PATH = 512, VISIT_NAME = 200 };

typedef struct visit_files {
    char folder[256];
    int lock;     /* the folder, open and locked as long as the program runs */
    int64_t last; /* the number that was given last */
} visit_files;

/* A new folder below the folder for temporary files, from which folders of dead programs go; false: errno says why. */
bool visit_open(visit_files *self, const char *temporary);
/* Remove the folder and all in it. */
void visit_close(visit_files *self);
/* Remove all files, and keep the folder. */
void visit_empty(visit_files *self);

/* A new empty file, open for writing; -1: errno says why. */
int visit_new_file(visit_files *self, int64_t *number);
/* An existing one, open for reading, and its size; -1: there is none. */
int visit_open_file(const visit_files *self, int64_t number, int64_t *size);
void visit_remove_file(const visit_files *self, int64_t number);

/* Whether a page may use the name: relative, without steps upwards, of characters that harm nobody. */
bool visit_good_name(const char *name);
/* Give a file a name inside `below`, a folder of the visit; the folders of the name are made. */
bool visit_link(const visit_files *self, int64_t number, const char *below, const char *name);
/* Make a file that an engine wrote a file of the visit; 0: there is none. */
int64_t visit_take(visit_files *self, const char *below, const char *name);
/* The path of a folder of the visit, made where it is not there. */
bool visit_folder(const visit_files *self, char path[VISIT_PATH], const char *name);
void visit_remove_folder(const visit_files *self, const char *name);

#endif
