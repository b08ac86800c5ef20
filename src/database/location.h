/* Where a table is: a file of text, or one of the places that hold typed tables.
 *
 *     patients.csv                              a file, "-" for the standard streams
 *     patients.parquet                          a Parquet file, by way of DuckDB
 *     data.db#patients                          a table of an SQLite file
 *     adbc:postgresql?uri=...&table=patients    a table behind an ADBC driver
 *     adbc:duckdb?query=SELECT ...              a query; it is the last option and goes on to the end
 *
 * Values of options are decoded as in URLs (%26 is &), a query is taken as it stands. Each option can be had from
 * elsewhere: uri-env=NAME is the environment variable, uri-file=PATH the first line of a file. `name` is what messages,
 * reports and logs say: the driver and the table, never an option or a query, which may hold passwords and values. */
#ifndef KANON_DATABASE_LOCATION_H
#define KANON_DATABASE_LOCATION_H

#include "core/status.h"

#include <stdbool.h>

typedef enum kanon__location_kind {
    KANON__AT_FILE = 0, /* whatever it holds */
    KANON__AT_PARQUET,
    KANON__AT_SQLITE,
    KANON__AT_DRIVER
} kanon__location_kind;

typedef struct kanon__option {
    char *key, *value;
} kanon__option;

typedef struct kanon__location {
    kanon__location_kind kind;
    char *name;           /* for messages */
    char *path;           /* of a file; NULL: none */
    char *driver;         /* "postgresql" */
    char *schema, *table; /* NULL: not said */
    char *query;          /* NULL: the table */
    kanon__option *options;
    int64_t n_options, capacity;
    bool is_private; /* what is written there tells about single records: set by who writes */
} kanon__location;

/* Where a table is to be read. Files are looked at: what begins as a Parquet or SQLite file is one. */
kanon_status kanon__location_to_read(kanon__location *out, const char *text, kanon_error *err);
/* Where a table is to be written. By the name: NAME.parquet, FILE.db#TABLE, adbc:... */
kanon_status kanon__location_to_write(kanon__location *out, const char *text, kanon_error *err);
void kanon__location_clear(kanon__location *location);
/* Whether both are tables of one database, reached in the same way. */
bool kanon__location_same_database(const kanon__location *left, const kanon__location *right);
/* Whether to write at one of the two would change what is at the other: the same file, however it is written, the same
 * table, or a table and the file that it is in. */
bool kanon__location_same(const char *left, const char *right);

#endif
