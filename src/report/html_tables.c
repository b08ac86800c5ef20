/* The sections of the page that are tables: figures with their formulas, and how the release was made. */
#include "report/html_parts.h"

#include <string.h>

/* ---- figures ----------------------------------------------------------------------------------------------------- */

typedef struct figure_title {
    const char *name, *title;
} figure_title;

/* Figures that are not in this list are shown by their names. */
static const figure_title titles[] = {
    {"records", "Records"},
    {"groups", "Groups"},
    {"suppressed", "Suppressed records"},
    {"k", "Smallest group"},
    {"information_loss", "Information loss"},
    {"avg_loss", "Average loss of a cell"},
    {"lower_bound", "Proved lower bound on the loss of any grouping"},
    {"gap", "Times the proved lower bound"},
    {"neighbour_bound", "Quick lower bound on the loss of any grouping"},
    {"neighbour_gap", "Times the quick lower bound"},
    {"ncp", "Normalised certainty penalty"},
    {"gcp", "Global certainty penalty"},
    {"square_error", "Square error"},
    {"utility_um", "Utility measure UM"},
    {"query_error", "Average relative error of queries"},
    {"protection", "Protection"},
    {"discernibility", "Discernibility"},
    {"avg_class_size", "Average group size, in multiples of k"},
    {"class_size_mean", "Average group size"},
    {"highest_risk", "Highest risk of a record"},
    {"average_risk", "Average risk of a record"},
    {"class_risk", "Average risk of a group"},
    {"records_above_33", "Share of the records with a risk above 1/3"},
    {"records_above_20", "Share of the records with a risk above 1/5"},
    {"records_above_9", "Share of the records with a risk above 1/11"},
    {"records_above_5", "Share of the records with a risk above 1/20"},
    {"journalist_risk", "Highest journalist risk"},
    {"marketer_risk", "Marketer risk"},
    {"singled_out", "Rows that this column singles out"},
    {"singled_out_all", "Rows that all columns single out"},
    {"linkage_quasi", "Records found by their quasi-identifiers"},
    {"linkage_all", "Records found by all that is released"},
    {"linkage_error", "Standard error of the records found"},
    {"inference", "Value guessed right from its group"},
    {"inference_base", "Value guessed right without groups"},
    {"inference_gain", "Gain of the guess by groups"},
    {"inference_found", "Value guessed right from the row found"},
    {"inference_found_gain", "Gain of the guess by the row found"},
    {"cap", "Correct attribution probability (CAP)"},
    {"cap_base", "The same without groups"},
    {"disco", "Records in groups with one value (DiSCO)"},
    {"uniques_before", "Unique records before"},
    {"uniques_after", "Unique records after"},
    {"k_before", "Smallest class before"},
    {"distinct_tuples", "Combinations of quasi values before"},
    {"attribute_loss", "Information loss of the attribute"},
    {"attribute_share", "Share of the information loss"},
    {"loss_without", "Information loss without the attribute"},
    {"q_diversity", "Q-diversity"},
    {"s_diversity", "S-diversity"},
    {"distinct_l", "Distinct l-diversity"},
    {"entropy_l", "Entropy l-diversity"},
    {"recursive_c", "Recursive (c,l)-diversity: c"},
    {"alpha", "Largest share of a value in a group (alpha)"},
    {"homogeneous", "Share of the records in groups with one value"},
    {"nearly_homogeneous", "Share of the records in groups with 90 % one value"},
    {"t_closeness", "Closeness to the whole table (t)"},
    {"cl_l_min", "Distinct values in a group, least"},
    {"cl_l_mean", "Distinct values in a group, mean"},
    {"cl_l_max", "Distinct values in a group, most"},
    {"cl_c_min", "Most frequent to other values, least"},
    {"cl_c_mean", "Most frequent to other values, mean"},
    {"cl_c_max", "Most frequent to other values, most"},
};

/* The title of a figure; of one that has none, its name in words. */
static void put_title(kanon__output *o, const char *name)
{
    for (size_t i = 0; i < sizeof titles / sizeof titles[0]; i++)
        if (strcmp(titles[i].name, name) == 0) {
            kanon__output_text(o, titles[i].title);
            return;
        }
    for (size_t i = 0; name[i] != '\0'; i++) {
        char letter = name[i] == '_'                               ? ' '
                      : i == 0 && name[i] >= 'a' && name[i] <= 'z' ? (char)(name[i] - 'a' + 'A')
                                                                   : name[i];
        kanon__markup_text(o, &letter, 1);
    }
}

static void put_text(kanon__output *o, const char *text)
{
    kanon__markup_text(o, text, strlen(text));
}

static void figure_name(kanon__output *o, const kanon_figure *f)
{
    kanon__output_text(o, "<tr><th scope=\"row\">");
    put_title(o, f->name);
    kanon__output_text(o, "<br/><code>");
    put_text(o, f->name);
    kanon__output_text(o, "</code>");
}

/* The figures of the whole table, with formulas. */
static void table_figures(kanon__output *o, const kanon_measures *m)
{
    kanon__output_text(o,
                       "<table><thead><tr><th>Figure</th><th class=\"n\">Value</th><th>How it is computed</th></tr></thead>"
                       "<tbody>\n");
    for (size_t i = 0; i < m->n; i++) {
        const kanon_figure *f = &m->figures[i];
        if (f->attribute != NULL)
            continue;
        figure_name(o, f);
        kanon__markup(o, "</th><td class=\"n\">%s</td><td class=\"formula\">", kanon__show_figure(f->value, f->whole).text);
        put_text(o, f->formula);
        kanon__output_text(o, "</td></tr>\n");
    }
    kanon__output_text(o, "</tbody></table>\n");
}

/* The values of the `n` figures, which have one name and follow each other. */
static void column_values(kanon__output *o, const kanon_figure *figures, size_t n)
{
    enum { MAX_COLUMNS = 60 };
    kanon__output_text(o, "<td><div class=\"values\">\n");
    for (size_t i = 0; i < n && i < MAX_COLUMNS; i++) {
        kanon__output_text(o, "<div><span>");
        put_text(o, figures[i].attribute);
        kanon__markup(o, "</span><span class=\"n\">%s</span></div>\n",
                      kanon__show_figure(figures[i].value, figures[i].whole).text);
    }
    if (n > MAX_COLUMNS)
        kanon__markup(o, "<div>and %zu more columns</div>\n", n - MAX_COLUMNS);
    kanon__output_text(o, "</div></td></tr>\n");
}

/* The figures of columns: one row per figure, one value per column. */
static void column_figures(kanon__output *o, const kanon_measures *m)
{
    kanon__output_text(o, "<h3>By column</h3>\n<table class=\"by-column\"><thead><tr><th>Figure, and how it is computed</th>"
                          "<th>Values</th></tr></thead><tbody>\n");
    for (size_t i = 0, next; i < m->n; i = next) {
        const kanon_figure *f = &m->figures[i];
        next = i + 1;
        if (f->attribute == NULL)
            continue;
        while (next < m->n && strcmp(m->figures[next].name, f->name) == 0)
            next++;
        figure_name(o, f);
        kanon__output_text(o, "<span class=\"formula\">");
        put_text(o, f->formula);
        kanon__output_text(o, "</span></th>");
        column_values(o, f, next - i);
    }
    kanon__output_text(o, "</tbody></table>\n");
}

void kanon__html_figures(kanon__output *o, const kanon_measures *m)
{
    bool of_columns = false;
    for (size_t i = 0; i < m->n; i++)
        of_columns = of_columns || m->figures[i].attribute != NULL;
    kanon__html_begin(o, "figures", "All figures");
    table_figures(o, m);
    if (of_columns)
        column_figures(o, m);
    kanon__html_end(o);
}

/* ---- how it was made --------------------------------------------------------------------------------------------- */

static void row_begin(kanon__output *o, const char *head)
{
    kanon__markup(o, "<tr><th scope=\"row\">%s</th><td>", head);
}

static void row_text(kanon__output *o, const char *head, const char *text)
{
    row_begin(o, head);
    put_text(o, text);
    kanon__output_text(o, "</td></tr>\n");
}

/* A value that is to be copied, such as a checksum or a command. */
static void row_code(kanon__output *o, const char *head, const char *text)
{
    row_begin(o, head);
    kanon__output_text(o, "<code>");
    put_text(o, text);
    kanon__output_text(o, "</code></td></tr>\n");
}

static void list_settings(kanon__output *o, const kanon__texts *settings)
{
    row_begin(o, "Settings");
    for (int64_t i = 0; i < settings->n; i++) {
        kanon__output_text(o, i > 0 ? ", <code>" : "<code>");
        put_text(o, settings->items[i]);
        kanon__output_text(o, "</code>");
    }
    kanon__output_text(o, settings->n == 0 ? "none</td></tr>\n" : "</td></tr>\n");
}

/* What is needed to repeat the run. An external report leaves out the seed, with which and the input's order groups could be
 * made again, and what the algorithm found and chose. */
static void list_origin(kanon__output *o, const kanon__report *r)
{
    const kanon_grouping *g = r->made;
    if (r->measures->k > 0)
        kanon__markup(o, "<tr><th scope=\"row\">k asked for</th><td>%s</td></tr>\n", kanon__show_count(r->measures->k).text);
    if (g->algorithm == NULL) {
        row_text(o, "Algorithm", "not known: the groups were read from a file");
        return;
    }
    row_begin(o, "Algorithm");
    put_text(o, g->algorithm);
    kanon__markup(o, ", revision %u</td></tr>\n", (unsigned)g->revision);
    if (g->recode_maps != NULL)
        row_text(o, "Recoding", "one mapping per attribute: equal values are shown equal everywhere");
    if (g->refinement != NULL)
        row_text(o, "Refinement", g->refinement);
    if (r->external)
        return;
    for (int64_t i = 0; i < g->notes.n; i++)
        row_text(o, "How good it is", g->notes.items[i]);
    if (g->blocks > 0)
        kanon__markup(o, "<tr><th scope=\"row\">Blocks of at least</th><td>%s records</td></tr>\n",
                      kanon__show_count(g->blocks).text);
    list_settings(o, &g->settings);
    list_settings(o, &g->refine_settings);
    if (g->stopped)
        row_text(o, "Ended", "early (stopped): with the best groups found until then");
    kanon__markup(o, "<tr><th scope=\"row\">Seed</th><td>%llu</td></tr>\n", (unsigned long long)g->seed);
    kanon__markup(o, "<tr><th scope=\"row\">Seconds</th><td>%s</td></tr>\n", kanon__show_fixed(g->seconds, 2).text);
}

/* Every column with its role and type; names only, no values. */
static void list_columns(kanon__output *o, const kanon__report *r)
{
    const kanon_table *t = r->table;
    enum { MAX_COLUMNS = 300 };
    int n = t->data.n_columns < MAX_COLUMNS ? t->data.n_columns : MAX_COLUMNS;
    kanon__output_text(
        o, "<h3>Columns</h3>\n<table class=\"stack\"><thead><tr><th>Column</th><th>Role</th><th>Type</th><th>Taxonomy</th>"
           "<th class=\"n\">Weight</th></tr></thead><tbody>\n");
    for (int i = 0; i < n; i++) {
        const kanon__column *c = &t->data.columns[i];
        const kanon__taxonomy *taxonomy = r->external ? NULL : kanon__column_taxonomy(c);
        kanon__output_text(o, "<tr><th scope=\"row\">");
        put_text(o, c->name);
        kanon__markup(o, "</th><td>%s</td><td>%s</td><td data-label=\"Taxonomy\">",
                      kanon_enum_text(KANON_ENUM_ROLE, c->role),
                      c->domain == NULL ? ""
                      : r->external     ? kanon__told_type(c->domain)
                                        : kanon_enum_text(KANON_ENUM_TYPE, c->domain->type));
        if (taxonomy != NULL && taxonomy->flat)
            kanon__output_text(o, "none");
        else if (taxonomy != NULL)
            kanon__markup(o, "%s levels, %s values", kanon__show_count((int64_t)taxonomy->height[0] + 1).text,
                          kanon__show_count(taxonomy->n_leaves).text);
        kanon__markup(
            o, "</td><td class=\"n\" data-label=\"Weight\">%s</td></tr>\n",
            c->role == KANON_ROLE_QUASI ? kanon__show_figure(c->weight, c->weight == (double)(int64_t)c->weight).text : "");
    }
    if (n < t->data.n_columns)
        kanon__markup(o, "<tr><td colspan=\"5\">and %d more</td></tr>\n", t->data.n_columns - n);
    kanon__output_text(o, "</tbody></table>\n");
}

/* The warnings of reading and grouping; an external report leaves them out. */
static void list_warnings(kanon__output *o, const kanon__report *r)
{
    enum { N_LISTS = 4 };
    const kanon__texts *lists[N_LISTS] = {&r->table->privacy, &r->grouping->privacy, &r->table->warnings,
                                          &r->grouping->warnings};
    if (lists[0]->n + lists[1]->n + lists[2]->n + lists[3]->n == 0)
        return;
    kanon__output_text(o, "<h3>Warnings</h3>\n<ul>\n");
    for (int i = 0; i < N_LISTS; i++)
        for (int64_t j = 0; j < lists[i]->n; j++) {
            kanon__output_text(o, "<li>");
            put_text(o, lists[i]->items[j]);
            kanon__output_text(o, "</li>\n");
        }
    kanon__output_text(o, "</ul>\n");
}

void kanon__html_origin(kanon__output *o, const kanon__report *r, const char *input_sha256)
{
    kanon__html_begin(o, "origin", "How it was made");
    kanon__output_text(o, "<table class=\"facts\"><tbody>\n");
    row_text(o, "Program", "kanon");
    row_text(o, "Version", kanon_version());
    list_origin(o, r);
    if (!r->external) {
        row_text(o, "Input", r->table->source->name);
        row_code(o, "SHA-256 of the input", input_sha256);
        if (r->table->policy.schema_path != NULL)
            row_text(o, "Schema", r->table->policy.schema_path);
    }
    if (r->release_path != NULL) {
        row_text(o, "Release", r->external ? kanon__file_name(r->release_path) : r->release_path);
        row_code(o, "SHA-256 of the release", r->release_sha256);
        row_text(o, "Form of numbers", r->numeric);
        row_text(o, "Order of the records", r->shuffle ? "a keyed hash of the released rows" : "that of the input");
    }
    kanon__output_text(o, "</tbody></table>\n");
    if (!r->external && r->command != NULL) {
        kanon__output_text(o, "<h3>The command that makes it again</h3>\n<pre>");
        put_text(o, r->command);
        kanon__output_text(o, "</pre>\n");
    }
    list_columns(o, r);
    if (!r->external)
        list_warnings(o, r);
    kanon__html_end(o);
}
