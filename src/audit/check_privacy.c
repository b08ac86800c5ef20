#include "audit/check_privacy.h"

#include "constraints/constraints.h"
#include "core/alloc.h"
#include "verify/privacy_figures.h"

#include <math.h>
#include <string.h>

/* ---- the file's values as encoded columns ------------------------------------------------------------------------ */

/* Another tool may have generalised the values: what does not fit its type or taxonomy is taken as categories. */
static kanon_status encode(kanon__data *data, kanon__column *c, const kanon__released *r, const kanon__released_column *from,
                           kanon__texts *warnings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    static const kanon__attribute plain = {.type = KANON_TYPE_CATEGORICAL};
    uint32_t *new_code = NULL;
    const kanon__raw_column raw = {.name = from->name,
                                   .source = r->source,
                                   .n_rows = r->n_rows,
                                   .codes = {.cells = (void *)from->raw, .width = sizeof *from->raw},
                                   .values = from->values,
                                   .null_code = KANON__NO_CODE};
    KANON_TRY(kanon__copy_text(&c->name, from->name, strlen(from->name), "a column name", err), out);
    c->role = KANON_ROLE_SENSITIVE;
    c->weight = 1;
    KANON_TRY(kanon__new_array(&new_code, from->values->n, "codes", err), out);
    st = kanon__domain_build(&c->domain, new_code, &raw, kanon__schema_find(r->schema, from->name), r->schema, err);
    if (st == KANON_EDATA) {
        KANON_TRY(kanon__domain_build(&c->domain, new_code, &raw, &plain, r->schema, err), out);
        KANON_TRY(kanon__texts_addf(warnings, err,
                                    "%s: some values are not of its type or taxonomy; t is that of equally far values",
                                    from->name),
                  out);
    } else if (st != KANON_OK) {
        goto out;
    }
    KANON_TRY(kanon__codes_new(&c->codes, r->n_rows, c->domain->n_codes, false, err), out);
    for (int64_t row = 0; row < r->n_rows; row++)
        kanon__code_set(c->codes, row, new_code[from->raw[row]]);
    data->n_columns++;
out:
    if (st != KANON_OK) {
        kanon__domain_free(c->domain);
        kanon__free(c->name);
    }
    kanon__free(new_code);
    return st;
}

static kanon_status number_entities(kanon__data *t, const kanon__released *r, kanon_error *err)
{
    const kanon__released_column *e = r->entity;
    uint32_t missing = KANON__NO_CODE, n = e->values->n;
    kanon_status st = kanon__codes_new(&t->entity_codes, r->n_rows, n, false, err);
    for (uint32_t i = 0; st == KANON_OK && i < n && missing == KANON__NO_CODE; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(e->values, i, &length);
        missing = kanon__schema_is_missing(r->schema, text, length) ? i : missing;
    }
    for (int64_t row = 0; st == KANON_OK && row < r->n_rows; row++) {
        size_t length;
        const char *text = kanon__dictionary_text(e->values, e->raw[row], &length);
        bool is_missing = missing != KANON__NO_CODE && kanon__schema_is_missing(r->schema, text, length);
        kanon__code_set(t->entity_codes, row, is_missing ? missing : e->raw[row]);
    }
    t->has_entity = true;
    t->n_entities = n;
    return st;
}

static int find_column(const kanon__data *t, const kanon__constraint_text *c)
{
    int64_t at = kanon__texts_find(&c->names, "attribute", strlen("attribute"));
    for (int i = 0; at >= 0 && i < t->n_columns; i++)
        if (strcmp(t->columns[i].name, c->values.items[at]) == 0)
            return i;
    return -1;
}

/* The constraints of the schema that are about columns of the file; they stay the schema's. */
static kanon_status list_constraints(kanon__policy *policy, const kanon__data *data, const kanon__released *r,
                                     kanon_error *err)
{
    kanon_status st = kanon__new_array(&policy->constraints, r->schema->n_constraints, "constraints", err);
    policy->schema_path = r->schema->path;
    for (int64_t i = 0; st == KANON_OK && i < r->schema->n_constraints; i++)
        if (find_column(data, &r->schema->constraints[i]) >= 0)
            policy->constraints[policy->n_constraints++] = r->schema->constraints[i];
    return st;
}

static kanon_status encode_columns(kanon__data *out, const kanon__released *r, kanon__texts *warnings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    out->n_rows = r->n_rows;
    KANON_TRY(kanon__new_array(&out->columns, r->n_columns, "sensitive values", err), out);
    for (int i = 0; i < r->n_columns; i++)
        KANON_TRY(encode(out, &out->columns[i], r, &r->columns[i], warnings, err), out);
    if (r->entity != NULL)
        KANON_TRY(number_entities(out, r, err), out);
out:
    return st;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static kanon_status measure_column(kanon_diversity *out, const kanon__data *t, int column, const kanon__released *r,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__value_runs *runs = NULL;
    KANON_TRY(kanon__value_runs_new(&runs, t, column, r->group_of, r->n_groups, err), out);
    double distinct = kanon__runs_distinct(runs);
    out->column = r->columns[column].name;
    out->distinct_min = isnan(distinct) ? 0 : (int64_t)distinct;
    out->entropy_l = exp(kanon__runs_entropy(runs));
    out->recursive_c = kanon__runs_recursive(runs, 2);
    out->alpha = kanon__runs_alpha(runs);
    KANON_TRY(kanon__runs_closeness(&out->t, runs, t, column, NULL, err), out);
out:
    kanon__value_runs_free(runs);
    return st;
}

/* src/constraints says whether a constraint is one, and in which words; the figures are recounted. */
static kanon_status measure_constraints(kanon_kept **kept, kanon__texts *sentences, const kanon__data *t,
                                        const kanon__policy *policy, const kanon__released *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *known = NULL;
    int64_t first = t->has_entity ? 1 : 0; /* the entities are a constraint, too */
    KANON_TRY(kanon__new_array(kept, policy->n_constraints, "constraints", err), out);
    KANON_TRY(kanon__constraints_new(&known, t, policy, 1, err), out);
    for (int64_t i = 0; i < policy->n_constraints; i++) {
        bool holds = false;
        kanon_kept *k = &(*kept)[i];
        const kanon__constraint *c = &known->items[first + i];
        KANON_TRY(kanon__texts_add(sentences, c->sentence, strlen(c->sentence), err), out);
        KANON_TRY(kanon__privacy_recount(&k->reached, &holds, &policy->constraints[i], t, c->column, r->group_of,
                                         r->n_groups, err),
                  out);
        k->asked = c->asked;
        k->holds = holds;
    }
    for (int64_t i = 0; i < policy->n_constraints; i++)
        (*kept)[i].sentence = sentences->items[i];
out:
    kanon__constraints_free(known);
    return st;
}

kanon_status kanon__check_privacy(const kanon__released *r, kanon_diversity *diversity, kanon_kept **kept,
                                  kanon__texts *sentences, int64_t *entities, kanon__texts *warnings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__data data = {0};
    kanon__policy policy = {0};
    kanon__value_runs *runs = NULL;
    KANON_TRY(encode_columns(&data, r, warnings, err), out);
    for (int i = 0; i < r->n_columns; i++)
        KANON_TRY(measure_column(&diversity[i], &data, i, r, err), out);
    KANON_TRY(list_constraints(&policy, &data, r, err), out);
    KANON_TRY(measure_constraints(kept, sentences, &data, &policy, r, err), out);
    if (data.has_entity) {
        KANON_TRY(kanon__value_runs_new(&runs, &data, -1, r->group_of, r->n_groups, err), out);
        double fewest = kanon__runs_distinct(runs);
        *entities = isnan(fewest) ? 0 : (int64_t)fewest;
    }
out:
    kanon__value_runs_free(runs);
    kanon__free(policy.constraints); /* the texts are the schema's */
    kanon__data_clear(&data);
    return st;
}
