/* Shares of the records: 0.01 is 1/100, so that the number of records that may be suppressed is exact. */
#include "table/value/fraction.h"

#include "table/value/number.h"

#include <math.h>
#include <string.h>

bool kanon__fraction_parse(kanon__fraction *out, const char *text)
{
    kanon__decimal share;
    if (!kanon__parse_decimal(&share, text, strlen(text)) || !share.exact || !(share.value >= 0 && share.value <= 1))
        return false;
    *out = (kanon__fraction){share.mantissa, 1};
    for (int i = 0; i < share.scale; i++)
        out->denominator *= 10;
    return true;
}

int64_t kanon__fraction_of(kanon__fraction share, int64_t n_rows)
{
    return share.denominator == 0 ? -1 : (int64_t)((__int128)n_rows * share.numerator / share.denominator);
}

double kanon__fraction_value(kanon__fraction share)
{
    return share.denominator == 0 ? NAN : (double)share.numerator / (double)share.denominator;
}
