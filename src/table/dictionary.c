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

static inline uint32_t tag_of(const kanon__dictionary *dictionary, const char *text, size_t length)
{
    return (uint32_t)(kanon__hash_text(&dictionary->key, text, length) >> 32);
}

static inline bool same_bytes(const char *a, const char *b, size_t length)
{
    if (length <= 8)
        return kanon__load_short(a, length) == kanon__load_short(b, length);
    if (length <= 16)
        return kanon__load_eight(a) == kanon__load_eight(b) && kanon__load_eight(a + length - 8) == kanon__load_eight(b + length - 8);
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
    kanon__hash_key_draw(&out->key);
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
    uint32_t tag = tag_of(dictionary, text, length);
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
    return dictionary->n > 0 ? find_code(dictionary, tag_of(dictionary, text, length), text, length) : KANON__NO_CODE;
}

const char *kanon__dictionary_text(const kanon__dictionary *dictionary, uint32_t code, size_t *length)
{
    int64_t begin = code > 0 ? dictionary->ends[code - 1] : 0;
    *length = (size_t)(dictionary->ends[code] - begin);
    return dictionary->bytes + begin;
}
