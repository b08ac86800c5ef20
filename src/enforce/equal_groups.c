/* Merges groups with equal generalisations.
 *
 *   1. Box of each group, then what its generalisation covers: the range of leaves below the lca, or all codes where the
 *      cell is "*".
 *   2. Sort the groups by these ranges, then by number.
 *   3. Number them anew; equal neighbours get one number.
 *
 * Cost: O(records + groups log groups). */
#include "enforce/equal_groups.h"

#include "core/alloc.h"
#include "model/clusters.h"
#include "search/cover_index.h"

#include <stdlib.h>
#include <string.h>

typedef struct generalised_group {
    const kanon__bound *covered; /* what the group covers: first and last code of each dimension */
    size_t size;                 /* of that, in bytes */
    int32_t group;
} generalised_group;

static int by_generalisation(const void *left, const void *right)
{
    const generalised_group *a = left, *b = right;
    int order = memcmp(a->covered, b->covered, a->size);
    return order != 0 ? order : a->group < b->group ? -1 : a->group > b->group;
}

/* From an open band to the other a cell shows "*", as it does with a number and a missing value. */
static void widen_open_bands(const kanon__dimension *d, kanon__bound *range)
{
    const kanon__domain *domain = d->column->domain;
    if (domain->bands != NULL && range[1] != domain->missing_code && domain->missing_code != KANON__NO_CODE &&
        domain->bands[range[0]].open_below && domain->bands[range[1]].open_above)
        range[1] = domain->missing_code;
}

/* 1. The box of a group is widened to what it covers. */
static void cover_groups(kanon__clusters *c, const kanon__run *run)
{
    for (int64_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] >= 0)
            kanon__clusters_join(c, run->group_of[row], row);
    for (int64_t group = 0; group < c->n; group++) {
        kanon__bound *box = kanon__clusters_box(c, group);
        for (int i = 0; i < run->space->n_dimensions; i++) {
            const kanon__dimension *d = &run->space->dimensions[i];
            kanon__covered_range(d, box[2 * i], box[2 * i + 1], &box[2 * i], &box[2 * i + 1]);
            widen_open_bands(d, &box[2 * i]);
        }
    }
}

kanon_status kanon__merge_equal_groups(kanon__run *run, int64_t *n_merged, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__clusters c = {0};
    generalised_group *all = NULL;
    int32_t *number = NULL, n_left = 0;
    int64_t n = run->n_groups;
    KANON_TRY(kanon__clusters_init(&c, run->space, n, err), out);
    KANON_TRY(kanon__new_array(&all, n, "groups", err), out);
    KANON_TRY(kanon__new_array(&number, n, "groups", err), out);
    cover_groups(&c, run);
    for (int32_t group = 0; group < n; group++)
        all[group] = (generalised_group){kanon__clusters_box(&c, group),
                                         2 * (size_t)run->space->n_dimensions * sizeof(kanon__bound), group};
    /* 2. */
    qsort(all, (size_t)n, sizeof *all, by_generalisation);
    /* 3. */
    for (int64_t i = 0; i < n; i++) {
        bool same = i > 0 && memcmp(all[i - 1].covered, all[i].covered, all[i].size) == 0;
        number[all[i].group] = same ? number[all[i - 1].group] : n_left++;
    }
    for (int64_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] >= 0)
            run->group_of[row] = number[run->group_of[row]];
    *n_merged = n - n_left;
    run->n_groups = n_left;
out:
    kanon__free(number);
    kanon__free(all);
    kanon__clusters_clear(&c);
    return st;
}
