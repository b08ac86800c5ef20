/* Repair: groups that do not keep their constraints, one by one, are changed in the way that costs least loss:
 *
 *   borrow    records that help come from groups that can spare them, one by one, until the group keeps its constraints
 *   dissolve  each record joins the group that it may join at the least increase
 *   merge     the group becomes one with another
 *   suppress  all its records, where so many may still be
 *
 * Each way is tried out with the cheapest so far as its limit, and undone unless it is the best. Where none of them is
 * enough, the group is merged with the one that costs least and looked at again; in the end there is one group, and the
 * whole table.
 *
 * Cost: for each violating group a few searches for neighbours (search/neighbours.h), each cut short when nothing better can
 * come, and after a fixed number of tuples in any case: near linear in the violating groups.
 * Ties: the way that stands first above; the lowest group, the lowest record. */
#include "enforce/repair.h"

#include "core/alloc.h"
#include "enforce/regroup.h"

enum { MOST_DISSOLVED = 64, MOST_BORROWED = 32, ROWS_PER_TUPLE = 256 };

typedef struct repair {
    kanon__regroup g;
    kanon__moves trial;   /* the way that is tried out */
    kanon__moves best;    /* the best way so far */
    int64_t cost;         /* of the best way so far; INT64_MAX: there is none */
    int32_t partner;      /* the best way is to merge with this group; -1: it is a list of moves */
    int64_t nearest_cost; /* the cheapest merge, whether it is enough or not, */
    int32_t nearest;      /* and with whom; -1: nobody was found */
    int64_t may_suppress;
} repair;

/* What was tried out is undone, and is the best way so far unless `cost` is INT64_MAX. */
static kanon_status end_trial(repair *r, int64_t cost, kanon_error *err)
{
    kanon_status st = kanon__moves_undo(&r->trial, &r->g, err);
    if (st == KANON_OK && cost < INT64_MAX) {
        kanon__moves other = r->best;
        r->best = r->trial;
        r->trial = other;
        r->cost = cost;
        r->partner = -1;
    }
    r->trial.n = 0;
    return st;
}

/* ---- merge ------------------------------------------------------------------------------------------------------- */

static kanon_status look_at_partner(repair *r, int32_t group, int32_t other, kanon_error *err)
{
    bool holds = false;
    int64_t cost = kanon__regroup_merge_cost(&r->g, group, other);
    if (r->nearest < 0 || cost < r->nearest_cost || (cost == r->nearest_cost && other < r->nearest)) {
        r->nearest = other;
        r->nearest_cost = cost;
    }
    if (cost > r->cost || (cost == r->cost && (r->partner < 0 || other > r->partner)))
        return KANON_OK;
    kanon_status st = kanon__tally_holds_joined(&r->g.tallies[group], &r->g.tallies[other], &holds, err);
    if (st == KANON_OK && holds) {
        r->cost = cost;
        r->partner = other;
    }
    return st;
}

/* With a record of another group the box costs at least `units`, and so do all its records when the two are one. */
static kanon_status try_merging(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regroup *g = &r->g;
    const int32_t *rows;
    int64_t n;
    uint32_t units;
    r->nearest = -1;
    kanon__regroup_ask(g);
    KANON_TRY(kanon__neighbours_start_search(g->near, kanon__regroup_box(g, group), err), out);
    for (int seen = 0; g->n_left > KANON__REGROUP_TUPLES && seen < KANON__REGROUP_TUPLES; seen++) {
        KANON_TRY(kanon__neighbours_find_next(g->near, &rows, &n, &units, err), out);
        if (n == 0 || (r->cost < INT64_MAX && g->sizes[group] * ((int64_t)units - g->units[group]) > r->cost))
            break;
        for (int64_t i = 0; i < n; i++) {
            int32_t other = g->run->group_of[rows[i]];
            if (other >= 0 && other != group && kanon__regroup_first_time(g, other))
                KANON_TRY(look_at_partner(r, group, other, err), out);
        }
    }
    bool look_at_all = r->nearest < 0; /* there are few groups, or all that is near is the group itself */
    for (int32_t other = 0; look_at_all && other < g->n_groups; other++)
        if (other != group && g->sizes[other] > 0)
            KANON_TRY(look_at_partner(r, group, other, err), out);
out:
    return st;
}

/* ---- dissolve ---------------------------------------------------------------------------------------------------- */

static kanon_status try_dissolving(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regroup *g = &r->g;
    int32_t rows[MOST_DISSOLVED], to;
    int64_t n = g->sizes[group], cost = -kanon__regroup_loss(g, group), more;
    if (n > MOST_DISSOLVED)
        return KANON_OK;
    kanon__regroup_members(g, group, rows);
    for (int64_t i = 0; i < n; i++) {
        int64_t limit = r->cost < INT64_MAX ? r->cost - cost : INT64_MAX;
        if (limit <= 0)
            return end_trial(r, INT64_MAX, err);
        KANON_TRY(kanon__regroup_cheapest(g, rows[i], group, limit, &to, &more, err), out);
        if (to < 0)
            return end_trial(r, INT64_MAX, err);
        KANON_TRY(kanon__moves_do(&r->trial, g, rows[i], to, err), out);
        cost += more;
    }
    KANON_TRY(end_trial(r, cost < r->cost ? cost : INT64_MAX, err), out);
out:
    return st;
}

/* ---- borrow ------------------------------------------------------------------------------------------------------ */

typedef struct loan {
    int32_t row; /* -1: nobody can be had */
    int64_t cost;
} loan;

static void look_at_loan(repair *r, int32_t group, int32_t row, uint32_t units, loan *best)
{
    kanon__regroup *g = &r->g;
    int32_t from = g->run->group_of[row];
    if (from < 0 || from == group || g->sizes[from] <= g->run->k || !kanon__tally_may_hold(&g->tallies[from], -1))
        return;
    int64_t cost = (g->sizes[group] + 1) * (int64_t)units - kanon__regroup_loss(g, group) -
                   kanon__regroup_decrease(g, from, row);
    if (best->row >= 0 && (cost > best->cost || (cost == best->cost && row > best->row)))
        return;
    if (kanon__tally_helps(&g->tallies[group], row) && kanon__regroup_spares(g, from, row))
        *best = (loan){row, cost};
}

/* The record that helps and costs least, of those near the group. */
static kanon_status find_loan(repair *r, int32_t group, int64_t limit, loan *best, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regroup *g = &r->g;
    const int32_t *rows;
    int64_t n;
    uint32_t units;
    *best = (loan){.row = -1};
    KANON_TRY(kanon__neighbours_start_search(g->near, kanon__regroup_box(g, group), err), out);
    for (int seen = 0; seen < KANON__REGROUP_TUPLES / 4; seen++) {
        KANON_TRY(kanon__neighbours_find_next(g->near, &rows, &n, &units, err), out);
        int64_t increase = (g->sizes[group] + 1) * (int64_t)units - kanon__regroup_loss(g, group);
        if (n == 0 || (limit < INT64_MAX && increase > 2 * limit)) /* the lender gains something, too */
            break;
        for (int64_t i = 0; i < n && i < ROWS_PER_TUPLE; i++)
            look_at_loan(r, group, rows[i], units, best);
        if (best->row >= 0 && increase > best->cost)
            break;
    }
out:
    return st;
}

static kanon_status try_borrowing(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t cost = 0;
    for (int n = 0; !kanon__regroup_holds(&r->g, group); n++) {
        loan best;
        int64_t limit = r->cost < INT64_MAX ? r->cost - cost : INT64_MAX;
        if (n == MOST_BORROWED || limit <= 0)
            return end_trial(r, INT64_MAX, err);
        KANON_TRY(find_loan(r, group, limit, &best, err), out);
        if (best.row < 0 || (r->cost < INT64_MAX && cost + best.cost >= r->cost))
            return end_trial(r, INT64_MAX, err);
        KANON_TRY(kanon__moves_do(&r->trial, &r->g, best.row, group, err), out);
        cost += best.cost;
    }
    KANON_TRY(end_trial(r, cost, err), out);
out:
    return st;
}

/* ---- suppress ---------------------------------------------------------------------------------------------------- */

static kanon_status try_suppressing(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regroup *g = &r->g;
    int64_t n = g->sizes[group], cost = n * g->full - kanon__regroup_loss(g, group);
    if (g->n_suppressed + n > r->may_suppress || cost >= r->cost || g->n_left == 1)
        return KANON_OK;
    while (g->sizes[group] > 0)
        KANON_TRY(kanon__moves_do(&r->trial, g, g->first[group], KANON__SUPPRESSED, err), out);
    KANON_TRY(end_trial(r, cost, err), out);
out:
    return st;
}

/* ---- all groups -------------------------------------------------------------------------------------------------- */

/* The last group is the whole table when it has taken back what was suppressed. */
static kanon_status take_all_back(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int32_t row = 0; row < r->g.space->n_rows && st == KANON_OK; row++)
        if (r->g.run->group_of[row] < 0)
            st = kanon__regroup_move(&r->g, row, group, err);
    return st;
}

/* One change; *group is where the records are that still may violate. */
static kanon_status change(repair *r, int32_t *group, bool whole_entities, kanon_error *err)
{
    kanon_status st = KANON_OK;
    r->cost = INT64_MAX;
    r->partner = -1;
    if (r->g.n_left == 1)
        return take_all_back(r, *group, err);
    if (!whole_entities) {
        KANON_TRY(try_borrowing(r, *group, err), out);
        KANON_TRY(try_dissolving(r, *group, err), out);
    }
    KANON_TRY(try_merging(r, *group, err), out);
    if (!whole_entities)
        KANON_TRY(try_suppressing(r, *group, err), out);
    if (r->cost == INT64_MAX || r->partner >= 0) {
        int32_t partner = r->cost == INT64_MAX ? r->nearest : r->partner;
        KANON_TRY(kanon__regroup_merge(&r->g, partner, *group, err), out);
        *group = partner;
        goto out;
    }
    KANON_TRY(kanon__moves_redo(&r->best, &r->g, err), out);
out:
    return st;
}

kanon_status kanon__repair(kanon__run *run, int64_t most_suppressed, bool whole_entities, kanon_error *err)
{
    kanon_status st = KANON_OK;
    repair r = {.may_suppress = most_suppressed};
    KANON_TRY(kanon__regroup_init(&r.g, run, err), out);
    for (int32_t i = 0; i < r.g.n_groups; i++) {
        int32_t group = i;
        while (r.g.sizes[group] > 0 && !kanon__regroup_holds(&r.g, group)) {
            bool last = r.g.n_left == 1 && r.g.n_suppressed == 0;
            if (last) {
                st = kanon__fail(err, KANON_EINTERNAL, "the whole table does not keep a constraint that it kept before");
                goto out;
            }
            KANON_TRY(change(&r, &group, whole_entities, err), out);
            KANON_TRY(kanon__tick(run->ticker, i, r.g.n_groups, 200000, err), out);
        }
    }
    kanon__regroup_finish(&r.g);
out:
    kanon__moves_clear(&r.best);
    kanon__moves_clear(&r.trial);
    kanon__regroup_clear(&r.g);
    return st;
}
