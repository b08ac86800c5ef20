/* See linkage.h.
 *
 *   1. Classes of rows that look alike are sorted by what their region costs: their places in that order are slots.
 *   2. A view is what an attacker knows beside the quasi columns: released rows are sorted by their number in it, and then by
 *      slot. Rows that are equal in both are an entry, and the entries of one number a bucket.
 *   3. Each record walks the entries of its number, or of many entries those that the index of covering classes finds, until
 *      one that costs more than what it has found. Its own class covers it, so that is soon.
 *   4. Records that find the same entries lie side by side then, so that the rows of these entries are counted once. */
#include "measures/linkage.h"
#include "measures/guess.h"
#include "measures/measure.h"

#include "core/alloc.h"
#include "core/random.h"
#include "core/sort.h"
#include "model/units.h"
#include "search/cover_index.h"
#include "table/value/dictionary.h"

#include <math.h>
#include <string.h>

/* ---- classes ----------------------------------------------------------------------------------------------------- */

typedef struct tight_classes {
    const kanon_table *table;
    kanon__space *space; /* of the quasi columns */
    const kanon__linked_rows *linked;
    int32_t *slot_of; /* by row; negative: not in the release */
    int64_t n_slots;
    int32_t *class_at; /* by slot */
    uint32_t *regions; /* by slot and dimension: the first and the last code that the region covers */
    int64_t *costs;    /* by slot */
    kanon__cover_index *index;
} tight_classes;

typedef struct by_cost {
    int64_t cost;
    int32_t class_id;
} by_cost;

static int compare_costs(const void *left, const void *right)
{
    const by_cost *a = left, *b = right;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    return (a->class_id > b->class_id) - (a->class_id < b->class_id);
}

/* What a cell that shows the codes from `cell[0]` to `cell[1]` covers, and its cost; `drawn`: its ends, or NULL. */
static uint32_t find_region(uint32_t region[2], const kanon__dimension *d, const uint32_t cell[2], const int64_t *drawn)
{
    bool is_missing = cell[0] == cell[1] && cell[0] == d->column->domain->missing_code;
    if (is_missing || kanon__shows_nothing(d->column, cell)) {
        region[0] = 0;
        region[1] = d->n_codes - 1;
        return d->full;
    }
    kanon__covered_range(d, cell[0], cell[1], &region[0], &region[1]);
    if (drawn != NULL && drawn[0] <= drawn[1]) { /* the ends are no codes */
        int64_t whole = kanon__term_whole(KANON__TERMS_LOSS, d->column->domain);
        int64_t part = drawn[1] - drawn[0];
        return kanon__units_position(d->full, part < whole ? part : whole, whole);
    }
    return kanon__dimension_units(d, cell[0], cell[1]);
}

/* Regions and costs by class. `member` is a group of each class; that of suppressed records is none (negative). */
static kanon_status find_regions(uint32_t *regions, int64_t *costs, const kanon__space *space, const kanon_grouping *g,
                                 const int32_t *member, int64_t n_classes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *extents = NULL;
    int m = space->n_dimensions;
    for (int i = 0; i < m; i++) {
        const kanon__dimension *d = &space->dimensions[i];
        const uint32_t all[2] = {0, d->n_codes - 1};
        const int64_t *drawn = kanon__grouping_drawn(g, d->column);
        KANON_TRY(kanon__grouping_extents(&extents, g, d->column, err), out);
        for (int64_t c = 0; c < n_classes; c++) {
            uint32_t *region = regions + 2 * (c * m + i);
            int64_t at = 2 * (int64_t)member[c];
            memcpy(region, all, sizeof all);
            costs[c] += at < 0 ? d->full : find_region(region, d, extents + at, drawn != NULL ? drawn + at : NULL);
        }
        kanon__free(extents);
        extents = NULL;
    }
out:
    kanon__free(extents);
    return st;
}

/* Which class has which slot. */
static kanon_status sort_classes(tight_classes *t, const kanon__linked_rows *rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = rows->n_classes, n_rows = t->table->data.n_rows;
    size_t size = 2 * (size_t)t->space->n_dimensions * sizeof *t->regions;
    by_cost *costs = NULL;
    int32_t *slots = NULL;
    KANON_TRY(kanon__new_array(&t->regions, 2 * n * t->space->n_dimensions, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&t->costs, n, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&t->class_at, n, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&t->slot_of, n_rows, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&costs, n, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&slots, n, "classes of rows", err), out);
    for (int64_t c = 0; c < n; c++)
        costs[c] = (by_cost){rows->costs[c], (int32_t)c};
    KANON_TRY(kanon__sort(costs, n, sizeof *costs, compare_costs, err), out);
    for (int64_t slot = 0; slot < n; slot++) {
        int32_t c = costs[slot].class_id;
        slots[c] = (int32_t)slot;
        t->class_at[slot] = c;
        t->costs[slot] = costs[slot].cost;
        memcpy(t->regions + 2 * slot * t->space->n_dimensions, rows->regions + 2 * (int64_t)c * t->space->n_dimensions, size);
    }
    for (int64_t row = 0; row < n_rows; row++)
        t->slot_of[row] = rows->class_of[row] >= 0 ? slots[rows->class_of[row]] : -1;
    t->n_slots = n;
out:
    kanon__free(slots);
    kanon__free(costs);
    return st;
}

static void clear_classes(tight_classes *t)
{
    kanon__cover_index_free(t->index);
    kanon__free(t->class_at);
    kanon__free(t->costs);
    kanon__free(t->regions);
    kanon__free(t->slot_of);
    kanon__space_free(t->space);
}

/* `rows` must outlive what is made. */
static kanon_status set_up_classes(tight_classes *t, const kanon_table *table, const kanon__linked_rows *rows,
                                   kanon_error *err)
{
    enum { NS_PER_CODE = 2 };
    kanon_status st = KANON_OK;
    const kanon__data *data = &table->data;
    t->table = table;
    t->linked = rows;
    if (t->space == NULL)
        KANON_TRY(kanon__space_new(&t->space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(sort_classes(t, rows, err), out);
    KANON_TRY(kanon__cover_index_new(&t->index, t->space, rows->n_classes, err), out);
    for (int64_t slot = 0; slot < rows->n_classes; slot++)
        for (int i = 0; i < data->n_quasi; i++) {
            const uint32_t *region = t->regions + 2 * (slot * data->n_quasi + i);
            if (region[0] > region[1]) /* it covers nothing */
                continue;
            kanon__cover_index_add(t->index, slot, i, region[0], region[1]);
            KANON_TRY(kanon__poll_tick(NS_PER_CODE * (1 + region[1] - region[0]), err), out);
        }
out:
    return st;
}

/* Of a release of the groups. */
static kanon_status classes_of_groups(tight_classes *t, kanon__linked_rows *rows, const kanon_table *table,
                                      const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *data = &table->data;
    int32_t *class_of = NULL, *member = NULL;
    uint32_t *regions = NULL;
    int64_t *costs = NULL, n = 0;
    KANON_TRY(kanon__space_new(&t->space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__looks_of_rows(&class_of, &n, data, g, table->policy.keep_suppressed, err), out);
    KANON_TRY(kanon__new_array(&costs, n, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&regions, 2 * n * data->n_quasi, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&member, n, "classes of rows", err), out);
    for (int64_t c = 0; c < n; c++)
        member[c] = -1;
    for (int64_t row = 0; row < g->n_rows; row++)
        if (class_of[row] >= 0 && g->group_of[row] >= 0)
            member[class_of[row]] = g->group_of[row];
    KANON_TRY(find_regions(regions, costs, t->space, g, member, n, err), out);
    *rows = (kanon__linked_rows){.class_of = class_of, .n_classes = n, .regions = regions, .costs = costs};
    KANON_TRY(set_up_classes(t, table, rows, err), out);
out:
    rows->class_of = NULL; /* they were needed for that alone */
    rows->regions = NULL;
    rows->costs = NULL;
    kanon__free(member);
    kanon__free(regions);
    kanon__free(costs);
    kanon__free(class_of);
    return st;
}

static bool covers(const tight_classes *t, int64_t slot, int64_t row)
{
    const uint32_t *region = t->regions + 2 * slot * t->space->n_dimensions;
    for (int i = 0; i < t->space->n_dimensions; i++, region += 2) {
        uint32_t code = kanon__code_at(t->space->dimensions[i].codes, row);
        if (code < region[0] || code > region[1])
            return false;
    }
    return t->linked->covers == NULL || t->linked->covers(t->linked->payload, t->class_at[slot], row);
}

/* ---- what is known beside the quasi columns ---------------------------------------------------------------------- */

typedef struct entry {
    int32_t slot;
    int64_t begin, end; /* its rows */
} entry;

typedef struct view {
    const kanon__row_numbers *known;
    int32_t *rows;    /* released ones by number, slot and row */
    entry *entries;   /* by number and slot */
    int64_t *buckets; /* by number: its entries are entries[buckets[i] .. buckets[i + 1]) */
    int64_t n_rows, n_entries;
} view;

static void clear_view(view *v)
{
    kanon__free(v->buckets);
    kanon__free(v->entries);
    kanon__free(v->rows);
}

/* The rows of `from` (NULL: all) in the order of their keys, without the negative ones; rows of one key stay as they are. */
static kanon_status sort_by_key(int32_t *to, int64_t *n_out, const int32_t *from, int64_t n, const int32_t *keys,
                                int64_t n_keys, kanon_error *err)
{
    int64_t *next = NULL, total = 0;
    KANON_CHECK(kanon__new_array(&next, n_keys + 1, "rows", err));
    for (int64_t i = 0; i < n; i++) {
        int32_t key = keys[from != NULL ? from[i] : i];
        next[key + 1] += key >= 0;
    }
    for (int64_t key = 0; key < n_keys; key++) {
        int64_t count = next[key + 1];
        next[key] = total;
        total += count;
    }
    for (int64_t i = 0; i < n; i++) {
        int32_t row = from != NULL ? from[i] : (int32_t)i;
        if (keys[row] >= 0)
            to[next[keys[row]]++] = row;
    }
    *n_out = total;
    kanon__free(next);
    return kanon__poll_tick(KANON__TICK_POLL_NS, err);
}

static kanon_status set_up_view(view *v, const tight_classes *t, const kanon__row_numbers *known, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *by_slot = NULL;
    int64_t n = known->n_rows;
    v->known = known;
    KANON_TRY(kanon__new_array(&by_slot, n, "rows", err), out);
    KANON_TRY(kanon__new_array(&v->rows, n, "rows", err), out);
    KANON_TRY(sort_by_key(by_slot, &v->n_rows, NULL, n, t->slot_of, t->n_slots, err), out);
    KANON_TRY(sort_by_key(v->rows, &v->n_rows, by_slot, v->n_rows, known->shown, known->n, err), out);
    KANON_TRY(kanon__new_array(&v->entries, v->n_rows, "rows", err), out);
    KANON_TRY(kanon__new_array(&v->buckets, known->n + 1, "rows", err), out);
    for (int64_t i = 0; i < v->n_rows; i++) {
        int32_t row = v->rows[i], before = i > 0 ? v->rows[i - 1] : 0;
        if (i == 0 || known->shown[row] != known->shown[before] || t->slot_of[row] != t->slot_of[before])
            v->entries[v->n_entries++] = (entry){t->slot_of[row], i, i};
        v->entries[v->n_entries - 1].end = i + 1;
        v->buckets[known->shown[row] + 1] = v->n_entries;
    }
    KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
    for (int64_t i = 0; i < known->n; i++) /* a number may have no released row */
        if (v->buckets[i + 1] < v->buckets[i])
            v->buckets[i + 1] = v->buckets[i];
out:
    kanon__free(by_slot);
    return st;
}

/* The entry of the slot in a bucket, else the first one after it. */
static int64_t find_entry(const view *v, int64_t begin, int64_t end, int64_t slot)
{
    while (begin < end) {
        int64_t middle = begin + (end - begin) / 2;
        if (v->entries[middle].slot < slot)
            begin = middle + 1;
        else
            end = middle;
    }
    return begin;
}

/* ---- one record -------------------------------------------------------------------------------------------------- */

typedef struct attack {
    const tight_classes *t;
    const view *v;
    int64_t *tightest, n_tightest, capacity; /* entries */
    int64_t size;                            /* the rows of these, once they are counted */
    kanon__group_values values; /* of the column that is asked for; column NULL: none is */
    kanon__guess guess;
    const view *classes; /* all rows by class, where the values of a class stand in any order; NULL: each row has its own */
    int32_t *own;        /* by person: rows; NULL: each row is another's */
} attack;

static kanon_status add_tightest(attack *a, int64_t at, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&a->tightest, &a->capacity, a->n_tightest + 1, "rows", err));
    a->tightest[a->n_tightest++] = at;
    return KANON_OK;
}

/* Whether an entry that costs so much comes too late. */
static bool is_late(const attack *a, int32_t slot)
{
    return a->n_tightest > 0 && a->t->costs[slot] > a->t->costs[a->v->entries[a->tightest[0]].slot];
}

static kanon_status walk_bucket(attack *a, int64_t row, int64_t begin, int64_t end, kanon_error *err)
{
    for (int64_t i = begin; i < end && !is_late(a, a->v->entries[i].slot); i++)
        if (covers(a->t, a->v->entries[i].slot, row))
            KANON_CHECK(add_tightest(a, i, err));
    return KANON_OK;
}

static kanon_status walk_index(attack *a, int64_t row, int64_t begin, int64_t end, kanon_error *err)
{
    int64_t slot = kanon__cover_index_next(a->t->index, row, 0);
    for (; slot >= 0 && !is_late(a, (int32_t)slot); slot = kanon__cover_index_next(a->t->index, row, slot + 1)) {
        begin = find_entry(a->v, begin, end, slot);
        if (begin == end)
            break;
        if (a->v->entries[begin].slot == slot && covers(a->t, slot, row))
            KANON_CHECK(add_tightest(a, begin, err));
    }
    return KANON_OK;
}

static kanon_status find_tightest(attack *a, int64_t row, kanon_error *err)
{
    enum { FEW_ENTRIES = 64 };
    int32_t known = a->v->known->known[row];
    int64_t begin = a->v->buckets[known], end = a->v->buckets[known + 1];
    a->n_tightest = 0;
    return end - begin <= FEW_ENTRIES ? walk_bucket(a, row, begin, end, err) : walk_index(a, row, begin, end, err);
}

static void count_persons(attack *a, int step)
{
    const kanon__data *data = &a->t->table->data;
    for (int64_t i = 0; a->own != NULL && i < a->n_tightest; i++)
        for (int64_t at = a->v->entries[a->tightest[i]].begin; at < a->v->entries[a->tightest[i]].end; at++)
            a->own[kanon__code_at(data->entity_codes, a->v->rows[at])] += step;
}

/* Whose values an entry tells. Which row of a class has which of its permuted cells is not known. */
static const entry *told_by(const attack *a, const entry *e)
{
    return a->classes == NULL ? e : a->classes->entries + find_entry(a->classes, 0, a->classes->n_entries, e->slot);
}

/* Count the tightest rows. */
static void count_tightest(attack *a)
{
    const view *v = a->classes != NULL ? a->classes : a->v;
    a->size = 0;
    for (int64_t i = 0; i < a->n_tightest; i++)
        a->size += a->v->entries[a->tightest[i]].end - a->v->entries[a->tightest[i]].begin;
    if (a->values.column == NULL)
        return;
    kanon__group_values_start(&a->values);
    for (int64_t i = 0; i < a->n_tightest; i++) {
        const entry *e = told_by(a, &a->v->entries[a->tightest[i]]);
        for (int64_t at = e->begin; at < e->end; at++)
            kanon__group_values_count(&a->values, kanon__code_at(a->values.column->codes, v->rows[at]), 1);
    }
    a->guess = kanon__guess_of(&a->values);
}

/* About how many rows are counted then. An entry is kept, too, and takes as long as some rows. */
static int64_t work_of_tightest(const attack *a)
{
    enum { ROWS_PER_ENTRY = 64 };
    int64_t n = 0;
    for (int64_t i = 0; i < a->n_tightest; i++) {
        const entry *own = &a->v->entries[a->tightest[i]], *told = told_by(a, own);
        bool is_counted = a->own != NULL || a->values.column != NULL;
        n += ROWS_PER_ENTRY + (is_counted ? own->end - own->begin + (told != own ? told->end - told->begin : 0) : 0);
    }
    return n;
}

static double success(const attack *a, int64_t row)
{
    int64_t n = 0;
    bool shows_own = a->v->known->shown[row] == a->v->known->known[row]; /* else its row is of another bucket */
    if (a->own != NULL)
        n = a->own[kanon__code_at(a->t->table->data.entity_codes, row)];
    for (int64_t i = 0; a->own == NULL && shows_own && i < a->n_tightest; i++)
        n += a->v->entries[a->tightest[i]].slot == a->t->slot_of[row];
    return a->size > 0 ? (double)n / (double)a->size : 0;
}

static double right_value(const attack *a, int64_t row)
{
    uint32_t code = kanon__code_at(a->values.column->codes, row);
    return a->size > 0 ? kanon__guess_right(&a->guess, code, a->values.counts[code]) : 0;
}

/* ---- all records ------------------------------------------------------------------------------------------------- */

/* The records that are asked, and how much each counts. */
typedef struct targets {
    bool *asked; /* by row; NULL: all */
    int64_t n, n_rows;
    int32_t *per_person; /* by person: records; NULL: each record counts alike */
    double whole;        /* what all records count */
    int64_t most_work;
} targets;

static void clear_targets(targets *t)
{
    kanon__free(t->per_person);
    kanon__free(t->asked);
}

/* So many at most, if that is a sample. */
static kanon_status choose_targets(targets *out, const kanon__data *data, int64_t most, int64_t most_work, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__random random;
    int64_t n = data->n_rows;
    most = most < KANON__LINKAGE_SAMPLE ? KANON__LINKAGE_SAMPLE : most;
    *out = (targets){.n = n <= most ? n : most, .n_rows = n, .whole = (double)n, .most_work = most_work};
    if (data->has_entity) {
        KANON_TRY(kanon__new_array(&out->per_person, data->n_entities, "persons", err), out);
        for (int64_t row = 0; row < n; row++)
            out->per_person[kanon__code_at(data->entity_codes, row)]++;
        out->whole = (double)data->n_entities;
    }
    if (n <= most)
        goto out;
    KANON_TRY(kanon__new_array(&out->asked, n, "a sample", err), out);
    kanon__random_init(&random, 0, KANON__LINKAGE_STREAM);
    for (int64_t row = 0, left = most; row < n; row++)
        if (kanon__random_below(&random, n - row) < left) {
            out->asked[row] = true;
            left--;
        }
out:
    return st;
}

/* What came of one view. */
typedef struct outcome {
    double mean, error; /* of success */
    double found;       /* the mean over released records of what is right */
} outcome;

/* The records that are asked, by the entries that they find. */
typedef struct found_sets {
    kanon__dictionary sets; /* of entries */
    int32_t *set_of;        /* by row; negative: it is not asked */
    int32_t *rows;          /* by set */
    int64_t n_rows, work;
} found_sets;

static void clear_sets(found_sets *f)
{
    kanon__free(f->rows);
    kanon__free(f->set_of);
    kanon__dictionary_clear(&f->sets);
    *f = (found_sets){0};
}

/* Until the work is too much. */
static kanon_status find_sets(found_sets *f, attack *a, const targets *who, bool *too_much, kanon__ticker *ticker,
                              kanon_error *err)
{
    KANON_CHECK(kanon__dictionary_init(&f->sets, err));
    KANON_CHECK(kanon__new_array(&f->rows, a->v->n_rows, "rows", err));
    KANON_CHECK(kanon__new_array(&f->set_of, who->n_rows, "rows", err));
    for (int64_t row = 0; row < who->n_rows; row++)
        f->set_of[row] = -1;
    for (int64_t i = 0; i < a->v->n_rows && !*too_much; i++) {
        int32_t row = a->v->rows[i];
        uint32_t set, n = f->sets.n;
        if (who->asked != NULL && !who->asked[row])
            continue;
        KANON_CHECK(find_tightest(a, row, err));
        size_t size = (size_t)a->n_tightest * sizeof *a->tightest;
        KANON_CHECK(kanon__dictionary_add(&f->sets, &set, size > 0 ? (const char *)a->tightest : "", size, err));
        f->set_of[row] = (int32_t)set;
        f->n_rows++;
        f->work += f->sets.n > n ? work_of_tightest(a) : 0;
        *too_much = f->work > who->most_work && who->n > KANON__LINKAGE_SAMPLE;
        KANON_CHECK(kanon__tick(ticker, 0, 0, 200 + a->t->n_slots / 16, err));
    }
    return sort_by_key(f->rows, &f->n_rows, a->v->rows, a->v->n_rows, f->set_of, f->sets.n, err);
}

/* Of fewer records, where too many rows would be counted. */
static kanon_status find_few_sets(found_sets *f, attack *a, targets *who, kanon__ticker *ticker, kanon_error *err)
{
    bool too_much = false;
    KANON_CHECK(find_sets(f, a, who, &too_much, ticker, err));
    while (too_much) {
        int64_t most = f->n_rows / 2, most_work = who->most_work;
        clear_sets(f);
        clear_targets(who);
        KANON_CHECK(choose_targets(who, &a->t->table->data, most, most_work, err));
        too_much = false;
        KANON_CHECK(find_sets(f, a, who, &too_much, ticker, err));
    }
    return KANON_OK;
}

static kanon_status take_set(attack *a, const kanon__dictionary *sets, int32_t set, kanon_error *err)
{
    size_t size;
    const char *entries = kanon__dictionary_text(sets, (uint32_t)set, &size);
    a->n_tightest = (int64_t)(size / sizeof *a->tightest);
    KANON_CHECK(kanon__grow_array(&a->tightest, &a->capacity, a->n_tightest, "rows", err));
    if (size > 0)
        memcpy(a->tightest, entries, size);
    return KANON_OK;
}

static kanon_status ask_all(outcome *out, attack *a, targets *who, kanon__ticker *ticker, kanon_error *err)
{
    enum { NS_PER_ROW = 5 };
    kanon_status st = KANON_OK;
    const kanon__data *data = &a->t->table->data;
    found_sets f = {0};
    KANON_TRY(find_few_sets(&f, a, who, ticker, err), out);
    double sum = 0, squares = 0, right = 0, n = (double)who->n;
    for (int64_t i = 0; i < f.n_rows;) {
        int32_t set = f.set_of[f.rows[i]];
        KANON_TRY(take_set(a, &f.sets, set, err), out);
        count_tightest(a);
        count_persons(a, 1);
        for (; i < f.n_rows && f.set_of[f.rows[i]] == set; i++) {
            int32_t row = f.rows[i];
            double part = success(a, row) * (double)who->n_rows / who->whole;
            if (who->per_person != NULL)
                part /= who->per_person[kanon__code_at(data->entity_codes, row)];
            sum += part;
            squares += part * part;
            right += a->values.column != NULL ? right_value(a, row) : 0;
        }
        count_persons(a, -1);
        KANON_TRY(kanon__tick(ticker, 0, 0, NS_PER_ROW * work_of_tightest(a), err), out);
    }
    out->mean = n > 0 ? sum / n : NAN;
    out->found = f.n_rows > 0 ? right / (double)f.n_rows : NAN;
    double spread = n > 1 ? (squares - sum * sum / n) / (n - 1) : 0; /* of the records that are asked */
    out->error = who->asked != NULL ? sqrt(fmax(spread, 0) / n * (1 - n / (double)who->n_rows)) : 0;
out:
    clear_sets(&f);
    return st;
}

/* Ask with what `known` says; the column `secret` (negative: none) is guessed. */
static kanon_status ask(outcome *out, const tight_classes *t, const kanon__row_numbers *known, int secret,
                        targets *who, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    view v = {0}, classes = {0};
    kanon__row_numbers nothing = {0};
    attack a = {.t = t, .v = &v};
    KANON_TRY(set_up_view(&v, t, known, err), out);
    if (secret >= 0) {
        KANON_TRY(kanon__group_values_init(&a.values, &t->table->data.columns[secret], NULL, err), out);
        if (t->table->data.columns[secret].permuted) {
            KANON_TRY(kanon__row_numbers_new(&nothing, known->n_rows, err), out);
            KANON_TRY(set_up_view(&classes, t, &nothing, err), out);
            a.classes = &classes;
        }
    }
    if (t->table->data.has_entity)
        KANON_TRY(kanon__new_array(&a.own, t->table->data.n_entities, "persons", err), out);
    KANON_TRY(ask_all(out, &a, who, ticker, err), out);
out:
    kanon__free(a.own);
    kanon__group_values_clear(&a.values);
    kanon__free(a.tightest);
    clear_view(&classes);
    clear_view(&v);
    kanon__row_numbers_clear(&nothing);
    return st;
}

/* Of a guess for all released rows. */
static kanon_status find_base(double *out, const tight_classes *t, const kanon__column *c, kanon_error *err)
{
    int64_t *counts = NULL, n = 0;
    KANON_CHECK(kanon__new_array(&counts, c->domain->n_codes, "values", err));
    for (int64_t row = 0; row < t->table->data.n_rows; row++)
        if (t->slot_of[row] >= 0) {
            counts[kanon__code_at(c->codes, row)]++;
            n++;
        }
    *out = n > 0 ? (double)kanon__values_guessed(c, counts) / (double)n : NAN;
    kanon__free(counts);
    return KANON_OK;
}

/* The columns but the secret are known. Permuted ones say nothing of a single record, so they are ignored. */
static kanon_status ask_for(kanon__linkage *out, int secret, const tight_classes *t, const kanon__row_numbers *insensitive,
                            targets *who, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *data = &t->table->data;
    kanon__row_numbers known = {0};
    outcome found = {0};
    double base = NAN;
    KANON_TRY(kanon__row_numbers_copy(&known, insensitive, err), out);
    for (int i = 0; i < data->n_sensitive; i++) {
        int other = data->sensitive[i];
        if (i != secret && !data->columns[other].permuted)
            KANON_TRY(kanon__row_numbers_add(&known, data->columns[other].codes, err), out);
    }
    int column = secret < data->n_sensitive ? data->sensitive[secret] : -1;
    KANON_TRY(ask(&found, t, &known, column, who, ticker, err), out);
    out->all = isnan(out->all) ? found.mean : fmax(out->all, found.mean);
    out->error = fmax(out->error, found.error);
    if (column >= 0) {
        KANON_TRY(find_base(&base, t, &data->columns[column], err), out);
        out->found[secret] = found.found;
        out->gain[secret] = base < 1 ? (found.found - base) / (1 - base) : NAN;
    }
out:
    kanon__row_numbers_clear(&known);
    return st;
}

kanon_status kanon__linkage_find(kanon__linkage *out, const kanon_table *table, const kanon_grouping *g,
                                 const kanon__row_numbers *insensitive, int64_t most_work, kanon__ticker *ticker,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    tight_classes t = {0};
    kanon__linked_rows rows = {0};
    targets who = {0};
    kanon__row_numbers nothing = {0};
    outcome quasi = {0};
    int n_secrets = table->data.n_sensitive > 0 ? table->data.n_sensitive : 1; /* without one, all columns are known */
    *out = (kanon__linkage){.quasi = NAN, .all = NAN};
    KANON_TRY(kanon__new_array(&out->found, table->data.n_sensitive, "columns", err), out);
    KANON_TRY(kanon__new_array(&out->gain, table->data.n_sensitive, "columns", err), out);
    KANON_TRY(classes_of_groups(&t, &rows, table, g, err), out);
    KANON_TRY(choose_targets(&who, &table->data, most_work / (t.n_slots + 1), most_work, err), out);
    KANON_TRY(kanon__row_numbers_new(&nothing, table->data.n_rows, err), out);
    KANON_TRY(ask(&quasi, &t, &nothing, -1, &who, ticker, err), out);
    out->quasi = quasi.mean;
    out->error = quasi.error;
    for (int i = 0; i < n_secrets; i++)
        KANON_TRY(ask_for(out, i, &t, insensitive, &who, ticker, err), out);
out:
    kanon__row_numbers_clear(&nothing);
    clear_targets(&who);
    clear_classes(&t);
    if (st != KANON_OK)
        kanon__linkage_clear(out);
    return st;
}

kanon_status kanon__linkage_of_rows(kanon__linkage_found *out, const kanon_table *table, const kanon__linked_rows *rows,
                                    const kanon__row_numbers *known, int64_t most_work, kanon__ticker *ticker,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    tight_classes t = {0};
    targets who = {0};
    outcome found = {0};
    KANON_TRY(set_up_classes(&t, table, rows, err), out);
    KANON_TRY(choose_targets(&who, &table->data, most_work / (t.n_slots + 1), most_work, err), out);
    KANON_TRY(ask(&found, &t, known, -1, &who, ticker, err), out);
    *out = (kanon__linkage_found){found.mean, found.error};
out:
    clear_targets(&who);
    clear_classes(&t);
    return st;
}

void kanon__linkage_clear(kanon__linkage *found)
{
    kanon__free(found->gain);
    kanon__free(found->found);
    *found = (kanon__linkage){0};
}

/* ---- the measures ------------------------------------------------------------------------------------------------ */

static kanon_status linkage_quasi(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = s->linkage->quasi;
    return KANON_OK;
}

const kanon__measure kanon__measure_linkage_quasi = {
    KANON__MEASURE_INFO(linkage_quasi, TABLE,
                        "who knows the original quasi values of a record and takes one of the rows with the tightest "
                        "released region that covers them: the chance that it is the record's own or, with entities, its "
                        "person's; the mean over records, or over persons. A record that is not released is never found"),
    .compute = linkage_quasi,
};

static kanon_status linkage_all(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = s->linkage->all;
    return KANON_OK;
}

const kanon__measure kanon__measure_linkage_all = {
    KANON__MEASURE_INFO(linkage_all, TABLE,
                        "linkage_quasi for one who also knows all columns that are released as they are and not permuted, but "
                        "one sensitive column, whichever of them lets find most"),
    .compute = linkage_all,
};

static kanon_status linkage_error(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = s->linkage->error;
    return KANON_OK;
}

const kanon__measure kanon__measure_linkage_error = {
    KANON__MEASURE_INFO(linkage_error, TABLE,
                        "the larger standard error of linkage_quasi and linkage_all; only of large tables, of which a "
                        "sample of the records is asked"),
    .compute = linkage_error,
};

static kanon_status inference_found(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)err;
    *out = s->linkage->found[i];
    return KANON_OK;
}

const kanon__measure kanon__measure_inference_found = {
    KANON__MEASURE_INFO(inference_found, SENSITIVE,
                        "the mean over released records of the chance that the value is that which is guessed from the "
                        "rows that linkage_all finds, where all other columns are known; of a permuted column from all "
                        "rows of their classes"),
    .compute = inference_found,
};

static kanon_status inference_found_gain(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)err;
    *out = s->linkage->gain[i];
    return KANON_OK;
}

const kanon__measure kanon__measure_inference_found_gain = {
    KANON__MEASURE_INFO(inference_found_gain, SENSITIVE, "(inference_found - inference_base) / (1 - inference_base)"),
    .compute = inference_found_gain,
};
