/* See unicode_form.h. utf8proc decomposes into memory of ours, so it allocates nothing. */
#include "table/value/unicode_form.h"

#include "core/alloc.h"

#include <utf8proc.h>

kanon_status kanon__unicode_form_of(kanon__unicode_form *form, const char *text, size_t length, kanon_error *err)
{
    const utf8proc_option_t how = UTF8PROC_STABLE | UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT;
    utf8proc_ssize_t needed = (utf8proc_ssize_t)length;
    form->bytes = text;
    form->length = length;
    do { /* a second time where the characters are more than the bytes */
        kanon_status st = kanon__grow_array(&form->characters, &form->capacity, needed + 1, "a value", err);
        if (st != KANON_OK)
            return st;
        needed = utf8proc_decompose((const utf8proc_uint8_t *)text, (utf8proc_ssize_t)length, form->characters,
                                    form->capacity, how);
    } while (needed > form->capacity);
    if (needed >= 0) {
        form->bytes = (const char *)form->characters;
        form->length = (size_t)needed * sizeof *form->characters;
    }
    return KANON_OK;
}

void kanon__unicode_form_clear(kanon__unicode_form *form)
{
    kanon__free(form->characters);
    *form = (kanon__unicode_form){0};
}
