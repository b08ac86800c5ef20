/* strips: every width is measured anew, every programme looks at whole runs of records. */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DENSE = 15, K_OF_STEPS = 32, STEPS_OF_K = 16 };

typedef struct work {
    const ref_job *job;
    int *group, n_groups;
    bool *is_cut;       /* by quasi attribute: slabs were cut along it */
    int64_t *positions; /* by quasi attribute and record; 0 for a category */
} work;

/* Records in an order, and where runs of them end. */
typedef struct cuts {
    int *records, n;
    int *ends, n_ends;
    int64_t loss;
} cuts;

static int *copy_of(const int *records, int n)
{
    int *copy = REF_NEW(int, n);
    memcpy(copy, records, (size_t)n * sizeof *copy);
    return copy;
}

static void find_positions(work *w)
{
    const ref_model *model = w->job->model;
    w->positions = REF_NEW(int64_t, (int64_t)model->n_quasi * model->n);
    for (int a = 0; a < model->n_quasi; a++)
        for (int i = 0; model->quasi[a].numeric && i < model->n; i++)
            w->positions[a * model->n + i] = ref_position(model, a, i);
}

static int64_t position(const work *w, int a, int record)
{
    return w->positions[a * w->job->model->n + record];
}

static int64_t width(const work *w, int a, const int *records, int n)
{
    int64_t least = INT64_MAX, most = INT64_MIN, full = w->job->model->quasi[a].center_full;
    for (int i = 0; i < n; i++) {
        int64_t here = position(w, a, records[i]);
        least = here < least ? here : least;
        most = here > most ? here : most;
    }
    return most - least < full ? most - least : full;
}

/* By insertion, so equal ones stay as they are: by record. */
static int *sorted_along(const work *w, const int *records, int n, int a)
{
    int *sorted = REF_NEW(int, n);
    for (int i = 0; i < n; i++) {
        int place = i;
        int64_t here = position(w, a, records[i]);
        for (; place > 0; place--) {
            int64_t before = position(w, a, sorted[place - 1]);
            if (before < here || (before == here && sorted[place - 1] < records[i]))
                break;
            sorted[place] = sorted[place - 1];
        }
        sorted[place] = records[i];
    }
    return sorted;
}

/* Ends from the last one back, turned around. */
static int follow_back(const int *previous, int n, int *ends)
{
    int n_ends = 0;
    for (int at = n; at > 0; at = previous[at])
        n_ends++;
    for (int at = n, i = n_ends; at > 0; at = previous[at])
        ends[--i] = at;
    return n_ends;
}

/* ---- groups of sorted records ------------------------------------------------------------------------------------ */

static int64_t group_loss(const work *w, const int *records, int n)
{
    int64_t sum = 0;
    for (int a = 0; a < w->job->model->n_quasi; a++)
        if (w->job->model->quasi[a].numeric)
            sum += width(w, a, records, n);
    return n * sum;
}

static int64_t cut_into_groups(const work *w, const int *records, int n, int *ends, int *n_ends)
{
    int k = (int)w->job->k, step = k < K_OF_STEPS ? 1 : k / STEPS_OF_K, n_steps = n / step, *previous = REF_NEW(int, n + 1);
    int most = 2 * k - 1 + (step > 1 ? 2 * step : 0);
    int64_t *least = REF_NEW(int64_t, n + 1);
    for (int end = 1; end <= n; end++)
        least[end] = INT64_MAX;
    for (int i = 1; i <= n_steps; i++) {
        int end = n * i / n_steps;
        for (int size = k; size <= most && size <= end; size++) {
            int64_t before = least[end - size];
            if (before == INT64_MAX)
                continue;
            int64_t loss = before + group_loss(w, records + end - size, size);
            if (loss < least[end]) {
                least[end] = loss;
                previous[end] = end - size;
            }
        }
    }
    int64_t loss = least[n];
    *n_ends = follow_back(previous, n, ends);
    free(least);
    free(previous);
    return loss;
}

/* ---- strips ------------------------------------------------------------------------------------------------------ */

/* Where steps end. */
static int find_steps(const work *w, const int *records, int n, int first, int64_t apart, int *ends)
{
    int n_steps = 0, begin = 0;
    for (int i = 1; i < n; i++) {
        int64_t here = position(w, first, records[i]);
        if (here != position(w, first, records[i - 1]) && i - begin >= apart) {
            ends[n_steps++] = i;
            begin = i;
        }
    }
    ends[n_steps++] = n;
    return n_steps;
}

static int64_t strip_estimate(const work *w, const int *records, int n, int first, int second, double length)
{
    double lengths = length * (double)(w->job->k - 1) * (double)width(w, second, records, n);
    return n * width(w, first, records, n) + (int64_t)lengths;
}

/* The records are sorted along `first`; where strips end is written to `ends`, their number returned. */
static int choose_strips(const work *w, const int *records, int n, int first, int second, double length, int *ends)
{
    double ratio = (double)width(w, first, records, n) / (double)width(w, second, records, n);
    double expected = sqrt((double)n * (double)w->job->k / ratio);
    int *steps = REF_NEW(int, n), *previous = REF_NEW(int, n + 1);
    int64_t *least = REF_NEW(int64_t, n + 1);
    int n_steps = find_steps(w, records, n, first, (int64_t)floor(expected / 16), steps);
    for (int last = 0; last < n_steps; last++) {
        int end = steps[last];
        least[end] = INT64_MAX;
        for (int from = last; from >= 0; from--) {
            int begin = from > 0 ? steps[from - 1] : 0;
            if (end - begin < w->job->k || least[begin] == INT64_MAX)
                continue;
            if (end - begin > (int64_t)(4 * expected) && least[end] < INT64_MAX)
                continue;
            int64_t loss = least[begin] + strip_estimate(w, records + begin, end - begin, first, second, length);
            if (loss < least[end]) {
                least[end] = loss;
                previous[end] = begin;
            }
        }
    }
    int n_strips = follow_back(previous, n, ends);
    free(least);
    free(previous);
    free(steps);
    return n_strips;
}

static cuts cuts_new(int n)
{
    return (cuts){.records = REF_NEW(int, n), .n = n, .ends = REF_NEW(int, n)};
}

static void cuts_clear(cuts *c)
{
    free(c->records);
    free(c->ends);
}

static cuts cut_strips(const work *w, const int *along_first, int n, const int *borders, int n_borders, int second)
{
    cuts c = cuts_new(n);
    for (int i = 0, begin = 0; i < n_borders; begin = borders[i++]) {
        int size = borders[i] - begin, n_ends;
        int *strip = sorted_along(w, along_first + begin, size, second);
        memcpy(c.records + begin, strip, (size_t)size * sizeof *strip);
        c.loss += cut_into_groups(w, strip, size, c.ends + c.n_ends, &n_ends);
        for (int j = 0; j < n_ends; j++)
            c.ends[c.n_ends++] += begin;
        free(strip);
    }
    return c;
}

static void try_along(const work *w, const int *records, int n, int first, int second, cuts *best)
{
    static const double lengths[] = {1.4, 2};
    int *sorted = sorted_along(w, records, n, first), *borders = REF_NEW(int, n), n_before = 0;
    for (int i = 0; i < 2; i++) {
        int n_strips = choose_strips(w, sorted, n, first, second, lengths[i], borders);
        if (n_strips == n_before)
            continue;
        n_before = n_strips;
        cuts c = cut_strips(w, sorted, n, borders, n_strips, second);
        bool better = best->n_ends == 0 || c.loss < best->loss;
        cuts_clear(better ? best : &c);
        if (better)
            *best = c;
    }
    free(borders);
    free(sorted);
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

static void make_groups(work *w, const cuts *c)
{
    for (int i = 0, at = 0; i < c->n_ends; i++, w->n_groups++)
        for (; at < c->ends[i]; at++)
            w->group[c->records[at]] = w->n_groups;
}

static void cut_plane(work *w, const int *records, int n, const int *widest, int n_wide)
{
    cuts c = {0};
    if (n_wide >= 2) {
        try_along(w, records, n, widest[0], widest[1], &c);
        try_along(w, records, n, widest[1], widest[0], &c);
    } else {
        c = cuts_new(n);
        free(c.records);
        c.records = n_wide == 1 ? sorted_along(w, records, n, widest[0]) : copy_of(records, n);
        if (n_wide == 1)
            cut_into_groups(w, c.records, n, c.ends, &c.n_ends);
        else
            c.ends[c.n_ends++] = n;
    }
    make_groups(w, &c);
    cuts_clear(&c);
}

/* The numbers on which the records differ, without those cut along, by falling width. */
static int list_widest(const work *w, const int *records, int n, int *widest)
{
    int n_wide = 0, m = w->job->model->n_quasi;
    bool *is_listed = REF_NEW(bool, m);
    for (;;) {
        int best = -1;
        for (int a = 0; a < m; a++) {
            if (!w->job->model->quasi[a].numeric || w->is_cut[a] || is_listed[a])
                continue;
            int64_t here = width(w, a, records, n);
            if (here > 0 && (best < 0 || here > width(w, best, records, n)))
                best = a;
        }
        if (best < 0)
            break;
        is_listed[best] = true;
        widest[n_wide++] = best;
    }
    free(is_listed);
    return n_wide;
}

static int count_worth(const work *w, const int *records, int n, const int *widest, int n_wide, double *side)
{
    double n_groups = (double)n / (double)w->job->k;
    for (int i = 1; i <= n_wide; i++) {
        double logarithms = 0;
        for (int j = 0; j < i; j++)
            logarithms += log((double)width(w, widest[j], records, n));
        double here = exp((logarithms - log(n_groups)) / i);
        if (here > (double)width(w, widest[i - 1], records, n))
            return i - 1;
        *side = here;
    }
    return n_wide;
}

/* Goes no deeper than there are numbers. */
static void cut_stretch(work *w, const int *records, int n)
{
    int *widest = REF_NEW(int, w->job->model->n_quasi), n_wide = list_widest(w, records, n, widest);
    double side = 0;
    if (count_worth(w, records, n, widest, n_wide, &side) <= 2) {
        cut_plane(w, records, n, widest, n_wide);
    } else {
        int most = n / (int)w->job->k, n_slabs = (int)floor((double)width(w, widest[0], records, n) / side + 0.5);
        int *sorted = sorted_along(w, records, n, widest[0]);
        n_slabs = n_slabs < 1 ? 1 : n_slabs > most ? most : n_slabs;
        w->is_cut[widest[0]] = true;
        for (int i = 0; i < n_slabs; i++)
            cut_stretch(w, sorted + n * i / n_slabs, n * (i + 1) / n_slabs - n * i / n_slabs);
        w->is_cut[widest[0]] = false;
        free(sorted);
    }
    free(widest);
}

/* ---- all of it --------------------------------------------------------------------------------------------------- */

static int compare_categories(const ref_model *model, int left, int right)
{
    for (int a = 0; a < model->n_quasi; a++) {
        int order = model->quasi[a].numeric ? 0 : ref_compare(model, &model->quasi[a], left, right);
        if (order != 0)
            return order;
    }
    return 0;
}

/* Records by their categories, equal ones by number. */
static int *sorted_by_cell(const ref_model *model)
{
    int *sorted = REF_NEW(int, model->n);
    for (int i = 0; i < model->n; i++) {
        int place = i;
        for (; place > 0 && compare_categories(model, sorted[place - 1], i) > 0; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = i;
    }
    return sorted;
}

static void group_rest(work *w, const int *rest, int n)
{
    ref_model sample = ref_model_sample(w->job->model, rest, n);
    ref_job job = *w->job;
    int *group = REF_NEW(int, n);
    job.model = &sample;
    int n_groups = ref_densest_free(&job, group);
    for (int i = 0; i < n; i++)
        w->group[rest[i]] = group[i] >= 0 ? w->n_groups + group[i] : REF_FREE;
    w->n_groups += n_groups;
    free(group);
    ref_model_sample_clear(&sample);
}

void ref_strips(const ref_job *job, int *group)
{
    const ref_model *model = job->model;
    work w = {.job = job, .group = group, .is_cut = REF_NEW(bool, model->n_quasi)};
    int *order = sorted_by_cell(model), *rest = REF_NEW(int, model->n), n_rest = 0;
    find_positions(&w);
    for (int begin = 0, end; begin < model->n; begin = end) {
        for (end = begin + 1; end < model->n && compare_categories(model, order[begin], order[end]) == 0;)
            end++;
        if (end - begin >= DENSE * job->k)
            cut_stretch(&w, order + begin, end - begin);
        for (int i = begin; end - begin < DENSE * job->k && i < end; i++)
            rest[n_rest++] = order[i];
    }
    for (int i = 0; i < n_rest; i++)
        group[rest[i]] = REF_FREE;
    if (n_rest >= job->k)
        group_rest(&w, rest, n_rest);
    ref_join_cheapest(model, group, w.n_groups);
    free(rest);
    free(order);
    free(w.positions);
    free(w.is_cut);
}
