/* See context.h. The call that runs on a thread is the library's only thread-local variable; it is set at the
 * beginning of a public function and restored at its end. The last part runs ticks on the thread of the caller:
 * workers leave their progress in the call, and the caller's thread reports it while it waits. */
#include "core/context.h"

#include "core/take_options.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WAKE_NS = 20 * 1000 * 1000, STOP = 1 };

static _Thread_local kanon__call *now;

/* ---- beginning and ending ---------------------------------------------------------------------------------------- */

kanon_status kanon__context_check(const kanon_context *context, kanon_error *err)
{
    kanon_context c;
    kanon_status st = kanon__take_options(&c, sizeof c, context, err);
    if (st != KANON_OK)
        return st;
    if ((c.allocate == NULL) != (c.reallocate == NULL) || (c.allocate == NULL) != (c.release == NULL)) {
        st = kanon__fail(err, KANON_EINVAL, "the context has some of allocate, reallocate and release");
        return kanon__hint(err, st, "give all three or none");
    }
    if (c.threads < 0)
        return kanon__fail(err, KANON_EINVAL, "the context has a negative number of threads");
    return KANON_OK;
}

void kanon__call_begin(kanon__call *call, const kanon_context *context)
{
    memset(call, 0, sizeof *call);
    call->given = context;
    kanon__take_options(&call->context, sizeof call->context, context, NULL);
    call->before = now;
    call->root = now != NULL && now->given == context ? now->root : call;
    atomic_init(&call->n_left, call->context.threads > 0 ? call->context.threads - 1 : 0);
    call->owner = pthread_self();
    now = call;
}

kanon_status kanon__call_end(kanon__call *call, kanon_status status)
{
    if (call->tick != NULL)
        pthread_mutex_destroy(&call->lock);
    now = call->before;
    return status;
}

kanon__call *kanon__call_now(void)
{
    return now;
}

void kanon__call_adopt(kanon__call *call)
{
    now = call;
}

/* ---- what a context says ----------------------------------------------------------------------------------------- */

const kanon_context *kanon__call_context(void)
{
    return now != NULL ? now->given : NULL;
}

int kanon__call_threads(void)
{
    return now != NULL ? now->context.threads : 0;
}

bool kanon__call_stays_on_thread(void)
{
    return now != NULL && now->context.tick_on_caller != 0;
}

const char *kanon__call_temporary(void)
{
    return now != NULL ? now->context.temporary : NULL;
}

int kanon__call_take_threads(int n)
{
    if (kanon__call_threads() == 0)
        return n;
    int left = atomic_load(&now->root->n_left), taken;
    do
        taken = n < left ? n : left;
    while (!atomic_compare_exchange_weak(&now->root->n_left, &left, left - taken));
    return taken;
}

void kanon__call_give_threads(int n)
{
    if (kanon__call_threads() > 0)
        atomic_fetch_add(&now->root->n_left, n);
}

/* ---- ticks on the thread of the caller --------------------------------------------------------------------------- */

/* What the caller does in its tick is not part of the call. */
static int ask(const kanon__call *call, const kanon_progress *progress)
{
    kanon__call *here = now;
    now = NULL;
    int answer = call->tick(progress, call->payload);
    now = here;
    return answer;
}

/* An answer that was given for what workers said before. To finish is meant for the stage alone. */
static int answer_to(const kanon__call *call, const kanon_progress *progress)
{
    if (call->answer != KANON_TICK_FINISH)
        return call->answer;
    return progress->can_finish && strncmp(call->answered, progress->stage, sizeof call->answered - 1) == 0 ? call->answer
                                                                                                            : 0;
}

static void keep(kanon__call *call, const kanon_progress *progress)
{
    call->progress = *progress;
    snprintf(call->stage, sizeof call->stage, "%s", progress->stage);
    if (progress->detail != NULL)
        snprintf(call->detail, sizeof call->detail, "%s", progress->detail);
    call->is_new = true;
}

static int relay(const kanon_progress *progress, void *payload)
{
    kanon__call *call = payload;
    bool is_owner = pthread_equal(pthread_self(), call->owner) != 0;
    int answer = is_owner ? ask(call, progress) : 0;
    if (answer != 0)
        return answer;
    pthread_mutex_lock(&call->lock);
    if (!is_owner)
        keep(call, progress);
    answer = answer_to(call, progress);
    pthread_mutex_unlock(&call->lock);
    return answer;
}

void kanon__call_ticks(kanon_tick *tick, void **payload)
{
    if (now == NULL || *tick == NULL || !pthread_equal(pthread_self(), now->owner))
        return;
    if (now->context.tick_on_caller && now->tick == NULL && *tick != relay) {
        pthread_mutex_init(&now->lock, NULL);
        now->tick = *tick;
        now->payload = *payload;
        *tick = relay;
        *payload = now;
    }
    kanon__ticker_init(&now->ticker, *tick, *payload, "working");
}

/* Tell what is new; without the lock, which workers want. */
static void tell(kanon__call *call)
{
    char stage[sizeof call->stage], detail[sizeof call->detail];
    pthread_mutex_lock(&call->lock);
    bool is_new = call->is_new;
    kanon_progress progress = call->progress;
    memcpy(stage, call->stage, sizeof stage);
    memcpy(detail, call->detail, sizeof detail);
    call->is_new = false;
    pthread_mutex_unlock(&call->lock);
    if (!is_new)
        return;
    progress.stage = stage;
    if (progress.detail != NULL)
        progress.detail = detail;
    int answer = ask(call, &progress);
    if (answer == 0)
        return;
    pthread_mutex_lock(&call->lock);
    call->answer = answer == KANON_TICK_FINISH && progress.can_finish ? KANON_TICK_FINISH : STOP;
    memcpy(call->answered, stage, sizeof stage);
    pthread_mutex_unlock(&call->lock);
}

/* The next call from `call` on outwards whose ticks this thread has to run; NULL: none. */
static kanon__call *heard_here(kanon__call *call)
{
    while (call != NULL && (call->tick == NULL || !pthread_equal(pthread_self(), call->owner)))
        call = call->before;
    return call;
}

void kanon__call_condition(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

void kanon__call_wait(pthread_cond_t *condition, pthread_mutex_t *lock)
{
    kanon__call *first = heard_here(now);
    if (first == NULL) {
        pthread_cond_wait(condition, lock);
        return;
    }
    struct timespec until;
    clock_gettime(CLOCK_MONOTONIC, &until);
    until.tv_nsec += WAKE_NS;
    until.tv_sec += until.tv_nsec / 1000000000;
    until.tv_nsec %= 1000000000;
    pthread_cond_timedwait(condition, lock, &until);
    pthread_mutex_unlock(lock);
    for (kanon__call *call = first; call != NULL; call = heard_here(call->before))
        tell(call);
    pthread_mutex_lock(lock);
}

kanon_status kanon__call_heard(kanon_status status, kanon_error *err)
{
    for (kanon__call *call = heard_here(now); call != NULL; call = heard_here(call->before)) {
        pthread_mutex_lock(&call->lock);
        bool stop = call->answer == STOP;
        call->answer = stop ? 0 : call->answer;
        pthread_mutex_unlock(&call->lock);
        if (stop && status == KANON_OK)
            status = kanon__fail(err, KANON_ECANCELLED, "stopped while %s", call->answered);
    }
    return status;
}
