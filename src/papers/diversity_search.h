/* The diversity search: which free record adds least to a group's S-diversity?
 *
 * The affinity of a record to a group is the sum, over the members, of the contribution of the pair to S-diversity
 * (s_diversity.h): high where sensitive values are close. At equal group sizes the record with the least affinity
 * raises S-diversity least, so a group grows by it and its sensitive values lie far apart.
 *
 * Two implementations give the same answer, row for row. The scan sums up every free record. The index is a tree over the
 * distinct sensitive tuples (search/free_tree.h), searched best first (search/best_first.h). */
#ifndef KANON_PAPERS_DIVERSITY_SEARCH_H
#define KANON_PAPERS_DIVERSITY_SEARCH_H

#include "papers/s_diversity.h"

typedef struct kanon__diversity_search kanon__diversity_search;

/* All rows are free. `way` is the value of the setting "search": scan, index or auto. */
kanon_status kanon__diversity_search_new(kanon__diversity_search **out, const kanon__s_diversity *s_diversity,
                                         const char *way, kanon_error *err);
void kanon__diversity_search_free(kanon__diversity_search *search);
/* Begin a new group, without records. */
void kanon__diversity_search_start_group(kanon__diversity_search *search);
/* Add a free record to the group. */
kanon_status kanon__diversity_search_take_record(kanon__diversity_search *search, int64_t row, kanon_error *err);
/* The free record with the least affinity, and that affinity; the lowest of equals. -1: none is free. */
kanon_status kanon__diversity_search_find_least(kanon__diversity_search *search, int64_t *row, uint64_t *affinity,
                                                kanon_error *err);

#endif
