/* The text of a proposed schema: YAML with a reason behind each line. */
#ifndef KANON_PROPOSE_SCHEMA_TEXT_H
#define KANON_PROPOSE_SCHEMA_TEXT_H

#include "core/texts.h"
#include "propose/column_sets.h"
#include "propose/roles.h"

/* What is written, apart from the roles. */
typedef struct kanon__schema_plan {
    const kanon__roles *roles;
    const char *table_name; /* for the title */
    int64_t n_rows;
    int64_t k;
    kanon_header header;                 /* that the caller named */
    const char *encoding;                /* likewise; NULL: none */
    const kanon__texts *missing;         /* the texts that mean "no value" */
    const kanon_column_set *const *sets; /* that single out most records */
    size_t n_sets;
    const kanon__texts *notes; /* for the user */
} kanon__schema_plan;

/* *out is terminated; *size is without the end. */
kanon_status kanon__schema_text(char **out, size_t *size, const kanon__schema_plan *plan, kanon_error *err);

#endif
