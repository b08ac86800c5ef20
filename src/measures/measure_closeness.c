/* t-closeness (Li and others 2007): the earth mover's distance between the values of a group and those of the table.
 *
 * Sums of differences of shares are kept in whole numbers, |P_i * n - T_i * |P||, and divided once: a group like the
 * table is at distance 0, without a rounding error. Called through evaluate.c; calls group_values.h. */
#include "measures/group_values.h"

#include "core/alloc.h"

typedef struct crowd {
    int64_t n;         /* records in the table */
    int64_t *until;    /* numeric: records up to and with a code */
    int64_t *sums;     /* numeric: sums[i] is the sum of until[0 .. i) */
    int64_t *below;    /* categorical: records below a node */
    __int128 all_rise; /* categorical: sum over nodes of below * rise */
} crowd;

static void clear_crowd(crowd *c)
{
    kanon__free(c->below);
    kanon__free(c->sums);
    kanon__free(c->until);
}

static kanon_status count_numbers(crowd *out, const kanon__column *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&out->until, c->n_codes, "values of the table", err), out);
    KANON_TRY(kanon__new_array(&out->sums, (int64_t)c->n_codes + 1, "values of the table", err), out);
    for (int64_t row = 0; row < out->n; row++)
        out->until[kanon__code_at(c->codes, row)]++;
    for (uint32_t code = 0; code < c->n_codes; code++) {
        out->until[code] += code > 0 ? out->until[code - 1] : 0;
        out->sums[code + 1] = out->sums[code] + out->until[code];
    }
out:
    return st;
}

/* How much higher the parent is than the node; 0 for the root. */
static int32_t rise(const kanon__taxonomy *t, int32_t node)
{
    return node > 0 ? t->height[t->parent[node]] - t->height[node] : 0;
}

static kanon_status count_nodes(crowd *out, const kanon__column *c, kanon_error *err)
{
    const kanon__taxonomy *t = c->taxonomy;
    kanon_status st = kanon__new_array(&out->below, t->n_nodes, "values of the table", err);
    if (st != KANON_OK)
        return st;
    for (int64_t row = 0; row < out->n; row++)
        out->below[t->leaf_node[kanon__code_at(c->codes, row)]]++;
    for (int32_t node = t->n_nodes - 1; node > 0; node--) { /* children have higher numbers than their parents */
        out->below[t->parent[node]] += out->below[node];
        out->all_rise += (__int128)out->below[node] * rise(t, node);
    }
    return KANON_OK;
}

/* The sum over codes begin .. end-1 of |n_until * n - until[code] * size|, where the group has n_until records up to
 * each of them: until[] ascends, so there is one place where the sign turns. */
static __int128 stretch(const crowd *c, int64_t size, int64_t n_until, int64_t begin, int64_t end)
{
    __int128 level = (__int128)n_until * c->n;
    int64_t low = begin, high = end;
    while (low < high) {
        int64_t middle = low + (high - low) / 2;
        if ((__int128)c->until[middle] * size <= level)
            low = middle + 1;
        else
            high = middle;
    }
    __int128 over = (c->sums[end] - c->sums[low]) - (c->sums[low] - c->sums[begin]);
    return level * ((low - begin) - (end - low)) + over * size;
}

/* Ordered distance: |rank - rank| / (m - 1). Moving along ranks costs, for each step, what has to pass it. */
static double numeric_distance(kanon__group_values *v, void *payload)
{
    const crowd *c = payload;
    int64_t last = (int64_t)v->column->n_codes - 1, n_until = 0, at = 0;
    __int128 sum = 0;
    kanon__group_values_sort(v);
    for (int64_t i = 0; i < v->n; i++) {
        sum += stretch(c, v->size, n_until, at, v->codes[i]);
        at = v->codes[i];
        n_until += v->counts[at];
    }
    sum += stretch(c, v->size, n_until, at, last);
    return last > 0 ? (double)sum / ((double)c->n * (double)v->size * (double)last) : 0;
}

/* Hierarchical distance: h(lca) / H, the length of the way up to the lca and down again where an edge is half as long as
 * it rises. In a tree, every edge is passed by the difference of what is below it. Nodes with no value of the group
 * differ by all that the table has there. */
static double categorical_distance(kanon__group_values *v, void *payload)
{
    const crowd *c = payload;
    const kanon__taxonomy *t = v->column->taxonomy;
    __int128 sum = c->all_rise * v->size;
    kanon__group_values_climb(v);
    for (int64_t i = 0; i < v->n_nodes; i++) {
        int32_t node = v->nodes[i];
        __int128 here = (__int128)v->below[node] * c->n, there = (__int128)c->below[node] * v->size;
        sum += ((here > there ? here - there : there - here) - there) * rise(t, node);
    }
    return (double)sum / (2.0 * (double)c->n * (double)v->size * t->height[0]);
}

static kanon_status t_closeness(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *c = kanon__subject_sensitive(s, i);
    bool numeric = kanon__column_is_numeric(c);
    crowd all = {.n = s->table->n_rows};
    KANON_TRY(numeric ? count_numbers(&all, c, err) : count_nodes(&all, c, err), out);
    KANON_TRY(kanon__fold_groups(out, s, c, KANON__FOLD_MOST, numeric ? numeric_distance : categorical_distance, &all, err),
              out);
out:
    clear_crowd(&all);
    return st;
}

const kanon__measure kanon__measure_t_closeness = {
    .name = "t_closeness",
    .formula =
        "the largest earth mover's distance between the values of a group and those of the whole table; two values are "
        "|rank - rank| / (distinct values - 1) or h(lca) / H apart, without taxonomy 1",
    .compute = t_closeness,
    .scope = KANON__SCOPE_SENSITIVE,
};
