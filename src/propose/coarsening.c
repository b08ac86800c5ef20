/* See coarsening.h. Bands are about a twentieth of the range, in steps that people use: 1, 2 or 5 and zeros. Ages have bands
 * of five years and, as HIPAA asks, one for 90 and more. */
#include "propose/coarsening.h"

#include <stdio.h>
#include <string.h>

enum { MASKED_CODES = 10 }; /* numbers without an order are masked where there are more of them */
enum { FEW_VALUES = 20, BANDS = 20 };
enum { AGE_BAND = 5, AGE_TOP = 90, MONTHS_DAYS = 3 * 366, QUARTERS_DAYS = 12 * 366 };

bool kanon__coarsening_masks(const kanon__column_facts *f, kanon__kind kind, kanon_type type)
{
    if (type != KANON_TYPE_CATEGORICAL || !f->can_mask || kind == KANON__KIND_UNKNOWN)
        return false;
    bool numbers = f->shape.type == KANON_TYPE_INTEGER && f->n_distinct > MASKED_CODES;
    return kanon__kind_has(kind, KANON__TRAIT_CODE) || numbers || f->shape.kind == KANON__SHAPE_CODES;
}

/* The text of digit * 10^exponent. */
static void print_step(char out[KANON__NUMBER_TEXT], int digit, int exponent)
{
    if (exponent >= 0)
        snprintf(out, KANON__NUMBER_TEXT, "%d%.*s", digit, exponent, "000000000000000000");
    else
        snprintf(out, KANON__NUMBER_TEXT, "0.%.*s%d", -exponent - 1, "000000000000000000", digit);
}

/* The smallest step of 1, 2 or 5 and zeros that is at least `least`. */
static void choose_step(char out[KANON__NUMBER_TEXT], double least, bool whole)
{
    static const int digits[] = {1, 2, 5};
    double power = whole ? 1 : 1e-6;
    for (int exponent = whole ? 0 : -6; exponent <= 15; exponent++, power *= 10)
        for (int i = 0; i < 3; i++)
            if (digits[i] * power >= least) {
                print_step(out, digits[i], exponent);
                return;
            }
}

static void choose_date_bands(kanon__decision *d, const kanon__column_facts *f)
{
    double days = f->max - f->min;
    if (kanon__value_has_time(&f->shape.format) || f->n_distinct < 2) /* bands are of days */
        return;
    snprintf(d->bands, sizeof d->bands, "%s",
             d->kind == KANON__KIND_birth_date || days > QUARTERS_DAYS ? "year"
             : days > MONTHS_DAYS                                      ? "quarter"
                                                                       : "month");
}

void kanon__coarsening_bands(kanon__decision *d, const kanon__column_facts *f)
{
    bool whole = d->type == KANON_TYPE_INTEGER;
    if (d->type == KANON_TYPE_DATE)
        choose_date_bands(d, f);
    if ((!whole && d->type != KANON_TYPE_DECIMAL) || f->n_distinct <= FEW_VALUES)
        return;
    bool years = whole && (d->kind == KANON__KIND_age || d->kind == KANON__KIND_birth_date);
    if (years)
        snprintf(d->bands, sizeof d->bands, "%d", AGE_BAND);
    else
        choose_step(d->bands, (f->max - f->min) / BANDS, whole);
    if (strcmp(d->bands, "1") == 0 && whole) /* as it is */
        d->bands[0] = '\0';
    if (d->kind == KANON__KIND_age && whole && f->max >= AGE_TOP)
        snprintf(d->top, sizeof d->top, "%d", AGE_TOP);
}
