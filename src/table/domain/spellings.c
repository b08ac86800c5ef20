/* See spellings.h. Texts are numbered by their value, and values by their Unicode form; a number that was there before is a
 * find. Most columns have neither white space at ends nor other letters than ASCII, which one pass over their bytes
 * shows. */
#include "table/domain/spellings.h"

#include "core/alloc.h"
#include "core/text.h"
#include "table/domain/column_type.h"
#include "table/text/source.h"
#include "table/value/unicode_form.h"

#include <stdio.h>

typedef struct search {
    const kanon__raw_column *raw;
    kanon__dictionary values; /* the texts without the white space at their ends */
    uint32_t *n_texts;        /* by value */
    kanon__dictionary forms;
    kanon__unicode_form form;
} search;

static const char *value_at(const kanon__dictionary *texts, uint32_t code, size_t *length)
{
    const char *text = kanon__dictionary_text(texts, code, length);
    kanon__trim(&text, length);
    return text;
}

static bool has_other_letters(const char *text, size_t length)
{
    for (size_t i = 0; i < length; i++)
        if ((unsigned char)text[i] >= 0x80)
            return true;
    return false;
}

/* Whether a text has white space at an end, and whether a value has letters that are not ASCII. */
static void inspect_bytes(const kanon__dictionary *texts, bool *spaced, bool *other)
{
    *spaced = *other = false;
    for (uint32_t i = 0; i < texts->n; i++) {
        size_t length, all;
        const char *value = value_at(texts, i, &length);
        kanon__dictionary_text(texts, i, &all);
        *spaced |= length < all;
        *other = *other || has_other_letters(value, length);
    }
}

/* The value is new; so must its form be. */
static kanon_status compare_form(search *s, kanon__spellings *out, uint32_t text, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t length;
    const char *value = value_at(s->raw->values, text, &length);
    uint32_t n_before = s->forms.n, code;
    KANON_TRY(kanon__unicode_form_of(&s->form, value, length, err), out);
    KANON_TRY(kanon__dictionary_add(&s->forms, &code, s->form.bytes, s->form.length, err), out);
    if (code < n_before && out->n_alike++ == 0)
        out->alike_row = kanon__column_first_row(s->raw, text);
out:
    return st;
}

static kanon_status inspect_texts(search *s, kanon__spellings *out, bool other, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__dictionary *texts = s->raw->values;
    KANON_TRY(kanon__dictionary_init(&s->values, err), out);
    KANON_TRY(kanon__dictionary_init(&s->forms, err), out);
    KANON_TRY(kanon__new_array(&s->n_texts, texts->n, "values", err), out);
    for (uint32_t i = 0; i < texts->n; i++) {
        size_t length;
        const char *value = value_at(texts, i, &length);
        uint32_t n_before = s->values.n, code;
        if (i == s->raw->null_code)
            continue;
        KANON_TRY(kanon__dictionary_add(&s->values, &code, value, length, err), out);
        s->n_texts[code]++;
        if (other && code == n_before)
            KANON_TRY(compare_form(s, out, i, err), out);
    }
    for (uint32_t code = 0; code < s->values.n; code++)
        if (s->n_texts[code] > 1) {
            out->n_spaced += s->n_texts[code];
            out->n_joined++;
        }
out:
    return st;
}

kanon_status kanon__spellings_find(kanon__spellings *out, const kanon__raw_column *raw, kanon_error *err)
{
    kanon_status st = KANON_OK;
    search s = {.raw = raw};
    bool spaced, other;
    *out = (kanon__spellings){0};
    inspect_bytes(raw->values, &spaced, &other);
    if (spaced || other)
        st = inspect_texts(&s, out, other, err);
    kanon__unicode_form_clear(&s.form);
    kanon__dictionary_clear(&s.forms);
    kanon__free(s.n_texts);
    kanon__dictionary_clear(&s.values);
    return st;
}

kanon_status kanon__spellings_note(const kanon__spellings *found, const char *column, const kanon__source *source,
                                   kanon__texts *warnings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char count[24] = "one";
    if (found->n_joined > 1)
        snprintf(count, sizeof count, "%lld", (long long)found->n_joined);
    if (found->n_joined > 0)
        KANON_TRY(kanon__texts_addf(warnings, err, "%s: %lld values differ only in spaces at their ends and count as %s",
                                    column, (long long)found->n_spaced, count),
                  out);
    bool lines = source->class->line_of_row != NULL;
    if (found->n_alike > 0)
        KANON_TRY(kanon__texts_addf(
                      warnings, err, "%s: %lld %s as different; the first is in %s %lld", column, (long long)found->n_alike,
                      found->n_alike == 1 ? "value differs from another only in its Unicode form and counts"
                                          : "values differ from others only in their Unicode form and count",
                      lines ? "line" : "row",
                      (long long)(lines ? source->class->line_of_row(source, found->alike_row) : found->alike_row + 1)),
                  out);
out:
    return st;
}

kanon_status kanon__entities_number(uint32_t *code_of, int64_t *n_entities, const kanon__dictionary *texts,
                                    uint32_t null_code, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary values = {0};
    uint32_t missing = KANON__NO_CODE, *first = NULL; /* by value: the number of its entity */
    *n_entities = 0;
    KANON_TRY(kanon__dictionary_init(&values, err), out);
    KANON_TRY(kanon__new_array(&first, texts->n, "entities", err), out);
    for (uint32_t i = 0; i < texts->n; i++) {
        size_t length;
        const char *value = value_at(texts, i, &length);
        if (i == null_code || kanon__schema_is_missing(schema, value, length)) {
            missing = missing == KANON__NO_CODE ? (uint32_t)(*n_entities)++ : missing;
            code_of[i] = missing;
            continue;
        }
        uint32_t n_before = values.n, code;
        KANON_TRY(kanon__dictionary_add(&values, &code, value, length, err), out);
        if (code == n_before)
            first[code] = (uint32_t)(*n_entities)++;
        code_of[i] = first[code];
    }
out:
    kanon__free(first);
    kanon__dictionary_clear(&values);
    return st;
}
