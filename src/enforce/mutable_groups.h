/* Groups while records are moved between them: members, boxes, losses and tallies follow each move.
 *
 * Repair and suppression try out a change, look at its cost and undo it, so a move has to be cheap both ways. Members
 * are doubly linked lists. A box counts how many members have each of its bounds, and the members are scanned again
 * only when the last of them leaves.
 *
 *     first[g] -> row <-> row <-> row <- last[g]           next, prev by row; -1 at the ends
 *     boxes        lo hi lo hi ...                         by group, 2 per dimension
 *     n_at_bound   how many members have that lo, that hi  as boxes
 *
 * Invariants between two calls: sizes, boxes, n_at_bound, units and tallies are those of the members; n_left groups have
 * records; a group that some record may join without violating a constraint is open. */
#ifndef KANON_ENFORCE_MUTABLE_GROUPS_H
#define KANON_ENFORCE_MUTABLE_GROUPS_H

#include "enforce/host_tree.h"
#include "search/neighbours.h"
#include "search/run.h"

typedef struct kanon__mutable_groups {
    kanon__run *run; /* its group_of is kept up to date, too */
    const kanon__space *space;
    int32_t n_groups;
    int64_t n_left;      /* groups with records */
    int64_t *sizes;      /* by group; 0: gone */
    kanon__bound *boxes; /* by group */
    int32_t *n_at_bound;
    uint32_t *units;       /* by group: D */
    kanon__tally *tallies; /* by group; NULL: there are no constraints */
    bool *open;            /* by group: some record may join it; NULL: there are no constraints */
    int32_t *first, *last, *next, *prev;
    uint32_t full; /* what a suppressed record costs */
    int64_t n_suppressed;
    kanon__neighbours *neighbours; /* made by the first search, as hosts are */
    kanon__host_tree *hosts;
    kanon__bound *box; /* scratch */
} kanon__mutable_groups;

kanon_status kanon__mutable_groups_init(kanon__mutable_groups *out, kanon__run *run, kanon_error *err);
void kanon__mutable_groups_clear(kanon__mutable_groups *groups);
/* The bytes that it takes where each group has about k records; constraints may be NULL. */
int64_t kanon__mutable_groups_need(const kanon__data *table, const kanon__constraints *constraints, int64_t k);
/* Number the groups that are left without gaps. The members are not listed any more then. */
void kanon__mutable_groups_finish(kanon__mutable_groups *groups);

/* Move a record to a group, or to KANON__SUPPRESSED. A group that loses its last record is gone. */
kanon_status kanon__mutable_groups_move(kanon__mutable_groups *groups, int32_t row, int32_t to, kanon_error *err);
/* All of `from` joins `into`. */
kanon_status kanon__mutable_groups_merge(kanon__mutable_groups *groups, int32_t into, int32_t from, kanon_error *err);

/* ---- a log of moves that may be undone and done again; all zero is an empty log ---------------------------------- */

typedef struct kanon__logged_move {
    int32_t row, from, to;
} kanon__logged_move;

typedef struct kanon__move_log {
    kanon__logged_move *items;
    int64_t n, capacity;
} kanon__move_log;

/* Move a record and log it. */
kanon_status kanon__move_log_do(kanon__move_log *log, kanon__mutable_groups *groups, int32_t row, int32_t to,
                                kanon_error *err);
/* Go back to before the first of the moves, or forward to after the last; the log stays. */
kanon_status kanon__move_log_undo(const kanon__move_log *log, kanon__mutable_groups *groups, kanon_error *err);
kanon_status kanon__move_log_redo(const kanon__move_log *log, kanon__mutable_groups *groups, kanon_error *err);
void kanon__move_log_clear(kanon__move_log *log);

/* ---- queries ----------------------------------------------------------------------------------------------------- */

/* Whether the group satisfies all constraints. */
bool kanon__mutable_groups_satisfies(kanon__mutable_groups *groups, int32_t group);
static inline int64_t kanon__mutable_groups_loss(const kanon__mutable_groups *g, int32_t group)
{
    return kanon__group_loss(g->sizes[group], g->units[group]);
}
static inline kanon__bound *kanon__mutable_groups_box(const kanon__mutable_groups *g, int32_t group)
{
    return g->boxes + (int64_t)group * 2 * g->space->n_dimensions;
}
/* How much the loss of a group grows when the record joins it, and falls when it leaves it (its last record: its loss). */
int64_t kanon__mutable_groups_increase(const kanon__mutable_groups *groups, int32_t group, int64_t row);
int64_t kanon__mutable_groups_decrease(kanon__mutable_groups *groups, int32_t group, int64_t row);
/* How much two groups cost more as one. */
int64_t kanon__mutable_groups_merge_cost(kanon__mutable_groups *groups, int32_t left, int32_t right);
/* Whether a group has k records and satisfies all constraints without the record. */
bool kanon__mutable_groups_can_spare(kanon__mutable_groups *groups, int32_t group, int64_t row);
/* The group, other than `except`, that the record can join without a violation at the least increase below `limit`; -1:
 * none. Ties: the lowest group. */
kanon_status kanon__mutable_groups_cheapest(kanon__mutable_groups *groups, int64_t row, int32_t except, int64_t limit,
                                            int32_t *group, int64_t *increase, kanon_error *err);

/* The rows of a group, ascending; there is room for all of them. */
void kanon__mutable_groups_members(const kanon__mutable_groups *groups, int32_t group, int32_t *rows);

/* Begin a search for the groups that a group can be merged with for less than `limit`, cheapest first; groups->hosts yields
 * them. */
kanon_status kanon__mutable_groups_find_partners(kanon__mutable_groups *groups, int32_t group, int64_t limit,
                                                 kanon_error *err);
/* Begin a search for the records near a group; groups->neighbours yields them. */
kanon_status kanon__mutable_groups_find_neighbours(kanon__mutable_groups *groups, int32_t group, kanon_error *err);

/* A search gives up after so many groups that refuse. */
enum { KANON__MOST_REFUSALS = 1000 };

#endif
