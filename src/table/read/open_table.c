/* See open_table.h. */
#include "table/read/open_table.h"

#include "core/alloc.h"
#include "core/take_input.h"
#include "database/location.h"
#include "database/streams.h"
#include "table/read/arrow_source.h"

#include <string.h>

static kanon_status open_upto(kanon__input *out, const char *location, uint64_t most, const char *what, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__location l = {0};
    kanon__input in = {0};
    *out = (kanon__input){0};
    KANON_TRY(kanon__location_to_read(&l, location, err), out);
    if (l.kind == KANON__AT_FILE) {
        st = kanon__input_open_upto(out, location, most, what, err);
        goto out;
    }
    KANON_TRY(kanon__copy_text(&in.path, l.name, strlen(l.name), "a name", err), out);
    if (l.path != NULL)
        KANON_TRY(kanon__copy_text(&in.file, l.name, strlen(l.name), "a name", err), out);
    KANON_TRY(kanon__new_array(&in.stream, 1, "a stream", err), out);
    KANON_TRY(kanon__stream_open(in.stream, &l, true, err), out);
    *out = in;
    in = (kanon__input){0};
out:
    kanon__input_close(&in);
    kanon__location_clear(&l);
    return st;
}

kanon_status kanon__table_input_open(kanon__input *out, const char *location, kanon_error *err)
{
    return open_upto(out, location, UINT64_MAX, "a table", err);
}

/* What was given and is whole; *stream is moved. */
static kanon_status open_given(kanon__input *out, kanon__given *given, uint64_t most, const char *what, kanon_error *err)
{
    const kanon_input *in = &given->input;
    if (in->location != NULL) {
        KANON_CHECK(open_upto(out, in->location, most, what, err));
        return in->name != NULL ? kanon__input_rename(out, in->name, err) : KANON_OK;
    }
    if (in->bytes != NULL)
        return kanon__input_from_bytes(out, kanon__given_name(given), in->bytes, in->size, NULL, err);
    KANON_CHECK(kanon__copy_text(&out->path, kanon__given_name(given), strlen(kanon__given_name(given)), "a name", err));
    KANON_CHECK(kanon__new_array(&out->stream, 1, "a stream", err));
    *out->stream = given->stream;
    given->stream.release = NULL;
    return KANON_OK;
}

kanon_status kanon__table_input_take(kanon__input *out, kanon__csv_reading *how, const kanon_input *given,
                                     kanon_status before, kanon_error *err)
{
    return kanon__table_input_take_upto(out, how, given, UINT64_MAX, "a table", before, err);
}

kanon_status kanon__table_input_take_upto(kanon__input *out, kanon__csv_reading *how, const kanon_input *given,
                                          uint64_t most, const char *what, kanon_status before, kanon_error *err)
{
    kanon__given g;
    *out = (kanon__input){0};
    *how = (kanon__csv_reading){0};
    kanon_status st = kanon__given_take(&g, given, before, err);
    if (st == KANON_OK)
        st = kanon__csv_delimiter(&how->delimiter, g.input.delimiter, err);
    if (st == KANON_OK)
        st = open_given(out, &g, most, what, err);
    how->header = g.input.header;
    how->encoding = g.input.encoding;
    kanon__given_clear(&g);
    if (st != KANON_OK)
        kanon__input_close(out);
    return st;
}

kanon_status kanon__table_source_new(kanon__source **out, kanon__input *input, const kanon__csv_reading *how,
                                     kanon_error *err)
{
    if (input->stream == NULL)
        return kanon__csv_source_new(out, input, how, err);
    kanon_status st = kanon__arrow_source_new(out, input->stream, input->path, err);
    if (st == KANON_OK) {
        (*out)->file = input->file;
        input->file = NULL;
    }
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
