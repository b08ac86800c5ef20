/* What a released file says of itself: the marks that kanon writes into a Parquet file (pipeline/table_output.c). Nobody has
 * checked them; they are shown beside what the check finds. */
#ifndef KANON_AUDIT_MADE_BY_H
#define KANON_AUDIT_MADE_BY_H

#include "core/status.h"

typedef struct kanon__made_by {
    char *by;    /* "kanon 1.0.0, k = 10, algorithm auto"; NULL: the file does not say it */
    char *roles; /* a JSON object: the role of each column; NULL: likewise */
} kanon__made_by;

/* Read the marks of the file at `location`. Other tables than Parquet files have none, and marks that cannot be read are not
 * there: KANON_ENOMEM and KANON_ECANCELLED are the only failures. */
kanon_status kanon__made_by_read(kanon__made_by *out, const char *location, kanon_error *err);
void kanon__made_by_clear(kanon__made_by *made);

#endif
