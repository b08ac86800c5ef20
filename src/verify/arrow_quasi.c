/* Quasi columns of an Arrow release.
 *
 * What a group shows is read once, from the first of its records. Then every record is held against its group: it shows the
 * same, and its original is covered. Originals are values of the input where that has numbers of the released type, else
 * what the codes of the table say; the latter are held against the input by arrow_codes.c, or as the cells of text are
 * read. */
#include "verify/arrow_check.h"

#include "core/alloc.h"
#include "verify/arrow_bands.h"
#include "verify/read_interval.h"

#include <math.h>

static const kanon__domain *domain_of(const kanon__arrow_check *c, const kanon__checked_field *f)
{
    return c->table->data.columns[f->number].domain;
}

/* ---- originals ---------------------------------------------------------------------------------------------------- */

static kanon_status list_originals(const kanon__arrow_check *c, kanon__checked_field *f, kanon_error *err)
{
    const kanon__domain *domain = domain_of(c, f);
    bool real = c->claim->numeric != KANON_NUMERIC_COLUMNS && !f->levels;
    KANON_CHECK(kanon__new_array(&f->originals, domain->n_codes, "the check of the release", err));
    if (f->form == KANON__CHECKED_KEYS)
        KANON_CHECK(kanon__new_array(&f->original_keys, domain->n_codes, "the check of the release", err));
    for (uint32_t code = 0; code < domain->n_codes; code++) {
        size_t length;
        const char *text = kanon__domain_text(domain, code, &length);
        if (code != domain->missing_code)
            f->originals[code] = kanon__checked_number(domain, text, length, real);
        if (f->form == KANON__CHECKED_KEYS)
            f->original_keys[code] = kanon__read_key_of(f->released[0].shape, f->originals[code]);
    }
    return KANON_OK;
}

/* The keys of numbers in the dictionaries of the input. */
static kanon_status list_entries(kanon__checked_field *f, kanon_error *err)
{
    const kanon__read_column *given = &f->given;
    KANON_CHECK(kanon__new_array(&f->entry_keys, given->n_entries, "the check of the release", err));
    KANON_CHECK(kanon__new_array(&f->entry_valid, given->n_entries, "the check of the release", err));
    for (int64_t batch = 0; batch < given->n_batches; batch++)
        for (int64_t i = 0; kanon__read_has_new_entries(given, batch) && i < given->arrays[batch]->dictionary->length; i++) {
            kanon__read_value value = kanon__read_entry(given, batch, i);
            f->entry_valid[given->entry_begins[batch] + i] = value.kind != KANON__READ_NULL;
            f->entry_keys[given->entry_begins[batch] + i] = kanon__read_key_of(given->shape, value);
        }
    return KANON_OK;
}

/* ---- what groups show --------------------------------------------------------------------------------------------- */

/* "LO" or "[LO..HI]", of numbers of the column's own type. */
static bool read_shown(const kanon__domain *domain, kanon__read_value text, double ends[2])
{
    bool one = kanon__read_end(&ends[0], domain->type, &domain->format, text.bytes, text.length);
    if (one)
        ends[1] = ends[0];
    return one || kanon__read_interval(ends, domain->type, &domain->format, "..", text.bytes, text.length);
}

/* What a record shows; of levels the rank. */
static kanon__read_value shown_at(const kanon__arrow_check *c, const kanon__checked_field *f, int part, int64_t place)
{
    kanon__read_value cell = kanon__read_row(&f->released[part], place);
    if (!f->levels || cell.kind == KANON__READ_NULL)
        return cell;
    kanon__read_value rank = kanon__checked_number(domain_of(c, f), cell.bytes, cell.length, false);
    return rank.kind != KANON__READ_NULL ? rank : cell; /* what is no level equals none */
}

static bool understand_values(const kanon__arrow_check *c, const kanon__checked_field *f, int32_t group, int64_t place)
{
    kanon__checked_value *v = &f->values[group];
    bool shows = false;
    for (int part = 0; part < f->n_children; part++) {
        v->cells[part] = shown_at(c, f, part, place);
        shows = shows || v->cells[part].kind != KANON__READ_NULL;
    }
    if (f->code_bands != NULL)
        return !shows || kanon__checked_bands_understand(c, f, v);
    if (f->n_children == 2 && v->cells[0].kind != v->cells[1].kind)
        return false;
    if (f->levels)
        return v->cells[0].kind != KANON__READ_TEXT;
    return v->cells[0].kind != KANON__READ_TEXT || read_shown(domain_of(c, f), v->cells[0], v->ends);
}

static bool understand_keys(const kanon__checked_field *f, int32_t group, int64_t place)
{
    int64_t *keys = &f->keys[(int64_t)group * f->n_children];
    for (int part = 0; part < f->n_children; part++) {
        kanon__read_value value = kanon__read_row(&f->released[part], place);
        bool null = value.kind == KANON__READ_NULL;
        if (part == 1 && f->nulls[group] != null)
            return false;
        f->nulls[group] = null;
        keys[part] = null ? 0 : kanon__read_key_of(f->released[part].shape, value);
    }
    return true;
}

static bool understand_node(const kanon__checked_field *f, int32_t group, int64_t place)
{
    kanon__read_keys one;
    kanon__read_block(&one, &f->released[0], NULL, place, 1);
    f->nodes[group] = one.valid[0] ? f->node_of_entry[one.keys[0]] : -1;
    return true;
}

/* The codes below each node, found by going up from the leaves; false where they are not a range. */
static bool find_leaves(const kanon__taxonomy *t, kanon__checked_leaves *leaves, uint32_t *n)
{
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++)
        for (int32_t node = t->leaf_node[leaf]; node >= 0; node = t->parent[node]) {
            leaves[node].first = n[node]++ == 0 ? (uint32_t)leaf : leaves[node].first;
            leaves[node].last = (uint32_t)leaf;
        }
    for (int32_t node = 0; node < t->n_nodes; node++)
        if (n[node] != leaves[node].last - leaves[node].first + 1)
            return false;
    return true;
}

/* A column of truth values has no entries: their texts are those of CSV. */
static kanon_status find_truths(const kanon__arrow_check *c, kanon__checked_field *f, kanon_error *err)
{
    KANON_CHECK(kanon__new_array(&f->node_of_entry, 2, "the check of the release", err));
    f->node_of_entry[0] = kanon__taxonomy_node(domain_of(c, f)->taxonomy, "false", 5);
    f->node_of_entry[1] = kanon__taxonomy_node(domain_of(c, f)->taxonomy, "true", 4);
    return KANON_OK;
}

static kanon_status find_nodes(const kanon__arrow_check *c, kanon__checked_field *f, kanon_error *err)
{
    const kanon__read_column *released = &f->released[0];
    KANON_CHECK(kanon__new_array(&f->node_of_entry, released->n_entries, "the check of the release", err));
    for (int64_t batch = 0; batch < released->n_batches; batch++)
        for (int64_t i = 0; kanon__read_has_new_entries(released, batch) && i < released->arrays[batch]->dictionary->length;
             i++) {
            kanon__read_value label = kanon__read_entry(released, batch, i);
            int32_t node = kanon__taxonomy_node(domain_of(c, f)->taxonomy, label.bytes, label.length);
            f->node_of_entry[released->entry_begins[batch] + i] = node;
            if (node < 0) {
                return kanon__fail(err, KANON_EINTERNAL, "the check found a category that does not exist: column %s",
                                   c->table->data.columns[f->number].name);
            }
        }
    return KANON_OK;
}

static kanon_status prepare_nodes(const kanon__arrow_check *c, kanon__checked_field *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__taxonomy *t = domain_of(c, f)->taxonomy;
    uint32_t *n = NULL;
    KANON_TRY(kanon__new_array(&f->nodes, c->claim->n_groups, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&f->leaves, t->n_nodes, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&n, t->n_nodes, "the check of the release", err), out);
    KANON_TRY(f->released[0].shape.letter == 'b' ? find_truths(c, f, err) : find_nodes(c, f, err), out);
    if (!find_leaves(t, f->leaves, n))
        st = kanon__fail(err, KANON_EINTERNAL, "the check found a taxonomy out of order: column %s",
                         c->table->data.columns[f->number].name);
out:
    kanon__free(n);
    return st;
}

static kanon_status prepare_groups(const kanon__arrow_check *c, kanon__checked_field *f, kanon_error *err)
{
    int64_t n_groups = c->claim->n_groups;
    if (f->form == KANON__CHECKED_NODES)
        return prepare_nodes(c, f, err);
    if (f->form == KANON__CHECKED_VALUES)
        return kanon__new_array(&f->values, n_groups, "the check of the release", err);
    KANON_CHECK(kanon__new_array(&f->keys, n_groups * f->n_children, "the check of the release", err));
    return kanon__new_array(&f->nulls, n_groups, "the check of the release", err);
}

/* In the order of the release, so that no more than a batch of it is in memory. */
static kanon_status understand(const kanon__arrow_check *c, kanon__checked_field *f, kanon_error *err)
{
    kanon_status st = prepare_groups(c, f, err);
    int64_t rested = 0;
    for (int64_t i = 0; st == KANON_OK && i < c->claim->n_groups; i++) {
        int64_t place = c->first_places[i], row = kanon__checked_row(c, place);
        int32_t group = c->claim->group_of[row];
        if (!(f->form == KANON__CHECKED_VALUES ? understand_values(c, f, group, place)
              : f->form == KANON__CHECKED_KEYS ? understand_keys(f, group, place)
                                               : understand_node(f, group, place)))
            st = kanon__checked_fail(c, f, row, "a released cell that cannot be read", err);
        kanon__checked_rest(c, f, &rested, place);
    }
    return st;
}

/* ---- means, and recode maps --------------------------------------------------------------------------------------- */

/* A mean lies between the extremes of its group, up to the last digit shown. */
static bool is_mean_inside(const kanon__domain *domain, double mean, double least, double largest)
{
    double slack = 1e-9 * (fabs(least) + fabs(largest)) + (domain->type == KANON_TYPE_DATE ? 1 : 0.005);
    return least - slack <= mean && mean <= largest + slack;
}

static kanon_status check_means(const kanon__arrow_check *c, const kanon__checked_field *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__domain *domain = domain_of(c, f);
    double *least = NULL, *largest = NULL;
    int64_t n_groups = c->claim->n_groups;
    KANON_TRY(kanon__new_array(&least, n_groups, "the check of the release", err), out);
    KANON_TRY(kanon__new_array(&largest, n_groups, "the check of the release", err), out);
    for (int64_t group = 0; group < n_groups; group++) {
        least[group] = INFINITY;
        largest[group] = -INFINITY;
    }
    for (int64_t row = 0; row < c->table->data.n_rows; row++) {
        int32_t group = c->claim->group_of[row];
        kanon__read_value original = f->originals[kanon__code_at(c->table->data.columns[f->number].codes, row)];
        if (group < 0 || original.kind == KANON__READ_NULL)
            continue;
        least[group] = original.real < least[group] ? original.real : least[group];
        largest[group] = original.real > largest[group] ? original.real : largest[group];
    }
    for (int64_t i = 0, rested = 0; i < n_groups; i++) {
        int32_t group = c->claim->group_of[kanon__checked_row(c, c->first_places[i])];
        kanon__read_value mean = kanon__read_row(&f->released[0], c->first_places[i]);
        kanon__checked_rest(c, f, &rested, c->first_places[i]);
        if (mean.kind == KANON__READ_NULL ||
            is_mean_inside(domain, mean.kind == KANON__READ_REAL ? mean.real : (double)mean.whole, least[group],
                           largest[group]))
            continue;
        st = kanon__fail(err, KANON_EINTERNAL, "the check found a mean outside its group, column %s",
                         c->table->data.columns[f->number].name);
        goto out;
    }
out:
    kanon__free(largest);
    kanon__free(least);
    return st;
}

/* With a recode map, equal values show the same in all groups. */
static kanon_status check_mapping(const kanon__arrow_check *c, const kanon__checked_field *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t *first_group = NULL; /* by code: one more than the first group that has it */
    KANON_TRY(kanon__new_array(&first_group, domain_of(c, f)->n_codes, "the check of the release", err), out);
    for (int64_t row = 0; row < c->table->data.n_rows; row++) {
        int64_t group = c->claim->group_of[row];
        int64_t *before = &first_group[kanon__code_at(c->table->data.columns[f->number].codes, row)];
        if (group < 0)
            continue;
        if (*before == 0)
            *before = group + 1;
        if (*before != group + 1 && !kanon__quasi_equal(f, group, *before - 1))
            KANON_TRY(kanon__checked_fail(c, f, row, "one value shown in two ways", err), out);
    }
out:
    kanon__free(first_group);
    return st;
}

/* ---- drawn ends --------------------------------------------------------------------------------------------------- */

/* The least and the largest original of the table as keys; suppressed records count. */
static void find_range(int64_t out[2], const kanon__arrow_check *c, const kanon__checked_field *f)
{
    kanon__read_keys keys;
    bool reals = f->released[0].shape.letter == 'f';
    out[0] = INT64_MAX;
    out[1] = INT64_MIN;
    for (uint32_t code = 0; f->originals != NULL && code < domain_of(c, f)->n_codes; code++)
        if (code != domain_of(c, f)->missing_code) {
            out[0] = f->original_keys[code] < out[0] ? f->original_keys[code] : out[0];
            out[1] = f->original_keys[code] > out[1] ? f->original_keys[code] : out[1];
        }
    for (int64_t at = 0, n; f->originals == NULL && at < c->table->data.n_rows; at += n) {
        n = c->table->data.n_rows - at;
        n = n < KANON__READ_BLOCK ? n : KANON__READ_BLOCK;
        kanon__read_block(&keys, &f->given, NULL, at, n);
        for (int64_t i = 0; i < n; i++) {
            bool valid = keys.valid[i] && (f->entry_keys == NULL || f->entry_valid[keys.keys[i]]);
            int64_t key = valid && f->entry_keys != NULL ? f->entry_keys[keys.keys[i]] : keys.keys[i];
            if (!valid || (reals && key == KANON__READ_NAN))
                continue;
            out[0] = key < out[0] ? key : out[0];
            out[1] = key > out[1] ? key : out[1];
        }
    }
}

/* They lie inside the range of the column they were drawn for, and are never a single value where it has two. */
static kanon_status check_drawn(const kanon__arrow_check *c, const kanon__checked_field *f, kanon_error *err)
{
    const kanon__domain *domain = domain_of(c, f);
    uint32_t n = domain->n_codes - (domain->missing_code != KANON__NO_CODE);
    int64_t range[2];
    bool anywhere = c->table->data.columns[f->number].drawn_before;
    bool keys = f->form == KANON__CHECKED_KEYS && f->n_children == 2, texts = f->form == KANON__CHECKED_VALUES;
    if (keys)
        find_range(range, c, f);
    for (int64_t group = 0; n > 0 && group < c->claim->n_groups; group++) {
        bool good = true;
        if (keys && !f->nulls[group]) {
            const int64_t *ends = &f->keys[2 * group];
            good = (anywhere || (range[0] <= ends[0] && ends[1] <= range[1])) && (n == 1 || ends[0] < ends[1]);
        } else if (texts && f->values[group].cells[0].kind == KANON__READ_TEXT) {
            const double *ends = f->values[group].ends;
            good = (anywhere || (domain->values[0] <= ends[0] && ends[1] <= domain->values[n - 1])) &&
                   (n == 1 || ends[0] < ends[1]);
        }
        if (!good)
            return kanon__fail(err, KANON_EINTERNAL,
                               "the check found a single value, or an end that no record reaches, where ends are drawn, "
                               "column %s",
                               c->table->data.columns[f->number].name);
    }
    return KANON_OK;
}

/* ---- a column ----------------------------------------------------------------------------------------------------- */

kanon_status kanon__quasi_prepare(const kanon__arrow_check *c, kanon__checked_field *f, kanon_error *err)
{
    bool numeric = kanon__column_is_numeric(&c->table->data.columns[f->number]);
    bool bands = numeric && domain_of(c, f)->bands != NULL;
    f->form = !numeric                                               ? KANON__CHECKED_NODES
              : kanon__read_has_keys(f->released[0].shape) && !bands && !f->levels ? KANON__CHECKED_KEYS
                                                                                   : KANON__CHECKED_VALUES;
    if (bands)
        KANON_CHECK(kanon__checked_bands_init(c, f, err));
    else if (numeric && !f->own_type)
        KANON_CHECK(list_originals(c, f, err));
    else if (numeric && f->given.shape.index_size > 0 && f->form == KANON__CHECKED_KEYS)
        KANON_CHECK(list_entries(f, err));
    KANON_CHECK(understand(c, f, err));
    if (c->table->data.columns[f->number].drawn)
        KANON_CHECK(check_drawn(c, f, err));
    if (numeric && c->claim->numeric == KANON_NUMERIC_MEAN && !f->levels)
        KANON_CHECK(check_means(c, f, err));
    if (c->claim->mapping)
        KANON_CHECK(check_mapping(c, f, err));
    return KANON_OK;
}

void kanon__quasi_clear(kanon__checked_field *f)
{
    kanon__free(f->code_bands);
    kanon__free(f->entry_valid);
    kanon__free(f->entry_keys);
    kanon__free(f->original_keys);
    kanon__free(f->originals);
    kanon__free(f->values);
    kanon__free(f->node_of_entry);
    kanon__free(f->leaves);
    kanon__free(f->nodes);
    kanon__free(f->nulls);
    kanon__free(f->keys);
    f->code_bands = NULL;
    f->entry_valid = NULL;
    f->entry_keys = NULL;
    f->original_keys = NULL;
    f->originals = NULL;
    f->values = NULL;
    f->node_of_entry = NULL;
    f->leaves = NULL;
    f->nodes = NULL;
    f->nulls = NULL;
    f->keys = NULL;
}

/* ---- records ------------------------------------------------------------------------------------------------------ */

static const char suppressed_shows[] = "a suppressed record that shows something";
static const char shows_two_things[] = "a group that shows two things";
static const char does_not_cover[] = "a released cell that does not cover its original";

/* The groups of a block of records, and their codes. Groups come by in no order, so what they show is fetched ahead. */
typedef struct block {
    int64_t place, n;
    const int32_t *order; /* of these records; NULL: that of the table */
    int64_t rows[KANON__READ_BLOCK];
    int32_t groups[KANON__READ_BLOCK];
    uint32_t codes[KANON__READ_BLOCK];
} block;

static void take_block(block *b, const kanon__arrow_check *c, const kanon__checked_field *f, int64_t place, int64_t n)
{
    kanon__codes codes = c->table->data.columns[f->number].codes;
    b->place = place;
    b->n = n;
    b->order = c->claim->order != NULL ? c->claim->order + place : NULL;
    for (int64_t i = 0; i < n; i++) {
        b->rows[i] = kanon__checked_row(c, place + i);
        b->groups[i] = c->claim->group_of[b->rows[i]];
        b->codes[i] = kanon__code_at(codes, b->rows[i]);
    }
}

/* The group of the record that is looked at some steps after the i-th of a block; -1: none. */
static inline int32_t group_ahead(const block *b, int64_t i)
{
    enum { AHEAD = 16 };
    return i + AHEAD < b->n ? b->groups[i + AHEAD] : -1;
}

/* The originals of a block as keys. */
static void read_originals(kanon__read_keys *out, const kanon__arrow_check *c, const kanon__checked_field *f, const block *b)
{
    if (f->originals != NULL) {
        for (int64_t i = 0; i < b->n; i++) {
            out->valid[i] = b->codes[i] != domain_of(c, f)->missing_code;
            out->keys[i] = f->original_keys[b->codes[i]];
        }
        return;
    }
    kanon__read_block(out, &f->given, b->order, b->place, b->n);
    for (int64_t i = 0; f->entry_keys != NULL && i < b->n; i++)
        if (out->valid[i]) {
            out->valid[i] = f->entry_valid[out->keys[i]];
            out->keys[i] = f->entry_keys[out->keys[i]];
        }
}

static kanon_status check_keys(const kanon__arrow_check *c, const kanon__checked_field *f, const block *b, kanon_error *err)
{
    kanon__read_keys low, high, original;
    bool two = f->n_children == 2, reals = f->released[0].shape.letter == 'f';
    kanon__read_block(&low, &f->released[0], NULL, b->place, b->n);
    if (two)
        kanon__read_block(&high, &f->released[1], NULL, b->place, b->n);
    read_originals(&original, c, f, b);
    for (int64_t i = 0; i < b->n; i++) {
        const char *wrong = NULL;
        int32_t group = b->groups[i], ahead = group_ahead(b, i);
        int64_t key = original.keys[i];
        if (ahead >= 0)
            __builtin_prefetch(&f->keys[(int64_t)ahead * f->n_children]);
        if (group < 0) {
            wrong = low.valid[i] || (two && high.valid[i]) ? suppressed_shows : NULL;
        } else {
            const int64_t *keys = &f->keys[(int64_t)group * f->n_children];
            bool null = f->nulls[group];
            if (low.valid[i] == null || low.keys[i] != keys[0] ||
                (two && (high.valid[i] == null || high.keys[i] != keys[1])))
                wrong = shows_two_things;
            else if (!null && (!original.valid[i] || (reals && key == KANON__READ_NAN) ||
                               (two && (key < low.keys[i] || key > high.keys[i]))))
                wrong = does_not_cover;
        }
        if (wrong != NULL)
            return kanon__checked_fail(c, f, b->rows[i], wrong, err);
    }
    return KANON_OK;
}

static kanon_status check_nodes(const kanon__arrow_check *c, const kanon__checked_field *f, const block *b, kanon_error *err)
{
    kanon__read_keys shown;
    kanon__read_block(&shown, &f->released[0], NULL, b->place, b->n);
    for (int64_t i = 0; i < b->n; i++) {
        const char *wrong = NULL;
        int32_t group = b->groups[i], ahead = group_ahead(b, i),
                node = shown.valid[i] ? f->node_of_entry[shown.keys[i]] : -1;
        if (ahead >= 0)
            __builtin_prefetch(&f->nodes[ahead]);
        if (group < 0)
            wrong = node >= 0 ? suppressed_shows : NULL;
        else if (node != f->nodes[group])
            wrong = shows_two_things;
        else if (node >= 0 && (b->codes[i] < f->leaves[node].first || b->codes[i] > f->leaves[node].last))
            wrong = does_not_cover;
        if (wrong != NULL)
            return kanon__checked_fail(c, f, b->rows[i], wrong, err);
    }
    return KANON_OK;
}

static bool covers_value(const kanon__arrow_check *c, const kanon__checked_field *f, const kanon__checked_value *shown,
                         int64_t row, uint32_t code)
{
    if (f->code_bands != NULL)
        return kanon__checked_bands_cover(c, f, shown, code);
    if (shown->cells[0].kind == KANON__READ_NULL)
        return true; /* any value */
    kanon__read_value original = f->originals != NULL ? f->originals[code] : kanon__read_row(&f->given, row);
    if (original.kind == KANON__READ_NULL)
        return false;
    if (shown->cells[0].kind == KANON__READ_TEXT)
        return shown->ends[0] <= original.real && original.real <= shown->ends[1];
    return original.kind == KANON__READ_WHOLE && shown->cells[0].whole <= original.whole &&
           original.whole <= shown->cells[1].whole;
}

static kanon_status check_values(const kanon__arrow_check *c, const kanon__checked_field *f, const block *b,
                                 kanon_error *err)
{
    for (int64_t i = 0; i < b->n; i++) {
        const char *wrong = NULL;
        for (int part = 0; part < f->n_children && wrong == NULL; part++) {
            kanon__read_value cell = shown_at(c, f, part, b->place + i);
            if (b->groups[i] < 0)
                wrong = cell.kind != KANON__READ_NULL ? suppressed_shows : NULL;
            else if (!kanon__read_equal(cell, f->values[b->groups[i]].cells[part]))
                wrong = shows_two_things;
        }
        if (wrong == NULL && b->groups[i] >= 0) {
            if (!covers_value(c, f, &f->values[b->groups[i]], b->rows[i], b->codes[i]))
                wrong = does_not_cover;
        }
        if (wrong != NULL)
            return kanon__checked_fail(c, f, b->rows[i], wrong, err);
    }
    return KANON_OK;
}

kanon_status kanon__quasi_check(kanon__arrow_check *c, const kanon__checked_field *f, kanon__checked_range *range,
                                kanon_error *err)
{
    block b;
    int64_t n;
    for (int64_t at = range->begin;; at += n) {
        KANON_CHECK(kanon__checked_block(c, range, at, &n, err));
        if (n == 0)
            break;
        take_block(&b, c, f, at, n);
        KANON_CHECK(f->form == KANON__CHECKED_KEYS    ? check_keys(c, f, &b, err)
                    : f->form == KANON__CHECKED_NODES ? check_nodes(c, f, &b, err)
                                                      : check_values(c, f, &b, err));
    }
    return KANON_OK;
}

/* ---- what groups show, compared ----------------------------------------------------------------------------------- */

static uint64_t hash_value(const kanon__hash_key *key, uint64_t hash, kanon__read_value value)
{
    if (value.kind == KANON__READ_WHOLE) {
        hash = kanon__hash_next(key, hash, (uint64_t)value.whole);
        hash = kanon__hash_next(key, hash, (uint64_t)(value.whole >> 64));
    } else if (value.kind == KANON__READ_REAL) { /* two zeros are one number */
        hash = kanon__hash_next(key, hash, (uint64_t)kanon__read_key_of((kanon__read_shape){.letter = 'f'}, value));
    } else if (value.kind == KANON__READ_TEXT) {
        hash = kanon__hash_next(key, hash, kanon__hash_text(key, value.bytes, value.length));
    }
    return kanon__hash_next(key, hash, value.kind);
}

/* What a group shows, in two numbers or nodes where the column has such; `value` for others. */
typedef struct group_look {
    int64_t keys[2];
    bool null;
    kanon__checked_value value;
} group_look;

static void look_at(group_look *out, const kanon__checked_field *f, int64_t group)
{
    *out = (group_look){.null = true}; /* as where it shows nothing */
    if (f->form == KANON__CHECKED_NODES)
        out->keys[0] = group >= 0 ? f->nodes[group] : -1;
    else if (f->form == KANON__CHECKED_VALUES && group >= 0)
        out->value = f->values[group];
    else if (f->form == KANON__CHECKED_KEYS && group >= 0) {
        out->null = f->nulls[group];
        for (int part = 0; part < f->n_children; part++)
            out->keys[part] = f->keys[group * f->n_children + part];
    }
}

uint64_t kanon__quasi_hash(const kanon__checked_field *f, int64_t group, const kanon__hash_key *key, uint64_t hash)
{
    group_look look;
    look_at(&look, f, group);
    if (f->form == KANON__CHECKED_VALUES)
        return hash_value(key, hash_value(key, hash, look.value.cells[0]), look.value.cells[1]);
    hash = kanon__hash_next(key, hash, (uint64_t)look.keys[0]);
    return kanon__hash_next(key, kanon__hash_next(key, hash, (uint64_t)look.keys[1]), look.null);
}

bool kanon__quasi_equal(const kanon__checked_field *f, int64_t group, int64_t other)
{
    group_look one, two;
    look_at(&one, f, group);
    look_at(&two, f, other);
    if (f->form == KANON__CHECKED_VALUES)
        return kanon__read_equal(one.value.cells[0], two.value.cells[0]) &&
               kanon__read_equal(one.value.cells[1], two.value.cells[1]);
    return one.keys[0] == two.keys[0] && one.keys[1] == two.keys[1] && one.null == two.null;
}
