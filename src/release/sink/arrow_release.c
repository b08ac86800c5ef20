/* Builds the batches of a release in two steps: what every group (or every code, of kept columns) shows is computed once, as
 * a list of entries, one task per column of the table; then each batch is filled, one task per batch.
 *
 *     entries of age_min, by group   22  31  -  45          group_of   0  0  2  1  ...
 *                                                           age_min   22 22  - 31  ... */
#include "release/sink/arrow_release.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "release/extent.h"
#include "release/sink/arrow_kept.h"
#include "release/sink/arrow_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* What a column shows, by group or by code. */
typedef struct entries {
    int width;                 /* bytes of a value; 0: texts */
    char *values;              /* or the bytes of the texts */
    int64_t *ends;             /* of texts: where each ends */
    int64_t n_bytes, capacity; /* of texts, while they are made */
    bool *valid;
    bool all_valid;
    kanon__arrow_memory *labels; /* of a dictionary: offsets and bytes; NULL: none */
    int64_t n_labels;
} entries;

/* Where the rows of a released column come from. */
typedef enum origin {
    BY_GROUP, /* entries, by group */
    BY_CODE,  /* entries, by code */
    CELLS,    /* texts of the source's cells */
    KEPT      /* buffers of an Arrow table */
} origin;

typedef struct released {
    origin origin;
    int number;  /* of the table's column */
    int quasi;   /* its place among the quasi columns; -1: kept */
    bool is_max; /* NAME_max, which is entered with NAME_min, the column before */
    entries entries;
    kanon__arrow_kept kept;
} released;

typedef struct build {
    const kanon__arrow_plan *plan;
    const kanon_table *table;
    const kanon__arrow_source *source; /* NULL: the table is not from Arrow */
    kanon__extents *extents;
    released *columns;
    int n_cells;        /* columns of origin CELLS */
    int64_t *positions; /* of the source's rows, where they are read in another order */
    bool aside;         /* values lie in temporary files */
    kanon__arrow_batches *out;
    kanon__shared_ticker ticker;
} build;

/* ---- entries of categories ---------------------------------------------------------------------------------------- */

/* The labels of the nodes in use, in the order of the tree; `index_of` becomes the number of each. */
static kanon_status make_labels(entries *e, const kanon__taxonomy *t, const bool *used, int32_t *index_of, kanon_error *err)
{
    kanon_status st = KANON_OK;
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
    KANON_TRY(kanon__arrow_memory_new(&e->labels, NULL, err), out);
    KANON_TRY(kanon__new_array(&offsets, e->n_labels + 1, "categories", err), out);
    e->labels->blocks[0] = offsets;
    KANON_TRY(kanon__new_array((char **)&e->labels->blocks[1], n_bytes, "categories", err), out);
    for (int32_t node = 0, i = 0; node < t->n_nodes; node++)
        if (used[node]) {
            const char *label = kanon__taxonomy_label(t, node, &length);
            memcpy((char *)e->labels->blocks[1] + offsets[i], label, length);
            offsets[i + 1] = offsets[i] + (int32_t)length;
            i++;
        }
out:
    return st;
}

/* Entries that show a node each; -1: null. */
static kanon_status enter_nodes(entries *e, const kanon__taxonomy *t, const int32_t *nodes, int64_t n, kanon_error *err)
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

static kanon_status enter_group_categories(const build *b, int quasi, entries *e, kanon_error *err)
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

/* The values of a kept column as they are; only those that occur become categories. */
static kanon_status enter_code_categories(const build *b, const kanon__column *c, entries *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *nodes = NULL;
    uint32_t n = c->domain->n_codes;
    KANON_TRY(kanon__new_array(&nodes, n, "released cells", err), out);
    memset(nodes, 0xff, n * sizeof *nodes);
    for (int64_t row = 0; row < b->table->data.n_rows; row++) {
        uint32_t code = kanon__code_at(c->codes, row);
        nodes[code] = c->domain->taxonomy->leaf_node[code];
    }
    if (c->domain->missing_is_null)
        nodes[c->domain->missing_code] = -1;
    KANON_TRY(enter_nodes(e, c->domain->taxonomy, nodes, n, err), out);
out:
    kanon__free(nodes);
    return st;
}

/* ---- entries of numbers ------------------------------------------------------------------------------------------- */

static kanon_status make_room(entries *e, int64_t n, int width, kanon_error *err)
{
    kanon_status st = kanon__new_array(&e->valid, n, "released cells", err);
    e->width = width;
    if (st == KANON_OK)
        st = kanon__new_array(&e->values, n * width, "released cells", err);
    return st;
}

/* The smallest or the largest number of each group. */
static kanon_status enter_ends(const build *b, int quasi, entries *e, const kanon__arrow_values *values, bool largest,
                               kanon_error *err)
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
static kanon_status enter_band_ends(const build *b, int quasi, entries *e, const kanon__arrow_values *values, bool upper,
                                    kanon_error *err)
{
    const kanon__column *c = kanon__extents_column(b->extents, quasi);
    kanon_status st = make_room(e, b->plan->n_groups, values->type.width, err);
    for (int64_t group = 0; st == KANON_OK && group < b->plan->n_groups; group++) {
        const kanon__extent *extent = &b->extents->cells[quasi][group];
        if (kanon__extents_kind(b->extents, quasi, group) != KANON__CELL_RANGE)
            continue;
        const kanon__band *band = &c->domain->bands[upper ? extent->hi : extent->lo];
        e->valid[group] = !(upper ? band->open_above : band->open_below);
        if (!e->valid[group] ||
            kanon__arrow_values_put_end(values, e->values + group * e->width, c->domain, upper ? band->last : band->first))
            continue;
        st = kanon__fail(err, KANON_EINVAL, "%s: the ends of its bands do not fit the type of the column", c->name);
        kanon__hint(err, st, "give the column a wider type, or release it as text");
        kanon__topic(err, st, "numeric");
    }
    return st;
}

/* The mean of a group as a number: what the text of the CSV release reads as. */
static double mean_of(const build *b, int quasi, int64_t group)
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

static kanon_status enter_means(const build *b, int quasi, entries *e, kanon_error *err)
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

static kanon_status append(entries *e, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&e->values, &e->capacity, e->n_bytes + (int64_t)length, "released cells", err);
    if (st == KANON_OK && length > 0)
        memcpy(e->values + e->n_bytes, text, length);
    if (st == KANON_OK)
        e->n_bytes += (int64_t)length;
    return st;
}

/* "24", or "[22..33]". */
static kanon_status append_interval(entries *e, const kanon__column *c, const kanon__extent *extent, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t length;
    if (c->domain->bands != NULL) {
        char shown[KANON__BAND_TEXT];
        kanon__band_style style = kanon__domain_band_style(c->domain, false);
        length = kanon__band_text(shown, &c->domain->bands[extent->lo], &c->domain->bands[extent->hi], &style);
        return append(e, shown, length, err);
    }
    const char *text = kanon__column_text(c, extent->lo, &length);
    if (extent->lo == extent->hi)
        return append(e, text, length, err);
    KANON_TRY(append(e, "[", 1, err), out);
    KANON_TRY(append(e, text, length, err), out);
    KANON_TRY(append(e, "..", 2, err), out);
    text = kanon__column_text(c, extent->hi, &length);
    KANON_TRY(append(e, text, length, err), out);
    KANON_TRY(append(e, "]", 1, err), out);
out:
    return st;
}

static kanon_status enter_texts(const build *b, int quasi, entries *e, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&e->valid, b->plan->n_groups, "released cells", err), out);
    KANON_TRY(kanon__new_array(&e->ends, b->plan->n_groups, "released cells", err), out);
    for (int64_t group = 0; group < b->plan->n_groups; group++) {
        e->valid[group] = kanon__extents_kind(b->extents, quasi, group) == KANON__CELL_RANGE;
        if (e->valid[group])
            KANON_TRY(append_interval(e, kanon__extents_column(b->extents, quasi), &b->extents->cells[quasi][group], err),
                      out);
        e->ends[group] = e->n_bytes;
    }
out:
    return st;
}

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* NAME_min and NAME_max must not meet a column that is called so already. */
static kanon_status check_name(const kanon_table *t, const char *name, kanon_error *err)
{
    for (int i = 0; i < t->data.n_columns; i++)
        if (t->data.columns[i].role != KANON_ROLE_IDENTIFYING && strcmp(t->data.columns[i].name, name) == 0) {
            kanon_status st = kanon__fail(err, KANON_EINVAL, "%s:1: %s: the release would have two columns of this name",
                                          t->source->name, name);
            kanon__hint(err, st, "choose another numeric form, or rename the column");
            return kanon__topic(err, st, "numeric");
        }
    return KANON_OK;
}

/* One more column, and its field. */
static kanon_status add_column(build *b, origin from, int number, int quasi, const char *suffix, const char *format,
                               const char *entry_format, kanon_error *err)
{
    kanon__arrow_field *field = &b->out->fields[b->out->n_fields];
    kanon_status st = kanon__arrow_field_init(field, b->table->data.columns[number].name, suffix, format, entry_format, err);
    if (st != KANON_OK)
        return st;
    b->columns[b->out->n_fields++] = (released){.origin = from, .number = number, .quasi = quasi};
    return suffix[0] != '\0' ? check_name(b->table, field->name, err) : KANON_OK;
}

static kanon_status add_quasi(build *b, int quasi, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int number = b->table->data.quasi[quasi];
    const kanon__domain *domain = b->table->data.columns[number].domain;
    const char *mean = domain->type != KANON_TYPE_DATE          ? "g"
                       : kanon__value_has_time(&domain->format) ? kanon__arrow_time_format(domain, 0)
                                                                : "tdD";
    if (!kanon__column_is_numeric(kanon__extents_column(b->extents, quasi)))
        return add_column(b, BY_GROUP, number, quasi, "", "i", "u", err);
    if (b->plan->numeric == KANON_ARROW_MEAN)
        return add_column(b, BY_GROUP, number, quasi, "", mean, NULL, err);
    if (b->plan->numeric == KANON_ARROW_TEXT)
        return add_column(b, BY_GROUP, number, quasi, "", "u", NULL, err);
    const char *format = kanon__arrow_values_format(b->table, number);
    KANON_TRY(add_column(b, BY_GROUP, number, quasi, "_min", format, NULL, err), out);
    KANON_TRY(add_column(b, BY_GROUP, number, quasi, "_max", format, NULL, err), out);
    b->columns[b->out->n_fields - 1].is_max = true;
out:
    return st;
}

static kanon_status add_kept(build *b, int number, kanon_error *err)
{
    const kanon__column *c = &b->table->data.columns[number];
    if (b->source != NULL) { /* its field is made with it */
        b->columns[b->out->n_fields++] = (released){.origin = KEPT, .number = number, .quasi = -1};
        return KANON_OK;
    }
    if (c->role != KANON_ROLE_SENSITIVE) {
        b->n_cells++;
        return add_column(b, CELLS, number, -1, "", "u", NULL, err);
    }
    if (!kanon__column_is_numeric(c))
        return add_column(b, BY_CODE, number, -1, "", "i", "u", err);
    return add_column(b, BY_CODE, number, -1, "", kanon__arrow_values_format(b->table, number), NULL, err);
}

static kanon_status add_columns(build *b, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *d = &b->table->data;
    KANON_TRY(kanon__new_array(&b->columns, 2 * (int64_t)d->n_columns, "released columns", err), out);
    KANON_TRY(kanon__new_array(&b->out->fields, 2 * (int64_t)d->n_columns, "released columns", err), out);
    for (int i = 0, quasi = 0; i < d->n_columns; i++) {
        if (d->columns[i].role == KANON_ROLE_QUASI)
            KANON_TRY(add_quasi(b, quasi++, err), out);
        else if (d->columns[i].role != KANON_ROLE_IDENTIFYING)
            KANON_TRY(add_kept(b, i, err), out);
    }
out:
    return st;
}

/* ---- entries of columns ------------------------------------------------------------------------------------------- */

/* NAME_min and NAME_max. */
static kanon_status enter_interval(const build *b, released *min, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_values values = {0};
    if (b->table->data.columns[min->number].domain->bands != NULL) {
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

static kanon_status enter_quasi(const build *b, released *c, kanon_error *err)
{
    if (!kanon__column_is_numeric(kanon__extents_column(b->extents, c->quasi)))
        return enter_group_categories(b, c->quasi, &c->entries, err);
    if (b->plan->numeric == KANON_ARROW_MEAN)
        return enter_means(b, c->quasi, &c->entries, err);
    return b->plan->numeric == KANON_ARROW_TEXT ? enter_texts(b, c->quasi, &c->entries, err) : enter_interval(b, c, err);
}

/* A sensitive column of a table that is not from Arrow. */
static kanon_status enter_sensitive(const build *b, released *column, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__column *c = &b->table->data.columns[column->number];
    entries *e = &column->entries;
    kanon__arrow_values values = {0};
    if (!kanon__column_is_numeric(c))
        return enter_code_categories(b, c, e, err);
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

static void find_nulls(const build *b, released *c)
{
    int64_t n = c->origin == BY_GROUP ? b->plan->n_groups : b->table->data.columns[c->number].domain->n_codes;
    c->entries.all_valid = memchr(c->entries.valid, 0, (size_t)n) == NULL;
}

static kanon_status enter_column(int64_t i, void *payload, kanon_error *err)
{
    kanon_status st = KANON_OK;
    build *b = payload;
    released *c = &b->columns[i];
    if (c->is_max || c->origin == CELLS)
        return KANON_OK;
    if (c->origin == KEPT)
        return kanon__arrow_kept_init(&c->kept, &b->out->fields[i], b->table, c->number, b->plan->order, err);
    KANON_TRY(c->origin == BY_GROUP ? enter_quasi(b, c, err) : enter_sensitive(b, c, err), out);
    find_nulls(b, c);
    if (i + 1 < b->out->n_fields && c[1].is_max)
        find_nulls(b, &c[1]);
out:
    return st;
}

/* ---- a batch of entries ------------------------------------------------------------------------------------------- */

/* The rows of a batch, as numbers in the order of the release. */
typedef struct range {
    int64_t begin, n;
} range;

static inline int64_t row_at(const build *b, int64_t i)
{
    return b->plan->order != NULL ? b->plan->order[i] : i;
}

/* The entry that a row shows; -1: null. */
static inline int64_t entry_of(const build *b, const released *c, int64_t row)
{
    int64_t entry = c->origin == BY_GROUP ? b->plan->group_of[row]
                                          : (int64_t)kanon__code_at(b->table->data.columns[c->number].codes, row);
    return entry >= 0 && (c->entries.all_valid || c->entries.valid[entry]) ? entry : -1;
}

static inline void set_bit(uint8_t *bits, int64_t i)
{
    bits[i >> 3] = (uint8_t)(bits[i >> 3] | 1u << (i & 7));
}

enum { CHUNK = 1024 }; /* rows whose entries are looked up before any of them is copied; whole bytes of validity */

/* The entries of n rows from the i-th of the release on. */
static void find_entries(int32_t *found, const build *b, const released *c, int64_t i, int64_t n)
{
    for (int64_t at = 0; at < n; at++)
        found[at] = (int32_t)entry_of(b, c, row_at(b, i + at));
}

/* Set the bit of each row that has one; returns how many have none. */
static int64_t mark_entries(uint8_t *bits, const int32_t *found, int64_t n)
{
    int64_t n_null = 0;
    for (int64_t i = 0; i < n; i += 8) {
        unsigned byte = 0, n_bits = n - i < 8 ? (unsigned)(n - i) : 8;
        for (unsigned bit = 0; bit < n_bits; bit++)
            byte |= (unsigned)(found[i + bit] >= 0) << bit;
        bits[i / 8] = (uint8_t)byte;
        n_null += n_bits - (unsigned)__builtin_popcount(byte);
    }
    return n_null;
}

#define COPY_ENTRIES(type)                                                                                                  \
    for (int64_t i = 0; i < n; i++) {                                                                                       \
        if (found[i] >= 0)                                                                                                  \
            memcpy(to + i * (int64_t)sizeof(type), values + (int64_t)found[i] * (int64_t)sizeof(type), sizeof(type));       \
    }

/* What stands at nulls stays zero. */
static void copy_entries(char *to, const char *values, int width, const int32_t *found, int64_t n)
{
    switch (width) {
    case 1:
        COPY_ENTRIES(int8_t)
        break;
    case 2:
        COPY_ENTRIES(int16_t)
        break;
    case 4:
        COPY_ENTRIES(int32_t)
        break;
    case 8:
        COPY_ENTRIES(int64_t)
        break;
    default:
        COPY_ENTRIES(__int128)
    }
}

static void fill_values(const build *b, const released *c, range r, void *const *blocks, int64_t *n_null)
{
    int width = c->entries.width;
    int32_t found[CHUNK];
    for (int64_t first = 0, n; first < r.n; first += n) {
        n = r.n - first < CHUNK ? r.n - first : CHUNK;
        find_entries(found, b, c, r.begin + first, n);
        *n_null += mark_entries((uint8_t *)blocks[0] + first / 8, found, n);
        copy_entries((char *)blocks[1] + first * width, c->entries.values, width, found, n);
    }
}

static kanon_status fail_too_long(const build *b, const released *c, kanon_error *err)
{
    return kanon__fail(err, KANON_EDATA, "column %s: more than 2 GB of text in %d records",
                       b->table->data.columns[c->number].name, KANON__ARROW_BATCH_ROWS);
}

static kanon_status fill_texts(const build *b, const released *c, range r, void **blocks, int64_t *n_null, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const entries *e = &c->entries;
    int32_t *offsets = NULL;
    int64_t n_bytes = 0;
    KANON_TRY(kanon__new_array((uint8_t **)&blocks[0], r.n / 8 + 1, "released records", err), out);
    KANON_TRY(kanon__new_array(&offsets, r.n + 1, "released records", err), out);
    blocks[1] = offsets;
    for (int64_t i = 0; i < r.n; i++) {
        int64_t entry = entry_of(b, c, row_at(b, r.begin + i));
        *n_null += entry < 0;
        if (entry >= 0) {
            n_bytes += e->ends[entry] - (entry > 0 ? e->ends[entry - 1] : 0);
            set_bit(blocks[0], i);
        }
        if (n_bytes > INT32_MAX) {
            st = fail_too_long(b, c, err);
            goto out;
        }
        offsets[i + 1] = (int32_t)n_bytes;
    }
    KANON_TRY(kanon__new_array((char **)&blocks[2], n_bytes, "released records", err), out);
    for (int64_t i = 0; i < r.n; i++) {
        int64_t entry = entry_of(b, c, row_at(b, r.begin + i));
        if (entry >= 0)
            memcpy((char *)blocks[2] + offsets[i], e->values + (entry > 0 ? e->ends[entry - 1] : 0),
                   (size_t)(offsets[i + 1] - offsets[i]));
    }
out:
    return st;
}

static kanon_status add_dictionary(struct ArrowArray *array, const entries *e, kanon_error *err)
{
    const void *buffers[3] = {NULL, e->labels->blocks[0], e->labels->blocks[1]};
    struct ArrowArray dictionary;
    kanon_status st = kanon__arrow_array_init(&dictionary, kanon__arrow_memory_share(e->labels), e->n_labels, 0, buffers, 3,
                                              err);
    if (st == KANON_OK)
        kanon__arrow_array_adopt(array, &dictionary);
    return st;
}

/* Values on the heap. */
static kanon_status make_values(const build *b, const released *c, range r, void **blocks, int64_t *n_null, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array((uint8_t **)&blocks[0], r.n / 8 + 1, "released records", err), out);
    KANON_TRY(kanon__new_array((char **)&blocks[1], r.n * c->entries.width, "released records", err), out);
    fill_values(b, c, r, blocks, n_null);
out:
    return st;
}

/* `aside` (may be NULL): where the values of the batch lie. */
static kanon_status fill_entries(const build *b, const released *c, range r, kanon__arrow_memory *aside,
                                 struct ArrowArray *out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_memory *memory = NULL;
    void *taken[3] = {NULL}, **blocks = taken;
    int64_t n_null = 0;
    bool texts = c->entries.width == 0;
    if (aside != NULL && !texts) {
        memory = kanon__arrow_memory_share(aside);
        kanon__arrow_aside_take(&blocks[0], &blocks[1], memory, r.n, c->entries.width);
        fill_values(b, c, r, blocks, &n_null);
    } else {
        KANON_TRY(kanon__arrow_memory_new(&memory, NULL, err), out);
        blocks = memory->blocks;
        KANON_TRY(texts ? fill_texts(b, c, r, blocks, &n_null, err) : make_values(b, c, r, blocks, &n_null, err), out);
    }
    const void *buffers[3] = {n_null > 0 ? blocks[0] : NULL, blocks[1], blocks[2]};
    kanon__arrow_memory *given = memory;
    memory = NULL;
    KANON_TRY(kanon__arrow_array_init(out, given, r.n, n_null, buffers, texts ? 3 : 2, err), out);
    if (c->entries.labels != NULL)
        KANON_TRY(add_dictionary(out, &c->entries, err), out);
out:
    kanon__arrow_memory_free(memory);
    return st;
}

/* ---- a batch of cells --------------------------------------------------------------------------------------------- */

/* The text of a column while its rows are read. */
typedef struct text_column {
    const released *column;
    struct ArrowArray *out;
    int32_t *offsets;
    char *bytes;
    int64_t n_bytes, capacity;
} text_column;

static kanon_status take_cell(const build *b, text_column *t, const kanon__cell *cell, int64_t i, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&t->bytes, &t->capacity, t->n_bytes + (int64_t)cell->length, "released records",
                                        err);
    if (st != KANON_OK)
        return st;
    t->n_bytes += (int64_t)kanon__csv_unescape(t->bytes + t->n_bytes, cell);
    if (t->n_bytes > INT32_MAX)
        return fail_too_long(b, t->column, err);
    t->offsets[i + 1] = (int32_t)t->n_bytes;
    return KANON_OK;
}

static kanon_status read_on(kanon__cursor *cursor, kanon_error *err)
{
    bool has_row;
    kanon_status st = cursor->source->class->next(cursor, &has_row, err);
    if (st == KANON_OK && !has_row)
        st = kanon__fail(err, KANON_EINTERNAL, "%s ended early when it was read again", cursor->source->name);
    return st;
}

/* Go to the first row of a batch: to the part it is in, and on from there. */
static kanon_status go_to(const build *b, kanon__cursor *cursor, int64_t row, kanon_error *err)
{
    const kanon__source *source = b->table->source;
    int64_t low = 0, high = source->n_parts;
    while (high - low > 1) { /* part_rows[low] <= row */
        int64_t middle = low + (high - low) / 2;
        if (source->part_rows[middle] <= row)
            low = middle;
        else
            high = middle;
    }
    kanon_status st = KANON_OK;
    source->class->seek(cursor, source->part_rows[low], NULL);
    for (int64_t at = source->part_rows[low]; st == KANON_OK && at < row; at++)
        st = read_on(cursor, err);
    return st;
}

static kanon_status read_cells(const build *b, range r, text_column *texts, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__source_class *class = b->table->source->class;
    kanon__cursor *cursor = NULL;
    KANON_TRY(class->open(&cursor, b->table->source, err), out);
    if (b->plan->order == NULL && r.n > 0)
        KANON_TRY(go_to(b, cursor, r.begin, err), out);
    for (int64_t i = 0; i < r.n; i++) {
        if (b->plan->order != NULL)
            class->seek(cursor, b->plan->order[r.begin + i], b->positions);
        KANON_TRY(read_on(cursor, err), out);
        for (int c = 0; c < b->n_cells; c++)
            KANON_TRY(take_cell(b, &texts[c], &cursor->cells[texts[c].column->number], i, err), out);
    }
out:
    if (cursor != NULL)
        class->close(cursor);
    return st;
}

static kanon_status finish_cells(text_column *t, int64_t n, kanon_error *err)
{
    kanon__arrow_memory *memory = NULL;
    kanon_status st = kanon__arrow_memory_new(&memory, NULL, err);
    if (st != KANON_OK)
        return st;
    const void *buffers[3] = {NULL, t->offsets, t->bytes};
    memory->blocks[0] = t->offsets;
    memory->blocks[1] = t->bytes;
    t->offsets = NULL;
    t->bytes = NULL;
    return kanon__arrow_array_init(t->out, memory, n, 0, buffers, 3, err);
}

/* All columns of cells of a batch, so that its rows are read once. */
static kanon_status fill_cells(const build *b, range r, struct ArrowArray *batch, kanon_error *err)
{
    kanon_status st = KANON_OK;
    text_column *texts = NULL;
    int n = 0;
    KANON_TRY(kanon__new_array(&texts, b->n_cells, "released records", err), out);
    for (int i = 0; i < b->out->n_fields; i++) {
        if (b->columns[i].origin != CELLS)
            continue;
        text_column *t = &texts[n++];
        *t = (text_column){.column = &b->columns[i], .out = batch->children[i]};
        KANON_TRY(kanon__new_array(&t->offsets, r.n + 1, "released records", err), out);
        KANON_TRY(kanon__grow_array(&t->bytes, &t->capacity, 1, "released records", err), out);
    }
    KANON_TRY(read_cells(b, r, texts, err), out);
    for (int i = 0; i < b->n_cells; i++)
        KANON_TRY(finish_cells(&texts[i], r.n, err), out);
out:
    for (int i = 0; i < n; i++) {
        kanon__free(texts[i].bytes);
        kanon__free(texts[i].offsets);
    }
    kanon__free(texts);
    return st;
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

static range range_of(const build *b, int64_t batch)
{
    if (b->source != NULL)
        return (range){b->source->batch_rows[batch], b->source->batch_rows[batch + 1] - b->source->batch_rows[batch]};
    int64_t begin = batch * KANON__ARROW_BATCH_ROWS, left = b->table->data.n_rows - begin;
    return (range){begin, left < KANON__ARROW_BATCH_ROWS ? left : KANON__ARROW_BATCH_ROWS};
}

static kanon_status fill_column(const build *b, const released *c, int64_t batch, range r, kanon__arrow_memory *aside,
                                struct ArrowArray *out, kanon_error *err)
{
    if (c->origin == CELLS)
        return KANON_OK;
    if (c->origin != KEPT)
        return fill_entries(b, c, r, aside, out, err);
    if (b->plan->order != NULL)
        return kanon__arrow_kept_rows(out, &c->kept, b->plan->order + r.begin, r.n, err);
    kanon_status st = kanon__arrow_kept_batch(out, &c->kept, batch, err);
    if (st == KANON_OK)
        kanon__arrow_array_rests_with(out, b->source->batches[batch].children[c->number]);
    return st;
}

/* What the values of a batch of so many rows take. */
static size_t values_size(const build *b, int64_t n)
{
    size_t size = 0;
    for (int i = 0; i < b->out->n_fields; i++)
        if ((b->columns[i].origin == BY_GROUP || b->columns[i].origin == BY_CODE) && b->columns[i].entries.width > 0)
            size += kanon__arrow_aside_size(n, b->columns[i].entries.width);
    return size;
}

static kanon_status fill_batch(int64_t number, void *payload, kanon_error *err)
{
    enum { WORTH_A_LOOK = 10 * 1000 * 1000 }; /* at the clock: a batch takes some milliseconds */
    kanon_status st = KANON_OK;
    build *b = payload;
    range r = range_of(b, number);
    struct ArrowArray *batch = &b->out->batches[number];
    kanon__arrow_memory *aside = NULL;
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &b->ticker);
    KANON_TRY(kanon__tick(&ticker, 0, 0, WORTH_A_LOOK, err), out);
    KANON_TRY(kanon__arrow_array_init_struct(batch, r.n, b->out->n_fields, err), out);
    if (b->aside)
        KANON_TRY(kanon__arrow_memory_new_aside(&aside, values_size(b, r.n), err), out);
    for (int i = 0; i < b->out->n_fields; i++) {
        KANON_TRY(fill_column(b, &b->columns[i], number, r, aside, batch->children[i], err), out);
        kanon__arrow_array_rest(batch->children[i]);
    }
    if (b->n_cells > 0)
        KANON_TRY(fill_cells(b, r, batch, err), out);
    kanon__shared_ticker_add(&b->ticker, r.n);
out:
    kanon__arrow_memory_free(aside);
    return st;
}

static kanon_status fill_batches(build *b, kanon_error *err)
{
    enum { WORTH_A_FILE = 1 << 20 }; /* bytes of values */
    kanon_status st = KANON_OK;
    const kanon__source *source = b->table->source;
    int64_t n = b->source != NULL ? b->source->n_batches
                                  : (b->table->data.n_rows + KANON__ARROW_BATCH_ROWS - 1) / KANON__ARROW_BATCH_ROWS;
    if (b->plan->order != NULL && b->n_cells > 0 && source->class->locate != NULL)
        KANON_TRY(source->class->locate(&b->positions, source, b->plan->threads, err), out);
    KANON_TRY(kanon__new_array(&b->out->batches, n, "Arrow batches", err), out);
    b->out->n_batches = n;
    b->aside = b->plan->aside && values_size(b, b->table->data.n_rows) > WORTH_A_FILE;
    kanon__shared_ticker_init(&b->ticker, b->plan->ticker, b->table->data.n_rows);
    st = kanon__pool_run(b->plan->threads, n, fill_batch, b, err);
    kanon__shared_ticker_clear(&b->ticker);
out:
    return st;
}

static void clear_columns(build *b)
{
    for (int i = 0; b->columns != NULL && i < b->out->n_fields; i++) {
        released *c = &b->columns[i];
        if (c->origin == KEPT)
            kanon__arrow_kept_clear(&c->kept);
        kanon__arrow_memory_free(c->entries.labels);
        kanon__free(c->entries.valid);
        kanon__free(c->entries.ends);
        kanon__free(c->entries.values);
    }
    kanon__free(b->columns);
}

kanon_status kanon__arrow_release_new(kanon__arrow_batches **out, const kanon__arrow_plan *plan, kanon_error *err)
{
    kanon_status st = KANON_OK;
    build b = {.plan = plan, .table = plan->table, .source = kanon__arrow_source_of(plan->table->source)};
    *out = NULL;
    KANON_TRY(kanon__new_array(&b.out, 1, "Arrow batches", err), out);
    KANON_TRY(kanon__extents_new(&b.extents, &plan->table->data, plan->group_of, plan->n_groups, plan->recode_map,
                                 plan->numeric == KANON_ARROW_MEAN, plan->threads, err),
              out);
    KANON_TRY(add_columns(&b, err), out);
    KANON_TRY(kanon__pool_run(plan->threads, b.out->n_fields, enter_column, &b, err), out);
    KANON_TRY(fill_batches(&b, err), out);
    *out = b.out;
out:
    if (b.out != NULL)
        clear_columns(&b);
    if (st != KANON_OK)
        kanon__arrow_batches_free(b.out);
    kanon__free(b.positions);
    kanon__extents_free(b.extents);
    return st;
}
