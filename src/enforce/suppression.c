/* Suppression: a suppressed record costs its full loss, but may save more. Two ways to use the budget are known for each
 * group:
 *
 *   single    one record of a group that has more than k leaves, and the box of the others shrinks
 *   dissolve  every record of a dear group joins the group that it may join at the least increase, or is suppressed where
 * that
 *             costs less
 *
 * What saves most for each suppressed record is done first. A queue holds what each group could save when it was last looked
 * at; what comes to its top is looked at again, and done if it is still true.
 *
 * Ties: the lowest group; inside a group the lowest record. */
#include "enforce/suppression.h"

#include "core/alloc.h"
#include "enforce/regroup.h"

#include <stdlib.h>

enum { MOST_DISSOLVED = 256 };

/* What a group could save: the saving divided by the records that it takes. */
typedef struct offer {
    int32_t group;
    int32_t row; /* the single record; -1: the group is dissolved */
    int64_t saving, n;
} offer;

typedef struct spending {
    kanon__regroup g;
    kanon__moves trial;
    offer *heap;
    int64_t n_heap, heap_capacity;
    int64_t most;
} spending;

/* ---- putting back ------------------------------------------------------------------------------------------------ */

typedef struct outcast {
    int32_t row, group;
    int64_t increase;
} outcast;

static int by_increase(const void *left, const void *right)
{
    const outcast *a = left, *b = right;
    if (a->increase != b->increase)
        return a->increase < b->increase ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Where a record goes: the cheapest group that keeps its constraints with it, else the cheapest one. */
static kanon_status find_home(kanon__regroup *g, outcast *o, kanon_error *err)
{
    kanon_status st = kanon__regroup_cheapest(g, o->row, -1, INT64_MAX, &o->group, &o->increase, err);
    if (st != KANON_OK || o->group >= 0)
        return st;
    for (int32_t group = 0; group < g->n_groups; group++) {
        int64_t more = g->sizes[group] > 0 ? kanon__regroup_increase(g, group, o->row) : INT64_MAX;
        if (more < o->increase) {
            o->increase = more;
            o->group = group;
        }
    }
    return KANON_OK;
}

static kanon_status put_back(kanon__regroup *g, outcast *out, int64_t n, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < n; i++)
        KANON_TRY(find_home(g, &out[i], err), out);
    qsort(out, (size_t)n, sizeof *out, by_increase);
    for (int64_t i = 0; i < n && g->n_suppressed > most; i++) {
        KANON_TRY(find_home(g, &out[i], err), out); /* the groups have changed */
        KANON_TRY(kanon__regroup_move(g, out[i].row, out[i].group, err), out);
        KANON_TRY(kanon__tick(g->run->ticker, i, n, 20000, err), out);
    }
out:
    return st;
}

/* An entity's records follow its first one. */
static kanon_status put_entities_back(kanon__regroup *g, outcast *list, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *t = g->run->table;
    int32_t *home = NULL;
    KANON_TRY(kanon__new_array(&home, t->n_entities, "entities", err), out);
    for (int64_t i = 0; i < n; i++) { /* by row */
        int32_t *own = &home[kanon__code_at(t->entity_codes, list[i].row)];
        if (*own == 0) {
            KANON_TRY(find_home(g, &list[i], err), out);
            *own = list[i].group + 1;
        }
        KANON_TRY(kanon__regroup_move(g, list[i].row, *own - 1, err), out);
    }
out:
    kanon__free(home);
    return st;
}

kanon_status kanon__unsuppress(kanon__run *run, int64_t most, bool whole_entities, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regroup g = {0};
    outcast *list = NULL;
    int64_t n = 0;
    for (int64_t row = 0; row < run->space->n_rows; row++)
        n += run->group_of[row] < 0;
    if (n <= most || n == run->space->n_rows)
        return KANON_OK;
    KANON_TRY(kanon__regroup_init(&g, run, err), out);
    KANON_TRY(kanon__new_array(&list, n, "suppressed records", err), out);
    n = 0;
    for (int32_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] < 0)
            list[n++] = (outcast){.row = row};
    KANON_TRY(whole_entities ? put_entities_back(&g, list, n, err) : put_back(&g, list, n, most, err), out);
    kanon__regroup_finish(&g);
out:
    kanon__free(list);
    kanon__regroup_clear(&g);
    return st;
}

/* ---- the queue --------------------------------------------------------------------------------------------------- */

static bool comes_before(const offer *a, const offer *b)
{
    __int128 left = (__int128)a->saving * b->n, right = (__int128)b->saving * a->n;
    return left != right ? left > right : a->group < b->group;
}

static kanon_status push(spending *s, offer o, kanon_error *err)
{
    if (o.saving <= 0)
        return KANON_OK;
    kanon_status st = kanon__grow_array(&s->heap, &s->heap_capacity, s->n_heap + 1, "the queue", err);
    if (st != KANON_OK)
        return st;
    int64_t at = s->n_heap++;
    for (; at > 0 && comes_before(&o, &s->heap[(at - 1) / 2]); at = (at - 1) / 2)
        s->heap[at] = s->heap[(at - 1) / 2];
    s->heap[at] = o;
    return KANON_OK;
}

static offer pop(spending *s)
{
    offer top = s->heap[0], last = s->heap[--s->n_heap];
    int64_t at = 0;
    for (int64_t child = 1; child < s->n_heap; child = 2 * at + 1) {
        child += child + 1 < s->n_heap && comes_before(&s->heap[child + 1], &s->heap[child]);
        if (!comes_before(&s->heap[child], &last))
            break;
        s->heap[at] = s->heap[child];
        at = child;
    }
    s->heap[at] = last;
    return top;
}

/* ---- what a group could save ------------------------------------------------------------------------------------- */

static void look_at_singles(spending *s, int32_t group, offer *best)
{
    kanon__regroup *g = &s->g;
    if (g->sizes[group] <= g->run->k || g->n_suppressed >= s->most)
        return;
    for (int32_t row = g->first[group]; row >= 0; row = g->next[row]) {
        int64_t saving = kanon__regroup_decrease(g, group, row) - g->full;
        offer o = {group, row, saving, 1};
        if (saving <= 0 || comes_before(best, &o) || (saving == best->saving && best->n == 1 && row > best->row))
            continue;
        if (kanon__regroup_spares(g, group, row))
            *best = o;
    }
}

/* Make the moves of dissolving a group; *saving is what they save and *n how many records they suppress. Given up, with no
 * saving, as soon as nothing is left to save. */
static kanon_status dissolve(spending *s, int32_t group, int64_t *saving, int64_t *n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regroup *g = &s->g;
    int32_t rows[MOST_DISSOLVED], to;
    int64_t n_rows = g->sizes[group], more;
    *saving = kanon__regroup_loss(g, group);
    *n = 0;
    kanon__regroup_members(g, group, rows);
    for (int64_t i = 0; i<n_rows && * saving> 0; i++) {
        KANON_TRY(kanon__regroup_cheapest(g, rows[i], group, g->full, &to, &more, err), out);
        *n += to < 0;
        *saving -= to < 0 ? g->full : more;
        KANON_TRY(kanon__moves_do(&s->trial, g, rows[i], to < 0 ? KANON__SUPPRESSED : to, err), out);
    }
out:
    return st;
}

static kanon_status look_at_dissolving(spending *s, int32_t group, offer *best, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regroup *g = &s->g;
    offer o = {.group = group, .row = -1};
    if (g->n_left == 1 || g->sizes[group] > MOST_DISSOLVED || kanon__regroup_loss(g, group) <= g->full)
        return KANON_OK;
    KANON_TRY(dissolve(s, group, &o.saving, &o.n, err), out);
    KANON_TRY(kanon__moves_undo(&s->trial, g, err), out);
    if (o.n > 0 && g->n_suppressed + o.n <= s->most && o.saving > 0 && comes_before(&o, best))
        *best = o;
out:
    s->trial.n = 0;
    return st;
}

static kanon_status look_at_group(spending *s, int32_t group, offer *best, kanon_error *err)
{
    *best = (offer){.group = group, .row = -1, .n = 1};
    if (s->g.sizes[group] == 0 || s->g.n_suppressed >= s->most)
        return KANON_OK;
    look_at_singles(s, group, best);
    return look_at_dissolving(s, group, best, err);
}

/* ---- spending ---------------------------------------------------------------------------------------------------- */

static kanon_status look_again(spending *s, int32_t group, kanon_error *err)
{
    offer now;
    kanon_status st = look_at_group(s, group, &now, err);
    return st == KANON_OK ? push(s, now, err) : st;
}

/* Do what the offer says. A group that was joined may spare a record now. */
static kanon_status take(spending *s, const offer *o, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t saving, n;
    if (o->row >= 0) {
        KANON_TRY(kanon__regroup_move(&s->g, o->row, KANON__SUPPRESSED, err), out);
        KANON_TRY(look_again(s, o->group, err), out);
        goto out;
    }
    KANON_TRY(dissolve(s, o->group, &saving, &n, err), out);
    for (int64_t i = 0; i < s->trial.n && st == KANON_OK; i++)
        if (s->trial.items[i].to >= 0) {
            offer now = {.group = s->trial.items[i].to, .row = -1, .n = 1};
            look_at_singles(s, now.group, &now);
            st = push(s, now, err);
        }
    s->trial.n = 0;
out:
    return st;
}

kanon_status kanon__suppress(kanon__run *run, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    spending s = {.most = most};
    if (most <= 0)
        return KANON_OK;
    KANON_TRY(kanon__regroup_init(&s.g, run, err), out);
    for (int32_t group = 0; group < s.g.n_groups; group++) {
        KANON_TRY(look_again(&s, group, err), out);
        KANON_TRY(kanon__tick(run->ticker, group, 2 * (int64_t)s.g.n_groups, 50000, err), out);
    }
    while (s.n_heap > 0 && s.g.n_suppressed < most) {
        offer top = pop(&s), now;
        KANON_TRY(look_at_group(&s, top.group, &now, err), out);
        if (now.saving == top.saving && now.n == top.n && now.row == top.row && now.saving > 0)
            KANON_TRY(take(&s, &now, err), out);
        else if (now.saving > 0 && (s.n_heap == 0 || comes_before(&s.heap[0], &now)))
            KANON_TRY(push(&s, now, err), out);
        else if (now.saving > 0)
            KANON_TRY(take(&s, &now, err), out);
        KANON_TRY(kanon__tick(run->ticker, s.g.n_suppressed, most, 100000, err), out);
    }
    kanon__regroup_finish(&s.g);
out:
    kanon__free(s.heap);
    kanon__moves_clear(&s.trial);
    kanon__regroup_clear(&s.g);
    return st;
}
