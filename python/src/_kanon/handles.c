/* Objects of the library as capsules, and how many of them are alive: the tests end at zero. */
#include "host.h"

#include <stdlib.h>

#include <stdatomic.h>
#include <string.h>

static atomic_long live;

typedef struct kind {
    const char *name;
    void (*free)(void *object);
} kind;

static void free_schema(void *object) { kanon_schema_free(object); }
static void free_table(void *object) { kanon_table_free(object); }
static void free_grouping(void *object) { kanon_grouping_free(object); }
static void free_state(void *object) { kanon_state_close(object); }
static void free_ticker(void *object) { free(object); }

static const kind kinds[] = {
    {SCHEMA, free_schema}, {TABLE, free_table}, {GROUPING, free_grouping}, {STATE, free_state}, {TICKER, free_ticker},
};

static void free_object(void *object, const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0) {
            /* A table releases the batches of its producer, who may want the GIL. */
            WITHOUT_GIL(kinds[i].free(object));
        }
    atomic_fetch_sub(&live, 1);
}

static void destroy(PyObject *capsule)
{
    const char *name = PyCapsule_GetName(capsule);
    free_object(PyCapsule_GetPointer(capsule, name), name);
}

PyObject *handle_new(void *object, const char *name)
{
    atomic_fetch_add(&live, 1);
    PyObject *capsule = PyCapsule_New(object, name, destroy);
    if (capsule == NULL)
        free_object(object, name);
    return capsule;
}

void *handle_get(PyObject *capsule, const char *name)
{
    return PyCapsule_GetPointer(capsule, name);
}

PyObject *live_objects(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyLong_FromLong(atomic_load(&live));
}
