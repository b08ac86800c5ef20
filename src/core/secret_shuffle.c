/* See secret_shuffle.h: the shuffle of Fisher and Yates with numbers of 32 bits from getentropy, which gives up to 256 bytes
 * a call; about 16 milliseconds for a million items. */
#define _DEFAULT_SOURCE
#include "core/secret_shuffle.h"

#include <errno.h>
#include <unistd.h>

enum { N_WORDS = 64 };

/* Random numbers that were fetched and not used yet. */
typedef struct supply {
    uint32_t words[N_WORDS];
    int n;
} supply;

static kanon_status draw(supply *s, uint32_t *out, kanon_error *err)
{
    if (s->n == 0) {
        if (getentropy(s->words, sizeof s->words) != 0)
            return kanon__fail_errno(err, errno, "read", "the random numbers of the system");
        s->n = N_WORDS;
    }
    *out = s->words[--s->n];
    return KANON_OK;
}

/* Uniform in [0, n): numbers past the last whole multiple of n are drawn again. */
static kanon_status draw_below(supply *s, uint32_t n, uint32_t *out, kanon_error *err)
{
    const uint32_t limit = UINT32_MAX - UINT32_MAX % n;
    kanon_status st;
    do {
        st = draw(s, out, err);
    } while (st == KANON_OK && *out >= limit);
    *out %= n;
    return st;
}

kanon_status kanon__secret_shuffle(int32_t *items, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    supply s = {.n = 0};
    for (int64_t i = n - 1; st == KANON_OK && i > 0; i--) {
        uint32_t j = 0;
        st = draw_below(&s, (uint32_t)i + 1, &j, err);
        int32_t swap = items[i];
        items[i] = items[j];
        items[j] = swap;
    }
    return st;
}
