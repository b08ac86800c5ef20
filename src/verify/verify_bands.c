/* See verify_bands.h. An interval is allowed where its lower end begins a band and its upper end ends one; so each end is
 * looked at alone, as the texts of the schema say: a multiple of the width, one of the edges, the first day of a unit of the
 * calendar, or where top and bottom cut. */
#include "verify/verify_bands.h"

#include "table/value/number.h"

#include <math.h>
#include <string.h>

/* ---- exact comparison --------------------------------------------------------------------------------------------- */

/* The mantissa at a scale that both numbers have. */
static void align(const kanon__decimal *a, const kanon__decimal *b, __int128 out[2])
{
    out[0] = a->mantissa;
    out[1] = b->mantissa;
    for (int scale = a->scale; scale < b->scale; scale++)
        out[0] *= 10;
    for (int scale = b->scale; scale < a->scale; scale++)
        out[1] *= 10;
}

static int compare(const kanon__decimal *a, const kanon__decimal *b)
{
    __int128 pair[2];
    align(a, b, pair);
    return pair[0] < pair[1] ? -1 : pair[0] > pair[1];
}

static bool is_multiple(const kanon__decimal *number, const kanon__decimal *width)
{
    __int128 pair[2];
    align(number, width, pair);
    return pair[1] > 0 && pair[0] % pair[1] == 0;
}

/* A number of the column's type as the schema writes it, exactly. */
static bool read_end(const kanon__domain *domain, const char *text, size_t length, kanon__decimal *out)
{
    int64_t days;
    if (domain->type != KANON_TYPE_DATE)
        return length > 0 && kanon__parse_decimal(out, text, length) && out->exact;
    if (!kanon__parse_date(&days, text, length))
        return false;
    *out = (kanon__decimal){.mantissa = days, .exact = true, .value = (double)days};
    return true;
}

/* One as the column writes its values; of dates also as the schema does, where the column's format cannot say them. */
static bool read_shown(const kanon__domain *domain, const char *text, size_t length, kanon__decimal *out)
{
    if (kanon__verify_band_number(domain, text, length, out))
        return true;
    return domain->type == KANON_TYPE_DATE && read_end(domain, text, length, out);
}

/* ---- what the schema allows --------------------------------------------------------------------------------------- */

/* Dates are from 0001-01-01 to 9999-12-31: the first band begins with them, and the last one ends with them. */
static bool is_end_of_dates(int64_t day)
{
    int64_t first, last;
    return kanon__parse_date(&first, "0001-01-01", 10) && kanon__parse_date(&last, "9999-12-31", 10) &&
           (day == first || day == last + 1);
}

/* Whether a unit of the calendar begins on the day. */
static bool begins_unit(const char *unit, int64_t day)
{
    char text[KANON__NUMBER_TEXT];
    int64_t back;
    size_t length = kanon__format_date(text, day);
    if (!kanon__parse_date(&back, text, length) || back != day) /* there is no such date */
        return false;
    if (strcmp(unit, "week") == 0)
        return ((day - 4) % 7 + 7) % 7 == 0; /* 1970-01-05 was a Monday */
    int month = (text[5] - '0') * 10 + (text[6] - '0');
    if (text[8] != '0' || text[9] != '1')
        return false;
    if (strcmp(unit, "month") == 0)
        return true;
    if (strcmp(unit, "quarter") == 0)
        return month % 3 == 1;
    return month == 1 && (strcmp(unit, "year") == 0 || text[3] == '0');
}

/* Whether `bands` has an edge at this number; `day` is the same for dates. */
static bool is_edge(const kanon__domain *domain, const kanon__decimal *edge)
{
    const char *bands = domain->band_texts[0];
    kanon__decimal width;
    if (domain->type == KANON_TYPE_DATE && strchr(bands, ',') == NULL && is_end_of_dates(edge->mantissa))
        return true;
    if (bands[0] >= 'a' && bands[0] <= 'z')
        return domain->type == KANON_TYPE_DATE && begins_unit(bands, edge->mantissa);
    if (strchr(bands, ',') == NULL)
        return kanon__parse_decimal(&width, bands, strlen(bands)) && width.exact && is_multiple(edge, &width);
    for (const char *text = bands;; text++) {
        size_t length = strcspn(text, ",");
        kanon__decimal own;
        if (read_end(domain, text, length, &own) && compare(&own, edge) == 0)
            return true;
        text += length;
        if (*text == '\0')
            return false;
    }
}

/* The limit of an outermost band; false: there is none. */
static bool read_limit(const kanon__domain *domain, int which, kanon__decimal *out)
{
    const char *text = domain->band_texts[which];
    return text != NULL && read_end(domain, text, strlen(text), out);
}

/* Whether the outermost bands are open without a limit: edges leave something beyond the last of them. */
static bool has_list(const kanon__domain *domain)
{
    return domain->band_texts[0] != NULL && strchr(domain->band_texts[0], ',') != NULL;
}

/* The next whole number, which has scale 0; false where there is none. */
static bool step_up(kanon__decimal *number)
{
    return !__builtin_add_overflow(number->mantissa, 1, &number->mantissa);
}

static bool may_begin(const kanon__domain *domain, const kanon__decimal *low)
{
    kanon__decimal top, bottom;
    bool whole = domain->type != KANON_TYPE_DECIMAL, has_top = read_limit(domain, 1, &top);
    bool has_bottom = read_limit(domain, 2, &bottom);
    if (low == NULL)
        return has_bottom || has_list(domain);
    if (has_top && compare(low, &top) >= 0)
        return compare(low, &top) == 0;
    if (has_bottom && domain->band_texts[0] != NULL) {
        if (whole && !step_up(&bottom))
            return false;
        if (compare(low, &bottom) <= 0)
            return compare(low, &bottom) == 0;
    } else if (has_bottom && compare(low, &bottom) <= 0) {
        return false;
    }
    return domain->band_texts[0] == NULL || is_edge(domain, low);
}

static bool may_end(const kanon__domain *domain, const kanon__decimal *high, bool half_open)
{
    kanon__decimal top, bottom, edge = high != NULL ? *high : (kanon__decimal){0};
    bool whole = domain->type != KANON_TYPE_DECIMAL, has_top = read_limit(domain, 1, &top);
    if (high == NULL)
        return has_top || has_list(domain);
    if (read_limit(domain, 2, &bottom) && compare(high, &bottom) <= 0)
        return !half_open && compare(high, &bottom) == 0;
    if (domain->band_texts[0] == NULL)
        return !half_open && (!has_top || compare(high, &top) < 0);
    if (half_open == whole)
        return false;
    if (whole && !step_up(&edge))
        return false;
    if (has_top && compare(&edge, &top) >= 0)
        return compare(&edge, &top) == 0;
    return is_edge(domain, &edge);
}

/* Whether bands begin and end there; NULL: an open end. */
static bool may_be_shown(const kanon__domain *domain, const kanon__decimal *low, const kanon__decimal *high, bool half_open)
{
    if (low != NULL && high != NULL && compare(low, high) + half_open > 0)
        return false;
    return (low != NULL || high != NULL) && may_begin(domain, low) && may_end(domain, high, half_open);
}

/* ---- cells -------------------------------------------------------------------------------------------------------- */

/* Split "[a..b]" in two texts at the first separator from *from on, which moves behind its beginning: dates may end with a
 * point. In *half_open whether it ends in ")". */
static bool split(kanon_numeric numeric, kanon__band_cell cell, size_t *from, kanon__band_cell ends[2], bool *half_open)
{
    bool ranges = numeric == KANON_NUMERIC_RANGE;
    const char *separator = ranges ? "," : "..", *last = cell.bytes + cell.length - 1;
    size_t width = strlen(separator);
    if (cell.length < width + 3 || (*last != ']' && *last != ')') || (cell.bytes[0] != '[' && cell.bytes[0] != '('))
        return false;
    for (const char *at = cell.bytes + *from; at + width <= last; at++) {
        if (memcmp(at, separator, width) != 0)
            continue;
        ends[0] = (kanon__band_cell){cell.bytes + 1, (size_t)(at - cell.bytes - 1)};
        ends[1] = (kanon__band_cell){at + width, (size_t)(last - at - (ptrdiff_t)width)};
        *from = (size_t)(at - cell.bytes) + 1;
        /* only PostgreSQL writes an open end with a round bracket */
        bool round_start = cell.bytes[0] == '(', round_end = *last == ')';
        *half_open = round_end && ends[1].length > 0;
        return round_start == (ranges && ends[0].length == 0) && (ends[1].length > 0 || round_end == ranges);
    }
    return false;
}

/* Of decimals, two columns do not say whether the upper end is covered: it is where bands may end so. */
bool kanon__verify_band_columns(const kanon__domain *domain, const kanon__decimal *low, const kanon__decimal *high,
                                kanon__shown_band *out)
{
    *out = (kanon__shown_band){.open_below = low == NULL, .open_above = high == NULL};
    out->low = low != NULL ? *low : out->low;
    out->high = high != NULL ? *high : out->high;
    if (may_be_shown(domain, low, high, false))
        return true;
    out->half_open = high != NULL && domain->type == KANON_TYPE_DECIMAL;
    return out->half_open && may_be_shown(domain, low, high, true);
}

/* Two texts, of which an empty one is an open end. */
static bool read_ends(const kanon__domain *domain, const kanon__band_cell texts[2], kanon__shown_band *out)
{
    kanon__decimal numbers[2];
    for (int i = 0; i < 2; i++)
        if (texts[i].length > 0 && !read_shown(domain, texts[i].bytes, texts[i].length, &numbers[i]))
            return false;
    const kanon__decimal *low = texts[0].length > 0 ? &numbers[0] : NULL, *high = texts[1].length > 0 ? &numbers[1] : NULL;
    return kanon__verify_band_columns(domain, low, high, out);
}

bool kanon__verify_band_texts(const kanon__domain *domain, kanon_numeric numeric, const kanon__band_cell cells[2],
                              kanon__shown_band *out)
{
    kanon__band_cell texts[2], single[2] = {cells[0], cells[0]};
    bool half_open = false;
    if (numeric == KANON_NUMERIC_COLUMNS)
        return read_ends(domain, cells, out);
    for (size_t from = 1; split(numeric, cells[0], &from, texts, &half_open);)
        if (read_ends(domain, texts, out) && out->half_open == half_open)
            return true;
    return numeric != KANON_NUMERIC_RANGE && read_ends(domain, single, out) && !out->half_open;
}

bool kanon__verify_band_cell(const kanon__domain *domain, kanon_numeric numeric, const kanon__band_cell cells[2],
                             double ends[2])
{
    kanon__shown_band shown;
    if (!kanon__verify_band_texts(domain, numeric, cells, &shown))
        return false;
    ends[0] = shown.open_below ? -INFINITY : shown.low.value;
    ends[1] = shown.open_above ? INFINITY : shown.high.value;
    if (shown.half_open)
        ends[1] = nextafter(ends[1], -INFINITY);
    return true;
}

bool kanon__verify_band_number(const kanon__domain *domain, const char *text, size_t length, kanon__decimal *out)
{
    return length > 0 && kanon__value_parse(out, domain->type, &domain->format, text, length) && out->exact;
}

bool kanon__shown_band_covers(const kanon__shown_band *shown, const kanon__decimal *number)
{
    if (!shown->open_below && compare(&shown->low, number) > 0)
        return false;
    return shown->open_above || compare(number, &shown->high) < (shown->half_open ? 0 : 1);
}

bool kanon__shown_band_holds(const kanon__shown_band *shown, const kanon__shown_band *part)
{
    if (!shown->open_below && (part->open_below || compare(&shown->low, &part->low) > 0))
        return false;
    if (shown->open_above)
        return true;
    if (part->open_above)
        return false;
    int order = compare(&part->high, &shown->high);
    return order < 0 || (order == 0 && (part->half_open || !shown->half_open));
}
