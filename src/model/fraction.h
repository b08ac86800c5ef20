/* Exact fractions of whole numbers, for weights and the scale of a space.
 * Called by model/space.c; meant for everyone who turns weights into units. Calls table/number.h. */
#ifndef KANON_MODEL_FRACTION_H
#define KANON_MODEL_FRACTION_H

#include <stdint.h>

/* In lowest terms; the denominator is positive. */
typedef struct kanon__fraction {
    int64_t numerator, denominator;
} kanon__fraction;

/* The greatest common divisor; kanon__gcd(a, 0) is a. */
int64_t kanon__gcd(int64_t a, int64_t b);
/* The decimal number of a weight; NULL or no number: 1. A weight with more digits than a fraction can hold is rounded to 12
 * places after the point. */
kanon__fraction kanon__fraction_of_weight(const char *text);

#endif
