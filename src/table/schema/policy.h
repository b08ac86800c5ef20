/* The policy: what is asked of the groups of a table, apart from the table itself.
 *
 * A policy is taken from the schema when a table is read, and a run may be given another one for the same data. Constraints
 * stand here as they were written: src/constraints gives them a meaning, and src/verify gives them one of its own. */
#ifndef KANON_TABLE_POLICY_H
#define KANON_TABLE_POLICY_H

#include "table/schema/schema.h"

typedef struct kanon__policy {
    int64_t k; /* 0: not said */
    kanon__constraint_text *constraints;
    int64_t n_constraints;
    int64_t k_map;         /* so many people of a population must fit each released row; 0: not said. It is no constraint */
    bool entity_together;  /* all records of an entity are to be in one group */
    kanon__fraction suppress; /* of the records may be suppressed */
    kanon__fraction singled_out; /* of the released rows may be, by all that is released as it is */
    bool keep_suppressed;     /* they are released, as a class like any other; else they are left out */
    char *algorithm;       /* NULL: not said */
    kanon_setting *settings; /* of that algorithm */
    int64_t n_settings;
    kanon__texts release_keys, release_values; /* what the schema says of the release, for reports */
    char *schema_path; /* for messages; NULL: the policy is from no file */
} kanon__policy;

kanon_status kanon__policy_init(kanon__policy *out, const kanon_schema *schema, kanon_error *err);
void kanon__policy_clear(kanon__policy *policy);
/* Whether the constraint is a k-map, which is about people of a population and not about a column. */
bool kanon__is_k_map(const kanon__constraint_text *constraint);
/* The largest K of the schema's k-maps, 0: it has none. KANON_EDATA: one without a whole K. */
kanon_status kanon__schema_k_map(int64_t *k, const kanon_schema *schema, kanon_error *err);
/* What the schema says of the release under this key, such as "purpose"; NULL: nothing. */
const char *kanon__policy_of_release(const kanon__policy *policy, const char *key);
#endif
