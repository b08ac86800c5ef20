/* Growing clusters, see clusters.h. The cheapest cluster is found by a scan of all: O(clusters * dimensions). */
#include "model/clusters.h"

#include "core/alloc.h"

kanon_status kanon__clusters_init(kanon__clusters *out, const kanon__space *space, int64_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__clusters){.space = space, .n = n};
    KANON_TRY(kanon__new_array(&out->sizes, n, "clusters", err), out);
    KANON_TRY(kanon__new_array(&out->boxes, n * 2 * space->n_dimensions, "clusters", err), out);
out:
    if (st != KANON_OK)
        kanon__clusters_clear(out);
    return st;
}

void kanon__clusters_clear(kanon__clusters *c)
{
    kanon__free(c->boxes);
    kanon__free(c->sizes);
    *c = (kanon__clusters){0};
}

void kanon__clusters_join(kanon__clusters *c, int64_t cluster, int64_t row)
{
    if (c->sizes[cluster]++ == 0)
        kanon__box_start(c->space, kanon__clusters_box(c, cluster), row);
    else
        kanon__box_add(c->space, kanon__clusters_box(c, cluster), row);
}

int64_t kanon__clusters_increase(const kanon__clusters *c, int64_t cluster, int64_t row)
{
    const kanon__bound *box = kanon__clusters_box(c, cluster);
    return kanon__group_loss(c->sizes[cluster] + 1, kanon__box_units_with(c->space, box, row)) -
           kanon__group_loss(c->sizes[cluster], kanon__box_units(c->space, box));
}

int64_t kanon__clusters_cheapest(const kanon__clusters *c, int64_t except, int64_t row)
{
    int64_t best = -1, least = INT64_MAX;
    for (int64_t i = 0; i < c->n; i++) {
        if (i == except || c->sizes[i] == 0)
            continue;
        int64_t increase = kanon__clusters_increase(c, i, row);
        if (increase < least) {
            least = increase;
            best = i;
        }
    }
    return best;
}
