/* See release_plan.h. The order of a shuffled release is that of release/row_order.h. */
#include "pipeline/release_plan.h"

#include "constraints/constraints.h"
#include "core/alloc.h"
#include "measures/singled_out.h"
#include "pipeline/shown_groups.h"
#include "table/value/figure_text.h"

#include <string.h>

/* A grouping of the caller's can violate the policy, and that is no defect of the library. */
static kanon_status check_own(const kanon_table *t, const kanon_grouping *g, kanon_error *err)
{
    kanon_error inner = KANON_INIT(kanon_error);
    kanon__constraints *readable = NULL;
    int64_t k = g->k > 0 ? g->k : 1, may = kanon__fraction_of(t->policy.suppress, t->data.n_rows);
    if (g->n_groups > 0 && g->smallest < g->k)
        return kanon__fail(err, KANON_EINVAL, "a group has %lld records, fewer than k = %lld", (long long)g->smallest,
                           (long long)g->k);
    if (may >= 0 && g->n_suppressed > may)
        return kanon__fail(err, KANON_EINVAL, "the grouping suppresses %lld records, and the schema allows %lld",
                           (long long)g->n_suppressed, (long long)may);
    kanon_status st = kanon__constraints_new(&readable, &t->data, &t->policy, k, err); /* nobody has read them so far */
    kanon__constraints_free(readable);
    if (st != KANON_OK)
        return st;
    const kanon__requirement required = {.policy = &t->policy, .k = k, .most_suppressed = may};
    if (t->policy.keep_suppressed && g->n_suppressed > 0 && g->n_suppressed < k) {
        st = kanon__fail(err, KANON_EINVAL, "%lld records are suppressed and kept, fewer than k = %lld",
                         (long long)g->n_suppressed, (long long)k);
        return kanon__hint(err, st, "leave them out of the release: suppressed: drop");
    }
    st = kanon__verify_requirement(&t->data, &required, g->group_of, g->n_groups, &inner);
    if (st == KANON_EINTERNAL) {
        st = kanon__fail(err, KANON_EINVAL, "the grouping violates a constraint of the schema");
        return kanon__hint(err, st, "%s", inner.message);
    }
    if (st != KANON_OK)
        kanon__error_copy(err, &inner);
    return st;
}

/* The column that singles out most by itself, where its cells stand in their rows; -1: there is none. */
static int telling_column(const kanon__singled_out *found, const kanon_table *t)
{
    int most = -1;
    for (int i = 0; i < found->n_columns; i++)
        if (!t->data.columns[found->columns[i]].permuted && (most < 0 || found->shares[i] > found->shares[most]))
            most = i;
    return most >= 0 ? found->columns[most] : -1;
}

/* Whether the rows of the release, as it shows them, are one person's no more often than the policy allows. */
static kanon_status check_singled_out(const kanon_table *t, const kanon_grouping *g, bool means, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *shown = NULL;
    kanon__singled_out found = {0};
    double most = kanon__fraction_value(t->policy.singled_out);
    KANON_TRY(kanon__shown_groups_new(&shown, t, g, means ? KANON_NUMERIC_MEAN : KANON_NUMERIC_INTERVAL, 0, err), out);
    KANON_TRY(kanon__singled_out_find(&found, NULL, t, shown, NULL, 0, NULL, err), out);
    if (!found.is_counted) {
        st = kanon__fail(err, KANON_ENOMEM, "the rows that the release singles out cannot be counted in the memory it may use");
        st = kanon__topic(err, st, "memory");
    } else if (found.all > most) {
        int column = telling_column(&found, t);
        st = kanon__fail(err, KANON_EINFEASIBLE, "the release would single out %s of its rows, more than the %s that is asked",
                         kanon__show_share(found.all).text, kanon__show_share(most).text);
        if (column >= 0)
            kanon__hint(err, st,
                        "%s tells most rows apart: permute it in its groups, make it a quasi-identifier of a low weight, or "
                        "leave it out",
                        t->data.columns[column].name);
    }
out:
    kanon__singled_out_clear(&found);
    kanon__shown_groups_free(shown);
    return st;
}

kanon_status kanon__release_allowed(const kanon_table *table, const kanon_grouping *g, bool means, kanon_error *err)
{
    kanon_status st = kanon__grouping_fits(g, table, err);
    if (st != KANON_OK)
        return st;
    if (means && g->recode_maps != NULL) {
        st = kanon__fail(err, KANON_EINVAL,
                         "the means of groups differ where attribute-level recoding shows equal numbers equal");
        return kanon__hint(err, st, "choose another numeric form: interval, range or columns");
    }
    for (int i = 0; means && i < table->data.n_quasi; i++) {
        const kanon__column *c = &table->data.columns[table->data.quasi[i]];
        if (c->domain->bands == NULL && !c->drawn)
            continue;
        st = kanon__fail(err, KANON_EINVAL, "%s: a mean would show more than the %s of the column", c->name,
                         c->drawn ? "drawn ends" : "bands");
        return kanon__hint(err, st, "choose another numeric form: interval, range or columns");
    }
    if (g->is_own)
        KANON_CHECK(check_own(table, g, err));
    return table->policy.singled_out.denominator > 0 ? check_singled_out(table, g, means, err) : KANON_OK;
}

kanon__requirement kanon__release_requirement(const kanon_table *t, const kanon_grouping *g, bool means)
{
    return (kanon__requirement){.policy = &t->policy,
                                .k = g->k > 0 ? g->k : 1,
                                .most_suppressed = g->is_own ? kanon__fraction_of(t->policy.suppress, t->data.n_rows)
                                                             : g->most_suppressed,
                                .unmerged = g->is_own || means};
}

kanon_status kanon__release_map(const uint32_t ***out, const kanon_table *t, const kanon_grouping *g, kanon_error *err)
{
    *out = NULL;
    if (g->recode_maps == NULL)
        return KANON_OK;
    kanon_status st = kanon__new_array(out, t->data.n_quasi, "released cells", err);
    for (int i = 0; st == KANON_OK && i < t->data.n_quasi; i++)
        (*out)[i] = kanon__grouping_recode_map(g, &t->data.columns[t->data.quasi[i]]);
    return st;
}

/* Those that stay out move behind the others; both keep their order. */
static kanon_status put_last(int32_t *order, const kanon_grouping *g, int64_t n_left_out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *last = NULL;
    int64_t n = 0, n_last = 0;
    KANON_TRY(kanon__new_array(&last, n_left_out, "row order", err), out);
    for (int64_t i = 0; i < g->n_rows; i++)
        if (g->group_of[order[i]] >= 0)
            order[n++] = order[i];
        else
            last[n_last++] = order[i];
    memcpy(order + n, last, (size_t)n_last * sizeof *last);
out:
    kanon__free(last);
    return st;
}

kanon_status kanon__release_rows(kanon__released_rows *out, const kanon_table *t, const kanon_grouping *g,
                                 const kanon__row_order *shuffled, bool listed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *order = NULL;
    *out = (kanon__released_rows){.n_left_out = t->policy.keep_suppressed ? 0 : g->n_suppressed};
    if (shuffled == NULL && (!listed || out->n_left_out == 0))
        return KANON_OK;
    KANON_TRY(kanon__new_array(&order, t->data.n_rows, "row order", err), out);
    for (int64_t row = 0; row < t->data.n_rows; row++)
        order[row] = (int32_t)row;
    if (out->n_left_out > 0)
        KANON_TRY(put_last(order, g, out->n_left_out, err), out);
    if (shuffled != NULL)
        KANON_TRY(kanon__row_order_sort(order, t->data.n_rows - out->n_left_out, shuffled, err), out);
    out->order = order;
    order = NULL;
out:
    kanon__free(order);
    return st;
}
