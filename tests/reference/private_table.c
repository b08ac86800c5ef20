#include "reference/private_table.h"

#include "core/random.h"

#include <stdio.h>
#include <string.h>

static const char *const constraints[PRIVATE_MODELS] = {
    "{model: distinct-l-diversity, attribute: disease, l: 3}",
    "{model: p-sensitive-k-anonymity, attribute: town, p: 2}",
    "{model: entropy-l-diversity, attribute: disease, l: 1.7}",
    "{model: recursive-l-diversity, attribute: disease, c: 3, l: 2}",
    "{model: alpha-k, attribute: town, alpha: 0.6}",
    "{model: t-closeness, attribute: disease, t: 0.4}",
    "{model: t-closeness, attribute: pay, t: 0.35}",
    "{model: t-closeness, attribute: town, t: 0.5}",
    "{model: t-closeness, attribute: disease, t: 0.5, distance: equal}",
};

static void add(char *to, size_t size, const char *text)
{
    snprintf(to + strlen(to), size - strlen(to), "%s", text);
}

static void write_schema(private_table *t, unsigned models, int entity, const char *suppress)
{
    char line[200];
    add(t->yaml, sizeof t->yaml,
        "missing: [\"?\"]\n"
        "attributes:\n"
        "  person:  {role: identifying}\n"
        "  age:     {role: quasi, type: integer}\n"
        "  job:     {role: quasi, type: categorical, taxonomy: {Hand: {Smith: , Baker: }, Head: {Clerk: , Monk: }}}\n"
        "  disease: {role: sensitive, type: categorical, taxonomy: {Cancer: , Viral: {HIV: , Air: {Flu: , Cold: }}}}\n"
        "  town:    {role: sensitive, type: categorical}\n"
        "  pay:     {role: sensitive, type: integer}\n");
    snprintf(line, sizeof line, "privacy:\n  k: %d\n", (int)t->k);
    add(t->yaml, sizeof t->yaml, line);
    if (suppress != NULL) {
        snprintf(line, sizeof line, "  suppress: %s\n", suppress);
        add(t->yaml, sizeof t->yaml, line);
    }
    if (models != 0)
        add(t->yaml, sizeof t->yaml, "  constraints:\n");
    for (int i = 0; i < PRIVATE_MODELS; i++)
        if (models & 1u << i) {
            snprintf(line, sizeof line, "    - %s\n", constraints[i]);
            add(t->yaml, sizeof t->yaml, line);
        }
    if (entity > 0)
        add(t->yaml, sizeof t->yaml, entity > 1 ? "entity: person\nentity-together: true\n" : "entity: person\n");
}

private_table private_table_new(uint64_t seed, unsigned models, int entity, const char *suppress)
{
    static const char *const jobs[] = {"Smith", "Baker", "Clerk", "Monk", "?"};
    static const char *const diseases[] = {"Cancer", "HIV", "Flu", "Cold", "?"};
    static const char *const towns[] = {"Ulm", "Bern", "Graz", "Bonn"};
    private_table t = {0};
    kanon__random random;
    char line[200];
    kanon__random_init(&random, seed, 5);
    t.k = 2 + kanon__random_below(&random, 4);
    t.n_rows = 24 + (int)kanon__random_below(&random, 60);
    add(t.csv, sizeof t.csv, "person,age,job,disease,town,pay\n");
    for (int row = 0; row < t.n_rows; row++) {
        char age[16] = "?";
        int person = (int)kanon__random_below(&random, 2 * t.n_rows / 3);
        if (kanon__random_below(&random, 12) > 0)
            snprintf(age, sizeof age, "%d", 20 + (int)kanon__random_below(&random, 30));
        /* neighbours on the list are alike, so that groups by age alone would be one-sided; the first rows hold every value
         * */
        snprintf(line, sizeof line, "p%d,%s,%s,%s,%s,%d\n", person, age, jobs[kanon__random_below(&random, 5)],
                 diseases[row < 10 ? row % 4 : kanon__random_below(&random, 5)],
                 towns[row < 12 ? row % 4 : kanon__random_below(&random, 4)], 100 * (int)kanon__random_below(&random, 9));
        add(t.csv, sizeof t.csv, line);
    }
    write_schema(&t, models, entity, suppress);
    return t;
}
