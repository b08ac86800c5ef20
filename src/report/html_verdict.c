/* The first sections of the page, for a reader who has to say yes or no: the verdict, what a released cell looks like,
 * and what to try next. A mark has a word beside its sign, so that nothing depends on colour or on fonts. */
#include "report/html_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* ---- the verdict ------------------------------------------------------------------------------------------------- */

/* In the order of kanon_mark. */
static const char *const classes[] = {"good", "bad", "warn", "unknown"};
static const char *const words[] = {"\xE2\x9C\x93 yes", "\xE2\x9C\x97 no", "! look", "? not shown"};

static void put_row(kanon__output *o, const kanon_verdict_row *row)
{
    kanon__markup(o, "<li><span class=\"mark %s\">%s</span><span class=\"what\"><b>%s</b>: ", classes[row->mark],
                  words[row->mark], row->heading);
    kanon__html_text(o, row->sentence);
    kanon__output_text(o, "</span></li>\n");
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

void kanon__html_verdict(kanon__output *o, const kanon__report *r)
{
    kanon__html_begin(o, "verdict", "Verdict");
    kanon__output_text(o, "<ul class=\"verdict\">\n");
    const kanon_verdict_row *row;
    for (size_t i = 0; (row = kanon_verdict_at(r->verdict, i)) != NULL; i++)
        put_row(o, row);
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
