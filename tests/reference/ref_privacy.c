#include "reference/ref_privacy.h"

#include "reference/reference.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool seen_before(const kanon_table *t, int column, const int32_t *group, int32_t g, int64_t row)
{
    for (int64_t other = 0; other < row; other++)
        if (group[other] == g && kanon__code_at(t->data.entity_codes, other) == kanon__code_at(t->data.entity_codes, row) &&
            (column < 0 || kanon__code_at(t->data.columns[column].codes, other) ==
                               kanon__code_at(t->data.columns[column].codes, row)))
            return true;
    return false;
}

int64_t *ref_value_counts(const kanon_table *t, int column, const int32_t *group, int32_t g)
{
    int64_t *counts = REF_NEW(int64_t, t->data.columns[column].domain->n_codes);
    for (int64_t row = 0; row < t->data.n_rows; row++)
        if (group[row] == g && !(t->data.has_entity && seen_before(t, column, group, g, row)))
            counts[kanon__code_at(t->data.columns[column].codes, row)]++;
    return counts;
}

int64_t ref_entities(const kanon_table *t, const int32_t *group, int32_t g)
{
    int64_t n = 0;
    for (int64_t row = 0; row < t->data.n_rows; row++)
        n += group[row] == g && !seen_before(t, -1, group, g, row);
    return n;
}

static double total_of(const int64_t *counts, uint32_t n_codes)
{
    double sum = 0;
    for (uint32_t i = 0; i < n_codes; i++)
        sum += (double)counts[i];
    return sum;
}

double ref_distinct(const int64_t *counts, uint32_t n_codes)
{
    int n = 0;
    for (uint32_t i = 0; i < n_codes; i++)
        n += counts[i] > 0;
    return n;
}

double ref_entropy_l(const int64_t *counts, uint32_t n_codes)
{
    double total = total_of(counts, n_codes), entropy = 0;
    for (uint32_t i = 0; i < n_codes; i++)
        if (counts[i] > 0)
            entropy -= (double)counts[i] / total * log2((double)counts[i] / total);
    return exp2(entropy);
}

static int falling(const void *a, const void *b)
{
    int64_t left = *(const int64_t *)a, right = *(const int64_t *)b;
    return left > right ? -1 : left < right;
}

double ref_recursive_c(const int64_t *counts, uint32_t n_codes, int64_t l)
{
    int64_t *sorted = REF_NEW(int64_t, n_codes);
    double tail = 0;
    memcpy(sorted, counts, n_codes * sizeof *sorted);
    qsort(sorted, n_codes, sizeof *sorted, falling);
    for (int64_t i = l - 1; i < n_codes; i++)
        tail += (double)sorted[i];
    double c = tail > 0 ? (double)sorted[0] / tail : INFINITY;
    free(sorted);
    return c;
}

double ref_alpha(const int64_t *counts, uint32_t n_codes)
{
    double most = 0;
    for (uint32_t i = 0; i < n_codes; i++)
        most = fmax(most, (double)counts[i]);
    return most / total_of(counts, n_codes);
}

/* The share of the values below a node, in the group less in the table. */
static double below(const kanon__taxonomy *t, int32_t node, const double *shares)
{
    double sum = 0;
    for (int32_t leaf = t->first_leaf[node]; leaf <= t->last_leaf[node]; leaf++)
        sum += shares[leaf];
    return sum;
}

/* Moving mass bottom up: what cannot be matched below a node goes over the node, and each unit of it travels h(node) / H;
 * what could be matched one level down is taken off (Li and others 2007, 4.3). */
static double taxonomy_distance(const kanon__taxonomy *t, const double *shares)
{
    double cost = 0;
    for (int32_t node = 0; node < t->n_nodes; node++) {
        double positive = 0, negative = 0;
        if (t->first_leaf[node] == t->last_leaf[node] && t->leaf_node[t->first_leaf[node]] == node)
            continue;
        for (int32_t child = node + 1; child < t->n_nodes; child++) {
            double extra = t->parent[child] == node ? below(t, child, shares) : 0;
            positive += fmax(extra, 0);
            negative += fmax(-extra, 0);
        }
        cost += (double)t->height[node] / t->height[0] * fmin(positive, negative);
    }
    return cost;
}

double ref_closeness(const kanon__column *column, const int64_t *counts, const int64_t *table_counts, const char *distance)
{
    uint32_t n = column->domain->n_codes;
    double *shares = REF_NEW(double, n), total = total_of(counts, n), all = total_of(table_counts, n), sum = 0;
    for (uint32_t i = 0; i < n; i++)
        shares[i] = (double)counts[i] / total - (double)table_counts[i] / all;
    if (strcmp(distance, "ordered") == 0) {
        double passing = 0;
        for (uint32_t i = 0; i < n; i++) {
            passing += shares[i];
            sum += n > 1 ? fabs(passing) / (n - 1) : 0;
        }
    } else if (strcmp(distance, "equal") == 0) {
        for (uint32_t i = 0; i < n; i++)
            sum += fabs(shares[i]) / 2;
    } else {
        sum = taxonomy_distance(column->domain->taxonomy, shares);
    }
    free(shares);
    return sum;
}

static const char *value_of(const kanon__constraint_text *text, const char *name)
{
    int64_t at = kanon__texts_find(&text->names, name, strlen(name));
    return at >= 0 ? text->values.items[at] : NULL;
}

static double t_of(const kanon_table *t, int column, const kanon__constraint_text *text, const int64_t *counts)
{
    int32_t *one_group = REF_NEW(int32_t, t->data.n_rows);
    int64_t *all = ref_value_counts(t, column, one_group, 0);
    const char *distance = value_of(text, "distance");
    if (distance == NULL)
        distance = kanon__column_is_numeric(&t->data.columns[column]) ? "ordered" : "taxonomy";
    double reached = ref_closeness(&t->data.columns[column], counts, all, distance);
    free(all);
    free(one_group);
    return reached;
}

static bool constraint_holds(const kanon_table *t, const kanon__constraint_text *text, const int32_t *group, int32_t g)
{
    const double slack = 1e-9; /* limits are either met exactly or missed by far in tables this small */
    const char *model = value_of(text, "model");
    int column = 0;
    bool holds = false;
    while (strcmp(t->data.columns[column].name, value_of(text, "attribute")) != 0)
        column++;
    int64_t *counts = ref_value_counts(t, column, group, g);
    uint32_t n = t->data.columns[column].domain->n_codes;
    if (strcmp(model, "distinct-l-diversity") == 0)
        holds = ref_distinct(counts, n) >= atof(value_of(text, "l"));
    else if (strcmp(model, "p-sensitive-k-anonymity") == 0)
        holds = ref_distinct(counts, n) >= atof(value_of(text, "p"));
    else if (strcmp(model, "entropy-l-diversity") == 0)
        holds = ref_entropy_l(counts, n) >= atof(value_of(text, "l")) - slack;
    else if (strcmp(model, "recursive-l-diversity") == 0)
        holds = ref_recursive_c(counts, n, atoll(value_of(text, "l"))) < atof(value_of(text, "c")) - slack;
    else if (strcmp(model, "alpha-k") == 0)
        holds = ref_alpha(counts, n) <= atof(value_of(text, "alpha")) + slack;
    else if (strcmp(model, "t-closeness") == 0)
        holds = t_of(t, column, text, counts) <= atof(value_of(text, "t")) + slack;
    free(counts);
    return holds;
}

bool ref_group_holds(const kanon_table *t, int64_t k, const int32_t *group, int32_t g)
{
    for (int64_t i = 0; i < t->policy.n_constraints; i++)
        if (!constraint_holds(t, &t->policy.constraints[i], group, g))
            return false;
    return !t->data.has_entity || ref_entities(t, group, g) >= k;
}
