/* A materialized subset: some records of the state, or all, as a table in memory.
 *
 * Constraints, algorithms, refinements, measures and writers work on tables. This is the bridge: the groups of some
 * records are listed, their cells read, and a kanon_table built, by the same code that reads a CSV file.
 *
 *     ids, groups      listed by kanon__subset_list_all, or filled in by the caller (ids ascending)
 *     schema, table    kanon__subset_read_table; row i of the table is record ids[i]
 *     space            kanon__subset_space: units of the whole state's ranges, also where the subset has not all records */
#ifndef KANON_STATE_MATERIALISE_H
#define KANON_STATE_MATERIALISE_H

#include "model/grouping.h"
#include "model/space.h"
#include "state/index/group_index.h"
#include "state/store/records.h"

/* Row i is record ids[i], in group groups[i] (0: suppressed). Invariant: ids ascend; table is NULL or has n rows. */
typedef struct kanon__subset {
    kanon_schema *schema;
    kanon_table *table;
    int64_t n;
    int64_t *ids, *groups;
    kanon__record *records; /* what the file says of each, where the caller has made room before reading the table */
} kanon__subset;

/* All records and their groups; no table yet. */
kanon_status kanon__subset_list_all(kanon__subset *out, kanon_state *state, kanon_error *err);
/* Reads the cells of the records ids[0 .. n) and makes the table, with all columns of the state. */
kanon_status kanon__subset_read_table(kanon__subset *subset, kanon_state *state, kanon_error *err);
/* The space of the table, with the ranges of all records of the state. The caller frees it. */
kanon_status kanon__subset_space(kanon__space **out, const kanon__subset *subset, const kanon_state *state,
                                 kanon_error *err);
void kanon__subset_clear(kanon__subset *subset);
/* The groups as a grouping of the table, with how the state's groups were first made. */
kanon_status kanon__subset_grouping(kanon_grouping **out, const kanon__subset *subset, const kanon_state *state,
                                    kanon_error *err);

#endif
