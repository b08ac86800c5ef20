/* full-domain: every combination of levels is carried out and measured. */
#include "reference/ref_privacy.h"
#include "reference/reference.h"

#include <stdlib.h>
#include <string.h>

enum { MOST_INTERVALS = 256 };

/* How every record is shown, and what that costs. */
typedef struct level {
    int *label;
    int64_t *units;
} level;

typedef struct hierarchy {
    level *levels; /* the finest first */
    int n, n_labels;
} hierarchy;

static level new_level(const ref_model *model)
{
    return (level){REF_NEW(int, model->n), REF_NEW(int64_t, model->n)};
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

/* The highest ancestor of height at most h, itself included. */
static int ancestor_at(const ref_attribute *attribute, int node, int h)
{
    const int32_t *parent = attribute->column->domain->taxonomy->parent;
    while (parent[node] != -1 && attribute->height[parent[node]] <= h)
        node = parent[node];
    return node;
}

static hierarchy heights(const ref_model *model, const ref_attribute *attribute)
{
    const kanon__taxonomy *tree = attribute->column->domain->taxonomy;
    hierarchy out = {REF_NEW(level, attribute->height[0] + 1), attribute->height[0] + 1, tree->n_nodes};
    for (int h = 0; h < out.n; h++) {
        out.levels[h] = new_level(model);
        for (int i = 0; i < model->n; i++) {
            int leaf = tree->leaf_node[ref_value(model, attribute, i)], node = ancestor_at(attribute, leaf, h);
            ref_span span = {.size = 1, .node = leaf};
            while (attribute->leaves[span.node] < attribute->leaves[node]) /* the lowest node with these leaves */
                span.node = tree->parent[span.node];
            out.levels[h].label[i] = node;
            out.levels[h].units[i] = ref_span_units(attribute, &span);
        }
    }
    return out;
}

/* ---- numbers ----------------------------------------------------------------------------------------------------- */

typedef struct number_list {
    const ref_attribute *attribute;
    int64_t *values; /* ascending */
    int *counts;
    int n;
    bool *begins; /* an interval begins at this value */
} number_list;

static int by_value(const void *left, const void *right)
{
    int64_t l = *(const int64_t *)left, r = *(const int64_t *)right;
    return (l > r) - (l < r);
}

static number_list list_numbers(const ref_model *model, const ref_attribute *attribute, bool *missing)
{
    int n_levels = (int)attribute->column->domain->levels.n, most = n_levels > model->n ? n_levels : model->n;
    number_list out = {attribute, REF_NEW(int64_t, most), REF_NEW(int, most), 0, REF_NEW(bool, most + 1)};
    int n = 0;
    *missing = false;
    for (int i = 0; n_levels > 0 && i < model->n; i++) {
        *missing = *missing || ref_is_missing(model, attribute, i);
        if (!ref_is_missing(model, attribute, i))
            out.counts[ref_value(model, attribute, i)]++;
    }
    for (; n_levels > 0 && out.n < n_levels; out.n++) /* levels are there whether a record has them or not */
        out.values[out.n] = out.n;
    out.begins[0] = true;
    if (n_levels > 0)
        return out;
    for (int i = 0; i < model->n; i++)
        if (ref_is_missing(model, attribute, i))
            *missing = true;
        else
            out.values[n++] = ref_value(model, attribute, i);
    qsort(out.values, (size_t)n, sizeof *out.values, by_value);
    for (int i = 0; i < n; i++) {
        if (out.n == 0 || out.values[out.n - 1] != out.values[i])
            out.values[out.n++] = out.values[i];
        out.counts[out.n - 1]++;
    }
    out.begins[0] = true;
    return out;
}

static int interval_end(const number_list *numbers, int begin)
{
    int end = begin + 1;
    while (end < numbers->n && !numbers->begins[end])
        end++;
    return end;
}

static int64_t interval_units(const number_list *numbers, int begin)
{
    ref_span span = {
        .size = 1, .present = true, .min = numbers->values[begin], .max = numbers->values[interval_end(numbers, begin) - 1]};
    return ref_span_units(numbers->attribute, &span);
}

static int64_t total_units(const number_list *numbers)
{
    int64_t total = 0;
    for (int begin = 0; begin < numbers->n; begin = interval_end(numbers, begin))
        for (int i = begin; i < interval_end(numbers, begin); i++)
            total += numbers->counts[i] * interval_units(numbers, begin);
    return total;
}

/* One more interval, where that leaves the least. */
static void split_once(number_list *numbers)
{
    int best = -1;
    int64_t least = 0;
    for (int place = 1; place < numbers->n; place++) {
        if (numbers->begins[place])
            continue;
        numbers->begins[place] = true;
        int64_t total = total_units(numbers);
        numbers->begins[place] = false;
        if (best < 0 || total < least) {
            best = place;
            least = total;
        }
    }
    numbers->begins[best] = true;
}

/* Missing values are shown as such. */
static level show_intervals(const ref_model *model, const number_list *numbers)
{
    level out = new_level(model);
    for (int i = 0; i < model->n; i++) {
        if (ref_is_missing(model, numbers->attribute, i)) {
            out.label[i] = numbers->n;
            continue;
        }
        int64_t value = ref_value(model, numbers->attribute, i);
        int begin = 0;
        while (value > numbers->values[interval_end(numbers, begin) - 1])
            begin = interval_end(numbers, begin);
        out.label[i] = begin;
        out.units[i] = interval_units(numbers, begin);
    }
    return out;
}

static level show_star(const ref_model *model, const ref_attribute *attribute)
{
    level out = new_level(model);
    ref_span span = {.size = 1, .missing = true, .present = true};
    for (int i = 0; i < model->n; i++)
        out.units[i] = ref_span_units(attribute, &span);
    return out;
}

static hierarchy intervals(const ref_model *model, const ref_attribute *attribute)
{
    bool missing;
    number_list numbers = list_numbers(model, attribute, &missing);
    hierarchy out = {REF_NEW(level, 20), 0, model->n + 1};
    int n_intervals = 1;
    if (missing && numbers.n > 0)
        out.levels[out.n++] = show_star(model, attribute);
    for (int wanted = 1; wanted < numbers.n && wanted <= MOST_INTERVALS; wanted *= 2) {
        for (; n_intervals < wanted; n_intervals++)
            split_once(&numbers);
        out.levels[out.n++] = show_intervals(model, &numbers);
    }
    for (int i = 0; i < numbers.n; i++)
        numbers.begins[i] = true;
    out.levels[out.n++] = show_intervals(model, &numbers);
    for (int i = 0, j = out.n - 1; i < j; i++, j--) {
        level other = out.levels[i];
        out.levels[i] = out.levels[j];
        out.levels[j] = other;
    }
    free(numbers.begins);
    free(numbers.counts);
    free(numbers.values);
    return out;
}

/* ---- all combinations -------------------------------------------------------------------------------------------- */

typedef struct keyed {
    uint64_t key;
    int record;
} keyed;

static int by_key(const void *left, const void *right)
{
    const keyed *l = left, *r = right;
    return l->key != r->key ? (l->key > r->key) - (l->key < r->key) : l->record - r->record;
}

static bool may_be_released(const ref_job *job, const int *group, int g, int size)
{
    const kanon_table *table = job->settings.constraints;
    return size >= job->k && (table == NULL || ref_group_holds(table, job->k, group, g));
}

/* The groups at these levels; returns their loss, -1 where too many records would have to be suppressed. */
static int64_t measure(const ref_job *job, const hierarchy *hierarchies, const int *node, keyed *records, int *group)
{
    const ref_model *model = job->model;
    int64_t loss = 0, n_suppressed = 0;
    for (int i = 0; i < model->n; i++) {
        records[i] = (keyed){0, i};
        for (int a = 0; a < model->n_quasi; a++)
            records[i].key = records[i].key * (uint64_t)hierarchies[a].n_labels +
                             (uint64_t)hierarchies[a].levels[node[a]].label[i];
        group[i] = REF_SUPPRESSED;
    }
    qsort(records, (size_t)model->n, sizeof *records, by_key);
    for (int begin = 0, end; begin < model->n; begin = end) {
        for (end = begin; end < model->n && records[end].key == records[begin].key; end++)
            group[records[end].record] = begin;
        bool good = may_be_released(job, group, begin, end - begin);
        for (int i = begin; i < end; i++) {
            if (!good) {
                group[records[i].record] = REF_SUPPRESSED;
                loss += ref_suppressed_units(model);
                n_suppressed++;
                continue;
            }
            for (int a = 0; a < model->n_quasi; a++)
                loss += hierarchies[a].levels[node[a]].units[records[i].record];
        }
    }
    return n_suppressed <= job->settings.most_suppressed ? loss : -1;
}

static bool next_node(const ref_model *model, const hierarchy *hierarchies, int *node)
{
    for (int a = model->n_quasi - 1; a >= 0; a--) {
        if (++node[a] < hierarchies[a].n)
            return true;
        node[a] = 0;
    }
    return false;
}

void ref_full_domain(const ref_job *job, int *group)
{
    const ref_model *model = job->model;
    hierarchy *hierarchies = REF_NEW(hierarchy, model->n_quasi);
    int *node = REF_NEW(int, model->n_quasi), *trial = REF_NEW(int, model->n);
    keyed *records = REF_NEW(keyed, model->n);
    int64_t best = -1;
    for (int a = 0; a < model->n_quasi; a++)
        hierarchies[a] = model->quasi[a].numeric ? intervals(model, &model->quasi[a]) : heights(model, &model->quasi[a]);
    do {
        int64_t loss = measure(job, hierarchies, node, records, trial);
        if (loss >= 0 && (best < 0 || loss < best)) {
            best = loss;
            memcpy(group, trial, (size_t)model->n * sizeof *group);
        }
    } while (next_node(model, hierarchies, node));
    for (int a = 0; a < model->n_quasi; a++) {
        for (int i = 0; i < hierarchies[a].n; i++) {
            free(hierarchies[a].levels[i].label);
            free(hierarchies[a].levels[i].units);
        }
        free(hierarchies[a].levels);
    }
    free(records);
    free(trial);
    free(node);
    free(hierarchies);
}
