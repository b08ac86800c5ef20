/* Small random tables with sensitive columns of every kind, several records to an entity, and constraints on them that the
 * table as a whole holds to. Equal seeds give equal tables. */
#ifndef KANON_TESTS_PRIVATE_TABLE_H
#define KANON_TESTS_PRIVATE_TABLE_H

#include <kanon.h>

typedef struct private_table {
    char csv[40000], yaml[4000];
    int64_t k;
    int n_rows;
} private_table;

enum { PRIVATE_MODELS = 9 };

/* `models` is a set of bits, one for each of PRIVATE_MODELS constraints; `entity`: 0 none, 1 different ones, 2 together. */
private_table private_table_new(uint64_t seed, unsigned models, int entity, const char *suppress);

#endif
