/* See csv_marks.h. 64 bytes at a time become a word with a bit for every mark, by the widest vectors that the processor has,
 * and the bits become offsets. */
#include "table/text/csv_marks.h"

#include <stdbool.h>
#include <string.h>

#if defined(__x86_64__) && defined(__GNUC__)
#define X86_VECTORS 1
#include <immintrin.h>
#else
#define X86_VECTORS 0
#endif

enum { BLOCK = 64 };

#define INLINE static inline __attribute__((always_inline))

/* Append the places of the bits, several at a time: the number of bits varies, and a loop that ends after the last one would
 * end where no processor foresees it. Those after the last are overwritten by the next block. */
INLINE int put_offsets(uint16_t *out, uint64_t marks, int base)
{
    const uint64_t last = UINT64_C(1) << (BLOCK - 1); /* there is no lowest bit of 0 */
    int n = __builtin_popcountll(marks);
    for (int i = 0; i < n; i += KANON__MARKS_AT_ONCE)
        for (int j = 0; j < KANON__MARKS_AT_ONCE; j++) {
            out[i + j] = (uint16_t)(base + __builtin_ctzll(marks | last));
            marks &= marks - 1;
        }
    return n;
}

/* ---- plain C ------------------------------------------------------------------------------------------------------ */

/* 0x80 in each byte of `x` that is zero, 0 in the others. */
static inline uint64_t zero_bytes(uint64_t x)
{
    const uint64_t low = 0x7f7f7f7f7f7f7f7fu;
    return ~(((x & low) + low) | x | low);
}

static uint64_t plain_marks(const char *block, char delimiter)
{
    const uint64_t ones = 0x0101010101010101u;
    const unsigned char *bytes = (const unsigned char *)block;
    uint64_t marks = 0;
    for (int i = 0; i < BLOCK; i += 8) {
        uint64_t x = 0;
        for (int j = 0; j < 8; j++)
            x |= (uint64_t)bytes[i + j] << 8 * j;
        uint64_t found = zero_bytes(x ^ ones * (unsigned char)delimiter) | zero_bytes(x ^ ones * '"') |
                         zero_bytes(x & ones * 0xe0) | (x & ones * 0x80);
        /* The product brings the lowest bits of the eight bytes side by side into the highest byte. */
        marks |= ((found >> 7) * 0x0102040810204080u >> 56) << i;
    }
    return marks;
}

static int find_plain(uint16_t *out, const char *bytes, int n_blocks, int base, char delimiter)
{
    int n = 0;
    for (int i = 0; i < n_blocks; i++)
        n += put_offsets(out + n, plain_marks(bytes + i * BLOCK, delimiter), base + i * BLOCK);
    return n;
}

/* ---- vectors ------------------------------------------------------------------------------------------------------ */

#if X86_VECTORS
/* As signed numbers, both control characters and bytes outside ASCII are less than a space. */
INLINE uint64_t sse2_marks(const char *block, char delimiter)
{
    const __m128i delimiters = _mm_set1_epi8(delimiter), quotes = _mm_set1_epi8('"'), space = _mm_set1_epi8(' ');
    uint64_t marks = 0;
    for (int i = 0; i < BLOCK; i += 16) {
        __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i found = _mm_or_si128(_mm_cmplt_epi8(x, space),
                                     _mm_or_si128(_mm_cmpeq_epi8(x, delimiters), _mm_cmpeq_epi8(x, quotes)));
        marks |= (uint64_t)(unsigned)_mm_movemask_epi8(found) << i;
    }
    return marks;
}

static int find_sse2(uint16_t *out, const char *bytes, int n_blocks, int base, char delimiter)
{
    int n = 0;
    for (int i = 0; i < n_blocks; i++)
        n += put_offsets(out + n, sse2_marks(bytes + i * BLOCK, delimiter), base + i * BLOCK);
    return n;
}

/* With the instructions of such processors to count and to find bits. */
__attribute__((target("avx2,bmi,popcnt"))) static int find_avx2(uint16_t *out, const char *bytes, int n_blocks, int base,
                                                                char delimiter)
{
    const __m256i delimiters = _mm256_set1_epi8(delimiter), quotes = _mm256_set1_epi8('"'), space = _mm256_set1_epi8(' ');
    int n = 0;
    for (int i = 0; i < n_blocks; i++) {
        uint64_t marks = 0;
        for (int half = 0; half < BLOCK; half += 32) {
            __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)(bytes + i * BLOCK + half));
            __m256i found = _mm256_or_si256(_mm256_cmpgt_epi8(space, x), _mm256_or_si256(_mm256_cmpeq_epi8(x, delimiters),
                                                                                         _mm256_cmpeq_epi8(x, quotes)));
            marks |= (uint64_t)(unsigned)_mm256_movemask_epi8(found) << half;
        }
        n += put_offsets(out + n, marks, base + i * BLOCK);
    }
    return n;
}
#endif

kanon__marks_way kanon__marks_best(void)
{
#if X86_VECTORS
    bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi") && __builtin_cpu_supports("popcnt");
    return avx2 ? KANON__MARKS_AVX2 : KANON__MARKS_SSE2;
#else
    return KANON__MARKS_PLAIN;
#endif
}

static int find(uint16_t *out, const char *bytes, int n_blocks, int base, char delimiter, kanon__marks_way way)
{
#if X86_VECTORS
    if (way == KANON__MARKS_AVX2)
        return find_avx2(out, bytes, n_blocks, base, delimiter);
    if (way == KANON__MARKS_SSE2)
        return find_sse2(out, bytes, n_blocks, base, delimiter);
#endif
    (void)way;
    return find_plain(out, bytes, n_blocks, base, delimiter);
}

/* The last block is looked at in a copy: the input may end where the memory does. */
void kanon__marks_find(kanon__marks *out, const char *begin, size_t n, char delimiter, kanon__marks_way way)
{
    size_t whole = n / BLOCK * BLOCK;
    out->begin = begin;
    out->end = begin + n;
    out->next = 0;
    out->n = find(out->offsets, begin, (int)(whole / BLOCK), 0, delimiter, way);
    if (whole == n)
        return;
    char copy[BLOCK];
    memset(copy, 'x', sizeof copy); /* no mark, unless it is the delimiter */
    memcpy(copy, begin + whole, n - whole);
    out->n += find(out->offsets + out->n, copy, 1, (int)whole, delimiter, way);
    while (out->n > 0 && out->offsets[out->n - 1] >= n)
        out->n--;
}
