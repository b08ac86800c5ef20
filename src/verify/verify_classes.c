/* The independent check of what a release shows: groups that show the same in all quasi columns are one class, and the
 * classes must keep what is required; groups must have k records each. */
#include "verify/verify.h"

#include "core/alloc.h"

/* Groups are found again in an open-addressing table of their numbers plus one, each with the upper half of its hash. */
kanon_status kanon__number_classes(int32_t **out, int64_t *n, int64_t n_groups, const kanon__group_look *look,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *class_of_group = NULL;
    uint64_t *slots = NULL, n_slots = 16;
    const uint64_t half = UINT32_MAX;
    kanon__hash_key key;
    kanon__hash_key_draw(&key);
    *out = NULL;
    *n = 0;
    while (n_slots < 2 * (uint64_t)n_groups)
        n_slots *= 2;
    KANON_TRY(kanon__new_array(&class_of_group, n_groups, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&slots, (int64_t)n_slots, "the check of the release", err), out);
    for (int64_t group = 0; group < n_groups; group++) {
        uint64_t hash = look->hash(look->payload, group, &key), at = hash & (n_slots - 1);
        while (slots[at] != 0 && ((slots[at] & ~half) != (hash & ~half) ||
                                  !look->equal(look->payload, group, (int64_t)(slots[at] & half) - 1)))
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == 0) {
            slots[at] = (hash & ~half) | (uint64_t)(group + 1);
            class_of_group[group] = (int32_t)(*n)++;
        } else {
            class_of_group[group] = class_of_group[(slots[at] & half) - 1];
        }
    }
    *out = class_of_group;
    class_of_group = NULL;
out:
    kanon__free(slots);
    kanon__free(class_of_group);
    return st;
}

/* Groups that keep what is required may violate it together where nobody merged those that look alike, and that is no
 * defect: they look alike by their means, or are the caller's. */
static kanon_status explain(kanon_status st, const kanon__data *table, const kanon__requirement *r, const int32_t *group_of,
                            int64_t n_groups, kanon_error *err)
{
    if (st != KANON_EINTERNAL || !r->unmerged)
        return st;
    st = kanon__verify_requirement(table, r, group_of, n_groups, err);
    if (st != KANON_OK)
        return st;
    st = kanon__fail(err, KANON_EINFEASIBLE, "groups that look alike in this release violate a constraint together");
    return kanon__hint(err, st, "merge these groups, or release intervals where means are released");
}

kanon_status kanon__verify_classes(const kanon__data *table, const kanon__requirement *r, const int32_t *group_of,
                                   int64_t n_groups, const int32_t *class_of_group, int64_t n_classes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *class_of = NULL;
    int64_t n = table->n_rows;
    int32_t suppressed = kanon__verify_keeps(table, r, group_of) ? class_of_group[n_groups] : -1;
    kanon__requirement of_classes = *r;
    KANON_TRY(kanon__verify_grouping(table, group_of, n_groups, r->k, err), out);
    KANON_TRY(kanon__verify_budget(table, group_of, r->most_suppressed, err), out);
    KANON_TRY(kanon__new_array(&class_of, n, "the check of the release", err), out);
    for (int64_t row = 0; row < n; row++)
        class_of[row] = group_of[row] < 0 ? suppressed : class_of_group[group_of[row]];
    of_classes.most_suppressed = -1;
    st = kanon__verify_requirement(table, &of_classes, class_of, n_classes, err);
    st = explain(st, table, r, group_of, n_groups, err);
out:
    kanon__free(class_of);
    return st;
}
