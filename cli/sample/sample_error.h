/* Failures and memory of the samples. The samples report failures as the library does, with a kanon_status and a
 * kanon_error, so that cmd_sample.c handles both alike. */
#ifndef KANON_CLI_SAMPLE_ERROR_H
#define KANON_CLI_SAMPLE_ERROR_H

#include <kanon.h>

/* Fill *err (may be NULL) and return `status`. `hint` may be empty. */
kanon_status sample_fail(kanon_error *err, kanon_status status, const char *message, const char *hint);
/* KANON_EIO with the reason of the system: "cannot WHAT PATH: REASON". */
kanon_status sample_fail_errno(kanon_error *err, int errnum, const char *what, const char *path);
/* `size` zeroed bytes, to be freed with free. `what` names them in the error. */
kanon_status sample_new(void **out, size_t size, const char *what, kanon_error *err);

#endif
