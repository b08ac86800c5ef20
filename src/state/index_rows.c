/* The rows of nodes. A row holds the nodes of KANON__DRAWER_NODES ids, since those that lie close together are mostly asked
 * for together: the length of each in bytes, 0 where there is none, then the nodes. Numbers that come alone are LEB128; the
 * numbers of all slots stand together, as a column:
 *
 *     column   width w (0, 1, 2, 4 or 8), base, then per slot, lowest byte first, w bytes: what is to be added to the base,
 *              all ones where there is no number; with w = 8 the number itself, with w = 0 nothing: all are the base
 *     node     level, parent, since, and if it has slots:
 *     leaf     n, group numbers, sizes, lo and hi per attribute
 *     inner    n, ids, fewest members, lowest group numbers, least units, lo, hi, narrowest and widest per attribute
 *     crowd    per group its number and its members: how many, the first, the differences; then per attribute a place for
 *              each member: 0 where there is none, else one more than the difference to the one before it, signs folded */
#include "core/alloc.h"
#include "state/index_node.h"

#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

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
    if (!d->numeric && !kanon__category_is_known(d, place))
        r->bad = true;
    return r->bad ? 0 : place;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

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
    for (int i = 0; i < n && width == 4; i++) {
        const unsigned char *b = at + 4 * i;
        uint32_t value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        out[i] = value == UINT32_MAX ? KANON__NO_PLACE : (int64_t)((uint64_t)base + value);
    }
    for (int i = 0; i < n && width == 8; i++) {
        uint64_t value = 0;
        for (int byte = width; byte-- > 0;)
            value = value << 8 | at[i * width + byte];
        out[i] = (int64_t)((uint64_t)base + value);
    }
}

int kanon__take_width(kanon__byte_reader *r, int64_t *base, int n)
{
    int width = r->at < r->end ? *r->at++ : 3;
    *base = unfold(kanon__take_unsigned(r));
    if (r->bad || (width & (width - 1)) != 0 || width > 8 || (width == 8 && *base != 0) || r->end - r->at < n * width)
        r->bad = true;
    return width;
}

static void take_column(kanon__byte_reader *r, int64_t *out, int n)
{
    int64_t base;
    int width = kanon__take_width(r, &base, n);
    if (r->bad)
        return;
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

enum { LEVEL_MOST = 60 };

static kanon_status want_drawer(kanon__group_index *index, kanon__drawer **out, int64_t number, kanon_error *err);

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

bool kanon__take_groups(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *r, int n)
{
    int64_t most = (node->level == 0 ? index->state->next_group : index->n_ids) - 1;
    take_column(r, node->keys, n);
    take_column(r, node->sizes, n);
    return !r->bad && are_within(node->keys, n, 1, most) && are_within(node->sizes, n, 1, index->state->next_record - 1);
}

static bool decode(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *r)
{
    const kanon_state *s = index->state;
    bool leaf = node->level == 0;
    int n = (int)kanon__take_count(r, KANON__NODE_MOST);
    if (!kanon__take_groups(index, node, r, n))
        return false;
    if (!leaf) {
        take_column(r, node->first, n);
        take_column(r, node->least, n);
    }
    for (int i = 0; i < kanon__node_sides(node) * index->space->n; i++)
        take_column(r, node->places + (int64_t)i * KANON__NODE_ROOM, n);
    if (r->bad || r->at != r->end ||
        (!leaf && (!are_within(node->first, n, 1, s->next_group - 1) || !are_within(node->least, n, 0, KANON__SHARE_MOST))))
        return false;
    for (int i = 0; i < 2 * index->space->n; i++) {
        const kanon__dimension_now *d = &index->space->dimensions[i / 2];
        const int64_t *places = kanon__node_column(node, i / 2, i % 2);
        for (int slot = 0; !d->numeric && slot < n; slot++)
            if (!kanon__category_is_known(d, places[slot]))
                return false;
    }
    node->n = n;
    return true;
}

static kanon_status fail_node(const kanon__group_index *index, kanon_error *err)
{
    return kanon__store_damaged(&index->state->store, "a node of the index", err);
}

/* The bytes of a node; what it says before its slots is skipped, or taken where there is no node yet. */
static kanon_status find_node(kanon__group_index *index, kanon__node **node, int64_t id, kanon__byte_reader *r,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__drawer *drawer = NULL;
    int place = (int)(id % KANON__DRAWER_NODES);
    KANON_TRY(want_drawer(index, &drawer, id / KANON__DRAWER_NODES, err), out);
    const unsigned char *bytes = drawer->bytes + drawer->begins[place];
    *r = (kanon__byte_reader){bytes, bytes + drawer->lengths[place], false};
    uint64_t level = kanon__take_unsigned(r), parent = kanon__take_unsigned(r), since = kanon__take_unsigned(r);
    if (r->bad || level > LEVEL_MOST || parent >= (uint64_t)index->n_ids || since >= (uint64_t)index->state->next_change) {
        st = fail_node(index, err);
        goto out;
    }
    if (*node != NULL)
        goto out;
    KANON_TRY(kanon__node_new(index, node, (int)level, err), out);
    (*node)->id = id;
    (*node)->parent = (int64_t)parent;
    (*node)->since = (int64_t)since;
out:
    return st;
}

/* No groups at all: only a root can be so, or a leaf to which the log adds some. */
static bool take_slots(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *r)
{
    node->n = 0;
    return r->at == r->end ? node->level == 0 : decode(index, node, r);
}

kanon_status kanon__node_read(kanon__group_index *index, kanon__node **out, int64_t id, bool *measured, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__node *node = NULL;
    kanon__byte_reader r;
    KANON_TRY(find_node(index, &node, id, &r, err), out);
    *measured = node->level == 0 && !kanon__log_is_about(&index->log, id) && kanon__leaf_take_spots(index, node, r);
    if (node->level == 0)
        node->places = index->scratch;
    if (!*measured && !take_slots(index, node, &r)) {
        st = fail_node(index, err);
        goto out;
    }
    *out = node;
out:
    return st;
}

kanon_status kanon__node_reread(kanon__group_index *index, kanon__node *node, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__byte_reader r;
    KANON_TRY(find_node(index, &node, node->id, &r, err), out);
    if (!take_slots(index, node, &r))
        st = fail_node(index, err);
out:
    return st;
}

/* The most bytes that a node takes. */
static int64_t node_bytes(const kanon__group_index *index)
{
    enum { COLUMN_BYTES = 1 + KANON__NUMBER_BYTES + 8 * KANON__NODE_ROOM };
    return COLUMN_BYTES * (int64_t)(5 + 4 * index->space->n);
}

static unsigned char *put_node(unsigned char *at, const kanon__group_index *index, const kanon__node *node)
{
    at = kanon__put_unsigned(at, (uint64_t)node->level);
    at = kanon__put_unsigned(at, (uint64_t)node->parent);
    at = kanon__put_unsigned(at, (uint64_t)node->since);
    if (node->n == 0)
        return at;
    at = kanon__put_unsigned(at, (uint64_t)node->n);
    at = put_column(at, node->keys, node->n);
    at = put_column(at, node->sizes, node->n);
    if (node->level > 0) {
        at = put_column(at, node->first, node->n);
        at = put_column(at, node->least, node->n);
    }
    for (int i = 0; i < kanon__node_sides(node) * index->space->n; i++)
        at = put_column(at, node->places + (int64_t)i * KANON__NODE_ROOM, node->n);
    return at;
}

/* ---- drawers ----------------------------------------------------------------------------------------------------- */

static bool find_nodes(kanon__drawer *drawer, int64_t size)
{
    kanon__byte_reader r = {drawer->bytes, drawer->bytes + size, false};
    int64_t total = 0;
    for (int i = 0; i < KANON__DRAWER_NODES; i++) {
        uint64_t length = kanon__take_unsigned(&r);
        r.bad = r.bad || length > (uint64_t)size;
        drawer->begins[i] = total;
        drawer->lengths[i] = r.bad ? 0 : (int64_t)length;
        total += drawer->lengths[i];
    }
    for (int i = 0; i < KANON__DRAWER_NODES; i++)
        drawer->begins[i] += r.at - drawer->bytes;
    return !r.bad && r.end - r.at == total;
}

static kanon_status want_drawer(kanon__group_index *index, kanon__drawer **out, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool row = false;
    char *bytes = NULL;
    KANON_TRY(kanon__grow_array(&index->drawers, &index->drawers_capacity, number + 1, "the index of groups", err), out);
    for (; index->n_drawers <= number; index->n_drawers++)
        index->drawers[index->n_drawers] = (kanon__drawer){.bytes = NULL};
    kanon__drawer *drawer = &index->drawers[number];
    *out = drawer;
    if (drawer->loaded)
        goto out;
    *drawer = (kanon__drawer){.bytes = (const unsigned char *)""};
    sqlite3_bind_int64(index->read, 1, number);
    KANON_TRY(kanon__store_step(&index->state->store, index->read, &row, err), out);
    int64_t size = row ? sqlite3_column_bytes(index->read, 0) : 0;
    if (row) {
        KANON_TRY(kanon__nodes_memory(index, &bytes, size + KANON__ROW_PADDING, err), out);
        if (size > 0)
            memcpy(bytes, sqlite3_column_blob(index->read, 0), (size_t)size);
        drawer->bytes = (const unsigned char *)bytes;
        if (!find_nodes(drawer, size)) {
            st = kanon__store_damaged(&index->state->store, "a node of the index", err);
            goto out;
        }
    }
    drawer->loaded = true;
out:
    sqlite3_reset(index->read);
    return st;
}

kanon_status kanon__nodes_last(kanon__group_index *index, int64_t *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__drawer *drawer = NULL;
    int64_t last = 0;
    *out = 0;
    KANON_TRY(kanon__store_number(&index->state->store, &last, "SELECT max(id) FROM nodes", err), out);
    if (last < 0 || last > INT32_MAX / 2 / KANON__DRAWER_NODES) {
        st = kanon__store_damaged(&index->state->store, "the index of groups", err);
        goto out;
    }
    KANON_TRY(want_drawer(index, &drawer, last, err), out);
    for (int i = 0; i < KANON__DRAWER_NODES; i++)
        if (drawer->lengths[i] > 0)
            *out = last * KANON__DRAWER_NODES + i;
out:
    return st;
}

static bool is_to_be_written(const kanon__group_index *index, int64_t id)
{
    const kanon__node *node = id < index->n_ids ? index->nodes[id] : NULL;
    return node != NULL && node->dirty && (node->level > 0 || node->rewritten);
}

static kanon_status write_drawer(kanon__group_index *index, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__drawer *drawer = NULL;
    char *bodies = NULL;
    int64_t first = number * KANON__DRAWER_NODES, most = KANON__DRAWER_NODES * KANON__NUMBER_BYTES, total = 0;
    KANON_TRY(want_drawer(index, &drawer, number, err), out);
    for (int i = 0; i < KANON__DRAWER_NODES; i++)
        most += is_to_be_written(index, first + i) ? node_bytes(index) : drawer->lengths[i];
    KANON_TRY(kanon__new_array(&bodies, most, "a node of the index", err), out);
    KANON_TRY(kanon__grow_array(&index->bytes, &index->bytes_capacity, most, "a node of the index", err), out);
    unsigned char *at = (unsigned char *)bodies, *row = (unsigned char *)index->bytes;
    for (int i = 0; i < KANON__DRAWER_NODES; i++) {
        unsigned char *begin = at;
        if (is_to_be_written(index, first + i))
            at = put_node(at, index, index->nodes[first + i]);
        else {
            memcpy(at, drawer->bytes + drawer->begins[i], (size_t)drawer->lengths[i]);
            at += drawer->lengths[i];
        }
        row = kanon__put_unsigned(row, (uint64_t)(at - begin));
    }
    total = at - (unsigned char *)bodies;
    memcpy(row, bodies, (size_t)total);
    row += total;
    sqlite3_stmt *write = total > 0 ? index->write : index->erase;
    sqlite3_bind_int64(write, 1, number);
    if (total > 0)
        sqlite3_bind_blob64(write, 2, index->bytes, (uint64_t)(row - (unsigned char *)index->bytes), SQLITE_STATIC);
    KANON_TRY(kanon__store_step(&index->state->store, write, NULL, err), out);
    drawer->loaded = drawer->dirty = false; /* its bytes are the old ones */
out:
    kanon__free(bodies);
    return st;
}

/* ---- crowds ------------------------------------------------------------------------------------------------------ */

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

/* The row of a leaf's members, into index->crowd: several groups of a leaf are often asked for one after the other. */
static kanon_status want_crowd_row(kanon__group_index *index, int64_t leaf, kanon__byte_reader *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool row = false;
    if (index->crowd_leaf != leaf) {
        index->crowd_leaf = 0;
        sqlite3_bind_int64(index->read_crowd, 1, leaf);
        KANON_TRY(kanon__store_step(&index->state->store, index->read_crowd, &row, err), out);
        if (!row) {
            st = kanon__store_damaged(&index->state->store, "the members of a group", err);
            goto out;
        }
        int64_t size = sqlite3_column_bytes(index->read_crowd, 0);
        KANON_TRY(kanon__grow_array(&index->crowd, &index->crowd_capacity, size + 1, "members of groups", err), out);
        if (size > 0)
            memcpy(index->crowd, sqlite3_column_blob(index->read_crowd, 0), (size_t)size);
        index->crowd_size = size;
        index->crowd_leaf = leaf;
    }
    const unsigned char *bytes = (const unsigned char *)index->crowd;
    *out = (kanon__byte_reader){bytes, bytes + index->crowd_size, false};
out:
    sqlite3_reset(index->read_crowd);
    return st;
}

kanon_status kanon__node_read_crowd(kanon__group_index *index, kanon__node *leaf, kanon_error *err)
{
    kanon__byte_reader r;
    kanon_status st = want_crowd_row(index, leaf->id, &r, err);
    return st == KANON_OK ? decode_crowd(index, leaf, &r, err) : st;
}

/* Past n numbers; a byte below 0x80 is the last one of each. */
static void skip_numbers(kanon__byte_reader *r, int64_t n)
{
    for (; n >= 8 && r->end - r->at >= 8; r->at += 8) {
        uint64_t word;
        memcpy(&word, r->at, sizeof word);
        n -= __builtin_popcountll(~word & UINT64_C(0x8080808080808080));
    }
    while (n > 0 && r->at < r->end)
        n -= *r->at++ < 0x80;
    r->bad = r->bad || n > 0;
}

kanon_status kanon__node_read_members(kanon__group_index *index, const kanon__node *leaf, int64_t number,
                                      kanon__member_list *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__byte_reader r;
    bool found = false;
    out->n = 0;
    KANON_TRY(want_crowd_row(index, leaf->id, &r, err), out);
    while (!found && r.at < r.end && !r.bad) {
        found = kanon__take_count(&r, index->state->next_group - 1) == number;
        if (found)
            KANON_TRY(kanon__take_members(index, out, &r, err), out);
        else
            skip_numbers(&r, kanon__take_count(&r, r.end - r.at) * (1 + index->space->n));
    }
    if (r.bad)
        st = kanon__store_damaged(&index->state->store, "the members of a group", err);
out:
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
    index->crowd_leaf = 0;
    sqlite3_bind_int64(index->write_crowd, 1, leaf->id);
    sqlite3_bind_blob64(index->write_crowd, 2, index->bytes, (uint64_t)(at - (unsigned char *)index->bytes), SQLITE_STATIC);
    return kanon__store_step(&index->state->store, index->write_crowd, NULL, err);
}

/* Those of thousands of leaves would take much memory: they are not kept unless they were there before. */
static kanon_status write_members(kanon__group_index *index, kanon__node *node, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool had_crowd = node->has_crowd;
    if (node->level > 0)
        return KANON_OK;
    KANON_TRY(kanon__node_want_crowd(index, node, err), out);
    KANON_TRY(write_crowd(index, node, err), out);
    if (!had_crowd)
        kanon__node_forget_crowd(node);
out:
    return st;
}

kanon_status kanon__nodes_write(kanon__group_index *index, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t number = 0; number * KANON__DRAWER_NODES < index->n_ids; number++) {
        int64_t first = number * KANON__DRAWER_NODES;
        bool dirty = number < index->n_drawers && index->drawers[number].dirty;
        for (int64_t id = first; id < first + KANON__DRAWER_NODES; id++) {
            if (!is_to_be_written(index, id))
                continue;
            dirty = true;
            KANON_TRY(write_members(index, index->nodes[id], err), out);
            index->nodes[id]->since = index->state->next_change;
        }
        if (dirty)
            KANON_TRY(write_drawer(index, number, err), out);
    }
out:
    return st;
}

kanon_status kanon__node_erase_rows(kanon__group_index *index, int64_t id, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__drawer *drawer = NULL;
    KANON_TRY(want_drawer(index, &drawer, id / KANON__DRAWER_NODES, err), out);
    drawer->lengths[id % KANON__DRAWER_NODES] = 0;
    drawer->dirty = true;
    index->crowd_leaf = 0;
    sqlite3_bind_int64(index->erase_crowd, 1, id);
    KANON_TRY(kanon__store_step(&index->state->store, index->erase_crowd, NULL, err), out);
out:
    return st;
}
