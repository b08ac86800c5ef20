/* A set around one tuple that violates dual feasibility, found by growth and exchange, not by search. What it finds is
 * a cut; that it finds nothing proves nothing. */
#ifndef KANON_BOUND_BOX_GROWTH_H
#define KANON_BOUND_BOX_GROWTH_H

#include "bound/box_candidates.h"

typedef struct kanon__box_growth kanon__box_growth;

kanon_status kanon__box_growth_new(kanon__box_growth **out, const kanon__priced_table *table, kanon_error *err);
void kanon__box_growth_free(kanon__box_growth *growth);
/* k records that hold the tuple and lie within `radius` of it, whose prices sum up to more than k times D of their box. The
 * answer belongs to the object and lives until the next call; n is 0 where none was found. */
kanon_status kanon__box_growth_run(kanon__box_growth *growth, int64_t tuple, int32_t radius, const kanon__violated_set **out,
                                   kanon_error *err);

#endif
