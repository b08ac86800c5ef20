/* zstd, by libzstd: the add-on KANON_ZSTD. Declared in decode.h. */
#include "table/text/decode.h"

#include <zstd.h>

enum { PIECE = 1 << 15, MOST_WINDOW = 27 }; /* 2^27 bytes: what the program zstd reads, too, without being told to */

static kanon_status unpack_piece(kanon__byte_store *out, ZSTD_DStream *z, ZSTD_inBuffer *in, size_t *left, kanon_error *err)
{
    char piece[PIECE];
    ZSTD_outBuffer to = {piece, PIECE, PIECE};
    while (in->pos < in->size || to.pos == to.size) { /* a full piece: there may be more to come */
        to = (ZSTD_outBuffer){piece, PIECE, 0};
        size_t before = in->pos, result = ZSTD_decompressStream(z, &to, in);
        if (ZSTD_isError(result))
            return kanon__unpack_damaged(out, "zstd", err);
        if (in->pos > before || to.pos > 0) /* else the answer is about a file that may follow */
            *left = result;
        kanon_status st = kanon__byte_store_add(out, piece, to.pos, err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

kanon_status kanon__unpack_zstd(kanon__byte_store *out, kanon__byte_reader *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t left = 1; /* 0: a packed file is complete */
    ZSTD_DStream *z = ZSTD_createDStream();
    if (z == NULL || ZSTD_isError(ZSTD_DCtx_setParameter(z, ZSTD_d_windowLogMax, MOST_WINDOW))) {
        st = kanon__fail(err, KANON_ENOMEM, "out of memory for unpacking %s", out->path);
        goto out;
    }
    for (;;) {
        const char *bytes;
        size_t n;
        KANON_TRY(kanon__byte_reader_next(from, &bytes, &n, err), out);
        if (n == 0)
            break;
        ZSTD_inBuffer in = {bytes, n, 0};
        KANON_TRY(unpack_piece(out, z, &in, &left, err), out);
    }
    if (left != 0)
        st = kanon__unpack_damaged(out, "zstd", err);
out:
    ZSTD_freeDStream(z);
    return st;
}
