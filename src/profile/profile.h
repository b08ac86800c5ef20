/* A profile while it is made: what profile.c (risk), profile_cost.c (costs on a sample) and profile_json.c (the report)
 * share. */
#ifndef KANON_PROFILE_PROFILE_H
#define KANON_PROFILE_PROFILE_H

#include "core/output.h"
#include "propose/column_sets.h"
#include "table/read/table.h"

enum { KANON__PROFILE_FIRST_K = 2, KANON__PROFILE_LAST_K = 20, KANON__PROFILE_COSTS = 6 };

typedef struct kanon__profile {
    kanon_profile public; /* first: a pointer to it is one to the whole */
    kanon__texts names;   /* of the attributes */
    kanon_class_size **sizes;
    kanon_profile_attribute **attributes;
    kanon_column_set **sets;
    const char **set_names;
    kanon_profile_below **below;
    kanon_profile_cost **costs;
} kanon__profile;

/* Fill costs and sample_records. */
kanon_status kanon__profile_costs(kanon__profile *out, const kanon_table *table, const kanon_profile_options *options,
                                  kanon_error *err);
kanon_status kanon__profile_json(kanon__output *output, const kanon_profile *profile, kanon_error *err);

#endif
