/* The levels of an ordinal column: a dictionary whose codes are their ranks. Whoever writes or reads an interval of
 * them, [low..high], must be able to tell where one ends, and what is no level: so not every text can be one. */
#ifndef KANON_TABLE_LEVELS_H
#define KANON_TABLE_LEVELS_H

#include "table/value/dictionary.h"

#include <stdbool.h>

/* An array of ranks is made of them, and people read them. */
enum { KANON__MOST_LEVELS = 10000 };

/* Why a text can be no level, as a sentence without a subject; NULL: it can. */
const char *kanon__level_fault(const char *text, size_t length);
/* One more level. *fault becomes why it cannot be one, or that it was there before; NULL: it was added. */
kanon_status kanon__levels_add(kanon__dictionary *levels, const char *text, size_t length, const char **fault,
                               kanon_error *err);
/* `out` is empty or {0}. */
kanon_status kanon__levels_copy(kanon__dictionary *out, const kanon__dictionary *from, kanon_error *err);
/* Whether both have the same levels in the same order. */
bool kanon__levels_equal(const kanon__dictionary *left, const kanon__dictionary *right);

#endif
