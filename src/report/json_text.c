/* See json_text.h. jansson hands out the text piece by piece. It ignores that a piece which is the name of a member could
 * not be taken, and goes on with the next; so the failure is remembered here. */
#include "report/json_text.h"

#include "core/alloc.h"
#include "core/escape.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct text_buffer {
    char *bytes;
    int64_t n, capacity;
    bool failed;
} text_buffer;

static int take_piece(const char *bytes, size_t size, void *payload)
{
    text_buffer *b = payload;
    if (b->failed || kanon__grow_array(&b->bytes, &b->capacity, b->n + (int64_t)size + 1, "a text", NULL) != KANON_OK) {
        b->failed = true;
        return -1;
    }
    memcpy(b->bytes + b->n, bytes, size);
    b->n += (int64_t)size;
    b->bytes[b->n] = '\0';
    return 0;
}

char *kanon__json_text(const json_t *value)
{
    text_buffer b = {.bytes = NULL};
    if (json_dump_callback(value, take_piece, &b, JSON_INDENT(2) | JSON_REAL_PRECISION(15)) == 0 && !b.failed)
        return b.bytes;
    kanon__free(b.bytes);
    return NULL;
}

kanon_status kanon__json_write(kanon__output *o, json_t *value, bool good, const char *what, kanon_error *err)
{
    char *text = good ? kanon__json_text(value) : NULL;
    json_decref(value);
    if (text == NULL)
        return kanon__fail(err, KANON_ENOMEM, "out of memory for %s", what);
    kanon__output_text(o, text);
    kanon__output_text(o, "\n");
    kanon__free(text);
    return KANON_OK;
}

json_t *kanon__json_whole(json_t *value, bool good)
{
    if (good)
        return value;
    json_decref(value);
    return NULL;
}

json_t *kanon__json_bytes(const char *text, size_t length)
{
    json_t *value = json_stringn(text, length);
    char *copy = NULL;
    if (value != NULL || kanon__new_array(&copy, (int64_t)length + 1, "a text", NULL) != KANON_OK)
        return value;
    const char *at = text, *end = text + length;
    size_t used = 0;
    while (at < end) {
        const char *from = at;
        bool is_bad = kanon__utf8_next(&at, end) == KANON__REPLACEMENT;
        copy[used] = '?';
        if (!is_bad)
            memcpy(copy + used, from, (size_t)(at - from));
        used += is_bad ? 1 : (size_t)(at - from);
    }
    value = json_stringn(copy, used);
    kanon__free(copy);
    return value;
}

json_t *kanon__json_string(const char *text)
{
    return kanon__json_bytes(text, strlen(text));
}

json_t *kanon__json_figure(const kanon_figure *figure)
{
    if (figure->whole && fabs(figure->value) < 9e15)
        return json_integer((json_int_t)figure->value);
    return isfinite(figure->value) ? json_real(figure->value) : json_null();
}

json_t *kanon__json_seed(uint64_t seed)
{
    char text[24];
    if (seed <= INT64_MAX)
        return json_integer((json_int_t)seed);
    snprintf(text, sizeof text, "%llu", (unsigned long long)seed);
    return json_string(text);
}
