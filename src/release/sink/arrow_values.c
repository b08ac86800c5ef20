/* See arrow_values.h. Values of Arrow columns are copied from the first row that has the code, so that nothing is lost
 * by way of text or double. */
#include "release/sink/arrow_values.h"

#include "core/alloc.h"
#include "table/read/arrow_source.h"
#include "table/read/arrow_text.h"
#include "table/value/number.h"

#include <stdlib.h>

static uint32_t number_count(const kanon__domain *domain)
{
    return domain->n_codes - (domain->missing_code != KANON__NO_CODE);
}

/* ---- types -------------------------------------------------------------------------------------------------------- */

/* Instants are in UTC; other times have no zone. */
const char *kanon__arrow_time_format(const kanon__domain *domain, int places)
{
    bool zoned = strcmp(domain->format.date, KANON__DATE_ISO_ZONE) == 0;
    if (places == 0)
        return zoned ? "tss:UTC" : "tss:";
    if (places > 6)
        return zoned ? "tsn:UTC" : "tsn:";
    return zoned ? "tsu:UTC" : "tsu:";
}

/* The type of the domain's numbers where the column has none of its own. */
static void choose_type(kanon__arrow_values *v, const kanon__domain *domain)
{
    kanon_type type = domain->type;
    v->type = (kanon__arrow_type){.kind = KANON__ARROW_INTEGER, .width = 8, .is_signed = true};
    v->format = "l";
    if (type == KANON_TYPE_DECIMAL) {
        v->type = (kanon__arrow_type){.kind = KANON__ARROW_REAL, .width = 8};
        v->format = "g";
    } else if (type == KANON_TYPE_DATE && kanon__value_has_time(&domain->format)) {
        v->format = kanon__arrow_time_format(domain, domain->scale > 6 ? domain->scale : 6);
        v->type = (kanon__arrow_type){.kind = KANON__ARROW_TIMESTAMP,
                                      .width = 8,
                                      .is_signed = true,
                                      .units = v->format[2] == 'n' ? 1000000000 : 1000000};
    } else if (type == KANON_TYPE_DATE) {
        v->type = (kanon__arrow_type){.kind = KANON__ARROW_DATE, .width = 4, .is_signed = true, .units = 1};
        v->format = "tdD";
    }
}

/* Whether numbers of the column stand as such in the source; texts that look like numbers do not. */
static bool take_type(kanon__arrow_values *v, const kanon__arrow_source *source, int column)
{
    const struct ArrowSchema *schema = source->schema.children[column];
    v->type = source->types[column];
    v->format = schema->dictionary != NULL ? schema->dictionary->format : schema->format;
    return v->type.kind == KANON__ARROW_INTEGER || v->type.kind == KANON__ARROW_REAL ||
           v->type.kind == KANON__ARROW_DECIMAL || v->type.kind == KANON__ARROW_DATE ||
           v->type.kind == KANON__ARROW_TIMESTAMP;
}

/* A date in milliseconds is shown as the midnight of its day, as its text is. */
static void copy_value(char *to, const kanon__arrow_type *type, const kanon__arrow_buffers *b, int64_t at)
{
    memcpy(to, b->values + (b->offset + at) * type->width, (size_t)type->width);
    if (type->kind == KANON__ARROW_DATE && type->units > 1) {
        int64_t value, rest;
        memcpy(&value, to, sizeof value);
        rest = value % type->units;
        value -= rest < 0 ? rest + type->units : rest;
        memcpy(to, &value, sizeof value);
    }
}

/* ---- whole numbers ------------------------------------------------------------------------------------------------ */

/* number * 10^(to - from); false where that is not whole, or too large. */
static bool bring_to(__int128 *out, __int128 number, int from, int to)
{
    const __int128 most = (__int128)1 << 123; /* ten times as much fits */
    __int128 value = number;
    for (; from < to; from++) {
        if (value > most || value < -most)
            return false;
        value *= 10;
    }
    for (; from > to; from--) {
        if (value % 10 != 0)
            return false;
        value /= 10;
    }
    *out = value;
    return true;
}

/* The low bytes of a whole number; what does not fit does not read back. */
static void put_whole(char *to, int width, __int128 value)
{
    switch (width) {
    case 1:
        memcpy(to, &(int8_t){(int8_t)value}, 1);
        break;
    case 2:
        memcpy(to, &(int16_t){(int16_t)value}, 2);
        break;
    case 4:
        memcpy(to, &(int32_t){(int32_t)value}, 4);
        break;
    case 8:
        memcpy(to, &(int64_t){(int64_t)value}, 8);
        break;
    default:
        memcpy(to, &value, 16);
    }
}

/* The digits of a decimal text as a whole number, and in *scale how many of them stand behind the point. */
static __int128 digits_of(const char *text, size_t length, int *scale)
{
    __int128 number = 0;
    bool negative = length > 0 && text[0] == '-', behind = false;
    *scale = 0;
    for (size_t i = 0; i < length; i++) {
        behind = behind || text[i] == '.';
        if (text[i] < '0' || text[i] > '9')
            continue;
        number = 10 * number + (text[i] - '0'); /* at most 38 digits: the texts are those of Arrow's own numbers */
        *scale += behind;
    }
    return negative ? -number : number;
}

/* A part of a table does not hold all values of the whole, and needs those that it does not hold only where doubles do not
 * tell them from their neighbours: there an interval may end at one of them (order_equals). */
static void fill_tied(kanon__arrow_values *v, const kanon__domain *domain, const bool *found)
{
    uint32_t n = number_count(domain);
    for (uint32_t code = 0; code < n; code++) {
        bool tied = (code > 0 && domain->values[code - 1] == domain->values[code]) ||
                    (code + 1 < n && domain->values[code + 1] == domain->values[code]);
        if (found[code] || !tied)
            continue;
        char *to = v->bytes + (size_t)code * (size_t)v->type.width;
        size_t length;
        const char *text = kanon__domain_text(domain, code, &length);
        if (v->type.kind == KANON__ARROW_TIMESTAMP) {
            kanon__decimal time = {0};
            __int128 whole = 0;
            kanon__value_parse(&time, domain->type, &domain->format, text, length);
            bring_to(&whole, time.mantissa * (__int128)v->type.units, time.scale, 0);
            put_whole(to, v->type.width, whole);
        } else {
            int scale;
            __int128 whole = digits_of(text, length, &scale);
            bring_to(&whole, whole, scale, v->type.kind == KANON__ARROW_DECIMAL ? v->type.scale : 0);
            put_whole(to, v->type.width, whole);
        }
    }
}

/* ---- values ------------------------------------------------------------------------------------------------------- */

/* The value of each code from the first row that has it. */
static kanon_status find_values(kanon__arrow_values *v, const kanon_table *table, const kanon__arrow_source *source,
                                int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *c = &table->data.columns[column];
    bool *found = NULL;
    int64_t n_found = 0, n = number_count(c->domain);
    KANON_TRY(kanon__new_array(&found, c->domain->n_codes, "released values", err), out);
    for (int64_t batch = 0; batch < source->n_batches && n_found < n; batch++) {
        kanon__arrow_view view = kanon__arrow_source_view(source, batch, column);
        int64_t first = source->batch_rows[batch], end = source->batch_rows[batch + 1];
        for (int64_t row = first; row < end && n_found < n; row++) {
            uint32_t code = kanon__code_at(c->codes, row);
            if (found[code] || code == c->domain->missing_code)
                continue;
            int64_t at;
            const kanon__arrow_buffers *b = kanon__arrow_value(&view, row - first, &at);
            copy_value(v->bytes + (size_t)code * (size_t)v->type.width, &v->type, b, at);
            found[code] = true;
            n_found++;
        }
    }
    if (table->whole != NULL && c->domain->scaled == NULL)
        fill_tied(v, c->domain, found);
    else if (table->whole == NULL && n_found < n)
        st = kanon__fail(err, KANON_EINTERNAL, "column %s: a value of the domain is in no record", c->name);
out:
    kanon__free(found);
    return st;
}

static void make_values(kanon__arrow_values *v, const kanon__domain *domain)
{
    for (uint32_t code = 0; code < number_count(domain); code++) {
        char *to = v->bytes + (size_t)code * (size_t)v->type.width;
        size_t length;
        const char *text = kanon__domain_text(domain, code, &length);
        kanon__decimal number = {0};
        kanon__value_parse(&number, domain->type, &domain->format, text, length);
        if (v->type.kind == KANON__ARROW_REAL) {
            memcpy(to, &domain->values[code], sizeof(double));
        } else if (v->type.kind == KANON__ARROW_DATE) {
            memcpy(to, &(int32_t){(int32_t)number.mantissa}, sizeof(int32_t));
        } else {
            int64_t whole = number.mantissa, unit = v->type.kind == KANON__ARROW_TIMESTAMP ? v->type.units : 1;
            for (int step = number.scale; step > 0; step--)
                unit /= 10;
            whole *= unit; /* the domain has all numbers at its scale, so this fits */
            memcpy(to, &whole, sizeof whole);
        }
    }
}

/* ---- codes of equal doubles --------------------------------------------------------------------------------------- */

static bool is_less(const kanon__arrow_values *v, uint32_t left, uint32_t right)
{
    kanon__arrow_buffers b = {.values = v->bytes};
    if (v->type.kind == KANON__ARROW_REAL)
        return kanon__arrow_entry_real(&v->type, &b, left) < kanon__arrow_entry_real(&v->type, &b, right);
    if (v->type.kind == KANON__ARROW_DECIMAL)
        return kanon__arrow_entry_decimal(&b, left) < kanon__arrow_entry_decimal(&b, right);
    uint64_t a = kanon__arrow_entry_integer(&v->type, &b, left), c = kanon__arrow_entry_integer(&v->type, &b, right);
    return v->type.kind == KANON__ARROW_INTEGER && !v->type.is_signed ? a < c : (int64_t)a < (int64_t)c;
}

/* Numbers of more digits than a double has are ordered by their doubles, and codes of equal doubles in no order: an interval
 * that ends at one of them ends at the outermost of them. */
static kanon_status order_equals(kanon__arrow_values *v, const kanon__domain *domain, kanon_error *err)
{
    uint32_t n = number_count(domain), end;
    KANON_CHECK(kanon__new_array(&v->least, n, "released values", err));
    KANON_CHECK(kanon__new_array(&v->most, n, "released values", err));
    for (uint32_t first = 0; first < n; first = end) {
        uint32_t least = first, most = first;
        for (end = first + 1; end < n && domain->values[end] == domain->values[first]; end++) {
            least = is_less(v, end, least) ? end : least;
            most = is_less(v, most, end) ? end : most;
        }
        for (uint32_t code = first; code < end; code++) {
            v->least[code] = least;
            v->most[code] = most;
        }
    }
    return KANON_OK;
}

/* ---- ends of bands ------------------------------------------------------------------------------------------------ */

/* A decimal has no more digits than "d:PRECISION,SCALE" says. */
static bool has_precision(const char *format, __int128 value)
{
    long digits = strtol(format + 2, NULL, 10);
    for (; value != 0 && digits > 0; digits--)
        value /= 10;
    return value == 0;
}

static void put_real(char *to, int width, const char *text, size_t length)
{
    kanon__decimal read = {0};
    kanon__parse_decimal(&read, text, length);
    if (width == 4)
        memcpy(to, &(float){(float)read.value}, 4);
    else
        memcpy(to, &read.value, 8);
}

/* Whether the value at `from` is shown as a text that is the end. */
static bool reads_as_end(const kanon__arrow_values *v, const char *from, const kanon__domain *domain, int64_t end)
{
    kanon__arrow_buffers buffers = {.length = 1, .values = from};
    char text[KANON__ARROW_TEXT_SIZE];
    size_t length = kanon__arrow_print(text, &v->type, &buffers, 0);
    kanon__decimal read = {0};
    __int128 number = 0;
    int64_t days;
    if (domain->type == KANON_TYPE_DATE)
        return kanon__parse_date(&days, text, length) && days == end;
    return kanon__parse_decimal(&read, text, length) && read.exact &&
           bring_to(&number, read.mantissa, read.scale, domain->scale) && number == end;
}

bool kanon__arrow_values_put_end(const kanon__arrow_values *v, char *to, const kanon__domain *domain, int64_t end)
{
    char text[KANON__NUMBER_TEXT];
    kanon__band_style plain = {.scale = domain->scale, .type = domain->type};
    __int128 whole = end;
    if (v->type.kind == KANON__ARROW_REAL) {
        put_real(to, v->type.width, text, kanon__band_end_text(text, end, &plain));
    } else if (v->type.kind == KANON__ARROW_DATE) {
        put_whole(to, v->type.width, whole * v->type.units);
    } else {
        bool decimal = v->type.kind == KANON__ARROW_DECIMAL;
        if (!bring_to(&whole, end, domain->scale, decimal ? v->type.scale : 0) ||
            (decimal && !has_precision(v->format, whole)))
            return false;
        put_whole(to, v->type.width, whole);
    }
    return reads_as_end(v, to, domain, end);
}

/* ---- all of a column ---------------------------------------------------------------------------------------------- */

bool kanon__arrow_values_find_type(kanon__arrow_values *v, const kanon_table *table, int column)
{
    const kanon__arrow_source *source = kanon__arrow_source_of(table->source);
    bool own = source != NULL && take_type(v, source, column);
    if (!own)
        choose_type(v, table->data.columns[column].domain);
    return own;
}

const char *kanon__arrow_values_format(const kanon_table *table, int column)
{
    kanon__arrow_values v = {0};
    kanon__arrow_values_find_type(&v, table, column);
    return v.format;
}

kanon_status kanon__arrow_values_init(kanon__arrow_values *out, const kanon_table *table, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *c = &table->data.columns[column];
    const kanon__arrow_source *source = kanon__arrow_source_of(table->source);
    *out = (kanon__arrow_values){0};
    bool own = kanon__arrow_values_find_type(out, table, column);
    KANON_TRY(kanon__new_array(&out->bytes, (int64_t)c->domain->n_codes * out->type.width, "released values", err), out);
    if (own)
        KANON_TRY(find_values(out, table, source, column, err), out);
    else
        make_values(out, c->domain);
    if (c->domain->scaled == NULL)
        KANON_TRY(order_equals(out, c->domain, err), out);
out:
    if (st != KANON_OK)
        kanon__arrow_values_clear(out);
    return st;
}

void kanon__arrow_values_clear(kanon__arrow_values *v)
{
    kanon__free(v->most);
    kanon__free(v->least);
    kanon__free(v->bytes);
    *v = (kanon__arrow_values){0};
}
