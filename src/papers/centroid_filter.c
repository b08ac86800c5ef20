/* See centroid_filter.h: rounding to steps, the slots, and the two passes of a question (bound, then select). Called
 * by nearest.c; the loops are in the kernels. */
#include "papers/centroid_filter.h"

#include "core/alloc.h"

#include <string.h>

enum { NO_SLOT = -1, AFTER_LAST = 255 };

/* The largest possible distance is about MOST_STEPS steps. Bounds saturate at 254, but distances beyond that seldom matter,
 * and smaller steps separate the near ones better. The full cost of the heaviest dimension is a multiple of FULL_UNIT steps:
 * then halves, thirds and quarters of it, the levels of a taxonomy, are whole steps and lose nothing by rounding. */
enum { MOST_STEPS = 384, FULL_UNIT = 12 };

/* ---- classes of sizes -------------------------------------------------------------------------------------------- */

static uint8_t class_of(int64_t size)
{
    if (size < 32)
        return (uint8_t)size;
    int doublings = 63 - __builtin_clzll((uint64_t)size);
    int64_t grade = 32 + 8 * (doublings - 5) + ((size >> (doublings - 3)) & 7);
    return (uint8_t)(grade < KANON__SIZE_CLASSES ? grade : KANON__SIZE_CLASSES - 1);
}

/* The smallest factor in a class; an empty cluster counts as one record. */
static uint32_t least_factor(int grade)
{
    return grade < 2 ? 1 : grade < 32 ? (uint32_t)grade : (uint32_t)(8 + grade % 8) << (grade / 8 - 2);
}

static int64_t in_blocks(int64_t n)
{
    return (n + KANON__FILTER_BLOCK - 1) / KANON__FILTER_BLOCK * KANON__FILTER_BLOCK;
}

/* ---- making ------------------------------------------------------------------------------------------------------ */

/* Arrays begin at cache lines: a vector that straddles two lines loads at half the speed. */
static void lay_out(kanon__centroid_filter *s, int m)
{
    s->at = s->bytes + (KANON__FILTER_BLOCK - (uintptr_t)s->bytes % KANON__FILTER_BLOCK);
    s->classes = s->at + m * s->capacity;
    s->bounds = s->classes + s->capacity;
    for (int i = 0; i < KANON__SIZE_CLASSES; i++)
        s->inverses[i] = 1.0 / least_factor(i);
}

kanon_status kanon__centroid_filter_new(kanon__centroid_filter **out, const kanon__centroids *centroids,
                                        const kanon__centroid_kernels *kernels, uint32_t *const *node_terms,
                                        kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__centroid_filter *s = NULL;
    int m = centroids->space->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "the centroid filter", err), out);
    s->centroids = centroids;
    s->kernels = kernels;
    s->node_terms = node_terms;
    s->capacity = in_blocks(centroids->n);
    KANON_TRY(kanon__new_array(&s->dimensions, m, "the centroid filter", err), out);
    KANON_TRY(kanon__new_array(&s->terms, m, "the centroid filter", err), out);
    KANON_TRY(kanon__new_array(&s->cluster_at, centroids->n, "the centroid filter", err), out);
    KANON_TRY(kanon__new_array(&s->slot_of, centroids->n, "the centroid filter", err), out);
    KANON_TRY(kanon__new_array(&s->bytes, (m + 2) * s->capacity + KANON__FILTER_BLOCK, "the centroid filter", err), out);
    lay_out(s, m);
    KANON_TRY(kanon__new_array(&s->hits, s->capacity / KANON__FILTER_BLOCK, "the centroid filter", err), out);
    for (int i = 0; i < m; i++) {
        const kanon__dimension *d = &centroids->space->dimensions[i];
        if (d->coordinates != NULL)
            KANON_TRY(kanon__new_array(&s->dimensions[i].own, 2 * (int64_t)d->n_codes, "the centroid filter", err), out);
        else if (node_terms[i] != NULL)
            KANON_TRY(kanon__new_array(&s->dimensions[i].table, (int64_t)d->n_codes * KANON__FILTER_BINS,
                                       "the centroid filter", err),
                      out);
    }
    *out = s;
    s = NULL;
out:
    kanon__centroid_filter_free(s);
    return st;
}

void kanon__centroid_filter_free(kanon__centroid_filter *s)
{
    if (s == NULL)
        return;
    for (int i = 0; s->dimensions != NULL && i < s->centroids->space->n_dimensions; i++) {
        kanon__free(s->dimensions[i].table);
        kanon__free(s->dimensions[i].own);
    }
    kanon__free(s->hits);
    kanon__free(s->bytes);
    kanon__free(s->slot_of);
    kanon__free(s->cluster_at);
    kanon__free(s->terms);
    kanon__free(s->dimensions);
    kanon__free(s);
}

/* ---- rounding down to steps -------------------------------------------------------------------------------------- */

static uint8_t at_most(uint64_t value, uint8_t limit)
{
    return value < limit ? (uint8_t)value : limit;
}

static uint64_t weighted(const kanon__centroid_filter *s, int i, uint64_t units)
{
    return s->weights != NULL ? units * s->weights[i] : units;
}

/* A coordinate of b steps, rounded down, lies in [b, b + 1). Seen from x it is at least floor(x) - 1 - b steps below and at
 * least b - ceil(x) steps above; so low = floor(x) - 1 and high = ceil(x). Clamping coordinates at 254 only lowers terms. */
static void round_numbers(kanon__centroid_filter *s, int i)
{
    const kanon__dimension *d = &s->centroids->space->dimensions[i];
    uint8_t *own = s->dimensions[i].own;
    for (size_t code = 0; code < d->n_codes; code++) {
        uint64_t position = weighted(s, i, d->coordinates[code]), down = position / s->step;
        own[2 * code] = at_most(down > 0 ? down - 1 : 0, KANON__FILTER_MOST);
        own[2 * code + 1] = at_most(down + (position % s->step > 0), KANON__FILTER_MOST);
    }
    s->dimensions[i].full = at_most(weighted(s, i, d->full) / s->step, KANON__FILTER_MOST);
}

/* A large taxonomy has more nodes than bins: neighbouring nodes share one, and the least term among them counts. */
static void round_table(kanon__centroid_filter *s, int i)
{
    const kanon__dimension *d = &s->centroids->space->dimensions[i];
    kanon__filter_dimension *own = &s->dimensions[i];
    int32_t n_nodes = d->column->domain->taxonomy->n_nodes;
    const uint32_t *units = s->node_terms[i];
    own->per_bin = (n_nodes + KANON__FILTER_BINS - 1) / KANON__FILTER_BINS;
    own->n_bins = (n_nodes + own->per_bin - 1) / own->per_bin;
    memset(own->table, KANON__FILTER_MOST, (size_t)d->n_codes * KANON__FILTER_BINS);
    for (uint32_t code = 0; code < d->n_codes; code++) {
        uint8_t *row = own->table + (size_t)code * KANON__FILTER_BINS;
        for (int32_t node = 0; node < n_nodes; node++)
            row[node / own->per_bin] = at_most(weighted(s, i, *units++) / s->step, row[node / own->per_bin]);
    }
}

static uint8_t rounded_at(const kanon__centroid_filter *s, int i, int32_t at)
{
    if (s->dimensions[i].table != NULL)
        return (uint8_t)(at / s->dimensions[i].per_bin);
    return at == KANON__NO_COORDINATE ? KANON__FILTER_NONE
                                      : at_most(weighted(s, i, (uint64_t)at) / s->step, KANON__FILTER_MOST);
}

/* The units of a step; at least 1. */
static uint64_t choose_step(const kanon__centroid_filter *s)
{
    uint64_t all = 0, largest = 0;
    for (int i = 0; i < s->centroids->space->n_dimensions; i++) {
        uint64_t full = weighted(s, i, s->centroids->space->dimensions[i].full);
        all += full;
        largest = full > largest ? full : largest;
    }
    uint64_t n_full = all > 0 ? largest * MOST_STEPS / all / FULL_UNIT * FULL_UNIT : 0;
    uint64_t step = largest / (n_full > 0 ? n_full : FULL_UNIT);
    return step > 0 ? step : 1;
}

void kanon__centroid_filter_reset(kanon__centroid_filter *s, const uint32_t *weights)
{
    const kanon__space *space = s->centroids->space;
    s->weights = weights;
    s->step = choose_step(s);
    for (int i = 0; i < space->n_dimensions; i++)
        if (s->dimensions[i].own != NULL)
            round_numbers(s, i);
        else if (s->dimensions[i].table != NULL)
            round_table(s, i);
    kanon__centroid_filter_open_slots(s, 0);
}

/* ---- slots ------------------------------------------------------------------------------------------------------- */

static void fill_slot(kanon__centroid_filter *s, int64_t slot)
{
    const kanon__centroids *c = s->centroids;
    int64_t cluster = s->cluster_at[slot];
    for (int i = 0; i < c->space->n_dimensions; i++)
        if (s->dimensions[i].table != NULL || s->dimensions[i].own != NULL)
            s->at[i * s->capacity + slot] = rounded_at(s, i, c->at[i * c->n + cluster]);
    s->classes[slot] = class_of(c->sizes[cluster]);
    s->n_classes = s->classes[slot] < s->n_classes ? s->n_classes : s->classes[slot] + 1;
}

/* The last slot moves into the one that becomes free, so that slots stay contiguous. */
static void give_up_slot(kanon__centroid_filter *s, int64_t slot)
{
    int64_t last = --s->n;
    s->slot_of[s->cluster_at[slot]] = NO_SLOT;
    if (slot == last)
        return;
    s->cluster_at[slot] = s->cluster_at[last];
    s->slot_of[s->cluster_at[slot]] = (int32_t)slot;
    fill_slot(s, slot);
}

void kanon__centroid_filter_open_slots(kanon__centroid_filter *s, int64_t below)
{
    const kanon__centroids *c = s->centroids;
    s->below = below;
    s->n = 0;
    s->n_classes = 1;
    for (int64_t cluster = 0; cluster < c->n; cluster++) {
        bool open = below == 0 || c->sizes[cluster] < below;
        s->slot_of[cluster] = open ? (int32_t)s->n : NO_SLOT;
        if (!open)
            continue;
        s->cluster_at[s->n] = (int32_t)cluster;
        fill_slot(s, s->n++);
    }
}

void kanon__centroid_filter_update(kanon__centroid_filter *s, int64_t cluster)
{
    int64_t slot = s->slot_of[cluster];
    if (slot == NO_SLOT)
        return;
    if (s->below > 0 && s->centroids->sizes[cluster] >= s->below)
        give_up_slot(s, slot);
    else
        fill_slot(s, slot);
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

/* A missing number of the record is at distance `full` from every number: low and high then cover all coordinates. */
static void describe_number(const kanon__centroid_filter *s, int i, uint32_t code, kanon__filter_term *out)
{
    const kanon__filter_dimension *d = &s->dimensions[i];
    uint32_t missing_code = s->centroids->space->dimensions[i].column->domain->missing_code;
    if (code != missing_code) {
        out->low = d->own[2 * (size_t)code];
        out->high = d->own[2 * (size_t)code + 1];
        out->if_none = d->full;
    } else {
        out->high = KANON__FILTER_NONE;
        out->if_some = d->full;
    }
    out->missing = missing_code != KANON__NO_CODE;
}

void kanon__centroid_filter_bound(kanon__centroid_filter *s, int64_t row)
{
    const kanon__space *space = s->centroids->space;
    int n_terms = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t code = kanon__code_at(space->dimensions[i].codes, row);
        kanon__filter_term *t = &s->terms[n_terms];
        *t = (kanon__filter_term){.at = s->at + i * s->capacity, .n_table = s->dimensions[i].n_bins};
        if (s->dimensions[i].own != NULL)
            describe_number(s, i, code, t);
        else if (s->dimensions[i].table != NULL)
            t->table = s->dimensions[i].table + (size_t)code * KANON__FILTER_BINS;
        else
            continue;
        n_terms++;
    }
    s->kernels->filter_bound(s->bounds, in_blocks(s->n), s->terms, n_terms);
    memset(s->bounds + s->n, AFTER_LAST, (size_t)(in_blocks(s->n) - s->n));
    memset(s->classes + s->n, s->n_classes - 1, (size_t)(in_blocks(s->n) - s->n));
}

uint64_t kanon__centroid_filter_least_bound(const kanon__centroid_filter *s, bool by_size)
{
    uint8_t factors[KANON__SIZE_CLASSES];
    for (int i = 0; by_size && i < KANON__SIZE_CLASSES; i++)
        factors[i] = at_most(least_factor(i), UINT8_MAX);
    return s->step *
           s->kernels->filter_least(s->bounds, s->classes, by_size ? factors : NULL, s->n_classes, in_blocks(s->n));
}

/* A limit is one more than the largest bound that passes. The smallest size of a class gives the largest limit, so
 * nothing is lost. The factor a_little_more covers the rounding of the quotients. */
void kanon__centroid_filter_select(kanon__centroid_filter *s, bool by_size, uint64_t least)
{
    uint8_t limits[KANON__SIZE_CLASSES] = {0};
    const double a_little_more = 1 + 1e-9;
    double steps = (double)least / (double)s->step * a_little_more;
    for (int i = 0; i < (by_size ? s->n_classes : 1); i++) {
        double limit = by_size ? steps * s->inverses[i] : steps;
        limits[i] = (uint8_t)((limit < KANON__FILTER_MOST ? (int)limit : KANON__FILTER_MOST) + 1);
    }
    s->kernels->filter_select(s->hits, s->bounds, by_size ? s->classes : NULL, limits, s->n_classes, in_blocks(s->n));
}
