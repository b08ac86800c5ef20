#include "table/codes.h"

static int width_for(uint32_t n_codes)
{
    if (n_codes <= UINT8_MAX + 1u)
        return 1;
    return n_codes <= UINT16_MAX + 1u ? 2 : 4;
}

kanon_status kanon__codes_new(kanon__codes *out, int64_t n, uint32_t n_codes, kanon_error *err)
{
    kanon__codes codes = {.width = width_for(n_codes)};
    kanon_status st = kanon__alloc_array(&codes.cells, n, (size_t)codes.width, "encoded columns", err);
    if (st == KANON_OK)
        *out = codes;
    return st;
}

void kanon__codes_clear(kanon__codes *codes)
{
    kanon__free(codes->cells);
    *codes = (kanon__codes){0};
}
