/* The sensitive columns and the entities of a released file become encoded columns, so that the independent recounts of
 * src/verify can read them. Whatever the schema asks for and the file cannot show is listed, never passed over. */
#include "audit/check_privacy.h"

#include "audit/plain_values.h"
#include "audit/whole_row_check.h"
#include "constraints/constraints.h"
#include "core/alloc.h"
#include "measures/homogeneity.h"
#include "model/entity_records.h"
#include "table/domain/spellings.h"
#include "verify/recount.h"
#include "verify/value_runs.h"

#include <math.h>
#include <string.h>

/* ---- the file's values as encoded columns ------------------------------------------------------------------------ */

/* What the file says of the type of a column, where it has types. */
static kanon_type natural_of(const kanon__released *r, const char *name)
{
    int column = kanon__source_find(r->source, name);
    return r->source->natural != NULL && column >= 0 ? r->source->natural[column] : KANON_TYPE_UNKNOWN;
}

static const kanon__source_levels *levels_of(const kanon__released *r, const char *name)
{
    int column = kanon__source_find(r->source, name);
    return r->source->levels != NULL && column >= 0 ? &r->source->levels[column] : NULL;
}

static kanon__raw_column raw_column(const kanon__released *r, const kanon__released_column *from)
{
    return (kanon__raw_column){.name = from->name,
                               .source = r->source,
                               .n_rows = r->n_rows,
                               .codes = {.cells = (void *)from->raw, .width = sizeof *from->raw},
                               .values = from->values,
                               .null_code = KANON__NO_CODE,
                               .natural = natural_of(r, from->name),
                               .levels = levels_of(r, from->name)};
}

static kanon_status note_spellings(const kanon__released *r, const kanon__released_column *from, kanon__texts *warnings,
                                   kanon_error *err)
{
    kanon__spellings found;
    const kanon__raw_column raw = raw_column(r, from);
    kanon_status st = kanon__spellings_find(&found, &raw, err);
    return st == KANON_OK ? kanon__spellings_note(&found, from->name, r->source, warnings, err) : st;
}

/* A sensitive column, or the entities, while it becomes a column of codes. */
typedef struct encoding {
    kanon__plain_values plain;
    bool fits; /* all values are of its type or taxonomy */
} encoding;

static void clear_encodings(encoding *encodings, int n)
{
    for (int i = 0; encodings != NULL && i < n; i++)
        kanon__plain_values_clear(&encodings[i].plain);
    kanon__free(encodings);
}

/* By row: the code of its value. A cell that is no value has that of the first one until settle_vague. */
static kanon_status list_values(uint32_t **out, const kanon__released *r, const kanon__released_column *from,
                                kanon__plain_values *plain, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t any;
    if (plain->values.n == 0)
        KANON_TRY(kanon__dictionary_add(&plain->values, &any, "*", 1, err), out);
    KANON_TRY(kanon__new_array(out, r->n_rows, "sensitive values", err), out);
    for (int64_t row = 0; row < r->n_rows; row++) {
        uint32_t value = plain->value_of[from->raw[row]];
        (*out)[row] = value == KANON__NO_CODE ? 0 : value;
    }
out:
    return st;
}

static kanon_status note_vague(const encoding *e, const char *name, kanon__texts *warnings, kanon_error *err)
{
    return e->plain.n_vague == 0
               ? KANON_OK
               : kanon__texts_addf(warnings, err,
                                   "%s: some cells are suppressed or generalised; each counts as the value that its class "
                                   "has most of, unless the column's type or taxonomy says that they are values",
                                   name);
}

/* Another tool may have changed the values: what does not fit its type or taxonomy is taken as categories, which
 * describes the file but proves no constraint. */
static kanon_status encode(kanon__column *c, encoding *e, const kanon__released *r, const kanon__released_column *from,
                           kanon__texts *warnings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    static const kanon__attribute plain = {.type = KANON_TYPE_CATEGORICAL};
    const kanon__attribute *attribute = kanon__schema_find(r->schema, from->name);
    uint32_t *new_code = NULL, *value_of_row = NULL;
    KANON_TRY(kanon__copy_text(&c->name, from->name, strlen(from->name), "a column name", err), out);
    c->role = KANON_ROLE_SENSITIVE;
    c->weight = 1;
    KANON_TRY(kanon__plain_values_read(&e->plain, from->values, attribute, r->schema, err), out);
    bool none = e->plain.values.n == 0;
    KANON_TRY(list_values(&value_of_row, r, from, &e->plain, err), out);
    const kanon__released_column values = {from->name, value_of_row, &e->plain.values};
    const kanon__raw_column raw = raw_column(r, &values);
    KANON_TRY(kanon__new_array(&new_code, e->plain.values.n, "codes", err), out);
    st = kanon__domain_build(&c->domain, new_code, &raw, none ? &plain : attribute, r->schema, err);
    e->fits = st == KANON_OK;
    if (st != KANON_OK && st != KANON_EDATA)
        goto out;
    if (!e->fits) {
        KANON_TRY(kanon__domain_build(&c->domain, new_code, &raw, &plain, r->schema, err), out);
        KANON_TRY(kanon__texts_addf(warnings, err,
                                    "%s: some values are not of its type or taxonomy; t is that of equally far values",
                                    from->name),
                  out);
    }
    KANON_TRY(note_vague(e, from->name, warnings, err), out);
    if (!kanon__type_is_numeric(c->domain->type))
        KANON_TRY(note_spellings(r, from, warnings, err), out);
    KANON_TRY(kanon__codes_new(&c->codes, r->n_rows, c->domain->n_codes, false, err), out);
    for (int64_t row = 0; row < r->n_rows; row++)
        kanon__code_set(c->codes, row, new_code[value_of_row[row]]);
out:
    kanon__free(new_code);
    kanon__free(value_of_row);
    return st;
}

static kanon_status number_entities(kanon__data *t, encoding *e, const kanon__released *r, kanon__privacy_result *found,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    static const kanon__attribute plain = {.type = KANON_TYPE_CATEGORICAL};
    uint32_t *code_of = NULL, *value_of_row = NULL;
    KANON_TRY(note_spellings(r, r->entity, &found->warnings, err), out);
    KANON_TRY(kanon__plain_values_read(&e->plain, r->entity->values, &plain, r->schema, err), out);
    KANON_TRY(list_values(&value_of_row, r, r->entity, &e->plain, err), out);
    if (e->plain.n_vague > 0)
        KANON_TRY(kanon__texts_addf(&found->persons_not_shown, err,
                                    "%s: some cells are suppressed or generalised, so persons cannot be counted",
                                    r->entity->name),
                  out);
    KANON_TRY(kanon__new_array(&code_of, e->plain.values.n, "entities", err), out);
    KANON_TRY(kanon__entities_number(code_of, &t->n_entities, &e->plain.values, KANON__NO_CODE, r->schema, err), out);
    KANON_TRY(kanon__codes_new(&t->entity_codes, r->n_rows, (uint32_t)t->n_entities, false, err), out);
    for (int64_t row = 0; row < r->n_rows; row++)
        kanon__code_set(t->entity_codes, row, code_of[value_of_row[row]]);
    t->has_entity = true;
out:
    kanon__free(code_of);
    kanon__free(value_of_row);
    return st;
}

static kanon_status take_persons(kanon__data *t, const kanon__released *r, kanon_error *err)
{
    t->n_entities = r->n_persons;
    KANON_CHECK(kanon__codes_new(&t->entity_codes, r->n_rows, (uint32_t)t->n_entities, false, err));
    for (int64_t row = 0; row < r->n_rows; row++)
        kanon__code_set(t->entity_codes, row, r->persons[row]);
    t->has_entity = true;
    return KANON_OK;
}

/* Every cell that is no value gets the one that most of its class have. No other choice leaves fewer different values, a
 * larger share of one, or less entropy, so no figure of a class alone is better than the truth. A class without any value
 * has one. */
static kanon_status settle_vague(kanon__data *t, int column, const encoding *e, const kanon__released *r, kanon_error *err)
{
    const uint32_t *raw = r->columns[column].raw;
    kanon_status st = KANON_OK;
    int32_t *known = NULL;
    kanon__value_runs *runs = NULL;
    if (e->plain.n_vague == 0)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&known, r->n_rows, "classes of rows", err), out);
    for (int64_t row = 0; row < r->n_rows; row++)
        known[row] = e->plain.value_of[raw[row]] == KANON__NO_CODE ? -1 : r->group_of[row];
    KANON_TRY(kanon__value_runs_new(&runs, t, column, known, r->n_groups, err), out);
    for (int64_t row = 0; row < r->n_rows; row++) {
        int32_t group = r->group_of[row];
        const kanon__run_of_value *most = NULL;
        if (known[row] >= 0 || group < 0)
            continue;
        for (int64_t i = runs->begins[group]; i < runs->begins[group + 1]; i++)
            most = most == NULL || runs->values[i].n > most->n ? &runs->values[i] : most;
        kanon__code_set(t->columns[column].codes, row, most != NULL ? most->code : 0);
    }
out:
    kanon__value_runs_free(runs);
    kanon__free(known);
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

/* The model of the constraint where it compares classes with the whole table, of which cells that are no values leave too
 * much open; else NULL. */
static const char *model_of_table(const kanon__constraint_text *c)
{
    int64_t at = kanon__texts_find(&c->names, "model", strlen("model"));
    const kanon__recount *recount;
    for (size_t i = 0; at >= 0 && (recount = kanon__recount_at(i)) != NULL; i++)
        if (recount->of_table && strcmp(recount->model, c->values.items[at]) == 0)
            return recount->model;
    return NULL;
}

/* The constraints that can be counted; the others are not shown. Their texts stay the schema's. */
static kanon_status list_constraints(kanon__policy *policy, const kanon__data *data, const kanon__released *r,
                                     const encoding *encodings, kanon__texts *not_shown, kanon_error *err)
{
    kanon_status st = kanon__new_array(&policy->constraints, r->schema->n_constraints, "constraints", err);
    policy->schema_path = r->schema->path;
    for (int64_t i = 0; st == KANON_OK && i < r->schema->n_constraints; i++) {
        const kanon__constraint_text *c = &r->schema->constraints[i];
        int column = find_column(data, c);
        int64_t at = kanon__texts_find(&c->names, "attribute", strlen("attribute"));
        if (kanon__is_k_map(c)) /* of people, not of a column: population.h */
            continue;
        if (column < 0)
            st = kanon__texts_addf(not_shown, err, "%s: a constraint is about it, and it is no sensitive column of the file",
                                   at >= 0 ? c->values.items[at] : "attribute");
        else if (encodings[column].plain.n_vague > 0 && model_of_table(c) != NULL)
            st = kanon__texts_addf(not_shown, err, "%s: some cells are suppressed or generalised, so %s cannot be counted",
                                   data->columns[column].name, model_of_table(c));
        else if (!encodings[column].fits)
            st = kanon__texts_addf(not_shown, err,
                                   "%s: some values are not of its type or taxonomy, so no constraint on it can be counted",
                                   data->columns[column].name);
        else
            policy->constraints[policy->n_constraints++] = *c;
    }
    return st;
}

static kanon_status encode_columns(kanon__data *data, kanon__policy *policy, encoding *encodings, const kanon__released *r,
                                   kanon__privacy_result *found, kanon_error *err)
{
    kanon_status st = KANON_OK;
    data->n_rows = r->n_rows;
    KANON_TRY(kanon__new_array(&data->columns, r->n_columns, "sensitive values", err), out);
    data->n_columns = r->n_columns;
    for (int i = 0; i < r->n_columns; i++)
        KANON_TRY(encode(&data->columns[i], &encodings[i], r, &r->columns[i], &found->warnings, err), out);
    if (r->entity != NULL)
        KANON_TRY(number_entities(data, &encodings[r->n_columns], r, found, err), out);
    else if (r->persons != NULL)
        KANON_TRY(take_persons(data, r, err), out);
    for (int i = 0; i < r->n_columns; i++)
        KANON_TRY(settle_vague(data, i, &encodings[i], r, err), out);
    KANON_TRY(list_constraints(policy, data, r, encodings, &found->not_shown, err), out);
out:
    return st;
}

enum { N_INFERENCE = 6 };

/* ---- figures ----------------------------------------------------------------------------------------------------- */

/* The shares of records whose class shows one value, or nearly one, and the warning. An entity's value counts once. */
static kanon_status measure_homogeneity(kanon__privacy_result *found, const kanon__value_runs *runs, const char *column,
                                        kanon_error *err)
{
    double one = 0, nearly = 0, all = 0;
    for (int64_t group = 0; group < runs->n_groups; group++) {
        const kanon__run_of_value *values = runs->values + runs->begins[group];
        int64_t n = runs->begins[group + 1] - runs->begins[group], most = 0;
        double total = kanon__runs_total(values, n);
        for (int64_t i = 0; i < n; i++)
            most = values[i].n > most ? values[i].n : most;
        all += total;
        one += n == 1 ? total : 0;
        nearly += n > 0 && kanon__is_nearly_all(most, (int64_t)total) ? total : 0;
    }
    *found->figures[found->n_figures++] =
        (kanon_privacy_figure){.model = "homogeneity", .attribute = column, .figure = "homogeneous", .value = one / all};
    *found->figures[found->n_figures++] = (kanon_privacy_figure){
        .model = "homogeneity", .attribute = column, .figure = "nearly_homogeneous", .value = nearly / all};
    return kanon__homogeneity_warn(&found->warnings, column, one / all, nearly / all, err);
}

/* What the values of records by class let guess: the measures of evaluate.c. `vague`: what compares them with all records is
 * left out. */
static kanon_status measure_inference(kanon__privacy_result *found, const kanon__data *t, int column, bool vague,
                                      const kanon__released *r, kanon_error *err)
{
    static const struct {
        const kanon__measure *measure;
        bool of_table;
    } rows[N_INFERENCE] = {{&kanon__measure_disco, false},         {&kanon__measure_inference, false},
                           {&kanon__measure_inference_base, true}, {&kanon__measure_inference_gain, true},
                           {&kanon__measure_cap, false},           {&kanon__measure_cap_base, true}};
    kanon_status st = KANON_OK;
    kanon__data records = kanon__data_without_entities(t);
    kanon__value_runs *runs = NULL;
    kanon__group_values values = {0};
    kanon__sums sums = {0};
    records.sensitive = &column;
    records.n_sensitive = 1;
    KANON_TRY(kanon__value_runs_new(&runs, &records, column, r->group_of, r->n_groups, err), out);
    KANON_TRY(kanon__group_values_init(&values, &t->columns[column], NULL, err), out);
    KANON_TRY(kanon__sums_init(&sums, &records,
                               KANON__SUM_TOTALS | KANON__SUM_OF(KANON__GROUP_SINGLE) |
                                   KANON__SUM_OF(KANON__GROUP_GUESSED) | KANON__SUM_OF(KANON__GROUP_MATCHED),
                               err),
              out);
    for (int64_t group = 0; group < runs->n_groups; group++) {
        kanon__group_values_start(&values);
        for (int64_t i = runs->begins[group]; i < runs->begins[group + 1]; i++)
            kanon__group_values_count(&values, runs->values[i].code, runs->values[i].n);
        kanon__sums_add_values(&sums, 0, &values);
        KANON_TRY(kanon__sums_add_records(&sums, values.size, 1, values.size, err), out);
    }
    for (int i = 0; i < N_INFERENCE; i++)
        if (!vague || !rows[i].of_table)
            *found->figures[found->n_figures++] = (kanon_privacy_figure){.model = "inference",
                                                                         .attribute = r->columns[column].name,
                                                                         .figure = rows[i].measure->info.shown.name,
                                                                         .value = rows[i].measure->figure(&sums, 0)};
out:
    kanon__sums_clear(&sums);
    kanon__group_values_clear(&values);
    kanon__value_runs_free(runs);
    return st;
}

/* Every model that has a figure, and what no model asks for, on one column; `vague`: some of its cells are no values. */
static kanon_status measure_column(kanon__privacy_result *found, const kanon__data *t, int column, bool vague,
                                   const kanon__released *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__value_runs *runs = NULL;
    const kanon__recount *recount;
    KANON_TRY(kanon__tick(r->ticker, 0, 0, KANON__TICK_POLL_NS, err), out);
    KANON_TRY(kanon__value_runs_new(&runs, t, column, r->group_of, r->n_groups, err), out);
    for (size_t i = 0; (recount = kanon__recount_at(i)) != NULL; i++) {
        KANON_TRY(kanon__tick(r->ticker, 0, 0, KANON__TICK_POLL_NS, err), out);
        if (recount->figure == NULL || (vague && recount->of_table))
            continue;
        kanon_privacy_figure *f = found->figures[found->n_figures++];
        *f = (kanon_privacy_figure){
            .model = recount->model, .attribute = r->columns[column].name, .figure = recount->figure};
        KANON_TRY(kanon__recount_column(&f->value, recount, runs, t, column, err), out);
    }
    KANON_TRY(measure_homogeneity(found, runs, r->columns[column].name, err), out);
    KANON_TRY(measure_inference(found, t, column, vague, r, err), out);
out:
    kanon__value_runs_free(runs);
    return st;
}

static kanon_status measure_columns(kanon__privacy_result *found, const kanon__data *t, const encoding *encodings,
                                    const kanon__released *r, kanon_error *err)
{
    enum { OF_HOMOGENEITY = 2, OF_ROWS = 1 };
    int64_t n_models = 0;
    while (kanon__recount_at((size_t)n_models) != NULL)
        n_models++;
    int64_t n = (n_models + OF_HOMOGENEITY + N_INFERENCE + OF_ROWS) * r->n_columns + OF_ROWS * r->n_insensitive;
    kanon_status st = kanon__new_list(&found->figures, NULL, n, "sensitive columns", err);
    for (int i = 0; st == KANON_OK && i < r->n_columns; i++)
        st = measure_column(found, t, i, encodings[i].plain.n_vague > 0, r, err);
    return st;
}

/* src/constraints refuses what is no constraint and has the words for it; the figures are recounted. */
static kanon_status measure_constraints(kanon__privacy_result *found, const kanon__data *t, const kanon__policy *policy,
                                        const kanon__released *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *known = NULL;
    int64_t first = t->has_entity ? 1 : 0; /* the entities are a constraint, too */
    KANON_TRY(kanon__new_list(&found->constraints, NULL, policy->n_constraints, "constraints", err), out);
    KANON_TRY(kanon__constraints_new(&known, t, policy, 1, err), out);
    for (int64_t i = 0; i < policy->n_constraints; i++) {
        bool holds = false;
        kanon_constraint_status *status = found->constraints[i];
        const kanon__constraint *c = &known->items[first + i];
        KANON_TRY(kanon__texts_add(&found->sentences, c->sentence, strlen(c->sentence), err), out);
        KANON_TRY(kanon__recount_constraint(&status->reached, &holds, &policy->constraints[i], t, c->column, r->group_of,
                                            r->n_groups, err),
                  out);
        status->asked = c->asked;
        status->holds = holds;
    }
    for (int64_t i = 0; i < policy->n_constraints; i++)
        found->constraints[i]->sentence = found->sentences.items[i];
    found->n_constraints = (size_t)policy->n_constraints;
out:
    kanon__constraints_free(known);
    return st;
}

static kanon_status measure_entities(kanon__privacy_result *found, const kanon__data *t, const kanon__released *r,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    double fewest = 0;
    bool holds = false;
    KANON_TRY(kanon__recount_entity_groups(&fewest, &holds, t, r->group_of, r->n_groups, 1, err), out);
    found->fewest_entities = isnan(fewest) ? 0 : (int64_t)fewest;
    KANON_TRY(kanon__entity_records_new(&found->own, t->entity_codes, r->group_of, r->n_rows, err), out);
out:
    return st;
}

kanon_status kanon__check_privacy(kanon__privacy_result *out, const kanon__released *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__data data = {0};
    kanon__policy policy = {0};
    encoding *encodings = NULL; /* of the columns and, last, the entities */
    if (r->schema->said[KANON__WHOLE_ENTITY] != NULL && r->entity == NULL && r->persons == NULL && !r->persons_open)
        KANON_TRY(kanon__texts_addf(&out->persons_not_shown, err,
                                    "%s: the file has no such column, so persons cannot be counted: k and risk are of "
                                    "records; %s",
                                    r->schema->said[KANON__WHOLE_ENTITY],
                                    r->has_original ? "nor has the original" : "the original shows whose they are"),
                  out);
    KANON_TRY(kanon__new_array(&encodings, r->n_columns + 1, "sensitive values", err), out);
    KANON_TRY(encode_columns(&data, &policy, encodings, r, out, err), out);
    KANON_TRY(measure_columns(out, &data, encodings, r, err), out);
    KANON_TRY(kanon__whole_row_check(out, r, data.has_entity ? &data.entity_codes : NULL, err), out);
    KANON_TRY(measure_constraints(out, &data, &policy, r, err), out);
    if (data.has_entity)
        KANON_TRY(measure_entities(out, &data, r, err), out);
    KANON_TRY(kanon__texts_append(&out->not_shown, &out->persons_not_shown, err), out);
out:
    clear_encodings(encodings, r->n_columns + 1);
    kanon__free(policy.constraints); /* the texts are the schema's */
    kanon__data_clear(&data);
    return st;
}

void kanon__privacy_result_clear(kanon__privacy_result *result)
{
    kanon__texts_clear(&result->persons_not_shown);
    kanon__texts_clear(&result->not_shown);
    kanon__texts_clear(&result->warnings);
    kanon__texts_clear(&result->sentences);
    kanon__texts_clear(&result->insensitive);
    kanon__free(result->own);
    kanon__free(result->constraints);
    kanon__free(result->figures);
    *result = (kanon__privacy_result){0};
}
