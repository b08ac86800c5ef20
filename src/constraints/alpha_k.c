/* (alpha,k)-anonymity: no value has a larger share in a group than alpha. Of every value, not of one chosen as sensitive. */
#include "constraints/constraints.h"

static double reached(const kanon__constraint *c, kanon__counter *values)
{
    (void)c;
    return values->total > 0 ? (double)kanon__counter_most(values) / (double)values->total : 0;
}

/* The share is rounded as alpha is, so that 1/3 is at most 0.3333333333333333. */
static bool holds(const kanon__constraint *c, kanon__counter *values)
{
    return reached(c, values) <= c->limit;
}

static int64_t lack(const kanon__constraint *c, kanon__counter *values)
{
    __int128 total = ((__int128)kanon__counter_most(values) * c->denominator + c->numerator - 1) / c->numerator;
    __int128 more = total - values->total;
    return more < 1 ? 1 : more < INT32_MAX ? (int64_t)more : INT32_MAX;
}

static bool helps(const kanon__constraint *c, kanon__counter *values, uint32_t code)
{
    (void)c;
    return kanon__counter_get(values, code) < kanon__counter_most(values);
}

const kanon__model kanon__model_alpha_k = {
    .name = "alpha-k",
    .figure = "alpha",
    .less = true,
    .parameters = {{.name = "alpha", .min = 0, .above_min = true, .max = 1, .range = "a share above 0, at most 1"}},
    .sentence = "in every group no value has a larger share than {1}",
    .source = "Wong, Li, Fu, Wang: (alpha,k)-anonymity, KDD 2006",
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
};
