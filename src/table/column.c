/* From texts to ordered codes: what a column's distinct texts mean, and where each stands. */
#include "table/table.h"

#include "core/alloc.h"
#include "table/number.h"

#include <stdio.h>
#include <stdlib.h>

/* A distinct text of a numeric column. */
typedef struct numeral {
    kanon__decimal number;
    int64_t scaled;
    uint32_t code; /* in the dictionary */
} numeral;

/* What is known while one column is encoded. */
typedef struct encoding {
    kanon_table *table;
    kanon__column *column;
    kanon__codes raw;          /* by row: its dictionary code */
    kanon__dictionary *values; /* by dictionary code */
    const kanon__attribute *attribute;
    bool *missing;          /* by dictionary code */
    uint32_t n_present;     /* distinct texts that are not missing */
    uint32_t first_missing; /* KANON__NO_CODE: none */
    uint32_t *new_code;     /* by dictionary code */
} encoding;

bool kanon__column_is_numeric(const kanon__column *column)
{
    return column->type == KANON_TYPE_INTEGER || column->type == KANON_TYPE_DECIMAL || column->type == KANON_TYPE_DATE;
}

const char *kanon__column_text(const kanon__column *column, uint32_t code, size_t *length)
{
    if (kanon__column_is_numeric(column))
        return kanon__dictionary_text(&column->texts, code, length);
    return kanon__taxonomy_label(column->taxonomy, column->taxonomy->leaf_node[code], length);
}

/* ---- telling where bad values are -------------------------------------------------------------------------------- */

enum { LINES_TOLD = 10 };

/* The line on which a text of the dictionary first appears. */
static int64_t first_line(const encoding *e, uint32_t code)
{
    const kanon_table *t = e->table;
    for (int64_t row = 0; row < t->n_rows; row++)
        if (kanon__code_at(e->raw, row) == code)
            return kanon__csv_line_of_row(&t->input, &t->csv_options, row);
    return 0;
}

/* KANON_EDATA for the distinct texts `bad`: the first one's line in front, the lines of the others behind. */
static kanon_status fail_at_values(const encoding *e, const uint32_t *bad, int64_t n_bad, const char *what, kanon_error *err)
{
    char others[256] = "";
    size_t used = 0;
    for (int64_t i = 1; i < n_bad && i < LINES_TOLD && used < sizeof others - 32; i++)
        used += (size_t)snprintf(others + used, sizeof others - used, "%s%lld", i == 1 ? " (more such values: line " : ", ",
                                 (long long)first_line(e, bad[i]));
    if (n_bad > LINES_TOLD)
        used += (size_t)snprintf(others + used, sizeof others - used, ", ... %lld in all", (long long)n_bad);
    if (n_bad > 1)
        snprintf(others + used, sizeof others - used, ")");
    return kanon__fail(err, KANON_EDATA, "%s:%lld: %s: %s%s", e->table->input.path, (long long)first_line(e, bad[0]),
                       e->column->name, what, others);
}

/* ---- numbers and dates ------------------------------------------------------------------------------------------- */

static bool parse_as(kanon_type type, kanon__decimal *out, const char *text, size_t length)
{
    int64_t whole = 0;
    if (type == KANON_TYPE_DECIMAL)
        return kanon__parse_decimal(out, text, length);
    bool good = type == KANON_TYPE_DATE ? kanon__parse_date(&whole, text, length)
                                        : kanon__parse_integer(&whole, text, length);
    *out = (kanon__decimal){.mantissa = whole, .scale = 0, .exact = true, .value = (double)whole};
    return good;
}

static bool every_value_is(const encoding *e, kanon_type type)
{
    kanon__decimal number;
    for (uint32_t code = 0; code < e->values->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(e->values, code, &length);
        if (!e->missing[code] && !parse_as(type, &number, text, length))
            return false;
    }
    return true;
}

/* Integer if every value is one, else decimal, else categorical; a taxonomy says categorical by itself. */
static kanon_type infer_type(const encoding *e)
{
    const kanon__attribute *a = e->attribute;
    if (a != NULL && (a->taxonomy_path != NULL || a->tree != NULL || a->mask != KANON__MASK_NONE))
        return KANON_TYPE_CATEGORICAL;
    if (e->n_present == 0)
        return KANON_TYPE_CATEGORICAL;
    if (every_value_is(e, KANON_TYPE_INTEGER))
        return KANON_TYPE_INTEGER;
    return every_value_is(e, KANON_TYPE_DECIMAL) ? KANON_TYPE_DECIMAL : KANON_TYPE_CATEGORICAL;
}

static const char *not_a_number(kanon_type type)
{
    if (type == KANON_TYPE_DATE)
        return "not a date";
    return type == KANON_TYPE_INTEGER ? "not a whole number" : "not a number";
}

static const char *how_numbers_look(kanon_type type)
{
    if (type == KANON_TYPE_DATE)
        return "dates are written YYYY-MM-DD; name the texts that mean 'no value' with 'missing'";
    if (type == KANON_TYPE_INTEGER)
        return "write digits only, or give the column another type; name the texts that mean 'no value' with 'missing'";
    return "write digits with a decimal point, or give the column another type; name the texts that mean 'no value' with "
           "'missing'";
}

static kanon_status parse_numerals(const encoding *e, numeral *numerals, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *bad = NULL;
    int64_t n = 0, n_bad = 0;
    KANON_TRY(kanon__new_array(&bad, e->values->n, "bad values", err), out);
    for (uint32_t code = 0; code < e->values->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(e->values, code, &length);
        if (e->missing[code])
            continue;
        numerals[n].code = code;
        if (!parse_as(e->column->type, &numerals[n++].number, text, length))
            bad[n_bad++] = code;
    }
    if (n_bad > 0) {
        st = fail_at_values(e, bad, n_bad, not_a_number(e->column->type), err);
        kanon__hint(err, st, "%s", how_numbers_look(e->column->type));
    }
out:
    kanon__free(bad);
    return st;
}

/* Bring all values to one scale as whole numbers. False where one does not fit: then doubles have to do. */
static bool to_common_scale(numeral *numerals, int64_t n, int *scale)
{
    *scale = 0;
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
static kanon_status assign_ranks(const encoding *e, const numeral *numerals, int64_t n, bool exact, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__column *c = e->column;
    uint32_t rank = 0;
    for (int64_t i = 0; i < n; i++) {
        const numeral *before = i > 0 ? &numerals[i - 1] : NULL;
        /* as doubles, different numbers can look equal: then each keeps its own text */
        bool same = before != NULL && exact && before->scaled == numerals[i].scaled;
        if (!same) {
            size_t length;
            const char *text = kanon__dictionary_text(e->values, numerals[i].code, &length);
            KANON_TRY(kanon__dictionary_add(&c->texts, &rank, text, length, err), out);
            c->values[rank] = numerals[i].number.value;
            if (exact)
                c->scaled[rank] = numerals[i].scaled;
        }
        e->new_code[numerals[i].code] = rank;
    }
    c->n_codes = c->texts.n;
    if (e->first_missing != KANON__NO_CODE) {
        size_t length;
        const char *text = kanon__dictionary_text(e->values, e->first_missing, &length);
        KANON_TRY(kanon__dictionary_add(&c->texts, &c->missing_code, text, length, err), out);
        c->n_codes++;
    }
out:
    return st;
}

static kanon_status encode_numeric(const encoding *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__column *c = e->column;
    numeral *numerals = NULL;
    int64_t n = e->n_present;
    KANON_TRY(kanon__new_array(&numerals, n, "distinct numbers", err), out);
    KANON_TRY(kanon__dictionary_init(&c->texts, err), out);
    KANON_TRY(parse_numerals(e, numerals, err), out);
    bool exact = to_common_scale(numerals, n, &c->scale);
    qsort(numerals, (size_t)n, sizeof *numerals, exact ? by_scaled : by_value);
    KANON_TRY(kanon__new_array(&c->values, n, "distinct numbers", err), out);
    if (exact)
        KANON_TRY(kanon__new_array(&c->scaled, n, "distinct numbers", err), out);
    KANON_TRY(assign_ranks(e, numerals, n, exact, err), out);
out:
    kanon__free(numerals);
    return st;
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

/* The texts that are not missing, for the taxonomies that are made from the values. */
static kanon_status present_values(const encoding *e, kanon__dictionary *present, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t code;
    for (uint32_t i = 0; i < e->values->n && st == KANON_OK; i++) {
        size_t length;
        const char *text = kanon__dictionary_text(e->values, i, &length);
        if (!e->missing[i])
            st = kanon__dictionary_add(present, &code, text, length, err);
    }
    return st;
}

/* A taxonomy made from the values knows neither the table nor the column, so the place is put in front of its message. */
static kanon_status fail_with_place(const encoding *e, uint32_t code, kanon_status st, kanon_error *err)
{
    if (st != KANON_EDATA || err == NULL)
        return st;
    kanon_error inner = *err;
    kanon__fail(err, st, "%s:%lld: %s: %s", e->table->input.path, (long long)first_line(e, code), e->column->name,
                inner.message);
    return kanon__hint(err, st, "%s", inner.hint);
}

/* The first value that cannot be masked. */
static uint32_t unmaskable(const encoding *e)
{
    for (uint32_t code = 0; code < e->values->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(e->values, code, &length);
        if (!e->missing[code] && !kanon__tree_can_mask(text, length))
            return code;
    }
    return 0;
}

static kanon_status make_tree(const encoding *e, kanon__tree **made, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__attribute *a = e->attribute;
    kanon__dictionary present = {0};
    if (a != NULL && a->taxonomy_path != NULL)
        return kanon__tree_read(made, a->taxonomy_path, err);
    KANON_TRY(kanon__dictionary_init(&present, err), out);
    KANON_TRY(present_values(e, &present, err), out);
    if (a != NULL && a->mask != KANON__MASK_NONE && present.n > 0)
        st = kanon__tree_mask(made, &present, a->mask == KANON__MASK_LEFT, err);
    else
        st = kanon__tree_flat(made, &present, err);
    if (st == KANON_EDATA)
        st = fail_with_place(e, unmaskable(e), st, err);
out:
    kanon__dictionary_clear(&present);
    return st;
}

static kanon_status make_taxonomy(const encoding *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *made = NULL;
    const kanon__tree *tree = e->attribute != NULL ? e->attribute->tree : NULL;
    if (tree == NULL) {
        KANON_TRY(make_tree(e, &made, err), out);
        tree = made;
    }
    size_t extra_length = 0;
    const char *extra = NULL;
    if (e->first_missing != KANON__NO_CODE)
        extra = kanon__dictionary_text(e->values, e->first_missing, &extra_length);
    st = kanon__taxonomy_from_tree(&e->column->taxonomy, tree, extra, extra_length, err);
    if (extra != NULL)
        st = fail_with_place(e, e->first_missing, st, err);
out:
    kanon__tree_free(made);
    return st;
}

static kanon_status find_leaves(const encoding *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *bad = NULL;
    int64_t n_bad = 0;
    const kanon__attribute *a = e->attribute;
    KANON_TRY(kanon__new_array(&bad, e->values->n, "bad values", err), out);
    for (uint32_t code = 0; code < e->values->n; code++) {
        size_t length;
        uint32_t looked_up = e->missing[code] ? e->first_missing : code; /* all ways to write "missing" are one leaf */
        const char *text = kanon__dictionary_text(e->values, looked_up, &length);
        int32_t leaf = kanon__taxonomy_leaf(e->column->taxonomy, text, length);
        e->new_code[code] = (uint32_t)leaf;
        if (leaf < 0)
            bad[n_bad++] = code;
    }
    if (n_bad > 0) {
        st = fail_at_values(e, bad, n_bad, "value is no leaf of the column's taxonomy", err);
        kanon__hint(err, st, "add it to %s, or name the texts that mean 'no value' with 'missing'",
                    a != NULL && a->taxonomy_path != NULL ? a->taxonomy_path : "the taxonomy in the schema");
        goto out;
    }
    if (e->first_missing != KANON__NO_CODE)
        e->column->missing_code = e->new_code[e->first_missing];
    e->column->n_codes = (uint32_t)e->column->taxonomy->n_leaves;
out:
    kanon__free(bad);
    return st;
}

static kanon_status encode_categorical(const encoding *e, kanon_error *err)
{
    kanon_status st = make_taxonomy(e, err);
    return st == KANON_OK ? find_leaves(e, err) : st;
}

/* ---- one column -------------------------------------------------------------------------------------------------- */

kanon_status kanon__column_encode(kanon_table *table, kanon__column *column, kanon__codes raw, kanon__dictionary *values,
                                  const kanon__attribute *attribute, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    encoding e = {.table = table,
                  .column = column,
                  .raw = raw,
                  .values = values,
                  .attribute = attribute,
                  .first_missing = KANON__NO_CODE};
    KANON_TRY(kanon__new_array(&e.missing, values->n, "missing values", err), out);
    KANON_TRY(kanon__new_array(&e.new_code, values->n, "codes", err), out);
    for (uint32_t code = 0; code < values->n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(values, code, &length);
        e.missing[code] = kanon__schema_is_missing(schema, text, length);
        e.n_present += !e.missing[code];
        if (e.missing[code] && e.first_missing == KANON__NO_CODE)
            e.first_missing = code;
    }
    column->missing_code = KANON__NO_CODE;
    column->type = attribute != NULL ? attribute->type : KANON_TYPE_UNKNOWN;
    if (column->type == KANON_TYPE_UNKNOWN)
        column->type = infer_type(&e);
    KANON_TRY(kanon__column_is_numeric(column) ? encode_numeric(&e, err) : encode_categorical(&e, err), out);
    for (uint32_t code = 0; code < values->n; code++)
        if (e.missing[code])
            e.new_code[code] = column->missing_code;
    KANON_TRY(kanon__codes_new(&column->codes, table->n_rows, column->n_codes, table->spilled, err), out);
    for (int64_t row = 0; row < table->n_rows; row++)
        kanon__code_set(column->codes, row, e.new_code[kanon__code_at(raw, row)]);
    kanon__dictionary_clear(values);
out:
    kanon__free(e.new_code);
    kanon__free(e.missing);
    return st;
}
