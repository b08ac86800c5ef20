/* The verdict of a check: what was found in a file, as rows in the order and words that a run has, too. */
#ifndef KANON_AUDIT_CHECK_VERDICT_H
#define KANON_AUDIT_CHECK_VERDICT_H

#include "propose/suspicion.h"
#include "table/schema/schema.h"
#include "verdict/verdict.h"

typedef struct kanon__checked {
    const kanon_check *check; /* complete but for its verdict */
    const kanon_schema *schema;
    const kanon__texts *persons_not_shown; /* why persons could not be counted, among check->not_shown; empty: they were */
    const kanon__suspicions *suspicions;
    char *const *column_names; /* of the file, by its columns */
    int n_kept, n_permuted;    /* columns that are released as they are, and those that the schema calls permuted */
    bool has_original;         /* the file was compared with it */
} kanon__checked;

kanon_status kanon__check_verdict(kanon_verdict *out, const kanon__checked *checked, kanon_error *err);

#endif
