/* What a release of the changes removes and writes; watched_changes.h and store/watch.h say what it is for.
 *
 *     written   the members of each group that changed, as its last command left them
 *     removed   every group in which one of them, or a deleted record, was shown in the last release
 *
 * Nothing else differs from the last release. A group that is in neither has the members that it had: whoever joins or
 * leaves changes the group. And its cells are those that it had: they depend on its members alone, but for open bands and
 * drawn ends, which stay inside the range of the table, and permuted cells, whose places are drawn from all records. Where
 * one of the removed groups is that of the suppressed records, or these are other ones, all of them would have to be found:
 * then the release is a whole one. Calls index/ and materialise.h.
 * */
#include "state/maintain/watched_changes.h"

#include "core/alloc.h"
#include "state/index/index_near.h"
#include "state/maintain/enforce_constraints.h"
#include "state/store/watch.h"

#include <stdlib.h>

/* ---- noting ------------------------------------------------------------------------------------------------------ */

static kanon_status note_member(kanon__watch *w, int64_t group, int64_t record, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&w->members, &w->members_capacity, w->n_members + 1, "notes of changes", err);
    if (st == KANON_OK)
        w->members[w->n_members++] = (kanon__watched_member){group, w->command + 1, record};
    return st;
}

/* Each touched group gets a note without a member, which alone means that it is gone, and one for each member. */
kanon_status kanon__watched_note(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__watch *w = s->watch;
    kanon__group_refs refs = {0};
    if (w == NULL)
        return KANON_OK;
    w->pending = true;
    if (w->whole || w->n_touched == 0)
        return KANON_OK;
    qsort(w->touched, (size_t)w->n_touched, sizeof *w->touched, kanon__compare_numbers);
    for (int64_t i = 0; i < w->n_touched; i++)
        if (i == 0 || w->touched[i] != w->touched[i - 1])
            KANON_TRY(note_member(w, w->touched[i], 0, err), out);
    KANON_TRY(kanon__group_index_list_changed(s->index, &refs, w->touched, w->n_touched, err), out);
    for (int64_t i = 0; i < refs.n; i++) {
        kanon__group_slot at;
        KANON_TRY(kanon__group_index_locate(s->index, &at, &refs.items[i], err), out);
        for (int64_t j = 0; j < kanon__group_size(at); j++)
            KANON_TRY(note_member(w, refs.items[i].number, kanon__group_members(at)[j], err), out);
    }
out:
    kanon__group_refs_clear(&refs);
    return st;
}

/* ---- collecting -------------------------------------------------------------------------------------------------- */

/* Groups apart, of each the last command first. */
static int by_group_and_command(const void *left, const void *right)
{
    const kanon__watched_member *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->command != b->command)
        return a->command > b->command ? -1 : 1;
    return a->record < b->record ? -1 : a->record > b->record;
}

static int by_record(const void *left, const void *right)
{
    const kanon__watched_member *a = left, *b = right;
    return a->record < b->record ? -1 : a->record > b->record;
}

/* The members that each group has now, by rising record; the notes of earlier commands are dropped. */
static kanon_status list_members(kanon__subset *out, kanon__watch *w, kanon_error *err)
{
    int64_t n = 0;
    if (w->n_members == 0)
        return KANON_OK;
    qsort(w->members, (size_t)w->n_members, sizeof *w->members, by_group_and_command);
    int64_t last = 0; /* the last command that changed the group at hand */
    for (int64_t i = 0; i < w->n_members; i++) {
        if (i == 0 || w->members[i].group != w->members[i - 1].group)
            last = w->members[i].command;
        if (w->members[i].command == last && w->members[i].record != 0)
            w->members[n++] = w->members[i];
    }
    w->n_members = w->n_members_kept = n;
    qsort(w->members, (size_t)n, sizeof *w->members, by_record);
    KANON_CHECK(kanon__new_array(&out->ids, n, "records", err));
    KANON_CHECK(kanon__new_array(&out->groups, n, "records", err));
    for (int64_t i = 0; i < n; i++) {
        out->ids[i] = w->members[i].record;
        out->groups[i] = w->members[i].group;
        if (i > 0 && out->ids[i] == out->ids[i - 1])
            return kanon__fail(err, KANON_EINTERNAL, "a record is in two groups");
    }
    out->n = n;
    return KANON_OK;
}

/* The groups in which the records, and those that were deleted, were shown; ascending, each once. */
static kanon_status list_removed(kanon__watched_changes *c, const kanon__watch *w, kanon_error *err)
{
    int64_t n = 0;
    KANON_CHECK(kanon__new_array(&c->removed, c->subset.n + w->n_left + 1, "groups", err));
    for (int64_t i = 0; i < w->n_left; i++)
        c->removed[n++] = w->left[i];
    for (int64_t i = 0; i < c->subset.n; i++)
        if (c->subset.records[i].last_since > 0)
            c->removed[n++] = c->subset.records[i].last_group;
    qsort(c->removed, (size_t)n, sizeof *c->removed, kanon__compare_numbers);
    for (int64_t i = 0; i < n; i++)
        if (i == 0 || c->removed[i] != c->removed[i - 1])
            c->removed[c->n_removed++] = c->removed[i];
    return KANON_OK;
}

static bool has_far_effects(const kanon_state *s)
{
    for (int i = 0; i < s->n_columns; i++)
        if (kanon__state_has_bands(&s->columns[i]) || s->columns[i].permuted || s->columns[i].drawn)
            return true; /* which bands are open is not asked: they are few */
    return false;
}

/* The file has each of the groups, with these members and no others. */
static kanon_status check_members(kanon__watch *w, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__watched_member *rows = w->members;
    int64_t *codes = NULL, n = w->n_members;
    kanon__member_list found = {0};
    KANON_TRY(kanon__new_array(&codes, s->n_dimensions, "a record", err), out);
    qsort(rows, (size_t)n, sizeof *rows, by_group_and_command);
    for (int64_t i = 0, end; i < n; i = end) {
        kanon__group_slot at;
        KANON_TRY(kanon__record_get(s, NULL, rows[i].record, NULL, codes, err), out);
        KANON_TRY(kanon__group_index_group_of(s->index, &at, rows[i].record, codes, err), out);
        bool same = at.node != NULL && kanon__group_number(at) == rows[i].group;
        if (same)
            KANON_TRY(kanon__group_index_members(s->index, at, &found, err), out);
        for (end = i; end < n && rows[end].group == rows[i].group; end++)
            same = same && end - i < found.n && found.members[end - i] == rows[end].record;
        if (!same || found.n != end - i)
            KANON_TRY(kanon__fail(err, KANON_EINTERNAL, "the check found a group that is not as it was noted"), out);
    }
out:
    kanon__member_list_clear(&found);
    kanon__free(codes);
    return st;
}

static kanon_status read_records(kanon__watched_changes *c, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *constraints = NULL;
    if (c->subset.n == 0)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&c->subset.records, c->subset.n, "records", err), out);
    KANON_TRY(kanon__subset_read_table(&c->subset, s, err), out);
    KANON_TRY(kanon__subset_constraints(&constraints, &c->subset, s, err), out);
    c->whole = constraints != NULL && kanon__subset_needs_all(&c->subset, constraints);
    if (!c->whole)
        KANON_TRY(check_members(s->watch, s, err), out);
out:
    kanon__constraints_free(constraints);
    return st;
}

/* More than half of the records are not worth the trouble. */
kanon_status kanon__watched_collect(kanon__watched_changes *out, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__watch *w = s->watch;
    *out = (kanon__watched_changes){.whole = true};
    if (w == NULL || w->whole || has_far_effects(s) || s->n_suppressed != w->n_suppressed)
        return KANON_OK;
    out->whole = false;
    KANON_TRY(list_members(&out->subset, w, err), out);
    out->whole = out->subset.n > s->n_records / 2;
    if (!out->whole)
        KANON_TRY(read_records(out, s, err), out);
    if (!out->whole)
        KANON_TRY(list_removed(out, w, err), out);
    if (out->n_removed > 0 && out->removed[0] <= 0) /* suppressed ones */
        out->whole = true;
out:
    if (st != KANON_OK)
        kanon__watched_clear(out);
    return st;
}

void kanon__watched_clear(kanon__watched_changes *c)
{
    kanon__subset_clear(&c->subset);
    kanon__free(c->removed);
    *c = (kanon__watched_changes){0};
}
