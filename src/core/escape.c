/* See escape.h. The escapes are plain ASCII, so escaping a text twice gives the same as once, and a backslash of the text
 * stays what it is. */
#include "core/escape.h"

#include <kanon_host.h>
#include <stdio.h>
#include <string.h>

uint32_t kanon__utf8_next(const char **at, const char *end)
{
    const unsigned char *p = (const unsigned char *)*at;
    static const uint32_t least[] = {0, 0x80, 0x800, 0x10000};
    int more = p[0] < 0x80 ? 0 : p[0] < 0xC2 ? -1 : p[0] < 0xE0 ? 1 : p[0] < 0xF0 ? 2 : p[0] < 0xF5 ? 3 : -1;
    uint32_t code = more <= 0 ? p[0] : p[0] & (0x3Fu >> more);
    bool good = more >= 0 && end - *at > more;
    for (int i = 1; good && i <= more; i++) {
        good = (p[i] & 0xC0) == 0x80;
        code = code << 6 | (p[i] & 0x3Fu);
    }
    if (!good || code < least[more] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) {
        (*at)++;
        return KANON__REPLACEMENT;
    }
    *at += more + 1;
    return code == 0xFFFE || code == 0xFFFF ? KANON__REPLACEMENT : code;
}

int kanon__bytes_within(const char *text, int most)
{
    int n = 0;
    while (n < most && text[n] != '\0')
        n++;
    if (text[n] == '\0')
        return n;
    while (n > 0 && ((unsigned char)text[n] & 0xC0) == 0x80)
        n--;
    return n;
}

bool kanon__must_escape(uint32_t code)
{
    return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0x061C || code == 0x200E || code == 0x200F ||
           (code >= 0x2028 && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
}

void kanon__escape_code(char out[KANON__ESCAPE_SIZE], uint32_t code)
{
    const char *letter = code == '\n' ? "n" : code == '\r' ? "r" : code == '\t' ? "t" : NULL;
    if (letter != NULL)
        snprintf(out, KANON__ESCAPE_SIZE, "\\%s", letter);
    else
        snprintf(out, KANON__ESCAPE_SIZE, code < 0x80 ? "\\x%02x" : "\\u%04x", (unsigned)code);
}

/* How the next character is shown: a piece of the text, or what stands for it in `buffer`. Bytes that are not UTF-8 are
 * shown by their number: a terminal with another encoding could take them for controls. */
static size_t next_piece(const char **piece, char buffer[KANON__ESCAPE_SIZE], const char **at, const char *end)
{
    const char *from = *at;
    uint32_t code = kanon__utf8_next(at, end);
    *piece = buffer;
    if (code == KANON__REPLACEMENT && *at - from == 1)
        return (size_t)snprintf(buffer, KANON__ESCAPE_SIZE, "\\x%02x", (unsigned)(unsigned char)*from);
    if (kanon__must_escape(code)) {
        kanon__escape_code(buffer, code);
        return strlen(buffer);
    }
    *piece = from;
    return (size_t)(*at - from);
}

size_t kanon_escape(char *out, size_t size, const char *text)
{
    const char *end = text + strlen(text), *piece;
    char buffer[KANON__ESCAPE_SIZE];
    size_t needed = 0, used = 0;
    while (text < end) {
        size_t length = next_piece(&piece, buffer, &text, end);
        if (used == needed && used + length < size) { /* nothing was left out so far */
            memcpy(out + used, piece, length);
            used += length;
        }
        needed += length;
    }
    if (size > 0)
        out[used] = '\0';
    return needed;
}
