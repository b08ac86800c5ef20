/* The draft of a slab move: the groups as the move would leave them, before anything is changed.
 *
 * A slab move touches a dozen groups and most slab moves fail, so it would cost too much to carry out each of them and roll
 * it back. Instead it drafts: it notes which record goes where, and keeps size and box of the groups touched in an overlay
 * over the region. In the end kanon__slab_draft_delta recounts the touched groups exactly, and only a move that may be
 * accepted is carried out on the region.
 *
 *     touched      [ the source of the slab | host | donor | ... ]      each group once
 *     boxes        [ lo hi                  | lo hi| lo hi | ... ]      2 per dimension: the smallest, then the largest
 *     touched_of   by slot: its place in `touched`; -1: as it is in the region
 *     records      the records that move, each once, with `targets`
 *
 * Until the recount the box of a group that records have left is too wide, never too narrow. An exception is the
 * source, whose box without the slab is set in the beginning; none of its other records leaves. Between two moves the
 * draft is empty. */
#ifndef KANON_REFINE_ANNEAL_SLAB_DRAFT_H
#define KANON_REFINE_ANNEAL_SLAB_DRAFT_H

#include "refine/anneal/group_lists.h"

/* Groups that a draft has room for: a source, and its list. */
enum { KANON__MOST_TOUCHED = KANON__LIST_WIDTH + 1 };

typedef struct kanon__touched_group {
    int32_t group, size;
    uint32_t units; /* D of the box in the draft */
    bool has_lost;  /* records have left, so that the box may be too wide */
} kanon__touched_group;

typedef struct kanon__slab_draft {
    const kanon__region *region;
    kanon__touched_group touched[KANON__MOST_TOUCHED];
    int32_t n_touched;
    uint32_t *boxes;
    int32_t *touched_of;
    bool *is_moved; /* by record */
    int32_t *records, *targets;
    int32_t n_moved;
} kanon__slab_draft;

kanon_status kanon__slab_draft_init(kanon__slab_draft *out, const kanon__region *region, kanon_error *err);
void kanon__slab_draft_clear(kanon__slab_draft *draft);
/* Forget the move. */
void kanon__slab_draft_reset(kanon__slab_draft *draft);
/* The group's place in `touched`; it is added there if it is new. */
int32_t kanon__slab_draft_touch(kanon__slab_draft *draft, int32_t group);
/* A record that has not moved yet goes to another group. */
void kanon__slab_draft_move(kanon__slab_draft *draft, int32_t record, int32_t to);
/* Make the boxes exact. Returns how much the loss would grow. */
int64_t kanon__slab_draft_delta(kanon__slab_draft *draft);

static inline int32_t kanon__draft_size(const kanon__slab_draft *d, int32_t group)
{
    int32_t at = d->touched_of[group];
    return at < 0 ? d->region->groups[group].size : d->touched[at].size;
}

static inline uint32_t kanon__draft_units(const kanon__slab_draft *d, int32_t group)
{
    int32_t at = d->touched_of[group];
    return at < 0 ? d->region->groups[group].units : d->touched[at].units;
}

/* The smallest coordinate on each dimension, then the largest. */
static inline const uint32_t *kanon__draft_box(const kanon__slab_draft *d, int32_t group)
{
    int32_t at = d->touched_of[group];
    return at < 0 ? kanon__region_bounds(d->region, group) : d->boxes + (int64_t)at * 2 * d->region->costs->n_dimensions;
}

#endif
