#include "refine/anneal/search_patch.h"

#include "core/alloc.h"

kanon_status kanon__patch_init(kanon__patch *out, const kanon__costs *costs, int64_t k, int64_t n, int64_t n_tuples,
                               int64_t n_near, const int64_t *sizes, int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = costs->n_dimensions, n_slots = n / k > n_groups ? n / k : n_groups, n_members = 0;
    *out = (kanon__patch){
        .costs = costs, .k = k, .n = (int32_t)n, .n_tuples = (int32_t)n_tuples, .n_slots = (int32_t)n_slots};
    KANON_TRY(kanon__new_array(&out->coordinates, n * m, "records", err), out);
    KANON_TRY(kanon__new_array(&out->rows, n, "records", err), out);
    KANON_TRY(kanon__new_array(&out->tuple_of, n, "records", err), out);
    KANON_TRY(kanon__new_array(&out->tuple_begins, n_tuples + 1, "distinct records", err), out);
    KANON_TRY(kanon__new_array(&out->near_begins, n_tuples + 1, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&out->near, n_near, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&out->group_of, n, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->place_of, n, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->groups, n_slots, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->rims, n_slots * 4 * m, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->edges, n_slots * 2 * m, "groups", err), out);
    KANON_TRY(kanon__new_array(&out->empty_slots, n_slots, "groups", err), out);
    for (int64_t slot = n_slots - 1; slot >= 0; slot--) {
        int64_t capacity = slot < n_groups && sizes[slot] > 2 * k ? sizes[slot] : 2 * k;
        capacity = capacity < n ? capacity : n;
        out->groups[slot] = (kanon__patch_group){.capacity = (int32_t)capacity, .members = n_members};
        out->empty_slots[out->n_empty++] = (int32_t)slot;
        n_members += capacity;
    }
    KANON_TRY(kanon__new_array(&out->members, n_members, "members", err), out);
out:
    if (st != KANON_OK)
        kanon__patch_clear(out);
    return st;
}

void kanon__patch_clear(kanon__patch *p)
{
    kanon__free(p->members);
    kanon__free(p->empty_slots);
    kanon__free(p->edges);
    kanon__free(p->rims);
    kanon__free(p->groups);
    kanon__free(p->place_of);
    kanon__free(p->group_of);
    kanon__free(p->near);
    kanon__free(p->near_begins);
    kanon__free(p->tuple_begins);
    kanon__free(p->tuple_of);
    kanon__free(p->rows);
    kanon__free(p->coordinates);
    *p = (kanon__patch){0};
}

int32_t kanon__patch_slot(const kanon__patch *p)
{
    return p->n_empty > 0 ? p->empty_slots[p->n_empty - 1] : -1;
}

/* ---- one end ----------------------------------------------------------------------------------------------------------
 * The high end is the low end of mirrored coordinates: `mirror` turns every bit, which turns the order. */

static void edge_add(kanon__edge *e, uint32_t *outer, uint32_t *without, uint32_t code, uint32_t mirror)
{
    uint32_t own = code ^ mirror, out = *outer ^ mirror, next = e->next ^ mirror;
    if (own == out) {
        e->n_outer++;
    } else if (own < out) {
        e->next = *outer;
        e->n_next = e->n_outer;
        *outer = code;
        e->n_outer = 1;
    } else if (e->n_next > 0 && own == next) {
        e->n_next++;
    } else if (e->n_next == 0 || own < next) {
        e->next = code;
        e->n_next = 1;
    }
    *without = e->n_outer == 1 && e->n_next > 0 ? e->next : *outer;
}

/* Look through the members for the coordinate next to the outermost. */
static void find_next(const kanon__patch *p, int32_t group, int i, kanon__edge *e, uint32_t outer, uint32_t mirror)
{
    const int32_t *members = kanon__patch_members(p, group);
    int32_t size = p->groups[group].size;
    uint32_t limit = outer ^ mirror, best = UINT32_MAX;
    int64_t m = p->costs->n_dimensions;
    e->n_next = 0;
    if (e->n_outer == size)
        return;
    for (int32_t j = 0; j < size; j++) {
        uint32_t own = p->coordinates[members[j] * m + i] ^ mirror;
        if (own <= limit || own > best)
            continue;
        e->n_next = own == best ? e->n_next + 1 : 1;
        best = own;
    }
    e->next = best ^ mirror;
}

/* The record is no member any more. */
static void edge_remove(const kanon__patch *p, int32_t group, int i, kanon__edge *e, uint32_t *outer, uint32_t *without,
                        uint32_t code, uint32_t mirror)
{
    if (code == *outer) {
        if (--e->n_outer == 0) {
            *outer = e->next;
            e->n_outer = e->n_next;
            find_next(p, group, i, e, *outer, mirror);
        }
    } else if (code == e->next && e->n_next > 0 && --e->n_next == 0) {
        find_next(p, group, i, e, *outer, mirror);
    }
    *without = e->n_outer == 1 && e->n_next > 0 ? e->next : *outer;
}

/* ---- members ----------------------------------------------------------------------------------------------------- */

static void begin_group(kanon__patch *p, int32_t group, const uint32_t *record)
{
    int m = p->costs->n_dimensions;
    uint32_t *rim = p->rims + (int64_t)group * 4 * m;
    kanon__edge *edges = p->edges + (int64_t)group * 2 * m;
    for (int i = 0; i < m; i++) {
        rim[i] = rim[m + i] = rim[2 * m + i] = rim[3 * m + i] = record[i];
        edges[2 * i] = edges[2 * i + 1] = (kanon__edge){.n_outer = 1};
    }
    for (int32_t at = p->n_empty - 1; at >= 0; at--) /* nearly always the last one */
        if (p->empty_slots[at] == group) {
            p->empty_slots[at] = p->empty_slots[--p->n_empty];
            break;
        }
    p->n_groups++;
}

void kanon__patch_put(kanon__patch *p, int32_t group, int32_t record)
{
    int m = p->costs->n_dimensions;
    kanon__patch_group *g = &p->groups[group];
    const uint32_t *own = kanon__patch_record(p, record);
    uint32_t *rim = p->rims + (int64_t)group * 4 * m;
    kanon__edge *edges = p->edges + (int64_t)group * 2 * m;
    if (g->size == 0) {
        begin_group(p, group, own);
    } else {
        for (int i = 0; i < m; i++) {
            edge_add(&edges[2 * i], &rim[i], &rim[2 * m + i], own[i], 0);
            edge_add(&edges[2 * i + 1], &rim[m + i], &rim[3 * m + i], own[i], UINT32_MAX);
        }
    }
    kanon__patch_members(p, group)[g->size] = record;
    p->place_of[record] = g->size++;
    p->group_of[record] = group;
}

void kanon__patch_measure(kanon__patch *p)
{
    p->loss = 0;
    for (int32_t group = 0; group < p->n_slots; group++) {
        kanon__patch_group *g = &p->groups[group];
        g->units = g->size > 0 ? kanon__costs_units(p->costs, kanon__patch_rim(p, group), NULL, NULL) : 0;
        p->loss += (int64_t)g->size * g->units;
    }
}

void kanon__patch_add(kanon__patch *p, int32_t group, int32_t record)
{
    kanon__patch_group *g = &p->groups[group];
    p->loss -= (int64_t)g->size * g->units;
    kanon__patch_put(p, group, record);
    g->units = kanon__costs_units(p->costs, kanon__patch_rim(p, group), NULL, NULL);
    p->loss += (int64_t)g->size * g->units;
}

void kanon__patch_remove(kanon__patch *p, int32_t record)
{
    int m = p->costs->n_dimensions;
    int32_t group = p->group_of[record], *members = kanon__patch_members(p, group);
    kanon__patch_group *g = &p->groups[group];
    const uint32_t *own = kanon__patch_record(p, record);
    uint32_t *rim = p->rims + (int64_t)group * 4 * m;
    kanon__edge *edges = p->edges + (int64_t)group * 2 * m;
    p->loss -= (int64_t)g->size * g->units;
    int32_t last = members[--g->size];
    members[p->place_of[record]] = last;
    p->place_of[last] = p->place_of[record];
    if (g->size == 0) {
        g->units = 0;
        p->empty_slots[p->n_empty++] = group;
        p->n_groups--;
        return;
    }
    for (int i = 0; i < m; i++) {
        edge_remove(p, group, i, &edges[2 * i], &rim[i], &rim[2 * m + i], own[i], 0);
        edge_remove(p, group, i, &edges[2 * i + 1], &rim[m + i], &rim[3 * m + i], own[i], UINT32_MAX);
    }
    g->units = kanon__costs_units(p->costs, rim, NULL, NULL);
    p->loss += (int64_t)g->size * g->units;
}

void kanon__patch_move(kanon__patch *p, int32_t record, int32_t group)
{
    kanon__patch_remove(p, record);
    kanon__patch_add(p, group, record);
}
