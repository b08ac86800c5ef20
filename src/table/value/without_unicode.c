/* Compiled in place of unicode_form.c, where KANON_UNICODE is off: a text is its own form, so no two values are alike and
 * no warning is given. */
#include "table/value/unicode_form.h"

kanon_status kanon__unicode_form_of(kanon__unicode_form *form, const char *text, size_t length, kanon_error *err)
{
    (void)err;
    form->bytes = text;
    form->length = length;
    return KANON_OK;
}

void kanon__unicode_form_clear(kanon__unicode_form *form)
{
    *form = (kanon__unicode_form){0};
}
