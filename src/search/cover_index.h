/* An index of bitmaps: which groups cover a record?
 *
 * There is one bit for each group, dimension and code, set where the group covers the code. A record's groups are the
 * conjunction of the bits of its codes; the lowest of them is found a word, 64 groups, at a time.
 *
 * Slots are the groups in the caller's order of preference, so the lowest slot is the answer. Where a dimension has too many
 * codes, neighbouring codes share a bucket; then a found slot may turn out not to cover, and the caller asks again from the
 * next slot on. */
#ifndef KANON_SEARCH_COVER_INDEX_H
#define KANON_SEARCH_COVER_INDEX_H

#include "model/space.h"

typedef struct kanon__cover_index {
    const kanon__space *space;
    int64_t n_slots, n_words; /* words of a row of bits */
    uint64_t *alive;          /* one row: the slots that are to be found */
    uint64_t **bits;          /* by dimension: a row for each bucket */
    int *shifts;              /* by dimension: bucket = code >> shift */
} kanon__cover_index;

kanon_status kanon__cover_index_new(kanon__cover_index **out, const kanon__space *space, int64_t n_slots, kanon_error *err);
/* The bytes that the index takes for the table's quasi attributes; the block plan asks before it exists. */
int64_t kanon__cover_index_need(const kanon__data *table, int64_t n_slots);
void kanon__cover_index_free(kanon__cover_index *index);
/* The slot covers the codes lo .. hi of a dimension, in addition to what it covers already. */
void kanon__cover_index_add(kanon__cover_index *index, int64_t slot, int dimension, uint32_t lo, uint32_t hi);
/* The slot is not found any more. */
void kanon__cover_index_remove(kanon__cover_index *index, int64_t slot);
/* The first slot at or after `from` that may cover the row; -1 where there is none. */
int64_t kanon__cover_index_next(const kanon__cover_index *index, int64_t row, int64_t from);

/* What a box covers on a dimension: all leaves below the lca, the numbers from lo to hi, and every number where some are
 * missing. */
void kanon__covered_range(const kanon__dimension *dimension, uint32_t lo, uint32_t hi, uint32_t *first, uint32_t *last);

#endif
