/* Work in parallel whose results are taken in order: parts of a file are made on several threads and written one after the
 * other. */
#ifndef KANON_CORE_CONVEYOR_H
#define KANON_CORE_CONVEYOR_H

#include "core/status.h"

/* One step of part `index` at a desk, where nobody else is meanwhile. */
typedef kanon_status (*kanon__desk_task)(int64_t index, int desk, void *payload, kanon_error *err);

/* How many desks so many threads keep busy, where there are n parts: the memory of a desk is taken so often. */
int kanon__conveyor_desks(int threads, int64_t n);
/* For parts 0 .. n-1: `make` on up to `threads` threads, part i at desk i % n_desks, then `take` at the same desk, in order
 * and one at a time. A part waits until its desk is free. The error of the lowest failed part is returned; all parts before
 * it were taken and none after it. */
kanon_status kanon__conveyor_run(int threads, int64_t n, int n_desks, kanon__desk_task make, kanon__desk_task take,
                                 void *payload, kanon_error *err);

#endif
