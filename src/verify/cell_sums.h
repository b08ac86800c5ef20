/* Recounts permuted columns: the cells that a group shows are those that its records have, each as often. Equal cells have
 * equal hashes under a key that nobody knows, so what is shown less what is there is 0 for every group and column if and only
 * if the two are the same; nothing is known of how places were drawn. */
#ifndef KANON_VERIFY_CELL_SUMS_H
#define KANON_VERIFY_CELL_SUMS_H

#include "core/hash_key.h"
#include "table/domain/data.h"

#include <stdatomic.h>

typedef struct kanon__cell_sums {
    kanon__hash_key key;
    const kanon__data *data;
    int n;         /* permuted columns */
    int *place_of; /* by column of the table: its place among them; -1: it is not permuted */
    int64_t n_groups;
    _Atomic uint64_t *sums; /* by group, that of suppressed records last, and permuted column */
} kanon__cell_sums;

/* *out is NULL where no column is permuted. */
kanon_status kanon__cell_sums_new(kanon__cell_sums **out, const kanon__data *data, int64_t n_groups, kanon_error *err);
void kanon__cell_sums_free(kanon__cell_sums *sums);

static inline bool kanon__cell_sums_has(const kanon__cell_sums *sums, int column)
{
    return sums != NULL && sums->place_of[column] >= 0;
}

/* The hash of a text, begun with a number that says what kind it is. */
static inline uint64_t kanon__cell_sums_hash(const kanon__cell_sums *sums, uint64_t kind, const char *text, size_t length)
{
    return kanon__hash_next(&sums->key, kind, kanon__hash_text(&sums->key, text, length));
}

/* A record of the group shows a cell with one hash and has one with the other. Negative groups are suppressed records. Several
 * threads may call it. */
static inline void kanon__cell_sums_count(kanon__cell_sums *sums, int64_t group, int column, uint64_t shown, uint64_t has)
{
    int64_t place = group >= 0 && group < sums->n_groups ? group : sums->n_groups;
    atomic_fetch_add_explicit(&sums->sums[place * sums->n + sums->place_of[column]], shown - has, memory_order_relaxed);
}

/* After all records: KANON_EINTERNAL names the column in which a group shows other cells than it has. `sums` may be NULL. */
kanon_status kanon__cell_sums_check(const kanon__cell_sums *sums, kanon_error *err);

#endif
