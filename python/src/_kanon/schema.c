/* Schemas: what the package was told about columns and requirements. */
#include "host.h"

#include <stdbool.h>
#include <string.h>

/* schema_new(path, text): the schema in the file or the text of YAML; both None: an empty one. */
PyObject *schema_new(PyObject *module, PyObject *args)
{
    (void)module;
    const char *path = NULL, *text = NULL;
    Py_ssize_t size = 0;
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st;
    if (!PyArg_ParseTuple(args, "z|z#", &path, &text, &size))
        return NULL;
    if (text != NULL)
        st = kanon_schema_read(&schema, KANON_BYTES_AS(text, (size_t)size, "schema"), NULL, &err);
    else if (path != NULL)
        st = kanon_schema_read(&schema, KANON_PATH(path), NULL, &err);
    else
        st = kanon_schema_new(&schema, NULL, &err);
    return st == KANON_OK ? handle_new(schema, SCHEMA, NULL) : raise_failure(&err);
}

/* schema_set(schema, name, column, value): `value` (None: nothing any more) of the key `name`, of a column or, where it is
 * None, of the whole; the key "tree" is a taxonomy as text. */
PyObject *schema_set(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *name, *column, *value;
    Py_ssize_t size;
    kanon_error err = KANON_INIT(kanon_error);
    if (!PyArg_ParseTuple(args, "Oszz#", &capsule, &name, &column, &value, &size))
        return NULL;
    kanon_schema *schema = handle_get(capsule, SCHEMA);
    if (schema == NULL)
        return NULL;
    bool is_tree = strcmp(name, "tree") == 0;
    if (value != NULL && strlen(value) != (size_t)size && !is_tree)
        return PyErr_Format(PyExc_ValueError, "the %s has a character of code 0", name);
    kanon_status st =
        is_tree ? kanon_schema_set_taxonomy(schema, column, KANON_BYTES_AS(value, (size_t)size, "taxonomy"), &err)
                : kanon_schema_set(schema, column, name, value, &err);
    if (st != KANON_OK)
        return raise_failure(&err);
    Py_RETURN_NONE;
}

/* schema_get(schema, name, column): what is said, or None. */
PyObject *schema_get(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *name, *column;
    if (!PyArg_ParseTuple(args, "Osz", &capsule, &name, &column))
        return NULL;
    const kanon_schema *schema = handle_get(capsule, SCHEMA);
    if (schema == NULL)
        return NULL;
    const char *text = kanon_schema_get(schema, column, name);
    if (text == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "surrogateescape"); /* paths can have any bytes */
}
