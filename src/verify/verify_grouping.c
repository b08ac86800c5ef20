/* The independent check of a grouping as a whole: sizes, the budget of suppressed records and, through
 * verify_privacy.c, constraints and entities. Every record is counted anew. */
#include "verify/verify.h"

#include "core/alloc.h"

kanon_status kanon__verify_grouping(const kanon__data *table, const int32_t *group_of, int64_t n_groups, int64_t k,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *sizes = NULL;
    KANON_TRY(kanon__new_array(&sizes, n_groups, "the check of the grouping", err), out);
    for (int64_t row = 0; row < table->n_rows; row++) {
        if (group_of[row] >= n_groups) {
            st = kanon__fail(err, KANON_EINTERNAL, "the check found record %lld in a group that does not exist",
                             (long long)row + 1);
            goto out;
        }
        if (group_of[row] >= 0)
            sizes[group_of[row]]++;
    }
    for (int64_t group = 0; group < n_groups; group++)
        if (sizes[group] < k) {
            st = kanon__fail(err, KANON_EINTERNAL, "the check found a group of %lld records, fewer than k = %lld",
                             (long long)sizes[group], (long long)k);
            goto out;
        }
out:
    kanon__free(sizes);
    return st;
}

kanon_status kanon__verify_budget(const kanon__data *table, const int32_t *group_of, int64_t most, kanon_error *err)
{
    int64_t n = 0;
    for (int64_t row = 0; row < table->n_rows; row++)
        n += group_of[row] < 0;
    if (most >= 0 && n > most)
        return kanon__fail(err, KANON_EINTERNAL, "the check found %lld suppressed records, and at most %lld may be",
                           (long long)n, (long long)most);
    return KANON_OK;
}

static kanon_status verify_groups(const kanon__data *table, const kanon__requirement *r, const int32_t *group_of,
                                  int64_t n_groups, kanon_error *err)
{
    kanon_status st = kanon__verify_grouping(table, group_of, n_groups, r->k, err);
    return st == KANON_OK ? kanon__verify_privacy(table, r->policy, group_of, n_groups, r->k, err) : st;
}

bool kanon__verify_keeps(const kanon__data *table, const kanon__requirement *r, const int32_t *group_of)
{
    bool any = false;
    for (int64_t row = 0; r->policy->keep_suppressed && row < table->n_rows; row++)
        any = any || group_of[row] < 0;
    return any;
}

/* All that show nothing are one group more. */
static kanon_status verify_kept(const kanon__data *table, const kanon__requirement *r, const int32_t *group_of,
                                int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *shown = NULL;
    KANON_TRY(kanon__new_array(&shown, table->n_rows, "the check of the grouping", err), out);
    for (int64_t row = 0; row < table->n_rows; row++)
        shown[row] = group_of[row] < 0 ? (int32_t)n_groups : group_of[row];
    st = verify_groups(table, r, shown, n_groups + 1, err);
out:
    kanon__free(shown);
    return st;
}

kanon_status kanon__verify_requirement(const kanon__data *table, const kanon__requirement *r, const int32_t *group_of,
                                       int64_t n_groups, kanon_error *err)
{
    kanon_status st = kanon__verify_budget(table, group_of, r->most_suppressed, err);
    if (st == KANON_OK)
        st = verify_groups(table, r, group_of, n_groups, err);
    if (st == KANON_OK && kanon__verify_keeps(table, r, group_of))
        st = verify_kept(table, r, group_of, n_groups, err);
    return st;
}
