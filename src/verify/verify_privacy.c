/* The independent check of the constraints of a grouping: all are counted anew by the recounts (recount.h), and what
 * cannot be counted is refused. Called as verify_grouping.c; declared in verify.h. */
#include "verify/verify.h"

#include "core/alloc.h"
#include "verify/recount.h"

#include <string.h>

static int find_column(const kanon__data *t, const kanon__constraint_text *c)
{
    int64_t at = kanon__texts_find(&c->names, "attribute", strlen("attribute"));
    for (int i = 0; at >= 0 && i < t->n_columns; i++)
        if (strcmp(t->columns[i].name, c->values.items[at]) == 0)
            return i;
    return -1;
}

static kanon_status verify_constraint(const kanon__data *t, const kanon__constraint_text *c, const int32_t *group_of,
                                      int64_t n_groups, kanon_error *err)
{
    double reached = 0;
    bool holds = false;
    int column = find_column(t, c);
    if (column < 0 || t->columns[column].domain == NULL)
        return kanon__fail(err, KANON_EINTERNAL, "the check found a constraint on no column");
    kanon_status st = kanon__recount_constraint(&reached, &holds, c, t, column, group_of, n_groups, err);
    if (st == KANON_OK && !holds)
        st = kanon__fail(err, KANON_EINTERNAL, "the check found a group that violates a constraint on '%s': it reaches %g",
                         t->columns[column].name, reached);
    return st;
}

static kanon_status verify_entities(const kanon__data *t, const int32_t *group_of, int64_t n_groups, int64_t k,
                                    kanon_error *err)
{
    double fewest = 0;
    bool holds = false;
    kanon_status st = kanon__recount_entity_groups(&fewest, &holds, t, group_of, n_groups, k, err);
    if (st == KANON_OK && !holds)
        st = kanon__fail(err, KANON_EINTERNAL, "the check found a group of %g entities, fewer than k = %lld", fewest,
                         (long long)k);
    return st;
}

static kanon_status verify_together(const kanon__data *t, const int32_t *group_of, kanon_error *err)
{
    int32_t *group_of_entity = NULL;
    kanon_status st = kanon__new_array(&group_of_entity, t->n_entities, "the check of the entities", err);
    for (int64_t row = 0; st == KANON_OK && row < t->n_rows; row++) {
        int32_t *seen = &group_of_entity[kanon__code_at(t->entity_codes, row)],
                here = group_of[row] < 0 ? -1 : group_of[row] + 1;
        if (*seen != 0 && *seen != here)
            st = kanon__fail(err, KANON_EINTERNAL, "the check found an entity in two groups");
        *seen = here;
    }
    kanon__free(group_of_entity);
    return st;
}

kanon_status kanon__verify_privacy(const kanon__data *t, const kanon__policy *policy, const int32_t *group_of,
                                   int64_t n_groups, int64_t k, kanon_error *err)
{
    for (int64_t i = 0; i < policy->n_constraints; i++)
        KANON_CHECK(verify_constraint(t, &policy->constraints[i], group_of, n_groups, err));
    if (t->has_entity)
        KANON_CHECK(verify_entities(t, group_of, n_groups, k, err));
    if (t->has_entity && policy->entity_together)
        KANON_CHECK(verify_together(t, group_of, err));
    return KANON_OK;
}
