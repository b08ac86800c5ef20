/* Any bytes as a schema file: either a schema that holds to what schema.h says, or a message on one line. */
#include "table/schema/schema.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void check_attribute(const kanon__attribute *attribute)
{
    bool is_numeric = attribute->type != KANON_TYPE_UNKNOWN && attribute->type != KANON_TYPE_CATEGORICAL;
    int n_ways = (attribute->taxonomy_path != NULL) + (attribute->tree != NULL) + (attribute->mask != KANON_MASK_NONE);
    require(attribute->line > 0);
    require(attribute->weight > 0);
    require(n_ways <= (is_numeric ? 0 : 1));
    if (attribute->tree != NULL) {
        kanon__taxonomy *taxonomy = NULL;
        require(kanon__taxonomy_from_tree(&taxonomy, attribute->tree, NULL, 0, NULL) == KANON_OK);
        require(taxonomy->n_leaves >= 1 && taxonomy->n_nodes > taxonomy->n_leaves);
        kanon__taxonomy_free(taxonomy);
    }
}

static void check_schema(const kanon_schema *schema)
{
    require(schema->k == 0 || schema->k >= 2);
    require(schema->n_settings == 0 || schema->algorithm != NULL);
    for (int64_t i = 0; i < schema->n_attributes; i++) {
        check_attribute(&schema->attributes[i]);
        require(kanon__schema_find(schema, schema->attributes[i].name) == &schema->attributes[i]);
    }
    for (int64_t i = 0; i < schema->n_constraints; i++)
        require(schema->constraints[i].names.n == schema->constraints[i].values.n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kanon_schema *schema = NULL;
    kanon_error err = {0};
    kanon_status st = kanon__schema_parse(&schema, (const char *)data, size, "dir/s.yaml", &err);
    require((st == KANON_OK) == (schema != NULL));
    if (st == KANON_OK) {
        check_schema(schema);
    } else {
        require(st == KANON_EDATA && err.status == st);
        require(strncmp(err.message, "dir/s.yaml:", strlen("dir/s.yaml:")) == 0);
        require(strchr(err.message, '\n') == NULL && strchr(err.hint, '\n') == NULL);
    }
    kanon_schema_free(schema);
    return 0;
}
