/* Python values as options of the library, and what the library gives as Python values. */
#include "host.h"

#include <stdlib.h>

#include <errno.h>
#include <math.h>
#include <string.h>

int settings_of(settings *out, PyObject *dict)
{
    *out = (settings){0};
    if (dict == NULL || dict == Py_None)
        return 0;
    if (!PyDict_Check(dict)) {
        PyErr_SetString(PyExc_TypeError, "settings are a dict of names and texts");
        return -1;
    }
    kanon_setting *at = PyMem_Calloc((size_t)PyDict_Size(dict) + 1, sizeof *at);
    if (at == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    PyObject *name, *value;
    Py_ssize_t place = 0;
    size_t n = 0;
    while (PyDict_Next(dict, &place, &name, &value)) {
        /* The texts stay alive: the caller holds the dict. */
        at[n].name = PyUnicode_AsUTF8AndSize(name, NULL);
        at[n].value = at[n].name == NULL ? NULL : PyUnicode_AsUTF8AndSize(value, NULL);
        if (at[n].value == NULL) {
            PyMem_Free(at);
            return -1;
        }
        n++;
    }
    *out = (settings){at, n};
    return 0;
}

void settings_free(settings *s)
{
    PyMem_Free(s->at);
}

static int byte_sink_write(const void *bytes, size_t size, void *payload)
{
    byte_sink *s = payload;
    if (size > s->room - s->n) {
        size_t room = 2 * s->room + size + 4096;
        char *grown = realloc(s->bytes, room);
        if (grown == NULL)
            return ENOMEM;
        s->bytes = grown;
        s->room = room;
    }
    memcpy(s->bytes + s->n, bytes, size);
    s->n += size;
    return 0;
}

void byte_sink_init(byte_sink *out, const char *name)
{
    *out = (byte_sink){0};
    out->sink = (kanon_sink){.struct_size = sizeof(kanon_sink), .name = name, .write = byte_sink_write, .payload = out};
}

PyObject *byte_sink_take(byte_sink *s)
{
    PyObject *bytes = PyBytes_FromStringAndSize(s->bytes, (Py_ssize_t)s->n);
    byte_sink_free(s);
    return bytes;
}

void byte_sink_free(byte_sink *s)
{
    free(s->bytes);
    s->bytes = NULL;
    s->n = s->room = 0;
}

/* Appends and drops the reference; -1 with the exception set. */
static int append(PyObject *list, PyObject *item)
{
    if (item == NULL)
        return -1;
    int failed = PyList_Append(list, item);
    Py_DECREF(item);
    return failed;
}

PyObject *text_of(const char *text)
{
    return PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace");
}

PyObject *notices_of(notice_at *at, const void *object, int notes)
{
    PyObject *list = PyList_New(0);
    const kanon_notice *notice;
    for (size_t i = 0; list != NULL && (notice = at(object, i)) != NULL; i++)
        if ((notice->kind == KANON_NOTICE_NOTE) == notes && append(list, text_of(notice->text)) != 0)
            Py_CLEAR(list);
    return list;
}

int private_notices(notice_at *at, const void *object)
{
    int n = 0;
    while (at(object, (size_t)n) != NULL && at(object, (size_t)n)->kind == KANON_NOTICE_PRIVACY)
        n++;
    return n;
}

PyObject *text_list(const char *const *texts, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++)
        if (append(list, text_of(texts[i])) != 0)
            Py_CLEAR(list);
    return list;
}

/* None where there is no figure, an int for counts. */
static PyObject *figure_value(const kanon_figure *figure)
{
    if (isnan(figure->value))
        Py_RETURN_NONE;
    if (figure->whole && fabs(figure->value) < 9e15)
        return PyLong_FromLongLong((long long)figure->value);
    return PyFloat_FromDouble(figure->value);
}

PyObject *verdict_rows(const kanon_verdict *verdict)
{
    const kanon_verdict_row *row;
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && (row = kanon_verdict_at(verdict, i)) != NULL; i++) {
        PyObject *item = Py_BuildValue("sssNO", row->name, row->heading, kanon_enum_text(KANON_ENUM_MARK, (int)row->mark),
                                       text_of(row->sentence), row->asked ? Py_True : Py_False);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyObject *figure_list(const kanon_figure *const *figures, size_t n)
{
    PyObject *list = PyList_New(0);
    for (size_t i = 0; list != NULL && i < n; i++) {
        const kanon_figure *f = figures[i];
        PyObject *value = figure_value(f);
        PyObject *item = value == NULL ? NULL : Py_BuildValue("szNs", f->name, f->attribute, value, f->formula);
        if (append(list, item) != 0)
            Py_CLEAR(list);
    }
    return list;
}

int stream_take(struct ArrowArrayStream *out, PyObject *capsule)
{
    struct ArrowArrayStream *given = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (given == NULL)
        return -1;
    if (given->release == NULL) {
        PyErr_SetString(PyExc_ValueError, "the Arrow stream was read before");
        return -1;
    }
    *out = *given;
    given->release = NULL; /* moved: the destructor of the capsule has nothing left to do */
    return 0;
}

int input_of(kanon_input *out, struct ArrowArrayStream *stream, PyObject *given, const char *name)
{
    *out = (kanon_input){.struct_size = sizeof *out};
    if (PyUnicode_Check(given)) {
        out->location = PyUnicode_AsUTF8AndSize(given, NULL);
        return out->location == NULL ? -1 : 0;
    }
    out->name = name;
    if (!PyBytes_Check(given)) {
        out->stream = stream;
        return stream_take(stream, given);
    }
    char *bytes = NULL;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(given, &bytes, &size) != 0)
        return -1;
    out->bytes = bytes;
    out->size = (size_t)size;
    return 0;
}

static void stream_destroy(PyObject *capsule)
{
    struct ArrowArrayStream *stream = PyCapsule_GetPointer(capsule, "arrow_array_stream");
    if (stream == NULL)
        return;
    if (stream->release != NULL)
        WITHOUT_GIL(stream->release(stream));
    PyMem_Free(stream);
}

PyObject *stream_give(struct ArrowArrayStream *stream)
{
    struct ArrowArrayStream *own = PyMem_Calloc(1, sizeof *own);
    PyObject *capsule = own == NULL ? PyErr_NoMemory() : PyCapsule_New(own, "arrow_array_stream", stream_destroy);
    if (capsule == NULL) {
        PyMem_Free(own);
        WITHOUT_GIL(stream->release(stream));
        return NULL;
    }
    *own = *stream;
    return capsule;
}
