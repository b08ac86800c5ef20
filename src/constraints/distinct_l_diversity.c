/* Distinct l-diversity: at least l different values. p-sensitive k-anonymity is the same under another name, and so is the
 * requirement that a group holds k different entities. */
#include "constraints/constraints.h"

static bool holds(const kanon__constraint *c, kanon__counter *values)
{
    return values->n_distinct >= c->l;
}

static double reached(const kanon__constraint *c, kanon__counter *values)
{
    (void)c;
    return (double)values->n_distinct;
}

static int64_t lack(const kanon__constraint *c, kanon__counter *values)
{
    return c->l - values->n_distinct;
}

static bool helps(const kanon__constraint *c, kanon__counter *values, uint32_t code)
{
    (void)c;
    return kanon__counter_get(values, code) == 0;
}

#define WHOLE(letter)                                                                                                       \
    {                                                                                                                       \
        .name = letter, .whole = true, .min = 2, .max = 1e9, .range = "a whole number of at least 2"                        \
    }

const kanon__model kanon__model_distinct = {
    .name = "distinct-l-diversity",
    .figure = "l",
    .parameters = {WHOLE("l")},
    .sentence = "every group has at least {1} different values",
    .source = "Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam: l-diversity, ICDE 2006",
    .grows = true,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
};

const kanon__model kanon__model_p_sensitive = {
    .name = "p-sensitive-k-anonymity",
    .figure = "p",
    .parameters = {WHOLE("p")},
    .sentence = "every group has at least {1} different values",
    .source = "Truta, Vinay: Privacy protection: p-sensitive k-anonymity property, ICDE workshops 2006",
    .grows = true,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
};

const kanon__model kanon__model_entities = {
    .name = "entities",
    .figure = "entities",
    .parameters = {WHOLE("k")},
    .sentence = "every group holds records of at least {1} different entities",
    .source = "this program",
    .grows = true,
    .holds = holds,
    .reached = reached,
    .lack = lack,
    .helps = helps,
};
