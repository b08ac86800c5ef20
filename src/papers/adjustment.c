/* See adjustment.h; the step numbers are those of Lin, figure 2. Cost: sorting the large clusters, and one search for
 * the nearest centroid (nearest.h) for each given-up record. Ties: the lowest record is given up first; the
 * lowest cluster. */
#include "papers/adjustment.h"

#include "core/alloc.h"

#include <stdlib.h>

kanon_status kanon__cluster_space(const kanon__space **out, kanon__space **own, const kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *t = run->table;
    int *columns = NULL, n = 0;
    *own = NULL;
    *out = run->space;
    if (!kanon__setting_is(run->settings, "cluster-on", "all"))
        return KANON_OK;
    KANON_TRY(kanon__new_array(&columns, t->n_columns, "column numbers", err), out);
    for (int i = 0; i < t->n_columns; i++) {
        if (t->columns[i].role == KANON_ROLE_IDENTIFYING)
            continue;
        if (t->columns[i].domain == NULL) {
            st = kanon__fail(err, KANON_EINVAL, "cluster-on=all needs the insensitive columns, and %s is not encoded",
                             t->columns[i].name);
            kanon__hint(err, st, "read the table with encode_all");
            goto out;
        }
        columns[n++] = i;
    }
    KANON_TRY(kanon__space_new(own, t, columns, n, KANON__TERMS_LOSS, err), out);
    *out = *own;
out:
    kanon__free(columns);
    return st;
}

/* A record of a cluster that gives up its farthest ones. */
typedef struct member {
    int32_t row;
    uint32_t units; /* from its centroid */
} member;

static int farthest_first(const void *left, const void *right)
{
    const member *a = left, *b = right;
    if (a->units != b->units)
        return a->units > b->units ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* List the rows cluster by cluster: those of cluster i are members[begins[i] .. begins[i + 1]). */
static void list_members(const kanon__centroids *c, const int32_t *cluster_of, member *members, int64_t *begins)
{
    int64_t n_rows = c->space->n_rows;
    for (int64_t row = 0; row < n_rows; row++)
        begins[cluster_of[row] + 1]++;
    for (int64_t i = 0; i < c->n; i++)
        begins[i + 1] += begins[i];
    for (int64_t row = n_rows - 1; row >= 0; row--) /* backwards, so that each cluster's count runs down to its beginning */
        members[--begins[cluster_of[row] + 1]].row = (int32_t)row;
    for (int64_t i = 0; i < c->n; i++)
        begins[i] = begins[i + 1];
    begins[c->n] = n_rows;
}

/* Steps 2 to 8: the records that are too many, cluster by cluster, the farthest first. */
static kanon_status give_up(const kanon__adjustment *a, int32_t *cluster_of, int32_t *given_up, int64_t *n_given_up,
                            kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__centroids *c = a->centroids;
    member *members = NULL;
    int64_t *begins = NULL, n_rows = c->space->n_rows;
    KANON_TRY(kanon__new_array(&members, n_rows, "members", err), out);
    KANON_TRY(kanon__new_array(&begins, c->n + 1, "members", err), out);
    list_members(c, cluster_of, members, begins);
    for (int64_t i = 0; i < c->n; i++) {
        int64_t size = begins[i + 1] - begins[i];
        member *own = members + begins[i];
        a->centroids->sizes[i] = size < a->run->k ? size : a->run->k;
        if (size <= a->run->k)
            continue;
        for (int64_t j = 0; j < size; j++)
            own[j].units = kanon__centroid_units(c, i, own[j].row);
        qsort(own, (size_t)size, sizeof *own, farthest_first);
        for (int64_t j = 0; j < size - a->run->k; j++) {
            given_up[(*n_given_up)++] = own[j].row;
            cluster_of[own[j].row] = -1;
        }
    }
out:
    kanon__free(begins);
    kanon__free(members);
    return st;
}

/* Steps 9 to 17 for one record: to the closest cluster that is short of k while there is one, else to the closest. */
static void join_closest(const kanon__adjustment *a, int32_t *cluster_of, int32_t row, int64_t *n_short)
{
    kanon__centroids *c = a->centroids;
    int64_t k = a->run->k, cluster = kanon__nearest_find(a->nearest, row, a->by_size, *n_short > 0 ? k : 0);
    cluster_of[row] = (int32_t)cluster;
    if (a->moving)
        kanon__centroids_add(c, cluster, row);
    else
        c->sizes[cluster]++;
    kanon__nearest_update(a->nearest, cluster);
    *n_short -= c->sizes[cluster] == k;
}

/* Step 1 is the caller's: cluster_of is what the clustering stage left. */
kanon_status kanon__adjust(const kanon__adjustment *a, int32_t *cluster_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__centroids *c = a->centroids;
    int32_t *given_up = NULL;
    int64_t n_given_up = 0, n_short = 0, n_rows = c->space->n_rows;
    KANON_TRY(kanon__new_array(&given_up, n_rows, "given-up records", err), out);
    KANON_TRY(give_up(a, cluster_of, given_up, &n_given_up, err), out);
    if (a->moving)
        kanon__centroids_set(c, cluster_of);
    kanon__nearest_reset(a->nearest, NULL);
    for (int64_t i = 0; i < c->n; i++)
        n_short += c->sizes[i] < a->run->k;
    kanon__random_shuffle(a->random, given_up, n_given_up);
    for (int64_t i = 0; i < n_given_up; i++) {
        join_closest(a, cluster_of, given_up[i], &n_short);
        KANON_TRY(kanon__tick(a->run->ticker, 0, 0, 5 * c->n, err), out);
    }
out:
    kanon__free(given_up);
    return st;
}
