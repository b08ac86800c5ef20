/* Writers of typed tables: a Parquet file, a table behind a driver, a table of an SQLite file. All of them write a stream
 * once, give back what is there now, and keep it when they are told to; what was not kept is as if it had never been.
 *
 *     open -> write -> read_back -> commit -> close
 *
 * A table in a database is written in one transaction, which read_back is a part of. A Parquet file is written to a
 * file that is there already, without its final name, so its commit has nothing to do. */
#ifndef KANON_DATABASE_WRITERS_H
#define KANON_DATABASE_WRITERS_H

#include "database/location.h"

#include <kanon_arrow.h>

typedef struct kanon__table_writer kanon__table_writer;

typedef struct kanon__writer_class {
    /* The rows are moved in any case. */
    kanon_status (*write)(kanon__table_writer *writer, struct ArrowArrayStream *rows, kanon_error *err);
    kanon_status (*read_back)(kanon__table_writer *writer, struct ArrowArrayStream *out, kanon_error *err);
    kanon_status (*commit)(kanon__table_writer *writer, kanon_error *err);
    void (*close)(kanon__table_writer *writer);
    /* A writer of another table of the same database, in the transaction of `writer`, which is committed for both and closed
     * last. NULL: each has its own. */
    kanon_status (*share)(kanon__table_writer **out, kanon__table_writer *writer, const kanon__location *location,
                          kanon_error *err);
} kanon__writer_class;

struct kanon__table_writer {
    const kanon__writer_class *class;
    bool keeps_order; /* rows are read back in the order in which they were written */
};

/* What a file says of itself: a key and a text. */
typedef struct kanon__table_mark {
    const char *key, *value;
} kanon__table_mark;

/* `path` is the file that is written to; it exists. */
kanon_status kanon__parquet_writer_open(kanon__table_writer **out, const kanon__location *location, const char *path,
                                        const kanon__table_mark *marks, int n_marks, kanon_error *err);
kanon_status kanon__driver_writer_open(kanon__table_writer **out, const kanon__location *location, kanon_error *err);
kanon_status kanon__sqlite_writer_open(kanon__table_writer **out, const kanon__location *location, kanon_error *err);

#endif
