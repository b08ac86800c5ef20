/* See taxonomy.h. From the description of a tree (tree_internal.h) to arrays in depth-first order, and the questions to
 * them. */
#include "table/schema/tree_internal.h"

#include "core/alloc.h"

#include <string.h>

/* ---- from a tree ------------------------------------------------------------------------------------------------- */

/* The tree by the numbers of its description, an added leaf last. A node's parent has a smaller number, so one walk from
 * the last to the first sums up what is below each node, and one from the first to the last hands down what is above it. */
typedef struct plan {
    int32_t n;
    int32_t *parent;
    int32_t *size;     /* nodes of the subtree, the node itself included */
    int32_t *position; /* the node's number in depth-first order */
    int32_t *code;     /* of its label */
    bool own_leaves;   /* a node has the name of its parent */
} plan;

static void plan_clear(plan *p)
{
    kanon__free(p->code);
    kanon__free(p->position);
    kanon__free(p->size);
    kanon__free(p->parent);
}

static kanon_status plan_init(plan *p, const kanon__tree *tree, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t room = (int64_t)tree->n_nodes + 1;
    p->n = tree->n_nodes;
    KANON_TRY(kanon__new_array(&p->parent, room, "tree nodes", err), out);
    KANON_TRY(kanon__new_array(&p->size, room, "tree nodes", err), out);
    KANON_TRY(kanon__new_array(&p->position, room, "tree nodes", err), out);
    KANON_TRY(kanon__new_array(&p->code, room, "tree nodes", err), out);
    memcpy(p->parent, tree->parent, (size_t)tree->n_nodes * sizeof *p->parent);
out:
    return st;
}

/* Children of a node stand in depth-first order one after the other, each behind the whole subtree of the one before. */
static kanon_status number_nodes(plan *p, kanon_error *err)
{
    int32_t *next = NULL; /* by node: where its next child goes */
    kanon_status st = kanon__new_array(&next, p->n, "tree nodes", err);
    if (st != KANON_OK)
        return st;
    for (int32_t i = 0; i < p->n; i++)
        p->size[i] = 1;
    for (int32_t i = p->n - 1; i > 0; i--)
        p->size[p->parent[i]] += p->size[i];
    for (int32_t i = 0; i < p->n; i++) {
        if (i > 0) {
            p->position[i] = next[p->parent[i]];
            next[p->parent[i]] += p->size[i];
        }
        next[i] = p->position[i] + 1;
    }
    kanon__free(next);
    return KANON_OK;
}

static kanon_status fail_duplicate(kanon_error *err)
{
    return kanon__hint(err, kanon__fail(err, KANON_EDATA, "two nodes of the taxonomy have the same name"),
                       "give every value and every group of values one place and a name of its own");
}

/* Whether a node has the name of its parent, which is not the root. */
static bool is_own(const plan *p, int32_t node)
{
    return node > 0 && p->parent[node] > 0 && p->code[p->parent[node]] == p->code[node];
}

static kanon_status add_label(plan *p, kanon__dictionary *labels, int32_t node, const char *label, size_t length,
                              kanon_error *err)
{
    uint32_t n_before = labels->n, code;
    kanon_status st = kanon__dictionary_add(labels, &code, label, length, err);
    p->code[node] = (int32_t)code;
    if (st == KANON_OK && code < n_before && !is_own(p, node))
        return fail_duplicate(err);
    p->own_leaves |= st == KANON_OK && code < n_before;
    return st;
}

/* The name of a root that was not given by the user: a star more for each value that looks like it. */
static kanon_status add_starred_root(plan *p, kanon__dictionary *labels, const kanon__tree *tree, kanon_error *err)
{
    kanon_status st = KANON_OK;
    char *label = NULL;
    int64_t capacity = 0;
    size_t length;
    const char *text = kanon__tree_label(tree, 0, &length);
    KANON_TRY(kanon__grow_array(&label, &capacity, (int64_t)length, "the root's name", err), out);
    memcpy(label, text, length);
    while (kanon__dictionary_find(labels, label, length) != KANON__NO_CODE) {
        KANON_TRY(kanon__grow_array(&label, &capacity, (int64_t)length + 1, "the root's name", err), out);
        label[length++] = '*';
    }
    KANON_TRY(add_label(p, labels, 0, label, length, err), out);
out:
    kanon__free(label);
    return st;
}

static bool is_leaf(const plan *p, int32_t node)
{
    for (int32_t i = node + 1; i < p->n; i++)
        if (p->parent[i] == node)
            return false;
    return true;
}

/* The upper node with that name; a starred root has none yet. */
static int32_t node_of(const plan *p, uint32_t code, int32_t first)
{
    int32_t node = first;
    while (p->code[node] != (int32_t)code)
        node++;
    return node;
}

static kanon_status add_extra(plan *p, kanon__dictionary *labels, const kanon__tree *tree, const char *extra, size_t length,
                              kanon_error *err)
{
    uint32_t code = kanon__dictionary_find(labels, extra, length);
    if (code == KANON__NO_CODE) {
        p->parent[p->n] = 0;
        return add_label(p, labels, p->n++, extra, length, err);
    }
    int32_t node = node_of(p, code, tree->starred);
    if (node == 0)
        return kanon__hint(err, kanon__fail(err, KANON_EDATA, "a value that means 'missing' is the root of the taxonomy"),
                           "give the root another name, or name other texts with 'missing'");
    if (p->parent[node] != 0 || !is_leaf(p, node))
        return kanon__hint(
            err, kanon__fail(err, KANON_EDATA, "a value that means 'missing' has a place below the root of the taxonomy"),
            "take it out of the taxonomy, or out of the texts that mean 'missing'");
    return KANON_OK;
}

static kanon_status add_labels(plan *p, kanon__dictionary *labels, const kanon__tree *tree, const char *extra,
                               size_t extra_length, kanon_error *err)
{
    kanon_status st = KANON_OK;
    for (int32_t i = tree->starred; i < tree->n_nodes; i++) {
        size_t length;
        const char *text = kanon__tree_label(tree, i, &length);
        KANON_TRY(add_label(p, labels, i, text, length, err), out);
    }
    if (extra != NULL)
        KANON_TRY(add_extra(p, labels, tree, extra, extra_length, err), out);
    if (tree->starred)
        KANON_TRY(add_starred_root(p, labels, tree, err), out);
out:
    return st;
}

static kanon_status make_arrays(kanon__taxonomy *t, int32_t n, kanon_error *err)
{
    kanon_status st = KANON_OK;
    t->n_nodes = n;
    KANON_TRY(kanon__new_array(&t->parent, n, "taxonomy nodes", err), out);
    KANON_TRY(kanon__new_array(&t->first_leaf, n, "taxonomy nodes", err), out);
    KANON_TRY(kanon__new_array(&t->last_leaf, n, "taxonomy nodes", err), out);
    KANON_TRY(kanon__new_array(&t->height, n, "taxonomy nodes", err), out);
    KANON_TRY(kanon__new_array(&t->label, n, "taxonomy nodes", err), out);
    KANON_TRY(kanon__new_array(&t->node_of_label, n, "taxonomy nodes", err), out);
out:
    return st;
}

/* Only a leaf may have the name of its parent, and only one. */
static kanon_status check_own_leaves(const plan *p, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool *has_own = NULL;
    if (!p->own_leaves)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&has_own, p->n, "tree nodes", err), out);
    for (int32_t i = 1; i < p->n && st == KANON_OK; i++) {
        if (!is_own(p, i))
            continue;
        if (p->size[i] > 1 || has_own[p->parent[i]])
            st = fail_duplicate(err);
        has_own[p->parent[i]] = true;
    }
out:
    kanon__free(has_own);
    return st;
}

static kanon_status fill(kanon__taxonomy *t, const plan *p, kanon_error *err)
{
    for (int32_t i = 0; i < p->n; i++) {
        int32_t node = p->position[i];
        t->parent[node] = i > 0 ? p->position[p->parent[i]] : -1;
        t->label[node] = p->code[i];
        if (!is_own(p, i))
            t->node_of_label[p->code[i]] = node;
        t->n_leaves += p->size[i] == 1;
        t->height[node] = p->size[i] == 1 ? 0 : 1; /* for the leaves to be known below */
    }
    kanon_status st = kanon__new_array(&t->leaf_node, t->n_leaves, "taxonomy leaves", err);
    if (st != KANON_OK)
        return st;
    int32_t n_leaves = 0;
    for (int32_t node = 0; node < t->n_nodes; node++) {
        t->first_leaf[node] = t->last_leaf[node] = n_leaves;
        if (t->height[node] == 0)
            t->leaf_node[n_leaves++] = node;
    }
    for (int32_t node = t->n_nodes - 1; node > 0; node--) {
        int32_t parent = t->parent[node];
        if (t->last_leaf[parent] < t->last_leaf[node])
            t->last_leaf[parent] = t->last_leaf[node];
        if (t->height[parent] < t->height[node] + 1)
            t->height[parent] = t->height[node] + 1;
    }
    return KANON_OK;
}

kanon_status kanon__taxonomy_from_tree(kanon__taxonomy **out, const kanon__tree *tree, const char *root_extra,
                                       size_t root_extra_length, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__taxonomy *t = NULL;
    plan p = {0};
    *out = NULL;
    KANON_TRY(plan_init(&p, tree, err), out);
    KANON_TRY(kanon__new_array(&t, 1, "a taxonomy", err), out);
    KANON_TRY(kanon__dictionary_init(&t->labels, err), out);
    KANON_TRY(add_labels(&p, &t->labels, tree, root_extra, root_extra_length, err), out);
    KANON_TRY(number_nodes(&p, err), out);
    KANON_TRY(check_own_leaves(&p, err), out);
    KANON_TRY(make_arrays(t, p.n, err), out);
    KANON_TRY(fill(t, &p, err), out);
    t->flat = tree->flat;
    t->own_leaves = p.own_leaves;
    *out = t;
    t = NULL;
out:
    kanon__taxonomy_free(t);
    plan_clear(&p);
    return st;
}

void kanon__taxonomy_free(kanon__taxonomy *t)
{
    if (t == NULL)
        return;
    kanon__free(t->node_of_label);
    kanon__free(t->label);
    kanon__dictionary_clear(&t->labels);
    kanon__free(t->leaf_node);
    kanon__free(t->height);
    kanon__free(t->last_leaf);
    kanon__free(t->first_leaf);
    kanon__free(t->parent);
    kanon__free(t);
}

/* ---- questions --------------------------------------------------------------------------------------------------- */

int32_t kanon__taxonomy_node(const kanon__taxonomy *t, const char *text, size_t length)
{
    uint32_t code = kanon__dictionary_find(&t->labels, text, length);
    return code == KANON__NO_CODE ? -1 : t->node_of_label[code];
}

int32_t kanon__taxonomy_leaf(const kanon__taxonomy *t, const char *text, size_t length)
{
    int32_t node = kanon__taxonomy_node(t, text, length);
    if (node < 0 || t->height[node] == 0)
        return node < 0 ? -1 : t->first_leaf[node];
    for (int32_t leaf = t->first_leaf[node]; t->own_leaves && leaf <= t->last_leaf[node]; leaf++) {
        int32_t below = t->leaf_node[leaf];
        if (t->parent[below] == node && t->label[below] == t->label[node])
            return leaf;
    }
    return -1;
}

int32_t kanon__taxonomy_lca(const kanon__taxonomy *t, int32_t lo, int32_t hi)
{
    int32_t node = t->leaf_node[lo];
    while (t->last_leaf[node] < hi)
        node = t->parent[node];
    return node;
}

const char *kanon__taxonomy_label(const kanon__taxonomy *t, int32_t node, size_t *length)
{
    return kanon__dictionary_text(&t->labels, (uint32_t)t->label[node], length);
}
