/* Builds a taxonomy from the values of a column: each value gets the names of its levels, from the coarsest to the value,
 * and values with the same names share the nodes.
 *
 *     bands 5,20      23       [20..24]  [20..39]  *          dates month,year    2024-03-05   2024-03   2024   *
 *     prefixes 3,1    75201    752*      7*        *          rare 10             Elf          other     *
 *
 * A level whose name is that of the level below it is left out. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/take_input.h"
#include "table/value/bands.h"
#include "taxonomy/taxonomy_document.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_LEVELS = 32 };

/* A value of the column, in the order in which its leaf is added. */
typedef struct leaf {
    uint32_t code;
    kanon__decimal number; /* of numbers and dates */
    int64_t scaled;
} leaf;

typedef struct level_build {
    kanon__column_values values;
    const char *column;
    kanon_taxonomy_method method;
    int n_levels;
    char *words[MOST_LEVELS]; /* the levels as given */
    char *levels;             /* the memory of the words */
    kanon_type type;
    int scale;
    leaf *leaves;
    kanon__band_rule *rules[MOST_LEVELS]; /* of bands */
    uint32_t *bins[MOST_LEVELS];          /* of frequencies: by place of the leaf, the place of the last one of its bin */
    uint32_t *begins[MOST_LEVELS];        /* likewise of the first one */
    int64_t lengths[MOST_LEVELS];         /* of prefixes; of frequencies how many; of rare values how few */
    kanon__tree *tree;
    kanon__dictionary labels; /* of the tree; a label's code is its node's number - 1 */
} level_build;

/* ---- levels --------------------------------------------------------------------------------------------------------- */

static kanon_status fail_levels(const char *hint, kanon_error *err)
{
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the levels of the taxonomy cannot be read"), "%s", hint);
}

static kanon_status split_levels(level_build *b, const char *levels, kanon_error *err)
{
    kanon_status st = kanon__copy_text(&b->levels, levels != NULL ? levels : "", levels != NULL ? strlen(levels) : 0,
                                       "levels", err);
    if (st != KANON_OK)
        return st;
    for (char *at = b->levels; *at != '\0';) {
        if (b->n_levels == MOST_LEVELS)
            return fail_levels("a taxonomy is built with at most 32 levels", err);
        b->words[b->n_levels++] = at;
        at += strcspn(at, ",");
        if (*at == ',')
            *at++ = '\0';
    }
    return b->n_levels > 0 ? KANON_OK : fail_levels("give at least one level", err);
}

/* Whole numbers that fall, or for `rise` rise. */
static kanon_status read_numbers(level_build *b, const char *hint, kanon_error *err)
{
    for (int i = 0; i < b->n_levels; i++) {
        const char *word = b->words[i];
        if (!kanon__parse_integer(&b->lengths[i], word, strlen(word)) || b->lengths[i] < 1 ||
            (i > 0 && b->lengths[i] >= b->lengths[i - 1]))
            return fail_levels(hint, err);
    }
    return KANON_OK;
}

/* ---- numbers --------------------------------------------------------------------------------------------------------- */

/* Parse every value as `type`; false where one is something else, whose place *bad becomes. */
static bool parse_all(level_build *b, kanon_type type, uint32_t *bad)
{
    for (uint32_t code = 0; code < b->values.texts.n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(&b->values.texts, code, &length);
        int64_t whole = 0;
        leaf *l = &b->leaves[code];
        bool good = type == KANON_TYPE_DECIMAL
                        ? kanon__parse_decimal(&l->number, text, length) && l->number.exact
                        : (type == KANON_TYPE_DATE ? kanon__parse_date : kanon__parse_integer)(&whole, text, length);
        if (!good) {
            *bad = code;
            return false;
        }
        if (type != KANON_TYPE_DECIMAL)
            l->number = (kanon__decimal){.mantissa = whole, .exact = true, .value = (double)whole};
    }
    return true;
}

static kanon_status fail_value(const level_build *b, uint32_t code, const char *what, const char *hint, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s:%lld: %s: %s", b->values.name, (long long)b->values.lines[code],
                                  b->column, what);
    return kanon__hint(err, st, "%s", hint);
}

static int by_scaled(const void *left, const void *right)
{
    const leaf *a = left, *b = right;
    if (a->scaled != b->scaled)
        return a->scaled < b->scaled ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

/* The values as whole numbers of one scale, at least `scale`, in rising order. */
static kanon_status order_numbers(level_build *b, int scale, kanon_error *err)
{
    b->scale = scale;
    for (uint32_t i = 0; i < b->values.texts.n; i++)
        b->scale = b->leaves[i].number.scale > b->scale ? b->leaves[i].number.scale : b->scale;
    for (uint32_t i = 0; i < b->values.texts.n; i++) {
        leaf *l = &b->leaves[i];
        l->scaled = l->number.mantissa;
        for (int step = l->number.scale; step < b->scale; step++)
            if (__builtin_mul_overflow(l->scaled, (int64_t)10, &l->scaled))
                return fail_value(b, l->code, "a number is too long for bands", "bands need numbers of at most 18 digits",
                                  err);
    }
    qsort(b->leaves, b->values.texts.n, sizeof *b->leaves, by_scaled);
    return KANON_OK;
}

static kanon_status read_values(level_build *b, bool dates, kanon_error *err)
{
    uint32_t bad = 0;
    b->type = dates ? KANON_TYPE_DATE : KANON_TYPE_INTEGER;
    if (parse_all(b, b->type, &bad))
        return KANON_OK;
    if (dates)
        return fail_value(b, bad, "not a date", "dates are written YYYY-MM-DD; name the texts that mean 'no value'", err);
    b->type = KANON_TYPE_DECIMAL;
    if (parse_all(b, b->type, &bad))
        return KANON_OK;
    return fail_value(b, bad, "not a number", "bands are for numbers; name the texts that mean 'no value'", err);
}

static kanon_status prepare_bands(level_build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *problem, *hint;
    int scale = 0;
    KANON_TRY(read_values(b, false, err), out);
    for (int i = 0; i < b->n_levels; i++) {
        if (!kanon__bands_check(b->words[i], NULL, NULL, &problem, &hint) ||
            kanon__bands_need_dates(b->words[i], NULL, NULL))
            return fail_levels("bands are widths, each a multiple of the one before: 5,20", err);
        KANON_TRY(kanon__band_rule_new(&b->rules[i], b->words[i], NULL, NULL, b->type, b->column, err), out);
        scale = kanon__band_rule_scale(b->rules[i]) > scale ? kanon__band_rule_scale(b->rules[i]) : scale;
    }
    KANON_TRY(order_numbers(b, scale, err), out);
    for (int i = 0; i < b->n_levels; i++) {
        kanon__band band, wider;
        if (!kanon__band_rule_rescale(b->rules[i], b->scale))
            return fail_levels("the widths have too many digits for these numbers", err);
        /* the first band of the coarser level must begin where one of the finer level does, and be some of them long */
        if (i > 0 && (!kanon__band_of(b->rules[i - 1], 0, &band) || !kanon__band_of(b->rules[i], 0, &wider) ||
                      wider.high <= band.high || wider.high % band.high != 0))
            return fail_levels("bands are widths, each a multiple of the one before: 5,20", err);
    }
out:
    return st;
}

/* Cut the ordered values into `wanted` bins of about as many records; equal numbers stay together. The coarser levels join
 * whole bins of the finest one, which `finer` is. */
static void cut_bins(const level_build *b, int64_t wanted, const uint32_t *finer, uint32_t *last_of, uint32_t *first_of)
{
    int64_t total = 0, before = 0, bin = 1;
    uint32_t n = b->values.texts.n, first = 0;
    for (uint32_t i = 0; i < n; i++)
        total += b->values.counts[b->leaves[i].code];
    for (uint32_t i = 0; i < n; i++) {
        before += b->values.counts[b->leaves[i].code];
        bool whole = i + 1 == n || (b->leaves[i + 1].scaled != b->leaves[i].scaled && (finer == NULL || finer[i] == i));
        if (!whole || (i + 1 < n && before * wanted < total * bin))
            continue;
        for (uint32_t j = first; j <= i; j++) {
            last_of[j] = i;
            first_of[j] = first;
        }
        first = i + 1;
        while (before * wanted >= total * bin && bin < wanted)
            bin++;
    }
}

static kanon_status prepare_frequencies(level_build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(read_numbers(b, "frequencies are numbers of bands, the finest level first: 16,4", err), out);
    KANON_TRY(read_values(b, false, err), out);
    KANON_TRY(order_numbers(b, 0, err), out);
    for (int i = 0; i < b->n_levels; i++) {
        KANON_TRY(kanon__new_array(&b->bins[i], b->values.texts.n, "bands", err), out);
        KANON_TRY(kanon__new_array(&b->begins[i], b->values.texts.n, "bands", err), out);
        cut_bins(b, b->lengths[i], i > 0 ? b->bins[i - 1] : NULL, b->bins[i], b->begins[i]);
    }
out:
    return st;
}

static kanon_status prepare_dates(level_build *b, kanon_error *err)
{
    static const char *const units[] = {"month", "quarter", "year", "decade"};
    int least = 0;
    for (int i = 0; i < b->n_levels; i++) {
        int unit = least;
        while (unit < 4 && strcmp(units[unit], b->words[i]) != 0)
            unit++;
        if (unit == 4)
            return fail_levels("dates have the levels month, quarter, year and decade, in this order", err);
        least = unit + 1;
    }
    kanon_status st = read_values(b, true, err);
    return st == KANON_OK ? order_numbers(b, 0, err) : st;
}

/* ---- texts ----------------------------------------------------------------------------------------------------------- */

typedef struct sorted_text {
    const char *text;
    size_t length;
    uint32_t code;
} sorted_text;

static int by_bytes(const void *left, const void *right)
{
    const sorted_text *a = left, *b = right;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    return order != 0 ? order : a->length < b->length ? -1 : a->length > b->length;
}

static kanon_status order_texts(level_build *b, kanon_error *err)
{
    sorted_text *texts = NULL;
    kanon_status st = kanon__new_array(&texts, b->values.texts.n, "values", err);
    if (st != KANON_OK)
        return st;
    for (uint32_t i = 0; i < b->values.texts.n; i++) {
        texts[i].text = kanon__dictionary_text(&b->values.texts, i, &texts[i].length);
        texts[i].code = i;
    }
    qsort(texts, b->values.texts.n, sizeof *texts, by_bytes);
    for (uint32_t i = 0; i < b->values.texts.n; i++)
        b->leaves[i].code = texts[i].code;
    kanon__free(texts);
    return KANON_OK;
}

static kanon_status prepare(level_build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&b->leaves, (int64_t)b->values.texts.n + 1, "values", err), out);
    for (uint32_t i = 0; i < b->values.texts.n; i++)
        b->leaves[i].code = i;
    switch (b->method) {
    case KANON_TAXONOMY_BANDS:
        return prepare_bands(b, err);
    case KANON_TAXONOMY_FREQUENCY:
        return prepare_frequencies(b, err);
    case KANON_TAXONOMY_DATES:
        return prepare_dates(b, err);
    case KANON_TAXONOMY_PREFIXES:
        KANON_TRY(read_numbers(b, "prefixes are lengths in characters, the longest first: 3,1", err), out);
        return order_texts(b, err);
    case KANON_TAXONOMY_RARE:
        KANON_TRY(read_numbers(b, "rare takes one number of records: 10", err), out);
        if (b->n_levels > 1)
            return fail_levels("rare takes one number of records: 10", err);
        return order_texts(b, err);
    default:
        break;
    }
out:
    return st;
}

/* ---- names of levels ------------------------------------------------------------------------------------------------- */

enum { LABEL_ROOM = 256 };

static size_t date_label(char *out, const char *unit, int64_t day)
{
    char text[KANON__NUMBER_TEXT];
    kanon__format_date(text, day);
    int month = (text[5] - '0') * 10 + (text[6] - '0');
    if (strcmp(unit, "month") == 0)
        return (size_t)snprintf(out, LABEL_ROOM, "%.7s", text);
    if (strcmp(unit, "quarter") == 0)
        return (size_t)snprintf(out, LABEL_ROOM, "%.4s-Q%d", text, (month - 1) / 3 + 1);
    if (strcmp(unit, "year") == 0)
        return (size_t)snprintf(out, LABEL_ROOM, "%.4s", text);
    return (size_t)snprintf(out, LABEL_ROOM, "%.3s0s", text);
}

/* The first `n` characters and a star; "" where the value has no more. */
static size_t prefix_label(char *out, const char *text, size_t length, int64_t n)
{
    size_t at = 0;
    for (; at < length && n >= 0; at++)
        if (((unsigned char)text[at] & 0xc0) != 0x80 && n-- == 0)
            break;
    if (at == length || at + 2 > LABEL_ROOM)
        return 0;
    memcpy(out, text, at);
    out[at] = '*';
    return at + 1;
}

static size_t interval_label(char *out, const level_build *b, uint32_t first, uint32_t last)
{
    kanon__band lo = {.first = b->leaves[first].scaled}, hi = {.last = b->leaves[last].scaled};
    return kanon__band_text(out, &lo, &hi, &(kanon__band_style){.scale = b->scale, .type = b->type});
}

/* The name of level i of the leaf at `place`; 0: it has none there. */
static size_t level_label(char out[LABEL_ROOM], const level_build *b, uint32_t place, int i)
{
    const leaf *l = &b->leaves[place];
    size_t length;
    const char *text = kanon__dictionary_text(&b->values.texts, l->code, &length);
    kanon__band band;
    kanon__band_style style = {.scale = b->scale, .type = b->type};
    switch (b->method) {
    case KANON_TAXONOMY_BANDS:
        return kanon__band_of(b->rules[i], l->scaled, &band) ? kanon__band_text(out, &band, &band, &style) : 0;
    case KANON_TAXONOMY_FREQUENCY:
        return interval_label(out, b, b->begins[i][place], b->bins[i][place]);
    case KANON_TAXONOMY_DATES:
        return date_label(out, b->words[i], l->scaled);
    case KANON_TAXONOMY_PREFIXES:
        return prefix_label(out, text, length, b->lengths[i]);
    default:
        return b->values.counts[l->code] < b->lengths[0] ? (size_t)snprintf(out, LABEL_ROOM, "other") : 0;
    }
}

/* ---- the tree -------------------------------------------------------------------------------------------------------- */

/* The node of that name below `parent`, added where it is new. */
static kanon_status step_down(level_build *b, int32_t *node, const char *label, size_t length, uint32_t code,
                              kanon_error *err)
{
    uint32_t found = kanon__dictionary_find(&b->labels, label, length);
    if (found != KANON__NO_CODE && b->tree->parent[found + 1] == *node) {
        *node = (int32_t)found + 1;
        return KANON_OK;
    }
    if (found != KANON__NO_CODE || (length == 1 && label[0] == '*'))
        return fail_value(b, code, "a value has the name of a group of values",
                          "choose other levels, or write the taxonomy by hand", err);
    kanon_status st = kanon__dictionary_add(&b->labels, &found, label, length, err);
    return st == KANON_OK ? kanon__tree_add(b->tree, node, *node, label, length, err) : st;
}

static kanon_status add_leaf(level_build *b, uint32_t place, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char label[LABEL_ROOM];
    int32_t node = 0;
    uint32_t code = b->leaves[place].code;
    size_t length, own_length;
    const char *own = kanon__dictionary_text(&b->values.texts, code, &own_length);
    for (int i = b->n_levels - 1; i >= 0; i--) {
        length = level_label(label, b, place, i);
        bool is_own = length == own_length && memcmp(label, own, length) == 0;
        size_t above_length = 0;
        const char *above = node > 0 ? kanon__tree_label(b->tree, node, &above_length) : NULL;
        bool repeats = above != NULL && above_length == length && memcmp(above, label, length) == 0;
        if (length > 0 && !is_own && !repeats)
            KANON_TRY(step_down(b, &node, label, length, code, err), out);
    }
    KANON_TRY(step_down(b, &node, own, own_length, code, err), out);
out:
    return st;
}

static kanon_status build_tree(level_build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (b->values.texts.n == 0) {
        st = kanon__fail(err, KANON_EDATA, "%s:2: %s: the column has no values", b->values.name, b->column);
        goto out;
    }
    if (b->method == KANON_TAXONOMY_MASK) {
        bool left = strcmp(b->words[0], "left") == 0;
        if (b->n_levels != 1 || (!left && strcmp(b->words[0], "right") != 0))
            return fail_levels("a mask begins at the right or at the left", err);
        return kanon__tree_mask(&b->tree, &b->values.texts, left, err);
    }
    KANON_TRY(kanon__dictionary_init(&b->labels, err), out);
    KANON_TRY(prepare(b, err), out);
    KANON_TRY(kanon__tree_new(&b->tree, "*", err), out);
    for (uint32_t place = 0; place < b->values.texts.n; place++)
        KANON_TRY(add_leaf(b, place, err), out);
out:
    return st;
}

static void clear(level_build *b)
{
    for (int i = 0; i < MOST_LEVELS; i++) {
        kanon__band_rule_free(b->rules[i]);
        kanon__free(b->bins[i]);
        kanon__free(b->begins[i]);
    }
    kanon__tree_free(b->tree);
    kanon__dictionary_clear(&b->labels);
    kanon__free(b->leaves);
    kanon__free(b->levels);
    kanon__column_values_clear(&b->values);
}

static kanon_status build(kanon_taxonomy **out, const kanon_input *table, const kanon_column_options *options,
                          kanon_taxonomy_method method, const char *levels, kanon_error *err)
{
    kanon_status st = KANON_OK;
    level_build b = {.method = method};
    if ((int)method < 0 || method > KANON_TAXONOMY_RARE)
        KANON_TRY(kanon__fail(err, KANON_EINVAL, "there is no way to build a taxonomy of number %d", (int)method), out);
    KANON_TRY(split_levels(&b, levels, err), out);
    KANON_TRY(kanon__column_values_read(&b.values, table, options, err), out);
    b.column = options->column;
    KANON_TRY(build_tree(&b, err), out);
    KANON_TRY(kanon__document_new(out, b.tree, err), out);
out:
    kanon__given_drop(table);
    clear(&b);
    return st;
}

kanon_status kanon_taxonomy_build(kanon_taxonomy **out, const kanon_input *table, const kanon_column_options *options,
                                  kanon_taxonomy_method method, const char *levels, const kanon_context *context,
                                  kanon_error *err)
{
    *out = NULL;
    KANON_RETURN_READING(context, table, build(out, table, options, method, levels, err), err);
}
