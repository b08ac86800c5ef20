/* Any bytes as a published file: `check` reads it or refuses it with a message on one line, and what it counts fits
 * together. A file that "holds" has no class smaller than k, counted here by plain comparison where its cells are
 * plain. The same bytes as a release whose loss is measured. The first byte chooses the schema. */
#include "fuzz_support.h"

#include <math.h>

static const char *const schemas[] = {
    "attributes: {age: {role: quasi, type: integer}, job: quasi, ill: sensitive}\nprivacy: {k: 2}\n",
    "attributes: {age: {role: quasi, type: decimal}, job: {role: quasi, taxonomy: {Health: [nurse, surgeon], Food: "
    "[baker]}}, "
    "ill: {role: sensitive, taxonomy: {a: [flu, cold], b: [gout]}}}\n"
    "privacy: {k: 2, constraints: [{model: t-closeness, attribute: ill, t: 0.4}, "
    "{model: entropy-l-diversity, attribute: ill, l: 1.5}]}\n",
    "missing: ['?', '']\nentity: who\nattributes: {age: {role: quasi, type: date}, zip: {role: quasi, mask: right}, "
    "cost: {role: sensitive, type: decimal}, who: insensitive, name: identifying}\n"
    "privacy: {k: 3, constraints: [{model: recursive-l-diversity, attribute: cost, c: 2, l: 2}, "
    "{model: alpha-k, attribute: cost, alpha: 0.5}]}\n",
    "attributes: {age: quasi}\n",
};
enum { N_SCHEMAS = sizeof schemas / sizeof *schemas };

static const kanon_schema *schema_of(int i)
{
    static kanon_schema *made[N_SCHEMAS];
    kanon_error err = KANON_INIT(kanon_error);
    if (made[i] == NULL)
        require_done(kanon_schema_read(&made[i], KANON_BYTES_AS(schemas[i], strlen(schemas[i]), "s.yaml"), NULL, &err),
                     &err);
    return made[i];
}

static void check_figures(const kanon_check *check)
{
    require(check->records >= 0 && check->suppressed >= 0 && check->suppressed <= check->records);
    require(check->classes >= 0 && check->classes <= check->records);
    require(check->classes == 0 || check->k >= 1);
    require(check->k * check->classes <= check->records);
    require(!(check->highest_risk < check->average_risk - 1e-12) || check->classes == 0);
    require(check->share_at_risk >= 0 && check->share_at_risk <= 1);
    require(check->holds == (check->n_violated == 0 && check->n_not_shown == 0 && check->identifying_columns == 0) ||
            check->holds == (check->n_violated == 0 && check->n_not_shown == 0));
    if (check->holds && check->k_asked > 0 && check->classes > 0)
        require(check->k >= check->k_asked);
    for (size_t i = 0; i < check->n_constraints; i++)
        require(!check->holds || check->constraints[i]->holds);
    for (size_t i = 1; i < check->n_smallest; i++)
        require(check->smallest[i - 1]->size < check->smallest[i]->size);
}

static void measure(const uint8_t *data, size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_measures *measures = NULL;
    kanon_evaluate_options options = {.struct_size = sizeof options, .threads = 1};
    kanon_status st = kanon_evaluate_release(&measures, small_case()->table, KANON_BYTES_AS(data, size, "r.csv"),
                                             small_case()->schema, &options, &err);
    if (st != KANON_OK) {
        require_error(st, &err);
        return;
    }
    const kanon_figure *loss = kanon_measures_find(measures, "avg_loss", NULL);
    require(loss != NULL && loss->value >= 0 && loss->value <= 1 + 1e-9);
    kanon_measures_free(measures);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon_check *check = NULL;
    if (size == 0)
        return 0;
    int choice = data[0] % (N_SCHEMAS + 1);
    if (choice == N_SCHEMAS) {
        measure(data + 1, size - 1);
        return 0;
    }
    kanon_check_options options = {.struct_size = sizeof options, .k = data[0] >= 128 ? 2 : 0};
    kanon_status st = kanon_check_read(&check, KANON_BYTES_AS(data + 1, size - 1, "r.csv"), schema_of(choice), &options,
                                       &err);
    require((st == KANON_OK) == (check != NULL));
    if (st == KANON_OK)
        check_figures(check);
    else
        require_error(st, &err);
    kanon_check_free(check);
    return 0;
}
