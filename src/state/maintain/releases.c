/* Traces, joint classes, the sensitive values in them, and recording a release.
 *
 *     1. One walk over all records, present and departed, builds the traces (store/release_rows.h reads them merged).
 *     2. The traces are sorted as lists of changes; runs of equal ones are the classes.
 *     3. Sensitive values are compared by hash, since departed records have only hashes: values are sorted by class and
 *        hash, and different neighbours are counted.
 *
 * Everything is O(n log n) in the records that were ever released. */
#include "state/maintain/releases.h"

#include "core/alloc.h"
#include "core/sort.h"
#include "core/ticker.h"

#include <string.h>

/* ---- traces ------------------------------------------------------------------------------------------------------ */

/* One change more of the trace that begins at `begin`. As seen, a record that was not there before does not go. */
static kanon_status add_change(kanon__traces *t, int64_t begin, int64_t release, int64_t group, kanon_error *err)
{
    if (group == 0)
        group = KANON__ABSENT;
    if (group == (t->n_changes > begin ? t->changes[2 * t->n_changes - 1] : KANON__ABSENT))
        return KANON_OK;
    KANON_CHECK(kanon__grow_array(&t->changes, &t->changes_capacity, 2 * t->n_changes + 2, "traces", err));
    t->changes[2 * t->n_changes] = release;
    t->changes[2 * t->n_changes + 1] = group;
    t->n_changes++;
    return KANON_OK;
}

/* Traces while they are read: `row` is the next record of the subset that has not been met. */
typedef struct trace_reader {
    kanon__traces *traces;
    kanon_state *state;
    const kanon__subset *subset;
    int64_t row;
} trace_reader;

/* The trace of a record: its earlier groups, the last one, and that it went. */
static kanon_status add_trace(trace_reader *r, const kanon__membership *m, int64_t subset_row, kanon_error *err)
{
    kanon__traces *t = r->traces;
    int64_t begin = t->n_changes;
    KANON_CHECK(kanon__grow_array(&t->items, &t->capacity, t->n + 1, "traces", err));
    for (int64_t i = 0; i < m->n_earlier; i++)
        KANON_CHECK(add_change(t, begin, m->earlier[2 * i], m->earlier[2 * i + 1], err));
    KANON_CHECK(add_change(t, begin, m->since, m->group, err));
    if (subset_row < 0 && m->group != KANON__ABSENT && m->until < r->state->n_releases)
        KANON_CHECK(add_change(t, begin, m->until + 1, KANON__ABSENT, err));
    if (t->n_changes == begin) { /* never shown */
        if (subset_row >= 0)
            t->new_rows[t->n_new++] = subset_row;
        return KANON_OK;
    }
    t->items[t->n++] = (kanon__trace){.record = m->record, .begin = 2 * begin, .n = t->n_changes - begin, .row = subset_row};
    return KANON_OK;
}

static kanon_status read_trace(const kanon__membership *m, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    trace_reader *r = payload;
    bool is_there = r->row < r->subset->n && r->subset->ids[r->row] == m->record;
    if (m->since == 0 && !is_there)
        return kanon__store_damaged(&r->state->store, "its releases", err);
    if (m->since == 0)
        r->traces->new_rows[r->traces->n_new++] = r->row;
    else
        st = add_trace(r, m, is_there ? r->row : -1, err);
    r->row += is_there;
    return st;
}

static kanon_status read_traces(kanon__traces *t, kanon_state *s, const kanon__subset *subset, kanon_error *err)
{
    trace_reader r = {.traces = t, .state = s, .subset = subset};
    kanon_status st = kanon__memberships_visit(s, read_trace, &r, err);
    return st == KANON_OK && r.row != subset->n ? kanon__store_damaged(&s->store, "its releases", err) : st;
}

/* A trace for sorting: its changes, or the first ones of them, whose it is, and which one. */
typedef struct sorted_trace {
    const int64_t *changes;
    int64_t n, trace;
    uint64_t entity;
} sorted_trace;

static int compare_changes(const sorted_trace *a, const sorted_trace *b)
{
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    for (int64_t i = 0; i < 2 * a->n; i++)
        if (a->changes[i] != b->changes[i])
            return a->changes[i] < b->changes[i] ? -1 : 1;
    return 0;
}

static int by_changes(const void *left, const void *right)
{
    const sorted_trace *a = left, *b = right;
    int order = compare_changes(a, b);
    if (order == 0 && a->entity != b->entity)
        order = a->entity < b->entity ? -1 : 1;
    return order != 0 ? order : a->trace < b->trace ? -1 : a->trace > b->trace;
}

enum { POLL_EVERY = 1 << 16 }; /* traces between two polls of the tick */

/* The traces before release `before` as classes: class_of by trace (-1: not released before), entities by class. */
static kanon_status classify(const kanon__traces *t, int64_t before, int64_t *class_of, int64_t *sizes, int64_t *n_classes,
                             kanon_error *err)
{
    kanon_status st = KANON_OK;
    sorted_trace *sorted = NULL;
    *n_classes = 0;
    KANON_TRY(kanon__new_array(&sorted, t->n, "joint classes", err), out);
    for (int64_t i = 0; i < t->n; i++) {
        const kanon__trace *item = &t->items[i];
        int64_t n = item->n;
        while (n > 0 && t->changes[item->begin + 2 * (n - 1)] >= before)
            n--;
        sorted[i] = (sorted_trace){t->changes + item->begin, n, i, item->entity};
    }
    KANON_TRY(kanon__sort(sorted, t->n, sizeof *sorted, by_changes, err), out);
    for (int64_t i = 0; i < t->n; i++) {
        if (i % POLL_EVERY == 0)
            KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
        class_of[sorted[i].trace] = -1;
        if (sorted[i].n == 0)
            continue;
        bool begins = i == 0 || compare_changes(&sorted[i - 1], &sorted[i]) != 0;
        *n_classes += begins;
        class_of[sorted[i].trace] = *n_classes - 1;
        sizes[*n_classes - 1] += begins || sorted[i - 1].entity != sorted[i].entity;
    }
out:
    kanon__free(sorted);
    return st;
}

static kanon_status find_classes(kanon__traces *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *class_of = NULL;
    KANON_TRY(kanon__new_array(&class_of, t->n, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&t->sizes, t->n, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&t->records, t->n, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&t->departed, t->n, "joint classes", err), out);
    KANON_TRY(classify(t, INT64_MAX, class_of, t->sizes, &t->n_classes, err), out);
    for (int64_t i = 0; i < t->n; i++) {
        kanon__trace *trace = &t->items[i];
        trace->class_of = class_of[i];
        t->records[trace->class_of]++;
        t->departed[trace->class_of] += trace->row < 0;
    }
out:
    kanon__free(class_of);
    return st;
}

kanon_status kanon__traces_compare(kanon__joint_counts *out, const kanon__traces *t, int64_t release, int64_t k,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *was = NULL, *sizes = NULL, n_before;
    *out = (kanon__joint_counts){0};
    KANON_TRY(kanon__new_array(&was, t->n, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&sizes, t->n, "joint classes", err), out);
    KANON_TRY(classify(t, release, was, sizes, &n_before, err), out);
    for (int64_t i = 0; i < t->n_classes; i++) {
        out->smallest = i == 0 || t->sizes[i] < out->smallest ? t->sizes[i] : out->smallest;
        out->classes_below += t->sizes[i] < k;
    }
    for (int64_t i = 0; i < t->n; i++)
        if (t->sizes[t->items[i].class_of] < k) {
            out->below++;
            out->made_below += was[i] < 0 || sizes[was[i]] >= k;
        }
out:
    kanon__free(sizes);
    kanon__free(was);
    return st;
}

/* ---- entities ---------------------------------------------------------------------------------------------------- */

/* Walks over the records, then over the departed ones, both by rising number. */
typedef struct entity_reader {
    kanon_state *state;
    const kanon__subset *subset;
    kanon__traces *traces;
    kanon__row row;
    uint64_t *hashes;
    int64_t at; /* the next row of the subset, then the next trace */
} entity_reader;

static kanon_status note_entity(const kanon__record *record, const char *cells, size_t size, const int64_t *codes,
                                void *payload, kanon_error *err)
{
    entity_reader *r = payload;
    (void)codes;
    if (r->at == r->subset->n || r->subset->ids[r->at] != record->id)
        return KANON_OK;
    KANON_CHECK(kanon__row_take(r->state, &r->row, cells, size, err));
    kanon__row_sensitive_hashes(r->state, r->row.cells, r->hashes);
    r->traces->entities[r->at++] = r->hashes[kanon__row_n_hashes(r->state) - 1];
    return KANON_OK;
}

static kanon_status note_departed_entity(int64_t record, const void *hashes, void *payload, kanon_error *err)
{
    entity_reader *r = payload;
    kanon__traces *t = r->traces;
    (void)err;
    while (r->at < t->n && t->items[r->at].record < record)
        r->at++;
    if (r->at == t->n || t->items[r->at].record != record)
        return KANON_OK; /* never shown */
    memcpy(&t->items[r->at].entity, (const char *)hashes + (size_t)(kanon__row_n_hashes(r->state) - 1) * sizeof(uint64_t),
           sizeof(uint64_t));
    return KANON_OK;
}

/* Two entities of one hash would be counted as one, which is on the safe side. */
static kanon_status read_entities(kanon__traces *t, kanon_state *s, const kanon__subset *subset, kanon_error *err)
{
    kanon_status st = KANON_OK;
    entity_reader r = {.state = s, .subset = subset, .traces = t};
    KANON_TRY(kanon__new_array(&t->entities, subset->n + 1, "entities", err), out);
    if (s->entity < 0) {
        for (int64_t row = 0; row < subset->n; row++)
            t->entities[row] = (uint64_t)subset->ids[row];
        for (int64_t i = 0; i < t->n; i++)
            t->items[i].entity = (uint64_t)t->items[i].record;
        goto out;
    }
    KANON_TRY(kanon__row_init(&r.row, s, err), out);
    KANON_TRY(kanon__new_array(&r.hashes, kanon__row_n_hashes(s), "entities", err), out);
    KANON_TRY(kanon__records_visit(s, note_entity, &r, err), out);
    r.at = 0;
    KANON_TRY(kanon__departed_visit(s, note_departed_entity, &r, err), out);
    for (int64_t i = 0; i < t->n; i++)
        if (t->items[i].row >= 0)
            t->items[i].entity = t->entities[t->items[i].row];
out:
    kanon__free(r.hashes);
    kanon__row_clear(&r.row);
    return st;
}

kanon_status kanon__traces_load(kanon__traces *out, kanon_state *s, const kanon__subset *subset, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__traces){0};
    KANON_TRY(kanon__new_array(&out->new_rows, subset->n + 1, "records", err), out);
    KANON_TRY(read_traces(out, s, subset, err), out);
    KANON_TRY(read_entities(out, s, subset, err), out);
    KANON_TRY(find_classes(out, err), out);
out:
    if (st != KANON_OK)
        kanon__traces_clear(out);
    return st;
}

void kanon__traces_clear(kanon__traces *t)
{
    kanon__free(t->new_rows);
    kanon__free(t->entities);
    kanon__free(t->departed);
    kanon__free(t->records);
    kanon__free(t->sizes);
    kanon__free(t->changes);
    kanon__free(t->items);
    *t = (kanon__traces){0};
}

/* ---- sensitive values -------------------------------------------------------------------------------------------- */

/* The hash of a sensitive value, and the class of its record. */
typedef struct class_value {
    int64_t class_of;
    uint64_t value;
} class_value;

static int by_class(const void *left, const void *right)
{
    const class_value *a = left, *b = right;
    if (a->class_of != b->class_of)
        return a->class_of < b->class_of ? -1 : 1;
    return a->value < b->value ? -1 : a->value > b->value;
}

typedef struct value_reader {
    kanon_state *state;
    const kanon__traces *traces;
    kanon__row row;
    uint64_t *values; /* by trace and attribute */
    int64_t at;       /* the next trace, in a walk by rising record */
} value_reader;

static kanon_status note_values(const kanon__record *record, const char *cells, size_t size, const int64_t *codes,
                                void *payload, kanon_error *err)
{
    value_reader *r = payload;
    const kanon__traces *t = r->traces;
    (void)codes;
    while (r->at < t->n && t->items[r->at].record < record->id)
        r->at++;
    if (r->at == t->n || t->items[r->at].record != record->id)
        return KANON_OK;
    KANON_CHECK(kanon__row_take(r->state, &r->row, cells, size, err));
    kanon__row_sensitive_hashes(r->state, r->row.cells, r->values + r->at * kanon__row_n_hashes(r->state));
    return KANON_OK;
}

static kanon_status note_departed_values(int64_t record, const void *hashes, void *payload, kanon_error *err)
{
    value_reader *r = payload;
    (void)err;
    int n = kanon__row_n_hashes(r->state);
    while (r->at < r->traces->n && r->traces->items[r->at].record < record)
        r->at++;
    if (r->at == r->traces->n || r->traces->items[r->at].record != record)
        return KANON_OK; /* never shown */
    if (n > 0)
        memcpy(r->values + r->at * n, hashes, (size_t)n * sizeof *r->values);
    return KANON_OK;
}

kanon_status kanon__traces_count_values(int64_t **out, const kanon__traces *t, kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    value_reader r = {.state = s, .traces = t};
    class_value *class_values = NULL;
    int64_t *distinct = NULL;
    int m = kanon__row_n_hashes(s);
    KANON_TRY(kanon__row_init(&r.row, s, err), out);
    KANON_TRY(kanon__new_array(&r.values, t->n * m, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&class_values, t->n, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&distinct, t->n_classes * m, "joint classes", err), out);
    KANON_TRY(kanon__records_visit(s, note_values, &r, err), out);
    r.at = 0;
    KANON_TRY(kanon__departed_visit(s, note_departed_values, &r, err), out);
    for (int a = 0; a < m; a++) {
        for (int64_t i = 0; i < t->n; i++)
            class_values[i] = (class_value){t->items[i].class_of, r.values[i * m + a]};
        KANON_TRY(kanon__sort(class_values, t->n, sizeof *class_values, by_class, err), out);
        for (int64_t i = 0; i < t->n; i++)
            distinct[class_values[i].class_of * m + a] += i == 0 || by_class(&class_values[i - 1], &class_values[i]) != 0;
    }
    *out = distinct;
    distinct = NULL;
out:
    kanon__free(distinct);
    kanon__free(class_values);
    kanon__free(r.values);
    kanon__row_clear(&r.row);
    return st;
}

/* ---- recording --------------------------------------------------------------------------------------------------- */

/* The records whose group is another one than in the last release. */
typedef struct change_list {
    const kanon__subset *released;
    int64_t at; /* the next row of `released` */
    kanon__membership_change *items;
    int64_t n, capacity;
} change_list;

static kanon_status list_change(const kanon__record *record, void *payload, kanon_error *err)
{
    change_list *l = payload;
    int64_t group = KANON__ABSENT;
    if (l->at < l->released->n && l->released->ids[l->at] == record->id)
        group = l->released->groups[l->at++];
    if (record->last_since == 0 ? group == KANON__ABSENT : group == record->last_group)
        return KANON_OK;
    kanon_status st = kanon__grow_array(&l->items, &l->capacity, l->n + 1, "changes", err);
    if (st == KANON_OK)
        l->items[l->n++] = (kanon__membership_change){record->id, record->last_group, record->last_since, group};
    return st;
}

kanon_status kanon__releases_append(kanon_state *s, const kanon__subset *released, const kanon__release_entry *entry,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    change_list changes = {.released = released};
    s->n_releases++;
    KANON_TRY(kanon__release_rows_append(s, entry, err), out);
    if (released == NULL)
        goto out;
    KANON_TRY(kanon__records_list(s, list_change, &changes, err), out);
    KANON_TRY(kanon__memberships_change(s, changes.items, changes.n, s->n_releases, err), out);
out:
    kanon__free(changes.items);
    return st;
}

kanon_status kanon__releases_append_changes(kanon_state *s, const kanon__subset *shown, const kanon__release_entry *entry,
                                            kanon_error *err)
{
    kanon_status st = KANON_OK;
    change_list changes = {.released = shown};
    s->n_releases++;
    KANON_TRY(kanon__release_rows_append(s, entry, err), out);
    for (int64_t i = 0; i < shown->n; i++)
        KANON_TRY(list_change(&shown->records[i], &changes, err), out);
    KANON_TRY(kanon__memberships_change(s, changes.items, changes.n, s->n_releases, err), out);
out:
    kanon__free(changes.items);
    return st;
}
