/* How often each key occurs: a hash table of counts. Adding and removing is O(1); a key that is gone keeps its slot until
 * the table grows, so adding back what was removed needs no memory. */
#ifndef KANON_CONSTRAINTS_COUNTER_H
#define KANON_CONSTRAINTS_COUNTER_H

#include "core/status.h"

#include <stdbool.h>

typedef struct kanon__count {
    uint64_t key; /* plus one; 0: the slot is free */
    int64_t n;
} kanon__count;

typedef struct kanon__counter {
    kanon__count *slots;
    int64_t n_slots, n_used;
    int64_t n_distinct; /* keys that occur */
    int64_t total;      /* the sum of all counts */
    int64_t most;       /* the largest count, unless stale */
    bool stale;
    uint64_t *sorted; /* room for as many keys as there are slots; NULL: they are not needed */
    bool keeps_sorted;
    bool is_sorted;        /* no key came or went since the last sort */
    const void *figure_of; /* for a constraint that keeps what it computed last; NULL: counts have changed since then */
    double figure;
    const void *saved_of; /* the same while something is tried out */
    double saved;
} kanon__counter;

/* An empty counter is all zero but `keeps_sorted`. */
void kanon__counter_clear(kanon__counter *counter);
/* The bytes that a counter of so many keys takes. */
int64_t kanon__counter_need(int64_t n_keys, bool keeps_sorted);
/* Count the key `n` more times; *count, unless NULL, is how often it then occurs. */
kanon_status kanon__counter_add(kanon__counter *counter, uint64_t key, int64_t n, int64_t *count, kanon_error *err);
/* Count a key that occurs once less, and return how often it then occurs. */
int64_t kanon__counter_remove(kanon__counter *counter, uint64_t key);
int64_t kanon__counter_get(const kanon__counter *counter, uint64_t key);
int64_t kanon__counter_most(kanon__counter *counter);
/* The keys that occur, ascending; their number is n_distinct. */
const uint64_t *kanon__counter_sort(kanon__counter *counter);

#endif
