/* Exact fractions of whole numbers: weights, the scale of a space, and the share of records that may be suppressed.
 * Called by table/schema.c, table/policy.c, model/space.c and everyone who turns weights into units. Calls table/number.h. */
#ifndef KANON_TABLE_FRACTION_H
#define KANON_TABLE_FRACTION_H

#include <stdbool.h>
#include <stdint.h>

/* 0/0: nothing was said. */
typedef struct kanon__fraction {
    int64_t numerator, denominator;
} kanon__fraction;

/* The greatest common divisor; kanon__gcd(a, 0) is a. */
int64_t kanon__gcd(int64_t a, int64_t b);
/* The decimal number of a weight, in lowest terms; NULL or no number: 1. A weight with more digits than a fraction can hold is rounded to 12
 * places after the point. */
kanon__fraction kanon__fraction_of_weight(const char *text);

/* A share of the records; false where the text is no number from 0 to 1. */
bool kanon__fraction_parse(kanon__fraction *out, const char *text);
/* How many of `n_rows` records a share is, rounded down; -1: nothing was said. */
int64_t kanon__fraction_of(kanon__fraction share, int64_t n_rows);

#endif
