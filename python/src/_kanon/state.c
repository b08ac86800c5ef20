/* States: tables that change, kept in a file of their own. */
#include "host.h"

#include <math.h>
#include <string.h>

PyObject *state_create(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"path", "table", "schema", "grouping", "ticker", "joint_k", "released", NULL};
    PyObject *table_capsule, *schema_capsule, *grouping_capsule, *ticker_capsule;
    const char *path;
    long long joint_k = 0;
    int released = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "sOOOO|Lp", names, &path, &table_capsule, &schema_capsule,
                                     &grouping_capsule, &ticker_capsule, &joint_k, &released))
        return NULL;
    kanon_table *table = handle_get(table_capsule, TABLE);
    kanon_schema *schema = table == NULL ? NULL : handle_get(schema_capsule, SCHEMA);
    kanon_grouping *grouping = schema == NULL ? NULL : handle_get(grouping_capsule, GROUPING);
    ticker *t = grouping == NULL ? NULL : handle_get(ticker_capsule, TICKER);
    if (t == NULL)
        return NULL;
    kanon_state_options o = {
        .struct_size = sizeof o, .tick = ticker_tick, .payload = t, .joint_k = joint_k, .released = released};
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_state_create(path, table, schema, grouping, NULL, &o, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    Py_RETURN_NONE;
}

/* state_open(path, wait_seconds, ticker) */
PyObject *state_open(PyObject *module, PyObject *args)
{
    (void)module;
    const char *path;
    kanon_state_options o = {.struct_size = sizeof o};
    PyObject *ticker_capsule;
    if (!PyArg_ParseTuple(args, "siO", &path, &o.wait_seconds, &ticker_capsule))
        return NULL;
    o.tick = ticker_tick;
    o.payload = handle_get(ticker_capsule, TICKER);
    if (o.payload == NULL)
        return NULL;
    kanon_state *state = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_state_open(&state, path, &o, &err));
    return st == KANON_OK ? handle_new(state, STATE, ticker_capsule) : raise_failure(&err);
}

static PyObject *number_or_none(double value)
{
    if (isnan(value))
        Py_RETURN_NONE;
    return PyFloat_FromDouble(value);
}

static PyObject *change_result(const kanon_change *c)
{
    return Py_BuildValue(
        "{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:O,s:L,s:L,s:L,s:s,s:s,s:N,s:N}", "changed", (long long)c->changed,
        "splits", (long long)c->splits, "dispersed", (long long)c->dispersed, "records", (long long)c->records, "groups",
        (long long)c->groups, "suppressed", (long long)c->suppressed, "k", (long long)c->k, "release", (long long)c->release,
        "withheld", (long long)c->withheld, "repaired", (long long)c->repaired, "joint_k", (long long)c->joint_k,
        "joint_required", c->joint_required ? Py_True : Py_False, "joint_smallest", (long long)c->joint_smallest,
        "joint_below", (long long)c->joint_below, "joint_made_below", (long long)c->joint_made_below, "question",
        c->question, "privacy", c->privacy, "loss_before", number_or_none(c->loss_before), "loss", number_or_none(c->loss));
}

static kanon_status change(kanon_state *state, const char *what, const char *refine, struct ArrowArrayStream *delta,
                           const kanon_change_options *o, kanon_change *out, kanon_error *err)
{
    static const char *const kinds[] = {"insert", "delete", "update"};
    for (int kind = KANON_INSERT; kind <= KANON_UPDATE; kind++)
        if (strcmp(what, kinds[kind]) == 0)
            return kanon_state_change(state, (kanon_change_kind)kind, KANON_STREAM(delta), o, out, err);
    if (strcmp(what, "improve") == 0)
        return kanon_state_improve(state, refine, o, out, err);
    return kanon_state_release(state, o, out, err);
}

/* state_change(state, what, stream): what the state is then; with a path or `want_release`, (that, bytes of the release). */
PyObject *state_change(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"state",   "what",  "stream",  "grow_taxonomy", "joint_k", "path", "want_release",
                            "numeric", "again", "shuffle", "shuffle_seed",  "effort",  "refine", NULL};
    PyObject *state_capsule, *stream_capsule = Py_None;
    const char *what, *path = NULL, *refine = NULL;
    kanon_change_options o = {.struct_size = sizeof o};
    kanon_outputs outputs = {.struct_size = sizeof outputs};
    long long joint_k = 0;
    int want_release = 0, numeric = 0;
    unsigned long long shuffle_seed = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "OsO|pLzpippKzz", names, &state_capsule, &what, &stream_capsule,
                                     &o.grow_taxonomy, &joint_k, &path, &want_release, &numeric, &o.again, &outputs.shuffle,
                                     &shuffle_seed, &o.effort, &refine))
        return NULL;
    kanon_state *state = handle_get(state_capsule, STATE);
    struct ArrowArrayStream stream = {0};
    if (state == NULL || (stream_capsule != Py_None && stream_take(&stream, stream_capsule) != 0))
        return NULL;
    byte_sink bytes;
    byte_sink_init(&bytes, "release.csv");
    const kanon_output to = {.struct_size = sizeof to, .location = path, .sink = path == NULL ? &bytes.sink : NULL};
    outputs.release = &to;
    outputs.numeric = (kanon_numeric)numeric;
    outputs.shuffle_seed = shuffle_seed;
    o.joint_k = joint_k;
    o.outputs = path != NULL || want_release ? &outputs : NULL;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = change(state, what, refine, &stream, &o, &done, &err));
    if (st != KANON_OK) {
        byte_sink_free(&bytes);
        return raise_failure(&err);
    }
    return Py_BuildValue("NN", change_result(&done), byte_sink_take(&bytes));
}

/* state_release(state, numeric, joint_k, shuffle_seed...): (what the state is then, a capsule of the stream). */
PyObject *state_release(PyObject *module, PyObject *args, PyObject *keywords)
{
    (void)module;
    static char *names[] = {"state", "numeric", "joint_k", "shuffle", "shuffle_seed", NULL};
    PyObject *capsule;
    kanon_change_options o = {.struct_size = sizeof o};
    struct ArrowArrayStream stream = {0};
    kanon_outputs form = {.struct_size = sizeof form, .release = KANON_TO_STREAM(&stream)};
    int numeric = 0;
    long long joint_k = 0;
    unsigned long long shuffle_seed = 0;
    if (!PyArg_ParseTupleAndKeywords(args, keywords, "O|iLpK", names, &capsule, &numeric, &joint_k, &form.shuffle,
                                     &shuffle_seed))
        return NULL;
    kanon_state *state = handle_get(capsule, STATE);
    if (state == NULL)
        return NULL;
    o.joint_k = joint_k, o.outputs = &form;
    form.numeric = (kanon_numeric)numeric, form.shuffle_seed = shuffle_seed;
    kanon_change done = KANON_INIT(kanon_change);
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_state_release(state, &o, &done, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *given = stream_give(&stream);
    return given == NULL ? NULL : Py_BuildValue("NN", change_result(&done), given);
}

PyObject *state_describe(PyObject *module, PyObject *capsule)
{
    (void)module;
    kanon_state *state = handle_get(capsule, STATE);
    if (state == NULL)
        return NULL;
    kanon_state_info *i = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_state_describe(&i, state, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *result = Py_BuildValue("{s:s,s:z,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:N}", "program", i->program, "algorithm",
                                     i->algorithm, "joint_k", (long long)i->joint_k, "k_asked", (long long)i->k_asked, "k",
                                     (long long)i->k, "records", (long long)i->records, "groups", (long long)i->groups,
                                     "suppressed", (long long)i->suppressed, "departed", (long long)i->departed, "releases",
                                     (long long)i->n_releases, "loss", number_or_none(i->loss));
    kanon_state_info_free(i);
    return result;
}

/* state_audit(state, k) */
PyObject *state_audit(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    long long k = 0;
    if (!PyArg_ParseTuple(args, "OL", &capsule, &k))
        return NULL;
    kanon_state *state = handle_get(capsule, STATE);
    if (state == NULL)
        return NULL;
    kanon_audit *a = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_state_audit(&a, state, k, &err));
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *result = Py_BuildValue("{s:L,s:L,s:L,s:L,s:L,s:L,s:L,s:L}", "releases", (long long)a->releases, "records",
                                     (long long)a->records, "departed", (long long)a->departed, "classes",
                                     (long long)a->classes, "smallest", (long long)a->smallest, "k", (long long)a->k,
                                     "below", (long long)a->below, "classes_below", (long long)a->classes_below);
    kanon_audit_free(a);
    return result;
}
