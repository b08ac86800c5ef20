/* See canonical_text.h. */
#include "release/canonical_text.h"

#include "core/text.h"

#include <string.h>

static const char no_value[] = "\xff"; /* no text in UTF-8 has this byte */

/* ---- numbers and dates --------------------------------------------------------------------------------------------- */

static size_t print_number(char *buffer, const kanon__decimal *number)
{
    int64_t mantissa = number->mantissa;
    int scale = number->scale;
    if (!number->exact)
        return kanon__format_double(buffer, number->value);
    for (; scale > 0 && mantissa % 10 == 0; scale--)
        mantissa /= 10;
    return kanon__format_scaled(buffer, mantissa, scale);
}

/* Days, or seconds with their decimals, since 1970. */
static size_t print_date(char *buffer, const kanon__decimal *date, bool has_time)
{
    enum { DAY = 86400 };
    int64_t day = DAY;
    if (!has_time)
        return kanon__format_date(buffer, date->mantissa);
    for (int i = 0; i < date->scale; i++)
        day *= 10;
    int64_t days = date->mantissa / day - (date->mantissa % day < 0), of_day = date->mantissa - days * day;
    size_t length = kanon__format_date(buffer, days);
    if (of_day == 0)
        return length;
    buffer[length++] = '+';
    const kanon__decimal time = {.mantissa = of_day, .scale = date->scale, .exact = true};
    return length + print_number(buffer + length, &time);
}

/* A value of a numeric column; false: the text is none. */
static bool print_value(char *buffer, size_t *length, const kanon__domain *domain, const char *text, size_t text_length)
{
    kanon__decimal value;
    bool is_date = domain->type == KANON_TYPE_DATE;
    if (!kanon__value_parse(&value, is_date ? KANON_TYPE_DATE : KANON_TYPE_DECIMAL, &domain->format, text, text_length))
        return false;
    *length = is_date ? print_date(buffer, &value, kanon__value_has_time(&domain->format)) : print_number(buffer, &value);
    return true;
}

/* ---- groups ---------------------------------------------------------------------------------------------------------- */

static void put(kanon__canonical *out, const char *text, size_t length)
{
    out->text = text;
    out->length = length;
}

/* A text of the column: the number that it is, else as it stands. */
static void put_value(kanon__canonical *out, const kanon__domain *domain, const char *text, size_t length)
{
    size_t printed;
    if (print_value(out->buffer, &printed, domain, text, length))
        put(out, out->buffer, printed);
    else
        put(out, text, length);
}

static void put_code(kanon__canonical *out, const kanon__domain *domain, uint32_t code)
{
    size_t length;
    const char *text = kanon__domain_text(domain, code, &length);
    put_value(out, domain, text, length);
}

/* An end of a band, in units of the domain's scale. */
static void put_end(kanon__canonical *out, const kanon__domain *domain, int64_t end)
{
    const kanon__decimal value = {.mantissa = end, .scale = domain->scale, .exact = true};
    put(out, out->buffer,
        domain->type == KANON_TYPE_DATE ? print_date(out->buffer, &value, kanon__value_has_time(&domain->format))
                                        : print_number(out->buffer, &value));
}

static int put_bands(kanon__canonical out[2], const kanon__domain *domain, const kanon__band bands[2])
{
    const kanon__band *lo = &bands[0], *hi = &bands[1];
    put(&out[0], "", 0);
    put(&out[1], "", 0);
    if (!lo->open_below)
        put_end(&out[0], domain, lo->first);
    if (!hi->open_above)
        put_end(&out[1], domain, hi->last);
    return 2;
}

/* The mean is rounded for the release, so it is its text that counts. */
static int put_mean(kanon__canonical *out, const kanon__extents *x, int quasi, int64_t group)
{
    char text[KANON__NUMBER_TEXT];
    size_t length = kanon__extents_mean(text, x, quasi, group);
    put_value(out, kanon__extents_column(x, quasi)->domain, text, length);
    if (out->text == text) {
        memcpy(out->buffer, text, length);
        out->text = out->buffer;
    }
    return 1;
}

static int put_range(kanon__canonical out[2], const kanon__extents *x, int quasi, int64_t group, bool mean)
{
    const kanon__domain *domain = kanon__extents_column(x, quasi)->domain;
    const kanon__extent *e = &x->cells[quasi][group];
    kanon__band bands[2];
    if (kanon__extents_bands(bands, x, quasi, group))
        return put_bands(out, domain, bands);
    if (mean && e->lo != e->hi && domain->type != KANON_TYPE_ORDINAL) /* levels show their interval */
        return put_mean(out, x, quasi, group);
    put_code(&out[0], domain, e->lo);
    if (e->lo != e->hi)
        put_code(&out[1], domain, e->hi);
    return e->lo != e->hi ? 2 : 1;
}

int kanon__canonical_group(kanon__canonical out[2], const kanon__extents *x, int quasi, int64_t group, bool mean)
{
    size_t length;
    const char *label;
    switch (kanon__extents_kind(x, quasi, group)) {
    case KANON__CELL_ANY:
        put(&out[0], "*", 1);
        break;
    case KANON__CELL_MISSING:
        put(&out[0], no_value, strlen(no_value));
        break;
    case KANON__CELL_RANGE:
        return put_range(out, x, quasi, group, mean);
    case KANON__CELL_NODE:
        label = kanon__taxonomy_label(kanon__extents_column(x, quasi)->domain->taxonomy,
                                      kanon__extents_node(x, quasi, group), &length);
        put(&out[0], label, length);
        break;
    }
    return 1;
}

/* ---- cells that are released as they are ------------------------------------------------------------------------- */

/* Whether a number can begin with it: most texts are none. */
static bool begins_number(char byte)
{
    return (byte >= '0' && byte <= '9') || byte == '-' || byte == '+' || byte == '.';
}

void kanon__canonical_cell(kanon__canonical *out, const kanon__column *column, const char *text, size_t length)
{
    kanon__decimal number;
    const kanon__domain *domain = column->domain;
    kanon__trim(&text, &length);
    out->text = out->buffer;
    if (domain != NULL && kanon__type_is_numeric(domain->type) &&
        print_value(out->buffer, &out->length, domain, text, length))
        return;
    if (length > 0 && begins_number(text[0]) && kanon__parse_decimal(&number, text, length)) {
        out->length = print_number(out->buffer, &number);
        return;
    }
    out->text = text;
    out->length = length;
}
