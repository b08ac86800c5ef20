/* See guarded_outputs.h. A copy of the caller's outputs, each of them taken over. */
#include "pipeline/guarded_outputs.h"

#include "core/take_options.h"
#include "pipeline/said_run.h"

#include <kanon_host.h>

kanon_status kanon__guarded_outputs_begin(kanon__guarded_outputs *out, const kanon_outputs *given, kanon_error *err)
{
    kanon_outputs *w = &out->wanted;
    const kanon_output **const slots[KANON__N_OUTPUTS] = {&w->release, &w->groups, &w->report, &w->report_external,
                                                          &w->codebook};
    kanon_status st = kanon__take_options(w, sizeof *w, given, err);
    for (int i = 0; i < KANON__N_OUTPUTS; i++)
        st = kanon__output_take(&out->taken[i], slots[i], st, err);
    for (int i = 1; i < KANON__N_OUTPUTS && st == KANON_OK; i++)
        st = kanon__output_no_stream(*slots[i], err);
    if (st == KANON_OK)
        st = kanon__outputs_said(w, err);
    if (given != NULL)
        w->struct_size = sizeof *w; /* all fields are there now */
    w->shuffle = w->shuffle || w->shuffle_seed != 0;
    return st == KANON_OK ? kanon__check_seed(w->shuffle_seed, "shuffle_seed", err) : st;
}

void kanon__outputs_locations(const char *out[KANON__N_OUTPUTS], const kanon_outputs *w)
{
    const kanon_output *const outputs[KANON__N_OUTPUTS] = {w->release, w->groups, w->report, w->report_external,
                                                           w->codebook};
    for (int i = 0; i < KANON__N_OUTPUTS; i++)
        out[i] = kanon__output_location(outputs[i]);
}

kanon_status kanon__guarded_outputs_spare(const kanon__guarded_outputs *outputs, const char *state, kanon_error *err)
{
    const char *paths[KANON__N_OUTPUTS];
    kanon__outputs_locations(paths, &outputs->wanted);
    for (int i = 0; i < KANON__N_OUTPUTS; i++)
        if (kanon_state_owns(state, paths[i]))
            return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%s belongs to the state %s", paths[i], state),
                               "choose another name");
    return KANON_OK;
}

void kanon__guarded_outputs_end(kanon__guarded_outputs *outputs)
{
    kanon__outputs_end(outputs->taken, KANON__N_OUTPUTS);
}
