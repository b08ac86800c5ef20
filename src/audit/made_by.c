/* See made_by.h. The marks are a table of DuckDB, which is read as any other query is. */
#include "audit/made_by.h"

#include "core/alloc.h"
#include "database/location.h"
#include "database/sql_text.h"
#include "table/read/open_table.h"

#include <stdio.h>
#include <string.h>

enum { VERSION, K, ALGORITHM, ROLES, N_MARKS };
static const char *const keys[N_MARKS] = {"kanon.version", "kanon.k", "kanon.algorithm", "kanon.roles"};

/* Other keys are not decoded: they need not be text. */
static const char query[] = "adbc:duckdb?query=SELECT decode(key) AS key, decode(value) AS value FROM parquet_kv_metadata(",
                  chosen[] = ") WHERE key IN (encode('kanon.version'), encode('kanon.k'), encode('kanon.algorithm'), "
                             "encode('kanon.roles'))";

static kanon_status make_query(char **out, const char *path, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, (int64_t)(sizeof query + sizeof chosen + 2 * strlen(path) + 4), "a query", err);
    if (st == KANON_OK) {
        char *at = kanon__sql_file(*out + sprintf(*out, "%s", query), path);
        sprintf(at, "%s", chosen);
    }
    return st;
}

static kanon_status take_mark(char *marks[N_MARKS], const kanon__cell *cells, kanon_error *err)
{
    for (int i = 0; i < N_MARKS; i++) {
        if (marks[i] != NULL || cells[0].length != strlen(keys[i]) || memcmp(cells[0].text, keys[i], cells[0].length) != 0)
            continue;
        kanon_status st = kanon__new_array(&marks[i], (int64_t)cells[1].length + 1, "a mark", err);
        if (st == KANON_OK && cells[1].doubled)
            kanon__csv_unescape(marks[i], &cells[1]);
        else if (st == KANON_OK)
            memcpy(marks[i], cells[1].text, cells[1].length);
        return st;
    }
    return KANON_OK;
}

static kanon_status read_marks(char *marks[N_MARKS], const char *location, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input input = {0};
    kanon__source *source = NULL;
    kanon__cursor *cursor = NULL;
    KANON_TRY(kanon__table_input_open(&input, location, err), out);
    KANON_TRY(kanon__table_source_read(&source, &input, &(kanon__csv_reading){0}, NULL, err), out);
    KANON_TRY(source->class->open(&cursor, source, err), out);
    for (;;) {
        bool has_row;
        KANON_TRY(source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(take_mark(marks, cursor->cells, err), out);
    }
out:
    if (cursor != NULL)
        source->class->close(cursor);
    kanon__source_free(source);
    kanon__input_close(&input);
    return st;
}

/* Anybody can write marks. Those that this program would not write are not shown. */
static bool consists_of(const char *mark, const char *characters)
{
    enum { LONGEST = 64 };
    return mark != NULL && mark[0] != '\0' && strlen(mark) <= LONGEST && mark[strspn(mark, characters)] == '\0';
}

static bool may_be_ours(char *marks[N_MARKS])
{
    enum { LONGEST = 1 << 16 };
    static const char name[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.+-";
    return consists_of(marks[VERSION], name) && consists_of(marks[K], "0123456789") && consists_of(marks[ALGORITHM], name) &&
           (marks[ROLES] == NULL || (marks[ROLES][0] != '\0' && strlen(marks[ROLES]) <= LONGEST));
}

/* What the marks say, in one line. */
static kanon_status describe_marks(kanon__made_by *out, char *marks[N_MARKS], kanon_error *err)
{
    if (!may_be_ours(marks))
        return KANON_OK;
    size_t size = strlen(marks[VERSION]) + strlen(marks[K]) + strlen(marks[ALGORITHM]) + sizeof "kanon , k = , algorithm ";
    kanon_status st = kanon__new_array(&out->by, (int64_t)size, "a mark", err);
    if (st != KANON_OK)
        return st;
    snprintf(out->by, size, "kanon %s, k = %s, algorithm %s", marks[VERSION], marks[K], marks[ALGORITHM]);
    out->roles = marks[ROLES];
    marks[ROLES] = NULL;
    return KANON_OK;
}

kanon_status kanon__made_by_read(kanon__made_by *out, const char *location, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__location l = {0};
    kanon_error ignored = KANON_INIT(kanon_error);
    char *text = NULL, *marks[N_MARKS] = {NULL};
    *out = (kanon__made_by){0};
    KANON_TRY(kanon__location_to_read(&l, location, err), out);
    if (l.kind != KANON__AT_PARQUET)
        goto out;
    KANON_TRY(make_query(&text, l.path, err), out);
    st = read_marks(marks, text, &ignored);
    if (st == KANON_ENOMEM || st == KANON_ECANCELLED)
        kanon__fail(err, st, "%s", ignored.message);
    else
        st = st == KANON_OK ? describe_marks(out, marks, err) : KANON_OK;
out:
    for (int i = 0; i < N_MARKS; i++)
        kanon__free(marks[i]);
    kanon__free(text);
    kanon__location_clear(&l);
    return st;
}

void kanon__made_by_clear(kanon__made_by *made)
{
    kanon__free(made->roles);
    kanon__free(made->by);
    *made = (kanon__made_by){0};
}
