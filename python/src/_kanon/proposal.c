/* Before anything is released: the risk of a table as it is, and a schema that is proposed for it. */
#include "host.h"

/* profile(table, ticker): the bytes of the JSON that the library writes. */
PyObject *profile(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"table", "ticker", "threads", "seed", "costs", NULL};
    PyObject *table_capsule, *ticker_capsule;
    kanon_profile_options o = {.struct_size = sizeof o};
    unsigned long long seed = 0;
    int costs = 1;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|iKp", names, &table_capsule, &ticker_capsule, &o.threads, &seed,
                                     &costs))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    ticker *t = table == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    if (t == NULL)
        return NULL;
    byte_sink bytes;
    byte_sink_init(&bytes, "profile.json");
    o.seed = seed, o.without_costs = !costs, o.report = KANON_TO_SINK(&bytes.sink), o.tick = ticker_tick, o.payload = t;
    kanon_profile *found = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_profile_table(&found, table, &o, &err));
    if (st != KANON_OK) {
        byte_sink_free(&bytes);
        return raise_failure(&err);
    }
    kanon_profile_free(found);
    return byte_sink_take(&bytes);
}

/* None for NULL. */
static PyObject *name_of(const char *text)
{
    if (text == NULL)
        Py_RETURN_NONE;
    return text_of(text);
}

static PyObject *column_list(const kanon_proposed_column *const *at, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *item = Py_BuildValue("{s:N,s:s,s:s,s:N,s:N,s:L,s:L}", "name", text_of(at[i]->name), "role",
                                       kanon_enum_text(KANON_ENUM_ROLE, at[i]->role), "type",
                                       kanon_enum_text(KANON_ENUM_TYPE, at[i]->type), "reason",
                                       text_of(at[i]->reason), "same_as", name_of(at[i]->same_as), "distinct",
                                       (long long)at[i]->distinct, "missing", (long long)at[i]->missing);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *set_list(const kanon_column_set *const *at, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *item = Py_BuildValue("{s:N,s:L,s:L,s:L,s:d}", "columns", text_list(at[i]->columns, at[i]->n_columns),
                                       "classes", (long long)at[i]->classes, "records", (long long)at[i]->records, "persons",
                                       (long long)at[i]->persons, "share", at[i]->share);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* propose(stream, ticker): what is proposed, as a dict. */
PyObject *propose(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"stream", "ticker", "threads", "bands", NULL};
    PyObject *stream_capsule, *ticker_capsule;
    kanon_propose_options o = {.struct_size = sizeof o};
    int bands = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|ip", names, &stream_capsule, &ticker_capsule, &o.threads, &bands))
        return NULL;
    ticker *t = handle_get(ticker_capsule, TICKER);
    struct ArrowArrayStream stream;
    if (t == NULL || stream_take(&stream, stream_capsule) != 0)
        return NULL;
    o.without_bands = !bands, o.tick = ticker_tick, o.payload = t;
    kanon_proposal *p = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_propose(&p, KANON_STREAM(&stream), &o, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *result = Py_BuildValue("{s:L,s:N,s:N,s:N,s:L,s:N,s:N,s:N}", "records", (long long)p->records, "columns",
                                     column_list(p->columns, p->n_columns), "entity", name_of(p->entity), "key",
                                     name_of(p->key), "k", (long long)p->k, "sets", set_list(p->sets, p->n_sets), "notes",
                                     text_list(p->notes, p->n_notes), "schema", text_of(p->schema));
    kanon_proposal_free(p);
    return result;
}
