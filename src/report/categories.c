/* Distribution of a categorical attribute: the most frequent categories that are not rare, by name, and all others in
 * one. */
#include "core/alloc.h"
#include "core/ticker.h"
#include "report/distribution.h"

#include <stdlib.h>
#include <string.h>

/* How often each node stands in the original, where only leaves do, and in the release. */
typedef struct node_counts {
    int64_t *before, *after, *groups;
} node_counts;

static kanon_status count_nodes(node_counts *out, const kanon__column *c, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__taxonomy *t = c->domain->taxonomy;
    uint32_t *extents = NULL;
    KANON_TRY(kanon__new_array(&out->before, t->n_nodes, "a distribution", err), out);
    KANON_TRY(kanon__new_array(&out->after, t->n_nodes, "a distribution", err), out);
    KANON_TRY(kanon__new_array(&out->groups, t->n_nodes, "a distribution", err), out);
    KANON_TRY(kanon__grouping_extents(&extents, g, c, err), out);
    for (int64_t row = 0; row < g->n_rows; row++)
        out->before[t->leaf_node[kanon__code_at(c->codes, row)]]++;
    for (int64_t group = 0; group < g->n_groups; group++) {
        int32_t node = kanon__taxonomy_lca(t, (int32_t)extents[2 * group], (int32_t)extents[2 * group + 1]);
        out->after[node] += g->sizes[group];
        out->groups[node]++;
    }
    out->after[0] += g->n_suppressed;
    KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
out:
    kanon__free(extents);
    return st;
}

static bool is_rare(int64_t count, int64_t rare)
{
    return count > 0 && count < rare;
}

static bool is_larger(const kanon__category *a, const kanon__category *b)
{
    return a->before + a->after > b->before + b->after;
}

static void put_aside(kanon__categories *cs, const kanon__category *category)
{
    cs->other_before += category->before;
    cs->other_after += category->after;
    cs->other_groups += category->groups;
    cs->n_other++;
}

/* A common category of which few records show it in the release: these few are put aside, so that the others do not hold
 * most of the table. */
static void put_aside_released(kanon__categories *cs, kanon__category *category)
{
    cs->other_after += category->after;
    cs->other_groups += category->groups;
    category->after = category->groups = 0;
}

/* Keep the items in descending order; what falls out at the end is put aside. */
static void take(kanon__categories *cs, const kanon__category *category)
{
    int at = cs->n;
    if (cs->n == KANON__SHOWN_CATEGORIES) {
        at--;
        cs->other_is_rare = false;
        put_aside(cs, is_larger(category, &cs->items[at]) ? &cs->items[at] : category);
        if (!is_larger(category, &cs->items[at]))
            return;
    } else {
        cs->n++;
    }
    for (; at > 0 && is_larger(category, &cs->items[at - 1]); at--)
        cs->items[at] = cs->items[at - 1];
    cs->items[at] = *category;
}

static int by_node(const void *a, const void *b)
{
    const kanon__category *x = a, *y = b;
    return (x->node > y->node) - (x->node < y->node);
}

static bool is_above(const kanon__taxonomy *t, int32_t upper, int32_t lower)
{
    while (lower > upper)
        lower = t->parent[lower];
    return lower == upper;
}

/* Trees are shown in their own order and indented; values of a flat one by how many they are, and "any value" first. */
static void arrange(kanon__categories *cs, const kanon__taxonomy *t)
{
    if (t->flat) {
        for (int i = 1; i < cs->n; i++)
            for (int j = i; j > 0 && cs->items[j].node == 0; j--) {
                kanon__category swapped = cs->items[j];
                cs->items[j] = cs->items[j - 1];
                cs->items[j - 1] = swapped;
            }
        return;
    }
    qsort(cs->items, (size_t)cs->n, sizeof *cs->items, by_node);
    for (int i = 0; i < cs->n; i++)
        for (int j = 0; j < i; j++)
            cs->items[i].depth += is_above(t, cs->items[j].node, cs->items[i].node);
}

typedef struct few {
    int64_t records, groups;
} few;

/* Whether so much must not be shown. */
static bool is_hidden(int64_t before, int64_t after, int64_t groups, few least)
{
    return is_rare(before, least.records) || is_rare(after, least.records) || is_rare(groups, least.groups);
}

kanon_status kanon__categories_init(kanon__categories *cs, const kanon__column *c, const kanon_grouping *g, int64_t rare,
                                    int64_t least_groups, kanon_error *err)
{
    node_counts counts = {0};
    few least = {rare, least_groups};
    memset(cs, 0, sizeof *cs);
    cs->other_is_rare = true;
    kanon_status st = count_nodes(&counts, c, g, err);
    for (int32_t node = 0; st == KANON_OK && node < c->domain->taxonomy->n_nodes; node++) {
        kanon__category category = {
            .node = node, .before = counts.before[node], .after = counts.after[node], .groups = counts.groups[node]};
        if (least.groups <= 1 && category.before >= least.records && is_rare(category.after, least.records))
            put_aside_released(cs, &category);
        if (is_hidden(category.before, category.after, category.groups, least))
            put_aside(cs, &category);
        else if (category.before + category.after > 0)
            take(cs, &category);
    }
    /* a single rare category is hidden only among others */
    while (cs->n > 0 && is_hidden(cs->other_before, cs->other_after, cs->other_groups, least)) {
        put_aside(cs, &cs->items[--cs->n]);
        cs->other_is_rare = false;
    }
    if (st == KANON_OK)
        arrange(cs, c->domain->taxonomy);
    kanon__free(counts.groups);
    kanon__free(counts.after);
    kanon__free(counts.before);
    return st;
}
