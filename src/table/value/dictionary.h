/* Texts numbered in the order in which they first appear: the codes of a column while it is read, the labels of a
 * taxonomy, the cells of a released file. Calls core/alloc.h. */
#ifndef KANON_TABLE_DICTIONARY_H
#define KANON_TABLE_DICTIONARY_H

#include "core/hash_key.h"
#include "core/status.h"

#define KANON__NO_CODE UINT32_MAX

typedef struct kanon__dictionary kanon__dictionary;

struct kanon__dictionary {
    uint32_t n;
    /* the rest is the dictionary's own */
    char *bytes;     /* the texts, one after the other */
    int64_t *ends;   /* text i ends at ends[i] and begins where i-1 ends */
    uint64_t *slots; /* open addressing: hash bits and code + 1; 0 is free */
    int64_t n_slots, bytes_capacity, ends_capacity;
    kanon__hash_key key;
};

kanon_status kanon__dictionary_init(kanon__dictionary *out, kanon_error *err);
void kanon__dictionary_clear(kanon__dictionary *dictionary);
/* The code of the text, which is added where it is new. */
kanon_status kanon__dictionary_add(kanon__dictionary *dictionary, uint32_t *out, const char *text, size_t length,
                                   kanon_error *err);
/* The same, faster, where the text is the beginning of `readable` bytes. */
kanon_status kanon__dictionary_add_from(kanon__dictionary *dictionary, uint32_t *out, const char *text, size_t length,
                                        size_t readable, kanon_error *err);
/* The code of the text or KANON__NO_CODE. */
uint32_t kanon__dictionary_find(const kanon__dictionary *dictionary, const char *text, size_t length);
/* The text of a code. It is not terminated, and moves when a text is added. */
const char *kanon__dictionary_text(const kanon__dictionary *dictionary, uint32_t code, size_t *length);

#endif
