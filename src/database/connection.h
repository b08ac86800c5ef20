/* A connection to a database through its driver. Whatever a driver says in an error may hold values of the table, the
 * URI and the query, so none of it is passed on but its status, the SQLSTATE and, of DuckDB, the kind of the error; the
 * words are ours. Driver calls are made with all signals blocked, so that threads that a driver starts take none of the
 * host's. */
#ifndef KANON_DATABASE_CONNECTION_H
#define KANON_DATABASE_CONNECTION_H

#include "database/adbc.h"
#include "database/location.h"

typedef struct kanon__connection kanon__connection;

/* `transaction`: what is done stays undone until it is committed. A private location: files that are made then are for their
 * owner alone, as far as the system lets one thread say so. */
kanon_status kanon__connection_open(kanon__connection **out, const kanon__location *location, bool transaction,
                                    kanon_error *err);
/* What was not committed is rolled back. */
void kanon__connection_close(kanon__connection *connection);
/* Run a statement without result. `what` stands in messages: "the table cannot be replaced". */
kanon_status kanon__connection_run(kanon__connection *connection, const char *sql, const char *what, kanon_error *err);
/* The rows of a query. The stream must be released before the connection is closed. */
kanon_status kanon__connection_query(kanon__connection *connection, struct ArrowArrayStream *out, const char *sql,
                                     kanon_error *err);
/* Create the table of the location with these rows; the stream is moved in any case. */
kanon_status kanon__connection_fill(kanon__connection *connection, const kanon__location *location,
                                    struct ArrowArrayStream *rows, kanon_error *err);
kanon_status kanon__connection_commit(kanon__connection *connection, kanon_error *err);

#endif
