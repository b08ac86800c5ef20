/* Holds the codes of the table against an Arrow input. Each pair of a code and a value is compared as text once in a range;
 * after that it is known by the key of the value. */
#include "verify/arrow_check.h"

#include "core/alloc.h"
#include "table/value/number.h"
#include "verify/arrow_bands.h"
#include "verify/arrow_cells.h"
#include "verify/bare_text.h"

#include <math.h>

/* ---- what a code says --------------------------------------------------------------------------------------------- */

kanon__read_value kanon__checked_number(const kanon__domain *domain, const char *text, size_t length, bool real)
{
    kanon__read_value value = {.kind = KANON__READ_WHOLE};
    kanon__decimal number;
    if (!kanon__value_parse(&number, domain->type, &domain->format, text, length))
        return (kanon__read_value){.kind = KANON__READ_NULL};
    if (domain->type == KANON_TYPE_DECIMAL || real) /* a level as its rank */
        return (kanon__read_value){.kind = KANON__READ_REAL, .real = number.value};
    value.whole = number.mantissa;
    bool times = domain->type == KANON_TYPE_DATE && kanon__value_has_time(&domain->format);
    for (int step = number.scale; times && step < (domain->scale > 6 ? 9 : 6); step++)
        value.whole *= 10; /* to micro- or nanoseconds */
    return value;
}

static bool are_same(const char *left, size_t left_length, const char *right, size_t right_length)
{
    if (left_length == right_length && (left_length == 0 || memcmp(left, right, left_length) == 0))
        return true; /* as nearly all are */
    kanon__bare(&left, &left_length);
    kanon__bare(&right, &right_length);
    return left_length == right_length && (left_length == 0 || memcmp(left, right, left_length) == 0);
}

static bool is_missing_text(const kanon__arrow_check *c, const char *text, size_t length)
{
    for (int64_t i = 0; i < c->table->missing.n; i++)
        if (are_same(c->table->missing.items[i], strlen(c->table->missing.items[i]), text, length))
            return true;
    return false;
}

bool kanon__checked_text_says(const kanon__arrow_check *c, const kanon__checked_field *f, uint32_t code, const char *text,
                              size_t length)
{
    const kanon__domain *domain = c->table->data.columns[f->number].domain;
    size_t own_length;
    const char *own = kanon__domain_text(domain, code, &own_length);
    if (code == domain->missing_code)
        return is_missing_text(c, text, length);
    if (f->code_bands != NULL)
        return !is_missing_text(c, text, length) && kanon__checked_bands_text_says(c, f, code, text, length);
    if (are_same(own, own_length, text, length))
        return true;
    if (!kanon__type_is_numeric(domain->type))
        return false;
    kanon__read_value one = kanon__checked_number(domain, own, own_length, false),
                      other = kanon__checked_number(domain, text, length, false);
    return one.kind != KANON__READ_NULL && kanon__read_equal(one, other);
}

/* Whether a number of an Arrow input is one that means "no value". */
static bool is_missing_number(const kanon__arrow_check *c, const kanon__checked_field *f, int64_t row)
{
    for (int64_t i = 0; i < c->table->missing.n; i++) {
        kanon__cell cell = {.text = c->table->missing.items[i], .length = strlen(c->table->missing.items[i])};
        kanon__bare(&cell.text, &cell.length);
        if (kanon__arrow_cell_matches(c->arrow, row, f->number, &cell))
            return true;
    }
    return false;
}

/* Whether the value that row `row` has in an Arrow input says the same as its code. */
static bool value_says(const kanon__arrow_check *c, const kanon__checked_field *f, int64_t row, uint32_t code)
{
    const kanon__domain *domain = c->table->data.columns[f->number].domain;
    kanon__read_value given = kanon__read_row(&f->given, row);
    kanon__cell cell = {0};
    if (given.kind == KANON__READ_NULL || (given.kind == KANON__READ_REAL && isnan(given.real)))
        return code == domain->missing_code;
    if (given.kind == KANON__READ_TEXT)
        return kanon__checked_text_says(c, f, code, given.bytes, given.length);
    if (code == domain->missing_code)
        return is_missing_number(c, f, row);
    if (f->code_bands != NULL)
        return kanon__checked_bands_value_says(c, f, code, given) && !is_missing_number(c, f, row);
    cell.text = kanon__domain_text(domain, code, &cell.length);
    return kanon__arrow_cell_matches(c->arrow, row, f->number, &cell);
}

/* ---- the rows of a range ------------------------------------------------------------------------------------------ */

/* What is known of the pairs of codes and values. An entry of a dictionary has one code; a code that is not missing has one
 * value, and values are more than codes can be numbered by. */
typedef struct known_pairs {
    const kanon__arrow_check *check;
    const kanon__checked_field *field;
    bool entries;            /* the column is a dictionary */
    uint32_t *code_of_entry; /* KANON__NO_CODE: not known */
    int64_t *key_of_code;
    bool *is_known; /* by code */
} known_pairs;

static kanon_status init_pairs(known_pairs *p, kanon_error *err)
{
    const kanon__checked_field *f = p->field;
    uint32_t n_codes = p->check->table->data.columns[f->number].domain->n_codes;
    p->entries = f->given.shape.index_size > 0;
    if (p->entries) {
        KANON_CHECK(kanon__new_array(&p->code_of_entry, f->given.n_entries, "the check of the release", err));
        memset(p->code_of_entry, 0xff, (size_t)f->given.n_entries * sizeof *p->code_of_entry);
    } else {
        KANON_CHECK(kanon__new_array(&p->key_of_code, n_codes, "the check of the release", err));
        KANON_CHECK(kanon__new_array(&p->is_known, n_codes, "the check of the release", err));
    }
    return KANON_OK;
}

static void clear_pairs(known_pairs *p)
{
    kanon__free(p->is_known);
    kanon__free(p->key_of_code);
    kanon__free(p->code_of_entry);
}

/* Whether a pair, of which nothing is known yet, fits. */
static bool learn_pair(known_pairs *p, int64_t row, uint32_t code, int64_t key, bool valid)
{
    if (!value_says(p->check, p->field, row, code))
        return false;
    if (valid && p->entries) {
        p->code_of_entry[key] = code;
    } else if (valid) {
        p->key_of_code[code] = key;
        p->is_known[code] = true;
    }
    return true;
}

static kanon_status check_pairs(known_pairs *p, int64_t first, int64_t n, kanon_error *err)
{
    kanon__read_keys given;
    const kanon__column *column = &p->check->table->data.columns[p->field->number];
    kanon__read_block(&given, &p->field->given, NULL, first, n);
    for (int64_t i = 0; i < n; i++) {
        uint32_t code = kanon__code_at(column->codes, first + i);
        int64_t key = given.keys[i];
        bool is_fit = given.valid[i] &&
                      (p->entries ? p->code_of_entry[key] == code : p->is_known[code] && p->key_of_code[code] == key);
        if (!is_fit && !learn_pair(p, first + i, code, key, given.valid[i]))
            return kanon__checked_fail(p->check, p->field, first + i, "a code that is not the input's value", err);
    }
    return KANON_OK;
}

/* Texts and decimals are compared row by row. */
static kanon_status check_values(const kanon__arrow_check *c, const kanon__checked_field *f, int64_t first, int64_t n,
                                 kanon_error *err)
{
    for (int64_t row = first; row < first + n; row++)
        if (!value_says(c, f, row, kanon__code_at(c->table->data.columns[f->number].codes, row)))
            return kanon__checked_fail(c, f, row, "a code that is not the input's value", err);
    return KANON_OK;
}

kanon_status kanon__check_codes(kanon__arrow_check *c, const kanon__checked_field *f, kanon__checked_range *range,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    known_pairs pairs = {.check = c, .field = f};
    bool has_keys = f->given.shape.index_size > 0 || kanon__read_has_keys(f->given.shape);
    int64_t n, at = range->begin;
    if (has_keys)
        KANON_TRY(init_pairs(&pairs, err), out);
    for (;; at += n) {
        KANON_TRY(kanon__checked_block(c, range, at, &n, err), out);
        if (n == 0)
            break;
        KANON_TRY(has_keys ? check_pairs(&pairs, at, n, err) : check_values(c, f, at, n, err), out);
    }
out:
    clear_pairs(&pairs);
    return st;
}
