/* A grid of runs: every point is grouped, measured and compared with the others. The table is read once, and the lower
 * bound, which depends on the table and k alone, is computed once for each k. Points run in parallel and are
 * independent, so the curve does not depend on the number of threads.
 * Called through kanon_tradeoff; calls the pipeline for each point, the measures, and curve_write.c. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/pool.h"
#include "core/sink_guard.h"
#include "core/take_options.h"
#include "measures/measure.h"
#include "pipeline/publish.h"
#include "pipeline/run_plan.h"
#include "report/report.h"
#include "table/value/number.h"
#include "tradeoff/curve.h"

#include <math.h>
#include <string.h>

/* The axis k where the caller gives none. */
static const char default_k[] = "2,5,10,25,50,100";

/* neighbour_bound is measured where it is not known yet, neighbour_gap follows from it. */
static const char *const figure_names[] = {
    "groups",     "suppressed", "information_loss", "avg_loss",       "highest_risk",    "average_risk",
    "protection", "utility_um", "query_error",      "discernibility", "neighbour_bound", "neighbour_gap",
};
enum { N_FIGURES = sizeof figure_names / sizeof *figure_names, N_MEASURED = N_FIGURES - 2, BOUND = N_FIGURES - 2, GAP };

/* Less is better in all of them. A point is dominated if another is not worse in any and better in one. */
static const char *const criteria[] = {"information_loss", "highest_risk", "average_risk", "protection", "query_error"};
enum { N_CRITERIA = sizeof criteria / sizeof *criteria };

/* A running grid. The lock protects `done` and `stopped`; a point writes only its own places and figures. */
typedef struct work {
    const kanon_table *table;
    kanon_tradeoff_options options;
    kanon_curve *curve;
    bool has_suppress; /* the second axis */
    bool plot_is_html;
    int threads;       /* of a point */
    pthread_mutex_t lock;
    int64_t done;
    bool stopped;
} work;

const char *const *kanon__curve_criteria(int *n)
{
    *n = N_CRITERIA;
    return criteria;
}

double kanon__curve_figure(const kanon_curve_point *point, const char *name)
{
    for (size_t i = 0; i < point->n_figures; i++)
        if (strcmp(point->figures[i]->name, name) == 0)
            return point->figures[i]->value;
    return NAN;
}

/* ---- the grid ---------------------------------------------------------------------------------------------------- */

/* Every value of the axis k, before the work begins. */
static kanon_status check_k(const kanon__texts *values, kanon_error *err)
{
    int64_t k;
    for (int64_t i = 0; i < values->n; i++)
        if (!kanon__parse_integer(&k, values->items[i], strlen(values->items[i])) || k < 2)
            return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "k: %s is not a whole number from 2", values->items[i]),
                               "write the values with a comma between them, such as 2,5,10");
    return KANON_OK;
}

/* Every value of the axis suppress, likewise. */
static kanon_status check_shares(const kanon__texts *values, kanon_error *err)
{
    kanon__fraction share;
    for (int64_t i = 0; i < values->n; i++)
        if (!kanon__fraction_parse(&share, values->items[i]))
            return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "suppress: not a share of the records"),
                               "write 0.01 for one percent");
    return KANON_OK;
}

/* A wrong value is reported before the work begins, not when its point runs. */
static kanon_status check_settings(const kanon__entry *info, const kanon__grid_axis *axis, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; st == KANON_OK && i < axis->values.n; i++) {
        kanon__settings checked = {0};
        kanon_setting given = {axis->name, axis->values.items[i]};
        st = kanon__settings_init(&checked, info, &given, 1, err);
        kanon__settings_clear(&checked);
    }
    return st;
}

/* A setting of type text may contain commas, so its value is not a list. */
static bool takes_text(const kanon__entry *info, const char *name)
{
    for (size_t i = 0; info != NULL && i < info->n_settings; i++)
        if (strcmp(info->settings[i].name, name) == 0)
            return info->settings[i].type == KANON_SETTING_TEXT;
    return false;
}

/* The settings of the measures are the same for all points. */
static kanon_status check_measures(const kanon_tradeoff_options *o, kanon_error *err)
{
    kanon__settings checked = {0};
    kanon_status st = kanon__measure_settings(&checked, o->measure_settings, o->n_measure_settings, err);
    kanon__settings_clear(&checked);
    return st;
}

/* The axes: k, suppress where it is asked for, then the settings in the order of the caller. */
static kanon_status make_grid(work *w, kanon_error *err)
{
    const kanon_tradeoff_options *o = &w->options;
    kanon__grid *g = &w->curve->grid;
    const kanon__algorithm *algorithm = kanon__algorithm_find(w->curve->algorithm);
    const kanon__entry *info = algorithm != NULL ? &algorithm->info : NULL;
    KANON_CHECK(check_measures(o, err));
    KANON_CHECK(kanon__grid_add(g, "k", o->k != NULL ? o->k : default_k, false, err));
    KANON_CHECK(check_k(&g->axes[0].values, err));
    if (w->has_suppress) {
        KANON_CHECK(kanon__grid_add(g, "suppress", o->suppress, false, err));
        KANON_CHECK(check_shares(&g->axes[1].values, err));
    }
    for (size_t i = 0; i < o->n_settings; i++) {
        const char *name = o->settings[i].name;
        KANON_CHECK(kanon__grid_add(g, name, o->settings[i].value, takes_text(info, name), err));
        if (info != NULL) /* kanon_anonymize reports an unknown algorithm */
            KANON_CHECK(check_settings(info, &g->axes[g->n_axes - 1], err));
    }
    return KANON_OK;
}

/* All points with their settings; figures are NAN until they are measured. */
static kanon_status make_points(kanon_curve *c, kanon_error *err)
{
    c->n = kanon__grid_points(&c->grid);
    KANON_CHECK(kanon__new_array(&c->points, c->n, "points", err));
    KANON_CHECK(kanon__new_array(&c->places, c->n * c->grid.n_axes, "points", err));
    KANON_CHECK(kanon__new_list(&c->figures, NULL, c->n * N_FIGURES, "points", err));
    for (int64_t i = 0; i < c->n; i++) {
        kanon_setting *place = &c->places[i * c->grid.n_axes];
        kanon_figure **figures = &c->figures[i * N_FIGURES];
        for (int axis = 0; axis < c->grid.n_axes; axis++)
            place[axis] = (kanon_setting){c->grid.axes[axis].name, kanon__grid_value(&c->grid, i, axis)};
        for (int j = 0; j < N_FIGURES; j++) {
            const kanon__measure *measure = kanon__measure_find(figure_names[j]);
            *figures[j] =
                (kanon_figure){measure->info.shown.name, NULL, measure->info.shown.brief, NAN, measure->whole};
        }
        c->points[i] = (kanon_curve_point){.settings = place,
                                           .n_settings = (size_t)c->grid.n_axes,
                                           .figures = (const kanon_figure *const *)figures,
                                           .n_figures = N_FIGURES};
    }
    return KANON_OK;
}

/* ---- the points -------------------------------------------------------------------------------------------------- */

/* The tick of every point: reports the progress of the grid instead of that of the point, and stops all points together. */
static int report_progress(const kanon_progress *of_point, void *payload)
{
    work *w = payload;
    (void)of_point;
    pthread_mutex_lock(&w->lock);
    kanon_progress whole = {.struct_size = sizeof whole, .stage = "running the grid", .done = w->done, .total = w->curve->n};
    if (!w->stopped)
        w->stopped = w->options.tick(&whole, w->options.payload) != 0;
    bool stop = w->stopped;
    pthread_mutex_unlock(&w->lock);
    return stop;
}

/* The lower bound takes longer than all other figures and depends on k alone: only the first point of each k
 * measures it. */
static kanon_status measure_point(const work *w, int64_t index, const kanon_grouping *grouping, kanon_error *err)
{
    kanon_curve *c = w->curve;
    kanon_figure **figures = &c->figures[index * N_FIGURES];
    const char *wanted[N_FIGURES] = {0};
    kanon_measures *measures = NULL;
    kanon_evaluate_options evaluating = {
        .struct_size = sizeof evaluating,
        .settings = w->options.measure_settings,
        .n_settings = w->options.n_measure_settings,
        .threads = w->threads,
        .tick = w->options.tick != NULL ? report_progress : NULL,
        .payload = (void *)w,
    };
    bool first_of_k = index % c->grid.axes[0].stride == 0;
    memcpy(wanted, figure_names, (N_MEASURED + first_of_k) * sizeof *wanted);
    kanon_status st = kanon__evaluate_some(&measures, w->table, grouping, &evaluating, wanted, err);
    for (int i = 0; st == KANON_OK && wanted[i] != NULL; i++)
        figures[i]->value = kanon_measures_find(measures, wanted[i], NULL)->value;
    kanon_measures_free(measures);
    return st;
}

/* One point: group, measure, count it as done. A point without a possible grouping is a result, not a failure. */
static kanon_status run_point(int64_t index, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    work *w = payload;
    const kanon__grid *grid = &w->curve->grid;
    kanon_curve_point *point = &w->curve->points[index];
    kanon_grouping *grouping = NULL;
    int n_own = 1 + w->has_suppress;
    kanon_options grouping_options = {
        .struct_size = sizeof grouping_options,
        .algorithm = w->options.algorithm,
        .refine = w->options.refine,
        .suppress = w->has_suppress ? kanon__grid_value(grid, index, 1) : NULL,
        .effort = w->options.effort,
        .settings = point->settings + n_own,
        .n_settings = point->n_settings - n_own,
        .seed = w->options.seed,
        .threads = w->threads,
        .tick = w->options.tick != NULL ? report_progress : NULL,
        .payload = w,
    };
    kanon__parse_integer(&grouping_options.k, point->settings[0].value, strlen(point->settings[0].value));
    st = kanon_anonymize(&grouping, w->table, &grouping_options, err);
    if (st == KANON_OK) {
        point->seconds = grouping->seconds;
        st = measure_point(w, index, grouping, err);
    } else if (st == KANON_EINFEASIBLE) {
        point->result = KANON_POINT_INFEASIBLE;
        st = KANON_OK;
    }
    pthread_mutex_lock(&w->lock);
    w->done++;
    pthread_mutex_unlock(&w->lock);
    kanon_grouping_free(grouping);
    return st;
}

/* As many points at once as there are threads; threads that are left over work inside the points. */
static kanon_status run_points(work *w, kanon_error *err)
{
    int threads = kanon__pool_threads(w->options.threads);
    int at_once = w->curve->n < threads ? (int)w->curve->n : threads;
    w->threads = threads / at_once;
    pthread_mutex_init(&w->lock, NULL);
    kanon_status st = kanon__pool_run(at_once, w->curve->n, run_point, w, err);
    pthread_mutex_destroy(&w->lock);
    return st;
}

/* Point i where its first value is that of another point. */
static int64_t at_k(const kanon_curve *c, int64_t i, int64_t value)
{
    int64_t stride = c->grid.axes[0].stride;
    return value * stride + i % stride;
}

static int64_t k_of(const kanon_curve_point *p)
{
    int64_t k = 0;
    kanon__parse_integer(&k, p->settings[0].value, strlen(p->settings[0].value));
    return k;
}

/* Of the points of the same settings whose groups are groups of this k, too, the one that loses least; of equals the point
 * itself, then the least k. */
static int64_t best_source(const kanon_curve *c, int64_t i)
{
    int64_t best = i, k = k_of(&c->points[i]);
    for (int64_t value = 0; value < c->grid.axes[0].values.n; value++) {
        int64_t j = at_k(c, i, value), other = k_of(&c->points[j]);
        double loss = kanon__curve_figure(&c->points[j], "information_loss");
        double least = kanon__curve_figure(&c->points[best], "information_loss");
        bool found = other > k && isfinite(loss);
        if (found && (!isfinite(least) || loss < least || (loss <= least && best != i && other < k_of(&c->points[best]))))
            best = j;
    }
    return best;
}

/* A larger k asks for more, so it never loses less: the better of two valid groupings counts for both. None of the figures
 * that are taken over depends on k, and a point that others take from has nothing better itself. */
static kanon_status take_better(kanon_curve *c, kanon_error *err)
{
    int64_t *sources = NULL;
    KANON_CHECK(kanon__new_array(&sources, c->n, "points", err));
    for (int64_t i = 0; i < c->n; i++)
        sources[i] = best_source(c, i);
    for (int64_t i = 0; i < c->n; i++) {
        kanon_figure **to = &c->figures[i * N_FIGURES], **from = &c->figures[sources[i] * N_FIGURES];
        if (sources[i] == i)
            continue;
        for (int j = 0; j < N_MEASURED; j++)
            to[j]->value = from[j]->value;
        c->points[i].from_k = k_of(&c->points[sources[i]]);
        c->points[i].result = KANON_POINT_OPTIMAL; /* until it is compared */
    }
    kanon__free(sources);
    return KANON_OK;
}

/* All points of a k have the bound that was computed for the first of them. */
static void share_bounds(kanon_curve *c)
{
    for (int64_t i = 0; i < c->n; i++) {
        const kanon_curve_point *p = &c->points[i];
        kanon_figure **figures = &c->figures[i * N_FIGURES];
        if (p->result == KANON_POINT_INFEASIBLE)
            continue;
        double loss = kanon__curve_figure(p, "information_loss");
        double bound = c->figures[i / c->grid.axes[0].stride * c->grid.axes[0].stride * N_FIGURES + BOUND]->value;
        figures[BOUND]->value = bound;
        if (kanon__curve_figure(p, "suppressed") == 0)
            figures[GAP]->value = loss == bound ? 1 : loss / bound;
    }
}

/* Which points are dominated. KANON_EINFEASIBLE: no point has a grouping. */
static kanon_status compare_points(kanon_curve *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    double *values = NULL;
    bool *dominated = NULL;
    int64_t n_feasible = 0;
    KANON_TRY(kanon__new_array(&values, c->n * N_CRITERIA, "points", err), out);
    KANON_TRY(kanon__new_array(&dominated, c->n, "points", err), out);
    for (int64_t i = 0; i < c->n; i++)
        for (int j = 0; j < N_CRITERIA; j++)
            values[i * N_CRITERIA + j] = kanon__curve_figure(&c->points[i], criteria[j]);
    kanon__find_dominated(dominated, values, c->n, N_CRITERIA);
    for (int64_t i = 0; i < c->n; i++) {
        n_feasible += c->points[i].result != KANON_POINT_INFEASIBLE;
        if (dominated[i])
            c->points[i].result = KANON_POINT_DOMINATED;
    }
    if (n_feasible == 0)
        st = kanon__hint(err, kanon__fail(err, KANON_EINFEASIBLE, "no point of the grid can be met"),
                         "ask for a smaller k, or for weaker constraints");
out:
    kanon__free(dominated);
    kanon__free(values);
    return st;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

enum { CSV, JSON, PLOT, N_OUTPUTS };

/* The files get their names together, as those of a release do. */
static kanon_status write_all(kanon__output *const outputs[N_OUTPUTS], const work *w, kanon_error *err)
{
    if (outputs[CSV] != NULL)
        kanon__curve_csv(outputs[CSV], w->curve);
    if (outputs[JSON] != NULL)
        KANON_CHECK(kanon__curve_json(outputs[JSON], w->curve, err));
    if (outputs[PLOT] != NULL)
        KANON_CHECK(kanon__curve_plot(outputs[PLOT], w->curve, w->plot_is_html, err));
    for (int i = 0; i < N_OUTPUTS; i++)
        if (outputs[i] != NULL)
            KANON_CHECK(kanon__output_finish(outputs[i], err));
    return kanon__output_commit(outputs, N_OUTPUTS, err);
}

/* From options to named files. */
static kanon_status run_grid(work *w, kanon__output *outputs[N_OUTPUTS], kanon_error *err)
{
    static const char *const formats[N_OUTPUTS] = {[CSV] = "csv", [JSON] = "json", [PLOT] = "svg|html"};
    const kanon_output *const wanted[N_OUTPUTS] = {
        [CSV] = w->options.csv, [JSON] = w->options.json, [PLOT] = w->options.plot};
    const char *paths[N_OUTPUTS];
    int form = 0;
    if (wanted[JSON] != NULL || wanted[PLOT] != NULL)
        KANON_CHECK(kanon__reports_are_built(err));
    for (int i = 0; i < N_OUTPUTS; i++) {
        paths[i] = kanon__output_location(wanted[i]);
        if (wanted[i] != NULL)
            KANON_CHECK(kanon__output_format(&form, wanted[i], formats[i], err));
    }
    w->plot_is_html = wanted[PLOT] != NULL && form == 1;
    KANON_CHECK(make_grid(w, err));
    KANON_CHECK(make_points(w->curve, err));
    KANON_CHECK(kanon__publish_check(paths, N_OUTPUTS, w->table, err));
    for (int i = 0; i < N_OUTPUTS; i++) /* a place that cannot be written to should be known now */
        if (wanted[i] != NULL) {
            KANON_CHECK(kanon__output_open(&outputs[i], wanted[i], false, err));
            kanon__output_make_private(outputs[i]); /* figures of originals, as in an internal report */
        }
    KANON_CHECK(run_points(w, err));
    KANON_CHECK(take_better(w->curve, err));
    share_bounds(w->curve);
    KANON_CHECK(compare_points(w->curve, err));
    return write_all(outputs, w, err);
}

/* kanon_tradeoff within its call: takes options and sinks over and frees whatever is left. */
static kanon_status try_all(kanon_curve **out, const kanon_table *table, const kanon_tradeoff_options *options,
                            kanon_error *err)
{
    kanon_status st = KANON_OK;
    work w = {.table = table};
    kanon__output *outputs[N_OUTPUTS] = {0};
    kanon__taken_output taken[N_OUTPUTS];
    *out = NULL;
    st = kanon__take_options(&w.options, sizeof w.options, options, err);
    st = kanon__output_take(&taken[CSV], &w.options.csv, st, err);
    st = kanon__output_take(&taken[JSON], &w.options.json, st, err);
    KANON_TRY(kanon__output_take(&taken[PLOT], &w.options.plot, st, err), out);
    KANON_TRY(kanon__check_seed(w.options.seed, "seed", err), out);
    kanon__call_ticks(&w.options.tick, &w.options.payload);
    KANON_TRY(kanon__new_array(&w.curve, 1, "a curve", err), out);
    const char *algorithm = w.options.algorithm != NULL ? w.options.algorithm : table->policy.algorithm;
    w.curve->algorithm = algorithm != NULL ? algorithm : KANON__DEFAULT_ALGORITHM;
    w.curve->table_name = table->source->name;
    w.curve->seed = w.options.seed;
    w.has_suppress = w.options.suppress != NULL;
    KANON_TRY(run_grid(&w, outputs, err), out);
    *out = w.curve;
    w.curve = NULL;
out:
    for (int i = 0; i < N_OUTPUTS; i++)
        kanon__output_free(outputs[i]);
    kanon__outputs_end(taken, N_OUTPUTS);
    kanon_curve_free(w.curve);
    return st;
}

kanon_status kanon_tradeoff(kanon_curve **out, const kanon_table *table, const kanon_tradeoff_options *options,
                            kanon_error *err)
{
    KANON_RETURN_IN(table->context, try_all(out, table, options, err));
}

void kanon_curve_free(kanon_curve *curve)
{
    if (curve == NULL)
        return;
    kanon__free(curve->figures);
    kanon__free(curve->places);
    kanon__free(curve->points);
    kanon__grid_clear(&curve->grid);
    kanon__free(curve);
}

const kanon_curve_point *kanon_curve_at(const kanon_curve *curve, size_t i)
{
    return i < (size_t)curve->n ? &curve->points[i] : NULL;
}
