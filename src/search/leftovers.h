/* Records that are left over when fewer than k are in no group: in record order, each joins the group whose loss it raises
 * least, the lowest of equals. */
#ifndef KANON_SEARCH_LEFTOVERS_H
#define KANON_SEARCH_LEFTOVERS_H

#include "search/run.h"

/* Place the rows that are KANON__LEFT_OVER, unless the run is to hand them back. There is at least one group. */
kanon_status kanon__leftovers_place(kanon__run *run, kanon_error *err);

#endif
