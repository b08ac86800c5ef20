/* Compiled in place of what loads drivers, where KANON_ADBC is off. */
#include "database/load_driver.h"
#include "database/streams.h"
#include "database/writers.h"

#include <kanon_host.h>

static kanon_status no_drivers(const kanon__location *l, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: this build of libkanon has no drivers: KANON_ADBC was left out",
                                  l->name);
    return kanon__hint(err, st, "write the table as CSV, and read that; the library reads Arrow streams, too");
}

const kanon__entry *kanon__driver_entry(size_t i)
{
    (void)i;
    return NULL;
}

size_t kanon_driver_find(char *out, size_t size, const char *name)
{
    (void)name;
    if (size > 0)
        out[0] = '\0';
    return 0;
}

kanon_status kanon__driver_stream_open(struct ArrowArrayStream *out, const kanon__location *l, bool encode, kanon_error *err)
{
    (void)out, (void)encode;
    return no_drivers(l, err);
}

kanon_status kanon__parquet_stream_open(struct ArrowArrayStream *out, const kanon__location *l, bool encode,
                                        kanon_error *err)
{
    (void)out, (void)encode;
    return no_drivers(l, err);
}

kanon_status kanon__driver_writer_open(kanon__table_writer **out, const kanon__location *l, kanon_error *err)
{
    (void)out;
    return no_drivers(l, err);
}

kanon_status kanon__parquet_writer_open(kanon__table_writer **out, const kanon__location *l, const char *path,
                                        const kanon__table_mark *marks, int n_marks, kanon_error *err)
{
    (void)out, (void)path, (void)marks, (void)n_marks;
    return no_drivers(l, err);
}
