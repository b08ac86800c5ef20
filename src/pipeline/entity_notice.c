/* See entity_notice.h.
 *
 * 1. Withheld columns are read in a sample of the rows; most tables end here, since nothing repeats.
 * 2. All columns are read in the sample, and judged.
 * 3. The column that was found is read whole, and its values are counted in each group. */
#include "pipeline/entity_notice.h"

#include "core/alloc.h"
#include "core/text.h"
#include "propose/roles.h"

#include <string.h>

enum { LEAST_SAMPLE = 10000, MOST_SAMPLE = 100000, SAMPLE_SHARE = 50 }; /* rows; one of so many */
/* parts of the table from which rows are taken: records of a person may be side by side or far apart */
enum { STRETCHES = 10 };

typedef struct sample {
    const kanon_table *table;
    kanon__cursor *cursor;
    int64_t n_rows;                  /* that are read */
    kanon__dictionary *dictionaries; /* by column */
    kanon__codes *codes;             /* likewise */
    uint32_t *null_codes;
    char *buffer; /* for cells with doubled quotes */
    int64_t capacity;
} sample;

/* ---- cells ----------------------------------------------------------------------------------------------------------- */

/* The number of the value in a cell of the row under the cursor. */
static kanon_status read_cell(sample *s, int column, kanon__dictionary *values, uint32_t *code, kanon_error *err)
{
    const kanon__cell *cell = &s->cursor->cells[column];
    const char *text = cell->text;
    size_t length = cell->length;
    if (cell->doubled) {
        KANON_CHECK(kanon__grow_array(&s->buffer, &s->capacity, (int64_t)length + 1, "a cell", err));
        length = kanon__csv_unescape(s->buffer, cell);
        text = s->buffer;
    }
    kanon__trim(&text, &length);
    return kanon__dictionary_add(values, code, text, length, err);
}

static kanon_status next_row(sample *s, bool *has_row, kanon_error *err)
{
    return s->table->source->class->next(s->cursor, has_row, err);
}

/* ---- the sample ------------------------------------------------------------------------------------------------------- */

static bool is_withheld(const kanon_table *t, int column)
{
    return t->data.columns[column].role == KANON_ROLE_IDENTIFYING;
}

/* Rows from the beginning of some parts, in the order of the table. */
static kanon_status read_sample(sample *s, bool all_columns, kanon_error *err)
{
    const kanon__source *source = s->table->source;
    int64_t n = s->table->data.n_rows, row = 0, wanted = n / SAMPLE_SHARE;
    int64_t n_stretches = source->n_parts < STRETCHES ? source->n_parts : STRETCHES;
    wanted = wanted < LEAST_SAMPLE ? LEAST_SAMPLE : wanted > MOST_SAMPLE ? MOST_SAMPLE : wanted;
    if (n <= wanted || n_stretches == 0)
        n_stretches = 1;
    wanted = n < wanted ? n : wanted;
    for (int64_t i = 0; i < n_stretches; i++) {
        int64_t part = source->n_parts * i / n_stretches, end = wanted * (i + 1) / n_stretches;
        int64_t last = i + 1 == n_stretches ? n : source->part_rows[source->n_parts * (i + 1) / n_stretches];
        source->class->seek(s->cursor, source->part_rows[part], NULL);
        for (int64_t at = source->part_rows[part]; row < end && at < last; at++, row++) {
            bool has_row;
            KANON_CHECK(next_row(s, &has_row, err));
            if (!has_row)
                return KANON_OK;
            for (int c = 0; c < source->n_columns; c++) {
                uint32_t code = 0;
                if (!all_columns && !is_withheld(s->table, c))
                    continue;
                KANON_CHECK(read_cell(s, c, &s->dictionaries[c], &code, err));
                kanon__code_set(s->codes[c], row, code);
                if (s->cursor->cells[c].null)
                    s->null_codes[c] = code;
            }
        }
    }
    s->n_rows = row;
    return KANON_OK;
}

static void clear_columns(sample *s)
{
    for (int c = 0; c < s->table->source->n_columns; c++) {
        if (s->dictionaries != NULL)
            kanon__dictionary_clear(&s->dictionaries[c]);
        if (s->codes != NULL)
            kanon__codes_clear(&s->codes[c]);
    }
}

static kanon_status new_columns(sample *s, bool all_columns, kanon_error *err)
{
    int64_t n = s->table->data.n_rows < MOST_SAMPLE ? s->table->data.n_rows : MOST_SAMPLE;
    for (int c = 0; c < s->table->source->n_columns; c++) {
        s->null_codes[c] = KANON__NO_CODE;
        if (!all_columns && !is_withheld(s->table, c))
            continue;
        KANON_CHECK(kanon__dictionary_init(&s->dictionaries[c], err));
        KANON_CHECK(kanon__codes_new(&s->codes[c], n, UINT32_MAX, false, err));
    }
    return KANON_OK;
}

/* Whether values of a withheld column repeat in the sample. */
static bool something_repeats(const sample *s)
{
    for (int c = 0; c < s->table->source->n_columns; c++)
        if (is_withheld(s->table, c) && s->dictionaries[c].n > 1 && s->dictionaries[c].n < s->n_rows)
            return true;
    return false;
}

/* ---- the judgement ---------------------------------------------------------------------------------------------------- */

/* The column that looks like the entity; -1: none does. */
static kanon_status judge(int *out, const sample *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__source *source = s->table->source;
    int n = source->n_columns;
    kanon__column_facts *facts = NULL;
    kanon_role *given = NULL;
    kanon__roles roles = {0};
    KANON_TRY(kanon__new_array(&facts, n, "facts of columns", err), out);
    KANON_TRY(kanon__new_array(&given, n, "roles of columns", err), out);
    for (int c = 0; c < n; c++) {
        kanon_type natural = source->natural != NULL ? source->natural[c] : KANON_TYPE_UNKNOWN;
        given[c] = s->table->data.columns[c].role;
        KANON_TRY(kanon__column_facts_find(&facts[c], source->column_names[c], &s->dictionaries[c], s->codes[c], s->n_rows,
                                           s->null_codes[c], natural, source->delimiter, err),
                  out);
    }
    KANON_TRY(kanon__roles_judge(&roles, facts, n, given, err), out);
    *out = roles.answer.belief == KANON__ENTITY_PROPOSED ? roles.answer.column : -1;
out:
    kanon__roles_clear(&roles);
    for (int c = 0; facts != NULL && c < n; c++)
        kanon__column_facts_clear(&facts[c]);
    kanon__free(given);
    kanon__free(facts);
    return st;
}

static kanon_status find_entity(int *out, const kanon_table *t, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int n = t->source->n_columns;
    sample s = {.table = t};
    *out = -1;
    KANON_TRY(kanon__new_array(&s.dictionaries, n, "dictionaries", err), out);
    KANON_TRY(kanon__new_array(&s.codes, n, "columns", err), out);
    KANON_TRY(kanon__new_array(&s.null_codes, n, "columns", err), out);
    KANON_TRY(t->source->class->open(&s.cursor, t->source, err), out);
    KANON_TRY(new_columns(&s, false, err), out);
    KANON_TRY(read_sample(&s, false, err), out);
    if (!something_repeats(&s))
        goto out;
    clear_columns(&s);
    KANON_TRY(new_columns(&s, true, err), out);
    KANON_TRY(read_sample(&s, true, err), out);
    KANON_TRY(judge(out, &s, err), out);
out:
    clear_columns(&s);
    if (s.cursor != NULL)
        t->source->class->close(s.cursor);
    kanon__free(s.buffer);
    kanon__free(s.null_codes);
    kanon__free(s.codes);
    kanon__free(s.dictionaries);
    return st;
}

/* ---- the count --------------------------------------------------------------------------------------------------- */

/* The rows of each group, one group after the other; `ends` by group. */
static void sort_by_group(int32_t *rows, int64_t *ends, const kanon_grouping *g)
{
    int64_t begin = 0;
    for (int64_t row = 0; row < g->n_rows; row++)
        if (g->group_of[row] >= 0)
            ends[g->group_of[row]]++;
    for (int64_t group = 0; group < g->n_groups; group++) {
        int64_t n = ends[group];
        ends[group] = begin;
        begin += n;
    }
    for (int64_t row = 0; row < g->n_rows; row++)
        if (g->group_of[row] >= 0)
            rows[ends[g->group_of[row]]++] = (int32_t)row;
}

/* Groups with fewer than k different values. */
static kanon_status count_small(int64_t *out, const uint32_t *code_of, uint32_t n_codes, const kanon_grouping *g,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *rows = NULL, *seen_in = NULL;
    int64_t *ends = NULL;
    *out = 0;
    KANON_TRY(kanon__new_array(&rows, g->n_rows, "row order", err), out);
    KANON_TRY(kanon__new_array(&ends, g->n_groups, "groups", err), out);
    KANON_TRY(kanon__new_array(&seen_in, n_codes, "entities", err), out);
    sort_by_group(rows, ends, g);
    for (int64_t group = 0, at = 0; group < g->n_groups; group++) {
        int64_t n_persons = 0;
        for (; at < ends[group]; at++) {
            int32_t *seen = &seen_in[code_of[rows[at]]];
            n_persons += *seen != (int32_t)group + 1;
            *seen = (int32_t)group + 1;
        }
        *out += n_persons < g->k;
    }
out:
    kanon__free(seen_in);
    kanon__free(ends);
    kanon__free(rows);
    return st;
}

static kanon_status count_groups(int64_t *out, const kanon_table *t, int column, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *code_of = NULL;
    kanon__dictionary values = {0};
    sample s = {.table = t};
    KANON_TRY(kanon__new_array(&code_of, g->n_rows, "entities", err), out);
    KANON_TRY(kanon__dictionary_init(&values, err), out);
    KANON_TRY(t->source->class->open(&s.cursor, t->source, err), out);
    for (int64_t row = 0; row < g->n_rows; row++) {
        bool has_row;
        KANON_TRY(next_row(&s, &has_row, err), out);
        KANON_TRY(read_cell(&s, column, &values, &code_of[row], err), out);
        if (row % 100000 == 0)
            KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
    }
    KANON_TRY(count_small(out, code_of, values.n, g, err), out);
out:
    if (s.cursor != NULL)
        t->source->class->close(s.cursor);
    kanon__dictionary_clear(&values);
    kanon__free(s.buffer);
    kanon__free(code_of);
    return st;
}

kanon_status kanon__entity_notice(kanon_grouping *g, const kanon_table *t, kanon_error *err)
{
    int column = -1;
    int64_t n_small = 0;
    bool any = false;
    for (int c = 0; t->source != NULL && c < t->source->n_columns; c++)
        any = any || is_withheld(t, c);
    if (t->data.has_entity || t->data.n_rows == 0 || !any)
        return KANON_OK;
    KANON_CHECK(find_entity(&column, t, err));
    if (column < 0)
        return KANON_OK;
    KANON_CHECK(count_groups(&n_small, t, column, g, err));
    KANON_CHECK(
        kanon__texts_addf(&g->privacy, err,
                          "%.200s repeats and looks like the column that says whose record each row is: %lld of %lld "
                          "groups have fewer than k = %lld of its values; name it as the entity, so that groups hold k "
                          "persons",
                          t->data.columns[column].name, (long long)n_small, (long long)g->n_groups, (long long)g->k));
    g->whose = g->privacy.items[g->privacy.n - 1];
    return KANON_OK;
}
