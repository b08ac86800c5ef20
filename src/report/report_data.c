/* Counts once, for both forms of the report: classes of the original, sizes and losses of groups, and what few groups
 * cause most of the loss. kanon__report_data_coarsen removes what an external report must not have. */
#include "report/report_data.h"

#include "core/alloc.h"
#include "core/ticker.h"
#include "measures/measure.h"
#include "model/entity_records.h"

#include <stdlib.h>
#include <string.h>

const int kanon__thresholds[KANON__N_THRESHOLDS] = {3, 5, 11, 20};

enum { WORST_PART = 10, RARE_UNASKED = 5 };

/* ---- orders ------------------------------------------------------------------------------------------------------ */

/* Sort rows by one key and keep the order of equals. `key` is below n_keys. */
static kanon_status sort_rows(int32_t *rows, int32_t *spare, int64_t n, kanon__codes key, int64_t n_keys, kanon_error *err)
{
    int64_t *next = NULL;
    KANON_CHECK(kanon__new_array(&next, n_keys + 1, "a row order", err));
    for (int64_t i = 0; i < n; i++)
        next[kanon__code_at(key, rows[i]) + 1]++;
    for (int64_t i = 0; i < n_keys; i++)
        next[i + 1] += next[i];
    for (int64_t i = 0; i < n; i++)
        spare[next[kanon__code_at(key, rows[i])]++] = rows[i];
    memcpy(rows, spare, (size_t)n * sizeof *rows);
    kanon__free(next);
    return kanon__poll_tick(KANON__TICK_POLL_NS, err);
}

static bool same_quasi(const kanon_table *t, int32_t a, int32_t b)
{
    for (int i = 0; i < t->data.n_quasi; i++) {
        kanon__codes codes = t->data.columns[t->data.quasi[i]].codes;
        if (kanon__code_at(codes, a) != kanon__code_at(codes, b))
            return false;
    }
    return true;
}

/* Classes of records: groups, or those with the same quasi values in the original. */
typedef struct classes {
    int32_t *of; /* by row; negative: in none */
    int64_t *sizes;
    int64_t n;
    int32_t *own; /* by row: the records of its entity in its class; NULL: no entities, 1 each */
} classes;

static void clear_classes(classes *c)
{
    kanon__free(c->own);
    kanon__free(c->sizes);
    kanon__free(c->of);
}

static kanon_status find_entities(classes *c, const kanon_table *t, kanon_error *err)
{
    return t->data.has_entity ? kanon__entity_records_new(&c->own, t->data.entity_codes, c->of, t->data.n_rows, err)
                              : KANON_OK;
}

static kanon_status original_classes(classes *out, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *rows = NULL, *spare = NULL;
    KANON_TRY(kanon__new_array(&rows, t->data.n_rows, "a row order", err), out);
    KANON_TRY(kanon__new_array(&spare, t->data.n_rows, "a row order", err), out);
    KANON_TRY(kanon__new_array(&out->of, t->data.n_rows, "original classes", err), out);
    KANON_TRY(kanon__new_array(&out->sizes, t->data.n_rows, "original classes", err), out);
    for (int64_t i = 0; i < t->data.n_rows; i++)
        rows[i] = (int32_t)i;
    for (int i = 0; i < t->data.n_quasi; i++) {
        const kanon__column *c = &t->data.columns[t->data.quasi[i]];
        KANON_TRY(sort_rows(rows, spare, t->data.n_rows, c->codes, c->domain->n_codes, err), out);
    }
    for (int64_t i = 0; i < t->data.n_rows; i++) {
        out->n += i == 0 || !same_quasi(t, rows[i - 1], rows[i]);
        out->of[rows[i]] = (int32_t)(out->n - 1);
        out->sizes[out->n - 1]++;
    }
    KANON_TRY(find_entities(out, t, err), out);
out:
    kanon__free(spare);
    kanon__free(rows);
    return st;
}

/* ---- loss -------------------------------------------------------------------------------------------------------- */

static void set_costs(kanon__report_data *d, const kanon__sums *sums)
{
    d->loss = kanon__measure_information_loss.figure(sums, 0);
    for (int i = 0; i < sums->data->n_quasi; i++) {
        kanon__attribute_cost *cost = &d->costs[i];
        double weight = sums->data->columns[sums->data->quasi[i]].weight;
        cost->loss = kanon__measure_attribute_loss.figure(sums, i);
        cost->without = kanon__measure_loss_without.figure(sums, i);
        cost->share = kanon__share(cost->loss, d->loss);
        cost->average = kanon__share(cost->loss, (double)sums->n_rows * weight);
        cost->any = kanon__share((double)(sums->quasi[i].hidden + sums->n_suppressed), (double)sums->n_rows);
        d->total_weight += weight;
    }
}

/* The figures that the summary shows, of the groups, and in *diversity D of every group. */
static kanon_status measure_groups(kanon__report_data *d, double **diversity, const kanon_table *t, const kanon_grouping *g,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__subject subject = {0};
    kanon__sums sums = {0};
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, NULL, NULL, "measuring");
    KANON_TRY(kanon__new_array(&d->costs, t->data.n_quasi, "costs", err), out);
    KANON_TRY(kanon__new_array(diversity, g->n_groups, "group losses", err), out);
    KANON_TRY(kanon__subject_init(&subject, &t->data, g, false, NULL, &ticker, err), out);
    unsigned has = KANON__SUM_LOSSES | KANON__SUM_HIDDEN | KANON__SUM_RISKS;
    KANON_TRY(kanon__subject_sums(&sums, &subject, has, *diversity, err), out);
    set_costs(d, &sums);
    if (g->n_groups > 0) {
        d->highest_risk = kanon__measure_highest_risk.figure(&sums, 0);
        d->average_risk = kanon__measure_average_risk.figure(&sums, 0);
    }
out:
    kanon__sums_clear(&sums);
    kanon__subject_clear(&subject);
    return st;
}

typedef struct group_loss {
    double loss;
    int64_t size;
} group_loss;

/* The most expensive first; equals by size, so that the counts do not depend on the order of the groups. */
static int compare_losses(const void *a, const void *b)
{
    const group_loss *x = a, *y = b;
    if (x->loss != y->loss)
        return x->loss < y->loss ? 1 : -1;
    return (x->size > y->size) - (x->size < y->size);
}

static kanon_status find_worst(kanon__report_data *d, const double *diversity, const kanon_grouping *g, kanon_error *err)
{
    group_loss *losses = NULL;
    KANON_CHECK(kanon__new_array(&losses, g->n_groups, "group losses", err));
    for (int64_t i = 0; i < g->n_groups; i++)
        losses[i] = (group_loss){(double)g->sizes[i] * diversity[i], g->sizes[i]};
    qsort(losses, (size_t)g->n_groups, sizeof *losses, compare_losses);
    d->worst_groups = (g->n_groups + WORST_PART - 1) / WORST_PART;
    for (int64_t i = 0; i < d->worst_groups; i++) {
        d->worst_loss += losses[i].loss;
        d->worst_records += losses[i].size;
    }
    kanon__free(losses);
    return KANON_OK;
}

/* ---- sizes and risk ---------------------------------------------------------------------------------------------- */

static kanon_status count_sizes(kanon__report_data *d, const double *diversity, const kanon_grouping *g, kanon_error *err)
{
    int64_t *sizes = NULL;
    KANON_CHECK(kanon__new_array(&sizes, g->n_groups, "group sizes", err));
    memcpy(sizes, g->sizes, (size_t)g->n_groups * sizeof *sizes);
    kanon__bins_for(&d->sizes, sizes, g->n_groups);
    for (int64_t i = 0; i < g->n_groups; i++) {
        int64_t size = g->sizes[i];
        kanon__bins_add(&d->sizes, size, 1, size, (double)size * diversity[i]);
    }
    kanon__free(sizes);
    return KANON_OK;
}

static int64_t own_records(const classes *c, int64_t row)
{
    return c->own != NULL ? c->own[row] : 1;
}

/* The risk of a record is the share of its class that is its entity's. */
static kanon_status count_risks(kanon__report_data *d, int when, const classes *c, int64_t n_rows, kanon_error *err)
{
    uint32_t *seen = NULL; /* by class: a bit for each bin that has records of it */
    kanon_status st = kanon__new_array(&seen, c->n, "classes", err);
    for (int64_t row = 0; st == KANON_OK && row < n_rows; row++) {
        int32_t here = c->of[row];
        if (here < 0)
            continue;
        int64_t own = own_records(c, row), size = c->sizes[here], level = size / own;
        uint32_t bit = (uint32_t)1 << kanon__bins_find(&d->risk[when], level);
        kanon__bins_add(&d->risk[when], level, (seen[here] & bit) == 0, 1, 0);
        seen[here] |= bit;
        for (int j = 0; j < KANON__N_THRESHOLDS; j++)
            d->above[when][j] += own * kanon__thresholds[j] > size;
    }
    kanon__free(seen);
    return st == KANON_OK ? kanon__poll_tick(KANON__TICK_POLL_NS, err) : st;
}

/* Suppressed records cost 1 on every attribute. */
static kanon_status count_originals(kanon__report_data *d, const classes *c, const double *diversity,
                                    const kanon_grouping *g, kanon_error *err)
{
    bool *counted = NULL; /* by class */
    kanon_status st = kanon__new_array(&counted, c->n, "classes", err);
    d->n_classes = c->n;
    for (int64_t row = 0; st == KANON_OK && row < g->n_rows; row++) {
        int32_t group = g->group_of[row];
        int64_t size = c->sizes[c->of[row]];
        d->n_unique += own_records(c, row) == size;
        kanon__bins_add(&d->kinds, size, !counted[c->of[row]], 1, group >= 0 ? diversity[group] : d->total_weight);
        counted[c->of[row]] = true;
    }
    kanon__free(counted);
    return st == KANON_OK ? kanon__poll_tick(KANON__TICK_POLL_NS, err) : st;
}

static kanon_status measure_risks(kanon__report_data *d, const kanon_table *t, const kanon_grouping *g,
                                  const double *diversity, kanon_error *err)
{
    kanon_status st = KANON_OK;
    classes before = {0}, after = {.of = g->group_of, .sizes = g->sizes, .n = g->n_groups};
    KANON_TRY(find_entities(&after, t, err), out);
    KANON_TRY(count_risks(d, KANON__AFTER, &after, g->n_rows, err), out);
    KANON_TRY(original_classes(&before, t, err), out);
    KANON_TRY(count_risks(d, KANON__BEFORE, &before, g->n_rows, err), out);
    KANON_TRY(count_originals(d, &before, diversity, g, err), out);
out:
    clear_classes(&before);
    kanon__free(after.own); /* the rest is the grouping's */
    return st;
}

static void set_limits(kanon__report_data *d)
{
    static const int64_t levels[] = {1, 2, 3, 5, 11, 20};
    int64_t kinds[] = {1, 2, d->k};
    for (int i = 0; i < 2; i++)
        kanon__bins_at(&d->risk[i], levels, sizeof levels / sizeof levels[0]);
    kanon__bins_at(&d->kinds, kinds, d->k > 2 ? 3 : 2);
}

/* ---- sensitive values -------------------------------------------------------------------------------------------- */

typedef struct group_values {
    int64_t distinct, top;
} group_values;

/* The rows that are in a group, by group. */
static kanon_status rows_by_group(int32_t *rows, int32_t *spare, kanon__codes key, int64_t n_keys, const kanon_grouping *g,
                                  kanon_error *err)
{
    int64_t n = 0;
    for (int64_t row = 0; row < g->n_rows; row++)
        if (g->group_of[row] >= 0)
            rows[n++] = (int32_t)row;
    kanon_status st = sort_rows(rows, spare, n, key, n_keys, err);
    if (st == KANON_OK) /* no row of these has a negative group */
        st = sort_rows(rows, spare, n, (kanon__codes){.cells = g->group_of, .width = sizeof *g->group_of}, g->n_groups, err);
    return st;
}

static void count_values(group_values *values, const int32_t *rows, kanon__codes codes, const kanon_grouping *g)
{
    int64_t at = 0;
    for (int64_t group = 0; group < g->n_groups; group++)
        for (int64_t end = at + g->sizes[group], begin; (begin = at) < end;) {
            while (at < end && kanon__code_at(codes, rows[at]) == kanon__code_at(codes, rows[begin]))
                at++;
            values[group].distinct++;
            if (at - begin > values[group].top)
                values[group].top = at - begin;
        }
}

static kanon_status fill_variety(kanon__variety *v, const group_values *values, const kanon_grouping *g, kanon_error *err)
{
    static const int64_t percents[] = {0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100};
    int64_t *distinct = NULL;
    KANON_CHECK(kanon__new_array(&distinct, g->n_groups, "sensitive values", err));
    for (int64_t i = 0; i < g->n_groups; i++)
        distinct[i] = values[i].distinct;
    kanon__bins_for(&v->distinct, distinct, g->n_groups);
    kanon__bins_at(&v->top, percents, sizeof percents / sizeof percents[0]);
    v->top.items[v->top.n - 1].hi = 100;
    for (int64_t i = 0; i < g->n_groups; i++) {
        kanon__bins_add(&v->distinct, values[i].distinct, 1, g->sizes[i], 0);
        kanon__bins_add(&v->top, 100 * values[i].top / g->sizes[i], 1, g->sizes[i], 0);
        v->single_groups += values[i].distinct == 1;
        v->single_records += values[i].distinct == 1 ? g->sizes[i] : 0;
    }
    kanon__free(distinct);
    return KANON_OK;
}

static kanon_status measure_variety(kanon__report_data *d, const kanon_table *t, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *rows = NULL, *spare = NULL;
    group_values *values = NULL;
    KANON_TRY(kanon__new_array(&d->variety, t->data.n_sensitive, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&rows, g->n_rows, "a row order", err), out);
    KANON_TRY(kanon__new_array(&spare, g->n_rows, "a row order", err), out);
    KANON_TRY(kanon__new_array(&values, g->n_groups, "sensitive values", err), out);
    for (int i = 0; i < t->data.n_sensitive; i++) {
        const kanon__column *c = &t->data.columns[t->data.sensitive[i]];
        memset(values, 0, (size_t)g->n_groups * sizeof *values);
        KANON_TRY(rows_by_group(rows, spare, c->codes, c->domain->n_codes, g, err), out);
        count_values(values, rows, c->codes, g);
        KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
        KANON_TRY(fill_variety(&d->variety[i], values, g, err), out);
    }
out:
    kanon__free(values);
    kanon__free(spare);
    kanon__free(rows);
    return st;
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

kanon_status kanon__report_data_init(kanon__report_data *d, const kanon_table *t, const kanon_grouping *g, int64_t k_asked,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    double *diversity = NULL;
    memset(d, 0, sizeof *d);
    d->k_asked = k_asked;
    d->k = k_asked > 0 ? k_asked : g->smallest > 0 ? g->smallest : 1;
    d->rare = k_asked > 0 || d->k > RARE_UNASKED ? d->k : RARE_UNASKED;
    d->least_groups = 1;
    set_limits(d);
    KANON_TRY(measure_groups(d, &diversity, t, g, err), out);
    KANON_TRY(find_worst(d, diversity, g, err), out);
    KANON_TRY(count_sizes(d, diversity, g, err), out);
    KANON_TRY(measure_risks(d, t, g, diversity, err), out);
    KANON_TRY(measure_variety(d, t, g, err), out);
out:
    kanon__free(diversity);
    if (st != KANON_OK)
        kanon__report_data_clear(d);
    return st;
}

void kanon__report_data_clear(kanon__report_data *d)
{
    kanon__free(d->variety);
    kanon__free(d->costs);
    d->variety = NULL;
    d->costs = NULL;
}

void kanon__report_data_coarsen(kanon__report_data *d, const kanon_table *t, const kanon_grouping *g)
{
    double all = (double)g->n_rows, shown = (double)(g->n_rows - g->n_suppressed);
    for (int i = 0; i < t->data.n_quasi; i++)
        d->costs[i].any = kanon__share(d->costs[i].any * all - (double)g->n_suppressed, shown);
    d->least_groups = KANON__EXTERNAL_GROUPS;
    kanon__bins_merge(&d->sizes, NULL, KANON__EXTERNAL_GROUPS);
    for (int i = 0; i < d->sizes.n; i++)
        d->sizes.items[i].loss = 0;
    d->risk[KANON__BEFORE].n = 0;
    kanon__bins_merge(&d->risk[KANON__AFTER], NULL, KANON__EXTERNAL_GROUPS);
    d->kinds.n = 0;
    d->worst_groups = d->worst_records = 0;
    d->worst_loss = 0;
    for (int i = 0; i < t->data.n_sensitive; i++) {
        kanon__variety *v = &d->variety[i];
        kanon__bins_merge(&v->distinct, NULL, KANON__EXTERNAL_GROUPS);
        kanon__bins_merge(&v->top, NULL, KANON__EXTERNAL_GROUPS);
        if (v->single_groups < KANON__EXTERNAL_GROUPS)
            v->single_groups = v->single_records = 0;
    }
}
