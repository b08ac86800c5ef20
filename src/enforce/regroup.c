#include "enforce/regroup.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

static kanon_status allocate(kanon__regroup *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = g->space->n_rows, width = 2 * g->space->n_dimensions;
    KANON_TRY(kanon__new_array(&g->sizes, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->boxes, g->n_groups * width, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->n_at, g->n_groups * width, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->units, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->first, g->n_groups, "members", err), out);
    KANON_TRY(kanon__new_array(&g->last, g->n_groups, "members", err), out);
    KANON_TRY(kanon__new_array(&g->next, n, "members", err), out);
    KANON_TRY(kanon__new_array(&g->prev, n, "members", err), out);
    KANON_TRY(kanon__new_array(&g->stamps, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->box, width, "groups", err), out);
    KANON_TRY(kanon__neighbours_new(&g->near, g->space, err), out);
    if (g->run->constraints == NULL)
        goto out;
    KANON_TRY(kanon__new_array(&g->open, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->open_at, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->tallies, g->n_groups, "groups", err), out);
    for (int32_t group = 0; group < g->n_groups; group++)
        KANON_TRY(kanon__tally_init(&g->tallies[group], g->run->constraints, err), out);
out:
    return st;
}

int64_t kanon__regroup_need(const kanon_table *t, const kanon__constraints *constraints, int64_t k)
{
    enum { LISTS = 8, NUMBERS = 32, OFFER = 36 }; /* bytes of a record; of a group, and of a queue of them that grows */
    int64_t box = 2 * (int64_t)(sizeof(kanon__bound) + sizeof(int32_t)) * t->n_quasi;
    return t->n_rows * LISTS + t->n_rows / k * (box + NUMBERS + OFFER) + kanon__neighbours_need(t->n_rows, t->n_quasi) +
           kanon__tallies_need(constraints, t->n_rows, k);
}

static int32_t *counts_of(const kanon__regroup *g, int32_t group)
{
    return g->n_at + (int64_t)group * 2 * g->space->n_dimensions;
}

/* So many records have a code: one end of the box is there, or further out. */
static void widen(kanon__bound *bound, int32_t *n_at, bool outside, uint32_t code, int32_t n)
{
    if (outside)
        *bound = code;
    *n_at = outside ? n : *bound == code ? *n_at + n : *n_at;
}

/* Draw the box around a record, too; `first`: around it alone. */
static void enclose(kanon__regroup *g, int32_t group, int64_t row, bool first)
{
    kanon__bound *box = kanon__regroup_box(g, group);
    int32_t *n_at = counts_of(g, group);
    for (int i = 0; i < g->space->n_dimensions; i++) {
        uint32_t code = kanon__code_at(g->space->dimensions[i].codes, row);
        widen(&box[2 * i], &n_at[2 * i], first || code < box[2 * i], code, 1);
        widen(&box[2 * i + 1], &n_at[2 * i + 1], first || code > box[2 * i + 1], code, 1);
    }
}

static void enclose_group(kanon__regroup *g, int32_t group, int32_t other)
{
    kanon__bound *box = kanon__regroup_box(g, group), *with = kanon__regroup_box(g, other);
    int32_t *n_at = counts_of(g, group), *n_with = counts_of(g, other);
    for (int i = 0; i < 2 * g->space->n_dimensions; i++)
        widen(&box[i], &n_at[i], i % 2 == 0 ? with[i] < box[i] : with[i] > box[i], with[i], n_with[i]);
}

static void append(kanon__regroup *g, int32_t group, int32_t row)
{
    g->next[row] = -1;
    g->prev[row] = g->last[group];
    if (g->sizes[group] == 0)
        g->first[group] = row;
    else
        g->next[g->last[group]] = row;
    g->last[group] = row;
}

static kanon_status join(kanon__regroup *g, int32_t group, int32_t row, kanon_error *err)
{
    if (g->tallies != NULL) {
        kanon_status st = kanon__tally_add(&g->tallies[group], row, err);
        if (st != KANON_OK)
            return st;
    }
    if (g->sizes[group] == 0)
        g->last[group] = -1;
    append(g, group, row);
    enclose(g, group, row, g->sizes[group] == 0);
    if (g->sizes[group]++ == 0)
        g->n_left++;
    g->run->group_of[row] = group;
    return KANON_OK;
}

/* Put a group that has changed on the list of those that may keep their constraints with a record more, or take it off. */
static void note_open(kanon__regroup *g, int32_t group)
{
    if (g->tallies == NULL)
        return;
    int32_t at = g->open_at[group];
    bool is_open = g->sizes[group] > 0 && kanon__tally_may_hold(&g->tallies[group], 1);
    if (is_open == (at >= 0))
        return;
    if (is_open) {
        g->open_at[group] = (int32_t)g->n_open;
        g->open[g->n_open++] = group;
        return;
    }
    g->open[at] = g->open[--g->n_open];
    g->open_at[g->open[at]] = at;
    g->open_at[group] = -1;
}

kanon_status kanon__regroup_init(kanon__regroup *out, kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__regroup){.run = run, .space = run->space, .n_groups = run->n_groups};
    for (int i = 0; i < run->space->n_dimensions; i++)
        out->full += run->space->dimensions[i].full;
    KANON_TRY(allocate(out, err), out);
    for (int32_t row = 0; row < run->space->n_rows; row++) {
        if (run->group_of[row] >= 0)
            KANON_TRY(join(out, run->group_of[row], row, err), out);
        else
            out->n_suppressed++;
    }
    for (int32_t group = 0; group < out->n_groups; group++) {
        if (out->sizes[group] > 0)
            out->units[group] = kanon__box_units(run->space, kanon__regroup_box(out, group));
        if (out->tallies != NULL)
            out->open_at[group] = -1;
        note_open(out, group);
    }
out:
    return st;
}

void kanon__regroup_clear(kanon__regroup *g)
{
    for (int32_t group = 0; g->tallies != NULL && group < g->n_groups; group++)
        kanon__tally_clear(&g->tallies[group]);
    kanon__free(g->tallies);
    kanon__free(g->open_at);
    kanon__free(g->open);
    kanon__neighbours_free(g->near);
    kanon__free(g->box);
    kanon__free(g->stamps);
    kanon__free(g->prev);
    kanon__free(g->next);
    kanon__free(g->last);
    kanon__free(g->first);
    kanon__free(g->units);
    kanon__free(g->n_at);
    kanon__free(g->boxes);
    kanon__free(g->sizes);
}

void kanon__regroup_finish(kanon__regroup *g)
{
    int32_t n_left = 0;
    for (int32_t group = 0; group < g->n_groups; group++)
        g->first[group] = g->sizes[group] > 0 ? n_left++ : -1;
    for (int64_t row = 0; row < g->space->n_rows; row++)
        if (g->run->group_of[row] >= 0)
            g->run->group_of[row] = g->first[g->run->group_of[row]];
    g->run->n_groups = n_left;
}

/* ---- moving ------------------------------------------------------------------------------------------------------ */

/* Whether the box is smaller without the record: nobody else has some smallest or largest code. */
static bool shrinks_without(const kanon__regroup *g, int32_t group, int64_t row)
{
    const kanon__bound *box = kanon__regroup_box(g, group);
    const int32_t *n_at = counts_of(g, group);
    for (int i = 0; i < g->space->n_dimensions; i++) {
        uint32_t code = kanon__code_at(g->space->dimensions[i].codes, row);
        if ((code == box[2 * i] && n_at[2 * i] == 1) || (code == box[2 * i + 1] && n_at[2 * i + 1] == 1))
            return true;
    }
    return false;
}

/* A record that stood among the members is gone. */
static void draw_back(kanon__regroup *g, int32_t group, int64_t row)
{
    const kanon__bound *box = kanon__regroup_box(g, group);
    int32_t *n_at = counts_of(g, group), first = g->first[group];
    if (shrinks_without(g, group, row)) {
        for (int32_t member = first; member >= 0; member = g->next[member])
            enclose(g, group, member, member == first);
        return;
    }
    for (int i = 0; i < g->space->n_dimensions; i++) {
        uint32_t code = kanon__code_at(g->space->dimensions[i].codes, row);
        n_at[2 * i] -= code == box[2 * i];
        n_at[2 * i + 1] -= code == box[2 * i + 1];
    }
}

static void leave(kanon__regroup *g, int32_t group, int32_t row)
{
    if (g->tallies != NULL)
        kanon__tally_remove(&g->tallies[group], row);
    if (g->prev[row] >= 0)
        g->next[g->prev[row]] = g->next[row];
    else
        g->first[group] = g->next[row];
    if (g->next[row] >= 0)
        g->prev[g->next[row]] = g->prev[row];
    else
        g->last[group] = g->prev[row];
    if (--g->sizes[group] == 0)
        g->n_left--;
    else
        draw_back(g, group, row);
}

kanon_status kanon__regroup_move(kanon__regroup *g, int32_t row, int32_t to, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t from = g->run->group_of[row];
    if (from >= 0) {
        leave(g, from, row);
        g->units[from] = g->sizes[from] > 0 ? kanon__box_units(g->space, kanon__regroup_box(g, from)) : 0;
        note_open(g, from);
    } else {
        g->n_suppressed--;
    }
    if (to >= 0) {
        KANON_TRY(join(g, to, row, err), out);
        g->units[to] = kanon__box_units(g->space, kanon__regroup_box(g, to));
        note_open(g, to);
    } else {
        g->run->group_of[row] = KANON__SUPPRESSED;
        g->n_suppressed++;
    }
out:
    return st;
}

kanon_status kanon__regroup_merge(kanon__regroup *g, int32_t into, int32_t from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (g->tallies != NULL) {
        KANON_TRY(kanon__tally_join(&g->tallies[into], &g->tallies[from], err), out);
        kanon__tally_clear(&g->tallies[from]);
    }
    for (int32_t row = g->first[from]; row >= 0; row = g->next[row])
        g->run->group_of[row] = into;
    g->next[g->last[into]] = g->first[from];
    g->prev[g->first[from]] = g->last[into];
    g->last[into] = g->last[from];
    enclose_group(g, into, from);
    g->units[into] = kanon__box_units(g->space, kanon__regroup_box(g, into));
    g->sizes[into] += g->sizes[from];
    g->sizes[from] = 0;
    g->n_left--;
    note_open(g, into);
    note_open(g, from);
out:
    return st;
}

kanon_status kanon__moves_do(kanon__moves *moves, kanon__regroup *g, int32_t row, int32_t to, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&moves->items, &moves->capacity, moves->n + 1, "moves", err);
    if (st != KANON_OK)
        return st;
    moves->items[moves->n++] = (kanon__move){row, g->run->group_of[row], to};
    return kanon__regroup_move(g, row, to, err);
}

kanon_status kanon__moves_undo(const kanon__moves *moves, kanon__regroup *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = moves->n - 1; i >= 0 && st == KANON_OK; i--)
        st = kanon__regroup_move(g, moves->items[i].row, moves->items[i].from, err);
    return st;
}

kanon_status kanon__moves_redo(const kanon__moves *moves, kanon__regroup *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < moves->n && st == KANON_OK; i++)
        st = kanon__regroup_move(g, moves->items[i].row, moves->items[i].to, err);
    return st;
}

void kanon__moves_clear(kanon__moves *moves)
{
    kanon__free(moves->items);
    *moves = (kanon__moves){0};
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

bool kanon__regroup_holds(kanon__regroup *g, int32_t group)
{
    return g->tallies == NULL || kanon__tally_holds(&g->tallies[group]);
}

int64_t kanon__regroup_increase(const kanon__regroup *g, int32_t group, int64_t row)
{
    return (g->sizes[group] + 1) * kanon__box_units_with(g->space, kanon__regroup_box(g, group), row) -
           kanon__regroup_loss(g, group);
}

/* The box of the members but one of several. */
static void box_without(const kanon__regroup *g, int32_t group, int64_t row, kanon__bound *box)
{
    bool some = false;
    for (int32_t member = g->first[group]; member >= 0; member = g->next[member]) {
        if (member == row)
            continue;
        if (some)
            kanon__box_add(g->space, box, member);
        else
            kanon__box_start(g->space, box, member);
        some = true;
    }
}

int64_t kanon__regroup_decrease(kanon__regroup *g, int32_t group, int64_t row)
{
    int64_t rest = g->sizes[group] - 1;
    if (rest == 0)
        return kanon__regroup_loss(g, group);
    if (!shrinks_without(g, group, row))
        return g->units[group];
    box_without(g, group, row, g->box);
    return kanon__regroup_loss(g, group) - rest * kanon__box_units(g->space, g->box);
}

int64_t kanon__regroup_merge_cost(kanon__regroup *g, int32_t left, int32_t right)
{
    memcpy(g->box, kanon__regroup_box(g, left), 2 * (size_t)g->space->n_dimensions * sizeof *g->box);
    kanon__box_join(g->space, g->box, kanon__regroup_box(g, right));
    return (g->sizes[left] + g->sizes[right]) * kanon__box_units(g->space, g->box) - kanon__regroup_loss(g, left) -
           kanon__regroup_loss(g, right);
}

bool kanon__regroup_spares(kanon__regroup *g, int32_t group, int64_t row)
{
    return g->sizes[group] > g->run->k && (g->tallies == NULL || kanon__tally_holds_without(&g->tallies[group], row));
}

static int by_row(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

void kanon__regroup_members(const kanon__regroup *g, int32_t group, int32_t *rows)
{
    int64_t n = 0;
    for (int32_t row = g->sizes[group] > 0 ? g->first[group] : -1; row >= 0; row = g->next[row])
        rows[n++] = row;
    qsort(rows, (size_t)n, sizeof *rows, by_row);
}

void kanon__regroup_ask(kanon__regroup *g)
{
    if (++g->stamp == 0) {
        memset(g->stamps, 0, (size_t)g->n_groups * sizeof *g->stamps);
        g->stamp = 1;
    }
}

/* Whether the record may join the group at less than *increase; if so it is the best so far. */
static kanon_status look_at_group(kanon__regroup *g, int32_t here, int64_t row, int32_t *group, int64_t *increase,
                                  kanon_error *err)
{
    int64_t more = kanon__regroup_increase(g, here, row);
    bool holds = true;
    if (more > *increase || (more == *increase && (*group < 0 || here > *group)))
        return KANON_OK;
    kanon_status st = g->tallies != NULL ? kanon__tally_holds_with(&g->tallies[here], row, &holds, err) : KANON_OK;
    if (st == KANON_OK && holds) {
        *group = here;
        *increase = more;
    }
    return st;
}

/* Who joins a group costs at least its distance to any member: nearest first, so all that can be better has been seen when
 * the distance alone is more than the best. */
kanon_status kanon__regroup_cheapest(kanon__regroup *g, int64_t row, int32_t except, int64_t limit, int32_t *group,
                                     int64_t *increase, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const int32_t *rows;
    int64_t n;
    uint32_t units;
    *group = -1;
    *increase = limit;
    for (int32_t here = 0; g->n_left <= KANON__REGROUP_TUPLES && here < g->n_groups; here++)
        if (here != except && g->sizes[here] > 0)
            KANON_TRY(look_at_group(g, here, row, group, increase, err), out);
    if (g->n_left <= KANON__REGROUP_TUPLES) /* fewer groups than tuples to look at */
        goto out;
    if (g->tallies != NULL && g->n_open <= KANON__REGROUP_OPEN) {
        for (int64_t i = 0; i < g->n_open; i++)
            if (g->open[i] != except)
                KANON_TRY(look_at_group(g, g->open[i], row, group, increase, err), out);
        goto out;
    }
    kanon__box_start(g->space, g->box, row);
    kanon__regroup_ask(g);
    KANON_TRY(kanon__neighbours_start_search(g->near, g->box, err), out);
    for (int seen = 0; seen < KANON__REGROUP_TUPLES; seen++) {
        KANON_TRY(kanon__neighbours_find_next(g->near, &rows, &n, &units, err), out);
        if (n == 0 || units > *increase)
            break;
        for (int64_t i = 0; i < n; i++) {
            int32_t here = g->run->group_of[rows[i]];
            if (here >= 0 && here != except && kanon__regroup_first_time(g, here))
                KANON_TRY(look_at_group(g, here, row, group, increase, err), out);
        }
    }
out:
    return st;
}
