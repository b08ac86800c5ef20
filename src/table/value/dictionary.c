/* See dictionary.h. A hash table with open addressing over texts in one growing block; a slot has bits of the hash, so
 * that a miss seldom compares texts. */
#include "table/value/dictionary.h"

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
enum { FIRST_SLOTS = 64, MANY_SLOTS = 1 << 15 };

/* Whether n texts want more slots. How many slots a text is away from its own is not foreseen by a processor, so two of
 * three are free where slots are few; where they are many, memory matters more, and one of three is. */
static bool are_crowded(int64_t n, int64_t n_slots)
{
    return n * 3 > (n_slots < MANY_SLOTS ? n_slots : n_slots * 2);
}

/* Most texts are short, and their lengths vary from cell to cell, so a branch by length is often foreseen wrongly. The bytes
 * of a short text are therefore taken as two words, with zeros for the bytes after its end. */
enum { SHORT_TEXT = 16 };

typedef struct words {
    uint64_t first, second;
} words;

/* SHORT_TEXT bytes can be read, of which `length` are the text. */
static inline words words_of(const char *text, size_t length)
{
    static const unsigned char masks[2 * SHORT_TEXT] = {255, 255, 255, 255, 255, 255, 255, 255,
                                                        255, 255, 255, 255, 255, 255, 255, 255};
    uint64_t word[2], mask[2];
    memcpy(word, text, sizeof word);
    memcpy(mask, masks + SHORT_TEXT - length, sizeof mask);
    return (words){word[0] & mask[0], word[1] & mask[1]};
}

/* The same of a text with nothing readable after it. */
static words words_of_copy(const char *text, size_t length)
{
    char copy[SHORT_TEXT] = {0};
    if (length > 0)
        memcpy(copy, text, length);
    return words_of(copy, length);
}

static inline uint32_t short_tag(const kanon__hash_key *key, words w, size_t length)
{
    return (uint32_t)(kanon__hash_fold(kanon__hash_fold(w.first + key->first, w.second + key->second) + length, key->step) >>
                      32);
}

static inline uint32_t long_tag(const kanon__hash_key *key, const char *text, size_t length)
{
    return (uint32_t)(kanon__hash_text(key, text, length) >> 32);
}

/* The code of the text, KANON__NO_CODE where it has none; IS_SAME compares `own` with it. */
#define FIND_CODE(dictionary, tag, length, IS_SAME)                                                                         \
    do {                                                                                                                    \
        uint64_t last = (uint64_t)(dictionary)->n_slots - 1, i = (tag) & last;                                              \
        for (uint64_t slot; (slot = (dictionary)->slots[i]) != 0; i = (i + 1) & last) {                                     \
            if (slot >> 32 != (tag))                                                                                        \
                continue;                                                                                                   \
            uint32_t code = (uint32_t)slot - 1;                                                                             \
            int64_t begin = code > 0 ? (dictionary)->ends[code - 1] : 0;                                                    \
            const char *own = (dictionary)->bytes + begin;                                                                  \
            if ((size_t)((dictionary)->ends[code] - begin) == (length) && (IS_SAME))                                        \
                return code;                                                                                                \
        }                                                                                                                   \
        return KANON__NO_CODE;                                                                                              \
    } while (0)

/* After the texts of a dictionary there is room for one more short one. */
static inline bool has_words(const char *own, words w, size_t length)
{
    words its = words_of(own, length);
    return ((its.first ^ w.first) | (its.second ^ w.second)) == 0;
}

static inline uint32_t find_short(const kanon__dictionary *dictionary, uint32_t tag, words w, size_t length)
{
    FIND_CODE(dictionary, tag, length, has_words(own, w, length));
}

static uint32_t find_long(const kanon__dictionary *dictionary, uint32_t tag, const char *text, size_t length)
{
    FIND_CODE(dictionary, tag, length, memcmp(own, text, length) == 0);
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
    if (n == KANON__NO_CODE - 1 || length > (size_t)(INT64_MAX - SHORT_TEXT - begin))
        return kanon__fail(err, KANON_EDATA, "more than %u distinct texts", KANON__NO_CODE - 1);
    int64_t end = begin + (int64_t)length;
    KANON_TRY(kanon__grow_array(&dictionary->bytes, &dictionary->bytes_capacity, end + SHORT_TEXT, "texts", err), out);
    KANON_TRY(kanon__grow_array(&dictionary->ends, &dictionary->ends_capacity, n + 1, "texts", err), out);
    if (are_crowded(n + 1, dictionary->n_slots))
        KANON_TRY(double_slots(dictionary, err), out);
    if (length > 0)
        memcpy(dictionary->bytes + begin, text, length);
    put_slot(dictionary->slots, dictionary->n_slots, (uint64_t)tag << 32 | (dictionary->n + 1));
    dictionary->ends[dictionary->n++] = end;
out:
    return st;
}

kanon_status kanon__dictionary_add_from(kanon__dictionary *dictionary, uint32_t *out, const char *text, size_t length,
                                        size_t readable, kanon_error *err)
{
    uint32_t tag;
    if (length <= SHORT_TEXT) {
        words w = readable >= SHORT_TEXT ? words_of(text, length) : words_of_copy(text, length);
        tag = short_tag(&dictionary->key, w, length);
        *out = find_short(dictionary, tag, w, length);
    } else {
        tag = long_tag(&dictionary->key, text, length);
        *out = find_long(dictionary, tag, text, length);
    }
    if (*out != KANON__NO_CODE)
        return KANON_OK;
    kanon_status st = add_new(dictionary, tag, text, length, err);
    if (st == KANON_OK)
        *out = dictionary->n - 1;
    return st;
}

kanon_status kanon__dictionary_add(kanon__dictionary *dictionary, uint32_t *out, const char *text, size_t length,
                                   kanon_error *err)
{
    return kanon__dictionary_add_from(dictionary, out, text, length, length, err);
}

uint32_t kanon__dictionary_find(const kanon__dictionary *dictionary, const char *text, size_t length)
{
    if (dictionary->n == 0)
        return KANON__NO_CODE;
    if (length > SHORT_TEXT)
        return find_long(dictionary, long_tag(&dictionary->key, text, length), text, length);
    words w = words_of_copy(text, length);
    return find_short(dictionary, short_tag(&dictionary->key, w, length), w, length);
}

const char *kanon__dictionary_text(const kanon__dictionary *dictionary, uint32_t code, size_t *length)
{
    int64_t begin = code > 0 ? dictionary->ends[code - 1] : 0;
    *length = (size_t)(dictionary->ends[code] - begin);
    return dictionary->bytes + begin;
}
