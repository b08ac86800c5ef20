/* What a schema file says under a key of schema_keys.h, and what it says of one column. */
#include "core/alloc.h"
#include "table/schema/yaml_reader.h"

#include <string.h>

kanon_status kanon__yaml_place(const kanon__yaml_reader *r, yaml_mark_t mark, kanon_status status)
{
    if (status != KANON_EINVAL)
        return status;
    return kanon__place(r->err, KANON_EDATA, "%s:%zu: column %zu: ", r->path, mark.line + 1, mark.column + 1);
}

kanon_status kanon__yaml_add_text(kanon__yaml_reader *r, kanon__texts *out)
{
    size_t length = kanon__yaml_is_null(r) ? 0 : strlen(kanon__yaml_text(r));
    return kanon__texts_add(out, kanon__yaml_text(r), length, r->err);
}

/* The texts of a list, and where they are. */
typedef struct item_list {
    kanon__texts *items;
    yaml_mark_t *marks;
    int64_t capacity;
} item_list;

static kanon_status read_item(kanon__yaml_reader *r, void *target)
{
    item_list *list = target;
    if (r->event.type != YAML_SCALAR_EVENT)
        return kanon__hint(r->err, kanon__yaml_fail_expected(r, "a text"), "write texts in quotes: [\"?\"]");
    KANON_CHECK(kanon__grow_array(&list->marks, &list->capacity, list->items->n + 1, "a list", r->err));
    list->marks[list->items->n] = r->event.start_mark;
    return kanon__yaml_add_text(r, list->items);
}

kanon_status kanon__yaml_say(kanon__yaml_reader *r, kanon_schema *schema, kanon__attribute *attribute, int key)
{
    kanon_status st = KANON_OK;
    const kanon__schema_key *row = attribute != NULL ? &kanon__column_keys[key] : &kanon__whole_keys[key];
    kanon__saying s = {.schema = schema, .attribute = attribute, .key = key, .from_file = true, .err = r->err};
    item_list list = {.items = &s.items};
    yaml_mark_t mark = r->event.start_mark;
    s.is_list = r->event.type == YAML_SEQUENCE_START_EVENT;
    if (row->form >= KANON__FORM_LIST && (s.is_list || r->event.type != YAML_SCALAR_EVENT || kanon__yaml_is_null(r))) {
        KANON_TRY(kanon__yaml_list(r, row->expected, read_item, &list), out);
    } else {
        if (row->form < KANON__FORM_LIST)
            KANON_TRY(kanon__yaml_want_text(r, row->expected), out);
        KANON_TRY(kanon__yaml_add_text(r, &s.items), out);
    }
    st = kanon__schema_say(&s);
    st = kanon__yaml_place(r, s.is_list && s.wrong < s.items.n ? list.marks[s.wrong] : mark, st);
out:
    kanon__free(list.marks);
    kanon__saying_clear(&s);
    return st;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

typedef struct column_reader {
    kanon_schema *schema;
    kanon__attribute *attribute;
    const kanon__yaml_key *name;
} column_reader;

/* The path, as it can be opened from the working directory. */
static kanon_status read_path(kanon__yaml_reader *r, kanon__attribute *attribute)
{
    kanon__text_writer w = {.err = r->err};
    KANON_CHECK(kanon__yaml_want_text(r, kanon__column_keys[KANON__COLUMN_TAXONOMY].expected));
    const char *slash = strrchr(r->path, '/'), *path = kanon__yaml_text(r);
    kanon__put(&w, r->path, path[0] == '/' || slash == NULL ? 0 : (size_t)(slash - r->path) + 1);
    kanon__put_text(&w, path);
    if (w.st != KANON_OK)
        kanon__free(w.bytes);
    else
        attribute->said[KANON__COLUMN_TAXONOMY] = w.bytes;
    return w.st;
}

static kanon_status fail_conflict(const kanon__yaml_reader *r, const column_reader *c, int key, int other)
{
    char buffer[KANON__YAML_SHOWN];
    const char *name = kanon__yaml_shown(buffer, c->name->text);
    const char *type = kanon_enum_text(KANON_ENUM_TYPE, c->attribute->type);
    kanon_status st = key == KANON__COLUMN_TYPE || other == KANON__COLUMN_TYPE
                          ? kanon__yaml_fail(r, c->name->mark, "'%s' has %s but its type is %s", name,
                                             kanon__column_keys[key + other - KANON__COLUMN_TYPE].noun, type)
                          : kanon__yaml_fail(r, c->name->mark, "'%s' has both %s and %s", name,
                                             kanon__column_keys[key < other ? key : other].noun,
                                             kanon__column_keys[key < other ? other : key].noun);
    return kanon__hint(r->err, st, "remove one of the two");
}

static kanon_status read_column_field(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    column_reader *c = target;
    const char *names[KANON__COLUMN_KEYS];
    int key;
    for (int i = 0; i < KANON__COLUMN_KEYS; i++)
        names[i] = kanon__column_keys[i].name;
    KANON_CHECK(kanon__yaml_key_of(r, &key, k, names, KANON__COLUMN_KEYS));
    if (key == KANON__COLUMN_TAXONOMY && r->event.type == YAML_MAPPING_START_EVENT)
        KANON_CHECK(kanon__yaml_taxonomy(r, &c->attribute->tree));
    else if (key == KANON__COLUMN_TAXONOMY)
        KANON_CHECK(read_path(r, c->attribute));
    else
        KANON_CHECK(kanon__yaml_say(r, c->schema, c->attribute, key));
    int other = kanon__attribute_conflict(c->attribute, key);
    return other >= 0 ? fail_conflict(r, c, key, other) : KANON_OK;
}

kanon_status kanon__yaml_attribute(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    column_reader c = {.schema = target, .name = k};
    /* The keys of a mapping differ, so this makes a new attribute, about which nothing is said yet. */
    KANON_CHECK(kanon__schema_want(&c.attribute, target, k->text, r->err));
    c.attribute->line = (int)(k->mark.line + 1);
    if (kanon__yaml_is_null(r))
        return KANON_OK;
    if (r->event.type == YAML_SCALAR_EVENT)
        return kanon__yaml_say(r, target, c.attribute, KANON__COLUMN_ROLE);
    return kanon__yaml_mapping(r, "a role or a mapping", read_column_field, &c);
}
