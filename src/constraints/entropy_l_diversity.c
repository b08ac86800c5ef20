/* Entropy l-diversity: the entropy of the values is at least log l. The logarithm does not matter; here it is the natural
 * one. The entropy is computed anew from the counts each time, so that no error adds up. */
#include "constraints/constraints.h"

#include "core/alloc.h"

#include <math.h>

enum { TABLED = 256 };

typedef struct entropy_parameters {
    double limit;                  /* log l */
    int64_t limit_units;           /* the same in units of violation, */
    int64_t n_log_n_units[TABLED]; /* and n log n of small n */
} entropy_parameters;

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

static bool holds(const void *parameters, kanon__counter *values)
{
    const entropy_parameters *p = parameters;
    return entropy(spread(values), values->total) >= p->limit - KANON__PRIVACY_TOLERANCE;
}

static double reached(const void *parameters, kanon__counter *values)
{
    (void)parameters;
    return exp(entropy(spread(values), values->total));
}

static int64_t n_log_n_units(const entropy_parameters *p, int64_t n)
{
    return n < TABLED ? p->n_log_n_units[n] : llround(n_log_n(n) * (double)KANON__VIOLATION_UNIT);
}

/* The missing entropy times the records. A sum of whole numbers does not depend on the order of the slots; what rounding
 * could decide is left to `holds`. */
static int64_t violation(const void *parameters, kanon__counter *values)
{
    enum { ROUNDING = 64 };
    const entropy_parameters *p = parameters;
    int64_t sum = values->total * p->limit_units - n_log_n_units(p, values->total);
    for (int64_t i = 0; i < values->n_slots; i++)
        sum += n_log_n_units(p, values->slots[i].n);
    if (sum < -ROUNDING - values->total)
        return 0;
    if (sum < ROUNDING + values->total && holds(p, values))
        return 0;
    return sum > 1 ? sum : 1;
}

static int64_t lack(const void *parameters, kanon__counter *values)
{
    const entropy_parameters *p = parameters;
    int64_t values_lacking = (int64_t)ceil(exp(p->limit) - 1e-9) - values->n_distinct;
    return values_lacking > 1 ? values_lacking : 1;
}

static bool helps(const void *parameters, kanon__counter *values, uint32_t code)
{
    int64_t own = kanon__counter_get(values, code);
    double sum = spread(values), with = sum - n_log_n(own) + n_log_n(own + 1);
    (void)parameters;
    return own == 0 || entropy(with, values->total + 1) > entropy(sum, values->total);
}

static kanon_status prepare(void **out, const kanon__model_input *input, kanon_error *err)
{
    entropy_parameters *p = NULL;
    kanon_status st = kanon__new_array(&p, 1, "a constraint", err);
    if (st != KANON_OK)
        return st;
    p->limit = log(input->arguments[0].number.value);
    p->limit_units = llround(p->limit * (double)KANON__VIOLATION_UNIT);
    for (int64_t n = 0; n < TABLED; n++)
        p->n_log_n_units[n] = llround(n_log_n(n) * (double)KANON__VIOLATION_UNIT);
    *out = p;
    return KANON_OK;
}

static const kanon_setting_info asked[] = {
    {.name = "l", .type = KANON_SETTING_NUMBER, .min = 1, .max = 1e9, .help = "a number of at least 1", .required = 1},
};

const kanon__model kanon__model_entropy = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "entropy-l-diversity",
                       .brief = "in every group the entropy of the values is at least log {1}: as varied as {1} equally "
                                "frequent values",
                       .source = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, ICDE 2006"},
             .settings = asked,
             .n_settings = sizeof asked / sizeof *asked},
    .figure = "l",
    .prepare = prepare,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
    .violation = violation,
};
