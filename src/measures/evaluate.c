/* Computing every measure of a grouping. */
#include "measures/measure.h"

#include "core/alloc.h"
#include "core/take_options.h"

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

double kanon__subject_term(const kanon__subject *s, int i, int64_t group)
{
    const kanon__column *c = &s->table->columns[s->table->quasi[i]];
    uint32_t lo = s->extents[i][2 * group], hi = s->extents[i][2 * group + 1];
    if (!kanon__column_is_numeric(c)) {
        const kanon__taxonomy *t = c->taxonomy;
        return c->weight * t->height[kanon__taxonomy_lca(t, (int32_t)lo, (int32_t)hi)] / t->height[0];
    }
    if (lo == hi)
        return 0;
    if (hi == c->missing_code)
        return c->weight; /* missing and present together */
    uint32_t n_numbers = c->n_codes - (c->missing_code != KANON__NO_CODE);
    return c->weight * ((c->values[hi] - c->values[lo]) / (c->values[n_numbers - 1] - c->values[0]));
}

static void clear_subject(kanon__subject *s)
{
    for (int i = 0; s->extents != NULL && i < s->table->n_quasi; i++)
        kanon__free(s->extents[i]);
    kanon__free(s->extents);
    kanon__free(s->diversity);
}

static kanon_status set_up_subject(kanon__subject *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    s->k = s->grouping->k > 0 ? s->grouping->k : s->grouping->smallest > 0 ? s->grouping->smallest : 1;
    KANON_TRY(kanon__new_array(&s->extents, s->table->n_quasi, "group extents", err), out);
    KANON_TRY(kanon__new_array(&s->diversity, s->grouping->n_groups, "group losses", err), out);
    for (int i = 0; i < s->table->n_quasi; i++) {
        const kanon__column *c = &s->table->columns[s->table->quasi[i]];
        s->total_weight += c->weight;
        KANON_TRY(kanon__grouping_extents(&s->extents[i], s->grouping, c, err), out);
        for (int64_t group = 0; group < s->grouping->n_groups; group++)
            s->diversity[group] += kanon__subject_term(s, i, group);
    }
out:
    return st;
}

kanon_status kanon_evaluate(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                            const kanon_evaluate_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_evaluate_options o;
    kanon_measures *m = NULL;
    kanon__ticker ticker;
    kanon__subject subject = {.table = table, .grouping = grouping, .ticker = &ticker};
    *out = NULL;
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    if (o.n_settings > 0) {
        st = kanon__fail(err, KANON_EINVAL, "measures have no setting '%s'", o.settings[0].name);
        goto out;
    }
    subject.threads = o.threads;
    kanon__ticker_init(&ticker, o.tick, o.payload, "measuring");
    KANON_TRY(set_up_subject(&subject, err), out);
    KANON_TRY(kanon__new_array(&m, 1, "measures", err), out);
    KANON_TRY(kanon__new_array(&m->figures, N_MEASURES, "measures", err), out);
    for (; m->n < N_MEASURES; m->n++) {
        const kanon__measure *measure = measures_table[m->n];
        m->figures[m->n] = (kanon_figure){.name = measure->name, .formula = measure->formula, .whole = measure->whole};
        KANON_TRY(measure->compute(&m->figures[m->n].value, &subject, err), out);
    }
    *out = m;
    m = NULL;
out:
    kanon_measures_free(m);
    clear_subject(&subject);
    return st;
}

void kanon_measures_free(kanon_measures *measures)
{
    if (measures == NULL)
        return;
    kanon__free(measures->figures);
    kanon__free(measures);
}

size_t kanon_measures_count(const kanon_measures *measures)
{
    return measures->n;
}

const kanon_figure *kanon_measures_at(const kanon_measures *measures, size_t i)
{
    return i < measures->n ? &measures->figures[i] : NULL;
}

const kanon_figure *kanon_measures_find(const kanon_measures *measures, const char *name)
{
    for (size_t i = 0; i < measures->n; i++)
        if (strcmp(measures->figures[i].name, name) == 0)
            return &measures->figures[i];
    return NULL;
}
