/* What a schema file says of one column: role, type, taxonomy, mask, weight, bands, format and separators. */
#include "core/alloc.h"
#include "table/schema/schema_limits.h"
#include "table/schema/yaml_reader.h"
#include "table/value/bands.h"
#include "table/value/number.h"

#include <string.h>

kanon_status kanon__yaml_role(kanon__yaml_reader *r, kanon_role *out)
{
    static const kanon__yaml_word roles[] = {
        {"identifying", KANON_ROLE_IDENTIFYING}, {"quasi", KANON_ROLE_QUASI},
        {"sensitive", KANON_ROLE_SENSITIVE},     {"insensitive", KANON_ROLE_INSENSITIVE},
        {"quasi-identifying", KANON_ROLE_QUASI},
    };
    int value = 0;
    kanon_status st = kanon__yaml_word_of(r, &value, roles, KANON__ROWS_OF(roles), "a role", "roles");
    if (st == KANON_OK)
        *out = (kanon_role)value;
    return st;
}

/* `path` as it can be opened from the working directory. */
static kanon_status resolve_path(kanon__yaml_reader *r, char **out, const char *path)
{
    const char *slash = strrchr(r->path, '/');
    size_t directory = path[0] == '/' || slash == NULL ? 0 : (size_t)(slash - r->path) + 1, length = strlen(path);
    kanon_status st = kanon__new_array(out, (int64_t)(directory + length + 1), "a file name", r->err);
    if (st == KANON_OK) {
        memcpy(*out, r->path, directory);
        memcpy(*out + directory, path, length);
    }
    return st;
}

static kanon_status read_role(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__attribute *attribute = target;
    (void)k;
    kanon_status st = kanon__yaml_role(r, &attribute->role);
    attribute->has_role = st == KANON_OK;
    return st;
}

static kanon_status read_type(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    static const kanon__yaml_word types[] = {
        {"integer", KANON_TYPE_INTEGER},
        {"decimal", KANON_TYPE_DECIMAL},
        {"date", KANON_TYPE_DATE},
        {"categorical", KANON_TYPE_CATEGORICAL},
        {"ordinal", KANON_TYPE_ORDINAL},
    };
    kanon__attribute *attribute = target;
    int value = 0;
    (void)k;
    kanon_status st = kanon__yaml_word_of(r, &value, types, KANON__ROWS_OF(types), "a type", "types");
    if (st == KANON_OK)
        attribute->type = (kanon_type)value;
    return st;
}

static kanon_status read_level(kanon__yaml_reader *r, void *target)
{
    const char *fault = NULL;
    kanon_status st = kanon__yaml_want_text(r, "a level");
    if (st == KANON_OK)
        st = kanon__levels_add(target, kanon__yaml_text(r), strlen(kanon__yaml_text(r)), &fault, r->err);
    if (st == KANON_OK && fault != NULL)
        st = kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "a level that %s", fault),
                         "name each level once, from the lowest to the highest");
    return st;
}

static kanon_status read_order(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__attribute *attribute = target;
    kanon_status st = kanon__yaml_list(r, "a list of levels, from the lowest to the highest", read_level,
                                       &attribute->levels);
    if (st == KANON_OK && attribute->levels.n == 0)
        st = kanon__yaml_fail(r, k->mark, "an order without levels");
    return st;
}

static kanon_status read_mask(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    static const kanon__yaml_word masks[] = {{"right", KANON_MASK_RIGHT}, {"left", KANON_MASK_LEFT}};
    kanon__attribute *attribute = target;
    int value = 0;
    (void)k;
    kanon_status st = kanon__yaml_word_of(r, &value, masks, KANON__ROWS_OF(masks), "a side to mask from", "sides");
    if (st == KANON_OK)
        attribute->mask = (kanon_mask)value;
    return st;
}

static kanon_status read_weight(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__attribute *attribute = target;
    kanon__decimal weight;
    (void)k;
    kanon_status st = kanon__yaml_copy_text(r, &attribute->weight_text, "a weight");
    if (st != KANON_OK)
        return st;
    if (!kanon__parse_decimal(&weight, kanon__yaml_text(r), strlen(kanon__yaml_text(r))) ||
        !(weight.value > 0 && weight.value <= KANON__WEIGHT_MAX))
        return kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "not a weight"),
                           "a weight is a number above 0, at most %d", KANON__WEIGHT_MAX);
    attribute->weight = weight.value;
    return KANON_OK;
}

static kanon_status read_taxonomy(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__attribute *attribute = target;
    (void)k;
    if (r->event.type == YAML_MAPPING_START_EVENT)
        return kanon__yaml_taxonomy(r, &attribute->tree);
    kanon_status st = kanon__yaml_want_text(r, "the path of a taxonomy or a mapping");
    return st == KANON_OK ? resolve_path(r, &attribute->taxonomy_path, kanon__yaml_text(r)) : st;
}

/* One more edge, after a comma. */
static kanon_status read_edge(kanon__yaml_reader *r, void *target)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = target;
    char *joined = NULL;
    KANON_TRY(kanon__yaml_want_text(r, "an edge between two bands"), out);
    if (strchr(kanon__yaml_text(r), ',') != NULL)
        return kanon__yaml_fail(r, r->event.start_mark, "an edge with a comma");
    size_t before = attribute->bands != NULL ? strlen(attribute->bands) : 0, size = before + strlen(kanon__yaml_text(r)) + 2;
    KANON_TRY(kanon__new_array(&joined, (int64_t)size, "bands", r->err), out);
    snprintf(joined, size, "%s%s%s", before > 0 ? attribute->bands : "", before > 0 ? "," : "", kanon__yaml_text(r));
    kanon__free(attribute->bands);
    attribute->bands = joined;
out:
    return st;
}

/* A list of a single edge gets a comma, which tells it from a width. */
static kanon_status read_bands(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = target;
    (void)k;
    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return kanon__yaml_copy_text(r, &attribute->bands, "a width, a list of edges or a unit of the calendar");
    KANON_TRY(kanon__yaml_list(r, "a list of edges", read_edge, attribute), out);
    if (attribute->bands == NULL)
        st = kanon__yaml_fail(r, k->mark, "a list without edges");
    else if (strchr(attribute->bands, ',') == NULL)
        st = kanon__hint(r->err, kanon__yaml_fail(r, k->mark, "a list of a single edge"),
                         "write two edges or more, or 'top'");
out:
    return st;
}

static kanon_status read_band_end(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__attribute *attribute = target;
    return kanon__yaml_copy_text(r, strcmp(k->text, "top") == 0 ? &attribute->top : &attribute->bottom,
                                 "a number or a date");
}

static kanon_status read_format(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__attribute *attribute = target;
    (void)k;
    kanon_status st = kanon__yaml_want_text(r, "a format of dates such as \"%d.%m.%Y\"");
    if (st != KANON_OK)
        return st;
    const char *fault = kanon__date_format_fault(kanon__yaml_text(r));
    if (fault != NULL)
        return kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "not a format of dates"), "%s", fault);
    memcpy(attribute->format.date, kanon__yaml_text(r), strlen(kanon__yaml_text(r)) + 1);
    return KANON_OK;
}

kanon_status kanon__yaml_separator(kanon__yaml_reader *r, const kanon__yaml_key *k, char *decimal, char *thousands)
{
    const char *fault = "a separator is one character";
    kanon_status st = kanon__yaml_want_text(r, "a separator in quotes, such as \",\"");
    if (st != KANON_OK)
        return st;
    if (strlen(kanon__yaml_text(r)) == 1) {
        *(strcmp(k->text, "decimal") == 0 ? decimal : thousands) = kanon__yaml_text(r)[0];
        fault = kanon__separators_fault(*decimal, *thousands);
    }
    return fault == NULL
               ? KANON_OK
               : kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "not a separator of numbers"), "%s", fault);
}

static kanon_status read_separator(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__value_format *format = &((kanon__attribute *)target)->format;
    return kanon__yaml_separator(r, k, &format->decimal, &format->thousands);
}

static kanon_status read_attribute_field(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    static const kanon__yaml_field fields[] = {
        {"role", read_role},     {"type", read_type},       {"taxonomy", read_taxonomy},   {"mask", read_mask},
        {"weight", read_weight}, {"bands", read_bands},     {"top", read_band_end},        {"bottom", read_band_end},
        {"format", read_format}, {"decimal", read_separator}, {"thousands", read_separator}, {"order", read_order},
    };
    return kanon__yaml_field_of(r, k, fields, KANON__ROWS_OF(fields), target);
}

static kanon_status check_bands(const kanon__yaml_reader *r, const kanon__yaml_key *k, const kanon__attribute *attribute)
{
    char buffer[KANON__YAML_SHOWN];
    const char *problem, *hint;
    bool has_mask = attribute->mask != KANON_MASK_NONE;
    if (has_mask || attribute->taxonomy_path != NULL || attribute->tree != NULL)
        return kanon__hint(r->err,
                           kanon__yaml_fail(r, k->mark, "'%s' has both bands and a %s", kanon__yaml_shown(buffer, k->text),
                                            has_mask ? "mask" : "taxonomy"),
                           "bands are for numbers and dates, taxonomies for categories: remove one of the two");
    if (attribute->type == KANON_TYPE_CATEGORICAL || attribute->type == KANON_TYPE_ORDINAL)
        return kanon__hint(r->err,
                           kanon__yaml_fail(r, k->mark, "'%s' has bands but its type is %s",
                                            kanon__yaml_shown(buffer, k->text),
                                            kanon_enum_text(KANON_ENUM_TYPE, attribute->type)),
                           "bands are for numbers and dates; a category has a taxonomy, and levels have an order");
    if (attribute->has_role && attribute->role != KANON_ROLE_QUASI)
        return kanon__hint(r->err,
                           kanon__yaml_fail(r, k->mark, "'%s' has bands but its role is %s",
                                            kanon__yaml_shown(buffer, k->text),
                                            kanon_enum_text(KANON_ENUM_ROLE, attribute->role)),
                           "only quasi-identifiers are generalised: use role: quasi or remove the bands");
    if (!kanon__bands_check(attribute->bands, attribute->top, attribute->bottom, &problem, &hint))
        return kanon__hint(r->err, kanon__yaml_fail(r, k->mark, "'%s': %s", kanon__yaml_shown(buffer, k->text), problem),
                           "%s", hint);
    return KANON_OK;
}

/* An order says that the type is ordinal. Without one the source has to know the levels, as ordered dictionaries do. */
static kanon_status check_order(const kanon__yaml_reader *r, const kanon__yaml_key *k, kanon__attribute *attribute)
{
    char buffer[KANON__YAML_SHOWN];
    if (attribute->levels.n == 0)
        return KANON_OK;
    if (attribute->type == KANON_TYPE_UNKNOWN)
        attribute->type = KANON_TYPE_ORDINAL;
    if (attribute->type != KANON_TYPE_ORDINAL)
        return kanon__hint(r->err,
                           kanon__yaml_fail(r, k->mark, "'%s' has an order but its type is %s",
                                            kanon__yaml_shown(buffer, k->text),
                                            kanon_enum_text(KANON_ENUM_TYPE, attribute->type)),
                           "use type: ordinal or remove the order");
    return KANON_OK;
}

static kanon_status check_attribute(const kanon__yaml_reader *r, const kanon__yaml_key *k, const kanon__attribute *attribute)
{
    char buffer[KANON__YAML_SHOWN];
    bool is_numeric = attribute->type != KANON_TYPE_UNKNOWN && attribute->type != KANON_TYPE_CATEGORICAL;
    bool has_taxonomy = attribute->taxonomy_path != NULL || attribute->tree != NULL;
    bool has_mask = attribute->mask != KANON_MASK_NONE;
    if (has_taxonomy && has_mask)
        return kanon__hint(
            r->err, kanon__yaml_fail(r, k->mark, "'%s' has both a taxonomy and a mask", kanon__yaml_shown(buffer, k->text)),
            "a mask makes a taxonomy: remove one of the two");
    if (is_numeric && (has_taxonomy || has_mask))
        return kanon__hint(r->err,
                           kanon__yaml_fail(r, k->mark, "'%s' has a %s but its type is %s",
                                            kanon__yaml_shown(buffer, k->text), has_mask ? "mask" : "taxonomy",
                                            kanon_enum_text(KANON_ENUM_TYPE, attribute->type)),
                           "use type: categorical or remove the %s", has_mask ? "mask" : "taxonomy");
    if (attribute->format.date[0] != '\0' && attribute->type != KANON_TYPE_DATE &&
        (attribute->type != KANON_TYPE_UNKNOWN || has_taxonomy || has_mask))
        return kanon__hint(
            r->err, kanon__yaml_fail(r, k->mark, "'%s' has a format but is no date", kanon__yaml_shown(buffer, k->text)),
            "use type: date or remove the format");
    return kanon__attribute_has_bands(attribute) ? check_bands(r, k, attribute) : KANON_OK;
}

kanon_status kanon__yaml_attribute(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_schema *schema = target;
    /* The keys of a mapping differ, so this makes a new attribute, about which nothing is said yet. */
    kanon_status st = kanon_schema_set_type(schema, k->text, KANON_TYPE_UNKNOWN, r->err);
    if (st != KANON_OK)
        return st;
    kanon__attribute *attribute = &schema->attributes[schema->n_attributes - 1];
    attribute->line = (int)(k->mark.line + 1);
    if (kanon__yaml_is_null(r))
        return KANON_OK;
    if (r->event.type == YAML_SCALAR_EVENT)
        return read_role(r, k, attribute);
    st = kanon__yaml_mapping(r, "a role or a mapping", read_attribute_field, attribute);
    if (st == KANON_OK)
        st = check_order(r, k, attribute);
    return st == KANON_OK ? check_attribute(r, k, attribute) : st;
}
