/* The part of ADBC, the C interface of the Arrow project for databases, that is used here: structs and the table of
 * functions that a driver fills in, as version 1.0.0 of its specification lays them out (arrow.apache.org/adbc). Nothing is
 * linked: load_driver.c loads a library at run time and asks it for the table.
 *
 *     database    how to reach it: options such as the URI
 *     connection  with transactions, unless autocommit is left on
 *     statement   a query, or rows that are bound and a table that takes them
 *
 * All objects begin as zeros; *New allocates, *Init begins, *Release ends and is allowed in any state after *New. */
#ifndef KANON_DATABASE_ADBC_H
#define KANON_DATABASE_ADBC_H

#include <kanon_arrow.h>

typedef uint8_t kanon__adbc_status;

/* Statuses by number; connection.c says what each means. */
enum {
    KANON__ADBC_OK = 0,
    KANON__ADBC_NOT_FOUND = 3,
    KANON__ADBC_EXISTS = 4,
    KANON__ADBC_CANCELLED = 11,
    KANON__ADBC_STATUSES = 15
};

enum { KANON__ADBC_VERSION = 1000000 }; /* 1.0.0, which every driver knows */

typedef struct kanon__adbc_error {
    char *message;
    int32_t vendor_code;
    char sqlstate[5]; /* not terminated */
    void (*release)(struct kanon__adbc_error *error);
    void *later[2]; /* of later versions: not used while vendor_code does not ask for it */
} kanon__adbc_error;

/* Databases, connections and statements have one form; the second field is for whoever loads drivers. */
typedef struct kanon__adbc_object {
    void *private_data;
    void *manager;
} kanon__adbc_object;

typedef kanon__adbc_object kanon__adbc_database, kanon__adbc_connection, kanon__adbc_statement;

/* What has one form in many rows of the table of functions. */
typedef kanon__adbc_status (*kanon__adbc_step)(kanon__adbc_object *object, kanon__adbc_error *error);
typedef kanon__adbc_status (*kanon__adbc_set_option)(kanon__adbc_object *object, const char *key, const char *value,
                                                     kanon__adbc_error *error);
typedef void (*kanon__adbc_unused)(void);

typedef struct kanon__adbc_driver {
    void *private_data;
    void *manager;
    kanon__adbc_status (*release)(struct kanon__adbc_driver *driver, kanon__adbc_error *error);
    kanon__adbc_step database_init, database_new;
    kanon__adbc_set_option database_set_option;
    kanon__adbc_step database_release;
    kanon__adbc_step connection_commit;
    kanon__adbc_unused connection_get_info, connection_get_objects, connection_get_table_schema, connection_get_table_types;
    kanon__adbc_status (*connection_init)(kanon__adbc_connection *connection, kanon__adbc_database *database,
                                          kanon__adbc_error *error);
    kanon__adbc_step connection_new;
    kanon__adbc_set_option connection_set_option;
    kanon__adbc_unused connection_read_partition;
    kanon__adbc_step connection_release, connection_rollback;
    kanon__adbc_unused statement_bind;
    kanon__adbc_status (*statement_bind_stream)(kanon__adbc_statement *statement, struct ArrowArrayStream *rows,
                                                kanon__adbc_error *error);
    kanon__adbc_status (*statement_execute_query)(kanon__adbc_statement *statement, struct ArrowArrayStream *out,
                                                  int64_t *rows_affected, kanon__adbc_error *error);
    kanon__adbc_unused statement_execute_partitions, statement_get_parameter_schema;
    kanon__adbc_status (*statement_new)(kanon__adbc_connection *connection, kanon__adbc_statement *statement,
                                        kanon__adbc_error *error);
    kanon__adbc_step statement_prepare, statement_release;
    kanon__adbc_set_option statement_set_option;
    kanon__adbc_status (*statement_set_sql_query)(kanon__adbc_statement *statement, const char *query,
                                                  kanon__adbc_error *error);
    kanon__adbc_unused statement_set_substrait_plan;
    kanon__adbc_unused later[64]; /* a driver that fills in more than it was asked for must not write past the end */
} kanon__adbc_driver;

/* What a driver's library exports to fill in the table. */
typedef kanon__adbc_status (*kanon__adbc_init)(int version, void *driver, kanon__adbc_error *error);

/* Names of options, and the words that switch them. */
#define KANON__ADBC_AUTOCOMMIT "adbc.connection.autocommit"
#define KANON__ADBC_DISABLED "false"
#define KANON__ADBC_TARGET_TABLE "adbc.ingest.target_table"
#define KANON__ADBC_TARGET_SCHEMA "adbc.ingest.target_db_schema"
#define KANON__ADBC_MODE "adbc.ingest.mode"
#define KANON__ADBC_MODE_CREATE "adbc.ingest.mode.create"
#define KANON__ADBC_TEMPORARY "adbc.ingest.temporary"

#endif
