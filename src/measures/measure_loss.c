/* Information loss: Lin eq. 1-2, Rashidy eq. 1-2, Truta def. 4-5; NCP: Xu and others 2006; GCP: Ghinita and others 2007.
 * Called through evaluate.c; calls sums.h. */
#include "measures/measure.h"

static double weight_of(const kanon__sums *s, int i)
{
    return s->data->columns[s->data->quasi[i]].weight;
}

static double total_weight(const kanon__sums *s)
{
    double sum = 0;
    for (int i = 0; i < s->data->n_quasi; i++)
        sum += weight_of(s, i);
    return sum;
}

static double attribute_loss(const kanon__sums *s, int i)
{
    return weight_of(s, i) * ((double)s->quasi[i].losses / (double)s->quasi[i].whole + (double)s->n_lost);
}

/* Summed over the others: a difference could leave a trace of rounding where nothing is lost. */
static double loss_without(const kanon__sums *s, int except)
{
    double sum = 0;
    for (int i = 0; i < s->data->n_quasi; i++)
        sum += i != except ? attribute_loss(s, i) : 0;
    return sum;
}

static double information_loss(const kanon__sums *s, int i)
{
    (void)i;
    return loss_without(s, -1);
}

KANON__MEASURE_OF_SUMS(information_loss, TABLE, false, KANON__SUM_LOSSES,
                       "sum over groups of |P| * D(P), D(P) = sum of (max - min) / R over numeric and h(lca) / H over "
                       "categorical quasi attributes, each times its weight; a suppressed record costs the number of "
                       "quasi attributes, or the sum of their weights");

static double avg_loss(const kanon__sums *s, int i)
{
    return information_loss(s, i) / ((double)s->n_rows * total_weight(s));
}

KANON__MEASURE_OF_SUMS(avg_loss, TABLE, false, KANON__SUM_LOSSES,
                       "information_loss / (records * number of quasi attributes), from 0 to 1; with weights, their "
                       "sum is the number");

/* ---- what costs most --------------------------------------------------------------------------------------------- */

KANON__MEASURE_OF_SUMS(attribute_loss, QUASI, false, KANON__SUM_LOSSES,
                       "the attribute's part of information_loss: sum over groups of |P| * (max - min) / R or |P| * "
                       "h(lca) / H, times its weight, and its weight for each suppressed record");

static double attribute_share(const kanon__sums *s, int i)
{
    return kanon__ratio(attribute_loss(s, i), loss_without(s, -1));
}

KANON__MEASURE_OF_SUMS(attribute_share, QUASI, false, KANON__SUM_LOSSES,
                       "attribute_loss / information_loss: the share of the loss that this attribute causes; none "
                       "where nothing is lost");

KANON__MEASURE_OF_SUMS(loss_without, QUASI, false, KANON__SUM_LOSSES,
                       "information_loss - attribute_loss: the loss of the same groups if this attribute were left "
                       "out of the release");

/* ---- certainty penalties ----------------------------------------------------------------------------------------- */

static double ncp(const kanon__sums *s, int i)
{
    return ((double)s->quasi[i].covers / (double)s->quasi[i].whole_cover + (double)s->n_lost) / (double)s->n_rows;
}

KANON__MEASURE_OF_SUMS(ncp, QUASI, false, KANON__SUM_COVERS,
                       "normalised certainty penalty, the mean over records of (max - min) / R or leaves(lca) / "
                       "|domain| of their group, 0 for a single value and 1 for a suppressed record");

static double gcp(const kanon__sums *s, int i)
{
    double sum = 0;
    (void)i;
    for (int a = 0; a < s->data->n_quasi; a++)
        sum += weight_of(s, a) * ncp(s, a);
    return sum / total_weight(s);
}

KANON__MEASURE_OF_SUMS(gcp, TABLE, false, KANON__SUM_COVERS,
                       "global certainty penalty: the mean of ncp over the quasi attributes, by weight, from 0 to 1");
