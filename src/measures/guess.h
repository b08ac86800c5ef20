/* The best guess of a value among several, and how right it is: the commonest value or, of many numbers, the median. */
#ifndef KANON_MEASURES_GUESS_H
#define KANON_MEASURES_GUESS_H

#include "measures/group_values.h"

typedef struct kanon__guess {
    const kanon__domain *domain;
    bool by_median, some; /* some: there is a number */
    double number;
    int64_t most, n_most; /* records that have the commonest value, and how many values have as many */
} kanon__guess;

/* Sorts the values. */
kanon__guess kanon__guess_of(kanon__group_values *values);
/* How right it is where the value is `code`, which `count` of the values are: 1, 0, or where several values are the
 * commonest the chance that it is the one that is named. */
double kanon__guess_right(const kanon__guess *guess, uint32_t code, int64_t count);

#endif
