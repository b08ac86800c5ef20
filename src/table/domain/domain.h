/* The domain of a column: its distinct values in the order in which they are encoded.
 *
 * A numeric value is encoded as its rank among the distinct values, a categorical one as its leaf number in the taxonomy.
 * Either way a set of values is, for every formula, its smallest and its largest code. Missing values have one code: of a
 * categorical domain a leaf below the root; of a numeric one the code after the last rank.
 *
 *     cells    24  22   ?  33        domain "age": values 22 23 24 33, missing_code 4, n_codes 5
 *     codes     2   0   4   3
 *
 * With bands (table/value/bands.h) the code is the rank of the band among those that hold a value. Of an ordinal column
 * every declared level has a code, used or not: its rank, which is also its value as a number. So all formulas take it for a
 * whole number whose range is that of the ranks, and only its texts are others.
 *
 * A domain does not change once it is built, so columns of several tables (a table and its blocks) share it by counted
 * references. */
#ifndef KANON_TABLE_DOMAIN_H
#define KANON_TABLE_DOMAIN_H

#include "table/schema/schema.h"
#include "table/value/bands.h"
#include "table/value/codes.h"
#include "table/value/value_format.h"

typedef struct kanon__source kanon__source;
typedef struct kanon__source_levels kanon__source_levels;

typedef struct kanon__domain {
    kanon_type type;
    uint32_t n_codes;      /* missing included */
    uint32_t missing_code; /* KANON__NO_CODE: no value is missing */
    /* numeric: one entry per code but the missing one */
    double *values;
    int64_t *scaled; /* exactly value * 10^scale; NULL where that does not fit 64 bits (dates: days, or seconds) */
    int scale;
    kanon__band *bands; /* what each code shows where the schema has bands, else NULL; `values` and `scaled` are then the low
                         * ends, and `texts` the intervals */
    char *band_texts[3];        /* bands, top and bottom as the schema has them, for the independent check; else NULL */
    kanon__value_format format; /* how the texts are written */
    kanon__dictionary texts;    /* numeric: the text of each rank as first written; the missing text last */
    kanon__dictionary levels;   /* ordinal: as declared; `format` refers to it */
    kanon__taxonomy *taxonomy;  /* categorical */
    bool type_is_said;          /* by the schema or the source; false: found from the values */
    bool missing_is_null;       /* missing cells were null, not a text that means "no value" */
    int64_t references;         /* changed atomically */
} kanon__domain;

/* The type for readers of a release: whether all numbers are whole may be known from originals alone. */
static inline const char *kanon__told_type(const kanon__domain *d)
{
    bool number = d->type == KANON_TYPE_INTEGER || d->type == KANON_TYPE_DECIMAL;
    return number && !d->type_is_said ? "number" : kanon_enum_text(KANON_ENUM_TYPE, d->type);
}

/* A column's distinct texts as they were read, before anything is known of their order. */
typedef struct kanon__raw_column {
    const char *name;
    const kanon__source *source; /* for messages: where a text stands */
    int64_t n_rows;
    kanon__codes codes;        /* by row: the dictionary code of its text */
    kanon__dictionary *values; /* in the order in which they first appear */
    uint32_t null_code;        /* means "no value" whatever its text; KANON__NO_CODE: none does */
    kanon_type natural;        /* where the schema names no type; KANON_TYPE_UNKNOWN: it is found from the texts */
    kanon__texts *notices;     /* what the user should know; NULL: nobody wants to */
    /* in place of rows and codes, where there are none: by dictionary code; else NULL */
    const int64_t *counts;     /* its cells */
    const int64_t *first_rows; /* the first row that has it */
    const kanon__source_levels *levels; /* that the source knows of an ordinal column; NULL: none */
} kanon__raw_column;

/* Order the texts of a column as `attribute` (NULL: not named) and the missing texts of the schema say. `new_code`, by
 * dictionary code, becomes the code of each text. KANON_EDATA names the places of texts that do not belong to the type or
 * taxonomy. */
kanon_status kanon__domain_build(kanon__domain **out, uint32_t *new_code, const kanon__raw_column *raw,
                                 const kanon__attribute *attribute, const kanon_schema *schema, kanon_error *err);
kanon__domain *kanon__domain_share(kanon__domain *domain);
/* Drop one reference. */
void kanon__domain_free(kanon__domain *domain);

/* Whether values are numbers to all formulas: integers, decimals, dates and the ranks of levels. */
static inline bool kanon__type_is_numeric(kanon_type type)
{
    return type == KANON_TYPE_INTEGER || type == KANON_TYPE_DECIMAL || type == KANON_TYPE_DATE || type == KANON_TYPE_ORDINAL;
}
/* Whether a mean of the values can be shown: levels have none, and groups show their interval. */
static inline bool kanon__type_has_mean(kanon_type type)
{
    return kanon__type_is_numeric(type) && type != KANON_TYPE_ORDINAL;
}

/* The largest number that the code stands for: of a band its high end, in the scale of the domain and as a double. */
static inline int64_t kanon__domain_scaled_high(const kanon__domain *domain, uint32_t code)
{
    return domain->bands != NULL ? domain->bands[code].high : domain->scaled[code];
}
double kanon__domain_high(const kanon__domain *domain, uint32_t code);
/* How a release writes the ends of the column's bands: as the column writes its values. */
static inline kanon__band_style kanon__domain_band_style(const kanon__domain *domain, bool ranges)
{
    return (kanon__band_style){.scale = domain->scale, .type = domain->type, .format = &domain->format, .ranges = ranges};
}

/* The middle of a band, else the value: what stands for the code where a single number is needed. */
double kanon__domain_middle(const kanon__domain *domain, uint32_t code);

/* The text of a code as a release shows it: the value as first written, or the leaf's name. */
const char *kanon__domain_text(const kanon__domain *domain, uint32_t code, size_t *length);

#endif
