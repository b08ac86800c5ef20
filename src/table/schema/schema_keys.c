/* See schema_keys.h. What depends on the columns of a table is checked when the table is read, and algorithms, settings and
 * models where these are known. */
#include "table/schema/schema_keys.h"

#include "core/alloc.h"
#include "core/option_rows.h"
#include "core/text.h"
#include "table/schema/flow_text.h"
#include "table/text/decode.h"
#include "table/value/bands.h"
#include "table/value/number.h"

#include <string.h>

enum {
    WEIGHT_MAX = 1000000, /* as the hint says */
    MOST_NAME = 200       /* bytes of the name of a setting or of a parameter */
};

static const kanon__schema_key *row_of(const kanon__saying *s)
{
    return s->attribute != NULL ? &kanon__column_keys[s->key] : &kanon__whole_keys[s->key];
}

static kanon_status refuse(const kanon__saying *s)
{
    const kanon__schema_key *row = row_of(s);
    kanon_status st = kanon__fail(s->err, KANON_EINVAL, "not %s", row->expected);
    return row->hint != NULL ? kanon__hint(s->err, st, "%s", row->hint) : st;
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static kanon_status take_role(kanon__saying *s)
{
    s->attribute->role = (kanon_role)kanon_enum_value(KANON_ENUM_ROLE, s->text);
    s->attribute->has_role = true;
    s->attribute->role_from_flags = !s->from_file;
    return KANON_OK;
}

static kanon_status take_taxonomy(kanon__saying *s)
{
    kanon__tree_free(s->attribute->tree);
    s->attribute->tree = NULL;
    return KANON_OK;
}

static kanon_status take_mask(kanon__saying *s)
{
    s->attribute->mask = strcmp(s->text, "left") == 0 ? KANON__MASK_LEFT : KANON__MASK_RIGHT;
    return KANON_OK;
}

static kanon_status take_weight(kanon__saying *s)
{
    kanon__decimal weight;
    if (!kanon__parse_decimal(&weight, s->text, strlen(s->text)) || !(weight.value > 0 && weight.value <= WEIGHT_MAX))
        return refuse(s);
    s->attribute->weight = weight.value;
    return KANON_OK;
}

/* Checked against the other two of the texts that make bands. */
static kanon_status take_bands(kanon__saying *s)
{
    const char *problem, *hint;
    char **said = s->attribute->said;
    const char *texts[] = {said[KANON__COLUMN_BANDS], said[KANON__COLUMN_TOP], said[KANON__COLUMN_BOTTOM]};
    texts[s->key - KANON__COLUMN_BANDS] = s->text;
    if (kanon__bands_check(texts[0], texts[1], texts[2], &problem, &hint))
        return KANON_OK;
    return kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "%s", problem), "%s", hint);
}

static kanon_status take_format(kanon__saying *s)
{
    const char *fault = kanon__date_format_fault(s->text);
    if (fault != NULL)
        return kanon__hint(s->err, refuse(s), "%s", fault);
    memset(s->attribute->format.date, 0, sizeof s->attribute->format.date);
    memcpy(s->attribute->format.date, s->text, strlen(s->text));
    return KANON_OK;
}

static kanon_status take_separator(kanon__saying *s)
{
    bool is_decimal = strcmp(row_of(s)->name, "decimal") == 0;
    char *decimal = s->attribute != NULL ? &s->attribute->format.decimal : &s->schema->decimal;
    char *thousands = s->attribute != NULL ? &s->attribute->format.thousands : &s->schema->thousands;
    char mark = s->text[0];
    const char *fault = mark == '\0' || s->text[1] != '\0'
                            ? "a separator is one character"
                            : kanon__separators_fault(is_decimal ? mark : *decimal, is_decimal ? *thousands : mark);
    if (fault != NULL)
        return kanon__hint(s->err, refuse(s), "%s", fault);
    *(is_decimal ? decimal : thousands) = mark;
    return KANON_OK;
}

static kanon_status take_order(kanon__saying *s)
{
    kanon_status st = s->items.n > 0 ? KANON_OK : kanon__fail(s->err, KANON_EINVAL, "an order without levels");
    kanon__dictionary levels = {0};
    for (s->wrong = 0; st == KANON_OK && s->wrong < s->items.n; s->wrong++) {
        const char *fault = NULL, *level = s->items.items[s->wrong];
        KANON_TRY(kanon__levels_add(&levels, level, strlen(level), &fault, s->err), out);
        if (fault != NULL) {
            st = kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "a level that %s", fault),
                             "name each level once, from the lowest to the highest");
            goto out;
        }
    }
    if (st == KANON_OK) {
        kanon__dictionary_clear(&s->attribute->levels);
        s->attribute->levels = levels;
        levels = (kanon__dictionary){0};
    }
out:
    kanon__dictionary_clear(&levels);
    return st;
}

#define NUMERIC (1u << KANON_TYPE_INTEGER | 1u << KANON_TYPE_DECIMAL | 1u << KANON_TYPE_DATE)
#define BANDS_OF "a width, a list of edges or a unit of the calendar"
#define SEPARATOR "a separator of numbers"

const kanon__schema_key kanon__column_keys[KANON__COLUMN_KEYS] = {
    [KANON__COLUMN_ROLE] = {"role", KANON__FORM_WORD, "a role", .option = "default_role", .take = take_role},
    [KANON__COLUMN_TYPE] = {"type", KANON__FORM_WORD, "a type", .option = "types", .noun = "type"},
    [KANON__COLUMN_TAXONOMY] = {"taxonomy", KANON__FORM_TEXT, "the path of a taxonomy or a mapping", .noun = "a taxonomy",
                                .types = 1u << KANON_TYPE_CATEGORICAL, .take = take_taxonomy},
    [KANON__COLUMN_MASK] = {"mask", KANON__FORM_WORD, "a side", .option = "masks", .noun = "a mask",
                            .types = 1u << KANON_TYPE_CATEGORICAL, .take = take_mask},
    [KANON__COLUMN_WEIGHT] = {"weight", KANON__FORM_NUMBER, "a weight", "a weight is a number above 0, at most 1000000",
                              .take = take_weight},
    [KANON__COLUMN_BANDS] = {"bands", KANON__FORM_EDGES, BANDS_OF, .noun = "bands", .types = NUMERIC, .take = take_bands},
    [KANON__COLUMN_TOP] = {"top", KANON__FORM_NUMBER, "a number or a date", .noun = "bands", .types = NUMERIC,
                           .take = take_bands},
    [KANON__COLUMN_BOTTOM] = {"bottom", KANON__FORM_NUMBER, "a number or a date", .noun = "bands", .types = NUMERIC,
                              .take = take_bands},
    [KANON__COLUMN_FORMAT] = {"format", KANON__FORM_TEXT, "a format of dates", .noun = "a format of dates",
                              .types = 1u << KANON_TYPE_DATE, .take = take_format},
    [KANON__COLUMN_DECIMAL] = {"decimal", KANON__FORM_TEXT, SEPARATOR, .take = take_separator},
    [KANON__COLUMN_THOUSANDS] = {"thousands", KANON__FORM_TEXT, SEPARATOR, .take = take_separator},
    [KANON__COLUMN_ORDER] = {"order", KANON__FORM_LIST, "a list of levels, from the lowest to the highest",
                             .noun = "an order", .types = 1u << KANON_TYPE_ORDINAL, .take = take_order},
    [KANON__COLUMN_PERMUTE] = {"permute", KANON__FORM_WORD, "a word", .option = "permute"},
    [KANON__COLUMN_ENDS] = {"ends", KANON__FORM_WORD, "a word", .option = "ends", .noun = "ends", .types = NUMERIC},
};

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static bool empty_is_value(const kanon_schema *schema)
{
    return schema->missing.n == 0 || schema->missing.items[0][0] != '\0';
}

/* The texts that mean "no value": the empty one unless it is a value, and those of `texts` that are not blank. */
static kanon_status set_missing(kanon_schema *schema, bool empty_is_value, const kanon__texts *texts, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__texts fresh = {0};
    if (!empty_is_value)
        KANON_TRY(kanon__texts_add(&fresh, "", 0, err), out);
    for (int64_t i = 0; i < texts->n; i++) {
        size_t length = strlen(texts->items[i]);
        if (!kanon__same_value(texts->items[i], length, "", 0) && kanon__texts_find(&fresh, texts->items[i], length) < 0)
            KANON_TRY(kanon__texts_add(&fresh, texts->items[i], length, err), out);
    }
    kanon__texts_clear(&schema->missing);
    schema->missing = fresh;
    fresh = (kanon__texts){0};
out:
    kanon__texts_clear(&fresh);
    return st;
}

static kanon_status take_missing(kanon__saying *s)
{
    return set_missing(s->schema, empty_is_value(s->schema), &s->items, s->err);
}

static kanon_status take_empty(kanon__saying *s)
{
    return set_missing(s->schema, strcmp(s->text, "value") == 0, &s->schema->missing, s->err);
}

static kanon_status take_header(kanon__saying *s)
{
    s->schema->header = (kanon_header)kanon_enum_value(KANON_ENUM_HEADER, s->text);
    return KANON_OK;
}

static kanon_status take_encoding(kanon__saying *s)
{
    if (kanon__encoding_is_known(s->text))
        return KANON_OK;
    return kanon__hint_choice(s->err, refuse(s), kanon__option_words(kanon__option("encoding")), s->text);
}

static kanon_status take_default_role(kanon__saying *s)
{
    s->schema->default_role = (kanon_role)kanon_enum_value(KANON_ENUM_ROLE, s->text);
    s->schema->has_default_role = true;
    return KANON_OK;
}

static kanon_status take_key(kanon__saying *s)
{
    kanon_status st = KANON_OK;
    kanon__texts key = {0};
    if (s->items.n == 0)
        return kanon__fail(s->err, KANON_EINVAL, "the key names no column");
    for (s->wrong = 0; s->wrong < s->items.n; s->wrong++) {
        const char *name = s->items.items[s->wrong];
        if (name[0] == '\0')
            st = kanon__fail(s->err, KANON_EINVAL, "not the name of a column");
        else if (kanon__texts_find(&key, name, strlen(name)) >= 0)
            st = kanon__fail(s->err, KANON_EINVAL, "column '%s' is twice in the key", name);
        if (st == KANON_OK)
            st = kanon__texts_add(&key, name, strlen(name), s->err);
        KANON_TRY(st, out);
    }
    kanon__texts_clear(&s->schema->key);
    s->schema->key = key;
    s->schema->key_line = 0;
    key = (kanon__texts){0};
out:
    kanon__texts_clear(&key);
    return st;
}

static kanon_status take_entity(kanon__saying *s)
{
    s->schema->entity_line = 0;
    return KANON_OK;
}

static kanon_status take_entity_together(kanon__saying *s)
{
    if (s->schema->said[KANON__WHOLE_ENTITY] == NULL && !s->from_file) { /* a file may name it below */
        kanon_status st = kanon__fail(s->err, KANON_EINVAL, "entities are to stay together, but there are none");
        st = kanon__hint(s->err, st, "name the column that says whose record it is: entity");
        return kanon__topic(s->err, st, "entity");
    }
    s->schema->entity_together = strcmp(s->text, "true") == 0;
    return KANON_OK;
}

/* The settings are those of the algorithm, so another one has others. */
static kanon_status take_algorithm(kanon__saying *s)
{
    const char *before = s->schema->said[KANON__WHOLE_ALGORITHM];
    if (before == NULL || strcmp(before, s->text) != 0)
        return kanon__schema_forget(s->schema, KANON__WHOLE_SETTINGS, s->err);
    return KANON_OK;
}

static void clear_settings(kanon_schema *schema)
{
    for (int64_t i = 0; i < schema->n_settings; i++) {
        kanon__free((char *)schema->settings[i].name);
        kanon__free((char *)schema->settings[i].value);
    }
    schema->n_settings = 0;
}

static kanon_status take_settings(kanon__saying *s)
{
    kanon_status st = KANON_OK;
    kanon_schema *schema = s->schema;
    if (schema->said[KANON__WHOLE_ALGORITHM] == NULL)
        return kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "settings without an algorithm"),
                           "say the algorithm that they are of first");
    if (kanon__texts_find(&s->items, "name", strlen("name")) >= 0) /* in a file it is the algorithm's */
        return kanon__fail(s->err, KANON_EINVAL, "there is no setting called 'name'");
    KANON_TRY(kanon__grow_array(&schema->settings, &schema->settings_capacity, s->items.n, "settings", s->err), out);
    clear_settings(schema);
    for (int64_t i = 0; i < s->items.n; i++) { /* the texts change hands */
        schema->settings[schema->n_settings++] = (kanon_setting){s->items.items[i], s->values.items[i]};
        s->items.items[i] = s->values.items[i] = NULL;
    }
out:
    return st;
}

/* The first text with each of the others. */
static kanon_status take_same(kanon__saying *s)
{
    kanon_status st = KANON_OK;
    kanon__texts *same = &s->schema->same;
    int64_t before = same->n;
    if (s->items.n < 2)
        return kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "fewer than two texts"),
                           "write lists of two texts or more: [[\"?\", NA]]");
    for (int64_t i = 1; st == KANON_OK && i < s->items.n; i++) {
        st = kanon__texts_add(same, s->items.items[0], strlen(s->items.items[0]), s->err);
        if (st == KANON_OK)
            st = kanon__texts_add(same, s->items.items[i], strlen(s->items.items[i]), s->err);
    }
    while (st != KANON_OK && same->n > before)
        kanon__free(same->items[--same->n]);
    return st;
}

/* What reports print of a release; reading it is in report/html_officer.c. */
static const char *const release_keys[] = {"purpose",          "recipient",  "controls",    "adversary",   "threshold",
                                           "threshold-reason", "population", "valid-until", "prepared-by", "reviewed-by"};
enum { N_RELEASE_KEYS = sizeof release_keys / sizeof *release_keys };

static kanon_status check_release(kanon__saying *s, const char *key, const char *value)
{
    kanon__fraction share;
    int64_t days;
    bool known = false;
    for (int i = 0; i < N_RELEASE_KEYS; i++)
        known = known || strcmp(key, release_keys[i]) == 0;
    if (!known)
        return kanon__hint_words(s->err, kanon__fail(s->err, KANON_EINVAL, "nothing called '%s' is said of a release", key),
                                 "choose one of:", release_keys, N_RELEASE_KEYS, key);
    if (strcmp(key, "threshold") == 0 && (!kanon__fraction_parse(&share, value) || share.numerator == 0))
        return kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "threshold: not a share above 0"),
                           "write 0.09 for a risk of at most nine percent");
    if (strcmp(key, "valid-until") == 0 && !kanon__parse_date(&days, value, strlen(value)))
        return kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "valid-until: not a date"), "write it as 2030-12-31");
    return KANON_OK;
}

static kanon_status take_release(kanon__saying *s)
{
    for (s->wrong = 0; s->wrong < s->items.n; s->wrong++)
        KANON_CHECK(check_release(s, s->items.items[s->wrong], s->values.items[s->wrong]));
    kanon__texts_clear(&s->schema->release_keys);
    kanon__texts_clear(&s->schema->release_values);
    s->schema->release_keys = s->items;
    s->schema->release_values = s->values;
    s->items = s->values = (kanon__texts){0};
    return KANON_OK;
}

static kanon_status take_constraint(kanon__saying *s)
{
    kanon_schema *schema = s->schema;
    kanon__text_writer w = {.err = s->err};
    if (kanon__texts_find(&s->items, "model", strlen("model")) < 0)
        return kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "a constraint without a model"),
                           "write it as {model: t-closeness, attribute: COLUMN, t: 0.3}");
    KANON_CHECK(kanon__grow_array(&schema->constraints, &schema->constraints_capacity, schema->n_constraints + 1,
                                  "constraints", s->err));
    kanon__put_pairs(&w, &s->items, &s->values);
    if (w.st != KANON_OK) {
        kanon__free(w.bytes);
        return w.st;
    }
    schema->constraints[schema->n_constraints++] =
        (kanon__constraint_text){.names = s->items, .values = s->values, .text = w.bytes};
    s->items = s->values = (kanon__texts){0};
    return KANON_OK;
}

static bool parse_k(int64_t *out, const char *text)
{
    return kanon__parse_integer(out, text, strlen(text)) && *out >= 2;
}

static kanon_status take_k(kanon__saying *s)
{
    int64_t k;
    if (!parse_k(&k, s->text))
        return refuse(s);
    s->schema->k = k;
    return KANON_OK;
}

static kanon_status take_suppress(kanon__saying *s)
{
    return kanon__fraction_parse(&s->schema->suppress, s->text) ? KANON_OK : refuse(s);
}

static kanon_status take_suppressed(kanon__saying *s)
{
    s->schema->keep_suppressed = strcmp(s->text, "keep") == 0;
    return KANON_OK;
}

static kanon_status take_singled_out(kanon__saying *s)
{
    return kanon__fraction_parse(&s->schema->singled_out, s->text) ? KANON_OK : refuse(s);
}

static kanon_status take_joint_k(kanon__saying *s)
{
    int64_t k = KANON_JOINT_K_OFF;
    if (strcmp(s->text, "off") != 0 && !parse_k(&k, s->text))
        return refuse(s);
    s->schema->joint_k = k;
    return KANON_OK;
}

const kanon__schema_key kanon__whole_keys[KANON__WHOLE_KEYS] = {
    [KANON__WHOLE_MISSING] = {"missing", KANON__FORM_LIST, "a list of texts that mean \"no value\"", .take = take_missing},
    [KANON__WHOLE_EMPTY] = {"empty", KANON__FORM_WORD, "a word", .option = "empty", .take = take_empty},
    [KANON__WHOLE_HEADER] = {"header", KANON__FORM_WORD, "a word", .option = "header", .take = take_header},
    [KANON__WHOLE_ENCODING] = {"encoding", KANON__FORM_TEXT, "an encoding", .take = take_encoding},
    [KANON__WHOLE_DECIMAL] = {"decimal", KANON__FORM_TEXT, SEPARATOR, .take = take_separator},
    [KANON__WHOLE_THOUSANDS] = {"thousands", KANON__FORM_TEXT, SEPARATOR, .take = take_separator},
    [KANON__WHOLE_DEFAULT_ROLE] = {"default-role", KANON__FORM_WORD, "a role", .option = "default_role",
                                   .take = take_default_role},
    [KANON__WHOLE_KEY] = {"key", KANON__FORM_LIST, "a list of column names", .take = take_key},
    [KANON__WHOLE_ENTITY] = {"entity", KANON__FORM_TEXT, "the name of a column", .take = take_entity},
    [KANON__WHOLE_ENTITY_TOGETHER] = {"entity-together", KANON__FORM_WORD, "a word", .option = "entity_together",
                                      .take = take_entity_together},
    [KANON__WHOLE_ALGORITHM] = {"algorithm", KANON__FORM_TEXT, "the name of an algorithm", .take = take_algorithm},
    [KANON__WHOLE_SETTINGS] = {"settings", KANON__FORM_PAIRS, "a mapping such as {iterations: 2}", .take = take_settings},
    [KANON__WHOLE_SAME] = {"same", KANON__FORM_LISTS, "a list of lists of texts that are one, such as [[\"?\", NA]]",
                           .take = take_same},
    [KANON__WHOLE_RELEASE] = {"release", KANON__FORM_PAIRS, "a mapping such as {purpose: TEXT, threshold: 0.09}",
                              .take = take_release},
    [KANON__WHOLE_K] = {"k", KANON__FORM_NUMBER, "a whole number of at least 2", .take = take_k},
    [KANON__WHOLE_SUPPRESS] = {"suppress", KANON__FORM_NUMBER, "a share of the records", "write 0.01 for one percent",
                               .take = take_suppress},
    [KANON__WHOLE_SUPPRESSED] = {"suppressed", KANON__FORM_WORD, "a word", .option = "suppressed", .take = take_suppressed},
    [KANON__WHOLE_SINGLED_OUT] = {"singled-out", KANON__FORM_NUMBER, "a share of the rows", "write 0.05 for five percent",
                                  .take = take_singled_out},
    [KANON__WHOLE_JOINT_K] = {"joint-k", KANON__FORM_NUMBER, "a whole number of at least 2, or off", .take = take_joint_k},
    [KANON__WHOLE_CONSTRAINT] = {"constraint", KANON__FORM_MAPPINGS,
                                 "a mapping such as {model: t-closeness, attribute: COLUMN, t: 0.3}",
                                 .take = take_constraint},
};

/* ---- what goes together ------------------------------------------------------------------------------------------- */

static bool has(const kanon__attribute *attribute, int key)
{
    return attribute->said[key] != NULL || (key == KANON__COLUMN_TAXONOMY && attribute->tree != NULL);
}

/* The types that a column with this can have; 0: any. */
static unsigned types_of(const kanon__attribute *attribute, int key)
{
    if (key != KANON__COLUMN_TYPE)
        return kanon__column_keys[key].types;
    return 1u << kanon_enum_value(KANON_ENUM_TYPE, attribute->said[key]);
}

/* Only categories have a taxonomy or a mask, only numbers and dates bands, only ordinal columns an order, only dates a
 * format. */
int kanon__attribute_conflict(const kanon__attribute *attribute, int key)
{
    for (int other = 0; other < KANON__COLUMN_KEYS; other++) {
        bool two_trees = key + other == KANON__COLUMN_TAXONOMY + KANON__COLUMN_MASK && key != other &&
                         (key == KANON__COLUMN_TAXONOMY || key == KANON__COLUMN_MASK);
        if (other == key || !has(attribute, other))
            continue;
        unsigned left = types_of(attribute, key), right = types_of(attribute, other);
        if (two_trees || (left != 0 && right != 0 && (left & right) == 0))
            return other;
    }
    return -1;
}

void kanon__attribute_make_way(kanon__attribute *attribute, int key)
{
    for (int other; (other = kanon__attribute_conflict(attribute, key)) >= 0;)
        kanon__attribute_forget(attribute, other);
}

static void forget_of_column(kanon__attribute *attribute, int key)
{
    switch ((kanon__column_key)key) {
    case KANON__COLUMN_ROLE:
        attribute->has_role = attribute->role_from_flags = false;
        attribute->role = KANON_ROLE_INSENSITIVE;
        break;
    case KANON__COLUMN_TAXONOMY:
        kanon__tree_free(attribute->tree);
        attribute->tree = NULL;
        break;
    case KANON__COLUMN_MASK:
        attribute->mask = KANON__MASK_NONE;
        break;
    case KANON__COLUMN_WEIGHT:
        attribute->weight = 1;
        break;
    case KANON__COLUMN_FORMAT:
        memset(attribute->format.date, 0, sizeof attribute->format.date);
        break;
    case KANON__COLUMN_DECIMAL:
        attribute->format.decimal = 0;
        break;
    case KANON__COLUMN_THOUSANDS:
        attribute->format.thousands = 0;
        break;
    case KANON__COLUMN_ORDER:
        kanon__dictionary_clear(&attribute->levels);
        break;
    case KANON__COLUMN_TYPE:
    case KANON__COLUMN_BANDS:
    case KANON__COLUMN_TOP:
    case KANON__COLUMN_BOTTOM:
    case KANON__COLUMN_PERMUTE:
    case KANON__COLUMN_ENDS:
    case KANON__COLUMN_KEYS:
        break;
    }
}

void kanon__constraint_clear(kanon__constraint_text *constraint)
{
    kanon__texts_clear(&constraint->names);
    kanon__texts_clear(&constraint->values);
    kanon__free(constraint->text);
}

static kanon_status forget_of_whole(kanon_schema *schema, int key, kanon_error *err)
{
    static const kanon__texts none = {0};
    switch ((kanon__whole_key)key) {
    case KANON__WHOLE_MISSING:
        return set_missing(schema, empty_is_value(schema), &none, err);
    case KANON__WHOLE_EMPTY:
        return set_missing(schema, false, &schema->missing, err);
    case KANON__WHOLE_HEADER:
        schema->header = KANON_HEADER_UNSAID;
        break;
    case KANON__WHOLE_DECIMAL:
        schema->decimal = 0;
        break;
    case KANON__WHOLE_THOUSANDS:
        schema->thousands = 0;
        break;
    case KANON__WHOLE_DEFAULT_ROLE:
        schema->default_role = KANON_ROLE_IDENTIFYING;
        schema->has_default_role = false;
        break;
    case KANON__WHOLE_KEY:
        kanon__texts_clear(&schema->key);
        schema->key_line = 0;
        break;
    case KANON__WHOLE_ENTITY:
        schema->entity_line = 0;
        return kanon__schema_forget(schema, KANON__WHOLE_ENTITY_TOGETHER, err);
    case KANON__WHOLE_ENTITY_TOGETHER:
        schema->entity_together = false;
        break;
    case KANON__WHOLE_ALGORITHM:
        return kanon__schema_forget(schema, KANON__WHOLE_SETTINGS, err);
    case KANON__WHOLE_SETTINGS:
        clear_settings(schema);
        break;
    case KANON__WHOLE_SAME:
        kanon__texts_clear(&schema->same);
        break;
    case KANON__WHOLE_RELEASE:
        kanon__texts_clear(&schema->release_keys);
        kanon__texts_clear(&schema->release_values);
        break;
    case KANON__WHOLE_K:
        schema->k = 0;
        break;
    case KANON__WHOLE_SUPPRESS:
        schema->suppress = (kanon__fraction){0};
        break;
    case KANON__WHOLE_SUPPRESSED:
        schema->keep_suppressed = false;
        break;
    case KANON__WHOLE_SINGLED_OUT:
        schema->singled_out = (kanon__fraction){0};
        break;
    case KANON__WHOLE_JOINT_K:
        schema->joint_k = 0;
        break;
    case KANON__WHOLE_CONSTRAINT:
        while (schema->n_constraints > 0)
            kanon__constraint_clear(&schema->constraints[--schema->n_constraints]);
        schema->constraints_line = 0;
        break;
    case KANON__WHOLE_ENCODING:
    case KANON__WHOLE_KEYS:
        break;
    }
    return KANON_OK;
}

/* An order says that a column is ordinal. Without one the source has to know the levels, as ordered dictionaries do. */
static void settle_type(kanon__attribute *attribute)
{
    const char *said = attribute->said[KANON__COLUMN_TYPE];
    attribute->type = said != NULL              ? (kanon_type)kanon_enum_value(KANON_ENUM_TYPE, said)
                      : attribute->levels.n > 0 ? KANON_TYPE_ORDINAL
                                                : KANON_TYPE_UNKNOWN;
}

void kanon__attribute_forget(kanon__attribute *attribute, int key)
{
    forget_of_column(attribute, key);
    kanon__free(attribute->said[key]);
    attribute->said[key] = NULL;
    settle_type(attribute);
}

kanon_status kanon__schema_forget(kanon_schema *schema, int key, kanon_error *err)
{
    KANON_CHECK(forget_of_whole(schema, key, err));
    kanon__free(schema->said[key]);
    schema->said[key] = NULL;
    return KANON_OK;
}

/* ---- saying it --------------------------------------------------------------------------------------------------- */

/* Whether two words are one: in any case, with - or _ between their parts. */
static bool is_word(const char *word, size_t length, const char *text)
{
    size_t n = 0;
    for (; n < length && text[n] != '\0'; n++) {
        char c = text[n];
        c = (char)(c == '_' ? '-' : c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
        if (c != word[n])
            return false;
    }
    return n == length && text[n] == '\0';
}

/* The word of the row that the text means. */
static kanon_status put_word(kanon__saying *s, const kanon__schema_key *row, const char *text, kanon__text_writer *w)
{
    static const char *const others[][2] = {
        {"yes", "true"}, {"no", "false"}, {"true", "yes"}, {"false", "no"}, {"quasi", "quasi-identifying"}};
    const char *words = kanon__option_words(kanon__option(row->option));
    words = words != NULL ? words : "true|false";
    for (const char *word = words; *word != '\0';) {
        size_t length = strcspn(word, "|");
        bool same = is_word(word, length, text);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            same = same || (is_word(word, length, others[i][0]) && is_word(others[i][1], strlen(others[i][1]), text));
        if (same) {
            kanon__put(w, word, length);
            return w->st;
        }
        word += length + (word[length] == '|');
    }
    kanon_status st = kanon__fail(s->err, KANON_EINVAL, "there is no such %s", row->expected + strlen("a "));
    return kanon__hint_choice(s->err, st, words, text);
}

/* Edges with commas between them, or whatever else bands are. */
static kanon_status put_edges(kanon__saying *s, kanon__text_writer *w)
{
    if (s->is_list && s->items.n == 0)
        return kanon__fail(s->err, KANON_EINVAL, "a list without edges");
    if (s->is_list && s->items.n == 1)
        return kanon__hint(s->err, kanon__fail(s->err, KANON_EINVAL, "a list of a single edge"),
                           "write two edges or more, or 'top'");
    for (s->wrong = 0; s->wrong < s->items.n; s->wrong++) {
        const char *edge = s->items.items[s->wrong];
        if (s->is_list && strchr(edge, ',') != NULL)
            return kanon__fail(s->err, KANON_EINVAL, "an edge with a comma");
        kanon__put_text(w, s->wrong > 0 ? "," : "");
        kanon__put_text(w, edge);
    }
    return w->st;
}

static kanon_status check_pairs(kanon__saying *s, const kanon__schema_key *row)
{
    for (s->wrong = 0; s->wrong < s->items.n; s->wrong++) {
        const char *name = s->items.items[s->wrong];
        if (s->wrong >= s->values.n || name[0] == '\0' || strlen(name) > MOST_NAME || s->values.items[s->wrong][0] == '\0')
            return kanon__fail(s->err, KANON_EINVAL, "not %s", row->expected);
        if (kanon__texts_find(&s->items, name, strlen(name)) < s->wrong)
            return kanon__fail(s->err, KANON_EINVAL, "'%s' is given twice", name);
    }
    return KANON_OK;
}

/* What will be kept of it. */
static kanon_status put_said(kanon__saying *s, const char *before, kanon__text_writer *w)
{
    const kanon__schema_key *row = row_of(s);
    bool adds = row->form == KANON__FORM_LISTS || row->form == KANON__FORM_MAPPINGS;
    bool pairs = row->form == KANON__FORM_PAIRS || row->form == KANON__FORM_MAPPINGS;
    s->wrong = s->items.n; /* all of it, unless one item is found to be */
    if (row->form == KANON__FORM_WORD)
        return put_word(s, row, s->items.items[0], w);
    if (row->form == KANON__FORM_EDGES)
        return put_edges(s, w);
    if (row->form == KANON__FORM_NUMBER || row->form == KANON__FORM_TEXT) {
        kanon__put_text(w, s->items.items[0]);
        return s->items.items[0][0] != '\0' ? w->st : refuse(s);
    }
    if (pairs)
        KANON_CHECK(check_pairs(s, row));
    if (adds && before != NULL)
        kanon__put(w, before, strlen(before) - strlen("]"));
    if (adds)
        kanon__put_text(w, before != NULL ? ", " : "[");
    if (pairs)
        kanon__put_pairs(w, &s->items, &s->values);
    else
        kanon__put_list(w, &s->items);
    kanon__put_text(w, adds ? "]" : "");
    return w->st;
}

kanon_status kanon__schema_say(kanon__saying *s)
{
    kanon_status st = KANON_OK;
    kanon__text_writer w = {.err = s->err};
    char **said = s->attribute != NULL ? &s->attribute->said[s->key] : &s->schema->said[s->key];
    KANON_TRY(put_said(s, *said, &w), out);
    s->text = w.bytes;
    if (row_of(s)->take != NULL)
        KANON_TRY(row_of(s)->take(s), out);
    kanon__free(*said);
    *said = w.bytes;
    w.bytes = NULL;
    if (s->attribute != NULL && !s->from_file)
        kanon__attribute_make_way(s->attribute, s->key);
    if (s->attribute != NULL)
        settle_type(s->attribute);
out:
    kanon__free(w.bytes);
    return st;
}

void kanon__saying_clear(kanon__saying *s)
{
    kanon__texts_clear(&s->items);
    kanon__texts_clear(&s->values);
}
