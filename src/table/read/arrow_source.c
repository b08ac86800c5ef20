/* Rows of an Arrow stream: taking the stream over, and cursors that print its rows as lines of CSV.
 *
 * 1. The stream is moved and its schema read: types and names of the columns.
 * 2. All batches are read on the calling thread; their shape is checked as they come, the contents of their buffers by
 *    column, in parallel.
 * Everything that the stream hands over is owned by the source from then on and released once, by free_source. */
#include "table/read/arrow_source.h"

#include "core/alloc.h"
#include "core/arrow_block.h"
#include "core/output.h"
#include "core/pool.h"
#include "database/batch.h"
#include "table/domain/data.h"
#include "table/read/arrow_text.h"
#include "table/value/levels.h"

#include <errno.h>
#include <math.h>

static const kanon__arrow_source *as_arrow(const kanon__source *source)
{
    return (const kanon__arrow_source *)source;
}

static void free_source(kanon__source *source)
{
    kanon__arrow_source *s = (kanon__arrow_source *)source;
    for (int64_t i = 0; i < s->n_batches; i++)
        s->batches[i].release(&s->batches[i]);
    if (s->schema.release != NULL)
        s->schema.release(&s->schema);
    if (s->stream.release != NULL)
        s->stream.release(&s->stream);
    kanon__free(s->batch_rows);
    kanon__free(s->batches);
    kanon__free(s->types);
    kanon__free(s);
}

int64_t kanon__arrow_source_batch(const kanon__arrow_source *s, int64_t row)
{
    int64_t low = 0, high = s->n_batches - 1;
    while (low < high) {
        int64_t middle = (low + high + 1) / 2;
        if (s->batch_rows[middle] <= row)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

kanon__arrow_view kanon__arrow_source_view(const kanon__arrow_source *s, int64_t batch, int column)
{
    const struct ArrowArray *b = &s->batches[batch];
    return kanon__arrow_view_of(&s->types[column], b->children[column], b->offset, b->length);
}

/* ---- cursors ---------------------------------------------------------------------------------------------------------- */

typedef struct arrow_cursor {
    kanon__cursor base;
    int64_t row;              /* the next one */
    int64_t batch;            /* that the views are of; -1: none */
    kanon__arrow_view *views; /* by column */
    char *line;               /* the current row as CSV */
    int64_t length, capacity;
} arrow_cursor;

static void close_cursor(kanon__cursor *cursor)
{
    if (cursor == NULL)
        return;
    arrow_cursor *c = (arrow_cursor *)cursor;
    kanon__free(c->line);
    kanon__free(c->views);
    kanon__free(c->base.cells);
    kanon__free(c);
}

static kanon_status open_cursor(kanon__cursor **out, const kanon__source *source, kanon_error *err)
{
    kanon_status st = KANON_OK;
    arrow_cursor *c = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "a cursor", err), out);
    c->base.source = source;
    c->base.total = source->n_rows;
    c->batch = -1;
    KANON_TRY(kanon__new_array(&c->base.cells, source->n_columns, "cells of a row", err), out);
    KANON_TRY(kanon__new_array(&c->views, source->n_columns, "columns", err), out);
    *out = &c->base;
    c = NULL;
out:
    close_cursor((kanon__cursor *)c);
    return st;
}

static void seek(kanon__cursor *cursor, int64_t row, const int64_t *positions)
{
    (void)positions;
    ((arrow_cursor *)cursor)->row = row;
}

/* Have the views of the batch that holds the next row. */
static void enter_batch(arrow_cursor *c)
{
    const kanon__arrow_source *s = as_arrow(c->base.source);
    if (c->batch >= 0 && s->batch_rows[c->batch] <= c->row && c->row < s->batch_rows[c->batch + 1])
        return;
    c->batch = kanon__arrow_source_batch(s, c->row);
    for (int i = 0; i < s->base.n_columns; i++)
        c->views[i] = kanon__arrow_source_view(s, c->batch, i);
}

/* Room for so many bytes more, at the end of the line. */
static kanon_status make_room(arrow_cursor *c, size_t more, kanon_error *err)
{
    if ((size_t)(c->capacity - c->length) >= more)
        return KANON_OK;
    return kanon__grow_array(&c->line, &c->capacity, c->length + (int64_t)more, "a row", err);
}

/* A text, in quotes where it has to be. */
static kanon_status put_text(arrow_cursor *c, kanon__cell *cell, kanon__arrow_text text, kanon_error *err)
{
    enum { AROUND = 3 }; /* two quotes and a delimiter */
    kanon_status st = make_room(c, 2 * text.length + AROUND, err);
    if (st != KANON_OK)
        return st;
    cell->quoted = kanon__output_needs_quotes(text.bytes, text.length, c->base.source->delimiter);
    if (!cell->quoted) {
        memcpy(c->line + c->length, text.bytes, text.length);
        c->length += (int64_t)text.length;
        cell->length = text.length;
        return KANON_OK;
    }
    c->line[c->length++] = '"';
    int64_t begin = c->length;
    for (size_t i = 0; i < text.length; i++) {
        c->line[c->length++] = text.bytes[i];
        if (text.bytes[i] == '"') {
            c->line[c->length++] = '"';
            cell->doubled = true;
        }
    }
    cell->length = (size_t)(c->length - begin);
    c->line[c->length++] = '"';
    return KANON_OK;
}

static kanon_status put_cell(arrow_cursor *c, int column, int64_t at, kanon_error *err)
{
    const kanon__arrow_view *view = &c->views[column];
    kanon__cell *cell = &c->base.cells[column];
    *cell = (kanon__cell){0};
    kanon_status st = make_room(c, KANON__ARROW_TEXT_SIZE + 1, err);
    if (st != KANON_OK)
        return st;
    if (kanon__arrow_is_null(view, at)) {
        cell->null = true;
        return KANON_OK;
    }
    int64_t entry;
    const kanon__arrow_buffers *b = kanon__arrow_value(view, at, &entry);
    if (view->type->kind == KANON__ARROW_TEXT)
        return put_text(c, cell, kanon__arrow_entry_text(view->type, b, entry), err);
    if (view->type->kind == KANON__ARROW_REAL) {
        double real = kanon__arrow_entry_real(view->type, b, entry);
        cell->null = isnan(real);
        cell->odd = cell->null || (real == 0 && signbit(real));
        if (cell->null)
            return KANON_OK;
    }
    cell->length = kanon__arrow_print(c->line + c->length, view->type, b, entry);
    c->length += (int64_t)cell->length;
    return KANON_OK;
}

static kanon_status next(kanon__cursor *cursor, bool *has_row, kanon_error *err)
{
    arrow_cursor *c = (arrow_cursor *)cursor;
    const kanon__source *source = cursor->source;
    *has_row = c->row < source->n_rows;
    if (!*has_row)
        return KANON_OK;
    enter_batch(c);
    c->length = 0;
    for (int i = 0; i < source->n_columns; i++) {
        kanon_status st = put_cell(c, i, c->row - as_arrow(source)->batch_rows[c->batch], err);
        if (st != KANON_OK)
            return st;
        c->line[c->length++] = source->delimiter;
    }
    const char *at = c->line; /* the line moved while it grew, so it is only now known where cells lie */
    for (int i = 0; i < source->n_columns; i++) {
        kanon__cell *cell = &cursor->cells[i];
        cell->text = at + cell->quoted;
        at = cell->text + cell->length + cell->quoted + 1;
    }
    cursor->row = c->row;
    cursor->done = ++c->row;
    return KANON_OK;
}

/* ---- checksum --------------------------------------------------------------------------------------------------------- */

static void hash_text(kanon__sha256 *hash, const char *text)
{
    kanon__sha256_add(hash, text, strlen(text) + 1);
}

static void hash_schema(const kanon__arrow_source *s, kanon__sha256 *hash)
{
    for (int i = 0; i < s->base.n_columns; i++) {
        const struct ArrowSchema *column = s->schema.children[i];
        hash_text(hash, s->base.column_names[i]);
        hash_text(hash, column->format);
        hash_text(hash, column->dictionary != NULL ? column->dictionary->format : "");
    }
}

/* A cell is its length, eight bytes, and its text as in CSV; a null is the length 2^64 - 1. */
static void hash_row(const kanon__cursor *cursor, kanon__sha256 *hash)
{
    for (int i = 0; i < cursor->source->n_columns; i++) {
        const kanon__cell *cell = &cursor->cells[i];
        uint64_t length = cell->null ? UINT64_MAX : cell->length;
        unsigned char prefix[8];
        for (int byte = 0; byte < 8; byte++)
            prefix[byte] = (unsigned char)(length >> 8 * byte);
        kanon__sha256_add(hash, prefix, sizeof prefix);
        kanon__sha256_add(hash, cell->text, cell->length);
    }
}

/* Names, types and values, whatever batches they came in. */
static kanon_status hash_values(const kanon__source *source, kanon__sha256 *hash, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cursor *cursor = NULL;
    bool has_row = true;
    hash_schema(as_arrow(source), hash);
    KANON_TRY(open_cursor(&cursor, source, err), out);
    for (;;) {
        KANON_TRY(next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        hash_row(cursor, hash);
    }
out:
    close_cursor(cursor);
    return st;
}

/* ---- the stream ------------------------------------------------------------------------------------------------------- */

/* The stream's own words, on one line. */
static kanon_status fail_stream(kanon__arrow_source *s, int code, kanon_error *err)
{
    struct ArrowArrayStream *stream = &s->stream;
    char text[400] = "";
    const char *message = stream->get_last_error != NULL ? stream->get_last_error(stream) : NULL;
    for (size_t i = 0; message != NULL && message[i] != '\0' && i + 1 < sizeof text; i++)
        text[i] = (unsigned char)message[i] < 0x20 ? ' ' : message[i];
    kanon_status st = code == ECANCELED ? KANON_ECANCELLED : code == ENOMEM ? KANON_ENOMEM : KANON_EIO;
    return kanon__fail(err, st, "%s: %s", s->base.name, text[0] != '\0' ? text : strerror(code));
}

static kanon_status check_name(const char *source_name, const struct ArrowSchema *column, int i, kanon_error *err)
{
    const char *name = column != NULL ? column->name : NULL;
    kanon_status st = KANON_OK;
    if (name == NULL || name[0] == '\0') {
        st = kanon__fail(err, KANON_EDATA, "%s: column %d has no name", source_name, i + 1);
        return kanon__hint(err, st, "give every column a name of its own");
    }
    for (const char *at = name, *end = name + strlen(name); at < end;) {
        size_t length = ((unsigned char)*at & 0x80) == 0 ? 1 : kanon__csv_character(at, end);
        if (length == 0)
            return kanon__fail(err, KANON_EDATA, "%s: the name of column %d is not UTF-8", source_name, i + 1);
        at += length;
    }
    return st;
}

/* What the type of the column says, so that no value decides: texts, whatever their digits, and entries of a dictionary are
 * categories, and those of an ordered one levels. Which number or date it is, its texts tell. */
static kanon_type natural_type(const kanon__arrow_type *type, const struct ArrowSchema *column)
{
    bool has_entries = type->index_width > 0 && !kanon__batch_is_encoded(column); /* encoded on the way: texts */
    if (has_entries && (column->flags & ARROW_FLAG_DICTIONARY_ORDERED) != 0 && type->kind != KANON__ARROW_OTHER)
        return KANON_TYPE_ORDINAL;
    if (type->kind == KANON__ARROW_BOOL || has_entries)
        return KANON_TYPE_CATEGORICAL;
    if (type->kind == KANON__ARROW_TEXT)
        return kanon__batch_is_untyped(column) ? KANON_TYPE_UNKNOWN : KANON_TYPE_CATEGORICAL;
    bool is_date = type->kind == KANON__ARROW_DATE || type->kind == KANON__ARROW_TIMESTAMP;
    return is_date ? KANON_TYPE_DATE : KANON_TYPE_UNKNOWN;
}

/* The type of a column, which may be one that is not supported: whether that matters is known when the rows are read. */
static kanon_status find_type(kanon__arrow_type *out, const struct ArrowSchema *column, kanon_error *err)
{
    kanon_error unsupported = KANON_INIT(kanon_error);
    kanon_status st = kanon__arrow_type_of(out, column, &unsupported);
    bool waits = st == KANON_EDATA && column->format != NULL && column->dictionary == NULL;
    if (st == KANON_OK || waits)
        return KANON_OK;
    kanon__error_copy(err, &unsupported);
    return st;
}

/* Every column that is read must have a type that can be. */
static kanon_status check_types(const kanon__arrow_source *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; st == KANON_OK && i < s->base.n_columns; i++) {
        kanon__arrow_type type;
        if (s->types[i].kind == KANON__ARROW_OTHER && (s->base.unread == NULL || !s->base.unread[i]))
            st = kanon__arrow_type_of(&type, s->schema.children[i], err);
    }
    return st;
}

static kanon_status take_columns(kanon__arrow_source *s, int n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__source *base = &s->base;
    kanon__dictionary seen = {0};
    uint32_t code;
    KANON_TRY(kanon__dictionary_init(&seen, err), out);
    KANON_TRY(kanon__new_array(&base->column_names, n, "column names", err), out);
    KANON_TRY(kanon__new_array(&base->natural, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&s->types, n, "columns", err), out);
    for (int i = 0; i < n; i++) {
        const struct ArrowSchema *column = s->schema.children[i];
        KANON_TRY(check_name(base->name, column, i, err), out);
        size_t length = strlen(column->name);
        KANON_TRY(kanon__copy_text(&base->column_names[i], column->name, length, "a column name", err), out);
        base->n_columns++;
        KANON_TRY(kanon__dictionary_add(&seen, &code, column->name, length, err), out);
        if (code < (uint32_t)i) {
            st = kanon__fail(err, KANON_EDATA, "%s: columns %u and %d have the same name", base->name, code + 1, i + 1);
            kanon__hint(err, st, "give every column a name of its own");
            goto out;
        }
        KANON_TRY(find_type(&s->types[i], column, err), out);
        base->natural[i] = natural_type(&s->types[i], column);
    }
    base->names = seen;
    seen = (kanon__dictionary){0};
out:
    kanon__dictionary_clear(&seen);
    return st;
}

static kanon_status read_schema(kanon__arrow_source *s, kanon_error *err)
{
    enum { MAX_COLUMNS = 1000000 };
    int code = s->stream.get_schema(&s->stream, &s->schema);
    if (code != 0) {
        s->schema.release = NULL;
        return fail_stream(s, code, err);
    }
    if (s->schema.release == NULL)
        return kanon__fail(err, KANON_EIO, "%s: no schema", s->base.name);
    if (s->schema.format == NULL || strcmp(s->schema.format, "+s") != 0) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s: not a stream of record batches", s->base.name);
        return kanon__hint(err, st, "a table has named columns: put the array into a record batch");
    }
    if (s->schema.n_children < 1 || s->schema.n_children > MAX_COLUMNS || s->schema.children == NULL)
        return kanon__fail(err, KANON_EDATA, "%s: %s", s->base.name,
                           s->schema.n_children > MAX_COLUMNS ? "more than 1000000 columns" : "no columns");
    return take_columns(s, (int)s->schema.n_children, err);
}

/* ---- batches ---------------------------------------------------------------------------------------------------------- */

/* Rows of a batch that are null as a whole have no columns, which a table cannot hold. */
static bool has_null_rows(const struct ArrowArray *batch)
{
    const uint8_t *validity = batch->buffers != NULL ? batch->buffers[0] : NULL;
    if (batch->null_count == 0 || batch->length == 0)
        return false;
    if (validity == NULL)
        return batch->null_count > 0;
    for (int64_t i = batch->offset; i < batch->offset + batch->length; i++)
        if ((validity[i >> 3] >> (i & 7) & 1) == 0)
            return true;
    return false;
}

static const char *wrong_batch(const kanon__arrow_source *s, const struct ArrowArray *batch)
{
    const int64_t longest = INT64_MAX / 64;
    if (batch->length < 0 || batch->offset < 0 || batch->length > longest || batch->offset > longest)
        return "a batch with a length or an offset out of range";
    if (batch->n_children != s->base.n_columns || batch->children == NULL)
        return "a batch with another number of columns than the schema";
    if (batch->n_buffers != 1 || batch->dictionary != NULL)
        return "a batch that is no struct array";
    return has_null_rows(batch) ? "a batch with rows that are null as a whole" : NULL;
}

static kanon_status check_batch(const kanon__arrow_source *s, const struct ArrowArray *batch, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *wrong = wrong_batch(s, batch);
    if (wrong != NULL)
        return kanon__fail(err, KANON_EDATA, "%s: %s", s->base.name, wrong);
    for (int i = 0; st == KANON_OK && i < s->base.n_columns; i++)
        st = kanon__arrow_check_array(&s->types[i], batch->children[i], batch->offset, batch->length,
                                      s->base.column_names[i], err);
    return st;
}

/* Keep the batch, which is released where that fails. Batches without rows are not kept. */
static kanon_status keep_batch(kanon__arrow_source *s, struct ArrowArray *batch, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = s->n_batches;
    KANON_TRY(check_batch(s, batch, err), out);
    if (batch->length == 0)
        goto out;
    if (batch->length > KANON__MAX_ROWS - s->base.n_rows) {
        st = kanon__fail(err, KANON_EDATA, "%s: more than %lld records", s->base.name, (long long)KANON__MAX_ROWS);
        goto out;
    }
    KANON_TRY(kanon__grow_array(&s->batches, &s->batches_capacity, n + 1, "batches", err), out);
    KANON_TRY(kanon__grow_array(&s->batch_rows, &s->batch_rows_capacity, n + 2, "batches", err), out);
    s->batches[n] = *batch;
    batch->release = NULL;
    s->batch_rows[n] = s->base.n_rows;
    s->base.n_rows += s->batches[n].length;
    s->batch_rows[n + 1] = s->base.n_rows;
    s->n_batches++;
out:
    if (batch->release != NULL)
        batch->release(batch);
    return st;
}

static kanon_status read_batches(kanon__arrow_source *s, const kanon__ticker *watched, kanon_error *err)
{
    enum { BATCH_NS = 1000000 }; /* roughly: the producer may be slow or fast */
    kanon_status st = KANON_OK;
    kanon__ticker ticker = {0};
    if (watched != NULL)
        ticker = *watched;
    for (;;) {
        struct ArrowArray batch = {0};
        int code = s->stream.get_next(&s->stream, &batch);
        if (code != 0)
            return fail_stream(s, code, err);
        if (batch.release == NULL)
            return KANON_OK;
        KANON_TRY(keep_batch(s, &batch, err), out);
        KANON_TRY(kanon__tick(&ticker, s->base.n_rows, 0, BATCH_NS, err), out);
    }
out:
    return st;
}

static kanon_status cut_parts(kanon__source *source, kanon_error *err)
{
    enum { PART_ROWS = 1 << 16 };
    int64_t n = (source->n_rows + PART_ROWS - 1) / PART_ROWS;
    kanon_status st = kanon__new_array(&source->part_rows, n, "parts of the input", err);
    for (int64_t i = 0; st == KANON_OK && i < n; i++)
        source->part_rows[source->n_parts++] = i * PART_ROWS;
    return st;
}

/* A date is a whole day: what date64 could say beyond that would be lost. */
static kanon_status check_days(const char *source_name, const kanon__arrow_view *v, const kanon__arrow_buffers *b,
                               int64_t first_row,
                               const char *column, kanon_error *err)
{
    for (int64_t i = 0; i < b->length; i++)
        if (kanon__arrow_is_valid(b, i) && (int64_t)kanon__arrow_entry_integer(v->type, b, i) % v->type->units != 0)
            return b == &v->rows
                       ? kanon__fail(err, KANON_EDATA, "%s: row %lld: %s: a date64 that is not a whole day", source_name,
                                     (long long)(first_row + i + 1), column)
                       : kanon__fail(err, KANON_EDATA, "%s: %s: a date64 that is not a whole day", source_name, column);
    return KANON_OK;
}

static kanon_status check_column(int64_t column, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__arrow_source *s = payload;
    const kanon__arrow_type *type = &s->types[column];
    const char *name = s->base.column_names[column];
    bool has_days = type->kind == KANON__ARROW_DATE && type->units > 1;
    kanon__arrow_buffers checked = {0};
    if (type->kind == KANON__ARROW_OTHER)
        return KANON_OK;
    for (int64_t i = 0; i < s->n_batches; i++) {
        kanon__arrow_view view = kanon__arrow_source_view(s, i, (int)column);
        bool is_known = i > 0 && kanon__arrow_same_entries(&checked, &view.entries);
        KANON_TRY(kanon__arrow_check_rows(&view, s->batch_rows[i], name, err), out);
        if (!is_known)
            KANON_TRY(kanon__arrow_check_entries(&view, name, err), out);
        if (has_days && (type->index_width == 0 || !is_known))
            KANON_TRY(check_days(s->base.name, &view, type->index_width == 0 ? &view.rows : &view.entries, s->batch_rows[i],
                                 name, err),
                      out);
        checked = view.entries;
        kanon__arrow_array_rest(s->batches[i].children[column]);
    }
out:
    return st;
}

/* ---- levels ----------------------------------------------------------------------------------------------------------- */

static const char different_levels[] = "is another one in other batches";

/* The entries of one dictionary are the levels, in their order. Null entries are none. */
static kanon_status add_levels(kanon__source_levels *out, const kanon__arrow_view *view, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int64_t i = 0; st == KANON_OK && out->fault == NULL && i < view->entries.length; i++) {
        char printed[KANON__ARROW_TEXT_SIZE];
        kanon__arrow_text text = {printed, 0};
        if (kanon__arrow_entry_is_null(view->type, &view->entries, i))
            continue;
        if (view->type->kind == KANON__ARROW_TEXT)
            text = kanon__arrow_entry_text(view->type, &view->entries, i);
        else
            text.length = kanon__arrow_print(printed, view->type, &view->entries, i);
        st = kanon__levels_add(&out->names, text.bytes, text.length, &out->fault, err);
    }
    return st;
}

/* Batches may know the first levels only, as where a dictionary grew while they were made. */
static kanon_status join_levels(kanon__source_levels *into, kanon__source_levels *other, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary *longer = other->names.n > into->names.n ? &other->names : &into->names,
                      *shorter = longer == &into->names ? &other->names : &into->names;
    for (uint32_t i = 0; i < shorter->n; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(shorter, i, &length);
        if (kanon__dictionary_find(longer, text, length) != i)
            into->fault = different_levels;
    }
    into->fault = into->fault == NULL ? other->fault : into->fault;
    if (longer == &other->names)
        st = kanon__levels_copy(&into->names, longer, err);
    return st;
}

static kanon_status find_levels(kanon__arrow_source *s, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__source_levels *levels = &s->base.levels[column], other = {0};
    kanon__arrow_buffers seen = {0};
    for (int64_t i = 0; i < s->n_batches; i++) {
        kanon__arrow_view view = kanon__arrow_source_view(s, i, column);
        if (i > 0 && kanon__arrow_same_entries(&seen, &view.entries))
            continue;
        seen = view.entries;
        KANON_TRY(add_levels(i == 0 ? levels : &other, &view, err), out);
        if (i > 0)
            KANON_TRY(join_levels(levels, &other, err), out);
        kanon__dictionary_clear(&other.names);
        other = (kanon__source_levels){0};
    }
out:
    kanon__dictionary_clear(&other.names);
    return st;
}

static kanon_status find_all_levels(kanon__arrow_source *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; st == KANON_OK && i < s->base.n_columns; i++) {
        if (s->base.natural[i] != KANON_TYPE_ORDINAL)
            continue;
        if (s->base.levels == NULL)
            st = kanon__new_array(&s->base.levels, s->base.n_columns, "levels", err);
        if (st == KANON_OK)
            st = find_levels(s, i, err);
    }
    return st;
}

kanon_status kanon__arrow_source_load(kanon__source *source, int threads, const kanon__ticker *ticker, kanon_error *err)
{
    enum { WORTH_A_THREAD = 10000 };
    kanon_status st = KANON_OK;
    kanon__arrow_source *s = (kanon__arrow_source *)source;
    if (s->stream.release == NULL)
        return KANON_OK;
    KANON_TRY(check_types(s, err), out);
    KANON_TRY(read_batches(s, ticker, err), out);
    KANON_TRY(kanon__pool_run(source->n_rows < WORTH_A_THREAD ? 1 : threads, source->n_columns, check_column, s, err), out);
    KANON_TRY(find_all_levels(s, err), out);
    KANON_TRY(cut_parts(source, err), out);
    s->stream.release(&s->stream);
    s->stream.release = NULL;
out:
    return st;
}

/* ---- the source ------------------------------------------------------------------------------------------------------- */

static const kanon__source_class arrow_class = {.free = free_source,
                                                .read = kanon__arrow_source_read,
                                                .open = open_cursor,
                                                .close = close_cursor,
                                                .seek = seek,
                                                .next = next,
                                                .hash = hash_values};

const kanon__arrow_source *kanon__arrow_source_of(const kanon__source *source)
{
    return source->class == &arrow_class ? as_arrow(source) : NULL;
}

kanon_status kanon__arrow_source_new(kanon__source **out, struct ArrowArrayStream *stream, const char *name,
                                     kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_source *s = NULL;
    struct ArrowArrayStream moved = *stream;
    *out = NULL;
    stream->release = NULL;
    if (moved.release == NULL)
        return kanon__fail(err, KANON_EINVAL, "the Arrow stream was released before");
    KANON_TRY(kanon__new_array(&s, 1, "a table", err), out);
    s->base.class = &arrow_class;
    s->base.delimiter = ',';
    if (name == NULL)
        name = "Arrow stream";
    s->stream = moved;
    moved.release = NULL;
    KANON_TRY(kanon__copy_text(&s->base.name, name, strlen(name), "a name", err), out);
    KANON_TRY(read_schema(s, err), out);
    *out = &s->base;
    s = NULL;
out:
    if (moved.release != NULL)
        moved.release(&moved);
    kanon__source_free((kanon__source *)s);
    return st;
}
