/* See open_table.h. */
#include "table/read/open_table.h"

#include "core/alloc.h"
#include "database/location.h"
#include "database/streams.h"
#include "table/read/arrow_source.h"

#include <string.h>

kanon_status kanon__table_input_open(kanon__input *out, const char *location, kanon_error *err)
{
    return kanon__table_input_open_upto(out, location, UINT64_MAX, "a table", err);
}

kanon_status kanon__table_input_open_upto(kanon__input *out, const char *location, uint64_t most, const char *what,
                                          kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__location l = {0};
    kanon__input in = {0};
    *out = (kanon__input){0};
    if (location == NULL)
        return kanon__fail(err, KANON_EINVAL, "no table is named");
    KANON_TRY(kanon__location_to_read(&l, location, err), out);
    if (l.kind == KANON__AT_FILE) {
        st = kanon__input_open_upto(out, location, most, what, err);
        goto out;
    }
    KANON_TRY(kanon__copy_text(&in.path, l.name, strlen(l.name), "a name", err), out);
    in.is_file = l.path != NULL;
    KANON_TRY(kanon__new_array(&in.stream, 1, "a stream", err), out);
    KANON_TRY(kanon__stream_open(in.stream, &l, true, err), out);
    *out = in;
    in = (kanon__input){0};
out:
    kanon__input_close(&in);
    kanon__location_clear(&l);
    return st;
}

kanon_status kanon__table_input_take(kanon__input *out, const kanon__given_table *given, kanon_status before,
                                     kanon_error *err)
{
    struct ArrowArrayStream stream = {.release = NULL};
    kanon_status st = before;
    *out = (kanon__input){0};
    if (given->stream != NULL) {
        stream = *given->stream;
        given->stream->release = NULL;
    }
    KANON_TRY(st, out);
    if (given->name != NULL)
        return kanon__input_from_bytes(out, given->name, given->bytes, given->size, NULL, err);
    if (given->stream == NULL)
        return kanon__table_input_open(out, given->location, err);
    KANON_TRY(kanon__new_array(&out->stream, 1, "a stream", err), out);
    *out->stream = stream;
    return KANON_OK;
out:
    if (stream.release != NULL)
        stream.release(&stream);
    return st;
}

kanon_status kanon__table_source_new(kanon__source **out, kanon__input *input, const kanon__csv_reading *how,
                                     kanon_error *err)
{
    if (input->stream == NULL)
        return kanon__csv_source_new(out, input, how, err);
    kanon_status st = kanon__arrow_source_new(out, input->stream, input->path, err);
    if (st == KANON_OK)
        (*out)->is_file = input->is_file;
    kanon__input_close(input);
    return st;
}

kanon_status kanon__table_source_load(kanon__source *source, int threads, const kanon__ticker *ticker, kanon_error *err)
{
    return kanon__arrow_source_of(source) != NULL ? kanon__arrow_source_load(source, threads, ticker, err) : KANON_OK;
}

kanon_status kanon__table_source_read(kanon__source **out, kanon__input *input, const kanon__csv_reading *how,
                                      const kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = kanon__table_source_new(out, input, how, err);
    if (st == KANON_OK)
        st = kanon__table_source_load(*out, 0, ticker, err);
    if (st == KANON_OK)
        return KANON_OK;
    kanon__source_free(*out);
    *out = NULL;
    return st;
}
