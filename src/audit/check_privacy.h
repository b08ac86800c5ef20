/* What the sensitive values of a released file hold to, class by class. */
#ifndef KANON_AUDIT_CHECK_PRIVACY_H
#define KANON_AUDIT_CHECK_PRIVACY_H

#include "table/table.h"

/* A column of the file as it was read. */
typedef struct kanon__released_column {
    const char *name;
    const uint32_t *raw;       /* by row: the code of its text */
    kanon__dictionary *values; /* the texts; left empty */
} kanon__released_column;

typedef struct kanon__released {
    const kanon_schema *schema;
    const kanon__source *source;
    int64_t n_rows;
    const int32_t *group_of; /* by row: its class; negative: suppressed */
    int64_t n_groups;
    const kanon__released_column *columns; /* the sensitive ones */
    int n_columns;
    const kanon__released_column *entity; /* NULL: the file does not tell whose record it is */
} kanon__released;

/* Fill `diversity`, one for each column. *kept and *sentences get one entry for each constraint of the schema that is about
 * a column of the file. *entities is the number of entities in the class that has fewest. */
kanon_status kanon__check_privacy(const kanon__released *released, kanon_diversity *diversity, kanon_kept **kept,
                                  kanon__texts *sentences, int64_t *entities, kanon__texts *warnings, kanon_error *err);

#endif
