/* From a file as it is to UTF-8 text: unpacked, and decoded where it is in another encoding.
 *
 *     gzip, zstd             unpacked, by the add-ons KANON_GZIP and KANON_ZSTD
 *     zip, xlsx, parquet ... refused with a message that says what it is and what to do
 *     UTF-16, Latin-1, ...   decoded: by a byte order mark, by zeros, or because the bytes are not UTF-8
 *     UTF-8                  left as it is
 *
 * What comes out takes the place of the input's bytes, in memory or in an unnamed temporary file, so that there is one
 * way to read rows. The checksum stays that of the file. */
#ifndef KANON_TABLE_SOURCE_DECODE_H
#define KANON_TABLE_SOURCE_DECODE_H

#include "core/sha256.h"
#include "core/texts.h"
#include "table/text/input.h"

/* Decode the input in place. `encoding` NULL: it is found, and named in `notices` (NULL: nobody wants to know) where it is
 * not UTF-8. KANON_EDATA: not text, or not in that encoding; KANON_EINVAL: an encoding that nobody knows. */
kanon_status kanon__input_decode(kanon__input *input, const char *encoding, kanon__texts *notices, kanon_error *err);
/* The same where the encoding is to be found, but not all bytes are walked through for it: what is not UTF-16 is taken for
 * UTF-8. Reading all rows tells whether it is. */
kanon_status kanon__input_presume(kanon__input *input, kanon__texts *notices, kanon_error *err);
/* Whether there is an encoding of that name. */
bool kanon__encoding_is_known(const char *name);

/* ---- between the steps ------------------------------------------------------------------------------------------- */

/* Bytes one piece after the other, with their checksum. */
typedef struct kanon__byte_reader {
    const kanon__input *input;
    size_t position;
    kanon__sha256 *hash; /* NULL: it is known already */
    char buffer[KANON__INPUT_CHUNK];
} kanon__byte_reader;

/* *n is 0 at the end. */
kanon_status kanon__byte_reader_next(kanon__byte_reader *reader, const char **bytes, size_t *n, kanon_error *err);

/* Where decoded bytes go: memory, and from 1 MiB on an unnamed file. */
typedef struct kanon__byte_store {
    const char *path; /* of the input, for messages */
    char *bytes;
    int64_t n, capacity; /* in memory */
    int fd;              /* -1: all is in memory */
    size_t size;         /* in all */
    size_t most;         /* more than this is refused */
} kanon__byte_store;

kanon_status kanon__byte_store_add(kanon__byte_store *store, const char *bytes, size_t n, kanon_error *err);

/* Unpack all that the reader gives. Where the add-on was left out, KANON_EINVAL says so. */
kanon_status kanon__unpack_gzip(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err);
kanon_status kanon__unpack_zstd(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err);
/* KANON_EDATA: the packed bytes of the input are damaged or end too soon. */
kanon_status kanon__unpack_damaged(const kanon__byte_store *out, const char *format, kanon_error *err);

#endif
