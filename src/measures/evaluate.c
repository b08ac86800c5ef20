/* Evaluates a grouping: every measure of measures.def, in that order, into one list of figures.
 *
 *   1. Check the settings, k and that the grouping fits the table.
 *   2. Add the groups up, into the sums that the wanted measures need (subject.c).
 *   3. Compute each measure, for the table or for each of its attributes. One of the table may read the figures above it. */
#include "measures/homogeneity.h"
#include "measures/measure.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"

#include <string.h>

static const kanon__measure *const measures_table[] = {
#define KANON_MEASURE(name) &kanon__measure_##name,
#include "measures/measures.def"
#undef KANON_MEASURE
};

enum { N_MEASURES = sizeof measures_table / sizeof measures_table[0] };

/* What can be set, for all measures together. */
const kanon_setting_info kanon__measure_setting_list[KANON__N_MEASURE_SETTINGS] = {
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

kanon_status kanon__measure_settings(kanon__settings *out, const kanon_setting *given, size_t n, kanon_error *err)
{
    static const kanon__entry all = {.shown = {.name = "the measures"},
                                     .settings = kanon__measure_setting_list,
                                     .n_settings = KANON__N_MEASURE_SETTINGS};
    return kanon__settings_init(out, &all, given, n, err);
}

static bool is_wanted(const kanon__measure *measure, const char *const *wanted)
{
    if (wanted == NULL)
        return true;
    while (*wanted != NULL && strcmp(*wanted, measure->info.shown.name) != 0)
        wanted++;
    return *wanted != NULL;
}

/* ---- figures ----------------------------------------------------------------------------------------------------- */

static int n_released(const kanon__data *data)
{
    int n = 0;
    for (int i = 0; i < data->n_columns; i++)
        n += kanon__column_is_kept(&data->columns[i]);
    return n;
}

static int n_figures(const kanon__data *data, kanon__scope scope)
{
    switch (scope) {
    case KANON__SCOPE_QUASI:
        return data->n_quasi;
    case KANON__SCOPE_SENSITIVE:
        return data->n_sensitive;
    case KANON__SCOPE_RELEASED:
        return n_released(data);
    default:
        return 1;
    }
}

static const char *attribute_name(const kanon__data *data, const kanon__subject *s, kanon__scope scope, int i)
{
    switch (scope) {
    case KANON__SCOPE_QUASI:
        return data->columns[data->quasi[i]].name;
    case KANON__SCOPE_SENSITIVE:
        return data->columns[data->sensitive[i]].name;
    case KANON__SCOPE_RELEASED:
        return data->columns[s->singled_out->columns[i]].name;
    default:
        return NULL;
    }
}

/* The rows that a brief evaluation stops after. */
static int n_brief(void)
{
    int n = 0;
    while (n < N_MEASURES && measures_table[n] != &kanon__measure_avg_loss)
        n++;
    return n + 1;
}

const kanon__entry *kanon__measure_entry(size_t i)
{
    return i < N_MEASURES ? &measures_table[i]->info : NULL;
}

const kanon__measure *kanon__measure_find(const char *name)
{
    for (int i = 0; i < N_MEASURES; i++)
        if (strcmp(measures_table[i]->info.shown.name, name) == 0)
            return measures_table[i];
    return NULL;
}

static bool of_linkage(const kanon__measure *m)
{
    return m == &kanon__measure_linkage_quasi || m == &kanon__measure_linkage_all || m == &kanon__measure_linkage_error ||
           m == &kanon__measure_inference_found || m == &kanon__measure_inference_found_gain;
}

static bool of_whole_rows(const kanon__measure *m)
{
    return m == &kanon__measure_singled_out || m == &kanon__measure_singled_out_all || of_linkage(m);
}

static bool is_there(const kanon__measure *measure, const kanon__sums *sums, const kanon__subject *s)
{
    if (measure->figure != NULL)
        return (measure->needs & ~sums->has) == 0;
    if (s == NULL || !of_whole_rows(measure))
        return s != NULL;
    if (measure == &kanon__measure_linkage_error && s->linkage != NULL && s->linkage->error == 0)
        return false;
    return of_linkage(measure) ? s->linkage != NULL : s->singled_out != NULL && s->singled_out->is_counted;
}

/* The rows up to n_rows; without a subject, those of the sums alone. */
static kanon_status measure_all(kanon_measures *m, const kanon__sums *sums, const kanon__subject *s,
                                const char *const *wanted, int n_rows, int64_t n_more, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__data *data = sums->data;
    int64_t n = n_more;
    for (int i = 0; i < n_rows; i++)
        n += n_figures(data, measures_table[i]->scope);
    KANON_TRY(kanon__new_array(&m->figures, n, "measures", err), out);
    for (int i = 0; i < n_rows; i++) {
        const kanon__measure *measure = measures_table[i];
        bool listed = is_there(measure, sums, s) && is_wanted(measure, wanted);
        for (int j = 0, n_here = listed ? n_figures(data, measure->scope) : 0; j < n_here; j++) {
            kanon_figure *figure = &m->figures[m->n];
            *figure = (kanon_figure){measure->info.shown.name, attribute_name(data, s, measure->scope, j),
                                     measure->info.shown.brief, 0, measure->whole};
            if (measure->figure != NULL)
                figure->value = measure->figure(sums, j);
            else
                KANON_TRY(measure->compute(&figure->value, s, j, err), out);
            m->n++;
            if (s != NULL)
                KANON_TRY(kanon__tick(s->ticker, (int64_t)m->n, n, KANON__TICK_POLL_NS, err), out);
        }
    }
    KANON_TRY(kanon__homogeneity_warn_all(m, err), out);
    st = kanon__notices_add(&m->notices, KANON_NOTICE_PRIVACY, &m->warnings, err);
out:
    return st;
}

kanon_status kanon__measures_of_sums(kanon_measures **out, const kanon__sums *sums, int64_t n_more, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_measures *m = NULL;
    KANON_TRY(kanon__new_array(&m, 1, "measures", err), out);
    m->k = sums->k;
    KANON_TRY(measure_all(m, sums, NULL, NULL, N_MEASURES, n_more, err), out);
    *out = m;
    m = NULL;
out:
    kanon_measures_free(m);
    return st;
}

/* ---- evaluation -------------------------------------------------------------------------------------------------- */

/* All the sums that wanted measures need. */
static unsigned sums_of(const char *const *wanted, int n_rows)
{
    unsigned needs = 0;
    for (int i = 0; i < n_rows; i++)
        needs |= is_wanted(measures_table[i], wanted) ? measures_table[i]->needs : 0;
    return needs;
}

/* What measures of whole rows read. */
typedef struct whole_rows {
    kanon__permutation *permutation;
    kanon__singled_out singled_out;
    kanon__row_numbers insensitive;
    kanon__linkage linkage;
} whole_rows;

static void clear_rows(whole_rows *rows)
{
    kanon__linkage_clear(&rows->linkage);
    kanon__row_numbers_clear(&rows->insensitive);
    kanon__singled_out_clear(&rows->singled_out);
    kanon__permutation_free(rows->permutation);
}

/* Where one of the first n_measures is of whole rows and wanted. */
static kanon_status find_rows(whole_rows *out, kanon__subject *s, const kanon_table *table, const char *const *wanted,
                              int n_measures, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool rows = false, linkage = false;
    for (int i = 0; i < n_measures; i++) {
        rows = rows || (of_whole_rows(measures_table[i]) && is_wanted(measures_table[i], wanted));
        linkage = linkage || (of_linkage(measures_table[i]) && is_wanted(measures_table[i], wanted));
    }
    if (!rows)
        return KANON_OK;
    const kanon_grouping *made = s->grouping->shows != NULL ? s->grouping->shows : s->grouping;
    if (table->data.has_entity) /* else the places of permuted cells do not matter */
        KANON_TRY(kanon__permutation_new(&out->permutation, table, made->group_of, made->seed, s->threads, err), out);
    KANON_TRY(kanon__singled_out_find(&out->singled_out, linkage ? &out->insensitive : NULL, table, s->grouping,
                                      out->permutation, s->threads, s->ticker, err),
              out);
    s->singled_out = &out->singled_out;
    if (!linkage || !out->singled_out.is_counted)
        goto out;
    KANON_TRY(kanon__linkage_find(&out->linkage, table, s->grouping, &out->insensitive, KANON__LINKAGE_WORK, s->ticker, err),
              out);
    s->linkage = &out->linkage;
out:
    return st;
}

static kanon_status set_sample(kanon__sums *sums, const kanon__settings *settings, kanon_error *err)
{
    int64_t people = sums->data->has_entity ? sums->data->n_entities : sums->n_rows, population = people;
    if ((sums->has & KANON__SUM_RISKS) == 0)
        return KANON_OK;
    if (kanon__setting_given(settings, "population-size"))
        population = kanon__setting_integer(settings, "population-size");
    if (population < people) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "the setting 'population-size' is smaller than the table");
        return kanon__hint(err, st, "give at least the table's %lld %s", (long long)people,
                           sums->data->has_entity ? "entities" : "records");
    }
    sums->sample = kanon__ratio((double)people, (double)population);
    return KANON_OK;
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
    kanon__subject subject = {0};
    kanon__sums sums = {0};
    whole_rows rows = {0};
    *out = NULL;
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    KANON_TRY(kanon__measure_settings(&settings, o.settings, o.n_settings, err), out);
    kanon__ticker_init(&ticker, o.tick, o.payload, "measuring");
    KANON_TRY(kanon__grouping_fits(grouping, table, err), out);
    bool kept = table->policy.keep_suppressed;
    KANON_TRY(kanon__subject_init(&subject, &table->data, grouping, kept, &settings, &ticker, err), out);
    KANON_TRY(kanon__new_array(&m, 1, "measures", err), out);
    subject.k = o.k > 0 ? o.k : subject.k;
    subject.threads = o.threads;
    subject.so_far = m;
    m->k = o.k > 0 ? o.k : grouping->k;
    for (size_t i = 0; i < settings.n; i++)
        if (settings.values[i] != NULL)
            KANON_TRY(kanon__texts_addf(&m->settings, err, "%s=%s", settings.infos[i].name, settings.values[i]), out);
    int n_rows = o.brief ? n_brief() : N_MEASURES;
    KANON_TRY(kanon__subject_sums(&sums, &subject, sums_of(wanted, n_rows), NULL, err), out);
    KANON_TRY(set_sample(&sums, &settings, err), out);
    KANON_TRY(find_rows(&rows, &subject, table, wanted, n_rows, err), out);
    KANON_TRY(measure_all(m, &sums, &subject, wanted, n_rows, 0, err), out);
    *out = m;
    m = NULL;
out:
    kanon_measures_free(m);
    clear_rows(&rows);
    kanon__sums_clear(&sums);
    kanon__subject_clear(&subject);
    kanon__settings_clear(&settings);
    return st;
}

kanon_status kanon__evaluate_some(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                                  const kanon_evaluate_options *options, const char *const *wanted, kanon_error *err)
{
    KANON_RETURN_IN(table->context, evaluate(out, table, grouping, options, wanted, err));
}

void kanon_measures_free(kanon_measures *measures)
{
    if (measures == NULL)
        return;
    kanon__notices_clear(&measures->notices);
    kanon__texts_clear(&measures->warnings);
    kanon__texts_clear(&measures->settings);
    kanon__free(measures->certificate);
    kanon__free(measures->figures);
    kanon__free(measures);
}

const kanon_notice *kanon_measures_notice_at(const kanon_measures *measures, size_t i)
{
    return kanon__notices_at(&measures->notices, i);
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
