/* A table that lives on: its records, their groups and what was released of it, in one file.
 *
 * In the file a value of a quasi attribute is its *place*, a whole number that never changes its meaning: of a number, the
 * value times 10^scale; of a category, the number of its node in the tree, to which nodes are only added. Ranks and leaf
 * numbers, which shift when values come and go, exist in memory alone.
 *
 *     meta      name, value               what the state is: settings, counters
 *     missing   text                      texts that mean "no value"
 *     columns   number, name, role, ...   of the table
 *     trees     col, node, parent, label  of categorical columns
 *     records   id, name, shown, since, cells, p0, p1, ...    a record: hash of its name, group in the last release and
 *                                         since when, cells as CSV, places; NULL where a number is missing
 *     new_names name, id                  the hashes of records from first_unfiled on, which have none in `records`
 *     tallies   dimension, place, n       how many records have a number: the ends are the attribute's range
 *     nodes     id, entries               groups and the index over them: state/group_index.h
 *     crowds    id, entries               the members of the groups of a leaf
 *     changes   number, entries           what happened to groups since
 *     releases  number, time, ...         what was released
 *     spells    record, release, grp      from that release on the record was in that group, 0: suppressed, -1: absent
 *     departed  id, shown, since, until, secrets   records that are gone but were released
 *     history   number, time, command, ...
 *     wishes    number, name, value       what is asked of the groups beside k: constraint `number`, or -1: all else
 *     persons   entity, record            the records of each entity by its hash, where they stay together
 */
#ifndef KANON_STATE_STATE_H
#define KANON_STATE_STATE_H

#include "state/store/store.h"
#include "table/schema.h"

#define KANON__NULL_CODE INT64_MAX /* a number is missing */
#define KANON__CODE_LIMIT (INT64_C(1) << 61)
#define KANON__ABSENT (-1) /* in place of a group: not in the release */

/* Whether a number can be a place: the difference of two fits 64 bits with room to spare. */
static inline bool kanon__code_fits(int64_t code)
{
    return code > -KANON__CODE_LIMIT && code < KANON__CODE_LIMIT;
}

/* Compares two int64_t, for qsort and bsearch. */
static inline int kanon__compare_numbers(const void *left, const void *right)
{
    int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return a < b ? -1 : a > b;
}

typedef enum kanon__growth_rule {
    KANON__GROWS_NEVER = 0, /* a taxonomy that was given: new values only where the user says so */
    KANON__GROWS_FLAT,      /* no taxonomy: every value below the root */
    KANON__GROWS_MASK_RIGHT,
    KANON__GROWS_MASK_LEFT
} kanon__growth_rule;

typedef struct kanon__state_column {
    char *name;
    kanon_role role;
    kanon_type type; /* KANON_TYPE_UNKNOWN: not looked into */
    char *weight_text;
    kanon__growth_rule growth;
    int scale;                /* of numbers */
    int key;                  /* its place in the key, from 1; 0: not part of it */
    int dimension;            /* which quasi attribute it is; -1: none */
    kanon__tree *tree;        /* of categories; NULL: a sensitive column without taxonomy */
    kanon__dictionary labels; /* code of a label = node */
    bool *inner;              /* by node: it has nodes below it */
    int64_t inner_capacity;
    int32_t missing_node; /* -1: none yet */
    int32_t n_saved;      /* nodes that are in the file */
    int levels;           /* of a mask; 0: not asked for yet */
} kanon__state_column;

struct kanon__group_index;

/* So many records more, or fewer, have a number. */
typedef struct kanon__number_tally {
    int64_t dimension, code, change;
} kanon__number_tally;

struct kanon_state {
    kanon__store store;
    int n_columns, n_dimensions, n_key, n_sensitive;
    kanon__state_column *columns;
    int *dimensions; /* column of each quasi attribute */
    kanon__texts missing;
    char delimiter;
    bool crlf;
    /* how the groups were first made */
    int64_t k, blocks;
    uint64_t seed;
    int64_t revision;
    char *algorithm, *settings, *refinement; /* settings: NAME=VALUE, one per line */
    char *program;                           /* the version that made the state */
    /* counters */
    int64_t n_records, n_groups, n_suppressed, next_record, first_unfiled, next_group, next_change, n_releases, root;
    int64_t worth;                      /* of the index's shares: state/space_now.h */
    struct kanon__current_space *space; /* in memory only */
    struct kanon__group_index *index;
    sqlite3_stmt *statements[16]; /* kept by their users: state/records.c */
    kanon__number_tally *tallies; /* what is not in the file yet */
    int64_t n_tallies, tallies_capacity;
    /* what is asked of the groups beside k: state/wishes.h */
    kanon_schema *requirements;
    int entity;              /* the column that says whose record it is; -1: there is none */
    int64_t *changed_groups; /* numbers of groups that records joined or left in this command, some of them several times */
    int64_t n_changed_groups, changed_groups_capacity;
    sqlite3_stmt *add_departed;         /* state/store/release_rows.c */
    sqlite3_stmt *entity_statements[4]; /* state/store/entity_index.c */
    kanon_tick tick;
    void *payload;
};

bool kanon__state_numeric(const kanon__state_column *column);

/* Only of records that have a name there: those that are new wait in new_names until they are many. */
#define KANON__NAMES_SQL "CREATE INDEX names ON records(name) WHERE name IS NOT NULL"

/* ---- state/catalog.c: what the table is -------------------------------------------------------------------------- */

/* A tree of one column, node by node; the root comes first, with parent -1. */
kanon_status kanon__catalog_add_node(kanon__state_column *column, int32_t parent, const char *label, size_t length,
                                     kanon_error *err);
/* The tables of an empty file. */
kanon_status kanon__catalog_create(kanon_state *state, kanon_error *err);
/* Write everything but records, groups and releases. */
kanon_status kanon__catalog_save(kanon_state *state, kanon_error *err);
/* Write what commands change: counters and new nodes of trees. */
kanon_status kanon__catalog_update(kanon_state *state, kanon_error *err);
/* Read it again; the transaction has begun. */
kanon_status kanon__catalog_load(kanon_state *state, kanon_error *err);
void kanon__catalog_clear(kanon_state *state);
/* The schema that describes the table as the state has it. */
kanon_status kanon__catalog_schema(kanon_schema **out, const kanon_state *state, kanon_error *err);

/* The node of a category: found, or added where the column's rule or `grow` allows it; where not, *out is -1 and *why says
 * what is wrong. */
kanon_status kanon__catalog_node(kanon__state_column *column, int64_t *out, const char *text, size_t length, bool is_missing,
                                 bool grow, const char **why, kanon_error *err);

#endif
