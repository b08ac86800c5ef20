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
 * Suppressed records are absent, too: of records that must be absent they come first. Where there are entities, all
 * sizes are numbers of entities: of each entity that is missing in a part one record is enough. Where the records of an
 * entity stay together none of them moves alone; step 4 joins whole groups.
 *
 *     1. For each class: withhold as above, from the smallest parts; records of a part short of K join the class's
 *        largest part.
 *     2. New records: groups of their own where they are enough; else they join the largest part, or wait (plan_new).
 *     3. Show suppressed records in groups where too few records are left in groups, or the share of suppressed ones has
 *        become too large: all of a class at once, so no part of it becomes too small (show_suppressed).
 *     4. Merge groups that fell short of k by this with the group that costs least (joint_merge.c).
 *     5. Take the withheld records out of the subset (withhold).
 *     6. Merge groups that now violate a constraint; a merge makes no joint class smaller (merge_violating). */
#include "state/maintain/joint_plan.h"
#include "core/alloc.h"
#include "core/sort.h"
#include "core/ticker.h"
#include "enforce/repair.h"
#include "model/clusters.h"
#include "state/maintain/drift.h"
#include "state/maintain/enforce_constraints.h"
#include "state/store/state_requirements.h"

#include <stdlib.h>
#include <string.h>

kanon_status kanon__joint_fail(const kanon__joint_planned *p, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINFEASIBLE, "no release keeps joint classes of %lld %s", (long long)p->joint_k,
                                  p->state->entity >= 0 ? "entities" : "records");
    kanon__hint(err, st, "wait for more records, or ask for smaller joint classes");
    return kanon__topic(err, st, "joint-k");
}

/* ---- entities ---------------------------------------------------------------------------------------------------- */

static int64_t add_members(kanon__joint_planned *p, const kanon__class_member *members, int64_t n)
{
    int64_t n_new = 0;
    for (int64_t i = 0; i < n; i++)
        n_new += kanon__set_add(p, members[i].entity);
    return n_new;
}

static kanon__class_member member_of(const kanon__joint_planned *p, int64_t row)
{
    return (kanon__class_member){.row = row, .group = p->groups[row], .entity = p->entities[row]};
}

static int64_t count_entities(kanon__joint_planned *p, const kanon__class_member *members, int64_t n)
{
    kanon__set_begin(p);
    return add_members(p, members, n);
}

/* A hash, and whose it is: a row of the subset, or a departed trace behind them. */
typedef struct entity_hash {
    uint64_t hash;
    int64_t *number;
} entity_hash;

static int by_hash(const void *left, const void *right)
{
    const entity_hash *a = left, *b = right;
    return a->hash < b->hash ? -1 : a->hash > b->hash;
}

/* Numbers the entities from 0. */
static kanon_status number_entities(kanon__joint_planned *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    entity_hash *all = NULL;
    int64_t n = 0, n_entities = 0;
    const kanon__traces *t = &p->traces;
    KANON_TRY(kanon__new_array(&p->entities, p->n, "entities", err), out);
    KANON_TRY(kanon__new_array(&p->departed, t->n, "entities", err), out);
    KANON_TRY(kanon__new_array(&all, p->n + t->n, "entities", err), out);
    for (int64_t row = 0; row < p->n; row++)
        all[n++] = (entity_hash){t->entities[row], &p->entities[row]};
    for (int64_t i = 0; i < t->n; i++)
        if (t->items[i].row < 0)
            all[n++] = (entity_hash){t->items[i].entity, &p->departed[i]};
    KANON_TRY(kanon__sort(all, n, sizeof *all, by_hash, err), out);
    for (int64_t i = 0; i < n; i++) {
        n_entities += i == 0 || all[i].hash != all[i - 1].hash;
        *all[i].number = n_entities - 1;
    }
    KANON_TRY(kanon__new_array(&p->seen, n_entities, "entities", err), out);
    KANON_TRY(kanon__new_array(&p->times, n_entities, "entities", err), out);
out:
    kanon__free(all);
    return st;
}

/* ---- parts of a class -------------------------------------------------------------------------------------------- */

static int by_group(const void *left, const void *right)
{
    const kanon__class_member *a = left, *b = right;
    if (a->group != b->group)
        return a->group < b->group ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int by_part(const void *left, const void *right)
{
    const kanon__class_member *a = left, *b = right;
    if (a->part != b->part)
        return a->part < b->part ? -1 : 1;
    return by_group(left, right);
}

/* Counts the parts, and sorts members of small parts first: they are withheld first, since parts short of K must move
 * anyway. */
static void count_parts(kanon__joint_planned *p, kanon__class_member *members, int64_t n)
{
    qsort(members, (size_t)n, sizeof *members, by_group);
    for (int64_t i = 0; i < n;) {
        int64_t end = i;
        while (end < n && members[end].group == members[i].group)
            end++;
        int64_t part = count_entities(p, members + i, end - i);
        for (int64_t j = i; j < end; j++)
            members[j].part = part;
        i = end;
    }
    qsort(members, (size_t)n, sizeof *members, by_part);
}

/* The group with most of them, apart from the suppressed; of equal ones the lowest number. */
static int64_t main_group(const kanon__class_member *members, int64_t n)
{
    int64_t best = 0, most = 0;
    for (int64_t i = 0; i < n; i++)
        if (members[i].group > 0 && (members[i].part > most || (members[i].part == most && members[i].group < best))) {
            most = members[i].part;
            best = members[i].group;
        }
    return best;
}

static void assign_group(kanon__joint_planned *p, const kanon__class_member *who, int64_t group)
{
    p->result.n_moved += group != who->group && group != KANON__WITHHELD;
    p->result.n_withheld += group == KANON__WITHHELD;
    p->groups[who->row] = group;
}

/* Suppressed members that must be shown so that the group `to` has `least` entities of the class: some of them, or all where
 * too few would stay behind. The entities that it has are those of the set at hand, n_joined. */
static void join_some_suppressed(kanon__joint_planned *p, const kanon__class_member *members, int64_t n, int64_t to,
                                 int64_t n_joined, int64_t least)
{
    int64_t n_left = 0, end = 0;
    for (; end < n && n_joined < least; end++)
        if (members[end].group == 0)
            n_joined += kanon__set_add(p, members[end].entity);
    kanon__set_begin(p);
    for (int64_t i = end; i < n; i++)
        if (members[i].group == 0)
            n_left += kanon__set_add(p, members[i].entity);
    if (n_left < least)
        end = n;
    for (int64_t i = 0; i < end; i++)
        if (members[i].group == 0)
            assign_group(p, &members[i], to);
}

/* Members of parts short of `least` join the largest part. Where that is too small even then, all others of the class are
 * suppressed, and at least `least`: some of them join, or all where too few would stay behind. */
static void join_small_parts(kanon__joint_planned *p, kanon__class_member *members, int64_t n, int64_t least)
{
    count_parts(p, members, n);
    int64_t to = main_group(members, n), n_joined = 0;
    if (to == 0 || p->together)
        return;
    kanon__set_begin(p);
    for (int64_t i = 0; i < n; i++)
        if (members[i].group == to || members[i].part < least) {
            assign_group(p, &members[i], to);
            n_joined += kanon__set_add(p, members[i].entity);
        }
    if (n_joined < least && least < INT64_MAX) {
        int64_t n_suppressed = 0;
        for (int64_t i = 0; i < n; i++)
            if (members[i].group == 0 && members[i].part >= least)
                members[n_suppressed++] = members[i];
        join_some_suppressed(p, members, n_suppressed, to, n_joined, least);
    }
}

/* ---- records that were released ---------------------------------------------------------------------------------- */

/* Withholds a record each of `needed` entities that are not in the set at hand: first of entities that have others of
 * the class, which stay. Returns how many members are left, which come first. */
static int64_t withhold_some(kanon__joint_planned *p, kanon__class_member *members, int64_t n, int64_t needed)
{
    for (int64_t i = 0; i < n; i++)
        p->times[members[i].entity] = 0;
    for (int64_t i = 0; i < n; i++)
        p->times[members[i].entity]++;
    for (int often = 1; often >= 0; often--) {
        int64_t n_left = 0;
        for (int64_t i = 0; i < n; i++)
            if (needed > 0 && (often == 0 || p->times[members[i].entity] > 1) && kanon__set_add(p, members[i].entity)) {
                assign_group(p, &members[i], KANON__WITHHELD);
                needed--;
            } else
                members[n_left++] = members[i];
        n = n_left;
    }
    return n;
}

/* The suppressed members come last, where they stay behind if they are absent. Returns how many others there are. */
static int64_t set_suppressed_apart(kanon__class_member *members, int64_t n)
{
    int64_t n_grouped = 0;
    for (int64_t i = 0; i < n; i++)
        if (members[i].group != 0) {
            kanon__class_member other = members[n_grouped];
            members[n_grouped++] = members[i];
            members[i] = other;
        }
    return n_grouped;
}

static void withhold_all(kanon__joint_planned *p, const kanon__class_member *members, int64_t n)
{
    for (int64_t i = 0; i < n; i++)
        assign_group(p, &members[i], KANON__WITHHELD);
}

/* The entities of the class that have departed begin the set at hand. */
static int64_t add_departed(kanon__joint_planned *p, const int64_t *gone, int64_t n_gone)
{
    int64_t n = 0;
    kanon__set_begin(p);
    for (int64_t i = 0; i < n_gone; i++)
        n += kanon__set_add(p, p->departed[gone[i]]);
    return n;
}

/* Too few of the class are in groups, `n_grouped` members, and none is withheld; the others are suppressed and absent.
 * Returns how many members are shown if some of these are, too; 0: then too few would be absent. */
static int64_t show_some(kanon__joint_planned *p, kanon__class_member *members, int64_t n_grouped, int64_t n,
                         const int64_t *gone, int64_t n_gone)
{
    int64_t n_entities = count_entities(p, members, n_grouped), end = n_grouped;
    for (; end < n && n_entities < p->joint_k; end++)
        n_entities += kanon__set_add(p, members[end].entity);
    int64_t n_absent = add_departed(p, gone, n_gone);
    n_absent += add_members(p, members + end, n - end);
    return n_entities >= p->joint_k && n_absent >= p->joint_k ? end : 0;
}

/* A class with departed members: enough others are absent, too, and enough are left, or none. */
static void plan_divided_class(kanon__joint_planned *p, int64_t n, const int64_t *gone, int64_t n_gone)
{
    kanon__class_member *members = p->members;
    count_parts(p, members, n);
    int64_t n_grouped = set_suppressed_apart(members, n), n_shown = n_grouped;
    int64_t n_absent = add_departed(p, gone, n_gone);
    n_absent += add_members(p, members + n_grouped, n - n_grouped);
    if (n_absent < p->joint_k)
        n_shown = withhold_some(p, members, n_grouped, p->joint_k - n_absent);
    if (n_shown > 0 && count_entities(p, members, n_shown) < p->joint_k) {
        bool may_show = n_shown == n_grouped && !p->together;
        int64_t n_more = may_show ? show_some(p, members, n_grouped, n, gone, n_gone) : 0;
        if (n_more == 0)
            withhold_all(p, members, n_shown);
        n_shown = n_more;
    }
    join_small_parts(p, members, n_shown, p->joint_k);
}

/* Nobody has departed: nobody has to be absent. */
static void plan_whole_class(kanon__joint_planned *p, int64_t n)
{
    kanon__class_member *members = p->members;
    int64_t n_grouped = set_suppressed_apart(members, n);
    int64_t n_suppressed = count_entities(p, members + n_grouped, n - n_grouped);
    if (n_suppressed < p->joint_k || count_entities(p, members, n_grouped) < p->joint_k)
        n_grouped = n_grouped > 0 ? n : 0; /* too few to be absent alone, or too few who are not */
    join_small_parts(p, members, n_grouped, p->joint_k);
}

static void plan_class(kanon__joint_planned *p, int64_t class_of, int64_t n, const int64_t *gone, int64_t n_gone)
{
    if (p->traces.sizes[class_of] < p->joint_k) { /* it was too small before; at least it is not divided further */
        p->result.n_below += p->traces.records[class_of];
        join_small_parts(p, p->members, n, INT64_MAX);
    } else if (n_gone > 0)
        plan_divided_class(p, n, gone, n_gone);
    else
        plan_whole_class(p, n);
}

/* ---- records that were never released ---------------------------------------------------------------------------- */

/* Rows that the algorithm would suppress join the group that costs least: nobody waits who can be shown. Where it suppresses
 * all, they are one group. */
static kanon_status join_suppressed(const kanon__joint_planned *p, const int32_t *rows, int64_t n, int32_t *group_of,
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

static kanon_status make_own_groups(kanon__joint_planned *p, const kanon__class_member *members, int64_t n,
                                    int64_t least, kanon_error *err)
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

/* Those that are suppressed and absent stay so. With entities, groups of their own may have enough records of too few
 * entities; they are joined in step 4. */
static kanon_status plan_new(kanon__joint_planned *p, kanon_error *err)
{
    int64_t n = 0, n_small = 0, k = p->joint_k, least = k > p->state->k ? k : p->state->k;
    for (int64_t i = 0; i < p->traces.n_new; i++) {
        int64_t row = p->traces.new_rows[i];
        if (p->groups[row] != 0)
            p->members[n++] = member_of(p, row);
    }
    count_parts(p, p->members, n);
    while (n_small < n && p->members[n_small].part < k)
        n_small++;
    if (!p->together && count_entities(p, p->members, n_small) >= least)
        return make_own_groups(p, p->members, n_small, least, err);
    if (count_entities(p, p->members, n) >= k)
        join_small_parts(p, p->members, n, k);
    else
        withhold_all(p, p->members, n);
    return KANON_OK;
}

/* ---- all classes ------------------------------------------------------------------------------------------------- */

static int by_class(const void *left, const void *right)
{
    const kanon__trace *const *a = left, *const *b = right;
    if ((*a)->class_of != (*b)->class_of)
        return (*a)->class_of < (*b)->class_of ? -1 : 1;
    if ((*a)->row != (*b)->row)
        return (*a)->row < (*b)->row ? -1 : 1;
    return (*a)->record < (*b)->record ? -1 : (*a)->record > (*b)->record;
}

static kanon_status plan_classes(kanon__joint_planned *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__trace **order = NULL;
    int64_t n = p->traces.n, *gone = NULL;
    KANON_TRY(kanon__new_array(&order, n, "joint classes", err), out);
    KANON_TRY(kanon__new_array(&gone, n, "joint classes", err), out);
    for (int64_t i = 0; i < n; i++)
        order[i] = &p->traces.items[i];
    KANON_TRY(kanon__sort(order, n, sizeof *order, by_class, err), out);
    for (int64_t i = 0; i < n;) {
        int64_t class_of = order[i]->class_of, n_members = 0, n_gone = 0;
        for (; i < n && order[i]->class_of == class_of; i++) {
            int64_t row = order[i]->row;
            if (row >= 0)
                p->members[n_members++] = member_of(p, row);
            else
                gone[n_gone++] = order[i] - p->traces.items;
        }
        plan_class(p, class_of, n_members, gone, n_gone);
    }
    KANON_TRY(plan_new(p, err), out);
out:
    kanon__free(gone);
    kanon__free(order);
    return st;
}

/* ---- suppressed records that must be shown ----------------------------------------------------------------------- */

/* Whether too few of the class would be absent if its suppressed records were shown: departed and withheld ones. */
static bool would_divide(kanon__joint_planned *p, int64_t class_of)
{
    int64_t n = 0;
    if (class_of == KANON__NEW_CLASS || p->traces.sizes[class_of] < p->joint_k)
        return false;
    kanon__set_begin(p);
    for (int64_t i = 0; i < p->traces.n; i++) {
        const kanon__trace *t = &p->traces.items[i];
        if (t->class_of == class_of && (t->row < 0 || p->groups[t->row] == KANON__WITHHELD))
            n += kanon__set_add(p, t->row < 0 ? p->departed[i] : p->entities[t->row]);
    }
    return n > 0 && n < p->joint_k;
}

/* The suppressed records of one class are shown: in a group of their own, which is merged with others where it is short of
 * k, or, where they are too few, with most of their class. Returns how many they are; 0: it is not possible. */
static int64_t show_class(kanon__joint_planned *p, int64_t class_of)
{
    int64_t n = 0, n_shown = 0;
    if (would_divide(p, class_of))
        return 0;
    for (int64_t row = 0; row < p->n; row++)
        if (p->class_of[row] == class_of && p->groups[row] > 0)
            p->members[n_shown++] = member_of(p, row);
    count_parts(p, p->members, n_shown);
    int64_t to = main_group(p->members, n_shown);
    kanon__set_begin(p);
    for (int64_t row = 0; row < p->n; row++)
        n += p->class_of[row] == class_of && p->groups[row] == 0 && kanon__set_add(p, p->entities[row]);
    if (n >= p->joint_k)
        to = p->state->next_group++;
    else if (to == 0)
        return 0;
    n = 0;
    for (int64_t row = 0; row < p->n; row++)
        if (p->class_of[row] == class_of && p->groups[row] == 0) {
            p->groups[row] = to;
            n++;
        }
    p->result.n_moved += n;
    return n;
}

/* Step 3, and all classes of suppressed records that can be shown if `all`. */
static kanon_status show_suppressed(kanon__joint_planned *p, bool all, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool *tried = NULL;
    int64_t n_grouped = 0, n_suppressed = 0;
    for (int64_t row = 0; row < p->n; row++) {
        n_grouped += p->groups[row] > 0;
        n_suppressed += p->groups[row] == 0;
    }
    int64_t may = kanon__fraction_of(p->state->requirements->suppress, n_grouped + n_suppressed);
    KANON_TRY(kanon__new_array(&tried, p->traces.n_classes + 1, "joint classes", err), out);
    for (int64_t row = 0; row < p->n; row++) {
        if (!all && n_grouped >= p->state->k && (may < 0 || n_suppressed <= may))
            break;
        if (p->groups[row] != 0 || tried[p->class_of[row] + 1])
            continue;
        tried[p->class_of[row] + 1] = true;
        int64_t n = show_class(p, p->class_of[row]);
        n_grouped += n;
        n_suppressed -= n;
    }
    if (n_grouped < p->state->k || (may >= 0 && n_suppressed > may))
        st = kanon__joint_fail(p, err);
out:
    kanon__free(tried);
    return st;
}

/* ---- the plan ---------------------------------------------------------------------------------------------------- */

/* The groups of the subset are those of the plan. */
static void set_groups(const kanon__joint_planned *p)
{
    for (int64_t row = 0; row < p->n; row++)
        if (p->at[row] >= 0)
            p->subset->groups[p->at[row]] = p->groups[row];
}

/* Step 5. The table has rows that are withheld, so it is built anew. */
static kanon_status withhold(kanon__joint_planned *p, kanon_error *err)
{
    kanon__subset *w = p->subset;
    int64_t n = 0;
    for (int64_t row = 0; row < p->n; row++) {
        p->at[row] = p->groups[row] == KANON__WITHHELD ? -1 : n;
        if (p->groups[row] != KANON__WITHHELD)
            w->ids[n++] = w->ids[row];
    }
    w->n = n;
    set_groups(p);
    if (n == p->n)
        return KANON_OK; /* the groups may have changed, the table has not */
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

/* No merge can help: the records that are shown cannot keep the constraints. */
static kanon_status fail_constraints(kanon_status st, kanon_error *err)
{
    kanon__hint(err, st, "too many records would have to wait: ask for smaller joint classes, or wait for more records");
    return kanon__topic(err, st, "joint-k");
}

/* The suppressed records are shown where that is possible, since those in groups cannot keep the constraints. */
static kanon_status show_more(kanon_grouping **g, kanon__joint_planned *p, const kanon__constraints *constraints,
                              kanon_error *err)
{
    bool holds;
    KANON_CHECK(show_suppressed(p, true, err));
    KANON_CHECK(kanon__joint_merge(p, err));
    set_groups(p);
    kanon_grouping_free(*g);
    *g = NULL;
    KANON_CHECK(kanon__subset_grouping(g, p->subset, p->state, err));
    KANON_CHECK(groups_can_hold(&holds, constraints, *g, err));
    if (!holds)
        return fail_constraints(kanon__fail(err, KANON_EINFEASIBLE, "the records that can be released violate a constraint"),
                                err);
    return KANON_OK;
}

/* Step 6. */
static kanon_status merge_violating(kanon__joint_planned *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__subset *w = p->subset;
    kanon__constraints *constraints = NULL;
    kanon__space *space = NULL;
    int64_t *numbers = NULL, n_before;
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
        fail_constraints(st, err);
        goto out;
    }
    KANON_TRY(groups_can_hold(&holds, constraints, g, err), out);
    if (!holds)
        KANON_TRY(show_more(&g, p, constraints, err), out);
    n_before = g->n_groups;
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
    p->result.n_merged += n_before - run.n_groups;
    for (int64_t row = 0; row < p->n; row++)
        if (p->at[row] >= 0)
            p->groups[row] = run.group_of[p->at[row]] >= 0 ? numbers[run.group_of[p->at[row]]] : 0;
    set_groups(p);
out:
    kanon__free(numbers);
    kanon_grouping_free(g);
    kanon__space_free(space);
    kanon__constraints_free(constraints);
    return st;
}

static kanon_status plan_init(kanon__joint_planned *p, kanon_error *err)
{
    const kanon__subset *w = p->subset;
    p->n = w->n;
    p->together = kanon__entities_stay_together(p->state);
    KANON_CHECK(kanon__traces_load(&p->traces, p->state, w, err));
    KANON_CHECK(kanon__new_array(&p->at, p->n, "groups", err));
    KANON_CHECK(kanon__new_array(&p->groups, p->n, "groups", err));
    KANON_CHECK(kanon__new_array(&p->class_of, p->n, "joint classes", err));
    KANON_CHECK(kanon__new_array(&p->members, p->n, "records", err));
    KANON_CHECK(number_entities(p, err));
    for (int64_t row = 0; row < p->n; row++) {
        p->at[row] = row;
        p->groups[row] = w->groups[row];
        p->class_of[row] = KANON__NEW_CLASS;
    }
    for (int64_t i = 0; i < p->traces.n; i++)
        if (p->traces.items[i].row >= 0)
            p->class_of[p->traces.items[i].row] = p->traces.items[i].class_of;
    return KANON_OK;
}

kanon_status kanon__joint_plan(kanon__subset *subset, kanon_state *s, int64_t joint_k, kanon__joint_result *out,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__joint_planned p = {.state = s, .subset = subset, .joint_k = joint_k};
    *out = (kanon__joint_result){0};
    KANON_TRY(plan_init(&p, err), out);
    KANON_TRY(plan_classes(&p, err), out);
    KANON_TRY(show_suppressed(&p, false, err), out);
    KANON_TRY(kanon__joint_merge(&p, err), out);
    KANON_TRY(withhold(&p, err), out);
    KANON_TRY(merge_violating(&p, err), out);
    if (s->entity >= 0)
        KANON_TRY(kanon__joint_check(&p, err), out);
    *out = p.result;
out:
    kanon__free(p.times);
    kanon__free(p.seen);
    kanon__free(p.departed);
    kanon__free(p.entities);
    kanon__free(p.members);
    kanon__free(p.class_of);
    kanon__free(p.groups);
    kanon__free(p.at);
    kanon__traces_clear(&p.traces);
    return st;
}
