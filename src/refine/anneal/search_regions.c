#include "refine/anneal/search_regions.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- cutting ----------------------------------------------------------------------------------------------------- */

enum { BINS = 4096 };

typedef struct keyed_group {
    uint32_t key;
    int32_t group;
} keyed_group;

typedef struct cutting {
    kanon__regions *regions;
    kanon__random *random;
    uint32_t *spots; /* by group and dimension: a code */
    keyed_group *keyed;
    int64_t *counts; /* records by bin of a dimension's codes */
    kanon__region *stack;
    int64_t n_stack, stack_capacity, regions_capacity;
} cutting;

static int64_t group_size(const kanon__regions *r, int32_t group)
{
    return r->row_begins[group + 1] - r->row_begins[group];
}

static kanon_status list_rows(kanon__regions *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__board *b = r->board;
    int64_t n = b->space->n_rows, *next = NULL;
    KANON_TRY(kanon__new_array(&r->row_begins, (int64_t)b->n_groups + 1, "regions", err), out);
    KANON_TRY(kanon__new_array(&r->rows, n, "regions", err), out);
    KANON_TRY(kanon__new_array(&r->groups, b->n_groups, "regions", err), out);
    KANON_TRY(kanon__new_array(&next, b->n_groups, "regions", err), out);
    for (int64_t row = 0; row < n; row++)
        if (b->group_of[row] >= 0)
            r->row_begins[b->group_of[row] + 1]++;
    for (int32_t group = 0; group < b->n_groups; group++) {
        r->groups[group] = group;
        r->row_begins[group + 1] += r->row_begins[group];
        next[group] = r->row_begins[group];
    }
    for (int64_t row = 0; row < n; row++)
        if (b->group_of[row] >= 0)
            r->rows[next[b->group_of[row]]++] = (int32_t)row;
out:
    kanon__free(next);
    return st;
}

/* A group is where its first record is: near enough, and cheap to find. */
static kanon_status find_spots(cutting *c, kanon_error *err)
{
    const kanon__regions *r = c->regions;
    const kanon__space *space = r->board->space;
    int m = space->n_dimensions;
    kanon_status st = kanon__new_array(&c->spots, (int64_t)r->board->n_groups * m, "regions", err);
    for (int32_t group = 0; st == KANON_OK && group < r->board->n_groups; group++)
        for (int i = 0; i < m; i++)
            c->spots[(int64_t)group * m + i] = kanon__code_at(space->dimensions[i].codes, r->rows[r->row_begins[group]]);
    return st;
}

static uint32_t spot_of(const cutting *c, int32_t group, int dimension)
{
    return c->spots[(int64_t)group * c->regions->board->space->n_dimensions + dimension];
}

/* A place where a part may be cut in two: before this code of a dimension. */
typedef struct cut_place {
    int dimension; /* -1: nowhere */
    uint32_t code;
    double worth;
} cut_place;

static void find_range(const cutting *c, const kanon__region *part, int dimension, uint32_t *lo, uint32_t *hi)
{
    *lo = UINT32_MAX;
    *hi = 0;
    for (int64_t i = part->begin; i < part->end; i++) {
        uint32_t spot = spot_of(c, c->regions->groups[i], dimension);
        *lo = spot < *lo ? spot : *lo;
        *hi = spot > *hi ? spot : *hi;
    }
}

/* Where on the dimension, with about this share of the records before it, the groups lie furthest apart: few records
 * there have neighbours beyond. Of several dimensions one is taken by chance, the more likely the wider its gap. */
static void look_for_gap(const cutting *c, const kanon__region *part, int dimension, double share, cut_place *best)
{
    static const double AROUND = 0.15;
    const kanon__regions *r = c->regions;
    uint32_t lo, hi, widest = 0, gap, last = 0, place = 0;
    double n = 0, all = (double)part->n_records;
    int shift = 0;
    find_range(c, part, dimension, &lo, &hi);
    if (lo >= hi)
        return;
    while ((hi - lo) >> shift >= BINS)
        shift++;
    memset(c->counts, 0, BINS * sizeof *c->counts);
    for (int64_t i = part->begin; i < part->end; i++)
        c->counts[(spot_of(c, r->groups[i], dimension) - lo) >> shift] += group_size(r, r->groups[i]);
    for (uint32_t bin = 0; bin <= (hi - lo) >> shift; bin++) {
        if (c->counts[bin] == 0)
            continue;
        bool inside = n >= (share - AROUND) * all && n <= (share + AROUND) * all && n > 0;
        gap = inside ? kanon__dimension_units(&r->board->space->dimensions[dimension], lo + (last << shift),
                                              lo + (bin << shift))
                     : 0;
        if (gap > widest) {
            widest = gap;
            place = bin;
        }
        n += (double)c->counts[bin];
        last = bin;
    }
    double worth = widest * kanon__random_unit(c->random);
    if (widest > 0 && worth > best->worth)
        *best = (cut_place){dimension, lo + (place << shift), worth};
}

static int by_key(const void *left, const void *right)
{
    const keyed_group *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

static void sort_part(cutting *c, const kanon__region *part, int dimension)
{
    int32_t *groups = c->regions->groups + part->begin;
    int64_t n = part->end - part->begin;
    for (int64_t i = 0; i < n; i++)
        c->keyed[i] = (keyed_group){spot_of(c, groups[i], dimension), groups[i]};
    qsort(c->keyed, (size_t)n, sizeof *c->keyed, by_key);
    for (int64_t i = 0; i < n; i++)
        groups[i] = c->keyed[i].group;
}

/* Groups before the code come first. The number of their records; *end is the place behind them. */
static int64_t part_at(cutting *c, const kanon__region *part, const cut_place *place, int64_t *end)
{
    int32_t *groups = c->regions->groups;
    int64_t n = 0;
    *end = part->begin;
    for (int64_t i = part->begin; i < part->end; i++) {
        int32_t group = groups[i];
        if (spot_of(c, group, place->dimension) >= place->code)
            continue;
        groups[i] = groups[*end];
        groups[(*end)++] = group;
        n += group_size(c->regions, group);
    }
    return n;
}

/* Without a gap: by the first dimension on which groups differ, as many as wanted. */
static int64_t part_by_number(cutting *c, const kanon__region *part, double share, int64_t *end)
{
    int dimension = 0;
    uint32_t lo = 0, hi = 0;
    for (; lo >= hi && dimension < c->regions->board->space->n_dimensions; dimension++)
        find_range(c, part, dimension, &lo, &hi);
    if (lo < hi)
        sort_part(c, part, dimension - 1);
    int64_t wanted = (int64_t)(share * (double)part->n_records), n = 0;
    *end = part->begin;
    do {
        n += group_size(c->regions, c->regions->groups[(*end)++]);
    } while (n < wanted && *end < part->end - 1);
    return n;
}

/* Two parts of a part; both have groups. */
static void cut_part(cutting *c, const kanon__region *part, kanon__region *left, kanon__region *right)
{
    double share = 0.35 + 0.3 * kanon__random_unit(c->random);
    cut_place place = {.dimension = -1, .worth = -1};
    int64_t end;
    for (int i = 0; i < c->regions->board->space->n_dimensions; i++)
        look_for_gap(c, part, i, share, &place);
    int64_t n = place.dimension >= 0 ? part_at(c, part, &place, &end) : part_by_number(c, part, share, &end);
    *left = (kanon__region){.begin = part->begin, .end = end, .n_records = n};
    *right = (kanon__region){.begin = end, .end = part->end, .n_records = part->n_records - n};
}

static kanon_status cut(cutting *c, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regions *r = c->regions;
    int64_t k = r->board->k, n_groups = r->board->n_groups;
    KANON_TRY(kanon__new_array(&c->keyed, n_groups, "regions", err), out);
    KANON_TRY(kanon__new_array(&c->counts, BINS, "regions", err), out);
    KANON_TRY(kanon__grow_array(&c->stack, &c->stack_capacity, 1, "regions", err), out);
    c->stack[c->n_stack++] = (kanon__region){.end = n_groups, .n_records = r->row_begins[n_groups]};
    while (c->n_stack > 0) {
        kanon__region part = c->stack[--c->n_stack];
        if (part.n_records > most && part.end - part.begin > 1) {
            KANON_TRY(kanon__grow_array(&c->stack, &c->stack_capacity, c->n_stack + 2, "regions", err), out);
            cut_part(c, &part, &c->stack[c->n_stack + 1], &c->stack[c->n_stack]);
            c->n_stack += 2;
            continue;
        }
        KANON_TRY(kanon__grow_array(&r->regions, &c->regions_capacity, r->n_regions + 1, "regions", err), out);
        part.first_group = r->n_numbers;
        r->n_numbers += (int32_t)(part.n_records / k);
        r->regions[r->n_regions++] = part;
    }
out:
    return st;
}

/* Every region's rows, in the order of the board. */
static kanon_status list_arrivals(kanon__regions *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__board *b = r->board;
    int64_t *next = NULL, first = 0;
    KANON_TRY(kanon__new_array(&r->region_of, b->n_groups, "regions", err), out);
    KANON_TRY(kanon__new_array(&r->number_of, b->n_groups, "regions", err), out);
    KANON_TRY(kanon__new_array(&r->arrivals, r->row_begins[b->n_groups], "regions", err), out);
    KANON_TRY(kanon__new_array(&next, r->n_regions, "regions", err), out);
    for (int64_t i = 0; i < r->n_regions; i++) {
        kanon__region *part = &r->regions[i];
        part->first_record = next[i] = first;
        first += part->n_records;
        for (int64_t j = part->begin; j < part->end; j++) {
            r->region_of[r->groups[j]] = (int32_t)i;
            r->number_of[r->groups[j]] = (int32_t)(j - part->begin);
        }
    }
    for (int64_t i = 0; i < b->space->n_rows; i++) {
        int32_t group = b->group_of[b->rows[i]];
        if (group >= 0)
            r->arrivals[next[r->region_of[group]]++] = b->rows[i];
    }
out:
    kanon__free(next);
    return st;
}

kanon_status kanon__regions_init(kanon__regions *out, const kanon__board *board, int64_t most, kanon__random *random,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    cutting c = {.regions = out, .random = random};
    *out = (kanon__regions){.board = board};
    KANON_TRY(list_rows(out, err), out);
    KANON_TRY(find_spots(&c, err), out);
    KANON_TRY(cut(&c, most, err), out);
    KANON_TRY(list_arrivals(out, err), out);
out:
    kanon__free(c.stack);
    kanon__free(c.counts);
    kanon__free(c.keyed);
    kanon__free(c.spots);
    if (st != KANON_OK)
        kanon__regions_clear(out);
    return st;
}

void kanon__regions_clear(kanon__regions *r)
{
    kanon__free(r->arrivals);
    kanon__free(r->number_of);
    kanon__free(r->region_of);
    kanon__free(r->regions);
    kanon__free(r->groups);
    kanon__free(r->rows);
    kanon__free(r->row_begins);
    *r = (kanon__regions){0};
}

/* ---- patches ----------------------------------------------------------------------------------------------------- */

/* Which tuples of the table are in the patch, and as which: a bit for each, and how many come before every 64 of them. */
typedef struct tuple_map {
    uint64_t *bits;
    int32_t *before;
} tuple_map;

static bool has_tuple(const tuple_map *map, int32_t place)
{
    return map->bits[place >> 6] >> (place & 63) & 1;
}

static int32_t number_of_tuple(const tuple_map *map, int32_t place)
{
    uint64_t below = map->bits[place >> 6] & (((uint64_t)1 << (place & 63)) - 1);
    return map->before[place >> 6] + __builtin_popcountll(below);
}

static kanon_status map_tuples(tuple_map *out, const kanon__board *b, const int32_t *rows, int64_t n, int64_t *n_tuples,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n_words = b->tuples->n / 64 + 1;
    *n_tuples = 0;
    KANON_TRY(kanon__new_array(&out->bits, n_words, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&out->before, n_words, "neighbours", err), out);
    for (int64_t i = 0; i < n; i++) {
        int32_t place = b->place_of[rows[i]];
        out->bits[place >> 6] |= (uint64_t)1 << (place & 63);
    }
    for (int64_t i = 0; i < n_words; i++) {
        out->before[i] = (int32_t)*n_tuples;
        *n_tuples += __builtin_popcountll(out->bits[i]);
    }
out:
    return st;
}

/* The neighbours of a tuple that are in the patch; their number. */
static int32_t near_here(const kanon__near *near, const tuple_map *map, int32_t place, bool itself, int32_t *out)
{
    int32_t n = 0;
    if (itself)
        out[n++] = number_of_tuple(map, place);
    for (int32_t i = 0; i < near->width; i++) {
        int32_t other = near->places[(int64_t)place * near->width + i];
        if (has_tuple(map, other))
            out[n++] = number_of_tuple(map, other);
    }
    return n;
}

static void fill(kanon__patch *p, const kanon__regions *r, const tuple_map *map, const int32_t *rows)
{
    const kanon__board *b = r->board;
    int32_t tuple = -1;
    int64_t m = b->space->n_dimensions;
    for (int32_t i = 0; i < p->n; i++) {
        int32_t place = b->place_of[rows[i]];
        if (i == 0 || place != b->place_of[rows[i - 1]]) {
            p->tuple_begins[++tuple] = i;
            bool several = i + 1 < p->n && b->place_of[rows[i + 1]] == place;
            int32_t begin = p->near_begins[tuple];
            p->near_begins[tuple + 1] = begin + near_here(b->near, map, place, several, p->near + begin);
        }
        p->rows[i] = rows[i];
        p->tuple_of[i] = tuple;
        kanon__costs_place(b->costs, b->near->index->codes + place * m, p->coordinates + i * m);
    }
    p->tuple_begins[p->n_tuples] = p->n;
    for (int32_t i = 0; i < p->n; i++)
        kanon__patch_put(p, r->number_of[b->group_of[rows[i]]], i);
    kanon__patch_measure(p);
}

kanon_status kanon__region_take(kanon__patch *out, const kanon__regions *r, int64_t region, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__region *part = &r->regions[region];
    const kanon__board *b = r->board;
    const int32_t *rows = r->arrivals + part->first_record;
    int64_t n = part->n_records, n_groups = part->end - part->begin, n_tuples, *sizes = NULL;
    tuple_map map = {0};
    *out = (kanon__patch){0};
    KANON_TRY(kanon__new_array(&sizes, n_groups, "groups", err), out);
    for (int64_t i = 0; i < n_groups; i++)
        sizes[i] = group_size(r, r->groups[part->begin + i]);
    KANON_TRY(map_tuples(&map, b, rows, n, &n_tuples, err), out);
    KANON_TRY(kanon__patch_init(out, b->costs, b->k, n, n_tuples, n_tuples * (b->near->width + 1), sizes, n_groups, err),
              out);
    fill(out, r, &map, rows);
out:
    kanon__free(map.before);
    kanon__free(map.bits);
    kanon__free(sizes);
    return st;
}

void kanon__region_return(const kanon__regions *r, int64_t region, const kanon__patch *p)
{
    for (int32_t i = 0; i < p->n; i++)
        r->board->group_of[p->rows[i]] = r->regions[region].first_group + p->group_of[i];
}
