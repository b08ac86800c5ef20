/* The run: what an algorithm or a refinement gets, and where it puts its groups.
 *
 * One struct serves every algorithm, so that new inputs do not change the signature of all of them. The pipeline fills it
 * (pipeline/anonymize.c); partition/row_run.h derives one for some of the rows. It lies in src/search because algorithms,
 * enforcement and refinements, which must not include one another, all take it.
 *
 *     pipeline -> algorithm -> enforcement -> refinement      one run each, the same group_of
 */
#ifndef KANON_SEARCH_RUN_H
#define KANON_SEARCH_RUN_H

#include "constraints/constraints.h"
#include "core/random.h"
#include "core/texts.h"
#include "core/ticker.h"
#include "model/space.h"
#include "table/schema/policy.h"
#include "table/schema/settings.h"

/* Everything but the last section is input and stays as it is. */
typedef struct kanon__run {
    const kanon__data *table;
    const kanon__policy *policy;
    const kanon__space *space; /* of the quasi attributes, in terms of information loss */
    int64_t k;                 /* at least 2, at most the number of rows */
    int64_t may_suppress;      /* so many records may be suppressed; -1: nothing was said */
    uint64_t seed;
    int threads;
    const kanon__settings *settings;       /* of the algorithm or refinement at hand */
    const kanon__constraints *constraints; /* in addition to k; NULL: none */
    kanon__ticker *ticker;
    int64_t n_whole; /* a block that is refined by itself: the records of the whole table, whose effort it shares; 0: no */
    bool in_blocks;  /* the table is grouped in blocks, even where it turns out to be a single one */
    bool leave_rest; /* do not place the records left over: mark them KANON__LEFT_OVER */

    /* out */
    int32_t *group_of;      /* by row, allocated: its group from 0, or KANON__SUPPRESSED; numbers in any order */
    int32_t n_groups;       /* starts at 0 */
    uint32_t **recode_maps; /* by quasi attribute and code: first and last code of the range that replaces it, alternating;
                               NULL: each group is recoded by itself */
    kanon__texts *warnings; /* for the user: what happened and which setting to change */
    kanon__texts *chosen;   /* "name=value" of the settings that the algorithm chose by itself; NULL: not wanted */
    kanon__texts *notes;    /* for the report: what is known about the result; NULL: not wanted */
    kanon__texts
        *repeat;  /* "name=value" of the refinement that gives these groups again without a clock; NULL: not wanted */
    bool stopped; /* it was ended early, by the caller or by a time limit */
} kanon__run;

#define KANON__SUPPRESSED (-1)
#define KANON__LEFT_OVER (-2) /* in no group yet: only inside an algorithm, and in the result of a run with leave_rest */

/* A row for the settings table of each algorithm that has both a scan and an index. */
#define KANON__SEARCH_SETTING                                                                                               \
    {                                                                                                                       \
        .name = "search", .type = KANON_SETTING_CHOICE, .default_value = "auto", .choices = "auto|scan|index",              \
        .help = "how records are found; changes the time, never the groups"                                                 \
    }

#endif
