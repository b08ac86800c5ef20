/* One run: what an algorithm or a refinement is given, and the groups that it makes. */
#ifndef KANON_SEARCH_RUN_H
#define KANON_SEARCH_RUN_H

#include "constraints/constraints.h"
#include "core/random.h"
#include "core/texts.h"
#include "core/ticker.h"
#include "model/space.h"
#include "table/policy.h"
#include "table/settings.h"

typedef struct kanon__run {
    const kanon__data *table;
    const kanon__policy *policy;
    const kanon__space *space;
    int64_t k;
    int64_t may_suppress; /* so many records may be suppressed; -1: nothing was said */
    uint64_t seed;
    int threads;
    const kanon__settings *settings;
    const kanon__constraints *constraints; /* what every group must keep beside k; NULL: nothing */
    kanon__ticker *ticker;
    kanon__texts *warnings; /* what the user should know: what happened and which setting to change */
    kanon__texts *chosen;   /* "name=value" of the settings that the algorithm chose by itself; NULL: nobody wants to know */
    bool leave_rest;        /* records left over are not to be placed but handed back as KANON__LEFT_OVER */
    int32_t *group_of;      /* out, by row: its group from 0, or KANON__SUPPRESSED; numbers in any order */
    int32_t n_groups;       /* out */
    kanon__texts *notes;    /* what the report should say about the result; NULL: nobody wants to know */
    uint32_t **shown;       /* out, by quasi attribute and code: the first and the last code that stand in its place in the
                               release; NULL: each group shows what it holds */
} kanon__run;

#define KANON__SUPPRESSED (-1)
#define KANON__LEFT_OVER (-2) /* in no group yet; so no result looks, but that of a run with leave_rest */

/* How the algorithms that can look for records in several ways are told which: a row for their tables of settings. */
#define KANON__SEARCH_SETTING                                                                                               \
    {                                                                                                                       \
        .name = "search", .type = KANON_SETTING_CHOICE, .default_value = "auto", .choices = "auto|scan|index",              \
        .help = "how records are found; changes the time, never the groups"                                                 \
    }

#endif
