/* A taxonomy as a document, and what its files share: the tree, the names of its nodes, the counts of records.
 *
 *     bytes of any form  --read-->  tree  --taxonomy_from_tree-->  document  --write-->  bytes of any form
 *     column of a table  --build--^                                   |
 *                                                                     +--count, check */
#ifndef KANON_TAXONOMY_TAXONOMY_DOCUMENT_H
#define KANON_TAXONOMY_TAXONOMY_DOCUMENT_H

#include "table/schema/tree_internal.h"
#include "table/text/csv.h"

struct kanon_taxonomy {
    const kanon_context *context;
    kanon__taxonomy *taxonomy;
    char *names;       /* terminated, one after the other */
    int64_t *begins;   /* by node: where its name begins */
    int32_t *depth;    /* by node */
    int32_t *children; /* by node: how many */
    int64_t *records;  /* by node; NULL: not counted */
};

/* The document of a tree. Two nodes of one name are KANON_EDATA. */
kanon_status kanon__document_new(kanon_taxonomy **out, const kanon__tree *tree, kanon_error *err);

/* ---- taxonomy_forms.c: reading ------------------------------------------------------------------------------------ */

/* In place of KANON_TAXONOMY_AUTO the form that a name and the first bytes say. KANON_EINVAL: there is no such form. */
kanon_status kanon__form_find(kanon_taxonomy_form *form, const char *name, const char *bytes, size_t size, kanon_error *err);
kanon_status kanon__tree_read_form(kanon__tree **out, const kanon__input *input, kanon_taxonomy_form form, kanon_error *err);

/* ---- column_values.c ---------------------------------------------------------------------------------------------- */

/* The distinct values of a column that are not missing. */
typedef struct kanon__column_values {
    kanon__dictionary texts;
    int64_t *counts; /* by code: records */
    int64_t *lines;  /* by code: where it first stands */
    int64_t counts_capacity, lines_capacity;
    int64_t n_rows;
    char *name; /* of the table, for messages */
} kanon__column_values;

kanon_status kanon__column_values_read(kanon__column_values *out, const kanon_input *table,
                                       const kanon_column_options *options, kanon_error *err);
void kanon__column_values_clear(kanon__column_values *values);

#endif
