/* A grouping of a table's rows, and how it came about: the result of kanon_anonymize and the input of release, measures and
 * reports. Made by pipeline/anonymize.c, or read from a groups file; calls table.
 *
 * Invariant: group_of holds the numbers 0 .. n_groups - 1, each at least once, in the order of their first rows, and
 * negative numbers for suppressed rows; sizes, n_suppressed and smallest agree with it. */
#ifndef KANON_MODEL_GROUPING_H
#define KANON_MODEL_GROUPING_H

#include "table/domain/drawn_ends.h"
#include "table/read/table.h"

/* A constraint in addition to k, and the value that the least protected group reaches. */
typedef struct kanon__constraint_status {
    char *sentence;
    double asked, reached;
} kanon__constraint_status;

/* What a release of a state has done to joint classes (state/maintain/releases.h), for the report. */
typedef struct kanon__joint_status {
    int64_t releases; /* 0: there is nothing to say */
    int64_t k, smallest, below, made_below, withheld;
    bool required; /* else joint-k is off */
} kanon__joint_status;

/* Attribute-level recoding of one column: the range of codes that replaces each code in every group. */
typedef struct kanon__recode_map {
    char *column;
    uint32_t *ranges; /* by code: the first and the last code of its range */
} kanon__recode_map;

void kanon__recode_map_array_free(kanon__recode_map *maps, int n);

struct kanon_grouping {
    kanon__identity *identity; /* of the table that it groups */
    bool is_own;               /* the caller's: nothing about it has been checked */
    int64_t n_rows;
    int32_t *group_of; /* by row, from 0; negative: suppressed. Groups are numbered by their first row. */
    int64_t n_groups;
    int64_t *sizes; /* by group */
    int64_t n_suppressed, smallest;
    bool keeps_suppressed; /* they are released, as a class like any other */
    const struct kanon_grouping *shows; /* it is what a reader sees of this one, so no two groups look alike; else NULL */
    /* of a block by itself (pipeline/block_group.c) */
    int64_t n_left; /* records in no group yet: negative numbers, and not suppressed */
    int32_t *ranks; /* by group: its number inside the block; NULL: not a block */
    /* how it was made; a grouping that was read has no algorithm */
    int64_t k; /* required; 0: no requirement is known */
    char *algorithm;
    char *refinement; /* NULL: none */
    int64_t blocks;   /* 0: none */
    uint32_t revision;
    kanon__texts settings;        /* "name=value" of every setting with a value */
    kanon__texts refine_settings; /* likewise, of the refinement */
    kanon__texts repeat;          /* of the refinement, in place of those that depend on a clock or a signal */
    kanon_setting *repeat_pairs;  /* the same, cut at the equal sign */
    bool stopped;                 /* ended early, by a signal or a time limit */
    uint64_t seed;
    double seconds;
    kanon__texts privacy, warnings; /* what the user should know; the first about privacy */
    const char *whose;              /* that of `privacy` which doubts that k counts persons; NULL: none */
    kanon__texts identifying, telling; /* those about columns that name persons, and about others released as they are */
    /* constraints in addition to k */
    kanon__constraint_status *constraints;
    int64_t n_constraints;
    int64_t most_suppressed;        /* the budget of suppressed records; -1: not set */
    kanon__joint_status joint;
    double loss_with, loss_without; /* information loss with the constraints and without; NAN: not measured */
    kanon__texts notes;             /* sentences for the report about the quality of the groups */
    kanon__notices notices;         /* privacy, warnings and notes, for the caller */
    kanon_grouping_info info;       /* of a grouping that is bound, likewise */
    kanon__recode_map *recode_maps; /* by quasi attribute; NULL: each group is recoded by itself */
    int n_recode_maps;
    kanon__draw *draw;        /* what its ends are drawn from, where that follows from table and seed; else NULL */
    kanon__drawn_ends *drawn; /* NULL: all ends are exact */
};

/* Number the groups of `group_of` (below *n_groups; negative: suppressed) by their first row, without gaps: equal
 * partitions are then equal numbers. *n_groups becomes how many there are. */
kanon_status kanon__grouping_renumber(int32_t *group_of, int64_t n_rows, int64_t *n_groups, kanon_error *err);
/* Take over `group_of` (freed in any case), whose groups may be numbered in any way below n_groups; empty ones vanish. */
kanon_status kanon__grouping_adopt(kanon_grouping **out, int32_t *group_of, int64_t n_rows, int64_t n_groups,
                                   kanon_error *err);
/* A grouping of the table by any numbers above 0; 0: suppressed. It is the caller's. */
kanon_status kanon__grouping_from_numbers(kanon_grouping **out, const kanon_table *table, const int64_t *group_of,
                                          kanon_error *err);
/* The grouping is of this table, once and for all, and complete but for what there is to say about it. */
void kanon__grouping_bind(kanon_grouping *grouping, const kanon_table *table);
/* Draw its ends, where the schema asks for that: from the seed and the table, or, where `draw` is not NULL, from that and
 * the names of the groups. */
kanon_status kanon__grouping_draw(kanon_grouping *grouping, const kanon_table *table, const kanon__draw *draw,
                                  const int64_t *names, kanon_error *err);
/* What there is to say about it is complete. */
kanon_status kanon__grouping_tell(kanon_grouping *grouping, kanon_error *err);
/* The settings ("name=value") that give the groups again; none may have been set before. */
kanon_status kanon__grouping_set_repeat(kanon_grouping *grouping, const kanon__texts *settings, kanon_error *err);
/* KANON_EINVAL where the grouping is of another table. */
kanon_status kanon__grouping_is_of(const kanon_grouping *grouping, const kanon_table *table, kanon_error *err);
/* The same, or where records are in no group yet. */
kanon_status kanon__grouping_fits(const kanon_grouping *grouping, const kanon_table *table, kanon_error *err);
/* The ranges of a column's recode map, first and last code alternating; NULL where each group is recoded by itself. */
const uint32_t *kanon__grouping_recode_map(const kanon_grouping *grouping, const kanon__column *column);
/* The drawn ends of a column, low and high by group; NULL: exact. */
const int64_t *kanon__grouping_drawn(const kanon_grouping *grouping, const kanon__column *column);
/* The same of a group as numbers; false: its ends are exact, or it has no numbers. */
bool kanon__grouping_drawn_at(double out[2], const kanon_grouping *grouping, const kanon__column *column, int64_t group);
/* The smallest and largest code that every group shows on one column, as lo and hi alternating; between drawn ends all codes
 * that lie there. */
kanon_status kanon__grouping_extents(uint32_t **out, const kanon_grouping *grouping, const kanon__column *column,
                                     kanon_error *err);

#endif
