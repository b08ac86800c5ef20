/* The separation of all tuples: their order, and the questions that the box search answers, on several threads.
 *
 * A task asks about TUPLES_PER_TASK items and keeps the sets that were found in one array of its own. */
#include "bound/separation.h"

#include "bound/box_growth.h"
#include "core/alloc.h"
#include "core/pool.h"

#include <stdlib.h>
#include <string.h>

enum { TUPLES_PER_TASK = 64 };
/* Sets grow within this share of what a violated set may cost: its members are nearer to one of them than it is wide. */
static const double NEAR = 0.7;

kanon_status kanon__separation_new(kanon__separation **out, kanon__priced_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__separation *s = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "prices", err), out);
    s->table = table;
    KANON_TRY(kanon__new_array(&s->order, table->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&s->last, table->index->n_nodes, "prices", err), out);
    KANON_TRY(kanon__new_array(&s->radius, table->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&s->items, table->n, "prices", err), out);
    s->n_tasks = (table->n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK;
    KANON_TRY(kanon__new_array(&s->members, s->n_tasks, "prices", err), out);
    *out = s;
    s = NULL;
out:
    kanon__separation_free(s);
    return st;
}

/* The sets of the last run are gone then. */
static void drop_members(kanon__separation *s)
{
    for (int64_t task = 0; s->members != NULL && task < s->n_tasks; task++) {
        kanon__free(s->members[task]);
        s->members[task] = NULL;
    }
}

void kanon__separation_free(kanon__separation *s)
{
    if (s == NULL)
        return;
    drop_members(s);
    kanon__free(s->members);
    kanon__free(s->items);
    kanon__free(s->radius);
    kanon__free(s->last);
    kanon__free(s->order);
    kanon__free(s);
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static int by_key(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Children have higher numbers than their parents, so going backwards finds them done. */
static void set_last(kanon__separation *s)
{
    const kanon__tuple_tree *x = s->table->index;
    for (int64_t i = x->n_nodes - 1; i >= 0; i--) {
        const kanon__tree_node *node = &x->nodes[i];
        int32_t last = -1;
        for (int64_t tuple = node->begin; node->first_child < 0 && tuple < node->end; tuple++)
            last = s->order[tuple] > last ? s->order[tuple] : last;
        for (int32_t child = node->first_child; child >= 0 && child < node->first_child + 2; child++)
            last = s->last[child] > last ? s->last[child] : last;
        s->last[i] = last;
    }
}

/* All tuples become items. */
static void take_all(kanon__separation *s)
{
    s->n = s->table->n;
    for (int64_t tuple = 0; tuple < s->n; tuple++)
        s->items[tuple].tuple = tuple;
}

void kanon__separation_sample(kanon__separation *s, int64_t every)
{
    take_all(s);
    s->n = 0;
    for (int64_t tuple = every / 2; tuple < s->table->n; tuple += every)
        s->items[s->n++].tuple = tuple;
}

kanon_status kanon__separation_start(kanon__separation *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__priced_table *t = s->table;
    uint64_t *keys = NULL;
    KANON_TRY(kanon__new_array(&keys, t->n, "prices", err), out);
    for (int64_t tuple = 0; tuple < t->n; tuple++)
        keys[tuple] = (uint64_t)((int64_t)INT32_MAX - t->prices[tuple]) << 32 | (uint64_t)tuple;
    qsort(keys, (size_t)t->n, sizeof *keys, by_key);
    for (int64_t i = 0; i < t->n; i++)
        s->order[keys[i] & UINT32_MAX] = (int32_t)i;
    set_last(s);
    memcpy(s->radius, t->prices, (size_t)t->n * sizeof *s->radius);
    take_all(s);
out:
    kanon__free(keys);
    return st;
}

/* ---- separation -------------------------------------------------------------------------------------------------- */

/* What all tasks share. */
typedef struct separation_job {
    kanon__separation *separation;
    int64_t tolerance, budget, enough;
    int32_t *least;  /* by tuple: where the least boxes are asked for, what they cost at least; else NULL */
    int32_t typical; /* above 0: sets are grown, not searched for; a price that most are near to */
    kanon__shared_ticker shared;
} separation_job;

/* Append the members of the set to *members, which has `used` numbers. */
static kanon_status keep_set(kanon__separation_item *item, const kanon__violated_set *set, int32_t **members, int64_t *used,
                             int64_t *capacity, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(members, capacity, *used + 2 * set->n, "prices", err));
    item->set = *set;
    memcpy(*members + *used, set->tuples, (size_t)set->n * sizeof **members);
    memcpy(*members + *used + set->n, set->times, (size_t)set->n * sizeof **members);
    *used += 2 * set->n;
    return KANON_OK;
}

/* What a task asks with. */
typedef struct separation_tools {
    kanon__box_search *search;
    kanon__box_growth *growth;
} separation_tools;

static kanon_status ask(const separation_tools *with, const separation_job *a, int64_t tuple,
                        const kanon__violated_set **set, kanon_error *err)
{
    const kanon__separation *s = a->separation;
    int32_t price = s->table->prices[tuple];
    if (a->least != NULL)
        return kanon__box_search_least(with->search, tuple, a->budget, set, &a->least[tuple], err);
    if (a->typical > 0) /* a cheap tuple may be in a set with dear ones */
        return kanon__box_growth_run(with->growth, tuple, (int32_t)(NEAR * (price > a->typical ? price : a->typical)), set,
                                     err);
    kanon__box_question question = {
        .tuple = tuple,
        .order = s->order,
        .last = s->last,
        .radius = s->radius[tuple],
        .tolerance = a->tolerance,
        .budget = a->budget,
        .enough = a->enough,
    };
    return kanon__box_search_run(with->search, &question, set, err);
}

static kanon_status separate_task(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    separation_job *a = payload;
    kanon__separation *s = a->separation;
    separation_tools with = {0};
    kanon__ticker ticker;
    int64_t begin = task * TUPLES_PER_TASK, end = begin + TUPLES_PER_TASK < s->n ? begin + TUPLES_PER_TASK : s->n;
    int64_t used = 0, capacity = 0;
    kanon__shared_ticker_task(&ticker, &a->shared);
    if (a->typical > 0)
        KANON_TRY(kanon__box_growth_new(&with.growth, s->table, err), out);
    else
        KANON_TRY(kanon__box_search_new(&with.search, s->table, err), out);
    for (int64_t i = begin; i < end; i++) {
        const kanon__violated_set *set;
        s->items[i].price = s->table->prices[s->items[i].tuple];
        KANON_TRY(kanon__tick(&ticker, 0, 0, 100000, err), out);
        KANON_TRY(ask(&with, a, s->items[i].tuple, &set, err), out);
        KANON_TRY(keep_set(&s->items[i], set, &s->members[task], &used, &capacity, err), out);
    }
    used = 0;
    for (int64_t i = begin; i < end; i++) { /* the array does not move any more */
        kanon__violated_set *set = &s->items[i].set;
        set->tuples = s->members[task] + used;
        set->times = set->tuples + set->n;
        used += 2 * set->n;
    }
    kanon__shared_ticker_add(&a->shared, end - begin);
out:
    kanon__box_search_free(with.search);
    kanon__box_growth_free(with.growth);
    return st;
}

static kanon_status run_job(separation_job *a, kanon__ticker *ticker, kanon_error *err)
{
    kanon__separation *s = a->separation;
    drop_members(s);
    kanon__shared_ticker_init(&a->shared, ticker, s->n);
    kanon_status st = kanon__pool_run(s->table->threads, (s->n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK, separate_task, a,
                                      err);
    kanon__shared_ticker_clear(&a->shared);
    return st;
}

kanon_status kanon__separation_run(kanon__separation *s, int32_t tolerance, int64_t budget, int64_t enough,
                                   kanon__ticker *ticker, kanon_error *err)
{
    separation_job a = {.separation = s, .tolerance = tolerance * s->table->k, .budget = budget, .enough = enough};
    return run_job(&a, ticker, err);
}

kanon_status kanon__separation_find_least(kanon__separation *s, int32_t *least, int64_t budget, kanon__ticker *ticker,
                                          kanon_error *err)
{
    separation_job a = {.separation = s, .budget = budget, .least = least};
    take_all(s);
    return run_job(&a, ticker, err);
}

kanon_status kanon__separation_grow(kanon__separation *s, int32_t typical, kanon__ticker *ticker, kanon_error *err)
{
    separation_job a = {.separation = s, .typical = typical > 0 ? typical : 1};
    take_all(s);
    return run_job(&a, ticker, err);
}
