/* See same_texts.h. */
#include "audit/same_texts.h"

#include "core/alloc.h"

#include <string.h>

static uint32_t first_of(kanon__same_texts *same, uint32_t text)
{
    uint32_t *first = same->first;
    for (; first[text] != text; text = first[text])
        first[text] = first[first[text]];
    return text;
}

kanon_status kanon__same_texts_read(kanon__same_texts *out, const kanon__texts *pairs, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (pairs->n == 0)
        return KANON_OK;
    KANON_TRY(kanon__dictionary_init(&out->texts, err), out);
    KANON_TRY(kanon__new_array(&out->first, pairs->n, "texts that are one", err), out);
    for (int64_t i = 0; i + 1 < pairs->n; i += 2) {
        uint32_t known = out->texts.n, pair[2];
        for (int side = 0; side < 2; side++) {
            const char *text = pairs->items[i + side];
            KANON_TRY(kanon__dictionary_add(&out->texts, &pair[side], text, strlen(text), err), out);
        }
        for (; known < out->texts.n; known++)
            out->first[known] = known;
        out->first[first_of(out, pair[1])] = first_of(out, pair[0]);
    }
    for (uint32_t text = 0; text < out->texts.n; text++)
        out->first[text] = first_of(out, text);
out:
    return st;
}

void kanon__same_texts_replace(const kanon__same_texts *same, const char **text, size_t *length)
{
    if (same->texts.n == 0)
        return;
    uint32_t code = kanon__dictionary_find(&same->texts, *text, *length);
    if (code != KANON__NO_CODE)
        *text = kanon__dictionary_text(&same->texts, same->first[code], length);
}

bool kanon__same_texts_next(const kanon__same_texts *same, uint32_t *at, const char **text, size_t *length)
{
    uint32_t code = same->texts.n > 0 ? kanon__dictionary_find(&same->texts, *text, *length) : KANON__NO_CODE;
    for (; code != KANON__NO_CODE && *at < same->texts.n; ++*at)
        if (same->first[*at] == same->first[code]) {
            *text = kanon__dictionary_text(&same->texts, (*at)++, length);
            return true;
        }
    return false;
}

void kanon__same_texts_clear(kanon__same_texts *same)
{
    kanon__dictionary_clear(&same->texts);
    kanon__free(same->first);
    *same = (kanon__same_texts){0};
}
