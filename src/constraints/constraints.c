/* From the texts of the schema to constraints: which model, which column, which parameters, and what is refused. Everything
 * that is particular to a model is behind its descriptor. */
#include "constraints/constraints.h"

#include "core/alloc.h"
#include "core/escape.h"
#include "table/schema/settings.h"

#include <kanon_host.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define KANON_CONSTRAINT(x) extern const kanon__model kanon__model_##x;
#include "constraints/constraints.def"
#undef KANON_CONSTRAINT

#define KANON_CONSTRAINT(x) &kanon__model_##x,
static const kanon__model *const models[] = {
#include "constraints/constraints.def"
};
#undef KANON_CONSTRAINT

enum { N_MODELS = sizeof models / sizeof models[0] };

/* What is known while one constraint is read. */
typedef struct constraint_reader {
    kanon__model_input input;
    kanon__constraint *constraint;
    kanon_error *err;
} constraint_reader;

/* ---- failing ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__fail_constraint(const kanon__model_input *input, const char *where, const char *what, kanon_error *err)
{
    if (input->text != NULL && input->text->line > 0)
        return kanon__fail(err, KANON_EDATA, "%s:%d: %s: %s", input->policy->schema_path, input->text->line, where, what);
    return kanon__fail(err, KANON_EINVAL, "constraint: %s: %s", where, what);
}

static kanon_status fail(const constraint_reader *r, const char *where, const char *what)
{
    return kanon__fail_constraint(&r->input, where, what, r->err);
}

static kanon_status fail_model(const constraint_reader *r, const char *name)
{
    const char *names[N_MODELS];
    size_t n = 0;
    for (size_t i = 0; i < N_MODELS; i++)
        if (!models[i]->of_entities)
            names[n++] = models[i]->info.shown.name;
    return kanon__hint_words(r->err, fail(r, "model", "there is no such model"), "choose one of:", names, n, name);
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static const char *find(const kanon__constraint_text *text, const char *name)
{
    int64_t at = kanon__texts_find(&text->names, name, strlen(name));
    return at >= 0 ? text->values.items[at] : NULL;
}

static kanon_status read_choice(const constraint_reader *r, kanon__argument *out, const kanon_setting_info *parameter)
{
    const char *text = find(r->input.text, parameter->name);
    char what[128], words[256] = "";
    out->choice = text != NULL ? kanon__choice_find(parameter->choices, text) : -1;
    if (text == NULL || out->choice >= 0)
        return KANON_OK;
    snprintf(what, sizeof what, "there is no such %s", parameter->name);
    for (const char *at = parameter->choices; *at != '\0'; at++)
        snprintf(words + strlen(words), sizeof words - strlen(words), *at == '|' ? ", " : "%c", *at);
    return kanon__hint(r->err, fail(r, parameter->name, what), "choose one of: %s", words);
}

static kanon_status read_number(const constraint_reader *r, kanon__argument *out, const kanon_setting_info *parameter)
{
    const char *text = find(r->input.text, parameter->name);
    kanon__decimal number;
    if (text == NULL)
        return kanon__hint(r->err, fail(r, parameter->name, "not given"), "%s is %s", parameter->name, parameter->help);
    bool good = kanon__parse_decimal(&number, text, strlen(text)) && number.exact &&
                (parameter->type != KANON_SETTING_INTEGER || number.scale == 0) && number.value <= parameter->max &&
                (parameter->above_min ? number.value > parameter->min : number.value >= parameter->min);
    if (!good)
        return kanon__hint(r->err, fail(r, parameter->name, "out of range"), "%s is %s", parameter->name, parameter->help);
    out->number = number;
    return KANON_OK;
}

static kanon_status read_arguments(constraint_reader *r)
{
    kanon_status st = KANON_OK;
    const kanon__entry *model = &r->constraint->model->info;
    for (size_t i = 0; st == KANON_OK && i < model->n_settings; i++)
        st = model->settings[i].type == KANON_SETTING_CHOICE ? read_choice(r, &r->input.arguments[i], &model->settings[i])
                                                             : read_number(r, &r->input.arguments[i], &model->settings[i]);
    return st;
}

/* Whatever is given must be known. */
static kanon_status check_names(const constraint_reader *r)
{
    const kanon__entry *model = &r->constraint->model->info;
    for (int64_t i = 0; i < r->input.text->names.n; i++) {
        const char *name = r->input.text->names.items[i];
        bool known = strcmp(name, "model") == 0 || strcmp(name, "attribute") == 0;
        for (size_t j = 0; j < model->n_settings; j++)
            known = known || strcmp(name, model->settings[j].name) == 0;
        if (!known)
            return kanon__hint(r->err, fail(r, name, "the model has no such parameter"), "%s has: attribute, %s%s%s",
                               model->shown.name, model->settings[0].name, model->n_settings > 1 ? ", " : "",
                               model->n_settings > 1 ? model->settings[1].name : "");
    }
    return KANON_OK;
}

/* The sensitive column whose name is most like `name`; NULL where none is. */
static const char *nearest_sensitive(const kanon__data *table, const char *name)
{
    const char *best = NULL;
    for (int i = 0; i < table->n_sensitive; i++) {
        const char *pair[] = {best, table->columns[table->sensitive[i]].name};
        best = kanon_nearest_word(pair, 2, name);
    }
    return best;
}

static kanon_status read_attribute(constraint_reader *r)
{
    const char *name = find(r->input.text, "attribute");
    if (name == NULL)
        return kanon__hint(r->err, fail(r, "attribute", "not given"), "name a sensitive column");
    for (int i = 0; i < r->input.table->n_columns; i++) {
        const kanon__column *c = &r->input.table->columns[i];
        if (strcmp(c->name, name) != 0)
            continue;
        r->input.column = i;
        if (c->role != KANON_ROLE_SENSITIVE)
            return kanon__hint(r->err, fail(r, name, "not a sensitive column"), "give it the role sensitive");
        return KANON_OK;
    }
    const char *nearest = nearest_sensitive(r->input.table, name);
    kanon_status st = fail(r, name, "the table has no such column");
    return nearest != NULL ? kanon__hint(r->err, st, "did you mean '%s'?", nearest)
                           : kanon__hint(r->err, st, "name a sensitive column");
}

/* ---- sentences --------------------------------------------------------------------------------------------------- */

/* "st", "nd", "rd" or "th", as the last two digits of a whole number ask for. */
static const char *ordinal(const char *number)
{
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    size_t n = strlen(number);
    int last = n > 0 ? number[n - 1] - '0' : 0;
    return last < 1 || last > 3 || (n > 1 && number[n - 2] == '1') ? endings[0] : endings[last];
}

/* The model's sentence with its parameters in it; {1}th is 1st where that is right. */
static kanon_status write_sentence(const constraint_reader *r, const char *const values[KANON__MOST_PARAMETERS])
{
    char line[512] = ""; /* all zero: what is written ends */
    size_t used = 0;
    const kanon__constraint *c = r->constraint;
    if (r->input.column >= 0)
        used = (size_t)snprintf(line, sizeof line, "%.*s: ",
                                KANON__CUT(r->input.table->columns[r->input.column].name, 200));
    for (const char *at = c->model->info.shown.brief; *at != '\0' && used + 64 < sizeof line; at++) {
        if (at[0] == '{') {
            const char *value = values[at[1] - '1'];
            bool is_ordinal = strncmp(at + 3, "th", 2) == 0;
            used += (size_t)snprintf(line + used, sizeof line - used, "%.*s%s", KANON__CUT(value, 40),
                                     is_ordinal ? ordinal(value) : "");
            at += is_ordinal ? 4 : 2;
        } else {
            line[used++] = *at;
        }
    }
    if (r->input.table->has_entity && r->input.column >= 0)
        snprintf(line + used, sizeof line - used, "; a value counts once for each person");
    return kanon__copy_text(&r->constraint->sentence, line, strlen(line), "a sentence", r->err);
}

/* ---- one constraint ---------------------------------------------------------------------------------------------- */

/* The model is known, the arguments are read: what every constraint has, and the model's own parameters. */
static kanon_status finish_constraint(const constraint_reader *r, const char *const values[KANON__MOST_PARAMETERS])
{
    kanon_status st = KANON_OK;
    kanon__constraint *c = r->constraint;
    c->column = r->input.column;
    c->line = r->input.text != NULL ? r->input.text->line : 0;
    c->asked = r->input.arguments[0].number.value;
    KANON_TRY(write_sentence(r, values), out);
    KANON_TRY(c->model->prepare(&c->parameters, &r->input, r->err), out);
out:
    return st;
}

static kanon_status read_constraint(constraint_reader *r)
{
    kanon_status st = KANON_OK;
    const char *name = find(r->input.text, "model"), *values[KANON__MOST_PARAMETERS] = {0};
    if (name == NULL)
        return kanon__hint(r->err, fail(r, "model", "not given"), "write model=distinct-l-diversity,attribute=COLUMN,l=3");
    for (size_t i = 0; i < N_MODELS; i++)
        if (strcmp(models[i]->info.shown.name, name) == 0 && !models[i]->of_entities)
            r->constraint->model = models[i];
    if (r->constraint->model == NULL)
        return fail_model(r, name);
    KANON_TRY(check_names(r), out);
    KANON_TRY(read_attribute(r), out);
    KANON_TRY(read_arguments(r), out);
    for (size_t i = 0; i < r->constraint->model->info.n_settings; i++)
        values[i] = find(r->input.text, r->constraint->model->info.settings[i].name);
    KANON_TRY(finish_constraint(r, values), out);
out:
    return st;
}

static kanon_status require_entities(kanon__constraint *c, const kanon__data *table, int64_t k, kanon_error *err)
{
    char number[32];
    const char *const values[KANON__MOST_PARAMETERS] = {number};
    constraint_reader r = {.input = {.table = table, .column = -1}, .constraint = c, .err = err};
    r.input.arguments[0].number = (kanon__decimal){.mantissa = k, .exact = true, .value = (double)k};
    snprintf(number, sizeof number, "%lld", (long long)k);
    c->model = &kanon__model_entities;
    return finish_constraint(&r, values);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void list_counted(kanon__constraints *all)
{
    for (int64_t i = 0; i < all->n; i++) {
        kanon__constraint *c = &all->items[i];
        while (c->counted < all->n_counted && all->counted[c->counted] != c->column)
            c->counted++;
        if (c->counted == all->n_counted)
            all->counted[all->n_counted++] = c->column;
        all->sorted[c->counted] = all->sorted[c->counted] || c->model->needs_sorted;
    }
}

kanon_status kanon__constraints_new(kanon__constraints **out, const kanon__data *table, const kanon__policy *policy,
                                    int64_t k, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *all = NULL;
    *out = NULL;
    int64_t n = policy->n_constraints + (table->has_entity ? 1 : 0);
    if (n == 0)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&all, 1, "constraints", err), out);
    all->table = table;
    all->policy = policy;
    KANON_TRY(kanon__new_array(&all->items, n, "constraints", err), out);
    KANON_TRY(kanon__new_array(&all->counted, n, "constraints", err), out);
    KANON_TRY(kanon__new_array(&all->sorted, n, "constraints", err), out);
    if (table->has_entity)
        KANON_TRY(require_entities(&all->items[all->n++], table, k, err), out);
    for (int64_t i = 0; i < policy->n_constraints; i++) {
        constraint_reader r = {.input = {.table = table, .policy = policy, .column = -1, .text = &policy->constraints[i]},
                     .constraint = &all->items[all->n++],
                     .err = err};
        KANON_TRY(read_constraint(&r), out);
    }
    list_counted(all);
    *out = all;
    all = NULL;
out:
    kanon__constraints_free(all);
    return st;
}

void kanon__constraints_free(kanon__constraints *all)
{
    if (all == NULL)
        return;
    for (int64_t i = 0; i < all->n; i++) {
        kanon__constraint *c = &all->items[i];
        if (c->parameters != NULL && c->model->clear != NULL)
            c->model->clear(c->parameters);
        kanon__free(c->parameters);
        kanon__free(c->sentence);
    }
    kanon__free(all->sorted);
    kanon__free(all->counted);
    kanon__free(all->items);
    kanon__free(all);
}

/* Why the whole table as one group is not enough. */
static kanon_status fail_infeasible(const kanon__constraints *all, const kanon__constraint *c, double reached,
                                    kanon_error *err)
{
    const kanon__data *t = all->table;
    char place[512] = "", got[KANON__NUMBER_TEXT], asked[KANON__NUMBER_TEXT];
    if (c->column < 0) {
        kanon_status st = kanon__fail(err, KANON_EINFEASIBLE, "k = %lld, but the table has only %lld person%s",
                                      (long long)c->asked, (long long)reached, reached == 1 ? "" : "s");
        return kanon__hint(err, st, "ask for a smaller k, or leave out the entity, so that k counts records");
    }
    if (c->line > 0)
        snprintf(place, sizeof place, "%s:%d: ", all->policy->schema_path, c->line);
    snprintf(got, sizeof got, "%.6g", reached);
    snprintf(asked, sizeof asked, "%.6g", c->asked);
    kanon_status st = kanon__fail(err, KANON_EINFEASIBLE,
                                  "%s%s: %s: even the whole table as one group has %s = %s, asked is %s", place,
                                  t->columns[c->column].name, c->model->info.shown.name, c->model->figure, got, asked);
    bool less = c->model->less && !isinf(reached); /* too few values are too few for every c */
    return kanon__hint(err, st, "no grouping can do better: ask for a %s %s", less ? "larger" : "smaller",
                       isinf(reached) ? "l" : c->model->figure);
}

kanon_status kanon__constraints_check_feasible(const kanon__constraints *all, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally tally = {0};
    KANON_TRY(kanon__tally_init(&tally, all, err), out);
    for (int64_t row = 0; row < all->table->n_rows; row++)
        KANON_TRY(kanon__tally_add(&tally, row, err), out);
    for (int64_t i = 0; i < all->n; i++) {
        const kanon__constraint *c = &all->items[i];
        kanon__counter *values = &tally.columns[c->counted].values;
        if (c->model->holds(c->parameters, values))
            continue;
        st = fail_infeasible(all, c, c->model->reached(c->parameters, values), err);
        goto out;
    }
out:
    kanon__tally_clear(&tally);
    return st;
}

bool kanon__constraints_grow(const kanon__constraints *all)
{
    for (int64_t i = 0; i < all->n; i++)
        if (!all->items[i].model->grows)
            return false;
    return true;
}

/* ---- the list of models ------------------------------------------------------------------------------------------ */

const kanon__entry *kanon__model_entry(size_t i)
{
    for (size_t j = 0; j < N_MODELS; j++)
        if (!models[j]->of_entities && i-- == 0)
            return &models[j]->info;
    return NULL;
}
