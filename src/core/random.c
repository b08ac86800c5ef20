/* See random.h. The formulas are those of the authors' public code; cli/sample/sample_stream.c has a copy, since the
 * program may not include internal headers. */
#include "core/random.h"

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void kanon__random_init(kanon__random *out, uint64_t seed, uint64_t stream)
{
    uint64_t state = seed, mixed = stream;
    state ^= splitmix(&mixed); /* stream 0 must differ from the bare seed of another stream, so it is mixed first */
    for (int i = 0; i < 4; i++)
        out->state[i] = splitmix(&state);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

uint64_t kanon__random_next(kanon__random *random)
{
    uint64_t *s = random->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

int64_t kanon__random_below(kanon__random *random, int64_t n)
{
    /* Numbers past the last whole multiple of n are drawn again: no remainder is favoured. */
    uint64_t bound = (uint64_t)n, limit = UINT64_MAX - UINT64_MAX % bound, x;
    do {
        x = kanon__random_next(random);
    } while (x >= limit);
    return (int64_t)(x % bound);
}

double kanon__random_unit(kanon__random *random)
{
    return (double)(kanon__random_next(random) >> 11) * 0x1p-53;
}

void kanon__random_shuffle(kanon__random *random, int32_t *items, int64_t n)
{
    for (int64_t i = n - 1; i > 0; i--) {
        int64_t j = kanon__random_below(random, i + 1);
        int32_t swap = items[i];
        items[i] = items[j];
        items[j] = swap;
    }
}

void kanon__random_sample(kanon__random *random, int32_t *out, int64_t n, int32_t *scratch, int64_t population)
{
    for (int64_t i = 0; i < population; i++)
        scratch[i] = (int32_t)i;
    for (int64_t i = 0; i < n; i++) {
        int64_t j = i + kanon__random_below(random, population - i);
        out[i] = scratch[j];
        scratch[j] = scratch[i];
    }
}
