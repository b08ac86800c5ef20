/* Rows and records that are matched by what they hold alone. See compare_original.h.
 *
 *     1. Records and rows with the same texts in all plain columns are a part. A row without a part that has records is of
 *        none of them; rows that a part has more of than records are there too often.
 *     2. In a part each record is held against the different rows, those of one kind at once. A kind without records is
 *        foreign; one with fewer records than rows has rows too many. In large parts an index (region_index.h) finds
 *        the records that a kind covers.
 *     3. Of all the pairs of kinds and records a largest matching says how many rows can have a record of their own; the
 *        others are too many. Where the pairs leave no choice, it is known which record a row is (place_rows.h).
 *
 * Every count is the least that there can be: nothing is wrong that is counted here, and what is wrong with rows that fit
 * other records may not be seen. */
#include "audit/class_table.h"
#include "audit/comparer.h"
#include "audit/place_rows.h"
#include "audit/region_index.h"
#include "core/alloc.h"
#include "core/heap.h"
#include "core/sort.h"

#include <string.h>

/* A row or a record of a part. */
typedef struct part_item {
    uint32_t part;
    int32_t item; /* a kind or a record */
} part_item;

typedef struct multiset {
    kanon__comparer *c;
    kanon__class_table parts, kinds;
    kanon__row_kinds rows;
    int64_t *covered;                 /* by kind: records that it covers */
    part_item *of_kinds, *of_records; /* by part */
    kanon__fitting_pair *pairs;       /* of kinds and the records that they cover */
    int64_t n_pairs, pairs_capacity;
    int *quasi, *places; /* the compared quasi columns, and where they are in the table */
    int n_quasi;
    const kanon__cell_regions **regions; /* of these */
    uint32_t *texts;                     /* of a kind in these */
    int64_t n_open;                      /* rows with * in a plain column: they may be of any part */
    int64_t n_looks;                     /* pairs of a kind and a record that were looked at */
    bool gave_up;
} multiset;

enum { PAIR_NS = 20 };
#define NO_PART UINT32_MAX
#define OPEN_PART (UINT32_MAX - 1)
/* More pairs of a record and a row that covers it are not looked at. */
static const int64_t MOST_LOOKS = 400 * 1000 * 1000, MOST_PAIRS = 16 * 1000 * 1000;

/* ---- parts ------------------------------------------------------------------------------------------------------- */

/* Whether the text of a cell is that of its record. */
static bool tells_records(const kanon__compared_column *column)
{
    return !column->quasi && !column->shuffled;
}

/* The part of a row, by its texts in the plain columns. */
static uint32_t part_of(const multiset *m, uint32_t *tuple, int64_t row)
{
    const kanon__comparer *c = m->c;
    bool is_known = true, is_open = false;
    int n = 0;
    for (int i = 0; i < c->found->n_columns; i++)
        if (tells_records(&c->found->columns[i])) {
            const kanon__reading *reading = &c->readings[i];
            uint32_t text = c->file[i].codes[row];
            tuple[n] = reading->code_of[text];
            is_known &= tuple[n++] != KANON__NO_CODE || reading->any[text];
            is_open |= reading->any[text];
        }
    return !is_known ? NO_PART : is_open ? OPEN_PART : kanon__class_table_find(&m->parts, tuple);
}

static kanon_status list_records(multiset *m, uint32_t *tuple, kanon_error *err)
{
    const kanon__comparer *c = m->c;
    int64_t n_records = c->found->n_records;
    KANON_CHECK(kanon__new_array(&m->of_records, n_records, "records", err));
    for (int64_t record = 0; record < n_records; record++) {
        int n = 0;
        for (int i = 0; i < c->found->n_columns; i++)
            if (tells_records(&c->found->columns[i]))
                tuple[n++] = c->plain[i].codes[record];
        KANON_CHECK(kanon__class_table_add(&m->parts, &m->of_records[record].part, tuple, err));
        m->of_records[record].item = (int32_t)record;
        KANON_CHECK(kanon__tick(c->ticker, record, n_records, PAIR_NS * 4, err));
    }
    return KANON_OK;
}

/* Every row becomes one of its kind. */
static kanon_status list_kinds(multiset *m, uint32_t *tuple, uint32_t *plain, kanon_error *err)
{
    const kanon__comparer *c = m->c;
    int64_t n_rows = c->found->n_rows, part_room = 0;
    KANON_CHECK(kanon__new_array(&m->rows.next_row, n_rows, "rows", err));
    KANON_CHECK(kanon__new_array(&m->rows.first_row, n_rows, "rows", err));
    KANON_CHECK(kanon__new_array(&m->rows.n_rows, n_rows, "rows", err));
    KANON_CHECK(kanon__new_array(&m->covered, n_rows, "rows", err));
    for (int64_t row = 0; row < n_rows; row++) {
        uint32_t kind, n_before = m->kinds.n;
        for (int i = 0; i < c->found->n_columns; i++)
            tuple[i] = c->found->columns[i].shuffled ? 0 : c->file[i].codes[row];
        KANON_CHECK(kanon__class_table_add(&m->kinds, &kind, tuple, err));
        if (kind == n_before) {
            KANON_CHECK(kanon__grow_array(&m->of_kinds, &part_room, (int64_t)kind + 1, "rows", err));
            m->rows.first_row[kind] = -1;
            m->of_kinds[kind] = (part_item){part_of(m, plain, row), (int32_t)kind};
        }
        m->rows.next_row[row] = m->rows.first_row[kind];
        m->rows.first_row[kind] = (int32_t)row;
        m->rows.n_rows[kind]++;
        KANON_CHECK(kanon__tick(c->ticker, row, n_rows, PAIR_NS * 8, err));
    }
    return KANON_OK;
}

static int by_part(const void *left, const void *right)
{
    const part_item *a = left, *b = right;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

/* ---- records and the kinds that cover them ----------------------------------------------------------------------- */

static bool kind_covers(const multiset *m, int32_t kind, int64_t record)
{
    const kanon__comparer *c = m->c;
    int64_t row = m->rows.first_row[kind];
    for (int i = 0; i < m->n_quasi; i++) {
        int column = m->quasi[i];
        if (!kanon__reading_fits(c, &c->readings[column], c->file[column].codes[row], record))
            return false;
    }
    return true;
}

static kanon_status note_cover(multiset *m, int32_t kind, int32_t record, kanon_error *err)
{
    m->covered[kind]++;
    if (m->n_pairs > MOST_PAIRS)
        return KANON_OK;
    KANON_CHECK(kanon__grow_array(&m->pairs, &m->pairs_capacity, m->n_pairs + 1, "rows and records", err));
    m->pairs[m->n_pairs++] = (kanon__fitting_pair){kind, record};
    return KANON_OK;
}

static kanon_status match_directly(multiset *m, const part_item *kinds, int64_t n_kinds, const part_item *records,
                                   int64_t n_records, kanon_error *err)
{
    for (int64_t i = 0; i < n_records; i++) {
        for (int64_t j = 0; j < n_kinds; j++)
            if (kind_covers(m, kinds[j].item, records[i].item))
                KANON_CHECK(note_cover(m, kinds[j].item, records[i].item, err));
        KANON_CHECK(kanon__tick(m->c->ticker, 0, 0, PAIR_NS * n_kinds, err));
    }
    m->n_looks += n_kinds * n_records;
    return KANON_OK;
}

/* What a search in the records of a part needs to know. */
typedef struct part_search {
    multiset *m;
    const kanon__region_index *index;
    const part_item *records;
    int32_t kind;
} part_search;

static kanon_status note_run(int32_t node, int32_t begin, int32_t end, void *payload, kanon_error *err)
{
    const part_search *s = payload;
    const kanon__tuples *tuples = s->index->tuples;
    (void)node;
    s->m->n_looks += end - begin;
    for (int32_t place = begin; place < end && s->m->n_looks <= MOST_LOOKS; place++) {
        int32_t tuple = s->index->tree->order[place];
        for (int64_t i = tuples->begins[tuple]; i < tuples->begins[tuple + 1]; i++)
            KANON_CHECK(note_cover(s->m, s->kind, s->records[tuples->rows[i]].item, err));
    }
    return KANON_OK;
}

static kanon_status match_by_index(multiset *m, const part_item *kinds, int64_t n_kinds, const part_item *records,
                                   int64_t n_records, kanon_error *err)
{
    enum { KIND_NS = 5000 };
    kanon_status st = KANON_OK;
    const kanon__comparer *c = m->c;
    kanon__data part = {0};
    int32_t *rows = NULL;
    kanon__region_index *index = NULL;
    KANON_TRY(kanon__new_array(&rows, n_records, "records", err), out);
    for (int64_t i = 0; i < n_records; i++)
        rows[i] = records[i].item;
    KANON_TRY(kanon__data_rows(&part, &c->table->data, rows, n_records, err), out);
    KANON_TRY(kanon__region_index_new(&index, &part, m->places, m->n_quasi, err), out);
    for (int64_t j = 0; j < n_kinds && !m->gave_up; j++) {
        part_search search = {m, index, records, kinds[j].item};
        const kanon__region_query query = {m->regions, m->texts};
        for (int i = 0; i < m->n_quasi; i++)
            m->texts[i] = c->file[m->quasi[i]].codes[m->rows.first_row[kinds[j].item]];
        KANON_TRY(kanon__region_index_find(index, &query, note_run, &search, err), out);
        m->gave_up = m->n_looks > MOST_LOOKS;
        KANON_TRY(kanon__tick(c->ticker, j, n_kinds, KIND_NS, err), out);
    }
out:
    kanon__region_index_free(index);
    kanon__data_clear_rows(&part);
    kanon__free(rows);
    return st;
}

/* Whether an index is cheaper than to look at every pair. */
static bool is_large(int64_t n_kinds, int64_t n_records)
{
    enum { LOOKS = 400 };
    return n_kinds > LOOKS && n_records > LOOKS;
}

/* What is wrong with the rows of a part at least. */
static kanon_status match_part(multiset *m, const part_item *kinds, int64_t n_kinds, const part_item *records,
                               int64_t n_records, kanon_error *err)
{
    int64_t n_rows = 0, foreign = 0, too_many = 0;
    for (int64_t j = 0; j < n_kinds; j++)
        n_rows += m->rows.n_rows[kinds[j].item];
    if (!m->gave_up)
        KANON_CHECK(is_large(n_kinds, n_records) ? match_by_index(m, kinds, n_kinds, records, n_records, err)
                                                 : match_directly(m, kinds, n_kinds, records, n_records, err));
    for (int64_t j = 0; j < n_kinds && !m->gave_up; j++) {
        int64_t n = m->rows.n_rows[kinds[j].item], covered = m->covered[kinds[j].item];
        foreign += covered == 0 ? n : 0;
        too_many += n > covered ? n - covered : 0;
    }
    too_many = n_rows - n_records > too_many ? n_rows - n_records : too_many;
    m->c->found->foreign += foreign;
    m->c->found->doubled += too_many - foreign;
    return KANON_OK;
}

static kanon_status match_parts(multiset *m, kanon_error *err)
{
    kanon__comparison *found = m->c->found;
    int64_t n_kinds = m->kinds.n, kind = 0, record = 0;
    while (kind < n_kinds && m->of_kinds[kind].part < OPEN_PART) {
        uint32_t part = m->of_kinds[kind].part;
        int64_t end = kind, record_end;
        while (end < n_kinds && m->of_kinds[end].part == part)
            end++;
        while (record < found->n_records && m->of_records[record].part < part)
            record++;
        for (record_end = record; record_end < found->n_records && m->of_records[record_end].part == part;)
            record_end++;
        KANON_CHECK(match_part(m, m->of_kinds + kind, end - kind, m->of_records + record, record_end - record, err));
        kind = end;
        record = record_end;
    }
    for (; kind < n_kinds; kind++) {
        int64_t n = m->rows.n_rows[m->of_kinds[kind].item];
        found->foreign += m->of_kinds[kind].part == NO_PART ? n : 0;
        m->n_open += m->of_kinds[kind].part == OPEN_PART ? n : 0;
    }
    found->missing = found->n_records - (found->n_rows - found->foreign - found->doubled);
    return KANON_OK;
}

/* ---- which record a row is --------------------------------------------------------------------------------------- */

static int by_record(const void *left, const void *right)
{
    const kanon__fitting_pair *a = left, *b = right;
    if (a->record != b->record)
        return a->record < b->record ? -1 : 1;
    return (a->kind > b->kind) - (a->kind < b->kind);
}

/* Rows that each fit a record may fit too few together. Rows that may be of any part are left out. */
static kanon_status match_together(multiset *m, kanon_error *err)
{
    kanon__comparison *found = m->c->found;
    int64_t n_placed = 0;
    if (m->gave_up)
        return KANON_OK;
    KANON_CHECK(kanon__most_placed(&n_placed, &m->rows, found->n_records, m->pairs, m->n_pairs, err));
    int64_t n_wrong = found->n_rows - m->n_open - found->foreign - n_placed;
    if (n_wrong > found->doubled) {
        found->missing += n_wrong - found->doubled;
        found->doubled = n_wrong;
    }
    return KANON_OK;
}

/* Nothing is known of rows that may be of any part, and where some rows are of no record nothing is sure. */
static kanon_status place_rows(multiset *m, kanon_error *err)
{
    kanon__comparison *found = m->c->found;
    bool is_sound = found->foreign == 0 && found->doubled == 0 && m->n_open == 0 && !m->gave_up;
    found->unplaced = found->n_rows;
    for (int64_t row = 0; row < found->n_rows; row++)
        found->row_of[row] = found->owner_of[row] = -1;
    if (!is_sound)
        return KANON_OK;
    return kanon__place_rows(found, &m->c->table->data, &m->rows, m->pairs, m->n_pairs, found->missing == 0, m->c->class_of,
                             err);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Cells of which no record of the table has the value, or one that they cover. */
static kanon_status count_strange(kanon__comparer *c, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__compared_column *column = &c->found->columns[i];
    const kanon__reading *reading = &c->readings[i];
    const kanon__column *originals = &c->table->data.columns[column->place];
    int64_t *before = NULL; /* by code: records of smaller ones */
    uint32_t n_codes = column->quasi ? originals->domain->n_codes : 0;
    KANON_TRY(kanon__new_array(&before, (int64_t)n_codes + 1, "values", err), out);
    for (int64_t record = 0; column->quasi && record < c->found->n_records; record++)
        before[kanon__code_at(originals->codes, record) + 1]++;
    for (uint32_t code = 0; code < n_codes; code++)
        before[code + 1] += before[code];
    for (int64_t row = 0; row < c->found->n_rows; row++) {
        uint32_t text = c->file[i].codes[row];
        bool fits = !column->quasi && text != KANON__NO_CODE &&
                    (reading->any[text] || reading->code_of[text] != KANON__NO_CODE);
        const kanon__cell_region *region = column->quasi ? kanon__cell_region_of(&reading->regions, text) : NULL;
        for (; region != NULL && !fits; region = kanon__cell_region_next(&reading->regions, region))
            fits = region->lo <= region->hi && before[region->hi + 1] > before[region->lo];
        column->uncovered += !fits;
    }
out:
    kanon__free(before);
    return st;
}

/* Cells of one text, while codes are dealt out to them. */
typedef struct cell_run {
    uint32_t lo, hi;
    int64_t n;
} cell_run;

static int by_low(const void *left, const void *right)
{
    const cell_run *a = left, *b = right;
    return (a->lo > b->lo) - (a->lo < b->lo);
}

#define ENDS_BEFORE(a, b) ((a)->hi < (b)->hi)
KANON__HEAP(run_heap, cell_run, ENDS_BEFORE);

/* Each value goes to the cell that covers it and ends first: no other way gives a value to more cells. */
static kanon_status deal_out(int64_t *out, cell_run *runs, int64_t n_runs, const int64_t *counts, uint32_t n_codes,
                             kanon_error *err)
{
    kanon_status st = KANON_OK;
    run_heap waiting = {0};
    int64_t next = 0;
    for (uint32_t code = 0; code < n_codes; code++) {
        int64_t n = counts[code];
        for (; next < n_runs && runs[next].lo <= code; next++)
            KANON_TRY(run_heap_push(&waiting, runs[next], err), out);
        while (waiting.n > 0 && (n > 0 || waiting.items[0].hi < code)) {
            cell_run first = run_heap_pop(&waiting);
            int64_t taken = first.hi < code ? 0 : first.n < n ? first.n : n;
            n -= taken;
            first.n -= taken;
            if (first.n == 0)
                continue;
            if (first.hi >= code) {
                KANON_TRY(run_heap_push(&waiting, first, err), out);
                break;
            }
            *out += first.n;
        }
    }
    for (int64_t i = 0; i < waiting.n; i++)
        *out += waiting.items[i].n;
out:
    run_heap_clear(&waiting);
    return st;
}

static kanon_status count_unmatched_regions(int64_t *out, const kanon__comparer *c, const kanon__reading *reading, int file,
                                            kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *originals = &c->table->data.columns[c->found->columns[reading->column].place];
    uint32_t n_codes = originals->domain->n_codes, n_texts = reading->regions.n_texts;
    int64_t *counts = NULL, n_runs = 0;
    cell_run *runs = NULL;
    KANON_TRY(kanon__new_array(&counts, n_codes, "values", err), out);
    KANON_TRY(kanon__new_array(&runs, (int64_t)n_texts + 1, "cells", err), out);
    for (int64_t record = 0; record < c->found->n_records; record++)
        counts[kanon__code_at(originals->codes, record)]++;
    for (int64_t row = 0; row < c->found->n_rows; row++) {
        uint32_t text = c->file[file].codes[row];
        runs[text < n_texts ? text : n_texts].n++;
    }
    for (uint32_t text = 0; text <= n_texts; text++) { /* of several runs all that is between them, too */
        const kanon__cell_region *region = kanon__cell_region_of(&reading->regions, text);
        cell_run run = {UINT32_MAX, 0, runs[text].n};
        for (; region != NULL; region = kanon__cell_region_next(&reading->regions, region))
            if (region->lo <= region->hi) {
                run.lo = region->lo < run.lo ? region->lo : run.lo;
                run.hi = region->hi > run.hi ? region->hi : run.hi;
            }
        if (run.lo <= run.hi && run.n > 0)
            runs[n_runs++] = run;
        else
            *out += run.n;
    }
    KANON_TRY(kanon__sort(runs, n_runs, sizeof *runs, by_low, err), out);
    KANON_TRY(deal_out(out, runs, n_runs, counts, n_codes, err), out);
out:
    kanon__free(runs);
    kanon__free(counts);
    return st;
}

static kanon_status count_unmatched_texts(int64_t *out, const kanon__comparer *c, const kanon__reading *reading, int file,
                                          kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__file_column *originals = &c->plain[reading->column];
    int64_t *left = NULL;
    KANON_TRY(kanon__new_array(&left, originals->texts.n, "values", err), out);
    for (int64_t record = 0; record < c->found->n_records; record++)
        left[originals->codes[record]]++;
    for (int64_t row = 0; row < c->found->n_rows; row++) {
        uint32_t text = c->file[file].codes[row];
        if (text != KANON__NO_CODE && reading->any[text])
            continue;
        uint32_t code = text != KANON__NO_CODE ? reading->code_of[text] : KANON__NO_CODE;
        *out += code == KANON__NO_CODE || left[code]-- <= 0;
    }
out:
    kanon__free(left);
    return st;
}

kanon_status kanon__unmatched_cells(int64_t *out, const kanon__comparer *c, const kanon__reading *reading, int file,
                                    kanon_error *err)
{
    *out = 0;
    return c->found->columns[reading->column].quasi ? count_unmatched_regions(out, c, reading, file, err)
                                                    : count_unmatched_texts(out, c, reading, file, err);
}

/* What the schema permutes: where it is known which records a class has, its cells are the values of these. */
static kanon_status count_shuffled(kanon__comparer *c, kanon__compared_column *column, kanon_error *err)
{
    int64_t differ = 0;
    if (!column->shuffled || c->class_of == NULL)
        return KANON_OK;
    KANON_CHECK(kanon__permuted_cells(&differ, &column->untold, c, (int)(column - c->found->columns), c->class_of, err));
    if (differ > column->uncovered)
        column->uncovered = differ;
    return KANON_OK;
}

/* Rows that are there too often take values from others: what goes beyond them is wrong with the cells themselves. */
static kanon_status count_cells(kanon__comparer *c, kanon_error *err)
{
    kanon__comparison *found = c->found;
    for (int i = 0; i < found->n_columns; i++) {
        int64_t unmatched = 0;
        if (found->columns[i].means)
            continue;
        KANON_CHECK(count_strange(c, i, err));
        KANON_CHECK(kanon__unmatched_cells(&unmatched, c, &c->readings[i], i, err));
        unmatched -= found->foreign + found->doubled;
        if (unmatched > found->columns[i].uncovered)
            found->columns[i].uncovered = unmatched;
        KANON_CHECK(count_shuffled(c, &found->columns[i], err));
        KANON_CHECK(kanon__tick(c->ticker, 0, 0, KANON__TICK_POLL_NS, err));
    }
    return KANON_OK;
}

/* ---- one call ---------------------------------------------------------------------------------------------------- */

static kanon_status list_quasi(multiset *m, kanon_error *err)
{
    const kanon__comparison *found = m->c->found;
    KANON_CHECK(kanon__new_array(&m->quasi, found->n_columns, "columns", err));
    KANON_CHECK(kanon__new_array(&m->places, found->n_columns, "columns", err));
    KANON_CHECK(kanon__new_array(&m->regions, found->n_columns, "columns", err));
    KANON_CHECK(kanon__new_array(&m->texts, found->n_columns, "columns", err));
    for (int i = 0; i < found->n_columns; i++)
        if (found->columns[i].quasi && !found->columns[i].means) {
            m->places[m->n_quasi] = found->columns[i].place;
            m->regions[m->n_quasi] = &m->c->readings[i].regions;
            m->quasi[m->n_quasi++] = i;
        }
    return KANON_OK;
}

static kanon_status match_rows(multiset *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__comparison *found = m->c->found;
    uint32_t *tuple = NULL, *plain = NULL;
    KANON_TRY(list_quasi(m, err), out);
    for (int i = 0; i < found->n_columns; i++)
        m->parts.width += tells_records(&found->columns[i]);
    m->kinds.width = found->n_columns;
    KANON_TRY(kanon__new_array(&tuple, found->n_columns, "a row", err), out);
    KANON_TRY(kanon__new_array(&plain, found->n_columns, "a row", err), out);
    KANON_TRY(list_records(m, tuple, err), out);
    KANON_TRY(list_kinds(m, tuple, plain, err), out);
    KANON_TRY(kanon__sort(m->of_records, found->n_records, sizeof *m->of_records, by_part, err), out);
    KANON_TRY(kanon__sort(m->of_kinds, m->kinds.n, sizeof *m->of_kinds, by_part, err), out);
    m->rows.n = (int32_t)m->kinds.n;
    KANON_TRY(match_parts(m, err), out);
    m->gave_up |= m->n_pairs > MOST_PAIRS;
    found->is_partial = m->gave_up;
    KANON_TRY(kanon__sort(m->pairs, m->n_pairs, sizeof *m->pairs, by_record, err), out);
    KANON_TRY(match_together(m, err), out);
    KANON_TRY(place_rows(m, err), out);
out:
    kanon__free(plain);
    kanon__free(tuple);
    return st;
}

kanon_status kanon__compare_multiset(kanon__comparer *c, kanon_error *err)
{
    multiset m = {.c = c};
    kanon_status st = match_rows(&m, err);
    if (st == KANON_OK)
        st = count_cells(c, err);
    kanon__free(m.texts);
    kanon__free(m.regions);
    kanon__free(m.places);
    kanon__free(m.quasi);
    kanon__free(m.pairs);
    kanon__free(m.of_records);
    kanon__free(m.of_kinds);
    kanon__free(m.covered);
    kanon__free(m.rows.n_rows);
    kanon__free(m.rows.first_row);
    kanon__free(m.rows.next_row);
    kanon__class_table_clear(&m.kinds);
    kanon__class_table_clear(&m.parts);
    return st;
}
