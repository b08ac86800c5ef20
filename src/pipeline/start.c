/* See start.h. A start is judged in the order sizes, suppressed records, constraints, and the first that fails is
 * named. Repair only makes groups of at least k records: each record of a small group joins the group whose loss it
 * raises least, as records left over do; constraints are met by the same step that follows any algorithm. */
#include "pipeline/start.h"

#include "core/alloc.h"
#include "pipeline/requirements.h"
#include "search/leftovers.h"

#include <string.h>

static kanon_status refuse(kanon_status st, kanon_error *err)
{
    return kanon__topic(err, kanon__hint(err, st, "let the groups be repaired, or give others"), "repair");
}

static int64_t count_small(const kanon_grouping *start, int64_t k)
{
    int64_t n = 0;
    for (int64_t group = 0; group < start->n_groups; group++)
        n += start->sizes[group] < k;
    return n;
}

static bool has_too_many_suppressed(const kanon__run *run, const kanon_grouping *start)
{
    return start->n_suppressed > (run->may_suppress > 0 ? run->may_suppress : 0);
}

static void copy_groups(kanon__run *run, const kanon_grouping *start)
{
    memcpy(run->group_of, start->group_of, (size_t)start->n_rows * sizeof *run->group_of);
    for (int64_t row = 0; row < start->n_rows; row++)
        if (run->group_of[row] < 0)
            run->group_of[row] = KANON__SUPPRESSED;
    run->n_groups = (int32_t)start->n_groups;
}

/* Records of small groups, and all suppressed ones where they are too many, join sound groups; without any, all records are
 * one group. */
static kanon_status place_rest(kanon__run *run, const kanon_grouping *start, kanon_error *err)
{
    bool unsuppress = has_too_many_suppressed(run, start);
    int64_t n_groups = start->n_groups;
    for (int64_t row = 0; row < start->n_rows; row++) {
        int32_t *group = &run->group_of[row];
        if (*group < 0 ? unsuppress : start->sizes[*group] < run->k)
            *group = KANON__LEFT_OVER;
    }
    KANON_CHECK(kanon__grouping_renumber(run->group_of, start->n_rows, &n_groups, err));
    run->n_groups = (int32_t)n_groups;
    if (n_groups > 0)
        return kanon__leftovers_place(run, err);
    memset(run->group_of, 0, (size_t)start->n_rows * sizeof *run->group_of);
    run->n_groups = 1;
    return KANON_OK;
}

/* No step puts the records of an entity back together. */
static kanon_status check_together(const kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *t = run->table;
    int32_t *group_of_entity = NULL; /* plus 2; 0: none so far */
    if (!t->has_entity || !run->policy->entity_together)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&group_of_entity, t->n_entities, "groups of entities", err), out);
    for (int64_t row = 0; row < t->n_rows && st == KANON_OK; row++) {
        int32_t *seen = &group_of_entity[kanon__code_at(t->entity_codes, row)];
        int32_t here = run->group_of[row] < 0 ? 1 : run->group_of[row] + 2;
        if (*seen != 0 && *seen != here) {
            st = kanon__fail(err, KANON_EINFEASIBLE, "an entity is in two groups, and its records are to stay together");
            kanon__topic(err, kanon__hint(err, st, "give other groups, or let entities be in several"), "entity");
        }
        *seen = here;
    }
out:
    kanon__free(group_of_entity);
    return st;
}

kanon_status kanon__start_take(kanon__run *run, const kanon_grouping *start, bool repair, bool *sound, kanon_error *err)
{
    int64_t n_small = count_small(start, run->k);
    bool too_many = has_too_many_suppressed(run, start);
    *sound = false;
    copy_groups(run, start);
    if (n_small > 0 && !repair) {
        kanon_status st = kanon__fail(err, KANON_EINFEASIBLE, "%lld of %lld groups have fewer than k = %lld records",
                                      (long long)n_small, (long long)start->n_groups, (long long)run->k);
        return refuse(st, err);
    }
    if (too_many && !repair) {
        kanon_status st = kanon__fail(err, KANON_EINFEASIBLE, "%lld records are suppressed, and at most %lld may be",
                                      (long long)start->n_suppressed,
                                      (long long)(run->may_suppress > 0 ? run->may_suppress : 0));
        return refuse(st, err);
    }
    if (n_small > 0 || too_many) {
        KANON_CHECK(place_rest(run, start, err));
        return check_together(run, err);
    }
    KANON_CHECK(check_together(run, err));
    KANON_CHECK(kanon__constraints_hold(sound, NULL, run->constraints, run->group_of, run->n_groups, err));
    if (*sound)
        KANON_CHECK(kanon__requirements_suppressed_hold(sound, run, err));
    if (!*sound && !repair)
        return refuse(kanon__fail(err, KANON_EINFEASIBLE, "a group does not satisfy what is asked in addition to k"), err);
    return KANON_OK;
}

kanon_status kanon__start_keep(kanon__run *run, const kanon_grouping *start, kanon_error *err)
{
    double before, after;
    KANON_CHECK(kanon__requirements_loss(&before, run, start->group_of, start->n_groups, err));
    KANON_CHECK(kanon__requirements_loss(&after, run, run->group_of, run->n_groups, err));
    if (after > before)
        copy_groups(run, start);
    return KANON_OK;
}
