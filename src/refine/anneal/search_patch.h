/* A patch: some groups of a grouping with all of their records, taken out of the table to be worked on by themselves. What
 * the search touches lies close together, and patches that share no group can be worked on at the same time.
 *
 * Records are numbered from 0 within the patch, equal ones next to each other. A group is a slot; an empty slot has size 0.
 * Beside its rim a slot counts, on each dimension and at either end, who has the outermost and the next coordinate; members
 * are looked through again only where one of these counts falls to 0. */
#ifndef KANON_REFINE_ANNEAL_SEARCH_PATCH_H
#define KANON_REFINE_ANNEAL_SEARCH_PATCH_H

#include "refine/anneal/search_costs.h"

/* One end of a group on one dimension. The outermost coordinate itself is in the rim. */
typedef struct kanon__edge {
    uint32_t next;           /* the next coordinate inwards; of no meaning where n_next is 0 */
    int32_t n_outer, n_next; /* how many members have the outermost, and the next one */
} kanon__edge;

typedef struct kanon__patch_group {
    int32_t size, capacity;
    uint32_t units;  /* D */
    int64_t members; /* where its members begin */
} kanon__patch_group;

typedef struct kanon__patch {
    const kanon__costs *costs;
    int64_t k;
    int32_t n, n_tuples, n_slots, n_groups;
    uint32_t *coordinates; /* by record */
    int32_t *rows;         /* by record: its row in the table */
    int32_t *tuple_of;     /* by record */
    int32_t *tuple_begins; /* by tuple: its first record */
    int32_t *near_begins;  /* by tuple: where its near tuples begin */
    int32_t *near;         /* tuples of the patch, itself among them where it has several records */
    int32_t *group_of;     /* by record */
    int32_t *place_of;     /* by record: which member of its group it is */
    kanon__patch_group *groups;
    uint32_t *rims;     /* by slot, 4 per dimension */
    kanon__edge *edges; /* by slot, 2 per dimension: low, high */
    int32_t *members;
    int32_t *empty_slots; /* a stack */
    int32_t n_empty;
    int64_t loss; /* sum of |P| D(P) */
} kanon__patch;

static inline const uint32_t *kanon__patch_record(const kanon__patch *p, int32_t record)
{
    return p->coordinates + (int64_t)record * p->costs->n_dimensions;
}

static inline const uint32_t *kanon__patch_rim(const kanon__patch *p, int32_t group)
{
    return p->rims + (int64_t)group * 4 * p->costs->n_dimensions;
}

static inline int32_t *kanon__patch_members(const kanon__patch *p, int32_t group)
{
    return p->members + p->groups[group].members;
}

/* How the group's loss |P| D(P) changes when a record leaves, joins, or one leaves and another joins. */
static inline int64_t kanon__patch_leave(const kanon__patch *p, int32_t group, int32_t record)
{
    const kanon__patch_group *g = &p->groups[group];
    uint32_t units = kanon__costs_units(p->costs, kanon__patch_rim(p, group), kanon__patch_record(p, record), NULL);
    return (int64_t)(g->size - 1) * units - (int64_t)g->size * g->units;
}

static inline int64_t kanon__patch_join(const kanon__patch *p, int32_t group, int32_t record)
{
    const kanon__patch_group *g = &p->groups[group];
    uint32_t units = kanon__costs_units(p->costs, kanon__patch_rim(p, group), NULL, kanon__patch_record(p, record));
    return (int64_t)(g->size + 1) * units - (int64_t)g->size * g->units;
}

static inline int64_t kanon__patch_replace(const kanon__patch *p, int32_t group, int32_t gone, int32_t come)
{
    const kanon__patch_group *g = &p->groups[group];
    uint32_t units = kanon__costs_units(p->costs, kanon__patch_rim(p, group), kanon__patch_record(p, gone),
                                        kanon__patch_record(p, come));
    return (int64_t)g->size * units - (int64_t)g->size * g->units;
}

/* Room for n records of n_tuples tuples with n_near neighbours in all, and for n / k groups of up to 2k records; those in
 * `sizes` may be larger. Everything else is left to the caller, before any record is put into a group. */
kanon_status kanon__patch_init(kanon__patch *out, const kanon__costs *costs, int64_t k, int64_t n, int64_t n_tuples,
                               int64_t n_near, const int64_t *sizes, int64_t n_groups, kanon_error *err);
void kanon__patch_clear(kanon__patch *patch);
/* Put a record that is in no group into one; an empty slot becomes a group. The group has room. */
void kanon__patch_add(kanon__patch *patch, int32_t group, int32_t record);
/* The same for many of them, after which all groups are measured. */
void kanon__patch_put(kanon__patch *patch, int32_t group, int32_t record);
void kanon__patch_measure(kanon__patch *patch);
void kanon__patch_remove(kanon__patch *patch, int32_t record);
/* From its group to another one. */
void kanon__patch_move(kanon__patch *patch, int32_t record, int32_t group);
/* An empty slot, which the next kanon__patch_add makes a group; -1: there is none. */
int32_t kanon__patch_slot(const kanon__patch *patch);

#endif
