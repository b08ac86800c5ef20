/* SHA-256 by the instructions of x86-64 processors. */
#include "core/sha256.h"

#include <stdbool.h>

#if defined(__x86_64__) && defined(__GNUC__)
#include <cpuid.h>
#include <immintrin.h>

#define SHA __attribute__((target("sha,sse4.1")))

/* An instruction does two rounds; the state is kept as the words it wants together: a b e f and c d g h. */
SHA static void take(uint32_t state[8], const unsigned char *bytes, size_t n_blocks)
{
    const __m128i swap = _mm_set_epi64x(0x0c0d0e0f08090a0b, 0x0405060700010203);
    __m128i low = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)state), 0xb1);        /* c d a b */
    __m128i high = _mm_shuffle_epi32(_mm_loadu_si128((const __m128i *)(const void *)(state + 4)), 0x1b); /* e f g h */
    __m128i abef = _mm_alignr_epi8(low, high, 8), cdgh = _mm_blend_epi16(high, low, 0xf0);
    for (size_t block = 0; block < n_blocks; block++, bytes += 64) {
        __m128i w[4], abef_before = abef, cdgh_before = cdgh;
        for (int i = 0; i < 4; i++)
            w[i] = _mm_shuffle_epi8(_mm_loadu_si128((const __m128i *)(const void *)(bytes + 16 * i)), swap);
#pragma GCC unroll 16
        for (int i = 0; i < 16; i++) {
            __m128i k = _mm_loadu_si128((const __m128i *)(const void *)(kanon__sha256_k + 4 * i));
            __m128i sum = _mm_add_epi32(w[i % 4], k);
            cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
            abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
            if (i < 12) {
                __m128i last = w[(i + 3) % 4], between = _mm_alignr_epi8(last, w[(i + 2) % 4], 4);
                __m128i next = _mm_add_epi32(_mm_sha256msg1_epu32(w[i % 4], w[(i + 1) % 4]), between);
                w[i % 4] = _mm_sha256msg2_epu32(next, last);
            }
        }
        abef = _mm_add_epi32(abef, abef_before);
        cdgh = _mm_add_epi32(cdgh, cdgh_before);
    }
    low = _mm_shuffle_epi32(abef, 0x1b);  /* f e b a */
    high = _mm_shuffle_epi32(cdgh, 0xb1); /* d c h g */
    _mm_storeu_si128((__m128i *)(void *)state, _mm_blend_epi16(low, high, 0xf0));
    _mm_storeu_si128((__m128i *)(void *)(state + 4), _mm_alignr_epi8(high, low, 8));
}

static bool has_instructions(void)
{
    enum { SHA_BIT = 1 << 29 };
    unsigned a, b, c, d;
    bool has_sse = __get_cpuid(1, &a, &b, &c, &d) != 0 && (c & bit_SSE4_1) != 0 && (c & bit_SSSE3) != 0;
    bool has_sha = __get_cpuid_count(7, 0, &a, &b, &c, &d) != 0 && (b & SHA_BIT) != 0;
    return has_sse && has_sha;
}

/* A virtual machine is left to answer cpuid, which takes longer than many hashes: it is asked once. What is remembered is a
 * constant of the processor, so it does not matter which thread asks. */
kanon__sha256_blocks kanon__sha256_ni(void)
{
    enum { UNKNOWN, NO, YES };
    static int known = UNKNOWN;
    int answer = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (answer == UNKNOWN) {
        answer = has_instructions() ? YES : NO;
        __atomic_store_n(&known, answer, __ATOMIC_RELAXED);
    }
    return answer == YES ? take : NULL;
}
#else
kanon__sha256_blocks kanon__sha256_ni(void)
{
    return NULL;
}
#endif
