/* Taxonomies as documents: read, made from a column, counted, checked and written in another form. */
#include "host.h"

/* The column of a table, which is a path or the bytes of a CSV file (or None), and what means "no value" there. */
typedef struct column {
    kanon_column_options o;
    kanon_input table;
    const char **missing;
} column;

static void column_clear(column *c)
{
    PyMem_Free(c->missing);
}

/* 0, or -1 with the exception set. `schema` may be None; the texts live as long as the arguments. */
static int column_of(column *c, PyObject *table, const char *name, PyObject *missing, int empty_is_value, PyObject *schema)
{
    *c = (column){.o = {.struct_size = sizeof c->o, .column = name, .empty_is_value = empty_is_value}};
    if ((table != Py_None && input_of(&c->table, NULL, table, "table") != 0) ||
        (schema != Py_None && (c->o.schema = handle_get(schema, SCHEMA)) == NULL))
        return -1;
    Py_ssize_t n = PyList_Size(missing);
    c->missing = n < 0 ? NULL : PyMem_Calloc((size_t)n + 1, sizeof *c->missing);
    for (Py_ssize_t i = 0; c->missing != NULL && i < n; i++)
        if ((c->missing[i] = PyUnicode_AsUTF8AndSize(PyList_GetItem(missing, i), NULL)) == NULL) {
            column_clear(c);
            return -1;
        }
    if (c->missing == NULL && !PyErr_Occurred())
        PyErr_NoMemory();
    c->o.missing = c->missing, c->o.n_missing = n < 0 ? 0 : (size_t)n;
    return c->missing == NULL ? -1 : 0;
}

/* taxonomy_read(source, form): a path or bytes. */
PyObject *taxonomy_read(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *given;
    int form;
    kanon_input input;
    if (!PyArg_ParseTuple(args, "Oi", &given, &form) || input_of(&input, NULL, given, "taxonomy") != 0)
        return NULL;
    kanon_taxonomy *taxonomy = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_taxonomy_read(&taxonomy, &input, (kanon_taxonomy_form)form, NULL, &err));
    return st == KANON_OK ? handle_new(taxonomy, TAXONOMY, NULL) : raise_failure(&err);
}

/* taxonomy_build(table, column, method, levels, missing, empty_is_value, schema) */
PyObject *taxonomy_build(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *table, *missing, *schema;
    const char *name, *levels;
    int method, empty_is_value;
    column c;
    if (!PyArg_ParseTuple(args, "OsisOpO", &table, &name, &method, &levels, &missing, &empty_is_value, &schema) ||
        column_of(&c, table, name, missing, empty_is_value, schema) != 0)
        return NULL;
    kanon_taxonomy *taxonomy = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_taxonomy_build(&taxonomy, &c.table, &c.o, (kanon_taxonomy_method)method, levels, NULL, &err));
    column_clear(&c);
    return st == KANON_OK ? handle_new(taxonomy, TAXONOMY, NULL) : raise_failure(&err);
}

/* taxonomy_count(taxonomy, table, column, missing, empty_is_value, schema): how many records have a value that is no
 * leaf. */
PyObject *taxonomy_count(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule, *table, *missing, *schema;
    const char *name;
    int empty_is_value;
    column c;
    if (!PyArg_ParseTuple(args, "OOsOpO", &capsule, &table, &name, &missing, &empty_is_value, &schema))
        return NULL;
    kanon_taxonomy *taxonomy = handle_get(capsule, TAXONOMY);
    if (taxonomy == NULL || column_of(&c, table, name, missing, empty_is_value, schema) != 0)
        return NULL;
    int64_t unknown = 0;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_taxonomy_count(taxonomy, &c.table, &c.o, &unknown, &err));
    column_clear(&c);
    return st == KANON_OK ? PyLong_FromLongLong((long long)unknown) : raise_failure(&err);
}

/* [(name, parent, depth, leaves, records)], depth first; records -1: not counted. */
PyObject *taxonomy_nodes(PyObject *module, PyObject *capsule)
{
    (void)module;
    kanon_taxonomy *taxonomy = handle_get(capsule, TAXONOMY);
    PyObject *list = taxonomy == NULL ? NULL : PyList_New(0);
    for (int32_t i = 0; list != NULL && i < kanon_taxonomy_nodes(taxonomy); i++) {
        kanon_taxonomy_node node = {.struct_size = sizeof node};
        kanon_error err = KANON_INIT(kanon_error);
        PyObject *item = kanon_taxonomy_get(&node, taxonomy, i, &err) != KANON_OK
                             ? raise_failure(&err)
                             : Py_BuildValue("NiiiL", text_of(node.name), (int)node.parent, (int)node.depth,
                                             (int)node.leaves, (long long)node.records);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* taxonomy_write(taxonomy, path, form): a path that is None: the bytes are returned. */
PyObject *taxonomy_write(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *path;
    int form;
    if (!PyArg_ParseTuple(args, "Ozi", &capsule, &path, &form))
        return NULL;
    kanon_taxonomy *taxonomy = handle_get(capsule, TAXONOMY);
    if (taxonomy == NULL)
        return NULL;
    byte_sink bytes;
    byte_sink_init(&bytes, "taxonomy.csv");
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    const kanon_output output = {.struct_size = sizeof output, .location = path, .sink = path == NULL ? &bytes.sink : NULL};
    WITHOUT_GIL(st = kanon_taxonomy_write(taxonomy, &output, (kanon_taxonomy_form)form, &err));
    if (st != KANON_OK) {
        byte_sink_free(&bytes);
        return raise_failure(&err);
    }
    if (path == NULL)
        return byte_sink_take(&bytes);
    Py_RETURN_NONE;
}

static PyObject *finding_list(const kanon_taxonomy_finding *const *at, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        const kanon_taxonomy_finding *f = at[i];
        PyObject *item = Py_BuildValue("{s:s,s:s,s:L,s:L,s:O,s:O}", "name", f->name, "sentence", f->sentence, "count",
                                       (long long)f->count, "line", (long long)f->line, "in_table",
                                       f->in_table ? Py_True : Py_False, "is_error", f->is_error ? Py_True : Py_False);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* taxonomy_check(source, form, table, column, missing, empty_is_value, schema): what is wrong with it; table may be None. */
PyObject *taxonomy_check(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *given, *table, *missing, *schema;
    const char *name;
    int form, empty_is_value;
    kanon_input input;
    column c;
    if (!PyArg_ParseTuple(args, "OiOzOpO", &given, &form, &table, &name, &missing, &empty_is_value, &schema) ||
        input_of(&input, NULL, given, "taxonomy") != 0 ||
        column_of(&c, table, name, missing, empty_is_value, schema) != 0)
        return NULL;
    kanon_taxonomy_check *found = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    WITHOUT_GIL(st = kanon_taxonomy_check_read(&found, &input, (kanon_taxonomy_form)form, table == Py_None ? NULL : &c.table,
                                               &c.o, NULL, &err));
    column_clear(&c);
    if (st != KANON_OK)
        return raise_failure(&err);
    PyObject *result = Py_BuildValue("{s:L,s:L,s:i,s:N}", "lines", (long long)found->lines, "leaves",
                                     (long long)found->leaves, "errors", found->errors, "findings",
                                     finding_list(found->findings, found->n));
    kanon_taxonomy_check_free(found);
    return result;
}
