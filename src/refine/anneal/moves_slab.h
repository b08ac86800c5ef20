/* The slab move: all records of a group beyond a threshold on one attribute leave it together.
 *
 * With large k a group pays for its widest records k times over, and it becomes narrower only if every record at that
 * end leaves. Moves of single records never get there: each of them but the last costs and gains nothing. */
#ifndef KANON_REFINE_ANNEAL_MOVES_SLAB_H
#define KANON_REFINE_ANNEAL_MOVES_SLAB_H

#include "core/random.h"
#include "refine/anneal/group_lists.h"
#include "refine/anneal/slab_draft.h"

/* A record that could take the place of one that has left, and how much wider it would make the group. */
typedef struct kanon__refill_candidate {
    int32_t record;
    uint32_t rise;
} kanon__refill_candidate;

/* What slab moves need in addition to the region; belongs to one move engine. */
typedef struct kanon__slab_workspace {
    const kanon__group_lists *lists;
    kanon__slab_draft draft;
    int32_t hosts[KANON__LIST_WIDTH]; /* the list of the group at hand, by ascending D before the move, */
    int32_t n_hosts;
    int32_t most;          /* records of a slab */
    int64_t most_in_host;  /* a host of so many records takes no more: 2k, where its room ends and it is split */
    uint32_t *kept, *slab; /* boxes, 2 per dimension: the group without the slab, and the slab */
    kanon__refill_candidate *candidates;
    int32_t n_candidates, most_candidates;
    int *critical;                     /* by host, `dimensions` apart: where the slab sticks out of the host, */
    int n_critical[KANON__LIST_WIDTH]; /* and how many these are; -1: it is too far away */
} kanon__slab_workspace;

/* `lists`: of the region; they must outlive *out. */
kanon_status kanon__slab_workspace_init(kanon__slab_workspace *out, const kanon__region *region,
                                        const kanon__group_lists *lists, kanon_error *err);
void kanon__slab_workspace_clear(kanon__slab_workspace *workspace);

/* Draft a random slab move of the group: the slab, hosts for its records, and others in their place where fewer than k are
 * left. False: there is none within reach of a loss that grows by `threshold`; `slack` more is allowed to parts of it. The
 * caller resets the draft. */
bool kanon__slab_draft_random(kanon__slab_workspace *workspace, kanon__random *random, int32_t group, int64_t threshold,
                              int64_t slack);
/* Fill the group of the slab, touched[0] of the draft, up to k with records of the hosts. `room`: how much the loss may grow
 * by its becoming wider. False: there are not enough. */
bool kanon__slab_refill(kanon__slab_workspace *workspace, int64_t room);

#endif
