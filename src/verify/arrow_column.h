/* A column of several Arrow arrays as one list of values, for the check of Arrow releases.
 *
 * Values of at most eight bytes are read as keys: 64-bit numbers in the order of the values, which tight loops compare. Of a
 * dictionary, keys are the numbers of entries: those of a batch are counted on from those of the batch before, unless both
 * batches have one dictionary.
 *
 *     batch   dictionary    indices    entry_begins    keys
 *     0       A: x y        0 1 1      0               0 1 1
 *     1       A: x y        1 0        0               1 0
 *     2       B: y z        0 1        2               2 3           n_entries 4 */
#ifndef KANON_VERIFY_ARROW_COLUMN_H
#define KANON_VERIFY_ARROW_COLUMN_H

#include "core/status.h"
#include "verify/arrow_reader.h"

typedef struct kanon__read_column {
    kanon__read_shape shape;
    int64_t n_batches;
    const int64_t *begins;            /* by batch: its first row, and the number of rows; belongs to the caller */
    const struct ArrowArray **arrays; /* by batch */
    int64_t *skipped;                 /* by batch: the offset of the batch, counted from that of the array */
    int64_t *entry_begins;            /* by batch, of dictionaries */
    int64_t n_entries;
} kanon__read_column;

kanon_status kanon__read_column_init(kanon__read_column *out, const struct ArrowSchema *schema,
                                     const struct ArrowArray *batches, int64_t n_batches, const int64_t *begins, int child,
                                     kanon_error *err);
void kanon__read_column_clear(kanon__read_column *column);

/* The batch of a row. */
static inline int64_t kanon__read_batch(const kanon__read_column *c, int64_t row)
{
    int64_t low = 0, high = c->n_batches;
    int64_t guess = c->begins[1] > 0 ? row / c->begins[1] : 0; /* batches mostly have one size */
    if (guess < high && c->begins[guess] <= row && row < c->begins[guess + 1])
        return guess;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (c->begins[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    return low;
}

kanon__read_value kanon__read_row(const kanon__read_column *column, int64_t row);
/* Whether the dictionary of a batch is not that of the batch before. */
bool kanon__read_has_new_entries(const kanon__read_column *column, int64_t batch);
/* Entry i of the dictionary of a batch. */
kanon__read_value kanon__read_entry(const kanon__read_column *column, int64_t batch, int64_t i);

/* ---- keys --------------------------------------------------------------------------------------------------------- */

enum { KANON__READ_BLOCK = 1024 };
#define KANON__READ_NAN INT64_MAX /* the key of a real that is no number */

typedef struct kanon__read_keys {
    int64_t keys[KANON__READ_BLOCK]; /* 0 where a row has no value */
    bool valid[KANON__READ_BLOCK];
} kanon__read_keys;

/* Whether values, not entries, of this shape have keys. */
static inline bool kanon__read_has_keys(kanon__read_shape shape)
{
    return shape.letter == 'b' || shape.letter == 'f' || ((shape.letter == 'i' || shape.letter == 'w') && shape.size <= 8);
}

/* The key of a number of that shape. */
int64_t kanon__read_key_of(kanon__read_shape shape, kanon__read_value value);
/* Rows `first` to `first + n - 1`, n <= KANON__READ_BLOCK; with `rows`, row rows[i] for each of them. Of dictionaries, the
 * numbers of entries. */
void kanon__read_block(kanon__read_keys *out, const kanon__read_column *column, const int32_t *rows, int64_t first,
                       int64_t n);

#endif
