/* Makes the texts of a release: the extent of each group in each quasi attribute, then the text of each extent, block
 * by block in parallel. The only entry is kanon__recoding_new; calls core and table. */
#include "release/recode.h"

#include "core/alloc.h"
#include "core/output.h"
#include "core/pool.h"
#include "table/number.h"

#include <string.h>

/* What a group holds of one attribute. */
typedef struct extent {
    uint32_t lo, hi; /* codes; for numbers, of those that are there */
    bool has_missing, has_number;
} extent;

/* What a mean is made of. */
typedef struct total {
    __int128 sum;          /* of the scaled values */
    long double float_sum; /* of the values; a double could overflow */
    int64_t n;
} total;

/* What is known while the texts are made. */
typedef struct draft {
    kanon__recoding *recoding;
    const int32_t *group_of;
    extent **extents; /* by quasi attribute and group */
    total **totals;   /* likewise; NULL where no mean is shown */
} draft;

/* The texts of a block of groups. */
typedef struct block_text {
    char *bytes;
    int64_t n, capacity;
} block_text;

static const kanon__column *quasi_column(const kanon__recoding *r, int i)
{
    return &r->table->data.columns[r->table->data.quasi[i]];
}

int kanon__recoding_parts(const kanon__recoding *r, int i)
{
    return r->numeric == KANON_NUMERIC_COLUMNS && kanon__column_is_numeric(quasi_column(r, i)) ? 2 : 1;
}

/* ---- what groups hold -------------------------------------------------------------------------------------------- */

static inline void extend(extent *e, uint32_t code, uint32_t missing_number)
{
    if (code == missing_number) {
        e->has_missing = true;
        return;
    }
    if (!e->has_number || code < e->lo)
        e->lo = code;
    if (!e->has_number || code > e->hi)
        e->hi = code;
    e->has_number = true;
}

/* Whatever a record has, a group shows all that the mapping puts in its place. */
static void measure_shown(const draft *d, int i, uint32_t missing_number)
{
    const kanon__column *c = quasi_column(d->recoding, i);
    const uint32_t *shown = d->recoding->shown[i];
    for (int64_t row = 0; row < d->recoding->table->data.n_rows; row++) {
        const uint32_t *range = shown + 2 * (size_t)kanon__code_at(c->codes, row);
        if (d->group_of[row] < 0)
            continue;
        extend(&d->extents[i][d->group_of[row]], range[0], missing_number);
        extend(&d->extents[i][d->group_of[row]], range[1], missing_number);
    }
}

static void add_up(const draft *d, int i)
{
    const kanon__column *c = quasi_column(d->recoding, i);
    for (int64_t row = 0; row < d->recoding->table->data.n_rows; row++) {
        uint32_t code = kanon__code_at(c->codes, row);
        if (d->group_of[row] < 0 || code == c->domain->missing_code)
            continue;
        total *t = &d->totals[i][d->group_of[row]];
        t->n++;
        t->float_sum += c->domain->values[code];
        if (c->domain->scaled != NULL)
            t->sum += c->domain->scaled[code];
    }
}

static kanon_status measure(int64_t i, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const draft *d = payload;
    const kanon__recoding *r = d->recoding;
    const kanon__column *c = quasi_column(r, (int)i);
    bool numeric = kanon__column_is_numeric(c);
    uint32_t missing_number = numeric ? c->domain->missing_code : KANON__NO_CODE;
    KANON_TRY(kanon__new_array(&d->extents[i], r->n_groups, "released cells", err), out);
    if (r->shown != NULL)
        measure_shown(d, (int)i, missing_number);
    for (int64_t row = 0; r->shown == NULL && row < r->table->data.n_rows; row++)
        if (d->group_of[row] >= 0)
            extend(&d->extents[i][d->group_of[row]], kanon__code_at(c->codes, row), missing_number);
    if (numeric && r->numeric == KANON_NUMERIC_MEAN) {
        KANON_TRY(kanon__new_array(&d->totals[i], r->n_groups, "released cells", err), out);
        add_up(d, (int)i);
    }
out:
    return st;
}

/* ---- texts ------------------------------------------------------------------------------------------------------- */

static kanon_status append(block_text *b, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&b->bytes, &b->capacity, b->n + (int64_t)length, "released cells", err);
    if (st == KANON_OK && length > 0) {
        memcpy(b->bytes + b->n, text, length);
        b->n += (int64_t)length;
    }
    return st;
}

static kanon_status append_code(block_text *b, const kanon__column *c, uint32_t code, kanon_error *err)
{
    size_t length;
    const char *text = kanon__column_text(c, code, &length);
    return append(b, text, length, err);
}

/* The mean, rounded half up to two digits more than the column's values have; for dates the nearest day. */
static size_t mean_text(char buffer[KANON__NUMBER_TEXT], const kanon__column *c, const total *e)
{
    int digits = c->domain->type == KANON_TYPE_DATE ? 0 : 2;
    if (c->domain->scaled == NULL || c->domain->scale + digits > 18)
        return kanon__format_double(buffer, (double)(e->float_sum / (long double)e->n));
    __int128 sum = e->sum * (digits == 2 ? 100 : 1), n = e->n;
    __int128 doubled = 2 * sum + n, mean = doubled / (2 * n);
    if (doubled % (2 * n) != 0 && doubled < 0)
        mean--; /* division rounds towards zero, the mean is to be rounded down */
    if (c->domain->type == KANON_TYPE_DATE)
        return kanon__format_date(buffer, (int64_t)mean);
    if (mean > INT64_MAX || mean < INT64_MIN)
        return kanon__format_double(buffer, (double)(e->float_sum / (long double)e->n));
    int64_t mantissa = (int64_t)mean;
    int scale = c->domain->scale + digits;
    while (scale > 0 && mantissa % 10 == 0) {
        mantissa /= 10;
        scale--;
    }
    return kanon__format_scaled(buffer, mantissa, scale);
}

static kanon_status append_interval(block_text *b, const kanon__recoding *r, const kanon__column *c, const extent *e,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(append(b, "[", 1, err), out);
    KANON_TRY(append_code(b, c, e->lo, err), out);
    KANON_TRY(append(b, r->numeric == KANON_NUMERIC_RANGE ? "," : "-", 1, err), out);
    KANON_TRY(append_code(b, c, e->hi, err), out);
    KANON_TRY(append(b, "]", 1, err), out);
out:
    return st;
}

/* One part of a numeric cell. */
static kanon_status append_number(block_text *b, const draft *d, int i, int64_t group, int part, kanon_error *err)
{
    const kanon__recoding *r = d->recoding;
    const kanon__column *c = quasi_column(r, i);
    const extent *e = &d->extents[i][group];
    char buffer[KANON__NUMBER_TEXT];
    if (!e->has_number)
        return append_code(b, c, c->domain->missing_code, err);
    if (e->has_missing)
        return append(b, "*", 1, err);
    if (r->numeric == KANON_NUMERIC_COLUMNS)
        return append_code(b, c, part == 0 ? e->lo : e->hi, err);
    if (e->lo == e->hi && r->numeric != KANON_NUMERIC_RANGE) /* a range type takes nothing but ranges */
        return append_code(b, c, e->lo, err);
    if (r->numeric == KANON_NUMERIC_MEAN)
        return append(b, buffer, mean_text(buffer, c, &d->totals[i][group]), err);
    return append_interval(b, r, c, e, err);
}

static kanon_status append_category(block_text *b, const kanon__column *c, const extent *e, kanon_error *err)
{
    size_t length;
    int32_t node = kanon__taxonomy_lca(c->domain->taxonomy, (int32_t)e->lo, (int32_t)e->hi);
    const char *label = kanon__taxonomy_label(c->domain->taxonomy, node, &length);
    return append(b, label, length, err);
}

/* Put quotes around the text that begins at `begin`, and double those inside, from its end on. */
static kanon_status quote(block_text *b, int64_t begin, kanon_error *err)
{
    int64_t longer = 2;
    for (int64_t i = begin; i < b->n; i++)
        longer += b->bytes[i] == '"';
    kanon_status st = kanon__grow_array(&b->bytes, &b->capacity, b->n + longer, "released cells", err);
    if (st != KANON_OK)
        return st;
    int64_t to = b->n + longer;
    b->bytes[--to] = '"';
    for (int64_t from = b->n - 1; from >= begin; from--) {
        b->bytes[--to] = b->bytes[from];
        if (b->bytes[from] == '"')
            b->bytes[--to] = '"';
    }
    b->bytes[begin] = '"';
    b->n += longer;
    return KANON_OK;
}

/* One cell as it stands in the file. */
static kanon_status append_cell(block_text *b, const draft *d, int i, int64_t group, int part, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__recoding *r = d->recoding;
    const kanon__column *c = quasi_column(r, i);
    int64_t begin = b->n;
    if (group == r->n_groups)
        return append(b, "*", 1, err);
    if (kanon__column_is_numeric(c))
        KANON_TRY(append_number(b, d, i, group, part, err), out);
    else
        KANON_TRY(append_category(b, c, &d->extents[i][group], err), out);
    if (kanon__output_needs_quotes(b->bytes + begin, (size_t)(b->n - begin), r->table->source->delimiter))
        KANON_TRY(quote(b, begin, err), out);
out:
    return st;
}

static kanon_status append_runs(block_text *b, const draft *d, int64_t group, bool alone, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__recoding *r = d->recoding;
    for (int i = 0; i < r->table->data.n_quasi; i++) {
        int64_t begin = b->n;
        for (int part = 0; part < kanon__recoding_parts(r, i); part++) {
            if (part > 0 || (i > 0 && r->run_of[i - 1] == r->run_of[i]))
                KANON_TRY(append(b, &r->table->source->delimiter, 1, err), out);
            KANON_TRY(append_cell(b, d, i, group, part, err), out);
        }
        if (alone && b->n == begin) /* an empty line is no record to many readers */
            KANON_TRY(append(b, "\"\"", 2, err), out);
        r->ends[group * r->n_runs + r->run_of[i]] = b->n;
    }
out:
    return st;
}

/* Whether the release has one column only. */
static bool is_alone(const kanon__recoding *r)
{
    int n_released = 0;
    for (int i = 0; i < r->table->data.n_columns; i++)
        n_released += r->table->data.columns[i].role != KANON_ROLE_IDENTIFYING;
    return n_released == 1 && kanon__recoding_parts(r, 0) == 1;
}

static kanon_status write_block(int64_t number, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const draft *d = payload;
    block_text b = {0};
    bool alone = is_alone(d->recoding);
    int64_t first = number * KANON__RECODING_BLOCK, last = first + KANON__RECODING_BLOCK - 1;
    if (last > d->recoding->n_groups)
        last = d->recoding->n_groups;
    for (int64_t group = first; group <= last; group++)
        KANON_TRY(append_runs(&b, d, group, alone, err), out);
    d->recoding->blocks[number] = b.bytes;
    b.bytes = NULL;
out:
    kanon__free(b.bytes);
    return st;
}

/* ---- the recoding ------------------------------------------------------------------------------------------------ */

/* A kept column between two quasi columns parts their runs; one that is left out does not. */
static void number_runs(kanon__recoding *r)
{
    const kanon_table *t = r->table;
    for (int i = 0; i < t->data.n_quasi; i++) {
        bool parted = i == 0;
        for (int column = i > 0 ? t->data.quasi[i - 1] + 1 : 0; column < t->data.quasi[i]; column++)
            parted = parted || t->data.columns[column].role != KANON_ROLE_IDENTIFYING;
        r->n_runs += parted;
        r->run_of[i] = r->n_runs - 1;
    }
}

static int64_t block_count(const kanon__recoding *r)
{
    return r->n_groups / KANON__RECODING_BLOCK + 1;
}

static kanon_status make_texts(kanon__recoding *r, const int32_t *group_of, int threads, kanon_error *err)
{
    enum { WORTH_A_THREAD = 10000 };
    kanon_status st = KANON_OK;
    int n_quasi = r->table->data.n_quasi;
    draft d = {.recoding = r, .group_of = group_of};
    if (r->table->data.n_rows < WORTH_A_THREAD)
        threads = 1;
    KANON_TRY(kanon__new_array(&d.extents, n_quasi, "released cells", err), out);
    KANON_TRY(kanon__new_array(&d.totals, n_quasi, "released cells", err), out);
    KANON_TRY(kanon__pool_run(threads, n_quasi, measure, &d, err), out);
    KANON_TRY(kanon__pool_run(threads, block_count(r), write_block, &d, err), out);
out:
    for (int i = 0; i < n_quasi; i++) {
        kanon__free(d.totals != NULL ? d.totals[i] : NULL);
        kanon__free(d.extents != NULL ? d.extents[i] : NULL);
    }
    kanon__free(d.totals);
    kanon__free(d.extents);
    return st;
}

kanon_status kanon__recoding_new(kanon__recoding **out, const kanon_table *table, const int32_t *group_of, int64_t n_groups,
                                 const uint32_t *const *shown, kanon_numeric numeric, int threads, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__recoding *r = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&r, 1, "released cells", err), out);
    r->table = table;
    r->numeric = numeric;
    r->shown = shown;
    r->n_groups = n_groups;
    KANON_TRY(kanon__new_array(&r->run_of, table->data.n_quasi, "released cells", err), out);
    number_runs(r);
    KANON_TRY(kanon__new_array(&r->ends, (n_groups + 1) * r->n_runs, "released cells", err), out);
    KANON_TRY(kanon__new_array(&r->blocks, block_count(r), "released cells", err), out);
    KANON_TRY(make_texts(r, group_of, threads, err), out);
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
    for (int64_t i = 0; r->blocks != NULL && i < block_count(r); i++)
        kanon__free(r->blocks[i]);
    kanon__free(r->blocks);
    kanon__free(r->ends);
    kanon__free(r->run_of);
    kanon__free(r);
}
