/* Tables from Arrow streams, and checks of releases, which are streams as well. */
#include "host.h"

#include <string.h>

PyObject *table_import(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"schema", "stream", "ticker", "threads", "strict", "memory", "domain", NULL};
    PyObject *schema_capsule, *stream_capsule, *ticker_capsule, *domain_capsule = Py_None;
    int threads = 0, strict = 1;
    long long memory = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|ipLO", names, &schema_capsule, &stream_capsule, &ticker_capsule,
                                     &threads, &strict, &memory, &domain_capsule))
        return NULL;
    kanon_schema *schema = handle_get(schema_capsule, SCHEMA);
    ticker *t = schema == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    kanon_domain *domain = t == NULL || domain_capsule == Py_None ? NULL : handle_get(domain_capsule, PIECE);
    if (domain == NULL && domain_capsule != Py_None)
        return NULL;
    struct ArrowArrayStream stream;
    if (t == NULL || stream_take(&stream, stream_capsule) != 0)
        return NULL;
    kanon_read_options options = {.struct_size = sizeof options,
                                  .strict = strict,
                                  .threads = threads,
                                  .memory = memory,
                                  .domain = domain,
                                  .tick = ticker_tick,
                                  .payload = t};
    kanon_table *table = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_table_read(&table, KANON_STREAM(&stream), schema, &options, &err));
    return st == KANON_OK ? handle_new(table, TABLE, NULL) : raise_failure(&err);
}

static const kanon_notice *table_notice(const void *table, size_t i)
{
    return kanon_table_notice_at(table, i);
}

/* (rows, [(name, role, type)], [warning], how many of them, the first ones, are about privacy) */
PyObject *table_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    kanon_table *table = handle_get(capsule, TABLE);
    PyObject *columns = table == NULL ? NULL : PyList_New(0);
    const kanon_table_column *column;
    for (size_t i = 0; columns != NULL && (column = kanon_table_column_at(table, i)) != NULL; i++) {
        PyObject *item = Py_BuildValue("sss", column->name, kanon_enum_text(KANON_ENUM_ROLE, column->role),
                                       kanon_enum_text(KANON_ENUM_TYPE, column->type));
        if (item == NULL || PyList_Append(columns, item) != 0)
            Py_CLEAR(columns);
        Py_XDECREF(item);
    }
    if (columns == NULL)
        return NULL;
    return Py_BuildValue("LNNi", (long long)kanon_table_rows(table), columns, notices_of(table_notice, table, 0),
                         private_notices(table_notice, table));
}

static PyObject *constraint_list(const kanon_constraint_status *const *at, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *item = Py_BuildValue("{s:s,s:d,s:d,s:O}", "requirement", at[i]->sentence, "asked", at[i]->asked, "reached",
                                       at[i]->reached, "holds", at[i]->holds ? Py_True : Py_False);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *privacy_list(const kanon_privacy_figure *const *at, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *item = Py_BuildValue("{s:s,s:s,s:s,s:d}", "model", at[i]->model, "attribute", at[i]->attribute, "figure",
                                       at[i]->figure, "value", at[i]->value);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *finding_list(const kanon_finding *const *at, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *item = Py_BuildValue("{s:s,s:z,s:z,s:L,s:s,s:s}", "name", at[i]->name, "column", at[i]->column, "other",
                                       at[i]->other, "count", (long long)at[i]->count, "mark",
                                       kanon_enum_text(KANON_ENUM_MARK, (int)at[i]->mark), "sentence", at[i]->sentence);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *compared_list(const kanon_figure *const *at, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        PyObject *item = Py_BuildValue("{s:s,s:z,s:d,s:s}", "name", at[i]->name, "column", at[i]->attribute, "value",
                                       at[i]->value, "formula", at[i]->formula);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyObject *check_result(const kanon_check *c)
{
    return Py_BuildValue(
        "{s:L,s:L,s:L,s:L,s:d,s:d,s:d,s:d,s:d,s:L,s:L,s:i,s:O,s:O,s:N,s:N,s:N,s:N,s:N,s:N,s:N,s:N}", "records",
        (long long)c->records, "suppressed", (long long)c->suppressed, "classes", (long long)c->classes, "k",
        (long long)c->k, "average_class_size", c->average_class_size, "highest_risk", c->highest_risk, "average_risk",
        c->average_risk, "share_at_risk", c->share_at_risk, "singled_out_all", c->singled_out_all, "entities",
        (long long)c->entities, "k_asked", (long long)c->k_asked, "identifying_columns", c->identifying_columns, "asked",
        c->asked ? Py_True : Py_False, "holds", c->holds ? Py_True : Py_False, "figures",
        privacy_list(c->figures, c->n_figures), "constraints", constraint_list(c->constraints, c->n_constraints), "warnings",
        text_list(c->warnings, c->n_warnings), "violated", text_list(c->violated, c->n_violated), "not_shown",
        text_list(c->not_shown, c->n_not_shown), "verdict", verdict_rows(c->verdict), "findings",
        finding_list(c->findings, c->n_findings), "compared", compared_list(c->compared, c->n_compared));
}

/* The tables that a release is compared with: each a path, bytes or a stream; and the texts of a key. */
typedef struct others {
    Py_ssize_t n_earlier, n_key;
    kanon_input original, population, *earlier;
    const kanon_input **list;
    const char **key;
    struct ArrowArrayStream streams[2], *earlier_streams;
} others;

static void others_free(others *o)
{
    for (int i = 0; i < 2; i++)
        if (o->streams[i].release != NULL)
            WITHOUT_GIL(o->streams[i].release(&o->streams[i]));
    for (Py_ssize_t i = 0; o->earlier_streams != NULL && i < o->n_earlier; i++)
        if (o->earlier_streams[i].release != NULL)
            WITHOUT_GIL(o->earlier_streams[i].release(&o->earlier_streams[i]));
    PyMem_Free(o->earlier_streams);
    PyMem_Free(o->earlier);
    PyMem_Free(o->list);
    PyMem_Free(o->key);
}

static int others_take(others *o, kanon_check_options *options, PyObject *original, PyObject *earlier, PyObject *population,
                       PyObject *key)
{
    o->n_earlier = earlier != NULL ? PyList_Size(earlier) : 0;
    o->n_key = key != NULL ? PyList_Size(key) : 0;
    if (o->n_earlier < 0 || o->n_key < 0)
        return -1;
    o->earlier = PyMem_Calloc((size_t)o->n_earlier + 1, sizeof *o->earlier);
    o->earlier_streams = PyMem_Calloc((size_t)o->n_earlier + 1, sizeof *o->earlier_streams);
    o->list = PyMem_Calloc((size_t)o->n_earlier + 1, sizeof *o->list);
    o->key = PyMem_Calloc((size_t)o->n_key + 1, sizeof *o->key);
    if (o->earlier == NULL || o->earlier_streams == NULL || o->list == NULL || o->key == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (original != NULL && original != Py_None) {
        if (input_of(&o->original, &o->streams[0], original, "original") != 0)
            return -1;
        options->original = &o->original;
    }
    if (population != NULL && population != Py_None) {
        if (input_of(&o->population, &o->streams[1], population, "population") != 0)
            return -1;
        options->population = &o->population;
    }
    for (Py_ssize_t i = 0; i < o->n_earlier; i++) {
        if (input_of(&o->earlier[i], &o->earlier_streams[i], PyList_GetItem(earlier, i), "earlier release") != 0)
            return -1;
        o->list[i] = &o->earlier[i];
    }
    for (Py_ssize_t i = 0; i < o->n_key; i++)
        if ((o->key[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(key, i), NULL)) == NULL)
            return -1;
    options->earlier = o->list, options->n_earlier = (size_t)o->n_earlier;
    options->key = o->key, options->n_key = (size_t)o->n_key;
    return 0;
}

PyObject *check(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"schema",   "stream",  "ticker",     "k",  "risk_threshold",
                            "original", "earlier", "population", "key", NULL};
    PyObject *schema_capsule, *stream_capsule, *ticker_capsule, *original = NULL, *earlier = NULL, *population = NULL;
    PyObject *key = NULL;
    long long k = 0;
    double risk_threshold = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|LdOOOO", names, &schema_capsule, &stream_capsule, &ticker_capsule,
                                     &k, &risk_threshold, &original, &earlier, &population, &key))
        return NULL;
    kanon_schema *schema = handle_get(schema_capsule, SCHEMA);
    ticker *t = schema == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    struct ArrowArrayStream stream = {0};
    kanon_check_options options = {
        .struct_size = sizeof options, .k = k, .risk_threshold = risk_threshold, .tick = ticker_tick, .payload = t};
    others o = {0};
    PyObject *result = NULL;
    if (t == NULL || others_take(&o, &options, original, earlier, population, key) != 0 ||
        stream_take(&stream, stream_capsule) != 0) {
        others_free(&o);
        return NULL;
    }
    kanon_check *found = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_check_read(&found, KANON_STREAM(&stream), schema, &options, &err));
    others_free(&o);
    if (st != KANON_OK)
        return raise_failure(&err);
    result = check_result(found);
    kanon_check_free(found);
    return result;
}
