#include "bound/survey.h"

#include "core/alloc.h"
#include "core/pool.h"

#include <stdlib.h>
#include <string.h>

/* A search that has looked at so many tuples costs a fraction of a second. */
static const int64_t PATIENT_BUDGET = (int64_t)1 << 26;
enum { TUPLES_PER_TASK = 64, MOST_PASSES = 200 };

kanon_status kanon__survey_new(kanon__survey **out, kanon__priced_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__survey *s = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "prices", err), out);
    s->table = table;
    KANON_TRY(kanon__new_array(&s->order, table->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&s->last, table->index->n_nodes, "prices", err), out);
    KANON_TRY(kanon__new_array(&s->radius, table->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&s->findings, table->n, "prices", err), out);
    s->n_tasks = (table->n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK;
    KANON_TRY(kanon__new_array(&s->members, s->n_tasks, "prices", err), out);
    *out = s;
    s = NULL;
out:
    kanon__survey_free(s);
    return st;
}

static void drop_members(kanon__survey *s)
{
    for (int64_t task = 0; s->members != NULL && task < s->n_tasks; task++) {
        kanon__free(s->members[task]);
        s->members[task] = NULL;
    }
}

void kanon__survey_free(kanon__survey *s)
{
    if (s == NULL)
        return;
    drop_members(s);
    kanon__free(s->members);
    kanon__free(s->findings);
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

/* Children come after their parents, so going backwards finds them done. */
static void set_last(kanon__survey *s)
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

kanon_status kanon__survey_begin(kanon__survey *s, kanon_error *err)
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
    s->n = t->n;
    for (int64_t tuple = 0; tuple < t->n; tuple++)
        s->findings[tuple].tuple = tuple;
out:
    kanon__free(keys);
    return st;
}

/* ---- asking ------------------------------------------------------------------------------------------------------ */

typedef struct asking {
    kanon__survey *survey;
    int64_t tolerance, budget;
    kanon__shared_ticker shared;
} asking;

/* Copy the group behind the `used` numbers of *members. */
static kanon_status keep_group(kanon__finding *finding, const kanon__overpriced *group, int32_t **members, int64_t *used,
                               int64_t *capacity, kanon_error *err)
{
    kanon_status st = kanon__grow_array(members, capacity, *used + 2 * group->n, "prices", err);
    if (st != KANON_OK)
        return st;
    finding->group = *group;
    memcpy(*members + *used, group->tuples, (size_t)group->n * sizeof **members);
    memcpy(*members + *used + group->n, group->times, (size_t)group->n * sizeof **members);
    *used += 2 * group->n;
    return KANON_OK;
}

static kanon_status ask_task(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    asking *a = payload;
    kanon__survey *s = a->survey;
    kanon__box_search *search = NULL;
    kanon__ticker ticker;
    int64_t begin = task * TUPLES_PER_TASK, end = begin + TUPLES_PER_TASK < s->n ? begin + TUPLES_PER_TASK : s->n;
    int64_t used = 0, capacity = 0;
    kanon__shared_ticker_task(&ticker, &a->shared);
    KANON_TRY(kanon__box_search_new(&search, s->table, err), out);
    for (int64_t i = begin; i < end; i++) {
        const kanon__overpriced *group;
        int64_t tuple = s->findings[i].tuple;
        KANON_TRY(kanon__tick(&ticker, 0, 0, 100000, err), out);
        KANON_TRY(
            kanon__box_search_run(search, tuple, s->order, s->last, s->radius[tuple], a->tolerance, a->budget, &group, err),
            out);
        KANON_TRY(keep_group(&s->findings[i], group, &s->members[task], &used, &capacity, err), out);
    }
    used = 0;
    for (int64_t i = begin; i < end; i++) { /* only now do the members stay where they are */
        kanon__overpriced *group = &s->findings[i].group;
        group->tuples = s->members[task] + used;
        group->times = group->tuples + group->n;
        used += 2 * group->n;
    }
    kanon__shared_ticker_add(&a->shared, end - begin);
out:
    kanon__box_search_free(search);
    return st;
}

kanon_status kanon__survey_ask(kanon__survey *s, int32_t tolerance, int64_t budget, kanon__ticker *ticker, kanon_error *err)
{
    asking a = {.survey = s, .tolerance = tolerance * s->table->k, .budget = budget};
    drop_members(s);
    kanon__shared_ticker_init(&a.shared, ticker, s->n);
    kanon_status st = kanon__pool_run(s->table->threads, (s->n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK, ask_task, &a, err);
    kanon__shared_ticker_clear(&a.shared);
    return st;
}

/* ---- making prices fair ------------------------------------------------------------------------------------------ */

/* Lower the prices of a group's members alike until it is no longer overpriced; those found before may have done it. */
static bool lower_group(kanon__priced_table *t, const kanon__overpriced *group)
{
    int64_t excess = -t->k * group->units;
    for (int64_t i = 0; i < group->n; i++)
        excess += (int64_t)group->times[i] * t->prices[group->tuples[i]];
    int64_t each = excess > 0 ? (excess + t->k - 1) / t->k : 0;
    for (int64_t i = 0; i < group->n; i++) {
        if (t->prices[group->tuples[i]] - each < KANON__LOWEST_PRICE)
            return false;
        t->prices[group->tuples[i]] -= (int32_t)each;
    }
    return true;
}

/* A tuple whose boxes are too many to look at pays for what may be there. */
static bool lower_alone(kanon__priced_table *t, int64_t tuple, int64_t excess)
{
    if (t->prices[tuple] - excess < KANON__LOWEST_PRICE)
        return false;
    t->prices[tuple] -= (int32_t)excess;
    return true;
}

/* Lowering a price makes nothing unfair, and each set is asked about at its first tuple in an order that stays: a tuple
 * where nothing was found is done for good, and so is the survey when none is left. */
kanon_status kanon__survey_make_fair(kanon__survey *s, int32_t tolerance, kanon__cuts *cuts, bool *fair,
                                     kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__priced_table *t = s->table;
    int64_t passes = 0;
    *fair = true;
    KANON_TRY(kanon__survey_begin(s, err), out);
    for (; s->n > 0 && *fair; passes++) {
        KANON_TRY(kanon__survey_ask(s, tolerance, PATIENT_BUDGET, ticker, err), out);
        KANON_TRY(kanon__cuts_take(cuts, s->findings, s->n, err), out);
        int64_t left = 0;
        for (int64_t i = 0; i < s->n && *fair; i++) {
            const kanon__finding *f = &s->findings[i];
            bool found = f->group.n > 0, cut_short = f->group.at_most > tolerance * t->k && !found;
            if (found)
                *fair = lower_group(t, &f->group);
            else if (cut_short)
                *fair = lower_alone(t, f->tuple, f->group.at_most - tolerance * t->k);
            if (found)
                s->findings[left++].tuple = f->tuple;
        }
        s->n = left;
        *fair = *fair && passes < MOST_PASSES;
    }
    for (int64_t tuple = 0; tuple < t->n; tuple++)
        t->prices[tuple] -= tolerance;
out:
    return st;
}
