/* See json_text.h. jansson hands out the text piece by piece. It ignores that a piece which is the name of a member could
 * not be taken, and goes on with the next; so the failure is remembered here. */
#include "report/json_text.h"

#include "core/alloc.h"

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
