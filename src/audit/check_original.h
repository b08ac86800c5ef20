/* The original of a release, for kanon check: read, compared with the release, and what follows from it. */
#ifndef KANON_AUDIT_CHECK_ORIGINAL_H
#define KANON_AUDIT_CHECK_ORIGINAL_H

#include "audit/compare_original.h"
#include "audit/findings.h"

/* All zero is none. */
typedef struct kanon__original {
    kanon_table *table; /* as the schema says, but without bands: values as they are */
    kanon__comparison comparison;
} kanon__original;

/* What tells records apart: the columns that are given, or the key of the schema. */
typedef struct kanon__check_key {
    kanon__texts columns;
    bool is_said; /* by the caller: all files must have them */
} kanon__check_key;

/* A table that a release is held against. `key` are columns that must be read whatever their role. */
kanon_status kanon__plain_table_read(kanon_table **out, const kanon_input *input, const kanon_schema *schema,
                                     const kanon__texts *key, kanon__ticker *ticker, kanon_error *err);
/* The same of a table of which only the quasi columns matter. */
kanon_status kanon__quasi_table_read(kanon_table **out, const kanon_input *input, const kanon_schema *schema,
                                     kanon__ticker *ticker, kanon_error *err);
/* Read the original and compare it with the release, whose rows are of the classes `class_of`. */
kanon_status kanon__original_read(kanon__original *out, const kanon_input *input, const kanon__source *release,
                                  const kanon_schema *schema, const kanon__check_key *key, const uint32_t *class_of,
                                  kanon__ticker *ticker, kanon_error *err);
void kanon__original_clear(kanon__original *original);
/* What the comparison found, in sentences. `suppressed` rows say nothing. */
kanon_status kanon__original_list(kanon__findings *out, const kanon__original *original, const kanon_schema *schema,
                                  int64_t suppressed, kanon_error *err);
/* By row of the release: its person, from 0. Rows of which it is not known whose they are count as rows of one person of
 * their class, so that no class seems to have more persons than it has. *out is NULL where the table knows no persons. */
kanon_status kanon__original_persons(uint32_t **out, int64_t *n_persons, const kanon__original *original,
                                     const uint32_t *class_of, int64_t n_classes, kanon_error *err);

#endif
