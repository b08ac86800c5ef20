/* See added_columns.h. Calls table/text/source.h and table/domain. */
#include "advice/added_columns.h"

#include "core/alloc.h"

#include <string.h>

/* A column whose values are nearly all different is no quasi-identifier but a name, or a measurement of its own. */
static bool repeats(const kanon__dictionary *values, int64_t n_rows)
{
    return (int64_t)values->n <= n_rows / 2;
}

/* Nothing is added where the texts are of no single type. */
static kanon_status encode(kanon__added_columns *a, int column, const kanon_table *t, kanon__raw_columns *read,
                           kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__column *c = &a->data.columns[column];
    kanon__dictionary *values = &read->dictionaries[column];
    uint32_t *new_code = NULL;
    kanon_error inner = KANON_INIT(kanon_error);
    const kanon_schema said = {.missing = t->missing};
    const kanon__source *source = t->source;
    const kanon__raw_column raw = {
        .name = c->name,
        .source = source,
        .n_rows = t->data.n_rows,
        .codes = read->codes[column],
        .values = values,
        .null_code = read->null_codes[column],
        .levels = source->levels != NULL ? &source->levels[column] : NULL,
        .natural = source->natural != NULL ? source->natural[column] : KANON_TYPE_UNKNOWN,
    };
    if (!repeats(values, t->data.n_rows))
        return KANON_OK;
    KANON_TRY(kanon__new_array(&new_code, values->n, "codes", err), out);
    if (kanon__domain_build(&c->domain, new_code, &raw, NULL, &said, &inner) != KANON_OK) {
        st = inner.status == KANON_EDATA ? KANON_OK : inner.status;
        if (st != KANON_OK)
            kanon__error_copy(err, &inner);
        goto out;
    }
    KANON_TRY(kanon__codes_new(&c->codes, t->data.n_rows, c->domain->n_codes, false, err), out);
    kanon__codes_translate(c->codes, 0, raw.codes, t->data.n_rows, new_code);
    a->columns[a->n++] = column;
out:
    if (st != KANON_OK) {
        kanon__domain_free(c->domain);
        c->domain = NULL;
    }
    kanon__free(new_code);
    return st;
}

static kanon_status read_columns(kanon__added_columns *a, const int *wanted, int n, const kanon_table *t, int threads,
                                 kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__source *source = t->source;
    kanon__raw_columns raw = {.wanted = wanted, .n_wanted = n, .threads = threads, .ticker = ticker};
    KANON_TRY(kanon__new_array(&raw.dictionaries, source->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&raw.codes, source->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&raw.null_codes, source->n_columns, "columns", err), out);
    for (int i = 0; i < source->n_columns; i++) /* text files know no null */
        raw.null_codes[i] = KANON__NO_CODE;
    KANON_TRY(source->class->read(source, &raw, err), out);
    for (int i = 0; i < n; i++)
        KANON_TRY(encode(a, wanted[i], t, &raw, err), out);
out:
    for (int i = 0; i < n && raw.codes != NULL && raw.dictionaries != NULL; i++) {
        kanon__codes_clear(&raw.codes[wanted[i]]);
        kanon__dictionary_clear(&raw.dictionaries[wanted[i]]);
    }
    kanon__free(raw.null_codes);
    kanon__free(raw.codes);
    kanon__free(raw.dictionaries);
    return st;
}

bool kanon__column_can_be_added(const kanon__data *data, int column)
{
    const kanon__column *c = &data->columns[column];
    bool is_entity = data->has_entity && data->entity_column == column;
    return c->role == KANON_ROLE_INSENSITIVE && !c->permuted && c->domain == NULL && !is_entity;
}

kanon_status kanon__added_columns_read(kanon__added_columns *out, const kanon_table *t, int threads, kanon__ticker *ticker,
                                       kanon_error *err)
{
    int wanted[KANON__MOST_ADDED], n = 0;
    *out = (kanon__added_columns){.data = t->data};
    out->data.columns = NULL;
    KANON_CHECK(kanon__new_array(&out->data.columns, t->data.n_columns, "columns", err));
    memcpy(out->data.columns, t->data.columns, (size_t)t->data.n_columns * sizeof *out->data.columns);
    for (int i = 0; i < t->data.n_columns && n < KANON__MOST_ADDED; i++)
        if (kanon__column_can_be_added(&t->data, i))
            wanted[n++] = i;
    return n > 0 && t->source != NULL ? read_columns(out, wanted, n, t, threads, ticker, err) : KANON_OK;
}

void kanon__added_columns_clear(kanon__added_columns *a)
{
    for (int i = 0; i < a->n; i++) {
        kanon__domain_free(a->data.columns[a->columns[i]].domain);
        kanon__codes_clear(&a->data.columns[a->columns[i]].codes);
    }
    kanon__free(a->data.columns);
    *a = (kanon__added_columns){0};
}
