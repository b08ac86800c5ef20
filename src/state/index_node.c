#include "state/index_node.h"

#include "core/alloc.h"

#include <string.h>

static const kanon__dimension_now *dimension(const kanon__group_index *index, int i)
{
    return &index->space->dimensions[i];
}

static int64_t *places_of(const kanon__group_index *index, const kanon__node *node, int slot)
{
    return node->places + (int64_t)slot * kanon__node_sides(node) * index->space->n;
}

/* ---- making and freeing -----------------------------------------------------------------------------------------------
 * */

kanon_status kanon__node_new(kanon__group_index *index, kanon__node **out, int level, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__node *node = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&node, 1, "the index of groups", err), out);
    node->level = level;
    int64_t n = (int64_t)KANON__NODE_ROOM * kanon__node_sides(node) * index->space->n;
    KANON_TRY(kanon__new_array(&node->places, n, "the index of groups", err), out);
    KANON_TRY(kanon__new_array(&node->spots, n, "the index of groups", err), out);
    node->epoch = index->space->epoch;
    *out = node;
    node = NULL;
out:
    kanon__node_free(node);
    return st;
}

void kanon__node_free(kanon__node *node)
{
    if (node == NULL)
        return;
    kanon__free(node->members);
    kanon__free(node->spots);
    kanon__free(node->places);
    kanon__free(node);
}

/* ---- rows of the file -------------------------------------------------------------------------------------------------
 * */

typedef struct byte_reader {
    const unsigned char *at, *end;
    bool bad;
} byte_reader;

static uint64_t take_unsigned(byte_reader *r)
{
    uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
        if (r->at == r->end)
            break;
        unsigned char byte = *r->at++;
        value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    r->bad = true;
    return 0;
}

static int64_t take_signed(byte_reader *r)
{
    uint64_t value = take_unsigned(r);
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

/* A whole number in 1 .. most. */
static int64_t take_count(byte_reader *r, int64_t most)
{
    uint64_t value = take_unsigned(r);
    if (value < 1 || value > (uint64_t)most)
        r->bad = true;
    return r->bad ? 0 : (int64_t)value;
}

static unsigned char *put_unsigned(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

static unsigned char *put_signed(unsigned char *at, int64_t value)
{
    return put_unsigned(at, (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0));
}

static kanon_status take_members(kanon__node *node, int slot, byte_reader *r, int64_t most, kanon_error *err)
{
    int64_t n = take_count(r, r->end - r->at), last = 0;
    kanon_status st = kanon__node_resize_members(node, slot, n, err);
    if (st != KANON_OK)
        return st;
    for (int64_t i = 0; i < n && !r->bad; i++) {
        last += take_count(r, most - last);
        node->members[node->begins[slot] + i] = last;
    }
    node->sizes[slot] = n;
    return KANON_OK;
}

/* Boxes must be made of places that can be, smaller ones first. */
static bool places_are_possible(const kanon__group_index *index, const kanon__node *node, int slot)
{
    int sides = kanon__node_sides(node);
    const int64_t *places = places_of(index, node, slot);
    for (int i = 0; i < index->space->n; i++, places += sides) {
        const kanon__dimension_now *d = dimension(index, i);
        if (!kanon__place_is_known(d, places[0]) || !kanon__place_is_known(d, places[1]) ||
            kanon__spot_of(d, places[0]) > kanon__spot_of(d, places[1]))
            return false;
        if (sides == 4 && (places[2] < 0 || places[2] > places[3] || (!d->numeric && places[3] > d->taxonomy->height[0])))
            return false;
    }
    return true;
}

static kanon_status decode(const kanon__group_index *index, kanon__node *node, byte_reader *r, kanon_error *err)
{
    const kanon_state *s = index->state;
    int numbers = kanon__node_sides(node) * index->space->n;
    int n = (int)take_count(r, KANON__NODE_MOST);
    for (int slot = 0; slot < n && !r->bad; slot++) {
        node->keys[slot] = take_count(r, node->level == 0 ? s->next_group - 1 : index->n_ids - 1);
        if (node->level == 0) {
            kanon_status st = take_members(node, slot, r, s->next_record - 1, err);
            if (st != KANON_OK)
                return st;
        } else {
            node->sizes[slot] = take_count(r, s->n_records);
            node->first[slot] = take_count(r, s->next_group - 1);
        }
        for (int i = 0; i < numbers; i++)
            places_of(index, node, slot)[i] = take_signed(r);
        node->n = slot + 1;
        if (!places_are_possible(index, node, slot))
            r->bad = true;
    }
    if (r->bad || r->at != r->end)
        return kanon__store_damaged(&index->state->store, "a node of the index", err);
    return KANON_OK;
}

static kanon_status read_node(kanon__group_index *index, kanon__node **out, int64_t id, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__node *node = NULL;
    bool row;
    sqlite3_bind_int64(index->read, 1, id);
    KANON_TRY(kanon__store_step(&index->state->store, index->read, &row, err), out);
    if (!row || sqlite3_column_int64(index->read, 1) < 0 || sqlite3_column_int64(index->read, 1) > 60) {
        st = kanon__store_damaged(&index->state->store, "a node of the index", err);
        goto out;
    }
    KANON_TRY(kanon__node_new(index, &node, sqlite3_column_int(index->read, 1), err), out);
    node->id = id;
    node->parent = sqlite3_column_int64(index->read, 0);
    const unsigned char *bytes = sqlite3_column_blob(index->read, 2);
    byte_reader r = {bytes, bytes != NULL ? bytes + sqlite3_column_bytes(index->read, 2) : NULL, bytes == NULL};
    if (r.at == r.end) /* no groups at all */
        r.bad = node->level > 0 || node->parent != 0;
    else
        KANON_TRY(decode(index, node, &r, err), out);
    if (r.bad) {
        st = kanon__store_damaged(&index->state->store, "a node of the index", err);
        goto out;
    }
    node->epoch = index->space->epoch - 1;
    *out = node;
    node = NULL;
out:
    sqlite3_reset(index->read);
    kanon__node_free(node);
    return st;
}

kanon_status kanon__node_want(kanon__group_index *index, kanon__node **out, int64_t id, kanon_error *err)
{
    if (id < 1 || id >= index->n_ids)
        return kanon__store_damaged(&index->state->store, "a node of the index", err);
    if (index->nodes[id] == NULL) {
        kanon_status st = read_node(index, &index->nodes[id], id, err);
        if (st != KANON_OK)
            return st;
    }
    *out = index->nodes[id];
    if ((*out)->epoch != index->space->epoch)
        kanon__node_measure(index, *out);
    return KANON_OK;
}

kanon_status kanon__node_write(kanon__group_index *index, const kanon__node *node, kanon_error *err)
{
    enum { LONGEST = 10 };
    int numbers = kanon__node_sides(node) * index->space->n;
    int64_t n_members = node->level == 0 ? node->begins[node->n] : 0;
    int64_t most = LONGEST * (1 + n_members + (int64_t)node->n * (3 + numbers));
    kanon_status st = kanon__grow_array(&index->bytes, &index->bytes_capacity, most, "a node of the index", err);
    if (st != KANON_OK)
        return st;
    unsigned char *at = (unsigned char *)index->bytes;
    if (node->n > 0)
        at = put_unsigned(at, (uint64_t)node->n);
    for (int slot = 0; slot < node->n; slot++) {
        at = put_unsigned(at, (uint64_t)node->keys[slot]);
        at = put_unsigned(at, (uint64_t)node->sizes[slot]);
        if (node->level > 0)
            at = put_unsigned(at, (uint64_t)node->first[slot]);
        int64_t last = 0;
        for (int64_t i = node->begins[slot]; node->level == 0 && i < node->begins[slot + 1]; i++) {
            at = put_unsigned(at, (uint64_t)(node->members[i] - last));
            last = node->members[i];
        }
        for (int i = 0; i < numbers; i++)
            at = put_signed(at, places_of(index, node, slot)[i]);
    }
    sqlite3_bind_int64(index->write, 1, node->id);
    sqlite3_bind_int64(index->write, 2, node->parent);
    sqlite3_bind_int(index->write, 3, node->level);
    sqlite3_bind_blob64(index->write, 4, index->bytes, (uint64_t)(at - (unsigned char *)index->bytes), SQLITE_STATIC);
    return kanon__store_step(&index->state->store, index->write, NULL, err);
}

kanon_status kanon__node_erase(kanon__group_index *index, kanon__node *node, kanon_error *err)
{
    sqlite3_bind_int64(index->erase, 1, node->id);
    index->nodes[node->id] = NULL;
    kanon__node_free(node);
    return kanon__store_step(&index->state->store, index->erase, NULL, err);
}

/* ---- units ------------------------------------------------------------------------------------------------------------
 * */

/* The width of a group on one attribute, as inner nodes keep it: steps of a number (a mixed one is as wide as can be), the
 * height of the node above categories. */
static int64_t width_of(const kanon__dimension_now *d, int64_t lo, int64_t hi)
{
    if (!d->numeric)
        return kanon__spots_height(d, kanon__spot_of(d, lo), kanon__spot_of(d, hi));
    return hi == KANON__NO_PLACE ? (lo == hi ? 0 : KANON__NO_PLACE) : hi - lo;
}

/* At most, or at least, the units of that width: where positions are rounded, a width may be a unit off to either side. */
static int32_t width_units(const kanon__dimension_now *d, int64_t width, bool at_least)
{
    int64_t range = d->hi - d->lo;
    if (!d->numeric)
        return (int32_t)(((int64_t)width * d->full * 2 + d->taxonomy->height[0]) /
                         (2 * (d->taxonomy->height[0] > 0 ? d->taxonomy->height[0] : 1)));
    if (width == KANON__NO_PLACE)
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

void kanon__node_measure_slot(const kanon__group_index *index, kanon__node *node, int slot)
{
    int sides = kanon__node_sides(node);
    const int64_t *places = places_of(index, node, slot);
    int32_t units = 0;
    for (int i = 0; i < index->space->n; i++, places += sides) {
        const kanon__dimension_now *d = dimension(index, i);
        int32_t *spots = node->spots + i * sides * KANON__NODE_ROOM + slot;
        int32_t lo = kanon__spot_of(d, places[0]), hi = kanon__spot_of(d, places[1]);
        spots[0] = lo;
        spots[KANON__NODE_ROOM] = hi;
        if (sides == 2) {
            units += kanon__spots_units(d, lo, hi);
            continue;
        }
        spots[2 * KANON__NODE_ROOM] = width_units(d, places[2], false);
        spots[3 * KANON__NODE_ROOM] = width_units(d, places[3], true);
    }
    node->units[slot] = units;
}

void kanon__node_measure(const kanon__group_index *index, kanon__node *node)
{
    for (int slot = 0; slot < node->n; slot++)
        kanon__node_measure_slot(index, node, slot);
    node->epoch = index->space->epoch;
}

/* ---- slots ------------------------------------------------------------------------------------------------------------
 * */

kanon_status kanon__node_resize_members(kanon__node *node, int slot, int64_t n, kanon_error *err)
{
    int64_t end = node->begins[slot + 1] > node->begins[slot] ? node->begins[slot + 1] : node->begins[slot];
    int64_t total = node->n > slot ? node->begins[node->n] : end, grown = n - (end - node->begins[slot]);
    kanon_status st = kanon__grow_array(&node->members, &node->members_capacity, total + (grown > 0 ? grown : 0) + 1,
                                        "members of groups", err);
    if (st != KANON_OK)
        return st;
    memmove(node->members + end + grown, node->members + end, (size_t)(total - end) * sizeof *node->members);
    if (node->n <= slot) {
        node->begins[slot + 1] = node->begins[slot] + n;
        return KANON_OK;
    }
    for (int i = slot + 1; i <= node->n; i++)
        node->begins[i] += grown;
    return KANON_OK;
}

kanon_status kanon__node_add_group(const kanon__group_index *index, kanon__node *node, const kanon__new_group *group,
                                   kanon_error *err)
{
    int slot = node->n;
    node->begins[slot + 1] = node->begins[slot];
    kanon_status st = kanon__node_resize_members(node, slot, group->n_members, err);
    if (st != KANON_OK)
        return st;
    memcpy(node->members + node->begins[slot], group->members, (size_t)group->n_members * sizeof *group->members);
    memcpy(places_of(index, node, slot), group->box, 2 * (size_t)index->space->n * sizeof *group->box);
    node->keys[slot] = group->number;
    node->sizes[slot] = group->n_members;
    node->n++;
    node->dirty = true;
    kanon__node_measure_slot(index, node, slot);
    return KANON_OK;
}

kanon_status kanon__node_add_copy(const kanon__group_index *index, kanon__node *node, const kanon__node *from, int slot,
                                  kanon_error *err)
{
    int to = node->n, sides = kanon__node_sides(node);
    if (node->level == 0) {
        kanon__new_group group = {from->keys[slot], from->begins[slot + 1] - from->begins[slot],
                                  from->members + from->begins[slot], places_of(index, from, slot)};
        return kanon__node_add_group(index, node, &group, err);
    }
    node->keys[to] = from->keys[slot];
    node->sizes[to] = from->sizes[slot];
    node->first[to] = from->first[slot];
    memcpy(places_of(index, node, to), places_of(index, from, slot), (size_t)(sides * index->space->n) * sizeof(int64_t));
    node->n++;
    node->dirty = true;
    kanon__node_measure_slot(index, node, to);
    return KANON_OK;
}

/* What is below a child on one attribute: lo, hi, narrowest, widest. */
static void summarise(const kanon__group_index *index, const kanon__node *child, int attribute, int64_t out[4])
{
    const kanon__dimension_now *d = dimension(index, attribute);
    int sides = kanon__node_sides(child);
    for (int slot = 0; slot < child->n; slot++) {
        const int64_t *places = places_of(index, child, slot) + attribute * sides;
        int64_t narrow = sides == 4 ? places[2] : width_of(d, places[0], places[1]);
        int64_t wide = sides == 4 ? places[3] : narrow;
        if (slot == 0 || kanon__place_before(d, places[0], out[0]))
            out[0] = places[0];
        if (slot == 0 || kanon__place_before(d, out[1], places[1]))
            out[1] = places[1];
        out[2] = slot == 0 || narrow < out[2] ? narrow : out[2];
        out[3] = slot == 0 || wide > out[3] ? wide : out[3];
    }
}

void kanon__node_set_child(const kanon__group_index *index, kanon__node *node, int slot, const kanon__node *child)
{
    node->keys[slot] = child->id;
    for (int i = 0; i < child->n; i++) {
        int64_t first = child->level == 0 ? child->keys[i] : child->first[i];
        if (i == 0 || child->sizes[i] < node->sizes[slot])
            node->sizes[slot] = child->sizes[i];
        if (i == 0 || first < node->first[slot])
            node->first[slot] = first;
    }
    for (int i = 0; i < index->space->n; i++)
        summarise(index, child, i, places_of(index, node, slot) + 4 * i);
    node->dirty = true;
    kanon__node_measure_slot(index, node, slot);
}

void kanon__node_add_child(const kanon__group_index *index, kanon__node *node, const kanon__node *child)
{
    kanon__node_set_child(index, node, node->n++, child);
}

void kanon__node_remove_slot(const kanon__group_index *index, kanon__node *node, int slot)
{
    int sides = kanon__node_sides(node), after = node->n - slot - 1;
    if (node->level == 0) {
        int64_t size = node->begins[slot + 1] - node->begins[slot];
        memmove(node->members + node->begins[slot], node->members + node->begins[slot + 1],
                (size_t)(node->begins[node->n] - node->begins[slot + 1]) * sizeof *node->members);
        for (int i = slot + 1; i < node->n; i++)
            node->begins[i] = node->begins[i + 1] - size;
    }
    memmove(node->keys + slot, node->keys + slot + 1, (size_t)after * sizeof *node->keys);
    memmove(node->sizes + slot, node->sizes + slot + 1, (size_t)after * sizeof *node->sizes);
    memmove(node->first + slot, node->first + slot + 1, (size_t)after * sizeof *node->first);
    memmove(places_of(index, node, slot), places_of(index, node, slot + 1),
            (size_t)(after * sides * index->space->n) * sizeof(int64_t));
    node->n--;
    node->dirty = true;
    kanon__node_measure(index, node);
}
