#include "refine/search_regions.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- cutting ----------------------------------------------------------------------------------------------------------
 * */

typedef struct keyed_group {
    uint32_t key;
    int32_t group;
} keyed_group;

typedef struct cutting {
    kanon__regions *regions;
    kanon__random *random;
    kanon__bound *boxes; /* by group */
    keyed_group *keyed;
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

static kanon_status draw_boxes(cutting *c, kanon_error *err)
{
    const kanon__regions *r = c->regions;
    const kanon__space *space = r->board->space;
    int64_t m = space->n_dimensions;
    kanon_status st = kanon__new_array(&c->boxes, r->board->n_groups * 2 * m, "regions", err);
    for (int32_t group = 0; st == KANON_OK && group < r->board->n_groups; group++) {
        kanon__bound *box = c->boxes + group * 2 * m;
        kanon__box_start(space, box, r->rows[r->row_begins[group]]);
        for (int64_t i = r->row_begins[group] + 1; i < r->row_begins[group + 1]; i++)
            kanon__box_add(space, box, r->rows[i]);
    }
    return st;
}

static uint32_t middle(const cutting *c, int32_t group, int dimension)
{
    const kanon__bound *box = c->boxes + ((int64_t)group * c->regions->board->space->n_dimensions + dimension) * 2;
    return box[0] + (box[1] - box[0]) / 2;
}

/* A random dimension on which the groups differ, the more likely the more they do; -1: they do not. */
static int draw_dimension(const cutting *c, const kanon__region *part)
{
    const kanon__space *space = c->regions->board->space;
    double most = -1;
    int best = -1;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t lo = UINT32_MAX, hi = 0;
        for (int64_t j = part->begin; j < part->end; j++) {
            uint32_t key = middle(c, c->regions->groups[j], i);
            lo = key < lo ? key : lo;
            hi = key > hi ? key : hi;
        }
        double spread = lo < hi ? kanon__dimension_units(&space->dimensions[i], lo, hi) + 1.0 : 0;
        double chance = kanon__random_unit(c->random) * spread;
        if (spread > 0 && chance > most) {
            most = chance;
            best = i;
        }
    }
    return best;
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
        c->keyed[i] = (keyed_group){middle(c, groups[i], dimension), groups[i]};
    qsort(c->keyed, (size_t)n, sizeof *c->keyed, by_key);
    for (int64_t i = 0; i < n; i++)
        groups[i] = c->keyed[i].group;
}

/* Two parts of a part; both have groups. */
static void cut_part(cutting *c, const kanon__region *part, kanon__region *left, kanon__region *right)
{
    int dimension = draw_dimension(c, part);
    if (dimension >= 0)
        sort_part(c, part, dimension);
    double share = 0.35 + 0.3 * kanon__random_unit(c->random);
    int64_t wanted = (int64_t)(share * (double)part->n_records), n = 0, at = part->begin;
    do {
        n += group_size(c->regions, c->regions->groups[at++]);
    } while (n < wanted && at < part->end - 1);
    *left = (kanon__region){.begin = part->begin, .end = at, .n_records = n};
    *right = (kanon__region){.begin = at, .end = part->end, .n_records = part->n_records - n};
}

static kanon_status cut(cutting *c, int64_t most, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__regions *r = c->regions;
    int64_t k = r->board->k, n_groups = r->board->n_groups;
    KANON_TRY(kanon__new_array(&c->keyed, n_groups, "regions", err), out);
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
    KANON_TRY(draw_boxes(&c, err), out);
    KANON_TRY(cut(&c, most, err), out);
    KANON_TRY(list_arrivals(out, err), out);
out:
    kanon__free(c.stack);
    kanon__free(c.keyed);
    kanon__free(c.boxes);
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

/* ---- patches ----------------------------------------------------------------------------------------------------------
 * */

/* Which tuples of the table are in the patch, and as which: open addressing, -1 is empty. */
typedef struct tuple_map {
    int32_t *keys, *values;
    uint32_t mask;
} tuple_map;

static uint32_t slot_of(const tuple_map *map, int32_t key)
{
    uint32_t slot = (uint32_t)key * 0x9e3779b1u & map->mask;
    while (map->keys[slot] >= 0 && map->keys[slot] != key)
        slot = (slot + 1) & map->mask;
    return slot;
}

static kanon_status map_tuples(tuple_map *out, const int32_t *place_of, const int32_t *rows, int64_t n, int64_t *n_tuples,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t room = 4;
    while (room < 2 * n)
        room *= 2;
    *n_tuples = 0;
    KANON_TRY(kanon__new_array(&out->keys, room, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&out->values, room, "neighbours", err), out);
    memset(out->keys, 0xff, (size_t)room * sizeof *out->keys);
    out->mask = (uint32_t)(room - 1);
    for (int64_t i = 0; i < n; i++) {
        int32_t place = place_of[rows[i]];
        if (i > 0 && place == place_of[rows[i - 1]])
            continue;
        uint32_t slot = slot_of(out, place);
        out->keys[slot] = place;
        out->values[slot] = (int32_t)(*n_tuples)++;
    }
out:
    return st;
}

/* The neighbours of a tuple that are in the patch; their number. */
static int32_t near_here(const kanon__near *near, const tuple_map *map, int32_t place, bool itself, int32_t *out)
{
    int32_t n = 0;
    if (itself)
        out[n++] = map->values[slot_of(map, place)];
    for (int32_t i = 0; i < near->width; i++) {
        uint32_t slot = slot_of(map, near->places[(int64_t)place * near->width + i]);
        if (map->keys[slot] >= 0)
            out[n++] = map->values[slot];
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
        kanon__patch_add(p, r->number_of[b->group_of[rows[i]]], i);
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
    KANON_TRY(map_tuples(&map, b->place_of, rows, n, &n_tuples, err), out);
    KANON_TRY(kanon__patch_init(out, b->costs, b->k, n, n_tuples, n_tuples * (b->near->width + 1), sizes, n_groups, err),
              out);
    fill(out, r, &map, rows);
out:
    kanon__free(map.values);
    kanon__free(map.keys);
    kanon__free(sizes);
    return st;
}

void kanon__region_return(const kanon__regions *r, int64_t region, const kanon__patch *p)
{
    for (int32_t i = 0; i < p->n; i++)
        r->board->group_of[p->rows[i]] = r->regions[region].first_group + p->group_of[i];
}
