/* See take_input.h. */
#include "core/take_input.h"

#include "core/take_options.h"

#include <stdbool.h>

static bool has_stream(const kanon_input *input)
{
    return input != NULL && input->struct_size >= offsetof(kanon_input, stream) + sizeof input->stream &&
           input->stream != NULL;
}

/* A stream is moved also where the rest of the struct is wrong. */
static void move_stream(struct ArrowArrayStream *out, const kanon_input *input)
{
    *out = (struct ArrowArrayStream){.release = NULL};
    if (!has_stream(input))
        return;
    *out = *input->stream;
    input->stream->release = NULL;
}

static kanon_status check(const kanon_input *in, kanon_error *err)
{
    if ((int)in->header < 0 || in->header > KANON_HEADER_NO)
        return kanon__fail(err, KANON_EINVAL, "there is no way to read a header of number %d", (int)in->header);
    int n = (in->location != NULL) + (in->bytes != NULL) + (in->stream != NULL);
    if (n == 1 && (in->bytes != NULL || in->size == 0))
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s",
                                  n > 1           ? "an input has more than one of location, bytes and stream"
                                  : in->size == 0 ? "an input has neither location nor bytes nor stream"
                                                  : "an input has a size, and no bytes");
    return kanon__hint(err, st, "give one of them; bytes are not NULL, not even where their size is 0");
}

kanon_status kanon__given_take(kanon__given *out, const kanon_input *input, kanon_status before, kanon_error *err)
{
    kanon_status st = before;
    out->input = (kanon_input){0};
    move_stream(&out->stream, input);
    if (st == KANON_OK)
        st = kanon__take_options(&out->input, sizeof out->input, input, err);
    if (st == KANON_OK)
        st = check(&out->input, err);
    if (st != KANON_OK)
        kanon__given_clear(out);
    return st;
}

void kanon__given_clear(kanon__given *given)
{
    if (given->stream.release != NULL)
        given->stream.release(&given->stream);
    given->stream.release = NULL;
}

void kanon__given_drop(const kanon_input *input)
{
    kanon__given given;
    move_stream(&given.stream, input);
    kanon__given_clear(&given);
}

const char *kanon__given_name(const kanon__given *given)
{
    const kanon_input *in = &given->input;
    return in->name != NULL ? in->name : in->location != NULL ? in->location : in->bytes != NULL ? "input" : "Arrow stream";
}
