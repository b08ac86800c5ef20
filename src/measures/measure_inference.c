/* How well a sensitive value is guessed by somebody who knows the group: inference (the group's most frequent value), CAP
 * (a value that is drawn from the group's; synthpop) and DiSCO (groups with one value); beside each what is guessed
 * without groups. 1 - inference is Iyengar's classification metric where no record is suppressed: what protects the value is
 * what a model of it lacks.
 *
 * Many numbers (whole or decimal ones, more than 20 in the table) are guessed by the median, and right within 5 % of the
 * guess. Missing values count like any other, but for the median: there each is guessed only where there is nothing else.
 * Called through evaluate.c, sums.c and audit/check_privacy.c; calls sums.h. */
#include "measures/guess.h"
#include "measures/measure.h"

#include "model/terms.h"

#include <math.h>

enum { MANY_NUMBERS = 20, TOLERANCE_PERCENT = 5 };

/* ---- the guess --------------------------------------------------------------------------------------------------- */

/* Values of a column in rising order, with counts by code; `codes` NULL: any of the column's. */
typedef struct counted {
    const kanon__domain *domain;
    const uint32_t *codes; /* the missing one last */
    int64_t n;
    const int64_t *counts; /* by code */
} counted;

static uint32_t code_of(const counted *v, int64_t i)
{
    return v->codes != NULL ? v->codes[i] : (uint32_t)i;
}

static bool is_by_median(const kanon__column *c)
{
    kanon_type type = c->domain->type;
    return (type == KANON_TYPE_INTEGER || type == KANON_TYPE_DECIMAL) && kanon__n_numbers(c->domain) > MANY_NUMBERS;
}

/* The value at that place among the numbers, from 0. */
static double number_at(const counted *v, int64_t place)
{
    int64_t i = 0;
    while (place >= v->counts[code_of(v, i)])
        place -= v->counts[code_of(v, i++)];
    return kanon__domain_middle(v->domain, code_of(v, i));
}

/* The median of the numbers; false: there is none. */
static bool median_of(double *out, const counted *v)
{
    int64_t n = 0;
    for (int64_t i = 0; i < v->n && code_of(v, i) != v->domain->missing_code; i++)
        n += v->counts[code_of(v, i)];
    if (n > 0)
        *out = (number_at(v, (n - 1) / 2) + number_at(v, n / 2)) / 2;
    return n > 0;
}

static bool is_near(const kanon__domain *d, uint32_t code, double guess)
{
    return code != d->missing_code &&
           100 * fabs(kanon__domain_middle(d, code) - guess) <= TOLERANCE_PERCENT * fabs(guess);
}

static int64_t guess_number(const counted *v)
{
    double guess = 0;
    int64_t n_right = 0;
    bool some = median_of(&guess, v);
    for (int64_t i = 0; i < v->n; i++)
        n_right += !some || is_near(v->domain, code_of(v, i), guess) ? v->counts[code_of(v, i)] : 0;
    return n_right;
}

kanon__guess kanon__guess_of(kanon__group_values *v)
{
    kanon__guess guess = {.domain = v->column->domain, .by_median = is_by_median(v->column)};
    kanon__group_values_sort(v);
    if (guess.by_median)
        guess.some = median_of(&guess.number, &(counted){guess.domain, v->codes, v->n, v->counts});
    guess.most = kanon__group_values_most(v);
    for (int64_t i = 0; i < v->n; i++)
        guess.n_most += v->counts[v->codes[i]] == guess.most;
    return guess;
}

double kanon__guess_right(const kanon__guess *guess, uint32_t code, int64_t count)
{
    if (!guess->by_median)
        return count == guess->most ? 1 / (double)guess->n_most : 0;
    return guess->some ? is_near(guess->domain, code, guess->number) : code == guess->domain->missing_code;
}

int64_t kanon__values_guessed(const kanon__column *c, const int64_t *counts)
{
    counted all = {.domain = c->domain, .n = c->domain->n_codes, .counts = counts};
    int64_t most = 0;
    if (is_by_median(c))
        return guess_number(&all);
    for (int64_t code = 0; code < all.n; code++)
        most = counts[code] > most ? counts[code] : most;
    return most;
}

double kanon__group_guessed(kanon__group_values *v)
{
    if (!is_by_median(v->column))
        return (double)kanon__group_values_most(v);
    kanon__group_values_sort(v);
    return (double)guess_number(&(counted){v->column->domain, v->codes, v->n, v->counts});
}

double kanon__group_matched(kanon__group_values *v)
{
    double squares = 0;
    for (int64_t i = 0; i < v->n; i++)
        squares += (double)v->counts[v->codes[i]] * (double)v->counts[v->codes[i]];
    return squares / (double)v->size;
}

/* ---- the measures ------------------------------------------------------------------------------------------------ */

static double disco(const kanon__sums *s, int i)
{
    return kanon__sums_share(s, kanon__sums_fold(s, i, KANON__GROUP_SINGLE));
}

KANON__MEASURE_OF_SUMS(disco, SENSITIVE, false, KANON__SUM_OF(KANON__GROUP_SINGLE),
                       "DiSCO: records in groups with one value / records in groups, as homogeneous");

static double inference(const kanon__sums *s, int i)
{
    return kanon__sums_share(s, kanon__sums_fold(s, i, KANON__GROUP_GUESSED));
}

KANON__MEASURE_OF_SUMS(inference, SENSITIVE, false, KANON__SUM_OF(KANON__GROUP_GUESSED),
                       "records whose value is the most frequent one of their group / records in groups; of more than 20 "
                       "numbers those within 5 % of their group's median. 1 - inference is the classification metric of "
                       "Iyengar");

static double inference_base(const kanon__sums *s, int i)
{
    return kanon__ratio((double)kanon__values_guessed(kanon__sums_sensitive(s, i), s->totals[i]),
                        (double)kanon__sums_records(s));
}

KANON__MEASURE_OF_SUMS(inference_base, SENSITIVE, false, KANON__SUM_TOTALS,
                       "inference where all records in groups are one group: what is guessed without the others");

static double inference_gain(const kanon__sums *s, int i)
{
    double base = inference_base(s, i);
    return kanon__ratio(inference(s, i) - base, 1 - base);
}

KANON__MEASURE_OF_SUMS(inference_gain, SENSITIVE, false, KANON__SUM_OF(KANON__GROUP_GUESSED) | KANON__SUM_TOTALS,
                       "(inference - inference_base) / (1 - inference_base): what knowing the group adds");

static double cap(const kanon__sums *s, int i)
{
    return kanon__sums_share(s, kanon__sums_fold(s, i, KANON__GROUP_MATCHED));
}

KANON__MEASURE_OF_SUMS(cap, SENSITIVE, false, KANON__SUM_OF(KANON__GROUP_MATCHED),
                       "CAP: the mean over records in groups of the share of their group that has their value");

static double cap_base(const kanon__sums *s, int i)
{
    double squares = 0;
    for (uint32_t code = 0; code < kanon__sums_codes(s, i); code++)
        squares += (double)s->totals[i][code] * (double)s->totals[i][code];
    double n = (double)kanon__sums_records(s);
    return kanon__ratio(squares, n * n);
}

KANON__MEASURE_OF_SUMS(cap_base, SENSITIVE, false, KANON__SUM_TOTALS,
                       "CAP where all records in groups are one group");
