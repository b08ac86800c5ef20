/* The codebook: how to read a release. It goes to others with the release, so it holds nothing that the release does
 * not show: rules, names of columns, and the taxonomies that the schema gave; no smallest or largest value, no list of
 * values of a column without taxonomy. For programs as a Frictionless Table Schema or as CSVW, for people as a page. */
#ifndef KANON_REPORT_CODEBOOK_H
#define KANON_REPORT_CODEBOOK_H

#include "core/output.h"
#include "table/read/table.h"

typedef struct kanon__codebook {
    const kanon_table *table;
    kanon_numeric numeric;
    const char *release; /* the name of the release's file, without folders */
} kanon__codebook;

typedef enum kanon__codebook_form {
    KANON__CODEBOOK_TABLE_SCHEMA, /* Frictionless; "json" */
    KANON__CODEBOOK_CSVW,         /* "csvw", or the name ends in -metadata.json */
    KANON__CODEBOOK_PAGE          /* "html" */
} kanon__codebook_form;

/* By the format of the output, else by its name. */
kanon_status kanon__codebook_form_of(kanon__codebook_form *out, const kanon_output *to, kanon_error *err);
kanon_status kanon__codebook_write(kanon__output *output, const kanon__codebook *book, kanon__codebook_form form,
                                   kanon_error *err);

/* ---- what both writers ask --------------------------------------------------------------------------------------- */

/* A column of the release. */
typedef struct kanon__field {
    const kanon__column *column;
    const char *suffix;      /* "_min" and "_max" of two columns, else "" */
    kanon_type type;         /* of its cells; KANON_TYPE_CATEGORICAL: text */
    bool any_is_missing;     /* "*" stands beside typed cells */
    const char *pattern;     /* what cells of text look like, as a regular expression; NULL: any text */
    const char *description; /* a sentence */
} kanon__field;

/* The fields of a column of the table: 0 where it is not released, at most 2. */
int kanon__codebook_fields(kanon__field out[2], const kanon__codebook *book, int column);
/* The taxonomy whose nodes and leaves may be told: one that the schema gave. NULL: only the rule is told. */
const kanon__taxonomy *kanon__codebook_taxonomy(const kanon__column *column);
/* Whether the node is the leaf of missing values, which is no category. */
bool kanon__codebook_is_missing(const kanon__column *column, int32_t node);

/* The two kinds of writers. */
kanon_status kanon__codebook_json(kanon__output *output, const kanon__codebook *book, bool csvw, kanon_error *err);
void kanon__codebook_page(kanon__output *output, const kanon__codebook *book);
/* How the dates of the column are written in the release, the ends of bands included; NULL: as YYYY-MM-DD, or it has
 * none. */
const char *kanon__codebook_date_format(const kanon__column *column);

#endif
