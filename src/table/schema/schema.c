/* See schema.h. The public setters and getters of a schema; schema_yaml.c reads one from a file. What depends on the
 * columns of a table is checked when the table is read. */
#include "table/schema/schema.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/text.h"
#include "table/schema/schema_limits.h"
#include "table/schema/tree_internal.h"
#include "table/text/decode.h"
#include "table/text/input.h"
#include "table/value/bands.h"
#include "table/value/number.h"

#include <kanon_host.h>
#include <string.h>

static kanon_status new_schema(kanon_schema **out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = NULL;
    KANON_TRY(kanon__new_array(&schema, 1, "a schema", err), out);
    schema->context = kanon__call_context();
    schema->default_role = KANON_ROLE_IDENTIFYING; /* what nobody declared is not released */
    KANON_TRY(kanon__texts_add(&schema->missing, "", 0, err), out);
    KANON_TRY(kanon__dictionary_init(&schema->names, err), out);
    *out = schema;
    schema = NULL;
out:
    kanon_schema_free(schema);
    return st;
}

kanon_status kanon_schema_new(kanon_schema **out, const kanon_context *context, kanon_error *err)
{
    *out = NULL;
    KANON_RETURN_IN_GIVEN(context, new_schema(out, err), err);
}

static kanon_status read_schema(kanon_schema **out, const kanon_input *given, kanon_error *err)
{
    kanon__input input;
    kanon_status st = kanon__input_take(&input, given, KANON__INPUT_SCHEMA, KANON_OK, err);
    if (st == KANON_OK)
        st = kanon__input_load(&input, err);
    if (st == KANON_OK)
        st = kanon__schema_parse(out, input.bytes, input.size, input.path, err);
    kanon__input_close(&input);
    return st;
}

kanon_status kanon_schema_read(kanon_schema **out, const kanon_input *input, const kanon_context *context, kanon_error *err)
{
    *out = NULL;
    KANON_RETURN_IN_GIVEN(context, read_schema(out, input, err), err);
}

static void clear_bands(kanon__attribute *attribute)
{
    kanon__free(attribute->bands);
    kanon__free(attribute->top);
    kanon__free(attribute->bottom);
    attribute->bands = attribute->top = attribute->bottom = NULL;
}

/* The taxonomy of a category. */
static void clear_generalisation(kanon__attribute *attribute)
{
    kanon__free(attribute->taxonomy_path);
    attribute->taxonomy_path = NULL;
    kanon__tree_free(attribute->tree);
    attribute->tree = NULL;
    attribute->mask = KANON_MASK_NONE;
}

/* What other types have goes, and a type that was named becomes that of a category. */
static void become_category(kanon__attribute *attribute)
{
    clear_generalisation(attribute);
    clear_bands(attribute);
    kanon__dictionary_clear(&attribute->levels);
    if (attribute->type != KANON_TYPE_UNKNOWN)
        attribute->type = KANON_TYPE_CATEGORICAL;
}

static void clear_settings(kanon_schema *schema)
{
    for (int64_t i = 0; i < schema->n_settings; i++) {
        kanon__free((char *)schema->settings[i].name);
        kanon__free((char *)schema->settings[i].value);
    }
    schema->n_settings = 0;
}

void kanon_schema_free(kanon_schema *schema)
{
    if (schema == NULL)
        return;
    for (int64_t i = 0; i < schema->n_attributes; i++) {
        clear_generalisation(&schema->attributes[i]);
        clear_bands(&schema->attributes[i]);
        kanon__dictionary_clear(&schema->attributes[i].levels);
        kanon__free(schema->attributes[i].weight_text);
        kanon__free(schema->attributes[i].name);
    }
    kanon__free(schema->attributes);
    kanon__dictionary_clear(&schema->names);
    for (int64_t i = 0; i < schema->n_constraints; i++) {
        kanon__texts_clear(&schema->constraints[i].names);
        kanon__texts_clear(&schema->constraints[i].values);
    }
    kanon__free(schema->constraints);
    clear_settings(schema);
    kanon__free(schema->settings);
    kanon__texts_clear(&schema->missing);
    kanon__texts_clear(&schema->same);
    kanon__texts_clear(&schema->key);
    kanon__free(schema->algorithm);
    kanon__free(schema->entity);
    kanon__free(schema->encoding);
    kanon__free(schema->path);
    kanon__free(schema);
}

const kanon__attribute *kanon__schema_find_text(const kanon_schema *schema, const char *name, size_t length)
{
    uint32_t number = kanon__dictionary_find(&schema->names, name, length);
    return number != KANON__NO_CODE ? &schema->attributes[number] : NULL;
}

const kanon__attribute *kanon__schema_find(const kanon_schema *schema, const char *column)
{
    return kanon__schema_find_text(schema, column, strlen(column));
}

/* The attribute of that name, which is made where it is new. */
static kanon_status want_attribute(kanon__attribute **out, kanon_schema *schema, const char *column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *name = NULL;
    uint32_t number = kanon__dictionary_find(&schema->names, column, strlen(column));
    if (number != KANON__NO_CODE) {
        *out = &schema->attributes[number];
        return KANON_OK;
    }
    KANON_TRY(
        kanon__grow_array(&schema->attributes, &schema->attributes_capacity, schema->n_attributes + 1, "attributes", err),
        out);
    KANON_TRY(kanon__copy_text(&name, column, strlen(column), "a column name", err), out);
    KANON_TRY(kanon__dictionary_add(&schema->names, &number, column, strlen(column), err), out);
    *out = &schema->attributes[schema->n_attributes++];
    **out = (kanon__attribute){.name = name, .weight = 1};
    name = NULL;
out:
    kanon__free(name);
    return st;
}

static kanon_status set_role(kanon_schema *schema, const char *column, kanon_role role, kanon_error *err)
{
    kanon__attribute *attribute = NULL;
    if ((int)role < KANON_ROLE_INSENSITIVE || role > KANON_ROLE_SENSITIVE)
        return kanon__fail(err, KANON_EINVAL, "column '%s': there is no role of number %d", column, (int)role);
    kanon_status st = want_attribute(&attribute, schema, column, err);
    if (st == KANON_OK) {
        attribute->role = role;
        attribute->has_role = true;
        attribute->role_from_flags = true;
    }
    return st;
}

kanon_status kanon_schema_set_role(kanon_schema *schema, const char *column, kanon_role role, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_role(schema, column, role, err));
}

/* Only categorical attributes have a taxonomy, only numeric ones have bands and only ordinal ones levels, so of a type and
 * what does not belong to it the one that was set last stays. */
static kanon_status set_type(kanon_schema *schema, const char *column, kanon_type type, kanon_error *err)
{
    kanon__attribute *attribute = NULL;
    if ((int)type < KANON_TYPE_UNKNOWN || type > KANON_TYPE_ORDINAL)
        return kanon__fail(err, KANON_EINVAL, "column '%s': there is no type of number %d", column, (int)type);
    kanon_status st = want_attribute(&attribute, schema, column, err);
    if (st == KANON_OK) {
        attribute->type = type;
        if (type != KANON_TYPE_UNKNOWN && type != KANON_TYPE_CATEGORICAL)
            clear_generalisation(attribute);
        if (type == KANON_TYPE_CATEGORICAL || type == KANON_TYPE_ORDINAL)
            clear_bands(attribute);
        if (type != KANON_TYPE_UNKNOWN && type != KANON_TYPE_ORDINAL)
            kanon__dictionary_clear(&attribute->levels);
    }
    return st;
}

kanon_status kanon_schema_set_type(kanon_schema *schema, const char *column, kanon_type type, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_type(schema, column, type, err));
}

static kanon_status set_order(kanon_schema *schema, const char *column, const char *const *levels, size_t n,
                              kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = NULL;
    kanon__dictionary order = {0};
    const char *fault = NULL;
    for (size_t i = 0; i < n; i++) {
        KANON_TRY(kanon__levels_add(&order, levels[i], strlen(levels[i]), &fault, err), out);
        if (fault != NULL) {
            st = kanon__fail(err, KANON_EINVAL, "column '%s': level %zu of its order %s", column, i + 1, fault);
            st = kanon__hint(err, st, "name each level once, from the lowest to the highest");
            goto out;
        }
    }
    KANON_TRY(set_type(schema, column, KANON_TYPE_ORDINAL, err), out);
    KANON_TRY(want_attribute(&attribute, schema, column, err), out);
    kanon__dictionary_clear(&attribute->levels);
    attribute->levels = order;
    order = (kanon__dictionary){0};
out:
    kanon__dictionary_clear(&order);
    return st;
}

kanon_status kanon_schema_set_order(kanon_schema *schema, const char *column, const char *const *levels, size_t n,
                                    kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_order(schema, column, levels, n, err));
}

/* ---- how values are written -------------------------------------------------------------------------------------- */

static kanon_status set_format(kanon_schema *schema, const char *column, const char *format, kanon_error *err)
{
    kanon__attribute *attribute = NULL;
    const char *fault = format != NULL ? kanon__date_format_fault(format) : NULL;
    if (fault != NULL)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "column '%s': not a format of dates", column), "%s", fault);
    kanon_status st = want_attribute(&attribute, schema, column, err);
    if (st == KANON_OK) {
        memset(attribute->format.date, 0, sizeof attribute->format.date);
        if (format != NULL)
            memcpy(attribute->format.date, format, strlen(format));
    }
    return st;
}

kanon_status kanon_schema_set_format(kanon_schema *schema, const char *column, const char *format, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_format(schema, column, format, err));
}

static kanon_status set_separators(kanon_schema *schema, const char *column, char decimal, char thousands, kanon_error *err)
{
    kanon__attribute *attribute = NULL;
    const char *fault = kanon__separators_fault(decimal, thousands);
    if (fault != NULL)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "numbers cannot be written with these separators"), "%s",
                           fault);
    kanon_status st = column != NULL ? want_attribute(&attribute, schema, column, err) : KANON_OK;
    if (st != KANON_OK)
        return st;
    *(column != NULL ? &attribute->format.decimal : &schema->decimal) = decimal;
    *(column != NULL ? &attribute->format.thousands : &schema->thousands) = thousands;
    return KANON_OK;
}

kanon_status kanon_schema_set_separators(kanon_schema *schema, const char *column, char decimal, char thousands,
                                         kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_separators(schema, column, decimal, thousands, err));
}

kanon_status kanon_schema_set_header(kanon_schema *schema, kanon_header header, kanon_error *err)
{
    if ((int)header < KANON_HEADER_UNSAID || header > KANON_HEADER_NO)
        return kanon__fail(err, KANON_EINVAL, "there is no header of number %d", (int)header);
    schema->header = header;
    return KANON_OK;
}

static kanon_status set_encoding(kanon_schema *schema, const char *encoding, kanon_error *err)
{
    char *copy = NULL;
    if (encoding != NULL && !kanon__encoding_is_known(encoding)) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "there is no encoding '%.40s'", encoding);
        return kanon__hint(err, st, "encodings are utf-8, utf-16, utf-16le, utf-16be, latin-1 and windows-1252");
    }
    kanon_status st = encoding != NULL ? kanon__copy_text(&copy, encoding, strlen(encoding), "an encoding", err) : KANON_OK;
    if (st == KANON_OK) {
        kanon__free(schema->encoding);
        schema->encoding = copy;
    }
    return st;
}

kanon_status kanon_schema_set_encoding(kanon_schema *schema, const char *encoding, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_encoding(schema, encoding, err));
}

/* ---- taxonomies -------------------------------------------------------------------------------------------------- */

/* A file is read with the table, by its path. */
static kanon_status set_taxonomy_path(kanon_schema *schema, const char *column, const char *path, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = NULL;
    char *copy = NULL;
    KANON_TRY(kanon__copy_text(&copy, path, strlen(path), "a file name", err), out);
    KANON_TRY(want_attribute(&attribute, schema, column, err), out);
    become_category(attribute);
    attribute->taxonomy_path = copy;
    copy = NULL;
out:
    kanon__free(copy);
    return st;
}

static kanon_status set_taxonomy(kanon_schema *schema, const char *column, const kanon_input *given, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = NULL;
    kanon__input input = {0};
    kanon__tree *tree = NULL;
    if (given != NULL && given->location != NULL && given->bytes == NULL && given->stream == NULL)
        return set_taxonomy_path(schema, column, given->location, err);
    KANON_TRY(kanon__input_take(&input, given, KANON__INPUT_TAXONOMY, KANON_OK, err), out);
    KANON_TRY(kanon__input_decode(&input, NULL, NULL, err), out);
    KANON_TRY(kanon__tree_parse(&tree, &input, err), out);
    KANON_TRY(want_attribute(&attribute, schema, column, err), out);
    become_category(attribute);
    attribute->tree = tree;
    tree = NULL;
out:
    kanon__tree_free(tree);
    kanon__input_close(&input);
    return st;
}

kanon_status kanon_schema_set_taxonomy(kanon_schema *schema, const char *column, const kanon_input *taxonomy,
                                       kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_taxonomy(schema, column, taxonomy, err));
}

static kanon_status set_mask(kanon_schema *schema, const char *column, kanon_mask mask, kanon_error *err)
{
    kanon__attribute *attribute = NULL;
    if ((int)mask < KANON_MASK_NONE || mask > KANON_MASK_LEFT)
        return kanon__fail(err, KANON_EINVAL, "column '%s': there is no mask of number %d", column, (int)mask);
    kanon_status st = want_attribute(&attribute, schema, column, err);
    if (st == KANON_OK) {
        if (mask != KANON_MASK_NONE)
            become_category(attribute);
        else
            clear_generalisation(attribute);
        attribute->mask = mask;
    }
    return st;
}

kanon_status kanon_schema_set_mask(kanon_schema *schema, const char *column, kanon_mask mask, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_mask(schema, column, mask, err));
}

/* Set one of the three texts that make bands, and check it against the other two. */
static kanon_status set_band_text(kanon_schema *schema, const char *column, const char *text, int which, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = NULL;
    char *copy = NULL;
    const char *problem, *hint;
    KANON_TRY(want_attribute(&attribute, schema, column, err), out);
    char **place[] = {&attribute->bands, &attribute->top, &attribute->bottom};
    const char *texts[] = {attribute->bands, attribute->top, attribute->bottom};
    texts[which] = text;
    if (!kanon__bands_check(texts[0], texts[1], texts[2], &problem, &hint)) {
        st = kanon__hint(err, kanon__fail(err, KANON_EINVAL, "column '%s': %s", column, problem), "%s", hint);
        goto out;
    }
    if (text != NULL)
        KANON_TRY(kanon__copy_text(&copy, text, strlen(text), "bands", err), out);
    kanon__free(*place[which]);
    *place[which] = copy;
    if (text != NULL) {
        clear_generalisation(attribute);
        kanon__dictionary_clear(&attribute->levels);
        if (attribute->type == KANON_TYPE_CATEGORICAL || attribute->type == KANON_TYPE_ORDINAL)
            attribute->type = KANON_TYPE_UNKNOWN;
    }
out:
    return st;
}

static kanon_status set_bands(kanon_schema *schema, const char *column, const char *text, int which, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_band_text(schema, column, text, which, err));
}

kanon_status kanon_schema_set_bands(kanon_schema *schema, const char *column, const char *bands, kanon_error *err)
{
    return set_bands(schema, column, bands, 0, err);
}

kanon_status kanon_schema_set_top(kanon_schema *schema, const char *column, const char *top, kanon_error *err)
{
    return set_bands(schema, column, top, 1, err);
}

kanon_status kanon_schema_set_bottom(kanon_schema *schema, const char *column, const char *bottom, kanon_error *err)
{
    return set_bands(schema, column, bottom, 2, err);
}

kanon_status kanon_schema_set_default_role(kanon_schema *schema, kanon_role role, kanon_error *err)
{
    if ((int)role < KANON_ROLE_INSENSITIVE || role > KANON_ROLE_SENSITIVE)
        return kanon__fail(err, KANON_EINVAL, "there is no role of number %d", (int)role);
    schema->default_role = role;
    schema->has_default_role = true;
    return KANON_OK;
}

static kanon_status set_key(kanon_schema *schema, const char *const *columns, size_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__texts key = {0};
    for (size_t i = 0; i < n; i++)
        KANON_TRY(kanon__texts_add(&key, columns[i], strlen(columns[i]), err), out);
    kanon__texts_clear(&schema->key);
    schema->key = key;
    schema->key_line = 0;
    key = (kanon__texts){0};
out:
    kanon__texts_clear(&key);
    return st;
}

kanon_status kanon_schema_set_key(kanon_schema *schema, const char *const *columns, size_t n, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_key(schema, columns, n, err));
}

kanon_status kanon_schema_set_k(kanon_schema *schema, int64_t k, kanon_error *err)
{
    if (k < 2)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "k = %lld protects nobody", (long long)k),
                           "k is a whole number from 2 upwards");
    schema->k = k;
    return KANON_OK;
}

/* Names are checked where algorithms are known: when the table is grouped. */
static kanon_status set_algorithm(kanon_schema *schema, const char *name, const kanon_setting *settings, size_t n_settings,
                                  kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *algorithm = NULL, *word = NULL, *value = NULL;
    KANON_TRY(kanon__copy_text(&algorithm, name, strlen(name), "a name", err), out);
    clear_settings(schema);
    KANON_TRY(kanon__grow_array(&schema->settings, &schema->settings_capacity, (int64_t)n_settings, "settings", err), out);
    for (size_t i = 0; i < n_settings; i++) {
        KANON_TRY(kanon__copy_text(&word, settings[i].name, strlen(settings[i].name), "a setting", err), out);
        KANON_TRY(kanon__copy_text(&value, settings[i].value, strlen(settings[i].value), "a setting", err), out);
        schema->settings[schema->n_settings++] = (kanon_setting){word, value};
        word = value = NULL;
    }
    kanon__free(schema->algorithm);
    schema->algorithm = algorithm;
    algorithm = NULL;
out:
    kanon__free(value);
    kanon__free(word);
    kanon__free(algorithm);
    return st;
}

kanon_status kanon_schema_set_algorithm(kanon_schema *schema, const char *name, const kanon_setting *settings,
                                        size_t n_settings, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_algorithm(schema, name, settings, n_settings, err));
}

static kanon_status set_weight(kanon_schema *schema, const char *column, double weight, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = NULL;
    char *text = NULL;
    char digits[KANON__NUMBER_TEXT];
    if (!(weight > 0 && weight <= KANON__WEIGHT_MAX)) {
        st = kanon__fail(err, KANON_EINVAL, "column '%s': the weight is out of range", column);
        return kanon__hint(err, st, "a weight is a number above 0, at most %d", KANON__WEIGHT_MAX);
    }
    size_t length = kanon__format_double(digits, weight);
    KANON_TRY(kanon__copy_text(&text, digits, length, "a weight", err), out);
    KANON_TRY(want_attribute(&attribute, schema, column, err), out);
    kanon__free(attribute->weight_text);
    attribute->weight_text = text;
    text = NULL;
    attribute->weight = weight;
out:
    kanon__free(text);
    return st;
}

kanon_status kanon_schema_set_weight(kanon_schema *schema, const char *column, double weight, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_weight(schema, column, weight, err));
}

static bool empty_is_value(const kanon_schema *schema)
{
    return schema->missing.n == 0 || schema->missing.items[0][0] != '\0';
}

kanon_status kanon__schema_note_missing(kanon_schema *schema, const char *text, size_t length, kanon_error *err)
{
    if (kanon__same_value(text, length, "", 0) || kanon__texts_find(&schema->missing, text, length) >= 0)
        return KANON_OK;
    return kanon__texts_add(&schema->missing, text, length, err);
}

static kanon_status add_missing(kanon_schema *schema, const char *text, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__texts fresh = {0};
    size_t length = strlen(text);
    if (schema->missing_from_flags)
        return kanon__schema_note_missing(schema, text, length, err);
    if (!empty_is_value(schema))
        KANON_TRY(kanon__texts_add(&fresh, "", 0, err), out);
    if (!kanon__same_value(text, length, "", 0))
        KANON_TRY(kanon__texts_add(&fresh, text, length, err), out);
    kanon__texts_clear(&schema->missing);
    schema->missing = fresh;
    schema->missing_from_flags = true;
    fresh = (kanon__texts){0};
out:
    kanon__texts_clear(&fresh);
    return st;
}

kanon_status kanon_schema_add_missing(kanon_schema *schema, const char *text, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, add_missing(schema, text, err));
}

void kanon_schema_clear_missing(kanon_schema *schema)
{
    while (schema->missing.n > (empty_is_value(schema) ? 0 : 1))
        kanon__free(schema->missing.items[--schema->missing.n]);
    schema->missing_from_flags = true;
}

static kanon_status set_empty(kanon_schema *schema, bool is_value, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__texts fresh = {0};
    if (!is_value)
        KANON_TRY(kanon__texts_add(&fresh, "", 0, err), out);
    for (int64_t i = empty_is_value(schema) ? 0 : 1; i < schema->missing.n; i++)
        KANON_TRY(kanon__texts_add(&fresh, schema->missing.items[i], strlen(schema->missing.items[i]), err), out);
    kanon__texts_clear(&schema->missing);
    schema->missing = fresh;
    fresh = (kanon__texts){0};
out:
    kanon__texts_clear(&fresh);
    return st;
}

kanon_status kanon_schema_set_empty(kanon_schema *schema, int is_value, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_empty(schema, is_value != 0, err));
}

kanon_status kanon__schema_add_same(kanon_schema *schema, const char *text, size_t length, const char *other,
                                    size_t other_length, kanon_error *err)
{
    kanon_status st = kanon__texts_add(&schema->same, text, length, err);
    if (st == KANON_OK)
        st = kanon__texts_add(&schema->same, other, other_length, err);
    if (schema->same.n % 2 > 0)
        kanon__free(schema->same.items[--schema->same.n]);
    return st;
}

kanon_status kanon_schema_add_same(kanon_schema *schema, const char *text, const char *other, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, kanon__schema_add_same(schema, text, strlen(text), other, strlen(other), err));
}

bool kanon__schema_is_missing(const kanon_schema *schema, const char *text, size_t length)
{
    for (int64_t i = 0; i < schema->missing.n; i++)
        if (kanon__same_value(schema->missing.items[i], strlen(schema->missing.items[i]), text, length))
            return true;
    return false;
}

/* ---- what is asked of the groups --------------------------------------------------------------------------------- */

static kanon_status set_suppress(kanon_schema *schema, const char *share, kanon_error *err)
{
    if (kanon__fraction_parse(&schema->suppress, share))
        return KANON_OK;
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "suppress: not a share of the records"),
                       "write 0.01 for one percent");
}

kanon_status kanon_schema_set_suppress(kanon_schema *schema, const char *share, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_suppress(schema, share, err));
}

bool kanon__schema_keep_suppressed(kanon_schema *schema, const char *what)
{
    schema->keep_suppressed = what != NULL && strcmp(what, "keep") == 0;
    return schema->keep_suppressed || (what != NULL && strcmp(what, "drop") == 0);
}

kanon_status kanon_schema_set_suppressed(kanon_schema *schema, const char *what, kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, schema->context);
    if (kanon__schema_keep_suppressed(schema, what))
        return kanon__call_end(&call, KANON_OK);
    kanon_status st = kanon__fail(err, KANON_EINVAL, "suppressed: neither keep nor drop");
    return kanon__call_end(&call, kanon__hint(err, st, "write drop to leave suppressed records out of the release"));
}

kanon_status kanon_schema_set_joint_k(kanon_schema *schema, int64_t joint_k, kanon_error *err)
{
    if (joint_k < 0 ? joint_k != KANON_JOINT_K_OFF : joint_k == 1)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "joint-k: not a size of joint classes"),
                           "it is a whole number of at least 2, or off");
    schema->joint_k = joint_k;
    return KANON_OK;
}

static kanon_status set_entity(kanon_schema *schema, const char *column, int together, kanon_error *err)
{
    char *copy = NULL;
    kanon_status st = KANON_OK;
    if (column == NULL && schema->entity == NULL) {
        st = kanon__fail(err, KANON_EINVAL, "entities are to stay together, but there are none");
        return kanon__topic(err, kanon__hint(err, st, "name the column that says whose record it is: entity"), "entity");
    }
    if (column != NULL) {
        st = kanon__copy_text(&copy, column, strlen(column), "a column name", err);
        if (st != KANON_OK)
            return st;
        kanon__free(schema->entity);
        schema->entity = copy;
        schema->entity_line = 0;
    }
    schema->entity_together = together != 0;
    return KANON_OK;
}

kanon_status kanon_schema_set_entity(kanon_schema *schema, const char *column, int together, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_entity(schema, column, together, err));
}

/* One NAME=VALUE of a constraint. */
static kanon_status add_constraint_word(kanon__constraint_text *constraint, const char *word, size_t length,
                                        kanon_error *err)
{
    const char *equals = memchr(word, '=', length);
    if (equals == NULL || equals == word || equals + 1 == word + length) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "constraint: not of the form NAME=VALUE,NAME=VALUE");
        return kanon__hint(err, st, "write it as model=distinct-l-diversity,attribute=COLUMN,l=3");
    }
    if (kanon__texts_find(&constraint->names, word, (size_t)(equals - word)) >= 0)
        return kanon__fail(err, KANON_EINVAL, "constraint: %.*s: given twice", (int)(equals - word), word);
    kanon_status st = kanon__texts_add(&constraint->names, word, (size_t)(equals - word), err);
    if (st == KANON_OK)
        st = kanon__texts_add(&constraint->values, equals + 1, length - (size_t)(equals + 1 - word), err);
    return st;
}

static kanon_status add_constraint(kanon_schema *schema, const char *text, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__constraint_text constraint = {0};
    for (const char *word = text;; word++) {
        size_t length = strcspn(word, ",");
        KANON_TRY(add_constraint_word(&constraint, word, length, err), out);
        word += length;
        if (*word == '\0')
            break;
    }
    KANON_TRY(kanon__grow_array(&schema->constraints, &schema->constraints_capacity, schema->n_constraints + 1,
                                "constraints", err),
              out);
    schema->constraints[schema->n_constraints++] = constraint;
    constraint = (kanon__constraint_text){0};
out:
    kanon__texts_clear(&constraint.names);
    kanon__texts_clear(&constraint.values);
    return st;
}

kanon_status kanon_schema_add_constraint(kanon_schema *schema, const char *text, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, add_constraint(schema, text, err));
}

int64_t kanon_schema_k(const kanon_schema *schema)
{
    return schema->k;
}

const char *kanon_schema_algorithm(const kanon_schema *schema)
{
    return schema->algorithm;
}

const char *kanon_schema_file(const kanon_schema *schema, size_t i)
{
    if (schema->path != NULL && i-- == 0)
        return schema->path;
    for (int64_t at = 0; at < schema->n_attributes; at++)
        if (schema->attributes[at].taxonomy_path != NULL && i-- == 0)
            return schema->attributes[at].taxonomy_path;
    return NULL;
}

int kanon_schema_role(const kanon_schema *schema, const char *column, kanon_role *out)
{
    const kanon__attribute *attribute = kanon__schema_find(schema, column);
    if (attribute == NULL || !attribute->has_role)
        return 0;
    if (out != NULL)
        *out = attribute->role;
    return 1;
}

const char *kanon_schema_taxonomy_path(const kanon_schema *schema, const char *column)
{
    const kanon__attribute *attribute = kanon__schema_find(schema, column);
    return attribute == NULL ? NULL : attribute->taxonomy_path;
}

size_t kanon_schema_settings(const kanon_schema *schema, const kanon_setting **out)
{
    *out = schema->settings;
    return (size_t)schema->n_settings;
}
