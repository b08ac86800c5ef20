/* The generator: see the header. The same lines as src/core/random.c, so that samples stay what they were before they
 * moved. */
#include "sample/sample_stream.h"

static uint64_t splitmix(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

void sample_stream_init(sample_stream *out, uint64_t seed, uint64_t number)
{
    uint64_t state = seed, mixed = number;
    state ^= splitmix(&mixed); /* stream 0 must differ from the bare seed of another stream, so it is mixed first */
    for (int i = 0; i < 4; i++)
        out->state[i] = splitmix(&state);
}

static uint64_t rotate_left(uint64_t x, int bits)
{
    return (x << bits) | (x >> (64 - bits));
}

uint64_t sample_stream_next(sample_stream *stream)
{
    uint64_t *s = stream->state;
    uint64_t result = rotate_left(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate_left(s[3], 45);
    return result;
}

int64_t sample_stream_below(sample_stream *stream, int64_t n)
{
    /* Numbers past the last whole multiple of n are drawn again: no remainder is favoured. */
    uint64_t bound = (uint64_t)n, limit = UINT64_MAX - UINT64_MAX % bound, x;
    do {
        x = sample_stream_next(stream);
    } while (x >= limit);
    return (int64_t)(x % bound);
}
