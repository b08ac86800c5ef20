/* See sha256.h. The plain implementation after FIPS 180-4, and the choice between it and sha256_ni.c at run time.
 * docs/decisions/0003 says why the library has its own. */
#include "core/sha256.h"

#include <string.h>

enum { BLOCK = 64 };

/* The first 32 bits of the fractional parts of the cube roots of the first 64 primes. */
const uint32_t kanon__sha256_k[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

static uint32_t turn(uint32_t x, int bits)
{
    return x >> bits | x << (32 - bits);
}

static uint32_t word_at(const unsigned char *bytes)
{
    return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 | bytes[3];
}

/* The letters and functions of FIPS 180-4, section 6.2.2. */
static void take_block(uint32_t h[8], const unsigned char *bytes)
{
    uint32_t w[64], s[8];
    for (int t = 0; t < 16; t++)
        w[t] = word_at(bytes + 4 * t);
    for (int t = 16; t < 64; t++) {
        uint32_t sigma0 = turn(w[t - 15], 7) ^ turn(w[t - 15], 18) ^ w[t - 15] >> 3;
        uint32_t sigma1 = turn(w[t - 2], 17) ^ turn(w[t - 2], 19) ^ w[t - 2] >> 10;
        w[t] = sigma1 + w[t - 7] + sigma0 + w[t - 16];
    }
    memcpy(s, h, sizeof s);
#pragma GCC unroll 8
    for (int t = 0; t < 64; t++) {
        uint32_t a = s[0], b = s[1], c = s[2], e = s[4], f = s[5], g = s[6];
        uint32_t t1 = s[7] + (turn(e, 6) ^ turn(e, 11) ^ turn(e, 25)) + ((e & f) ^ (~e & g)) + kanon__sha256_k[t] + w[t];
        uint32_t t2 = (turn(a, 2) ^ turn(a, 13) ^ turn(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
        s[7] = g;
        s[6] = f;
        s[5] = e;
        s[4] = s[3] + t1;
        s[3] = c;
        s[2] = b;
        s[1] = a;
        s[0] = t1 + t2;
    }
    for (int i = 0; i < 8; i++)
        h[i] += s[i];
}

void kanon__sha256_plain(uint32_t state[8], const unsigned char *bytes, size_t n_blocks)
{
    for (size_t i = 0; i < n_blocks; i++)
        take_block(state, bytes + BLOCK * i);
}

void kanon__sha256_begin(kanon__sha256 *out)
{
    kanon__sha256_blocks fast = kanon__sha256_ni();
    *out = (kanon__sha256){.state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a, 0x510e527f, 0x9b05688c, 0x1f83d9ab,
                                     0x5be0cd19},
                           .take = fast != NULL ? fast : kanon__sha256_plain};
}

void kanon__sha256_add(kanon__sha256 *hash, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    size_t used = (size_t)(hash->n_bytes % BLOCK);
    hash->n_bytes += size;
    if (used > 0) {
        size_t more = size < BLOCK - used ? size : BLOCK - used;
        if (more > 0)
            memcpy(hash->rest + used, at, more);
        if (used + more < BLOCK)
            return;
        hash->take(hash->state, hash->rest, 1);
        at += more;
        size -= more;
    }
    if (size >= BLOCK)
        hash->take(hash->state, at, size / BLOCK);
    if (size % BLOCK > 0)
        memcpy(hash->rest, at + size / BLOCK * BLOCK, size % BLOCK);
}

/* The end is a bit 1, bits 0 up to the last eight bytes of a block, and there the number of bits. */
void kanon__sha256_end(kanon__sha256 *hash, unsigned char out[KANON__SHA256_BYTES])
{
    unsigned char end[BLOCK + 8] = {0x80};
    uint64_t n_bits = hash->n_bytes * 8;
    size_t zeros = (2 * BLOCK - 9 - (size_t)(hash->n_bytes % BLOCK)) % BLOCK;
    for (int i = 0; i < 8; i++)
        end[1 + zeros + (size_t)i] = (unsigned char)(n_bits >> (56 - 8 * i));
    kanon__sha256_add(hash, end, 1 + zeros + 8);
    for (int i = 0; i < KANON__SHA256_BYTES; i++)
        out[i] = (unsigned char)(hash->state[i / 4] >> (24 - 8 * (i % 4)));
}

void kanon__sha256_finish(char out[KANON__SHA256_TEXT], kanon__sha256 *hash)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char digest[KANON__SHA256_BYTES];
    kanon__sha256_end(hash, digest);
    for (int i = 0; i < 2 * KANON__SHA256_BYTES; i++)
        out[i] = digits[digest[i / 2] >> (i % 2 == 0 ? 4 : 0) & 15];
    out[2 * KANON__SHA256_BYTES] = '\0';
}

void kanon__sha256_of(char out[KANON__SHA256_TEXT], const void *bytes, size_t size)
{
    kanon__sha256 hash;
    kanon__sha256_begin(&hash);
    kanon__sha256_add(&hash, bytes, size);
    kanon__sha256_finish(out, &hash);
}
