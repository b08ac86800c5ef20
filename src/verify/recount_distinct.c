/* Recount of distinct l-diversity, of p-sensitive k-anonymity, which is the same under another name, and of the entities of
 * a group: the number of different values. */
#include "verify/recount.h"

static double distinct_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    (void)values;
    (void)payload;
    return (double)n;
}

static kanon_status count(double *out, const kanon__recount_input *input, kanon_error *err)
{
    return kanon__runs_worst(out, input->runs, true, distinct_of, NULL, err);
}

static bool holds(double reached, double limit)
{
    return reached >= limit;
}

const kanon__recount kanon__recount_distinct = {
    .model = "distinct-l-diversity",
    .figure = "distinct_l",
    .limit = "l",
    .count = count,
    .holds = holds,
};

const kanon__recount kanon__recount_p_sensitive = {
    .model = "p-sensitive-k-anonymity",
    .limit = "p",
    .count = count,
    .holds = holds,
};

const kanon__recount kanon__recount_entities = {
    .model = "entities",
    .limit = "k",
    .of_entities = true,
    .count = count,
    .holds = holds,
};
