/* The registry of the recounts, and the reading of a constraint's parameters from its text: by itself, because what
 * src/constraints understood may be what is wrong. */
#include "verify/recount.h"

#include "table/value/number.h"

#include <math.h>
#include <string.h>

#define KANON_CONSTRAINT(x) extern const kanon__recount kanon__recount_##x;
#include "constraints/constraints.def"
#undef KANON_CONSTRAINT

#define KANON_CONSTRAINT(x) &kanon__recount_##x,
static const kanon__recount *const recounts[] = {
#include "constraints/constraints.def"
};
#undef KANON_CONSTRAINT

enum { N_RECOUNTS = sizeof recounts / sizeof recounts[0] };

const kanon__recount *kanon__recount_at(size_t i)
{
    return i < N_RECOUNTS ? recounts[i] : NULL;
}

/* ---- a constraint as written ------------------------------------------------------------------------------------- */

static const char *find_text(const kanon__constraint_text *c, const char *name)
{
    int64_t at = kanon__texts_find(&c->names, name, strlen(name));
    return at >= 0 ? c->values.items[at] : NULL;
}

static kanon_status find_recount(const kanon__recount **out, const kanon__constraint_text *c, kanon_error *err)
{
    const char *model = find_text(c, "model");
    *out = NULL;
    for (size_t i = 0; model != NULL && i < N_RECOUNTS; i++)
        if (!recounts[i]->of_entities && strcmp(recounts[i]->model, model) == 0)
            *out = recounts[i];
    if (*out == NULL)
        return kanon__fail(err, KANON_EINTERNAL, "the check does not know the model of a constraint");
    return KANON_OK;
}

static kanon_status read_number(double *out, const kanon__constraint_text *c, const char *name, kanon_error *err)
{
    kanon__decimal number = {0};
    const char *text = find_text(c, name);
    if (text == NULL || !kanon__parse_decimal(&number, text, strlen(text)) || !isfinite(number.value))
        return kanon__fail(err, KANON_EINTERNAL, "the check cannot read the parameter '%s' of a constraint", name);
    *out = number.value;
    return KANON_OK;
}

static bool is_name(const char *known, const char *name)
{
    return known != NULL && strcmp(known, name) == 0;
}

/* A parameter that the recount would leave out of account is one that it cannot confirm. */
static kanon_status check_names(const kanon__recount *r, const kanon__constraint_text *c, kanon_error *err)
{
    for (int64_t i = 0; i < c->names.n; i++) {
        const char *name = c->names.items[i];
        if (!is_name("model", name) && !is_name("attribute", name) && !is_name(r->limit, name) && !is_name(r->shape, name) &&
            !is_name(r->choice, name))
            return kanon__fail(err, KANON_EINTERNAL, "the check does not know a parameter of the model %s", r->model);
    }
    return KANON_OK;
}

/* ---- recounting -------------------------------------------------------------------------------------------------- */

/* Count the column's values by group, then let the model compute its figure. */
static kanon_status recount(double *out, const kanon__recount *r, kanon__recount_input input, const int32_t *group_of,
                            int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__value_runs *runs = NULL;
    KANON_TRY(kanon__value_runs_new(&runs, input.table, input.column, group_of, n_groups, err), out);
    input.runs = runs;
    KANON_TRY(r->count(out, &input, err), out);
out:
    kanon__value_runs_free(runs);
    return st;
}

kanon_status kanon__recount_column(double *out, const kanon__recount *r, const kanon__value_runs *runs,
                                   const kanon__data *table, int column, kanon_error *err)
{
    const kanon__recount_input input = {.runs = runs, .table = table, .column = column, .shape = r->usual_shape};
    *out = NAN;
    return r->count(out, &input, err);
}

/* Figures are quotients of two whole numbers, rounded once, as the limits are: where they are equal, so are the doubles. */
kanon_status kanon__recount_constraint(double *reached, bool *holds, const kanon__constraint_text *c,
                                       const kanon__data *table, int column, const int32_t *group_of, int64_t n_groups,
                                       kanon_error *err)
{
    const kanon__recount *r = NULL;
    kanon__recount_input input = {.table = table, .column = column};
    double limit = NAN;
    *holds = false;
    *reached = NAN;
    KANON_CHECK(find_recount(&r, c, err));
    KANON_CHECK(check_names(r, c, err));
    KANON_CHECK(read_number(&limit, c, r->limit, err));
    if (r->shape != NULL)
        KANON_CHECK(read_number(&input.shape, c, r->shape, err));
    if (r->choice != NULL)
        input.choice = find_text(c, r->choice);
    KANON_CHECK(recount(reached, r, input, group_of, n_groups, err));
    *holds = isnan(*reached) || r->holds(*reached, limit); /* NAN: there is no group */
    return KANON_OK;
}

kanon_status kanon__recount_entity_groups(double *reached, bool *holds, const kanon__data *table, const int32_t *group_of,
                                          int64_t n_groups, int64_t k, kanon_error *err)
{
    const kanon__recount *r = &kanon__recount_entities;
    const kanon__recount_input input = {.table = table, .column = -1};
    *reached = NAN;
    *holds = false;
    KANON_CHECK(recount(reached, r, input, group_of, n_groups, err));
    *holds = isnan(*reached) || r->holds(*reached, (double)k);
    return KANON_OK;
}
