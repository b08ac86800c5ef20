/* The advice of the library after a run, with the flags of this program. */
#ifndef KANON_CLI_PRINT_ADVICE_H
#define KANON_CLI_PRINT_ADVICE_H

#include <kanon.h>

/* On standard error, one line for each sentence. `advice` NULL: what the groups themselves show, which takes no time; what
 * cannot be had (no memory) is not printed: the run is done. */
void print_advice(const kanon_table *table, const kanon_grouping *grouping, const kanon_advice *advice);

#endif
