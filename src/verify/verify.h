/* The independent check. It counts and compares by itself, from the table's own cells, and shares no code with what makes
 * groupings and releases. A failed check is KANON_EINTERNAL: no output is better than a wrong one.
 * Implemented by the verify_*.c files. */
#ifndef KANON_VERIFY_VERIFY_H
#define KANON_VERIFY_VERIFY_H

#include "core/hash_key.h"
#include "table/read/table.h"

/* Every row is in one group of 0 .. n_groups-1 or suppressed (negative), and every group has at least k rows. */
kanon_status kanon__verify_grouping(const kanon__data *data, const int32_t *group_of, int64_t n_groups, int64_t k,
                                    kanon_error *err);

/* Every group satisfies the constraints of the policy, holds k entities where there are entities, and has each of
 * them to itself where they are to stay together. All are counted anew; a constraint that cannot be counted is refused. */
kanon_status kanon__verify_privacy(const kanon__data *data, const kanon__policy *policy, const int32_t *group_of,
                                   int64_t n_groups, int64_t k, kanon_error *err);

/* At most `most` records are suppressed; a negative number: nobody set a limit. */
kanon_status kanon__verify_budget(const kanon__data *data, const int32_t *group_of, int64_t most, kanon_error *err);

/* What is required of a grouping. */
typedef struct kanon__requirement {
    const kanon__policy *policy;
    int64_t k;
    int64_t most_suppressed; /* negative: any number */
    bool unmerged;           /* groups that look alike in the release were not merged: means, and groupings of the caller */
} kanon__requirement;

/* All of the above. Suppressed records that the policy keeps are one group more. */
kanon_status kanon__verify_requirement(const kanon__data *data, const kanon__requirement *requirement,
                                       const int32_t *group_of, int64_t n_groups, kanon_error *err);

/* Whether two groups show the same in a release, and a hash under a key in which such groups agree. */
typedef struct kanon__group_look {
    bool (*equal)(const void *payload, int64_t group, int64_t other);
    uint64_t (*hash)(const void *payload, int64_t group, const kanon__hash_key *key);
    const void *payload;
} kanon__group_look;

/* By group, the number of its class: groups that look alike are one. The array is the caller's. */
kanon_status kanon__number_classes(int32_t **class_of_group, int64_t *n_classes, int64_t n_groups,
                                   const kanon__group_look *look, kanon_error *err);
/* Whether there are suppressed records, and the policy keeps them. */
bool kanon__verify_keeps(const kanon__data *data, const kanon__requirement *requirement, const int32_t *group_of);
/* The same of the classes of a release: every group has k records, and the classes keep what is required. `class_of_group`
 * has one entry more where suppressed records are kept: their class. KANON_EINFEASIBLE where only the classes of groups that
 * were not merged violate it. */
kanon_status kanon__verify_classes(const kanon__data *data, const kanon__requirement *requirement, const int32_t *group_of,
                                   int64_t n_groups, const int32_t *class_of_group, int64_t n_classes, kanon_error *err);

/* Checks that what a release shows covers what the table holds. It takes the text of every group, as it stands in the file,
 * then every row of the input file as it is read again, with its line of the release. */
typedef struct kanon__verifier kanon__verifier;

/* What is released: `group_of` has the group of each row, negative for suppressed ones. `mapping`: it is also checked that
 * records with equal values show equal cells, whatever their groups. */
kanon_status kanon__verifier_new(kanon__verifier **out, const kanon_table *table, const int32_t *group_of, int64_t n_groups,
                                 kanon_numeric numeric, bool mapping, kanon_error *err);
void kanon__verifier_free(kanon__verifier *verifier);
/* Quasi columns with no column between them that is kept as it is are a run; how many there are. */
int kanon__verifier_runs(const kanon__verifier *verifier);
/* What all rows of a group show in a run, with delimiters and quotes; the group after the last is that of suppressed rows.
 * The text must outlive the verifier. Several threads may pass different groups. */
kanon_status kanon__verifier_text(kanon__verifier *verifier, int64_t group, int run, const char *text, size_t length,
                                  kanon_error *err);
/* Row number `row` of the input, where the cursor stands, is released as this line; NULL: it stays out, as only suppressed
 * rows do, and all of them unless the policy of the table keeps them. Several threads may call it. */
kanon_status kanon__verifier_row(kanon__verifier *verifier, int64_t row, const kanon__cursor *cursor, const char *line,
                                 size_t length, kanon_error *err);
/* Row `far` is checked soon, and row `near`, which was a far one, before it. */
void kanon__verifier_prefetch(const kanon__verifier *verifier, int64_t far, int64_t near);
/* After the last row: all rows of the table came by, once each and with the cells that stand in their place in the input,
 * and groups and classes keep what is required. */
kanon_status kanon__verifier_finish(const kanon__verifier *verifier, const kanon__requirement *requirement, int threads,
                                    kanon_error *err);

#endif
