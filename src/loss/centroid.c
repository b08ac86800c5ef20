#include "loss/centroid.h"

#include "core/alloc.h"

#include <string.h>

kanon_status kanon__centroids_new(kanon__centroids **out, const kanon__space *space, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__centroids *c = NULL;
    int64_t n_coordinates = n * space->n_dimensions;
    *out = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "centroids", err), out);
    c->space = space;
    c->n = n;
    KANON_TRY(kanon__new_array(&c->sizes, n, "centroids", err), out);
    KANON_TRY(kanon__new_array(&c->at, n_coordinates, "centroids", err), out);
    KANON_TRY(kanon__new_array(&c->sums, n_coordinates, "centroids", err), out);
    KANON_TRY(kanon__new_array(&c->n_present, n_coordinates, "centroids", err), out);
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
    kanon__free(c->at);
    kanon__free(c->sizes);
    kanon__free(c);
}

uint32_t kanon__centroid_term(const kanon__dimension *d, const kanon__coordinate *at, uint32_t code)
{
    if (d->position == NULL)
        return kanon__dimension_units(d, code < at->lo ? code : at->lo, code > at->hi ? code : at->hi);
    bool missing = code == d->column->missing_code;
    if (missing || at->lo == KANON__NO_POSITION)
        return missing && at->lo == KANON__NO_POSITION ? 0 : d->full;
    uint32_t position = d->position[code];
    return position > at->lo ? position - at->lo : at->lo - position;
}

/* Half up: positions are not negative. */
static uint32_t mean(int64_t sum, int64_t n)
{
    return (uint32_t)((2 * sum + n) / (2 * n));
}

/* Members' sums without the coordinates, which can be set when the last member is in. */
static void count(kanon__centroids *c, int64_t cluster, int64_t row)
{
    int m = c->space->n_dimensions;
    for (int i = 0; i < m; i++) {
        const kanon__dimension *d = &c->space->dimensions[i];
        uint32_t code = d->codes[row];
        if (d->position == NULL || code == d->column->missing_code)
            continue;
        c->sums[cluster * m + i] += d->position[code];
        c->n_present[cluster * m + i]++;
    }
    c->sizes[cluster]++;
}

void kanon__centroids_add(kanon__centroids *c, int64_t cluster, int64_t row)
{
    int m = c->space->n_dimensions;
    bool first = c->sizes[cluster] == 0;
    count(c, cluster, row);
    for (int i = 0; i < m; i++) {
        kanon__coordinate *at = &c->at[cluster * m + i];
        const kanon__dimension *d = &c->space->dimensions[i];
        uint32_t code = d->codes[row];
        if (d->position != NULL) {
            int64_t n = c->n_present[cluster * m + i];
            at->lo = n > 0 ? mean(c->sums[cluster * m + i], n) : KANON__NO_POSITION;
            continue;
        }
        if (first || code < at->lo)
            at->lo = code;
        if (first || code > at->hi)
            at->hi = code;
    }
}

void kanon__centroids_empty(kanon__centroids *c, int64_t cluster)
{
    size_t m = (size_t)c->space->n_dimensions;
    c->sizes[cluster] = 0;
    memset(c->sums + (size_t)cluster * m, 0, m * sizeof *c->sums);
    memset(c->n_present + (size_t)cluster * m, 0, m * sizeof *c->n_present);
}

/* Set the coordinate and say whether it moved; categories move when their node does. */
static bool move_to(const kanon__dimension *d, kanon__coordinate *at, kanon__coordinate now)
{
    bool moved = at->lo != now.lo;
    if (d->position == NULL) {
        const kanon__taxonomy *t = d->column->taxonomy;
        moved = kanon__taxonomy_lca(t, (int32_t)at->lo, (int32_t)at->hi) !=
                kanon__taxonomy_lca(t, (int32_t)now.lo, (int32_t)now.hi);
    }
    *at = now;
    return moved;
}

/* One dimension of all clusters. The range of leaves is gathered in `sums` (lo) and `n_present` (hi), which categories do not
 * use otherwise. */
static bool set_dimension(kanon__centroids *c, int i, const int32_t *cluster_of)
{
    int m = c->space->n_dimensions;
    const kanon__dimension *d = &c->space->dimensions[i];
    bool moved = false;
    for (int64_t cluster = 0; d->position == NULL && cluster < c->n; cluster++) {
        c->sums[cluster * m + i] = INT64_MAX;
        c->n_present[cluster * m + i] = 0;
    }
    for (int64_t row = 0; d->position == NULL && row < c->space->n_rows; row++) {
        if (cluster_of[row] < 0)
            continue;
        int64_t slot = (int64_t)cluster_of[row] * m + i, code = d->codes[row];
        c->sums[slot] = code < c->sums[slot] ? code : c->sums[slot];
        c->n_present[slot] = code > c->n_present[slot] ? code : c->n_present[slot];
    }
    for (int64_t cluster = 0; cluster < c->n; cluster++) {
        int64_t slot = cluster * m + i, n = c->n_present[slot];
        kanon__coordinate now = {KANON__NO_POSITION, 0};
        if (d->position == NULL)
            now = (kanon__coordinate){(uint32_t)c->sums[slot], (uint32_t)n};
        else if (n > 0)
            now.lo = mean(c->sums[slot], n);
        if (c->sizes[cluster] > 0 && move_to(d, &c->at[slot], now))
            moved = true;
        if (d->position == NULL)
            c->sums[slot] = c->n_present[slot] = 0;
    }
    return moved;
}

bool kanon__centroids_set(kanon__centroids *c, const int32_t *cluster_of)
{
    bool moved = false;
    for (int64_t cluster = 0; cluster < c->n; cluster++)
        kanon__centroids_empty(c, cluster);
    for (int64_t row = 0; row < c->space->n_rows; row++)
        if (cluster_of[row] >= 0)
            count(c, cluster_of[row], row);
    for (int i = 0; i < c->space->n_dimensions; i++)
        if (set_dimension(c, i, cluster_of))
            moved = true;
    return moved;
}
