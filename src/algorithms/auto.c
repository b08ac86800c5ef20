/* auto: the least loss for the effort that is asked for. `cases`, at the end, says which algorithms run where.
 *
 * effort=fast is a moment, about one second for 100,000 records. kmember takes a fraction of that, so it runs beside the
 * algorithm of the case, and the better one is kept. Then local search (the refinement `search` of this row) improves the
 * groups for as long as the effort allows; with fast for a moment, and only without constraints.
 *
 * Source: this project; the measurements behind the choices are in docs/loss-on-adult.md.
 * Cost: that of the algorithms that run.
 * Ties: densest. Random numbers: those of the algorithms that run. */
#include "algorithms/algorithm.h"

#include "core/alloc.h"
#include "model/clusters.h"
#include "partition/blocks.h"
#include "partition/row_run.h"
#include "search/tuples.h"

#include <string.h>

/* effort=fast: up to this k, densest on blocks of at least so many records. */
enum { K_FOR_DENSEST = 3, FAST_BLOCK = 3000 };

/* effort=fast: strips take too long above this k where records times k are more than that; their time grows with both. */
enum { K_FOR_STRIPS = 50, WORK_FOR_STRIPS = 5000000 };

/* effort=fast: the part of the table on which algorithms are tried, and how many groups of k it has at least. */
enum { TRIAL_PART = 16, LEAST_TRIAL_GROUPS = 400 };

/* From so many records on (in the table, or in a block) time is better spent on the local search than on a second start. */
enum { LARGE = 60000 };

/* ---- comparing --------------------------------------------------------------------------------------------------- */

/* The loss of the groups in units, with the records left over, if any, placed as they would be. */
static kanon_status measure_loss(int64_t *out, const kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__clusters c = {0};
    *out = 0;
    KANON_TRY(kanon__clusters_init(&c, run->space, run->n_groups, err), out);
    for (int64_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] >= 0)
            kanon__clusters_join(&c, run->group_of[row], row);
    for (int64_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] == KANON__LEFT_OVER)
            kanon__clusters_join(&c, kanon__clusters_cheapest(&c, -1, row), row);
    for (int32_t group = 0; group < run->n_groups; group++)
        *out += kanon__group_loss(c.sizes[group], kanon__box_units(run->space, kanon__clusters_box(&c, group)));
out:
    kanon__clusters_clear(&c);
    return st;
}

/* ---- efforts ----------------------------------------------------------------------------------------------------- */

static kanon_status run_densest(kanon__run *run, kanon_error *err)
{
    return kanon__algorithm_run(run, "densest", err);
}

static kanon_status run_top_down(kanon__run *run, kanon_error *err)
{
    return kanon__algorithm_run(run, "top-down", err);
}

static kanon_status run_strips(kanon__run *run, kanon_error *err)
{
    return kanon__algorithm_run(run, "strips", err);
}

/* An algorithm that does not look at the constraints. */
static kanon_status run_plain(kanon__run *run, kanon__grouper algorithm, kanon_error *err)
{
    kanon__run plain = *run;
    plain.constraints = NULL;
    kanon_status st = algorithm(&plain, err);
    run->n_groups = plain.n_groups;
    return st;
}

/* The local search begins with these: violations are its stepping stones. */
static kanon_status run_plain_densest(kanon__run *run, kanon_error *err)
{
    return run_plain(run, run_densest, err);
}

static kanon_status run_plain_strips(kanon__run *run, kanon_error *err)
{
    return run_plain(run, run_strips, err);
}

static kanon_status run_kmember(kanon__run *run, kanon_error *err)
{
    return kanon__algorithm_run(run, "kmember", err);
}

static kanon_status run_densest_on_blocks(kanon__run *run, kanon_error *err)
{
    const kanon__block_work work = {.least = FAST_BLOCK, .algorithm = run_densest};
    return kanon__blocks_run(run, &work, NULL, err);
}

/* Both, and the groups of the one that loses less; the first where they lose the same, or where it is the only one. */
static kanon_status run_better(kanon__run *run, kanon__grouper first, kanon__grouper second, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run other = *run;
    int64_t loss, other_loss;
    if (second == NULL)
        return first(run, err);
    other.group_of = NULL;
    other.n_groups = 0;
    KANON_TRY(kanon__new_array(&other.group_of, run->space->n_rows, "a grouping", err), out);
    KANON_TRY(first(run, err), out);
    KANON_TRY(second(&other, err), out);
    KANON_TRY(measure_loss(&loss, run, err), out);
    KANON_TRY(measure_loss(&other_loss, &other, err), out);
    if (other_loss < loss) {
        memcpy(run->group_of, other.group_of, (size_t)run->space->n_rows * sizeof *run->group_of);
        run->n_groups = other.n_groups;
    }
out:
    kanon__free(other.group_of);
    return st;
}

/* ---- trials ------------------------------------------------------------------------------------------------------ */

/* A run on some records that lie side by side in sorted order, around the middle. It points into itself: do not copy it. */
typedef struct trial {
    kanon__row_run part;
    int32_t *order, *group_of;
} trial;

static kanon_status begin_trial(trial *t, kanon__run *run, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&t->order, run->space->n_rows, "a trial", err), out);
    KANON_TRY(kanon__new_array(&t->group_of, n, "a trial", err), out);
    KANON_TRY(kanon__sort_rows(t->order, run->space, err), out);
    KANON_TRY(kanon__row_run_init(&t->part, run, t->order + (run->space->n_rows - n) / 2, n, t->group_of, err), out);
    t->part.run.notes = NULL;
out:
    return st;
}

static void end_trial(trial *t)
{
    kanon__row_run_clear(&t->part);
    kanon__free(t->group_of);
    kanon__free(t->order);
}

/* How many records a trial is to have; 0: the table is so small that the algorithms themselves take no longer. */
static int64_t count_trial(const kanon__run *run)
{
    int64_t n = run->space->n_rows, least = LEAST_TRIAL_GROUPS * run->k, part = n / TRIAL_PART;
    part = part < least ? least : part;
    return part <= n / 2 ? part : 0;
}

/* Whether top-down loses no more than strips on n records. */
static kanon_status try_top_down(bool *better, kanon__run *run, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    trial t = {0};
    int64_t strips = 0, top_down = 0;
    KANON_TRY(begin_trial(&t, run, n, err), out);
    KANON_TRY(run_strips(&t.part.run, err), out);
    KANON_TRY(measure_loss(&strips, &t.part.run, err), out);
    t.part.run.n_groups = 0;
    KANON_TRY(run_top_down(&t.part.run, err), out);
    KANON_TRY(measure_loss(&top_down, &t.part.run, err), out);
    *better = top_down <= strips;
out:
    end_trial(&t);
    return st;
}

/* Strips lose less on most tables, top-down where many records share few values, and with larger k. A trial tells; a table
 * too small for one is grouped by both. */
static kanon_status run_strips_or_top_down(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool top_down;
    int64_t n_trial = count_trial(run);
    if (n_trial == 0)
        return run_better(run, run_strips, run_top_down, err);
    KANON_TRY(try_top_down(&top_down, run, n_trial, err), out);
    KANON_TRY(top_down ? run_top_down(run, err) : run_strips(run, err), out);
out:
    return st;
}

/* ---- effort=fast under constraints ------------------------------------------------------------------------------- */

/* Where groups are compared with the whole table, they are made of twice as many records while they lack more than one in so
 * many of them, up to so many records. The repair would merge most of the smaller ones anyway, and with what is near. */
enum { MOST_LACKING_PART = 8, ENOUGH_FOR_TABLE = 16 };

/* Whether most groups violate a constraint. */
static kanon_status measure_violations(bool *most, const kanon__run *run, kanon_error *err)
{
    int64_t violation, n_violating;
    kanon_status st = kanon__groups_violation(&violation, &n_violating, run->constraints, run->group_of, run->n_groups, err);
    *most = st == KANON_OK && 2 * n_violating > run->n_groups;
    return st;
}

/* The same of strips that do not look at the constraints. */
static kanon_status try_plain_strips(bool *most, kanon__run *run, kanon_error *err)
{
    kanon_status st = run_plain_strips(run, err);
    return st == KANON_OK ? measure_violations(most, run, err) : st;
}

/* The same on some records that lie side by side. */
static kanon_status try_part(bool *most, kanon__run *run, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    trial t = {0};
    KANON_TRY(begin_trial(&t, run, n, err), out);
    KANON_TRY(try_plain_strips(most, &t.part.run, err), out);
out:
    end_trial(&t);
    return st;
}

/* Whether larger groups come nearer to what is asked. They do not help to have more entities: the records of one lie side by
 * side. */
static bool size_helps(const kanon__run *run)
{
    bool of_table = false;
    for (int64_t i = 0; i < run->constraints->n; i++)
        of_table = of_table || run->constraints->items[i].model->of_table;
    return of_table && !run->table->has_entity;
}

static kanon_status lacks_much(bool *much, const kanon__run *run, kanon_error *err)
{
    int64_t violation, n_violating;
    kanon_status st = kanon__groups_violation(&violation, &n_violating, run->constraints, run->group_of, run->n_groups, err);
    *much = st == KANON_OK && violation / KANON__VIOLATION_UNIT > run->space->n_rows / MOST_LACKING_PART;
    return st;
}

/* top-down with k, then with twice as many while that helps. */
static kanon_status run_top_down_large(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run larger = *run;
    bool again = true;
    for (; again; larger.k *= 2) {
        larger.n_groups = 0;
        KANON_TRY(run_top_down(&larger, err), out);
        run->n_groups = larger.n_groups;
        again = larger.k < ENOUGH_FOR_TABLE && larger.k <= run->space->n_rows / 2 && size_helps(run);
        if (again)
            KANON_TRY(lacks_much(&again, run, err), out);
    }
out:
    return st;
}

/* The repair starts from these groups. Strips that look at the constraints while they grow need little of it. But where most
 * groups would violate one without that, as with several records of a person side by side, those of top-down end with less
 * loss: they are larger, so fewer of them violate a constraint, and the repair has more to choose from. A trial tells; a
 * table too small for one is grouped for it as a whole. */
static kanon_status run_constrained(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool most = false;
    int64_t n_trial = count_trial(run);
    KANON_TRY(n_trial > 0 ? try_part(&most, run, n_trial, err) : try_plain_strips(&most, run, err), out);
    run->n_groups = 0;
    KANON_TRY(most ? run_top_down_large(run, err) : run_strips(run, err), out);
out:
    return st;
}

/* ---- cases -------------------------------------------------------------------------------------------------------- */

enum { NO, YES, ANY };

/* What decides, each NO, YES or ANY, and what then runs: the better of two, or one alone. The first that fits. */
typedef struct auto_case {
    int fast;
    int least_k;  /* k is at most K_FOR_DENSEST */
    int slow;     /* strips take too long */
    int required; /* there are constraints */
    int wide;     /* no index helps densest */
    int large;    /* LARGE records or more */
    kanon__grouper first, second;
} auto_case;

static const auto_case cases[] = {
    /* fast, least_k, slow, required, wide, large */
    {YES, YES, ANY, ANY, ANY, ANY, run_densest_on_blocks, run_kmember},
    {YES, NO, NO, NO, ANY, ANY, run_strips_or_top_down, run_kmember},
    {YES, NO, YES, NO, ANY, ANY, run_top_down, run_kmember},
    {YES, NO, NO, YES, ANY, ANY, run_constrained, NULL},
    {YES, NO, YES, YES, ANY, ANY, run_top_down_large, NULL},
    {NO, ANY, ANY, ANY, NO, NO, run_plain_densest, run_top_down},
    {NO, ANY, ANY, NO, YES, NO, run_strips, run_kmember},
    {ANY, ANY, ANY, ANY, ANY, ANY, run_plain_strips, NULL},
};

static bool fits(int wanted, bool is)
{
    return wanted == ANY || (wanted == YES) == is;
}

static kanon_status run_auto(kanon__run *run, kanon_error *err)
{
    int64_t n = run->space->n_rows;
    bool fast = kanon__setting_is(run->settings, "effort", "fast");
    bool slow = run->k > K_FOR_STRIPS && n > WORK_FOR_STRIPS / run->k;
    bool wide = run->space->n_dimensions >= KANON__WIDE;
    const auto_case *c = cases; /* the last one always fits */
    while (!(fits(c->fast, fast) && fits(c->least_k, run->k <= K_FOR_DENSEST) && fits(c->slow, slow) &&
             fits(c->required, run->constraints != NULL) && fits(c->wide, wide) && fits(c->large, n >= LARGE)))
        c++;
    return run_better(run, c->first, c->second, err);
}

static const kanon_setting_info auto_settings[] = {
    {.name = "effort",
     .type = KANON_SETTING_CHOICE,
     .default_value = "balanced",
     .choices = "fast|balanced|best",
     .help = "how much time may be spent for less loss: a moment, some seconds, or minutes"}};

const kanon__algorithm kanon__algorithm_auto = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "auto",
                       .brief = "the least loss for the effort: densest, top-down or strips, then local search",
                       .more = "The best choice where nothing speaks for another one. The effort fast is over in a moment, "
                               "balanced takes some seconds, best searches for minutes or as long as the time limit says.",
                       .source = "this project",
                       .revision = 7},
             .settings = auto_settings,
             .n_settings = sizeof auto_settings / sizeof auto_settings[0]},
    .run = run_auto,
    .record_bytes = 60,
    .cell_bytes = 24,
    .records_per_minute = 300000,
    .refinement = "search",
};
