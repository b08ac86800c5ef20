/* Rows of CSV: opening a source, and cursors that read its rows again. */
#include "table/read/csv_source.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "core/ticker.h"
#include "table/read/header_shape.h"
#include "table/text/decode.h"

#include <stdio.h>
#include <string.h>

typedef struct csv_cursor {
    kanon__cursor base;
    kanon__csv csv;
} csv_cursor;

static const kanon__csv_source *as_csv(const kanon__source *source)
{
    return (const kanon__csv_source *)source;
}

static void free_source(kanon__source *source)
{
    kanon__csv_source *s = (kanon__csv_source *)source;
    kanon__free(s->marks);
    kanon__input_close(&s->input);
    kanon__free(s);
}

/* ---- cursors ------------------------------------------------------------------------------------------------------ */

static void close_cursor(kanon__cursor *cursor)
{
    if (cursor == NULL)
        return;
    csv_cursor *c = (csv_cursor *)cursor;
    kanon__csv_close(&c->csv);
    kanon__free(c);
}

static kanon_status open_cursor(kanon__cursor **out, const kanon__source *source, kanon_error *err)
{
    kanon_status st = KANON_OK;
    csv_cursor *c = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "a cursor", err), out);
    c->base.source = source;
    c->base.row = -1;
    KANON_TRY(kanon__csv_open(&c->csv, &as_csv(source)->input, &as_csv(source)->options, err), out);
    c->base.cells = c->csv.cells;
    c->base.total = (int64_t)source->size;
    *out = &c->base;
    c = NULL;
out:
    kanon__free(c);
    return st;
}

/* The mark of a part's first row. */
static size_t position_of(const kanon__csv_source *s, int64_t row)
{
    int64_t low = 0, high = s->n_marks - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (s->marks[middle].row <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return s->marks[low].position;
}

static void seek(kanon__cursor *cursor, int64_t row, const int64_t *positions)
{
    csv_cursor *c = (csv_cursor *)cursor;
    cursor->row = row - 1;
    if (row == 0)
        kanon__csv_rewind(&c->csv);
    else
        kanon__csv_seek(&c->csv, positions != NULL ? (size_t)positions[row] : position_of(as_csv(cursor->source), row));
}

static kanon_status next(kanon__cursor *cursor, bool *has_row, kanon_error *err)
{
    csv_cursor *c = (csv_cursor *)cursor;
    kanon_status st = kanon__csv_next(&c->csv, has_row, err);
    cursor->cells = c->csv.cells;
    cursor->begin = c->csv.row_begin;
    cursor->end = c->csv.position;
    cursor->done = (int64_t)c->csv.position;
    cursor->row++;
    return st;
}

/* ---- rows in any order -------------------------------------------------------------------------------------------- */

typedef struct location {
    const kanon__csv_source *source;
    int64_t *positions;
} location;

static kanon_status locate_part(int64_t mark, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const location *l = payload;
    const kanon__csv_source *s = l->source;
    kanon__csv csv = {0};
    bool has_row = true;
    int64_t end = mark + 1 < s->n_marks ? s->marks[mark + 1].row : s->base.n_rows;
    KANON_TRY(kanon__csv_open(&csv, &s->input, &s->options, err), out);
    kanon__csv_seek(&csv, s->marks[mark].position);
    for (int64_t row = s->marks[mark].row; row < end && has_row; row++) {
        l->positions[row] = (int64_t)csv.position;
        KANON_TRY(kanon__csv_next(&csv, &has_row, err), out);
    }
out:
    kanon__csv_close(&csv);
    return st;
}

static kanon_status locate(int64_t **positions, const kanon__source *source, int threads, kanon_error *err)
{
    location l = {.source = as_csv(source)};
    kanon_status st = kanon__new_array(positions, source->n_rows, "places of records", err);
    l.positions = *positions;
    return st == KANON_OK ? kanon__pool_run(threads, l.source->n_marks, locate_part, &l, err) : st;
}

/* ---- the source --------------------------------------------------------------------------------------------------- */

static kanon_status unchanged(const kanon__source *source, kanon_error *err)
{
    return kanon__input_unchanged(&as_csv(source)->input, err);
}

static kanon_status hash_bytes(const kanon__source *source, kanon__sha256 *hash, kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    size_t n;
    for (size_t at = 0; at < source->size; at += n) {
        kanon_status st = kanon__input_chunk(&as_csv(source)->input, at, source->size, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        kanon__sha256_add(hash, bytes, n);
        st = kanon__poll_tick((int64_t)n, err);
        if (st != KANON_OK)
            return st;
    }
    return unchanged(source, err);
}

static int64_t line_of_row(const kanon__source *source, int64_t row)
{
    return kanon__csv_line_of_row(&as_csv(source)->input, &as_csv(source)->options, row);
}

static const kanon__source_class csv_class = {.free = free_source,
                                              .read = kanon__csv_source_read,
                                              .open = open_cursor,
                                              .close = close_cursor,
                                              .seek = seek,
                                              .next = next,
                                              .locate = locate,
                                              .hash = hash_bytes,
                                              .unchanged = unchanged,
                                              .line_of_row = line_of_row};

static kanon_status copy_names(kanon__source *source, char *const *names, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&source->column_names, n, "column names", err), out);
    for (; source->n_columns < n; source->n_columns++) {
        const char *name = names[source->n_columns];
        KANON_TRY(kanon__copy_text(&source->column_names[source->n_columns], name, strlen(name), "a column name", err), out);
    }
out:
    return st;
}

static bool has_name(const kanon__source *source, const char *name)
{
    for (int i = 0; i < source->n_columns; i++)
        if (strcmp(source->column_names[i], name) == 0)
            return true;
    return false;
}

/* c1, c2, ... for columns without a name. */
enum { PLACE_NAME = 16 };

static kanon_status name_by_places(kanon__source *source, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char name[PLACE_NAME];
    KANON_TRY(kanon__new_array(&source->column_names, n, "column names", err), out);
    for (; source->n_columns < n; source->n_columns++) {
        int length = snprintf(name, sizeof name, "c%d", source->n_columns + 1);
        KANON_TRY(kanon__copy_text(&source->column_names[source->n_columns], name, (size_t)length, "a column name", err),
                  out);
    }
out:
    return st;
}

/* Give a column without a name the name of its place, unless another column has that. */
static kanon_status name_empty(kanon__source *source, kanon_error *err)
{
    for (int i = 0; i < source->n_columns; i++) {
        char name[PLACE_NAME], *copy = NULL;
        int length = snprintf(name, sizeof name, "c%d", i + 1);
        if (source->column_names[i][0] != '\0' || has_name(source, name))
            continue;
        kanon_status st = kanon__copy_text(&copy, name, (size_t)length, "a column name", err);
        if (st != KANON_OK)
            return st;
        kanon__free(source->column_names[i]);
        source->column_names[i] = copy;
    }
    return KANON_OK;
}

/* Names of columns are asked for where they may be data; the cells themselves are not shown. */
static kanon_status check_header(kanon__csv *csv, kanon_error *err)
{
    static const char *const reasons[] = {[KANON__HEADER_NUMBERS] = "names of columns are numbers or dates",
                                          [KANON__HEADER_REPEATED] = "the name of a column is also a value in it",
                                          [KANON__HEADER_EMPTY] = "a column has no name"};
    kanon__header_shape shape;
    int column;
    kanon_status st = kanon__header_judge(&shape, &column, csv, err);
    if (st != KANON_OK || shape == KANON__HEADER_NAMES)
        return st;
    st = kanon__fail(err, KANON_EDATA, "%s:1: column %d: %s: is the first line a header?", csv->input->path, column + 1,
                     reasons[shape]);
    st = kanon__hint(err, st, "say 'header: yes' if it names the columns, 'header: no' if it is a record");
    return kanon__topic(err, st, "header");
}

static kanon_status read_header(kanon__csv_source *s, const kanon__csv_reading *how, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv csv = {0};
    bool no_header = how->header == KANON_HEADER_NO;
    s->options.delimiter = how->delimiter;
    s->options.no_header = no_header;
    KANON_TRY(kanon__csv_open(&csv, &s->input, &s->options, err), out);
    s->options.delimiter = csv.delimiter;
    s->base.delimiter = csv.delimiter;
    s->base.crlf = csv.crlf;
    if (how->header == KANON_HEADER_UNSAID)
        KANON_TRY(check_header(&csv, err), out);
    KANON_TRY(no_header ? name_by_places(&s->base, csv.n_columns, err) : copy_names(&s->base, csv.names, csv.n_columns, err),
              out);
    KANON_TRY(name_empty(&s->base, err), out);
    KANON_TRY(kanon__source_index(&s->base, err), out);
out:
    kanon__csv_close(&csv);
    return st;
}

/* A source of the input, which is taken over in any case; its columns are not known yet. */
static kanon_status adopt_input(kanon__csv_source **out, kanon__input *input, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, 1, "a table", err);
    if (st != KANON_OK) {
        kanon__input_close(input);
        return st;
    }
    kanon__csv_source *s = *out;
    s->base.class = &csv_class;
    s->base.file = input->file;
    s->input = *input;
    s->input.file = NULL;
    *input = (kanon__input){0};
    s->base.has_places = true;
    s->base.bytes = s->input.bytes;
    s->base.size = s->input.size;
    memcpy(s->base.sha256, s->input.sha256, sizeof s->base.sha256);
    return kanon__copy_text(&s->base.name, s->input.path, strlen(s->input.path), "a file name", err);
}

kanon_status kanon__csv_source_new(kanon__source **out, kanon__input *input, const kanon__csv_reading *how, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv_source *s = NULL;
    *out = NULL;
    st = how->presume && how->encoding == NULL ? kanon__input_presume(input, how->notices, err)
                                               : kanon__input_decode(input, how->encoding, how->notices, err);
    if (st != KANON_OK) {
        kanon__input_close(input);
        return st;
    }
    KANON_TRY(adopt_input(&s, input, err), out);
    KANON_TRY(read_header(s, how, err), out);
    *out = &s->base;
    s = NULL;
out:
    kanon__source_free((kanon__source *)s);
    return st;
}

kanon_status kanon__csv_source_from_rows(kanon__source **out, kanon__input *input, char *const *names, int n_columns,
                                         char delimiter, bool crlf, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv_source *s = NULL;
    *out = NULL;
    KANON_TRY(adopt_input(&s, input, err), out);
    s->options = (kanon__csv_options){.delimiter = delimiter, .no_header = true};
    s->base.delimiter = delimiter;
    s->base.crlf = crlf;
    KANON_TRY(copy_names(&s->base, names, n_columns, err), out);
    KANON_TRY(kanon__source_index(&s->base, err), out);
    *out = &s->base;
    s = NULL;
out:
    kanon__source_free((kanon__source *)s);
    return st;
}
