/* The lower bound on the loss of every grouping without suppression, and how far from it this one is.
 *
 * A record's group holds at least k - 1 others, so it costs at least the distance to its (k-1)-th nearest other record
 * (proof in docs/lower-bound.md). The neighbours come from a tree over the distinct tuples: equal records are asked about
 * once, and a node is left aside when even its nearest corner is too far. */
#include "measures/measure.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "search/tree.h"

#include <math.h>

enum { PAIR_TABLE_CODES = 512, TUPLES_PER_TASK = 64, MOST_DEPTH = 96 };

/* What two codes of a quasi attribute cost together, in double, as the formula says. */
typedef struct term {
    const kanon__taxonomy *taxonomy; /* NULL: numeric */
    double *position;                /* numeric: by code, weight included; a missing one lies far out */
    double *pairs;                   /* categorical with few leaves: [a * n_codes + b] */
    uint32_t n_codes;
    double weight;
} term;

typedef struct neighbours {
    const kanon__subject *subject;
    int m;
    term *terms;
    kanon__space *space;
    kanon__tuples *tuples;
    kanon__tuple_tree *index;
    double *sums; /* by task */
    kanon__shared_ticker shared;
} neighbours;

/* ---- terms ------------------------------------------------------------------------------------------------------- */

static double cost(const term *t, uint32_t a, uint32_t b)
{
    if (t->taxonomy == NULL) {
        double difference = fabs(t->position[a] - t->position[b]);
        return difference < t->weight ? difference : t->weight;
    }
    if (t->pairs != NULL)
        return t->pairs[(size_t)a * t->n_codes + b];
    int32_t node = kanon__taxonomy_lca(t->taxonomy, (int32_t)(a < b ? a : b), (int32_t)(a < b ? b : a));
    return t->weight * t->taxonomy->height[node] / t->taxonomy->height[0];
}

static kanon_status set_up_numeric(term *t, const kanon__column *c, kanon_error *err)
{
    kanon_status st = kanon__new_array(&t->position, c->n_codes, "distances", err);
    if (st != KANON_OK)
        return st;
    uint32_t n = c->n_codes - (c->missing_code != KANON__NO_CODE);
    double range = n > 0 ? c->values[n - 1] - c->values[0] : 0;
    for (uint32_t code = 0; code < n && range > 0; code++)
        t->position[code] = c->weight * ((c->values[code] - c->values[0]) / range);
    if (c->missing_code != KANON__NO_CODE)
        t->position[c->missing_code] = 3 * c->weight;
    return KANON_OK;
}

static kanon_status set_up_term(term *t, const kanon__column *c, kanon_error *err)
{
    *t = (term){.n_codes = c->n_codes, .weight = c->weight};
    if (kanon__column_is_numeric(c))
        return set_up_numeric(t, c, err);
    t->taxonomy = c->taxonomy;
    if (c->n_codes > PAIR_TABLE_CODES)
        return KANON_OK;
    double *pairs = NULL;
    kanon_status st = kanon__new_array(&pairs, (int64_t)c->n_codes * c->n_codes, "distances", err);
    if (st != KANON_OK)
        return st;
    for (uint32_t a = 0; a < c->n_codes; a++)
        for (uint32_t b = 0; b < c->n_codes; b++)
            pairs[(size_t)a * c->n_codes + b] = cost(t, a, b);
    t->pairs = pairs;
    return KANON_OK;
}

/* ---- one tuple's neighbours -------------------------------------------------------------------------------------- */

/* The nearest records found so far, as distances with counts, ascending; just so many that their counts reach `wanted`. */
typedef struct nearest_list {
    double *distances;
    int64_t *counts;
    int64_t n, counted, wanted;
} nearest_list;

static double reach(const nearest_list *l)
{
    return l->counted >= l->wanted ? l->distances[l->n - 1] : INFINITY;
}

static void insert(nearest_list *l, double distance, int64_t count)
{
    int64_t at = l->n++;
    while (at > 0 && l->distances[at - 1] > distance) {
        l->distances[at] = l->distances[at - 1];
        l->counts[at] = l->counts[at - 1];
        at--;
    }
    l->distances[at] = distance;
    l->counts[at] = count;
    l->counted += count;
    while (l->counted - l->counts[l->n - 1] >= l->wanted)
        l->counted -= l->counts[--l->n];
}

/* The least distance of a tuple to anything in the box; not worked out to the end once it is beyond `limit`. */
static double box_distance(const neighbours *s, const uint32_t *codes, const kanon__bound *box, double limit)
{
    double distance = 0;
    for (int i = 0; i < s->m && distance <= limit; i++) {
        uint32_t code = codes[i], lo = box[2 * i], hi = box[2 * i + 1], near = code < lo ? lo : code > hi ? hi : code;
        distance += near == code ? 0 : cost(&s->terms[i], code, near);
    }
    return distance;
}

static double tuple_distance(const neighbours *s, const uint32_t *a, const uint32_t *b, double limit)
{
    double distance = 0;
    for (int i = 0; i < s->m && distance <= limit; i++)
        distance += cost(&s->terms[i], a[i], b[i]);
    return distance;
}

static void look_at_leaf(const neighbours *s, const kanon__tree_node *node, int64_t own_place, nearest_list *l)
{
    const uint32_t *own = s->index->codes + own_place * s->m;
    for (int64_t place = node->begin; place < node->end; place++) {
        if (place == own_place)
            continue;
        double limit = reach(l), distance = tuple_distance(s, own, s->index->codes + place * s->m, limit);
        int64_t tuple = s->index->order[place];
        if (distance < limit)
            insert(l, distance, s->tuples->begins[tuple + 1] - s->tuples->begins[tuple]);
    }
}

/* The distance of the tuple at `own_place` to its wanted-th nearest other record. */
static double neighbour_distance(const neighbours *s, int64_t own_place, nearest_list *l)
{
    struct {
        int32_t node;
        double distance;
    } stack[2 * MOST_DEPTH], swap;
    int depth = 0;
    const uint32_t *own = s->index->codes + own_place * s->m;
    stack[depth].node = 0;
    stack[depth++].distance = 0;
    while (depth > 0) {
        depth--;
        const kanon__tree_node *node = &s->index->nodes[stack[depth].node];
        if (stack[depth].distance >= reach(l))
            continue;
        if (node->first_child < 0 || depth + 2 > 2 * MOST_DEPTH) {
            look_at_leaf(s, node, own_place, l);
            continue;
        }
        for (int32_t child = node->first_child; child < node->first_child + 2; child++) {
            stack[depth].node = child;
            stack[depth++].distance = box_distance(s, own, s->index->boxes + (int64_t)child * 2 * s->m, reach(l));
        }
        if (stack[depth - 1].distance > stack[depth - 2].distance) { /* the nearer child is looked at first */
            swap = stack[depth - 1];
            stack[depth - 1] = stack[depth - 2];
            stack[depth - 2] = swap;
        }
    }
    return l->distances[l->n - 1];
}

/* ---- all of them ------------------------------------------------------------------------------------------------- */

static kanon_status sum_task(int64_t task, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    neighbours *s = payload;
    nearest_list l = {0};
    kanon__ticker ticker;
    int64_t n_others = s->subject->k - 1, end = (task + 1) * TUPLES_PER_TASK;
    kanon__shared_ticker_task(&ticker, &s->shared);
    KANON_TRY(kanon__new_array(&l.distances, n_others + 2, "neighbours", err), out);
    KANON_TRY(kanon__new_array(&l.counts, n_others + 2, "neighbours", err), out);
    for (int64_t place = task * TUPLES_PER_TASK; place < end && place < s->tuples->n; place++) {
        int64_t tuple = s->index->order[place], count = s->tuples->begins[tuple + 1] - s->tuples->begins[tuple];
        l.n = l.counted = 0;
        l.wanted = n_others - (count - 1); /* its equals are at distance 0 */
        if (l.wanted > 0)
            s->sums[task] += (double)count * neighbour_distance(s, place, &l);
        KANON_TRY(kanon__tick(&ticker, 0, 0, 20000, err), out);
    }
    kanon__shared_ticker_add(&s->shared, TUPLES_PER_TASK);
out:
    kanon__free(l.counts);
    kanon__free(l.distances);
    return st;
}

static void clear_neighbours(neighbours *s)
{
    for (int i = 0; s->terms != NULL && i < s->m; i++) {
        kanon__free(s->terms[i].pairs);
        kanon__free(s->terms[i].position);
    }
    kanon__free(s->sums);
    kanon__free(s->terms);
    kanon__tuple_tree_free(s->index);
    kanon__tuples_free(s->tuples);
    kanon__space_free(s->space);
}

static kanon_status lower_bound(double *out, const kanon__subject *subject, int attribute, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_table *t = subject->table;
    neighbours s = {.subject = subject, .m = t->n_quasi};
    (void)attribute;
    *out = NAN;
    if (subject->k > t->n_rows) /* no grouping has such groups */
        return KANON_OK;
    KANON_TRY(kanon__new_array(&s.terms, s.m, "distances", err), out);
    for (int i = 0; i < s.m; i++)
        KANON_TRY(set_up_term(&s.terms[i], kanon__subject_quasi(subject, i), err), out);
    KANON_TRY(kanon__space_new(&s.space, t, t->quasi, t->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__tuples_new(&s.tuples, s.space, err), out);
    KANON_TRY(kanon__tuple_tree_new(&s.index, s.space, s.tuples, err), out);
    int64_t n_tasks = (s.tuples->n + TUPLES_PER_TASK - 1) / TUPLES_PER_TASK;
    KANON_TRY(kanon__new_array(&s.sums, n_tasks, "sums", err), out);
    kanon__shared_ticker_init(&s.shared, subject->ticker, s.tuples->n);
    st = kanon__pool_run(subject->threads, n_tasks, sum_task, &s, err);
    kanon__shared_ticker_clear(&s.shared);
    if (st != KANON_OK)
        goto out;
    *out = 0;
    for (int64_t i = 0; i < n_tasks; i++)
        *out += s.sums[i];
out:
    clear_neighbours(&s);
    return st;
}

const kanon__measure kanon__measure_lower_bound = {
    .name = "lower_bound",
    .formula =
        "sum over records of the distance to the (k-1)-th nearest other record: no grouping without suppression loses less",
    .compute = lower_bound,
};

static kanon_status gap(double *out, const kanon__subject *subject, int attribute, kanon_error *err)
{
    const kanon_figure *loss = kanon_measures_find(subject->so_far, "information_loss", NULL);
    const kanon_figure *bound = kanon_measures_find(subject->so_far, "lower_bound", NULL);
    (void)attribute;
    (void)err;
    *out = loss->value == bound->value ? 1 : loss->value / bound->value;
    if (subject->grouping->n_suppressed > 0) /* the bound is about groupings of all records */
        *out = NAN;
    return KANON_OK;
}

const kanon__measure kanon__measure_gap = {
    .name = "gap",
    .formula = "information_loss / lower_bound: 1 is the best possible; not defined where records are suppressed",
    .compute = gap,
};
