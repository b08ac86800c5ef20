/* Parts of a CSV file for several processes, and the texts of rows to be moved between them. Both rest on the reader of
 * CSV (table/read/csv_source.h): what is a row here is a row there. */
#include "core/alloc.h"
#include "core/context.h"
#include "table/read/csv_source.h"
#include "table/read/open_table.h"
#include "table/read/table_reader.h"

#include <kanon_blocks.h>
#include <string.h>

/* The public part first; what it points to is freed with it. */
typedef struct found_parts {
    kanon_csv_parts public;
    kanon_csv_part *parts;
} found_parts;

void kanon_csv_parts_free(kanon_csv_parts *parts)
{
    found_parts *f = (found_parts *)parts;
    if (f == NULL)
        return;
    kanon__free(f->parts);
    kanon__free(f);
}

/* Where the bytes of a part are those of the file. */
static kanon_status check_plain(const kanon__source *source, kanon_error *err)
{
    if (source->has_places && source->file != NULL && source->sha256[0] == '\0')
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: only a file of UTF-8 text can be divided into parts",
                                  source->name);
    return kanon__hint(err, st, "unpack it, write it as UTF-8, or read it in one process");
}

static kanon_status list_parts(kanon_csv_parts **out, kanon__source *source, bool has_header, int64_t part_bytes,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    found_parts *f = NULL;
    size_t *begins = NULL, end = 0;
    int64_t n = 0;
    KANON_TRY(kanon__csv_source_cut(&begins, &n, &end, source, (size_t)(part_bytes > 0 ? part_bytes : 1), err), out);
    KANON_TRY(kanon__new_array(&f, 1, "parts of the input", err), out);
    KANON_TRY(kanon__new_array(&f->parts, n, "parts of the input", err), out);
    for (int64_t i = 0; i < n; i++) {
        size_t stop = i + 1 < n ? begins[i + 1] : end;
        f->parts[i] = (kanon_csv_part){(int64_t)begins[i], (int64_t)(stop - begins[i])};
    }
    f->public = (kanon_csv_parts){.header_size = has_header && n > 0 ? (int64_t)begins[0] : 0,
                                  .delimiter = {source->delimiter},
                                  .header = has_header ? KANON_HEADER_YES : KANON_HEADER_NO,
                                  .encoding = "utf-8",
                                  .parts = f->parts,
                                  .n_parts = (size_t)n};
    *out = &f->public;
    f = NULL;
out:
    kanon_csv_parts_free((kanon_csv_parts *)f);
    kanon__free(begins);
    return st;
}

kanon_status kanon_csv_parts_find(kanon_csv_parts **out, const kanon_input *table, const kanon_schema *schema,
                                  const kanon_read_options *options, int64_t part_bytes, kanon_error *err)
{
    kanon__call call;
    kanon__input input;
    kanon__csv_reading how;
    kanon__source *source = NULL;
    *out = NULL;
    kanon_status begun = kanon__reader_call(&call, schema, options, err), st = KANON_OK;
    KANON_TRY(kanon__table_input_take(&input, &how, table, begun, err), out);
    KANON_TRY(kanon__reader_open(&source, &input, &how, schema, err), out);
    KANON_TRY(check_plain(source, err), out);
    bool has_header = !((kanon__csv_source *)source)->options.no_header;
    KANON_TRY(list_parts(out, source, has_header, part_bytes, err), out);
out:
    kanon__source_free(source);
    return begun == KANON_OK ? kanon__call_end(&call, st) : st;
}

/* ---- texts of rows ------------------------------------------------------------------------------------------------- */

typedef int (*row_visitor)(int64_t row, const char *text, size_t size, void *payload);

/* Bytes in memory are handed out where they lie; those of a file are read once more. */
static kanon_status visit(const kanon__cursor *cursor, char **buffer, int64_t *capacity, row_visitor row, void *payload,
                          kanon_error *err)
{
    const kanon__input *input = &((const kanon__csv_source *)cursor->source)->input;
    size_t size = cursor->end - cursor->begin;
    const char *text = input->bytes != NULL ? input->bytes + cursor->begin : NULL;
    kanon_status st = KANON_OK;
    if (text == NULL) {
        KANON_TRY(kanon__grow_array(buffer, capacity, (int64_t)size, "a row", err), out);
        KANON_TRY(kanon__input_read(input, cursor->begin, *buffer, size, err), out);
        text = *buffer;
    }
    if (row(cursor->row, text, size, payload) != 0)
        st = kanon__fail(err, KANON_ECANCELLED, "stopped while reading rows");
out:
    return st;
}

static kanon_status visit_rows(const kanon_table *table, row_visitor row, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__source *source = table->source;
    kanon__cursor *cursor = NULL;
    char *buffer = NULL;
    int64_t capacity = 0;
    bool has_row = true;
    if (!source->has_places)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "%s: the table is not from CSV", source->name),
                           "rows of a stream are moved by whoever has the stream");
    KANON_TRY(source->class->open(&cursor, source, err), out);
    for (;;) {
        KANON_TRY(source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(visit(cursor, &buffer, &capacity, row, payload, err), out);
    }
out:
    kanon__free(buffer);
    source->class->close(cursor);
    return st;
}

kanon_status kanon_table_row_texts(const kanon_table *table,
                                   int (*row)(int64_t row, const char *text, size_t size, void *payload), void *payload,
                                   kanon_error *err)
{
    KANON_RETURN_IN(table->context, visit_rows(table, row, payload, err));
}
