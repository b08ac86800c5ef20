/* tgc (Loukides 3): thresholds by sampling, median pre-partitioning, threshold-based greedy clustering. */
#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The streams of random numbers. */
enum { STREAM_SAMPLE = 1, STREAM_TRIAL = 2, STREAM_PARTS = 3 };

/* Records being clustered: the table's or a sample's. */
typedef struct stage {
    const ref_job *job;
    const ref_model *model;
    ref_pairs pairs;
    double delta;
} stage;

static double mean_q(const ref_model *model, const ref_span *spans)
{
    return (double)ref_spans_q(model, spans) / ((double)model->q_scale * model->n_quasi);
}

static double mean_s(const ref_model *model, int64_t pair_sum, int size)
{
    if (model->n_sensitive == 0)
        return 0;
    return (double)pair_sum / ((double)size * (double)size * (double)model->s_scale * model->n_sensitive);
}

static double wtd(const stage *st, const ref_span *spans, int64_t pair_sum, int size)
{
    double w_u = st->job->settings.w_u, w_p = 1 - w_u;
    return w_u * mean_q(st->model, spans) + w_p * mean_s(st->model, pair_sum, size);
}

/* wtd of group g with one more record. `spans` and `pair_sum` are those of the group, `with` is scratch. */
static double wtd_with(const stage *st, const int *group, int g, const ref_span *spans, int64_t pair_sum, ref_span *with,
                       int record)
{
    memcpy(with, spans, (size_t)st->model->n_quasi * sizeof *with);
    ref_spans_add(st->model, with, record);
    return wtd(st, with, pair_sum + ref_pairs_more(&st->pairs, group, g, record), with[0].size);
}

static int nth_free(const ref_model *model, const int *group, const int *part, int p, int64_t nth)
{
    for (int i = 0; i < model->n; i++)
        if (group[i] == REF_FREE && part[i] == p && nth-- == 0)
            return i;
    abort();
}

static int count_free(const ref_model *model, const int *group, const int *part, int p)
{
    int n_free = 0;
    for (int i = 0; i < model->n; i++)
        n_free += group[i] == REF_FREE && part[i] == p;
    return n_free;
}

/* Steps 3 to 7 of algorithm 1: let group g, which has its seed, grow. */
static void grow(const stage *st, int *group, int g, const int *part, int p)
{
    const ref_model *model = st->model;
    int64_t max_size = st->job->settings.max_size;
    ref_span *spans = ref_spans_new(model), *with = ref_spans_new(model);
    ref_spans_of(model, group, g, spans);
    int64_t pair_sum = ref_pairs_sum(&st->pairs, group, g);
    while (max_size == 0 || spans[0].size < max_size) {
        int best = -1;
        double best_wtd = 0;
        for (int i = 0; i < model->n; i++) {
            if (group[i] != REF_FREE || part[i] != p)
                continue;
            double candidate = wtd_with(st, group, g, spans, pair_sum, with, i);
            if (best == -1 || candidate < best_wtd) {
                best = i;
                best_wtd = candidate;
            }
        }
        if (best == -1 || best_wtd > st->delta)
            break;
        pair_sum += ref_pairs_more(&st->pairs, group, g, best);
        ref_spans_add(model, spans, best);
        group[best] = g;
    }
    free(with);
    free(spans);
}

/* Algorithm 1 on the free records of part p. Groups are numbered from n_groups on; the new number of groups is returned. */
static int cluster_part(const stage *st, kanon__random *random, int *group, int n_groups, const int *part, int p)
{
    const ref_model *model = st->model;
    for (int n_free; (n_free = count_free(model, group, part, p)) > 0;) {
        group[nth_free(model, group, part, p, kanon__random_below(random, n_free))] = n_groups;
        grow(st, group, n_groups, part, p);
        if (ref_size(model, group, n_groups) >= st->job->k) {
            n_groups++;
            continue;
        }
        for (int i = 0; i < model->n; i++)
            if (group[i] == n_groups)
                group[i] = REF_REJECTED;
    }
    return n_groups;
}

static int least_wtd_increase(const stage *st, const int *group, int n_groups, int record)
{
    ref_span *spans = ref_spans_new(st->model), *with = ref_spans_new(st->model);
    int best = -1, best_size = 0;
    double best_increase = 0, best_wtd = 0;
    int64_t most = st->job->settings.max_size;
    bool has_room = false;
    for (int g = 0; g < n_groups; g++)
        has_room = has_room || most == 0 || ref_size(st->model, group, g) < most;
    for (int g = 0; g < n_groups; g++) {
        if (has_room && most > 0 && ref_size(st->model, group, g) >= most)
            continue;
        ref_spans_of(st->model, group, g, spans);
        int64_t pair_sum = ref_pairs_sum(&st->pairs, group, g);
        double now = wtd(st, spans, pair_sum, spans[0].size);
        double increase = wtd_with(st, group, g, spans, pair_sum, with, record) - now;
        bool wins_tie = st->job->settings.narrowest && increase == best_increase &&
                        (now < best_wtd || (now == best_wtd && spans[0].size < best_size));
        if (best == -1 || increase < best_increase || wins_tie) {
            best = g;
            best_increase = increase;
            best_wtd = now;
            best_size = spans[0].size;
        }
    }
    free(with);
    free(spans);
    return best;
}

/* Algorithm 1 once more, on the records of rejected clusters of all parts, unless they are to be placed at once. */
static int regrow(const stage *st, kanon__random *random, int *group, int n_groups)
{
    int *part = REF_NEW(int, st->model->n), n_rejected = 0;
    for (int i = 0; i < st->model->n; i++)
        n_rejected += group[i] == REF_REJECTED;
    for (int i = 0; i < st->model->n; i++)
        if (group[i] == REF_REJECTED && st->job->settings.regrow && n_rejected >= st->job->k)
            group[i] = REF_FREE;
    n_groups = cluster_part(st, random, group, n_groups, part, 0);
    free(part);
    return n_groups;
}

/* The records of rejected clusters. Returns the number of groups: one at least. */
static int place_rejected(const stage *st, int *group, int n_groups)
{
    for (int i = 0; i < st->model->n; i++)
        if (group[i] == REF_REJECTED)
            group[i] = n_groups == 0 ? 0 : least_wtd_increase(st, group, n_groups, i);
    return n_groups == 0 ? 1 : n_groups;
}

/* ---- thresholds -------------------------------------------------------------------------------------------------- */

/* What clustering the whole stage with its delta is worth, and its protection alone. */
static double try_delta(const stage *st, double *protection)
{
    const ref_model *model = st->model;
    int *group = REF_NEW(int, model->n), *part = REF_NEW(int, model->n);
    ref_span *spans = ref_spans_new(model);
    kanon__random random;
    kanon__random_init(&random, st->job->seed, STREAM_TRIAL);
    for (int i = 0; i < model->n; i++)
        group[i] = REF_FREE;
    int n_groups = cluster_part(st, &random, group, 0, part, 0);
    n_groups = place_rejected(st, group, regrow(st, &random, group, n_groups));
    double utility = 0, by_clusters = 0, by_records = 0;
    *protection = 0;
    for (int g = 0; g < n_groups; g++) {
        ref_spans_of(model, group, g, spans);
        utility += (double)ref_spans_q(model, spans) / (double)model->q_scale;
        *protection += ref_s_diversity(model, ref_pairs_sum(&st->pairs, group, g), spans[0].size);
        double value = wtd(st, spans, ref_pairs_sum(&st->pairs, group, g), spans[0].size);
        by_clusters += value;
        by_records += value * spans[0].size;
    }
    utility /= n_groups;
    *protection /= n_groups;
    free(spans);
    free(part);
    free(group);
    if (st->job->settings.choose_by == REF_BY_CLUSTERS)
        return by_clusters / n_groups;
    return st->job->settings.choose_by == REF_BY_RECORDS ? by_records / model->n : utility + *protection;
}

static void search_delta(stage *st, double *delta, double *protection)
{
    double least = INFINITY;
    for (int i = 1; i <= st->job->settings.max_iterations; i++) {
        double intervals = ldexp(1, i);
        for (int j = 0; j < intervals; j++) {
            double reached;
            st->delta = (j + 0.5) / intervals;
            double sum = try_delta(st, &reached);
            if (sum < least) {
                least = sum;
                *delta = st->delta;
                *protection = reached;
            }
        }
    }
}

static void choose_thresholds(const ref_job *job, double *delta, double *delta_prime)
{
    const ref_settings *settings = &job->settings;
    *delta = settings->delta;
    *delta_prime = settings->delta_prime;
    if (*delta >= 0 && *delta_prime >= 0)
        return;
    int n = job->model->n, n_drawn = (n + 39) / 40;
    if (n_drawn < 20 * job->k)
        n_drawn = (int)(20 * job->k);
    int *drawn = REF_NEW(int, n_drawn);
    kanon__random random;
    kanon__random_init(&random, job->seed, STREAM_SAMPLE);
    for (int i = 0; i < n_drawn; i++)
        drawn[i] = (int)kanon__random_below(&random, n);
    ref_model sample = ref_model_sample(job->model, drawn, n_drawn);
    stage st = {.job = job, .model = &sample, .pairs = ref_pairs_new(&sample, settings->r), .delta = *delta};
    double protection = 0;
    if (*delta < 0)
        search_delta(&st, delta, &protection);
    else
        try_delta(&st, &protection);
    if (*delta_prime < 0)
        *delta_prime = protection;
    ref_pairs_clear(&st.pairs);
    ref_model_sample_clear(&sample);
    free(drawn);
}

/* ---- pre-partitioning -------------------------------------------------------------------------------------------- */

/* How wide a part is on an attribute, for the choice of the attribute. */
static double width(const ref_job *job, const ref_attribute *attribute, const ref_span *span)
{
    if (!job->settings.split_raw) {
        ref_attribute unweighted = *attribute;
        unweighted.weight = unweighted.weight_divisor = 1;
        return (double)ref_span_q(job->model, &unweighted, span);
    }
    if (!attribute->numeric)
        return attribute->leaves[span->node];
    int64_t steps = span->missing ? (span->present ? attribute->range : 0) : span->max - span->min;
    return (double)steps / pow(10, attribute->column->domain->scale);
}

static const ref_attribute *widest(const ref_job *job, const int *part, int p)
{
    const ref_model *model = job->model;
    ref_span *spans = ref_spans_new(model);
    ref_spans_of(model, part, p, spans);
    int best = 0;
    for (int a = 1; a < model->n_quasi; a++)
        if (width(job, &model->quasi[a], &spans[a]) > width(job, &model->quasi[best], &spans[best]))
            best = a;
    free(spans);
    return &model->quasi[best];
}

/* How many records of part p come before `record` in the order of the attribute. */
static int rank_in_part(const ref_model *model, const ref_attribute *attribute, const int *part, int p, int record)
{
    int rank = 0;
    for (int i = 0; i < model->n; i++) {
        if (part[i] != p)
            continue;
        int order = ref_compare(model, attribute, i, record);
        rank += order < 0 || (order == 0 && i < record);
    }
    return rank;
}

/* Split part p as far as can be and number what comes of it from *n_parts on. Parts not yet final have numbers below 0. */
static void split_part(const ref_job *job, const ref_pairs *pairs, double delta_prime, int *part, int p, int *n_parts)
{
    const ref_model *model = job->model;
    int size = ref_size(model, part, p), left = 2 * p, right = 2 * p - 1;
    int64_t s = job->settings.s > 0 ? job->settings.s : 5 * job->k;
    bool split = size / 2 >= s;
    if (split) {
        const ref_attribute *attribute = widest(job, part, p);
        int *halves = REF_NEW(int, model->n);
        for (int i = 0; i < model->n; i++) {
            halves[i] = part[i];
            if (part[i] == p)
                halves[i] = rank_in_part(model, attribute, part, p, i) < size / 2 ? left : right;
        }
        split = ref_s_diversity(model, ref_pairs_sum(pairs, halves, left), size / 2) <= delta_prime &&
                ref_s_diversity(model, ref_pairs_sum(pairs, halves, right), size - size / 2) <= delta_prime;
        if (split)
            memcpy(part, halves, (size_t)model->n * sizeof *part);
        free(halves);
    }
    if (split) {
        split_part(job, pairs, delta_prime, part, left, n_parts);
        split_part(job, pairs, delta_prime, part, right, n_parts);
        return;
    }
    for (int i = 0; i < model->n; i++)
        if (part[i] == p)
            part[i] = *n_parts;
    ++*n_parts;
}

int ref_tgc_parts(const ref_job *job, double delta_prime, int *part)
{
    int n_parts = 0;
    ref_pairs pairs = ref_pairs_new(job->model, job->settings.r);
    for (int i = 0; i < job->model->n; i++)
        part[i] = job->settings.partition_none ? 0 : -1;
    if (job->settings.partition_none)
        n_parts = 1;
    else
        split_part(job, &pairs, delta_prime, part, -1, &n_parts);
    ref_pairs_clear(&pairs);
    return n_parts;
}

void ref_tgc(const ref_job *job, int *group)
{
    const ref_model *model = job->model;
    int *part = REF_NEW(int, model->n);
    double delta, delta_prime;
    choose_thresholds(job, &delta, &delta_prime);
    if (job->settings.weighted_parts && job->settings.w_u == 1)
        delta_prime = INFINITY;
    int n_parts = ref_tgc_parts(job, delta_prime, part), n_groups = 0;
    stage st = {.job = job, .model = model, .pairs = ref_pairs_new(model, job->settings.r), .delta = delta};
    for (int i = 0; i < model->n; i++)
        group[i] = REF_FREE;
    for (int p = 0; p < n_parts; p++) {
        kanon__random random;
        kanon__random_init(&random, job->seed, (uint64_t)(STREAM_PARTS + p));
        n_groups = cluster_part(&st, &random, group, n_groups, part, p);
    }
    kanon__random random;
    kanon__random_init(&random, job->seed, (uint64_t)(STREAM_PARTS + n_parts));
    place_rejected(&st, group, regrow(&st, &random, group, n_groups));
    ref_pairs_clear(&st.pairs);
    free(part);
}
