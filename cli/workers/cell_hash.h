/* SipHash-2-4 with 128 bits of result, for the last check: two classes of a release are taken for one only where both
 * words agree, under a key that is drawn for each run. */
#ifndef KANON_CLI_CELL_HASH_H
#define KANON_CLI_CELL_HASH_H

#include <stddef.h>
#include <stdint.h>

typedef struct cell_hash {
    uint64_t v[4];
    uint64_t tail; /* bytes that do not fill a word yet */
    uint64_t size; /* so far */
} cell_hash;

void cell_hash_begin(cell_hash *hash, const uint64_t key[2]);
void cell_hash_add(cell_hash *hash, const void *bytes, size_t size);
void cell_hash_end(cell_hash *hash, uint64_t out[2]);

#endif
