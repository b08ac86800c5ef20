/* (alpha,k)-anonymity (Wong, Li, Fu, Wang 2006): no value has a larger share in a group than alpha. The paper limits
 * one value that is chosen as sensitive; here every value of the column is limited. Called through constraints.def. */
#include "constraints/constraints.h"

#include "core/alloc.h"

/* alpha, exactly and rounded once. */
typedef struct alpha_parameters {
    int64_t numerator, denominator;
    double limit;
} alpha_parameters;

static double reached(const void *parameters, kanon__counter *values)
{
    (void)parameters;
    return values->total > 0 ? (double)kanon__counter_most(values) / (double)values->total : 0;
}

/* The share is rounded as alpha is, so that 1/3 is at most 0.3333333333333333. */
static bool holds(const void *parameters, kanon__counter *values)
{
    const alpha_parameters *p = parameters;
    return reached(p, values) <= p->limit;
}

static int64_t lack(const void *parameters, kanon__counter *values)
{
    const alpha_parameters *p = parameters;
    __int128 total = ((__int128)kanon__counter_most(values) * p->denominator + p->numerator - 1) / p->numerator;
    __int128 more = total - values->total;
    return more < 1 ? 1 : more < INT32_MAX ? (int64_t)more : INT32_MAX;
}

/* The records of the most frequent value beyond its share. */
static int64_t violation(const void *parameters, kanon__counter *values)
{
    const alpha_parameters *p = parameters;
    if (holds(p, values))
        return 0;
    __int128 beyond = (__int128)kanon__counter_most(values) * p->denominator - (__int128)values->total * p->numerator;
    int64_t units = (int64_t)(beyond * KANON__VIOLATION_UNIT / p->denominator);
    return units > 0 ? units : 1;
}

static bool helps(const void *parameters, kanon__counter *values, uint32_t code)
{
    (void)parameters;
    return kanon__counter_get(values, code) < kanon__counter_most(values);
}

static kanon_status prepare(void **out, const kanon__model_input *input, kanon_error *err)
{
    const kanon__decimal *alpha = &input->arguments[0].number;
    alpha_parameters *p = NULL;
    kanon_status st = kanon__new_array(&p, 1, "a constraint", err);
    if (st != KANON_OK)
        return st;
    *p = (alpha_parameters){alpha->mantissa, kanon__power_of_ten(alpha->scale), alpha->value};
    *out = p;
    return KANON_OK;
}

static const kanon_setting_info asked[] = {
    {.name = "alpha",
     .type = KANON_SETTING_NUMBER,
     .min = 0,
     .above_min = 1,
     .max = 1,
     .help = "a share above 0, at most 1",
     .required = 1},
};

const kanon__model kanon__model_alpha_k = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "alpha-k",
                       .brief = "in every group no value has a larger share than {1}",
                       .source = "Wong, Li, Fu, Wang: (alpha,k)-anonymity, KDD 2006"},
             .settings = asked,
             .n_settings = sizeof asked / sizeof *asked},
    .figure = "alpha",
    .less = true,
    .prepare = prepare,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
    .violation = violation,
};
