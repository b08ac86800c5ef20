/* Constrained growth: kmember that prefers records which bring a group nearer to its constraints.
 *
 * A group takes the cheapest record, as in kmember, while it has more places left up to k than records that it needs at
 * least to satisfy its constraints. From then on it takes the cheapest record that helps, unless that costs far more
 * than the cheapest one. Records left over join the cheapest group that satisfies its constraints with them.
 *
 * Source: this project. What still violates a constraint is repaired afterwards (enforce/repair.h): moving single records
 * there is cheaper than forcing them in here. So the growth is a heuristic, and the requirement is enforced elsewhere.
 * Cost: kmember's, and for every record that has to help a test of the nearer ones that do not. Where these are many, a scan
 * of the free records with vector kernels.
 * Ties: the lowest record; for records left over the cluster that was built first.
 * Random numbers: stream 0: the first seed. */
#include "algorithms/constrained_growth.h"

#include "core/alloc.h"
#include "model/clusters.h"
#include "search/free_set.h"
#include "search/growth.h"

typedef struct constrained_state {
    kanon__run *run;
    kanon__clusters c;
    kanon__tally *tallies;       /* by cluster */
    kanon__growth *free_records; /* for the cheapest and the farthest record */
    kanon__free_set *helpers;    /* the same free records, for the scan among those that help */
} constrained_state;

/* A record that helps may cost more than the cheapest one by 1/5 of an attribute's full loss; beyond that the repair is
 * cheaper on most tables. */
enum { TOLERATED_PART = 5 };

/* Add a free record to a cluster, in all four places that know about it. */
static kanon_status take(constrained_state *g, int64_t cluster, int64_t row, kanon_error *err)
{
    kanon__clusters_join(&g->c, cluster, row);
    g->run->group_of[row] = (int32_t)cluster;
    kanon__growth_take_record(g->free_records, row);
    kanon__free_set_remove(g->helpers, row);
    return kanon__tally_add(&g->tallies[cluster], row, err);
}

/* The cheapest free record that helps by a scan of all; -1: none does. */
static int64_t scan_helpers(constrained_state *g, int64_t cluster, uint32_t *units)
{
    kanon__free_set *s = g->helpers;
    int64_t best = -1;
    uint32_t least = UINT32_MAX;
    kanon__free_set_cost_growth(s, kanon__clusters_box(&g->c, cluster));
    kanon__free_set_measure(s);
    for (int64_t place = 0; place < s->n; place++) {
        if (s->units[place] > least || (s->units[place] == least && s->item_at[place] > best))
            continue;
        if (kanon__tally_helps(&g->tallies[cluster], s->item_at[place])) {
            least = s->units[place];
            best = s->item_at[place];
        }
    }
    *units = least;
    return best;
}

static bool helps(void *tally, int64_t row)
{
    return kanon__tally_helps(tally, row);
}

/* The cheapest free record that helps, with a D of at most `most`; -1: none does. */
static kanon_status least_helper(constrained_state *g, int64_t cluster, uint32_t most, int64_t *row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__growth_answer answer;
    uint32_t units;
    KANON_TRY(kanon__growth_find_accepted(g->free_records, helps, &g->tallies[cluster], most, &answer, row, &units, err),
              out);
    if (answer != KANON__GROWTH_SCAN)
        goto out;
    *row = scan_helpers(g, cluster, &units);
    if (*row >= 0 && units > most)
        *row = -1;
out:
    return st;
}

/* The record that the cluster takes next. */
static kanon_status choose(constrained_state *g, int64_t cluster, int64_t *row, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__run *run = g->run;
    kanon__tally *tally = &g->tallies[cluster];
    int64_t places = run->k - g->c.sizes[cluster], helper = -1;
    uint32_t units = 0;
    bool at_any_cost = run->table->has_entity; /* k records of one entity protect nobody */
    KANON_TRY(kanon__growth_find_cheapest(g->free_records, row, &units, err), out);
    if (kanon__tally_lack(tally) < places || kanon__tally_helps(tally, *row))
        goto out;
    uint32_t most = at_any_cost ? UINT32_MAX : units + (uint32_t)(run->space->scale / TOLERATED_PART);
    KANON_TRY(least_helper(g, cluster, most, &helper, err), out);
    if (helper >= 0)
        *row = helper;
out:
    return st;
}

static kanon_status grow(constrained_state *g, int64_t seed, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t cluster = g->run->n_groups++, n_rows = g->run->space->n_rows;
    kanon__growth_start_group(g->free_records);
    KANON_TRY(kanon__tally_init(&g->tallies[cluster], g->run->constraints, err), out);
    KANON_TRY(take(g, cluster, seed, err), out);
    while (g->c.sizes[cluster] < g->run->k) {
        int64_t row, n_free = kanon__growth_n_free(g->free_records);
        KANON_TRY(choose(g, cluster, &row, err), out);
        KANON_TRY(take(g, cluster, row, err), out);
        KANON_TRY(kanon__tick(g->run->ticker, n_rows - n_free, n_rows, 5 * n_free, err), out);
    }
out:
    return st;
}

/* A record left over joins the cheapest group that satisfies its constraints with it, else the cheapest one. */
static kanon_status place_leftover(constrained_state *g, int64_t row, kanon_error *err)
{
    int64_t best = -1, least = INT64_MAX;
    for (int64_t cluster = 0; cluster < g->run->n_groups; cluster++) {
        bool holds = false;
        int64_t increase = kanon__clusters_increase(&g->c, cluster, row);
        if (increase >= least)
            continue;
        kanon_status st = kanon__tally_holds_with(&g->tallies[cluster], row, &holds, err);
        if (st != KANON_OK)
            return st;
        if (holds) {
            least = increase;
            best = cluster;
        }
    }
    return take(g, best >= 0 ? best : kanon__clusters_cheapest(&g->c, -1, row), row, err);
}

static kanon_status prepare(constrained_state *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__run *run = g->run;
    int64_t most_clusters = run->space->n_rows / run->k;
    KANON_TRY(kanon__growth_new(&g->free_records, run->space, kanon__setting_text(run->settings, "search"), err), out);
    KANON_TRY(kanon__free_set_new(&g->helpers, run->space, NULL, 0, err), out);
    KANON_TRY(kanon__free_set_lay_out(g->helpers, err), out);
    KANON_TRY(kanon__clusters_init(&g->c, run->space, most_clusters, err), out);
    KANON_TRY(kanon__new_array(&g->tallies, most_clusters, "clusters", err), out);
out:
    return st;
}

kanon_status kanon__constrained_growth(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    constrained_state g = {.run = run};
    kanon__random random;
    int64_t n = run->space->n_rows;
    KANON_TRY(prepare(&g, err), out);
    kanon__random_init(&random, run->seed, 0);
    int64_t seed = kanon__random_below(&random, n);
    for (;;) {
        KANON_TRY(grow(&g, seed, err), out);
        if (kanon__growth_n_free(g.free_records) < run->k)
            break;
        seed = kanon__growth_find_farthest(g.free_records, seed);
    }
    for (int64_t row = 0; row < n && kanon__growth_n_free(g.free_records) > 0; row++) {
        if (!kanon__growth_is_free(g.free_records, row))
            continue;
        if (run->leave_rest)
            run->group_of[row] = KANON__LEFT_OVER;
        else
            KANON_TRY(place_leftover(&g, row, err), out);
    }
out:
    for (int64_t i = 0; g.tallies != NULL && i < n / run->k; i++)
        kanon__tally_clear(&g.tallies[i]);
    kanon__free(g.tallies);
    kanon__clusters_clear(&g.c);
    kanon__free_set_free(g.helpers);
    kanon__growth_free(g.free_records);
    return st;
}
