/* The sections of the page that have plots: risk, sizes of groups, loss by attribute, distributions before and after,
 * and sensitive attributes. */
#include "report/html_parts.h"

#include "core/alloc.h"
#include "report/distribution.h"
#include "report/svg_plot.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LABEL_SIZE = 72, MAX_ATTRIBUTES = 60, MAX_SENSITIVE = 40, MAX_COST_ROWS = 200, MAX_COST_BARS = 20 };

static const char dash[] = "\xE2\x80\x93";

/* A plot with its caption. `column`, unless NULL, is the name that the caption begins with. */
static void begin_figure(kanon__output *o, const char *caption, const char *column)
{
    kanon__output_text(o, "<figure><figcaption>");
    if (column != NULL) {
        kanon__output_text(o, "<b>");
        kanon__markup_text(o, column, strlen(column));
        kanon__output_text(o, "</b>: ");
    }
    kanon__markup(o, "%s</figcaption>\n", caption);
}

static void end_figure(kanon__output *o)
{
    kanon__output_text(o, "</figure>\n");
}

/* ---- bins as bars ------------------------------------------------------------------------------------------------ */

typedef struct labelled {
    kanon__plot_bar bars[KANON__MAX_BINS + 1];
    char texts[KANON__MAX_BINS + 1][LABEL_SIZE];
    int n;
} labelled;

static void add_bar(labelled *l, double first, double second)
{
    kanon__plot_bar *bar = &l->bars[l->n];
    *bar = (kanon__plot_bar){.label = l->texts[l->n], .label_length = strlen(l->texts[l->n]), .values = {first, second}};
    l->n++;
}

/* 7, 7–9 or 7+ */
static void size_label(char out[LABEL_SIZE], const kanon__bin *bin, const char *unit)
{
    if (bin->lo == bin->hi)
        snprintf(out, LABEL_SIZE, "%lld%s", (long long)bin->lo, unit);
    else if (bin->hi == INT64_MAX)
        snprintf(out, LABEL_SIZE, "%lld+%s", (long long)bin->lo, unit);
    else
        snprintf(out, LABEL_SIZE, "%lld%s%lld%s", (long long)bin->lo, dash, (long long)bin->hi, unit);
}

/* One bar per bin of group sizes. */
static void group_bars(labelled *out, const kanon__bins *bins, const char *unit)
{
    out->n = 0;
    for (int i = 0; i < bins->n; i++) {
        size_label(out->texts[i], &bins->items[i], unit);
        add_bar(out, (double)bins->items[i].groups, 0);
    }
}

/* ---- risk -------------------------------------------------------------------------------------------------------- */

/* A line of the table of thresholds: how many records are above the risk, before and after. */
static void threshold_row(kanon__output *o, const kanon__report *r, const kanon__report_data *d, int i)
{
    static const char *const uses[KANON__N_THRESHOLDS] = {
        "the weakest in use, between parties that trust each other", "the most common rule of thumb",
        "often quoted for clinical reports that are published (0.09)", "strict, for sensitive data that anyone may see"};
    int64_t n = kanon__report_records(r), size = kanon__thresholds[i];
    bool met = d->above[KANON__AFTER][i] == 0;
    double before = kanon__share((double)d->above[KANON__BEFORE][i], (double)n);
    double after = kanon__share((double)d->above[KANON__AFTER][i], (double)n);
    kanon__markup(o, "<tr><th scope=\"row\">1/%d</th><td>%s</td>", (int)size, uses[i]);
    if (!r->external)
        kanon__markup(o, "<td class=\"n\">%s</td>", kanon__show_share(before).text);
    kanon__markup(o, "<td class=\"n\">%s</td><td class=\"%s\">%s</td></tr>\n", kanon__show_share(after).text,
                  met ? "yes" : "no", met ? "met" : "not met");
}

/* The risk of the records in a bin. Those of entities lie between the fractions: the bin of 1/2 ends above 1/3. */
static void risk_label(char out[LABEL_SIZE], const kanon__bin *bin, bool entities)
{
    char from[24] = "1";
    if (bin->lo > 1)
        snprintf(from, sizeof from, "1/%lld", (long long)bin->lo);
    if (bin->hi == INT64_MAX)
        snprintf(out, LABEL_SIZE, "%s or less", from);
    else if (entities)
        snprintf(out, LABEL_SIZE, "%s%s1/%lld", from, dash, (long long)bin->hi + 1);
    else if (bin->lo == bin->hi)
        snprintf(out, LABEL_SIZE, "%s%s", from, bin->lo == 1 ? " (unique)" : "");
    else
        snprintf(out, LABEL_SIZE, "%s%s1/%lld", from, dash, (long long)bin->hi);
}

void kanon__html_risk(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    labelled l = {.n = 0};
    double n = (double)kanon__report_records(r);
    kanon__html_begin(o, "risk", r->external ? "Risk" : "Risk before and after");
    kanon__output_text(
        o, "<p>The risk of a record is one divided by the number of records that look the same in the quasi-identifiers: "
           "the chance "
           "to pick the right one for someone who knows that a person is in the table and what the quasi-identifiers of "
           "that person "
           "are. "
           "Where a person has several of these records, it is their share among them. A threshold is met if no released "
           "record is above it.</p>\n"
           "<table><thead><tr><th>Risk at most</th><th>Who asks for it</th>");
    kanon__output_text(o, r->external ? "<th class=\"n\">Records above</th>"
                                      : "<th class=\"n\">Records above, before</th><th class=\"n\">Records above, "
                                        "after</th>");
    kanon__output_text(o, "<th>Result</th></tr></thead><tbody>\n");
    for (int i = 0; i < KANON__N_THRESHOLDS; i++)
        threshold_row(o, r, d, i);
    kanon__output_text(o, "</tbody></table>\n");
    for (int i = 0; i < d->risk[KANON__AFTER].n; i++) {
        double after = kanon__share((double)d->risk[KANON__AFTER].items[i].records, n);
        risk_label(l.texts[i], &d->risk[KANON__AFTER].items[i], r->table->data.has_entity);
        if (r->external)
            add_bar(&l, after, 0);
        else
            add_bar(&l, kanon__share((double)d->risk[KANON__BEFORE].items[i].records, n), after);
    }
    if (r->grouping->n_suppressed > 0 && l.n > 0 && !r->external) {
        snprintf(l.texts[l.n], LABEL_SIZE, "suppressed");
        add_bar(&l, 0, kanon__share((double)r->grouping->n_suppressed, n));
    }
    if (l.n > 0) {
        kanon__plot plot = {.title = r->external ? "Share of the records by risk"
                                                 : "Share of the records by risk, before and after",
                            .width = KANON__PLOT_WIDE,
                            .n_series = r->external ? 1 : 2,
                            .series = {"before", "after"},
                            .shares = true,
                            .x_title = "risk of a record"};
        begin_figure(o, "Share of the records by their risk", NULL);
        kanon__plot_columns(o, &plot, l.bars, l.n);
        end_figure(o);
    }
    kanon__html_end(o);
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

void kanon__html_groups(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    labelled l;
    kanon__html_begin(o, "groups", "Sizes of the groups");
    group_bars(&l, &d->sizes, "");
    if (l.n == 0) {
        kanon__markup(o, "<p>%s</p>\n",
                      r->grouping->n_groups == 0 ? "There is no group: every record is suppressed."
                                                 : "There are too few groups to be shown here.");
    } else {
        kanon__plot plot = {.title = "Number of groups by size",
                            .width = KANON__PLOT_WIDE,
                            .n_series = 1,
                            .x_title = "records in the group",
                            .y_title = "groups"};
        begin_figure(o, "Number of groups by the number of their records", NULL);
        kanon__plot_columns(o, &plot, l.bars, l.n);
        end_figure(o);
    }
    kanon__html_end(o);
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

typedef struct ranked {
    int attribute;
    double share;
} ranked;

static int by_share(const void *a, const void *b)
{
    const ranked *x = a, *y = b;
    if (x->share != y->share)
        return x->share < y->share ? 1 : -1;
    return x->attribute - y->attribute;
}

static const kanon__column *quasi(const kanon__report *r, int i)
{
    return &r->table->data.columns[r->table->data.quasi[i]];
}

/* The share of each attribute in the loss, the largest first. */
static void cost_plot(kanon__output *o, const kanon__report *r, const ranked *order)
{
    kanon__plot_bar bars[MAX_COST_BARS];
    int n = r->table->data.n_quasi < MAX_COST_BARS ? r->table->data.n_quasi : MAX_COST_BARS;
    kanon__plot plot = {
        .title = "Share of the information loss by attribute", .width = KANON__PLOT_WIDE, .n_series = 1, .shares = true};
    for (int i = 0; i < n; i++) {
        const char *name = quasi(r, order[i].attribute)->name;
        bars[i] = (kanon__plot_bar){.label = name, .label_length = strlen(name), .values = {order[i].share}};
    }
    begin_figure(
        o, n < r->table->data.n_quasi ? "Share of the information loss, the 20 largest" : "Share of the information loss",
        NULL);
    kanon__plot_rows(o, &plot, bars, n);
    end_figure(o);
}

/* The same with numbers, and the loss without each attribute. */
static void cost_table(kanon__output *o, const kanon__report *r, const kanon__report_data *d, const ranked *order)
{
    int n = r->table->data.n_quasi < MAX_COST_ROWS ? r->table->data.n_quasi : MAX_COST_ROWS;
    kanon__output_text(o, "<table class=\"stack\"><thead><tr><th>Attribute</th><th class=\"n\">Average loss of a cell</th>"
                          "<th class=\"n\">Information loss</th><th class=\"n\">Share</th>"
                          "<th class=\"n\">Loss without it</th></tr></thead><tbody>\n");
    for (int i = 0; i < n; i++) {
        const kanon__attribute_cost *cost = &d->costs[order[i].attribute];
        const char *name = quasi(r, order[i].attribute)->name;
        kanon__output_text(o, "<tr><th scope=\"row\">");
        kanon__markup_text(o, name, strlen(name));
        kanon__markup(o,
                      "</th><td class=\"n\" data-label=\"Average loss of a cell\">%s</td>"
                      "<td class=\"n\" data-label=\"Information loss\">%s</td><td class=\"n\" data-label=\"Share\">%s</td>"
                      "<td class=\"n\" data-label=\"Loss without it\">%s</td></tr>\n",
                      kanon__show_share(cost->average).text, kanon__show_fixed(cost->loss, 2).text,
                      kanon__show_share(cost->share).text, kanon__show_fixed(cost->without, 2).text);
    }
    kanon__output_text(
        o, "</tbody></table>\n<p class=\"small\">Loss without it: the information loss of the same groups if the "
           "attribute were not a quasi-identifier. The best groups without it lose no more than that.</p>\n");
    if (n < r->table->data.n_quasi)
        kanon__markup(o, "<p class=\"small\">%d more attributes are not listed.</p>\n", r->table->data.n_quasi - n);
}

static void bin_table(kanon__output *o, const kanon__report *r, const kanon__report_data *d, const kanon__bins *bins,
                      const char *head, bool with_groups)
{
    double n = (double)r->table->data.n_rows;
    kanon__markup(o,
                  "<table class=\"stack\"><thead><tr><th>%s</th>%s<th class=\"n\">Records</th><th class=\"n\">Share of the "
                  "records</th>"
                  "<th class=\"n\">Share of the loss</th><th class=\"n\">Average loss of a cell</th></tr></thead><tbody>\n",
                  head, with_groups ? "<th class=\"n\">Groups</th>" : "");
    for (int i = 0; i < bins->n; i++) {
        const kanon__bin *bin = &bins->items[i];
        char label[LABEL_SIZE];
        if (bin->records == 0)
            continue;
        size_label(label, bin, "");
        kanon__markup(o, "<tr><th scope=\"row\">%s</th>", label);
        if (with_groups)
            kanon__markup(o, "<td class=\"n\" data-label=\"Groups\">%s</td>", kanon__show_count(bin->groups).text);
        kanon__markup(o,
                      "<td class=\"n\" data-label=\"Records\">%s</td>"
                      "<td class=\"n\" data-label=\"Share of the records\">%s</td>"
                      "<td class=\"n\" data-label=\"Share of the loss\">%s</td>"
                      "<td class=\"n\" data-label=\"Average loss of a cell\">%s</td></tr>\n",
                      kanon__show_count(bin->records).text, kanon__show_share(kanon__share((double)bin->records, n)).text,
                      kanon__show_share(kanon__share(bin->loss, d->loss)).text,
                      kanon__show_share(kanon__share(bin->loss, (double)bin->records * d->total_weight)).text);
    }
    kanon__output_text(o, "</tbody></table>\n");
}

/* For the owner of the data only. */
static void group_costs(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    if (d->worst_groups > 0)
        kanon__markup(
            o, "<p>The most expensive tenth of the groups, %s with %s records (%s of all), causes %s of the loss.</p>\n",
            kanon__show_count(d->worst_groups).text, kanon__show_count(d->worst_records).text,
            kanon__show_share(kanon__share((double)d->worst_records, (double)r->table->data.n_rows)).text,
            kanon__show_share(kanon__share(d->worst_loss, d->loss)).text);
    if (r->grouping->n_groups > 0) {
        kanon__output_text(o, "<h3>By the size of the group</h3>\n");
        bin_table(o, r, d, &d->sizes, "Records in the group", true);
    }
    kanon__output_text(o, "<h3>By how common a record was</h3>\n");
    bin_table(o, r, d, &d->kinds, "Records with the same quasi values before", false);
}

kanon_status kanon__html_costs(kanon__output *o, const kanon__report *r, const kanon__report_data *d, kanon_error *err)
{
    ranked *order = NULL;
    KANON_CHECK(kanon__new_array(&order, r->table->data.n_quasi, "an order of attributes", err));
    for (int i = 0; i < r->table->data.n_quasi; i++)
        order[i] = (ranked){i, d->costs[i].share};
    qsort(order, (size_t)r->table->data.n_quasi, sizeof *order, by_share);
    kanon__html_begin(o, "costs", "What costs most");
    kanon__output_text(
        o, "<p>The loss of a cell is 0 % where it is released as it was and 100 % where it is released as a value "
           "that could be anything. An attribute that costs much and is needed little can be made coarser before, "
           "or left out of the table.</p>\n");
    if (r->table->data.n_quasi > 0) {
        cost_plot(o, r, order);
        cost_table(o, r, d, order);
    }
    group_costs(o, r, d);
    kanon__html_end(o);
    kanon__free(order);
    return KANON_OK;
}

/* ---- distributions ----------------------------------------------------------------------------------------------- */

/* A number of records. A small one is given as a bound only, because it would describe few persons. */
static void say_rare(kanon__output *o, const char *what, int64_t count, int64_t rare)
{
    if (count <= 0)
        return;
    if (count < rare)
        kanon__markup(o, "<p class=\"small\">%s: fewer than %s records.</p>\n", what, kanon__show_count(rare).text);
    else
        kanon__markup(o, "<p class=\"small\">%s: %s records.</p>\n", what, kanon__show_count(count).text);
}

/* Numbers and dates: bars of the original, a line of the release. */
static void axis_figure(kanon__output *o, const kanon__column *c, kanon__axis *a, const kanon__report_data *d)
{
    char y_title[80];
    bool joined = false;
    begin_figure(o, kanon_enum_text(KANON_ENUM_TYPE, c->domain->type), c->name);
    for (int i = 0; i < a->n; i++) {
        joined = joined || a->steps[i] > 1;
        a->before[i] /= a->steps[i];
        a->after[i] /= a->steps[i];
    }
    bool is_integer = c->domain->type == KANON_TYPE_INTEGER, is_one = strcmp(a->step_text, "1") == 0;
    bool is_level = c->domain->type == KANON_TYPE_ORDINAL, counts = is_integer || is_level;
    snprintf(y_title, sizeof y_title, "records per %s%s%s", !counts || !is_one ? a->step_text : is_level ? "level" : "value",
             !counts || is_one ? "" : is_level ? " levels" : " values", joined ? " (wide bars: mean)" : "");
    kanon__plot plot = {.title = "Distribution before and after",
                        .subject = c->name,
                        .width = KANON__PLOT_HALF,
                        .n_series = 2,
                        .series = {"before", "after"},
                        .y_title = y_title};
    kanon__plot_axis axis = {.n = a->n,
                             .edges = a->edges,
                             .heights = {a->before, a->after},
                             .n_ticks = a->n_ticks,
                             .ticks = a->ticks,
                             .tick_labels = (const char(*)[32])a->tick_labels};
    if (a->n > 0)
        kanon__plot_histogram(o, &plot, &axis);
    else
        kanon__output_text(o, "<p class=\"small\">There are too few values, or they lie too far apart, to be shown.</p>\n");
    if (a->n > 0 && a->is_clipped)
        kanon__output_text(o, "<p class=\"small\">The outer bars take in what lies beyond them.</p>\n");
    say_rare(o, "No value, before", a->missing_before, d->rare);
    say_rare(o, "No value, after", a->missing_after, d->rare * d->least_groups);
    say_rare(o, "Released as *", a->any_after, d->rare * d->least_groups);
    end_figure(o);
}

/* Categories: leaves before, released nodes after. */
static void category_figure(kanon__output *o, const kanon__column *c, const kanon__categories *cs)
{
    kanon__plot_bar bars[KANON__SHOWN_CATEGORIES + 1];
    char other[LABEL_SIZE];
    int n = 0;
    for (; n < cs->n; n++) {
        const kanon__category *category = &cs->items[n];
        kanon__plot_bar *bar = &bars[n];
        *bar = (kanon__plot_bar){.indent = category->depth, .values = {(double)category->before, (double)category->after}};
        bar->label = kanon__taxonomy_label(c->domain->taxonomy, category->node, &bar->label_length);
        if (c->domain->missing_code != KANON__NO_CODE &&
            category->node == c->domain->taxonomy->leaf_node[c->domain->missing_code]) {
            bar->label = "(no value)";
            bar->label_length = strlen(bar->label);
        }
    }
    if (cs->n_other > 0 || cs->other_after > 0) {
        if (cs->n_other == 0)
            snprintf(other, sizeof other, "other");
        else
            snprintf(other, sizeof other, cs->other_is_rare ? "other (%lld rare)" : "other (%lld values)",
                     (long long)cs->n_other);
        bars[n++] = (kanon__plot_bar){
            .label = other, .label_length = strlen(other), .values = {(double)cs->other_before, (double)cs->other_after}};
    }
    kanon__plot plot = {.title = "Distribution before and after",
                        .subject = c->name,
                        .width = KANON__PLOT_HALF,
                        .n_series = 2,
                        .series = {"before", "after"}};
    begin_figure(o, kanon_enum_text(KANON_ENUM_TYPE, c->domain->type), c->name);
    if (cs->n > 0)
        kanon__plot_rows(o, &plot, bars, n);
    else
        kanon__output_text(o, "<p class=\"small\">No value has enough records to be shown.</p>\n");
    end_figure(o);
}

static kanon_status attribute_figure(kanon__output *o, const kanon__column *c, const kanon_grouping *g,
                                     const kanon__report_data *d, kanon_error *err)
{
    kanon__axis axis;
    kanon__categories categories;
    if (kanon__column_is_numeric(c)) {
        kanon_status st = kanon__axis_init(&axis, c, g, d->rare, d->least_groups, err);
        if (st == KANON_OK)
            axis_figure(o, c, &axis, d);
        return st;
    }
    kanon_status st = kanon__categories_init(&categories, c, g, d->rare, d->least_groups, err);
    if (st == KANON_OK)
        category_figure(o, c, &categories);
    return st;
}

kanon_status kanon__html_attributes(kanon__output *o, const kanon__report *r, const kanon__report_data *d, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int n = r->table->data.n_quasi < MAX_ATTRIBUTES ? r->table->data.n_quasi : MAX_ATTRIBUTES;
    kanon__html_begin(o, "attributes", "The attributes before and after");
    kanon__markup(
        o,
        "<p>Numbers: the original values, and the released intervals with each record spread evenly over its own. "
        "Categories: how many records had, and now have, each of them; a broader category stands above those that it "
        "takes in. What fewer than %s records have is joined with other values.</p>\n<div class=\"pair\">\n",
        kanon__show_count(d->rare).text);
    for (int i = 0; i < n && st == KANON_OK; i++)
        st = attribute_figure(o, quasi(r, i), r->grouping, d, err);
    kanon__output_text(o, "</div>\n");
    if (n < r->table->data.n_quasi)
        kanon__markup(o, "<p class=\"small\">%d more attributes are not shown.</p>\n", r->table->data.n_quasi - n);
    kanon__html_end(o);
    return st;
}

/* ---- sensitive values -------------------------------------------------------------------------------------------- */

/* How varied the values of a sensitive column are inside the groups. */
static void sensitive_figures(kanon__output *o, const kanon__column *c, const kanon__variety *v)
{
    labelled l;
    kanon__plot plot = {.subject = c->name, .width = KANON__PLOT_HALF, .n_series = 1, .y_title = "groups"};
    if (v->distinct.n > 0) {
        group_bars(&l, &v->distinct, "");
        plot.title = "Groups by their number of distinct values";
        plot.x_title = "distinct values in the group";
        begin_figure(o, "distinct values in a group", c->name);
        kanon__plot_columns(o, &plot, l.bars, l.n);
        end_figure(o);
    }
    if (v->top.n > 0) {
        group_bars(&l, &v->top, "");
        plot.title = "Groups by the share of their most frequent value";
        plot.x_title = "percent of the group's records";
        begin_figure(o, "share of the most frequent value", c->name);
        kanon__plot_columns(o, &plot, l.bars, l.n);
        end_figure(o);
    }
}

void kanon__html_sensitive(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    const kanon_table *t = r->table;
    int n = t->data.n_sensitive < MAX_SENSITIVE ? t->data.n_sensitive : MAX_SENSITIVE;
    kanon__html_begin(o, "sensitive", "Sensitive values");
    if (n > 0 && r->grouping->n_groups == 0) {
        kanon__output_text(o, "<p>There is no group: every record is suppressed.</p>\n");
        kanon__html_end(o);
        return;
    }
    if (n == 0)
        kanon__output_text(o, "<p>No column is declared sensitive.</p>\n");
    else
        kanon__output_text(
            o, "<p>Where all records of a group have the same sensitive value, it is known of each of them. The more "
               "values a group has, and the more evenly, the less can be learned.</p>\n<div class=\"pair\">\n");
    for (int i = 0; i < n; i++)
        sensitive_figures(o, &t->data.columns[t->data.sensitive[i]], &d->variety[i]);
    if (n > 0)
        kanon__output_text(o, "</div>\n");
    if (n < t->data.n_sensitive)
        kanon__markup(o, "<p class=\"small\">%d more columns are not shown.</p>\n", t->data.n_sensitive - n);
    kanon__html_end(o);
}
