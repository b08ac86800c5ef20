/* Numbers and intervals as a release shows them, for the checks of text (verify_release.c) and of Arrow (arrow_quasi.c). */
#ifndef KANON_VERIFY_READ_INTERVAL_H
#define KANON_VERIFY_READ_INTERVAL_H

#include "table/value/number.h"
#include "table/value/value_format.h"

#include <string.h>

static inline bool kanon__read_end(double *out, kanon_type type, const kanon__value_format *format, const char *text,
                                   size_t length)
{
    kanon__decimal decimal;
    if (!kanon__value_parse(&decimal, type, format, text, length))
        return false;
    *out = decimal.value;
    return true;
}

/* "[LO..HI]" or "[LO,HI]". A number may end in a point, so every place for the separator is tried. */
static inline bool kanon__read_interval(double ends[2], kanon_type type, const kanon__value_format *format,
                                        const char *separator, const char *text, size_t length)
{
    size_t width = strlen(separator);
    if (length < width + 4 || text[0] != '[' || text[length - 1] != ']')
        return false;
    for (size_t at = 2; at + width + 1 < length; at++)
        if (memcmp(text + at, separator, width) == 0 && kanon__read_end(&ends[0], type, format, text + 1, at - 1) &&
            kanon__read_end(&ends[1], type, format, text + at + width, length - at - width - 1) && ends[0] <= ends[1])
            return true;
    return false;
}

#endif
