/* Pieces (kanon_blocks.h) on their way between the driver and its workers: files of the exchange folder. */
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <stdlib.h>

kanon_status piece_keep(const workers_run *run, const kanon_piece *piece, const char *kind, int64_t number, kanon_error *err)
{
    exchange_file file;
    kanon_sink sink = exchange_sink(&file);
    kanon_status st = exchange_create(&file, &run->exchange, kind, number, err);
    return st == KANON_OK ? exchange_finish(&file, kanon_piece_write(piece, &sink, err), err) : st;
}

kanon_status piece_load(kanon_piece **out, const workers_run *run, const char *kind, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    void *bytes = NULL;
    size_t size;
    WORKER_TRY(exchange_load(&bytes, &size, &run->exchange, kind, number, err));
    WORKER_TRY(kanon_piece_read(out, KANON_BYTES(bytes, size), run->domain, NULL, err));
out:
    free(bytes);
    return st;
}

kanon_status piece_take(kanon_piece **whole, const workers_run *run, const char *kind, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_piece *piece = NULL;
    WORKER_TRY(piece_load(&piece, run, kind, number, err));
    exchange_drop(&run->exchange, kind, number);
    WORKER_TRY(piece_join(whole, &piece, err));
out:
    kanon_piece_free(piece);
    return st;
}

kanon_status piece_join(kanon_piece **whole, kanon_piece **piece, kanon_error *err)
{
    if (*whole != NULL)
        return kanon_piece_merge(*whole, *piece, err);
    *whole = *piece;
    *piece = NULL;
    return KANON_OK;
}
