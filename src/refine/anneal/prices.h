/* The price of violated constraints in the local search.
 *
 * With constraints the search minimises loss + price * violation (docs/algorithms.md). The violation of a group is a whole
 * number that its models compute (constraints.h); this file keeps the tallies of a region's groups, their violations, and
 * what a list of moves would change about them. The price rises from round to round: at first groups that violate a
 * constraint are stepping stones, in the end they cost more than any loss. */
#ifndef KANON_REFINE_ANNEAL_PRICES_H
#define KANON_REFINE_ANNEAL_PRICES_H

#include "constraints/constraints.h"
#include "refine/anneal/region.h"

/* A record, the group that it leaves and the one that it goes to; KANON__NO_GROUP: it was or will be suppressed. */
typedef struct kanon__move {
    int32_t record, from, to;
} kanon__move;

typedef struct kanon__prices {
    kanon__region *region;
    kanon__tally *tallies; /* by slot, of its members */
    int64_t *violations;   /* by slot; 0 where it is empty */
    int64_t total;         /* their sum */
    double price;          /* units of loss for a unit of violation */
    uint32_t *value_of;    /* by record: its value of the first column that is counted */
    bool by_value;         /* records of equal values change places without a change of any violation */
    /* the moves that are tried */
    int32_t *touched; /* the groups that are left or joined, */
    int32_t n_touched;
    int64_t *after;  /* their violations then, */
    bool *is_marked; /* and by slot, whether it is one of them */
    /* scratch of moves_cut.c */
    kanon__tally sides[2]; /* empty between moves */
    uint32_t *box;         /* of a group */
    int32_t *quota;        /* by value, 0 between moves */
    kanon_status status;   /* of the first allocation that failed; every later move is rejected */
} kanon__prices;

kanon_status kanon__prices_new(kanon__prices **out, const kanon__constraints *constraints, kanon__region *region,
                               double price, kanon_error *err);
void kanon__prices_free(kanon__prices *prices);
/* Bytes for so many records. */
int64_t kanon__prices_need(const kanon__constraints *constraints, int64_t n_records, int64_t k);

/* Whether what n moves, each of another record, change about the violation costs at most `most`. Then it is as if they had
 * been made, and there is room for the records in the groups that they go to; else nothing has changed. */
bool kanon__prices_agree(kanon__prices *prices, const kanon__move *moves, int64_t n, int64_t most);
/* What these moves would cost. */
int64_t kanon__prices_try(kanon__prices *prices, const kanon__move *moves, int64_t n);

/* What a violation costs, in units of loss. */
static inline int64_t kanon__price_of(const kanon__prices *p, int64_t violation)
{
    double cost = p->price * (double)violation;
    return cost < -4e18 ? INT64_MIN / 2 : cost > 4e18 ? INT64_MAX / 2 : (int64_t)cost;
}

#endif
