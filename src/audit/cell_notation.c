/* See cell_notation.h. One function per notation tries to read the text; the first that can writes the canonical
 * text. */
#include "audit/cell_notation.h"

#include "core/alloc.h"
#include "core/text.h"
#include "table/value/dictionary.h"
#include "table/value/number.h"

#include <stdlib.h>
#include <string.h>

/* No interval that people write is longer, and trying every dash as the separator stays cheap. */
enum { LONGEST_INTERVAL = 256 };

typedef struct slice {
    const char *text;
    size_t length;
} slice;

static slice trimmed(const char *text, size_t length)
{
    kanon__trim(&text, &length);
    return (slice){text, length};
}

bool kanon__notation_is_any(const char *text, size_t length)
{
    slice cell = trimmed(text, length);
    for (size_t i = 0; i < cell.length; i++)
        if (cell.text[i] != '*')
            return false;
    return cell.length > 0;
}

/* ---- intervals --------------------------------------------------------------------------------------------------- */

static bool is_numeric(const kanon__value_kind *kind)
{
    return kind->type == KANON_TYPE_INTEGER || kind->type == KANON_TYPE_DECIMAL || kind->type == KANON_TYPE_DATE ||
           kind->type == KANON_TYPE_ORDINAL;
}

/* Integer columns too may hold fractions, such as means and limits between two values. */
static bool read_bound(kanon__end *out, slice part, const kanon__value_kind *kind)
{
    kanon__decimal number;
    if (!kanon__value_parse(&number, kanon__value_type_read(kind->type), &kind->format, part.text, part.length) ||
        !number.exact)
        return false;
    kanon__end bound = {.mantissa = number.mantissa, .scale = number.scale};
    *out = bound;
    return true;
}

static int64_t power_of_ten(int exponent)
{
    int64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

/* Whole parts first, then the fractions brought to one scale: neither step can overflow. */
static int compare_bounds(const kanon__end *a, const kanon__end *b)
{
    enum { LARGEST_SCALE = 18 };
    int64_t a_unit = power_of_ten(a->scale), b_unit = power_of_ten(b->scale);
    int64_t a_part = a->mantissa / a_unit, b_part = b->mantissa / b_unit;
    if (a_part == b_part) {
        a_part = a->mantissa % a_unit * power_of_ten(LARGEST_SCALE - a->scale);
        b_part = b->mantissa % b_unit * power_of_ten(LARGEST_SCALE - b->scale);
    }
    return (a_part > b_part) - (a_part < b_part);
}

/* The order of two ends of one side; `open`: 1 where an open one lies behind the closed one, -1 where it lies before. */
static int compare_ends(const kanon__end *a, const kanon__end *b, int infinite, int open)
{
    if (a->infinite || b->infinite)
        return infinite * ((int)a->infinite - (int)b->infinite);
    int order = compare_bounds(a, b);
    return order != 0 ? order : open * ((int)a->open - (int)b->open);
}

int kanon__interval_compare_lows(const kanon__interval *a, const kanon__interval *b)
{
    return compare_ends(&a->lo, &b->lo, -1, 1);
}

int kanon__interval_compare_highs(const kanon__interval *a, const kanon__interval *b)
{
    return compare_ends(&a->hi, &b->hi, 1, -1);
}

bool kanon__interval_overlaps(const kanon__interval *first, const kanon__interval *next)
{
    if (first->hi.infinite || next->lo.infinite)
        return true;
    int order = compare_bounds(&next->lo, &first->hi);
    return order < 0 || (order == 0 && !next->lo.open && !first->hi.open);
}

/* Among whole units "above 14" is "from 15 on". False where there is no such unit. */
static bool close_end(kanon__end *end, int64_t step, const kanon__value_kind *kind)
{
    bool continuous = kind->type == KANON_TYPE_DECIMAL ||
                      (kind->type == KANON_TYPE_DATE && kanon__value_has_time(&kind->format));
    if (end->infinite || !end->open || continuous || end->scale > 0)
        return true;
    if (end->mantissa == (step > 0 ? INT64_MAX : INT64_MIN))
        return false;
    end->mantissa += step;
    end->open = false;
    return true;
}

/* Bring the interval to its one form; false where it is empty. */
static bool settle(kanon__interval *interval, const kanon__value_kind *kind)
{
    if (!close_end(&interval->lo, 1, kind) || !close_end(&interval->hi, -1, kind))
        return false;
    if (interval->lo.infinite || interval->hi.infinite)
        return true;
    int order = compare_bounds(&interval->lo, &interval->hi);
    return order < 0 || (order == 0 && !interval->lo.open && !interval->hi.open);
}

/* LO separator HI where `separator` stands at any place that leaves two bounds in order. */
static bool split_at(kanon__interval *out, slice inner, const char *separator, bool lo_open, bool hi_open,
                     const kanon__value_kind *kind)
{
    size_t width = strlen(separator);
    for (size_t i = 1; i + width < inner.length; i++) {
        if (memcmp(inner.text + i, separator, width) != 0)
            continue;
        slice lo = {inner.text, i}, hi = {inner.text + i + width, inner.length - i - width};
        kanon__interval interval;
        if (!read_bound(&interval.lo, lo, kind) || !read_bound(&interval.hi, hi, kind))
            continue;
        interval.lo.open = lo_open;
        interval.hi.open = hi_open;
        if (settle(&interval, kind)) {
            *out = interval;
            return true;
        }
    }
    return false;
}

/* [90..], [90,), [..18], (,18]: an end that is not there is infinite, whatever its bracket. */
static bool read_open(kanon__interval *out, slice inner, const char *separator, bool lo_open, bool hi_open,
                      const kanon__value_kind *kind)
{
    const kanon__end infinite = {.open = true, .infinite = true};
    size_t width = strlen(separator);
    kanon__end end;
    if (inner.length <= width)
        return false;
    bool no_lo = memcmp(inner.text, separator, width) == 0;
    bool no_hi = memcmp(inner.text + inner.length - width, separator, width) == 0;
    slice rest = {no_lo ? inner.text + width : inner.text, inner.length - width};
    if (no_lo == no_hi || !read_bound(&end, rest, kind))
        return false;
    end.open = no_lo ? hi_open : lo_open;
    *out = no_lo ? (kanon__interval){infinite, end} : (kanon__interval){end, infinite};
    return settle(out, kind);
}

static bool read_bracketed(kanon__interval *out, slice cell, const kanon__value_kind *kind)
{
    if (cell.length < 2)
        return false;
    char first = cell.text[0], last = cell.text[cell.length - 1];
    if ((first != '[' && first != ']' && first != '(') || (last != ']' && last != '[' && last != ')'))
        return false;
    slice inner = {cell.text + 1, cell.length - 2};
    bool lo_open = first != '[', hi_open = last != ']';
    bool comma = kanon__value_decimal(&kind->format) == ',' && kind->type != KANON_TYPE_DATE;
    return (!comma && split_at(out, inner, ",", lo_open, hi_open, kind)) ||
           split_at(out, inner, "..", lo_open, hi_open, kind) || split_at(out, inner, "-", lo_open, hi_open, kind) ||
           (comma && split_at(out, inner, ",", lo_open, hi_open, kind)) ||
           read_open(out, inner, ",", lo_open, hi_open, kind) || read_open(out, inner, "..", lo_open, hi_open, kind);
}

/* <5, <=5, >90, >=90 */
static bool read_half_line(kanon__interval *out, slice cell, const kanon__value_kind *kind)
{
    if (cell.length < 2 || (cell.text[0] != '<' && cell.text[0] != '>'))
        return false;
    bool below = cell.text[0] == '<', closed = cell.text[1] == '=';
    size_t sign = closed ? 2 : 1;
    kanon__end end;
    if (!read_bound(&end, (slice){cell.text + sign, cell.length - sign}, kind))
        return false;
    end.open = !closed;
    kanon__end infinite = {.open = true, .infinite = true};
    *out = below ? (kanon__interval){infinite, end} : (kanon__interval){end, infinite};
    return settle(out, kind);
}

/* Levels have names of any kind, so only what stands between two of them parts them: "[low..high]", "low..high" and, as
 * other tools write intervals, a comma or a dash. Two points come first: no level has them in its name. */
static bool read_levels(kanon__interval *out, slice cell, const kanon__value_kind *kind)
{
    static const char *const separators[] = {"..", ",", "-"};
    bool brackets = cell.length > 2 && cell.text[0] == '[' && cell.text[cell.length - 1] == ']';
    for (size_t i = 0; i < sizeof separators / sizeof *separators; i++)
        if ((brackets && split_at(out, (slice){cell.text + 1, cell.length - 2}, separators[i], false, false, kind)) ||
            split_at(out, cell, separators[i], false, false, kind))
            return true;
    return false;
}

bool kanon__notation_interval(kanon__interval *out, const char *text, size_t length, const kanon__value_kind *kind)
{
    slice cell = trimmed(text, length);
    if (!is_numeric(kind) || cell.length == 0 || cell.length > LONGEST_INTERVAL)
        return false;
    kanon__end value;
    if (read_bound(&value, cell, kind)) {
        *out = (kanon__interval){value, value};
        return true;
    }
    if (kind->type == KANON_TYPE_ORDINAL)
        return read_levels(out, cell, kind);
    return read_bracketed(out, cell, kind) || read_half_line(out, cell, kind) ||
           split_at(out, cell, "..", false, false, kind) || split_at(out, cell, "-", false, false, kind);
}

/* ---- canonical text ---------------------------------------------------------------------------------------------- */

static kanon_status append(kanon__meaning *meaning, const char *text, size_t length, kanon_error *err)
{
    int64_t needed = meaning->length + (int64_t)length;
    kanon_status st = kanon__grow_array(&meaning->text, &meaning->capacity, needed, "a cell", err);
    if (st == KANON_OK && length > 0) {
        memcpy(meaning->text + meaning->length, text, length);
        meaning->length = needed;
    }
    return st;
}

static kanon_status append_bound(kanon__meaning *meaning, const kanon__end *bound, const kanon__value_kind *kind,
                                 kanon_error *err)
{
    char number[KANON__NUMBER_TEXT];
    if (kind->type == KANON_TYPE_ORDINAL) {
        size_t named;
        const char *name = kanon__dictionary_text(kind->format.levels, (uint32_t)bound->mantissa, &named);
        return append(meaning, name, named, err);
    }
    /* fractions of seconds have no one form: seconds since 1970 tell them apart */
    size_t length = kind->type == KANON_TYPE_DATE && bound->scale == 0
                        ? kanon__value_print_date(number, &kind->format, bound->mantissa)
                        : kanon__format_scaled(number, bound->mantissa, bound->scale);
    return append(meaning, number, length, err);
}

static kanon_status append_interval(kanon__meaning *meaning, const kanon__interval *interval, const kanon__value_kind *kind,
                                    kanon_error *err)
{
    const kanon__end *lo = &interval->lo, *hi = &interval->hi;
    bool point = !lo->infinite && !hi->infinite && compare_bounds(lo, hi) == 0, levels = kind->type == KANON_TYPE_ORDINAL;
    const char *before = point          ? ""
                         : lo->infinite ? (hi->open ? "<" : "<=")
                         : hi->infinite ? (lo->open ? ">" : ">=")
                                        : (lo->open ? "(" : "[");
    kanon_status st = KANON_OK;
    KANON_TRY(append(meaning, before, strlen(before), err), out);
    if (!lo->infinite)
        KANON_TRY(append_bound(meaning, lo, kind, err), out);
    if (point || hi->infinite)
        goto out;
    if (!lo->infinite)
        KANON_TRY(append(meaning, levels ? ".." : ",", levels ? 2 : 1, err), out);
    KANON_TRY(append_bound(meaning, hi, kind, err), out);
    if (!lo->infinite)
        KANON_TRY(append(meaning, hi->open ? ")" : "]", 1, err), out);
out:
    return st;
}

/* ---- sets -------------------------------------------------------------------------------------------------------- */

static bool in_braces(slice cell)
{
    return cell.length >= 2 && cell.text[0] == '{' && cell.text[cell.length - 1] == '}';
}

static int compare_slices(const void *left, const void *right)
{
    const slice *a = left, *b = right;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : (a->length > b->length) - (a->length < b->length);
}

/* An empty element is none, and one that begins like an interval may have lost its end at its own comma. */
static bool is_element(slice element)
{
    return element.length > 0 && element.text[0] != '[' && element.text[0] != ']' && element.text[0] != '(';
}

/* The elements of { , , }; *n is 0 where the cell is no set. */
static kanon_status split_set(slice **out, int64_t *n, slice cell, kanon_error *err)
{
    slice inner = {cell.text + 1, cell.length - 2};
    int64_t n_elements = 1;
    for (size_t i = 0; i < inner.length; i++)
        n_elements += inner.text[i] == ',';
    kanon_status st = kanon__new_array(out, n_elements, "a set", err);
    if (st != KANON_OK)
        return st;
    *n = 0;
    for (size_t begin = 0, i = 0; i <= inner.length; i++) {
        if (i < inner.length && inner.text[i] != ',')
            continue;
        (*out)[*n] = trimmed(inner.text + begin, i - begin);
        if (!is_element((*out)[(*n)++])) {
            *n = 0;
            break;
        }
        begin = i + 1;
    }
    return KANON_OK;
}

static int64_t sort_set(slice *elements, int64_t n)
{
    qsort(elements, (size_t)n, sizeof *elements, compare_slices);
    int64_t n_distinct = 0;
    for (int64_t i = 0; i < n; i++)
        if (n_distinct == 0 || compare_slices(&elements[n_distinct - 1], &elements[i]) != 0)
            elements[n_distinct++] = elements[i];
    return n_distinct;
}

/* Write a set of two or more elements. One element alone is left in *cell, to be read as if it stood without braces. */
static kanon_status read_set(kanon__meaning *out, slice *cell, kanon_error *err)
{
    slice *elements = NULL;
    int64_t n = 0;
    kanon_status st = KANON_OK;
    KANON_TRY(split_set(&elements, &n, *cell, err), out);
    n = sort_set(elements, n);
    if (n == 1)
        *cell = elements[0];
    if (n < 2)
        goto out;
    out->kind = KANON__NOTATION_SET;
    for (int64_t i = 0; i < n; i++) {
        KANON_TRY(append(out, i == 0 ? "{" : ",", 1, err), out);
        KANON_TRY(append(out, elements[i].text, elements[i].length, err), out);
    }
    KANON_TRY(append(out, "}", 1, err), out);
out:
    kanon__free(elements);
    return st;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

kanon_status kanon__notation_read(kanon__meaning *out, const char *text, size_t length, const kanon__value_kind *kind,
                                  kanon_error *err)
{
    slice cell = trimmed(text, length);
    kanon_status st = KANON_OK;
    out->length = 0;
    out->kind = KANON__NOTATION_LABEL;
    if (in_braces(cell) && memchr(cell.text, ',', cell.length) != NULL) {
        st = read_set(out, &cell, err);
        if (st != KANON_OK || out->kind == KANON__NOTATION_SET)
            return st;
    }
    if (in_braces(cell) && memchr(cell.text, ',', cell.length) == NULL)
        while (in_braces(cell)) {
            slice inner = trimmed(cell.text + 1, cell.length - 2);
            if (inner.length == 0)
                break;
            cell = inner;
        }
    kanon__interval interval;
    if (kanon__notation_is_any(cell.text, cell.length)) {
        out->kind = KANON__NOTATION_ANY;
        return append(out, "*", 1, err);
    }
    if (kanon__notation_interval(&interval, cell.text, cell.length, kind)) {
        out->kind = KANON__NOTATION_INTERVAL;
        return append_interval(out, &interval, kind, err);
    }
    return append(out, cell.text, cell.length, err);
}

void kanon__meaning_clear(kanon__meaning *meaning)
{
    kanon__free(meaning->text);
    *meaning = (kanon__meaning){0};
}
