/* The bytes of an input file, mapped. Standard input, pipes and devices are first copied to an unnamed temporary file, so
 * that they too take no memory of their own. */
#ifndef KANON_TABLE_INPUT_H
#define KANON_TABLE_INPUT_H

#include "core/status.h"

#include <stdbool.h>

typedef struct kanon__input {
    char *path; /* for messages; "standard input" for "-" */
    bool is_file; /* the path names a file that an output must not replace */
    const char *bytes;
    size_t size;
    void *mapping; /* NULL: the bytes were not mapped */
    void *owned;   /* memory that goes with the input; NULL: none */
} kanon__input;

kanon_status kanon__input_open(kanon__input *out, const char *path, kanon_error *err);
/* Bytes in memory as if they had been read from `path`. `owned` is freed with the input, and in case of failure; `bytes`
 * must outlive the input where it is NULL. */
kanon_status kanon__input_from_bytes(kanon__input *out, const char *path, const char *bytes, size_t size, void *owned,
                                     kanon_error *err);
void kanon__input_close(kanon__input *input);
/* The bytes from `from` until `until` will not be looked at for a while. */
void kanon__input_done(kanon__input *input, size_t from, size_t until);

#endif
