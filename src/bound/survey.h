/* Asking about many tuples at once whether they are overpriced, on several threads, and making prices fair. */
#ifndef KANON_BOUND_SURVEY_H
#define KANON_BOUND_SURVEY_H

#include "bound/box_search.h"
#include "bound/cuts.h"

/* What was found about one tuple. */
typedef struct kanon__finding {
    int64_t tuple;
    kanon__overpriced group; /* n is 0 where none was found */
} kanon__finding;

typedef struct kanon__survey {
    kanon__priced_table *table;
    int32_t *order;           /* by tuple: its place by falling price, when the order was last set */
    int32_t *last;            /* by node of the tree: the greatest place below it */
    int32_t *radius;          /* by tuple: its price then */
    kanon__finding *findings; /* about those that are asked about, in the order of their numbers */
    int64_t n;
    int64_t n_tasks;
    int32_t **members; /* by task: the members of its findings; every other one is a number of times */
} kanon__survey;

kanon_status kanon__survey_new(kanon__survey **out, kanon__priced_table *table, kanon_error *err);
void kanon__survey_free(kanon__survey *survey);
/* Order the tuples by the table's prices, and ask about all of them. From then on prices may only fall. */
kanon_status kanon__survey_begin(kanon__survey *survey, kanon_error *err);
/* Ask about survey->findings[0 .. n). An average excess up to `tolerance` units is let pass. */
kanon_status kanon__survey_ask(kanon__survey *survey, int32_t tolerance, int64_t budget, kanon__ticker *ticker,
                               kanon_error *err);
/* Lower the table's prices until they are fair, as little as will do, and by `tolerance` everywhere. What was found on the
 * way goes to `cuts`. *fair is false where that did not come about; the prices are of no use then. */
kanon_status kanon__survey_make_fair(kanon__survey *survey, int32_t tolerance, kanon__cuts *cuts, bool *fair,
                                     kanon__ticker *ticker, kanon_error *err);

#endif
