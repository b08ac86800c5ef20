/* In whose context a thread works: the call that is running on it. Every public function that allocates, starts threads or
 * ticks begins one with the context of its object and ends it before it returns. Calls nest, since public functions call
 * each other; the threads of a pool work in the call that made them. docs/decisions/0013-calls-know-their-context.md says
 * why this is not a parameter. */
#ifndef KANON_CORE_CONTEXT_H
#define KANON_CORE_CONTEXT_H

#include "core/ticker.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>

typedef struct kanon__call {
    const kanon_context *given; /* whom objects and blocks of memory remember; NULL: none */
    kanon_context context;      /* what it says; all zero where there is none */
    struct kanon__call *before; /* in which the thread was when this one began */
    struct kanon__call *root;   /* the outermost call of this context: the thread limit is for all calls inside it */
    atomic_int n_left;          /* threads that may be started yet; of the root, where there is a limit */
    pthread_t owner;
    kanon__ticker ticker; /* of kanon__poll_tick; without a tick where the caller gave none */
    /* ticks that run on the owner: what workers said last, and what was answered */
    kanon_tick tick; /* the caller's; NULL: none is relayed */
    void *payload;
    pthread_mutex_t lock;
    bool is_new; /* the progress has not been told yet */
    kanon_progress progress;
    char stage[64], detail[256];
    int answer;        /* 0, KANON_TICK_FINISH or 1: stop */
    char answered[64]; /* the stage in which it was given */
} kanon__call;

/* KANON_EINVAL where a context that was handed in is not one. */
kanon_status kanon__context_check(const kanon_context *context, kanon_error *err);

/* From here on the thread works in `context` (NULL: none), which is sound. */
void kanon__call_begin(kanon__call *call, const kanon_context *context);
/* Back to the call before. `status` is returned, so that this can be the last line of a public function. */
kanon_status kanon__call_end(kanon__call *call, kanon_status status);
/* The last line of a public function: `work`, which gives its status, is done in `context`. */
#define KANON_RETURN_IN(context, work)                                                                                      \
    do {                                                                                                                    \
        kanon__call call;                                                                                                   \
        kanon__call_begin(&call, (context));                                                                                \
        return kanon__call_end(&call, (work));                                                                              \
    } while (0)
/* The same in a context that was handed in and may be none. */
#define KANON_RETURN_IN_GIVEN(context, work, err)                                                                           \
    do {                                                                                                                    \
        kanon_status checked = kanon__context_check((context), (err));                                                      \
        if (checked != KANON_OK)                                                                                            \
            return checked;                                                                                                 \
        KANON_RETURN_IN((context), (work));                                                                                 \
    } while (0)
/* Right after the beginning: the tick is that of kanon__poll_tick; and where the context asks for it, put a tick in
 * place of the caller's that calls it on this thread alone. */
void kanon__call_ticks(kanon_tick *tick, void **payload);

/* The call of this thread; NULL: none. A new thread adopts that of the thread that made it. */
kanon__call *kanon__call_now(void);
void kanon__call_adopt(kanon__call *call);

/* The context of this thread's call, to be remembered by what it makes; NULL: none. */
const kanon_context *kanon__call_context(void);
/* How many threads a call may use, its own included; 0: no limit. */
int kanon__call_threads(void);
/* Whether callbacks of the caller may run only on the thread that made the call. */
bool kanon__call_stays_on_thread(void);
/* The folder of temporary files that was asked for; NULL: none. */
const char *kanon__call_temporary(void);

/* Up to `n` threads may be started now; give them back when they have ended. */
int kanon__call_take_threads(int n);
void kanon__call_give_threads(int n);

/* Wait for `condition` as pthread_cond_wait does, and tell meanwhile what workers have to say. The condition must be made
 * by kanon__call_condition. */
void kanon__call_wait(pthread_cond_t *condition, pthread_mutex_t *lock);
void kanon__call_condition(pthread_cond_t *condition);
/* The status of work that has ended: KANON_ECANCELLED where it was done before it heard that it was to stop. */
kanon_status kanon__call_heard(kanon_status status, kanon_error *err);

#endif
