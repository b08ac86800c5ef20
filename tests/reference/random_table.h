/* Small random tables with everything that is awkward: ties, duplicate records, constant columns, missing values, ragged
 * taxonomies, weights. Equal seeds give equal tables. */
#ifndef KANON_TESTS_RANDOM_TABLE_H
#define KANON_TESTS_RANDOM_TABLE_H

#include "core/random.h"

#include <kanon.h>

typedef struct random_table {
    uint64_t seed;
    int64_t k; /* 2 .. 6; the table may have fewer rows */
    kanon_table *table;
} random_table;

/* Files are written to a directory of their own, read back by the public functions and removed. Ends the program, with the
 * seed, where they cannot be read. */
random_table random_table_new(uint64_t seed);
/* The same with that many rows, and k. */
random_table random_table_sized(uint64_t seed, int n_rows, int64_t k);
/* With at most so many rows; they remain in no particular relation to those of the larger one. */
random_table random_table_small(uint64_t seed, int most_rows);
/* random_table_new, with bands, top and bottom of some numeric quasi columns. */
random_table random_table_banded(uint64_t seed);
void random_table_clear(random_table *random);

/* A table and its schema given as texts, by the same way. */
kanon_table *table_from_texts(const char *csv, const char *yaml);

#endif
