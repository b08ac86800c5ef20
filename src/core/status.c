/* See status.h. Filling the caller's error struct, which may be NULL or of another version. Names from files are escaped
 * here, in one place for all messages. No message contains a cell value; scripts/check-messages reads the calls of these
 * functions. */
#include "core/status.h"

#include <kanon_host.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define TEXT_OF(number) #number
#define VERSION_TEXT(major, minor, patch) TEXT_OF(major) "." TEXT_OF(minor) "." TEXT_OF(patch)

const char *kanon_version(void)
{
    return VERSION_TEXT(KANON_VERSION_MAJOR, KANON_VERSION_MINOR, KANON_VERSION_PATCH);
}

int kanon_version_number(void)
{
    return KANON_VERSION_NUMBER;
}

enum { MOST_SIZE = 1 << 16 }; /* of a struct: a larger number was never set */

/* How much of the caller's struct there is: it may be of another version, or not one at all. */
static size_t room_of(const kanon_error *err)
{
    return err != NULL && err->struct_size <= MOST_SIZE ? err->struct_size : 0;
}

#define HAS(err, field) (room_of(err) >= offsetof(kanon_error, field) + sizeof(err)->field)

void kanon__error_copy(kanon_error *err, const kanon_error *from)
{
    if (HAS(err, status))
        err->status = from->status;
    if (HAS(err, message))
        memcpy(err->message, from->message, sizeof err->message);
    if (HAS(err, hint))
        memcpy(err->hint, from->hint, sizeof err->hint);
    if (HAS(err, topic))
        err->topic = from->topic;
}

void kanon__error_clear(kanon_error *err)
{
    static const kanon_error nothing = KANON_INIT(kanon_error);
    kanon__error_copy(err, &nothing);
}

kanon_status kanon__fail(kanon_error *err, kanon_status status, const char *format, ...)
{
    char raw[sizeof err->message];
    kanon_error failed = {.status = status};
    va_list args;
    if (err == NULL)
        return status;
    va_start(args, format);
    vsnprintf(raw, sizeof raw, format, args);
    va_end(args);
    kanon_escape(failed.message, sizeof failed.message, raw);
    kanon__error_copy(err, &failed);
    return status;
}

kanon_status kanon__place(kanon_error *err, kanon_status status, const char *format, ...)
{
    if (HAS(err, message)) {
        char place[sizeof err->message], all[2 * sizeof err->message];
        va_list args;
        va_start(args, format);
        vsnprintf(place, sizeof place, format, args);
        va_end(args);
        snprintf(all, sizeof all, "%s%s", place, err->message);
        kanon_escape(err->message, sizeof err->message, all);
    }
    if (HAS(err, status))
        err->status = status;
    return status;
}

kanon_status kanon__hint(kanon_error *err, kanon_status status, const char *format, ...)
{
    if (HAS(err, hint)) {
        char raw[sizeof err->hint];
        va_list args;
        va_start(args, format);
        vsnprintf(raw, sizeof raw, format, args);
        va_end(args);
        kanon_escape(err->hint, sizeof err->hint, raw);
    }
    return status;
}

kanon_status kanon__topic(kanon_error *err, kanon_status status, const char *topic)
{
    if (HAS(err, topic))
        err->topic = topic;
    return status;
}

kanon_status kanon__fail_errno(kanon_error *err, int errnum, const char *what, const char *path)
{
    char reason[128];
    kanon_status status = errnum == ENOMEM ? KANON_ENOMEM : KANON_EIO;
#if defined(__GLIBC__) && defined(_GNU_SOURCE)
    const char *text = strerror_r(errnum, reason, sizeof reason);
#else
    const char *text = strerror_r(errnum, reason, sizeof reason) == 0 ? reason : "unknown reason";
#endif
    return kanon__fail(err, status, "cannot %s %s: %s", what, path, text);
}
