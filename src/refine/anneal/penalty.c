/* See penalty.h: tallies, violations and the rooms of groups that grow beyond 2k.
 *
 * Moves are first tried on the tallies, which is cheaper than on the region: a record that comes or goes there changes the
 * bounds of a box. What the models compute is kept by group, so that a move costs two evaluations. */
#include "refine/anneal/penalty.h"

#include "core/alloc.h"

#include <string.h>

static const char *const WHAT = "constraints of the search";

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static kanon_status allocate(kanon__penalty *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__region *r = p->region;
    KANON_TRY(kanon__new_array(&p->tallies, r->n_slots, WHAT, err), out);
    for (int32_t group = 0; group < r->n_slots; group++)
        KANON_TRY(kanon__tally_init(&p->tallies[group], p->constraints, err), out);
    KANON_TRY(kanon__new_array(&p->violations, r->n_slots, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->value_of, r->n, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->moves, (int64_t)r->n + 1, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->touched, r->n_slots, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->after, r->n_slots, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->is_marked, r->n_slots, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->box, 2 * (int64_t)r->costs->n_dimensions, WHAT, err), out);
    for (int i = 0; i < 2; i++)
        KANON_TRY(kanon__tally_init(&p->sides[i], p->constraints, err), out);
out:
    return st;
}

/* The first column that is counted and is not the entities; records of one value are candidates for an exchange. */
static kanon_status list_values(kanon__penalty *p, kanon_error *err)
{
    const kanon__constraints *c = p->constraints;
    const kanon__region *r = p->region;
    int column = -1;
    for (int i = 0; i < c->n_counted && column < 0; i++)
        column = c->counted[i];
    p->by_value = c->n_counted == 1 && column >= 0 && !c->table->has_entity;
    for (int32_t record = 0; column >= 0 && record < r->n; record++)
        p->value_of[record] = kanon__code_at(c->table->columns[column].codes, r->rows[record]);
    return kanon__new_array(&p->quota, column >= 0 ? c->table->columns[column].domain->n_codes : 0, WHAT, err);
}

static kanon_status count_members(kanon__penalty *p, kanon_error *err)
{
    const kanon__region *r = p->region;
    kanon_status st = KANON_OK;
    for (int32_t record = 0; record < r->n; record++)
        if (r->group_of[record] >= 0)
            KANON_TRY(kanon__tally_add(&p->tallies[r->group_of[record]], r->rows[record], err), out);
    for (int32_t group = 0; group < r->n_slots; group++) {
        p->violations[group] = r->groups[group].size > 0 ? kanon__tally_violation(&p->tallies[group]) : 0;
        p->total += p->violations[group];
    }
out:
    return st;
}

/* A kanon__move_check for the moves of move_engine.h: they have changed the region already, and their loss is within the
 * threshold. A record may have moved twice; the group that it left first counts. */
static bool accepts(const kanon__region *r, const kanon__removed_record *removed, int64_t n, void *payload)
{
    kanon__penalty *p = payload;
    p->n_moves = 0;
    for (int64_t i = 0; i < n; i++) {
        int32_t record = removed[i].record, to = r->group_of[record];
        bool again = false;
        for (int64_t j = 0; j < i && !again; j++)
            again = removed[j].record == record;
        if (!again && to != removed[i].from)
            p->moves[p->n_moves++] = (kanon__penalised_move){record, removed[i].from, to};
    }
    int64_t change = kanon__penalty_try(p);
    bool keep = p->status == KANON_OK && r->loss - p->loss + kanon__penalty_cost(p, change) <= p->limit;
    if (keep)
        kanon__penalty_keep(p);
    else
        kanon__penalty_undo(p);
    return keep;
}

/* Regrouping makes groups of k records, so it leads nowhere where constraints ask for far more, or most groups violate one.
 * There cutting two groups anew does what it does elsewhere. */
static void choose_mix(kanon__penalty *p)
{
    const kanon__region *r = p->region;
    double size = (double)(r->n - r->n_suppressed) / ((double)r->n_groups * (double)r->k), share;
    int64_t n_satisfied = 0;
    for (int32_t group = 0; group < r->n_slots; group++)
        n_satisfied += r->groups[group].size > 0 && p->violations[group] == 0;
    share = size < 1.4 ? 1 : size > 2 ? 0 : (2 - size) / 0.6;
    share *= (double)n_satisfied / (double)r->n_groups;
    p->regroup_share = (int32_t)(share * p->engine->regroup_share);
    p->cut_share = 120 + (int32_t)((1 - share) * 500);
    p->sort_share = p->by_value && size > 2 ? (int32_t)(size < 4 ? 4 * (size - 2) : 8) : 0;
    p->trade_share = 2 + (int32_t)((1 - share) * 6);
    p->split_share = 20 + (int32_t)((1 - share) * 60);
    p->list_share = size < 2 ? 0 : 8;
}

kanon_status kanon__penalty_init(kanon__penalty *out, const kanon__constraints *constraints, kanon__move_engine *engine,
                                 double price, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__region *r = engine->region;
    *out = (kanon__penalty){.constraints = constraints, .region = r, .engine = engine, .price = price, .loss = r->loss};
    KANON_TRY(allocate(out, err), out);
    KANON_TRY(list_values(out, err), out);
    KANON_TRY(count_members(out, err), out);
    choose_mix(out);
    if (out->list_share > 0)
        KANON_TRY(kanon__group_lists_init(&out->lists, r, err), out);
    for (int32_t group = 0; group < r->n_slots; group++) {
        int64_t end = r->groups[group].members + r->groups[group].capacity;
        out->members_end = end > out->members_end ? end : out->members_end;
    }
    out->members_capacity = out->members_end;
    engine->penalty = out;
    engine->check = accepts;
    engine->payload = out;
out:
    if (st != KANON_OK)
        kanon__penalty_clear(out);
    return st;
}

void kanon__penalty_clear(kanon__penalty *p)
{
    kanon__group_lists_clear(&p->lists);
    kanon__free(p->quota);
    kanon__free(p->box);
    for (int i = 0; i < 2; i++)
        kanon__tally_clear(&p->sides[i]);
    kanon__free(p->is_marked);
    kanon__free(p->after);
    kanon__free(p->touched);
    kanon__free(p->moves);
    kanon__free(p->value_of);
    kanon__free(p->violations);
    for (int32_t group = 0; p->tallies != NULL && group < p->region->n_slots; group++)
        kanon__tally_clear(&p->tallies[group]);
    kanon__free(p->tallies);
    *p = (kanon__penalty){0};
}

int64_t kanon__penalty_need(const kanon__constraints *constraints, int64_t n_records, int64_t k)
{
    enum { RECORD = 4 + 12, SLOT = 8 + 4 + 8 + 1 + 4 * (KANON__LIST_WIDTH + 2), MEMBERS = 8 * 4 };
    return constraints == NULL
               ? 0
               : n_records * (RECORD + MEMBERS) + n_records / k * SLOT + kanon__tallies_need(constraints, n_records, k);
}

/* ---- moves on the tallies ---------------------------------------------------------------------------------------- */

static void touch(kanon__penalty *p, int32_t group)
{
    if (group < 0 || p->is_marked[group])
        return;
    p->is_marked[group] = true;
    p->touched[p->n_touched++] = group;
}

/* Suppressed records are in no group, and count nowhere. */
static void add_to_tally(kanon__penalty *p, int32_t group, int32_t record)
{
    if (group < 0)
        return;
    kanon_status st = kanon__tally_add(&p->tallies[group], p->region->rows[record], NULL);
    if (st != KANON_OK && p->status == KANON_OK)
        p->status = st;
}

static void take_from_tally(kanon__penalty *p, int32_t group, int32_t record)
{
    if (group >= 0)
        kanon__tally_remove(&p->tallies[group], p->region->rows[record]);
}

int64_t kanon__penalty_try(kanon__penalty *p)
{
    int64_t change = 0;
    p->n_touched = 0;
    for (int32_t i = 0; i < p->n_moves && p->status == KANON_OK; i++) {
        const kanon__penalised_move *m = &p->moves[i];
        take_from_tally(p, m->from, m->record);
        add_to_tally(p, m->to, m->record);
        touch(p, m->from);
        touch(p, m->to);
    }
    for (int32_t i = 0; i < p->n_touched; i++) {
        int32_t group = p->touched[i];
        p->after[i] = p->tallies[group].size > 0 ? kanon__tally_violation(&p->tallies[group]) : 0;
        change += p->after[i] - p->violations[group];
    }
    return change;
}

void kanon__penalty_keep(kanon__penalty *p)
{
    for (int32_t i = 0; i < p->n_touched; i++) {
        int32_t group = p->touched[i];
        p->total += p->after[i] - p->violations[group];
        p->violations[group] = p->after[i];
        p->is_marked[group] = false;
    }
    p->n_touched = 0;
    p->loss = p->region->loss;
}

void kanon__penalty_undo(kanon__penalty *p)
{
    for (int32_t i = p->n_moves - 1; i >= 0 && p->status == KANON_OK; i--) { /* without memory the search ends */
        const kanon__penalised_move *m = &p->moves[i];
        take_from_tally(p, m->to, m->record);
        add_to_tally(p, m->from, m->record);
    }
    for (int32_t i = 0; i < p->n_touched; i++)
        p->is_marked[p->touched[i]] = false;
    p->n_touched = 0;
}

/* ---- moves in the region ----------------------------------------------------------------------------------------- */

/* Give every group a room of twice its size, side by side. */
static kanon_status pack_rooms(kanon__penalty *p)
{
    kanon__region *r = p->region;
    int32_t *members = NULL;
    int64_t end = 0;
    for (int32_t group = 0; group < r->n_slots; group++)
        end += 2 * (r->groups[group].size > r->k ? r->groups[group].size : r->k);
    kanon_status st = kanon__new_array(&members, end, WHAT, NULL);
    if (st != KANON_OK)
        return st;
    end = 0;
    for (int32_t group = 0; group < r->n_slots; group++) {
        kanon__region_group *g = &r->groups[group];
        memcpy(members + end, kanon__region_members(r, group), (size_t)g->size * sizeof *members);
        g->members = end;
        g->capacity = (int32_t)(2 * (g->size > r->k ? g->size : r->k));
        end += g->capacity;
    }
    kanon__free(r->members);
    r->members = members;
    p->members_end = p->members_capacity = end;
    return KANON_OK;
}

/* Make room for `size` members: the group moves to the end of all rooms, to one of twice that size. */
static kanon_status make_room(kanon__penalty *p, int32_t group, int32_t size)
{
    enum { WASTE = 16 }; /* places for each record, from which on rooms are packed */
    kanon__region *r = p->region;
    kanon__region_group *g = &r->groups[group];
    kanon_status st = KANON_OK;
    if (size <= g->capacity)
        return KANON_OK;
    if (p->members_end + 2 * size > WASTE * (int64_t)r->n)
        st = pack_rooms(p);
    if (st != KANON_OK || size <= g->capacity)
        return st;
    st = kanon__grow_array(&r->members, &p->members_capacity, p->members_end + 2 * size, WHAT, NULL);
    if (st != KANON_OK)
        return st;
    memcpy(r->members + p->members_end, kanon__region_members(r, group), (size_t)g->size * sizeof *r->members);
    g->members = p->members_end;
    g->capacity = 2 * size;
    p->members_end += 2 * (int64_t)size;
    return KANON_OK;
}

/* The tallies have the moves already. */
static bool carry_out(kanon__penalty *p)
{
    kanon__region *r = p->region;
    for (int32_t i = 0; i < p->n_touched && p->status == KANON_OK; i++)
        p->status = make_room(p, p->touched[i], (int32_t)p->tallies[p->touched[i]].size);
    if (p->status != KANON_OK)
        return false;
    for (int32_t i = 0; i < p->n_moves; i++)
        kanon__region_remove(r, p->moves[i].record);
    for (int32_t i = 0; i < p->n_moves; i++)
        kanon__region_add(r, p->moves[i].to, p->moves[i].record);
    return true;
}

bool kanon__penalty_move(kanon__penalty *p, int64_t delta)
{
    int64_t change = kanon__penalty_try(p);
    bool keep = p->status == KANON_OK && delta + kanon__penalty_cost(p, change) <= p->limit && carry_out(p);
    if (keep)
        kanon__penalty_keep(p);
    else
        kanon__penalty_undo(p);
    return keep;
}
