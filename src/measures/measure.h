/* A measure: a row of measures.def with a name, a formula for people, and what computes it: a function of sums (sums.h), for
 * every source of groups, or of a table and its groups, where sums are not enough.
 *
 * Figures are made of exact terms (model/terms.h) and raw values, and not of units: so they check what the algorithms
 * optimise. Implemented by the measure_*.c files, called by evaluate.c. */
#ifndef KANON_MEASURES_MEASURE_H
#define KANON_MEASURES_MEASURE_H

#include "core/entry.h"
#include "core/ticker.h"
#include "measures/linkage.h"
#include "measures/singled_out.h"
#include "measures/sums.h"
#include "model/grouping.h"
#include "table/schema/settings.h"

/* The groups of a table. */
typedef struct kanon__subject {
    const kanon__data *table;
    const kanon_grouping *grouping;
    const kanon_grouping *shown; /* what a reader sees: the groups and, last, suppressed records that are kept */
    int32_t *members;            /* the rows of each group of `shown`, ascending, group by group */
    int64_t *begins;             /* group i is members[begins[i] .. begins[i + 1]) */
    const kanon__settings *settings; /* kanon__measure_settings */
    int64_t k;                       /* required, or the size of the smallest group */
    int threads;
    kanon__ticker *ticker;
    const kanon_measures *so_far; /* the figures of the rows above */
    const kanon__singled_out *singled_out; /* where a measure of whole rows is wanted */
    const kanon__linkage *linkage;         /* likewise, one of linkage; and memory suffices */
    kanon_grouping classes;       /* what `shown` points at, where it is not the grouping */
} kanon__subject;

/* `kept`: the suppressed records are released, too. `settings` and `ticker` must outlive *out. */
kanon_status kanon__subject_init(kanon__subject *out, const kanon__data *table, const kanon_grouping *grouping, bool kept,
                                 const kanon__settings *settings, kanon__ticker *ticker, kanon_error *err);
void kanon__subject_clear(kanon__subject *subject);
/* Add its groups up. `diversity` (NULL: not wanted) has room for D of each group. */
kanon_status kanon__subject_sums(kanon__sums *out, const kanon__subject *subject, unsigned has, double *diversity,
                                 kanon_error *err);

/* Whether a group whose codes go from extent[0] to extent[1] shows nothing of the column: any value, or the root. */
bool kanon__shows_nothing(const kanon__column *column, const uint32_t extent[2]);

typedef enum kanon__scope {
    KANON__SCOPE_TABLE = 0, /* one figure */
    KANON__SCOPE_QUASI,     /* one for each quasi attribute */
    KANON__SCOPE_SENSITIVE, /* one for each sensitive attribute */
    KANON__SCOPE_RELEASED   /* one for each column that is released as it is */
} kanon__scope;

typedef struct kanon__measure {
    kanon__entry info; /* KANON__MEASURE_INFO */
    bool whole;        /* a count */
    kanon__scope scope;
    /* Either a function of these sums, or of the whole table and its groups. `i` is the attribute's number among the quasi
     * (sensitive, released) ones. A figure is NAN where there is nothing to measure. */
    unsigned needs;
    double (*figure)(const kanon__sums *sums, int i);
    kanon_status (*compute)(double *out, const kanon__subject *subject, int i, kanon_error *err);
} kanon__measure;

/* What can be set (kanon_evaluate_options.settings), and the settings that some of the measures depend on. */
extern const kanon_setting_info kanon__measure_setting_list[];
enum { KANON__SET_R, KANON__SET_POPULATION, KANON__SET_QUERY, KANON__N_MEASURE_SETTINGS = KANON__SET_QUERY + 5 };

/* Name, formula for people and scope of a measure: of TABLE, each QUASI or each SENSITIVE attribute, or each column that is
 * RELEASED as it is. */
#define KANON__MEASURE_INFO(measure, about, text)                                                                           \
    .info.shown = {.struct_size = sizeof(kanon_entry), .name = #measure, .brief = text, .scope = KANON__TEXT_##about},      \
    .scope = KANON__SCOPE_##about
#define KANON__TEXT_TABLE "table"
#define KANON__TEXT_QUASI "quasi"
#define KANON__TEXT_SENSITIVE "sensitive"
#define KANON__TEXT_RELEASED "released"
/* Of a measure that depends on n of the settings. */
#define KANON__MEASURE_DEPENDS(first, n) .info.settings = kanon__measure_setting_list + (first), .info.n_settings = (n)

/* The descriptor of the measure that is the function of its name: of what; whether it is a count; the sums that it needs;
 * the formula; what else there is to say. */
#define KANON__MEASURE_OF_SUMS(measure, about, is_count, sums, text)                                                        \
    KANON__MEASURE_THAT_DEPENDS(measure, about, is_count, sums, text, .compute = NULL)
#define KANON__MEASURE_THAT_DEPENDS(measure, about, is_count, sums, text, ...)                                              \
    const kanon__measure kanon__measure_##measure = {KANON__MEASURE_INFO(measure, about, text), .whole = is_count,          \
                                                     .needs = sums, .figure = measure, __VA_ARGS__}

#define KANON_MEASURE(name) extern const kanon__measure kanon__measure_##name;
#include "measures/measures.def"
#undef KANON_MEASURE

struct kanon_measures {
    kanon_figure *figures;
    size_t n;
    kanon__texts settings; /* "name=value" of every setting with a value */
    kanon__texts warnings; /* about privacy */
    kanon__notices notices; /* the same, for the caller */
    int64_t k;             /* what the grouping was held against; 0: nothing was asked */
    char *certificate;     /* the name of the file that proves lower_bound; NULL: none does */
};

/* The column of the i-th quasi or sensitive attribute. */
static inline const kanon__column *kanon__subject_quasi(const kanon__subject *s, int i)
{
    return &s->table->columns[s->table->quasi[i]];
}

static inline const kanon__column *kanon__subject_sensitive(const kanon__subject *s, int i)
{
    return &s->table->columns[s->table->sensitive[i]];
}

/* What all measures together can be told, as it is given (NULL: nothing). */
kanon_status kanon__measure_settings(kanon__settings *out, const kanon_setting *given, size_t n, kanon_error *err);
/* The figures that the sums have, and what they show about privacy. *out has room for `n_more` figures. */
kanon_status kanon__measures_of_sums(kanon_measures **out, const kanon__sums *sums, int64_t n_more, kanon_error *err);
/* The i-th measure; NULL past the last. */
const kanon__entry *kanon__measure_entry(size_t i);
/* NULL where there is no measure of that name. */
const kanon__measure *kanon__measure_find(const char *name);
/* kanon_evaluate for the measures named in `wanted` alone, NULL after the last; NULL: all of them. */
kanon_status kanon__evaluate_some(kanon_measures **out, const kanon_table *table, const kanon_grouping *grouping,
                                  const kanon_evaluate_options *options, const char *const *wanted, kanon_error *err);

#endif
