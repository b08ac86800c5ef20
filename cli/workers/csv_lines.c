/* See csv_lines.h. */
#include "workers/csv_lines.h"

#include <stdbool.h>
#include <string.h>

/* Whether there is an odd number of quotes. */
static bool odd_quotes(const char *at, const char *end)
{
    bool odd = false;
    for (; at < end && (at = memchr(at, '"', (size_t)(end - at))) != NULL; at++)
        odd = !odd;
    return odd;
}

const char *csv_line_end(const char *at, const char *end)
{
    bool quoted = false;
    while (at < end) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (next == NULL)
            break;
        quoted ^= odd_quotes(at, next);
        if (!quoted)
            return next + 1;
        at = next + 1;
    }
    return end;
}

csv_text csv_next_cell(const char **at, const char *end, char delimiter)
{
    const char *begin = *at, *here = begin;
    bool quoted = false;
    if (end > begin && end[-1] == '\n')
        end -= end - begin > 1 && end[-2] == '\r' ? 2 : 1;
    for (; here < end && (quoted || *here != delimiter); here++)
        quoted ^= *here == '"';
    *at = here < end ? here + 1 : NULL;
    return (csv_text){begin, (size_t)(here - begin)};
}

int csv_cell_is(csv_text cell, const char *name, const char *suffix)
{
    const char *at = cell.text, *end = cell.text + cell.size;
    bool quoted = cell.size > 1 && *at == '"';
    if (quoted) {
        at++;
        end--;
    }
    for (int part = 0; part < 2; part++)
        for (const char *wanted = part == 0 ? name : suffix; *wanted != '\0'; wanted++, at++) {
            if (at >= end || *at != *wanted)
                return 0;
            at += quoted && *at == '"'; /* it stands there twice */
        }
    return at == end;
}
