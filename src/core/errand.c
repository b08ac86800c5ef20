/* See errand.h. One errand at a time passes from one thread to the other under a lock. */
#include "core/errand.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/pool.h"

#include <pthread.h>

struct kanon__errands {
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    kanon__errand errand; /* that is to be done; NULL: none */
    void *payload;
    kanon__call *call;
    bool ended;
};

static void *run_errands(void *argument)
{
    kanon__errands *e = argument;
    pthread_mutex_lock(&e->lock);
    for (;;) {
        while (e->errand == NULL && !e->ended)
            pthread_cond_wait(&e->changed, &e->lock);
        if (e->errand == NULL)
            break;
        kanon__call_adopt(e->call);
        e->errand(e->payload);
        kanon__call_adopt(NULL);
        e->errand = NULL;
        pthread_cond_broadcast(&e->changed);
    }
    pthread_mutex_unlock(&e->lock);
    return NULL;
}

kanon_status kanon__errands_new(kanon__errands **out, kanon_error *err)
{
    kanon__errands *e = NULL;
    kanon_status st = kanon__new_array(&e, 1, "a thread", err);
    if (st != KANON_OK)
        return st;
    pthread_mutex_init(&e->lock, NULL);
    pthread_cond_init(&e->changed, NULL);
    if (kanon__call_threads() == 0)
        e->started = kanon__pool_start_helper(&e->thread, run_errands, e);
    *out = e;
    return KANON_OK;
}

void kanon__errands_do(kanon__errands *e, kanon__errand errand, void *payload)
{
    if (!e->started) {
        errand(payload);
        return;
    }
    pthread_mutex_lock(&e->lock);
    e->call = kanon__call_now();
    e->payload = payload;
    e->errand = errand;
    pthread_cond_broadcast(&e->changed);
    while (e->errand != NULL)
        pthread_cond_wait(&e->changed, &e->lock);
    pthread_mutex_unlock(&e->lock);
}

void kanon__errands_free(kanon__errands *e)
{
    if (e == NULL)
        return;
    pthread_mutex_lock(&e->lock);
    e->ended = true;
    pthread_cond_broadcast(&e->changed);
    pthread_mutex_unlock(&e->lock);
    if (e->started)
        pthread_join(e->thread, NULL);
    pthread_cond_destroy(&e->changed);
    pthread_mutex_destroy(&e->lock);
    kanon__free(e);
}
