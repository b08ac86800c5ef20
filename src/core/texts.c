/* See texts.h. Lists are short, so finding is a scan; the nearest text, by edit distance, is what a hint suggests for
 * a misspelt name. */
#include "core/texts.h"

#include "core/alloc.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

kanon_status kanon__texts_add(kanon__texts *texts, const char *text, size_t length, kanon_error *err)
{
    char *copy = NULL;
    kanon_status st = kanon__copy_text(&copy, text, length, "a line of text", err);
    if (st == KANON_OK)
        st = kanon__grow_array(&texts->items, &texts->capacity, texts->n + 1, "lines of text", err);
    if (st == KANON_OK)
        texts->items[texts->n++] = copy;
    else
        kanon__free(copy);
    return st;
}

kanon_status kanon__texts_addf(kanon__texts *texts, kanon_error *err, const char *format, ...)
{
    char line[1024];
    va_list args;
    va_start(args, format);
    vsnprintf(line, sizeof line, format, args);
    va_end(args);
    return kanon__texts_add_shown(texts, line, err);
}

kanon_status kanon__texts_add_shown(kanon__texts *texts, const char *text, kanon_error *err)
{
    char *shown = NULL;
    size_t size = kanon_escape(NULL, 0, text) + 1;
    kanon_status st = kanon__new_array(&shown, (int64_t)size, "a line of text", err);
    if (st != KANON_OK)
        return st;
    kanon_escape(shown, size, text);
    st = kanon__texts_add(texts, shown, size - 1, err);
    kanon__free(shown);
    return st;
}

int64_t kanon__texts_find(const kanon__texts *texts, const char *text, size_t length)
{
    for (int64_t i = 0; i < texts->n; i++)
        if (strlen(texts->items[i]) == length && memcmp(texts->items[i], text, length) == 0)
            return i;
    return -1;
}

/* Edits (insert, delete, replace) between two short words; long ones are never near. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t row[LONGEST + 1], n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    for (size_t j = 0; j <= m; j++)
        row[j] = j;
    for (size_t i = 1; i <= n; i++) {
        size_t diagonal = row[0];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            size_t replaced = diagonal + (a[i - 1] != b[j - 1]);
            size_t shorter = (row[j] < row[j - 1] ? row[j] : row[j - 1]) + 1;
            diagonal = row[j];
            row[j] = replaced < shorter ? replaced : shorter;
        }
    }
    return row[m];
}

const char *kanon__texts_nearest(const char *const *items, int64_t n, const char *text)
{
    const char *best = NULL;
    size_t limit = strlen(text) / 3 + 1, least = limit + 1;
    for (int64_t i = 0; i < n; i++) {
        size_t distance = edit_distance(items[i], text);
        if (distance < least) {
            least = distance;
            best = items[i];
        }
    }
    return best;
}

void kanon__texts_clear(kanon__texts *texts)
{
    for (int64_t i = 0; i < texts->n; i++)
        kanon__free(texts->items[i]);
    kanon__free(texts->items);
    *texts = (kanon__texts){0};
}
