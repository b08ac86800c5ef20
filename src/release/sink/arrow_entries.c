/* What every group of an Arrow release shows in a quasi column, and every code in a kept one, as a list of entries from
 * which batches are filled. */
#include "release/sink/arrow_build.h"

#include "core/alloc.h"
#include "release/sink/arrow_values.h"

#include <math.h>
#include <string.h>

/* ---- room --------------------------------------------------------------------------------------------------------- */

static kanon_status make_room(kanon__arrow_entries *e, int64_t n, int width, kanon_error *err)
{
    kanon_status st = kanon__new_array(&e->valid, n, "released cells", err);
    e->width = width;
    if (st == KANON_OK)
        st = kanon__new_array(&e->values, n * width, "released cells", err);
    return st;
}

/* ---- entries of categories ---------------------------------------------------------------------------------------- */

/* The labels of the nodes in use, in the order of the tree; `index_of` becomes the number of each. */
static kanon_status make_labels(kanon__arrow_entries *e, const kanon__taxonomy *t, const bool *used, int32_t *index_of,
                                kanon_error *err)
{
    int64_t n_bytes = 0;
    int32_t *offsets = NULL;
    size_t length;
    for (int32_t node = 0; node < t->n_nodes; node++)
        if (used[node]) {
            kanon__taxonomy_label(t, node, &length);
            n_bytes += (int64_t)length;
            index_of[node] = (int32_t)e->n_labels++;
        }
    if (n_bytes > INT32_MAX)
        return kanon__fail(err, KANON_EDATA, "a taxonomy with more than 2 GB of names");
    KANON_CHECK(kanon__arrow_memory_new(&e->labels, NULL, NULL, err));
    KANON_CHECK(kanon__new_array(&offsets, e->n_labels + 1, "categories", err));
    e->labels->blocks[0] = offsets;
    KANON_CHECK(kanon__new_array((char **)&e->labels->blocks[1], n_bytes, "categories", err));
    for (int32_t node = 0, i = 0; node < t->n_nodes; node++)
        if (used[node]) {
            const char *label = kanon__taxonomy_label(t, node, &length);
            memcpy((char *)e->labels->blocks[1] + offsets[i], label, length);
            offsets[i + 1] = offsets[i] + (int32_t)length;
            i++;
        }
    return KANON_OK;
}

/* Entries that show a node each; -1: null. */
static kanon_status enter_nodes(kanon__arrow_entries *e, const kanon__taxonomy *t, const int32_t *nodes, int64_t n,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool *used = NULL;
    int32_t *index_of = NULL;
    e->width = sizeof(int32_t);
    KANON_TRY(kanon__new_array(&e->values, n * e->width, "released cells", err), out);
    KANON_TRY(kanon__new_array(&e->valid, n, "released cells", err), out);
    KANON_TRY(kanon__new_array(&used, t->n_nodes, "categories", err), out);
    KANON_TRY(kanon__new_array(&index_of, t->n_nodes, "categories", err), out);
    for (int64_t i = 0; i < n; i++)
        if (nodes[i] >= 0)
            used[nodes[i]] = true;
    KANON_TRY(make_labels(e, t, used, index_of, err), out);
    for (int64_t i = 0; i < n; i++) {
        e->valid[i] = nodes[i] >= 0;
        if (e->valid[i])
            memcpy(e->values + i * e->width, &index_of[nodes[i]], sizeof(int32_t));
    }
out:
    kanon__free(index_of);
    kanon__free(used);
    return st;
}

/* Whether a node is shown as null: it says nothing, or the values were null. */
static bool is_null_node(const kanon__domain *domain, int32_t node)
{
    size_t length;
    const char *label = kanon__taxonomy_label(domain->taxonomy, node, &length);
    if (node == 0 && length == 1 && label[0] == '*')
        return true;
    return domain->missing_is_null && node == domain->taxonomy->leaf_node[domain->missing_code];
}

bool kanon__arrow_is_truth(const kanon_table *table, int column)
{
    const kanon__arrow_source *source = kanon__arrow_source_of(table->source);
    const kanon__taxonomy *t = table->data.columns[column].domain->taxonomy;
    return source != NULL && t != NULL && t->flat && !t->given && source->types[column].kind == KANON__ARROW_BOOL &&
           source->types[column].index_width == 0;
}

/* What groups show of truth values: one of them, or nothing. */
static kanon_status enter_truths(const kanon__arrow_build *b, int quasi, kanon__arrow_entries *e, kanon_error *err)
{
    const kanon__domain *domain = kanon__extents_column(b->extents, quasi)->domain;
    kanon_status st = make_room(e, b->plan->n_groups, 1, err);
    e->truths = true;
    for (int64_t group = 0; st == KANON_OK && group < b->plan->n_groups; group++) {
        size_t length;
        int32_t node = kanon__extents_node(b->extents, quasi, group);
        const char *label = kanon__taxonomy_label(domain->taxonomy, node, &length);
        e->values[group] = length == 4 && memcmp(label, "true", 4) == 0;
        e->valid[group] = !is_null_node(domain, node);
    }
    return st;
}

static kanon_status enter_group_categories(const kanon__arrow_build *b, int quasi, kanon__arrow_entries *e, kanon_error *err)
{
    const kanon__domain *domain = kanon__extents_column(b->extents, quasi)->domain;
    int32_t *nodes = NULL;
    int64_t n = b->plan->n_groups;
    kanon_status st = kanon__new_array(&nodes, n, "released cells", err);
    for (int64_t group = 0; st == KANON_OK && group < n; group++) {
        nodes[group] = kanon__extents_node(b->extents, quasi, group);
        if (is_null_node(domain, nodes[group]))
            nodes[group] = -1;
    }
    if (st == KANON_OK)
        st = enter_nodes(e, domain->taxonomy, nodes, n, err);
    kanon__free(nodes);
    return st;
}

/* ---- entries of levels -------------------------------------------------------------------------------------------- */

/* All levels, used or not: they are declared, and say nothing of a record. */
static kanon_status make_levels(kanon__arrow_entries *e, const kanon__dictionary *levels, kanon_error *err)
{
    int64_t n_bytes = 0;
    size_t length;
    int32_t *offsets = NULL;
    for (uint32_t i = 0; i < levels->n; i++) {
        kanon__dictionary_text(levels, i, &length);
        n_bytes += (int64_t)length;
    }
    if (n_bytes > INT32_MAX)
        return kanon__fail(err, KANON_EDATA, "levels with more than 2 GB of names");
    e->n_labels = levels->n;
    KANON_CHECK(kanon__arrow_memory_new(&e->labels, NULL, NULL, err));
    KANON_CHECK(kanon__new_array(&offsets, e->n_labels + 1, "levels", err));
    e->labels->blocks[0] = offsets;
    KANON_CHECK(kanon__new_array((char **)&e->labels->blocks[1], n_bytes, "levels", err));
    for (uint32_t i = 0; i < levels->n; i++) {
        const char *text = kanon__dictionary_text(levels, i, &length);
        memcpy((char *)e->labels->blocks[1] + offsets[i], text, length);
        offsets[i + 1] = offsets[i] + (int32_t)length;
    }
    return KANON_OK;
}

/* The lowest or the highest level of each group. */
static kanon_status enter_level_ends(const kanon__arrow_build *b, int quasi, kanon__arrow_entries *e, bool highest,
                                     kanon_error *err)
{
    KANON_CHECK(make_room(e, b->plan->n_groups, sizeof(int32_t), err));
    KANON_CHECK(make_levels(e, &kanon__extents_column(b->extents, quasi)->domain->levels, err));
    for (int64_t group = 0; group < b->plan->n_groups; group++) {
        const kanon__extent *extent = &b->extents->cells[quasi][group];
        int32_t rank = (int32_t)(highest ? extent->hi : extent->lo);
        e->valid[group] = kanon__extents_kind(b->extents, quasi, group) == KANON__CELL_RANGE;
        if (e->valid[group])
            memcpy(e->values + group * e->width, &rank, sizeof rank);
    }
    return KANON_OK;
}

/* ---- entries of numbers ------------------------------------------------------------------------------------------- */

/* The smallest or the largest number of each group. */
static kanon_status enter_ends(const kanon__arrow_build *b, int quasi, kanon__arrow_entries *e,
                               const kanon__arrow_values *values, bool largest, kanon_error *err)
{
    kanon_status st = make_room(e, b->plan->n_groups, values->type.width, err);
    for (int64_t group = 0; st == KANON_OK && group < b->plan->n_groups; group++) {
        const kanon__extent *extent = &b->extents->cells[quasi][group];
        e->valid[group] = kanon__extents_kind(b->extents, quasi, group) == KANON__CELL_RANGE;
        if (e->valid[group])
            memcpy(e->values + group * e->width,
                   largest ? kanon__arrow_values_high(values, extent->hi) : kanon__arrow_values_low(values, extent->lo),
                   (size_t)e->width);
    }
    return st;
}

/* The lower or the upper end of the bands that each group shows; null where it is open. */
static kanon_status enter_band_ends(const kanon__arrow_build *b, int quasi, kanon__arrow_entries *e,
                                    const kanon__arrow_values *values, bool upper, kanon_error *err)
{
    const kanon__column *c = kanon__extents_column(b->extents, quasi);
    kanon_status st = make_room(e, b->plan->n_groups, values->type.width, err);
    for (int64_t group = 0; st == KANON_OK && group < b->plan->n_groups; group++) {
        kanon__band bands[2];
        if (kanon__extents_kind(b->extents, quasi, group) != KANON__CELL_RANGE ||
            !kanon__extents_bands(bands, b->extents, quasi, group))
            continue;
        const kanon__band *band = &bands[upper];
        e->valid[group] = !(upper ? band->open_above : band->open_below);
        if (!e->valid[group] ||
            kanon__arrow_values_put_end(values, e->values + group * e->width, c->domain, upper ? band->last : band->first))
            continue;
        st = kanon__fail(err, KANON_EINVAL, "%s: %s do not fit the type of the column", c->name,
                         c->domain->bands != NULL ? "the ends of its bands" : "its drawn ends");
        kanon__hint(err, st, "give the column a wider type, or release it as text");
        kanon__topic(err, st, "numeric");
    }
    return st;
}

/* The mean of a group as a number: what the text of the CSV release reads as. */
static double mean_of(const kanon__arrow_build *b, int quasi, int64_t group)
{
    const kanon__domain *domain = kanon__extents_column(b->extents, quasi)->domain;
    const kanon__extent *extent = &b->extents->cells[quasi][group];
    char text[KANON__NUMBER_TEXT];
    kanon__decimal number = {0};
    if (extent->lo == extent->hi)
        return domain->values[extent->lo];
    size_t length = kanon__extents_mean(text, b->extents, quasi, group);
    kanon_type type = domain->type == KANON_TYPE_DATE ? KANON_TYPE_DATE : KANON_TYPE_DECIMAL;
    kanon__value_parse(&number, type, &domain->format, text, length);
    return number.value;
}

static kanon_status enter_means(const kanon__arrow_build *b, int quasi, kanon__arrow_entries *e, kanon_error *err)
{
    const kanon__domain *domain = kanon__extents_column(b->extents, quasi)->domain;
    bool times = domain->type == KANON_TYPE_DATE && kanon__value_has_time(&domain->format);
    bool dates = domain->type == KANON_TYPE_DATE && !times;
    kanon_status st = make_room(e, b->plan->n_groups, dates ? 4 : 8, err);
    for (int64_t group = 0; st == KANON_OK && group < b->plan->n_groups; group++) {
        e->valid[group] = kanon__extents_kind(b->extents, quasi, group) == KANON__CELL_RANGE;
        if (!e->valid[group])
            continue;
        double mean = mean_of(b, quasi, group);
        int32_t days = dates ? (int32_t)mean : 0;
        int64_t seconds = times ? (int64_t)floor(mean) : 0;
        const void *entry = dates ? (void *)&days : times ? (void *)&seconds : (void *)&mean;
        memcpy(e->values + group * e->width, entry, (size_t)e->width);
    }
    return st;
}

static kanon_status append(kanon__arrow_entries *e, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&e->values, &e->capacity, e->n_bytes + (int64_t)length, "released cells", err);
    if (st == KANON_OK && length > 0)
        memcpy(e->values + e->n_bytes, text, length);
    if (st == KANON_OK)
        e->n_bytes += (int64_t)length;
    return st;
}

/* "24", or "[22..33]". */
static kanon_status append_interval(kanon__arrow_entries *e, const kanon__extents *x, int quasi, int64_t group,
                                    kanon_error *err)
{
    const kanon__column *c = kanon__extents_column(x, quasi);
    const kanon__extent *extent = &x->cells[quasi][group];
    kanon__band bands[2];
    size_t length;
    if (kanon__extents_bands(bands, x, quasi, group)) {
        char shown[KANON__BAND_TEXT];
        kanon__band_style style = kanon__domain_band_style(c->domain, false);
        length = kanon__band_text(shown, &bands[0], &bands[1], &style);
        return append(e, shown, length, err);
    }
    const char *text = kanon__column_text(c, extent->lo, &length);
    if (extent->lo == extent->hi)
        return append(e, text, length, err);
    KANON_CHECK(append(e, "[", 1, err));
    KANON_CHECK(append(e, text, length, err));
    KANON_CHECK(append(e, "..", 2, err));
    text = kanon__column_text(c, extent->hi, &length);
    KANON_CHECK(append(e, text, length, err));
    return append(e, "]", 1, err);
}

static kanon_status enter_texts(const kanon__arrow_build *b, int quasi, kanon__arrow_entries *e, kanon_error *err)
{
    KANON_CHECK(kanon__new_array(&e->valid, b->plan->n_groups, "released cells", err));
    KANON_CHECK(kanon__new_array(&e->ends, b->plan->n_groups, "released cells", err));
    for (int64_t group = 0; group < b->plan->n_groups; group++) {
        e->valid[group] = kanon__extents_kind(b->extents, quasi, group) == KANON__CELL_RANGE;
        if (e->valid[group])
            KANON_CHECK(append_interval(e, b->extents, quasi, group, err));
        e->ends[group] = e->n_bytes;
    }
    return KANON_OK;
}

/* ---- entries of columns ------------------------------------------------------------------------------------------- */

/* NAME_min and NAME_max. */
static kanon_status enter_interval(const kanon__arrow_build *b, kanon__arrow_released *min, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_values values = {0};
    if (b->table->data.columns[min->number].domain->type == KANON_TYPE_ORDINAL) {
        st = enter_level_ends(b, min->quasi, &min[0].entries, false, err);
        return st == KANON_OK ? enter_level_ends(b, min->quasi, &min[1].entries, true, err) : st;
    }
    bool drawn = kanon__drawn_ends_of(b->extents->drawn, min->quasi, 0) != NULL;
    if (drawn || b->table->data.columns[min->number].domain->bands != NULL) {
        kanon__arrow_values_find_type(&values, b->table, min->number);
        st = enter_band_ends(b, min->quasi, &min[0].entries, &values, false, err);
        return st == KANON_OK ? enter_band_ends(b, min->quasi, &min[1].entries, &values, true, err) : st;
    }
    KANON_TRY(kanon__arrow_values_init(&values, b->table, min->number, err), out);
    KANON_TRY(enter_ends(b, min->quasi, &min[0].entries, &values, false, err), out);
    KANON_TRY(enter_ends(b, min->quasi, &min[1].entries, &values, true, err), out);
out:
    kanon__arrow_values_clear(&values);
    return st;
}

static kanon_status enter_cells(const kanon__arrow_build *b, kanon__arrow_released *c, kanon_error *err)
{
    if (kanon__arrow_is_truth(b->table, c->number))
        return enter_truths(b, c->quasi, &c->entries, err);
    if (!kanon__column_is_numeric(kanon__extents_column(b->extents, c->quasi)))
        return enter_group_categories(b, c->quasi, &c->entries, err);
    if (kanon__arrow_shows_means(b, kanon__extents_column(b->extents, c->quasi)))
        return enter_means(b, c->quasi, &c->entries, err);
    return b->plan->numeric == KANON_NUMERIC_INTERVAL ? enter_texts(b, c->quasi, &c->entries, err)
                                                      : enter_interval(b, c, err);
}

/* Extents are larger than what is made of them, so they are there for one column at a time. */
static kanon_status enter_quasi(const kanon__arrow_build *b, kanon__arrow_released *c, kanon_error *err)
{
    kanon_status st = kanon__extents_measure(b->extents, c->quasi, err);
    if (st == KANON_OK)
        st = enter_cells(b, c, err);
    kanon__extents_drop(b->extents, c->quasi);
    return st;
}

/* A sensitive column of a table that is not from Arrow. */
static kanon_status enter_sensitive(const kanon__arrow_build *b, kanon__arrow_released *column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *c = &b->table->data.columns[column->number];
    kanon__arrow_entries *e = &column->entries;
    kanon__arrow_values values = {0};
    KANON_TRY(kanon__arrow_values_init(&values, b->table, column->number, err), out);
    KANON_TRY(make_room(e, c->domain->n_codes, values.type.width, err), out);
    for (uint32_t code = 0; code < c->domain->n_codes; code++) {
        e->valid[code] = code != c->domain->missing_code;
        memcpy(e->values + (size_t)code * (size_t)values.type.width, kanon__arrow_values_at(&values, code),
               (size_t)values.type.width);
    }
out:
    kanon__arrow_values_clear(&values);
    return st;
}

static void find_nulls(const kanon__arrow_build *b, kanon__arrow_released *c)
{
    int64_t n = c->origin == KANON__ARROW_BY_GROUP ? b->plan->n_groups : b->table->data.columns[c->number].domain->n_codes;
    c->entries.all_valid = memchr(c->entries.valid, 0, (size_t)n) == NULL;
}

static kanon_status list_permuted_rows(const kanon__arrow_build *b, kanon__arrow_released *c, kanon_error *err)
{
    kanon_status st = kanon__new_array(&c->rows, b->n_released, "released cells", err);
    for (int64_t i = 0; st == KANON_OK && i < b->n_released; i++)
        c->rows[i] = c->permuted->from[b->plan->order != NULL ? b->plan->order[i] : i];
    return st;
}

kanon_status kanon__arrow_enter_column(int64_t i, void *build, kanon_error *err)
{
    kanon__arrow_build *b = build;
    kanon__arrow_released *c = &b->columns[i];
    if (c->is_max || c->origin == KANON__ARROW_CELLS)
        return KANON_OK;
    if (c->permuted != NULL)
        KANON_CHECK(list_permuted_rows(b, c, err));
    if (c->origin == KANON__ARROW_KEPT)
        return kanon__arrow_kept_init(&c->kept, &b->out->fields[i], b->table, c->number,
                                      c->rows != NULL ? c->rows : b->plan->order, b->n_released, err);
    KANON_CHECK(c->origin == KANON__ARROW_BY_GROUP ? enter_quasi(b, c, err) : enter_sensitive(b, c, err));
    find_nulls(b, c);
    if (i + 1 < b->out->n_fields && c[1].is_max)
        find_nulls(b, &c[1]);
    return KANON_OK;
}

void kanon__arrow_entries_clear(kanon__arrow_entries *e)
{
    kanon__arrow_memory_free(e->labels);
    kanon__free(e->valid);
    kanon__free(e->ends);
    kanon__free(e->values);
    *e = (kanon__arrow_entries){0};
}
