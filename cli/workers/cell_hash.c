/* See cell_hash.h. Paper: Aumasson and Bernstein, SipHash: a fast short-input PRF (2012); the form with 128 bits of
 * result. */
#include "workers/cell_hash.h"

static uint64_t turned(uint64_t x, int bits)
{
    return x << bits | x >> (64 - bits);
}

static void mix(uint64_t v[4], int rounds)
{
    for (int i = 0; i < rounds; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = turned(v[1], 13) ^ v[0];
        v[3] = turned(v[3], 16) ^ v[2];
        v[0] = turned(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = turned(v[1], 17) ^ v[2];
        v[3] = turned(v[3], 21) ^ v[0];
        v[2] = turned(v[2], 32);
    }
}

static void add_word(cell_hash *hash, uint64_t word)
{
    hash->v[3] ^= word;
    mix(hash->v, 2);
    hash->v[0] ^= word;
}

void cell_hash_begin(cell_hash *hash, const uint64_t key[2])
{
    *hash = (cell_hash){.v = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du ^ 0xee,
                              key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u}};
}

/* Up to eight bytes, the first one lowest. */
static uint64_t word_of(const unsigned char *bytes, size_t n)
{
    uint64_t word = 0;
    if (n == 8)
        return (uint64_t)bytes[0] | (uint64_t)bytes[1] << 8 | (uint64_t)bytes[2] << 16 | (uint64_t)bytes[3] << 24 |
               (uint64_t)bytes[4] << 32 | (uint64_t)bytes[5] << 40 | (uint64_t)bytes[6] << 48 | (uint64_t)bytes[7] << 56;
    for (size_t i = 0; i < n; i++)
        word |= (uint64_t)bytes[i] << 8 * i;
    return word;
}

void cell_hash_add(cell_hash *hash, const void *bytes, size_t size)
{
    for (const unsigned char *at = bytes; size > 0;) {
        size_t has = hash->size % 8, n = size < 8 - has ? size : 8 - has;
        hash->tail |= word_of(at, n) << 8 * has;
        hash->size += n;
        at += n;
        size -= n;
        if (hash->size % 8 == 0) {
            add_word(hash, hash->tail);
            hash->tail = 0;
        }
    }
}

void cell_hash_end(cell_hash *hash, uint64_t out[2])
{
    add_word(hash, hash->tail | hash->size << 56);
    hash->v[2] ^= 0xee;
    mix(hash->v, 4);
    out[0] = hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3];
    hash->v[1] ^= 0xdd;
    mix(hash->v, 4);
    out[1] = hash->v[0] ^ hash->v[1] ^ hash->v[2] ^ hash->v[3];
}
