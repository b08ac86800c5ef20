/* See region_index.h. */
#include "audit/region_index.h"

#include "core/alloc.h"

kanon_status kanon__region_index_new(kanon__region_index **out, const kanon__data *data, const int *columns, int n_columns,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__region_index *x = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&x, 1, "the index of records", err), out);
    KANON_TRY(kanon__space_new(&x->space, data, columns, n_columns, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__tuples_new(&x->tuples, x->space, err), out);
    KANON_TRY(kanon__tuple_tree_new(&x->tree, x->space, x->tuples, err), out);
    KANON_TRY(kanon__new_array(&x->rows_before, x->tuples->n + 1, "the index of records", err), out);
    for (int64_t place = 0; place < x->tuples->n; place++) {
        int32_t tuple = x->tree->order[place];
        x->rows_before[place + 1] = x->rows_before[place] + x->tuples->begins[tuple + 1] - x->tuples->begins[tuple];
    }
    *out = x;
    x = NULL;
out:
    kanon__region_index_free(x);
    return st;
}

void kanon__region_index_free(kanon__region_index *x)
{
    if (x == NULL)
        return;
    kanon__free(x->rows_before);
    kanon__tuple_tree_free(x->tree);
    kanon__tuples_free(x->tuples);
    kanon__space_free(x->space);
    kanon__free(x);
}

typedef enum overlap { OUTSIDE, PARTLY, INSIDE } overlap;

/* How the codes lo .. hi lie in what a text covers. */
static overlap overlap_of(const kanon__cell_regions *regions, uint32_t text, uint32_t lo, uint32_t hi)
{
    overlap most = OUTSIDE;
    const kanon__cell_region *region = kanon__cell_region_of(regions, text);
    for (; region != NULL; region = kanon__cell_region_next(regions, region)) {
        if (region->lo > region->hi || region->lo > hi || region->hi < lo)
            continue;
        if (region->lo <= lo && region->hi >= hi)
            return INSIDE;
        most = PARTLY;
    }
    return most;
}

static overlap overlap_of_box(const kanon__region_index *x, const kanon__region_query *query, const kanon__bound *box)
{
    overlap least = INSIDE;
    for (int i = 0; i < x->space->n_dimensions && least != OUTSIDE; i++) {
        overlap here = overlap_of(query->regions[i], query->texts[i], box[2 * i], box[2 * i + 1]);
        least = here < least ? here : least;
    }
    return least;
}

static bool covers(const kanon__region_index *x, const kanon__region_query *query, int32_t place)
{
    const uint32_t *codes = x->tree->codes + (int64_t)place * x->space->n_dimensions;
    for (int i = 0; i < x->space->n_dimensions; i++)
        if (!kanon__cell_region_covers(query->regions[i], query->texts[i], codes[i]))
            return false;
    return true;
}

kanon_status kanon__region_index_find(const kanon__region_index *x, const kanon__region_query *query,
                                      kanon__region_found *found, void *payload, kanon_error *err)
{
    int32_t stack[KANON__TREE_DEPTH + 1];
    int depth = 0;
    if (x->tree->n_nodes > 0)
        stack[depth++] = 0;
    while (depth > 0) {
        int32_t at = stack[--depth];
        const kanon__tree_node *node = &x->tree->nodes[at];
        overlap here = overlap_of_box(x, query, x->tree->boxes + (int64_t)at * 2 * x->space->n_dimensions);
        if (here == INSIDE)
            KANON_CHECK(found(at, node->begin, node->end, payload, err));
        if (here != PARTLY)
            continue;
        if (node->first_child >= 0) {
            stack[depth++] = node->first_child + 1;
            stack[depth++] = node->first_child;
            continue;
        }
        for (int32_t place = node->begin; place < node->end; place++)
            if (covers(x, query, place))
                KANON_CHECK(found(-1, place, place + 1, payload, err));
    }
    return KANON_OK;
}
