/* Attribute-level recoding: cuts, the classes that they make, and the searches for the best cuts.
 *
 * A cut of a dimension is a recode map: it gives every code the range of codes that replaces it, cut[2 * code] and
 * cut[2 * code + 1], both ends included. Ranges are disjoint, so a range is known by its first code. A range of a category
 * holds the leaves below a node, one of a number neighbouring values; the missing number is a range of its own, or in one
 * range with all numbers ("*").
 *
 *     codes   0  1  2  3  4  5         ranges 0-1, 2, 3-5
 *     cut     0  0  2  3  3  3         first
 *             1  1  2  5  5  5         last
 *
 * A class is a set of records with equal ranges on every dimension: an equivalence class of the release. A class that is too
 * small, or violates a constraint, is suppressed, as far as the budget allows. A cell costs what its range costs, whichever
 * records share it; so the loss of a generalisation is a sum over the classes.
 *
 *     full_domain.c --> lattice.c --> value_levels.c        attribute_cut.c --> lattice.c, then cut_steps.c
 *     all of them   --> generalisation.c: apply cuts, find classes, fill the run
 */
#ifndef KANON_ALGORITHMS_GENERALISATION_H
#define KANON_ALGORITHMS_GENERALISATION_H

#include "core/hash_key.h"
#include "search/run.h"
#include "search/tuples.h"

typedef struct kanon__class {
    int64_t size;
    uint32_t units;  /* the cost of one of its records, where it is released */
    int32_t example; /* one of its tuples */
    bool good;       /* it may be released */
} kanon__class;

typedef struct kanon__generalisation {
    const kanon__run *run;
    const kanon__space *space;
    kanon__tuples *tuples;
    const kanon__constraints *constraints; /* of the classes; NULL: none, or kanon__generalisation_leave_to_repair */
    int64_t most_suppressed;               /* the budget, in records */
    bool rises;              /* feasibility is monotone: a coarser generalisation of a feasible one is feasible */
    uint32_t full;           /* units of a suppressed record */
    /* of the cuts that were applied last */
    int32_t *class_of; /* by tuple */
    kanon__class *classes;
    int64_t n_classes;
    int64_t loss, n_suppressed;
    bool feasible;   /* the budget allows it */
    int64_t *begins; /* the tuples of class c are members[begins[c] .. begins[c + 1]), after _list */
    int32_t *members;
    /* scratch */
    int32_t *order; /* the tuples by number */
    int32_t *slots; /* open-addressing hash table of classes, by their ranges; -1: free */
    uint64_t n_slots;
    kanon__hash_key key;
} kanon__generalisation;

kanon_status kanon__generalisation_init(kanon__generalisation *out, const kanon__run *run, kanon_error *err);
void kanon__generalisation_clear(kanon__generalisation *g);
/* From now on classes need k records alone. For parts of a table (blocks, one record of each entity): no mapping of a part
 * may meet what the whole table meets, and the groups are repaired afterwards. False where that is not so. */
bool kanon__generalisation_leave_to_repair(kanon__generalisation *g);
/* Find the classes that the cuts, one per dimension, make, and what they lose. Where they are not feasible, loss and classes
 * may be those of k alone. */
kanon_status kanon__generalisation_apply(kanon__generalisation *g, kanon__bound *const *cuts, kanon_error *err);
/* List the members of all classes, those of a class as they stand in `order`, which has all tuples. */
void kanon__generalisation_list(kanon__generalisation *g, const int32_t *order);
/* The groups and the mapping of the cuts become those of the run. Where all records would be suppressed, those of the whole
 * table as one class do; `cuts` is changed then. */
kanon_status kanon__generalisation_finish(kanon__generalisation *g, kanon__run *run, kanon__bound *const *cuts,
                                          kanon_error *err);
/* Whether the search must end with its best result so far. */
static inline bool kanon__run_finishes(const kanon__run *run)
{
    return run->ticker != NULL && run->ticker->finish;
}
/* Whether there is a result, so that the search may end at any time. */
static inline void kanon__run_set_anytime(const kanon__run *run, bool anytime)
{
    if (run->ticker != NULL)
        run->ticker->anytime = anytime;
}
/* Start the clock of the setting time-limit. */
static inline void kanon__run_limit_time(const kanon__run *run)
{
    double seconds = kanon__setting_number(run->settings, "time-limit");
    if (run->ticker != NULL && seconds > 0)
        kanon__ticker_limit(run->ticker, seconds);
}
/* Records of a tuple. */
static inline int64_t kanon__tuple_size(const kanon__tuples *t, int64_t tuple)
{
    return t->begins[tuple + 1] - t->begins[tuple];
}

/* Records that are counted as if they were a class of their own. All zero is an empty one. */
typedef struct kanon__part {
    int64_t size;
    kanon__tally tally; /* unused without constraints */
} kanon__part;

kanon_status kanon__part_add(kanon__part *part, const kanon__generalisation *g, int64_t tuple, kanon_error *err);
/* Whether such a class may be released. */
bool kanon__part_is_good(kanon__part *part, const kanon__generalisation *g);
/* Make it empty. */
void kanon__part_clear(kanon__part *part);

/* Make the codes first .. last one range. */
void kanon__cut_join(kanon__bound *cut, uint32_t first, uint32_t last);

/* The levels of one dimension: cuts from single values to full suppression, each coarser than the one before. */
typedef struct kanon__levels {
    int n;
    kanon__bound **cuts; /* by level, 0 is single values */
    int64_t *units;      /* by level: the cost of this dimension over all records */
} kanon__levels;

/* Level h of a category replaces each leaf by its highest ancestor of height at most h. Levels of a number have 1, 2, 4,
 * ... intervals, each made by splitting intervals of the level above where that saves most. Levels that merge no records
 * are left out. */
kanon_status kanon__levels_init(kanon__levels *out, const kanon__dimension *dimension, const int64_t *counts,
                                kanon_error *err);
void kanon__levels_clear(kanon__levels *levels);

/* The combination of levels that loses least. */
typedef struct kanon__full_domain {
    kanon__levels *levels; /* by dimension */
    int n_dimensions;
    int *best;      /* by dimension: the level */
    int64_t loss;   /* of it */
    double n_nodes; /* the number of combinations */
    int64_t n_checks;
    bool proven;  /* no combination loses less */
    bool stopped; /* the search reached its time limit */
} kanon__full_domain;

kanon_status kanon__full_domain_search(kanon__full_domain *out, kanon__generalisation *g, int64_t most_checks,
                                       kanon_error *err);
void kanon__full_domain_clear(kanon__full_domain *search);
/* A note for the report, and a warning where the search was cut short. */
kanon_status kanon__full_domain_report(const kanon__full_domain *search, kanon__run *run, kanon_error *err);

#define KANON__CHECKS_SETTING                                                                                               \
    {                                                                                                                       \
        .name = "max-checks", .type = KANON_SETTING_INTEGER, .min = 1, .max = 1e12, .default_value = "100000",              \
        .help = "how many combinations of levels are tried at most; most are ruled out untried"                             \
    }

#define KANON__TIME_SETTING                                                                                                 \
    {                                                                                                                       \
        .name = "time-limit", .type = KANON_SETTING_NUMBER, .min = 0.001, .max = 1e9,                                       \
        .help = "how many seconds the search may take; what it finds then depends on how fast the machine is"               \
    }

/* Make the cuts, one per dimension, lose less: ranges are split where that saves most, and joined where that lets others be
 * split for more. `rounds` says how often all joins may be tried. `weights`, unless NULL, make the first splits prefer some
 * dimensions to others. Afterwards the cuts are applied. */
kanon_status kanon__cuts_improve(kanon__generalisation *g, kanon__bound **cuts, const int *weights, int64_t rounds,
                                 kanon_error *err);

#endif
