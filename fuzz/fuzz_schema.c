/* Any bytes as a schema file: either a schema that holds to what schema.h says and that can be written and read again, or a
 * message on one line. */
#include "table/schema/schema_keys.h"

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
    int n_ways = (attribute->said[KANON__COLUMN_TAXONOMY] != NULL) + (attribute->tree != NULL) +
                 (attribute->mask != KANON__MASK_NONE);
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
    require(schema->n_settings == 0 || schema->said[KANON__WHOLE_ALGORITHM] != NULL);
    for (int64_t i = 0; i < schema->n_attributes; i++) {
        check_attribute(&schema->attributes[i]);
        require(kanon__schema_find(schema, schema->attributes[i].name) == &schema->attributes[i]);
    }
    for (int64_t i = 0; i < schema->n_constraints; i++)
        require(schema->constraints[i].names.n == schema->constraints[i].values.n);
}

/* ---- and back ---------------------------------------------------------------------------------------------------- */

typedef struct text {
    char *bytes;
    size_t n;
} text;

static int collect(const void *bytes, size_t size, void *payload)
{
    text *t = payload;
    t->bytes = realloc(t->bytes, t->n + size + 1);
    require(t->bytes != NULL);
    memcpy(t->bytes + t->n, bytes, size);
    t->n += size;
    return 0;
}

static text written(const kanon_schema *schema)
{
    text t = {0};
    const kanon_sink sink = {.struct_size = sizeof(kanon_sink), .name = "schema", .write = collect, .payload = &t};
    require(kanon_schema_write(schema, KANON_TO_SINK(&sink), NULL) == KANON_OK);
    return t;
}

/* What is written is read as the same schema, and written the same again; each text that is said can be said again. */
static void check_written(const kanon_schema *schema)
{
    kanon_schema *read = NULL, *said = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    text t = written(schema);
    require(kanon__schema_parse(&read, t.bytes, t.n, "s.yaml", &err) == KANON_OK);
    text again = written(read);
    require(t.n == again.n && memcmp(t.bytes, again.bytes, t.n) == 0);
    require(kanon_schema_new(&said, NULL, NULL) == KANON_OK);
    for (int key = 0; key < KANON__WHOLE_KEYS; key++) {
        const char *name = kanon__whole_keys[key].name, *all = kanon_schema_get(schema, NULL, name);
        bool alone = key == KANON__WHOLE_ENTITY_TOGETHER && schema->said[KANON__WHOLE_ENTITY] == NULL; /* false of none */
        if (all == NULL || alone)
            continue;
        require(kanon_schema_set(said, NULL, name, all, &err) == KANON_OK);
        require(strcmp(kanon_schema_get(said, NULL, name), all) == 0);
    }
    kanon_schema_free(said);
    kanon_schema_free(read);
    free(again.bytes);
    free(t.bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kanon_schema *schema = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon__schema_parse(&schema, (const char *)data, size, "dir/s.yaml", &err);
    require((st == KANON_OK) == (schema != NULL));
    if (st == KANON_OK) {
        check_schema(schema);
        check_written(schema);
    } else {
        require(st == KANON_EDATA && err.status == st);
        require(strncmp(err.message, "dir/s.yaml:", strlen("dir/s.yaml:")) == 0);
        require(strchr(err.message, '\n') == NULL && strchr(err.hint, '\n') == NULL);
    }
    kanon_schema_free(schema);
    return 0;
}
