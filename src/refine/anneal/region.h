/* A region: some groups of a grouping with all of their records, copied out of the table to be searched alone.
 *
 * The copy keeps what a move touches close together in memory. Regions share no group, so several of them are searched at
 * the same time. regions.c cuts the grouping into regions, fills them and writes their groups back; the moves
 * (moves.def) change them. This file calls only move_costs.h.
 *
 * Records are numbered from 0 within the region, those of one tuple side by side. Groups are slots; a slot of size 0 is
 * empty and waits on the stack `empty_slots`. The members of all slots lie in one array, each slot with a room of its own:
 *
 *     groups    [ slot 0: size 3, capacity 6 ] [ slot 1: size 0, capacity 6 ] ...
 *     members     7 2 9 - - -                    - - - - - -                  ...
 *
 *     tuples    [0]      [1]  [2]              by tuple_begins
 *     records    0  1  2  3    4  5            tuple_of: 0 0 0 1 2 2
 *
 * Invariants, except between kanon__region_insert and kanon__region_evaluate:
 * - members[groups[g].members + member_index[r]] == r for every record r with group_of[r] == g;
 * - units is D of the group, `loss` the sum of size * units over all slots;
 * - bounds (move_costs.h) and counts describe the members exactly.
 *
 * Where records may be suppressed (suppressed_records.h), these are in no group: group_of is KANON__NO_GROUP, member_index
 * their place in `suppressed`, and `loss` has `full` for each of them.
 *
 * To keep the bounds exact when a member leaves, a slot counts, for each dimension and either bound, how many members have
 * the outermost coordinate and how many the next one. Members are scanned again only where such a count falls to 0. */
#ifndef KANON_REFINE_ANNEAL_REGION_H
#define KANON_REFINE_ANNEAL_REGION_H

#include "core/random.h"
#include "refine/anneal/move_costs.h"

/* Who has the outermost coordinates at one bound of a group on one dimension. The outermost itself is in the bounds. */
typedef struct kanon__bound_counts {
    uint32_t next;               /* the next coordinate inwards; undefined where n_next is 0 */
    int32_t n_outermost, n_next; /* members that have the outermost, and the next one; n_outermost > 0 */
} kanon__bound_counts;

typedef struct kanon__region_group {
    int32_t size, capacity;
    uint32_t units;  /* D */
    int64_t members; /* where its room in kanon__region.members begins */
} kanon__region_group;

typedef struct kanon__region {
    const kanon__move_costs *costs;
    int64_t k;
    int32_t n, n_tuples, n_slots, n_groups;
    uint32_t *coordinates;     /* by record */
    int32_t *rows;             /* by record: its row in the table */
    int32_t *tuple_of;         /* by record */
    int32_t *tuple_begins;     /* by tuple: its first record */
    int32_t *neighbour_begins; /* by tuple: where its part of `neighbours` begins */
    int32_t *neighbours;       /* tuples of the region; a tuple of several records is its own neighbour, too */
    int32_t *group_of;         /* by record */
    int32_t *member_index;     /* by record: its index among the members of its group */
    kanon__region_group *groups;
    uint32_t *bounds;            /* by slot, 4 per dimension; see move_costs.h */
    kanon__bound_counts *counts; /* by slot, 2 per dimension: smallest, largest */
    int32_t *members;
    int64_t members_end, members_capacity;
    int32_t *empty_slots; /* a stack */
    int32_t n_empty;
    int64_t loss;        /* sum of |P| D(P), and what suppressed records cost */
    int32_t *suppressed; /* room for most_suppressed records; NULL: there are none */
    int32_t n_suppressed, most_suppressed;
    int64_t full; /* what a suppressed record costs */
} kanon__region;

/* group_of a suppressed record, and of one that has been taken out of its group for a moment. */
enum { KANON__NO_GROUP = -1, KANON__NOWHERE = -2 };

static inline const uint32_t *kanon__region_coordinates(const kanon__region *r, int32_t record)
{
    return r->coordinates + (int64_t)record * r->costs->n_dimensions;
}

static inline const uint32_t *kanon__region_bounds(const kanon__region *r, int32_t group)
{
    return r->bounds + (int64_t)group * 4 * r->costs->n_dimensions;
}

static inline int32_t *kanon__region_members(const kanon__region *r, int32_t group)
{
    return r->members + r->groups[group].members;
}

/* |P| D(P) of a group. */
static inline int64_t kanon__region_loss_of(const kanon__region *r, int32_t group)
{
    return kanon__group_loss(r->groups[group].size, r->groups[group].units);
}

/* |P| D(P) of two groups as one. */
static inline int64_t kanon__region_joint_loss(const kanon__region *r, int32_t left, int32_t right)
{
    uint32_t units = kanon__boxes_units(r->costs, kanon__region_bounds(r, left), kanon__region_bounds(r, right));
    return kanon__group_loss((int64_t)r->groups[left].size + r->groups[right].size, units);
}

/* A random dimension on which the members of a group differ; -1: they are all equal. */
int kanon__region_draw_dimension(const kanon__region *region, int32_t group, kanon__random *random);

/* The change of the group's loss |P| D(P) when a record leaves, joins, or one leaves and another joins. Nothing is moved:
 * most moves are rejected by these numbers alone. */
static inline int64_t kanon__region_leave_delta(const kanon__region *r, int32_t group, int32_t record)
{
    const kanon__region_group *g = &r->groups[group];
    uint32_t units = kanon__move_costs_units(r->costs, kanon__region_bounds(r, group), kanon__region_coordinates(r, record),
                                             NULL);
    return kanon__group_loss(g->size - 1, units) - kanon__region_loss_of(r, group);
}

static inline int64_t kanon__region_join_delta(const kanon__region *r, int32_t group, int32_t record)
{
    const kanon__region_group *g = &r->groups[group];
    uint32_t units = kanon__move_costs_units(r->costs, kanon__region_bounds(r, group), NULL,
                                             kanon__region_coordinates(r, record));
    return kanon__group_loss(g->size + 1, units) - kanon__region_loss_of(r, group);
}

static inline int64_t kanon__region_replace_delta(const kanon__region *r, int32_t group, int32_t gone, int32_t come)
{
    const kanon__region_group *g = &r->groups[group];
    uint32_t units = kanon__move_costs_units(r->costs, kanon__region_bounds(r, group), kanon__region_coordinates(r, gone),
                                             kanon__region_coordinates(r, come));
    return kanon__group_loss(g->size, units) - kanon__region_loss_of(r, group);
}

/* Room for n records of n_tuples tuples with n_neighbours neighbours in all, and for n / k groups of up to 2k records; those
 * of `sizes` may be larger. The caller sets coordinates, rows, tuples and neighbours before it inserts records. */
kanon_status kanon__region_init(kanon__region *out, const kanon__move_costs *costs, int64_t k, int64_t n, int64_t n_tuples,
                                int64_t n_neighbours, const int64_t *sizes, int64_t n_groups, kanon_error *err);
void kanon__region_clear(kanon__region *region);
/* Add a record that is in no group to one that has room; an empty slot becomes a group. Units and loss are kept. */
void kanon__region_add(kanon__region *region, int32_t group, int32_t record);
/* The same without units and loss, which kanon__region_evaluate sets for all groups at once. */
void kanon__region_insert(kanon__region *region, int32_t group, int32_t record);
void kanon__region_evaluate(kanon__region *region);
/* Make room for so many members of the group. Without memory nothing has changed. */
kanon_status kanon__region_make_room(kanon__region *region, int32_t group, int32_t size);
/* Take a record out of its group; group_of keeps its last group. */
void kanon__region_remove(kanon__region *region, int32_t record);
/* An empty slot, which the next kanon__region_add makes a group; -1: there is none. */
int32_t kanon__region_empty_slot(const kanon__region *region);

#endif
