/* Two searches: the group that a record would best join, and the group of which it is a member.
 *
 * Cheapest group (FindBestCluster), best-first over the tree:
 *     1. Inspect the leaf in which the last search ended: records that follow each other are often alike, so a good group
 *        is known before the search begins.
 *     2. Take the candidate node with the least bound; the root is the first one. Stop where its bound is no better than
 *        the best group: then no node that is left is.
 *     3. A leaf: compute the increase of every group, (n + 1) * D(with the record) - n * D, and keep the least; of equal
 *        ones the lowest number. An inner node: compute a lower bound for every slot, and make candidates of those that
 *        may be better.
 *     4. Go on with 2.
 * The bound of a slot. On each attribute the record lies some way outside of the box, or not. A group below is at least
 * as wide as the narrowest one, and grows at least by that way, unless it is so wide that it reaches the full cost. With
 * N new units over all attributes, L the least units of a group below, and n the fewest members, no increase is below
 * max(sum of widths, L + N) + n * N.
 *
 * Member search: visit all nodes whose boxes contain the record, lowest levels first, and read members of groups that do.
 *
 * Both run over 16 slots at a time, in code that is compiled for several instruction sets. */
#include "core/alloc.h"
#include "state/index/index_node.h"

#include <string.h>

enum { STRIDE = KANON__NODE_ROOM, LANES = 16 };

/* The node, and counts it: a search that meets more nodes than there are goes round in a damaged file. */
static kanon_status get_counted(kanon__group_index *index, kanon__node **out, int64_t id, int64_t *n_seen, kanon_error *err)
{
    if (++*n_seen > index->n_ids)
        return kanon__store_damaged(&index->state->store, "the index of groups", err);
    return kanon__node_get(index, out, id, err);
}

/* The record on one attribute. A number: its coordinate, or those of its band. A category: its path to the root; for
 * each node on it the range of leaves below, and what the step up to the node adds to the units. So the units of a
 * group with the record are a sum over the steps that the group makes necessary, without a search for the common
 * ancestor. */
typedef struct query_coordinate {
    int32_t coordinate, high; /* the same, unless it is a band */
    int n;                    /* nodes on the path */
    const int32_t *first, *last, *step;
} query_coordinate;

static query_coordinate query_coordinate_of(const kanon__group_index *index, int attribute, int64_t code)
{
    const kanon__current_dimension *d = &index->space->dimensions[attribute];
    int begin = index->chain_begins[attribute], room = index->chain_begins[attribute + 1] - begin;
    int32_t *first = index->chain + 3 * begin, *last = first + room, *step = last + room, units = 0;
    query_coordinate s = {.coordinate = kanon__coordinate_of(d, code),
                          .high = kanon__coordinate_high(d, code),
                          .first = first,
                          .last = last,
                          .step = step};
    if (d->numeric)
        return s;
    const kanon__taxonomy *t = d->taxonomy;
    for (int32_t node = t->leaf_node[s.coordinate]; node >= 0; node = t->parent[node]) {
        first[s.n] = t->first_leaf[node];
        last[s.n] = t->last_leaf[node];
        step[s.n++] = d->node_units[node] - units;
        units = d->node_units[node];
    }
    return s;
}

/* The loops below run over LANES slots, a number that the compiler knows, so that they become vector instructions;
 * results for slots that do not exist are ignored. They are compiled once per instruction set. */
#define IN_EACH static inline __attribute__((always_inline)) void

/* Adds to units[i] what the attribute costs in group i of a leaf with the record. */
IN_EACH add_number(int32_t *restrict units, const int32_t *restrict lo, const int32_t *restrict hi, int32_t low,
                   int32_t high, int32_t full)
{
    for (int i = 0; i < LANES; i++) {
        int32_t from = lo[i] < low ? lo[i] : low, to = hi[i] > high ? hi[i] : high, width = to - from;
        units[i] += width < full ? width : full;
    }
}

/* The step up is needed where the group has leaves that are not below the node. */
IN_EACH add_step(int32_t *restrict units, const int32_t *restrict lo, const int32_t *restrict hi, int32_t first,
                 int32_t last, int32_t step)
{
    for (int i = 0; i < LANES; i++)
        units[i] += -((lo[i] < first) | (hi[i] > last)) & step;
}

/* The same for the nodes of an inner node: at least units[i], of which at least growth[i] is new. `box` has the sides lo,
 * hi, narrowest, widest. A band may stick out on both sides. */
IN_EACH bound_number(int32_t *restrict units, int32_t *restrict growth, const int32_t *restrict box, int32_t low,
                     int32_t high, int32_t full)
{
    for (int i = 0; i < LANES; i++) {
        int32_t below = box[i] - low, above = high - box[STRIDE + i];
        int32_t room = full - box[3 * STRIDE + i], spare = full - box[2 * STRIDE + i];
        int32_t away = (below > 0 ? below : 0) + (above > 0 ? above : 0);
        units[i] += box[2 * STRIDE + i] + (away < spare ? away : spare);
        growth[i] += away < room ? away : room;
    }
}

/* The step up is needed where none of the leaves is below the node. */
IN_EACH near_step(int32_t *restrict near, const int32_t *restrict box, int32_t first, int32_t last, int32_t step)
{
    for (int i = 0; i < LANES; i++)
        near[i] += -((box[STRIDE + i] < first) | (box[i] > last)) & step;
}

IN_EACH bound_category(int32_t *restrict units, int32_t *restrict growth, const int32_t *restrict box,
                       const int32_t *restrict near)
{
    for (int i = 0; i < LANES; i++) {
        int32_t narrow = box[2 * STRIDE + i], more = near[i] - box[3 * STRIDE + i];
        units[i] += near[i] > narrow ? near[i] : narrow;
        growth[i] += more > 0 ? more : 0;
    }
}

/* By how much the loss of every group of a leaf grows with the record. */
IN_EACH leaf_increases(int64_t *restrict increases, const kanon__current_space *space, const query_coordinate *query,
                       const kanon__node *leaf)
{
    for (int from = 0; from < leaf->n; from += LANES) {
        const int64_t *restrict sizes = leaf->sizes + from;
        const int32_t *restrict before = leaf->units + from;
        int32_t sums[LANES] = {0};
        for (int a = 0; a < space->n; a++) {
            const query_coordinate *s = &query[a];
            const int32_t *lo = leaf->coordinates + 2 * a * STRIDE + from, *hi = lo + STRIDE;
            if (space->dimensions[a].numeric)
                add_number(sums, lo, hi, s->coordinate, s->high, space->dimensions[a].full);
            for (int up = 0; up + 1 < s->n; up++)
                add_step(sums, lo, hi, s->first[up], s->last[up], s->step[up + 1]);
        }
        for (int i = 0; i < LANES; i++)
            increases[from + i] = (sizes[i] + 1) * sums[i] - sizes[i] * before[i];
    }
}

/* A lower bound of the increase of any group below each slot. */
IN_EACH inner_bounds(int64_t *restrict bounds, const kanon__current_space *space, const query_coordinate *query,
                     const kanon__node *node)
{
    for (int from = 0; from < node->n; from += LANES) {
        const int64_t *restrict sizes = node->sizes + from;
        const int32_t *restrict least = node->units + from;
        int32_t sums[LANES] = {0}, news[LANES] = {0};
        for (int a = 0; a < space->n; a++) {
            const query_coordinate *s = &query[a];
            const int32_t *box = node->coordinates + 4 * a * STRIDE + from;
            int32_t near[LANES] = {0};
            if (space->dimensions[a].numeric) {
                bound_number(sums, news, box, s->coordinate, s->high, space->dimensions[a].full);
                continue;
            }
            for (int up = 0; up + 1 < s->n; up++)
                near_step(near, box, s->first[up], s->last[up], s->step[up + 1]);
            bound_category(sums, news, box, near);
        }
        for (int i = 0; i < LANES; i++) {
            int32_t with_new = least[i] + news[i], most = sums[i] > with_new ? sums[i] : with_new;
            bounds[from + i] = most + sizes[i] * news[i];
        }
    }
}

/* outside[slot]: 0 where the box of the slot contains the record. */
IN_EACH outside_of(int32_t *outside, const kanon__current_space *space, const int32_t *coordinates, const kanon__node *node)
{
    int sides = kanon__node_sides(node);
    for (int from = 0; from < node->n; from += LANES) {
        int32_t out[LANES] = {0};
        for (int a = 0; a < space->n; a++) {
            const int32_t *lo = node->coordinates + a * sides * STRIDE + from, *hi = lo + STRIDE;
            for (int i = 0; i < LANES; i++)
                out[i] |= (coordinates[a] < lo[i]) | (coordinates[a] > hi[i]);
        }
        memcpy(outside + from, out, sizeof out);
    }
}

typedef struct kernels {
    void (*leaf)(int64_t *increases, const kanon__current_space *space, const query_coordinate *query,
                 const kanon__node *leaf);
    void (*inner)(int64_t *bounds, const kanon__current_space *space, const query_coordinate *query,
                  const kanon__node *node);
    void (*outside)(int32_t *outside, const kanon__current_space *space, const int32_t *coordinates,
                    const kanon__node *node);
} kernels;

#define KERNELS(name, target)                                                                                               \
    target static void name##_leaf(int64_t *increases, const kanon__current_space *space, const query_coordinate *query,    \
                                   const kanon__node *leaf)                                                                 \
    {                                                                                                                       \
        leaf_increases(increases, space, query, leaf);                                                                      \
    }                                                                                                                       \
    target static void name##_inner(int64_t *bounds, const kanon__current_space *space, const query_coordinate *query,      \
                                    const kanon__node *node)                                                                \
    {                                                                                                                       \
        inner_bounds(bounds, space, query, node);                                                                           \
    }                                                                                                                       \
    target static void name##_outside(int32_t *outside, const kanon__current_space *space, const int32_t *coordinates,      \
                                      const kanon__node *node)                                                              \
    {                                                                                                                       \
        outside_of(outside, space, coordinates, node);                                                                      \
    }                                                                                                                       \
    static const kernels name = {name##_leaf, name##_inner, name##_outside};

KERNELS(plain, )
#if defined(__x86_64__)
KERNELS(avx2, __attribute__((target("avx2"))))
KERNELS(avx512, __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl"))))
#endif

static const kernels *choose_kernels(void)
{
#if defined(__x86_64__)
    static const kernels *const all[] = {&plain, &avx2, &avx512};
    return all[kanon__index_instructions()];
#else
    return &plain;
#endif
}

/* A search for the cheapest group; `increase` and `number` are INT64_MAX until one is found. */
typedef struct cheapest_search {
    kanon__group_index *index;
    const kernels *kernels;
    query_coordinate *query;
    kanon__group_slot best;
    int64_t increase, number; /* of the best one so far */
} cheapest_search;

static void inspect_leaf(cheapest_search *s, kanon__node *leaf)
{
    int64_t increases[STRIDE];
    s->kernels->leaf(increases, s->index->space, s->query, leaf);
    for (int slot = 0; slot < leaf->n; slot++)
        if (increases[slot] < s->increase || (increases[slot] == s->increase && leaf->keys[slot] < s->number)) {
            s->best = (kanon__group_slot){leaf, slot};
            s->increase = increases[slot];
            s->number = leaf->keys[slot];
        }
}

static bool is_better(const cheapest_search *s, const kanon__node_candidate *c)
{
    return c->bound < s->increase || (c->bound == s->increase && c->first < s->number);
}

static kanon_status inspect_inner(cheapest_search *s, const kanon__node *node, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t bounds[STRIDE];
    s->kernels->inner(bounds, s->index->space, s->query, node);
    for (int slot = 0; slot < node->n && st == KANON_OK; slot++) {
        if (bounds[slot] > s->increase)
            continue;
        kanon__node_candidate c = {bounds[slot], node->lowest_groups[slot], node->keys[slot]};
        if (!is_better(s, &c))
            continue;
        if (s->index->nodes[c.node] != NULL) /* it will probably be inspected soon */
            __builtin_prefetch(s->index->nodes[c.node]);
        st = kanon__node_queue_push(&s->index->heap, c, err);
    }
    return st;
}

kanon_status kanon__group_index_cheapest(kanon__group_index *index, kanon__group_slot *out, const int64_t *codes,
                                         int64_t *increase, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__node *node = NULL;
    int64_t n_seen = 0;
    cheapest_search s = {.index = index, .kernels = choose_kernels(), .increase = INT64_MAX, .number = INT64_MAX};
    *out = (kanon__group_slot){0};
    KANON_TRY(kanon__new_array(&s.query, index->space->n, "a search", err), out);
    for (int i = 0; i < index->space->n; i++)
        s.query[i] = query_coordinate_of(index, i, codes[i]);
    /* step 1 */
    if (index->hint > 0 && index->nodes[index->hint] != NULL) {
        KANON_TRY(kanon__node_get(index, &node, index->hint, err), out);
        inspect_leaf(&s, node);
    }
    index->heap.n = 0;
    KANON_TRY(kanon__node_queue_push(&index->heap, (kanon__node_candidate){.node = index->state->root}, err), out);
    while (index->heap.n > 0) { /* steps 2 to 4 */
        kanon__node_candidate c = kanon__node_queue_pop(&index->heap);
        if (!is_better(&s, &c))
            break;
        KANON_TRY(get_counted(index, &node, c.node, &n_seen, err), out);
        if (node->level == 0)
            inspect_leaf(&s, node);
        else
            KANON_TRY(inspect_inner(&s, node, err), out);
    }
    *out = s.best;
    index->hint = s.best.node != NULL ? s.best.node->id : 0;
    if (increase != NULL)
        *increase = s.best.node != NULL ? s.increase : 0;
out:
    kanon__free(s.query);
    return st;
}

kanon_status kanon__group_index_find(kanon__group_index *index, kanon__group_slot *out, int64_t id, int64_t number,
                                     kanon_error *err)
{
    *out = (kanon__group_slot){0};
    if (index->nodes[id] == NULL) /* it was in memory when the group was seen, so it is erased */
        return KANON_OK;
    kanon__node *node = NULL;
    kanon_status st = kanon__node_get(index, &node, id, err);
    if (st != KANON_OK || node->level != 0)
        return st;
    int slot = kanon__node_slot(node, number);
    if (slot >= 0)
        *out = (kanon__group_slot){node, slot};
    return st;
}

static kanon_status check_member(kanon__group_index *index, kanon__group_slot at, int64_t record, kanon__group_slot *out,
                                 kanon_error *err)
{
    kanon__member_list *list = &index->found;
    kanon_status st = kanon__group_index_members(index, at, list, err);
    for (int64_t i = 0; st == KANON_OK && i < list->n; i++)
        if (list->members[i] == record)
            *out = at;
    return st;
}

kanon_status kanon__group_index_group_of(kanon__group_index *index, kanon__group_slot *out, int64_t record,
                                         const int64_t *codes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kernels *vectors = choose_kernels();
    int32_t *coordinates = NULL, outside[STRIDE];
    int64_t n_seen = 0;
    kanon__node *node;
    *out = (kanon__group_slot){0};
    KANON_TRY(kanon__new_array(&coordinates, index->space->n, "a search", err), out);
    for (int i = 0; i < index->space->n; i++)
        coordinates[i] = kanon__coordinate_of(&index->space->dimensions[i], codes[i]);
    index->heap.n = 0;
    KANON_TRY(kanon__node_queue_push(&index->heap, (kanon__node_candidate){.node = index->state->root}, err), out);
    while (index->heap.n > 0 && out->node == NULL) {
        KANON_TRY(get_counted(index, &node, kanon__node_queue_pop(&index->heap).node, &n_seen, err), out);
        vectors->outside(outside, index->space, coordinates, node);
        for (int slot = 0; slot < node->n && out->node == NULL; slot++) {
            if (outside[slot] != 0)
                continue;
            if (node->level > 0)
                KANON_TRY(kanon__node_queue_push(
                              &index->heap, (kanon__node_candidate){.bound = node->level, .node = node->keys[slot]}, err),
                          out);
            else
                KANON_TRY(check_member(index, (kanon__group_slot){node, slot}, record, out, err), out);
        }
    }
out:
    kanon__free(coordinates);
    return st;
}
