/* The texts of a release. Cell-level recoding: the least general text that covers all records of a group, for every group
 * and quasi attribute. Attribute-level recoding: the text of what each value is shown as everywhere. */
#ifndef KANON_RELEASE_RECODE_H
#define KANON_RELEASE_RECODE_H

#include "table/table.h"

typedef struct kanon__recoding {
    const kanon_table *table;
    kanon_numeric numeric;
    const uint32_t *const *shown; /* by quasi attribute and code: the first and last code in its place; NULL: none */
    int64_t n_groups;
    char *bytes;   /* all texts, one after the other */
    int64_t *ends; /* by group, quasi attribute and part: where the text ends */
    bool *plain;   /* by attribute: no text of it needs quotes in a file with the table's delimiter */
    int64_t n_bytes, bytes_capacity;
} kanon__recoding;

/* A numeric attribute in the form KANON_NUMERIC_COLUMNS has two parts, everything else one (part 0, and part 1 is empty).
 * */
kanon_status kanon__recoding_new(kanon__recoding **out, const kanon_table *table, const int32_t *group_of, int64_t n_groups,
                                 const uint32_t *const *shown, kanon_numeric numeric, kanon_error *err);
void kanon__recoding_free(kanon__recoding *recoding);
const char *kanon__recoding_text(const kanon__recoding *recoding, int64_t group, int i, int part, size_t *length);
/* How many columns of the release the i-th quasi attribute takes: 1 or 2. */
int kanon__recoding_parts(const kanon__recoding *recoding, int i);

#endif
