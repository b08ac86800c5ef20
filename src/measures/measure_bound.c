/* The measures neighbour_bound and neighbour_gap: the quick lower bound on the loss of every grouping without suppression,
 * and how far from it this one is. The bound is computed by src/bound; these are its rows of measures.def. kanon_bound finds
 * a better one.
 * Called through evaluate.c; calls bound/neighbour_bound.h. */
#include "bound/neighbour_bound.h"
#include "measures/measure.h"

#include <math.h>

static kanon_status neighbour_bound(double *out, const kanon__subject *subject, int attribute, kanon_error *err)
{
    (void)attribute;
    *out = NAN;
    if (subject->k > subject->table->n_rows) /* no grouping has such groups */
        return KANON_OK;
    return kanon__neighbour_bound(out, subject->table, subject->k, subject->threads, subject->ticker, err);
}

const kanon__measure kanon__measure_neighbour_bound = {
    KANON__MEASURE_INFO(neighbour_bound, TABLE,
                        "sum over records of the distance to the (k-1)-th nearest other record: no grouping without "
                        "suppression loses less; the proved lower_bound is higher"),
    .compute = neighbour_bound,
};

static kanon_status neighbour_gap(double *out, const kanon__subject *subject, int attribute, kanon_error *err)
{
    const kanon_figure *loss = kanon_measures_find(subject->so_far, "information_loss", NULL);
    const kanon_figure *bound = kanon_measures_find(subject->so_far, "neighbour_bound", NULL);
    (void)attribute;
    (void)err;
    *out = loss->value == bound->value ? 1 : loss->value / bound->value;
    if (subject->grouping->n_suppressed > 0) /* the bound holds for groupings of all records */
        *out = NAN;
    return KANON_OK;
}

const kanon__measure kanon__measure_neighbour_gap = {
    KANON__MEASURE_INFO(neighbour_gap, TABLE,
                        "information_loss / neighbour_bound: at 1 nothing can lose less; not defined if records are "
                        "suppressed"),
    .compute = neighbour_gap,
};
