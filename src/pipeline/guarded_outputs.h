/* The outputs that a caller asks for, as a public function takes them over (core/take_output.h). */
#ifndef KANON_PIPELINE_GUARDED_OUTPUTS_H
#define KANON_PIPELINE_GUARDED_OUTPUTS_H

#include "core/take_output.h"

enum { KANON__N_OUTPUTS = 5 };

typedef struct kanon__guarded_outputs {
    kanon_outputs wanted;
    kanon__taken_output taken[KANON__N_OUTPUTS];
} kanon__guarded_outputs;

/* `given` may be NULL. End it in any case, also where this fails. */
kanon_status kanon__guarded_outputs_begin(kanon__guarded_outputs *out, const kanon_outputs *given, kanon_error *err);
/* The places of the outputs; NULL: not wanted, or no place. */
void kanon__outputs_locations(const char *out[KANON__N_OUTPUTS], const kanon_outputs *wanted);
/* KANON_EINVAL where an output would be written over the state at `state`, or over a file that belongs to it. */
kanon_status kanon__guarded_outputs_spare(const kanon__guarded_outputs *outputs, const char *state, kanon_error *err);
void kanon__guarded_outputs_end(kanon__guarded_outputs *outputs);

#endif
