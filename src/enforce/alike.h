/* Groups that look alike in a release. */
#ifndef KANON_ENFORCE_ALIKE_H
#define KANON_ENFORCE_ALIKE_H

#include "search/run.h"

/* Make groups with the same generalisation on every quasi attribute one: whoever sees the release sees one class, and the
 * loss stays as it is. *n_merged is how many groups vanished. */
kanon_status kanon__merge_alike(kanon__run *run, int64_t *n_merged, kanon_error *err);

#endif
