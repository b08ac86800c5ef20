/* From texts to ordered codes: what a column's distinct texts mean, and where each stands.
 *
 * 1. Texts that mean "no value" are set apart.
 * 2. The type is that of the schema, else that of the source, or found: see column_type.h.
 * 3. Numbers are brought to one scale, sorted, and numbered; texts of equal value share a rank. Levels have the rank that
 *    their order gives them. Categories are looked up among the leaves of their taxonomy, which is made from the texts where
 *    the schema names none. */
#include "table/domain/domain.h"

#include "core/alloc.h"
#include "core/text.h"
#include "table/domain/column_type.h"
#include "table/text/source.h"
#include "table/value/number.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A distinct text of a numeric column. */
typedef struct numeral {
    kanon__decimal number;
    int64_t scaled;
    uint32_t code; /* in the dictionary */
} numeral;

/* What is known while a domain is built. */
typedef struct build {
    kanon__domain *domain;
    const kanon__raw_column *raw;
    const kanon__dictionary *values; /* those of `raw` */
    const kanon__attribute *attribute;
    bool *missing;          /* by dictionary code */
    uint32_t n_present;     /* distinct texts that are not missing */
    uint32_t first_missing; /* KANON__NO_CODE: none */
    uint32_t *new_code;     /* by dictionary code */
} build;

/* A distinct text of the column as it is compared: without the white space at its ends. Texts that differ in that alone
 * are one value, and what is shown of it has none. */
static const char *value_text(const build *b, uint32_t code, size_t *length)
{
    const char *text = kanon__dictionary_text(b->values, code, length);
    kanon__trim(&text, length);
    return text;
}

const char *kanon__domain_text(const kanon__domain *domain, uint32_t code, size_t *length)
{
    if (domain->taxonomy == NULL)
        return kanon__dictionary_text(&domain->texts, code, length);
    return kanon__taxonomy_label(domain->taxonomy, domain->taxonomy->leaf_node[code], length);
}

/* ---- telling where bad values are -------------------------------------------------------------------------------- */

enum { LINES_TOLD = 10 };

static int64_t first_row(const build *b, uint32_t code)
{
    return kanon__column_first_row(b->raw, code);
}

/* Its line, where the source has lines, else the number of the row. */
static int64_t first_line(const build *b, uint32_t code)
{
    const kanon__source *source = b->raw->source;
    int64_t row = first_row(b, code);
    return source->class->line_of_row != NULL ? source->class->line_of_row(source, row) : row + 1;
}

/* KANON_EDATA for the distinct texts `bad`: the first one's line in front, the lines of the others behind. */
static kanon_status fail_at_values(const build *b, const uint32_t *bad, int64_t n_bad, const char *what, kanon_error *err)
{
    char others[256] = "", place[KANON__PLACE_TEXT];
    const char *more = b->raw->source->class->line_of_row != NULL ? " (more such values: line " : " (more such values: row ";
    size_t used = 0;
    for (int64_t i = 1; i < n_bad && i < LINES_TOLD && used < sizeof others - 32; i++)
        used += (size_t)snprintf(others + used, sizeof others - used, "%s%lld", i == 1 ? more : ", ",
                                 (long long)first_line(b, bad[i]));
    if (n_bad > LINES_TOLD)
        used += (size_t)snprintf(others + used, sizeof others - used, ", ... %lld in all", (long long)n_bad);
    if (n_bad > 1)
        snprintf(others + used, sizeof others - used, ")");
    return kanon__fail(err, KANON_EDATA, "%s: %s: %s%s", kanon__source_place(place, b->raw->source, first_row(b, bad[0])),
                       b->raw->name, what, others);
}

/* ---- numbers and dates ------------------------------------------------------------------------------------------- */

static const char *not_a_number(kanon_type type)
{
    if (type == KANON_TYPE_DATE)
        return "not a date";
    return type == KANON_TYPE_INTEGER ? "not a whole number" : "not a number";
}

/* What to do about texts that are no numbers or dates. */
static kanon_status hint_numbers(const build *b, kanon_status st, kanon_error *err)
{
    const kanon__value_format *format = &b->domain->format;
    kanon_type type = b->domain->type;
    const char *date = format->date[0] != '%' ? "YYYY-MM-DD" : format->date;
    if (type == KANON_TYPE_DATE && format->date[0] == 'i')
        date = format->date[8] != '\0' ? "YYYY-MM-DDThh:mm:ssZ" : "YYYY-MM-DDThh:mm:ss";
    if (type == KANON_TYPE_DATE)
        return kanon__hint(err, st,
                           "dates are written %s, unless the column has another 'format'; name the texts that mean "
                           "'no value' with 'missing'",
                           date);
    return kanon__hint(err, st,
                       "write digits %s, or give the column another type; name the texts that mean 'no value' with "
                       "'missing'",
                       type == KANON_TYPE_INTEGER ? "only"
                       : format->decimal == ','   ? "with a decimal comma"
                                                  : "with a decimal point");
}

static kanon_status parse_numerals(const build *b, numeral *numerals, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *bad = NULL;
    int64_t n = 0, n_bad = 0;
    KANON_TRY(kanon__new_array(&bad, b->values->n, "bad values", err), out);
    for (uint32_t code = 0; code < b->values->n; code++) {
        size_t length;
        const char *text = value_text(b, code, &length);
        if (b->missing[code])
            continue;
        numerals[n].code = code;
        if (!kanon__value_parse(&numerals[n++].number, b->domain->type, &b->domain->format, text, length))
            bad[n_bad++] = code;
    }
    if (n_bad > 0) {
        st = fail_at_values(b, bad, n_bad, not_a_number(b->domain->type), err);
        hint_numbers(b, st, err);
    }
out:
    kanon__free(bad);
    return st;
}

/* Bring all values to one scale as whole numbers, at least the given one. False where one does not fit: then doubles have to
 * do. */
static bool to_common_scale(numeral *numerals, int64_t n, int *scale)
{
    for (int64_t i = 0; i < n; i++) {
        if (!numerals[i].number.exact)
            return false;
        if (numerals[i].number.scale > *scale)
            *scale = numerals[i].number.scale;
    }
    for (int64_t i = 0; i < n; i++) {
        int64_t scaled = numerals[i].number.mantissa;
        for (int step = numerals[i].number.scale; step < *scale; step++)
            if (__builtin_mul_overflow(scaled, (int64_t)10, &scaled))
                return false;
        numerals[i].scaled = scaled;
    }
    int64_t least = 0, most = 0, range;
    for (int64_t i = 0; i < n; i++) {
        least = i == 0 || numerals[i].scaled < least ? numerals[i].scaled : least;
        most = i == 0 || numerals[i].scaled > most ? numerals[i].scaled : most;
    }
    return !__builtin_sub_overflow(most, least, &range); /* differences must fit, too */
}

static int by_scaled(const void *left, const void *right)
{
    const numeral *a = left, *b = right;
    if (a->scaled != b->scaled)
        return a->scaled < b->scaled ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

static int by_value(const void *left, const void *right)
{
    const numeral *a = left, *b = right;
    if (a->number.value != b->number.value)
        return a->number.value < b->number.value ? -1 : 1;
    return a->code < b->code ? -1 : a->code > b->code;
}

/* Number the sorted numerals; texts of equal value share a rank and keep the text that came first. */
static kanon_status assign_ranks(const build *b, const numeral *numerals, int64_t n, bool exact, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__domain *domain = b->domain;
    uint32_t rank = 0;
    for (int64_t i = 0; i < n; i++) {
        const numeral *before = i > 0 ? &numerals[i - 1] : NULL;
        /* as doubles, different numbers can look equal: then each keeps its own text */
        bool same = before != NULL && exact && before->scaled == numerals[i].scaled;
        if (!same) {
            size_t length;
            const char *text = value_text(b, numerals[i].code, &length);
            KANON_TRY(kanon__dictionary_add(&domain->texts, &rank, text, length, err), out);
            domain->values[rank] = numerals[i].number.value;
            if (exact)
                domain->scaled[rank] = numerals[i].scaled;
        }
        b->new_code[numerals[i].code] = rank;
    }
out:
    return st;
}

/* The missing value has the code after those of the numbers. */
static kanon_status add_missing_code(const build *b, kanon_error *err)
{
    kanon__domain *domain = b->domain;
    size_t length;
    domain->n_codes = domain->texts.n;
    if (b->first_missing == KANON__NO_CODE)
        return KANON_OK;
    const char *text = value_text(b, b->first_missing, &length);
    kanon_status st = kanon__dictionary_add(&domain->texts, &domain->missing_code, text, length, err);
    if (st == KANON_OK && domain->missing_code != domain->n_codes++)
        st = kanon__hint(err,
                         kanon__fail(err, KANON_EDATA, "%s: %s: a text that means 'no value' looks like a %s",
                                     b->raw->source->name, b->raw->name,
                                     domain->type == KANON_TYPE_ORDINAL ? "level" : "band"),
                         "name other texts with 'missing'");
    return st;
}

/* ---- bands -------------------------------------------------------------------------------------------------------- */

double kanon__domain_high(const kanon__domain *domain, uint32_t code)
{
    static const double power10[] = {1,    1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8, 1e9,
                                     1e10, 1e11, 1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18};
    return domain->bands != NULL ? (double)domain->bands[code].high / power10[domain->scale] : domain->values[code];
}

double kanon__domain_middle(const kanon__domain *domain, uint32_t code)
{
    if (domain->bands == NULL)
        return domain->values[code];
    double low = domain->values[code], high = kanon__domain_high(domain, code);
    return low + (high - low) / 2;
}

static kanon_status fail_large(const build *b, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: a number is too long for bands", b->raw->source->name,
                                  b->raw->name);
    return kanon__hint(err, st, "bands need numbers of at most 18 digits, those of their ends after the point included");
}

/* One code per band that holds a number; the numerals are sorted. The extremes of the table are where open bands end. */
static kanon_status assign_bands(const build *b, const numeral *numerals, int64_t n, const kanon__band_rule *rule,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__domain *domain = b->domain;
    uint32_t rank = 0;
    KANON_TRY(kanon__new_array(&domain->bands, n, "bands", err), out);
    for (int64_t i = 0; i < n; i++) {
        kanon__band band;
        char text[KANON__BAND_TEXT];
        kanon__band_style style = kanon__domain_band_style(domain, false);
        if (!kanon__band_of(rule, numerals[i].scaled, &band)) {
            st = fail_large(b, err);
            goto out;
        }
        band.low = band.open_below ? numerals[0].scaled : band.low;
        band.high = band.open_above ? numerals[n - 1].scaled : band.high;
        if (i == 0 || !kanon__band_equal(&band, &domain->bands[rank])) {
            size_t length = kanon__band_text(text, &band, &band, &style);
            KANON_TRY(kanon__dictionary_add(&domain->texts, &rank, text, length, err), out);
            domain->bands[rank] = band;
            domain->scaled[rank] = band.low;
        }
        b->new_code[numerals[i].code] = rank;
    }
    /* the low end as a double, made as the high end is, so that two bands that touch have one edge */
    for (uint32_t code = 0; code < domain->texts.n; code++) {
        kanon__band low = {.high = domain->bands[code].low};
        kanon__domain one = {.scale = domain->scale, .bands = &low};
        domain->values[code] = kanon__domain_high(&one, 0);
    }
out:
    return st;
}

/* The rule of the schema; the scale of the domain becomes at least that of its ends. NULL: there are no bands. */
static kanon_status make_rule(const build *b, kanon__band_rule **out, kanon_error *err)
{
    const kanon__attribute *a = b->attribute;
    *out = NULL;
    if (a == NULL || !kanon__attribute_has_bands(a))
        return KANON_OK;
    const char *texts[] = {a->said[KANON__COLUMN_BANDS], a->said[KANON__COLUMN_TOP], a->said[KANON__COLUMN_BOTTOM]};
    if (b->domain->type == KANON_TYPE_DATE && kanon__value_has_time(&b->domain->format)) { /* which counts in seconds */
        kanon_status no = kanon__fail(err, KANON_EDATA, "%s: bands are of days, and the column has times", b->raw->name);
        return kanon__hint(err, no, "give the column dates without times, or remove its bands");
    }
    kanon_status st = kanon__band_rule_new(out, texts[0], texts[1], texts[2], b->domain->type, b->raw->name, err);
    if (st == KANON_OK)
        b->domain->scale = kanon__band_rule_scale(*out);
    for (int i = 0; st == KANON_OK && i < 3; i++)
        if (texts[i] != NULL)
            st = kanon__copy_text(&b->domain->band_texts[i], texts[i], strlen(texts[i]), "bands", err);
    return st;
}

static kanon_status encode_numeric(const build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__domain *domain = b->domain;
    numeral *numerals = NULL;
    kanon__band_rule *rule = NULL;
    int64_t n = b->n_present;
    KANON_TRY(kanon__new_array(&numerals, n, "distinct numbers", err), out);
    KANON_TRY(kanon__dictionary_init(&domain->texts, err), out);
    KANON_TRY(parse_numerals(b, numerals, err), out);
    KANON_TRY(make_rule(b, &rule, err), out);
    bool exact = to_common_scale(numerals, n, &domain->scale);
    if (!exact && domain->type == KANON_TYPE_DATE) {
        st = kanon__fail(err, KANON_EDATA, "%s: %s: times that are too far apart for the fractions of their seconds",
                         b->raw->source->name, b->raw->name);
        st = kanon__hint(err, st, "round them to microseconds");
        goto out;
    }
    qsort(numerals, (size_t)n, sizeof *numerals, exact ? by_scaled : by_value);
    KANON_TRY(kanon__new_array(&domain->values, n, "distinct numbers", err), out);
    if (exact)
        KANON_TRY(kanon__new_array(&domain->scaled, n, "distinct numbers", err), out);
    if (rule != NULL && (!exact || !kanon__band_rule_rescale(rule, domain->scale)))
        st = fail_large(b, err);
    else
        st = rule != NULL ? assign_bands(b, numerals, n, rule, err) : assign_ranks(b, numerals, n, exact, err);
    if (st == KANON_OK)
        st = add_missing_code(b, err);
out:
    kanon__band_rule_free(rule);
    kanon__free(numerals);
    return st;
}

/* ---- levels ------------------------------------------------------------------------------------------------------- */

static kanon_status fail_levels(const build *b, const uint32_t *bad, int64_t n_bad, kanon_error *err)
{
    kanon_status st = fail_at_values(b, bad, n_bad, "the value is none of the levels of the column", err);
    return kanon__hint(err, st, "add it to 'order', or name the texts that mean 'no value' with 'missing'");
}

static kanon_status find_levels(const build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *bad = NULL;
    int64_t n_bad = 0;
    KANON_TRY(kanon__new_array(&bad, b->values->n, "bad values", err), out);
    for (uint32_t code = 0; code < b->values->n; code++) {
        kanon__decimal rank;
        size_t length;
        const char *text = value_text(b, code, &length);
        if (b->missing[code])
            continue;
        if (!kanon__value_parse(&rank, KANON_TYPE_ORDINAL, &b->domain->format, text, length))
            bad[n_bad++] = code;
        b->new_code[code] = (uint32_t)rank.mantissa;
    }
    if (n_bad > 0)
        st = fail_levels(b, bad, n_bad, err);
out:
    kanon__free(bad);
    return st;
}

/* Those of the schema, else those of the source. */
static kanon_status take_levels(const build *b, kanon_error *err)
{
    const kanon__attribute *a = b->attribute;
    const kanon__source_levels *own = b->raw->levels;
    const kanon__dictionary *levels = a != NULL && a->levels.n > 0 ? &a->levels : own != NULL ? &own->names : NULL;
    if (own != NULL && levels == &own->names && own->fault != NULL) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: a level of the column %s", b->raw->source->name,
                                      b->raw->name, own->fault);
        return kanon__hint(err, st, "rename the level, name the order of the column yourself, or make it categorical");
    }
    if (levels == NULL || levels->n == 0) {
        kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: an ordinal column without an order", b->raw->source->name,
                                      b->raw->name);
        return kanon__hint(err, st, "name its levels from the lowest to the highest: 'order: [low, middle, high]'");
    }
    kanon_status st = kanon__levels_copy(&b->domain->levels, levels, err);
    b->domain->format.levels = &b->domain->levels;
    return st;
}

static kanon_status encode_ordinal(const build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__domain *domain = b->domain;
    KANON_TRY(kanon__dictionary_init(&domain->texts, err), out);
    KANON_TRY(take_levels(b, err), out);
    uint32_t n = domain->levels.n;
    KANON_TRY(kanon__new_array(&domain->values, n, "levels", err), out);
    KANON_TRY(kanon__new_array(&domain->scaled, n, "levels", err), out);
    for (uint32_t rank = 0, code; rank < n; rank++) {
        size_t length;
        const char *text = kanon__dictionary_text(&domain->levels, rank, &length);
        KANON_TRY(kanon__dictionary_add(&domain->texts, &code, text, length, err), out);
        domain->values[rank] = rank;
        domain->scaled[rank] = rank;
    }
    KANON_TRY(find_levels(b, err), out);
    st = add_missing_code(b, err);
out:
    return st;
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

/* The texts that are not missing, for the taxonomies that are made from the values. */
static kanon_status present_values(const build *b, kanon__dictionary *present, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t code;
    for (uint32_t i = 0; i < b->values->n && st == KANON_OK; i++) {
        size_t length;
        const char *text = value_text(b, i, &length);
        if (!b->missing[i])
            st = kanon__dictionary_add(present, &code, text, length, err);
    }
    return st;
}

/* A taxonomy made from the values knows neither the table nor the column, so the place is put in front of its message. */
static kanon_status fail_with_place(const build *b, uint32_t code, kanon_status st, kanon_error *err)
{
    char place[KANON__PLACE_TEXT];
    if (st != KANON_EDATA)
        return st;
    return kanon__place(err, st, "%s: %s: ", kanon__source_place(place, b->raw->source, first_row(b, code)), b->raw->name);
}

/* The first value that cannot be masked. */
static uint32_t unmaskable(const build *b)
{
    for (uint32_t code = 0; code < b->values->n; code++) {
        size_t length;
        const char *text = value_text(b, code, &length);
        if (!b->missing[code] && !kanon__tree_can_mask(text, length))
            return code;
    }
    return 0;
}

static kanon_status make_tree(const build *b, kanon__tree **made, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__attribute *a = b->attribute;
    kanon__dictionary present = {0};
    if (a != NULL && a->said[KANON__COLUMN_TAXONOMY] != NULL)
        return kanon__tree_read(made, a->said[KANON__COLUMN_TAXONOMY], err);
    KANON_TRY(kanon__dictionary_init(&present, err), out);
    KANON_TRY(present_values(b, &present, err), out);
    if (a != NULL && a->mask != KANON__MASK_NONE && present.n > 0)
        st = kanon__tree_mask(made, &present, a->mask == KANON__MASK_LEFT, err);
    else
        st = kanon__tree_flat(made, &present, err);
    if (st == KANON_EDATA)
        st = fail_with_place(b, unmaskable(b), st, err);
out:
    kanon__dictionary_clear(&present);
    return st;
}

static kanon_status make_taxonomy(const build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *made = NULL;
    const kanon__tree *tree = b->attribute != NULL ? b->attribute->tree : NULL;
    if (tree == NULL) {
        KANON_TRY(make_tree(b, &made, err), out);
        tree = made;
    }
    size_t extra_length = 0;
    const char *extra = NULL;
    if (b->first_missing != KANON__NO_CODE)
        extra = value_text(b, b->first_missing, &extra_length);
    st = kanon__taxonomy_from_tree(&b->domain->taxonomy, tree, extra, extra_length, err);
    if (st == KANON_OK) /* inline or in a file; masks and flat trees are made from the values */
        b->domain->taxonomy->given =
            b->attribute != NULL && (made == NULL || b->attribute->said[KANON__COLUMN_TAXONOMY] != NULL);
    if (extra != NULL)
        st = fail_with_place(b, b->first_missing, st, err);
out:
    kanon__tree_free(made);
    return st;
}

static kanon_status find_leaves(const build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *bad = NULL;
    int64_t n_bad = 0;
    KANON_TRY(kanon__new_array(&bad, b->values->n, "bad values", err), out);
    for (uint32_t code = 0; code < b->values->n; code++) {
        size_t length;
        uint32_t looked_up = b->missing[code] ? b->first_missing : code; /* all ways to write "missing" are one leaf */
        const char *text = value_text(b, looked_up, &length);
        int32_t leaf = kanon__taxonomy_leaf(b->domain->taxonomy, text, length);
        b->new_code[code] = (uint32_t)leaf;
        if (leaf < 0)
            bad[n_bad++] = code;
    }
    if (n_bad > 0) {
        const char *path = kanon__attribute_said(b->attribute, KANON__COLUMN_TAXONOMY);
        st = fail_at_values(b, bad, n_bad, "value is no leaf of the column's taxonomy", err);
        kanon__hint(err, st, "add it to %s, or name the texts that mean 'no value' with 'missing'",
                    path != NULL ? path : "the taxonomy in the schema");
        goto out;
    }
    if (b->first_missing != KANON__NO_CODE)
        b->domain->missing_code = b->new_code[b->first_missing];
    b->domain->n_codes = (uint32_t)b->domain->taxonomy->n_leaves;
out:
    kanon__free(bad);
    return st;
}

static kanon_status encode_categorical(const build *b, kanon_error *err)
{
    kanon_status st = make_taxonomy(b, err);
    return st == KANON_OK ? find_leaves(b, err) : st;
}

/* Bands of a column whose texts are not all numbers. */
static kanon_status fail_not_numeric(const build *b, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: %s: the column has bands, but not all of its values are numbers",
                                  b->raw->source->name, b->raw->name);
    return kanon__hint(err, st,
                       "name the texts that mean 'no value' with 'missing', or use 'type: integer' or 'type: decimal' to "
                       "find the lines");
}

/* Bands of months, or with days as their ends, make a column one of dates where the schema names no type. */
static kanon_status find_type(const build *b, const kanon_schema *schema, kanon_error *err)
{
    kanon__attribute said = b->attribute != NULL ? *b->attribute : (kanon__attribute){0};
    bool has_bands = b->attribute != NULL && kanon__attribute_has_bands(&said);
    const char *top = said.said[KANON__COLUMN_TOP], *bottom = said.said[KANON__COLUMN_BOTTOM];
    if (has_bands && said.type == KANON_TYPE_UNKNOWN && b->n_present > 0 &&
        kanon__bands_need_dates(said.said[KANON__COLUMN_BANDS], top, bottom))
        said.type = KANON_TYPE_DATE;
    return kanon__column_type_find(&b->domain->type, &b->domain->format, b->raw, b->attribute != NULL ? &said : NULL, schema,
                                   b->missing, err);
}

/* ---- one domain -------------------------------------------------------------------------------------------------- */

static void find_missing(build *b, const kanon_schema *schema)
{
    for (uint32_t code = 0; code < b->values->n; code++) {
        size_t length;
        const char *text = value_text(b, code, &length);
        b->missing[code] = code == b->raw->null_code || kanon__schema_is_missing(schema, text, length);
        b->n_present += !b->missing[code];
        if (b->missing[code] && b->first_missing == KANON__NO_CODE)
            b->first_missing = code;
    }
    b->domain->missing_is_null = b->first_missing != KANON__NO_CODE && b->first_missing == b->raw->null_code;
}

kanon_status kanon__domain_build(kanon__domain **out, uint32_t *new_code, const kanon__raw_column *raw,
                                 const kanon__attribute *attribute, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__domain *domain = NULL;
    build b = {
        .raw = raw, .values = raw->values, .attribute = attribute, .first_missing = KANON__NO_CODE, .new_code = new_code};
    *out = NULL;
    KANON_TRY(kanon__new_array(&domain, 1, "a domain", err), out);
    domain->references = 1;
    domain->missing_code = KANON__NO_CODE;
    domain->type_is_said = raw->natural != KANON_TYPE_UNKNOWN || (attribute != NULL &&
                                                                  attribute->type != KANON_TYPE_UNKNOWN);
    b.domain = domain;
    KANON_TRY(kanon__new_array(&b.missing, raw->values->n, "missing values", err), out);
    find_missing(&b, schema);
    KANON_TRY(find_type(&b, schema, err), out);
    if (attribute != NULL && kanon__attribute_has_bands(attribute) && b.n_present > 0 &&
        !kanon__type_is_numeric(domain->type)) {
        st = fail_not_numeric(&b, err);
        goto out;
    }
    KANON_TRY(domain->type == KANON_TYPE_ORDINAL             ? encode_ordinal(&b, err)
              : kanon__type_is_numeric(domain->type) ? encode_numeric(&b, err)
                                                     : encode_categorical(&b, err),
              out);
    for (uint32_t code = 0; code < raw->values->n; code++)
        if (b.missing[code])
            new_code[code] = domain->missing_code;
    *out = domain;
    domain = NULL;
out:
    kanon__free(b.missing);
    kanon__domain_free(domain);
    return st;
}

kanon__domain *kanon__domain_share(kanon__domain *domain)
{
    if (domain != NULL)
        __atomic_add_fetch(&domain->references, 1, __ATOMIC_RELAXED);
    return domain;
}

void kanon__domain_free(kanon__domain *domain)
{
    if (domain == NULL || __atomic_sub_fetch(&domain->references, 1, __ATOMIC_ACQ_REL) > 0)
        return;
    kanon__taxonomy_free(domain->taxonomy);
    kanon__dictionary_clear(&domain->texts);
    kanon__dictionary_clear(&domain->levels);
    for (int i = 0; i < 3; i++)
        kanon__free(domain->band_texts[i]);
    kanon__free(domain->bands);
    kanon__free(domain->scaled);
    kanon__free(domain->values);
    kanon__free(domain);
}
