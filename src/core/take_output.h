/* Outputs as callers give them. Every public function that has a kanon_output takes it over with this: a copy of which all
 * fields are there, and a guard (core/sink_guard.h) in place of its sink. */
#ifndef KANON_CORE_TAKE_OUTPUT_H
#define KANON_CORE_TAKE_OUTPUT_H

#include "core/sink_guard.h"

typedef struct kanon__taken_output {
    kanon_output output;
    kanon__sink_guard guard;
} kanon__taken_output;

/* Take over the output at *slot (NULL: nothing is wanted); *slot becomes the copy, which must stay where it is, or NULL.
 * `before`: how the call went so far, which is returned unless that was well. End it in any case. */
kanon_status kanon__output_take(kanon__taken_output *out, const kanon_output **slot, kanon_status before, kanon_error *err);
/* KANON_EINVAL where it is a stream, which only a release can be. */
kanon_status kanon__output_no_stream(const kanon_output *output, kanon_error *err);
/* Tell the sinks that nobody has told: what they got must not be used. */
void kanon__outputs_end(kanon__taken_output *outputs, int n);

/* The name of an output, for messages and for the choice of a format by its ending; NULL where it is a stream. */
const char *kanon__output_name(const kanon_output *output);
/* The place of an output; NULL: none is wanted, or it has none. */
const char *kanon__output_location(const kanon_output *output);
/* Which of `words` ("json|html", the usual one first) the output is to be written as, from 0 on: by its format, else by the
 * ending of its name, else the first. KANON_EINVAL: its format is none of them. */
kanon_status kanon__output_format(int *out, const kanon_output *output, const char *words, kanon_error *err);

#endif
