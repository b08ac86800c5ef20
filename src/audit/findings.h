/* What a check finds in a comparison with other files: sentences with their counts, and figures. */
#ifndef KANON_AUDIT_FINDINGS_H
#define KANON_AUDIT_FINDINGS_H

#include "core/texts.h"

#include <stdbool.h>

/* All zero holds nothing. Sentences are short, of at most 1,000 bytes, and hold no value of a file. */
typedef struct kanon__findings {
    kanon_finding **items; /* once they are listed; their texts are below */
    size_t n;
    kanon_figure **figures;
    size_t n_figures;
    /* the rest is the list's own */
    kanon_finding *made;
    kanon_figure *numbers;
    kanon__texts sentences, names;
    int64_t capacity, figures_capacity;
} kanon__findings;

/* A finding about a column, and another one; NULL: it is about none. `name` and `formula` are literals. */
kanon_status kanon__findings_add(kanon__findings *findings, const char *name, const char *column, const char *other,
                                 int64_t count, kanon_mark mark, kanon_error *err, const char *format, ...)
    KANON__PRINTF(8, 9);
kanon_status kanon__findings_figure(kanon__findings *findings, const char *name, const char *column, const char *formula,
                                    double value, bool whole, kanon_error *err);
/* The lists as callers get them; nothing is added after this. */
kanon_status kanon__findings_list(kanon__findings *findings, kanon_error *err);
void kanon__findings_clear(kanon__findings *findings);

#endif
