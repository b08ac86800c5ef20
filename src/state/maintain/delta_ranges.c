/* The rule: a column is questioned where the delta makes its range more than GROWTH times as wide; two columns, where
 * records have numbers outside the range of one of them and both would fit if they were exchanged. Numbers are compared
 * as doubles: nothing depends on the last digit. Columns whose records have had one value so far have no range to
 * grow. */
#include "state/maintain/delta_ranges.h"

#include "core/alloc.h"
#include "state/store/current_space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { GROWTH = 2, MOST_COLUMNS = 64 };

/* A quasi column of numbers or dates: its range so far, and with the delta. */
typedef struct number_column {
    const kanon__state_column *column;
    int number, dimension;
    bool known; /* some record has a value */
    double lo, hi, new_lo, new_hi;
    double value; /* of the record at hand; NAN: missing */
} number_column;

struct kanon__delta_ranges {
    int n;
    number_column columns[MOST_COLUMNS]; /* those behind are not looked at */
    int64_t exchanged[MOST_COLUMNS][MOST_COLUMNS];
};

static double value_of(int64_t code, int scale)
{
    return code == KANON__NULL_CODE ? NAN : (double)code / pow(10, scale);
}

kanon_status kanon__delta_ranges_new(kanon__delta_ranges **out, const kanon_state *s, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, 1, "ranges", err);
    for (int i = 0; st == KANON_OK && i < s->n_dimensions && (*out)->n < MOST_COLUMNS; i++) {
        const kanon__current_dimension *d = &s->space->dimensions[i];
        const kanon__state_column *c = &s->columns[s->dimensions[i]];
        if (!d->numeric)
            continue;
        number_column *to = &(*out)->columns[(*out)->n++];
        *to = (number_column){.column = c, .number = s->dimensions[i], .dimension = i, .known = d->lo <= d->hi};
        to->new_lo = to->lo = to->known ? value_of(d->lo, c->scale) : 0;
        to->new_hi = to->hi = to->known ? value_of(d->hi, c->scale) : 0;
    }
    return st;
}

void kanon__delta_ranges_free(kanon__delta_ranges *ranges)
{
    kanon__free(ranges);
}

static bool fits(const number_column *c, double value)
{
    return c->known && value >= c->lo && value <= c->hi;
}

static bool of_one_kind(const number_column *a, const number_column *b)
{
    return (a->column->type == KANON_TYPE_DATE) == (b->column->type == KANON_TYPE_DATE);
}

void kanon__delta_ranges_note(kanon__delta_ranges *r, const int64_t *codes, const int *scales)
{
    bool outside = false;
    for (int i = 0; i < r->n; i++) {
        number_column *c = &r->columns[i];
        c->value = value_of(codes[c->dimension], scales[c->number]);
        if (isnan(c->value) || !c->known)
            continue;
        outside = outside || !fits(c, c->value);
        c->new_lo = fmin(c->new_lo, c->value);
        c->new_hi = fmax(c->new_hi, c->value);
    }
    for (int i = 0; outside && i < r->n; i++)
        for (int j = i + 1; j < r->n; j++) {
            const number_column *a = &r->columns[i], *b = &r->columns[j];
            if (of_one_kind(a, b) && fits(b, a->value) && fits(a, b->value) && !(fits(a, a->value) && fits(b, b->value)))
                r->exchanged[i][j]++;
        }
}

/* The greatest of 2, 5, 10, 20, 50 ... that is below the growth: the exact figure would tell a value. */
static double rounded(double growth)
{
    static const double steps[] = {2, 5, 10};
    double unit = 1, best = GROWTH;
    for (; unit < 1e15; unit *= 10)
        for (int i = 0; i < 3; i++)
            if (steps[i] * unit < growth)
                best = steps[i] * unit;
    return best;
}

void kanon__delta_ranges_question(char out[KANON__QUESTION], const kanon__delta_ranges *r)
{
    size_t used = 0;
    out[0] = '\0';
    for (int i = 0; i < r->n && used < KANON__QUESTION; i++) {
        const number_column *c = &r->columns[i];
        double growth = c->known && c->hi > c->lo ? (c->new_hi - c->new_lo) / (c->hi - c->lo) : 1;
        if (growth > GROWTH)
            used += (size_t)snprintf(out + used, KANON__QUESTION - used,
                                     "%s%s: the delta makes its range more than %.0f times as wide", used > 0 ? "; " : "",
                                     c->column->name, rounded(growth));
    }
    for (int i = 0; i < r->n && used < KANON__QUESTION; i++)
        for (int j = i + 1; j < r->n && used < KANON__QUESTION; j++)
            if (r->exchanged[i][j] > 0)
                used += (size_t)snprintf(out + used, KANON__QUESTION - used,
                                         "%s%s and %s: %lld records fit if the two are exchanged",
                                         used > 0 ? "; " : "", r->columns[i].column->name, r->columns[j].column->name,
                                         (long long)r->exchanged[i][j]);
}
