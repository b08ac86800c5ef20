#include "audit/check_privacy.h"

#include "constraints/constraints.h"
#include "core/alloc.h"
#include "verify/privacy_figures.h"

#include <math.h>
#include <string.h>

/* ---- the file's values as a table -------------------------------------------------------------------------------- */

/* Another tool may have generalised the values: what does not fit its type or taxonomy is taken as categories. */
static kanon_status encode(kanon_table *t, kanon__column *c, const kanon__released *r, const kanon__released_column *from,
                           kanon__texts *warnings, kanon_error *err)
{
    const kanon__attribute *attribute = kanon__schema_find(r->schema, from->name);
    const kanon__codes raw = {.cells = (void *)from->raw, .width = sizeof *from->raw};
    kanon_status st = kanon__copy_text(&c->name, from->name, strlen(from->name), "a column name", err);
    if (st != KANON_OK)
        return st;
    c->role = KANON_ROLE_SENSITIVE;
    c->encoded = true;
    c->weight = 1;
    st = kanon__column_encode(t, c, raw, from->values, attribute, r->schema, err);
    if (st != KANON_EDATA)
        return st;
    kanon__taxonomy_free(c->taxonomy);
    kanon__dictionary_clear(&c->texts);
    c->taxonomy = NULL;
    const kanon__attribute plain = {.type = KANON_TYPE_CATEGORICAL};
    st = kanon__column_encode(t, c, raw, from->values, &plain, r->schema, err);
    if (st == KANON_OK)
        st = kanon__texts_addf(
            warnings, err, "%s: some values are not of its type or taxonomy; t is that of equally far values", from->name);
    return st;
}

static kanon_status number_entities(kanon_table *t, const kanon__released *r, kanon_error *err)
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

static int find_column(const kanon_table *t, const kanon__constraint_text *c)
{
    int64_t at = kanon__texts_find(&c->names, "attribute", strlen("attribute"));
    for (int i = 0; at >= 0 && i < t->n_columns; i++)
        if (strcmp(t->columns[i].name, c->values.items[at]) == 0)
            return i;
    return -1;
}

/* The table's constraints are the schema's own, so they are not freed with it. */
static kanon_status list_constraints(kanon_table *t, const kanon__released *r, kanon_error *err)
{
    kanon_status st = kanon__new_array(&t->constraints, r->schema->n_constraints, "constraints", err);
    for (int64_t i = 0; st == KANON_OK && i < r->schema->n_constraints; i++)
        if (find_column(t, &r->schema->constraints[i]) >= 0)
            t->constraints[t->n_constraints++] = r->schema->constraints[i];
    return st;
}

static void free_table(kanon_table *t)
{
    if (t == NULL)
        return;
    t->input = (kanon__input){0}; /* the checker's */
    t->n_constraints = 0;         /* the schema's */
    t->schema_path = NULL;
    kanon_table_free(t);
}

static kanon_status make_table(kanon_table **out, const kanon__released *r, kanon__texts *warnings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table *t = NULL;
    KANON_TRY(kanon__new_array(&t, 1, "sensitive values", err), out);
    t->input = *r->input;
    t->csv_options.delimiter = r->delimiter;
    t->schema_path = r->schema->path;
    t->n_rows = r->n_rows;
    t->most_suppressed = -1;
    KANON_TRY(kanon__new_array(&t->columns, r->n_columns, "sensitive values", err), out);
    for (; t->n_columns < r->n_columns;) {
        int i = t->n_columns++;
        KANON_TRY(encode(t, &t->columns[i], r, &r->columns[i], warnings, err), out);
    }
    if (r->entity != NULL)
        KANON_TRY(number_entities(t, r, err), out);
    KANON_TRY(list_constraints(t, r, err), out);
    *out = t;
    t = NULL;
out:
    free_table(t);
    return st;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static kanon_status measure_column(kanon_diversity *out, const kanon_table *t, int column, const kanon__released *r,
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
static kanon_status measure_constraints(kanon_kept **kept, kanon__texts *sentences, const kanon_table *t,
                                        const kanon__released *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *known = NULL;
    int64_t first = t->has_entity ? 1 : 0; /* the entities are a constraint, too */
    KANON_TRY(kanon__new_array(kept, t->n_constraints, "constraints", err), out);
    KANON_TRY(kanon__constraints_new(&known, t, 1, err), out);
    for (int64_t i = 0; i < t->n_constraints; i++) {
        bool holds = false;
        kanon_kept *k = &(*kept)[i];
        const kanon__constraint *c = &known->items[first + i];
        KANON_TRY(kanon__texts_add(sentences, c->sentence, strlen(c->sentence), err), out);
        KANON_TRY(
            kanon__privacy_recount(&k->reached, &holds, &t->constraints[i], t, c->column, r->group_of, r->n_groups, err),
            out);
        k->asked = c->asked;
        k->holds = holds;
    }
    for (int64_t i = 0; i < t->n_constraints; i++)
        (*kept)[i].sentence = sentences->items[i];
out:
    kanon__constraints_free(known);
    return st;
}

kanon_status kanon__check_privacy(const kanon__released *r, kanon_diversity *diversity, kanon_kept **kept,
                                  kanon__texts *sentences, int64_t *entities, kanon__texts *warnings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_table *t = NULL;
    kanon__value_runs *runs = NULL;
    KANON_TRY(make_table(&t, r, warnings, err), out);
    for (int i = 0; i < r->n_columns; i++)
        KANON_TRY(measure_column(&diversity[i], t, i, r, err), out);
    KANON_TRY(measure_constraints(kept, sentences, t, r, err), out);
    if (t->has_entity) {
        KANON_TRY(kanon__value_runs_new(&runs, t, -1, r->group_of, r->n_groups, err), out);
        double fewest = kanon__runs_distinct(runs);
        *entities = isnan(fewest) ? 0 : (int64_t)fewest;
    }
out:
    kanon__value_runs_free(runs);
    free_table(t);
    return st;
}
