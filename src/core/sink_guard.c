/* See sink_guard.h. A guard forwards what is written to the caller's sink and notes whether the sink was told how it
 * ended. */
#include "core/sink_guard.h"

#include "core/take_options.h"

#include <errno.h>

static int pass_on(const void *bytes, size_t size, void *payload)
{
    const kanon__sink_guard *guard = payload;
    return guard->given.write != NULL ? guard->given.write(bytes, size, guard->given.payload) : EINVAL;
}

static int finish(int complete, void *payload)
{
    kanon__sink_guard *guard = payload;
    if (!guard->waits)
        return 0;
    guard->waits = false;
    return guard->given.finish != NULL ? guard->given.finish(complete, guard->given.payload) : 0;
}

kanon_status kanon__sink_guard_begin(kanon__sink_guard *guard, const kanon_sink **sink, kanon_error *err)
{
    *guard = (kanon__sink_guard){0};
    if (*sink == NULL)
        return KANON_OK;
    kanon_status st = kanon__take_options(&guard->given, sizeof guard->given, *sink, err);
    guard->sink = (kanon_sink){.struct_size = sizeof guard->sink,
                               .name = guard->given.name,
                               .write = pass_on,
                               .finish = finish,
                               .payload = guard};
    guard->waits = st == KANON_OK;
    *sink = &guard->sink;
    return st;
}

void kanon__sink_guard_end(kanon__sink_guard *guards, int n)
{
    for (int i = 0; i < n; i++)
        finish(0, &guards[i]);
}
