/* Partition at gaps: cut a table where groups would hardly cross.
 *
 * Of all cuts that leave at least `least` records on both sides, the one is taken whose two neighbouring values cost most
 * together, of equals the one nearest to the middle. Equal values stay together. A median cut in the manner of Loukides is
 * worse for blocks: it lets equal values fall on both sides, and takes the widest attribute, on many tables a category with
 * few values, again and again, so that both sides hold the same kinds of record at half the density.
 *
 *     age   20 21 21 22 | 29 30 30      the gap 22 .. 29 costs most to bridge
 *
 * The rule itself is in gap_cut.h. */
#ifndef KANON_PARTITION_GAPS_H
#define KANON_PARTITION_GAPS_H

#include "core/ticker.h"
#include "model/space.h"
#include "partition/row_parts.h"

/* Parts of at least `least` records each; a part of twice as many or more is left whole only where no cut can be made. The
 * parts do not depend on the number of threads. */
kanon_status kanon__parts_at_gaps(kanon__parts **out, const kanon__space *space, int64_t least, int threads,
                                  kanon__ticker *ticker, kanon_error *err);

#endif
