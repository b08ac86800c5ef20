/* What the figures of groups are made of: sums that do not depend on the order in which groups are added. A measure
 * names the sums that it needs and is a function of them (measure.h), so it exists wherever they are added up:
 *
 *     the groups of a table     subject.c: evaluation, reports, advice, trade-offs
 *     a block of many           sums_bytes.c: kanon_tally, merged and packed
 *     a file of any tool        audit/release_loss.c with its table, audit/release_check.c without
 *
 * Counts, and parts of exact terms (model/terms.h), are whole numbers; figures of the values of one group are doubles,
 * whose sum is taken in 2^-60. A class is what a reader takes for a group: groups, and suppressed records that are
 * kept. */
#ifndef KANON_MEASURES_SUMS_H
#define KANON_MEASURES_SUMS_H

#include "core/piece.h"
#include "measures/group_values.h"

#include <math.h>

/* Bits. Whoever adds up says which sums there are; a measure is listed where all those are that it needs. */
typedef enum kanon__sum {
    KANON__SUM_SIZES = 1 << 0,   /* records by the size of their class */
    KANON__SUM_RISKS = 1 << 1,   /* ... and by how many records of the class are their entity's */
    KANON__SUM_LOSSES = 1 << 2,  /* by quasi attribute: |P| * the part of the term */
    KANON__SUM_COVERS = 1 << 3,  /* likewise |P| * the part of the leaves, of cells that are no single value */
    KANON__SUM_SPREADS = 1 << 4, /* likewise the part of the leaves, or distinct values, once for each group */
    KANON__SUM_HIDDEN = 1 << 5,  /* likewise the records whose cell shows nothing */
    KANON__SUM_TOTALS = 1 << 6,  /* by sensitive attribute and code: the records in classes */
    KANON__SUM_FIRST_VALUES = 1 << 8
} kanon__sum;
/* By sensitive attribute: least, most and sum over classes of a figure of their values. */
#define KANON__SUM_OF(group_figure) ((unsigned)KANON__SUM_FIRST_VALUES << (group_figure))
#define KANON__SUMS_OF_VALUES (KANON__SUM_OF(KANON__N_GROUP_FIGURES) - KANON__SUM_FIRST_VALUES)
/* All that groups of a table have. */
#define KANON__SUMS_OF_GROUPS (KANON__SUMS_OF_VALUES | (KANON__SUM_FIRST_VALUES - 1))

/* So many records are in classes of this size, of which `own` belong to their entity; without entities own is 1. */
typedef struct kanon__class_count {
    int64_t size, own, n;
} kanon__class_count;

typedef struct kanon__quasi_sums {
    int64_t whole, whole_cover; /* of a cell that shows nothing */
    __int128 losses, covers, spreads;
    int64_t hidden;
} kanon__quasi_sums;

/* Over the classes that have the figure. */
typedef struct kanon__fold {
    int64_t n;
    double least, most;
    __int128 sum;
} kanon__fold;

typedef struct kanon__sums {
    const kanon__data *data; /* quasi and sensitive attributes, weights and names */
    unsigned has;
    int64_t k;            /* that measures assume; 0: the size of the smallest class */
    int64_t n_rows;       /* of the table */
    int64_t n_suppressed; /* in no group */
    int64_t n_lost;       /* whose cells are not among the sums: each costs all that there is to lose */
    int64_t n_groups, n_classes;
    double sample; /* the table's part of the population */
    kanon__class_count *classes; /* by size and own, rising */
    int64_t n_counts, capacity;
    kanon__quasi_sums *quasi; /* by quasi attribute */
    kanon__fold *folds;       /* by sensitive attribute and figure */
    int64_t **totals;         /* by sensitive attribute and code; an entry is NULL where they are not wanted */
} kanon__sums;

/* No groups yet. */
kanon_status kanon__sums_init(kanon__sums *out, const kanon__data *data, unsigned has, kanon_error *err);
void kanon__sums_clear(kanon__sums *sums);

/* So many records whose entities have `own` records in a class of `size`. */
kanon_status kanon__sums_add_records(kanon__sums *sums, int64_t size, int64_t own, int64_t n, kanon_error *err);
/* Classes; by row their class (negative: none) and the records of its entity there; `own` NULL: 1 each, and no rows are
 * looked at. */
kanon_status kanon__sums_add_classes(kanon__sums *sums, const int64_t *sizes, int64_t n, const int32_t *class_of,
                                     const int32_t *own, int64_t n_rows, kanon_error *err);
/* So many cells of the i-th quasi attribute. */
void kanon__sums_add_cells(kanon__sums *sums, int i, int64_t n, int64_t part, int64_t cover);
/* The values of one class on the i-th sensitive attribute, as many figures of them as are asked for. */
void kanon__sums_add_values(kanon__sums *sums, int i, kanon__group_values *values);

/* Add the sums of other groups of the same table. */
kanon_status kanon__sums_merge(kanon__sums *into, const kanon__sums *other, kanon_error *err);

/* Sums that travel: a tally (sums_bytes.c). */
extern const kanon__piece_kind kanon__tally_kind;
/* As bytes, of all that groups have. Nothing may follow; the table has n_rows. */
void kanon__pack_sums(kanon__packer *packer, const kanon__sums *sums);
kanon_status kanon__unpack_sums(kanon__sums *out, const kanon__data *data, kanon__unpacker *unpacker, int64_t n_rows,
                                kanon_error *err);

/* ---- what several measures read ---------------------------------------------------------------------------------- */

static inline double kanon__ratio(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

/* The smallest class; 0: there is none. */
static inline int64_t kanon__sums_smallest(const kanon__sums *s)
{
    return s->n_counts > 0 ? s->classes[0].size : 0;
}
int64_t kanon__sums_records(const kanon__sums *sums);           /* in classes */
double kanon__sums_above(const kanon__sums *sums, double risk); /* the share of these at a higher risk */

static inline const kanon__fold *kanon__sums_fold(const kanon__sums *s, int i, kanon__group_figure figure)
{
    return &s->folds[i * KANON__N_GROUP_FIGURES + figure];
}
/* The i-th sensitive attribute, and how many codes it has. */
static inline const kanon__column *kanon__sums_sensitive(const kanon__sums *s, int i)
{
    return &s->data->columns[s->data->sensitive[i]];
}
static inline uint32_t kanon__sums_codes(const kanon__sums *s, int i)
{
    return kanon__sums_sensitive(s, i)->domain->n_codes;
}
double kanon__fold_sum(const kanon__fold *fold);
/* The share that the sum is of the records in classes. */
double kanon__sums_share(const kanon__sums *sums, const kanon__fold *fold);
/* NAN of none, as the least and the most are. */
static inline double kanon__fold_mean(const kanon__fold *fold)
{
    return kanon__ratio(kanon__fold_sum(fold), (double)fold->n);
}

#endif
