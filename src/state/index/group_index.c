/* The group index as a whole: opening and saving, changes of groups, splitting of full nodes, building, walks over all
 * nodes.
 *
 * A change of a group, in this order:
 *     1. write the log entry (index_log.c), unless the leaf will be written anew anyway;
 *     2. change the leaf in memory: members if they are loaded, box, coordinates;
 *     3. widen the summaries on the path to the root, so that every search stays right (widen_ancestors);
 *     4. split the leaf if it is too full, and its ancestors likewise (split_full_nodes).
 * Summaries that could be narrower are only marked `loose`; saving makes them exact, once per node
 * (tighten_summaries). */
#include "state/index/group_index.h"

#include "core/alloc.h"
#include "state/index/index_cut.h"
#include "state/index/index_node.h"
#include "state/store/watch.h"

#include <string.h>

enum { STRIDE = KANON__NODE_ROOM, FILL = KANON__NODE_MOST * 9 / 10 };

/* ---- opening and saving ------------------------------------------------------------------------------------------ */

kanon_status kanon__group_index_new(kanon__group_index **out, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__group_index *index = NULL;
    int64_t last = 0;
    int chain = 0;
    *out = NULL;
    KANON_TRY(kanon__new_array(&index, 1, "the index of groups", err), out);
    index->state = s;
    index->space = s->space;
    KANON_TRY(kanon__index_rows_open(&index->rows, &s->store, err), out);
    KANON_TRY(kanon__nodes_find_last(index, &last, err), out);
    index->n_ids = last + 1;
    KANON_TRY(kanon__new_array(&index->scratch, (int64_t)STRIDE * 2 * index->space->n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&index->nodes, index->n_ids, "the index of groups", err), out);
    index->nodes_capacity = index->n_ids;
    KANON_TRY(kanon__log_load(index, err), out);
    KANON_TRY(kanon__new_array(&index->chain_begins, index->space->n + 1, "attributes", err), out);
    for (int i = 0; i < index->space->n; i++) {
        const kanon__current_dimension *d = &index->space->dimensions[i];
        chain += d->numeric ? 1 : d->taxonomy->height[0] + 2;
        index->chain_begins[i + 1] = chain;
    }
    KANON_TRY(kanon__new_array(&index->chain, 3 * (int64_t)chain, "attributes", err), out);
    *out = index;
    index = NULL;
out:
    kanon__group_index_free(index);
    return st;
}

void kanon__group_index_free(kanon__group_index *index)
{
    if (index == NULL)
        return;
    kanon__nodes_drop(index);
    kanon__free(index->pages);
    kanon__free(index->chunks);
    kanon__free(index->nodes);
    kanon__log_clear(&index->log);
    kanon__index_rows_close(&index->rows);
    kanon__member_list_clear(&index->found);
    kanon__free(index->members_page);
    kanon__free(index->scratch);
    kanon__free(index->bytes);
    kanon__node_queue_clear(&index->heap);
    kanon__free(index->chain);
    kanon__free(index->chain_begins);
    kanon__free(index);
}

/* A new node with an id of its own. Ids are never used twice, so a log entry cannot mean another leaf. */
static kanon_status add_node(kanon__group_index *index, kanon__node **out, int level, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&index->nodes, &index->nodes_capacity, index->n_ids + 1, "the index of groups", err));
    KANON_CHECK(kanon__node_new(index, out, level, err));
    if (level == 0)
        KANON_CHECK(kanon__node_add_codes(index, *out, err));
    (*out)->id = index->n_ids;
    (*out)->dirty = (*out)->loose = true;
    (*out)->rewritten = (*out)->has_members = level == 0;
    index->nodes[index->n_ids++] = *out;
    return KANON_OK;
}

/* The parent, and the slot of the node in it; that there is none is damage. */
static kanon_status get_parent(kanon__group_index *index, kanon__node **out, int *slot, const kanon__node *node,
                               kanon_error *err)
{
    kanon_status st = kanon__node_get(index, out, node->parent, err);
    if (st == KANON_OK && ((*slot = kanon__node_slot(*out, node->id)) < 0 || (*out)->level != node->level + 1))
        st = kanon__store_damaged(&index->state->store, "the index of groups", err);
    return st;
}

/* Makes the summaries of all loose nodes exact, from the leaves up: a parent whose summary of a child changed becomes loose
 * itself, and its turn comes with the next level. */
static kanon_status tighten_summaries(kanon__group_index *index, kanon_error *err)
{
    bool more = true;
    for (int level = 0; more; level++) {
        more = false;
        for (int64_t id = 1; id < index->n_ids; id++) {
            kanon__node *node = index->nodes[id], *parent;
            int slot;
            if (node == NULL || !node->loose)
                continue;
            more = more || node->level >= level;
            if (node->level != level)
                continue;
            node->loose = false;
            if (node->parent == 0)
                continue;
            kanon_status st = kanon__node_get(index, &node, id, err); /* its units may be those of other ranges */
            if (st == KANON_OK)
                st = get_parent(index, &parent, &slot, node, err);
            if (st != KANON_OK)
                return st;
            parent->loose |= kanon__node_set_child(index, parent, slot, node);
        }
    }
    return KANON_OK;
}

/* The log is saved first: it decides which leaves are written anew. Entries written now get the number of this part. */
kanon_status kanon__group_index_save(kanon__group_index *index, kanon_error *err)
{
    kanon__index_log *log = &index->log;
    KANON_CHECK(tighten_summaries(index, err));
    KANON_CHECK(kanon__log_save(index, err));
    KANON_CHECK(kanon__nodes_write(index, err));
    for (int64_t id = 1; id < index->n_ids; id++)
        if (index->nodes[id] != NULL)
            index->nodes[id]->dirty = index->nodes[id]->rewritten = false;
    for (; log->n_saved < log->n_entries; log->n_saved++)
        log->entries[log->n_saved].part = index->state->next_change;
    index->state->next_change++;
    return KANON_OK;
}

/* ---- changing ---------------------------------------------------------------------------------------------------- */

/* A group of a leaf has changed: widens the summaries on the path to the root until they contain it. How narrow they can
 * become is computed once, by tighten_summaries. */
static kanon_status widen_ancestors(kanon__group_index *index, kanon__node *leaf, int group, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__node *node = leaf;
    leaf->dirty = leaf->loose = true;
    while (st == KANON_OK && node->parent != 0) {
        kanon__node *parent = NULL;
        int slot;
        st = get_parent(index, &parent, &slot, node, err);
        if (st == KANON_OK)
            kanon__node_widen_child(index, parent, slot, leaf, group);
        node = parent;
    }
    return st;
}

kanon_status kanon__group_index_load_members(kanon__group_index *index, kanon__group_slot at, kanon_error *err)
{
    return kanon__node_load_members(index, at.node, err);
}

/* Reads the members of this group alone, unless those of the whole leaf are in memory. */
kanon_status kanon__group_index_members(kanon__group_index *index, kanon__group_slot at, kanon__member_list *out,
                                        kanon_error *err)
{
    const kanon__node *leaf = at.node;
    int64_t number = leaf->keys[at.slot], m = index->space->n;
    if (!leaf->has_members) {
        KANON_CHECK(kanon__node_read_members(index, leaf, number, out, err));
        KANON_CHECK(kanon__log_replay_members(index, leaf, number, out, err));
        return out->n == leaf->sizes[at.slot] ? KANON_OK
                                              : kanon__store_damaged(&index->state->store, "the members of a group", err);
    }
    int64_t begin = leaf->begins[at.slot], n = leaf->begins[at.slot + 1] - begin;
    KANON_CHECK(kanon__grow_array(&out->members, &out->members_capacity, n + 1, "members of groups", err));
    KANON_CHECK(kanon__grow_array(&out->codes, &out->codes_capacity, n * m + 1, "members of groups", err));
    memcpy(out->members, leaf->members + begin, (size_t)n * sizeof *out->members);
    memcpy(out->codes, leaf->member_codes + begin * m, (size_t)(n * m) * sizeof *out->codes);
    out->n = n;
    return KANON_OK;
}

/* Whether the group's box contains the record, as coordinates tell. They do only where different codes have different
 * coordinates, that is where positions are not rounded, and without bands. */
static bool holds(const kanon__group_index *index, kanon__group_slot at, const int64_t *codes)
{
    bool inside = true;
    for (int i = 0; i < index->space->n && inside; i++) {
        const kanon__current_dimension *d = &index->space->dimensions[i];
        const int32_t *lo = at.node->coordinates + 2 * (int64_t)i * STRIDE + at.slot;
        int32_t coordinate = kanon__coordinate_of(d, codes[i]);
        inside = (!d->numeric || (d->step > 0 && d->rule == NULL)) && lo[0] <= coordinate && coordinate <= lo[STRIDE];
    }
    return inside;
}

/* The common case is fast: where the box contains the record already, the codes of the leaf are not even decoded, and the
 * summaries above stay right. */
kanon_status kanon__group_index_join(kanon__group_index *index, kanon__group_slot at, int64_t record, const int64_t *codes,
                                     kanon_error *err)
{
    bool opened = at.node->codes != NULL || !holds(index, at, codes);
    KANON_CHECK(kanon__watch_touch(index->state, at.node->keys[at.slot], err));
    if (opened)
        KANON_CHECK(kanon__node_load_codes(index, at.node, err));
    KANON_CHECK(kanon__log_append_join(index, at.node, at.node->keys[at.slot], record, codes, err));
    if (at.node->has_members)
        KANON_CHECK(kanon__node_add_member(index, at.node, at.slot, record, codes, err));
    at.node->sizes[at.slot]++;
    at.node->dirty = at.node->loose = true;
    if (!opened)
        return KANON_OK;
    kanon__node_grow_box(index, at.node, at.slot, codes);
    kanon__node_measure_slot(index, at.node, at.slot);
    return widen_ancestors(index, at.node, at.slot, err);
}

kanon_status kanon__group_index_replace(kanon__group_index *index, kanon__group_slot at, const kanon__new_group *group,
                                        kanon_error *err)
{
    KANON_CHECK(kanon__watch_touch(index->state, group->number, err));
    KANON_CHECK(kanon__node_load_codes(index, at.node, err));
    KANON_CHECK(kanon__log_append_group(index, at.node, group, err));
    if (at.node->has_members)
        KANON_CHECK(kanon__node_set_members(index, at.node, at.slot, group->n_members, group->members, group->codes, err));
    kanon__node_set_box(index, at.node, at.slot, group);
    kanon__node_measure_slot(index, at.node, at.slot);
    return widen_ancestors(index, at.node, at.slot, err);
}

/* ---- splitting full nodes ---------------------------------------------------------------------------------------- */

/* The summary of a slot as index_cut.h wants it; with `first` false it is joined to what is in `out`. */
static void summarise_slot(const kanon__group_index *index, const kanon__node *node, int slot, bool first, int32_t *out)
{
    int m = index->space->n, sides = kanon__node_sides(node);
    for (int i = 0; i < m; i++) {
        const int32_t *coordinates = node->coordinates + (int64_t)i * sides * STRIDE + slot;
        int32_t width = sides == 2
                            ? kanon__coordinates_units(&index->space->dimensions[i], coordinates[0], coordinates[STRIDE])
                            : 0;
        int32_t now[4] = {coordinates[0], coordinates[STRIDE], sides == 2 ? width : coordinates[2 * STRIDE],
                          sides == 2 ? width : coordinates[3 * STRIDE]};
        for (int side = 0; side < 4; side++) {
            int32_t *old = &out[4 * i + side];
            *old = first || (side % 2 == 0 ? now[side] < *old : now[side] > *old) ? now[side] : *old;
        }
    }
    out[4 * m] = first || node->units[slot] < out[4 * m] ? node->units[slot] : out[4 * m];
}

/* Moves a part of a full node to a new node on the same level. A leaf is written anew with its sibling, since log entries
 * name the leaf; so are leaves whose parent changes. */
static kanon_status split_node(kanon__group_index *index, kanon__node *node, kanon__node **sibling, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cutter cutter = {0};
    int64_t items[STRIDE];
    bool moved[STRIDE] = {false};
    KANON_TRY(kanon__cutter_init(&cutter, index->space, node->n, err), out);
    for (int slot = 0; slot < node->n; slot++) {
        items[slot] = slot;
        summarise_slot(index, node, slot, true, kanon__cutter_summary(&cutter, slot));
    }
    int cut = (int)kanon__cutter_cut(&cutter, items, node->n);
    if (node->level == 0) {
        KANON_TRY(kanon__node_load_members(index, node, err), out);
        node->rewritten = true;
    }
    KANON_TRY(add_node(index, sibling, node->level, err), out);
    for (int i = cut; i < node->n; i++) {
        KANON_TRY(kanon__node_add_copy(index, *sibling, node, (int)items[i], err), out);
        moved[items[i]] = true;
    }
    for (int slot = node->n - 1; slot >= 0; slot--)
        if (moved[slot])
            kanon__node_remove_slot(index, node, slot);
    for (int slot = 0; (*sibling)->level > 0 && slot < (*sibling)->n; slot++) {
        kanon__node *child;
        KANON_TRY(kanon__node_get(index, &child, (*sibling)->keys[slot], err), out);
        child->parent = (*sibling)->id;
        child->dirty = true;
        if (child->level > 0)
            continue;
        KANON_TRY(kanon__node_load_members(index, child, err), out);
        child->rewritten = true;
    }
out:
    kanon__cutter_clear(&cutter);
    return st;
}

/* Splits nodes that are too full, from the leaf up; a root that is split gets a new root above it. */
static kanon_status split_full_nodes(kanon__group_index *index, kanon__node *node, kanon_error *err)
{
    while (node->n > KANON__NODE_MOST) {
        kanon__node *sibling, *parent;
        int slot;
        KANON_CHECK(split_node(index, node, &sibling, err));
        if (node->parent == 0) {
            KANON_CHECK(add_node(index, &parent, node->level + 1, err));
            node->parent = parent->id;
            index->state->root = parent->id;
            kanon__node_add_child(index, parent, node);
        }
        KANON_CHECK(get_parent(index, &parent, &slot, node, err));
        kanon__node_set_child(index, parent, slot, node);
        sibling->parent = parent->id;
        kanon__node_add_child(index, parent, sibling);
        node->dirty = node->loose = parent->loose = true;
        node = parent;
    }
    return KANON_OK;
}

kanon_status kanon__group_index_add(kanon__group_index *index, kanon__group_slot beside, const kanon__new_group *group,
                                    kanon_error *err)
{
    kanon__node *leaf = beside.node;
    if (leaf == NULL) /* the first group of all */
        KANON_CHECK(kanon__node_get(index, &leaf, index->state->root, err));
    if (leaf->level != 0)
        return kanon__store_damaged(&index->state->store, "the index of groups", err);
    KANON_CHECK(kanon__watch_touch(index->state, group->number, err));
    KANON_CHECK(kanon__node_load_codes(index, leaf, err));
    KANON_CHECK(kanon__log_append_group(index, leaf, group, err));
    KANON_CHECK(kanon__node_add_group(index, leaf, group, err));
    KANON_CHECK(widen_ancestors(index, leaf, leaf->n - 1, err));
    return split_full_nodes(index, leaf, err);
}

/* A node that becomes empty is erased, and its slot in the parent with it, up to the root. */
kanon_status kanon__group_index_remove(kanon__group_index *index, kanon__group_slot at, kanon_error *err)
{
    kanon__node *node = at.node;
    KANON_CHECK(kanon__watch_touch(index->state, node->keys[at.slot], err));
    KANON_CHECK(kanon__node_load_codes(index, node, err));
    KANON_CHECK(kanon__log_append_removal(index, node, node->keys[at.slot], err));
    kanon__node_remove_slot(index, node, at.slot);
    index->hint = node->id; /* its members will best join groups like it */
    while (node->n == 0 && node->parent != 0) {
        kanon__node *parent;
        int slot;
        KANON_CHECK(get_parent(index, &parent, &slot, node, err));
        KANON_CHECK(kanon__node_erase(index, node, err));
        kanon__node_remove_slot(index, parent, slot);
        node = parent;
    }
    if (node->n == 0) { /* nothing is left: the root is a leaf without groups */
        kanon__node *empty;
        KANON_CHECK(kanon__node_erase(index, node, err));
        KANON_CHECK(add_node(index, &empty, 0, err));
        index->state->root = empty->id;
        return KANON_OK;
    }
    node->loose = true;
    return KANON_OK;
}

/* ---- building ---------------------------------------------------------------------------------------------------- */

/* The items of one level: groups, or, where `groups` is NULL, the nodes of the level below from id `first` on. */
typedef struct level_build {
    const kanon__group_index *index;
    const kanon__new_group *groups;
    int64_t first;
} level_build;

static void summarise_group(const level_build *b, const kanon__new_group *group, int32_t *out)
{
    int m = b->index->space->n;
    out[4 * m] = 0;
    for (int i = 0; i < m; i++) {
        const kanon__current_dimension *d = &b->index->space->dimensions[i];
        int32_t lo = kanon__coordinate_of(d, group->box[2 * i]), hi = kanon__coordinate_high(d, group->box[2 * i + 1]);
        int32_t width = kanon__coordinates_units(d, lo, hi);
        memcpy(out + 4 * i, (int32_t[]){lo, hi, width, width}, 4 * sizeof *out);
        out[4 * m] += width;
    }
}

static void summarise_item(const level_build *b, int64_t item, int32_t *out)
{
    if (b->groups != NULL) {
        summarise_group(b, &b->groups[item], out);
        return;
    }
    const kanon__node *node = b->index->nodes[b->first + item];
    for (int slot = 0; slot < node->n; slot++)
        summarise_slot(b->index, node, slot, slot == 0, out);
}

typedef struct range {
    int64_t begin, end;
} range;

/* Cuts the items into runs that lie close together, until none has more than FILL; `ends` marks the last item of each.
 * With a stack of its own instead of recursion. */
static kanon_status cut_into_runs(kanon__cutter *cutter, int64_t *items, int64_t n, bool *ends, kanon__ticker *ticker,
                                  kanon_error *err)
{
    enum { DEEPEST = 256 }; /* deep enough: each cut takes off at least an eighth */
    range stack[DEEPEST] = {{0, n}};
    for (int top = n > 0; top > 0;) {
        range r = stack[--top];
        int64_t count = r.end - r.begin;
        if (count <= FILL) {
            ends[r.end - 1] = true;
            continue;
        }
        int64_t cut = kanon__cutter_cut(cutter, items + r.begin, count);
        stack[top++] = (range){r.begin + cut, r.end};
        stack[top++] = (range){r.begin, r.begin + cut};
        KANON_CHECK(kanon__tick(ticker, r.begin, n, 100 * count, err));
    }
    return KANON_OK;
}

/* Puts the n items into new nodes of one level. */
static kanon_status add_level(kanon__group_index *index, level_build b, int64_t n, int level, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cutter cutter = {0};
    int64_t *items = NULL;
    bool *ends = NULL;
    kanon__node *node = NULL;
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, index->state->tick, index->state->payload, "keeping");
    KANON_TRY(kanon__new_array(&items, n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&ends, n, "the index of groups", err), out);
    KANON_TRY(kanon__cutter_init(&cutter, index->space, n, err), out);
    for (int64_t i = 0; i < n; i++) {
        items[i] = i;
        summarise_item(&b, i, kanon__cutter_summary(&cutter, i));
    }
    KANON_TRY(cut_into_runs(&cutter, items, n, ends, &ticker, err), out);
    for (int64_t i = 0; i < n; i++) {
        KANON_TRY(kanon__tick(&ticker, i, n, 1000, err), out);
        if (i == 0 || ends[i - 1])
            KANON_TRY(add_node(index, &node, level, err), out);
        if (level == 0) {
            KANON_TRY(kanon__node_add_group(index, node, &b.groups[items[i]], err), out);
            continue;
        }
        kanon__node *child = index->nodes[b.first + items[i]];
        child->parent = node->id;
        kanon__node_add_child(index, node, child);
    }
out:
    kanon__cutter_clear(&cutter);
    kanon__free(ends);
    kanon__free(items);
    return st;
}

static kanon_status drop_nodes(kanon__group_index *index, kanon_error *err)
{
    kanon__nodes_drop(index);
    kanon__log_clear(&index->log);
    index->n_ids = 1;
    index->hint = index->members_page_leaf = 0;
    kanon__shares_reset(index->space);
    return kanon__index_rows_clear(&index->rows, err);
}

/* Bottom-up: leaves over the groups, then level by level nodes over nodes, until there is one. */
kanon_status kanon__group_index_build(kanon__group_index *index, const kanon__new_group *groups, int64_t n, kanon_error *err)
{
    kanon__node *leaf = NULL;
    kanon__watch_give_up(index->state); /* every group is another one */
    KANON_CHECK(drop_nodes(index, err));
    if (n == 0)
        KANON_CHECK(add_node(index, &leaf, 0, err));
    KANON_CHECK(add_level(index, (level_build){index, groups, 0}, n, 0, err));
    int64_t first = 1;
    for (int level = 1; index->n_ids - first > 1; level++) {
        int64_t next = index->n_ids;
        KANON_CHECK(add_level(index, (level_build){index, NULL, first}, next - first, level, err));
        first = next;
    }
    index->state->root = first;
    return KANON_OK;
}

/* ---- walks over all nodes ---------------------------------------------------------------------------------------- */

/* Visits all nodes, parents before children, and checks on the way that it is a tree: parents and levels fit, and no more
 * nodes are met than there are ids. */
typedef kanon_status (*node_visitor)(kanon__group_index *index, kanon__node *node, void *payload, kanon_error *err);

static kanon_status walk_nodes(kanon__group_index *index, node_visitor visitor, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *ids = NULL, capacity = 0, n = 0, n_seen = 0;
    kanon__node *node, *child;
    KANON_TRY(kanon__grow_array(&ids, &capacity, 1, "the index of groups", err), out);
    ids[n++] = index->state->root;
    while (n > 0) {
        KANON_TRY(kanon__node_get(index, &node, ids[--n], err), out);
        bool good = ++n_seen < index->n_ids && (node->parent == 0) == (node->id == index->state->root);
        KANON_TRY(kanon__grow_array(&ids, &capacity, n + node->n, "the index of groups", err), out);
        for (int slot = 0; good && node->level > 0 && slot < node->n; slot++) {
            KANON_TRY(kanon__node_get(index, &child, node->keys[slot], err), out);
            good = child->parent == node->id && child->level == node->level - 1;
            ids[n++] = child->id;
        }
        if (!good)
            KANON_TRY(kanon__store_damaged(&index->state->store, "the index of groups", err), out);
        KANON_TRY(visitor(index, node, payload, err), out);
    }
out:
    kanon__free(ids);
    return st;
}

typedef struct leaf_walk {
    kanon__leaf_visitor visitor;
    void *payload;
} leaf_walk;

static kanon_status visit_leaf(kanon__group_index *index, kanon__node *node, void *payload, kanon_error *err)
{
    const leaf_walk *w = payload;
    if (node->level > 0)
        return KANON_OK;
    kanon_status st = kanon__node_load_members(index, node, err);
    return st == KANON_OK ? w->visitor(node, w->payload, err) : st;
}

kanon_status kanon__group_index_visit(kanon__group_index *index, kanon__leaf_visitor visitor, void *payload,
                                      kanon_error *err)
{
    leaf_walk w = {visitor, payload};
    return walk_nodes(index, visit_leaf, &w, err);
}

kanon_status kanon__group_index_smallest(kanon__group_index *index, int64_t *out, kanon_error *err)
{
    kanon__node *root;
    *out = 0;
    kanon_status st = tighten_summaries(index, err);
    if (st == KANON_OK)
        st = kanon__node_get(index, &root, index->state->root, err);
    for (int slot = 0; st == KANON_OK && slot < root->n; slot++)
        if (slot == 0 || root->sizes[slot] < *out)
            *out = root->sizes[slot];
    return st;
}

typedef struct rescale_step {
    int dimension;
    int64_t factor;
} rescale_step;

static bool rescale_codes(int64_t *codes, int64_t n, int64_t step, int64_t factor)
{
    bool good = true;
    for (int64_t i = 0; i < n; i++)
        if (codes[i * step] != KANON__NULL_CODE)
            good = !__builtin_mul_overflow(codes[i * step], factor, &codes[i * step]) && good;
    return good;
}

static kanon_status rescale_node(kanon__group_index *index, kanon__node *node, void *payload, kanon_error *err)
{
    const rescale_step *r = payload;
    bool good = true;
    if (node->level == 0)
        KANON_CHECK(kanon__node_load_members(index, node, err));
    for (int side = 0; side < kanon__node_sides(node); side++)
        good = rescale_codes(kanon__node_column(node, r->dimension, side), node->n, 1, r->factor) && good;
    if (node->level == 0)
        good = rescale_codes(node->member_codes + r->dimension, node->begins[node->n], index->space->n, r->factor) && good;
    node->dirty = true;
    node->rewritten = node->level == 0;
    if (!good)
        return kanon__fail(err, KANON_EDATA, "a number has too many digits for the state");
    return KANON_OK;
}

kanon_status kanon__group_index_rescale(kanon__group_index *index, int dimension, int64_t factor, kanon_error *err)
{
    rescale_step r = {dimension, factor};
    kanon__watch_give_up(index->state); /* cells of all groups may be written with more digits */
    return walk_nodes(index, rescale_node, &r, err);
}

/* Whether the summary in a slot is that of the child: computed anew in `scratch` and compared. Shares may be smaller than
 * the units of today, never larger. */
static bool summary_is_right(const kanon__group_index *index, const kanon__node *node, int slot, const kanon__node *child,
                             kanon__node *scratch)
{
    bool good = child->level == node->level - 1;
    if (!good)
        return false;
    kanon__node_set_child(index, scratch, slot, child);
    for (int i = 0; i < 4 * index->space->n; i++)
        good = good && scratch->codes[i * STRIDE + slot] == node->codes[i * STRIDE + slot];
    for (int i = 0; i < child->n; i++)
        good = good && (child->level == 0 ? node->units[slot] <= child->units[i]
                                          : node->least_shares[slot] <= child->least_shares[i]);
    return good && scratch->sizes[slot] == node->sizes[slot] && scratch->lowest_groups[slot] == node->lowest_groups[slot];
}

static kanon_status check_node(kanon__group_index *index, kanon__node *node, void *payload, kanon_error *err)
{
    kanon__node *child;
    for (int slot = 0; node->level > 0 && slot < node->n; slot++) {
        KANON_CHECK(kanon__node_get(index, &child, node->keys[slot], err));
        KANON_CHECK(kanon__node_load_codes(index, child, err));
        if (!summary_is_right(index, node, slot, child, payload))
            return kanon__store_damaged(&index->state->store, "a summary of the index", err);
    }
    return KANON_OK;
}

kanon_status kanon__group_index_check(kanon__group_index *index, kanon_error *err)
{
    kanon__node *scratch = NULL;
    KANON_CHECK(tighten_summaries(index, err));
    KANON_CHECK(kanon__node_new(index, &scratch, 1, err));
    KANON_CHECK(walk_nodes(index, check_node, scratch, err));
    return kanon__log_check(index, err);
}
