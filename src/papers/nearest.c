/* See nearest.h: the scan, the search through the filter, and the choice between them; both give the same answer. */
#include "papers/nearest.h"

#include "core/alloc.h"

#include <string.h>

/* A table of all codes against all nodes is worth its memory up to this many entries. */
enum { NODE_TABLE_ENTRIES = 1 << 20 };

static kanon_status make_node_terms(uint32_t **out, const kanon__dimension *d, kanon_error *err)
{
    int64_t n_nodes = d->column->domain->taxonomy->n_nodes;
    if ((int64_t)d->n_codes * n_nodes > NODE_TABLE_ENTRIES)
        return KANON_OK;
    kanon_status st = kanon__new_array(out, d->n_codes * n_nodes, "distances to taxonomy nodes", err);
    for (uint32_t code = 0; st == KANON_OK && code < d->n_codes; code++)
        for (int32_t node = 0; node < n_nodes; node++)
            (*out)[code * n_nodes + node] = kanon__centroid_term(d, node, code);
    return st;
}

kanon_status kanon__nearest_new(kanon__nearest **out, const kanon__centroids *centroids, const char *way, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__nearest *s = NULL;
    const kanon__space *space = centroids->space;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "distances", err), out);
    s->centroids = centroids;
    bool plain = strcmp(way, "scan") == 0;
    s->kernels = kanon__kernels_choose(plain);
    s->comparing = kanon__centroid_kernels_choose(plain);
    KANON_TRY(kanon__new_array(&s->units, centroids->n, "distances", err), out);
    KANON_TRY(kanon__new_array(&s->weighted, centroids->n, "distances", err), out);
    KANON_TRY(kanon__new_array(&s->terms, space->n_dimensions, "distances", err), out);
    KANON_TRY(kanon__new_array(&s->by_hand, space->n_dimensions, "distances", err), out);
    KANON_TRY(kanon__new_array(&s->node_terms, space->n_dimensions, "distances", err), out);
    for (int i = 0; i < space->n_dimensions; i++)
        if (space->dimensions[i].coordinates == NULL)
            KANON_TRY(make_node_terms(&s->node_terms[i], &space->dimensions[i], err), out);
    if (s->comparing != kanon__centroid_kernels_choose(true))
        KANON_TRY(kanon__centroid_filter_new(&s->filter, centroids, s->comparing, s->node_terms, err), out);
    *out = s;
    s = NULL;
out:
    kanon__nearest_free(s);
    return st;
}

void kanon__nearest_free(kanon__nearest *s)
{
    if (s == NULL)
        return;
    kanon__centroid_filter_free(s->filter);
    for (int i = 0; s->node_terms != NULL && i < s->centroids->space->n_dimensions; i++)
        kanon__free(s->node_terms[i]);
    kanon__free(s->node_terms);
    kanon__free(s->by_hand);
    kanon__free(s->terms);
    kanon__free(s->weighted);
    kanon__free(s->units);
    kanon__free(s);
}

/* The term of one dimension as the kernels take it. False where there is none, because the number is missing or the
 * taxonomy too large for a table: then it is added by hand. */
static bool describe_term(const kanon__nearest *s, int i, uint32_t code, kanon__kernel_term *out)
{
    const kanon__centroids *c = s->centroids;
    const kanon__dimension *d = &c->space->dimensions[i];
    *out = (kanon__kernel_term){.at = c->at + i * c->n};
    if (d->coordinates != NULL && code != d->column->domain->missing_code) {
        out->own = (int32_t)d->coordinates[code];
        out->full = d->full;
        return true;
    }
    if (s->node_terms[i] == NULL)
        return false;
    out->n_table = d->column->domain->taxonomy->n_nodes;
    out->table = s->node_terms[i] + (int64_t)code * out->n_table;
    return true;
}

static void add_by_hand(kanon__nearest *s, int i, uint32_t code)
{
    const kanon__centroids *c = s->centroids;
    for (int64_t j = 0; j < c->n; j++)
        s->units[j] += kanon__centroid_term(&c->space->dimensions[i], c->at[i * c->n + j], code);
}

/* units = the terms of the dimensions first .. last - 1. */
static void measure(kanon__nearest *s, int64_t row, int first, int last)
{
    const kanon__space *space = s->centroids->space;
    int n_terms = 0;
    for (int i = first; i < last; i++)
        n_terms += describe_term(s, i, kanon__code_at(space->dimensions[i].codes, row), &s->terms[n_terms]);
    s->kernels->measure(s->units, s->centroids->n, s->terms, n_terms);
    for (int i = first; n_terms < last - first && i < last; i++) {
        kanon__kernel_term term;
        if (!describe_term(s, i, kanon__code_at(space->dimensions[i].codes, row), &term))
            add_by_hand(s, i, kanon__code_at(space->dimensions[i].codes, row));
    }
}

/* Weights make 64-bit distances, so the dimensions are measured one by one. */
static int64_t scan_weighted(kanon__nearest *s, int64_t row)
{
    const kanon__space *space = s->centroids->space;
    int64_t n = s->centroids->n, best = -1;
    uint64_t least = UINT64_MAX;
    memset(s->weighted, 0, (size_t)n * sizeof *s->weighted);
    for (int i = 0; i < space->n_dimensions; i++) {
        measure(s, row, i, i + 1);
        for (int64_t j = 0; j < n; j++)
            s->weighted[j] += (uint64_t)s->weights[i] * s->units[j];
    }
    for (int64_t j = 0; j < n; j++)
        if (s->weighted[j] < least) {
            least = s->weighted[j];
            best = j;
        }
    return best;
}

/* ---- by the centroid filter -------------------------------------------------------------------------------------- */

typedef struct question {
    int64_t row;
    bool by_size;
    int64_t best;   /* so far; -1: none */
    uint64_t least; /* its value */
} question;

static uint64_t size_factor(const kanon__nearest *s, const question *q, int64_t cluster)
{
    int64_t size = s->centroids->sizes[cluster];
    return q->by_size && size > 1 ? (uint64_t)size : 1;
}

/* The record's terms are described in s->terms, one for each dimension. */
static uint64_t distance(const kanon__nearest *s, int64_t row, int64_t cluster)
{
    const kanon__space *space = s->centroids->space;
    uint64_t units = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        const kanon__kernel_term *t = &s->terms[i];
        int32_t at = t->at[cluster];
        uint32_t term;
        if (t->table != NULL)
            term = t->table[at];
        else if (s->by_hand[i])
            term = kanon__centroid_term(&space->dimensions[i], at, kanon__code_at(space->dimensions[i].codes, row));
        else
            term = at == KANON__NO_COORDINATE ? t->full : (uint32_t)(t->own < at ? at - t->own : t->own - at);
        units += s->weights != NULL ? (uint64_t)term * s->weights[i] : term;
    }
    return units;
}

static void consider(kanon__nearest *s, question *q, int64_t cluster)
{
    s->n_measured++;
    uint64_t value = size_factor(s, q, cluster) * distance(s, q->row, cluster);
    if (value < q->least || (value == q->least && cluster < q->best)) {
        q->least = value;
        q->best = cluster;
    }
}

/* Measure the centroids that pass the filter, unless their bound exceeds the best distance by now. */
static void consider_hits(kanon__nearest *s, question *q)
{
    const kanon__centroid_filter *filter = s->filter;
    for (int64_t first = 0; first < filter->n; first += KANON__FILTER_BLOCK)
        for (uint64_t hits = filter->hits[first / KANON__FILTER_BLOCK]; hits != 0; hits &= hits - 1) {
            int64_t slot = first + __builtin_ctzll(hits), cluster = filter->cluster_at[slot];
            uint64_t bound = size_factor(s, q, cluster) * filter->bounds[slot] * filter->step;
            if (bound <= q->least && cluster != q->best)
                consider(s, q, cluster);
        }
}

/* With many attributes the bounds lie so close together that most centroids pass, and measuring one of them alone costs as
 * much as scanning sixteen. Then the next SCANS questions are answered by scanning. */
static void evaluate_filter(kanon__nearest *s)
{
    enum { TRIAL = 64, SCANS = 4096, WORTH = 16 };
    if (++s->n_asked < TRIAL)
        return;
    if (s->weights == NULL && s->n_measured * WORTH > TRIAL * s->centroids->n)
        s->n_scans = SCANS;
    s->n_asked = 0;
    s->n_measured = 0;
}

/* First the centroids with the least bound: the nearest is mostly among them, and its distance is then a tight limit for the
 * second pass. Doubling the limit until one passes covers the guess in kanon__centroid_filter_least_bound. */
static int64_t find_by_filter(kanon__nearest *s, int64_t row, bool by_size, int64_t below)
{
    question q = {.row = row, .by_size = by_size, .best = -1, .least = UINT64_MAX};
    if (below != s->filter->below)
        kanon__centroid_filter_open_slots(s->filter, below);
    if (s->filter->n == 0)
        return -1;
    for (int i = 0; i < s->centroids->space->n_dimensions; i++)
        s->by_hand[i] = !describe_term(s, i, kanon__code_at(s->centroids->space->dimensions[i].codes, row), &s->terms[i]);
    kanon__centroid_filter_bound(s->filter, row);
    for (uint64_t least = kanon__centroid_filter_least_bound(s->filter, by_size); q.best < 0; least = 2 * least + 1) {
        kanon__centroid_filter_select(s->filter, by_size, least);
        consider_hits(s, &q);
    }
    kanon__centroid_filter_select(s->filter, by_size, q.least);
    consider_hits(s, &q);
    evaluate_filter(s);
    return q.best;
}

/* ---- the interface ----------------------------------------------------------------------------------------------- */

void kanon__nearest_reset(kanon__nearest *s, const uint32_t *weights)
{
    s->weights = weights;
    if (s->filter != NULL)
        kanon__centroid_filter_reset(s->filter, weights);
}

void kanon__nearest_update(kanon__nearest *s, int64_t cluster)
{
    if (s->filter != NULL)
        kanon__centroid_filter_update(s->filter, cluster);
}

int64_t kanon__nearest_find(kanon__nearest *s, int64_t row, bool by_size, int64_t below)
{
    if (s->filter != NULL && s->n_scans == 0)
        return find_by_filter(s, row, by_size, below);
    s->n_scans -= s->filter != NULL;
    if (s->weights != NULL)
        return scan_weighted(s, row);
    measure(s, row, 0, s->centroids->space->n_dimensions);
    return s->comparing->find_least(s->units, s->centroids->sizes, s->centroids->n, by_size, below);
}
