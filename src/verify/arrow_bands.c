/* See arrow_bands.h. */
#include "verify/arrow_bands.h"

#include "core/alloc.h"
#include "table/value/number.h"

#include <math.h>
#include <stdlib.h>

static const kanon__domain *domain_of(const kanon__arrow_check *c, const kanon__checked_field *f)
{
    return c->table->data.columns[f->number].domain;
}

/* ---- numbers ------------------------------------------------------------------------------------------------------ */

/* The shortest text that reads back as a real, as a number: that is what the table reads. Of a float it has at most as many
 * digits as the double of the same value, so digits are taken off until no fewer would do. */
static bool decimal_of_real(double value, bool single, kanon__decimal *out)
{
    char text[KANON__NUMBER_TEXT];
    kanon__decimal all, less;
    if (!isfinite(value) || !kanon__parse_decimal(&all, text, kanon__format_double(text, value)) || !all.exact)
        return false;
    *out = all;
    int64_t power = INT64_C(100000000000000000);
    for (; single && power > 1; power /= 10) {
        int64_t rest = all.mantissa % power, rounded = all.mantissa - rest;
        rounded += rest >= power / 2 ? power : -rest >= power / 2 ? -power : 0;
        if (kanon__parse_decimal(&less, text, kanon__format_scaled(text, rounded, all.scale)) && less.exact &&
            (float)less.value == (float)value) {
            *out = less;
            return true;
        }
    }
    return true;
}

static const __int128 MOST = INT64_MAX;

/* "d:PRECISION,SCALE": 0 to 18 digits after the point are left. */
static bool decimal_of_digits(__int128 whole, const char *format, kanon__decimal *out)
{
    long scale = strtol(strchr(format, ',') + 1, NULL, 10);
    for (; scale > 0 && whole % 10 == 0; scale--)
        whole /= 10;
    for (; scale < 0 && whole > -MOST && whole < MOST; scale++)
        whole *= 10;
    if (scale < 0 || scale > 18 || whole > INT64_MAX || whole < INT64_MIN)
        return false;
    *out = (kanon__decimal){.mantissa = (int64_t)whole, .scale = (int)scale, .exact = true};
    return true;
}

/* A value of an Arrow array that is no text. `is_end`: of dates only midnights are; else a date counts as its day. */
static bool decimal_of(kanon__read_value value, const char *format, bool is_end, kanon__decimal *out)
{
    enum { DAY_MS = 86400000 };
    __int128 whole = value.whole;
    if (value.kind == KANON__READ_REAL)
        return decimal_of_real(value.real, format[0] == 'f', out);
    if (value.kind != KANON__READ_WHOLE)
        return false;
    if (format[0] == 'd')
        return decimal_of_digits(whole, format, out);
    if (strcmp(format, "tdm") == 0) {
        __int128 rest = whole % DAY_MS;
        if (is_end && rest != 0)
            return false;
        whole = (whole - (rest < 0 ? rest + DAY_MS : rest)) / DAY_MS;
    }
    *out = (kanon__decimal){.mantissa = (int64_t)whole, .exact = true};
    return whole <= INT64_MAX && whole >= INT64_MIN;
}

/* ---- bands -------------------------------------------------------------------------------------------------------- */

kanon_status kanon__checked_bands_init(const kanon__arrow_check *c, kanon__checked_field *f, kanon_error *err)
{
    const kanon__domain *domain = domain_of(c, f);
    kanon_status st = kanon__new_array(&f->code_bands, domain->n_codes, "the check of the release", err);
    for (uint32_t code = 0; st == KANON_OK && code < domain->n_codes; code++) {
        kanon__band_cell cells[2] = {{0}};
        cells[0].bytes = kanon__domain_text(domain, code, &cells[0].length);
        if (code != domain->missing_code &&
            !kanon__verify_band_texts(domain, KANON_NUMERIC_INTERVAL, cells, &f->code_bands[code]))
            st = kanon__fail(err, KANON_EINTERNAL, "the check found a code that is no band: column %s",
                             c->table->data.columns[f->number].name);
    }
    return st;
}

bool kanon__checked_bands_understand(const kanon__arrow_check *c, const kanon__checked_field *f, kanon__checked_value *v)
{
    kanon__decimal numbers[2];
    if (v->cells[0].kind == KANON__READ_TEXT) {
        const kanon__band_cell cells[2] = {{v->cells[0].bytes, v->cells[0].length}};
        return kanon__verify_band_texts(domain_of(c, f), KANON_NUMERIC_INTERVAL, cells, &v->band);
    }
    for (int part = 0; part < 2; part++)
        if (v->cells[part].kind != KANON__READ_NULL &&
            !decimal_of(v->cells[part], c->claim->schema->children[f->child + part]->format, true, &numbers[part]))
            return false;
    return kanon__verify_band_columns(domain_of(c, f), v->cells[0].kind != KANON__READ_NULL ? &numbers[0] : NULL,
                                      v->cells[1].kind != KANON__READ_NULL ? &numbers[1] : NULL, &v->band);
}

bool kanon__checked_bands_cover(const kanon__arrow_check *c, const kanon__checked_field *f, const kanon__checked_value *v,
                                uint32_t code)
{
    if (v->cells[0].kind == KANON__READ_NULL && v->cells[1].kind == KANON__READ_NULL)
        return true; /* any value */
    return code != domain_of(c, f)->missing_code && kanon__shown_band_holds(&v->band, &f->code_bands[code]);
}

/* ---- the input ---------------------------------------------------------------------------------------------------- */

bool kanon__checked_bands_text_says(const kanon__arrow_check *c, const kanon__checked_field *f, uint32_t code,
                                    const char *text, size_t length)
{
    kanon__decimal number;
    return kanon__verify_band_number(domain_of(c, f), text, length, &number) &&
           kanon__shown_band_covers(&f->code_bands[code], &number);
}

/* Reals are compared as they are, and as exact numbers only where one is the nearest to an end. */
static bool is_inside(double value, bool single, const kanon__shown_band *band)
{
    double low = single ? (double)(float)band->low.value : band->low.value;
    double high = single ? (double)(float)band->high.value : band->high.value;
    return isfinite(value) && (band->open_below || low < value) && (band->open_above || value < high);
}

bool kanon__checked_bands_value_says(const kanon__arrow_check *c, const kanon__checked_field *f, uint32_t code,
                                     kanon__read_value value)
{
    const struct ArrowSchema *schema = c->arrow->schema.children[f->number];
    const char *format = schema->dictionary != NULL ? schema->dictionary->format : schema->format;
    const kanon__shown_band *band = &f->code_bands[code];
    kanon__decimal number;
    if (value.kind == KANON__READ_REAL && is_inside(value.real, format[0] == 'f', band))
        return true;
    return decimal_of(value, format, false, &number) && kanon__shown_band_covers(band, &number);
}
