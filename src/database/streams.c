/* See streams.h. */
#include "database/streams.h"

#include "core/context.h"

#include <kanon_host.h>

kanon_status kanon__stream_open(struct ArrowArrayStream *out, const kanon__location *l, bool encode, kanon_error *err)
{
    out->release = NULL;
    switch (l->kind) {
    case KANON__AT_PARQUET:
        return kanon__parquet_stream_open(out, l, encode, err);
    case KANON__AT_SQLITE:
        return kanon__sqlite_stream_open(out, l, encode, err);
    case KANON__AT_DRIVER:
        return kanon__driver_stream_open(out, l, encode, err);
    default:
        break;
    }
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: this is neither a Parquet file nor a table of a database",
                                  l->name);
    return kanon__hint(err, st, "read it as CSV");
}

kanon_status kanon_open_stream(struct ArrowArrayStream *out, const char *location, const kanon_context *context,
                               kanon_error *err)
{
    kanon__call call;
    kanon__location l = {0};
    out->release = NULL;
    kanon_status st = kanon__context_check(context, err);
    if (st != KANON_OK)
        return st;
    kanon__call_begin(&call, context);
    st = kanon__location_to_read(&l, location, err);
    if (st == KANON_OK)
        st = kanon__stream_open(out, &l, false, err);
    kanon__location_clear(&l);
    return kanon__call_end(&call, st);
}
