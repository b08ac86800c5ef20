/* See whole_row_check.h. Cells count as they stand in the file, also those that mean no value. Sensitive columns were read
 * with the quasi ones; the insensitive ones are read here, some at a time. */
#include "audit/whole_row_check.h"
#include "core/alloc.h"
#include "measures/whole_row.h"
#include "table/schema/schema.h"

#include <string.h>

static uint32_t count_codes(const kanon__released *r, int column)
{
    uint32_t n = 0;
    for (int64_t row = 0; row < r->n_rows; row++)
        n = r->columns[column].raw[row] >= n ? r->columns[column].raw[row] + 1 : n;
    return n;
}

/* Whether the schema says that the cells of the column change places inside their groups. */
static bool is_apart(const kanon__released *r, const char *column)
{
    return kanon__attribute_is_permuted(kanon__schema_find(r->schema, column));
}

static kanon_status add_sensitive(kanon__whole_row *w, double *share, const kanon__released *r, int column,
                                  kanon_error *err)
{
    kanon__codes codes = {.cells = (void *)(uintptr_t)r->columns[column].raw, .width = sizeof *r->columns[column].raw};
    return kanon__whole_row_add(w, share, codes, count_codes(r, column), is_apart(r, r->columns[column].name), err);
}

static void add_figure(kanon__privacy_result *found, const char *column, double share)
{
    *found->figures[found->n_figures++] = (kanon_privacy_figure){
        .model = "singling-out", .attribute = column, .figure = "singled_out", .value = share};
}

kanon_status kanon__whole_row_check(kanon__privacy_result *found, const kanon__released *r, const kanon__codes *persons,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__whole_row *w = NULL;
    double *shares = NULL;
    bool *apart = NULL;
    KANON_TRY(kanon__new_array(&shares, r->n_columns + r->n_insensitive, "columns", err), out);
    KANON_TRY(kanon__new_array(&apart, r->n_insensitive, "columns", err), out);
    KANON_TRY(kanon__whole_row_new(&w, r->group_of, r->n_rows, r->n_groups, persons, r->ticker, err), out);
    for (int i = 0; i < r->n_columns; i++) {
        KANON_TRY(add_sensitive(w, &shares[i], r, i, err), out);
        add_figure(found, r->columns[i].name, shares[i]);
    }
    for (int i = 0; i < r->n_insensitive; i++)
        apart[i] = is_apart(r, r->source->column_names[r->insensitive[i]]);
    KANON_TRY(kanon__whole_row_add_source(w, shares, r->source, r->insensitive, apart, r->n_insensitive, 0, err), out);
    for (int i = 0; i < r->n_insensitive; i++) {
        const char *name = r->source->column_names[r->insensitive[i]];
        KANON_TRY(kanon__texts_add(&found->insensitive, name, strlen(name), err), out);
        add_figure(found, found->insensitive.items[i], shares[i]);
    }
    found->singled_out_all = kanon__whole_row_all(w);
out:
    kanon__whole_row_free(w);
    kanon__free(apart);
    kanon__free(shares);
    return st;
}
