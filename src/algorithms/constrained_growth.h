/* kmember where groups must satisfy constraints in addition to k. */
#ifndef KANON_ALGORITHMS_CONSTRAINED_GROWTH_H
#define KANON_ALGORITHMS_CONSTRAINED_GROWTH_H

#include "algorithms/algorithm.h"

/* In larger tables the scans take too long, and the repair alone is nearly as good. */
enum { KANON__CONSTRAINED_GROWTH_MOST = 100000 };

kanon_status kanon__constrained_growth(kanon__run *run, kanon_error *err);

#endif
