/* mondrian: recursive median splits.
 *
 * The table is split at the median of its widest attribute into two parts, and so on with each part, as long as both sides
 * keep k records. What cannot be split any further is a group.
 *
 * Paper: LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006. The steps of its
 * recursion, as numbered below: 1 no allowable cut: the part is a group; 2 choose the dimension; 3 find the median; 4 divide
 * the part there; 5 go on with both sides.
 * Cost: O(attributes * n log(n/k)); n words of memory.
 * Ties: among equally wide attributes the first in the table; records of equal value in record order. No random numbers.
 * Differences from the paper: width is the loss that the attribute has in the part (its term of D, weights included), the
 * same for numbers and categories; categories are ordered as their leaves stand in the taxonomy. If the widest attribute
 * allows no split, the next one is tried. Strict: the median's records go left as in the paper, but right where the right
 * side would otherwise fall below k; without this a value that half of the records share could never be split off.
 *
 * Codes are read column by column through `order`. For a small part that would jump through the whole table: its codes are
 * copied once, and until the part is done `order` has places in this copy, which stays in the cache. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "core/select.h"
#include "partition/row_parts.h"

#include <string.h>

enum { COPIED_ROWS = 4096 };   /* a part of so many rows is copied */
enum { COUNTED_CODES = 8192 }; /* a median of so many codes is found by counting */

typedef struct mondrian_state {
    kanon__run *run;
    bool strict;
    int32_t *order;      /* rows, part by part (partition/row_parts.h); of the part that is copied, places in the copy */
    int32_t *scratch;    /* as long */
    uint32_t *codes;     /* of the dimension at hand, as long */
    uint32_t *sorted;    /* the same, while a median is searched for: `scratch` */
    uint32_t *counts;    /* by code */
    uint32_t *copy;      /* codes by dimension and place */
    int32_t *rows;       /* by place in the copy */
    int64_t copied_rows; /* places of the copy */
    int64_t copied_to;   /* where the part that is copied ends; parts are finished from left to right */
    kanon__row_parts stack;
    kanon__bound *within; /* by part of the stack: a box that it lies in, that of the part that it is half of */
    int64_t within_capacity;
} mondrian_state;

/* Codes that are looked at before the range is compared with the one that it lies in. */
enum { RANGE_STEP = 64 };

/* ---- codes ------------------------------------------------------------------------------------------------------- */

static bool is_copied(const mondrian_state *s, kanon__row_part p)
{
    return p.begin < s->copied_to;
}

/* ACTION for each code of the part on a dimension, with its number j: one loop for each width of codes. */
#define FOR_CODES(s, p, dimension, ACTION)                                                                                  \
    do {                                                                                                                    \
        kanon__codes codes = (s)->run->space->dimensions[dimension].codes;                                                  \
        if (is_copied(s, p))                                                                                                \
            FOR_CELLS(uint32_t, (s)->copy + (dimension) * (s)->copied_rows, ACTION);                                        \
        else if (codes.width == 1)                                                                                          \
            FOR_CELLS(uint8_t, codes.cells, ACTION);                                                                        \
        else if (codes.width == 2)                                                                                          \
            FOR_CELLS(uint16_t, codes.cells, ACTION);                                                                       \
        else                                                                                                                \
            FOR_CELLS(uint32_t, codes.cells, ACTION);                                                                       \
    } while (0)
#define FOR_CELLS(type, cells, ACTION)                                                                                      \
    do {                                                                                                                    \
        for (int64_t j = 0; j < n; j++) {                                                                                   \
            uint32_t code = ((const type *)(cells))[order[j]];                                                              \
            ACTION;                                                                                                         \
        }                                                                                                                   \
    } while (0)

static void read_codes(const mondrian_state *s, kanon__row_part p, int dimension, uint32_t *out)
{
    const int32_t *order = s->order + p.begin;
    int64_t n = p.end - p.begin;
    FOR_CODES(s, p, dimension, out[j] = code);
}

/* A range that has grown to all of `within` grows no more: half of a part mostly has both ends of it soon. */
static void find_range(const mondrian_state *s, kanon__row_part p, int dimension, const kanon__bound *within,
                       uint32_t *lo_out, uint32_t *hi_out)
{
    uint32_t lo = UINT32_MAX, hi = 0;
    for (int64_t begin = p.begin; begin < p.end && (lo > within[0] || hi < within[1]); begin += RANGE_STEP) {
        const int32_t *order = s->order + begin;
        int64_t n = p.end - begin < RANGE_STEP ? p.end - begin : RANGE_STEP;
        FOR_CODES(s, p, dimension, (lo = code < lo ? code : lo, hi = code > hi ? code : hi));
    }
    *lo_out = lo;
    *hi_out = hi;
}

/* From here on until the part is done, its rows are places in the copy. */
static void copy_part(mondrian_state *s, kanon__row_part p)
{
    for (int i = 0; i < s->run->space->n_dimensions; i++)
        read_codes(s, p, i, s->copy + i * s->copied_rows);
    for (int64_t j = p.begin; j < p.end; j++) {
        s->rows[j - p.begin] = s->order[j];
        s->order[j] = (int32_t)(j - p.begin);
    }
    s->copied_to = p.end;
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

/* A dimension and the width of the part on it. */
typedef struct width {
    uint32_t units, lo, hi;
    int dimension;
} width;

/* Step 4: move the rows of the part that go left to its front, both sides keeping their order: all below `code`, and the
 * first `n_ties` of those that have it. Returns where the right side begins. */
static int64_t divide(mondrian_state *s, kanon__row_part p, uint32_t code, int64_t n_ties)
{
    int64_t left = p.begin, right = 0;
    for (int64_t i = p.begin; i < p.end; i++) { /* without a branch: written to both sides, counted on one */
        int32_t row = s->order[i];
        uint32_t own = s->codes[i - p.begin];
        bool is_tie = own == code, is_left = own < code || (is_tie && n_ties > 0);
        n_ties -= is_tie;
        s->order[left] = s->scratch[right] = row;
        left += is_left;
        right += !is_left;
    }
    memcpy(s->order + left, s->scratch, (size_t)right * sizeof *s->order);
    return left;
}

/* Step 3: the median of the part's codes, how many are below it and how many have it. */
static uint32_t find_median(mondrian_state *s, int64_t n, const width *w, int64_t *below, int64_t *ties)
{
    uint32_t n_codes = w->hi - w->lo + 1, median = 0;
    *below = *ties = 0;
    if (n_codes > COUNTED_CODES || n_codes > n) { /* of few records a selection is faster */
        memcpy(s->sorted, s->codes, (size_t)n * sizeof *s->sorted);
        median = kanon__select(s->sorted, n, (n - 1) / 2);
        for (int64_t i = 0; i < n; i++) {
            *below += s->codes[i] < median;
            *ties += s->codes[i] == median;
        }
        return median;
    }
    memset(s->counts, 0, n_codes * sizeof *s->counts);
    for (int64_t i = 0; i < n; i++)
        s->counts[s->codes[i] - w->lo]++;
    while (*below + s->counts[median] <= (n - 1) / 2)
        *below += s->counts[median++];
    *ties = s->counts[median];
    return median + w->lo;
}

/* Steps 3 and 4 on a dimension; *middle = 0 where one side would fall below k. */
static void split_at_median(mondrian_state *s, kanon__row_part p, const width *w, int64_t *middle)
{
    int64_t n = p.end - p.begin, below, ties;
    read_codes(s, p, w->dimension, s->codes);
    uint32_t median = find_median(s, n, w, &below, &ties);
    int64_t n_left = s->strict ? below + ties : n / 2;
    if (s->strict && n - n_left < s->run->k)
        n_left = below;
    *middle = 0;
    if (ties < n && n_left >= s->run->k && n - n_left >= s->run->k)
        *middle = divide(s, p, median, n_left - below);
}

/* Step 2: the dimensions of a part, the widest first; equally wide ones as in the table. */
static void sort_by_width(const mondrian_state *s, kanon__row_part p, const kanon__bound *within, width *widths)
{
    const kanon__space *space = s->run->space;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t lo, hi;
        find_range(s, p, i, within + 2 * i, &lo, &hi);
        width own = {kanon__dimension_units(&space->dimensions[i], lo, hi), lo, hi, i};
        int at = i;
        for (; at > 0 && widths[at - 1].units < own.units; at--)
            widths[at] = widths[at - 1];
        widths[at] = own;
    }
}

/* Step 1: the part is a group. */
static void make_group(mondrian_state *s, kanon__row_part p)
{
    kanon__run *run = s->run;
    for (int64_t i = p.begin; i < p.end; i++)
        run->group_of[is_copied(s, p) ? s->rows[s->order[i]] : s->order[i]] = run->n_groups;
    run->n_groups++;
}

/* Push both sides of a part, which lie in its box. */
static kanon_status push_halves(mondrian_state *s, kanon__row_part p, int64_t middle, const width *widths, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_bounds = 2 * s->run->space->n_dimensions, first = s->stack.n;
    KANON_TRY(kanon__grow_array(&s->within, &s->within_capacity, (first + 2) * n_bounds, "parts of the table", err), out);
    for (int i = 0; i < s->run->space->n_dimensions; i++) {
        s->within[first * n_bounds + 2 * widths[i].dimension] = widths[i].lo;
        s->within[first * n_bounds + 2 * widths[i].dimension + 1] = widths[i].hi;
    }
    memcpy(s->within + (first + 1) * n_bounds, s->within + first * n_bounds, (size_t)n_bounds * sizeof *s->within);
    st = kanon__row_parts_push_halves(&s->stack, p, middle, err);
out:
    return st;
}

/* Split the part on the widest dimension that allows it and push both sides, or make it a group. */
static kanon_status handle_part(mondrian_state *s, kanon__row_part p, width *widths, kanon_error *err)
{
    int64_t middle = 0;
    if (p.end - p.begin >= 2 * s->run->k) {
        if (!is_copied(s, p) && p.end - p.begin <= s->copied_rows)
            copy_part(s, p);
        sort_by_width(s, p, s->within + 2 * s->stack.n * s->run->space->n_dimensions, widths);
        for (int i = 0; i < s->run->space->n_dimensions && middle == 0; i++)
            split_at_median(s, p, &widths[i], &middle);
    }
    if (middle > 0)
        return push_halves(s, p, middle, widths, err);
    make_group(s, p);
    return KANON_OK;
}

static kanon_status run_mondrian(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    mondrian_state s = {.run = run, .strict = kanon__setting_is(run->settings, "ties", "strict")};
    width *widths = NULL;
    int64_t n = run->space->n_rows, n_done = 0;
    s.copied_rows = n < COPIED_ROWS ? n : COPIED_ROWS;
    KANON_TRY(kanon__new_array(&s.order, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.scratch, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.codes, n, "codes", err), out);
    KANON_TRY(kanon__new_array(&s.counts, n < COUNTED_CODES ? n : COUNTED_CODES, "codes", err), out);
    KANON_TRY(kanon__new_array(&s.copy, s.copied_rows * run->space->n_dimensions, "codes", err), out);
    KANON_TRY(kanon__new_array(&s.rows, s.copied_rows, "row order", err), out);
    KANON_TRY(kanon__new_array(&widths, run->space->n_dimensions, "widths", err), out);
    s.sorted = (uint32_t *)s.scratch; /* a median is found before rows are moved */
    for (int64_t row = 0; row < n; row++)
        s.order[row] = (int32_t)row;
    KANON_TRY(kanon__grow_array(&s.within, &s.within_capacity, 2 * run->space->n_dimensions, "parts of the table", err),
              out);
    for (int i = 0; i < run->space->n_dimensions; i++) {
        s.within[2 * i] = 0;
        s.within[2 * i + 1] = run->space->dimensions[i].n_codes - 1;
    }
    KANON_TRY(kanon__row_parts_push(&s.stack, (kanon__row_part){0, n}, err), out);
    while (s.stack.n > 0) {
        kanon__row_part p = kanon__row_parts_pop(&s.stack);
        int32_t before = run->n_groups;
        KANON_TRY(handle_part(&s, p, widths, err), out);
        n_done += run->n_groups > before ? p.end - p.begin : 0;
        KANON_TRY(kanon__tick(run->ticker, n_done, n, 20 * (p.end - p.begin), err), out);
    }
out:
    kanon__free(s.within);
    kanon__free(s.stack.items);
    kanon__free(widths);
    kanon__free(s.rows);
    kanon__free(s.copy);
    kanon__free(s.counts);
    kanon__free(s.codes);
    kanon__free(s.scratch);
    kanon__free(s.order);
    return st;
}

static const kanon_setting_info mondrian_settings[] = {
    {.name = "ties",
     .type = KANON_SETTING_CHOICE,
     .default_value = "strict",
     .choices = "strict|relaxed",
     .help = "strict keeps records of equal value on one side of a split, relaxed lets them fall on both"},
};

const kanon__algorithm kanon__algorithm_mondrian = {
    .info =
        {.name = "mondrian",
         .summary = "split the table at medians as long as both sides keep k records",
         .advice =
             "The fastest, for very large tables and as a baseline. With 'ties=strict' equal values stay together, which "
             "some analyses need; information loss is clearly higher than kmember's, and below that of most others here.",
         .source = "LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006",
         .revision = 1,
         .settings = mondrian_settings,
         .n_settings = sizeof mondrian_settings / sizeof mondrian_settings[0]},
    .run = run_mondrian,
    .record_bytes = 15,
    .cell_bytes = 4,
};
