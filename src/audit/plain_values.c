/* See plain_values.h.
 *
 * Intervals: in a column of numbers or dates every one is vague. Where the schema says no type, "10-19" may be a category
 * of its own. It is one as long as no other cell overlaps it; of [1..5] and [1..4] nobody knows whether they are two values.
 * Of a column that the schema calls categorical, labels that look like intervals are labels. */
#include "audit/plain_values.h"

#include "audit/cell_notation.h"
#include "core/alloc.h"
#include "core/text.h"
#include "table/domain/column_shape.h"
#include "table/domain/column_type.h"
#include "table/domain/domain.h"
#include "table/value/number.h"

#include <stdlib.h>
#include <string.h>

typedef struct reading {
    const kanon__dictionary *texts;
    kanon__dictionary bare; /* the texts without braces around one element */
    uint32_t *bare_of;      /* by text: its code there; KANON__NO_CODE: a set of several */
    const kanon__attribute *attribute;
    const kanon_schema *schema;
    kanon__taxonomy *taxonomy;
    bool *is_leaf; /* by the code of a label of the taxonomy */
    bool *vague;   /* by bare text: an interval that is no value */
    kanon__meaning meaning;
} reading;

static const char *value_at(const kanon__dictionary *texts, uint32_t code, size_t *length)
{
    const char *text = kanon__dictionary_text(texts, code, length);
    kanon__trim(&text, length);
    return text;
}

static bool is_label(const reading *r, const char *text, size_t length)
{
    return r->taxonomy != NULL && kanon__dictionary_find(&r->taxonomy->labels, text, length) != KANON__NO_CODE;
}

/* Take the braces off every text that has them: {flu} and {flu, flu} are flu. */
static kanon_status take_braces_off(reading *r, kanon_error *err)
{
    static const kanon__value_kind plain = {.type = KANON_TYPE_CATEGORICAL};
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__dictionary_init(&r->bare, err), out);
    KANON_TRY(kanon__new_array(&r->bare_of, r->texts->n, "sensitive values", err), out);
    for (uint32_t i = 0; i < r->texts->n; i++) {
        size_t length;
        const char *text = value_at(r->texts, i, &length);
        r->bare_of[i] = KANON__NO_CODE;
        if (length > 0 && text[0] == '{' && !is_label(r, text, length)) {
            KANON_TRY(kanon__notation_read(&r->meaning, text, length, &plain, err), out);
            if (r->meaning.kind == KANON__NOTATION_SET)
                continue;
            text = r->meaning.text;
            length = (size_t)r->meaning.length;
        }
        KANON_TRY(kanon__dictionary_add(&r->bare, &r->bare_of[i], text, length, err), out);
    }
out:
    return st;
}

/* ---- the taxonomy ------------------------------------------------------------------------------------------------ */

kanon_status kanon__taxonomy_of(kanon__taxonomy **out, const kanon__attribute *attribute, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *read = NULL;
    *out = NULL;
    if (attribute->said[KANON__COLUMN_TAXONOMY] != NULL)
        KANON_TRY(kanon__tree_read(&read, attribute->said[KANON__COLUMN_TAXONOMY], err), out);
    const kanon__tree *tree = read != NULL ? read : attribute->tree;
    if (tree != NULL)
        KANON_TRY(kanon__taxonomy_from_tree(out, tree, NULL, 0, err), out);
out:
    kanon__tree_free(read);
    return st;
}

static kanon_status list_leaves(reading *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (r->attribute == NULL)
        return KANON_OK;
    KANON_TRY(kanon__taxonomy_of(&r->taxonomy, r->attribute, err), out);
    if (r->taxonomy == NULL)
        goto out;
    KANON_TRY(kanon__new_array(&r->is_leaf, r->taxonomy->labels.n, "a taxonomy's leaves", err), out);
    for (int32_t leaf = 0; leaf < r->taxonomy->n_leaves; leaf++)
        r->is_leaf[r->taxonomy->label[r->taxonomy->leaf_node[leaf]]] = true;
out:
    return st;
}

/* ---- intervals that overlap -------------------------------------------------------------------------------------- */

typedef struct found_interval {
    kanon__interval interval;
    uint32_t text;
    bool bare; /* a number or a date as it is, not [3..3] */
} found_interval;

static int compare_lows(const void *left, const void *right)
{
    const found_interval *a = left, *b = right;
    int order = kanon__interval_compare_lows(&a->interval, &b->interval);
    return order != 0 ? order : (a->text > b->text) - (a->text < b->text);
}

/* One that begins before the farthest end so far overlaps the interval with that end. Both are vague, but for a bare number,
 * which is a value whatever overlaps it. */
static void mark_overlaps(reading *r, const found_interval *found, int64_t n)
{
    const found_interval *farthest = NULL;
    for (int64_t i = 0; i < n; i++) {
        if (farthest != NULL && kanon__interval_overlaps(&farthest->interval, &found[i].interval)) {
            r->vague[farthest->text] |= !farthest->bare;
            r->vague[found[i].text] |= !found[i].bare;
        }
        if (farthest == NULL || kanon__interval_compare_highs(&farthest->interval, &found[i].interval) < 0)
            farthest = &found[i];
    }
}

static kanon_status read_intervals(reading *r, const kanon__value_kind *kind, bool all, kanon_error *err)
{
    kanon_status st = KANON_OK;
    found_interval *found = NULL;
    int64_t n = 0, n_wide = 0;
    KANON_TRY(kanon__new_array(&found, r->bare.n, "intervals", err), out);
    for (uint32_t i = 0; i < r->bare.n; i++) {
        size_t length;
        const char *text = value_at(&r->bare, i, &length);
        if (!kanon__notation_interval(&found[n].interval, text, length, kind))
            continue;
        kanon__decimal number;
        found[n].bare = kanon__value_parse(&number, kind->type, &kind->format, text, length);
        r->vague[i] |= all && !found[n].bare;
        n_wide += !found[n].bare;
        found[n++].text = i;
    }
    if (!all && n_wide > 0) {
        qsort(found, (size_t)n, sizeof *found, compare_lows);
        mark_overlaps(r, found, n);
    }
out:
    kanon__free(found);
    return st;
}

/* Whether a text may be an interval; most columns have none, and a look at their bytes tells. */
static bool some_may_be_interval(const reading *r)
{
    for (uint32_t i = 0; i < r->bare.n; i++) {
        size_t length;
        const char *text = value_at(&r->bare, i, &length);
        if (length > 1 && (memchr("[](<>", text[0], 5) != NULL || memchr(text + 1, '-', length - 1) != NULL ||
                           memchr(text + 1, '.', length - 1) != NULL))
            return true;
    }
    return false;
}

/* Numbers and dates in every format that the schema leaves open. */
static kanon_status find_intervals(reading *r, kanon_error *err)
{
    static const kanon_type types[] = {KANON_TYPE_DECIMAL, KANON_TYPE_DATE};
    kanon_status st = KANON_OK;
    kanon_type said = r->attribute != NULL ? r->attribute->type : KANON_TYPE_UNKNOWN;
    if (r->taxonomy != NULL || (said != KANON_TYPE_UNKNOWN && !kanon__type_is_numeric(said)) || !some_may_be_interval(r))
        return KANON_OK;
    for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
        int n = 0;
        const kanon__value_format *formats = kanon__shape_formats(types[t], &n);
        if (said != KANON_TYPE_UNKNOWN && (said == KANON_TYPE_DATE) != (types[t] == KANON_TYPE_DATE))
            continue;
        for (int i = 0; i < n; i++) {
            const kanon__value_kind kind = {types[t], formats[i]};
            KANON_TRY(read_intervals(r, &kind, said != KANON_TYPE_UNKNOWN, err), out);
        }
        if (said != KANON_TYPE_UNKNOWN) {
            const kanon__value_kind kind = {types[t], kanon__attribute_format(r->attribute, r->schema)};
            KANON_TRY(read_intervals(r, &kind, true, err), out);
        }
    }
out:
    return st;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

/* Whether a bare text may stand for several values. */
static bool is_vague(const reading *r, uint32_t bare, const char *text, size_t length)
{
    if (r->taxonomy != NULL) {
        uint32_t label = kanon__dictionary_find(&r->taxonomy->labels, text, length);
        if (label != KANON__NO_CODE)
            return !r->is_leaf[label];
    }
    return r->vague[bare] || (length > 0 && (text[0] == '*' || text[length - 1] == '*'));
}

static kanon_status read_text(reading *r, kanon__plain_values *out, uint32_t i, kanon_error *err)
{
    size_t length;
    const char *text = value_at(r->texts, i, &length);
    uint32_t bare = r->bare_of[i];
    if (!kanon__schema_is_missing(r->schema, text, length)) {
        if (bare != KANON__NO_CODE)
            text = value_at(&r->bare, bare, &length);
        if (bare == KANON__NO_CODE || is_vague(r, bare, text, length)) {
            out->value_of[i] = KANON__NO_CODE;
            out->n_vague++;
            return KANON_OK;
        }
    }
    return kanon__dictionary_add(&out->values, &out->value_of[i], text, length, err);
}

kanon_status kanon__plain_values_read(kanon__plain_values *out, const kanon__dictionary *texts,
                                      const kanon__attribute *attribute, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    reading r = {.texts = texts, .attribute = attribute, .schema = schema};
    KANON_TRY(kanon__dictionary_init(&out->values, err), out);
    KANON_TRY(kanon__new_array(&out->value_of, texts->n, "sensitive values", err), out);
    KANON_TRY(list_leaves(&r, err), out);
    KANON_TRY(take_braces_off(&r, err), out);
    KANON_TRY(kanon__new_array(&r.vague, r.bare.n, "sensitive values", err), out);
    KANON_TRY(find_intervals(&r, err), out);
    for (uint32_t i = 0; i < texts->n; i++)
        KANON_TRY(read_text(&r, out, i, err), out);
out:
    kanon__meaning_clear(&r.meaning);
    kanon__taxonomy_free(r.taxonomy);
    kanon__free(r.is_leaf);
    kanon__free(r.bare_of);
    kanon__dictionary_clear(&r.bare);
    kanon__free(r.vague);
    return st;
}

void kanon__plain_values_clear(kanon__plain_values *values)
{
    kanon__dictionary_clear(&values->values);
    kanon__free(values->value_of);
    *values = (kanon__plain_values){0};
}
