/* The verdict of a run, whose originals are there. */
#ifndef KANON_VERDICT_VERDICT_RUN_H
#define KANON_VERDICT_VERDICT_RUN_H

#include "measures/measure.h"
#include "verdict/verdict.h"

typedef enum kanon__order_shown {
    KANON__ORDER_OF_TABLE = 0, /* the rows are in the order of the table */
    KANON__ORDER_OF_HASHES,
    KANON__ORDER_NONE /* what holds the release has no order */
} kanon__order_shown;

typedef struct kanon__verdict_source {
    const kanon__data *data;
    const kanon__policy *policy;  /* NULL: nothing but k is asked */
    const kanon__texts *warnings; /* about privacy, of the table as it was read; NULL: none */
    const kanon_grouping *made;   /* how the groups were made and what they were held against; NULL: in blocks, for k alone */
    const kanon_measures *measures;
    kanon__order_shown order;
    bool released; /* a release is written together with this */
    bool external; /* for those who get the release: only what it shows, and what was asked */
} kanon__verdict_source;

kanon_status kanon__verdict_of_run(kanon_verdict *out, const kanon__verdict_source *source, kanon_error *err);

#endif
