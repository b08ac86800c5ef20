/* A run that begins with groups that somebody else made: they are taken over, refused or repaired, and given back where
 * nothing better was found. */
#ifndef KANON_PIPELINE_START_H
#define KANON_PIPELINE_START_H

#include "model/grouping.h"
#include "search/run.h"

/* Fill the groups of the run from `start`. Groups that are too small, suppressed records above the budget and violated
 * constraints are KANON_EINFEASIBLE; with `repair` records without a sound group join the others, and the constraints are
 * left to the pipeline. *sound: nothing had to be or has to be changed. */
kanon_status kanon__start_take(kanon__run *run, const kanon_grouping *start, bool repair, bool *sound, kanon_error *err);
/* Where the groups of the run lose more than those it began with, which were sound: take these again. */
kanon_status kanon__start_keep(kanon__run *run, const kanon_grouping *start, kanon_error *err);

#endif
