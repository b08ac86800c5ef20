/* See run_plan.h. Settings of the schema, the options and the effort are joined here, so that the rest of the run sees one
 * list. Nothing is grouped. */
#include "pipeline/run_plan.h"

#include "core/alloc.h"
#include "core/pool.h"
#include "core/take_options.h"
#include "pipeline/requirements.h"
#include "pipeline/said_run.h"
#include "pipeline/table_output.h"

#include <string.h>

kanon_status kanon__fail_unknown_name(const char *what, const char *name, const kanon__entry *(*list)(size_t i),
                                      kanon_error *err)
{
    enum { MOST = 64 };
    const char *names[MOST];
    size_t n = 0;
    for (; n < MOST && list(n) != NULL; n++)
        names[n] = list(n)->shown.name;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "there is no %s '%s'", what, name);
    return kanon__hint_words(err, st, "choose one of:", names, n, name);
}

/* What stands in the place of the algorithm where groups are given. */
static const kanon__algorithm given_groups = {
    .info = {.shown = {.name = "given", .revision = 1}},
    .refinement = "search",
};

/* What is asked for must be possible; this is known before any work is done. */
static kanon_status check_requirement(const kanon__data *data, int64_t k, kanon_error *err)
{
    KANON_CHECK(kanon__check_k(k, err));
    if (k > data->n_rows) {
        kanon_status st = kanon__fail(err, KANON_EINFEASIBLE, "k = %lld, but the table has only %lld record%s", (long long)k,
                                      (long long)data->n_rows, data->n_rows == 1 ? "" : "s");
        return kanon__hint(err, st, "ask for a smaller k, or add records");
    }
    return KANON_OK;
}

/* Whether the algorithm or refinement has a setting of this name. */
static bool has_setting(const kanon__entry *info, const char *name)
{
    for (size_t i = 0; i < info->n_settings; i++)
        if (strcmp(info->settings[i].name, name) == 0)
            return true;
    return false;
}

/* The settings of the schema count only for the algorithm that it names; those of a refinement that there is not, such as
 * time-limit, for an algorithm that knows them. */
static kanon_status join_settings(kanon_setting **out, size_t *n, const kanon_table *table, const kanon__plan *p,
                                  const kanon_options *o, kanon_error *err)
{
    const kanon__entry *algorithm = &p->algorithm->info;
    bool from_schema = table->policy.algorithm != NULL && strcmp(table->policy.algorithm, algorithm->shown.name) == 0;
    size_t n_schema = from_schema ? (size_t)table->policy.n_settings : 0;
    KANON_CHECK(kanon__new_array(out, (int64_t)(n_schema + o->n_settings + o->n_refine_settings + 1), "settings", err));
    for (size_t i = 0; i < n_schema; i++)
        (*out)[i] = table->policy.settings[i];
    for (size_t i = 0; i < o->n_settings; i++)
        (*out)[n_schema + i] = o->settings[i];
    *n = n_schema + o->n_settings;
    if (o->effort != NULL && has_setting(algorithm, "effort"))
        (*out)[(*n)++] = (kanon_setting){"effort", o->effort};
    for (size_t i = 0; p->refinement == NULL && i < o->n_refine_settings; i++)
        if (has_setting(algorithm, o->refine_settings[i].name))
            (*out)[(*n)++] = o->refine_settings[i];
    return KANON_OK;
}

/* One mapping per attribute leaves nothing to choose record by record. */
static kanon_status check_recoding(const kanon__plan *p, const kanon_table *table, int64_t blocks, kanon_error *err)
{
    kanon_status st;
    if (!p->recode)
        return KANON_OK;
    for (int i = 0; i < table->data.n_columns; i++)
        if (table->data.columns[i].drawn && table->data.columns[i].role == KANON_ROLE_QUASI) {
            st = kanon__fail(err, KANON_EINVAL, "%s: drawn ends differ where equal values are to be shown equal",
                             table->data.columns[i].name);
            return kanon__hint(err, st, "recode records, or give the column bands");
        }
    if (table->data.has_entity && table->policy.entity_together) {
        st = kanon__fail(err, KANON_EINVAL, "records of an entity cannot be kept together where attributes are recoded");
        return kanon__hint(err, st, "leave out entity-together; every group then still holds k persons");
    }
    if (!p->algorithm->recodes_attributes) {
        st = kanon__fail(err, KANON_EINVAL, "%s does not recode attributes, it groups records",
                         p->algorithm->info.shown.name);
        return kanon__hint(err, st, "choose attribute-cut or full-domain");
    }
    if (p->refinement == NULL && blocks <= 0)
        return KANON_OK;
    st = kanon__fail(err, KANON_EINVAL, "%s is not possible where attributes are recoded",
                     p->refinement != NULL ? "a refinement, which moves records" : "grouping in blocks");
    return kanon__hint(err, st, "leave out %s", p->refinement != NULL ? "the refinement" : "blocks");
}

/* The schema's algorithm gives way where attributes are to be recoded and it cannot do that. */
static const char *algorithm_name(const kanon_table *table, const kanon_options *o)
{
    bool recode = o->recode == KANON_RECODE_ATTRIBUTE;
    const kanon__algorithm *own = table->policy.algorithm != NULL ? kanon__algorithm_find(table->policy.algorithm) : NULL;
    if (o->algorithm != NULL)
        return o->algorithm;
    if (table->policy.algorithm != NULL && (!recode || own == NULL || own->recodes_attributes))
        return table->policy.algorithm;
    return recode ? "attribute-cut" : KANON__DEFAULT_ALGORITHM;
}

/* Which algorithm and refinement run. A refinement that the algorithm brings along is left out where entities stay
 * together; one that the user names is refused there, later. */
static kanon_status choose(kanon__plan *out, const kanon_table *table, const kanon_options *o, kanon_error *err)
{
    if (o->recode != KANON_RECODE_RECORD && o->recode != KANON_RECODE_ATTRIBUTE)
        return kanon__fail(err, KANON_EINVAL, "there is no way %d to recode", (int)o->recode);
    const char *name = algorithm_name(table, o);
    *out = (kanon__plan){
        .algorithm = o->start != NULL ? &given_groups : kanon__algorithm_find(name),
        .compare = o->compare != 0 && o->start == NULL,
        .recode = o->recode == KANON_RECODE_ATTRIBUTE,
        .start = o->start,
        .repair = o->repair != 0,
    };
    if (out->algorithm == NULL)
        return kanon__fail_unknown_name("algorithm", name, kanon__algorithm_entry, err);
    /* a refinement moves single records; who gives groups to be made better is told that this cannot be */
    bool movable = !table->data.has_entity || !table->policy.entity_together || o->start != NULL;
    const char *wanted = o->refine != NULL ? o->refine : movable ? out->algorithm->refinement : NULL;
    if (wanted == NULL || strcmp(wanted, "none") == 0)
        return check_recoding(out, table, o->blocks, err);
    out->refinement = kanon__refinement_find(wanted);
    if (out->refinement == NULL)
        return kanon__fail_unknown_name("refinement", wanted, kanon__refinement_entry, err);
    return check_recoding(out, table, o->blocks, err);
}

/* The refinement that belongs to the algorithm gets the algorithm's settings of the same name, before its own. */
static kanon_status init_refine_settings(kanon__settings *out, const kanon__plan *p, const kanon__settings *of_algorithm,
                                         const kanon_options *o, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__entry *info = &p->refinement->info;
    kanon_setting *given = NULL;
    size_t n = 0;
    bool follows = p->algorithm->refinement != NULL && strcmp(p->algorithm->refinement, info->shown.name) == 0;
    KANON_TRY(kanon__new_array(&given, (int64_t)(of_algorithm->n + o->n_refine_settings + 1), "settings", err), out);
    for (size_t i = 0; follows && i < of_algorithm->n; i++)
        if (of_algorithm->values[i] != NULL && has_setting(info, of_algorithm->infos[i].name))
            given[n++] = (kanon_setting){of_algorithm->infos[i].name, of_algorithm->values[i]};
    if (o->effort != NULL && has_setting(info, "effort") && !(follows && has_setting(&p->algorithm->info, "effort")))
        given[n++] = (kanon_setting){"effort", o->effort};
    for (size_t i = 0; i < o->n_refine_settings; i++)
        given[n++] = o->refine_settings[i];
    KANON_TRY(kanon__settings_init(out, info, given, n, err), out);
out:
    kanon__free(given);
    return st;
}

/* The settings of the refinement. Without one, only settings that the algorithm itself has are accepted. */
static kanon_status take_refine_settings(kanon__settings *out, const kanon__plan *p, const kanon__settings *of_algorithm,
                                         const kanon_options *o, kanon_error *err)
{
    if (p->refinement != NULL)
        return init_refine_settings(out, p, of_algorithm, o, err);
    for (size_t i = 0; i < o->n_refine_settings; i++) {
        if (has_setting(&p->algorithm->info, o->refine_settings[i].name))
            continue;
        kanon_status st = kanon__fail(err, KANON_EINVAL, "the setting '%s' needs a refinement", o->refine_settings[i].name);
        return kanon__hint(err, st, "name one: search");
    }
    return KANON_OK;
}

/* Groups to be made better are of this table, and nothing else makes groups. */
static kanon_status check_start(const kanon_table *table, const kanon_options *o, kanon_error *err)
{
    if (o->start == NULL)
        return KANON_OK;
    if (o->algorithm != NULL || o->n_settings > 0 || o->blocks > 0)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "no algorithm runs where groups are given"),
                           "leave out the algorithm, its settings and blocks");
    return kanon__grouping_fits(o->start, table, err);
}

/* Effort is a setting of some algorithms and refinements; for all others it would be ignored in silence. */
static kanon_status check_effort(const kanon__plan *p, const kanon_options *o, kanon_error *err)
{
    if (o->effort == NULL || has_setting(&p->algorithm->info, "effort") ||
        (p->refinement != NULL && has_setting(&p->refinement->info, "effort")))
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "%s knows no effort", p->algorithm->info.shown.name);
    return kanon__hint(err, st, "use the algorithm auto, or the refinement search");
}

/* A block needs room for a group, and is worth its while only with room for many. */
static kanon_status check_blocks(int64_t blocks, int64_t k, kanon_error *err)
{
    if (blocks == 0 || blocks == KANON_BLOCKS_NONE || blocks >= k)
        return KANON_OK;
    kanon_status st = kanon__fail(err, KANON_EINVAL, "blocks of %lld records are smaller than k = %lld", (long long)blocks,
                                  (long long)k);
    return kanon__hint(err, st, "a block of 100000 records costs little loss");
}

static kanon_status check_memory(int64_t bytes, kanon_error *err)
{
    if (bytes >= 0)
        return KANON_OK;
    return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "memory: a negative number of bytes"), "0 sets no limit");
}

bool kanon__plan_refines_blocks(const kanon__plan *p)
{
    const kanon__refinement *r = p->refinement;
    if (r == NULL || p->recode || p->start != NULL || p->may_suppress > 0 ||
        (p->constraints != NULL && !r->takes_violations))
        return false;
    return !has_setting(&r->info, "time-limit") || !kanon__setting_given(&p->refining, "time-limit");
}

/* The bytes that the refinement takes for each of many records, each block on one thread. */
static int64_t refining_row_bytes(const kanon__plan *p, const kanon__data *table)
{
    enum { MANY = 1 << 20 };
    kanon__data many = *table;
    many.n_rows = MANY;
    return p->refinement->need(&p->refining, &many, p->constraints, p->k, 1) / MANY + 1;
}

int64_t kanon__plan_row_bytes(const kanon__plan *p, const kanon__data *table)
{
    int64_t grouping = kanon__algorithm_need(p->algorithm, 1, table->n_quasi);
    int64_t refining = kanon__plan_refines_blocks(p) ? refining_row_bytes(p, table) : 0;
    return grouping > refining ? grouping : refining;
}

/* What the release takes depends on its form. */
static kanon_status take_form(kanon__workload *work, const kanon_options *o, kanon_error *err)
{
    kanon_outputs outputs;
    kanon_output release;
    if (o->memory == 0 || o->outputs == NULL)
        return KANON_OK;
    KANON_CHECK(kanon__take_options(&outputs, sizeof outputs, o->outputs, err));
    KANON_CHECK(kanon__outputs_said(&outputs, err));
    work->means = outputs.numeric == KANON_NUMERIC_MEAN;
    work->shuffled = outputs.shuffle || outputs.shuffle_seed != 0;
    KANON_CHECK(kanon__take_options(&release, sizeof release, outputs.release, err));
    work->typed = release.stream != NULL;
    return release.location != NULL ? kanon__table_output_wanted(&work->typed, release.location, err) : KANON_OK;
}

/* Chooses blocks by time and memory. The step after the algorithm, refinement or repair, may need memory for all records at
 * once, so the larger of the two counts; a refinement of single blocks needs it for these alone. */
static kanon_status plan_blocks(kanon__plan *p, const kanon__data *data, const kanon_options *o, kanon_error *err)
{
    const kanon__refinement *r = p->refinement;
    int threads = kanon__pool_threads(o->threads);
    kanon__workload work = {
        .algorithm = p->algorithm, .table = data, .k = p->k, .threads = threads, .whole = p->recode || p->start != NULL};
    work.row_bytes = kanon__plan_row_bytes(p, data);
    work.then_in_blocks = kanon__plan_refines_blocks(p);
    if (r != NULL) {
        work.then_in_blocks = work.then_in_blocks || (r->skips_blocks != NULL && r->skips_blocks(&p->refining));
        work.then = r->info.shown.name;
        work.instead = "refine by none";
        work.then_bytes = r->need(&p->refining, data, p->constraints, p->k, threads);
    }
    int64_t repair_bytes = p->recode ? 0 : kanon__requirements_need(data, p->constraints, p->may_suppress, p->k);
    work.at_last_bytes = repair_bytes;
    if (repair_bytes > work.then_bytes) {
        work.then = "enforcing the constraints";
        work.instead = "ask for less in addition to k";
        work.then_bytes = repair_bytes;
    }
    kanon_status st = take_form(&work, o, err);
    return st == KANON_OK ? kanon__block_plan_choose(&p->blocks, &work, o->blocks, o->memory, err) : st;
}

/* How many records may be suppressed: by the option, else by the policy; -1: nobody said. */
static kanon_status count_suppressible(int64_t *out, const kanon_table *table, const char *share, kanon_error *err)
{
    kanon__fraction fraction = table->policy.suppress;
    if (share != NULL && !kanon__fraction_parse(&fraction, share))
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "suppress: not a share of the records"),
                           "write 0.01 for one percent");
    *out = kanon__fraction_of(fraction, table->data.n_rows);
    return KANON_OK;
}

kanon_status kanon__plan_make(kanon__plan *p, const kanon_table *table, const kanon_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_setting *given = NULL;
    size_t n_given = 0;
    kanon_options o = *options;
    *p = (kanon__plan){0};
    KANON_TRY(kanon__check_seed(o.seed, "seed", err), out);
    KANON_TRY(check_start(table, &o, err), out);
    KANON_TRY(choose(p, table, &o, err), out);
    KANON_TRY(check_effort(p, &o, err), out);
    const kanon__entry *info = &p->algorithm->info;
    KANON_TRY(join_settings(&given, &n_given, table, p, &o, err), out);
    KANON_TRY(kanon__settings_init(&p->settings, info, given, n_given, err), out);
    KANON_TRY(take_refine_settings(&p->refining, p, &p->settings, &o, err), out);
    p->k = o.k != 0 ? o.k : table->policy.k;
    KANON_TRY(check_requirement(&table->data, p->k, err), out);
    KANON_TRY(count_suppressible(&p->may_suppress, table, o.suppress, err), out);
    KANON_TRY(check_blocks(o.blocks, p->k, err), out);
    KANON_TRY(check_memory(o.memory, err), out);
    if (p->recode || p->start != NULL)
        o.blocks = KANON_BLOCKS_NONE;
    KANON_TRY(kanon__requirements_allow(&table->data, &table->policy, p->refinement != NULL, err), out);
    KANON_TRY(kanon__requirements_new(&p->constraints, &table->data, &table->policy, p->k, err), out);
    KANON_TRY(plan_blocks(p, &table->data, &o, err), out);
out:
    kanon__free(given);
    if (st != KANON_OK)
        kanon__plan_clear(p);
    return st;
}

void kanon__plan_clear(kanon__plan *p)
{
    kanon__constraints_free(p->constraints);
    kanon__settings_clear(&p->refining);
    kanon__settings_clear(&p->settings);
    *p = (kanon__plan){0};
}

kanon__run kanon__plan_run(const kanon__plan *p, const kanon_table *table, const kanon_options *o, kanon__ticker *ticker)
{
    return (kanon__run){.table = &table->data,
                        .policy = &table->policy,
                        .k = p->k,
                        .may_suppress = p->may_suppress,
                        .seed = o->seed,
                        .threads = kanon__pool_threads(o->threads),
                        .settings = &p->settings,
                        .constraints = p->constraints,
                        .ticker = ticker};
}

/* The settings as they were used, defaults included, so that a report can repeat the run. */
static kanon_status record_settings(kanon__texts *out, const kanon__settings *s, kanon_error *err)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->values[i] != NULL)
            KANON_CHECK(kanon__texts_addf(out, err, "%s=%s", s->infos[i].name, s->values[i]));
    return KANON_OK;
}

kanon_status kanon__plan_record(kanon_grouping *g, const kanon__plan *p, const kanon__run *run, kanon_error *err)
{
    g->k = run->k;
    g->seed = run->seed;
    g->blocks = p->blocks.least_records;
    g->revision = p->algorithm->info.shown.revision;
    const char *name = p->algorithm->info.shown.name;
    KANON_CHECK(kanon__copy_text(&g->algorithm, name, strlen(name), "a name", err));
    KANON_CHECK(record_settings(&g->settings, run->settings, err));
    KANON_CHECK(record_settings(&g->refine_settings, &p->refining, err));
    for (int64_t i = 0; i < run->chosen->n; i++)
        KANON_CHECK(kanon__texts_add(&g->settings, run->chosen->items[i], strlen(run->chosen->items[i]), err));
    if (p->refinement != NULL) {
        name = p->refinement->info.shown.name;
        KANON_CHECK(kanon__copy_text(&g->refinement, name, strlen(name), "a name", err));
    }
    return KANON_OK;
}
