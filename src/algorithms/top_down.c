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
 * A category of which a cell has more than 64 values is cut like a number, at any leaf: the runs would be too many.
 * Under t-closeness the best cuts are compared with the records that the sides lack to satisfy it; a cell is a group where
 * no cut saves as much as it then costs. Other constraints are left to the repair. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "partition/row_parts.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_RUNS_OF = 64 };

/* So many of the best cuts are priced where violations have a price. */
enum { MOST_CUTS = 8 };

/* The records whose codes on the dimension are first .. last go left. */
typedef struct cell_cut {
    int dimension;
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
    cell_cut cuts[MOST_CUTS]; /* of the cell at hand, by rising loss */
    int n_cuts, most_cuts;
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

/* Keep the cut if it is among the best; of equals the first stays before. */
static void note_cut(top_down_state *s, cell_cut cut)
{
    int at = s->n_cuts < s->most_cuts ? s->n_cuts : s->most_cuts - 1;
    if (s->n_cuts == s->most_cuts && cut.loss >= s->cuts[at].loss)
        return;
    s->n_cuts = at + 1;
    for (; at > 0 && s->cuts[at - 1].loss > cut.loss; at--)
        s->cuts[at] = s->cuts[at - 1];
    s->cuts[at] = cut;
}

/* Step 2: all runs of buckets that begin at `first`, against the rest: the buckets before it, whose box is `before`, and
 * those after the run. */
static void try_runs(top_down_state *s, int dimension, int64_t first, int64_t last_end, int64_t n_buckets, int64_t n,
                     const kanon__bound *before)
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
        int64_t loss = kanon__group_loss(inside, kanon__box_units(space, s->left)) +
                       kanon__group_loss(n - inside, kanon__box_units(space, s->right));
        note_cut(s, (cell_cut){dimension, s->codes[first], s->codes[end - 1], loss});
    }
}

/* Steps 1 and 2 on one dimension. A number is cut in two, so only runs from its first bucket count. */
static void inspect_dimension(top_down_state *s, kanon__row_part p, int dimension, kanon__bound *before)
{
    const kanon__space *space = s->run->space;
    const kanon__dimension *d = &space->dimensions[dimension];
    int64_t n_buckets = list_codes(s, p, d), width = 2 * space->n_dimensions;
    bool runs = d->coordinates == NULL && n_buckets <= MOST_RUNS_OF;
    fill_buckets(s, p, d, n_buckets);
    empty_box(space, before);
    for (int64_t first = 0; first < (runs ? n_buckets : 1); first++) {
        try_runs(s, dimension, first, n_buckets, n_buckets, p.end - p.begin, before);
        kanon__box_join(space, before, s->boxes + first * width);
    }
}

/* Step 3: move the rows of the run to the front of the cell, both sides in the order that they had. Returns where the rest
 * begins. */
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

/* ---- violations -------------------------------------------------------------------------------------------------- */

/* What a group lacks of l-diversity or of entities, its neighbours lend it afterwards for next to nothing
 * (enforce/repair.h). A constraint that compares a group with the table is missed by all its values together: what must be
 * mended there often costs more than the cut saves. So only the violations of these have a price. */
static bool has_price(const kanon__constraint *c)
{
    return c->model->of_table;
}

static bool has_prices(const kanon__constraints *all)
{
    for (int64_t i = 0; all != NULL && i < all->n; i++)
        if (has_price(&all->items[i]))
            return true;
    return false;
}

/* The records that the group of the tally lacks, as many as these cost: few can be borrowed, many cannot. */
static double count_lacking(const kanon__tally *tally)
{
    enum { RISE = 4 };
    double lacking = 0;
    for (int64_t i = 0; i < tally->constraints->n; i++) {
        const kanon__constraint *c = &tally->constraints->items[i];
        if (has_price(c))
            lacking += (double)c->model->violation(c->parameters, &tally->columns[c->counted].values);
    }
    lacking /= (double)KANON__VIOLATION_UNIT;
    return lacking * (1 + RISE * lacking / (double)tally->size);
}

/* The loss of a group of these rows, with the records that it lacks. */
static kanon_status price_rows(top_down_state *s, const int32_t *rows, int64_t n, int64_t *price, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally tally = {0}; /* anew: its counters are as many as the values of the largest group that it had */
    KANON_TRY(kanon__tally_init(&tally, s->run->constraints, err), out);
    empty_box(s->run->space, s->left);
    for (int64_t i = 0; i < n; i++) {
        KANON_TRY(kanon__tally_add(&tally, rows[i], err), out);
        kanon__box_add(s->run->space, s->left, rows[i]);
    }
    int64_t units = kanon__box_units(s->run->space, s->left);
    *price = n * units + (int64_t)(count_lacking(&tally) * (double)units);
out:
    kanon__tally_clear(&tally);
    return st;
}

/* The cheapest of the best cuts becomes the first, where it is cheaper than the cell; else there is none. The price of a
 * cell is at least its loss: most cells need not be counted to see that a cut is cheaper. */
static kanon_status price_cuts(top_down_state *s, kanon__row_part p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t least = INT64_MAX, n = p.end - p.begin, left, right;
    int best = 0;
    for (int i = 0; i < s->n_cuts && s->cuts[i].loss < least; i++) {
        int64_t middle = divide(s, p, &s->cuts[i]);
        KANON_TRY(price_rows(s, s->order + p.begin, middle - p.begin, &left, err), out);
        if (left >= least)
            continue;
        KANON_TRY(price_rows(s, s->order + middle, p.end - middle, &right, err), out);
        if (left + right < least) {
            least = left + right;
            best = i;
        }
    }
    s->cuts[0] = s->cuts[best];
    s->n_cuts = 1;
    if (least < n * (int64_t)kanon__box_units(s->run->space, s->suffixes)) /* the first is the box of the cell */
        goto out;
    KANON_TRY(price_rows(s, s->order + p.begin, n, &left, err), out);
    s->n_cuts = least < left;
out:
    return st;
}

/* ---- step 3 ------------------------------------------------------------------------------------------------------ */

static void make_group(top_down_state *s, kanon__row_part p)
{
    for (int64_t i = p.begin; i < p.end; i++)
        s->run->group_of[s->order[i]] = s->run->n_groups;
    s->run->n_groups++;
}

static kanon_status split_cells(top_down_state *s, kanon__bound *before, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run *run = s->run;
    int64_t n_done = 0;
    while (s->stack.n > 0) {
        kanon__row_part p = kanon__row_parts_pop(&s->stack);
        s->n_cuts = 0;
        for (int i = 0; p.end - p.begin >= 2 * run->k && i < run->space->n_dimensions; i++)
            inspect_dimension(s, p, i, before);
        KANON_TRY(kanon__tick(run->ticker, n_done, run->space->n_rows, 200 * (p.end - p.begin), err), out);
        if (s->n_cuts > 0 && s->most_cuts > 1)
            KANON_TRY(price_cuts(s, p, err), out);
        if (s->n_cuts == 0) {
            make_group(s, p);
            n_done += p.end - p.begin;
            continue;
        }
        KANON_TRY(kanon__row_parts_push_halves(&s->stack, p, divide(s, p, &s->cuts[0]), err), out);
    }
out:
    return st;
}

static kanon_status run_top_down(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    top_down_state s = {.run = run, .most_cuts = has_prices(run->constraints) ? MOST_CUTS : 1};
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
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "top-down",
                       .brief = "split the table, each time where it saves most, as long as both sides keep k records",
                       .more = "Fast, and for larger k (on Adult from 10 on) it loses less than kmember; auto takes it "
                               "where it loses less than densest. Groups have between k and 2k-1 records, or more where no "
                               "cut leaves k on both sides.",
                       .source = "this program; mondrian with the information loss as the criterion",
                       .revision = 2}},
    .run = run_top_down,
    .record_bytes = 10,
    .cell_bytes = 24,
};
