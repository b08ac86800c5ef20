/* The table as numbers: exact units, sets of records, D and Q-diversity. */
#include "reference/reference.h"

#include "table/value/number.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *ref_alloc(size_t n, size_t size)
{
    void *memory = calloc(n > 0 ? n : 1, size);
    if (memory == NULL) {
        fputs("reference: out of memory\n", stderr);
        abort();
    }
    return memory;
}

/* ---- taxonomies, by their parents alone -------------------------------------------------------------------------- */

static bool is_above_or_same(const kanon__taxonomy *tree, int above, int node)
{
    while (node != above && node != -1)
        node = tree->parent[node];
    return node == above;
}

static int lca(const kanon__taxonomy *tree, int left, int right)
{
    while (!is_above_or_same(tree, left, right))
        left = tree->parent[left];
    return left;
}

static void measure_tree(ref_attribute *attribute)
{
    const kanon__taxonomy *tree = attribute->column->domain->taxonomy;
    attribute->height = REF_NEW(int, tree->n_nodes);
    attribute->leaves = REF_NEW(int, tree->n_nodes);
    for (int leaf = 0; leaf < tree->n_leaves; leaf++) {
        int steps = 0;
        for (int node = tree->leaf_node[leaf]; node != -1; node = tree->parent[node], steps++) {
            attribute->leaves[node]++;
            if (attribute->height[node] < steps)
                attribute->height[node] = steps;
        }
    }
}

static int tree_height(const ref_attribute *attribute)
{
    return attribute->height[0];
}

static int domain_size(const ref_attribute *attribute)
{
    return attribute->leaves[0];
}

/* ---- units ------------------------------------------------------------------------------------------------------- */

static int64_t gcd(int64_t a, int64_t b)
{
    return b == 0 ? a : gcd(b, a % b);
}

static int64_t lcm(int64_t a, int64_t b)
{
    int64_t product;
    if (__builtin_mul_overflow(a / gcd(a, b), b, &product))
        abort();
    return product;
}

/* Half up; both are not negative. */
static int64_t divide_rounded(int64_t value, int64_t divisor)
{
    return (2 * value + divisor) / (2 * divisor);
}

/* Where a number lies when the whole range is `full` units long. */
static int64_t position(const ref_attribute *attribute, int64_t value, int64_t full)
{
    __int128 twice = (__int128)2 * (value - attribute->min) * full;
    return attribute->range == 0 ? 0 : (int64_t)((twice + attribute->range) / ((__int128)2 * attribute->range));
}

static int64_t height_units(const ref_attribute *attribute, int node, int64_t full)
{
    int height = tree_height(attribute);
    return height == 0 ? 0 : divide_rounded(attribute->height[node] * full, height);
}

static void read_attribute(ref_attribute *attribute, const kanon__column *column)
{
    attribute->column = column;
    attribute->numeric = column->domain->taxonomy == NULL;
    attribute->weight = attribute->weight_divisor = 1;
    if (column->weight_text != NULL) {
        kanon__decimal weight;
        if (!kanon__parse_decimal(&weight, column->weight_text, strlen(column->weight_text)) || !weight.exact)
            abort();
        attribute->weight = weight.mantissa;
        for (int i = 0; i < weight.scale; i++)
            attribute->weight_divisor *= 10;
        int64_t common = gcd(attribute->weight, attribute->weight_divisor);
        attribute->weight /= common;
        attribute->weight_divisor /= common;
    }
    if (!attribute->numeric) {
        measure_tree(attribute);
        return;
    }
    int64_t n_values = (int64_t)column->domain->n_codes - (column->domain->missing_code != KANON__NO_CODE);
    if (n_values > 0) {
        assert(column->domain->scaled != NULL);
        int64_t max = attribute->min = column->domain->scaled[0];
        for (int64_t i = 1; i < n_values; i++) {
            if (column->domain->scaled[i] < attribute->min)
                attribute->min = column->domain->scaled[i];
            if (column->domain->scaled[i] > max)
                max = column->domain->scaled[i];
        }
        attribute->range = max - attribute->min;
    }
}

static int64_t at_least_one(int64_t value)
{
    return value > 0 ? value : 1;
}

static int64_t range_or_domain(const ref_attribute *attribute)
{
    return at_least_one(attribute->numeric ? attribute->range : domain_size(attribute));
}

kanon__space *ref_library_space(const kanon_table *table)
{
    kanon__space *space = NULL;
    if (kanon__space_new(&space, &table->data, table->data.quasi, table->data.n_quasi, KANON__TERMS_LOSS, NULL) != KANON_OK)
        abort();
    return space;
}

/* The library's own unit: centroids are rounded to it, and so is D where no exact unit fits. */
static void choose_units(ref_model *model, const kanon_table *table)
{
    kanon__space *space = ref_library_space(table);
    model->exact = true;
    for (int a = 0; a < model->n_quasi; a++) {
        model->quasi[a].center_full = space->dimensions[a].full;
        model->exact = model->exact && space->dimensions[a].exact;
    }
    model->scale = model->exact ? 1 : space->scale;
    for (int a = 0; a < model->n_quasi; a++) {
        ref_attribute *attribute = &model->quasi[a];
        int64_t steps = at_least_one(attribute->numeric ? attribute->range : tree_height(attribute));
        if (model->exact)
            model->scale = lcm(model->scale, steps * attribute->weight_divisor);
    }
    for (int a = 0; a < model->n_quasi; a++) {
        ref_attribute *attribute = &model->quasi[a];
        attribute->full = model->exact ? model->scale / attribute->weight_divisor * attribute->weight
                                       : attribute->center_full;
    }
    kanon__space_free(space);
}

ref_model *ref_model_new(const kanon_table *table)
{
    ref_model *model = REF_NEW(ref_model, 1);
    model->n = (int)table->data.n_rows;
    model->row = REF_NEW(int, model->n);
    for (int i = 0; i < model->n; i++)
        model->row[i] = i;
    model->n_quasi = table->data.n_quasi;
    model->n_sensitive = table->data.n_sensitive;
    model->quasi = REF_NEW(ref_attribute, model->n_quasi);
    model->sensitive = REF_NEW(ref_attribute, model->n_sensitive);
    model->q_scale = model->s_scale = 1;
    for (int a = 0; a < model->n_quasi; a++) {
        read_attribute(&model->quasi[a], &table->data.columns[table->data.quasi[a]]);
        if (model->q_scale < INT32_MAX) /* such a unit is of no use, and the next one would not fit */
            model->q_scale = lcm(model->q_scale, range_or_domain(&model->quasi[a]) * model->quasi[a].weight_divisor);
    }
    for (int a = 0; a < model->n_sensitive; a++) {
        read_attribute(&model->sensitive[a], &table->data.columns[table->data.sensitive[a]]);
        model->s_scale = lcm(model->s_scale, range_or_domain(&model->sensitive[a]) * model->sensitive[a].weight_divisor);
    }
    choose_units(model, table);
    return model;
}

static void free_attributes(ref_attribute *attributes, int n)
{
    for (int a = 0; a < n; a++) {
        free(attributes[a].height);
        free(attributes[a].leaves);
    }
    free(attributes);
}

void ref_model_free(ref_model *model)
{
    if (model == NULL)
        return;
    free_attributes(model->quasi, model->n_quasi);
    free_attributes(model->sensitive, model->n_sensitive);
    free(model->row);
    free(model);
}

ref_model ref_model_sample(const ref_model *model, const int *records, int n)
{
    ref_model sample = *model;
    sample.n = n;
    sample.row = REF_NEW(int, n);
    for (int i = 0; i < n; i++)
        sample.row[i] = model->row[records[i]];
    return sample;
}

void ref_model_sample_clear(ref_model *sample)
{
    free(sample->row);
    sample->row = NULL;
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

bool ref_is_missing(const ref_model *model, const ref_attribute *attribute, int record)
{
    return kanon__code_at(attribute->column->codes, model->row[record]) == attribute->column->domain->missing_code;
}

int64_t ref_value(const ref_model *model, const ref_attribute *attribute, int record)
{
    uint32_t code = kanon__code_at(attribute->column->codes, model->row[record]);
    return attribute->numeric ? attribute->column->domain->scaled[code] : (int64_t)code;
}

int64_t ref_position(const ref_model *model, int attribute, int record)
{
    const ref_attribute *at = &model->quasi[attribute];
    if (ref_is_missing(model, at, record))
        return 2 * at->center_full;
    return position(at, ref_value(model, at, record), at->center_full);
}

int ref_compare(const ref_model *model, const ref_attribute *attribute, int left, int right)
{
    if (attribute->numeric) {
        bool left_missing = ref_is_missing(model, attribute, left), right_missing = ref_is_missing(model, attribute, right);
        if (left_missing || right_missing)
            return left_missing - right_missing;
    }
    int64_t l = ref_value(model, attribute, left), r = ref_value(model, attribute, right);
    return (l > r) - (l < r);
}

static int value_node(const ref_model *model, const ref_attribute *attribute, int record)
{
    return attribute->column->domain->taxonomy->leaf_node[ref_value(model, attribute, record)];
}

/* ---- sets of records --------------------------------------------------------------------------------------------- */

ref_span *ref_spans_new(const ref_model *model)
{
    return REF_NEW(ref_span, model->n_quasi);
}

static void span_add_number(const ref_model *model, const ref_attribute *attribute, ref_span *span, int record)
{
    if (ref_is_missing(model, attribute, record)) {
        span->missing = true;
        return;
    }
    int64_t value = ref_value(model, attribute, record);
    if (!span->present || value < span->min)
        span->min = value;
    if (!span->present || value > span->max)
        span->max = value;
    span->present = true;
}

static void span_add_category(const ref_model *model, const ref_attribute *attribute, ref_span *span, int record)
{
    int node = value_node(model, attribute, record);
    span->node = span->size == 0 ? node : lca(attribute->column->domain->taxonomy, span->node, node);
    if (attribute->column->domain->taxonomy->flat) {
        int64_t leaf = ref_value(model, attribute, record);
        assert(leaf < 64);
        span->seen |= (uint64_t)1 << leaf;
    }
}

void ref_spans_add(const ref_model *model, ref_span *spans, int record)
{
    for (int a = 0; a < model->n_quasi; a++) {
        if (model->quasi[a].numeric)
            span_add_number(model, &model->quasi[a], &spans[a], record);
        else
            span_add_category(model, &model->quasi[a], &spans[a], record);
        spans[a].size++;
    }
}

void ref_spans_of(const ref_model *model, const int *group, int g, ref_span *spans)
{
    memset(spans, 0, (size_t)model->n_quasi * sizeof *spans);
    for (int i = 0; i < model->n; i++)
        if (group[i] == g)
            ref_spans_add(model, spans, i);
}

int64_t ref_span_units(const ref_attribute *attribute, const ref_span *span)
{
    if (span->size == 0)
        return 0;
    if (!attribute->numeric)
        return height_units(attribute, span->node, attribute->full);
    if (span->missing)
        return span->present ? attribute->full : 0;
    return position(attribute, span->max, attribute->full) - position(attribute, span->min, attribute->full);
}

/* The plain Q-diversity of a set that is not empty, as a numerator over range_or_domain. */
static int64_t q_numerator(const ref_attribute *attribute, const ref_span *span)
{
    if (!attribute->numeric)
        return attribute->column->domain->taxonomy->flat ? __builtin_popcountll(span->seen) : attribute->leaves[span->node];
    if (span->missing)
        return span->present ? range_or_domain(attribute) : 0;
    return span->max - span->min;
}

int64_t ref_span_q(const ref_model *model, const ref_attribute *attribute, const ref_span *span)
{
    int64_t divisor = range_or_domain(attribute) * attribute->weight_divisor;
    return q_numerator(attribute, span) * attribute->weight * (model->q_scale / divisor);
}

int64_t ref_spans_units(const ref_model *model, const ref_span *spans)
{
    int64_t sum = 0;
    for (int a = 0; a < model->n_quasi; a++)
        sum += ref_span_units(&model->quasi[a], &spans[a]);
    return sum;
}

int64_t ref_spans_q(const ref_model *model, const ref_span *spans)
{
    int64_t sum = 0;
    for (int a = 0; a < model->n_quasi; a++)
        sum += ref_span_q(model, &model->quasi[a], &spans[a]);
    return sum;
}

static bool span_covers(const ref_model *model, const ref_attribute *attribute, const ref_span *span, int record)
{
    if (!attribute->numeric)
        return is_above_or_same(attribute->column->domain->taxonomy, span->node, value_node(model, attribute, record));
    if (span->missing && span->present)
        return true;
    if (ref_is_missing(model, attribute, record))
        return span->missing;
    int64_t value = ref_value(model, attribute, record);
    return span->present && span->min <= value && value <= span->max;
}

bool ref_spans_cover(const ref_model *model, const ref_span *spans, int record)
{
    for (int a = 0; a < model->n_quasi; a++)
        if (!span_covers(model, &model->quasi[a], &spans[a], record))
            return false;
    return true;
}

int ref_size(const ref_model *model, const int *group, int g)
{
    int size = 0;
    for (int i = 0; i < model->n; i++)
        size += group[i] == g;
    return size;
}

int64_t ref_units_of(const ref_model *model, const int *group, int g)
{
    ref_span *spans = ref_spans_new(model);
    ref_spans_of(model, group, g, spans);
    int64_t units = ref_spans_units(model, spans);
    free(spans);
    return units;
}

int64_t ref_loss_of(const ref_model *model, const int *group, int g)
{
    return ref_size(model, group, g) * ref_units_of(model, group, g);
}

int64_t ref_loss_all(const ref_model *model, const int *group, int n_groups)
{
    int64_t sum = ref_size(model, group, REF_SUPPRESSED) * ref_suppressed_units(model);
    for (int g = 0; g < n_groups; g++)
        sum += ref_loss_of(model, group, g);
    return sum;
}

int64_t ref_units_with(const ref_model *model, int *group, int g, int record)
{
    int before = group[record];
    group[record] = g;
    int64_t units = ref_units_of(model, group, g);
    group[record] = before;
    return units;
}

int64_t ref_increase(const ref_model *model, int *group, int g, int record)
{
    int size = ref_size(model, group, g);
    return (size + 1) * ref_units_with(model, group, g, record) - size * ref_units_of(model, group, g);
}

int64_t ref_distance(const ref_model *model, int left, int right)
{
    ref_span *spans = ref_spans_new(model);
    ref_spans_add(model, spans, left);
    ref_spans_add(model, spans, right);
    int64_t units = ref_spans_units(model, spans);
    free(spans);
    return units;
}

int64_t ref_suppressed_units(const ref_model *model)
{
    int64_t sum = 0;
    for (int a = 0; a < model->n_quasi; a++)
        sum += model->quasi[a].full;
    return sum;
}

/* ---- centroids --------------------------------------------------------------------------------------------------- */

static ref_center center_coordinate(const ref_model *model, const ref_attribute *attribute, const int *group, int g)
{
    ref_center center = {.missing = true, .node = -1};
    int64_t sum = 0, n_values = 0;
    for (int i = 0; i < model->n; i++) {
        if (group[i] != g)
            continue;
        if (!attribute->numeric) {
            int node = value_node(model, attribute, i);
            center.node = center.node == -1 ? node : lca(attribute->column->domain->taxonomy, center.node, node);
        } else if (!ref_is_missing(model, attribute, i)) {
            sum += position(attribute, ref_value(model, attribute, i), attribute->center_full);
            n_values++;
        }
    }
    if (n_values > 0) {
        center.missing = false;
        center.position = divide_rounded(sum, n_values);
    }
    return center;
}

void ref_center_of(const ref_model *model, const int *group, int g, ref_center *out)
{
    if (ref_size(model, group, g) == 0)
        return;
    for (int a = 0; a < model->n_quasi; a++)
        out[a] = center_coordinate(model, &model->quasi[a], group, g);
}

/* A record of the group whose value on the attribute is the most frequent one, or the middle one; the lower of equals. */
static int central_record(const ref_model *model, const ref_attribute *attribute, const int *group, int g, bool mode)
{
    int best = -1, best_count = 0, size = ref_size(model, group, g);
    for (int i = 0; i < model->n; i++) {
        int n_less = 0, n_equal = 0;
        if (group[i] != g)
            continue;
        for (int j = 0; j < model->n; j++) {
            int order = group[j] == g ? ref_compare(model, attribute, j, i) : 1;
            n_less += order < 0;
            n_equal += order == 0;
        }
        bool central = n_less <= (size - 1) / 2 && (size - 1) / 2 < n_less + n_equal;
        if (mode)
            central = n_equal > best_count || (n_equal == best_count && ref_compare(model, attribute, i, best) < 0);
        if (central) {
            best = i;
            best_count = n_equal;
        }
    }
    return best;
}

void ref_center_use_values(const ref_model *model, const int *group, int g, bool mode, ref_center *out)
{
    for (int a = 0; a < model->n_quasi && ref_size(model, group, g) > 0; a++)
        if (!model->quasi[a].numeric)
            out[a].node = value_node(model, &model->quasi[a], central_record(model, &model->quasi[a], group, g, mode));
}

int64_t ref_center_term(const ref_model *model, int attribute, int record, const ref_center *center)
{
    const ref_attribute *at = &model->quasi[attribute];
    const ref_center *c = &center[attribute];
    if (!at->numeric)
        return height_units(at, lca(at->column->domain->taxonomy, c->node, value_node(model, at, record)), at->center_full);
    bool missing = ref_is_missing(model, at, record);
    if (missing || c->missing)
        return missing && c->missing ? 0 : at->center_full;
    int64_t difference = position(at, ref_value(model, at, record), at->center_full) - c->position;
    return difference < 0 ? -difference : difference;
}

int64_t ref_center_distance(const ref_model *model, int record, const ref_center *center)
{
    int64_t sum = 0;
    for (int a = 0; a < model->n_quasi; a++)
        sum += ref_center_term(model, a, record, center);
    return sum;
}

bool ref_centers_equal(const ref_model *model, const ref_center *left, const ref_center *right, int n_groups)
{
    for (int i = 0; i < n_groups * model->n_quasi; i++)
        if (left[i].missing != right[i].missing || left[i].position != right[i].position || left[i].node != right[i].node)
            return false;
    return true;
}

void ref_draw_seeds(const ref_model *model, kanon__random *random, int *seeds, ref_center *centers, int n_groups)
{
    int32_t *drawn = REF_NEW(int32_t, n_groups), *scratch = REF_NEW(int32_t, model->n);
    int *alone = REF_NEW(int, model->n);
    kanon__random_sample(random, drawn, n_groups, scratch, model->n);
    for (int i = 0; i < model->n; i++)
        alone[i] = i;
    for (int g = 0; g < n_groups; g++) {
        seeds[g] = drawn[g];
        ref_center_of(model, alone, seeds[g], &centers[g * model->n_quasi]);
    }
    free(alone);
    free(scratch);
    free(drawn);
}

/* ---- S-diversity ------------------------------------------------------------------------------------------------- */

/* 1 - pc of two values, as a numerator over range_or_domain. */
static int64_t s_distance(const ref_model *model, const ref_attribute *attribute, int left, int right)
{
    if (!attribute->numeric) {
        int u = value_node(model, attribute, left), v = value_node(model, attribute, right);
        if (attribute->column->domain->taxonomy->flat)
            return u != v;
        return attribute->leaves[lca(attribute->column->domain->taxonomy, u, v)] - 1;
    }
    bool left_missing = ref_is_missing(model, attribute, left), right_missing = ref_is_missing(model, attribute, right);
    if (left_missing || right_missing)
        return left_missing && right_missing ? 0 : range_or_domain(attribute);
    int64_t difference = ref_value(model, attribute, left) - ref_value(model, attribute, right);
    return difference < 0 ? -difference : difference;
}

ref_pairs ref_pairs_new(const ref_model *model, double r)
{
    ref_pairs pairs = {.n = model->n, .units = REF_NEW(int64_t, (int64_t)model->n * model->n)};
    for (int i = 0; i < model->n; i++) {
        for (int j = 0; j < model->n; j++) {
            for (int a = 0; a < model->n_sensitive; a++) {
                const ref_attribute *attribute = &model->sensitive[a];
                int64_t whole = range_or_domain(attribute), distance = s_distance(model, attribute, i, j);
                int64_t unit = model->s_scale / (whole * attribute->weight_divisor) * attribute->weight;
                if ((double)distance <= r * (double)whole) /* pc >= 1 - r, without the rounding of 1 - r */
                    pairs.units[i * model->n + j] += (whole - distance) * unit;
            }
        }
    }
    return pairs;
}

void ref_pairs_clear(ref_pairs *pairs)
{
    free(pairs->units);
    pairs->units = NULL;
}

int64_t ref_pairs_sum(const ref_pairs *pairs, const int *group, int g)
{
    int64_t sum = 0;
    for (int i = 0; i < pairs->n; i++)
        for (int j = 0; group[i] == g && j < pairs->n; j++)
            if (group[j] == g)
                sum += pairs->units[i * pairs->n + j];
    return sum;
}

int64_t ref_pairs_more(const ref_pairs *pairs, const int *group, int g, int record)
{
    const int64_t *units = &pairs->units[(int64_t)record * pairs->n];
    int64_t sum = units[record];
    for (int i = 0; i < pairs->n; i++)
        if (group[i] == g)
            sum += 2 * units[i];
    return sum;
}

double ref_s_diversity(const ref_model *model, int64_t sum, int size)
{
    return (double)sum / ((double)size * (double)size * (double)model->s_scale);
}
