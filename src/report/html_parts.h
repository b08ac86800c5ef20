/* The sections of the page, each written by one function. report_html.c calls them in the order of the page; those with
 * plots are in html_plots.c, those with tables in html_tables.c, the first ones in html_verdict.c and the last ones in
 * html_closing.c. */
#ifndef KANON_REPORT_HTML_PARTS_H
#define KANON_REPORT_HTML_PARTS_H

#include "report/page.h"
#include "report/report.h"

/* What a reader who has to decide looks for first. */
void kanon__html_verdict(kanon__output *output, const kanon__report *report);
/* Made-up examples, and how many cells say nothing. */
void kanon__html_cells(kanon__output *output, const kanon__report *report, const kanon__report_data *data);
void kanon__html_advice(kanon__output *output, const kanon__report *report);
kanon_status kanon__html_relations(kanon__output *output, const kanon__report *report, const kanon__report_data *data,
                                   kanon_error *err);
/* For whoever is responsible for data protection. */
void kanon__html_officer(kanon__output *output, const kanon__report *report);
void kanon__html_glossary(kanon__output *output);
void kanon__html_sign_off(kanon__output *output);

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
