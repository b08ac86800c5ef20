/* See ticker.h. The clock is read after about 5 ms of work, and the callback is called every 30 ms at most, so that a tick
 * in an inner loop costs a subtraction. What callers estimate may be wrong by any factor (a scan in place of an index, a
 * table of another size), so the clock is read at each call at first, and less often as it shows that the calls are near
 * each other. A shared ticker adds up what the tasks of a pool have done. With KANON_TEST_HOOKS (preset dev) tests can say
 * what the clock shows, and what happens at the n-th look at it. */
#include "core/ticker.h"

#include "core/context.h"

#include <time.h>

enum { TICK_NS = 30 * 1000 * 1000, CHECK_NS = 5 * 1000 * 1000 };

#ifdef KANON_TEST_HOOKS
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static atomic_llong clock_ns, step_ns;

void kanon__ticker_step(int64_t ns)
{
    atomic_store(&clock_ns, 1000 * INT64_C(1000000000));
    atomic_store(&step_ns, ns);
}

void kanon__ticker_pass(int64_t ns)
{
    atomic_fetch_add(&clock_ns, ns);
}

/* A signal, or a named pipe: the test opens it for reading, which waits until it has come so far, and for writing to let it
 * go on. */
static void act(const char *what)
{
    if (what[0] >= '0' && what[0] <= '9') {
        kill(getpid(), atoi(what));
        return;
    }
    close(open(what, O_WRONLY | O_CLOEXEC));
    close(open(what, O_RDONLY | O_CLOEXEC));
}

/* `name` has - for each blank. */
static bool is_stage(const char *stage, const char *name)
{
    size_t i = 0;
    while (stage[i] != '\0' && (stage[i] == name[i] || (stage[i] == ' ' && name[i] == '-')))
        i++;
    return stage[i] == name[i];
}

/* KANON_TEST_AT_TICK is "STAGE N SIGNAL-OR-PIPE", up to four times: at the n-th look in this stage. */
static void act_at_look(const char *stage)
{
    static atomic_int n_looks[4];
    const char *at = getenv("KANON_TEST_AT_TICK");
    char name[32], what[256];
    int n, length;
    for (int i = 0; i < 4 && at != NULL && sscanf(at, "%31s %d %255s%n", name, &n, what, &length) == 3; i++, at += length)
        if (is_stage(stage, name) && atomic_fetch_add(&n_looks[i], 1) + 1 == n)
            act(what);
}

/* What the clock shows in a test; 0: the time. */
static int64_t test_clock(void)
{
    if (atomic_load(&step_ns) == 0 && getenv("KANON_TEST_AT_TICK") != NULL)
        kanon__ticker_step(KANON__STEP_OF_A_TICK);
    int64_t step = atomic_load(&step_ns);
    return step != 0 ? atomic_fetch_add(&clock_ns, step) + step : 0;
}
#else
static void act_at_look(const char *stage)
{
    (void)stage;
}

static int64_t test_clock(void)
{
    return 0;
}
#endif

static int64_t now_ns(void)
{
    struct timespec now;
    int64_t of_test = test_clock();
    if (of_test != 0)
        return of_test;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

double kanon__seconds(void)
{
    return (double)now_ns() * 1e-9;
}

/* The innermost call of this thread whose caller wants to hear of it. */
static kanon__call *heard_call(void)
{
    kanon__call *call = kanon__call_now();
    while (call != NULL && call->ticker.tick == NULL)
        call = call->before;
    return call != NULL && pthread_equal(pthread_self(), call->owner) ? call : NULL;
}

/* Looks from below are in the stage that began last. */
void kanon__ticker_init(kanon__ticker *out, kanon_tick tick, void *payload, const char *stage)
{
    *out = (kanon__ticker){.tick = tick, .payload = payload, .stage = stage};
    kanon__call *call = tick != NULL ? heard_call() : NULL;
    if (call != NULL)
        call->ticker.stage = stage;
}

void kanon__ticker_limit(kanon__ticker *ticker, double seconds)
{
    const double most = 1e9; /* thirty years */
    ticker->deadline_ns = now_ns() + (int64_t)((seconds < most ? seconds : most) * 1e9);
    ticker->finish = false;
}

/* The work until the clock is read again, from the time that the last took. It grows slowly, since work may become more
 * expensive. */
static void adapt(kanon__ticker *ticker, int64_t elapsed_ns)
{
    int64_t window = ticker->window;
    if (window == 0 || elapsed_ns >= 2 * CHECK_NS)
        window = window * CHECK_NS / (elapsed_ns > 0 ? elapsed_ns : 1);
    else if (elapsed_ns < CHECK_NS)
        window *= 2;
    ticker->window = window < 1 ? 1 : window < CHECK_NS ? window : CHECK_NS;
    ticker->next_check = ticker->window;
}

kanon_status kanon__tick(kanon__ticker *ticker, int64_t done, int64_t total, int64_t work, kanon_error *err)
{
    if (ticker == NULL || (ticker->tick == NULL && ticker->deadline_ns == 0))
        return KANON_OK;
    ticker->next_check -= work;
    if (ticker->next_check > 0)
        return KANON_OK;
    int64_t now = now_ns();
    adapt(ticker, now - ticker->checked_ns);
    ticker->checked_ns = now;
    act_at_look(ticker->stage);
    if (ticker->anytime && ticker->deadline_ns != 0 && now >= ticker->deadline_ns)
        ticker->finish = true;
    if (now - ticker->last_ns < TICK_NS || ticker->tick == NULL)
        return KANON_OK;
    ticker->last_ns = now;
    kanon_progress progress = {sizeof progress, ticker->stage,  done,
                               total,           ticker->detail, ticker->anytime && !ticker->finish};
    int answer = ticker->tick(&progress, ticker->payload);
    if (answer == KANON_TICK_FINISH && ticker->anytime)
        ticker->finish = true;
    else if (answer != 0)
        return kanon__fail(err, KANON_ECANCELLED, "stopped while %s", ticker->stage);
    return KANON_OK;
}

kanon_status kanon__poll_tick(int64_t work, kanon_error *err)
{
    kanon__call *call = heard_call();
    return call != NULL ? kanon__tick(&call->ticker, 0, 0, work, err) : KANON_OK;
}

void kanon__shared_ticker_init(kanon__shared_ticker *out, const kanon__ticker *ticker, int64_t total)
{
    *out = (kanon__shared_ticker){.ticker = ticker, .total = total};
    pthread_mutex_init(&out->lock, NULL);
}

void kanon__shared_ticker_clear(kanon__shared_ticker *shared)
{
    pthread_mutex_destroy(&shared->lock);
}

static int forward(const kanon_progress *progress, void *payload)
{
    kanon__shared_ticker *shared = payload;
    pthread_mutex_lock(&shared->lock);
    kanon_progress whole = *progress;
    whole.done = shared->done;
    whole.total = shared->total;
    whole.detail = shared->ticker->detail;
    bool answered = shared->finish || shared->stop;
    int stop = answered ? (shared->finish ? KANON_TICK_FINISH : 1) : shared->ticker->tick(&whole, shared->ticker->payload);
    shared->finish = stop == KANON_TICK_FINISH && shared->ticker->anytime;
    shared->stop = stop != 0 && !shared->finish;
    pthread_mutex_unlock(&shared->lock);
    return stop;
}

void kanon__shared_ticker_task(kanon__ticker *out, kanon__shared_ticker *shared)
{
    bool heard = shared->ticker != NULL && shared->ticker->tick != NULL;
    kanon__ticker_init(out, heard ? forward : NULL, shared, heard ? shared->ticker->stage : "");
    out->anytime = shared->ticker != NULL && shared->ticker->anytime;
    out->deadline_ns = shared->ticker != NULL ? shared->ticker->deadline_ns : 0;
}

bool kanon__shared_ticker_finishes(kanon__shared_ticker *shared)
{
    pthread_mutex_lock(&shared->lock);
    bool finishes = shared->finish;
    pthread_mutex_unlock(&shared->lock);
    return finishes;
}

void kanon__shared_ticker_add(kanon__shared_ticker *shared, int64_t done)
{
    pthread_mutex_lock(&shared->lock);
    shared->done += done;
    pthread_mutex_unlock(&shared->lock);
}
