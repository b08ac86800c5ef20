/* Shows the groups of a table to the sums: cells by attribute, values by class, classes by size. */
#include "measures/measure.h"

#include "core/alloc.h"
#include "model/entity_records.h"
#include "model/terms.h"

#include <string.h>

enum { NS_PER_RECORD = 20 };

static kanon_status list_members(kanon__subject *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_grouping *g = s->shown;
    int64_t *next = NULL;
    KANON_TRY(kanon__new_array(&s->members, g->n_rows - g->n_suppressed, "members", err), out);
    KANON_TRY(kanon__new_array(&s->begins, g->n_groups + 1, "members", err), out);
    KANON_TRY(kanon__new_array(&next, g->n_groups, "members", err), out);
    for (int64_t i = 0; i < g->n_groups; i++) {
        next[i] = s->begins[i];
        s->begins[i + 1] = s->begins[i] + g->sizes[i];
    }
    for (int64_t row = 0; row < g->n_rows; row++)
        if (g->group_of[row] >= 0)
            s->members[next[g->group_of[row]]++] = (int32_t)row;
out:
    kanon__free(next);
    return st;
}

/* The grouping as a reader sees it who gets the suppressed records, too: they are its last group. *out shares what does not
 * change. */
static kanon_status show_suppressed(kanon_grouping *out, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = *g;
    out->group_of = NULL;
    out->sizes = NULL;
    KANON_TRY(kanon__new_array(&out->group_of, g->n_rows, "classes", err), out);
    KANON_TRY(kanon__new_array(&out->sizes, g->n_groups + 1, "classes", err), out);
    memcpy(out->sizes, g->sizes, (size_t)g->n_groups * sizeof *g->sizes);
    out->sizes[out->n_groups++] = g->n_suppressed;
    out->n_suppressed = 0;
    for (int64_t row = 0; row < g->n_rows; row++)
        out->group_of[row] = g->group_of[row] < 0 ? (int32_t)g->n_groups : g->group_of[row];
out:
    return st;
}

kanon_status kanon__subject_init(kanon__subject *out, const kanon__data *table, const kanon_grouping *grouping, bool kept,
                                 const kanon__settings *settings, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = (kanon__subject){.table = table, .grouping = grouping, .shown = grouping, .settings = settings, .ticker = ticker};
    out->k = grouping->k > 0 ? grouping->k : grouping->smallest > 0 ? grouping->smallest : 1;
    if (kept && grouping->n_suppressed > 0) {
        out->shown = &out->classes;
        KANON_TRY(show_suppressed(&out->classes, grouping, err), out);
    }
    st = list_members(out, err);
out:
    return st;
}

void kanon__subject_clear(kanon__subject *s)
{
    kanon__free(s->begins);
    kanon__free(s->members);
    kanon__free(s->classes.sizes);
    kanon__free(s->classes.group_of);
}

/* ---- values ------------------------------------------------------------------------------------------------------ */

static kanon_status count_group(kanon__group_values *values, const kanon__subject *s, int64_t group, kanon_error *err)
{
    kanon__group_values_start(values);
    for (int64_t place = s->begins[group]; place < s->begins[group + 1]; place++)
        kanon__group_values_count(values, kanon__code_at(values->column->codes, s->members[place]), 1);
    return kanon__tick(s->ticker, 0, 0, NS_PER_RECORD * values->size, err);
}

static kanon_status add_values(kanon__sums *sums, const kanon__subject *s, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__group_values values = {0};
    const char *r = sums->has & KANON__SUM_OF(KANON__GROUP_PAIRS) ? kanon__setting_text(s->settings, "r") : NULL;
    KANON_TRY(kanon__group_values_init(&values, kanon__subject_sensitive(s, i), r, err), out);
    for (int64_t group = 0; group < s->shown->n_groups; group++) {
        KANON_TRY(count_group(&values, s, group, err), out);
        kanon__sums_add_values(sums, i, &values);
    }
out:
    kanon__group_values_clear(&values);
    return st;
}

/* Without a taxonomy the spread of a group is the number of its distinct values. */
static kanon_status add_distinct(kanon__sums *sums, const kanon__subject *s, int i, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__group_values values = {0};
    KANON_TRY(kanon__group_values_init(&values, kanon__subject_quasi(s, i), NULL, err), out);
    for (int64_t group = 0; group < s->grouping->n_groups; group++) {
        KANON_TRY(count_group(&values, s, group, err), out);
        sums->quasi[i].spreads += values.n;
    }
out:
    kanon__group_values_clear(&values);
    return st;
}

/* ---- cells ------------------------------------------------------------------------------------------------------- */

bool kanon__shows_nothing(const kanon__column *c, const uint32_t extent[2])
{
    uint32_t lo = extent[0], hi = extent[1], missing = c->domain->missing_code;
    if (!kanon__column_is_numeric(c))
        return lo != hi && kanon__taxonomy_lca(c->domain->taxonomy, (int32_t)lo, (int32_t)hi) == 0;
    if (hi == missing) /* the last code: numbers next to missing ones */
        return lo != missing;
    return c->domain->bands != NULL && c->domain->bands[lo].open_below && c->domain->bands[hi].open_above;
}

static kanon_status add_cells(kanon__sums *sums, const kanon__subject *s, int i, double *diversity, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *c = kanon__subject_quasi(s, i);
    kanon__quasi_sums *sum = &sums->quasi[i];
    bool counted = !kanon__column_is_numeric(c) && c->domain->taxonomy->flat;
    bool covers = sums->has & (KANON__SUM_COVERS | KANON__SUM_SPREADS), hides = sums->has & KANON__SUM_HIDDEN;
    const int64_t *drawn = kanon__grouping_drawn(s->grouping, c);
    uint32_t *extents = NULL;
    KANON_TRY(kanon__grouping_extents(&extents, s->grouping, c, err), out);
    for (int64_t group = 0; group < s->grouping->n_groups; group++) {
        const uint32_t *cell = extents + 2 * group;
        int64_t size = s->grouping->sizes[group], part = kanon__term_part(KANON__TERMS_LOSS, c->domain, cell[0], cell[1]);
        int64_t cover = covers ? kanon__term_part(KANON__TERMS_QDIVERSITY, c->domain, cell[0], cell[1]) : 0;
        bool one = cell[0] == cell[1];
        if (drawn != NULL && cell[1] != c->domain->missing_code && drawn[2 * group] <= drawn[2 * group + 1]) {
            part = drawn[2 * group + 1] - drawn[2 * group]; /* the ends are no codes, and in states may lie outside */
            part = part < sum->whole ? part : sum->whole;
            cover = covers ? part : 0;
            one = part == 0;
        }
        kanon__sums_add_cells(sums, i, size, part, one ? 0 : cover);
        sum->spreads += counted ? 0 : cover;
        sum->hidden += hides && kanon__shows_nothing(c, cell) ? size : 0;
        if (diversity != NULL)
            diversity[group] += c->weight * ((double)part / (double)sum->whole);
    }
    KANON_TRY(kanon__tick(s->ticker, 0, 0, KANON__TICK_POLL_NS, err), out);
    if (counted && sums->has & KANON__SUM_SPREADS)
        st = add_distinct(sums, s, i, err);
out:
    kanon__free(extents);
    return st;
}

static kanon_status add_classes(kanon__sums *sums, const kanon__subject *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_grouping *g = s->shown;
    int32_t *own = NULL;
    if (s->table->has_entity && sums->has & KANON__SUM_RISKS)
        KANON_TRY(kanon__entity_records_new(&own, s->table->entity_codes, g->group_of, g->n_rows, err), out);
    st = kanon__sums_add_classes(sums, g->sizes, g->n_groups, g->group_of, own, g->n_rows, err);
out:
    kanon__free(own);
    return st;
}

kanon_status kanon__subject_sums(kanon__sums *out, const kanon__subject *s, unsigned has, double *diversity,
                                 kanon_error *err)
{
    enum { OF_CELLS = KANON__SUM_LOSSES | KANON__SUM_COVERS | KANON__SUM_SPREADS | KANON__SUM_HIDDEN };
    kanon_status st = KANON_OK;
    const kanon_grouping *g = s->grouping;
    KANON_TRY(kanon__sums_init(out, s->table, has, err), out);
    out->k = s->k;
    out->n_rows = g->n_rows;
    out->n_suppressed = out->n_lost = g->n_suppressed;
    out->n_groups = g->n_groups;
    KANON_TRY(add_classes(out, s, err), out);
    for (int i = 0; has & OF_CELLS && i < s->table->n_quasi; i++)
        KANON_TRY(add_cells(out, s, i, diversity, err), out);
    for (int i = 0; has & (KANON__SUMS_OF_VALUES | KANON__SUM_TOTALS) && i < s->table->n_sensitive; i++)
        KANON_TRY(add_values(out, s, i, err), out);
out:
    if (st != KANON_OK)
        kanon__sums_clear(out);
    return st;
}
