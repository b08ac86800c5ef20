/* Compiled in place of unpack_gzip.c, where KANON_GZIP is off. */
#include "table/text/decode.h"

kanon_status kanon__unpack_gzip(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err)
{
    (void)from;
    kanon_status st = kanon__fail(err, KANON_EINVAL,
                                  "%s: this build of libkanon does not read gzip: KANON_GZIP was left out", out->path);
    return kanon__hint(err, st, "unpack it first: gzip -d");
}
