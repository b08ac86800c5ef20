/* The bytes of an input: in memory, or in an open file that is read piece by piece. Files are not mapped: another process
 * may truncate one at any time, and a mapping would answer with a signal. Small files are read whole when they are opened;
 * standard input, pipes and devices are first copied to an unnamed temporary file. What is packed or in another encoding is
 * decoded by table/text/decode.h. */
#ifndef KANON_TABLE_INPUT_H
#define KANON_TABLE_INPUT_H

#include "core/sha256.h"
#include "core/status.h"

#include <kanon_arrow.h>
#include <stdbool.h>
#include <sys/stat.h>

typedef struct kanon__input {
    char *path;        /* for messages; "standard input" for "-" */
    char *file;        /* where it is, so that no output replaces it; NULL: in no file */
    const char *bytes; /* all of them; NULL: they are in the file, or there are none */
    size_t size;
    struct ArrowArrayStream *stream; /* a table that is no text, in place of bytes; NULL: bytes */
    void *owned;   /* memory that goes with the input; NULL: none */
    bool has_file; /* `fd` is an open file */
    int fd;
    struct stat opened;              /* the file as it was opened */
    char sha256[KANON__SHA256_TEXT]; /* of the file, where the bytes were decoded from it; "": they are the file's */
} kanon__input;

/* How much of an input is read, by what it is. What a pipe or a device gives, which may be endless, is copied to the folder
 * for temporary files, so it may have far less than a file; a table may have any size, but not from a device. */
typedef enum kanon__input_kind {
    KANON__INPUT_SCHEMA = 0,
    KANON__INPUT_TAXONOMY,
    KANON__INPUT_CERTIFICATE,
    KANON__INPUT_PIECE
} kanon__input_kind;

/* KANON_EDATA: it is too large for what it is. */
kanon_status kanon__input_open(kanon__input *out, const char *path, kanon__input_kind kind, kanon_error *err);
/* The bytes that a caller gives; `before` is that of core/take_input.h. KANON_EINVAL: it is a stream. */
kanon_status kanon__input_take(kanon__input *out, const kanon_input *given, kanon__input_kind kind, kanon_status before,
                               kanon_error *err);
/* What is no regular file is refused once it has given more than `most` bytes; `what` names it: "a table". */
kanon_status kanon__input_open_upto(kanon__input *out, const char *path, uint64_t most, const char *what, kanon_error *err);
/* Bytes in memory as if they had been read from `path`. `owned` is freed with the input, and in case of failure; `bytes`
 * must outlive the input where it is NULL. */
kanon_status kanon__input_from_bytes(kanon__input *out, const char *path, const char *bytes, size_t size, void *owned,
                                     kanon_error *err);
/* Call it otherwise in messages. */
kanon_status kanon__input_rename(kanon__input *input, const char *name, kanon_error *err);
void kanon__input_close(kanon__input *input);
/* Open the file of an input a second time, which stays the same file whatever happens to its name. False where that cannot
 * be: the bytes are in memory or come as a stream, or there is no room. */
bool kanon__input_twin(kanon__input *out, const kanon__input *input);
/* Copy the bytes from `offset` on, which must all lie in the input. KANON_EIO: the file is shorter now. Several threads may
 * read at the same time. */
kanon_status kanon__input_read(const kanon__input *input, size_t offset, char *buffer, size_t size, kanon_error *err);
/* As many of the bytes from `position` until `end` as are at hand: where they lie in memory, or read into `buffer`. *n is
 * more than 0 unless position = end. */
enum { KANON__INPUT_CHUNK = 1 << 15 };
kanon_status kanon__input_chunk(const kanon__input *input, size_t position, size_t end, char buffer[KANON__INPUT_CHUNK],
                                const char **bytes, size_t *n, kanon_error *err);
/* Read all bytes into memory, so that input->bytes is not NULL unless there are none. */
kanon_status kanon__input_load(kanon__input *input, kanon_error *err);
/* KANON_EIO: the file is not what it was when it was opened. Bytes in memory do not change. */
kanon_status kanon__input_unchanged(const kanon__input *input, kanon_error *err);

#endif
