/* Values as the independent check compares them: without the white space at their ends. A reading of its own:
 * characters are decoded and looked up by number, where core/text.h knows their bytes. */
#ifndef KANON_VERIFY_BARE_TEXT_H
#define KANON_VERIFY_BARE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

static inline bool kanon__bare_is_blank(uint32_t character)
{
    static const struct {
        uint16_t first, last;
    } blanks[] = {{0x9, 0xd},       {0x20, 0x20},     {0x85, 0x85},     {0xa0, 0xa0},     {0x1680, 0x1680}, {0x2000, 0x200b},
                  {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x2060}, {0x3000, 0x3000}, {0xfeff, 0xfeff}};
    for (size_t i = 0; i < sizeof blanks / sizeof *blanks; i++)
        if (blanks[i].first <= character && character <= blanks[i].last)
            return true;
    return false;
}

/* The character that begins at `from`, and its bytes; a byte that begins none stands for itself and is no blank. */
static inline uint32_t kanon__bare_character(const char *from, const char *end, size_t *n_bytes)
{
    unsigned char lead = (unsigned char)*from;
    size_t n = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : lead >= 0xc0 ? 2 : 0;
    uint32_t character = n < 2 ? lead : lead & (0x7fu >> n);
    *n_bytes = 1;
    if (n == 0 || (size_t)(end - from) < n)
        return UINT32_MAX;
    for (size_t i = 1; i < n; i++)
        character = character << 6 | ((unsigned char)from[i] & 0x3f);
    *n_bytes = n;
    return character;
}

/* Walk once over the characters, and note where the first and the last are that are no blanks. */
static inline void kanon__bare(const char **text, size_t *length)
{
    const char *end = *text + *length, *first = NULL, *last = *text;
    size_t n;
    for (const char *at = *text; at < end; at += n)
        if (!kanon__bare_is_blank(kanon__bare_character(at, end, &n))) {
            first = first == NULL ? at : first;
            last = at + n;
        }
    *text = first == NULL ? *text : first;
    *length = (size_t)(last - *text);
}

#endif
