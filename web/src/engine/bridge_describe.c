/* See bridge.h: what is asked before the work. Samples, schemas as documents, proposals, the risk of a table,
 * taxonomies. */
#include "bridge.h"

#include "sample/hospital.h"

#include <stdlib.h>
#include <string.h>

/* ---- what there is ----------------------------------------------------------------------------------------------- */

kanon_status bridge_about(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    (void)self, (void)request, (void)err;
    json_t *algorithms = json_array(), *models = json_array();
    const kanon_entry *entry;
    const kanon_setting_info *setting;
    for (size_t i = 0; (entry = kanon_catalogue_at(KANON_CATALOGUE_ALGORITHM, i)) != NULL; i++)
        json_array_append_new(algorithms, json_pack("{s:s, s:s, s:s}", "name", entry->name, "summary", entry->brief,
                                                    "advice", entry->more));
    for (size_t i = 0; (entry = kanon_catalogue_at(KANON_CATALOGUE_MODEL, i)) != NULL; i++) {
        json_t *parameters = json_array();
        for (size_t j = 0; (setting = kanon_entry_setting(entry, j)) != NULL; j++)
            json_array_append_new(parameters, json_pack("{s:s, s:s}", "name", setting->name, "range", setting->help));
        json_array_append_new(models, json_pack("{s:s, s:s, s:o}", "name", entry->name, "sentence", entry->brief,
                                                "parameters", parameters));
    }
    json_object_set_new(answer, "version", json_string(kanon_version()));
    json_object_set_new(answer, "algorithms", algorithms);
    json_object_set_new(answer, "models", models);
    return KANON_OK;
}

kanon_status bridge_sample(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    const char *folder = bridge_text(request, "folder");
    int64_t rows = bridge_integer(request, "rows");
    enum { MOST_ROWS = 10000000 };
    (void)answer;
    if (rows < 1 || rows > MOST_ROWS)
        return bridge_fail(err, KANON_EINVAL, "a sample has from 1 to 10,000,000 records");
    if (bridge_seed(request, "seed") > KANON_SEED_MAX)
        return bridge_fail(err, KANON_EINVAL, "seed must be a whole number from 0 to 9007199254740991");
    return sample_hospital(folder != NULL ? folder : ".", rows, bridge_seed(request, "seed"), self->tick,
                           self->payload, err);
}

/* The schema as a document; it must also be one that the library takes, so that its errors come with their lines. */
kanon_status bridge_schema(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_schema *schema = NULL;
    json_t *document = NULL;
    const char *path = bridge_text(request, "schema");
    kanon_status st = path != NULL ? kanon_schema_read(&schema, KANON_PATH(path), &self->context, err)
                                   : bridge_fail(err, KANON_EINVAL, "no schema");
    kanon_schema_free(schema);
    if (st == KANON_OK)
        st = bridge_yaml(&document, path, err);
    if (st == KANON_OK)
        json_object_set_new(answer, "document", document);
    return st;
}

/* ---- proposal ---------------------------------------------------------------------------------------------------- */

static json_t *sets_of(const kanon_column_set *const *sets, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(out, json_pack("{s:o, s:I, s:I, s:o}", "columns",
                                             bridge_strings(sets[i]->columns, sets[i]->n_columns), "records",
                                             (json_int_t)sets[i]->records, "persons", (json_int_t)sets[i]->persons, "share",
                                             bridge_number(sets[i]->share)));
    return out;
}

static json_t *proposed_columns(const kanon_proposal *p)
{
    json_t *out = json_array();
    for (size_t i = 0; i < p->n_columns; i++) {
        const kanon_proposed_column *c = p->columns[i];
        json_array_append_new(out, json_pack("{s:s, s:s, s:s, s:s, s:o, s:I, s:I}", "name", c->name, "role",
                                             kanon_enum_text(KANON_ENUM_ROLE, c->role), "type",
                                             kanon_enum_text(KANON_ENUM_TYPE, c->type), "reason", c->reason,
                                             "sameAs", bridge_string(c->same_as), "distinct", (json_int_t)c->distinct,
                                             "missing", (json_int_t)c->missing));
    }
    return out;
}

kanon_status bridge_propose(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_proposal *p = NULL;
    kanon_propose_options proposing = {
        .struct_size = sizeof proposing,
        .threads = 1,
        .tick = self->tick,
        .payload = self->payload,
        .context = &self->context,
        .schema = KANON_TO_PATH(bridge_text(request, "out")),
    };
    const kanon_input table = bridge_table(request);
    kanon_status st = kanon_propose(&p, &table, &proposing, err);
    if (st == KANON_OK) {
        json_object_set_new(answer, "records", json_integer(p->records));
        json_object_set_new(answer, "columns", proposed_columns(p));
        json_object_set_new(answer, "entity", bridge_string(p->entity));
        json_object_set_new(answer, "key", bridge_string(p->key));
        json_object_set_new(answer, "k", json_integer(p->k));
        json_object_set_new(answer, "sets", sets_of(p->sets, p->n_sets));
        json_object_set_new(answer, "notes", bridge_strings(p->notes, p->n_notes));
    }
    kanon_proposal_free(p);
    return st;
}

/* ---- profile ----------------------------------------------------------------------------------------------------- */

static json_t *profile_attributes(const kanon_profile *p)
{
    json_t *out = json_array();
    for (size_t i = 0; i < p->n_attributes; i++) {
        const kanon_profile_attribute *a = p->attributes[i];
        json_array_append_new(out, json_pack("{s:s, s:I, s:I, s:I, s:I}", "name", a->name, "distinct",
                                             (json_int_t)a->distinct, "missing", (json_int_t)a->missing, "unique",
                                             (json_int_t)a->unique, "uniqueWithout", (json_int_t)a->unique_without));
    }
    return out;
}

static json_t *profile_figures(const kanon_profile *p)
{
    json_t *below = json_array(), *costs = json_array();
    for (size_t i = 0; i < p->n_below; i++)
        json_array_append_new(below,
                              json_pack("{s:I, s:I, s:o}", "k", (json_int_t)p->below[i]->k, "records",
                                        (json_int_t)p->below[i]->records, "share", bridge_number(p->below[i]->share)));
    for (size_t i = 0; i < p->n_costs; i++)
        json_array_append_new(costs,
                              json_pack("{s:I, s:o, s:o}", "k", (json_int_t)p->costs[i]->k, "loss",
                                        bridge_number(p->costs[i]->avg_loss), "seconds",
                                        bridge_number(p->costs[i]->seconds)));
    return json_pack("{s:I, s:I, s:b, s:I, s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:I}", "records",
                     (json_int_t)p->records, "persons", (json_int_t)p->persons, "hasEntity", p->has_entity, "classes",
                     (json_int_t)p->classes, "smallest", (json_int_t)p->smallest, "largest", (json_int_t)p->largest,
                     "uniqueRecords", (json_int_t)p->unique_records, "uniquePersons", (json_int_t)p->unique_persons,
                     "highestRisk", bridge_number(p->highest_risk), "averageRisk", bridge_number(p->average_risk),
                     "attributes", profile_attributes(p), "sets", sets_of(p->sets, p->n_sets), "below", below, "costs",
                     costs, "sampleRecords", (json_int_t)p->sample_records);
}

kanon_status bridge_profile(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_schema *schema = NULL;
    kanon_table *table = NULL;
    kanon_profile *profile = NULL;
    kanon_profile_options profiling = {
        .struct_size = sizeof profiling,
        .threads = 1,
        .tick = self->tick,
        .payload = self->payload,
        .without_costs = !bridge_flag(request, "costs"),
    };
    kanon_status st = bridge_read(&schema, &table, self, request, err);
    if (st == KANON_OK)
        st = kanon_profile_table(&profile, table, &profiling, err);
    if (st == KANON_OK)
        json_object_set_new(answer, "profile", profile_figures(profile));
    if (st == KANON_OK) {
        json_t *warnings = json_array();
        const kanon_notice *notice;
        for (size_t i = 0; (notice = kanon_table_notice_at(table, i)) != NULL; i++)
            json_array_append_new(warnings, json_string(notice->text));
        json_object_set_new(answer, "warnings", warnings);
    }
    kanon_profile_free(profile);
    kanon_table_free(table);
    kanon_schema_free(schema);
    return st;
}

/* ---- taxonomies -------------------------------------------------------------------------------------------------- */

/* {"table", "column", "missing": [...], "empty"}; the list is to be freed. */
static kanon_column_options column_of(const json_t *request, const char ***missing)
{
    json_t *texts = json_object_get(request, "missing"), *text;
    size_t i, n = 0;
    *missing = calloc(json_array_size(texts) + 1, sizeof **missing);
    if (*missing != NULL)
        json_array_foreach(texts, i, text)(*missing)[n++] = json_string_value(text);
    return (kanon_column_options){.struct_size = sizeof(kanon_column_options),
                                  .column = bridge_text(request, "column"),
                                  .missing = *missing,
                                  .n_missing = n,
                                  .empty_is_value = bridge_word(request, "empty")};
}

static json_t *nodes_of(const kanon_taxonomy *taxonomy)
{
    json_t *out = json_array();
    int32_t n = kanon_taxonomy_nodes(taxonomy);
    for (int32_t i = 0; i < n; i++) {
        kanon_taxonomy_node node = {.struct_size = sizeof node};
        kanon_error ignored = KANON_INIT(kanon_error);
        if (kanon_taxonomy_get(&node, taxonomy, i, &ignored) == KANON_OK)
            json_array_append_new(out, json_pack("[s, i, I]", node.name, (int)node.parent, (json_int_t)node.records));
    }
    return out;
}

/* Count the records, write it where "out" says, and answer with its nodes. */
static kanon_status show(kanon_taxonomy *taxonomy, const json_t *request, const kanon_column_options *column, json_t *answer,
                         kanon_error *err)
{
    const char *out = bridge_text(request, "out");
    const kanon_input table = bridge_table(request);
    kanon_taxonomy_form form = (kanon_taxonomy_form)bridge_word(request, "form");
    int64_t unknown = 0;
    kanon_status st = KANON_OK;
    if (table.location != NULL && column->column != NULL)
        st = kanon_taxonomy_count(taxonomy, &table, column, &unknown, err);
    if (st == KANON_OK && out != NULL)
        st = kanon_taxonomy_write(taxonomy, KANON_TO_PATH(out), form, err);
    if (st == KANON_OK) {
        json_object_set_new(answer, "nodes", nodes_of(taxonomy));
        json_object_set_new(answer, "unknown", json_integer(unknown));
    }
    return st;
}

kanon_status bridge_taxonomy_build(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_taxonomy *taxonomy = NULL;
    const char **missing = NULL;
    kanon_column_options column = column_of(request, &missing);
    kanon_taxonomy_method method = (kanon_taxonomy_method)bridge_word(request, "method");
    const kanon_input table = bridge_table(request);
    kanon_status st = kanon_taxonomy_build(&taxonomy, &table, &column, method, bridge_text(request, "levels"),
                                           &self->context, err);
    if (st == KANON_OK)
        st = show(taxonomy, request, &column, answer, err);
    kanon_taxonomy_free(taxonomy);
    free(missing);
    return st;
}

kanon_status bridge_taxonomy_show(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_taxonomy *taxonomy = NULL;
    const char **missing = NULL;
    kanon_column_options column = column_of(request, &missing);
    kanon_status st = kanon_taxonomy_read(&taxonomy, KANON_PATH(bridge_text(request, "taxonomy")), KANON_TAXONOMY_AUTO,
                                          &self->context, err);
    if (st == KANON_OK)
        st = show(taxonomy, request, &column, answer, err);
    kanon_taxonomy_free(taxonomy);
    free(missing);
    return st;
}

kanon_status bridge_taxonomy_check(bridge *self, const json_t *request, json_t *answer, kanon_error *err)
{
    kanon_taxonomy_check *check = NULL;
    const char **missing = NULL;
    kanon_column_options column = column_of(request, &missing);
    const kanon_input table = bridge_table(request);
    kanon_status st = kanon_taxonomy_check_read(&check, KANON_PATH(bridge_text(request, "taxonomy")), KANON_TAXONOMY_AUTO,
                                                table.location != NULL ? &table : NULL, &column, &self->context, err);
    json_t *findings = json_array();
    for (size_t i = 0; st == KANON_OK && i < check->n; i++) {
        const kanon_taxonomy_finding *f = check->findings[i];
        json_array_append_new(findings, json_pack("{s:s, s:s, s:I, s:I, s:b, s:b}", "name", f->name, "sentence", f->sentence,
                                                  "count", (json_int_t)f->count, "line", (json_int_t)f->line, "inTable",
                                                  f->in_table, "isError", f->is_error));
    }
    json_object_set_new(answer, "findings", findings);
    json_object_set_new(answer, "errors", json_integer(st == KANON_OK ? check->errors : 0));
    kanon_taxonomy_check_free(check);
    free(missing);
    return st;
}
