#include "search/tree.h"

#include "core/alloc.h"
#include "core/select.h"

#include <string.h>

enum { LEAF_TUPLES = 12 };

typedef struct building {
    kanon__index *index;
    const kanon__space *space;
    uint32_t *scratch;
    int32_t *other;
    int64_t nodes_capacity, boxes_capacity;
} building;

static uint32_t code_of(const kanon__index *x, int64_t place, int i)
{
    return x->tuples->codes[(int64_t)x->order[place] * x->tuples->n_dimensions + i];
}

static void set_box(const kanon__index *x, const kanon__tree_node *node, kanon__bound *box)
{
    for (int i = 0; i < x->tuples->n_dimensions; i++) {
        box[2 * i] = UINT32_MAX;
        box[2 * i + 1] = 0;
        for (int64_t place = node->begin; place < node->end; place++) {
            uint32_t code = code_of(x, place, i);
            box[2 * i] = code < box[2 * i] ? code : box[2 * i];
            box[2 * i + 1] = code > box[2 * i + 1] ? code : box[2 * i + 1];
        }
    }
}

/* The dimension that costs most to make alike; -1 where there is one tuple only. */
static int widest(const kanon__space *space, const kanon__bound *box)
{
    int best = -1;
    uint32_t most = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t units = kanon__dimension_units(&space->dimensions[i], box[2 * i], box[2 * i + 1]);
        if (box[2 * i] < box[2 * i + 1] && (best < 0 || units > most)) {
            most = units;
            best = i;
        }
    }
    return best;
}

/* Put the tuples with codes up to the median first. Returns where the others begin, both sides non-empty. */
static int32_t divide(building *b, const kanon__tree_node *node, int i)
{
    kanon__index *x = b->index;
    int32_t n = node->end - node->begin, left = node->begin, right = 0;
    for (int32_t j = 0; j < n; j++)
        b->scratch[j] = code_of(x, node->begin + j, i);
    uint32_t median = kanon__select(b->scratch, n, (n - 1) / 2), largest = 0;
    for (int32_t j = 0; j < n; j++)
        largest = b->scratch[j] > largest ? b->scratch[j] : largest;
    bool below_only = median == largest; /* the median's own tuples then go right */
    for (int32_t place = node->begin; place < node->end; place++) {
        int32_t tuple = x->order[place];
        uint32_t code = x->tuples->codes[(int64_t)tuple * x->tuples->n_dimensions + i];
        if (code < median || (code == median && !below_only))
            x->order[left++] = tuple;
        else
            b->other[right++] = tuple;
    }
    memcpy(x->order + left, b->other, (size_t)right * sizeof *b->other);
    return left;
}

static kanon_status add_node(building *b, int32_t begin, int32_t end, kanon_error *err)
{
    kanon__index *x = b->index;
    int64_t m = x->tuples->n_dimensions;
    kanon_status st = kanon__grow_array(&x->nodes, &b->nodes_capacity, x->n_nodes + 1, "the index", err);
    if (st == KANON_OK)
        st = kanon__grow_array(&x->boxes, &b->boxes_capacity, (x->n_nodes + 1) * 2 * m, "the index", err);
    if (st != KANON_OK)
        return st;
    x->nodes[x->n_nodes] = (kanon__tree_node){-1, begin, end};
    set_box(x, &x->nodes[x->n_nodes], x->boxes + x->n_nodes * 2 * m);
    x->n_nodes++;
    return KANON_OK;
}

static kanon_status build(building *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__index *x = b->index;
    int64_t m = x->tuples->n_dimensions;
    KANON_TRY(add_node(b, 0, (int32_t)x->tuples->n, err), out);
    for (int64_t i = 0; i < x->n_nodes; i++) { /* nodes added on the way are handled in turn */
        kanon__tree_node node = x->nodes[i];
        int dimension = widest(b->space, x->boxes + i * 2 * m);
        if (node.end - node.begin <= LEAF_TUPLES || dimension < 0)
            continue;
        int32_t middle = divide(b, &node, dimension);
        x->nodes[i].first_child = (int32_t)x->n_nodes;
        KANON_TRY(add_node(b, node.begin, middle, err), out);
        KANON_TRY(add_node(b, middle, node.end, err), out);
    }
out:
    return st;
}

kanon_status kanon__index_new(kanon__index **out, const kanon__space *space, const kanon__tuples *tuples, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__index *x = NULL;
    building b = {.space = space};
    int64_t n = tuples->n, m = tuples->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&x, 1, "the index", err), out);
    b.index = x;
    x->tuples = tuples;
    KANON_TRY(kanon__new_array(&x->order, n, "the index", err), out);
    KANON_TRY(kanon__new_array(&x->codes, n * m, "the index", err), out);
    KANON_TRY(kanon__new_array(&b.scratch, n, "the index", err), out);
    KANON_TRY(kanon__new_array(&b.other, n, "the index", err), out);
    for (int64_t i = 0; i < n; i++)
        x->order[i] = (int32_t)i;
    KANON_TRY(build(&b, err), out);
    for (int64_t i = 0; i < n; i++)
        memcpy(x->codes + i * m, tuples->codes + (int64_t)x->order[i] * m, (size_t)m * sizeof *x->codes);
    *out = x;
    x = NULL;
out:
    kanon__free(b.other);
    kanon__free(b.scratch);
    kanon__index_free(x);
    return st;
}

void kanon__index_free(kanon__index *x)
{
    if (x == NULL)
        return;
    kanon__free(x->boxes);
    kanon__free(x->nodes);
    kanon__free(x->codes);
    kanon__free(x->order);
    kanon__free(x);
}
