/* Cutting a table where groups would hardly cross: at the gap between neighbouring values that costs most to bridge.
 *
 * A median cut in the manner of Loukides lets equal values fall on both sides, and takes the widest attribute, which on many tables is
 * a category with few values, again and again: both sides then hold the same kinds of record, half as densely. Here equal values
 * stay together, and of all cuts that leave enough on both sides the one is taken whose two neighbouring values cost most
 * together; of equals the one nearest to the middle. */
#ifndef KANON_PARTITION_GAPS_H
#define KANON_PARTITION_GAPS_H

#include "partition/median.h"

/* Parts of at least `least` records each; a part of twice as many or more is left whole only where no cut can be made. The
 * parts do not depend on the number of threads. */
kanon_status kanon__parts_at_gaps(kanon__parts **out, const kanon__space *space, int64_t least, int threads,
                                  kanon__ticker *ticker, kanon_error *err);

#endif
