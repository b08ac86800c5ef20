/* The schema file. It is read as a stream of YAML events, one function per kind of value.
 *
 * A function that reads a value is called when the value's first event is the current one, and returns when its last one
 * is. Nothing is kept of the file but what the schema keeps; aliases are refused, so a small file stays small. */
#include "table/schema_yaml.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/text.h"
#include "table/bands.h"
#include "table/number.h"
#include "table/schema.h"
#include "table/source/decode.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

enum {
    DEPTH_MAX = 64, /* nested mappings and lists; also the bound of the recursion below */
    WORDS_MAX = 16, /* in a table of keys or words */
    SHOWN_SIZE = 80 /* of a key in a message */
};

typedef struct yaml_reader {
    yaml_parser_t parser;
    yaml_event_t event; /* the current one */
    int depth;
    const char *bytes;
    size_t size;
    const char *path;
    bool has_attributes;
    bool is_schema; /* it had a key that schemas have */
    yaml_mark_t together; /* where entity-together stands */
    kanon_error *err;
} yaml_reader;

typedef struct key {
    char *text;
    yaml_mark_t mark;
} key;

typedef kanon_status (*value_reader)(yaml_reader *r, const key *k, void *target);

/* A key that a mapping may have. */
typedef struct field {
    const char *name;
    value_reader read;
} field;

typedef struct word {
    const char *text;
    int value;
} word;

/* Names that must differ, and where each of them is. */
typedef struct names {
    kanon__dictionary texts;
    yaml_mark_t *marks;
    int64_t marks_capacity;
} names;

/* ---- failing ----------------------------------------------------------------------------------------------------- */

static kanon_status fail_at(const yaml_reader *r, yaml_mark_t mark, const char *format, ...) KANON__PRINTF(3, 4);

static kanon_status fail_at(const yaml_reader *r, yaml_mark_t mark, const char *format, ...)
{
    char reason[512];
    va_list args;
    va_start(args, format);
    vsnprintf(reason, sizeof reason, format, args);
    va_end(args);
    return kanon__fail(r->err, KANON_EDATA, "%s:%zu: column %zu: %s", r->path, mark.line + 1, mark.column + 1, reason);
}

/* A key as a message can show it: short. */
static const char *shown(char buffer[SHOWN_SIZE], const char *text)
{
    size_t length = strlen(text), limit = SHOWN_SIZE - sizeof "...";
    bool cut = length > limit;
    if (cut)
        for (length = limit; length > 0 && ((unsigned char)text[length] & 0xc0) == 0x80;)
            length--;
    memcpy(buffer, text, length);
    strcpy(buffer + length, cut ? "..." : "");
    return buffer;
}

/* Hint at the word that `text` was meant to be, or at all that there are. */
static kanon_status suggest(const yaml_reader *r, kanon_status st, const char *const *words, int n, const char *text,
                            const char *what)
{
    char lead[64];
    snprintf(lead, sizeof lead, "valid %s are", what);
    return kanon__hint_words(r->err, st, lead, words, (size_t)n, text);
}

/* Where byte `offset` of the input is: of bytes that cannot be read the parser knows no more. */
static yaml_mark_t mark_of_offset(const yaml_reader *r, size_t offset)
{
    yaml_mark_t mark = {0};
    for (size_t i = 0; i < offset && i < r->size; i++) {
        unsigned char c = (unsigned char)r->bytes[i];
        if (c == '\n' || (c == '\r' && (i + 1 == r->size || r->bytes[i + 1] != '\n'))) {
            mark.line++;
            mark.column = 0;
        } else if ((c & 0xc0) != 0x80) {
            mark.column++;
        }
    }
    return mark;
}

static kanon_status fail_syntax(const yaml_reader *r)
{
    const yaml_parser_t *p = &r->parser;
    const char *problem = p->problem != NULL ? p->problem : "not YAML";
    if (p->error == YAML_MEMORY_ERROR)
        return kanon__fail(r->err, KANON_ENOMEM, "out of memory for reading %s", r->path);
    if (p->error == YAML_READER_ERROR)
        return kanon__hint(r->err, fail_at(r, mark_of_offset(r, p->problem_offset), "%s", problem),
                           "a schema is UTF-8 text");
    kanon_status st = fail_at(r, p->problem_mark, "%s", problem);
    if (strstr(problem, "cannot start any token") != NULL)
        kanon__hint(r->err, st, "indent with spaces, not tabs, and write texts that begin with a sign in quotes");
    else if (p->context != NULL)
        kanon__hint(r->err, st, "%s that begins on line %zu", p->context, p->context_mark.line + 1);
    return st;
}

/* ---- events ------------------------------------------------------------------------------------------------------ */

static kanon_status next(yaml_reader *r)
{
    yaml_event_delete(&r->event);
    if (!yaml_parser_parse(&r->parser, &r->event))
        return fail_syntax(r);
    switch (r->event.type) {
    case YAML_ALIAS_EVENT:
        return kanon__hint(r->err, fail_at(r, r->event.start_mark, "aliases are not supported"),
                           "write the value out again");
    case YAML_MAPPING_START_EVENT:
    case YAML_SEQUENCE_START_EVENT:
        if (++r->depth > DEPTH_MAX)
            return fail_at(r, r->event.start_mark, "nested more than %d levels deep", DEPTH_MAX);
        break;
    case YAML_MAPPING_END_EVENT:
    case YAML_SEQUENCE_END_EVENT:
        r->depth--;
        break;
    case YAML_SCALAR_EVENT:
        if (memchr(r->event.data.scalar.value, '\0', r->event.data.scalar.length) != NULL)
            return fail_at(r, r->event.start_mark, "a text with a NUL character");
        break;
    default:
        break;
    }
    return KANON_OK;
}

static const char *text_of(const yaml_reader *r)
{
    return (const char *)r->event.data.scalar.value;
}

static bool is_null(const yaml_reader *r)
{
    static const char *const nulls[] = {"", "~", "null", "Null", "NULL"};
    if (r->event.type != YAML_SCALAR_EVENT || r->event.data.scalar.style != YAML_PLAIN_SCALAR_STYLE ||
        r->event.data.scalar.tag != NULL)
        return false;
    for (size_t i = 0; i < sizeof nulls / sizeof nulls[0]; i++)
        if (strcmp(text_of(r), nulls[i]) == 0)
            return true;
    return false;
}

static bool is_empty(const yaml_reader *r)
{
    return r->event.type == YAML_SCALAR_EVENT && (r->event.data.scalar.length == 0 || is_null(r));
}

static kanon_status fail_expected(const yaml_reader *r, const char *expected)
{
    const char *found = is_empty(r)                                  ? "nothing"
                        : r->event.type == YAML_MAPPING_START_EVENT  ? "a mapping"
                        : r->event.type == YAML_SEQUENCE_START_EVENT ? "a list"
                                                                     : "a text";
    return fail_at(r, r->event.start_mark, "expected %s, found %s", expected, found);
}

static kanon_status want_text(const yaml_reader *r, const char *expected)
{
    return r->event.type == YAML_SCALAR_EVENT && !is_empty(r) ? KANON_OK : fail_expected(r, expected);
}

static kanon_status copy_text(yaml_reader *r, char **out, const char *expected)
{
    kanon_status st = want_text(r, expected);
    if (st == KANON_OK)
        st = kanon__copy_text(out, text_of(r), strlen(text_of(r)), "a schema", r->err);
    return st;
}

/* ---- mappings, lists, words -------------------------------------------------------------------------------------- */

static void names_clear(names *n)
{
    kanon__free(n->marks);
    kanon__dictionary_clear(&n->texts);
}

/* Add the text of the current event; *first_line is not 0 where it was there before. */
static kanon_status names_add(yaml_reader *r, names *n, const char *text, size_t length, size_t *first_line)
{
    kanon_status st = KANON_OK;
    uint32_t n_before = n->texts.n, code = 0;
    *first_line = 0;
    KANON_TRY(kanon__grow_array(&n->marks, &n->marks_capacity, (int64_t)n_before + 1, "keys", r->err), out);
    KANON_TRY(kanon__dictionary_add(&n->texts, &code, text, length, r->err), out);
    if (code < n_before)
        *first_line = n->marks[code].line + 1;
    else
        n->marks[code] = r->event.start_mark;
out:
    return st;
}

/* The current event is a key: keep it and go on to its value. */
static kanon_status read_key(yaml_reader *r, key *out, names *seen)
{
    kanon_status st = KANON_OK;
    char buffer[SHOWN_SIZE];
    size_t first_line = 0;
    if (r->event.type != YAML_SCALAR_EVENT)
        return fail_expected(r, "a text as key");
    KANON_TRY(names_add(r, seen, text_of(r), strlen(text_of(r)), &first_line), out);
    if (first_line > 0)
        return fail_at(r, r->event.start_mark, "key '%s' is given twice, first on line %zu", shown(buffer, text_of(r)),
                       first_line);
    out->mark = r->event.start_mark;
    KANON_TRY(kanon__copy_text(&out->text, text_of(r), strlen(text_of(r)), "a key", r->err), out);
    KANON_TRY(next(r), out);
out:
    return st;
}

static kanon_status read_mapping(yaml_reader *r, const char *expected, value_reader read_value, void *target)
{
    kanon_status st = KANON_OK;
    names seen = {0};
    key k = {0};
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return fail_expected(r, expected);
    KANON_TRY(kanon__dictionary_init(&seen.texts, r->err), out);
    for (;;) {
        KANON_TRY(next(r), out);
        if (r->event.type == YAML_MAPPING_END_EVENT)
            break;
        KANON_TRY(read_key(r, &k, &seen), out);
        KANON_TRY(read_value(r, &k, target), out);
        kanon__free(k.text);
        k.text = NULL;
    }
out:
    kanon__free(k.text);
    names_clear(&seen);
    return st;
}

static kanon_status read_field(yaml_reader *r, const key *k, const field *fields, int n, void *target)
{
    const char *valid[WORDS_MAX];
    char buffer[SHOWN_SIZE];
    for (int i = 0; i < n; i++) {
        if (strcmp(fields[i].name, k->text) == 0) {
            r->is_schema = true;
            return fields[i].read(r, k, target);
        }
        valid[i] = fields[i].name;
    }
    if (!r->is_schema && kanon_nearest_word(valid, (size_t)n, k->text) == NULL) /* any file, whose text is nobody's business */
        return suggest(r, fail_at(r, k->mark, "not a schema: it begins with another key"), valid, n, k->text, "keys");
    return suggest(r, fail_at(r, k->mark, "unknown key '%s'", shown(buffer, k->text)), valid, n, k->text, "keys");
}

static kanon_status read_list(yaml_reader *r, const char *expected, kanon_status (*read_item)(yaml_reader *, void *),
                              void *target)
{
    kanon_status st = KANON_OK;
    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return fail_expected(r, expected);
    for (;;) {
        KANON_TRY(next(r), out);
        if (r->event.type == YAML_SEQUENCE_END_EVENT)
            break;
        KANON_TRY(read_item(r, target), out);
    }
out:
    return st;
}

/* One of `words`, in any case and with - or _ between its parts. `what` is plural. */
static kanon_status read_word(yaml_reader *r, int *out, const word *words, int n, const char *expected, const char *what)
{
    const char *valid[WORDS_MAX];
    char plain[32];
    kanon_status st = want_text(r, expected);
    if (st != KANON_OK)
        return st;
    snprintf(plain, sizeof plain, "%s", text_of(r));
    for (char *c = plain; *c != '\0'; c++)
        *c = (char)(*c == '_' ? '-' : *c >= 'A' && *c <= 'Z' ? *c - 'A' + 'a' : *c);
    for (int i = 0; i < n; i++) {
        valid[i] = words[i].text;
        if (strcmp(words[i].text, plain) == 0) {
            *out = words[i].value;
            return KANON_OK;
        }
    }
    return suggest(r, fail_at(r, r->event.start_mark, "not %s", expected), valid, n, plain, what);
}

static kanon_status read_role_word(yaml_reader *r, kanon_role *out)
{
    static const word roles[] = {
        {"identifying", KANON_ROLE_IDENTIFYING}, {"quasi", KANON_ROLE_QUASI},
        {"sensitive", KANON_ROLE_SENSITIVE},     {"insensitive", KANON_ROLE_INSENSITIVE},
        {"quasi-identifying", KANON_ROLE_QUASI},
    };
    int value = 0;
    kanon_status st = read_word(r, &value, roles, sizeof roles / sizeof roles[0], "a role", "roles");
    if (st == KANON_OK)
        *out = (kanon_role)value;
    return st;
}

/* ---- taxonomies -------------------------------------------------------------------------------------------------- */

/* A taxonomy as it is written: label i has the parent parents[i], -1 where it stands at the top. */
typedef struct outline {
    names labels;
    int64_t *parents;
    int64_t parents_capacity;
} outline;

/* The current event is a label. Labels are values, so messages do not show them. */
static kanon_status outline_add(yaml_reader *r, outline *o, int64_t parent)
{
    kanon_status st = KANON_OK;
    size_t first_line = 0, length = 0;
    const char *text = NULL;
    if (r->event.type == YAML_SCALAR_EVENT) {
        text = text_of(r);
        length = strlen(text);
        kanon__trim(&text, &length);
    }
    if (length == 0)
        return fail_expected(r, "a value of the taxonomy");
    KANON_TRY(kanon__grow_array(&o->parents, &o->parents_capacity, (int64_t)o->labels.texts.n + 1, "a taxonomy", r->err),
              out);
    KANON_TRY(names_add(r, &o->labels, text, length, &first_line), out);
    if (first_line > 0)
        return fail_at(r, r->event.start_mark, "this value is twice in the taxonomy, first on line %zu", first_line);
    o->parents[o->labels.texts.n - 1] = parent;
out:
    return st;
}

/* What stands below `parent`: a mapping of values to what is below them, a list of values and such mappings, or nothing.
 * DEPTH_MAX bounds the recursion. */
static kanon_status outline_read(yaml_reader *r, outline *o, int64_t parent)
{
    kanon_status st = KANON_OK;
    bool is_list = r->event.type == YAML_SEQUENCE_START_EVENT;
    if (is_empty(r))
        return KANON_OK;
    if (!is_list && r->event.type != YAML_MAPPING_START_EVENT)
        return kanon__hint(r->err, fail_expected(r, "a mapping or a list of the values below, or nothing"),
                           "write a single value below another as [VALUE]");
    for (;;) {
        KANON_TRY(next(r), out);
        if (r->event.type == YAML_SEQUENCE_END_EVENT || r->event.type == YAML_MAPPING_END_EVENT)
            break;
        if (is_list && r->event.type == YAML_MAPPING_START_EVENT) {
            KANON_TRY(outline_read(r, o, parent), out);
            continue;
        }
        KANON_TRY(outline_add(r, o, parent), out);
        if (!is_list) {
            int64_t node = (int64_t)o->labels.texts.n - 1;
            KANON_TRY(next(r), out);
            KANON_TRY(outline_read(r, o, node), out);
        }
    }
out:
    return st;
}

/* Whether the first label is the root: all others are below it, and there are others. */
static bool outline_has_root(const outline *o)
{
    for (uint32_t i = 1; i < o->labels.texts.n; i++)
        if (o->parents[i] < 0)
            return false;
    return o->labels.texts.n > 1;
}

static kanon_status outline_to_tree(yaml_reader *r, kanon__tree **out, const outline *o)
{
    kanon_status st = KANON_OK;
    kanon__tree *tree = NULL;
    int32_t *numbers = NULL; /* of the tree's nodes, one per label */
    char *root = NULL;
    size_t length = 1;
    bool has_root = outline_has_root(o);
    const char *text = has_root ? kanon__dictionary_text(&o->labels.texts, 0, &length) : "*";
    KANON_TRY(kanon__copy_text(&root, text, length, "a taxonomy", r->err), out);
    KANON_TRY(kanon__new_array(&numbers, o->labels.texts.n, "a taxonomy", r->err), out);
    KANON_TRY(kanon__tree_new(&tree, root, r->err), out);
    for (uint32_t i = has_root; i < o->labels.texts.n; i++) {
        int32_t parent = o->parents[i] < 0 ? 0 : numbers[o->parents[i]];
        text = kanon__dictionary_text(&o->labels.texts, i, &length);
        KANON_TRY(kanon__tree_add(tree, &numbers[i], parent, text, length, r->err), out);
    }
    *out = tree;
    tree = NULL;
out:
    kanon__tree_free(tree);
    kanon__free(numbers);
    kanon__free(root);
    return st;
}

static kanon_status read_inline_taxonomy(yaml_reader *r, kanon__tree **out)
{
    kanon_status st = KANON_OK;
    outline o = {0};
    yaml_mark_t mark = r->event.start_mark;
    KANON_TRY(kanon__dictionary_init(&o.labels.texts, r->err), out);
    KANON_TRY(outline_read(r, &o, -1), out);
    if (o.labels.texts.n == 0) {
        st = fail_at(r, mark, "the taxonomy is empty");
        goto out;
    }
    uint32_t star = kanon__dictionary_find(&o.labels.texts, "*", 1);
    if (star != KANON__NO_CODE && !outline_has_root(&o)) {
        st = fail_at(r, o.labels.marks[star], "the taxonomy has '*' below its root, which is '*' too");
        goto out;
    }
    KANON_TRY(outline_to_tree(r, out, &o), out);
out:
    kanon__free(o.parents);
    names_clear(&o.labels);
    return st;
}

/* `path` as it can be opened from the working directory. */
static kanon_status resolve_path(yaml_reader *r, char **out, const char *path)
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

/* ---- attributes -------------------------------------------------------------------------------------------------- */

static kanon_status read_role(yaml_reader *r, const key *k, void *target)
{
    kanon__attribute *attribute = target;
    (void)k;
    kanon_status st = read_role_word(r, &attribute->role);
    attribute->has_role = st == KANON_OK;
    return st;
}

static kanon_status read_type(yaml_reader *r, const key *k, void *target)
{
    static const word types[] = {
        {"integer", KANON_TYPE_INTEGER},
        {"decimal", KANON_TYPE_DECIMAL},
        {"date", KANON_TYPE_DATE},
        {"categorical", KANON_TYPE_CATEGORICAL},
    };
    kanon__attribute *attribute = target;
    int value = 0;
    (void)k;
    kanon_status st = read_word(r, &value, types, sizeof types / sizeof types[0], "a type", "types");
    if (st == KANON_OK)
        attribute->type = (kanon_type)value;
    return st;
}

static kanon_status read_mask(yaml_reader *r, const key *k, void *target)
{
    static const word masks[] = {{"right", KANON_MASK_RIGHT}, {"left", KANON_MASK_LEFT}};
    kanon__attribute *attribute = target;
    int value = 0;
    (void)k;
    kanon_status st = read_word(r, &value, masks, sizeof masks / sizeof masks[0], "a side to mask from", "sides");
    if (st == KANON_OK)
        attribute->mask = (kanon_mask)value;
    return st;
}

static kanon_status read_weight(yaml_reader *r, const key *k, void *target)
{
    kanon__attribute *attribute = target;
    kanon__decimal weight;
    (void)k;
    kanon_status st = copy_text(r, &attribute->weight_text, "a weight");
    if (st != KANON_OK)
        return st;
    if (!kanon__parse_decimal(&weight, text_of(r), strlen(text_of(r))) ||
        !(weight.value > 0 && weight.value <= KANON__WEIGHT_MAX))
        return kanon__hint(r->err, fail_at(r, r->event.start_mark, "not a weight"),
                           "a weight is a number above 0, at most %d", KANON__WEIGHT_MAX);
    attribute->weight = weight.value;
    return KANON_OK;
}

static kanon_status read_taxonomy(yaml_reader *r, const key *k, void *target)
{
    kanon__attribute *attribute = target;
    (void)k;
    if (r->event.type == YAML_MAPPING_START_EVENT)
        return read_inline_taxonomy(r, &attribute->tree);
    kanon_status st = want_text(r, "the path of a taxonomy or a mapping");
    return st == KANON_OK ? resolve_path(r, &attribute->taxonomy_path, text_of(r)) : st;
}

/* One more edge, after a comma. */
static kanon_status read_edge(yaml_reader *r, void *target)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = target;
    char *joined = NULL;
    KANON_TRY(want_text(r, "an edge between two bands"), out);
    if (strchr(text_of(r), ',') != NULL)
        return fail_at(r, r->event.start_mark, "an edge with a comma");
    size_t before = attribute->bands != NULL ? strlen(attribute->bands) : 0, size = before + strlen(text_of(r)) + 2;
    KANON_TRY(kanon__new_array(&joined, (int64_t)size, "bands", r->err), out);
    snprintf(joined, size, "%s%s%s", before > 0 ? attribute->bands : "", before > 0 ? "," : "", text_of(r));
    kanon__free(attribute->bands);
    attribute->bands = joined;
out:
    return st;
}

/* A list of a single edge gets a comma, which tells it from a width. */
static kanon_status read_bands(yaml_reader *r, const key *k, void *target)
{
    kanon_status st = KANON_OK;
    kanon__attribute *attribute = target;
    (void)k;
    if (r->event.type != YAML_SEQUENCE_START_EVENT)
        return copy_text(r, &attribute->bands, "a width, a list of edges or a unit of the calendar");
    KANON_TRY(read_list(r, "a list of edges", read_edge, attribute), out);
    if (attribute->bands == NULL)
        st = fail_at(r, k->mark, "a list without edges");
    else if (strchr(attribute->bands, ',') == NULL)
        st = kanon__hint(r->err, fail_at(r, k->mark, "a list of a single edge"), "write two edges or more, or 'top'");
out:
    return st;
}

static kanon_status read_band_end(yaml_reader *r, const key *k, void *target)
{
    kanon__attribute *attribute = target;
    return copy_text(r, strcmp(k->text, "top") == 0 ? &attribute->top : &attribute->bottom, "a number or a date");
}

static kanon_status read_format(yaml_reader *r, const key *k, void *target)
{
    kanon__attribute *attribute = target;
    (void)k;
    kanon_status st = want_text(r, "a format of dates such as \"%d.%m.%Y\"");
    if (st != KANON_OK)
        return st;
    const char *fault = kanon__date_format_fault(text_of(r));
    if (fault != NULL)
        return kanon__hint(r->err, fail_at(r, r->event.start_mark, "not a format of dates"), "%s", fault);
    memcpy(attribute->format.date, text_of(r), strlen(text_of(r)) + 1);
    return KANON_OK;
}

/* One of the separators of numbers, into one of the two places; together they must make sense. */
static kanon_status read_separator(yaml_reader *r, char *out, const char *decimal, const char *thousands)
{
    const char *fault = "a separator is one character";
    kanon_status st = want_text(r, "a separator in quotes, such as \",\"");
    if (st != KANON_OK)
        return st;
    if (strlen(text_of(r)) == 1) {
        *out = text_of(r)[0];
        fault = kanon__separators_fault(*decimal, *thousands);
    }
    return fault == NULL ? KANON_OK
                         : kanon__hint(r->err, fail_at(r, r->event.start_mark, "not a separator of numbers"), "%s", fault);
}

static kanon_status read_decimal(yaml_reader *r, const key *k, void *target)
{
    kanon__value_format *format = &((kanon__attribute *)target)->format;
    (void)k;
    return read_separator(r, &format->decimal, &format->decimal, &format->thousands);
}

static kanon_status read_thousands(yaml_reader *r, const key *k, void *target)
{
    kanon__value_format *format = &((kanon__attribute *)target)->format;
    (void)k;
    return read_separator(r, &format->thousands, &format->decimal, &format->thousands);
}

static kanon_status read_attribute_field(yaml_reader *r, const key *k, void *target)
{
    static const field fields[] = {
        {"role", read_role},         {"type", read_type},     {"taxonomy", read_taxonomy}, {"mask", read_mask},
        {"weight", read_weight},     {"bands", read_bands},   {"top", read_band_end},      {"bottom", read_band_end},
        {"format", read_format},     {"decimal", read_decimal}, {"thousands", read_thousands},
    };
    return read_field(r, k, fields, sizeof fields / sizeof fields[0], target);
}

static kanon_status check_bands(const yaml_reader *r, const key *k, const kanon__attribute *attribute)
{
    char buffer[SHOWN_SIZE];
    const char *problem, *hint;
    bool has_mask = attribute->mask != KANON_MASK_NONE;
    if (has_mask || attribute->taxonomy_path != NULL || attribute->tree != NULL)
        return kanon__hint(r->err,
                           fail_at(r, k->mark, "'%s' has both bands and a %s", shown(buffer, k->text),
                                   has_mask ? "mask" : "taxonomy"),
                           "bands are for numbers and dates, taxonomies for categories: remove one of the two");
    if (attribute->type == KANON_TYPE_CATEGORICAL)
        return kanon__hint(r->err, fail_at(r, k->mark, "'%s' has bands but its type is categorical", shown(buffer, k->text)),
                           "bands are for numbers and dates; a category has a taxonomy");
    if (attribute->has_role && attribute->role != KANON_ROLE_QUASI)
        return kanon__hint(r->err,
                           fail_at(r, k->mark, "'%s' has bands but its role is %s", shown(buffer, k->text),
                                   kanon_role_text(attribute->role)),
                           "only quasi-identifiers are generalised: use role: quasi or remove the bands");
    if (!kanon__bands_check(attribute->bands, attribute->top, attribute->bottom, &problem, &hint))
        return kanon__hint(r->err, fail_at(r, k->mark, "'%s': %s", shown(buffer, k->text), problem), "%s", hint);
    return KANON_OK;
}

static kanon_status check_attribute(const yaml_reader *r, const key *k, const kanon__attribute *attribute)
{
    char buffer[SHOWN_SIZE];
    bool is_numeric = attribute->type != KANON_TYPE_UNKNOWN && attribute->type != KANON_TYPE_CATEGORICAL;
    bool has_taxonomy = attribute->taxonomy_path != NULL || attribute->tree != NULL;
    bool has_mask = attribute->mask != KANON_MASK_NONE;
    if (has_taxonomy && has_mask)
        return kanon__hint(r->err, fail_at(r, k->mark, "'%s' has both a taxonomy and a mask", shown(buffer, k->text)),
                           "a mask makes a taxonomy: remove one of the two");
    if (is_numeric && (has_taxonomy || has_mask))
        return kanon__hint(r->err,
                           fail_at(r, k->mark, "'%s' has a %s but its type is %s", shown(buffer, k->text),
                                   has_mask ? "mask" : "taxonomy", kanon_type_text(attribute->type)),
                           "use type: categorical or remove the %s", has_mask ? "mask" : "taxonomy");
    if (attribute->format.date[0] != '\0' && attribute->type != KANON_TYPE_DATE &&
        (attribute->type != KANON_TYPE_UNKNOWN || has_taxonomy || has_mask))
        return kanon__hint(r->err, fail_at(r, k->mark, "'%s' has a format but is no date", shown(buffer, k->text)),
                           "use type: date or remove the format");
    return kanon__attribute_has_bands(attribute) ? check_bands(r, k, attribute) : KANON_OK;
}

static kanon_status read_attribute(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    /* The keys of a mapping differ, so this makes a new attribute, about which nothing is said yet. */
    kanon_status st = kanon_schema_set_type(schema, k->text, KANON_TYPE_UNKNOWN, r->err);
    if (st != KANON_OK)
        return st;
    kanon__attribute *attribute = &schema->attributes[schema->n_attributes - 1];
    attribute->line = (int)(k->mark.line + 1);
    if (is_null(r))
        return KANON_OK;
    if (r->event.type == YAML_SCALAR_EVENT)
        return read_role(r, k, attribute);
    st = read_mapping(r, "a role or a mapping", read_attribute_field, attribute);
    return st == KANON_OK ? check_attribute(r, k, attribute) : st;
}

/* ---- the rest of the schema -------------------------------------------------------------------------------------- */

static kanon_status fail_without_attributes(const yaml_reader *r, yaml_mark_t mark)
{
    return kanon__hint(r->err, fail_at(r, mark, "no attributes"), "write 'attributes:' and below it 'COLUMN: {role: ROLE}'");
}

static kanon_status read_attributes(yaml_reader *r, const key *k, void *target)
{
    if (is_null(r))
        return fail_without_attributes(r, k->mark);
    r->has_attributes = true;
    return read_mapping(r, "a mapping of column names to what they are", read_attribute, target);
}

static kanon_status read_missing_item(yaml_reader *r, void *target)
{
    kanon__texts *missing = target;
    if (r->event.type != YAML_SCALAR_EVENT)
        return kanon__hint(r->err, fail_expected(r, "a text that means \"no value\""), "write texts in quotes: [\"?\"]");
    size_t length = is_null(r) ? 0 : strlen(text_of(r));
    if (kanon__texts_find(missing, text_of(r), length) >= 0)
        return KANON_OK;
    return kanon__texts_add(missing, text_of(r), length, r->err);
}

static kanon_status read_missing(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    (void)k;
    kanon__texts_clear(&schema->missing); /* the default, which is replaced */
    if (r->event.type == YAML_SCALAR_EVENT && !is_null(r))
        return read_missing_item(r, &schema->missing);
    return read_list(r, "a list of texts that mean \"no value\"", read_missing_item, &schema->missing);
}

static kanon_status read_default_role(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    (void)k;
    kanon_status st = read_role_word(r, &schema->default_role);
    schema->has_default_role = st == KANON_OK;
    return st;
}

static kanon_status read_k(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    int64_t value = 0;
    (void)k;
    kanon_status st = want_text(r, "a whole number");
    if (st != KANON_OK)
        return st;
    if (!kanon__parse_integer(&value, text_of(r), strlen(text_of(r))) || value < 2)
        return kanon__hint(r->err, fail_at(r, r->event.start_mark, "not a k"), "k is a whole number of at least 2");
    schema->k = value;
    return KANON_OK;
}

static kanon_status read_constraint_value(yaml_reader *r, const key *k, void *target)
{
    kanon__constraint_text *constraint = target;
    kanon_status st = KANON_OK;
    KANON_TRY(want_text(r, "a text or a number"), out);
    KANON_TRY(kanon__texts_add(&constraint->names, k->text, strlen(k->text), r->err), out);
    KANON_TRY(kanon__texts_add(&constraint->values, text_of(r), strlen(text_of(r)), r->err), out);
out:
    return st;
}

static kanon_status read_constraint(yaml_reader *r, void *target)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = target;
    yaml_mark_t mark = r->event.start_mark;
    KANON_TRY(kanon__grow_array(&schema->constraints, &schema->constraints_capacity, schema->n_constraints + 1,
                                "constraints", r->err),
              out);
    kanon__constraint_text *constraint = &schema->constraints[schema->n_constraints++];
    *constraint = (kanon__constraint_text){.line = (int)(mark.line + 1)};
    KANON_TRY(read_mapping(r, "a mapping such as {model: t-closeness, attribute: COLUMN, t: 0.3}", read_constraint_value,
                           constraint),
              out);
    if (kanon__texts_find(&constraint->names, "model", strlen("model")) < 0)
        st = kanon__hint(r->err, fail_at(r, mark, "a constraint without a model"),
                         "write it as {model: t-closeness, attribute: COLUMN, t: 0.3}");
out:
    return st;
}

static kanon_status read_constraints(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    schema->constraints_line = (int)(k->mark.line + 1);
    return is_null(r) ? KANON_OK : read_list(r, "a list of constraints", read_constraint, schema);
}

static kanon_status read_suppress(yaml_reader *r, const key *k, void *target)
{
    (void)k;
    kanon_status st = want_text(r, "a share of the records such as 0.01");
    if (st == KANON_OK && !kanon__fraction_parse(&((kanon_schema *)target)->suppress, text_of(r)))
        st = kanon__hint(r->err, fail_at(r, r->event.start_mark, "not a share of the records"),
                         "write 0.01 for one percent");
    return st;
}

static kanon_status read_privacy_field(yaml_reader *r, const key *k, void *target)
{
    static const field fields[] = {{"k", read_k}, {"constraints", read_constraints}, {"suppress", read_suppress}};
    return read_field(r, k, fields, sizeof fields / sizeof fields[0], target);
}

static kanon_status read_privacy(yaml_reader *r, const key *k, void *target)
{
    (void)k;
    return is_null(r) ? KANON_OK : read_mapping(r, "a mapping such as {k: 10}", read_privacy_field, target);
}

static kanon_status read_setting(yaml_reader *r, const key *k, void *target)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = target;
    char *name = NULL, *value = NULL;
    if (strcmp(k->text, "name") == 0)
        return copy_text(r, &schema->algorithm, "the name of an algorithm");
    KANON_TRY(copy_text(r, &value, "a text or a number"), out);
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

static kanon_status read_algorithm(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    if (r->event.type != YAML_MAPPING_START_EVENT)
        return copy_text(r, &schema->algorithm, "the name of an algorithm or a mapping such as {name: ALGORITHM}");
    kanon_status st = read_mapping(r, "", read_setting, schema);
    if (st == KANON_OK && schema->algorithm == NULL)
        st = kanon__hint(r->err, fail_at(r, k->mark, "an algorithm without a name"),
                         "write it as {name: ALGORITHM, SETTING: VALUE}");
    return st;
}

static kanon_status read_key_column(yaml_reader *r, void *target)
{
    kanon_schema *schema = target;
    char buffer[SHOWN_SIZE];
    kanon_status st = want_text(r, "the name of a column");
    if (st != KANON_OK)
        return st;
    if (kanon__texts_find(&schema->key, text_of(r), strlen(text_of(r))) >= 0)
        return fail_at(r, r->event.start_mark, "column '%s' is twice in the key", shown(buffer, text_of(r)));
    return kanon__texts_add(&schema->key, text_of(r), strlen(text_of(r)), r->err);
}

static kanon_status read_key_columns(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    schema->key_line = (int)(k->mark.line + 1);
    if (r->event.type == YAML_SCALAR_EVENT)
        return read_key_column(r, schema);
    kanon_status st = read_list(r, "a list of column names", read_key_column, schema);
    if (st == KANON_OK && schema->key.n == 0)
        st = fail_at(r, k->mark, "the key names no column");
    return st;
}

static kanon_status read_entity(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    schema->entity_line = (int)(k->mark.line + 1);
    return copy_text(r, &schema->entity, "the name of a column");
}

static kanon_status read_entity_together(yaml_reader *r, const key *k, void *target)
{
    static const word flags[] = {{"true", 1}, {"false", 0}, {"yes", 1}, {"no", 0}};
    int value = 0;
    kanon_status st = read_word(r, &value, flags, sizeof flags / sizeof flags[0], "true or false", "words");
    r->together = k->mark;
    ((kanon_schema *)target)->entity_together = value != 0;
    return st;
}

static kanon_status read_header(yaml_reader *r, const key *k, void *target)
{
    static const word words[] = {
        {"yes", KANON_HEADER_YES}, {"no", KANON_HEADER_NO}, {"true", KANON_HEADER_YES}, {"false", KANON_HEADER_NO}};
    int value = 0;
    (void)k;
    kanon_status st = read_word(r, &value, words, sizeof words / sizeof words[0], "yes or no", "words");
    ((kanon_schema *)target)->header = (kanon_header)value;
    return st;
}

static kanon_status read_encoding(yaml_reader *r, const key *k, void *target)
{
    (void)k;
    kanon_status st = want_text(r, "the name of an encoding");
    if (st == KANON_OK && !kanon__encoding_is_known(text_of(r)))
        st = kanon__hint(r->err, fail_at(r, r->event.start_mark, "not an encoding"),
                         "encodings are utf-8, utf-16, utf-16le, utf-16be, latin-1 and windows-1252");
    return st == KANON_OK ? kanon_schema_set_encoding(target, text_of(r), r->err) : st;
}

static kanon_status read_table_decimal(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    (void)k;
    return read_separator(r, &schema->decimal, &schema->decimal, &schema->thousands);
}

static kanon_status read_table_thousands(yaml_reader *r, const key *k, void *target)
{
    kanon_schema *schema = target;
    (void)k;
    return read_separator(r, &schema->thousands, &schema->decimal, &schema->thousands);
}

static kanon_status read_schema_field(yaml_reader *r, const key *k, void *target)
{
    static const field fields[] = {
        {"missing", read_missing},       {"default-role", read_default_role},
        {"attributes", read_attributes}, {"privacy", read_privacy},
        {"algorithm", read_algorithm},   {"key", read_key_columns},
        {"entity", read_entity},         {"entity-together", read_entity_together},
        {"header", read_header},         {"encoding", read_encoding},
        {"decimal", read_table_decimal}, {"thousands", read_table_thousands},
    };
    return read_field(r, k, fields, sizeof fields / sizeof fields[0], target);
}

static kanon_status read_stream(yaml_reader *r, kanon_schema *schema)
{
    kanon_status st = KANON_OK;
    yaml_mark_t start = {0};
    KANON_TRY(next(r), out); /* the stream's start */
    KANON_TRY(next(r), out); /* the document's start, or the stream's end where there is none */
    if (r->event.type == YAML_DOCUMENT_START_EVENT)
        KANON_TRY(next(r), out);
    if (r->event.type == YAML_STREAM_END_EVENT || is_null(r))
        return fail_without_attributes(r, start);
    KANON_TRY(read_mapping(r, "a mapping with the key 'attributes'", read_schema_field, schema), out);
    if (!r->has_attributes)
        return fail_without_attributes(r, start);
    if (schema->entity_together && schema->entity == NULL)
        return kanon__hint(r->err, fail_at(r, r->together, "entities are to stay together, but there are none"),
                           "name the column that says whose record it is: entity");
    KANON_TRY(next(r), out); /* the document's end */
    KANON_TRY(next(r), out);
    if (r->event.type != YAML_STREAM_END_EVENT)
        st = fail_at(r, r->event.start_mark, "a second document: a schema is a single one");
out:
    return st;
}

kanon_status kanon__schema_parse(kanon_schema **out, const char *bytes, size_t size, const char *path, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = NULL;
    /* The parser, told that this is UTF-8, would count a byte order mark as a column. */
    size_t bom = size >= 3 && memcmp(bytes, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    yaml_reader r = {.bytes = size > bom ? bytes + bom : "", .size = size - bom, .path = path, .err = err};
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
