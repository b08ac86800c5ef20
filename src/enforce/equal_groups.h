/* Groups with equal generalisations: whoever sees the release sees one equivalence class, not two groups. */
#ifndef KANON_ENFORCE_EQUAL_GROUPS_H
#define KANON_ENFORCE_EQUAL_GROUPS_H

#include "search/run.h"

/* Merge groups with the same generalisation on every quasi attribute; the loss stays the same. *n_merged is how many groups
 * vanished. */
kanon_status kanon__merge_equal_groups(kanon__run *run, int64_t *n_merged, kanon_error *err);

#endif
