/* See status.h. Filling the caller's error struct, which may be NULL. Names from files are escaped here, in one place for
 * all messages. No message contains a cell value; scripts/check-messages reads the calls of these functions. */
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

kanon_status kanon__fail(kanon_error *err, kanon_status status, const char *format, ...)
{
    if (err != NULL) {
        char raw[sizeof err->message];
        va_list args;
        va_start(args, format);
        vsnprintf(raw, sizeof raw, format, args);
        va_end(args);
        kanon_escape(err->message, sizeof err->message, raw);
        err->hint[0] = '\0';
        err->topic = NULL;
        err->status = status;
    }
    return status;
}

kanon_status kanon__place(kanon_error *err, kanon_status status, const char *format, ...)
{
    if (err != NULL) {
        char place[sizeof err->message], all[2 * sizeof err->message];
        va_list args;
        va_start(args, format);
        vsnprintf(place, sizeof place, format, args);
        va_end(args);
        snprintf(all, sizeof all, "%s%s", place, err->message);
        kanon_escape(err->message, sizeof err->message, all);
        err->status = status;
    }
    return status;
}

kanon_status kanon__hint(kanon_error *err, kanon_status status, const char *format, ...)
{
    if (err != NULL) {
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
    if (err != NULL)
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
