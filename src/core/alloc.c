#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

#ifdef KANON_TEST_HOOKS
#include <malloc.h>
#include <stdatomic.h>

static atomic_llong n_asked, fail_at, in_use, peak;
static atomic_bool fail_all_after;

void kanon__alloc_fail_at(int64_t n, bool and_all_after)
{
    atomic_store(&n_asked, 0);
    atomic_store(&fail_at, n);
    atomic_store(&fail_all_after, and_all_after);
}

int64_t kanon__alloc_count(void)
{
    return atomic_load(&n_asked);
}

/* What lies on the heap, as the allocator counts it. */
static void count_bytes(void *memory, int sign)
{
    long long size = memory != NULL ? (long long)malloc_usable_size(memory) : 0;
    long long now = atomic_fetch_add(&in_use, sign * size) + sign * size, before = atomic_load(&peak);
    while (now > before && !atomic_compare_exchange_weak(&peak, &before, now))
        continue;
}

int64_t kanon__alloc_in_use(void)
{
    return atomic_load(&in_use);
}

int64_t kanon__alloc_peak(bool from_now_on)
{
    int64_t before = atomic_load(&peak);
    if (from_now_on)
        atomic_store(&peak, atomic_load(&in_use));
    return before;
}

static bool must_fail(void)
{
    long long asked = atomic_fetch_add(&n_asked, 1) + 1, at = atomic_load(&fail_at);
    return at > 0 && (asked == at || (asked > at && atomic_load(&fail_all_after)));
}
#else
static bool must_fail(void)
{
    return false;
}

static void count_bytes(void *memory, int sign)
{
    (void)memory;
    (void)sign;
}
#endif

kanon_status kanon__alloc_array(void **out, int64_t n, size_t size, const char *what, kanon_error *err)
{
    *out = NULL;
    if (n < 0 || (uint64_t)n > SIZE_MAX / size || must_fail())
        return kanon__fail(err, KANON_ENOMEM, "out of memory for %s (%lld of %zu bytes)", what, (long long)n, size);
    *out = calloc(n > 0 ? (size_t)n : 1, size);
    if (*out == NULL)
        return kanon__fail(err, KANON_ENOMEM, "out of memory for %s (%lld of %zu bytes)", what, (long long)n, size);
    count_bytes(*out, 1);
    return KANON_OK;
}

kanon_status kanon__alloc_grow(void **array, int64_t *capacity, int64_t needed, size_t size, const char *what,
                               kanon_error *err)
{
    if (needed <= *capacity && *array != NULL)
        return KANON_OK;
    int64_t wanted = *capacity + *capacity / 2 + 16;
    if (wanted < needed)
        wanted = needed;
    void *grown = NULL;
    if ((uint64_t)wanted <= SIZE_MAX / size && !must_fail()) {
        count_bytes(*array, -1);
        grown = realloc(*array, (size_t)wanted * size);
        count_bytes(grown != NULL ? grown : *array, 1);
    }
    if (grown == NULL)
        return kanon__fail(err, KANON_ENOMEM, "out of memory for %s (%lld of %zu bytes)", what, (long long)wanted, size);
    *array = grown;
    *capacity = wanted;
    return KANON_OK;
}

kanon_status kanon__copy_text(char **out, const char *text, size_t length, const char *what, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, (int64_t)length + 1, what, err);
    if (st == KANON_OK && length > 0)
        memcpy(*out, text, length);
    return st;
}

void kanon__free(void *memory)
{
    count_bytes(memory, -1);
    free(memory);
}
