/* Groups while records are moved between them: members, boxes, losses and tallies stay up to date. */
#ifndef KANON_ENFORCE_REGROUP_H
#define KANON_ENFORCE_REGROUP_H

#include "search/neighbours.h"
#include "search/run.h"

typedef struct kanon__regroup {
    kanon__run *run;
    const kanon__space *space;
    int32_t n_groups;
    int64_t n_left;          /* groups with records */
    int64_t *sizes;          /* by group; 0: gone */
    kanon__bound *boxes;     /* by group */
    int32_t *n_at;           /* by group, as boxes: how many members have that smallest or largest code */
    uint32_t *units;         /* by group: D */
    kanon__tally *tallies;   /* by group; NULL: there are no constraints */
    int32_t *open, *open_at; /* groups that a record may join, for all that is known, in no order; by group: where, or -1 */
    int64_t n_open;
    int32_t *first, *last, *next, *prev; /* the members of a group as a list */
    uint32_t full;                       /* what a suppressed record costs */
    int64_t n_suppressed;
    kanon__neighbours *near;
    uint32_t *stamps; /* by group: the last question that came by */
    uint32_t stamp;
    kanon__bound *box; /* for whoever needs one */
} kanon__regroup;

kanon_status kanon__regroup_init(kanon__regroup *out, kanon__run *run, kanon_error *err);
void kanon__regroup_clear(kanon__regroup *regroup);
/* The bytes that it takes where each group has about k records; constraints may be NULL. */
int64_t kanon__regroup_need(const kanon__data *table, const kanon__constraints *constraints, int64_t k);
/* Number the groups that are left without gaps. */
void kanon__regroup_finish(kanon__regroup *regroup);

/* Move a record; KANON__SUPPRESSED is a place, too. A group that loses its last record is gone. */
kanon_status kanon__regroup_move(kanon__regroup *regroup, int32_t row, int32_t to, kanon_error *err);
/* All of `from` joins `into`. */
kanon_status kanon__regroup_merge(kanon__regroup *regroup, int32_t into, int32_t from, kanon_error *err);

/* Moves that may be undone and done again. All zero is an empty list. */
typedef struct kanon__move {
    int32_t row, from, to;
} kanon__move;

typedef struct kanon__moves {
    kanon__move *items;
    int64_t n, capacity;
} kanon__moves;

/* Move a record and put it on the list. */
kanon_status kanon__moves_do(kanon__moves *moves, kanon__regroup *regroup, int32_t row, int32_t to, kanon_error *err);
/* Everything as it was before the first of them, or after the last; the list stays. */
kanon_status kanon__moves_undo(const kanon__moves *moves, kanon__regroup *regroup, kanon_error *err);
kanon_status kanon__moves_redo(const kanon__moves *moves, kanon__regroup *regroup, kanon_error *err);
void kanon__moves_clear(kanon__moves *moves);

bool kanon__regroup_holds(kanon__regroup *regroup, int32_t group);
static inline int64_t kanon__regroup_loss(const kanon__regroup *r, int32_t group)
{
    return r->sizes[group] * r->units[group];
}
static inline kanon__bound *kanon__regroup_box(const kanon__regroup *r, int32_t group)
{
    return r->boxes + (int64_t)group * 2 * r->space->n_dimensions;
}
/* How much the loss of a group grows when the record joins it, and falls when it leaves it (its last record: its loss). */
int64_t kanon__regroup_increase(const kanon__regroup *regroup, int32_t group, int64_t row);
int64_t kanon__regroup_decrease(kanon__regroup *regroup, int32_t group, int64_t row);
/* How much two groups cost more as one. */
int64_t kanon__regroup_merge_cost(kanon__regroup *regroup, int32_t left, int32_t right);
/* Whether a group keeps k and its constraints without the record. */
bool kanon__regroup_spares(kanon__regroup *regroup, int32_t group, int64_t row);
/* The group, other than `except`, that the record may join at the least increase below `limit`; -1: none. Ties: the
 * lowest. */
kanon_status kanon__regroup_cheapest(kanon__regroup *regroup, int64_t row, int32_t except, int64_t limit, int32_t *group,
                                     int64_t *increase, kanon_error *err);

/* The rows of a group, ascending; there is room for all of them. */
void kanon__regroup_members(const kanon__regroup *regroup, int32_t group, int32_t *rows);

/* A new question begins; whether it comes by a group for the first time. */
void kanon__regroup_ask(kanon__regroup *regroup);
static inline bool kanon__regroup_first_time(kanon__regroup *r, int32_t group)
{
    bool first = r->stamps[group] != r->stamp;
    r->stamps[group] = r->stamp;
    return first;
}

/* A search looks at no more than so many tuples before it takes the best of what it has seen. */
enum { KANON__REGROUP_TUPLES = 1000 };
/* Where no more groups than this may keep their constraints with a record more, all of them are looked at. */
enum { KANON__REGROUP_OPEN = 4000 };

#endif
