/* Suppression: a suppressed record costs its full loss, but may save more. There are two ways to use the budget on a group:
 *
 *   single    one record of a group that has more than k leaves, and the box of the others shrinks
 *   dissolve  every record of an expensive group joins the group that it can join at the least increase, or is suppressed
 *             where that costs less
 *
 * kanon__suppress is a greedy algorithm with lazy evaluation:
 *
 *   1. Queue each group by a bound of what it can save. When it comes first, compute its offer: the better of the two ways,
 *      by saving per suppressed record. Queue that by priority.
 *   2. Take the first offer and compute it again, since groups have changed.
 *   3. If it still comes first, carry it out, and compute the offers of the groups that it changed. Else put it back.
 *   4. Go on with 2 until the budget is spent or nothing saves.
 *
 * Ties: the lowest group; inside a group the lowest record. */
#include "enforce/suppression.h"

#include "core/alloc.h"
#include "core/heap.h"
#include "enforce/mutable_groups.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_DISSOLVED = 256 };

/* What a group can save, with the number of records that it suppresses. */
typedef struct offer {
    int32_t group;
    int32_t row; /* the single record; -1: the group is dissolved; BOUND: not computed yet */
    int64_t saving, n;
} offer;

enum { BOUND = -2 };

/* By saving per suppressed record, compared as fractions without rounding; then the lowest group. */
static bool comes_before(const offer *a, const offer *b)
{
    __int128 left = (__int128)a->saving * b->n, right = (__int128)b->saving * a->n;
    return left != right ? left > right : a->group < b->group;
}

KANON__HEAP(offer_queue, offer, comes_before);

typedef struct suppression {
    kanon__mutable_groups g;
    kanon__move_log trial;
    offer_queue queue; /* offers as they were when last computed; a group may have several */
    int64_t most;      /* the budget: records suppressed in all */
} suppression;

/* ---- records that are suppressed no longer ----------------------------------------------------------------------- */

typedef struct suppressed_record {
    int32_t row, group;
    int64_t increase;
} suppressed_record;

static int by_increase(const void *left, const void *right)
{
    const suppressed_record *a = left, *b = right;
    if (a->increase != b->increase)
        return a->increase < b->increase ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* The cheapest group that the record can join without a violation, else the cheapest one. */
static kanon_status find_group(kanon__mutable_groups *g, suppressed_record *o, kanon_error *err)
{
    kanon_status st = kanon__mutable_groups_cheapest(g, o->row, -1, INT64_MAX, &o->group, &o->increase, err);
    if (st != KANON_OK || o->group >= 0)
        return st;
    for (int32_t group = 0; group < g->n_groups; group++) {
        int64_t more = g->sizes[group] > 0 ? kanon__mutable_groups_increase(g, group, o->row) : INT64_MAX;
        if (more < o->increase) {
            o->increase = more;
            o->group = group;
        }
    }
    return KANON_OK;
}

static kanon_status unsuppress_records(kanon__mutable_groups *g, suppressed_record *out, int64_t n, int64_t most,
                                       kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < n; i++)
        KANON_TRY(find_group(g, &out[i], err), out);
    qsort(out, (size_t)n, sizeof *out, by_increase);
    for (int64_t i = 0; i < n && g->n_suppressed > most; i++) {
        KANON_TRY(find_group(g, &out[i], err), out); /* the groups have changed */
        KANON_TRY(kanon__mutable_groups_move(g, out[i].row, out[i].group, err), out);
        KANON_TRY(kanon__tick(g->run->ticker, i, n, 20000, err), out);
    }
out:
    return st;
}

/* An entity's records go to the group of its first one. */
static kanon_status unsuppress_entities(kanon__mutable_groups *g, suppressed_record *list, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *t = g->run->table;
    int32_t *group_of = NULL;
    KANON_TRY(kanon__new_array(&group_of, t->n_entities, "entities", err), out);
    for (int64_t i = 0; i < n; i++) { /* ascending by row */
        int32_t *own = &group_of[kanon__code_at(t->entity_codes, list[i].row)];
        if (*own == 0) {
            KANON_TRY(find_group(g, &list[i], err), out);
            *own = list[i].group + 1;
        }
        KANON_TRY(kanon__mutable_groups_move(g, list[i].row, *own - 1, err), out);
    }
out:
    kanon__free(group_of);
    return st;
}

kanon_status kanon__unsuppress(kanon__run *run, int64_t most, bool whole_entities, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__mutable_groups g = {0};
    suppressed_record *list = NULL;
    int64_t n = 0;
    for (int64_t row = 0; row < run->space->n_rows; row++)
        n += run->group_of[row] < 0;
    if (n <= most)
        return KANON_OK;
    if (n == run->space->n_rows) { /* there is no group to join */
        memset(run->group_of, 0, (size_t)n * sizeof *run->group_of);
        run->n_groups = 1;
        return KANON_OK;
    }
    KANON_TRY(kanon__mutable_groups_init(&g, run, err), out);
    KANON_TRY(kanon__new_array(&list, n, "suppressed records", err), out);
    n = 0;
    for (int32_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] < 0)
            list[n++] = (suppressed_record){.row = row};
    KANON_TRY(whole_entities ? unsuppress_entities(&g, list, n, err) : unsuppress_records(&g, list, n, most, err), out);
    kanon__mutable_groups_finish(&g);
out:
    kanon__free(list);
    kanon__mutable_groups_clear(&g);
    return st;
}

/* ---- 1: offers --------------------------------------------------------------------------------------------------- */

/* The best single record of a group, where that is better than *best. */
static void evaluate_singles(suppression *s, int32_t group, offer *best)
{
    kanon__mutable_groups *g = &s->g;
    if (g->sizes[group] <= g->run->k || g->n_suppressed >= s->most)
        return;
    for (int32_t row = g->first[group]; row >= 0; row = g->next[row]) {
        int64_t saving = kanon__mutable_groups_decrease(g, group, row) - g->full;
        offer o = {group, row, saving, 1};
        if (saving <= 0 || comes_before(best, &o) || (saving == best->saving && best->n == 1 && row > best->row))
            continue;
        if (kanon__mutable_groups_can_spare(g, group, row))
            *best = o;
    }
}

/* Make the moves of dissolving a group; *saving is what they save and *n how many records they suppress. Gives up as soon as
 * nothing is left to save. */
static kanon_status dissolve(suppression *s, int32_t group, int64_t *saving, int64_t *n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__mutable_groups *g = &s->g;
    int32_t rows[MOST_DISSOLVED], to;
    int64_t n_rows = g->sizes[group], more;
    *saving = kanon__mutable_groups_loss(g, group);
    *n = 0;
    kanon__mutable_groups_members(g, group, rows);
    for (int64_t i = 0; i<n_rows && * saving> 0; i++) {
        int64_t limit = *saving < g->full ? *saving : g->full; /* what costs more leaves nothing to save either way */
        KANON_TRY(kanon__mutable_groups_cheapest(g, rows[i], group, limit, &to, &more, err), out);
        *n += to < 0;
        *saving -= to < 0 ? g->full : more;
        KANON_TRY(kanon__move_log_do(&s->trial, g, rows[i], to < 0 ? KANON__SUPPRESSED : to, err), out);
    }
out:
    return st;
}

/* A group that takes the record for less than half its full loss; -1: none does. *host, which took a neighbour, is tried
 * first. */
static kanon_status find_host(suppression *s, int32_t group, int32_t row, int32_t *host, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__mutable_groups *g = &s->g;
    int64_t more, limit = g->full / 2;
    bool holds = true;
    if (*host >= 0 && kanon__mutable_groups_increase(g, *host, row) < limit) {
        if (g->tallies != NULL)
            KANON_TRY(kanon__tally_holds_with(&g->tallies[*host], row, &holds, err), out);
        if (holds)
            goto out;
    }
    KANON_TRY(kanon__mutable_groups_cheapest(g, row, group, limit, host, &more, err), out);
out:
    return st;
}

/* Whether dissolving the group might suppress a record: some record has no host nearby. Most groups have none such, and
 * this is found without a search for each of their records. Half the full loss, because hosts grow while a group is
 * dissolved: what they cost then is known only after trying. */
static kanon_status may_suppress_some(suppression *s, int32_t group, bool *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t host = -1;
    *out = false;
    for (int32_t row = s->g.first[group]; row >= 0 && !*out; row = s->g.next[row]) {
        KANON_TRY(find_host(s, group, row, &host, err), out);
        *out = host < 0;
    }
out:
    return st;
}

static kanon_status evaluate_dissolving(suppression *s, int32_t group, offer *best, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__mutable_groups *g = &s->g;
    offer o = {.group = group, .row = -1};
    bool may;
    if (g->n_left == 1 || g->sizes[group] > MOST_DISSOLVED || kanon__mutable_groups_loss(g, group) <= g->full)
        return KANON_OK;
    KANON_TRY(may_suppress_some(s, group, &may, err), out);
    if (!may)
        goto out;
    KANON_TRY(dissolve(s, group, &o.saving, &o.n, err), out);
    KANON_TRY(kanon__move_log_undo(&s->trial, g, err), out);
    if (o.n > 0 && g->n_suppressed + o.n <= s->most && o.saving > 0 && comes_before(&o, best))
        *best = o;
out:
    s->trial.n = 0;
    return st;
}

static kanon_status evaluate_group(suppression *s, int32_t group, offer *best, kanon_error *err)
{
    *best = (offer){.group = group, .row = -1, .n = 1};
    if (s->g.sizes[group] == 0 || s->g.n_suppressed >= s->most)
        return KANON_OK;
    evaluate_singles(s, group, best);
    return evaluate_dissolving(s, group, best, err);
}

/* ---- 2 to 4: spending the budget --------------------------------------------------------------------------------- */

/* Only offers that save something are of use. */
static kanon_status push(suppression *s, offer o, kanon_error *err)
{
    return o.saving > 0 ? offer_queue_push(&s->queue, o, err) : KANON_OK;
}

/* No offer of a group saves more per record than its whole loss but one record's full cost. So an offer is computed only
 * when this bound comes first: most groups never get there. */
static offer bound_of(const suppression *s, int32_t group)
{
    int64_t saving = s->g.sizes[group] > 0 ? kanon__mutable_groups_loss(&s->g, group) - s->g.full : 0;
    return (offer){.group = group, .row = BOUND, .saving = saving, .n = 1};
}

static int by_falling_bound(const void *left, const void *right)
{
    return comes_before(left, right) ? -1 : 1;
}

/* Each offer takes a record of the budget, so no more offers than that are taken, and nearly all of them from the groups
 * that lose most. Only so many groups are looked at, and half as many again. */
static kanon_status push_costliest(suppression *s, kanon_error *err)
{
    enum { FEW = 1000 };
    kanon_status st = KANON_OK;
    offer *bounds = NULL;
    int64_t n = s->g.n_groups, most = s->most + s->most / 2 < FEW ? FEW : s->most + s->most / 2;
    KANON_TRY(kanon__new_array(&bounds, n, "offers", err), out);
    for (int32_t group = 0; group < n; group++)
        bounds[group] = bound_of(s, group);
    qsort(bounds, (size_t)n, sizeof *bounds, by_falling_bound);
    for (int64_t i = 0; i < n && i < most; i++)
        KANON_TRY(push(s, bounds[i], err), out);
out:
    kanon__free(bounds);
    return st;
}

static kanon_status push_group(suppression *s, int32_t group, kanon_error *err)
{
    offer now;
    kanon_status st = evaluate_group(s, group, &now, err);
    return st == KANON_OK ? push(s, now, err) : st;
}

/* 3. A group that was joined may be able to spare a record now; its offer to dissolve is computed when it comes first. */
static kanon_status take(suppression *s, const offer *o, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t saving, n;
    if (o->row >= 0) {
        KANON_TRY(kanon__mutable_groups_move(&s->g, o->row, KANON__SUPPRESSED, err), out);
        KANON_TRY(push_group(s, o->group, err), out);
        goto out;
    }
    KANON_TRY(dissolve(s, o->group, &saving, &n, err), out);
    for (int64_t i = 0; i < s->trial.n && st == KANON_OK; i++)
        if (s->trial.items[i].to >= 0) {
            offer now = {.group = s->trial.items[i].to, .row = -1, .n = 1};
            evaluate_singles(s, now.group, &now);
            st = push(s, now, err);
        }
    s->trial.n = 0;
out:
    return st;
}

kanon_status kanon__suppress(kanon__run *run, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    suppression s = {.most = most};
    if (most <= 0)
        return KANON_OK;
    KANON_TRY(kanon__mutable_groups_init(&s.g, run, err), out);
    KANON_TRY(push_costliest(&s, err), out);
    while (s.queue.n > 0 && s.g.n_suppressed < most) {
        offer top = offer_queue_pop(&s.queue), now;
        if (top.row == BOUND) {
            KANON_TRY(push_group(&s, top.group, err), out);
            KANON_TRY(kanon__tick(run->ticker, s.g.n_suppressed, most, 50000, err), out);
            continue;
        }
        KANON_TRY(evaluate_group(&s, top.group, &now, err), out);
        if (now.saving == top.saving && now.n == top.n && now.row == top.row && now.saving > 0)
            KANON_TRY(take(&s, &now, err), out);
        else if (now.saving > 0 && (s.queue.n == 0 || comes_before(&s.queue.items[0], &now)))
            KANON_TRY(push(&s, now, err), out);
        else if (now.saving > 0)
            KANON_TRY(take(&s, &now, err), out);
        KANON_TRY(kanon__tick(run->ticker, s.g.n_suppressed, most, 100000, err), out);
    }
    kanon__mutable_groups_finish(&s.g);
out:
    offer_queue_clear(&s.queue);
    kanon__move_log_clear(&s.trial);
    kanon__mutable_groups_clear(&s.g);
    return st;
}
