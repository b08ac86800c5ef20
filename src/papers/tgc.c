/* tgc, tgc-u, tgc-p, tgc-b: threshold-based greedy clustering with median pre-partitioning.
 *
 * The table is cut into subspaces at medians. In each, a random record seeds a cluster, which takes the record that gives
 * the least weighted tuple diversity (a weighted mean of generalisation and of how much the sensitive values disclose)
 * until that would exceed delta. Clusters below k are rejected; their records are clustered once more, and what is left
 * joins the cluster where it does least harm. delta, and the bound delta' for the subspaces, are chosen on a sample.
 *
 * Paper: Loukides, Shao: Data utility and privacy protection trade-off in k-anonymisation, PAIS 2008, section 3; its
 * algorithms 1 (weighted_grow.c, weighted_place.c), 2 (median.c) and 3 (choose_thresholds).
 * Cost: O(n log n + n * s) and the placing of rejected records where delta' lets the table be cut down to s records; up
 * to O(n^2) where it does not: a large part's clusters are grown by an index (weighted_index.c), which has much to look
 * at where clusters become so large that nearly all records cost the same. The sample: 62 trials of up to O(its size^2).
 * Ties: the lowest record; the cluster of the least wtd, then of the fewest records, then the lowest.
 * Random numbers: stream 1 the sample, stream 2 the clustering of the sample, stream 3 + p that of part p, stream 3 + the
 * number of parts the second clustering of rejected records.
 * Differences from the paper: algorithm 2 splits while S-diversity is at most delta', as its text says, not above it, as
 * its pseudocode does; def. 3.1 divides by p - m, not m - p. The sample has 2.5 % of the records, at least 20 k of them,
 * and no more than 2,000 unless 20 k is more, so that its cost does not grow with the square of n. `max-size` is an
 * addition. What the paper leaves open is a setting each: `ties`, `choose-by`, `protect-parts` and `rejected`; decision 17
 * says why the defaults are what they are, docs/experiments.md what comes of the others. By its definition tgc-p hardly
 * ever stops growing (more records dilute S-diversity) and a strict delta' stops the splitting early: very large groups
 * are then the faithful answer. */
#include "algorithms/algorithm.h"
#include "papers/weighted.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "papers/median.h"
#include "table/value/number.h"

#include <math.h>

typedef struct tgc_state {
    kanon__run *run;
    kanon__weighted weighted;
    kanon__weighted_limits limits; /* delta is chosen on the way */
    double delta_prime;
    kanon__parts *parts;
    int32_t *cluster_of; /* by position in parts->rows */
    int32_t *n_clusters; /* by part */
    int32_t *hints;      /* by row: the first cluster of its part */
    kanon__shared_ticker shared;
} tgc_state;

enum { SAMPLE_STREAM = 1, SAMPLE_CLUSTERING_STREAM = 2, FIRST_PART_STREAM = 3 };

/* ---- the thresholds: algorithm 3 --------------------------------------------------------------------------------- */

/* The sample and the result of every delta that is tried on it. Trials are independent, so they run in parallel. */
typedef struct trials {
    tgc_state *state;
    int32_t *rows; /* the sample, with repetitions */
    int64_t n_rows;
    int64_t n;
    double *deltas, *scores, *protections; /* by trial */
    kanon__shared_ticker shared;
} trials;

/* What step 7 makes least: the sum that the paper names, or one of two averages of what algorithm 1 minimises. */
static double score_of(const tgc_state *c, const kanon__weighted_quality *quality)
{
    if (kanon__setting_is(c->run->settings, "choose-by", "clusters"))
        return quality->wtd_of_clusters;
    if (kanon__setting_is(c->run->settings, "choose-by", "records"))
        return quality->wtd_of_records;
    return quality->utility + quality->protection;
}

/* Step 6, a task of the pool: what clustering the sample with one delta is worth, and its protection. */
static kanon_status try_delta(int64_t index, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    trials *t = payload;
    const tgc_state *c = t->state;
    kanon__random random;
    kanon__ticker ticker;
    kanon__weighted_limits limits = c->limits;
    kanon__weighted_quality quality;
    int32_t *cluster_of = NULL, n_clusters;
    limits.delta = t->deltas[index];
    kanon__random_init(&random, c->run->seed, SAMPLE_CLUSTERING_STREAM);
    kanon__shared_ticker_task(&ticker, &t->shared);
    KANON_TRY(kanon__new_array(&cluster_of, t->n_rows, "the sample", err), out);
    KANON_TRY(
        kanon__weighted_grow(&c->weighted, &limits, t->rows, t->n_rows, &random, cluster_of, &n_clusters, &ticker, err),
        out);
    if (limits.regrow)
        KANON_TRY(kanon__weighted_regrow(&c->weighted, &limits, t->rows, t->n_rows, &random, cluster_of, &n_clusters,
                                         &ticker, err),
                  out);
    if (n_clusters == 0) { /* one group of all */
        n_clusters = 1;
        for (int64_t i = 0; i < t->n_rows; i++)
            cluster_of[i] = 0;
    }
    kanon__weighted_rejects rejects = {t->rows, t->n_rows, cluster_of, n_clusters, limits.most, NULL, limits.narrowest};
    KANON_TRY(kanon__weighted_place(&c->weighted, &rejects, &quality, &ticker, err), out);
    t->scores[index] = score_of(c, &quality);
    t->protections[index] = quality.protection;
    kanon__shared_ticker_add(&t->shared, 1);
out:
    kanon__free(cluster_of);
    return st;
}

/* Steps 2 to 5: a delta that was given, or the midpoints of 2, 4, 8, ... intervals of [0, 1]. */
static void list_deltas(trials *t, bool given)
{
    int64_t n = 0;
    if (given)
        t->deltas[n++] = t->state->limits.delta;
    for (int64_t width = 2; n < t->n; width *= 2)
        for (int64_t j = 0; j < width; j++)
            t->deltas[n++] = ((double)j + 0.5) / (double)width;
}

/* Step 7: the delta with the least score, the first of equals. */
static void choose_best(trials *t)
{
    int64_t best = 0;
    for (int64_t i = 1; i < t->n; i++)
        if (t->scores[i] < t->scores[best])
            best = i;
    t->state->limits.delta = t->deltas[best];
    t->state->delta_prime = t->protections[best];
}

static kanon_status run_trials(trials *t, bool given, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run *run = t->state->run;
    int64_t n_rounds = kanon__setting_integer(run->settings, "max-iterations");
    t->n = given ? 1 : ((int64_t)2 << n_rounds) - 2;
    KANON_TRY(kanon__new_array(&t->deltas, t->n, "the sample", err), out);
    KANON_TRY(kanon__new_array(&t->scores, t->n, "the sample", err), out);
    KANON_TRY(kanon__new_array(&t->protections, t->n, "the sample", err), out);
    list_deltas(t, given);
    kanon__shared_ticker_init(&t->shared, run->ticker, t->n);
    st = kanon__pool_run(run->threads, t->n, try_delta, t, err);
    kanon__shared_ticker_clear(&t->shared);
    if (st == KANON_OK)
        choose_best(t);
out:
    return st;
}

/* Step 1: 2.5 % of the records, within limits; see the differences above. */
static int64_t sample_size(int64_t n, int64_t k)
{
    enum { MOST = 2000 };
    int64_t wanted = (n + 39) / 40;
    wanted = wanted < MOST ? wanted : MOST;
    return wanted > 20 * k ? wanted : 20 * k;
}

/* Record a threshold that the sample chose, so that the report says it and the user can set it. */
static kanon_status note_choice(kanon__run *run, const char *name, double value, kanon_error *err)
{
    char text[KANON__NUMBER_TEXT];
    if (run->chosen == NULL)
        return KANON_OK;
    kanon__format_double(text, value);
    return kanon__texts_addf(run->chosen, err, "%s=%s", name, text);
}

static kanon_status choose_thresholds(tgc_state *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__settings *settings = c->run->settings;
    bool has_delta = kanon__setting_given(settings, "delta"), has_prime = kanon__setting_given(settings, "delta-prime");
    trials t = {.state = c};
    kanon__random random;
    c->limits.delta = kanon__setting_number(settings, "delta");
    if (!has_delta || !has_prime) {
        t.n_rows = sample_size(c->run->space->n_rows, c->run->k);
        KANON_TRY(kanon__new_array(&t.rows, t.n_rows, "the sample", err), out);
        kanon__random_init(&random, c->run->seed, SAMPLE_STREAM);
        for (int64_t i = 0; i < t.n_rows; i++)
            t.rows[i] = (int32_t)kanon__random_below(&random, c->run->space->n_rows);
        KANON_TRY(run_trials(&t, has_delta, err), out);
    }
    if (has_prime)
        c->delta_prime = kanon__setting_number(settings, "delta-prime");
    if (!has_delta)
        KANON_TRY(note_choice(c->run, "delta", c->limits.delta, err), out);
    if (!has_prime)
        KANON_TRY(note_choice(c->run, "delta-prime", c->delta_prime, err), out);
out:
    kanon__free(t.protections);
    kanon__free(t.scores);
    kanon__free(t.deltas);
    kanon__free(t.rows);
    return st;
}

/* ---- the clusters ------------------------------------------------------------------------------------------------ */

/* Algorithm 2. */
static kanon_status cut_into_parts(tgc_state *c, kanon_error *err)
{
    const kanon__settings *settings = c->run->settings;
    int64_t n = c->run->space->n_rows;
    kanon__splitter splitter = {.space = c->weighted.utility,
                                .raw = kanon__setting_is(settings, "split", "raw"),
                                .least = kanon__setting_given(settings, "s") ? kanon__setting_integer(settings, "s")
                                                                             : 5 * c->run->k,
                                .s_diversity = c->weighted.s_diversity,
                                .most_sum = c->delta_prime};
    if (kanon__setting_is(settings, "partition", "none"))
        splitter.least = n;
    if (kanon__setting_is(settings, "protect-parts", "weighted") && c->weighted.w_p <= 0)
        splitter.most_sum = INFINITY;
    return kanon__parts_at_medians(&c->parts, &splitter, c->run->ticker, err);
}

/* Algorithm 1 on one part, a task of the pool. */
static kanon_status cluster_part(int64_t index, void *payload, kanon_error *err)
{
    tgc_state *c = payload;
    kanon__random random;
    kanon__ticker ticker;
    int64_t begin = c->parts->begins[index], n = c->parts->begins[index + 1] - begin;
    kanon__random_init(&random, c->run->seed, FIRST_PART_STREAM + (uint64_t)index);
    kanon__shared_ticker_task(&ticker, &c->shared);
    kanon_status st = kanon__weighted_grow(&c->weighted, &c->limits, c->parts->rows + begin, n, &random,
                                           c->cluster_of + begin, &c->n_clusters[index], &ticker, err);
    kanon__shared_ticker_add(&c->shared, n);
    return st;
}

/* Number the clusters part by part: neighbouring parts get neighbouring numbers, which makes weighted_place.c fast. */
static void collect(tgc_state *c)
{
    kanon__run *run = c->run;
    for (int64_t part = 0; part < c->parts->n; part++) {
        for (int64_t i = c->parts->begins[part]; i < c->parts->begins[part + 1]; i++) {
            run->group_of[c->parts->rows[i]] = c->cluster_of[i] >= 0 ? run->n_groups + c->cluster_of[i] : -1;
            c->hints[c->parts->rows[i]] = run->n_groups;
        }
        run->n_groups += c->n_clusters[part];
    }
}

/* Rejected records of all parts, clustered once more. Their clusters come after all others. */
static kanon_status regrow_rejected(tgc_state *c, const int32_t *rows, kanon_error *err)
{
    kanon__run *run = c->run;
    kanon__random random;
    kanon__random_init(&random, run->seed, FIRST_PART_STREAM + (uint64_t)c->parts->n);
    return kanon__weighted_regrow(&c->weighted, &c->limits, rows, run->space->n_rows, &random, run->group_of, &run->n_groups,
                                  run->ticker, err);
}

static kanon_status end_as_one_group(tgc_state *c, kanon_error *err)
{
    kanon__run *run = c->run;
    bool given = kanon__setting_given(run->settings, "delta");
    for (int64_t row = 0; row < run->space->n_rows; row++)
        run->group_of[row] = 0;
    run->n_groups = 1;
    return kanon__texts_addf(run->warnings, err,
                             "no cluster reached k records within delta = %.6g%s, so all records form one group (%s)",
                             c->limits.delta, given ? "" : ", which the sample chose",
                             given ? "raise delta, or leave it to the sample" : "set a larger delta");
}

/* The last step: records of rejected clusters; without any cluster, one group and a warning. */
static kanon_status place_rejected(tgc_state *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run *run = c->run;
    int32_t *rows = NULL;
    int64_t n = run->space->n_rows;
    KANON_TRY(kanon__new_array(&rows, n, "row order", err), out);
    for (int64_t row = 0; row < n; row++)
        rows[row] = (int32_t)row;
    if (c->limits.regrow)
        KANON_TRY(regrow_rejected(c, rows, err), out);
    if (run->n_groups == 0) {
        KANON_TRY(end_as_one_group(c, err), out);
        goto out;
    }
    kanon__weighted_rejects rejects = {rows, n, run->group_of, run->n_groups, c->limits.most, c->hints, c->limits.narrowest};
    KANON_TRY(kanon__weighted_place(&c->weighted, &rejects, NULL, run->ticker, err), out);
out:
    kanon__free(rows);
    return st;
}

static kanon_status cluster_parts(tgc_state *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = c->run->space->n_rows;
    KANON_TRY(kanon__new_array(&c->cluster_of, n, "clusters", err), out);
    KANON_TRY(kanon__new_array(&c->n_clusters, c->parts->n, "clusters", err), out);
    KANON_TRY(kanon__new_array(&c->hints, n, "clusters", err), out);
    kanon__shared_ticker_init(&c->shared, c->run->ticker, n);
    st = kanon__pool_run(c->run->threads, c->parts->n, cluster_part, c, err);
    kanon__shared_ticker_clear(&c->shared);
    if (st != KANON_OK)
        goto out;
    collect(c);
    KANON_TRY(place_rejected(c, err), out);
out:
    return st;
}

static kanon_status run_tgc(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__settings *settings = run->settings;
    tgc_state c = {.run = run};
    double w_u = kanon__setting_number(settings, "w-u");
    if (w_u < 1 && run->table->n_sensitive == 0) {
        st = kanon__fail(err, KANON_EINVAL, "w-u below 1 protects sensitive attributes, and the schema names none");
        kanon__hint(err, st, "give a column the role sensitive, or take tgc-u");
        goto out;
    }
    c.limits.k = run->k;
    c.limits.search = kanon__setting_text(settings, "search");
    c.limits.regrow = kanon__setting_is(settings, "rejected", "cluster");
    c.limits.narrowest = kanon__setting_is(settings, "ties", "narrowest");
    c.limits.most = kanon__setting_given(settings, "max-size") ? kanon__setting_integer(settings, "max-size") : INT64_MAX;
    if (c.limits.most < run->k) {
        st = kanon__fail(err, KANON_EINVAL, "max-size is below k");
        kanon__hint(err, st, "a cluster needs at least k records");
        goto out;
    }
    KANON_TRY(kanon__weighted_init(&c.weighted, run->table, w_u, kanon__setting_text(settings, "r"), err), out);
    KANON_TRY(choose_thresholds(&c, err), out);
    KANON_TRY(cut_into_parts(&c, err), out);
    KANON_TRY(cluster_parts(&c, err), out);
out:
    kanon__free(c.hints);
    kanon__free(c.n_clusters);
    kanon__free(c.cluster_of);
    kanon__parts_free(c.parts);
    kanon__weighted_clear(&c.weighted);
    return st;
}

/* ---- the four rows of the table ---------------------------------------------------------------------------------- */

#define TGC_SETTINGS(default_w_u)                                                                                           \
    {                                                                                                                       \
        {.name = "w-u",                                                                                                     \
         .type = KANON_SETTING_NUMBER,                                                                                      \
         .min = 0,                                                                                                          \
         .max = 1,                                                                                                          \
         .default_value = default_w_u,                                                                                      \
         .help = "the weight of utility; protection has the rest to 1"},                                                    \
            {.name = "r",                                                                                                   \
             .type = KANON_SETTING_NUMBER,                                                                                  \
             .min = 0,                                                                                                      \
             .max = 1,                                                                                                      \
             .default_value = "1",                                                                                          \
             .help = "how near a guess of a sensitive value must be to count as a disclosure, as a share of its range"},    \
            {.name = "s",                                                                                                   \
             .type = KANON_SETTING_INTEGER,                                                                                 \
             .min = 1,                                                                                                      \
             .max = INT32_MAX,                                                                                              \
             .help = "the fewest records of a subspace; 5 k unless given"},                                                 \
            {.name = "delta",                                                                                               \
             .type = KANON_SETTING_NUMBER,                                                                                  \
             .min = 0,                                                                                                      \
             .max = 1000,                                                                                                   \
             .help = "the largest weighted tuple diversity of a cluster; chosen on a sample unless given"},                 \
            {.name = "delta-prime",                                                                                         \
             .type = KANON_SETTING_NUMBER,                                                                                  \
             .min = 0,                                                                                                      \
             .max = 1000,                                                                                                   \
             .help = "the largest sum of S-diversity of a subspace; the sample's protection unless given"},                 \
            {.name = "max-iterations",                                                                                      \
             .type = KANON_SETTING_INTEGER,                                                                                 \
             .min = 1,                                                                                                      \
             .max = 12,                                                                                                     \
             .default_value = "5",                                                                                          \
             .help = "how fine the choice of delta is: 2, 4, ... 2^max intervals"},                                         \
            {.name = "split",                                                                                               \
             .type = KANON_SETTING_CHOICE,                                                                                  \
             .default_value = "normalised",                                                                                 \
             .choices = "normalised|raw",                                                                                   \
             .help = "which attribute is the widest: by its share of the domain, or by its range as it stands"},            \
            {.name = "partition",                                                                                           \
             .type = KANON_SETTING_CHOICE,                                                                                  \
             .default_value = "median",                                                                                     \
             .choices = "median|none",                                                                                      \
             .help = "none clusters the whole table as one subspace, in quadratic time"},                                   \
            {.name = "max-size",                                                                                            \
             .type = KANON_SETTING_INTEGER,                                                                                 \
             .min = 2,                                                                                                      \
             .max = INT32_MAX,                                                                                              \
             .help = "the most records of a cluster, for protection at usable group sizes; only where all clusters are "    \
                     "full do records of rejected ones make them larger; no limit unless given"},                           \
            {.name = "ties",                                                                                                \
             .type = KANON_SETTING_CHOICE,                                                                                  \
             .default_value = "narrowest",                                                                                  \
             .choices = "first|narrowest",                                                                                  \
             .help = "which of equally cheap clusters a record of a rejected one joins: the first, or the one of the "      \
                     "least diversity, then of the fewest records"},                                                        \
            {.name = "choose-by",                                                                                           \
             .type = KANON_SETTING_CHOICE,                                                                                  \
             .default_value = "sum",                                                                                        \
             .choices = "sum|clusters|records",                                                                             \
             .help = "what the chosen delta makes least on the sample: utility + protection, or the average weighted "      \
                     "tuple diversity over the clusters or over the records"},                                              \
            {.name = "protect-parts",                                                                                       \
             .type = KANON_SETTING_CHOICE,                                                                                  \
             .default_value = "weighted",                                                                                   \
             .choices = "always|weighted",                                                                                  \
             .help = "whether delta-prime limits the subspaces where protection has no weight, too"},                       \
            {.name = "rejected",                                                                                            \
             .type = KANON_SETTING_CHOICE,                                                                                  \
             .default_value = "cluster",                                                                                    \
             .choices = "place|cluster",                                                                                    \
             .help = "records of rejected clusters join others at once, or are clustered once more among themselves "       \
                     "before the rest does"},                                                                               \
            KANON__SEARCH_SETTING,                                                                                          \
    }

static const kanon_setting_info balanced_settings[] = TGC_SETTINGS("0.5");
static const kanon_setting_info utility_settings[] = TGC_SETTINGS("1");
static const kanon_setting_info protection_settings[] = TGC_SETTINGS("0");

#define TGC_SOURCE "Loukides, Shao: Data utility and privacy protection trade-off in k-anonymisation, PAIS 2008"
#define TGC(row_name, row_brief, row_more, row_settings, row_rate)                                                          \
    {                                                                                                                       \
        .info = {.shown = {.struct_size = sizeof(kanon_entry),                                                              \
                           .name = row_name,                                                                                \
                           .brief = row_brief,                                                                              \
                           .more = row_more,                                                                                \
                           .source = TGC_SOURCE,                                                                            \
                           .revision = 2},                                                                                  \
                 .settings = row_settings,                                                                                  \
                 .n_settings = sizeof row_settings / sizeof row_settings[0]},                                               \
        .run = run_tgc, .record_bytes = 60, .cell_bytes = 52, .records_per_minute = row_rate,                               \
    }

const kanon__algorithm kanon__algorithm_tgc = TGC(
    "tgc", "threshold-based greedy clustering: utility and protection weighed against each other",
    "Large tables with sensitive attributes, and a weighting of your own: set w-u.", balanced_settings, 1500000);
const kanon__algorithm kanon__algorithm_tgc_u = TGC(
    "tgc-u", "tgc for utility alone",
    "For comparison with the literature. Groups grow while they stay alike, and records of rejected clusters join "
    "one that covers them, so sizes vary widely; on most tables kmember and mondrian lose less.",
    utility_settings, 4000000);
const kanon__algorithm kanon__algorithm_tgc_p = TGC(
    "tgc-p", "tgc for protection alone",
    "Where only the sensitive values count. Groups become very large, since every record more dilutes what is disclosed; "
    "max-size keeps them usable.",
    protection_settings, 140000);
const kanon__algorithm kanon__algorithm_tgc_b = TGC(
    "tgc-b", "tgc with utility and protection in balance",
    "Large tables whose sensitive values need protection beyond k, at moderate cost to utility.", balanced_settings,
    1500000);
