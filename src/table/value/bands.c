/* See bands.h. Reads the rules of the schema, finds the band of a number, and writes intervals of bands. A rule is kept as
 * whole numbers in the scale of its column, so the ends of a band are exact. */
#include "table/value/bands.h"

#include "core/alloc.h"

#include <string.h>

typedef enum band_kind { POINTS, WIDTH, EDGES, WEEK, MONTH, QUARTER, YEAR, DECADE } band_kind;

struct kanon__band_rule {
    band_kind kind; /* POINTS: only top and bottom are bands */
    int scale;
    int64_t width;
    int64_t *edges; /* rising */
    int n_edges;
    bool has_top, has_bottom;
    int64_t top, bottom;
    bool whole; /* integers and dates, where [a, b) is a..b-1 */
    bool dates;
};

/* The first and the last date that can be written: 0001-01-01 and 9999-12-31. */
enum { FIRST_DAY = -719162, LAST_DAY = 2932896 };

/* Ends stay so far from the limits of 64 bits that sums of two of them fit. */
static const int64_t FARTHEST = (int64_t)1 << 61;

/* ---- texts of the schema ------------------------------------------------------------------------------------------ */

static const struct {
    const char *text;
    band_kind kind;
} units[] = {{"week", WEEK}, {"month", MONTH}, {"quarter", QUARTER}, {"year", YEAR}, {"decade", DECADE}};

static band_kind unit_of(const char *text)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(units[i].text, text) == 0)
            return units[i].kind;
    return POINTS;
}

/* A number or a date; in *is_date which of the two. */
static bool read_end(kanon__decimal *out, const char *text, size_t length, bool *is_date)
{
    int64_t days;
    *is_date = kanon__parse_date(&days, text, length);
    if (*is_date) {
        *out = (kanon__decimal){.mantissa = days, .exact = true, .value = (double)days};
        return true;
    }
    return kanon__parse_decimal(out, text, length) && out->exact && out->mantissa < FARTHEST && out->mantissa > -FARTHEST;
}

bool kanon__bands_need_dates(const char *bands, const char *top, const char *bottom)
{
    const char *texts[] = {bands, top, bottom};
    kanon__decimal end;
    bool is_date = false;
    if (bands != NULL && unit_of(bands) != POINTS)
        return true;
    for (int i = 0; i < 3 && !is_date; i++)
        if (texts[i] != NULL)
            read_end(&end, texts[i], strcspn(texts[i], ","), &is_date);
    return is_date;
}

/* The edges must rise. */
static bool edges_rise(const char *text)
{
    double before = 0;
    bool first = true;
    for (;; text++) {
        size_t length = strcspn(text, ",");
        kanon__decimal edge;
        bool is_date;
        if (!read_end(&edge, text, length, &is_date) || (!first && edge.value <= before))
            return false;
        before = edge.value;
        first = false;
        text += length;
        if (*text == '\0')
            return true;
    }
}

bool kanon__bands_check(const char *bands, const char *top, const char *bottom, const char **problem, const char **hint)
{
    kanon__decimal end, low;
    bool is_date;
    *hint = "write a width such as 5, edges such as [0, 18, 65], or week, month, quarter, year or decade";
    *problem = "not bands";
    if (bands != NULL && unit_of(bands) == POINTS) {
        if (!edges_rise(bands))
            return false;
        if (strchr(bands, ',') == NULL && (!read_end(&end, bands, strlen(bands), &is_date) || is_date || !(end.value > 0)))
            return false;
    }
    *hint = "write a number, or a date as YYYY-MM-DD";
    *problem = "not a number or a date to begin the highest band";
    if (top != NULL && !read_end(&end, top, strlen(top), &is_date))
        return false;
    *problem = "not a number or a date to end the lowest band";
    if (bottom != NULL && !read_end(&low, bottom, strlen(bottom), &is_date))
        return false;
    *problem = "the lowest band does not end below the highest one";
    *hint = "bottom is smaller than top";
    return top == NULL || bottom == NULL || low.value < end.value;
}

/* ---- rules -------------------------------------------------------------------------------------------------------- */

/* One end in the type of the column; its digits after the point raise *scale. */
static bool read_typed(kanon__decimal *out, const char *text, size_t length, kanon_type type, int *scale)
{
    bool is_date;
    if (!read_end(out, text, length, &is_date) || is_date != (type == KANON_TYPE_DATE))
        return false;
    if (type == KANON_TYPE_INTEGER && out->scale > 0)
        return false;
    *scale = out->scale > *scale ? out->scale : *scale;
    return true;
}

/* value * 10^(scale - its own), where that fits. */
static bool bring_to(int64_t *out, int64_t mantissa, int from, int scale)
{
    for (; from < scale; from++)
        if (__builtin_mul_overflow(mantissa, (int64_t)10, &mantissa))
            return false;
    *out = mantissa;
    return mantissa < FARTHEST && mantissa > -FARTHEST;
}

/* Reads every text at its own scale first, since all of them must share the largest one. */
static bool read_rule(kanon__band_rule *rule, const char *bands, const char *top, const char *bottom, kanon_type type)
{
    kanon__decimal end = {0};
    int scale = 0;
    for (int pass = 0; pass < 2; pass++, rule->scale = scale) {
        rule->n_edges = 0;
        for (const char *text = bands; rule->kind == EDGES && *text != '\0'; text += *text == ',') {
            size_t length = strcspn(text, ",");
            if (!read_typed(&end, text, length, type, &scale) ||
                !bring_to(&rule->edges[rule->n_edges++], end.mantissa, end.scale, rule->scale))
                return false;
            text += length;
        }
        /* the width of bands of dates is a number of days */
        kanon_type of_width = type == KANON_TYPE_DATE ? KANON_TYPE_INTEGER : type;
        if (rule->kind == WIDTH && (!read_typed(&end, bands, strlen(bands), of_width, &scale) ||
                                    !bring_to(&rule->width, end.mantissa, end.scale, rule->scale)))
            return false;
        if (rule->has_top && (!read_typed(&end, top, strlen(top), type, &scale) ||
                              !bring_to(&rule->top, end.mantissa, end.scale, rule->scale)))
            return false;
        if (rule->has_bottom && (!read_typed(&end, bottom, strlen(bottom), type, &scale) ||
                                 !bring_to(&rule->bottom, end.mantissa, end.scale, rule->scale)))
            return false;
    }
    return true;
}

kanon_status kanon__band_rule_new(kanon__band_rule **out, const char *bands, const char *top, const char *bottom,
                                  kanon_type type, const char *column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__band_rule *rule = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&rule, 1, "bands", err), out);
    rule->whole = type != KANON_TYPE_DECIMAL;
    rule->dates = type == KANON_TYPE_DATE;
    rule->has_top = top != NULL;
    rule->has_bottom = bottom != NULL;
    if (bands != NULL) {
        rule->kind = unit_of(bands);
        if (rule->kind == POINTS)
            rule->kind = strchr(bands, ',') != NULL ? EDGES : WIDTH;
        KANON_TRY(kanon__new_array(&rule->edges, (int64_t)strlen(bands) + 1, "bands", err), out);
    }
    if ((rule->kind >= WEEK && type != KANON_TYPE_DATE) || !read_rule(rule, bands, top, bottom, type)) {
        st = kanon__fail(err, KANON_EDATA, "%s: the bands do not fit the type of the column, which is %s", column,
                         kanon_enum_text(KANON_ENUM_TYPE, type));
        kanon__hint(err, st,
                    type == KANON_TYPE_DATE ? "dates have bands of week, month, quarter, year, decade or a number of days; "
                                              "edges, top and bottom are dates written YYYY-MM-DD"
                    : type == KANON_TYPE_INTEGER ? "widths, edges, top and bottom of integers are whole numbers"
                                                 : "widths, edges, top and bottom are numbers of at most 18 digits");
        goto out;
    }
    *out = rule;
    rule = NULL;
out:
    kanon__band_rule_free(rule);
    return st;
}

void kanon__band_rule_free(kanon__band_rule *rule)
{
    if (rule != NULL)
        kanon__free(rule->edges);
    kanon__free(rule);
}

int kanon__band_rule_scale(const kanon__band_rule *rule)
{
    return rule->scale;
}

bool kanon__band_rule_rescale(kanon__band_rule *rule, int scale)
{
    bool good = bring_to(&rule->width, rule->width, rule->scale, scale) &&
                bring_to(&rule->top, rule->top, rule->scale, scale) &&
                bring_to(&rule->bottom, rule->bottom, rule->scale, scale);
    for (int i = 0; i < rule->n_edges; i++)
        good = good && bring_to(&rule->edges[i], rule->edges[i], rule->scale, scale);
    rule->scale = scale;
    return good;
}

int64_t kanon__band_rule_widest(const kanon__band_rule *rule)
{
    static const int64_t days[] = {[WEEK] = 7, [MONTH] = 31, [QUARTER] = 92, [YEAR] = 366, [DECADE] = 3653};
    if (rule->has_top || rule->has_bottom || rule->kind == EDGES)
        return INT64_MAX;
    return rule->kind == POINTS ? 0 : rule->kind == WIDTH ? rule->width : days[rule->kind];
}

/* ---- the calendar ------------------------------------------------------------------------------------------------- */

static int64_t floor_to(int64_t number, int64_t step)
{
    int64_t rest = number % step;
    return number - (rest < 0 ? rest + step : rest);
}

/* Days from 1970-01-01 to the first day of a month, which is counted from January of the year 0. Years begin in March here,
 * so that the leap day is the last one. */
static int64_t day_of_month(int64_t month)
{
    int64_t shifted = month - 2, year = floor_to(shifted, 12) / 12, place = shifted - year * 12;
    int64_t leaps = floor_to(year, 4) / 4 - floor_to(year, 100) / 100 + floor_to(year, 400) / 400;
    return 365 * year + leaps + (153 * place + 2) / 5 - 719468;
}

/* The month of a day, counted likewise. */
static int64_t month_of_day(int64_t day)
{
    int64_t month = (day + 719528) * 12 / 366 - 1; /* never above it */
    while (day_of_month(month + 1) <= day)
        month++;
    return month;
}

/* The `n` months around a day, beginning where the count of months is divided by n. */
static void months_at(int64_t day, int64_t n, int64_t *low, int64_t *high)
{
    int64_t month = floor_to(month_of_day(day), n);
    *low = day_of_month(month);
    *high = day_of_month(month + n);
}

/* ---- bands -------------------------------------------------------------------------------------------------------- */

/* A band of dates is cut where dates end. */
static void cut_dates(kanon__band *b, int64_t day)
{
    if (b->low < FIRST_DAY && day >= FIRST_DAY && !b->open_below)
        b->low = FIRST_DAY;
    if (b->high > LAST_DAY + 1 && day <= LAST_DAY && !b->open_above)
        b->high = LAST_DAY + 1;
}

/* The edges around a number that is in neither of the outer bands of top and bottom. */
static void find_edges(const kanon__band_rule *rule, int64_t number, kanon__band *b)
{
    enum { DAYS_OF_WEEK = 7, MONDAY = 4 /* 1970-01-05 */ };
    static const int months[] = {[MONTH] = 1, [QUARTER] = 3, [YEAR] = 12, [DECADE] = 120};
    int above = 0;
    switch (rule->kind) {
    case POINTS:
        b->low = b->high = number;
        return;
    case WIDTH:
        b->low = floor_to(number, rule->width);
        b->high = b->low + rule->width;
        return;
    case WEEK:
        b->low = floor_to(number - MONDAY, DAYS_OF_WEEK) + MONDAY;
        b->high = b->low + DAYS_OF_WEEK;
        return;
    case EDGES:
        while (above < rule->n_edges && rule->edges[above] <= number)
            above++;
        b->open_below = above == 0;
        b->open_above = above == rule->n_edges;
        b->low = b->open_below ? 0 : rule->edges[above - 1];
        b->high = b->open_above ? 0 : rule->edges[above];
        return;
    default:
        months_at(number, months[rule->kind], &b->low, &b->high);
    }
}

bool kanon__band_of(const kanon__band_rule *rule, int64_t number, kanon__band *out)
{
    bool is_point = rule->kind == POINTS;
    int64_t after_bottom = rule->bottom + (rule->whole && !is_point);
    *out = (kanon__band){0};
    if (number >= FARTHEST || number <= -FARTHEST)
        return false;
    if (rule->has_top && number >= rule->top) {
        *out = (kanon__band){.low = rule->top, .first = rule->top, .open_above = true};
        return true;
    }
    if (rule->has_bottom && number <= rule->bottom) {
        *out = (kanon__band){.high = after_bottom, .last = rule->bottom, .open_below = true};
        return true;
    }
    find_edges(rule, number, out);
    if (rule->dates && rule->kind != POINTS)
        cut_dates(out, number);
    if (rule->has_bottom && (out->open_below || out->low < after_bottom)) {
        out->low = after_bottom; /* the band is cut where an outer one begins */
        out->open_below = false;
    }
    if (rule->has_top && (out->open_above || out->high > rule->top)) {
        out->high = rule->top;
        out->open_above = false;
    }
    out->first = out->low;
    out->half_open = !rule->whole && !is_point && !out->open_above;
    out->last = out->high - (rule->whole && !is_point);
    return true;
}

bool kanon__band_equal(const kanon__band *a, const kanon__band *b)
{
    return a->open_below == b->open_below && a->open_above == b->open_above && (a->open_below || a->first == b->first) &&
           (a->open_above || a->last == b->last);
}

/* ---- texts of cells ----------------------------------------------------------------------------------------------- */

static size_t date_text(char buffer[KANON__NUMBER_TEXT], int64_t day, const kanon__value_format *format)
{
    kanon__decimal back;
    size_t length = kanon__value_print_date(buffer, format, day);
    if (kanon__value_parse(&back, KANON_TYPE_DATE, format, buffer, length) && back.exact && back.mantissa == day)
        return length;
    return kanon__format_date(buffer, day);
}

size_t kanon__band_end_text(char buffer[KANON__NUMBER_TEXT], int64_t end, const kanon__band_style *style)
{
    int scale = style->scale;
    if (style->type == KANON_TYPE_DATE)
        return style->format != NULL ? date_text(buffer, end, style->format) : kanon__format_date(buffer, end);
    for (; scale > 0 && end % 10 == 0; scale--)
        end /= 10;
    size_t length = kanon__format_scaled(buffer, end, scale);
    if (style->format != NULL)
        kanon__value_localise(buffer, length, style->format);
    return length;
}

size_t kanon__band_text(char buffer[KANON__BAND_TEXT], const kanon__band *lo, const kanon__band *hi,
                        const kanon__band_style *style)
{
    bool ranges = style->ranges;
    size_t length = 0;
    if (!ranges && kanon__bands_are_point(lo, hi)) /* a range type takes nothing but ranges */
        return kanon__band_end_text(buffer, lo->first, style);
    if (lo->open_below && hi->open_above) {
        buffer[length++] = '*';
        buffer[length] = '\0';
        return length;
    }
    buffer[length++] = ranges && lo->open_below ? '(' : '[';
    if (!lo->open_below)
        length += kanon__band_end_text(buffer + length, lo->first, style);
    buffer[length++] = ranges ? ',' : '.';
    if (!ranges)
        buffer[length++] = '.';
    if (!hi->open_above)
        length += kanon__band_end_text(buffer + length, hi->last, style);
    buffer[length++] = hi->half_open || (ranges && hi->open_above) ? ')' : ']';
    buffer[length] = '\0';
    return length;
}
