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

PyObject *ticker_new(PyObject *module, PyObject *none)
{
    (void)module, (void)none;
    ticker *t = calloc(1, sizeof *t);
    if (t == NULL)
        return PyErr_NoMemory();
    pthread_mutex_init(&t->lock, NULL);
    return handle_new(t, TICKER);
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
    return Py_BuildValue("sLLsi", now.stage, (long long)now.done, (long long)now.total, now.detail, now.can_finish);
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
