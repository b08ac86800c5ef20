/* The section of the page with means and correlations before and after. */
#include "report/html_parts.h"

#include "report/relations.h"
#include "table/value/number.h"

#include <math.h>
#include <string.h>

/* A mean with the digits that its unit leaves; of dates the year, and the month and the day where the unit is small. */
static kanon__figure_text show_mean(const kanon__relations *a, int when, int i)
{
    double value = a->means[when][i], unit = a->unit[i];
    char date[KANON__NUMBER_TEXT];
    kanon__figure_text out = {"-"};
    if (isnan(value))
        return out;
    if (a->columns[i]->domain->type != KANON_TYPE_DATE)
        return kanon__show_fixed(value, unit < 1 ? (int)lround(-log10(unit)) : 0);
    size_t length = kanon__format_date(date, (int64_t)value), shown = unit <= 1 ? 10 : unit <= 10 ? 7 : 4;
    shown = shown < length ? shown : length;
    memcpy(out.text, date, shown);
    out.text[shown] = '\0';
    return out;
}

static void put_means(kanon__output *o, const kanon__relations *a)
{
    kanon__output_text(o, "<table><thead><tr><th>Mean of</th><th class=\"n\">Before</th><th class=\"n\">After</th></tr>"
                          "</thead><tbody>\n");
    for (int i = 0; i < a->n; i++) {
        kanon__output_text(o, "<tr><th scope=\"row\">");
        kanon__html_text(o, a->columns[i]->name);
        kanon__markup(o, "</th><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n", show_mean(a, KANON__BEFORE, i).text,
                      show_mean(a, KANON__AFTER, i).text);
    }
    kanon__output_text(o, "</tbody></table>\n");
}

static kanon__figure_text show_correlation(double value)
{
    return isnan(value) ? (kanon__figure_text){"-"} : kanon__show_fixed(value, 2);
}

static void put_correlations(kanon__output *o, const kanon__relations *a)
{
    if (a->n < 2)
        return;
    kanon__output_text(o, "<table><thead><tr><th>Correlation of</th><th class=\"n\">Before</th><th class=\"n\">After</th>"
                          "</tr></thead><tbody>\n");
    for (int i = 0; i < a->n; i++)
        for (int j = i + 1; j < a->n; j++) {
            kanon__output_text(o, "<tr><th scope=\"row\">");
            kanon__html_text(o, a->columns[i]->name);
            kanon__output_text(o, " and ");
            kanon__html_text(o, a->columns[j]->name);
            kanon__markup(o, "</th><td class=\"n\">%s</td><td class=\"n\">%s</td></tr>\n",
                          show_correlation(a->correlations[KANON__BEFORE][i][j]).text,
                          show_correlation(a->correlations[KANON__AFTER][i][j]).text);
        }
    kanon__output_text(o, "</tbody></table>\n");
}

kanon_status kanon__html_relations(kanon__output *o, const kanon__report *r, const kanon__report_data *d, kanon_error *err)
{
    kanon__relations a;
    bool of_means = r->numeric != NULL && strcmp(r->numeric, "mean") == 0;
    kanon_status st = kanon__relations_init(&a, r->table, r->grouping, d, of_means, err);
    if (st != KANON_OK || a.n == 0)
        return st;
    kanon__html_begin(o, "relations", "Means and correlations");
    kanon__markup(
        o,
        "<p>What an analyst computes from the release: %s. Cells that show any value are left out. The figures are "
        "rounded, so that no single record can be told from them.</p>\n",
        of_means ? "a cell stands for the mean that it shows" : "a cell stands for the middle of its interval");
    put_means(o, &a);
    put_correlations(o, &a);
    kanon__html_end(o);
    return KANON_OK;
}
