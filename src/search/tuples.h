/* The distinct tuples of a space: equal records collapsed and counted.
 *
 * Most tables have far fewer distinct tuples than records, and equal records cost the same in every question. So the trees,
 * generalisations and lower bounds work on tuples, each with its list of rows.
 *
 *     rows      0 4 9 | 1 | 2 3 | 5 ...        sorted by codes, dimension by dimension, then by row
 *     begins    0       3   4     6            tuple i has rows[begins[i] .. begins[i + 1]) */
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

/* The rows of the space, sorted by the codes of the first dimension, then the second, ...; equal ones by row. */
kanon_status kanon__sort_rows(int32_t *out, const kanon__space *space, kanon_error *err);

#endif
