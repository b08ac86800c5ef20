/* The JSON report: what came out, and everything that is needed to make it again. */
#ifndef KANON_REPORT_REPORT_H
#define KANON_REPORT_REPORT_H

#include "core/output.h"
#include "measures/measure.h"

typedef struct kanon__report {
    const kanon_table *table;
    const kanon_grouping *grouping;
    const kanon_measures *measures;
    const char *release_path; /* NULL: none was written */
    const char *release_sha256;
    const char *numeric;      /* the form of numeric cells; NULL with no release */
} kanon__report;

kanon_status kanon__report_write(kanon__output *output, const kanon__report *report, kanon_error *err);

#endif
