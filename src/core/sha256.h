/* SHA-256 (FIPS 180-4) of what was read and written, so that a report names its files beyond doubt. */
#ifndef KANON_CORE_SHA256_H
#define KANON_CORE_SHA256_H

#include "core/status.h"

enum { KANON__SHA256_BYTES = 32, KANON__SHA256_TEXT = 65 }; /* 64 hexadecimal digits and the end */

/* Take n_blocks of 64 bytes into the state. There is a plain way and, where the processor has instructions for it, a fast
 * one, in core/sha256_ni.c: NULL where it has not. */
typedef void (*kanon__sha256_blocks)(uint32_t state[8], const unsigned char *bytes, size_t n_blocks);

void kanon__sha256_plain(uint32_t state[8], const unsigned char *bytes, size_t n_blocks);
kanon__sha256_blocks kanon__sha256_ni(void);

extern const uint32_t kanon__sha256_k[64];

/* A checksum while bytes are added to it. */
typedef struct kanon__sha256 {
    uint32_t state[8];
    unsigned char rest[64]; /* what does not fill a block yet: n_bytes % 64 */
    uint64_t n_bytes;
    kanon__sha256_blocks take;
} kanon__sha256;

void kanon__sha256_begin(kanon__sha256 *out);
void kanon__sha256_add(kanon__sha256 *hash, const void *bytes, size_t size);
/* The digest of all that was added, as bytes or as text. Nothing can be added afterwards. */
void kanon__sha256_end(kanon__sha256 *hash, unsigned char out[KANON__SHA256_BYTES]);
void kanon__sha256_finish(char out[KANON__SHA256_TEXT], kanon__sha256 *hash);
void kanon__sha256_of(char out[KANON__SHA256_TEXT], const void *bytes, size_t size);

#endif
