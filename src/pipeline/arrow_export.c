/* Releases as Arrow streams: built by release/sink, checked by verify/verify_arrow.c, and handed out only then. */
#include "pipeline/arrow_export.h"

#include "core/alloc.h"
#include "core/ticker.h"
#include "pipeline/release_plan.h"
#include "release/sink/arrow_release.h"
#include "verify/verify_arrow.h"

/* The independent check of what was built. */
static kanon_status check_batches(const kanon__arrow_plan *plan, const kanon_grouping *g, const struct ArrowSchema *schema,
                                  const kanon__arrow_batches *batches, const kanon_outputs *o, kanon_error *err)
{
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, o->tick, o->payload, "checking");
    kanon__arrow_claim claim = {.table = plan->table,
                                .group_of = plan->group_of,
                                .n_groups = plan->n_groups,
                                .requirement = kanon__release_requirement(plan->table, g, o->numeric == KANON_NUMERIC_MEAN),
                                .order = plan->order,
                                .n_left_out = plan->n_left_out,
                                .numeric = o->numeric,
                                .mapping = plan->recode_map != NULL,
                                .schema = schema,
                                .batches = batches->batches,
                                .n_batches = batches->n_batches,
                                .ticker = &ticker};
    return kanon__verify_arrow(&claim, o->threads, err);
}

/* The group of each record, in the order of the stream. */
static void list_groups(int64_t *out, const kanon_grouping *g, const kanon__released_rows *rows)
{
    for (int64_t i = 0; i < g->n_rows - rows->n_left_out; i++) {
        int32_t group = g->group_of[rows->order != NULL ? rows->order[i] : i];
        out[i] = group < 0 ? 0 : (int64_t)group + 1;
    }
}

/* Build all batches, check them, and only then hand them to a stream. */
static kanon_status make_stream(struct ArrowArrayStream *out, const kanon_table *t, const kanon_grouping *g,
                                const kanon_outputs *o, bool aside, kanon_error *err, kanon__before_check before,
                                void *payload)
{
    kanon_status st = KANON_OK;
    kanon__ticker ticker;
    const uint32_t **recode_map = NULL;
    kanon__released_rows rows = {0};
    kanon__permutation *permutation = NULL;
    kanon__arrow_batches *batches = NULL;
    struct ArrowSchema schema = {0};
    out->release = NULL;
    kanon__ticker_init(&ticker, o->tick, o->payload, "writing");
    KANON_TRY(kanon__release_map(&recode_map, t, g, err), out);
    KANON_TRY(kanon__permutation_new(&permutation, t, g->group_of, g->seed, o->threads, err), out);
    const kanon__row_order shuffled = {.table = t,
                                       .group_of = g->group_of,
                                       .n_groups = g->n_groups,
                                       .recode_map = recode_map,
                                       .drawn = g->drawn,
                                       .permutation = permutation,
                                       .means = o->numeric == KANON_NUMERIC_MEAN,
                                       .seed = o->shuffle_seed,
                                       .threads = o->threads};
    KANON_TRY(kanon__release_rows(&rows, t, g, o->shuffle ? &shuffled : NULL, true, err), out);
    kanon__arrow_plan plan = {.table = t,
                              .group_of = g->group_of,
                              .n_groups = g->n_groups,
                              .recode_map = recode_map,
                              .drawn = g->drawn,
                              .permutation = permutation,
                              .order = rows.order,
                              .n_left_out = rows.n_left_out,
                              .numeric = o->numeric,
                              .aside = aside,
                              .threads = o->threads,
                              .ticker = &ticker};
    KANON_TRY(kanon__arrow_release_new(&batches, &plan, err), out);
    KANON_TRY(kanon__arrow_schema_init(&schema, batches->fields, batches->n_fields, err), out);
    if (before != NULL)
        before(&schema, batches, payload);
    KANON_TRY(check_batches(&plan, g, &schema, batches, o, err), out);
    KANON_TRY(kanon__tick(&ticker, g->n_rows, g->n_rows, 0, err), out);
    if (o->group_numbers != NULL)
        list_groups(o->group_numbers, g, &rows);
    st = kanon__arrow_stream_init(out, batches, err);
    batches = NULL;
out:
    kanon__arrow_schema_clear(&schema);
    kanon__arrow_batches_free(batches);
    kanon__free(rows.order);
    kanon__permutation_free(permutation);
    kanon__free(recode_map);
    return st;
}

kanon_status kanon__arrow_export(struct ArrowArrayStream *out, const kanon_table *table, const kanon_grouping *grouping,
                                 const kanon_outputs *wanted, kanon_error *err, kanon__before_check before, void *payload)
{
    return make_stream(out, table, grouping, wanted, false, err, before, payload);
}

kanon_status kanon__arrow_export_aside(struct ArrowArrayStream *out, const kanon_table *table,
                                       const kanon_grouping *grouping, const kanon_outputs *wanted, kanon_error *err,
                                       kanon__before_check before, void *payload)
{
    return make_stream(out, table, grouping, wanted, true, err, before, payload);
}
