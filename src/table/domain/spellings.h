/* Values that are written in several ways, so that people are told.
 *
 *     hiv  "hiv "  " hiv"       one value: white space at the ends does not count (core/text.h)
 *     Zoë  Zoe + accent         two values that look the same: Unicode writes them in two ways
 *
 * The first is a notice, the second a doubt: who counts different values counts both. */
#ifndef KANON_TABLE_SPELLINGS_H
#define KANON_TABLE_SPELLINGS_H

#include "core/texts.h"
#include "table/domain/domain.h"

typedef struct kanon__spellings {
    int64_t n_spaced;  /* texts that differ from others in white space at their ends alone */
    int64_t n_joined;  /* the values that they are */
    int64_t n_alike;   /* values that differ from one before them in their Unicode form alone */
    int64_t alike_row; /* where the first of them is */
} kanon__spellings;

/* Look through the distinct texts of a column. */
kanon_status kanon__spellings_find(kanon__spellings *out, const kanon__raw_column *raw, kanon_error *err);
/* A warning for each kind that there is: the column and how many, never a value. */
kanon_status kanon__spellings_note(const kanon__spellings *found, const char *column, const kanon__source *source,
                                   kanon__texts *warnings, kanon_error *err);
/* Number the entities by their values: `code_of`, by text, has room for all texts. Nothing is known of missing entities, so
 * all of them are taken for the same one. */
kanon_status kanon__entities_number(uint32_t *code_of, int64_t *n_entities, const kanon__dictionary *texts,
                                    uint32_t null_code, const kanon_schema *schema, kanon_error *err);

#endif
