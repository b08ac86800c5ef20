/* Whether a schema is the one that a table was read with. A state takes its requirements, its key and how trees grow
 * from the schema, and the groups were made for what the table has of it: where the two differ, the state would promise
 * what its groups do not keep. */
#include "state/maintain/schema_fits.h"

#include <string.h>

static bool same_text(const char *left, const char *right)
{
    return left == NULL || right == NULL ? left == right : strcmp(left, right) == 0;
}

static bool same_texts(const kanon__texts *left, const kanon__texts *right)
{
    bool same = left->n == right->n;
    for (int64_t i = 0; same && i < left->n; i++)
        same = same_text(left->items[i], right->items[i]);
    return same;
}

static bool same_constraints(const kanon__policy *policy, const kanon_schema *schema)
{
    bool same = true;
    int64_t n = 0;
    for (int64_t i = 0; same && i < schema->n_constraints; i++) {
        const kanon__constraint_text *c = &schema->constraints[i];
        if (kanon__is_k_map(c)) /* which no state keeps */
            continue;
        same = n < policy->n_constraints && same_texts(&policy->constraints[n].names, &c->names) &&
               same_texts(&policy->constraints[n].values, &c->values);
        n++;
    }
    return same && n == policy->n_constraints;
}

static bool same_entity(const kanon_table *t, const kanon_schema *schema)
{
    const char *entity = t->data.has_entity ? t->data.columns[t->data.entity_column].name : NULL;
    return same_text(entity, schema->said[KANON__WHOLE_ENTITY]) &&
           (entity == NULL || t->policy.entity_together == schema->entity_together);
}

/* As table.c gives roles and trees to columns. */
static bool same_column(const kanon__column *c, const kanon_schema *schema)
{
    const kanon__attribute *a = kanon__schema_find(schema, c->name);
    kanon_role role = a != NULL && a->has_role             ? a->role
                      : same_text(c->name, schema->said[KANON__WHOLE_ENTITY]) ? KANON_ROLE_IDENTIFYING
                                                           : schema->default_role;
    bool has_tree = a != NULL && (kanon__attribute_has_tree(a));
    if (role != c->role || c->permuted != kanon__attribute_is_permuted(a) ||
        c->drawn != kanon__attribute_is_drawn(a) ||
        !same_text(c->weight_text, kanon__attribute_said(a, KANON__COLUMN_WEIGHT)))
        return false;
    const char *bands[] = {kanon__attribute_said(a, KANON__COLUMN_BANDS), kanon__attribute_said(a, KANON__COLUMN_TOP),
                           kanon__attribute_said(a, KANON__COLUMN_BOTTOM)};
    for (int i = 0; c->role == KANON_ROLE_QUASI && kanon__column_is_numeric(c) && i < 3; i++)
        if (!same_text(c->domain->band_texts[i], bands[i]))
            return false;
    if (a != NULL && a->levels.n > 0 && c->domain != NULL && !kanon__levels_equal(&c->domain->levels, &a->levels))
        return false;
    const kanon__taxonomy *taxonomy = kanon__column_taxonomy(c);
    if (c->role != KANON_ROLE_QUASI || taxonomy == NULL)
        return true;
    /* a mask makes a tree of the values: of none it makes a flat one */
    bool has_values = c->domain->n_codes > (c->domain->missing_code != KANON__NO_CODE ? 1u : 0u);
    return taxonomy->flat != has_tree || (taxonomy->flat && a->mask != KANON__MASK_NONE && !has_values);
}

static bool same_share(kanon__fraction a, kanon__fraction b)
{
    return a.numerator == b.numerator && a.denominator == b.denominator;
}

kanon_status kanon__schema_fits(const kanon_table *t, const kanon_schema *schema, kanon_error *err)
{
    const char *what = NULL;
    for (int i = t->data.n_columns - 1; i >= 0; i--)
        if (!same_column(&t->data.columns[i], schema))
            what = t->data.columns[i].name;
    if (!same_constraints(&t->policy, schema))
        what = "constraints";
    if (!same_entity(t, schema))
        what = "entity";
    if (!same_share(t->policy.suppress, schema->suppress))
        what = "suppress";
    if (!same_share(t->policy.singled_out, schema->singled_out))
        what = "singled-out";
    if (what == NULL)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: the schema is not the one that the table was read with", what);
    return kanon__hint(err, st, "make the state with that schema, or read the table again");
}
