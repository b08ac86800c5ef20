/* See prices.h: tallies and violations.
 *
 * Moves are first tried on the tallies, which is cheaper than on the region: a record that comes or goes there changes the
 * bounds of a box. What the models compute is kept by group, so that a move costs two evaluations. */
#include "refine/anneal/prices.h"

#include "core/alloc.h"
#include "refine/anneal/group_lists.h"

static const char *const WHAT = "constraints of the search";

/* ---- beginning and end ------------------------------------------------------------------------------------------- */

static kanon_status allocate(kanon__prices *p, const kanon__constraints *constraints, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__region *r = p->region;
    KANON_TRY(kanon__new_array(&p->tallies, r->n_slots, WHAT, err), out);
    for (int32_t group = 0; group < r->n_slots; group++)
        KANON_TRY(kanon__tally_init(&p->tallies[group], constraints, err), out);
    KANON_TRY(kanon__new_array(&p->violations, r->n_slots, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->value_of, r->n, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->touched, r->n_slots, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->after, r->n_slots, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->is_marked, r->n_slots, WHAT, err), out);
    KANON_TRY(kanon__new_array(&p->box, 2 * (int64_t)r->costs->n_dimensions, WHAT, err), out);
    for (int i = 0; i < 2; i++)
        KANON_TRY(kanon__tally_init(&p->sides[i], constraints, err), out);
out:
    return st;
}

/* The first column that is counted and is not the entities; records of one value are candidates for an exchange. */
static kanon_status list_values(kanon__prices *p, const kanon__constraints *c, kanon_error *err)
{
    const kanon__region *r = p->region;
    int column = -1;
    for (int i = 0; i < c->n_counted && column < 0; i++)
        column = c->counted[i];
    p->by_value = c->n_counted == 1 && column >= 0 && !c->table->has_entity;
    for (int32_t record = 0; column >= 0 && record < r->n; record++)
        p->value_of[record] = kanon__code_at(c->table->columns[column].codes, r->rows[record]);
    return kanon__new_array(&p->quota, column >= 0 ? c->table->columns[column].domain->n_codes : 0, WHAT, err);
}

static kanon_status count_members(kanon__prices *p, kanon_error *err)
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

kanon_status kanon__prices_new(kanon__prices **out, const kanon__constraints *constraints, kanon__region *region,
                               double price, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__prices *p = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&p, 1, WHAT, err), out);
    *p = (kanon__prices){.region = region, .price = price};
    KANON_TRY(allocate(p, constraints, err), out);
    KANON_TRY(list_values(p, constraints, err), out);
    KANON_TRY(count_members(p, err), out);
    *out = p;
    p = NULL;
out:
    kanon__prices_free(p);
    return st;
}

void kanon__prices_free(kanon__prices *p)
{
    if (p == NULL)
        return;
    kanon__free(p->quota);
    kanon__free(p->box);
    for (int i = 0; i < 2; i++)
        kanon__tally_clear(&p->sides[i]);
    kanon__free(p->is_marked);
    kanon__free(p->after);
    kanon__free(p->touched);
    kanon__free(p->value_of);
    kanon__free(p->violations);
    for (int32_t group = 0; p->tallies != NULL && group < p->region->n_slots; group++)
        kanon__tally_clear(&p->tallies[group]);
    kanon__free(p->tallies);
    kanon__free(p);
}

int64_t kanon__prices_need(const kanon__constraints *constraints, int64_t n_records, int64_t k)
{
    enum { RECORD = 4, SLOT = 8 + 4 + 8 + 1 + 4 * (KANON__LIST_WIDTH + 2), MEMBERS = 8 * 4 };
    return constraints == NULL
               ? 0
               : n_records * (RECORD + MEMBERS) + n_records / k * SLOT + kanon__tallies_need(constraints, n_records, k);
}

/* ---- moves on the tallies ---------------------------------------------------------------------------------------- */

static void touch(kanon__prices *p, int32_t group)
{
    if (group < 0 || p->is_marked[group])
        return;
    p->is_marked[group] = true;
    p->touched[p->n_touched++] = group;
}

/* Suppressed records are in no group, and count nowhere. */
static void add_to_tally(kanon__prices *p, int32_t group, int32_t record)
{
    if (group < 0)
        return;
    kanon_status st = kanon__tally_add(&p->tallies[group], p->region->rows[record], NULL);
    if (st != KANON_OK && p->status == KANON_OK)
        p->status = st;
}

static void take_from_tally(kanon__prices *p, int32_t group, int32_t record)
{
    if (group >= 0)
        kanon__tally_remove(&p->tallies[group], p->region->rows[record]);
}

/* The tallies as if the moves had been made; returns what they change about the violation. */
static int64_t make_moves(kanon__prices *p, const kanon__move *moves, int64_t n)
{
    int64_t change = 0;
    p->n_touched = 0;
    for (int64_t i = 0; i < n && p->status == KANON_OK; i++) {
        take_from_tally(p, moves[i].from, moves[i].record);
        add_to_tally(p, moves[i].to, moves[i].record);
        touch(p, moves[i].from);
        touch(p, moves[i].to);
    }
    for (int32_t i = 0; i < p->n_touched; i++) {
        int32_t group = p->touched[i];
        p->after[i] = p->tallies[group].size > 0 ? kanon__tally_violation(&p->tallies[group]) : 0;
        change += p->after[i] - p->violations[group];
    }
    return change;
}

static void keep(kanon__prices *p)
{
    for (int32_t i = 0; i < p->n_touched; i++) {
        p->total += p->after[i] - p->violations[p->touched[i]];
        p->violations[p->touched[i]] = p->after[i];
        p->is_marked[p->touched[i]] = false;
    }
}

static void undo(kanon__prices *p, const kanon__move *moves, int64_t n)
{
    for (int64_t i = n - 1; i >= 0 && p->status == KANON_OK; i--) { /* without memory the search ends */
        take_from_tally(p, moves[i].to, moves[i].record);
        add_to_tally(p, moves[i].from, moves[i].record);
    }
    for (int32_t i = 0; i < p->n_touched; i++)
        p->is_marked[p->touched[i]] = false;
}

int64_t kanon__prices_try(kanon__prices *p, const kanon__move *moves, int64_t n)
{
    int64_t cost = kanon__price_of(p, make_moves(p, moves, n));
    undo(p, moves, n);
    return cost;
}

bool kanon__prices_agree(kanon__prices *p, const kanon__move *moves, int64_t n, int64_t most)
{
    int64_t change = make_moves(p, moves, n);
    bool agrees = p->status == KANON_OK && kanon__price_of(p, change) <= most;
    for (int32_t i = 0; agrees && i < p->n_touched; i++) {
        int32_t group = p->touched[i];
        p->status = kanon__region_make_room(p->region, group, (int32_t)p->tallies[group].size);
        agrees = p->status == KANON_OK;
    }
    if (agrees)
        keep(p);
    else
        undo(p, moves, n);
    return agrees;
}
