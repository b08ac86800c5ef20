/* Histograms of whole numbers: choosing limits, counting, and joining bins that stand for too few. kanon__cut_counts is
 * a dynamic program over the possible ends of parts. */
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

int kanon__bins_find(const kanon__bins *bins, int64_t value)
{
    int i = 0;
    while (i + 1 < bins->n && value > bins->items[i].hi)
        i++;
    return i;
}

void kanon__bins_add(kanon__bins *bins, int64_t value, int64_t groups, int64_t records, double loss)
{
    int i = kanon__bins_find(bins, value);
    bins->items[i].groups += groups;
    bins->items[i].records += records;
    bins->items[i].loss += loss;
}

static bool is_few(double count, double least)
{
    return count > 0 && count < least;
}

int kanon__cut_counts(int ends[KANON__MAX_PARTS], kanon__counts a, kanon__counts b, int n)
{
    int most[KANON__MAX_PARTS + 1] = {0}, begin[KANON__MAX_PARTS + 1] = {0}; /* of the first i counts; most -1: impossible */
    for (int i = 1; i <= n; i++) {
        double sum_a = 0, sum_b = 0;
        most[i] = -1;
        for (int from = i - 1; from >= 0; from--) {
            sum_a += a.items[from];
            sum_b += b.items[from];
            if (is_few(sum_a, a.least) || is_few(sum_b, b.least) || most[from] < 0 || most[from] + 1 <= most[i])
                continue;
            most[i] = most[from] + 1;
            begin[i] = from;
        }
    }
    int n_parts = most[n] < 0 ? 0 : most[n];
    for (int part = n_parts - 1, end = n; part >= 0; part--) {
        ends[part] = end;
        end = begin[end];
    }
    return n_parts;
}

static void join(kanon__bins *bins, const int *ends, int n)
{
    for (int part = 0, i = 0; part < n; part++) {
        kanon__bin joined = bins->items[i];
        for (i++; i < ends[part]; i++) {
            joined.hi = bins->items[i].hi;
            joined.groups += bins->items[i].groups;
            joined.records += bins->items[i].records;
            joined.loss += bins->items[i].loss;
        }
        bins->items[part] = joined;
    }
    bins->n = n;
}

void kanon__bins_merge(kanon__bins *bins, kanon__bins *other, int64_t least)
{
    double counts[2][KANON__MAX_BINS];
    int ends[KANON__MAX_PARTS];
    for (int i = 0; i < bins->n; i++) {
        counts[0][i] = (double)bins->items[i].groups;
        counts[1][i] = other != NULL ? (double)other->items[i].groups : 0;
    }
    int n = kanon__cut_counts(ends, (kanon__counts){counts[0], (double)least}, (kanon__counts){counts[1], (double)least},
                              bins->n);
    join(bins, ends, n);
    if (other != NULL)
        join(other, ends, n);
}
