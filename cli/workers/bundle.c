/* See bundle.h. */
#include "workers/bundle.h"

#include "workers/worker_error.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

kanon_status bundle_init(bundle *out, int64_t n_keys, int64_t n_lines, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (bundle){.n_keys = n_keys};
    WORKER_TRY(worker_new(&out->marks, n_keys + 1, sizeof *out->marks, err));
    WORKER_TRY(worker_new(&out->lines, n_lines, sizeof *out->lines, err));
out:
    return st;
}

void bundle_clear(bundle *b)
{
    free(b->bytes);
    free(b->lines);
    free(b->marks);
    *b = (bundle){0};
}

kanon_status bundle_sum(bundle *b, kanon_error *err)
{
    bundle_mark sum = {0, 0};
    for (int64_t key = 0; key <= b->n_keys; key++) {
        bundle_mark own = b->marks[key];
        b->marks[key] = sum;
        sum = (bundle_mark){sum.byte + own.byte, sum.line + own.line};
    }
    return worker_new(&b->bytes, sum.byte, 1, err);
}

kanon_status bundle_write(const bundle *b, const exchange *x, const char *kind, int64_t number, kanon_error *err)
{
    exchange_file file;
    bundle_mark end = b->marks[b->n_keys];
    kanon_status st = exchange_create(&file, x, kind, number, err);
    if (st != KANON_OK)
        return st;
    exchange_write(&file, b->bytes, (size_t)end.byte);
    exchange_write(&file, b->lines, (size_t)end.line * sizeof *b->lines);
    exchange_write(&file, b->marks, (size_t)(b->n_keys + 1) * sizeof *b->marks);
    return exchange_finish(&file, st, err);
}

/* Where the marks of an open bundle begin. */
static kanon_status find_marks(int64_t *out, int fd, int64_t n_keys, const exchange *x, kanon_error *err)
{
    struct stat file;
    int64_t size = (n_keys + 1) * (int64_t)sizeof(bundle_mark);
    if (fstat(fd, &file) != 0 || file.st_size < size)
        return worker_fail(err, KANON_EIO, "cannot read from %.800s", x->path);
    *out = file.st_size - size;
    return KANON_OK;
}

kanon_status bundle_count(bundle_mark *totals, int64_t n_keys, const exchange *x, const char *kind, int64_t number,
                          kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle_mark *marks = NULL;
    int64_t begin = 0;
    int fd = exchange_read(x, kind, number, err);
    if (fd < 0)
        return err->status;
    WORKER_TRY(find_marks(&begin, fd, n_keys, x, err));
    WORKER_TRY(worker_new(&marks, n_keys + 1, sizeof *marks, err));
    WORKER_TRY(exchange_read_at(fd, marks, (size_t)(n_keys + 1) * sizeof *marks, begin, x->path, err));
    for (int64_t key = 0; key < n_keys; key++) {
        totals[key].byte += marks[key + 1].byte - marks[key].byte;
        totals[key].line += marks[key + 1].line - marks[key].line;
    }
out:
    free(marks);
    close(fd);
    return st;
}

/* Lines stand behind all bytes, so that they begin where the bytes of the last key end. */
static kanon_status read_key(char *bytes, bundle_line *lines, bundle_mark *n, int fd, const bundle_mark *key,
                             int64_t all_bytes, const exchange *x, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle_mark own = {key[1].byte - key[0].byte, key[1].line - key[0].line};
    if (own.byte > n->byte || own.line > n->line || own.byte < 0 || own.line < 0)
        return worker_fail(err, KANON_EINTERNAL, "more lines than there is room for came out of the exchange folder");
    WORKER_TRY(exchange_read_at(fd, bytes, (size_t)own.byte, key[0].byte, x->path, err));
    WORKER_TRY(exchange_read_at(fd, lines, (size_t)own.line * sizeof *lines,
                                all_bytes + key[0].line * (int64_t)sizeof *lines, x->path, err));
    *n = own;
out:
    return st;
}

kanon_status bundle_read(char *bytes, bundle_line *lines, bundle_mark *n, int64_t n_keys, int64_t key, const exchange *x,
                         const char *kind, int64_t number, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle_mark own[2], last;
    int64_t marks = 0;
    int fd = exchange_read(x, kind, number, err);
    if (fd < 0)
        return err->status;
    WORKER_TRY(find_marks(&marks, fd, n_keys, x, err));
    WORKER_TRY(exchange_read_at(fd, own, sizeof own, marks + key * (int64_t)sizeof *own, x->path, err));
    WORKER_TRY(exchange_read_at(fd, &last, sizeof last, marks + n_keys * (int64_t)sizeof last, x->path, err));
    WORKER_TRY(read_key(bytes, lines, n, fd, own, last.byte, x, err));
out:
    close(fd);
    return st;
}
