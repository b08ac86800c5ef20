#include "verify/privacy_figures.h"

#include "core/alloc.h"
#include "table/number.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- counting by sorting ----------------------------------------------------------------------------------------- */

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

static int64_t list_occurrences(occurrence *out, const kanon__data *t, int column, const int32_t *group_of)
{
    int64_t n = 0;
    for (int64_t row = 0; row < t->n_rows; row++) {
        int32_t group = group_of != NULL ? group_of[row] : 0;
        if (group < 0)
            continue;
        uint32_t entity = t->has_entity ? kanon__code_at(t->entity_codes, row) : 0;
        out[n++] = (occurrence){group, column < 0 ? entity : kanon__code_at(t->columns[column].codes, row), entity};
    }
    qsort(out, (size_t)n, sizeof *out, by_group_and_value);
    return n;
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
    *out = NULL;
    KANON_TRY(kanon__new_array(&runs, 1, "the check of the values", err), out);
    runs->n_groups = n_groups;
    KANON_TRY(kanon__new_array(&runs->values, t->n_rows, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&runs->begins, n_groups + 1, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&list, t->n_rows, "the check of the values", err), out);
    count_runs(runs, list, list_occurrences(list, t, column, group_of), t->has_entity);
    *out = runs;
    runs = NULL;
out:
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

/* ---- one group's figures ----------------------------------------------------------------------------------------- */

static double records_of(const kanon__run_of_value *values, int64_t n)
{
    double sum = 0;
    for (int64_t i = 0; i < n; i++)
        sum += (double)values[i].n;
    return sum;
}

static double distinct_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    (void)values;
    (void)payload;
    return (double)n;
}

static double entropy_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    double all = records_of(values, n), entropy = 0;
    (void)payload;
    for (int64_t i = 0; i < n; i++)
        entropy += (double)values[i].n / all * log(all / (double)values[i].n);
    return entropy;
}

static double alpha_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    int64_t most = 0;
    (void)payload;
    for (int64_t i = 0; i < n; i++)
        most = values[i].n > most ? values[i].n : most;
    return (double)most / records_of(values, n);
}

/* The largest count below `limit`. */
static int64_t largest_below(const kanon__run_of_value *values, int64_t n, int64_t limit)
{
    int64_t most = 0;
    for (int64_t i = 0; i < n; i++)
        most = values[i].n < limit && values[i].n > most ? values[i].n : most;
    return most;
}

/* r1 / (r_l + ... + r_m): go through the counts from the largest down and skip the first l - 1. */
static double recursive_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    int64_t skip = *(const int64_t *)payload - 1, first = largest_below(values, n, INT64_MAX);
    double tail = 0;
    for (int64_t level = first; level > 0; level = largest_below(values, n, level)) {
        if (skip == 0) { /* all that is left counts */
            for (int64_t i = 0; i < n; i++)
                tail += values[i].n <= level ? (double)values[i].n : 0;
            break;
        }
        for (int64_t i = 0; i < n; i++) {
            if (values[i].n != level)
                continue;
            if (skip > 0)
                skip--;
            else
                tail += (double)level;
        }
    }
    return tail > 0 ? (double)first / tail : INFINITY;
}

/* ---- the worst group --------------------------------------------------------------------------------------------- */

typedef double (*group_figure)(const kanon__run_of_value *values, int64_t n, const void *payload);

static double worst(const kanon__value_runs *runs, bool least, group_figure figure, const void *payload)
{
    double found = NAN;
    for (int64_t group = 0; group < runs->n_groups; group++) {
        int64_t n = runs->begins[group + 1] - runs->begins[group];
        if (n == 0)
            continue;
        double here = figure(runs->values + runs->begins[group], n, payload);
        if (isnan(found) || (least ? here < found : here > found))
            found = here;
    }
    return found;
}

double kanon__runs_distinct(const kanon__value_runs *runs)
{
    return worst(runs, true, distinct_of, NULL);
}

double kanon__runs_entropy(const kanon__value_runs *runs)
{
    return worst(runs, true, entropy_of, NULL);
}

double kanon__runs_recursive(const kanon__value_runs *runs, int64_t l)
{
    return worst(runs, false, recursive_of, &l);
}

double kanon__runs_alpha(const kanon__value_runs *runs)
{
    return worst(runs, false, alpha_of, NULL);
}

/* ---- earth mover's distance -------------------------------------------------------------------------------------- */

typedef struct whole {
    const kanon__column *column;
    double *shares;    /* of the table, by code */
    double *cumulated; /* up to and with the code */
    double *sums;      /* [i]: of cumulated[0 .. i) */
    double *extra;     /* by taxonomy node, for the group at hand */
} whole;

static double equal_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    const whole *w = payload;
    double all = records_of(values, n), common = 0;
    for (int64_t i = 0; i < n; i++)
        common += fmin((double)values[i].n / all, w->shares[values[i].code]);
    return 1 - common;
}

/* The sum of |level - cumulated| over the codes begin .. end-1. */
static double area(const whole *w, double level, int64_t begin, int64_t end)
{
    int64_t low = begin, high = end;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        if (w->cumulated[middle] < level)
            low = middle + 1;
        else
            high = middle;
    }
    return level * (double)(low - begin) - (w->sums[low] - w->sums[begin]) + (w->sums[end] - w->sums[low]) -
           level * (double)(end - low);
}

static double ordered_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    const whole *w = payload;
    double all = records_of(values, n), level = 0, sum = 0, so_far = 0;
    int64_t at = 0, steps = (int64_t)w->column->domain->n_codes - 1;
    for (int64_t i = 0; i < n; i++) {
        sum += area(w, level, at, values[i].code);
        at = values[i].code;
        so_far += (double)values[i].n;
        level = so_far / all;
    }
    sum += area(w, level, at, steps);
    return steps > 0 ? sum / (double)steps : 0;
}

/* Bottom up (Li and others 2007, 4.3): what the children of a node cannot settle among themselves goes over it. */
static double taxonomy_of(const kanon__run_of_value *values, int64_t n, const void *payload)
{
    const whole *w = payload;
    const kanon__taxonomy *t = w->column->domain->taxonomy;
    double all = records_of(values, n), cost = 0, *extra = w->extra, *absolute = w->extra + t->n_nodes;
    memset(extra, 0, 2 * (size_t)t->n_nodes * sizeof *extra);
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++)
        extra[t->leaf_node[leaf]] = -w->shares[leaf];
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

static void clear_whole(whole *w)
{
    kanon__free(w->extra);
    kanon__free(w->sums);
    kanon__free(w->cumulated);
    kanon__free(w->shares);
}

static kanon_status init_whole(whole *w, const kanon__data *t, int column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__value_runs *runs = NULL;
    int64_t n = t->columns[column].domain->n_codes;
    w->column = &t->columns[column];
    KANON_TRY(kanon__value_runs_new(&runs, t, column, NULL, 1, err), out);
    KANON_TRY(kanon__new_array(&w->shares, n, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&w->cumulated, n, "the check of the values", err), out);
    KANON_TRY(kanon__new_array(&w->sums, n + 1, "the check of the values", err), out);
    if (w->column->domain->taxonomy != NULL)
        KANON_TRY(
            kanon__new_array(&w->extra, 2 * (int64_t)w->column->domain->taxonomy->n_nodes, "the check of the values", err),
            out);
    double all = records_of(runs->values, runs->begins[1]), so_far = 0;
    for (int64_t i = 0; i < runs->begins[1]; i++)
        w->shares[runs->values[i].code] = (double)runs->values[i].n;
    for (int64_t code = 0; code < n; code++) {
        so_far += w->shares[code];
        w->shares[code] /= all;
        w->cumulated[code] = so_far / all;
        w->sums[code + 1] = w->sums[code] + w->cumulated[code];
    }
out:
    kanon__value_runs_free(runs);
    return st;
}

kanon_status kanon__runs_closeness(double *out, const kanon__value_runs *runs, const kanon__data *t, int column,
                                   const char *distance, kanon_error *err)
{
    whole w = {0};
    kanon_status st = init_whole(&w, t, column, err);
    if (st == KANON_OK) {
        bool numeric = kanon__column_is_numeric(w.column);
        const char *word = distance != NULL           ? distance
                           : numeric                  ? "ordered"
                           : w.column->domain->taxonomy->flat ? "equal"
                                                      : "taxonomy";
        group_figure figure = strcmp(word, "equal") == 0     ? equal_of
                              : strcmp(word, "ordered") == 0 ? ordered_of
                                                             : taxonomy_of;
        *out = worst(runs, false, figure, &w);
    }
    clear_whole(&w);
    return st;
}

/* ---- constraints as written -------------------------------------------------------------------------------------- */

static double number_of(const kanon__constraint_text *c, const char *name)
{
    kanon__decimal number = {0};
    int64_t at = kanon__texts_find(&c->names, name, strlen(name));
    if (at < 0 || !kanon__parse_decimal(&number, c->values.items[at], strlen(c->values.items[at])))
        return NAN;
    return number.value;
}

/* Figures are quotients of two whole numbers, rounded once, as the limits are: where they are equal, so are the doubles. */
kanon_status kanon__privacy_recount(double *reached, bool *holds, const kanon__constraint_text *c, const kanon__data *table,
                                    int column, const int32_t *group_of, int64_t n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__value_runs *runs = NULL;
    const char *model = c->values.items[kanon__texts_find(&c->names, "model", strlen("model"))];
    int64_t distance = kanon__texts_find(&c->names, "distance", strlen("distance"));
    *holds = false;
    *reached = NAN;
    KANON_TRY(kanon__value_runs_new(&runs, table, column, group_of, n_groups, err), out);
    if (strcmp(model, "distinct-l-diversity") == 0 || strcmp(model, "p-sensitive-k-anonymity") == 0) {
        *reached = kanon__runs_distinct(runs);
        *holds = *reached >= number_of(c, model[0] == 'd' ? "l" : "p");
    } else if (strcmp(model, "entropy-l-diversity") == 0) {
        *reached = kanon__runs_entropy(runs);
        *holds = *reached >= log(number_of(c, "l")) - KANON__VERIFY_TOLERANCE;
        *reached = exp(*reached);
    } else if (strcmp(model, "recursive-l-diversity") == 0) {
        *reached = kanon__runs_recursive(runs, (int64_t)number_of(c, "l"));
        *holds = *reached < number_of(c, "c");
    } else if (strcmp(model, "alpha-k") == 0) {
        *reached = kanon__runs_alpha(runs);
        *holds = *reached <= number_of(c, "alpha");
    } else if (strcmp(model, "t-closeness") == 0) {
        KANON_TRY(kanon__runs_closeness(reached, runs, table, column, distance >= 0 ? c->values.items[distance] : NULL, err),
                  out);
        *holds = *reached <= number_of(c, "t") + KANON__VERIFY_TOLERANCE;
    }
    *holds = *holds || isnan(*reached); /* there is no group */
out:
    kanon__value_runs_free(runs);
    return st;
}
