/* Inputs as callers give them. Every public function that has a kanon_input calls this first. */
#ifndef KANON_CORE_TAKE_INPUT_H
#define KANON_CORE_TAKE_INPUT_H

#include "core/status.h"

#include <kanon_arrow.h>

/* A caller's input, whose fields are all there and which is exactly one of location, bytes and stream. */
typedef struct kanon__given {
    kanon_input input;              /* `stream` says only whether there is one: it was moved from there */
    struct ArrowArrayStream stream; /* release NULL: there is none, or it was taken over */
} kanon__given;

/* Take over what the caller gives. Its stream is moved in any case, and released where that fails; `before`: how the call
 * went so far, which is returned unless that was well. */
kanon_status kanon__given_take(kanon__given *out, const kanon_input *input, kanon_status before, kanon_error *err);
/* Release the stream that nobody has taken over. */
void kanon__given_clear(kanon__given *given);
/* Release the stream of an input that a call had no time to take over; nothing where it was taken. */
void kanon__given_drop(const kanon_input *input);
/* KANON_RETURN_IN_GIVEN (core/context.h) of a function that reads `input`. */
#define KANON_RETURN_READING(context, input, work, err)                                                                     \
    do {                                                                                                                    \
        if (kanon__context_check((context), NULL) != KANON_OK)                                                              \
            kanon__given_drop(input);                                                                                       \
        KANON_RETURN_IN_GIVEN((context), (work), (err));                                                                    \
    } while (0)
/* What stands in messages. */
const char *kanon__given_name(const kanon__given *given);

#endif
