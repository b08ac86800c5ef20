/* t-closeness: the earth mover's distance between the values of a group and those of the table is at most t. The distance
 * of a group is kept with its counter, because the search asks for it again and again between two changes of the group. */
#include "constraints/constraints.h"
#include "constraints/earth_mover.h"

#include "core/alloc.h"

typedef struct t_parameters {
    double limit;
    kanon__reference reference;
} t_parameters;

static double distance(const void *parameters, kanon__counter *values)
{
    const t_parameters *p = parameters;
    if (values->figure_of != p) {
        values->figure = kanon__reference_distance(&p->reference, values);
        values->figure_of = p;
    }
    return values->figure;
}

static bool holds(const void *parameters, kanon__counter *values)
{
    const t_parameters *p = parameters;
    return distance(p, values) <= p->limit + KANON__PRIVACY_TOLERANCE;
}

/* The distance beyond t times the values: about the values to be moved, each over the whole way. */
static int64_t violation(const void *parameters, kanon__counter *values)
{
    const t_parameters *p = parameters;
    if (holds(p, values))
        return 0;
    double beyond = (double)values->total * (distance(p, values) - p->limit);
    int64_t units = (int64_t)(beyond * (double)KANON__VIOLATION_UNIT);
    return units > 0 ? units : 1;
}

static int64_t lack(const void *parameters, kanon__counter *values)
{
    (void)parameters;
    (void)values;
    return 1;
}

/* Tried out. A value that the group lacks might need memory to be counted; then it is taken to help. */
static bool helps(const void *parameters, kanon__counter *values, uint32_t code)
{
    const t_parameters *p = parameters;
    double before = distance(p, values);
    if (kanon__counter_add(values, code, 1, NULL, NULL) != KANON_OK)
        return true;
    double after = kanon__reference_distance(&p->reference, values);
    kanon__counter_remove(values, code);
    values->figure = before;
    values->figure_of = p;
    return after < before;
}

/* The distance is a norm of the difference of shares, and at most 1: with n values at d and m more at e it is at least
 * (n d - m e) / (n + m) and at most (n d + m e) / (n + m); with m less, divide by n - m. What is so near the limit that
 * rounding could decide is left open. */
static kanon__foresight foresee(const void *parameters, kanon__counter *values, int64_t n_more, double figure)
{
    const t_parameters *p = parameters;
    const double rounding = 1e-9;
    int64_t n = values->total + n_more;
    if (n <= 0)
        return KANON__UNFORESEEN;
    double own = (double)values->total * distance(p, values);
    double other = (n_more < 0 ? -(double)n_more : (double)n_more) * (figure < 1 ? figure : 1);
    if ((own - other) / (double)n > p->limit + rounding)
        return KANON__WILL_BREAK;
    return (own + other) / (double)n < p->limit - rounding ? KANON__WILL_HOLD : KANON__UNFORESEEN;
}

static kanon_status prepare(void **out, const kanon__model_input *input, kanon_error *err)
{
    kanon_status st = KANON_OK;
    t_parameters *p = NULL;
    kanon__ground_distance ground = (kanon__ground_distance)(KANON__DISTANCE_EQUAL + input->arguments[1].choice);
    if (ground == KANON__DISTANCE_TAXONOMY && kanon__column_is_numeric(&input->table->columns[input->column]))
        return kanon__hint(err, kanon__fail_constraint(input, "distance", "a number has no taxonomy", err),
                           "choose one of: equal, ordered");
    KANON_TRY(kanon__new_array(&p, 1, "a constraint", err), out);
    p->limit = input->arguments[0].number.value;
    KANON_TRY(kanon__reference_init(&p->reference, input->table, input->column, ground, true, err), out);
    *out = p;
    p = NULL;
out:
    kanon__free(p);
    return st;
}

static void clear(void *parameters)
{
    t_parameters *p = parameters;
    kanon__reference_clear(&p->reference);
}

static const kanon_setting_info asked[] = {
    {.name = "t", .type = KANON_SETTING_NUMBER, .min = 0, .max = 1, .help = "a number from 0 to 1", .required = 1},
    {.name = "distance",
     .type = KANON_SETTING_CHOICE,
     .choices = "equal|ordered|taxonomy", /* in the order of kanon__ground_distance */
     .help = "one of ordered, taxonomy and equal (default: by the type of the column)"},
};

const kanon__model kanon__model_t_closeness = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "t-closeness",
                       .brief = "in every group the values are distributed as in the table, up to an earth mover's "
                                "distance of {1}",
                       .source = "Li, Li, Venkatasubramanian: t-closeness, ICDE 2007"},
             .settings = asked,
             .n_settings = sizeof asked / sizeof *asked},
    .figure = "t",
    .less = true,
    .needs_sorted = true,
    .of_table = true,
    .prepare = prepare,
    .clear = clear,
    .holds = holds,
    .reached = distance,
    .lack = lack,
    .helps = helps,
    .violation = violation,
    .foresee = foresee,
};
