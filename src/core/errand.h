/* A thread that does what another one waits for: calls of a library that takes much memory and gives it back.
 *
 * A heap can only shrink at its end. What a library leaves there would keep its size, and what we allocate meanwhile
 * lies behind it. The system's allocator gives each thread a heap of its own, so that the library's calls go to a
 * thread of theirs and our heap stays as it was. Nothing runs at the same time: the caller waits for each errand. */
#ifndef KANON_CORE_ERRAND_H
#define KANON_CORE_ERRAND_H

#include "core/status.h"

typedef struct kanon__errands kanon__errands;
typedef void (*kanon__errand)(void *payload);

/* Start the thread. Where none can be had, or the context counts threads, errands run on that of the caller. */
kanon_status kanon__errands_new(kanon__errands **out, kanon_error *err);
/* Do it, in the call of the caller, and wait. */
void kanon__errands_do(kanon__errands *errands, kanon__errand errand, void *payload);
void kanon__errands_free(kanon__errands *errands);

#endif
