/* See connection.h. */
#include "database/connection.h"

#include "core/alloc.h"
#include "database/load_driver.h"
#include "database/private_file.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

struct kanon__connection {
    kanon__adbc_driver driver;
    kanon__adbc_database database;
    kanon__adbc_connection connection;
    kanon__adbc_statement statement; /* of the query that is being read */
    char *called;                    /* for messages */
    bool transaction, begun;         /* one is wanted, and there is one */
};

/* ---- errors ------------------------------------------------------------------------------------------------------- */

/* By number: what a status of ADBC means, and whose fault it is. */
static const struct {
    const char *words;
    kanon_status status;
} statuses[KANON__ADBC_STATUSES] = {
    {"no reason is given", KANON_EIO},
    {"no reason is given", KANON_EIO},
    {"the driver cannot do this", KANON_EIO},
    {"there is no such thing", KANON_EDATA},
    {"it is there already", KANON_EDATA},
    {"an option or the query is wrong", KANON_EDATA},
    {"the driver was not ready", KANON_EIO},
    {"the data are wrong", KANON_EDATA},
    {"a constraint of the database does not hold", KANON_EIO},
    {"the database failed", KANON_EIO},
    {"it cannot be reached, or a file cannot be read", KANON_EIO},
    {"it was cancelled", KANON_ECANCELLED},
    {"it took too long", KANON_EIO},
    {"the user or the password is wrong", KANON_EIO},
    {"the user may not do this", KANON_EIO},
};

/* What DuckDB begins its errors with, as far as it says no more than that. */
static const struct {
    const char *kind;
    kanon_status status;
} kinds[] = {
    {"Binder Error", KANON_EDATA},   {"Catalog Error", KANON_EDATA},          {"Conversion Error", KANON_EDATA},
    {"IO Error", KANON_EIO},         {"Parser Error", KANON_EDATA},           {"Invalid Input Error", KANON_EDATA},
    {"HTTP Error", KANON_EIO},       {"Constraint Error", KANON_EDATA},       {"Out of Memory Error", KANON_ENOMEM},
    {"Permission Error", KANON_EIO}, {"TransactionContext Error", KANON_EIO},
};

/* Classes of SQLSTATE in which the query is to blame: data, syntax and names. */
static bool blames_query(const char *sqlstate)
{
    return strncmp(sqlstate, "42", 2) == 0 || strncmp(sqlstate, "22", 2) == 0;
}

/* The part of a driver's error that can hold nothing but its kind. */
static void describe(char *out, size_t size, kanon_status *st, kanon__adbc_status code, const kanon__adbc_error *error)
{
    char sqlstate[6] = "";
    size_t known = code < KANON__ADBC_STATUSES ? code : 0;
    *st = statuses[known].status;
    snprintf(out, size, "%s", statuses[known].words);
    for (size_t i = 0; i < 5 && isalnum((unsigned char)error->sqlstate[i]); i++)
        sqlstate[i] = error->sqlstate[i];
    if (strlen(sqlstate) == 5 && strcmp(sqlstate, "00000") != 0) {
        snprintf(out, size, "%s (SQLSTATE %s)", statuses[known].words, sqlstate);
        *st = blames_query(sqlstate) ? KANON_EDATA : *st == KANON_EDATA ? KANON_EIO : *st;
    }
    for (size_t i = 0; error->message != NULL && i < sizeof kinds / sizeof *kinds; i++)
        if (strncmp(error->message, kinds[i].kind, strlen(kinds[i].kind)) == 0) {
            snprintf(out, size, "%s", kinds[i].kind);
            *st = kinds[i].status;
        }
}

/* The status of a call, which is what `what` says where it failed. */
static kanon_status answer(const kanon__connection *c, kanon__adbc_status code, kanon__adbc_error *error, const char *what,
                           kanon_error *err)
{
    kanon_status st = KANON_OK;
    char reason[160];
    if (code != KANON__ADBC_OK) {
        describe(reason, sizeof reason, &st, code, error);
        kanon__fail(err, st, "%s: %s: %s", c->called, what, reason);
    }
    if (error->release != NULL)
        error->release(error);
    *error = (kanon__adbc_error){0};
    return st;
}

/* ---- signals ------------------------------------------------------------------------------------------------------ */

static void block_signals(sigset_t *before)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, before);
}

static void restore_signals(const sigset_t *before)
{
    pthread_sigmask(SIG_SETMASK, before, NULL);
}

/* ---- opening ------------------------------------------------------------------------------------------------------ */

/* DuckDB calls the place of its file "path". */
static const char *key_for(const kanon__location *l, const char *key)
{
    return strcmp(l->driver, "duckdb") == 0 && strcmp(key, "uri") == 0 ? "path" : key;
}

/* Where memory runs out, DuckDB would write rows to a file that others can read, in the working directory: only where a
 * folder was named for that. */
static kanon_status keep_in_memory(kanon__connection *c, const kanon__location *l, kanon_error *err)
{
    static const char key[] = "temp_directory";
    kanon__adbc_error error = {0};
    if (strcmp(l->driver, "duckdb") != 0)
        return KANON_OK;
    for (int64_t i = 0; i < l->n_options; i++)
        if (strcmp(l->options[i].key, key) == 0)
            return KANON_OK;
    return answer(c, c->driver.database_set_option(&c->database, key, "", &error), &error,
                  "the driver does not take an option", err);
}

static kanon_status begin_database(kanon__connection *c, const kanon__location *l, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__adbc_error error = {0};
    kanon__adbc_driver *d = &c->driver;
    KANON_TRY(answer(c, d->database_new(&c->database, &error), &error, "the driver does not begin", err), out);
    KANON_TRY(keep_in_memory(c, l, err), out);
    for (int64_t i = 0; i < l->n_options; i++) {
        kanon__adbc_status code = d->database_set_option(&c->database, key_for(l, l->options[i].key), l->options[i].value,
                                                         &error);
        KANON_TRY(answer(c, code, &error, "the driver does not take an option", err), out);
    }
    KANON_TRY(answer(c, d->database_init(&c->database, &error), &error, "the database cannot be opened", err), out);
    KANON_TRY(answer(c, d->connection_new(&c->connection, &error), &error, "the driver does not connect", err), out);
    KANON_TRY(
        answer(c, d->connection_init(&c->connection, &c->database, &error), &error, "the database cannot be opened", err),
        out);
    if (!c->transaction)
        goto out;
    if (d->connection_set_option == NULL || d->connection_commit == NULL || d->connection_rollback == NULL) {
        st = kanon__fail(err, KANON_EIO, "%s: the driver has no transactions", c->called);
        goto out;
    }
    st = answer(c, d->connection_set_option(&c->connection, KANON__ADBC_AUTOCOMMIT, KANON__ADBC_DISABLED, &error), &error,
                "the driver has no transactions", err);
    c->begun = st == KANON_OK;
out:
    return st;
}

typedef struct opening {
    kanon__connection *connection;
    const kanon__location *location;
    kanon_error *err;
    kanon_status status;
} opening;

static void begin(void *payload)
{
    opening *o = payload;
    sigset_t before;
    block_signals(&before);
    o->status = begin_database(o->connection, o->location, o->err);
    restore_signals(&before);
}

kanon_status kanon__connection_open(kanon__connection **out, const kanon__location *l, bool transaction, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__connection *c = NULL;
    opening o = {.location = l, .err = err};
    *out = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "a connection", err), out);
    o.connection = c;
    c->transaction = transaction;
    KANON_TRY(kanon__copy_text(&c->called, l->name, strlen(l->name), "a name", err), out);
    KANON_TRY(kanon__driver_load(&c->driver, l->driver, l->name, err), out);
    if (l->is_private)
        kanon__do_privately(begin, &o);
    else
        begin(&o);
    st = o.status;
    if (st == KANON_OK) {
        *out = c;
        c = NULL;
    }
out:
    kanon__connection_close(c);
    return st;
}

/* End an object, whatever the driver says to it. */
static void end_object(kanon__adbc_step end, kanon__adbc_object *object)
{
    kanon__adbc_error error = {0};
    if (object->private_data == NULL)
        return;
    end(object, &error);
    if (error.release != NULL)
        error.release(&error);
    *object = (kanon__adbc_object){0};
}

void kanon__connection_close(kanon__connection *c)
{
    sigset_t before;
    kanon__adbc_error error = {0};
    if (c == NULL)
        return;
    block_signals(&before);
    end_object(c->driver.statement_release, &c->statement);
    if (c->begun && c->driver.connection_rollback(&c->connection, &error) != KANON__ADBC_OK && error.release != NULL)
        error.release(&error); /* closing does the same */
    end_object(c->driver.connection_release, &c->connection);
    end_object(c->driver.database_release, &c->database);
    error = (kanon__adbc_error){0};
    kanon__adbc_unused inside = (kanon__adbc_unused)c->driver.database_new;
    if (c->driver.release != NULL && c->driver.release(&c->driver, &error) != KANON__ADBC_OK && error.release != NULL)
        error.release(&error);
    restore_signals(&before);
    if (inside != NULL)
        kanon__driver_rest(inside);
    kanon__free(c->called);
    kanon__free(c);
}

/* ---- statements --------------------------------------------------------------------------------------------------- */

static kanon_status execute(kanon__connection *c, struct ArrowArrayStream *out, const char *sql, const char *what,
                            kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__adbc_error error = {0};
    int64_t n = 0;
    end_object(c->driver.statement_release, &c->statement);
    KANON_TRY(answer(c, c->driver.statement_new(&c->connection, &c->statement, &error), &error, what, err), out);
    KANON_TRY(answer(c, c->driver.statement_set_sql_query(&c->statement, sql, &error), &error, what, err), out);
    KANON_TRY(answer(c, c->driver.statement_execute_query(&c->statement, out, &n, &error), &error, what, err), out);
out:
    if (st != KANON_OK)
        end_object(c->driver.statement_release, &c->statement);
    return st;
}

kanon_status kanon__connection_query(kanon__connection *c, struct ArrowArrayStream *out, const char *sql, kanon_error *err)
{
    sigset_t before;
    *out = (struct ArrowArrayStream){0};
    block_signals(&before);
    kanon_status st = execute(c, out, sql, "the rows cannot be read", err);
    restore_signals(&before);
    if (st == KANON_OK && out->release == NULL)
        st = kanon__fail(err, KANON_EIO, "%s: the driver gives no rows", c->called);
    return st;
}

kanon_status kanon__connection_run(kanon__connection *c, const char *sql, const char *what, kanon_error *err)
{
    struct ArrowArrayStream rows = {0};
    sigset_t before;
    block_signals(&before);
    kanon_status st = execute(c, &rows, sql, what, err);
    if (st == KANON_OK && rows.release != NULL)
        rows.release(&rows);
    restore_signals(&before);
    return st;
}

static kanon_status fill(kanon__connection *c, const kanon__location *l, struct ArrowArrayStream *rows, kanon_error *err)
{
    static const char what[] = "the table cannot be written";
    kanon_status st = KANON_OK;
    kanon__adbc_error error = {0};
    kanon__adbc_driver *d = &c->driver;
    int64_t n = 0;
    if (d->statement_set_option == NULL || d->statement_bind_stream == NULL)
        return kanon__fail(err, KANON_EIO, "%s: the driver cannot write tables", c->called);
    end_object(d->statement_release, &c->statement);
    KANON_TRY(answer(c, d->statement_new(&c->connection, &c->statement, &error), &error, what, err), out);
    const char *const pairs[][2] = {{KANON__ADBC_TARGET_TABLE, l->table},
                                    {KANON__ADBC_TARGET_SCHEMA, l->schema},
                                    {KANON__ADBC_MODE, KANON__ADBC_MODE_CREATE}};
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
        if (pairs[i][1] != NULL)
            KANON_TRY(answer(c, d->statement_set_option(&c->statement, pairs[i][0], pairs[i][1], &error), &error, what, err),
                      out);
    KANON_TRY(answer(c, d->statement_bind_stream(&c->statement, rows, &error), &error, what, err), out);
    rows->release = NULL; /* the driver has it */
    KANON_TRY(answer(c, d->statement_execute_query(&c->statement, NULL, &n, &error), &error, what, err), out);
out:
    end_object(d->statement_release, &c->statement);
    return st;
}

kanon_status kanon__connection_fill(kanon__connection *c, const kanon__location *l, struct ArrowArrayStream *rows,
                                    kanon_error *err)
{
    sigset_t before;
    block_signals(&before);
    kanon_status st = fill(c, l, rows, err);
    restore_signals(&before);
    if (rows->release != NULL)
        rows->release(rows);
    return st;
}

kanon_status kanon__connection_commit(kanon__connection *c, kanon_error *err)
{
    kanon__adbc_error error = {0};
    sigset_t before;
    block_signals(&before);
    kanon_status st = answer(c, c->driver.connection_commit(&c->connection, &error), &error, "the table cannot be kept",
                             err);
    restore_signals(&before);
    return st;
}
