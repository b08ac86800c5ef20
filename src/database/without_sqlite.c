/* Compiled in place of the files that speak to SQLite, where KANON_STATES is off. */
#include "database/streams.h"
#include "database/writers.h"

static kanon_status no_sqlite(const kanon__location *l, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL,
                                  "%s: this build of libkanon does not read SQLite: KANON_STATES was left out", l->name);
    return kanon__hint(err, st, "use the driver sqlite");
}

kanon_status kanon__sqlite_stream_open(struct ArrowArrayStream *out, const kanon__location *l, bool encode, kanon_error *err)
{
    (void)out, (void)encode;
    return no_sqlite(l, err);
}

kanon_status kanon__sqlite_writer_open(kanon__table_writer **out, const kanon__location *l, kanon_error *err)
{
    (void)out;
    return no_sqlite(l, err);
}
