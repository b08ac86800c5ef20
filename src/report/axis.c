/* Distribution of a numeric attribute: round limits, counts of the original, released intervals spread over the bins,
 * and rare bins joined with their neighbours. */
#include "core/alloc.h"
#include "report/bins.h"
#include "report/distribution.h"
#include "report/markup.h"
#include "table/value/number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WANTED_BINS = 24, DAYS_OF_WEEK = 7, MONTHS_OF_YEAR = 12, FAR_PART = 200 };

static uint32_t count_numbers(const kanon__column *c)
{
    return c->domain->n_codes - (c->domain->missing_code != KANON__NO_CODE);
}

/* A value on the axis; times are days and parts of them, as dates are. */
static double value_at(const kanon__column *c, int64_t code)
{
    bool seconds = c->domain->type == KANON_TYPE_DATE && kanon__value_has_time(&c->domain->format);
    return seconds ? c->domain->values[code] / 86400 : c->domain->values[code];
}

/* The high end and the middle of a band; of other columns the value. */
static double high_at(const kanon__column *c, uint32_t code)
{
    return c->domain->bands != NULL ? kanon__domain_high(c->domain, code) : value_at(c, code);
}

static double middle_at(const kanon__column *c, uint32_t code)
{
    return c->domain->bands != NULL ? kanon__domain_middle(c->domain, code) : value_at(c, code);
}

/* What a value takes up on the axis. */
static double unit_of(const kanon__column *c)
{
    return c->domain->type == KANON_TYPE_DECIMAL || c->domain->bands != NULL ? 0 : 1; /* bands end at their edges */
}

/* ---- what part of the axis is shown ------------------------------------------------------------------------------ */

typedef struct extremes {
    double lo, hi;
} extremes;

/* The values that `beyond` records are at or below, and at or above. */
static extremes without_tails(const kanon__column *c, const int64_t *counts, int64_t beyond)
{
    int64_t lo = 0, hi = (int64_t)count_numbers(c) - 1, below = 0, above = 0;
    while (lo < hi && below + counts[lo] < beyond)
        below += counts[lo++];
    while (hi > lo && above + counts[hi] < beyond)
        above += counts[hi--];
    return (extremes){value_at(c, lo), high_at(c, (uint32_t)hi)};
}

/* No single record may set the ends of the axis; and where fewer than one record in 200 at an end take up more than half of
 * it, these are left out, too. Whatever lies beyond belongs to the outer bins. */
static extremes choose_extremes(const kanon__column *c, const int64_t *counts, int64_t n_rows, int64_t rare)
{
    extremes all = without_tails(c, counts, rare), most = without_tails(c, counts, n_rows / FAR_PART);
    if (n_rows / FAR_PART > rare && most.hi - most.lo < (all.hi - all.lo) / 2)
        all = most;
    return all;
}

/* ---- limits ------------------------------------------------------------------------------------------------------ */

/* 1, 2 or 5 times a power of ten, at least `wanted`; *exponent is the power. */
static double round_step(double wanted, int *exponent)
{
    *exponent = (int)floor(log10(wanted));
    double power = pow(10, *exponent);
    static const double factors[] = {1, 2, 5, 10};
    int i = 0;
    while (i < 3 && factors[i] * power < wanted * (1 - 1e-12))
        i++;
    *exponent += i == 3;
    return factors[i] * power;
}

/* Very small and very large numbers as a whole number of powers of ten: 15e-11. */
static void label_number(char out[32], double value, int exponent)
{
    bool is_short = exponent >= -5 && exponent <= 8;
    kanon__figure_text shown = is_short ? kanon__show_fixed(value, exponent < 0 ? -exponent : 0)
                                        : kanon__show_fixed(value / pow(10, exponent), 0);
    size_t used = 0;
    for (const char *at = shown.text; *at != '\0' && used < 24; at++)
        if (*at != ',' || (is_short && fabs(value) >= 100000))
            out[used++] = *at;
    out[used] = '\0';
    if (!is_short && value != 0)
        snprintf(out + used, 32 - used, "e%d", exponent);
}

/* Every m-th limit gets a tick, so that there are not too many; bins of one whole number have theirs in the middle. */
static int tick_stride(int n)
{
    int stride = 1;
    while ((n + stride) / stride > KANON__AXIS_TICKS)
        stride++;
    return stride;
}

/* The name of a level, cut where it is long and not inside a character; "" beyond the last one. */
static void label_level(char out[32], const kanon__domain *domain, double rank)
{
    enum { ROOM = 31 };
    size_t length = 0;
    const char *name = rank >= 0 && rank < domain->levels.n
                           ? kanon__dictionary_text(&domain->levels, (uint32_t)rank, &length)
                           : "";
    size_t shown = length < ROOM ? length : ROOM;
    while (shown < length && shown > 0 && ((unsigned char)name[shown] & 0xc0) == 0x80)
        shown--;
    memcpy(out, name, shown);
    out[shown] = '\0';
}

static void set_number_limits(kanon__axis *a, const kanon__column *c, double lo, double hi)
{
    int exponent;
    double unit = unit_of(c), range = hi - lo + unit;
    if (!isfinite(range))
        return;
    double wanted = range > 0 ? range / WANTED_BINS : fmax(fabs(lo), 1);
    double step = round_step(unit > 0 ? fmax(wanted, unit) : wanted, &exponent);
    double first = floor(lo / step);
    if (!(step > 0) || !isfinite(step) || first * step + step <= first * step)
        return;
    while (a->n < KANON__AXIS_BINS && (a->n == 0 || (first + a->n) * step < hi + unit)) {
        a->edges[a->n] = (first + a->n) * step;
        a->n++;
    }
    a->edges[a->n] = (first + a->n) * step;
    bool centred = unit > 0 && step <= unit;
    int stride = tick_stride(a->n);
    for (int i = 0; i < a->n + !centred; i += stride) {
        a->ticks[a->n_ticks] = a->edges[i] + (centred ? unit / 2 : 0);
        if (c->domain->type == KANON_TYPE_ORDINAL)
            label_level(a->tick_labels[a->n_ticks++], c->domain, a->edges[i]);
        else
            label_number(a->tick_labels[a->n_ticks++], a->edges[i], exponent);
    }
    label_number(a->step_text, step, exponent);
}

typedef struct calendar_step {
    int days, months; /* one of them is 0 */
    const char *text;
} calendar_step;

static const calendar_step calendar[] = {
    {1, 0, "day"},        {7, 0, "week"},         {0, 1, "month"},        {0, 3, "3 months"},   {0, 6, "6 months"},
    {0, 12, "year"},      {0, 24, "2 years"},     {0, 60, "5 years"},     {0, 120, "10 years"}, {0, 240, "20 years"},
    {0, 600, "50 years"}, {0, 1200, "100 years"}, {0, 6000, "500 years"},
};

/* The day on which a month, counted from year 0, begins; false where there is no such date. */
static bool day_of_month(int64_t *out, int64_t month)
{
    char text[48];
    int length = snprintf(text, sizeof text, "%04lld-%02lld-01", (long long)(month / MONTHS_OF_YEAR),
                          (long long)(month % MONTHS_OF_YEAR + 1));
    return month >= 0 && kanon__parse_date(out, text, (size_t)length);
}

static int64_t month_of_day(int64_t day)
{
    char text[KANON__NUMBER_TEXT];
    kanon__format_date(text, day);
    return atoll(text) * MONTHS_OF_YEAR + atoll(text + 5) - 1;
}

static void label_date(char out[32], const calendar_step *step, double day)
{
    char text[KANON__NUMBER_TEXT];
    size_t length = kanon__format_date(text, (int64_t)day);
    size_t shown = step->days > 0 ? 10 : step->months < MONTHS_OF_YEAR ? 7 : 4;
    snprintf(out, 32, "%.*s", (int)(shown < length ? shown : length), text);
}

static void set_date_limits(kanon__axis *a, double lo, double hi)
{
    const calendar_step *step = calendar, *last = calendar + sizeof calendar / sizeof *calendar - 1;
    while (step < last && (hi - lo) / (step->days + step->months * 30.4) > WANTED_BINS)
        step++;
    int64_t day = (int64_t)lo, month = step->months > 0 ? month_of_day(day) / step->months * step->months : 0, next = day;
    if (step->months > 0 && !day_of_month(&next, month))
        next = day; /* before the first date there is */
    if (step->days == DAYS_OF_WEEK)
        next = day - ((day + 3) % DAYS_OF_WEEK + DAYS_OF_WEEK) % DAYS_OF_WEEK; /* a Monday; day 0 was a Thursday */
    a->edges[0] = (double)next;
    while (a->n < KANON__AXIS_BINS && (a->n == 0 || a->edges[a->n] <= hi)) {
        next += step->days;
        month += step->months;
        if (step->months > 0 && !day_of_month(&next, month))
            next = (int64_t)hi + 1;
        a->edges[++a->n] = (double)next;
    }
    int stride = tick_stride(a->n);
    for (int i = 0; i <= a->n; i += stride) {
        a->ticks[a->n_ticks] = a->edges[i];
        label_date(a->tick_labels[a->n_ticks++], step, a->edges[i]);
    }
    snprintf(a->step_text, sizeof a->step_text, "%s", step->text);
}

/* ---- counts ------------------------------------------------------------------------------------------------------ */

static void count_before(kanon__axis *a, const kanon__column *c, const int64_t *counts)
{
    uint32_t n_numbers = count_numbers(c);
    int bin = 0;
    for (uint32_t code = 0; code < n_numbers; code++) {
        while (bin + 1 < a->n && middle_at(c, code) >= a->edges[bin + 1])
            bin++;
        a->before[bin] += (double)counts[code];
    }
    a->missing_before = n_numbers < c->domain->n_codes ? counts[c->domain->missing_code] : 0;
}

/* Spread `records` over [from, to]; what lies beyond the ends of the axis belongs to the first and the last bin. */
static void spread(kanon__axis *a, double from, double to, double records)
{
    int bin = 0;
    while (bin + 1 < a->n && from >= a->edges[bin + 1])
        bin++;
    if (!(to > from)) {
        a->after[bin] += records;
        a->groups[bin]++;
        return;
    }
    for (double at = from; at < to; bin++) {
        double end = bin + 1 < a->n && a->edges[bin + 1] < to ? a->edges[bin + 1] : to;
        a->after[bin] += records * ((end - at) / (to - from));
        a->groups[bin]++;
        at = end;
    }
}

static void count_after(kanon__axis *a, const kanon__column *c, const kanon_grouping *g, const uint32_t *extents)
{
    double unit = unit_of(c), drawn[2];
    a->any_after = g->n_suppressed;
    for (int64_t group = 0; group < g->n_groups; group++) {
        uint32_t lo = extents[2 * group], hi = extents[2 * group + 1];
        if (lo == c->domain->missing_code)
            a->missing_after += g->sizes[group];
        else if (hi == c->domain->missing_code)
            a->any_after += g->sizes[group];
        else if (a->n > 0 && kanon__grouping_drawn_at(drawn, g, c, group))
            spread(a, drawn[0], drawn[1] + unit, (double)g->sizes[group]);
        else if (a->n > 0)
            spread(a, value_at(c, lo), high_at(c, hi) + unit, (double)g->sizes[group]);
    }
}

static void hide_rare(kanon__axis *a, int64_t rare, int64_t least_groups)
{
    int ends[KANON__MAX_PARTS];
    int n = kanon__cut_counts(ends, (kanon__counts){a->before, (double)rare},
                              (kanon__counts){a->groups, (double)least_groups}, a->n);
    for (int part = 0, i = 0; part < n; part++) {
        double before = 0, after = 0, groups = 0, steps = 0;
        for (; i < ends[part]; i++) {
            before += a->before[i];
            after += a->after[i];
            groups += a->groups[i];
            steps++;
        }
        a->before[part] = before;
        a->after[part] = after;
        a->groups[part] = groups;
        a->steps[part] = steps;
        a->edges[part + 1] = a->edges[i];
    }
    a->n = n;
}

kanon_status kanon__axis_init(kanon__axis *a, const kanon__column *c, const kanon_grouping *g, int64_t rare,
                              int64_t least_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *counts = NULL;
    uint32_t *extents = NULL;
    uint32_t n_numbers = count_numbers(c);
    memset(a, 0, sizeof *a);
    KANON_TRY(kanon__new_array(&counts, (int64_t)c->domain->n_codes + 1, "a distribution", err), out);
    KANON_TRY(kanon__grouping_extents(&extents, g, c, err), out);
    for (int64_t row = 0; row < g->n_rows; row++)
        counts[kanon__code_at(c->codes, row)]++;
    if (n_numbers > 0) {
        extremes shown = choose_extremes(c, counts, g->n_rows, rare);
        if (c->domain->type == KANON_TYPE_DATE)
            set_date_limits(a, shown.lo, shown.hi);
        else
            set_number_limits(a, c, shown.lo, shown.hi);
        a->is_clipped = value_at(c, 0) < a->edges[0] || high_at(c, n_numbers - 1) + unit_of(c) > a->edges[a->n];
    }
    count_before(a, c, counts);
    count_after(a, c, g, extents);
    hide_rare(a, rare, least_groups);
out:
    kanon__free(extents);
    kanon__free(counts);
    return st;
}
