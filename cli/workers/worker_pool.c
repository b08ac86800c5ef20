/* See worker_pool.h. How far the running tasks are stands in memory that driver and workers share; it is for progress alone.
 * Numbers and errors pass through the channel as they are in memory: both ends are the same program. */
#define _GNU_SOURCE
#include "workers/worker_pool.h"

#include "workers/worker_error.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

enum { MOST_TRIES = 3, POLL_EVERY_MS = 100, WHOLE = 1000 };

typedef struct answer {
    int64_t task;
    kanon_error error; /* its topic is a constant of the program, at the same address in both processes */
} answer;

typedef struct worker {
    pid_t process; /* 0: none */
    int channel;
    int64_t task; /* -1: none */
    answer heard; /* as far as it came */
    size_t n_heard;
} worker;

typedef struct stage_run {
    const worker_pool *pool;
    const worker_stage *stage;
    worker *workers;
    int n_workers;
    unsigned char *deaths; /* by task: workers that died on it */
    int64_t next, n_done;
    int64_t weight_done, weight; /* of all tasks */
    int64_t failed;              /* the lowest task that failed; n_tasks: none */
    kanon_error error;           /* its */
    atomic_int *shares;          /* by worker: how far its task is, of WHOLE */
} stage_run;

/* ---- in the worker ------------------------------------------------------------------------------------------------- */

/* Of this process, where it is a worker. */
static atomic_int *own_share;
static pid_t driver;

int worker_tick(const kanon_progress *now, void *payload)
{
    if (driver != 0 && getppid() != driver)
        _exit(1);
    if (payload != NULL && own_share != NULL && now->total > 0)
        atomic_store(own_share, (int)(WHOLE * ((double)now->done / (double)now->total)));
    return 0;
}

/* 1, or 0 where the other end is gone. */
static int pass(int channel, void *bytes, size_t size, bool send_it)
{
    for (size_t done = 0; done < size;) {
        char *at = (char *)bytes + done;
        ssize_t n = send_it ? send(channel, at, size - done, MSG_NOSIGNAL) : recv(channel, at, size - done, 0);
        if (n <= 0 && !(n < 0 && errno == EINTR))
            return 0;
        done += n > 0 ? (size_t)n : 0;
    }
    return 1;
}

/* What comes from the terminal is for the driver, which ends its workers. Who ends a worker alone means it. */
static void become_worker(const stage_run *r, int number, pid_t parent)
{
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGTERM, SIG_DFL);
    for (int i = 0; i < r->n_workers; i++)
        if (r->workers[i].process != 0)
            close(r->workers[i].channel);
    driver = parent;
    own_share = &r->shares[number];
#ifdef __linux__
    prctl(PR_SET_PDEATHSIG, SIGKILL);
#endif
    if (getppid() != driver) /* it was gone before that */
        _exit(1);
}

/* Tasks until the driver has no more. Nothing of the driver is written or freed here. */
static _Noreturn void serve_tasks(const stage_run *r, int channel)
{
    int64_t task;
    while (pass(channel, &task, sizeof task, false)) {
        answer said = {.task = task, .error = KANON_INIT(kanon_error)};
        said.error.status = r->stage->run(task, r->stage->payload, &said.error);
        if (!pass(channel, &said, sizeof said, true))
            break;
    }
    _exit(0);
}

/* ---- processes ----------------------------------------------------------------------------------------------------- */

static kanon_status start_worker(stage_run *r, worker *w, kanon_error *err)
{
    int pair[2];
    pid_t parent = getpid();
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, pair) != 0)
        return worker_fail_errno(err, errno, "start", "a worker process");
    pid_t process = fork();
    if (process == 0) {
        close(pair[0]);
        become_worker(r, (int)(w - r->workers), parent);
        serve_tasks(r, pair[1]);
    }
    int error = errno;
    close(pair[1]);
    if (process < 0) {
        close(pair[0]);
        kanon_status st = worker_fail_errno(err, error, "start", "a worker process");
        return worker_hint(err, st, "ask for fewer workers");
    }
    w->process = process;
    w->channel = pair[0];
    w->n_heard = 0;
    return KANON_OK;
}

/* How the process ended. */
static int end_worker(worker *w)
{
    int how = 0;
    if (w->process == 0)
        return 0;
    kill(w->process, SIGKILL);
    close(w->channel);
    while (waitpid(w->process, &how, 0) < 0 && errno == EINTR)
        ;
    w->process = 0;
    return how;
}

/* Where the task does not reach the worker, that is dead, which is heard soon. */
static kanon_status give_task(stage_run *r, worker *w, int64_t task, kanon_error *err)
{
    kanon_status st = w->process == 0 ? start_worker(r, w, err) : KANON_OK;
    if (st != KANON_OK)
        return st;
    w->task = task;
    atomic_store(&r->shares[w - r->workers], 0);
    pass(w->channel, &task, sizeof task, true);
    return KANON_OK;
}

/* The task of a dead worker runs again in another one, unless it seems to be the reason. */
static kanon_status replace_worker(stage_run *r, worker *w, kanon_error *err)
{
    int64_t task = w->task;
    int how = end_worker(w);
    if (task < 0)
        return KANON_OK;
    if (++r->deaths[task] < MOST_TRIES)
        return give_task(r, w, task, err);
    w->task = -1;
    kanon_status st = WIFSIGNALED(how)
                          ? worker_fail(err, KANON_EIO, "%s: worker processes died %d times on one task, by signal %d",
                                        r->stage->name, MOST_TRIES, WTERMSIG(how))
                          : worker_fail(err, KANON_EIO, "%s: worker processes ended %d times on one task", r->stage->name,
                                        MOST_TRIES);
    return worker_hint(err, st, "the machine may be short of memory: ask for fewer workers or less memory");
}

/* ---- the stage ----------------------------------------------------------------------------------------------------- */

static int64_t weight_of(const stage_run *r, int64_t task)
{
    return r->stage->weights != NULL ? r->stage->weights[task] : 1;
}

static void keep_failure(stage_run *r, int64_t task, const kanon_error *error)
{
    if (task >= r->failed)
        return;
    r->failed = task;
    r->error = *error;
}

/* A whole answer. */
static kanon_status take_answer(stage_run *r, worker *w, kanon_error *err)
{
    int64_t task = w->task;
    w->task = -1;
    w->n_heard = 0;
    atomic_store(&r->shares[w - r->workers], 0);
    r->n_done++;
    r->weight_done += weight_of(r, task);
    if (w->heard.error.status != KANON_OK)
        keep_failure(r, task, &w->heard.error);
    else if (r->stage->done != NULL && task < r->failed)
        return r->stage->done(task, r->stage->payload, err);
    return KANON_OK;
}

static kanon_status hear_worker(stage_run *r, worker *w, kanon_error *err)
{
    ssize_t n = recv(w->channel, (char *)&w->heard + w->n_heard, sizeof w->heard - w->n_heard, 0);
    if (n < 0 && errno == EINTR)
        return KANON_OK;
    if (n <= 0)
        return replace_worker(r, w, err);
    w->n_heard += (size_t)n;
    return w->n_heard == sizeof w->heard ? take_answer(r, w, err) : KANON_OK;
}

/* Tasks go out in order, so that all below one that failed are running or done. One worker is enough to go on. */
static kanon_status hand_out(stage_run *r, kanon_error *err)
{
    int n_running = 0;
    for (int i = 0; i < r->n_workers; i++)
        n_running += r->workers[i].task >= 0;
    for (int i = 0; i < r->n_workers && r->next < r->stage->n_tasks && r->failed == r->stage->n_tasks; i++) {
        if (r->workers[i].task >= 0)
            continue;
        kanon_status st = give_task(r, &r->workers[i], r->next, err);
        if (st != KANON_OK)
            return n_running > 0 ? KANON_OK : st;
        r->next++;
        n_running++;
    }
    return KANON_OK;
}

/* Whether a task is running whose end has to be waited for. */
static bool is_going_on(const stage_run *r)
{
    if (r->failed == r->stage->n_tasks)
        return r->n_done < r->stage->n_tasks;
    for (int i = 0; i < r->n_workers; i++)
        if (r->workers[i].task >= 0 && r->workers[i].task < r->failed)
            return true;
    return false;
}

static kanon_status wait_for_workers(stage_run *r, struct pollfd *channels, kanon_error *err)
{
    for (int i = 0; i < r->n_workers; i++) /* poll passes over descriptors below 0 */
        channels[i] = (struct pollfd){.fd = r->workers[i].process != 0 ? r->workers[i].channel : -1, .events = POLLIN};
    if (poll(channels, (nfds_t)r->n_workers, POLL_EVERY_MS) <= 0)
        return KANON_OK;
    for (int i = 0; i < r->n_workers; i++) {
        kanon_status st = channels[i].revents != 0 ? hear_worker(r, &r->workers[i], err) : KANON_OK;
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

static kanon_status show_progress(const stage_run *r, kanon_error *err)
{
    kanon_progress now = {
        .struct_size = sizeof now, .stage = r->stage->name, .done = r->weight_done * WHOLE, .total = r->weight * WHOLE};
    for (int i = 0; i < r->n_workers; i++)
        if (r->workers[i].task >= 0)
            now.done += weight_of(r, r->workers[i].task) * atomic_load(&r->shares[i]);
    if (r->pool->tick == NULL || r->pool->tick(&now, r->pool->payload) == 0)
        return KANON_OK;
    return worker_fail(err, KANON_ECANCELLED, "stopped");
}

static kanon_status run_tasks(stage_run *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    struct pollfd *channels = NULL;
    WORKER_TRY(worker_new(&channels, r->n_workers, sizeof *channels, err));
    while (is_going_on(r)) {
        WORKER_TRY(hand_out(r, err));
        WORKER_TRY(show_progress(r, err));
        WORKER_TRY(wait_for_workers(r, channels, err));
    }
    if (r->failed < r->stage->n_tasks) {
        if (err != NULL)
            *err = r->error;
        st = r->error.status;
    }
out:
    free(channels);
    return st;
}

kanon_status worker_pool_run(const worker_pool *pool, const worker_stage *stage, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int n = pool->n < stage->n_tasks ? pool->n : (int)stage->n_tasks;
    size_t size = sizeof(atomic_int) * (size_t)(n > 0 ? n : 1);
    stage_run r = {.pool = pool, .stage = stage, .failed = stage->n_tasks};
    r.shares = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r.shares == MAP_FAILED)
        return worker_fail(err, KANON_ENOMEM, "out of memory");
    WORKER_TRY(worker_new(&r.deaths, stage->n_tasks, sizeof *r.deaths, err));
    WORKER_TRY(worker_new(&r.workers, n, sizeof *r.workers, err));
    r.n_workers = n;
    for (int i = 0; i < n; i++)
        r.workers[i].task = -1;
    for (int64_t task = 0; task < stage->n_tasks; task++)
        r.weight += weight_of(&r, task);
    WORKER_TRY(run_tasks(&r, err));
out:
    for (int i = 0; i < r.n_workers; i++)
        end_worker(&r.workers[i]);
    free(r.workers);
    free(r.deaths);
    munmap(r.shares, size);
    return st;
}
