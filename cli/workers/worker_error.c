/* See worker_error.h. The program uses only the public headers, so it cannot call core/alloc.h or core/status.h. */
#include "workers/worker_error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kanon_status worker_fail(kanon_error *err, kanon_status status, const char *format, ...)
{
    if (err == NULL)
        return status;
    *err = (kanon_error){.struct_size = sizeof(kanon_error), .status = status};
    va_list args;
    va_start(args, format);
    vsnprintf(err->message, sizeof err->message, format, args);
    va_end(args);
    return status;
}

kanon_status worker_fail_errno(kanon_error *err, int errnum, const char *what, const char *path)
{
    kanon_status status = errnum == ENOMEM ? KANON_ENOMEM : KANON_EIO;
    return worker_fail(err, status, "cannot %s %.800s: %s", what, path, strerror(errnum));
}

kanon_status worker_hint(kanon_error *err, kanon_status status, const char *format, ...)
{
    if (err == NULL)
        return status;
    va_list args;
    va_start(args, format);
    vsnprintf(err->hint, sizeof err->hint, format, args);
    va_end(args);
    return status;
}

static kanon_status fail_memory(kanon_error *err)
{
    return worker_fail(err, KANON_ENOMEM, "out of memory");
}

kanon_status worker_new(void *out, int64_t n, size_t size, kanon_error *err)
{
    void *memory = calloc(n > 0 ? (size_t)n : 1, size);
    memcpy(out, &memory, sizeof memory); /* *out is a pointer of any type */
    return memory != NULL ? KANON_OK : fail_memory(err);
}

kanon_status worker_grow(void *array, int64_t *capacity, int64_t n, size_t size, kanon_error *err)
{
    void *memory;
    if (n <= *capacity)
        return KANON_OK;
    int64_t wanted = n > INT64_MAX / 2 ? n : n + n / 2;
    memcpy(&memory, array, sizeof memory);
    if ((uint64_t)wanted > SIZE_MAX / size || (memory = realloc(memory, (size_t)wanted * size)) == NULL)
        return fail_memory(err);
    memcpy(array, &memory, sizeof memory);
    *capacity = wanted;
    return KANON_OK;
}
