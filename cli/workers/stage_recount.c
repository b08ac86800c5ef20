/* The last check, before the release gets its name: the finished file is read once more, its classes are counted, and
 * every class must have k records. A class are the lines with the same text in all quasi cells. Nothing of the library
 * is used, and nothing of what the run knows but the names of the columns.
 *
 *     1 by part of the file: a hash of the quasi cells of each line, by bucket
 *     2 by bucket: hashes are sorted, equal ones are counted */
#define _DEFAULT_SOURCE /* getentropy */
#include "workers/cell_hash.h"
#include "workers/csv_lines.h"
#include "workers/worker_error.h"
#include "workers/workers_run.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct class_hash {
    uint64_t word[2];
} class_hash;

/* ---- step 1 -------------------------------------------------------------------------------------------------------- */

/* Neighbouring cells are hashed as they stand, with the delimiters between them. */
static kanon_status hash_line(class_hash *out, const workers_run *run, const char *at, const char *end, kanon_error *err)
{
    cell_hash hash;
    const char *mark = run->head, *first = NULL; /* of the cells that are not hashed yet */
    cell_hash_begin(&hash, run->key);
    for (; at != NULL && *mark != '\0'; mark++) {
        csv_text cell = csv_next_cell(&at, end, run->parts->delimiter[0]);
        if (*mark != 'q')
            continue;
        first = first != NULL ? first : cell.text;
        if (mark[1] == 'q')
            continue;
        cell_hash_add(&hash, first, (size_t)(cell.text + cell.size - first));
        cell_hash_add(&hash, "\n", 1); /* where they end: none has a line break outside quotes */
        first = NULL;
    }
    if (at != NULL || *mark != '\0')
        return worker_fail(err, KANON_EINTERNAL, "the check found a line of the release with other columns than its header");
    cell_hash_end(&hash, out->word);
    return KANON_OK;
}

static int64_t bucket_of(const workers_run *run, const class_hash *hash)
{
    return (int64_t)(hash->word[0] % (uint64_t)run->n_buckets);
}

/* Hashes of all lines, in the order of the file. */
static kanon_status hash_lines(class_hash *out, const workers_run *run, int64_t part, const char *at, const char *end,
                               kanon_error *err)
{
    for (int64_t i = 0; i < run->part_lines[part].line; i++) {
        const char *next = csv_line_end(at, end);
        kanon_status st = next > at ? hash_line(&out[i], run, at, next, err)
                                    : worker_fail(err, KANON_EINTERNAL, "the check found lines of the release missing");
        if (st != KANON_OK)
            return st;
        at = next;
    }
    return at == end ? KANON_OK : worker_fail(err, KANON_EINTERNAL, "the check found too many lines in the release");
}

static kanon_status write_hashes(const workers_run *run, const class_hash *hashes, int64_t part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bundle buckets = {0};
    bundle_mark *next = NULL;
    WORKER_TRY(bundle_init(&buckets, run->n_buckets, 0, err));
    for (int64_t i = 0; i < run->part_lines[part].line; i++)
        buckets.marks[bucket_of(run, &hashes[i])].byte += sizeof *hashes;
    WORKER_TRY(bundle_sum(&buckets, err));
    WORKER_TRY(worker_new(&next, run->n_buckets + 1, sizeof *next, err));
    memcpy(next, buckets.marks, (size_t)(run->n_buckets + 1) * sizeof *next);
    for (int64_t i = 0; i < run->part_lines[part].line; i++) {
        bundle_mark *at = &next[bucket_of(run, &hashes[i])];
        memcpy(buckets.bytes + at->byte, &hashes[i], sizeof *hashes);
        at->byte += sizeof *hashes;
    }
    WORKER_TRY(bundle_write(&buckets, &run->exchange, "classes", part, err));
out:
    free(next);
    bundle_clear(&buckets);
    return st;
}

static kanon_status hash_part(int64_t part, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    int64_t begin = run->line_begin[part], size = run->line_begin[part + 1] - begin;
    char *bytes = NULL;
    class_hash *hashes = NULL;
    WORKER_TRY(worker_new(&bytes, size, 1, err));
    WORKER_TRY(worker_new(&hashes, run->part_lines[part].line, sizeof *hashes, err));
    WORKER_TRY(exchange_read_at(run->release.fd, bytes, (size_t)size, begin, run->release.path, err));
    WORKER_TRY(hash_lines(hashes, run, part, bytes, bytes + size, err));
    WORKER_TRY(write_hashes(run, hashes, part, err));
out:
    free(hashes);
    free(bytes);
    return st;
}

static kanon_status count_hashes(int64_t part, void *payload, kanon_error *err)
{
    workers_run *run = payload;
    return bundle_count(run->bucket_lines, run->n_buckets, &run->exchange, "classes", part, err);
}

/* ---- step 2 -------------------------------------------------------------------------------------------------------- */

static int by_words(const void *left, const void *right)
{
    const class_hash *a = left, *b = right;
    int i = a->word[0] == b->word[0];
    return a->word[i] < b->word[i] ? -1 : a->word[i] > b->word[i];
}

enum { DIGITS = 1 << 12 };

/* The highest bits of a hash, which the buckets have not used. */
static int digit_of(const class_hash *hash)
{
    return (int)(hash->word[1] / (UINT64_MAX / DIGITS + 1));
}

/* Put the hashes in the order of their digits, in place: each that is taken out is put where its digit begins, and what
 * stood there is taken out next. ends[digit] becomes where its hashes end. */
static void sort_by_digit(class_hash *hashes, int64_t n, int64_t ends[DIGITS])
{
    int64_t next[DIGITS], begin = 0;
    memset(ends, 0, DIGITS * sizeof *ends);
    for (int64_t i = 0; i < n; i++)
        ends[digit_of(&hashes[i])]++;
    for (int digit = 0; digit < DIGITS; digit++) {
        next[digit] = begin;
        ends[digit] = begin += ends[digit];
    }
    for (int digit = 0; digit < DIGITS; digit++)
        while (next[digit] < ends[digit]) {
            class_hash taken = hashes[next[digit]];
            for (int to; (to = digit_of(&taken)) != digit;) {
                class_hash there = hashes[next[to]];
                hashes[next[to]++] = taken;
                taken = there;
            }
            hashes[next[digit]++] = taken;
        }
}

static kanon_status check_classes(const class_hash *hashes, int64_t n, int64_t k, kanon_error *err)
{
    for (int64_t i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && by_words(&hashes[i], &hashes[end]) == 0; end++)
            ;
        if (end - i < k)
            return worker_fail(err, KANON_EINTERNAL,
                               "the check found a class of %" PRId64 " records in the release, k is %" PRId64, end - i, k);
    }
    return KANON_OK;
}

static kanon_status count_classes(class_hash *hashes, int64_t n, int64_t k, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t ends[DIGITS];
    sort_by_digit(hashes, n, ends);
    for (int digit = 0; digit < DIGITS && st == KANON_OK; digit++) {
        int64_t begin = digit > 0 ? ends[digit - 1] : 0;
        qsort(hashes + begin, (size_t)(ends[digit] - begin), sizeof *hashes, by_words);
        st = check_classes(hashes + begin, ends[digit] - begin, k, err);
    }
    return st;
}

static kanon_status count_bucket(int64_t bucket, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const workers_run *run = payload;
    int64_t all = run->bucket_lines[bucket].byte, at = 0;
    char *bytes = NULL;
    WORKER_TRY(worker_new(&bytes, all, 1, err));
    for (int64_t part = 0; part < run->n_parts; part++) {
        bundle_mark n = {all - at, 0};
        WORKER_TRY(bundle_read(bytes + at, NULL, &n, run->n_buckets, bucket, &run->exchange, "classes", part, err));
        at += n.byte;
    }
    if (at != all) {
        st = worker_fail(err, KANON_EINTERNAL, "the check lost lines of the release");
        goto out;
    }
    WORKER_TRY(count_classes((class_hash *)(void *)bytes, all / (int64_t)sizeof(class_hash), run->order->k, err));
out:
    free(bytes);
    return st;
}

/* ---- the stage ----------------------------------------------------------------------------------------------------- */

/* All lines of the release are in the buckets. */
static kanon_status check_number(const workers_run *run, kanon_error *err)
{
    int64_t bytes = 0;
    for (int64_t i = 0; i < run->n_buckets; i++)
        bytes += run->bucket_lines[i].byte;
    if (bytes == (kanon_domain_rows(run->domain) - run->n_suppressed) * (int64_t)sizeof(class_hash))
        return KANON_OK;
    return worker_fail(err, KANON_EINTERNAL, "the check found another number of records in the release than it must have");
}

kanon_status stage_recount(workers_run *run, kanon_error *err)
{
    enum { MOST = 256 << 20 };
    kanon_status st = KANON_OK;
    int64_t most = run->task_memory > 0 && run->task_memory / 4 < MOST ? run->task_memory / 4 : MOST;
    worker_stage hash = {
        .name = "checking", .n_tasks = run->n_parts, .run = hash_part, .done = count_hashes, .payload = run};
    worker_stage count = {.name = "counting classes", .run = count_bucket, .payload = run};
    count.n_tasks = run->n_buckets = kanon_domain_rows(run->domain) * (int64_t)sizeof(class_hash) / most +
                                     run->order->workers;
    if (getentropy(run->key, sizeof run->key) != 0)
        return worker_fail_errno(err, errno, "draw", "random numbers");
    WORKER_TRY(worker_new(&run->bucket_lines, run->n_buckets, sizeof *run->bucket_lines, err));
    WORKER_TRY(worker_pool_run(&run->pool, &hash, err));
    WORKER_TRY(check_number(run, err));
    WORKER_TRY(worker_pool_run(&run->pool, &count, err));
out:
    return st;
}
