/* See trials.h. Every trial works on a shallow copy of the table, with lists of columns of its own, and is grouped through
 * kanon_anonymize, so that it meets all that the schema asks for. Trials are tasks of a pool: none sees another.
 * Called by advise.c; calls the pipeline, partition/gaps.h and the sums of measures. */
#include "advice/trials.h"

#include "advice/changed_column.h"
#include "algorithms/algorithm.h"
#include "core/alloc.h"
#include "core/pool.h"
#include "core/random.h"
#include "measures/measure.h"
#include "model/units.h"
#include "partition/gaps.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum {
    MOST_RECORDS = 8000,     /* of a trial; all, where the table has no more */
    MOST_REQUIRED = 4000,    /* the same where more than k is asked, which takes longer */
    PART = 2000,             /* records of a part of a larger table, at least */
    LARGEST = 5000000,       /* records; cutting more takes longer than the advice is worth */
    LEAST_GROUPS = 10,       /* with fewer groups of k a trial says little */
    QUICK = 4000000          /* records that a quick algorithm groups in a minute */
};

typedef struct trying {
    kanon__trials *trials;
    const kanon_table *table; /* the whole, with `part` in the place of its data */
    const kanon__data *part;
    const kanon_grouping *grouping;
    const char *algorithm, *effort;
    char share[KANON__TRIAL_TEXT]; /* of the records that may be suppressed; "": nothing was said */
    kanon__shared_ticker ticker;
} trying;

bool kanon__trials_possible(const kanon_table *t, const kanon_grouping *g)
{
    int64_t k = g->k > 0 ? g->k : g->smallest;
    bool together = t->data.has_entity && t->policy.entity_together;
    return g->n_groups > 0 && k >= 2 && g->recode_maps == NULL && !together && !t->data.spilled && t->data.n_quasi > 0 &&
           t->data.n_rows <= LARGEST && t->data.n_rows >= LEAST_GROUPS * k;
}

kanon_status kanon__trials_add(kanon__trials *t, const kanon__trial *trial, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(&t->items, &t->capacity, t->n + 1, "trials", err));
    t->items[t->n++] = *trial;
    return KANON_OK;
}

void kanon__trials_clear(kanon__trials *t)
{
    kanon__free(t->baseline);
    kanon__free(t->items);
    *t = (kanon__trials){0};
}

/* ---- the records that are tried ------------------------------------------------------------------------------------ */

static int64_t most_records(const kanon_table *t)
{
    return t->data.has_entity || t->policy.n_constraints > 0 ? MOST_REQUIRED : MOST_RECORDS;
}

/* Rows of some of the parts, at random, until there are enough. */
static kanon_status choose_rows(int32_t **out, int64_t *n, const kanon__parts *parts, int64_t most, uint64_t seed,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *order = NULL, *scratch = NULL;
    kanon__random random;
    *n = 0;
    KANON_TRY(kanon__new_array(&order, parts->n, "parts", err), out);
    KANON_TRY(kanon__new_array(&scratch, parts->n, "parts", err), out);
    kanon__random_init(&random, seed, 0);
    kanon__random_sample(&random, order, parts->n, scratch, parts->n);
    KANON_TRY(kanon__new_array(out, parts->begins[parts->n], "a sample", err), out);
    for (int64_t i = 0; i < parts->n && *n < most; i++) {
        int64_t begin = parts->begins[order[i]], size = parts->begins[order[i] + 1] - begin;
        memcpy(*out + *n, parts->rows + begin, (size_t)size * sizeof **out);
        *n += size;
    }
out:
    kanon__free(scratch);
    kanon__free(order);
    return st;
}

/* *out, to be cleared by kanon__data_clear_rows where *sampled. */
static kanon_status take_part(kanon__data *out, bool *sampled, const kanon_table *t, const kanon__data *data, uint64_t seed,
                              int threads, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__space *space = NULL;
    kanon__parts *parts = NULL;
    int32_t *rows = NULL;
    int64_t n = 0;
    *out = *data;
    *sampled = false;
    if (t->data.n_rows <= most_records(t))
        return KANON_OK;
    KANON_TRY(kanon__space_new(&space, &t->data, t->data.quasi, t->data.n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__parts_at_gaps(&parts, space, PART, threads, ticker, err), out);
    KANON_TRY(choose_rows(&rows, &n, parts, most_records(t), seed, err), out);
    KANON_TRY(kanon__data_rows(out, data, rows, n, err), out);
    *sampled = true;
out:
    kanon__free(rows);
    kanon__parts_free(parts);
    kanon__space_free(space);
    return st;
}

/* ---- one trial ----------------------------------------------------------------------------------------------------- */

/* A table that is changed; everything but the lists and `own` is shared. */
typedef struct changed {
    kanon_table table;
    kanon__column *columns;
    int *quasi;
    kanon__column own; /* a column that was read anew */
    bool has_own;
} changed;

static void clear_changed(changed *c)
{
    if (c->has_own)
        kanon__changed_column_clear(&c->own);
    kanon__free(c->quasi);
    kanon__free(c->columns);
}

/* In the order of the columns, as every list of quasi-identifiers is. */
static void add_columns(kanon__data *d, int *quasi, const trying *w, char *weight)
{
    for (int i = 0; i < w->trials->n_added; i++) {
        int column = w->trials->added[i], at = d->n_quasi++;
        for (; at > 0 && quasi[at - 1] > column; at--)
            quasi[at] = quasi[at - 1];
        quasi[at] = column;
        d->columns[column].role = KANON_ROLE_QUASI;
        d->columns[column].weight_text = weight;
        d->columns[column].weight = kanon__weight_parse(weight).value;
    }
}

static void leave_out(kanon__data *d, int *quasi, int attribute)
{
    d->columns[quasi[attribute]].role = KANON_ROLE_IDENTIFYING;
    d->n_quasi--;
    for (int i = attribute; i < d->n_quasi; i++)
        quasi[i] = quasi[i + 1];
}

/* KANON_EDATA: the column cannot be read so. */
static kanon_status make_changed(changed *out, const trying *w, kanon__trial *t, kanon_error *err)
{
    kanon__data *d = &out->table.data;
    *out = (changed){.table = *w->table};
    *d = *w->part;
    KANON_CHECK(kanon__new_array(&out->columns, d->n_columns, "columns", err));
    KANON_CHECK(kanon__new_array(&out->quasi, d->n_quasi + w->trials->n_added, "columns", err));
    memcpy(out->columns, d->columns, (size_t)d->n_columns * sizeof *d->columns);
    memcpy(out->quasi, d->quasi, (size_t)d->n_quasi * sizeof *d->quasi);
    d->columns = out->columns;
    d->quasi = out->quasi;
    int at = t->attribute >= 0 ? d->quasi[t->attribute] : -1;
    if (t->kind == KANON__TRIAL_LEAVE_OUT) {
        leave_out(d, out->quasi, t->attribute);
    } else if (t->kind == KANON__TRIAL_ADD) {
        add_columns(d, out->quasi, w, t->text);
    } else if (t->kind == KANON__TRIAL_WEIGHT) {
        d->columns[at].weight_text = t->text;
        d->columns[at].weight = kanon__weight_parse(t->text).value;
    } else if (t->kind == KANON__TRIAL_BANDS || t->kind == KANON__TRIAL_MASK) {
        kanon__column_key key = t->kind == KANON__TRIAL_BANDS ? KANON__COLUMN_BANDS : KANON__COLUMN_MASK;
        KANON_CHECK(kanon__changed_column(&out->own, w->part, at, w->table->source, key, t->text, err));
        out->has_own = true;
        d->columns[at] = out->own;
    }
    return KANON_OK;
}

/* The losses of the groups by quasi attribute of `data`. */
static kanon_status measure(double *out, const kanon__data *data, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__subject subject = {0};
    kanon__sums sums = {0};
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, NULL, NULL, "measuring");
    KANON_TRY(kanon__subject_init(&subject, data, g, false, NULL, &ticker, err), out);
    KANON_TRY(kanon__subject_sums(&sums, &subject, KANON__SUM_LOSSES, NULL, err), out);
    for (int i = 0; i < data->n_quasi; i++)
        out[i] = kanon__measure_attribute_loss.figure(&sums, i);
out:
    kanon__sums_clear(&sums);
    kanon__subject_clear(&subject);
    return st;
}

/* The number that a band shows as an end, in the range of the column: an open end is that of the range. */
static double shown_end(const kanon__domain *d, int64_t end, bool open, double min, double max, bool above)
{
    double value = open ? (above ? max : min) : (double)end / pow(10, d->scale);
    return fmin(max, fmax(min, value));
}

/* What bands cost in the units of the column without them: the part of its range that a cell shows, which is how
 * audit/release_loss.c measures the release. */
static kanon_status measure_bands(double *out, const kanon__column *banded, const kanon__column *before,
                                  const kanon_grouping *g, kanon_error *err)
{
    const kanon__domain *d = banded->domain;
    double min = before->domain->values[0], max = before->domain->values[kanon__n_numbers(before->domain) - 1];
    double sum = (double)g->n_suppressed;
    uint32_t *extents = NULL;
    KANON_CHECK(kanon__grouping_extents(&extents, g, banded, err));
    for (int64_t i = 0; i < g->n_groups; i++) {
        uint32_t lo = extents[2 * i], hi = extents[2 * i + 1];
        double cost = lo != hi; /* with missing values: all of it, or nothing */
        if (hi != d->missing_code)
            cost = (shown_end(d, d->bands[hi].last, d->bands[hi].open_above, min, max, true) -
                    shown_end(d, d->bands[lo].first, d->bands[lo].open_below, min, max, false)) / (max - min);
        sum += cost * (double)g->sizes[i];
    }
    kanon__free(extents);
    *out = sum * before->weight;
    return KANON_OK;
}

/* In the units of the run: a trial's own domain counts only of a column behind a mask, whose steps there were not. */
static kanon_status measure_trial(const trying *w, kanon__trial *t, const changed *c, const kanon_grouping *g,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    double *losses = NULL;
    KANON_TRY(kanon__new_array(&losses, w->part->n_quasi, "losses", err), out);
    KANON_TRY(measure(losses, t->kind == KANON__TRIAL_MASK ? &c->table.data : w->part, g, err), out);
    if (t->attribute >= 0) {
        int at = w->part->quasi[t->attribute];
        t->exact = losses[t->attribute];
        if (t->kind == KANON__TRIAL_LEAVE_OUT)
            losses[t->attribute] = 0;
        if (t->kind == KANON__TRIAL_BANDS)
            KANON_TRY(measure_bands(&losses[t->attribute], &c->own, &w->part->columns[at], g, err), out);
        t->own = losses[t->attribute];
    }
    for (int i = 0; i < w->part->n_quasi; i++) {
        t->loss += losses[i];
        if (t->kind == KANON__TRIAL_BASELINE)
            w->trials->baseline[i] = losses[i];
    }
    t->done = true;
out:
    kanon__free(losses);
    return st;
}

/* What cannot be read or met is no failure: nothing is advised. */
static kanon_status forgive(kanon_status st, const kanon_error *inner, kanon_error *err)
{
    if (st == KANON_OK || st == KANON_EINFEASIBLE || st == KANON_EDATA || st == KANON_EINVAL)
        return KANON_OK;
    kanon__error_copy(err, inner);
    return st;
}

static kanon_status run_trial(int64_t task, void *payload, kanon_error *err)
{
    trying *w = payload;
    kanon__trial *t = &w->trials->items[task];
    const kanon_grouping *of = w->grouping;
    kanon_error inner = KANON_INIT(kanon_error);
    changed c = {0};
    kanon_grouping *g = NULL;
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &w->ticker);
    const char *share = t->kind == KANON__TRIAL_SUPPRESS ? t->text : w->share;
    kanon_options o = {.struct_size = sizeof o,
                       .k = t->kind == KANON__TRIAL_K ? t->k : of->k > 0 ? of->k : of->smallest,
                       .algorithm = w->algorithm,
                       .effort = w->effort,
                       .refine = w->effort == NULL ? "none" : NULL,
                       .suppress = share[0] != '\0' ? share : NULL,
                       .seed = of->seed,
                       .threads = 1,
                       .blocks = KANON_BLOCKS_NONE,
                       .tick = ticker.tick,
                       .payload = ticker.payload};
    if (t->kind == KANON__TRIAL_ADD && w->trials->n_added == 0) {
        kanon__shared_ticker_add(&w->ticker, 1);
        return KANON_OK;
    }
    kanon_status st = make_changed(&c, w, t, &inner);
    if (st == KANON_OK)
        st = kanon_anonymize(&g, &c.table, &o, &inner);
    if (st == KANON_OK)
        st = measure_trial(w, t, &c, g, &inner);
    kanon_grouping_free(g);
    clear_changed(&c);
    kanon__shared_ticker_add(&w->ticker, 1);
    return forgive(st, &inner, err);
}

/* ---- all of them ---------------------------------------------------------------------------------------------------- */

/* The algorithm of the run where it is quick and nothing refined its groups. */
static void choose_algorithm(trying *w)
{
    const kanon_grouping *g = w->grouping;
    const kanon__algorithm *own = g->algorithm != NULL && g->refinement == NULL ? kanon__algorithm_find(g->algorithm) : NULL;
    bool quick = own != NULL && (own->records_per_minute == 0 || own->records_per_minute >= QUICK);
    w->algorithm = quick ? g->algorithm : "auto";
    w->effort = quick ? NULL : "fast";
}

kanon_status kanon__trials_run(kanon__trials *trials, const kanon_table *table, const kanon_grouping *g,
                               const kanon_advise_options *o, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__data part = {0};
    kanon__added_columns added = {0};
    bool sampled = false, shared = false;
    kanon__ticker cutting, ticker;
    int threads = kanon__pool_threads(o->threads);
    trying w = {.trials = trials, .table = table, .part = &part, .grouping = g};
    choose_algorithm(&w);
    if (g->most_suppressed >= 0)
        snprintf(w.share, sizeof w.share, "%.9f", (double)g->most_suppressed / (double)g->n_rows);
    kanon__ticker_init(&cutting, o->tick, o->payload, "choosing records for the advice");
    kanon__ticker_init(&ticker, o->tick, o->payload, "trying what is advised");
    KANON_TRY(kanon__new_array(&trials->baseline, table->data.n_quasi, "losses", err), out);
    KANON_TRY(kanon__added_columns_read(&added, table, threads, &cutting, err), out);
    memcpy(trials->added, added.columns, sizeof trials->added);
    trials->n_added = added.n;
    KANON_TRY(take_part(&part, &sampled, table, &added.data, g->seed, threads, &cutting, err), out);
    trials->n_tried = part.n_rows;
    kanon__shared_ticker_init(&w.ticker, &ticker, trials->n);
    shared = true;
    KANON_TRY(kanon__pool_run(threads, trials->n, run_trial, &w, err), out);
out:
    if (shared)
        kanon__shared_ticker_clear(&w.ticker);
    if (sampled)
        kanon__data_clear_rows(&part);
    kanon__added_columns_clear(&added);
    return st;
}
