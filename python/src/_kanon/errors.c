/* A failed call as an exception: pykanon.errors.of(status, message, hint, topic) makes it. */
#include "host.h"

PyObject *raise_failure(const kanon_error *err)
{
    PyObject *errors = PyImport_ImportModule("pykanon.errors");
    if (errors == NULL)
        return NULL;
    const char *message = *err->message != '\0' ? err->message : kanon_enum_text(KANON_ENUM_STATUS, err->status);
    PyObject *exception = PyObject_CallMethod(errors, "of", "iNNs", (int)err->status, text_of(message), text_of(err->hint),
                                              err->topic == NULL ? "" : err->topic);
    Py_DECREF(errors);
    if (exception == NULL)
        return NULL;
    PyErr_SetObject((PyObject *)Py_TYPE(exception), exception);
    Py_DECREF(exception);
    return NULL;
}
