/* Bands: numbers and dates that are shown at best as an interval with given ends.
 *
 *     bands: 5, bottom: 19, top: 90        bands of whole numbers     [..19] [20..24] [25..29] ... [85..89] [90..]
 *     bands: 0.5                           of decimals                [0..0.5) [0.5..1) ...
 *     bands: [0, 18, 65]                   by edges                   [..-1] [0..17] [18..64] [65..]
 *     bands: quarter                       of dates                   [2024-01-01..2024-03-31] ...
 *
 * A rule is what the schema says, in the scale of a column's numbers; a band is what one code of such a domain stands
 * for. The cost of the codes a..b is (high of b - low of a) / (high of the last code - low of the first one), as
 * docs/measures.md defines. */
#ifndef KANON_TABLE_BANDS_H
#define KANON_TABLE_BANDS_H

#include "core/status.h"
#include "table/value/value_format.h"

#include <stdbool.h>

/* All ends are whole numbers of 10^-scale, of dates days. */
typedef struct kanon__band {
    int64_t low, high;   /* what it costs is counted from low to high: the edges; of an open end the table's extreme */
    int64_t first, last; /* what is shown; not of an open end */
    bool open_below, open_above;
    bool half_open; /* `last` itself is not in the band: decimals */
} kanon__band;

typedef struct kanon__band_rule kanon__band_rule;

/* Whether the texts could be bands of some type: `bands` is a width, a calendar unit, or edges with commas between them;
 * `top` and `bottom` are numbers or dates; each may be NULL. *problem becomes what is wrong, *hint what would be right. */
bool kanon__bands_check(const char *bands, const char *top, const char *bottom, const char **problem, const char **hint);
/* Whether the texts are dates or a unit of the calendar, so that the column must hold dates. */
bool kanon__bands_need_dates(const char *bands, const char *top, const char *bottom);

/* The rule for numbers of the given type, which is integer, decimal or date. KANON_EDATA names the column. */
kanon_status kanon__band_rule_new(kanon__band_rule **out, const char *bands, const char *top, const char *bottom,
                                  kanon_type type, const char *column, kanon_error *err);
void kanon__band_rule_free(kanon__band_rule *rule);
/* Digits after the point that the ends of the rule need. */
int kanon__band_rule_scale(const kanon__band_rule *rule);
/* Count the ends in a finer scale. False where one does not fit. */
bool kanon__band_rule_rescale(kanon__band_rule *rule, int scale);
/* No band is wider; INT64_MAX where one may be open. */
int64_t kanon__band_rule_widest(const kanon__band_rule *rule);
/* The band of a number in the scale of the rule. Open ends are 0 in `low` and `high` until the table's extremes are known.
 * False where its ends do not fit. */
bool kanon__band_of(const kanon__band_rule *rule, int64_t number, kanon__band *out);
/* Whether both are the same band. */
bool kanon__band_equal(const kanon__band *left, const kanon__band *right);

/* Whether the interval from `lo` to `hi` is a single value. */
static inline bool kanon__bands_are_point(const kanon__band *lo, const kanon__band *hi)
{
    return !lo->open_below && !hi->open_above && !hi->half_open && lo->first == hi->last;
}

enum { KANON__BAND_TEXT = 2 * KANON__NUMBER_TEXT + 8 };

/* How the ends of bands are written. */
typedef struct kanon__band_style {
    int scale;
    kanon_type type;
    const kanon__value_format *format; /* as the column writes its values; NULL: with a decimal point, YYYY-MM-DD */
    bool ranges;                       /* intervals as PostgreSQL writes them */
} kanon__band_style;

/* An end as text: the first or the last value of a band that is shown. A date that the format cannot say, such as 1960 with
 * two digits of the year, is YYYY-MM-DD. Returns the length. */
size_t kanon__band_end_text(char buffer[KANON__NUMBER_TEXT], int64_t end, const kanon__band_style *style);
/* The interval from `lo` to `hi`: "[20..24]", "[0..0.5)", "[90..]", "[..18]", "20" where it is one value, "*" where both
 * ends are open. `ranges`: as PostgreSQL writes them, "[20,24]", "[0,0.5)", "[90,)", "(,18]". Returns the length. */
size_t kanon__band_text(char buffer[KANON__BAND_TEXT], const kanon__band *lo, const kanon__band *hi,
                        const kanon__band_style *style);

#endif
