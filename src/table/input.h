/* The bytes of an input file, mapped. Standard input, pipes and devices are first copied to an unnamed temporary file, so
 * that they too take no memory of their own. */
#ifndef KANON_TABLE_INPUT_H
#define KANON_TABLE_INPUT_H

#include "core/status.h"

typedef struct kanon__input {
    char *path; /* for messages; "standard input" for "-" */
    const char *bytes;
    size_t size;
    void *mapping; /* NULL where size is 0 */
} kanon__input;

kanon_status kanon__input_open(kanon__input *out, const char *path, kanon_error *err);
/* What `fill` writes to the descriptor that it is given, as if it had been read from `path`. It is kept in an unnamed
 * temporary file. */
typedef kanon_status (*kanon__input_filler)(int fd, void *payload, kanon_error *err);
kanon_status kanon__input_make(kanon__input *out, const char *path, kanon_error *err, kanon__input_filler fill,
                               void *payload);
void kanon__input_close(kanon__input *input);
/* The bytes from `from` until `until` will not be looked at for a while. */
void kanon__input_done(kanon__input *input, size_t from, size_t until);

#endif
