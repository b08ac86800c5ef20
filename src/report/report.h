/* The report: the figures of a grouping, and everything that is needed to make it again. As JSON for programs, as a
 * page for people. An external report, for those who get the release, describes no single group. */
#ifndef KANON_REPORT_REPORT_H
#define KANON_REPORT_REPORT_H

#include "core/output.h"
#include "measures/measure.h"
#include "report/report_data.h"

/* What a report is made from. release_path, release_sha256 and numeric are all NULL or all set. */
typedef struct kanon__report {
    const kanon_table *table;
    const kanon_grouping *grouping; /* of an external report: the groups that the release shows */
    const kanon_grouping *made;     /* the same, with how it was made and what it was held against */
    const kanon_measures *measures;
    const char *release_path; /* NULL: none was written */
    const char *release_sha256;
    const char *numeric;        /* the form of numeric cells; NULL with no release */
    const char *command;        /* what makes the release again, in the words of the caller; NULL: not shown */
    const kanon_advice *advice; /* what to try next; NULL of external reports */
    const kanon_verdict *verdict;
    bool shuffle;               /* the release is in the order of a hash of its rows */
    bool html;                  /* a page for people */
    bool external;              /* nothing that the release does not show, and nothing that describes single groups */
} kanon__report;

/* The records that it is about: those of the table or, for others, those of the release. */
static inline int64_t kanon__report_records(const kanon__report *r)
{
    return r->grouping->n_rows - (r->external ? r->grouping->n_suppressed : 0);
}
/* Whether it tells risks: those of persons are not to be seen in a release. */
static inline bool kanon__report_has_risks(const kanon__report *r)
{
    return !r->external || !r->table->data.has_entity;
}

/* KANON_EINVAL where the library was built without reports; asked before anything is written. */
kanon_status kanon__reports_are_built(kanon_error *err);
/* Whether a report there (NULL: nowhere) is to be a page. */
static inline kanon_status kanon__report_is_html(bool *out, const kanon_output *to, kanon_error *err)
{
    int form = 0;
    kanon_status st = to != NULL ? kanon__output_format(&form, to, "json|html", err) : KANON_OK;
    *out = form == 1;
    return st;
}
kanon_status kanon__report_write(kanon__output *output, const kanon__report *report, kanon_error *err);

/* The two forms. `input_sha256` is that of the table's file. */
kanon_status kanon__report_json(kanon__output *output, const kanon__report *report, const kanon__report_data *data,
                                const char *input_sha256, kanon_error *err);
kanon_status kanon__report_html(kanon__output *output, const kanon__report *report, const kanon__report_data *data,
                                const char *input_sha256, kanon_error *err);

#endif
