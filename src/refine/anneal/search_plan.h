/* The plan of a search: how many moves and rounds, which temperatures, how wide the neighbourhood is.
 *
 * It follows from the settings and from what is searched, never from the machine, so that a seed gives the same groups
 * everywhere; only a time limit is an exception. */
#ifndef KANON_REFINE_ANNEAL_SEARCH_PLAN_H
#define KANON_REFINE_ANNEAL_SEARCH_PLAN_H

#include "table/schema/settings.h"

#include <stdbool.h>
#include <stdint.h>

/* 0 moves or seconds: not limited. */
typedef struct kanon__search_plan {
    int64_t moves;      /* in all */
    double seconds;     /* of wall-clock time */
    int64_t stop_after; /* moves; -1: not before the end */
    int64_t n_rounds;
    int64_t n_neighbours; /* width of the neighbourhood */
    int64_t most_leaves;  /* that its lists are found in; 0: all, so that they are exact */
    double hot, cold;     /* temperatures at the beginning and end of an annealing, in average losses of a record */
} kanon__search_plan;

/* What the plan depends on in addition to the settings. */
typedef struct kanon__searched_table {
    int64_t n_rows;
    int64_t n_whole; /* the records of the whole table */
    int n_quasi;
    int64_t k;
    bool in_blocks;   /* it is grouped in blocks */
    bool constrained; /* there are constraints in addition to k */
} kanon__searched_table;

kanon__search_plan kanon__search_plan_choose(const kanon__settings *settings, const kanon__searched_table *table);
/* Rounds, neighbours (unless they are set already) and temperatures for so many moves on n records. */
void kanon__search_plan_schedule(kanon__search_plan *plan, double moves, int64_t n, int64_t k);
/* What effort=balanced does there, with the limits of `plan`. */
kanon__search_plan kanon__search_plan_balanced(const kanon__search_plan *plan, const kanon__searched_table *table);
/* The moves of the effort that is set, on a table without constraints that is not cut into blocks; 0: none. */
int64_t kanon__search_plan_moves(const kanon__settings *settings, int64_t n_rows, int n_quasi, int64_t k);
/* Whether a short search is all that is asked for: effort=fast, and no number of moves or seconds. */
bool kanon__search_plan_is_short(const kanon__settings *settings);
/* Whether nothing is searched: a short search of a large table, in blocks or with constraints. */
bool kanon__search_plan_is_off(const kanon__settings *settings, const kanon__searched_table *table);

static inline double kanon__between(double least, double value, double most)
{
    return value < least ? least : value > most ? most : value;
}

#endif
