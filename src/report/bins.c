#include "report/bins.h"

#include <stdlib.h>
#include <string.h>

enum { STEPS_MAX = 20, CLIPPED_SHARE = 100 }; /* at most one value in 100 is beyond the bins of equal width */

void kanon__bins_at(kanon__bins *out, const int64_t *begins, int n)
{
    memset(out, 0, sizeof *out);
    out->n = n;
    for (int i = 0; i < n; i++) {
        out->items[i].lo = begins[i];
        out->items[i].hi = i + 1 < n ? begins[i + 1] - 1 : INT64_MAX;
    }
}

static int compare_numbers(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* 1, 2, 5, 10, 20, 50, ...: the least that is at least `wanted`. */
static int64_t round_step(int64_t wanted)
{
    int64_t power = 1;
    while (power <= wanted / 10)
        power *= 10;
    for (;; power *= 10)
        for (int factor = 1; factor <= 5; factor = factor == 2 ? 5 : factor + 1)
            if (factor * power >= wanted)
                return factor * power;
}

void kanon__bins_for(kanon__bins *out, int64_t *values, int64_t n)
{
    int64_t begins[KANON__MAX_BINS];
    memset(out, 0, sizeof *out);
    if (n == 0)
        return;
    qsort(values, (size_t)n, sizeof *values, compare_numbers);
    int64_t lo = values[0], last = values[n - 1], common = values[n - 1 - n / CLIPPED_SHARE];
    if (last - lo < STEPS_MAX)
        common = last;
    int64_t step = round_step((common - lo) / STEPS_MAX + 1);
    int n_bins = 0;
    for (int64_t begin = lo; begin <= common; begin += step)
        begins[n_bins++] = begin;
    int64_t beyond = lo + n_bins * step;
    if (beyond <= last)
        begins[n_bins++] = beyond;
    kanon__bins_at(out, begins, n_bins);
    if (beyond > last)
        out->items[n_bins - 1].hi = beyond - 1;
}

void kanon__bins_add(kanon__bins *bins, int64_t value, int64_t groups, int64_t records, double loss)
{
    int i = 0;
    while (i + 1 < bins->n && value > bins->items[i].hi)
        i++;
    bins->items[i].groups += groups;
    bins->items[i].records += records;
    bins->items[i].loss += loss;
}

/* Put bin i + 1 into bin i. */
static void join(kanon__bins *bins, int i)
{
    kanon__bin *into = &bins->items[i], *from = into + 1;
    into->hi = from->hi;
    into->groups += from->groups;
    into->records += from->records;
    into->loss += from->loss;
    memmove(from, from + 1, (size_t)(bins->n - i - 2) * sizeof *from);
    bins->n--;
}

static bool is_few(const kanon__bins *bins, int i, int64_t least)
{
    return bins != NULL && bins->items[i].groups > 0 && bins->items[i].groups < least;
}

void kanon__bins_merge(kanon__bins *bins, kanon__bins *other, int64_t least)
{
    for (int i = 0; i < bins->n;) {
        if (!is_few(bins, i, least) && !is_few(other, i, least)) {
            i++;
            continue;
        }
        if (bins->n == 1) {
            bins->n = 0;
            if (other != NULL)
                other->n = 0;
            return;
        }
        if (i + 1 == bins->n) /* the last one goes to the left, and what it makes there is looked at again */
            i--;
        join(bins, i);
        if (other != NULL)
            join(other, i);
    }
}
