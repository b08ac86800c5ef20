/* See units.h, which says why units are whole. This file chooses the scale: one that makes the terms of most attributes
 * exact, and as fine as fits below the limit of the caller. */
#include "model/units.h"

#include "table/value/number.h"

#include <string.h>

int64_t kanon__gcd(int64_t a, int64_t b)
{
    while (b != 0) {
        int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

kanon__weight kanon__weight_parse(const char *text)
{
    enum { DIGITS_KEPT = 12 }; /* of a weight with more digits than a fraction can hold */
    kanon__decimal decimal;
    kanon__weight w = {1, 1, 1};
    if (text == NULL || !kanon__parse_decimal(&decimal, text, strlen(text)))
        return w;
    int scale = decimal.exact ? decimal.scale : DIGITS_KEPT;
    for (int i = 0; i < scale; i++)
        w.denominator *= 10;
    w.numerator = decimal.exact ? decimal.mantissa : (int64_t)(decimal.value * (double)w.denominator + 0.5);
    int64_t common = kanon__gcd(w.numerator, w.denominator);
    w.numerator /= common;
    w.denominator /= common;
    w.value = decimal.value;
    return w;
}

/* The least number of units to 1 that makes every term of the attribute whole; 0: none that is of use. */
static int64_t exact_scale(const kanon__unit_term *term)
{
    int64_t denominator;
    if (term->parts == 0 || __builtin_mul_overflow(term->parts, term->weight.denominator, &denominator))
        return 0;
    return denominator / kanon__gcd(term->weight.numerator, denominator);
}

int64_t kanon__units_choose_scale(kanon__unit_term *terms, int n, double most_units)
{
    double weights = 0;
    for (int i = 0; i < n; i++)
        weights += terms[i].weight.value;
    int64_t limit = (int64_t)(most_units / (weights > 1 ? weights : 1)), scale = 1;
    for (int i = 0; i < n; i++) {
        int64_t wanted = exact_scale(&terms[i]), together;
        terms[i].exact = wanted != 0 && !__builtin_mul_overflow(scale, wanted / kanon__gcd(wanted, scale), &together) &&
                         together <= limit;
        if (terms[i].exact)
            scale = together;
    }
    return scale * (limit / scale); /* finer, for the attributes that have to be rounded */
}
