/* See column_sets.h. A set is its classes, refined from those of a set with one column less; tasks are pairs of columns,
 * each with the sets of three that begin with it. */
#include "propose/column_sets.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "core/ticker.h"

#include <stdlib.h>
#include <string.h>

/* ---- classes ----------------------------------------------------------------------------------------------------- */

/* New numbers by a table of all (class, code) pairs. */
static kanon_status refine_by_table(uint32_t *class_of, int64_t *n_classes, int64_t n_rows, const kanon__set_column *column,
                                    kanon_error *err)
{
    uint32_t *number = NULL, n = 0; /* plus one; 0: not seen yet */
    kanon_status st = kanon__new_array(&number, *n_classes * (int64_t)column->n_codes, "classes of records", err);
    for (int64_t row = 0; st == KANON_OK && row < n_rows; row++) {
        uint32_t *place = &number[(int64_t)class_of[row] * column->n_codes + kanon__code_at(column->codes, row)];
        if (*place == 0)
            *place = ++n;
        class_of[row] = *place - 1;
    }
    if (st == KANON_OK)
        *n_classes = n;
    kanon__free(number);
    return st;
}

/* A pair that was seen, and the number it got; number 0: a free slot, so numbers are stored plus one. */
typedef struct pair_slot {
    uint32_t class, code, number;
} pair_slot;

static uint64_t mix(uint64_t key)
{
    key ^= key >> 31;
    key *= 0x9e3779b97f4a7c15u;
    return key ^ key >> 29;
}

/* New numbers by a hash table of the pairs that occur. */
static kanon_status refine_by_hash(uint32_t *class_of, int64_t *n_classes, int64_t n_rows, const kanon__set_column *column,
                                   kanon_error *err)
{
    pair_slot *slots = NULL;
    uint32_t n = 0;
    uint64_t size = 16;
    while (size < (uint64_t)n_rows * 2)
        size *= 2;
    kanon_status st = kanon__new_array(&slots, (int64_t)size, "classes of records", err);
    for (int64_t row = 0; st == KANON_OK && row < n_rows; row++) {
        uint32_t class = class_of[row], code = kanon__code_at(column->codes, row);
        uint64_t at = mix((uint64_t) class << 32 | code) & (size - 1);
        while (slots[at].number != 0 && (slots[at].class != class || slots[at].code != code))
            at = (at + 1) & (size - 1);
        if (slots[at].number == 0)
            slots[at] = (pair_slot){class, code, ++n};
        class_of[row] = slots[at].number - 1;
    }
    if (st == KANON_OK)
        *n_classes = n;
    kanon__free(slots);
    return st;
}

kanon_status kanon__classes_refine(uint32_t *class_of, int64_t *n_classes, int64_t n_rows, const kanon__set_column *column,
                                   kanon_error *err)
{
    double pairs = (double)*n_classes * column->n_codes;
    return pairs <= 4.0 * (double)n_rows + 4096 ? refine_by_table(class_of, n_classes, n_rows, column, err)
                                                : refine_by_hash(class_of, n_classes, n_rows, column, err);
}

/* Which entity a class belongs to, while its records are seen. */
#define NOBODY UINT32_MAX
#define SEVERAL (UINT32_MAX - 1)

static uint32_t entity_at(const kanon__set_table *t, int64_t row)
{
    return t->entities != NULL ? kanon__code_at(*t->entities, row) : (uint32_t)row;
}

kanon_status kanon__classes_single(int64_t *records, int64_t *entities, const kanon__set_table *t, const uint32_t *class_of,
                                   int64_t n_classes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *owner = NULL;
    bool *seen = NULL;
    *records = *entities = 0;
    KANON_TRY(kanon__new_array(&owner, n_classes, "classes of records", err), out);
    KANON_TRY(kanon__new_array(&seen, t->entities != NULL ? t->n_entities : 0, "entities", err), out);
    memset(owner, 0xff, (size_t)n_classes * sizeof *owner);
    for (int64_t row = 0; row < t->n_rows; row++) {
        uint32_t *whose = &owner[class_of[row]], entity = entity_at(t, row);
        *whose = *whose == NOBODY || *whose == entity ? entity : SEVERAL;
    }
    for (int64_t row = 0; row < t->n_rows; row++) {
        uint32_t entity = entity_at(t, row);
        if (owner[class_of[row]] != entity)
            continue;
        ++*records;
        if (t->entities != NULL && !seen[entity]) {
            seen[entity] = true;
            ++*entities;
        }
    }
    if (t->entities == NULL)
        *entities = *records;
out:
    kanon__free(seen);
    kanon__free(owner);
    return st;
}

enum { ROW_NS = 20 }; /* to refine classes by a column and to count them */

/* ---- sets -------------------------------------------------------------------------------------------------------- */

typedef struct search {
    const kanon__set_table *table;
    kanon__column_set *sets;
    int candidates[KANON__SET_CANDIDATES];
    int n_candidates;
    int first[KANON__SET_CANDIDATES * KANON__SET_CANDIDATES]; /* by task: its pair, as places among the candidates */
    int second[KANON__SET_CANDIDATES * KANON__SET_CANDIDATES];
    int64_t begin[KANON__SET_CANDIDATES * KANON__SET_CANDIDATES]; /* by task: where its sets go */
    kanon__shared_ticker ticker;
} search;

static kanon_status count_set(kanon__column_set *out, const search *s, const uint32_t *class_of, int64_t n_classes,
                              kanon_error *err)
{
    out->classes = n_classes;
    return kanon__classes_single(&out->records, &out->entities, s->table, class_of, n_classes, err);
}

static kanon_status count_column(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    search *s = payload;
    uint32_t *class_of = NULL;
    int64_t n_classes = 1;
    s->sets[task] = (kanon__column_set){.n = 1, .columns = {(int)task}};
    KANON_TRY(kanon__poll_tick((s->table->n_rows + 1) * ROW_NS, err), out);
    KANON_TRY(kanon__new_array(&class_of, s->table->n_rows, "classes of records", err), out);
    KANON_TRY(kanon__classes_refine(class_of, &n_classes, s->table->n_rows, &s->table->columns[task], err), out);
    KANON_TRY(count_set(&s->sets[task], s, class_of, n_classes, err), out);
out:
    kanon__free(class_of);
    return st;
}

/* A pair of candidates, and each set of three that adds a later one. */
static kanon_status count_pair(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    search *s = payload;
    const kanon__set_table *t = s->table;
    const int *candidates = s->candidates;
    int i = s->first[task], j = s->second[task];
    kanon__column_set *next = s->sets + s->begin[task];
    uint32_t *pair = NULL, *triple = NULL;
    int64_t n_pair = 1, n_triple;
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &s->ticker);
    KANON_TRY(kanon__new_array(&pair, t->n_rows, "classes of records", err), out);
    KANON_TRY(kanon__new_array(&triple, t->n_rows, "classes of records", err), out);
    KANON_TRY(kanon__classes_refine(pair, &n_pair, t->n_rows, &t->columns[candidates[i]], err), out);
    KANON_TRY(kanon__classes_refine(pair, &n_pair, t->n_rows, &t->columns[candidates[j]], err), out);
    *next = (kanon__column_set){.n = 2, .columns = {candidates[i], candidates[j]}};
    KANON_TRY(count_set(next++, s, pair, n_pair, err), out);
    for (int k = j + 1; k < s->n_candidates; k++) {
        memcpy(triple, pair, (size_t)t->n_rows * sizeof *triple);
        n_triple = n_pair;
        KANON_TRY(kanon__classes_refine(triple, &n_triple, t->n_rows, &t->columns[candidates[k]], err), out);
        *next = (kanon__column_set){.n = 3, .columns = {candidates[i], candidates[j], candidates[k]}};
        KANON_TRY(count_set(next++, s, triple, n_triple, err), out);
        KANON_TRY(kanon__tick(&ticker, 0, 0, (t->n_rows + 1) * ROW_NS, err), out);
    }
    kanon__shared_ticker_add(&s->ticker, 1);
out:
    kanon__free(triple);
    kanon__free(pair);
    return st;
}

/* Fewer columns first, then more records, then more classes, then lower columns. */
static int by_strength(const void *left, const void *right)
{
    const kanon__column_set *a = left, *b = right;
    if (a->n != b->n)
        return a->n < b->n ? -1 : 1;
    if (a->records != b->records)
        return a->records > b->records ? -1 : 1;
    if (a->classes != b->classes)
        return a->classes > b->classes ? -1 : 1;
    for (int i = 0; i < a->n; i++)
        if (a->columns[i] != b->columns[i])
            return a->columns[i] < b->columns[i] ? -1 : 1;
    return 0;
}

static int by_number(const void *left, const void *right)
{
    int a = *(const int *)left, b = *(const int *)right;
    return a < b ? -1 : a > b;
}

/* The columns that single out most, in the order of the table. */
static void choose_candidates(search *s)
{
    qsort(s->sets, (size_t)s->table->n_columns, sizeof *s->sets, by_strength);
    s->n_candidates = s->table->n_columns < KANON__SET_CANDIDATES ? s->table->n_columns : (int)KANON__SET_CANDIDATES;
    for (int i = 0; i < s->n_candidates; i++)
        s->candidates[i] = s->sets[i].columns[0];
    qsort(s->candidates, (size_t)s->n_candidates, sizeof *s->candidates, by_number);
}

/* Number the pairs, and say where the sets of each go. Returns the number of pairs. */
static int64_t plan_pairs(search *s, int64_t *n_sets)
{
    int64_t n = 0;
    for (int i = 0; i < s->n_candidates; i++)
        for (int j = i + 1; j < s->n_candidates; j++) {
            s->first[n] = i;
            s->second[n] = j;
            s->begin[n++] = *n_sets;
            *n_sets += s->n_candidates - j;
        }
    return n;
}

kanon_status kanon__column_sets_find(kanon__column_set **out, int64_t *n, const kanon__set_table *table, int threads,
                                     const kanon__ticker *ticker, kanon_error *err)
{
    enum { C = KANON__SET_CANDIDATES, MOST_SETS = C * (C - 1) / 2 + C * (C - 1) * (C - 2) / 6 };
    kanon_status st = KANON_OK;
    search s = {.table = table};
    int64_t n_sets = table->n_columns, n_pairs = 0;
    bool shared = false;
    *out = NULL;
    *n = 0;
    KANON_TRY(kanon__new_array(&s.sets, n_sets + MOST_SETS, "sets of columns", err), out);
    KANON_TRY(kanon__pool_run(threads, table->n_columns, count_column, &s, err), out);
    choose_candidates(&s);
    n_pairs = plan_pairs(&s, &n_sets);
    kanon__shared_ticker_init(&s.ticker, ticker, n_pairs);
    shared = true;
    KANON_TRY(kanon__pool_run(threads, n_pairs, count_pair, &s, err), out);
    qsort(s.sets, (size_t)n_sets, sizeof *s.sets, by_strength);
    *n = n_sets;
    *out = s.sets;
    s.sets = NULL;
out:
    if (shared)
        kanon__shared_ticker_clear(&s.ticker);
    kanon__free(s.sets);
    return st;
}
