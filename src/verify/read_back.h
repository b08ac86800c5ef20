/* The independent check of what somebody else has written: a Parquet file or a table of a database, read back, against
 * the batches that passed the check of releases (verify_arrow.h). Every cell counts, with the name of its column: a
 * digest of the rows is taken of both and compared, under a key that nobody knows, in any order of the rows or in
 * theirs. Cells are compared by what they say, since a database has types of its own: numbers by value, all else as the
 * text of a CSV file, no value as itself. */
#ifndef KANON_VERIFY_READ_BACK_H
#define KANON_VERIFY_READ_BACK_H

#include "core/hash_key.h"
#include "core/status.h"
#include "verify/verify_arrow.h"

#include <kanon_arrow.h>
#include <stdbool.h>

typedef struct kanon__row_digest {
    kanon__hash_key key;
    bool ordered; /* the order of the rows counts */
    int64_t n_rows;
    uint64_t sum;
} kanon__row_digest;

/* Of all rows of the batches, whose columns rest then. */
kanon_status kanon__row_digest_of(kanon__row_digest *out, bool ordered, const struct ArrowSchema *schema,
                                  const struct ArrowArray *batches, int64_t n_batches, int threads, kanon_error *err);
/* Read `rows`, which are moved in any case, and compare. KANON_EIO where they are not what was written; `called` stands
 * in the message. */
kanon_status kanon__verify_read_back(const kanon__row_digest *written, struct ArrowArrayStream *rows, const char *called,
                                     kanon_error *err);

#endif
