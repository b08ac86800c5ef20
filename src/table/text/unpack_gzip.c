/* gzip, by zlib: the add-on KANON_GZIP. A file may be several packed files one after the other, as cat makes them. Declared
 * in decode.h. */
#include "table/text/decode.h"

#include "core/alloc.h"

#include <zlib.h>

enum { PIECE = 1 << 15, WINDOW_BITS_GZIP = 15 + 16 };

/* Hand on what one piece of the input unpacks to. *ended: a packed file is complete. */
static kanon_status inflate_piece(kanon__byte_store *out, z_stream *z, bool *ended, kanon_error *err)
{
    char piece[PIECE];
    int result = Z_OK;
    while (result == Z_OK && (z->avail_in > 0 || z->avail_out == 0)) {
        z->next_out = (Bytef *)piece;
        z->avail_out = PIECE;
        if (*ended)
            inflateReset(z);
        result = inflate(z, Z_NO_FLUSH);
        *ended = result == Z_STREAM_END;
        if (result == Z_MEM_ERROR)
            return kanon__fail(err, KANON_ENOMEM, "out of memory for unpacking %s", out->path);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return kanon__unpack_damaged(out, "gzip", err);
        kanon_status st = kanon__byte_store_add(out, piece, PIECE - z->avail_out, err);
        if (st != KANON_OK)
            return st;
        result = *ended ? Z_OK : result;
        if (*ended && z->avail_in == 0)
            break;
    }
    return KANON_OK;
}

kanon_status kanon__unpack_gzip(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    z_stream z = {0};
    bool ended = false;
    size_t n;
    if (inflateInit2(&z, WINDOW_BITS_GZIP) != Z_OK)
        return kanon__fail(err, KANON_ENOMEM, "out of memory for unpacking %s", out->path);
    for (;;) {
        const char *bytes;
        KANON_TRY(kanon__byte_reader_next(from, &bytes, &n, err), out);
        if (n == 0)
            break;
        z.next_in = (Bytef *)bytes;
        z.avail_in = (uInt)n;
        z.avail_out = PIECE;
        KANON_TRY(inflate_piece(out, &z, &ended, err), out);
    }
    if (!ended)
        st = kanon__unpack_damaged(out, "gzip", err);
out:
    inflateEnd(&z);
    return st;
}
