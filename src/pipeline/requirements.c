/* See requirements.h. Entities that stay together are grouped as one record each; afterwards constraints are repaired,
 * records suppressed within the budget, and what this cost is recorded for the report. Calls constraints, enforce and
 * partition/row_run.h. */
#include "pipeline/requirements.h"

#include "core/alloc.h"
#include "enforce/equal_groups.h"
#include "enforce/mutable_groups.h"
#include "enforce/repair.h"
#include "enforce/suppression.h"
#include "measures/measure.h"
#include "model/clusters.h"
#include "partition/row_run.h"
#include "pipeline/recode_maps.h"

#include <math.h>
#include <string.h>

kanon_status kanon__requirements_new(kanon__constraints **out, const kanon__data *table, const kanon__policy *policy,
                                     int64_t k, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraints *constraints = NULL;
    *out = NULL;
    KANON_TRY(kanon__constraints_new(&constraints, table, policy, k, err), out);
    if (constraints != NULL)
        KANON_TRY(kanon__constraints_check_feasible(constraints, err), out);
    *out = constraints;
    constraints = NULL;
out:
    kanon__constraints_free(constraints);
    return st;
}

bool kanon__requirements_none(const kanon__run *run)
{
    return run->constraints == NULL && run->may_suppress < 0;
}

kanon_status kanon__requirements_allow(const kanon__data *table, const kanon__policy *policy, bool refined, kanon_error *err)
{
    if (!refined || !table->has_entity || !policy->entity_together)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "a refinement moves single records, and entities are to stay together");
    return kanon__hint(err, st, "leave out the refinement, or entity-together");
}

/* ---- entities that stay together --------------------------------------------------------------------------------- */

/* The first row of each entity, and by row which of these stands for it. */
static kanon_status find_representatives(int32_t **representatives, int32_t **representative_of, const kanon__data *t,
                                         kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *number = NULL, n = 0;
    KANON_TRY(kanon__new_array(representatives, t->n_entities, "entities", err), out);
    KANON_TRY(kanon__new_array(representative_of, t->n_rows, "entities", err), out);
    KANON_TRY(kanon__new_array(&number, t->n_entities, "entities", err), out);
    for (int32_t row = 0; row < t->n_rows; row++) {
        int32_t *own = &number[kanon__code_at(t->entity_codes, row)];
        if (*own == 0) {
            (*representatives)[n] = row;
            *own = ++n;
        }
        (*representative_of)[row] = *own - 1;
    }
out:
    kanon__free(number);
    return st;
}

static kanon_status group_entities(kanon__run *run, kanon__runner runner, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *representatives = NULL, *representative_of = NULL, *group_of = NULL;
    kanon__row_run part = {0};
    const kanon__data *whole = run->table;
    KANON_TRY(find_representatives(&representatives, &representative_of, whole, err), out);
    KANON_TRY(kanon__new_array(&group_of, whole->n_entities, "entities", err), out);
    KANON_TRY(kanon__row_run_init(&part, run, representatives, whole->n_entities, group_of, err), out);
    if (run->may_suppress >= 0) /* a representative stands for any number of records: none of them is suppressed */
        part.run.may_suppress = 0;
    part.run.notes = NULL; /* what is proven of the representatives does not hold of all records */
    KANON_TRY(runner(payload, &part.run, err), out);
    run->n_groups = part.run.n_groups;
    for (int64_t row = 0; row < whole->n_rows; row++)
        run->group_of[row] = group_of[representative_of[row]];
out:
    kanon__row_run_clear(&part);
    kanon__free(group_of);
    kanon__free(representative_of);
    kanon__free(representatives);
    return st;
}

kanon_status kanon__requirements_group(kanon__run *run, kanon__runner runner, void *payload, kanon_error *err)
{
    if (run->table->has_entity && run->policy->entity_together)
        return group_entities(run, runner, payload, err);
    return runner(payload, run, err);
}

/* ---- afterwards -------------------------------------------------------------------------------------------------- */

/* Groups that satisfy everything already are left as the algorithm made them. */
static kanon_status repair_if_needed(kanon__run *run, bool together, kanon_error *err)
{
    bool holds = true;
    kanon_status st = kanon__constraints_hold(&holds, NULL, run->constraints, run->group_of, run->n_groups, err);
    return st == KANON_OK && !holds ? kanon__repair(run, run->may_suppress, together, err) : st;
}

/* An entity in two groups counts in both, so that two groups may satisfy a constraint that their union violates. Where
 * the two look alike, the union is what the release shows. */
static kanon_status repair_classes(kanon__run *run, kanon_error *err)
{
    for (int64_t n_merged = 1; n_merged > 0;) {
        KANON_CHECK(kanon__merge_equal_groups(run, &n_merged, err));
        KANON_CHECK(repair_if_needed(run, false, err));
    }
    return KANON_OK;
}

kanon_status kanon__requirements_meet(kanon__run *run, kanon_error *err)
{
    const kanon__data *t = run->table;
    bool together = t->has_entity && run->policy->entity_together;
    int64_t may = run->may_suppress;
    if (may >= 0)
        KANON_CHECK(kanon__unsuppress(run, may, together, err));
    KANON_CHECK(repair_if_needed(run, together, err));
    if (may > 0 && !together)
        KANON_CHECK(kanon__suppress(run, may, err));
    if (t->has_entity && !together && run->policy->n_constraints > 0)
        KANON_CHECK(repair_classes(run, err));
    return KANON_OK;
}

/* The suppressed records as group 0, all others in none. Groups that look alike are judged together where entities have
 * several records, so in a second trial it also has the groups that may show nothing, because they lose as much. */
static kanon_status list_kept(int32_t *out, const kanon__run *run, bool with_general, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__clusters c = {0};
    int64_t full = 0;
    for (int i = 0; i < run->space->n_dimensions; i++)
        full += run->space->dimensions[i].full;
    KANON_TRY(kanon__clusters_init(&c, run->space, with_general ? run->n_groups : 0, err), out);
    for (int64_t row = 0; with_general && row < run->table->n_rows; row++)
        if (run->group_of[row] >= 0)
            kanon__clusters_join(&c, run->group_of[row], row);
    for (int64_t row = 0; row < run->table->n_rows; row++) {
        int32_t group = run->group_of[row];
        bool general = with_general && group >= 0 && kanon__box_units(run->space, kanon__clusters_box(&c, group)) >= full;
        out[row] = group < 0 || general ? 0 : -1;
    }
out:
    kanon__clusters_clear(&c);
    return st;
}

static kanon_status kept_hold(bool *out, const kanon__run *run, int64_t n_suppressed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *kept = NULL;
    *out = n_suppressed >= run->k;
    if (!*out || run->constraints == NULL)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&kept, run->table->n_rows, "suppressed records", err), out);
    for (int with_general = 0; *out && with_general <= (run->table->has_entity ? 1 : 0); with_general++) {
        KANON_TRY(list_kept(kept, run, with_general == 1, err), out);
        KANON_TRY(kanon__constraints_hold(out, NULL, run->constraints, kept, 1, err), out);
    }
out:
    kanon__free(kept);
    return st;
}

/* The groups in a table of the other records alone, whose values are distributed in another way. */
static kanon_status rest_holds(bool *out, const kanon__run *run, int64_t n_suppressed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = 0, n_left = run->table->n_rows - n_suppressed;
    int32_t *rows = NULL, *group_of = NULL;
    kanon__row_run rest = {0};
    kanon__constraints *constraints = NULL;
    *out = true;
    for (int64_t i = 0; run->constraints != NULL && i < run->constraints->n; i++)
        *out = *out && !run->constraints->items[i].model->of_table;
    if (*out || n_left == 0)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&rows, n_left, "released records", err), out);
    KANON_TRY(kanon__new_array(&group_of, n_left, "released records", err), out);
    for (int32_t row = 0; row < run->table->n_rows; row++)
        if (run->group_of[row] >= 0)
            rows[n++] = row;
    KANON_TRY(kanon__row_run_init(&rest, run, rows, n, group_of, err), out);
    for (int64_t i = 0; i < n; i++)
        group_of[i] = run->group_of[rows[i]];
    KANON_TRY(kanon__constraints_new(&constraints, &rest.table, run->policy, run->k, err), out);
    KANON_TRY(kanon__constraints_hold(out, NULL, constraints, group_of, run->n_groups, err), out);
out:
    kanon__constraints_free(constraints);
    kanon__row_run_clear(&rest);
    kanon__free(group_of);
    kanon__free(rows);
    return st;
}

kanon_status kanon__requirements_suppressed_hold(bool *out, const kanon__run *run, kanon_error *err)
{
    int64_t n = 0;
    *out = true;
    for (int64_t row = 0; row < run->table->n_rows; row++)
        n += run->group_of[row] < 0;
    if (n == 0)
        return KANON_OK;
    return run->policy->keep_suppressed ? kept_hold(out, run, n, err) : rest_holds(out, run, n, err);
}

int64_t kanon__requirements_need(const kanon__data *table, const kanon__constraints *constraints, int64_t may_suppress,
                                 int64_t k)
{
    bool asked = constraints != NULL || may_suppress >= 0;
    return asked ? kanon__mutable_groups_need(table, constraints, k) : 0;
}

/* ---- for the report ---------------------------------------------------------------------------------------------- */

/* What the recode maps cost a record. */
static double recoded_units(const kanon__run *run, int64_t row)
{
    double units = 0;
    for (int i = 0; i < run->space->n_dimensions; i++) {
        const kanon__dimension *d = &run->space->dimensions[i];
        const uint32_t *range = run->recode_maps[i] + 2 * (size_t)kanon__code_at(d->codes, row);
        units += kanon__dimension_units(d, range[0], range[1]);
    }
    return units;
}

kanon_status kanon__requirements_loss(double *out, const kanon__run *run, const int32_t *group_of, int64_t n_groups,
                                      kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__clusters c = {0};
    double full = 0, sum = 0;
    for (int i = 0; i < run->space->n_dimensions; i++)
        full += run->space->dimensions[i].full;
    KANON_TRY(kanon__clusters_init(&c, run->space, n_groups, err), out);
    for (int64_t row = 0; row < run->space->n_rows; row++) {
        if (group_of[row] < 0)
            sum += full;
        else if (run->recode_maps != NULL)
            sum += recoded_units(run, row);
        else
            kanon__clusters_join(&c, group_of[row], row);
    }
    for (int64_t group = 0; group < n_groups; group++)
        if (c.sizes[group] > 0)
            sum += (double)kanon__group_loss(c.sizes[group],
                                             kanon__box_units(run->space, kanon__clusters_box(&c, group)));
    *out = sum / (double)run->space->scale;
out:
    kanon__clusters_clear(&c);
    return st;
}

kanon_status kanon__requirements_loss_without(double *out, const kanon__run *run, kanon__runner runner, void *payload,
                                              kanon_error *err)
{
    enum { MOST_RECORDS = 200000 };
    kanon_status st = KANON_OK;
    kanon__data data = kanon__data_without_entities(run->table);
    const kanon__policy nothing = {.k = run->k};
    kanon__texts unheard = {0};
    kanon__run plain = *run;
    kanon__recode_maps maps = {0};
    *out = NAN;
    if (kanon__requirements_none(run) || data.n_rows > MOST_RECORDS)
        return KANON_OK;
    plain.table = &data;
    plain.policy = &nothing;
    plain.may_suppress = -1;
    plain.constraints = NULL;
    plain.warnings = &unheard;
    plain.chosen = NULL;
    plain.repeat = NULL;
    plain.group_of = NULL;
    plain.n_groups = 0;
    plain.notes = NULL;
    KANON_TRY(kanon__new_array(&plain.group_of, data.n_rows, "a grouping", err), out);
    if (run->recode_maps != NULL)
        KANON_TRY(kanon__recode_maps_init(&maps, &data, err), out);
    plain.recode_maps = maps.ranges;
    KANON_TRY(runner(payload, &plain, err), out);
    KANON_TRY(kanon__requirements_loss(out, &plain, plain.group_of, plain.n_groups, err), out);
out:
    kanon__recode_maps_clear(&maps);
    kanon__free(plain.group_of);
    kanon__texts_clear(&unheard);
    return st;
}

kanon_status kanon__requirements_record(kanon_grouping *g, const kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__constraints *c = run->constraints;
    double *reached = NULL;
    g->most_suppressed = run->may_suppress;
    if (!kanon__requirements_none(run))
        KANON_TRY(kanon__requirements_loss(&g->loss_with, run, g->group_of, g->n_groups, err), out);
    if (c == NULL)
        goto out;
    KANON_TRY(kanon__new_array(&reached, c->n, "constraints", err), out);
    KANON_TRY(kanon__new_array(&g->constraints, c->n, "constraints", err), out);
    KANON_TRY(kanon__constraints_reached(reached, c, g->group_of, g->n_groups, err), out);
    for (; g->n_constraints < c->n; g->n_constraints++) {
        kanon__constraint_status *status = &g->constraints[g->n_constraints];
        const char *sentence = c->items[g->n_constraints].sentence;
        KANON_TRY(kanon__copy_text(&status->sentence, sentence, strlen(sentence), "a sentence", err), out);
        status->asked = c->items[g->n_constraints].asked;
        status->reached = reached[g->n_constraints];
    }
out:
    kanon__free(reached);
    return st;
}

kanon_status kanon__requirements_warn_of_values(kanon_grouping *g, const kanon_table *table, kanon_error *err)
{
    static const char *const wanted[] = {"homogeneous", "nearly_homogeneous", NULL};
    kanon_measures *m = NULL;
    if (table->data.n_sensitive == 0)
        return KANON_OK;
    kanon_status st = kanon__evaluate_some(&m, table, g, NULL, wanted, err);
    if (st == KANON_OK) {
        g->privacy = m->warnings;
        m->warnings = (kanon__texts){0};
    }
    kanon_measures_free(m);
    return st;
}
