/* See texts.h. Lists are short, so finding is a scan; the nearest word, by edit distance, is what a hint suggests for
 * a misspelt name. There is no other place where words are compared so. */
#include "core/texts.h"

#include "core/alloc.h"

#include <kanon_host.h>
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

kanon_status kanon__texts_append(kanon__texts *texts, const kanon__texts *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; st == KANON_OK && i < from->n; i++)
        st = kanon__texts_add(texts, from->items[i], strlen(from->items[i]), err);
    return st;
}

int64_t kanon__texts_find(const kanon__texts *texts, const char *text, size_t length)
{
    for (int64_t i = 0; i < texts->n; i++)
        if (strlen(texts->items[i]) == length && memcmp(texts->items[i], text, length) == 0)
            return i;
    return -1;
}

static size_t least_of(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Letters added, left out, changed, or swapped with their neighbour, between two short words; long ones are never near. */
static size_t edit_distance(const char *a, const char *b)
{
    enum { LONGEST = 63 };
    size_t rows[3][LONGEST + 1], n = strlen(a), m = strlen(b);
    if (n > LONGEST || m > LONGEST)
        return SIZE_MAX;
    for (size_t i = 0; i <= n; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= m; j++) {
            if (i == 0) {
                row[j] = j;
                continue;
            }
            row[j] = least_of(above[j - 1] + (a[i - 1] != b[j - 1]), least_of(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least_of(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *kanon_nearest_word(const char *const *words, size_t n, const char *text)
{
    const char *best = NULL;
    size_t least = least_of(strlen(text) / 3 + 2, strlen(text)); /* this far or further is not near */
    for (size_t i = 0; i < n; i++) {
        size_t distance = words[i] == NULL ? least : edit_distance(words[i], text);
        if (distance < least) {
            least = distance;
            best = words[i];
        }
    }
    return best;
}

kanon_status kanon__hint_words(kanon_error *err, kanon_status st, const char *lead, const char *const *words, size_t n,
                               const char *text)
{
    char list[400] = "";
    const char *nearest = kanon_nearest_word(words, n, text);
    if (nearest != NULL)
        return kanon__hint(err, st, "did you mean '%s'?", nearest);
    for (size_t i = 0; i < n; i++) {
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", words[i]);
    }
    return kanon__hint(err, st, "%s %s", lead, list);
}

void kanon__texts_clear(kanon__texts *texts)
{
    for (int64_t i = 0; i < texts->n; i++)
        kanon__free(texts->items[i]);
    kanon__free(texts->items);
    *texts = (kanon__texts){0};
}
