/* Failures and memory of the workers, in the form that the library has, so that cmd_anonymize.c handles both alike. */
#ifndef KANON_CLI_WORKER_ERROR_H
#define KANON_CLI_WORKER_ERROR_H

#include <kanon.h>

#if defined(__GNUC__)
#define WORKER_PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define WORKER_PRINTF(fmt, args)
#endif

/* What a function does with a call that may fail; `st` and the label `out` are its own. */
#define WORKER_TRY(call)                                                                                                    \
    do {                                                                                                                    \
        st = (call);                                                                                                        \
        if (st != KANON_OK)                                                                                                 \
            goto out;                                                                                                       \
    } while (0)

/* Fill *err (may be NULL) and return `status`. */
kanon_status worker_fail(kanon_error *err, kanon_status status, const char *format, ...) WORKER_PRINTF(3, 4);
/* KANON_EIO with the reason of the system, "cannot WHAT PATH: REASON"; KANON_ENOMEM where that is the reason. */
kanon_status worker_fail_errno(kanon_error *err, int errnum, const char *what, const char *path);
/* Add what to do next, and return `status`. */
kanon_status worker_hint(kanon_error *err, kanon_status status, const char *format, ...) WORKER_PRINTF(3, 4);
/* *out becomes `n` zeroed elements of `size` bytes, to be freed with free; at least one, so that it is never NULL. */
kanon_status worker_new(void *out, int64_t n, size_t size, kanon_error *err);
/* Make *array, of *capacity elements of `size` bytes, large enough for n. */
kanon_status worker_grow(void *array, int64_t *capacity, int64_t n, size_t size, kanon_error *err);

#endif
