/* Releases of states: what every change with outputs plans and records, and the public functions that only release.
 *
 * A release is a grouping of all records, or of those that joint classes allow (maintain/joint_release.h); it is
 * checked and audited with all before it. */
#include "pipeline/requirements.h"
#include "pipeline/state_run.h"
#include "state/maintain/drift.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/joint_release.h"
#include "state/maintain/releases.h"
#include "state/store/watch.h"

#include <math.h>
#include <stdio.h>

bool kanon__wants_release(const kanon_outputs *outputs)
{
    return outputs != NULL && outputs->release != NULL;
}

kanon_status kanon__average_loss(double *out, const kanon_table *table, const kanon_grouping *grouping, kanon_error *err)
{
    kanon_measures *measures = NULL;
    kanon_evaluate_options brief = {.struct_size = sizeof brief, .brief = 1};
    kanon_status st = kanon_evaluate(&measures, table, grouping, &brief, err);
    const kanon_figure *figure = st == KANON_OK ? kanon_measures_find(measures, "avg_loss", NULL) : NULL;
    *out = figure != NULL ? figure->value : NAN;
    kanon_measures_free(measures);
    return st;
}

kanon_status kanon__describe_release(kanon__release_entry *out, const kanon_table *table, const kanon_grouping *grouping,
                                     kanon_error *err)
{
    *out = (kanon__release_entry){.n_records = grouping->n_rows,
                                  .n_groups = grouping->n_groups,
                                  .n_suppressed = grouping->n_suppressed,
                                  .smallest = grouping->smallest};
    return kanon__average_loss(&out->loss, table, grouping, err);
}

kanon_status kanon__state_group_numbers(int64_t *groups, const kanon__subset *subset, const kanon_grouping *grouping,
                                        kanon_error *err)
{
    int64_t *numbers = NULL, n_released = subset->n - grouping->n_suppressed; /* a state leaves them out */
    KANON_CHECK(kanon__new_array(&numbers, grouping->n_groups + 1, "groups", err));
    for (int64_t row = 0; row < subset->n; row++)
        if (grouping->group_of[row] >= 0)
            numbers[grouping->group_of[row] + 1] = subset->groups[row];
    for (int64_t row = 0; row < n_released; row++)
        groups[row] = numbers[groups[row]];
    kanon__free(numbers);
    return KANON_OK;
}

/* How large joint classes must be: as the caller says, else as the state does. 0: off. */
static int64_t required_joint_k(const kanon__change_run *c)
{
    int64_t said = c->options.joint_k != 0 ? c->options.joint_k : c->state->joint_k;
    return said > 0 ? said : 0;
}

/* Records the release, and audits it with all before it, from what is recorded. Where classes must be large enough, the plan
 * has seen to it. */
static kanon_status record_release(kanon__change_run *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = c->state;
    kanon_change *out = c->out;
    kanon__subset subset = {0};
    kanon__traces traces = {0};
    kanon__joint_counts counts;
    int64_t required = required_joint_k(c);
    c->release.n_withheld = out->withheld;
    c->release.joint_k = required;
    KANON_TRY(kanon__releases_append(s, &c->subset, &c->release, err), out);
    c->is_recorded = true;
    out->release = s->n_releases;
    if (s->n_releases == 1)
        goto out;
    out->joint_k = required > 0 ? required : s->k;
    out->joint_required = required > 0;
    KANON_TRY(kanon__subset_list_all(&subset, s, err), out);
    KANON_TRY(kanon__traces_load(&traces, s, &subset, err), out);
    KANON_TRY(kanon__traces_compare(&counts, &traces, s->n_releases, out->joint_k, err), out);
    out->joint_smallest = counts.smallest;
    out->joint_below = counts.below;
    out->joint_made_below = counts.made_below;
    c->grouping->joint = (kanon__joint_status){.releases = s->n_releases,
                                               .k = out->joint_k,
                                               .required = required > 0,
                                               .smallest = counts.smallest,
                                               .below = counts.below,
                                               .made_below = counts.made_below,
                                               .withheld = out->withheld};
    if (required > 0 && counts.made_below > 0)
        st = kanon__fail(err, KANON_EINTERNAL, "the release has joint classes that are too small");
out:
    kanon__traces_clear(&traces);
    kanon__subset_clear(&subset);
    return st;
}

/* Notes in the grouping, for the report, which requirements it satisfies in addition to k. */
static kanon_status note_requirements(kanon__change_run *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *constraints = NULL;
    kanon__space *space = NULL;
    const kanon_table *t = c->subset.table;
    KANON_TRY(kanon__subset_constraints(&constraints, &c->subset, c->state, err), out);
    KANON_TRY(kanon__space_new(&space, &t->data, t->data.quasi, t->data.n_quasi, KANON__TERMS_LOSS, err), out);
    kanon__run run = {.table = &t->data,
                      .policy = &t->policy, /* withheld records count for the budget: they are in the state */
                      .may_suppress = kanon__fraction_of(t->policy.suppress, c->state->n_records),
                      .space = space,
                      .k = c->state->k,
                      .constraints = constraints};
    KANON_TRY(kanon__requirements_record(c->grouping, &run, err), out);
out:
    kanon__space_free(space);
    kanon__constraints_free(constraints);
    return st;
}

/* What k does not protect in the release: the warnings of the grouping, as one. */
static kanon_status note_privacy(kanon__change_run *c, kanon_error *err)
{
    char *out = c->out->privacy;
    size_t used = 0, size = sizeof c->out->privacy;
    kanon_status st = kanon__requirements_warn_of_values(c->grouping, c->subset.table, err);
    for (int64_t i = 0; st == KANON_OK && i < c->grouping->privacy.n && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s", i > 0 ? "; " : "", c->grouping->privacy.items[i]);
    return st;
}

kanon_status kanon__change_run_release(kanon__change_run *c, kanon_error *err)
{
    kanon_state *s = c->state;
    kanon__drift drift;
    KANON_CHECK(kanon__change_run_read(c, err));
    KANON_CHECK(kanon__drift_measure(&drift, s, &c->subset, err));
    if (drift.n_records > 0 && drift.fresh > 0)
        c->out->drift = drift.now / drift.fresh - 1;
    int64_t joint_k = required_joint_k(c);
    if (joint_k > 0 && kanon__wants_release(c->options.outputs)) {
        kanon__joint_result joint;
        KANON_CHECK(kanon__joint_plan(&c->subset, s, joint_k, &joint, err));
        c->out->withheld = joint.n_withheld;
        c->out->moved = joint.n_moved;
        c->out->merged = joint.n_merged;
        c->out->below_joint_k = joint.n_below;
    }
    KANON_CHECK(kanon__subset_grouping(&c->grouping, &c->subset, s, err));
    KANON_CHECK(kanon__verify_subset(&c->subset, s, c->grouping->group_of, c->grouping->n_groups, err));
    KANON_CHECK(note_requirements(c, err));
    KANON_CHECK(note_privacy(c, err));
    KANON_CHECK(kanon__describe_release(&c->release, c->subset.table, c->grouping, err));
    c->out->loss = c->release.loss;
    if (kanon__wants_release(c->options.outputs))
        KANON_CHECK(record_release(c, err));
    return KANON_OK;
}

/* Without outputs nothing would be released, and the call is refused. */
kanon_status kanon__state_release_all(kanon_state *state, const kanon_change_options *options, kanon_outputs *numbered,
                                      int64_t *n_rows, kanon_change *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__change_run c;
    KANON_TRY(kanon__change_run_begin(&c, state, "release", options, out, err), out);
    if (c.options.outputs == NULL)
        KANON_TRY(kanon__fail(err, KANON_EINVAL, "no outputs are asked for"), out);
    c.numbered = numbered;
    KANON_TRY(kanon__change_run_complete(&c, err), out);
    if (n_rows != NULL)
        *n_rows = c.subset.n - c.grouping->n_suppressed;
    if (kanon__wants_release(c.options.outputs))
        kanon__watch_restart(state);
    if (out->withheld + out->moved + out->merged > 0) /* it does not show the groups of the state */
        kanon__watch_give_up(state);
out:
    kanon__change_run_end(&c);
    return st;
}

kanon_status kanon_state_release(kanon_state *state, const kanon_change_options *options, kanon_change *out,
                                 kanon_error *err)
{
    kanon__change_call call;
    kanon_status st = kanon__change_call_begin(&call, state, options, out, err);
    if (st == KANON_OK)
        st = kanon__state_release_all(state, &call.options, NULL, NULL, &call.done, err);
    return kanon__change_call_end(&call, st);
}
