/* One block by itself: what cannot be done in blocks by several processes, and the groups of a block that a process was
 * given.
 *
 *     1 refuse what cannot be done -> 2 the plan, as for a whole table -> 3 algorithm, with the block's own random numbers
 *     -> 4 refinement of what is not left over -> 5 the independent check
 *
 * blocks.c does steps 3 and 4 for the blocks of a table that is in memory; both call partition/block_run.h. */
#include "core/alloc.h"
#include "core/context.h"
#include "partition/block_run.h"
#include "partition/cut_tree.h"
#include "pipeline/run_plan.h"
#include "pipeline/said_run.h"
#include "verify/verify.h"

#include <string.h>

/* ---- 1. what cannot be done ---------------------------------------------------------------------------------------- */

/* What schema or policy ask for in addition to k. */
typedef struct asked {
    bool entity, constraints, suppress, keep, singled_out;
    const char *permuted; /* the first column whose cells change places; NULL: none */
    const char *drawn;    /* the first one with drawn ends */
    int64_t k; /* 0: not said */
    const kanon_setting *settings;
    int64_t n_settings;
} asked;

static kanon_status refuse(kanon_error *err, const char *what, const char *why, const char *instead)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s is not possible in blocks by several processes: %s", what, why);
    return kanon__hint(err, st, "%s", instead);
}

static kanon_status refuse_column(kanon_error *err, const char *column, const char *what, const char *why)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s: %s is not possible in blocks by several processes: %s", column,
                                  what, why);
    return kanon__hint(err, st, "do it in one process");
}

static const char *first_permuted(const kanon_schema *schema)
{
    for (int64_t i = 0; i < schema->n_attributes; i++)
        if (kanon__attribute_is_permuted(&schema->attributes[i]))
            return schema->attributes[i].name;
    return NULL;
}

static const char *first_permuted_column(const kanon__data *data)
{
    for (int i = 0; i < data->n_columns; i++)
        if (data->columns[i].permuted)
            return data->columns[i].name;
    return NULL;
}

static const char *first_drawn(const kanon_schema *schema)
{
    for (int64_t i = 0; i < schema->n_attributes; i++)
        if (kanon__attribute_is_drawn(&schema->attributes[i]))
            return schema->attributes[i].name;
    return NULL;
}

static const char *first_drawn_column(const kanon__data *data)
{
    for (int i = 0; i < data->n_columns; i++)
        if (data->columns[i].drawn)
            return data->columns[i].name;
    return NULL;
}

static bool has_time_limit(const kanon_setting *settings, size_t n)
{
    for (size_t i = 0; i < n; i++)
        if (settings[i].name != NULL && strcmp(settings[i].name, "time-limit") == 0)
            return true;
    return false;
}

static kanon_status check_asked(const asked *a, const kanon_options *o, kanon_error *err)
{
    static const char one[] = "do it in one process";
    if (a->entity)
        return refuse(err, "an entity", "its records may lie in several blocks", one);
    if (a->constraints)
        return refuse(err, "a constraint", "groups are repaired with records of all blocks", one);
    if (a->suppress || (o->suppress != NULL && strcmp(o->suppress, "0") != 0))
        return refuse(err, "suppression", "the records that cost most are found among all", one);
    if (a->keep)
        return refuse(err, "keeping suppressed records", "they are one class, of all blocks", one);
    if (a->singled_out)
        return refuse(err, "a limit of the rows that are singled out", "each is compared with those of all blocks", one);
    if (a->permuted != NULL)
        return refuse_column(err, a->permuted, "a permuted column", "its places are drawn from all records");
    if (a->drawn != NULL)
        return refuse_column(err, a->drawn, "ends: drawn", "their places are drawn from all records");
    if (o->recode != KANON_RECODE_RECORD)
        return refuse(err, "recoding of attributes", "one mapping is made from all records", one);
    if (o->start != NULL)
        return refuse(err, "a grouping to start from", "it is of a whole table", one);
    if (has_time_limit(o->refine_settings, o->n_refine_settings) || has_time_limit(o->settings, o->n_settings) ||
        has_time_limit(a->settings, (size_t)a->n_settings))
        return refuse(err, "a time limit", "the clock would decide what is released", "set a number of moves instead");
    return KANON_OK;
}

static kanon_status check_blocks(const asked *a, const kanon_options *o, kanon_error *err)
{
    int64_t k = o->k != 0 ? o->k : a->k;
    kanon_status st;
    if (o->blocks <= 0) {
        st = kanon__fail(err, KANON_EINVAL, "the number of records of a block is not given");
        return kanon__hint(err, st, "a block of 100000 records costs little loss");
    }
    if (o->blocks < k) {
        st = kanon__fail(err, KANON_EINVAL, "blocks of %lld records are smaller than k = %lld", (long long)o->blocks,
                         (long long)k);
        return kanon__hint(err, st, "a block of 100000 records costs little loss");
    }
    return check_asked(a, o, err);
}

kanon_status kanon_blocks_allow(const kanon_schema *schema, const kanon_options *options, kanon_error *err)
{
    kanon_options o;
    const asked a = {.entity = schema->said[KANON__WHOLE_ENTITY] != NULL,
                     .constraints = schema->n_constraints > 0,
                     .suppress = kanon__fraction_of(schema->suppress, INT32_MAX) > 0,
                     .keep = schema->keep_suppressed,
                     .singled_out = schema->said[KANON__WHOLE_SINGLED_OUT] != NULL,
                     .permuted = first_permuted(schema),
                     .drawn = first_drawn(schema),
                     .k = schema->k,
                     .settings = schema->settings,
                     .n_settings = schema->n_settings};
    kanon_status st = kanon__run_options_take(&o, options, err);
    return st == KANON_OK ? check_blocks(&a, &o, err) : st;
}

static kanon_status check_block(const kanon_table *rows, const kanon__cut_tree *cuts, int64_t block, const kanon_options *o,
                                kanon_error *err)
{
    const asked a = {.entity = rows->data.has_entity,
                     .constraints = rows->policy.n_constraints > 0 || rows->policy.k_map > 0,
                     .suppress = kanon__fraction_of(rows->policy.suppress, INT32_MAX) > 0,
                     .keep = rows->policy.keep_suppressed,
                     .singled_out = rows->policy.singled_out.denominator > 0,
                     .permuted = first_permuted_column(&rows->data),
                     .drawn = first_drawn_column(&rows->data),
                     .k = rows->policy.k,
                     .settings = rows->policy.settings,
                     .n_settings = rows->policy.n_settings};
    KANON_CHECK(check_blocks(&a, o, err));
    KANON_CHECK(kanon__whole_has(cuts->domain, rows, err));
    KANON_CHECK(kanon__cuts_check_block(cuts, block, err));
    if (o->blocks != cuts->least) {
        kanon_status st = kanon__fail(err, KANON_EINVAL,
                                      "the table was cut into blocks of %lld records, and %lld are asked for",
                                      (long long)cuts->least, (long long)o->blocks);
        return kanon__hint(err, st, "use the same options everywhere");
    }
    if (rows->data.n_rows != kanon__cuts_rows(cuts, block)) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "block %lld has %lld records, and %lld were handed over",
                                      (long long)block, (long long)kanon__cuts_rows(cuts, block),
                                      (long long)rows->data.n_rows);
        return kanon__hint(err, st, "hand over every record of the block once");
    }
    return KANON_OK;
}

/* ---- 3. to 5. ------------------------------------------------------------------------------------------------------ */

static kanon_status run_steps(const kanon__plan *p, kanon__run *run, const kanon__cut_tree *cuts, kanon_error *err)
{
    kanon__ticker ticker;
    KANON_CHECK(p->algorithm->run(run, err));
    KANON_CHECK(kanon__verify_grouping(run->table, run->group_of, run->n_groups, run->k, err));
    if (p->refinement != NULL) {
        const kanon__block_refining refining = {p->refinement->run, &p->refining};
        kanon__ticker_init(&ticker, run->ticker->tick, run->ticker->payload, "refining");
        kanon__run refined = *run;
        refined.ticker = &ticker;
        KANON_CHECK(kanon__block_refine(&refined, &refining, cuts->domain->n_rows, err));
        run->n_groups = refined.n_groups;
        run->stopped = refined.stopped;
        KANON_CHECK(kanon__verify_grouping(run->table, run->group_of, run->n_groups, run->k, err));
    }
    return KANON_OK;
}

/* The numbers that the groups had, which decide between groups that are equally good for a record left over. Groupings
 * number their groups by their first rows. */
static kanon_status keep_ranks(int32_t **out, const kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool *seen = NULL;
    int64_t n = 0;
    KANON_TRY(kanon__new_array(out, run->n_groups, "group numbers", err), out);
    KANON_TRY(kanon__new_array(&seen, run->n_groups, "group numbers", err), out);
    for (int64_t row = 0; row < run->table->n_rows; row++) {
        int32_t group = run->group_of[row];
        if (group < 0 || seen[group])
            continue;
        seen[group] = true;
        (*out)[n++] = group;
    }
out:
    kanon__free(seen);
    return st;
}

static kanon_status adopt_groups(kanon_grouping **out, kanon__run *run, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *ranks = NULL;
    int64_t n_left = 0;
    for (int64_t row = 0; row < run->table->n_rows; row++)
        n_left += run->group_of[row] == KANON__LEFT_OVER;
    KANON_TRY(keep_ranks(&ranks, run, err), out);
    st = kanon__grouping_adopt(out, run->group_of, run->table->n_rows, run->n_groups, err);
    run->group_of = NULL;
    if (st != KANON_OK)
        goto out;
    (*out)->ranks = ranks;
    ranks = NULL;
    (*out)->n_left = n_left;
    (*out)->n_suppressed -= n_left;
out:
    kanon__free(ranks);
    return st;
}

static kanon_status run_block(kanon_grouping **out, const kanon__plan *p, kanon__run *run, const kanon__cut_tree *cuts,
                              int64_t block, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_grouping *g = NULL;
    kanon__space *space = NULL;
    kanon__texts warnings = {0}, chosen = {0};
    double begin = kanon__seconds();
    run->warnings = &warnings;
    run->chosen = &chosen;
    if (cuts->n_leaves > 1) {
        run->seed = kanon__block_seed(run->seed, block);
        run->leave_rest = true;
        run->chosen = NULL;
    }
    KANON_TRY(kanon__space_new(&space, run->table, run->table->quasi, run->table->n_quasi, KANON__TERMS_LOSS, err), out);
    run->space = space;
    KANON_TRY(kanon__new_array(&run->group_of, run->table->n_rows, "a grouping", err), out);
    KANON_TRY(run_steps(p, run, cuts, err), out);
    KANON_TRY(adopt_groups(&g, run, err), out);
    run->chosen = &chosen;
    KANON_TRY(kanon__plan_record(g, p, run, err), out);
    g->stopped = run->stopped;
    g->warnings = warnings;
    warnings = (kanon__texts){0};
    KANON_TRY(kanon__grouping_tell(g, err), out);
    g->seconds = kanon__seconds() - begin;
    *out = g;
    g = NULL;
out:
    kanon_grouping_free(g);
    kanon__free(run->group_of);
    kanon__space_free(space);
    kanon__texts_clear(&chosen);
    kanon__texts_clear(&warnings);
    return st;
}

static kanon_status group_block(kanon_grouping **out, const kanon_table *rows, const kanon__cut_tree *cuts, int64_t block,
                                const kanon_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_options o;
    kanon__plan p = {0};
    kanon__ticker ticker;
    KANON_TRY(kanon__run_options_take(&o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    KANON_TRY(check_block(rows, cuts, block, &o, err), out);
    uint64_t seed = o.seed;
    o.blocks = KANON_BLOCKS_NONE; /* this is one */
    KANON_TRY(kanon__plan_make(&p, rows, &o, err), out);
    p.blocks.least_records = cuts->least;
    kanon__ticker_init(&ticker, o.tick, o.payload, "grouping");
    kanon__run run = kanon__plan_run(&p, rows, &o, &ticker);
    KANON_TRY(run_block(out, &p, &run, cuts, block, err), out);
    (*out)->seed = seed;
    kanon__grouping_bind(*out, rows);
out:
    kanon__plan_clear(&p);
    return st;
}

kanon_status kanon_block_group(kanon_grouping **out, const kanon_table *rows, const kanon_cuts *cuts, int64_t block,
                               const kanon_options *options, kanon_error *err)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, err);
    *out = NULL;
    if (c == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(rows->context, group_block(out, rows, c, block, options, err));
}

int64_t kanon_grouping_left(const kanon_grouping *grouping)
{
    return grouping->n_left;
}

int kanon_grouping_is_left(const kanon_grouping *grouping, int64_t row)
{
    return row >= 0 && row < grouping->n_rows && grouping->group_of[row] == KANON__LEFT_OVER;
}

/* ---- before a block is given to a machine -------------------------------------------------------------------------- */

static kanon_status block_memory(int64_t *out, const kanon__cut_tree *cuts, const kanon_schema *schema,
                                 const kanon_options *options, int64_t records, kanon_error *err)
{
    enum { FIXED = 16 << 20, CODES = 4, ROW = 24, VALUE = 200 };
    kanon_status st = KANON_OK;
    kanon_options o;
    kanon__plan p = {0};
    kanon_table table = {.data = cuts->domain->data};
    KANON_TRY(kanon__run_options_take(&o, options, err), out);
    KANON_TRY(kanon_blocks_allow(schema, &o, err), out);
    KANON_TRY(kanon__policy_init(&table.policy, schema, err), out);
    table.data.n_rows = records > o.blocks ? records : o.blocks;
    o.blocks = KANON_BLOCKS_NONE;
    o.memory = 0;
    KANON_TRY(kanon__plan_make(&p, &table, &o, err), out);
    *out = FIXED + records * (ROW + (int64_t)CODES * cuts->domain->n_columns + kanon__plan_row_bytes(&p, &table.data));
    for (int i = 0; i < cuts->domain->n_columns; i++)
        *out += (int64_t)VALUE * cuts->domain->columns[i].texts.n;
out:
    kanon__plan_clear(&p);
    kanon__policy_clear(&table.policy);
    return st;
}

kanon_status kanon_block_memory(int64_t *out, const kanon_cuts *cuts, const kanon_schema *schema,
                                const kanon_options *options, int64_t records, kanon_error *err)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, err);
    *out = 0;
    if (c == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(cuts->context, block_memory(out, c, schema, options, records, err));
}
