/* See advice.h. First what the groups themselves show (who pays most, what says nothing, which requirement is tight), then
 * what was tried (trials.h), what saves most first, and last what to run next.
 * Called through kanon_advise; calls the formulas of measure.h. */
#include "advice/advice.h"

#include "advice/added_columns.h"
#include "advice/changed_column.h"
#include "advice/trials.h"
#include "core/alloc.h"
#include "core/context.h"
#include "core/escape.h"
#include "core/take_options.h"
#include "measures/measure.h"
#include "model/terms.h"
#include "model/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TEXT = 1000 };

/* What is worth a sentence. */
#define LEAST_SAVED 0.02 /* of the loss */
#define LEAST_SHIFT 0.15 /* of the loss of the other columns, where one column pays for them, */
#define MOST_PAID 0.25   /* and all together loses no more than this */
enum {
    MOST_LEFT_OUT = 3, /* sentences about columns that are left out, */
    MOST_SHIFTS = 2,   /* weights and bands, of each */
    MOST_COLUMNS = 12, /* columns that are tried, those that pay most */
    MOST_PAYERS = 3,   /* whose weight and bands are tried */
    MOST_READ = 1000000 /* records of a table that is read again for its other columns */
};

/* What an attribute costs in these groups. */
typedef struct attribute_cost {
    double loss;
    double bands;  /* the part of it that its bands would cost if every record were a group */
    int64_t any;   /* records that show nothing of it */
    int64_t gaps;  /* records without a value */
    int64_t mixed; /* records of groups in which some have a value and some do not */
} attribute_cost;

/* All that the sentences are made from. */
typedef struct findings {
    const kanon_table *table;
    const kanon_grouping *grouping;
    attribute_cost *costs; /* by quasi attribute */
    int *order;            /* the attributes, the one that costs most first */
    double loss;
    kanon__trials trials;
} findings;

/* One piece of advice before it is a sentence in the list. */
typedef struct piece {
    const char *topic, *option;
    char value[TEXT];
    double saves, others;
    int attribute; /* -1: none */
} piece;

/* Topic and option are literals, or NULL. */
static kanon_status add_piece(kanon_advice *a, const findings *f, const piece *p, const char *sentence, kanon_error *err)
{
    bool is_whole = p->option != NULL && strlen(p->value) + 1 < sizeof p->value; /* a part of it is nothing to be said */
    KANON_CHECK(kanon__grow_array(&a->items, &a->capacity, a->n + 1, "advice", err));
    KANON_CHECK(kanon__new_array(&a->items[a->n], 1, "advice", err));
    a->n++;
    KANON_CHECK(kanon__texts_add(&a->sentences, sentence, strlen(sentence), err));
    KANON_CHECK(kanon__texts_add(&a->values, p->value, strlen(p->value), err));
    *a->items[a->n - 1] = (kanon_advice_item){
        .sentence = a->sentences.items[a->n - 1],
        .topic = p->topic,
        .saves = p->saves,
        .others = p->others,
        .option = is_whole ? p->option : NULL,
        .value = is_whole ? a->values.items[a->n - 1] : NULL,
        .column = p->attribute >= 0 ? f->table->data.columns[f->table->data.quasi[p->attribute]].name : NULL,
    };
    return KANON_OK;
}

/* What the groups show, without a promise. */
static kanon_status add(kanon_advice *a, const char *topic, const char *sentence, kanon_error *err)
{
    const piece fact = {.topic = topic, .saves = NAN, .others = NAN, .attribute = -1};
    return add_piece(a, NULL, &fact, sentence, err);
}

static const kanon__column *quasi(const findings *f, int i)
{
    return &f->table->data.columns[f->table->data.quasi[i]];
}

/* Whole percent for sentences: what is not nothing is at least 1, what is not all at most 99. */
static int percent(double part, double whole)
{
    if (!(whole > 0) || !(part > 0))
        return 0;
    double share = 100 * part / whole;
    return share >= 100 - 1e-9 ? 100 : share < 1 ? 1 : share > 99 ? 99 : (int)lround(share);
}

/* ---- what the groups show ----------------------------------------------------------------------------------------- */

/* Records without a value, and those of the groups that mix them with others. The missing value has the last code. */
static kanon_status measure_gaps(attribute_cost *out, const findings *f, const kanon__column *c, kanon_error *err)
{
    uint32_t *extents = NULL, missing = c->domain->missing_code;
    if (missing == KANON__NO_CODE || missing != c->domain->n_codes - 1)
        return KANON_OK;
    for (int64_t row = 0; row < f->table->data.n_rows; row++)
        out->gaps += kanon__code_at(c->codes, row) == missing;
    KANON_CHECK(kanon__grouping_extents(&extents, f->grouping, c, err));
    for (int64_t i = 0; i < f->grouping->n_groups; i++)
        if (extents[2 * i + 1] == missing && extents[2 * i] != missing)
            out->mixed += f->grouping->sizes[i];
    kanon__free(extents);
    return KANON_OK;
}

static double cost_of_bands(const findings *f, const kanon__column *c)
{
    double sum = 0;
    if (c->domain->bands == NULL)
        return 0;
    for (int64_t row = 0; row < f->table->data.n_rows; row++) {
        uint32_t code = kanon__code_at(c->codes, row);
        if (f->grouping->group_of[row] >= 0 && code != c->domain->missing_code)
            sum += (double)kanon__term_part(KANON__TERMS_LOSS, c->domain, code, code);
    }
    return c->weight * sum / (double)kanon__term_whole(KANON__TERMS_LOSS, c->domain);
}

static void sort_by_loss(findings *f)
{
    for (int i = 0; i < f->table->data.n_quasi; i++) {
        int at = i;
        for (; at > 0 && f->costs[f->order[at - 1]].loss < f->costs[i].loss; at--)
            f->order[at] = f->order[at - 1];
        f->order[at] = i;
    }
}

static kanon_status measure(findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__subject subject = {0};
    kanon__sums sums = {0};
    kanon__ticker ticker;
    kanon__ticker_init(&ticker, NULL, NULL, "measuring");
    KANON_TRY(kanon__new_array(&f->costs, f->table->data.n_quasi, "costs", err), out);
    KANON_TRY(kanon__new_array(&f->order, f->table->data.n_quasi, "costs", err), out);
    KANON_TRY(kanon__subject_init(&subject, &f->table->data, f->grouping, false, NULL, &ticker, err), out);
    KANON_TRY(kanon__subject_sums(&sums, &subject, KANON__SUM_LOSSES | KANON__SUM_HIDDEN, NULL, err), out);
    for (int i = 0; i < f->table->data.n_quasi; i++) {
        f->costs[i].loss = kanon__measure_attribute_loss.figure(&sums, i);
        f->costs[i].any = sums.quasi[i].hidden + f->grouping->n_suppressed;
        if (f->grouping->recode_maps == NULL) {
            f->costs[i].bands = cost_of_bands(f, quasi(f, i));
            KANON_TRY(measure_gaps(&f->costs[i], f, quasi(f, i), err), out);
        }
    }
    f->loss = kanon__measure_information_loss.figure(&sums, 0);
    sort_by_loss(f);
out:
    kanon__sums_clear(&sums);
    kanon__subject_clear(&subject);
    return st;
}

/* Who pays most, and what would be the least to be gained: the same groups stay possible without the column. */
static kanon_status advise_on_worst(kanon_advice *a, const findings *f, kanon_error *err)
{
    char text[TEXT];
    if (f->table->data.n_quasi < 2 || !(f->loss > 0))
        return KANON_OK;
    snprintf(text, sizeof text, "%.*s pays most: %d %% of the loss", KANON__CUT(quasi(f, f->order[0])->name, 200),
             percent(f->costs[f->order[0]].loss, f->loss));
    return add(a, "payer", text, err);
}

/* Bands and trees of the schema that cost by themselves, whatever the groups are. */
static kanon_status advise_on_forms(kanon_advice *a, const findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char text[TEXT];
    for (int i = 0; st == KANON_OK && i < f->table->data.n_quasi && i < MOST_COLUMNS; i++) {
        const kanon__column *c = quasi(f, f->order[i]);
        const attribute_cost *cost = &f->costs[f->order[i]];
        if (cost->bands > LEAST_SAVED * f->loss) {
            snprintf(text, sizeof text,
                     "%.*s: %d %% of the loss, of which its bands cost %d %% by themselves and the groups the rest: with "
                     "narrower bands groups that need none are shown more exactly",
                     KANON__CUT(c->name, 200), percent(cost->loss, f->loss), percent(cost->bands, f->loss));
            st = add(a, "narrower-bands", text, err);
        } else if (i == 0 && !kanon__column_is_numeric(c) && c->domain->taxonomy->flat && f->loss > 0) {
            snprintf(text, sizeof text,
                     "%.*s has no taxonomy, so a cell of it is either exact or *; a taxonomy has steps in between",
                     KANON__CUT(c->name, 200));
            st = add(a, "taxonomy", text, err);
        }
    }
    return st;
}

/* Columns that came out mostly as any value are of no use to anybody. */
static kanon_status advise_on_any(kanon_advice *a, const findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char text[TEXT];
    for (int i = 0; st == KANON_OK && i < f->table->data.n_quasi; i++) {
        int share = percent((double)f->costs[i].any, (double)f->grouping->n_rows);
        if (share < 50)
            continue;
        snprintf(text, sizeof text, "%.*s says nothing in %d %% of the records: leave it out, or make its values coarser",
                 KANON__CUT(quasi(f, i)->name, 200), share);
        st = add(a, "hidden", text, err);
    }
    return st;
}

/* ---- which requirement is tight ---------------------------------------------------------------------------------- */

static kanon_status advise_on_constraints(kanon_advice *a, const findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon_grouping *g = f->grouping;
    char text[TEXT];
    for (int64_t i = 0; st == KANON_OK && i < g->n_constraints; i++) {
        const kanon__constraint_status *c = &g->constraints[i];
        if (!(fabs(c->reached - c->asked) <= 1e-9 * fabs(c->asked)))
            continue;
        snprintf(text, sizeof text, "a tight requirement, of which some group reaches no more than was asked: %.*s",
                 KANON__CUT(c->sentence, 400));
        st = add(a, "constraint", text, err);
    }
    if (st != KANON_OK || !isfinite(g->loss_with) || !isfinite(g->loss_without) || !(g->loss_without > 0))
        return st;
    double more = 100 * (g->loss_with / g->loss_without - 1);
    if (fabs(more) < 0.5)
        return add(a, NULL, "what is asked in addition to k costs next to nothing", err);
    snprintf(text, sizeof text, "what is asked in addition to k %s %.0f %% of the loss", more > 0 ? "costs" : "saves",
             fabs(more));
    return add(a, NULL, text, err);
}

static kanon_status advise_on_budget(kanon_advice *a, const findings *f, kanon_error *err)
{
    const kanon_grouping *g = f->grouping;
    char text[300];
    if (g->most_suppressed <= 0 || g->n_suppressed < g->most_suppressed)
        return KANON_OK;
    snprintf(text, sizeof text, "the budget of suppressed records is used up (%lld)", (long long)g->most_suppressed);
    return add(a, "suppress", text, err);
}

/* ---- what is tried ------------------------------------------------------------------------------------------------ */

static kanon_status want(findings *f, kanon__trial_kind kind, int attribute, const char *text, kanon_error *err)
{
    kanon__trial trial = {.kind = kind, .attribute = attribute};
    snprintf(trial.text, sizeof trial.text, "%s", text);
    return kanon__trials_add(&f->trials, &trial, err);
}

/* The columns that pay most: left out, of less weight, in bands, behind a mask. */
static kanon_status want_columns(findings *f, kanon_error *err)
{
    char text[KANON__TRIAL_TEXT];
    for (int i = 0; i < f->table->data.n_quasi && i < MOST_COLUMNS; i++) {
        int at = f->order[i];
        const kanon__column *c = quasi(f, at);
        if (f->table->data.n_quasi > 1)
            KANON_CHECK(want(f, KANON__TRIAL_LEAVE_OUT, at, "", err));
        if (i < MOST_PAYERS && kanon__changed_column_masks(c))
            KANON_CHECK(want(f, KANON__TRIAL_MASK, at, "right", err));
        if (i >= MOST_PAYERS || f->table->data.n_quasi < 2)
            continue;
        snprintf(text, sizeof text, "%.4g", 0.3 * c->weight);
        KANON_CHECK(want(f, KANON__TRIAL_WEIGHT, at, text, err));
        snprintf(text, sizeof text, "%.4g", 0.1 * c->weight);
        if (i == 0)
            KANON_CHECK(want(f, KANON__TRIAL_WEIGHT, at, text, err));
        if (kanon__changed_column_bands(text, sizeof text, c))
            KANON_CHECK(want(f, KANON__TRIAL_BANDS, at, text, err));
    }
    return KANON_OK;
}

/* Whether missing values make many more cells say nothing than there are of them. */
static bool is_holed(const findings *f, int attribute)
{
    const attribute_cost *c = &f->costs[attribute];
    double n = (double)f->grouping->n_rows;
    return c->gaps > 0 && (double)c->gaps <= 0.1 * n && c->mixed >= 3 * c->gaps && (double)c->mixed >= 0.05 * n;
}

/* The share that was allowed, and `more`, upwards to a thousandth. */
static void more_suppressed(char out[KANON__TRIAL_TEXT], const findings *f, double more)
{
    const kanon_grouping *g = f->grouping;
    double share = (g->most_suppressed > 0 ? (double)g->most_suppressed / (double)g->n_rows : 0) + more;
    snprintf(out, KANON__TRIAL_TEXT, "%.3f", ceil(share * 1000 - 1e-6) / 1000);
}

/* Columns that are released as they are, and may be known from elsewhere. */
static kanon_status want_added(findings *f, kanon_error *err)
{
    bool some = false;
    for (int i = 0; i < f->table->data.n_columns; i++)
        some = some || kanon__column_can_be_added(&f->table->data, i);
    return some && f->table->data.n_rows <= MOST_READ ? want(f, KANON__TRIAL_ADD, -1, "0.1", err) : KANON_OK;
}

static kanon_status want_whole(findings *f, kanon_error *err)
{
    const kanon_grouping *g = f->grouping;
    int64_t k = g->k > 0 ? g->k : g->smallest;
    char text[KANON__TRIAL_TEXT];
    kanon__trial half = {.kind = KANON__TRIAL_K, .attribute = -1, .k = k / 2};
    if (g->most_suppressed <= 0 || g->n_suppressed >= g->most_suppressed) {
        double used = g->most_suppressed > 0 ? (double)g->most_suppressed / (double)g->n_rows : 0.01;
        more_suppressed(text, f, used);
        KANON_CHECK(want(f, KANON__TRIAL_SUPPRESS, -1, text, err));
    }
    for (int i = 0; i < f->table->data.n_quasi; i++)
        if (is_holed(f, i)) {
            more_suppressed(text, f, (double)f->costs[i].gaps / (double)g->n_rows);
            KANON_CHECK(want(f, KANON__TRIAL_SUPPRESS, i, text, err));
        }
    return half.k >= 2 ? kanon__trials_add(&f->trials, &half, err) : KANON_OK;
}

static kanon_status try_all(findings *f, const kanon_advise_options *o, kanon_error *err)
{
    if (o->measured || !(f->loss > 0) || !kanon__trials_possible(f->table, f->grouping))
        return KANON_OK;
    KANON_CHECK(want(f, KANON__TRIAL_BASELINE, -1, "", err));
    KANON_CHECK(want_columns(f, err));
    KANON_CHECK(want_whole(f, err));
    KANON_CHECK(want_added(f, err));
    return kanon__trials_run(&f->trials, f->table, f->grouping, o, err);
}

/* What a trial says, in shares of the baseline. */
typedef struct promise {
    const kanon__trial *trial;
    double saves;  /* of the loss, the column's own part included */
    double others; /* of what the other columns lose */
    double own;    /* how much more the column loses: 0.5 is half as much again */
    double bands;  /* of that, what the bands alone do */
} promise;

static promise promise_of(const findings *f, const kanon__trial *t)
{
    const kanon__trial *base = &f->trials.items[0];
    promise p = {.trial = t, .saves = 1 - t->loss / base->loss, .others = NAN, .own = NAN, .bands = NAN};
    if (t->attribute < 0)
        return p;
    double own = f->trials.baseline[t->attribute], others = base->loss - own;
    p.others = others > 0 ? 1 - (t->loss - t->own) / others : 0;
    p.own = own > 0 ? t->own / own - 1 : 0;
    p.bands = own > 0 ? (t->own - t->exact) / own : 0;
    return p;
}

/* What some column pays for the others: not less loss, but less where it is wanted. */
static bool is_shift(kanon__trial_kind kind)
{
    return kind == KANON__TRIAL_WEIGHT || kind == KANON__TRIAL_BANDS;
}

static bool is_worth_it(const promise *p)
{
    if (p->trial->kind == KANON__TRIAL_ADD) /* what protection costs */
        return p->saves >= -MOST_PAID;
    return is_shift(p->trial->kind) ? p->others >= LEAST_SHIFT && p->saves >= -MOST_PAID : p->saves >= LEAST_SAVED;
}

/* What saves comes first, most of it first; then what shifts, likewise; a smaller k, which protects less; what protects
 * more. */
static int rank_of(const promise *p)
{
    return p->trial->kind == KANON__TRIAL_ADD ? 3 : p->trial->kind == KANON__TRIAL_K ? 2 : is_shift(p->trial->kind) ? 1 : 0;
}

static int by_saving(const void *left, const void *right)
{
    const promise *a = left, *b = right;
    if (rank_of(a) != rank_of(b))
        return rank_of(a) - rank_of(b);
    double x = is_shift(a->trial->kind) ? a->others : a->saves, y = is_shift(b->trial->kind) ? b->others : b->saves;
    if (x != y)
        return x < y ? 1 : -1;
    return a->trial < b->trial ? -1 : a->trial > b->trial;
}

static kanon_status say_column(kanon_advice *a, const findings *f, const promise *p, kanon_error *err)
{
    const kanon__trial *t = p->trial;
    const char *name = quasi(f, t->attribute)->name;
    const char *whole = p->saves < 0 ? "more" : "less";
    char text[TEXT];
    piece said = {.saves = p->saves, .others = p->others, .attribute = t->attribute};
    snprintf(said.value, sizeof said.value, "%s=%s", name, t->text);
    if (t->kind == KANON__TRIAL_LEAVE_OUT) {
        said.topic = "leave-out";
        said.option = "identifying";
        snprintf(said.value, sizeof said.value, "%s", name);
        char others[40] = "as much as before";
        if (fabs(p->others) >= 0.005)
            snprintf(others, sizeof others, "%d %% %s", percent(fabs(p->others), 1), p->others < 0 ? "more" : "less");
        snprintf(text, sizeof text,
                 "leaving out %.*s saves about %d %% of the loss: %d %% is its own, and the other columns lose %s",
                 KANON__CUT(name, 200), percent(p->saves, 1),
                 percent(f->trials.baseline[t->attribute], f->trials.items[0].loss), others);
    } else if (t->kind == KANON__TRIAL_MASK) {
        said.topic = "taxonomy";
        said.option = "mask";
        snprintf(text, sizeof text, "masking %.*s from the right saves about %d %% of the loss: a cell is then no longer "
                 "either exact or *", KANON__CUT(name, 200), percent(p->saves, 1));
    } else {
        char bands[80] = "", own[80] = "much more, as it loses next to nothing now";
        bool banded = t->kind == KANON__TRIAL_BANDS;
        said.topic = banded ? "bands" : "weight";
        said.option = banded ? "bands" : "weight";
        if (f->trials.baseline[t->attribute] > 0.01 * f->trials.items[0].loss)
            snprintf(own, sizeof own, "%.0f %% %s", 100 * fabs(p->own), p->own < 0 ? "less" : "more");
        if (banded)
            snprintf(bands, sizeof bands, ", %d %% by the bands alone", percent(p->bands, 1));
        snprintf(text, sizeof text, "if %.*s matters less than the others, give it %s %.60s: the others lose about %d %% "
                 "less, %.*s itself %.79s%.79s, all together %d %% %s",
                 KANON__CUT(name, 200), banded ? "bands of" : "the weight", t->text, percent(p->others, 1),
                 KANON__CUT(name, 200), own, bands, percent(fabs(p->saves), 1), whole);
    }
    return add_piece(a, f, &said, text, err);
}

/* Columns that are released as they are, as quasi-identifiers: what that costs the others. */
static kanon_status say_added(kanon_advice *a, const findings *f, const promise *p, kanon_error *err)
{
    char text[TEXT], names[300] = "";
    piece said = {.topic = "quasi", .saves = p->saves, .others = p->saves, .option = "quasi", .attribute = -1};
    int n = f->trials.n_added;
    for (int i = 0; i < n; i++) {
        const char *name = f->table->data.columns[f->trials.added[i]].name;
        size_t in_names = strlen(names), in_value = strlen(said.value);
        snprintf(names + in_names, sizeof names - in_names, "%s%.*s", i == 0 ? "" : i == n - 1 ? " and " : ", ",
                 KANON__CUT(name, 60));
        snprintf(said.value + in_value, sizeof said.value - in_value, "%s%s", i == 0 ? "" : ",", name);
    }
    char cost[40] = "less than 5 %"; /* two short searches differ by as much */
    if (p->saves <= -0.03)
        snprintf(cost, sizeof cost, "about %d %%", percent(-p->saves, 1));
    snprintf(text, sizeof text,
             "%s %s, and may single out a person: as %s of weight %s %s the columns that are protected now %s more loss",
             names, n == 1 ? "is released as it is" : "are released as they are",
             n == 1 ? "a quasi-identifier" : "quasi-identifiers", p->trial->text, n == 1 ? "it costs" : "they cost", cost);
    KANON_CHECK(add_piece(a, f, &said, text, err));
    /* the other means needs no trial: no quasi-identifier changes */
    said.topic = said.option = "permute";
    said.saves = said.others = NAN;
    snprintf(text, sizeof text, "permuted within the groups, %s cost%s no loss: the values stay, and no row tells whose they are",
             names, n == 1 ? "s" : "");
    return add_piece(a, f, &said, text, err);
}

static kanon_status say_whole(kanon_advice *a, const findings *f, const promise *p, kanon_error *err)
{
    const kanon__trial *t = p->trial;
    const kanon_grouping *g = f->grouping;
    char text[TEXT];
    piece said = {.saves = p->saves, .others = NAN, .attribute = t->attribute};
    if (t->kind == KANON__TRIAL_K) {
        said.topic = "tradeoff";
        said.option = "k";
        snprintf(said.value, sizeof said.value, "%lld", (long long)t->k);
        snprintf(text, sizeof text, "k = %lld loses about %d %% less, and protects less", (long long)t->k,
                 percent(p->saves, 1));
        return add_piece(a, f, &said, text, err);
    }
    double share = 100 * kanon__weight_parse(t->text).value;
    said.topic = "suppress";
    said.option = "suppress";
    snprintf(said.value, sizeof said.value, "%s", t->text);
    if (t->attribute < 0)
        snprintf(text, sizeof text, "a budget of %.3g %% suppressed records saves about %d %% of the loss, with what these "
                 "records lose", share, percent(p->saves, 1));
    else
        snprintf(text, sizeof text, "%.*s is missing in %.2g %% of the records, and shows nothing in %d %% because of "
                 "that: a budget of %.3g %% suppressed records saves about %d %% of the loss, with what these records lose",
                 KANON__CUT(quasi(f, t->attribute)->name, 200),
                 100 * (double)f->costs[t->attribute].gaps / (double)g->n_rows,
                 percent((double)f->costs[t->attribute].mixed, (double)g->n_rows), share, percent(p->saves, 1));
    return add_piece(a, f, &said, text, err);
}

/* Of one column, or of the whole, each kind has one sentence: the better one. */
static bool is_said(const promise *promises, int64_t n, const promise *p)
{
    const kanon__trial *t = p->trial;
    int n_alike = 0, most = t->kind == KANON__TRIAL_LEAVE_OUT ? MOST_LEFT_OUT : is_shift(t->kind) ? MOST_SHIFTS : 1;
    for (int64_t i = 0; i < n; i++) {
        const kanon__trial *before = promises[i].trial;
        if (before->kind == t->kind && before->attribute == t->attribute)
            return true;
        n_alike += before->kind == t->kind && is_worth_it(&promises[i]);
    }
    return n_alike >= most;
}

static kanon_status say_gaps(kanon_advice *a, const findings *f, int attribute, kanon_error *err)
{
    char text[TEXT];
    double n = (double)f->grouping->n_rows;
    snprintf(text, sizeof text, "%.*s is missing in %.2g %% of the records, and shows nothing in %d %% because of that",
             KANON__CUT(quasi(f, attribute)->name, 200), 100 * (double)f->costs[attribute].gaps / n,
             percent((double)f->costs[attribute].mixed, n));
    return add(a, "missing", text, err);
}

/* Missing values that cost much, where no trial has said so. */
static kanon_status advise_on_gaps(kanon_advice *a, const findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int i = 0; st == KANON_OK && i < f->table->data.n_quasi; i++) {
        bool said = false;
        for (int64_t j = 0; j < a->n; j++)
            said = said || (a->items[j]->column == quasi(f, i)->name && strcmp(a->items[j]->topic, "suppress") == 0);
        if (is_holed(f, i) && !said)
            st = say_gaps(a, f, i, err);
    }
    return st;
}

static kanon_status say_how(kanon_advice *a, const findings *f, kanon_error *err)
{
    char text[TEXT];
    long long n = (long long)f->trials.n_tried, all = (long long)f->grouping->n_rows;
    int length = snprintf(text, sizeof text, "what is said to be saved was tried by short runs on %s%lld records",
                          n < all ? "" : "all ", n);
    if (n < all)
        snprintf(text + length, sizeof text - (size_t)length, " of %lld", all);
    return add(a, NULL, text, err);
}

static kanon_status advise_on_trials(kanon_advice *a, const findings *f, kanon_error *err)
{
    kanon_status st = KANON_OK;
    promise *promises = NULL;
    int64_t n = 0, n_said = 0;
    if (f->trials.n == 0 || !f->trials.items[0].done || !(f->trials.items[0].loss > 0))
        return KANON_OK;
    KANON_TRY(kanon__new_array(&promises, f->trials.n, "advice", err), out);
    for (int64_t i = 1; i < f->trials.n; i++)
        if (f->trials.items[i].done)
            promises[n++] = promise_of(f, &f->trials.items[i]);
    qsort(promises, (size_t)n, sizeof *promises, by_saving);
    for (int64_t i = 0; i < n; i++) {
        const promise *p = &promises[i];
        if (!is_worth_it(p) || is_said(promises, i, p))
            continue;
        bool of_column = p->trial->attribute >= 0 && p->trial->kind != KANON__TRIAL_SUPPRESS;
        KANON_TRY(p->trial->kind == KANON__TRIAL_ADD ? say_added(a, f, p, err)
                  : of_column                        ? say_column(a, f, p, err)
                                                     : say_whole(a, f, p, err),
                  out);
        n_said++;
    }
    if (n_said > 0)
        st = say_how(a, f, err);
out:
    kanon__free(promises);
    return st;
}

/* ---- what to run next --------------------------------------------------------------------------------------------- */

/* About how long a proof takes on one processor, from the records and columns alone, so that it is the same everywhere. The
 * figures are in docs/advice.md: numbers of many values take longer than categories. */
static double seconds_of_proof(const findings *f, int64_t k)
{
    enum { MANY_VALUES = 100 };
    int n_numbers = 0;
    for (int i = 0; i < f->table->data.n_quasi; i++)
        n_numbers += kanon__column_is_numeric(quasi(f, i)) && quasi(f, i)->domain->n_codes > MANY_VALUES;
    return 1e-4 * (double)f->grouping->n_rows * (double)k * (1 + 0.3 * n_numbers * n_numbers);
}

static kanon_status advise_on_proof(kanon_advice *a, const findings *f, kanon_error *err)
{
    const kanon_grouping *g = f->grouping;
    int64_t k = g->k > 0 ? g->k : g->smallest;
    char text[TEXT];
    if (k < 2 || g->n_suppressed > 0 || f->table->data.has_entity)
        return KANON_OK;
    double seconds = seconds_of_proof(f, k);
    bool minutes = seconds >= 90, hours = seconds >= 90 * 60;
    double shown = hours ? seconds / 3600 : minutes ? seconds / 60 : seconds;
    double step = shown < 10 ? 1 : shown < 100 ? 10 : 100;
    shown = fmax(1, round(shown / step) * step);
    snprintf(text, sizeof text, "how near these groups are to the best can be proved, in about %.0f %s%s on one processor",
             shown, hours ? "hour" : minutes ? "minute" : "second", shown == 1 ? "" : "s");
    return add(a, "bound", text, err);
}

static kanon_status advise_on_next(kanon_advice *a, const findings *f, bool proved, kanon_error *err)
{
    const kanon_grouping *g = f->grouping;
    if (!(f->loss > 0) || g->n_groups == 0)
        return KANON_OK;
    bool movable = g->recode_maps == NULL && !(f->table->data.has_entity && f->table->policy.entity_together);
    if (g->algorithm != NULL && g->refinement == NULL && movable)
        KANON_CHECK(add(a, "refine", "a refinement by search can lower the loss of these groups", err));
    else
        KANON_CHECK(add(a, "tradeoff", "what other sizes of groups cost is shown by a trade-off curve", err));
    return proved ? KANON_OK : advise_on_proof(a, f, err);
}

static kanon_status advise(kanon_advice **out, const kanon_table *table, const kanon_grouping *grouping,
                           const kanon_advise_options *options, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_advice *a = NULL;
    kanon_advise_options o;
    findings f = {.table = table, .grouping = grouping};
    *out = NULL;
    KANON_TRY(kanon__take_options(&o, sizeof o, options, err), out);
    kanon__call_ticks(&o.tick, &o.payload);
    KANON_TRY(kanon__grouping_fits(grouping, table, err), out);
    KANON_TRY(kanon__new_array(&a, 1, "advice", err), out);
    KANON_TRY(measure(&f, err), out);
    KANON_TRY(try_all(&f, &o, err), out);
    KANON_TRY(advise_on_worst(a, &f, err), out);
    KANON_TRY(advise_on_forms(a, &f, err), out);
    KANON_TRY(advise_on_any(a, &f, err), out);
    KANON_TRY(advise_on_constraints(a, &f, err), out);
    KANON_TRY(advise_on_budget(a, &f, err), out);
    KANON_TRY(advise_on_trials(a, &f, err), out);
    KANON_TRY(advise_on_gaps(a, &f, err), out);
    KANON_TRY(advise_on_next(a, &f, o.proved != 0, err), out);
    *out = a;
    a = NULL;
out:
    kanon__trials_clear(&f.trials);
    kanon__free(f.order);
    kanon__free(f.costs);
    kanon_advice_free(a);
    return st;
}

kanon_status kanon_advise_with(kanon_advice **out, const kanon_table *table, const kanon_grouping *grouping,
                               const kanon_advise_options *options, kanon_error *err)
{
    KANON_RETURN_IN(table->context, advise(out, table, grouping, options, err));
}

kanon_status kanon_advise(kanon_advice **out, const kanon_table *table, const kanon_grouping *grouping, kanon_error *err)
{
    return kanon_advise_with(out, table, grouping, NULL, err);
}

void kanon_advice_free(kanon_advice *a)
{
    if (a == NULL)
        return;
    for (int64_t i = 0; i < a->n; i++)
        kanon__free(a->items[i]);
    kanon__free(a->items);
    kanon__texts_clear(&a->values);
    kanon__texts_clear(&a->sentences);
    kanon__free(a);
}

const kanon_advice_item *kanon_advice_at(const kanon_advice *a, size_t i)
{
    return i < (size_t)a->n ? a->items[i] : NULL;
}
