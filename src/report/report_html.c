/* The page for people: one file without scripts, fonts or pictures from elsewhere, for the screen and for A4 paper. It
 * has no clock time, so that equal runs give equal pages except for the seconds that they took. Nothing that stands for
 * more than 0 but fewer than k records is named. */
#include "report/html_parts.h"
#include "report/page.h"

#include <math.h>
#include <string.h>

/* Title, and for whom the page is meant. */
static void put_head(kanon__output *o, const kanon__report *r)
{
    kanon__page_begin(o, "Anonymisation of ", kanon__file_name(r->table->source->name));
    kanon__output_text(o, "<p class=\"kind\">");
    if (r->external)
        kanon__markup(
            o,
            "Report for recipients of the data. It describes the release as a whole: it counts nothing that the release "
            "does not show, and no bar in it stands for fewer than %d groups.",
            KANON__EXTERNAL_GROUPS);
    else
        kanon__output_text(
            o, "Internal report, for those who are responsible for the data; not meant to be published with the release.");
    kanon__output_text(o, "</p>\n");
}

/* ---- summary ----------------------------------------------------------------------------------------------------- */

/* One of the large figures at the top of the page. */
static void tile(kanon__output *o, const char *value, const char *what)
{
    kanon__markup(o, "<li><b>%s</b>%s</li>\n", value, what);
}

static double average_loss(const kanon__report *r, const kanon__report_data *d)
{
    return kanon__share(d->loss, (double)r->table->data.n_rows * d->total_weight);
}

/* The figures that most readers look for first. */
static void put_tiles(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    const kanon_grouping *g = r->grouping;
    kanon__output_text(o, "<ul class=\"tiles\">\n");
    tile(o, kanon__show_count(kanon__report_records(r)).text, kanon__report_records(r) == 1 ? "record" : "records");
    tile(o, kanon__show_count(g->n_groups).text, g->n_groups == 1 ? "group" : "groups");
    tile(o, kanon__show_count(g->smallest).text, "records in the smallest group");
    if (g->smallest > 0 && kanon__report_has_risks(r))
        tile(o, kanon__show_share(d->highest_risk).text, "highest risk of a record");
    if (g->n_suppressed > 0 && !r->external)
        tile(o, kanon__show_count(g->n_suppressed).text, "suppressed records");
    if (!r->external)
        tile(o, kanon__show_share(average_loss(r, d)).text, "average loss of a cell");
    kanon__output_text(o, "</ul>\n");
}

/* The names of the columns with this role; of very many, only the first. */
static void list_names(kanon__output *o, const kanon_table *t, kanon_role role)
{
    enum { MAX_NAMES = 30 };
    int n = 0;
    for (int i = 0; i < t->data.n_columns; i++) {
        if (t->data.columns[i].role != role || n++ >= MAX_NAMES)
            continue;
        kanon__output_text(o, n > 1 ? ", <b>" : "<b>");
        kanon__markup_text(o, t->data.columns[i].name, strlen(t->data.columns[i].name));
        kanon__output_text(o, "</b>");
    }
    if (n > MAX_NAMES)
        kanon__markup(o, " and %d more", n - MAX_NAMES);
}

/* The risk in a sentence, before and after. */
static void say_risk(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    kanon__figure_text smallest = kanon__show_count(r->grouping->smallest);
    kanon__markup(o, "<p>Whoever knows these things about a person finds at least %s records that could be theirs. ",
                  smallest.text);
    if (!kanon__report_has_risks(r))
        kanon__output_text(o, "A person can have several of them; k counts persons, which the release does not show.</p>\n");
    else if (r->table->data.has_entity)
        kanon__markup(o,
                      "A person can have several of them: the chance that a record which is picked from them is that "
                      "person's is at most <b>%s</b>, and %s on average over all records.</p>\n",
                      kanon__show_share(d->highest_risk).text, kanon__show_share(d->average_risk).text);
    else
        kanon__markup(o,
                      "The chance to pick the right one is at most <b>1 in %s</b> (%s), and %s on average over all "
                      "records.</p>\n",
                      smallest.text, kanon__show_share(d->highest_risk).text, kanon__show_share(d->average_risk).text);
}

/* What k means for this release: groups, sizes, and the columns in which records are equal. */
static void say_protection(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    const kanon_grouping *g = r->grouping;
    kanon__markup(o, "<p>The %s has %s records. ", r->external ? "release" : "table",
                  kanon__show_count(kanon__report_records(r)).text);
    if (g->n_suppressed > 0 && !r->external)
        kanon__markup(o, "%s of them", kanon__show_count(g->n_rows - g->n_suppressed).text);
    else
        kanon__output_text(o, "They");
    kanon__markup(o, " were put into %s group%s of at least <b>%s</b> records", kanon__show_count(g->n_groups).text,
                  g->n_groups == 1 ? "" : "s", kanon__show_count(g->smallest).text);
    if (d->k_asked > 0)
        kanon__markup(o, " (asked for: %s)", kanon__show_count(d->k_asked).text);
    kanon__output_text(o, ", and within a group all records look the same in the quasi-identifiers: ");
    list_names(o, r->table, KANON_ROLE_QUASI);
    kanon__output_text(o, ".</p>\n");
    if (d->k_asked > g->smallest)
        kanon__output_text(o, "<p><b>The groups are smaller than was asked for.</b></p>\n");
    say_risk(o, r, d);
}

/* Which of the usual thresholds are met. */
static void say_thresholds(kanon__output *o, const kanon__report_data *d)
{
    int n = 0, n_met = 0;
    for (int i = 0; i < KANON__N_THRESHOLDS; i++)
        n_met += d->above[KANON__AFTER][i] == 0;
    kanon__output_text(o, "<p>Of the thresholds that people quote for the risk of a record, 1/3, 1/5, 1/11 and 1/20, ");
    for (int i = 0; i < KANON__N_THRESHOLDS; i++)
        if (d->above[KANON__AFTER][i] == 0)
            kanon__markup(o, "%s<b>1/%d</b>", n++ == 0 ? "" : n < n_met ? ", " : " and ", kanon__thresholds[i]);
    kanon__output_text(o, n == 0 ? "<b>none is met</b>" : n == 1 ? " is met" : " are met");
    kanon__output_text(o, n > 0 && n < KANON__N_THRESHOLDS ? "; the others are not.</p>\n" : ".</p>\n");
}

/* How far from the best possible, by the proved bound, else by the quick one: nothing if there is none. */
static void say_bound(kanon__output *o, const kanon__report *r)
{
    const kanon_figure *proved = kanon_measures_find(r->measures, "gap", NULL);
    if (proved != NULL && isfinite(proved->value) && proved->value >= 1) {
        kanon__markup(o,
                      "<p>This release loses at most <b>%s</b> more than the least that any grouping of these records with "
                      "the same k can lose. The certificate ",
                      kanon__show_share(proved->value - 1).text);
        kanon__html_text(o, r->measures->certificate != NULL ? kanon__file_name(r->measures->certificate) : "");
        kanon__output_text(o, " proves it, and was checked for this table when this report was made.</p>\n");
        return;
    }
    const kanon_figure *gap = kanon_measures_find(r->measures, "neighbour_gap", NULL);
    if (gap == NULL || !isfinite(gap->value) || gap->value <= 0)
        return;
    kanon__markup(o,
                  "<p>Some of that cannot be helped: no grouping of these records with the same k loses less than <b>%s</b> "
                  "of what this one loses. This is the quick bound. The proved lower bound is higher, and shows how near "
                  "to the "
                  "best this release is.</p>\n",
                  kanon__show_share(1 / gap->value).text);
}

/* Entities and suppression in words; the verdict has what is asked and reached, and the price. */
static void say_requirements(kanon__output *o, const kanon__report *r)
{
    const kanon_grouping *g = r->grouping;
    if (g->n_constraints == 0 && g->most_suppressed < 0)
        return;
    if (r->table->data.has_entity)
        kanon__markup(o, "<p>The %s records are those of %s persons, and k counts persons.</p>\n",
                      kanon__show_count(g->n_rows).text, kanon__show_count(r->table->data.n_entities).text);
    if (g->most_suppressed >= 0)
        kanon__markup(o, "<p>Up to %s records could be suppressed to lower the loss; %s were.</p>\n",
                      kanon__show_count(g->most_suppressed).text, kanon__show_count(g->n_suppressed).text);
}

/* What the release has lost, and what was left out of it: original values decide both. */
static void say_price(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    const kanon_grouping *g = r->grouping;
    if (g->n_suppressed > 0)
        kanon__markup(o, "<p>%s records (%s) are suppressed: %s.</p>\n", kanon__show_count(g->n_suppressed).text,
                      kanon__show_share(kanon__share((double)g->n_suppressed, (double)g->n_rows)).text,
                      r->table->policy.keep_suppressed ? "none of their quasi-identifiers is released"
                                                       : "they are not in the release");
    kanon__markup(o, "<p>Before, %s records (%s) were the only ones with their combination of quasi-identifiers%s.</p>\n",
                  kanon__show_count(d->n_unique).text,
                  kanon__show_share(kanon__share((double)d->n_unique, (double)g->n_rows)).text,
                  r->table->data.has_entity ? ", but for others of the same person" : "");
    kanon__markup(o,
                  "<p>The price: on average a released cell of a quasi-identifier has lost <b>%s</b> of its precision. 0 %% "
                  "would be the original, 100 %% a table whose quasi-identifiers say nothing.</p>\n",
                  kanon__show_share(average_loss(r, d)).text);
    say_bound(o, r);
    say_requirements(o, r);
}

static void put_summary(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    const kanon_grouping *g = r->grouping;
    kanon__html_begin(o, "summary", "Summary");
    put_tiles(o, r, d);
    if (g->n_groups > 0) {
        say_protection(o, r, d);
        if (kanon__report_has_risks(r))
            say_thresholds(o, d);
    }
    if (!r->external)
        say_price(o, r, d);
    kanon__html_end(o);
}

/* ---- guarantees -------------------------------------------------------------------------------------------------- */

/* The attack that k alone does not stop: all records of a group share a sensitive value. */
static void say_homogeneity(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    enum { MAX_COLUMNS = 20 };
    const kanon_table *t = r->table;
    kanon__output_text(
        o, "<li><b>Groups whose members agree.</b> Who is known to be in a group is known to have what all of it have. "
           "No record is picked out, and yet something is learned.");
    for (int i = 0; i < t->data.n_sensitive && i < MAX_COLUMNS && r->grouping->n_groups > 0; i++) {
        const kanon__variety *v = &d->variety[i];
        const char *name = t->data.columns[t->data.sensitive[i]].name;
        if (v->single_groups == 0 && r->external)
            continue;
        kanon__output_text(o, " In <b>");
        kanon__markup_text(o, name, strlen(name));
        if (v->single_groups == 0)
            kanon__output_text(o, "</b>, every group has several values.");
        else
            kanon__markup(o, "</b>, %s group%s with %s records %s one value only.", kanon__show_count(v->single_groups).text,
                          v->single_groups == 1 ? "" : "s", kanon__show_count(v->single_records).text,
                          v->single_groups == 1 ? "has" : "have");
    }
    kanon__output_text(o, "</li>\n");
}

/* Columns that are released as they are can identify persons, too. */
static void say_unprotected(kanon__output *o, const kanon__report *r)
{
    int n = 0;
    for (int i = 0; i < r->table->data.n_columns; i++)
        n += r->table->data.columns[i].role == KANON_ROLE_INSENSITIVE;
    kanon__output_text(
        o, "<li><b>Columns that are released as they are.</b> The guarantee is about the quasi-identifiers alone. A column "
           "that someone could know from elsewhere and that is not among them can single out a record within its "
           "group.");
    if (n > 0) {
        kanon__output_text(o, " Released as they are, and not sensitive: ");
        list_names(o, r->table, KANON_ROLE_INSENSITIVE);
        kanon__output_text(o, ". Look at each of them once more.");
    }
    kanon__output_text(o, "</li>\n");
}

static void put_guarantees(kanon__output *o, const kanon__report *r, const kanon__report_data *d)
{
    kanon__html_begin(o, "guarantees", "What k-anonymity guarantees, and what it does not");
    kanon__output_text(
        o, "<p>It guarantees that the quasi-identifiers of the release do not lead to fewer than k records, whatever is "
           "known of them. It does not guarantee that nothing can be learned about a person:</p>\n<ul>\n");
    say_homogeneity(o, r, d);
    kanon__output_text(
        o, "<li><b>Background knowledge.</b> Who knows more than the quasi-identifiers, for example that somebody "
           "surely does not have a certain disease, can rule out members of a group.</li>\n"
           "<li><b>Repeated releases.</b> Two releases of the same people, grouped differently, can be put together; "
           "what their groups have in common can be fewer than k records. The same holds for another table about the "
           "same people.</li>\n");
    say_unprotected(o, r);
    if (!r->table->data.has_entity)
        kanon__output_text(
            o, "<li><b>People with several records.</b> k records are k people only if nobody has two of them.</li>\n");
    kanon__output_text(
        o, "<li><b>Being in the table.</b> That a person is in it at all can be a secret, and is not protected.</li>\n"
           "</ul>\n");
    kanon__html_end(o);
}

kanon_status kanon__report_html(kanon__output *o, const kanon__report *r, const kanon__report_data *d,
                                const char *input_sha256, kanon_error *err)
{
    put_head(o, r);
    kanon__html_verdict(o, r);
    put_summary(o, r, d);
    kanon__html_cells(o, r, d);
    kanon__html_advice(o, r);
    if (kanon__report_has_risks(r))
        kanon__html_risk(o, r, d);
    kanon__html_groups(o, r, d);
    if (!r->external) {
        KANON_CHECK(kanon__html_costs(o, r, d, err));
        KANON_CHECK(kanon__html_attributes(o, r, d, err));
        KANON_CHECK(kanon__html_relations(o, r, d, err));
    }
    kanon__html_sensitive(o, r, d);
    kanon__html_figures(o, r->measures);
    put_guarantees(o, r, d);
    kanon__html_officer(o, r);
    kanon__html_glossary(o);
    kanon__html_origin(o, r, input_sha256);
    if (!r->external)
        kanon__html_sign_off(o);
    kanon__page_end(o);
    return KANON_OK;
}
