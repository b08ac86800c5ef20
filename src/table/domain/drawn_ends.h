/* Drawn ends (schema: ends: drawn): the ends of released intervals are moved outwards at random, so that they are values of
 * a member no more often than their neighbours are.
 *
 *     ages of a group        28 31        33          two people of 28
 *     exact                  [28..31]     33          [28..33] says that somebody is 28
 *     drawn, two years more  [27..32]     [31..33]    how the two years are divided between the ends is drawn
 *
 * An interval becomes wider by a total that depends on its length alone: two usual steps of the column (the median
 * difference of neighbouring values), or an eighth of the length where that is more. Its place is drawn once for each group
 * and column: from a secret, the name of the column, and the name of the group, which is its number and in states stays what
 * it is as long as there is the group. Then another release of the group moves its ends by the same, and comparing the two
 * tells nothing.
 * Ends stay inside the range that the column had when the rule was made, so that no other record moves them: a largest value
 * that comes or goes tells nothing of the groups below it. A group that itself reaches beyond that range has no limit there.
 *
 * The secret is a hash of the seed and of the content of the table (docs/decisions/0032-ends-that-are-drawn.md). */
#ifndef KANON_TABLE_DRAWN_ENDS_H
#define KANON_TABLE_DRAWN_ENDS_H

#include "core/keyed_hash.h"
#include "table/domain/data.h"

/* How ends of a column move, in whole numbers of 10^-scale; `unit` is a multiple of `grid`, by which all values differ. */
typedef struct kanon__end_rule {
    int64_t unit, grid; /* 0: the column has exact ends */
    int scale;
    int64_t range[2]; /* the least and the largest value */
} kanon__end_rule;

/* What the ends of all groups are drawn from. */
typedef struct kanon__draw {
    kanon__secret secret;
    int n_rules;
    kanon__end_rule *rules; /* by quasi attribute */
} kanon__draw;

/* What groups show: NULL where a column has exact ends, else low and high by group in the scale of the domain. They count
 * where a group has numbers alone; low is above high where there is none. */
typedef struct kanon__drawn_ends {
    int n_quasi;
    char **columns; /* by quasi attribute: the name of the column */
    int64_t **ends; /* by quasi attribute */
} kanon__drawn_ends;

bool kanon__data_is_drawn(const kanon__data *data);
/* KANON_EDATA names a column with drawn ends that cannot have them: no numbers, too many digits, times of day. */
kanon_status kanon__drawn_column_check(const kanon__column *column, const char *source, kanon_error *err);

/* *out is NULL where all columns have exact ends. */
kanon_status kanon__draw_of_table(kanon__draw **out, const kanon__data *data, uint64_t seed, kanon_error *err);
/* With rules that are all exact. */
kanon_status kanon__draw_new(kanon__draw **out, int n_rules, kanon_error *err);
void kanon__draw_free(kanon__draw *draw);

/* `names`: by group; NULL: their numbers, from 1. */
kanon_status kanon__drawn_ends_new(kanon__drawn_ends **out, const kanon__data *data, const kanon__draw *draw,
                                   const int32_t *group_of, int64_t n_groups, const int64_t *names, kanon_error *err);
/* The ends of some groups under new numbers: group i gets those of group from[i]; below 0: none. */
kanon_status kanon__drawn_ends_pick(kanon__drawn_ends **out, const kanon__drawn_ends *ends, const int64_t *from, int64_t n,
                                    kanon_error *err);
void kanon__drawn_ends_free(kanon__drawn_ends *ends);

/* The ends of a group in a quasi attribute; NULL: exact. `ends` may be NULL. */
static inline const int64_t *kanon__drawn_ends_of(const kanon__drawn_ends *ends, int quasi, int64_t group)
{
    const int64_t *of = ends != NULL && ends->ends[quasi] != NULL ? ends->ends[quasi] + 2 * group : NULL;
    return of != NULL && of[0] <= of[1] ? of : NULL;
}
/* Those of all groups in a column of that name; NULL: exact. */
const int64_t *kanon__drawn_ends_find(const kanon__drawn_ends *ends, const char *column);

#endif
