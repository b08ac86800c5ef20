/* What readers of a release are told: figures that the release alone decides. */
#ifndef KANON_REPORT_EXTERNAL_H
#define KANON_REPORT_EXTERNAL_H

#include "report/report.h"

/* The figures of the groups of r->grouping, which are those that the release shows. */
kanon_status kanon__external_measures(kanon_measures **out, const kanon__report *report, kanon_error *err);

#endif
