/* Chooses the shares of mix.h. */
#include "refine/anneal/mix.h"

void kanon__mix_set(kanon__mix *m, kanon__move_kind kind, int32_t share)
{
    m->shares[kind] = share;
    m->n_before = 0;
    for (int i = 0; i < KANON__MOVE_single; i++)
        m->n_before += m->shares[i];
}

/* A regroup move escapes from local minima that moves of single records do not, but its time grows with the square of
 * k. So it is less frequent for larger k, and takes fewer groups at a time. The larger the groups, the more of their
 * loss is out of reach of single records, but within that of slabs. */
kanon__mix kanon__mix_choose(int64_t k)
{
    enum { PER_K = 48, MOST_SLABS = 1200 };
    kanon__mix m = {.most_groups = (int32_t)(k < 10 ? 3 + 10 / k : k < 25 ? 4 : 3)};
    if (k >= KANON__SLABS_FROM)
        m.slab_share = (int32_t)(PER_K * k < MOST_SLABS ? PER_K * k : MOST_SLABS);
    m.shares[KANON__MOVE_dissolve] = m.shares[KANON__MOVE_open] = 1;
    kanon__mix_set(&m, KANON__MOVE_regroup, k < 3 ? 2000 : k < 8 ? 1200 : k <= 12 ? 1000 : k <= 25 ? 600 : 400);
    return m;
}

/* Regrouping makes groups of k records, so it leads nowhere where constraints ask for far more, or most groups violate
 * one. There cutting two groups anew and slabs do what it does elsewhere; where it leads somewhere, slabs gain nothing
 * in addition and take its time. */
void kanon__mix_with_prices(kanon__mix *m, const kanon__region *r, const kanon__prices *p)
{
    double size = (double)(r->n - r->n_suppressed) / ((double)r->n_groups * (double)r->k), share;
    int64_t n_satisfied = 0;
    for (int32_t group = 0; group < r->n_slots; group++)
        n_satisfied += r->groups[group].size > 0 && p->violations[group] == 0;
    share = size < 1.4 ? 1 : size > 2 ? 0 : (2 - size) / 0.6;
    share *= (double)n_satisfied / (double)r->n_groups;
    m->shares[KANON__MOVE_dissolve] = 10;
    m->shares[KANON__MOVE_open] = 0;
    m->shares[KANON__MOVE_regroup] = (int32_t)(share * m->shares[KANON__MOVE_regroup]);
    m->slab_share = (int32_t)((1 - share) * m->slab_share);
    kanon__mix_set(m, KANON__MOVE_recut, 120 + (int32_t)((1 - share) * 500));
    m->sort_share = p->by_value && size > 2 ? (int32_t)(size < 4 ? 4 * (size - 2) : 8) : 0;
    m->trade_share = 2 + (int32_t)((1 - share) * 6);
    m->split_share = 20 + (int32_t)((1 - share) * 60);
    m->list_share = size < 2 ? 0 : 8;
}
