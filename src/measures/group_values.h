/* The values of a group on one column: which there are, how often, and how often below each taxonomy node; and the
 * figures that measures are folded of. A missing value counts as a value of its own. A group costs no more than its
 * size times the depth of the taxonomy. */
#ifndef KANON_MEASURES_GROUP_VALUES_H
#define KANON_MEASURES_GROUP_VALUES_H

#include "table/domain/data.h"

/* Figures of the sensitive values of one group: KANON__GROUP_x is kanon__group_x. One that a group has not is NAN. */
#define KANON__GROUP_FIGURES(ROW)                                                                                           \
    ROW(DISTINCT, distinct) /* how many there are */                                                                        \
    ROW(ENTROPY, entropy)   /* exp of it, natural logarithm */                                                              \
    ROW(SKEW, skew)         /* the most frequent one's count / the other records'; of one value none */                     \
    ROW(SHARE, share)       /* of the most frequent one */                                                                  \
    ROW(SINGLE, single)     /* the records, where there is one value */                                                     \
    ROW(NEARLY, nearly)     /* the records, where nearly all have one value */                                              \
    ROW(PAIRS, pairs)       /* S-diversity */                                                                               \
    ROW(GUESSED, guessed)   /* the records whose value is that of the best guess, which is one for all of them */           \
    ROW(MATCHED, matched)   /* the records, each times the share of its value */

typedef enum kanon__group_figure {
#define ROW(NAME, name) KANON__GROUP_##NAME,
    KANON__GROUP_FIGURES(ROW)
#undef ROW
    KANON__N_GROUP_FIGURES
} kanon__group_figure;

typedef struct kanon__pair_weights kanon__pair_weights;

typedef struct kanon__group_values {
    const kanon__column *column;
    int64_t size;    /* records in the group */
    uint32_t *codes; /* its distinct codes */
    int64_t n;
    int64_t *counts; /* by code; 0: not in the group */
    /* categorical columns, after kanon__group_values_climb */
    int32_t *nodes; /* the taxonomy nodes at or above a value */
    int64_t n_nodes;
    int64_t *below;             /* by node: records at or below it */
    kanon__pair_weights *pairs; /* what two values add to S-diversity; NULL: it is not asked for */
} kanon__group_values;

/* No group yet. `r` is the setting of S-diversity, NULL where that is not asked for. */
kanon_status kanon__group_values_init(kanon__group_values *out, const kanon__column *column, const char *r,
                                      kanon_error *err);
void kanon__group_values_clear(kanon__group_values *values);
/* The next group, no record of it yet; and `n` records of it. */
void kanon__group_values_start(kanon__group_values *values);
void kanon__group_values_count(kanon__group_values *values, uint32_t code, int64_t n);

void kanon__group_values_sort(kanon__group_values *values);
void kanon__group_values_climb(kanon__group_values *values);
int64_t kanon__group_values_most(const kanon__group_values *values);
/* Of all values of the column, with these counts by code: how many a single guess gets right. */
int64_t kanon__values_guessed(const kanon__column *column, const int64_t *counts);

#define ROW(NAME, name) double kanon__group_##name(kanon__group_values *values);
KANON__GROUP_FIGURES(ROW)
#undef ROW

kanon_status kanon__pair_weights_new(kanon__pair_weights **out, const kanon__column *column, const char *r,
                                     kanon_error *err);
void kanon__pair_weights_free(kanon__pair_weights *pairs);

#endif
