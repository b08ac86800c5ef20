/* Objects of the library as capsules, and how many of them are alive: the tests end at zero.
 *
 * A handle knows the process that made it. A state must not be touched by a forked child, not even to close it: SQLite says
 * so, and the locks of the parent hang on it. Everything else is plain memory, which a child may use. */
#include "host.h"

#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

static atomic_long live;

typedef struct handle {
    void *object;
    PyObject *keeps; /* what must live as long as the object, or NULL */
    pid_t process;
} handle;

static void free_schema(void *object)
{
    kanon_schema_free(object);
}
static void free_table(void *object)
{
    kanon_table_free(object);
}
static void free_grouping(void *object)
{
    kanon_grouping_free(object);
}
static void free_state(void *object)
{
    kanon_state_close(object);
}
static void free_piece(void *object)
{
    kanon_piece_free(object);
}

static void free_taxonomy(void *object)
{
    kanon_taxonomy_free(object);
}

static const struct {
    const char *name;
    void (*free)(void *object);
} kinds[] = {
    {SCHEMA, free_schema}, {TABLE, free_table},   {GROUPING, free_grouping},
    {STATE, free_state},   {TICKER, ticker_free}, {PIECE, free_piece},
    {TAXONOMY, free_taxonomy},
};

static int is_anothers(const handle *h, const char *name)
{
    return strcmp(name, STATE) == 0 && h->process != getpid();
}

static void free_object(handle *h, const char *name)
{
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        if (strcmp(kinds[i].name, name) == 0 && !is_anothers(h, name)) {
            /* A table releases the batches of its producer, who may want the GIL. */
            WITHOUT_GIL(kinds[i].free(h->object));
        }
    Py_XDECREF(h->keeps);
    PyMem_Free(h);
    atomic_fetch_sub(&live, 1);
}

static void destroy(PyObject *capsule)
{
    const char *name = PyCapsule_GetName(capsule);
    free_object(PyCapsule_GetPointer(capsule, name), name);
}

PyObject *handle_new(void *object, const char *name, PyObject *keeps)
{
    handle none = {.object = object, .process = getpid()}, *h = PyMem_Calloc(1, sizeof *h);
    atomic_fetch_add(&live, 1);
    if (h == NULL) {
        for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
            if (strcmp(kinds[i].name, name) == 0)
                kinds[i].free(object);
        atomic_fetch_sub(&live, 1);
        return PyErr_NoMemory();
    }
    *h = none;
    Py_XINCREF(keeps);
    h->keeps = keeps;
    PyObject *capsule = PyCapsule_New(h, name, destroy);
    if (capsule == NULL)
        free_object(h, name);
    return capsule;
}

void *handle_get(PyObject *capsule, const char *name)
{
    handle *h = PyCapsule_GetPointer(capsule, name);
    if (h == NULL)
        return NULL;
    if (is_anothers(h, name)) {
        kanon_error err = {.status = KANON_EINVAL,
                           .message = "the state was opened by another process",
                           .hint = "Open it anew in this one."};
        return raise_failure(&err);
    }
    return h->object;
}

PyObject *live_objects(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    return PyLong_FromLong(atomic_load(&live));
}
