/* kanon_group_view: what groups show, as values for hosts. Extents are computed once; texts are copied, because those
 * of a domain are not terminated. Calls release/extent.h. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"
#include "pipeline/release_plan.h"
#include "release/extent.h"

#include <math.h>
#include <string.h>

/* The terminated texts of a column: by code of numbers, by node of categories; of bands both ends, by code; of drawn ends
 * both, by group. */
typedef struct text_list {
    char *bytes;
    int64_t *begins;
} text_list;

struct kanon_group_view {
    kanon_table *table;
    kanon__extents *extents;
    kanon__drawn_ends *drawn; /* the view's own */
    text_list *texts; /* by quasi attribute */
    int64_t n_groups;
    int64_t *members, *begins; /* rows, and where those of a group begin, by its number from 0 on and the number behind */
};

/* The text may be in `buffer`. An open end is empty. */
static const char *text_at(const kanon__domain *domain, int64_t i, char buffer[KANON__NUMBER_TEXT], size_t *length)
{
    uint32_t n_bands = domain->n_codes - (domain->missing_code != KANON__NO_CODE);
    if (domain->bands != NULL && i < 2 * (int64_t)n_bands) {
        const kanon__band *band = &domain->bands[i / 2];
        bool open = i % 2 == 0 ? band->open_below : band->open_above;
        int64_t end = i % 2 == 0 ? band->first : band->last;
        kanon__band_style style = kanon__domain_band_style(domain, false);
        *length = open ? 0 : kanon__band_end_text(buffer, end, &style);
        return buffer;
    }
    return domain->taxonomy != NULL ? kanon__taxonomy_label(domain->taxonomy, (int32_t)i, length)
                                    : kanon__domain_text(domain, (uint32_t)i, length);
}

static kanon_status list_texts(text_list *out, const kanon__domain *domain, kanon_error *err)
{
    bool bands = domain->bands != NULL;
    int64_t n = domain->taxonomy != NULL ? domain->taxonomy->n_nodes : (int64_t)domain->n_codes, size = 0;
    size_t length;
    char buffer[KANON__NUMBER_TEXT];
    n = bands ? 2 * (n - (domain->missing_code != KANON__NO_CODE)) : n;
    KANON_CHECK(kanon__new_array(&out->begins, n, "what groups show", err));
    for (int64_t i = 0; i < n; i++) {
        text_at(domain, i, buffer, &length);
        out->begins[i] = size;
        size += (int64_t)length + 1;
    }
    KANON_CHECK(kanon__new_array(&out->bytes, size, "what groups show", err));
    for (int64_t i = 0; i < n; i++) {
        const char *text = text_at(domain, i, buffer, &length);
        if (length > 0)
            memcpy(out->bytes + out->begins[i], text, length);
    }
    return KANON_OK;
}

/* A negative number is a suppressed row. */
static kanon_status list_members(kanon_group_view *v, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *next = NULL;
    KANON_TRY(kanon__new_array(&v->members, g->n_rows, "members of groups", err), out);
    KANON_TRY(kanon__new_array(&v->begins, g->n_groups + 2, "members of groups", err), out);
    KANON_TRY(kanon__new_array(&next, g->n_groups + 1, "members of groups", err), out);
    for (int64_t i = 0; i <= g->n_groups; i++) {
        next[i] = v->begins[i];
        v->begins[i + 1] = v->begins[i] + (i == 0 ? g->n_suppressed : g->sizes[i - 1]);
    }
    for (int64_t row = 0; row < g->n_rows; row++)
        v->members[next[kanon_grouping_group_of(g, row)]++] = row;
out:
    kanon__free(next);
    return st;
}

static kanon_status copy_drawn(kanon_group_view *v, const kanon_grouping *g, kanon_error *err)
{
    int64_t *all = NULL;
    if (g->drawn == NULL)
        return KANON_OK;
    KANON_CHECK(kanon__new_array(&all, g->n_groups + 1, "what groups show", err));
    for (int64_t i = 0; i < g->n_groups; i++)
        all[i] = i;
    kanon_status st = kanon__drawn_ends_pick(&v->drawn, g->drawn, all, g->n_groups, err);
    kanon__free(all);
    return st;
}

/* Both drawn ends of each group, as they are released. */
static kanon_status list_ends(text_list *out, const kanon_group_view *v, int quasi, kanon_error *err)
{
    const kanon__domain *domain = kanon__extents_column(v->extents, quasi)->domain;
    const kanon__band_style style = kanon__domain_band_style(domain, false);
    char buffer[KANON__NUMBER_TEXT];
    int64_t size = 0, capacity = 0;
    KANON_CHECK(kanon__new_array(&out->begins, 2 * v->n_groups, "what groups show", err));
    for (int64_t i = 0; i < 2 * v->n_groups; i++) {
        const int64_t *ends = kanon__drawn_ends_of(v->drawn, quasi, i / 2);
        size_t length = ends != NULL ? kanon__band_end_text(buffer, ends[i % 2], &style) : 0;
        KANON_CHECK(kanon__grow_array(&out->bytes, &capacity, size + (int64_t)length + 1, "what groups show", err));
        memcpy(out->bytes + size, buffer, length);
        out->bytes[size + (int64_t)length] = '\0';
        out->begins[i] = size;
        size += (int64_t)length + 1;
    }
    return KANON_OK;
}

static kanon_status new_view(kanon_group_view **out, const kanon_table *table, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_group_view *v = NULL;
    const uint32_t **recode_map = NULL;
    *out = NULL;
    KANON_TRY(kanon__grouping_fits(g, table, err), out);
    KANON_TRY(kanon__new_array(&v, 1, "what groups show", err), out);
    v->table = kanon__table_share(table);
    v->n_groups = g->n_groups;
    KANON_TRY(list_members(v, g, err), out);
    KANON_TRY(kanon__release_map(&recode_map, table, g, err), out);
    KANON_TRY(copy_drawn(v, g, err), out);
    KANON_TRY(kanon__extents_new(&v->extents, &table->data, g->group_of, g->n_groups, recode_map, v->drawn, false, 1, err),
              out);
    v->extents->group_of = NULL; /* the grouping may be freed before the view */
    v->extents->recode_map = NULL;
    KANON_TRY(kanon__new_array(&v->texts, table->data.n_quasi, "what groups show", err), out);
    for (int i = 0; i < table->data.n_quasi; i++)
        KANON_TRY(v->drawn != NULL && v->drawn->ends[i] != NULL
                      ? list_ends(&v->texts[i], v, i, err)
                      : list_texts(&v->texts[i], kanon__extents_column(v->extents, i)->domain, err),
                  out);
    *out = v;
    v = NULL;
out:
    kanon__free(recode_map);
    kanon_group_view_free(v);
    return st;
}

kanon_status kanon_group_view_new(kanon_group_view **out, const kanon_table *table, const kanon_grouping *grouping,
                                  kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    return kanon__call_end(&call, new_view(out, table, grouping, err));
}

void kanon_group_view_free(kanon_group_view *v)
{
    if (v == NULL)
        return;
    for (int i = 0; v->texts != NULL && i < v->table->data.n_quasi; i++) {
        kanon__free(v->texts[i].bytes);
        kanon__free(v->texts[i].begins);
    }
    kanon__free(v->texts);
    kanon__extents_free(v->extents);
    kanon__drawn_ends_free(v->drawn);
    kanon__free(v->begins);
    kanon__free(v->members);
    kanon_table_free(v->table);
    kanon__free(v);
}

int64_t kanon_group_view_groups(const kanon_group_view *view)
{
    return view->n_groups;
}

int64_t kanon_group_view_records(const kanon_group_view *view, int64_t group)
{
    int64_t n;
    kanon_group_view_members(view, group, &n);
    return n;
}

const int64_t *kanon_group_view_members(const kanon_group_view *view, int64_t group, int64_t *n)
{
    bool is_there = group >= 0 && group <= view->n_groups;
    *n = is_there ? view->begins[group + 1] - view->begins[group] : 0;
    return is_there ? view->members + view->begins[group] : NULL;
}

static const char *text_of(const kanon_group_view *v, int quasi, int64_t i)
{
    return v->texts[quasi].bytes + v->texts[quasi].begins[i];
}

/* The ends of bands as the release shows them; open ones are infinite. */
static void fill_bands(kanon_group_cell *cell, const kanon_group_view *v, int quasi, const kanon__extent *e)
{
    const kanon__domain *domain = kanon__extents_column(v->extents, quasi)->domain;
    const kanon__band *lo = &domain->bands[e->lo], *hi = &domain->bands[e->hi];
    double unit = 1;
    for (int i = 0; i < domain->scale; i++)
        unit *= 10;
    cell->shows = KANON_SHOWS_RANGE;
    cell->min = lo->open_below ? -INFINITY : (double)lo->first / unit;
    cell->max = hi->open_above ? INFINITY : (double)hi->last / unit;
    cell->min_text = text_of(v, quasi, 2 * (int64_t)e->lo);
    cell->max_text = text_of(v, quasi, 2 * (int64_t)e->hi + 1);
}

static void fill_ends(kanon_group_cell *cell, const kanon_group_view *v, int quasi, int64_t group, const int64_t ends[2])
{
    double unit = 1;
    for (int i = 0; i < kanon__extents_column(v->extents, quasi)->domain->scale; i++)
        unit *= 10;
    cell->min = (double)ends[0] / unit;
    cell->max = (double)ends[1] / unit;
    cell->min_text = text_of(v, quasi, 2 * group);
    cell->max_text = text_of(v, quasi, 2 * group + 1);
}

static void fill_cell(kanon_group_cell *cell, const kanon_group_view *v, int quasi, int64_t group)
{
    const kanon__extent *e = &v->extents->cells[quasi][group];
    const kanon__domain *domain = kanon__extents_column(v->extents, quasi)->domain;
    int32_t node;
    switch (kanon__extents_kind(v->extents, quasi, group)) {
    case KANON__CELL_MISSING:
        cell->shows = KANON_SHOWS_MISSING;
        break;
    case KANON__CELL_RANGE:
        if (domain->bands != NULL) {
            fill_bands(cell, v, quasi, e);
            break;
        }
        cell->shows = KANON_SHOWS_RANGE;
        if (kanon__drawn_ends_of(v->drawn, quasi, group) != NULL) {
            fill_ends(cell, v, quasi, group, kanon__drawn_ends_of(v->drawn, quasi, group));
            break;
        }
        cell->min = domain->values[e->lo];
        cell->max = domain->values[e->hi];
        cell->min_text = text_of(v, quasi, e->lo);
        cell->max_text = text_of(v, quasi, e->hi);
        break;
    case KANON__CELL_NODE:
        node = kanon__extents_node(v->extents, quasi, group);
        if (node == 0 && strcmp(text_of(v, quasi, node), "*") == 0)
            break;
        cell->shows = KANON_SHOWS_CATEGORY;
        cell->category = text_of(v, quasi, node);
        break;
    default:
        break;
    }
}

/* Which quasi attribute the column is; n_quasi: none. */
static int quasi_of(const kanon_group_view *v, int column)
{
    int quasi = 0;
    while (quasi < v->table->data.n_quasi && v->table->data.quasi[quasi] != column)
        quasi++;
    return quasi;
}

static bool is_general(const kanon_group_view *v, int quasi, int64_t group)
{
    kanon__cell_kind kind = kanon__extents_kind(v->extents, quasi, group);
    const kanon__taxonomy *t = kanon__extents_column(v->extents, quasi)->domain->taxonomy;
    return kind == KANON__CELL_ANY ||
           (kind == KANON__CELL_NODE && t->n_leaves > 1 && kanon__extents_node(v->extents, quasi, group) == 0);
}

double kanon_group_view_general(const kanon_group_view *v, int column)
{
    int quasi = quasi_of(v, column);
    int64_t general = kanon_group_view_records(v, 0), all = v->begins[v->n_groups + 1];
    if (quasi == v->table->data.n_quasi)
        return NAN;
    for (int64_t group = 0; group < v->n_groups; group++)
        general += is_general(v, quasi, group) ? kanon_group_view_records(v, group + 1) : 0;
    return all > 0 ? (double)general / (double)all : 0;
}

kanon_status kanon_group_view_cell(kanon_group_cell *out, const kanon_group_view *v, int64_t group, int column,
                                   kanon_error *err)
{
    kanon_group_cell cell = {.min = NAN, .max = NAN};
    int quasi = quasi_of(v, column);
    KANON_CHECK(kanon__check_out(out, err));
    if (quasi == v->table->data.n_quasi)
        return kanon__fail(err, KANON_EINVAL, "column %d is not a quasi-identifier", column);
    if (group < 0 || group > v->n_groups)
        return kanon__fail(err, KANON_EINVAL, "there is no group %lld", (long long)group);
    if (group > 0)
        fill_cell(&cell, v, quasi, group - 1);
    kanon__give_out(out, &cell, sizeof cell);
    return KANON_OK;
}
