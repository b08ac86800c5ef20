/* Rows of CSV: opening a source, and cursors that read its rows again.
 *
 * Called by table/table.c (kanon_table_read) and, through the class, by whoever writes rows out. */
#include "table/source/csv_source.h"

#include "core/alloc.h"
#include "core/pool.h"

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
    KANON_TRY(kanon__source_index(source, err), out);
out:
    return st;
}

static kanon_status read_header(kanon__csv_source *s, char delimiter, kanon_error *err)
{
    kanon__csv csv = {0};
    s->options.delimiter = delimiter;
    kanon_status st = kanon__csv_open(&csv, &s->input, &s->options, err);
    if (st != KANON_OK)
        return st;
    s->options.delimiter = csv.delimiter;
    s->base.delimiter = csv.delimiter;
    s->base.crlf = csv.crlf;
    st = copy_names(&s->base, csv.names, csv.n_columns, err);
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
    s->base.is_file = input->is_file;
    s->input = *input;
    *input = (kanon__input){0};
    s->base.has_places = true;
    s->base.bytes = s->input.bytes;
    s->base.size = s->input.size;
    return kanon__copy_text(&s->base.name, s->input.path, strlen(s->input.path), "a file name", err);
}

kanon_status kanon__csv_source_new(kanon__source **out, kanon__input *input, char delimiter, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__csv_source *s = NULL;
    *out = NULL;
    KANON_TRY(adopt_input(&s, input, err), out);
    KANON_TRY(read_header(s, delimiter, err), out);
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
    *out = &s->base;
    s = NULL;
out:
    kanon__source_free((kanon__source *)s);
    return st;
}
