/* The rows of nodes. Numbers that come alone are LEB128; the numbers of all slots stand together, as a column:
 *
 *     column   width w (0, 1, 2, 4 or 8), base, then per slot, lowest byte first, w bytes: what is to be added to the base,
 *              all ones where there is no number; with w = 8 the number itself, with w = 0 nothing: all are the base
 *     leaf     n, group numbers, sizes, lo and hi per attribute
 *     inner    n, ids, fewest members, lowest group numbers, lo, hi, narrowest and widest per attribute
 *     crowd    per group its number and its members: how many, the first, the differences; then per attribute a place for
 *              each member: 0 where there is none, else one more than the difference to the one before it, signs folded */
#include "core/alloc.h"
#include "state/index_node.h"

#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------------
 * */

uint64_t kanon__take_unsigned(kanon__byte_reader *r)
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

int64_t kanon__take_count(kanon__byte_reader *r, int64_t most)
{
    uint64_t value = kanon__take_unsigned(r);
    if (most < 1 || value < 1 || value > (uint64_t)most)
        r->bad = true;
    return r->bad ? 0 : (int64_t)value;
}

unsigned char *kanon__put_unsigned(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

/* Small numbers of either sign become small numbers. */
static uint64_t fold(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unfold(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

unsigned char *kanon__put_place(unsigned char *at, int64_t place, int64_t near)
{
    return kanon__put_unsigned(at, place == KANON__NO_PLACE ? 0 : fold(place - near) + 1);
}

int64_t kanon__take_place(kanon__byte_reader *r, const kanon__dimension_now *d, int64_t near)
{
    uint64_t value = kanon__take_unsigned(r);
    int64_t place = KANON__NO_PLACE;
    if (value > 0 && __builtin_add_overflow(near, unfold(value - 1), &place))
        r->bad = true;
    /* ranges are those of today, so numbers are looked at when all that the log says is done */
    if (!d->numeric && !kanon__place_is_known(d, place))
        r->bad = true;
    return r->bad ? 0 : place;
}

/* ---- columns ----------------------------------------------------------------------------------------------------------
 * */

static uint64_t all_ones(int width)
{
    return width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

static unsigned char *put_column(unsigned char *at, const int64_t *values, int n)
{
    int64_t least = KANON__NO_PLACE, most = INT64_MIN;
    int n_none = 0;
    for (int i = 0; i < n; i++) {
        n_none += values[i] == KANON__NO_PLACE;
        least = values[i] < least ? values[i] : least;
        most = values[i] > most && values[i] != KANON__NO_PLACE ? values[i] : most;
    }
    uint64_t span = n_none < n ? (uint64_t)most - (uint64_t)least : 0;
    int width = span == 0 && (n_none == 0 || n_none == n) ? 0 : 1;
    while (width > 0 && width < 8 && span >= all_ones(width))
        width *= 2;
    *at++ = (unsigned char)width;
    at = kanon__put_unsigned(at, fold(width < 8 ? least : 0));
    for (int i = 0; i < n; i++) {
        uint64_t value = (uint64_t)values[i] - (width < 8 ? (uint64_t)least : 0);
        if (values[i] == KANON__NO_PLACE && width < 8)
            value = all_ones(width);
        for (int byte = 0; byte < width; byte++)
            *at++ = (unsigned char)(value >> 8 * byte);
    }
    return at;
}

/* n values of `width` bytes; the widths of small numbers are written out for the compiler. */
static void take_offsets(int64_t *out, const unsigned char *at, int width, int64_t base, int n)
{
    for (int i = 0; i < n && width == 1; i++)
        out[i] = at[i] == 0xff ? KANON__NO_PLACE : (int64_t)((uint64_t)base + at[i]);
    for (int i = 0; i < n && width == 2; i++) {
        unsigned value = at[2 * i] | (unsigned)at[2 * i + 1] << 8;
        out[i] = value == 0xffff ? KANON__NO_PLACE : (int64_t)((uint64_t)base + value);
    }
    for (int i = 0; i < n && width >= 4; i++) {
        uint64_t value = 0;
        for (int byte = width; byte-- > 0;)
            value = value << 8 | at[i * width + byte];
        out[i] = width == 4 && value == all_ones(4) ? KANON__NO_PLACE : (int64_t)((uint64_t)base + value);
    }
}

static void take_column(kanon__byte_reader *r, int64_t *out, int n)
{
    int width = r->at < r->end ? *r->at++ : 3;
    int64_t base = unfold(kanon__take_unsigned(r));
    if (r->bad || (width & (width - 1)) != 0 || width > 8 || (width == 8 && base != 0) || r->end - r->at < n * width) {
        r->bad = true;
        return;
    }
    for (int i = 0; i < n && width == 0; i++)
        out[i] = base;
    if (width > 0)
        take_offsets(out, r->at, width, base, n);
    r->at += n * width;
}

static bool are_within(const int64_t *values, int n, int64_t least, int64_t most)
{
    bool bad = false;
    for (int i = 0; i < n; i++)
        bad |= values[i] < least || values[i] > most;
    return !bad;
}

/* ---- nodes ------------------------------------------------------------------------------------------------------------
 * */

static bool decode(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *r)
{
    const kanon_state *s = index->state;
    bool leaf = node->level == 0;
    int n = (int)kanon__take_count(r, KANON__NODE_MOST);
    take_column(r, node->keys, n);
    take_column(r, node->sizes, n);
    if (!leaf)
        take_column(r, node->first, n);
    for (int i = 0; i < kanon__node_sides(node) * index->space->n; i++)
        take_column(r, node->places + (int64_t)i * KANON__NODE_ROOM, n);
    if (r->bad || r->at != r->end || !are_within(node->keys, n, 1, (leaf ? s->next_group : index->n_ids) - 1) ||
        !are_within(node->sizes, n, 1, s->next_record - 1) || (!leaf && !are_within(node->first, n, 1, s->next_group - 1)))
        return false;
    for (int i = 0; i < 2 * index->space->n; i++) {
        const kanon__dimension_now *d = &index->space->dimensions[i / 2];
        const int64_t *places = kanon__node_column(node, i / 2, i % 2);
        for (int slot = 0; !d->numeric && slot < n; slot++)
            if (!kanon__place_is_known(d, places[slot]))
                return false;
    }
    node->n = n;
    return true;
}

kanon_status kanon__node_read(kanon__group_index *index, kanon__node **out, int64_t id, kanon_error *err)
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
    node->since = sqlite3_column_int64(index->read, 2);
    const unsigned char *bytes = sqlite3_column_blob(index->read, 3);
    kanon__byte_reader r = {bytes, bytes != NULL ? bytes + sqlite3_column_bytes(index->read, 3) : NULL, false};
    /* no groups at all: only a root can be so, or a leaf to which the log adds some */
    if (r.at == r.end ? node->level > 0 : !decode(index, node, &r)) {
        st = kanon__store_damaged(&index->state->store, "a node of the index", err);
        goto out;
    }
    *out = node;
out:
    sqlite3_reset(index->read);
    return st;
}

static kanon_status write_row(kanon__group_index *index, const kanon__node *node, kanon_error *err)
{
    enum { COLUMN_BYTES = 1 + KANON__NUMBER_BYTES + 8 * KANON__NODE_ROOM };
    int numbers = kanon__node_sides(node) * index->space->n;
    kanon_status st = kanon__grow_array(&index->bytes, &index->bytes_capacity, COLUMN_BYTES * (int64_t)(4 + numbers),
                                        "a node of the index", err);
    if (st != KANON_OK)
        return st;
    unsigned char *at = (unsigned char *)index->bytes;
    if (node->n > 0) {
        at = kanon__put_unsigned(at, (uint64_t)node->n);
        at = put_column(at, node->keys, node->n);
        at = put_column(at, node->sizes, node->n);
        if (node->level > 0)
            at = put_column(at, node->first, node->n);
        for (int i = 0; i < numbers; i++)
            at = put_column(at, node->places + (int64_t)i * KANON__NODE_ROOM, node->n);
    }
    sqlite3_bind_int64(index->write, 1, node->id);
    sqlite3_bind_int64(index->write, 2, node->parent);
    sqlite3_bind_int(index->write, 3, node->level);
    sqlite3_bind_int64(index->write, 4, node->since);
    sqlite3_bind_blob64(index->write, 5, index->bytes, (uint64_t)(at - (unsigned char *)index->bytes), SQLITE_STATIC);
    return kanon__store_step(&index->state->store, index->write, NULL, err);
}

/* ---- crowds -----------------------------------------------------------------------------------------------------------
 * */

unsigned char *kanon__put_members(unsigned char *at, int n_dimensions, int64_t n, const int64_t *members,
                                  const int64_t *places)
{
    int64_t last = 0;
    at = kanon__put_unsigned(at, (uint64_t)n);
    for (int64_t i = 0; i < n; i++) {
        at = kanon__put_unsigned(at, (uint64_t)(members[i] - last));
        last = members[i];
    }
    for (int d = 0; d < n_dimensions; d++) {
        int64_t near = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t place = places[i * n_dimensions + d];
            at = kanon__put_place(at, place, near);
            near = place == KANON__NO_PLACE ? near : place;
        }
    }
    return at;
}

kanon_status kanon__take_members(const kanon__group_index *index, kanon__member_list *out, kanon__byte_reader *r,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = index->space->n;
    int64_t last = 0, most = index->state->next_record - 1;
    out->n = kanon__take_count(r, r->end - r->at);
    KANON_TRY(kanon__grow_array(&out->members, &out->members_capacity, out->n + 1, "members of groups", err), out);
    KANON_TRY(kanon__grow_array(&out->places, &out->places_capacity, out->n * m + 1, "members of groups", err), out);
    for (int64_t i = 0; i < out->n && !r->bad; i++)
        out->members[i] = last += kanon__take_count(r, most - last);
    for (int d = 0; d < m; d++) {
        int64_t near = 0;
        for (int64_t i = 0; i < out->n && !r->bad; i++) {
            int64_t place = kanon__take_place(r, &index->space->dimensions[d], near);
            out->places[i * m + d] = place;
            near = place == KANON__NO_PLACE ? near : place;
        }
    }
out:
    return st;
}

void kanon__member_list_clear(kanon__member_list *list)
{
    kanon__free(list->places);
    kanon__free(list->members);
    *list = (kanon__member_list){0};
}

/* Groups that the log has taken out of the leaf are in the row, but not in the leaf. */
static kanon_status decode_crowd(kanon__group_index *index, kanon__node *leaf, kanon__byte_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__member_list list = {0};
    while (r->at < r->end && !r->bad) {
        int64_t number = kanon__take_count(r, index->state->next_group - 1);
        KANON_TRY(kanon__take_members(index, &list, r, err), out);
        int slot = r->bad ? -1 : kanon__node_slot(leaf, number);
        if (slot >= 0)
            KANON_TRY(kanon__node_set_members(index, leaf, slot, list.n, list.members, list.places, err), out);
    }
    if (r->bad)
        st = kanon__store_damaged(&index->state->store, "the members of a group", err);
out:
    kanon__member_list_clear(&list);
    return st;
}

kanon_status kanon__node_read_crowd(kanon__group_index *index, kanon__node *leaf, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool row;
    sqlite3_bind_int64(index->read_crowd, 1, leaf->id);
    KANON_TRY(kanon__store_step(&index->state->store, index->read_crowd, &row, err), out);
    const unsigned char *bytes = row ? sqlite3_column_blob(index->read_crowd, 0) : NULL;
    kanon__byte_reader r = {bytes, bytes != NULL ? bytes + sqlite3_column_bytes(index->read_crowd, 0) : NULL, !row};
    KANON_TRY(decode_crowd(index, leaf, &r, err), out);
out:
    sqlite3_reset(index->read_crowd);
    return st;
}

static kanon_status write_crowd(kanon__group_index *index, const kanon__node *leaf, kanon_error *err)
{
    int m = index->space->n;
    int64_t most = KANON__NUMBER_BYTES * (2 * (int64_t)leaf->n + leaf->begins[leaf->n] * (m + 1) + 1);
    kanon_status st = kanon__grow_array(&index->bytes, &index->bytes_capacity, most, "members of groups", err);
    if (st != KANON_OK)
        return st;
    unsigned char *at = (unsigned char *)index->bytes;
    for (int slot = 0; slot < leaf->n; slot++) {
        int64_t begin = leaf->begins[slot];
        at = kanon__put_unsigned(at, (uint64_t)leaf->keys[slot]);
        at = kanon__put_members(at, m, leaf->begins[slot + 1] - begin, leaf->members + begin,
                                leaf->member_places + begin * m);
    }
    sqlite3_bind_int64(index->write_crowd, 1, leaf->id);
    sqlite3_bind_blob64(index->write_crowd, 2, index->bytes, (uint64_t)(at - (unsigned char *)index->bytes), SQLITE_STATIC);
    return kanon__store_step(&index->state->store, index->write_crowd, NULL, err);
}

kanon_status kanon__node_write(kanon__group_index *index, const kanon__node *node, kanon_error *err)
{
    kanon_status st = write_row(index, node, err);
    return st == KANON_OK && node->level == 0 ? write_crowd(index, node, err) : st;
}
