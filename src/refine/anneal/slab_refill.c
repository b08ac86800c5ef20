/* Fills the group that a slab has left up to k again, with records of its hosts (moves_slab.h).
 *
 *   1. Collect the candidates: records of hosts with more than k that make the group wider by no more than there is room
 *      for. The hosts that lose most come first.
 *   2. Take those that it covers, which make it no wider: first those alone at an end of their host's box, since that may
 *      become narrower without them, then others.
 *   3. Take the candidate that makes the group wider by least, and all that are covered then, again and again.
 *
 * Most slab moves fail here, and they fail early: as soon as the hosts that are left could not give enough. Records of hosts
 * with exactly k, which would get another one in return, were tried, too: they make more moves succeed, but cost more time
 * than these are worth. */
#include "refine/anneal/box_scan.h"
#include "refine/anneal/moves_slab.h"

/* ---- 1: candidates ----------------------------------------------------------------------------------------------- */

static int64_t missing(const kanon__slab_draft *d)
{
    return d->region->k - d->touched[0].size;
}

static bool has_spare(const kanon__slab_draft *d, int32_t group)
{
    return kanon__draft_size(d, group) > d->region->k;
}

/* Which hosts with more than k have records within the limit, and how many these can give at most. */
static int64_t compare_hosts(kanon__slab_workspace *w, uint32_t limit)
{
    const kanon__slab_draft *d = &w->draft;
    const kanon__region *r = d->region;
    int m = r->costs->n_dimensions;
    int64_t n_usable = 0;
    for (int32_t i = 0; i < w->n_hosts; i++) {
        int64_t n_spare = kanon__draft_size(d, w->hosts[i]) - r->k;
        w->n_critical[i] = n_spare <= 0 ? -1
                                        : kanon__critical_dimensions(w->critical + i * m, r->costs, d->boxes,
                                                                     kanon__region_bounds(r, w->hosts[i]), limit);
        n_usable += w->n_critical[i] < 0 ? 0 : n_spare;
    }
    return n_usable;
}

/* The candidates of one host; their number. */
static int32_t collect_from(kanon__slab_workspace *w, int32_t at, uint32_t limit)
{
    const kanon__slab_draft *d = &w->draft;
    const kanon__region *r = d->region;
    int m = r->costs->n_dimensions;
    int32_t host = w->hosts[at], first = w->n_candidates;
    const int32_t *members = kanon__region_members(r, host);
    for (int32_t j = 0; j < r->groups[host].size && w->n_candidates < w->most_candidates; j++) {
        uint32_t rise = kanon__rise_by(r->costs, d->boxes, w->critical + at * m, w->n_critical[at],
                                       kanon__region_coordinates(r, members[j]), limit);
        if (rise <= limit && !d->is_moved[members[j]])
            w->candidates[w->n_candidates++] = (kanon__refill_candidate){members[j], rise};
    }
    return w->n_candidates - first;
}

/* 1. False: they are not enough. */
static bool collect(kanon__slab_workspace *w, uint32_t limit)
{
    const kanon__slab_draft *d = &w->draft;
    int64_t n_usable = compare_hosts(w, limit);
    w->n_candidates = 0;
    for (int32_t i = w->n_hosts - 1; i >= 0 && n_usable >= missing(d); i--) {
        if (w->n_critical[i] < 0)
            continue;
        int64_t n_spare = kanon__draft_size(d, w->hosts[i]) - d->region->k, n = collect_from(w, i, limit);
        n_usable -= n < n_spare ? n_spare - n : 0;
    }
    return n_usable >= missing(d);
}

/* ---- 2, 3: taking them ------------------------------------------------------------------------------------------- */

/* Whether the record is alone at an end of its group's box in the region. */
static bool is_outermost(const kanon__region *r, int32_t record)
{
    int32_t group = r->group_of[record];
    return kanon__move_costs_units(r->costs, kanon__region_bounds(r, group), kanon__region_coordinates(r, record), NULL) <
           r->groups[group].units;
}

static bool is_to_be_had(const kanon__slab_draft *d, int32_t record)
{
    return !d->is_moved[record] && has_spare(d, d->region->group_of[record]);
}

/* 2. */
static void take_covered(kanon__slab_workspace *w, bool outermost)
{
    kanon__slab_draft *d = &w->draft;
    for (int32_t i = 0; i < w->n_candidates && missing(d) > 0; i++) {
        int32_t record = w->candidates[i].record;
        if (w->candidates[i].rise == 0 && is_to_be_had(d, record) && (!outermost || is_outermost(d->region, record)))
            kanon__slab_draft_move(d, record, d->touched[0].group);
    }
}

/* 3. False: there is no candidate left. */
static bool take_nearest(kanon__slab_workspace *w, uint32_t most_units)
{
    kanon__slab_draft *d = &w->draft;
    const kanon__region *r = d->region;
    int32_t best = -1;
    uint32_t least = UINT32_MAX;
    for (int32_t i = 0; i < w->n_candidates; i++)
        if (w->candidates[i].rise < least && is_to_be_had(d, w->candidates[i].record)) {
            least = w->candidates[i].rise;
            best = i;
        }
    if (best < 0 || d->touched[0].units + least > most_units)
        return false;
    kanon__slab_draft_move(d, w->candidates[best].record, d->touched[0].group);
    for (int32_t i = 0; i < w->n_candidates; i++)
        w->candidates[i].rise = kanon__move_costs_units(r->costs, d->boxes, NULL,
                                                        kanon__region_coordinates(r, w->candidates[i].record)) -
                                d->touched[0].units;
    return true;
}

/* ---- the refill -------------------------------------------------------------------------------------------------- */

bool kanon__slab_refill(kanon__slab_workspace *w, int64_t room)
{
    kanon__slab_draft *d = &w->draft;
    if (missing(d) <= 0)
        return true;
    int64_t limit = room / d->region->k, most = d->touched[0].units + limit;
    if (!collect(w, limit < UINT32_MAX ? (uint32_t)limit : UINT32_MAX - 1))
        return false;
    take_covered(w, true);
    take_covered(w, false);
    while (missing(d) > 0) {
        if (!take_nearest(w, most < UINT32_MAX ? (uint32_t)most : UINT32_MAX))
            return false;
        take_covered(w, false);
    }
    return true;
}
