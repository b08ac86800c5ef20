/* The records left over when fewer than k are free: each joins the group whose loss it raises least.
 *
 * They join in record order, of equal groups the lowest; each counts for the next one. This is step 5 of k-member, and the
 * last step of densest and strips. In blocks the records left over are placed across blocks instead (partition/blocks.c),
 * so nothing is done where run->leave_rest is set. */
#ifndef KANON_SEARCH_LEFTOVERS_H
#define KANON_SEARCH_LEFTOVERS_H

#include "search/run.h"

/* Place the rows that are KANON__LEFT_OVER, unless run->leave_rest. There is at least one group. */
kanon_status kanon__leftovers_place(kanon__run *run, kanon_error *err);

#endif
