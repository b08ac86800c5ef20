/* Recount of recursive (c,l)-diversity: r1 / (r_l + ... + r_m) of the worst group, which must be below c. Where nothing is
 * asked, l is 2. */
#include "verify/recount.h"

#include <math.h>

/* The largest count below `limit`. */
static int64_t largest_below(const kanon__run_of_value *values, int64_t n, int64_t limit)
{
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++)
        most = values[i].n < limit && values[i].n > most ? values[i].n : most;
    return most;
}

/* r1 / (r_l + ... + r_m): go through the counts from the largest down and skip the first l - 1. */
static double recursive_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    int64_t skip = *(const int64_t *)payload - 1, first = largest_below(values, n, INT64_MAX);
    double tail = 0;
    for (int64_t level = first; level > 0; level = largest_below(values, n, level)) {
        if (skip == 0) { /* all that is left counts */
            for (int64_t i = 0; i < n; i++)
                tail += values[i].n <= level ? (double)values[i].n : 0;
            break;
        }
        for (int64_t i = 0; i < n; i++) {
            if (values[i].n != level)
                continue;
            if (skip > 0)
                skip--;
            else
                tail += (double)level;
        }
    }
    return tail > 0 ? (double)first / tail : INFINITY;
}

static kanon_status count(double *out, const kanon__recount_input *input, kanon_error *err)
{
    int64_t l = (int64_t)input->shape;
    if ((double)l != input->shape || l < 2)
        return kanon__fail(err, KANON_EINTERNAL, "the check cannot read the parameter 'l' of a constraint");
    return kanon__runs_worst(out, input->runs, false, recursive_of, &l, err);
}

static bool holds(double reached, double limit)
{
    return reached < limit;
}

const kanon__recount kanon__recount_recursive = {
    .model = "recursive-l-diversity",
    .figure = "recursive_c",
    .limit = "c",
    .shape = "l",
    .usual_shape = 2,
    .count = count,
    .holds = holds,
};
