/* Reads one column of a table: its distinct values, how many records have each, and where each first stands. */
#include "core/alloc.h"
#include "core/take_options.h"
#include "core/text.h"
#include "table/read/open_table.h"
#include "table/schema/schema.h"
#include "table/text/decode.h"
#include "taxonomy/taxonomy_document.h"

#include <kanon_host.h>
#include <stdio.h>
#include <string.h>

static bool means_missing(const kanon_column_options *o, const char *text, size_t length)
{
    if (o->schema != NULL && kanon__schema_is_missing(o->schema, text, length))
        return true;
    if (kanon__same_value(text, length, "", 0))
        return o->schema == NULL && !o->empty_is_value;
    for (size_t i = 0; i < o->n_missing; i++)
        if (kanon__same_value(o->missing[i], strlen(o->missing[i]), text, length))
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

/* The text of a cell, without what CSV puts around it. */
static kanon_status take_cell(kanon__column_values *v, const kanon__cell *cell, int64_t line, const kanon_column_options *o,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *text = cell->text;
    size_t length = cell->length;
    char *scratch = NULL;
    if (cell->doubled) {
        KANON_TRY(kanon__new_array(&scratch, (int64_t)length, "a cell", err), out);
        length = kanon__csv_unescape(scratch, cell);
        text = scratch;
    }
    v->n_rows++;
    if (!cell->null && !means_missing(o, text, length))
        KANON_TRY(count_value(v, text, length, line, err), out);
out:
    kanon__free(scratch);
    return st;
}

static kanon_status read_rows(kanon__column_values *v, kanon__csv *csv, int column, const kanon_column_options *o,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool has_row = false;
    for (;;) {
        KANON_TRY(kanon__csv_next(csv, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(take_cell(v, &csv->cells[column], csv->line, o, err), out);
    }
out:
    return st;
}

static kanon_status fail_no_column(const char *where, char *const *names, int n, const char *column, kanon_error *err)
{
    const char *nearest = kanon_nearest_word((const char *const *)names, (size_t)n, column);
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: the table has no such column", where, column);
    return nearest != NULL ? kanon__hint(err, st, "did you mean '%s'?", nearest)
                           : kanon__hint(err, st, "the names are in the first line of the table; is the delimiter right?");
}

/* The number of a column in a table without a header, where columns are called c1, c2, ...; -1: there is none. */
static int column_at_place(const kanon__csv *csv, const char *name)
{
    char place[24];
    for (int i = 0; i < csv->n_columns; i++) {
        snprintf(place, sizeof place, "c%d", i + 1);
        if (strcmp(place, name) == 0)
            return i;
    }
    return -1;
}

/* The column of a table in text. */
static kanon_status read_csv(kanon__column_values *v, kanon__input *input, const kanon__csv_reading *how,
                             const kanon_column_options *o, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv csv = {0};
    char header[KANON__PLACE_TEXT];
    KANON_TRY(kanon__input_decode(input, how->encoding, NULL, err), out);
    kanon_header said = how->header == KANON_HEADER_UNSAID && o->schema != NULL ? o->schema->header : how->header;
    const kanon__csv_options reading = {.delimiter = how->delimiter, .no_header = said == KANON_HEADER_NO};
    KANON_TRY(kanon__csv_open(&csv, input, &reading, err), out);
    int column = reading.no_header ? column_at_place(&csv, o->column) : kanon__csv_find_column(&csv, o->column);
    snprintf(header, sizeof header, "%s:1", input->path);
    st = column >= 0 ? read_rows(v, &csv, column, o, err)
                     : fail_no_column(header, csv.names, reading.no_header ? 0 : csv.n_columns, o->column, err);
out:
    kanon__csv_close(&csv);
    return st;
}

/* The same of a typed one; rows have no lines there, and are counted. */
static kanon_status read_stream(kanon__column_values *v, kanon__input *input, const kanon_column_options *o,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__source *source = NULL;
    kanon__cursor *cursor = NULL;
    bool has_row = true;
    KANON_TRY(kanon__table_source_read(&source, input, &(kanon__csv_reading){0}, NULL, err), out);
    int column = kanon__source_find(source, o->column);
    if (column < 0) {
        st = fail_no_column(source->name, source->column_names, source->n_columns, o->column, err);
        goto out;
    }
    KANON_TRY(source->class->open(&cursor, source, err), out);
    for (;;) {
        KANON_TRY(source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(take_cell(v, &cursor->cells[column], cursor->row + 1, o, err), out);
    }
out:
    if (cursor != NULL)
        source->class->close(cursor);
    kanon__source_free(source);
    return st;
}

kanon_status kanon__column_values_read(kanon__column_values *out, const kanon_input *table,
                                       const kanon_column_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_column_options o;
    kanon__input input = {0};
    kanon__csv_reading how;
    *out = (kanon__column_values){0};
    st = kanon__take_options(&o, sizeof o, options, err);
    if (st == KANON_OK && o.column == NULL)
        st = kanon__fail(err, KANON_EINVAL, "a column of a table must be named");
    KANON_TRY(kanon__table_input_take(&input, &how, table, st, err), out);
    KANON_TRY(kanon__copy_text(&out->name, input.path, strlen(input.path), "a file name", err), out);
    KANON_TRY(kanon__dictionary_init(&out->texts, err), out);
    KANON_TRY(input.stream != NULL ? read_stream(out, &input, &o, err) : read_csv(out, &input, &how, &o, err), out);
out:
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
