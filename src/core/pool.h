/* Running independent tasks on several threads. Which thread runs a task must not change its result: a task writes only
 * what belongs to its number. */
#ifndef KANON_CORE_POOL_H
#define KANON_CORE_POOL_H

#include "core/status.h"

#include <pthread.h>
#include <stdbool.h>

/* One task. A status other than KANON_OK stops the tasks that have not begun. */
typedef kanon_status (*kanon__task)(int64_t index, void *payload, kanon_error *err);

/* How many threads `asked` means: 0 is the number of processors this process may use. The context of the call may limit
 * it. */
int kanon__pool_threads(int asked);
/* Run tasks 0 .. n-1 on up to `threads` threads. The error of the lowest-numbered failed task is returned, so that it does
 * not depend on chance which of two failures is told. */
kanon_status kanon__pool_run(int threads, int64_t n, kanon__task task, void *payload, kanon_error *err);

/* Start a thread that takes no signals but its own faults; false: it cannot be had. Its maker joins it. */
bool kanon__pool_start_helper(pthread_t *out, void *(*begin)(void *), void *argument);

#endif
