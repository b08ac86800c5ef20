/* What the parts of the check of an Arrow release share (verify_arrow.h says what is checked):
 *
 *     verify_arrow.c      schema, batches, order, cells of text; the order of the steps
 *     arrow_codes.c       the codes of the table say what stands in the input
 *     arrow_quasi.c       what groups show, and that all their records show it and are covered by it
 *     arrow_bands.c       the same of columns with bands
 *     arrow_unchanged.c   kept columns
 *     arrow_classes.c     groups that show the same
 *
 * Columns are prepared one per task: what each group shows is read from the first of its records. Then the records are
 * checked in ranges, one range of one column per task; such a task changes nothing that others see. */
#ifndef KANON_VERIFY_ARROW_CHECK_H
#define KANON_VERIFY_ARROW_CHECK_H

#include "core/hash_key.h"
#include "core/ticker.h"
#include "table/read/arrow_source.h"
#include "verify/arrow_column.h"
#include "verify/cell_sums.h"
#include "verify/verify_arrow.h"
#include "verify/verify_bands.h"

/* The codes below a node. */
typedef struct kanon__checked_leaves {
    uint32_t first, last;
} kanon__checked_leaves;

/* What a group shows in a quasi column that has no keys and is no category: decimals and texts, or bands. */
typedef struct kanon__checked_value {
    kanon__read_value cells[2];
    double ends[2]; /* of intervals in text */
    kanon__shown_band band;
} kanon__checked_value;

/* The text of a code, next to each other, so that comparing a cell with it touches one place. */
typedef struct kanon__checked_text {
    unsigned char length; /* KANON__CHECKED_LONG: it does not fit, or means "missing" */
    char bytes[23];
} kanon__checked_text;

enum { KANON__CHECKED_LONG = 255 };

/* How the cells of a quasi column are compared. */
typedef enum kanon__checked_form { KANON__CHECKED_KEYS, KANON__CHECKED_NODES, KANON__CHECKED_VALUES } kanon__checked_form;

/* A column of the table, and its columns of the release. */
typedef struct kanon__checked_field {
    int number; /* of the table's column */
    int quasi;  /* its place among the quasi columns; -1: kept */
    int child;  /* the first child of the batches; NAME_max is the next one */
    int n_children;
    bool own_type; /* numbers in the type that they have in the input */
    bool levels;   /* ordinal values as an ordered dictionary of all levels */
    kanon__read_column released[2];
    kanon__read_column given;   /* of the input, where that is Arrow */
    kanon__checked_text *texts; /* by code, where the input has cells of text */
    /* quasi columns */
    kanon__checked_form form;
    int64_t *keys;  /* KEYS, by group: those of NAME_min and NAME_max, or of the mean; 0 where they are null */
    bool *nulls;    /* KEYS, by group: any value */
    int32_t *nodes; /* NODES, by group; -1: null, any value */
    kanon__checked_leaves *leaves; /* NODES, by node */
    int32_t *node_of_entry;        /* NODES */
    kanon__checked_value *values;  /* VALUES, by group */
    kanon__read_value *originals;  /* by code: the number; null: missing. NULL: numbers are taken from the input */
    int64_t *original_keys;        /* likewise, of KEYS */
    int64_t *entry_keys;           /* of numbers in a dictionary of the input, by entry */
    bool *entry_valid;
    kanon__shown_band *code_bands; /* by code, of a column with bands; else NULL */
} kanon__checked_field;

typedef struct kanon__arrow_check {
    const kanon__arrow_claim *claim;
    const kanon_table *table;
    const kanon__arrow_source *arrow; /* NULL: the input is not from Arrow */
    kanon__checked_field *fields;
    int n_fields;
    int64_t *begins;       /* by batch of the release: its first record, and the number of records */
    int64_t n_places;      /* records of the release */
    int32_t *place_of;     /* by row: its place in the release, -1: it is not there; NULL: its own number */
    int32_t *first_places; /* where each group is shown first, in the order of the release */
    int64_t n_ranges;      /* of records, one task each */
    kanon__cell_sums *sums; /* of permuted columns; NULL: there are none */
    kanon__shared_ticker ticker;
} kanon__arrow_check;

/* Records `begin` to `end - 1`, as places in the release or as rows of the table. */
typedef struct kanon__checked_range {
    int64_t begin, end;
    const kanon__checked_field *field; /* the one that is checked; NULL: all of them */
    int64_t rested;                    /* what was read up to here has left memory */
    kanon__ticker ticker;
} kanon__checked_range;

static inline int64_t kanon__checked_row(const kanon__arrow_check *c, int64_t place)
{
    return c->claim->order != NULL ? c->claim->order[place] : place;
}

/* The records of the next block of a range, from `at` on; 0: there is none. Ticks. */
kanon_status kanon__checked_block(kanon__arrow_check *check, kanon__checked_range *range, int64_t at, int64_t *n,
                                  kanon_error *err);
/* Records from *rested up to `at` were read: once there are many of them, they leave memory, in the input and in the
 * release. */
void kanon__checked_rest(const kanon__arrow_check *check, const kanon__checked_field *field, int64_t *rested, int64_t at);
/* "the check found WHAT: record N, column NAME". */
kanon_status kanon__checked_fail(const kanon__arrow_check *check, const kanon__checked_field *field, int64_t row,
                                 const char *what, kanon_error *err);

/* Take note of what a record shows in a permuted column, and of what it has itself. */
void kanon__checked_count(const kanon__arrow_check *check, const kanon__checked_field *field, int64_t row,
                          kanon__read_value shown, kanon__read_value has);

/* ---- codes -------------------------------------------------------------------------------------------------------- */

/* A text of the domain as a number of its type; as a double where `real`. Null: it is none. */
kanon__read_value kanon__checked_number(const kanon__domain *domain, const char *text, size_t length, bool real);
/* Whether a text of the input says the same as a code of the column. */
bool kanon__checked_text_says(const kanon__arrow_check *check, const kanon__checked_field *field, uint32_t code,
                              const char *text, size_t length);
/* Whether the codes of these rows say what an Arrow input has. */
kanon_status kanon__check_codes(kanon__arrow_check *check, const kanon__checked_field *field, kanon__checked_range *range,
                                kanon_error *err);

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* Read what groups show. */
kanon_status kanon__quasi_prepare(const kanon__arrow_check *check, kanon__checked_field *field, kanon_error *err);
/* Forget it. */
void kanon__quasi_clear(kanon__checked_field *field);
/* These records show what their groups show, and are covered by it. */
kanon_status kanon__quasi_check(kanon__arrow_check *check, const kanon__checked_field *field, kanon__checked_range *range,
                                kanon_error *err);
/* `hash` and, after it, what a group shows; equal groups have equal hashes. Group -1 shows nothing. */
uint64_t kanon__quasi_hash(const kanon__checked_field *field, int64_t group, const kanon__hash_key *key, uint64_t hash);
bool kanon__quasi_equal(const kanon__checked_field *field, int64_t group, int64_t other);

/* These records of a kept column have the values of the input. */
kanon_status kanon__unchanged_check(kanon__arrow_check *check, const kanon__checked_field *field,
                                    kanon__checked_range *range, kanon_error *err);

/* Groups that show the same, taken together, keep what is required. What groups show is forgotten as soon as they are
 * numbered by it. */
kanon_status kanon__check_classes(kanon__arrow_check *check, kanon_error *err);

#endif
