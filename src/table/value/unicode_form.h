/* What is left of a text when Unicode's several ways to write one character are made one: é as one character or as e
 * with an accent, and letters in other widths or as ligatures. Compiled from unicode_form.c (utf8proc) or
 * without_unicode.c (KANON_UNICODE off). */
#ifndef KANON_TABLE_UNICODE_FORM_H
#define KANON_TABLE_UNICODE_FORM_H

#include "core/status.h"

typedef struct kanon__unicode_form {
    const char *bytes; /* only to be compared; equal texts have equal bytes */
    size_t length;
    /* the rest is its own */
    int32_t *characters;
    int64_t capacity;
} kanon__unicode_form;

/* The compatibility decomposition (NFKD) of UTF-8; of anything else, and without KANON_UNICODE, the text itself. A form is
 * all zero at first, is used for one text after the other, and is valid as long as the text. */
kanon_status kanon__unicode_form_of(kanon__unicode_form *form, const char *text, size_t length, kanon_error *err);
void kanon__unicode_form_clear(kanon__unicode_form *form);

#endif
