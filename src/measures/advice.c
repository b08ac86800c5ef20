/* See advice.h. Each function below knows one kind of advice and adds at most a few sentences; the order is the one in which
 * a reader can act: what costs most, what says nothing, which requirement is tight, what to run next.
 * Called through kanon_advise; calls the formulas of measure.h. */
#include "measures/advice.h"

#include "core/alloc.h"
#include "core/context.h"
#include "measures/measure.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What an attribute costs in these groups. */
typedef struct attribute_cost {
    double loss;
    int64_t any; /* records that show nothing of it */
} attribute_cost;

/* All that the sentences are made from. */
typedef struct findings {
    const kanon_table *table;
    const kanon_grouping *grouping;
    attribute_cost *costs; /* by quasi attribute */
    double loss;
    int worst; /* the attribute that costs most */
} findings;

bool kanon__shows_nothing(const kanon__column *c, const uint32_t extent[2])
{
    uint32_t lo = extent[0], hi = extent[1], missing = c->domain->missing_code;
    if (!kanon__column_is_numeric(c))
        return lo != hi && kanon__taxonomy_lca(c->domain->taxonomy, (int32_t)lo, (int32_t)hi) == 0;
    if (hi == missing) /* the last code: numbers next to missing ones */
        return lo != missing;
    return c->domain->bands != NULL && c->domain->bands[lo].open_below && c->domain->bands[hi].open_above;
}

/* The topic is a literal, or NULL where nothing belongs to the sentence. */
static kanon_status add(kanon_advice *a, const char *topic, const char *sentence, kanon_error *err)
{
    int64_t i = a->sentences.n;
    KANON_CHECK(kanon__grow_array(&a->items, &a->capacity, i + 1, "advice", err));
    KANON_CHECK(kanon__texts_add(&a->sentences, sentence, strlen(sentence), err));
    a->items[i] = (kanon_advice_item){a->sentences.items[i], topic};
    return KANON_OK;
}

static const kanon__column *quasi(const findings *f, int i)
{
    return &f->table->data.columns[f->table->data.quasi[i]];
}

/* Whole percent for sentences: what is not nothing is at least 1, what is not all at most 99. */
static int percent(double part, double whole)
{
    if (!(whole > 0) || !(part > 0))
        return 0;
    double share = 100 * part / whole;
    return share >= 100 - 1e-9 ? 100 : share < 1 ? 1 : share > 99 ? 99 : (int)lround(share);
}

/* ---- what costs most --------------------------------------------------------------------------------------------- */

static kanon_status measure(findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__subject subject = {0};
    kanon__sums sums = {0};
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, NULL, NULL, "measuring");
    KANON_TRY(kanon__new_array(&f->costs, f->table->data.n_quasi, "costs", err), out);
    KANON_TRY(kanon__subject_init(&subject, &f->table->data, f->grouping, false, NULL, &ticker, err), out);
    KANON_TRY(kanon__subject_sums(&sums, &subject, KANON__SUM_LOSSES | KANON__SUM_HIDDEN, NULL, err), out);
    for (int i = 0; i < f->table->data.n_quasi; i++) {
        f->costs[i] = (attribute_cost){kanon__measure_attribute_loss.figure(&sums, i),
                                       sums.quasi[i].hidden + f->grouping->n_suppressed};
        if (f->costs[i].loss > f->costs[f->worst].loss)
            f->worst = i;
    }
    f->loss = kanon__measure_information_loss.figure(&sums, 0);
out:
    kanon__sums_clear(&sums);
    kanon__subject_clear(&subject);
    return st;
}

/* Who pays most, and what leaving it out would save. With one attribute there is nothing to leave out. */
static kanon_status advise_on_worst(kanon_advice *a, const findings *f, kanon_error *err)
{
    char text[600];
    if (f->table->data.n_quasi < 2 || !(f->loss > 0))
        return KANON_OK;
    const char *name = quasi(f, f->worst)->name;
    int share = percent(f->costs[f->worst].loss, f->loss);
    snprintf(text, sizeof text,
             "%.200s pays most: %d %% of the loss; without it the same groups lose %d %% less, and better ones can be found",
             name, share, share);
    return add(a, "leave-out", text, err);
}

/* How the attribute that pays most could be made coarser or finer. */
static kanon_status advise_on_form(kanon_advice *a, const findings *f, kanon_error *err)
{
    enum { WORTH_A_WORD = 25 };
    char text[600];
    if (f->table->data.n_quasi == 0 || percent(f->costs[f->worst].loss, f->loss) < WORTH_A_WORD)
        return KANON_OK;
    const kanon__column *c = quasi(f, f->worst);
    if (!kanon__column_is_numeric(c)) {
        if (!c->domain->taxonomy->flat)
            return KANON_OK;
        snprintf(text, sizeof text,
                 "%.200s has no taxonomy, so a cell of it is either exact or *; a taxonomy has steps in between", c->name);
        return add(a, "taxonomy", text, err);
    }
    if (c->domain->bands != NULL || c->domain->type == KANON_TYPE_ORDINAL)
        return KANON_OK;
    snprintf(text, sizeof text,
             "if %.200s is not needed exactly, give it bands, or a weight below 1: the groups then follow the other "
             "attributes more closely, which pay the other %d %%",
             c->name, 100 - percent(f->costs[f->worst].loss, f->loss));
    return add(a, "bands", text, err);
}

/* Columns that came out mostly as any value are of no use to anybody. */
static kanon_status advise_on_any(kanon_advice *a, const findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char text[600];
    for (int i = 0; st == KANON_OK && i < f->table->data.n_quasi; i++) {
        int share = percent((double)f->costs[i].any, (double)f->grouping->n_rows);
        if (share < 50)
            continue;
        snprintf(text, sizeof text, "%.200s says nothing in %d %% of the records: leave it out, or make its values coarser",
                 quasi(f, i)->name, share);
        st = add(a, "hidden", text, err);
    }
    return st;
}

/* ---- which requirement is tight ---------------------------------------------------------------------------------- */

static kanon_status advise_on_constraints(kanon_advice *a, const findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_grouping *g = f->grouping;
    char text[600];
    for (int64_t i = 0; st == KANON_OK && i < g->n_constraints; i++) {
        const kanon__constraint_status *c = &g->constraints[i];
        if (!(fabs(c->reached - c->asked) <= 1e-9 * fabs(c->asked)))
            continue;
        snprintf(text, sizeof text, "a tight requirement, of which some group reaches no more than was asked: %.400s",
                 c->sentence);
        st = add(a, "constraint", text, err);
    }
    if (st != KANON_OK || !isfinite(g->loss_with) || !isfinite(g->loss_without) || !(g->loss_without > 0))
        return st;
    double more = 100 * (g->loss_with / g->loss_without - 1);
    if (fabs(more) < 0.5)
        return add(a, NULL, "what is asked in addition to k costs next to nothing", err);
    snprintf(text, sizeof text, "what is asked in addition to k %s %.0f %% of the loss", more > 0 ? "costs" : "saves",
             fabs(more));
    return add(a, NULL, text, err);
}

static kanon_status advise_on_budget(kanon_advice *a, const findings *f, kanon_error *err)
{
    const kanon_grouping *g = f->grouping;
    char text[300];
    if (g->most_suppressed <= 0 || g->n_suppressed < g->most_suppressed)
        return KANON_OK;
    snprintf(text, sizeof text,
             "the budget of suppressed records is used up (%lld): a larger one lowers the loss, a smaller one keeps more "
             "records",
             (long long)g->most_suppressed);
    return add(a, "suppress", text, err);
}

/* ---- what to try next -------------------------------------------------------------------------------------------- */

static kanon_status advise_on_next(kanon_advice *a, const findings *f, kanon_error *err)
{
    const kanon_grouping *g = f->grouping;
    if (!(f->loss > 0) || g->n_groups == 0)
        return KANON_OK;
    bool movable = g->recode_maps == NULL && !(f->table->data.has_entity && f->table->policy.entity_together);
    if (g->algorithm != NULL && g->refinement == NULL && movable)
        return add(a, "refine", "a refinement by search can lower the loss of these groups", err);
    return add(a, "tradeoff", "what other sizes of groups cost is shown by a trade-off curve", err);
}

static kanon_status advise(kanon_advice **out, const kanon_table *table, const kanon_grouping *grouping, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_advice *a = NULL;
    findings f = {.table = table, .grouping = grouping};
    *out = NULL;
    KANON_TRY(kanon__grouping_fits(grouping, table, err), out);
    KANON_TRY(kanon__new_array(&a, 1, "advice", err), out);
    KANON_TRY(measure(&f, err), out);
    KANON_TRY(advise_on_worst(a, &f, err), out);
    KANON_TRY(advise_on_form(a, &f, err), out);
    KANON_TRY(advise_on_any(a, &f, err), out);
    KANON_TRY(advise_on_constraints(a, &f, err), out);
    KANON_TRY(advise_on_budget(a, &f, err), out);
    KANON_TRY(advise_on_next(a, &f, err), out);
    *out = a;
    a = NULL;
out:
    kanon__free(f.costs);
    kanon_advice_free(a);
    return st;
}

kanon_status kanon_advise(kanon_advice **out, const kanon_table *table, const kanon_grouping *grouping, kanon_error *err)
{
    KANON_RETURN_IN(table->context, advise(out, table, grouping, err));
}

void kanon_advice_free(kanon_advice *a)
{
    if (a == NULL)
        return;
    kanon__free(a->items);
    kanon__texts_clear(&a->sentences);
    kanon__free(a);
}

const kanon_advice_item *kanon_advice_at(const kanon_advice *a, size_t i)
{
    return i < (size_t)a->sentences.n ? &a->items[i] : NULL;
}
