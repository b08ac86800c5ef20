/* Counting the values of groups by sorting: records become triples of group, value and entity, and equal neighbours are
 * counted. */
#include "verify/value_runs.h"

#include "core/alloc.h"
#include "core/sort.h"
#include "core/ticker.h"

#include <math.h>

/* ---- counting by sorting ----------------------------------------------------------------------------------------- */

enum { PASS_NS = 10, SORT_NS = 100 }; /* what a record costs in a pass over all, and in the sort of its group */

typedef struct occurrence {
    int32_t group;
    uint32_t code, entity;
} occurrence;

static int by_group_and_value(const void *left, const void *right)
{
    const occurrence *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    if (a->code != b->code)
        return a->code < b->code ? -1 : 1;
    return a->entity < b->entity ? -1 : a->entity > b->entity;
}

static occurrence occurrence_of(const kanon__data *t, int column, int32_t group, int64_t row)
{
    uint32_t entity = t->has_entity ? kanon__code_at(t->entity_codes, row) : 0;
    return (occurrence){group, column < 0 ? entity : kanon__code_at(t->columns[column].codes, row), entity};
}

/* Sorted by group, then by value: the groups by counting, which takes a fraction of the time of comparing, and each of them
 * for itself. `ends` has room for a number per group; *n is -1 where a row is in a group that does not exist. */
static kanon_status list_occurrences(occurrence *out, int64_t *n, int64_t *ends, const kanon__data *t, int column,
                                     const int32_t *group_of, int64_t n_groups, kanon_error *err)
{
    int64_t total = 0, begin = 0;
    for (int64_t row = 0; row < t->n_rows; row++) {
        int32_t group = group_of != NULL ? group_of[row] : 0;
        if (group >= n_groups) {
            *n = -1;
            return KANON_OK;
        }
        if (group >= 0)
            ends[group]++;
    }
    for (int64_t group = 0; group < n_groups; group++) {
        int64_t size = ends[group];
        ends[group] = total; /* where its next record goes */
        total += size;
    }
    for (int64_t row = 0; row < t->n_rows; row++) {
        int32_t group = group_of != NULL ? group_of[row] : 0;
        if (group >= 0)
            out[ends[group]++] = occurrence_of(t, column, group, row);
    }
    KANON_CHECK(kanon__poll_tick(t->n_rows * PASS_NS, err));
    for (int64_t group = 0; group < n_groups; begin = ends[group++]) {
        KANON_CHECK(kanon__sort(out + begin, ends[group] - begin, sizeof *out, by_group_and_value, err));
        KANON_CHECK(kanon__poll_tick((ends[group] - begin) * SORT_NS, err));
    }
    *n = total;
    return KANON_OK;
}

static void count_runs(kanon__value_runs *runs, const occurrence *list, int64_t n, bool entities)
{
    int64_t n_values = 0, group = 0;
    for (int64_t i = 0; i < n; i++) {
        const occurrence *before = i > 0 ? &list[i - 1] : NULL;
        bool same_group = before != NULL && before->group == list[i].group;
        if (same_group && entities && by_group_and_value(before, &list[i]) == 0)
            continue;
        while (group < list[i].group)
            runs->begins[++group] = n_values;
        if (!same_group || before->code != list[i].code)
            runs->values[n_values++] = (kanon__run_of_value){.code = list[i].code};
        runs->values[n_values - 1].n++;
    }
    while (group < runs->n_groups)
        runs->begins[++group] = n_values;
}

kanon_status kanon__value_runs_new(kanon__value_runs **out, const kanon__data *t, int column, const int32_t *group_of,
                                   int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__value_runs *runs = NULL;
    occurrence *list = NULL;
    int64_t *ends = NULL, n = 0;
    *out = NULL;
    if (column < 0 && !t->has_entity)
        return kanon__fail(err, KANON_EINTERNAL, "the check was asked for entities, and the table has none");
    KANON_TRY(kanon__new_array(&runs, 1, "the check of the values", err), out);
    runs->n_groups = n_groups;
    KANON_TRY(kanon__new_array(&runs->values, t->n_rows, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&runs->begins, n_groups + 1, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&list, t->n_rows, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&ends, n_groups, "the check of the values", err), out);
    KANON_TRY(list_occurrences(list, &n, ends, t, column, group_of, n_groups, err), out);
    if (n < 0)
        KANON_TRY(kanon__fail(err, KANON_EINTERNAL, "the check found a record in a group that does not exist"), out);
    count_runs(runs, list, n, t->has_entity);
    KANON_TRY(kanon__poll_tick(n * PASS_NS, err), out);
    *out = runs;
    runs = NULL;
out:
    kanon__free(ends);
    kanon__free(list);
    kanon__value_runs_free(runs);
    return st;
}

void kanon__value_runs_free(kanon__value_runs *runs)
{
    if (runs == NULL)
        return;
    kanon__free(runs->begins);
    kanon__free(runs->values);
    kanon__free(runs);
}

/* ---- the worst group --------------------------------------------------------------------------------------------- */

double kanon__runs_total(const kanon__run_of_value *values, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)values[i].n;
    return sum;
}

kanon_status kanon__runs_worst(double *out, const kanon__value_runs *runs, bool least, kanon__run_figure figure,
                               const void *payload, kanon_error *err)
{
    *out = NAN;
    for (int64_t group = 0; group < runs->n_groups; group++) {
        int64_t n = runs->begins[group + 1] - runs->begins[group];
        if (n == 0)
            continue;
        double here = figure(runs->values + runs->begins[group], n, payload);
        if (isnan(here))
            return kanon__fail(err, KANON_EINTERNAL, "the check found a group whose figure is not a number");
        if (isnan(*out) || (least ? here < *out : here > *out))
            *out = here;
        KANON_CHECK(kanon__poll_tick(n * PASS_NS, err));
    }
    return KANON_OK;
}
