/* Trials: what a change of the schema would save, found by short runs before it is advised.
 *
 * A trial groups the codes of the table, changed as the advice would have it: without a column, with another weight, in
 * bands, behind a mask, with a budget of suppressed records, with another k. It runs `auto` with the effort fast, whose
 * search is limited by moves and never by seconds, or the algorithm of the run where that is as quick. A large table is cut
 * at gaps, and some of the parts are tried: there the records lie as densely as in the whole.
 *
 *     baseline   the same short run with nothing changed: like is compared with like
 *     loss       in the units of the run that is advised on: its weights, and the ranges of the whole columns. A column
 *                that is left out loses nothing
 *     promise    the quotient of the two losses, which holds of longer runs too (bench/advice) */
#ifndef KANON_ADVICE_TRIALS_H
#define KANON_ADVICE_TRIALS_H

#include "advice/added_columns.h"
#include "model/grouping.h"

typedef enum kanon__trial_kind {
    KANON__TRIAL_BASELINE = 0,
    KANON__TRIAL_LEAVE_OUT,
    KANON__TRIAL_WEIGHT,
    KANON__TRIAL_BANDS,
    KANON__TRIAL_MASK,
    KANON__TRIAL_SUPPRESS,
    KANON__TRIAL_ADD, /* columns that are released as they are become quasi-identifiers of low weight */
    KANON__TRIAL_K
} kanon__trial_kind;

enum { KANON__TRIAL_TEXT = 48 };

typedef struct kanon__trial {
    kanon__trial_kind kind;
    int attribute;                /* its number among the quasi-identifiers; -1: it is about the whole */
    char text[KANON__TRIAL_TEXT]; /* the weight, the bands, the side of the mask, the share that may be suppressed */
    int64_t k;                    /* KANON__TRIAL_K */
    /* out */
    bool done;    /* there is such a grouping */
    double loss;  /* of all attributes together */
    double own;   /* the part of `attribute` */
    double exact; /* KANON__TRIAL_BANDS: the same if cells showed the least and the greatest value instead of bands */
} kanon__trial;

/* Zeroed: none. The first is the baseline. */
typedef struct kanon__trials {
    kanon__trial *items;
    int64_t n, capacity;
    int64_t n_tried; /* records of each trial; 0: none can be made */
    double *baseline; /* its loss by quasi attribute */
    int added[KANON__MOST_ADDED]; /* the columns that are tried as quasi-identifiers */
    int n_added;
} kanon__trials;

/* Whether short runs say anything of a grouping: one group decides by itself how its records are shown, and records are
 * moved one by one. Not of tables that lie in a file, or are very large. */
bool kanon__trials_possible(const kanon_table *table, const kanon_grouping *grouping);
kanon_status kanon__trials_add(kanon__trials *trials, const kanon__trial *trial, kanon_error *err);
/* Run all of them. A change that cannot be made, or met, is not `done`. */
kanon_status kanon__trials_run(kanon__trials *trials, const kanon_table *table, const kanon_grouping *grouping,
                               const kanon_advise_options *options, kanon_error *err);
void kanon__trials_clear(kanon__trials *trials);

#endif
