/* How many records of its group belong to a record's entity. It is what the risk of a record depends on: whoever looks for a
 * person in a group of |P| records finds one of theirs with probability (their records) / |P|, which is 1 / |P| only where
 * nobody has two. */
#ifndef KANON_MODEL_ENTITY_RECORDS_H
#define KANON_MODEL_ENTITY_RECORDS_H

#include "table/value/codes.h"

#include "core/status.h"

/* By row: the records of its entity in its group, itself included; 0 for suppressed records (negative groups). `entities`
 * are the entity codes by row. *out is freed with kanon__free. */
kanon_status kanon__entity_records_new(int32_t **out, kanon__codes entities, const int32_t *group_of, int64_t n_rows,
                                       kanon_error *err);

#endif
