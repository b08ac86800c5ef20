/* See released_text.h. Encoded columns are judged by their distinct texts. Insensitive columns, which nobody else reads
 * before the release, are read once here: all their cells for formulas, those of the first records for distinct values. */
#include "table/read/released_text.h"

#include "core/alloc.h"
#include "table/domain/column_shape.h"
#include "table/schema/schema.h"

#include <string.h>

/* FIRST: how many records tell whether a column is unique; LEAST: fewer than these tell nothing. */
enum { FIRST = 10000, LEAST = 30 };
/* This share of distinct values is "nearly every record". */
static const double NEARLY_ALL = 0.9;

typedef struct column_notes {
    int64_t n_formulas;
    int64_t n_seen;  /* cells with a value among the first records */
    int64_t n_mails; /* of those: mail addresses */
    bool numbers;    /* the schema says so: -1,5 is no formula */
    kanon__dictionary distinct;
} column_notes;

/* With any separators: -1.5, -1,5, -1.000. */
static bool is_number(const char *text, size_t length)
{
    int n = 0;
    const kanon__value_format *formats = kanon__shape_formats(KANON_TYPE_DECIMAL, &n);
    kanon__decimal number;
    for (int i = 0; i < n; i++)
        if (kanon__value_parse(&number, KANON_TYPE_DECIMAL, &formats[i], text, length))
            return true;
    return false;
}

/* Whether a spreadsheet would take the cell for a formula: by its first character, unless it is a number or only signs. */
static bool is_formula(const char *text, size_t length)
{
    if (length < 2 || memchr("=+-@\t\r", text[0], 6) == NULL)
        return false;
    size_t signs = 0;
    while (signs < length && (text[signs] == '-' || text[signs] == '+'))
        signs++;
    return signs < length && !is_number(text, length);
}

/* Whether the cell has the form of a mail address: something, one @, and a domain with a dot; no space. */
static bool is_mail(const char *text, size_t length)
{
    const char *at = memchr(text, '@', length), *end = text + length;
    if (at == NULL || at == text || memchr(text, ' ', length) != NULL)
        return false;
    size_t domain = (size_t)(end - at) - 1;
    const char *dot = domain > 0 ? memchr(at + 1, '.', domain) : NULL;
    return dot != NULL && dot > at + 1 && dot + 1 < end && memchr(at + 1, '@', domain) == NULL;
}

static bool is_missing(const kanon__texts *missing, const char *text, size_t length)
{
    return kanon__texts_find(missing, text, length) >= 0;
}

/* ---- encoded columns ----------------------------------------------------------------------------------------------- */

/* How many records have a text that is a formula. */
static kanon_status count_by_code(int64_t *n, const kanon_table *t, const kanon__column *c, kanon_error *err)
{
    bool *is_one = NULL, any = false;
    kanon_status st = kanon__new_array(&is_one, c->domain->n_codes, "categories", err);
    if (st != KANON_OK)
        return st;
    for (uint32_t code = 0; code < c->domain->n_codes; code++) {
        size_t length;
        const char *text = kanon__column_text(c, code, &length);
        is_one[code] = code != c->domain->missing_code && is_formula(text, length);
        any = any || is_one[code];
    }
    for (int64_t row = 0; any && row < t->data.n_rows; row++)
        *n += is_one[kanon__code_at(c->codes, row)];
    kanon__free(is_one);
    return KANON_OK;
}

/* ---- columns that stay in the source ------------------------------------------------------------------------------- */

static bool stays_in_source(const kanon__column *c)
{
    return c->role == KANON_ROLE_INSENSITIVE && c->domain == NULL;
}

static kanon_status note_cell(column_notes *notes, const kanon_table *t, const kanon__cell *cell, int64_t row,
                              kanon_error *err)
{
    uint32_t code;
    if (cell->null || cell->length == 0)
        return KANON_OK;
    notes->n_formulas += !notes->numbers && is_formula(cell->text, cell->length) &&
                         !is_missing(&t->missing, cell->text, cell->length);
    if (row >= FIRST || is_missing(&t->missing, cell->text, cell->length))
        return KANON_OK;
    notes->n_seen++;
    notes->n_mails += is_mail(cell->text, cell->length);
    return kanon__dictionary_add(&notes->distinct, &code, cell->text, cell->length, err);
}

static kanon_status read_source(column_notes *notes, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cursor *cursor = NULL;
    bool has_row = true;
    KANON_TRY(t->source->class->open(&cursor, t->source, err), out);
    for (;;) {
        KANON_TRY(t->source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        for (int i = 0; i < t->data.n_columns; i++)
            if (stays_in_source(&t->data.columns[i]))
                KANON_TRY(note_cell(&notes[i], t, &cursor->cells[i], cursor->row, err), out);
    }
out:
    t->source->class->close(cursor);
    return st;
}

/* ---- the warnings -------------------------------------------------------------------------------------------------- */

static kanon_status warn(kanon_table *t, int column, const column_notes *notes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const char *name = t->data.columns[column].name;
    bool is_entity = t->data.has_entity && t->data.entity_column == column; /* of which the user is told elsewhere */
    bool is_told_apart = !is_entity && !t->data.columns[column].permuted; /* by a value of its own */
    if (is_told_apart && notes->n_seen >= LEAST && (double)notes->distinct.n >= NEARLY_ALL * (double)notes->n_seen)
        KANON_TRY(
            kanon__texts_addf(&t->privacy, err,
                              "%s: is released as it is, and nearly every record has a value of its own (%lld different "
                              "ones in %lld records), which can single out a person; identifying and quasi are roles "
                              "that protect it",
                              name, (long long)notes->distinct.n, (long long)notes->n_seen),
            out);
    else if (2 * notes->n_mails > notes->n_seen) /* also where a person has many records, or the table is small */
        KANON_TRY(kanon__texts_addf(&t->privacy, err,
                                    "%s: is released as it is, and has mail addresses, which name persons; identifying is "
                                    "the role that protects it",
                                    name),
                  out);
    if (notes->n_formulas > 0)
        KANON_TRY(
            kanon__texts_addf(&t->privacy, err,
                              "%s: %lld cell%s like a formula (with = + - or @), which spreadsheets run when they open "
                              "the release",
                              name, (long long)notes->n_formulas, notes->n_formulas == 1 ? " begins" : "s begin"),
            out);
out:
    return st;
}

kanon_status kanon__note_released_text(kanon_table *t, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    column_notes *notes = NULL;
    bool any = false;
    KANON_TRY(kanon__new_array(&notes, t->data.n_columns, "columns", err), out);
    for (int i = 0; i < t->data.n_columns; i++) {
        const kanon__column *c = &t->data.columns[i];
        const kanon__attribute *said = kanon__schema_find(schema, c->name);
        notes[i].numbers = said != NULL && kanon__type_is_numeric(said->type) && said->type != KANON_TYPE_ORDINAL;
        if (kanon__column_taxonomy(c) != NULL && c->role != KANON_ROLE_IDENTIFYING)
            KANON_TRY(count_by_code(&notes[i].n_formulas, t, c, err), out);
        if (stays_in_source(c)) {
            KANON_TRY(kanon__dictionary_init(&notes[i].distinct, err), out);
            any = true;
        }
    }
    if (any)
        KANON_TRY(read_source(notes, t, err), out);
    for (int i = 0; i < t->data.n_columns; i++)
        KANON_TRY(warn(t, i, &notes[i], err), out);
out:
    for (int i = 0; notes != NULL && i < t->data.n_columns; i++)
        kanon__dictionary_clear(&notes[i].distinct);
    kanon__free(notes);
    return st;
}
