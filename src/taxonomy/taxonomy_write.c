/* Writes a taxonomy in any of its forms; each is read back by taxonomy_forms.c, or by table/schema/taxonomy_file.c. Called
 * by hosts; calls core/output.h. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/output.h"
#include "core/sink_guard.h"
#include "taxonomy/taxonomy_document.h"

#include <string.h>

static const char *name_of(const kanon_taxonomy *d, int32_t node)
{
    return d->names + d->begins[node];
}

/* One line per leaf, up to the root. */
static void write_csv(kanon__output *o, const kanon_taxonomy *d)
{
    const kanon__taxonomy *t = d->taxonomy;
    for (int32_t leaf = 0; leaf < t->n_leaves; leaf++) {
        for (int32_t node = t->leaf_node[leaf]; node >= 0; node = t->parent[node]) {
            kanon__output_cell(o, name_of(d, node), strlen(name_of(d, node)), ';');
            kanon__output_text(o, node > 0 ? ";" : "\n");
        }
    }
}

static void write_parents(kanon__output *o, const kanon_taxonomy *d)
{
    const kanon__taxonomy *t = d->taxonomy;
    kanon__output_text(o, "node,parent\n");
    for (int32_t node = 0; node < t->n_nodes; node++) {
        kanon__output_cell(o, name_of(d, node), strlen(name_of(d, node)), ',');
        kanon__output_text(o, ",");
        if (node > 0)
            kanon__output_cell(o, name_of(d, t->parent[node]), strlen(name_of(d, t->parent[node])), ',');
        kanon__output_text(o, "\n");
    }
}

static void indent(kanon__output *o, int32_t depth)
{
    while (depth-- > 0)
        kanon__output_text(o, "  ");
}

static void write_indented(kanon__output *o, const kanon_taxonomy *d)
{
    for (int32_t node = 0; node < d->taxonomy->n_nodes; node++) {
        indent(o, d->depth[node]);
        kanon__output_text(o, name_of(d, node));
        kanon__output_text(o, "\n");
    }
}

/* Names in double quotes with a backslash before quotes and backslashes: valid in YAML and JSON alike. */
static void write_quoted(kanon__output *o, const char *text)
{
    static const char digits[] = "0123456789abcdef";
    kanon__output_text(o, "\"");
    for (; *text != '\0'; text++) {
        unsigned char c = (unsigned char)*text;
        char escape[7] = {'\\', 'u', '0', '0', digits[c >> 4], digits[c & 15], '\0'};
        if (c < ' ')
            kanon__output_text(o, escape);
        else if (c == '"' || c == '\\')
            kanon__output_write(o, (char[2]){'\\', (char)c}, 2);
        else
            kanon__output_write(o, text, 1);
    }
    kanon__output_text(o, "\"");
}

/* As in a schema below `taxonomy:`. The root "*" goes without saying, unless a single name is below it. */
static void write_yaml(kanon__output *o, const kanon_taxonomy *d)
{
    bool bare = strcmp(name_of(d, 0), "*") == 0 && d->children[0] > 1;
    for (int32_t node = bare; node < d->taxonomy->n_nodes; node++) {
        indent(o, d->depth[node] - bare);
        write_quoted(o, name_of(d, node));
        kanon__output_text(o, ":\n");
    }
}

/* Nodes come depth first, so a node that is no leaf opens a list, and the next one closes what it is not in. */
static void write_json(kanon__output *o, const kanon_taxonomy *d)
{
    int32_t open = 0, n = d->taxonomy->n_nodes;
    for (int32_t node = 0; node < n; node++) {
        indent(o, d->depth[node]);
        kanon__output_text(o, "{\"name\": ");
        write_quoted(o, name_of(d, node));
        if (d->children[node] > 0) {
            kanon__output_text(o, ", \"children\": [\n");
            open = d->depth[node] + 1;
            continue;
        }
        kanon__output_text(o, "}");
        int32_t next = node + 1 < n ? d->depth[node + 1] : 0;
        for (; open > next; open--)
            kanon__output_text(o, "]}");
        kanon__output_text(o, node + 1 < n ? ",\n" : "\n");
    }
}

/* Names that a form cannot hold: an indented line ends at a line break. No name has white space at its ends. */
static kanon_status check_names(const kanon_taxonomy *d, kanon_taxonomy_form form, kanon_error *err)
{
    for (int32_t node = 0; form == KANON_TAXONOMY_INDENTED && node < d->taxonomy->n_nodes; node++) {
        const char *name = name_of(d, node);
        if (name[0] == '\0' || strpbrk(name, "\r\n") != NULL)
            return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "a name with a line break, or none, cannot be indented"),
                               "choose another form: csv, yaml, parents or json");
    }
    return KANON_OK;
}

static kanon_status write_document(const kanon_taxonomy *d, const kanon_output *output, kanon_taxonomy_form form,
                                   kanon_error *err)
{
    static void (*const writers[])(kanon__output *, const kanon_taxonomy *) = {
        [KANON_TAXONOMY_CSV] = write_csv,   [KANON_TAXONOMY_INDENTED] = write_indented,
        [KANON_TAXONOMY_YAML] = write_yaml, [KANON_TAXONOMY_PARENTS] = write_parents,
        [KANON_TAXONOMY_JSON] = write_json,
    };
    kanon_status st = KANON_OK;
    kanon__output *o = NULL;
    kanon__taken_output taken;
    KANON_TRY(kanon__output_take(&taken, &output, KANON_OK, err), out);
    if (output == NULL || output->stream != NULL || output->format != NULL)
        KANON_TRY(kanon__fail(err, KANON_EINVAL, "a taxonomy is written to a location or a sink"), out);
    KANON_TRY(kanon__form_find(&form, kanon__output_name(output), NULL, 0, err), out);
    KANON_TRY(check_names(d, form, err), out);
    KANON_TRY(kanon__output_open(&o, output, false, err), out);
    writers[form](o, d);
    KANON_TRY(kanon__output_finish(o, err), out);
    KANON_TRY(kanon__output_commit(&o, 1, err), out);
out:
    kanon__output_free(o);
    kanon__outputs_end(&taken, 1);
    return st;
}

kanon_status kanon_taxonomy_write(const kanon_taxonomy *taxonomy, const kanon_output *output, kanon_taxonomy_form form,
                                  kanon_error *err)
{
    KANON_RETURN_IN(taxonomy->context, write_document(taxonomy, output, form, err));
}
