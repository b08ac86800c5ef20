/* The columns of an Arrow table that are released as they are, and nothing else that stands in their buffers.
 *
 * Values of a fixed width and texts are not copied where an array is used whole: in the order of the table, without
 * offsets, with as many rows as its batch, and without nulls. How large its buffers are is not known, so what a producer
 * leaves behind the last row leaves with it. Everything else is copied into buffers of its own, without what stands under
 * nulls and outside of the slice:
 *
 *     slices           rows outside of the batch would leave with it
 *     nulls            values can stand under them
 *     bool             eight rows share a byte
 *     text views       their pieces may hold texts of other columns, identifying ones among them
 *     dictionaries     one dictionary for all batches has the entries that released rows use, and no others, in the order
 *                      of their first use; in that of the input where it is ordered */
#ifndef KANON_RELEASE_SINK_ARROW_KEPT_H
#define KANON_RELEASE_SINK_ARROW_KEPT_H

#include "core/arrow_block.h"
#include "table/read/arrow_source.h"
#include "table/read/table.h"

typedef struct kanon__arrow_kept {
    const kanon_table *table;
    const kanon__arrow_source *source;
    int column;
    kanon__arrow_view *views;     /* by batch of the input */
    kanon__arrow_memory *entries; /* the dictionary of all batches; NULL: the column has none */
    int64_t n_entries;
    const void *entry_buffers[3];
    int n_entry_buffers;
    int32_t **new_index;          /* by batch and entry of its dictionary: the entry in `entries`; -1: null, -2: not used */
    bool ordered;                 /* the order of the entries means something */
    int index_width;              /* of the indices that are released */
} kanon__arrow_kept;

/* The field of the column is made, too. `order`: n_released rows as they are released; NULL: all, as in the table. */
kanon_status kanon__arrow_kept_init(kanon__arrow_kept *out, kanon__arrow_field *field, const kanon_table *table, int column,
                                    const int32_t *order, int64_t n_released, kanon_error *err);
void kanon__arrow_kept_clear(kanon__arrow_kept *kept);
/* A batch of the input. */
kanon_status kanon__arrow_kept_batch(struct ArrowArray *out, const kanon__arrow_kept *kept, int64_t batch, kanon_error *err);
/* Any n rows. */
kanon_status kanon__arrow_kept_rows(struct ArrowArray *out, const kanon__arrow_kept *kept, const int32_t *rows, int64_t n,
                                    kanon_error *err);

#endif
