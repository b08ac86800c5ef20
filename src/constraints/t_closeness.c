/* t-closeness: the earth mover's distance between the values of a group and those of the table is at most t.
 *
 * Two values are |rank - rank| / (m - 1) apart where they are ordered, h(lca) / H under a taxonomy, and 1 where all are
 * equally far. Differences of shares are kept as whole numbers, |group count * table total - table count * group total|, and
 * divided once. What the group does not have is summed up beforehand, so the cost goes with the group's distinct values. */
#include "constraints/constraints.h"

#include "core/alloc.h"

static __int128 apart(__int128 left, __int128 right)
{
    return left > right ? left - right : right - left;
}

/* ---- equal distance: half of the sum of differences -------------------------------------------------------------- */

static double equal_distance(const kanon__constraint *c, const kanon__counter *values)
{
    __int128 sum = 0;
    int64_t elsewhere = c->table_total; /* what the table has of values that the group lacks */
    for (int64_t i = 0; i < values->n_slots; i++) {
        int64_t n = values->slots[i].n;
        if (n == 0)
            continue;
        int64_t in_table = c->table_counts[values->slots[i].key - 1];
        sum += apart((__int128)n * c->table_total, (__int128)in_table * values->total);
        elsewhere -= in_table;
    }
    sum += (__int128)elsewhere * values->total;
    return (double)sum / (2.0 * (double)c->table_total * (double)values->total);
}

/* ---- ordered distance: what has to pass each step between neighbouring values ------------------------------------ */

/* The sum over codes begin .. end-1 of the difference to `level`, the group's cumulated count in the table's measure. */
static __int128 sum_steps(const kanon__constraint *c, __int128 level, int64_t total, int64_t begin, int64_t end)
{
    int64_t low = begin, high = end; /* the table's cumulated counts rise, so there is one place where the sign turns */
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((__int128)c->table_counts[middle] * total <= level)
            low = middle + 1;
        else
            high = middle;
    }
    return level * ((low - begin) - (end - low)) +
           ((c->table_sums[end] - c->table_sums[low]) - (c->table_sums[low] - c->table_sums[begin])) * total;
}

static double ordered_distance(const kanon__constraint *c, kanon__counter *values)
{
    const uint64_t *keys = kanon__counter_sort(values);
    int64_t n_until = 0, at = 0, last = (int64_t)c->values->domain->n_codes - 1;
    __int128 sum = 0;
    for (int64_t i = 0; i < values->n_distinct; i++) {
        sum += sum_steps(c, (__int128)n_until * c->table_total, values->total, at, (int64_t)keys[i]);
        at = (int64_t)keys[i];
        n_until += kanon__counter_get(values, keys[i]);
    }
    sum += sum_steps(c, (__int128)n_until * c->table_total, values->total, at, last);
    return last > 0 ? (double)sum / ((double)c->table_total * (double)values->total * (double)last) : 0;
}

/* ---- taxonomy distance: what has to pass each edge --------------------------------------------------------------- */

/* How much higher the parent is than the node; 0 for the root. The way up and down again over edges of that length is twice
 * h(lca). */
static int32_t rise(const kanon__taxonomy *t, int32_t node)
{
    return node > 0 ? t->height[t->parent[node]] - t->height[node] : 0;
}

/* Codes come in order, so the codes below a node are neighbours: a node is handled when its first code comes by. */
static double taxonomy_distance(const kanon__constraint *c, kanon__counter *values)
{
    const kanon__taxonomy *t = c->values->domain->taxonomy;
    const uint64_t *keys = kanon__counter_sort(values);
    __int128 sum = c->table_rise * values->total;
    for (int64_t i = 0; i < values->n_distinct; i++) {
        int64_t n_below = 0, end = i;
        for (int32_t node = t->leaf_node[keys[i]]; node > 0; node = t->parent[node]) {
            if (i > 0 && (int64_t)keys[i - 1] >= t->first_leaf[node])
                break;
            for (; end < values->n_distinct && (int64_t)keys[end] <= t->last_leaf[node]; end++)
                n_below += kanon__counter_get(values, keys[end]);
            int64_t there = c->table_counts[node] * values->total, here = n_below * c->table_total;
            sum += (__int128)(here > there ? here - 2 * there : -here) * rise(t, node);
        }
    }
    return t->height[0] > 0 ? (double)sum / (2.0 * (double)c->table_total * (double)values->total * (double)t->height[0])
                            : 0;
}

/* ---- the model --------------------------------------------------------------------------------------------------- */

static double compute_distance(const kanon__constraint *c, kanon__counter *values)
{
    if (values->total == 0)
        return 0;
    switch (c->distance) {
    case KANON__DISTANCE_EQUAL:
        return equal_distance(c, values);
    case KANON__DISTANCE_ORDERED:
        return ordered_distance(c, values);
    default:
        return taxonomy_distance(c, values);
    }
}

static double distance(const kanon__constraint *c, kanon__counter *values)
{
    if (values->figure_of != c) {
        values->figure = compute_distance(c, values);
        values->figure_of = c;
    }
    return values->figure;
}

static bool holds(const kanon__constraint *c, kanon__counter *values)
{
    return distance(c, values) <= c->limit + KANON__PRIVACY_TOLERANCE;
}

static int64_t lack(const kanon__constraint *c, kanon__counter *values)
{
    (void)c;
    (void)values;
    return 1;
}

/* Tried out. A value that the group lacks might need memory to be counted; then it is taken to help. */
static bool helps(const kanon__constraint *c, kanon__counter *values, uint32_t code)
{
    double before = distance(c, values);
    if (kanon__counter_add(values, code, 1, NULL, NULL) != KANON_OK)
        return true;
    double after = compute_distance(c, values);
    kanon__counter_remove(values, code);
    values->figure = before;
    values->figure_of = c;
    return after < before;
}

/* The distance is a norm of the difference of shares, and at most 1: with n values at d and m more at e it is at least
 * (n d - m e) / (n + m) and at most (n d + m e) / (n + m); with m less, divide by n - m. What is so near the limit that
 * rounding could decide is left open. */
static kanon__foresight foresee(const kanon__constraint *c, kanon__counter *values, int64_t n_more, double figure)
{
    const double rounding = 1e-9;
    int64_t n = values->total + n_more;
    if (n <= 0)
        return KANON__UNFORESEEN;
    double own = (double)values->total * distance(c, values);
    double other = (n_more < 0 ? -(double)n_more : (double)n_more) * (figure < 1 ? figure : 1);
    if ((own - other) / (double)n > c->limit + rounding)
        return KANON__WILL_BREAK;
    return (own + other) / (double)n < c->limit - rounding ? KANON__WILL_HOLD : KANON__UNFORESEEN;
}

/* The table's counts by code: of records or, with entities, of different pairs of an entity and a value. */
static kanon_status count_table(kanon__constraint *c, const kanon__data *table, int64_t *counts, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__counter pairs = {0};
    for (int64_t row = 0; row < table->n_rows; row++) {
        uint32_t code = kanon__code_at(c->values->codes, row);
        int64_t n = 1;
        if (table->has_entity)
            KANON_TRY(
                kanon__counter_add(&pairs, (uint64_t)kanon__code_at(table->entity_codes, row) << 32 | code, 1, &n, err),
                out);
        counts[code] += n == 1;
        c->table_total += n == 1;
    }
out:
    kanon__counter_clear(&pairs);
    return st;
}

static kanon_status cumulate(kanon__constraint *c, const int64_t *counts, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t n = c->values->domain->n_codes;
    KANON_TRY(kanon__new_array(&c->table_counts, n, "values of the table", err), out);
    KANON_TRY(kanon__new_array(&c->table_sums, (int64_t)n + 1, "values of the table", err), out);
    for (uint32_t code = 0; code < n; code++) {
        c->table_counts[code] = counts[code] + (code > 0 ? c->table_counts[code - 1] : 0);
        c->table_sums[code + 1] = c->table_sums[code] + c->table_counts[code];
    }
out:
    return st;
}

static kanon_status climb(kanon__constraint *c, const int64_t *counts, kanon_error *err)
{
    const kanon__taxonomy *t = c->values->domain->taxonomy;
    kanon_status st = kanon__new_array(&c->table_counts, t->n_nodes, "values of the table", err);
    if (st != KANON_OK)
        return st;
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++)
        c->table_counts[t->leaf_node[leaf]] = counts[leaf];
    for (int32_t node = t->n_nodes - 1; node > 0; node--) { /* children have higher numbers than their parents */
        c->table_counts[t->parent[node]] += c->table_counts[node];
        c->table_rise += (__int128)c->table_counts[node] * rise(t, node);
    }
    return KANON_OK;
}

static kanon_status prepare(kanon__constraint *c, const kanon__data *table, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *counts = NULL;
    c->values = &table->columns[c->column];
    if (c->distance == KANON__DISTANCE_DEFAULT)
        c->distance = kanon__column_is_numeric(c->values) ? KANON__DISTANCE_ORDERED : KANON__DISTANCE_TAXONOMY;
    KANON_TRY(kanon__new_array(&counts, c->values->domain->n_codes, "values of the table", err), out);
    KANON_TRY(count_table(c, table, counts, err), out);
    if (c->distance == KANON__DISTANCE_EQUAL) {
        c->table_counts = counts;
        counts = NULL;
    } else if (c->distance == KANON__DISTANCE_ORDERED) {
        KANON_TRY(cumulate(c, counts, err), out);
    } else {
        KANON_TRY(climb(c, counts, err), out);
    }
out:
    kanon__free(counts);
    return st;
}

const kanon__model kanon__model_t_closeness = {
    .name = "t-closeness",
    .figure = "t",
    .less = true,
    .parameters = {{.name = "t", .min = 0, .max = 1, .range = "a number from 0 to 1"}},
    .sentence = "in every group the values are distributed as in the table, up to an earth mover's distance of {1}",
    .source = "Li, Li, Venkatasubramanian: t-closeness, ICDE 2007",
    .needs_sorted = true,
    .has_distance = true,
    .holds = holds,
    .reached = distance,
    .lack = lack,
    .helps = helps,
    .foresee = foresee,
    .prepare = prepare,
};
