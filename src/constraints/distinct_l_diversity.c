/* Distinct l-diversity: at least l different values. p-sensitive k-anonymity is the same under another name, and so is the
 * requirement that a group holds k different entities. */
#include "constraints/constraints.h"

#include "core/alloc.h"

typedef struct distinct_parameters {
    int64_t l;
} distinct_parameters;

static bool holds(const void *parameters, kanon__counter *values)
{
    const distinct_parameters *p = parameters;
    return values->n_distinct >= p->l;
}

static double reached(const void *parameters, kanon__counter *values)
{
    (void)parameters;
    return (double)values->n_distinct;
}

static int64_t lack(const void *parameters, kanon__counter *values)
{
    const distinct_parameters *p = parameters;
    return p->l - values->n_distinct;
}

/* Each missing value is a record to be exchanged. */
static int64_t violation(const void *parameters, kanon__counter *values)
{
    const distinct_parameters *p = parameters;
    return values->n_distinct < p->l ? (p->l - values->n_distinct) * KANON__VIOLATION_UNIT : 0;
}

static bool helps(const void *parameters, kanon__counter *values, uint32_t code)
{
    (void)parameters;
    return kanon__counter_get(values, code) == 0;
}

static kanon_status prepare(void **out, const kanon__model_input *input, kanon_error *err)
{
    distinct_parameters *p = NULL;
    kanon_status st = kanon__new_array(&p, 1, "a constraint", err);
    if (st != KANON_OK)
        return st;
    p->l = input->arguments[0].number.mantissa;
    *out = p;
    return KANON_OK;
}

#define WHOLE(letter)                                                                                                       \
    {                                                                                                                       \
        .name = letter, .type = KANON_SETTING_INTEGER, .min = 2, .max = 1e9, .help = "a whole number of at least 2",        \
        .required = 1                                                                                                       \
    }

static const kanon_setting_info distinct_asked[] = {WHOLE("l")};
static const kanon_setting_info p_asked[] = {WHOLE("p")};
static const kanon_setting_info entity_asked[] = {WHOLE("k")};

const kanon__model kanon__model_distinct = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "distinct-l-diversity",
                       .brief = "every group has at least {1} different values",
                       .source = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, ICDE 2006"},
             .settings = distinct_asked,
             .n_settings = sizeof distinct_asked / sizeof *distinct_asked},
    .figure = "l",
    .grows = true,
    .prepare = prepare,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
    .violation = violation,
};

const kanon__model kanon__model_p_sensitive = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "p-sensitive-k-anonymity",
                       .brief = "every group has at least {1} different values",
                       .source = "Truta, Vinay: Privacy protection: p-sensitive k-anonymity property, ICDE workshops 2006"},
             .settings = p_asked,
             .n_settings = sizeof p_asked / sizeof *p_asked},
    .figure = "p",
    .grows = true,
    .prepare = prepare,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
    .violation = violation,
};

const kanon__model kanon__model_entities = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "entities",
                       .brief = "every group holds records of at least {1} persons",
                       .source = "this program"},
             .settings = entity_asked,
             .n_settings = sizeof entity_asked / sizeof *entity_asked},
    .figure = "entities",
    .of_entities = true,
    .grows = true,
    .prepare = prepare,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
    .violation = violation,
};
