/* See suspicious_columns.h. The file is read a second time, and some of its rows are kept. */
#include "audit/suspicious_columns.h"

#include "audit/cell_notation.h"
#include "audit/plain_values.h"
#include "core/alloc.h"
#include "core/text.h"
#include "table/domain/column_type.h"
#include "table/read/row_sample.h"

#include <math.h>
#include <string.h>

typedef struct looker {
    const kanon__released_file *file;
    kanon__row_sample sample;
    kanon__column_facts *facts;
    kanon__suspect *suspects;
    kanon__cover **covers;        /* by column; NULL: it is no quasi column */
    kanon__taxonomy **taxonomies; /* likewise; NULL: it has none */
    kanon__codes *pairs;          /* of NAME_min: by row, the number of its two ends */
} looker;

static double end_of(const kanon__end *end, double infinite)
{
    static const double tens[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                  1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    return end->infinite ? infinite : (double)end->mantissa / tens[end->scale];
}

/* The names of a taxonomy's nodes, or the levels of an order, as ranges of numbers. */
static kanon_status name_ranges(kanon__label_ranges *out, const kanon__taxonomy *taxonomy, const kanon__dictionary *levels,
                                kanon_error *err)
{
    out->labels = taxonomy != NULL ? &taxonomy->labels : levels;
    KANON_CHECK(kanon__new_array(&out->low, out->labels->n, "values", err));
    KANON_CHECK(kanon__new_array(&out->high, out->labels->n, "values", err));
    for (uint32_t i = 0; i < out->labels->n; i++) {
        out->low[i] = taxonomy != NULL ? taxonomy->first_leaf[taxonomy->node_of_label[i]] : (int32_t)i;
        out->high[i] = taxonomy != NULL ? taxonomy->last_leaf[taxonomy->node_of_label[i]] : (int32_t)i;
    }
    return KANON_OK;
}

static kanon_status find_names(looker *l, int column, kanon_error *err)
{
    const kanon__value_kind *kind = &l->file->kinds[column];
    const kanon__attribute *attribute = kanon__schema_find(l->file->schema, l->file->source->column_names[column]);
    if (kind->type == KANON_TYPE_ORDINAL && kind->format.levels != NULL)
        return name_ranges(&l->suspects[column].names, NULL, kind->format.levels, err);
    if (attribute == NULL || kanon__type_is_numeric(kind->type))
        return KANON_OK;
    KANON_CHECK(kanon__taxonomy_of(&l->taxonomies[column], attribute, err));
    if (l->taxonomies[column] == NULL)
        return KANON_OK;
    return name_ranges(&l->suspects[column].names, l->taxonomies[column], NULL, err);
}

/* Of a node of the taxonomy: its leaves. False: the text is none. */
static bool read_node(kanon__cover *c, const kanon__taxonomy *taxonomy, const kanon__label_ranges *names)
{
    uint32_t label = taxonomy != NULL ? kanon__dictionary_find(names->labels, c->text, c->length) : KANON__NO_CODE;
    if (label == KANON__NO_CODE)
        return false;
    c->numeric = true;
    c->low = names->low[label];
    c->high = names->high[label];
    c->any = c->low == 0 && c->high == taxonomy->n_leaves - 1;
    return true;
}

/* What a quasi cell covers. A text that is neither an interval nor a node is one value, with stars at its
 * end all that begin alike; of sets nothing is known. */
static kanon__cover read_cover(const looker *l, int column, const char *text, size_t length)
{
    kanon__interval interval;
    kanon__cover c = {.text = text, .length = length};
    c.any = length == 0 || kanon__notation_is_any(text, length) || kanon__schema_is_missing(l->file->schema, text, length);
    if (c.any || read_node(&c, l->taxonomies[column], &l->suspects[column].names))
        return c;
    if (kanon__type_is_numeric(l->file->kinds[column].type) &&
        kanon__notation_interval(&interval, text, length, &l->file->kinds[column])) {
        c.numeric = true;
        c.low = end_of(&interval.lo, -INFINITY);
        c.high = end_of(&interval.hi, INFINITY);
        return c;
    }
    c.any = text[0] == '{';
    while (c.length > 0 && c.text[c.length - 1] == '*') {
        c.prefix = true;
        c.length--;
    }
    return c;
}

static kanon_status read_covers(looker *l, int column, kanon_error *err)
{
    const kanon__dictionary *texts = &l->sample.dictionaries[column];
    KANON_CHECK(find_names(l, column, err));
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
        kanon_type natural = kanon__suspect_type(source->natural, i);
        const kanon__attribute *said = kanon__schema_find(l->file->schema, source->column_names[i]);
        l->suspects[i] = (kanon__suspect){
            .facts = &l->facts[i], .role = l->file->roles[i], .permuted = kanon__attribute_is_permuted(said)};
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

/* The two columns of an interval become one that covers what lies between the ends: NAME_min, called as the attribute is. */
static kanon_status join_ends(looker *l, int min, int max, const kanon__attribute *attribute, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary numbers = {0};
    kanon__cover *joined = NULL;
    int64_t n = l->sample.n_rows;
    KANON_TRY(kanon__dictionary_init(&numbers, err), out);
    KANON_TRY(kanon__new_array(&joined, n, "cells", err), out);
    KANON_TRY(kanon__codes_new(&l->pairs[min], n, UINT32_MAX, false, err), out);
    for (int64_t row = 0; row < n; row++) {
        const uint32_t ends[2] = {kanon__code_at(l->sample.codes[min], row), kanon__code_at(l->sample.codes[max], row)};
        const kanon__cover *low = &l->covers[min][ends[0]], *high = &l->covers[max][ends[1]];
        uint32_t pair;
        KANON_TRY(kanon__dictionary_add(&numbers, &pair, (const char *)ends, sizeof ends, err), out);
        kanon__code_set(l->pairs[min], row, pair);
        joined[pair] = *low;
        joined[pair].high = high->high;
        joined[pair].any = low->any || high->any || !low->numeric || !high->numeric;
    }
    kanon__free(l->covers[min]);
    l->suspects[min].covers = l->covers[min] = joined;
    joined = NULL;
    l->facts[min].codes = l->pairs[min];
    l->facts[min].name = attribute->name;
    l->suspects[max].role = KANON_ROLE_IDENTIFYING; /* it is in the other one */
out:
    kanon__free(joined);
    kanon__dictionary_clear(&numbers);
    return st;
}

static kanon_status join_columns(looker *l, kanon_error *err)
{
    enum { ENDING = 4 }; /* the length of _min and _max */
    const kanon__source *source = l->file->source;
    for (int i = 0; i < source->n_columns; i++) {
        const char *name = source->column_names[i];
        size_t length = strlen(name);
        if (l->covers[i] == NULL || length <= ENDING || strcmp(name + length - ENDING, "_min") != 0)
            continue;
        const kanon__attribute *attribute = kanon__schema_find_text(l->file->schema, name, length - ENDING);
        int max = attribute != NULL ? kanon__source_find_part(source, attribute->name, "_max") : -1;
        if (max >= 0 && l->covers[max] != NULL && kanon__schema_find(l->file->schema, name) == NULL)
            KANON_CHECK(join_ends(l, i, max, attribute, err));
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
    KANON_TRY(kanon__new_array(&l.taxonomies, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&l.pairs, n, "columns", err), out);
    KANON_TRY(look(&l, wanted, err), out);
    KANON_TRY(join_columns(&l, err), out);
    KANON_TRY(kanon__suspicions_find(out, l.suspects, n, err), out);
out:
    for (int i = 0; i < n; i++) {
        if (l.covers != NULL)
            kanon__free(l.covers[i]);
        if (l.facts != NULL)
            kanon__column_facts_clear(&l.facts[i]);
        if (l.suspects != NULL) {
            kanon__free(l.suspects[i].names.low);
            kanon__free(l.suspects[i].names.high);
        }
        if (l.taxonomies != NULL)
            kanon__taxonomy_free(l.taxonomies[i]);
        if (l.pairs != NULL)
            kanon__codes_clear(&l.pairs[i]);
    }
    kanon__free(l.pairs);
    kanon__free(l.taxonomies);
    kanon__free(l.covers);
    kanon__free(l.suspects);
    kanon__free(l.facts);
    kanon__row_sample_clear(&l.sample);
    kanon__free(wanted);
    return st;
}
