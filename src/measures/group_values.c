/* Counts the values of one group after the other, in arrays that all groups share: only the entries of the last group
 * are set back to 0, so that a group costs its size and not the size of the domain. */
#include "measures/group_values.h"

#include "core/alloc.h"

#include <stdlib.h>

kanon_status kanon__group_values_init(kanon__group_values *out, const kanon__column *column, const char *r,
                                      kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__group_values v = {.column = column};
    *out = (kanon__group_values){0};
    KANON_TRY(kanon__new_array(&v.codes, column->domain->n_codes, "values of a group", err), out);
    KANON_TRY(kanon__new_array(&v.counts, column->domain->n_codes, "values of a group", err), out);
    if (!kanon__column_is_numeric(column)) {
        KANON_TRY(kanon__new_array(&v.nodes, column->domain->taxonomy->n_nodes, "values of a group", err), out);
        KANON_TRY(kanon__new_array(&v.below, column->domain->taxonomy->n_nodes, "values of a group", err), out);
    }
    if (r != NULL)
        KANON_TRY(kanon__pair_weights_new(&v.pairs, column, r, err), out);
    *out = v;
    v = (kanon__group_values){0};
out:
    kanon__group_values_clear(&v);
    return st;
}

void kanon__group_values_clear(kanon__group_values *v)
{
    kanon__pair_weights_free(v->pairs);
    kanon__free(v->below);
    kanon__free(v->nodes);
    kanon__free(v->counts);
    kanon__free(v->codes);
}

void kanon__group_values_start(kanon__group_values *v)
{
    for (int64_t i = 0; i < v->n; i++)
        v->counts[v->codes[i]] = 0;
    v->n = v->size = 0;
}

void kanon__group_values_count(kanon__group_values *v, uint32_t code, int64_t n)
{
    if (v->counts[code] == 0)
        v->codes[v->n++] = code;
    v->counts[code] += n;
    v->size += n;
}

int64_t kanon__group_values_most(const kanon__group_values *v)
{
    int64_t most = 0;
    for (int64_t i = 0; i < v->n; i++)
        most = v->counts[v->codes[i]] > most ? v->counts[v->codes[i]] : most;
    return most;
}

static int by_code(const void *left, const void *right)
{
    uint32_t a = *(const uint32_t *)left, b = *(const uint32_t *)right;
    return a < b ? -1 : a > b;
}

void kanon__group_values_sort(kanon__group_values *v)
{
    qsort(v->codes, (size_t)v->n, sizeof *v->codes, by_code);
}

void kanon__group_values_climb(kanon__group_values *v)
{
    const kanon__taxonomy *t = v->column->domain->taxonomy;
    for (int64_t i = 0; i < v->n_nodes; i++)
        v->below[v->nodes[i]] = 0;
    v->n_nodes = 0;
    for (int64_t i = 0; i < v->n; i++)
        for (int32_t node = t->leaf_node[v->codes[i]]; node >= 0; node = t->parent[node]) {
            if (v->below[node] == 0)
                v->nodes[v->n_nodes++] = node;
            v->below[node] += v->counts[v->codes[i]];
        }
}
