/* The public functions that change states, and the run of every change: state_run.h has its order. */
#include "core/alloc.h"
#include "core/pool.h"
#include "core/take_options.h"
#include "pipeline/publish.h"
#include "pipeline/requirements.h"
#include "pipeline/run_plan.h"
#include "pipeline/state_run.h"
#include "refine/refinement.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/watched_changes.h"
#include "state/store/state_requirements.h"
#include "table/read/arrow_source.h"
#include "table/read/open_table.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- one change -------------------------------------------------------------------------------------------------- */

kanon_status kanon__change_call_begin(kanon__change_call *c, kanon_state *s, const kanon_change_options *options,
                                      kanon_change *out, kanon_error *err)
{
    c->done = (kanon_change){.loss_before = NAN, .loss = NAN, .drift = NAN};
    c->given = out;
    kanon__state_call_begin(&c->call, s);
    kanon_status taken = kanon__take_options(&c->options, sizeof c->options, options, err);
    kanon_status st = kanon__guarded_outputs_begin(&c->outputs, c->options.outputs, err);
    if (st == KANON_OK)
        st = kanon__check_out(out, err);
    if (c->options.outputs != NULL)
        c->options.outputs = &c->outputs.wanted;
    if (c->outputs.wanted.tick == NULL)
        c->outputs.wanted.tick = s->tick, c->outputs.wanted.payload = s->payload;
    if (st == KANON_OK && c->options.joint_k < 0 && c->options.joint_k != KANON_JOINT_K_OFF)
        st = kanon__fail(err, KANON_EINVAL, "joint_k is negative");
    if (st == KANON_OK)
        st = kanon__guarded_outputs_spare(&c->outputs, s->store.path, err);
    return taken != KANON_OK ? taken : st;
}

kanon_status kanon__change_call_end(kanon__change_call *c, kanon_status status)
{
    kanon__guarded_outputs_end(&c->outputs);
    if (kanon__check_out(c->given, NULL) == KANON_OK)
        kanon__give_out(c->given, &c->done, sizeof c->done);
    return kanon__state_call_end(&c->call, status);
}

kanon_status kanon__change_run_begin(kanon__change_run *c, kanon_state *s, const char *command,
                                     const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    *c = (kanon__change_run){.state = s, .options = *options, .out = out, .command = command};
    return kanon__session_begin(s, true, err);
}

kanon_status kanon__change_run_read(kanon__change_run *c, kanon_error *err)
{
    if (c->subset.table != NULL)
        return KANON_OK;
    KANON_CHECK(kanon__subset_list_all(&c->subset, c->state, err));
    return kanon__subset_read_table(&c->subset, c->state, err);
}

void kanon__change_note_counts(kanon_change *out, const kanon_state *s)
{
    out->records = s->n_records;
    out->groups = s->n_groups;
    out->suppressed = s->n_suppressed;
}

/* The end of every change, called by kanon__publish: the state is committed and the files get their names, or neither.
 * Without files `files` is NULL. */
static kanon_status finish(kanon__finished *files, void *payload, kanon_error *err)
{
    kanon__change_run *c = payload;
    kanon_state *s = c->state;
    const kanon_outputs *wanted = c->options.outputs;
    if (files != NULL && kanon__wants_release(wanted) && wanted->release->stream != NULL && wanted->group_numbers != NULL)
        KANON_CHECK(kanon__state_group_numbers(wanted->group_numbers, &c->subset, c->grouping, err));
    if (c->is_recorded)
        KANON_CHECK(kanon__release_rows_set_checksum(s, files->release_sha256, err));
    KANON_CHECK(kanon__watched_note(s, err));
    KANON_CHECK(kanon__session_save(s, c->command, c->detail, err));
    KANON_CHECK(kanon__session_commit(s, files != NULL ? kanon__finished_name : NULL, files, err));
    c->out->committed = 1;
    return KANON_OK;
}

/* No release is possible. Records that must go, or be put right, cannot wait for one: nothing of the release is recorded
 * or written, the change is committed, and the call fails. */
static kanon_status commit_without_release(kanon__change_run *c, kanon_status st, kanon_error *err)
{
    if (st != KANON_EINFEASIBLE || !c->must_commit || c->is_recorded)
        return st;
    kanon_error other = KANON_INIT(kanon_error);
    kanon_status committed = finish(NULL, c, &other);
    if (committed != KANON_OK) {
        kanon__error_copy(err, &other);
        return committed;
    }
    c->out->withheld = c->out->moved = c->out->merged = c->out->below_joint_k = 0;
    return kanon__place(err, st, "the change is made, but no release is written: ");
}

kanon_status kanon__change_run_complete(kanon__change_run *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__change_note_counts(c->out, c->state);
    KANON_TRY(kanon__group_index_smallest(c->state->index, &c->out->k, err), out);
    if (c->options.outputs == NULL) {
        KANON_TRY(finish(NULL, c, err), out);
        goto out;
    }
    st = kanon__change_run_release(c, err);
    if (st != KANON_OK) {
        st = commit_without_release(c, st, err);
        goto out;
    }
    if (c->numbered != NULL) /* only here is it known how many rows there are */
        KANON_TRY(kanon__new_array(&c->numbered->group_numbers, c->subset.n, "groups", err), out);
    KANON_TRY(kanon__publish(c->subset.table, c->grouping, c->options.outputs, err, finish, c), out);
out:
    return st;
}

void kanon__change_run_end(kanon__change_run *c)
{
    kanon_grouping_free(c->grouping);
    kanon__subset_clear(&c->subset);
    kanon__session_end(c->state);
}

/* ---- deltas ------------------------------------------------------------------------------------------------------ */

/* Applies the rows of `source`, which is taken over in any case. */
static kanon_status apply_source(kanon_state *s, kanon__source *source, kanon_change_kind kind,
                                 const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    static const char *const commands[] = {"insert", "delete", "update"};
    kanon_status st = KANON_OK;
    kanon__change_run c;
    kanon__delta_result done;
    KANON_TRY(kanon__change_run_begin(&c, s, commands[kind], options, out, err), out);
    c.must_commit = kind != KANON_INSERT;
    kanon__delta_options how = {kind, c.options.grow_taxonomy != 0, c.options.again != 0, c.options.effort};
    st = kanon__session_apply(s, source, &how, &done, err);
    source = NULL;
    if (st != KANON_OK)
        goto out;
    out->changed = done.n_records;
    out->splits = done.n_splits;
    out->dispersed = done.n_dispersed;
    out->grown = done.n_grown;
    snprintf(out->question, sizeof out->question, "%s", done.question);
    out->repaired = done.n_repaired;
    int used = snprintf(c.detail, sizeof c.detail, "%lld records, %lld groups split, %lld dispersed",
                        (long long)done.n_records, (long long)done.n_splits, (long long)done.n_dispersed);
    if (kanon__state_has_requirements(s))
        snprintf(c.detail + used, sizeof c.detail - (size_t)used, ", %lld repaired", (long long)done.n_repaired);
    KANON_TRY(kanon__change_run_complete(&c, err), out);
out:
    kanon__change_run_end(&c);
    kanon__source_free(source);
    return st;
}

/* Whether a delta has a header, where nobody said so. The table of the state had one unless its columns are called c1,
 * c2, ...; a delta has one then, too, whatever the names look like, since columns are found by their names. */
static kanon_status find_header(kanon_header *out, kanon_state *state, kanon_error *err)
{
    char place[24];
    kanon_status st = kanon__session_begin(state, false, err);
    for (int i = 0; st == KANON_OK && i < state->n_columns; i++) {
        snprintf(place, sizeof place, "c%d", i + 1);
        if (strcmp(state->columns[i].name, place) != 0)
            *out = KANON_HEADER_YES;
    }
    kanon__session_end(state);
    return st;
}

/* All rows are read before the session begins. */
kanon_status kanon_state_change(kanon_state *state, kanon_change_kind kind, const kanon_input *delta,
                                const kanon_change_options *options, kanon_change *out, kanon_error *err)
{
    kanon__change_call call;
    kanon__input input;
    kanon__csv_reading how;
    kanon__source *source = NULL;
    kanon__ticker ticker;
    kanon_status st = kanon__change_call_begin(&call, state, options, out, err);
    kanon__ticker_init(&ticker, state->tick, state->payload, "reading");
    if (st == KANON_OK && ((int)kind < KANON_INSERT || kind > KANON_UPDATE))
        st = kanon__fail(err, KANON_EINVAL, "there is no change of number %d", (int)kind);
    KANON_TRY(kanon__table_input_take(&input, &how, delta, st, err), out);
    if (how.header == KANON_HEADER_UNSAID && input.stream == NULL)
        st = find_header(&how.header, state, err);
    if (st != KANON_OK) {
        kanon__input_close(&input);
        goto out;
    }
    KANON_TRY(kanon__table_source_read(&source, &input, &how, &ticker, err), out);
    st = apply_source(state, source, kind, &call.options, &call.done, err);
out:
    return kanon__change_call_end(&call, st);
}

/* ---- refining ---------------------------------------------------------------------------------------------------- */

/* The refinement of that name; an unknown one is answered with the known names. */
static kanon_status find_refinement(const kanon__refinement **out, const char *name, kanon_error *err)
{
    *out = kanon__refinement_find(name);
    return *out != NULL ? KANON_OK : kanon__fail_unknown_name("refinement", name, kanon__refinement_entry, err);
}

/* Run the refinement on all records of the state as if they were a table, then enforce the constraints on classes
 * and check the groups independently. group_of and n_groups become the new groups. */
static kanon_status run_refinement(const kanon__refinement *refinement, kanon__change_run *c, int32_t *group_of,
                                   int64_t *n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__space *space = NULL;
    kanon__constraints *constraints = NULL;
    kanon__settings settings = {0};
    int64_t n_repaired = 0;
    kanon__texts warnings = {0}, chosen = {0};
    kanon__ticker ticker;
    const kanon_table *t = c->subset.table;
    kanon__ticker_init(&ticker, c->state->tick, c->state->payload, "refining");
    KANON_TRY(kanon__requirements_allow(&t->data, &t->policy, true, err), out);
    KANON_TRY(kanon__settings_init(&settings, &refinement->info, NULL, 0, err), out);
    KANON_TRY(kanon__space_new(&space, &t->data, t->data.quasi, t->data.n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__subset_constraints(&constraints, &c->subset, c->state, err), out);
    kanon__run run = {.table = &t->data,
                      .policy = &t->policy,
                      .may_suppress = 0, /* no command suppresses records */
                      .space = space,
                      .constraints = constraints,
                      .k = c->state->k,
                      .seed = c->state->seed,
                      .threads = kanon__pool_threads(0),
                      .settings = &settings,
                      .ticker = &ticker,
                      .warnings = &warnings,
                      .chosen = &chosen,
                      .group_of = group_of,
                      .n_groups = (int32_t)*n_groups};
    KANON_TRY(refinement->run(&run, err), out);
    *n_groups = run.n_groups;
    KANON_TRY(kanon__grouping_renumber(group_of, t->data.n_rows, n_groups, err), out);
    run.n_groups = (int32_t)*n_groups;
    KANON_TRY(kanon__enforce_on_classes(&run, &n_repaired, err), out);
    *n_groups = run.n_groups;
    KANON_TRY(kanon__verify_subset(&c->subset, c->state, group_of, *n_groups, err), out);
out:
    kanon__constraints_free(constraints);
    kanon__texts_clear(&chosen);
    kanon__texts_clear(&warnings);
    kanon__settings_clear(&settings);
    kanon__space_free(space);
    return st;
}

/* Refine the groups and replace those of the state. Old numbers are kept where possible, because releases name
 * groups by them. */
static kanon_status refine(kanon__change_run *c, const kanon__refinement *refinement, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = c->state;
    kanon_grouping *before = NULL, *after = NULL;
    int64_t *numbers = NULL, n_groups;
    KANON_TRY(kanon__change_run_read(c, err), out);
    KANON_TRY(kanon__subset_grouping(&before, &c->subset, s, err), out);
    KANON_TRY(kanon__average_loss(&c->out->loss_before, c->subset.table, before, err), out);
    n_groups = before->n_groups;
    KANON_TRY(run_refinement(refinement, c, before->group_of, &n_groups, err), out);
    KANON_TRY(kanon__number_groups(&numbers, &c->subset, s, before->group_of, n_groups, err), out);
    KANON_TRY(kanon__session_replace_groups(s, before->group_of, numbers, n_groups, err), out);
    for (int64_t row = 0; row < c->subset.n; row++)
        c->subset.groups[row] = before->group_of[row] >= 0 ? numbers[before->group_of[row]] : 0;
    KANON_TRY(kanon__subset_grouping(&after, &c->subset, s, err), out);
    KANON_TRY(kanon__average_loss(&c->out->loss, c->subset.table, after, err), out);
out:
    kanon__free(numbers);
    kanon_grouping_free(after);
    kanon_grouping_free(before);
    return st;
}

static kanon_status improve(kanon_state *state, const char *refinement, const kanon_change_options *options,
                             kanon_change *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__change_run c;
    const kanon__refinement *found = NULL;
    KANON_TRY(kanon__change_run_begin(&c, state, "improve", options, out, err), out);
    KANON_TRY(find_refinement(&found, refinement != NULL ? refinement : "il-optimization", err), out);
    KANON_TRY(refine(&c, found, err), out);
    snprintf(c.detail, sizeof c.detail, "%s", found->info.shown.name);
    KANON_TRY(kanon__change_run_complete(&c, err), out);
out:
    kanon__change_run_end(&c);
    return st;
}

kanon_status kanon_state_improve(kanon_state *state, const char *refinement, const kanon_change_options *options,
                                 kanon_change *out, kanon_error *err)
{
    kanon__change_call call;
    kanon_status st = kanon__change_call_begin(&call, state, options, out, err);
    return kanon__change_call_end(&call, st == KANON_OK ? improve(state, refinement, &call.options, &call.done, err) : st);
}
