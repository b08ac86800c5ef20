/* The check of cells that show bands: they can be read, and their ends are ends that the schema allows. Written apart
 * from table/value/bands.c, which makes the bands: what is allowed is decided here from the texts of the schema
 * alone. */
#ifndef KANON_VERIFY_VERIFY_BANDS_H
#define KANON_VERIFY_VERIFY_BANDS_H

#include "table/domain/domain.h"

/* A text that lies somewhere else. */
typedef struct kanon__band_cell {
    const char *bytes;
    size_t length;
} kanon__band_cell;

/* What a cell shows, exactly. */
typedef struct kanon__shown_band {
    kanon__decimal low, high; /* not of an open end */
    bool open_below, open_above;
    bool half_open; /* `high` itself is not covered */
} kanon__shown_band;

/* Read what a cell shows: one text, or of KANON_NUMERIC_COLUMNS two, of which an empty one is an open end. False where it is
 * no interval of bands, or ends where no band ends. */
bool kanon__verify_band_texts(const kanon__domain *domain, kanon_numeric numeric, const kanon__band_cell cells[2],
                              kanon__shown_band *out);
/* The same; `ends` becomes the least and the largest number that it covers. */
bool kanon__verify_band_cell(const kanon__domain *domain, kanon_numeric numeric, const kanon__band_cell cells[2],
                             double ends[2]);
/* The same of the numbers in two columns; NULL: an open end. */
bool kanon__verify_band_columns(const kanon__domain *domain, const kanon__decimal *low, const kanon__decimal *high,
                                kanon__shown_band *out);

bool kanon__shown_band_covers(const kanon__shown_band *shown, const kanon__decimal *number);
/* Whether all that `part` covers is covered. */
bool kanon__shown_band_holds(const kanon__shown_band *shown, const kanon__shown_band *part);
/* A number or a date as the column writes it. */
bool kanon__verify_band_number(const kanon__domain *domain, const char *text, size_t length, kanon__decimal *out);

#endif
