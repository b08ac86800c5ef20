/* See extent.h. Computes the extents of groups, one quasi attribute per task. Each task reads the codes of its column
 * once. */
#include "release/extent.h"

#include "core/alloc.h"
#include "core/pool.h"

/* ---- one attribute ------------------------------------------------------------------------------------------------ */

/* An extent that holds nothing yet has the largest lo. */
static inline void extend(kanon__extent *e, uint32_t code, uint32_t missing_number)
{
    if (code == missing_number) {
        e->has_missing = true;
        return;
    }
    e->lo = code < e->lo ? code : e->lo;
    e->hi = code > e->hi ? code : e->hi;
    e->has_number = true;
}

static void extend_by_codes(const kanon__extents *x, int i, uint32_t missing_number)
{
    enum { AHEAD = 16 }; /* groups come by in no order, so they are fetched ahead */
    kanon__codes codes = kanon__extents_column(x, i)->codes;
    for (int64_t row = 0; row < x->data->n_rows; row++) {
        if (row + AHEAD < x->data->n_rows && x->group_of[row + AHEAD] >= 0)
            __builtin_prefetch(&x->cells[i][x->group_of[row + AHEAD]], 1);
        if (x->group_of[row] >= 0)
            extend(&x->cells[i][x->group_of[row]], kanon__code_at(codes, row), missing_number);
    }
}

/* Whatever a record has, a group shows all that the recode map puts in its place. */
static void extend_by_map(const kanon__extents *x, int i, uint32_t missing_number)
{
    const kanon__column *c = kanon__extents_column(x, i);
    const uint32_t *map = x->recode_map[i];
    for (int64_t row = 0; row < x->data->n_rows; row++) {
        const uint32_t *range = map + 2 * (size_t)kanon__code_at(c->codes, row);
        if (x->group_of[row] < 0)
            continue;
        extend(&x->cells[i][x->group_of[row]], range[0], missing_number);
        extend(&x->cells[i][x->group_of[row]], range[1], missing_number);
    }
}

static void add_up(const kanon__extents *x, int i)
{
    const kanon__column *c = kanon__extents_column(x, i);
    for (int64_t row = 0; row < x->data->n_rows; row++) {
        uint32_t code = kanon__code_at(c->codes, row);
        if (x->group_of[row] < 0 || code == c->domain->missing_code)
            continue;
        kanon__mean_sum *s = &x->sums[i][x->group_of[row]];
        s->n++;
        s->float_sum += c->domain->values[code];
        if (c->domain->scaled != NULL)
            s->sum += c->domain->scaled[code];
    }
}

kanon_status kanon__extents_measure(kanon__extents *x, int i, kanon_error *err)
{
    const kanon__column *c = kanon__extents_column(x, i);
    bool numeric = kanon__column_is_numeric(c);
    uint32_t missing_number = numeric ? c->domain->missing_code : KANON__NO_CODE;
    KANON_CHECK(kanon__new_array(&x->cells[i], x->n_groups, "released cells", err));
    for (int64_t group = 0; group < x->n_groups; group++)
        x->cells[i][group].lo = UINT32_MAX;
    if (x->recode_map != NULL)
        extend_by_map(x, i, missing_number);
    else
        extend_by_codes(x, i, missing_number);
    for (int64_t group = 0; group < x->n_groups; group++)
        if (!x->cells[i][group].has_number)
            x->cells[i][group].lo = 0;
    if (numeric && x->with_means) {
        KANON_CHECK(kanon__new_array(&x->sums[i], x->n_groups, "released cells", err));
        add_up(x, i);
    }
    return KANON_OK;
}

void kanon__extents_drop(kanon__extents *x, int i)
{
    kanon__free(x->sums[i]);
    kanon__free(x->cells[i]);
    x->sums[i] = NULL;
    x->cells[i] = NULL;
}

/* ---- all of them -------------------------------------------------------------------------------------------------- */

kanon_status kanon__extents_begin(kanon__extents **out, const kanon__data *data, const int32_t *group_of, int64_t n_groups,
                                  const uint32_t *const *recode_map, const kanon__drawn_ends *drawn, bool with_means,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__extents *x = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&x, 1, "released cells", err), out);
    *x = (kanon__extents){.data = data,
                          .group_of = group_of,
                          .n_groups = n_groups,
                          .recode_map = recode_map,
                          .drawn = drawn,
                          .with_means = with_means};
    KANON_TRY(kanon__new_array(&x->cells, data->n_quasi, "released cells", err), out);
    KANON_TRY(kanon__new_array(&x->sums, data->n_quasi, "released cells", err), out);
    *out = x;
    x = NULL;
out:
    kanon__extents_free(x);
    return st;
}

static kanon_status measure(int64_t i, void *payload, kanon_error *err)
{
    return kanon__extents_measure(payload, (int)i, err);
}

kanon_status kanon__extents_new(kanon__extents **out, const kanon__data *data, const int32_t *group_of, int64_t n_groups,
                                const uint32_t *const *recode_map, const kanon__drawn_ends *drawn, bool with_means,
                                int threads, kanon_error *err)
{
    enum { WORTH_A_THREAD = 10000 };
    kanon_status st = kanon__extents_begin(out, data, group_of, n_groups, recode_map, drawn, with_means, err);
    if (st == KANON_OK)
        st = kanon__pool_run(data->n_rows < WORTH_A_THREAD ? 1 : threads, data->n_quasi, measure, *out, err);
    if (st != KANON_OK) {
        kanon__extents_free(*out);
        *out = NULL;
    }
    return st;
}

void kanon__extents_free(kanon__extents *x)
{
    if (x == NULL)
        return;
    for (int i = 0; x->sums != NULL && i < x->data->n_quasi; i++)
        kanon__extents_drop(x, i);
    kanon__free(x->sums);
    kanon__free(x->cells);
    kanon__free(x);
}

kanon__cell_kind kanon__extents_kind(const kanon__extents *x, int i, int64_t group)
{
    const kanon__column *c = kanon__extents_column(x, i);
    const kanon__extent *e = &x->cells[i][group];
    if (!kanon__column_is_numeric(c))
        return e->lo == e->hi && e->lo == c->domain->missing_code ? KANON__CELL_MISSING : KANON__CELL_NODE;
    if (!e->has_number)
        return KANON__CELL_MISSING;
    if (c->domain->bands != NULL && c->domain->bands[e->lo].open_below && c->domain->bands[e->hi].open_above)
        return KANON__CELL_ANY;
    return e->has_missing ? KANON__CELL_ANY : KANON__CELL_RANGE;
}

bool kanon__extents_bands(kanon__band out[2], const kanon__extents *x, int i, int64_t group)
{
    const kanon__band *bands = kanon__extents_column(x, i)->domain->bands;
    const int64_t *ends = kanon__drawn_ends_of(x->drawn, i, group);
    if (bands != NULL) {
        out[0] = bands[x->cells[i][group].lo];
        out[1] = bands[x->cells[i][group].hi];
    } else if (ends != NULL) {
        out[0] = (kanon__band){.low = ends[0], .first = ends[0]};
        out[1] = (kanon__band){.high = ends[1], .last = ends[1]};
    }
    return bands != NULL || ends != NULL;
}

int32_t kanon__extents_node(const kanon__extents *x, int i, int64_t group)
{
    const kanon__extent *e = &x->cells[i][group];
    return kanon__taxonomy_lca(kanon__extents_column(x, i)->domain->taxonomy, (int32_t)e->lo, (int32_t)e->hi);
}

/* Of a number times 10^scale, rounded down: seconds without their fractions. */
static int64_t whole_part(int64_t scaled, int scale)
{
    for (; scale > 0; scale--)
        scaled = scaled / 10 - (scaled % 10 < 0);
    return scaled;
}

static size_t print_double(char out[KANON__NUMBER_TEXT], const kanon__domain *domain, double value)
{
    size_t length = kanon__format_double(out, value);
    kanon__value_localise(out, length, &domain->format);
    return length;
}

size_t kanon__extents_mean(char out[KANON__NUMBER_TEXT], const kanon__extents *x, int i, int64_t group)
{
    const kanon__domain *domain = kanon__extents_column(x, i)->domain;
    const kanon__mean_sum *s = &x->sums[i][group];
    int digits = domain->type == KANON_TYPE_DATE ? 0 : 2;
    if (domain->scaled == NULL || domain->scale + digits > 18)
        return print_double(out, domain, (double)(s->float_sum / (long double)s->n));
    __int128 sum = s->sum * (digits == 2 ? 100 : 1), n = s->n;
    __int128 doubled = 2 * sum + n, mean = doubled / (2 * n);
    if (doubled % (2 * n) != 0 && doubled < 0)
        mean--; /* division rounds towards zero, the mean is to be rounded down */
    if (domain->type == KANON_TYPE_DATE)
        return kanon__value_print_date(out, &domain->format, whole_part((int64_t)mean, domain->scale));
    if (mean > INT64_MAX || mean < INT64_MIN)
        return print_double(out, domain, (double)(s->float_sum / (long double)s->n));
    int64_t mantissa = (int64_t)mean;
    int scale = domain->scale + digits;
    while (scale > 0 && mantissa % 10 == 0) {
        mantissa /= 10;
        scale--;
    }
    size_t length = kanon__format_scaled(out, mantissa, scale);
    kanon__value_localise(out, length, &domain->format);
    return length;
}
