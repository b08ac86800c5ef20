/* The texts of a batch as numbers of a list of different texts, for a dictionary: columns of categories take a tenth of
 * the room then, and whoever reads the batch looks at each text once. */
#ifndef KANON_DATABASE_TEXT_CODES_H
#define KANON_DATABASE_TEXT_CODES_H

#include "core/hash_key.h"
#include "core/status.h"

typedef struct kanon__text_entry {
    const char *bytes; /* the driver's */
    size_t length;
} kanon__text_entry;

typedef struct kanon__text_codes {
    kanon__text_entry *entries; /* in the order in which they first come */
    int64_t n_entries, entries_capacity;
    size_t n_bytes; /* of all entries */
    int32_t *slots; /* open addressing: number + 1; 0 is free */
    int64_t n_slots;
    int32_t *rows; /* by row: its number */
    int64_t rows_capacity;
    kanon__hash_key key;
} kanon__text_codes;

/* Forget the texts of the batch before, and make room for `n` rows. */
kanon_status kanon__text_codes_begin(kanon__text_codes *codes, int64_t n, kanon_error *err);
/* The text of a row; it must stay where it is. */
kanon_status kanon__text_codes_add(kanon__text_codes *codes, int64_t row, const char *bytes, size_t length,
                                   kanon_error *err);
void kanon__text_codes_clear(kanon__text_codes *codes);

#endif
