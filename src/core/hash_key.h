/* Hashes under a secret key, for tables whose keys come from a file: who writes the file cannot foresee which of its values
 * meet in one place, so no file makes every lookup a search. Each table has a key of its own.
 *
 * Words are added to the key, multiplied in pairs to 128 bits, and folded to 64. A difference of two inputs that is
 * known beforehand becomes one that depends on the key, whatever it is. What a table answers must not depend on the
 * key: it numbers what it holds in the order in which it comes, and is never listed in the order of its slots. */
#ifndef KANON_CORE_HASH_KEY_H
#define KANON_CORE_HASH_KEY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct kanon__hash_key {
    uint64_t first, second, step; /* the last one is odd */
} kanon__hash_key;

/* A new key that nobody knows. */
void kanon__hash_key_draw(kanon__hash_key *out);

static inline uint64_t kanon__hash_fold(uint64_t a, uint64_t b)
{
    unsigned __int128 product = (unsigned __int128)a * b;
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* Two words. Numbers in a row are still in something like a row after one product, so there is a second one. */
static inline uint64_t kanon__hash_pair(const kanon__hash_key *key, uint64_t a, uint64_t b)
{
    return kanon__hash_fold(kanon__hash_fold(a + key->first, b + key->second), key->step);
}

/* One word more, after those that `hash` is of; the first one comes after 0. */
static inline uint64_t kanon__hash_next(const kanon__hash_key *key, uint64_t hash, uint64_t word)
{
    return kanon__hash_fold((hash ^ word) + key->first, key->step) + key->second;
}

static inline uint64_t kanon__load_eight(const char *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* All the bytes of a text of at most eight as a number, without a look past its end. */
static inline uint64_t kanon__load_short(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t head, tail;
    if (length < 4)
        return length == 0 ? 0 : (uint64_t)bytes[0] | (uint64_t)bytes[length / 2] << 8 | (uint64_t)bytes[length - 1] << 16;
    memcpy(&head, text, 4);
    memcpy(&tail, text + length - 4, 4);
    return head | (uint64_t)tail << 32;
}

/* A text: its length, its words but the last, and the last eight bytes. */
static inline uint64_t kanon__hash_text(const kanon__hash_key *key, const char *text, size_t length)
{
    uint64_t hash = length, last;
    if (length <= 8) {
        last = kanon__load_short(text, length);
    } else {
        last = kanon__load_eight(text + length - 8);
        hash = kanon__hash_next(key, hash, kanon__load_eight(text));
        for (text += 8, length -= 8; length > 8; text += 8, length -= 8)
            hash = kanon__hash_next(key, hash, kanon__load_eight(text));
    }
    return kanon__hash_pair(key, hash, last);
}

#endif
