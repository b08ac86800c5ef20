/* Warnings of a check: columns of a released file that identify persons, or say more of the quasi-identifiers than their
 * cells do. The detectors are those of kanon init (propose/suspicion.h); here quasi cells are what they cover. */
#ifndef KANON_AUDIT_SUSPICIOUS_COLUMNS_H
#define KANON_AUDIT_SUSPICIOUS_COLUMNS_H

#include "propose/suspicion.h"
#include "table/schema/schema.h"
#include "table/text/source.h"

/* The released file: its columns by number. */
typedef struct kanon__released_file {
    const kanon_schema *schema;
    const kanon__source *source;
    int64_t n_rows;
    const kanon_role *roles;        /* identifying: not looked at, for somebody has said what it is */
    const kanon__value_kind *kinds; /* of quasi columns */
} kanon__released_file;

/* What is suspicious about its sensitive and insensitive columns, judged by a sample of the rows. Nothing is read where
 * there are none. */
kanon_status kanon__suspicious_columns(kanon__suspicions *out, const kanon__released_file *file, kanon_error *err);

#endif
