/* top-down: split where it saves most.
 *
 * The table is one cell. A cell is split in two at the attribute and the cut that leave the least |L| D(L) + |R| D(R),
 * as long as both sides keep k records: a number at any value, a category by taking any run of neighbouring leaves out
 * of the rest. What cannot be split any further is a group.
 *
 * Steps: 1 for each attribute, one bucket per distinct code of the cell, with its count and box; 2 try all cuts (runs of
 * buckets) by joining boxes, with suffix boxes for the other side; 3 make the best cut, or the group.
 *
 * Source: this project; mondrian (LeFevre and others 2006) with the information loss itself as the criterion.
 * Cost: for a cell of n records O(attributes^2 * n), and for a category with d values in it O(attributes * d^2).
 * Ties: the first attribute, then the cut with the lowest first value, then the one with the lowest last value. No random
 * numbers.
 * A category of which a cell has more than 64 values is cut like a number, at any leaf: the runs would be too many. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "partition/row_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS_OF = 64 };

/* The records whose codes on the dimension are first .. last go left. */
typedef struct cell_cut {
    int dimension; /* -1: none is possible */
    uint32_t first, last;
    int64_t loss;
} cell_cut;

typedef struct top_down_state {
    kanon__run *run;
    int32_t *order, *scratch; /* rows, cell by cell (partition/row_parts.h) */
    int32_t *bucket_of;       /* by code of the dimension at hand: its bucket; -1: no record of the cell has it */
    uint32_t *codes;          /* by bucket, ascending: a distinct code of the cell */
    int64_t *counts;          /* by bucket */
    kanon__bound *boxes;      /* by bucket */
    kanon__bound *suffixes;   /* by bucket: of it and all behind it */
    kanon__bound *left, *right;
    kanon__row_parts stack;
} top_down_state;

static int by_code(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;
    return left < right ? -1 : left > right;
}

/* List the distinct codes of a cell on a dimension, ascending. Returns how many. */
static int64_t list_codes(top_down_state *s, kanon__row_part p, const kanon__dimension *d)
{
    int64_t n = 0;
    for (int64_t i = p.begin; i < p.end; i++) {
        uint32_t code = kanon__code_at(d->codes, s->order[i]);
        if (s->bucket_of[code] < 0) {
            s->bucket_of[code] = 0;
            s->codes[n++] = code;
        }
    }
    qsort(s->codes, (size_t)n, sizeof *s->codes, by_code);
    for (int64_t i = 0; i < n; i++)
        s->bucket_of[s->codes[i]] = (int32_t)i;
    return n;
}

static void copy_box(const kanon__space *space, kanon__bound *to, const kanon__bound *from)
{
    memcpy(to, from, (size_t)(2 * space->n_dimensions) * sizeof *to);
}

/* A box that holds nothing: joining anything gives that thing. */
static void empty_box(const kanon__space *space, kanon__bound *box)
{
    for (int i = 0; i < space->n_dimensions; i++) {
        box[2 * i] = UINT32_MAX;
        box[2 * i + 1] = 0;
    }
}

/* Step 1: counts and boxes of the buckets, and the boxes of all buckets from each one on. */
static void fill_buckets(top_down_state *s, kanon__row_part p, const kanon__dimension *d, int64_t n_buckets)
{
    const kanon__space *space = s->run->space;
    int64_t width = 2 * space->n_dimensions;
    for (int64_t i = 0; i < n_buckets; i++) {
        s->counts[i] = 0;
        empty_box(space, s->boxes + i * width);
    }
    for (int64_t i = p.begin; i < p.end; i++) {
        int64_t bucket = s->bucket_of[kanon__code_at(d->codes, s->order[i])];
        s->counts[bucket]++;
        kanon__box_add(space, s->boxes + bucket * width, s->order[i]);
    }
    for (int64_t i = n_buckets - 1; i >= 0; i--) {
        copy_box(space, s->suffixes + i * width, s->boxes + i * width);
        if (i + 1 < n_buckets)
            kanon__box_join(space, s->suffixes + i * width, s->suffixes + (i + 1) * width);
    }
    for (int64_t i = 0; i < n_buckets; i++)
        s->bucket_of[s->codes[i]] = -1; /* as it was, for the next dimension */
}

/* Step 2: all runs of buckets that begin at `first`, against the rest: the buckets before it, whose box is `before`, and
 * those after the run. */
static void try_runs(top_down_state *s, int dimension, int64_t first, int64_t last_end, int64_t n_buckets, int64_t n,
                     const kanon__bound *before, cell_cut *best)
{
    const kanon__space *space = s->run->space;
    int64_t width = 2 * space->n_dimensions, inside = 0, k = s->run->k;
    empty_box(space, s->left);
    for (int64_t end = first + 1; end <= last_end; end++) {
        inside += s->counts[end - 1];
        kanon__box_join(space, s->left, s->boxes + (end - 1) * width);
        if (inside < k)
            continue;
        if (n - inside < k)
            break;
        copy_box(space, s->right, before);
        if (end < n_buckets)
            kanon__box_join(space, s->right, s->suffixes + end * width);
        int64_t loss = inside * kanon__box_units(space, s->left) + (n - inside) * kanon__box_units(space, s->right);
        if (best->dimension < 0 || loss < best->loss)
            *best = (cell_cut){dimension, s->codes[first], s->codes[end - 1], loss};
    }
}

/* Steps 1 and 2 on one dimension. A number is cut in two, so only runs from its first bucket count. */
static void inspect_dimension(top_down_state *s, kanon__row_part p, int dimension, kanon__bound *before, cell_cut *best)
{
    const kanon__space *space = s->run->space;
    const kanon__dimension *d = &space->dimensions[dimension];
    int64_t n_buckets = list_codes(s, p, d), width = 2 * space->n_dimensions;
    bool runs = d->coordinates == NULL && n_buckets <= MOST_RUNS_OF;
    fill_buckets(s, p, d, n_buckets);
    empty_box(space, before);
    for (int64_t first = 0; first < (runs ? n_buckets : 1); first++) {
        try_runs(s, dimension, first, n_buckets, n_buckets, p.end - p.begin, before, best);
        kanon__box_join(space, before, s->boxes + first * width);
    }
}

/* Step 3: move the rows of the run to the front of the cell, both sides in record order. Returns where the rest begins. */
static int64_t divide(top_down_state *s, kanon__row_part p, const cell_cut *at)
{
    kanon__codes codes = s->run->space->dimensions[at->dimension].codes;
    int64_t left = p.begin, right = 0;
    for (int64_t i = p.begin; i < p.end; i++) {
        int32_t row = s->order[i];
        uint32_t code = kanon__code_at(codes, row);
        if (code >= at->first && code <= at->last)
            s->order[left++] = row;
        else
            s->scratch[right++] = row;
    }
    memcpy(s->order + left, s->scratch, (size_t)right * sizeof *s->scratch);
    return left;
}

static kanon_status split_cells(top_down_state *s, kanon__bound *before, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run *run = s->run;
    int64_t n_done = 0;
    while (s->stack.n > 0) {
        kanon__row_part p = kanon__row_parts_pop(&s->stack);
        cell_cut best = {.dimension = -1};
        for (int i = 0; p.end - p.begin >= 2 * run->k && i < run->space->n_dimensions; i++)
            inspect_dimension(s, p, i, before, &best);
        KANON_TRY(kanon__tick(run->ticker, n_done, run->space->n_rows, 200 * (p.end - p.begin), err), out);
        if (best.dimension < 0) {
            for (int64_t i = p.begin; i < p.end; i++)
                run->group_of[s->order[i]] = run->n_groups;
            run->n_groups++;
            n_done += p.end - p.begin;
            continue;
        }
        int64_t middle = divide(s, p, &best);
        KANON_TRY(kanon__row_parts_push_halves(&s->stack, p, middle, err), out);
    }
out:
    return st;
}

static kanon_status run_top_down(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    top_down_state s = {.run = run};
    kanon__bound *before = NULL;
    int64_t n = run->space->n_rows, width = 2 * run->space->n_dimensions, most_codes = 0;
    for (int i = 0; i < run->space->n_dimensions; i++)
        most_codes = run->space->dimensions[i].n_codes > most_codes ? run->space->dimensions[i].n_codes : most_codes;
    int64_t most_buckets = most_codes < n ? most_codes : n;
    KANON_TRY(kanon__new_array(&s.order, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.scratch, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.bucket_of, most_codes, "values of a cell", err), out);
    KANON_TRY(kanon__new_array(&s.codes, most_buckets, "values of a cell", err), out);
    KANON_TRY(kanon__new_array(&s.counts, most_buckets, "values of a cell", err), out);
    KANON_TRY(kanon__new_array(&s.boxes, most_buckets * width, "values of a cell", err), out);
    KANON_TRY(kanon__new_array(&s.suffixes, most_buckets * width, "values of a cell", err), out);
    KANON_TRY(kanon__new_array(&s.left, width, "values of a cell", err), out);
    KANON_TRY(kanon__new_array(&s.right, width, "values of a cell", err), out);
    KANON_TRY(kanon__new_array(&before, width, "values of a cell", err), out);
    memset(s.bucket_of, 0xff, (size_t)most_codes * sizeof *s.bucket_of);
    for (int64_t row = 0; row < n; row++)
        s.order[row] = (int32_t)row;
    KANON_TRY(kanon__row_parts_push(&s.stack, (kanon__row_part){0, n}, err), out);
    KANON_TRY(split_cells(&s, before, err), out);
out:
    kanon__free(s.stack.items);
    kanon__free(before);
    kanon__free(s.right);
    kanon__free(s.left);
    kanon__free(s.suffixes);
    kanon__free(s.boxes);
    kanon__free(s.counts);
    kanon__free(s.codes);
    kanon__free(s.bucket_of);
    kanon__free(s.scratch);
    kanon__free(s.order);
    return st;
}

const kanon__algorithm kanon__algorithm_top_down = {
    .info = {.name = "top-down",
             .summary = "split the table, each time where it saves most, as long as both sides keep k records",
             .advice =
                 "Fast, and for larger k (on Adult from 10 on) it loses less than kmember; auto takes it where it loses "
                 "less than densest. Groups have between k and 2k-1 records, or more where no cut leaves k on both "
                 "sides.",
             .source = "this program; mondrian with the information loss as the criterion",
             .revision = 1},
    .run = run_top_down,
    .record_bytes = 10,
    .cell_bytes = 24,
};
