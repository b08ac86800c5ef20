/* See median.h; the step numbers are those of Loukides, algorithm 2. Cost: O(attributes * n) per level, log2(n / least)
 * levels.
 * Ties: the first of equally wide attributes; records of equal value in record order. */
#include "papers/median.h"

#include "core/alloc.h"
#include "core/select.h"

typedef struct median_partition {
    const kanon__splitter *how;
    int32_t *order;   /* rows; each part is a stretch of it, its rows ascending */
    int32_t *scratch; /* as long */
    uint32_t *codes;  /* as long */
    int64_t *stamps;  /* by code: the number of the count that saw it last, so that no array has to be cleared */
    int64_t n_stamps;
    kanon__row_parts stack;
} median_partition;

static uint32_t count_distinct(median_partition *s, kanon__row_part p, const kanon__dimension *d)
{
    uint32_t n = 0;
    s->n_stamps++;
    for (int64_t i = p.begin; i < p.end; i++) {
        int64_t *stamp = &s->stamps[kanon__code_at(d->codes, s->order[i])];
        n += *stamp != s->n_stamps;
        *stamp = s->n_stamps;
    }
    return n;
}

/* The width of the part on a dimension, comparable across dimensions. */
static double width(median_partition *s, kanon__row_part p, const kanon__dimension *d)
{
    uint32_t lo = UINT32_MAX, hi = 0;
    for (int64_t i = p.begin; i < p.end; i++) {
        uint32_t code = kanon__code_at(d->codes, s->order[i]);
        lo = code < lo ? code : lo;
        hi = code > hi ? code : hi;
    }
    const kanon__column *c = d->column;
    if (!s->how->raw) { /* a share of the domain: weights do not count */
        uint32_t units = d->counted ? kanon__dimension_count_units(d, count_distinct(s, p, d))
                                    : kanon__dimension_units(d, lo, hi);
        return d->full > 0 ? (double)units / d->full : 0;
    }
    if (d->coordinates == NULL) {
        int32_t node = kanon__taxonomy_lca(c->domain->taxonomy, (int32_t)lo, (int32_t)hi);
        return c->domain->taxonomy->last_leaf[node] - c->domain->taxonomy->first_leaf[node] + 1;
    }
    /* a part that holds missing numbers is, on them, as wide as the whole table */
    uint32_t n_numbers = c->domain->n_codes - (c->domain->missing_code != KANON__NO_CODE);
    bool mixed = lo != hi && hi == c->domain->missing_code;
    if (lo == c->domain->missing_code)
        return 0;
    return mixed ? kanon__domain_high(c->domain, n_numbers - 1) - c->domain->values[0]
                 : kanon__domain_high(c->domain, hi) - c->domain->values[lo];
}

/* Step 2: the attribute with the largest width. */
static const kanon__dimension *widest(median_partition *s, kanon__row_part p)
{
    const kanon__space *space = s->how->space;
    int best = 0;
    double most = -1;
    for (int i = 0; i < space->n_dimensions; i++) {
        double here = width(s, p, &space->dimensions[i]);
        if (here > most) {
            most = here;
            best = i;
        }
    }
    return &space->dimensions[best];
}

/* Steps 3 to 5, into scratch: the lower half of the records by value, then record, and behind it the upper half. Both
 * ascending. */
static int64_t halve(median_partition *s, kanon__row_part p, const kanon__dimension *d)
{
    int64_t n = p.end - p.begin, half = n / 2, below = 0, left = 0, right = half;
    for (int64_t i = 0; i < n; i++)
        s->codes[i] = kanon__code_at(d->codes, s->order[p.begin + i]);
    uint32_t median = kanon__select(s->codes, n, half > 0 ? half - 1 : 0);
    for (int64_t i = 0; i < n; i++)
        below += s->codes[i] < median;
    int64_t n_ties = half - below; /* of the records that have the median, so many go left */
    for (int64_t i = p.begin; i < p.end; i++) {
        uint32_t code = kanon__code_at(d->codes, s->order[i]);
        if (code < median || (code == median && n_ties-- > 0))
            s->scratch[left++] = s->order[i];
        else
            s->scratch[right++] = s->order[i];
    }
    return half;
}

/* Whether the sum of S-diversity of some rows is at most delta'. */
static kanon_status is_protected(const median_partition *s, const int32_t *rows, int64_t n, bool *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__s_diversity_group group = {0};
    KANON_TRY(kanon__s_diversity_group_init(&group, s->how->s_diversity, err), out);
    KANON_TRY(kanon__s_diversity_group_fill(&group, rows, n, err), out);
    *out = kanon__s_diversity_sum(s->how->s_diversity, group.numerator, n) <= s->how->most_sum;
out:
    if (group.measure != NULL)
        kanon__s_diversity_group_clear(&group);
    return st;
}

/* Step 6, for the two halves in scratch: may the split be made? */
static kanon_status may_split(const median_partition *s, int64_t n_left, int64_t n_right, bool *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = n_left >= s->how->least && n_right >= s->how->least;
    if (*out && s->how->s_diversity != NULL)
        st = is_protected(s, s->scratch, n_left, out, err);
    if (st == KANON_OK && *out && s->how->s_diversity != NULL)
        st = is_protected(s, s->scratch + n_left, n_right, out, err);
    return st;
}

/* The recursion: split each part until none may be split. */
static kanon_status split_parts(median_partition *s, kanon__parts *parts, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_rows = s->how->space->n_rows;
    while (s->stack.n > 0) {
        kanon__row_part p = kanon__row_parts_pop(&s->stack);
        int64_t n = p.end - p.begin, n_left = 0;
        bool split = n >= 2 * s->how->least && n >= 2;
        if (split) {
            n_left = halve(s, p, widest(s, p));
            KANON_TRY(may_split(s, n_left, n - n_left, &split, err), out);
        }
        if (!split) {
            parts->begins[++parts->n] = p.end; /* parts come from left to right */
            KANON_TRY(kanon__tick(ticker, p.end, n_rows, 20 * n, err), out);
            continue;
        }
        for (int64_t i = 0; i < n; i++)
            s->order[p.begin + i] = s->scratch[i];
        KANON_TRY(kanon__row_parts_push_halves(&s->stack, p, p.begin + n_left, err), out);
        KANON_TRY(kanon__tick(ticker, p.begin, n_rows, 50 * n, err), out);
    }
out:
    return st;
}

kanon_status kanon__parts_at_medians(kanon__parts **out, const kanon__splitter *splitter, kanon__ticker *ticker,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__parts *parts = NULL;
    median_partition s = {.how = splitter};
    const kanon__space *space = splitter->space;
    int64_t n = space->n_rows, most_codes = 0, most_parts = splitter->least > 0 ? n / splitter->least + 1 : n;
    *out = NULL;
    for (int i = 0; i < space->n_dimensions; i++)
        most_codes = space->dimensions[i].n_codes > most_codes ? space->dimensions[i].n_codes : most_codes;
    KANON_TRY(kanon__new_array(&parts, 1, "parts", err), out);
    KANON_TRY(kanon__new_array(&parts->begins, most_parts + 1, "parts", err), out);
    KANON_TRY(kanon__new_array(&s.order, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.scratch, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.codes, n, "row order", err), out);
    KANON_TRY(kanon__new_array(&s.stamps, most_codes, "row order", err), out);
    for (int64_t row = 0; row < n; row++)
        s.order[row] = (int32_t)row;
    KANON_TRY(kanon__row_parts_push(&s.stack, (kanon__row_part){0, n}, err), out);
    KANON_TRY(split_parts(&s, parts, ticker, err), out);
    parts->rows = s.order;
    s.order = NULL;
    *out = parts;
    parts = NULL;
out:
    kanon__free(s.stack.items);
    kanon__free(s.stamps);
    kanon__free(s.codes);
    kanon__free(s.scratch);
    kanon__free(s.order);
    kanon__parts_free(parts);
    return st;
}
