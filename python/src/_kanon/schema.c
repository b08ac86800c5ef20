/* Schemas: what the package was told about columns and requirements, setter by setter. */
#include "host.h"

#include <stdlib.h>

#include <string.h>

/* schema_new(path, text): the schema in the file or the text of YAML; both None: an empty one. */
PyObject *schema_new(PyObject *module, PyObject *args)
{
    (void)module;
    const char *path = NULL, *text = NULL;
    Py_ssize_t size = 0;
    kanon_schema *schema = NULL;
    kanon_error err = {0};
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

typedef kanon_status (*set_function)(kanon_schema *schema, const char *column, const char *value, Py_ssize_t size,
                                     kanon_error *err);

static kanon_status unknown(const char *value, const char *what, kanon_error *err)
{
    (void)value; /* may be a cell by mistake */
    err->status = KANON_EINVAL;
    PyOS_snprintf(err->message, sizeof err->message, "no such %s", what);
    return KANON_EINVAL;
}

static kanon_status role_of(kanon_role *out, const char *text, kanon_error *err)
{
    int role = kanon_enum_value(KANON_ENUM_ROLE, text);
    *out = (kanon_role)role;
    return role >= 0 ? KANON_OK : unknown(text, "role", err);
}

static kanon_status set_role(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    kanon_role role;
    kanon_status st = role_of(&role, value, err);
    if (st != KANON_OK)
        return st;
    return column == NULL ? kanon_schema_set_default_role(s, role, err) : kanon_schema_set_role(s, column, role, err);
}

static kanon_status set_type(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    int type = kanon_enum_value(KANON_ENUM_TYPE, value);
    return type > KANON_TYPE_UNKNOWN ? kanon_schema_set_type(s, column, (kanon_type)type, err)
                                     : unknown(value, "type: integer, decimal, date, categorical or ordinal", err);
}

static kanon_status set_weight(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    return kanon_schema_set_weight(s, column, PyOS_string_to_double(value, NULL, NULL), err);
}

static kanon_status set_taxonomy(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    return kanon_schema_set_taxonomy(s, column, KANON_PATH(value), err);
}

static kanon_status set_tree(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    return kanon_schema_set_taxonomy(s, column, KANON_BYTES_AS(value, (size_t)size, "taxonomy"), err);
}

static kanon_status set_mask(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    if (strcmp(value, "right") == 0)
        return kanon_schema_set_mask(s, column, KANON_MASK_RIGHT, err);
    if (strcmp(value, "left") == 0)
        return kanon_schema_set_mask(s, column, KANON_MASK_LEFT, err);
    return unknown(value, "mask: right or left", err);
}

static kanon_status set_bands(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    return kanon_schema_set_bands(s, column, value, err);
}

static kanon_status set_top(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    return kanon_schema_set_top(s, column, value, err);
}

static kanon_status set_bottom(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    return kanon_schema_set_bottom(s, column, value, err);
}

static kanon_status set_format(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    return kanon_schema_set_format(s, column, value, err);
}

/* Two characters: the decimal separator and the one between thousands, each "-" where it is not said. */
static kanon_status set_separators(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    if (size != 2)
        return unknown(value, "separator: one character", err);
    return kanon_schema_set_separators(s, column, (char)(value[0] == '-' ? 0 : value[0]),
                                       (char)(value[1] == '-' ? 0 : value[1]), err);
}

static kanon_status add_missing(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)column, (void)size;
    return kanon_schema_add_missing(s, value, err);
}

static kanon_status set_empty(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)column, (void)size;
    int is_value = strcmp(value, "value") == 0;
    if (!is_value && strcmp(value, "missing") != 0)
        return unknown(value, "empty: missing or value", err);
    return kanon_schema_set_empty(s, is_value, err);
}

static kanon_status add_same(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    return kanon_schema_add_same(s, column != NULL ? column : "", value, err);
}

static kanon_status add_constraint(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)column, (void)size;
    return kanon_schema_add_constraint(s, value, err);
}

static kanon_status set_entity(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)size;
    return kanon_schema_set_entity(s, column, strcmp(value, "together") == 0, err);
}

static kanon_status set_suppress(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)column, (void)size;
    return kanon_schema_set_suppress(s, value, err);
}

static kanon_status set_suppressed(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)column, (void)size;
    return kanon_schema_set_suppressed(s, value, err);
}

/* A text with line feeds as the lines in it: pointers, and behind them the lines; NULL: no memory. */
static const char **split_lines(const char *value, Py_ssize_t size, size_t *n, kanon_error *err)
{
    size_t most = 1;
    for (Py_ssize_t i = 0; i < size; i++)
        most += value[i] == '\n';
    const char **lines = malloc(most * sizeof *lines + (size_t)size + 1);
    *n = 0;
    if (lines == NULL) {
        err->status = KANON_ENOMEM;
        return NULL;
    }
    char *rest = (char *)(lines + most);
    memcpy(rest, value, (size_t)size + 1);
    while (rest != NULL) {
        lines[(*n)++] = rest;
        rest = strchr(rest, '\n');
        if (rest != NULL)
            *rest++ = '\0';
    }
    return lines;
}

/* The columns of the key, separated by line feeds. */
static kanon_status set_key(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    size_t n;
    (void)column;
    const char **columns = split_lines(value, size, &n, err);
    kanon_status st = columns == NULL ? KANON_ENOMEM : kanon_schema_set_key(s, columns, n, err);
    free(columns);
    return st;
}

/* The levels of an ordinal column, separated by line feeds. */
static kanon_status set_order(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    size_t n;
    const char **levels = split_lines(value, size, &n, err);
    kanon_status st = levels == NULL ? KANON_ENOMEM : kanon_schema_set_order(s, column, levels, n, err);
    free(levels);
    return st;
}

static kanon_status set_k(kanon_schema *s, const char *column, const char *value, Py_ssize_t size, kanon_error *err)
{
    (void)column, (void)size;
    return kanon_schema_set_k(s, strtoll(value, NULL, 10), err);
}

static const struct {
    const char *name;
    set_function set;
} setters[] = {
    {"role", set_role},     {"type", set_type},     {"weight", set_weight},     {"taxonomy", set_taxonomy},
    {"tree", set_tree},     {"mask", set_mask},     {"missing", add_missing},   {"constraint", add_constraint},
    {"entity", set_entity}, {"key", set_key},       {"suppress", set_suppress}, {"bands", set_bands},
    {"top", set_top},       {"bottom", set_bottom}, {"format", set_format},     {"separators", set_separators},
    {"k", set_k},           {"empty", set_empty},   {"same", add_same},
    {"suppressed", set_suppressed},
    {"order", set_order},
};

/* schema_set(schema, what, column, value): `what` is a row of the table above, value a text. */
PyObject *schema_set(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *what, *column, *value;
    Py_ssize_t size;
    kanon_error err = {0};
    if (!PyArg_ParseTuple(args, "Oszs#", &capsule, &what, &column, &value, &size))
        return NULL;
    kanon_schema *schema = handle_get(capsule, SCHEMA);
    if (schema == NULL)
        return NULL;
    for (size_t i = 0; i < sizeof setters / sizeof setters[0]; i++)
        if (strcmp(setters[i].name, what) == 0) {
            if (strlen(value) != (size_t)size && setters[i].set != set_tree)
                return PyErr_Format(PyExc_ValueError, "the %s has a character of code 0", what);
            kanon_status st = setters[i].set(schema, column, value, size, &err);
            if (st != KANON_OK)
                return PyErr_Occurred() ? NULL : raise_failure(&err);
            Py_RETURN_NONE;
        }
    return PyErr_Format(PyExc_ValueError, "no setter %s", what);
}

/* The k that the schema asks for; 0: it says nothing. */
PyObject *schema_k(PyObject *module, PyObject *capsule)
{
    (void)module;
    const kanon_schema *schema = handle_get(capsule, SCHEMA);
    return schema == NULL ? NULL : PyLong_FromLongLong((long long)kanon_schema_k(schema));
}

/* schema_role(schema, column): the role that the schema gives it, or None. */
PyObject *schema_role(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *column;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &column))
        return NULL;
    const kanon_schema *schema = handle_get(capsule, SCHEMA);
    kanon_role role;
    if (schema == NULL)
        return NULL;
    if (!kanon_schema_role(schema, column, &role))
        Py_RETURN_NONE;
    return text_of(kanon_enum_text(KANON_ENUM_ROLE, role));
}

/* schema_taxonomy(schema, column): the path of its taxonomy, or None. */
PyObject *schema_taxonomy(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    const char *column;
    if (!PyArg_ParseTuple(args, "Os", &capsule, &column))
        return NULL;
    const kanon_schema *schema = handle_get(capsule, SCHEMA);
    if (schema == NULL)
        return NULL;
    const char *path = kanon_schema_taxonomy_path(schema, column);
    if (path == NULL)
        Py_RETURN_NONE;
    return PyUnicode_DecodeFSDefault(path);
}
