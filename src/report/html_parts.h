/* The sections of the page, each written by one function. report_html.c calls them in the order of the page; those with
 * plots are in html_plots.c, those with tables in html_tables.c. */
#ifndef KANON_REPORT_HTML_PARTS_H
#define KANON_REPORT_HTML_PARTS_H

#include "report/markup.h"
#include "report/report.h"

/* A part begins with its heading; `id` is its name inside the page. */
void kanon__html_begin(kanon__output *output, const char *id, const char *heading);
void kanon__html_end(kanon__output *output);

void kanon__html_risk(kanon__output *output, const kanon__report *report, const kanon__report_data *data);
void kanon__html_groups(kanon__output *output, const kanon__report *report, const kanon__report_data *data);
kanon_status kanon__html_costs(kanon__output *output, const kanon__report *report, const kanon__report_data *data,
                               kanon_error *err);
kanon_status kanon__html_attributes(kanon__output *output, const kanon__report *report, const kanon__report_data *data,
                                    kanon_error *err);
void kanon__html_sensitive(kanon__output *output, const kanon__report *report, const kanon__report_data *data);

/* The figures of the table and of its columns, with formulas. */
void kanon__html_figures(kanon__output *output, const kanon_measures *measures);
/* How the release was made, and the command that makes it again. */
void kanon__html_origin(kanon__output *output, const kanon__report *report, const char *input_sha256);

#endif
