/* See schema.h. The public functions of a schema; schema_keys.c says what can be said, schema_yaml.c reads one from a file,
 * schema_write.c writes one. */
#include "table/schema/schema.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/take_input.h"
#include "core/text.h"
#include "table/schema/flow_text.h"
#include "table/schema/schema_keys.h"
#include "table/schema/tree_internal.h"
#include "table/text/decode.h"

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
    KANON_RETURN_READING(context, input, read_schema(out, input, err), err);
}

static void clear_attribute(kanon__attribute *attribute)
{
    for (int key = 0; key < KANON__COLUMN_KEYS; key++)
        kanon__attribute_forget(attribute, key);
    kanon__free(attribute->name);
}

void kanon_schema_free(kanon_schema *schema)
{
    if (schema == NULL)
        return;
    for (int64_t i = 0; i < schema->n_attributes; i++)
        clear_attribute(&schema->attributes[i]);
    kanon__free(schema->attributes);
    kanon__dictionary_clear(&schema->names);
    for (int key = KANON__WHOLE_EMPTY + 1; key < KANON__WHOLE_KEYS; key++)
        (void)kanon__schema_forget(schema, key, NULL);
    kanon__free(schema->said[KANON__WHOLE_MISSING]);
    kanon__free(schema->said[KANON__WHOLE_EMPTY]);
    kanon__texts_clear(&schema->missing);
    kanon__free(schema->constraints);
    kanon__free(schema->settings);
    kanon__free(schema->path);
    kanon__free(schema);
}

bool kanon__attribute_is_named(const kanon__attribute *attribute)
{
    bool named = attribute->line > 0 || attribute->tree != NULL;
    for (int key = 0; !named && key < KANON__COLUMN_KEYS; key++)
        named = attribute->said[key] != NULL;
    return named;
}

const kanon__attribute *kanon__schema_find_text(const kanon_schema *schema, const char *name, size_t length)
{
    uint32_t number = kanon__dictionary_find(&schema->names, name, length);
    const kanon__attribute *attribute = number != KANON__NO_CODE ? &schema->attributes[number] : NULL;
    return attribute != NULL && kanon__attribute_is_named(attribute) ? attribute : NULL;
}

const kanon__attribute *kanon__schema_find(const kanon_schema *schema, const char *column)
{
    return kanon__schema_find_text(schema, column, strlen(column));
}

/* The attribute of that name, which is made where it is new. */
kanon_status kanon__schema_want(kanon__attribute **out, kanon_schema *schema, const char *column, kanon_error *err)
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

/* ---- taxonomies -------------------------------------------------------------------------------------------------- */

static kanon_status set_taxonomy(kanon_schema *schema, const char *column, const kanon_input *given, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = NULL;
    kanon__input input = {0};
    kanon__tree *tree = NULL;
    kanon__given g;
    KANON_TRY(kanon__given_take(&g, given, KANON_OK, err), out);
    if (g.input.location != NULL) { /* read with the table */
        st = kanon_schema_set(schema, column, "taxonomy", g.input.location, err);
        goto out;
    }
    KANON_TRY(kanon__input_take(&input, &g.input, KANON__INPUT_TAXONOMY, KANON_OK, err), out);
    KANON_TRY(kanon__input_decode(&input, NULL, NULL, err), out);
    KANON_TRY(kanon__tree_parse(&tree, &input, err), out);
    KANON_TRY(kanon__schema_want(&attribute, schema, column, err), out);
    kanon__attribute_forget(attribute, KANON__COLUMN_TAXONOMY);
    kanon__attribute_make_way(attribute, KANON__COLUMN_TAXONOMY);
    attribute->tree = tree;
    tree = NULL;
out:
    kanon__given_clear(&g);
    kanon__tree_free(tree);
    kanon__input_close(&input);
    return st;
}

kanon_status kanon_schema_set_taxonomy(kanon_schema *schema, const char *column, const kanon_input *taxonomy,
                                       kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set_taxonomy(schema, column, taxonomy, err));
}

/* ---- as text ------------------------------------------------------------------------------------------------------ */

/* The number of the key of that name; -1: there is none. */
static int find_key(const char *name, bool of_column)
{
    const kanon__schema_key *rows = of_column ? kanon__column_keys : kanon__whole_keys;
    int n = of_column ? (int)KANON__COLUMN_KEYS : (int)KANON__WHOLE_KEYS;
    for (int i = 0; i < n; i++)
        if (strcmp(rows[i].name, name) == 0)
            return i;
    return -1;
}

static kanon_status fail_unknown(const char *name, bool of_column, kanon_error *err)
{
    const kanon__schema_key *rows = of_column ? kanon__column_keys : kanon__whole_keys;
    size_t n = of_column ? KANON__COLUMN_KEYS : KANON__WHOLE_KEYS;
    const char *names[KANON__WHOLE_KEYS + KANON__COLUMN_KEYS];
    for (size_t i = 0; i < n; i++)
        names[i] = rows[i].name;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "a schema says no '%s' of %s", name,
                                  of_column ? "a column" : "the whole");
    if (find_key(name, !of_column) >= 0)
        return kanon__hint(err, st, of_column ? "it is said of the whole: without a column" : "it is said of a column");
    return kanon__hint_words(err, st, "choose one of:", names, n, name);
}

/* NAME=VALUE,NAME=VALUE */
static kanon_status cut_pairs(kanon__saying *s, const char *text)
{
    for (;;) {
        size_t length = strcspn(text, ",");
        const char *equals = memchr(text, '=', length);
        if (equals == NULL || equals == text || equals + 1 == text + length)
            return kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "not of the form NAME=VALUE,NAME=VALUE"),
                               s->key == KANON__WHOLE_RELEASE ? "write it as purpose=TEXT,threshold=0.09"
                                                              : "write it as model=distinct-l-diversity,attribute=COLUMN,l=3");
        KANON_CHECK(kanon__texts_add(&s->items, text, (size_t)(equals - text), s->err));
        KANON_CHECK(kanon__texts_add(&s->values, equals + 1, length - (size_t)(equals + 1 - text), s->err));
        text += length;
        if (*text++ == '\0')
            return KANON_OK;
    }
}

/* The next item of a text that may be a list of them. */
static kanon_status parse(kanon__saying *s, kanon__flow *f, kanon__key_form form)
{
    char next = kanon__flow_next(f);
    bool pairs = form == KANON__FORM_PAIRS || form == KANON__FORM_MAPPINGS;
    kanon__saying_clear(s);
    if (next == '{' && pairs)
        return kanon__flow_pairs(f, &s->items, &s->values, s->err);
    s->is_list = next == '[' && !pairs && form >= KANON__FORM_LIST;
    if (s->is_list || form == KANON__FORM_LISTS)
        return kanon__flow_list(f, &s->items, s->err);
    const char *all = f->at;
    f->at += strlen(all);
    return pairs ? cut_pairs(s, all) : kanon__texts_add(&s->items, all, strlen(all), s->err);
}

/* A list of what adds to the schema: all of it, or nothing. */
static kanon_status say_each(kanon__saying *s, kanon__flow *f, const kanon__schema_key *row)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = s->schema;
    char **said = &schema->said[s->key], *before = NULL;
    int64_t n = 0, n_same = schema->same.n, n_constraints = schema->n_constraints;
    if (*said != NULL)
        KANON_CHECK(kanon__copy_text(&before, *said, strlen(*said), "a schema", s->err));
    while (st == KANON_OK && kanon__flow_item(f, ']', &n)) {
        st = parse(s, f, row->form);
        if (st == KANON_OK && !f->wrong)
            st = kanon__schema_say(s);
    }
    if (st == KANON_OK && !kanon__flow_is_whole(f))
        st = kanon__fail(s->err, KANON_EINVAL, "not %s", row->expected);
    if (st != KANON_OK) {
        while (schema->same.n > n_same)
            kanon__free(schema->same.items[--schema->same.n]);
        while (schema->n_constraints > n_constraints)
            kanon__constraint_clear(&schema->constraints[--schema->n_constraints]);
        kanon__free(*said);
        *said = before;
        before = NULL;
    }
    kanon__free(before);
    return st;
}

static kanon_status say_text(kanon__saying *s, const char *text, const kanon__schema_key *row)
{
    kanon__flow f = {text, false};
    char inner = row->form == KANON__FORM_LISTS ? '[' : '{';
    if (row->form < KANON__FORM_LIST) {
        KANON_CHECK(kanon__texts_add(&s->items, text, strlen(text), s->err));
        return kanon__schema_say(s);
    }
    if (row->form >= KANON__FORM_LISTS && kanon__flow_next(&f) == '[') {
        kanon__flow behind = {f.at + 1, false};
        if (kanon__flow_next(&behind) == inner) {
            f.at++;
            return say_each(s, &f, row);
        }
    }
    KANON_CHECK(parse(s, &f, row->form));
    if (!kanon__flow_is_whole(&f))
        return kanon__fail(s->err, KANON_EINVAL, "not %s", row->expected);
    return kanon__schema_say(s);
}

/* Of a column that is new nothing stays where what is said of it is wrong. */
static kanon_status set(kanon_schema *schema, const char *column, const char *name, const char *text, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__attribute fresh = {.weight = 1}, *found = NULL, *made = NULL;
    int key = find_key(name, column != NULL);
    if (key < 0)
        return fail_unknown(name, column != NULL, err);
    if (column != NULL) {
        uint32_t number = kanon__dictionary_find(&schema->names, column, strlen(column));
        found = number != KANON__NO_CODE ? &schema->attributes[number] : &fresh;
    }
    if (text == NULL && found != NULL)
        kanon__attribute_forget(found, key);
    if (text == NULL)
        return found != NULL ? KANON_OK : kanon__schema_forget(schema, key, err);
    kanon__saying s = {.schema = schema, .attribute = found, .key = key, .err = err};
    bool is_path = column != NULL && key == KANON__COLUMN_TAXONOMY; /* which can have any bytes */
    if ((!is_path && !kanon__text_is_utf8(text)) || (column != NULL && !kanon__text_is_utf8(column)))
        st = kanon__fail(err, KANON_EINVAL, "the text is not UTF-8");
    if (st == KANON_OK)
        st = say_text(&s, text, column != NULL ? &kanon__column_keys[key] : &kanon__whole_keys[key]);
    if (st == KANON_EINVAL)
        st = column != NULL ? kanon__place(err, st, "column '%s': ", column) : kanon__place(err, st, "%s: ", name);
    if (st == KANON_OK && found == &fresh)
        st = kanon__schema_want(&made, schema, column, err);
    if (made != NULL) {
        fresh.name = made->name;
        *made = fresh;
    } else if (found == &fresh) {
        clear_attribute(&fresh);
    }
    kanon__saying_clear(&s);
    return st;
}

kanon_status kanon_schema_set(kanon_schema *schema, const char *column, const char *name, const char *text,
                              kanon_error *err)
{
    KANON_RETURN_IN(schema->context, set(schema, column, name, text, err));
}

const char *kanon_schema_get(const kanon_schema *schema, const char *column, const char *name)
{
    int key = find_key(name, column != NULL);
    const kanon__attribute *attribute = column != NULL && key >= 0 ? kanon__schema_find(schema, column) : NULL;
    if (key < 0 || (column != NULL && attribute == NULL))
        return NULL;
    return attribute != NULL ? attribute->said[key] : schema->said[key];
}

const char *kanon_schema_column_at(const kanon_schema *schema, size_t i)
{
    for (int64_t at = 0; at < schema->n_attributes; at++)
        if (kanon__attribute_is_named(&schema->attributes[at]) && i-- == 0)
            return schema->attributes[at].name;
    return NULL;
}

const char *kanon_schema_constraint_at(const kanon_schema *schema, size_t i)
{
    return i < (size_t)schema->n_constraints ? schema->constraints[i].text : NULL;
}

bool kanon__schema_is_missing(const kanon_schema *schema, const char *text, size_t length)
{
    for (int64_t i = 0; i < schema->missing.n; i++)
        if (kanon__same_value(schema->missing.items[i], strlen(schema->missing.items[i]), text, length))
            return true;
    return false;
}

const char *kanon_schema_file(const kanon_schema *schema, size_t i)
{
    if (schema->path != NULL && i-- == 0)
        return schema->path;
    for (int64_t at = 0; at < schema->n_attributes; at++)
        if (schema->attributes[at].said[KANON__COLUMN_TAXONOMY] != NULL && i-- == 0)
            return schema->attributes[at].said[KANON__COLUMN_TAXONOMY];
    return NULL;
}
