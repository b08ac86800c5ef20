/* Joins groups of a planned release: those that fell short of k when records were withheld or moved, and, with
 * entities, those with too few entities of a class. Merges of whole groups make no part of a class smaller, tear no
 * entity apart and keep the constraints that unions keep. */
#include "core/alloc.h"
#include "core/sort.h"
#include "core/ticker.h"
#include "model/clusters.h"
#include "state/maintain/joint_plan.h"

#include <stdlib.h>
#include <string.h>

/* Step 4: the planned groups as clusters, numbered by rising group number. */
typedef struct group_merge {
    kanon__joint_planned *plan;
    kanon__space *space;
    kanon__clusters clusters;
    kanon__bound *box;
    int64_t *numbers;    /* by cluster: the group's number */
    int32_t *cluster_of; /* by row; negative: none */
    int32_t *into;       /* by cluster: the cluster that it was merged into, or itself */
} group_merge;

static int64_t index_in(const int64_t *sorted, int64_t n, int64_t value)
{
    const int64_t *found = bsearch(&value, sorted, (size_t)n, sizeof *sorted, kanon__compare_numbers);
    return found - sorted;
}

static kanon_status list_clusters(group_merge *m, kanon_error *err)
{
    const kanon__joint_planned *p = m->plan;
    const kanon__data *data = &p->subset->table->data;
    int64_t n_groups = 0;
    KANON_CHECK(kanon__space_new(&m->space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err));
    KANON_CHECK(kanon__new_array(&m->box, 2 * m->space->n_dimensions, "a box", err));
    KANON_CHECK(kanon__new_array(&m->numbers, p->n, "groups", err));
    KANON_CHECK(kanon__new_array(&m->cluster_of, p->n, "groups", err));
    for (int64_t row = 0; row < p->n; row++)
        m->numbers[row] = p->groups[row];
    KANON_CHECK(kanon__sort(m->numbers, p->n, sizeof *m->numbers, kanon__compare_numbers, err));
    for (int64_t i = 0; i < p->n; i++)
        if (m->numbers[i] > 0 && (n_groups == 0 || m->numbers[i] != m->numbers[n_groups - 1]))
            m->numbers[n_groups++] = m->numbers[i];
    KANON_CHECK(kanon__clusters_init(&m->clusters, m->space, n_groups, err));
    KANON_CHECK(kanon__new_array(&m->into, n_groups, "groups", err));
    for (int64_t i = 0; i < n_groups; i++)
        m->into[i] = (int32_t)i;
    for (int64_t row = 0; row < p->n; row++) {
        int64_t group = p->groups[row];
        m->cluster_of[row] = group > 0 ? (int32_t)index_in(m->numbers, n_groups, group) : -1;
        if (group > 0)
            kanon__clusters_join(&m->clusters, m->cluster_of[row], p->at[row]);
    }
    return KANON_OK;
}

/* What a merge of the two costs. */
static int64_t merge_cost(const group_merge *m, int64_t cluster, int64_t other)
{
    const kanon__clusters *c = &m->clusters;
    int64_t before = kanon__group_loss(c->sizes[cluster], kanon__box_units(m->space, kanon__clusters_box(c, cluster))) +
                     kanon__group_loss(c->sizes[other], kanon__box_units(m->space, kanon__clusters_box(c, other)));
    for (int i = 0; i < 2 * m->space->n_dimensions; i++)
        m->box[i] = kanon__clusters_box(c, other)[i];
    kanon__box_join(m->space, m->box, kanon__clusters_box(c, cluster));
    return kanon__group_loss(c->sizes[cluster] + c->sizes[other], kanon__box_units(m->space, m->box)) - before;
}

static void merge_into(group_merge *m, int64_t cluster, int64_t to)
{
    kanon__clusters *c = &m->clusters;
    kanon__box_join(m->space, kanon__clusters_box(c, to), kanon__clusters_box(c, cluster));
    c->sizes[to] += c->sizes[cluster];
    c->sizes[cluster] = 0;
    m->into[cluster] = (int32_t)to;
    m->plan->result.n_merged++;
}

/* Each is merged with the cluster with which that costs least; of equal ones the first. There is one: at least k records are
 * in groups. */
static void merge_short(group_merge *m)
{
    const kanon__clusters *c = &m->clusters;
    for (int64_t cluster = 0; cluster < c->n; cluster++) {
        while (c->sizes[cluster] > 0 && c->sizes[cluster] < m->plan->state->k) {
            int64_t best = -1, least = 0;
            for (int64_t other = 0; other < c->n; other++) {
                int64_t more = other != cluster && c->sizes[other] > 0 ? merge_cost(m, cluster, other) : INT64_MAX;
                if (more < INT64_MAX && (best < 0 || more < least)) {
                    best = other;
                    least = more;
                }
            }
            merge_into(m, cluster, best);
        }
    }
}

/* A record that is shown: its class, where, and whose it is. */
typedef struct shown_record {
    int64_t class_of, cluster, entity;
} shown_record;

static int by_class_and_cluster(const void *left, const void *right)
{
    const shown_record *a = left, *b = right;
    if (a->class_of != b->class_of)
        return a->class_of < b->class_of ? -1 : 1;
    if (a->cluster != b->cluster)
        return a->cluster < b->cluster ? -1 : 1;
    return a->entity < b->entity ? -1 : a->entity > b->entity;
}

/* The cheapest merge with a cluster that has records of the same class, of items[begin .. end); -1: none. */
static int64_t cheapest_of_class(const group_merge *m, const shown_record *items, int64_t begin, int64_t end,
                                 int64_t cluster, const bool *merged)
{
    int64_t best = -1, least = 0;
    for (int64_t i = begin; i < end; i++) {
        int64_t other = items[i].cluster;
        if (other == cluster || merged[other] || (i > begin && items[i - 1].cluster == other))
            continue;
        int64_t more = merge_cost(m, cluster, other);
        if (best < 0 || more < least) {
            best = other;
            least = more;
        }
    }
    return best;
}

/* Parts of the class items[begin .. end) with fewer than K entities: their clusters are merged, each once in a pass. Returns
 * how many. */
static int64_t merge_parts_of(group_merge *m, const shown_record *items, int64_t begin, int64_t end, bool *merged)
{
    kanon__joint_planned *p = m->plan;
    int64_t n_merged = 0;
    for (int64_t i = begin; i < end;) {
        int64_t cluster = items[i].cluster, n_entities = 0;
        kanon__set_begin(p);
        for (; i < end && items[i].cluster == cluster; i++)
            n_entities += kanon__set_add(p, items[i].entity);
        int64_t to = n_entities < p->joint_k && !merged[cluster]
                         ? cheapest_of_class(m, items, begin, end, cluster, merged)
                         : -1;
        if (to < 0)
            continue;
        merge_into(m, cluster, to);
        merged[cluster] = merged[to] = true;
        n_merged++;
    }
    return n_merged;
}

static int64_t cluster_now(const group_merge *m, int64_t cluster)
{
    while (m->into[cluster] != cluster)
        cluster = m->into[cluster];
    return cluster;
}

/* The records that are shown, of classes that were large enough before, or new. */
static int64_t list_shown(const group_merge *m, shown_record *items)
{
    const kanon__joint_planned *p = m->plan;
    int64_t n = 0;
    for (int64_t row = 0; row < p->n; row++) {
        int64_t class_of = p->class_of[row];
        if (m->cluster_of[row] >= 0 && (class_of == KANON__NEW_CLASS || p->traces.sizes[class_of] >= p->joint_k))
            items[n++] = (shown_record){class_of, cluster_now(m, m->cluster_of[row]), p->entities[row]};
    }
    return n;
}

/* Where records cannot move alone, or a group has too few entities of a class though enough records, whole groups are merged
 * until each has enough of every class that it has at all. */
static kanon_status merge_parts(group_merge *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    shown_record *items = NULL;
    bool *merged = NULL;
    KANON_TRY(kanon__new_array(&items, m->plan->n, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&merged, m->clusters.n, "groups", err), out);
    for (int64_t n_merged = 1; n_merged > 0;) {
        int64_t n = list_shown(m, items);
        n_merged = 0;
        memset(merged, 0, (size_t)m->clusters.n * sizeof *merged);
        KANON_TRY(kanon__sort(items, n, sizeof *items, by_class_and_cluster, err), out);
        for (int64_t begin = 0, end; begin < n; begin = end) {
            for (end = begin; end < n && items[end].class_of == items[begin].class_of;)
                end++;
            n_merged += merge_parts_of(m, items, begin, end, merged);
        }
        KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
    }
out:
    kanon__free(merged);
    kanon__free(items);
    return st;
}

kanon_status kanon__joint_merge(kanon__joint_planned *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    group_merge m = {.plan = p};
    KANON_TRY(list_clusters(&m, err), out);
    merge_short(&m);
    if (p->state->entity >= 0)
        KANON_TRY(merge_parts(&m, err), out);
    for (int64_t row = 0; row < p->n; row++)
        if (m.cluster_of[row] >= 0)
            p->groups[row] = m.numbers[cluster_now(&m, m.cluster_of[row])];
out:
    kanon__free(m.into);
    kanon__free(m.cluster_of);
    kanon__free(m.numbers);
    kanon__free(m.box);
    kanon__clusters_clear(&m.clusters);
    kanon__space_free(m.space);
    return st;
}

/* ---- whether the plan is one ------------------------------------------------------------------------------------- */

/* Records in no group are one part, and departed ones belong to it. */
static kanon_status list_parts(shown_record **out, int64_t *n, const kanon__joint_planned *p, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, p->n + p->traces.n, "joint classes", err);
    *n = 0;
    if (st != KANON_OK)
        return st;
    for (int64_t row = 0; row < p->n; row++) {
        int64_t group = p->groups[row] == 0 ? KANON__WITHHELD : p->groups[row];
        bool is_new = p->class_of[row] == KANON__NEW_CLASS;
        if (is_new ? group != KANON__WITHHELD : p->traces.sizes[p->class_of[row]] >= p->joint_k)
            (*out)[(*n)++] = (shown_record){p->class_of[row], group, p->entities[row]};
    }
    for (int64_t i = 0; i < p->traces.n; i++) {
        const kanon__trace *t = &p->traces.items[i];
        if (t->row < 0 && p->traces.sizes[t->class_of] >= p->joint_k)
            (*out)[(*n)++] = (shown_record){t->class_of, KANON__WITHHELD, p->departed[i]};
    }
    return KANON_OK;
}

kanon_status kanon__joint_check(kanon__joint_planned *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    shown_record *items = NULL;
    int64_t n;
    KANON_TRY(list_parts(&items, &n, p, err), out);
    KANON_TRY(kanon__sort(items, n, sizeof *items, by_class_and_cluster, err), out);
    for (int64_t i = 0; i < n;) {
        const shown_record *part = &items[i];
        int64_t n_entities = 0;
        kanon__set_begin(p);
        for (; i < n && items[i].class_of == part->class_of && items[i].cluster == part->cluster; i++)
            n_entities += kanon__set_add(p, items[i].entity);
        if (n_entities < p->joint_k)
            KANON_TRY(kanon__joint_fail(p, err), out);
    }
out:
    kanon__free(items);
    return st;
}

