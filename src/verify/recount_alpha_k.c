/* Recount of (alpha,k)-anonymity: the largest share of a value in a group, from sorted values. Equality at the limit
 * holds, as in constraints/alpha_k.c. Called through recount.c. */
#include "verify/recount.h"

static double alpha_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    int64_t most = 0;
    (void)payload;
    for (int64_t i = 0; i < n; i++)
        most = values[i].n > most ? values[i].n : most;
    return (double)most / kanon__runs_total(values, n);
}

static kanon_status count(double *out, const kanon__recount_input *input, kanon_error *err)
{
    return kanon__runs_worst(out, input->runs, false, alpha_of, NULL, err);
}

static bool holds(double reached, double limit)
{
    return reached <= limit;
}

const kanon__recount kanon__recount_alpha_k = {
    .model = "alpha-k",
    .figure = "alpha",
    .limit = "alpha",
    .count = count,
    .holds = holds,
};
