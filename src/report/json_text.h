/* JSON values of what reports tell, and their text. A value that could not be made is NULL, and jansson takes NULL for
 * a failure, so that one look at the end is enough. */
#ifndef KANON_REPORT_JSON_TEXT_H
#define KANON_REPORT_JSON_TEXT_H

#include "core/output.h"

#include <jansson.h>
#include <stdbool.h>

/* To be freed with kanon__free; NULL: out of memory. */
char *kanon__json_text(const json_t *value);
/* Write the text and a line end, unless `good` is false: then there is no memory for `what`. The value is given away. */
kanon_status kanon__json_write(kanon__output *output, json_t *value, bool good, const char *what, kanon_error *err);

/* The value where it is `good`; otherwise it is given away, and the answer is NULL. */
json_t *kanon__json_whole(json_t *value, bool good);
/* Names of files and bytes of a table can be anything, JSON is UTF-8: what is not becomes a question mark. */
json_t *kanon__json_bytes(const char *text, size_t length);
json_t *kanon__json_string(const char *text);
/* Whole figures as whole numbers; null where there is none. */
json_t *kanon__json_figure(const kanon_figure *figure);
/* JSON's whole numbers end at 2^63; seeds beyond are text. */
json_t *kanon__json_seed(uint64_t seed);

#endif
