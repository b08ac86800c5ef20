/* A release as Arrow record batches: what groups show, by quasi column, and the columns that are kept.
 *
 *     quasi number or date   COLUMNS   NAME_min, NAME_max    the type of the column (arrow_values.h)
 *                            TEXT      NAME                  utf8: the cell of the CSV release
 *                            MEAN      NAME                  float64, of dates date32, rounded as in the CSV release
 *     the same with bands    COLUMNS   NAME_min, NAME_max    the ends of the bands, of decimals NAME_max itself is not
 *                                                            covered; null where an end is open
 *     quasi category                   NAME                  dictionary<int32, utf8> of the taxonomy's nodes
 *     kept, of an Arrow table          NAME                  as it was (arrow_kept.h)
 *     kept, of another table           NAME                  sensitive numbers and dates: as quasi columns, exact; all else
 *                                                            utf8, the cells byte for byte
 *
 * Null is: a suppressed record; numbers next to missing ones; numbers that are all missing; the root of a taxonomy whose
 * name is "*"; missing categories that were null in the input (other missing texts are shown as they are). With bands one
 * null of NAME_min and NAME_max is an open end; two are any of the above. */
#ifndef KANON_RELEASE_SINK_ARROW_RELEASE_H
#define KANON_RELEASE_SINK_ARROW_RELEASE_H

#include "core/ticker.h"
#include "release/permutation.h"
#include "release/sink/arrow_stream.h"
#include "table/domain/drawn_ends.h"

enum { KANON__ARROW_BATCH_ROWS = 65536 }; /* where the table has no batches of its own */

typedef struct kanon__arrow_plan {
    const kanon_table *table;
    const int32_t *group_of;
    int64_t n_groups;
    const uint32_t *const *recode_map; /* NULL: none */
    const kanon__drawn_ends *drawn;        /* NULL: all ends are exact */
    const kanon__permutation *permutation; /* NULL: every row shows its own cells */
    const int32_t *order; /* all rows, first those that leave, in the order in which they do; NULL: all leave, as they are */
    int64_t n_left_out;   /* the last of `order` */
    kanon_numeric numeric;
    bool aside; /* values of a large release lie in temporary files, and leave memory when the batch is complete */
    int threads;
    const kanon__ticker *ticker;
} kanon__arrow_plan;

/* All batches, complete. KANON_EINVAL: NAME_min or NAME_max is the name of another column. */
kanon_status kanon__arrow_release_new(kanon__arrow_batches **out, const kanon__arrow_plan *plan, kanon_error *err);

#endif
