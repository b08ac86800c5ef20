/* Growing clusters by weighted tuple diversity: Loukides, algorithm 1, whose step numbers stand below.
 *
 * 1 while records are free; 2 a random one seeds a cluster; 3 to 7 add the record with the least wtd until that would exceed
 * delta; 8 a cluster below k is rejected.
 *
 * kanon__weighted_regrow does the same once more with the records of rejected clusters. Two implementations give the
 * same clusters: the scan, here, and the index (weighted_index.c) for larger parts. The scan measures Q-diversity by
 * the cost table of the free set (search/free_set.h) and affinities by value (s_diversity.h). Cost: O(n) for each
 * record that is added by the scan. Ties: the lowest item. */
#include "papers/weighted_index.h"

#include "core/alloc.h"
#include "search/free_set.h"

#include <math.h>
#include <string.h>

/* Below this many records the scan is as fast as the index. */
enum { SMALL_PART = 500 };

kanon_status kanon__weighted_init(kanon__weighted *out, const kanon__data *table, double w_u, const char *r,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__weighted){.w_u = w_u, .w_p = 1 - w_u};
    KANON_TRY(kanon__space_new(&out->utility, table, table->quasi, table->n_quasi, KANON__TERMS_QDIVERSITY, err), out);
    KANON_TRY(kanon__s_diversity_new(&out->s_diversity, table, r, err), out);
out:
    if (st != KANON_OK)
        kanon__weighted_clear(out);
    return st;
}

void kanon__weighted_clear(kanon__weighted *w)
{
    kanon__s_diversity_free(w->s_diversity);
    kanon__space_free(w->utility);
    *w = (kanon__weighted){0};
}

/* The cluster that is growing. */
typedef struct growing_cluster {
    const kanon__weighted *weighted;
    const int32_t *rows;
    kanon__weighted_index *index; /* NULL: the scan, which needs all that follows */
    kanon__free_set *free_set;
    kanon__s_diversity_growth *growth;
    kanon__bound *box;
    uint8_t *present;   /* by entry of the cost table: a member has this value; for counted dimensions */
    uint32_t *distinct; /* by dimension: distinct values of the members */
    double *rough;      /* by place: wtd to many digits, less a constant */
    /* of both implementations: */
    int32_t *members; /* items */
    int64_t n_members;
} growing_cluster;

static void clear_cluster(growing_cluster *g)
{
    kanon__free(g->members);
    kanon__free(g->rough);
    kanon__free(g->distinct);
    kanon__free(g->present);
    kanon__free(g->box);
    kanon__s_diversity_growth_free(g->growth);
    kanon__free_set_free(g->free_set);
    kanon__weighted_index_free(g->index);
}

static kanon_status set_up_scan(growing_cluster *g, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *space = g->weighted->utility;
    int m = space->n_dimensions;
    KANON_TRY(kanon__free_set_new(&g->free_set, space, g->rows, n, err), out);
    KANON_TRY(kanon__free_set_lay_out(g->free_set, err), out);
    KANON_TRY(kanon__s_diversity_growth_new(&g->growth, g->weighted->s_diversity, g->rows, n, err), out);
    KANON_TRY(kanon__new_array(&g->box, 2 * m, "a cluster", err), out);
    KANON_TRY(kanon__new_array(&g->present, g->free_set->first[m], "a cluster", err), out);
    KANON_TRY(kanon__new_array(&g->distinct, m, "a cluster", err), out);
    KANON_TRY(kanon__new_array(&g->rough, n, "a cluster", err), out);
out:
    return st;
}

static kanon_status set_up_cluster(growing_cluster *g, const char *way, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool scan = strcmp(way, "scan") == 0 || (strcmp(way, "auto") == 0 && n < SMALL_PART);
    KANON_TRY(kanon__new_array(&g->members, n, "a cluster", err), out);
    if (!scan && kanon__weighted_index_suits(g->weighted))
        KANON_TRY(kanon__weighted_index_new(&g->index, g->weighted, g->rows, n, err), out);
    else
        KANON_TRY(set_up_scan(g, n, err), out);
out:
    return st;
}

static int64_t n_free(const growing_cluster *g)
{
    return g->index != NULL ? kanon__weighted_index_n_free(g->index) : g->free_set->n;
}

/* Add a free item to the cluster. */
static void take(growing_cluster *g, int64_t item)
{
    kanon__free_set *set = g->free_set;
    if (g->index != NULL) {
        kanon__weighted_index_take(g->index, item);
        g->members[g->n_members++] = (int32_t)item;
        return;
    }
    int m = set->space->n_dimensions;
    const uint32_t *tuple = set->tuples + (int64_t)set->place[item] * m;
    for (int i = 0; i < m; i++) {
        g->distinct[i] += !g->present[tuple[i]];
        g->present[tuple[i]] = 1;
    }
    if (g->n_members == 0)
        kanon__box_start(set->space, g->box, g->rows[item]);
    else
        kanon__box_add(set->space, g->box, g->rows[item]);
    g->members[g->n_members++] = (int32_t)item;
    if (g->weighted->w_p > 0)
        kanon__s_diversity_growth_add(g->growth, item);
    kanon__free_set_remove(set, item);
}

static void start(growing_cluster *g)
{
    kanon__free_set *set = g->free_set;
    g->n_members = 0;
    if (g->index != NULL) {
        kanon__weighted_index_start(g->index);
        return;
    }
    int m = set->space->n_dimensions;
    for (uint32_t entry = 0; entry < set->first[m]; entry++)
        g->present[entry] = 0;
    for (int i = 0; i < m; i++)
        g->distinct[i] = 0;
    kanon__s_diversity_growth_reset(g->growth);
}

/* The cost table for the next record: the cluster's Q-diversity with each value. A counted dimension costs by the number of
 * distinct values, so only whether the value is new matters. */
static void set_costs(growing_cluster *g)
{
    kanon__free_set *set = g->free_set;
    kanon__free_set_cost_growth(set, g->box);
    for (int i = 0; i < set->space->n_dimensions; i++) {
        const kanon__dimension *d = &set->space->dimensions[i];
        if (!d->counted)
            continue;
        uint32_t same = kanon__dimension_count_units(d, g->distinct[i]);
        uint32_t more = kanon__dimension_count_units(d, g->distinct[i] + 1);
        for (uint32_t entry = set->first[i]; entry < set->first[i + 1]; entry++)
            set->cost[entry] = g->present[entry] ? same : more;
    }
    kanon__free_set_measure(set);
}

/* Only utility or only protection counts: then its whole numbers decide, and wtd is computed for the best alone. */
static int64_t best_by_one_side(const growing_cluster *g, bool utility, double *value)
{
    const kanon__free_set *set = g->free_set;
    int32_t best = -1;
    uint64_t least = UINT64_MAX;
    for (int64_t place = 0; place < set->n; place++) {
        int32_t item = set->item_at[place];
        uint64_t here = utility ? set->units[place] : kanon__s_diversity_growth_affinity(g->growth, item);
        if (here < least || (here == least && item < best)) {
            least = here;
            best = item;
        }
    }
    if (best >= 0)
        *value = kanon__weighted_value(g->weighted, utility ? (int64_t)least : 0,
                                       utility ? 0 : kanon__s_diversity_growth_with(g->growth, best), g->n_members + 1);
    return best;
}

/* A first pass without divisions gives wtd to many digits; only records within its error of the least one are computed
 * exactly. */
static int64_t best_by_both(const growing_cluster *g, double *value)
{
    const double slack = 1e-12;
    const kanon__free_set *set = g->free_set;
    const kanon__weighted *w = g->weighted;
    double size = (double)(g->n_members + 1), n_sensitive = w->s_diversity->space->n_dimensions, least = INFINITY;
    double per_unit = w->w_u / ((double)w->utility->n_dimensions * (double)w->utility->scale);
    double per_affinity = 2 * w->w_p / (size * size * (double)w->s_diversity->space->scale * n_sensitive);
    int32_t best = -1;
    for (int64_t place = 0; place < set->n; place++) {
        uint64_t affinity = kanon__s_diversity_growth_affinity(g->growth, set->item_at[place]);
        g->rough[place] = per_unit * set->units[place] + per_affinity * (double)affinity;
        least = g->rough[place] < least ? g->rough[place] : least;
    }
    for (int64_t place = 0; place < set->n; place++) {
        int32_t item = set->item_at[place];
        if (g->rough[place] > least + slack)
            continue;
        double here = kanon__weighted_value(w, set->units[place], kanon__s_diversity_growth_with(g->growth, item),
                                            g->n_members + 1);
        if (best < 0 || here < *value || (here == *value && item < best)) {
            *value = here;
            best = item;
        }
    }
    return best;
}

/* Step 4: the free record with which wtd is least; its wtd through *value. */
static int64_t best_item(growing_cluster *g, double *value)
{
    bool utility = g->weighted->w_u > 0, protection = g->weighted->w_p > 0;
    *value = 0;
    if (g->index != NULL)
        return kanon__weighted_index_best(g->index, value);
    if (utility)
        set_costs(g);
    return utility && protection ? best_by_both(g, value) : best_by_one_side(g, utility, value);
}

/* Steps 2 to 7. */
static kanon_status grow_one(growing_cluster *g, const kanon__weighted_limits *limits, int64_t seed, int64_t n,
                             kanon__ticker *ticker, kanon_error *err)
{
    start(g);
    take(g, seed);
    while (g->n_members < limits->most) {
        double value;
        int64_t item = best_item(g, &value);
        if (item < 0 || value > limits->delta)
            break;
        take(g, item);
        kanon_status st = kanon__tick(ticker, n - n_free(g), n, g->index != NULL ? 10000 : 10 * n_free(g), err);
        if (st != KANON_OK)
            return st;
    }
    return KANON_OK;
}

kanon_status kanon__weighted_grow(const kanon__weighted *weighted, const kanon__weighted_limits *limits, const int32_t *rows,
                                  int64_t n, kanon__random *random, int32_t *cluster_of, int32_t *n_clusters,
                                  kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    growing_cluster g = {.weighted = weighted, .rows = rows};
    *n_clusters = 0;
    KANON_TRY(set_up_cluster(&g, limits->search, n, err), out);
    while (n_free(&g) > 0) {
        int64_t nth = kanon__random_below(random, n_free(&g));
        int64_t seed = g.index != NULL ? kanon__weighted_index_nth(g.index, nth) : kanon__free_set_nth(g.free_set, nth);
        KANON_TRY(grow_one(&g, limits, seed, n, ticker, err), out);
        bool keep = g.n_members >= limits->k; /* step 8 */
        for (int64_t i = 0; i < g.n_members; i++)
            cluster_of[g.members[i]] = keep ? *n_clusters : -1;
        *n_clusters += keep;
    }
out:
    clear_cluster(&g);
    return st;
}

kanon_status kanon__weighted_regrow(const kanon__weighted *weighted, const kanon__weighted_limits *limits,
                                    const int32_t *rows, int64_t n, kanon__random *random, int32_t *cluster_of,
                                    int32_t *n_clusters, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *items = NULL, *some_rows = NULL, *found = NULL, n_found = 0;
    int64_t n_items = 0;
    KANON_TRY(kanon__new_array(&items, n, "rejected records", err), out);
    KANON_TRY(kanon__new_array(&some_rows, n, "rejected records", err), out);
    KANON_TRY(kanon__new_array(&found, n, "rejected records", err), out);
    for (int64_t i = 0; i < n; i++)
        if (cluster_of[i] < 0) {
            items[n_items] = (int32_t)i;
            some_rows[n_items++] = rows[i];
        }
    if (n_items >= limits->k)
        KANON_TRY(kanon__weighted_grow(weighted, limits, some_rows, n_items, random, found, &n_found, ticker, err), out);
    for (int64_t i = 0; n_found > 0 && i < n_items; i++)
        if (found[i] >= 0)
            cluster_of[items[i]] = *n_clusters + found[i];
    *n_clusters += n_found;
out:
    kanon__free(found);
    kanon__free(some_rows);
    kanon__free(items);
    return st;
}
