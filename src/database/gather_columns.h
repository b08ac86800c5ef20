/* Small batches of a driver become one: their columns are copied into one room (core/arrow_block.h), by their layout.
 * Texts can become entries of a dictionary on the way. What the driver gives is checked as far as it is read. */
#ifndef KANON_DATABASE_GATHER_COLUMNS_H
#define KANON_DATABASE_GATHER_COLUMNS_H

#include "core/arrow_block.h"
#include "database/text_codes.h"

/* How the values of a column lie in its buffers. */
typedef enum kanon__layout {
    KANON__LAYOUT_OTHER = 0, /* dictionaries, views and all else: not gathered */
    KANON__LAYOUT_FIXED,
    KANON__LAYOUT_BITS,
    KANON__LAYOUT_TEXT
} kanon__layout;

typedef struct kanon__gathered_column {
    kanon__layout layout;
    int width;    /* bytes of a value, or of an offset of a text */
    bool encoded; /* texts become entries of a dictionary */
    kanon__text_codes codes;
} kanon__gathered_column;

/* Batches that are to become one, and the columns that they have. */
typedef struct kanon__waiting {
    kanon__gathered_column *columns;
    int n_columns;
    struct ArrowArray *batches;
    int64_t n_batches, capacity, n_rows, text_bytes;
} kanon__waiting;

/* Layout and width of a column. */
void kanon__layout_find(kanon__gathered_column *out, const struct ArrowSchema *column);
/* Move a batch there, which is released where it is not as its schema says: KANON_EIO. */
kanon_status kanon__waiting_add(kanon__waiting *waiting, struct ArrowArray *batch, kanon_error *err);
/* Number the texts of a column. */
kanon_status kanon__waiting_encode(kanon__waiting *waiting, int column, kanon_error *err);
/* All that waits as one batch, and nothing waits any more. In a temporary file where it and the `*n_bytes` before it are
 * many; they are counted. */
kanon_status kanon__waiting_gather(struct ArrowArray *out, kanon__waiting *waiting, size_t *n_bytes, kanon_error *err);
void kanon__waiting_drop(kanon__waiting *waiting);
void kanon__waiting_clear(kanon__waiting *waiting);

#endif
