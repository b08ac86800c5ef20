/* Weights as fractions: 0.75 is 3/4, so that a sum of weighted terms is a whole number of units of a common denominator.
 * Called by model/space.c. Calls table/number.h. */
#include "model/fraction.h"

#include "table/number.h"

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

kanon__fraction kanon__fraction_of_weight(const char *text)
{
    enum { DIGITS_KEPT = 12 };
    kanon__decimal weight;
    kanon__fraction f = {1, 1};
    if (text == NULL || !kanon__parse_decimal(&weight, text, strlen(text)))
        return f;
    int scale = weight.exact ? weight.scale : DIGITS_KEPT;
    for (int i = 0; i < scale; i++)
        f.denominator *= 10;
    f.numerator = weight.exact ? weight.mantissa : (int64_t)(weight.value * (double)f.denominator + 0.5);
    int64_t common = kanon__gcd(f.numerator, f.denominator);
    f.numerator /= common;
    f.denominator /= common;
    return f;
}
