/* What the privacy models say of a group, from their definitions: every value counted by comparing, every distance by its
 * sum. */
#ifndef KANON_TESTS_REF_PRIVACY_H
#define KANON_TESTS_REF_PRIVACY_H

#include "table/read/table.h"

/* The values of the rows with group[row] == g on one column: `n` counts, by code. With entities, a pair counts once. */
int64_t *ref_value_counts(const kanon_table *table, int column, const int32_t *group, int32_t g);
double ref_distinct(const int64_t *counts, uint32_t n_codes);
double ref_entropy_l(const int64_t *counts, uint32_t n_codes);
double ref_recursive_c(const int64_t *counts, uint32_t n_codes, int64_t l);
double ref_alpha(const int64_t *counts, uint32_t n_codes);
/* "ordered", "equal" or "taxonomy". */
double ref_closeness(const kanon__column *column, const int64_t *counts, const int64_t *table_counts, const char *distance);
int64_t ref_entities(const kanon_table *table, const int32_t *group, int32_t g);

/* Whether the group holds to every constraint of the table's schema and to k entities, where the schema asks for these. */
bool ref_group_holds(const kanon_table *table, int64_t k, const int32_t *group, int32_t g);

#endif
