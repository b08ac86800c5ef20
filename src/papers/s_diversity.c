/* S-diversity in whole numbers: numerators of groups, and how they change when a record joins.
 *
 * Joining adds 2 * affinity + full to the numerator (s_diversity.h). A group that grows within a set keeps the affinity
 * of every distinct value of the set; a group that stands alone keeps its own distinct values and sums up on demand. */
#include "papers/s_diversity.h"

#include "core/alloc.h"
#include "table/value/number.h"

#include <stdlib.h>
#include <string.h>

/* The largest distance that counts, floor(r * full): exact, because r is a decimal number. */
static uint32_t limit_of(uint32_t full, const char *r)
{
    kanon__decimal number = {0};
    int64_t power = 1;
    kanon__parse_decimal(&number, r, strlen(r));
    if (!number.exact)
        return (uint32_t)(number.value * full);
    for (int i = 0; i < number.scale; i++)
        power *= 10;
    return (uint32_t)((__int128)number.mantissa * full / power);
}

kanon_status kanon__s_diversity_new(kanon__s_diversity **out, const kanon__data *table, const char *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__s_diversity *s = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "sensitive attributes", err), out);
    KANON_TRY(kanon__space_new(&s->space, table, table->sensitive, table->n_sensitive, KANON__TERMS_S_DIVERSITY, err), out);
    KANON_TRY(kanon__new_array(&s->limits, table->n_sensitive, "sensitive attributes", err), out);
    for (int i = 0; i < s->space->n_dimensions; i++) {
        s->limits[i] = limit_of(s->space->dimensions[i].full, r);
        s->full += s->space->dimensions[i].full;
    }
    *out = s;
    s = NULL;
out:
    kanon__s_diversity_free(s);
    return st;
}

void kanon__s_diversity_free(kanon__s_diversity *s)
{
    if (s == NULL)
        return;
    kanon__free(s->limits);
    kanon__space_free(s->space);
    kanon__free(s);
}

/* ---- one growing group ------------------------------------------------------------------------------------------- */

static int by_code(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

static uint32_t find_code(const uint32_t *codes, uint32_t n, uint32_t code)
{
    const uint32_t *found = bsearch(&code, codes, n, sizeof *codes, by_code);
    return (uint32_t)(found - codes);
}

kanon_status kanon__s_diversity_growth_new(kanon__s_diversity_growth **out, const kanon__s_diversity *measure,
                                           const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__s_diversity_growth *g = NULL;
    int m = measure->space->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&g, 1, "sensitive values", err), out);
    g->measure = measure;
    g->n_items = rows != NULL ? n : measure->space->n_rows;
    KANON_TRY(kanon__new_array(&g->entry, g->n_items * m, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&g->first, m + 1, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&g->codes, g->n_items * m, "sensitive values", err), out);
    for (int i = 0; i < m; i++) {
        const kanon__dimension *d = &measure->space->dimensions[i];
        uint32_t *codes = g->codes + g->first[i], n_distinct = 0;
        for (int64_t item = 0; item < g->n_items; item++)
            codes[item] = kanon__code_at(d->codes, rows != NULL ? rows[item] : item);
        qsort(codes, (size_t)g->n_items, sizeof *codes, by_code);
        for (int64_t item = 0; item < g->n_items; item++)
            if (n_distinct == 0 || codes[n_distinct - 1] != codes[item])
                codes[n_distinct++] = codes[item];
        g->first[i + 1] = g->first[i] + n_distinct;
        for (int64_t item = 0; item < g->n_items; item++)
            g->entry[item * m + i] = g->first[i] + find_code(codes, n_distinct,
                                                             kanon__code_at(d->codes, rows != NULL ? rows[item] : item));
    }
    KANON_TRY(kanon__new_array(&g->affinities, g->first[m], "sensitive values", err), out);
    *out = g;
    g = NULL;
out:
    kanon__s_diversity_growth_free(g);
    return st;
}

void kanon__s_diversity_growth_free(kanon__s_diversity_growth *g)
{
    if (g == NULL)
        return;
    kanon__free(g->affinities);
    kanon__free(g->codes);
    kanon__free(g->first);
    kanon__free(g->entry);
    kanon__free(g);
}

void kanon__s_diversity_growth_reset(kanon__s_diversity_growth *g)
{
    memset(g->affinities, 0, g->first[g->measure->space->n_dimensions] * sizeof *g->affinities);
    g->numerator = 0;
    g->size = 0;
}

void kanon__s_diversity_growth_add(kanon__s_diversity_growth *g, int64_t item)
{
    int m = g->measure->space->n_dimensions;
    g->numerator = kanon__s_diversity_growth_with(g, item);
    g->size++;
    for (int i = 0; i < m; i++) {
        uint32_t own = g->codes[g->entry[item * m + i]];
        for (uint32_t entry = g->first[i]; entry < g->first[i + 1]; entry++)
            g->affinities[entry] += kanon__s_diversity_contribution(g->measure, i, g->codes[entry], own);
    }
}

/* ---- a group that stands alone ----------------------------------------------------------------------------------- */

kanon_status kanon__s_diversity_group_init(kanon__s_diversity_group *out, const kanon__s_diversity *measure,
                                           kanon_error *err)
{
    *out = (kanon__s_diversity_group){.measure = measure};
    return kanon__new_array(&out->values, measure->space->n_dimensions, "sensitive values", err);
}

void kanon__s_diversity_group_clear(kanon__s_diversity_group *g)
{
    for (int i = 0; g->values != NULL && i < g->measure->space->n_dimensions; i++) {
        kanon__free(g->values[i].coordinates_before);
        kanon__free(g->values[i].count_before);
        kanon__free(g->values[i].counts);
        kanon__free(g->values[i].codes);
    }
    kanon__free(g->values);
    *g = (kanon__s_diversity_group){0};
}

/* The first value whose code is not below `code`. */
static int64_t code_bound(const kanon__s_diversity_values *v, uint32_t code)
{
    int64_t low = 0, high = v->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if (v->codes[middle] < code)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first value whose coordinate is not below `coordinate`; missing values come last and lie beyond all others. */
static int64_t coordinate_bound(const kanon__s_diversity_values *v, const kanon__dimension *d, int64_t coordinate)
{
    int64_t low = 0, high = v->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((int64_t)d->coordinates[v->codes[middle]] < coordinate)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Members before value number `at`; and the sum of their coordinates. */
static int64_t count_until(const kanon__s_diversity_values *v, int64_t at)
{
    return at < v->n ? v->count_before[at] : v->n > 0 ? v->count_before[v->n - 1] + v->counts[v->n - 1] : 0;
}

static int64_t coordinates_until(const kanon__s_diversity_values *v, const kanon__dimension *d, int64_t at)
{
    if (at < v->n || v->n == 0)
        return v->n > 0 ? v->coordinates_before[at] : 0;
    return v->coordinates_before[v->n - 1] + v->counts[v->n - 1] * d->coordinates[v->codes[v->n - 1]];
}

/* The affinity of a number: with x its coordinate and pc = full - |x - y|, the members below and above it within the limit
 * sum up to n_below (full - x) + sum of y  and  n_above (full + x) - sum of y. */
static uint64_t numeric_affinity(const kanon__s_diversity_values *v, const kanon__dimension *d, uint32_t limit,
                                 uint32_t code)
{
    int64_t own = d->coordinates[code], full = d->full;
    int64_t begin = coordinate_bound(v, d, own - limit), end = coordinate_bound(v, d, own + (int64_t)limit + 1);
    int64_t middle = coordinate_bound(v, d, own);
    /* a missing value is at full distance, where nothing is contributed */
    if (d->column->domain->missing_code != KANON__NO_CODE)
        end = end < code_bound(v, d->column->domain->missing_code) ? end : code_bound(v, d->column->domain->missing_code);
    int64_t n_below = count_until(v, middle) - count_until(v, begin), n_above = count_until(v, end) - count_until(v, middle);
    int64_t below = coordinates_until(v, d, middle) - coordinates_until(v, d, begin);
    int64_t above = coordinates_until(v, d, end) - coordinates_until(v, d, middle);
    return (uint64_t)(n_below * (full - own) + below + n_above * (full + own) - above);
}

static uint64_t affinity(const kanon__s_diversity_group *g, int i, uint32_t code)
{
    const kanon__s_diversity_values *v = &g->values[i];
    const kanon__dimension *d = &g->measure->space->dimensions[i];
    uint64_t sum = 0;
    if (d->coordinates != NULL && code != d->column->domain->missing_code)
        return numeric_affinity(v, d, g->measure->limits[i], code);
    for (int64_t at = 0; at < v->n; at++)
        sum += (uint64_t)v->counts[at] * kanon__s_diversity_contribution(g->measure, i, v->codes[at], code);
    return sum;
}

unsigned __int128 kanon__s_diversity_group_with(const kanon__s_diversity_group *g, int64_t row)
{
    const kanon__space *space = g->measure->space;
    uint64_t sum = 0;
    for (int i = 0; i < space->n_dimensions; i++)
        sum += affinity(g, i, kanon__code_at(space->dimensions[i].codes, row));
    return g->numerator + 2 * (unsigned __int128)sum + (uint64_t)g->measure->full;
}

static kanon_status make_room(kanon__s_diversity_values *v, int64_t needed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t capacity = 0;
    if (needed <= v->capacity)
        return KANON_OK;
    needed = needed < 4 ? 4 : needed + needed / 2;
    KANON_TRY(kanon__grow_array(&v->codes, &(int64_t){v->capacity}, needed, "sensitive values", err), out);
    KANON_TRY(kanon__grow_array(&v->counts, &(int64_t){v->capacity}, needed, "sensitive values", err), out);
    KANON_TRY(kanon__grow_array(&v->count_before, &(int64_t){v->capacity}, needed, "sensitive values", err), out);
    capacity = v->capacity;
    KANON_TRY(kanon__grow_array(&v->coordinates_before, &capacity, needed, "sensitive values", err), out);
    v->capacity = needed;
out:
    return st;
}

/* From value number `from` on. */
static void set_prefix_sums(kanon__s_diversity_values *v, const kanon__dimension *d, int64_t from)
{
    for (int64_t i = from; i < v->n; i++) {
        bool missing = i > 0 && v->codes[i - 1] == d->column->domain->missing_code;
        int64_t coordinate = i > 0 && !missing ? (int64_t)d->coordinates[v->codes[i - 1]] : 0;
        v->count_before[i] = i > 0 ? v->count_before[i - 1] + v->counts[i - 1] : 0;
        v->coordinates_before[i] = i > 0 ? v->coordinates_before[i - 1] + v->counts[i - 1] * coordinate : 0;
    }
}

static kanon_status add_value(kanon__s_diversity_values *v, const kanon__dimension *d, uint32_t code, kanon_error *err)
{
    int64_t at = code_bound(v, code);
    if (at == v->n || v->codes[at] != code) {
        kanon_status st = make_room(v, v->n + 1, err);
        if (st != KANON_OK)
            return st;
        memmove(v->codes + at + 1, v->codes + at, (size_t)(v->n - at) * sizeof *v->codes);
        memmove(v->counts + at + 1, v->counts + at, (size_t)(v->n - at) * sizeof *v->counts);
        v->codes[at] = code;
        v->counts[at] = 0;
        v->n++;
    }
    v->counts[at]++;
    if (d->coordinates != NULL)
        set_prefix_sums(v, d, at);
    return KANON_OK;
}

kanon_status kanon__s_diversity_group_add(kanon__s_diversity_group *g, int64_t row, kanon_error *err)
{
    const kanon__space *space = g->measure->space;
    unsigned __int128 numerator = kanon__s_diversity_group_with(g, row);
    for (int i = 0; i < space->n_dimensions; i++) {
        kanon_status st = add_value(&g->values[i], &space->dimensions[i], kanon__code_at(space->dimensions[i].codes, row),
                                    err);
        if (st != KANON_OK)
            return st;
    }
    g->numerator = numerator;
    g->size++;
    return KANON_OK;
}

/* The distinct values of the rows and how often each occurs. */
static kanon_status count_values(kanon__s_diversity_values *v, const kanon__dimension *d, const int32_t *rows, int64_t n,
                                 uint32_t *scratch, kanon_error *err)
{
    for (int64_t i = 0; i < n; i++)
        scratch[i] = kanon__code_at(d->codes, rows[i]);
    qsort(scratch, (size_t)n, sizeof *scratch, by_code);
    v->n = 0;
    for (int64_t i = 0; i < n; i++) {
        if (v->n > 0 && v->codes[v->n - 1] == scratch[i]) {
            v->counts[v->n - 1]++;
            continue;
        }
        kanon_status st = make_room(v, v->n + 1, err);
        if (st != KANON_OK)
            return st;
        v->codes[v->n] = scratch[i];
        v->counts[v->n++] = 1;
    }
    if (d->coordinates != NULL)
        set_prefix_sums(v, d, 0);
    return KANON_OK;
}

kanon_status kanon__s_diversity_group_fill(kanon__s_diversity_group *g, const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *scratch = NULL;
    KANON_TRY(kanon__new_array(&scratch, n, "sensitive values", err), out);
    g->numerator = 0;
    g->size = n;
    for (int i = 0; i < g->measure->space->n_dimensions; i++) {
        kanon__s_diversity_values *v = &g->values[i];
        KANON_TRY(count_values(v, &g->measure->space->dimensions[i], rows, n, scratch, err), out);
        for (int64_t at = 0; at < v->n; at++)
            g->numerator += (unsigned __int128)affinity(g, i, v->codes[at]) * (uint64_t)v->counts[at];
    }
out:
    kanon__free(scratch);
    return st;
}
