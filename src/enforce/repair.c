/* Repair: groups that violate a constraint are changed, one by one, in the way that adds least loss:
 *
 *   1. borrow    records that help come from groups that can spare them, one by one, until nothing is violated
 *   2. dissolve  each record joins the group that it can join without a violation at the least increase
 *   3. merge     the group becomes one with another
 *   4. suppress  all its records, where the budget allows
 *
 * Each way is tried with the cheapest so far as its limit, and undone unless it is the best. Where none of them suffices,
 * the group is merged with the one that costs least and evaluated again. This ends: at last there is one group, the whole
 * table, which satisfies the constraints.
 *
 * Cost: for each violating group a few searches for groups (host_tree.h) and neighbours (search/neighbours.h), each cut
 * short when nothing better can come, and after a fixed number in any case: near linear in the violating groups. Ties:
 * the way that stands first above; the lowest group, the lowest record. */
#include "enforce/repair.h"

#include "core/alloc.h"
#include "enforce/mutable_groups.h"

/* Limits that keep a way cheap: records of a dissolved group, records borrowed, tuples and records of one tuple tried for
 * each. */
enum { MOST_DISSOLVED = 64, MOST_BORROWED = 32, MOST_TUPLES = 250, ROWS_PER_TUPLE = 256 };

typedef struct repair {
    kanon__mutable_groups g;
    kanon__move_log trial; /* the way that is being tried */
    kanon__move_log best;  /* the best way so far */
    int64_t cost;          /* of the best way so far; INT64_MAX: there is none */
    int32_t partner;       /* the best way is to merge with this group; -1: it is a list of moves */
    int32_t nearest;       /* the cheapest partner, whether it suffices or not; -1: none was found */
    int64_t may_suppress;  /* records in all, suppressed ones included */
} repair;

/* Undo the trial. It is the best way so far unless `cost` is INT64_MAX. */
static kanon_status end_trial(repair *r, int64_t cost, kanon_error *err)
{
    kanon_status st = kanon__move_log_undo(&r->trial, &r->g, err);
    if (st == KANON_OK && cost < INT64_MAX) {
        kanon__move_log other = r->best;
        r->best = r->trial;
        r->trial = other;
        r->cost = cost;
        r->partner = -1;
    }
    r->trial.n = 0;
    return st;
}

/* ---- 3: merge ---------------------------------------------------------------------------------------------------- */

/* Partners come by rising cost: the first is the nearest, and the first that suffices is the best. */
static kanon_status try_merging(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__mutable_groups *g = &r->g;
    bool holds = false;
    int32_t other;
    int64_t cost;
    r->nearest = -1;
    KANON_TRY(kanon__mutable_groups_find_partners(g, group, r->cost, err), out);
    for (int refused = 0; refused < KANON__MOST_REFUSALS && !holds; refused++) {
        KANON_TRY(kanon__host_tree_next(g->hosts, &other, &cost, err), out);
        if (other == group)
            continue;
        if (other < 0)
            break;
        r->nearest = r->nearest < 0 ? other : r->nearest;
        KANON_TRY(kanon__tally_holds_joined(&g->tallies[group], &g->tallies[other], &holds, err), out);
        if (holds) {
            r->cost = cost;
            r->partner = other;
        }
    }
out:
    return st;
}

/* ---- 2: dissolve ------------------------------------------------------------------------------------------------- */

/* Gives up where a record finds no group within the limit. */
static kanon_status try_dissolving(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__mutable_groups *g = &r->g;
    int32_t rows[MOST_DISSOLVED], to;
    int64_t n = g->sizes[group], cost = -kanon__mutable_groups_loss(g, group), more;
    if (n > MOST_DISSOLVED)
        return KANON_OK;
    kanon__mutable_groups_members(g, group, rows);
    for (int64_t i = 0; i < n; i++) {
        int64_t limit = r->cost < INT64_MAX ? r->cost - cost : INT64_MAX;
        if (limit <= 0)
            return end_trial(r, INT64_MAX, err);
        KANON_TRY(kanon__mutable_groups_cheapest(g, rows[i], group, limit, &to, &more, err), out);
        if (to < 0)
            return end_trial(r, INT64_MAX, err);
        KANON_TRY(kanon__move_log_do(&r->trial, g, rows[i], to, err), out);
        cost += more;
    }
    KANON_TRY(end_trial(r, cost < r->cost ? cost : INT64_MAX, err), out);
out:
    return st;
}

/* ---- 1: borrow --------------------------------------------------------------------------------------------------- */

/* A record to borrow, and how much it changes the loss of both groups. */
typedef struct loan {
    int32_t row; /* -1: none was found */
    int64_t cost;
} loan;

static void evaluate_loan(repair *r, int32_t group, int32_t row, uint32_t units, loan *best)
{
    kanon__mutable_groups *g = &r->g;
    int32_t from = g->run->group_of[row];
    if (from < 0 || from == group || g->sizes[from] <= g->run->k || !kanon__tally_may_hold(&g->tallies[from], -1))
        return;
    int64_t cost = (g->sizes[group] + 1) * (int64_t)units - kanon__mutable_groups_loss(g, group) -
                   kanon__mutable_groups_decrease(g, from, row);
    if (best->row >= 0 && (cost > best->cost || (cost == best->cost && row > best->row)))
        return;
    if (kanon__tally_helps(&g->tallies[group], row) && kanon__mutable_groups_can_spare(g, from, row))
        *best = (loan){row, cost};
}

/* The record that helps and costs least, of those near the group. */
static kanon_status find_loan(repair *r, int32_t group, int64_t limit, loan *best, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__mutable_groups *g = &r->g;
    const int32_t *rows;
    int64_t n;
    uint32_t units;
    *best = (loan){.row = -1};
    KANON_TRY(kanon__mutable_groups_find_neighbours(g, group, err), out);
    for (int seen = 0; seen < MOST_TUPLES; seen++) {
        KANON_TRY(kanon__neighbours_find_next(g->neighbours, &rows, &n, &units, err), out);
        int64_t increase = (g->sizes[group] + 1) * (int64_t)units - kanon__mutable_groups_loss(g, group);
        if (n == 0 || (limit < INT64_MAX && increase > 2 * limit)) /* the other group may gain as much again */
            break;
        for (int64_t i = 0; i < n && i < ROWS_PER_TUPLE; i++)
            evaluate_loan(r, group, rows[i], units, best);
        if (best->row >= 0 && increase > best->cost)
            break;
    }
out:
    return st;
}

/* Greedy: the best record first. Each of them must help, so the number of records is limited. */
static kanon_status try_borrowing(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t cost = 0;
    for (int n = 0; !kanon__mutable_groups_satisfies(&r->g, group); n++) {
        loan best;
        int64_t limit = r->cost < INT64_MAX ? r->cost - cost : INT64_MAX;
        if (n == MOST_BORROWED || limit <= 0)
            return end_trial(r, INT64_MAX, err);
        KANON_TRY(find_loan(r, group, limit, &best, err), out);
        if (best.row < 0 || (r->cost < INT64_MAX && cost + best.cost >= r->cost))
            return end_trial(r, INT64_MAX, err);
        KANON_TRY(kanon__move_log_do(&r->trial, &r->g, best.row, group, err), out);
        cost += best.cost;
    }
    KANON_TRY(end_trial(r, cost, err), out);
out:
    return st;
}

/* ---- 4: suppress ------------------------------------------------------------------------------------------------- */

static kanon_status try_suppressing(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__mutable_groups *g = &r->g;
    int64_t n = g->sizes[group], cost = n * g->full - kanon__mutable_groups_loss(g, group);
    if (g->n_suppressed + n > r->may_suppress || cost >= r->cost || g->n_left == 1)
        return KANON_OK;
    while (g->sizes[group] > 0)
        KANON_TRY(kanon__move_log_do(&r->trial, g, g->first[group], KANON__SUPPRESSED, err), out);
    KANON_TRY(end_trial(r, cost, err), out);
out:
    return st;
}

/* ---- all groups -------------------------------------------------------------------------------------------------- */

/* The last group becomes the whole table. */
static kanon_status unsuppress_all(repair *r, int32_t group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int32_t row = 0; row < r->g.space->n_rows && st == KANON_OK; row++)
        if (r->g.run->group_of[row] < 0)
            st = kanon__mutable_groups_move(&r->g, row, group, err);
    return st;
}

/* Change the group in the cheapest way. *group is the group that may still violate a constraint. */
static kanon_status change(repair *r, int32_t *group, bool whole_entities, kanon_error *err)
{
    kanon_status st = KANON_OK;
    r->cost = INT64_MAX;
    r->partner = -1;
    if (r->g.n_left == 1)
        return unsuppress_all(r, *group, err);
    if (!whole_entities) {
        KANON_TRY(try_borrowing(r, *group, err), out);
        KANON_TRY(try_dissolving(r, *group, err), out);
    }
    KANON_TRY(try_merging(r, *group, err), out);
    if (!whole_entities)
        KANON_TRY(try_suppressing(r, *group, err), out);
    if (r->cost == INT64_MAX || r->partner >= 0) {
        int32_t partner = r->cost == INT64_MAX ? r->nearest : r->partner;
        KANON_TRY(kanon__mutable_groups_merge(&r->g, partner, *group, err), out);
        *group = partner;
        goto out;
    }
    KANON_TRY(kanon__move_log_redo(&r->best, &r->g, err), out);
out:
    return st;
}

kanon_status kanon__repair(kanon__run *run, int64_t most_suppressed, bool whole_entities, kanon_error *err)
{
    kanon_status st = KANON_OK;
    repair r = {.may_suppress = most_suppressed};
    KANON_TRY(kanon__mutable_groups_init(&r.g, run, err), out);
    for (int32_t i = 0; i < r.g.n_groups; i++) {
        int32_t group = i;
        while (r.g.sizes[group] > 0 && !kanon__mutable_groups_satisfies(&r.g, group)) {
            bool last = r.g.n_left == 1 && r.g.n_suppressed == 0;
            if (last) {
                st = kanon__fail(err, KANON_EINTERNAL, "the whole table violates a constraint that it satisfied before");
                goto out;
            }
            KANON_TRY(change(&r, &group, whole_entities, err), out);
            KANON_TRY(kanon__tick(run->ticker, i, r.g.n_groups, 200000, err), out);
        }
    }
    kanon__mutable_groups_finish(&r.g);
out:
    kanon__move_log_clear(&r.best);
    kanon__move_log_clear(&r.trial);
    kanon__mutable_groups_clear(&r.g);
    return st;
}
