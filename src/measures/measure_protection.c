/* S-diversity and protection: Loukides def. 2.3 to 2.5.
 *
 * Whether a pair of values counts, pc >= 1 - r, is decided in whole numbers: r is a decimal number, and so are the
 * values. papers/s_diversity.h has the same measure in units, for groups that grow. */
#include "measures/measure.h"

#include "core/alloc.h"
#include "model/terms.h"
#include "table/value/number.h"

#include <math.h>
#include <string.h>

struct kanon__pair_weights {
    kanon__decimal r;
    uint64_t power; /* r = r.mantissa / power where it is exact */
    double range;   /* numeric: R */
    double *rise;   /* categorical: by node, what a pair below it adds to what it counts below the parent */
};

/* Whether part / whole <= r. */
static bool within(const kanon__pair_weights *s, uint64_t part, uint64_t whole)
{
    if (!s->r.exact)
        return (double)part <= s->r.value * (double)whole;
    return (unsigned __int128)part * s->power <= (unsigned __int128)s->r.mantissa * whole;
}

static double node_contribution(const kanon__pair_weights *s, const kanon__taxonomy *t, int32_t node)
{
    int32_t leaves = t->last_leaf[node] - t->first_leaf[node] + 1;
    int32_t n_values = t->height[node] == 0 ? 1 : t->flat ? 2 : leaves;
    return within(s, (uint64_t)(n_values - 1), (uint64_t)t->n_leaves) ? 1 - (n_values - 1.0) / t->n_leaves : 0;
}

kanon_status kanon__pair_weights_new(kanon__pair_weights **out, const kanon__column *c, const char *r, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__pair_weights *w = NULL;
    const kanon__taxonomy *t = c->domain->taxonomy;
    uint32_t n_numbers = kanon__n_numbers(c->domain);
    KANON_TRY(kanon__new_array(&w, 1, "sensitive values", err), out);
    w->power = 1;
    kanon__parse_decimal(&w->r, r, strlen(r));
    for (int i = 0; w->r.exact && i < w->r.scale; i++)
        w->power *= 10;
    if (kanon__column_is_numeric(c)) {
        w->range = n_numbers > 0 ? c->domain->values[n_numbers - 1] - c->domain->values[0] : 0;
    } else {
        KANON_TRY(kanon__new_array(&w->rise, t->n_nodes, "sensitive values", err), out);
        for (int32_t node = 0; node < t->n_nodes; node++)
            w->rise[node] = node_contribution(w, t, node) - (node > 0 ? node_contribution(w, t, t->parent[node]) : 0);
    }
    *out = w;
    w = NULL;
out:
    kanon__pair_weights_free(w);
    return st;
}

void kanon__pair_weights_free(kanon__pair_weights *w)
{
    if (w == NULL)
        return;
    kanon__free(w->rise);
    kanon__free(w);
}

static bool numbers_count(const kanon__pair_weights *s, const kanon__column *c, uint32_t low, uint32_t high)
{
    uint32_t last = kanon__n_numbers(c->domain) - 1;
    if (c->domain->scaled == NULL)
        return (c->domain->values[high] - c->domain->values[low]) / s->range <= s->r.value;
    return within(s, (uint64_t)c->domain->scaled[high] - (uint64_t)c->domain->scaled[low],
                  (uint64_t)c->domain->scaled[last] - (uint64_t)c->domain->scaled[0]);
}

/* Each value with the smaller ones that are near enough, whose count and sum are kept while the window moves up. Every
 * such pair counts twice, as (u,v) and as (v,u). */
static double numeric_pairs(kanon__group_values *v, const kanon__pair_weights *s)
{
    const kanon__column *c = v->column;
    double pairs = 0, sum = 0; /* of the window's values, from the group's least */
    int64_t first = 0, n_window = 0;
    kanon__group_values_sort(v);
    for (int64_t i = 0; i < v->n; i++) {
        uint32_t code = v->codes[i];
        double count = (double)v->counts[code];
        pairs += count * count;
        if (code == c->domain->missing_code) /* the last one, at full distance from all others: no contribution */
            break;
        for (; first < i && !numbers_count(s, c, v->codes[first], code); first++) {
            n_window -= v->counts[v->codes[first]];
            sum -= (double)v->counts[v->codes[first]] *
                   (c->domain->values[v->codes[first]] - c->domain->values[v->codes[0]]);
        }
        double above = c->domain->values[code] - c->domain->values[v->codes[0]];
        if (n_window > 0)
            pairs += 2 * count * ((double)n_window - ((double)n_window * above - sum) / s->range);
        n_window += v->counts[code];
        sum += count * above;
    }
    return pairs;
}

/* The pairs whose lca is a node are those below it that are not below one of its children. So the sum over nodes of
 * pc(node) * pairs(lca is the node) is the sum over nodes of (pc(node) - pc(parent)) * below^2. */
static double categorical_pairs(kanon__group_values *v, const kanon__pair_weights *s)
{
    double pairs = 0;
    kanon__group_values_climb(v);
    for (int64_t i = 0; i < v->n_nodes; i++) {
        double below = (double)v->below[v->nodes[i]];
        pairs += s->rise[v->nodes[i]] * below * below;
    }
    return pairs;
}

double kanon__group_pairs(kanon__group_values *v)
{
    double pairs = kanon__column_is_numeric(v->column) ? numeric_pairs(v, v->pairs) : categorical_pairs(v, v->pairs);
    return pairs / ((double)v->size * (double)v->size);
}

static double s_diversity(const kanon__sums *s, int i)
{
    return kanon__fold_mean(kanon__sums_fold(s, i, KANON__GROUP_PAIRS));
}

KANON__MEASURE_THAT_DEPENDS(s_diversity, SENSITIVE, false, KANON__SUM_OF(KANON__GROUP_PAIRS),
                            "mean over groups of the sum over ordered pairs of records of pc, where pc >= 1 - r, divided "
                            "by |P|^2; pc is 1 - |u - v| / R or 1 - (leaves(lca) - 1) / |domain| (without taxonomy 1 - 1 / "
                            "|domain| for two values); small is good",
                            KANON__MEASURE_DEPENDS(KANON__SET_R, 1));

/* The mean of a sum is the sum of the means. */
static double protection(const kanon__sums *s, int i)
{
    double sum = s->data->n_sensitive > 0 ? 0 : NAN;
    (void)i;
    for (int a = 0; a < s->data->n_sensitive; a++)
        sum += s->data->columns[s->data->sensitive[a]].weight * s_diversity(s, a);
    return sum;
}

KANON__MEASURE_THAT_DEPENDS(protection, TABLE, false, KANON__SUM_OF(KANON__GROUP_PAIRS),
                            "mean over groups of the sum over sensitive attributes of S-diversity for the setting r, by "
                            "weight; small is well protected, and there is none without a sensitive attribute",
                            KANON__MEASURE_DEPENDS(KANON__SET_R, 1));
