/* Slab moves (moves_slab.h): each is drafted first; the region changes only where the draft says that it will be accepted.
 *
 *   1. Draw two slabs of the group and keep the one that gains more for each record that leaves. On a numeric attribute a
 *      slab is everything at one end, or at or beyond the outermost of a few random members; on a categorical one,
 *      everything outside the subtree, below the group's lowest common ancestor, of a random member. Each draw has a limit
 *      of its own, whose logarithm is evenly spread: large slabs are rarely accepted and take long, but nothing else
 *      replaces them.
 *   2. The room: what the group gains by becoming narrower, and what the threshold allows.
 *   3. Each record goes to the host that takes it cheapest: the hosts come by ascending D, and a new member costs at
 *      least D, so the search ends at the first host whose D is above the cheapest so far. Widening a host takes from
 *      the room.
 *   4. Refill the group where it has fallen below k (slab_refill.c).
 *
 * Cost: O(k attributes) for the slabs, O(slab * hosts * attributes) for the hosts. */
#include "refine/anneal/moves.h"

#include "core/alloc.h"
#include "refine/anneal/box_scan.h"

#include <math.h>
#include <string.h>

/* Records that stay: of a numeric dimension those from lo to hi, of a categorical one those below the common ancestor. */
typedef struct slab {
    int dimension;
    uint32_t lo, hi;
    uint32_t code, ancestor_units; /* a category stays where it and `code` have together less than the ancestor's units */
    int32_t size;                  /* records that leave */
    uint32_t units;                /* D of the group without them */
} slab;

/* ---- the workspace ----------------------------------------------------------------------------------------------- */

/* The largest slab: all of a small group, a shrinking part of a large one. A slab of more records than that finds no
 * hosts. */
static int32_t most_of_slab(int64_t k)
{
    static const double FACTOR = 6;
    double most = FACTOR * sqrt((double)k);
    return (int32_t)(most < (double)k ? most : (double)k);
}

kanon_status kanon__slab_workspace_init(kanon__slab_workspace *out, const kanon__region *region,
                                        const kanon__group_lists *lists, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = region->costs->n_dimensions;
    int64_t most_candidates = 2 * region->k * KANON__LIST_WIDTH;
    *out = (kanon__slab_workspace){.lists = lists,
                                   .most_in_host = 2 * region->k,
                                   .most = most_of_slab(region->k),
                                   .most_candidates = (int32_t)(most_candidates < region->n ? most_candidates : region->n)};
    KANON_TRY(kanon__slab_draft_init(&out->draft, region, err), out);
    KANON_TRY(kanon__new_array(&out->kept, 2 * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->slab, 2 * m, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->candidates, out->most_candidates, "moves", err), out);
    KANON_TRY(kanon__new_array(&out->critical, KANON__LIST_WIDTH * m, "moves", err), out);
out:
    if (st != KANON_OK)
        kanon__slab_workspace_clear(out);
    return st;
}

void kanon__slab_workspace_clear(kanon__slab_workspace *w)
{
    kanon__free(w->critical);
    kanon__free(w->candidates);
    kanon__free(w->slab);
    kanon__free(w->kept);
    kanon__slab_draft_clear(&w->draft);
    *w = (kanon__slab_workspace){0};
}

/* ---- 1: the slab ------------------------------------------------------------------------------------------------- */

static bool stays(const kanon__move_costs *c, const slab *s, uint32_t coordinate)
{
    if (s->dimension < c->n_numeric)
        return coordinate >= s->lo && coordinate <= s->hi;
    uint32_t lo = coordinate < s->code ? coordinate : s->code, hi = coordinate > s->code ? coordinate : s->code;
    return kanon__category_units(c, s->dimension, lo, hi) < s->ancestor_units;
}

/* Where the slab begins. Beyond the outermost of x random members there is about one of x + 1. */
static void draw_threshold(slab *s, const kanon__region *r, kanon__random *random, int32_t group, int32_t most)
{
    int m = r->costs->n_dimensions, i = s->dimension;
    const uint32_t *bounds = kanon__region_bounds(r, group);
    const int32_t *members = kanon__region_members(r, group);
    int32_t size = r->groups[group].size;
    s->lo = bounds[i];
    s->hi = bounds[m + i];
    if (i >= r->costs->n_numeric) {
        s->ancestor_units = kanon__category_units(r->costs, i, s->lo, s->hi);
        s->code = kanon__region_coordinates(r, members[kanon__random_below(random, size)])[i];
        return;
    }
    enum { MOST_DRAWN = 16 };
    uint64_t bits = kanon__random_next(random);
    bool upper = bits & 1;
    int32_t n_drawn = (bits >> 1 & 3) == 0 ? 0 : size / most < MOST_DRAWN ? size / most : MOST_DRAWN;
    uint32_t outermost = upper ? s->lo + 1 : s->hi - 1; /* never all of the group */
    for (int32_t draw = 0; draw < n_drawn; draw++) {
        uint32_t own = kanon__region_coordinates(r, members[kanon__random_below(random, size)])[i];
        outermost = (upper ? own > outermost : own < outermost) ? own : outermost;
    }
    if (upper)
        s->hi = n_drawn == 0 ? s->hi - 1 : outermost - 1;
    else
        s->lo = n_drawn == 0 ? s->lo + 1 : outermost + 1;
}

/* How many leave, and D without them, as far as the slab's own dimension tells. False: more than `most` leave. */
static bool estimate_slab(slab *s, const kanon__region *r, int32_t group, int32_t most)
{
    int m = r->costs->n_dimensions;
    const uint32_t *bounds = kanon__region_bounds(r, group);
    const int32_t *members = kanon__region_members(r, group);
    int32_t size = r->groups[group].size;
    uint32_t kept[2] = {UINT32_MAX, 0};
    most = most < size ? most : size - 1;
    s->size = 0;
    for (int32_t i = 0; i < size; i++) {
        uint32_t own = kanon__region_coordinates(r, members[i])[s->dimension];
        if (stays(r->costs, s, own)) {
            kept[0] = own < kept[0] ? own : kept[0];
            kept[1] = own > kept[1] ? own : kept[1];
        } else if (++s->size > most) {
            return false;
        }
    }
    s->units = r->groups[group].units -
               (kanon__span_units(r->costs, s->dimension, bounds[s->dimension], bounds[m + s->dimension]) -
                kanon__span_units(r->costs, s->dimension, kept[0], kept[1]));
    return s->size > 0;
}

/* The boxes of what stays and of what leaves. */
static void measure_slab(slab *s, kanon__slab_workspace *w, int32_t group)
{
    const kanon__region *r = w->draft.region;
    int m = r->costs->n_dimensions;
    const int32_t *members = kanon__region_members(r, group);
    memset(w->kept, 0xff, (size_t)m * sizeof *w->kept);
    memset(w->kept + m, 0, (size_t)m * sizeof *w->kept);
    memcpy(w->slab, w->kept, 2 * (size_t)m * sizeof *w->slab);
    for (int32_t i = 0; i < r->groups[group].size; i++) {
        const uint32_t *record = kanon__region_coordinates(r, members[i]);
        kanon__box_widen(stays(r->costs, s, record[s->dimension]) ? w->kept : w->slab, m, record);
    }
    s->units = kanon__move_costs_units(r->costs, w->kept, NULL, NULL);
}

static bool draw_slab(slab *s, kanon__slab_workspace *w, kanon__random *random, int32_t group)
{
    const kanon__region *r = w->draft.region;
    s->dimension = kanon__region_draw_dimension(r, group, random);
    if (s->dimension < 0)
        return false;
    int32_t most = (int32_t)pow(w->most, kanon__random_unit(random));
    draw_threshold(s, r, random, group, most);
    return estimate_slab(s, r, group, most);
}

/* 1. False: no draw gave a slab. */
static bool choose_slab(slab *out, kanon__slab_workspace *w, kanon__random *random, int32_t group)
{
    enum { DRAWS = 2, PER_MOVE = 2 }; /* a slab costs about as much as PER_MOVE records more */
    uint32_t before = w->draft.region->groups[group].units;
    double best = 0;
    for (int i = 0; i < DRAWS; i++) {
        slab s;
        if (!draw_slab(&s, w, random, group))
            continue;
        double gain = (double)(before - s.units) / (s.size + PER_MOVE);
        if (gain <= best)
            continue;
        best = gain;
        *out = s;
    }
    return best > 0;
}

/* ---- 3: hosts ---------------------------------------------------------------------------------------------------- */

/* The list of the group, by ascending D. Groups that have been taken apart since are left out. */
static void list_hosts(kanon__slab_workspace *w, int32_t group)
{
    const kanon__region *r = w->draft.region;
    const int32_t *list = kanon__group_list(w->lists, group);
    w->n_hosts = 0;
    for (int32_t i = 0; i < w->lists->n[group]; i++) {
        uint32_t units = r->groups[list[i]].units;
        if (r->groups[list[i]].size == 0)
            continue;
        int32_t at = w->n_hosts++;
        for (; at > 0 && r->groups[w->hosts[at - 1]].units > units; at--)
            w->hosts[at] = w->hosts[at - 1];
        w->hosts[at] = list[i];
    }
}

/* 3. Which hosts some record of the slab can go to. */
static void compare_hosts(kanon__slab_workspace *w, int64_t room)
{
    const kanon__region *r = w->draft.region;
    int m = r->costs->n_dimensions;
    for (int32_t i = 0; i < w->n_hosts; i++) {
        const kanon__region_group *host = &r->groups[w->hosts[i]];
        int64_t limit = room / (host->size + 1);
        w->n_critical[i] = kanon__critical_dimensions(w->critical + i * m, r->costs, kanon__region_bounds(r, w->hosts[i]),
                                                      w->slab, (uint32_t)(limit < UINT32_MAX ? limit : UINT32_MAX - 1));
    }
}

/* 3. What the record adds to the loss in the cheapest host, beyond its D, is taken from the room. */
static bool place_record(kanon__slab_workspace *w, int32_t record, int64_t *room)
{
    kanon__slab_draft *d = &w->draft;
    const kanon__region *r = d->region;
    const uint32_t *own = kanon__region_coordinates(r, record);
    int m = r->costs->n_dimensions;
    int64_t least = INT64_MAX, widening = 0;
    int32_t best = -1;
    for (int32_t i = 0; i < w->n_hosts && r->groups[w->hosts[i]].units < least; i++) {
        int32_t host = w->hosts[i], size = kanon__draft_size(d, host);
        if (w->n_critical[i] < 0 || size >= w->most_in_host)
            continue;
        int64_t units = kanon__draft_units(d, host), most = least - units < *room ? least - units : *room;
        int64_t limit = most / (size + 1);
        if (limit < 0 || most < 0)
            continue;
        limit = limit < UINT32_MAX ? limit : UINT32_MAX - 1;
        int64_t rise = kanon__rise_by(r->costs, kanon__draft_box(d, host), w->critical + i * m, w->n_critical[i], own,
                                      (uint32_t)limit);
        if (rise > limit || units + (size + 1) * rise >= least)
            continue;
        least = units + (size + 1) * rise;
        widening = (size + 1) * rise;
        best = host;
    }
    if (best < 0)
        return false;
    *room -= widening;
    kanon__slab_draft_move(d, record, best);
    return true;
}

/* 3. */
static bool place_slab(kanon__slab_workspace *w, const slab *s, int32_t group, int64_t *room)
{
    const kanon__region *r = w->draft.region;
    const int32_t *members = kanon__region_members(r, group);
    compare_hosts(w, *room);
    for (int32_t i = 0; i < r->groups[group].size; i++)
        if (!stays(r->costs, s, kanon__region_coordinates(r, members[i])[s->dimension]) &&
            !place_record(w, members[i], room))
            return false;
    return true;
}

/* ---- the move ---------------------------------------------------------------------------------------------------- */

bool kanon__slab_draft_random(kanon__slab_workspace *w, kanon__random *random, int32_t group, int64_t threshold,
                              int64_t slack)
{
    kanon__slab_draft *d = &w->draft;
    const kanon__region_group *g = &d->region->groups[group];
    size_t box = 2 * (size_t)d->region->costs->n_dimensions * sizeof *d->boxes;
    slab s = {0};
    if (!choose_slab(&s, w, random, group))
        return false;
    measure_slab(&s, w, group);
    /* 2. */
    int64_t room = (int64_t)g->size * (g->units - s.units) + threshold + slack;
    list_hosts(w, group);
    kanon__slab_draft_touch(d, group);
    memcpy(d->boxes, w->kept, box);
    d->touched[0].units = s.units;
    return place_slab(w, &s, group, &room) && kanon__slab_refill(w, room);
}

void kanon__move_slab(kanon__move_engine *e, int32_t record, uint64_t random, int32_t rest)
{
    (void)random;
    (void)rest;
    const kanon__region *r = e->region;
    kanon__slab_draft *d = &e->slabs.draft;
    int32_t group = r->group_of[record];
    e->work += e->prices != NULL ? r->groups[group].size / 2 : 0;
    if (kanon__slab_draft_random(&e->slabs, &e->random, group, e->allowed, e->slack)) {
        int64_t delta = kanon__slab_draft_delta(d);
        for (int32_t i = 0; i < d->n_moved; i++)
            kanon__move_add(e, d->records[i], d->targets[i]);
        if (delta <= e->allowed && kanon__move_commit(e, delta, -1) && e->prices == NULL)
            for (int32_t i = 0; i < d->n_touched; i++)
                if (r->groups[d->touched[i].group].size >= 2 * r->k)
                    kanon__move_split(e, d->touched[i].group);
    }
    kanon__slab_draft_reset(d);
}
