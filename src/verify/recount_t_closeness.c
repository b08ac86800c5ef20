/* Recount of t-closeness: the largest earth mover's distance between a group and the table, in shares and doubles. Under a
 * taxonomy it sums, at every node, what moves between its children; the constraint sums what passes each edge. */
#include "verify/recount.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

/* The distribution of the table. */
typedef struct reference {
    const kanon__column *column;
    double *shares;    /* of the table, by code */
    double *cumulated; /* up to and with the code */
    double *sums;      /* [i]: of cumulated[0 .. i) */
    double *extra;     /* by taxonomy node, for the group at hand */
} reference;

static double equal_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    const reference *r = payload;
    double all = kanon__runs_total(values, n), common = 0;
    for (int64_t i = 0; i < n; i++)
        common += fmin((double)values[i].n / all, r->shares[values[i].code]);
    return 1 - common;
}

/* The sum of |level - cumulated| over the codes begin .. end-1. */
static double area(const reference *r, double level, int64_t begin, int64_t end)
{
    int64_t low = begin, high = end;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (r->cumulated[middle] < level)
            low = middle + 1;
        else
            high = middle;
    }
    return level * (double)(low - begin) - (r->sums[low] - r->sums[begin]) + (r->sums[end] - r->sums[low]) -
           level * (double)(end - low);
}

static double ordered_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    const reference *r = payload;
    double all = kanon__runs_total(values, n), level = 0, sum = 0, so_far = 0;
    int64_t at = 0, steps = (int64_t)r->column->domain->n_codes - 1;
    for (int64_t i = 0; i < n; i++) {
        sum += area(r, level, at, values[i].code);
        at = values[i].code;
        so_far += (double)values[i].n;
        level = so_far / all;
    }
    sum += area(r, level, at, steps);
    return steps > 0 ? sum / (double)steps : 0;
}

/* Bottom up (Li and others 2007, 4.3): what the children of a node cannot settle among themselves goes over it. */
static double taxonomy_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    const reference *r = payload;
    const kanon__taxonomy *t = r->column->domain->taxonomy;
    double all = kanon__runs_total(values, n), cost = 0, *extra = r->extra, *absolute = r->extra + t->n_nodes;
    memset(extra, 0, 2 * (size_t)t->n_nodes * sizeof *extra);
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++)
        extra[t->leaf_node[leaf]] = -r->shares[leaf];
    for (int64_t i = 0; i < n; i++)
        extra[t->leaf_node[values[i].code]] += (double)values[i].n / all;
    for (int32_t node = t->n_nodes - 1; node >= 0; node--) {
        /* of numbers whose sum is s and whose absolute sum is a, the smaller side has (a - |s|) / 2 */
        if (t->height[node] > 0)
            cost += (absolute[node] - fabs(extra[node])) / 2 * t->height[node];
        if (node > 0) {
            extra[t->parent[node]] += extra[node];
            absolute[t->parent[node]] += fabs(extra[node]);
        }
    }
    return t->height[0] > 0 ? cost / t->height[0] : 0;
}

static void clear_reference(reference *r)
{
    kanon__free(r->extra);
    kanon__free(r->sums);
    kanon__free(r->cumulated);
    kanon__free(r->shares);
}

static kanon_status init_reference(reference *r, const kanon__data *t, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__value_runs *runs = NULL;
    int64_t n = t->columns[column].domain->n_codes;
    r->column = &t->columns[column];
    KANON_TRY(kanon__value_runs_new(&runs, t, column, NULL, 1, err), out);
    KANON_TRY(kanon__new_array(&r->shares, n, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&r->cumulated, n, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&r->sums, n + 1, "the check of the values", err), out);
    if (r->column->domain->taxonomy != NULL)
        KANON_TRY(
            kanon__new_array(&r->extra, 2 * (int64_t)r->column->domain->taxonomy->n_nodes, "the check of the values", err),
            out);
    double all = kanon__runs_total(runs->values, runs->begins[1]), so_far = 0;
    for (int64_t i = 0; i < runs->begins[1]; i++)
        r->shares[runs->values[i].code] = (double)runs->values[i].n;
    for (int64_t code = 0; code < n; code++) {
        so_far += r->shares[code];
        r->shares[code] /= all;
        r->cumulated[code] = so_far / all;
        r->sums[code + 1] = r->sums[code] + r->cumulated[code];
    }
out:
    kanon__value_runs_free(runs);
    return st;
}

static kanon_status choose_distance(kanon__run_figure *out, const kanon__column *c, const char *word, kanon_error *err)
{
    bool numeric = kanon__column_is_numeric(c);
    if (word == NULL)
        word = numeric ? "ordered" : "taxonomy";
    if (strcmp(word, "equal") == 0)
        *out = equal_of;
    else if (strcmp(word, "ordered") == 0)
        *out = ordered_of;
    else if (strcmp(word, "taxonomy") == 0 && !numeric && c->domain->taxonomy != NULL)
        *out = c->domain->taxonomy->flat ? equal_of : taxonomy_of;
    else
        return kanon__fail(err, KANON_EINTERNAL, "the check does not know the distance of a constraint on '%s'", c->name);
    return KANON_OK;
}

static kanon_status count(double *out, const kanon__recount_input *input, kanon_error *err)
{
    kanon_status st = KANON_OK;
    reference table = {0};
    kanon__run_figure figure = NULL;
    KANON_TRY(choose_distance(&figure, &input->table->columns[input->column], input->choice, err), out);
    KANON_TRY(init_reference(&table, input->table, input->column, err), out);
    KANON_TRY(kanon__runs_worst(out, input->runs, false, figure, &table, err), out);
out:
    clear_reference(&table);
    return st;
}

static bool holds(double reached, double limit)
{
    return reached <= limit + KANON__VERIFY_TOLERANCE;
}

const kanon__recount kanon__recount_t_closeness = {
    .model = "t-closeness",
    .figure = "t_closeness",
    .of_table = true,
    .limit = "t",
    .choice = "distance",
    .count = count,
    .holds = holds,
};
