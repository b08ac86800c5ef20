/* See guarded_outputs.h. A copy of the caller's outputs, one guard per sink. */
#include "pipeline/guarded_outputs.h"

#include "core/take_options.h"

kanon_status kanon__guarded_outputs_begin(kanon__guarded_outputs *out, const kanon_outputs *given, kanon_error *err)
{
    kanon_status st = kanon__take_options(&out->wanted, sizeof out->wanted, given, err);
    kanon__sink_guard_begin(&out->guards[0], &out->wanted.release_to);
    kanon__sink_guard_begin(&out->guards[1], &out->wanted.groups_to);
    kanon__sink_guard_begin(&out->guards[2], &out->wanted.report_to);
    kanon__sink_guard_begin(&out->guards[3], &out->wanted.report_external_to);
    kanon__sink_guard_begin(&out->guards[4], &out->wanted.codebook_to);
    if (given != NULL)
        out->wanted.struct_size = sizeof out->wanted; /* all fields are there now */
    out->wanted.shuffle = out->wanted.shuffle || out->wanted.shuffle_seed != 0;
    return st == KANON_OK ? kanon__check_seed(out->wanted.shuffle_seed, "shuffle_seed", err) : st;
}

kanon_status kanon__guarded_outputs_spare(const kanon__guarded_outputs *outputs, const char *state, kanon_error *err)
{
    const kanon_outputs *w = &outputs->wanted;
    const char *const paths[KANON__N_OUTPUTS] = {w->release, w->groups, w->report, w->report_external, w->codebook};
    const kanon_sink *const sinks[KANON__N_OUTPUTS] = {w->release_to, w->groups_to, w->report_to, w->report_external_to,
                                                       w->codebook_to};
    for (int i = 0; i < KANON__N_OUTPUTS; i++)
        if (sinks[i] == NULL && kanon_state_owns(state, paths[i]))
            return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%s belongs to the state %s", paths[i], state),
                               "choose another name");
    return KANON_OK;
}

void kanon__guarded_outputs_end(kanon__guarded_outputs *outputs)
{
    kanon__sink_guard_end(outputs->guards, KANON__N_OUTPUTS);
}
