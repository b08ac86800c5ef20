/* Growing a group whose sensitive values lie far apart: which free record adds least to its S-diversity.
 *
 * At equal sizes that is the record with the least sum, over the members, of what the pair contributes (loss/secrets.h): its
 * affinity. The scan looks at every free record. The index is a tree over the distinct sensitive tuples (search/free_tree.h), so
 * records with equal sensitive values are looked at once, best first (search/best_first.h). */
#ifndef KANON_SEARCH_DIVERSITY_SEARCH_H
#define KANON_SEARCH_DIVERSITY_SEARCH_H

#include "model/s_diversity.h"

typedef struct kanon__diversity_search kanon__diversity_search;

/* All rows are free. `way` is the value of the setting "search". */
kanon_status kanon__diversity_search_new(kanon__diversity_search **out, const kanon__secrets *secrets, const char *way,
                                         kanon_error *err);
void kanon__diversity_search_free(kanon__diversity_search *search);
/* A new group begins, without records. */
void kanon__diversity_search_start_group(kanon__diversity_search *search);
/* A free record joins the group. */
kanon_status kanon__diversity_search_take_record(kanon__diversity_search *search, int64_t row, kanon_error *err);
/* The free record with the least affinity, and that affinity; the lowest of equals. -1: none is free. */
kanon_status kanon__diversity_search_find_least(kanon__diversity_search *search, int64_t *row, uint64_t *affinity,
                                                kanon_error *err);

#endif
