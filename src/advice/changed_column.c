/* See changed_column.h. The texts of the codes are read again, as raw columns are. Calls table/domain and, for the width of
 * bands, propose/coarsening.h. */
#include "advice/changed_column.h"

#include "core/alloc.h"
#include "model/terms.h"
#include "propose/coarsening.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* The texts of all codes, in their order. */
static kanon_status list_texts(kanon__dictionary *out, const kanon__column *c, kanon_error *err)
{
    for (uint32_t code = 0, added; code < c->domain->n_codes; code++) {
        size_t length;
        const char *text = kanon__column_text(c, code, &length);
        KANON_CHECK(kanon__dictionary_add(out, &added, text, length, err));
        if (added != code)
            return kanon__fail(err, KANON_EDATA, "%s: two values have one text", c->name);
    }
    return KANON_OK;
}

kanon_status kanon__changed_column(kanon__column *out, const kanon__data *data, int column, const kanon__source *source,
                                   kanon__column_key key, const char *text, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *c = &data->columns[column];
    kanon__dictionary texts = {0};
    uint32_t *new_code = NULL;
    kanon__attribute said = {.name = c->name, .type = c->domain->type, .weight = 1};
    const kanon_schema nothing = {0};
    char *copy = (char *)text;
    *out = *c;
    out->domain = NULL;
    out->codes = (kanon__codes){0};
    if (key == KANON__COLUMN_MASK)
        said.mask = KANON__MASK_RIGHT;
    else
        said.said[key] = copy;
    said.format = c->domain->format;
    KANON_TRY(kanon__dictionary_init(&texts, err), out);
    KANON_TRY(list_texts(&texts, c, err), out);
    KANON_TRY(kanon__new_array(&new_code, texts.n, "codes", err), out);
    const kanon__raw_column raw = {.name = c->name,
                                   .source = source,
                                   .n_rows = data->n_rows,
                                   .codes = c->codes,
                                   .values = &texts,
                                   .null_code = c->domain->missing_code,
                                   .natural = c->domain->type};
    KANON_TRY(kanon__domain_build(&out->domain, new_code, &raw, &said, &nothing, err), out);
    KANON_TRY(kanon__codes_new(&out->codes, data->n_rows, out->domain->n_codes, false, err), out);
    kanon__codes_translate(out->codes, 0, c->codes, data->n_rows, new_code);
out:
    kanon__free(new_code);
    kanon__dictionary_clear(&texts);
    if (st != KANON_OK)
        kanon__changed_column_clear(out);
    return st;
}

void kanon__changed_column_clear(kanon__column *c)
{
    kanon__domain_free(c->domain);
    kanon__codes_clear(&c->codes);
    c->domain = NULL;
}

bool kanon__changed_column_bands(char *out, size_t size, const kanon__column *c)
{
    const kanon__domain *d = c->domain;
    if (!kanon__type_has_mean(d->type) || d->bands != NULL || c->drawn || kanon__n_numbers(d) < 2)
        return false;
    kanon__column_facts facts = {.n_distinct = kanon__n_numbers(d), .min = d->values[0],
                                 .max = d->values[kanon__n_numbers(d) - 1]};
    kanon__decision decision = {.type = d->type};
    facts.shape.format = d->format;
    kanon__coarsening_bands(&decision, &facts);
    snprintf(out, size, "%s", decision.bands);
    return out[0] != '\0';
}

bool kanon__changed_column_masks(const kanon__column *c)
{
    enum { LEAST_LENGTH = 3, LEAST_VALUES = 10 };
    size_t length, first = 0;
    bool digits = false;
    if (kanon__column_is_numeric(c) || !c->domain->taxonomy->flat || c->domain->n_codes < LEAST_VALUES)
        return false;
    for (uint32_t code = 0; code < c->domain->n_codes; code++) {
        if (code == c->domain->missing_code)
            continue;
        const char *text = kanon__column_text(c, code, &length);
        first = first == 0 ? length : first;
        if (length != first || length < LEAST_LENGTH || !kanon__tree_can_mask(text, length))
            return false;
        for (size_t i = 0; i < length; i++)
            digits = digits || isdigit((unsigned char)text[i]);
    }
    return digits;
}
