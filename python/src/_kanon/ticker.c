/* Progress and stopping across threads. The tick of the library runs on any thread and touches nothing of Python: it copies
 * what it is told under a lock and returns what another thread left for it. */
#include "host.h"

#include <stdlib.h>

#include <pthread.h>
#include <string.h>

struct ticker {
    pthread_mutex_t lock;
    int answer; /* 0: go on; KANON_TICK_FINISH; anything else: stop */
    char stage[64], detail[128];
    int64_t done, total;
    int can_finish;
};

int ticker_tick(const kanon_progress *progress, void *payload)
{
    ticker *t = payload;
    pthread_mutex_lock(&t->lock);
    PyOS_snprintf(t->stage, sizeof t->stage, "%s", progress->stage);
    PyOS_snprintf(t->detail, sizeof t->detail, "%s", progress->detail == NULL ? "" : progress->detail);
    t->done = progress->done;
    t->total = progress->total;
    t->can_finish = progress->can_finish;
    int answer = t->answer;
    pthread_mutex_unlock(&t->lock);
    return answer;
}

void ticker_free(void *object)
{
    ticker *t = object;
    pthread_mutex_destroy(&t->lock);
    free(t);
}

PyObject *ticker_new(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    ticker *t = calloc(1, sizeof *t);
    if (t == NULL)
        return PyErr_NoMemory();
    pthread_mutex_init(&t->lock, NULL);
    return handle_new(t, TICKER, NULL);
}

PyObject *ticker_read(PyObject *module, PyObject *capsule)
{
    (void)module;
    ticker *t = handle_get(capsule, TICKER);
    if (t == NULL)
        return NULL;
    pthread_mutex_lock(&t->lock);
    ticker now = *t;
    pthread_mutex_unlock(&t->lock);
    return Py_BuildValue("NLLNi", text_of(now.stage), (long long)now.done, (long long)now.total, text_of(now.detail),
                         now.can_finish);
}

PyObject *ticker_stop(PyObject *module, PyObject *args)
{
    (void)module;
    PyObject *capsule;
    int finish = 0;
    if (!PyArg_ParseTuple(args, "O|p", &capsule, &finish))
        return NULL;
    ticker *t = handle_get(capsule, TICKER);
    if (t == NULL)
        return NULL;
    pthread_mutex_lock(&t->lock);
    t->answer = finish ? KANON_TICK_FINISH : 1;
    pthread_mutex_unlock(&t->lock);
    Py_RETURN_NONE;
}

/* Forgets that a stop was asked for: the ticker of a state is used by all its calls. */
PyObject *ticker_reset(PyObject *module, PyObject *capsule)
{
    (void)module;
    ticker *t = handle_get(capsule, TICKER);
    if (t == NULL)
        return NULL;
    pthread_mutex_lock(&t->lock);
    t->answer = 0;
    t->stage[0] = t->detail[0] = '\0';
    t->done = t->total = 0;
    pthread_mutex_unlock(&t->lock);
    Py_RETURN_NONE;
}
