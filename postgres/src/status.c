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
    const char *hint = err->hint;
    ErrorData *first = kept;
    kept = NULL;
    if (first != NULL)
        ReThrowError(first);
    if (err->status == KANON_ECANCELLED)
        CHECK_FOR_INTERRUPTS();
    if (err->topic != NULL && strcmp(err->topic, "memory") == 0)
        hint = "Raise maintenance_work_mem.";
    if (err->topic != NULL && strcmp(err->topic, "grow-taxonomy") == 0)
        hint = "Add it to the taxonomy and refresh the release fully.";
    ereport(ERROR, (errcode(sqlstate_of(err->status)), errmsg("%s", from_utf8(err->message)),
                    hint[0] != '\0' ? errhint("%s", from_utf8(hint)) : 0));
}

void check(kanon_status status, const kanon_error *err)
{
    if (status != KANON_OK)
        raise_failure(err);
    CHECK_FOR_INTERRUPTS();
}
