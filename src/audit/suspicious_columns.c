/* See suspicious_columns.h. The file is read a second time, and some of its rows are kept. */
#include "audit/suspicious_columns.h"

#include "audit/cell_notation.h"
#include "core/alloc.h"
#include "core/text.h"
#include "table/domain/column_type.h"
#include "table/read/row_sample.h"

#include <math.h>

typedef struct looker {
    const kanon__released_file *file;
    kanon__row_sample sample;
    kanon__column_facts *facts;
    kanon__suspect *suspects;
    kanon__cover **covers; /* by column; NULL: it is no quasi column */
} looker;

static double end_of(const kanon__end *end, double infinite)
{
    static const double tens[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    return end->infinite ? infinite : (double)end->mantissa / tens[end->scale];
}

/* What a quasi cell covers. A text that is no interval is one value, or with stars at its end all that begin alike. */
static kanon__cover read_cover(const looker *l, int column, const char *text, size_t length)
{
    kanon__interval interval;
    kanon__cover c = {.text = text, .length = length};
    c.any = length == 0 || kanon__notation_is_any(text, length) || kanon__schema_is_missing(l->file->schema, text, length);
    if (c.any)
        return c;
    if (kanon__type_is_numeric(l->file->kinds[column].type) &&
        kanon__notation_interval(&interval, text, length, &l->file->kinds[column])) {
        c.numeric = true;
        c.low = end_of(&interval.lo, -INFINITY);
        c.high = end_of(&interval.hi, INFINITY);
        return c;
    }
    while (c.length > 0 && c.text[c.length - 1] == '*') {
        c.prefix = true;
        c.length--;
    }
    return c;
}

static kanon_status read_covers(looker *l, int column, kanon_error *err)
{
    const kanon__dictionary *texts = &l->sample.dictionaries[column];
    KANON_CHECK(kanon__new_array(&l->covers[column], texts->n, "cells", err));
    for (uint32_t code = 0; code < texts->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(texts, code, &length);
        l->covers[column][code] = read_cover(l, column, text, length);
        l->covers[column][code].any |= code == l->sample.null_codes[column];
    }
    const kanon__value_kind *kind = &l->file->kinds[column];
    l->suspects[column].covers = l->covers[column];
    l->suspects[column].dates = kind->type == KANON_TYPE_DATE;
    l->suspects[column].date_format = kind->format;
    return KANON_OK;
}

static kanon_status look(looker *l, const bool *wanted, kanon_error *err)
{
    const kanon__source *source = l->file->source;
    KANON_CHECK(kanon__row_sample_read(&l->sample, source, l->file->n_rows, wanted, err));
    for (int i = 0; i < source->n_columns; i++) {
        kanon_type natural = source->natural != NULL ? source->natural[i] : KANON_TYPE_UNKNOWN;
        l->suspects[i] = (kanon__suspect){.facts = &l->facts[i], .role = l->file->roles[i]};
        if (!wanted[i])
            continue;
        KANON_CHECK(kanon__column_facts_find(&l->facts[i], source->column_names[i], &l->sample.dictionaries[i],
                                             l->sample.codes[i], l->sample.n_rows, l->sample.null_codes[i], natural,
                                             source->delimiter, err));
        if (l->file->roles[i] == KANON_ROLE_QUASI)
            KANON_CHECK(read_covers(l, i, err));
    }
    return KANON_OK;
}

kanon_status kanon__suspicious_columns(kanon__suspicions *out, const kanon__released_file *file, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int n = file->source->n_columns;
    bool *wanted = NULL, any = false;
    looker l = {.file = file};
    KANON_TRY(kanon__new_array(&wanted, n, "columns", err), out);
    for (int i = 0; i < n; i++) {
        wanted[i] = file->roles[i] != KANON_ROLE_IDENTIFYING;
        any = any || (wanted[i] && file->roles[i] != KANON_ROLE_QUASI);
    }
    if (!any)
        goto out;
    KANON_TRY(kanon__new_array(&l.facts, n, "facts of columns", err), out);
    KANON_TRY(kanon__new_array(&l.suspects, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&l.covers, n, "columns", err), out);
    KANON_TRY(look(&l, wanted, err), out);
    KANON_TRY(kanon__suspicions_find(out, l.suspects, n, err), out);
out:
    for (int i = 0; i < n; i++) {
        if (l.covers != NULL)
            kanon__free(l.covers[i]);
        if (l.facts != NULL)
            kanon__column_facts_clear(&l.facts[i]);
    }
    kanon__free(l.covers);
    kanon__free(l.suspects);
    kanon__free(l.facts);
    kanon__row_sample_clear(&l.sample);
    kanon__free(wanted);
    return st;
}
