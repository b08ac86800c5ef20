/* Placing the records of rejected clusters: Loukides 3.1, the last step. */
#include "algorithms/weighted.h"

#include "core/alloc.h"

typedef struct placing {
    const kanon__weighted *weighted;
    int64_t n_clusters;
    kanon__bound *boxes;          /* by cluster */
    uint32_t *distinct;           /* by cluster and dimension, for counted dimensions */
    kanon__keyset present;        /* cluster, dimension, code: a member has this value */
    kanon__secrets_group *groups; /* by cluster */
    int64_t n_groups;             /* of which so many are initialised */
    double *values;               /* wtd, by cluster */
} placing;

static kanon__bound *box_of(const placing *p, int64_t cluster)
{
    return p->boxes + cluster * 2 * p->weighted->utility->n_dimensions;
}

static uint64_t key_of(const placing *p, int64_t cluster, int i, uint32_t code)
{
    return ((uint64_t)cluster * (uint64_t)p->weighted->utility->n_dimensions + (uint64_t)i) << 32 | code;
}

/* The Q-diversity of a cluster in units, together with `row` unless that is negative. */
static int64_t units_with(const placing *p, int64_t cluster, int64_t row)
{
    const kanon__space *space = p->weighted->utility;
    const kanon__bound *box = box_of(p, cluster);
    int64_t units = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        const kanon__dimension *d = &space->dimensions[i];
        uint32_t lo = box[2 * i], hi = box[2 * i + 1], code = row >= 0 ? d->codes[row] : lo;
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

static double value_with(const placing *p, int64_t cluster, int64_t row)
{
    const kanon__secrets_group *group = &p->groups[cluster];
    bool protection = p->weighted->w_p > 0;
    if (row < 0)
        return kanon__weighted_value(p->weighted, units_with(p, cluster, -1), protection ? group->numerator : 0, group->size);
    unsigned __int128 numerator = protection ? kanon__secrets_group_with(group, row) : 0;
    return kanon__weighted_value(p->weighted, units_with(p, cluster, row), numerator, group->size + 1);
}

static kanon_status join(placing *p, int64_t cluster, int64_t row, kanon_error *err)
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
        KANON_TRY(kanon__keyset_add(&p->present, key_of(p, cluster, i, space->dimensions[i].codes[row]), &added, err), out);
        p->distinct[cluster * space->n_dimensions + i] += added;
    }
    KANON_TRY(kanon__secrets_group_add(&p->groups[cluster], row, err), out);
out:
    return st;
}

static kanon_status set_up(placing *p, const int32_t *rows, int64_t n, const int32_t *cluster_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = p->weighted->utility->n_dimensions;
    KANON_TRY(kanon__new_array(&p->boxes, p->n_clusters * 2 * m, "clusters", err), out);
    KANON_TRY(kanon__new_array(&p->distinct, p->n_clusters * m, "clusters", err), out);
    KANON_TRY(kanon__new_array(&p->values, p->n_clusters, "clusters", err), out);
    KANON_TRY(kanon__new_array(&p->groups, p->n_clusters, "clusters", err), out);
    for (; p->n_groups < p->n_clusters; p->n_groups++)
        KANON_TRY(kanon__secrets_group_init(&p->groups[p->n_groups], p->weighted->secrets, err), out);
    for (int64_t i = 0; i < n; i++)
        if (cluster_of[i] >= 0)
            KANON_TRY(join(p, cluster_of[i], rows[i], err), out);
    for (int64_t cluster = 0; cluster < p->n_clusters; cluster++)
        p->values[cluster] = value_with(p, cluster, -1);
out:
    return st;
}

static int64_t cheapest(const placing *p, int64_t row)
{
    int64_t best = 0;
    double least = 0;
    for (int64_t cluster = 0; cluster < p->n_clusters; cluster++) {
        double increase = value_with(p, cluster, row) - p->values[cluster];
        if (cluster == 0 || increase < least) {
            least = increase;
            best = cluster;
        }
    }
    return best;
}

static void average(const placing *p, double *utility, double *protection)
{
    *utility = *protection = 0;
    for (int64_t cluster = 0; cluster < p->n_clusters; cluster++) {
        const kanon__secrets_group *group = &p->groups[cluster];
        *utility += (double)units_with(p, cluster, -1) / (double)p->weighted->utility->scale;
        *protection += kanon__secrets_sum(p->weighted->secrets, group->numerator, group->size);
    }
    *utility /= (double)p->n_clusters;
    *protection /= (double)p->n_clusters;
}

kanon_status kanon__weighted_place(const kanon__weighted *weighted, const int32_t *rows, int64_t n, int32_t *cluster_of,
                                   int32_t n_clusters, double *utility, double *protection, kanon__ticker *ticker,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    placing p = {.weighted = weighted, .n_clusters = n_clusters};
    KANON_TRY(set_up(&p, rows, n, cluster_of, err), out);
    for (int64_t i = 0; i < n; i++) {
        if (cluster_of[i] >= 0)
            continue;
        int64_t cluster = cheapest(&p, rows[i]);
        cluster_of[i] = (int32_t)cluster;
        KANON_TRY(join(&p, cluster, rows[i], err), out);
        p.values[cluster] = value_with(&p, cluster, -1);
        KANON_TRY(kanon__tick(ticker, i, n, 50 * p.n_clusters, err), out);
    }
    if (utility != NULL)
        average(&p, utility, protection);
out:
    for (int64_t i = 0; i < p.n_groups; i++)
        kanon__secrets_group_clear(&p.groups[i]);
    kanon__free(p.groups);
    kanon__free(p.values);
    kanon__keyset_clear(&p.present);
    kanon__free(p.distinct);
    kanon__free(p.boxes);
    return st;
}
