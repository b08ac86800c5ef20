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
 * side would otherwise fall below k; without this a value that half of the records share could never be split off. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "core/select.h"
#include "partition/row_parts.h"

#include <stdlib.h>

typedef struct mondrian_state {
    kanon__run *run;
    bool strict;
    int32_t *order;   /* rows, part by part (partition/row_parts.h) */
    int32_t *scratch; /* as long */
    uint32_t *codes;  /* of the dimension at hand, as long */
    kanon__row_parts stack;
} mondrian_state;

/* Step 4: move the rows of the part that go left to its front, both sides keeping their order: all below `code`, and the
 * first `n_ties` of those that have it. Returns where the right side begins. */
static int64_t divide(mondrian_state *s, kanon__row_part p, const kanon__dimension *d, uint32_t code, int64_t n_ties)
{
    int64_t left = p.begin, right = 0;
    for (int64_t i = p.begin; i < p.end; i++) {
        int32_t row = s->order[i];
        uint32_t own = kanon__code_at(d->codes, row);
        if (own < code || (own == code && n_ties-- > 0))
            s->order[left++] = row;
        else
            s->scratch[right++] = row;
    }
    for (int64_t i = 0; i < right; i++)
        s->order[left + i] = s->scratch[i];
    return left;
}

/* Steps 3 and 4 on dimension d; *middle = 0 where one side would fall below k. */
static void split_at_median(mondrian_state *s, kanon__row_part p, const kanon__dimension *d, int64_t *middle)
{
    int64_t n = p.end - p.begin, below = 0, ties = 0;
    for (int64_t i = 0; i < n; i++)
        s->codes[i] = kanon__code_at(d->codes, s->order[p.begin + i]);
    uint32_t median = kanon__select(s->codes, n, (n - 1) / 2);
    for (int64_t i = 0; i < n; i++) {
        below += s->codes[i] < median;
        ties += s->codes[i] == median;
    }
    int64_t n_left = s->strict ? below + ties : n / 2;
    if (s->strict && n - n_left < s->run->k)
        n_left = below;
    *middle = 0;
    if (ties < n && n_left >= s->run->k && n - n_left >= s->run->k)
        *middle = divide(s, p, d, median, n_left - below);
}

/* A dimension and the width of the part on it. */
typedef struct width {
    uint32_t units;
    int dimension;
} width;

static int by_falling_width(const void *left, const void *right)
{
    const width *a = left, *b = right;
    if (a->units != b->units)
        return a->units > b->units ? -1 : 1;
    return a->dimension - b->dimension;
}

/* Step 2: the dimensions of a part, the widest first. */
static void sort_by_width(const mondrian_state *s, kanon__row_part p, width *widths)
{
    const kanon__space *space = s->run->space;
    for (int i = 0; i < space->n_dimensions; i++) {
        const kanon__dimension *d = &space->dimensions[i];
        uint32_t lo = UINT32_MAX, hi = 0;
        for (int64_t j = p.begin; j < p.end; j++) {
            uint32_t code = kanon__code_at(d->codes, s->order[j]);
            lo = code < lo ? code : lo;
            hi = code > hi ? code : hi;
        }
        widths[i] = (width){kanon__dimension_units(d, lo, hi), i};
    }
    qsort(widths, (size_t)space->n_dimensions, sizeof *widths, by_falling_width);
}

/* Split the part on the widest dimension that allows it and push both sides, or make it a group (step 1). */
static kanon_status handle_part(mondrian_state *s, kanon__row_part p, width *widths, kanon_error *err)
{
    kanon__run *run = s->run;
    int64_t middle = 0;
    sort_by_width(s, p, widths);
    for (int i = 0; i < run->space->n_dimensions && middle == 0 && p.end - p.begin >= 2 * run->k; i++)
        split_at_median(s, p, &run->space->dimensions[widths[i].dimension], &middle);
    if (middle == 0) {
        for (int64_t i = p.begin; i < p.end; i++)
            run->group_of[s->order[i]] = run->n_groups;
        run->n_groups++;
        return KANON_OK;
    }
    return kanon__row_parts_push_halves(&s->stack, p, middle, err);
}

static kanon_status run_mondrian(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    mondrian_state s = {.run = run, .strict = kanon__setting_is(run->settings, "ties", "strict")};
    width *widths = NULL;
    int64_t n = run->space->n_rows, n_done = 0;
    KANON_TRY(kanon__new_array(&s.order, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.scratch, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.codes, n, "codes", err), out);
    KANON_TRY(kanon__new_array(&widths, run->space->n_dimensions, "widths", err), out);
    for (int64_t row = 0; row < n; row++)
        s.order[row] = (int32_t)row;
    KANON_TRY(kanon__row_parts_push(&s.stack, (kanon__row_part){0, n}, err), out);
    while (s.stack.n > 0) {
        kanon__row_part p = kanon__row_parts_pop(&s.stack);
        int32_t before = run->n_groups;
        KANON_TRY(handle_part(&s, p, widths, err), out);
        n_done += run->n_groups > before ? p.end - p.begin : 0;
        KANON_TRY(kanon__tick(run->ticker, n_done, n, 20 * (p.end - p.begin), err), out);
    }
out:
    kanon__free(s.stack.items);
    kanon__free(widths);
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
