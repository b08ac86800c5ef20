/* Recombines two groupings, see recombine.h.
 *
 *   1. Join the groups that share a record: a forest over the groups of both, `other` after those of `best`, and one more
 *      node for the suppressed records. A row that only one of them suppresses joins its group in the other to this node.
 *   2. The gain of a component: what its groups lose in `best`, minus what they lose in `other`.
 *   3. Take the components with a gain, and those that lose the same in more groups.
 *
 * Cost: O(records * attributes); memory O(groups * attributes). Ties: `best` stays as it is. */
#include "refine/anneal/recombine.h"

#include "core/alloc.h"
#include "model/clusters.h"
#include "model/grouping.h"

typedef struct joined_groups {
    int32_t n_best, n; /* groups of `best`, and of both; n is the node of the suppressed records */
    int32_t *parents;  /* by node; a root is its own */
    int64_t *gains;    /* by root */
    int32_t *more;     /* by root: how many groups more it has in `other` */
} joined_groups;

static int32_t find_root(int32_t *parents, int32_t group)
{
    while (parents[group] != group)
        group = parents[group] = parents[parents[group]]; /* the path is halved */
    return group;
}

/* 1. Returns how many rows `best` suppresses more than `other`. */
static int64_t join_groups(joined_groups *j, const int32_t *best, const int32_t *other, int64_t n_rows)
{
    int64_t n_more = 0;
    for (int32_t node = 0; node <= j->n; node++)
        j->parents[node] = node;
    for (int64_t row = 0; row < n_rows; row++) {
        n_more += (best[row] < 0) - (other[row] < 0);
        if (best[row] < 0 && other[row] < 0)
            continue;
        int32_t a = find_root(j->parents, best[row] < 0 ? j->n : best[row]),
                b = find_root(j->parents, other[row] < 0 ? j->n : j->n_best + other[row]);
        j->parents[a > b ? a : b] = a > b ? b : a;
    }
    return n_more;
}

/* 2. Add the losses of n groups, which begin at `first` in the forest, with this sign. */
static kanon_status add_losses(joined_groups *j, const int32_t *group_of, int32_t first, int32_t n, int sign,
                               const kanon__space *space, kanon_error *err)
{
    kanon__clusters c;
    kanon_status st = kanon__clusters_init(&c, space, n, err);
    if (st != KANON_OK)
        return st;
    for (int64_t row = 0; row < space->n_rows; row++)
        if (group_of[row] >= 0)
            kanon__clusters_join(&c, group_of[row], row);
    for (int32_t group = 0; group < n; group++) {
        int32_t root = find_root(j->parents, first + group);
        if (c.sizes[group] == 0)
            continue;
        j->gains[root] += sign * c.sizes[group] * (int64_t)kanon__box_units(space, kanon__clusters_box(&c, group));
        j->more[root] -= sign;
    }
    kanon__clusters_clear(&c);
    return KANON_OK;
}

/* 3. Of equal losses, smaller groups tell more. */
static bool is_better(const joined_groups *j, int32_t root)
{
    return j->gains[root] > 0 || (j->gains[root] == 0 && j->more[root] > 0);
}

static kanon_status take_gains(kanon__combined_groups *best, joined_groups *j, const int32_t *other, int64_t n_rows,
                               kanon_error *err)
{
    int64_t n_taken = 0, n_groups = j->n;
    for (int32_t node = 0; node <= j->n; node++)
        if (j->parents[node] == node && is_better(j, node)) {
            best->loss -= j->gains[node];
            n_taken++;
        }
    if (n_taken == 0)
        return KANON_OK;
    for (int64_t row = 0; row < n_rows; row++) {
        if (best->group_of[row] < 0 && other[row] < 0)
            continue;
        if (is_better(j, find_root(j->parents, other[row] < 0 ? j->n : j->n_best + other[row])))
            best->group_of[row] = other[row] < 0 ? other[row] : j->n_best + other[row];
    }
    kanon_status st = kanon__grouping_renumber(best->group_of, n_rows, &n_groups, err);
    best->n_groups = (int32_t)n_groups;
    return st;
}

kanon_status kanon__recombine(kanon__combined_groups *best, const int32_t *other, int32_t n_other, const kanon__space *space,
                              int64_t full, kanon_error *err)
{
    kanon_status st = KANON_OK;
    joined_groups j = {.n_best = best->n_groups, .n = best->n_groups + n_other};
    KANON_TRY(kanon__new_array(&j.parents, j.n + 1, "groups", err), out);
    KANON_TRY(kanon__new_array(&j.gains, j.n + 1, "groups", err), out);
    KANON_TRY(kanon__new_array(&j.more, j.n + 1, "groups", err), out);
    int64_t n_more = join_groups(&j, best->group_of, other, space->n_rows);
    j.gains[find_root(j.parents, j.n)] = n_more * full;
    KANON_TRY(add_losses(&j, best->group_of, 0, best->n_groups, 1, space, err), out);
    KANON_TRY(add_losses(&j, other, j.n_best, n_other, -1, space, err), out);
    KANON_TRY(take_gains(best, &j, other, space->n_rows, err), out);
out:
    kanon__free(j.more);
    kanon__free(j.gains);
    kanon__free(j.parents);
    return st;
}
