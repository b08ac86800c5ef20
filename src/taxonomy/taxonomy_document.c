/* See taxonomy_document.h. Public functions that read, count and describe a taxonomy. */
#include "taxonomy/taxonomy_document.h"

#include "core/alloc.h"
#include "core/context.h"
#include "core/take_input.h"
#include "core/take_options.h"
#include "table/text/decode.h"

#include <string.h>

/* ---- the document ------------------------------------------------------------------------------------------------- */

static kanon_status list_nodes(kanon_taxonomy *d, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__taxonomy *t = d->taxonomy;
    int64_t size = 0;
    size_t length;
    KANON_TRY(kanon__new_array(&d->begins, t->n_nodes, "taxonomy nodes", err), out);
    KANON_TRY(kanon__new_array(&d->depth, t->n_nodes, "taxonomy nodes", err), out);
    KANON_TRY(kanon__new_array(&d->children, t->n_nodes, "taxonomy nodes", err), out);
    for (int32_t node = 0; node < t->n_nodes; node++) {
        kanon__taxonomy_label(t, node, &length);
        d->begins[node] = size;
        size += (int64_t)length + 1;
        if (node == 0)
            continue;
        d->depth[node] = d->depth[t->parent[node]] + 1; /* parents come first */
        d->children[t->parent[node]]++;
    }
    KANON_TRY(kanon__new_array(&d->names, size, "node names", err), out);
    for (int32_t node = 0; node < t->n_nodes; node++) {
        const char *label = kanon__taxonomy_label(t, node, &length);
        if (length > 0)
            memcpy(d->names + d->begins[node], label, length);
    }
out:
    return st;
}

kanon_status kanon__document_new(kanon_taxonomy **out, const kanon__tree *tree, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_taxonomy *d = NULL;
    *out = NULL;
    KANON_TRY(kanon__new_array(&d, 1, "a taxonomy", err), out);
    d->context = kanon__call_context();
    KANON_TRY(kanon__taxonomy_from_tree(&d->taxonomy, tree, NULL, 0, err), out);
    KANON_TRY(list_nodes(d, err), out);
    *out = d;
    d = NULL;
out:
    kanon_taxonomy_free(d);
    return st;
}

void kanon_taxonomy_free(kanon_taxonomy *d)
{
    if (d == NULL)
        return;
    kanon__taxonomy_free(d->taxonomy);
    kanon__free(d->records);
    kanon__free(d->children);
    kanon__free(d->depth);
    kanon__free(d->begins);
    kanon__free(d->names);
    kanon__free(d);
}

/* ---- reading ------------------------------------------------------------------------------------------------------ */

static kanon_status read_document(kanon_taxonomy **out, const kanon_input *given, kanon_taxonomy_form form, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__input input;
    kanon__tree *tree = NULL;
    KANON_TRY(kanon__input_take(&input, given, KANON__INPUT_TAXONOMY, KANON_OK, err), out);
    KANON_TRY(kanon__input_decode(&input, NULL, NULL, err), out);
    KANON_TRY(kanon__input_load(&input, err), out);
    KANON_TRY(kanon__form_find(&form, input.path, input.bytes, input.size, err), out);
    KANON_TRY(kanon__tree_read_form(&tree, &input, form, err), out);
    st = kanon__document_new(out, tree, err);
    if (st == KANON_EDATA) /* it knows no file */
        kanon__place(err, st, "%s: ", input.path);
out:
    kanon__tree_free(tree);
    kanon__input_close(&input);
    return st;
}

kanon_status kanon_taxonomy_read(kanon_taxonomy **out, const kanon_input *input, kanon_taxonomy_form form,
                                 const kanon_context *context, kanon_error *err)
{
    *out = NULL;
    KANON_RETURN_READING(context, input, read_document(out, input, form, err), err);
}

/* ---- counting and describing --------------------------------------------------------------------------------------- */

static kanon_status count_records(kanon_taxonomy *d, const kanon_input *table, const kanon_column_options *options,
                                  int64_t *unknown, kanon_error *err)
{
    kanon_status st = KANON_OK;
    const kanon__taxonomy *t = d->taxonomy;
    kanon__column_values values = {0};
    int64_t *records = NULL;
    *unknown = 0;
    KANON_TRY(kanon__column_values_read(&values, table, options, err), out);
    KANON_TRY(kanon__new_array(&records, t->n_nodes, "taxonomy nodes", err), out);
    for (uint32_t code = 0; code < values.texts.n; code++) {
        size_t length;
        const char *text = kanon__dictionary_text(&values.texts, code, &length);
        int32_t leaf = kanon__taxonomy_leaf(t, text, length);
        if (leaf < 0)
            *unknown += values.counts[code];
        else
            records[t->leaf_node[leaf]] += values.counts[code];
    }
    for (int32_t node = t->n_nodes - 1; node > 0; node--)
        records[t->parent[node]] += records[node];
    kanon__free(d->records);
    d->records = records;
    records = NULL;
out:
    kanon__free(records);
    kanon__column_values_clear(&values);
    return st;
}

kanon_status kanon_taxonomy_count(kanon_taxonomy *taxonomy, const kanon_input *table, const kanon_column_options *options,
                                  int64_t *unknown, kanon_error *err)
{
    KANON_RETURN_IN(taxonomy->context, count_records(taxonomy, table, options, unknown, err));
}

int32_t kanon_taxonomy_nodes(const kanon_taxonomy *taxonomy)
{
    return taxonomy->taxonomy->n_nodes;
}

kanon_status kanon_taxonomy_get(kanon_taxonomy_node *out, const kanon_taxonomy *d, int32_t node, kanon_error *err)
{
    const kanon__taxonomy *t = d->taxonomy;
    KANON_CHECK(kanon__check_out(out, err));
    if (node < 0 || node >= t->n_nodes)
        return kanon__fail(err, KANON_EINVAL, "the taxonomy has no node %d", (int)node);
    kanon_taxonomy_node info = {.name = d->names + d->begins[node],
                                .parent = t->parent[node],
                                .depth = d->depth[node],
                                .children = d->children[node],
                                .leaves = t->last_leaf[node] - t->first_leaf[node] + 1,
                                .records = d->records != NULL ? d->records[node] : -1};
    kanon__give_out(out, &info, sizeof info);
    return KANON_OK;
}
