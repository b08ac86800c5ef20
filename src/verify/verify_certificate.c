/* Checks the proof of a lower bound: prices of which no k records have more, on average, than the box around them costs.
 *
 * Nothing of src/bound is used, nor the costs of src/model: they are worked out here from values and trees, rounded down.
 * For each record, in the order of falling price, the boxes around it and the records that come after it are looked through:
 * every set of records has a first one. What a box costs is the sum of its reaches: how far below and above the record a
 * number goes, up to which node a category climbs. A list of records and the box that must be covered stand for all boxes
 * in between. A box holds only records that it costs less to reach than the box itself. So the records are looked at by
 * bands of this cost; where no band has k records that are worth more than its least cost, the list is done. Else records
 * that are too cheap for any band leave it, and it is halved. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/pool.h"
#include "core/sha256.h"
#include "core/take_options.h"
#include "core/ticker.h"
#include "table/value/number.h"
#include "verify/certificate_file.h"
#include "verify/verify.h"

#include <string.h>

enum { RECORDS_PER_TASK = 64, MISSING = -1 };
enum { COST_BANDS = 16 }; /* of the records that a box may hold */
static const int64_t MOST_PRICE = (int64_t)1 << 31, MOST_COST = (int64_t)1 << 31;

/* What it costs from the least value of an attribute to another: whole units, and what is left of the division. */
typedef struct point {
    int64_t units;
    __int128 rest;
} point;

typedef struct attribute {
    const kanon__column *column;
    bool numeric;
    int64_t full;        /* what it costs to tell nothing, rounded down */
    int64_t *of_node;    /* categorical: by node */
    point *lows, *highs; /* numeric: by code, the ends of its band or the number itself; NULL: only doubles can tell */
} attribute;

typedef struct certificate {
    const kanon_table *table;
    int64_t k, n, scale, sum;
    attribute *attributes;
    int n_reaches;   /* two for a number, one for a category */
    int64_t *prices; /* by row */
    int32_t *order;  /* rows by falling price, equal records side by side */
    int32_t *coded;  /* by place in the order and attribute: a code, or of a number the units of its low end; MISSING */
    kanon__shared_ticker shared;
} certificate;

/* ---- the file ---------------------------------------------------------------------------------------------------- */

static kanon_status not_one(const kanon__input *in, const char *what, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s", in->path, what);
    return kanon__topic(err, kanon__hint(err, st, "give a file that was written as a certificate"), "certificate");
}

static bool is_within(kanon__file_number number, int64_t least, int64_t most)
{
    return number.given && number.value >= least && number.value <= most;
}

static kanon_status take_prices(certificate *c, kanon__certificate_file *f, const kanon__input *in, kanon_error *err)
{
    if (!f->has_prices || f->n_prices != c->n)
        return not_one(in, "there is not one price for each record", err);
    for (int64_t row = 0; row < c->n; row++)
        f->whole_prices = f->whole_prices && f->prices[row] >= -MOST_PRICE && f->prices[row] <= MOST_PRICE;
    if (!f->whole_prices)
        return not_one(in, "a price is not a whole number of at most 32 bits", err);
    c->prices = f->prices;
    f->prices = NULL;
    return KANON_OK;
}

static kanon_status take_fields(certificate *c, kanon__certificate_file *f, const kanon__input *in, kanon_error *err)
{
    if (!is_within(f->format, 1, INT64_MAX) || f->table_sha256[0] == '\0')
        return not_one(in, "not a certificate", err);
    if (f->format.value > 1)
        return kanon__fail(err, KANON_EVERSION, "%s: written by a newer version", in->path);
    if (!is_within(f->k, 2, INT32_MAX) || !is_within(f->records, 0, INT32_MAX) || !is_within(f->scale, 1, MOST_COST) ||
        !f->price_sum.given)
        return not_one(in, "k, records, scale or price_sum is missing or out of range", err);
    c->k = f->k.value;
    c->n = f->records.value;
    c->scale = f->scale.value;
    c->sum = f->price_sum.value;
    return take_prices(c, f, in, err);
}

/* KANON_EINFEASIBLE in this file: the proof does not hold, and the message says why. */
static kanon_status compare(const certificate *c, const char *sha256, kanon_error *err)
{
    char own[KANON__SHA256_TEXT];
    kanon_status st = kanon__source_sha256(own, c->table->source, err);
    int64_t sum = 0;
    if (st != KANON_OK)
        return st;
    if (strcmp(own, sha256) != 0 || c->n != c->table->data.n_rows)
        return kanon__fail(err, KANON_EINFEASIBLE, "the certificate is for another table");
    for (int64_t row = 0; row < c->n; row++)
        sum += c->prices[row];
    if (sum != c->sum)
        return kanon__fail(err, KANON_EINFEASIBLE, "the prices do not add up to what is claimed");
    if (c->k > c->n)
        return kanon__fail(err, KANON_EINFEASIBLE, "the table has fewer than k records");
    return KANON_OK;
}

/* Read the certificate in an input, which is closed in any case. */
static kanon_status read_certificate(certificate *c, kanon__input *in, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__certificate_file file = {.has_prices = false};
    bool valid = false;
    KANON_TRY(kanon__input_load(in, err), out);
    KANON_TRY(kanon__certificate_file_read(&file, &valid, in->size > 0 ? in->bytes : "", in->size, err), out);
    if (!valid) {
        st = not_one(in, "not a certificate", err);
        goto out;
    }
    KANON_TRY(take_fields(c, &file, in, err), out);
    KANON_TRY(compare(c, file.table_sha256, err), out);
out:
    kanon__certificate_file_clear(&file);
    kanon__input_close(in);
    return st;
}

/* ---- costs ------------------------------------------------------------------------------------------------------- */

static uint32_t n_values(const kanon__column *column)
{
    return column->domain->n_codes - (column->domain->missing_code != KANON__NO_CODE);
}

static kanon__decimal weight_of(const kanon__column *column)
{
    kanon__decimal weight = {.mantissa = 1, .exact = true, .value = 1};
    if (column->weight_text != NULL)
        (void)kanon__parse_decimal(&weight, column->weight_text, strlen(column->weight_text));
    return weight;
}

/* weight * scale * part / whole, exactly; false where that does not fit. */
static bool divide(const certificate *c, const kanon__column *column, int64_t part, int64_t whole, point *out)
{
    kanon__decimal weight = weight_of(column);
    __int128 top = (__int128)c->scale * part, bottom = whole;
    for (int i = 0; i < weight.scale; i++)
        bottom *= 10;
    if (!weight.exact || __builtin_mul_overflow(top, (__int128)weight.mantissa, &top))
        return false;
    *out = (point){(int64_t)(top / bottom), top % bottom};
    return true;
}

/* The same, rounded down. */
static int64_t share(const certificate *c, const kanon__column *column, int64_t part, int64_t whole)
{
    point exactly;
    if (divide(c, column, part, whole, &exactly))
        return exactly.units;
    double about = weight_of(column).value * (double)c->scale * ((double)part / (double)whole);
    return about > 1 ? (int64_t)about - 1 : 0;
}

static int64_t band_range(const kanon__column *column)
{
    int64_t range = column->domain->bands[n_values(column) - 1].high - column->domain->bands[0].low;
    return range > 0 ? range : 1;
}

/* From the low end of one band to the high end of another. Without bands, between two numbers. */
static int64_t number_cost(const certificate *c, const attribute *a, uint32_t low, uint32_t high);

static int64_t upper_cost(const certificate *c, const attribute *a, uint32_t low, uint32_t high)
{
    const kanon__band *bands = a->column->domain->bands;
    if (bands == NULL)
        return number_cost(c, a, low, high);
    return share(c, a->column, bands[high].high - bands[low].low, band_range(a->column));
}

/* Between the low ends of two bands. Without bands, between two numbers. */
static int64_t number_cost(const certificate *c, const attribute *a, uint32_t low, uint32_t high)
{
    const kanon__column *column = a->column;
    uint32_t n = n_values(column);
    if (low == high)
        return 0;
    if (column->domain->bands != NULL)
        return share(c, column, column->domain->bands[high].low - column->domain->bands[low].low, band_range(column));
    if (column->domain->scaled != NULL)
        return share(c, column, column->domain->scaled[high] - column->domain->scaled[low],
                     column->domain->scaled[n - 1] - column->domain->scaled[0]);
    double range = column->domain->values[n - 1] / 2 - column->domain->values[0] / 2;
    double about = (double)a->full * ((column->domain->values[high] / 2 - column->domain->values[low] / 2) / range);
    return about > 1 ? (int64_t)about - 1 : 0;
}

/* From one point to another above it, rounded down. */
static int64_t between(const point *low, const point *high)
{
    return high->units - low->units - (high->rest < low->rest);
}

/* So that the cost between two values is a difference. Without exact division, it is worked out for each pair. */
static kanon_status set_points(const certificate *c, attribute *a, kanon_error *err)
{
    const kanon__domain *d = a->column->domain;
    uint32_t n = n_values(a->column);
    bool exactly = d->bands != NULL || d->scaled != NULL;
    if (!exactly || n == 0)
        return KANON_OK;
    int64_t least = d->bands != NULL ? d->bands[0].low : d->scaled[0];
    int64_t range = d->bands != NULL ? band_range(a->column) : d->scaled[n - 1] - least;
    KANON_CHECK(kanon__new_array(&a->lows, n, "costs", err));
    KANON_CHECK(kanon__new_array(&a->highs, n, "costs", err));
    for (uint32_t code = 0; code < n && exactly && range > 0; code++) {
        int64_t low = d->bands != NULL ? d->bands[code].low : d->scaled[code];
        int64_t high = d->bands != NULL ? d->bands[code].high : low;
        exactly = divide(c, a->column, low - least, range, &a->lows[code]) &&
                  divide(c, a->column, high - least, range, &a->highs[code]);
    }
    if (!exactly) {
        kanon__free(a->highs);
        kanon__free(a->lows);
        a->lows = a->highs = NULL;
    }
    return KANON_OK;
}

static kanon_status set_attribute(const certificate *c, attribute *a, const kanon__column *column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *height = NULL;
    a->column = column;
    a->numeric = kanon__column_is_numeric(column);
    a->full = share(c, column, 1, 1);
    if (a->numeric) {
        KANON_TRY(set_points(c, a, err), out);
        goto out;
    }
    const kanon__taxonomy *t = column->domain->taxonomy;
    KANON_TRY(kanon__new_array(&a->of_node, t->n_nodes, "costs", err), out);
    KANON_TRY(kanon__new_array(&height, t->n_nodes, "costs", err), out);
    for (int32_t node = t->n_nodes - 1; node > 0; node--) /* parents come before their children */
        if (height[node] + 1 > height[t->parent[node]])
            height[t->parent[node]] = height[node] + 1;
    for (int32_t node = 0; node < t->n_nodes && height[0] > 0; node++)
        a->of_node[node] = share(c, column, height[node], height[0]);
out:
    kanon__free(height);
    return st;
}

static kanon_status set_attributes(certificate *c, kanon_error *err)
{
    int64_t most = 0;
    KANON_CHECK(kanon__new_array(&c->attributes, c->table->data.n_quasi, "costs", err));
    for (int i = 0; i < c->table->data.n_quasi; i++) {
        KANON_CHECK(set_attribute(c, &c->attributes[i], &c->table->data.columns[c->table->data.quasi[i]], err));
        c->n_reaches += c->attributes[i].numeric ? 2 : 1;
        most = c->attributes[i].full < MOST_COST ? most + c->attributes[i].full : MOST_COST;
    }
    if (most >= MOST_COST)
        return kanon__fail(err, KANON_EINFEASIBLE, "the scale of the certificate is too fine to be checked");
    return KANON_OK;
}

/* ---- order ------------------------------------------------------------------------------------------------------- */

static uint32_t code_of(const certificate *c, int i, int64_t row)
{
    return kanon__code_at(c->attributes[i].column->codes, row);
}

static int compare_records(const certificate *c, int32_t left, int32_t right)
{
    if (c->prices[left] != c->prices[right])
        return c->prices[left] > c->prices[right] ? -1 : 1;
    for (int i = 0; i < c->table->data.n_quasi; i++)
        if (code_of(c, i, left) != code_of(c, i, right))
            return code_of(c, i, left) < code_of(c, i, right) ? -1 : 1;
    return 0;
}

static kanon_status set_order(certificate *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *other = NULL;
    KANON_TRY(kanon__new_array(&c->order, c->n, "row order", err), out);
    KANON_TRY(kanon__new_array(&other, c->n, "row order", err), out);
    for (int64_t row = 0; row < c->n; row++)
        c->order[row] = (int32_t)row;
    for (int64_t width = 1; width < c->n; width *= 2) {
        for (int64_t begin = 0; begin < c->n; begin += 2 * width) {
            int64_t middle = begin + width < c->n ? begin + width : c->n,
                    end = middle + width < c->n ? middle + width : c->n;
            for (int64_t i = begin, j = middle, at = begin; at < end; at++)
                other[at] = i < middle && (j >= end || compare_records(c, c->order[i], c->order[j]) <= 0) ? c->order[i++]
                                                                                                          : c->order[j++];
        }
        int32_t *swap = c->order;
        c->order = other;
        other = swap;
    }
out:
    kanon__free(other);
    return st;
}

static kanon_status set_coded(certificate *c, kanon_error *err)
{
    int m = c->table->data.n_quasi;
    kanon_status st = kanon__new_array(&c->coded, c->n * m, "codes", err);
    for (int64_t place = 0; st == KANON_OK && place < c->n; place++)
        for (int i = 0; i < m; i++) {
            const attribute *a = &c->attributes[i];
            uint32_t code = code_of(c, i, c->order[place]);
            int32_t *coded = &c->coded[place * m + i];
            if (!a->numeric)
                *coded = (int32_t)code;
            else if (code == a->column->domain->missing_code)
                *coded = MISSING;
            else
                *coded = a->lows != NULL ? (int32_t)a->lows[code].units : 0;
        }
    return st;
}

/* ---- the boxes around one record --------------------------------------------------------------------------------- */

/* A record that may be covered, and what the box costs when it reaches it. */
typedef struct member {
    int64_t cost;
    int32_t place; /* in `reaches` */
} member;

typedef struct part {
    int64_t begin, end; /* its members */
    int64_t cost;       /* of the box that must be covered */
} part;

typedef struct around {
    const certificate *certificate;
    int64_t own;               /* the record */
    int64_t **climbs;          /* by category: by code the cost of the node it takes; NULL: a number */
    int64_t *prices, *reaches; /* of the records near enough, by falling price */
    int64_t n, prices_capacity, reaches_capacity;
    member *members;
    part *parts;
    int64_t *boxes, *hull;
    int64_t members_capacity, parts_capacity, boxes_capacity, n_parts;
} around;

static void around_clear(around *a)
{
    for (int i = 0; a->climbs != NULL && i < a->certificate->table->data.n_quasi; i++)
        kanon__free(a->climbs[i]);
    kanon__free(a->hull);
    kanon__free(a->boxes);
    kanon__free(a->parts);
    kanon__free(a->members);
    kanon__free(a->reaches);
    kanon__free(a->prices);
    kanon__free(a->climbs);
}

static kanon_status around_init(around *a, const certificate *c, kanon_error *err)
{
    *a = (around){.certificate = c};
    KANON_CHECK(kanon__new_array(&a->climbs, c->table->data.n_quasi, "costs", err));
    KANON_CHECK(kanon__new_array(&a->hull, c->n_reaches, "costs", err));
    for (int i = 0; i < c->table->data.n_quasi; i++)
        if (!c->attributes[i].numeric)
            KANON_CHECK(kanon__new_array(&a->climbs[i], c->attributes[i].column->domain->n_codes, "costs", err));
    return KANON_OK;
}

/* From the record's number down and up to another one. A number and a missing one are covered by the whole range alone, and
 * that is full cost. */
static void reach_number(const certificate *c, const attribute *at, uint32_t own, uint32_t code, int64_t *below,
                         int64_t *above)
{
    uint32_t missing = at->column->domain->missing_code, upper = code < own ? own : code; /* at least the band itself */
    bool exactly = at->lows != NULL;
    *below = *above = 0;
    if (own == missing) {
        *below = code != missing ? at->full : 0;
    } else if (code == missing) {
        *below = number_cost(c, at, 0, own);
        *above = at->full - *below;
    } else {
        *above = exactly ? between(&at->lows[own], &at->highs[upper]) : upper_cost(c, at, own, upper);
        if (code < own)
            *below = exactly ? between(&at->lows[code], &at->lows[own]) : number_cost(c, at, code, own);
    }
}

static void set_climbs(around *a, int i, uint32_t own)
{
    const attribute *at = &a->certificate->attributes[i];
    const kanon__taxonomy *t = at->column->domain->taxonomy;
    for (uint32_t code = 0; code < at->column->domain->n_codes; code++) {
        int32_t node = t->leaf_node[own];
        while ((int32_t)code < t->first_leaf[node] || (int32_t)code > t->last_leaf[node])
            node = t->parent[node];
        a->climbs[i][code] = at->of_node[node];
    }
}

/* Whether the record at another place costs `limit` or more for sure. The units of two numbers are each rounded down, so the
 * cost between them is their difference or one less. */
static bool is_far(const around *a, const int32_t *own, const int32_t *other, int64_t limit)
{
    const certificate *c = a->certificate;
    int64_t cost = 0;
    for (int i = 0; i < c->table->data.n_quasi && cost < limit; i++) {
        if (a->climbs[i] != NULL)
            cost += a->climbs[i][other[i]];
        else if ((own[i] == MISSING) != (other[i] == MISSING))
            cost += c->attributes[i].full;
        else if (own[i] != other[i])
            cost += (own[i] < other[i] ? other[i] - own[i] : own[i] - other[i]) - 1;
    }
    return cost >= limit;
}

static kanon_status add_near(around *a, int64_t row, int64_t limit, kanon_error *err)
{
    const certificate *c = a->certificate;
    int64_t cost = 0;
    KANON_CHECK(kanon__grow_array(&a->prices, &a->prices_capacity, a->n + 1, "boxes", err));
    KANON_CHECK(kanon__grow_array(&a->reaches, &a->reaches_capacity, (a->n + 1) * c->n_reaches, "boxes", err));
    KANON_CHECK(kanon__grow_array(&a->members, &a->members_capacity, a->n + 1, "boxes", err));
    int64_t *reach = a->reaches + a->n * c->n_reaches;
    for (int i = 0; i < c->table->data.n_quasi; i++) {
        uint32_t code = code_of(c, i, row);
        if (a->climbs[i] != NULL) {
            *reach = a->climbs[i][code];
        } else {
            reach_number(c, &c->attributes[i], code_of(c, i, a->own), code, reach, reach + 1);
            cost += *reach++;
        }
        cost += *reach++;
    }
    if (cost >= limit)
        return KANON_OK;
    a->members[a->n] = (member){cost, (int32_t)a->n};
    a->prices[a->n++] = c->prices[row];
    return KANON_OK;
}

/* The record at `place` of the order and those after it that a box could hold which costs less than its price. */
static kanon_status set_near(around *a, int64_t place, kanon_error *err)
{
    const certificate *c = a->certificate;
    int m = c->table->data.n_quasi;
    a->own = c->order[place];
    a->n = 0;
    for (int i = 0; i < m; i++)
        if (a->climbs[i] != NULL)
            set_climbs(a, i, code_of(c, i, a->own));
    for (int64_t other = place; other < c->n; other++)
        if (!is_far(a, c->coded + place * m, c->coded + other * m, c->prices[a->own]))
            KANON_CHECK(add_near(a, c->order[other], c->prices[a->own], err));
    return KANON_OK;
}

/* ---- one part ---------------------------------------------------------------------------------------------------- */

/* A set of k records belongs to the band of the member that costs most to reach, and costs no less than the least there. It
 * has only members of this band and of those below. */
typedef struct bands {
    int64_t least;              /* cost: that of the box that must be covered */
    int shift;                  /* the width of a band is 2^shift units */
    int64_t floors[COST_BANDS]; /* the least cost of a band's members; INT64_MAX: it has none */
    int64_t sums[COST_BANDS];   /* the k highest prices up to the band */
    int64_t kth[COST_BANDS];    /* the lowest of these */
    int64_t excess[COST_BANDS]; /* how much more a set may have than it costs; 0 or less: none is violated */
    int least_full;             /* the bands below have fewer than k records, up to them */
    int best;                   /* the band with the largest excess */
} bands;

static int band_of(const bands *b, const member *m)
{
    return (int)((m->cost - b->least) >> b->shift);
}

/* Fill all but the excess. By falling price, so that k records are full with the k highest prices; the highest band is full
 * first. `left` are the records up to the highest band that is not full. */
static void fill_bands(const around *a, const part *p, bands *b)
{
    int64_t k = a->certificate->k, counts[COST_BANDS] = {0}, sums[COST_BANDS] = {0}, left = 0, sum = 0;
    b->least_full = COST_BANDS;
    for (int64_t i = p->begin; i < p->end; i++) {
        const member *m = &a->members[i];
        int64_t price = a->prices[m->place];
        int own = band_of(b, m), top = b->least_full - 1;
        b->floors[own] = m->cost < b->floors[own] ? m->cost : b->floors[own];
        if (own > top)
            continue;
        counts[own]++;
        sums[own] += price;
        left++;
        sum += price;
        for (; top >= 0 && left == k; top--) {
            b->sums[top] = sum;
            b->kth[top] = price;
            left -= counts[top];
            sum -= sums[top];
        }
        b->least_full = top + 1;
    }
}

static void set_bands(const around *a, const part *p, bands *b)
{
    int64_t most = p->cost;
    for (int64_t i = p->begin; i < p->end; i++)
        most = a->members[i].cost > most ? a->members[i].cost : most;
    b->least = p->cost;
    b->shift = b->best = 0;
    while ((most - p->cost) >> b->shift >= COST_BANDS)
        b->shift++;
    for (int band = 0; band < COST_BANDS; band++)
        b->floors[band] = INT64_MAX;
    fill_bands(a, p, b);
    for (int band = 0; band < COST_BANDS; band++) {
        bool possible = band >= b->least_full && b->floors[band] < INT64_MAX;
        b->excess[band] = possible ? b->sums[band] - a->certificate->k * b->floors[band] : 0;
        b->best = b->excess[band] > b->excess[b->best] ? band : b->best;
    }
}

/* A member of a violated set may take the place of the k-th highest price and lose no more than the excess. Who is too cheap
 * for that in every band that it can be in leaves. */
static void drop_cheap(around *a, part *p, const bands *b)
{
    int64_t above[COST_BANDS], least = INT64_MAX, kept = p->begin;
    for (int band = COST_BANDS - 1; band >= 0; band--) {
        if (b->excess[band] > 0 && b->kth[band] - b->excess[band] < least)
            least = b->kth[band] - b->excess[band];
        above[band] = least;
    }
    for (int64_t i = p->begin; i < p->end; i++)
        if (a->prices[a->members[i].place] > above[band_of(b, &a->members[i])])
            a->members[kept++] = a->members[i];
    p->end = kept;
}

/* What the box around the k dearest of the best band costs. */
static int64_t set_hull(around *a, const part *p, const bands *b, const int64_t *box)
{
    int n = a->certificate->n_reaches;
    int64_t cost = 0, left = a->certificate->k;
    memcpy(a->hull, box, (size_t)n * sizeof *a->hull);
    for (int64_t i = p->begin; left > 0; i++) {
        if (band_of(b, &a->members[i]) > b->best)
            continue;
        const int64_t *reach = a->reaches + (int64_t)a->members[i].place * n;
        for (int j = 0; j < n; j++)
            a->hull[j] = reach[j] > a->hull[j] ? reach[j] : a->hull[j];
        left--;
    }
    for (int j = 0; j < n; j++)
        cost += a->hull[j];
    return cost;
}

static kanon_status push_part(around *a, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&a->parts, &a->parts_capacity, a->n_parts + 1, "boxes", err);
    if (st == KANON_OK)
        st = kanon__grow_array(&a->boxes, &a->boxes_capacity, (a->n_parts + 1) * a->certificate->n_reaches, "boxes", err);
    a->n_parts++;
    return st;
}

/* Halve the last part where its hull exceeds its box most: boxes that stay short of the middle, and boxes that go beyond. */
static kanon_status halve(around *a, kanon_error *err)
{
    int n = a->certificate->n_reaches, widest = 0;
    KANON_CHECK(push_part(a, err));
    part *p = &a->parts[a->n_parts - 2], *beyond = p + 1;
    int64_t *box = a->boxes + (a->n_parts - 2) * n, *grown = box + n, size = p->end - p->begin, kept = p->begin;
    for (int j = 1; j < n; j++)
        if (a->hull[j] - box[j] > a->hull[widest] - box[widest])
            widest = j;
    int64_t middle = box[widest] + (a->hull[widest] - box[widest]) / 2, least = INT64_MAX;
    for (int64_t i = p->begin; i < p->end; i++) { /* who goes beyond reaches one of those there */
        int64_t reach = a->reaches[(int64_t)a->members[i].place * n + widest];
        least = reach > middle && reach < least ? reach : least;
    }
    memcpy(grown, box, (size_t)n * sizeof *box);
    grown[widest] = least;
    KANON_CHECK(kanon__grow_array(&a->members, &a->members_capacity, p->end + size, "boxes", err));
    *beyond = (part){.begin = p->end, .end = p->end + size, .cost = p->cost + least - box[widest]};
    for (int64_t i = 0; i < size; i++) {
        member m = a->members[p->begin + i];
        int64_t reach = a->reaches[(int64_t)m.place * n + widest];
        int64_t more = least - (reach > box[widest] ? reach : box[widest]);
        a->members[beyond->begin + i] = (member){m.cost + (more > 0 ? more : 0), m.place};
        if (reach <= middle)
            a->members[kept++] = m;
    }
    p->end = kept;
    return KANON_OK;
}

static kanon_status check_record(around *a, int64_t place, kanon__ticker *ticker, kanon_error *err)
{
    const certificate *c = a->certificate;
    bands b;
    a->n_parts = 0;
    KANON_CHECK(set_near(a, place, err));
    KANON_CHECK(push_part(a, err));
    a->parts[0] = (part){.end = a->n};
    memset(a->boxes, 0, (size_t)c->n_reaches * sizeof *a->boxes);
    while (a->n_parts > 0) {
        part *p = &a->parts[a->n_parts - 1];
        KANON_CHECK(kanon__tick(ticker, 0, 0, 10 * (p->end - p->begin), err));
        set_bands(a, p, &b);
        if (b.excess[b.best] <= 0) {
            a->n_parts--;
            continue;
        }
        if (b.sums[b.best] > c->k * set_hull(a, p, &b, a->boxes + (a->n_parts - 1) * c->n_reaches)) {
            return kanon__fail(err, KANON_EINFEASIBLE, "k records around row %lld have more than the box around them costs",
                               (long long)c->order[place] + 1);
        }
        drop_cheap(a, p, &b);
        KANON_CHECK(halve(a, err));
    }
    return KANON_OK;
}

static kanon_status check_task(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    certificate *c = payload;
    around a;
    kanon__ticker ticker;
    int64_t begin = task * RECORDS_PER_TASK, end = begin + RECORDS_PER_TASK < c->n ? begin + RECORDS_PER_TASK : c->n;
    kanon__shared_ticker_task(&ticker, &c->shared);
    KANON_TRY(around_init(&a, c, err), out);
    for (int64_t place = begin; place < end && c->prices[c->order[place]] > 0; place++)
        if (place == 0 || compare_records(c, c->order[place - 1], c->order[place]) != 0) /* else the same boxes again */
            KANON_TRY(check_record(&a, place, &ticker, err), out);
    kanon__shared_ticker_add(&c->shared, end - begin);
out:
    around_clear(&a);
    return st;
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void clear(certificate *c)
{
    for (int i = 0; c->attributes != NULL && i < c->table->data.n_quasi; i++) {
        kanon__free(c->attributes[i].highs);
        kanon__free(c->attributes[i].lows);
        kanon__free(c->attributes[i].of_node);
    }
    kanon__free(c->attributes);
    kanon__free(c->coded);
    kanon__free(c->order);
    kanon__free(c->prices);
}

static kanon_status check_input(kanon_certificate *out, const kanon_table *table, kanon__input *input, int threads,
                                kanon_tick tick, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    certificate c = {.table = table};
    kanon_error why = KANON_INIT(kanon_error);
    kanon__ticker ticker;
    kanon__call_ticks(&tick, &payload);
    kanon__ticker_init(&ticker, tick, payload, "checking the proof");
    KANON_TRY(read_certificate(&c, input, &why), out);
    KANON_TRY(set_attributes(&c, &why), out);
    KANON_TRY(set_order(&c, &why), out);
    KANON_TRY(set_coded(&c, &why), out);
    kanon__shared_ticker_init(&c.shared, &ticker, c.n);
    st = kanon__pool_run(threads, (c.n + RECORDS_PER_TASK - 1) / RECORDS_PER_TASK, check_task, &c, &why);
    kanon__shared_ticker_clear(&c.shared);
out:
    clear(&c);
    if (st != KANON_OK && st != KANON_EINFEASIBLE) {
        kanon__error_copy(err, &why);
        return st;
    }
    out->records = c.n;
    out->k = c.k;
    out->lower_bound = (double)c.sum / (double)c.scale;
    out->holds = st == KANON_OK;
    if (st != KANON_OK)
        memcpy(out->reason, why.message, sizeof out->reason - 1);
    return KANON_OK;
}

kanon_status kanon_certificate_check(kanon_certificate *out, const kanon_table *table, const kanon_input *given,
                                     const kanon_prove_options *options, kanon_error *err)
{
    kanon__call call;
    kanon__input input;
    kanon_prove_options o;
    kanon_certificate found = {0};
    KANON_CHECK(kanon__check_out(out, err));
    kanon__give_out(out, &found, sizeof found);
    kanon__call_begin(&call, table->context);
    kanon_status st = kanon__take_options(&o, sizeof o, options, err);
    st = kanon__input_take(&input, given, KANON__INPUT_CERTIFICATE, st, err);
    if (st == KANON_OK)
        st = check_input(&found, table, &input, o.threads, o.tick, o.payload, err);
    if (st == KANON_OK)
        kanon__give_out(out, &found, sizeof found);
    return kanon__call_end(&call, st);
}
