/* See entity_notice.h.
 *
 * 1. Withheld columns are read in a sample of the rows; most tables end here, since nothing repeats.
 * 2. All columns are read in the sample, and judged.
 * 3. The column that was found is read whole, and its values are counted in each group. */
#include "pipeline/entity_notice.h"

#include "core/alloc.h"
#include "core/escape.h"
#include "propose/roles.h"
#include "table/read/row_sample.h"

#include <string.h>

static bool is_withheld(const kanon_table *t, int column)
{
    return t->data.columns[column].role == KANON_ROLE_IDENTIFYING;
}

/* Whether values of a withheld column repeat in the sample. */
static bool something_repeats(const kanon__row_sample *s)
{
    for (int c = 0; c < s->n_columns; c++)
        if (s->dictionaries[c].n > 1 && s->dictionaries[c].n < s->n_rows)
            return true;
    return false;
}

/* ---- the judgement ---------------------------------------------------------------------------------------------------- */

/* The column that looks like the entity; -1: none does. */
static kanon_status judge(int *out, const kanon_table *t, const kanon__row_sample *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__source *source = t->source;
    int n = source->n_columns;
    kanon__column_facts *facts = NULL;
    kanon_role *given = NULL;
    kanon__roles roles = {0};
    KANON_TRY(kanon__new_array(&facts, n, "facts of columns", err), out);
    KANON_TRY(kanon__new_array(&given, n, "roles of columns", err), out);
    for (int c = 0; c < n; c++) {
        kanon_type natural = source->natural != NULL ? source->natural[c] : KANON_TYPE_UNKNOWN;
        given[c] = t->data.columns[c].role;
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
    bool *wanted = NULL;
    kanon__row_sample some = {0}, all = {0};
    *out = -1;
    KANON_TRY(kanon__new_array(&wanted, n, "columns", err), out);
    for (int c = 0; c < n; c++)
        wanted[c] = is_withheld(t, c);
    KANON_TRY(kanon__row_sample_read(&some, t->source, t->data.n_rows, wanted, err), out);
    if (!something_repeats(&some))
        goto out;
    memset(wanted, true, (size_t)n * sizeof *wanted);
    KANON_TRY(kanon__row_sample_read(&all, t->source, t->data.n_rows, wanted, err), out);
    KANON_TRY(judge(out, t, &all, err), out);
out:
    kanon__row_sample_clear(&all);
    kanon__row_sample_clear(&some);
    kanon__free(wanted);
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
    kanon__cursor *cursor = NULL;
    kanon__cell_buffer buffer = {0};
    KANON_TRY(kanon__new_array(&code_of, g->n_rows, "entities", err), out);
    KANON_TRY(kanon__dictionary_init(&values, err), out);
    KANON_TRY(t->source->class->open(&cursor, t->source, err), out);
    for (int64_t row = 0; row < g->n_rows; row++) {
        bool has_row;
        KANON_TRY(t->source->class->next(cursor, &has_row, err), out);
        KANON_TRY(kanon__cell_number(&code_of[row], &values, &cursor->cells[column], &buffer, err), out);
        if (row % 100000 == 0)
            KANON_TRY(kanon__poll_tick(KANON__TICK_POLL_NS, err), out);
    }
    KANON_TRY(count_small(out, code_of, values.n, g, err), out);
out:
    if (cursor != NULL)
        t->source->class->close(cursor);
    kanon__dictionary_clear(&values);
    kanon__free(buffer.bytes);
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
                          "%.*s repeats and looks like the column that says whose record each row is: %lld of %lld "
                          "groups have fewer than k = %lld of its values; name it as the entity, so that groups hold k "
                          "persons",
                          KANON__CUT(t->data.columns[column].name, 200), (long long)n_small, (long long)g->n_groups,
                          (long long)g->k));
    g->whose = g->privacy.items[g->privacy.n - 1];
    return KANON_OK;
}
