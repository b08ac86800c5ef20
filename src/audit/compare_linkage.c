/* How many records somebody finds in a released file who knows their originals: measures/linkage.h, for rows of any tool. Rows
 * are classes by the texts of their quasi cells. A text covers the codes of its region (cell_regions.h); one that is no
 * value, or means no value or any, covers all. The ends of a region count as the values of the table inside it. */
#include "audit/comparer.h"
#include "core/alloc.h"
#include "measures/linkage.h"
#include "measures/singled_out.h"
#include "model/space.h"

#include <math.h>
#include <string.h>

typedef struct linker {
    const kanon__comparer *c;
    int *compared;       /* by quasi attribute: its column among those that are compared */
    kanon__space *space; /* of the quasi attributes */
    kanon__dictionary classes; /* tuples of texts */
    int32_t *class_of;   /* by record; -1: no row is it */
    uint32_t *regions;   /* by class and quasi attribute */
    int64_t *costs;      /* by class */
    bool has_gaps;       /* some text covers several runs of codes */
} linker;

/* Whether each row is one record, and each record one row at most. */
static bool is_placed(const kanon__comparison *found)
{
    bool means = false;
    for (int i = 0; i < found->n_columns; i++)
        means = means || found->columns[i].means;
    return found->n_rows > 0 && !means && found->unplaced == 0 && found->doubled == 0 && found->foreign == 0;
}

/* Whether the file has all quasi columns. */
static kanon_status find_columns(linker *l, bool *all, kanon_error *err)
{
    const kanon__data *data = &l->c->table->data;
    KANON_CHECK(kanon__new_array(&l->compared, data->n_quasi, "columns", err));
    *all = true;
    for (int q = 0; q < data->n_quasi; q++) {
        l->compared[q] = -1;
        for (int i = 0; i < l->c->found->n_columns; i++)
            if (l->c->found->columns[i].place == data->quasi[q])
                l->compared[q] = i;
        *all = *all && l->compared[q] >= 0;
    }
    return KANON_OK;
}

/* ---- regions ----------------------------------------------------------------------------------------------------- */

static bool covers_all(const kanon__cell_regions *regions, uint32_t text, uint32_t missing)
{
    const kanon__cell_region *region = kanon__cell_region_of(regions, text);
    bool is_missing = region->lo == region->hi && region->lo == missing && region->more < 0;
    return text == KANON__NO_CODE || regions->any[text] || regions->unknown[text] || is_missing;
}

/* From the least to the largest code that the text covers; its cost. */
static uint32_t find_region(linker *l, int q, uint32_t text, uint32_t out[2])
{
    const kanon__dimension *d = &l->space->dimensions[q];
    const kanon__cell_regions *regions = &l->c->readings[l->compared[q]].regions;
    if (covers_all(regions, text, d->column->domain->missing_code)) {
        out[0] = 0;
        out[1] = d->n_codes - 1;
        return d->full;
    }
    const kanon__cell_region *region = kanon__cell_region_of(regions, text);
    out[0] = region->lo;
    out[1] = region->hi;
    if (region->lo > region->hi) /* it covers no record of the table */
        return d->full;
    for (region = kanon__cell_region_next(regions, region); region != NULL; region = kanon__cell_region_next(regions, region)) {
        out[0] = region->lo < out[0] ? region->lo : out[0];
        out[1] = region->hi > out[1] ? region->hi : out[1];
        l->has_gaps = true;
    }
    return kanon__dimension_units(d, out[0], out[1]);
}

/* The text of a class in a quasi attribute. */
static uint32_t text_of(const linker *l, int64_t class_id, int q)
{
    size_t length;
    uint32_t text;
    const char *tuple = kanon__dictionary_text(&l->classes, (uint32_t)class_id, &length);
    memcpy(&text, tuple + (size_t)q * sizeof text, sizeof text);
    return text;
}

/* Whether the texts of a class cover the record exactly, where it is between their ends. */
static bool covers(const void *payload, int64_t class_id, int64_t record)
{
    const linker *l = payload;
    const kanon__data *data = &l->c->table->data;
    for (int q = 0; q < data->n_quasi; q++) {
        const kanon__column *column = &data->columns[data->quasi[q]];
        const kanon__cell_regions *regions = &l->c->readings[l->compared[q]].regions;
        uint32_t text = text_of(l, class_id, q);
        if (!covers_all(regions, text, column->domain->missing_code) &&
            !kanon__cell_region_covers(regions, text, kanon__code_at(column->codes, record)))
            return false;
    }
    return true;
}

static kanon_status find_classes(linker *l, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__comparison *found = l->c->found;
    int n_quasi = l->c->table->data.n_quasi;
    uint32_t *tuple = NULL;
    KANON_TRY(kanon__dictionary_init(&l->classes, err), out);
    KANON_TRY(kanon__new_array(&tuple, n_quasi, "a row", err), out);
    KANON_TRY(kanon__new_array(&l->class_of, found->n_records, "classes of rows", err), out);
    for (int64_t record = 0; record < found->n_records; record++)
        l->class_of[record] = -1;
    for (int64_t row = 0; row < found->n_rows; row++) {
        uint32_t class_id;
        for (int q = 0; q < n_quasi; q++)
            tuple[q] = l->c->file[l->compared[q]].codes[row];
        KANON_TRY(kanon__dictionary_add(&l->classes, &class_id, (const char *)tuple, (size_t)n_quasi * sizeof *tuple, err), out);
        l->class_of[found->row_of[row]] = (int32_t)class_id;
    }
    KANON_TRY(kanon__new_array(&l->regions, 2 * (int64_t)l->classes.n * n_quasi, "classes of rows", err), out);
    KANON_TRY(kanon__new_array(&l->costs, l->classes.n, "classes of rows", err), out);
    for (uint32_t i = 0; i < l->classes.n; i++)
        for (int q = 0; q < n_quasi; q++)
            l->costs[i] += find_region(l, q, text_of(l, i, q), l->regions + 2 * ((int64_t)i * n_quasi + q));
out:
    kanon__free(tuple);
    return st;
}

/* ---- what else is known ------------------------------------------------------------------------------------------ */

/* The cells of column i, as rows show them and as the records have them. */
static kanon_status add_column(kanon__row_numbers *numbers, const kanon__comparer *c, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__comparison *found = c->found;
    uint32_t *shown = NULL;
    bool same = true;
    KANON_TRY(kanon__new_array(&shown, found->n_records, "cells", err), out);
    memcpy(shown, c->plain[i].codes, (size_t)found->n_records * sizeof *shown);
    for (int64_t row = 0; row < found->n_rows; row++) {
        uint32_t code = c->readings[i].code_of[c->file[i].codes[row]];
        same = same && shown[found->row_of[row]] == code;
        shown[found->row_of[row]] = code;
    }
    const kanon__codes of_rows = {.cells = shown, .width = sizeof *shown},
                       of_records = {.cells = c->plain[i].codes, .width = sizeof *shown};
    if (same)
        KANON_TRY(kanon__row_numbers_add(numbers, of_records, err), out);
    else
        KANON_TRY(kanon__row_numbers_add_both(numbers, of_rows, of_records, err), out);
out:
    kanon__free(shown);
    return st;
}

/* The cells of a column that is permuted say nothing of a single record, so an attacker ignores them. If each stands in the
 * row of its record, they do, whatever the schema says. */
static bool is_known(const kanon__comparer *c, int i)
{
    const kanon__compared_column *column = &c->found->columns[i];
    return kanon__column_is_kept(&c->table->data.columns[column->place]) &&
           (!(column->shuffled || column->permuted) || column->away == 0);
}

/* All columns but the quasi ones, and but the secret. */
static kanon_status add_columns(kanon__row_numbers *numbers, const kanon__comparer *c, int secret, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; st == KANON_OK && i < c->found->n_columns; i++)
        if (i != secret && is_known(c, i))
            st = add_column(numbers, c, i, err);
    return st;
}

/* With all columns known but `secret`; -1: all of them; -2: with the quasi ones alone. */
static kanon_status ask(kanon__linkage_found *out, const linker *l, int secret, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row_numbers known = {0};
    const kanon__linked_rows rows = {.class_of = l->class_of,
                                     .n_classes = l->classes.n,
                                     .regions = l->regions,
                                     .costs = l->costs,
                                     .covers = l->has_gaps ? covers : NULL,
                                     .payload = l};
    KANON_TRY(kanon__row_numbers_new(&known, l->c->found->n_records, err), out);
    if (secret >= -1)
        KANON_TRY(add_columns(&known, l->c, secret, err), out);
    KANON_TRY(kanon__linkage_of_rows(out, l->c->table, &rows, &known, KANON__LINKAGE_WORK, l->c->ticker, err), out);
out:
    kanon__row_numbers_clear(&known);
    return st;
}

static kanon_status ask_all(const linker *l, kanon_error *err)
{
    enum { NOTHING = -2, NO_SECRET = -1 };
    kanon__comparison *found = l->c->found;
    kanon__linkage_found one = {0};
    bool asked = false;
    KANON_CHECK(ask(&one, l, NOTHING, err));
    found->linkage_quasi = one.share;
    found->linkage_error = one.error;
    for (int i = 0; i <= found->n_columns; i++) {
        bool is_secret = i < found->n_columns &&
                         l->c->table->data.columns[found->columns[i].place].role == KANON_ROLE_SENSITIVE;
        if (!is_secret && (i < found->n_columns || asked)) /* without a secret, all columns are known */
            continue;
        KANON_CHECK(ask(&one, l, is_secret ? i : NO_SECRET, err));
        found->linkage_all = asked ? fmax(found->linkage_all, one.share) : one.share;
        found->linkage_error = fmax(found->linkage_error, one.error);
        asked = true;
    }
    return KANON_OK;
}

kanon_status kanon__compare_linkage(const kanon__comparer *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *data = &c->table->data;
    linker l = {.c = c};
    bool all = false;
    c->found->linkage_quasi = c->found->linkage_all = NAN;
    if (!is_placed(c->found))
        return KANON_OK;
    KANON_TRY(find_columns(&l, &all, err), out);
    if (!all)
        goto out;
    KANON_TRY(kanon__space_new(&l.space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(find_classes(&l, err), out);
    KANON_TRY(ask_all(&l, err), out);
out:
    kanon__free(l.costs);
    kanon__free(l.regions);
    kanon__free(l.class_of);
    kanon__dictionary_clear(&l.classes);
    kanon__space_free(l.space);
    kanon__free(l.compared);
    return st;
}
