/* What an algorithm is to the rest of the program: a row of algorithms.def, and a function that fills a run. */
#ifndef KANON_ALGORITHMS_ALGORITHM_H
#define KANON_ALGORITHMS_ALGORITHM_H

#include "search/run.h"

typedef struct kanon__algorithm {
    kanon_algorithm_info info;
    /* The table has at least k rows. Deterministic for a seed, whatever the number of threads. */
    kanon_status (*run)(kanon__run *run, kanon_error *err);
} kanon__algorithm;

const kanon__algorithm *kanon__algorithm_find(const char *name);

#endif
