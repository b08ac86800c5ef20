/* Figures of a release that many processes made: kanon_tally. Each block adds up its groups in whole numbers, so that sums do
 * not depend on the order of merging; the figures are computed from the sums of all blocks, by the formulas of measures.def.
 *
 *     sizes      how many groups have which size: counts, discernibility, risks
 *     losses     by quasi attribute: |P| * (max - min) over all groups, in steps of the domain; of categories |P| * h(lca)
 *     covers     likewise, of the certainty penalty
 *     extremes   by sensitive attribute: the least or most over groups of what a measure says of one group
 *     alike      by sensitive attribute: the records in homogeneous groups, and in nearly homogeneous ones
 *
 * Called by hosts through include/kanon_blocks.h; calls evaluate.c for the extremes. */
#include "core/alloc.h"
#include "core/context.h"
#include "measures/homogeneity.h"
#include "measures/measure.h"
#include "model/terms.h"
#include "table/read/whole_domain.h"

#include <kanon_blocks.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const kanon__packed_kind tally_kind = {'T', '2', "a tally"};

/* What is the least or the most over groups, of each sensitive attribute. */
static const struct extreme {
    const char *name;
    bool most;
} extremes[] = {{"distinct_l", false}, {"entropy_l", false}, {"recursive_c", true},
                {"alpha", true},       {"cl_l_min", false},  {"cl_l_max", true}};
enum { N_EXTREMES = sizeof extremes / sizeof extremes[0] };

/* Shares of the records in groups, whose counts add up. */
static const char *const value_shares[] = {"homogeneous", "nearly_homogeneous"};
enum { N_SHARES = sizeof value_shares / sizeof value_shares[0] };

typedef struct size_count {
    int64_t size, n;
} size_count;

struct kanon_tally {
    const kanon_context *context;
    kanon_domain *domain; /* a reference */
    int64_t n_rows, n_suppressed, k;
    size_count *sizes; /* rising */
    int64_t n_sizes;
    __int128 *losses, *covers; /* by quasi attribute, of `whole_term` each */
    double *found;             /* by sensitive attribute and extreme; NAN: no group has one */
    int64_t *alike;            /* by sensitive attribute and share: the records */
};

void kanon_tally_free(kanon_tally *t)
{
    if (t == NULL)
        return;
    kanon__free(t->alike);
    kanon__free(t->found);
    kanon__free(t->covers);
    kanon__free(t->losses);
    kanon__free(t->sizes);
    kanon_domain_free(t->domain);
    kanon__free(t);
}

static kanon_status new_tally(kanon_tally **out, const kanon_domain *domain, int64_t n_sizes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_tally *t = NULL;
    const kanon__data *data = &domain->data;
    KANON_TRY(kanon__new_array(&t, 1, "a tally", err), out);
    t->context = kanon__call_context();
    t->domain = kanon__whole_share(domain);
    KANON_TRY(kanon__new_array(&t->sizes, n_sizes, "a tally", err), out);
    KANON_TRY(kanon__new_array(&t->losses, data->n_quasi, "a tally", err), out);
    KANON_TRY(kanon__new_array(&t->covers, data->n_quasi, "a tally", err), out);
    KANON_TRY(kanon__new_array(&t->found, (int64_t)data->n_sensitive * N_EXTREMES, "a tally", err), out);
    KANON_TRY(kanon__new_array(&t->alike, (int64_t)data->n_sensitive * N_SHARES, "a tally", err), out);
    for (int i = 0; i < data->n_sensitive * N_EXTREMES; i++)
        t->found[i] = NAN;
    *out = t;
    t = NULL;
out:
    kanon_tally_free(t);
    return st;
}

/* ---- the tally of a block ------------------------------------------------------------------------------------------ */

static int by_size(const void *left, const void *right)
{
    int64_t a = ((const size_count *)left)->size, b = ((const size_count *)right)->size;
    return a < b ? -1 : a > b;
}

/* Equal sizes become one entry. */
static void count_sizes(kanon_tally *t, const kanon_grouping *g)
{
    for (int64_t i = 0; i < g->n_groups; i++)
        t->sizes[i] = (size_count){g->sizes[i], 1};
    if (g->n_groups > 0)
        qsort(t->sizes, (size_t)g->n_groups, sizeof *t->sizes, by_size);
    for (int64_t i = 0; i < g->n_groups; i++) {
        if (t->n_sizes > 0 && t->sizes[t->n_sizes - 1].size == t->sizes[i].size)
            t->sizes[t->n_sizes - 1].n++;
        else
            t->sizes[t->n_sizes++] = t->sizes[i];
    }
}

static kanon_status add_losses(kanon_tally *t, const kanon__data *data, const kanon_grouping *g, kanon_error *err)
{
    for (int i = 0; i < data->n_quasi; i++) {
        const kanon__column *c = &data->columns[data->quasi[i]];
        uint32_t *extents = NULL;
        kanon_status st = kanon__grouping_extents(&extents, g, c, err);
        for (int64_t group = 0; st == KANON_OK && group < g->n_groups; group++) {
            uint32_t lo = extents[2 * group], hi = extents[2 * group + 1];
            t->losses[i] += (__int128)g->sizes[group] * kanon__term_part(KANON__TERMS_LOSS, c->domain, lo, hi);
            if (lo != hi)
                t->covers[i] += (__int128)g->sizes[group] * kanon__term_part(KANON__TERMS_QDIVERSITY, c->domain, lo, hi);
        }
        kanon__free(extents);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

static void take_extreme(double *into, double value, bool most)
{
    if (isnan(*into) || (!isnan(value) && (most ? value > *into : value < *into)))
        *into = value;
}

static void add_shares(kanon_tally *t, const kanon_measures *m, const kanon_grouping *g, int sensitive, const char *name)
{
    for (int j = 0; j < N_SHARES; j++) {
        const kanon_figure *f = kanon_measures_find(m, value_shares[j], name);
        t->alike[sensitive * N_SHARES + j] = llround(f->value * (double)(g->n_rows - g->n_suppressed));
    }
}

static kanon_status add_sensitive(kanon_tally *t, const kanon_table *rows, const kanon_grouping *g, kanon_error *err)
{
    const char *wanted[N_EXTREMES + N_SHARES + 1] = {0};
    const kanon__data *data = &rows->data;
    kanon_measures *m = NULL;
    for (int i = 0; i < N_EXTREMES; i++)
        wanted[i] = extremes[i].name;
    for (int i = 0; i < N_SHARES; i++)
        wanted[N_EXTREMES + i] = value_shares[i];
    if (data->n_sensitive == 0 || g->n_groups == 0)
        return KANON_OK;
    kanon_status st = kanon__evaluate_some(&m, rows, g, NULL, wanted, err);
    for (int i = 0; st == KANON_OK && i < data->n_sensitive; i++) {
        const char *name = data->columns[data->sensitive[i]].name;
        for (int j = 0; j < N_EXTREMES; j++) {
            const kanon_figure *f = kanon_measures_find(m, extremes[j].name, name);
            take_extreme(&t->found[i * N_EXTREMES + j], f != NULL ? f->value : NAN, extremes[j].most);
        }
        add_shares(t, m, g, i, name);
    }
    kanon_measures_free(m);
    return st;
}

static kanon_status tally_of(kanon_tally **out, const kanon_table *rows, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_tally *t = NULL;
    if (rows->whole == NULL || g->n_recode_maps > 0) {
        st = kanon__fail(err, KANON_EINVAL, "the table is not a part of a larger one, grouped record by record");
        return kanon__hint(err, st, "read it with the sealed domain of the whole table in the read options");
    }
    KANON_TRY(kanon__whole_has(rows->whole, rows, err), out);
    KANON_TRY(kanon__grouping_fits(g, rows, err), out);
    KANON_TRY(new_tally(&t, rows->whole, g->n_groups, err), out);
    t->n_rows = g->n_rows;
    t->n_suppressed = g->n_suppressed;
    t->k = g->k;
    count_sizes(t, g);
    KANON_TRY(add_losses(t, &rows->data, g, err), out);
    KANON_TRY(add_sensitive(t, rows, g, err), out);
    *out = t;
    t = NULL;
out:
    kanon_tally_free(t);
    return st;
}

kanon_status kanon_tally_new(kanon_tally **out, const kanon_table *rows, const kanon_grouping *grouping, kanon_error *err)
{
    kanon__call call;
    *out = NULL;
    kanon__call_begin(&call, rows->context);
    return kanon__call_end(&call, tally_of(out, rows, grouping, err));
}

/* ---- merging ------------------------------------------------------------------------------------------------------ */

static kanon_status merge_sizes(kanon_tally *into, const kanon_tally *other, kanon_error *err)
{
    size_count *sum = NULL;
    kanon_status st = kanon__new_array(&sum, into->n_sizes + other->n_sizes, "a tally", err);
    if (st != KANON_OK)
        return st;
    int64_t n = 0;
    for (int64_t i = 0, j = 0; i < into->n_sizes || j < other->n_sizes;) {
        bool a = j >= other->n_sizes || (i < into->n_sizes && into->sizes[i].size <= other->sizes[j].size);
        bool b = i >= into->n_sizes || (j < other->n_sizes && other->sizes[j].size <= into->sizes[i].size);
        sum[n] = a ? into->sizes[i] : other->sizes[j];
        sum[n++].n += a && b ? other->sizes[j].n : 0;
        i += a;
        j += b;
    }
    kanon__free(into->sizes);
    into->sizes = sum;
    into->n_sizes = n;
    return KANON_OK;
}

static kanon_status merge(kanon_tally *into, const kanon_tally *other, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *data = &into->domain->data;
    if (!kanon__whole_equal(into->domain, other->domain) || into->k != other->k)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the tallies are of different tables, or of another k"),
                           "merge those of the blocks of one table");
    KANON_TRY(merge_sizes(into, other, err), out);
    into->n_rows += other->n_rows;
    into->n_suppressed += other->n_suppressed;
    for (int i = 0; i < data->n_quasi; i++) {
        into->losses[i] += other->losses[i];
        into->covers[i] += other->covers[i];
    }
    for (int i = 0; i < data->n_sensitive * N_EXTREMES; i++)
        take_extreme(&into->found[i], other->found[i], extremes[i % N_EXTREMES].most);
    for (int i = 0; i < data->n_sensitive * N_SHARES; i++)
        into->alike[i] += other->alike[i];
out:
    return st;
}

kanon_status kanon_tally_merge(kanon_tally *into, const kanon_tally *other, kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, into->context);
    return kanon__call_end(&call, merge(into, other, err));
}

/* ---- figures ------------------------------------------------------------------------------------------------------ */

static double n_groups(const kanon_tally *t)
{
    double n = 0;
    for (int64_t i = 0; i < t->n_sizes; i++)
        n += (double)t->sizes[i].n;
    return n;
}

static double quotient(double part, double whole)
{
    return whole > 0 ? part / whole : NAN;
}

static const kanon__column *quasi_at(const kanon_tally *t, int i)
{
    return &t->domain->data.columns[t->domain->data.quasi[i]];
}

static double attribute_loss(const kanon_tally *t, int i)
{
    const kanon__column *c = quasi_at(t, i);
    double shares = (double)t->losses[i] / (double)kanon__term_whole(KANON__TERMS_LOSS, c->domain);
    return c->weight * (shares + (double)t->n_suppressed);
}

static double penalty(const kanon_tally *t, int i)
{
    double shares = (double)t->covers[i] / (double)kanon__term_whole(KANON__TERMS_QDIVERSITY, quasi_at(t, i)->domain);
    return (shares + (double)t->n_suppressed) / (double)t->n_rows;
}

static double total_weight(const kanon_tally *t)
{
    double sum = 0;
    for (int i = 0; i < t->domain->data.n_quasi; i++)
        sum += quasi_at(t, i)->weight;
    return sum;
}

/* The sum over all attributes but `except` (-1: none). */
static double loss(const kanon_tally *t, int except)
{
    double sum = 0;
    for (int i = 0; i < t->domain->data.n_quasi; i++)
        sum += i != except ? attribute_loss(t, i) : 0;
    return sum;
}

static double information_loss(const kanon_tally *t, int i)
{
    (void)i;
    return loss(t, -1);
}

static double avg_loss(const kanon_tally *t, int i)
{
    return information_loss(t, i) / ((double)t->n_rows * total_weight(t));
}

static double attribute_share(const kanon_tally *t, int i)
{
    return quotient(attribute_loss(t, i), loss(t, -1));
}

static double gcp(const kanon_tally *t, int i)
{
    double sum = 0;
    (void)i;
    for (int a = 0; a < t->domain->data.n_quasi; a++)
        sum += quasi_at(t, a)->weight * penalty(t, a);
    return sum / total_weight(t);
}

static double records(const kanon_tally *t, int i)
{
    (void)i;
    return (double)t->n_rows;
}

static double groups(const kanon_tally *t, int i)
{
    (void)i;
    return n_groups(t);
}

static double suppressed(const kanon_tally *t, int i)
{
    (void)i;
    return (double)t->n_suppressed;
}

static double smallest(const kanon_tally *t, int i)
{
    (void)i;
    return t->n_sizes > 0 ? (double)t->sizes[0].size : 0;
}

/* The k that measures assume. */
static int64_t assumed_k(const kanon_tally *t)
{
    return t->k > 0 ? t->k : t->n_sizes > 0 ? t->sizes[0].size : 1;
}

static double discernibility(const kanon_tally *t, int i)
{
    double sum = (double)t->n_suppressed * (double)t->n_rows;
    (void)i;
    for (int64_t at = 0; at < t->n_sizes; at++) {
        int64_t size = t->sizes[at].size;
        sum += (double)t->sizes[at].n * (double)size * (double)(size >= assumed_k(t) ? size : t->n_rows);
    }
    return sum;
}

static double avg_class_size(const kanon_tally *t, int i)
{
    (void)i;
    return quotient((double)t->n_rows, n_groups(t)) / (double)assumed_k(t);
}

static double class_size_mean(const kanon_tally *t, int i)
{
    (void)i;
    return quotient((double)(t->n_rows - t->n_suppressed), n_groups(t));
}

static double highest_risk(const kanon_tally *t, int i)
{
    return quotient(1, smallest(t, i));
}

static double average_risk(const kanon_tally *t, int i)
{
    (void)i;
    return quotient(n_groups(t), (double)(t->n_rows - t->n_suppressed));
}

static double class_risk(const kanon_tally *t, int i)
{
    double sum = 0;
    (void)i;
    for (int64_t at = 0; at < t->n_sizes; at++)
        sum += (double)t->sizes[at].n / (double)t->sizes[at].size;
    return quotient(sum, n_groups(t));
}

/* The share of the records in groups of fewer than `size`. */
static double share_below(const kanon_tally *t, int64_t size)
{
    double n = 0;
    for (int64_t at = 0; at < t->n_sizes && t->sizes[at].size < size; at++)
        n += (double)t->sizes[at].n * (double)t->sizes[at].size;
    return quotient(n, (double)(t->n_rows - t->n_suppressed));
}

static double records_above_33(const kanon_tally *t, int i)
{
    (void)i;
    return share_below(t, 3);
}

static double records_above_20(const kanon_tally *t, int i)
{
    (void)i;
    return share_below(t, 5);
}

static double records_above_9(const kanon_tally *t, int i)
{
    (void)i;
    return share_below(t, 11);
}

static double records_above_5(const kanon_tally *t, int i)
{
    (void)i;
    return share_below(t, 20);
}

/* Names are those of measures.def, in its order; what is not here is told by the extremes, or cannot be merged. */
static const struct merged {
    const char *name;
    double (*figure)(const kanon_tally *tally, int attribute);
} merged[] = {
    {"records", records},
    {"groups", groups},
    {"suppressed", suppressed},
    {"k", smallest},
    {"information_loss", information_loss},
    {"avg_loss", avg_loss},
    {"gcp", gcp},
    {"discernibility", discernibility},
    {"avg_class_size", avg_class_size},
    {"class_size_mean", class_size_mean},
    {"highest_risk", highest_risk},
    {"average_risk", average_risk},
    {"class_risk", class_risk},
    {"records_above_33", records_above_33},
    {"records_above_20", records_above_20},
    {"records_above_9", records_above_9},
    {"records_above_5", records_above_5},
    {"attribute_loss", attribute_loss},
    {"attribute_share", attribute_share},
    {"loss_without", loss},
    {"ncp", penalty},
};
enum { N_MERGED = sizeof merged / sizeof merged[0] };

static void add_figures(kanon_measures *m, const kanon_tally *t, const char *name,
                        double (*figure)(const kanon_tally *tally, int attribute))
{
    const kanon__measure *measure = kanon__measure_find(name);
    int n = measure->scope == KANON__SCOPE_TABLE ? 1 : t->domain->data.n_quasi;
    for (int i = 0; i < n; i++)
        m->figures[m->n++] = (kanon_figure){name, measure->scope == KANON__SCOPE_TABLE ? NULL : quasi_at(t, i)->name,
                                            measure->formula, figure(t, i), measure->whole};
}

/* The j-th of the extremes and, after these, of the shares. */
static kanon_figure sensitive_figure(const kanon_tally *t, int i, int j)
{
    const kanon__data *data = &t->domain->data;
    bool is_share = j >= N_EXTREMES;
    const kanon__measure *measure = kanon__measure_find(is_share ? value_shares[j - N_EXTREMES] : extremes[j].name);
    double value = is_share ? quotient((double)t->alike[i * N_SHARES + j - N_EXTREMES], (double)(t->n_rows - t->n_suppressed))
                            : t->found[i * N_EXTREMES + j];
    return (kanon_figure){measure->name, data->columns[data->sensitive[i]].name, measure->formula, value, measure->whole};
}

static kanon_status measures_of(kanon_measures **out, const kanon_tally *t, const kanon_domain *domain, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_measures *m = NULL;
    const kanon__data *data = &domain->data;
    KANON_TRY(kanon__whole_check(domain, true, err), out);
    if (!kanon__whole_equal(t->domain, domain) || t->n_rows != domain->n_rows) {
        st = kanon__fail(err, KANON_EDATA, "the tally is of %lld records, the table has %lld", (long long)t->n_rows,
                         (long long)domain->n_rows);
        st = kanon__hint(err, st, "merge the tallies of all blocks of the table, each once");
        goto out;
    }
    KANON_TRY(kanon__new_array(&m, 1, "measures", err), out);
    int64_t most = N_MERGED * (int64_t)(data->n_quasi + 1) + (int64_t)(N_EXTREMES + N_SHARES) * data->n_sensitive;
    KANON_TRY(kanon__new_array(&m->figures, most, "measures", err), out);
    m->k = t->k;
    for (int i = 0; i < N_MERGED; i++)
        add_figures(m, t, merged[i].name, merged[i].figure);
    for (int j = 0; j < N_EXTREMES + N_SHARES; j++)
        for (int i = 0; i < data->n_sensitive; i++)
            m->figures[m->n++] = sensitive_figure(t, i, j);
    KANON_TRY(kanon__homogeneity_warn_all(m, err), out);
    *out = m;
    m = NULL;
out:
    kanon_measures_free(m);
    return st;
}

kanon_status kanon_tally_measures(kanon_measures **out, const kanon_tally *tally, const kanon_domain *domain,
                                  kanon_error *err)
{
    kanon__call call;
    *out = NULL;
    kanon__call_begin(&call, tally->context);
    return kanon__call_end(&call, measures_of(out, tally, domain, err));
}

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

static void pack_sum(kanon__packer *p, __int128 sum)
{
    kanon__pack_number(p, (uint64_t)sum);
    kanon__pack_number(p, (uint64_t)((unsigned __int128)sum >> 64));
}

static __int128 unpack_sum(kanon__unpacker *u)
{
    uint64_t low = kanon__unpack_number(u);
    return (__int128)kanon__unpack_upto(u, INT32_MAX) << 64 | low;
}

kanon_status kanon_tally_write(const kanon_tally *t, const kanon_sink *sink, kanon_error *err)
{
    kanon__call call;
    kanon__packer p;
    const kanon__data *data = &t->domain->data;
    kanon__call_begin(&call, t->context);
    kanon__packer_init(&p, &tally_kind, err);
    kanon__pack_domain(&p, t->domain);
    kanon__pack_number(&p, (uint64_t)t->n_rows);
    kanon__pack_number(&p, (uint64_t)t->n_suppressed);
    kanon__pack_number(&p, (uint64_t)t->k);
    kanon__pack_number(&p, (uint64_t)t->n_sizes);
    for (int64_t i = 0; i < t->n_sizes; i++) {
        kanon__pack_number(&p, (uint64_t)t->sizes[i].size);
        kanon__pack_number(&p, (uint64_t)t->sizes[i].n);
    }
    for (int i = 0; i < data->n_quasi; i++) {
        pack_sum(&p, t->losses[i]);
        pack_sum(&p, t->covers[i]);
    }
    for (int i = 0; i < data->n_sensitive * N_EXTREMES; i++) {
        uint64_t bits = 0;
        if (!isnan(t->found[i])) /* there are many kinds of NAN, and equal content is equal bytes */
            memcpy(&bits, &t->found[i], sizeof bits);
        kanon__pack_number(&p, !isnan(t->found[i]));
        kanon__pack_number(&p, bits);
    }
    for (int i = 0; i < data->n_sensitive * N_SHARES; i++)
        kanon__pack_number(&p, (uint64_t)t->alike[i]);
    kanon_status st = kanon__packer_send(&p, sink);
    kanon__packer_clear(&p);
    return kanon__call_end(&call, st);
}

/* Sizes rise; all records are in a group or suppressed. */
static bool unpack_sizes(kanon_tally *t, kanon__unpacker *u, int64_t n)
{
    int64_t left = t->n_rows - t->n_suppressed;
    bool sound = true;
    for (; t->n_sizes < n && sound && !u->damaged; t->n_sizes++) {
        size_count *s = &t->sizes[t->n_sizes];
        s->size = kanon__unpack_upto(u, left);
        s->n = kanon__unpack_upto(u, s->size > 0 ? left / s->size : 0);
        sound = s->n > 0 && (t->n_sizes == 0 || s->size > s[-1].size);
        left -= s->size * s->n;
    }
    return sound && left == 0;
}

static void unpack_extremes(kanon_tally *t, kanon__unpacker *u)
{
    for (int i = 0; i < t->domain->data.n_sensitive * N_EXTREMES; i++) {
        bool is_there = kanon__unpack_upto(u, 1) > 0;
        uint64_t bits = kanon__unpack_number(u);
        if (is_there)
            memcpy(&t->found[i], &bits, sizeof bits);
        u->damaged = u->damaged || (is_there ? isnan(t->found[i]) : bits != 0);
    }
}

static kanon_status from_bytes(kanon_tally **out, const kanon_domain *domain, const void *bytes, size_t size,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_tally *t = NULL;
    kanon__unpacker u;
    KANON_TRY(kanon__whole_check(domain, true, err), out);
    KANON_TRY(kanon__unpacker_init(&u, &tally_kind, bytes, size, err), out);
    KANON_TRY(kanon__unpack_domain(&u, domain, err), out);
    int64_t n_rows = kanon__unpack_upto(&u, domain->n_rows), n_suppressed = kanon__unpack_upto(&u, n_rows);
    int64_t k = kanon__unpack_upto(&u, INT64_MAX), n_sizes = kanon__unpack_count(&u, 2);
    KANON_TRY(new_tally(&t, domain, n_sizes, err), out);
    t->n_rows = n_rows;
    t->n_suppressed = n_suppressed;
    t->k = k;
    KANON_TRY(kanon__unpacker_check(&u, unpack_sizes(t, &u, n_sizes), err), out);
    for (int i = 0; i < domain->data.n_quasi; i++) {
        t->losses[i] = unpack_sum(&u);
        t->covers[i] = unpack_sum(&u);
    }
    unpack_extremes(t, &u);
    for (int i = 0; i < domain->data.n_sensitive * N_SHARES; i++)
        t->alike[i] = kanon__unpack_upto(&u, n_rows - n_suppressed);
    KANON_TRY(kanon__unpacker_end(&u, err), out);
    *out = t;
    t = NULL;
out:
    kanon_tally_free(t);
    return st;
}

kanon_status kanon_tally_from_bytes(kanon_tally **out, const kanon_domain *domain, const void *bytes, size_t size,
                                    kanon_error *err)
{
    kanon__call call;
    *out = NULL;
    kanon__call_begin(&call, domain->context);
    return kanon__call_end(&call, from_bytes(out, domain, bytes, size, err));
}
