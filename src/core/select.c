/* See select.h. Quickselect with the median of three as pivot; equal values are collected in the middle, so that
 * columns with few distinct values take one pass. */
#include "core/select.h"

static uint32_t median_of_three(uint32_t a, uint32_t b, uint32_t c)
{
    if (a > b) {
        uint32_t swap = a;
        a = b;
        b = swap;
    }
    return c < a ? a : c > b ? b : c;
}

uint32_t kanon__select(uint32_t *values, int64_t n, int64_t k)
{
    int64_t begin = 0, end = n;
    uint64_t mix = (uint64_t)n; /* pivots jump about, so that no order of the input is bad */
    for (;;) {
        uint64_t width = (uint64_t)(end - begin);
        mix = mix * 6364136223846793005u + 1442695040888963407u;
        uint32_t pivot = median_of_three(values[begin], values[begin + (int64_t)((mix >> 33) % width)], values[end - 1]);
        /* three ways, so that many equal values cost one pass: [begin, low) < pivot, [low, i) = pivot, [high, end) > pivot
         * */
        int64_t low = begin, high = end;
        for (int64_t i = begin; i < high;) {
            uint32_t value = values[i];
            if (value < pivot) {
                values[i++] = values[low];
                values[low++] = value;
            } else if (value > pivot) {
                values[i] = values[--high];
                values[high] = value;
            } else {
                i++;
            }
        }
        if (k < low)
            end = low;
        else if (k >= high)
            begin = high;
        else
            return pivot;
    }
}
