/* The formats of node pages and member pages, and reading and writing them.
 *
 * Node page: the row of table `node_pages` with id p has the nodes 8p .. 8p+7. Nodes that were made one after the other lie
 * close together in space and are mostly read together, so one row has several.
 *
 *     +----------+----------+-- ... --+----------+--------+--------+-- ... --+--------+
 *     | length 0 | length 1 |         | length 7 | node 0 | node 1 |         | node 7 |       length 0: no such node
 *     +----------+----------+-- ... --+----------+--------+--------+-- ... --+--------+
 *
 *     node       level, parent, last log part merged, and unless it is empty: n, then columns of n numbers
 *     leaf       group numbers | sizes | per attribute: lo | hi
 *     inner      node ids | fewest members | lowest group numbers | least shares | per attribute: lo|hi|narrowest|widest
 *
 * Column: all slots' numbers of one kind, as differences to the smallest, in as few bytes as the largest difference
 * needs:
 *
 *     +-------+------+---------+---------+-- ... --+
 *     | width | base | slot 0  | slot 1  |         |     width 0: all are the base, no slots follow
 *     +-------+------+---------+---------+-- ... --+     width 1, 2, 4: base + slot; all ones: missing
 *       1 byte varint  width bytes each, lowest first    width 8: the number itself, base 0
 *
 * Member page: the row of table `member_pages` with the id of a leaf. Per group: number, how many members, the first
 * member and the differences to the next ones; then per attribute a code for each member: 0 where it is missing, else 1
 * + the zigzag-folded difference to the code before it. Members of a group are alike, so most differences take one
 * byte.
 *
 * Numbers that stand alone are LEB128 varints. Every number is checked before it is used, and a page that cannot be is
 * KANON_EDATA. */
#include "core/alloc.h"
#include "state/index/index_node.h"

#include <string.h>

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

uint64_t kanon__read_varint(kanon__byte_reader *r)
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

int64_t kanon__read_count(kanon__byte_reader *r, int64_t most)
{
    uint64_t value = kanon__read_varint(r);
    if (most < 1 || value < 1 || value > (uint64_t)most)
        r->bad = true;
    return r->bad ? 0 : (int64_t)value;
}

unsigned char *kanon__write_varint(unsigned char *at, uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        *at++ = (unsigned char)(value | 0x80);
    *at++ = (unsigned char)value;
    return at;
}

/* Zigzag: 0, -1, 1, -2 become 0, 1, 2, 3, so that small numbers of either sign are short. */
static uint64_t fold(int64_t value)
{
    return (uint64_t)value << 1 ^ (value < 0 ? UINT64_MAX : 0);
}

static int64_t unfold(uint64_t value)
{
    return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

unsigned char *kanon__write_code(unsigned char *at, int64_t code, int64_t near)
{
    return kanon__write_varint(at, code == KANON__NULL_CODE ? 0 : fold(code - near) + 1);
}

int64_t kanon__read_code(kanon__byte_reader *r, const kanon__current_dimension *d, int64_t near)
{
    uint64_t value = kanon__read_varint(r);
    int64_t code = KANON__NULL_CODE;
    if (value > 0 && __builtin_add_overflow(near, unfold(value - 1), &code))
        r->bad = true;
    /* a number may be outside of the range until the log is applied, so it is checked after that */
    if (!d->numeric && !kanon__category_is_known(d, code))
        r->bad = true;
    return r->bad ? 0 : code;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static uint64_t all_ones(int width)
{
    return width == 8 ? UINT64_MAX : (UINT64_C(1) << 8 * width) - 1;
}

/* The width is the least in which the largest difference is below all ones, which means missing. */
static unsigned char *write_column(unsigned char *at, const int64_t *values, int n)
{
    int64_t least = KANON__NULL_CODE, most = INT64_MIN;
    int n_none = 0;
    for (int i = 0; i < n; i++) {
        n_none += values[i] == KANON__NULL_CODE;
        least = values[i] < least ? values[i] : least;
        most = values[i] > most && values[i] != KANON__NULL_CODE ? values[i] : most;
    }
    uint64_t span = n_none < n ? (uint64_t)most - (uint64_t)least : 0;
    int width = span == 0 && (n_none == 0 || n_none == n) ? 0 : 1;
    while (width > 0 && width < 8 && span >= all_ones(width))
        width *= 2;
    *at++ = (unsigned char)width;
    at = kanon__write_varint(at, fold(width < 8 ? least : 0));
    for (int i = 0; i < n; i++) {
        uint64_t value = (uint64_t)values[i] - (width < 8 ? (uint64_t)least : 0);
        if (values[i] == KANON__NULL_CODE && width < 8)
            value = all_ones(width);
        for (int byte = 0; byte < width; byte++)
            *at++ = (unsigned char)(value >> 8 * byte);
    }
    return at;
}

/* n values of `width` bytes; one loop per width, so that the compiler can vectorize each. */
static void read_offsets(int64_t *out, const unsigned char *at, int width, int64_t base, int n)
{
    for (int i = 0; i < n && width == 1; i++)
        out[i] = at[i] == 0xff ? KANON__NULL_CODE : (int64_t)((uint64_t)base + at[i]);
    for (int i = 0; i < n && width == 2; i++) {
        unsigned value = at[2 * i] | (unsigned)at[2 * i + 1] << 8;
        out[i] = value == 0xffff ? KANON__NULL_CODE : (int64_t)((uint64_t)base + value);
    }
    for (int i = 0; i < n && width == 4; i++) {
        const unsigned char *b = at + 4 * i;
        uint32_t value = b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 | (uint32_t)b[3] << 24;
        out[i] = value == UINT32_MAX ? KANON__NULL_CODE : (int64_t)((uint64_t)base + value);
    }
    for (int i = 0; i < n && width == 8; i++) {
        uint64_t value = 0;
        for (int byte = width; byte-- > 0;)
            value = value << 8 | at[i * width + byte];
        out[i] = (int64_t)((uint64_t)base + value);
    }
}

int kanon__read_width(kanon__byte_reader *r, int64_t *base, int n)
{
    int width = r->at < r->end ? *r->at++ : 3;
    *base = unfold(kanon__read_varint(r));
    if (r->bad || (width & (width - 1)) != 0 || width > 8 || (width == 8 && *base != 0) || r->end - r->at < n * width)
        r->bad = true;
    return width;
}

static void read_column(kanon__byte_reader *r, int64_t *out, int n)
{
    int64_t base;
    int width = kanon__read_width(r, &base, n);
    if (r->bad)
        return;
    for (int i = 0; i < n && width == 0; i++)
        out[i] = base;
    if (width > 0)
        read_offsets(out, r->at, width, base, n);
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

static kanon_status load_page(kanon__group_index *index, kanon__node_page **out, int64_t number, kanon_error *err);

/* ---- nodes ------------------------------------------------------------------------------------------------------- */

/* Keys of a leaf are group numbers, of an inner node ids; both have an upper bound that the state knows. */
bool kanon__read_groups(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *r, int n)
{
    int64_t most = (node->level == 0 ? index->state->next_group : index->n_ids) - 1;
    read_column(r, node->keys, n);
    read_column(r, node->sizes, n);
    return !r->bad && are_within(node->keys, n, 1, most) && are_within(node->sizes, n, 1, index->state->next_record - 1);
}

static bool decode(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *r)
{
    const kanon_state *s = index->state;
    bool leaf = node->level == 0;
    int n = (int)kanon__read_count(r, KANON__NODE_MOST);
    if (!kanon__read_groups(index, node, r, n))
        return false;
    if (!leaf) {
        read_column(r, node->lowest_groups, n);
        read_column(r, node->least_shares, n);
    }
    for (int i = 0; i < kanon__node_sides(node) * index->space->n; i++)
        read_column(r, node->codes + (int64_t)i * KANON__NODE_ROOM, n);
    if (r->bad || r->at != r->end ||
        (!leaf && (!are_within(node->lowest_groups, n, 1, s->next_group - 1) ||
                   !are_within(node->least_shares, n, 0, KANON__SHARE_MOST))))
        return false;
    for (int i = 0; i < 2 * index->space->n; i++) {
        const kanon__current_dimension *d = &index->space->dimensions[i / 2];
        const int64_t *codes = kanon__node_column(node, i / 2, i % 2);
        for (int slot = 0; !d->numeric && slot < n; slot++)
            if (!kanon__category_is_known(d, codes[slot]))
                return false;
    }
    node->n = n;
    return true;
}

static kanon_status fail_node(const kanon__group_index *index, kanon_error *err)
{
    return kanon__store_damaged(&index->state->store, "a node of the index", err);
}

/* Finds the bytes of a node's slots. The fields before them make a new node, where *node is NULL. */
static kanon_status find_node(kanon__group_index *index, kanon__node **node, int64_t id, kanon__byte_reader *r,
                              kanon_error *err)
{
    kanon__node_page *page = NULL;
    int slot = (int)(id % KANON__NODES_PER_PAGE);
    KANON_CHECK(load_page(index, &page, id / KANON__NODES_PER_PAGE, err));
    const unsigned char *bytes = page->bytes + page->begins[slot];
    *r = (kanon__byte_reader){bytes, bytes + page->lengths[slot], false};
    uint64_t level = kanon__read_varint(r), parent = kanon__read_varint(r), merged_part = kanon__read_varint(r);
    if (r->bad || level > LEVEL_MOST || parent >= (uint64_t)index->n_ids ||
        merged_part >= (uint64_t)index->state->next_change) {
        return fail_node(index, err);
    }
    if (*node != NULL)
        return KANON_OK;
    KANON_CHECK(kanon__node_new(index, node, (int)level, err));
    (*node)->id = id;
    (*node)->parent = (int64_t)parent;
    (*node)->merged_part = (int64_t)merged_part;
    return KANON_OK;
}

/* A node without slots is a leaf: an empty root, or one to which the log adds groups. */
static bool read_slots(const kanon__group_index *index, kanon__node *node, kanon__byte_reader *r)
{
    node->n = 0;
    return r->at == r->end ? node->level == 0 : decode(index, node, r);
}

kanon_status kanon__node_read(kanon__group_index *index, kanon__node **out, int64_t id, bool *measured, kanon_error *err)
{
    kanon__node *node = NULL;
    kanon__byte_reader r;
    KANON_CHECK(find_node(index, &node, id, &r, err));
    *measured = node->level == 0 && !kanon__log_has_entries(&index->log, id) && kanon__leaf_read_coordinates(index, node, r);
    if (node->level == 0)
        node->codes = index->scratch;
    if (!*measured && !read_slots(index, node, &r))
        return fail_node(index, err);
    *out = node;
    return KANON_OK;
}

kanon_status kanon__node_reread(kanon__group_index *index, kanon__node *node, kanon_error *err)
{
    kanon__byte_reader r;
    KANON_CHECK(find_node(index, &node, node->id, &r, err));
    if (!read_slots(index, node, &r))
        return fail_node(index, err);
    return KANON_OK;
}

/* The most bytes that a node takes. */
static int64_t node_bytes(const kanon__group_index *index)
{
    enum { COLUMN_BYTES = 1 + KANON__VARINT_BYTES + 8 * KANON__NODE_ROOM };
    return COLUMN_BYTES * (int64_t)(5 + 4 * index->space->n);
}

static unsigned char *write_node(unsigned char *at, const kanon__group_index *index, const kanon__node *node)
{
    at = kanon__write_varint(at, (uint64_t)node->level);
    at = kanon__write_varint(at, (uint64_t)node->parent);
    at = kanon__write_varint(at, (uint64_t)node->merged_part);
    if (node->n == 0)
        return at;
    at = kanon__write_varint(at, (uint64_t)node->n);
    at = write_column(at, node->keys, node->n);
    at = write_column(at, node->sizes, node->n);
    if (node->level > 0) {
        at = write_column(at, node->lowest_groups, node->n);
        at = write_column(at, node->least_shares, node->n);
    }
    for (int i = 0; i < kanon__node_sides(node) * index->space->n; i++)
        at = write_column(at, node->codes + (int64_t)i * KANON__NODE_ROOM, node->n);
    return at;
}

/* ---- node pages -------------------------------------------------------------------------------------------------- */

/* Finds where each node begins; false where the lengths do not add up. */
static bool find_page_nodes(kanon__node_page *page, int64_t size)
{
    kanon__byte_reader r = {page->bytes, page->bytes + size, false};
    int64_t total = 0;
    for (int i = 0; i < KANON__NODES_PER_PAGE; i++) {
        uint64_t length = kanon__read_varint(&r);
        r.bad = r.bad || length > (uint64_t)size;
        page->begins[i] = total;
        page->lengths[i] = r.bad ? 0 : (int64_t)length;
        total += page->lengths[i];
    }
    for (int i = 0; i < KANON__NODES_PER_PAGE; i++)
        page->begins[i] += r.at - page->bytes;
    return !r.bad && r.end - r.at == total;
}

static kanon_status load_page(kanon__group_index *index, kanon__node_page **out, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const void *row = NULL;
    char *bytes = NULL;
    int64_t size;
    KANON_TRY(kanon__grow_array(&index->pages, &index->pages_capacity, number + 1, "the index of groups", err), out);
    for (; index->n_pages <= number; index->n_pages++)
        index->pages[index->n_pages] = (kanon__node_page){.bytes = NULL};
    kanon__node_page *page = &index->pages[number];
    *out = page;
    if (page->loaded)
        goto out;
    *page = (kanon__node_page){.bytes = (const unsigned char *)""};
    KANON_TRY(kanon__index_rows_read(&index->rows, KANON__NODE_PAGES, number, &row, &size, err), out);
    if (size >= 0) {
        KANON_TRY(kanon__nodes_allocate(index, &bytes, size + KANON__PAGE_PADDING, err), out);
        if (size > 0)
            memcpy(bytes, row, (size_t)size);
        page->bytes = (const unsigned char *)bytes;
        if (!find_page_nodes(page, size))
            KANON_TRY(kanon__store_damaged(&index->state->store, "a node of the index", err), out);
    }
    page->loaded = true;
out:
    kanon__index_rows_done(&index->rows, KANON__NODE_PAGES);
    return st;
}

kanon_status kanon__nodes_find_last(kanon__group_index *index, int64_t *out, kanon_error *err)
{
    kanon__node_page *page = NULL;
    int64_t last = 0;
    *out = 0;
    KANON_CHECK(kanon__index_rows_last(&index->rows, &last, err));
    if (last < 0 || last > INT32_MAX / 2 / KANON__NODES_PER_PAGE)
        return kanon__store_damaged(&index->state->store, "the index of groups", err);
    KANON_CHECK(load_page(index, &page, last, err));
    for (int i = 0; i < KANON__NODES_PER_PAGE; i++)
        if (page->lengths[i] > 0)
            *out = last * KANON__NODES_PER_PAGE + i;
    return KANON_OK;
}

static bool is_to_be_written(const kanon__group_index *index, int64_t id)
{
    const kanon__node *node = id < index->n_ids ? index->nodes[id] : NULL;
    return node != NULL && node->dirty && (node->level > 0 || node->rewritten);
}

/* Nodes that are to be written are encoded anew, the others copied as they are. A page without nodes is erased. */
static kanon_status write_page(kanon__group_index *index, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__node_page *page = NULL;
    char *bodies = NULL;
    int64_t first = number * KANON__NODES_PER_PAGE, most = KANON__NODES_PER_PAGE * KANON__VARINT_BYTES, total = 0;
    KANON_TRY(load_page(index, &page, number, err), out);
    for (int i = 0; i < KANON__NODES_PER_PAGE; i++)
        most += is_to_be_written(index, first + i) ? node_bytes(index) : page->lengths[i];
    KANON_TRY(kanon__new_array(&bodies, most, "a node of the index", err), out);
    KANON_TRY(kanon__grow_array(&index->bytes, &index->bytes_capacity, most, "a node of the index", err), out);
    unsigned char *at = (unsigned char *)bodies, *row = (unsigned char *)index->bytes;
    for (int i = 0; i < KANON__NODES_PER_PAGE; i++) {
        unsigned char *begin = at;
        if (is_to_be_written(index, first + i))
            at = write_node(at, index, index->nodes[first + i]);
        else {
            memcpy(at, page->bytes + page->begins[i], (size_t)page->lengths[i]);
            at += page->lengths[i];
        }
        row = kanon__write_varint(row, (uint64_t)(at - begin));
    }
    total = at - (unsigned char *)bodies;
    memcpy(row, bodies, (size_t)total);
    row += total;
    int64_t size = row - (unsigned char *)index->bytes;
    KANON_TRY(total > 0 ? kanon__index_rows_write(&index->rows, KANON__NODE_PAGES, number, index->bytes, size, err)
                        : kanon__index_rows_erase(&index->rows, KANON__NODE_PAGES, number, err),
              out);
    page->loaded = page->dirty = false; /* the bytes in memory are the old ones */
out:
    kanon__free(bodies);
    return st;
}

/* ---- member pages ------------------------------------------------------------------------------------------------ */

unsigned char *kanon__write_members(unsigned char *at, int n_dimensions, int64_t n, const int64_t *members,
                                    const int64_t *codes)
{
    int64_t last = 0;
    at = kanon__write_varint(at, (uint64_t)n);
    for (int64_t i = 0; i < n; i++) {
        at = kanon__write_varint(at, (uint64_t)(members[i] - last));
        last = members[i];
    }
    for (int d = 0; d < n_dimensions; d++) {
        int64_t near = 0;
        for (int64_t i = 0; i < n; i++) {
            int64_t code = codes[i * n_dimensions + d];
            at = kanon__write_code(at, code, near);
            near = code == KANON__NULL_CODE ? near : code;
        }
    }
    return at;
}

kanon_status kanon__read_members(const kanon__group_index *index, kanon__member_list *out, kanon__byte_reader *r,
                                 kanon_error *err)
{
    int m = index->space->n;
    int64_t last = 0, most = index->state->next_record - 1;
    out->n = kanon__read_count(r, r->end - r->at);
    KANON_CHECK(kanon__grow_array(&out->members, &out->members_capacity, out->n + 1, "members of groups", err));
    KANON_CHECK(kanon__grow_array(&out->codes, &out->codes_capacity, out->n * m + 1, "members of groups", err));
    for (int64_t i = 0; i < out->n && !r->bad; i++)
        out->members[i] = last += kanon__read_count(r, most - last);
    for (int d = 0; d < m; d++) {
        int64_t near = 0;
        for (int64_t i = 0; i < out->n && !r->bad; i++) {
            int64_t code = kanon__read_code(r, &index->space->dimensions[d], near);
            out->codes[i * m + d] = code;
            near = code == KANON__NULL_CODE ? near : code;
        }
    }
    return KANON_OK;
}

void kanon__member_list_clear(kanon__member_list *list)
{
    kanon__free(list->codes);
    kanon__free(list->members);
    *list = (kanon__member_list){0};
}

/* A group that the log has removed is on the page, but not in the leaf: it is skipped. */
static kanon_status decode_members(kanon__group_index *index, kanon__node *leaf, kanon__byte_reader *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__member_list list = {0};
    while (r->at < r->end && !r->bad) {
        int64_t number = kanon__read_count(r, index->state->next_group - 1);
        KANON_TRY(kanon__read_members(index, &list, r, err), out);
        int slot = r->bad ? -1 : kanon__node_slot(leaf, number);
        if (slot >= 0)
            KANON_TRY(kanon__node_set_members(index, leaf, slot, list.n, list.members, list.codes, err), out);
    }
    if (r->bad)
        st = kanon__store_damaged(&index->state->store, "the members of a group", err);
out:
    kanon__member_list_clear(&list);
    return st;
}

/* The member page of a leaf, in index->members_page: several groups of one leaf are often read one after the other. */
static kanon_status load_members_page(kanon__group_index *index, int64_t leaf, kanon__byte_reader *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const void *row = NULL;
    int64_t size;
    if (index->members_page_leaf != leaf) {
        index->members_page_leaf = 0;
        KANON_TRY(kanon__index_rows_read(&index->rows, KANON__MEMBER_PAGES, leaf, &row, &size, err), out);
        if (size < 0)
            KANON_TRY(kanon__store_damaged(&index->state->store, "the members of a group", err), out);
        KANON_TRY(kanon__grow_array(&index->members_page, &index->members_page_capacity, size + 1, "members of groups", err),
                  out);
        if (size > 0)
            memcpy(index->members_page, row, (size_t)size);
        index->members_page_size = size;
        index->members_page_leaf = leaf;
    }
    const unsigned char *bytes = (const unsigned char *)index->members_page;
    *out = (kanon__byte_reader){bytes, bytes + index->members_page_size, false};
out:
    kanon__index_rows_done(&index->rows, KANON__MEMBER_PAGES);
    return st;
}

kanon_status kanon__node_read_all_members(kanon__group_index *index, kanon__node *leaf, kanon_error *err)
{
    kanon__byte_reader r;
    kanon_status st = load_members_page(index, leaf->id, &r, err);
    return st == KANON_OK ? decode_members(index, leaf, &r, err) : st;
}

/* Skips n varints, eight bytes at a time: a byte below 0x80 ends a number. */
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
    kanon__byte_reader r;
    bool found = false;
    out->n = 0;
    KANON_CHECK(load_members_page(index, leaf->id, &r, err));
    while (!found && r.at < r.end && !r.bad) {
        found = kanon__read_count(&r, index->state->next_group - 1) == number;
        if (found)
            KANON_CHECK(kanon__read_members(index, out, &r, err));
        else
            skip_numbers(&r, kanon__read_count(&r, r.end - r.at) * (1 + index->space->n));
    }
    if (r.bad)
        return kanon__store_damaged(&index->state->store, "the members of a group", err);
    return KANON_OK;
}

static kanon_status write_members_page(kanon__group_index *index, const kanon__node *leaf, kanon_error *err)
{
    int m = index->space->n;
    int64_t most = KANON__VARINT_BYTES * (2 * (int64_t)leaf->n + leaf->begins[leaf->n] * (m + 1) + 1);
    KANON_CHECK(kanon__grow_array(&index->bytes, &index->bytes_capacity, most, "members of groups", err));
    unsigned char *at = (unsigned char *)index->bytes;
    for (int slot = 0; slot < leaf->n; slot++) {
        int64_t begin = leaf->begins[slot];
        at = kanon__write_varint(at, (uint64_t)leaf->keys[slot]);
        at = kanon__write_members(at, m, leaf->begins[slot + 1] - begin, leaf->members + begin,
                                  leaf->member_codes + begin * m);
    }
    index->members_page_leaf = 0;
    return kanon__index_rows_write(&index->rows, KANON__MEMBER_PAGES, leaf->id, index->bytes,
                                   at - (unsigned char *)index->bytes, err);
}

/* Members that were loaded only to be written are dropped again: a merge of the log writes thousands of leaves. */
static kanon_status write_leaf_members(kanon__group_index *index, kanon__node *node, kanon_error *err)
{
    bool had_members = node->has_members;
    if (node->level > 0)
        return KANON_OK;
    KANON_CHECK(kanon__node_load_members(index, node, err));
    KANON_CHECK(write_members_page(index, node, err));
    if (!had_members)
        kanon__node_drop_members(node);
    return KANON_OK;
}

kanon_status kanon__nodes_write(kanon__group_index *index, kanon_error *err)
{
    for (int64_t number = 0; number * KANON__NODES_PER_PAGE < index->n_ids; number++) {
        int64_t first = number * KANON__NODES_PER_PAGE;
        bool dirty = number < index->n_pages && index->pages[number].dirty;
        for (int64_t id = first; id < first + KANON__NODES_PER_PAGE; id++) {
            if (!is_to_be_written(index, id))
                continue;
            dirty = true;
            KANON_CHECK(write_leaf_members(index, index->nodes[id], err));
            index->nodes[id]->merged_part = index->state->next_change;
        }
        if (dirty)
            KANON_CHECK(write_page(index, number, err));
    }
    return KANON_OK;
}

kanon_status kanon__node_erase_page_entry(kanon__group_index *index, int64_t id, kanon_error *err)
{
    kanon__node_page *page = NULL;
    KANON_CHECK(load_page(index, &page, id / KANON__NODES_PER_PAGE, err));
    page->lengths[id % KANON__NODES_PER_PAGE] = 0;
    page->dirty = true;
    index->members_page_leaf = 0;
    return kanon__index_rows_erase(&index->rows, KANON__MEMBER_PAGES, id, err);
}
