/* The lower bound: first the distance of each record to its (k-1)-th nearest other record, then prices that are climbed
 * under the overpriced groups found so far, searched for more of them, and every few rounds made fair. The proof is in
 * docs/lower-bound.md. Fair prices are a bound whatever came before, so the work can be stopped at any time. */
#include "bound/certificate.h"
#include "bound/survey.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"

#include <math.h>
#include <string.h>

enum { MOST_ROUNDS = 30, ROUNDS_TO_FAIR = 3, MOST_FAILURES = 2 };
static const double START = 2;          /* times the distance to the neighbour */
static const double LOOSE = 0.01;       /* of a typical price: what the search lets pass while prices are far from fair */
static const double TIGHT = 0.001;      /* and what it costs every record not to look closer when they are made fair */
static const double LEAST_GAIN = 0.001; /* two gains in a row below this: enough */
static const int64_t HASTY_BUDGET = 200000;
enum {
    UNITS_LOST = 3
}; /* where an attribute's costs are not whole units: how far a record's may be off, both ends rounded */

typedef struct improving {
    kanon__priced_table *table;
    kanon__survey *survey;
    kanon__cuts *cuts;
    double *prices; /* by tuple, 1 is D = 1 */
    double typical; /* an average price */
    int32_t *best;  /* fair prices, by tuple */
    int64_t best_sum;
    kanon_bound_options options;
    kanon__ticker ticker;
    double begun, round_seconds, fair_seconds; /* how long the last of its kind took */
    int64_t rounds;                            /* at most */
    bool timed_out;
    kanon_lower_bound *out;
} improving;

/* ---- time -------------------------------------------------------------------------------------------------------- */

static bool out_of_time(const improving *s, double ahead)
{
    return s->options.seconds > 0 && kanon__seconds() + ahead >= s->begun + s->options.seconds;
}

static int tick(const kanon_progress *progress, void *payload)
{
    improving *s = payload;
    kanon_progress whole = *progress; /* not of the survey or the climb, but of all rounds or the time there is */
    whole.done = s->options.seconds > 0 ? (int64_t)(1000 * (kanon__seconds() - s->begun)) : s->out->rounds;
    whole.total = s->options.seconds > 0 ? (int64_t)(1000 * s->options.seconds) : s->rounds;
    s->timed_out = s->timed_out || out_of_time(s, 0);
    return s->timed_out || (s->options.tick != NULL && s->options.tick(&whole, s->options.payload) != 0);
}

/* ---- prices ------------------------------------------------------------------------------------------------------ */

static int64_t sum_of(const kanon__priced_table *t, const int32_t *prices)
{
    int64_t sum = 0;
    for (int64_t tuple = 0; tuple < t->n; tuple++)
        sum += t->counts[tuple] * prices[tuple];
    return sum;
}

static int32_t in_units(const improving *s, double price)
{
    double units = floor(price * (double)s->table->space->scale);
    return units >= KANON__HIGHEST_PRICE  ? KANON__HIGHEST_PRICE
           : units <= KANON__LOWEST_PRICE ? KANON__LOWEST_PRICE
                                          : (int32_t)units;
}

/* The table's prices are fair: keep them if they are the best so far. True where that is a gain worth going on for. */
static bool keep(improving *s)
{
    int64_t sum = sum_of(s->table, s->table->prices), before = s->best_sum;
    if (sum <= before)
        return false;
    memcpy(s->best, s->table->prices, (size_t)s->table->n * sizeof *s->best);
    s->best_sum = sum;
    return (double)sum > (1 + LEAST_GAIN) * (double)before;
}

static kanon_status find_neighbours(improving *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__priced_table *t = s->table;
    KANON_TRY(kanon__priced_table_find_floors(t, &s->ticker, err), out);
    memcpy(t->prices, t->floors, (size_t)t->n * sizeof *t->prices);
    s->best_sum = INT64_MIN;
    keep(s);
    s->typical = (double)s->best_sum / (double)t->space->scale / (double)t->space->n_rows;
    for (int64_t tuple = 0; tuple < t->n; tuple++)
        s->prices[tuple] = START * t->floors[tuple] / (double)t->space->scale;
out:
    return st;
}

/* ---- rounds ------------------------------------------------------------------------------------------------------ */

static kanon_status search_round(improving *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    double begun = kanon__seconds();
    KANON_TRY(kanon__survey_begin(s->survey, err), out);
    KANON_TRY(kanon__survey_ask(s->survey, in_units(s, LOOSE * s->typical), HASTY_BUDGET, &s->ticker, err), out);
    KANON_TRY(kanon__cuts_take(s->cuts, s->survey->findings, s->survey->n, err), out);
    s->round_seconds = kanon__seconds() - begun;
out:
    return st;
}

static kanon_status fair_round(improving *s, bool *gained, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool fair;
    double begun = kanon__seconds();
    KANON_TRY(kanon__survey_make_fair(s->survey, in_units(s, TIGHT * s->typical), s->cuts, &fair, &s->ticker, err), out);
    *gained = fair && keep(s);
    s->fair_seconds = kanon__seconds() - begun;
out:
    return st;
}

/* Whether there is no time for another round before prices are made fair: then they are made so in every round. */
static bool is_late(const improving *s)
{
    enum { FAIR_COST = 8 }; /* in rounds, as long as it is not known */
    double fair = s->fair_seconds > 0 ? s->fair_seconds : FAIR_COST * s->round_seconds;
    return s->round_seconds > 0 && out_of_time(s, s->round_seconds + 1.3 * fair);
}

static kanon_status improve(improving *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__priced_table *t = s->table;
    int failures = 0;
    s->rounds = s->options.rounds > 0 ? s->options.rounds : MOST_ROUNDS;
    KANON_TRY(kanon__survey_new(&s->survey, s->table, err), out);
    KANON_TRY(kanon__cuts_new(&s->cuts, s->table, err), out);
    for (int round = 0; round < s->rounds && failures < MOST_FAILURES && s->typical > 0; round++) {
        for (int64_t tuple = 0; tuple < t->n; tuple++)
            s->table->prices[tuple] = in_units(s, s->prices[tuple]);
        if (is_late(s) || round % ROUNDS_TO_FAIR == ROUNDS_TO_FAIR - 1 || round == s->rounds - 1) {
            bool gained;
            KANON_TRY(fair_round(s, &gained, err), out);
            failures = gained ? 0 : failures + 1;
        } else {
            KANON_TRY(search_round(s, err), out);
        }
        s->out->rounds = round + 1;
        KANON_TRY(kanon__cuts_climb(s->cuts, s->prices, s->typical, &s->ticker, err), out);
    }
out:
    return st;
}

/* ---- the result -------------------------------------------------------------------------------------------------- */

/* Costs that are not whole units were rounded, perhaps upwards: every price gives back what that can have been. */
static int32_t rounding_loss(const kanon__space *space)
{
    int32_t lost = 0;
    for (int i = 0; i < space->n_dimensions; i++)
        lost += space->dimensions[i].exact ? 0 : UNITS_LOST;
    return lost;
}

static double value_of(const improving *s, int64_t sum)
{
    double value = (double)sum / (double)s->table->space->scale;
    return sum > 0 ? nextafter(value, 0) : 0; /* prices that add up to less than nothing say nothing */
}

static kanon_status fill(improving *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__priced_table *t = s->table;
    kanon_lower_bound *b = s->out;
    int32_t lost = rounding_loss(t->space);
    int64_t given_back = lost * t->space->n_rows;
    int64_t *prices = NULL;
    KANON_TRY(kanon__new_array(&prices, t->space->n_rows, "prices", err), out);
    for (int64_t place = 0; place < t->n; place++) {
        int64_t tuple = t->index->order[place];
        for (int64_t i = t->tuples->begins[tuple]; i < t->tuples->begins[tuple + 1]; i++)
            prices[t->tuples->rows[i]] = s->best[place] - lost;
    }
    b->price_sum = s->best_sum - given_back;
    b->scale = t->space->scale;
    b->lower_bound = value_of(s, b->price_sum);
    b->neighbour_bound = value_of(s, sum_of(t, t->floors) - given_back);
    b->prices = prices;
out:
    return st;
}

static kanon_status check_options(const kanon_table *table, kanon_bound_options *o, kanon_error *err)
{
    o->k = o->k > 0 ? o->k : table->schema_k;
    if (o->k < 2)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "no k is given"),
                           "give -k K, or privacy: {k: K} in the schema");
    if (o->k > table->n_rows)
        return kanon__fail(err, KANON_EINFEASIBLE, "the table has %lld records, no group can have %lld",
                           (long long)table->n_rows, (long long)o->k);
    return KANON_OK;
}

static kanon_status run(improving *s, const kanon_table *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__priced_table_new(&s->table, table, s->options.k, s->options.threads, err), out);
    KANON_TRY(kanon__new_array(&s->prices, s->table->n, "prices", err), out);
    KANON_TRY(kanon__new_array(&s->best, s->table->n, "prices", err), out);
    kanon__ticker_init(&s->ticker, s->options.tick, s->options.payload,
                       "finding neighbours"); /* there is no less than this */
    KANON_TRY(find_neighbours(s, err), out);
    kanon__ticker_init(&s->ticker, tick, s, "improving the bound");
    st = out_of_time(s, 0) ? KANON_ECANCELLED : improve(s, err);
    s->timed_out = s->timed_out || out_of_time(s, 0);
    if (st == KANON_ECANCELLED) {
        s->out->stopped = 1;
        st = KANON_OK;
    }
    if (st == KANON_OK)
        st = fill(s, err);
out:
    return st;
}

static kanon_status find_bound(kanon_lower_bound **out, const kanon_table *table, const kanon_bound_options *options,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    improving s = {.begun = kanon__seconds()};
    kanon__output *certificate = NULL;
    *out = NULL;
    KANON_TRY(kanon__take_options(&s.options, sizeof s.options, options, err), out);
    kanon__call_ticks(&s.options.tick, &s.options.payload);
    KANON_TRY(check_options(table, &s.options, err), out);
    if (s.options.certificate != NULL) /* a place that cannot be written to should be known now */
        KANON_TRY(kanon__certificate_open(&certificate, table, s.options.certificate, err), out);
    KANON_TRY(kanon__new_array(&s.out, 1, "the bound", err), out);
    s.out->records = table->n_rows;
    s.out->k = s.options.k;
    KANON_TRY(run(&s, table, err), out);
    s.out->seconds = kanon__seconds() - s.begun;
    if (certificate != NULL)
        KANON_TRY(kanon__certificate_write(certificate, table, s.out, err), out);
    *out = s.out;
    s.out = NULL;
out:
    kanon_lower_bound_free(s.out);
    kanon__output_free(certificate);
    kanon__free(s.best);
    kanon__free(s.prices);
    kanon__cuts_free(s.cuts);
    kanon__survey_free(s.survey);
    kanon__priced_table_free(s.table);
    return st;
}

kanon_status kanon_bound(kanon_lower_bound **out, const kanon_table *table, const kanon_bound_options *options,
                         kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    return kanon__call_end(&call, find_bound(out, table, options, err));
}

void kanon_lower_bound_free(kanon_lower_bound *b)
{
    if (b == NULL)
        return;
    kanon__free((void *)b->prices);
    kanon__free(b);
}
