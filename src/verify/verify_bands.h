/* The check of cells that show bands: they can be read, and their ends are ends that the schema allows. Written apart from
 * table/bands.c, which makes the bands: what is allowed is decided here from the texts of the schema alone.
 * Called by verify_release.c and by the check of Arrow releases; may call table/number.h. */
#ifndef KANON_VERIFY_VERIFY_BANDS_H
#define KANON_VERIFY_VERIFY_BANDS_H

#include "table/domain.h"

/* A text that lies somewhere else. */
typedef struct kanon__band_cell {
    const char *bytes;
    size_t length;
} kanon__band_cell;

/* Read what a cell shows: one text, or of KANON_NUMERIC_COLUMNS two, of which an empty one is an open end. False where it is
 * no interval of bands, or ends where no band ends. `ends` becomes the least and the largest number that it covers. */
bool kanon__verify_band_cell(const kanon__domain *domain, kanon_numeric numeric, const kanon__band_cell cells[2],
                             double ends[2]);
/* The same of two ends that are numbers already; NULL: an open end. `half_open`: `high` itself is not covered. */
bool kanon__verify_band_ends(const kanon__domain *domain, const kanon__decimal *low, const kanon__decimal *high,
                             bool half_open);

#endif
