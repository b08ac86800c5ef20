/* Recursive (c,l)-diversity: r1 < c (r_l + ... + r_m), where r1 >= r2 >= ... are the counts of the values. Strictly less, as
 * in the paper; a group with fewer than l values never has it. */
#include "constraints/constraints.h"

#include "core/alloc.h"

#include <math.h>

/* c, exactly and rounded once, and l. */
typedef struct recursive_parameters {
    int64_t numerator, denominator;
    double limit;
    int64_t l;
} recursive_parameters;

/* The largest count r1, the (l-1)-th largest (or the least, where there are fewer), and the sum from the l-th on. */
typedef struct ranking {
    int64_t first, before, tail;
} ranking;

static ranking rank(const recursive_parameters *p, kanon__counter *values)
{
    ranking r = {.first = kanon__counter_most(values), .tail = values->total};
    int64_t last = INT64_MAX, n_taken = 0;
    while (n_taken < p->l - 1) { /* the counts from the largest down, equal ones at once */
        int64_t next = 0, n_equal = 0;
        for (int64_t i = 0; i < values->n_slots; i++) {
            int64_t n = values->slots[i].n;
            if (n >= last || n < next || n == 0)
                continue;
            n_equal = n > next ? 1 : n_equal + 1;
            next = n;
        }
        if (next == 0)
            break;
        int64_t n_here = n_equal < p->l - 1 - n_taken ? n_equal : p->l - 1 - n_taken;
        r.tail -= n_here * next;
        r.before = next;
        n_taken += n_here;
        last = next;
    }
    return r;
}

static double quotient(const ranking *r)
{
    return r->tail > 0 ? (double)r->first / (double)r->tail : INFINITY;
}

/* The c that just fails: the group is (c,l)-diverse for every larger one. */
static double reached(const void *parameters, kanon__counter *values)
{
    ranking r = rank(parameters, values);
    return quotient(&r);
}

/* The quotient is rounded as c is, so that 2/3 is not less than 0.6666666666666667. */
static bool is_below(const recursive_parameters *p, const ranking *r)
{
    return quotient(r) < p->limit;
}

static bool holds(const void *parameters, kanon__counter *values)
{
    ranking r = rank(parameters, values);
    return is_below(parameters, &r);
}

static int64_t lack(const void *parameters, kanon__counter *values)
{
    const recursive_parameters *p = parameters;
    ranking r = rank(p, values);
    __int128 tail = (__int128)r.first * p->denominator / p->numerator + 1; /* the least that is enough */
    int64_t records = tail - r.tail < INT32_MAX ? (int64_t)(tail - r.tail) : INT32_MAX;
    int64_t values_lacking = p->l - values->n_distinct;
    return values_lacking > records ? values_lacking : records > 1 ? records : 1;
}

/* What the tail lacks, and half a record's worth more, since equality is not enough. */
static int64_t violation(const void *parameters, kanon__counter *values)
{
    const recursive_parameters *p = parameters;
    ranking r = rank(p, values);
    if (is_below(p, &r))
        return 0;
    __int128 lacking = (__int128)(2 * r.first + 1) * p->denominator - (__int128)2 * r.tail * p->numerator;
    __int128 units = lacking * KANON__VIOLATION_UNIT / (2 * (__int128)p->numerator);
    return units < 1 ? 1 : units < INT64_MAX / 1024 ? (int64_t)units : INT64_MAX / 1024;
}

/* A value that is not among the l-1 most frequent adds to the tail. */
static bool helps(const void *parameters, kanon__counter *values, uint32_t code)
{
    int64_t own = kanon__counter_get(values, code);
    return own == 0 || own < rank(parameters, values).before;
}

static kanon_status prepare(void **out, const kanon__model_input *input, kanon_error *err)
{
    const kanon__decimal *c = &input->arguments[0].number;
    recursive_parameters *p = NULL;
    kanon_status st = kanon__new_array(&p, 1, "a constraint", err);
    if (st != KANON_OK)
        return st;
    *p = (recursive_parameters){c->mantissa, kanon__power_of_ten(c->scale), c->value, input->arguments[1].number.mantissa};
    *out = p;
    return KANON_OK;
}

static const kanon_setting_info asked[] = {
    {.name = "c",
     .type = KANON_SETTING_NUMBER,
     .min = 0,
     .above_min = 1,
     .max = 1e9,
     .help = "a number above 0",
     .required = 1},
    {.name = "l",
     .type = KANON_SETTING_INTEGER,
     .min = 2,
     .max = 1e9,
     .help = "a whole number of at least 2",
     .required = 1},
};

const kanon__model kanon__model_recursive = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "recursive-l-diversity",
                       .brief = "in every group the most frequent value occurs less than {1} times as often as all values "
                                "from the {2}th on",
                       .source = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, ICDE 2006"},
             .settings = asked,
             .n_settings = sizeof asked / sizeof *asked},
    .figure = "c",
    .less = true,
    .prepare = prepare,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
    .violation = violation,
};
