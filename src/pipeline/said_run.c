/* See said_run.h. */
#include "pipeline/said_run.h"

#include "core/take_options.h"
#include "table/schema/said_options.h"

kanon_status kanon__run_options_take(kanon_options *out, const kanon_options *given, kanon_error *err)
{
    static const kanon__said_option rows[] = {
        {"k", KANON__SAID_INT64, offsetof(kanon_options, k)},
        {"algorithm", KANON__SAID_TEXT, offsetof(kanon_options, algorithm)},
        {"suppress", KANON__SAID_TEXT, offsetof(kanon_options, suppress)},
        {"repair", KANON__SAID_INT, offsetof(kanon_options, repair)},
        {"refine", KANON__SAID_TEXT, offsetof(kanon_options, refine)},
        {"effort", KANON__SAID_TEXT, offsetof(kanon_options, effort)},
        {"recode", KANON__SAID_INT, offsetof(kanon_options, recode)},
        {"blocks", KANON__SAID_INT64, offsetof(kanon_options, blocks)},
        {"memory", KANON__SAID_INT64, offsetof(kanon_options, memory)},
        {"seed", KANON__SAID_INT64, offsetof(kanon_options, seed)},
        {"threads", KANON__SAID_INT, offsetof(kanon_options, threads)},
    };
    KANON_CHECK(kanon__take_options(out, sizeof *out, given, err));
    return kanon__said_take(out, rows, sizeof rows / sizeof *rows, out->said, out->n_said, err);
}

kanon_status kanon__outputs_said(kanon_outputs *outputs, kanon_error *err)
{
    static const kanon__said_option rows[] = {
        {"numeric", KANON__SAID_INT, offsetof(kanon_outputs, numeric)},
        {"shuffle", KANON__SAID_INT, offsetof(kanon_outputs, shuffle)},
        {"shuffle_seed", KANON__SAID_INT64, offsetof(kanon_outputs, shuffle_seed)},
        {"threads", KANON__SAID_INT, offsetof(kanon_outputs, threads)},
    };
    return kanon__said_take(outputs, rows, sizeof rows / sizeof *rows, outputs->said, outputs->n_said, err);
}
