/* A release as an Arrow stream, with a step between building and checking it: tests damage the batches there, and the
 * check must find it. */
#ifndef KANON_PIPELINE_ARROW_EXPORT_H
#define KANON_PIPELINE_ARROW_EXPORT_H

#include "release/sink/arrow_stream.h"

/* Told of the batches before they are checked: tests damage them here, to see that the check refuses them. */
typedef void (*kanon__before_check)(struct ArrowSchema *schema, kanon__arrow_batches *batches, void *payload);

/* `wanted` says how: numeric (columns, interval or mean), shuffle, threads, tick and group_numbers. The grouping may be
 * released. */
kanon_status kanon__arrow_export(struct ArrowArrayStream *out, const kanon_table *table, const kanon_grouping *grouping,
                                 const kanon_outputs *wanted, kanon_error *err, kanon__before_check before, void *payload);
/* The same for a release that is written somewhere at once: a large one lies in temporary files until it is read. */
kanon_status kanon__arrow_export_aside(struct ArrowArrayStream *out, const kanon_table *table,
                                       const kanon_grouping *grouping, const kanon_outputs *wanted, kanon_error *err,
                                       kanon__before_check before, void *payload);

#endif
