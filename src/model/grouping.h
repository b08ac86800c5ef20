/* A grouping of a table's rows, and how it came about. */
#ifndef KANON_MODEL_GROUPING_H
#define KANON_MODEL_GROUPING_H

#include "table/table.h"

/* A constraint in addition to k, and what the least protected group reaches. */
typedef struct kanon__constraint_status {
    char *sentence;
    double asked, reached;
} kanon__constraint_status;

/* Attribute-level recoding of one column: what each code is shown as, in every group. */
typedef struct kanon__recoded {
    char *column;
    uint32_t *shown; /* by code: the first and the last code that stand in its place */
} kanon__recoded;

void kanon__recoded_free(kanon__recoded *recoded, int n);

struct kanon_grouping {
    int64_t n_rows;
    int32_t *group_of; /* by row, from 0; negative: suppressed. Groups are numbered by their first row. */
    int64_t n_groups;
    int64_t *sizes; /* by group */
    int64_t n_suppressed, smallest;
    /* how it was made; a grouping that was read has no algorithm */
    int64_t k; /* asked for; 0: nothing was asked */
    char *algorithm;
    char *refinement; /* NULL: none */
    int64_t blocks;   /* 0: none */
    uint32_t revision;
    kanon__texts settings;        /* "name=value" of every setting with a value */
    kanon__texts refine_settings; /* likewise, of the refinement */
    uint64_t seed;
    double seconds;
    kanon__texts warnings;
    /* constraints in addition to k */
    kanon__constraint_status *constraints;
    int64_t n_constraints;
    int64_t most_suppressed;        /* records that could be suppressed; -1: nothing said */
    double loss_with, loss_without; /* information loss with what was asked and without; NAN: not measured */
    kanon__texts notes;      /* what the report should say about how good it is */
    kanon__recoded *recoded; /* NULL: each group shows what it holds; else one for each quasi attribute */
    int n_recoded;
};

/* Number the groups of `group_of` (below *n_groups; negative: suppressed) by their first row, without gaps: equal
 * partitions are then equal numbers. *n_groups becomes how many there are. */
kanon_status kanon__grouping_renumber(int32_t *group_of, int64_t n_rows, int64_t *n_groups, kanon_error *err);
/* Take over `group_of` (freed in any case), whose groups may be numbered in any way below n_groups; empty ones vanish. */
kanon_status kanon__grouping_adopt(kanon_grouping **out, int32_t *group_of, int64_t n_rows, int64_t n_groups,
                                   kanon_error *err);
/* KANON_EINVAL where the grouping is of another table. */
kanon_status kanon__grouping_fits(const kanon_grouping *grouping, const kanon_table *table, kanon_error *err);
/* What the codes of a column are shown as in every group; NULL where each group shows what it holds. */
const uint32_t *kanon__grouping_shown(const kanon_grouping *grouping, const kanon__column *column);
/* The smallest and largest code that every group shows on one column, as lo and hi alternating. */
kanon_status kanon__grouping_extents(uint32_t **out, const kanon_grouping *grouping, const kanon__column *column,
                                     kanon_error *err);

#endif
