/* How a row comes about:
 *
 *     row --chain--> the row that is the patient's first visit --> person, first diagnosis and day
 *      `---------------- visit ----------------------------------> later diagnosis and day, cost, gaps
 *
 * Each of the three has a random stream of its own for every row, so that a person can be made again whenever one of their
 * later visits is printed; nothing is remembered. Everything is drawn with whole numbers from tables of running sums. */
#include "sample/hospital_rows.h"

#include "sample/hospital_values.h"
#include "sample/sample_stream.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_YEAR = 2020, N_YEARS = 5, N_DAYS = 1827, FIRST_WEEKDAY = 2 /* 2020-01-01, from Monday = 0 */ };
enum { N_AGES = SAMPLE_OLDEST + 1, DATE_LENGTH = 10 };
enum { LATER_VISITS_PER_MILLE = 30, SAME_DIAGNOSIS_PERCENT = 35, DOUBLE_NAME_PERCENT = 4 };
enum { POWER_BITS = 8, N_POWERS = 1 << POWER_BITS };

typedef enum stream { CHAIN, PERSON, VISIT, N_STREAMS } stream;
enum { WOMAN, MAN, OTHER, N_SEXES };

/* Running sums of weights: value i is drawn where sums[i-1] <= draw < sums[i]. */
struct hospital {
    uint64_t seed;
    uint32_t ages[N_AGES];
    uint32_t zips[SAMPLE_N_ZIPS];
    uint32_t maritals[N_AGES][SAMPLE_N_MARITAL];
    uint32_t occupations[N_SEXES][SAMPLE_N_DISTRICTS][SAMPLE_N_OCCUPATIONS];
    uint32_t diagnoses[N_SEXES][N_AGES][SAMPLE_N_DIAGNOSES];
    uint32_t days[SAMPLE_N_SEASONS][N_DAYS];
    uint32_t powers[N_POWERS + 1]; /* 2^(i / N_POWERS) in units of 2^-16 */
    char dates[N_DAYS][DATE_LENGTH];
};

typedef struct person {
    int64_t number;
    int sex;
    bool womans_name;
    int age, birthday;                           /* at the first visit: years, and days since the last birthday */
    int first_name, last_name, second_last_name; /* the second one: -1 for most */
    int zip, trade;
    uint32_t marital, working; /* where in life they are at an age: per mille of people who are less far */
    int diagnosis, day;        /* of the first visit */
} person;

/* ---- tables ------------------------------------------------------------------------------------------------------ */

/* The figure for an age, times `scale`. */
static uint32_t at_age(const uint16_t figures[SAMPLE_N_ANCHORS], int age, uint32_t scale)
{
    int i = 1;
    while (sample_anchors[i] < age)
        i++;
    uint32_t width = (uint32_t)(sample_anchors[i] - sample_anchors[i - 1]);
    uint32_t past = (uint32_t)(age - sample_anchors[i - 1]);
    return (figures[i - 1] * (width - past) + figures[i] * past) * scale / width;
}

static void sum_up(uint32_t *weights, int n)
{
    for (int i = 1; i < n; i++)
        weights[i] += weights[i - 1];
}

static uint32_t for_sex(int sex, uint32_t women, uint32_t men)
{
    if (sex == WOMAN)
        return women;
    if (sex == MAN)
        return men;
    return women > 0 && men > 0 ? (women + men) / 2 : 0;
}

static uint32_t diagnosis_weight(const sample_diagnosis *d, int sex, int age)
{
    if (age < d->first_age || age > d->last_age)
        return 0;
    return at_age(d->weight, age, 32) * for_sex(sex, d->women, d->men);
}

static void fill_people(hospital *h)
{
    for (int age = 0; age < N_AGES; age++) {
        h->ages[age] = at_age(sample_age_weight, age, 16);
        for (int i = 0; i < SAMPLE_N_MARITAL; i++)
            h->maritals[age][i] = at_age(sample_maritals[i].per_mille, age, 1000);
        sum_up(h->maritals[age], SAMPLE_N_MARITAL);
    }
    sum_up(h->ages, N_AGES);
    for (int i = 0; i < SAMPLE_N_ZIPS; i++)
        h->zips[i] = sample_zips[i].weight;
    sum_up(h->zips, SAMPLE_N_ZIPS);
}

static void fill_choices(hospital *h)
{
    for (int sex = 0; sex < N_SEXES; sex++) {
        for (int district = 0; district < SAMPLE_N_DISTRICTS; district++) {
            uint32_t *sums = h->occupations[sex][district];
            for (int i = 0; i < SAMPLE_N_OCCUPATIONS; i++) {
                const sample_occupation *o = &sample_occupations[i];
                sums[i] = for_sex(sex, o->women, o->men) * o->district[district];
            }
            sum_up(sums, SAMPLE_N_OCCUPATIONS);
        }
        for (int age = 0; age < N_AGES; age++) {
            for (int i = 0; i < SAMPLE_N_DIAGNOSES; i++)
                h->diagnoses[sex][age][i] = diagnosis_weight(&sample_diagnoses[i], sex, age);
            sum_up(h->diagnoses[sex][age], SAMPLE_N_DIAGNOSES);
        }
    }
}

static void put_digits(char *at, int value, int n_digits)
{
    for (int i = n_digits - 1; i >= 0; i--, value /= 10)
        at[i] = (char)('0' + value % 10);
}

static void put_date(char at[DATE_LENGTH], int year, int month, int day)
{
    put_digits(at, year, 4);
    at[4] = '-';
    put_digits(at + 5, month, 2);
    at[7] = '-';
    put_digits(at + 8, day, 2);
}

/* A little more is done every year. */
static uint32_t day_weight(sample_season season, int weekday, int month, int year)
{
    uint32_t growth = (uint32_t)(100 + 2 * (year - FIRST_YEAR));
    return sample_weekday_weight[season][weekday] * (uint32_t)sample_month_weight[season][month - 1] * growth / 100;
}

static void fill_days(hospital *h)
{
    static const int month_days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int n = 0;
    for (int year = FIRST_YEAR; year < FIRST_YEAR + N_YEARS; year++)
        for (int month = 1; month <= 12; month++) {
            int last = month_days[month - 1] + (month == 2 && year % 4 == 0);
            for (int day = 1; day <= last; day++, n++) {
                put_date(h->dates[n], year, month, day);
                for (int season = 0; season < SAMPLE_N_SEASONS; season++)
                    h->days[season][n] = day_weight(season, (FIRST_WEEKDAY + n) % 7, month, year);
            }
        }
    for (int season = 0; season < SAMPLE_N_SEASONS; season++)
        sum_up(h->days[season], N_DAYS);
}

static void fill_powers(hospital *h)
{
    const uint64_t step = 1076653033; /* 2^(1/256) in units of 2^-30 */
    uint64_t power = (uint64_t)1 << 30;
    for (int i = 0; i <= N_POWERS; i++) {
        h->powers[i] = (uint32_t)(power >> 14);
        power = power * step >> 30;
    }
}

kanon_status hospital_new(hospital **out, uint64_t seed, kanon_error *err)
{
    kanon_status st = sample_new((void **)out, sizeof **out, "the sample hospital", err);
    if (st != KANON_OK)
        return st;
    (*out)->seed = seed;
    fill_people(*out);
    fill_choices(*out);
    fill_days(*out);
    fill_powers(*out);
    return KANON_OK;
}

void hospital_free(hospital *h)
{
    free(h);
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void open_stream(sample_stream *out, const hospital *h, int64_t row, stream which)
{
    sample_stream_init(out, h->seed, (uint64_t)row * N_STREAMS + which);
}

/* Uniform in [0, n) up to a bias of n / 2^32, which nobody can see in a sample. */
static uint32_t draw(sample_stream *random, uint32_t n)
{
    return (uint32_t)((sample_stream_next(random) >> 32) * n >> 32);
}

static bool chance(sample_stream *random, uint32_t percent)
{
    return draw(random, 100) < percent;
}

/* The first of n values whose running sum is above `x`. */
static int find(const uint32_t *sums, int n, uint32_t x)
{
    const uint32_t *at = sums;
    while (n > 1) {
        int half = n / 2;
        at += at[half - 1] <= x ? half : 0;
        n -= half;
    }
    return (int)(at - sums);
}

static int pick(sample_stream *random, const uint32_t *sums, int n)
{
    return find(sums, n, draw(random, sums[n - 1]));
}

/* Small numbers more often than large ones. */
static int pick_skewed(sample_stream *random, uint32_t n)
{
    return (int)draw(random, draw(random, n) + 1);
}

/* ---- people ------------------------------------------------------------------------------------------------------ */

static int pick_sex(sample_stream *random, int age)
{
    if (draw(random, 1000) < 3)
        return OTHER;
    return draw(random, 1000) < at_age(sample_women_per_mille, age, 1) ? WOMAN : MAN;
}

/* Names follow fashion: the lists run from the oldest generation to the youngest. */
static int pick_first_name(sample_stream *random, int age, int n)
{
    int reach = n / 4;
    int at = (SAMPLE_OLDEST - age) * n / N_AGES + (int)draw(random, (uint32_t)reach) - (int)draw(random, (uint32_t)reach);
    if (at < 0)
        return -at;
    return at < n ? at : 2 * (n - 1) - at;
}

static void pick_names(person *p, sample_stream *random)
{
    p->womans_name = p->sex == OTHER ? chance(random, 50) : p->sex == WOMAN;
    p->first_name = pick_first_name(random, p->age, p->womans_name ? SAMPLE_N_WOMENS_NAMES : SAMPLE_N_MENS_NAMES);
    p->last_name = pick_skewed(random, SAMPLE_N_LAST_NAMES);
    p->second_last_name = -1;
    if (p->age >= 18 && chance(random, DOUBLE_NAME_PERCENT)) {
        int second = pick_skewed(random, SAMPLE_N_LAST_NAMES);
        p->second_last_name = second != p->last_name ? second : -1;
    }
}

static void make_person(person *out, const hospital *h, int64_t row)
{
    sample_stream random;
    open_stream(&random, h, row, PERSON);
    person p = {.number = row + 1};
    p.age = pick(&random, h->ages, N_AGES);
    p.birthday = (int)draw(&random, 365);
    p.sex = pick_sex(&random, p.age);
    pick_names(&p, &random);
    p.zip = pick(&random, h->zips, SAMPLE_N_ZIPS);
    p.trade = pick(&random, h->occupations[p.sex][sample_zips[p.zip].district], SAMPLE_N_OCCUPATIONS);
    p.marital = draw(&random, 1000);
    p.working = draw(&random, 1000);
    p.diagnosis = pick(&random, h->diagnoses[p.sex][p.age], SAMPLE_N_DIAGNOSES);
    /* Nobody comes for the first time on the last day, so that there is always a day for a later visit. */
    p.day = pick(&random, h->days[sample_diagnoses[p.diagnosis].season], N_DAYS - 1);
    *out = p;
}

static const char *marital_status_at(const hospital *h, const person *p, int age)
{
    const uint32_t *sums = h->maritals[age];
    uint64_t place = (uint64_t)p->marital * sums[SAMPLE_N_MARITAL - 1] / 1000;
    return sample_maritals[age < 18 ? 0 : find(sums, SAMPLE_N_MARITAL, (uint32_t)place)].name;
}

/* How many of a thousand study, or are not yet retired, at an age. */
static uint32_t studying(int age)
{
    return age < 30 ? (uint32_t)(30 - age) * 50 : 0;
}

static uint32_t not_retired(int age)
{
    static const uint16_t from_55_to_74[] = {970, 960, 945, 930, 910, 850, 800, 720, 560, 480,
                                             240, 160, 80,  60,  50,  40,  30,  20,  15,  10};
    if (age < 55)
        return 1000;
    return age < 75 ? from_55_to_74[age - 55] : 0;
}

static const char *occupation_at(const person *p, int age)
{
    int is = p->trade;
    if (age < 6)
        is = SAMPLE_NO_OCCUPATION;
    else if (age < 18)
        is = SAMPLE_PUPIL;
    else if (p->working < studying(age) || age < sample_occupations[is].first_age)
        is = SAMPLE_STUDENT;
    else if (p->working >= not_retired(age) && is != SAMPLE_HOMEMAKER)
        is = SAMPLE_RETIRED;
    return sample_occupations[is].name;
}

/* ---- visits ------------------------------------------------------------------------------------------------------ */

/* The row of the first visit of the patient in `row`. */
static int64_t first_visit(const hospital *h, int64_t row)
{
    sample_stream random;
    while (row > 0) {
        open_stream(&random, h, row, CHAIN);
        if (draw(&random, 1000) >= LATER_VISITS_PER_MILLE)
            break;
        row = sample_stream_below(&random, row);
    }
    return row;
}

static int pick_later_diagnosis(sample_stream *random, const person *p, const uint32_t *sums)
{
    bool possible = sums[p->diagnosis] > (p->diagnosis > 0 ? sums[p->diagnosis - 1] : 0);
    if (possible && chance(random, SAME_DIAGNOSIS_PERCENT))
        return p->diagnosis;
    return pick(random, sums, SAMPLE_N_DIAGNOSES);
}

static int pick_later_day(sample_stream *random, const uint32_t *sums, int first_day)
{
    for (int i = 0; i < 8; i++) {
        int day = pick(random, sums, N_DAYS);
        if (day > first_day)
            return day;
    }
    return first_day + 1 + (int)draw(random, (uint32_t)(N_DAYS - 1 - first_day));
}

static int age_on(const person *p, int day)
{
    int age = p->age + (p->birthday + day - p->day) * 4 / 1461;
    return age < SAMPLE_OLDEST ? age : SAMPLE_OLDEST;
}

/* 2^(x / 65536) * amount, for -16 < x / 65536 < 16 and amounts below 2^30. */
static int64_t times_power(const hospital *h, int64_t amount, int64_t x)
{
    int64_t shifted = x + (16 << 16);
    int64_t whole = shifted >> 16, part = shifted & 0xffff;
    int64_t i = part >> POWER_BITS, rest = part & (N_POWERS - 1);
    int64_t power = h->powers[i] * (N_POWERS - rest) + h->powers[i + 1] * rest;
    return (amount * power >> (POWER_BITS + 16)) * ((int64_t)1 << whole) >> 16;
}

/* The sum of eight 16-bit numbers, less its mean: nearly normal, with a standard deviation of 65536 * sqrt(8 / 12). */
static int64_t bell(sample_stream *random)
{
    uint64_t a = sample_stream_next(random), b = sample_stream_next(random);
    int64_t sum = -8 * 65535 / 2;
    for (int i = 0; i < 64; i += 16)
        sum += (int64_t)(a >> i & 0xffff) + (int64_t)(b >> i & 0xffff);
    return sum;
}

/* Treatments are charged in points of a tariff, dear ones in coarser steps: some 15,000 different amounts in all. */
static int64_t tariff_cents(int64_t cents)
{
    static const struct {
        int64_t below, step;
    } tariff[] = {{5000, 1}, {20000, 5}, {100000, 20}, {400000, 100}};
    const int64_t cents_per_point = 237, fewest = 20;
    int64_t points = cents / cents_per_point;
    if (points < fewest)
        points = fewest;
    for (size_t i = 0; i < sizeof tariff / sizeof *tariff; i++)
        if (points < tariff[i].below)
            return points / tariff[i].step * tariff[i].step * cents_per_point;
    return 400000 * cents_per_point;
}

static int64_t pick_cost(const hospital *h, sample_stream *random, const sample_diagnosis *d, int age)
{
    int64_t median = (int64_t)d->median_cost * at_age(sample_cost_percent, age, 1); /* in cents: percent of whole units */
    /* sigma = spread / 100; the factor takes the bell's width and the base of the logarithm to units of times_power. */
    int64_t cents = times_power(h, median, bell(random) * d->spread * 17669 / 1000000);
    if (draw(random, 1500) == 0) /* something went very wrong */
        cents *= 4 + draw(random, 12);
    return tariff_cents(cents);
}

/* ---- printing ---------------------------------------------------------------------------------------------------- */

static char *put(char *at, const char *text)
{
    size_t length = strlen(text);
    memcpy(at, text, length);
    return at + length;
}

static char *put_integer(char *at, int64_t value, int least_digits)
{
    char digits[20];
    int n = 0;
    for (; value > 0 || n < least_digits; value /= 10)
        digits[n++] = (char)('0' + value % 10);
    while (n > 0)
        *at++ = digits[--n];
    return at;
}

static char *put_name(char *at, const person *p)
{
    at = put(at, (p->womans_name ? sample_womens_names : sample_mens_names)[p->first_name]);
    *at++ = ' ';
    at = put(at, sample_last_names[p->last_name]);
    if (p->second_last_name >= 0) {
        *at++ = '-';
        at = put(at, sample_last_names[p->second_last_name]);
    }
    return at;
}

/* Whether a cell is left out, which clerks write in two ways. */
static bool put_gap(char **at, sample_stream *random, uint32_t per_myriad)
{
    uint32_t x = draw(random, 20000);
    if (x >= 2 * per_myriad)
        return false;
    if (x % 2 == 0)
        *(*at)++ = '?';
    return true;
}

static char *put_or_gap(char *at, const char *text, sample_stream *random, uint32_t per_myriad)
{
    return put_gap(&at, random, per_myriad) ? at : put(at, text);
}

static char *put_cost_or_gap(char *at, int64_t cents, sample_stream *random, uint32_t per_myriad)
{
    if (put_gap(&at, random, per_myriad))
        return at;
    at = put_integer(at, cents / 100, 1);
    *at++ = '.';
    return put_integer(at, cents % 100, 2);
}

size_t hospital_row(const hospital *h, int64_t row, char out[HOSPITAL_ROW])
{
    person p;
    sample_stream random;
    make_person(&p, h, first_visit(h, row));
    open_stream(&random, h, row, VISIT);
    int diagnosis = p.diagnosis, day = p.day, age = p.age;
    if (p.number != row + 1) {
        /* The day comes first, because the diagnosis must suit the age on that day. */
        day = pick_later_day(&random, h->days[sample_diagnoses[p.diagnosis].season], p.day);
        age = age_on(&p, day);
        diagnosis = pick_later_diagnosis(&random, &p, h->diagnoses[p.sex][age]);
    }
    int64_t cents = pick_cost(h, &random, &sample_diagnoses[diagnosis], age);

    char *at = out;
    *at++ = 'P';
    at = put_integer(at, p.number, 7);
    *at++ = ',';
    at = put_name(at, &p);
    *at++ = ',';
    at = put_integer(at, age, 1);
    *at++ = ',';
    *at++ = "FMX"[p.sex];
    *at++ = ',';
    at = put_or_gap(at, sample_zips[p.zip].text, &random, 70);
    *at++ = ',';
    at = put_or_gap(at, marital_status_at(h, &p, age), &random, 50);
    *at++ = ',';
    at = put_or_gap(at, occupation_at(&p, age), &random, 150);
    *at++ = ',';
    memcpy(at, h->dates[day], DATE_LENGTH);
    at += DATE_LENGTH;
    *at++ = ',';
    at = put(at, sample_diagnoses[diagnosis].name);
    *at++ = ',';
    at = put_cost_or_gap(at, cents, &random, 20);
    *at++ = '\n';
    return (size_t)(at - out);
}
