/* Every sink that was handed to a public function is told once how the call ended, also where the call fails before it opens
 * an output. The function puts guards in place of the caller's sinks when it begins, and ends them before it returns. Guards
 * nest, since public functions call each other. */
#ifndef KANON_CORE_SINK_GUARD_H
#define KANON_CORE_SINK_GUARD_H

#include "core/status.h"

#include <stdbool.h>

typedef struct kanon__sink_guard {
    kanon_sink sink; /* what the library writes to */
    kanon_sink given;
    bool waits; /* it was handed in and has not been told yet */
} kanon__sink_guard;

/* Put a guard in place of *sink, unless that is NULL. The guard must stay where it is until it has ended, also where this
 * fails: KANON_EINVAL, *sink is not what this version knows as a sink, and nobody is told. One that is all zero can be
 * ended, too. */
kanon_status kanon__sink_guard_begin(kanon__sink_guard *guard, const kanon_sink **sink, kanon_error *err);
/* Tell the sinks that nobody has told: what they got must not be used. */
void kanon__sink_guard_end(kanon__sink_guard *guards, int n);

#endif
