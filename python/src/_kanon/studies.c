/* Studies of a table: the lower bound and the curve of loss against risk; and what the library has to offer. */
#include "host.h"

PyObject *bound(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"table", "ticker", "k", "seconds", "rounds", "threads", "certificate", NULL};
    PyObject *table_capsule, *ticker_capsule;
    kanon_bound_options o = {.struct_size = sizeof o};
    kanon_output certificate = {.struct_size = sizeof certificate};
    long long k = 0, rounds = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|LdLiz", names, &table_capsule, &ticker_capsule, &k, &o.seconds,
                                     &rounds, &o.threads, &certificate.location))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    ticker *t = table == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    if (t == NULL)
        return NULL;
    o.certificate = certificate.location != NULL ? &certificate : NULL;
    o.k = k, o.rounds = rounds, o.tick = ticker_tick, o.payload = t;
    kanon_lower_bound *b = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_bound(&b, table, &o, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *result = Py_BuildValue("{s:L,s:L,s:d,s:d,s:L,s:O}", "records", (long long)b->records, "k", (long long)b->k,
                                     "lower_bound", b->lower_bound, "neighbour_bound", b->neighbour_bound, "rounds",
                                     (long long)b->rounds, "stopped", b->stopped ? Py_True : Py_False);
    kanon_lower_bound_free(b);
    return result;
}

/* certificate_check(table, certificate, ticker, threads): whether the file at a path, or its bytes, prove what they
 * claim. */
PyObject *certificate_check(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *table_capsule, *given, *ticker_capsule;
    int threads = 0;
    if (!PyArg_ParseTuple(args, "OOOi", &table_capsule, &given, &ticker_capsule, &threads))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    ticker *t = table == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    kanon_input input;
    if (t == NULL || input_of(&input, NULL, given, "certificate") != 0)
        return NULL;
    const kanon_prove_options how = {sizeof how, .threads = threads, .tick = ticker_tick, .payload = t};
    kanon_certificate found = {.struct_size = sizeof found};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_certificate_check(&found, table, &input, &how, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    return Py_BuildValue("{s:L,s:L,s:d,s:O,s:N}", "records", (long long)found.records, "k", (long long)found.k,
                         "lower_bound", found.lower_bound, "holds", found.holds ? Py_True : Py_False, "reason",
                         text_of(found.reason));
}

/* {"settings": {name: value}, "result": text, "from_k": k, "figures": [...]} */
static PyObject *point_result(const kanon_curve_point *point)
{
    PyObject *place = PyDict_New(), *figures = NULL;
    for (size_t i = 0; place != NULL && i < point->n_settings; i++) {
        PyObject *value = PyUnicode_FromString(point->settings[i].value);
        if (value == NULL || PyDict_SetItemString(place, point->settings[i].name, value) != 0)
            Py_CLEAR(place);
        Py_XDECREF(value);
    }
    if (place != NULL)
        figures = figure_list(point->figures, point->n_figures);
    if (place == NULL || figures == NULL) {
        Py_XDECREF(place);
        Py_XDECREF(figures);
        return PyErr_Occurred() ? NULL : PyErr_NoMemory();
    }
    return Py_BuildValue("{s:N,s:s,s:L,s:N}", "settings", place, "result",
                         kanon_enum_text(KANON_ENUM_POINT_RESULT, point->result), "from_k", (long long)point->from_k,
                         "figures", figures);
}

PyObject *tradeoff(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"table",  "ticker", "k",       "suppress", "algorithm", "settings",
                            "effort", "seed",   "threads", "plot",     "refine",    "measure_settings",
                            NULL};
    PyObject *table_capsule, *ticker_capsule, *given = NULL, *of_measures = NULL;
    kanon_tradeoff_options o = {.struct_size = sizeof o};
    kanon_output plot = {.struct_size = sizeof plot};
    unsigned long long seed = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OO|zzzOzKizzO", names, &table_capsule, &ticker_capsule, &o.k,
                                     &o.suppress, &o.algorithm, &given, &o.effort, &seed, &o.threads, &plot.location,
                                     &o.refine, &of_measures))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    ticker *t = table == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    settings s, measured;
    if (t == NULL || settings_of(&s, given) != 0)
        return NULL;
    if (settings_of(&measured, of_measures) != 0) {
        settings_free(&s);
        return NULL;
    }
    o.plot = plot.location != NULL ? &plot : NULL;
    o.measure_settings = measured.at, o.n_measure_settings = measured.n;
    o.settings = s.at, o.n_settings = s.n, o.seed = seed, o.tick = ticker_tick, o.payload = t;
    kanon_curve *curve = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_tradeoff(&curve, table, &o, &err));
    settings_free(&s);
    settings_free(&measured);
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && kanon_curve_at(curve, i) != NULL; i++) {
        PyObject *item = point_result(kanon_curve_at(curve, i));
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    kanon_curve_free(curve);
    return list;
}

/* [(name, brief)] of a list of the library; NULL: failed. */
static PyObject *entries(kanon_catalogue which)
{
    const kanon_entry *entry;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (entry = kanon_catalogue_at(which, i)) != NULL; i++) {
        PyObject *row = Py_BuildValue("ss", entry->name, entry->brief);
        if (row == NULL || PyList_Append(list, row) != 0)
            Py_CLEAR(list);
        Py_XDECREF(row);
    }
    return list;
}

/* {"algorithms": [(name, brief)], "refinements": ..., "models": ..., "measures": ...} */
PyObject *catalogue(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    static const struct {
        const char *name;
        kanon_catalogue which;
    } lists[] = {{"algorithms", KANON_CATALOGUE_ALGORITHM},
                 {"refinements", KANON_CATALOGUE_REFINEMENT},
                 {"models", KANON_CATALOGUE_MODEL},
                 {"measures", KANON_CATALOGUE_MEASURE}};
    PyObject *all = PyDict_New();
    for (size_t i = 0; all != NULL && i < sizeof lists / sizeof *lists; i++) {
        PyObject *list = entries(lists[i].which);
        if (list == NULL || PyDict_SetItemString(all, lists[i].name, list) != 0)
            Py_CLEAR(all);
        Py_XDECREF(list);
    }
    return all;
}
