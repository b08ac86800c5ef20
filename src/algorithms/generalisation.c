/* See generalisation.h: applying cuts to the distinct tuples. Classes are found by hashing the first codes of the
 * ranges; cost O(attributes * tuples) for each set of cuts, which is what the searches pay for each candidate. */
#include "algorithms/generalisation.h"

#include "core/alloc.h"

#include <math.h>
#include <string.h>

void kanon__cut_join(kanon__bound *cut, uint32_t first, uint32_t last)
{
    for (uint32_t code = first; code <= last; code++) {
        cut[2 * (size_t)code] = first;
        cut[2 * (size_t)code + 1] = last;
    }
}

kanon_status kanon__generalisation_init(kanon__generalisation *out, const kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__generalisation g = {.run = run, .space = run->space, .constraints = run->constraints, .n_slots = 16};
    g.most_suppressed = run->may_suppress > 0 ? run->may_suppress : 0;
    /* Constraints are monotone: a union of classes that satisfy them satisfies them, unless the classes share entities,
     * which then count once. But the union with a suppressed class, which violates them, may violate them. */
    g.rises = run->constraints == NULL || kanon__constraints_grow(run->constraints) ||
              (g.most_suppressed == 0 && !run->table->has_entity);
    for (int i = 0; i < g.space->n_dimensions; i++)
        g.full += g.space->dimensions[i].full;
    KANON_TRY(kanon__tuples_new(&g.tuples, g.space, err), out);
    kanon__hash_key_draw(&g.key);
    while (g.n_slots < 2 * (uint64_t)g.tuples->n)
        g.n_slots *= 2;
    KANON_TRY(kanon__new_array(&g.class_of, g.tuples->n, "classes", err), out);
    KANON_TRY(kanon__new_array(&g.classes, g.tuples->n, "classes", err), out);
    KANON_TRY(kanon__new_array(&g.begins, g.tuples->n + 2, "classes", err), out);
    KANON_TRY(kanon__new_array(&g.members, g.tuples->n, "classes", err), out);
    KANON_TRY(kanon__new_array(&g.order, g.tuples->n, "classes", err), out);
    for (int64_t tuple = 0; tuple < g.tuples->n; tuple++)
        g.order[tuple] = (int32_t)tuple;
    KANON_TRY(kanon__new_array(&g.slots, (int64_t)g.n_slots, "classes", err), out);
    *out = g;
    g = (kanon__generalisation){0};
out:
    kanon__generalisation_clear(&g);
    return st;
}

bool kanon__generalisation_leave_to_repair(kanon__generalisation *g)
{
    if (g->constraints == NULL || g->run->recode_maps != NULL) /* a mapping that is released cannot be repaired */
        return false;
    g->constraints = NULL;
    g->rises = true;
    return true;
}

void kanon__generalisation_clear(kanon__generalisation *g)
{
    kanon__free(g->slots);
    kanon__free(g->order);
    kanon__free(g->members);
    kanon__free(g->begins);
    kanon__free(g->classes);
    kanon__free(g->class_of);
    kanon__tuples_free(g->tuples);
}

/* Whether two tuples have equal ranges on every dimension. */
static bool look_equal(const kanon__generalisation *g, kanon__bound *const *cuts, const uint32_t *left,
                       const uint32_t *right)
{
    for (int i = 0; i < g->tuples->n_dimensions; i++)
        if (cuts[i][2 * (size_t)left[i]] != cuts[i][2 * (size_t)right[i]])
            return false;
    return true;
}

static uint64_t hash_of(const kanon__generalisation *g, kanon__bound *const *cuts, const uint32_t *codes)
{
    uint64_t hash = 0;
    for (int i = 0; i < g->tuples->n_dimensions; i++)
        hash = kanon__hash_next(&g->key, hash, (uint64_t)cuts[i][2 * (size_t)codes[i]]);
    return hash;
}

static uint32_t units_of(const kanon__generalisation *g, kanon__bound *const *cuts, const uint32_t *codes)
{
    uint32_t units = 0;
    for (int i = 0; i < g->space->n_dimensions; i++) {
        const kanon__bound *range = cuts[i] + 2 * (size_t)codes[i];
        units += kanon__dimension_units(&g->space->dimensions[i], range[0], range[1]);
    }
    return units;
}

/* The class of a tuple, a new one where no class has its ranges. Linear probing; there are twice as many slots as tuples. */
static int32_t find_class(kanon__generalisation *g, kanon__bound *const *cuts, int64_t tuple)
{
    const uint32_t *all = g->tuples->codes, *codes = all + tuple * g->tuples->n_dimensions;
    uint64_t mask = g->n_slots - 1, at = hash_of(g, cuts, codes) & mask;
    for (; g->slots[at] >= 0; at = (at + 1) & mask) {
        int64_t example = g->classes[g->slots[at]].example;
        if (look_equal(g, cuts, codes, all + example * g->tuples->n_dimensions))
            return g->slots[at];
    }
    g->classes[g->n_classes] = (kanon__class){.example = (int32_t)tuple};
    g->slots[at] = (int32_t)g->n_classes++;
    return g->slots[at];
}

/* ---- parts and classes ------------------------------------------------------------------------------------------- */

kanon_status kanon__part_add(kanon__part *part, const kanon__generalisation *g, int64_t tuple, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__constraints *constraints = g->constraints;
    part->size += kanon__tuple_size(g->tuples, tuple);
    if (constraints == NULL)
        return KANON_OK;
    if (part->tally.constraints == NULL)
        KANON_TRY(kanon__tally_init(&part->tally, constraints, err), out);
    for (int64_t i = g->tuples->begins[tuple]; i < g->tuples->begins[tuple + 1]; i++)
        KANON_TRY(kanon__tally_add(&part->tally, g->tuples->rows[i], err), out);
out:
    return st;
}

bool kanon__part_is_good(kanon__part *part, const kanon__generalisation *g)
{
    return part->size >= g->run->k && (g->constraints == NULL || kanon__tally_holds(&part->tally));
}

void kanon__part_clear(kanon__part *part)
{
    if (part->tally.constraints != NULL)
        kanon__tally_clear(&part->tally);
    part->size = 0;
}

/* A counting sort by class, stable in `order`. begins is shifted by one while it is filled. */
void kanon__generalisation_list(kanon__generalisation *g, const int32_t *order)
{
    memset(g->begins, 0, ((size_t)g->n_classes + 2) * sizeof *g->begins);
    for (int64_t tuple = 0; tuple < g->tuples->n; tuple++)
        g->begins[g->class_of[tuple] + 2]++;
    for (int64_t i = 0; i < g->n_classes; i++)
        g->begins[i + 2] += g->begins[i + 1];
    for (int64_t i = 0; i < g->tuples->n; i++)
        g->members[g->begins[g->class_of[order[i]] + 1]++] = order[i];
}

/* Of the classes that are large enough, find those that violate a constraint. */
static kanon_status check_classes(kanon__generalisation *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__part part = {0};
    kanon__generalisation_list(g, g->order);
    for (int64_t i = 0; i < g->n_classes; i++) {
        if (!g->classes[i].good)
            continue;
        for (int64_t place = g->begins[i]; place < g->begins[i + 1]; place++)
            KANON_TRY(kanon__part_add(&part, g, g->members[place], err), out);
        g->classes[i].good = kanon__part_is_good(&part, g);
        g->n_suppressed += g->classes[i].good ? 0 : part.size;
        kanon__part_clear(&part);
    }
out:
    kanon__part_clear(&part);
    return st;
}

/* Classes, then sizes, then (where the budget is not exceeded yet) constraints, then the loss. */
kanon_status kanon__generalisation_apply(kanon__generalisation *g, kanon__bound *const *cuts, kanon_error *err)
{
    kanon_status st = KANON_OK;
    memset(g->slots, 0xff, (size_t)g->n_slots * sizeof *g->slots);
    g->n_classes = g->loss = g->n_suppressed = 0;
    for (int64_t tuple = 0; tuple < g->tuples->n; tuple++) {
        g->class_of[tuple] = find_class(g, cuts, tuple);
        g->classes[g->class_of[tuple]].size += kanon__tuple_size(g->tuples, tuple);
    }
    for (int64_t i = 0; i < g->n_classes; i++) {
        g->classes[i].good = g->classes[i].size >= g->run->k;
        g->n_suppressed += g->classes[i].good ? 0 : g->classes[i].size;
    }
    if (g->constraints != NULL && g->n_suppressed <= g->most_suppressed)
        KANON_TRY(check_classes(g, err), out);
    for (int64_t i = 0; i < g->n_classes; i++) {
        kanon__class *c = &g->classes[i];
        c->units = units_of(g, cuts, g->tuples->codes + (int64_t)c->example * g->tuples->n_dimensions);
        g->loss += c->size * (c->good ? c->units : g->full);
    }
    g->feasible = g->n_suppressed <= g->most_suppressed;
out:
    return st;
}

static bool keeps_records(const kanon__generalisation *g)
{
    for (int64_t i = 0; i < g->n_classes; i++)
        if (g->classes[i].good)
            return true;
    return false;
}

/* A release without records is of no use, and one that shows nothing of them loses no more. */
kanon_status kanon__generalisation_finish(kanon__generalisation *g, kanon__run *run, kanon__bound *const *cuts,
                                          kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *number = NULL;
    KANON_TRY(kanon__generalisation_apply(g, cuts, err), out);
    if (!keeps_records(g)) {
        for (int i = 0; i < g->space->n_dimensions; i++)
            kanon__cut_join(cuts[i], 0, g->space->dimensions[i].n_codes - 1);
        KANON_TRY(kanon__generalisation_apply(g, cuts, err), out);
    }
    KANON_TRY(kanon__new_array(&number, g->n_classes, "groups", err), out);
    run->n_groups = 0;
    for (int64_t i = 0; i < g->n_classes; i++)
        number[i] = g->classes[i].good ? run->n_groups++ : KANON__SUPPRESSED;
    for (int64_t tuple = 0; tuple < g->tuples->n; tuple++)
        for (int64_t i = g->tuples->begins[tuple]; i < g->tuples->begins[tuple + 1]; i++)
            run->group_of[g->tuples->rows[i]] = number[g->class_of[tuple]];
    for (int i = 0; run->recode_maps != NULL && i < g->space->n_dimensions; i++)
        memcpy(run->recode_maps[i], cuts[i], 2 * (size_t)g->space->dimensions[i].n_codes * sizeof *cuts[i]);
out:
    kanon__free(number);
    return st;
}
