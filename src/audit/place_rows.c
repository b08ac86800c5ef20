/* See place_rows.h. Three rules, until none of them changes anything:
 *
 *     a record that fits one kind alone is a row of it, if every record is a row
 *     a kind with as many records left as rows has them all
 *     a kind without rows left has no further records
 *
 * What is left after that could be dealt out in several ways. If all records that are left of a kind are one person's, it is
 * known whose its rows are all the same. */
#include "audit/place_rows.h"

#include "core/alloc.h"
#include "core/sort.h"
#include "core/ticker.h"

#include <stdlib.h>

typedef struct placing {
    kanon__comparison *found;
    const kanon__row_kinds *kinds;
    const kanon__fitting_pair *pairs;
    int64_t n_pairs;
    bool is_all;
    bool *gone;             /* by pair */
    int64_t *of_record;     /* by record: its first pair; one more at the end */
    int64_t *begins, *list; /* by kind: its pairs */
    int32_t *fits;          /* by record: pairs that are left */
    int64_t *left, *open;   /* by kind: rows without a record, and pairs that are left */
    int32_t *next;          /* by kind: the next row without a record */
    int32_t *queue;         /* kinds, and records as ~record, that are to be looked at */
    int64_t n_queue, capacity;
} placing;

static kanon_status enqueue(placing *p, int32_t item, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&p->queue, &p->capacity, p->n_queue + 1, "rows", err));
    p->queue[p->n_queue++] = item;
    return KANON_OK;
}

static kanon_status remove_pair(placing *p, int64_t pair, kanon_error *err)
{
    int32_t record = p->pairs[pair].record, kind = p->pairs[pair].kind;
    if (p->gone[pair])
        return KANON_OK;
    p->gone[pair] = true;
    p->fits[record]--;
    p->open[kind]--;
    KANON_CHECK(enqueue(p, kind, err));
    return p->fits[record] == 1 ? enqueue(p, ~record, err) : KANON_OK;
}

/* The record is a row of the kind of this pair, and no other row. */
static kanon_status place(placing *p, int64_t pair, kanon_error *err)
{
    int32_t record = p->pairs[pair].record, kind = p->pairs[pair].kind, row = p->next[kind];
    p->next[kind] = p->kinds->next_row[row];
    p->left[kind]--;
    p->found->row_of[row] = p->found->owner_of[row] = record;
    p->found->unplaced--;
    for (int64_t i = p->of_record[record]; i < p->of_record[record + 1]; i++)
        KANON_CHECK(remove_pair(p, i, err));
    return KANON_OK;
}

static kanon_status look_at_record(placing *p, int32_t record, kanon_error *err)
{
    if (!p->is_all || p->fits[record] != 1)
        return KANON_OK;
    for (int64_t i = p->of_record[record]; i < p->of_record[record + 1]; i++)
        if (!p->gone[i])
            return p->left[p->pairs[i].kind] > 0 ? place(p, i, err) : KANON_OK;
    return KANON_OK;
}

static kanon_status look_at_kind(placing *p, int32_t kind, kanon_error *err)
{
    if (p->open[kind] == 0 || p->left[kind] < 0 || (p->left[kind] > 0 && p->open[kind] != p->left[kind]))
        return KANON_OK;
    for (int64_t i = p->begins[kind]; i < p->begins[kind + 1]; i++) {
        int64_t pair = p->list[i];
        if (p->gone[pair])
            continue;
        KANON_CHECK(p->left[kind] > 0 ? place(p, pair, err) : remove_pair(p, pair, err));
    }
    return KANON_OK;
}

static kanon_status apply_rules(placing *p, kanon_error *err)
{
    enum { LOOK_NS = 200 };
    for (int32_t record = 0; record < p->found->n_records; record++)
        KANON_CHECK(look_at_record(p, record, err));
    for (int32_t kind = 0; kind < p->kinds->n; kind++)
        KANON_CHECK(look_at_kind(p, kind, err));
    while (p->n_queue > 0) {
        int32_t item = p->queue[--p->n_queue];
        KANON_CHECK(item < 0 ? look_at_record(p, ~item, err) : look_at_kind(p, item, err));
        KANON_CHECK(kanon__poll_tick(LOOK_NS, err));
    }
    return KANON_OK;
}

/* Rows of kinds whose records are all of one person. */
static void find_owners(placing *p, const kanon__data *data)
{
    for (int32_t kind = 0; kind < p->kinds->n; kind++) {
        int32_t owner = -1;
        bool is_one = p->left[kind] > 0;
        for (int64_t i = p->begins[kind]; i < p->begins[kind + 1] && is_one; i++) {
            int32_t record = p->pairs[p->list[i]].record;
            if (p->gone[p->list[i]])
                continue;
            is_one = owner < 0 || kanon__code_at(data->entity_codes, record) == kanon__code_at(data->entity_codes, owner);
            owner = record;
        }
        for (int32_t row = p->next[kind]; is_one && row >= 0; row = p->kinds->next_row[row])
            p->found->owner_of[row] = owner;
    }
}

/* A person in a class. */
typedef struct class_person {
    uint32_t class_id, person;
} class_person;

static int by_class(const void *left, const void *right)
{
    const class_person *a = left, *b = right;
    if (a->class_id != b->class_id)
        return a->class_id < b->class_id ? -1 : 1;
    return (a->person > b->person) - (a->person < b->person);
}

/* A record that is left for the kind; -1 where one of them is of a person who has another row of the class. */
static int32_t find_newcomer(const placing *p, int32_t kind, uint32_t class_id, const kanon__data *data,
                             const class_person *known, int64_t n_known)
{
    int32_t found = -1;
    for (int64_t i = p->begins[kind]; i < p->begins[kind + 1]; i++) {
        int32_t record = p->pairs[p->list[i]].record;
        if (p->gone[p->list[i]])
            continue;
        class_person wanted = {class_id, kanon__code_at(data->entity_codes, record)};
        if (n_known > 0 && bsearch(&wanted, known, (size_t)n_known, sizeof wanted, by_class) != NULL)
            return -1;
        found = record;
    }
    return found;
}

/* Where one row of a class has no owner, and whoever it is has no other row there: the count of persons is the same. */
static kanon_status find_newcomers(placing *p, const kanon__data *data, const uint32_t *class_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__comparison *found = p->found;
    class_person *known = NULL;
    int32_t *n_open = NULL; /* by class, rows without an owner */
    int64_t n_known = 0, n_classes = 0;
    for (int64_t row = 0; row < found->n_rows; row++)
        n_classes = class_of[row] >= n_classes ? (int64_t)class_of[row] + 1 : n_classes;
    KANON_TRY(kanon__new_array(&known, found->n_rows, "persons", err), out);
    KANON_TRY(kanon__new_array(&n_open, n_classes, "persons", err), out);
    for (int64_t row = 0; row < found->n_rows; row++) {
        if (found->owner_of[row] < 0)
            n_open[class_of[row]]++;
        else
            known[n_known++] = (class_person){class_of[row], kanon__code_at(data->entity_codes, found->owner_of[row])};
    }
    KANON_TRY(kanon__sort(known, n_known, sizeof *known, by_class, err), out);
    for (int32_t kind = 0; kind < p->kinds->n; kind++) {
        int32_t row = p->next[kind];
        if (p->left[kind] == 1 && found->owner_of[row] < 0 && n_open[class_of[row]] == 1)
            found->owner_of[row] = find_newcomer(p, kind, class_of[row], data, known, n_known);
    }
out:
    kanon__free(n_open);
    kanon__free(known);
    return st;
}

static kanon_status set_up(placing *p, kanon_error *err)
{
    int64_t n_records = p->found->n_records, n_kinds = p->kinds->n;
    KANON_CHECK(kanon__new_array(&p->gone, p->n_pairs, "rows", err));
    KANON_CHECK(kanon__new_array(&p->of_record, n_records + 1, "rows", err));
    KANON_CHECK(kanon__new_array(&p->begins, n_kinds + 2, "rows", err));
    KANON_CHECK(kanon__new_array(&p->list, p->n_pairs, "rows", err));
    KANON_CHECK(kanon__new_array(&p->fits, n_records, "rows", err));
    KANON_CHECK(kanon__new_array(&p->left, n_kinds, "rows", err));
    KANON_CHECK(kanon__new_array(&p->open, n_kinds, "rows", err));
    KANON_CHECK(kanon__new_array(&p->next, n_kinds, "rows", err));
    for (int64_t i = 0; i < p->n_pairs; i++) {
        p->fits[p->pairs[i].record]++;
        p->open[p->pairs[i].kind]++;
        p->of_record[p->pairs[i].record + 1]++;
        p->begins[p->pairs[i].kind + 2]++;
    }
    for (int64_t i = 0; i < n_records; i++)
        p->of_record[i + 1] += p->of_record[i];
    for (int64_t i = 0; i < n_kinds; i++)
        p->begins[i + 2] += p->begins[i + 1];
    for (int64_t i = 0; i < p->n_pairs; i++)
        p->list[p->begins[p->pairs[i].kind + 1]++] = i;
    for (int64_t i = 0; i < n_kinds; i++) {
        p->left[i] = p->kinds->n_rows[i];
        p->next[i] = p->kinds->first_row[i];
    }
    return KANON_OK;
}

/* ---- a largest matching ------------------------------------------------------------------------------------------ */

/* Hopcroft and Karp: from the kinds with rows left, paths that change whose records are whose, the shortest ones first. */
typedef struct matching {
    int64_t n_kinds;
    int64_t *begins;   /* by kind: its records in `records`; one more at the end */
    int32_t *records;
    int32_t *kind_of;  /* by record; -1: none */
    int64_t *left;     /* by kind: rows without a record */
    int64_t *next;     /* by kind: of its records the next one to try */
    int32_t *distance; /* by kind, of a path from a kind with rows left; -1: there is none */
    int32_t *queue;    /* kinds */
} matching;

static kanon_status set_up_matching(matching *m, const kanon__row_kinds *kinds, int64_t n_records,
                                    const kanon__fitting_pair *pairs, int64_t n_pairs, kanon_error *err)
{
    m->n_kinds = kinds->n;
    KANON_CHECK(kanon__new_array(&m->begins, m->n_kinds + 2, "rows", err));
    KANON_CHECK(kanon__new_array(&m->records, n_pairs, "rows", err));
    KANON_CHECK(kanon__new_array(&m->kind_of, n_records, "records", err));
    KANON_CHECK(kanon__new_array(&m->left, m->n_kinds, "rows", err));
    KANON_CHECK(kanon__new_array(&m->next, m->n_kinds, "rows", err));
    KANON_CHECK(kanon__new_array(&m->distance, m->n_kinds, "rows", err));
    KANON_CHECK(kanon__new_array(&m->queue, m->n_kinds, "rows", err));
    for (int64_t i = 0; i < n_pairs; i++)
        m->begins[pairs[i].kind + 2]++;
    for (int64_t i = 0; i < m->n_kinds; i++)
        m->begins[i + 2] += m->begins[i + 1];
    for (int64_t i = 0; i < n_pairs; i++)
        m->records[m->begins[pairs[i].kind + 1]++] = pairs[i].record;
    for (int64_t i = 0; i < m->n_kinds; i++)
        m->left[i] = kinds->n_rows[i];
    for (int64_t i = 0; i < n_records; i++)
        m->kind_of[i] = -1;
    return KANON_OK;
}

/* *out: some path ends at a record without a kind. */
static kanon_status find_distances(matching *m, bool *out, kanon_error *err)
{
    enum { RECORD_NS = 10 };
    int64_t n = 0;
    *out = false;
    for (int64_t kind = 0; kind < m->n_kinds; kind++) {
        m->next[kind] = m->begins[kind];
        m->distance[kind] = m->left[kind] > 0 ? 0 : -1;
        if (m->left[kind] > 0)
            m->queue[n++] = (int32_t)kind;
    }
    for (int64_t at = 0; at < n; at++) {
        int32_t kind = m->queue[at];
        for (int64_t i = m->begins[kind]; i < m->begins[kind + 1]; i++) {
            int32_t other = m->kind_of[m->records[i]];
            *out |= other < 0;
            if (other < 0 || m->distance[other] >= 0)
                continue;
            m->distance[other] = m->distance[kind] + 1;
            m->queue[n++] = other;
        }
        KANON_CHECK(kanon__poll_tick(RECORD_NS * (m->begins[kind + 1] - m->begins[kind]), err));
    }
    return KANON_OK;
}

/* Give a row of the kind a record, along a path; the kinds on it stand in the queue. */
static bool find_path(matching *m, int32_t first)
{
    int64_t n = 1;
    m->queue[0] = first;
    while (n > 0) {
        int32_t kind = m->queue[n - 1];
        if (m->next[kind] == m->begins[kind + 1]) { /* nothing is found from here */
            n--;
            if (n > 0)
                m->next[m->queue[n - 1]]++;
            continue;
        }
        int32_t other = m->kind_of[m->records[m->next[kind]]];
        if (other < 0) {
            for (int64_t i = 0; i < n; i++) /* each takes the record that the one after it had */
                m->kind_of[m->records[m->next[m->queue[i]]++]] = m->queue[i];
            m->left[first]--;
            return true;
        }
        if (m->distance[other] == m->distance[kind] + 1)
            m->queue[n++] = other;
        else
            m->next[kind]++;
    }
    return false;
}

kanon_status kanon__most_placed(int64_t *out, const kanon__row_kinds *kinds, int64_t n_records,
                                const kanon__fitting_pair *pairs, int64_t n_pairs, kanon_error *err)
{
    enum { PATH_NS = 100 };
    kanon_status st = KANON_OK;
    matching m = {.n_kinds = 0};
    bool has_path = true;
    *out = 0;
    KANON_TRY(set_up_matching(&m, kinds, n_records, pairs, n_pairs, err), out);
    while (has_path) {
        KANON_TRY(find_distances(&m, &has_path, err), out);
        for (int32_t kind = 0; has_path && kind < m.n_kinds; kind++)
            while (m.left[kind] > 0 && find_path(&m, kind)) {
                ++*out;
                KANON_TRY(kanon__poll_tick(PATH_NS, err), out);
            }
    }
out:
    kanon__free(m.queue);
    kanon__free(m.distance);
    kanon__free(m.next);
    kanon__free(m.left);
    kanon__free(m.kind_of);
    kanon__free(m.records);
    kanon__free(m.begins);
    return st;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

kanon_status kanon__place_rows(kanon__comparison *found, const kanon__data *data, const kanon__row_kinds *kinds,
                               const kanon__fitting_pair *pairs, int64_t n_pairs, bool is_all, const uint32_t *class_of,
                               kanon_error *err)
{
    placing p = {.found = found, .kinds = kinds, .pairs = pairs, .n_pairs = n_pairs, .is_all = is_all};
    kanon_status st = set_up(&p, err);
    if (st == KANON_OK)
        st = apply_rules(&p, err);
    if (st == KANON_OK && data->has_entity)
        find_owners(&p, data);
    if (st == KANON_OK && data->has_entity && class_of != NULL)
        st = find_newcomers(&p, data, class_of, err);
    kanon__free(p.queue);
    kanon__free(p.next);
    kanon__free(p.open);
    kanon__free(p.left);
    kanon__free(p.fits);
    kanon__free(p.list);
    kanon__free(p.begins);
    kanon__free(p.of_record);
    kanon__free(p.gone);
    return st;
}
