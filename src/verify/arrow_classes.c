/* Which groups show the same in all quasi columns of an Arrow release; verify_classes.c checks what they are together. */
#include "verify/arrow_check.h"

#include "verify/verify.h"

static bool are_equal(const void *payload, int64_t group, int64_t other)
{
    const kanon__arrow_check *c = payload;
    for (int i = 0; i < c->n_fields; i++)
        if (c->fields[i].quasi >= 0 && !kanon__quasi_equal(&c->fields[i], group, other))
            return false;
    return true;
}

static uint64_t hash_of(const void *payload, int64_t group, const kanon__hash_key *key)
{
    const kanon__arrow_check *c = payload;
    uint64_t hash = 0;
    for (int i = 0; i < c->n_fields; i++)
        if (c->fields[i].quasi >= 0)
            hash = kanon__quasi_hash(&c->fields[i], group, key, hash);
    return hash;
}

kanon_status kanon__check_classes(const kanon__arrow_check *c, kanon_error *err)
{
    const kanon__group_look look = {.equal = are_equal, .hash = hash_of, .payload = c};
    const kanon__arrow_claim *claim = c->claim;
    return kanon__verify_classes(&c->table->data, &claim->requirement, claim->group_of, claim->n_groups, &look, err);
}
