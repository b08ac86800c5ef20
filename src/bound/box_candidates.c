/* Finds the tuples that may share a box with one tuple, by falling price.
 *
 * A walk over the index leaves out nodes that are too far or lie before the tuple in the order. Distances from the tuple are
 * lookups where a dimension has few codes. Called by box_search.c; calls priced_table.h. */
#include "bound/box_candidates.h"

#include "core/alloc.h"

#include <string.h>

enum { MOST_DEPTH = 96, TABLE_CODES = 1024 };

kanon_status kanon__box_candidates_init(kanon__box_candidates *out, const kanon__priced_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__box_candidates){.table = table};
    KANON_TRY(kanon__new_array(&out->reach, table->space->n_dimensions, "boxes", err), out);
    for (int i = 0; i < table->space->n_dimensions; i++)
        if (table->space->dimensions[i].n_codes <= TABLE_CODES)
            KANON_TRY(kanon__new_array(&out->reach[i], table->space->dimensions[i].n_codes, "boxes", err), out);
out:
    return st;
}

void kanon__box_candidates_clear(kanon__box_candidates *s)
{
    kanon__free(s->other);
    kanon__free(s->items);
    for (int i = 0; s->reach != NULL && i < s->table->space->n_dimensions; i++)
        kanon__free(s->reach[i]);
    kanon__free(s->reach);
}

/* One row of pair costs for each dimension: distances from the tuple become lookups. */
static void set_reach(kanon__box_candidates *s, const uint32_t *codes)
{
    for (int i = 0; i < s->table->space->n_dimensions; i++) {
        const kanon__dimension *d = &s->table->space->dimensions[i];
        for (uint32_t code = 0; s->reach[i] != NULL && code < d->n_codes; code++)
            s->reach[i][code] = kanon__dimension_units(d, code < codes[i] ? code : codes[i],
                                                       code < codes[i] ? codes[i] : code);
    }
}

static uint32_t reach_of(const kanon__box_candidates *s, int i, uint32_t from, uint32_t to)
{
    return s->reach[i] != NULL
               ? s->reach[i][to]
               : kanon__dimension_units(&s->table->space->dimensions[i], from < to ? from : to, from < to ? to : from);
}

static uint32_t distance_to_node(const kanon__box_candidates *s, const uint32_t *codes, int32_t node)
{
    int m = s->table->space->n_dimensions;
    const kanon__bound *box = s->table->index->boxes + (int64_t)node * 2 * m;
    uint32_t units = 0;
    for (int i = 0; i < m; i++) {
        uint32_t code = codes[i], lo = box[2 * i], hi = box[2 * i + 1];
        units += reach_of(s, i, code, code < lo ? lo : code > hi ? hi : code);
    }
    return units;
}

static uint32_t distance_to(const kanon__box_candidates *s, const uint32_t *codes, const uint32_t *other)
{
    uint32_t units = 0;
    for (int i = 0; i < s->table->space->n_dimensions; i++)
        units += reach_of(s, i, codes[i], other[i]);
    return units;
}

/* The highest prices come first; where all are equal, the nearest. */
static kanon_status add_candidate(kanon__box_candidates *s, int64_t tuple, uint32_t distance, kanon_error *err)
{
    if (s->n == s->items_capacity) {
        kanon_status st = kanon__grow_array(&s->items, &s->items_capacity, s->n + 1, "boxes", err);
        if (st != KANON_OK)
            return st;
    }
    uint64_t rank = s->uniform > 0 ? distance : (uint64_t)((int64_t)INT32_MAX - s->table->prices[tuple]);
    s->items[s->n++] = (kanon__box_candidate){rank << 32 | (uint64_t)tuple, distance};
    return KANON_OK;
}

/* The tuples after it in the order that are at most `radius` away. */
kanon_status kanon__box_candidates_find(kanon__box_candidates *s, const int32_t *order, const int32_t *last, uint32_t radius,
                                        kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__priced_table *t = s->table;
    const uint32_t *codes = kanon__priced_codes(t, s->own);
    int32_t stack[2 * MOST_DEPTH], first = order != NULL ? order[s->own] : 0;
    int depth = 0;
    set_reach(s, codes);
    s->n = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t number = stack[--depth];
        const kanon__tree_node *node = &t->index->nodes[number];
        if ((order != NULL && last[number] < first) || distance_to_node(s, codes, number) > radius)
            continue;
        if (node->first_child >= 0 && depth + 2 <= 2 * MOST_DEPTH) {
            stack[depth++] = node->first_child + 1;
            stack[depth++] = node->first_child;
            continue;
        }
        for (int64_t other = node->begin; other < node->end; other++) {
            uint32_t distance;
            if ((order == NULL || order[other] >= first) && kanon__box_candidates_count(s, other) > 0 &&
                (distance = distance_to(s, codes, kanon__priced_codes(t, other))) <= radius)
                KANON_TRY(add_candidate(s, other, distance, err), out);
        }
    }
out:
    return st;
}

/* A bottom-up merge sort: no recursion, and O(n log n) in any case. */
kanon_status kanon__box_candidates_sort(kanon__box_candidates *s, kanon_error *err)
{
    int64_t n = s->n;
    kanon_status st = kanon__grow_array(&s->other, &s->other_capacity, n, "boxes", err);
    if (st != KANON_OK)
        return st;
    kanon__box_candidate *from = s->items, *to = s->other;
    for (int64_t width = 1; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n, end = middle + width < n ? middle + width : n;
            for (int64_t i = begin, j = middle, at = begin; at < end; at++)
                to[at] = i < middle && (j >= end || from[i].key <= from[j].key) ? from[i++] : from[j++];
        }
        kanon__box_candidate *swap = from;
        from = to;
        to = swap;
    }
    if (from != s->items)
        memcpy(s->items, from, (size_t)n * sizeof *from);
    return KANON_OK;
}

/* No box has a mean above that of the k highest prices, so no violated box reaches further than that. Dropping candidates
 * lowers the mean, so this repeats until none is dropped. False where fewer than k records remain. */
bool kanon__box_candidates_drop(kanon__box_candidates *s, int64_t tolerance)
{
    const kanon__priced_table *t = s->table;
    for (;;) {
        int64_t left = t->k - 1, sum = s->own_price, kept = 0;
        for (int64_t i = 0; i < s->n && left > 0; i++) {
            int64_t tuple = s->items[i].key & UINT32_MAX, count = kanon__box_candidates_count(s, tuple);
            int64_t taken = count < left ? count : left;
            sum += taken * kanon__box_candidates_price(s, tuple);
            left -= taken;
        }
        if (left > 0 || sum <= tolerance)
            return false;
        for (int64_t i = 0; i < s->n; i++)
            if (s->items[i].distance <= (sum - tolerance) / t->k)
                s->items[kept++] = s->items[i];
        if (kept == s->n)
            return true;
        s->n = kept;
    }
}
