/* The verdict of a run, whose originals are there. */
#ifndef KANON_VERDICT_VERDICT_RUN_H
#define KANON_VERDICT_VERDICT_RUN_H

#include "measures/measure.h"
#include "verdict/verdict.h"

typedef struct kanon__verdict_source {
    const kanon_table *table;
    const kanon_grouping *shown; /* the groups that are described: for others those that the release shows */
    const kanon_grouping *made;  /* the same, with how it was made and what it was held against */
    const kanon_measures *measures;
    bool released, shuffled; /* a release is written, in an order of its own */
    bool external;           /* for those who get the release: only what it shows, and what was asked */
} kanon__verdict_source;

kanon_status kanon__verdict_of_run(kanon_verdict *out, const kanon__verdict_source *source, kanon_error *err);

#endif
