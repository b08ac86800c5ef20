/* See dictionary.h. A hash table with open addressing over texts in one growing block; a slot has bits of the hash, so
 * that a miss seldom compares texts. */
#include "table/dictionary.h"

#include "core/alloc.h"

#include <stdbool.h>
#include <string.h>

/* A slot holds 32 bits of its text's hash above the text's code + 1:
 *
 *     63 .......... 32 31 ........... 0
 *     tag              code + 1             0: free
 *
 * The tag alone says where a text belongs, so that the slots grow without a look at the texts, and two texts are compared
 * only where their tags are equal. A text that finds its slot taken goes to the next free one. */
enum { FIRST_SLOTS = 64 };

static inline uint64_t load_eight(const char *text)
{
    uint64_t word;
    memcpy(&word, text, 8);
    return word;
}

/* All the bytes of a text of at most eight as a number, without a look past its end. */
static inline uint64_t load_short(const char *text, size_t length)
{
    const unsigned char *bytes = (const unsigned char *)text;
    uint32_t head, tail;
    if (length < 4)
        return length == 0 ? 0 : (uint64_t)bytes[0] | (uint64_t)bytes[length / 2] << 8 | (uint64_t)bytes[length - 1] << 16;
    memcpy(&head, text, 4);
    memcpy(&tail, text + length - 4, 4);
    return head | (uint64_t)tail << 32;
}

static inline uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    return x ^ x >> 32;
}

static inline uint32_t tag_of(const char *text, size_t length)
{
    uint64_t hash = mix(length), last;
    if (length <= 8) {
        last = load_short(text, length);
    } else {
        last = load_eight(text + length - 8);
        for (; length > 8; text += 8, length -= 8)
            hash = mix(hash ^ load_eight(text));
    }
    return (uint32_t)(mix(hash ^ last) * 0xd6e8feb86659fd93u >> 32);
}

static inline bool same_bytes(const char *a, const char *b, size_t length)
{
    if (length <= 8)
        return load_short(a, length) == load_short(b, length);
    if (length <= 16)
        return load_eight(a) == load_eight(b) && load_eight(a + length - 8) == load_eight(b + length - 8);
    return memcmp(a, b, length) == 0;
}

/* The code of the text, KANON__NO_CODE where it has none. */
static inline uint32_t find_code(const kanon__dictionary *dictionary, uint32_t tag, const char *text, size_t length)
{
    uint64_t last = (uint64_t)dictionary->n_slots - 1, i = tag & last;
    for (uint64_t slot; (slot = dictionary->slots[i]) != 0; i = (i + 1) & last) {
        if (slot >> 32 != tag)
            continue;
        uint32_t code = (uint32_t)slot - 1;
        int64_t begin = code > 0 ? dictionary->ends[code - 1] : 0;
        if ((size_t)(dictionary->ends[code] - begin) == length && same_bytes(dictionary->bytes + begin, text, length))
            return code;
    }
    return KANON__NO_CODE;
}

static void put_slot(uint64_t *slots, int64_t n_slots, uint64_t slot)
{
    uint64_t last = (uint64_t)n_slots - 1, i = slot >> 32 & last;
    while (slots[i] != 0)
        i = (i + 1) & last;
    slots[i] = slot;
}

kanon_status kanon__dictionary_init(kanon__dictionary *out, kanon_error *err)
{
    *out = (kanon__dictionary){0};
    kanon_status st = kanon__new_array(&out->slots, FIRST_SLOTS, "dictionary slots", err);
    if (st == KANON_OK)
        out->n_slots = FIRST_SLOTS;
    return st;
}

void kanon__dictionary_clear(kanon__dictionary *dictionary)
{
    kanon__free(dictionary->slots);
    kanon__free(dictionary->ends);
    kanon__free(dictionary->bytes);
    *dictionary = (kanon__dictionary){0};
}

static kanon_status double_slots(kanon__dictionary *dictionary, kanon_error *err)
{
    uint64_t *slots = NULL;
    kanon_status st = kanon__new_array(&slots, dictionary->n_slots * 2, "dictionary slots", err);
    if (st != KANON_OK)
        return st;
    for (int64_t i = 0; i < dictionary->n_slots; i++)
        if (dictionary->slots[i] != 0)
            put_slot(slots, dictionary->n_slots * 2, dictionary->slots[i]);
    kanon__free(dictionary->slots);
    dictionary->slots = slots;
    dictionary->n_slots *= 2;
    return KANON_OK;
}

/* All room is made before anything changes, so that a failure leaves the dictionary as it was. */
static kanon_status add_new(kanon__dictionary *dictionary, uint32_t tag, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = dictionary->n, begin = n > 0 ? dictionary->ends[n - 1] : 0;
    if (n == KANON__NO_CODE - 1 || length > (size_t)(INT64_MAX - begin))
        return kanon__fail(err, KANON_EDATA, "more than %u distinct texts", KANON__NO_CODE - 1);
    int64_t end = begin + (int64_t)length;
    KANON_TRY(kanon__grow_array(&dictionary->bytes, &dictionary->bytes_capacity, end, "texts", err), out);
    KANON_TRY(kanon__grow_array(&dictionary->ends, &dictionary->ends_capacity, n + 1, "texts", err), out);
    if ((n + 1) * 3 > dictionary->n_slots * 2)
        KANON_TRY(double_slots(dictionary, err), out);
    if (length > 0)
        memcpy(dictionary->bytes + begin, text, length);
    put_slot(dictionary->slots, dictionary->n_slots, (uint64_t)tag << 32 | (dictionary->n + 1));
    dictionary->ends[dictionary->n++] = end;
out:
    return st;
}

kanon_status kanon__dictionary_add(kanon__dictionary *dictionary, uint32_t *out, const char *text, size_t length,
                                   kanon_error *err)
{
    uint32_t tag = tag_of(text, length);
    *out = find_code(dictionary, tag, text, length);
    if (*out != KANON__NO_CODE)
        return KANON_OK;
    kanon_status st = add_new(dictionary, tag, text, length, err);
    if (st == KANON_OK)
        *out = dictionary->n - 1;
    return st;
}

uint32_t kanon__dictionary_find(const kanon__dictionary *dictionary, const char *text, size_t length)
{
    return dictionary->n > 0 ? find_code(dictionary, tag_of(text, length), text, length) : KANON__NO_CODE;
}

const char *kanon__dictionary_text(const kanon__dictionary *dictionary, uint32_t code, size_t *length)
{
    int64_t begin = code > 0 ? dictionary->ends[code - 1] : 0;
    *length = (size_t)(dictionary->ends[code] - begin);
    return dictionary->bytes + begin;
}
