/* Options of runs and of releases that a host gives as text. */
#ifndef KANON_PIPELINE_SAID_RUN_H
#define KANON_PIPELINE_SAID_RUN_H

#include "core/status.h"

/* The options that `given` (NULL: none) has, what is said as text in their fields. */
kanon_status kanon__run_options_take(kanon_options *out, const kanon_options *given, kanon_error *err);
/* The same of outputs, which were copied. */
kanon_status kanon__outputs_said(kanon_outputs *outputs, kanon_error *err);

#endif
