#include "model/grouping.h"

#include "core/alloc.h"
#include "core/context.h"
#include "table/number.h"

#include <math.h>
#include <string.h>

kanon_status kanon__grouping_renumber(int32_t *group_of, int64_t n_rows, int64_t *n_groups, kanon_error *err)
{
    int32_t *number = NULL, n = 0;
    kanon_status st = kanon__new_array(&number, *n_groups, "group numbers", err);
    if (st != KANON_OK)
        return st;
    for (int64_t row = 0; row < n_rows; row++) {
        int32_t old = group_of[row];
        if (old < 0)
            continue;
        if (number[old] == 0)
            number[old] = ++n;
        group_of[row] = number[old] - 1;
    }
    *n_groups = n;
    kanon__free(number);
    return KANON_OK;
}

kanon_status kanon__grouping_adopt(kanon_grouping **out, int32_t *group_of, int64_t n_rows, int64_t n_groups,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    *out = NULL;
    st = kanon__new_array(&g, 1, "a grouping", err);
    if (st != KANON_OK) {
        kanon__free(group_of);
        return st;
    }
    g->most_suppressed = -1;
    g->loss_with = g->loss_without = NAN;
    g->n_rows = n_rows;
    g->group_of = group_of;
    g->n_groups = n_groups;
    KANON_TRY(kanon__grouping_renumber(group_of, n_rows, &g->n_groups, err), out);
    KANON_TRY(kanon__new_array(&g->sizes, g->n_groups, "group sizes", err), out);
    for (int64_t row = 0; row < n_rows; row++)
        if (group_of[row] >= 0)
            g->sizes[group_of[row]]++;
        else
            g->n_suppressed++;
    for (int64_t i = 0; i < g->n_groups; i++)
        if (i == 0 || g->sizes[i] < g->smallest)
            g->smallest = g->sizes[i];
    *out = g;
    g = NULL;
out:
    kanon_grouping_free(g);
    return st;
}

kanon_status kanon__grouping_fits(const kanon_grouping *g, const kanon_table *table, kanon_error *err)
{
    if (g->n_rows == table->n_rows)
        return KANON_OK;
    return kanon__fail(err, KANON_EINVAL, "the grouping is of %lld records, the table has %lld", (long long)g->n_rows,
                       (long long)table->n_rows);
}

const uint32_t *kanon__grouping_shown(const kanon_grouping *g, const kanon__column *column)
{
    for (int i = 0; i < g->n_recoded; i++)
        if (strcmp(g->recoded[i].column, column->name) == 0)
            return g->recoded[i].shown;
    return NULL;
}

kanon_status kanon__grouping_extents(uint32_t **out, const kanon_grouping *g, const kanon__column *column, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, 2 * g->n_groups, "group extents", err);
    if (st != KANON_OK)
        return st;
    uint32_t *extents = *out;
    const uint32_t *shown = kanon__grouping_shown(g, column);
    for (int64_t i = 0; i < g->n_groups; i++)
        extents[2 * i] = UINT32_MAX;
    for (int64_t row = 0; row < g->n_rows; row++) {
        if (g->group_of[row] < 0)
            continue;
        uint32_t code = kanon__code_at(column->codes, row), *extent = extents + 2 * (int64_t)g->group_of[row];
        uint32_t lo = shown != NULL ? shown[2 * (size_t)code] : code,
                 hi = shown != NULL ? shown[2 * (size_t)code + 1] : code;
        if (lo < extent[0])
            extent[0] = lo;
        if (hi > extent[1])
            extent[1] = hi;
    }
    return KANON_OK;
}

/* ---- from memory and from a file --------------------------------------------------------------------------------- */

/* Group numbers can be anything up to 2^31; they become 0, 1, ... through a dictionary of what occurs. */
static kanon_status compact(kanon_grouping **out, const int64_t *group_of, int64_t n_rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary seen = {0};
    int32_t *compacted = NULL;
    KANON_TRY(kanon__dictionary_init(&seen, err), out);
    KANON_TRY(kanon__new_array(&compacted, n_rows, "a grouping", err), out);
    for (int64_t row = 0; row < n_rows; row++) {
        uint32_t code;
        compacted[row] = -1;
        if (group_of[row] == 0)
            continue;
        KANON_TRY(kanon__dictionary_add(&seen, &code, (const char *)&group_of[row], sizeof group_of[row], err), out);
        compacted[row] = (int32_t)code;
    }
    st = kanon__grouping_adopt(out, compacted, n_rows, seen.n, err);
    compacted = NULL;
out:
    kanon__free(compacted);
    kanon__dictionary_clear(&seen);
    return st;
}

static kanon_status new_grouping(kanon_grouping **out, const kanon_table *table, const int64_t *group_of, kanon_error *err)
{
    *out = NULL;
    for (int64_t row = 0; row < table->n_rows; row++)
        if (group_of[row] < 0)
            return kanon__fail(err, KANON_EINVAL, "record %lld has a negative group number", (long long)row + 1);
    kanon_status st = compact(out, group_of, table->n_rows, err);
    if (st == KANON_OK)
        (*out)->k = table->schema_k;
    return st;
}

kanon_status kanon_grouping_new(kanon_grouping **out, const kanon_table *table, const int64_t *group_of, kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    return kanon__call_end(&call, new_grouping(out, table, group_of, err));
}

static kanon_status read_number(const kanon__csv *csv, int column, int64_t least, int64_t *value, kanon_error *err)
{
    const kanon__cell *cell = &csv->cells[column];
    if (kanon__parse_integer(value, cell->text, cell->length) && *value >= least)
        return KANON_OK;
    kanon_status st = kanon__csv_fail(csv, column, err, "not a %s number", column == 0 ? "row" : "group");
    return kanon__hint(err, st,
                       column == 0 ? "rows are numbered from 1, in input order"
                                   : "groups are numbered from 1, and 0 is a suppressed record");
}

static kanon_status check_groups_header(const kanon__csv *csv, kanon_error *err)
{
    if (csv->n_columns == 2 && strcmp(csv->names[0], "row") == 0 && strcmp(csv->names[1], "group") == 0)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s:1: column 1: not a groups file", csv->input->path);
    return kanon__hint(err, st, "its first line is 'row,group'");
}

static kanon_status read_groups(kanon__csv *csv, const kanon_table *table, int64_t *group_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = 0;
    for (;;) {
        bool has_row;
        int64_t row, group;
        KANON_TRY(kanon__csv_next(csv, &has_row, err), out);
        if (!has_row)
            break;
        KANON_TRY(read_number(csv, 0, 1, &row, err), out);
        KANON_TRY(read_number(csv, 1, 0, &group, err), out);
        if (row > table->n_rows || group_of[row - 1] >= 0) {
            st = kanon__csv_fail(csv, 0, err,
                                 row > table->n_rows ? "the table has no such row" : "this row was given before");
            kanon__hint(err, st, "the table has %lld rows, and each is named once", (long long)table->n_rows);
            goto out;
        }
        group_of[row - 1] = group;
        n++;
    }
    if (n < table->n_rows) {
        st = kanon__fail(err, KANON_EDATA, "%s:%lld: row: %lld rows of the table have no line", csv->input->path,
                         (long long)n + 2, (long long)(table->n_rows - n));
        kanon__hint(err, st, "the table has %lld rows, and each is named once", (long long)table->n_rows);
    }
out:
    return st;
}

static kanon_status read_grouping(kanon_grouping **out, const kanon_table *table, const char *path, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input input = {0};
    kanon__csv csv = {0};
    kanon__csv_options options = {0};
    int64_t *group_of = NULL;
    *out = NULL;
    KANON_TRY(kanon__input_open(&input, path, err), out);
    KANON_TRY(kanon__csv_open(&csv, &input, &options, err), out);
    KANON_TRY(check_groups_header(&csv, err), out);
    KANON_TRY(kanon__new_array(&group_of, table->n_rows, "a grouping", err), out);
    memset(group_of, 0xff, (size_t)table->n_rows * sizeof *group_of); /* -1: not seen yet */
    KANON_TRY(read_groups(&csv, table, group_of, err), out);
    KANON_TRY(new_grouping(out, table, group_of, err), out);
out:
    kanon__free(group_of);
    kanon__csv_close(&csv);
    kanon__input_close(&input);
    return st;
}

kanon_status kanon_grouping_read(kanon_grouping **out, const kanon_table *table, const char *path, kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    return kanon__call_end(&call, read_grouping(out, table, path, err));
}

/* ---- what it holds ----------------------------------------------------------------------------------------------- */

void kanon__recoded_free(kanon__recoded *recoded, int n)
{
    for (int i = 0; recoded != NULL && i < n; i++) {
        kanon__free(recoded[i].shown);
        kanon__free(recoded[i].column);
    }
    kanon__free(recoded);
}

void kanon_grouping_free(kanon_grouping *g)
{
    if (g == NULL)
        return;
    kanon__texts_clear(&g->refine_settings);
    for (int64_t i = 0; g->kept != NULL && i < g->n_kept; i++)
        kanon__free(g->kept[i].sentence);
    kanon__free(g->kept);
    kanon__recoded_free(g->recoded, g->n_recoded);
    kanon__texts_clear(&g->notes);
    kanon__texts_clear(&g->warnings);
    kanon__texts_clear(&g->settings);
    kanon__free(g->refinement);
    kanon__free(g->algorithm);
    kanon__free(g->sizes);
    kanon__free(g->group_of);
    kanon__free(g);
}

int64_t kanon_grouping_rows(const kanon_grouping *grouping)
{
    return grouping->n_rows;
}

int64_t kanon_grouping_groups(const kanon_grouping *grouping)
{
    return grouping->n_groups;
}

int64_t kanon_grouping_suppressed(const kanon_grouping *grouping)
{
    return grouping->n_suppressed;
}

int64_t kanon_grouping_smallest(const kanon_grouping *grouping)
{
    return grouping->smallest;
}

int64_t kanon_grouping_group_of(const kanon_grouping *grouping, int64_t row)
{
    return row >= 0 && row < grouping->n_rows ? (int64_t)grouping->group_of[row] + 1 : 0;
}

const char *kanon_grouping_warning(const kanon_grouping *grouping, int i)
{
    return i >= 0 && i < grouping->warnings.n ? grouping->warnings.items[i] : NULL;
}

const char *kanon_grouping_note(const kanon_grouping *grouping, int i)
{
    return i >= 0 && i < grouping->notes.n ? grouping->notes.items[i] : NULL;
}

const char *kanon_grouping_algorithm(const kanon_grouping *grouping)
{
    return grouping->algorithm;
}
