/* What a finished run teaches: sentences for the person who has to decide what to try next. They name columns, shares
 * and requirements, never a value of the table. */
#ifndef KANON_ADVICE_ADVICE_H
#define KANON_ADVICE_ADVICE_H

#include "core/texts.h"

#include <kanon.h>

struct kanon_advice {
    kanon__texts sentences;
    kanon__texts values;       /* of the options that items name; an item without one has an empty text */
    kanon_advice_item **items; /* one for each sentence */
    int64_t n, capacity;
};

#endif
