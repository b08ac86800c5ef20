#include "release/recode.h"

#include "core/alloc.h"
#include "core/output.h"
#include "table/number.h"

#include <string.h>

/* What a group holds of one attribute. */
typedef struct extent {
    uint32_t lo, hi; /* codes; for numbers, of those that are there */
    bool has_missing, has_number;
    __int128 sum;          /* of the scaled values, for means */
    long double float_sum; /* of the values; a double could overflow */
    int64_t n_numbers;
} extent;

static kanon_status append(kanon__recoding *r, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&r->bytes, &r->bytes_capacity, r->n_bytes + (int64_t)length, "released cells", err);
    if (st == KANON_OK && length > 0) {
        memcpy(r->bytes + r->n_bytes, text, length);
        r->n_bytes += (int64_t)length;
    }
    return st;
}

static kanon_status append_code(kanon__recoding *r, const kanon__column *c, uint32_t code, kanon_error *err)
{
    size_t length;
    const char *text = kanon__column_text(c, code, &length);
    return append(r, text, length, err);
}

/* The mean, rounded half up to two digits more than the column's values have; for dates the nearest day. */
static size_t mean_text(char buffer[KANON__NUMBER_TEXT], const kanon__column *c, const extent *e)
{
    int digits = c->type == KANON_TYPE_DATE ? 0 : 2;
    if (c->scaled == NULL || c->scale + digits > 18)
        return kanon__format_double(buffer, (double)(e->float_sum / (long double)e->n_numbers));
    __int128 sum = e->sum * (digits == 2 ? 100 : 1), n = e->n_numbers;
    __int128 doubled = 2 * sum + n, mean = doubled / (2 * n);
    if (doubled % (2 * n) != 0 && doubled < 0)
        mean--; /* division rounds towards zero, the mean is to be rounded down */
    if (c->type == KANON_TYPE_DATE)
        return kanon__format_date(buffer, (int64_t)mean);
    if (mean > INT64_MAX || mean < INT64_MIN)
        return kanon__format_double(buffer, (double)(e->float_sum / (long double)e->n_numbers));
    int64_t mantissa = (int64_t)mean;
    int scale = c->scale + digits;
    while (scale > 0 && mantissa % 10 == 0) {
        mantissa /= 10;
        scale--;
    }
    return kanon__format_scaled(buffer, mantissa, scale);
}

static kanon_status append_interval(kanon__recoding *r, const kanon__column *c, const extent *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(append(r, "[", 1, err), out);
    KANON_TRY(append_code(r, c, e->lo, err), out);
    KANON_TRY(append(r, r->numeric == KANON_NUMERIC_RANGE ? "," : "-", 1, err), out);
    KANON_TRY(append_code(r, c, e->hi, err), out);
    KANON_TRY(append(r, "]", 1, err), out);
out:
    return st;
}

/* One part of a numeric cell. */
static kanon_status append_number(kanon__recoding *r, const kanon__column *c, const extent *e, int part, kanon_error *err)
{
    char buffer[KANON__NUMBER_TEXT];
    if (!e->has_number)
        return append_code(r, c, c->missing_code, err);
    if (e->has_missing)
        return append(r, "*", 1, err);
    if (r->numeric == KANON_NUMERIC_COLUMNS)
        return append_code(r, c, part == 0 ? e->lo : e->hi, err);
    if (e->lo == e->hi && r->numeric != KANON_NUMERIC_RANGE) /* a range type takes nothing but ranges */
        return append_code(r, c, e->lo, err);
    if (r->numeric == KANON_NUMERIC_MEAN)
        return append(r, buffer, mean_text(buffer, c, e), err);
    return append_interval(r, c, e, err);
}

static void extend(extent *e, const kanon__column *c, uint32_t code)
{
    bool numeric = kanon__column_is_numeric(c);
    if (numeric && code == c->missing_code) {
        e->has_missing = true;
        return;
    }
    if (!e->has_number || code < e->lo)
        e->lo = code;
    if (!e->has_number || code > e->hi)
        e->hi = code;
    e->has_number = true;
    if (!numeric)
        return;
    e->n_numbers++;
    e->float_sum += c->values[code];
    if (c->scaled != NULL)
        e->sum += c->scaled[code];
}

/* Whatever a record has, a group shows all that the mapping puts in its place. */
static void extend_shown(extent *e, const kanon__column *c, const uint32_t *range)
{
    extend(e, c, range[0]);
    extend(e, c, range[1]);
}

/* The extents of all groups on one attribute. */
static kanon_status measure(extent **out, const kanon__recoding *r, int i, const int32_t *group_of, kanon_error *err)
{
    const kanon__column *c = &r->table->columns[r->table->quasi[i]];
    kanon_status st = kanon__new_array(out, r->n_groups, "released cells", err);
    for (int64_t row = 0; st == KANON_OK && row < r->table->n_rows; row++) {
        if (group_of[row] < 0)
            continue;
        uint32_t code = kanon__code_at(c->codes, row);
        if (r->shown != NULL)
            extend_shown(&(*out)[group_of[row]], c, r->shown[i] + 2 * (size_t)code);
        else
            extend(&(*out)[group_of[row]], c, code);
    }
    return st;
}

int kanon__recoding_parts(const kanon__recoding *r, int i)
{
    const kanon__column *c = &r->table->columns[r->table->quasi[i]];
    return r->numeric == KANON_NUMERIC_COLUMNS && kanon__column_is_numeric(c) ? 2 : 1;
}

/* The cells of a group are written together, so they lie together. */
static int64_t text_number(const kanon__recoding *r, int64_t group, int i, int part)
{
    return (group * r->table->n_quasi + i) * 2 + part;
}

/* While texts are made, attribute by attribute, they lie in that order. */
static int64_t draft_number(const kanon__recoding *r, int64_t group, int i, int part)
{
    return ((int64_t)i * r->n_groups + group) * 2 + part;
}

static kanon_status recode_attribute(kanon__recoding *r, int i, const int32_t *group_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *c = &r->table->columns[r->table->quasi[i]];
    extent *extents = NULL;
    KANON_TRY(measure(&extents, r, i, group_of, err), out);
    for (int64_t group = 0; group < r->n_groups; group++)
        for (int part = 0; part < 2; part++) {
            const extent *e = &extents[group];
            if (kanon__column_is_numeric(c)) {
                if (part < kanon__recoding_parts(r, i))
                    KANON_TRY(append_number(r, c, e, part, err), out);
            } else if (part == 0) {
                size_t length;
                int32_t node = kanon__taxonomy_lca(c->taxonomy, (int32_t)e->lo, (int32_t)e->hi);
                const char *label = kanon__taxonomy_label(c->taxonomy, node, &length);
                KANON_TRY(append(r, label, length, err), out);
            }
            r->ends[draft_number(r, group, i, part)] = r->n_bytes;
        }
out:
    kanon__free(extents);
    return st;
}

static kanon_status lay_by_group(kanon__recoding *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *bytes = NULL;
    int64_t *ends = NULL, used = 0;
    KANON_TRY(kanon__new_array(&bytes, r->n_bytes, "released cells", err), out);
    KANON_TRY(kanon__new_array(&ends, r->n_groups * r->table->n_quasi * 2, "released cells", err), out);
    for (int64_t group = 0; group < r->n_groups; group++)
        for (int i = 0; i < r->table->n_quasi; i++)
            for (int part = 0; part < 2; part++) {
                int64_t at = draft_number(r, group, i, part), begin = at > 0 ? r->ends[at - 1] : 0;
                size_t length = (size_t)(r->ends[at] - begin);
                if (length > 0)
                    memcpy(bytes + used, r->bytes + begin, length);
                if (kanon__output_needs_quotes(bytes + used, length, r->table->csv_options.delimiter))
                    r->plain[i] = false;
                used += (int64_t)length;
                ends[text_number(r, group, i, part)] = used;
            }
    char *draft = r->bytes;
    int64_t *draft_ends = r->ends;
    r->bytes = bytes;
    r->ends = ends;
    bytes = draft;
    ends = draft_ends;
out:
    kanon__free(ends);
    kanon__free(bytes);
    return st;
}

kanon_status kanon__recoding_new(kanon__recoding **out, const kanon_table *table, const int32_t *group_of, int64_t n_groups,
                                 const uint32_t *const *shown, kanon_numeric numeric, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__recoding *r = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&r, 1, "released cells", err), out);
    r->table = table;
    r->numeric = numeric;
    r->shown = shown;
    r->n_groups = n_groups;
    KANON_TRY(kanon__new_array(&r->ends, n_groups * table->n_quasi * 2, "released cells", err), out);
    KANON_TRY(kanon__new_array(&r->plain, table->n_quasi, "released cells", err), out);
    for (int i = 0; i < table->n_quasi; i++) {
        r->plain[i] = true;
        KANON_TRY(recode_attribute(r, i, group_of, err), out);
    }
    KANON_TRY(lay_by_group(r, err), out);
    *out = r;
    r = NULL;
out:
    kanon__recoding_free(r);
    return st;
}

void kanon__recoding_free(kanon__recoding *r)
{
    if (r == NULL)
        return;
    kanon__free(r->plain);
    kanon__free(r->ends);
    kanon__free(r->bytes);
    kanon__free(r);
}

const char *kanon__recoding_text(const kanon__recoding *r, int64_t group, int i, int part, size_t *length)
{
    int64_t at = text_number(r, group, i, part), begin = at > 0 ? r->ends[at - 1] : 0;
    *length = (size_t)(r->ends[at] - begin);
    return r->bytes + begin;
}
