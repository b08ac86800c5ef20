/* Packed bytes: the form in which objects travel between processes (include/kanon_blocks.h).
 *
 *     kanonD1\n   8 bytes: the kind of object and the version of its form
 *     ...         numbers of 1 to 10 bytes, 7 bits in each, the lowest first; texts with their length in front
 *     checksum    16 bytes of SHA-256 over all before
 *
 * The same on every machine, and equal content is equal bytes. A packer keeps its first failure and tells it in the
 * end, so that what is packed reads as a list. An unpacker never reads past the end: behind damage it gives zeros, and
 * tells in the end. */
#ifndef KANON_CORE_PACKED_H
#define KANON_CORE_PACKED_H

#include "core/status.h"

#include <stdbool.h>

/* What is in the bytes, and the version of its form. */
typedef struct kanon__packed_kind {
    char letter, version;
    const char *name; /* for messages: "a domain" */
} kanon__packed_kind;

typedef struct kanon__packer {
    unsigned char *bytes;
    int64_t n, capacity;
    kanon_status st;
    kanon_error *err;
} kanon__packer;

void kanon__packer_init(kanon__packer *out, const kanon__packed_kind *kind, kanon_error *err);
void kanon__packer_clear(kanon__packer *packer);
void kanon__pack_number(kanon__packer *packer, uint64_t number);
/* Any number: small ones of both signs are short. */
void kanon__pack_signed(kanon__packer *packer, int64_t number);
void kanon__pack_text(kanon__packer *packer, const char *text, size_t length);
/* Bytes whose number the reader knows by then. */
void kanon__pack_bytes(kanon__packer *packer, const void *bytes, size_t size);
/* Add the checksum and hand all of it to the sink; or tell what failed before. Call it once. */
kanon_status kanon__packer_send(kanon__packer *packer, const kanon_sink *sink);
/* The checksum of what was packed so far, for telling two objects apart. */
enum { KANON__FINGERPRINT = 16 };
kanon_status kanon__packer_fingerprint(unsigned char out[KANON__FINGERPRINT], kanon__packer *packer);

typedef struct kanon__unpacker {
    const unsigned char *at, *end;
    const kanon__packed_kind *kind;
    bool damaged;
} kanon__unpacker;

/* The letter of their kind; 0: they are no object. */
char kanon__packed_letter(const void *bytes, size_t size);
/* KANON_EDATA: no object of this kind, or damaged; KANON_EVERSION: another version. */
kanon_status kanon__unpacker_init(kanon__unpacker *out, const kanon__packed_kind *kind, const void *bytes, size_t size,
                                  kanon_error *err);
uint64_t kanon__unpack_number(kanon__unpacker *unpacker);
/* A number up to `most`. */
int64_t kanon__unpack_upto(kanon__unpacker *unpacker, int64_t most);
int64_t kanon__unpack_signed(kanon__unpacker *unpacker);
/* How many things follow, each of at least `least` bytes: no more than there is room for. */
int64_t kanon__unpack_count(kanon__unpacker *unpacker, int64_t least);
/* The text lies in the bytes. */
const char *kanon__unpack_text(kanon__unpacker *unpacker, size_t *length);
/* So many bytes; NULL: there are not that many. */
const unsigned char *kanon__unpack_bytes(kanon__unpacker *unpacker, int64_t size);
/* KANON_EDATA where something was damaged, or `sound` is false. */
kanon_status kanon__unpacker_check(const kanon__unpacker *unpacker, bool sound, kanon_error *err);
/* The same, and nothing is left. */
kanon_status kanon__unpacker_end(const kanon__unpacker *unpacker, kanon_error *err);

#endif
