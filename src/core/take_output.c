/* See take_output.h. */
#include "core/take_output.h"

#include "core/take_options.h"

#include <kanon_arrow.h>
#include <string.h>

static bool is_within(const kanon_output *output, size_t end)
{
    return output->struct_size >= end;
}

/* A sink is told how the call ended also where the rest of the struct is wrong. */
static const kanon_sink *sink_of(const kanon_output *given)
{
    return given != NULL && is_within(given, offsetof(kanon_output, sink) + sizeof given->sink) ? given->sink : NULL;
}

static kanon_status check(const kanon_output *o, kanon_error *err)
{
    if ((o->location != NULL) + (o->sink != NULL) + (o->stream != NULL) <= 1)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "an output has more than one of location, sink and stream");
    return kanon__hint(err, st, "give one of them");
}

kanon_status kanon__output_take(kanon__taken_output *out, const kanon_output **slot, kanon_status before, kanon_error *err)
{
    kanon_status st = before;
    const kanon_sink *sink = sink_of(*slot);
    out->output = (kanon_output){0};
    kanon_status begun = kanon__sink_guard_begin(&out->guard, &sink, st == KANON_OK ? err : NULL);
    if (*slot == NULL)
        return st;
    if (st == KANON_OK)
        st = begun;
    if (st == KANON_OK)
        st = kanon__take_options(&out->output, sizeof out->output, *slot, err);
    if (st == KANON_OK)
        st = check(&out->output, err);
    const kanon_output *o = &out->output;
    *slot = NULL;
    if (st != KANON_OK || (o->location == NULL && o->sink == NULL && o->stream == NULL))
        return st;
    out->output.struct_size = sizeof out->output; /* all fields are there now */
    out->output.sink = sink;
    if (out->output.stream != NULL)
        out->output.stream->release = NULL;
    *slot = &out->output;
    return KANON_OK;
}

kanon_status kanon__output_no_stream(const kanon_output *output, kanon_error *err)
{
    return output == NULL || output->stream == NULL
               ? KANON_OK
               : kanon__fail(err, KANON_EINVAL, "only a release can be written to a stream");
}

void kanon__outputs_end(kanon__taken_output *outputs, int n)
{
    for (int i = 0; i < n; i++)
        kanon__sink_guard_end(&outputs[i].guard, 1);
}

const char *kanon__output_name(const kanon_output *o)
{
    return o->sink == NULL ? o->location : o->sink->name != NULL ? o->sink->name : "the caller's sink";
}

const char *kanon__output_location(const kanon_output *o)
{
    return o != NULL ? o->location : NULL;
}

/* Whether `text` is the word of `length` bytes; with `ending`, whether it ends in a dot and the word. */
static bool is_word(const char *text, const char *word, size_t length, bool ending)
{
    size_t all = strlen(text);
    if (!ending)
        return all == length && memcmp(text, word, length) == 0;
    return all > length && text[all - length - 1] == '.' && memcmp(text + all - length, word, length) == 0;
}

kanon_status kanon__output_format(int *out, const kanon_output *o, const char *words, kanon_error *err)
{
    const char *name = o->format != NULL ? o->format : kanon__output_name(o);
    int i = 0;
    *out = 0;
    for (const char *word = words; name != NULL; i++) {
        size_t length = strcspn(word, "|");
        if (is_word(name, word, length, o->format == NULL)) {
            *out = i;
            return KANON_OK;
        }
        if (word[length] == '\0')
            break;
        word += length + 1;
    }
    if (o->format == NULL)
        return KANON_OK;
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "unknown format of an output: '%s'", o->format),
                       "the formats are %s", words);
}
