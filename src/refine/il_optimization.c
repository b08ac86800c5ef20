/* il-optimization: break up groups whose records are all covered by other groups.
 *
 * A group covers a record that it can take in without a change of its generalisation.
 *
 *   1. Find the groups all of whose records are covered by others.
 *   2. By falling loss: plan where each record goes, the covering group of least D; if the total loss falls and no
 *      constraint is violated, break the group up.
 *   3. Number the groups without gaps.
 *
 * Paper: Truta, Campan: k-anonymization incremental maintenance and optimization techniques, SAC 2007, section 4, figure 3.
 * Cost: for each record, a scan of groups / 64 words per attribute in the worst case; groups are sorted by rising D,
 * so the first one that covers is the best.
 * Ties: groups of equal loss by number.
 * Differences from the paper: none. A covering group's D does not change when a covered record joins, so the loss of a
 * break is known before anything is moved. Called through refinements.def; calls search/cover_index.h and the tallies. */
#include "refine/refinement.h"

#include "core/alloc.h"
#include "search/cover_index.h"

#include <stdlib.h>

/* A group. Its D and what it covers do not change until it is broken up. */
typedef struct covering_group {
    int32_t group;
    uint32_t units; /* D */
    int64_t loss;   /* IL at the beginning */
} covering_group;

typedef struct optimization {
    kanon__run *run;
    kanon__bound *covered;     /* by group: the first and last code that it covers on each dimension */
    covering_group *covers;    /* by rising D */
    int64_t *sizes;            /* by group; 0: broken */
    int32_t *first, *next;     /* the members of a group as a list, those of earlier breaks included */
    int32_t *members;          /* of the current group, ascending, */
    int32_t *targets;          /* and where each would go */
    kanon__cover_index *index; /* of the groups in the order of `covers` */
    int32_t *ranks;            /* by group: its rank in `covers` */
    kanon__tally *tallies;     /* by group; NULL: there are no constraints */
} optimization;

static int by_units(const void *left, const void *right)
{
    const covering_group *a = left, *b = right;
    if (a->units != b->units)
        return a->units < b->units ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

static int by_falling_loss(const void *left, const void *right)
{
    const covering_group *a = left, *b = right;
    if (a->loss != b->loss)
        return a->loss > b->loss ? -1 : 1;
    return a->group < b->group ? -1 : a->group > b->group;
}

/* From a box to what its generalisation covers. */
static void widen(const kanon__space *space, kanon__bound *box)
{
    for (int i = 0; i < space->n_dimensions; i++)
        kanon__covered_range(&space->dimensions[i], box[2 * i], box[2 * i + 1], &box[2 * i], &box[2 * i + 1]);
}

static bool covers(const kanon__space *space, const kanon__bound *covered, int64_t row)
{
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t code = kanon__code_at(space->dimensions[i].codes, row);
        if (code < covered[2 * i] || code > covered[2 * i + 1])
            return false;
    }
    return true;
}

static const kanon__bound *covered_by(const optimization *b, int64_t group)
{
    return b->covered + group * 2 * b->run->space->n_dimensions;
}

/* The unbroken group of least D, other than `own`, that covers the record; NULL where there is none. */
static const covering_group *find_cover(const optimization *b, int32_t own, int64_t row)
{
    for (int64_t i = 0;; i++) {
        i = kanon__cover_index_next(b->index, row, i);
        if (i < 0)
            return NULL;
        const covering_group *c = &b->covers[i];
        if (c->group != own && covers(b->run->space, covered_by(b, c->group), row))
            return c;
    }
}

static void add_member(optimization *b, int32_t group, int32_t row)
{
    b->next[row] = b->first[group];
    b->first[group] = row;
    b->sizes[group]++;
    b->run->group_of[row] = group;
}

static kanon_status list_groups(optimization *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__run *run = b->run;
    const kanon__space *space = run->space;
    int64_t n = space->n_rows, m = space->n_dimensions;
    KANON_TRY(kanon__new_array(&b->covered, run->n_groups * 2 * m, "groups", err), out);
    KANON_TRY(kanon__new_array(&b->covers, run->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&b->sizes, run->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&b->first, run->n_groups, "members", err), out);
    KANON_TRY(kanon__new_array(&b->next, n, "members", err), out);
    KANON_TRY(kanon__new_array(&b->members, n, "members", err), out);
    KANON_TRY(kanon__new_array(&b->targets, n, "moves", err), out);
    for (int32_t row = 0; row < n; row++) {
        int32_t group = run->group_of[row];
        if (group < 0)
            continue;
        if (b->sizes[group] == 0)
            kanon__box_start(space, b->covered + group * 2 * m, row);
        else
            kanon__box_add(space, b->covered + group * 2 * m, row);
        add_member(b, group, row);
    }
    for (int32_t group = 0; group < run->n_groups; group++) {
        uint32_t units = kanon__box_units(space, covered_by(b, group));
        b->covers[group] = (covering_group){group, units, units * b->sizes[group]};
        widen(space, b->covered + group * 2 * m);
    }
out:
    return st;
}

static kanon_status index_groups(optimization *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__space *space = b->run->space;
    int64_t n_groups = b->run->n_groups;
    qsort(b->covers, (size_t)n_groups, sizeof *b->covers, by_units);
    KANON_TRY(kanon__new_array(&b->ranks, n_groups, "groups", err), out);
    KANON_TRY(kanon__cover_index_new(&b->index, space, n_groups, err), out);
    for (int64_t rank = 0; rank < n_groups; rank++) {
        const kanon__bound *covered = covered_by(b, b->covers[rank].group);
        b->ranks[b->covers[rank].group] = (int32_t)rank;
        for (int i = 0; i < space->n_dimensions; i++)
            kanon__cover_index_add(b->index, rank, i, covered[2 * i], covered[2 * i + 1]);
    }
out:
    return st;
}

static int by_row(const void *left, const void *right)
{
    int32_t a = *(const int32_t *)left, b = *(const int32_t *)right;
    return a < b ? -1 : a > b;
}

static int64_t list_members(optimization *b, int32_t group)
{
    int64_t n = b->sizes[group];
    int32_t row = b->first[group];
    for (int64_t i = 0; i < n; i++, row = b->next[row])
        b->members[i] = row;
    qsort(b->members, (size_t)n, sizeof *b->members, by_row);
    return n;
}

/* ComputeOptimalBreak: where each record of the group would go, and what they would cost there. False where one is not
 * covered. */
static bool plan_break(optimization *b, int32_t group, int64_t n_members, int64_t *loss)
{
    *loss = 0;
    for (int64_t i = 0; i < n_members; i++) {
        const covering_group *found = find_cover(b, group, b->members[i]);
        if (found == NULL)
            return false;
        b->targets[i] = found->group;
        *loss += found->units;
    }
    return true;
}

/* Whether the target groups satisfy the constraints with all records of the plan; if so the tallies count them. */
static kanon_status join_tallies(optimization *b, int64_t n_members, bool *hold, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *hold = true;
    if (b->tallies == NULL)
        return KANON_OK;
    for (int64_t i = 0; i < n_members; i++)
        KANON_TRY(kanon__tally_add(&b->tallies[b->targets[i]], b->members[i], err), out);
    for (int64_t i = 0; i < n_members && *hold; i++)
        *hold = kanon__tally_holds(&b->tallies[b->targets[i]]);
    for (int64_t i = 0; i < n_members && !*hold; i++)
        kanon__tally_remove(&b->tallies[b->targets[i]], b->members[i]);
out:
    return st;
}

/* 2. */
static kanon_status break_if_better(optimization *b, const covering_group *c, kanon_error *err)
{
    int64_t n_members = list_members(b, c->group), loss;
    bool hold;
    if (!plan_break(b, c->group, n_members, &loss) || loss >= n_members * c->units)
        return KANON_OK;
    kanon_status st = join_tallies(b, n_members, &hold, err);
    if (st != KANON_OK || !hold)
        return st;
    b->sizes[c->group] = 0;
    kanon__cover_index_remove(b->index, b->ranks[c->group]);
    for (int64_t i = 0; i < n_members; i++)
        add_member(b, b->targets[i], b->members[i]);
    return KANON_OK;
}

static kanon_status init_tallies(optimization *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__run *run = b->run;
    if (run->constraints == NULL)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&b->tallies, run->n_groups, "groups", err), out);
    for (int32_t group = 0; group < run->n_groups; group++)
        KANON_TRY(kanon__tally_init(&b->tallies[group], run->constraints, err), out);
    for (int64_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] >= 0)
            KANON_TRY(kanon__tally_add(&b->tallies[run->group_of[row]], row, err), out);
out:
    return st;
}

/* 1. By falling loss. */
static kanon_status find_totally_covered(optimization *b, covering_group *totally, int64_t *n_totally, kanon_error *err)
{
    int64_t n_groups = b->run->n_groups;
    *n_totally = 0;
    for (int64_t i = 0; i < n_groups; i++) {
        int64_t n_members = list_members(b, b->covers[i].group), loss;
        if (plan_break(b, b->covers[i].group, n_members, &loss))
            totally[(*n_totally)++] = b->covers[i];
        kanon_status st = kanon__tick(b->run->ticker, i, 2 * n_groups, n_members * n_groups / 8, err);
        if (st != KANON_OK)
            return st;
    }
    qsort(totally, (size_t)*n_totally, sizeof *totally, by_falling_loss);
    return KANON_OK;
}

/* 3. */
static void renumber_groups(optimization *b)
{
    kanon__run *run = b->run;
    int32_t n_left = 0;
    for (int32_t group = 0; group < run->n_groups; group++)
        b->first[group] = b->sizes[group] > 0 ? n_left++ : -1;
    for (int64_t row = 0; row < run->space->n_rows; row++)
        if (run->group_of[row] >= 0)
            run->group_of[row] = b->first[run->group_of[row]];
    run->n_groups = n_left;
}

static kanon_status run_il_optimization(kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    optimization b = {.run = run};
    covering_group *totally = NULL;
    int64_t n_totally = 0;
    int32_t n_groups = run->n_groups;
    KANON_TRY(list_groups(&b, err), out);
    KANON_TRY(index_groups(&b, err), out);
    KANON_TRY(init_tallies(&b, err), out);
    KANON_TRY(kanon__new_array(&totally, run->n_groups, "groups", err), out);
    KANON_TRY(find_totally_covered(&b, totally, &n_totally, err), out);
    for (int64_t i = 0; i < n_totally; i++) {
        KANON_TRY(break_if_better(&b, &totally[i], err), out);
        KANON_TRY(kanon__tick(run->ticker, n_totally + i, 2 * n_totally, 50 * run->n_groups, err), out);
    }
    renumber_groups(&b);
out:
    for (int32_t group = 0; b.tallies != NULL && group < n_groups; group++)
        kanon__tally_clear(&b.tallies[group]);
    kanon__free(b.tallies);
    kanon__free(totally);
    kanon__cover_index_free(b.index);
    kanon__free(b.ranks);
    kanon__free(b.targets);
    kanon__free(b.members);
    kanon__free(b.next);
    kanon__free(b.first);
    kanon__free(b.sizes);
    kanon__free(b.covers);
    kanon__free(b.covered);
    return st;
}

static int64_t need(const kanon__settings *settings, const kanon__data *t, const kanon__constraints *constraints, int64_t k,
                    int threads)
{
    enum { LISTS = 12, NUMBERS = 16 }; /* bytes of a record; of a group, in addition to its cover and box */
    int64_t n_groups = t->n_rows / k, box = 2 * (int64_t)sizeof(kanon__bound) * t->n_quasi;
    (void)settings;
    (void)threads;
    return t->n_rows * LISTS + n_groups * (box + 2 * (int64_t)sizeof(covering_group) + NUMBERS) +
           kanon__cover_index_need(t, n_groups) + kanon__tallies_need(constraints, t->n_rows, k);
}

const kanon__refinement kanon__refinement_il_optimization = {
    .info = {.shown = {.struct_size = sizeof(kanon_entry),
                       .name = "il-optimization",
                       .brief = "break up groups whose records other groups cover anyway, where the loss falls",
                       .more = "Cheap and never harmful to information loss; groups become larger, so discernibility rises "
                               "a little.",
                       .source = "Truta, Campan: K-anonymization incremental maintenance and optimization techniques, SAC "
                                 "2007, section 4",
                       .revision = 2}},
    .run = run_il_optimization,
    .need = need,
};
