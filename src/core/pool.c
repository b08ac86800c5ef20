/* See pool.h. Threads are started for each run and joined at its end; they take task numbers from one atomic counter.
 * The caller's thread works, too, and runs ticks while it waits for the others. */
#define _GNU_SOURCE /* sched_getaffinity: the processors this process may use, not those of the machine */
#include "core/pool.h"

#include "core/alloc.h"
#include "core/context.h"

#include <sched.h>
#include <signal.h>
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
    kanon__call *call; /* in which the tasks run */
    pthread_cond_t ended;
    int n_running; /* helpers */
} pool;

static int available(int asked)
{
    if (asked > 0)
        return asked < 1024 ? asked : 1024;
#ifndef __EMSCRIPTEN__ /* it has no such call, nor threads */
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) == 0 && CPU_COUNT(&set) > 0)
        return CPU_COUNT(&set);
#endif
    long online = sysconf(_SC_NPROCESSORS_ONLN);
    return online > 0 ? (int)online : 1;
}

int kanon__pool_threads(int asked)
{
    int n = available(asked), limit = kanon__call_threads();
    return limit > 0 && limit < n ? limit : n;
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

static void work(pool *p)
{
    while (!atomic_load(&p->stop)) {
        int64_t index = atomic_fetch_add(&p->next, 1);
        if (index >= p->n)
            break;
        kanon_error error = KANON_INIT(kanon_error);
        kanon_status status = p->task(index, p->payload, &error);
        if (status != KANON_OK)
            record_failure(p, index, status, &error);
    }
}

static void *help(void *argument)
{
    pool *p = argument;
    kanon__call_adopt(p->call);
    work(p);
    pthread_mutex_lock(&p->lock);
    p->n_running--;
    pthread_cond_signal(&p->ended);
    pthread_mutex_unlock(&p->lock);
    return NULL;
}

/* Signals are for the threads of the host. What a thread does to itself, such as a fault, cannot be put off and stays with
 * whoever reports crashes. */
static void mask_for_helpers(sigset_t *before)
{
    static const int own[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGABRT};
    sigset_t mask;
    sigfillset(&mask);
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++)
        sigdelset(&mask, own[i]);
    pthread_sigmask(SIG_SETMASK, &mask, before);
}

bool kanon__pool_start_helper(pthread_t *out, void *(*begin)(void *), void *argument)
{
    sigset_t before;
    mask_for_helpers(&before);
    bool started = pthread_create(out, NULL, begin, argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return started;
}

/* A thread that cannot be had is no failure: the caller's does the work. */
static int start_helpers(pool *p, pthread_t *helpers, int wanted)
{
    int started = 0;
    p->n_running = wanted;
    while (started < wanted && kanon__pool_start_helper(&helpers[started], help, p))
        started++;
    pthread_mutex_lock(&p->lock);
    p->n_running -= wanted - started;
    pthread_mutex_unlock(&p->lock);
    return started;
}

static void await_helpers(pool *p, const pthread_t *helpers, int started)
{
    pthread_mutex_lock(&p->lock);
    while (p->n_running > 0)
        kanon__call_wait(&p->ended, &p->lock);
    pthread_mutex_unlock(&p->lock);
    for (int i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
}

kanon_status kanon__pool_run(int threads, int64_t n, kanon__task task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    pthread_t *helpers = NULL;
    int wanted = kanon__pool_threads(threads);
    if (wanted > n)
        wanted = n > 0 ? (int)n : 1;
    KANON_TRY(kanon__new_array(&helpers, wanted, "threads", err), out);
    pool p = {.task = task, .payload = payload, .n = n, .failed_task = n, .call = kanon__call_now()};
    pthread_mutex_init(&p.lock, NULL);
    kanon__call_condition(&p.ended);
    int taken = kanon__call_take_threads(wanted - 1), started = taken > 0 ? start_helpers(&p, helpers, taken) : 0;
    work(&p);
    await_helpers(&p, helpers, started);
    kanon__call_give_threads(taken);
    pthread_cond_destroy(&p.ended);
    pthread_mutex_destroy(&p.lock);
    st = p.status;
    if (st != KANON_OK)
        kanon__error_copy(err, &p.error);
    st = kanon__call_heard(st, err);
out:
    kanon__free(helpers);
    return st;
}
