/* The options of the program as the library knows them: their words and ranges, which schemas and options that are said as
 * text have, too. */
#ifndef KANON_CORE_OPTION_ROWS_H
#define KANON_CORE_OPTION_ROWS_H

#include "core/status.h"
#include "options/option_row.h"

enum {
    KANON__N_OPTIONS = 0
#define KANON_OPTION(...) +1
#include "options/options.def"
#undef KANON_OPTION
};

extern const option kanon__options[KANON__N_OPTIONS];
/* The option of that id, of which there must be one. */
const option *kanon__option(const char *id);
/* What its text may be, "a|b|c", beside other texts if its argument begins with a placeholder in capitals; NULL: it has no
 * words. */
const char *kanon__option_words(const option *opt);
/* Hint at the word of "a|b|c" that `text` was meant to be, or at all of them, and return the status. */
kanon_status kanon__hint_choice(kanon_error *err, kanon_status status, const char *words, const char *text);

#endif
