/* Texts, lists and mappings on one line, as schema files and JSON have them:
 *
 *     quasi    "a, b"    [none, primary, "a, b"]    {model: t-closeness, attribute: disease, t: 0.3}
 *
 * What is printed here is read here, and by libyaml. Reading takes plain texts, both kinds of quotes, and all escapes of
 * YAML but those of NUL. */
#ifndef KANON_TABLE_FLOW_TEXT_H
#define KANON_TABLE_FLOW_TEXT_H

#include "core/texts.h"

#include <stdbool.h>

/* ---- writing ----------------------------------------------------------------------------------------------------- */

/* Text that grows and is always terminated. After a failure nothing is added any more. */
typedef struct kanon__text_writer {
    char *bytes; /* NULL: nothing was written */
    int64_t n, capacity;
    kanon_status st;
    kanon_error *err;
} kanon__text_writer;

void kanon__put(kanon__text_writer *w, const char *bytes, size_t n);
void kanon__put_text(kanon__text_writer *w, const char *text);
/* At most 500 bytes. */
void kanon__putf(kanon__text_writer *w, const char *format, ...) KANON__PRINTF(2, 3);
bool kanon__text_is_utf8(const char *text);
/* Whether YAML takes the text for itself without quotes: a word, and none that YAML knows. */
bool kanon__text_is_plain(const char *text);
/* In double quotes; what cannot be seen is spelled out. */
void kanon__put_quoted(kanon__text_writer *w, const char *text);
/* In quotes unless it is plain. */
void kanon__put_name(kanon__text_writer *w, const char *text);
/* The same, and numbers are plain, too. */
void kanon__put_value(kanon__text_writer *w, const char *text);
/* [a, "b c"] */
void kanon__put_list(kanon__text_writer *w, const kanon__texts *items);
/* {name: value, ...} */
void kanon__put_pairs(kanon__text_writer *w, const kanon__texts *names, const kanon__texts *values);

/* ---- reading ----------------------------------------------------------------------------------------------------- */

typedef struct kanon__flow {
    const char *at; /* what is left */
    bool wrong;     /* it is no such text */
} kanon__flow;

/* What comes next, after white space; '\0': nothing. */
char kanon__flow_next(kanon__flow *f);
/* Whether an item comes next in what `close` ends; else that is stepped over. *n counts them and begins at 0. */
bool kanon__flow_item(kanon__flow *f, char close, int64_t *n);
/* The items of a list, which is next. Null is the empty text. */
kanon_status kanon__flow_list(kanon__flow *f, kanon__texts *items, kanon_error *err);
/* The names and values of a mapping, which is next. */
kanon_status kanon__flow_pairs(kanon__flow *f, kanon__texts *names, kanon__texts *values, kanon_error *err);
/* Whether all of it was right, and nothing is left. */
bool kanon__flow_is_whole(kanon__flow *f);

#endif
