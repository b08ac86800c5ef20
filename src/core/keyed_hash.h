/* Hashes that nobody can compute without a secret: HMAC-SHA256 (RFC 2104), and secrets. Nothing is allocated, so
 * nothing can fail but the source of secrets. */
#ifndef KANON_CORE_KEYED_HASH_H
#define KANON_CORE_KEYED_HASH_H

#include "core/sha256.h"

enum { KANON__SECRET_BYTES = 32, KANON__KEYED_HASH_BYTES = KANON__SHA256_BYTES };

typedef struct kanon__secret {
    unsigned char bytes[KANON__SECRET_BYTES];
} kanon__secret;

/* A hash while bytes are added to it. */
typedef struct kanon__keyed_hash {
    kanon__sha256 inner;
    uint32_t outer[8]; /* the state of the outer one, which has taken its first block */
} kanon__keyed_hash;

/* From the random numbers of the system, which are the same for nobody. */
kanon_status kanon__secret_new(kanon__secret *out, kanon_error *err);

void kanon__keyed_hash_begin(kanon__keyed_hash *hash, const kanon__secret *secret);
void kanon__keyed_hash_add(kanon__keyed_hash *hash, const void *bytes, size_t size);
void kanon__keyed_hash_end(kanon__keyed_hash *hash, unsigned char out[KANON__KEYED_HASH_BYTES]);

#endif
