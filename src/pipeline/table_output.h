/* A release as a typed table: a Parquet file, or a table of a database (database/location.h). It is made as Arrow batches and
 * checked as such, written, read back and compared, and only then complete; it appears together with the other outputs of
 * the call, or not at all. Called by publish.c. */
#ifndef KANON_PIPELINE_TABLE_OUTPUT_H
#define KANON_PIPELINE_TABLE_OUTPUT_H

#include "core/output.h"
#include "model/grouping.h"

typedef struct kanon__table_output kanon__table_output;

/* Whether a release of that name is a typed table. KANON_EINVAL where the name is wrong. */
kanon_status kanon__table_output_wanted(bool *out, const char *location, kanon_error *err);
/* Open the place, and begin the transaction: what cannot be written is known before the work. *release is its place among the
 * outputs, to be committed and freed with them, before this is closed. */
kanon_status kanon__table_output_open(kanon__table_output **out, kanon__output **release, const char *location,
                                      const kanon_table *table, const kanon_grouping *grouping, kanon_error *err);
/* Write and read back; *release is finished then. The numeric form of the outputs is KANON_NUMERIC_COLUMNS or
 * KANON_NUMERIC_MEAN. */
kanon_status kanon__table_output_write(kanon__table_output *output, const kanon_outputs *wanted, kanon_error *err);
/* What reports call it. */
const char *kanon__table_output_name(const kanon__table_output *output);
void kanon__table_output_close(kanon__table_output *output);

#endif
