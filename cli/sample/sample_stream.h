/* Random numbers for the samples: xoshiro256** (Blackman and Vigna 2018), seeded through splitmix64. Equal seeds give
 * equal numbers on every machine, so that equal seeds give equal files. The library has a generator of its own, but the
 * program includes no internal header; and the bytes of a sample must not change when the library's generator does. */
#ifndef KANON_CLI_SAMPLE_STREAM_H
#define KANON_CLI_SAMPLE_STREAM_H

#include <stdint.h>

/* The state of the generator; never all zero. */
typedef struct sample_stream {
    uint64_t state[4];
} sample_stream;

/* Stream `number` of `seed`. Streams with other numbers are independent of it. */
void sample_stream_init(sample_stream *out, uint64_t seed, uint64_t number);
/* Uniform in 64 bits. */
uint64_t sample_stream_next(sample_stream *stream);
/* Uniform in [0, n), without bias; n > 0. */
int64_t sample_stream_below(sample_stream *stream, int64_t n);

#endif
