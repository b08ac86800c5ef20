/* Groupings from a groups file, wherever tables are: a CSV file, a Parquet file or a table of a database with the
 * columns row and group. Every row of the table is named once, in any order. */
#include "core/alloc.h"
#include "core/context.h"
#include "model/grouping.h"
#include "table/read/open_table.h"
#include "table/text/decode.h"
#include "table/value/number.h"

#include <stdio.h>
#include <string.h>

enum { ROW, GROUP, N_COLUMNS };

/* The lines of a groups file: those of a text, or the rows of a stream. */
typedef struct groups_file {
    kanon__csv csv;
    kanon__source *source; /* NULL: it is a text */
    kanon__cursor *cursor;
} groups_file;

static void close_file(groups_file *f)
{
    if (f->cursor != NULL)
        f->source->class->close(f->cursor);
    kanon__source_free(f->source);
    kanon__csv_close(&f->csv);
}

enum { MOST_LINE = 64 };

/* ---- lines -------------------------------------------------------------------------------------------------------- */

static kanon_status check_names(const char *place, char *const *names, int n, const char *hint, kanon_error *err)
{
    if (n == N_COLUMNS && strcmp(names[ROW], "row") == 0 && strcmp(names[GROUP], "group") == 0)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: column 1: not a groups file", place);
    return kanon__hint(err, st, "%s", hint);
}

static kanon_status open_text(groups_file *f, kanon__input *input, const kanon__csv_reading *how, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char place[KANON__PLACE_TEXT];
    KANON_TRY(kanon__input_decode(input, how->encoding, NULL, err), out);
    KANON_TRY(kanon__csv_open(&f->csv, input, &(kanon__csv_options){.delimiter = how->delimiter}, err), out);
    snprintf(place, sizeof place, "%s:1", input->path);
    st = check_names(place, f->csv.names, f->csv.n_columns, "its first line is 'row,group'", err);
out:
    return st;
}

/* The input is taken over in any case. */
static kanon_status open_stream(groups_file *f, kanon__input *input, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__table_source_new(&f->source, input, &(kanon__csv_reading){0}, err), out);
    KANON_TRY(check_names(f->source->name, f->source->column_names, f->source->n_columns,
                          "it has the columns row and group, and no others", err),
              out);
    KANON_TRY(kanon__table_source_load(f->source, 0, NULL, err), out);
    KANON_TRY(f->source->class->open(&f->cursor, f->source, err), out);
out:
    return st;
}

static kanon_status next_line(groups_file *f, bool *has_row, kanon_error *err)
{
    return f->source != NULL ? f->source->class->next(f->cursor, has_row, err) : kanon__csv_next(&f->csv, has_row, err);
}

static kanon_status fail_at(const groups_file *f, int column, const char *what, kanon_error *err)
{
    return f->source != NULL ? kanon__cursor_fail(f->cursor, column, what, err)
                             : kanon__csv_fail(&f->csv, column, err, "%s", what);
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

static kanon_status read_number(const groups_file *f, int column, int64_t *value, kanon_error *err)
{
    const kanon__cell *cell = f->source != NULL ? &f->cursor->cells[column] : &f->csv.cells[column];
    if (kanon__parse_integer(value, cell->text, cell->length) && *value >= (column == ROW ? 1 : 0))
        return KANON_OK;
    kanon_status st = fail_at(f, column, column == ROW ? "not a row number" : "not a group number", err);
    return kanon__hint(err, st,
                       column == ROW ? "rows are numbered from 1, in input order"
                                     : "groups are numbered from 1, and 0 is a suppressed record");
}

static kanon_status fail_missing(const groups_file *f, const kanon_table *table, int64_t n, kanon_error *err)
{
    kanon_status st;
    long long missing = (long long)(table->data.n_rows - n);
    if (f->source != NULL)
        st = kanon__fail(err, KANON_EDATA, "%s: row: %lld rows of the table are not named", f->source->name, missing);
    else
        st = kanon__fail(err, KANON_EDATA, "%s:%lld: row: %lld rows of the table have no line", f->csv.input->path,
                         (long long)n + 2, missing);
    return kanon__hint(err, st, "the table has %lld rows, and each is named once", (long long)table->data.n_rows);
}

/* Every row of the table once, in any order. group_of is -1 for rows not seen yet. */
static kanon_status read_lines(groups_file *f, const kanon_table *table, int64_t *group_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = 0;
    for (;; n++) {
        bool has_row;
        int64_t row, group;
        KANON_TRY(next_line(f, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(read_number(f, ROW, &row, err), out);
        KANON_TRY(read_number(f, GROUP, &group, err), out);
        if (row > table->data.n_rows || group_of[row - 1] >= 0) {
            st = fail_at(f, ROW, row > table->data.n_rows ? "the table has no such row" : "this row was given before", err);
            kanon__hint(err, st, "the table has %lld rows, and each is named once", (long long)table->data.n_rows);
            goto out;
        }
        group_of[row - 1] = group;
    }
    if (n < table->data.n_rows)
        st = fail_missing(f, table, n, err);
out:
    return st;
}

/* ---- a file ------------------------------------------------------------------------------------------------------- */

/* The grouping in an input, which is closed in any case. */
static kanon_status read_input(kanon_grouping **out, const kanon_table *table, kanon__input *input,
                               const kanon__csv_reading *how, kanon_error *err)
{
    kanon_status st = KANON_OK;
    groups_file f = {0};
    int64_t *group_of = NULL;
    KANON_TRY(input->stream != NULL ? open_stream(&f, input, err) : open_text(&f, input, how, err), out);
    KANON_TRY(kanon__new_array(&group_of, table->data.n_rows, "a grouping", err), out);
    memset(group_of, 0xff, (size_t)table->data.n_rows * sizeof *group_of); /* -1: not seen yet */
    KANON_TRY(read_lines(&f, table, group_of, err), out);
    KANON_TRY(kanon__grouping_from_numbers(out, table, group_of, err), out);
out:
    kanon__free(group_of);
    close_file(&f);
    kanon__input_close(input);
    return st;
}

kanon_status kanon_grouping_read(kanon_grouping **out, const kanon_table *table, const kanon_input *groups, kanon_error *err)
{
    kanon__call call;
    kanon__input input;
    kanon__csv_reading how;
    *out = NULL;
    kanon__call_begin(&call, table->context);
    /* a line has two numbers of up to 20 digits, quoted at most */
    uint64_t most = ((uint64_t)table->data.n_rows + 2) * MOST_LINE;
    kanon_status st =
        kanon__table_input_take_upto(&input, &how, groups, most, "a groups file of this table", KANON_OK, err);
    return kanon__call_end(&call, st == KANON_OK ? read_input(out, table, &input, &how, err) : st);
}
