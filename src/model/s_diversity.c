#include "model/s_diversity.h"

#include "core/alloc.h"
#include "table/number.h"

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

kanon_status kanon__secrets_new(kanon__secrets **out, const kanon__data *table, const char *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__secrets *s = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "sensitive attributes", err), out);
    KANON_TRY(kanon__space_new(&s->space, table, table->sensitive, table->n_sensitive, KANON__TERMS_SECRETS, err), out);
    KANON_TRY(kanon__new_array(&s->limits, table->n_sensitive, "sensitive attributes", err), out);
    for (int i = 0; i < s->space->n_dimensions; i++) {
        s->limits[i] = limit_of(s->space->dimensions[i].full, r);
        s->full += s->space->dimensions[i].full;
    }
    *out = s;
    s = NULL;
out:
    kanon__secrets_free(s);
    return st;
}

void kanon__secrets_free(kanon__secrets *s)
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

kanon_status kanon__secrets_growth_new(kanon__secrets_growth **out, const kanon__secrets *secrets, const int32_t *rows,
                                       int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__secrets_growth *g = NULL;
    int m = secrets->space->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&g, 1, "sensitive values", err), out);
    g->secrets = secrets;
    g->n_items = rows != NULL ? n : secrets->space->n_rows;
    KANON_TRY(kanon__new_array(&g->entry, g->n_items * m, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&g->first, m + 1, "sensitive values", err), out);
    KANON_TRY(kanon__new_array(&g->codes, g->n_items * m, "sensitive values", err), out);
    for (int i = 0; i < m; i++) {
        const kanon__dimension *d = &secrets->space->dimensions[i];
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
    KANON_TRY(kanon__new_array(&g->pulls, g->first[m], "sensitive values", err), out);
    *out = g;
    g = NULL;
out:
    kanon__secrets_growth_free(g);
    return st;
}

void kanon__secrets_growth_free(kanon__secrets_growth *g)
{
    if (g == NULL)
        return;
    kanon__free(g->pulls);
    kanon__free(g->codes);
    kanon__free(g->first);
    kanon__free(g->entry);
    kanon__free(g);
}

void kanon__secrets_growth_reset(kanon__secrets_growth *g)
{
    memset(g->pulls, 0, g->first[g->secrets->space->n_dimensions] * sizeof *g->pulls);
    g->numerator = 0;
    g->size = 0;
}

void kanon__secrets_growth_add(kanon__secrets_growth *g, int64_t item)
{
    int m = g->secrets->space->n_dimensions;
    g->numerator = kanon__secrets_growth_with(g, item);
    g->size++;
    for (int i = 0; i < m; i++) {
        uint32_t own = g->codes[g->entry[item * m + i]];
        for (uint32_t entry = g->first[i]; entry < g->first[i + 1]; entry++)
            g->pulls[entry] += kanon__secrets_contribution(g->secrets, i, g->codes[entry], own);
    }
}

/* ---- a group that stands alone ----------------------------------------------------------------------------------- */

kanon_status kanon__secrets_group_init(kanon__secrets_group *out, const kanon__secrets *secrets, kanon_error *err)
{
    *out = (kanon__secrets_group){.secrets = secrets};
    return kanon__new_array(&out->values, secrets->space->n_dimensions, "sensitive values", err);
}

void kanon__secrets_group_clear(kanon__secrets_group *g)
{
    for (int i = 0; g->values != NULL && i < g->secrets->space->n_dimensions; i++) {
        kanon__free(g->values[i].position_before);
        kanon__free(g->values[i].count_before);
        kanon__free(g->values[i].counts);
        kanon__free(g->values[i].codes);
    }
    kanon__free(g->values);
    *g = (kanon__secrets_group){0};
}

/* The first place whose code is not below `code`. */
static int64_t lower_bound(const kanon__secrets_values *v, uint32_t code)
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

/* The first place whose position is not below `position`; missing values, which come last, lie beyond every position. */
static int64_t position_bound(const kanon__secrets_values *v, const kanon__dimension *d, int64_t position)
{
    int64_t low = 0, high = v->n;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((int64_t)d->position[v->codes[middle]] < position)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static int64_t count_until(const kanon__secrets_values *v, int64_t place)
{
    return place < v->n ? v->count_before[place] : v->n > 0 ? v->count_before[v->n - 1] + v->counts[v->n - 1] : 0;
}

static int64_t positions_until(const kanon__secrets_values *v, const kanon__dimension *d, int64_t place)
{
    if (place < v->n || v->n == 0)
        return v->n > 0 ? v->position_before[place] : 0;
    return v->position_before[v->n - 1] + v->counts[v->n - 1] * d->position[v->codes[v->n - 1]];
}

/* Sum over the members of pc with a number: what lies below the value and what lies above it, each within the window. */
static uint64_t numeric_pull(const kanon__secrets_values *v, const kanon__dimension *d, uint32_t limit, uint32_t code)
{
    int64_t own = d->position[code], full = d->full;
    int64_t begin = position_bound(v, d, own - limit), end = position_bound(v, d, own + (int64_t)limit + 1);
    int64_t middle = position_bound(v, d, own);
    if (d->column->domain->missing_code != KANON__NO_CODE) /* a missing value is at full distance, where nothing is contributed */
        end = end < lower_bound(v, d->column->domain->missing_code) ? end : lower_bound(v, d->column->domain->missing_code);
    int64_t n_below = count_until(v, middle) - count_until(v, begin), n_above = count_until(v, end) - count_until(v, middle);
    int64_t below = positions_until(v, d, middle) - positions_until(v, d, begin);
    int64_t above = positions_until(v, d, end) - positions_until(v, d, middle);
    return (uint64_t)(n_below * (full - own) + below + n_above * (full + own) - above);
}

static uint64_t pull(const kanon__secrets_group *g, int i, uint32_t code)
{
    const kanon__secrets_values *v = &g->values[i];
    const kanon__dimension *d = &g->secrets->space->dimensions[i];
    uint64_t sum = 0;
    if (d->position != NULL && code != d->column->domain->missing_code)
        return numeric_pull(v, d, g->secrets->limits[i], code);
    for (int64_t place = 0; place < v->n; place++)
        sum += (uint64_t)v->counts[place] * kanon__secrets_contribution(g->secrets, i, v->codes[place], code);
    return sum;
}

unsigned __int128 kanon__secrets_group_with(const kanon__secrets_group *g, int64_t row)
{
    const kanon__space *space = g->secrets->space;
    uint64_t sum = 0;
    for (int i = 0; i < space->n_dimensions; i++)
        sum += pull(g, i, kanon__code_at(space->dimensions[i].codes, row));
    return g->numerator + 2 * (unsigned __int128)sum + (uint64_t)g->secrets->full;
}

static kanon_status make_room(kanon__secrets_values *v, int64_t needed, kanon_error *err)
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
    KANON_TRY(kanon__grow_array(&v->position_before, &capacity, needed, "sensitive values", err), out);
    v->capacity = needed;
out:
    return st;
}

static void set_prefix_sums(kanon__secrets_values *v, const kanon__dimension *d, int64_t from)
{
    for (int64_t i = from; i < v->n; i++) {
        bool missing = i > 0 && v->codes[i - 1] == d->column->domain->missing_code;
        int64_t position = i > 0 && !missing ? (int64_t)d->position[v->codes[i - 1]] : 0;
        v->count_before[i] = i > 0 ? v->count_before[i - 1] + v->counts[i - 1] : 0;
        v->position_before[i] = i > 0 ? v->position_before[i - 1] + v->counts[i - 1] * position : 0;
    }
}

static kanon_status add_value(kanon__secrets_values *v, const kanon__dimension *d, uint32_t code, kanon_error *err)
{
    int64_t place = lower_bound(v, code);
    if (place == v->n || v->codes[place] != code) {
        kanon_status st = make_room(v, v->n + 1, err);
        if (st != KANON_OK)
            return st;
        memmove(v->codes + place + 1, v->codes + place, (size_t)(v->n - place) * sizeof *v->codes);
        memmove(v->counts + place + 1, v->counts + place, (size_t)(v->n - place) * sizeof *v->counts);
        v->codes[place] = code;
        v->counts[place] = 0;
        v->n++;
    }
    v->counts[place]++;
    if (d->position != NULL)
        set_prefix_sums(v, d, place);
    return KANON_OK;
}

kanon_status kanon__secrets_group_add(kanon__secrets_group *g, int64_t row, kanon_error *err)
{
    const kanon__space *space = g->secrets->space;
    unsigned __int128 numerator = kanon__secrets_group_with(g, row);
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
static kanon_status count_values(kanon__secrets_values *v, const kanon__dimension *d, const int32_t *rows, int64_t n,
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
    if (d->position != NULL)
        set_prefix_sums(v, d, 0);
    return KANON_OK;
}

kanon_status kanon__secrets_group_fill(kanon__secrets_group *g, const int32_t *rows, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *scratch = NULL;
    KANON_TRY(kanon__new_array(&scratch, n, "sensitive values", err), out);
    g->numerator = 0;
    g->size = n;
    for (int i = 0; i < g->secrets->space->n_dimensions; i++) {
        kanon__secrets_values *v = &g->values[i];
        KANON_TRY(count_values(v, &g->secrets->space->dimensions[i], rows, n, scratch, err), out);
        for (int64_t place = 0; place < v->n; place++)
            g->numerator += (unsigned __int128)pull(g, i, v->codes[place]) * (uint64_t)v->counts[place];
    }
out:
    kanon__free(scratch);
    return st;
}
