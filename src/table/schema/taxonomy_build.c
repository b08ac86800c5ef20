/* Describing a tree node by node, and the trees that are made from the values alone: flat ones and masks. */
#include "table/schema/tree_internal.h"

#include "core/alloc.h"

#include <stdlib.h>
#include <string.h>

/* ---- node by node ------------------------------------------------------------------------------------------------ */

kanon_status kanon__tree_new(kanon__tree **out, const char *root_label, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *tree = NULL;
    int32_t root;
    *out = NULL;
    KANON_TRY(kanon__new_array(&tree, 1, "a tree", err), out);
    if (root_label != NULL)
        KANON_TRY(kanon__tree_add(tree, &root, -1, root_label, strlen(root_label), err), out);
    *out = tree;
    tree = NULL;
out:
    kanon__tree_free(tree);
    return st;
}

void kanon__tree_free(kanon__tree *tree)
{
    if (tree == NULL)
        return;
    kanon__free(tree->ends);
    kanon__free(tree->bytes);
    kanon__free(tree->parent);
    kanon__free(tree);
}

kanon_status kanon__tree_add(kanon__tree *tree, int32_t *out, int32_t parent, const char *label, size_t length,
                             kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t begin = tree->n_nodes > 0 ? tree->ends[tree->n_nodes - 1] : 0, needed = (int64_t)tree->n_nodes + 1;
    if (needed >= INT32_MAX || length > (size_t)(INT64_MAX - begin))
        return kanon__fail(err, KANON_EDATA, "a taxonomy of more than %d nodes", INT32_MAX - 1);
    KANON_TRY(kanon__grow_array(&tree->parent, &tree->parent_capacity, needed, "tree nodes", err), out);
    KANON_TRY(kanon__grow_array(&tree->ends, &tree->ends_capacity, needed, "tree nodes", err), out);
    KANON_TRY(kanon__grow_array(&tree->bytes, &tree->bytes_capacity, begin + (int64_t)length, "node names", err), out);
    if (length > 0)
        memcpy(tree->bytes + begin, label, length);
    tree->ends[tree->n_nodes] = begin + (int64_t)length;
    tree->parent[tree->n_nodes] = parent;
    *out = tree->n_nodes++;
out:
    return st;
}

const char *kanon__tree_label(const kanon__tree *tree, int32_t node, size_t *length)
{
    int64_t begin = node > 0 ? tree->ends[node - 1] : 0;
    *length = (size_t)(tree->ends[node] - begin);
    return tree->bytes + begin;
}

bool kanon__tree_has_root(const kanon__tree *tree)
{
    for (int32_t i = 1; i < tree->n_nodes; i++)
        if (tree->parent[i] < 0)
            return false;
    return tree->n_nodes > 1;
}

kanon_status kanon__tree_root(kanon__tree **tree, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *list = *tree, *rooted = NULL;
    int32_t node;
    if (kanon__tree_has_root(list))
        return KANON_OK;
    KANON_TRY(kanon__tree_new(&rooted, "*", err), out);
    for (int32_t i = 0; i < list->n_nodes; i++) {
        size_t length;
        const char *label = kanon__tree_label(list, i, &length);
        KANON_TRY(kanon__tree_add(rooted, &node, list->parent[i] + 1, label, length, err), out);
    }
    *tree = rooted;
    rooted = list;
out:
    kanon__tree_free(rooted);
    return st;
}

bool kanon__tree_is_flat(const kanon__tree *tree)
{
    return tree->flat;
}

/* ---- values in byte order ---------------------------------------------------------------------------------------- */

typedef struct value {
    const char *text;
    size_t length;
} value;

static int by_bytes(const void *left, const void *right)
{
    const value *a = left, *b = right;
    int order = memcmp(a->text, b->text, a->length < b->length ? a->length : b->length);
    if (order != 0)
        return order;
    return a->length < b->length ? -1 : a->length > b->length;
}

static kanon_status sort_values(value **out, const kanon__dictionary *values, kanon_error *err)
{
    kanon_status st = kanon__new_array(out, values->n, "sorted values", err);
    if (st != KANON_OK)
        return st;
    for (uint32_t i = 0; i < values->n; i++)
        (*out)[i].text = kanon__dictionary_text(values, i, &(*out)[i].length);
    qsort(*out, values->n, sizeof **out, by_bytes);
    return KANON_OK;
}

kanon_status kanon__tree_flat(kanon__tree **out, const kanon__dictionary *values, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__tree *tree = NULL;
    value *sorted = NULL;
    int32_t node;
    *out = NULL;
    KANON_TRY(sort_values(&sorted, values, err), out);
    KANON_TRY(kanon__tree_new(&tree, "*", err), out);
    for (uint32_t i = 0; i < values->n; i++)
        KANON_TRY(kanon__tree_add(tree, &node, 0, sorted[i].text, sorted[i].length, err), out);
    tree->flat = true;
    tree->starred = true;
    *out = tree;
    tree = NULL;
out:
    kanon__tree_free(tree);
    kanon__free(sorted);
    return st;
}

/* ---- masks ------------------------------------------------------------------------------------------------------- */

/* Level j of a mask of H characters hides the last j of H places (the first j, from the left). A value of fewer characters
 * is filled up to H places on the masked side. What fills it is hidden first and never shown, so a label is what is still
 * visible of the value, and a star per hidden place:
 *
 *     level         0       1       2        3        4        5
 *     75275         75275   7527*   752**    75***    7****    *****
 *     752           752     752*    752**    75***    7****    *****
 *
 * So "752**" stands for five places that begin with 752, and a value of three characters is below it as well. Values hold
 * no stars, so a label says by itself what is visible and how many places are hidden: different nodes have different
 * labels. A value that holds a star is refused, for to mask that star would change nothing. */
enum { MASK_MOST_CHARACTERS = 255 };

typedef struct mask_builder {
    kanon__tree *tree;
    kanon__dictionary labels; /* the code of a label is the number of its node */
    bool from_left;
    int n_levels;
    char *label; /* being made */
    size_t label_length;
    value value; /* being masked */
    int n_characters;
    size_t starts[MASK_MOST_CHARACTERS + 1]; /* where each of its characters begins, and its end */
} mask_builder;

static bool begins_character(char byte)
{
    return ((unsigned char)byte & 0xc0) != 0x80;
}

/* Find the characters of the value; false where they are too many. */
static bool take_value(mask_builder *m, value v)
{
    m->value = v;
    m->n_characters = 0;
    for (size_t i = 0; i < v.length; i++) {
        if (i > 0 && !begins_character(v.text[i]))
            continue;
        if (m->n_characters == MASK_MOST_CHARACTERS)
            return false;
        m->starts[m->n_characters++] = i;
    }
    m->starts[m->n_characters] = v.length;
    return true;
}

bool kanon__tree_can_mask(const char *text, size_t length)
{
    mask_builder m = {0};
    return take_value(&m, (value){text, length}) && memchr(text, '*', length) == NULL;
}

static void make_label(mask_builder *m, int level)
{
    int places = m->n_levels - level;
    int visible = m->n_characters < places ? m->n_characters : places;
    size_t begin = m->from_left ? m->starts[m->n_characters - visible] : 0;
    size_t end = m->from_left ? m->value.length : m->starts[visible];
    m->label_length = end - begin + (size_t)level;
    memset(m->label, '*', m->label_length);
    memcpy(m->from_left ? m->label + level : m->label, m->value.text + begin, end - begin);
}

static kanon_status add_label(mask_builder *m, int32_t *node, kanon_error *err)
{
    uint32_t code;
    int32_t parent = *node;
    kanon_status st = kanon__dictionary_add(&m->labels, &code, m->label, m->label_length, err);
    if (st == KANON_OK)
        st = kanon__tree_add(m->tree, node, parent, m->label, m->label_length, err);
    return st;
}

/* Add the value, and above it the nodes that no value before had. */
static kanon_status add_masked(mask_builder *m, value v, kanon_error *err)
{
    uint32_t code = KANON__NO_CODE;
    int level = 0;
    take_value(m, v);
    while (code == KANON__NO_CODE) {
        make_label(m, ++level);
        code = kanon__dictionary_find(&m->labels, m->label, m->label_length);
    }
    int32_t node = (int32_t)code;
    kanon_status st = KANON_OK;
    while (st == KANON_OK && level > 0) {
        make_label(m, --level);
        st = add_label(m, &node, err);
    }
    return st;
}

/* Find the number of levels and the longest label, and refuse what cannot be masked. */
static kanon_status measure(mask_builder *m, const value *values, uint32_t n, kanon_error *err)
{
    size_t longest = 1;
    m->n_levels = 1;
    for (uint32_t i = 0; i < n; i++) {
        if (!take_value(m, values[i]))
            return kanon__hint(err,
                               kanon__fail(err, KANON_EDATA, "a value of more than %d characters is masked one by one",
                                           MASK_MOST_CHARACTERS),
                               "give the column a taxonomy instead of a mask");
        if (memchr(values[i].text, '*', values[i].length) != NULL)
            return kanon__hint(err, kanon__fail(err, KANON_EDATA, "a value with a star cannot be told from a masked one"),
                               "write such values without stars, name them as missing, or give the column a taxonomy");
        if (m->n_characters > m->n_levels)
            m->n_levels = m->n_characters;
        if (values[i].length > longest)
            longest = values[i].length;
    }
    return kanon__new_array(&m->label, (int64_t)longest + m->n_levels + 1, "a masked value", err);
}

static kanon_status add_root(mask_builder *m, kanon_error *err)
{
    kanon_status st = KANON_OK;
    uint32_t code;
    memset(m->label, '*', (size_t)m->n_levels);
    m->label[m->n_levels] = '\0';
    KANON_TRY(kanon__tree_new(&m->tree, m->label, err), out);
    KANON_TRY(kanon__dictionary_init(&m->labels, err), out);
    KANON_TRY(kanon__dictionary_add(&m->labels, &code, m->label, (size_t)m->n_levels, err), out);
out:
    return st;
}

kanon_status kanon__tree_mask(kanon__tree **out, const kanon__dictionary *values, bool from_left, kanon_error *err)
{
    kanon_status st = KANON_OK;
    value *sorted = NULL;
    mask_builder m = {.from_left = from_left};
    *out = NULL;
    KANON_TRY(sort_values(&sorted, values, err), out);
    KANON_TRY(measure(&m, sorted, values->n, err), out);
    KANON_TRY(add_root(&m, err), out);
    for (uint32_t i = 0; i < values->n; i++)
        KANON_TRY(add_masked(&m, sorted[i], err), out);
    m.tree->starred = true;
    *out = m.tree;
    m.tree = NULL;
out:
    kanon__free(m.label);
    kanon__dictionary_clear(&m.labels);
    kanon__tree_free(m.tree);
    kanon__free(sorted);
    return st;
}
