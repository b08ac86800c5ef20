/* Worker processes: the numbered tasks of a stage run in several processes, one task at a time in each.
 *
 * The processes are copies of the driver, made when a stage begins and ended with it, so a task sees all that the
 * driver knows by then. What a task finds out it leaves in files (exchange.h); over its channel it only says that it is
 * done, or why it failed. A process that is killed is replaced, and its task runs again. The driver has no threads when
 * it starts one: the library ends its own with each call.
 *
 *     driver    task 7 ->            task 9 ->
 *     worker             <- done             <- failed: status, message, hint */
#ifndef KANON_CLI_WORKER_POOL_H
#define KANON_CLI_WORKER_POOL_H

#include <kanon.h>

typedef struct worker_pool {
    int n;           /* processes at a time */
    kanon_tick tick; /* of the driver; NULL: none */
    void *payload;
} worker_pool;

typedef kanon_status (*worker_task)(int64_t task, void *payload, kanon_error *err);

typedef struct worker_stage {
    const char *name; /* as progress shows it */
    int64_t n_tasks;
    const int64_t *weights; /* by task, for progress; NULL: all are alike */
    worker_task run;        /* in a worker; nothing that it changes in memory is seen by anybody else */
    worker_task done;       /* in the driver, when the task is done; tasks come in any order; NULL: nothing to do */
    void *payload;
} worker_stage;

/* Run all tasks. The error is that of the lowest task that failed. KANON_ECANCELLED: the tick asked to stop. No process is
 * left, however it ends. */
kanon_status worker_pool_run(const worker_pool *pool, const worker_stage *stage, kanon_error *err);

/* A kanon_tick for the library's calls inside a task: tells the driver how far the task is where `payload` is not NULL, and
 * stops where the driver is gone. */
int worker_tick(const kanon_progress *now, void *payload);

#endif
