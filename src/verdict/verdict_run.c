/* See verdict_run.h. Each function judges one row; the list orders them. A grouping that was made here has passed its
 * check, so what was asked holds; one that was read is held against k alone. */
#include "verdict/verdict_run.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"
#include "measures/singled_out.h"
#include "table/read/whole_domain.h"
#include "table/value/figure_text.h"

#include <kanon_blocks.h>
#include <math.h>
#include <string.h>

typedef kanon__verdict_source source;

static double figure(const source *s, const char *name, const char *column)
{
    const kanon_figure *found = kanon_measures_find(s->measures, name, column);
    return found != NULL ? found->value : NAN;
}

static kanon_status judge_k(kanon_verdict *v, const source *s, kanon_error *err)
{
    const kanon__verdict_kind row = KANON__VERDICT_K;
    double smallest = figure(s, "k", NULL);
    int64_t k = s->measures->k;
    kanon_mark mark = smallest >= (double)k ? KANON_MARK_MET : KANON_MARK_FAILED;
    if (!(figure(s, "groups", NULL) > 0))
        return kanon__verdict_add(v, row, KANON_MARK_MET, k > 0, err, "there is no group, every record is suppressed");
    if (k == 0)
        return kanon__verdict_add(v, row, KANON_MARK_LOOK, false, err, "the smallest group has %s record%s; no k was asked",
                                  kanon__show_figure(smallest, true).text, smallest == 1 ? "" : "s");
    return kanon__verdict_add(v, row, mark, true, err, "the smallest group has %s record%s (asked: at least %s)",
                              kanon__show_figure(smallest, true).text, smallest == 1 ? "" : "s", kanon__show_count(k).text);
}

/* k counts persons, and a person with more than a k-th of the records of a group is found with a higher chance than 1 / k:
 * nobody should read the one without the other. */
static kanon_status judge_persons(kanon_verdict *v, const source *s, const kanon__constraint_status *c, kanon_error *err)
{
    const kanon__verdict_kind row = KANON__VERDICT_PERSONS;
    double risk = figure(s, "highest_risk", NULL), asked = c->asked;
    if (s->external)
        return kanon__verdict_add(v, row, KANON_MARK_MET, true, err, "every group has records of at least %s persons",
                                  kanon__show_figure(asked, true).text);
    if (risk > 1 / asked + 1e-12)
        return kanon__verdict_add(
            v, row, KANON_MARK_LOOK, true, err,
            "every group has records of at least %s persons (asked: at least %s), and one person has %s of the records of "
            "a group, so that a record picked from it is that person's with this chance",
            kanon__show_figure(c->reached, true).text, kanon__show_figure(asked, true).text, kanon__show_share(risk).text);
    return kanon__verdict_add(v, row, KANON_MARK_MET, true, err,
                              "every group has records of at least %s persons (asked: at least %s)",
                              kanon__show_figure(c->reached, true).text, kanon__show_figure(asked, true).text);
}

static kanon_status judge_requirements(kanon_verdict *v, const source *s, kanon_error *err)
{
    const kanon_grouping *g = s->made;
    bool has_persons = s->data->has_entity;
    if (g == NULL)
        return KANON_OK;
    for (int64_t i = 0; i < g->n_constraints; i++) {
        const kanon__constraint_status *c = &g->constraints[i];
        if (i == 0 && has_persons) /* they come first */
            KANON_CHECK(judge_persons(v, s, c, err));
        else if (s->external)
            KANON_CHECK(kanon__verdict_add(v, KANON__VERDICT_REQUIREMENT, KANON_MARK_MET, true, err, "%s", c->sentence));
        else
            KANON_CHECK(kanon__verdict_add(
                v, KANON__VERDICT_REQUIREMENT, KANON_MARK_MET, true, err, "%s (asked: %s, reached: %s)", c->sentence,
                kanon__show_figure(c->asked, false).text, kanon__show_figure(c->reached, false).text));
    }
    if (g->whose != NULL && !s->external)
        KANON_CHECK(kanon__verdict_add(v, KANON__VERDICT_PERSONS, KANON_MARK_LOOK, false, err, "%s", g->whose));
    if (g->n_constraints > 0)
        return KANON_OK;
    if (has_persons)
        KANON_CHECK(kanon__verdict_add(v, KANON__VERDICT_PERSONS, KANON_MARK_NOT_SHOWN, true, err,
                                       "these groups were not held against it here"));
    if (s->policy->n_constraints > 0)
        KANON_CHECK(kanon__verdict_add(v, KANON__VERDICT_REQUIREMENT, KANON_MARK_NOT_SHOWN, true, err,
                                       "the schema asks for %s more; these groups were not held against them here",
                                       kanon__show_count(s->policy->n_constraints).text));
    return KANON_OK;
}

static kanon_status judge_suppression(kanon_verdict *v, const source *s, kanon_error *err)
{
    const kanon_grouping *g = s->made;
    if (s->external || g == NULL || g->most_suppressed < 0)
        return KANON_OK;
    return kanon__verdict_add(
        v, KANON__VERDICT_SUPPRESSED, g->n_suppressed <= g->most_suppressed ? KANON_MARK_MET : KANON_MARK_FAILED, true, err,
        "%s of at most %s", kanon__show_count(g->n_suppressed).text, kanon__show_count(g->most_suppressed).text);
}

static int count_columns(const kanon__data *data, bool kept)
{
    int n = 0;
    for (int i = 0; i < data->n_columns; i++)
        n += kept ? kanon__column_is_as_it_was(&data->columns[i]) : data->columns[i].role == KANON_ROLE_IDENTIFYING;
    return n;
}

static kanon_status add_looks(kanon_verdict *v, kanon__verdict_kind row, const kanon__texts *texts, kanon_error *err)
{
    for (int64_t i = 0; i < texts->n; i++)
        KANON_CHECK(kanon__verdict_add(v, row, KANON_MARK_LOOK, false, err, "%s", texts->items[i]));
    return KANON_OK;
}

static kanon_status judge_columns(kanon_verdict *v, const source *s, kanon_error *err)
{
    int n_left_out = count_columns(s->data, false), n_released = count_columns(s->data, true);
    if (n_left_out > 0)
        KANON_CHECK(kanon__verdict_add(v, KANON__VERDICT_IDENTIFYING, KANON_MARK_MET, true, err, "%d column%s left out",
                                       n_left_out, n_left_out == 1 ? " is" : "s are"));
    else if (s->external || s->made == NULL || s->made->identifying.n == 0)
        KANON_CHECK(kanon__verdict_add(v, KANON__VERDICT_IDENTIFYING, KANON_MARK_MET, true, err, "none is released"));
    KANON_CHECK(kanon__verdict_add_singled_out(v, n_released, figure(s, "singled_out_all", NULL),
                                               s->policy != NULL ? kanon__fraction_value(s->policy->singled_out) : NAN,
                                               err));
    if (!s->external)
        KANON_CHECK(kanon__verdict_add_linkage(v, figure(s, "linkage_quasi", NULL), figure(s, "linkage_all", NULL),
                                               s->measures->k, err));
    if (!s->external && s->warnings != NULL)
        KANON_CHECK(add_looks(v, KANON__VERDICT_RELEASED, s->warnings, err));
    if (s->external || s->made == NULL)
        return KANON_OK;
    KANON_CHECK(add_looks(v, KANON__VERDICT_IDENTIFYING, &s->made->identifying, err));
    return add_looks(v, KANON__VERDICT_RELEASED, &s->made->telling, err);
}

/* Where a sensitive value is all or nearly all of a group, k alone does not hide it. */
static kanon_status judge_sensitive(kanon_verdict *v, const source *s, kanon_error *err)
{
    const kanon__data *data = s->data;
    int n_look = 0;
    for (int i = 0; i < data->n_sensitive; i++) {
        const char *name = data->columns[data->sensitive[i]].name;
        double one = figure(s, "homogeneous", name), nearly = figure(s, "nearly_homogeneous", name);
        if (!(nearly > 0))
            continue;
        n_look++;
        KANON_CHECK(kanon__verdict_add_homogeneous(v, name, one, nearly, err));
    }
    return n_look > 0 ? KANON_OK : kanon__verdict_add_mixed(v, data->n_sensitive > 0, err);
}

/* A release of a state, with all before it. For others, what is required alone. */
static kanon_status judge_earlier(kanon_verdict *v, const source *s, kanon_error *err)
{
    const kanon__verdict_kind row = KANON__VERDICT_EARLIER;
    const kanon__joint_status *j = s->made != NULL ? &s->made->joint : NULL;
    const char *whose = s->data->has_entity ? "persons" : "records";
    if (j == NULL || j->releases == 0 || (s->external && !j->required))
        return kanon__verdict_add(v, row, KANON_MARK_NOT_SHOWN, false, err, "none was compared");
    if (s->external)
        return kanon__verdict_add(v, row, KANON_MARK_MET, true, err,
                                  "no release after the first may leave fewer than %s %s alike that the releases before it "
                                  "leave alike",
                                  kanon__show_count(j->k).text, whose);
    if (j->below == 0)
        return kanon__verdict_add(v, row, KANON_MARK_MET, j->required, err,
                                  "the smallest joint class of %s releases has %s %s (%s: at least %s)%s",
                                  kanon__show_count(j->releases).text, kanon__show_count(j->smallest).text, whose,
                                  j->required ? "asked" : "the k of the state", kanon__show_count(j->k).text,
                                  j->withheld > 0 ? "; records are withheld for that" : "");
    return kanon__verdict_add(v, row, KANON_MARK_LOOK, j->required, err,
                              "%s records are in joint classes of %s releases with fewer than %s %s, %s of them since this "
                              "release%s",
                              kanon__show_count(j->below).text, kanon__show_count(j->releases).text,
                              kanon__show_count(j->k).text, whose, kanon__show_count(j->made_below).text,
                              j->required ? "" : "; joint-k is off");
}

/* A release of which fewer people fit a row is not written. */
static kanon_status judge_population(kanon_verdict *v, const source *s, kanon_error *err)
{
    if (s->policy == NULL || s->policy->k_map == 0)
        return KANON_OK;
    return kanon__verdict_add(v, KANON__VERDICT_POPULATION, s->released ? KANON_MARK_MET : KANON_MARK_NOT_SHOWN, true, err,
                              s->released
                                  ? "at least %s people of the population fit each row: counted before the release got "
                                    "its name"
                                  : "whether at least %s people fit each row is counted when a release is written",
                              kanon__show_count(s->policy->k_map).text);
}

/* Whoever writes a release of groups that were made here compares its cells. Groups that were read may be those of a file
 * that somebody else has written. */
static kanon_status judge_cells(kanon_verdict *v, const source *s, kanon_error *err)
{
    bool read = s->made != NULL && s->made->algorithm == NULL && !s->released;
    return kanon__verdict_add(v, KANON__VERDICT_CELLS, read ? KANON_MARK_NOT_SHOWN : KANON_MARK_MET, !read, err,
                              s->released
                                  ? "each released cell was compared with its original before the release got its name"
                              : read ? "no release was written here"
                                     : "each cell of a release is compared with its original before it is given out");
}

static kanon_status judge_order(kanon_verdict *v, const source *s, kanon_error *err)
{
    static const char *const sentences[] = {
        "that of the table: those who know it know which row is whose; shuffle the rows",
        "that of a hash of the released rows, which tells nothing",
        "a release of this kind has none",
    };
    return kanon__verdict_add(v, KANON__VERDICT_ORDER, s->order == KANON__ORDER_OF_TABLE ? KANON_MARK_LOOK : KANON_MARK_MET,
                              false, err, "%s", sentences[s->order]);
}

kanon_status kanon__verdict_of_run(kanon_verdict *out, const kanon__verdict_source *s, kanon_error *err)
{
    KANON_CHECK(judge_k(out, s, err));
    KANON_CHECK(judge_requirements(out, s, err));
    KANON_CHECK(judge_population(out, s, err));
    KANON_CHECK(judge_suppression(out, s, err));
    KANON_CHECK(judge_columns(out, s, err));
    KANON_CHECK(judge_sensitive(out, s, err));
    KANON_CHECK(judge_earlier(out, s, err));
    KANON_CHECK(judge_order(out, s, err));
    return judge_cells(out, s, err);
}

/* ---- for hosts --------------------------------------------------------------------------------------------------- */

/* The figures that a verdict needs. What somebody finds who knows the originals takes its time, so it is left out where the
 * caller has measured only the first figures. */
static const char *const needed[] = {"linkage_quasi",      "linkage_all",  "groups",          "k", "homogeneous",
                                     "nearly_homogeneous", "highest_risk", "singled_out_all", NULL};
enum { LINKAGE = 2 };

static kanon_status new_verdict(kanon_verdict **out, const source *s, kanon_error *err)
{
    kanon_verdict *verdict = NULL;
    kanon_status st = kanon__new_array(&verdict, 1, "a verdict", err);
    if (st == KANON_OK)
        st = kanon__verdict_of_run(verdict, s, err);
    if (st != KANON_OK)
        kanon_verdict_free(verdict);
    else
        *out = verdict;
    return st;
}

static kanon_status judge(kanon_verdict **out, const kanon_table *table, const kanon_grouping *grouping,
                          const kanon_outputs *outputs, kanon_error *err)
{
    kanon_measures *own = NULL;
    kanon_outputs given;
    KANON_CHECK(kanon__grouping_fits(grouping, table, err));
    KANON_CHECK(kanon__take_options(&given, sizeof given, outputs, err));
    kanon_evaluate_options options = {
        .struct_size = sizeof options, .threads = given.threads, .tick = given.tick, .payload = given.payload};
    kanon_status st = KANON_OK;
    if (given.measures == NULL || kanon_measures_find(given.measures, "highest_risk", NULL) == NULL) /* none, or brief */
        st = kanon__evaluate_some(&own, table, grouping, &options, given.measures == NULL ? needed : needed + LINKAGE, err);
    bool shuffled = given.shuffle != 0 || given.shuffle_seed != 0;
    const source s = {.data = &table->data,
                      .policy = &table->policy,
                      .warnings = &table->privacy,
                      .made = grouping,
                      .measures = own != NULL ? own : given.measures,
                      .order = shuffled ? KANON__ORDER_OF_HASHES : KANON__ORDER_OF_TABLE,
                      .released = given.release != NULL};
    if (st == KANON_OK)
        st = new_verdict(out, &s, err);
    kanon_measures_free(own);
    return st;
}

kanon_status kanon_verdict_of(kanon_verdict **out, const kanon_table *table, const kanon_grouping *grouping,
                              const kanon_outputs *outputs, kanon_error *err)
{
    *out = NULL;
    KANON_RETURN_IN(table->context, judge(out, table, grouping, outputs, err));
}

static kanon_status judge_tally(kanon_verdict **out, const kanon_measures *measures, const kanon__whole *domain,
                                double singled_out, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_measures counted = *measures;
    counted.figures = NULL;
    KANON_TRY(kanon__new_array(&counted.figures, (int64_t)measures->n + 1, "measures", err), out);
    memcpy(counted.figures, measures->figures, measures->n * sizeof *counted.figures);
    counted.figures[counted.n++] = (kanon_figure){.name = "singled_out_all", .value = singled_out};
    const source s = {.data = &domain->data, .measures = &counted, .order = KANON__ORDER_NONE};
    KANON_TRY(new_verdict(out, &s, err), out);
out:
    kanon__free(counted.figures);
    return st;
}

kanon_status kanon_tally_verdict(kanon_verdict **out, const kanon_tally *tally, const kanon_domain *domain,
                                 double singled_out, kanon_error *err)
{
    kanon_measures *measures = NULL;
    const kanon__whole *whole = NULL;
    *out = NULL;
    kanon_status st = kanon_tally_measures(&measures, tally, domain, err);
    if (st == KANON_OK)
        st = kanon__whole_take(&whole, domain, err);
    if (st == KANON_OK)
        st = judge_tally(out, measures, whole, singled_out, err);
    kanon_measures_free(measures);
    return st;
}

void kanon_verdict_free(kanon_verdict *verdict)
{
    if (verdict == NULL)
        return;
    kanon__verdict_clear(verdict);
    kanon__free(verdict);
}
