/* Objects of the library as external pointers, and how many of them are alive: the tests end at zero.
 *
 * An external pointer has the name of its kind as tag. Its address is NULL before it owns something, after it was freed, and
 * where it was saved in one session and loaded in another. */
#include "host.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

static atomic_long live;

static void free_schema(void *object)
{
    kanon_schema_free(object);
}

static void free_table(void *object)
{
    kanon_table_free(object);
}

static void free_grouping(void *object)
{
    kanon_grouping_free(object);
}

static void free_result(void *object)
{
    result *r = object;
    if (r->object != NULL)
        r->free(r->object);
    free(r);
}

const kind SCHEMA = {"kanon_schema", free_schema}, TABLE = {"kanon_table", free_table},
           GROUPING = {"kanon_grouping", free_grouping}, STATE = {"kanon_state", state_free},
           STREAM = {"kanon_stream", stream_free}, BATCHES = {"kanon_batches", batches_free},
           RESULT = {"kanon_result", free_result};

static const kind *const kinds[] = {&SCHEMA, &TABLE, &GROUPING, &STATE, &STREAM, &BATCHES, &RESULT};

void handle_clear(SEXP handle)
{
    void *object = R_ExternalPtrAddr(handle);
    SEXP tag = R_ExternalPtrTag(handle);
    if (object == NULL || TYPEOF(tag) != SYMSXP)
        return;
    R_ClearExternalPtr(handle);
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (strcmp(kinds[i]->name, CHAR(PRINTNAME(tag))) == 0)
            kinds[i]->free(object);
    atomic_fetch_sub(&live, 1);
}

SEXP handle_new(const kind *of)
{
    SEXP handle = PROTECT(R_MakeExternalPtr(NULL, Rf_install(of->name), R_NilValue));
    R_RegisterCFinalizerEx(handle, handle_clear, TRUE);
    UNPROTECT(1);
    return handle;
}

void handle_set(SEXP handle, void *object)
{
    R_SetExternalPtrAddr(handle, object);
    atomic_fetch_add(&live, 1);
}

void *handle_get(SEXP handle, const kind *of)
{
    if (TYPEOF(handle) != EXTPTRSXP || R_ExternalPtrTag(handle) != Rf_install(of->name))
        raise_usage("the object is not one of this package", "");
    if (R_ExternalPtrAddr(handle) == NULL)
        raise_usage("the object was closed, or comes from another session", "make it again: it cannot be saved and loaded");
    return R_ExternalPtrAddr(handle);
}

SEXP result_new(void (*free_object)(void *object))
{
    SEXP handle = PROTECT(handle_new(&RESULT));
    result *r = calloc(1, sizeof *r);
    if (r == NULL)
        raise_failure(&(kanon_error){.status = KANON_ENOMEM, .message = "out of memory"});
    r->free = free_object;
    handle_set(handle, r);
    UNPROTECT(1);
    return handle;
}

void result_keep(SEXP handle, void *object)
{
    ((result *)handle_get(handle, &RESULT))->object = object;
}

SEXP r_live(void)
{
    return Rf_ScalarReal((double)atomic_load(&live));
}
