/* mondrian: recursive median splits.
 *
 * The table is split at the median of its widest attribute into two parts, and so on with each part, as long as both sides
 * keep k records. What cannot be split any further is a group.
 *
 * Paper: LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006. The steps of its
 * recursion, as numbered below: 1 no allowable cut: the part is a group; 2 choose the dimension; 3 find the median; 4 divide
 * the part there; 5 go on with both sides.
 * Cost: O(attributes * n log(n/k)); 3 n words of memory, and copies of small parts.
 * Ties: among equally wide attributes the first in the table; records of equal value in record order. No random numbers.
 * Differences from the paper: width is the loss that the attribute has in the part (its term of D, weights included), the
 * same for numbers and categories; categories are ordered as their leaves stand in the taxonomy. If the widest attribute
 * allows no split, the next one is tried. Strict: the median's records go left as in the paper, but right where the right
 * side would otherwise fall below k; without this a value that half of the records share could never be split off.
 *
 * Codes are read column by column through `order`. For a small part that would jump through the whole table: its codes are
 * copied once, and until the part is done each of its records has them side by side in a tuple, which moves with it:
 *
 *     order    [ 7     | 9     | 12    | ...        rows
 *     tuples   [ 3 0 5 | 3 2 1 | 4 0 0 | ...        codes by dimension, 2 or 4 bytes each
 *
 * Then one pass finds the ranges of all dimensions, and what a split reads lies in the cache. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "core/select.h"
#include "partition/row_parts.h"

#include <string.h>

enum { COPIED_ROWS = 65536 };   /* a part of so many rows is copied */
enum { COUNTED_CODES = 8192 };  /* a median of so many codes is found by counting */
enum { CODES_PER_RECORD = 16 }; /* and where they are at most so many times the records */
enum { TUPLE_STEP = 16 };       /* bytes: the length of a tuple is a multiple of it, so that vectors move and compare it */
enum { RECORD_BYTES = 15, CELL_BYTES = 4 }; /* see the descriptor */

typedef struct mondrian_state {
    kanon__run *run;
    bool strict;
    int32_t *order;      /* rows, part by part (partition/row_parts.h) */
    int32_t *scratch;    /* as long */
    uint32_t *codes;     /* of the dimension at hand, as long */
    uint32_t *sorted;    /* the same, while a median is searched for: `scratch` */
    uint32_t *counts;    /* by code */
    int64_t n_counts;
    char *tuples;        /* of the part that is copied, as in `order` */
    char *tuple_scratch; /* as long */
    size_t tuple_bytes;
    int code_bytes;      /* of a code in a tuple */
    int64_t copied_rows;            /* tuples that there is room for */
    int64_t copied_from, copied_to; /* the part that is copied; parts are finished from left to right */
    kanon__row_parts stack;
    kanon__bound *within; /* by part of the stack: a box that it lies in, that of the part that it is half of */
    int64_t within_capacity;
    kanon__bound *box; /* of the part at hand; it has room for all the codes of a tuple */
} mondrian_state;

/* Codes that are looked at before the range is compared with the one that it lies in. */
enum { RANGE_STEP = 64 };

/* ---- codes ------------------------------------------------------------------------------------------------------- */

static bool is_copied(const mondrian_state *s, kanon__row_part p)
{
    return p.begin < s->copied_to;
}

static char *tuple_at(const mondrian_state *s, int64_t i)
{
    return s->tuples + (size_t)(i - s->copied_from) * s->tuple_bytes;
}

/* ACTION for each code of the part on a dimension, with its number j: one loop for each width of codes. */
#define FOR_CODES(s, p, dimension, ACTION)                                                                                  \
    do {                                                                                                                    \
        kanon__codes codes = (s)->run->space->dimensions[dimension].codes;                                                  \
        if (codes.width == 1)                                                                                               \
            FOR_CELLS(uint8_t, codes.cells, order[j], ACTION);                                                              \
        else if (codes.width == 2)                                                                                          \
            FOR_CELLS(uint16_t, codes.cells, order[j], ACTION);                                                             \
        else                                                                                                                \
            FOR_CELLS(uint32_t, codes.cells, order[j], ACTION);                                                             \
    } while (0)
#define FOR_CELLS(type, cells, place, ACTION)                                                                               \
    do {                                                                                                                    \
        for (int64_t j = 0; j < n; j++) {                                                                                   \
            uint32_t code = ((const type *)(const void *)(cells))[place];                                                   \
            ACTION;                                                                                                         \
        }                                                                                                                   \
    } while (0)

static void read_codes(const mondrian_state *s, kanon__row_part p, int dimension, uint32_t *out)
{
    const int32_t *order = s->order + p.begin;
    int64_t n = p.end - p.begin, step = (int64_t)s->tuple_bytes / s->code_bytes;
    if (!is_copied(s, p))
        FOR_CODES(s, p, dimension, out[j] = code);
    else if (s->code_bytes == 2)
        FOR_CELLS(uint16_t, tuple_at(s, p.begin), j * step + dimension, out[j] = code);
    else
        FOR_CELLS(uint32_t, tuple_at(s, p.begin), j * step + dimension, out[j] = code);
}

/* A range that has grown to all of `within` grows no more: half of a part mostly has both ends of it soon. */
static void find_range(const mondrian_state *s, kanon__row_part p, int dimension, const kanon__bound *within,
                       kanon__bound *out)
{
    uint32_t lo = UINT32_MAX, hi = 0;
    for (int64_t begin = p.begin; begin < p.end && (lo > within[0] || hi < within[1]); begin += RANGE_STEP) {
        const int32_t *order = s->order + begin;
        int64_t n = p.end - begin < RANGE_STEP ? p.end - begin : RANGE_STEP;
        FOR_CODES(s, p, dimension, (lo = code < lo ? code : lo, hi = code > hi ? code : hi));
    }
    out[0] = lo;
    out[1] = hi;
}

/* The ranges of n tuples, on as many dimensions at a time as a vector has codes. The inner loops become vectors,
 * which every processor compares as signed numbers. */
#define TUPLE_RANGES(type)                                                                                                  \
    do {                                                                                                                    \
        enum { N = TUPLE_STEP / sizeof(type) };                                                                             \
        for (size_t from = 0; from < s->tuple_bytes; from += TUPLE_STEP) {                                                  \
            type lo[N], hi[N];                                                                                              \
            memcpy(lo, first + from, TUPLE_STEP);                                                                           \
            memcpy(hi, first + from, TUPLE_STEP);                                                                           \
            for (int64_t j = 1; j < n; j++) {                                                                               \
                const type *codes = (const type *)(const void *)(first + (size_t)j * s->tuple_bytes + from);                \
                for (int i = 0; i < N; i++) {                                                                               \
                    lo[i] = codes[i] < lo[i] ? codes[i] : lo[i];                                                            \
                    hi[i] = codes[i] > hi[i] ? codes[i] : hi[i];                                                            \
                }                                                                                                           \
            }                                                                                                               \
            for (size_t i = 0; i < N; i++) {                                                                                \
                s->box[2 * (from / sizeof(type) + i)] = (kanon__bound)lo[i];                                                \
                s->box[2 * (from / sizeof(type) + i) + 1] = (kanon__bound)hi[i];                                            \
            }                                                                                                               \
        }                                                                                                                   \
    } while (0)

/* The box of the part, which lies within another one. */
static void find_box(const mondrian_state *s, kanon__row_part p, const kanon__bound *within)
{
    if (!is_copied(s, p)) {
        for (int i = 0; i < s->run->space->n_dimensions; i++)
            find_range(s, p, i, within + 2 * i, s->box + 2 * i);
        return;
    }
    const char *first = tuple_at(s, p.begin);
    int64_t n = p.end - p.begin;
    if (s->code_bytes == 2)
        TUPLE_RANGES(int16_t);
    else
        TUPLE_RANGES(int32_t);
}

/* From here on until the part is done, its records have tuples. */
static void copy_part(mondrian_state *s, kanon__row_part p)
{
    const int32_t *order = s->order + p.begin;
    int64_t n = p.end - p.begin, step = (int64_t)s->tuple_bytes / s->code_bytes;
    for (int i = 0; i < s->run->space->n_dimensions; i++) {
        if (s->code_bytes == 2)
            FOR_CODES(s, p, i, ((uint16_t *)(void *)s->tuples)[j * step + i] = (uint16_t)code);
        else
            FOR_CODES(s, p, i, ((uint32_t *)(void *)s->tuples)[j * step + i] = code);
    }
    s->copied_from = p.begin;
    s->copied_to = p.end;
}

/* ---- splitting --------------------------------------------------------------------------------------------------- */

/* A dimension and the width of the part on it. */
typedef struct width {
    uint32_t units, lo, hi;
    int dimension;
} width;

/* How far a division of a part has got: rows that went to the front, and to the right side, which waits in `scratch`. */
typedef struct division {
    int64_t begin, left, right;
} division;

static void move_tuple(char *to, char *also_to, const char *from, int64_t size)
{
    for (int64_t at = 0; at < size; at += TUPLE_STEP) {
        char bytes[TUPLE_STEP];
        memcpy(bytes, from + at, TUPLE_STEP);
        memcpy(to + at, bytes, TUPLE_STEP);
        memcpy(also_to + at, bytes, TUPLE_STEP);
    }
}

/* Move the rows from `from` until `until`: left where the code is below the limit. There is no branch: each row is written
 * to both sides and counted on one. */
static void move_rows(const mondrian_state *s, division *d, int64_t from, int64_t until, uint32_t limit)
{
    const uint32_t *codes = s->codes - d->begin;
    int32_t *order = s->order, *scratch = s->scratch;
    int64_t left = d->left, right = d->right;
    for (int64_t i = from; i < until; i++) {
        int64_t is_left = codes[i] < limit;
        order[left] = scratch[right] = order[i];
        left += is_left;
        right += 1 - is_left;
    }
    d->left = left;
    d->right = right;
}

/* The same with the tuples of a part that is copied; most have the least size. */
static void move_tuples(const mondrian_state *s, const division *d, int64_t from, int64_t until, uint32_t limit)
{
    const uint32_t *codes = s->codes - d->begin;
    int64_t size = (int64_t)s->tuple_bytes;
    const char *tuple = tuple_at(s, from);
    char *left = tuple_at(s, d->left), *right = s->tuple_scratch + d->right * size;
    for (int64_t i = from; i < until; i++, tuple += size) {
        int64_t is_left = codes[i] < limit;
        if (size == TUPLE_STEP)
            move_tuple(left, right, tuple, TUPLE_STEP);
        else
            move_tuple(left, right, tuple, size);
        left += size & -is_left;
        right += size & (is_left - 1);
    }
}

/* Step 4: move the rows of the part that go left to its front, both sides keeping their order: all below `code`, and the
 * first `n_ties` of those that have it. Returns where the right side begins. */
static int64_t divide(mondrian_state *s, kanon__row_part p, uint32_t code, int64_t n_ties)
{
    division d = {.begin = p.begin, .left = p.begin};
    int64_t turn = p.begin; /* from here on ties go right */
    for (; n_ties > 0; turn++)
        n_ties -= s->codes[turn - p.begin] == code;
    for (int after = 0; after < 2; after++) {
        int64_t from = after ? turn : p.begin, until = after ? p.end : turn;
        if (is_copied(s, p))
            move_tuples(s, &d, from, until, after ? code : code + 1);
        move_rows(s, &d, from, until, after ? code : code + 1);
    }
    memcpy(s->order + d.left, s->scratch, (size_t)d.right * sizeof *s->order);
    if (is_copied(s, p))
        memcpy(tuple_at(s, d.left), s->tuple_scratch, (size_t)d.right * s->tuple_bytes);
    return d.left;
}

/* Step 3: the median of the part's codes, how many are below it and how many have it. */
static uint32_t find_median(mondrian_state *s, int64_t n, const width *w, int64_t *below, int64_t *ties)
{
    uint32_t n_codes = w->hi - w->lo + 1, median = 0;
    *below = *ties = 0;
    if (n_codes > s->n_counts || n_codes > CODES_PER_RECORD * n) { /* a selection is faster */
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

/* Step 2: the dimensions of the part whose box was found, the widest first; equally wide ones as in the table. */
static void sort_by_width(const mondrian_state *s, width *widths)
{
    const kanon__space *space = s->run->space;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t lo = s->box[2 * i], hi = s->box[2 * i + 1];
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
        run->group_of[s->order[i]] = run->n_groups;
    run->n_groups++;
}

/* Push both sides of a part, which lie in its box. */
static kanon_status push_halves(mondrian_state *s, kanon__row_part p, int64_t middle, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_bounds = 2 * s->run->space->n_dimensions, first = s->stack.n;
    KANON_TRY(kanon__grow_array(&s->within, &s->within_capacity, (first + 2) * n_bounds, "parts of the table", err), out);
    for (int64_t half = first; half < first + 2; half++)
        memcpy(s->within + half * n_bounds, s->box, (size_t)n_bounds * sizeof *s->within);
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
        find_box(s, p, s->within + 2 * s->stack.n * s->run->space->n_dimensions);
        sort_by_width(s, widths);
        for (int i = 0; i < s->run->space->n_dimensions && middle == 0; i++)
            split_at_median(s, p, &widths[i], &middle);
    }
    if (middle > 0)
        return push_halves(s, p, middle, err);
    make_group(s, p);
    return KANON_OK;
}

/* Room for the tuples of a part, and as much to move them: no more than the descriptor has for them. */
static kanon_status set_up_tuples(mondrian_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *space = s->run->space;
    int64_t n = space->n_rows, record_bytes = RECORD_BYTES + CELL_BYTES * (int64_t)space->n_dimensions;
    int64_t other_bytes = sizeof *s->order + sizeof *s->scratch + sizeof *s->codes + sizeof *s->counts;
    s->code_bytes = 2;
    for (int i = 0; i < space->n_dimensions; i++)
        if (space->dimensions[i].n_codes > INT16_MAX)
            s->code_bytes = 4;
    s->tuple_bytes = ((size_t)space->n_dimensions * s->code_bytes + TUPLE_STEP - 1) / TUPLE_STEP * TUPLE_STEP;
    s->copied_rows = n * (record_bytes - other_bytes) / (2 * (int64_t)s->tuple_bytes);
    s->copied_rows = s->copied_rows < COPIED_ROWS ? s->copied_rows : COPIED_ROWS;
    int64_t n_bytes = s->copied_rows * (int64_t)s->tuple_bytes;
    KANON_TRY(kanon__new_array(&s->tuples, n_bytes, "codes", err), out);
    KANON_TRY(kanon__new_array(&s->tuple_scratch, n_bytes, "codes", err), out);
    KANON_TRY(kanon__new_array(&s->box, 2 * (int64_t)s->tuple_bytes / s->code_bytes, "widths", err), out);
out:
    return st;
}

static kanon_status set_up(mondrian_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *space = s->run->space;
    int64_t n = space->n_rows;
    s->n_counts = n < COUNTED_CODES ? n : COUNTED_CODES;
    KANON_TRY(kanon__new_array(&s->order, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s->scratch, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s->codes, n, "codes", err), out);
    KANON_TRY(kanon__new_array(&s->counts, s->n_counts, "codes", err), out);
    KANON_TRY(set_up_tuples(s, err), out);
    s->sorted = (uint32_t *)s->scratch; /* a median is found before rows are moved */
    for (int64_t row = 0; row < n; row++)
        s->order[row] = (int32_t)row;
    KANON_TRY(kanon__grow_array(&s->within, &s->within_capacity, 2 * space->n_dimensions, "parts of the table", err), out);
    for (int i = 0; i < space->n_dimensions; i++) {
        s->within[2 * i] = 0;
        s->within[2 * i + 1] = space->dimensions[i].n_codes - 1;
    }
    KANON_TRY(kanon__row_parts_push(&s->stack, (kanon__row_part){0, n}, err), out);
out:
    return st;
}

static void clear(mondrian_state *s)
{
    kanon__free(s->box);
    kanon__free(s->within);
    kanon__free(s->stack.items);
    kanon__free(s->tuple_scratch);
    kanon__free(s->tuples);
    kanon__free(s->counts);
    kanon__free(s->codes);
    kanon__free(s->scratch);
    kanon__free(s->order);
}

static kanon_status run_mondrian(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    mondrian_state s = {.run = run, .strict = kanon__setting_is(run->settings, "ties", "strict")};
    width *widths = NULL;
    int64_t n = run->space->n_rows, n_done = 0;
    KANON_TRY(set_up(&s, err), out);
    KANON_TRY(kanon__new_array(&widths, run->space->n_dimensions, "widths", err), out);
    while (s.stack.n > 0) {
        kanon__row_part p = kanon__row_parts_pop(&s.stack);
        int32_t before = run->n_groups;
        KANON_TRY(handle_part(&s, p, widths, err), out);
        n_done += run->n_groups > before ? p.end - p.begin : 0;
        KANON_TRY(kanon__tick(run->ticker, n_done, n, 20 * (p.end - p.begin), err), out);
    }
out:
    kanon__free(widths);
    clear(&s);
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
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "mondrian",
                       .brief = "split the table at medians as long as both sides keep k records",
                       .more = "The fastest, for very large tables and as a baseline. With 'ties=strict' equal values stay "
                               "together, which some analyses need; information loss is clearly higher than kmember's, and "
                               "below that of most others here.",
                       .source = "LeFevre, DeWitt, Ramakrishnan: Mondrian multidimensional k-anonymity, ICDE 2006",
                       .revision = 1},
             .settings = mondrian_settings,
             .n_settings = sizeof mondrian_settings / sizeof mondrian_settings[0]},
    .run = run_mondrian,
    .record_bytes = RECORD_BYTES,
    .cell_bytes = CELL_BYTES,
};
