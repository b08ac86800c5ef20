/* One node of the group index: its memory, reading it in stages, its coordinates and units, its slots and its members.
 *
 * Why stages: an insert of 1000 scattered records comes across a quarter of all leaves and changes few of them. A leaf
 * that is only searched costs its coordinates (1.5 KiB with six attributes), decoded straight from the page; codes and
 * members are read when asked for. */
#define _DEFAULT_SOURCE /* madvise */
#include "state/index/index_node.h"

#include "core/alloc.h"

#include <string.h>
#include <sys/mman.h>

enum { STRIDE = KANON__NODE_ROOM, LINE = 64, NODE_BYTES = 1 << 13, LARGE_PAGE = 1 << 21, CHUNK_MOST = 2 * LARGE_PAGE };

static const kanon__current_dimension *dimension(const kanon__group_index *index, int i)
{
    return &index->space->dimensions[i];
}

/* ---- memory ------------------------------------------------------------------------------------------------------ */

static int64_t round_to_lines(int64_t size)
{
    return (size + LINE - 1) / LINE * LINE;
}

/* Nodes lie in few large chunks, on huge pages where possible: thousands of them are read by one command, and one page
 * fault per node would be most of the time. */
static kanon_status add_chunk(kanon__group_index *index, int64_t least, kanon_error *err)
{
    int64_t size = NODE_BYTES * (index->n_ids < 16 ? 16 : index->n_ids);
    size = (size < CHUNK_MOST ? size : CHUNK_MOST) + least + LINE;
    bool large = size > LARGE_PAGE;
    char *chunk = NULL;
    KANON_CHECK(kanon__grow_array(&index->chunks, &index->chunks_capacity, index->n_chunks + 1, "the index of groups", err));
    KANON_CHECK(kanon__new_array(&chunk, size + (large ? LARGE_PAGE : 0), "the index of groups", err));
    index->chunks[index->n_chunks++] = chunk;
    int64_t align = large ? LARGE_PAGE : LINE;
    index->free_bytes = chunk + (align - (int64_t)((uintptr_t)chunk % (uintptr_t)align)) % align;
    index->n_free_bytes = size - (large ? 0 : LINE);
#ifdef MADV_HUGEPAGE
    if (large)
        madvise(index->free_bytes, (size_t)(index->n_free_bytes / LARGE_PAGE * LARGE_PAGE), MADV_HUGEPAGE);
#endif
    return KANON_OK;
}

kanon_status kanon__nodes_allocate(kanon__group_index *index, char **out, int64_t size, kanon_error *err)
{
    size = round_to_lines(size);
    if (index->n_free_bytes < size)
        KANON_CHECK(add_chunk(index, size, err));
    *out = index->free_bytes;
    index->free_bytes += size;
    index->n_free_bytes -= size;
    return KANON_OK;
}

/* One allocation: the struct, then coordinates, and of inner nodes lowest groups, least shares and codes. Leaves get codes
 * later. */
kanon_status kanon__node_new(kanon__group_index *index, kanon__node **out, int level, kanon_error *err)
{
    char *memory = NULL;
    int64_t n = (int64_t)STRIDE * (level == 0 ? 2 : 4) * index->space->n, head = round_to_lines(sizeof **out);
    int64_t size = head + n * (int64_t)sizeof(int32_t), more = (2 * STRIDE + n) * (int64_t)sizeof(int64_t);
    *out = NULL;
    KANON_CHECK(kanon__nodes_allocate(index, &memory, size + (level > 0 ? more : 0), err));
    kanon__node *node = (kanon__node *)(void *)memory;
    node->level = level;
    node->coordinates = (int32_t *)(void *)(memory + head);
    if (level > 0) {
        node->lowest_groups = (int64_t *)(void *)(memory + size);
        node->least_shares = node->lowest_groups + STRIDE;
        node->codes = node->least_shares + STRIDE;
    }
    node->epoch = index->space->epoch;
    *out = node;
    return KANON_OK;
}

kanon_status kanon__node_add_codes(kanon__group_index *index, kanon__node *leaf, kanon_error *err)
{
    char *memory = NULL;
    int64_t n = (int64_t)STRIDE * 2 * index->space->n;
    KANON_CHECK(kanon__nodes_allocate(index, &memory, (n + STRIDE + 1) * (int64_t)sizeof(int64_t), err));
    leaf->codes = (int64_t *)(void *)memory;
    leaf->begins = leaf->codes + n;
    return KANON_OK;
}

void kanon__node_drop_members(kanon__node *node)
{
    kanon__free(node->member_codes);
    kanon__free(node->members);
    node->member_codes = node->members = NULL;
    node->members_capacity = node->member_codes_capacity = 0;
    node->has_members = false;
}

void kanon__nodes_drop(kanon__group_index *index)
{
    for (int64_t id = 0; index->nodes != NULL && id < index->n_ids; id++) {
        if (index->nodes[id] != NULL)
            kanon__node_drop_members(index->nodes[id]);
        index->nodes[id] = NULL;
    }
    for (int64_t i = 0; i < index->n_chunks; i++)
        kanon__free(index->chunks[i]);
    index->n_chunks = 0;
    index->n_free_bytes = 0;
    index->n_pages = 0;
}

/* ---- reading ----------------------------------------------------------------------------------------------------- */

/* Whether boxes are made of codes that can be, lo before hi. That categories are leaves was checked as they were read. */
static bool is_possible(const kanon__group_index *index, const kanon__node *node)
{
    int sides = kanon__node_sides(node);
    bool bad = false;
    for (int i = 0; i < index->space->n; i++) {
        const kanon__current_dimension *d = dimension(index, i);
        const int64_t *lo = kanon__node_column(node, i, 0), *hi = lo + STRIDE, *narrow = hi + STRIDE,
                      *wide = narrow + STRIDE;
        for (int slot = 0; slot < node->n; slot++) {
            if (d->numeric)
                bad |= (lo[slot] > hi[slot]) | (lo[slot] < d->lo) | ((lo[slot] > d->hi) & (lo[slot] != KANON__NULL_CODE)) |
                       ((hi[slot] > d->hi) & (hi[slot] != KANON__NULL_CODE));
            else
                bad |= d->leaf_of[lo[slot]] > d->leaf_of[hi[slot]];
            if (sides == 4)
                bad |= narrow[slot] < 0 || narrow[slot] > wide[slot] || (!d->numeric && wide[slot] > d->taxonomy->height[0]);
        }
    }
    return !bad;
}

/* Steps: 1. the page; 2. of a leaf, the log; 3. checks and coordinates, unless step 1 decoded them directly; 4. the codes
 * of a leaf are dropped again, since they lie in index->scratch. */
static kanon_status read_node(kanon__group_index *index, int64_t id, kanon_error *err)
{
    kanon__node *node = NULL;
    bool measured;
    KANON_CHECK(kanon__node_read(index, &node, id, &measured, err));
    if (node->level == 0)
        KANON_CHECK(kanon__log_replay(index, node, false, err));
    if (!measured && ((node->n == 0 && node->parent != 0) || !is_possible(index, node)))
        return kanon__store_damaged(&index->state->store, "a node of the index", err);
    if (!measured)
        kanon__node_measure(index, node);
    if (node->level == 0)
        node->codes = NULL;
    index->nodes[id] = node;
    return KANON_OK;
}

/* A leaf without codes has not been changed since it was read, so page and log give it as it was. */
kanon_status kanon__node_load_codes(kanon__group_index *index, kanon__node *leaf, kanon_error *err)
{
    if (leaf->codes != NULL)
        return KANON_OK;
    KANON_CHECK(kanon__node_add_codes(index, leaf, err));
    KANON_CHECK(kanon__node_reread(index, leaf, err));
    if (kanon__log_has_entries(&index->log, leaf->id)) {
        KANON_CHECK(kanon__log_replay(index, leaf, false, err));
        kanon__node_measure(index, leaf); /* the replay has moved slots */
    }
    return KANON_OK;
}

kanon_status kanon__node_get(kanon__group_index *index, kanon__node **out, int64_t id, kanon_error *err)
{
    if (id < 1 || id >= index->n_ids)
        return kanon__store_damaged(&index->state->store, "a node of the index", err);
    if (index->nodes[id] == NULL) {
        kanon_status st = read_node(index, id, err);
        if (st != KANON_OK)
            return st;
    }
    *out = index->nodes[id];
    if ((*out)->epoch == index->space->epoch)
        return KANON_OK;
    kanon_status st = kanon__node_load_codes(index, *out, err);
    if (st == KANON_OK)
        kanon__node_measure(index, *out);
    return st;
}

/* After page and log each group must have as many members as the leaf says. */
kanon_status kanon__node_load_members(kanon__group_index *index, kanon__node *leaf, kanon_error *err)
{
    if (leaf->has_members)
        return KANON_OK;
    KANON_CHECK(kanon__node_load_codes(index, leaf, err));
    memset(leaf->begins, 0, (STRIDE + 1) * sizeof *leaf->begins);
    KANON_CHECK(kanon__node_read_all_members(index, leaf, err));
    KANON_CHECK(kanon__log_replay(index, leaf, true, err));
    for (int slot = 0; slot < leaf->n; slot++)
        if (leaf->begins[slot + 1] - leaf->begins[slot] != leaf->sizes[slot])
            return kanon__store_damaged(&index->state->store, "the members of a group", err);
    leaf->has_members = true;
    return KANON_OK;
}

kanon_status kanon__node_erase(kanon__group_index *index, kanon__node *node, kanon_error *err)
{
    kanon__log_discard(&index->log, node->id);
    index->nodes[node->id] = NULL;
    kanon__node_drop_members(node);
    return kanon__node_erase_page_entry(index, node->id, err);
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

/* The width of a group on one attribute, as inner nodes keep it: steps of a number (a mixed one is as wide as can be), the
 * height of the node above categories. */
static int64_t width_of(const kanon__current_dimension *d, int64_t lo, int64_t hi)
{
    if (!d->numeric)
        return lo == hi ? 0 : kanon__coordinates_height(d, kanon__coordinate_of(d, lo), kanon__coordinate_of(d, hi));
    return hi == KANON__NULL_CODE ? (lo == hi ? 0 : KANON__NULL_CODE) : hi - lo;
}

/* Units of a width, as a bound from below or, with at_least, from above: where positions are rounded, an interval may
 * cost a unit more or less than its width. With bands, it is wider than its codes by at most one band on each side. */
static int32_t width_units(const kanon__current_dimension *d, int64_t width, bool at_least)
{
    int64_t range = d->high - d->low;
    if (d->rule != NULL && at_least && width != KANON__NULL_CODE) {
        int64_t widest = kanon__band_rule_widest(d->rule);
        width = widest > range || width > range ? range : width + 2 * widest;
    }
    if (!d->numeric)
        return kanon__height_units(d, width);
    if (width == KANON__NULL_CODE)
        return d->full;
    if (width == 0 || range <= 0)
        return 0;
    if (width > range)
        width = range;
    if (d->step > 0)
        return (int32_t)(width * d->step);
    int64_t units = (int64_t)((__int128)width * d->full / range) + (at_least ? 2 : -1);
    return (int32_t)(units < 0 ? 0 : units > d->full ? d->full : units);
}

/* A loose summary may still contain records that are gone, and lie outside of a range that shrank with them. All groups
 * below lie in the range, so the summary is cut to it. */
static int64_t code_in_range(const kanon__current_dimension *d, int64_t code)
{
    if (!d->numeric || code == KANON__NULL_CODE)
        return code;
    return code < d->lo ? d->lo : code > d->hi ? d->hi : code;
}

/* Coordinates of lo and hi; units of a leaf's groups; bounds of an inner node's. */
static void measure_slots(const kanon__group_index *index, kanon__node *node, int from, int to)
{
    int sides = kanon__node_sides(node);
    memset(node->units + from, 0, (size_t)(to - from) * sizeof *node->units);
    for (int i = 0; i < index->space->n; i++) {
        const kanon__current_dimension *d = dimension(index, i);
        const int64_t *codes = kanon__node_column(node, i, 0);
        int32_t *coordinates = node->coordinates + (int64_t)i * sides * STRIDE;
        for (int side = 0; side < 2; side++)
            for (int slot = from; slot < to; slot++) {
                int64_t code = codes[side * STRIDE + slot];
                code = sides == 2 ? code : code_in_range(d, code);
                coordinates[side * STRIDE + slot] = side == 0 ? kanon__coordinate_of(d, code)
                                                              : kanon__coordinate_high(d, code);
            }
        for (int slot = from; slot < to; slot++) {
            if (sides == 2) {
                node->units[slot] += coordinates[slot] == coordinates[STRIDE + slot]
                                         ? 0
                                         : kanon__coordinates_units(d, coordinates[slot], coordinates[STRIDE + slot]);
                continue;
            }
            coordinates[2 * STRIDE + slot] = width_units(d, codes[2 * STRIDE + slot], false);
            coordinates[3 * STRIDE + slot] = width_units(d, codes[3 * STRIDE + slot], true);
        }
    }
    for (int slot = from; sides == 4 && slot < to; slot++)
        node->units[slot] = kanon__share_units(index->space, node->least_shares[slot]);
}

void kanon__node_measure_slot(const kanon__group_index *index, kanon__node *node, int slot)
{
    measure_slots(index, node, slot, slot + 1);
}

void kanon__node_measure(const kanon__group_index *index, kanon__node *node)
{
    measure_slots(index, node, 0, node->n);
    node->epoch = index->space->epoch;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

/* Makes room for `n` members of a slot; those of the slots behind it move. */
static kanon_status resize(const kanon__group_index *index, kanon__node *leaf, int slot, int64_t n, kanon_error *err)
{
    int m = index->space->n;
    int64_t end = leaf->begins[slot + 1], total = leaf->begins[leaf->n], grown = n - (end - leaf->begins[slot]);
    int64_t room = total + (grown > 0 ? grown : 0) + 1;
    KANON_CHECK(kanon__grow_array(&leaf->members, &leaf->members_capacity, room, "members of groups", err));
    KANON_CHECK(kanon__grow_array(&leaf->member_codes, &leaf->member_codes_capacity, room * m, "members of groups", err));
    memmove(leaf->members + end + grown, leaf->members + end, (size_t)(total - end) * sizeof *leaf->members);
    memmove(leaf->member_codes + (end + grown) * m, leaf->member_codes + end * m,
            (size_t)((total - end) * m) * sizeof *leaf->member_codes);
    for (int i = slot + 1; i <= leaf->n; i++)
        leaf->begins[i] += grown;
    return KANON_OK;
}

kanon_status kanon__node_set_members(const kanon__group_index *index, kanon__node *leaf, int slot, int64_t n,
                                     const int64_t *members, const int64_t *codes, kanon_error *err)
{
    int m = index->space->n;
    KANON_CHECK(resize(index, leaf, slot, n, err));
    memcpy(leaf->members + leaf->begins[slot], members, (size_t)n * sizeof *members);
    memcpy(leaf->member_codes + leaf->begins[slot] * m, codes, (size_t)(n * m) * sizeof *codes);
    return KANON_OK;
}

kanon_status kanon__node_add_member(const kanon__group_index *index, kanon__node *leaf, int slot, int64_t record,
                                    const int64_t *codes, kanon_error *err)
{
    int m = index->space->n;
    int64_t size = leaf->begins[slot + 1] - leaf->begins[slot];
    KANON_CHECK(resize(index, leaf, slot, size + 1, err));
    int64_t *members = leaf->members + leaf->begins[slot], *all = leaf->member_codes + leaf->begins[slot] * m, at = size;
    while (at > 0 && members[at - 1] > record)
        at--;
    memmove(members + at + 1, members + at, (size_t)(size - at) * sizeof *members);
    memmove(all + (at + 1) * m, all + at * m, (size_t)((size - at) * m) * sizeof *all);
    members[at] = record;
    memcpy(all + at * m, codes, (size_t)m * sizeof *codes);
    return KANON_OK;
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

void kanon__node_set_box(const kanon__group_index *index, kanon__node *leaf, int slot, const kanon__new_group *group)
{
    for (int i = 0; i < 2 * index->space->n; i++)
        leaf->codes[i * STRIDE + slot] = group->box[i];
    leaf->keys[slot] = group->number;
    leaf->sizes[slot] = group->n_members;
}

void kanon__node_grow_box(const kanon__group_index *index, kanon__node *leaf, int slot, const int64_t *codes)
{
    for (int i = 0; i < index->space->n; i++) {
        const kanon__current_dimension *d = dimension(index, i);
        int64_t *lo = kanon__node_column(leaf, i, 0) + slot, *hi = lo + STRIDE;
        if (kanon__code_before(d, codes[i], *lo))
            *lo = codes[i];
        if (kanon__code_before(d, *hi, codes[i]))
            *hi = codes[i];
    }
}

kanon_status kanon__node_add_group(const kanon__group_index *index, kanon__node *node, const kanon__new_group *group,
                                   kanon_error *err)
{
    int slot = node->n;
    if (node->has_members) {
        node->begins[slot + 1] = node->begins[slot];
        node->n++; /* the slot exists, with no members */
        kanon_status st = kanon__node_set_members(index, node, slot, group->n_members, group->members, group->codes, err);
        node->n--;
        if (st != KANON_OK)
            return st;
    }
    kanon__node_set_box(index, node, slot, group);
    node->n++;
    node->dirty = true;
    kanon__node_measure_slot(index, node, slot);
    return KANON_OK;
}

kanon_status kanon__node_add_copy(const kanon__group_index *index, kanon__node *node, const kanon__node *from, int slot,
                                  kanon_error *err)
{
    int to = node->n, numbers = kanon__node_sides(node) * index->space->n;
    if (node->level == 0) {
        int64_t begin = from->begins[slot];
        node->begins[to + 1] = node->begins[to];
        node->n++;
        kanon_status st = kanon__node_set_members(index, node, to, from->begins[slot + 1] - begin, from->members + begin,
                                                  from->member_codes + begin * index->space->n, err);
        node->n--;
        if (st != KANON_OK)
            return st;
    }
    node->keys[to] = from->keys[slot];
    node->sizes[to] = from->sizes[slot];
    if (node->level > 0) {
        node->lowest_groups[to] = from->lowest_groups[slot];
        node->least_shares[to] = from->least_shares[slot];
    }
    for (int i = 0; i < numbers; i++)
        node->codes[i * STRIDE + to] = from->codes[i * STRIDE + slot];
    node->n++;
    node->dirty = true;
    kanon__node_measure_slot(index, node, to);
    return KANON_OK;
}

/* The codes at both ends of a child's boxes on one attribute. The order of categories is that of their coordinates. */
static void find_ends(const kanon__group_index *index, const kanon__node *child, int attribute, int64_t out[2])
{
    const int64_t *lo = kanon__node_column(child, attribute, 0), *hi = lo + STRIDE;
    const int32_t *first = child->coordinates + (int64_t)attribute * kanon__node_sides(child) * STRIDE,
                  *last = first + STRIDE;
    int lowest = 0, highest = 0;
    out[0] = lo[0];
    out[1] = hi[0];
    if (dimension(index, attribute)->numeric) {
        for (int slot = 1; slot < child->n; slot++) {
            out[0] = lo[slot] < out[0] ? lo[slot] : out[0];
            out[1] = hi[slot] > out[1] ? hi[slot] : out[1];
        }
        return;
    }
    for (int slot = 1; slot < child->n; slot++) {
        lowest = first[slot] < first[lowest] ? slot : lowest;
        highest = last[slot] > last[highest] ? slot : highest;
    }
    out[0] = lo[lowest];
    out[1] = hi[highest];
}

/* What is below a child on one attribute: lo, hi, narrowest, widest. */
static void summarise(const kanon__group_index *index, const kanon__node *child, int attribute, int64_t out[4])
{
    const kanon__current_dimension *d = dimension(index, attribute);
    bool leaf = child->level == 0;
    const int64_t *codes = kanon__node_column(child, attribute, 0);
    find_ends(index, child, attribute, out);
    for (int slot = 0; slot < child->n; slot++) {
        int64_t narrow = leaf ? width_of(d, codes[slot], codes[STRIDE + slot]) : codes[2 * STRIDE + slot];
        int64_t wide = leaf ? narrow : codes[3 * STRIDE + slot];
        out[2] = slot == 0 || narrow < out[2] ? narrow : out[2];
        out[3] = slot == 0 || wide > out[3] ? wide : out[3];
    }
}

/* Sets a number; whether it was another one. */
static bool set(int64_t *at, int64_t value)
{
    bool other = *at != value;
    *at = value;
    return other;
}

/* Of a leaf without codes only sizes have changed, so its boxes are left as they are. */
bool kanon__node_set_child(const kanon__group_index *index, kanon__node *node, int slot, const kanon__node *child)
{
    int64_t size = 0, first = 0, least = 0;
    bool other = set(&node->keys[slot], child->id);
    for (int i = 0; i < child->n; i++) {
        int64_t lowest = child->level == 0 ? child->keys[i] : child->lowest_groups[i];
        int64_t share = child->level == 0 ? child->units[i] : child->least_shares[i];
        size = i == 0 || child->sizes[i] < size ? child->sizes[i] : size;
        first = i == 0 || lowest < first ? lowest : first;
        least = i == 0 || share < least ? share : least;
    }
    least = child->level == 0 ? kanon__share_of(index->space, least) : least;
    other = set(&node->sizes[slot], size) | set(&node->lowest_groups[slot], first) | set(&node->least_shares[slot], least) |
            other;
    for (int i = 0; i < index->space->n && child->codes != NULL; i++) {
        int64_t *column = kanon__node_column(node, i, 0) + slot, sides[4] = {0};
        summarise(index, child, i, sides);
        for (int side = 0; side < 4; side++)
            other = set(&column[side * STRIDE], sides[side]) | other;
    }
    if (other) {
        node->dirty = true;
        kanon__node_measure_slot(index, node, slot);
    }
    return other;
}

/* Lowers, or raises, a number; whether it changed. */
static bool lower_to(int64_t *at, int64_t value)
{
    return value < *at && set(at, value);
}

static bool raise_to(int64_t *at, int64_t value)
{
    return value > *at && set(at, value);
}

void kanon__node_widen_child(const kanon__group_index *index, kanon__node *node, int slot, const kanon__node *leaf,
                             int group)
{
    bool other = lower_to(&node->sizes[slot], leaf->sizes[group]) | lower_to(&node->lowest_groups[slot], leaf->keys[group]) |
                 lower_to(&node->least_shares[slot], kanon__share_of(index->space, leaf->units[group]));
    for (int i = 0; i < index->space->n; i++) {
        const kanon__current_dimension *d = dimension(index, i);
        int64_t lo = kanon__group_edge(leaf, group, i, 0), hi = kanon__group_edge(leaf, group, i, 1);
        int64_t width = width_of(d, lo, hi), *column = kanon__node_column(node, i, 0) + slot;
        if (kanon__code_before(d, lo, column[0]))
            column[0] = lo, other = true;
        if (kanon__code_before(d, column[STRIDE], hi))
            column[STRIDE] = hi, other = true;
        other = lower_to(&column[2 * STRIDE], width) | raise_to(&column[3 * STRIDE], width) | other;
    }
    if (!other)
        return;
    node->dirty = true;
    kanon__node_measure_slot(index, node, slot);
}

void kanon__node_add_child(const kanon__group_index *index, kanon__node *node, const kanon__node *child)
{
    int slot = node->n++;
    node->keys[slot] = 0; /* whatever the slot had is not of this child */
    kanon__node_set_child(index, node, slot, child);
}

void kanon__node_remove_slot(const kanon__group_index *index, kanon__node *node, int slot)
{
    int numbers = kanon__node_sides(node) * index->space->n, m = index->space->n;
    size_t after = (size_t)(node->n - slot - 1);
    if (node->has_members) {
        int64_t begin = node->begins[slot], end = node->begins[slot + 1], total = node->begins[node->n];
        memmove(node->members + begin, node->members + end, (size_t)(total - end) * sizeof *node->members);
        memmove(node->member_codes + begin * m, node->member_codes + end * m,
                (size_t)((total - end) * m) * sizeof *node->member_codes);
        for (int i = slot + 1; i < node->n; i++)
            node->begins[i] = node->begins[i + 1] - (end - begin);
    }
    memmove(node->keys + slot, node->keys + slot + 1, after * sizeof *node->keys);
    memmove(node->sizes + slot, node->sizes + slot + 1, after * sizeof *node->sizes);
    if (node->level > 0) {
        memmove(node->lowest_groups + slot, node->lowest_groups + slot + 1, after * sizeof *node->lowest_groups);
        memmove(node->least_shares + slot, node->least_shares + slot + 1, after * sizeof *node->least_shares);
    }
    memmove(node->units + slot, node->units + slot + 1, after * sizeof *node->units);
    for (int i = 0; i < numbers; i++) {
        int64_t *codes = node->codes + i * STRIDE + slot;
        int32_t *coordinates = node->coordinates + i * STRIDE + slot;
        memmove(codes, codes + 1, after * sizeof *codes);
        memmove(coordinates, coordinates + 1, after * sizeof *coordinates);
    }
    node->n--;
    node->dirty = true;
}
