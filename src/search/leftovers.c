/* See leftovers.h. Cost: O(groups * attributes) for each record left over, of which there are fewer than k, or that of
 * each block. Ties: the lowest group. */
#include "search/leftovers.h"

#include "model/clusters.h"

kanon_status kanon__leftovers_place(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__clusters c = {0};
    int64_t n = run->space->n_rows, n_left = 0;
    for (int64_t row = 0; row < n; row++)
        n_left += run->group_of[row] == KANON__LEFT_OVER;
    if (run->leave_rest || n_left == 0)
        return KANON_OK;
    KANON_TRY(kanon__clusters_init(&c, run->space, run->n_groups, err), out);
    for (int64_t row = 0; row < n; row++)
        if (run->group_of[row] >= 0)
            kanon__clusters_join(&c, run->group_of[row], row);
    for (int64_t row = 0; row < n; row++) {
        if (run->group_of[row] != KANON__LEFT_OVER)
            continue;
        run->group_of[row] = (int32_t)kanon__clusters_cheapest(&c, -1, row);
        kanon__clusters_join(&c, run->group_of[row], row);
    }
out:
    kanon__clusters_clear(&c);
    return st;
}
