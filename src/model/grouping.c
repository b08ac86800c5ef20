/* Groupings: from an algorithm's result or from numbers in memory, and the public accessors; groups_file.c reads them.
 *
 * Whatever the numbers that come in, groups are numbered anew by their first row, so that equal partitions are equal
 * arrays. */
#include "model/grouping.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/ticker.h"

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

void kanon__grouping_bind(kanon_grouping *g, const kanon_table *table)
{
    g->identity = kanon__identity_share(table->identity);
    g->keeps_suppressed = table->policy.keep_suppressed;
    bool kept = g->keeps_suppressed && g->n_suppressed > 0; /* they are a class like any other */
    g->info = (kanon_grouping_info){
        .rows = g->n_rows,
        .groups = g->n_groups,
        .suppressed = g->n_suppressed,
        .smallest = kept && (g->n_groups == 0 || g->n_suppressed < g->smallest) ? g->n_suppressed : g->smallest,
        .algorithm = g->algorithm,
        .stopped = g->stopped};
}

kanon_status kanon__grouping_draw(kanon_grouping *g, const kanon_table *t, const kanon__draw *draw, const int64_t *names,
                                  kanon_error *err)
{
    if (!kanon__data_is_drawn(&t->data))
        return KANON_OK;
    kanon__drawn_ends_free(g->drawn);
    kanon__draw_free(g->draw);
    g->drawn = NULL;
    g->draw = NULL;
    if (draw == NULL)
        KANON_CHECK(kanon__draw_of_table(&g->draw, &t->data, g->seed, err));
    return kanon__drawn_ends_new(&g->drawn, &t->data, draw != NULL ? draw : g->draw, g->group_of, g->n_groups, names, err);
}

const int64_t *kanon__grouping_drawn(const kanon_grouping *g, const kanon__column *column)
{
    return kanon__drawn_ends_find(g->drawn, column->name);
}

bool kanon__grouping_drawn_at(double out[2], const kanon_grouping *g, const kanon__column *column, int64_t group)
{
    const int64_t *ends = kanon__grouping_drawn(g, column);
    double unit = 1;
    if (ends == NULL || ends[2 * group] > ends[2 * group + 1])
        return false;
    for (int i = 0; i < column->domain->scale; i++)
        unit *= 10;
    out[0] = (double)ends[2 * group] / unit;
    out[1] = (double)ends[2 * group + 1] / unit;
    return true;
}

kanon_status kanon__grouping_tell(kanon_grouping *g, kanon_error *err)
{
    KANON_CHECK(kanon__notices_add(&g->notices, KANON_NOTICE_PRIVACY, &g->privacy, err));
    KANON_CHECK(kanon__notices_add(&g->notices, KANON_NOTICE_GENERAL, &g->warnings, err));
    return kanon__notices_add(&g->notices, KANON_NOTICE_NOTE, &g->notes, err);
}

kanon_status kanon__grouping_is_of(const kanon_grouping *g, const kanon_table *table, kanon_error *err)
{
    if (g->n_rows != table->data.n_rows)
        return kanon__fail(err, KANON_EINVAL, "the grouping is of %lld records, the table has %lld", (long long)g->n_rows,
                           (long long)table->data.n_rows);
    if (g->identity == table->identity)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "the grouping is of another table");
    return kanon__hint(err, st, "use the table that was grouped, or make a grouping of this one from the group numbers");
}

kanon_status kanon__grouping_fits(const kanon_grouping *g, const kanon_table *table, kanon_error *err)
{
    kanon_status st = kanon__grouping_is_of(g, table, err);
    if (st != KANON_OK || g->n_left == 0)
        return st;
    st = kanon__fail(err, KANON_EINVAL, "%lld records are in no group yet", (long long)g->n_left);
    return kanon__hint(err, st, "place the records that the block left over, then make a grouping of the complete groups");
}

const uint32_t *kanon__grouping_recode_map(const kanon_grouping *g, const kanon__column *column)
{
    for (int i = 0; i < g->n_recode_maps; i++)
        if (strcmp(g->recode_maps[i].column, column->name) == 0)
            return g->recode_maps[i].ranges;
    return NULL;
}

/* How many of the rising numbers are below x, or not above it. */
static uint32_t count_below(const int64_t *numbers, uint32_t n, int64_t x, bool or_equal)
{
    uint32_t from = 0, until = n;
    while (from < until) {
        uint32_t middle = from + (until - from) / 2;
        if (numbers[middle] < x || (or_equal && numbers[middle] == x))
            from = middle + 1;
        else
            until = middle;
    }
    return from;
}

/* All codes between drawn ends. */
static void show_drawn(uint32_t *extents, const kanon_grouping *g, const kanon__column *column)
{
    const int64_t *ends = kanon__grouping_drawn(g, column);
    const kanon__domain *d = column->domain;
    uint32_t n = d->n_codes - (d->missing_code != KANON__NO_CODE);
    for (int64_t i = 0; ends != NULL && i < g->n_groups; i++) {
        if (ends[2 * i] > ends[2 * i + 1] || extents[2 * i + 1] == d->missing_code)
            continue;
        extents[2 * i] = count_below(d->scaled, n, ends[2 * i], false);
        extents[2 * i + 1] = count_below(d->scaled, n, ends[2 * i + 1], true) - 1;
    }
}

kanon_status kanon__grouping_extents(uint32_t **out, const kanon_grouping *g, const kanon__column *column, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, 2 * g->n_groups, "group extents", err);
    if (st != KANON_OK)
        return st;
    uint32_t *extents = *out;
    const uint32_t *ranges = kanon__grouping_recode_map(g, column);
    for (int64_t i = 0; i < g->n_groups; i++)
        extents[2 * i] = UINT32_MAX;
    for (int64_t row = 0; row < g->n_rows; row++) {
        if (g->group_of[row] < 0)
            continue;
        uint32_t code = kanon__code_at(column->codes, row), *extent = extents + 2 * (int64_t)g->group_of[row];
        uint32_t lo = ranges != NULL ? ranges[2 * (size_t)code] : code,
                 hi = ranges != NULL ? ranges[2 * (size_t)code + 1] : code;
        if (lo < extent[0])
            extent[0] = lo;
        if (hi > extent[1])
            extent[1] = hi;
    }
    show_drawn(extents, g, column);
    st = kanon__poll_tick(KANON__TICK_POLL_NS, err);
    if (st != KANON_OK) {
        kanon__free(*out);
        *out = NULL;
    }
    return st;
}

/* ---- from memory ----------------------------------------------------------------------------------------------- */

/* Group numbers of a file are any whole numbers above 0; a dictionary of those that occur makes them 0, 1, ... */
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

kanon_status kanon__grouping_from_numbers(kanon_grouping **out, const kanon_table *table, const int64_t *group_of,
                                          kanon_error *err)
{
    *out = NULL;
    for (int64_t row = 0; row < table->data.n_rows; row++)
        if (group_of[row] < 0)
            return kanon__fail(err, KANON_EINVAL, "record %lld has a negative group number", (long long)row + 1);
    kanon_status st = compact(out, group_of, table->data.n_rows, err);
    if (st != KANON_OK)
        return st;
    kanon__grouping_bind(*out, table);
    (*out)->is_own = true;
    (*out)->k = table->policy.k;
    st = kanon__grouping_draw(*out, table, NULL, NULL, err);
    if (st != KANON_OK) {
        kanon_grouping_free(*out);
        *out = NULL;
    }
    return st;
}

kanon_status kanon_grouping_new(kanon_grouping **out, const kanon_table *table, const int64_t *group_of, kanon_error *err)
{
    KANON_RETURN_IN(table->context, kanon__grouping_from_numbers(out, table, group_of, err));
}

/* ---- accessors --------------------------------------------------------------------------------------------------- */

void kanon__recode_map_array_free(kanon__recode_map *maps, int n)
{
    for (int i = 0; maps != NULL && i < n; i++) {
        kanon__free(maps[i].ranges);
        kanon__free(maps[i].column);
    }
    kanon__free(maps);
}

void kanon_grouping_free(kanon_grouping *g)
{
    if (g == NULL)
        return;
    kanon__drawn_ends_free(g->drawn);
    kanon__draw_free(g->draw);
    kanon__texts_clear(&g->refine_settings);
    for (int64_t i = 0; g->constraints != NULL && i < g->n_constraints; i++)
        kanon__free(g->constraints[i].sentence);
    kanon__free(g->constraints);
    kanon__recode_map_array_free(g->recode_maps, g->n_recode_maps);
    kanon__notices_clear(&g->notices);
    kanon__texts_clear(&g->notes);
    kanon__free(g->repeat_pairs);
    kanon__texts_clear(&g->repeat);
    kanon__texts_clear(&g->warnings);
    kanon__texts_clear(&g->privacy);
    kanon__texts_clear(&g->identifying);
    kanon__texts_clear(&g->telling);
    kanon__texts_clear(&g->settings);
    kanon__free(g->refinement);
    kanon__free(g->algorithm);
    kanon__free(g->ranks);
    kanon__free(g->sizes);
    kanon__free(g->group_of);
    kanon__identity_free(g->identity);
    kanon__free(g);
}

const kanon_grouping_info *kanon_grouping_describe(const kanon_grouping *grouping)
{
    return &grouping->info;
}

int64_t kanon_grouping_group_of(const kanon_grouping *grouping, int64_t row)
{
    return row >= 0 && row < grouping->n_rows && grouping->group_of[row] >= 0 ? (int64_t)grouping->group_of[row] + 1 : 0;
}

/* Both parts of a pair lie in one text, which is cut at the equal sign. */
kanon_status kanon__grouping_set_repeat(kanon_grouping *g, const kanon__texts *settings, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&g->repeat_pairs, settings->n, "settings", err), out);
    KANON_TRY(kanon__texts_append(&g->repeat, settings, err), out);
    for (int64_t i = 0; i < settings->n; i++) {
        char *text = g->repeat.items[i], *equals = strchr(text, '=');
        *equals = '\0';
        g->repeat_pairs[i] = (kanon_setting){text, equals + 1};
    }
out:
    return st;
}

size_t kanon_grouping_repeat(const kanon_grouping *grouping, const kanon_setting **out)
{
    *out = grouping->repeat_pairs;
    return (size_t)grouping->repeat.n;
}

const kanon_notice *kanon_grouping_notice_at(const kanon_grouping *grouping, size_t i)
{
    return kanon__notices_at(&grouping->notices, i);
}
