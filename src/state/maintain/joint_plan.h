/* What the plan of a release knows of joint classes: joint_release.c divides them, joint_merge.c joins groups. */
#ifndef KANON_STATE_JOINT_PLAN_H
#define KANON_STATE_JOINT_PLAN_H

#include "state/maintain/joint_release.h"
#include "state/maintain/releases.h"

#define KANON__WITHHELD (-1)
#define KANON__NEW_CLASS (-1) /* the class of records that were never released */

/* A present record of the class at hand. */
typedef struct kanon__class_member {
    int64_t row, group, entity;
    int64_t part; /* how many entities of the class are in its group */
} kanon__class_member;

/* The plan: groups[row] is the group in which the release will show the row. A row is one of the subset as it came in, which
 * is row at[row] of the subset and of its table once records have been taken out. */
typedef struct kanon__joint_planned {
    kanon_state *state;
    kanon__subset *subset;
    int64_t n, joint_k;
    bool together; /* records of an entity do not move apart: only whole groups are joined */
    kanon__traces traces;
    int64_t *at;       /* by row: of the subset now; -1: it is withheld */
    int64_t *groups;   /* by row: as released, 0: suppressed, KANON__WITHHELD */
    int64_t *class_of; /* by row; KANON__NEW_CLASS */
    int64_t *entities; /* by row, from 0; without entities each record is one */
    int64_t *departed; /* by trace: the entity, where the record is gone */
    int64_t *seen;     /* by entity: the last set that counted it */
    int64_t *times;    /* by entity: how often it is among the members at hand */
    int64_t n_sets;
    kanon__class_member *members; /* room for one class */
    kanon__joint_result result;
} kanon__joint_planned;

/* A set of entities begins; `add` is true of one that is not yet in it. */
static inline void kanon__set_begin(kanon__joint_planned *p)
{
    p->n_sets++;
}

static inline bool kanon__set_add(kanon__joint_planned *p, int64_t entity)
{
    bool is_new = p->seen[entity] != p->n_sets;
    p->seen[entity] = p->n_sets;
    return is_new;
}

/* KANON_EINFEASIBLE: no release keeps the classes. */
kanon_status kanon__joint_fail(const kanon__joint_planned *plan, kanon_error *err);

/* ---- maintain/joint_merge.c -------------------------------------------------------------------------------------- */

/* Merges planned groups that are short of k with those with which that costs least; with entities also until each group has
 * K entities of every class that it has at all. */
kanon_status kanon__joint_merge(kanon__joint_planned *plan, kanon_error *err);
/* With entities there may be a release that the steps do not find: what they have made is held against the requirement. */
kanon_status kanon__joint_check(kanon__joint_planned *plan, kanon_error *err);

#endif
