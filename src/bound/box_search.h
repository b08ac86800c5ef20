/* The separation problem of one tuple: is there a box around it in which the prices violate dual feasibility, that is, the
 * k highest prices inside sum up to more than k D(box)? The answer is the box with the largest excess.
 *
 * Only tuples at or after the tuple in a given order are considered: each set of tuples has a first one, so the
 * problems of all tuples together cover all sets, each once. */
#ifndef KANON_BOUND_BOX_SEARCH_H
#define KANON_BOUND_BOX_SEARCH_H

#include "bound/box_candidates.h"

typedef struct kanon__box_search kanon__box_search;

kanon_status kanon__box_search_new(kanon__box_search **out, const kanon__priced_table *table, kanon_error *err);
void kanon__box_search_free(kanon__box_search *search);
/* What is asked about a tuple. */
typedef struct kanon__box_question {
    int64_t tuple;
    const int32_t *order; /* the rank of each tuple; only tuples of the same rank or after it are considered */
    const int32_t *last;  /* the greatest rank below each node of the index */
    int32_t radius;       /* no tuple that is considered has a higher price */
    int64_t tolerance;    /* >= 0: no excess above it, no answer */
    int64_t budget;       /* visit about so many entries at most */
    int64_t enough;       /* and no more than this once a set is found */
} kanon__box_question;

/* The box with the largest excess, if that is above the tolerance. Every set that is considered holds the tuple. The answer
 * belongs to the search and lives until the next call. */
kanon_status kanon__box_search_run(kanon__box_search *search, const kanon__box_question *question,
                                   const kanon__violated_set **out, kanon_error *err);
/* The k records around the tuple whose box costs least, whatever the prices: its cost is `units` of *out, or a little more
 * than the least where the budget ran out. No k records around the tuple cost less than *at_least. */
kanon_status kanon__box_search_least(kanon__box_search *search, int64_t tuple, int64_t budget,
                                     const kanon__violated_set **out, int32_t *at_least, kanon_error *err);

#endif
