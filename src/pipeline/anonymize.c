/* kanon_anonymize: one run, from options to a checked grouping. First the plan (run_plan.h), then steps whose order
 * depends on what the groups are made of (`steps`, below). */
#include "core/alloc.h"
#include "core/context.h"
#include "enforce/suppression.h"
#include "model/grouping.h"
#include "partition/blocks.h"
#include "pipeline/entity_notice.h"
#include "pipeline/released_notice.h"
#include "pipeline/recode_maps.h"
#include "pipeline/requirements.h"
#include "pipeline/run_plan.h"
#include "pipeline/said_run.h"
#include "pipeline/start.h"
#include "verify/verify.h"

#include <stdio.h>
#include <string.h>

/* ---- steps -------------------------------------------------------------------------------------------------------- */

/* What the steps of a run tell each other. */
typedef struct making {
    const kanon__plan *plan;
    bool refined; /* blocks were refined, too */
    bool sound;   /* the groups that were given may be the result as they are */
} making;

/* The algorithm on the whole table or, where a block plan was made, on one block after the other; then the blocks are also
 * refined, where the plan says so. */
static kanon_status run_algorithm(void *payload, kanon__run *run, kanon_error *err)
{
    making *m = payload;
    const kanon__plan *p = m->plan;
    if (p->blocks.least_records == 0)
        return p->algorithm->run(run, err);
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, run->ticker->tick, run->ticker->payload, "refining");
    ticker.anytime = true;
    kanon__block_work work = {.least = p->blocks.least_records,
                              .row_bytes = p->blocks.row_bytes,
                              .most_bytes = p->blocks.block_bytes,
                              .algorithm = p->algorithm->run,
                              .refining_ticker = &ticker};
    if (kanon__plan_refines_blocks(p))
        work.refining = (kanon__block_refining){p->refinement->run, &p->refining};
    return kanon__blocks_run(run, &work, &m->refined, err);
}

/* The independent check of sizes, constraints, entities and the budget (invariants 1 and 2). What suppressed records are
 * together is known once the groups are `complete`. */
static kanon_status verify(const kanon__run *run, bool complete, kanon_error *err)
{
    kanon__policy policy = *run->policy;
    policy.keep_suppressed = policy.keep_suppressed && complete;
    const kanon__requirement required = {.policy = &policy, .k = run->k, .most_suppressed = run->may_suppress};
    return kanon__verify_requirement(run->table, &required, run->group_of, run->n_groups, err);
}

/* The refinement gets groups with numbers 0 .. n_groups - 1 and a ticker and settings of its own. */
static kanon_status refine(making *m, kanon__run *run, kanon_error *err)
{
    const kanon__plan *p = m->plan;
    kanon__ticker ticker;
    int64_t n_groups = run->n_groups;
    if (p->refinement == NULL || m->refined)
        return KANON_OK;
    KANON_CHECK(kanon__grouping_renumber(run->group_of, run->table->n_rows, &n_groups, err));
    run->n_groups = (int32_t)n_groups;
    kanon__ticker_init(&ticker, run->ticker->tick, run->ticker->payload, "refining");
    kanon__run refined = *run;
    refined.ticker = &ticker;
    refined.settings = &p->refining;
    refined.in_blocks = p->blocks.least_records > 0;
    KANON_CHECK(p->refinement->run(&refined, err));
    run->n_groups = refined.n_groups;
    run->stopped = run->stopped || refined.stopped;
    return KANON_OK;
}

/* Where the release would not be sound with what becomes of suppressed records, all of them return to the groups. A mapping
 * of attributes is made anew without any, as it leaves no choice record by record. */
static kanon_status settle_suppressed(making *m, kanon__run *run, kanon_error *err)
{
    int64_t may = run->may_suppress;
    bool holds;
    KANON_CHECK(kanon__requirements_suppressed_hold(&holds, run, err));
    if (holds)
        return KANON_OK;
    KANON_CHECK(kanon__texts_addf(run->warnings, err, "no record is suppressed: %s",
                                  run->policy->keep_suppressed
                                      ? "such records are to be released, and those that would be are no class that "
                                        "satisfies what is required"
                                      : "without those that would be, a group differs from the released table by more than "
                                        "is allowed"));
    run->may_suppress = 0;
    kanon_status st = m->plan->recode ? run_algorithm(m, run, err) : kanon__requirements_meet(run, err);
    run->may_suppress = may;
    return st;
}

/* ---- order of steps ------------------------------------------------------------------------------------------------ */

typedef enum step {
    DONE,
    TAKE_GIVEN,
    GROUP,
    CHECK_SIZES,
    KEEP_TO_BUDGET, /* an algorithm that suppresses by itself does not know the budget */
    MEET,
    CHECK,
    REFINE,
    MEET_AGAIN, /* refined groups may look alike, and an entity is then counted once in what were two */
    SETTLE_SUPPRESSED,
    KEEP_BETTER,
    CHECK_RESULT
} step;

static kanon_status take_step(making *m, step next, kanon__run *run, kanon_error *err)
{
    const kanon__plan *p = m->plan;
    bool may_differ = p->refinement != NULL && run->constraints != NULL && run->table->has_entity;
    switch (next) {
    case TAKE_GIVEN:
        return kanon__start_take(run, p->start, p->repair, &m->sound, err);
    case GROUP:
        return kanon__requirements_group(run, run_algorithm, m, err);
    case CHECK_SIZES:
        return kanon__verify_grouping(run->table, run->group_of, run->n_groups, run->k, err);
    case KEEP_TO_BUDGET:
        return run->may_suppress > 0 ? kanon__unsuppress(run, run->may_suppress, false, err) : KANON_OK;
    case MEET:
        return kanon__requirements_meet(run, err);
    case CHECK:
        return verify(run, false, err);
    case REFINE:
        return refine(m, run, err);
    case MEET_AGAIN:
        return may_differ ? kanon__requirements_meet(run, err) : KANON_OK;
    case SETTLE_SUPPRESSED:
        return settle_suppressed(m, run, err);
    case KEEP_BETTER:
        return m->sound ? kanon__start_keep(run, p->start, err) : KANON_OK;
    case CHECK_RESULT:
        return verify(run, true, err);
    case DONE:
        break;
    }
    return KANON_OK;
}

typedef enum making_case { MAPPING, GIVEN, SEARCH_FIRST, REPAIR_FIRST } making_case;

static making_case case_of(const kanon__plan *p)
{
    bool search_repairs = p->constraints != NULL && p->refinement != NULL && p->refinement->takes_violations;
    return p->recode ? MAPPING : p->start != NULL ? GIVEN : search_repairs ? SEARCH_FIRST : REPAIR_FIRST;
}

/* The order of steps. What was given, or made by an algorithm, must hold by itself before anything changes it.
 *
 * MAPPING: the algorithm meets constraints and budget by itself, and leaves no choice record by record.
 * GIVEN: the groups hold, or are repaired before they are made better; they stay where nothing better is found.
 * SEARCH_FIRST: the refinement looks itself for groups that keep the constraints, and for records to suppress, at less loss
 * than a repair would find. What it leaves is repaired.
 * REPAIR_FIRST: without constraints there is nothing to repair, and records that are far from all others are best suppressed
 * before the refinement. */
static const step steps[][10] = {
    [MAPPING] = {GROUP, CHECK_SIZES, CHECK, SETTLE_SUPPRESSED, CHECK_RESULT},
    [GIVEN] = {TAKE_GIVEN, CHECK_SIZES, MEET, CHECK, REFINE, MEET_AGAIN, SETTLE_SUPPRESSED, KEEP_BETTER, CHECK_RESULT},
    [SEARCH_FIRST] = {GROUP, CHECK_SIZES, KEEP_TO_BUDGET, REFINE, MEET, SETTLE_SUPPRESSED, CHECK_RESULT},
    [REPAIR_FIRST] = {GROUP, CHECK_SIZES, MEET, CHECK, REFINE, MEET_AGAIN, SETTLE_SUPPRESSED, CHECK_RESULT},
};

static kanon_status make_groups(const kanon__plan *p, kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    making m = {.plan = p};
    for (const step *next = steps[case_of(p)]; st == KANON_OK && *next != DONE; next++)
        st = take_step(&m, *next, run, err);
    return st;
}

/* The groups that there would be if nothing were asked in addition to k. */
static kanon_status run_freely(void *payload, kanon__run *run, kanon_error *err)
{
    kanon_status st = run_algorithm(payload, run, err);
    return st == KANON_OK ? refine(payload, run, err) : st;
}

/* Everything that exists during the run only is made here: space, room for groups, lists of warnings and notes,
 * recode maps. What belongs to the result moves into the grouping. */
static kanon_status run_and_check(kanon_grouping **out, const kanon__plan *p, kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    kanon__space *space = NULL;
    kanon__texts warnings = {0}, chosen = {0}, notes = {0}, repeat = {0};
    kanon__recode_maps maps = {0};
    making freely = {.plan = p};
    int64_t n_rows = run->table->n_rows;
    double begin = kanon__seconds();
    run->warnings = &warnings;
    run->chosen = &chosen;
    run->notes = &notes;
    run->repeat = &repeat;
    if (p->recode)
        KANON_TRY(kanon__recode_maps_init(&maps, run->table, err), out);
    run->recode_maps = maps.ranges;
    KANON_TRY(kanon__space_new(&space, run->table, run->table->quasi, run->table->n_quasi, KANON__TERMS_LOSS, err), out);
    run->space = space;
    KANON_TRY(kanon__new_array(&run->group_of, n_rows, "a grouping", err), out);
    KANON_TRY(make_groups(p, run, err), out);
    st = kanon__grouping_adopt(&g, run->group_of, n_rows, run->n_groups, err);
    run->group_of = NULL;
    if (st != KANON_OK)
        goto out;
    KANON_TRY(kanon__plan_record(g, p, run, err), out);
    KANON_TRY(kanon__requirements_record(g, run, err), out);
    KANON_TRY(kanon__grouping_set_repeat(g, &repeat, err), out);
    g->stopped = run->stopped;
    g->warnings = warnings;
    warnings = (kanon__texts){0};
    g->notes = notes;
    notes = (kanon__texts){0};
    if (p->recode)
        kanon__recode_maps_hand_over(&maps, g);
    g->seconds = kanon__seconds() - begin;
    if (p->compare && !run->stopped) /* who has stopped one search does not want another */
        KANON_TRY(kanon__requirements_loss_without(&g->loss_without, run, run_freely, &freely, err), out);
    if (g->n_suppressed == 0 && g->loss_with < g->loss_without) /* these groups hold without the requirements, too */
        g->loss_without = g->loss_with;
    *out = g;
    g = NULL;
out:
    kanon_grouping_free(g);
    kanon__free(run->group_of);
    kanon__space_free(space);
    kanon__recode_maps_clear(&maps);
    kanon__texts_clear(&repeat);
    kanon__texts_clear(&notes);
    kanon__texts_clear(&chosen);
    kanon__texts_clear(&warnings);
    return st;
}

static kanon_status anonymize(kanon_grouping **out, const kanon_table *table, const kanon_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_options o;
    kanon__plan p = {0};
    kanon__ticker ticker;
    kanon_grouping *g = NULL;
    *out = NULL;
    KANON_TRY(kanon__run_options_take(&o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    KANON_TRY(kanon__plan_make(&p, table, &o, err), out);
    kanon__ticker_init(&ticker, o.tick, o.payload, "grouping");
    kanon__run run = kanon__plan_run(&p, table, &o, &ticker);
    KANON_TRY(run_and_check(&g, &p, &run, err), out);
    kanon__grouping_bind(g, table);
    KANON_TRY(kanon__grouping_draw(g, table, NULL, NULL, err), out);
    KANON_TRY(kanon__requirements_warn_of_values(g, table, err), out);
    KANON_TRY(kanon__entity_notice(g, table, err), out);
    KANON_TRY(kanon__released_notice(g, table, err), out);
    KANON_TRY(kanon__grouping_tell(g, err), out);
    *out = g;
    g = NULL;
out:
    kanon_grouping_free(g);
    kanon__plan_clear(&p);
    return st;
}

kanon_status kanon_anonymize(kanon_grouping **out, const kanon_table *table, const kanon_options *options, kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    return kanon__call_end(&call, anonymize(out, table, options, err));
}
