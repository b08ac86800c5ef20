/* A release, or the groups of its records, as a typed table: a Parquet file, or a table of a database
 * (database/location.h). It is made as Arrow batches, a release is checked as such; it is written, read back and
 * compared, and only then complete. It appears together with the other outputs of the call, or not at all. */
#ifndef KANON_PIPELINE_TABLE_OUTPUT_H
#define KANON_PIPELINE_TABLE_OUTPUT_H

#include "core/output.h"
#include "model/grouping.h"

typedef struct kanon__table_output kanon__table_output;

/* Whether an output of that name is a typed table. KANON_EINVAL where the name is wrong. */
kanon_status kanon__table_output_wanted(bool *out, const char *location, kanon_error *err);
/* Open the place, and begin the transaction: what cannot be written is known before the work. *place is its place among the
 * outputs, to be committed and freed with them, before this is closed. `with` (NULL: none): a table of the same database is
 * written in the transaction of that output, which is committed and closed after this one. `groups` (NULL: none) is where
 * the groups of the call go: a new database file that holds them is for its owner alone. */
kanon_status kanon__table_output_open(kanon__table_output **out, kanon__output **place, const char *location,
                                      const char *groups, const kanon_table *table, const kanon_grouping *grouping,
                                      const kanon__table_output *with, kanon_error *err);
/* Write the release and read it back; the place is finished then. The numeric form of the outputs is chosen, and is not
 * KANON_NUMERIC_RANGE. */
kanon_status kanon__table_output_write(kanon__table_output *output, const kanon_outputs *wanted, kanon_error *err);
/* The same with the groups. */
kanon_status kanon__table_output_write_groups(kanon__table_output *output, int threads, kanon_error *err);
/* What reports call it. */
const char *kanon__table_output_name(const kanon__table_output *output);
void kanon__table_output_close(kanon__table_output *output);

#endif
