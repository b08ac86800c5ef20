/* See free_set.h: the layout, the swap that removes an item, and the two scans. */
#include "search/free_set.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

static int by_code(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

/* The distinct codes of the set's rows on one dimension, ascending, at `codes`. Returns how many. */
static uint32_t distinct_codes(const kanon__free_set *s, const kanon__dimension *d, uint32_t *codes, uint8_t *seen)
{
    uint32_t n = 0;
    if ((int64_t)d->n_codes <= 4 * s->n_items) { /* marking is cheaper than sorting */
        memset(seen, 0, d->n_codes);
        for (int64_t i = 0; i < s->n_items; i++)
            seen[kanon__code_at(d->codes, s->rows[i])] = 1;
        for (uint32_t code = 0; code < d->n_codes; code++)
            if (seen[code])
                codes[n++] = code;
        return n;
    }
    for (int64_t i = 0; i < s->n_items; i++)
        codes[i] = kanon__code_at(d->codes, s->rows[i]);
    qsort(codes, (size_t)s->n_items, sizeof *codes, by_code);
    for (int64_t i = 0; i < s->n_items; i++)
        if (n == 0 || codes[n - 1] != codes[i])
            codes[n++] = codes[i];
    return n;
}

/* The position of a code, which occurs, in the ascending list: binary search unless the list has no gaps. */
static uint32_t find_code(const uint32_t *codes, uint32_t n, uint32_t code)
{
    uint32_t low = 0;
    if (n > 0 && codes[n - 1] - codes[0] + 1 == n)
        return code - codes[0]; /* no gaps */
    while (n > 1) {
        uint32_t half = n / 2;
        if (codes[low + half] <= code) {
            low += half;
            n -= half;
        } else {
            n = half;
        }
    }
    return low;
}

/* Lay out the cost table and turn every record's codes into its entries. */
static kanon_status build_table(kanon__free_set *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *space = s->space;
    int m = space->n_dimensions;
    uint8_t *seen = NULL;
    int64_t most = 0, capacity = 0;
    for (int i = 0; i < m; i++) {
        int64_t n_codes = space->dimensions[i].n_codes;
        capacity += n_codes <= 4 * s->n_items ? n_codes : s->n_items;
        most = n_codes > most ? n_codes : most;
    }
    if (capacity >= UINT32_MAX) {
        st = kanon__fail(err, KANON_ENOMEM, "too many distinct values in the quasi attributes for one search");
        goto out;
    }
    most = most <= 4 * s->n_items ? most : 4 * s->n_items;
    KANON_TRY(kanon__new_array(&seen, most, "the cost table", err), out);
    KANON_TRY(kanon__new_array(&s->codes, capacity, "the cost table", err), out);
    for (int i = 0; i < m; i++) {
        const kanon__dimension *d = &space->dimensions[i];
        uint32_t *codes = s->codes + s->first[i], n = distinct_codes(s, d, codes, seen);
        s->first[i + 1] = s->first[i] + n;
        for (int64_t item = 0; item < s->n_items; item++)
            s->tuples[item * m + i] = s->first[i] + find_code(codes, n, kanon__code_at(d->codes, s->rows[item]));
    }
    KANON_TRY(kanon__new_array(&s->cost, s->first[m], "the cost table", err), out);
out:
    kanon__free(seen);
    return st;
}

kanon_status kanon__free_set_new(kanon__free_set **out, const kanon__space *space, const int32_t *rows, int64_t n,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__free_set *s = NULL;
    int m = space->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "free records", err), out);
    s->space = space;
    s->n = s->n_items = rows != NULL ? n : space->n_rows;
    KANON_TRY(kanon__new_array(&s->rows, s->n, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->item_at, s->n, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->place, s->n, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->tuples, s->n * m, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->first, m + 1, "free records", err), out);
    for (int64_t i = 0; i < s->n; i++) {
        s->rows[i] = rows != NULL ? rows[i] : (int32_t)i;
        s->item_at[i] = s->place[i] = (int32_t)i;
    }
    KANON_TRY(build_table(s, err), out);
    *out = s;
    s = NULL;
out:
    kanon__free_set_free(s);
    return st;
}

void kanon__free_set_free(kanon__free_set *s)
{
    if (s == NULL)
        return;
    kanon__free(s->units);
    kanon__free(s->terms);
    kanon__free(s->columns);
    kanon__free(s->cost);
    kanon__free(s->codes);
    kanon__free(s->first);
    kanon__free(s->tuples);
    kanon__free(s->place);
    kanon__free(s->item_at);
    kanon__free(s->rows);
    kanon__free(s);
}

void kanon__free_set_reset(kanon__free_set *s)
{
    s->n = s->n_items;
}

/* The removed item swaps places with the last free one: the free ones stay together, and reset only has to set n. */
void kanon__free_set_remove(kanon__free_set *s, int64_t item)
{
    int m = s->space->n_dimensions;
    int64_t hole = s->place[item], last = --s->n;
    if (hole == last)
        return;
    uint32_t *a = s->tuples + hole * m, *b = s->tuples + last * m;
    for (int i = 0; i < m; i++) {
        uint32_t swap = a[i];
        a[i] = b[i];
        b[i] = swap;
    }
    for (int i = 0; s->columns != NULL && i < m; i++) {
        int32_t *column = s->columns + i * s->n_items, swap = column[hole];
        column[hole] = column[last];
        column[last] = swap;
    }
    s->item_at[hole] = s->item_at[last];
    s->item_at[last] = (int32_t)item;
    s->place[s->item_at[hole]] = (int32_t)hole;
    s->place[item] = (int32_t)last;
}

kanon_status kanon__free_set_lay_out(kanon__free_set *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int m = s->space->n_dimensions;
    s->kernels = kanon__kernels_choose(false);
    KANON_TRY(kanon__new_array(&s->columns, s->n_items * m, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->terms, m, "free records", err), out);
    KANON_TRY(kanon__new_array(&s->units, s->n_items, "free records", err), out);
    for (int i = 0; i < m; i++) {
        s->terms[i] = (kanon__kernel_term){
            .at = s->columns + i * s->n_items, .table = s->cost + s->first[i], .n_table = s->first[i + 1] - s->first[i]};
        for (int64_t place = 0; place < s->n_items; place++)
            s->columns[i * s->n_items + place] = (int32_t)(s->tuples[place * m + i] - s->first[i]);
    }
out:
    return st;
}

void kanon__free_set_measure(kanon__free_set *s)
{
    s->kernels->measure(s->units, s->n, s->terms, s->space->n_dimensions);
}

int64_t kanon__free_set_nth(const kanon__free_set *s, int64_t index)
{
    for (int64_t item = 0; item < s->n_items; item++)
        if (kanon__free_set_has(s, item) && index-- == 0)
            return item;
    return -1;
}

/* With lo .. hi the box: a code below it extends it to code .. hi, one above to lo .. code, one inside not at all. */
void kanon__free_set_cost_growth(kanon__free_set *s, const kanon__bound *box)
{
    for (int i = 0; i < s->space->n_dimensions; i++) {
        const kanon__dimension *d = &s->space->dimensions[i];
        uint32_t lo = box[2 * i], hi = box[2 * i + 1], inside = kanon__dimension_units(d, lo, hi);
        for (uint32_t entry = s->first[i]; entry < s->first[i + 1]; entry++) {
            uint32_t code = s->codes[entry];
            if (code < lo)
                s->cost[entry] = kanon__dimension_units(d, code, hi);
            else
                s->cost[entry] = code > hi ? kanon__dimension_units(d, lo, code) : inside;
        }
    }
}

/* Places are in no order, so ties have to be broken by the item. */
int64_t kanon__free_set_find_cheapest(kanon__free_set *s, const kanon__bound *box, uint32_t *units)
{
    int32_t best_item = -1;
    uint32_t best = UINT32_MAX;
    kanon__free_set_cost_growth(s, box);
    for (int64_t place = 0; place < s->n; place++) {
        uint32_t here = kanon__free_set_cost(s, place);
        if (here < best || (here == best && s->item_at[place] < best_item)) {
            best = here;
            best_item = s->item_at[place];
        }
    }
    if (units != NULL)
        *units = best;
    return best_item;
}

int64_t kanon__free_set_find_farthest(kanon__free_set *s, int64_t from, uint32_t *units)
{
    int32_t best_item = -1;
    uint32_t best = 0;
    for (int i = 0; i < s->space->n_dimensions; i++) {
        const kanon__dimension *d = &s->space->dimensions[i];
        uint32_t own = kanon__code_at(d->codes, s->rows[from]);
        for (uint32_t entry = s->first[i]; entry < s->first[i + 1]; entry++) {
            uint32_t code = s->codes[entry];
            s->cost[entry] = kanon__dimension_units(d, code < own ? code : own, code < own ? own : code);
        }
    }
    for (int64_t place = 0; place < s->n; place++) {
        uint32_t here = kanon__free_set_cost(s, place);
        if (best_item < 0 || here > best || (here == best && s->item_at[place] < best_item)) {
            best = here;
            best_item = s->item_at[place];
        }
    }
    if (units != NULL)
        *units = best;
    return best_item;
}
