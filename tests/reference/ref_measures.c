#include "reference/ref_measures.h"

#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef double (*ref_figure)(const ref_case *c, const kanon__column *column);

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static bool is_numeric(const kanon__column *a)
{
    return a->domain->taxonomy == NULL;
}

static bool is_missing(const kanon__column *a, int row)
{
    return kanon__code_at(a->codes, row) == a->domain->missing_code;
}

static double number(const kanon__column *a, int row)
{
    return a->domain->values[kanon__code_at(a->codes, row)];
}

static double range(const ref_case *c, const kanon__column *a)
{
    double min = INFINITY, max = -INFINITY;
    if (a->domain->type == KANON_TYPE_ORDINAL) /* levels that nobody uses count, too */
        return (double)a->domain->levels.n - 1;
    for (int row = 0; row < c->table->data.n_rows; row++)
        if (!is_missing(a, row)) {
            min = fmin(min, number(a, row));
            max = fmax(max, number(a, row));
        }
    return max > min ? max - min : 0;
}

static bool is_at_or_above(const kanon__taxonomy *t, int above, int node)
{
    for (; node != -1; node = t->parent[node])
        if (node == above)
            return true;
    return false;
}

static int lca(const kanon__taxonomy *t, int left, int right)
{
    while (!is_at_or_above(t, left, right))
        left = t->parent[left];
    return left;
}

static bool has_children(const kanon__taxonomy *t, int node)
{
    for (int i = 0; i < t->n_nodes; i++)
        if (t->parent[i] == node)
            return true;
    return false;
}

static int leaves(const kanon__taxonomy *t, int node)
{
    int n = 0;
    for (int i = 0; i < t->n_nodes; i++)
        n += !has_children(t, i) && is_at_or_above(t, node, i);
    return n;
}

static int height(const kanon__taxonomy *t, int node)
{
    int most = 0;
    for (int i = 0; i < t->n_nodes; i++) {
        int steps = 0;
        if (!is_at_or_above(t, node, i))
            continue;
        for (int at = i; at != node; at = t->parent[at])
            steps++;
        most = steps > most ? steps : most;
    }
    return most;
}

static int node_of(const kanon__column *a, int row)
{
    return a->domain->taxonomy->leaf_node[kanon__code_at(a->codes, row)];
}

/* ---- groups ------------------------------------------------------------------------------------------------------ */

static int rows(const ref_case *c)
{
    return (int)c->table->data.n_rows;
}

static int size_of(const ref_case *c, int g)
{
    int n = 0;
    for (int row = 0; row < rows(c); row++)
        n += c->group[row] == g;
    return n;
}

static int n_suppressed(const ref_case *c)
{
    return size_of(c, REF_SUPPRESSED);
}

static int smallest(const ref_case *c)
{
    int least = 0;
    for (int g = 0; g < c->n_groups; g++)
        least = g == 0 || size_of(c, g) < least ? size_of(c, g) : least;
    return least;
}

static int group_lca(const ref_case *c, const kanon__column *a, int g)
{
    int node = -1;
    for (int row = 0; row < rows(c); row++)
        if (c->group[row] == g)
            node = node < 0 ? node_of(a, row) : lca(a->domain->taxonomy, node, node_of(a, row));
    return node;
}

static int count_value(const ref_case *c, const kanon__column *a, int g, uint32_t code)
{
    int n = 0;
    for (int row = 0; row < rows(c); row++)
        n += c->group[row] == g && kanon__code_at(a->codes, row) == code;
    return n;
}

static int distinct_values(const ref_case *c, const kanon__column *a, int g)
{
    int n = 0;
    for (uint32_t code = 0; code < a->domain->n_codes; code++)
        n += count_value(c, a, g, code) > 0;
    return n;
}

/* (max - min) / R */
static double spread(const ref_case *c, const kanon__column *a, int g)
{
    double most = 0;
    for (int i = 0; i < rows(c); i++)
        for (int j = 0; j < rows(c); j++) {
            if (c->group[i] != g || c->group[j] != g)
                continue;
            if (is_missing(a, i) != is_missing(a, j))
                return 1;
            if (!is_missing(a, i) && range(c, a) > 0)
                most = fmax(most, (number(a, i) - number(a, j)) / range(c, a));
        }
    return most;
}

/* D on one attribute, without weight. */
static double term(const ref_case *c, const kanon__column *a, int g)
{
    if (is_numeric(a))
        return spread(c, a, g);
    return (double)height(a->domain->taxonomy, group_lca(c, a, g)) / height(a->domain->taxonomy, 0);
}

static const kanon__column *quasi(const ref_case *c, int i)
{
    return &c->table->data.columns[c->table->data.quasi[i]];
}

static double total_weight(const ref_case *c)
{
    double sum = 0;
    for (int i = 0; i < c->table->data.n_quasi; i++)
        sum += quasi(c, i)->weight;
    return sum;
}

/* ---- sizes ------------------------------------------------------------------------------------------------------- */

static double records(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return rows(c);
}

static double groups(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return c->n_groups;
}

static double suppressed(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return n_suppressed(c);
}

static double k(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return smallest(c);
}

/* Nothing was asked for, so every group is large enough. */
static double discernibility(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int row = 0; row < rows(c); row++)
        sum += c->group[row] == REF_SUPPRESSED ? rows(c) : size_of(c, c->group[row]);
    return sum;
}

static double avg_class_size(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return c->n_groups > 0 ? (double)rows(c) / c->n_groups / smallest(c) : NAN;
}

static double class_size_mean(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int g = 0; g < c->n_groups; g++)
        sum += size_of(c, g);
    return c->n_groups > 0 ? sum / c->n_groups : NAN;
}

/* ---- loss -------------------------------------------------------------------------------------------------------- */

static double attribute_loss(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    for (int g = 0; g < c->n_groups; g++)
        sum += size_of(c, g) * a->weight * term(c, a, g);
    return sum + n_suppressed(c) * a->weight;
}

static double information_loss(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int i = 0; i < c->table->data.n_quasi; i++)
        sum += attribute_loss(c, quasi(c, i));
    return sum;
}

static double avg_loss(const ref_case *c, const kanon__column *a)
{
    return information_loss(c, a) / (rows(c) * total_weight(c));
}

static double attribute_share(const ref_case *c, const kanon__column *a)
{
    double whole = information_loss(c, a);
    return whole > 0 ? attribute_loss(c, a) / whole : NAN;
}

static double loss_without(const ref_case *c, const kanon__column *a)
{
    return information_loss(c, a) - attribute_loss(c, a);
}

static double record_ncp(const ref_case *c, const kanon__column *a, int g)
{
    if (g == REF_SUPPRESSED)
        return 1;
    if (is_numeric(a))
        return spread(c, a, g);
    return distinct_values(c, a, g) == 1 ? 0 : (double)leaves(a->domain->taxonomy,
                                                              group_lca(c, a, g)) / leaves(a->domain->taxonomy, 0);
}

static double ncp(const ref_case *c, const kanon__column *a)
{
    double sum = size_of(c, REF_SUPPRESSED) * record_ncp(c, a, REF_SUPPRESSED);
    for (int g = 0; g < c->n_groups; g++)
        sum += size_of(c, g) * record_ncp(c, a, g);
    return sum / rows(c);
}

static double gcp(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int i = 0; i < c->table->data.n_quasi; i++)
        sum += quasi(c, i)->weight * ncp(c, quasi(c, i));
    return sum / total_weight(c);
}

static double centroid_distance(const ref_case *c, const kanon__column *a, int row)
{
    double sum = 0;
    int n = 0, g = c->group[row];
    if (!is_numeric(a)) {
        int center = group_lca(c, a, g);
        return (double)height(a->domain->taxonomy,
                              lca(a->domain->taxonomy, node_of(a, row), center)) / height(a->domain->taxonomy, 0);
    }
    for (int other = 0; other < rows(c); other++)
        if (c->group[other] == g && !is_missing(a, other)) {
            sum += number(a, other);
            n++;
        }
    if (is_missing(a, row))
        return n > 0 ? 1 : 0;
    return range(c, a) > 0 ? fabs(number(a, row) - sum / n) / range(c, a) : 0;
}

static double square_error(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int row = 0; row < rows(c); row++)
        for (int i = 0; c->group[row] != REF_SUPPRESSED && i < c->table->data.n_quasi; i++)
            sum += quasi(c, i)->weight * pow(centroid_distance(c, quasi(c, i), row), 2);
    return sum;
}

/* ---- Q-diversity and S-diversity --------------------------------------------------------------------------------- */

static double group_q(const ref_case *c, const kanon__column *a, int g)
{
    if (is_numeric(a))
        return spread(c, a, g);
    double covered = a->domain->taxonomy->flat ? distinct_values(c, a, g) : leaves(a->domain->taxonomy, group_lca(c, a, g));
    return covered / leaves(a->domain->taxonomy, 0);
}

static double q_diversity(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    for (int g = 0; g < c->n_groups; g++)
        sum += group_q(c, a, g);
    return c->n_groups > 0 ? sum / c->n_groups : NAN;
}

static double utility_um(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int g = 0; g < c->n_groups; g++)
        for (int i = 0; i < c->table->data.n_quasi; i++)
            sum += quasi(c, i)->weight * group_q(c, quasi(c, i), g);
    return c->n_groups > 0 ? sum / c->n_groups : NAN;
}

static double contribution(const ref_case *c, const kanon__column *a, int i, int j)
{
    if (!is_numeric(a)) {
        int node = lca(a->domain->taxonomy, node_of(a, i), node_of(a, j));
        int s = a->domain->taxonomy->flat ? 1 + (kanon__code_at(a->codes, i) != kanon__code_at(a->codes, j))
                                  : leaves(a->domain->taxonomy, node);
        return 1 - (s - 1.0) / leaves(a->domain->taxonomy, 0);
    }
    if (is_missing(a, i) || is_missing(a, j))
        return is_missing(a, i) && is_missing(a, j) ? 1 : 0;
    return range(c, a) > 0 ? 1 - fabs(number(a, i) - number(a, j)) / range(c, a) : 1;
}

/* The tables' denominators are far too small for anything but an exact tie to be this near to the limit. */
static double group_s(const ref_case *c, const kanon__column *a, int g)
{
    double sum = 0;
    for (int i = 0; i < rows(c); i++)
        for (int j = 0; j < rows(c); j++) {
            if (c->group[i] != g || c->group[j] != g)
                continue;
            double pc = contribution(c, a, i, j);
            sum += pc >= 1 - c->r - 1e-11 ? pc : 0;
        }
    return sum / pow(size_of(c, g), 2);
}

static double s_diversity(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    for (int g = 0; g < c->n_groups; g++)
        sum += group_s(c, a, g);
    return c->n_groups > 0 ? sum / c->n_groups : NAN;
}

static double protection(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int g = 0; g < c->n_groups; g++)
        for (int i = 0; i < c->table->data.n_sensitive; i++) {
            const kanon__column *secret = &c->table->data.columns[c->table->data.sensitive[i]];
            sum += secret->weight * group_s(c, secret, g);
        }
    return c->n_groups > 0 && c->table->data.n_sensitive > 0 ? sum / c->n_groups : NAN;
}

/* ---- diversity --------------------------------------------------------------------------------------------------- */

static double group_entropy_l(const ref_case *c, const kanon__column *a, int g)
{
    double product = 1; /* exp(-sum p log p) is the product of p^-p */
    for (uint32_t code = 0; code < a->domain->n_codes; code++) {
        double share = (double)count_value(c, a, g, code) / size_of(c, g);
        product *= share > 0 ? pow(share, -share) : 1;
    }
    return product;
}

static double group_distinct(const ref_case *c, const kanon__column *a, int g)
{
    return distinct_values(c, a, g);
}

static double group_alpha(const ref_case *c, const kanon__column *a, int g)
{
    double most = 0;
    for (uint32_t code = 0; code < a->domain->n_codes; code++)
        most = fmax(most, (double)count_value(c, a, g, code) / size_of(c, g));
    return most;
}

static double group_c(const ref_case *c, const kanon__column *a, int g)
{
    int most = 0, others = 0;
    for (uint32_t code = 0; code < a->domain->n_codes; code++)
        most = count_value(c, a, g, code) > most ? count_value(c, a, g, code) : most;
    others = size_of(c, g) - most;
    return others > 0 ? (double)most / others : INFINITY;
}

/* ---- guesses ------------------------------------------------------------------------------------------------------ */

enum { ALL_GROUPS = -100 };

static bool is_of(const ref_case *c, int row, int g)
{
    return g == ALL_GROUPS ? c->group[row] != REF_SUPPRESSED : c->group[row] == g;
}

static int by_value(const void *left, const void *right)
{
    double a = *(const double *)left, b = *(const double *)right;
    return (a > b) - (a < b);
}

/* How many records one guess for all of them gets right: the commonest value or, of many numbers, the median. */
static double right_guesses(const ref_case *c, const kanon__column *a, int g)
{
    const kanon__domain *d = a->domain;
    int n_rows = (int)c->table->data.n_rows, best = 0, n = 0, n_all = 0, right = 0;
    bool missing = d->missing_code != KANON__NO_CODE;
    double *numbers = REF_NEW(double, n_rows + 1);
    for (int i = 0; i < n_rows; i++) {
        uint32_t code = kanon__code_at(a->codes, i);
        int same = 0;
        if (!is_of(c, i, g))
            continue;
        for (int j = 0; j < n_rows; j++)
            same += is_of(c, j, g) && kanon__code_at(a->codes, j) == code;
        best = same > best ? same : best;
        if (d->values != NULL && code != d->missing_code)
            numbers[n++] = d->bands != NULL ? (d->values[code] + kanon__domain_high(d, code)) / 2 : d->values[code];
        n_all++;
    }
    bool by_median = (d->type == KANON_TYPE_INTEGER || d->type == KANON_TYPE_DECIMAL) && d->n_codes - missing > 20;
    if (by_median && n > 0) {
        qsort(numbers, (size_t)n, sizeof *numbers, by_value);
        double guess = n % 2 == 1 ? numbers[n / 2] : (numbers[n / 2 - 1] + numbers[n / 2]) / 2;
        for (int i = 0; i < n; i++)
            right += 20 * fabs(numbers[i] - guess) <= fabs(guess);
        best = right;
    } else if (by_median) {
        best = n_all;
    }
    free(numbers);
    return best;
}

static double n_in_groups(const ref_case *c)
{
    double n = 0;
    for (int g = 0; g < c->n_groups; g++)
        n += size_of(c, g);
    return n;
}

static double inference(const ref_case *c, const kanon__column *a)
{
    double right = 0, n = n_in_groups(c);
    for (int g = 0; g < c->n_groups; g++)
        right += right_guesses(c, a, g);
    return n > 0 ? right / n : NAN;
}

static double inference_base(const ref_case *c, const kanon__column *a)
{
    double n = n_in_groups(c);
    return n > 0 ? right_guesses(c, a, ALL_GROUPS) / n : NAN;
}

static double inference_gain(const ref_case *c, const kanon__column *a)
{
    double base = inference_base(c, a);
    return base < 1 ? (inference(c, a) - base) / (1 - base) : NAN;
}

/* Two records drawn from one group, the first one from all, have one value. */
static double cap(const ref_case *c, const kanon__column *a)
{
    double sum = 0, n = n_in_groups(c);
    for (int g = 0; g < c->n_groups; g++)
        for (uint32_t code = 0; code < a->domain->n_codes; code++)
            sum += pow(count_value(c, a, g, code), 2) / size_of(c, g);
    return n > 0 ? sum / n : NAN;
}

static double cap_base(const ref_case *c, const kanon__column *a)
{
    double sum = 0, n = n_in_groups(c);
    for (uint32_t code = 0; code < a->domain->n_codes; code++) {
        double here = 0;
        for (int g = 0; g < c->n_groups; g++)
            here += count_value(c, a, g, code);
        sum += here / n * here / n;
    }
    return n > 0 ? sum : NAN;
}

static double disco(const ref_case *c, const kanon__column *a)
{
    double alone = 0, n = n_in_groups(c);
    for (int g = 0; g < c->n_groups; g++)
        alone += distinct_values(c, a, g) == 1 ? size_of(c, g) : 0;
    return n > 0 ? alone / n : NAN;
}

typedef double (*of_group)(const ref_case *c, const kanon__column *a, int g);

static double least(const ref_case *c, const kanon__column *a, of_group figure)
{
    double value = NAN;
    for (int g = 0; g < c->n_groups; g++)
        value = fmin(value, figure(c, a, g)); /* which prefers a number to a NAN */
    return value;
}

static double most_of(const ref_case *c, const kanon__column *a, of_group figure, bool finite_only)
{
    double value = NAN;
    for (int g = 0; g < c->n_groups; g++)
        if (!finite_only || isfinite(figure(c, a, g)))
            value = fmax(value, figure(c, a, g));
    return value;
}

static double mean(const ref_case *c, const kanon__column *a, of_group figure)
{
    double sum = 0;
    int n = 0;
    for (int g = 0; g < c->n_groups; g++)
        if (isfinite(figure(c, a, g))) {
            sum += figure(c, a, g);
            n++;
        }
    return n > 0 ? sum / n : NAN;
}

static double distinct_l(const ref_case *c, const kanon__column *a)
{
    return least(c, a, group_distinct);
}

static double entropy_l(const ref_case *c, const kanon__column *a)
{
    return least(c, a, group_entropy_l);
}

static double recursive_c(const ref_case *c, const kanon__column *a)
{
    return most_of(c, a, group_c, false);
}

static double alpha(const ref_case *c, const kanon__column *a)
{
    return most_of(c, a, group_alpha, false);
}

static double cl_l_mean(const ref_case *c, const kanon__column *a)
{
    return mean(c, a, group_distinct);
}

static double cl_l_max(const ref_case *c, const kanon__column *a)
{
    return most_of(c, a, group_distinct, false);
}

static double cl_c_min(const ref_case *c, const kanon__column *a)
{
    double value = least(c, a, group_c);
    return isfinite(value) ? value : NAN;
}

static double cl_c_mean(const ref_case *c, const kanon__column *a)
{
    return mean(c, a, group_c);
}

static double cl_c_max(const ref_case *c, const kanon__column *a)
{
    return most_of(c, a, group_c, true);
}

/* ---- t-closeness, as Li and others compute it -------------------------------------------------------------------- */

static double share_in_table(const ref_case *c, const kanon__column *a, uint32_t code)
{
    int n = 0;
    for (int row = 0; row < rows(c); row++)
        n += kanon__code_at(a->codes, row) == code;
    return (double)n / rows(c);
}

static double ordered_emd(const ref_case *c, const kanon__column *a, int g)
{
    double carried = 0, sum = 0;
    for (uint32_t code = 0; code < a->domain->n_codes; code++) {
        carried += (double)count_value(c, a, g, code) / size_of(c, g) - share_in_table(c, a, code);
        sum += fabs(carried);
    }
    return a->domain->n_codes > 1 ? sum / (a->domain->n_codes - 1) : 0;
}

/* What the group has more than the table below the node. */
static double extra(const ref_case *c, const kanon__column *a, int g, int node)
{
    double sum = 0;
    for (int leaf = 0; leaf < a->domain->taxonomy->n_leaves; leaf++)
        if (is_at_or_above(a->domain->taxonomy, node, a->domain->taxonomy->leaf_node[leaf]))
            sum += (double)count_value(c, a, g, (uint32_t)leaf) / size_of(c, g) - share_in_table(c, a, (uint32_t)leaf);
    return sum;
}

static double hierarchical_emd(const ref_case *c, const kanon__column *a, int g)
{
    const kanon__taxonomy *t = a->domain->taxonomy;
    double sum = 0;
    for (int node = 0; node < t->n_nodes; node++) {
        double more = 0, less = 0;
        for (int child = 0; child < t->n_nodes; child++) {
            if (t->parent[child] != node)
                continue;
            double moved = extra(c, a, g, child);
            more += moved > 0 ? moved : 0;
            less += moved < 0 ? -moved : 0;
        }
        sum += (double)height(t, node) / height(t, 0) * fmin(more, less);
    }
    return sum;
}

static double t_closeness(const ref_case *c, const kanon__column *a)
{
    return most_of(c, a, is_numeric(a) ? ordered_emd : hierarchical_emd, false);
}

/* ---- risk -------------------------------------------------------------------------------------------------------- */

static double highest_risk(const ref_case *c, const kanon__column *a)
{
    double most = NAN;
    (void)a;
    for (int g = 0; g < c->n_groups; g++)
        most = fmax(most, 1.0 / size_of(c, g));
    return most;
}

static double average_risk(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int row = 0; row < rows(c); row++)
        sum += c->group[row] == REF_SUPPRESSED ? 0 : 1.0 / size_of(c, c->group[row]);
    return c->n_groups > 0 ? sum / (rows(c) - n_suppressed(c)) : NAN;
}

static double class_risk(const ref_case *c, const kanon__column *a)
{
    double sum = 0;
    (void)a;
    for (int g = 0; g < c->n_groups; g++)
        sum += 1.0 / size_of(c, g);
    return c->n_groups > 0 ? sum / c->n_groups : NAN;
}

static double share_above(const ref_case *c, double risk)
{
    double n = 0;
    for (int row = 0; row < rows(c); row++)
        n += c->group[row] != REF_SUPPRESSED && 1.0 / size_of(c, c->group[row]) > risk;
    return c->n_groups > 0 ? n / (rows(c) - n_suppressed(c)) : NAN;
}

static double records_above_33(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return share_above(c, 1.0 / 3);
}

static double records_above_20(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return share_above(c, 1.0 / 5);
}

static double records_above_9(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return share_above(c, 1.0 / 11);
}

static double records_above_5(const ref_case *c, const kanon__column *a)
{
    (void)a;
    return share_above(c, 1.0 / 20);
}

/* People of the population that a group stands for. */
static double people(const ref_case *c, int g)
{
    return size_of(c, g) * c->population / rows(c);
}

static double journalist_risk(const ref_case *c, const kanon__column *a)
{
    double most = NAN;
    (void)a;
    for (int g = 0; g < c->n_groups; g++)
        most = fmax(most, 1 / people(c, g));
    return most;
}

static double marketer_risk(const ref_case *c, const kanon__column *a)
{
    double matched = 0;
    (void)a;
    for (int row = 0; row < rows(c); row++)
        matched += c->group[row] == REF_SUPPRESSED ? 0 : 1 / people(c, c->group[row]);
    return c->n_groups > 0 ? matched / (rows(c) - n_suppressed(c)) : NAN;
}

/* How many records of the table equal this one on all quasi attributes, itself included. */
static int n_equal(const ref_case *c, int row, int until)
{
    int n = 0;
    for (int other = 0; other < until; other++) {
        bool same = true;
        for (int i = 0; i < c->table->data.n_quasi; i++)
            same = same && kanon__code_at(quasi(c, i)->codes, row) == kanon__code_at(quasi(c, i)->codes, other);
        n += same;
    }
    return n;
}

static double uniques_before(const ref_case *c, const kanon__column *a)
{
    int n = 0;
    (void)a;
    for (int row = 0; row < rows(c); row++)
        n += n_equal(c, row, rows(c)) == 1;
    return n;
}

static double uniques_after(const ref_case *c, const kanon__column *a)
{
    int n = 0;
    (void)a;
    for (int row = 0; row < rows(c); row++)
        n += c->group[row] != REF_SUPPRESSED && size_of(c, c->group[row]) == 1;
    return n;
}

static double k_before(const ref_case *c, const kanon__column *a)
{
    int fewest = 0;
    (void)a;
    for (int row = 0; row < rows(c); row++)
        fewest = row == 0 || n_equal(c, row, rows(c)) < fewest ? n_equal(c, row, rows(c)) : fewest;
    return fewest;
}

static double distinct_tuples(const ref_case *c, const kanon__column *a)
{
    int n = 0;
    (void)a;
    for (int row = 0; row < rows(c); row++)
        n += n_equal(c, row, row) == 0;
    return n;
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static const struct {
    const char *name;
    ref_figure figure;
} figures[] = {
#define FIGURE(name)                                                                                                        \
    {                                                                                                                       \
#name, name                                                                                                         \
    }
    FIGURE(records),
    FIGURE(groups),
    FIGURE(suppressed),
    FIGURE(k),
    FIGURE(discernibility),
    FIGURE(avg_class_size),
    FIGURE(class_size_mean),
    FIGURE(information_loss),
    FIGURE(avg_loss),
    FIGURE(attribute_loss),
    FIGURE(attribute_share),
    FIGURE(loss_without),
    FIGURE(ncp),
    FIGURE(gcp),
    FIGURE(square_error),
    FIGURE(q_diversity),
    FIGURE(utility_um),
    FIGURE(s_diversity),
    FIGURE(protection),
    FIGURE(distinct_l),
    FIGURE(entropy_l),
    FIGURE(recursive_c),
    FIGURE(alpha),
    FIGURE(t_closeness),
    FIGURE(inference),
    FIGURE(inference_base),
    FIGURE(inference_gain),
    FIGURE(cap),
    FIGURE(cap_base),
    FIGURE(disco),
    {"cl_l_min", distinct_l},
    FIGURE(cl_l_mean),
    FIGURE(cl_l_max),
    FIGURE(cl_c_min),
    FIGURE(cl_c_mean),
    FIGURE(cl_c_max),
    FIGURE(highest_risk),
    FIGURE(average_risk),
    FIGURE(class_risk),
    FIGURE(records_above_33),
    FIGURE(records_above_20),
    FIGURE(records_above_9),
    FIGURE(records_above_5),
    FIGURE(journalist_risk),
    FIGURE(marketer_risk),
    FIGURE(uniques_before),
    FIGURE(uniques_after),
    FIGURE(k_before),
    FIGURE(distinct_tuples),
#undef FIGURE
};

enum { N_FIGURES = sizeof figures / sizeof figures[0] };

bool ref_measure(double *out, const ref_case *c, const char *name, const kanon__column *column)
{
    for (int i = 0; i < N_FIGURES; i++)
        if (strcmp(figures[i].name, name) == 0) {
            *out = figures[i].figure(c, column);
            return true;
        }
    return false;
}

const char *ref_measure_name(int i)
{
    return i < N_FIGURES ? figures[i].name : NULL;
}
