/* What each value is shown as where attributes are recoded: first as the algorithm fills it in, then as the grouping keeps
 * it. */
#ifndef KANON_PIPELINE_MAPPING_H
#define KANON_PIPELINE_MAPPING_H

#include "model/grouping.h"

typedef struct kanon__mapping {
    kanon__recoded *columns; /* one for each quasi attribute */
    uint32_t **shown;        /* the same as a run has it */
    int n;
} kanon__mapping;

/* Room for the quasi attributes of the table. kanon__mapping_clear also after a failure. */
kanon_status kanon__mapping_init(kanon__mapping *mapping, const kanon__data *table, kanon_error *err);
void kanon__mapping_clear(kanon__mapping *mapping);
/* The grouping takes it over; `shown` stays usable until kanon__mapping_clear. */
void kanon__mapping_hand_over(kanon__mapping *mapping, kanon_grouping *grouping);

#endif
