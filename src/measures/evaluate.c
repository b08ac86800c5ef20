/* Evaluates a grouping: every measure of measures.def, in that order, into one list of figures.
 *
 *   1. Check the settings, k and that the grouping fits the table.
 *   2. Prepare what measures share (kanon__subject): extents of the groups, D, the members.
 *   3. Compute each measure, for the table or for each of its attributes. A measure may read the figures above it.
 *
 * Called by the API, the reports and the trade-off. Calls the measures through their descriptors. */
#include "measures/homogeneity.h"
#include "measures/measure.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"
#include "model/entity_records.h"
#include "model/terms.h"

#include <string.h>

#define KANON_MEASURE(name) extern const kanon__measure kanon__measure_##name;
#include "measures/measures.def"
#undef KANON_MEASURE

static const kanon__measure *const measures_table[] = {
#define KANON_MEASURE(name) &kanon__measure_##name,
#include "measures/measures.def"
#undef KANON_MEASURE
};

enum { N_MEASURES = sizeof measures_table / sizeof measures_table[0] };

/* What can be set, for all measures together. */
static const kanon_setting_info measure_settings[] = {
    {.name = "r",
     .type = KANON_SETTING_NUMBER,
     .min = 0,
     .max = 1,
     .default_value = "1",
     .help = "how near a guess of a sensitive value must be to count as a disclosure, as a share of its range"},
    {.name = "population-size",
     .type = KANON_SETTING_INTEGER,
     .min = 1,
     .max = 1e15,
     .help = "how many people those of the table are a sample of; without it the table is the population"},
    {.name = "query-preset",
     .type = KANON_SETTING_CHOICE,
     .choices = "none|type1|type2",
     .default_value = "none",
     .help =
         "a workload of Loukides' paper, of 10000 queries: type1 on age, sex and income with selectivity 0.015, type2 also "
         "on race and workclass with selectivity 0.005"},
    {.name = "query-attributes",
     .type = KANON_SETTING_TEXT,
     .help =
         "the quasi attributes of every query of the query error, with commas between them; unless set, each query draws "
         "three of them at random"},
    {.name = "query-selectivity",
     .type = KANON_SETTING_NUMBER,
     .min = 1e-9,
     .max = 1,
     .help = "the share of the domain of its attributes that a query covers; 0.015 unless set here or by a preset"},
    {.name = "query-count",
     .type = KANON_SETTING_INTEGER,
     .min = 1,
     .max = 1000000,
     .help = "how many queries are asked; 1000 unless set here or by a preset"},
    {.name = "query-seed",
     .type = KANON_SETTING_INTEGER,
     .min = 0,
     .max = 9007199254740991,
     .default_value = "0",
     .help = "seed of the random queries"},
};

size_t kanon_measure_settings(const kanon_setting_info **out)
{
    *out = measure_settings;
    return sizeof measure_settings / sizeof measure_settings[0];
}

double kanon__subject_term(const kanon__subject *s, int i, int64_t group)
{
    const kanon__column *c = kanon__subject_quasi(s, i);
    uint32_t lo = s->extents[i][2 * group], hi = s->extents[i][2 * group + 1];
    double part = (double)kanon__term_part(KANON__TERMS_LOSS, c->domain, lo, hi);
    return c->weight * (part / (double)kanon__term_whole(KANON__TERMS_LOSS, c->domain));
}

static void clear_subject(kanon__subject *s)
{
    for (int i = 0; s->extents != NULL && i < s->table->n_quasi; i++)
        kanon__free(s->extents[i]);
    kanon__free(s->extents);
    kanon__free(s->diversity);
    kanon__free(s->own);
    kanon__free(s->begins);
    kanon__free(s->members);
}

static kanon_status list_members(kanon__subject *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_grouping *g = s->grouping;
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

static bool is_wanted(const kanon__measure *measure, const char *const *wanted)
{
    if (wanted == NULL)
        return true;
    while (*wanted != NULL && strcmp(*wanted, measure->name) != 0)
        wanted++;
    return *wanted != NULL;
}

/* Whether a wanted measure reads more than the members of the groups: those of sensitive values do not. */
static bool needs_extents(const char *const *wanted)
{
    for (int i = 0; i < N_MEASURES; i++)
        if (measures_table[i]->scope != KANON__SCOPE_SENSITIVE && is_wanted(measures_table[i], wanted))
            return true;
    return false;
}

static kanon_status set_up_subject(kanon__subject *s, bool brief, const char *const *wanted, kanon_error *err)
{
    kanon_status st = KANON_OK;
    s->k = s->k > 0 ? s->k : s->grouping->k > 0 ? s->grouping->k : s->grouping->smallest > 0 ? s->grouping->smallest : 1;
    if (!needs_extents(wanted))
        return list_members(s, err);
    KANON_TRY(kanon__new_array(&s->extents, s->table->n_quasi, "group extents", err), out);
    KANON_TRY(kanon__new_array(&s->diversity, s->grouping->n_groups, "group losses", err), out);
    for (int i = 0; i < s->table->n_quasi; i++) {
        const kanon__column *c = &s->table->columns[s->table->quasi[i]];
        s->total_weight += c->weight;
        KANON_TRY(kanon__grouping_extents(&s->extents[i], s->grouping, c, err), out);
        for (int64_t group = 0; group < s->grouping->n_groups; group++)
            s->diversity[group] += kanon__subject_term(s, i, group);
        KANON_TRY(kanon__tick(s->ticker, 0, 0, KANON__TICK_POLL_NS, err), out);
    }
    KANON_TRY(list_members(s, err), out);
    if (s->table->has_entity && !brief)
        KANON_TRY(
            kanon__entity_records_new(&s->own, s->table->entity_codes, s->grouping->group_of, s->grouping->n_rows, err),
            out);
out:
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
    out->smallest = kanon_grouping_smallest(g);
    out->n_suppressed = 0;
    for (int64_t row = 0; row < g->n_rows; row++)
        out->group_of[row] = g->group_of[row] < 0 ? (int32_t)g->n_groups : g->group_of[row];
out:
    return st;
}

/* The subject of measures of what a reader sees, where that is another one. */
static kanon_status set_up_classes(kanon__subject *out, kanon_grouping *shown, const kanon__subject *groups, bool brief,
                                   kanon_error *err)
{
    kanon_status st = KANON_OK;
    *out = *groups;
    out->members = NULL;
    out->begins = NULL;
    out->own = NULL;
    out->extents = NULL; /* such measures look at sizes and kept values */
    out->diversity = NULL;
    out->grouping = shown;
    KANON_TRY(show_suppressed(shown, groups->grouping, err), out);
    KANON_TRY(list_members(out, err), out);
    if (out->table->has_entity && !brief)
        st = kanon__entity_records_new(&out->own, out->table->entity_codes, shown->group_of, shown->n_rows, err);
out:
    return st;
}

static int n_figures(const kanon__subject *s, kanon__scope scope)
{
    if (scope == KANON__SCOPE_TABLE)
        return 1;
    return scope == KANON__SCOPE_QUASI ? s->table->n_quasi : s->table->n_sensitive;
}

static const char *attribute_name(const kanon__subject *s, kanon__scope scope, int i)
{
    if (scope == KANON__SCOPE_TABLE)
        return NULL;
    return (scope == KANON__SCOPE_QUASI ? kanon__subject_quasi(s, i) : kanon__subject_sensitive(s, i))->name;
}

/* The rows that a brief evaluation stops after. */
static int n_brief(void)
{
    int n = 0;
    while (n < N_MEASURES && measures_table[n] != &kanon__measure_avg_loss)
        n++;
    return n + 1;
}

const kanon__measure *kanon__measure_find(const char *name)
{
    for (int i = 0; i < N_MEASURES; i++)
        if (strcmp(measures_table[i]->name, name) == 0)
            return measures_table[i];
    return NULL;
}

static kanon_status measure_all(kanon_measures *m, const kanon__subject *s, const kanon__subject *classes,
                                const char *const *wanted, int n_rows, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t n = 0;
    for (int i = 0; i < n_rows; i++)
        n += n_figures(s, measures_table[i]->scope);
    KANON_TRY(kanon__new_array(&m->figures, n, "measures", err), out);
    for (int i = 0; i < n_rows; i++) {
        const kanon__measure *measure = measures_table[i];
        for (int j = 0; is_wanted(measure, wanted) && j < n_figures(s, measure->scope); j++) {
            kanon_figure *figure = &m->figures[m->n];
            *figure = (kanon_figure){measure->name, attribute_name(s, measure->scope, j), measure->formula, 0,
                                     measure->whole};
            KANON_TRY(measure->compute(&figure->value, measure->of_classes ? classes : s, j, err), out);
            m->n++;
            KANON_TRY(kanon__tick(s->ticker, (int64_t)m->n, n, KANON__TICK_POLL_NS, err), out);
        }
    }
out:
    return st;
}

kanon_status kanon_evaluate(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                            const kanon_evaluate_options *options, kanon_error *err)
{
    return kanon__evaluate_some(out, table, grouping, options, NULL, err);
}

static kanon_status evaluate(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                             const kanon_evaluate_options *options, const char *const *wanted, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_evaluate_options o;
    kanon_measures *m = NULL;
    kanon__ticker ticker;
    kanon__settings settings = {0};
    kanon__subject subject = {.table = &table->data, .grouping = grouping, .ticker = &ticker, .settings = &settings};
    kanon__subject classes = {0};
    kanon_grouping shown = {0};
    bool kept = grouping->n_suppressed > 0 && table->policy.keep_suppressed;
    const kanon_setting_info *infos;
    *out = NULL;
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    size_t n_infos = kanon_measure_settings(&infos);
    KANON_TRY(kanon__settings_init(&settings, "the measures", infos, n_infos, o.settings, o.n_settings, err), out);
    subject.k = o.k;
    subject.threads = o.threads;
    kanon__ticker_init(&ticker, o.tick, o.payload, "measuring");
    KANON_TRY(kanon__grouping_fits(grouping, table, err), out);
    KANON_TRY(set_up_subject(&subject, o.brief != 0, wanted, err), out);
    KANON_TRY(kanon__new_array(&m, 1, "measures", err), out);
    subject.so_far = m;
    if (kept)
        KANON_TRY(set_up_classes(&classes, &shown, &subject, o.brief != 0, err), out);
    m->k = o.k > 0 ? o.k : grouping->k;
    for (size_t i = 0; i < settings.n; i++)
        if (settings.values[i] != NULL)
            KANON_TRY(kanon__texts_addf(&m->settings, err, "%s=%s", infos[i].name, settings.values[i]), out);
    KANON_TRY(measure_all(m, &subject, kept ? &classes : &subject, wanted, o.brief ? n_brief() : N_MEASURES, err), out);
    KANON_TRY(kanon__homogeneity_warn_all(m, err), out);
    *out = m;
    m = NULL;
out:
    kanon_measures_free(m);
    clear_subject(&classes);
    kanon__free(shown.sizes);
    kanon__free(shown.group_of);
    clear_subject(&subject);
    kanon__settings_clear(&settings);
    return st;
}

kanon_status kanon__evaluate_some(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                                  const kanon_evaluate_options *options, const char *const *wanted, kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    return kanon__call_end(&call, evaluate(out, table, grouping, options, wanted, err));
}

void kanon_measures_free(kanon_measures *measures)
{
    if (measures == NULL)
        return;
    kanon__texts_clear(&measures->warnings);
    kanon__texts_clear(&measures->settings);
    kanon__free(measures->figures);
    kanon__free(measures);
}

const char *kanon_measures_warning(const kanon_measures *measures, int i)
{
    return i >= 0 && i < measures->warnings.n ? measures->warnings.items[i] : NULL;
}

size_t kanon_measures_count(const kanon_measures *measures)
{
    return measures->n;
}

const kanon_figure *kanon_measures_at(const kanon_measures *measures, size_t i)
{
    return i < measures->n ? &measures->figures[i] : NULL;
}

const kanon_figure *kanon_measures_find(const kanon_measures *measures, const char *name, const char *attribute)
{
    for (size_t i = 0; i < measures->n; i++) {
        const kanon_figure *f = &measures->figures[i];
        bool same = attribute == NULL || f->attribute == NULL ? attribute == f->attribute
                                                              : strcmp(attribute, f->attribute) == 0;
        if (same && strcmp(f->name, name) == 0)
            return f;
    }
    return NULL;
}

/* ---- the list of measures ---------------------------------------------------------------------------------------- */

size_t kanon_measure_count(void)
{
    return N_MEASURES;
}

const char *kanon_measure_name(size_t i)
{
    return i < N_MEASURES ? measures_table[i]->name : NULL;
}

const char *kanon_measure_formula(size_t i)
{
    return i < N_MEASURES ? measures_table[i]->formula : NULL;
}

const char *kanon_measure_scope(size_t i)
{
    static const char *const texts[] = {
        [KANON__SCOPE_TABLE] = "table",
        [KANON__SCOPE_QUASI] = "quasi",
        [KANON__SCOPE_SENSITIVE] = "sensitive",
    };
    return i < N_MEASURES ? texts[measures_table[i]->scope] : NULL;
}
