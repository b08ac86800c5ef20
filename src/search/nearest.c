#include "search/nearest.h"

#include "core/alloc.h"

#include <string.h>

/* Tables of all codes against all nodes are worth their memory up to this many entries. */
enum { NODE_TABLE_ENTRIES = 1 << 20 };

static kanon_status make_node_terms(uint32_t **out, const kanon__dimension *d, kanon_error *err)
{
    int64_t n_nodes = d->column->taxonomy->n_nodes;
    if ((int64_t)d->n_codes * n_nodes > NODE_TABLE_ENTRIES)
        return KANON_OK;
    kanon_status st = kanon__new_array(out, d->n_codes * n_nodes, "distances to taxonomy nodes", err);
    for (uint32_t code = 0; st == KANON_OK && code < d->n_codes; code++)
        for (int32_t node = 0; node < n_nodes; node++)
            (*out)[code * n_nodes + node] = kanon__centroid_term(d, node, code);
    return st;
}

kanon_status kanon__nearest_new(kanon__nearest **out, const kanon__centroids *centroids, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__nearest *s = NULL;
    const kanon__space *space = centroids->space;
    *out = NULL;
    KANON_TRY(kanon__new_array(&s, 1, "distances", err), out);
    s->centroids = centroids;
    KANON_TRY(kanon__new_array(&s->units, centroids->n, "distances", err), out);
    KANON_TRY(kanon__new_array(&s->weighted, centroids->n, "distances", err), out);
    KANON_TRY(kanon__new_array(&s->node_terms, space->n_dimensions, "distances", err), out);
    for (int i = 0; i < space->n_dimensions; i++)
        if (space->dimensions[i].position == NULL)
            KANON_TRY(make_node_terms(&s->node_terms[i], &space->dimensions[i], err), out);
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
    for (int i = 0; s->node_terms != NULL && i < s->centroids->space->n_dimensions; i++)
        kanon__free(s->node_terms[i]);
    kanon__free(s->node_terms);
    kanon__free(s->weighted);
    kanon__free(s->units);
    kanon__free(s);
}

/* Add one dimension's terms for all centroids. */
static void add_terms(kanon__nearest *s, int i, uint32_t code)
{
    const kanon__centroids *c = s->centroids;
    const kanon__dimension *d = &c->space->dimensions[i];
    const int32_t *at = c->at + i * c->n;
    uint32_t *units = s->units;
    if (d->position != NULL && code != d->column->missing_code) {
        int32_t own = (int32_t)d->position[code], full = (int32_t)d->full;
        for (int64_t j = 0; j < c->n; j++) {
            int32_t difference = own - at[j], distance = difference < 0 ? -difference : difference;
            units[j] += (uint32_t)(at[j] == KANON__NO_POSITION ? full : distance);
        }
    } else if (s->node_terms[i] != NULL) {
        const uint32_t *terms = s->node_terms[i] + (size_t)code * (size_t)d->column->taxonomy->n_nodes;
        for (int64_t j = 0; j < c->n; j++)
            units[j] += terms[at[j]];
    } else {
        for (int64_t j = 0; j < c->n; j++)
            units[j] += kanon__centroid_term(d, at[j], code);
    }
}

void kanon__nearest_measure(kanon__nearest *s, int64_t row)
{
    const kanon__space *space = s->centroids->space;
    memset(s->units, 0, (size_t)s->centroids->n * sizeof *s->units);
    for (int i = 0; i < space->n_dimensions; i++)
        add_terms(s, i, space->dimensions[i].codes[row]);
}

int64_t kanon__nearest_find(kanon__nearest *s, int64_t row, bool by_size, int64_t below)
{
    const int64_t *sizes = s->centroids->sizes;
    int64_t best = -1;
    uint64_t least = UINT64_MAX;
    kanon__nearest_measure(s, row);
    for (int64_t j = 0; j < s->centroids->n; j++) {
        uint64_t factor = by_size && sizes[j] > 1 ? (uint64_t)sizes[j] : 1, here = factor * s->units[j];
        if (here < least && (below == 0 || sizes[j] < below)) {
            least = here;
            best = j;
        }
    }
    return best;
}

int64_t kanon__nearest_weighted(kanon__nearest *s, int64_t row, const uint32_t *weights)
{
    const kanon__space *space = s->centroids->space;
    int64_t n = s->centroids->n, best = -1;
    uint64_t least = UINT64_MAX;
    memset(s->weighted, 0, (size_t)n * sizeof *s->weighted);
    for (int i = 0; i < space->n_dimensions; i++) {
        memset(s->units, 0, (size_t)n * sizeof *s->units);
        add_terms(s, i, space->dimensions[i].codes[row]);
        for (int64_t j = 0; j < n; j++)
            s->weighted[j] += (uint64_t)weights[i] * s->units[j];
    }
    for (int64_t j = 0; j < n; j++)
        if (s->weighted[j] < least) {
            least = s->weighted[j];
            best = j;
        }
    return best;
}
