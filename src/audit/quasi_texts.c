/* See quasi_texts.h. */
#include "audit/quasi_texts.h"

#include "audit/cell_notation.h"
#include "core/alloc.h"
#include "core/text.h"
#include "table/domain/column_shape.h"
#include "table/domain/domain.h"

#include <string.h>

static bool is_any(const kanon__quasi_column *quasi, const char *text, size_t length)
{
    return kanon__notation_is_any(text, length) ||
           (quasi->root != NULL && strlen(quasi->root) == length && memcmp(quasi->root, text, length) == 0);
}

/* Whether all cells are numbers of the kind, or intervals of them; `whole`: without decimals. */
static bool all_intervals(const kanon_schema *schema, const kanon__quasi_column *quasi, const kanon__value_kind *kind,
                          bool whole)
{
    bool some = false;
    for (uint32_t i = 0; i < quasi->texts.n; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(&quasi->texts, i, &length);
        kanon__interval interval;
        kanon__trim(&text, &length);
        if (is_any(quasi, text, length) || kanon__schema_is_missing(schema, text, length))
            continue;
        if (!kanon__notation_interval(&interval, text, length, kind) || (whole && interval.lo.scale + interval.hi.scale > 0))
            return false;
        some = true;
    }
    return some;
}

/* Whether the cells are of the type by some format, which is taken then. What the schema says is the only one. */
static bool try_type(const kanon_schema *schema, kanon__quasi_column *quasi, kanon_type type, bool whole)
{
    const kanon__value_format *said = &quasi->kind.format;
    bool is_said = type == KANON_TYPE_DATE ? said->date[0] != '\0' : said->decimal != 0 || said->thousands != 0;
    int n = 1;
    const kanon__value_format *formats = is_said ? said : kanon__shape_formats(type, &n);
    for (int i = 0; i < n; i++) {
        kanon__value_kind kind = {type, formats[i]};
        if (all_intervals(schema, quasi, &kind, whole)) {
            quasi->kind = kind;
            return true;
        }
    }
    return false;
}

/* The type, where the schema names none, and how values are written. */
static void find_kind(const kanon_schema *schema, kanon__quasi_column *quasi)
{
    kanon_type said = quasi->kind.type;
    if (kanon__type_is_numeric(said)) {
        if (said != KANON_TYPE_ORDINAL) /* whose levels the schema names */
            try_type(schema, quasi, said, false);
        return;
    }
    if (said == KANON_TYPE_UNKNOWN && !try_type(schema, quasi, KANON_TYPE_INTEGER, true) &&
        !try_type(schema, quasi, KANON_TYPE_DECIMAL, false) && !try_type(schema, quasi, KANON_TYPE_DATE, false))
        quasi->kind.type = KANON_TYPE_CATEGORICAL;
}

/* The canonical text of a cell; a byte that no cell has stands for a missing value. */
static kanon_status read_meaning(kanon__meaning *out, const kanon_schema *schema, const kanon__quasi_column *quasi,
                                 uint32_t code, kanon_error *err)
{
    size_t length;
    const char *text = kanon__dictionary_text(&quasi->texts, code, &length);
    kanon__trim(&text, &length);
    if (is_any(quasi, text, length))
        return kanon__notation_read(out, "*", 1, &quasi->kind, err);
    if (kanon__schema_is_missing(schema, text, length))
        return kanon__notation_read(out, "\0", 1, &quasi->kind, err);
    return kanon__notation_read(out, text, length, &quasi->kind, err);
}

kanon_status kanon__quasi_inspect(kanon__quasi_column *quasi, const char *name, const kanon_schema *schema,
                                  kanon__texts *warnings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary meanings = {0};
    kanon__meaning meaning = {0};
    find_kind(schema, quasi);
    KANON_TRY(kanon__dictionary_init(&meanings, err), out);
    KANON_TRY(kanon__new_array(&quasi->any, quasi->texts.n, "cells", err), out);
    for (uint32_t i = 0, code; i < quasi->texts.n; i++) {
        KANON_TRY(read_meaning(&meaning, schema, quasi, i, err), out);
        KANON_TRY(kanon__dictionary_add(&meanings, &code, meaning.text, (size_t)meaning.length, err), out);
        quasi->any[i] = meaning.kind == KANON__NOTATION_ANY;
    }
    if (meanings.n < quasi->texts.n)
        KANON_TRY(kanon__texts_addf(warnings, err,
                                    "%s: some cells mean the same and are written differently, so they are different "
                                    "classes; "
                                    "'same' says that two texts are one",
                                    name),
                  out);
out:
    kanon__meaning_clear(&meaning);
    kanon__dictionary_clear(&meanings);
    return st;
}

void kanon__quasi_texts_clear(kanon__quasi_column *quasi)
{
    kanon__free(quasi->any);
    kanon__dictionary_clear(&quasi->texts);
    kanon__free(quasi->root);
}
