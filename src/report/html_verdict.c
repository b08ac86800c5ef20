/* The first sections of the page, for a reader who has to say yes or no: the verdict, what a released cell looks like,
 * and what to try next. A mark has a word beside its sign, so that nothing depends on colour or on fonts. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

typedef enum mark { MARK_YES, MARK_NO, MARK_LOOK } mark;

static void begin_item(kanon__output *o, mark m, const char *heading)
{
    static const char *const classes[] = {"good", "bad", "warn"};
    static const char *const words[] = {"\xE2\x9C\x93 yes", "\xE2\x9C\x97 no", "! look"};
    kanon__markup(o, "<li><span class=\"mark %s\">%s</span><span class=\"what\"><b>%s</b>", classes[m], words[m], heading);
}

static void end_item(kanon__output *o)
{
    kanon__output_text(o, "</span></li>\n");
}

static void judge_k(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    char heading[80];
    int64_t smallest = r->grouping->smallest, k = d->k_asked > 0 ? d->k_asked : smallest;
    snprintf(heading, sizeof heading, "%s-anonymous", kanon__show_count(k).text);
    begin_item(o, smallest >= k ? MARK_YES : MARK_NO, heading);
    if (r->grouping->n_groups == 0)
        kanon__output_text(o, ": there is no group, every record is suppressed");
    else
        kanon__markup(o, ": the smallest group has %s records", kanon__show_count(smallest).text);
    kanon__output_text(o, d->k_asked > 0 ? "" : "; no size was asked for");
    end_item(o);
}

/* A grouping that was made here has passed its check, so what was asked holds. One that was read was held
 * against k alone. */
static void judge_constraints(kanon__output *o, const kanon__report *r)
{
    const kanon_grouping *g = r->made;
    for (int64_t i = 0; i < g->n_constraints; i++) {
        bool of_persons = i == 0 && r->table->data.has_entity; /* they come first */
        begin_item(o, MARK_YES, of_persons ? "Persons" : "Further requirement");
        kanon__output_text(o, ": ");
        kanon__html_text(o, g->constraints[i].sentence);
        if (!r->external)
            kanon__markup(o, " (asked: %s, reached: %s)", kanon__show_figure(g->constraints[i].asked, false).text,
                          kanon__show_figure(g->constraints[i].reached, false).text);
        end_item(o);
    }
    int64_t asked = r->table->policy.n_constraints + r->table->data.has_entity;
    if (g->n_constraints == 0 && asked > 0) {
        begin_item(o, MARK_LOOK, "Further requirements");
        kanon__markup(o, ": the schema asks for %s more; these groups were not held against them here",
                      kanon__show_count(asked).text);
        end_item(o);
    }
}

static void judge_suppression(kanon__output *o, const kanon_grouping *g)
{
    if (g->most_suppressed < 0)
        return;
    begin_item(o, g->n_suppressed <= g->most_suppressed ? MARK_YES : MARK_NO, "Within the budget of suppressed records");
    kanon__markup(o, ": %s of at most %s", kanon__show_count(g->n_suppressed).text,
                  kanon__show_count(g->most_suppressed).text);
    end_item(o);
}

/* A release of a state, with all before it. An external page has what is required alone. */
static void judge_joint(kanon__output *o, const kanon__report *r)
{
    const kanon__joint_status *j = &r->grouping->joint;
    const char *whose = r->table->data.has_entity ? "persons" : "records";
    if (j->releases == 0 || (r->external && !j->required))
        return;
    begin_item(o, j->below == 0 || r->external ? MARK_YES : MARK_LOOK, "Together with earlier releases");
    if (r->external) {
        kanon__markup(o, ": no release after the first may leave fewer than %s %s alike that the releases before it leave "
                         "alike", kanon__show_count(j->k).text, whose);
    } else {
        kanon__markup(o, ": the smallest joint class of %s releases has %s %s (%s %s)", kanon__show_count(j->releases).text,
                      kanon__show_count(j->smallest).text, whose, kanon__show_count(j->k).text,
                      j->required ? "are required" : "is the k of the state, and not required");
        if (j->below > 0)
            kanon__markup(o, "; %s records are in smaller ones, %s of them since this release%s",
                          kanon__show_count(j->below).text, kanon__show_count(j->made_below).text,
                          j->required ? "" : ": joint-k is off");
        if (j->withheld > 0)
            kanon__markup(o, "; %s records are withheld for that", kanon__show_count(j->withheld).text);
    }
    end_item(o);
}

static void judge_columns(kanon__output *o, const kanon__report *r)
{
    int n = 0;
    for (int i = 0; i < r->table->data.n_columns; i++)
        n += r->table->data.columns[i].role == KANON_ROLE_IDENTIFYING;
    begin_item(o, MARK_YES, "Identifying columns left out");
    if (n == 0)
        kanon__output_text(o, ": there is none");
    else
        kanon__markup(o, ": %d column%s", n, n == 1 ? "" : "s");
    end_item(o);
}

/* Where a sensitive value is all or nearly all of a group, k alone does not hide it. No value is shown. */
static void judge_sensitive(kanon__output *o, const kanon__report *r)
{
    enum { MAX_COLUMNS = 20 };
    const kanon_table *t = r->table;
    for (int i = 0; i < t->data.n_sensitive && i < MAX_COLUMNS; i++) {
        const char *name = t->data.columns[t->data.sensitive[i]].name;
        const kanon_figure *one = kanon_measures_find(r->measures, "homogeneous", name);
        const kanon_figure *nearly = kanon_measures_find(r->measures, "nearly_homogeneous", name);
        if (one == NULL || nearly == NULL || !(nearly->value > 0))
            continue;
        begin_item(o, MARK_LOOK, "Sensitive values");
        kanon__output_text(o, ": in ");
        kanon__html_text(o, name);
        if (one->value > 0)
            kanon__markup(o, ", %s of the records are in groups with one value only", kanon__show_share(one->value).text);
        if (nearly->value > one->value)
            kanon__markup(o, ", %s of the records are in groups in which one value has 90 %% or more",
                          kanon__show_share(nearly->value).text);
        kanon__output_text(o, "; a requirement such as distinct-l-diversity or alpha-k limits that");
        end_item(o);
    }
}

/* "costs 3 %" is what a reader can weigh; the two losses are among the figures. */
static void say_price(kanon__output *o, const kanon_grouping *g)
{
    if (!isfinite(g->loss_with) || !isfinite(g->loss_without) || !(g->loss_without > 0))
        return;
    double more = g->loss_with / g->loss_without - 1;
    if (fabs(more) < 0.0005)
        kanon__output_text(o, "<p>What is asked in addition to k costs nothing that can be measured.</p>\n");
    else if (more > 0)
        kanon__markup(o, "<p>The extra protection, asked for in addition to k, costs <b>%s</b> more loss.</p>\n",
                      kanon__show_share(more).text);
    else
        kanon__markup(o, "<p>With what is asked in addition to k, the loss is <b>%s</b> lower than without it.</p>\n",
                      kanon__show_share(-more).text);
}

void kanon__html_verdict(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    kanon__html_begin(o, "verdict", "Verdict");
    kanon__output_text(o, "<ul class=\"verdict\">\n");
    judge_k(o, r, d);
    judge_constraints(o, r);
    if (!r->external)
        judge_suppression(o, r->grouping);
    judge_joint(o, r);
    if (r->release_path != NULL) {
        judge_columns(o, r);
        begin_item(o, MARK_YES, "Checked");
        kanon__output_text(o, ": each released cell was compared with its original before the file got its name");
        end_item(o);
    }
    judge_sensitive(o, r);
    kanon__output_text(o, "</ul>\n");
    if (!r->external)
        say_price(o, r->grouping);
    kanon__html_end(o);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Three cells before and after. The values are invented: nothing of the table is in them. */
static void put_examples(kanon__output *o, const char *numeric)
{
    bool of_means = numeric != NULL && strcmp(numeric, "mean") == 0, ranges = numeric != NULL && !strcmp(numeric, "range");
    bool columns = numeric != NULL && strcmp(numeric, "columns") == 0;
    kanon__output_text(o,
                       "<h3>Three examples</h3>\n<p class=\"small\">These values are made up; none is from the table.</p>\n"
                       "<table><thead><tr><th>Kind of value</th><th>Before</th><th>After</th></tr></thead><tbody>\n");
    kanon__markup(o, "<tr><th scope=\"row\">a number</th><td>37</td><td>%s</td></tr>\n",
                  of_means  ? "38.5 (the mean of the group)"
                  : columns ? "35 and 42, in two columns"
                  : ranges  ? "[35,42] (from 35 to 42)"
                            : "[35..42] (from 35 to 42)");
    kanon__output_text(o, "<tr><th scope=\"row\">a category</th><td>nurse</td><td>health care (a broader one)</td></tr>\n"
                          "<tr><th scope=\"row\">too rare to be shown</th><td>lighthouse keeper</td><td>* (any value)</td>"
                          "</tr>\n</tbody></table>\n");
}

/* How many cells of each column say nothing at all. */
static void put_any(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    enum { MAX_COLUMNS = 100 };
    int n = r->table->data.n_quasi < MAX_COLUMNS ? r->table->data.n_quasi : MAX_COLUMNS;
    if (n == 0)
        return;
    kanon__output_text(o, "<h3>Cells that say nothing</h3>\n<table><thead><tr><th>Column</th>"
                          "<th class=\"n\">Share of * or of the broadest category</th></tr></thead><tbody>\n");
    for (int i = 0; i < n; i++) {
        kanon__output_text(o, "<tr><th scope=\"row\">");
        kanon__html_text(o, r->table->data.columns[r->table->data.quasi[i]].name);
        kanon__markup(o, "</th><td class=\"n\">%s</td></tr>\n", kanon__show_share(d->costs[i].any).text);
    }
    kanon__output_text(o, "</tbody></table>\n");
    if (n < r->table->data.n_quasi)
        kanon__markup(o, "<p class=\"small\">%d more columns are not listed.</p>\n", r->table->data.n_quasi - n);
}

void kanon__html_cells(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    kanon__html_begin(o, "cells", "What a released cell looks like");
    put_examples(o, r->numeric);
    put_any(o, r, d);
    kanon__html_end(o);
}

/* ---- advice ------------------------------------------------------------------------------------------------------ */

void kanon__html_advice(kanon__output *o, const kanon__report *r)
{
    const kanon_advice_item *item;
    if (r->advice == NULL || kanon_advice_at(r->advice, 0) == NULL)
        return;
    kanon__html_begin(o, "advice", "What to try next");
    kanon__output_text(o, "<ul>\n");
    for (size_t i = 0; (item = kanon_advice_at(r->advice, i)) != NULL; i++) {
        kanon__output_text(o, "<li>");
        kanon__html_text(o, item->sentence);
        kanon__output_text(o, ".</li>\n");
    }
    kanon__output_text(o, "</ul>\n");
    kanon__html_end(o);
}
