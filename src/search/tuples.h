/* The distinct quasi-identifier tuples of a table: equal records collapsed and counted. */
#ifndef KANON_SEARCH_TUPLES_H
#define KANON_SEARCH_TUPLES_H

#include "model/space.h"

typedef struct kanon__tuples {
    int n_dimensions;
    int64_t n;
    uint32_t *codes; /* by tuple and dimension */
    int64_t *begins; /* the rows of tuple i are rows[begins[i] .. begins[i + 1]), ascending */
    int32_t *rows;   /* sorted by tuple, then row */
} kanon__tuples;

kanon_status kanon__tuples_new(kanon__tuples **out, const kanon__space *space, kanon_error *err);
void kanon__tuples_free(kanon__tuples *tuples);

/* The rows of the space by the codes of the first dimension, then the second, ...; equal ones by row. */
kanon_status kanon__sort_rows(int32_t *out, const kanon__space *space, kanon_error *err);

#endif
