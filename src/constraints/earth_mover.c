/* See earth_mover.h. The earth mover's distance in whole numbers: the three ground distances, and the counts of the
 * table that they need. */
#include "constraints/earth_mover.h"

#include "core/alloc.h"

static __int128 apart(__int128 left, __int128 right)
{
    return left > right ? left - right : right - left;
}

/* ---- equal distance: half of the sum of differences -------------------------------------------------------------- */

static double equal_distance(const kanon__reference *r, const kanon__counter *values)
{
    __int128 sum = 0;
    int64_t elsewhere = r->total; /* what the table has of values that the group lacks */
    for (int64_t i = 0; i < values->n_slots; i++) {
        int64_t n = values->slots[i].n;
        if (n == 0)
            continue;
        int64_t in_table = r->counts[values->slots[i].key - 1];
        sum += apart((__int128)n * r->total, (__int128)in_table * values->total);
        elsewhere -= in_table;
    }
    sum += (__int128)elsewhere * values->total;
    return (double)sum / (2.0 * (double)r->total * (double)values->total);
}

/* ---- ordered distance: what has to pass each step between neighbouring values ------------------------------------ */

/* The sum over codes begin .. end-1 of the difference to `level`, the group's cumulated count in the table's measure. */
static __int128 sum_steps(const kanon__reference *r, __int128 level, int64_t total, int64_t begin, int64_t end)
{
    int64_t low = begin, high = end; /* the table's cumulated counts rise, so there is one place where the sign turns */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((__int128)r->counts[middle] * total <= level)
            low = middle + 1;
        else
            high = middle;
    }
    return level * ((low - begin) - (end - low)) + ((r->sums[end] - r->sums[low]) - (r->sums[low] - r->sums[begin])) * total;
}

static double ordered_distance(const kanon__reference *r, kanon__counter *values)
{
    const uint64_t *keys = kanon__counter_sort(values);
    int64_t n_until = 0, at = 0, last = (int64_t)r->column->domain->n_codes - 1;
    __int128 sum = 0;
    for (int64_t i = 0; i < values->n_distinct; i++) {
        sum += sum_steps(r, (__int128)n_until * r->total, values->total, at, (int64_t)keys[i]);
        at = (int64_t)keys[i];
        n_until += kanon__counter_get(values, keys[i]);
    }
    sum += sum_steps(r, (__int128)n_until * r->total, values->total, at, last);
    return last > 0 ? (double)sum / ((double)r->total * (double)values->total * (double)last) : 0;
}

/* ---- taxonomy distance: what has to pass each edge --------------------------------------------------------------- */

/* How much higher the parent is than the node; 0 for the root. The way up and down again over edges of that length is twice
 * h(lca). */
static int32_t rise(const kanon__taxonomy *t, int32_t node)
{
    return node > 0 ? t->height[t->parent[node]] - t->height[node] : 0;
}

/* The search under constraints asks for this distance more often than for anything else: for small taxonomies counts by
 * node, from the leaves up, are faster than sorted codes. Both sums are the same whole number. */
enum { FEW_NODES = 64 };

static __int128 sum_few_nodes(const kanon__reference *r, const kanon__counter *values)
{
    const kanon__taxonomy *t = r->column->domain->taxonomy;
    int64_t below[FEW_NODES] = {0};
    __int128 sum = 0;
    for (int64_t i = 0; i < values->n_slots; i++)
        if (values->slots[i].n > 0)
            below[t->leaf_node[values->slots[i].key - 1]] += values->slots[i].n;
    for (int32_t node = t->n_nodes - 1; node > 0; node--) { /* children have higher numbers than their parents */
        int64_t there = r->counts[node] * values->total, here = below[node] * r->total;
        sum += (__int128)(here > there ? here - there : there - here) * rise(t, node);
        below[t->parent[node]] += below[node];
    }
    return sum;
}

/* Codes come in order, so the codes below a node are neighbours: a node is handled when its first code comes by. */
static __int128 sum_sorted(const kanon__reference *r, kanon__counter *values)
{
    const kanon__taxonomy *t = r->column->domain->taxonomy;
    const uint64_t *keys = kanon__counter_sort(values);
    __int128 sum = r->rise_sum * values->total;
    for (int64_t i = 0; i < values->n_distinct; i++) {
        int64_t n_below = 0, end = i;
        for (int32_t node = t->leaf_node[keys[i]]; node > 0; node = t->parent[node]) {
            if (i > 0 && (int64_t)keys[i - 1] >= t->first_leaf[node])
                break;
            for (; end < values->n_distinct && (int64_t)keys[end] <= t->last_leaf[node]; end++)
                n_below += kanon__counter_get(values, keys[end]);
            int64_t there = r->counts[node] * values->total, here = n_below * r->total;
            sum += (__int128)(here > there ? here - 2 * there : -here) * rise(t, node);
        }
    }
    return sum;
}

static double taxonomy_distance(const kanon__reference *r, kanon__counter *values)
{
    const kanon__taxonomy *t = r->column->domain->taxonomy;
    if (t->height[0] == 0)
        return 0;
    __int128 sum = t->n_nodes <= FEW_NODES ? sum_few_nodes(r, values) : sum_sorted(r, values);
    return (double)sum / (2.0 * (double)r->total * (double)values->total * (double)t->height[0]);
}

double kanon__reference_distance(const kanon__reference *r, kanon__counter *values)
{
    if (values->total == 0)
        return 0;
    switch (r->distance) {
    case KANON__DISTANCE_EQUAL:
        return equal_distance(r, values);
    case KANON__DISTANCE_ORDERED:
        return ordered_distance(r, values);
    default:
        return taxonomy_distance(r, values);
    }
}

/* ---- the reference distribution ---------------------------------------------------------------------------------- */

/* The table's counts by code: of records or, with entities, of different pairs of an entity and a value. */
static kanon_status count_table(kanon__reference *r, const kanon__data *table, bool by_entity, int64_t *counts,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__counter pairs = {0};
    for (int64_t row = 0; row < table->n_rows; row++) {
        uint32_t code = kanon__code_at(r->column->codes, row);
        int64_t n = 1;
        if (by_entity && table->has_entity)
            KANON_TRY(
                kanon__counter_add(&pairs, (uint64_t)kanon__code_at(table->entity_codes, row) << 32 | code, 1, &n, err),
                out);
        counts[code] += n == 1;
        r->total += n == 1;
    }
out:
    kanon__counter_clear(&pairs);
    return st;
}

/* Records up to every code. */
static kanon_status cumulate(kanon__reference *r, const int64_t *counts, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t n = r->column->domain->n_codes;
    KANON_TRY(kanon__new_array(&r->counts, n, "values of the table", err), out);
    KANON_TRY(kanon__new_array(&r->sums, (int64_t)n + 1, "values of the table", err), out);
    for (uint32_t code = 0; code < n; code++) {
        r->counts[code] = counts[code] + (code > 0 ? r->counts[code - 1] : 0);
        r->sums[code + 1] = r->sums[code] + r->counts[code];
    }
out:
    return st;
}

/* Records below every node, from the leaves up. */
static kanon_status sum_nodes(kanon__reference *r, const int64_t *counts, kanon_error *err)
{
    const kanon__taxonomy *t = r->column->domain->taxonomy;
    kanon_status st = kanon__new_array(&r->counts, t->n_nodes, "values of the table", err);
    if (st != KANON_OK)
        return st;
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++)
        r->counts[t->leaf_node[leaf]] = counts[leaf];
    for (int32_t node = t->n_nodes - 1; node > 0; node--) { /* children have higher numbers than their parents */
        r->counts[t->parent[node]] += r->counts[node];
        r->rise_sum += (__int128)r->counts[node] * rise(t, node);
    }
    return KANON_OK;
}

kanon_status kanon__reference_init(kanon__reference *out, const kanon__data *table, int column,
                                   kanon__ground_distance distance, bool by_entity, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *counts = NULL;
    kanon__reference r = {.column = &table->columns[column], .distance = distance};
    *out = (kanon__reference){0};
    if (distance == KANON__DISTANCE_DEFAULT)
        r.distance = kanon__column_is_numeric(r.column) ? KANON__DISTANCE_ORDERED : KANON__DISTANCE_TAXONOMY;
    KANON_TRY(kanon__new_array(&counts, r.column->domain->n_codes, "values of the table", err), out);
    KANON_TRY(count_table(&r, table, by_entity, counts, err), out);
    if (r.distance == KANON__DISTANCE_EQUAL) {
        r.counts = counts;
        counts = NULL;
    } else if (r.distance == KANON__DISTANCE_ORDERED) {
        KANON_TRY(cumulate(&r, counts, err), out);
    } else {
        KANON_TRY(sum_nodes(&r, counts, err), out);
    }
    *out = r;
    r = (kanon__reference){0};
out:
    kanon__reference_clear(&r);
    kanon__free(counts);
    return st;
}

void kanon__reference_clear(kanon__reference *r)
{
    kanon__free(r->sums);
    kanon__free(r->counts);
    *r = (kanon__reference){0};
}
