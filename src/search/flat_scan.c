/* See flat_scan.h. Costs of numbers are computed by the kernels, costs of categories looked up in a table that each question
 * fills; between two questions of a group the categories often stay as they were, and so do their sums. */
#include "search/flat_scan.h"

#include "core/alloc.h"

#include <string.h>

/* The kernels read up to 15 places behind the last slot. */
enum { BEHIND = 16 };

/* A visit of the tree takes as long as looking at so many records with vector instructions, or in plain C; climbing to an
 * ancestor takes as long as looking at a few. */
enum { SCANNED_PER_VISIT = 24, SCANNED_PER_VISIT_PLAIN = 2, SCANNED_PER_CLIMB = 4 };

int64_t kanon__flat_scan_work(const kanon__free_tree *t, int64_t n_free)
{
    int64_t work = n_free;
    for (int i = t->n_numbers + t->n_tables; i < t->n_numbers + t->n_tables + t->n_climbs; i++)
        work += SCANNED_PER_CLIMB * (int64_t)t->dimension[i]->n_codes;
    return work;
}

int64_t kanon__flat_scan_worth(int64_t n_visits)
{
    return n_visits * (kanon__kernels_nth(1) != NULL ? SCANNED_PER_VISIT : SCANNED_PER_VISIT_PLAIN);
}

/* ---- life cycle -------------------------------------------------------------------------------------------------- */

static bool is_free(const kanon__flat_scan *s, int64_t slot)
{
    return s->free[slot / 64] >> slot % 64 & 1;
}

static void set_bit(kanon__flat_scan *s, int64_t slot, bool free)
{
    uint64_t bit = (uint64_t)1 << slot % 64;
    s->free[slot / 64] = free ? s->free[slot / 64] | bit : s->free[slot / 64] & ~bit;
}

static void list_rows(kanon__flat_scan *s)
{
    const kanon__free_tree *t = s->tree;
    int n = t->space->n_dimensions;
    for (int64_t row = 0; row < t->space->n_rows; row++) {
        if (!kanon__free_tree_has(t, row))
            continue;
        const uint32_t *cells = kanon__free_tree_cells(t, row);
        int64_t slot = s->n_slots++;
        s->rows[slot] = (int32_t)row;
        s->slot_of[row] = (int32_t)slot;
        set_bit(s, slot, true);
        for (int i = 0; i < n; i++)
            s->columns[i * s->stride + slot] = cells[i];
    }
    s->n_free = s->n_slots;
}

/* Numbers as distances from one record, categories by the table; a span is set before each question. */
static void set_terms(kanon__flat_scan *s)
{
    const kanon__free_tree *t = s->tree;
    uint32_t *table = s->tables;
    for (int i = 0; i < t->space->n_dimensions; i++) {
        const uint32_t *column = s->columns + i * s->stride;
        s->terms[i] = (kanon__kernel_term){.at = (const int32_t *)column, .full = t->dimension[i]->full};
        if (i < t->n_numbers) {
            s->spans[i] = (kanon__span_term){.at = column, .full = t->dimension[i]->full};
            continue;
        }
        s->terms[i].table = table;
        s->terms[i].n_table = t->dimension[i]->n_codes;
        table += t->dimension[i]->n_codes;
    }
}

static int64_t count_table_entries(const kanon__free_tree *t)
{
    int64_t n = 0;
    for (int i = t->n_numbers; i < t->space->n_dimensions; i++)
        n += t->dimension[i]->n_codes;
    return n;
}

static int64_t count_free(const kanon__free_tree *t)
{
    int64_t n = 0;
    for (int64_t row = 0; row < t->space->n_rows; row++)
        n += kanon__free_tree_has(t, row);
    return n;
}

kanon_status kanon__flat_scan_new(kanon__flat_scan **out, kanon__free_tree *tree, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__flat_scan *s = NULL;
    int64_t n = count_free(tree), m = tree->space->n_dimensions;
    *out = NULL;
    kanon__free_tree_drop_nodes(tree);
    KANON_TRY(kanon__new_array(&s, 1, "free records", err), out);
    s->tree = tree;
    s->kernels = kanon__kernels_choose(false);
    s->stride = n + BEHIND;
    KANON_TRY(kanon__new_array(&s->rows, n, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->slot_of, tree->space->n_rows, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->free, n / 64 + 1, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->columns, s->stride * m, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->units, s->stride, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->tables, count_table_entries(tree), "free records", err), out);
    KANON_TRY(kanon__new_array(&s->terms, m, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->spans, m, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->known, 2 * m, "free records", err), out);
    list_rows(s);
    set_terms(s);
    *out = s;
    s = NULL;
out:
    kanon__flat_scan_free(s);
    return st;
}

void kanon__flat_scan_free(kanon__flat_scan *s)
{
    if (s == NULL)
        return;
    kanon__free(s->known);
    kanon__free(s->spans);
    kanon__free(s->terms);
    kanon__free(s->tables);
    kanon__free(s->units);
    kanon__free(s->columns);
    kanon__free(s->free);
    kanon__free(s->slot_of);
    kanon__free(s->rows);
    kanon__free(s);
}

/* ---- taking records ---------------------------------------------------------------------------------------------- */

/* Move the free slots together, in their order. */
static void close_ranks(kanon__flat_scan *s)
{
    int64_t n = 0, n_before = s->n_slots;
    for (int64_t slot = 0; slot < n_before; slot++)
        if (is_free(s, slot)) {
            s->slot_of[s->rows[slot]] = (int32_t)n;
            n++;
        }
    for (int i = 0; i < s->tree->space->n_dimensions; i++) {
        uint32_t *column = s->columns + i * s->stride;
        int64_t to = 0;
        for (int64_t slot = 0; slot < n_before; slot++) {
            column[to] = column[slot];
            to += is_free(s, slot);
        }
    }
    for (int64_t slot = 0, to = 0; slot < n_before; slot++) {
        s->rows[to] = s->rows[slot];
        to += is_free(s, slot);
    }
    s->n_slots = n;
    memset(s->free, 0, (size_t)(n_before / 64 + 1) * sizeof *s->free);
    for (int64_t slot = 0; slot < n; slot++)
        set_bit(s, slot, true);
    s->is_known = false;
}

void kanon__flat_scan_remove(kanon__flat_scan *s, int64_t row)
{
    set_bit(s, s->slot_of[row], false);
    if (--s->n_free < s->n_slots - s->n_slots / 8)
        close_ranks(s);
}

void kanon__flat_scan_hide(kanon__flat_scan *s, int64_t row, bool hidden)
{
    set_bit(s, s->slot_of[row], !hidden);
    s->n_free += hidden ? -1 : 1;
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* The table of a category: what each code costs together with lo .. hi. */
static void fill_table(const kanon__dimension *d, uint32_t lo, uint32_t hi, uint32_t *table)
{
    for (uint32_t code = 0; code < d->n_codes; code++)
        table[code] = kanon__dimension_units(d, kanon__smaller(lo, code), kanon__larger(hi, code));
}

static uint32_t *table_of(kanon__flat_scan *s, int column)
{
    return s->tables + (s->terms[column].table - s->tables);
}

static void measure_categories(kanon__flat_scan *s, const kanon__bound *box)
{
    const kanon__free_tree *t = s->tree;
    int first = t->n_numbers, n = t->space->n_dimensions - first;
    if (s->is_known && memcmp(s->known, box + 2 * first, (size_t)(2 * n) * sizeof *box) == 0)
        return;
    for (int i = first; i < first + n; i++)
        fill_table(t->dimension[i], box[2 * i], box[2 * i + 1], table_of(s, i));
    s->kernels->measure(s->units, s->n_slots, s->terms + first, n);
    memcpy(s->known, box + 2 * first, (size_t)(2 * n) * sizeof *box);
    s->is_known = true;
}

int64_t kanon__flat_scan_find_cheapest(kanon__flat_scan *s, const kanon__bound *box, uint32_t *units)
{
    if (s->n_free == 0)
        return -1;
    measure_categories(s, box);
    for (int i = 0; i < s->tree->n_numbers; i++) {
        s->spans[i].lo = box[2 * i];
        s->spans[i].hi = box[2 * i + 1];
    }
    return s->rows[s->kernels->find_cheapest(units, s->units, s->free, s->n_slots, s->spans, s->tree->n_numbers)];
}

/* A missing number lies farther out than it counts. */
static void cap_distances(uint32_t *units, const uint32_t *at, int64_t n, uint32_t own, uint32_t full)
{
    for (int64_t j = 0; j < n; j++) {
        uint32_t distance = at[j] < own ? own - at[j] : at[j] - own;
        units[j] -= distance < full ? 0 : distance - full;
    }
}

int64_t kanon__flat_scan_find_farthest(kanon__flat_scan *s, const uint32_t *own)
{
    const kanon__free_tree *t = s->tree;
    int64_t best = -1;
    for (int i = 0; i < t->space->n_dimensions; i++) {
        s->terms[i].own = (int32_t)own[i];
        if (i >= t->n_numbers)
            fill_table(t->dimension[i], own[i], own[i], table_of(s, i));
    }
    s->kernels->measure(s->units, s->n_slots, s->terms, t->space->n_dimensions);
    s->is_known = false;
    for (int i = 0; i < t->n_numbers; i++)
        if (t->dimension[i]->column->domain->missing_code != KANON__NO_CODE)
            cap_distances(s->units, s->columns + i * s->stride, s->n_slots, own[i], t->dimension[i]->full);
    for (int64_t slot = 0; slot < s->n_slots; slot++)
        if (is_free(s, slot) && (best < 0 || s->units[slot] > s->units[best]))
            best = slot;
    return best < 0 ? -1 : s->rows[best];
}
