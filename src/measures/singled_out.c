/* See singled_out.h. Rows whose quasi cells look alike are one class, also where they are of different groups. */
#include "measures/singled_out.h"
#include "measures/measure.h"
#include "measures/source_columns.h"
#include "measures/whole_row.h"

#include "core/alloc.h"
#include "table/value/dictionary.h"

#include <math.h>
#include <string.h>

/* ---- what groups look like --------------------------------------------------------------------------------------- */

/* What a cell shows: nothing, as those of suppressed records; codes from the first to the last; a node; drawn ends. Equal
 * looks are equal bytes. */
enum { LOOKS_ANY, LOOKS_CODES, LOOKS_NODE, LOOKS_DRAWN };

typedef struct look {
    int64_t kind, first, last;
} look;

/* `drawn`: the ends of the group, or NULL. */
static look look_of(const kanon__column *c, const uint32_t extent[2], const int64_t *drawn)
{
    const kanon__taxonomy *t = c->domain->taxonomy;
    size_t length;
    if (kanon__column_is_numeric(c)) {
        if (kanon__shows_nothing(c, extent))
            return (look){.kind = LOOKS_ANY};
        if (drawn != NULL && extent[1] != c->domain->missing_code && drawn[0] <= drawn[1])
            return (look){LOOKS_DRAWN, drawn[0], drawn[1]};
        return (look){LOOKS_CODES, extent[0], extent[1]};
    }
    int32_t node = kanon__taxonomy_lca(t, (int32_t)extent[0], (int32_t)extent[1]);
    const char *label = kanon__taxonomy_label(t, node, &length);
    return length == 1 && label[0] == '*' ? (look){.kind = LOOKS_ANY} : (look){LOOKS_NODE, node, node};
}

/* By group, its look in each quasi attribute; suppressed records are the group after the last. */
static kanon_status find_looks(look **out, const kanon__data *data, const kanon_grouping *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t *extents = NULL;
    KANON_TRY(kanon__new_array(out, (g->n_groups + 1) * data->n_quasi, "what groups show", err), out); /* all say nothing */
    for (int i = 0; i < data->n_quasi; i++) {
        const kanon__column *c = &data->columns[data->quasi[i]];
        const int64_t *drawn = kanon__grouping_drawn(g, c);
        KANON_TRY(kanon__grouping_extents(&extents, g, c, err), out);
        for (int64_t group = 0; group < g->n_groups; group++)
            (*out)[group * data->n_quasi + i] = look_of(c, extents + 2 * group, drawn != NULL ? drawn + 2 * group : NULL);
        kanon__free(extents);
        extents = NULL;
    }
out:
    kanon__free(extents);
    return st;
}

/* By group its class, where groups that look alike are one. */
static kanon_status number_looks(int32_t **out, int64_t *n, const kanon__data *data, const kanon_grouping *g,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__dictionary classes = {0};
    look *looks = NULL;
    size_t size = (size_t)data->n_quasi * sizeof *looks;
    KANON_TRY(kanon__dictionary_init(&classes, err), out);
    KANON_TRY(kanon__new_array(out, g->n_groups + 1, "what groups show", err), out);
    KANON_TRY(find_looks(&looks, data, g, err), out);
    for (int64_t group = 0; group <= g->n_groups; group++) {
        uint32_t code;
        const char *shown = (const char *)(looks + group * data->n_quasi);
        KANON_TRY(kanon__dictionary_add(&classes, &code, shown, size, err), out);
        (*out)[group] = (int32_t)code;
    }
    *n = classes.n;
out:
    kanon__free(looks);
    kanon__dictionary_clear(&classes);
    return st;
}

kanon_status kanon__looks_of_rows(int32_t **class_of, int64_t *n, const kanon__data *data, const kanon_grouping *g,
                                  bool kept, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *looks = NULL;
    *n = g->n_groups;
    KANON_TRY(kanon__new_array(class_of, g->n_rows, "classes of rows", err), out);
    if (g->shows != NULL) {
        memcpy(*class_of, g->group_of, (size_t)g->n_rows * sizeof **class_of);
        goto out;
    }
    KANON_TRY(number_looks(&looks, n, data, g, err), out);
    for (int64_t row = 0; row < g->n_rows; row++)
        (*class_of)[row] = g->group_of[row] >= 0 ? looks[g->group_of[row]] : kept ? looks[g->n_groups] : -1;
out:
    kanon__free(looks);
    return st;
}

/* ---- rows that are singled out ----------------------------------------------------------------------------------- */

/* Whether the columns that are not encoded may be read. Their texts take no more than the source. */
static bool has_memory(const kanon_table *t)
{
    enum { BYTES_PER_ROW = 64, SHARE = 2 };
    return t->memory == 0 ||
           (double)t->source->size + (double)BYTES_PER_ROW * (double)t->data.n_rows <= (double)t->memory / SHARE;
}

static kanon_status list_columns(kanon__singled_out *found, const kanon__data *data, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__new_array(&found->columns, data->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&found->shares, data->n_columns, "columns", err), out);
    for (int i = 0; i < data->n_columns; i++)
        if (kanon__column_is_kept(&data->columns[i])) {
            found->shares[found->n_columns] = NAN;
            found->columns[found->n_columns++] = i;
        }
out:
    return st;
}

/* Columns while they are added. */
typedef struct adding {
    kanon__singled_out *found;
    kanon__row_numbers *insensitive; /* NULL: not wanted */
    kanon__whole_row *row;
    const kanon_table *table;
    const kanon__permutation *permutation;
    const int *places; /* of what is read: by number the place in `found` */
} adding;

/* The codes that the rows show; the caller clears them. */
static kanon_status permute(kanon__codes *out, kanon__codes codes, uint32_t n_codes, const int32_t *from, int64_t n_rows,
                            kanon_error *err)
{
    KANON_CHECK(kanon__codes_new(out, n_rows, n_codes, false, err));
    for (int64_t row = 0; row < n_rows; row++)
        kanon__code_set(*out, row, kanon__code_at(codes, from[row]));
    return KANON_OK;
}

static kanon_status add_column(const adding *a, int place, kanon__codes codes, uint32_t n_codes, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int column = a->found->columns[place];
    const kanon__column *c = &a->table->data.columns[column];
    const kanon__permuted_column *permuted = kanon__permuted(a->permutation, column);
    kanon__codes shown = {0};
    if (permuted != NULL)
        KANON_TRY(permute(&shown, codes, n_codes, permuted->from, a->table->data.n_rows, err), out);
    KANON_TRY(kanon__whole_row_add(a->row, &a->found->shares[place], permuted != NULL ? shown : codes, n_codes,
                                   c->permuted, err),
              out);
    if (a->insensitive != NULL && c->role == KANON_ROLE_INSENSITIVE && !c->permuted)
        KANON_TRY(kanon__row_numbers_add(a->insensitive, codes, err), out);
out:
    kanon__codes_clear(&shown);
    return st;
}

static kanon_status add_unread(void *payload, int i, kanon__codes codes, uint32_t n_codes, kanon_error *err)
{
    const adding *a = payload;
    return add_column(a, a->places[i], codes, n_codes, err);
}

/* The columns that have codes, and then the others. */
static kanon_status add_columns(adding *a, int threads, kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *data = &a->table->data;
    int *unread = NULL, *places = NULL, n_unread = 0;
    KANON_TRY(kanon__new_array(&unread, a->found->n_columns, "columns", err), out);
    KANON_TRY(kanon__new_array(&places, a->found->n_columns, "columns", err), out);
    for (int i = 0; i < a->found->n_columns; i++) {
        const kanon__column *c = &data->columns[a->found->columns[i]];
        if (c->domain != NULL) {
            KANON_TRY(add_column(a, i, c->codes, c->domain->n_codes, err), out);
        } else {
            places[n_unread] = i;
            unread[n_unread++] = a->found->columns[i];
        }
    }
    a->places = places;
    if (data->n_rows > 0)
        KANON_TRY(
            kanon__source_columns(a->table->source, data->n_rows, unread, n_unread, threads, ticker, add_unread, a, err),
            out);
out:
    kanon__free(places);
    kanon__free(unread);
    return st;
}

kanon_status kanon__singled_out_find(kanon__singled_out *out, kanon__row_numbers *insensitive, const kanon_table *t,
                                     const kanon_grouping *g, const kanon__permutation *permutation, int threads,
                                     kanon__ticker *ticker, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__whole_row *w = NULL;
    int32_t *class_of = NULL;
    int64_t n_classes = 0;
    *out = (kanon__singled_out){.is_counted = has_memory(t), .all = NAN};
    KANON_TRY(list_columns(out, &t->data, err), out);
    if (!out->is_counted)
        goto out;
    KANON_TRY(kanon__looks_of_rows(&class_of, &n_classes, &t->data, g, t->policy.keep_suppressed, err), out);
    KANON_TRY(kanon__whole_row_new(&w, class_of, g->n_rows, n_classes, t->data.has_entity ? &t->data.entity_codes : NULL,
                                   ticker, err),
              out);
    if (insensitive != NULL)
        KANON_TRY(kanon__row_numbers_new(insensitive, t->data.n_rows, err), out);
    adding a = {.found = out, .insensitive = insensitive, .row = w, .table = t, .permutation = permutation};
    KANON_TRY(add_columns(&a, threads, ticker, err), out);
    out->all = kanon__whole_row_all(w);
out:
    kanon__whole_row_free(w);
    kanon__free(class_of);
    if (st != KANON_OK)
        kanon__singled_out_clear(out);
    return st;
}

void kanon__singled_out_clear(kanon__singled_out *found)
{
    kanon__free(found->shares);
    kanon__free(found->columns);
    *found = (kanon__singled_out){0};
}

/* ---- the measures ------------------------------------------------------------------------------------------------ */

static kanon_status singled_out(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)err;
    *out = s->singled_out->shares[i];
    return KANON_OK;
}

const kanon__measure kanon__measure_singled_out = {
    KANON__MEASURE_INFO(singled_out, RELEASED,
                        "released rows that no other, or with entities no other person's, equals on the released quasi "
                        "cells and this column / released rows"),
    .compute = singled_out,
};

static kanon_status singled_out_all(double *out, const kanon__subject *s, int i, kanon_error *err)
{
    (void)i;
    (void)err;
    *out = s->singled_out->all;
    return KANON_OK;
}

const kanon__measure kanon__measure_singled_out_all = {
    KANON__MEASURE_INFO(singled_out_all, TABLE,
                        "released rows that no other, or with entities no other person's, equals on the released quasi "
                        "cells and all columns that are released as they are / released rows"),
    .compute = singled_out_all,
};
