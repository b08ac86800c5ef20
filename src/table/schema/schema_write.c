/* Writes a schema file: what was said, key by key, and nothing else. schema_yaml.c reads it back to an equal schema. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/output.h"
#include "table/schema/flow_text.h"
#include "table/schema/schema_keys.h"
#include "table/schema/tree_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* What libyaml takes for a key without a question mark before it: its limit is 1,024 characters. */
enum { MOST_KEY = 1000, MOST_DEPTH = 60 };

static void put_edges(kanon__text_writer *w, const char *edges)
{
    if (strchr(edges, ',') == NULL || strspn(edges, "0123456789.,-") != strlen(edges)) {
        kanon__put_value(w, edges);
        return;
    }
    kanon__put_text(w, "[");
    for (; *edges != '\0'; edges++)
        kanon__put(w, *edges == ',' ? ", " : edges, *edges == ',' ? 2 : 1);
    kanon__put_text(w, "]");
}

static void put_said(kanon__text_writer *w, const kanon__schema_key *row, const char *said)
{
    if (row->form == KANON__FORM_NUMBER)
        kanon__put_value(w, said);
    else if (row->form == KANON__FORM_TEXT)
        kanon__put_name(w, said);
    else if (row->form == KANON__FORM_EDGES)
        put_edges(w, said);
    else
        kanon__put_text(w, said); /* words, and what is in flow form already */
}

/* A name and its colon, inside braces or, where there is an `indent`, on a line of its own. */
static void put_key(kanon__text_writer *w, const char *name, const char *indent)
{
    int64_t begin = w->n;
    kanon__put_name(w, name);
    if (w->st == KANON_OK && w->n - begin > MOST_KEY) {
        w->n = begin;
        kanon__put_text(w, "? ");
        kanon__put_name(w, name);
        kanon__put_text(w, indent != NULL ? "\n" : " ");
        kanon__put_text(w, indent != NULL ? indent : "");
    }
    kanon__put_text(w, ":");
}

/* ---- columns ----------------------------------------------------------------------------------------------------- */

/* Relative to the folder of the schema file where it lies below, else so that it is found from anywhere. */
static void put_path(kanon__text_writer *w, const char *path, const char *location)
{
    const char *slash = location != NULL ? strrchr(location, '/') : NULL;
    size_t folder = slash != NULL ? (size_t)(slash - location) + 1 : 0;
    kanon__text_writer all = {.err = w->err};
    char *here = NULL;
    if (!kanon__text_is_utf8(path) && w->st == KANON_OK)
        w->st = kanon__fail(w->err, KANON_EINVAL, "the path of a taxonomy is not UTF-8");
    if (strncmp(path, location != NULL ? location : "", folder) == 0 && path[folder] != '/')
        path += folder;
    else if (path[0] != '/' && (here = getcwd(NULL, 0)) == NULL)
        w->st = kanon__fail_errno(w->err, errno, "find", "the working directory");
    if (here != NULL) {
        kanon__put_text(&all, here);
        kanon__put_text(&all, "/");
    }
    kanon__put_text(&all, path);
    if (w->st == KANON_OK)
        w->st = all.st;
    if (w->st == KANON_OK)
        kanon__put_name(w, all.bytes);
    kanon__free(all.bytes);
    free(here);
}

/* {Health: {nurse: , surgeon: }}: nodes come depth first, so each one closes what it is not in. The root "*" goes without
 * saying, unless a single name is below it. */
static void put_nodes(kanon__text_writer *w, const kanon__taxonomy *t, int32_t *depth, kanon__text_writer *name)
{
    size_t length;
    const char *label = kanon__taxonomy_label(t, 0, &length);
    bool bare = length == 1 && label[0] == '*' && t->n_nodes > 2 && t->last_leaf[1] < t->n_leaves - 1;
    int32_t open = -1;
    for (int32_t node = bare; node < t->n_nodes; node++) {
        depth[node] = t->parent[node] < 0 || (bare && t->parent[node] == 0) ? 0 : depth[t->parent[node]] + 1;
        if (depth[node] > open)
            kanon__put_text(w, "{");
        for (; open > depth[node]; open--)
            kanon__put_text(w, "}");
        kanon__put_text(w, depth[node] == open ? ", " : "");
        open = depth[node];
        label = kanon__taxonomy_label(t, node, &length);
        name->n = 0;
        kanon__put(name, label, length);
        if (name->st != KANON_OK || w->st != KANON_OK)
            return;
        put_key(w, name->bytes, NULL);
        kanon__put_text(w, " ");
        if (open > MOST_DEPTH)
            w->st = KANON_EINVAL;
    }
    for (; open >= 0; open--)
        kanon__put_text(w, "}");
}

static void put_tree(kanon__text_writer *w, const kanon__attribute *attribute)
{
    kanon_status st = w->st;
    kanon__taxonomy *t = NULL;
    kanon__text_writer name = {.err = w->err};
    int32_t *depth = NULL;
    KANON_TRY(st, out);
    KANON_TRY(kanon__taxonomy_from_tree(&t, attribute->tree, NULL, 0, w->err), out);
    KANON_TRY(kanon__new_array(&depth, t->n_nodes, "a taxonomy", w->err), out);
    if (!t->own_leaves)
        put_nodes(w, t, depth, &name);
    st = name.st != KANON_OK ? name.st : t->own_leaves ? KANON_EINVAL : w->st;
    if (st == KANON_EINVAL) {
        st = kanon__fail(w->err, st, "column '%s': its taxonomy cannot stand in a schema file", attribute->name);
        kanon__hint(w->err, st, "name a file that has it: it is too deep, or a value has the name of the node above it");
    }
out:
    w->st = st;
    kanon__free(name.bytes);
    kanon__free(depth);
    kanon__taxonomy_free(t);
}

static void put_column(kanon__text_writer *w, const kanon__attribute *attribute, const char *location)
{
    int n = 0, last = -1;
    for (int key = 0; key < KANON__COLUMN_KEYS; key++)
        if (attribute->said[key] != NULL || (key == KANON__COLUMN_TAXONOMY && attribute->tree != NULL))
            n++, last = key;
    kanon__put_text(w, "  ");
    put_key(w, attribute->name, "  ");
    if (n == 1 && last == KANON__COLUMN_ROLE) {
        kanon__put_text(w, " ");
        kanon__put_text(w, attribute->said[last]);
    } else if (n > 0) {
        const char *between = " {";
        for (int key = 0; key <= last; key++) {
            bool is_tree = key == KANON__COLUMN_TAXONOMY && attribute->tree != NULL;
            if (attribute->said[key] == NULL && !is_tree)
                continue;
            kanon__put_text(w, between);
            kanon__put_text(w, kanon__column_keys[key].name);
            kanon__put_text(w, ": ");
            if (is_tree)
                put_tree(w, attribute);
            else if (key == KANON__COLUMN_TAXONOMY)
                put_path(w, attribute->said[key], location);
            else
                put_said(w, &kanon__column_keys[key], attribute->said[key]);
            between = ", ";
        }
        kanon__put_text(w, "}");
    }
    kanon__put_text(w, "\n");
}

/* ---- the whole --------------------------------------------------------------------------------------------------- */

static void put_columns(kanon__text_writer *w, const kanon_schema *schema, const char *location)
{
    bool any = false;
    kanon__put_text(w, "attributes:");
    for (int64_t i = 0; i < schema->n_attributes; i++) {
        if (!kanon__attribute_is_named(&schema->attributes[i]))
            continue;
        kanon__put_text(w, any ? "" : "\n");
        put_column(w, &schema->attributes[i], location);
        any = true;
    }
    kanon__put_text(w, any ? "" : " {}\n");
}

static void put_privacy(kanon__text_writer *w, const kanon_schema *schema)
{
    const char *head = "privacy:\n";
    for (int key = KANON__WHOLE_K; key < KANON__WHOLE_CONSTRAINT; key++) {
        if (schema->said[key] == NULL)
            continue;
        kanon__put_text(w, head);
        kanon__put_text(w, "  ");
        kanon__put_text(w, kanon__whole_keys[key].name);
        kanon__put_text(w, ": ");
        put_said(w, &kanon__whole_keys[key], schema->said[key]);
        kanon__put_text(w, "\n");
        head = "";
    }
    if (schema->n_constraints > 0) {
        kanon__put_text(w, head);
        kanon__put_text(w, "  constraints:\n");
    }
    for (int64_t i = 0; i < schema->n_constraints; i++) {
        kanon__put_text(w, "    - ");
        kanon__put_text(w, schema->constraints[i].text);
        kanon__put_text(w, "\n");
    }
}

/* The name, or the name and the settings in one mapping. */
static void put_algorithm(kanon__text_writer *w, const kanon_schema *schema)
{
    const char *settings = schema->n_settings > 0 ? schema->said[KANON__WHOLE_SETTINGS] : NULL;
    kanon__put_text(w, settings != NULL ? "{name: " : "");
    kanon__put_name(w, schema->said[KANON__WHOLE_ALGORITHM]);
    kanon__put_text(w, settings != NULL ? ", " : "");
    kanon__put_text(w, settings != NULL ? settings + 1 : "");
}

static void put_schema(kanon__text_writer *w, const kanon_schema *schema, const char *location)
{
    for (int key = 0; key < KANON__WHOLE_K; key++) {
        if (key == KANON__WHOLE_KEY)
            put_columns(w, schema, location);
        if (schema->said[key] == NULL || key == KANON__WHOLE_SETTINGS)
            continue;
        kanon__put_text(w, kanon__whole_keys[key].name);
        kanon__put_text(w, ": ");
        if (key == KANON__WHOLE_ALGORITHM)
            put_algorithm(w, schema);
        else
            put_said(w, &kanon__whole_keys[key], schema->said[key]);
        kanon__put_text(w, "\n");
    }
    put_privacy(w, schema);
}

static kanon_status write_schema(const kanon_schema *schema, const kanon_output *output, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__output *o = NULL;
    kanon__taken_output taken;
    kanon__text_writer w = {.err = err};
    int format;
    KANON_TRY(kanon__output_take(&taken, &output, KANON_OK, err), out);
    if (output == NULL || output->stream != NULL)
        KANON_TRY(kanon__fail(err, KANON_EINVAL, "a schema is written to a location or a sink"), out);
    KANON_TRY(kanon__output_format(&format, output, "yaml", err), out);
    put_schema(&w, schema, output->location);
    KANON_TRY(w.st, out);
    KANON_TRY(kanon__output_open(&o, output, false, err), out);
    kanon__output_write(o, w.bytes, (size_t)w.n);
    KANON_TRY(kanon__output_finish(o, err), out);
    KANON_TRY(kanon__output_commit(&o, 1, err), out);
out:
    kanon__free(w.bytes);
    kanon__output_free(o);
    kanon__outputs_end(&taken, 1);
    return st;
}

kanon_status kanon_schema_write(const kanon_schema *schema, const kanon_output *output, kanon_error *err)
{
    KANON_RETURN_IN(schema->context, write_schema(schema, output, err));
}
