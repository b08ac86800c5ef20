/* The codebook for people: what each column holds, how its cells are read, and a few lines of pandas and of R that read
 * the release. */
#include "report/codebook.h"
#include "report/page.h"

#include <string.h>

/* ---- columns ----------------------------------------------------------------------------------------------------- */

static void put_bands(kanon__output *o, const kanon__column *c)
{
    static const char *const names[] = {"bands", "top", "bottom"};
    if (c->domain == NULL || c->role != KANON_ROLE_QUASI)
        return;
    for (int i = 0; i < 3; i++) {
        if (c->domain->band_texts[i] == NULL)
            continue;
        kanon__markup(o, "<br/>%s: ", names[i]);
        kanon__html_text(o, c->domain->band_texts[i]);
    }
}

/* Without it nobody knows whether the day or the month comes first. */
static void put_date_format(kanon__output *o, const kanon__column *c)
{
    const char *format = kanon__codebook_date_format(c);
    if (format == NULL)
        return;
    kanon__output_text(o, "<br/>format: ");
    kanon__html_text(o, format);
}

/* The levels of an ordinal column, from the lowest on. */
static void put_levels(kanon__output *o, const kanon__column *c)
{
    for (uint32_t i = 0; c->domain != NULL && i < c->domain->levels.n; i++) {
        size_t length;
        const char *name = kanon__dictionary_text(&c->domain->levels, i, &length);
        kanon__output_text(o, i == 0 ? "<br/>order: " : ", ");
        kanon__markup_text(o, name, length);
    }
}

static const char *kind_of(const kanon__field *field)
{
    const kanon__domain *domain = field->column->domain;
    return domain != NULL ? kanon__told_type(domain) : "text";
}

static void put_columns(kanon__output *o, const kanon__codebook *book)
{
    kanon__field here[2];
    kanon__html_begin(o, "columns", "Columns");
    kanon__output_text(o,
                       "<table class=\"stack\"><thead><tr><th>Column</th><th>Kind</th><th>What a cell says</th></tr></thead>"
                       "<tbody>\n");
    for (int i = 0; i < book->table->data.n_columns; i++) {
        int n = kanon__codebook_fields(here, book, i);
        for (int j = 0; j < n; j++) {
            kanon__output_text(o, "<tr><th scope=\"row\">");
            kanon__html_text(o, here[j].column->name);
            kanon__markup(o, "%s</th><td data-label=\"Kind\">%s, %s", here[j].suffix,
                          kanon_enum_text(KANON_ENUM_ROLE, here[j].column->role),
                          kind_of(&here[j]));
            put_date_format(o, here[j].column);
            put_bands(o, here[j].column);
            put_levels(o, here[j].column);
            kanon__output_text(o, "</td><td data-label=\"Cells\">");
            kanon__html_text(o, here[j].description);
            kanon__output_text(o, "</td></tr>\n");
        }
    }
    kanon__output_text(o, "</tbody></table>\n<p>All records of a group have the same cells in the quasi-identifiers. ");
    kanon__output_text(o, book->table->policy.keep_suppressed ? "A suppressed record has * in each of them.</p>\n"
                                                              : "Suppressed records are not in the release.</p>\n");
    kanon__html_end(o);
}

static void put_missing(kanon__output *o, const kanon__codebook *book)
{
    const kanon__texts *missing = &book->table->missing;
    kanon__html_begin(o, "missing", "Missing values");
    kanon__output_text(o, missing->n == 0 ? "<p>No text means \"no value\"." : "<p>These texts mean \"no value\": ");
    for (int64_t i = 0; i < missing->n; i++) {
        kanon__output_text(o, i > 0 ? ", <code>" : "<code>");
        if (missing->items[i][0] != '\0')
            kanon__html_text(o, missing->items[i]);
        kanon__output_text(o, missing->items[i][0] != '\0' ? "</code>" : "</code>(an empty cell)");
    }
    kanon__output_text(o, ".</p>\n");
    kanon__html_end(o);
}

/* ---- taxonomies -------------------------------------------------------------------------------------------------- */

static void put_label(kanon__output *o, const kanon__taxonomy *t, int32_t node)
{
    size_t length;
    const char *label = kanon__taxonomy_label(t, node, &length);
    kanon__markup_text(o, label, length);
}

/* Every node that is no value, with the values that it covers. */
static void put_nodes(kanon__output *o, const kanon__column *c)
{
    const kanon__taxonomy *t = c->domain->taxonomy;
    kanon__output_text(o, "<table class=\"stack\"><thead><tr><th>Cell</th><th>Stands for one of</th></tr></thead><tbody>\n");
    for (int32_t node = 0; node < t->n_nodes; node++) {
        bool first = true;
        if (t->height[node] == 0)
            continue;
        kanon__output_text(o, "<tr><th scope=\"row\">");
        put_label(o, t, node);
        kanon__output_text(o, "</th><td>");
        for (int32_t leaf = t->first_leaf[node]; leaf <= t->last_leaf[node]; leaf++) {
            if (kanon__codebook_is_missing(c, t->leaf_node[leaf]))
                continue;
            kanon__output_text(o, first ? "" : ", ");
            put_label(o, t, t->leaf_node[leaf]);
            first = false;
        }
        kanon__output_text(o, "</td></tr>\n");
    }
    kanon__output_text(o, "</tbody></table>\n");
}

static void put_taxonomies(kanon__output *o, const kanon__codebook *book)
{
    int n = 0;
    for (int i = 0; i < book->table->data.n_columns; i++) {
        const kanon__column *c = &book->table->data.columns[i];
        if (kanon__codebook_taxonomy(c) == NULL)
            continue;
        if (n++ == 0) {
            kanon__html_begin(o, "taxonomies", "Taxonomies");
            kanon__output_text(o, "<p>A taxonomy is from the schema; it may have values that no record has.</p>\n");
        }
        kanon__output_text(o, "<h3>");
        kanon__html_text(o, c->name);
        kanon__output_text(o, "</h3>\n");
        put_nodes(o, c);
    }
    if (n > 0)
        kanon__html_end(o);
}

/* ---- programs that read it --------------------------------------------------------------------------------------- */

/* A text in quotes, as pandas and R read it; a backslash is doubled. */
static void put_literal(kanon__output *o, const char *text, const char *suffix)
{
    kanon__output_text(o, "&quot;");
    for (int part = 0; part < 2; part++)
        for (const char *at = part == 0 ? text : suffix; *at != '\0';) {
            size_t plain = strcspn(at, "\"\\\t");
            kanon__markup_text(o, at, plain);
            at += plain;
            if (*at != '\0')
                kanon__output_text(o, *at == '\t' ? "\\t" : *at == '"' ? "\\&quot;" : "\\\\");
            at += *at != '\0';
        }
    kanon__output_text(o, "&quot;");
}

static void put_missing_texts(kanon__output *o, const kanon__codebook *book)
{
    const kanon__texts *missing = &book->table->missing;
    for (int64_t i = 0; i < missing->n; i++) {
        kanon__output_text(o, i > 0 ? ", " : "");
        put_literal(o, missing->items[i], "");
    }
}

/* The first numeric quasi-identifier whose numbers are written with a decimal point; NULL: none. */
static const kanon__column *example_column(const kanon__codebook *book)
{
    for (int i = 0; i < book->table->data.n_quasi; i++) {
        const kanon__column *c = &book->table->data.columns[book->table->data.quasi[i]];
        bool point = kanon__type_has_mean(c->domain->type) && kanon__value_decimal(&c->domain->format) == '.' &&
                     c->domain->format.thousands == 0;
        if (point && (c->domain->type != KANON_TYPE_DATE || c->domain->format.date[0] == '\0'))
            return c;
    }
    return NULL;
}

/* table["age_low"] = pd.to_numeric(table["age"]... */
static void put_pandas_end(kanon__output *o, const kanon__column *c, const char *to, const char *from, const char *pattern)
{
    kanon__output_text(o, "table[");
    put_literal(o, c->name, to);
    kanon__markup(o, "] = pd.to_%s(table[", c->domain->type == KANON_TYPE_DATE ? "datetime" : "numeric");
    put_literal(o, c->name, from);
    kanon__output_text(o, "]");
    if (pattern != NULL) {
        kanon__output_text(o, ".str.extract(r&quot;");
        kanon__html_text(o, pattern);
        kanon__output_text(o, "&quot;, expand=False)");
    }
    kanon__output_text(o, ", errors=&quot;coerce&quot;)\n");
}

static void put_pandas(kanon__output *o, const kanon__codebook *book, const kanon__column *c)
{
    char delimiter[2] = {book->table->source->delimiter};
    bool ranges = book->numeric == KANON_NUMERIC_RANGE;
    kanon__output_text(o, "<h3>pandas</h3>\n<pre id=\"pandas\">import pandas as pd\ntable = pd.read_csv(");
    put_literal(o, book->release, "");
    kanon__output_text(o, ", sep=");
    put_literal(o, delimiter, "");
    kanon__output_text(o, ", dtype=str, keep_default_na=False, na_values=[");
    put_missing_texts(o, book);
    kanon__output_text(o, "])\n");
    if (c != NULL && book->numeric == KANON_NUMERIC_MEAN) {
        put_pandas_end(o, c, "", "", NULL);
    } else if (c != NULL && book->numeric == KANON_NUMERIC_COLUMNS) {
        put_pandas_end(o, c, "_min", "_min", NULL);
        put_pandas_end(o, c, "_max", "_max", NULL);
    } else if (c != NULL) {
        put_pandas_end(o, c, "_low", "", ranges ? "^[\\[(]?(.*?)(?:,|[\\])]?$)" : "^\\[?(.*?)(?:\\.\\.|[\\])]?$)");
        put_pandas_end(o, c, "_high", "", ranges ? "(?:.*,|^)(.*?)[\\])]?$" : "(?:.*\\.\\.|^)(.*?)[\\])]?$");
    }
    kanon__output_text(o, "</pre>\n");
}

/* `pattern` with its first group is what remains of the cell. */
static void put_r_end(kanon__output *o, const kanon__column *c, const char *to, const char *from, const char *pattern)
{
    bool is_date = c->domain->type == KANON_TYPE_DATE;
    kanon__output_text(o, "table[[");
    put_literal(o, c->name, to);
    kanon__markup(o, "]] &lt;- suppressWarnings(as.%s(", is_date ? "Date" : "numeric");
    if (pattern != NULL) {
        kanon__output_text(o, "sub(");
        put_literal(o, pattern, "");
        kanon__output_text(o, ", &quot;\\\\1&quot;, ");
    }
    kanon__output_text(o, "table[[");
    put_literal(o, c->name, from);
    kanon__output_text(o, pattern != NULL ? "]], perl = TRUE)" : "]]");
    kanon__output_text(o, is_date ? ", format = &quot;%Y-%m-%d&quot;))\n" : "))\n");
}

static void put_r(kanon__output *o, const kanon__codebook *book, const kanon__column *c)
{
    char delimiter[2] = {book->table->source->delimiter};
    bool ranges = book->numeric == KANON_NUMERIC_RANGE;
    kanon__output_text(o, "<h3>R</h3>\n<pre id=\"r\">table &lt;- read.csv(");
    put_literal(o, book->release, "");
    kanon__output_text(o, ", sep = ");
    put_literal(o, delimiter, "");
    kanon__output_text(o, ", colClasses = &quot;character&quot;, check.names = FALSE, na.strings = c(");
    put_missing_texts(o, book);
    kanon__output_text(o, "))\n");
    if (c != NULL && book->numeric == KANON_NUMERIC_MEAN) {
        put_r_end(o, c, "", "", NULL);
    } else if (c != NULL && book->numeric == KANON_NUMERIC_COLUMNS) {
        put_r_end(o, c, "_min", "_min", NULL);
        put_r_end(o, c, "_max", "_max", NULL);
    } else if (c != NULL) {
        put_r_end(o, c, "_low", "", ranges ? "^[\\[(]?(.*?)(?:,.*|[\\])]?)$" : "^\\[?(.*?)(?:\\.\\..*|[\\])]?)$");
        put_r_end(o, c, "_high", "", ranges ? "^(?:.*,)?(.*?)[\\])]?$" : "^(?:.*\\.\\.)?(.*?)[\\])]?$");
    }
    kanon__output_text(o, "</pre>\n");
}

void kanon__codebook_page(kanon__output *o, const kanon__codebook *book)
{
    const kanon__column *example = example_column(book);
    kanon__page_begin(o, "Codebook of ", book->release);
    kanon__output_text(o, "<p class=\"kind\">How to read the release: what each column holds and what its cells look like. "
                          "Nothing here is taken from single records.</p>\n");
    put_columns(o, book);
    put_missing(o, book);
    put_taxonomies(o, book);
    kanon__html_begin(o, "programs", "Reading it with a program");
    if (example != NULL && book->numeric != KANON_NUMERIC_MEAN) {
        kanon__output_text(o, "<p>The last two lines take the ends of ");
        kanon__html_text(o, example->name);
        kanon__output_text(o, " as numbers or dates; an open end and * become missing.</p>\n");
    }
    put_pandas(o, book, example);
    put_r(o, book, example);
    kanon__html_end(o);
    kanon__page_end(o);
}
