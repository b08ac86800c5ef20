/* Groups that show the same in all quasi columns are one class, which must have k records and satisfy the constraints. */
#include "verify/arrow_check.h"

#include "core/alloc.h"
#include "verify/verify.h"

static bool are_equal(const kanon__arrow_check *c, int64_t group, int64_t other)
{
    for (int i = 0; i < c->n_fields; i++)
        if (c->fields[i].quasi >= 0 && !kanon__quasi_equal(&c->fields[i], group, other))
            return false;
    return true;
}

static uint64_t hash_of(const kanon__arrow_check *c, int64_t group, const kanon__hash_key *key)
{
    uint64_t hash = 0;
    for (int i = 0; i < c->n_fields; i++)
        if (c->fields[i].quasi >= 0)
            hash = kanon__quasi_hash(&c->fields[i], group, key, hash);
    return hash;
}

/* By group, the number of its class; *n becomes how many there are. Groups are found again in an open-addressing table of
 * their numbers plus one, each with the upper half of its hash. */
static kanon_status number_classes(const kanon__arrow_check *c, int32_t *class_of_group, int64_t *n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint64_t *slots = NULL, n_slots = 16;
    const uint64_t half = UINT32_MAX;
    kanon__hash_key key;
    kanon__hash_key_draw(&key);
    while (n_slots < 2 * (uint64_t)c->claim->n_groups)
        n_slots *= 2;
    KANON_TRY(kanon__new_array(&slots, (int64_t)n_slots, "the check of the release", err), out);
    for (int64_t group = 0; group < c->claim->n_groups; group++) {
        uint64_t hash = hash_of(c, group, &key), at = hash & (n_slots - 1);
        while (slots[at] != 0 && ((slots[at] & ~half) != (hash & ~half) ||
                                  !are_equal(c, group, (int64_t)(slots[at] & half) - 1)))
            at = (at + 1) & (n_slots - 1);
        if (slots[at] == 0) {
            slots[at] = (hash & ~half) | (uint64_t)(group + 1);
            class_of_group[group] = (int32_t)(*n)++;
        } else {
            class_of_group[group] = class_of_group[(slots[at] & half) - 1];
        }
    }
out:
    kanon__free(slots);
    return st;
}

kanon_status kanon__check_classes(const kanon__arrow_check *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__arrow_claim *claim = c->claim;
    int32_t *class_of_group = NULL, *class_of = NULL;
    int64_t n_classes = 0, n = c->table->data.n_rows;
    KANON_TRY(kanon__new_array(&class_of_group, claim->n_groups, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&class_of, n, "the check of the release", err), out);
    KANON_TRY(number_classes(c, class_of_group, &n_classes, err), out);
    for (int64_t row = 0; row < n; row++)
        class_of[row] = claim->group_of[row] < 0 ? -1 : class_of_group[claim->group_of[row]];
    KANON_TRY(kanon__verify_grouping(&c->table->data, class_of, n_classes, claim->k, err), out);
    KANON_TRY(kanon__verify_privacy(&c->table->data, &c->table->policy, class_of, n_classes, claim->k, err), out);
out:
    kanon__free(class_of);
    kanon__free(class_of_group);
    return st;
}
