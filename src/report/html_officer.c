/* The section of the page for whoever is responsible for data protection: what the schema says of the release, the risk that
 * was accepted, the three criteria of Opinion 05/2014 of the Article 29 Working Party (WP216) with the figures that there
 * are, how each column was treated, and what the release may be used for. criteria.c has the lists. */
#include "report/criteria.h"
#include "report/html_parts.h"

#include <math.h>
#include <string.h>

/* ---- what the schema says ----------------------------------------------------------------------------------------- */

static void put_said(kanon__output *o, const kanon__report *r)
{
    int n = 0;
    for (int i = 0; i < KANON__RELEASE_KEYS; i++) {
        const char *text = kanon__report_said(r, &kanon__release_keys[i]);
        if (text == NULL)
            continue;
        kanon__output_text(o, n++ == 0 ? "<table class=\"facts\"><tbody>\n" : "");
        kanon__markup(o, "<tr><th scope=\"row\">%s</th><td>", kanon__release_keys[i].title);
        kanon__html_text(o, text);
        kanon__output_text(o, "</td></tr>\n");
    }
    if (n > 0)
        kanon__output_text(o, "</tbody></table>\n");
    else if (!r->external)
        kanon__output_text(o, "<p>The schema says nothing of this release. Its key <code>release</code> can have the "
                              "purpose, the recipient and the accepted risk.</p>\n");
}

/* ---- the threshold ------------------------------------------------------------------------------------------------ */

static void put_threshold(kanon__output *o, const kanon__report *r)
{
    kanon__threshold t = kanon__report_threshold(r);
    if (isnan(t.chosen)) {
        kanon__output_text(o, "<p class=\"caution\"><b>No threshold was chosen.</b> Nothing says which risk is accepted, so "
                              "nothing says whether it is exceeded.</p>\n");
        return;
    }
    kanon__markup(o, "<p class=\"caution\"><b class=\"%s\">%s.</b> The accepted risk of a record is at most %s. ",
                  isnan(t.risk) ? "warn" : t.met ? "good" : "bad",
                  isnan(t.risk) ? "Threshold: not shown"
                  : t.met       ? "\xE2\x9C\x93 Threshold met"
                                : "\xE2\x9C\x97 Threshold not met",
                  kanon__show_share(t.chosen).text);
    if (isnan(t.risk))
        kanon__output_text(o, "The risk of persons cannot be seen in the release.</p>\n");
    else
        kanon__markup(o,
                      "The highest risk of a record is %s, of an attacker who knows the quasi-identifiers of a person and "
                      "that the person is in the table.</p>\n",
                      kanon__show_share(t.risk).text);
}

/* ---- the criteria ------------------------------------------------------------------------------------------------- */

static kanon__figure_text show(const kanon_figure *f, bool share)
{
    return share ? kanon__show_share(f->value) : kanon__show_figure(f->value, f->whole);
}

/* One figure of the table, or one for each column; without any, that it was not counted. */
static void put_figure(kanon__output *o, const kanon__report *r, const kanon__criterion_figure *row)
{
    enum { MAX_COLUMNS = 30 };
    int n = 0;
    kanon__markup(o, "<tr><th scope=\"row\">%s</th><td class=\"n\">", row->title);
    const kanon_figure *f = kanon_measures_find(r->measures, row->name, NULL);
    if (f != NULL) {
        kanon__markup(o, "%s</td></tr>\n", show(f, row->share).text);
        return;
    }
    for (size_t i = 0; (f = kanon_measures_at(r->measures, i)) != NULL; i++) {
        if (strcmp(f->name, row->name) != 0 || f->attribute == NULL || n++ >= MAX_COLUMNS)
            continue;
        kanon__output_text(o, n > 1 ? "<br>" : "");
        kanon__html_text(o, f->attribute);
        kanon__markup(o, " %s", show(f, row->share).text);
    }
    kanon__output_text(o, n > MAX_COLUMNS ? "<br>and more" : n == 0 ? (r->external ? "not shown" : "not counted") : "");
    kanon__output_text(o, "</td></tr>\n");
}

static void put_joint(kanon__output *o, const kanon__report *r)
{
    const kanon__joint_status *j = &r->grouping->joint;
    if (r->external)
        return;
    kanon__output_text(o, "<tr><th scope=\"row\">Together with the releases before it: the smallest class</th>"
                          "<td class=\"n\">");
    if (j->releases > 0)
        kanon__markup(o, "%s</td></tr>\n", kanon__show_count(j->smallest).text);
    else
        kanon__output_text(o, "not counted</td></tr>\n");
}

static void put_criteria(kanon__output *o, const kanon__report *r)
{
    kanon__output_text(o, "<p>The three criteria are those of Opinion 05/2014 of the Article 29 Working Party (WP216). "
                          "<i>Not counted</i> is not <i>none</i>: what is not counted has to be judged.</p>\n");
    for (int i = 0; i < KANON__CRITERIA; i++) {
        const kanon__criterion *c = &kanon__criteria[i];
        kanon__markup(o, "<h3>%s</h3>\n<p>%s%s</p>\n<table><tbody>\n", c->title, c->question,
                      strcmp(c->name, "inference") == 0 && r->table->data.n_sensitive == 0
                          ? " The schema names no sensitive column, so nothing is counted here."
                          : "");
        for (int j = 0; j < KANON__CRITERION_FIGURES && c->figures[j].name != NULL; j++)
            put_figure(o, r, &c->figures[j]);
        if (strcmp(c->name, "linkability") == 0)
            put_joint(o, r);
        kanon__output_text(o, "</tbody></table>\n");
    }
}

/* ---- columns ------------------------------------------------------------------------------------------------------- */

/* How a quasi-identifier is shown. */
static const char *form_of(const kanon__column *c)
{
    if (!kanon__column_is_numeric(c))
        return c->domain->taxonomy->flat ? "generalised: the value, or * in groups with several"
                                         : "generalised: a broader category in groups with several values";
    if (c->drawn)
        return "generalised: intervals, whose ends are moved outwards at random";
    return c->domain->bands != NULL ? "generalised: bands, or intervals of bands" : "generalised: intervals";
}

/* Whether a requirement names the column. */
static bool is_protected(const kanon_table *t, const char *column)
{
    for (int64_t i = 0; i < t->policy.n_constraints; i++)
        if (kanon__texts_find(&t->policy.constraints[i].values, column, strlen(column)) >= 0)
            return true;
    return false;
}

static const char *treatment_of(const kanon_table *t, const kanon__column *c)
{
    if (c->permuted && (c->role == KANON_ROLE_SENSITIVE || c->role == KANON_ROLE_INSENSITIVE))
        return "released, with its cells exchanged inside each group";
    switch (c->role) {
    case KANON_ROLE_IDENTIFYING:
        return "direct identifier, or withheld: not in the release";
    case KANON_ROLE_QUASI:
        return form_of(c);
    case KANON_ROLE_SENSITIVE:
        return is_protected(t, c->name) ? "released as it is; a requirement limits what a group tells of it"
                                        : "released as it is; no requirement limits what a group tells of it";
    default:
        return "released as it is";
    }
}

static void put_columns(kanon__output *o, const kanon__report *r)
{
    enum { MAX_COLUMNS = 200 };
    const kanon__data *d = &r->table->data;
    kanon__output_text(o, "<h3>Columns and how each was treated</h3>\n<table><thead><tr><th>Column</th><th>Role</th>"
                          "<th>Treatment</th></tr></thead><tbody>\n");
    for (int i = 0; i < d->n_columns && i < MAX_COLUMNS; i++) {
        kanon__output_text(o, "<tr><th scope=\"row\">");
        kanon__html_text(o, d->columns[i].name);
        kanon__markup(o, "</th><td>%s</td><td>%s</td></tr>\n", kanon_enum_text(KANON_ENUM_ROLE, d->columns[i].role),
                      treatment_of(r->table, &d->columns[i]));
    }
    kanon__output_text(o, "</tbody></table>\n");
    if (d->n_columns > MAX_COLUMNS)
        kanon__markup(o, "<p class=\"small\">%d more columns are not listed.</p>\n", d->n_columns - MAX_COLUMNS);
}

/* ---- use ------------------------------------------------------------------------------------------------------------ */

static void put_use(kanon__output *o, const kanon__report *r)
{
    const char *purpose = kanon__policy_of_release(&r->table->policy, "purpose");
    const char *until = kanon__policy_of_release(&r->table->policy, "valid-until");
    kanon__output_text(o, "<h3>Use</h3>\n<ul>\n<li>The release is to be used for ");
    if (purpose != NULL)
        kanon__html_text(o, purpose);
    else
        kanon__output_text(o, "the purpose that was agreed");
    if (until != NULL) {
        kanon__output_text(o, ", until ");
        kanon__html_text(o, until);
        kanon__output_text(o, "; then it has to be assessed again or deleted");
    }
    kanon__output_text(
        o, ".</li>\n<li>The recipient does not try to identify a person in it, and does not join it with other data about "
           "persons.</li>\n<li>A recipient who recognises a person by chance tells the sender, and does not pass it "
           "on.</li>\n"
           "<li>For analysts: a generalised cell covers the original value. Counts by generalised cells are exact for the "
           "groups as they are; means and relations inside an interval are estimates. Columns that are released as they are "
           "have their original values.</li>\n</ul>\n");
}

void kanon__html_officer(kanon__output *o, const kanon__report *r)
{
    kanon__html_begin(o, "officer", "For the data protection officer");
    put_said(o, r);
    put_threshold(o, r);
    put_criteria(o, r);
    put_columns(o, r);
    put_use(o, r);
    kanon__html_end(o);
}
