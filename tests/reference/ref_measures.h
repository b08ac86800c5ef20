/* Slow, obvious versions of the measures, written from the definitions alone: pairs of records, sets of nodes, and nothing
 * that the library has computed but the codes of the records, the numbers and the parents of taxonomy nodes. */
#ifndef KANON_TESTS_REF_MEASURES_H
#define KANON_TESTS_REF_MEASURES_H

#include "table/read/table.h"

typedef struct ref_case {
    const kanon_table *table;
    const int *group; /* by row, 0 .. n_groups-1, none of them empty; REF_SUPPRESSED: in none */
    int n_groups;
    double r;
    double population; /* the number of records where nothing else is known */
} ref_case;

/* The figure of that name about that column (NULL: the whole table), NAN where there is none; false: no such name. */
bool ref_measure(double *out, const ref_case *c, const char *name, const kanon__column *column);
/* The names, NULL past the last. */
const char *ref_measure_name(int i);

#endif
