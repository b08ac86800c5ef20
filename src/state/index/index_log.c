/* The log: what happened to groups since their leaves were last written.
 *
 * Why: the groups that 1000 scattered records change lie in about as many leaves. To read, journal and write all these
 * pages was most of the time of an insert; to append the changes is as much as the records themselves. One command
 * appends one part, a row of table `changes`:
 *
 *     +------+--------+------+--------+---------+   +------+--------+-- ...
 *     | leaf | length | kind | group  | payload |   | leaf | length |          varints; kind is one byte
 *     +------+--------+------+--------+---------+   +------+--------+-- ...
 *
 *     kind 1  JOINED    payload: the record, its codes              the record joined the group
 *     kind 2  IS_NOW    payload: members and codes (index_pages.c)  the group is new, or has these members now
 *     kind 3  IS_GONE   no payload                                  the group is gone
 *
 * Parts are numbered for ever. A leaf knows the last part that its pages include (merged_part), so entries of that part
 * and before it are skipped:
 *
 *     parts      1   2   3   4   5   6            leaf with merged_part 4: pages have 1 to 4, replay applies 5 and 6
 *
 * Reading (kanon__log_replay): apply the entries about the leaf, in order, to its boxes; when members are read, to them.
 * Saving (kanon__log_save):
 *     1. Add up the entries that are current: about a leaf that there is, and that is not written anew.
 *     2. Where they are more than 64 KiB and 2 bytes per record, or an entry is outdated, or the command took records away,
 *        whose codes must not stay in pages and old parts: mark all leaves with entries `rewritten` and delete the log;
 *        kanon__nodes_write then writes the leaves.
 *     3. Otherwise append the current entries of this command as a part.
 *
 * Decision 11 says more. */
#include "core/alloc.h"
#include "state/index/index_node.h"

#include <string.h>

enum { JOINED = 1, IS_NOW, IS_GONE };
enum { LOG_LEAST = 1 << 16, LOG_BYTES_PER_RECORD = 2 }; /* when to merge it: about 2 % of the state */

/* ---- in memory --------------------------------------------------------------------------------------------------- */

void kanon__log_clear(kanon__index_log *log)
{
    kanon__free(log->tails);
    kanon__free(log->heads);
    kanon__free(log->entries);
    kanon__free(log->bytes);
    *log = (kanon__index_log){0};
}

/* Appends the entry to the list of its leaf. */
static kanon_status add_entry(kanon__group_index *index, kanon__log_entry entry, kanon_error *err)
{
    kanon__index_log *log = &index->log;
    KANON_CHECK(kanon__grow_array(&log->entries, &log->entries_capacity, log->n_entries + 1, "changes of groups", err));
    KANON_CHECK(kanon__grow_array(&log->heads, &log->heads_capacity, index->n_ids, "changes of groups", err));
    KANON_CHECK(kanon__grow_array(&log->tails, &log->tails_capacity, index->n_ids, "changes of groups", err));
    for (; log->n_heads < index->n_ids; log->n_heads++)
        log->heads[log->n_heads] = log->tails[log->n_heads] = -1;
    entry.next = -1;
    int64_t at = log->n_entries++, last = log->tails[entry.leaf];
    log->entries[at] = entry;
    *(last < 0 ? &log->heads[entry.leaf] : &log->entries[last].next) = at;
    log->tails[entry.leaf] = at;
    return KANON_OK;
}

static int64_t first_entry(const kanon__index_log *log, int64_t leaf)
{
    return leaf < log->n_heads ? log->heads[leaf] : -1;
}

bool kanon__log_has_entries(const kanon__index_log *log, int64_t leaf)
{
    return first_entry(log, leaf) >= 0;
}

void kanon__log_discard(kanon__index_log *log, int64_t leaf)
{
    int64_t first = first_entry(log, leaf);
    if (first < 0)
        return;
    log->outdated = log->outdated || first < log->n_saved;
    log->heads[leaf] = log->tails[leaf] = -1;
}

/* An entry is encoded at the end of the bytes and becomes one by end_entry. `numbers` is how many varints it has at most. */
static kanon_status begin_entry(kanon__group_index *index, int64_t numbers, unsigned char **at, kanon_error *err)
{
    kanon__index_log *log = &index->log;
    kanon_status st = kanon__grow_array(&log->bytes, &log->bytes_capacity, log->n_bytes + KANON__VARINT_BYTES * numbers + 1,
                                        "changes of groups", err);
    *at = (unsigned char *)log->bytes + log->n_bytes;
    return st;
}

static kanon_status end_entry(kanon__group_index *index, const kanon__node *leaf, const unsigned char *at, kanon_error *err)
{
    kanon__index_log *log = &index->log;
    int64_t begin = log->n_bytes, end = at - (unsigned char *)log->bytes;
    kanon_status st = add_entry(index, (kanon__log_entry){leaf->id, INT64_MAX, begin, end - begin, -1}, err);
    if (st == KANON_OK)
        log->n_bytes = end;
    return st;
}

kanon_status kanon__log_append_join(kanon__group_index *index, const kanon__node *leaf, int64_t number, int64_t record,
                                    const int64_t *codes, kanon_error *err)
{
    unsigned char *at;
    if (leaf->rewritten)
        return KANON_OK;
    KANON_CHECK(begin_entry(index, 2 + index->space->n, &at, err));
    *at++ = JOINED;
    at = kanon__write_varint(at, (uint64_t)number);
    at = kanon__write_varint(at, (uint64_t)record);
    for (int i = 0; i < index->space->n; i++)
        at = kanon__write_code(at, codes[i], 0);
    return end_entry(index, leaf, at, err);
}

kanon_status kanon__log_append_group(kanon__group_index *index, const kanon__node *leaf, const kanon__new_group *group,
                                     kanon_error *err)
{
    unsigned char *at;
    if (leaf->rewritten)
        return KANON_OK;
    KANON_CHECK(begin_entry(index, 2 + group->n_members * (1 + index->space->n), &at, err));
    *at++ = IS_NOW;
    at = kanon__write_varint(at, (uint64_t)group->number);
    at = kanon__write_members(at, index->space->n, group->n_members, group->members, group->codes);
    return end_entry(index, leaf, at, err);
}

kanon_status kanon__log_append_removal(kanon__group_index *index, const kanon__node *leaf, int64_t number, kanon_error *err)
{
    unsigned char *at;
    if (leaf->rewritten)
        return KANON_OK;
    KANON_CHECK(begin_entry(index, 1, &at, err));
    *at++ = IS_GONE;
    at = kanon__write_varint(at, (uint64_t)number);
    return end_entry(index, leaf, at, err);
}

/* ---- replay ------------------------------------------------------------------------------------------------------ */

typedef struct replay {
    kanon__group_index *index;
    kanon__node *leaf;
    bool for_members; /* apply to members; boxes are done, so groups that came and went since are not there */
    kanon__member_list list;
    int64_t *box;
} replay;

/* For boxes the group must be there; for members it may be one that a later entry removes. */
static kanon_status replay_join(replay *w, int64_t number, kanon__byte_reader *r, kanon_error *err)
{
    const kanon__group_index *index = w->index;
    int slot = kanon__node_slot(w->leaf, number);
    int64_t record = kanon__read_count(r, index->state->next_record - 1);
    for (int i = 0; i < index->space->n; i++)
        w->list.codes[i] = kanon__read_code(r, &index->space->dimensions[i], 0);
    r->bad = r->bad || (slot < 0 && !w->for_members);
    if (r->bad || slot < 0)
        return KANON_OK;
    if (w->for_members)
        return kanon__node_add_member(index, w->leaf, slot, record, w->list.codes, err);
    kanon__node_grow_box(index, w->leaf, slot, w->list.codes);
    w->leaf->sizes[slot]++;
    return KANON_OK;
}

static kanon_status replay_group(replay *w, int64_t number, kanon__byte_reader *r, kanon_error *err)
{
    kanon_status st = kanon__read_members(w->index, &w->list, r, err);
    int slot = kanon__node_slot(w->leaf, number);
    if (st != KANON_OK || r->bad)
        return st;
    if (w->for_members)
        return slot < 0 ? KANON_OK
                        : kanon__node_set_members(w->index, w->leaf, slot, w->list.n, w->list.members, w->list.codes, err);
    if (slot < 0 && w->leaf->n == KANON__NODE_MOST) {
        r->bad = true;
        return KANON_OK;
    }
    for (int64_t i = 0; i < w->list.n; i++)
        kanon__box_add_codes(w->index->space, w->box, w->list.codes + i * w->index->space->n, i == 0);
    kanon__new_group group = {number, w->list.n, w->list.members, w->box, w->list.codes};
    kanon__node_set_box(w->index, w->leaf, slot < 0 ? w->leaf->n++ : slot, &group);
    return KANON_OK;
}

static kanon_status replay_entry(replay *w, const kanon__log_entry *e, bool *bad, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const unsigned char *bytes = (const unsigned char *)w->index->log.bytes + e->begin;
    kanon__byte_reader r = {bytes + 1, bytes + e->length, e->length < 2};
    int64_t number = kanon__read_count(&r, w->index->state->next_group - 1);
    int slot = kanon__node_slot(w->leaf, number);
    if (r.bad || bytes[0] < JOINED || bytes[0] > IS_GONE)
        r.bad = true;
    else if (bytes[0] == JOINED)
        st = replay_join(w, number, &r, err);
    else if (bytes[0] == IS_NOW)
        st = replay_group(w, number, &r, err);
    else if (!w->for_members && slot < 0)
        r.bad = true;
    else if (!w->for_members)
        kanon__node_remove_slot(w->index, w->leaf, slot);
    *bad = r.bad || r.at != r.end;
    return st;
}

kanon_status kanon__log_replay(kanon__group_index *index, kanon__node *leaf, bool for_members, kanon_error *err)
{
    kanon_status st = KANON_OK;
    replay w = {.index = index, .leaf = leaf, .for_members = for_members};
    int m = index->space->n;
    bool bad = false;
    if (!kanon__log_has_entries(&index->log, leaf->id))
        return KANON_OK;
    KANON_TRY(kanon__new_array(&w.box, 2 * m, "a box", err), out);
    KANON_TRY(kanon__grow_array(&w.list.codes, &w.list.codes_capacity, m, "a record", err), out);
    for (int64_t i = first_entry(&index->log, leaf->id); i >= 0; i = index->log.entries[i].next) {
        const kanon__log_entry *e = &index->log.entries[i];
        if (e->part <= leaf->merged_part)
            continue;
        KANON_TRY(replay_entry(&w, e, &bad, err), out);
        if (bad)
            KANON_TRY(kanon__store_damaged(&index->state->store, "the changes of a group", err), out);
    }
out:
    kanon__free(w.box);
    kanon__member_list_clear(&w.list);
    return st;
}

/* Inserts the record where it belongs, since members ascend. */
static kanon_status add_member(const kanon__group_index *index, kanon__member_list *list, kanon__byte_reader *r,
                               kanon_error *err)
{
    int m = index->space->n;
    int64_t record = kanon__read_count(r, index->state->next_record - 1), at = list->n;
    KANON_CHECK(kanon__grow_array(&list->members, &list->members_capacity, list->n + 1, "members of groups", err));
    KANON_CHECK(kanon__grow_array(&list->codes, &list->codes_capacity, (list->n + 1) * m, "members of groups", err));
    while (at > 0 && list->members[at - 1] > record)
        at--;
    memmove(list->members + at + 1, list->members + at, (size_t)(list->n - at) * sizeof *list->members);
    memmove(list->codes + (at + 1) * m, list->codes + at * m, (size_t)((list->n - at) * m) * sizeof *list->codes);
    list->members[at] = record;
    for (int i = 0; i < m; i++)
        list->codes[at * m + i] = kanon__read_code(r, &index->space->dimensions[i], 0);
    list->n++;
    return KANON_OK;
}

kanon_status kanon__log_replay_members(kanon__group_index *index, const kanon__node *leaf, int64_t number,
                                       kanon__member_list *list, kanon_error *err)
{
    for (int64_t i = first_entry(&index->log, leaf->id); i >= 0; i = index->log.entries[i].next) {
        const kanon__log_entry *e = &index->log.entries[i];
        const unsigned char *bytes = (const unsigned char *)index->log.bytes + e->begin;
        kanon__byte_reader r = {bytes + 1, bytes + e->length, e->length < 2};
        if (e->part <= leaf->merged_part || kanon__read_count(&r, index->state->next_group - 1) != number)
            continue;
        if (bytes[0] == JOINED)
            KANON_CHECK(add_member(index, list, &r, err));
        else if (bytes[0] == IS_NOW)
            KANON_CHECK(kanon__read_members(index, list, &r, err));
        else
            list->n = 0;
        if (r.bad)
            return kanon__store_damaged(&index->state->store, "the changes of a group", err);
    }
    return KANON_OK;
}

/* ---- in the file ------------------------------------------------------------------------------------------------- */

/* Cuts a part into entries; they are decoded when their leaf is read. */
static kanon_status load_part(int64_t part, const void *bytes, int64_t size, void *payload, kanon_error *err)
{
    kanon__group_index *index = payload;
    kanon__index_log *log = &index->log;
    KANON_CHECK(kanon__grow_array(&log->bytes, &log->bytes_capacity, log->n_bytes + size + 1, "changes of groups", err));
    const unsigned char *begin = (const unsigned char *)log->bytes;
    kanon__byte_reader r = {begin + log->n_bytes, begin + log->n_bytes + size, false};
    if (size > 0)
        memcpy(log->bytes + log->n_bytes, bytes, (size_t)size);
    log->n_bytes += size;
    while (r.at < r.end && !r.bad) {
        int64_t leaf = kanon__read_count(&r, index->n_ids - 1);
        int64_t length = kanon__read_count(&r, r.end - r.at);
        if (r.bad || length > r.end - r.at)
            break;
        KANON_CHECK(add_entry(index, (kanon__log_entry){leaf, part, r.at - begin, length, -1}, err));
        r.at += length;
    }
    if (r.at != r.end || r.bad || part >= index->state->next_change)
        return kanon__store_damaged(&index->state->store, "the changes of groups", err);
    return KANON_OK;
}

kanon_status kanon__log_load(kanon__group_index *index, kanon_error *err)
{
    kanon_status st = kanon__log_rows_visit(&index->rows, load_part, index, err);
    index->log.n_saved = index->log.n_entries;
    return st;
}

static bool is_rewritten(const kanon__group_index *index, int64_t leaf)
{
    return index->nodes[leaf] != NULL && index->nodes[leaf]->rewritten;
}

/* Whether the entry still matters: its leaf exists and is not written anew. */
static bool is_current(const kanon__group_index *index, int64_t entry)
{
    const kanon__log_entry *e = &index->log.entries[entry];
    return index->log.heads[e->leaf] >= 0 && !is_rewritten(index, e->leaf);
}

/* Marks every leaf with entries to be written anew, and deletes the log. Members are read when a leaf is written. */
static kanon_status mark_leaves(kanon__group_index *index, kanon_error *err)
{
    for (int64_t leaf = 1; leaf < index->log.n_heads; leaf++) {
        kanon__node *node;
        if (index->log.heads[leaf] < 0)
            continue;
        KANON_CHECK(kanon__node_get(index, &node, leaf, err));
        if (node->level != 0)
            return kanon__store_damaged(&index->state->store, "the changes of groups", err);
        node->rewritten = node->dirty = true;
    }
    return kanon__log_rows_clear(&index->rows, err);
}

/* Appends the current entries of this command. */
static kanon_status write_part(kanon__group_index *index, int64_t size, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__index_log *log = &index->log;
    char *part = NULL;
    KANON_TRY(kanon__new_array(&part, size, "changes of groups", err), out);
    unsigned char *at = (unsigned char *)part;
    for (int64_t i = log->n_saved; i < log->n_entries; i++) {
        const kanon__log_entry *e = &log->entries[i];
        if (!is_current(index, i))
            continue;
        at = kanon__write_varint(at, (uint64_t)e->leaf);
        at = kanon__write_varint(at, (uint64_t)e->length);
        memcpy(at, log->bytes + e->begin, (size_t)e->length);
        at += e->length;
    }
    KANON_TRY(kanon__log_rows_append(&index->rows, index->state->next_change, part, at - (unsigned char *)part, err), out);
out:
    kanon__free(part);
    return st;
}

kanon_status kanon__log_save(kanon__group_index *index, kanon_error *err)
{
    kanon__index_log *log = &index->log;
    enum { FRAME = 4 }; /* bytes of a leaf's id and a length, mostly */
    int64_t n_bytes = 0, n_new = 0, most = index->state->n_records * LOG_BYTES_PER_RECORD;
    for (int64_t i = 0; i < log->n_entries; i++) {
        if (!is_current(index, i))
            continue;
        n_bytes += log->entries[i].length + FRAME;
        n_new += i >= log->n_saved ? log->entries[i].length + 2 * KANON__VARINT_BYTES : 0;
    }
    if (log->outdated || index->state->forgets || n_bytes > (most > LOG_LEAST ? most : LOG_LEAST))
        KANON_CHECK(mark_leaves(index, err));
    else if (n_new > 0)
        KANON_CHECK(write_part(index, n_new, err));
    return KANON_OK;
}

kanon_status kanon__log_check(kanon__group_index *index, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; i < index->log.n_entries && st == KANON_OK; i++) {
        kanon__node *node;
        st = kanon__node_get(index, &node, index->log.entries[i].leaf, err);
        if (st == KANON_OK && node->level != 0)
            st = kanon__store_damaged(&index->state->store, "the changes of groups", err);
    }
    return st;
}
