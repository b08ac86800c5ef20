/* Publishing together with something else that is done or not done (a state records the release), and what every
 * function that writes files asks first. */
#ifndef KANON_PIPELINE_PUBLISH_H
#define KANON_PIPELINE_PUBLISH_H

#include "core/status.h"

#include <stdbool.h>

/* Outputs that are complete and on disk, but for their names. */
typedef struct kanon__finished {
    struct kanon__output *const *files;
    const struct kanon__output *release; /* one of them; NULL: there is none */
    const char *release_sha256;          /* "" where there is no release */
} kanon__finished;

/* Give the outputs their names and tell the sinks, all or none, the release last. It is a kanon__last_step whose payload is
 * a kanon__finished: *undone is false where it failed and the release could not be taken back. */
kanon_status kanon__finished_name(void *finished, bool *undone, kanon_error *err);

/* Called in place of kanon__finished_name, which it calls itself at the right moment. A failure leaves no file. */
typedef kanon_status (*kanon__commit)(kanon__finished *finished, void *payload, kanon_error *err);

/* `commit` may be NULL. */
kanon_status kanon__publish(const kanon_table *table, const kanon_grouping *grouping, const kanon_outputs *outputs,
                            kanon_error *err, kanon__commit commit, void *payload);
/* The form of numbers where none is chosen, of a typed table or of text. KANON_EINVAL: there is no such form. */
kanon_status kanon__choose_numeric(kanon_numeric *numeric, bool typed, kanon_error *err);
/* KANON_EINVAL where two of the `n` outputs (NULL ones are passed over) are in one file, or one is over what was read: that
 * would destroy data. */
kanon_status kanon__publish_check(const char *const *paths, int n, const kanon_table *table, kanon_error *err);

#endif
