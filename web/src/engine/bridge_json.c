/* See bridge.h: fields of requests and answers, and YAML as JSON. Called by the other files of the bridge; calls jansson and
 * libyaml. */
#include "bridge.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

/* ---- fields of a request ----------------------------------------------------------------------------------------- */

const char *bridge_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

int64_t bridge_integer(const json_t *object, const char *name)
{
    const json_t *field = json_object_get(object, name);
    return json_is_string(field) ? strtoll(json_string_value(field), NULL, 10) : (int64_t)json_number_value(field);
}

int bridge_flag(const json_t *object, const char *name)
{
    return json_is_true(json_object_get(object, name));
}

int bridge_word(const json_t *object, const char *name, const char *const *words, int n)
{
    const char *given = bridge_text(object, name);
    for (int i = 0; given != NULL && i < n; i++)
        if (strcmp(words[i], given) == 0)
            return i;
    return 0;
}

kanon_setting *bridge_settings(const json_t *object, const char *name, size_t *n)
{
    json_t *given = json_object_get(object, name), *value;
    const char *key;
    *n = 0;
    if (json_object_size(given) == 0)
        return NULL;
    kanon_setting *out = calloc(json_object_size(given), sizeof *out);
    if (out == NULL)
        return NULL;
    json_object_foreach(given, key, value)
        out[(*n)++] = (kanon_setting){key, json_string_value(value)};
    return out;
}

/* ---- fields of an answer ----------------------------------------------------------------------------------------- */

json_t *bridge_number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

json_t *bridge_string(const char *text)
{
    return text != NULL ? json_string(text) : json_null();
}

json_t *bridge_strings(const char *const *texts, size_t n)
{
    json_t *out = json_array();
    for (size_t i = 0; i < n; i++)
        json_array_append_new(out, bridge_string(texts[i]));
    return out;
}

kanon_status bridge_fail(kanon_error *err, kanon_status status, const char *message)
{
    *err = (kanon_error){.status = status};
    strncpy(err->message, message, sizeof err->message - 1);
    return status;
}

/* ---- YAML -------------------------------------------------------------------------------------------------------- */

static json_t *from_node(yaml_document_t *document, int number, int depth)
{
    enum { DEEPEST = 200 };
    yaml_node_t *node = yaml_document_get_node(document, number);
    if (node == NULL || depth > DEEPEST)
        return json_null();
    if (node->type == YAML_SCALAR_NODE)
        return json_stringn((const char *)node->data.scalar.value, node->data.scalar.length);
    json_t *items = json_array();
    if (node->type == YAML_SEQUENCE_NODE) {
        for (yaml_node_item_t *i = node->data.sequence.items.start; i < node->data.sequence.items.top; i++)
            json_array_append_new(items, from_node(document, *i, depth + 1));
        return json_pack("{s:o}", "list", items);
    }
    for (yaml_node_pair_t *i = node->data.mapping.pairs.start; i < node->data.mapping.pairs.top; i++)
        json_array_append_new(items, json_pack("[o,o]", from_node(document, i->key, depth + 1),
                                               from_node(document, i->value, depth + 1)));
    return json_pack("{s:o}", "map", items);
}

kanon_status bridge_yaml(json_t **out, const char *path, kanon_error *err)
{
    yaml_parser_t parser;
    yaml_document_t document;
    FILE *file = path != NULL ? fopen(path, "rb") : NULL;
    *out = NULL;
    if (file == NULL)
        return bridge_fail(err, KANON_EIO, "the schema is not there");
    if (!yaml_parser_initialize(&parser)) {
        fclose(file);
        return bridge_fail(err, KANON_ENOMEM, "out of memory");
    }
    yaml_parser_set_input_file(&parser, file);
    kanon_status st = KANON_OK;
    if (yaml_parser_load(&parser, &document)) {
        yaml_node_t *root = yaml_document_get_root_node(&document);
        *out = root != NULL ? from_node(&document, 1, 0) : json_pack("{s:[]}", "map");
        yaml_document_delete(&document);
    } else {
        st = bridge_fail(err, KANON_EDATA, "the schema is not YAML");
        snprintf(err->message, sizeof err->message, "%s:%zu: not YAML", path, parser.problem_mark.line + 1);
    }
    yaml_parser_delete(&parser);
    fclose(file);
    return st;
}
