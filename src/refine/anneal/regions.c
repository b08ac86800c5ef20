/* Cuts the grouping into regions, and copies a region out of the state and back.
 *
 * Partition (kanon__regions_init):
 *
 *   1. List the rows of each group. A group is represented by the codes of its first row.
 *   2. Begin with one range that holds all groups. While a range has too many records, cut it in two: draw the share of the
 *      first range, look on each dimension for the widest gap between groups near that share, and choose a dimension at
 *      random, wide gaps more likely. Few neighbours are separated by a wide gap. Without a gap, cut by number.
 *   3. Sort the rows by region, each region in index order.
 *
 * Extract (kanon__regions_extract): number the region's tuples by a bitmap with counts, keep the neighbours that are inside
 * the region, and insert the records into their groups. */
#include "refine/anneal/regions.h"

#include "core/alloc.h"
#include "refine/anneal/suppressed_records.h"

#include <stdlib.h>
#include <string.h>

/* ---- partition --------------------------------------------------------------------------------------------------- */

/* Of a histogram over the codes of a dimension. */
enum { BINS = 4096 };

typedef struct keyed_group {
    uint32_t key;
    int32_t group;
} keyed_group;

typedef struct partitioner {
    kanon__regions *regions;
    kanon__random *random;
    uint32_t *codes;            /* by group and dimension: the code of the group's first row */
    keyed_group *keyed;         /* room for sorting a range */
    int64_t *counts;            /* records by bin of a dimension's codes */
    kanon__region_range *stack; /* ranges still to be cut; depth first, the first part on top */
    int64_t n_stack, stack_capacity, ranges_capacity;
} partitioner;

static int64_t group_size(const kanon__regions *r, int32_t group)
{
    return r->row_begins[group + 1] - r->row_begins[group];
}

/* 1. A counting sort of the rows by group. */
static kanon_status list_rows(kanon__regions *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__search_state *s = r->state;
    int64_t n = s->space->n_rows, *next = NULL;
    KANON_TRY(kanon__new_array(&r->row_begins, (int64_t)s->n_groups + 1, "regions", err), out);
    KANON_TRY(kanon__new_array(&r->rows, n, "regions", err), out);
    KANON_TRY(kanon__new_array(&r->groups, s->n_groups, "regions", err), out);
    KANON_TRY(kanon__new_array(&next, s->n_groups, "regions", err), out);
    for (int64_t row = 0; row < n; row++)
        if (s->group_of[row] >= 0)
            r->row_begins[s->group_of[row] + 1]++;
    for (int32_t group = 0; group < s->n_groups; group++) {
        r->groups[group] = group;
        r->row_begins[group + 1] += r->row_begins[group];
        next[group] = r->row_begins[group];
    }
    for (int64_t row = 0; row < n; row++)
        if (s->group_of[row] >= 0)
            r->rows[next[s->group_of[row]]++] = (int32_t)row;
out:
    kanon__free(next);
    return st;
}

/* 1. The first row is near enough to the others, and cheap to find. */
static kanon_status set_representatives(partitioner *c, kanon_error *err)
{
    const kanon__regions *r = c->regions;
    const kanon__space *space = r->state->space;
    int m = space->n_dimensions;
    kanon_status st = kanon__new_array(&c->codes, (int64_t)r->state->n_groups * m, "regions", err);
    for (int32_t group = 0; st == KANON_OK && group < r->state->n_groups; group++)
        for (int i = 0; i < m; i++)
            c->codes[(int64_t)group * m + i] = kanon__code_at(space->dimensions[i].codes, r->rows[r->row_begins[group]]);
    return st;
}

static uint32_t code_of(const partitioner *c, int32_t group, int dimension)
{
    return c->codes[(int64_t)group * c->regions->state->space->n_dimensions + dimension];
}

/* A range is cut in two before this code of a dimension. */
typedef struct cut_point {
    int dimension; /* -1: no gap was found */
    uint32_t code;
    double score; /* of this cut among those of other dimensions */
} cut_point;

/* The smallest and the largest code of the groups. */
static void find_extent(const partitioner *c, const kanon__region_range *range, int dimension, uint32_t *lo, uint32_t *hi)
{
    *lo = UINT32_MAX;
    *hi = 0;
    for (int64_t i = range->begin; i < range->end; i++) {
        uint32_t code = code_of(c, c->regions->groups[i], dimension);
        *lo = code < *lo ? code : *lo;
        *hi = code > *hi ? code : *hi;
    }
}

/* The widest gap between groups on the dimension, among those with about this share of the records before them. Its score
 * is its width times a random number: the best score is that of a random dimension, wide gaps more likely. */
static void find_gap(const partitioner *c, const kanon__region_range *range, int dimension, double share, cut_point *best)
{
    static const double AROUND = 0.15;
    const kanon__regions *r = c->regions;
    uint32_t lo, hi, widest = 0, gap, last = 0, after = 0;
    double n = 0, all = (double)range->n_records;
    int shift = 0;
    find_extent(c, range, dimension, &lo, &hi);
    if (lo >= hi)
        return;
    while ((hi - lo) >> shift >= BINS)
        shift++;
    memset(c->counts, 0, BINS * sizeof *c->counts);
    for (int64_t i = range->begin; i < range->end; i++)
        c->counts[(code_of(c, r->groups[i], dimension) - lo) >> shift] += group_size(r, r->groups[i]);
    for (uint32_t bin = 0; bin <= (hi - lo) >> shift; bin++) {
        if (c->counts[bin] == 0)
            continue;
        bool inside = n >= (share - AROUND) * all && n <= (share + AROUND) * all && n > 0;
        gap = inside ? kanon__dimension_units(&r->state->space->dimensions[dimension], lo + (last << shift),
                                              lo + (bin << shift))
                     : 0;
        if (gap > widest) {
            widest = gap;
            after = bin;
        }
        n += (double)c->counts[bin];
        last = bin;
    }
    double score = widest * kanon__random_unit(c->random);
    if (widest > 0 && score > best->score)
        *best = (cut_point){dimension, lo + (after << shift), score};
}

static int by_key(const void *left, const void *right)
{
    const keyed_group *a = left, *s = right;
    if (a->key != s->key)
        return a->key < s->key ? -1 : 1;
    return a->group < s->group ? -1 : a->group > s->group;
}

static void sort_range(partitioner *c, const kanon__region_range *range, int dimension)
{
    int32_t *groups = c->regions->groups + range->begin;
    int64_t n = range->end - range->begin;
    for (int64_t i = 0; i < n; i++)
        c->keyed[i] = (keyed_group){code_of(c, groups[i], dimension), groups[i]};
    qsort(c->keyed, (size_t)n, sizeof *c->keyed, by_key);
    for (int64_t i = 0; i < n; i++)
        groups[i] = c->keyed[i].group;
}

/* Put the groups before the cut first, up to *end. Returns the number of their records. */
static int64_t split_at(partitioner *c, const kanon__region_range *range, const cut_point *cut, int64_t *end)
{
    int32_t *groups = c->regions->groups;
    int64_t n = 0;
    *end = range->begin;
    for (int64_t i = range->begin; i < range->end; i++) {
        int32_t group = groups[i];
        if (code_of(c, group, cut->dimension) >= cut->code)
            continue;
        groups[i] = groups[*end];
        groups[(*end)++] = group;
        n += group_size(c->regions, group);
    }
    return n;
}

/* Without a gap: sort by the first dimension on which groups differ, and take the share from the front. */
static int64_t split_by_number(partitioner *c, const kanon__region_range *range, double share, int64_t *end)
{
    int dimension = 0;
    uint32_t lo = 0, hi = 0;
    for (; lo >= hi && dimension < c->regions->state->space->n_dimensions; dimension++)
        find_extent(c, range, dimension, &lo, &hi);
    if (lo < hi)
        sort_range(c, range, dimension - 1);
    int64_t wanted = (int64_t)(share * (double)range->n_records), n = 0;
    *end = range->begin;
    do {
        n += group_size(c->regions, c->regions->groups[(*end)++]);
    } while (n < wanted && *end < range->end - 1);
    return n;
}

/* 2. Both parts have groups. */
static void cut_range(partitioner *c, const kanon__region_range *range, kanon__region_range *left,
                      kanon__region_range *right)
{
    double share = 0.35 + 0.3 * kanon__random_unit(c->random);
    cut_point cut = {.dimension = -1, .score = -1};
    int64_t end;
    for (int i = 0; i < c->regions->state->space->n_dimensions; i++)
        find_gap(c, range, i, share, &cut);
    int64_t n = cut.dimension >= 0 ? split_at(c, range, &cut, &end) : split_by_number(c, range, share, &end);
    *left = (kanon__region_range){.begin = range->begin, .end = end, .n_records = n};
    *right = (kanon__region_range){.begin = end, .end = range->end, .n_records = range->n_records - n};
}

/* 2. */
static kanon_status cut_all(partitioner *c, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regions *r = c->regions;
    int64_t n_groups = r->state->n_groups;
    KANON_TRY(kanon__new_array(&c->keyed, n_groups, "regions", err), out);
    KANON_TRY(kanon__new_array(&c->counts, BINS, "regions", err), out);
    KANON_TRY(kanon__grow_array(&c->stack, &c->stack_capacity, 1, "regions", err), out);
    c->stack[c->n_stack++] = (kanon__region_range){.end = n_groups, .n_records = r->row_begins[n_groups]};
    while (c->n_stack > 0) {
        kanon__region_range range = c->stack[--c->n_stack];
        if (range.n_records > most && range.end - range.begin > 1) {
            KANON_TRY(kanon__grow_array(&c->stack, &c->stack_capacity, c->n_stack + 2, "regions", err), out);
            cut_range(c, &range, &c->stack[c->n_stack + 1], &c->stack[c->n_stack]);
            c->n_stack += 2;
            continue;
        }
        KANON_TRY(kanon__grow_array(&r->ranges, &c->ranges_capacity, r->n_regions + 1, "regions", err), out);
        r->ranges[r->n_regions++] = range;
    }
out:
    return st;
}

static void number_regions(kanon__regions *r)
{
    for (int64_t i = 0; i < r->n_regions; i++)
        for (int64_t j = r->ranges[i].begin; j < r->ranges[i].end; j++) {
            r->region_of[r->groups[j]] = (int32_t)i;
            r->local_group[r->groups[j]] = (int32_t)(j - r->ranges[i].begin);
        }
}

/* 3. One pass over the rows in index order, each to the next place of its region. */
static kanon_status sort_rows(kanon__regions *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__search_state *s = r->state;
    int64_t *next = NULL, first = 0;
    KANON_TRY(kanon__new_array(&r->region_of, s->n_groups, "regions", err), out);
    KANON_TRY(kanon__new_array(&r->local_group, s->n_groups, "regions", err), out);
    number_regions(r);
    if (s->may_suppress > 0)
        kanon__suppressed_share(r);
    KANON_TRY(kanon__new_array(&next, r->n_regions, "regions", err), out);
    for (int64_t i = 0; i < r->n_regions; i++) {
        kanon__region_range *range = &r->ranges[i];
        range->first_record = next[i] = first;
        first += range->n_records;
        range->first_group = r->n_group_numbers;
        r->n_group_numbers += (int32_t)(range->n_records / s->k);
    }
    KANON_TRY(kanon__new_array(&r->sorted_rows, first, "regions", err), out);
    for (int64_t i = 0, n_suppressed = 0; i < s->space->n_rows; i++) {
        int32_t group = s->group_of[s->rows[i]];
        if (group >= 0)
            r->sorted_rows[next[r->region_of[group]]++] = s->rows[i];
        else if (r->homes != NULL)
            r->sorted_rows[next[r->homes[n_suppressed++]]++] = s->rows[i];
    }
out:
    kanon__free(next);
    return st;
}

kanon_status kanon__regions_init(kanon__regions *out, const kanon__search_state *state, int64_t most, kanon__random *random,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    partitioner c = {.regions = out, .random = random};
    *out = (kanon__regions){.state = state};
    KANON_TRY(list_rows(out, err), out);
    KANON_TRY(set_representatives(&c, err), out);
    KANON_TRY(cut_all(&c, most, err), out);
    KANON_TRY(sort_rows(out, err), out);
out:
    kanon__free(c.stack);
    kanon__free(c.counts);
    kanon__free(c.keyed);
    kanon__free(c.codes);
    if (st != KANON_OK)
        kanon__regions_clear(out);
    return st;
}

void kanon__regions_clear(kanon__regions *r)
{
    kanon__free(r->sorted_rows);
    kanon__free(r->local_group);
    kanon__free(r->region_of);
    kanon__free(r->ranges);
    kanon__free(r->groups);
    kanon__free(r->rows);
    kanon__free(r->row_begins);
    *r = (kanon__regions){0};
}

/* ---- extract and write back -------------------------------------------------------------------------------------- */

/* The tuples of a region, as a set of ordinals with ranks: a bit for each tuple of the table, and how many bits are set
 * before every 64 of them. The number of a tuple within the region is its rank. */
typedef struct tuple_map {
    uint64_t *bits;
    int32_t *before;
} tuple_map;

static bool has_tuple(const tuple_map *map, int32_t ordinal)
{
    return map->bits[ordinal >> 6] >> (ordinal & 63) & 1;
}

static int32_t tuple_number(const tuple_map *map, int32_t ordinal)
{
    uint64_t below = map->bits[ordinal >> 6] & (((uint64_t)1 << (ordinal & 63)) - 1);
    return map->before[ordinal >> 6] + __builtin_popcountll(below);
}

/* The tuples of n rows; *n_tuples is their number. */
static kanon_status map_tuples(tuple_map *out, const kanon__search_state *s, const int32_t *rows, int64_t n,
                               int64_t *n_tuples, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_words = s->tuples->n / 64 + 1;
    *n_tuples = 0;
    KANON_TRY(kanon__new_array(&out->bits, n_words, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&out->before, n_words, "neighbours", err), out);
    for (int64_t i = 0; i < n; i++) {
        int32_t ordinal = s->ordinal_of[rows[i]];
        out->bits[ordinal >> 6] |= (uint64_t)1 << (ordinal & 63);
    }
    for (int64_t i = 0; i < n_words; i++) {
        out->before[i] = (int32_t)*n_tuples;
        *n_tuples += __builtin_popcountll(out->bits[i]);
    }
out:
    return st;
}

/* The neighbours of a tuple that are in the region, with the tuple itself where it has several records. Their number. */
static int32_t neighbours_inside(const kanon__neighbourhood *all, const tuple_map *map, int32_t ordinal, bool itself,
                                 int32_t *out)
{
    int32_t n = 0;
    if (itself)
        out[n++] = tuple_number(map, ordinal);
    for (int32_t i = 0; i < all->width; i++) {
        int32_t other = all->ordinals[(int64_t)ordinal * all->width + i];
        if (has_tuple(map, other))
            out[n++] = tuple_number(map, other);
    }
    return n;
}

/* The rows are in index order, so those of one tuple are side by side and tuples come by rank. */
static void fill(kanon__region *region, const kanon__regions *r, const tuple_map *map, const int32_t *rows)
{
    const kanon__search_state *s = r->state;
    int32_t tuple = -1;
    int64_t m = s->space->n_dimensions;
    for (int32_t i = 0; i < region->n; i++) {
        int32_t ordinal = s->ordinal_of[rows[i]];
        if (i == 0 || ordinal != s->ordinal_of[rows[i - 1]]) {
            region->tuple_begins[++tuple] = i;
            bool several = i + 1 < region->n && s->ordinal_of[rows[i + 1]] == ordinal;
            int32_t begin = region->neighbour_begins[tuple];
            region->neighbour_begins[tuple + 1] = begin + neighbours_inside(s->neighbourhood, map, ordinal, several,
                                                                            region->neighbours + begin);
        }
        region->rows[i] = rows[i];
        region->tuple_of[i] = tuple;
        kanon__move_costs_coordinates(s->costs, s->neighbourhood->index->codes + ordinal * m, region->coordinates + i * m);
    }
    region->tuple_begins[region->n_tuples] = region->n;
    for (int32_t i = 0; i < region->n; i++)
        if (s->group_of[rows[i]] >= 0)
            kanon__region_insert(region, r->local_group[s->group_of[rows[i]]], i);
    kanon__region_evaluate(region);
    for (int32_t i = 0; i < region->n; i++)
        if (s->group_of[rows[i]] < 0)
            kanon__region_suppress(region, i);
}

kanon_status kanon__regions_extract(kanon__region *out, const kanon__regions *r, int64_t which, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__region_range *range = &r->ranges[which];
    const kanon__search_state *s = r->state;
    const int32_t *rows = r->sorted_rows + range->first_record;
    int64_t n = range->n_records, n_groups = range->end - range->begin, n_tuples, *sizes = NULL;
    tuple_map map = {0};
    *out = (kanon__region){0};
    KANON_TRY(kanon__new_array(&sizes, n_groups, "groups", err), out);
    for (int64_t i = 0; i < n_groups; i++)
        sizes[i] = group_size(r, r->groups[range->begin + i]);
    KANON_TRY(map_tuples(&map, s, rows, n, &n_tuples, err), out);
    KANON_TRY(
        kanon__region_init(out, s->costs, s->k, n, n_tuples, n_tuples * (s->neighbourhood->width + 1), sizes, n_groups, err),
        out);
    if (s->may_suppress > 0)
        KANON_TRY(kanon__region_allow_suppression(out, range->most_suppressed, s->full, err), out);
    fill(out, r, &map, rows);
out:
    kanon__free(map.before);
    kanon__free(map.bits);
    kanon__free(sizes);
    return st;
}

void kanon__regions_write_back(const kanon__regions *r, int64_t which, const kanon__region *region)
{
    for (int32_t i = 0; i < region->n; i++) {
        int32_t group = region->group_of[i];
        r->state->group_of[region->rows[i]] = group >= 0 ? r->ranges[which].first_group + group : KANON__NO_GROUP;
    }
}
