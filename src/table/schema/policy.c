/* See policy.h. A policy is made of copies of what the schema asks for, so that a table outlives the schema it was read
 * with. */
#include "table/schema/policy.h"

#include "core/alloc.h"
#include "table/value/number.h"

#include <string.h>

static kanon_status copy_optional(char **out, const char *text, kanon_error *err)
{
    return text != NULL ? kanon__copy_text(out, text, strlen(text), "the schema", err) : KANON_OK;
}

static kanon_status copy_constraint(kanon__constraint_text *to, const kanon__constraint_text *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    to->line = from->line;
    KANON_TRY(kanon__texts_append(&to->names, &from->names, err), out);
    KANON_TRY(kanon__texts_append(&to->values, &from->values, err), out);
out:
    return st;
}

static kanon_status copy_setting(kanon_setting *to, const kanon_setting *from, kanon_error *err)
{
    char *name = NULL, *value = NULL;
    kanon_status st = copy_optional(&name, from->name, err);
    if (st == KANON_OK)
        st = copy_optional(&value, from->value, err);
    *to = (kanon_setting){name, value};
    return st;
}

/* ---- k-map ------------------------------------------------------------------------------------------------------- */

static const char *value_of(const kanon__constraint_text *c, const char *name)
{
    int64_t at = kanon__texts_find(&c->names, name, strlen(name));
    return at >= 0 ? c->values.items[at] : NULL;
}

bool kanon__is_k_map(const kanon__constraint_text *constraint)
{
    const char *model = value_of(constraint, "model");
    return model != NULL && strcmp(model, "k-map") == 0;
}

static kanon_status read_k_map(int64_t *k, const kanon__constraint_text *c, const kanon_schema *schema, kanon_error *err)
{
    static const char wrong[] = "k-map: k must be a whole number from 1 upwards";
    const char *text = value_of(c, "k");
    if (text != NULL && c->names.n == 2 && kanon__parse_integer(k, text, strlen(text)) && *k >= 1)
        return KANON_OK;
    kanon_status st = schema->path != NULL && c->line > 0
                          ? kanon__fail(err, KANON_EDATA, "%s:%d: %s", schema->path, c->line, wrong)
                          : kanon__fail(err, KANON_EDATA, "%s", wrong);
    return kanon__hint(err, st, "write {model: k-map, k: 5}");
}

kanon_status kanon__schema_k_map(int64_t *k, const kanon_schema *schema, kanon_error *err)
{
    *k = 0;
    for (int64_t i = 0; i < schema->n_constraints; i++) {
        int64_t wanted = 0;
        if (!kanon__is_k_map(&schema->constraints[i]))
            continue;
        KANON_CHECK(read_k_map(&wanted, &schema->constraints[i], schema, err));
        *k = wanted > *k ? wanted : *k;
    }
    return KANON_OK;
}

/* ------------------------------------------------------------------------------------------------------------------ */

kanon_status kanon__policy_init(kanon__policy *out, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__policy){.k = schema->k,
                           .entity_together = schema->entity_together,
                           .suppress = schema->suppress,
                           .singled_out = schema->singled_out,
                           .keep_suppressed = schema->keep_suppressed};
    KANON_TRY(kanon__new_array(&out->constraints, schema->n_constraints, "constraints", err), out);
    for (int64_t i = 0; i < schema->n_constraints; i++)
        if (!kanon__is_k_map(&schema->constraints[i])) /* counted first, so that one half copied is freed, too */
            KANON_TRY(copy_constraint(&out->constraints[out->n_constraints++], &schema->constraints[i], err), out);
    KANON_TRY(kanon__schema_k_map(&out->k_map, schema, err), out);
    KANON_TRY(kanon__texts_append(&out->release_keys, &schema->release_keys, err), out);
    KANON_TRY(kanon__texts_append(&out->release_values, &schema->release_values, err), out);
    KANON_TRY(copy_optional(&out->schema_path, schema->path, err), out);
    KANON_TRY(copy_optional(&out->algorithm, schema->said[KANON__WHOLE_ALGORITHM], err), out);
    KANON_TRY(kanon__new_array(&out->settings, schema->n_settings, "settings", err), out);
    while (out->n_settings < schema->n_settings) {
        int64_t i = out->n_settings++;
        KANON_TRY(copy_setting(&out->settings[i], &schema->settings[i], err), out);
    }
out:
    if (st != KANON_OK)
        kanon__policy_clear(out);
    return st;
}

const char *kanon__policy_of_release(const kanon__policy *policy, const char *key)
{
    int64_t i = kanon__texts_find(&policy->release_keys, key, strlen(key));
    return i >= 0 ? policy->release_values.items[i] : NULL;
}

void kanon__policy_clear(kanon__policy *policy)
{
    for (int64_t i = 0; i < policy->n_settings; i++) {
        kanon__free((void *)policy->settings[i].value);
        kanon__free((void *)policy->settings[i].name);
    }
    kanon__free(policy->settings);
    for (int64_t i = 0; i < policy->n_constraints; i++) {
        kanon__texts_clear(&policy->constraints[i].values);
        kanon__texts_clear(&policy->constraints[i].names);
    }
    kanon__free(policy->constraints);
    kanon__texts_clear(&policy->release_values);
    kanon__texts_clear(&policy->release_keys);
    kanon__free(policy->algorithm);
    kanon__free(policy->schema_path);
    *policy = (kanon__policy){0};
}
