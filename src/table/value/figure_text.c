/* See figure_text.h. Separators between thousands; nothing depends on the locale. */
#include "table/value/figure_text.h"

#include "table/value/number.h"

#include <math.h>
#include <string.h>

/* Digits in threes; returns where they end. */
static char *put_grouped(char *at, uint64_t magnitude)
{
    char digits[24];
    int n = 0;
    do {
        digits[n++] = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    while (n-- > 0) {
        *at++ = digits[n];
        if (n > 0 && n % 3 == 0)
            *at++ = ',';
    }
    return at;
}

kanon__figure_text kanon__show_count(int64_t value)
{
    kanon__figure_text out;
    char *at = out.text;
    if (value < 0)
        *at++ = '-';
    *put_grouped(at, value < 0 ? 0 - (uint64_t)value : (uint64_t)value) = '\0';
    return out;
}

kanon__figure_text kanon__show_fixed(double value, int digits)
{
    kanon__figure_text out;
    char *at = out.text;
    double power = pow(10, digits), scaled = round(fabs(value) * power);
    if (!(scaled < 9e15)) {
        out.text[kanon__format_double(out.text, value)] = '\0';
        return out;
    }
    uint64_t whole = (uint64_t)scaled / (uint64_t)power, rest = (uint64_t)scaled % (uint64_t)power;
    if (value < 0 && scaled > 0)
        *at++ = '-';
    at = put_grouped(at, whole);
    if (digits > 0)
        *at++ = '.';
    for (int i = digits; i > 0; i--) {
        at[i - 1] = (char)('0' + rest % 10);
        rest /= 10;
    }
    at[digits] = '\0';
    return out;
}

kanon__figure_text kanon__show_share(double share)
{
    kanon__figure_text out;
    if (!isfinite(share))
        return (kanon__figure_text){"-"};
    if (fabs(share - 1) < 1e-9)
        share = 1; /* a sum of parts in another order */
    if (share > 0 && share < 0.001)
        return (kanon__figure_text){"under 0.1 %"};
    if (share < 1 && share > 0.999)
        return (kanon__figure_text){"over 99.9 %"};
    out = kanon__show_fixed(100 * share, fabs(100 * share - round(100 * share)) < 1e-9 ? 0 : 1);
    memcpy(out.text + strlen(out.text), " %", 3);
    return out;
}

kanon__figure_text kanon__show_figure(double value, bool whole)
{
    kanon__figure_text out;
    double magnitude = fabs(value);
    if (isnan(value))
        return (kanon__figure_text){"-"};
    if (isinf(value))
        return (kanon__figure_text){"infinite"};
    if (whole)
        return kanon__show_fixed(value, 0);
    if (magnitude > 0 && (magnitude < 1e-4 || magnitude >= 9e14)) {
        out.text[kanon__format_double(out.text, value)] = '\0';
        return out;
    }
    int digits = magnitude >= 100000 ? 0 : magnitude >= 1000 ? 2 : magnitude >= 0.01 ? 4 : 6;
    while (digits > 0 && fabs(value * pow(10, digits - 1) - round(value * pow(10, digits - 1))) < 1e-9)
        digits--; /* zeros at the end that say nothing */
    return kanon__show_fixed(value, digits);
}
