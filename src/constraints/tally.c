/* The tally of a group (constraints.h): how often each value occurs while records come and go, and what the constraints
 * say of it. */
#include "constraints/constraints.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

kanon_status kanon__tally_init(kanon__tally *out, const kanon__constraints *constraints, kanon_error *err)
{
    *out = (kanon__tally){.constraints = constraints};
    kanon_status st = kanon__new_array(&out->columns, constraints->n_counted, "values of a group", err);
    for (int i = 0; st == KANON_OK && i < constraints->n_counted; i++)
        out->columns[i].values.keeps_sorted = constraints->sorted[i];
    return st;
}

void kanon__tally_clear(kanon__tally *t)
{
    for (int i = 0; t->columns != NULL && i < t->constraints->n_counted; i++) {
        kanon__counter_clear(&t->columns[i].pairs);
        kanon__counter_clear(&t->columns[i].values);
    }
    kanon__free(t->columns);
    *t = (kanon__tally){0};
}

static int64_t n_values(const kanon__constraints *c, int counted)
{
    int column = c->counted[counted];
    return column < 0 ? c->table->n_entities : c->table->columns[column].domain->n_codes;
}

int64_t kanon__tallies_need(const kanon__constraints *c, int64_t n_records, int64_t k)
{
    int64_t bytes = sizeof(kanon__tally);
    if (c == NULL)
        return 0;
    for (int i = 0; i < c->n_counted; i++) {
        int64_t n_distinct = k < n_values(c, i) ? k : n_values(c, i);
        bytes += (int64_t)sizeof(kanon__tally_column) + kanon__counter_need(n_distinct, c->sorted[i]);
        bytes += c->table->has_entity && c->counted[i] >= 0 ? kanon__counter_need(k, false) : 0;
    }
    return n_records / k * bytes;
}

static uint32_t code_of(const kanon__constraints *c, int counted, int64_t row)
{
    int column = c->counted[counted];
    return kanon__code_at(column < 0 ? c->table->entity_codes : c->table->columns[column].codes, row);
}

/* Values of a column are counted by pairs where records belong to entities; the entities themselves never are. */
static bool by_pairs(const kanon__constraints *c, int counted)
{
    return c->table->has_entity && c->counted[counted] >= 0;
}

static uint64_t pair_of(const kanon__constraints *c, uint32_t code, int64_t row)
{
    return (uint64_t)kanon__code_at(c->table->entity_codes, row) << 32 | code;
}

kanon_status kanon__tally_add(kanon__tally *t, int64_t row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__constraints *c = t->constraints;
    for (int i = 0; i < c->n_counted; i++) {
        uint32_t code = code_of(c, i, row);
        int64_t n = 1;
        if (by_pairs(c, i))
            KANON_TRY(kanon__counter_add(&t->columns[i].pairs, pair_of(c, code, row), 1, &n, err), out);
        if (n == 1)
            KANON_TRY(kanon__counter_add(&t->columns[i].values, code, 1, NULL, err), out);
    }
    t->size++;
out:
    return st;
}

void kanon__tally_remove(kanon__tally *t, int64_t row)
{
    const kanon__constraints *c = t->constraints;
    for (int i = 0; i < c->n_counted; i++) {
        uint32_t code = code_of(c, i, row);
        if (!by_pairs(c, i) || kanon__counter_remove(&t->columns[i].pairs, pair_of(c, code, row)) == 0)
            kanon__counter_remove(&t->columns[i].values, code);
    }
    t->size--;
}

static kanon_status join_pairs(kanon__tally_column *to, const kanon__tally_column *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < from->pairs.n_slots; i++) {
        const kanon__count *pair = &from->pairs.slots[i];
        int64_t n;
        if (pair->n == 0)
            continue;
        KANON_TRY(kanon__counter_add(&to->pairs, pair->key - 1, pair->n, &n, err), out);
        if (n == pair->n) /* it was not there before */
            KANON_TRY(kanon__counter_add(&to->values, (uint32_t)(pair->key - 1), 1, NULL, err), out);
    }
out:
    return st;
}

kanon_status kanon__tally_join(kanon__tally *t, const kanon__tally *other, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; i < t->constraints->n_counted; i++) {
        const kanon__counter *from = &other->columns[i].values;
        if (by_pairs(t->constraints, i)) {
            KANON_TRY(join_pairs(&t->columns[i], &other->columns[i], err), out);
            continue;
        }
        for (int64_t j = 0; j < from->n_slots; j++)
            if (from->slots[j].n > 0)
                KANON_TRY(kanon__counter_add(&t->columns[i].values, from->slots[j].key - 1, from->slots[j].n, NULL, err),
                          out);
    }
    t->size += other->size;
out:
    return st;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

static bool holds(const kanon__tally *t, const kanon__constraint *c)
{
    return c->model->holds(c->parameters, &t->columns[c->counted].values);
}

bool kanon__tally_holds(kanon__tally *t)
{
    for (int64_t i = 0; i < t->constraints->n; i++)
        if (!holds(t, &t->constraints->items[i]))
            return false;
    return true;
}

/* What is known of all constraints before records come or go: one that will break is enough. */
static kanon__foresight foresee(const kanon__tally *t, int64_t n_more, const kanon__tally *more)
{
    kanon__foresight all = KANON__WILL_HOLD;
    for (int64_t i = 0; i < t->constraints->n; i++) {
        const kanon__constraint *c = &t->constraints->items[i];
        kanon__counter *values = &t->columns[c->counted].values, *coming = more ? &more->columns[c->counted].values : NULL;
        kanon__foresight here = KANON__UNFORESEEN;
        if (c->model->foresee != NULL)
            here = c->model->foresee(c->parameters, values, coming != NULL ? coming->total : n_more,
                                     coming != NULL ? c->model->reached(c->parameters, coming) : INFINITY);
        if (here == KANON__WILL_BREAK)
            return here;
        all = here == KANON__UNFORESEEN ? here : all;
    }
    return all;
}

/* What is tried out and taken back leaves the counts, and what was computed of them, as they were. */
static void save_figures(const kanon__tally *t)
{
    for (int i = 0; i < t->constraints->n_counted; i++) {
        kanon__counter *values = &t->columns[i].values;
        values->saved_of = values->figure_of;
        values->saved = values->figure;
    }
}

static void restore_figures(const kanon__tally *t)
{
    for (int i = 0; i < t->constraints->n_counted; i++) {
        kanon__counter *values = &t->columns[i].values;
        values->figure_of = values->saved_of;
        values->figure = values->saved;
    }
}

bool kanon__tally_may_hold(kanon__tally *t, int n_more)
{
    return foresee(t, n_more, NULL) != KANON__WILL_BREAK;
}

kanon_status kanon__tally_holds_with(kanon__tally *t, int64_t row, bool *all_hold, kanon_error *err)
{
    kanon__foresight known = foresee(t, 1, NULL);
    *all_hold = known == KANON__WILL_HOLD;
    if (known != KANON__UNFORESEEN)
        return KANON_OK;
    save_figures(t);
    kanon_status st = kanon__tally_add(t, row, err);
    if (st != KANON_OK)
        return st;
    *all_hold = kanon__tally_holds(t);
    kanon__tally_remove(t, row);
    restore_figures(t);
    return KANON_OK;
}

bool kanon__tally_holds_without(kanon__tally *t, int64_t row)
{
    kanon__foresight known = foresee(t, -1, NULL);
    if (known != KANON__UNFORESEEN)
        return known == KANON__WILL_HOLD;
    save_figures(t);
    kanon__tally_remove(t, row);
    bool all_hold = kanon__tally_holds(t);
    (void)kanon__tally_add(t, row, NULL); /* its slots are still there */
    restore_figures(t);
    return all_hold;
}

/* Entities that both have count once, so that nothing is known of the union without counting it. */
kanon_status kanon__tally_holds_joined(kanon__tally *left, kanon__tally *right, bool *all_hold, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally both = {0};
    kanon__foresight known = left->constraints->table->has_entity ? KANON__UNFORESEEN : foresee(left, 0, right);
    *all_hold = known == KANON__WILL_HOLD;
    if (known != KANON__UNFORESEEN)
        return KANON_OK;
    KANON_TRY(kanon__tally_init(&both, left->constraints, err), out);
    KANON_TRY(kanon__tally_join(&both, left, err), out);
    KANON_TRY(kanon__tally_join(&both, right, err), out);
    *all_hold = kanon__tally_holds(&both);
out:
    kanon__tally_clear(&both);
    return st;
}

int64_t kanon__tally_violation(kanon__tally *t)
{
    int64_t sum = 0;
    for (int64_t i = 0; i < t->constraints->n; i++) {
        const kanon__constraint *c = &t->constraints->items[i];
        sum += c->model->violation(c->parameters, &t->columns[c->counted].values);
    }
    return sum;
}

int64_t kanon__tally_lack(kanon__tally *t)
{
    int64_t most = 0;
    for (int64_t i = 0; i < t->constraints->n; i++) {
        const kanon__constraint *c = &t->constraints->items[i];
        int64_t lack = holds(t, c) ? 0 : c->model->lack(c->parameters, &t->columns[c->counted].values);
        most = lack > most ? lack : most;
    }
    return most;
}

bool kanon__tally_helps(kanon__tally *t, int64_t row)
{
    for (int64_t i = 0; i < t->constraints->n; i++) {
        const kanon__constraint *c = &t->constraints->items[i];
        kanon__tally_column *column = &t->columns[c->counted];
        uint32_t code = code_of(t->constraints, c->counted, row);
        if (by_pairs(t->constraints, c->counted) &&
            kanon__counter_get(&column->pairs, pair_of(t->constraints, code, row)) > 0)
            continue; /* the entity is there with this value */
        if (!holds(t, c) && c->model->helps(c->parameters, &column->values, code))
            return true;
    }
    return false;
}

/* ---- whole groupings --------------------------------------------------------------------------------------------- */

/* The rows of each group, ascending: group i is members[begins[i] .. begins[i + 1]). */
static void list_members(int32_t *members, int64_t *begins, const int32_t *group_of, int64_t n_rows, int64_t n_groups)
{
    for (int64_t row = 0; row < n_rows; row++)
        if (group_of[row] >= 0)
            begins[group_of[row]]++;
    for (int64_t group = 1; group <= n_groups; group++)
        begins[group] += begins[group - 1]; /* where it ends */
    for (int64_t row = n_rows - 1; row >= 0; row--)
        if (group_of[row] >= 0)
            members[--begins[group_of[row]]] = (int32_t)row;
}

kanon_status kanon__constraints_hold_rows(bool *hold, const kanon__constraints *c, const int32_t *rows, int64_t n,
                                          kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally tally = {0};
    *hold = true;
    if (c == NULL)
        return KANON_OK;
    KANON_TRY(kanon__tally_init(&tally, c, err), out);
    for (int64_t i = 0; i < n; i++)
        KANON_TRY(kanon__tally_add(&tally, rows[i], err), out);
    *hold = kanon__tally_holds(&tally);
out:
    kanon__tally_clear(&tally);
    return st;
}

typedef void (*each_group)(kanon__tally *tally, int64_t group, void *payload);

/* Show every group's tally, one after the other. */
static kanon_status visit_groups(const kanon__constraints *c, const int32_t *group_of, int64_t n_groups, each_group visit,
                                 void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally tally = {0};
    int32_t *members = NULL;
    int64_t *begins = NULL, n_rows = c->table->n_rows;
    KANON_TRY(kanon__new_array(&members, n_rows, "members", err), out);
    KANON_TRY(kanon__new_array(&begins, n_groups + 1, "members", err), out);
    list_members(members, begins, group_of, n_rows, n_groups);
    for (int64_t group = 0; group < n_groups; group++) {
        KANON_TRY(kanon__tally_init(&tally, c, err), out);
        for (int64_t i = begins[group]; i < begins[group + 1]; i++)
            KANON_TRY(kanon__tally_add(&tally, members[i], err), out);
        visit(&tally, group, payload);
        kanon__tally_clear(&tally);
    }
out:
    kanon__tally_clear(&tally);
    kanon__free(begins);
    kanon__free(members);
    return st;
}

typedef struct verdict {
    bool all;
    bool *held;
} verdict;

static void evaluate_group(kanon__tally *tally, int64_t group, void *payload)
{
    verdict *v = payload;
    bool good = tally->size == 0 || kanon__tally_holds(tally);
    v->all = v->all && good;
    if (v->held != NULL)
        v->held[group] = good;
}

kanon_status kanon__constraints_hold(bool *all, bool *held, const kanon__constraints *c, const int32_t *group_of,
                                     int64_t n_groups, kanon_error *err)
{
    verdict v = {true, held};
    *all = true;
    if (c == NULL) {
        if (held != NULL)
            memset(held, 1, (size_t)n_groups * sizeof *held);
        return KANON_OK;
    }
    kanon_status st = visit_groups(c, group_of, n_groups, evaluate_group, &v, err);
    *all = v.all;
    return st;
}

typedef struct violation_sum {
    int64_t violation, n_violating;
} violation_sum;

static void add_violation(kanon__tally *tally, int64_t group, void *payload)
{
    violation_sum *sum = payload;
    int64_t violation = tally->size > 0 ? kanon__tally_violation(tally) : 0;
    (void)group;
    sum->violation += violation;
    sum->n_violating += violation > 0;
}

kanon_status kanon__groups_violation(int64_t *violation, int64_t *n_violating, const kanon__constraints *c,
                                     const int32_t *group_of, int64_t n_groups, kanon_error *err)
{
    violation_sum sum = {0};
    kanon_status st = c == NULL ? KANON_OK : visit_groups(c, group_of, n_groups, add_violation, &sum, err);
    *violation = sum.violation;
    *n_violating = sum.n_violating;
    return st;
}

static void note_reached(kanon__tally *tally, int64_t group, void *payload)
{
    double *reached = payload;
    const kanon__constraints *all = tally->constraints;
    for (int64_t i = 0; i < all->n && tally->size > 0; i++) {
        const kanon__constraint *c = &all->items[i];
        double here = c->model->reached(c->parameters, &tally->columns[c->counted].values);
        if (group == 0 || (c->model->less ? here > reached[i] : here < reached[i]))
            reached[i] = here;
    }
}

kanon_status kanon__constraints_reached(double *reached, const kanon__constraints *c, const int32_t *group_of,
                                        int64_t n_groups, kanon_error *err)
{
    return visit_groups(c, group_of, n_groups, note_reached, reached, err);
}
