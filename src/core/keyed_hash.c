/* See keyed_hash.h. HMAC is the hash of (secret with 0x5c) and the hash of (secret with 0x36) and the text: two hashes,
 * each of which begins with a block that depends on the secret alone. Called by src/state/store. */
#define _DEFAULT_SOURCE
#include "core/keyed_hash.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { BLOCK = 64 };

kanon_status kanon__secret_new(kanon__secret *out, kanon_error *err)
{
    return getentropy(out->bytes, sizeof out->bytes) == 0
               ? KANON_OK
               : kanon__fail_errno(err, errno, "read", "the random numbers of the system");
}

/* SHA-256 after its first block, which is the secret, each byte changed by `pad`. */
static void begin_with(uint32_t state[8], const kanon__secret *secret, unsigned char pad, kanon__sha256_blocks take)
{
    unsigned char block[BLOCK];
    memset(block, pad, sizeof block);
    for (int i = 0; i < KANON__SECRET_BYTES; i++)
        block[i] ^= secret->bytes[i];
    memcpy(state, kanon__sha256_first, sizeof kanon__sha256_first);
    take(state, block, 1);
}

void kanon__keyed_hash_begin(kanon__keyed_hash *h, const kanon__secret *secret)
{
    kanon__sha256_blocks fast = kanon__sha256_ni();
    h->take = fast != NULL ? fast : kanon__sha256_plain;
    h->n_bytes = BLOCK;
    begin_with(h->inner, secret, 0x36, h->take);
    begin_with(h->outer, secret, 0x5c, h->take);
}

void kanon__keyed_hash_add(kanon__keyed_hash *h, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    while (size > 0) {
        size_t used = (size_t)(h->n_bytes % BLOCK), n = size < BLOCK - used ? size : BLOCK - used;
        memcpy(h->rest + used, at, n);
        h->n_bytes += n;
        at += n;
        size -= n;
        if (h->n_bytes % BLOCK == 0)
            h->take(h->inner, h->rest, 1);
    }
}

/* The end of a SHA-256: a bit 1, bits 0 up to the last eight bytes of a block, and there the number of bits. */
static void end_one(uint32_t state[8], unsigned char rest[BLOCK], uint64_t n_bytes, kanon__sha256_blocks take)
{
    size_t used = (size_t)(n_bytes % BLOCK);
    uint64_t n_bits = n_bytes * 8;
    rest[used++] = 0x80;
    if (used > BLOCK - 8) {
        memset(rest + used, 0, BLOCK - used);
        take(state, rest, 1);
        used = 0;
    }
    memset(rest + used, 0, BLOCK - 8 - used);
    for (int i = 0; i < 8; i++)
        rest[BLOCK - 8 + i] = (unsigned char)(n_bits >> (56 - 8 * i));
    take(state, rest, 1);
}

static void write_digest(unsigned char out[KANON__KEYED_HASH_BYTES], const uint32_t state[8])
{
    for (int i = 0; i < KANON__KEYED_HASH_BYTES; i++)
        out[i] = (unsigned char)(state[i / 4] >> (24 - 8 * (i % 4)));
}

void kanon__keyed_hash_end(kanon__keyed_hash *h, unsigned char out[KANON__KEYED_HASH_BYTES])
{
    end_one(h->inner, h->rest, h->n_bytes, h->take);
    write_digest(h->rest, h->inner);
    end_one(h->outer, h->rest, BLOCK + KANON__KEYED_HASH_BYTES, h->take);
    write_digest(out, h->outer);
}
