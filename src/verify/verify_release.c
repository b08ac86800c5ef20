#include "verify/verify.h"

#include "core/alloc.h"
#include "table/number.h"

#include <math.h>
#include <string.h>

/* What the release shows of one attribute for one group. */
typedef struct shown {
    double lo, hi;     /* numeric: the interval; for means, the mean twice */
    double low, high;  /* numeric: the extremes of the originals that came by */
    int32_t node;      /* categorical: the taxonomy node */
    bool any;          /* "*" */
    bool only_missing; /* numeric: the missing text */
} shown;

struct kanon__verifier {
    const kanon_table *table;
    kanon_numeric numeric;
    int64_t n_groups, n_seen;
    shown *cells;    /* by group and quasi attribute */
    int64_t *counts; /* records seen, by group */
    int64_t **first; /* by quasi attribute and code: one more than the first group that showed it; NULL: groups may differ */
    char *scratch;   /* a cell with doubled quotes, made single */
    int64_t scratch_capacity;
};

kanon_status kanon__verifier_new(kanon__verifier **out, const kanon_table *table, int64_t n_groups, kanon_numeric numeric,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__verifier *v = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&v, 1, "the check of the release", err), out);
    v->table = table;
    v->numeric = numeric;
    v->n_groups = n_groups;
    KANON_TRY(kanon__new_array(&v->cells, n_groups * table->n_quasi, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&v->counts, n_groups, "the check of the release", err), out);
    for (int64_t i = 0; i < n_groups * table->n_quasi; i++) {
        v->cells[i].low = INFINITY;
        v->cells[i].high = -INFINITY;
    }
    *out = v;
    v = NULL;
out:
    kanon__verifier_free(v);
    return st;
}

void kanon__verifier_free(kanon__verifier *v)
{
    if (v == NULL)
        return;
    for (int i = 0; v->first != NULL && i < v->table->n_quasi; i++)
        kanon__free(v->first[i]);
    kanon__free(v->first);
    kanon__free(v->scratch);
    kanon__free(v->counts);
    kanon__free(v->cells);
    kanon__free(v);
}

static const kanon__column *quasi_column(const kanon__verifier *v, int i)
{
    return &v->table->columns[v->table->quasi[i]];
}

kanon_status kanon__verifier_expect_mapping(kanon__verifier *v, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&v->first, v->table->n_quasi, "the check of the release", err), out);
    for (int i = 0; i < v->table->n_quasi; i++)
        KANON_TRY(kanon__new_array(&v->first[i], quasi_column(v, i)->n_codes, "the check of the release", err), out);
out:
    return st;
}

/* A number of the column's type. */
static bool read_number(const kanon__column *column, const char *text, size_t length, double *value)
{
    kanon__decimal decimal;
    int64_t days;
    if (column->type == KANON_TYPE_DATE) {
        if (!kanon__parse_date(&days, text, length))
            return false;
        *value = (double)days;
        return true;
    }
    if (!kanon__parse_decimal(&decimal, text, length))
        return false;
    *value = decimal.value;
    return true;
}

/* "[lo-hi]" or "[lo,hi]". A minus sign can stand on both sides of the dash, so every place for it is tried. */
static bool read_interval(const kanon__column *column, char separator, const char *text, size_t length, shown *cell)
{
    if (length < 5 || text[0] != '[' || text[length - 1] != ']')
        return false;
    for (size_t at = 2; at + 2 < length; at++)
        if (text[at] == separator && read_number(column, text + 1, at - 1, &cell->lo) &&
            read_number(column, text + at + 1, length - at - 2, &cell->hi) && cell->lo <= cell->hi)
            return true;
    return false;
}

static bool is_missing_text(const kanon__column *column, const char *text, size_t length)
{
    size_t own_length;
    if (column->missing_code == KANON__NO_CODE)
        return false;
    const char *own = kanon__column_text(column, column->missing_code, &own_length);
    return own_length == length && memcmp(own, text, length) == 0;
}

static bool understand_numeric(const kanon__verifier *v, const kanon__column *column, shown *cell, const char *text,
                               size_t length, const char *second, size_t second_length)
{
    cell->only_missing = is_missing_text(column, text, length);
    cell->any = !cell->only_missing && length == 1 && text[0] == '*';
    if (cell->only_missing || cell->any)
        return true;
    if (v->numeric == KANON_NUMERIC_COLUMNS)
        return read_number(column, text, length, &cell->lo) && read_number(column, second, second_length, &cell->hi);
    if (read_number(column, text, length, &cell->lo)) {
        cell->hi = cell->lo;
        return true;
    }
    return read_interval(column, v->numeric == KANON_NUMERIC_RANGE ? ',' : '-', text, length, cell);
}

kanon_status kanon__verifier_cell(kanon__verifier *v, int64_t group, int i, const char *text, size_t length,
                                  const char *second, size_t second_length, kanon_error *err)
{
    const kanon__column *column = quasi_column(v, i);
    shown *cell = &v->cells[group * v->table->n_quasi + i];
    bool good;
    if (kanon__column_is_numeric(column)) {
        good = understand_numeric(v, column, cell, text, length, second, second_length);
    } else {
        cell->node = kanon__taxonomy_node(column->taxonomy, text, length);
        good = cell->node >= 0;
    }
    if (!good)
        return kanon__fail(err, KANON_EINTERNAL, "the check cannot read a cell of the release, column %s", column->name);
    return KANON_OK;
}

/* Whether `node` is `leaf`'s own node or above it, by walking up. */
static bool is_above(const kanon__taxonomy *t, int32_t node, int32_t leaf)
{
    for (int32_t at = t->leaf_node[leaf]; at >= 0; at = t->parent[at])
        if (at == node)
            return true;
    return false;
}

static bool means_missing(const kanon__verifier *v, const char *text, size_t length)
{
    return kanon__texts_find(&v->table->missing, text, length) >= 0;
}

static bool covers_number(const kanon__verifier *v, const kanon__column *column, shown *cell, uint32_t code,
                          const char *text, size_t length)
{
    size_t own_length;
    const char *own = kanon__column_text(column, code, &own_length);
    double value;
    if (code == column->missing_code)
        return means_missing(v, text, length) && (cell->any || cell->only_missing);
    value = column->values[code];
    bool same = own_length == length && memcmp(own, text, length) == 0;
    if (!same && (!read_number(column, text, length, &value) || value != column->values[code]))
        return false; /* another number than its code says, so the table was encoded wrongly */
    cell->low = value < cell->low ? value : cell->low;
    cell->high = value > cell->high ? value : cell->high;
    if (cell->any)
        return true;
    return !cell->only_missing && (v->numeric == KANON_NUMERIC_MEAN || (cell->lo <= value && value <= cell->hi));
}

/* The text in the input must be the code's, or the table was encoded wrongly. Missing values have several texts. */
static bool covers_category(const kanon__verifier *v, const kanon__column *column, const shown *cell, uint32_t code,
                            const char *text, size_t length)
{
    size_t own_length;
    const char *own = kanon__column_text(column, code, &own_length);
    bool same = own_length == length && memcmp(own, text, length) == 0;
    bool missing = code == column->missing_code && means_missing(v, text, length);
    return (same || missing) && is_above(column->taxonomy, cell->node, (int32_t)code);
}

static kanon_status check_cell(kanon__verifier *v, int64_t row, int64_t group, int i, const kanon__cell *original,
                               kanon_error *err)
{
    const kanon__column *column = quasi_column(v, i);
    shown *cell = &v->cells[group * v->table->n_quasi + i];
    const char *text = original->text;
    size_t length = original->length;
    if (original->doubled) {
        kanon_status st = kanon__grow_array(&v->scratch, &v->scratch_capacity, (int64_t)length, "a cell", err);
        if (st != KANON_OK)
            return st;
        length = kanon__csv_unescape(v->scratch, original);
        text = v->scratch;
    }
    uint32_t code = kanon__code_at(column->codes, row);
    bool good = kanon__column_is_numeric(column) ? covers_number(v, column, cell, code, text, length)
                                                 : covers_category(v, column, cell, code, text, length);
    if (!good)
        return kanon__fail(err, KANON_EINTERNAL,
                           "the check found a released cell that does not cover its original: record "
                           "%lld, column %s",
                           (long long)row + 1, column->name);
    return KANON_OK;
}

/* Whether the group shows what the first group with this value showed. */
static bool is_shown_alike(kanon__verifier *v, int64_t row, int64_t group, int i)
{
    int64_t *first = &v->first[i][kanon__code_at(quasi_column(v, i)->codes, row)];
    if (*first == 0)
        *first = group + 1;
    const shown *one = &v->cells[(*first - 1) * v->table->n_quasi + i], *other = &v->cells[group * v->table->n_quasi + i];
    return one->lo == other->lo && one->hi == other->hi && one->node == other->node && one->any == other->any &&
           one->only_missing == other->only_missing;
}

kanon_status kanon__verifier_row(kanon__verifier *v, int64_t row, int64_t group, const kanon__cell *cells, kanon_error *err)
{
    v->n_seen++;
    if (group < 0)
        return KANON_OK;
    if (group >= v->n_groups || row >= v->table->n_rows)
        return kanon__fail(err, KANON_EINTERNAL, "the check found record %lld where none should be", (long long)row + 1);
    v->counts[group]++;
    for (int i = 0; i < v->table->n_quasi; i++) {
        kanon_status st = check_cell(v, row, group, i, &cells[v->table->quasi[i]], err);
        if (st != KANON_OK)
            return st;
        if (v->first != NULL && !is_shown_alike(v, row, group, i))
            return kanon__fail(err, KANON_EINTERNAL, "the check found one value shown in two ways: record %lld, column %s",
                               (long long)row + 1, quasi_column(v, i)->name);
    }
    return KANON_OK;
}

/* A mean covers no interval, but it lies between the extremes of its group, up to the last digit shown. */
static bool mean_is_inside(const shown *cell, const kanon__column *column)
{
    if (cell->any || cell->only_missing)
        return true;
    double slack = 1e-9 * (fabs(cell->low) + fabs(cell->high)) + (column->type == KANON_TYPE_DATE ? 0.5 : 0.5 * pow(10, -2));
    return cell->low - slack <= cell->lo && cell->lo <= cell->high + slack;
}

kanon_status kanon__verifier_finish(const kanon__verifier *v, int64_t k, kanon_error *err)
{
    if (v->n_seen != v->table->n_rows)
        return kanon__fail(err, KANON_EINTERNAL, "the check saw %lld records of %lld", (long long)v->n_seen,
                           (long long)v->table->n_rows);
    for (int64_t group = 0; group < v->n_groups; group++) {
        if (v->counts[group] < k)
            return kanon__fail(err, KANON_EINTERNAL, "the check found a released group of %lld records, fewer than k = %lld",
                               (long long)v->counts[group], (long long)k);
        for (int i = 0; v->numeric == KANON_NUMERIC_MEAN && i < v->table->n_quasi; i++)
            if (kanon__column_is_numeric(quasi_column(v, i)) &&
                !mean_is_inside(&v->cells[group * v->table->n_quasi + i], quasi_column(v, i)))
                return kanon__fail(err, KANON_EINTERNAL, "the check found a mean outside its group, column %s",
                                   quasi_column(v, i)->name);
    }
    return KANON_OK;
}
