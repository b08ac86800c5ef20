/* See sort.h. Runs of RUN items are sorted by qsort and then merged, two and two, from one array to the other and back. The
 * tick is polled after each run, and after each RUN items of a merge. */
#include "core/sort.h"

#include "core/alloc.h"
#include "core/ticker.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { RUN = 16384, LEVEL_NS = 20 }; /* what an item costs in each merge */

/* The items to merge: [left, middle) and [middle, end), all of them places in bytes. */
typedef struct merge {
    const char *from;
    char *to;
    size_t size, left, right, middle, end, at;
    kanon__compare compare;
} merge;

/* The next RUN items, or what is left. */
static void merge_some(merge *m)
{
    size_t until = m->end - m->at > RUN * m->size ? m->at + RUN * m->size : m->end;
    for (; m->at < until; m->at += m->size) {
        bool from_left = m->left < m->middle &&
                         (m->right >= m->end || m->compare(m->from + m->left, m->from + m->right) <= 0);
        size_t *place = from_left ? &m->left : &m->right;
        memcpy(m->to + m->at, m->from + *place, m->size);
        *place += m->size;
    }
}

/* One level: runs of `width` bytes become runs of twice that. */
static kanon_status merge_runs(char *to, const char *from, size_t total, size_t width, size_t size, kanon__compare compare,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (size_t begin = 0; begin < total; begin += 2 * width) {
        size_t middle = total - begin < width ? total : begin + width, end = total - middle < width ? total : middle + width;
        merge m = {from, to, size, begin, middle, middle, end, begin, compare};
        while (m.at < end) {
            merge_some(&m);
            KANON_TRY(kanon__poll_tick((int64_t)RUN * LEVEL_NS, err), out);
        }
    }
out:
    return st;
}

kanon_status kanon__sort(void *items, int64_t n, size_t size, kanon__compare compare, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t total = (size_t)n * size, width = RUN * size;
    char *other = NULL, *from = items, *to;
    if (n <= RUN) {
        if (n > 1)
            qsort(items, (size_t)n, size, compare);
        return KANON_OK;
    }
    KANON_TRY(kanon__new_array(&other, (int64_t)total, "sorting", err), out);
    for (size_t at = 0; at < total; at += width) {
        qsort(from + at, (total - at < width ? total - at : width) / size, size, compare);
        KANON_TRY(kanon__poll_tick((int64_t)RUN * LEVEL_NS * 14, err), out);
    }
    for (to = other; width < total; width *= 2) {
        KANON_TRY(merge_runs(to, from, total, width, size, compare, err), out);
        char *sorted = to;
        to = from;
        from = sorted;
    }
    if (from != items)
        memcpy(items, from, total);
out:
    kanon__free(other);
    return st;
}
