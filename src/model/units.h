/* The cost model in whole units: what both the space of a table (model/space.h) and the space of a state
 * (state/store/current_space.h) compute with.
 *
 * A loss term of an attribute is weight * part / whole: of a number the width of an interval against the range, of a
 * category the height of the common ancestor against that of the root. Terms are counted in units, `scale` of them to 1.
 *
 *     1. Every attribute asks for the least scale at which all its terms are whole.
 *     2. The common multiple of these scales is taken, attribute by attribute, while it stays below the limit. An attribute
 *        that does not fit is rounded (kanon__units_choose_scale).
 *     3. The scale is multiplied as often as the limit allows, so that rounding is fine.
 *     4. weight * scale is the full cost of the attribute; its terms are rounded parts of it.
 *
 * So sums do not depend on their order and equal losses are equal numbers. */
#ifndef KANON_MODEL_UNITS_H
#define KANON_MODEL_UNITS_H

#include <stdbool.h>
#include <stdint.h>

/* A weight as a fraction in lowest terms; numerator and denominator are positive. */
typedef struct kanon__weight {
    int64_t numerator, denominator;
    double value;
} kanon__weight;

/* One attribute, for the choice of the scale. */
typedef struct kanon__unit_term {
    kanon__weight weight;
    int64_t parts; /* every term is a whole number times weight / parts; 0: no such number is known */
    bool exact;    /* out: terms are whole at the chosen scale */
} kanon__unit_term;

/* The weight that a schema gives; 1 where `text` is NULL. */
kanon__weight kanon__weight_parse(const char *text);
int64_t kanon__gcd(int64_t a, int64_t b);
/* The number of units to 1: at most `most_units`, and no more than that for all weights together. */
int64_t kanon__units_choose_scale(kanon__unit_term *terms, int n, double most_units);

/* Units of the whole weight. */
static inline uint32_t kanon__units_full(const kanon__weight *weight, int64_t scale)
{
    return (uint32_t)((__int128)scale * weight->numerator / weight->denominator);
}

/* full * part / whole, rounded to the nearest unit; whole > 0. Of categories: part and whole are below 2^31. */
static inline uint32_t kanon__units_part(uint32_t full, int64_t part, int64_t whole)
{
    return (uint32_t)((part * full * 2 + whole) / (2 * whole));
}

/* The same for numbers: `from` is how far a number lies above the least one of the range, range > 0. */
static inline uint32_t kanon__units_position(uint32_t full, __int128 from, __int128 range)
{
    return (uint32_t)((from * full * 2 + range) / (range * 2));
}

#endif
