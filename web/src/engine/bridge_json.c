/* See bridge.h: fields of requests and answers, and YAML as JSON. */
#include "bridge.h"

#include <math.h>
#include <stdio.h>
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

/* The fields that are one of several words. The first one stands for a field that is not there. */
static const struct worded {
    const char *name;
    kanon_enum which;     /* whose words they are */
    const char *words[4]; /* or these */
} worded[] = {
    {"numeric", KANON_ENUM_NUMERIC, {NULL}},
    {"recode", KANON_ENUM_RECODE, {NULL}},
    {"header", KANON_ENUM_HEADER, {NULL}},
    {"empty", (kanon_enum)0, {"missing", "value"}},
    {"effort", (kanon_enum)0, {"fast", "balanced", "best"}},
    {"form", KANON_ENUM_TAXONOMY_FORM, {NULL}},
    {"method", KANON_ENUM_TAXONOMY_METHOD, {NULL}},
};

static const char *word_at(const struct worded *field, int i)
{
    return field->words[0] != NULL ? field->words[i] : kanon_enum_text(field->which, i);
}

/* Its number; -1: it is none of them. */
static int number_of(const struct worded *field, const char *given)
{
    for (int i = 0; word_at(field, i) != NULL; i++)
        if (strcmp(word_at(field, i), given) == 0)
            return i;
    return -1;
}

int bridge_word(const json_t *object, const char *name)
{
    const char *given = bridge_text(object, name);
    for (size_t i = 0; given != NULL && i < sizeof worded / sizeof *worded; i++)
        if (strcmp(worded[i].name, name) == 0)
            return number_of(&worded[i], given);
    return 0;
}

uint64_t bridge_seed(const json_t *object, const char *name)
{
    const json_t *field = json_object_get(object, name);
    if (json_is_integer(field))
        return json_integer_value(field) >= 0 ? (uint64_t)json_integer_value(field) : UINT64_MAX;
    if (json_is_real(field)) {
        double value = json_real_value(field);
        return value >= 0 && value <= (double)KANON_SEED_MAX && value == floor(value) ? (uint64_t)value : UINT64_MAX;
    }
    const char *text = json_string_value(field);
    if (text == NULL || *text == '\0')
        return field == NULL || json_is_null(field) ? 0 : UINT64_MAX;
    uint64_t value = 0;
    for (; *text >= '0' && *text <= '9' && value <= KANON_SEED_MAX; text++)
        value = value * 10 + (uint64_t)(*text - '0');
    return *text == '\0' ? value : UINT64_MAX;
}

static kanon_status check_word(const struct worded *field, const json_t *given, kanon_error *err)
{
    if (given == NULL || json_is_null(given) || (json_is_string(given) && number_of(field, json_string_value(given)) >= 0))
        return KANON_OK;
    bridge_fail(err, KANON_EINVAL, "");
    const char *text = json_is_string(given) ? json_string_value(given) : "";
    snprintf(err->message, sizeof err->message, "%s: there is no '%.100s'", field->name, text);
    size_t at = (size_t)snprintf(err->hint, sizeof err->hint, "choose one of:");
    for (int i = 0; word_at(field, i) != NULL && at < sizeof err->hint; i++)
        at += (size_t)snprintf(err->hint + at, sizeof err->hint - at, "%s %s", i > 0 ? "," : "", word_at(field, i));
    return KANON_EINVAL;
}

kanon_status bridge_check_fields(const json_t *request, kanon_error *err)
{
    static const char *const flags[] = {"shuffle", "compare", "costs"};
    for (size_t i = 0; i < sizeof worded / sizeof *worded; i++)
        if (check_word(&worded[i], json_object_get(request, worded[i].name), err) != KANON_OK)
            return err->status;
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++) {
        const json_t *given = json_object_get(request, flags[i]);
        if (given != NULL && !json_is_null(given) && !json_is_boolean(given)) {
            bridge_fail(err, KANON_EINVAL, "");
            snprintf(err->message, sizeof err->message, "%s is true or false", flags[i]);
            return err->status;
        }
    }
    return KANON_OK;
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
    json_object_foreach(given, key, value) out[(*n)++] = (kanon_setting){key, json_string_value(value)};
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
    *err = (kanon_error){.struct_size = sizeof(kanon_error), .status = status};
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
        json_array_append_new(
            items, json_pack("[o,o]", from_node(document, i->key, depth + 1), from_node(document, i->value, depth + 1)));
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
