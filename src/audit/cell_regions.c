/* See cell_regions.h. */
#include "audit/cell_regions.h"

#include "audit/cell_notation.h"
#include "audit/file_columns.h"
#include "audit/same_texts.h"
#include "core/alloc.h"
#include "core/text.h"
#include "model/terms.h"

#include <math.h>
#include <string.h>

typedef struct region_reader {
    kanon__cell_regions *regions;
    const kanon__column *column;
    const kanon_schema *schema;
    kanon__value_kind kind;
    kanon__meaning meaning;
    uint32_t n_numbers;
    uint32_t text; /* whose region is read */
} region_reader;

static const kanon__taxonomy *taxonomy_of(const region_reader *r)
{
    return r->column->domain->taxonomy;
}

/* One run more of the text. */
static kanon_status add_run(region_reader *r, uint32_t lo, uint32_t hi, kanon_error *err)
{
    kanon__cell_regions *regions = r->regions;
    kanon__cell_region *first = &regions->items[r->text];
    if (first->lo > first->hi) {
        *first = (kanon__cell_region){lo, hi, -1};
        return KANON_OK;
    }
    int32_t before = first->more;
    KANON_CHECK(kanon__grow_array(&regions->items, &regions->capacity, regions->n + 1, "cells", err));
    regions->items[regions->n] = (kanon__cell_region){lo, hi, before};
    regions->items[r->text].more = (int32_t)regions->n++;
    return KANON_OK;
}

/* The text is a number above the code before `code` and below this one. */
static void note_between(region_reader *r, uint32_t code)
{
    kanon__cell_region *first = &r->regions->items[r->text];
    if (first->lo > first->hi)
        *first = (kanon__cell_region){code, code - 1, -1};
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

static double end_value(const kanon__end *end)
{
    double value = (double)end->mantissa;
    for (int scale = end->scale; scale > 0; scale -= scale > 9 ? 9 : scale) {
        static const double powers[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9};
        value /= powers[scale > 9 ? 9 : scale];
    }
    return value;
}

/* The first code whose low end is not below the end of an interval. */
static uint32_t first_code(const region_reader *r, const kanon__end *end)
{
    const double *values = r->column->domain->values;
    double value = end_value(end);
    uint32_t from = 0, to = end->infinite ? 0 : r->n_numbers;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        if (values[middle] < value || (end->open && values[middle] == value))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* One past the last code whose high end is not above the end of an interval. Bands of whole numbers and days fill their
 * edges: [20..24] is from 20 to 25. */
static uint32_t past_last_code(const region_reader *r, const kanon__end *end)
{
    const kanon__domain *d = r->column->domain;
    double value = end_value(end);
    uint32_t from = 0, to = r->n_numbers;
    if (end->infinite)
        return to;
    if (d->bands != NULL && d->type != KANON_TYPE_DECIMAL)
        value = floor(value) + 1;
    while (from < to) {
        uint32_t middle = from + (to - from) / 2;
        double high = kanon__domain_high(d, middle);
        if (high < value || (!end->open && high == value))
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

static bool read_interval(const region_reader *r, const char *text, size_t length, uint32_t *lo, uint32_t *past)
{
    kanon__interval interval;
    kanon__value_kind plain = {.type = r->kind.type};
    if (!kanon__notation_interval(&interval, text, length, &r->kind) && /* a typed file has a form of its own */
        (r->kind.type == KANON_TYPE_ORDINAL || !kanon__notation_interval(&interval, text, length, &plain)))
        return false;
    *lo = first_code(r, &interval.lo);
    *past = past_last_code(r, &interval.hi);
    return true;
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

/* Whether the text, of which some characters at one end are stars, is a mask of the label: 8130* of 81305. */
static bool masks(const char *mask, size_t length, const char *label, size_t label_length)
{
    size_t n_stars = 0;
    if (length != label_length)
        return false;
    if (mask[0] == '*') {
        while (n_stars < length && mask[n_stars] == '*')
            n_stars++;
        return memcmp(mask + n_stars, label + n_stars, length - n_stars) == 0;
    }
    while (n_stars < length && mask[length - 1 - n_stars] == '*')
        n_stars++;
    return memcmp(mask, label, length - n_stars) == 0;
}

static kanon_status read_mask(region_reader *r, const char *text, size_t length, bool *known, kanon_error *err)
{
    const kanon__taxonomy *t = taxonomy_of(r);
    *known = length > 1 && (text[0] == '*') != (text[length - 1] == '*');
    for (int32_t leaf = 0, begin = -1; *known && leaf <= t->n_leaves; leaf++) {
        size_t label_length = 0;
        const char *label = leaf < t->n_leaves ? kanon__taxonomy_label(t, t->leaf_node[leaf], &label_length) : "";
        bool is_in = leaf < t->n_leaves && masks(text, length, label, label_length);
        if (is_in && begin < 0)
            begin = leaf;
        if (is_in || begin < 0)
            continue;
        KANON_CHECK(add_run(r, (uint32_t)begin, (uint32_t)leaf - 1, err));
        begin = -1;
    }
    return KANON_OK;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

/* A value, an interval or a node; *known is false where it is none of them. */
static kanon_status read_element(region_reader *r, const char *text, size_t length, bool *known, kanon_error *err)
{
    if (kanon__column_is_numeric(r->column)) {
        uint32_t lo, past;
        *known = read_interval(r, text, length, &lo, &past);
        if (*known && lo == past && lo > 0)
            note_between(r, lo);
        return *known && lo < past ? add_run(r, lo, past - 1, err) : KANON_OK;
    }
    int32_t node = kanon__taxonomy_node(taxonomy_of(r), text, length);
    *known = node >= 0;
    if (node < 0)
        return read_mask(r, text, length, known, err);
    return add_run(r, (uint32_t)taxonomy_of(r)->first_leaf[node], (uint32_t)taxonomy_of(r)->last_leaf[node], err);
}

/* The elements of a canonical set {a,b}. */
static kanon_status read_set(region_reader *r, const char *text, size_t length, bool *known, kanon_error *err)
{
    const char *at = text + 1, *end = text + length - 1;
    *known = true;
    for (;; at++) {
        const char *comma = memchr(at, ',', (size_t)(end - at));
        size_t n = (size_t)((comma != NULL ? comma : end) - at);
        bool one = false;
        KANON_CHECK(read_element(r, at, n, &one, err));
        *known &= one;
        at += n;
        if (comma == NULL)
            return KANON_OK;
    }
}

static bool is_root(const region_reader *r, const char *text, size_t length)
{
    const kanon__taxonomy *t = taxonomy_of(r);
    return t != NULL && t->height[0] > 0 && kanon__taxonomy_node(t, text, length) == 0;
}

static kanon_status read_missing(region_reader *r, kanon_error *err)
{
    uint32_t code = r->column->domain->missing_code;
    return code == KANON__NO_CODE ? KANON_OK : add_run(r, code, code, err);
}

static kanon_status read_text(region_reader *r, const char *text, size_t length, kanon_error *err)
{
    kanon__cell_regions *regions = r->regions;
    const kanon__meaning *meaning = &r->meaning;
    bool known = false;
    if (length == KANON__TEXT_MISSING_LENGTH && memcmp(text, KANON__TEXT_MISSING, length) == 0)
        return read_missing(r, err);
    kanon__trim(&text, &length);
    if (kanon__notation_is_any(text, length) || is_root(r, text, length)) {
        regions->any[r->text] = true;
        return add_run(r, 0, r->column->domain->n_codes - 1, err);
    }
    if (kanon__schema_is_missing(r->schema, text, length))
        return read_missing(r, err);
    KANON_CHECK(read_element(r, text, length, &known, err)); /* a name may have spaces and braces of its own */
    if (known)
        return KANON_OK;
    KANON_CHECK(kanon__notation_read(&r->meaning, text, length, &r->kind, err));
    if (meaning->kind == KANON__NOTATION_ANY || is_root(r, meaning->text, (size_t)meaning->length)) {
        regions->any[r->text] = true;
        return add_run(r, 0, r->column->domain->n_codes - 1, err);
    }
    if (meaning->kind == KANON__NOTATION_SET)
        KANON_CHECK(read_set(r, meaning->text, (size_t)meaning->length, &known, err));
    else
        KANON_CHECK(read_element(r, meaning->text, (size_t)meaning->length, &known, err));
    regions->unknown[r->text] = !known;
    return KANON_OK;
}

kanon_status kanon__cell_regions_read(kanon__cell_regions *out, const kanon__column *column, const kanon__dictionary *texts,
                                      const kanon_schema *schema, kanon_error *err)
{
    enum { TEXT_NS = 500 };
    kanon_status st = KANON_OK;
    const kanon__domain *d = column->domain;
    region_reader r = {.regions = out, .column = column, .schema = schema, .kind = {d->type, d->format}};
    r.n_numbers = kanon__column_is_numeric(column) ? kanon__n_numbers(d) : 0;
    kanon__same_texts same = {.first = NULL};
    KANON_TRY(kanon__same_texts_read(&same, &schema->same, err), out);
    out->n_texts = texts->n;
    out->n = (int64_t)texts->n + 1;
    KANON_TRY(kanon__grow_array(&out->items, &out->capacity, out->n, "cells", err), out);
    KANON_TRY(kanon__new_array(&out->unknown, out->n, "cells", err), out);
    KANON_TRY(kanon__new_array(&out->any, out->n, "cells", err), out);
    for (r.text = 0; r.text < texts->n; r.text++) {
        size_t length;
        const char *text = kanon__dictionary_text(texts, r.text, &length);
        out->items[r.text] = (kanon__cell_region){UINT32_MAX, 0, -1};
        KANON_TRY(read_text(&r, text, length, err), out);
        for (uint32_t at = 0; out->unknown[r.text] && kanon__same_texts_next(&same, &at, &text, &length);) {
            out->unknown[r.text] = false;
            out->items[r.text] = (kanon__cell_region){UINT32_MAX, 0, -1};
            KANON_TRY(read_text(&r, text, length, err), out);
        }
        KANON_TRY(kanon__poll_tick(TEXT_NS, err), out);
    }
    out->items[texts->n] = (kanon__cell_region){0, d->n_codes - 1, -1};
    out->any[texts->n] = true;
out:
    kanon__same_texts_clear(&same);
    kanon__meaning_clear(&r.meaning);
    return st;
}

void kanon__cell_regions_clear(kanon__cell_regions *regions)
{
    kanon__free(regions->items);
    kanon__free(regions->unknown);
    kanon__free(regions->any);
    *regions = (kanon__cell_regions){0};
}
