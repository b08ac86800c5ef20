/* See row_sample.h. */
#include "table/read/row_sample.h"

#include "core/alloc.h"
#include "core/text.h"

enum { LEAST = 10000, MOST = 100000, SHARE = 50 }; /* rows; one of so many */
enum { STRETCHES = 10 };                           /* parts of the source from which rows are taken */

kanon_status kanon__cell_number(uint32_t *out, kanon__dictionary *values, const kanon__cell *cell,
                                kanon__cell_buffer *buffer, kanon_error *err)
{
    const char *text = cell->text;
    size_t length = cell->length;
    if (cell->doubled) {
        KANON_CHECK(kanon__grow_array(&buffer->bytes, &buffer->capacity, (int64_t)length + 1, "a cell", err));
        length = kanon__csv_unescape(buffer->bytes, cell);
        text = buffer->bytes;
    }
    kanon__trim(&text, &length);
    return kanon__dictionary_add(values, out, text, length, err);
}

typedef struct reader {
    kanon__row_sample *sample;
    const kanon__source *source;
    const bool *wanted;
    kanon__cursor *cursor;
    kanon__cell_buffer buffer;
    int64_t n_rows; /* of the source */
    int64_t n;      /* rows to be read */
} reader;

static kanon_status keep_row(reader *r, kanon_error *err)
{
    kanon__row_sample *s = r->sample;
    for (int c = 0; c < s->n_columns; c++) {
        uint32_t code = 0;
        if (!r->wanted[c])
            continue;
        KANON_CHECK(kanon__cell_number(&code, &s->dictionaries[c], &r->cursor->cells[c], &r->buffer, err));
        kanon__code_set(s->codes[c], s->n_rows, code);
        if (r->cursor->cells[c].null)
            s->null_codes[c] = code;
    }
    s->n_rows++;
    return KANON_OK;
}

/* Rows until so many are kept; of `step` rows the first one is. */
static kanon_status read_rows(reader *r, int64_t end, int64_t last, int64_t step, kanon_error *err)
{
    enum { ROW_NS = 100, CELL_NS = 20, LOOK_EVERY = 1024 };
    for (int64_t at = r->cursor->row + 1; r->sample->n_rows < end && at < last; at++) {
        bool has_row;
        KANON_CHECK(r->source->class->next(r->cursor, &has_row, err));
        if (!has_row)
            return KANON_OK;
        if (at % step == 0)
            KANON_CHECK(keep_row(r, err));
        if (at % LOOK_EVERY == 0)
            KANON_CHECK(kanon__poll_tick(LOOK_EVERY * (ROW_NS + r->sample->n_columns * CELL_NS), err));
    }
    return KANON_OK;
}

static kanon_status read_stretches(reader *r, kanon_error *err)
{
    const kanon__source *source = r->source;
    int64_t n_stretches = source->n_parts < STRETCHES ? source->n_parts : STRETCHES;
    if (source->n_parts == 0) /* nobody has read it yet, so it can only be read from its beginning */
        return read_rows(r, r->n, r->n_rows, r->n > 0 ? (r->n_rows + r->n - 1) / r->n : 1, err);
    if (r->n_rows <= r->n)
        n_stretches = 1;
    for (int64_t i = 0; i < n_stretches; i++) {
        int64_t part = source->n_parts * i / n_stretches;
        int64_t last = i + 1 == n_stretches ? r->n_rows : source->part_rows[source->n_parts * (i + 1) / n_stretches];
        source->class->seek(r->cursor, source->part_rows[part], NULL);
        KANON_CHECK(read_rows(r, r->n * (i + 1) / n_stretches, last, 1, err));
    }
    return KANON_OK;
}

int64_t kanon__row_sample_size(int64_t n_rows)
{
    int64_t n = n_rows / SHARE;
    n = n < LEAST ? LEAST : n > MOST ? MOST : n;
    return n_rows < n ? n_rows : n;
}

kanon_status kanon__row_sample_read(kanon__row_sample *out, const kanon__source *source, int64_t n_rows, const bool *wanted,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    reader r = {
        .sample = out, .source = source, .wanted = wanted, .n_rows = n_rows, .n = kanon__row_sample_size(n_rows)};
    *out = (kanon__row_sample){.n_columns = source->n_columns};
    KANON_TRY(kanon__new_array(&out->dictionaries, source->n_columns, "dictionaries", err), out);
    KANON_TRY(kanon__new_array(&out->codes, source->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&out->null_codes, source->n_columns, "columns", err), out);
    for (int c = 0; c < source->n_columns; c++) {
        out->null_codes[c] = KANON__NO_CODE;
        if (!wanted[c])
            continue;
        KANON_TRY(kanon__dictionary_init(&out->dictionaries[c], err), out);
        KANON_TRY(kanon__codes_new(&out->codes[c], r.n, UINT32_MAX, false, err), out);
    }
    KANON_TRY(source->class->open(&r.cursor, source, err), out);
    KANON_TRY(read_stretches(&r, err), out);
out:
    if (r.cursor != NULL)
        source->class->close(r.cursor);
    kanon__free(r.buffer.bytes);
    return st;
}

void kanon__row_sample_clear(kanon__row_sample *s)
{
    for (int c = 0; c < s->n_columns; c++) {
        if (s->dictionaries != NULL)
            kanon__dictionary_clear(&s->dictionaries[c]);
        if (s->codes != NULL)
            kanon__codes_clear(&s->codes[c]);
    }
    kanon__free(s->null_codes);
    kanon__free(s->codes);
    kanon__free(s->dictionaries);
    *s = (kanon__row_sample){0};
}
