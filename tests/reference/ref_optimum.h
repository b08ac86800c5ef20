/* The least loss of all partitions into groups of at least k, by looking at all of them. */
#ifndef KANON_TESTS_REF_OPTIMUM_H
#define KANON_TESTS_REF_OPTIMUM_H

#include "reference/reference.h"

enum { REF_OPTIMUM_MOST = 14 }; /* records */

/* In units of model->scale; -1 where the model has fewer than k records. `group` (NULL: not wanted) gets a partition that
 * has it, by record, numbered from 0. */
int64_t ref_optimum(const ref_model *model, int64_t k, int *group);
/* The same where any number of records may be suppressed, each at the full cost of all attributes. */
int64_t ref_optimum_suppressing(const ref_model *model, int64_t k);
/* The same where at most so many, fewer than all, may be. */
int64_t ref_optimum_suppressing_few(const ref_model *model, int64_t k, int most);
/* D of the records whose bits are set. */
int64_t ref_units_of_set(const ref_model *model, unsigned set);

#endif
