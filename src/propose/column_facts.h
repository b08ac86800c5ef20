/* What can be counted in a column: the facts that proposals rest on.
 *
 * Facts are figures and kinds, never values; a value leaves this folder only where a schema has to name a text that
 * means "no value". */
#ifndef KANON_PROPOSE_COLUMN_FACTS_H
#define KANON_PROPOSE_COLUMN_FACTS_H

#include "propose/kinds.h"
#include "table/domain/column_shape.h"

typedef struct kanon__column_facts {
    const char *name;
    const kanon__dictionary *texts; /* the distinct texts */
    kanon__codes codes;             /* by row */
    int64_t n_rows;
    kanon__kind named;         /* the kind that the name tells */
    kanon__kind shaped;        /* the kind that the form of the values tells */
    kanon__column_shape shape; /* type, format, texts that are no values */
    bool *missing;             /* by code: it means "no value", as far as can be told */
    int64_t n_missing;         /* cells */
    int64_t n_present;
    int64_t n_distinct; /* of the values that are present */
    int64_t most;       /* cells of the most frequent value */
    double mean_length; /* of the distinct values, in bytes */
    double mean_spaces; /* likewise: words but one */
    double min, max;    /* of numbers; dates in days or seconds. Both 0 where there is none */
    bool can_mask;      /* every value can be masked, and all are short */
    bool thousands;     /* what stands before three digits in each number with decimals may be between thousands */
    bool bands;         /* every value is the name of a band of numbers: [0-10), 65+ */
} kanon__column_facts;

/* `natural`: the type that the source knows; KANON_TYPE_UNKNOWN: its texts tell. */
kanon_status kanon__column_facts_find(kanon__column_facts *out, const char *name, const kanon__dictionary *texts,
                                      kanon__codes codes, int64_t n_rows, uint32_t null_code, kanon_type natural,
                                      char delimiter, kanon_error *err);
void kanon__column_facts_clear(kanon__column_facts *facts);

/* Where a band begins, for the order of bands; false: the text names none. Open bands begin before or after the others. */
bool kanon__band_label_low(double *out, const char *text, size_t length);
/* Whether the values are numbers of things or years, by the name or because all of them can be years. */
bool kanon__column_is_counted(const kanon__column_facts *facts);
/* The kind that name and form of the values tell together. */
kanon__kind kanon__column_kind(const kanon__column_facts *facts);
/* Whether the values look like given names and surnames of persons. `known`: something is known of the column, so that only
 * given names count as proof. */
bool kanon__column_has_full_names(const kanon__column_facts *facts, bool known);
/* Whether nearly every value that is present occurs once. */
bool kanon__column_is_nearly_unique(const kanon__column_facts *facts);
/* Whether the values are sentences rather than categories. */
bool kanon__column_is_free_text(const kanon__column_facts *facts);

#endif
