/* Members come and go: slots, bounds and loss of a region (region.h) are updated with each of them.
 *
 * Adding a record costs O(dimensions). Removing one costs the same unless it was the last to have an outermost or next
 * coordinate; then the members are scanned once on that dimension. */
#include "refine/anneal/region.h"

#include "core/alloc.h"

#include <string.h>

kanon_status kanon__region_init(kanon__region *out, const kanon__move_costs *costs, int64_t k, int64_t n, int64_t n_tuples,
                                int64_t n_neighbours, const int64_t *sizes, int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = costs->n_dimensions, n_slots = n / k > n_groups ? n / k : n_groups, n_members = 0;
    *out = (kanon__region){
        .costs = costs, .k = k, .n = (int32_t)n, .n_tuples = (int32_t)n_tuples, .n_slots = (int32_t)n_slots};
    KANON_TRY(kanon__new_array(&out->coordinates, n * m, "records", err), out);
    KANON_TRY(kanon__new_array(&out->rows, n, "records", err), out);
    KANON_TRY(kanon__new_array(&out->tuple_of, n, "records", err), out);
    KANON_TRY(kanon__new_array(&out->tuple_begins, n_tuples + 1, "distinct records", err), out);
    KANON_TRY(kanon__new_array(&out->neighbour_begins, n_tuples + 1, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&out->neighbours, n_neighbours, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&out->group_of, n, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->member_index, n, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->groups, n_slots, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->bounds, n_slots * 4 * m, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->counts, n_slots * 2 * m, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->empty_slots, n_slots, "groups", err), out);
    for (int64_t slot = n_slots - 1; slot >= 0; slot--) {
        int64_t capacity = slot < n_groups && sizes[slot] > 2 * k ? sizes[slot] : 2 * k;
        capacity = capacity < n ? capacity : n;
        out->groups[slot] = (kanon__region_group){.capacity = (int32_t)capacity, .members = n_members};
        out->empty_slots[out->n_empty++] = (int32_t)slot;
        n_members += capacity;
    }
    KANON_TRY(kanon__new_array(&out->members, n_members, "members", err), out);
    out->members_end = out->members_capacity = n_members;
out:
    if (st != KANON_OK)
        kanon__region_clear(out);
    return st;
}

void kanon__region_clear(kanon__region *r)
{
    kanon__free(r->suppressed);
    kanon__free(r->members);
    kanon__free(r->empty_slots);
    kanon__free(r->counts);
    kanon__free(r->bounds);
    kanon__free(r->groups);
    kanon__free(r->member_index);
    kanon__free(r->group_of);
    kanon__free(r->neighbours);
    kanon__free(r->neighbour_begins);
    kanon__free(r->tuple_begins);
    kanon__free(r->tuple_of);
    kanon__free(r->rows);
    kanon__free(r->coordinates);
    *r = (kanon__region){0};
}

int32_t kanon__region_empty_slot(const kanon__region *r)
{
    return r->n_empty > 0 ? r->empty_slots[r->n_empty - 1] : -1;
}

int kanon__region_draw_dimension(const kanon__region *r, int32_t group, kanon__random *random)
{
    int m = r->costs->n_dimensions, at = (int)kanon__random_below(random, m);
    const uint32_t *bounds = kanon__region_bounds(r, group);
    for (int i = 0; i < m; i++, at = at + 1 < m ? at + 1 : 0)
        if (bounds[at] < bounds[m + at])
            return at;
    return -1;
}

/* ---- rooms ------------------------------------------------------------------------------------------------------- */

/* Give every group a room of twice its size, side by side. */
static kanon_status pack_rooms(kanon__region *r)
{
    int32_t *members = NULL;
    int64_t end = 0;
    for (int32_t group = 0; group < r->n_slots; group++)
        end += 2 * (r->groups[group].size > r->k ? r->groups[group].size : r->k);
    kanon_status st = kanon__new_array(&members, end, "members", NULL);
    if (st != KANON_OK)
        return st;
    end = 0;
    for (int32_t group = 0; group < r->n_slots; group++) {
        kanon__region_group *g = &r->groups[group];
        memcpy(members + end, kanon__region_members(r, group), (size_t)g->size * sizeof *members);
        g->members = end;
        g->capacity = (int32_t)(2 * (g->size > r->k ? g->size : r->k));
        end += g->capacity;
    }
    kanon__free(r->members);
    r->members = members;
    r->members_end = r->members_capacity = end;
    return KANON_OK;
}

/* The group moves to the end of all rooms, to one of twice that size. */
kanon_status kanon__region_make_room(kanon__region *r, int32_t group, int32_t size)
{
    enum { WASTE = 16 }; /* places for each record, from which on rooms are packed */
    kanon__region_group *g = &r->groups[group];
    kanon_status st = KANON_OK;
    if (size <= g->capacity)
        return KANON_OK;
    if (r->members_end + 2 * size > WASTE * (int64_t)r->n)
        st = pack_rooms(r);
    if (st != KANON_OK || size <= g->capacity)
        return st;
    st = kanon__grow_array(&r->members, &r->members_capacity, r->members_end + 2 * size, "members", NULL);
    if (st != KANON_OK)
        return st;
    memcpy(r->members + r->members_end, kanon__region_members(r, group), (size_t)g->size * sizeof *r->members);
    g->members = r->members_end;
    g->capacity = 2 * size;
    r->members_end += 2 * (int64_t)size;
    return KANON_OK;
}

/* ---- one bound --------------------------------------------------------------------------------------------------- */

/* Both bounds use the same code. The largest coordinate is the smallest of the complements: `mirror` is 0 for the smallest
 * and UINT32_MAX for the largest, and coordinate ^ mirror reverses the order.
 *
 * In kanon__bound_counts and the bounds, for the smallest of 2 2 2 5 5 7:   outermost 2 (3 members), next 5 (2 members),
 * without one record: 2. For 2 5 5 7:   outermost 2 (1 member), next 5, without one record: 5. */

static void count_in(kanon__bound_counts *c, uint32_t *outer, uint32_t *without, uint32_t coordinate, uint32_t mirror)
{
    uint32_t own = coordinate ^ mirror, out = *outer ^ mirror, next = c->next ^ mirror;
    if (own == out) {
        c->n_outermost++;
    } else if (own < out) {
        c->next = *outer;
        c->n_next = c->n_outermost;
        *outer = coordinate;
        c->n_outermost = 1;
    } else if (c->n_next > 0 && own == next) {
        c->n_next++;
    } else if (c->n_next == 0 || own < next) {
        c->next = coordinate;
        c->n_next = 1;
    }
    *without = c->n_outermost == 1 && c->n_next > 0 ? c->next : *outer;
}

/* Scan the members for the coordinate next to the outermost one. */
static void find_next(const kanon__region *r, int32_t group, int i, kanon__bound_counts *c, uint32_t outer, uint32_t mirror)
{
    const int32_t *members = kanon__region_members(r, group);
    int32_t size = r->groups[group].size;
    uint32_t limit = outer ^ mirror, best = UINT32_MAX;
    int64_t m = r->costs->n_dimensions;
    c->n_next = 0;
    if (c->n_outermost == size)
        return;
    for (int32_t j = 0; j < size; j++) {
        uint32_t own = r->coordinates[members[j] * m + i] ^ mirror;
        if (own <= limit || own > best)
            continue;
        c->n_next = own == best ? c->n_next + 1 : 1;
        best = own;
    }
    c->next = best ^ mirror;
}

/* The record has left the members already. */
static void count_out(const kanon__region *r, int32_t group, int i, kanon__bound_counts *c, uint32_t *outer,
                      uint32_t *without, uint32_t coordinate, uint32_t mirror)
{
    if (coordinate == *outer) {
        if (--c->n_outermost == 0) {
            *outer = c->next;
            c->n_outermost = c->n_next;
            find_next(r, group, i, c, *outer, mirror);
        }
    } else if (coordinate == c->next && c->n_next > 0 && --c->n_next == 0) {
        find_next(r, group, i, c, *outer, mirror);
    }
    *without = c->n_outermost == 1 && c->n_next > 0 ? c->next : *outer;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

static void begin_group(kanon__region *r, int32_t group, const uint32_t *record)
{
    int m = r->costs->n_dimensions;
    uint32_t *bounds = r->bounds + (int64_t)group * 4 * m;
    kanon__bound_counts *counts = r->counts + (int64_t)group * 2 * m;
    for (int i = 0; i < m; i++) {
        bounds[i] = bounds[m + i] = bounds[2 * m + i] = bounds[3 * m + i] = record[i];
        counts[2 * i] = counts[2 * i + 1] = (kanon__bound_counts){.n_outermost = 1};
    }
    for (int32_t at = r->n_empty - 1; at >= 0; at--) /* nearly always the last one */
        if (r->empty_slots[at] == group) {
            r->empty_slots[at] = r->empty_slots[--r->n_empty];
            break;
        }
    r->n_groups++;
}

void kanon__region_insert(kanon__region *r, int32_t group, int32_t record)
{
    int m = r->costs->n_dimensions;
    kanon__region_group *g = &r->groups[group];
    const uint32_t *own = kanon__region_coordinates(r, record);
    uint32_t *bounds = r->bounds + (int64_t)group * 4 * m;
    kanon__bound_counts *counts = r->counts + (int64_t)group * 2 * m;
    if (g->size == 0) {
        begin_group(r, group, own);
    } else {
        for (int i = 0; i < m; i++) {
            count_in(&counts[2 * i], &bounds[i], &bounds[2 * m + i], own[i], 0);
            count_in(&counts[2 * i + 1], &bounds[m + i], &bounds[3 * m + i], own[i], UINT32_MAX);
        }
    }
    kanon__region_members(r, group)[g->size] = record;
    r->member_index[record] = g->size++;
    r->group_of[record] = group;
}

void kanon__region_evaluate(kanon__region *r)
{
    r->loss = 0;
    for (int32_t group = 0; group < r->n_slots; group++) {
        kanon__region_group *g = &r->groups[group];
        g->units = g->size > 0 ? kanon__move_costs_units(r->costs, kanon__region_bounds(r, group), NULL, NULL) : 0;
        r->loss += kanon__region_loss_of(r, group);
    }
}

void kanon__region_add(kanon__region *r, int32_t group, int32_t record)
{
    kanon__region_group *g = &r->groups[group];
    r->loss -= kanon__region_loss_of(r, group);
    kanon__region_insert(r, group, record);
    g->units = kanon__move_costs_units(r->costs, kanon__region_bounds(r, group), NULL, NULL);
    r->loss += kanon__region_loss_of(r, group);
}

void kanon__region_remove(kanon__region *r, int32_t record)
{
    int m = r->costs->n_dimensions;
    int32_t group = r->group_of[record], *members = kanon__region_members(r, group);
    kanon__region_group *g = &r->groups[group];
    const uint32_t *own = kanon__region_coordinates(r, record);
    uint32_t *bounds = r->bounds + (int64_t)group * 4 * m;
    kanon__bound_counts *counts = r->counts + (int64_t)group * 2 * m;
    r->loss -= kanon__region_loss_of(r, group);
    int32_t last = members[--g->size];
    members[r->member_index[record]] = last;
    r->member_index[last] = r->member_index[record];
    if (g->size == 0) {
        g->units = 0;
        r->empty_slots[r->n_empty++] = group;
        r->n_groups--;
        return;
    }
    for (int i = 0; i < m; i++) {
        count_out(r, group, i, &counts[2 * i], &bounds[i], &bounds[2 * m + i], own[i], 0);
        count_out(r, group, i, &counts[2 * i + 1], &bounds[m + i], &bounds[3 * m + i], own[i], UINT32_MAX);
    }
    g->units = kanon__move_costs_units(r->costs, bounds, NULL, NULL);
    r->loss += kanon__region_loss_of(r, group);
}
