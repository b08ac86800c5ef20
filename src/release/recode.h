/* The texts of a release. Cell-level recoding: the least general text that covers all records of a group, for every group
 * and quasi attribute. Attribute-level recoding: the text of what each value is shown as everywhere.
 *
 * All records of a group show the same, so its cells are made once, as they stand in the file: quasi columns that stand side
 * by side in the release are one run, delimiters and quotes included.
 *
 *     columns of the table     age    name      zip    illness  job
 *     roles                    quasi  identif.  quasi  sens.    quasi
 *     runs                     [20..24],752**           -        "Cook, baker"
 *
 * Verification shares nothing with it. */
#ifndef KANON_RELEASE_RECODE_H
#define KANON_RELEASE_RECODE_H

#include "table/domain/drawn_ends.h"
#include "table/read/table.h"

enum { KANON__RECODING_BLOCK = 1024 }; /* groups whose texts lie together */

typedef struct kanon__recoding {
    const kanon_table *table;
    kanon_numeric numeric;
    int64_t n_groups;
    int n_runs;
    int *run_of;   /* by quasi attribute */
    char **blocks; /* by block of groups: their texts, one after the other */
    int64_t *ends; /* by group and run: where the text ends in its block; suppressed records are the group after the last */
} kanon__recoding;

/* A numeric attribute in the form KANON_NUMERIC_COLUMNS has two cells, everything else one. */
kanon_status kanon__recoding_new(kanon__recoding **out, const kanon_table *table, const int32_t *group_of, int64_t n_groups,
                                 const uint32_t *const *recode_map, const kanon__drawn_ends *drawn, kanon_numeric numeric,
                                 int threads, kanon_error *err);
void kanon__recoding_free(kanon__recoding *recoding);
/* How many columns of the release the i-th quasi attribute takes: 1 or 2. */
int kanon__recoding_parts(const kanon__recoding *recoding, int i);
/* Whether the release has one column only. */
bool kanon__recoding_is_alone(const kanon__recoding *recoding);

/* What the records of a group, or suppressed ones (negative), show in a run of quasi columns. */
static inline const char *kanon__recoding_text(const kanon__recoding *r, int64_t group, int run, size_t *length)
{
    int64_t place = group >= 0 ? group : r->n_groups, at = place * r->n_runs + run;
    int64_t begin = place % KANON__RECODING_BLOCK == 0 && run == 0 ? 0 : r->ends[at - 1];
    *length = (size_t)(r->ends[at] - begin);
    return r->blocks[place / KANON__RECODING_BLOCK] + begin;
}

/* The group's text will soon be asked for. */
static inline void kanon__recoding_prefetch(const kanon__recoding *r, int64_t group)
{
    __builtin_prefetch(&r->ends[(group >= 0 ? group : r->n_groups) * r->n_runs]);
}

#endif
