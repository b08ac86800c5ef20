/* See alloc.h. A block begins with the context that it came from, so that it can be freed on any thread. With
 * KANON_TEST_HOOKS (preset dev) the n-th allocation can be made to fail, and bytes in use are counted. */
#include "core/alloc.h"

#include "core/context.h"

#include <stdlib.h>
#include <string.h>

/* What stands in front of every block, so that it can be freed on any thread, in any call or none. */
typedef struct block {
    _Alignas(16) const kanon_context *owner; /* whose functions it came from; NULL: malloc */
    size_t size;                             /* without this */
} block;

_Static_assert(sizeof(block) == 16, "what follows is aligned as malloc aligns it");

#if defined __GLIBC__ || defined KANON_TEST_HOOKS
#include <malloc.h>
#endif

#ifdef KANON_TEST_HOOKS
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

/* What lies on the heap, as malloc counts it. */
static void count_bytes(block *b, int sign)
{
    long long size = 0;
    if (b != NULL)
        size = (long long)(b->owner == NULL ? malloc_usable_size(b) : sizeof *b + b->size);
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

static void count_bytes(block *b, int sign)
{
    (void)b;
    (void)sign;
}
#endif

/* Pages that malloc gets from the system are zero already: calloc knows, memset would touch them. */
static block *new_block(size_t size)
{
    const kanon_context *owner = kanon__call_context();
    if (owner != NULL && owner->allocate == NULL)
        owner = NULL;
    block *b = owner == NULL ? calloc(1, sizeof *b + size) : owner->allocate(sizeof *b + size, owner->payload);
    if (b != NULL && owner != NULL)
        memset(b + 1, 0, size);
    if (b != NULL) {
        b->owner = owner;
        b->size = size;
    }
    return b;
}

static block *resize(block *b, size_t size)
{
    const kanon_context *owner = b->owner;
    b = owner == NULL ? realloc(b, sizeof *b + size) : owner->reallocate(b, sizeof *b + size, owner->payload);
    if (b != NULL)
        b->size = size;
    return b;
}

static bool fits(int64_t n, size_t size)
{
    return n >= 0 && (uint64_t)n <= (SIZE_MAX - sizeof(block)) / size;
}

kanon_status kanon__alloc_array(void **out, int64_t n, size_t size, const char *what, kanon_error *err)
{
    *out = NULL;
    block *b = fits(n, size) && !must_fail() ? new_block((n > 0 ? (size_t)n : 1) * size) : NULL;
    if (b == NULL)
        return kanon__fail(err, KANON_ENOMEM, "out of memory for %s (%lld of %zu bytes)", what, (long long)n, size);
    count_bytes(b, 1);
    *out = b + 1;
    return KANON_OK;
}

kanon_status kanon__alloc_list(void ***out, const void *array, int64_t n, size_t size, const char *what, kanon_error *err)
{
    enum { ALIGNED = 8 }; /* as every public struct is */
    KANON_CHECK(kanon__alloc_array((void **)out, n + 1, sizeof **out + size, what, err));
    char *first = (char *)*out + ((size_t)n * sizeof **out + ALIGNED - 1) / ALIGNED * ALIGNED;
    for (int64_t i = 0; i < n; i++)
        (*out)[i] = first + (size_t)i * size;
    if (array != NULL && n > 0)
        memcpy(first, array, (size_t)n * size);
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
    block *old = *array != NULL ? (block *)*array - 1 : NULL, *grown = NULL;
    if (fits(wanted, size) && !must_fail()) {
        count_bytes(old, -1);
        grown = old != NULL ? resize(old, (size_t)wanted * size) : new_block((size_t)wanted * size);
        count_bytes(grown != NULL ? grown : old, 1);
    }
    if (grown == NULL)
        return kanon__fail(err, KANON_ENOMEM, "out of memory for %s (%lld of %zu bytes)", what, (long long)wanted, size);
    *array = grown + 1;
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
    if (memory == NULL)
        return;
    block *b = (block *)memory - 1;
    count_bytes(b, -1);
    if (b->owner == NULL)
        free(b);
    else
        b->owner->release(b, b->owner->payload);
}

void kanon__give_back_free(void)
{
#ifdef __GLIBC__
    malloc_trim(0);
#endif
}
