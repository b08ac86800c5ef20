/* See keyed_hash.h. HMAC is the hash of (secret with 0x5c) and the hash of (secret with 0x36) and the text: two hashes,
 * each of which begins with a block that depends on the secret alone. */
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
static void begin_with(kanon__sha256 *out, const kanon__secret *secret, unsigned char pad)
{
    unsigned char block[BLOCK];
    memset(block, pad, sizeof block);
    for (int i = 0; i < KANON__SECRET_BYTES; i++)
        block[i] ^= secret->bytes[i];
    kanon__sha256_begin(out);
    kanon__sha256_add(out, block, sizeof block);
}

void kanon__keyed_hash_begin(kanon__keyed_hash *h, const kanon__secret *secret)
{
    kanon__sha256 outer;
    begin_with(&outer, secret, 0x5c);
    begin_with(&h->inner, secret, 0x36);
    memcpy(h->outer, outer.state, sizeof h->outer);
}

void kanon__keyed_hash_add(kanon__keyed_hash *h, const void *bytes, size_t size)
{
    kanon__sha256_add(&h->inner, bytes, size);
}

void kanon__keyed_hash_end(kanon__keyed_hash *h, unsigned char out[KANON__KEYED_HASH_BYTES])
{
    kanon__sha256 outer = {.n_bytes = BLOCK, .take = h->inner.take};
    memcpy(outer.state, h->outer, sizeof outer.state);
    kanon__sha256_end(&h->inner, out);
    kanon__sha256_add(&outer, out, KANON__SHA256_BYTES);
    kanon__sha256_end(&outer, out);
}
