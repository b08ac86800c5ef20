/* Writes a curve as CSV, as JSON and as a plot. */
#include "tradeoff/curve.h"

#include "core/alloc.h"
#include "report/json_text.h"
#include "report/page.h"
#include "report/svg_plot.h"

#include <jansson.h>
#include <math.h>
#include <string.h>

enum { CURVE_FORMAT = 1 };

/* ---- JSON -------------------------------------------------------------------------------------------------------- */

/* Set `key` to `value`, which is given away; false where either could not be made. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return object != NULL && json_object_set_new(object, key, value) == 0;
}

static bool fill_point(json_t *object, const kanon_curve_point *p)
{
    json_t *settings = json_object();
    const char *result = kanon_enum_text(KANON_ENUM_POINT_RESULT, p->result);
    bool good = set(object, "settings", settings) && set(object, "result", json_string(result));
    for (size_t i = 0; good && i < p->n_settings; i++)
        good = set(settings, p->settings[i].name, json_string(p->settings[i].value));
    for (size_t i = 0; good && i < p->n_figures; i++)
        good = set(object, p->figures[i]->name, kanon__json_figure(p->figures[i]));
    if (p->from_k > 0)
        good = good && set(object, "from_k", json_integer(p->from_k));
    return good && set(object, "seconds", json_real(p->seconds));
}

static bool fill_curve(json_t *root, const kanon_curve *c)
{
    int n_criteria;
    const char *const *criteria = kanon__curve_criteria(&n_criteria);
    json_t *names = json_array(), *formulas = json_object(), *points = json_array();
    bool good = set(root, "format", json_integer(CURVE_FORMAT)) && set(root, "kanon", json_string(kanon_version())) &&
                set(root, "algorithm", json_string(c->algorithm)) &&
                set(root, "seed", kanon__json_seed(c->seed));
    good = set(root, "criteria", names) && good;
    good = set(root, "formulas", formulas) && good;
    good = set(root, "points", points) && good;
    const kanon_curve_point *chosen = kanon_curve_recommended(c);
    if (chosen != NULL)
        good = set(root, "recommended", json_integer(chosen - c->points)) && good;
    for (int i = 0; good && i < n_criteria; i++)
        good = json_array_append_new(names, json_string(criteria[i])) == 0;
    for (size_t i = 0; good && i < c->points[0].n_figures; i++)
        good = set(formulas, c->figures[i]->name, json_string(c->figures[i]->formula));
    for (int64_t i = 0; good && i < c->n; i++) {
        json_t *point = json_object();
        good = json_array_append_new(points, point) == 0 && fill_point(point, &c->points[i]);
    }
    return good;
}

kanon_status kanon__curve_json(kanon__output *o, const kanon_curve *c, kanon_error *err)
{
    json_t *root = json_object();
    bool good = fill_curve(root, c);
    return kanon__json_write(o, root, good, "the curve", err);
}

/* ---- the plot ---------------------------------------------------------------------------------------------------- */

/* What is lost against what is risked. */
static const struct panel {
    const char *x, *y, *x_title, *y_title, *title;
    bool logarithmic, shares;
} panels[] = {
    {"average_risk", "information_loss", "average risk of re-identification", "information loss",
     "information loss against risk", true, false},
    {"protection", "information_loss", "protection of sensitive values: small is well protected", "information loss",
     "information loss against protection", false, false},
    {"average_risk", "query_error", "average risk of re-identification", "query error", "query error against risk", true,
     true},
};
enum { N_PANELS = sizeof panels / sizeof *panels };

/* "k 5, w-u 0.5": what tells it from the others. */
static void name_point(char *buffer, size_t size, const kanon_curve *c, const kanon_curve_point *p)
{
    *buffer = '\0';
    for (size_t i = 0; i < p->n_settings; i++)
        if (i == 0 || c->grid.axes[i].values.n > 1)
            snprintf(buffer + strlen(buffer), size - strlen(buffer), "%s%s %s", i > 0 ? ", " : "", p->settings[i].name,
                     p->settings[i].value);
}

/* Room for the points of one panel, used for all panels. */
typedef struct panel_points {
    kanon__plot_point *points;
    double *places; /* x and y of each */
    bool *dominated;
    int64_t n;
} panel_points;

/* The points that have both figures; the line goes through those that are not dominated in the two. */
static void place_points(panel_points *d, const kanon_curve *c, const struct panel *panel)
{
    const kanon_curve_point *chosen = kanon_curve_recommended(c);
    d->n = 0;
    for (int64_t i = 0; i < c->n; i++) {
        const kanon_curve_point *p = &c->points[i];
        double x = kanon__curve_figure(p, panel->x), y = kanon__curve_figure(p, panel->y);
        if (!isfinite(x) || !isfinite(y))
            continue;
        kanon__plot_point *point = &d->points[d->n];
        *point = (kanon__plot_point){.x = x, .y = y, .is_dark = p->result == KANON_POINT_OPTIMAL};
        name_point(point->label, sizeof point->label, c, p);
        point->is_chosen = p == chosen;
        if (point->is_chosen)
            snprintf(point->label + strlen(point->label), sizeof point->label - strlen(point->label), ": recommended");
        d->places[2 * d->n] = x;
        d->places[2 * d->n + 1] = y;
        d->n++;
    }
    kanon__find_dominated(d->dominated, d->places, d->n, 2);
    for (int64_t i = 0; i < d->n; i++)
        d->points[i].is_joined = !d->dominated[i];
}

static int compare_x(const void *left, const void *right)
{
    const kanon__plot_point *a = left, *b = right;
    if (a->x != b->x)
        return a->x < b->x ? -1 : 1;
    return (a->y > b->y) - (a->y < b->y);
}

/* One panel, if there is anything to be shown in it. */
static bool put_panel(kanon__output *o, const kanon_curve *c, panel_points *d, const struct panel *panel)
{
    place_points(d, c, panel);
    if (d->n == 0)
        return false;
    qsort(d->points, (size_t)d->n, sizeof *d->points, compare_x);
    kanon__plot plot = {.title = panel->title,
                        .width = KANON__PLOT_WIDE,
                        .n_series = 2,
                        .series = {"dominated", "not dominated"},
                        .shares = panel->shares,
                        .x_title = panel->x_title,
                        .y_title = panel->y_title};
    kanon__plot_points(o, &plot, d->points, (int)d->n, panel->logarithmic);
    return true;
}

/* The names of figures in words. */
static void put_words(kanon__output *o, const char *name)
{
    for (; *name != '\0'; name++)
        kanon__markup_text(o, *name == '_' ? " " : name, 1);
}

/* The points as a table below the plots, for readers who need the numbers. On a narrow page, one below the other. */
static void put_table(kanon__output *o, const kanon_curve *c)
{
    const kanon_curve_point *chosen = kanon_curve_recommended(c);
    kanon__html_begin(o, "points", "All points");
    kanon__output_text(o, "<div class=\"scroll widest\"><table class=\"dense\">\n<thead><tr><th>settings</th>"
                          "<th>result</th>");
    for (size_t i = 0; i < c->points[0].n_figures; i++) {
        kanon__output_text(o, "<th class=\"n\">");
        put_words(o, c->figures[i]->name);
        kanon__output_text(o, "</th>");
    }
    kanon__output_text(o, "</tr></thead>\n<tbody>\n");
    for (int64_t i = 0; i < c->n; i++) {
        const kanon_curve_point *p = &c->points[i];
        char name[KANON__PLOT_LABEL];
        name_point(name, sizeof name, c, p);
        kanon__output_text(o, "<tr><th scope=\"row\">");
        kanon__html_text(o, name);
        kanon__markup(o, "</th><td>%s%s", kanon_enum_text(KANON_ENUM_POINT_RESULT, p->result),
                      p == chosen ? ", recommended" : "");
        if (p->from_k > 0)
            kanon__markup(o, ", groups of k %s", kanon__show_count(p->from_k).text);
        kanon__output_text(o, "</td>");
        for (size_t j = 0; j < p->n_figures; j++) {
            kanon__output_text(o, "<td class=\"n\" data-label=\"");
            put_words(o, p->figures[j]->name);
            kanon__markup(o, "\">%s</td>", kanon__show_figure(p->figures[j]->value, p->figures[j]->whole).text);
        }
        kanon__output_text(o, "</tr>\n");
    }
    kanon__output_text(o, "</tbody>\n</table></div>\n");
    kanon__html_end(o);
}

/* All panels as one picture. */
static void put_svg(kanon__output *o, const kanon_curve *c, panel_points *d)
{
    int n_shown = 0;
    for (int i = 0; i < N_PANELS; i++) {
        place_points(d, c, &panels[i]);
        n_shown += d->n > 0;
    }
    int height = n_shown * KANON__PLOT_POINTS_HEIGHT;
    kanon__markup(o,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" "
                  "font-family=\"sans-serif\" font-size=\"11\">\n<style>\n",
                  KANON__PLOT_WIDE, height, KANON__PLOT_WIDE, height);
    kanon__output_text(o, kanon__plot_style);
    kanon__output_text(o, "</style>\n");
    for (int i = 0, n = 0; i < N_PANELS; i++) {
        kanon__markup(o, "<g transform=\"translate(0 %d)\">\n", KANON__PLOT_POINTS_HEIGHT * n);
        n += put_panel(o, c, d, &panels[i]);
        kanon__output_text(o, "</g>\n");
    }
    kanon__output_text(o, "</svg>\n");
}

/* Which point to take, and why; a reader may weigh it otherwise. */
static void put_choice(kanon__output *o, const kanon_curve *c)
{
    char name[KANON__PLOT_LABEL];
    const kanon_curve_point *chosen = kanon_curve_recommended(c);
    if (chosen == NULL)
        return;
    name_point(name, sizeof name, c, chosen);
    kanon__html_begin(o, "choice", "The recommended point");
    kanon__output_text(o, "<p class=\"caution\"><b>");
    kanon__html_text(o, name);
    kanon__markup(o,
                  "</b>: information loss %s (an average cell loses %s), average risk %s.</p>\n"
                  "<p>Of the points that no other one beats, it lies nearest to the corner where both loss and risk are "
                  "least. Each of the two is counted from its least (0) to its greatest value (1) among these points, the "
                  "risk in equal steps of its logarithm. Where a rule prescribes a size of groups, the rule decides.</p>\n",
                  kanon__show_figure(kanon__curve_figure(chosen, "information_loss"), false).text,
                  kanon__show_share(kanon__curve_figure(chosen, "avg_loss")).text,
                  kanon__show_share(kanon__curve_figure(chosen, "average_risk")).text);
    kanon__html_end(o);
}

/* A page with the panels and the table, without scripts or files from elsewhere. */
static void put_page(kanon__output *o, const kanon_curve *c, panel_points *d)
{
    kanon__page_begin(o, "Trade-off: ", kanon__file_name(c->table_name));
    kanon__markup(
        o,
        "<p class=\"kind\">Algorithm %s. The line joins the points that are not dominated in the two figures shown; "
        "a dark point is not dominated in all the criteria together.</p>\n",
        c->algorithm);
    put_choice(o, c);
    kanon__html_begin(o, "plots", "Loss against risk");
    for (int i = 0; i < N_PANELS; i++) {
        place_points(d, c, &panels[i]);
        if (d->n == 0)
            continue;
        kanon__markup(o, "<figure><figcaption>%s</figcaption>\n", panels[i].title);
        put_panel(o, c, d, &panels[i]);
        kanon__output_text(o, "</figure>\n");
    }
    kanon__html_end(o);
    put_table(o, c);
    kanon__page_end(o);
}

kanon_status kanon__curve_plot(kanon__output *o, const kanon_curve *c, bool html, kanon_error *err)
{
    kanon_status st = KANON_OK;
    panel_points d = {0};
    KANON_TRY(kanon__new_array(&d.points, c->n, "a plot", err), out);
    KANON_TRY(kanon__new_array(&d.places, 2 * c->n, "a plot", err), out);
    KANON_TRY(kanon__new_array(&d.dominated, c->n, "a plot", err), out);
    if (html)
        put_page(o, c, &d);
    else
        put_svg(o, c, &d);
out:
    kanon__free(d.dominated);
    kanon__free(d.places);
    kanon__free(d.points);
    return st;
}
