/* The exchange folder: files that workers leave for the driver and for each other. They hold records of the table, so the
 * folder is the owner's alone. A file is written under a name that has the process in it, and gets its own name when it is
 * complete: a task that runs again replaces what it left. Everything goes with the folder, which is removed at the end; the
 * folder of a run that was killed is removed by the next run (it is locked as long as the driver or a worker lives).
 *
 * A file is known by its kind and a number, "rows" and 7. */
#ifndef KANON_CLI_EXCHANGE_H
#define KANON_CLI_EXCHANGE_H

#include <kanon.h>

typedef struct exchange {
    char *path;
    void *listed; /* a DIR, opened at once: to clean up must not need anything that may fail by then */
    int folder;   /* its descriptor; -1: there is none */
} exchange;

/* Make the folder in `base`. */
kanon_status exchange_open(exchange *out, const char *base, kanon_error *err);
/* Remove it with all that is in it. Only the driver calls this. */
void exchange_close(exchange *x);

enum { EXCHANGE_NAME = 64 };

/* A file that is being written. */
typedef struct exchange_file {
    const exchange *exchange;
    int fd; /* -1: none */
    char name[EXCHANGE_NAME], made_as[EXCHANGE_NAME];
    int error; /* the first errno; 0: none */
} exchange_file;

kanon_status exchange_create(exchange_file *out, const exchange *x, const char *kind, int64_t number, kanon_error *err);
/* A failure is kept and told by exchange_finish. */
void exchange_write(exchange_file *file, const void *bytes, size_t size);
/* What writes to the file, for calls of the library. */
kanon_sink exchange_sink(exchange_file *file);
/* The file is complete; it gets its name where `st` is KANON_OK and all was written. Call it in any case, with what came of
 * writing; it returns `st` or its own failure. */
kanon_status exchange_finish(exchange_file *file, kanon_status st, kanon_error *err);

/* A complete file for reading; -1 and *err where there is none. */
int exchange_read(const exchange *x, const char *kind, int64_t number, kanon_error *err);
/* `size` bytes at `offset` of an open file: all of them or a failure. `called` stands in messages. */
kanon_status exchange_read_at(int fd, void *bytes, size_t size, int64_t offset, const char *called, kanon_error *err);
/* The whole file, to be freed with free. */
kanon_status exchange_load(void **bytes, size_t *size, const exchange *x, const char *kind, int64_t number,
                           kanon_error *err);
/* The file is not needed any more. */
void exchange_drop(const exchange *x, const char *kind, int64_t number);

#endif
