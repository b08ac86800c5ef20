/* Entropy l-diversity: the entropy of the values is at least log l. The logarithm does not matter; here it is the natural
 * one. The entropy is computed anew from the counts each time, so that no error adds up. */
#include "constraints/constraints.h"

#include <math.h>

static double n_log_n(int64_t n)
{
    return n > 1 ? (double)n * log((double)n) : 0;
}

/* The sum of n log n over the counts. */
static double spread(const kanon__counter *values)
{
    double sum = 0;
    for (int64_t i = 0; i < values->n_slots; i++)
        sum += n_log_n(values->slots[i].n);
    return sum;
}

static double entropy(double sum, int64_t total)
{
    return total > 0 ? log((double)total) - sum / (double)total : 0;
}

static bool holds(const kanon__constraint *c, kanon__counter *values)
{
    return entropy(spread(values), values->total) >= c->limit - KANON__PRIVACY_TOLERANCE;
}

static double reached(const kanon__constraint *c, kanon__counter *values)
{
    (void)c;
    return exp(entropy(spread(values), values->total));
}

static int64_t lack(const kanon__constraint *c, kanon__counter *values)
{
    int64_t values_lacking = (int64_t)ceil(exp(c->limit) - 1e-9) - values->n_distinct;
    return values_lacking > 1 ? values_lacking : 1;
}

static bool helps(const kanon__constraint *c, kanon__counter *values, uint32_t code)
{
    int64_t own = kanon__counter_get(values, code);
    double sum = spread(values), with = sum - n_log_n(own) + n_log_n(own + 1);
    (void)c;
    return own == 0 || entropy(with, values->total + 1) > entropy(sum, values->total);
}

const kanon__model kanon__model_entropy = {
    .name = "entropy-l-diversity",
    .figure = "l",
    .parameters = {{.name = "l", .min = 1, .max = 1e9, .range = "a number of at least 1"}},
    .sentence = "in every group the entropy of the values is at least log {1}: as varied as {1} equally frequent values",
    .source = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, ICDE 2006",
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
};
