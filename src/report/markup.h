/* Text and numbers as they stand in a page for people: escaped, valid UTF-8 whatever the input, the same in every
 * locale. */
#ifndef KANON_REPORT_MARKUP_H
#define KANON_REPORT_MARKUP_H

#include "core/escape.h"
#include "core/output.h"
#include "table/value/figure_text.h"

kanon__figure_text kanon__show_place(double value);              /* a coordinate: at most two digits after the point */

/* printf into the page, at most 2,000 bytes. Nothing is escaped, so only for texts of our own; doubles go through
 * kanon__show_. */
void kanon__markup(kanon__output *output, const char *format, ...) KANON__PRINTF(2, 3);
/* Any text, as it reads. Control characters and marks that turn the direction of text are spelled out
 * (core/escape.h), bytes that are not UTF-8 become a replacement character. */
void kanon__markup_text(kanon__output *output, const char *text, size_t length);
/* The same, cut to about `width` letters (wide ones count twice), with an ellipsis where something is missing.
 * Returns the width. */
int kanon__markup_label(kanon__output *output, const char *text, size_t length, int width);
/* How many letters wide a text is. */
int kanon__text_width(const char *text, size_t length);

/* What stands after the last slash. */
const char *kanon__file_name(const char *path);

#endif
