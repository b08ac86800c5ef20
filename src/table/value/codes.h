/* The codes of a column, one per row, in as few bytes each as its domain allows: a table of persons has mostly small
 * domains, and what is small stays in the cache. They lie in memory or, where that is short, in a spill file. */
#ifndef KANON_TABLE_CODES_H
#define KANON_TABLE_CODES_H

#include "core/alloc.h"

#include <stdint.h>

typedef struct kanon__codes {
    void *cells;
    int width;    /* bytes of a cell: 1, 2 or 4 */
    bool spilled; /* into a file */
    size_t size;  /* of all cells, in bytes */
} kanon__codes;

/* Room for n codes, all below n_codes; 0 at first. */
kanon_status kanon__codes_new(kanon__codes *out, int64_t n, uint32_t n_codes, bool spilled, kanon_error *err);
void kanon__codes_clear(kanon__codes *codes);
/* Room for `capacity` codes below n_codes, at least as many and as wide as before; the first n are kept. */
kanon_status kanon__codes_move(kanon__codes *codes, int64_t n, int64_t capacity, uint32_t n_codes, bool spilled,
                               kanon_error *err);

/* Codes from `first` on become what `map` has for the first n of `from`. */
void kanon__codes_translate(kanon__codes to, int64_t first, kanon__codes from, int64_t n, const uint32_t *map);

static inline uint32_t kanon__code_at(kanon__codes codes, int64_t row)
{
    switch (codes.width) {
    case 1:
        return ((const uint8_t *)codes.cells)[row];
    case 2:
        return ((const uint16_t *)codes.cells)[row];
    default:
        return ((const uint32_t *)codes.cells)[row];
    }
}

static inline void kanon__code_set(kanon__codes codes, int64_t row, uint32_t code)
{
    switch (codes.width) {
    case 1:
        ((uint8_t *)codes.cells)[row] = (uint8_t)code;
        break;
    case 2:
        ((uint16_t *)codes.cells)[row] = (uint16_t)code;
        break;
    default:
        ((uint32_t *)codes.cells)[row] = code;
    }
}

/* Whether a code of this size has room in a cell. */
static inline bool kanon__codes_hold(kanon__codes codes, uint32_t code)
{
    return codes.width == 4 || code >> (8 * codes.width) == 0;
}

#endif
