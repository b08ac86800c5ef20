/* Moves of records between groups, and what they cost. See mutable_groups.h.
 *
 * The cheapest group for a record, and the cheapest partner of a group, come from the index of groups (host_tree.h),
 * which follows each move. */
#include "enforce/mutable_groups.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

static kanon_status allocate(kanon__mutable_groups *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = g->space->n_rows, width = 2 * g->space->n_dimensions;
    KANON_TRY(kanon__new_array(&g->sizes, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->boxes, g->n_groups * width, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->n_at_bound, g->n_groups * width, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->units, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->first, g->n_groups, "members", err), out);
    KANON_TRY(kanon__new_array(&g->last, g->n_groups, "members", err), out);
    KANON_TRY(kanon__new_array(&g->next, n, "members", err), out);
    KANON_TRY(kanon__new_array(&g->prev, n, "members", err), out);
    KANON_TRY(kanon__new_array(&g->box, width, "groups", err), out);
    if (g->run->constraints == NULL)
        goto out;
    KANON_TRY(kanon__new_array(&g->open, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&g->tallies, g->n_groups, "groups", err), out);
    for (int32_t group = 0; group < g->n_groups; group++)
        KANON_TRY(kanon__tally_init(&g->tallies[group], g->run->constraints, err), out);
out:
    return st;
}

int64_t kanon__mutable_groups_need(const kanon__data *t, const kanon__constraints *constraints, int64_t k)
{
    enum {
        LISTS = 8,
        NUMBERS = 32,
        OFFER = 36
    }; /* bytes of a record; of a group, and of its items in the queue of suppression.c */
    int64_t box = 2 * (int64_t)(sizeof(kanon__bound) + sizeof(int32_t)) * t->n_quasi;
    return t->n_rows * LISTS + t->n_rows / k * (box + NUMBERS + OFFER) + kanon__neighbours_need(t->n_rows, t->n_quasi) +
           kanon__host_tree_need(t->n_rows / k, t->n_quasi) + kanon__tallies_need(constraints, t->n_rows, k);
}

static int32_t *counts_of(const kanon__mutable_groups *g, int32_t group)
{
    return g->n_at_bound + (int64_t)group * 2 * g->space->n_dimensions;
}

/* n records have this code: it becomes the bound where it is outside, or adds to those at the bound. */
static void widen(kanon__bound *bound, int32_t *n_at_bound, bool outside, uint32_t code, int32_t n)
{
    if (outside)
        *bound = code;
    *n_at_bound = outside ? n : *bound == code ? *n_at_bound + n : *n_at_bound;
}

/* Extend the box to a record; `first`: the box of it alone. */
static void enclose(kanon__mutable_groups *g, int32_t group, int64_t row, bool first)
{
    kanon__bound *box = kanon__mutable_groups_box(g, group);
    int32_t *n_at_bound = counts_of(g, group);
    for (int i = 0; i < g->space->n_dimensions; i++) {
        uint32_t code = kanon__code_at(g->space->dimensions[i].codes, row);
        widen(&box[2 * i], &n_at_bound[2 * i], first || code < box[2 * i], code, 1);
        widen(&box[2 * i + 1], &n_at_bound[2 * i + 1], first || code > box[2 * i + 1], code, 1);
    }
}

static void enclose_group(kanon__mutable_groups *g, int32_t group, int32_t other)
{
    kanon__bound *box = kanon__mutable_groups_box(g, group), *with = kanon__mutable_groups_box(g, other);
    int32_t *n_at_bound = counts_of(g, group), *n_with = counts_of(g, other);
    for (int i = 0; i < 2 * g->space->n_dimensions; i++)
        widen(&box[i], &n_at_bound[i], i % 2 == 0 ? with[i] < box[i] : with[i] > box[i], with[i], n_with[i]);
}

/* The list keeps the order of arrival. */
static void append(kanon__mutable_groups *g, int32_t group, int32_t row)
{
    g->next[row] = -1;
    g->prev[row] = g->last[group];
    if (g->sizes[group] == 0)
        g->first[group] = row;
    else
        g->next[g->last[group]] = row;
    g->last[group] = row;
}

static kanon_status join(kanon__mutable_groups *g, int32_t group, int32_t row, kanon_error *err)
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

/* Only a bound is known of constraints: a group that is open may still refuse a record. */
static void update_open(kanon__mutable_groups *g, int32_t group)
{
    if (g->tallies != NULL)
        g->open[group] = g->sizes[group] > 0 && kanon__tally_may_hold(&g->tallies[group], 1);
}

/* After a change of a group. */
static void follow(kanon__mutable_groups *g, int32_t group)
{
    update_open(g, group);
    if (g->hosts != NULL)
        kanon__host_tree_change(g->hosts, group);
}

kanon_status kanon__mutable_groups_init(kanon__mutable_groups *out, kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__mutable_groups){.run = run, .space = run->space, .n_groups = run->n_groups};
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
            out->units[group] = kanon__box_units(run->space, kanon__mutable_groups_box(out, group));
        update_open(out, group);
    }
out:
    return st;
}

void kanon__mutable_groups_clear(kanon__mutable_groups *g)
{
    for (int32_t group = 0; g->tallies != NULL && group < g->n_groups; group++)
        kanon__tally_clear(&g->tallies[group]);
    kanon__free(g->tallies);
    kanon__free(g->open);
    kanon__host_tree_free(g->hosts);
    kanon__neighbours_free(g->neighbours);
    kanon__free(g->box);
    kanon__free(g->prev);
    kanon__free(g->next);
    kanon__free(g->last);
    kanon__free(g->first);
    kanon__free(g->units);
    kanon__free(g->n_at_bound);
    kanon__free(g->boxes);
    kanon__free(g->sizes);
}

void kanon__mutable_groups_finish(kanon__mutable_groups *g)
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

/* Whether the box is smaller without the record: it is the only member at some bound. */
static bool shrinks_without(const kanon__mutable_groups *g, int32_t group, int64_t row)
{
    const kanon__bound *box = kanon__mutable_groups_box(g, group);
    const int32_t *n_at_bound = counts_of(g, group);
    for (int i = 0; i < g->space->n_dimensions; i++) {
        uint32_t code = kanon__code_at(g->space->dimensions[i].codes, row);
        if ((code == box[2 * i] && n_at_bound[2 * i] == 1) || (code == box[2 * i + 1] && n_at_bound[2 * i + 1] == 1))
            return true;
    }
    return false;
}

/* Update the box after a record has left the list. */
static void shrink(kanon__mutable_groups *g, int32_t group, int64_t row)
{
    const kanon__bound *box = kanon__mutable_groups_box(g, group);
    int32_t *n_at_bound = counts_of(g, group), first = g->first[group];
    if (shrinks_without(g, group, row)) {
        for (int32_t member = first; member >= 0; member = g->next[member])
            enclose(g, group, member, member == first);
        return;
    }
    for (int i = 0; i < g->space->n_dimensions; i++) {
        uint32_t code = kanon__code_at(g->space->dimensions[i].codes, row);
        n_at_bound[2 * i] -= code == box[2 * i];
        n_at_bound[2 * i + 1] -= code == box[2 * i + 1];
    }
}

static void leave(kanon__mutable_groups *g, int32_t group, int32_t row)
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
        shrink(g, group, row);
}

kanon_status kanon__mutable_groups_move(kanon__mutable_groups *g, int32_t row, int32_t to, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t from = g->run->group_of[row];
    if (from >= 0) {
        leave(g, from, row);
        g->units[from] = g->sizes[from] > 0 ? kanon__box_units(g->space, kanon__mutable_groups_box(g, from)) : 0;
        follow(g, from);
    } else {
        g->n_suppressed--;
    }
    if (to >= 0) {
        KANON_TRY(join(g, to, row, err), out);
        g->units[to] = kanon__box_units(g->space, kanon__mutable_groups_box(g, to));
        follow(g, to);
    } else {
        g->run->group_of[row] = KANON__SUPPRESSED;
        g->n_suppressed++;
    }
out:
    return st;
}

kanon_status kanon__mutable_groups_merge(kanon__mutable_groups *g, int32_t into, int32_t from, kanon_error *err)
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
    g->units[into] = kanon__box_units(g->space, kanon__mutable_groups_box(g, into));
    g->sizes[into] += g->sizes[from];
    g->sizes[from] = 0;
    g->n_left--;
    follow(g, into);
    follow(g, from);
out:
    return st;
}

kanon_status kanon__move_log_do(kanon__move_log *log, kanon__mutable_groups *g, int32_t row, int32_t to, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&log->items, &log->capacity, log->n + 1, "moves", err);
    if (st != KANON_OK)
        return st;
    log->items[log->n++] = (kanon__logged_move){row, g->run->group_of[row], to};
    return kanon__mutable_groups_move(g, row, to, err);
}

kanon_status kanon__move_log_undo(const kanon__move_log *log, kanon__mutable_groups *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = log->n - 1; i >= 0 && st == KANON_OK; i--)
        st = kanon__mutable_groups_move(g, log->items[i].row, log->items[i].from, err);
    return st;
}

kanon_status kanon__move_log_redo(const kanon__move_log *log, kanon__mutable_groups *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < log->n && st == KANON_OK; i++)
        st = kanon__mutable_groups_move(g, log->items[i].row, log->items[i].to, err);
    return st;
}

void kanon__move_log_clear(kanon__move_log *log)
{
    kanon__free(log->items);
    *log = (kanon__move_log){0};
}

/* ---- queries ----------------------------------------------------------------------------------------------------- */

bool kanon__mutable_groups_satisfies(kanon__mutable_groups *g, int32_t group)
{
    return g->tallies == NULL || kanon__tally_holds(&g->tallies[group]);
}

int64_t kanon__mutable_groups_increase(const kanon__mutable_groups *g, int32_t group, int64_t row)
{
    uint32_t units = kanon__box_units_with(g->space, kanon__mutable_groups_box(g, group), row);
    return kanon__group_loss(g->sizes[group] + 1, units) - kanon__mutable_groups_loss(g, group);
}

/* The box of the members but one; there are several. */
static void box_without(const kanon__mutable_groups *g, int32_t group, int64_t row, kanon__bound *box)
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

int64_t kanon__mutable_groups_decrease(kanon__mutable_groups *g, int32_t group, int64_t row)
{
    int64_t rest = g->sizes[group] - 1;
    if (rest == 0)
        return kanon__mutable_groups_loss(g, group);
    if (!shrinks_without(g, group, row))
        return g->units[group];
    box_without(g, group, row, g->box);
    return kanon__mutable_groups_loss(g, group) - kanon__group_loss(rest, kanon__box_units(g->space, g->box));
}

int64_t kanon__mutable_groups_merge_cost(kanon__mutable_groups *g, int32_t left, int32_t right)
{
    memcpy(g->box, kanon__mutable_groups_box(g, left), 2 * (size_t)g->space->n_dimensions * sizeof *g->box);
    kanon__box_join(g->space, g->box, kanon__mutable_groups_box(g, right));
    return kanon__group_loss(g->sizes[left] + g->sizes[right], kanon__box_units(g->space, g->box)) -
           kanon__mutable_groups_loss(g, left) - kanon__mutable_groups_loss(g, right);
}

bool kanon__mutable_groups_can_spare(kanon__mutable_groups *g, int32_t group, int64_t row)
{
    return g->sizes[group] > g->run->k && (g->tallies == NULL || kanon__tally_holds_without(&g->tallies[group], row));
}

static int by_row(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

void kanon__mutable_groups_members(const kanon__mutable_groups *g, int32_t group, int32_t *rows)
{
    int64_t n = 0;
    for (int32_t row = g->sizes[group] > 0 ? g->first[group] : -1; row >= 0; row = g->next[row])
        rows[n++] = row;
    qsort(rows, (size_t)n, sizeof *rows, by_row);
}

/* ---- searches ---------------------------------------------------------------------------------------------------- */

static kanon_status make_hosts(kanon__mutable_groups *g, kanon_error *err)
{
    kanon__host_groups groups = {g->space, g->n_groups, g->sizes, g->units, g->boxes, g->open};
    return g->hosts == NULL ? kanon__host_tree_new(&g->hosts, &groups, err) : KANON_OK;
}

kanon_status kanon__mutable_groups_find_partners(kanon__mutable_groups *g, int32_t group, int64_t limit, kanon_error *err)
{
    kanon_status st = make_hosts(g, err);
    kanon__host_query query = {kanon__mutable_groups_box(g, group), g->sizes[group], g->units[group], limit, false};
    return st == KANON_OK ? kanon__host_tree_start(g->hosts, &query, err) : st;
}

kanon_status kanon__mutable_groups_find_neighbours(kanon__mutable_groups *g, int32_t group, kanon_error *err)
{
    kanon_status st = g->neighbours == NULL ? kanon__neighbours_new(&g->neighbours, g->space, err) : KANON_OK;
    return st == KANON_OK ? kanon__neighbours_start_search(g->neighbours, kanon__mutable_groups_box(g, group), err) : st;
}

kanon_status kanon__mutable_groups_cheapest(kanon__mutable_groups *g, int64_t row, int32_t except, int64_t limit,
                                            int32_t *group, int64_t *increase, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t here;
    int64_t more;
    kanon__host_query query = {g->box, 1, 0, limit, true};
    *group = -1;
    *increase = limit;
    KANON_TRY(make_hosts(g, err), out);
    kanon__box_start(g->space, g->box, row);
    KANON_TRY(kanon__host_tree_start(g->hosts, &query, err), out);
    for (int refused = 0; refused < KANON__MOST_REFUSALS; refused++) {
        bool holds = true;
        KANON_TRY(kanon__host_tree_next(g->hosts, &here, &more, err), out);
        if (here < 0)
            break;
        if (here == except)
            continue;
        if (g->tallies != NULL)
            KANON_TRY(kanon__tally_holds_with(&g->tallies[here], row, &holds, err), out);
        if (holds) {
            *group = here;
            *increase = more;
            break;
        }
    }
out:
    return st;
}
