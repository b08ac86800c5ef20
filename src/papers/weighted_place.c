/* Placing the records of rejected clusters: Loukides 3.1, the last step.
 *
 * Each record joins the cluster whose wtd it raises least. Clusters are numbered part by part, and neighbouring parts
 * are neighbours in space, so a complete binary tree over the cluster numbers is a tree over space. A node holds, for
 * its clusters, the box of their codes, the largest Q-diversity on each dimension and the least change of S-diversity;
 * these bound the increase of any of them from below, and best-first search skips most of the tree.
 *
 *                1                children of i: 2 i and 2 i + 1
 *            2       3            leaf of cluster c: n_leaves + c
 *          4   5   6   7          c:  0   1   2   3
 *
 * Where only utility counts, most records are covered by some cluster and cost nothing there; a bitmap index finds
 * these (search/cover_index.h). Cost: near O(log clusters) for each record; of a record that is covered, O(covering
 * clusters). Ties: the cluster of the least wtd, then of the fewest records, then the lowest; where asked for, the
 * lowest. */
#include "papers/weighted.h"

#include "core/alloc.h"
#include "core/heap.h"
#include "search/cover_index.h"

#include <math.h>

/* The bounds by node of the tree; see above. */
typedef struct bounds {
    int64_t n_leaves;
    kanon__bound *boxes;    /* by node: lo and hi per dimension, of all clusters below; lo > hi where there are none */
    uint32_t *most_units;   /* by node and dimension */
    double *least_s_change; /* by node: the least change of w_p * mean S-diversity by a record with nothing in common */
} bounds;

/* A node that a search has still to inspect. */
typedef struct cluster_node {
    int64_t node, first; /* first: its lowest cluster */
    int64_t n_below;     /* leaves below it */
    double bound;
} cluster_node;

static inline bool comes_before(const cluster_node *a, const cluster_node *b)
{
    return a->bound < b->bound || (a->bound == b->bound && a->first < b->first);
}

KANON__HEAP(cluster_node_queue, cluster_node, comes_before);

typedef struct placement {
    const kanon__weighted *weighted;
    int64_t n_clusters;
    kanon__bound *boxes;              /* by cluster */
    uint32_t *distinct;               /* by cluster and dimension, for counted dimensions */
    kanon__keyset present;            /* cluster, dimension, code: a member has this value */
    bool with_s_diversity;            /* S-diversity counts, or is asked for */
    kanon__s_diversity_group *groups; /* by cluster; without S-diversity only their sizes are kept */
    int64_t n_groups;                 /* of which so many are initialised */
    double *values;                   /* wtd, by cluster */
    bool narrowest;                   /* the tie rule; see above */
    int64_t most, n_open;             /* clusters with fewer than `most` records are open; where none is, all are */
    bounds bounds;
    cluster_node_queue queue;   /* room for every node, so that a search cannot fail */
    kanon__cover_index *covers; /* where only utility counts; else NULL */
} placement;

static kanon__bound *box_of(const placement *p, int64_t cluster)
{
    return p->boxes + cluster * 2 * p->weighted->utility->n_dimensions;
}

static uint64_t key_of(const placement *p, int64_t cluster, int i, uint32_t code)
{
    return ((uint64_t)cluster * (uint64_t)p->weighted->utility->n_dimensions + (uint64_t)i) << 32 | code;
}

/* The Q-diversity of a cluster in units, together with `row` unless that is negative. */
static int64_t units_with(const placement *p, int64_t cluster, int64_t row)
{
    const kanon__space *space = p->weighted->utility;
    const kanon__bound *box = box_of(p, cluster);
    int64_t units = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        const kanon__dimension *d = &space->dimensions[i];
        uint32_t lo = box[2 * i], hi = box[2 * i + 1], code = row >= 0 ? kanon__code_at(d->codes, row) : lo;
        if (d->counted) {
            uint32_t distinct = p->distinct[cluster * space->n_dimensions + i];
            distinct += row >= 0 && !kanon__keyset_has(&p->present, key_of(p, cluster, i, code));
            units += kanon__dimension_count_units(d, distinct);
        } else {
            units += kanon__dimension_units(d, code < lo ? code : lo, code > hi ? code : hi);
        }
    }
    return units;
}

static bool is_open(const placement *p, int64_t cluster)
{
    return p->n_open == 0 || p->groups[cluster].size < p->most;
}

/* wtd of a cluster, together with `row` unless that is negative. */
static double value_with(const placement *p, int64_t cluster, int64_t row)
{
    const kanon__s_diversity_group *group = &p->groups[cluster];
    bool protection = p->weighted->w_p > 0;
    if (row < 0)
        return kanon__weighted_value(p->weighted, units_with(p, cluster, -1), protection ? group->numerator : 0,
                                     group->size);
    unsigned __int128 numerator = protection ? kanon__s_diversity_group_with(group, row) : 0;
    return kanon__weighted_value(p->weighted, units_with(p, cluster, row), numerator, group->size + 1);
}

/* Add a record to a cluster; its wtd and bounds are the caller's to update. */
static kanon_status join(placement *p, int64_t cluster, int64_t row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *space = p->weighted->utility;
    if (p->groups[cluster].size == 0)
        kanon__box_start(space, box_of(p, cluster), row);
    else
        kanon__box_add(space, box_of(p, cluster), row);
    for (int i = 0; i < space->n_dimensions; i++) {
        bool added;
        if (!space->dimensions[i].counted)
            continue;
        KANON_TRY(kanon__keyset_add(&p->present, key_of(p, cluster, i, kanon__code_at(space->dimensions[i].codes, row)),
                                    &added, err),
                  out);
        p->distinct[cluster * space->n_dimensions + i] += added;
        if (p->covers != NULL)
            kanon__cover_index_add(p->covers, cluster, i, kanon__code_at(space->dimensions[i].codes, row),
                                   kanon__code_at(space->dimensions[i].codes, row));
    }
    if (p->with_s_diversity)
        KANON_TRY(kanon__s_diversity_group_add(&p->groups[cluster], row, err), out);
    else
        p->groups[cluster].size++;
out:
    return st;
}

/* ---- the tree ---------------------------------------------------------------------------------------------------- */

static uint32_t units_on(const placement *p, int64_t cluster, int i)
{
    const kanon__dimension *d = &p->weighted->utility->dimensions[i];
    const kanon__bound *box = box_of(p, cluster);
    if (d->counted)
        return kanon__dimension_count_units(d, p->distinct[cluster * p->weighted->utility->n_dimensions + i]);
    return kanon__dimension_units(d, box[2 * i], box[2 * i + 1]);
}

/* A record that shares nothing with the members adds itself to the numerator and one to the size. */
static double least_s_change(const placement *p, int64_t cluster)
{
    const kanon__s_diversity *s_diversity = p->weighted->s_diversity;
    const kanon__s_diversity_group *g = &p->groups[cluster];
    if (p->weighted->w_p <= 0 || s_diversity->space->n_dimensions == 0)
        return 0;
    return p->weighted->w_p *
           (kanon__s_diversity_sum(s_diversity, g->numerator + (uint64_t)s_diversity->full, g->size + 1) -
            kanon__s_diversity_sum(s_diversity, g->numerator, g->size)) /
           s_diversity->space->n_dimensions;
}

/* Enter the codes that a cluster covers at no cost into the index. */
static void set_cover(placement *p, int64_t cluster)
{
    const kanon__space *space = p->weighted->utility;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t first, last;
        const kanon__dimension *d = &space->dimensions[i];
        kanon__bound lo = box_of(p, cluster)[2 * i], hi = box_of(p, cluster)[2 * i + 1];
        if (d->counted)
            continue;
        kanon__covered_range(d, lo, hi, &first, &last);
        if (kanon__dimension_units(d, lo, hi) == d->full) { /* nothing costs more, not even a missing value */
            first = 0;
            last = d->n_codes - 1;
        }
        kanon__cover_index_add(p->covers, cluster, i, first, last);
    }
}

static void set_leaf(placement *p, int64_t cluster)
{
    if (p->covers != NULL)
        set_cover(p, cluster);
    int m = p->weighted->utility->n_dimensions;
    int64_t node = p->bounds.n_leaves + cluster;
    for (int i = 0; i < m; i++) {
        p->bounds.boxes[(node * m + i) * 2] = box_of(p, cluster)[2 * i];
        p->bounds.boxes[(node * m + i) * 2 + 1] = box_of(p, cluster)[2 * i + 1];
        p->bounds.most_units[node * m + i] = units_on(p, cluster, i);
    }
    p->bounds.least_s_change[node] = is_open(p, cluster) ? least_s_change(p, cluster) : INFINITY; /* nothing goes there */
}

static void join_children(placement *p, int64_t node)
{
    bounds *b = &p->bounds;
    int m = p->weighted->utility->n_dimensions;
    int64_t left = 2 * node, right = 2 * node + 1;
    for (int i = 0; i < m; i++) {
        const kanon__bound *l = b->boxes + (left * m + i) * 2, *r = b->boxes + (right * m + i) * 2;
        uint32_t lu = b->most_units[left * m + i], ru = b->most_units[right * m + i];
        b->boxes[(node * m + i) * 2] = l[0] < r[0] ? l[0] : r[0];
        b->boxes[(node * m + i) * 2 + 1] = l[1] > r[1] ? l[1] : r[1];
        b->most_units[node * m + i] = lu > ru ? lu : ru;
    }
    b->least_s_change[node] = fmin(b->least_s_change[left], b->least_s_change[right]);
}

/* All leaves, then all inner nodes from the last to the root. */
static void set_all_bounds(placement *p)
{
    for (int64_t cluster = 0; cluster < p->n_clusters; cluster++)
        set_leaf(p, cluster);
    for (int64_t node = p->bounds.n_leaves - 1; node > 0; node--)
        join_children(p, node);
}

static kanon_status build_bounds(placement *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bounds *b = &p->bounds;
    int64_t m = p->weighted->utility->n_dimensions;
    for (b->n_leaves = 1; b->n_leaves < p->n_clusters;)
        b->n_leaves *= 2;
    KANON_TRY(kanon__new_array(&b->boxes, 2 * b->n_leaves * 2 * m, "the index of clusters", err), out);
    KANON_TRY(kanon__new_array(&b->most_units, 2 * b->n_leaves * m, "the index of clusters", err), out);
    KANON_TRY(kanon__new_array(&b->least_s_change, 2 * b->n_leaves, "the index of clusters", err), out);
    KANON_TRY(cluster_node_queue_reserve(&p->queue, b->n_leaves + 1, err), out);
    for (int64_t node = b->n_leaves + p->n_clusters; node < 2 * b->n_leaves; node++) {
        b->least_s_change[node] = INFINITY;
        for (int64_t i = 0; i < m; i++)
            b->boxes[(node * m + i) * 2] = UINT32_MAX;
    }
    for (int64_t cluster = 0; cluster < p->n_clusters; cluster++)
        p->n_open += p->groups[cluster].size < p->most;
    set_all_bounds(p);
out:
    return st;
}

/* The path from a cluster's leaf to the root. */
static void update_bounds(placement *p, int64_t cluster)
{
    set_leaf(p, cluster);
    for (int64_t node = (p->bounds.n_leaves + cluster) / 2; node > 0; node /= 2)
        join_children(p, node);
}

/* The least by which a value outside the range lo..hi raises the units of a cluster inside it, which has at most `most`. */
static uint32_t least_rise(const kanon__dimension *d, uint32_t code, uint32_t lo, uint32_t hi, uint32_t most)
{
    if (code >= lo && code <= hi)
        return 0;
    if (d->counted)
        return d->full / (uint32_t)d->column->domain->taxonomy->n_leaves;
    uint32_t near = code < lo ? lo : hi,
             units = kanon__dimension_units(d, code < near ? code : near, code < near ? near : code);
    bool number = kanon__dimension_is_line(d) && code != d->column->domain->missing_code;
    if (number && hi == d->column->domain->missing_code)
        return 0; /* a cluster there may be fully general already */
    if (number)
        return units; /* the cluster must stretch at least so far */
    return units > most ? units - most : 0;
}

/* A lower bound on the increase of wtd of any cluster below the node. */
static double lower_bound(const placement *p, int64_t node, int64_t row)
{
    const kanon__space *space = p->weighted->utility;
    const bounds *b = &p->bounds;
    int m = space->n_dimensions;
    int64_t units = 0;
    if (b->least_s_change[node] == INFINITY)
        return INFINITY;
    for (int i = 0; i < m && p->weighted->w_u > 0; i++) {
        const kanon__bound *range = b->boxes + (node * m + i) * 2;
        const kanon__dimension *d = &space->dimensions[i];
        units += least_rise(d, kanon__code_at(d->codes, row), range[0], range[1], b->most_units[node * m + i]);
    }
    return p->weighted->w_u * ((double)units / ((double)m * (double)space->scale)) + b->least_s_change[node];
}

typedef struct cluster_search {
    const placement *placement;
    int64_t row, best;
    double least;
} cluster_search;

/* Whether no cluster below the node can be the answer: the bound exceeds the best by more than rounding errors; or the
 * best is 0, which nothing undercuts, and the clusters come later. */
static bool is_hopeless(const cluster_search *s, double bound, int64_t first_cluster)
{
    const double slack = 1e-12;
    if (s->best < 0)
        return bound == INFINITY;
    if (s->placement->weighted->w_p <= 0 && s->least <= 0 && !s->placement->narrowest)
        return first_cluster > s->best;
    return bound > s->least + slack;
}

/* Whether `left` goes before `right` where both would grow by the same wtd. */
static bool wins_tie(const placement *p, int64_t left, int64_t right)
{
    if (p->narrowest && p->values[left] != p->values[right])
        return p->values[left] < p->values[right];
    if (p->narrowest && p->groups[left].size != p->groups[right].size)
        return p->groups[left].size < p->groups[right].size;
    return left < right;
}

static void inspect_cluster(cluster_search *s, int64_t cluster)
{
    if (!is_open(s->placement, cluster))
        return;
    double increase = value_with(s->placement, cluster, s->row) - s->placement->values[cluster];
    if (s->best < 0 || increase < s->least || (increase == s->least && wins_tie(s->placement, cluster, s->best))) {
        s->least = increase;
        s->best = cluster;
    }
}

/* The first cluster, by the tie rule, that takes the row for nothing; -1 where there is none. */
static int64_t covering(const placement *p, int64_t row)
{
    int64_t best = -1;
    for (int64_t cluster = 0;; cluster++) {
        cluster = kanon__cover_index_next(p->covers, row, cluster);
        if (cluster < 0)
            return best;
        if (!is_open(p, cluster) || (best >= 0 && !wins_tie(p, cluster, best)) ||
            value_with(p, cluster, row) != p->values[cluster])
            continue;
        if (!p->narrowest)
            return cluster;
        best = cluster;
    }
}

/* Best first. The clusters around the hint, those of the record's own part, come before all others: a good answer early
 * prunes most of the tree. */
static int64_t cheapest(placement *p, int64_t row, int64_t hint)
{
    enum { AROUND = 4 };
    cluster_search s = {.placement = p, .row = row, .best = -1};
    int64_t free_of_charge = p->covers != NULL ? covering(p, row) : -1;
    if (free_of_charge >= 0)
        return free_of_charge;
    for (int64_t cluster = hint - AROUND; cluster < hint + AROUND; cluster++)
        if (cluster >= 0 && cluster < p->n_clusters)
            inspect_cluster(&s, cluster);
    cluster_node_queue_put(&p->queue, (cluster_node){1, 0, p->bounds.n_leaves, lower_bound(p, 1, row)});
    while (p->queue.n > 0) {
        cluster_node node = cluster_node_queue_pop(&p->queue);
        if (is_hopeless(&s, node.bound, node.first))
            continue;
        if (node.n_below == 1) {
            inspect_cluster(&s, node.first);
            continue;
        }
        int64_t half = node.n_below / 2;
        for (int64_t side = 0; side < 2; side++) {
            cluster_node child = {2 * node.node + side, node.first + side * half, half, 0};
            child.bound = lower_bound(p, child.node, row);
            if (!is_hopeless(&s, child.bound, child.first))
                cluster_node_queue_put(&p->queue, child);
        }
    }
    return s.best;
}

/* ---- placement --------------------------------------------------------------------------------------------------- */

static kanon_status set_up(placement *p, const int32_t *rows, int64_t n, const int32_t *cluster_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = p->weighted->utility->n_dimensions;
    KANON_TRY(kanon__new_array(&p->boxes, p->n_clusters * 2 * m, "clusters", err), out);
    if (p->weighted->w_p <= 0)
        KANON_TRY(kanon__cover_index_new(&p->covers, p->weighted->utility, p->n_clusters, err), out);
    KANON_TRY(kanon__new_array(&p->distinct, p->n_clusters * m, "clusters", err), out);
    KANON_TRY(kanon__new_array(&p->values, p->n_clusters, "clusters", err), out);
    KANON_TRY(kanon__new_array(&p->groups, p->n_clusters, "clusters", err), out);
    for (; p->n_groups < p->n_clusters; p->n_groups++)
        KANON_TRY(kanon__s_diversity_group_init(&p->groups[p->n_groups], p->weighted->s_diversity, err), out);
    for (int64_t i = 0; i < n; i++)
        if (cluster_of[i] >= 0)
            KANON_TRY(join(p, cluster_of[i], rows[i], err), out);
    for (int64_t cluster = 0; cluster < p->n_clusters; cluster++)
        p->values[cluster] = value_with(p, cluster, -1);
    KANON_TRY(build_bounds(p, err), out);
out:
    return st;
}

static void assess(const placement *p, kanon__weighted_quality *out)
{
    double n_records = 0;
    *out = (kanon__weighted_quality){0};
    for (int64_t cluster = 0; cluster < p->n_clusters; cluster++) {
        const kanon__s_diversity_group *group = &p->groups[cluster];
        out->utility += (double)units_with(p, cluster, -1) / (double)p->weighted->utility->scale;
        out->protection += kanon__s_diversity_sum(p->weighted->s_diversity, group->numerator, group->size);
        out->wtd_of_clusters += p->values[cluster];
        out->wtd_of_records += p->values[cluster] * (double)group->size;
        n_records += (double)group->size;
    }
    out->utility /= (double)p->n_clusters;
    out->protection /= (double)p->n_clusters;
    out->wtd_of_clusters /= (double)p->n_clusters;
    out->wtd_of_records /= n_records;
}

kanon_status kanon__weighted_place(const kanon__weighted *weighted, const kanon__weighted_rejects *r,
                                   kanon__weighted_quality *quality, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    placement p = {.weighted = weighted,
                   .n_clusters = r->n_clusters,
                   .with_s_diversity = weighted->w_p > 0 || quality != NULL,
                   .narrowest = r->narrowest,
                   .most = r->most};
    KANON_TRY(set_up(&p, r->rows, r->n, r->cluster_of, err), out);
    for (int64_t i = 0; i < r->n; i++) {
        if (r->cluster_of[i] >= 0)
            continue;
        int64_t cluster = cheapest(&p, r->rows[i], r->hints != NULL ? r->hints[i] : 0);
        r->cluster_of[i] = (int32_t)cluster;
        KANON_TRY(join(&p, cluster, r->rows[i], err), out);
        p.values[cluster] = value_with(&p, cluster, -1);
        if (p.groups[cluster].size == p.most && --p.n_open == 0)
            set_all_bounds(&p); /* the last one is full: all are open again */
        update_bounds(&p, cluster);
        KANON_TRY(kanon__tick(ticker, i, r->n, 20000, err), out);
    }
    if (quality != NULL)
        assess(&p, quality);
out:
    for (int64_t i = 0; i < p.n_groups; i++)
        kanon__s_diversity_group_clear(&p.groups[i]);
    kanon__cover_index_free(p.covers);
    cluster_node_queue_clear(&p.queue);
    kanon__free(p.bounds.least_s_change);
    kanon__free(p.bounds.most_units);
    kanon__free(p.bounds.boxes);
    kanon__free(p.groups);
    kanon__free(p.values);
    kanon__keyset_clear(&p.present);
    kanon__free(p.distinct);
    kanon__free(p.boxes);
    return st;
}
