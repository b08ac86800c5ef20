/* The classes of a released file: every different tuple of codes, with the number of its records. A hash table whose size is
 * that of the distinct rows, because a file has many more rows than classes. */
#ifndef KANON_AUDIT_CLASS_TABLE_H
#define KANON_AUDIT_CLASS_TABLE_H

#include "core/hash_key.h"
#include "core/status.h"

#include <stdint.h>

/* All zero but `width` is an empty one. */
typedef struct kanon__class_table {
    int width; /* codes in a tuple */
    uint32_t n;
    uint32_t *tuples; /* of each class */
    int64_t *sizes;   /* its records */
    uint64_t *slots;  /* open addressing: high hash bits and class + 1; 0 is free */
    int64_t n_slots, tuples_capacity, sizes_capacity;
    kanon__hash_key key;
} kanon__class_table;

/* Count a row; *out is its class. KANON_EDATA: more classes than can be numbered. */
kanon_status kanon__class_table_add(kanon__class_table *table, uint32_t *out, const uint32_t *tuple, kanon_error *err);
/* The class of a tuple; UINT32_MAX: there is none. */
uint32_t kanon__class_table_find(const kanon__class_table *table, const uint32_t *tuple);
void kanon__class_table_clear(kanon__class_table *table);

#endif
