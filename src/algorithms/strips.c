/* strips: cut dense cells into strips, and group the rest by density.
 *
 * Records that are equal in all categories are a cell. A cell with many records needs no search for neighbours: good groups
 * are small rectangles of its numbers. So it is cut along one number into strips, and each strip along a second number into
 * groups of k to 2k - 1 records.
 *
 *      second |  A  | C |   D     strips are vertical here: cut along the first number, between different values;
 *      number |-----|---|------   groups A, B, ... are cut along the second number, where the strip loses least.
 *             |  B  | E |   F
 *             +-------------------- first number
 *
 * Steps: 1 sort the records into cells; 2 in each dense cell take the two widest numbers (where more are worth cutting, cut
 * slabs along the widest first); 3 choose strips by dynamic programming on an estimate of their loss; 4 cut each strip
 * optimally by dynamic programming; 5 repeat 3 and 4 with both orders of the numbers and a few estimates, and keep the best;
 * 6 group the records of the other cells by densest, on small blocks where there are dozens of attributes; 7 place the
 * records left over. Under constraints densest looks at them; the groups of dense cells are left to the repair.
 *
 * Source: this project; step 4: Hansen and Mukherjee, A polynomial algorithm for optimal univariate microaggregation, IEEE
 * TKDE 15, 2003.
 * Cost: sorting, then about 2k steps per record and try, fewer where k is large; densest for the rest.
 * Ties: the first try, the shortest last group; records of equal value in record order. No random numbers. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "partition/blocks.h"
#include "partition/row_run.h"
#include "search/leftovers.h"
#include "search/tuples.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    DENSE = 15,      /* a cell with so many times k records is dense */
    STEPS_OF_K = 16, /* a group may end after each record; for k above this, at so many places per k records */
    BORDERS = 16     /* places where a strip may end, per strip of the expected size */
};

/* Step 6: no index helps densest where there are so many attributes, and its time grows with n^2. Blocks bound it; in so
 * many dimensions they cost one or two percent of loss. They have at least so many records for each of k, and are made of
 * tables that are so many times as large. */
enum { WIDE_BLOCK_PER_K = 100, LEAST_WIDE_BLOCK = 1000, WIDE_BLOCKS = 5 };

/* How much the length of a strip weighs against its width in the estimate of step 3: the more, the fewer strips. Groups
 * are not quite as wide as their strip, so no single weight is right; both are tried. */
static const double LENGTHS[] = {1.4, 2};

/* A slab: a cell, or a part of one between two values of a number. */
typedef struct slab {
    int32_t *items; /* its records, by their number in the cell */
    int64_t n;
} slab;

/* Everything below `order` is scratch for the cell at hand, with room for the largest one. */
typedef struct strips {
    kanon__run *run;
    const kanon__dimension **numeric; /* the numeric dimensions, here called numbers */
    int n_numeric;
    int32_t *order; /* rows, cell by cell */
    /* the cell */
    const int32_t *cell; /* its rows: cell[item] */
    int64_t n_cell;
    uint32_t *positions; /* by number, then item */
    bool *is_cut;        /* by number: slabs were cut along it */
    uint64_t *keys;      /* for sorting */
    /* the slab, and the strips of the current and of the best try */
    int32_t *items;                      /* in any order */
    int32_t *along_first, *along_second; /* sorted by the number that strips are cut along, and by the other one */
    int32_t *borders;                    /* strip i is along_first[borders[i - 1] .. borders[i]) */
    int64_t n_borders;
    int32_t *strip_of;               /* by item */
    int32_t *trial, *best;           /* items, strip by strip, each strip sorted along the second number */
    int32_t *trial_ends, *best_ends; /* group i ends before trial[trial_ends[i]] */
    int64_t n_trial, n_best;
    /* dynamic programming: steps are what is not cut any further, records of a strip or values of a slab */
    int32_t *step_ends;    /* by step: the position after its last record */
    uint32_t *boxes, *box; /* by step: its bounds; and those of the group that is being extended */
    int64_t *losses;       /* losses[i]: the least loss of the first i steps; INT64_MAX: they cannot be cut */
    int32_t *previous;     /* previous[i]: where the last group of that solution begins */
} strips;

/* The units of a range of positions. */
static uint32_t width(const kanon__dimension *d, uint32_t lo, uint32_t hi)
{
    return hi - lo < d->full ? hi - lo : d->full;
}

static const uint32_t *positions_on(const strips *s, int number)
{
    return s->positions + number * s->n_cell;
}

static int by_value(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return a < b ? -1 : a > b;
}

/* Position and item in one key: records of equal value stay in record order. */
static void sort_along(strips *s, int32_t *items, int64_t n, int number)
{
    const uint32_t *at = positions_on(s, number);
    for (int64_t i = 0; i < n; i++)
        s->keys[i] = (uint64_t)at[items[i]] << 32 | (uint32_t)items[i];
    qsort(s->keys, (size_t)n, sizeof *s->keys, by_value);
    for (int64_t i = 0; i < n; i++)
        items[i] = (int32_t)(uint32_t)s->keys[i];
}

static void turn_around(int32_t *items, int64_t n)
{
    for (int64_t i = 0, j = n - 1; i < j; i++, j--) {
        int32_t held = items[i];
        items[i] = items[j];
        items[j] = held;
    }
}

/* ---- step 4: the best cuts of one strip -------------------------------------------------------------------------- */

static int64_t step_size(int64_t k)
{
    return k / STEPS_OF_K > 1 ? k / STEPS_OF_K : 1;
}

/* Divide the sorted records evenly into steps, each with the box of its records on all numbers. */
static int64_t make_steps(strips *s, const int32_t *items, int64_t n)
{
    int64_t n_steps = n / step_size(s->run->k);
    int m = s->n_numeric;
    for (int64_t i = 0, at = 0; i < n_steps; i++) {
        uint32_t *box = s->boxes + i * 2 * m;
        s->step_ends[i] = (int32_t)(n * (i + 1) / n_steps);
        for (int j = 0; j < m; j++)
            box[j] = box[m + j] = positions_on(s, j)[items[at]];
        for (at++; at < s->step_ends[i]; at++)
            for (int j = 0; j < m; j++) {
                uint32_t here = positions_on(s, j)[items[at]];
                box[j] = here < box[j] ? here : box[j];
                box[m + j] = here > box[m + j] ? here : box[m + j];
            }
    }
    return n_steps;
}

/* Extend the group's box by a step; its units. */
static uint32_t widen(strips *s, int64_t step)
{
    int m = s->n_numeric;
    const uint32_t *other = s->boxes + step * 2 * m;
    uint32_t units = 0;
    for (int j = 0; j < m; j++) {
        s->box[j] = other[j] < s->box[j] ? other[j] : s->box[j];
        s->box[m + j] = other[m + j] > s->box[m + j] ? other[m + j] : s->box[m + j];
        units += width(s->numeric[j], s->box[j], s->box[m + j]);
    }
    return units;
}

/* The least loss of the strip up to and with this step: over all last groups of k to `most` records. */
static void end_with(strips *s, int64_t last, int64_t k, int64_t most)
{
    int64_t end = s->step_ends[last], least = INT64_MAX;
    int32_t best = -1;
    memcpy(s->box, s->boxes + last * 2 * s->n_numeric, 2 * (size_t)s->n_numeric * sizeof *s->box);
    for (int64_t first = last; first >= 0; first--) {
        int64_t size = end - (first > 0 ? s->step_ends[first - 1] : 0);
        if (size > most)
            break;
        int64_t loss = size * widen(s, first);
        if (size < k || s->losses[first] == INT64_MAX || loss + s->losses[first] >= least)
            continue;
        least = loss + s->losses[first];
        best = (int32_t)first;
    }
    s->losses[last + 1] = least;
    s->previous[last + 1] = best;
}

/* Cut sorted records into groups; their ends, counted from `offset`, are appended to trial_ends. Returns their loss. */
static int64_t cut_strip(strips *s, const int32_t *items, int64_t n, int64_t offset)
{
    int64_t k = s->run->k, step = step_size(k), n_steps = make_steps(s, items, n), first = s->n_trial;
    int64_t most = 2 * k - 1 + (step > 1 ? 2 * step : 0); /* with long steps, some slack, so that every strip can be cut */
    s->losses[0] = 0;
    for (int64_t last = 0; last < n_steps; last++)
        end_with(s, last, k, most);
    for (int64_t at = n_steps; at > 0; at = s->previous[at])
        s->trial_ends[s->n_trial++] = (int32_t)(offset + s->step_ends[at - 1]);
    turn_around(s->trial_ends + first, s->n_trial - first);
    return s->losses[n_steps];
}

/* ---- step 3: strips ---------------------------------------------------------------------------------------------- */

/* The steps of a slab: a strip may end between different values of the first number, at least `apart` records after the last
 * place. boxes[i] is lo and hi on the first number, then on the second. Returns how many. */
static int64_t list_borders(strips *s, int64_t n, const uint32_t *first, const uint32_t *second, int64_t apart)
{
    int64_t n_steps = 0, begin = 0;
    uint32_t *box = NULL;
    for (int64_t i = 0; i < n; i++) {
        uint32_t x = first[s->along_first[i]], y = second[s->along_first[i]];
        if (box == NULL || (x != box[1] && i - begin >= apart)) {
            box = s->boxes + n_steps++ * 4;
            box[0] = box[1] = x;
            box[2] = box[3] = y;
            begin = i;
        }
        box[1] = x;
        box[2] = y < box[2] ? y : box[2];
        box[3] = y > box[3] ? y : box[3];
        s->step_ends[n_steps - 1] = (int32_t)(i + 1);
    }
    return n_steps;
}

/* The least estimated loss of strips that end with this step. The estimate: each group is as wide as its strip, and the
 * lengths of its groups add up to the strip's own, weighted. Longer strips than `most` are not tried. */
static void end_strip(strips *s, int64_t last, const kanon__dimension *first, const kanon__dimension *second, double length,
                      int64_t most)
{
    int64_t least = INT64_MAX, k = s->run->k;
    int32_t best = -1;
    uint32_t lo = UINT32_MAX, hi = 0;
    for (int64_t from = last; from >= 0; from--) {
        const uint32_t *box = s->boxes + from * 4;
        int64_t size = s->step_ends[last] - (from > 0 ? s->step_ends[from - 1] : 0);
        lo = box[2] < lo ? box[2] : lo;
        hi = box[3] > hi ? box[3] : hi;
        if (size < k || s->losses[from] == INT64_MAX)
            continue;
        if (size > most && best >= 0)
            break;
        int64_t loss = s->losses[from] + size * width(first, box[0], s->boxes[last * 4 + 1]) +
                       (int64_t)(length * (double)(k - 1) * width(second, lo, hi));
        if (loss < least) {
            least = loss;
            best = (int32_t)from;
        }
    }
    s->losses[last + 1] = least;
    s->previous[last + 1] = best;
}

/* Choose the strips along the first number; `ratio` is the width of the slab on it over that on the second. Were groups
 * square, a strip would have `expected` records. */
static void choose_strips(strips *s, int64_t n, int first, int second, double ratio, double length)
{
    double expected = sqrt((double)n * (double)s->run->k / ratio);
    int64_t n_steps = list_borders(s, n, positions_on(s, first), positions_on(s, second), (int64_t)(expected / BORDERS));
    s->losses[0] = 0;
    for (int64_t last = 0; last < n_steps; last++)
        end_strip(s, last, s->numeric[first], s->numeric[second], length, (int64_t)(4 * expected));
    s->n_borders = 0;
    for (int64_t at = n_steps; at > 0; at = s->previous[at])
        s->borders[s->n_borders++] = s->step_ends[at - 1];
    turn_around(s->borders, s->n_borders);
}

/* Sort the records by strip, then along the second number: a stable distribution of along_second. */
static void deal_out(strips *s, int64_t n)
{
    for (int64_t i = 0, begin = 0; i < s->n_borders; i++) {
        for (int64_t j = begin; j < s->borders[i]; j++)
            s->strip_of[s->along_first[j]] = (int32_t)i;
        s->previous[i] = (int32_t)begin; /* where the strip's next record goes */
        begin = s->borders[i];
    }
    for (int64_t i = 0; i < n; i++)
        s->trial[s->previous[s->strip_of[s->along_second[i]]]++] = s->along_second[i];
}

/* Cut all strips; keep the result where it loses less than the best so far. */
static void try_strips(strips *s, int64_t n, int64_t *least)
{
    int64_t loss = 0, begin = 0;
    deal_out(s, n);
    s->n_trial = 0;
    for (int64_t i = 0; i < s->n_borders && loss < *least; i++) {
        loss += cut_strip(s, s->trial + begin, s->borders[i] - begin, begin);
        begin = s->borders[i];
    }
    if (loss >= *least)
        return;
    *least = loss;
    int32_t *ends = s->best_ends, *items = s->best;
    s->best_ends = s->trial_ends;
    s->best = s->trial;
    s->n_best = s->n_trial;
    s->trial_ends = ends;
    s->trial = items;
}

/* Step 5 for one order of the numbers. A weight that gives as many strips as the last one is not tried. */
static void try_along(strips *s, int64_t n, int first, int second, double ratio, int64_t *least)
{
    int64_t last = -1;
    for (size_t i = 0; i < sizeof LENGTHS / sizeof *LENGTHS; i++) {
        choose_strips(s, n, first, second, ratio, LENGTHS[i]);
        if (s->n_borders != last)
            try_strips(s, n, least);
        last = s->n_borders;
    }
}

/* ---- step 2: cells and slabs ------------------------------------------------------------------------------------- */

/* A number and the width of a slab on it. */
typedef struct wide {
    double units;
    int number;
} wide;

/* The widths of the slab on the numbers along which it was not cut, the widest first; those that are 0 are left out.
 * Returns how many. */
static int measure_widths(const strips *s, slab part, wide *out)
{
    int n = 0;
    for (int j = 0; j < s->n_numeric; j++) {
        const uint32_t *at = positions_on(s, j);
        uint32_t lo = UINT32_MAX, hi = 0;
        for (int64_t i = 0; !s->is_cut[j] && i < part.n; i++) {
            lo = at[part.items[i]] < lo ? at[part.items[i]] : lo;
            hi = at[part.items[i]] > hi ? at[part.items[i]] : hi;
        }
        if (lo >= hi)
            continue;
        wide own = {width(s->numeric[j], lo, hi), j};
        int place = n++;
        for (; place > 0 && out[place - 1].units < own.units; place--)
            out[place] = out[place - 1];
        out[place] = own;
    }
    return n;
}

/* How many numbers are worth cutting: the largest i such that groups that are cubes on the i widest numbers, and as wide
 * as the slab on the others, have a side below each of the i widths. *side is that side. */
static int count_worth(const wide *widths, int n, double n_groups, double *side)
{
    int worth = 0;
    double volume = 0;
    for (int i = 0; i < n; i++) {
        volume += log(widths[i].units);
        double here = exp((volume - log(n_groups)) / (i + 1));
        if (here > widths[i].units)
            break;
        *side = here;
        worth = i + 1;
    }
    return worth;
}

/* The best try becomes groups of the run. */
static void make_groups(strips *s)
{
    for (int64_t i = 0, at = 0; i < s->n_best; i++) {
        for (; at < s->best_ends[i]; at++)
            s->run->group_of[s->cell[s->best[at]]] = s->run->n_groups;
        s->run->n_groups++;
    }
}

/* Steps 3 to 5 for a slab of which at most two numbers, the first of `widths`, are worth cutting. */
static void cut_plane(strips *s, slab part, const wide *widths, int n)
{
    int64_t least = INT64_MAX;
    size_t bytes = (size_t)part.n * sizeof *part.items;
    s->n_best = s->n_trial = 0;
    if (n < 2) {
        memcpy(s->best, part.items, bytes);
        if (n == 1)
            sort_along(s, s->best, part.n, widths[0].number);
        if (n == 1)
            cut_strip(s, s->best, part.n, 0);
        else
            s->trial_ends[s->n_trial++] = (int32_t)part.n; /* all alike */
        memcpy(s->best_ends, s->trial_ends, (size_t)s->n_trial * sizeof *s->best_ends);
        s->n_best = s->n_trial;
    } else {
        int first = widths[0].number, second = widths[1].number;
        double ratio = widths[0].units / widths[1].units;
        memcpy(s->along_first, part.items, bytes);
        memcpy(s->along_second, part.items, bytes);
        sort_along(s, s->along_first, part.n, first);
        sort_along(s, s->along_second, part.n, second);
        try_along(s, part.n, first, second, ratio, &least);
        int32_t *held = s->along_first;
        s->along_first = s->along_second;
        s->along_second = held;
        try_along(s, part.n, second, first, 1 / ratio, &least);
    }
    make_groups(s);
}

/* Step 2: cut a slab along its widest number until at most two numbers are worth cutting, then into groups. */
static kanon_status cut_slab(strips *s, slab part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    wide *widths = NULL;
    double side = 1;
    KANON_TRY(kanon__new_array(&widths, s->n_numeric + 1, "strips", err), out);
    int n = measure_widths(s, part, widths);
    if (count_worth(widths, n, (double)part.n / (double)s->run->k, &side) <= 2) {
        cut_plane(s, part, widths, n);
        st = kanon__tick(s->run->ticker, 0, 0, part.n * 500, err);
        goto out;
    }
    int64_t n_slabs = (int64_t)(widths[0].units / side + 0.5), most = part.n / s->run->k;
    n_slabs = n_slabs < 1 ? 1 : n_slabs > most ? most : n_slabs;
    sort_along(s, part.items, part.n, widths[0].number);
    s->is_cut[widths[0].number] = true; /* so this goes no deeper than there are numbers */
    for (int64_t i = 0; i < n_slabs; i++) {
        int64_t begin = part.n * i / n_slabs, end = part.n * (i + 1) / n_slabs;
        KANON_TRY(cut_slab(s, (slab){part.items + begin, end - begin}, err), out);
    }
    s->is_cut[widths[0].number] = false;
out:
    kanon__free(widths);
    return st;
}

static kanon_status cut_cell(strips *s, const int32_t *rows, int64_t n, kanon_error *err)
{
    s->cell = rows;
    s->n_cell = n;
    for (int j = 0; j < s->n_numeric; j++)
        for (int64_t i = 0; i < n; i++)
            s->positions[j * n + i] = s->numeric[j]->coordinates[kanon__code_at(s->numeric[j]->codes, rows[i])];
    for (int64_t i = 0; i < n; i++)
        s->items[i] = (int32_t)i;
    return cut_slab(s, (slab){s->items, n}, err);
}

/* ---- step 6: the rest -------------------------------------------------------------------------------------------- */

static kanon_status run_densest(kanon__run *run, kanon_error *err)
{
    return kanon__algorithm_run(run, "densest", err);
}

static kanon_status run_rest(kanon__run *rest, kanon_error *err)
{
    int64_t n = rest->space->n_rows, k = rest->k > n ? n : rest->k, least = k * WIDE_BLOCK_PER_K;
    const kanon__block_work work = {.least = least > LEAST_WIDE_BLOCK ? least : LEAST_WIDE_BLOCK, .algorithm = run_densest};
    if (rest->space->n_dimensions < KANON__WIDE || n / WIDE_BLOCKS < work.least)
        return run_densest(rest, err);
    return kanon__blocks_run(rest, &work, NULL, err);
}

/* Rows of no dense cell, as a table of their own; fewer than k are left over, of each block on wide tables. */
static kanon_status group_rest(kanon__run *whole, const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row_run part = {0};
    int32_t *group_of = NULL;
    if (n < whole->k)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&group_of, n, "groups", err), out);
    KANON_TRY(kanon__row_run_init(&part, whole, rows, n, group_of, err), out);
    part.run.leave_rest = true;
    KANON_TRY(run_rest(&part.run, err), out);
    for (int64_t i = 0; i < n; i++)
        whole->group_of[rows[i]] = group_of[i] >= 0 ? whole->n_groups + group_of[i] : KANON__LEFT_OVER;
    whole->n_groups += part.run.n_groups;
out:
    kanon__row_run_clear(&part);
    kanon__free(group_of);
    return st;
}

/* ---- steps 1 and 7 ----------------------------------------------------------------------------------------------- */

/* Neighbours in sorted order differ in the last categories first. */
static bool same_cell(const kanon__space *categories, int32_t left, int32_t right)
{
    for (int i = categories->n_dimensions - 1; i >= 0; i--)
        if (kanon__code_at(categories->dimensions[i].codes, left) != kanon__code_at(categories->dimensions[i].codes, right))
            return false;
    return true;
}

static int64_t end_of_cell(const strips *s, const kanon__space *categories, int64_t begin)
{
    int64_t end = begin + 1, n = s->run->space->n_rows;
    while (end < n && same_cell(categories, s->order[begin], s->order[end]))
        end++;
    return end;
}

/* The size of the largest cell, for the scratch arrays. */
static int64_t largest_cell(const strips *s, const kanon__space *categories)
{
    int64_t largest = 0;
    for (int64_t begin = 0, end; begin < s->run->space->n_rows; begin = end) {
        end = end_of_cell(s, categories, begin);
        largest = end - begin > largest ? end - begin : largest;
    }
    return largest;
}

/* Cut the dense cells; the rows of the others move to the front of `order`, *n_rest of them. */
static kanon_status cut_cells(strips *s, const kanon__space *categories, int64_t *n_rest, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *n_rest = 0;
    for (int64_t begin = 0, end; begin < s->run->space->n_rows; begin = end) {
        end = end_of_cell(s, categories, begin);
        if (end - begin >= DENSE * s->run->k) {
            KANON_TRY(cut_cell(s, s->order + begin, end - begin, err), out);
            continue;
        }
        memmove(s->order + *n_rest, s->order + begin, (size_t)(end - begin) * sizeof *s->order);
        *n_rest += end - begin;
    }
out:
    return st;
}

/* Allocate the scratch arrays for cells of up to n records. */
static kanon_status make_room(strips *s, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = s->n_numeric;
    KANON_TRY(kanon__new_array(&s->positions, n * m, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->is_cut, m, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->keys, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->items, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->along_first, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->along_second, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->trial, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->best, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->trial_ends, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->best_ends, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->borders, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->strip_of, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->step_ends, n, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->boxes, n * 2 * (m > 2 ? m : 2), "strips", err), out);
    KANON_TRY(kanon__new_array(&s->box, 2 * m, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->losses, n + 1, "strips", err), out);
    KANON_TRY(kanon__new_array(&s->previous, n + 1, "strips", err), out);
out:
    return st;
}

static void clear(strips *s)
{
    kanon__free(s->previous);
    kanon__free(s->losses);
    kanon__free(s->box);
    kanon__free(s->boxes);
    kanon__free(s->step_ends);
    kanon__free(s->strip_of);
    kanon__free(s->borders);
    kanon__free(s->best_ends);
    kanon__free(s->trial_ends);
    kanon__free(s->best);
    kanon__free(s->trial);
    kanon__free(s->along_second);
    kanon__free(s->along_first);
    kanon__free(s->items);
    kanon__free(s->keys);
    kanon__free(s->is_cut);
    kanon__free(s->positions);
    kanon__free(s->order);
}

static kanon_status run_strips(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    strips s = {.run = run};
    int64_t n = run->space->n_rows, n_rest = 0;
    kanon__space categories = *run->space;
    categories.n_dimensions = 0;
    categories.dimensions = NULL;
    for (int64_t row = 0; row < n; row++)
        run->group_of[row] = KANON__LEFT_OVER;
    KANON_TRY(kanon__new_array(&s.numeric, run->space->n_dimensions, "strips", err), out);
    KANON_TRY(kanon__new_array(&categories.dimensions, run->space->n_dimensions, "strips", err), out);
    for (int i = 0; i < run->space->n_dimensions; i++)
        if (run->space->dimensions[i].coordinates != NULL)
            s.numeric[s.n_numeric++] = &run->space->dimensions[i];
        else
            categories.dimensions[categories.n_dimensions++] = run->space->dimensions[i];
    KANON_TRY(kanon__new_array(&s.order, n, "strips", err), out);
    KANON_TRY(kanon__sort_rows(s.order, &categories, err), out);
    KANON_TRY(make_room(&s, largest_cell(&s, &categories), err), out);
    KANON_TRY(cut_cells(&s, &categories, &n_rest, err), out);
    KANON_TRY(group_rest(run, s.order, n_rest, err), out);
    KANON_TRY(kanon__leftovers_place(run, err), out);
out:
    clear(&s);
    kanon__free(categories.dimensions);
    kanon__free(s.numeric);
    return st;
}

const kanon__algorithm kanon__algorithm_strips = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "strips",
                       .brief = "cut records that are equal in all categories into strips of their numbers; densest for "
                                "the rest",
                       .more = "What auto starts with on large tables. Where many records share all their categories it "
                               "takes one and a half times as long as kmember and loses less than densest; where "
                               "categories tell nearly everybody apart, it is densest.",
                       .source = "this project; cuts of sorted records: Hansen and Mukherjee, IEEE TKDE 15, 2003",
                       .revision = 3}},
    .run = run_strips,
    .record_bytes = 100,
    .cell_bytes = 24,
    .records_per_minute = 4000000,
};
