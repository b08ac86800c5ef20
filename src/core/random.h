/* Random numbers: xoshiro256** (Blackman and Vigna 2018), seeded through splitmix64. The same seed gives the same numbers
 * on every machine; nothing is ever seeded from the clock. */
#ifndef KANON_CORE_RANDOM_H
#define KANON_CORE_RANDOM_H

#include <stdint.h>

typedef struct kanon__random {
    uint64_t state[4];
} kanon__random;

/* A stream for `seed`; streams with other `stream` numbers are independent of it. */
void kanon__random_init(kanon__random *out, uint64_t seed, uint64_t stream);
uint64_t kanon__random_next(kanon__random *random);
/* Uniform in [0, n), without bias; n > 0. */
int64_t kanon__random_below(kanon__random *random, int64_t n);
/* Uniform in [0, 1). */
double kanon__random_unit(kanon__random *random);
/* Put `items` into random order (Fisher and Yates). */
void kanon__random_shuffle(kanon__random *random, int32_t *items, int64_t n);
/* `n` distinct numbers of [0, population) in random order. `scratch` holds `population` numbers and is overwritten. */
void kanon__random_sample(kanon__random *random, int32_t *out, int64_t n, int32_t *scratch, int64_t population);

#endif
