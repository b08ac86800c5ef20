/* Recount of entropy l-diversity: exp(entropy) of the least varied group, summed over shares instead of counts. Called
 * through recount.c. */
#include "verify/recount.h"

#include <math.h>

static double entropy_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    double all = kanon__runs_total(values, n), entropy = 0;
    (void)payload;
    for (int64_t i = 0; i < n; i++)
        entropy += (double)values[i].n / all * log(all / (double)values[i].n);
    return entropy;
}

static kanon_status count(double *out, const kanon__recount_input *input, kanon_error *err)
{
    kanon_status st = kanon__runs_worst(out, input->runs, true, entropy_of, NULL, err);
    *out = exp(*out);
    return st;
}

static bool holds(double reached, double limit)
{
    return log(reached) >= log(limit) - KANON__VERIFY_TOLERANCE;
}

const kanon__recount kanon__recount_entropy = {
    .model = "entropy-l-diversity",
    .figure = "entropy_l",
    .limit = "l",
    .count = count,
    .holds = holds,
};
