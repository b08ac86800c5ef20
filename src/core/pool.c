#define _GNU_SOURCE /* sched_getaffinity: the processors this process may use, not those of the machine */
#include "core/pool.h"

#include "core/alloc.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <unistd.h>

typedef struct pool {
    kanon__task task;
    void *payload;
    int64_t n;
    atomic_llong next;
    atomic_bool stop;
    pthread_mutex_t lock;
    int64_t failed_task; /* n: none */
    kanon_status status;
    kanon_error error;
} pool;

int kanon__pool_threads(int asked)
{
    if (asked > 0)
        return asked < 1024 ? asked : 1024;
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

static void record_failure(pool *p, int64_t index, kanon_status status, const kanon_error *error)
{
    pthread_mutex_lock(&p->lock);
    if (index < p->failed_task) {
        p->failed_task = index;
        p->status = status;
        p->error = *error;
    }
    atomic_store(&p->stop, true);
    pthread_mutex_unlock(&p->lock);
}

static void *work(void *argument)
{
    pool *p = argument;
    while (!atomic_load(&p->stop)) {
        int64_t index = atomic_fetch_add(&p->next, 1);
        if (index >= p->n)
            break;
        kanon_error error = {0};
        kanon_status status = p->task(index, p->payload, &error);
        if (status != KANON_OK)
            record_failure(p, index, status, &error);
    }
    return NULL;
}

kanon_status kanon__pool_run(int threads, int64_t n, kanon__task task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    pthread_t *helpers = NULL;
    int wanted = kanon__pool_threads(threads), started = 0;
    if (wanted > n)
        wanted = n > 0 ? (int)n : 1;
    KANON_TRY(kanon__new_array(&helpers, wanted, "threads", err), out);
    pool p = {.task = task, .payload = payload, .n = n, .failed_task = n};
    pthread_mutex_init(&p.lock, NULL);
    /* A thread that cannot be had is no failure: this one does the work. */
    while (started < wanted - 1 && pthread_create(&helpers[started], NULL, work, &p) == 0)
        started++;
    work(&p);
    for (int i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
    pthread_mutex_destroy(&p.lock);
    st = p.status;
    if (st != KANON_OK && err != NULL)
        *err = p.error;
out:
    kanon__free(helpers);
    return st;
}
