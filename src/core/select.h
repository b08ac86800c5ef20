/* The k-th smallest of a list in expected linear time, without sorting all of it. Called where tables are cut at
 * medians (mondrian, partition, the trees of search). */
#ifndef KANON_CORE_SELECT_H
#define KANON_CORE_SELECT_H

#include <stdint.h>

/* The k-th smallest (k from 0) of n values, which are put into another order. Expected O(n). */
uint32_t kanon__select(uint32_t *values, int64_t n, int64_t k);

#endif
