/* See sample_error.h. The program uses only the public headers, so it cannot call core/alloc.h or core/status.h; these
 * are the few functions of that kind which the samples need. */
#include "sample/sample_error.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

kanon_status sample_fail(kanon_error *err, kanon_status status, const char *message, const char *hint)
{
    if (err != NULL) {
        *err = (kanon_error){.struct_size = sizeof(kanon_error), .status = status};
        snprintf(err->message, sizeof err->message, "%s", message);
        snprintf(err->hint, sizeof err->hint, "%s", hint);
    }
    return status;
}

kanon_status sample_fail_errno(kanon_error *err, int errnum, const char *what, const char *path)
{
    char message[sizeof err->message];
    snprintf(message, sizeof message, "cannot %s %s: %s", what, path, strerror(errnum));
    return sample_fail(err, errnum == ENOMEM ? KANON_ENOMEM : KANON_EIO, message, "");
}

kanon_status sample_new(void **out, size_t size, const char *what, kanon_error *err)
{
    char message[128];
    *out = calloc(1, size);
    if (*out != NULL)
        return KANON_OK;
    snprintf(message, sizeof message, "out of memory for %s", what);
    return sample_fail(err, KANON_ENOMEM, message, "");
}
