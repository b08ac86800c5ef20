/* See codes.h. The width of a code is chosen by the number of codes; memory comes from core/alloc.h or core/spill.h. */
#include "table/value/codes.h"

#include "core/spill.h"

static int width_for(uint32_t n_codes)
{
    if (n_codes <= UINT8_MAX + 1u)
        return 1;
    return n_codes <= UINT16_MAX + 1u ? 2 : 4;
}

kanon_status kanon__codes_new(kanon__codes *out, int64_t n, uint32_t n_codes, bool spilled, kanon_error *err)
{
    kanon__codes codes = {.width = width_for(n_codes), .spilled = spilled};
    codes.size = (size_t)n * (size_t)codes.width;
    kanon_status st = spilled ? kanon__spill_new(&codes.cells, codes.size, err)
                              : kanon__alloc_array(&codes.cells, n, (size_t)codes.width, "encoded columns", err);
    if (st == KANON_OK)
        *out = codes;
    return st;
}

void kanon__codes_clear(kanon__codes *codes)
{
    if (codes->spilled)
        kanon__spill_free(codes->cells, codes->size);
    else
        kanon__free(codes->cells);
    *codes = (kanon__codes){0};
}

/* The n codes from `first` on. The width is chosen once for all of them, here and below. */
static void get_codes(uint32_t *out, kanon__codes codes, int64_t first, int64_t n)
{
    const uint8_t *one = codes.cells;
    const uint16_t *two = codes.cells;
    const uint32_t *four = codes.cells;
    if (codes.width == 1)
        for (int64_t i = 0; i < n; i++)
            out[i] = one[first + i];
    else if (codes.width == 2)
        for (int64_t i = 0; i < n; i++)
            out[i] = two[first + i];
    else
        for (int64_t i = 0; i < n; i++)
            out[i] = four[first + i];
}

static void put_codes(kanon__codes codes, int64_t first, const uint32_t *from, int64_t n)
{
    uint8_t *one = codes.cells;
    uint16_t *two = codes.cells;
    uint32_t *four = codes.cells;
    if (codes.width == 1)
        for (int64_t i = 0; i < n; i++)
            one[first + i] = (uint8_t)from[i];
    else if (codes.width == 2)
        for (int64_t i = 0; i < n; i++)
            two[first + i] = (uint16_t)from[i];
    else
        for (int64_t i = 0; i < n; i++)
            four[first + i] = from[i];
}

void kanon__codes_translate(kanon__codes to, int64_t first, kanon__codes from, int64_t n, const uint32_t *map)
{
    enum { SOME = 1024 };
    uint32_t some[SOME];
    for (int64_t row = 0; row < n; row += SOME) {
        int64_t m = n - row < SOME ? n - row : SOME;
        get_codes(some, from, row, m);
        for (int64_t i = 0; i < m; i++)
            some[i] = map[some[i]];
        put_codes(to, first + row, some, m);
    }
}

kanon_status kanon__codes_move(kanon__codes *codes, int64_t n, int64_t capacity, uint32_t n_codes, bool spilled,
                               kanon_error *err)
{
    kanon__codes moved = {0};
    kanon_status st = kanon__codes_new(&moved, capacity, n_codes, spilled, err);
    if (st != KANON_OK)
        return st;
    for (int64_t row = 0; row < n; row++)
        kanon__code_set(moved, row, kanon__code_at(*codes, row));
    kanon__codes_clear(codes);
    *codes = moved;
    return KANON_OK;
}
