/* Growing a group whose sensitive values lie far apart: which free record adds least to its S-diversity.
 *
 * At equal sizes that is the record with the least sum, over the members, of what the pair contributes (loss/secrets.h): its
 * pull. The scan looks at every free record. The index is a tree over the distinct sensitive tuples (search/free_tree.h), so
 * records with equal sensitive values are looked at once, best first (search/best_first.h). */
#ifndef KANON_SEARCH_CONTRAST_H
#define KANON_SEARCH_CONTRAST_H

#include "model/s_diversity.h"

typedef struct kanon__contrast kanon__contrast;

/* All rows are free. `way` is the value of the setting "search". */
kanon_status kanon__contrast_new(kanon__contrast **out, const kanon__s_diversity *secrets, const char *way,
                                 kanon_error *err);
void kanon__contrast_free(kanon__contrast *contrast);
/* A new group begins, without records. */
void kanon__contrast_start(kanon__contrast *contrast);
/* A free record joins the group. */
kanon_status kanon__contrast_take(kanon__contrast *contrast, int64_t row, kanon_error *err);
/* The free record with the least pull, and that pull; the lowest of equals. -1: none is free. */
kanon_status kanon__contrast_least(kanon__contrast *contrast, int64_t *row, uint64_t *pull, kanon_error *err);

#endif
