/* Suspicions: what a column that is released as it is may say about persons, whatever role it was given.
 *
 * There is one set of detectors, and three callers: kanon init proposes roles by them, a run warns of columns of the table,
 * and the check warns of columns of a released file. They see names, forms and facts of columns; what they say has no cell
 * value in it.
 *
 *     PERSON, UNIQUE           the column identifies                            "identifying columns"
 *     EXACT, REPEATS, KNOWN    the column helps to single out, or undoes        "columns released as they are"
 *                              what the quasi-identifiers hide */
#ifndef KANON_PROPOSE_SUSPICION_H
#define KANON_PROPOSE_SUSPICION_H

#include "propose/column_facts.h"

typedef enum kanon__suspicion_kind {
    KANON__SUSPECT_NONE = 0,
    KANON__SUSPECT_PERSON,  /* names, addresses, numbers of persons, free text */
    KANON__SUSPECT_UNIQUE,  /* nearly every cell has a value of its own */
    KANON__SUSPECT_EXACT,   /* exact dates, times or coordinates */
    KANON__SUSPECT_REPEATS, /* it says, or tells, what quasi-identifiers of its row hide */
    KANON__SUSPECT_KNOWN    /* others may know it: an insensitive column that would be a quasi-identifier */
} kanon__suspicion_kind;

/* Whether a suspicion is that the column identifies persons; the others are about columns that are released as they are. */
static inline bool kanon__suspicion_identifies(kanon__suspicion_kind kind)
{
    return kind == KANON__SUSPECT_PERSON || kind == KANON__SUSPECT_UNIQUE;
}

enum { KANON__SUSPICION_TEXT = 400 };

typedef struct kanon__suspicion {
    kanon__suspicion_kind kind;
    int column;
    int other;                        /* of REPEATS: the first quasi-identifier; else -1 */
    char text[KANON__SUSPICION_TEXT]; /* what follows the name of the column: "has exact dates, ..." */
} kanon__suspicion;

typedef struct kanon__suspicions {
    kanon__suspicion *items; /* in the order of the columns */
    int64_t n, capacity;
} kanon__suspicions;

/* The values that a cell of a quasi-identifier may stand for: all, numbers (dates: days or seconds) from `low` to `high`, or
 * texts that are `text` or, if `prefix`, begin with it. */
typedef struct kanon__cover {
    bool any, numeric, prefix;
    double low, high;
    const char *text;
    size_t length;
} kanon__cover;

/* Names of values and of sets of values, as ranges of numbers: nodes of a taxonomy by their leaves, levels of an order. */
typedef struct kanon__label_ranges {
    const kanon__dictionary *labels; /* NULL: there are none */
    double *low, *high;              /* by label */
} kanon__label_ranges;

/* A column of the table or release that is looked at. */
typedef struct kanon__suspect {
    const kanon__column_facts *facts;
    kanon_role role;                 /* identifying: it is not released, and not looked at */
    bool permuted;                   /* its cells change rows, so that no row is known by one */
    const kanon__cover *covers;      /* of a quasi column of a release, by code; NULL: its cells are values */
    kanon__value_format date_format; /* of covers that are dates */
    bool dates;                      /* covers are dates */
    kanon__label_ranges names;       /* of covers that are ranges of named values */
} kanon__suspect;

/* The type of a column whose texts are judged: a source that keeps numbers as texts, or knows no others, says nothing. */
static inline kanon_type kanon__suspect_type(const kanon_type *natural, int column)
{
    kanon_type type = natural != NULL ? natural[column] : KANON_TYPE_UNKNOWN;
    return type == KANON_TYPE_CATEGORICAL ? KANON_TYPE_UNKNOWN : type;
}

/* At most one suspicion for each sensitive and insensitive column: PERSON before UNIQUE, REPEATS, EXACT and KNOWN; dates and
 * coordinates of which nearly each is another are EXACT. The rows of all columns are the same. */
kanon_status kanon__suspicions_find(kanon__suspicions *out, const kanon__suspect *columns, int n, kanon_error *err);
void kanon__suspicions_clear(kanon__suspicions *suspicions);

/* Whether the values identify persons by what they are; the kind that says so, KANON__KIND_UNKNOWN: they do not. `kind`:
 * that of the column. */
kanon__kind kanon__column_identity(const kanon__column_facts *facts, kanon__kind kind);
/* Texts of which nearly each is another: they cannot be generalised, and single out nearly everybody. */
bool kanon__column_is_telling_text(const kanon__column_facts *facts);

#endif
