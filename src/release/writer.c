#include "release/writer.h"

#include "core/alloc.h"

#include <stdio.h>
#include <string.h>

typedef struct writing {
    kanon__output *output;
    const kanon_table *table;
    const int32_t *group_of;
    const kanon__recoding *recoding;
    int *quasi_index; /* by column: which quasi attribute it is; -1: none */
    bool alone;       /* the release has one column only */
    kanon__csv csv;
    kanon__ticker *ticker;
    kanon__row_watcher watcher;
    void *payload;
} writing;

static void write_delimiter(writing *w, bool *first)
{
    if (!*first)
        kanon__output_write(w->output, &w->csv.delimiter, 1);
    *first = false;
}

static void end_line(writing *w)
{
    kanon__output_text(w->output, w->table->crlf ? "\r\n" : "\n");
}

/* NAME_min and NAME_max must not meet a column that is called so already. */
static kanon_status check_name_is_free(const kanon_table *t, const char *name, kanon_error *err)
{
    for (int i = 0; i < t->n_columns; i++)
        if (t->columns[i].role != KANON_ROLE_IDENTIFYING && strcmp(t->columns[i].name, name) == 0) {
            kanon_status st = kanon__fail(err, KANON_EINVAL, "%s:1: %s: the release would have two columns of this name",
                                          t->input.path, name);
            return kanon__hint(err, st, "choose another --numeric form, or rename the column");
        }
    return KANON_OK;
}

static kanon_status write_name(writing *w, const char *name, const char *suffix, bool *first, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *whole = NULL;
    size_t size = strlen(name) + strlen(suffix) + 1;
    KANON_TRY(kanon__new_array(&whole, (int64_t)size, "a column name", err), out);
    snprintf(whole, size, "%s%s", name, suffix);
    if (suffix[0] != '\0')
        KANON_TRY(check_name_is_free(w->table, whole, err), out);
    write_delimiter(w, first);
    kanon__output_cell(w->output, whole, size - 1, w->csv.delimiter);
out:
    kanon__free(whole);
    return st;
}

static kanon_status write_header(writing *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool first = true;
    for (int i = 0; i < w->table->n_columns; i++) {
        const kanon__column *c = &w->table->columns[i];
        if (c->role == KANON_ROLE_IDENTIFYING)
            continue;
        bool two = w->quasi_index[i] >= 0 && kanon__recoding_parts(w->recoding, w->quasi_index[i]) == 2;
        KANON_TRY(write_name(w, c->name, two ? "_min" : "", &first, err), out);
        if (two)
            KANON_TRY(write_name(w, c->name, "_max", &first, err), out);
    }
    end_line(w);
out:
    return st;
}

static void write_quasi(writing *w, int i, int32_t group, bool *first)
{
    for (int part = 0; part < kanon__recoding_parts(w->recoding, i); part++) {
        size_t length = 1;
        const char *text = group >= 0 ? kanon__recoding_text(w->recoding, group, i, part, &length) : "*";
        write_delimiter(w, first);
        if (length == 0 && w->alone) /* an empty line is no record to many readers */
            kanon__output_text(w->output, "\"\"");
        else if (w->recoding->plain[i])
            kanon__output_write(w->output, text, length);
        else
            kanon__output_cell(w->output, text, length, w->csv.delimiter);
    }
}

/* Quoted cells keep their quotes, so the bytes are those of the input. */
static void write_row(writing *w, int64_t row)
{
    bool first = true;
    for (int i = 0; i < w->table->n_columns; i++) {
        const kanon__cell *cell = &w->csv.cells[i];
        if (w->table->columns[i].role == KANON_ROLE_IDENTIFYING)
            continue;
        if (w->quasi_index[i] >= 0) {
            write_quasi(w, w->quasi_index[i], w->group_of[row], &first);
            continue;
        }
        write_delimiter(w, &first);
        size_t around = cell->quoted ? 1 : 0;
        kanon__output_write(w->output, cell->text - around, cell->length + 2 * around);
    }
    end_line(w);
}

static kanon_status write_in_order(writing *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t row = 0;; row++) {
        bool has_row;
        KANON_TRY(kanon__csv_next(&w->csv, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(w->watcher(row, row < w->table->n_rows ? w->group_of[row] : 0, w->csv.cells, w->payload, err), out);
        write_row(w, row);
        KANON_TRY(kanon__tick(w->ticker, row, w->table->n_rows, 300, err), out);
    }
out:
    return st;
}

/* Where each row begins in the input. */
static kanon_status find_rows(writing *w, size_t *positions, kanon_error *err)
{
    for (int64_t row = 0; row < w->table->n_rows; row++) {
        bool has_row;
        positions[row] = w->csv.position;
        kanon_status st = kanon__csv_next(&w->csv, &has_row, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

static kanon_status write_shuffled(writing *w, const int32_t *order, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t *positions = NULL;
    int64_t n = w->table->n_rows;
    KANON_TRY(kanon__new_array(&positions, n, "places of records", err), out);
    KANON_TRY(find_rows(w, positions, err), out);
    for (int64_t i = 0; i < n; i++) {
        bool has_row;
        kanon__csv_seek(&w->csv, positions[order[i]]);
        KANON_TRY(kanon__csv_next(&w->csv, &has_row, err), out);
        KANON_TRY(w->watcher(order[i], w->group_of[order[i]], w->csv.cells, w->payload, err), out);
        write_row(w, order[i]);
        KANON_TRY(kanon__tick(w->ticker, i, n, 400, err), out);
    }
out:
    kanon__free(positions);
    return st;
}

kanon_status kanon__release_write(kanon__output *output, const kanon_table *table, const int32_t *group_of,
                                  const kanon__recoding *recoding, const int32_t *order, kanon__ticker *ticker,
                                  kanon_error *err, kanon__row_watcher watcher, void *payload)
{
    kanon_status st = KANON_OK;
    writing w = {.output = output,
                 .table = table,
                 .group_of = group_of,
                 .recoding = recoding,
                 .ticker = ticker,
                 .watcher = watcher,
                 .payload = payload};
    KANON_TRY(kanon__new_array(&w.quasi_index, table->n_columns, "columns", err), out);
    int n_released = 0;
    for (int i = 0; i < table->n_columns; i++) {
        w.quasi_index[i] = -1;
        n_released += table->columns[i].role != KANON_ROLE_IDENTIFYING;
    }
    for (int i = 0; i < table->n_quasi; i++)
        w.quasi_index[table->quasi[i]] = i;
    w.alone = n_released == 1 && kanon__recoding_parts(recoding, 0) == 1;
    KANON_TRY(kanon__csv_open(&w.csv, &table->input, &table->csv_options, err), out);
    KANON_TRY(write_header(&w, err), out);
    KANON_TRY(order != NULL ? write_shuffled(&w, order, err) : write_in_order(&w, err), out);
out:
    kanon__csv_close(&w.csv);
    kanon__free(w.quasi_index);
    return st;
}

void kanon__groups_write(kanon__output *output, const int32_t *group_of, int64_t n_rows)
{
    kanon__output_text(output, "row,group\n");
    for (int64_t row = 0; row < n_rows; row++) {
        kanon__output_integer(output, row + 1);
        kanon__output_write(output, ",", 1);
        kanon__output_integer(output, (int64_t)group_of[row] + 1);
        kanon__output_write(output, "\n", 1);
    }
}
