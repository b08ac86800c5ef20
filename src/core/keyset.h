/* A set of 64-bit keys, such as pairs of a cluster and a code, where a bitmap of all pairs would be too large. Called
 * by algorithms and bound. */
#ifndef KANON_CORE_KEYSET_H
#define KANON_CORE_KEYSET_H

#include "core/hash_key.h"
#include "core/status.h"

#include <stdbool.h>

typedef struct kanon__keyset {
    uint64_t *slots; /* 0: free, so keys are stored plus one */
    int64_t n_slots, n;
    kanon__hash_key secret; /* of the hash */
} kanon__keyset;

/* An empty keyset is all zero. Keys are below 2^64 - 1. */
bool kanon__keyset_has(const kanon__keyset *set, uint64_t key);
kanon_status kanon__keyset_add(kanon__keyset *set, uint64_t key, bool *added, kanon_error *err);
void kanon__keyset_clear(kanon__keyset *set);

#endif
