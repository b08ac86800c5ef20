/* Work in parallel whose results are taken in order: parts of a file are made on several threads and written one after the
 * other. */
#ifndef KANON_CORE_CONVEYOR_H
#define KANON_CORE_CONVEYOR_H

#include "core/status.h"

/* One step of part `index` in a buffer slot, which no other part uses meanwhile. */
typedef kanon_status (*kanon__slot_task)(int64_t index, int slot, void *payload, kanon_error *err);

/* How many buffer slots so many threads need for n parts. The caller allocates a buffer for each. */
int kanon__conveyor_slots(int threads, int64_t n);
/* For parts 0 .. n-1: `make` on up to `threads` threads, part i in slot i % n_slots, then `take` in the same slot, in order
 * and one at a time. A part waits until its slot is free. The error of the lowest failed part is returned; all parts before
 * it were taken and none after it. */
kanon_status kanon__conveyor_run(int threads, int64_t n, int n_slots, kanon__slot_task make, kanon__slot_task take,
                                 void *payload, kanon_error *err);

#endif
