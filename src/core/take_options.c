/* See take_options.h. Copies as many bytes as the caller's struct has; the rest of the copy is zero, which means the
 * default. Fields that this version does not know are ignored. */
#include "core/take_options.h"

#include <string.h>

kanon_status kanon__take_options(void *local, size_t size, const void *given, kanon_error *err)
{
    size_t given_size = 0;
    memset(local, 0, size);
    if (given == NULL)
        return KANON_OK;
    memcpy(&given_size, given, sizeof given_size);
    if (given_size < sizeof given_size)
        return kanon__fail(err, KANON_EINVAL, "struct_size of the options is not set");
    memcpy(local, given, given_size < size ? given_size : size);
    return KANON_OK;
}

kanon_status kanon__check_seed(uint64_t seed, const char *name, kanon_error *err)
{
    if (seed <= KANON_SEED_MAX)
        return KANON_OK;
    return kanon__fail(err, KANON_EINVAL, "%s must be a whole number from 0 to %llu", name,
                       (unsigned long long)KANON_SEED_MAX);
}
