/* From what the schema says to constraints that can be asked. */
#include "constraints/constraints.h"

#include "core/alloc.h"
#include "table/number.h"

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
typedef struct reading {
    const kanon_table *table;
    const kanon__constraint_text *text;
    kanon__constraint *constraint;
    kanon_error *err;
} reading;

/* ---- failing ----------------------------------------------------------------------------------------------------- */

/* A constraint of the schema file is bad input, one of a flag a wrong call. */
static kanon_status fail(const reading *r, const char *where, const char *what)
{
    if (r->text->line > 0)
        return kanon__fail(r->err, KANON_EDATA, "%s:%d: %s: %s", r->table->schema_path, r->text->line, where, what);
    return kanon__fail(r->err, KANON_EINVAL, "constraint: %s: %s", where, what);
}

static kanon_status fail_model(const reading *r)
{
    char names[256] = "";
    for (size_t i = 0; i < N_MODELS; i++)
        if (models[i] != &kanon__model_entities)
            snprintf(names + strlen(names), sizeof names - strlen(names), "%s%s", names[0] != '\0' ? ", " : "",
                     models[i]->name);
    return kanon__hint(r->err, fail(r, "model", "there is no such model"), "choose one of: %s", names);
}

/* ---- parameters -------------------------------------------------------------------------------------------------- */

static const char *find(const kanon__constraint_text *text, const char *name)
{
    int64_t at = kanon__texts_find(&text->names, name, strlen(name));
    return at >= 0 ? text->values.items[at] : NULL;
}

static void keep_parameter(kanon__constraint *c, const kanon__parameter *parameter, const kanon__decimal *number)
{
    bool entropy = c->model == &kanon__model_entropy;
    if (parameter->whole) {
        c->l = number->mantissa;
    } else {
        c->numerator = number->mantissa;
        c->denominator = 1;
        for (int i = 0; i < number->scale; i++)
            c->denominator *= 10;
        c->limit = entropy ? log(number->value) : number->value;
    }
    if (parameter == &c->model->parameters[0])
        c->asked = number->value;
}

static kanon_status read_parameter(const reading *r, const kanon__parameter *parameter)
{
    const char *text = find(r->text, parameter->name);
    kanon__decimal number;
    if (text == NULL)
        return kanon__hint(r->err, fail(r, parameter->name, "not given"), "%s is %s", parameter->name, parameter->range);
    bool good = kanon__parse_decimal(&number, text, strlen(text)) && number.exact &&
                (!parameter->whole || number.scale == 0) && number.value <= parameter->max &&
                (parameter->above_min ? number.value > parameter->min : number.value >= parameter->min);
    if (!good)
        return kanon__hint(r->err, fail(r, parameter->name, "out of range"), "%s is %s", parameter->name, parameter->range);
    keep_parameter(r->constraint, parameter, &number);
    return KANON_OK;
}

static kanon_status read_distance(const reading *r)
{
    static const char *const names[] = {"equal", "ordered", "taxonomy"};
    const char *text = find(r->text, "distance");
    if (text == NULL)
        return KANON_OK;
    for (int i = 0; i < 3; i++)
        if (strcmp(text, names[i]) == 0)
            r->constraint->distance = (kanon__ground_distance)(KANON__DISTANCE_EQUAL + i);
    if (r->constraint->distance == KANON__DISTANCE_DEFAULT)
        return kanon__hint(r->err, fail(r, "distance", "there is no such distance"),
                           "choose one of: equal, ordered, taxonomy");
    if (r->constraint->distance == KANON__DISTANCE_TAXONOMY &&
        kanon__column_is_numeric(&r->table->columns[r->constraint->column]))
        return kanon__hint(r->err, fail(r, "distance", "a number has no taxonomy"), "choose one of: equal, ordered");
    return KANON_OK;
}

/* Whatever is given must be known. */
static kanon_status check_names(const reading *r)
{
    const kanon__model *m = r->constraint->model;
    for (int64_t i = 0; i < r->text->names.n; i++) {
        const char *name = r->text->names.items[i];
        bool known = strcmp(name, "model") == 0 || strcmp(name, "attribute") == 0 ||
                     (m->has_distance && strcmp(name, "distance") == 0);
        for (int j = 0; j < KANON__MOST_PARAMETERS && m->parameters[j].name != NULL; j++)
            known = known || strcmp(name, m->parameters[j].name) == 0;
        if (!known)
            return kanon__hint(r->err, fail(r, name, "the model has no such parameter"), "%s has: attribute, %s%s%s%s",
                               m->name, m->parameters[0].name, m->parameters[1].name != NULL ? ", " : "",
                               m->parameters[1].name != NULL ? m->parameters[1].name : "",
                               m->has_distance ? ", distance" : "");
    }
    return KANON_OK;
}

static kanon_status read_attribute(const reading *r)
{
    const char *name = find(r->text, "attribute");
    if (name == NULL)
        return kanon__hint(r->err, fail(r, "attribute", "not given"), "name a sensitive column");
    for (int i = 0; i < r->table->n_columns; i++) {
        const kanon__column *c = &r->table->columns[i];
        if (strcmp(c->name, name) != 0)
            continue;
        r->constraint->column = i;
        if (c->role != KANON_ROLE_SENSITIVE)
            return kanon__hint(r->err, fail(r, name, "not a sensitive column"), "give it 'role: sensitive'");
        return KANON_OK;
    }
    return kanon__hint(r->err, fail(r, name, "the table has no such column"), "name a sensitive column");
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
static kanon_status write_sentence(const reading *r, const char *const values[KANON__MOST_PARAMETERS])
{
    char line[512];
    size_t used = 0;
    const kanon__constraint *c = r->constraint;
    if (c->column >= 0)
        used = (size_t)snprintf(line, sizeof line, "%.200s: ", r->table->columns[c->column].name);
    for (const char *at = c->model->sentence; *at != '\0' && used + 64 < sizeof line; at++) {
        if (at[0] == '{') {
            const char *value = values[at[1] - '1'];
            bool is_ordinal = strncmp(at + 3, "th", 2) == 0;
            used += (size_t)snprintf(line + used, sizeof line - used, "%.40s%s", value, is_ordinal ? ordinal(value) : "");
            at += is_ordinal ? 4 : 2;
        } else {
            line[used++] = *at;
        }
    }
    line[used] = '\0';
    if (r->table->has_entity && c->column >= 0)
        snprintf(line + used, sizeof line - used, "; a value counts once for each entity");
    return kanon__copy_text(&r->constraint->sentence, line, strlen(line), "a sentence", r->err);
}

/* ---- one constraint ---------------------------------------------------------------------------------------------- */

static kanon_status read_constraint(const reading *r)
{
    kanon_status st = KANON_OK;
    const char *name = find(r->text, "model"), *values[KANON__MOST_PARAMETERS] = {0};
    if (name == NULL)
        return kanon__hint(r->err, fail(r, "model", "not given"), "write model=distinct-l-diversity,attribute=COLUMN,l=3");
    for (size_t i = 0; i < N_MODELS; i++)
        if (strcmp(models[i]->name, name) == 0 && models[i] != &kanon__model_entities)
            r->constraint->model = models[i];
    if (r->constraint->model == NULL)
        return fail_model(r);
    KANON_TRY(check_names(r), out);
    KANON_TRY(read_attribute(r), out);
    for (int i = 0; i < KANON__MOST_PARAMETERS && r->constraint->model->parameters[i].name != NULL; i++) {
        KANON_TRY(read_parameter(r, &r->constraint->model->parameters[i]), out);
        values[i] = find(r->text, r->constraint->model->parameters[i].name);
    }
    if (r->constraint->model->has_distance)
        KANON_TRY(read_distance(r), out);
    r->constraint->line = r->text->line;
    KANON_TRY(write_sentence(r, values), out);
    if (r->constraint->model->prepare != NULL)
        KANON_TRY(r->constraint->model->prepare(r->constraint, r->table, r->err), out);
out:
    return st;
}

static kanon_status require_entities(kanon__constraint *c, const kanon_table *table, int64_t k, kanon_error *err)
{
    char number[32];
    const char *const values[KANON__MOST_PARAMETERS] = {number};
    const reading r = {.table = table, .constraint = c, .err = err};
    snprintf(number, sizeof number, "%lld", (long long)k);
    c->model = &kanon__model_entities;
    c->column = -1;
    c->l = k;
    c->asked = (double)k;
    return write_sentence(&r, values);
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static void list_counted(kanon__constraints *all)
{
    for (int64_t i = 0; i < all->n; i++) {
        kanon__constraint *c = &all->items[i];
        c->counted = 0;
        while (c->counted < all->n_counted && all->counted[c->counted] != c->column)
            c->counted++;
        if (c->counted == all->n_counted)
            all->counted[all->n_counted++] = c->column;
        all->sorted[c->counted] = all->sorted[c->counted] || c->model->needs_sorted;
    }
}

kanon_status kanon__constraints_new(kanon__constraints **out, const kanon_table *table, int64_t k, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *all = NULL;
    *out = NULL;
    int64_t n = table->n_constraints + (table->has_entity ? 1 : 0);
    if (n == 0)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&all, 1, "constraints", err), out);
    all->table = table;
    KANON_TRY(kanon__new_array(&all->items, n, "constraints", err), out);
    KANON_TRY(kanon__new_array(&all->counted, n, "constraints", err), out);
    KANON_TRY(kanon__new_array(&all->sorted, n, "constraints", err), out);
    if (table->has_entity)
        KANON_TRY(require_entities(&all->items[all->n++], table, k, err), out);
    for (int64_t i = 0; i < table->n_constraints; i++) {
        reading r = {.table = table, .text = &table->constraints[i], .constraint = &all->items[all->n++], .err = err};
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
        kanon__free(all->items[i].table_sums);
        kanon__free(all->items[i].table_counts);
        kanon__free(all->items[i].sentence);
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
    const kanon_table *t = all->table;
    char place[512] = "", got[KANON__NUMBER_TEXT], asked[KANON__NUMBER_TEXT];
    if (c->column < 0) {
        kanon_status st = kanon__fail(err, KANON_EINFEASIBLE, "k = %lld, but the table has only %lld different entities",
                                      (long long)c->l, (long long)reached);
        return kanon__hint(err, st, "ask for a smaller k, or group records instead of entities");
    }
    if (c->line > 0)
        snprintf(place, sizeof place, "%s:%d: ", t->schema_path, c->line);
    snprintf(got, sizeof got, "%.6g", reached);
    snprintf(asked, sizeof asked, "%.6g", c->asked);
    kanon_status st = kanon__fail(err, KANON_EINFEASIBLE,
                                  "%s%s: %s: even the whole table as one group has %s = %s, asked is %s", place,
                                  t->columns[c->column].name, c->model->name, c->model->figure, got, asked);
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
        if (c->model->holds(c, values))
            continue;
        st = fail_infeasible(all, c, c->model->reached(c, values), err);
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

/* The i-th model that a constraint can name; the rule for entities is not one of them. NULL past the last. */
static const kanon__model *model_at(size_t i)
{
    for (size_t j = 0; j < N_MODELS; j++)
        if (models[j] != &kanon__model_entities && i-- == 0)
            return models[j];
    return NULL;
}

size_t kanon_model_count(void)
{
    size_t n = 0;
    while (model_at(n) != NULL)
        n++;
    return n;
}

const char *kanon_model_name(size_t i)
{
    return model_at(i) != NULL ? model_at(i)->name : NULL;
}

const char *kanon_model_sentence(size_t i)
{
    return model_at(i) != NULL ? model_at(i)->sentence : NULL;
}

const char *kanon_model_source(size_t i)
{
    return model_at(i) != NULL ? model_at(i)->source : NULL;
}

const char *kanon_model_parameter(size_t i, size_t j, const char **range)
{
    const kanon__model *model = model_at(i);
    if (model == NULL || j >= KANON__MOST_PARAMETERS || model->parameters[j].name == NULL)
        return NULL;
    if (range != NULL)
        *range = model->parameters[j].range;
    return model->parameters[j].name;
}
