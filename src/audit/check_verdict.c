/* See check_verdict.h. The counterpart of verdict/verdict_run.c for a file whose making is not known: what only the original
 * shows is not shown. */
#include "audit/check_verdict.h"

#include "table/value/figure_text.h"

#include <math.h>
#include <string.h>

static const char *ending(int64_t n)
{
    return n == 1 ? "" : "s";
}

static kanon_status judge_k(kanon_verdict *v, const kanon_check *c, kanon_error *err)
{
    const kanon__verdict_kind row = KANON__VERDICT_K;
    kanon__figure_text k = kanon__show_count(c->k);
    if (c->k_asked == 0)
        return kanon__verdict_add(v, row, KANON_MARK_LOOK, false, err, "the smallest group has %s record%s; no k was asked",
                                  k.text, ending(c->k));
    return kanon__verdict_add(v, row, c->k >= c->k_asked ? KANON_MARK_MET : KANON_MARK_FAILED, true, err,
                              "the smallest group has %s record%s (asked: at least %s)", k.text, ending(c->k),
                              kanon__show_count(c->k_asked).text);
}

static kanon_status judge_persons(kanon_verdict *v, const kanon__checked *d, kanon_error *err)
{
    const kanon__verdict_kind row = KANON__VERDICT_PERSONS;
    const kanon_check *c = d->check;
    if (d->schema->said[KANON__WHOLE_ENTITY] == NULL)
        return KANON_OK;
    for (int64_t i = 0; i < d->persons_not_shown->n; i++)
        KANON_CHECK(kanon__verdict_add(v, row, KANON_MARK_NOT_SHOWN, true, err, "%s", d->persons_not_shown->items[i]));
    if (d->persons_not_shown->n > 0)
        return KANON_OK;
    double asked = fmax((double)c->k_asked, 1);
    kanon__figure_text fewest = kanon__show_count(c->entities);
    if ((double)c->entities < asked)
        return kanon__verdict_add(v, row, KANON_MARK_FAILED, true, err,
                                  "a group has records of %s person%s (asked: at least %s)", fewest.text,
                                  ending(c->entities), kanon__show_count(c->k_asked).text);
    if (c->highest_risk > 1 / asked + 1e-12)
        return kanon__verdict_add(
            v, row, KANON_MARK_LOOK, true, err,
            "every group has records of at least %s persons (asked: at least %s), and one person has %s of the records of "
            "a group, so that a record picked from it is that person's with this chance",
            fewest.text, kanon__show_count(c->k_asked).text, kanon__show_share(c->highest_risk).text);
    return kanon__verdict_add(v, row, KANON_MARK_MET, true, err,
                              "every group has records of at least %s person%s (asked: at least %s)", fewest.text,
                              ending(c->entities), kanon__show_count(c->k_asked).text);
}

/* Whether a sentence of what is not shown is in another row. */
static bool is_said_elsewhere(const kanon__checked *d, const char *sentence)
{
    for (size_t i = 0; i < d->check->n_findings; i++)
        if (strcmp(d->check->findings[i]->sentence, sentence) == 0)
            return true;
    return kanon__texts_find(d->persons_not_shown, sentence, strlen(sentence)) >= 0;
}

static kanon_status judge_requirements(kanon_verdict *v, const kanon__checked *d, kanon_error *err)
{
    const kanon__verdict_kind row = KANON__VERDICT_REQUIREMENT;
    const kanon_check *c = d->check;
    for (size_t i = 0; i < c->n_constraints; i++) {
        const kanon_constraint_status *one = c->constraints[i];
        KANON_CHECK(kanon__verdict_add(
            v, row, one->holds ? KANON_MARK_MET : KANON_MARK_FAILED, true, err, "%s (asked: %s, reached: %s)", one->sentence,
            kanon__show_figure(one->asked, false).text, kanon__show_figure(one->reached, false).text));
    }
    for (size_t i = 0; i < c->n_not_shown; i++)
        if (!is_said_elsewhere(d, c->not_shown[i]))
            KANON_CHECK(kanon__verdict_add(v, row, KANON_MARK_NOT_SHOWN, true, err, "%s", c->not_shown[i]));
    return KANON_OK;
}

/* One that the schema calls identifying, or that nobody gave a role, fails; one that looks like it is to be looked at. */
static kanon_status judge_identifying(kanon_verdict *v, const kanon__checked *d, kanon_error *err)
{
    const kanon__verdict_kind row = KANON__VERDICT_IDENTIFYING;
    const kanon_check *c = d->check;
    bool any = c->identifying_columns > 0 || c->n_unnamed > 0;
    for (int64_t i = 0; i < d->suspicions->n; i++)
        any = any || kanon__suspicion_identifies(d->suspicions->items[i].kind);
    if (c->identifying_columns > 0)
        KANON_CHECK(kanon__verdict_add(v, row, KANON_MARK_FAILED, true, err, "%d identifying column%s in the file",
                                       c->identifying_columns, c->identifying_columns == 1 ? " is" : "s are"));
    for (size_t i = 0; i < c->n_unnamed; i++)
        KANON_CHECK(kanon__verdict_add(v, row, KANON_MARK_FAILED, true, err,
                                       "%s has no role, so it may be anything; give it one (insensitive: released as it is)",
                                       c->unnamed[i]));
    return any ? KANON_OK : kanon__verdict_add(v, row, KANON_MARK_MET, true, err, "none is released");
}

static kanon_status judge_suspicions(kanon_verdict *v, const kanon__checked *d, kanon_error *err)
{
    for (int64_t i = 0; i < d->suspicions->n; i++) {
        const kanon__suspicion *s = &d->suspicions->items[i];
        KANON_CHECK(kanon__verdict_add(
            v, kanon__suspicion_identifies(s->kind) ? KANON__VERDICT_IDENTIFYING : KANON__VERDICT_RELEASED, KANON_MARK_LOOK,
            false, err, "%s: %s", d->column_names[s->column], s->text));
    }
    return KANON_OK;
}

static double figure(const kanon_check *c, const char *name, const char *column)
{
    for (size_t i = 0; i < c->n_figures; i++)
        if (strcmp(c->figures[i]->figure, name) == 0 && strcmp(c->figures[i]->attribute, column) == 0)
            return c->figures[i]->value;
    return NAN;
}

static kanon_status judge_sensitive(kanon_verdict *v, const kanon_check *c, kanon_error *err)
{
    bool any = false, look = false;
    for (size_t i = 0; i < c->n_figures; i++) {
        const kanon_privacy_figure *nearly = c->figures[i];
        if (strcmp(nearly->figure, "nearly_homogeneous") != 0)
            continue;
        any = true;
        if (!(nearly->value > 0))
            continue;
        look = true;
        KANON_CHECK(kanon__verdict_add_homogeneous(v, nearly->attribute, figure(c, "homogeneous", nearly->attribute),
                                                   nearly->value, err));
    }
    return look ? KANON_OK : kanon__verdict_add_mixed(v, any, err);
}

/* Columns that the schema calls permuted count as such, and nothing in the file says whether they are. */
static kanon_status judge_permuted(kanon_verdict *v, const kanon__checked *d, kanon_error *err)
{
    bool asked = !isnan(kanon__fraction_value(d->schema->singled_out));
    if (d->n_permuted == 0 || d->has_original)
        return KANON_OK;
    return kanon__verdict_add(v, KANON__VERDICT_RELEASED, KANON_MARK_NOT_SHOWN, asked, err,
                              "%d column%s said to be permuted within groups; only the original shows it", d->n_permuted,
                              d->n_permuted == 1 ? " is" : "s are");
}

/* A group may be all stars although nothing of it was suppressed, so more than the budget is no failure by itself. */
static kanon_status judge_suppression(kanon_verdict *v, const kanon__checked *d, kanon_error *err)
{
    const kanon_check *c = d->check;
    int64_t most = kanon__fraction_of(d->schema->suppress, c->records);
    if (most < 0 || d->has_original)
        return KANON_OK;
    return kanon__verdict_add(v, KANON__VERDICT_SUPPRESSED, c->suppressed <= most ? KANON_MARK_MET : KANON_MARK_LOOK, false,
                              err, "%s of at most %s rows say nothing", kanon__show_count(c->suppressed).text,
                              kanon__show_count(most).text);
}

/* ---- other files ------------------------------------------------------------------------------------------------- */

/* The row of each finding about other files; notes of the rows where they are no news are left out. */
static const struct {
    const char *name;
    kanon__verdict_kind row;
    bool notes; /* what is only noted is met */
} rows_of_findings[] = {
    {"population", KANON__VERDICT_POPULATION, true}, {"k_map", KANON__VERDICT_POPULATION, true},
    {"missing", KANON__VERDICT_SUPPRESSED, false},   {"extra_column", KANON__VERDICT_RELEASED, false},
    {"permuted", KANON__VERDICT_RELEASED, false},    {"linkage", KANON__VERDICT_RELEASED, true},
    {"earlier", KANON__VERDICT_EARLIER, true},       {"order", KANON__VERDICT_ORDER, true},
    {"uncovered", KANON__VERDICT_CELLS, false},      {"unknown", KANON__VERDICT_CELLS, false},
    {"exchanged", KANON__VERDICT_CELLS, false},      {"means", KANON__VERDICT_CELLS, false},
    {"doubled", KANON__VERDICT_CELLS, false},        {"foreign", KANON__VERDICT_CELLS, false},
    {"partial", KANON__VERDICT_CELLS, false},
};
enum { N_ROWS_OF_FINDINGS = sizeof rows_of_findings / sizeof *rows_of_findings };

static bool has_finding(const kanon_check *c, const char *name)
{
    for (size_t i = 0; i < c->n_findings; i++)
        if (strcmp(c->findings[i]->name, name) == 0)
            return true;
    return false;
}

/* Joint classes that nobody asks for are those of k all the same: few are worth a look. */
static bool is_few(const kanon_check *c, const kanon_finding *f)
{
    int64_t least = c->k_asked > 2 ? c->k_asked : 2;
    return f->mark == KANON_MARK_MET && strcmp(f->name, "earlier") == 0 && f->count < least;
}

static kanon_status judge_finding(kanon_verdict *v, const kanon_check *c, const kanon_finding *f, bool *cells_met,
                                  kanon_error *err)
{
    bool asked = f->mark == KANON_MARK_FAILED || f->mark == KANON_MARK_NOT_SHOWN;
    if (is_few(c, f))
        return kanon__verdict_add(v, KANON__VERDICT_EARLIER, KANON_MARK_LOOK, false, err, "%s; no joint k is asked",
                                  f->sentence);
    if (strcmp(f->name, "population") == 0 && has_finding(c, "k_map"))
        return KANON_OK; /* which says whether so many people are enough */
    for (int i = 0; i < N_ROWS_OF_FINDINGS; i++) {
        if (strcmp(rows_of_findings[i].name, f->name) != 0 || (f->mark == KANON_MARK_MET && !rows_of_findings[i].notes))
            continue;
        *cells_met &= rows_of_findings[i].row != KANON__VERDICT_CELLS;
        return kanon__verdict_add(v, rows_of_findings[i].row, f->mark, asked, err, "%s", f->sentence);
    }
    return KANON_OK;
}

/* What other files tell, and what a file alone does not. */
static kanon_status judge_others(kanon_verdict *v, const kanon_check *c, kanon_error *err)
{
    bool cells_met = has_finding(c, "compared");
    bool has_cells = cells_met;
    for (size_t i = 0; i < c->n_findings; i++)
        KANON_CHECK(judge_finding(v, c, c->findings[i], &cells_met, err));
    if (!has_finding(c, "earlier"))
        KANON_CHECK(kanon__verdict_add(v, KANON__VERDICT_EARLIER, KANON_MARK_NOT_SHOWN, false, err, "none was compared"));
    if (!has_finding(c, "order"))
        KANON_CHECK(kanon__verdict_add(v, KANON__VERDICT_ORDER, KANON_MARK_NOT_SHOWN, false, err,
                                       "only the original shows whether it is that of the table"));
    if (cells_met)
        return kanon__verdict_add(v, KANON__VERDICT_CELLS, KANON_MARK_MET, true, err,
                                  "each cell of the columns that both have was compared with the original");
    return has_cells ? KANON_OK
                     : kanon__verdict_add(v, KANON__VERDICT_CELLS, KANON_MARK_NOT_SHOWN, false, err,
                                          "only the original shows whether they cover it");
}

kanon_status kanon__check_verdict(kanon_verdict *out, const kanon__checked *d, kanon_error *err)
{
    KANON_CHECK(judge_k(out, d->check, err));
    KANON_CHECK(judge_persons(out, d, err));
    KANON_CHECK(judge_requirements(out, d, err));
    KANON_CHECK(judge_suppression(out, d, err));
    KANON_CHECK(judge_identifying(out, d, err));
    KANON_CHECK(kanon__verdict_add_singled_out(out, d->n_kept, d->check->singled_out_all,
                                               kanon__fraction_value(d->schema->singled_out), err));
    KANON_CHECK(judge_permuted(out, d, err));
    KANON_CHECK(judge_suspicions(out, d, err));
    KANON_CHECK(judge_sensitive(out, d->check, err));
    return judge_others(out, d->check, err);
}
