/* What the cells of a released column cover in a column of a table: each text as the codes of the table that it may stand
 * for. Codes are ordered (table/domain/domain.h), so most texts are one run of codes:
 *
 *     domain of the table     22 23 24 33, no value         texts    [22..24]   24   >23   *   {22, 33}      young
 *     codes                    0  1  2  3   4               codes      0-2      2-2  2-3  0-4  0-0 and 3-3   none: unknown
 */
#ifndef KANON_AUDIT_CELL_REGIONS_H
#define KANON_AUDIT_CELL_REGIONS_H

#include "table/domain/data.h"

/* A run of codes, and the next run of the same text. */
typedef struct kanon__cell_region {
    uint32_t lo, hi; /* lo above hi: none; lo = hi + 1: a number between the values of these two */
    int32_t more;    /* its place among the regions; -1: there is none */
} kanon__cell_region;

typedef struct kanon__cell_regions {
    kanon__cell_region *items; /* the first ones are those of the texts, by code, and of null */
    int64_t n, capacity;
    uint32_t n_texts;
    bool *unknown; /* by text: it is no value, interval, node, mask or set of them */
    bool *any;     /* by text: it means any value */
} kanon__cell_regions;

/* `column` is encoded. A text that cannot be read means what one does that the schema declares to be the same. */
kanon_status kanon__cell_regions_read(kanon__cell_regions *out, const kanon__column *column, const kanon__dictionary *texts,
                                      const kanon_schema *schema, kanon_error *err);
void kanon__cell_regions_clear(kanon__cell_regions *regions);

/* The first run of a text; that of KANON__NO_CODE, which is null, covers all. */
static inline const kanon__cell_region *kanon__cell_region_of(const kanon__cell_regions *regions, uint32_t text)
{
    return &regions->items[text < regions->n_texts ? text : regions->n_texts];
}

static inline const kanon__cell_region *kanon__cell_region_next(const kanon__cell_regions *regions,
                                                                const kanon__cell_region *region)
{
    return region->more >= 0 ? &regions->items[region->more] : NULL;
}

static inline bool kanon__cell_region_covers(const kanon__cell_regions *regions, uint32_t text, uint32_t code)
{
    const kanon__cell_region *region = kanon__cell_region_of(regions, text);
    for (; region != NULL; region = kanon__cell_region_next(regions, region))
        if (code >= region->lo && code <= region->hi)
            return true;
    return false;
}

#endif
