/* See free_tree.h.
 *
 * Invariants, for each node: `lowest` is the least free row below it, always; the box holds every free tuple below it, and
 * after kanon__free_tree_tighten no smaller box does. Both are kept bottom up: a change at a leaf climbs to the root and
 * stops at the first node that it does not change. */
#include "search/free_tree.h"

#include "core/alloc.h"

#include <string.h>

enum { NUMBERS_PER_SUM = 3 };

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static bool can_miss(const kanon__dimension *d)
{
    return d->column->domain->missing_code != KANON__NO_CODE;
}

/* Sums over more numbers would be tighter, but their count doubles with each: groups of two or three, as even as can be. */
static void group_numbers(kanon__free_tree *t)
{
    int n_groups = (t->n_numbers + NUMBERS_PER_SUM - 1) / NUMBERS_PER_SUM;
    for (; t->n_sums < n_groups; t->n_sums++) {
        kanon__sums *s = &t->sums[t->n_sums];
        s->first = t->n_numbers * t->n_sums / n_groups;
        s->n = t->n_numbers * (t->n_sums + 1) / n_groups - s->first;
        s->column = t->n_columns;
        t->n_columns += s->n > 1 ? 1 << (s->n - 1) : 0;
        for (int i = s->first; i < s->first + s->n; i++) {
            s->full += t->dimension[i]->full;
            s->missing = s->missing || can_miss(t->dimension[i]);
        }
    }
}

/* Order the dimensions by how their costs are computed, so that the inner loops have no branches. */
static kanon_status set_columns(kanon__free_tree *t, bool with_sums, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = t->space->n_dimensions;
    KANON_TRY(kanon__new_array(&t->dimension, m, "the index", err), out);
    KANON_TRY(kanon__new_array(&t->sums, m, "the index", err), out);
    for (int i = 0; i < m; i++)
        if (kanon__dimension_is_line(&t->space->dimensions[i]))
            t->dimension[t->n_columns++] = &t->space->dimensions[i];
    t->n_numbers = t->n_columns;
    for (int i = 0; i < m; i++)
        if (!kanon__dimension_is_line(&t->space->dimensions[i]) && t->space->dimensions[i].pair_units != NULL)
            t->dimension[t->n_columns++] = &t->space->dimensions[i];
    t->n_tables = t->n_columns - t->n_numbers;
    for (int i = 0; i < m; i++)
        if (!kanon__dimension_is_line(&t->space->dimensions[i]) && t->space->dimensions[i].pair_units == NULL)
            t->dimension[t->n_columns++] = &t->space->dimensions[i];
    t->n_climbs = t->n_columns - t->n_numbers - t->n_tables;
    if (with_sums)
        group_numbers(t);
out:
    return st;
}

/* The sums of a tuple's numbers: the first is added, and bit i of `signs` says that number i + 1 is subtracted. All are
 * moved up so that none is negative; positions go up to 2 full, and the fulls of all attributes to 2^30, so that 32
 * bits are enough. */
static void set_sums(const kanon__free_tree *t, const kanon__sums *s, uint32_t *cells)
{
    uint32_t base = 2 * (s->full - t->dimension[s->first]->full);
    for (uint32_t signs = 0; s->n > 1 && signs < 1u << (s->n - 1); signs++) {
        uint32_t sum = base + cells[s->first];
        for (int i = 1; i < s->n; i++)
            sum += (signs >> (i - 1) & 1) ? -cells[s->first + i] : cells[s->first + i];
        cells[s->column + (int)signs] = sum;
    }
}

/* Cells by place: what the searches read lies in the order in which they read it. */
static void set_cells(kanon__free_tree *t, const kanon__tuple_tree *index)
{
    for (int64_t place = 0; place < t->n_places; place++) {
        const uint32_t *codes = index->codes + place * t->space->n_dimensions;
        uint32_t *cells = t->cells + place * t->n_columns;
        for (int i = 0; i < t->space->n_dimensions; i++) {
            uint32_t code = codes[t->dimension[i] - t->space->dimensions];
            cells[i] = i < t->n_numbers ? t->dimension[i]->coordinates[code] : code;
        }
        for (int i = 0; i < t->n_sums; i++)
            set_sums(t, &t->sums[i], cells);
    }
}

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

static void set_places(kanon__free_tree *t, const kanon__tuple_tree *index, const kanon__tuples *tuples)
{
    int32_t next = 0;
    for (int64_t place = 0; place < t->n_places; place++) {
        int64_t tuple = index->order[place], begin = tuples->begins[tuple], end = tuples->begins[tuple + 1];
        t->places[place] = (kanon__free_place){
            .next = next, .end = next + (int32_t)(end - begin), .lowest = tuples->rows[begin]};
        for (int64_t i = begin; i < end; i++) {
            t->rows[next++] = tuples->rows[i];
            t->place_of[tuples->rows[i]] = (int32_t)place;
        }
    }
}

static void set_lowest_of_leaf(kanon__free_tree *t, int32_t node)
{
    int32_t lowest = KANON__NO_ROW;
    for (int32_t place = t->nodes[node].begin; place < t->nodes[node].end; place++)
        lowest = t->places[place].lowest < lowest ? t->places[place].lowest : lowest;
    t->lowest[node] = lowest;
}

static void set_lowest_of_inner(kanon__free_tree *t, int32_t node)
{
    int32_t child = t->nodes[node].first_child, left = t->lowest[child], right = t->lowest[child + 1];
    t->lowest[node] = left < right ? left : right;
}

/* False where the box stays as it is. */
static bool replace_box(kanon__bound *box, const kanon__bound *by, int n)
{
    if (memcmp(box, by, (size_t)n * sizeof *box) == 0)
        return false;
    memcpy(box, by, (size_t)n * sizeof *box);
    return true;
}

/* Shrink a leaf's box to its free tuples. False where that changes nothing. */
static bool shrink_leaf(kanon__free_tree *t, int32_t node)
{
    int n = t->n_columns;
    for (int i = 0; i < n; i++) {
        t->around[2 * i] = UINT32_MAX;
        t->around[2 * i + 1] = 0;
    }
    for (int32_t place = t->nodes[node].begin; place < t->nodes[node].end; place++) {
        const uint32_t *cells = t->cells + (int64_t)place * n;
        if (t->places[place].lowest == KANON__NO_ROW)
            continue;
        for (int i = 0; i < n; i++) {
            t->around[2 * i] = kanon__smaller(t->around[2 * i], cells[i]);
            t->around[2 * i + 1] = kanon__larger(t->around[2 * i + 1], cells[i]);
        }
    }
    return replace_box(t->boxes + (int64_t)node * 2 * n, t->around, 2 * n);
}

/* The same for an inner node, from the boxes of its children. */
static bool shrink_inner(kanon__free_tree *t, int32_t node)
{
    int n = 2 * t->n_columns;
    const kanon__bound *left = t->boxes + (int64_t)t->nodes[node].first_child * n, *right = left + n;
    for (int i = 0; i < n; i += 2) {
        t->around[i] = kanon__smaller(left[i], right[i]);
        t->around[i + 1] = kanon__larger(left[i + 1], right[i + 1]);
    }
    return replace_box(t->boxes + (int64_t)node * n, t->around, n);
}

static void set_nodes(kanon__free_tree *t)
{
    t->parent[0] = -1;
    for (int64_t i = t->n_nodes - 1; i >= 0; i--) { /* children come after their parents */
        int32_t node = (int32_t)i, child = t->nodes[i].first_child;
        if (child >= 0) {
            t->parent[child] = t->parent[child + 1] = node;
            set_lowest_of_inner(t, node);
            shrink_inner(t, node);
            continue;
        }
        for (int32_t place = t->nodes[node].begin; place < t->nodes[node].end; place++)
            t->places[place].leaf = node;
        set_lowest_of_leaf(t, node);
        shrink_leaf(t, node);
    }
}

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

static kanon_status make_places(kanon__free_tree *t, kanon__tuple_tree *index, kanon__tuples *tuples, kanon_error *err)
{
    kanon_status st = KANON_OK;
    t->n_places = tuples->n;
    KANON_TRY(kanon__new_array(&t->cells, t->n_places * t->n_columns, "the index", err), out);
    set_cells(t, index);
    kanon__free(index->codes); /* copied into the cells: free it before the next allocation, for the peak */
    index->codes = NULL;
    KANON_TRY(kanon__new_array(&t->places, t->n_places, "the index", err), out);
    KANON_TRY(kanon__new_array(&t->rows, t->space->n_rows, "the index", err), out);
    KANON_TRY(kanon__new_array(&t->place_of, t->space->n_rows, "the index", err), out);
    set_places(t, index, tuples);
out:
    return st;
}

static kanon_status make_nodes(kanon__free_tree *t, kanon__tuple_tree *index, kanon_error *err)
{
    kanon_status st = KANON_OK;
    t->n_nodes = index->n_nodes;
    t->nodes = index->nodes;
    index->nodes = NULL;
    kanon__free(index->boxes);
    index->boxes = NULL;
    KANON_TRY(kanon__new_array(&t->boxes, t->n_nodes * 2 * t->n_columns, "the index", err), out);
    KANON_TRY(kanon__new_array(&t->around, 2 * t->n_columns, "the index", err), out);
    KANON_TRY(kanon__new_array(&t->lowest, t->n_nodes, "the index", err), out);
    KANON_TRY(kanon__new_array(&t->parent, t->n_nodes, "the index", err), out);
    KANON_TRY(kanon__new_array(&t->loose, t->n_nodes, "the index", err), out);
    KANON_TRY(kanon__new_array(&t->is_loose, t->n_nodes, "the index", err), out);
    set_nodes(t);
out:
    return st;
}

kanon_status kanon__free_tree_new(kanon__free_tree **out, const kanon__space *space, bool with_sums, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__free_tree *t = NULL;
    kanon__tuples *tuples = NULL;
    kanon__tuple_tree *index = NULL;
    *out = NULL;
    KANON_TRY(kanon__tuples_new(&tuples, space, err), out);
    KANON_TRY(kanon__tuple_tree_new(&index, space, tuples, err), out);
    KANON_TRY(kanon__new_array(&t, 1, "the index", err), out);
    t->space = space;
    kanon__free(tuples->codes);
    tuples->codes = NULL;
    KANON_TRY(set_columns(t, with_sums, err), out);
    KANON_TRY(make_places(t, index, tuples, err), out);
    KANON_TRY(make_nodes(t, index, err), out);
    *out = t;
    t = NULL;
out:
    kanon__free_tree_free(t);
    kanon__tuple_tree_free(index);
    kanon__tuples_free(tuples);
    return st;
}

void kanon__free_tree_drop_nodes(kanon__free_tree *t)
{
    kanon__free(t->is_loose);
    kanon__free(t->loose);
    kanon__free(t->parent);
    kanon__free(t->lowest);
    kanon__free(t->around);
    kanon__free(t->boxes);
    kanon__free(t->nodes);
    t->is_loose = NULL;
    t->loose = t->parent = t->lowest = NULL;
    t->around = t->boxes = NULL;
    t->nodes = NULL;
    t->n_nodes = t->n_loose = 0;
}

void kanon__free_tree_free(kanon__free_tree *t)
{
    if (t == NULL)
        return;
    kanon__free_tree_drop_nodes(t);
    kanon__free(t->place_of);
    kanon__free(t->rows);
    kanon__free(t->places);
    kanon__free(t->cells);
    kanon__free(t->sums);
    kanon__free(t->dimension);
    kanon__free(t);
}

/* ---- taking records ---------------------------------------------------------------------------------------------- */

void kanon__free_tree_tighten(kanon__free_tree *t)
{
    while (t->n_loose > 0) {
        int32_t leaf = t->loose[--t->n_loose];
        bool changed = shrink_leaf(t, leaf);
        t->is_loose[leaf] = false;
        for (int32_t node = t->parent[leaf]; node >= 0 && changed; node = t->parent[node])
            changed = shrink_inner(t, node);
    }
}

/* The three things that a taken row changes, in this order: its tuple's next free row, whether its leaf's box may
 * shrink, and the lowest free row on the path to the root. */
void kanon__free_tree_take(kanon__free_tree *t, int32_t place, int64_t row)
{
    kanon__free_place *p = &t->places[place];
    int32_t node = p->leaf;
    t->place_of[row] = ~place;
    if (p->lowest == row) {
        do
            p->next++;
        while (p->next < p->end && t->place_of[t->rows[p->next]] < 0);
        p->lowest = p->next < p->end ? t->rows[p->next] : KANON__NO_ROW;
    }
    if (t->nodes == NULL)
        return;
    if (p->lowest == KANON__NO_ROW && !t->is_loose[node]) {
        t->is_loose[node] = true;
        t->loose[t->n_loose++] = node;
    }
    if (t->lowest[node] != row)
        return;
    set_lowest_of_leaf(t, node);
    for (node = t->parent[node]; node >= 0 && t->lowest[node] == row; node = t->parent[node])
        set_lowest_of_inner(t, node);
}
