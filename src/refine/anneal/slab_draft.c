/* Keeps the draft of a slab move (slab_draft.h). Noting a record costs O(attributes); the recount scans the members of
 * those groups that records have left. */
#include "refine/anneal/slab_draft.h"

#include "core/alloc.h"

#include <string.h>

kanon_status kanon__slab_draft_init(kanon__slab_draft *out, const kanon__region *region, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = region->costs->n_dimensions;
    *out = (kanon__slab_draft){.region = region};
    KANON_TRY(kanon__new_array(&out->boxes, KANON__MOST_TOUCHED * 2 * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->touched_of, region->n_slots, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->is_moved, region->n, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->records, region->n, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->targets, region->n, "moves", err), out);
    for (int32_t slot = 0; slot < region->n_slots; slot++)
        out->touched_of[slot] = -1;
out:
    if (st != KANON_OK)
        kanon__slab_draft_clear(out);
    return st;
}

void kanon__slab_draft_clear(kanon__slab_draft *d)
{
    kanon__free(d->targets);
    kanon__free(d->records);
    kanon__free(d->is_moved);
    kanon__free(d->touched_of);
    kanon__free(d->boxes);
    *d = (kanon__slab_draft){0};
}

void kanon__slab_draft_reset(kanon__slab_draft *d)
{
    for (int32_t i = 0; i < d->n_touched; i++)
        d->touched_of[d->touched[i].group] = -1;
    for (int32_t i = 0; i < d->n_moved; i++)
        d->is_moved[d->records[i]] = false;
    d->n_touched = d->n_moved = 0;
}

int32_t kanon__slab_draft_touch(kanon__slab_draft *d, int32_t group)
{
    const kanon__region *r = d->region;
    int64_t box = 2 * (int64_t)r->costs->n_dimensions;
    if (d->touched_of[group] >= 0)
        return d->touched_of[group];
    d->touched[d->n_touched] = (kanon__touched_group){
        .group = group, .size = r->groups[group].size, .units = r->groups[group].units};
    memcpy(d->boxes + d->n_touched * box, kanon__region_bounds(r, group), (size_t)box * sizeof *d->boxes);
    return d->touched_of[group] = d->n_touched++;
}

void kanon__slab_draft_move(kanon__slab_draft *d, int32_t record, int32_t to)
{
    const kanon__region *r = d->region;
    int m = r->costs->n_dimensions;
    int32_t target = kanon__slab_draft_touch(d, to), source = kanon__slab_draft_touch(d, r->group_of[record]);
    uint32_t *box = d->boxes + (int64_t)target * 2 * m;
    kanon__box_widen(box, m, kanon__region_coordinates(r, record));
    d->touched[target].units = kanon__move_costs_units(r->costs, box, NULL, NULL);
    d->touched[target].size++;
    d->touched[source].size--;
    d->touched[source].has_lost = source > 0;
    d->is_moved[record] = true;
    d->records[d->n_moved] = record;
    d->targets[d->n_moved++] = to;
}

/* The box of a group that records have left: of the members that stay and of those that come. */
static void recount(kanon__slab_draft *d, int32_t at)
{
    const kanon__region *r = d->region;
    int m = r->costs->n_dimensions;
    kanon__touched_group *t = &d->touched[at];
    const int32_t *members = kanon__region_members(r, t->group);
    uint32_t *box = d->boxes + (int64_t)at * 2 * m;
    memset(box, 0xff, (size_t)m * sizeof *box);
    memset(box + m, 0, (size_t)m * sizeof *box);
    for (int32_t i = 0; i < r->groups[t->group].size; i++)
        if (!d->is_moved[members[i]])
            kanon__box_widen(box, m, kanon__region_coordinates(r, members[i]));
    for (int32_t i = 0; i < d->n_moved; i++)
        if (d->targets[i] == t->group)
            kanon__box_widen(box, m, kanon__region_coordinates(r, d->records[i]));
    t->units = kanon__move_costs_units(r->costs, box, NULL, NULL);
    t->has_lost = false;
}

int64_t kanon__slab_draft_delta(kanon__slab_draft *d)
{
    int64_t delta = 0;
    for (int32_t i = 0; i < d->n_touched; i++) {
        kanon__touched_group *t = &d->touched[i];
        const kanon__region_group *before = &d->region->groups[t->group];
        if (t->has_lost && t->size > 0)
            recount(d, i);
        delta += kanon__group_loss(t->size, t->units) - kanon__group_loss(before->size, before->units);
    }
    return delta;
}
