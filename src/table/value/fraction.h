/* Exact fractions: the share of the records that may be suppressed. */
#ifndef KANON_TABLE_FRACTION_H
#define KANON_TABLE_FRACTION_H

#include <stdbool.h>
#include <stdint.h>

/* 0/0: nothing was said. */
typedef struct kanon__fraction {
    int64_t numerator, denominator;
} kanon__fraction;

/* A share of the records; false where the text is no number from 0 to 1. */
bool kanon__fraction_parse(kanon__fraction *out, const char *text);
/* How many of `n_rows` records a share is, rounded down; -1: nothing was said. */
int64_t kanon__fraction_of(kanon__fraction share, int64_t n_rows);
/* The share as a number; NAN: nothing was said. */
double kanon__fraction_value(kanon__fraction share);

#endif
