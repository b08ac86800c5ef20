/* Parts of a CSV file, for engines that read it with many processes, and the rows of a table as text: kanon_csv_parts_find and
 * kanon_table_row_texts. A part ends behind a row, so that its bytes behind those of the header are a CSV of their own. Blank
 * lines at the end of a CSV are no rows; so no part ends with one, but for the last. Called by hosts; calls csv_source.h. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"
#include "table/schema.h"
#include "table/source/csv_source.h"
#include "table/source/file_kind.h"
#include "table/source/open_table.h"
#include "table/source/text_encoding.h"
#include "table/table.h"
#include "table/table_reader.h"

#include <kanon_blocks.h>
#include <string.h>

/* ---- how the file is read ------------------------------------------------------------------------------------------ */

static kanon_status refuse(const kanon__input *in, const char *what, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: %s cannot be read in parts", in->path, what);
    return kanon__hint(err, st, "make a CSV file in UTF-8 of it, or read it by one process");
}

/* Parts can be told apart only where a line break is one byte that means nothing else. */
static kanon_status find_encoding(const char **out, const kanon__input *in, const char *said, kanon_error *err)
{
    kanon__file_kind kind;
    kanon__encoding encoding;
    if (in->stream != NULL)
        return refuse(in, "a table that is no text", err);
    kanon_status st = kanon__file_kind_find(&kind, in, err);
    if (st == KANON_OK && (kind == KANON__FILE_GZIP || kind == KANON__FILE_ZSTD))
        return refuse(in, "a packed file", err);
    if (st == KANON_OK)
        st = kanon__file_kind_refuse(kind, in, err);
    if (st == KANON_OK && said == NULL)
        st = kanon__encoding_find(&encoding, in, false, err);
    else if (st == KANON_OK && !kanon__encoding_named(&encoding, said))
        st = kanon__fail(err, KANON_EINVAL, "there is no encoding '%.40s'", said);
    if (st != KANON_OK)
        return st;
    *out = encoding == KANON__ENCODING_LATIN1        ? "latin-1"
           : encoding == KANON__ENCODING_WINDOWS1252 ? "windows-1252"
                                                     : "utf-8";
    bool wide = encoding == KANON__ENCODING_UTF16 || encoding == KANON__ENCODING_UTF16LE ||
                encoding == KANON__ENCODING_UTF16BE;
    return wide ? refuse(in, "UTF-16", err) : KANON_OK;
}

/* Behind the row that begins at `at`; `in->size` where it is the last. */
static kanon_status row_end(size_t *out, const kanon__input *in, size_t at, kanon_error *err)
{
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    bool quoted = false;
    *out = in->size;
    for (size_t n; at < in->size; at += n) {
        kanon_status st = kanon__input_chunk(in, at, in->size, buffer, &bytes, &n, err);
        if (st != KANON_OK)
            return st;
        for (size_t i = 0; i < n; i++) {
            quoted ^= bytes[i] == '"';
            if (bytes[i] == '\n' && !quoted) {
                *out = at + i + 1;
                return KANON_OK;
            }
        }
    }
    return KANON_OK;
}

/* The first rows of the file, as many as the judge of the header looks at: it reads a file of its own, which ends there. */
static kanon_status copy_first_rows(char **out, size_t *size, const kanon__input *in, kanon_error *err)
{
    enum { ROWS = 1001, ENOUGH = 1 << 20 };
    kanon_status st = KANON_OK;
    *size = 0;
    for (int i = 0; i < ROWS && *size < in->size && *size < ENOUGH; i++)
        KANON_TRY(row_end(size, in, *size, err), out);
    KANON_TRY(kanon__new_array(out, (int64_t)*size, "the first rows", err), out);
    KANON_TRY(kanon__input_read(in, 0, *out, *size, err), out);
out:
    return st;
}

/* Delimiter and header, as a table of the whole file would find them. */
static kanon_status look_at_header(kanon_csv_parts *out, const kanon__input *in, const kanon__csv_reading *how,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input first = {0};
    kanon__source *source = NULL;
    char *bytes = NULL;
    size_t size, end = 0;
    KANON_TRY(copy_first_rows(&bytes, &size, in, err), out);
    KANON_TRY(kanon__input_from_bytes(&first, in->path, bytes, size, bytes, err), out);
    bytes = NULL;
    KANON_TRY(kanon__csv_source_new(&source, &first, how, err), out);
    out->delimiter = source->delimiter;
    out->header = how->header == KANON_HEADER_NO ? KANON_HEADER_NO : KANON_HEADER_YES;
    if (out->header == KANON_HEADER_YES)
        KANON_TRY(row_end(&end, in, 0, err), out);
    out->header_size = (int64_t)end;
out:
    kanon__source_free(source);
    kanon__free(bytes);
    return st;
}

/* ---- parts --------------------------------------------------------------------------------------------------------- */

typedef struct divider {
    const kanon__input *input;
    size_t begin; /* of the part */
    size_t least; /* bytes of a part */
    kanon_csv_part *parts;
    int64_t n, capacity;
    bool quoted, has_text; /* of the row: it is no blank line */
} divider;

static kanon_status end_part(divider *d, size_t end, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&d->parts, &d->capacity, d->n + 1, "parts of the input", err);
    if (st != KANON_OK)
        return st;
    d->parts[d->n++] = (kanon_csv_part){(int64_t)d->begin, (int64_t)(end - d->begin)};
    d->begin = end;
    return KANON_OK;
}

static kanon_status pass(divider *d, size_t at, const char *bytes, size_t n, kanon_error *err)
{
    for (size_t i = 0; i < n; i++) {
        d->quoted ^= bytes[i] == '"';
        if (bytes[i] != '\n' || d->quoted) {
            d->has_text = d->has_text || bytes[i] != '\r';
            continue;
        }
        if (at + i + 1 - d->begin >= d->least && d->has_text) {
            kanon_status st = end_part(d, at + i + 1, err);
            if (st != KANON_OK)
                return st;
        }
        d->has_text = false;
    }
    return KANON_OK;
}

/* Blank lines behind the last row belong to its part. */
static kanon_status divide(divider *d, const kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char buffer[KANON__INPUT_CHUNK];
    const char *bytes;
    kanon__ticker own = *ticker;
    size_t size = d->input->size;
    for (size_t n, at = d->begin; at < size; at += n) {
        KANON_TRY(kanon__input_chunk(d->input, at, size, buffer, &bytes, &n, err), out);
        n = n < KANON__INPUT_CHUNK ? n : KANON__INPUT_CHUNK;
        KANON_TRY(pass(d, at, bytes, n, err), out);
        KANON_TRY(kanon__tick(&own, (int64_t)at, (int64_t)size, 20000, err), out);
    }
    size_t text = size;
    char end;
    for (; text > d->begin; text--) {
        KANON_TRY(kanon__input_read(d->input, text - 1, &end, 1, err), out);
        if (end != '\n' && end != '\r')
            break;
    }
    if (text > d->begin || d->n == 0)
        KANON_TRY(end_part(d, size, err), out);
    else
        d->parts[d->n - 1].size = (int64_t)size - d->parts[d->n - 1].offset;
    KANON_TRY(kanon__input_unchanged(d->input, err), out);
out:
    return st;
}

static kanon_status find_parts(kanon_csv_parts **out, const char *path, const kanon_schema *schema,
                               const kanon_read_options *options, int64_t part_bytes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_read_options o;
    kanon__input in = {0};
    kanon__ticker ticker;
    kanon_csv_parts *found = NULL;
    divider d = {.input = &in, .least = part_bytes > 0 ? (size_t)part_bytes : 1};
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    kanon__ticker_init(&ticker, o.tick, o.payload, "reading");
    kanon__csv_reading how = {.delimiter = o.delimiter,
                              .header = o.header != KANON_HEADER_UNSAID ? o.header : schema->header,
                              .encoding = o.encoding != NULL ? o.encoding : schema->encoding};
    KANON_TRY(kanon__table_input_open(&in, path, err), out);
    KANON_TRY(kanon__new_array(&found, 1, "parts of the input", err), out);
    KANON_TRY(find_encoding(&found->encoding, &in, how.encoding, err), out);
    how.encoding = found->encoding;
    KANON_TRY(look_at_header(found, &in, &how, err), out);
    d.begin = (size_t)found->header_size;
    KANON_TRY(divide(&d, &ticker, err), out);
    found->parts = d.parts;
    found->n_parts = (size_t)d.n;
    d.parts = NULL;
    *out = found;
    found = NULL;
out:
    kanon__free(d.parts);
    kanon__free(found);
    kanon__input_close(&in);
    return st;
}

kanon_status kanon_csv_parts_find(kanon_csv_parts **out, const char *path, const kanon_schema *schema,
                                  const kanon_read_options *options, int64_t part_bytes, kanon_error *err)
{
    kanon__call call;
    *out = NULL;
    kanon_status st = kanon__reader_call(&call, schema, options, err);
    return st == KANON_OK ? kanon__call_end(&call, find_parts(out, path, schema, options, part_bytes, err)) : st;
}

void kanon_csv_parts_free(kanon_csv_parts *parts)
{
    if (parts == NULL)
        return;
    kanon__free((void *)(uintptr_t)parts->parts);
    kanon__free(parts);
}

/* ---- rows as text -------------------------------------------------------------------------------------------------- */

typedef struct row_text {
    char *bytes; /* where the source does not lie in memory */
    int64_t capacity;
} row_text;

static kanon_status find_text(const char **out, row_text *t, const kanon__csv_source *s, const kanon__cursor *row,
                              kanon_error *err)
{
    size_t size = row->end - row->begin;
    *out = s->input.bytes != NULL ? s->input.bytes + row->begin : NULL;
    if (*out != NULL)
        return KANON_OK;
    kanon_status st = kanon__grow_array(&t->bytes, &t->capacity, (int64_t)size, "a row", err);
    if (st == KANON_OK)
        st = kanon__input_read(&s->input, row->begin, t->bytes, size, err);
    *out = t->bytes;
    return st;
}

static kanon_status visit_texts(const kanon_table *table, int (*row)(int64_t, const char *, size_t, void *), void *payload,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__source *source = table->source;
    kanon__cursor *cursor = NULL;
    row_text text = {0};
    bool has_row = true;
    if (!source->has_places)
        return kanon__fail(err, KANON_EINVAL, "%s: the rows of this table are no text", source->name);
    KANON_TRY(source->class->open(&cursor, source, err), out);
    for (;;) {
        const char *bytes;
        KANON_TRY(source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(find_text(&bytes, &text, (const kanon__csv_source *)source, cursor, err), out);
        if (row(cursor->row, bytes, cursor->end - cursor->begin, payload) != 0) {
            st = kanon__fail(err, KANON_ECANCELLED, "stopped");
            goto out;
        }
    }
out:
    source->class->close(cursor);
    kanon__free(text.bytes);
    return st;
}

kanon_status kanon_table_row_texts(const kanon_table *table,
                                   int (*row)(int64_t row, const char *text, size_t size, void *payload), void *payload,
                                   kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    return kanon__call_end(&call, visit_texts(table, row, payload, err));
}
