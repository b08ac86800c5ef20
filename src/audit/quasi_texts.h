/* A quasi column of a released file: its texts, and which of them mean "any value". */
#ifndef KANON_AUDIT_QUASI_TEXTS_H
#define KANON_AUDIT_QUASI_TEXTS_H

#include "core/texts.h"
#include "table/schema/schema.h"

/* NAME_min and NAME_max are two columns of the one attribute: cells are equal in both or the records differ. */
typedef struct kanon__quasi_column {
    int column;
    kanon__value_kind kind; /* KANON_TYPE_UNKNOWN: to be found from the cells */
    char *root;             /* what the taxonomy calls its root; NULL: it has none */
    kanon__dictionary texts;
    bool *any; /* by text: it means "any value", as a null does */
} kanon__quasi_column;

/* Fill `kind` and `any`, and warn where several texts mean the same: they are told apart, as in the file. */
kanon_status kanon__quasi_inspect(kanon__quasi_column *column, const char *name, const kanon_schema *schema,
                                  kanon__texts *warnings, kanon_error *err);
void kanon__quasi_texts_clear(kanon__quasi_column *column);

#endif
