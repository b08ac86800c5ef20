/* Finds the tuples that may share a box with one tuple, by falling price.
 *
 * A walk over the index leaves out nodes that are too far or lie before the tuple in the order. Distances from the
 * tuple are lookups where a dimension has few codes. Counts by distance and price tell which tuples can be in a
 * violated set, before anything is sorted. */
#include "bound/box_candidates.h"

#include "core/alloc.h"

#include <string.h>

enum { MOST_DEPTH = 96, TABLE_CODES = 1024 };
/* Counts of candidates by distance and price: levels and bins of 2^shift units. */
enum { LEVELS = 32, BINS = 64 };
enum { BUCKETS = 1024, FEW = 12 }; /* of sorting */

kanon_status kanon__box_candidates_init(kanon__box_candidates *out, const kanon__priced_table *table, kanon_error *err)
{
    *out = (kanon__box_candidates){.table = table};
    KANON_CHECK(kanon__new_array(&out->sides, 2 * TABLE_CODES, "boxes", err));
    KANON_CHECK(kanon__new_array(&out->reach, table->space->n_dimensions, "boxes", err));
    for (int i = 0; i < table->space->n_dimensions; i++)
        if (table->space->dimensions[i].n_codes <= TABLE_CODES)
            KANON_CHECK(kanon__new_array(&out->reach[i], table->space->dimensions[i].n_codes, "boxes", err));
    return KANON_OK;
}

void kanon__box_candidates_clear(kanon__box_candidates *s)
{
    kanon__free(s->corners);
    kanon__free(s->extents);
    kanon__free(s->counts);
    kanon__free(s->prices);
    kanon__free(s->tuples);
    kanon__free(s->other);
    kanon__free(s->items);
    for (int i = 0; s->reach != NULL && i < s->table->space->n_dimensions; i++)
        kanon__free(s->reach[i]);
    kanon__free(s->reach);
    kanon__free(s->sides);
}

kanon_status kanon__violated_set_init(kanon__violated_set *out, const kanon__priced_table *table, kanon_error *err)
{
    int64_t most = table->k < table->n ? table->k : table->n;
    KANON_CHECK(kanon__new_array(&out->tuples, most, "boxes", err));
    return kanon__new_array(&out->times, most, "boxes", err);
}

void kanon__violated_set_clear(kanon__violated_set *set)
{
    kanon__free(set->times);
    kanon__free(set->tuples);
}

/* One row of pair costs for each dimension: distances from the tuple become lookups. */
static void set_reach(kanon__box_candidates *s, const uint32_t *codes)
{
    for (int i = 0; i < s->table->space->n_dimensions; i++) {
        const kanon__dimension *d = &s->table->space->dimensions[i];
        for (uint32_t code = 0; s->reach[i] != NULL && code < d->n_codes; code++)
            s->reach[i][code] = kanon__dimension_units(d, code < codes[i] ? code : codes[i],
                                                       code < codes[i] ? codes[i] : code);
    }
}

static uint32_t reach_of(const kanon__box_candidates *s, int i, uint32_t from, uint32_t to)
{
    return s->reach[i] != NULL
               ? s->reach[i][to]
               : kanon__dimension_units(&s->table->space->dimensions[i], from < to ? from : to, from < to ? to : from);
}

static uint32_t distance_to_node(const kanon__box_candidates *s, const uint32_t *codes, int32_t node)
{
    int m = s->table->space->n_dimensions;
    const kanon__bound *box = s->table->index->boxes + (int64_t)node * 2 * m;
    uint32_t units = 0;
    for (int i = 0; i < m; i++) {
        uint32_t code = codes[i], lo = box[2 * i], hi = box[2 * i + 1];
        units += reach_of(s, i, code, code < lo ? lo : code > hi ? hi : code);
    }
    return units;
}

static uint32_t distance_to(const kanon__box_candidates *s, const uint32_t *codes, const uint32_t *other)
{
    uint32_t units = 0;
    for (int i = 0; i < s->table->space->n_dimensions; i++)
        units += reach_of(s, i, codes[i], other[i]);
    return units;
}

/* The highest prices come first; where all are equal, the nearest. */
static kanon_status add_candidate(kanon__box_candidates *s, int64_t tuple, uint32_t distance, kanon_error *err)
{
    if (s->n == s->items_capacity)
        KANON_CHECK(kanon__grow_array(&s->items, &s->items_capacity, s->n + 1, "boxes", err));
    uint64_t rank = s->uniform > 0 ? distance : (uint64_t)((int64_t)INT32_MAX - kanon__box_candidates_price(s, tuple));
    s->items[s->n++] = (kanon__box_candidate){rank << 32 | (uint64_t)tuple, distance};
    return KANON_OK;
}

/* The tuples after it in the order that are at most `radius` away. */
kanon_status kanon__box_candidates_find(kanon__box_candidates *s, const int32_t *order, const int32_t *last, uint32_t radius,
                                        kanon_error *err)
{
    const kanon__priced_table *t = s->table;
    const uint32_t *codes = kanon__priced_codes(t, s->own);
    int32_t stack[2 * MOST_DEPTH], first = order != NULL ? order[s->own] : 0;
    int depth = 0;
    set_reach(s, codes);
    s->n = 0;
    stack[depth++] = 0;
    while (depth > 0) {
        int32_t number = stack[--depth];
        const kanon__tree_node *node = &t->index->nodes[number];
        if ((order != NULL && last[number] < first) || distance_to_node(s, codes, number) > radius)
            continue;
        if (node->first_child >= 0 && depth + 2 <= 2 * MOST_DEPTH) {
            stack[depth++] = node->first_child + 1;
            stack[depth++] = node->first_child;
            continue;
        }
        for (int64_t other = node->begin; other < node->end; other++) {
            uint32_t distance;
            if ((order == NULL || order[other] >= first) && kanon__box_candidates_count(s, other) > 0 &&
                (distance = distance_to(s, codes, kanon__priced_codes(t, other))) <= radius)
                KANON_CHECK(add_candidate(s, other, distance, err));
        }
    }
    return KANON_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static void insertion_sort(kanon__box_candidate *items, int64_t n)
{
    for (int64_t i = 1; i < n; i++) {
        kanon__box_candidate item = items[i];
        int64_t at = i;
        for (; at > 0 && items[at - 1].key > item.key; at--)
            items[at] = items[at - 1];
        items[at] = item;
    }
}

/* Bottom-up: no recursion, and O(n log n) in any case. */
static void merge_sort(kanon__box_candidate *items, kanon__box_candidate *room, int64_t n)
{
    kanon__box_candidate *from = items, *to = room;
    for (int64_t begin = 0; begin < n; begin += FEW)
        insertion_sort(items + begin, n - begin < FEW ? n - begin : FEW);
    for (int64_t width = FEW; width < n; width *= 2) {
        for (int64_t begin = 0; begin < n; begin += 2 * width) {
            int64_t middle = begin + width < n ? begin + width : n, end = middle + width < n ? middle + width : n;
            for (int64_t i = begin, j = middle, at = begin; at < end; at++)
                to[at] = i < middle && (j >= end || from[i].key <= from[j].key) ? from[i++] : from[j++];
        }
        kanon__box_candidate *swap = from;
        from = to;
        to = swap;
    }
    if (from != items)
        memcpy(items, from, (size_t)n * sizeof *from);
}

/* Into buckets of equal width first: most of them have few items. */
static kanon_status sort(kanon__box_candidates *s, kanon_error *err)
{
    int64_t n = s->n, begins[BUCKETS + 1] = {0};
    uint64_t least = UINT64_MAX, most = 0;
    int shift = 0;
    KANON_CHECK(kanon__grow_array(&s->other, &s->other_capacity, n, "boxes", err));
    for (int64_t i = 0; i < n; i++) {
        least = s->items[i].key < least ? s->items[i].key : least;
        most = s->items[i].key > most ? s->items[i].key : most;
    }
    while (n > 0 && (most - least) >> shift >= BUCKETS)
        shift++;
    for (int64_t i = 0; i < n; i++)
        begins[(s->items[i].key - least) >> shift]++;
    for (int64_t bucket = 0, begin = 0; bucket <= BUCKETS; bucket++) {
        int64_t size = begins[bucket];
        begins[bucket] = begin;
        begin += size;
    }
    for (int64_t i = 0; i < n; i++)
        s->other[begins[(s->items[i].key - least) >> shift]++] = s->items[i];
    for (int64_t bucket = 0, begin = 0; bucket < BUCKETS; begin = begins[bucket++]) /* each begins where the next did */
        merge_sort(s->other + begin, s->items + begin, begins[bucket] - begin);
    if (n > 0)
        memcpy(s->items, s->other, (size_t)n * sizeof *s->items);
    return KANON_OK;
}

/* ---- arrays ------------------------------------------------------------------------------------------------------ */

/* One row of extents for a dimension with few codes: two for each code. */
static const int32_t *rows_of_extents(kanon__box_candidates *s, int i, uint32_t from)
{
    for (uint32_t code = 0; code < s->table->space->dimensions[i].n_codes; code++)
        kanon__dimension_extents(s->table, i, from, code, s->sides + 2 * code);
    return s->sides;
}

static void set_extents(kanon__box_candidates *s)
{
    const kanon__priced_table *t = s->table;
    const uint32_t *own = kanon__priced_codes(t, s->own);
    for (int i = 0; i < t->space->n_dimensions; i++) {
        int64_t n = s->n, n_sides = t->space->dimensions[i].coordinates != NULL ? 2 : 1;
        int32_t *below = s->extents + t->first_side[i] * n, *above = below + (n_sides - 1) * n;
        const int32_t *rows = s->reach[i] != NULL && t->space->dimensions[i].n_codes <= n ? rows_of_extents(s, i, own[i])
                                                                                          : NULL;
        for (int64_t at = 0; at < n; at++) {
            int32_t pair[2];
            int64_t tuple = (int64_t)(s->items[at].key & UINT32_MAX);
            uint32_t code = kanon__priced_codes(t, tuple == KANON__STAND_IN ? s->own : tuple)[i];
            if (rows == NULL)
                kanon__dimension_extents(t, i, own[i], code, pair);
            const int32_t *row = rows != NULL ? rows + 2 * code : pair;
            below[at] = row[0];
            above[at] = row[n_sides - 1];
        }
    }
}

kanon_status kanon__box_candidates_lay_out(kanon__box_candidates *s, kanon_error *err)
{
    int n_sides = s->table->n_sides;
    KANON_CHECK(sort(s, err));
    KANON_CHECK(kanon__grow_array(&s->tuples, &s->tuples_capacity, s->n, "boxes", err));
    KANON_CHECK(kanon__grow_array(&s->prices, &s->prices_capacity, s->n, "boxes", err));
    KANON_CHECK(kanon__grow_array(&s->counts, &s->counts_capacity, s->n, "boxes", err));
    KANON_CHECK(kanon__grow_array(&s->extents, &s->extents_capacity, s->n * n_sides, "boxes", err));
    KANON_CHECK(kanon__grow_array(&s->corners, &s->corners_capacity, s->n * n_sides, "boxes", err));
    for (int64_t i = 0; i < s->n; i++) {
        int64_t tuple = (int64_t)(s->items[i].key & UINT32_MAX);
        s->tuples[i] = tuple == KANON__STAND_IN ? -1 : (int32_t)tuple;
        s->prices[i] = kanon__box_candidates_price(s, tuple);
        s->counts[i] = kanon__box_candidates_count(s, tuple);
    }
    set_extents(s);
    for (int side = 0; side < n_sides; side++)
        for (int64_t i = 0; i < s->n; i++)
            s->corners[i * n_sides + side] = s->extents[side * s->n + i];
    return KANON_OK;
}

/* ---- which are of use --------------------------------------------------------------------------------------------- */

/* How many records there are, and what they are worth, by distance and falling price. */
typedef struct price_counts {
    int level_shift, bin_shift;
    int64_t highest; /* price */
    int64_t records[LEVELS][BINS], sums[LEVELS][BINS];
} price_counts;

static int64_t price_of(const kanon__box_candidates *s, const kanon__box_candidate *item)
{
    return kanon__box_candidates_price(s, (int64_t)(item->key & UINT32_MAX));
}

static void count_prices(const kanon__box_candidates *s, price_counts *c)
{
    int64_t lowest = INT64_MAX, farthest = 0;
    memset(c, 0, sizeof *c);
    c->highest = INT64_MIN;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t price = price_of(s, &s->items[i]);
        lowest = price < lowest ? price : lowest;
        c->highest = price > c->highest ? price : c->highest;
        farthest = s->items[i].distance > farthest ? s->items[i].distance : farthest;
    }
    while (farthest >> c->level_shift >= LEVELS)
        c->level_shift++;
    while (s->n > 0 && (c->highest - lowest) >> c->bin_shift >= BINS)
        c->bin_shift++;
    for (int64_t i = 0; i < s->n; i++) {
        int64_t price = price_of(s, &s->items[i]);
        int64_t count = kanon__box_candidates_count(s, (int64_t)(s->items[i].key & UINT32_MAX));
        int level = s->items[i].distance >> c->level_shift, bin = (int)((c->highest - price) >> c->bin_shift);
        c->records[level][bin] += count;
        c->sums[level][bin] += count * price;
    }
}

/* At least the sum of the `left` highest prices of a row; of the last bin only some count, each as the highest one could.
 * False where it has fewer records. */
static bool highest_sum(const price_counts *c, const int64_t *records, const int64_t *sums, int64_t left, int64_t *sum)
{
    *sum = 0;
    for (int bin = 0; bin < BINS && left > 0; bin++) {
        *sum += records[bin] <= left ? sums[bin] : left * (c->highest - ((int64_t)bin << c->bin_shift));
        left -= records[bin] < left ? records[bin] : left;
    }
    return left == 0;
}

/* By level, what the price of a candidate must exceed: a box on level l costs at least its lower end and holds the
 * candidates up to l alone. With the k-2 highest of them and the tuple itself, a candidate has to make up the rest. */
static void set_least_prices(const kanon__box_candidates *s, price_counts *c, int64_t tolerance, int64_t *above)
{
    int64_t k = s->table->k, sum, others;
    for (int level = 1; level < LEVELS; level++)
        for (int bin = 0; bin < BINS; bin++) { /* from here on: up to each level */
            c->records[level][bin] += c->records[level - 1][bin];
            c->sums[level][bin] += c->sums[level - 1][bin];
        }
    for (int level = LEVELS - 1; level >= 0; level--) {
        int64_t cost = k * ((int64_t)level << c->level_shift);
        above[level] = level + 1 < LEVELS ? above[level + 1] : INT64_MAX;
        if (highest_sum(c, c->records[level], c->sums[level], k - 1, &sum) && s->own_price + sum > cost + tolerance) {
            highest_sum(c, c->records[level], c->sums[level], k - 2, &others);
            int64_t needed = cost + tolerance - s->own_price - others;
            above[level] = needed < above[level] ? needed : above[level];
        }
    }
}

bool kanon__box_candidates_drop(kanon__box_candidates *s, int64_t tolerance)
{
    price_counts counts;
    int64_t above[LEVELS], kept = 0, records = 0;
    count_prices(s, &counts);
    set_least_prices(s, &counts, tolerance, above);
    for (int64_t i = 0; i < s->n; i++) {
        if (price_of(s, &s->items[i]) <= above[s->items[i].distance >> counts.level_shift])
            continue;
        records += kanon__box_candidates_count(s, (int64_t)(s->items[i].key & UINT32_MAX));
        s->items[kept++] = s->items[i];
    }
    s->n = kept;
    return records >= s->table->k - 1;
}

/* The level and the bin up to which about half of `most` records lie, each on its own. */
static void find_limits(const price_counts *c, int64_t most, int *level, int *bin)
{
    int64_t sum = 0;
    for (*level = 0; *level < LEVELS; (*level)++) {
        for (int i = 0; i < BINS; i++)
            sum += c->records[*level][i];
        if (sum > most / 2)
            break;
    }
    sum = 0;
    for (*bin = 0; *bin < BINS; (*bin)++) {
        for (int i = *level; i < LEVELS; i++)
            sum += c->records[i][*bin];
        if (sum > most / 2)
            break;
    }
}

kanon_status kanon__box_candidates_thin_out(kanon__box_candidates *s, int64_t most, kanon_error *err)
{
    price_counts counts;
    int64_t kept = 0;
    int level, bin;
    if (s->n <= most || s->uniform > 0)
        return KANON_OK;
    count_prices(s, &counts);
    find_limits(&counts, most, &level, &bin);
    if (level == LEVELS || bin == BINS)
        return KANON_OK;
    s->stand_in_price = (int32_t)(counts.highest - ((int64_t)bin << counts.bin_shift));
    const uint32_t *own = kanon__priced_codes(s->table, s->own);
    uint32_t least = distance_to(s, own, own), beyond = (uint32_t)level << counts.level_shift;
    s->stand_in_distance = beyond > least ? beyond : least;
    for (int64_t i = 0; i < s->n; i++)
        if (s->items[i].distance < s->stand_in_distance || price_of(s, &s->items[i]) > s->stand_in_price)
            s->items[kept++] = s->items[i];
    s->n = kept;
    return add_candidate(s, KANON__STAND_IN, s->stand_in_distance, err);
}
