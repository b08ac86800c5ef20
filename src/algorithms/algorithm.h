/* What an algorithm is to the rest of the program: a row of algorithms.def, and a function that fills a run. */
#ifndef KANON_ALGORITHMS_ALGORITHM_H
#define KANON_ALGORITHMS_ALGORITHM_H

#include "search/run.h"

typedef struct kanon__algorithm {
    kanon_algorithm_info info;
    /* The table has at least k rows. Deterministic for a seed, whatever the number of threads. */
    kanon_status (*run)(kanon__run *run, kanon_error *err);
    /* Memory while it runs beside table and grouping: bytes per record, and per record and quasi attribute. */
    int32_t record_bytes, cell_bytes;
    /* About so many records are grouped in a minute, on one thread; 0: any number. Beyond that, blocks are the default. */
    int64_t minute;
    /* The refinement that follows unless another one is asked for; settings of the same name are handed on. NULL: none. */
    const char *refinement;
    bool recodes_attributes; /* fills run->shown where it is wanted: one mapping per attribute makes these groups */
} kanon__algorithm;

/* The bytes that a run takes on so many records. */
static inline int64_t kanon__algorithm_need(const kanon__algorithm *algorithm, int64_t n_records, int n_attributes)
{
    return n_records * (algorithm->record_bytes + (int64_t)algorithm->cell_bytes * n_attributes);
}

const kanon__algorithm *kanon__algorithm_find(const char *name);

#endif
