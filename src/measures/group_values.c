/* Counts the values of one group after the other, in arrays that all groups share: only the entries of the last group are
 * set back to 0, so that a group costs its size and not the size of the domain.
 * Called by the measures of sensitive values, of loss and of utility. Calls the taxonomy. */
#include "measures/group_values.h"

#include "core/alloc.h"
#include "model/terms.h"

#include <math.h>
#include <stdlib.h>

static kanon_status init_values(kanon__group_values *out, const kanon__column *column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__group_values){.column = column};
    KANON_TRY(kanon__new_array(&out->codes, column->domain->n_codes, "values of a group", err), out);
    KANON_TRY(kanon__new_array(&out->counts, column->domain->n_codes, "values of a group", err), out);
    if (!kanon__column_is_numeric(column)) {
        KANON_TRY(kanon__new_array(&out->nodes, column->domain->taxonomy->n_nodes, "values of a group", err), out);
        KANON_TRY(kanon__new_array(&out->below, column->domain->taxonomy->n_nodes, "values of a group", err), out);
    }
out:
    return st;
}

static void clear_values(kanon__group_values *v)
{
    kanon__free(v->below);
    kanon__free(v->nodes);
    kanon__free(v->counts);
    kanon__free(v->codes);
}

static void fill_values(kanon__group_values *v, const kanon__subject *s, int64_t group)
{
    for (int64_t i = 0; i < v->n; i++)
        v->counts[v->codes[i]] = 0;
    v->n = 0;
    v->size = s->grouping->sizes[group];
    for (int64_t place = s->begins[group]; place < s->begins[group + 1]; place++) {
        uint32_t code = kanon__code_at(v->column->codes, s->members[place]);
        if (v->counts[code]++ == 0)
            v->codes[v->n++] = code;
    }
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

kanon_status kanon__fold_groups(double *out, const kanon__subject *s, const kanon__column *column, kanon__fold fold,
                                kanon__group_figure figure, void *payload, kanon_error *err)
{
    enum { NS_PER_RECORD = 20 };
    kanon_status st = KANON_OK;
    kanon__group_values values = {0};
    double least = INFINITY, most = -INFINITY, sum = 0;
    int64_t n = 0;
    KANON_TRY(init_values(&values, column, err), out);
    for (int64_t group = 0; group < s->grouping->n_groups; group++) {
        fill_values(&values, s, group);
        KANON_TRY(kanon__tick(s->ticker, 0, 0, NS_PER_RECORD * values.size, err), out);
        double value = figure(&values, payload);
        if (isnan(value))
            continue;
        least = value < least ? value : least;
        most = value > most ? value : most;
        sum += value;
        n++;
    }
    const double folded[] = {least, sum / (double)n, most, sum}; /* in the order of kanon__fold */
    *out = n == 0 ? NAN : folded[fold];
out:
    clear_values(&values);
    return st;
}

double kanon__group_cover(const kanon__subject *s, int i, int64_t group)
{
    const kanon__domain *d = kanon__subject_quasi(s, i)->domain;
    uint32_t lo = s->extents[i][2 * group], hi = s->extents[i][2 * group + 1];
    double part = (double)kanon__term_part(KANON__TERMS_QDIVERSITY, d, lo, hi);
    return part / (double)kanon__term_whole(KANON__TERMS_QDIVERSITY, d);
}
