/* Query error: how far off the answers of random COUNT queries are when they are asked of the release (Loukides 4.1).
 *
 * A query is a conjunction of predicates on m quasi attributes, each of which covers the fraction selectivity^(1/m) of its
 * attribute's domain: a range of a numeric one, a set of adjacent leaves of a categorical one. The answer is
 * estimated as if the values of a record were spread evenly over the region that the release gives for them.
 *
 * Every attribute is a line on which values, regions and predicates have a begin and an end. Integers and dates count as
 * whole units, leaves likewise in the order of the taxonomy; decimals count as lengths, and a single one of them is a
 * point:
 *
 *     leaves       a     b     c     d            decimals    1.5              4.0
 *                  |-----|-----|-----|-----|                  |----------------|
 *     positions    0     1     2     3     4                  1.5              4.0
 *
 * Of a value in a band (table/value/bands.h) only the band is known here: it counts as the middle of its band.
 *
 * A missing value lies nowhere on the line: it satisfies no predicate. A record in a group of missing and present numbers
 * is released as *, the whole line, and so is a suppressed record. The leaf of the missing values takes no place on the
 * line.
 *
 * Cost of a query: a few bits per record for the true answer (row_index.h), m products per group for the estimate.
 * Called through evaluate.c; calls row_index.h, core/pool.h. */
#include "measures/measure.h"
#include "measures/row_index.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "core/random.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { QUERIES_PER_TASK = 64, DRAWN_ATTRIBUTES = 3, LONGEST_PRESET = 5 };
/* Query i has the random numbers of stream query_stream + i. */
static const uint64_t query_stream = (uint64_t)0x7175657279 << 20;

/* A stretch of an attribute's line; `begin` above `end`: nothing at all. */
typedef struct stretch {
    double begin, end;
} stretch;

static const stretch nothing = {1, 0};

/* A quasi attribute as its line. */
typedef struct line {
    const kanon__column *column;
    bool lengths;      /* decimals; a point has no length and still is something */
    stretch whole;     /* the domain */
    uint32_t n_values; /* codes that may have a value */
    kanon__row_index rows;
    stretch *regions; /* the different ones of the groups */
    uint32_t n_regions;
    uint32_t *region_of; /* by group */
} line;

typedef struct workload {
    const kanon__subject *subject;
    line *lines; /* by quasi attribute */
    int n_lines;
    int *chosen; /* quasi attributes of every query; NULL: each query draws its own */
    int m;
    double selectivity;
    int64_t count;
    uint64_t seed;
    uint32_t most_regions;
    int64_t n_words; /* of a set of rows */
    double *errors;  /* by query; negative: its true answer is 0 */
    kanon__shared_ticker shared;
} workload;

/* ---- the line ---------------------------------------------------------------------------------------------------- */

static double position(const line *l, uint32_t code)
{
    const kanon__column *c = l->column;
    if (!kanon__column_is_numeric(c))
        return code > c->domain->missing_code ? code - 1.0 : code;
    if (c->domain->bands != NULL) {
        double middle = kanon__domain_middle(c->domain, code);
        return l->lengths ? middle : floor(middle) - c->domain->values[0];
    }
    return l->lengths ? c->domain->values[code] : (double)(c->domain->scaled[code] - c->domain->scaled[0]);
}

/* The bands from code `lo` to code `hi`. Whole numbers fill the band up to its high end; where it is open, that is the
 * largest value itself. */
static stretch stretch_of_bands(const line *l, uint32_t lo, uint32_t hi)
{
    const kanon__domain *domain = l->column->domain;
    double base = l->lengths ? 0 : domain->values[0],
           unit = domain->bands[hi].high == domain->bands[hi].last || domain->bands[hi].open_above ? !l->lengths : 0;
    return (stretch){domain->values[lo] - base, kanon__domain_high(domain, hi) - base + unit};
}

/* From code `lo` to code `hi`, both included. */
static stretch stretch_of(const line *l, uint32_t lo, uint32_t hi)
{
    double unit = l->lengths || hi == l->column->domain->missing_code ? 0 : 1;
    if (l->column->domain->bands != NULL && hi != l->column->domain->missing_code)
        return stretch_of_bands(l, lo, hi);
    stretch s = {position(l, lo), position(l, hi) + unit};
    return s.begin == s.end && !l->lengths ? nothing : s;
}

/* Whole units are counted in doubles, which hold them exactly up to 2^53. */
static bool counts_lengths(const kanon__column *c, uint32_t n_values)
{
    const int64_t most_units = (int64_t)1 << 53;
    if (!kanon__column_is_numeric(c))
        return false;
    return c->domain->type == KANON_TYPE_DECIMAL || c->domain->scaled == NULL ||
           (n_values > 0 && c->domain->scaled[n_values - 1] - c->domain->scaled[0] >= most_units);
}

static double share(const line *l, stretch region, stretch predicate)
{
    double begin = region.begin > predicate.begin ? region.begin : predicate.begin;
    double end = region.end < predicate.end ? region.end : predicate.end;
    if (region.begin == region.end)
        return l->lengths && begin <= end;
    return end > begin ? (end - begin) / (region.end - region.begin) : 0;
}

/* The codes of the released region of a group. */
static void released_codes(const line *l, const uint32_t extent[2], uint32_t codes[2])
{
    const kanon__column *c = l->column;
    codes[0] = extent[0];
    codes[1] = extent[1];
    if (!kanon__column_is_numeric(c)) {
        int32_t node = kanon__taxonomy_lca(c->domain->taxonomy, (int32_t)codes[0], (int32_t)codes[1]);
        codes[0] = (uint32_t)c->domain->taxonomy->first_leaf[node];
        codes[1] = (uint32_t)c->domain->taxonomy->last_leaf[node];
    } else if (codes[0] != codes[1] && codes[1] == c->domain->missing_code) {
        codes[0] = 0;
        codes[1] = l->n_values - 1;
    }
}

/* Many groups have the same region: what a query asks of it is asked once. */
static kanon_status find_regions(line *l, const kanon__subject *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary pairs = {0};
    uint32_t *extents = NULL;
    KANON_TRY(kanon__grouping_extents(&extents, s->grouping, l->column, err), out);
    KANON_TRY(kanon__dictionary_init(&pairs, err), out);
    KANON_TRY(kanon__new_array(&l->region_of, s->grouping->n_groups, "regions", err), out);
    for (int64_t group = 0; group < s->grouping->n_groups; group++) {
        uint32_t codes[2];
        released_codes(l, extents + 2 * group, codes);
        KANON_TRY(kanon__dictionary_add(&pairs, &l->region_of[group], (const char *)codes, sizeof codes, err), out);
    }
    KANON_TRY(kanon__new_array(&l->regions, pairs.n, "regions", err), out);
    l->n_regions = pairs.n;
    for (uint32_t region = 0; region < pairs.n; region++) {
        uint32_t codes[2];
        size_t length;
        memcpy(codes, kanon__dictionary_text(&pairs, region, &length), sizeof codes);
        l->regions[region] = codes[0] < l->n_values ? stretch_of(l, codes[0], codes[1]) : nothing;
    }
out:
    kanon__dictionary_clear(&pairs);
    kanon__free(extents);
    return st;
}

static kanon_status set_up_line(line *l, const kanon__subject *s, int i, kanon_error *err)
{
    const kanon__column *c = kanon__subject_quasi(s, i);
    l->column = c;
    l->n_values = c->domain->n_codes - (kanon__column_is_numeric(c) && c->domain->missing_code != KANON__NO_CODE);
    l->lengths = counts_lengths(c, l->n_values);
    l->whole = l->n_values > 0 ? stretch_of(l, 0, l->n_values - 1) : nothing;
    kanon_status st = find_regions(l, s, err);
    return st == KANON_OK ? kanon__row_index_init(&l->rows, c, s->table->n_rows, err) : st;
}

/* ---- one query --------------------------------------------------------------------------------------------------- */

/* What a task needs for its queries. */
typedef struct query_buffers {
    uint64_t *hits, *set; /* rows */
    double *shares;       /* by region of one attribute */
    double *products;     /* by group */
    stretch *predicates;
    int32_t *attributes, *scratch;
} query_buffers;

static stretch draw_predicate(const line *l, double fraction, kanon__random *random)
{
    stretch whole = l->whole;
    double size = whole.end - whole.begin, width = fraction * size;
    if (whole.begin > whole.end)
        return nothing;
    if (l->lengths) {
        if (width >= size)
            return whole;
        double begin = whole.begin + kanon__random_unit(random) * (size - width);
        return (stretch){begin, begin + width};
    }
    width = floor(width + 0.5);
    width = width < 1 ? 1 : width > size ? size : width;
    double begin = (double)kanon__random_below(random, (int64_t)(size - width) + 1);
    return (stretch){begin, begin + width};
}

static void draw_query(const workload *w, query_buffers *d, int64_t query)
{
    kanon__random random;
    kanon__random_init(&random, w->seed, query_stream + (uint64_t)query);
    double fraction = pow(w->selectivity, 1.0 / w->m);
    if (w->chosen == NULL)
        kanon__random_sample(&random, d->attributes, w->m, d->scratch, w->n_lines);
    for (int j = 0; j < w->m; j++) {
        if (w->chosen != NULL)
            d->attributes[j] = w->chosen[j];
        d->predicates[j] = draw_predicate(&w->lines[d->attributes[j]], fraction, &random);
    }
}

/* The first code that lies at `at` or behind it; with `behind`, behind it only. */
static uint32_t first_code(const line *l, double at, bool behind)
{
    uint32_t lo = 0, hi = l->n_values;
    while (lo < hi) {
        uint32_t middle = lo + (hi - lo) / 2;
        double here = position(l, middle);
        if (here < at || (behind && here == at))
            lo = middle + 1;
        else
            hi = middle;
    }
    return lo;
}

static int64_t true_answer(const workload *w, query_buffers *d)
{
    int64_t n = 0;
    for (int j = 0; j < w->m; j++) {
        const line *l = &w->lines[d->attributes[j]];
        stretch p = d->predicates[j];
        if (p.begin > p.end)
            return 0;
        int64_t begin = kanon__row_index_before(&l->rows, first_code(l, p.begin, false));
        int64_t end = kanon__row_index_before(&l->rows, first_code(l, p.end, l->lengths));
        kanon__row_index_slice(&l->rows, j == 0 ? d->hits : d->set, begin, end);
        for (int64_t word = 0; j > 0 && word < w->n_words; word++)
            d->hits[word] &= d->set[word];
    }
    for (int64_t word = 0; word < w->n_words; word++)
        n += __builtin_popcountll(d->hits[word]);
    return n;
}

/* The products are made attribute by attribute, without a branch: most of them end in 0, but nobody can foresee which. */
static double estimate(const workload *w, query_buffers *d)
{
    const kanon_grouping *g = w->subject->grouping;
    double sum = (double)g->n_suppressed;
    for (int64_t group = 0; group < g->n_groups; group++)
        d->products[group] = (double)g->sizes[group];
    for (int j = 0; j < w->m; j++) {
        const line *l = &w->lines[d->attributes[j]];
        sum *= share(l, l->whole, d->predicates[j]);
        for (uint32_t region = 0; region < l->n_regions; region++)
            d->shares[region] = share(l, l->regions[region], d->predicates[j]);
        for (int64_t group = 0; group < g->n_groups; group++)
            d->products[group] *= d->shares[l->region_of[group]];
    }
    for (int64_t group = 0; group < g->n_groups; group++)
        sum += d->products[group];
    return sum;
}

/* ---- all queries ------------------------------------------------------------------------------------------------- */

static void clear_buffers(query_buffers *d)
{
    kanon__free(d->scratch);
    kanon__free(d->attributes);
    kanon__free(d->predicates);
    kanon__free(d->products);
    kanon__free(d->shares);
    kanon__free(d->set);
    kanon__free(d->hits);
}

static kanon_status make_buffers(query_buffers *d, const workload *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&d->hits, w->n_words, "query answers", err), out);
    KANON_TRY(kanon__new_array(&d->set, w->n_words, "query answers", err), out);
    KANON_TRY(kanon__new_array(&d->shares, w->most_regions, "query answers", err), out);
    KANON_TRY(kanon__new_array(&d->products, w->subject->grouping->n_groups, "query answers", err), out);
    KANON_TRY(kanon__new_array(&d->predicates, w->m, "a query", err), out);
    KANON_TRY(kanon__new_array(&d->attributes, w->m, "a query", err), out);
    KANON_TRY(kanon__new_array(&d->scratch, w->n_lines, "a query", err), out);
out:
    return st;
}

static kanon_status ask_queries(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    workload *w = payload;
    query_buffers d = {0};
    kanon__ticker ticker;
    int64_t first = task * QUERIES_PER_TASK, end = first + QUERIES_PER_TASK < w->count ? first + QUERIES_PER_TASK : w->count;
    int64_t query_ns = w->m * (w->subject->table->n_rows / 16 + w->subject->grouping->n_groups);
    kanon__shared_ticker_task(&ticker, &w->shared);
    KANON_TRY(make_buffers(&d, w, err), out);
    for (int64_t query = first; query < end; query++) {
        draw_query(w, &d, query);
        double actual = (double)true_answer(w, &d);
        w->errors[query] = actual > 0 ? fabs(actual - estimate(w, &d)) / actual : -1;
        KANON_TRY(kanon__tick(&ticker, 0, 0, query_ns, err), out);
    }
    kanon__shared_ticker_add(&w->shared, end - first);
out:
    clear_buffers(&d);
    return st;
}

static kanon_status ask_all(workload *w, double *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&w->errors, w->count, "query errors", err), out);
    kanon__shared_ticker_init(&w->shared, w->subject->ticker, w->count);
    st = kanon__pool_run(w->subject->threads, (w->count + QUERIES_PER_TASK - 1) / QUERIES_PER_TASK, ask_queries, w, err);
    kanon__shared_ticker_clear(&w->shared);
    if (st != KANON_OK)
        goto out;
    int64_t n = 0;
    double sum = 0;
    for (int64_t query = 0; query < w->count; query++) /* in this order, whichever thread was first */
        if (w->errors[query] >= 0) {
            sum += w->errors[query];
            n++;
        }
    *out = n > 0 ? sum / (double)n : NAN;
out:
    return st;
}

/* ---- which attributes -------------------------------------------------------------------------------------------- */

static bool same_name(const char *name, const char *text, size_t length, bool any_case)
{
    if (strlen(name) != length)
        return false;
    for (size_t i = 0; i < length; i++) {
        char a = name[i], b = text[i];
        if (any_case) {
            a = a >= 'A' && a <= 'Z' ? (char)(a - 'A' + 'a') : a;
            b = b >= 'A' && b <= 'Z' ? (char)(b - 'A' + 'a') : b;
        }
        if (a != b)
            return false;
    }
    return true;
}

/* The number of that quasi attribute, -1 where there is none. */
static int find_quasi(const kanon__subject *s, const char *text, size_t length, bool any_case)
{
    for (int i = 0; i < s->table->n_quasi; i++)
        if (same_name(kanon__subject_quasi(s, i)->name, text, length, any_case))
            return i;
    return -1;
}

/* Every query asks for the attribute `text`, too. */
static kanon_status choose(workload *w, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = KANON_OK;
    while (length > 0 && text[length - 1] == ' ')
        length--;
    for (; length > 0 && *text == ' '; length--)
        text++;
    int i = find_quasi(w->subject, text, length, false);
    if (i < 0) {
        st = kanon__fail(err, KANON_EINVAL, "query-attributes: '%.*s' is no quasi attribute of the table",
                         (int)(length < 200 ? length : 200), text);
        return kanon__hint(err, st, "name quasi columns of the table with commas between them");
    }
    for (int j = 0; j < w->m; j++)
        if (w->chosen[j] == i)
            return kanon__fail(err, KANON_EINVAL, "query-attributes: '%s' is named twice",
                               kanon__subject_quasi(w->subject, i)->name);
    w->chosen[w->m++] = i;
    return st;
}

static kanon_status choose_listed(workload *w, const char *list, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *separator = strchr(list, ',') != NULL ? "," : "+"; /* columns with a plus in their names need the comma */
    for (const char *at = list;; at++) {
        size_t length = strcspn(at, separator);
        KANON_TRY(choose(w, at, length, err), out);
        at += length;
        if (*at == '\0')
            break;
    }
out:
    return st;
}

typedef struct preset {
    const char *name;
    double selectivity;
    int n;
    const char *attributes[LONGEST_PRESET];
} preset;

/* The two workloads of the paper. */
static const preset presets[] = {
    {"type1", 0.015, 3, {"age", "sex", "income"}},
    {"type2", 0.005, 5, {"age", "sex", "income", "race", "workclass"}},
};
enum { N_PRESETS = sizeof presets / sizeof presets[0], PRESET_COUNT = 10000, DEFAULT_COUNT = 1000 };
static const double default_selectivity = 0.015;

static int find_preset_attribute(const kanon__subject *s, const char *name)
{
    int i = find_quasi(s, name, strlen(name), true);
    return i < 0 && strcmp(name, "sex") == 0 ? find_quasi(s, "gender", strlen("gender"), true) : i;
}

static kanon_status choose_preset(workload *w, const preset *p, kanon_error *err)
{
    char lacking[128] = "";
    for (int j = 0; j < p->n; j++) {
        int i = find_preset_attribute(w->subject, p->attributes[j]);
        if (i >= 0)
            w->chosen[w->m++] = i;
        else
            snprintf(lacking + strlen(lacking), sizeof lacking - strlen(lacking), "%s%s", lacking[0] != '\0' ? ", " : "",
                     p->attributes[j]);
    }
    if (lacking[0] == '\0')
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "query-preset=%s: not among the quasi attributes: %s", p->name,
                                  lacking);
    return kanon__hint(err, st, "describe a workload of your own with query-attributes and query-selectivity");
}

static const preset *find_preset(const kanon__settings *settings)
{
    for (int i = 0; i < N_PRESETS; i++)
        if (kanon__setting_is(settings, "query-preset", presets[i].name))
            return &presets[i];
    return NULL;
}

/* What the user says wins over the preset, but both cannot name the attributes. */
static kanon_status read_settings(workload *w, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__settings *settings = w->subject->settings;
    const preset *p = find_preset(settings);
    const char *list = kanon__setting_text(settings, "query-attributes");
    w->selectivity = p != NULL ? p->selectivity : default_selectivity;
    w->count = p != NULL ? PRESET_COUNT : DEFAULT_COUNT;
    w->seed = (uint64_t)kanon__setting_integer(settings, "query-seed");
    if (kanon__setting_given(settings, "query-selectivity"))
        w->selectivity = kanon__setting_number(settings, "query-selectivity");
    if (kanon__setting_given(settings, "query-count"))
        w->count = kanon__setting_integer(settings, "query-count");
    if (p == NULL && list == NULL) {
        w->m = w->n_lines < DRAWN_ATTRIBUTES ? w->n_lines : DRAWN_ATTRIBUTES;
        return st;
    }
    if (p != NULL && list != NULL)
        return kanon__fail(err, KANON_EINVAL, "query-preset and query-attributes exclude each other");
    KANON_TRY(kanon__new_array(&w->chosen, w->n_lines, "query attributes", err), out);
    st = p != NULL ? choose_preset(w, p, err) : choose_listed(w, list, err);
out:
    return st;
}

/* ---- the measure ------------------------------------------------------------------------------------------------- */

static bool is_used(const workload *w, int i)
{
    for (int j = 0; w->chosen != NULL && j < w->m; j++)
        if (w->chosen[j] == i)
            return true;
    return w->chosen == NULL;
}

static void clear_workload(workload *w)
{
    for (int i = 0; w->lines != NULL && i < w->n_lines; i++) {
        kanon__row_index_clear(&w->lines[i].rows);
        kanon__free(w->lines[i].regions);
        kanon__free(w->lines[i].region_of);
    }
    kanon__free(w->errors);
    kanon__free(w->lines);
    kanon__free(w->chosen);
}

static kanon_status query_error(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    workload w = {.subject = s, .n_lines = s->table->n_quasi};
    (void)i;
    KANON_TRY(read_settings(&w, err), out);
    KANON_TRY(kanon__new_array(&w.lines, w.n_lines, "query attributes", err), out);
    for (int j = 0; j < w.n_lines; j++) {
        if (!is_used(&w, j))
            continue;
        KANON_TRY(set_up_line(&w.lines[j], s, j, err), out);
        w.n_words = w.lines[j].rows.n_words;
        if (w.lines[j].n_regions > w.most_regions)
            w.most_regions = w.lines[j].n_regions;
        KANON_TRY(kanon__tick(s->ticker, 0, 0, KANON__TICK_POLL_NS, err), out);
    }
    KANON_TRY(ask_all(&w, out, err), out);
out:
    clear_workload(&w);
    return st;
}

const kanon__measure kanon__measure_query_error = {
    KANON__MEASURE_INFO(query_error, TABLE,
                        "mean of |actual - estimate| / actual over random COUNT queries with actual > 0; estimate = sum "
                        "over records of the product over the query's attributes of the share of the released region that "
                        "lies in the predicate"),
    KANON__MEASURE_DEPENDS(KANON__SET_QUERY, 5),
    .compute = query_error,
};
