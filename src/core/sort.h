/* Sorting that can be stopped: qsort has no place for a tick, and a million items take a fifth of a second.
 * Called wherever all records are sorted. */
#ifndef KANON_CORE_SORT_H
#define KANON_CORE_SORT_H

#include "core/status.h"

#include <stddef.h>
#include <stdint.h>

typedef int (*kanon__compare)(const void *left, const void *right);

/* Sort `n` items of `size` bytes as qsort does: callers compare in a way that no two items are equal, or do not mind their
 * order. Takes room for as many items again where there are more than some thousand. Polls the tick of the call
 * (kanon__poll_tick). */
kanon_status kanon__sort(void *items, int64_t n, size_t size, kanon__compare compare, kanon_error *err);

#endif
