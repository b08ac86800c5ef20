/* What both forms of the report say to whoever is responsible for data protection: what the schema says of the release, the
 * threshold, and the figures of the three criteria of the Article 29 Working Party. */
#ifndef KANON_REPORT_CRITERIA_H
#define KANON_REPORT_CRITERIA_H

#include "report/report.h"

enum { KANON__RELEASE_KEYS = 10, KANON__CRITERIA = 3, KANON__CRITERION_FIGURES = 6 };

typedef struct kanon__release_key {
    const char *name, *title;
    bool internal; /* not for the recipients */
} kanon__release_key;

extern const kanon__release_key kanon__release_keys[KANON__RELEASE_KEYS];
/* What the schema says under the key; NULL: nothing, or not for the readers of this report. */
const char *kanon__report_said(const kanon__report *report, const kanon__release_key *key);

/* The risk of a record that is accepted, and the highest that there is; NAN: not known. */
typedef struct kanon__threshold {
    double chosen, risk;
    bool met; /* false where one of them is not known */
} kanon__threshold;

kanon__threshold kanon__report_threshold(const kanon__report *report);

typedef struct kanon__criterion_figure {
    const char *name, *title; /* name NULL: the end */
    bool share;               /* it is shown as one */
} kanon__criterion_figure;

typedef struct kanon__criterion {
    const char *name, *title, *question;
    kanon__criterion_figure figures[KANON__CRITERION_FIGURES]; /* of the measures; not all of them are always counted */
} kanon__criterion;

extern const kanon__criterion kanon__criteria[KANON__CRITERIA];

#endif
