/* Which groups show the same in all quasi columns of an Arrow release; verify_classes.c checks what they are together. */
#include "verify/arrow_check.h"

#include "core/alloc.h"
#include "verify/verify.h"

/* The group after the last is that of suppressed records, which show nothing. */
static int64_t shown_group(const kanon__arrow_check *c, int64_t group)
{
    return group < c->claim->n_groups ? group : -1;
}

static bool are_equal(const void *payload, int64_t group, int64_t other)
{
    const kanon__arrow_check *c = payload;
    for (int i = 0; i < c->n_fields; i++)
        if (c->fields[i].quasi >= 0 && !kanon__quasi_equal(&c->fields[i], shown_group(c, group), shown_group(c, other)))
            return false;
    return true;
}

static uint64_t hash_of(const void *payload, int64_t group, const kanon__hash_key *key)
{
    const kanon__arrow_check *c = payload;
    uint64_t hash = 0;
    for (int i = 0; i < c->n_fields; i++)
        if (c->fields[i].quasi >= 0)
            hash = kanon__quasi_hash(&c->fields[i], shown_group(c, group), key, hash);
    return hash;
}

kanon_status kanon__check_classes(kanon__arrow_check *c, kanon_error *err)
{
    const kanon__group_look look = {.equal = are_equal, .hash = hash_of, .payload = c};
    const kanon__arrow_claim *claim = c->claim;
    int32_t *class_of_group = NULL;
    int64_t n_classes = 0;
    int64_t n_looks = claim->n_groups + kanon__verify_keeps(&c->table->data, &claim->requirement, claim->group_of);
    kanon_status st = kanon__number_classes(&class_of_group, &n_classes, n_looks, &look, err);
    for (int i = 0; i < c->n_fields; i++) /* the count of classes needs memory, too */
        kanon__quasi_clear(&c->fields[i]);
    if (st == KANON_OK)
        st = kanon__verify_classes(&c->table->data, &claim->requirement, claim->group_of, claim->n_groups, class_of_group,
                                   n_classes, err);
    kanon__free(class_of_group);
    return st;
}
