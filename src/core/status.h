/* Status and error: how every function of the library says that it failed. kanon__fail sets the message and returns the
 * status, kanon__hint adds what would be right; KANON_TRY jumps to the cleanup, KANON_CHECK returns. */
#ifndef KANON_CORE_STATUS_H
#define KANON_CORE_STATUS_H

#include <kanon.h>

#if defined(__GNUC__)
#define KANON__PRINTF(fmt, args) __attribute__((format(printf, fmt, args)))
#else
#define KANON__PRINTF(fmt, args)
#endif

/* Run `call` and leave for `label` with its status in `st` where it failed. */
#define KANON_TRY(call, label)                                                                                              \
    do {                                                                                                                    \
        st = (call);                                                                                                        \
        if (st != KANON_OK)                                                                                                 \
            goto label;                                                                                                     \
    } while (0)

/* The same where there is nothing to free: return the status. */
#define KANON_CHECK(call)                                                                                                   \
    do {                                                                                                                    \
        kanon_status failed_ = (call);                                                                                      \
        if (failed_ != KANON_OK)                                                                                            \
            return failed_;                                                                                                 \
    } while (0)

/* Fill *err (may be NULL) and return `status`. The text must not hold a cell value. Of an error struct, which may be a
 * caller's and of another version, only these functions read and write: what it has room for, and nothing where struct_size
 * was not set. */
kanon_status kanon__fail(kanon_error *err, kanon_status status, const char *format, ...) KANON__PRINTF(3, 4);
/* Add what to do next to a filled *err and return its status. The text names options and the schema, never flags or commands
 * of a program: scripts/check-messages. */
kanon_status kanon__hint(kanon_error *err, kanon_status status, const char *format, ...) KANON__PRINTF(3, 4);
/* Add the topic, one of those in kanon.h, to a filled *err and return its status. `topic` must be a literal. */
kanon_status kanon__topic(kanon_error *err, kanon_status status, const char *topic);
/* Put a place in front of the message, which stays as it is, and make the status that of the error. */
kanon_status kanon__place(kanon_error *err, kanon_status status, const char *format, ...) KANON__PRINTF(3, 4);
/* *err becomes what `from`, which is this library's, says. */
void kanon__error_copy(kanon_error *err, const kanon_error *from);
/* As if nothing had failed. */
void kanon__error_clear(kanon_error *err);
/* KANON_EIO with the system's reason: "cannot WHAT PATH: REASON". */
kanon_status kanon__fail_errno(kanon_error *err, int errnum, const char *what, const char *path);

#endif
