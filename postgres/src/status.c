/* Errors of the library as errors of the server: each status has its SQLSTATE, message and hint pass unchanged.
 *
 * Messages of the library hold no cell of a table. A cancelled call raises the interrupt that cancelled it, so that the
 * client reads what PostgreSQL says of a cancel, a timeout or a shutdown. */
#include "host.h"

#include "mb/pg_wchar.h"
#include "miscadmin.h"

#define ERRCODE_KANON_INFEASIBLE MAKE_SQLSTATE('K', 'N', '0', '0', '1')

static int sqlstate_of(kanon_status status)
{
    switch (status) {
    case KANON_EINVAL:
        return ERRCODE_INVALID_PARAMETER_VALUE; /* 22023 */
    case KANON_EDATA:
        return ERRCODE_DATA_EXCEPTION; /* 22000 */
    case KANON_EINFEASIBLE:
        return ERRCODE_KANON_INFEASIBLE;
    case KANON_ENOMEM:
        return ERRCODE_OUT_OF_MEMORY; /* 53200 */
    case KANON_EIO:
        return ERRCODE_IO_ERROR; /* 58030 */
    case KANON_ECANCELLED:
        return ERRCODE_QUERY_CANCELED; /* 57014 */
    case KANON_EVERSION:
        return ERRCODE_OBJECT_NOT_IN_PREREQUISITE_STATE; /* 55000 */
    default:
        return ERRCODE_INTERNAL_ERROR; /* XX000 */
    }
}

char *to_utf8(const char *text)
{
    return pg_server_to_any(text, strlen(text), PG_UTF8);
}

char *from_utf8(const char *text)
{
    return pg_any_to_server(text, strlen(text), PG_UTF8);
}

static ErrorData *kept;

void keep_error(MemoryContext context)
{
    MemoryContextSwitchTo(context);
    kept = CopyErrorData();
    FlushErrorState();
}

void forget_error(void)
{
    kept = NULL;
}

void raise_failure(const kanon_error *err)
{
    /* what an error is about, by its topic, in the words of SQL */
    static const struct {
        const char *topic, *hint;
    } hints[] = {
        {"memory", "Raise maintenance_work_mem."},
        {"grow-taxonomy", "Add it to the taxonomy and refresh the release fully."},
        {"roles", "name those that could single out a person: quasi => '{age,zip}'"},
        {"columns", "names of columns are given as an array: quasi => '{age,zip}'"},
        {"entity", "name the column that says whose row it is: entity => 'patient'"},
        {"numeric", "numbers => 'interval' adds no columns"},
    };
    static const char place[] = "Arrow stream: "; /* there is one source, and nobody calls it so */
    const char *hint = err->hint, *message = err->message;
    ErrorData *first = kept;
    kept = NULL;
    if (first != NULL)
        ReThrowError(first);
    if (err->status == KANON_ECANCELLED)
        CHECK_FOR_INTERRUPTS();
    for (int i = 0; i < lengthof(hints); i++)
        if (err->topic != NULL && strcmp(err->topic, hints[i].topic) == 0)
            hint = hints[i].hint;
    if (strncmp(message, place, sizeof place - 1) == 0)
        message += sizeof place - 1;
    ereport(ERROR, (errcode(sqlstate_of(err->status)), errmsg("%s", from_utf8(message)),
                    hint[0] != '\0' ? errhint("%s", from_utf8(hint)) : 0));
}

void check(kanon_status status, const kanon_error *err)
{
    if (status != KANON_OK)
        raise_failure(err);
    CHECK_FOR_INTERRUPTS();
}
