/* See take_options.h. The caller's struct may be shorter than this version's, and then the rest of the copy is zero, which
 * means the default. It may be longer, and then what this version does not know must be zero: a default, too. */
#include "core/take_options.h"

#include <stdbool.h>
#include <string.h>

enum { MOST_SIZE = 1 << 16 }; /* of a struct: a larger number was never set */

static kanon_status find_size(size_t *out, const void *given, kanon_error *err)
{
    memcpy(out, given, sizeof *out);
    if (*out >= sizeof *out && *out <= MOST_SIZE)
        return KANON_OK;
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "struct_size of a struct is not set"),
                       "set it to sizeof(the struct) before the call");
}

static bool is_zero(const unsigned char *bytes, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != 0)
            return false;
    return true;
}

kanon_status kanon__take_options(void *local, size_t size, const void *given, kanon_error *err)
{
    size_t given_size = 0;
    memset(local, 0, size);
    if (given == NULL)
        return KANON_OK;
    KANON_CHECK(find_size(&given_size, given, err));
    memcpy(local, given, given_size < size ? given_size : size);
    if (given_size > size && !is_zero((const unsigned char *)given + size, given_size - size))
        return kanon__hint(err,
                           kanon__fail(err, KANON_EINVAL, "the call asks for what kanon %s does not have", kanon_version()),
                           "the program was built against a newer kanon: install that version");
    return KANON_OK;
}

kanon_status kanon__check_out(const void *out, kanon_error *err)
{
    size_t size;
    return find_size(&size, out, err);
}

void kanon__give_out(void *out, const void *local, size_t size)
{
    size_t given_size;
    memcpy(&given_size, out, sizeof given_size);
    memcpy((char *)out + sizeof given_size, (const char *)local + sizeof given_size,
           (given_size < size ? given_size : size) - sizeof given_size);
}

kanon_status kanon__check_k(int64_t k, kanon_error *err)
{
    kanon_status st;
    if (k >= 2)
        return KANON_OK;
    if (k != 0)
        return kanon__fail(err, KANON_EINVAL, "k must be a whole number, 2 or more");
    st = kanon__hint(err, kanon__fail(err, KANON_EINVAL, "k is not given"), "k is a whole number from 2 upwards");
    return kanon__topic(err, st, "k");
}

kanon_status kanon__check_seed(uint64_t seed, const char *name, kanon_error *err)
{
    if (seed <= KANON_SEED_MAX)
        return KANON_OK;
    return kanon__fail(err, KANON_EINVAL, "%s must be a whole number from 0 to %llu", name,
                       (unsigned long long)KANON_SEED_MAX);
}
