/* See yaml_reader.h. Calls libyaml; knows of the schema only whether the file has begun to look like one. */
#include "table/schema/yaml_reader.h"

#include "core/alloc.h"

#include <kanon_host.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- failing ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__yaml_fail(const kanon__yaml_reader *r, yaml_mark_t mark, const char *format, ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return kanon__fail(r->err, KANON_EDATA, "%s:%zu: column %zu: %s", r->path, mark.line + 1, mark.column + 1, reason);
}

const char *kanon__yaml_shown(char buffer[KANON__YAML_SHOWN], const char *text)
{
    size_t length = strlen(text), limit = KANON__YAML_SHOWN - sizeof "...";
    bool cut = length > limit;
    if (cut)
        for (length = limit; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    memcpy(buffer, text, length);
    strcpy(buffer + length, cut ? "..." : "");
    return buffer;
}

/* Where byte `offset` of the input is: of bytes that cannot be read the parser knows no more. */
static yaml_mark_t mark_of_offset(const kanon__yaml_reader *r, size_t offset)
{
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < offset && i < r->size; i++) {
        unsigned char c = (unsigned char)r->bytes[i];
        if (c == '\n' || (c == '\r' && (i + 1 == r->size || r->bytes[i + 1] != '\n'))) {
            mark.line++;
            mark.column = 0;
        } else if ((c & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

static kanon_status fail_syntax(const kanon__yaml_reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem != NULL ? p->problem : "not YAML";
    if (p->error == YAML_MEMORY_ERROR)
        return kanon__fail(r->err, KANON_ENOMEM, "out of memory for reading %s", r->path);
    if (p->error == YAML_READER_ERROR)
        return kanon__hint(r->err, kanon__yaml_fail(r, mark_of_offset(r, p->problem_offset), "%s", problem),
                           "a schema is UTF-8 text");
    kanon_status st = kanon__yaml_fail(r, p->problem_mark, "%s", problem);
    if (strstr(problem, "cannot start any token") != NULL)
        kanon__hint(r->err, st, "indent with spaces, not tabs, and write texts that begin with a sign in quotes");
    else if (p->context != NULL)
        kanon__hint(r->err, st, "%s that begins on line %zu", p->context, p->context_mark.line + 1);
    return st;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

kanon_status kanon__yaml_next(kanon__yaml_reader *r)
{
    yaml_event_delete(&r->event);
    if (!yaml_parser_parse(&r->parser, &r->event))
        return fail_syntax(r);
    switch (r->event.type) {
    case YAML_ALIAS_EVENT:
        return kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "aliases are not supported"),
                           "write the value out again");
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        if (++r->depth > KANON__YAML_DEPTH)
            return kanon__yaml_fail(r, r->event.start_mark, "nested more than %d levels deep", KANON__YAML_DEPTH);
        break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        r->depth--;
        break;
    case YAML_SCALAR_EVENT:
        if (memchr(r->event.data.scalar.value, '\0', r->event.data.scalar.length) != NULL)
            return kanon__yaml_fail(r, r->event.start_mark, "a text with a NUL character");
        break;
    default:
        break;
    }
    return KANON_OK;
}

const char *kanon__yaml_text(const kanon__yaml_reader *r)
{
    return (const char *)r->event.data.scalar.value;
}

bool kanon__yaml_is_null(const kanon__yaml_reader *r)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    if (r->event.type != YAML_SCALAR_EVENT || r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
        r->event.data.scalar.tag != NULL)
        return false;
    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++)
        if (strcmp(kanon__yaml_text(r), nulls[i]) == 0)
            return true;
    return false;
}

bool kanon__yaml_is_empty(const kanon__yaml_reader *r)
{
    return r->event.type == YAML_SCALAR_EVENT && (r->event.data.scalar.length == 0 || kanon__yaml_is_null(r));
}

kanon_status kanon__yaml_fail_expected(const kanon__yaml_reader *r, const char *expected)
{
    const char *found = kanon__yaml_is_empty(r)                      ? "nothing"
                        : r->event.type == YAML_MAPPING_START_EVENT  ? "a mapping"
                        : r->event.type == YAML_SEQUENCE_START_EVENT ? "a list"
                                                                     : "a text";
    return kanon__yaml_fail(r, r->event.start_mark, "expected %s, found %s", expected, found);
}

kanon_status kanon__yaml_want_text(const kanon__yaml_reader *r, const char *expected)
{
    return r->event.type == YAML_SCALAR_EVENT && !kanon__yaml_is_empty(r) ? KANON_OK
                                                                          : kanon__yaml_fail_expected(r, expected);
}

/* ---- mappings and lists ------------------------------------------------------------------------------------------ */

void kanon__yaml_names_clear(kanon__yaml_names *n)
{
    kanon__free(n->marks);
    kanon__dictionary_clear(&n->texts);
}

kanon_status kanon__yaml_names_add(kanon__yaml_reader *r, kanon__yaml_names *n, const char *text, size_t length,
                                   size_t *first_line)
{
    kanon_status st = KANON_OK;
    uint32_t n_before = n->texts.n, code = 0;
    *first_line = 0;
    KANON_TRY(kanon__grow_array(&n->marks, &n->marks_capacity, (int64_t)n_before + 1, "keys", r->err), out);
    KANON_TRY(kanon__dictionary_add(&n->texts, &code, text, length, r->err), out);
    if (code < n_before)
        *first_line = n->marks[code].line + 1;
    else
        n->marks[code] = r->event.start_mark;
out:
    return st;
}

/* The current event is a key: keep it and go on to its value. */
static kanon_status read_key(kanon__yaml_reader *r, kanon__yaml_key *out, kanon__yaml_names *seen)
{
    kanon_status st = KANON_OK;
    char buffer[KANON__YAML_SHOWN];
    size_t first_line = 0;
    if (r->event.type != YAML_SCALAR_EVENT)
        return kanon__yaml_fail_expected(r, "a text as key");
    KANON_TRY(kanon__yaml_names_add(r, seen, kanon__yaml_text(r), strlen(kanon__yaml_text(r)), &first_line), out);
    if (first_line > 0)
        return kanon__yaml_fail(r, r->event.start_mark, "key '%s' is given twice, first on line %zu",
                                kanon__yaml_shown(buffer, kanon__yaml_text(r)), first_line);
    out->mark = r->event.start_mark;
    KANON_TRY(kanon__copy_text(&out->text, kanon__yaml_text(r), strlen(kanon__yaml_text(r)), "a key", r->err), out);
    KANON_TRY(kanon__yaml_next(r), out);
out:
    return st;
}

kanon_status kanon__yaml_mapping(kanon__yaml_reader *r, const char *expected, kanon__yaml_value read_value, void *target)
{
    kanon_status st = KANON_OK;
    kanon__yaml_names seen = {0};
    kanon__yaml_key k = {0};
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return kanon__yaml_fail_expected(r, expected);
    KANON_TRY(kanon__dictionary_init(&seen.texts, r->err), out);
    for (;;) {
        KANON_TRY(kanon__yaml_next(r), out);
        if (r->event.type == YAML_MAPPING_END_EVENT)
            break;
        KANON_TRY(read_key(r, &k, &seen), out);
        KANON_TRY(read_value(r, &k, target), out);
        kanon__free(k.text);
        k.text = NULL;
    }
out:
    kanon__free(k.text);
    kanon__yaml_names_clear(&seen);
    return st;
}

kanon_status kanon__yaml_key_of(kanon__yaml_reader *r, int *out, const kanon__yaml_key *k, const char *const *names,
                                size_t n)
{
    char buffer[KANON__YAML_SHOWN];
    for (size_t i = 0; i < n; i++)
        if (strcmp(names[i], k->text) == 0) {
            r->is_schema = true;
            *out = (int)i;
            return KANON_OK;
        }
    bool any_file = !r->is_schema && kanon_nearest_word(names, n, k->text) == NULL; /* its text is nobody's business */
    kanon_status st =
        any_file ? kanon__yaml_fail(r, k->mark, "not a schema: it begins with another key")
                 : kanon__yaml_fail(r, k->mark, "unknown key '%s'", kanon__yaml_shown(buffer, k->text));
    return kanon__hint_words(r->err, st, "valid keys are", names, n, k->text);
}

kanon_status kanon__yaml_list(kanon__yaml_reader *r, const char *expected,
                              kanon_status (*read_item)(kanon__yaml_reader *, void *), void *target)
{
    kanon_status st = KANON_OK;
    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return kanon__yaml_fail_expected(r, expected);
    for (;;) {
        KANON_TRY(kanon__yaml_next(r), out);
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        KANON_TRY(read_item(r, target), out);
    }
out:
    return st;
}
