/* The independent check of a release in Arrow batches. It reads the finished buffers, as a consumer will, with a reader of
 * its own, and holds them against the input: the buffers of the Arrow stream or the cells of the source, and the domains of
 * the table. It shares no code with what made the batches.
 *
 * 1. The schema is as expected: names and types, no identifying column.
 * 2. Every record is there once, in the order that was asked for; suppressed ones only if the policy keeps them.
 * 3. Every quasi cell covers its original: it lies between NAME_min and NAME_max, or in the interval, or below the node;
 *    null covers everything. A mean lies between the extremes of its group.
 * 4. All records of a group show the same, and suppressed ones nothing. With a recode map, equal values show the same.
 * 5. Every group has at least k records; classes of groups that show the same keep what is required: entities,
 *    constraints, the budget.
 * 6. Kept columns hold the values of the input.
 * 7. Nothing else leaves: no dictionary has entries that no record uses, nothing stands under nulls, in front of the first
 *    value of an array or of the bytes of its texts. */
#ifndef KANON_VERIFY_VERIFY_ARROW_H
#define KANON_VERIFY_VERIFY_ARROW_H

#include "core/ticker.h"
#include "verify/verify.h"

#include <kanon_arrow.h>

typedef struct kanon__arrow_claim {
    const kanon_table *table;
    const int32_t *group_of;
    int64_t n_groups;
    kanon__requirement requirement;
    const int32_t *order; /* of all rows, first those that are released; NULL: all are, in the order of the table */
    int64_t n_left_out;   /* the last of `order`: they are suppressed, and the policy does not keep them */
    kanon_numeric numeric;
    bool mapping; /* equal values show the same in all groups */
    const struct ArrowSchema *schema;
    const struct ArrowArray *batches;
    int64_t n_batches;
    const kanon__ticker *ticker; /* NULL: none */
} kanon__arrow_claim;

/* KANON_EINTERNAL where the release is not what the claim says. */
kanon_status kanon__verify_arrow(const kanon__arrow_claim *claim, int threads, kanon_error *err);

#endif
