/* Record batches that are made here: each has one room (core/arrow_block.h).
 *
 * Drivers give batches of some 2000 rows; large ones are quicker to work on, and what a table of ten million records needs
 * should not stay in memory. So kanon__gathered_stream copies small batches into large ones. From some megabytes on a room
 * lies in an unnamed temporary file: its pages can leave memory, and kanon__arrow_array_rest lets them go. */
#ifndef KANON_DATABASE_BATCH_H
#define KANON_DATABASE_BATCH_H

#include "core/status.h"

#include <kanon_arrow.h>
#include <stdbool.h>

/* The same rows in batches of at least 65536, but for the last one. `in` is moved in any case. Where a column is not
 * gathered, batches stay as they are. What the driver says about a failure is not passed on: it may hold values. `encode`:
 * texts of which there are few different ones become dictionaries; they are texts nevertheless, and kanon__batch_is_encoded
 * tells them from categories that came as such. */
kanon_status kanon__gathered_stream(struct ArrowArrayStream *out, struct ArrowArrayStream *in, bool encode,
                                    const char *called, kanon_error *err);
bool kanon__batch_is_encoded(const struct ArrowSchema *column);
/* The metadata of a column of texts of which the place they come from says no type (SQLite, where a cell may be anything):
 * its texts tell. It stays with the column where it is gathered. */
extern const char kanon__batch_untyped_mark[];
bool kanon__batch_is_untyped(const struct ArrowSchema *column);

#endif
