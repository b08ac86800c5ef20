/* The outputs that a caller asks for, as a public function takes them over: with guards (core/sink_guard.h) in place of
 * the sinks. */
#ifndef KANON_PIPELINE_GUARDED_OUTPUTS_H
#define KANON_PIPELINE_GUARDED_OUTPUTS_H

#include "core/sink_guard.h"

enum { KANON__N_OUTPUTS = 5 };

typedef struct kanon__guarded_outputs {
    kanon_outputs wanted;
    kanon__sink_guard guards[KANON__N_OUTPUTS];
} kanon__guarded_outputs;

/* `given` may be NULL. End it in any case, also where this fails. */
kanon_status kanon__guarded_outputs_begin(kanon__guarded_outputs *out, const kanon_outputs *given, kanon_error *err);
/* KANON_EINVAL where an output would be written over the state at `state`, or over a file that belongs to it. */
kanon_status kanon__guarded_outputs_spare(const kanon__guarded_outputs *outputs, const char *state, kanon_error *err);
void kanon__guarded_outputs_end(kanon__guarded_outputs *outputs);

#endif
