/* kmember where groups must satisfy constraints in addition to k: groups grow until the constraints hold, instead of
 * being repaired afterwards. */
#ifndef KANON_ALGORITHMS_CONSTRAINED_GROWTH_H
#define KANON_ALGORITHMS_CONSTRAINED_GROWTH_H

#include "algorithms/algorithm.h"

/* In larger tables the scans take too long, and repairing plain kmember's groups (enforce/repair.h) is nearly as good. */
enum { KANON__CONSTRAINED_GROWTH_MOST = 100000 };

/* Fill the run as kmember does; a few groups may still violate a constraint. run->constraints is not NULL. */
kanon_status kanon__constrained_growth(kanon__run *run, kanon_error *err);

#endif
