/* Reads one column of a CSV table: its distinct values, how many records have each, and where each first stands. Called by
 * taxonomy_levels.c, taxonomy_document.c and taxonomy_lint.c; calls table/csv.h and table/source/decode.h. */
#include "core/alloc.h"
#include "core/take_options.h"
#include "table/source/decode.h"
#include "taxonomy/taxonomy_document.h"

#include <string.h>

static bool means_missing(const kanon_column_options *o, const char *text, size_t length)
{
    if (o->missing == NULL)
        return length == 0;
    for (size_t i = 0; i < o->n_missing; i++)
        if (strlen(o->missing[i]) == length && memcmp(o->missing[i], text, length) == 0)
            return true;
    return false;
}

static kanon_status count_value(kanon__column_values *v, const char *text, size_t length, int64_t line, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t n_before = v->texts.n, code;
    KANON_TRY(kanon__grow_array(&v->counts, &v->counts_capacity, (int64_t)n_before + 1, "values", err), out);
    KANON_TRY(kanon__grow_array(&v->lines, &v->lines_capacity, (int64_t)n_before + 1, "values", err), out);
    KANON_TRY(kanon__dictionary_add(&v->texts, &code, text, length, err), out);
    if (code == n_before) {
        v->counts[code] = 0;
        v->lines[code] = line;
    }
    v->counts[code]++;
out:
    return st;
}

static kanon_status read_rows(kanon__column_values *v, kanon__csv *csv, int column, const kanon_column_options *o,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool has_row = false;
    char *scratch = NULL;
    int64_t capacity = 0;
    for (;;) {
        KANON_TRY(kanon__csv_next(csv, &has_row, err), out);
        if (!has_row)
            break;
        const kanon__cell *cell = &csv->cells[column];
        const char *text = cell->text;
        size_t length = cell->length;
        if (cell->doubled) {
            KANON_TRY(kanon__grow_array(&scratch, &capacity, (int64_t)length, "a cell", err), out);
            length = kanon__csv_unescape(scratch, cell);
            text = scratch;
        }
        v->n_rows++;
        if (!means_missing(o, text, length))
            KANON_TRY(count_value(v, text, length, csv->line, err), out);
    }
out:
    kanon__free(scratch);
    return st;
}

static kanon_status fail_no_column(const kanon__csv *csv, const char *column, kanon_error *err)
{
    const char *nearest = kanon_nearest_word((const char *const *)csv->names, (size_t)csv->n_columns, column);
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s:1: %s: the table has no such column", csv->input->path, column);
    return nearest != NULL ? kanon__hint(err, st, "did you mean '%s'?", nearest)
                           : kanon__hint(err, st, "the names are in the first line of the table; is the delimiter right?");
}

kanon_status kanon__column_values_read(kanon__column_values *out, const char *path, const kanon_column_options *options,
                                       kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_column_options o;
    kanon__input input = {0};
    kanon__csv csv = {0};
    *out = (kanon__column_values){0};
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    if (o.column == NULL || (path == NULL && o.bytes == NULL)) {
        st = kanon__fail(err, KANON_EINVAL, "a column of a table must be named");
        goto out;
    }
    if (o.bytes != NULL)
        KANON_TRY(kanon__input_from_bytes(&input, path != NULL ? path : "the table", o.bytes, o.size, NULL, err), out);
    else
        KANON_TRY(kanon__input_open(&input, path, err), out);
    KANON_TRY(kanon__input_decode(&input, NULL, NULL, err), out);
    KANON_TRY(kanon__copy_text(&out->name, input.path, strlen(input.path), "a file name", err), out);
    KANON_TRY(kanon__dictionary_init(&out->texts, err), out);
    KANON_TRY(kanon__csv_open(&csv, &input, &(kanon__csv_options){.delimiter = o.delimiter}, err), out);
    int column = kanon__csv_find_column(&csv, o.column);
    if (column < 0) {
        st = fail_no_column(&csv, o.column, err);
        goto out;
    }
    KANON_TRY(read_rows(out, &csv, column, &o, err), out);
out:
    kanon__csv_close(&csv);
    kanon__input_close(&input);
    if (st != KANON_OK)
        kanon__column_values_clear(out);
    return st;
}

void kanon__column_values_clear(kanon__column_values *v)
{
    kanon__dictionary_clear(&v->texts);
    kanon__free(v->counts);
    kanon__free(v->lines);
    kanon__free(v->name);
    *v = (kanon__column_values){0};
}
