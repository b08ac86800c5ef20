/* Groupings: made, described, evaluated and released. */
#include "host.h"

#include <string.h>

/* An option as the library reads it; what is false or nothing is not said. */
static int say(PyObject *said, PyObject *name, PyObject *value)
{
    int given = PyObject_IsTrue(value);
    PyObject *text = given <= 0 ? NULL : value == Py_True ? PyUnicode_FromString("true") : PyObject_Str(value);
    int done = given == 0 ? 0 : text == NULL ? -1 : PyDict_SetItem(said, name, text);
    Py_XDECREF(text);
    return done;
}

int run_options_of(run_options *out, PyObject *keywords, ticker *t)
{
    *out = (run_options){.o = {.struct_size = sizeof out->o}, .texts = PyDict_New()};
    kanon_options *o = &out->o;
    PyObject *name, *value;
    Py_ssize_t place = 0;
    int done = out->texts != NULL ? 0 : -1;
    while (done == 0 && keywords != NULL && PyDict_Next(keywords, &place, &name, &value)) {
        if (PyUnicode_CompareWithASCIIString(name, "settings") == 0)
            done = settings_of(&out->of_algorithm, value);
        else if (PyUnicode_CompareWithASCIIString(name, "refine_settings") == 0)
            done = settings_of(&out->of_refinement, value);
        else if (PyUnicode_CompareWithASCIIString(name, "start") != 0)
            done = say(out->texts, name, value);
        else if (value != Py_None)
            done = (o->start = handle_get(value, GROUPING)) != NULL ? 0 : -1;
    }
    if (done != 0 || settings_of(&out->said, out->texts) != 0) {
        run_options_free(out);
        return -1;
    }
    o->said = out->said.at, o->n_said = out->said.n;
    o->settings = out->of_algorithm.at, o->n_settings = out->of_algorithm.n;
    o->refine_settings = out->of_refinement.at, o->n_refine_settings = out->of_refinement.n;
    if (t != NULL)
        o->tick = ticker_tick, o->payload = t;
    return 0;
}

void run_options_free(run_options *options)
{
    settings_free(&options->of_algorithm);
    settings_free(&options->of_refinement);
    settings_free(&options->said);
    Py_XDECREF(options->texts);
}

PyObject *anonymize(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    PyObject *table_capsule, *ticker_capsule;
    if (!PyArg_ParseTuple(args, "OO", &table_capsule, &ticker_capsule))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    ticker *t = table == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    run_options options;
    if (t == NULL || run_options_of(&options, keywords, t) != 0)
        return NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_anonymize(&grouping, table, &options.o, &err));
    run_options_free(&options);
    return st == KANON_OK ? handle_new(grouping, GROUPING, NULL) : raise_failure(&err);
}

/* grouping_new(table, bytes): a group number of eight bytes for each row. */
PyObject *grouping_new(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *table_capsule;
    const char *bytes;
    Py_ssize_t size;
    if (!PyArg_ParseTuple(args, "Oy#", &table_capsule, &bytes, &size))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    if (table == NULL)
        return NULL;
    if ((int64_t)size != kanon_table_rows(table) * (int64_t)sizeof(int64_t)) {
        PyErr_SetString(PyExc_ValueError, "a group number is needed for each row of the table");
        return NULL;
    }
    int64_t *group_of = PyMem_Malloc((size_t)size + 1);
    if (group_of == NULL)
        return PyErr_NoMemory();
    memcpy(group_of, bytes, (size_t)size); /* the bytes may not be aligned */
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon_grouping_new(&grouping, table, group_of, &err);
    PyMem_Free(group_of);
    return st == KANON_OK ? handle_new(grouping, GROUPING, NULL) : raise_failure(&err);
}

/* grouping_from_release(table, schema, release): records that look alike in a path, bytes or a stream are a group. */
PyObject *grouping_from_release(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *table_capsule, *schema_capsule, *given;
    if (!PyArg_ParseTuple(args, "OOO", &table_capsule, &schema_capsule, &given))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    kanon_schema *schema = table == NULL ? NULL : handle_get(schema_capsule, SCHEMA);
    struct ArrowArrayStream stream = {0};
    kanon_input input;
    if (schema == NULL || input_of(&input, &stream, given, "release") != 0)
        return NULL;
    kanon_grouping *grouping = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_grouping_from_release(&grouping, table, &input, schema, &err));
    return st == KANON_OK ? handle_new(grouping, GROUPING, NULL) : raise_failure(&err);
}

static const kanon_notice *grouping_notice(const void *grouping, size_t i)
{
    return kanon_grouping_notice_at(grouping, i);
}

/* (rows, groups, suppressed, smallest, algorithm, [warning], [note], how many of the warnings, the first ones, are about
 * privacy) */
PyObject *grouping_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    kanon_grouping *g = handle_get(capsule, GROUPING);
    if (g == NULL)
        return NULL;
    const kanon_grouping_info *made = kanon_grouping_describe(g);
    return Py_BuildValue("LLLLzNNi", (long long)made->rows, (long long)made->groups, (long long)made->suppressed,
                         (long long)made->smallest, made->algorithm, notices_of(grouping_notice, g, 0),
                         notices_of(grouping_notice, g, 1), private_notices(grouping_notice, g));
}

/* The group of each row, as bytes of int64. */
PyObject *grouping_rows(PyObject *module, PyObject *capsule)
{
    (void)module;
    kanon_grouping *g = handle_get(capsule, GROUPING);
    if (g == NULL)
        return NULL;
    int64_t rows = kanon_grouping_describe(g)->rows;
    PyObject *bytes = PyBytes_FromStringAndSize(NULL, (Py_ssize_t)(rows * (int64_t)sizeof(int64_t)));
    if (bytes == NULL)
        return NULL;
    char *at = PyBytes_AsString(bytes);
    for (int64_t row = 0; row < rows; row++) {
        int64_t group = kanon_grouping_group_of(g, row);
        memcpy(at + row * (int64_t)sizeof group, &group, sizeof group);
    }
    return bytes;
}

PyObject *measures_list(const kanon_measures *measures)
{
    size_t n = 0;
    while (kanon_measures_at(measures, n) != NULL)
        n++;
    const kanon_figure **figures = PyMem_Calloc(n + 1, sizeof *figures);
    for (size_t i = 0; figures != NULL && i < n; i++)
        figures[i] = kanon_measures_at(measures, i);
    PyObject *list = figures == NULL ? PyErr_NoMemory() : figure_list(figures, n);
    PyMem_Free(figures);
    return list;
}

/* The measures of a grouping, with the proven bound where there is a certificate. */
static kanon_status evaluate_proved(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                                    const kanon_evaluate_options *o, const char *certificate, kanon_error *err)
{
    kanon_status st = kanon_evaluate(out, table, grouping, o, err);
    const kanon_prove_options how = {sizeof how, .threads = o->threads, .tick = o->tick, .payload = o->payload};
    if (st == KANON_OK && certificate != NULL)
        st = kanon_measures_prove(*out, table, grouping, KANON_PATH(certificate), &how, err);
    if (st != KANON_OK) {
        kanon_measures_free(*out);
        *out = NULL;
    }
    return st;
}

PyObject *evaluate(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"table", "grouping", "ticker", "settings", "threads", "brief", "k", "certificate", NULL};
    PyObject *table_capsule, *grouping_capsule, *ticker_capsule, *given = NULL;
    kanon_evaluate_options o = {.struct_size = sizeof o};
    const char *certificate = NULL;
    long long k = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|OipLz", names, &table_capsule, &grouping_capsule, &ticker_capsule,
                                     &given, &o.threads, &o.brief, &k, &certificate))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    kanon_grouping *grouping = table == NULL ? NULL : handle_get(grouping_capsule, GROUPING);
    ticker *t = grouping == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    settings s;
    if (t == NULL || settings_of(&s, given) != 0)
        return NULL;
    o.settings = s.at, o.n_settings = s.n, o.k = k, o.tick = ticker_tick, o.payload = t;
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = evaluate_proved(&measures, table, grouping, &o, certificate, &err));
    settings_free(&s);
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *list = measures_list(measures);
    kanon_measures_free(measures);
    return list;
}

/* advise(table, grouping): [(sentence, topic)] */
PyObject *advise(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *table_capsule, *grouping_capsule;
    if (!PyArg_ParseTuple(args, "OO", &table_capsule, &grouping_capsule))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    kanon_grouping *grouping = table == NULL ? NULL : handle_get(grouping_capsule, GROUPING);
    if (grouping == NULL)
        return NULL;
    kanon_advice *advice = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_advise(&advice, table, grouping, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *list = PyList_New(0);
    const kanon_advice_item *said;
    for (size_t i = 0; list != NULL && (said = kanon_advice_at(advice, i)) != NULL; i++) {
        PyObject *item = Py_BuildValue("Ns", text_of(said->sentence), said->topic != NULL ? said->topic : "");
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    kanon_advice_free(advice);
    return list;
}

/* verdict(table, grouping, shuffle, threads): the rows of the verdict of a release in this order. */
PyObject *verdict(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *table_capsule, *grouping_capsule;
    kanon_output nowhere = {.struct_size = sizeof nowhere}; /* only that there is a release matters */
    kanon_outputs o = {.struct_size = sizeof o, .release = &nowhere};
    if (!PyArg_ParseTuple(args, "OOpi", &table_capsule, &grouping_capsule, &o.shuffle, &o.threads))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    kanon_grouping *grouping = table == NULL ? NULL : handle_get(grouping_capsule, GROUPING);
    if (grouping == NULL)
        return NULL;
    kanon_verdict *found = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_verdict_of(&found, table, grouping, &o, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *rows = verdict_rows(found);
    kanon_verdict_free(found);
    return rows;
}

/* evaluate_release(table, schema, release, ticker): what a release by any tool loses, a path, bytes or a stream. */
PyObject *evaluate_release(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"table", "schema", "release", "ticker", "settings", "k", "threads", NULL};
    PyObject *table_capsule, *schema_capsule, *given_release, *ticker_capsule, *given = NULL;
    kanon_evaluate_options o = {.struct_size = sizeof o};
    long long k = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOO|OLi", names, &table_capsule, &schema_capsule, &given_release,
                                     &ticker_capsule, &given, &k, &o.threads))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    kanon_schema *schema = table == NULL ? NULL : handle_get(schema_capsule, SCHEMA);
    ticker *t = schema == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    struct ArrowArrayStream stream = {0};
    kanon_input input;
    settings s;
    if (t == NULL || settings_of(&s, given) != 0)
        return NULL;
    if (input_of(&input, &stream, given_release, "release") != 0) {
        settings_free(&s);
        return NULL;
    }
    o.settings = s.at, o.n_settings = s.n, o.k = k, o.tick = ticker_tick, o.payload = t;
    kanon_measures *measures = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_evaluate_release(&measures, table, &input, schema, &o, &err));
    settings_free(&s);
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *list = measures_list(measures);
    kanon_measures_free(measures);
    return list;
}

PyObject *release(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"table", "grouping", "ticker", "numeric", "shuffle", "threads", "shuffle_seed", NULL};
    PyObject *table_capsule, *grouping_capsule, *ticker_capsule;
    unsigned long long shuffle_seed = 0;
    kanon_outputs o = {.struct_size = sizeof o};
    int numeric = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOO|ipiK", names, &table_capsule, &grouping_capsule, &ticker_capsule,
                                     &numeric, &o.shuffle, &o.threads, &shuffle_seed))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    kanon_grouping *grouping = table == NULL ? NULL : handle_get(grouping_capsule, GROUPING);
    ticker *t = grouping == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    if (t == NULL)
        return NULL;
    o.shuffle_seed = shuffle_seed;
    o.numeric = (kanon_numeric)numeric, o.tick = ticker_tick, o.payload = t;
    struct ArrowArrayStream stream = {0};
    o.release = KANON_TO_STREAM(&stream);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_publish(table, grouping, &o, &err));
    return st == KANON_OK ? stream_give(&stream) : raise_failure(&err);
}

/* Publish with the proven bound among the figures, where there is a certificate. */
static kanon_status publish_proved(const kanon_table *table, const kanon_grouping *grouping, kanon_outputs *o,
                                   const char *certificate, kanon_error *err)
{
    kanon_evaluate_options how = {.struct_size = sizeof how, .threads = o->threads, .tick = o->tick, .payload = o->payload};
    kanon_measures *measures = NULL;
    kanon_status st = certificate == NULL ? KANON_OK : evaluate_proved(&measures, table, grouping, &how, certificate, err);
    o->measures = measures;
    if (st == KANON_OK)
        st = kanon_publish(table, grouping, o, err);
    kanon_measures_free(measures);
    return st;
}

/* publish(table, grouping, ticker, what, path): `what` is release, groups, report, report_external or codebook. A path
 * that is None: the bytes are returned, in the form that `name` ends in. */
PyObject *publish(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"table",   "grouping", "ticker",  "what",         "path", "name",
                            "numeric", "shuffle",  "threads", "shuffle_seed", "certificate", NULL};
    unsigned long long shuffle_seed = 0;
    PyObject *table_capsule, *grouping_capsule, *ticker_capsule;
    const char *what, *path, *name = "release.csv", *certificate = NULL;
    int numeric = 0;
    kanon_outputs o = {.struct_size = sizeof o};
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OOOsz|sipiKz", names, &table_capsule, &grouping_capsule,
                                     &ticker_capsule, &what, &path, &name, &numeric, &o.shuffle, &o.threads, &shuffle_seed,
                                     &certificate))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    kanon_grouping *grouping = table == NULL ? NULL : handle_get(grouping_capsule, GROUPING);
    ticker *t = grouping == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    if (t == NULL)
        return NULL;
    const struct {
        const char *name;
        const kanon_output **output;
    } places[] = {{"release", &o.release},
                  {"groups", &o.groups},
                  {"report", &o.report},
                  {"report_external", &o.report_external},
                  {"codebook", &o.codebook}};
    size_t at = 0;
    while (at < sizeof places / sizeof places[0] && strcmp(places[at].name, what) != 0)
        at++;
    if (at == sizeof places / sizeof places[0])
        return PyErr_Format(PyExc_ValueError, "there is no output %s", what);
    byte_sink bytes;
    byte_sink_init(&bytes, name);
    const kanon_output to = {
        .struct_size = sizeof to, .location = path, .sink = path == NULL ? &bytes.sink : NULL};
    *places[at].output = &to;
    o.numeric = (kanon_numeric)numeric, o.shuffle_seed = shuffle_seed, o.tick = ticker_tick, o.payload = t;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = publish_proved(table, grouping, &o, certificate, &err));
    if (st != KANON_OK) {
        byte_sink_free(&bytes);
        return raise_failure(&err);
    }
    if (path == NULL)
        return byte_sink_take(&bytes);
    Py_RETURN_NONE;
}
