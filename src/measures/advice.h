/* What a finished run teaches: sentences for the person who has to decide what to try next. They name columns, shares
 * and requirements, never a value of the table. */
#ifndef KANON_MEASURES_ADVICE_H
#define KANON_MEASURES_ADVICE_H

#include "core/texts.h"
#include "model/grouping.h"

struct kanon_advice {
    kanon__texts sentences;
    kanon_advice_item *items; /* one for each sentence */
    int64_t capacity;
};

/* Whether a group whose codes go from extent[0] to extent[1] shows nothing of the column: any value, or the root. */
bool kanon__shows_nothing(const kanon__column *column, const uint32_t extent[2]);

#endif
