/* What a command changed is looked at when it ends: the groups that records joined or left are read as a small table. Where
 * all of them keep what is asked, that is it. Otherwise the groups near those that do not are read, too, and the repair of
 * enforce/repair.h works on this neighbourhood. It is made larger, and in the end the whole table, where it cannot keep the
 * constraints even as one group.
 *
 * Two things concern groups that nobody touched, so that the whole table is read: t-closeness, since what it compares with
 * moves with every record; and entities that may be in several groups under a model that is not kept by unions, since it
 * is all groups that look alike in a release that must keep it. */
#include "state/uphold.h"

#include "core/alloc.h"
#include "enforce/equal_groups.h"
#include "enforce/repair.h"
#include "enforce/suppression.h"
#include "state/index_near.h"
#include "state/persons.h"
#include "state/wishes.h"
#include "verify/verify.h"

#include <stdlib.h>
#include <string.h>

enum { FEW_NEIGHBOURS = 12, MORE_NEIGHBOURS = 60 };

typedef struct upholding {
    kanon_state *state;
    kanon__maintenance *done;
    kanon__picks picks; /* the groups that are looked at, by rising number */
    bool all;           /* that is all groups, and the suppressed records */
    kanon__whole part;
    kanon__space *space;
    kanon__constraints *constraints;
    int32_t *group_of; /* by row of the part: its place in `picks`, then its new group */
    bool *held;        /* by place in `picks` */
    int64_t n_broken;
    int32_t n_groups;
    int64_t *places; /* by row, read when a group is split */
    bool *has_places;
} upholding;

/* ---- constraints ------------------------------------------------------------------------------------------------- */

kanon_status kanon__uphold_constraints(kanon__constraints **out, const kanon__whole *whole, const kanon_state *s,
                                       kanon_error *err)
{
    kanon_status st = kanon__constraints_new(out, whole->table, s->k, err);
    if (st == KANON_EDATA || st == KANON_EINVAL) /* they were good when the state was made */
        st = kanon__store_damaged(&s->store, "what is asked of its groups", err);
    return st;
}

kanon_status kanon__uphold_verify(const kanon__whole *whole, const kanon_state *s, const int32_t *group_of, int64_t n_groups,
                                  kanon_error *err)
{
    kanon_status st = kanon__verify_grouping(whole->table, group_of, n_groups, s->k, err);
    return st == KANON_OK ? kanon__verify_privacy(whole->table, group_of, n_groups, s->k, err) : st;
}

/* Of an entity in the groups that were read, no record is elsewhere: counted in the file. */
static kanon_status verify_entities(const upholding *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_table *t = u->part.table;
    int64_t *n_here = NULL, n_there;
    if (!kanon__wishes_together(u->state))
        return KANON_OK;
    KANON_TRY(kanon__new_array(&n_here, t->n_entities, "the check of the entities", err), out);
    for (int64_t row = 0; row < u->part.n; row++)
        n_here[kanon__code_at(t->entity_codes, row)]++;
    for (int64_t row = 0; row < u->part.n; row++) {
        int64_t *n = &n_here[kanon__code_at(t->entity_codes, row)];
        if (*n == 0)
            continue;
        KANON_TRY(kanon__persons_count(u->state, &n_there, u->part.ids[row], err), out);
        if (n_there != *n) {
            st = kanon__fail(err, KANON_EINTERNAL, "the check found an entity in two groups");
            goto out;
        }
        *n = 0; /* each entity once */
    }
out:
    kanon__free(n_here);
    return st;
}

/* Whether unions of groups that keep the constraints may break them. */
static bool classes_matter(const kanon_table *t, const kanon__constraints *c)
{
    return t->has_entity && !t->entity_together && !kanon__constraints_grow(c);
}

static bool concern_all(const upholding *u)
{
    for (int64_t i = 0; i < u->constraints->n; i++)
        if (u->constraints->items[i].model->prepare != NULL)
            return true;
    return classes_matter(u->part.table, u->constraints);
}

static kanon_status fail_infeasible(const upholding *u, kanon_error *err)
{
    kanon_status st = kanon__constraints_check_feasible(u->constraints, err);
    return st == KANON_EINFEASIBLE ? kanon__hint(err, st, "nothing was changed: no grouping of these records can keep it")
                                   : st;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

static void forget(upholding *u)
{
    kanon__free(u->has_places);
    kanon__free(u->places);
    u->has_places = NULL;
    u->places = NULL;
    kanon__free(u->held);
    kanon__free(u->group_of);
    kanon__constraints_free(u->constraints);
    kanon__space_free(u->space);
    kanon__whole_clear(&u->part);
    u->held = NULL;
    u->group_of = NULL;
    u->constraints = NULL;
    u->space = NULL;
}

typedef struct membership {
    int64_t record, group;
} membership;

static int by_record(const void *left, const void *right)
{
    const membership *a = left, *b = right;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* The members of the groups that were picked. */
static kanon_status list_members(upholding *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    membership *items = NULL;
    int64_t n = 0, capacity = 0;
    kanon__whole *w = &u->part;
    for (int64_t i = 0; i < u->picks.n; i++) {
        kanon__group_at at;
        KANON_TRY(kanon__group_index_seek(u->state->index, &at, &u->picks.items[i], err), out);
        int64_t size = kanon__group_size(at);
        KANON_TRY(kanon__grow_array(&items, &capacity, n + size, "members of groups", err), out);
        for (int64_t j = 0; j < size; j++)
            items[n++] = (membership){kanon__group_members(at)[j], u->picks.items[i].number};
    }
    if (n > 0)
        qsort(items, (size_t)n, sizeof *items, by_record);
    KANON_TRY(kanon__new_array(&w->ids, n, "records", err), out);
    KANON_TRY(kanon__new_array(&w->groups, n, "records", err), out);
    for (; w->n < n; w->n++) {
        w->ids[w->n] = items[w->n].record;
        w->groups[w->n] = items[w->n].group;
    }
out:
    kanon__free(items);
    return st;
}

static kanon_status pick_leaf(const kanon__node *leaf, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int slot = 0; st == KANON_OK && slot < leaf->n; slot++)
        st = kanon__picks_add(payload, leaf->keys[slot], leaf->id, err);
    return st;
}

static int by_number(const void *left, const void *right)
{
    const kanon__picked *a = left, *b = right;
    return a->number < b->number ? -1 : a->number > b->number;
}

static void find_places(upholding *u)
{
    for (int64_t row = 0; row < u->part.n; row++) {
        kanon__picked key = {.number = u->part.groups[row]};
        const kanon__picked *found = key.number > 0
                                         ? bsearch(&key, u->picks.items, (size_t)u->picks.n, sizeof key, by_number)
                                         : NULL;
        u->group_of[row] = found != NULL ? (int32_t)(found - u->picks.items) : KANON__SUPPRESSED;
    }
}

/* The picked groups as a table, and which of them keep what is asked. */
static kanon_status look(upholding *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool all_hold;
    forget(u);
    if (u->all) {
        u->picks.n = 0;
        KANON_TRY(kanon__group_index_visit(u->state->index, pick_leaf, &u->picks, err), out);
        KANON_TRY(kanon__whole_members(&u->part, u->state, err), out);
    }
    kanon__picks_sort(&u->picks);
    if (!u->all)
        KANON_TRY(list_members(u, err), out);
    u->n_groups = (int32_t)u->picks.n;
    u->n_broken = 0;
    if (u->part.n == 0)
        goto out;
    KANON_TRY(kanon__whole_table(&u->part, u->state, err), out);
    KANON_TRY(kanon__whole_space(&u->space, &u->part, u->state, err), out);
    KANON_TRY(kanon__uphold_constraints(&u->constraints, &u->part, u->state, err), out);
    KANON_TRY(kanon__new_array(&u->group_of, u->part.n, "groups", err), out);
    KANON_TRY(kanon__new_array(&u->held, u->picks.n, "groups", err), out);
    find_places(u);
    KANON_TRY(kanon__constraints_hold(&all_hold, u->held, u->constraints, u->group_of, u->n_groups, err), out);
    for (int32_t i = 0; i < u->n_groups; i++)
        u->n_broken += !u->held[i];
out:
    return st;
}

static kanon_status pick_neighbours(upholding *u, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int32_t i = 0; i < u->n_groups; i++) {
        kanon__group_at at;
        if (u->held[i])
            continue;
        KANON_TRY(kanon__group_index_seek(u->state->index, &at, &u->picks.items[i], err), out);
        KANON_TRY(kanon__group_index_nearest(u->state->index, &u->picks, at, n, err), out);
    }
out:
    return st;
}

/* Whether the rows that were read keep the constraints as one group, so that they can be repaired among themselves. */
static kanon_status is_repairable(const upholding *u, bool *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally tally = {0};
    KANON_TRY(kanon__tally_init(&tally, u->constraints, err), out);
    for (int64_t row = 0; row < u->part.n; row++)
        KANON_TRY(kanon__tally_add(&tally, row, err), out);
    *out = kanon__tally_holds(&tally);
out:
    kanon__tally_clear(&tally);
    return st;
}

/* Read what changed, and as much around it as a repair needs. */
static kanon_status look_around(upholding *u, kanon_error *err)
{
    static const int neighbours[] = {FEW_NEIGHBOURS, MORE_NEIGHBOURS};
    kanon_status st = KANON_OK;
    KANON_TRY(look(u, err), out);
    bool enough = u->part.n == 0 || (u->constraints != NULL && u->n_broken == 0);
    if (!u->all && u->part.n > 0 && concern_all(u)) {
        u->all = true;
        KANON_TRY(look(u, err), out);
    }
    for (size_t i = 0; !u->all && !enough; i++) {
        u->all = i == sizeof neighbours / sizeof *neighbours;
        if (!u->all)
            KANON_TRY(pick_neighbours(u, neighbours[i], err), out);
        KANON_TRY(look(u, err), out);
        KANON_TRY(is_repairable(u, &enough, err), out);
    }
    if (u->all && u->constraints != NULL)
        KANON_TRY(fail_infeasible(u, err), out);
out:
    return st;
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

typedef struct parting {
    const int32_t *rows;
    kanon__tally stays, goes;
} parting;

static kanon_status note_move(void *payload, int64_t record, kanon_error *err)
{
    parting *p = payload;
    kanon__tally_remove(&p->stays, p->rows[record]);
    return kanon__tally_add(&p->goes, p->rows[record], err);
}

static bool may_stand(void *payload)
{
    parting *p = payload;
    return kanon__tally_holds(&p->goes);
}

static kanon_status read_places(upholding *u, int32_t row, int64_t *places, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = u->state->n_dimensions;
    if (u->places == NULL)
        KANON_TRY(kanon__new_array(&u->places, u->part.n * m, "a split", err), out);
    if (u->has_places == NULL)
        KANON_TRY(kanon__new_array(&u->has_places, u->part.n, "a split", err), out);
    if (!u->has_places[row])
        KANON_TRY(kanon__record_get(u->state, NULL, u->part.ids[row], NULL, u->places + row * m, err), out);
    u->has_places[row] = true;
    memcpy(places, u->places + row * m, (size_t)m * sizeof *places);
out:
    return st;
}

/* Split2k, for the rows of a group; *split says whether both parts keep what is asked. */
static kanon_status part_rows(upholding *u, const int32_t *rows, int64_t n, bool *moved, bool *split, kanon_error *err)
{
    kanon_status st = KANON_OK;
    parting p = {.rows = rows};
    int64_t *places = NULL, m = u->state->n_dimensions;
    uint32_t *whose = NULL;
    *split = false;
    KANON_TRY(kanon__new_array(&places, n * m, "a split", err), out);
    KANON_TRY(kanon__new_array(&whose, n, "a split", err), out);
    KANON_TRY(kanon__tally_init(&p.stays, u->constraints, err), out);
    KANON_TRY(kanon__tally_init(&p.goes, u->constraints, err), out);
    for (int64_t i = 0; i < n; i++) {
        KANON_TRY(read_places(u, rows[i], places + i * m, err), out);
        KANON_TRY(kanon__tally_add(&p.stays, rows[i], err), out);
        whose[i] = kanon__wishes_together(u->state) ? kanon__code_at(u->part.table->entity_codes, rows[i]) : 0;
    }
    const kanon__split_rule rule = {kanon__wishes_together(u->state) ? whose : NULL, note_move, may_stand, &p};
    KANON_TRY(kanon__split_choose(u->state, places, n, &rule, moved, err), out);
    *split = p.stays.size >= u->state->k && p.goes.size >= u->state->k && kanon__tally_holds(&p.stays) &&
             kanon__tally_holds(&p.goes);
out:
    kanon__tally_clear(&p.goes);
    kanon__tally_clear(&p.stays);
    kanon__free(whose);
    kanon__free(places);
    return st;
}

/* The rows of group i are members[begins[i] .. begins[i + 1]); the parts of a group lie within it, so a group that is split
 * is looked at again, and its new part, too. */
typedef struct spans {
    int32_t *members;
    int64_t *begins, *ends; /* by group, with room for those to come */
} spans;

static kanon_status list_spans(spans *s, const upholding *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t most = u->part.n + u->n_groups; /* a group has a record */
    KANON_TRY(kanon__new_array(&s->members, u->part.n, "members of groups", err), out);
    KANON_TRY(kanon__new_array(&s->begins, most + 1, "groups", err), out);
    KANON_TRY(kanon__new_array(&s->ends, most + 1, "groups", err), out);
    for (int64_t row = 0; row < u->part.n; row++)
        if (u->group_of[row] >= 0)
            s->begins[u->group_of[row] + 1]++;
    for (int32_t group = 0; group < u->n_groups; group++) {
        s->begins[group + 1] += s->begins[group];
        s->ends[group] = s->begins[group];
    }
    for (int32_t row = 0; row < u->part.n; row++)
        if (u->group_of[row] >= 0)
            s->members[s->ends[u->group_of[row]]++] = row;
out:
    return st;
}

/* The rows that moved come last, each kind in its order. */
static kanon_status divide(spans *s, upholding *u, int32_t group, const bool *moved, kanon_error *err)
{
    int32_t *rows = s->members + s->begins[group], *copy = NULL;
    int64_t n = s->ends[group] - s->begins[group], n_stay = 0, n_go = 0;
    kanon_status st = kanon__new_array(&copy, n, "members of groups", err);
    if (st != KANON_OK)
        return st;
    for (int64_t i = 0; i < n; i++)
        if (moved[i])
            copy[n_go++] = rows[i];
        else
            rows[n_stay++] = rows[i];
    memcpy(rows + n_stay, copy, (size_t)n_go * sizeof *rows);
    for (int64_t i = n_stay; i < n; i++)
        u->group_of[rows[i]] = u->n_groups;
    s->begins[u->n_groups] = s->begins[group] + n_stay;
    s->ends[u->n_groups] = s->ends[group];
    s->ends[group] = s->begins[group] + n_stay;
    u->n_groups++;
    kanon__free(copy);
    return KANON_OK;
}

static kanon_status split_large(upholding *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    spans s = {0};
    bool *moved = NULL;
    KANON_TRY(list_spans(&s, u, err), out);
    KANON_TRY(kanon__new_array(&moved, u->part.n, "a split", err), out);
    for (int32_t group = 0; group < u->n_groups; group++) {
        bool split = true;
        while (split && s.ends[group] - s.begins[group] >= 2 * u->state->k) {
            int64_t n = s.ends[group] - s.begins[group];
            memset(moved, 0, (size_t)n * sizeof *moved);
            KANON_TRY(part_rows(u, s.members + s.begins[group], n, moved, &split, err), out);
            if (split)
                KANON_TRY(divide(&s, u, group, moved, err), out);
            u->done->n_splits += split;
        }
    }
out:
    kanon__free(moved);
    kanon__free(s.ends);
    kanon__free(s.begins);
    kanon__free(s.members);
    return st;
}

/* ---- repairing --------------------------------------------------------------------------------------------------- */

/* Nothing more is suppressed than is: a repair that may do so would use up the budget of later commands. */
static kanon_status repair(kanon__run *run, int64_t *n_repaired, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool all_hold, *held = NULL;
    KANON_TRY(kanon__new_array(&held, run->n_groups, "groups", err), out);
    KANON_TRY(kanon__constraints_hold(&all_hold, held, run->constraints, run->group_of, run->n_groups, err), out);
    for (int32_t i = 0; i < run->n_groups; i++)
        *n_repaired += !held[i];
    if (!all_hold)
        KANON_TRY(kanon__repair(run, 0, run->table->has_entity && run->table->entity_together, err), out);
out:
    kanon__free(held);
    return st;
}

kanon_status kanon__uphold_classes(kanon__run *run, int64_t *n_repaired, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (run->constraints == NULL || !classes_matter(run->table, run->constraints))
        return KANON_OK;
    for (int64_t n_merged = 1; n_merged > 0;) {
        KANON_TRY(kanon__merge_equal_groups(run, &n_merged, err), out);
        KANON_TRY(repair(run, n_repaired, err), out);
    }
out:
    return st;
}

static kanon_status change_groups(upholding *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__ticker ticker;
    const kanon_table *t = u->part.table;
    int64_t may = kanon__schema_may_suppress(u->state->wishes, u->state->n_records);
    kanon__ticker_init(&ticker, u->state->tick, u->state->payload, "regrouping");
    kanon__run run = {.table = t,
                      .space = u->space,
                      .k = u->state->k,
                      .seed = u->state->seed,
                      .threads = 1,
                      .constraints = u->constraints,
                      .ticker = &ticker,
                      .group_of = u->group_of,
                      .n_groups = u->n_groups};
    if (may >= 0 && u->state->n_suppressed > may)
        KANON_TRY(kanon__unsuppress(&run, may, t->has_entity && t->entity_together, err), out);
    if (u->constraints != NULL)
        KANON_TRY(repair(&run, &u->done->n_repaired, err), out);
    u->n_groups = run.n_groups;
    if (u->constraints != NULL)
        KANON_TRY(split_large(u, err), out);
    run.n_groups = u->n_groups;
    KANON_TRY(kanon__uphold_classes(&run, &u->done->n_repaired, err), out);
    u->n_groups = run.n_groups;
    KANON_TRY(kanon__uphold_verify(&u->part, u->state, u->group_of, u->n_groups, err), out);
    KANON_TRY(verify_entities(u, err), out);
out:
    return st;
}

/* ---- writing ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__uphold_number(int64_t **out, const kanon__whole *whole, kanon_state *s, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__counter taken = {0};
    int64_t *numbers = NULL, n;
    KANON_TRY(kanon__new_array(&numbers, n_groups, "groups", err), out);
    for (int64_t row = 0; row < whole->n; row++) {
        int32_t group = group_of[row];
        int64_t old = whole->groups[row];
        if (group < 0 || numbers[group] != 0)
            continue;
        numbers[group] = -1;
        if (old <= 0)
            continue;
        KANON_TRY(kanon__counter_add(&taken, (uint64_t)old, 1, &n, err), out);
        if (n == 1)
            numbers[group] = old;
    }
    for (int64_t i = 0; i < n_groups; i++)
        if (numbers[i] <= 0)
            numbers[i] = s->next_group++;
    *out = numbers;
    numbers = NULL;
out:
    kanon__free(numbers);
    kanon__counter_clear(&taken);
    return st;
}

/* A new group while it is written. */
typedef struct writing {
    upholding *u;
    int64_t *numbers; /* by new group */
    bool *changed;    /* by new group: it is not as it was */
    int32_t *now;     /* by place in `picks`: the new group of that number; -1: gone */
    int64_t *members; /* of the group at hand, */
    int64_t *places;  /* theirs, one after the other, */
    int64_t *box;     /* and its own */
    int64_t places_capacity;
} writing;

/* A group is as it was where it has the number of all its records, and they are as many as before. */
static kanon_status find_changes(writing *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    upholding *u = w->u;
    int64_t *grown = NULL;
    KANON_TRY(kanon__new_array(&w->changed, u->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&w->now, u->picks.n, "groups", err), out);
    KANON_TRY(kanon__new_array(&grown, u->n_groups, "groups", err), out);
    for (int64_t i = 0; i < u->picks.n; i++)
        w->now[i] = -1;
    for (int32_t group = 0; group < u->n_groups; group++) {
        kanon__picked key = {.number = w->numbers[group]};
        const kanon__picked *found = bsearch(&key, u->picks.items, (size_t)u->picks.n, sizeof key, by_number);
        kanon__group_at at;
        w->changed[group] = found == NULL;
        if (found == NULL)
            continue;
        w->now[found - u->picks.items] = group;
        KANON_TRY(kanon__group_index_seek(u->state->index, &at, found, err), out);
        grown[group] = -kanon__group_size(at);
    }
    for (int64_t row = 0; row < u->part.n; row++) {
        int32_t group = u->group_of[row];
        if (group < 0)
            continue;
        grown[group]++;
        w->changed[group] = w->changed[group] || u->part.groups[row] != w->numbers[group];
    }
    for (int32_t group = 0; group < u->n_groups; group++)
        w->changed[group] = w->changed[group] || grown[group] != 0;
out:
    kanon__free(grown);
    return st;
}

static void enclose(const writing *w, const int64_t *places, bool first)
{
    const kanon_state *s = w->u->state;
    for (int d = 0; d < s->n_dimensions; d++) {
        const kanon__dimension_now *dimension = &s->space->dimensions[d];
        if (first || kanon__place_before(dimension, places[d], w->box[2 * d]))
            w->box[2 * d] = places[d];
        if (first || kanon__place_before(dimension, w->box[2 * d + 1], places[d]))
            w->box[2 * d + 1] = places[d];
    }
}

/* `beside`: the group of the first record so far, which the new one is like. */
static kanon_status write_group(writing *w, int32_t group, const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    upholding *u = w->u;
    kanon__group_at at = {0};
    int64_t m = u->state->n_dimensions;
    KANON_TRY(kanon__grow_array(&w->places, &w->places_capacity, n * m, "members of groups", err), out);
    for (int64_t i = 0; i < n; i++) {
        w->members[i] = u->part.ids[rows[i]];
        KANON_TRY(kanon__record_get(u->state, NULL, w->members[i], NULL, w->places + i * m, err), out);
        enclose(w, w->places + i * m, i == 0);
    }
    kanon__new_group fresh = {w->numbers[group], n, w->members, w->box, w->places};
    kanon__picked key = {.number = fresh.number};
    const kanon__picked *found = bsearch(&key, u->picks.items, (size_t)u->picks.n, sizeof key, by_number);
    if (found != NULL) {
        KANON_TRY(kanon__group_index_seek(u->state->index, &at, found, err), out);
        KANON_TRY(kanon__group_index_replace(u->state->index, at, &fresh, err), out);
        goto out;
    }
    for (int64_t i = 0; i < n && at.node == NULL; i++) {
        key.number = u->part.groups[rows[i]];
        found = key.number > 0 ? bsearch(&key, u->picks.items, (size_t)u->picks.n, sizeof key, by_number) : NULL;
        if (found != NULL)
            KANON_TRY(kanon__group_index_seek(u->state->index, &at, found, err), out);
    }
    if (at.node == NULL)
        KANON_TRY(kanon__group_index_cheapest(u->state->index, &at, w->places, NULL, err), out);
    KANON_TRY(kanon__group_index_add(u->state->index, at, &fresh, err), out);
    u->state->n_groups++;
out:
    return st;
}

/* First those that stay where they are, then those that are gone, last the new ones, for which nodes may be cut. */
static kanon_status write_changes(writing *w, const spans *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    upholding *u = w->u;
    for (int pass = 0; pass < 2; pass++) {
        for (int32_t group = 0; group < u->n_groups; group++) {
            kanon__picked key = {.number = w->numbers[group]};
            bool is_new = bsearch(&key, u->picks.items, (size_t)u->picks.n, sizeof key, by_number) == NULL;
            if (w->changed[group] && is_new == (pass == 1))
                KANON_TRY(write_group(w, group, s->members + s->begins[group], s->ends[group] - s->begins[group], err), out);
        }
        for (int64_t i = 0; pass == 0 && i < u->picks.n; i++) {
            kanon__group_at at;
            if (w->now[i] >= 0)
                continue;
            KANON_TRY(kanon__group_index_seek(u->state->index, &at, &u->picks.items[i], err), out);
            KANON_TRY(kanon__group_index_remove(u->state->index, at, err), out);
            u->state->n_groups--;
        }
    }
out:
    return st;
}

static kanon_status write_groups(upholding *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    writing w = {.u = u};
    spans s = {0};
    int64_t n_suppressed = 0;
    KANON_TRY(kanon__uphold_number(&w.numbers, &u->part, u->state, u->group_of, u->n_groups, err), out);
    KANON_TRY(kanon__new_array(&w.members, u->part.n, "members of groups", err), out);
    KANON_TRY(kanon__new_array(&w.box, 2 * u->state->n_dimensions, "a box", err), out);
    KANON_TRY(find_changes(&w, err), out);
    KANON_TRY(list_spans(&s, u, err), out);
    KANON_TRY(write_changes(&w, &s, err), out);
    for (int64_t row = 0; row < u->part.n; row++)
        n_suppressed += u->group_of[row] < 0;
    if (u->all)
        u->state->n_suppressed = n_suppressed;
out:
    kanon__free(s.ends);
    kanon__free(s.begins);
    kanon__free(s.members);
    kanon__free(w.box);
    kanon__free(w.places);
    kanon__free(w.members);
    kanon__free(w.now);
    kanon__free(w.changed);
    kanon__free(w.numbers);
    return st;
}

static int by_value(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

kanon_status kanon__uphold(kanon_state *s, kanon__maintenance *done, kanon_error *err)
{
    kanon_status st = KANON_OK;
    upholding u = {.state = s, .done = done};
    int64_t may = kanon__schema_may_suppress(s->wishes, s->n_records);
    u.all = may >= 0 && s->n_suppressed > may;
    if (s->n_touched > 0)
        qsort(s->touched, (size_t)s->n_touched, sizeof *s->touched, by_value);
    KANON_TRY(kanon__group_index_pick(s->index, &u.picks, s->touched, s->n_touched, err), out);
    if (u.picks.n == 0 && !u.all && !kanon__wishes_bind(s))
        goto out;
    u.all = u.all || u.picks.n == 0; /* suppressed records went: they count in the table's distribution */
    KANON_TRY(look_around(&u, err), out);
    if (u.part.n == 0)
        goto out;
    KANON_TRY(change_groups(&u, err), out);
    KANON_TRY(write_groups(&u, err), out);
    s->n_touched = 0;
out:
    forget(&u);
    kanon__picks_clear(&u.picks);
    return st;
}
