/* The schema file: its keys, which are the rows of schema_keys.h, and where they stand. */
#include "core/alloc.h"
#include "core/context.h"
#include "table/schema/yaml_reader.h"

#include <string.h>

static kanon_status fail_without_attributes(const kanon__yaml_reader *r, yaml_mark_t mark)
{
    return kanon__hint(r->err, kanon__yaml_fail(r, mark, "no attributes"),
                       "write 'attributes:' and below it 'COLUMN: {role: ROLE}'");
}

static kanon_status read_attributes(kanon__yaml_reader *r, const kanon__yaml_key *k, kanon_schema *schema)
{
    if (kanon__yaml_is_null(r))
        return fail_without_attributes(r, k->mark);
    r->has_attributes = true;
    return kanon__yaml_mapping(r, "a mapping of column names to what they are", kanon__yaml_attribute, schema);
}

/* One of the lists of texts that are one. */
static kanon_status read_same(kanon__yaml_reader *r, void *target)
{
    return kanon__yaml_say(r, target, NULL, KANON__WHOLE_SAME);
}

/* A name with its value: of a constraint, or a setting. */
static kanon_status read_pair(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__saying *s = target;
    KANON_CHECK(kanon__yaml_want_text(r, "a text or a number"));
    KANON_CHECK(kanon__texts_add(&s->items, k->text, strlen(k->text), r->err));
    return kanon__yaml_add_text(r, &s->values);
}

static kanon_status read_constraint(kanon__yaml_reader *r, void *target)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = target;
    kanon__saying s = {.schema = schema, .key = KANON__WHOLE_CONSTRAINT, .from_file = true, .err = r->err};
    yaml_mark_t mark = r->event.start_mark;
    KANON_TRY(kanon__yaml_mapping(r, kanon__whole_keys[KANON__WHOLE_CONSTRAINT].expected, read_pair, &s), out);
    KANON_TRY(kanon__yaml_place(r, mark, kanon__schema_say(&s)), out);
    schema->constraints[schema->n_constraints - 1].line = (int)(mark.line + 1);
out:
    kanon__saying_clear(&s);
    return st;
}

static kanon_status read_release(kanon__yaml_reader *r, kanon_schema *schema)
{
    kanon_status st = KANON_OK;
    kanon__saying s = {.schema = schema, .key = KANON__WHOLE_RELEASE, .from_file = true, .err = r->err};
    yaml_mark_t mark = r->event.start_mark;
    KANON_TRY(kanon__yaml_mapping(r, kanon__whole_keys[KANON__WHOLE_RELEASE].expected, read_pair, &s), out);
    KANON_TRY(kanon__yaml_place(r, mark, kanon__schema_say(&s)), out);
out:
    kanon__saying_clear(&s);
    return st;
}

static kanon_status read_privacy_field(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    const char *names[KANON__WHOLE_KEYS];
    kanon_schema *schema = target;
    int n = 0, at;
    for (int key = KANON__WHOLE_K; key < KANON__WHOLE_CONSTRAINT; key++)
        names[n++] = kanon__whole_keys[key].name;
    names[n++] = "constraints";
    KANON_CHECK(kanon__yaml_key_of(r, &at, k, names, (size_t)n));
    if (at < n - 1)
        return kanon__yaml_say(r, schema, NULL, KANON__WHOLE_K + at);
    schema->constraints_line = (int)(k->mark.line + 1);
    return kanon__yaml_is_null(r) ? KANON_OK : kanon__yaml_list(r, "a list of constraints", read_constraint, schema);
}

static kanon_status read_privacy(kanon__yaml_reader *r, kanon_schema *schema)
{
    return kanon__yaml_is_null(r) ? KANON_OK
                                  : kanon__yaml_mapping(r, "a mapping such as {k: 10}", read_privacy_field, schema);
}

static kanon_status read_algorithm_field(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__saying *s = target;
    if (strcmp(k->text, "name") == 0)
        return kanon__yaml_say(r, s->schema, NULL, KANON__WHOLE_ALGORITHM);
    return read_pair(r, k, s);
}

static kanon_status read_algorithm(kanon__yaml_reader *r, const kanon__yaml_key *k, kanon_schema *schema)
{
    kanon_status st = KANON_OK;
    kanon__saying s = {.schema = schema, .key = KANON__WHOLE_SETTINGS, .from_file = true, .err = r->err};
    if (r->event.type == YAML_SCALAR_EVENT && !kanon__yaml_is_empty(r))
        return kanon__yaml_say(r, schema, NULL, KANON__WHOLE_ALGORITHM);
    KANON_TRY(kanon__yaml_mapping(r, "the name of an algorithm or a mapping such as {name: ALGORITHM}",
                                  read_algorithm_field, &s),
              out);
    if (schema->said[KANON__WHOLE_ALGORITHM] == NULL)
        st = kanon__hint(r->err, kanon__yaml_fail(r, k->mark, "an algorithm without a name"),
                         "write it as {name: ALGORITHM, SETTING: VALUE}");
    else if (s.items.n > 0)
        st = kanon__yaml_place(r, k->mark, kanon__schema_say(&s));
out:
    kanon__saying_clear(&s);
    return st;
}

static kanon_status read_schema_field(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    enum { ATTRIBUTES = KANON__WHOLE_SETTINGS, PRIVACY = KANON__WHOLE_K, JOINT_K, N }; /* for keys that stand elsewhere */
    kanon_schema *schema = target;
    const char *names[N];
    int key;
    for (int i = 0; i < PRIVACY; i++)
        names[i] = kanon__whole_keys[i].name;
    names[ATTRIBUTES] = "attributes";
    names[PRIVACY] = "privacy";
    names[JOINT_K] = kanon__whole_keys[KANON__WHOLE_JOINT_K].name; /* as in `privacy`, where it belongs */
    KANON_CHECK(kanon__yaml_key_of(r, &key, k, names, N));
    switch (key) {
    case ATTRIBUTES:
        return read_attributes(r, k, schema);
    case PRIVACY:
        return read_privacy(r, schema);
    case JOINT_K:
        return kanon__yaml_say(r, schema, NULL, KANON__WHOLE_JOINT_K);
    case KANON__WHOLE_ALGORITHM:
        return read_algorithm(r, k, schema);
    case KANON__WHOLE_RELEASE:
        return kanon__yaml_is_null(r) ? KANON_OK : read_release(r, schema);
    case KANON__WHOLE_SAME:
        return kanon__yaml_list(r, kanon__whole_keys[key].expected, read_same, schema);
    default:
        KANON_CHECK(kanon__yaml_say(r, schema, NULL, key));
    }
    if (key == KANON__WHOLE_KEY)
        schema->key_line = (int)(k->mark.line + 1);
    else if (key == KANON__WHOLE_ENTITY)
        schema->entity_line = (int)(k->mark.line + 1);
    else if (key == KANON__WHOLE_ENTITY_TOGETHER)
        r->together = k->mark;
    return KANON_OK;
}

static kanon_status read_stream(kanon__yaml_reader *r, kanon_schema *schema)
{
    kanon_status st = KANON_OK;
    yaml_mark_t start = {0};
    KANON_TRY(kanon__yaml_next(r), out); /* the stream's start */
    KANON_TRY(kanon__yaml_next(r), out); /* the document's start, or the stream's end where there is none */
    if (r->event.type == YAML_DOCUMENT_START_EVENT)
        KANON_TRY(kanon__yaml_next(r), out);
    if (r->event.type == YAML_STREAM_END_EVENT || kanon__yaml_is_null(r))
        return fail_without_attributes(r, start);
    KANON_TRY(kanon__yaml_mapping(r, "a mapping with the key 'attributes'", read_schema_field, schema), out);
    if (!r->has_attributes)
        return fail_without_attributes(r, start);
    if (schema->entity_together && schema->said[KANON__WHOLE_ENTITY] == NULL)
        return kanon__hint(r->err, kanon__yaml_fail(r, r->together, "entities are to stay together, but there are none"),
                           "name the column that says whose record it is: entity");
    KANON_TRY(kanon__yaml_next(r), out); /* the document's end */
    KANON_TRY(kanon__yaml_next(r), out);
    if (r->event.type != YAML_STREAM_END_EVENT)
        st = kanon__yaml_fail(r, r->event.start_mark, "a second document: a schema is a single one");
out:
    return st;
}

kanon_status kanon__schema_parse(kanon_schema **out, const char *bytes, size_t size, const char *path, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = NULL;
    /* The parser, told that this is UTF-8, would count a byte order mark as a column. */
    size_t bom = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    kanon__yaml_reader r = {.bytes = size > bom ? bytes + bom : "", .size = size - bom, .path = path, .err = err};
    *out = NULL;
    if (!yaml_parser_initialize(&r.parser))
        return kanon__fail(err, KANON_ENOMEM, "out of memory for reading %s", path);
    yaml_parser_set_encoding(&r.parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&r.parser, (const unsigned char *)r.bytes, r.size);
    KANON_TRY(kanon_schema_new(&schema, kanon__call_context(), err), out);
    KANON_TRY(kanon__copy_text(&schema->path, path, strlen(path), "a file name", err), out);
    KANON_TRY(read_stream(&r, schema), out);
    *out = schema;
    schema = NULL;
out:
    yaml_event_delete(&r.event);
    yaml_parser_delete(&r.parser);
    kanon_schema_free(schema);
    return st;
}
