/* kanon anonymize --workers: what cannot be done by several processes is refused by name before any work, the rest goes
 * to workers/workers.h. */
#ifndef KANON_CLI_ANONYMIZE_WORKERS_H
#define KANON_CLI_ANONYMIZE_WORKERS_H

#include "command.h"
#include "progress.h"

/* Wrong usage where an option does not go with workers. */
int check_workers(const command *self, const arguments *args);
/* Make the release; `schema` gets the k that is asked for. Returns an exit status. */
int run_workers(const command *self, const arguments *args, kanon_schema *schema, const kanon_read_options *reading,
                const kanon_options *grouping, progress *show);

#endif
