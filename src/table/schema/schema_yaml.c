/* The schema file: its keys, one function each. */
#include "core/alloc.h"
#include "core/context.h"
#include "table/schema/yaml_reader.h"
#include "table/text/decode.h"
#include "table/value/number.h"

#include <string.h>

static kanon_status fail_without_attributes(const kanon__yaml_reader *r, yaml_mark_t mark)
{
    return kanon__hint(r->err, kanon__yaml_fail(r, mark, "no attributes"),
                       "write 'attributes:' and below it 'COLUMN: {role: ROLE}'");
}

static kanon_status read_attributes(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    if (kanon__yaml_is_null(r))
        return fail_without_attributes(r, k->mark);
    r->has_attributes = true;
    return kanon__yaml_mapping(r, "a mapping of column names to what they are", kanon__yaml_attribute, target);
}

static kanon_status read_missing_item(kanon__yaml_reader *r, void *target)
{
    if (r->event.type != YAML_SCALAR_EVENT)
        return kanon__hint(r->err, kanon__yaml_fail_expected(r, "a text that means \"no value\""),
                           "write texts in quotes: [\"?\"]");
    size_t length = kanon__yaml_is_null(r) ? 0 : strlen(kanon__yaml_text(r));
    return kanon__schema_note_missing(target, kanon__yaml_text(r), length, r->err);
}

static kanon_status read_missing(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    (void)k;
    if (r->event.type == YAML_SCALAR_EVENT && !kanon__yaml_is_null(r))
        return read_missing_item(r, target);
    return kanon__yaml_list(r, "a list of texts that mean \"no value\"", read_missing_item, target);
}

static kanon_status read_empty(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    static const kanon__yaml_word words[] = {{"missing", 0}, {"value", 1}};
    int is_value = 0;
    (void)k;
    kanon_status st = kanon__yaml_word_of(r, &is_value, words, KANON__ROWS_OF(words), "missing or value", "words");
    return st == KANON_OK ? kanon_schema_set_empty(target, is_value, r->err) : st;
}

/* Texts that are one: the first with each of the others. */
typedef struct same_list {
    kanon_schema *schema;
    char *first; /* NULL: not read yet */
    bool has_two;
} same_list;

static kanon_status read_same_text(kanon__yaml_reader *r, void *target)
{
    same_list *list = target;
    if (r->event.type != YAML_SCALAR_EVENT)
        return kanon__hint(r->err, kanon__yaml_fail_expected(r, "a text"), "write texts in quotes: [[\"?\", NA]]");
    const char *text = kanon__yaml_text(r);
    if (list->first == NULL)
        return kanon__copy_text(&list->first, text, strlen(text), "a text", r->err);
    list->has_two = true;
    return kanon__schema_add_same(list->schema, list->first, strlen(list->first), text, strlen(text), r->err);
}

static kanon_status read_same_list(kanon__yaml_reader *r, void *target)
{
    same_list list = {.schema = target};
    yaml_mark_t mark = r->event.start_mark;
    kanon_status st = kanon__yaml_list(r, "a list of texts that are one", read_same_text, &list);
    if (st == KANON_OK && !list.has_two)
        st = kanon__hint(r->err, kanon__yaml_fail(r, mark, "fewer than two texts"),
                         "write lists of two texts or more: [[\"?\", NA]]");
    kanon__free(list.first);
    return st;
}

static kanon_status read_same(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    (void)k;
    return kanon__yaml_list(r, "a list of lists of texts that are one, such as [[\"?\", NA]]", read_same_list, target);
}

static kanon_status read_default_role(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_schema *schema = target;
    (void)k;
    kanon_status st = kanon__yaml_role(r, &schema->default_role);
    schema->has_default_role = st == KANON_OK;
    return st;
}

static kanon_status read_k(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_schema *schema = target;
    int64_t value = 0;
    (void)k;
    kanon_status st = kanon__yaml_want_text(r, "a whole number");
    if (st != KANON_OK)
        return st;
    if (!kanon__parse_integer(&value, kanon__yaml_text(r), strlen(kanon__yaml_text(r))) || value < 2)
        return kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "not a k"), "k is a whole number of at least 2");
    schema->k = value;
    return KANON_OK;
}

static kanon_status read_constraint_value(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon__constraint_text *constraint = target;
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__yaml_want_text(r, "a text or a number"), out);
    KANON_TRY(kanon__texts_add(&constraint->names, k->text, strlen(k->text), r->err), out);
    KANON_TRY(kanon__texts_add(&constraint->values, kanon__yaml_text(r), strlen(kanon__yaml_text(r)), r->err), out);
out:
    return st;
}

static kanon_status read_constraint(kanon__yaml_reader *r, void *target)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = target;
    yaml_mark_t mark = r->event.start_mark;
    KANON_TRY(kanon__grow_array(&schema->constraints, &schema->constraints_capacity, schema->n_constraints + 1,
                                "constraints", r->err),
              out);
    kanon__constraint_text *constraint = &schema->constraints[schema->n_constraints++];
    *constraint = (kanon__constraint_text){.line = (int)(mark.line + 1)};
    KANON_TRY(kanon__yaml_mapping(r, "a mapping such as {model: t-closeness, attribute: COLUMN, t: 0.3}",
                                  read_constraint_value, constraint),
              out);
    if (kanon__texts_find(&constraint->names, "model", strlen("model")) < 0)
        st = kanon__hint(r->err, kanon__yaml_fail(r, mark, "a constraint without a model"),
                         "write it as {model: t-closeness, attribute: COLUMN, t: 0.3}");
out:
    return st;
}

static kanon_status read_constraints(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_schema *schema = target;
    schema->constraints_line = (int)(k->mark.line + 1);
    return kanon__yaml_is_null(r) ? KANON_OK : kanon__yaml_list(r, "a list of constraints", read_constraint, schema);
}

static kanon_status read_suppress(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    (void)k;
    kanon_status st = kanon__yaml_want_text(r, "a share of the records such as 0.01");
    if (st == KANON_OK && !kanon__fraction_parse(&((kanon_schema *)target)->suppress, kanon__yaml_text(r)))
        st = kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "not a share of the records"),
                         "write 0.01 for one percent");
    return st;
}

static kanon_status read_suppressed(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    (void)k;
    kanon_status st = kanon__yaml_want_text(r, "keep or drop");
    if (st == KANON_OK && !kanon__schema_keep_suppressed(target, kanon__yaml_text(r)))
        st = kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "neither keep nor drop"),
                         "write drop to leave suppressed records out of the release");
    return st;
}

static kanon_status read_joint_k(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    int64_t value = KANON_JOINT_K_OFF;
    (void)k;
    kanon_status st = kanon__yaml_want_text(r, "a whole number, or off");
    const char *text = st == KANON_OK ? kanon__yaml_text(r) : "";
    if (st != KANON_OK)
        return st;
    if (strcmp(text, "off") != 0 && (!kanon__parse_integer(&value, text, strlen(text)) || value < 2))
        return kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "not a size of joint classes"),
                           "joint-k is a whole number of at least 2, or off");
    return kanon_schema_set_joint_k(target, value, r->err);
}

static kanon_status read_privacy_field(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    static const kanon__yaml_field fields[] = {
        {"k", read_k}, {"constraints", read_constraints}, {"suppress", read_suppress}, {"suppressed", read_suppressed},
        {"joint-k", read_joint_k}};
    return kanon__yaml_field_of(r, k, fields, KANON__ROWS_OF(fields), target);
}

static kanon_status read_privacy(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    (void)k;
    return kanon__yaml_is_null(r) ? KANON_OK
                                  : kanon__yaml_mapping(r, "a mapping such as {k: 10}", read_privacy_field, target);
}

static kanon_status read_setting(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = target;
    char *name = NULL, *value = NULL;
    if (strcmp(k->text, "name") == 0)
        return kanon__yaml_copy_text(r, &schema->algorithm, "the name of an algorithm");
    KANON_TRY(kanon__yaml_copy_text(r, &value, "a text or a number"), out);
    KANON_TRY(kanon__copy_text(&name, k->text, strlen(k->text), "a setting", r->err), out);
    KANON_TRY(kanon__grow_array(&schema->settings, &schema->settings_capacity, schema->n_settings + 1, "settings", r->err),
              out);
    schema->settings[schema->n_settings++] = (kanon_setting){name, value};
    name = value = NULL;
out:
    kanon__free(name);
    kanon__free(value);
    return st;
}

static kanon_status read_algorithm(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_schema *schema = target;
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return kanon__yaml_copy_text(r, &schema->algorithm,
                                     "the name of an algorithm or a mapping such as {name: ALGORITHM}");
    kanon_status st = kanon__yaml_mapping(r, "", read_setting, schema);
    if (st == KANON_OK && schema->algorithm == NULL)
        st = kanon__hint(r->err, kanon__yaml_fail(r, k->mark, "an algorithm without a name"),
                         "write it as {name: ALGORITHM, SETTING: VALUE}");
    return st;
}

static kanon_status read_key_column(kanon__yaml_reader *r, void *target)
{
    kanon_schema *schema = target;
    char buffer[KANON__YAML_SHOWN];
    kanon_status st = kanon__yaml_want_text(r, "the name of a column");
    if (st != KANON_OK)
        return st;
    if (kanon__texts_find(&schema->key, kanon__yaml_text(r), strlen(kanon__yaml_text(r))) >= 0)
        return kanon__yaml_fail(r, r->event.start_mark, "column '%s' is twice in the key",
                                kanon__yaml_shown(buffer, kanon__yaml_text(r)));
    return kanon__texts_add(&schema->key, kanon__yaml_text(r), strlen(kanon__yaml_text(r)), r->err);
}

static kanon_status read_key_columns(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_schema *schema = target;
    schema->key_line = (int)(k->mark.line + 1);
    if (r->event.type == YAML_SCALAR_EVENT)
        return read_key_column(r, schema);
    kanon_status st = kanon__yaml_list(r, "a list of column names", read_key_column, schema);
    if (st == KANON_OK && schema->key.n == 0)
        st = kanon__yaml_fail(r, k->mark, "the key names no column");
    return st;
}

static kanon_status read_entity(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_schema *schema = target;
    schema->entity_line = (int)(k->mark.line + 1);
    return kanon__yaml_copy_text(r, &schema->entity, "the name of a column");
}

static kanon_status read_entity_together(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    static const kanon__yaml_word flags[] = {{"true", 1}, {"false", 0}, {"yes", 1}, {"no", 0}};
    int value = 0;
    kanon_status st = kanon__yaml_word_of(r, &value, flags, KANON__ROWS_OF(flags), "true or false", "words");
    r->together = k->mark;
    ((kanon_schema *)target)->entity_together = value != 0;
    return st;
}

static kanon_status read_header(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    static const kanon__yaml_word words[] = {
        {"yes", KANON_HEADER_YES}, {"no", KANON_HEADER_NO}, {"true", KANON_HEADER_YES}, {"false", KANON_HEADER_NO}};
    int value = 0;
    (void)k;
    kanon_status st = kanon__yaml_word_of(r, &value, words, sizeof words / sizeof words[0], "yes or no", "words");
    ((kanon_schema *)target)->header = (kanon_header)value;
    return st;
}

static kanon_status read_encoding(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    (void)k;
    kanon_status st = kanon__yaml_want_text(r, "the name of an encoding");
    if (st == KANON_OK && !kanon__encoding_is_known(kanon__yaml_text(r)))
        st = kanon__hint(r->err, kanon__yaml_fail(r, r->event.start_mark, "not an encoding"),
                         "encodings are utf-8, utf-16, utf-16le, utf-16be, latin-1 and windows-1252");
    return st == KANON_OK ? kanon_schema_set_encoding(target, kanon__yaml_text(r), r->err) : st;
}

static kanon_status read_separator(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    kanon_schema *schema = target;
    return kanon__yaml_separator(r, k, &schema->decimal, &schema->thousands);
}

static kanon_status read_schema_field(kanon__yaml_reader *r, const kanon__yaml_key *k, void *target)
{
    static const kanon__yaml_field fields[] = {
        {"missing", read_missing},       {"default-role", read_default_role},
        {"attributes", read_attributes}, {"privacy", read_privacy},
        {"algorithm", read_algorithm},   {"key", read_key_columns},
        {"entity", read_entity},         {"entity-together", read_entity_together},
        {"joint-k", read_joint_k}, /* as in `privacy`, where it belongs */
        {"header", read_header},         {"encoding", read_encoding},
        {"decimal", read_separator},     {"thousands", read_separator},
        {"empty", read_empty},
        {"same", read_same},
    };
    return kanon__yaml_field_of(r, k, fields, KANON__ROWS_OF(fields), target);
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
    if (schema->entity_together && schema->entity == NULL)
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
