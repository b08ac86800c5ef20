/* Centroids follow their members: one by one (kanon__centroids_add) or for a whole assignment (kanon__centroids_set).
 *
 * Both count a member first, into sums and ranges, and then place the centroid; a whole assignment places each once. */
#include "papers/centroid.h"

#include "core/alloc.h"

#include <string.h>

kanon_status kanon__centroids_new(kanon__centroids **out, const kanon__space *space, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__centroids *c = NULL;
    int64_t n_cells = n * space->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "centroids", err), out);
    c->space = space;
    c->n = n;
    KANON_TRY(kanon__new_array(&c->sizes, n, "centroids", err), out);
    KANON_TRY(kanon__new_array(&c->at, n_cells, "centroids", err), out);
    KANON_TRY(kanon__new_array(&c->lo, n_cells, "centroids", err), out);
    KANON_TRY(kanon__new_array(&c->hi, n_cells, "centroids", err), out);
    KANON_TRY(kanon__new_array(&c->sums, n_cells, "centroids", err), out);
    KANON_TRY(kanon__new_array(&c->n_present, n_cells, "centroids", err), out);
    *out = c;
    c = NULL;
out:
    kanon__centroids_free(c);
    return st;
}

void kanon__centroids_free(kanon__centroids *c)
{
    if (c == NULL)
        return;
    kanon__free(c->n_present);
    kanon__free(c->sums);
    kanon__free(c->hi);
    kanon__free(c->lo);
    kanon__free(c->at);
    kanon__free(c->sizes);
    kanon__free(c);
}

/* The units of the lowest node that is above both `node` and the leaf. */
static uint32_t joined_units(const kanon__dimension *d, int32_t node, uint32_t leaf)
{
    const kanon__taxonomy *t = d->column->domain->taxonomy;
    while ((int32_t)leaf < t->first_leaf[node] || (int32_t)leaf > t->last_leaf[node])
        node = t->parent[node];
    return d->node_units[node];
}

uint32_t kanon__centroid_term(const kanon__dimension *d, int32_t at, uint32_t code)
{
    if (d->coordinates == NULL)
        return joined_units(d, at, code);
    bool missing = code == d->column->domain->missing_code;
    if (missing || at == KANON__NO_COORDINATE)
        return missing && at == KANON__NO_COORDINATE ? 0 : d->full;
    int32_t difference = (int32_t)d->coordinates[code] - at;
    return (uint32_t)(difference < 0 ? -difference : difference);
}

uint32_t kanon__centroid_units(const kanon__centroids *c, int64_t cluster, int64_t row)
{
    uint32_t units = 0;
    for (int i = 0; i < c->space->n_dimensions; i++)
        units += kanon__centroid_term(&c->space->dimensions[i], c->at[i * c->n + cluster],
                                      kanon__code_at(c->space->dimensions[i].codes, row));
    return units;
}

/* Count a member on one dimension; `first`: the cluster had none. */
static void count(const kanon__centroids *c, int i, int64_t cluster, int64_t row, bool first)
{
    const kanon__dimension *d = &c->space->dimensions[i];
    int64_t cell = i * c->n + cluster;
    uint32_t code = kanon__code_at(d->codes, row);
    if (d->coordinates != NULL) {
        bool present = code != d->column->domain->missing_code;
        c->sums[cell] += present ? d->coordinates[code] : 0;
        c->n_present[cell] += present;
        return;
    }
    if (first || code < c->lo[cell])
        c->lo[cell] = code;
    if (first || code > c->hi[cell])
        c->hi[cell] = code;
}

/* Place the centroid on one dimension. Half up: coordinates are not negative. Whether it moved. */
static bool place(const kanon__centroids *c, int i, int64_t cluster)
{
    const kanon__dimension *d = &c->space->dimensions[i];
    int64_t cell = i * c->n + cluster, n = c->n_present[cell];
    int32_t before = c->at[cell];
    if (d->coordinates == NULL)
        c->at[cell] = kanon__taxonomy_lca(d->column->domain->taxonomy, (int32_t)c->lo[cell], (int32_t)c->hi[cell]);
    else
        c->at[cell] = n > 0 ? (int32_t)((2 * c->sums[cell] + n) / (2 * n)) : KANON__NO_COORDINATE;
    return c->at[cell] != before;
}

void kanon__centroids_add(kanon__centroids *c, int64_t cluster, int64_t row)
{
    for (int i = 0; i < c->space->n_dimensions; i++) {
        count(c, i, cluster, row, c->sizes[cluster] == 0);
        place(c, i, cluster);
    }
    c->sizes[cluster]++;
}

kanon_status kanon__centroids_seed(kanon__centroids *c, kanon__random *random, int32_t *seeds, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *drawn = NULL, *scratch = NULL;
    KANON_TRY(kanon__new_array(&drawn, c->n, "seeds", err), out);
    KANON_TRY(kanon__new_array(&scratch, c->space->n_rows, "seeds", err), out);
    kanon__random_sample(random, drawn, c->n, scratch, c->space->n_rows);
    for (int64_t i = 0; i < c->n; i++) {
        kanon__centroids_add(c, i, drawn[i]);
        if (seeds != NULL)
            seeds[i] = drawn[i];
    }
out:
    kanon__free(scratch);
    kanon__free(drawn);
    return st;
}

void kanon__centroids_empty(kanon__centroids *c)
{
    size_t n_cells = (size_t)c->n * (size_t)c->space->n_dimensions;
    memset(c->sizes, 0, (size_t)c->n * sizeof *c->sizes);
    memset(c->sums, 0, n_cells * sizeof *c->sums);
    memset(c->n_present, 0, n_cells * sizeof *c->n_present);
}

bool kanon__centroids_set(kanon__centroids *c, const int32_t *cluster_of)
{
    bool moved = false;
    kanon__centroids_empty(c);
    for (int64_t row = 0; row < c->space->n_rows; row++) {
        int64_t cluster = cluster_of[row];
        if (cluster < 0)
            continue;
        for (int i = 0; i < c->space->n_dimensions; i++)
            count(c, i, cluster, row, c->sizes[cluster] == 0);
        c->sizes[cluster]++;
    }
    for (int i = 0; i < c->space->n_dimensions; i++)
        for (int64_t cluster = 0; cluster < c->n; cluster++)
            if (c->sizes[cluster] > 0 && place(c, i, cluster))
                moved = true;
    return moved;
}

/* ---- values as centroids of categories ---------------------------------------------------------------------------- */

/* The rows of all clusters, one cluster after the other; those of cluster c begin at begins[c]. */
typedef struct cluster_rows {
    int64_t *begins; /* n + 1 of them */
    int32_t *rows;
} cluster_rows;

/* Sorted by dimension i: by counting, stable, first by code and then by cluster. */
static void sort_rows(const kanon__centroids *c, const int32_t *cluster_of, int i, cluster_rows *out, int32_t *by_code,
                      int64_t *counts)
{
    const kanon__dimension *d = &c->space->dimensions[i];
    int64_t n = c->space->n_rows, n_in = 0;
    memset(counts, 0, ((size_t)d->n_codes + 1) * sizeof *counts);
    memset(out->begins, 0, ((size_t)c->n + 1) * sizeof *out->begins);
    for (int64_t row = 0; row < n; row++)
        if (cluster_of[row] >= 0) {
            counts[kanon__code_at(d->codes, row) + 1]++;
            out->begins[cluster_of[row] + 1]++;
            n_in++;
        }
    for (uint32_t code = 0; code < d->n_codes; code++)
        counts[code + 1] += counts[code];
    for (int64_t cluster = 0; cluster < c->n; cluster++)
        out->begins[cluster + 1] += out->begins[cluster];
    for (int64_t row = 0; row < n; row++)
        if (cluster_of[row] >= 0)
            by_code[counts[kanon__code_at(d->codes, row)]++] = (int32_t)row;
    for (int64_t j = 0; j < n_in; j++)
        out->rows[out->begins[cluster_of[by_code[j]]]++] = by_code[j];
    for (int64_t cluster = c->n; cluster > 0; cluster--) /* filling moved each begin to the next one */
        out->begins[cluster] = out->begins[cluster - 1];
    out->begins[0] = 0;
}

/* The code that stands for a cluster's rows, which are sorted by it. */
static uint32_t central_code(const kanon__dimension *d, const int32_t *rows, int64_t n, kanon__category_center which)
{
    uint32_t best = kanon__code_at(d->codes, rows[(n - 1) / 2]);
    int64_t most = 0, run = 0;
    for (int64_t j = 0; which == KANON__CENTER_MODE && j < n; j++) {
        uint32_t code = kanon__code_at(d->codes, rows[j]);
        run = j > 0 && code == kanon__code_at(d->codes, rows[j - 1]) ? run + 1 : 1;
        if (run > most) {
            most = run;
            best = code;
        }
    }
    return best;
}

kanon_status kanon__centroids_use_values(kanon__centroids *c, const int32_t *cluster_of, kanon__category_center which,
                                         kanon_error *err)
{
    kanon_status st = KANON_OK;
    cluster_rows sorted = {0};
    int32_t *by_code = NULL;
    int64_t *counts = NULL, most_codes = 0;
    for (int i = 0; i < c->space->n_dimensions; i++)
        most_codes = c->space->dimensions[i].n_codes > most_codes ? c->space->dimensions[i].n_codes : most_codes;
    KANON_TRY(kanon__new_array(&sorted.begins, c->n + 1, "centroids", err), out);
    KANON_TRY(kanon__new_array(&sorted.rows, c->space->n_rows, "centroids", err), out);
    KANON_TRY(kanon__new_array(&by_code, c->space->n_rows, "centroids", err), out);
    KANON_TRY(kanon__new_array(&counts, most_codes + 1, "centroids", err), out);
    for (int i = 0; i < c->space->n_dimensions; i++) {
        const kanon__dimension *d = &c->space->dimensions[i];
        if (d->coordinates != NULL)
            continue;
        sort_rows(c, cluster_of, i, &sorted, by_code, counts);
        for (int64_t cluster = 0; cluster < c->n; cluster++) {
            int64_t begin = sorted.begins[cluster], n = sorted.begins[cluster + 1] - begin;
            if (n == 0)
                continue;
            int32_t leaf = (int32_t)central_code(d, sorted.rows + begin, n, which);
            c->at[i * c->n + cluster] = kanon__taxonomy_lca(d->column->domain->taxonomy, leaf, leaf);
        }
    }
out:
    kanon__free(counts);
    kanon__free(by_code);
    kanon__free(sorted.rows);
    kanon__free(sorted.begins);
    return st;
}
