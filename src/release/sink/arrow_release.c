/* Builds the batches of a release in two steps: what every group (or every code, of kept columns) shows is computed once, as
 * a list of entries, one task per column of the table; then each batch is filled, one task per batch. arrow_build.h lists
 * the parts. */
#include "release/sink/arrow_release.h"

#include "core/alloc.h"
#include "core/arrow_block.h"
#include "core/pool.h"
#include "release/sink/arrow_build.h"
#include "release/sink/arrow_values.h"
#include "release/writer.h"

/* ---- columns ------------------------------------------------------------------------------------------------------ */

/* One more column, and its field. */
static kanon_status add_column(kanon__arrow_build *b, kanon__arrow_origin from, int number, int quasi, const char *suffix,
                               const char *format, const char *entry_format, kanon_error *err)
{
    kanon__arrow_field *field = &b->out->fields[b->out->n_fields];
    KANON_CHECK(kanon__arrow_field_init(field, b->table->data.columns[number].name, suffix, format, entry_format, err));
    b->columns[b->out->n_fields++] = (kanon__arrow_released){.origin = from, .number = number, .quasi = quasi};
    return suffix[0] != '\0' ? kanon__released_name_is_free(b->table, field->name, err) : KANON_OK;
}

static kanon_status add_quasi(kanon__arrow_build *b, int quasi, kanon_error *err)
{
    int number = b->table->data.quasi[quasi];
    const kanon__domain *domain = b->table->data.columns[number].domain;
    const char *mean = domain->type != KANON_TYPE_DATE          ? "g"
                       : kanon__value_has_time(&domain->format) ? kanon__arrow_time_format(domain, 0)
                                                                : "tdD";
    if (kanon__arrow_is_truth(b->table, number))
        return add_column(b, KANON__ARROW_BY_GROUP, number, quasi, "", "b", NULL, err);
    if (!kanon__column_is_numeric(kanon__extents_column(b->extents, quasi)))
        return add_column(b, KANON__ARROW_BY_GROUP, number, quasi, "", "i", "u", err);
    if (kanon__arrow_shows_means(b, &b->table->data.columns[number]))
        return add_column(b, KANON__ARROW_BY_GROUP, number, quasi, "", mean, NULL, err);
    if (b->plan->numeric == KANON_NUMERIC_INTERVAL)
        return add_column(b, KANON__ARROW_BY_GROUP, number, quasi, "", "u", NULL, err);
    bool levels = domain->type == KANON_TYPE_ORDINAL; /* an ordered dictionary of all of them */
    const char *format = levels ? "i" : kanon__arrow_values_format(b->table, number), *entries = levels ? "u" : NULL;
    for (int i = 0; i < 2; i++) {
        KANON_CHECK(add_column(b, KANON__ARROW_BY_GROUP, number, quasi, i == 0 ? "_min" : "_max", format, entries, err));
        b->out->fields[b->out->n_fields - 1].flags |= levels ? ARROW_FLAG_DICTIONARY_ORDERED : 0;
    }
    b->columns[b->out->n_fields - 1].is_max = true;
    return KANON_OK;
}

static kanon_status add_kept(kanon__arrow_build *b, int number, kanon_error *err)
{
    const kanon__column *c = &b->table->data.columns[number];
    if (b->source != NULL) { /* its field is made with it */
        b->columns[b->out->n_fields++] = (kanon__arrow_released){.origin = KANON__ARROW_KEPT, .number = number, .quasi = -1};
        return KANON_OK;
    }
    /* levels are texts, as categories are */
    if (c->role != KANON_ROLE_SENSITIVE || !kanon__type_has_mean(c->domain->type)) {
        b->n_cells++;
        return add_column(b, KANON__ARROW_CELLS, number, -1, "", "u", NULL, err);
    }
    return add_column(b, KANON__ARROW_BY_CODE, number, -1, "", kanon__arrow_values_format(b->table, number), NULL, err);
}

static kanon_status add_columns(kanon__arrow_build *b, kanon_error *err)
{
    const kanon__data *d = &b->table->data;
    KANON_CHECK(kanon__new_array(&b->columns, 2 * (int64_t)d->n_columns, "released columns", err));
    KANON_CHECK(kanon__new_array(&b->out->fields, 2 * (int64_t)d->n_columns, "released columns", err));
    for (int i = 0, quasi = 0; i < d->n_columns; i++) {
        if (d->columns[i].role == KANON_ROLE_QUASI)
            KANON_CHECK(add_quasi(b, quasi++, err));
        else if (d->columns[i].role != KANON_ROLE_IDENTIFYING)
            KANON_CHECK(add_kept(b, i, err));
    }
    for (int i = 0; i < b->out->n_fields; i++)
        if (b->columns[i].quasi < 0)
            b->columns[i].permuted = kanon__permuted(b->plan->permutation, b->columns[i].number);
    return KANON_OK;
}

/* ---- batches ------------------------------------------------------------------------------------------------------ */

/* Where no row stays out, there is a batch for each of the input. */
static bool has_batches_of_input(const kanon__arrow_build *b)
{
    return b->source != NULL && b->plan->n_left_out == 0;
}

static kanon__arrow_range range_of(const kanon__arrow_build *b, int64_t batch)
{
    if (has_batches_of_input(b))
        return (kanon__arrow_range){b->source->batch_rows[batch],
                                    b->source->batch_rows[batch + 1] - b->source->batch_rows[batch]};
    int64_t begin = batch * KANON__ARROW_BATCH_ROWS, left = b->n_released - begin;
    return (kanon__arrow_range){begin, left < KANON__ARROW_BATCH_ROWS ? left : KANON__ARROW_BATCH_ROWS};
}

static kanon_status fill_column(const kanon__arrow_build *b, const kanon__arrow_released *c, int64_t batch,
                                kanon__arrow_range r, struct ArrowArray *out, kanon_error *err)
{
    if (c->origin == KANON__ARROW_CELLS)
        return KANON_OK;
    if (c->origin != KANON__ARROW_KEPT)
        return kanon__arrow_fill_entries(b, c, r, out, err);
    if (c->rows != NULL)
        return kanon__arrow_kept_rows(out, &c->kept, c->rows + r.begin, r.n, err);
    if (b->plan->order != NULL)
        return kanon__arrow_kept_rows(out, &c->kept, b->plan->order + r.begin, r.n, err);
    const struct ArrowArray *given = b->source->batches[batch].children[c->number];
    kanon_status st = kanon__arrow_kept_batch(out, &c->kept, batch, err);
    if (st == KANON_OK)
        kanon__arrow_array_rests_with(out, given);
    kanon__arrow_array_rest(given);
    return st;
}

static kanon_status fill_batch(int64_t number, void *payload, kanon_error *err)
{
    enum { WORTH_A_LOOK = 10 * 1000 * 1000 }; /* at the clock: a batch takes some milliseconds */
    kanon__arrow_build *b = payload;
    kanon__arrow_range r = range_of(b, number);
    struct ArrowArray *batch = &b->out->batches[number];
    kanon__ticker ticker;
    kanon__shared_ticker_task(&ticker, &b->ticker);
    KANON_CHECK(kanon__tick(&ticker, 0, 0, WORTH_A_LOOK, err));
    KANON_CHECK(kanon__arrow_array_init_struct(batch, NULL, r.n, b->out->n_fields, err));
    for (int i = 0; i < b->out->n_fields; i++)
        KANON_CHECK(fill_column(b, &b->columns[i], number, r, batch->children[i], err));
    if (b->n_cells > 0)
        KANON_CHECK(kanon__arrow_fill_cells(b, r, batch, err));
    if (b->aside)
        KANON_CHECK(kanon__arrow_array_put_aside(batch, err));
    kanon__shared_ticker_add(&b->ticker, r.n);
    return KANON_OK;
}

static kanon_status fill_batches(kanon__arrow_build *b, kanon_error *err)
{
    enum { WORTH_A_FILE = 1 << 18 }; /* cells, of some bytes each */
    const kanon__source *source = b->table->source;
    int64_t n = has_batches_of_input(b) ? b->source->n_batches
                                        : (b->n_released + KANON__ARROW_BATCH_ROWS - 1) / KANON__ARROW_BATCH_ROWS;
    if (b->plan->order != NULL && b->n_cells > 0 && source->class->locate != NULL)
        KANON_CHECK(source->class->locate(&b->positions, source, b->plan->threads, err));
    KANON_CHECK(kanon__new_array(&b->out->batches, n, "Arrow batches", err));
    b->out->n_batches = n;
    b->aside = b->plan->aside && b->n_released * b->out->n_fields > WORTH_A_FILE;
    kanon__shared_ticker_init(&b->ticker, b->plan->ticker, b->n_released);
    kanon_status st = kanon__pool_run(b->plan->threads, n, fill_batch, b, err);
    kanon__shared_ticker_clear(&b->ticker);
    return st;
}

static void clear_columns(kanon__arrow_build *b)
{
    for (int i = 0; b->columns != NULL && i < b->out->n_fields; i++) {
        kanon__arrow_released *c = &b->columns[i];
        if (c->origin == KANON__ARROW_KEPT)
            kanon__arrow_kept_clear(&c->kept);
        kanon__arrow_entries_clear(&c->entries);
        kanon__free(c->rows);
    }
    kanon__free(b->columns);
}

kanon_status kanon__arrow_release_new(kanon__arrow_batches **out, const kanon__arrow_plan *plan, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__arrow_build b = {.plan = plan, .table = plan->table, .source = kanon__arrow_source_of(plan->table->source),
                            .n_released = plan->table->data.n_rows - plan->n_left_out};
    *out = NULL;
    KANON_TRY(kanon__new_array(&b.out, 1, "Arrow batches", err), out);
    KANON_TRY(kanon__extents_begin(&b.extents, &plan->table->data, plan->group_of, plan->n_groups, plan->recode_map,
                                   plan->drawn, plan->numeric == KANON_NUMERIC_MEAN, err),
              out);
    KANON_TRY(add_columns(&b, err), out);
    KANON_TRY(kanon__pool_run(plan->threads, b.out->n_fields, kanon__arrow_enter_column, &b, err), out);
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
