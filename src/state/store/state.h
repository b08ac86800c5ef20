/* The state of a table that changes: its records, their groups and what was released of it, in one SQLite file.
 *
 * This is the ground floor of src/state: struct kanon_state, and the catalog, which describes the table. Everything in
 * src/state includes it. The other floors are described in docs/state-store.md, docs/state-index.md and
 * docs/state-maintain.md.
 *
 * Three words for a value of a quasi-identifier:
 *
 *     cell         the text in the CSV file                                             "47.5"
 *     code         a whole number in the state's file that never changes its meaning    475 (times 10^scale)
 *     coordinate   where the code lies in the space of units, in memory only            changes with the ranges
 *
 * The code of a number is its value times 10^scale, also where it is released as a band; of a category the number of its
 * node in the column's tree, to which nodes are only added. Ranks and leaf numbers, as tables use them, shift when values
 * come and go: they are never in the file.
 *
 * Tables of the file (version 6; old_format.h has the names of version 5):
 *
 *     meta                name, value               settings and counters
 *     missing             text                      texts that mean "no value"
 *     columns             number, name, role, ...   the columns of the table
 *     trees               col, node, parent, label  the trees of categorical columns; label NULL: forgotten, no record has
 *                                                   it any more
 *     requirements        number, name, value       of constraint `number` or, with -1, of all groups
 *     records             id, name, shown, since, cells, p0, p1, ...    a record: hash of its key, group in the last
 *                                                   release and since which release, cells as CSV, codes; NULL where a
 *                                                   number is missing
 *     new_names           name, id                  key hashes of the records from first_unfiled on, which have none in
 *                                                   `records`
 *     tallies             dimension, code, n        how many records have a code; the first and the last number are the
 *                                                   range
 *     entity_index        entity, record            the records of each entity, where they stay together
 *     node_pages          id, entries               node pages of the group index: index/index_pages.c
 *     member_pages        id, entries               member pages: the members of the groups of a leaf
 *     log_parts           number, entries           the log of the group index: index/index_log.c
 *     releases            number, time, ...         the releases
 *     membership_history  record, release, grp      from that release on the record was in that group (0: suppressed, -1:
 *                                                   absent), until the next row or the record's own row
 *     departed_records    id, shown, since, until, hashes    records that are deleted but were released
 *     history             number, time, command, ...         the commands */
#ifndef KANON_STATE_STATE_H
#define KANON_STATE_STATE_H

#include "core/keyed_hash.h"
#include "state/store/store.h"
#include "table/schema/schema.h"

#define KANON__NULL_CODE INT64_MAX /* a number is missing */
#define KANON__CODE_LIMIT (INT64_C(1) << 61)
#define KANON__ABSENT (-1) /* instead of a group number: the record is not in the release */

/* Whether a number can be a code: the difference of two fits 64 bits with room to spare. */
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

/* Where a value that is new to a categorical column goes: store/category_nodes.c. */
typedef enum kanon__growth_rule {
    KANON__GROWS_NEVER = 0, /* a taxonomy that was given: new values only where the user says so */
    KANON__GROWS_FLAT,      /* no taxonomy: every value below the root */
    KANON__GROWS_MASK_RIGHT,
    KANON__GROWS_MASK_LEFT
} kanon__growth_rule;

/* A column of the table. Invariants: a quasi-identifier is numeric or has a tree; node i of the tree has label code i;
 * inner[i] holds exactly where another node has i as its parent; nodes below n_saved are in the file. */
typedef struct kanon__state_column {
    char *name;
    kanon_role role;
    kanon_type type; /* KANON_TYPE_UNKNOWN: its cells are kept as they are */
    char *weight_text;
    bool drawn;     /* the ends of its intervals are drawn */
    bool permuted;  /* its cells change places inside their groups when they are released */
    char *bands[3]; /* bands, top and bottom as the schema has them; NULL: none */
    kanon__growth_rule growth;
    int scale;                  /* of numbers */
    kanon__value_format format; /* how numbers or dates are written; of levels it refers to `order` */
    kanon__dictionary order;    /* the levels of an ordinal column */
    int key;                    /* its position in the key, from 1; 0: not part of it */
    int dimension;              /* which quasi attribute it is; -1: none */
    kanon__tree *tree;          /* of categories; NULL: a sensitive column without taxonomy */
    kanon__dictionary labels;   /* code of a label = node */
    bool *inner;                /* by node: it has nodes below it */
    int64_t inner_capacity;
    int32_t missing_node; /* -1: none yet */
    int32_t n_saved;      /* nodes that are in the file */
    int32_t n_given;      /* nodes that are no value of a record: of the taxonomy as it was given, or the root alone */
    int levels;           /* of a mask; 0: not computed yet */
} kanon__state_column;

struct kanon__group_index;
typedef struct kanon__watch kanon__watch; /* store/watch.h */

/* A change of how many records have a number. */
typedef struct kanon__number_tally {
    int64_t dimension, code, change;
} kanon__number_tally;

/* An open state. The store lives as long as the state; all else is read when a command begins and cleared when it ends
 * (maintain/session.c).
 *     n_records    rows of `records`; n_suppressed of them are in no group
 *     next_*       the next unused number; numbers are never used twice
 *     root         the id of the root node of the group index */
struct kanon_state {
    const kanon_context *context;
    kanon__store store;
    int n_columns, n_dimensions, n_key, n_sensitive;
    kanon__state_column *columns;
    int *dimensions; /* column of each quasi attribute */
    kanon__texts missing;
    char delimiter;
    bool crlf;
    /* how the groups were first made */
    int64_t k, blocks;
    int64_t joint_k; /* of releases: a number, KANON_JOINT_K_OFF, or 0: made by a version that did not keep it */
    uint64_t seed;
    int64_t revision;
    char *algorithm, *settings, *refinement; /* settings: NAME=VALUE, one per line */
    char *program;                           /* the version that made the state */
    kanon__secret secret;                    /* of the hashes in departed_records and of last_delta; never leaves the file */
    /* the last delta that was applied: its keyed hash, so that the same one is not applied twice in a row */
    unsigned char last_delta[KANON__KEYED_HASH_BYTES];
    bool has_last_delta;
    bool forgets; /* this command takes records or values away: nothing of them may stay in the file */
    /* counters */
    int64_t n_records, n_groups, n_suppressed, next_record, first_unfiled, next_group, next_change, n_releases, root;
    int64_t worth;                      /* of the shares in the index: store/current_space.h */
    struct kanon__current_space *space; /* in memory only */
    struct kanon__group_index *index;
    sqlite3_stmt *statements[16]; /* prepared by store/records.c */
    kanon__number_tally *tallies; /* what is not in the file yet */
    int64_t n_tallies, tallies_capacity;
    struct kanon__draw *draw; /* what ends are drawn from; NULL: all are exact */
    /* requirements in addition to k: store/state_requirements.h */
    kanon_schema *requirements;
    int entity;              /* the column of the entity; -1: there is none */
    int64_t *changed_groups; /* numbers of groups that records joined or left in this command, some of them several times */
    int64_t n_changed_groups, changed_groups_capacity;
    int64_t search_moves; /* of this command's search, for each record near what it changed; 0: none */
    sqlite3_stmt *add_departed;         /* state/store/release_rows.c */
    sqlite3_stmt *entity_statements[4]; /* state/store/entity_index.c */
    kanon__watch *watch;                /* which groups have changed since the last release; NULL: nobody asked */
    kanon_tick tick;
    void *payload;
};

bool kanon__state_numeric(const kanon__state_column *column);
static inline bool kanon__state_has_bands(const kanon__state_column *c)
{
    return c->bands[0] != NULL || c->bands[1] != NULL || c->bands[2] != NULL;
}

/* Only of records with a name in `records`: new ones wait in new_names until they are many. */
#define KANON__NAMES_SQL "CREATE INDEX names ON records(name) WHERE name IS NOT NULL"

/* ---- store/catalog.c: the description of the table --------------------------------------------------------------- */

/* A tree of one column, node by node; the root comes first, with parent -1. */
kanon_status kanon__catalog_add_node(kanon__state_column *column, int32_t parent, const char *label, size_t length,
                                     kanon_error *err);
/* The tables of an empty file. */
kanon_status kanon__catalog_create(kanon_state *state, kanon_error *err);
/* Write everything but records, groups and releases. */
kanon_status kanon__catalog_save(kanon_state *state, kanon_error *err);
/* Write what commands change: counters and new nodes of trees. Where the command took records away (state->forgets), labels
 * that no record has any more are taken out of the file; their nodes stay, without a name. */
kanon_status kanon__catalog_update(kanon_state *state, kanon_error *err);
/* Read it again; the transaction has begun. One that writes brings a state of an earlier format to that of today. */
kanon_status kanon__catalog_load(kanon_state *state, bool write, kanon_error *err);
void kanon__catalog_clear(kanon_state *state);
/* The schema that describes the table as the state has it. */
kanon_status kanon__catalog_schema(kanon_schema **out, const kanon_state *state, kanon_error *err);

/* The node of a category: found, or added where the column's rule or `grow` allows it; where not, *out is -1 and *why says
 * what is wrong. */
kanon_status kanon__catalog_node(kanon__state_column *column, int64_t *out, const char *text, size_t length, bool is_missing,
                                 bool grow, const char **why, kanon_error *err);

#endif
