/* Plans a release after which no joint class is smaller than K, by withholding as few records as possible.
 *
 * A joint class are the records that all releases so far show alike (releases.h). The next release divides it into the
 * records of each group and those that are absent. Every part must have none or at least K records. Let a class have n
 * present and d departed records, which are absent in any case.
 *     d = 0          nobody has to be withheld
 *     0 < d < K      at least K - d present records must be absent, too
 *     d >= K         nobody has to be withheld
 *     and where d > 0 and fewer than K would be left: all of them
 * That is enough, since those that are left can be shown in one group. So no grouping withholds fewer. Records that were
 * never released are shown at least K to a group, or wait.
 *
 *     1. For each class: withhold as above, from the smallest parts; records of a part short of K join the class's
 *        largest part.
 *     2. New records: groups of their own where they are enough; else they join the largest part, or wait (plan_new).
 *     3. Show suppressed records in groups where too few records are left in groups, or the share of suppressed ones has
 *        become too large: all of a class at once, so no part of it becomes too small (show_suppressed).
 *     4. Merge groups that fell short of k by this with the group that costs least (merge_groups).
 *     5. Take the withheld records out of the subset (withhold).
 *     6. Merge groups that now violate a constraint; a merge makes no joint class smaller (merge_violating).
 *
 * Called by pipeline/state_change.c; calls releases.c, drift.c (to group new records), materialise.c and enforce/. */
#include "state/maintain/joint_release.h"
#include "core/alloc.h"
#include "enforce/repair.h"
#include "model/clusters.h"
#include "state/maintain/drift.h"
#include "state/maintain/enforce_constraints.h"
#include "state/maintain/releases.h"

#include <stdlib.h>

#define WITHHELD (-1)

/* A present record of the class at hand. */
typedef struct class_member {
    int64_t row, group;
    int64_t part; /* how many records of the class are in its group */
} class_member;

/* The plan: groups[row] is the group in which the release will show the row. `members` is room for one class. */
typedef struct joint_plan {
    kanon_state *state;
    kanon__subset *subset;
    int64_t joint_k;
    kanon__traces traces;
    int64_t *groups; /* by row: as released, 0: suppressed, WITHHELD */
    class_member *members;
    kanon__joint_result result;
} joint_plan;

static kanon_status fail_joint_k(const joint_plan *p, kanon_error *err)
{
    kanon_status st =
        kanon__fail(err, KANON_EINFEASIBLE, "no release keeps joint classes of %lld records", (long long)p->joint_k);
    kanon__hint(err, st, "wait for more records, or ask for smaller joint classes");
    return kanon__topic(err, st, "joint-k");
}

static int by_group(const void *left, const void *right)
{
    const class_member *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int by_part(const void *left, const void *right)
{
    const class_member *a = left, *b = right;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return by_group(left, right);
}

/* Counts the parts, and sorts members of small parts first: they are withheld first, since parts short of K must move
 * anyway. */
static void count_parts(class_member *members, int64_t n)
{
    qsort(members, (size_t)n, sizeof *members, by_group);
    for (int64_t i = 0; i < n;) {
        int64_t end = i;
        while (end < n && members[end].group == members[i].group)
            end++;
        for (int64_t j = i; j < end; j++)
            members[j].part = end - i;
        i = end;
    }
    qsort(members, (size_t)n, sizeof *members, by_part);
}

/* The group with most of them, apart from the suppressed; of equal ones the lowest number. */
static int64_t main_group(const class_member *members, int64_t n)
{
    int64_t best = 0, most = 0;
    for (int64_t i = 0; i < n; i++)
        if (members[i].group > 0 && (members[i].part > most || (members[i].part == most && members[i].group < best))) {
            most = members[i].part;
            best = members[i].group;
        }
    return best;
}

static void assign_group(joint_plan *p, const class_member *who, int64_t group)
{
    p->result.n_moved += group != who->group && group != WITHHELD;
    p->result.n_withheld += group == WITHHELD;
    p->groups[who->row] = group;
}

/* Members of parts short of `least` join the largest part. Where that is too small even then, all others of the class are
 * suppressed, and at least `least`: some of them join, or all where too few would stay behind. */
static void join_small_parts(joint_plan *p, class_member *members, int64_t n, int64_t least)
{
    int64_t n_joined = 0, n_suppressed = 0;
    count_parts(members, n);
    int64_t to = main_group(members, n);
    if (to == 0)
        return;
    for (int64_t i = 0; i < n; i++)
        if (members[i].group == to || members[i].part < least) {
            assign_group(p, &members[i], to);
            n_joined++;
        } else
            n_suppressed += members[i].group == 0;
    int64_t n_more = n_joined < least ? least - n_joined : 0;
    if (n_suppressed - n_more < least && n_more > 0)
        n_more = n_suppressed;
    for (int64_t i = 0; i < n && n_more > 0; i++)
        if (members[i].group == 0 && members[i].part >= least) {
            assign_group(p, &members[i], to);
            n_more--;
        }
}

static void plan_class(joint_plan *p, int64_t n, int64_t n_departed)
{
    int64_t k = p->joint_k, n_absent = 0;
    if (n + n_departed < k) { /* it was too small before this release; at least it is not divided further */
        p->result.n_below += n + n_departed;
        join_small_parts(p, p->members, n, INT64_MAX);
        return;
    }
    if (n_departed > 0) {
        int64_t needed = n_departed < k ? k - n_departed : 0;
        n_absent = n - needed < k ? n : needed;
    }
    count_parts(p->members, n);
    for (int64_t i = 0; i < n_absent; i++)
        assign_group(p, &p->members[i], WITHHELD);
    join_small_parts(p, p->members + n_absent, n - n_absent, k);
}

/* ---- records that were never released ---------------------------------------------------------------------------- */

/* Rows that the algorithm would suppress join the group that costs least: nobody waits who can be shown. Where it suppresses
 * all, they are one group. */
static kanon_status join_suppressed(const joint_plan *p, const int32_t *rows, int64_t n, int32_t *group_of,
                                    int64_t *n_groups, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__space *space = NULL;
    kanon__clusters clusters = {0};
    const kanon__data *data = &p->subset->table->data;
    *n_groups += *n_groups == 0;
    KANON_TRY(kanon__space_new(&space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__clusters_init(&clusters, space, *n_groups, err), out);
    for (int64_t i = 0; i < n; i++)
        if (group_of[i] >= 0)
            kanon__clusters_join(&clusters, group_of[i], rows[i]);
    for (int64_t i = 0; i < n; i++)
        if (group_of[i] < 0) {
            int64_t to = kanon__clusters_cheapest(&clusters, -1, rows[i]);
            group_of[i] = to >= 0 ? (int32_t)to : 0;
            kanon__clusters_join(&clusters, group_of[i], rows[i]);
        }
out:
    kanon__clusters_clear(&clusters);
    kanon__space_free(space);
    return st;
}

static kanon_status make_own_groups(joint_plan *p, const class_member *members, int64_t n, int64_t least, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *rows = NULL, *group_of = NULL;
    int64_t n_groups = 0;
    KANON_TRY(kanon__new_array(&rows, n, "new records", err), out);
    KANON_TRY(kanon__new_array(&group_of, n, "new records", err), out);
    for (int64_t i = 0; i < n; i++)
        rows[i] = (int32_t)members[i].row;
    KANON_TRY(kanon__regroup_rows(p->state, p->subset->table, NULL, rows, n, least, group_of, &n_groups, err), out);
    KANON_TRY(join_suppressed(p, rows, n, group_of, &n_groups, err), out);
    for (int64_t i = 0; i < n; i++)
        assign_group(p, &members[i], p->state->next_group + group_of[i]);
    p->state->next_group += n_groups;
out:
    kanon__free(group_of);
    kanon__free(rows);
    return st;
}

static kanon_status plan_new(joint_plan *p, kanon_error *err)
{
    int64_t n = p->traces.n_new, n_small = 0, k = p->joint_k, least = k > p->state->k ? k : p->state->k;
    for (int64_t i = 0; i < n; i++) {
        int64_t row = p->traces.new_rows[i];
        p->members[i] = (class_member){.row = row, .group = p->subset->groups[row]};
    }
    count_parts(p->members, n);
    while (n_small < n && p->members[n_small].part < k)
        n_small++;
    if (n_small >= least)
        return make_own_groups(p, p->members, n_small, least, err);
    if (n >= k)
        join_small_parts(p, p->members, n, k);
    else
        for (int64_t i = 0; i < n; i++)
            assign_group(p, &p->members[i], WITHHELD);
    return KANON_OK;
}

/* ---- all classes ------------------------------------------------------------------------------------------------- */

static int by_class(const void *left, const void *right)
{
    const kanon__trace *const *a = left, *const *b = right;
    if ((*a)->class_of != (*b)->class_of)
        return (*a)->class_of < (*b)->class_of ? -1 : 1;
    return (*a)->row < (*b)->row ? -1 : (*a)->row > (*b)->row;
}

static kanon_status plan_classes(joint_plan *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__trace **order = NULL;
    int64_t n = p->traces.n;
    KANON_TRY(kanon__new_array(&order, n, "joint classes", err), out);
    for (int64_t i = 0; i < n; i++)
        order[i] = &p->traces.items[i];
    qsort(order, (size_t)n, sizeof *order, by_class);
    for (int64_t i = 0; i < n;) {
        int64_t class_of = order[i]->class_of, n_members = 0;
        for (; i < n && order[i]->class_of == class_of; i++)
            if (order[i]->row >= 0)
                p->members[n_members++] = (class_member){.row = order[i]->row, .group = p->subset->groups[order[i]->row]};
        plan_class(p, n_members, p->traces.departed[class_of]);
    }
    KANON_TRY(plan_new(p, err), out);
out:
    kanon__free(order);
    return st;
}

/* ---- suppressed records that must be shown ----------------------------------------------------------------------- */

/* The joint class of each row; new records are a class of their own. */
static kanon_status list_classes(int64_t **out, const joint_plan *p, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, p->subset->n, "joint classes", err);
    for (int64_t row = 0; st == KANON_OK && row < p->subset->n; row++)
        (*out)[row] = -1;
    for (int64_t i = 0; st == KANON_OK && i < p->traces.n; i++)
        if (p->traces.items[i].row >= 0)
            (*out)[p->traces.items[i].row] = p->traces.items[i].class_of;
    return st;
}

/* The suppressed records of one class become a group, which is merged with others where it is short of k. Returns how many
 * they are; 0: nobody is suppressed. */
static int64_t show_class(joint_plan *p, const int64_t *class_of)
{
    int64_t first = 0, n = 0;
    while (first < p->subset->n && p->groups[first] != 0)
        first++;
    for (int64_t row = first; row < p->subset->n; row++)
        if (p->groups[row] == 0 && class_of[row] == class_of[first]) {
            p->groups[row] = p->state->next_group;
            n++;
        }
    p->state->next_group += n > 0;
    p->result.n_moved += n;
    return n;
}

/* Step 3. */
static kanon_status show_suppressed(joint_plan *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *class_of = NULL, n_grouped = 0, n_suppressed = 0;
    for (int64_t row = 0; row < p->subset->n; row++) {
        n_grouped += p->groups[row] > 0;
        n_suppressed += p->groups[row] == 0;
    }
    int64_t may = kanon__fraction_of(p->state->requirements->suppress, n_grouped + n_suppressed);
    KANON_TRY(list_classes(&class_of, p, err), out);
    while (n_suppressed > 0 && (n_grouped < p->state->k || (may >= 0 && n_suppressed > may))) {
        int64_t n = show_class(p, class_of);
        n_grouped += n;
        n_suppressed -= n;
    }
    if (n_grouped < p->state->k)
        st = fail_joint_k(p, err);
out:
    kanon__free(class_of);
    return st;
}

/* ---- groups that fell short of k --------------------------------------------------------------------------------- */

/* Step 4: the planned groups as clusters, numbered by rising group number. */
typedef struct group_merge {
    joint_plan *plan;
    kanon__space *space;
    kanon__clusters clusters;
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
    kanon_status st = KANON_OK;
    const kanon__subset *w = m->plan->subset;
    int64_t n_groups = 0;
    KANON_TRY(
        kanon__space_new(&m->space, &w->table->data, w->table->data.quasi, w->table->data.n_quasi, KANON__TERMS_LOSS, err),
        out);
    KANON_TRY(kanon__new_array(&m->numbers, w->n, "groups", err), out);
    KANON_TRY(kanon__new_array(&m->cluster_of, w->n, "groups", err), out);
    for (int64_t row = 0; row < w->n; row++)
        m->numbers[row] = m->plan->groups[row];
    qsort(m->numbers, (size_t)w->n, sizeof *m->numbers, kanon__compare_numbers);
    for (int64_t i = 0; i < w->n; i++)
        if (m->numbers[i] > 0 && (n_groups == 0 || m->numbers[i] != m->numbers[n_groups - 1]))
            m->numbers[n_groups++] = m->numbers[i];
    KANON_TRY(kanon__clusters_init(&m->clusters, m->space, n_groups, err), out);
    KANON_TRY(kanon__new_array(&m->into, n_groups, "groups", err), out);
    for (int64_t i = 0; i < n_groups; i++)
        m->into[i] = (int32_t)i;
    for (int64_t row = 0; row < w->n; row++) {
        int64_t group = m->plan->groups[row];
        m->cluster_of[row] = group > 0 ? (int32_t)index_in(m->numbers, n_groups, group) : -1;
        if (group > 0)
            kanon__clusters_join(&m->clusters, m->cluster_of[row], row);
    }
out:
    return st;
}

/* The cluster with which a merge of this one costs least; of equal ones the first. */
static int64_t cheapest_merge(const group_merge *m, int64_t cluster, kanon__bound *box)
{
    const kanon__clusters *c = &m->clusters;
    int64_t best = -1, least = 0, own = c->sizes[cluster] * kanon__box_units(m->space, kanon__clusters_box(c, cluster));
    for (int64_t other = 0; other < c->n; other++) {
        if (other == cluster || c->sizes[other] == 0)
            continue;
        for (int i = 0; i < 2 * m->space->n_dimensions; i++)
            box[i] = kanon__clusters_box(c, other)[i];
        int64_t before = own + c->sizes[other] * kanon__box_units(m->space, box);
        kanon__box_join(m->space, box, kanon__clusters_box(c, cluster));
        int64_t more = (c->sizes[cluster] + c->sizes[other]) * kanon__box_units(m->space, box) - before;
        if (best < 0 || more < least) {
            best = other;
            least = more;
        }
    }
    return best;
}

static kanon_status merge_short(group_merge *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__bound *box = NULL;
    kanon__clusters *c = &m->clusters;
    KANON_TRY(kanon__new_array(&box, 2 * m->space->n_dimensions, "a box", err), out);
    for (int64_t cluster = 0; cluster < c->n; cluster++) {
        while (c->sizes[cluster] > 0 && c->sizes[cluster] < m->plan->state->k) {
            int64_t to = cheapest_merge(m, cluster, box); /* there is one: at least k records are in groups */
            kanon__box_join(m->space, kanon__clusters_box(c, to), kanon__clusters_box(c, cluster));
            c->sizes[to] += c->sizes[cluster];
            c->sizes[cluster] = 0;
            m->into[cluster] = (int32_t)to;
            m->plan->result.n_merged++;
        }
    }
out:
    kanon__free(box);
    return st;
}

static kanon_status merge_groups(joint_plan *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    group_merge m = {.plan = p};
    KANON_TRY(list_clusters(&m, err), out);
    KANON_TRY(merge_short(&m, err), out);
    for (int64_t row = 0; row < p->subset->n; row++) {
        int32_t cluster = m.cluster_of[row];
        if (cluster < 0)
            continue;
        while (m.into[cluster] != cluster)
            cluster = m.into[cluster];
        p->groups[row] = m.numbers[cluster];
    }
out:
    kanon__free(m.into);
    kanon__free(m.cluster_of);
    kanon__free(m.numbers);
    kanon__clusters_clear(&m.clusters);
    kanon__space_free(m.space);
    return st;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* Step 5. The table has rows that are withheld, so it is built anew. */
static kanon_status withhold(joint_plan *p, kanon_error *err)
{
    kanon__subset *w = p->subset;
    int64_t n = 0;
    for (int64_t row = 0; row < w->n; row++) {
        if (p->groups[row] == WITHHELD)
            continue;
        w->ids[n] = w->ids[row];
        w->groups[n++] = p->groups[row];
    }
    if (n == w->n)
        return KANON_OK; /* the groups may have changed, the table has not */
    w->n = n;
    kanon_table_free(w->table);
    kanon_schema_free(w->schema);
    w->table = NULL;
    w->schema = NULL;
    return kanon__subset_read_table(w, p->state, err);
}

/* Whether the records in groups satisfy the constraints as one group: then merging groups is enough. */
static kanon_status groups_can_hold(bool *out, const kanon__constraints *constraints, const kanon_grouping *g,
                                    kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tally tally = {0};
    KANON_TRY(kanon__tally_init(&tally, constraints, err), out);
    for (int64_t row = 0; row < g->n_rows; row++)
        if (g->group_of[row] >= 0)
            KANON_TRY(kanon__tally_add(&tally, row, err), out);
    *out = kanon__tally_holds(&tally);
out:
    kanon__tally_clear(&tally);
    return st;
}

/* Step 6. Where the records in groups do not suffice, the suppressed ones are shown, too, all of them: parts of classes stay
 * whole. */
static kanon_status merge_violating(joint_plan *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__subset *w = p->subset;
    kanon__constraints *constraints = NULL;
    kanon__space *space = NULL;
    int64_t *numbers = NULL;
    kanon_grouping *g = NULL;
    kanon__ticker ticker;
    bool holds = true;
    KANON_TRY(kanon__subset_constraints(&constraints, w, p->state, err), out);
    if (constraints == NULL)
        goto out;
    KANON_TRY(kanon__subset_grouping(&g, w, p->state, err), out);
    KANON_TRY(kanon__constraints_hold(&holds, NULL, constraints, g->group_of, g->n_groups, err), out);
    if (holds)
        goto out;
    st = kanon__constraints_check_feasible(constraints, err);
    if (st != KANON_OK) {
        kanon__hint(err, st, "too many records would have to wait: ask for smaller joint classes, or wait for more records");
        kanon__topic(err, st, "joint-k");
        goto out;
    }
    KANON_TRY(groups_can_hold(&holds, constraints, g, err), out);
    for (int64_t row = 0; !holds && row < w->n; row++)
        if (g->group_of[row] < 0) {
            g->group_of[row] = 0;
            p->result.n_moved++;
        }
    kanon__ticker_init(&ticker, p->state->tick, p->state->payload, "regrouping");
    KANON_TRY(
        kanon__space_new(&space, &w->table->data, w->table->data.quasi, w->table->data.n_quasi, KANON__TERMS_LOSS, err),
        out);
    kanon__run run = {.table = &w->table->data,
                      .policy = &w->table->policy,
                      .may_suppress = kanon__fraction_of(w->table->policy.suppress, w->table->data.n_rows),
                      .space = space,
                      .k = p->state->k,
                      .threads = 1,
                      .constraints = constraints,
                      .ticker = &ticker,
                      .group_of = g->group_of,
                      .n_groups = (int32_t)g->n_groups};
    KANON_TRY(kanon__repair(&run, 0, true, err), out);
    KANON_TRY(kanon__number_groups(&numbers, w, p->state, run.group_of, run.n_groups, err), out);
    p->result.n_merged += g->n_groups - run.n_groups;
    for (int64_t row = 0; row < w->n; row++)
        w->groups[row] = run.group_of[row] >= 0 ? numbers[run.group_of[row]] : 0;
out:
    kanon__free(numbers);
    kanon_grouping_free(g);
    kanon__space_free(space);
    kanon__constraints_free(constraints);
    return st;
}

kanon_status kanon__joint_plan(kanon__subset *subset, kanon_state *s, int64_t joint_k, kanon__joint_result *out,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    joint_plan p = {.state = s, .subset = subset, .joint_k = joint_k};
    *out = (kanon__joint_result){0};
    if (s->entity >= 0) {
        st = kanon__fail(err, KANON_EINVAL, "joint classes are made of records, and this state holds groups of entities");
        kanon__hint(err, st, "release without a size of joint classes; an audit counts the entities in them");
        return kanon__topic(err, st, "joint-entities");
    }
    KANON_TRY(kanon__traces_load(&p.traces, s, subset, false, err), out);
    KANON_TRY(kanon__new_array(&p.groups, subset->n, "groups", err), out);
    KANON_TRY(kanon__new_array(&p.members, subset->n, "records", err), out);
    for (int64_t row = 0; row < subset->n; row++)
        p.groups[row] = subset->groups[row];
    KANON_TRY(plan_classes(&p, err), out);
    KANON_TRY(show_suppressed(&p, err), out);
    KANON_TRY(merge_groups(&p, err), out);
    KANON_TRY(withhold(&p, err), out);
    KANON_TRY(merge_violating(&p, err), out);
    *out = p.result;
out:
    kanon__free(p.members);
    kanon__free(p.groups);
    kanon__traces_clear(&p.traces);
    return st;
}
