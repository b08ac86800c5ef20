/* Progress and cancel: one callback for both, called no more often than is useful. Long work in any layer calls
 * kanon__tick; a callback that asks to stop becomes KANON_ECANCELLED. */
#ifndef KANON_CORE_TICKER_H
#define KANON_CORE_TICKER_H

#include "core/status.h"

#include <pthread.h>
#include <stdbool.h>

typedef struct kanon__ticker {
    kanon_tick tick; /* may be NULL */
    void *payload;
    const char *stage;
    const char *detail; /* what else there is to say, NULL: nothing */
    bool anytime;       /* the work can end at once with what it has */
    bool finish;        /* it is asked to */
    int64_t next_check; /* work units until the clock is read again */
    int64_t window;     /* work units between two readings, so that these are some milliseconds apart */
    int64_t checked_ns; /* when the clock was read last */
    int64_t last_ns;
    int64_t deadline_ns; /* when anytime work is to finish; 0: never */
} kanon__ticker;

void kanon__ticker_init(kanon__ticker *out, kanon_tick tick, void *payload, const char *stage);
/* Say how far the stage is. `work` is roughly how many nanoseconds passed since the last call, so that cheap calls stay
 * cheap: the callback runs about every 30 ms. Where it is far from the truth the ticker finds out: only the proportions
 * matter. KANON_ECANCELLED where it asked to stop; where it asked to
 * finish and the work is anytime, that is written down in the ticker instead. A NULL ticker is fine. */
kanon_status kanon__tick(kanon__ticker *ticker, int64_t done, int64_t total, int64_t work, kanon_error *err);
/* The same where no ticker is at hand, with that of the call that runs on this thread: for passes over all records below the
 * stages that have one. Nothing where the caller gave no tick, and on the threads of a pool, whose tasks have tickers. */
kanon_status kanon__poll_tick(int64_t work, kanon_error *err);
/* What a tick says that comes after some milliseconds at most, so that the clock is worth reading each time. */
enum { KANON__TICK_POLL_NS = 10 * 1000 * 1000 };
/* Anytime work has so many seconds from now on. */
void kanon__ticker_limit(kanon__ticker *ticker, double seconds);
/* Several tasks at once behind one ticker: each task has a ticker of its own that ends here, one call at a time. */
typedef struct kanon__shared_ticker {
    const kanon__ticker *ticker;
    pthread_mutex_t lock;
    int64_t done, total; /* what is reported, whatever the tasks say */
    bool finish, stop;   /* one task was asked to, and so are all, without another call */
} kanon__shared_ticker;

void kanon__shared_ticker_init(kanon__shared_ticker *out, const kanon__ticker *ticker, int64_t total);
void kanon__shared_ticker_clear(kanon__shared_ticker *shared);
/* A ticker for one task. */
void kanon__shared_ticker_task(kanon__ticker *out, kanon__shared_ticker *shared);
/* Whether one task was asked to finish, and so are all. */
bool kanon__shared_ticker_finishes(kanon__shared_ticker *shared);
/* A task has done this much. */
void kanon__shared_ticker_add(kanon__shared_ticker *shared, int64_t done);

/* Seconds on a clock that never goes back. */
double kanon__seconds(void);

/* For tests, where the library is built with KANON_TEST_HOOKS: from now on each look at the clock is `ns` after the one
 * before; 0: the time again. With a step of a tick every look calls the callback, so that a test can count them, or stop at
 * the n-th. KANON_TEST_AT_TICK in the environment does this to a program (at_tick in tests/cli/lib.sh). */
enum { KANON__STEP_OF_A_TICK = 31 * 1000 * 1000 };
void kanon__ticker_step(int64_t ns);
/* So much time goes by, where looks have steps. */
void kanon__ticker_pass(int64_t ns);

#endif
