/* The columns of an Arrow table that are released as they are. In the order of the table the buffers of the input are
 * referred to, in another order values are gathered into buffers of their own. Text views are always gathered: the buffers
 * that they point into may hold texts of other columns, identifying ones among them. */
#ifndef KANON_RELEASE_SINK_ARROW_KEPT_H
#define KANON_RELEASE_SINK_ARROW_KEPT_H

#include "release/sink/arrow_array.h"
#include "table/source/arrow_source.h"

typedef struct kanon__arrow_kept {
    const kanon_table *table;
    const kanon__arrow_source *source;
    int column;
    /* where values are gathered */
    bool gathered;
    kanon__arrow_view *views;     /* by batch of the input */
    kanon__arrow_memory *entries; /* the dictionary of all batches; NULL: the column has none */
    int64_t n_entries;
    const void *entry_buffers[3];
    int n_entry_buffers;
    int32_t **new_index;          /* by batch and entry of its dictionary: the entry in `entries`; -1: null */
    int index_width;              /* of the indices that are released */
    bool index_signed;
} kanon__arrow_kept;

/* The field of the column is made, too. `gathered`: records leave in another order. */
kanon_status kanon__arrow_kept_init(kanon__arrow_kept *out, kanon__arrow_field *field, const kanon_table *table, int column,
                                    bool gathered, kanon_error *err);
void kanon__arrow_kept_clear(kanon__arrow_kept *kept);
/* A batch of the input, where values are not gathered. */
kanon_status kanon__arrow_kept_batch(struct ArrowArray *out, const kanon__arrow_kept *kept, int64_t batch, kanon_error *err);
/* Any n rows, where they are. */
kanon_status kanon__arrow_kept_rows(struct ArrowArray *out, const kanon__arrow_kept *kept, const int32_t *rows, int64_t n,
                                    kanon_error *err);

#endif
