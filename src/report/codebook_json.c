/* The codebook for programs: a Frictionless Table Schema, or CSVW metadata. What the two standards have no word for
 * stands under "kanon" and in notes, which readers that do not know them skip. */
#include "core/alloc.h"
#include "report/codebook.h"
#include "report/json_text.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

/* Set `key` to `value`, which is given away; false where either could not be made. */
static bool set(json_t *object, const char *key, json_t *value)
{
    return object != NULL && json_object_set_new(object, key, value) == 0;
}

static bool append(json_t *list, json_t *value)
{
    return list != NULL && json_array_append_new(list, value) == 0;
}

/* A text in two parts. */
static json_t *joined(const char *text, const char *suffix)
{
    char *both = NULL;
    size_t length = strlen(text), more = strlen(suffix);
    if (kanon__new_array(&both, (int64_t)(length + more) + 1, "a text", NULL) != KANON_OK)
        return NULL;
    memcpy(both, text, length);
    memcpy(both + length, suffix, more);
    json_t *value = kanon__json_bytes(both, length + more);
    kanon__free(both);
    return value;
}

/* ---- what is the same in both ------------------------------------------------------------------------------------ */

/* Sources with types have nulls, which are released as empty cells. */
static bool may_be_null(const kanon__codebook *book)
{
    return book->table->source->natural != NULL;
}

/* The texts that mean "no value" in a field. An open end of two columns is empty. */
static json_t *missing_list(const kanon__codebook *book, const kanon__field *field)
{
    const kanon_table *t = book->table;
    json_t *list = json_array();
    bool good = list != NULL, has_empty = false;
    for (int64_t i = 0; good && i < t->missing.n; i++) {
        has_empty = has_empty || t->missing.items[i][0] == '\0';
        good = append(list, kanon__json_bytes(t->missing.items[i], strlen(t->missing.items[i])));
    }
    bool null = field != NULL && may_be_null(book); /* whether a cell was null may be known from originals alone */
    if (good && !has_empty && (null || (field != NULL && field->suffix[0] != '\0')))
        good = append(list, json_string(""));
    if (good && field != NULL && field->any_is_missing)
        good = append(list, json_string("*"));
    return kanon__json_whole(list, good);
}

static bool fill_node(json_t *node, const kanon__column *c, int32_t number)
{
    const kanon__taxonomy *t = c->domain->taxonomy;
    size_t length;
    const char *label = kanon__taxonomy_label(t, number, &length);
    bool good = set(node, "name", kanon__json_bytes(label, length));
    if (t->parent[number] >= 0) {
        const char *parent = kanon__taxonomy_label(t, t->parent[number], &length);
        good = good && set(node, "parent", kanon__json_bytes(parent, length));
    }
    if (t->height[number] == 0)
        return good;
    json_t *leaves = json_array();
    good = good && set(node, "leaves", leaves);
    for (int32_t leaf = t->first_leaf[number]; good && leaf <= t->last_leaf[number]; leaf++) {
        label = kanon__taxonomy_label(t, t->leaf_node[leaf], &length);
        if (!kanon__codebook_is_missing(c, t->leaf_node[leaf]))
            good = append(leaves, kanon__json_bytes(label, length));
    }
    return good;
}

/* The nodes of a taxonomy that the schema gave, each with the values that it covers. */
static json_t *node_list(const kanon__column *c)
{
    const kanon__taxonomy *t = c->domain->taxonomy;
    json_t *list = json_array();
    bool good = list != NULL;
    for (int32_t i = 0; good && i < t->n_nodes; i++) {
        json_t *node = json_object();
        if (kanon__codebook_is_missing(c, i)) {
            json_decref(node);
            continue;
        }
        good = append(list, node) && fill_node(node, c, i);
    }
    return kanon__json_whole(list, good);
}

/* The levels of an ordinal column, from the lowest on. */
static json_t *level_list(const kanon__domain *domain)
{
    json_t *list = json_array();
    bool good = list != NULL;
    for (uint32_t i = 0; good && i < domain->levels.n; i++) {
        size_t length;
        const char *name = kanon__dictionary_text(&domain->levels, i, &length);
        good = append(list, kanon__json_bytes(name, length));
    }
    return kanon__json_whole(list, good);
}

/* Role, type before, format of dates, levels, bands and taxonomy: what the standards have no word for. */
static bool set_own(json_t *own, const kanon__field *field)
{
    static const char *const band_names[] = {"bands", "top", "bottom"};
    const kanon__column *c = field->column;
    bool good = set(own, "role", json_string(kanon_enum_text(KANON_ENUM_ROLE, c->role)));
    if (c->domain == NULL)
        return good;
    good = good && set(own, "originalType", json_string(kanon__told_type(c->domain)));
    if (kanon__codebook_date_format(c) != NULL) /* else day and month are a guess */
        good = good && set(own, "dateFormat", json_string(kanon__codebook_date_format(c)));
    if (good && c->domain->type == KANON_TYPE_ORDINAL)
        good = set(own, "levels", level_list(c->domain));
    for (int i = 0; good && c->role == KANON_ROLE_QUASI && i < 3; i++)
        if (c->domain->band_texts[i] != NULL)
            good = set(own, band_names[i], json_string(c->domain->band_texts[i]));
    return good && (kanon__codebook_taxonomy(c) == NULL || set(own, "taxonomy", node_list(c)));
}

/* ---- Frictionless ------------------------------------------------------------------------------------------------ */

static const char *frictionless_type(const kanon__field *field)
{
    switch (field->type) {
    case KANON_TYPE_INTEGER:
        return "integer";
    case KANON_TYPE_DECIMAL:
        return "number";
    case KANON_TYPE_DATE:
        return kanon__value_has_time(&field->column->domain->format) ? "datetime" : "date";
    default:
        return "string";
    }
}

/* How typed cells are written where that is not the default of the standard. */
static bool set_format(json_t *object, const kanon__field *field)
{
    if (field->column->domain == NULL || field->type == KANON_TYPE_CATEGORICAL)
        return true;
    const kanon__value_format *format = &field->column->domain->format;
    char decimal[2] = {kanon__value_decimal(format)}, thousands[2] = {format->thousands};
    bool good = true;
    if (field->type == KANON_TYPE_DATE)
        return format->date[0] == '\0' || set(object, "format", json_string(format->date));
    if (field->type == KANON_TYPE_DECIMAL && decimal[0] != '.')
        good = set(object, "decimalChar", json_string(decimal));
    if (thousands[0] != '\0')
        good = good && set(object, "groupChar", json_string(thousands));
    return good;
}

static json_t *frictionless_field(const kanon__codebook *book, const kanon__field *field)
{
    json_t *object = json_object(), *own = json_object();
    bool good = set(object, "kanon", own) && set(object, "name", joined(field->column->name, field->suffix)) &&
                set(object, "type", json_string(frictionless_type(field))) &&
                set(object, "description", json_string(field->description)) && set_format(object, field) &&
                set_own(own, field);
    if (good && field->pattern != NULL)
        good = set(object, "constraints", json_pack("{s:s}", "pattern", field->pattern));
    if (good && (field->any_is_missing || (field->column->domain != NULL && may_be_null(book))))
        good = set(object, "missingValues", missing_list(book, field));
    return kanon__json_whole(object, good);
}

static bool fill_frictionless(json_t *root, const kanon__codebook *book)
{
    static const char *const forms[] = {"", "interval", "range", "mean", "columns"};
    json_t *fields = json_array();
    kanon__field here[2];
    bool good = set(root, "$schema", json_string("https://datapackage.org/profiles/2.0/tableschema.json")) &&
                set(root, "fields", fields) && set(root, "missingValues", missing_list(book, NULL));
    for (int i = 0; good && i < book->table->data.n_columns; i++) {
        int n = kanon__codebook_fields(here, book, i);
        for (int j = 0; good && j < n; j++)
            good = append(fields, frictionless_field(book, &here[j]));
    }
    char delimiter[2] = {book->table->source->delimiter};
    return good && set(root, "kanon",
                       json_pack("{s:s, s:o, s:s, s:s}", "version", kanon_version(), "release",
                                 kanon__json_bytes(book->release, strlen(book->release)), "delimiter", delimiter, "numeric",
                                 forms[book->numeric]));
}

/* ---- CSVW -------------------------------------------------------------------------------------------------------- */

/* CSVW has other date formats than the schema, so dates that are not written YYYY-MM-DD are texts there. */
static json_t *csvw_datatype(const kanon__field *field)
{
    const kanon__value_format *format = field->column->domain != NULL ? &field->column->domain->format : NULL;
    if (field->pattern != NULL)
        return json_pack("{s:s, s:s}", "base", "string", "format", field->pattern);
    if (field->type == KANON_TYPE_DATE)
        return json_string(format->date[0] == '\0' ? "date" : "string");
    if (field->type != KANON_TYPE_INTEGER && field->type != KANON_TYPE_DECIMAL)
        return json_string("string");
    const char *base = field->type == KANON_TYPE_INTEGER ? "integer" : "number";
    char decimal[2] = {kanon__value_decimal(format)}, thousands[2] = {format->thousands};
    if (decimal[0] == '.' && thousands[0] == '\0')
        return json_string(base);
    if (thousands[0] == '\0')
        return json_pack("{s:s, s:{s:s}}", "base", base, "format", "decimalChar", decimal);
    return json_pack("{s:s, s:{s:s, s:s}}", "base", base, "format", "decimalChar", decimal, "groupChar", thousands);
}

static json_t *csvw_column(const kanon__codebook *book, const kanon__field *field, int number)
{
    char name[24];
    json_t *object = json_object();
    snprintf(name, sizeof name, "c%d", number);
    bool good = set(object, "name", json_string(name)) &&
                set(object, "titles", joined(field->column->name, field->suffix)) &&
                set(object, "datatype", csvw_datatype(field)) && set(object, "null", missing_list(book, field)) &&
                set(object, "dc:description", json_string(field->description));
    return kanon__json_whole(object, good);
}

/* What CSVW has no word for: a note about the column. */
static json_t *csvw_note(const kanon__field *field)
{
    json_t *note = json_object();
    bool good = set(note, "column", joined(field->column->name, field->suffix)) && set_own(note, field);
    return kanon__json_whole(note, good);
}

static bool fill_csvw(json_t *root, const kanon__codebook *book)
{
    json_t *columns = json_array(), *schema = json_object(), *notes = json_array();
    kanon__field here[2];
    char delimiter[2] = {book->table->source->delimiter};
    int number = 0;
    bool good = set(root, "@context", json_string("http://www.w3.org/ns/csvw")) &&
                set(root, "url", kanon__json_bytes(book->release, strlen(book->release))) &&
                set(root, "dialect", json_pack("{s:s, s:b, s:s}", "delimiter", delimiter, "header", 1, "encoding", "utf-8"));
    good = set(root, "tableSchema", schema) && good;
    good = set(schema, "columns", columns) && good;
    good = set(root, "notes", notes) && good;
    for (int i = 0; good && i < book->table->data.n_columns; i++) {
        int n = kanon__codebook_fields(here, book, i);
        for (int j = 0; good && j < n; j++)
            good = append(columns, csvw_column(book, &here[j], ++number)) && append(notes, csvw_note(&here[j]));
    }
    return good;
}

kanon_status kanon__codebook_json(kanon__output *o, const kanon__codebook *book, bool csvw, kanon_error *err)
{
    json_t *root = json_object();
    bool good = csvw ? fill_csvw(root, book) : fill_frictionless(root, book);
    return kanon__json_write(o, root, good, "the codebook", err);
}
