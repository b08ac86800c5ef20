/* Long calls: the work runs on a thread of its own, while the main thread shows progress and looks for interrupts.
 *
 * The tick of the library comes from any thread and touches nothing of R: it copies what it is told under a lock and returns
 * what the main thread left for it. The thread starts with all signals blocked and ends with the call, so that a forked
 * child finds none. */
#include "host.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { WAIT_MILLISECONDS = 50, QUIET_ROUNDS = 10 };

typedef struct job {
    pthread_mutex_t lock;
    pthread_cond_t ended;
    int done;
    work_function work;
    void *arguments;
    kanon_status status;
    kanon_error *err;
} job;

void ticker_init(ticker *out)
{
    memset(out, 0, sizeof *out);
    pthread_mutex_init(&out->lock, NULL);
}

int ticker_tick(const kanon_progress *progress, void *payload)
{
    ticker *t = payload;
    pthread_mutex_lock(&t->lock);
    snprintf(t->stage, sizeof t->stage, "%s", progress->stage);
    snprintf(t->detail, sizeof t->detail, "%s", progress->detail == NULL ? "" : progress->detail);
    t->done = progress->done;
    t->total = progress->total;
    int answer = t->answer;
    pthread_mutex_unlock(&t->lock);
    return answer;
}

static void ticker_answer(ticker *t, int answer)
{
    pthread_mutex_lock(&t->lock);
    t->answer = answer;
    pthread_mutex_unlock(&t->lock);
}

static void show_progress(ticker *t)
{
    char line[sizeof t->stage + sizeof t->detail + 16];
    pthread_mutex_lock(&t->lock);
    int percent = t->total > 0 ? (int)(100.0 * (double)t->done / (double)t->total) : -1;
    if (percent >= 0)
        snprintf(line, sizeof line, "%s %d %% %s", t->stage, percent, t->detail);
    else
        snprintf(line, sizeof line, "%s %s", t->stage, t->detail);
    pthread_mutex_unlock(&t->lock);
    REprintf("\r%-79.79s", line);
}

static void *begin(void *payload)
{
    job *j = payload;
    kanon_status status = j->work(j->arguments, j->err);
    pthread_mutex_lock(&j->lock);
    j->status = status;
    j->done = 1;
    pthread_cond_signal(&j->ended);
    pthread_mutex_unlock(&j->lock);
    return NULL;
}

static int start(pthread_t *thread, job *j)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failed = pthread_create(thread, NULL, begin, j);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return failed;
}

/* Whether the job has ended, after at most 50 ms. */
static int wait_for(job *j)
{
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_nsec += WAIT_MILLISECONDS * 1000000L;
    until.tv_sec += until.tv_nsec / 1000000000L;
    until.tv_nsec %= 1000000000L;
    pthread_mutex_lock(&j->lock);
    if (!j->done)
        pthread_cond_timedwait(&j->ended, &j->lock, &until);
    int done = j->done;
    pthread_mutex_unlock(&j->lock);
    return done;
}

static void look_for_interrupt(void *unused)
{
    (void)unused;
    R_CheckUserInterrupt();
}

kanon_status run(work_function work, void *arguments, ticker *t, int show, kanon_error *err)
{
    job j = {.work = work, .arguments = arguments, .err = err};
    pthread_mutex_init(&j.lock, NULL);
    pthread_cond_init(&j.ended, NULL);
    ticker_answer(t, 0);
    pthread_t thread;
    if (start(&thread, &j) != 0)
        return fail(err, KANON_ENOMEM, "no thread could be started");
    int interrupted = 0, rounds = 0;
    while (!wait_for(&j)) {
        /* An interrupt jumps; R_ToplevelExec catches the jump, so that nothing leaves this function before the join. */
        if (!interrupted && !R_ToplevelExec(look_for_interrupt, NULL)) {
            interrupted = 1;
            ticker_answer(t, 1);
        }
        if (show && ++rounds > QUIET_ROUNDS)
            show_progress(t);
    }
    pthread_join(thread, NULL);
    if (show && rounds > QUIET_ROUNDS)
        REprintf("\r%-79s\r", "");
    pthread_cond_destroy(&j.ended);
    pthread_mutex_destroy(&j.lock);
    if (interrupted)
        return fail(err, KANON_ECANCELLED, "the work was interrupted");
    return j.status;
}
