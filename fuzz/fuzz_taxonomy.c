/* A taxonomy file of any bytes is refused with one line, or becomes a sound tree. Its leaves are then taken as the values
 * of a column without taxonomy, and of masked ones. */
#include "core/alloc.h"
#include "table/schema/tree_internal.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition)
        abort();
}

/* The leaf right below a node that has its name; -1: there is none. */
static int32_t own_leaf(const kanon__taxonomy *t, int32_t node)
{
    size_t length, below;
    const char *label = kanon__taxonomy_label(t, node, &length);
    for (int32_t i = node + 1; node > 0 && i < t->n_nodes && t->first_leaf[i] <= t->last_leaf[node]; i++) {
        const char *other = kanon__taxonomy_label(t, i, &below);
        if (t->parent[i] == node && t->height[i] == 0 && length == below && memcmp(label, other, length) == 0)
            return i;
    }
    return -1;
}

/* Every name belongs to one node, or to a node and its own leaf: then the text means the node, and as a value the leaf. */
static void check_nodes(const kanon__taxonomy *t)
{
    uint32_t n_own = 0;
    require(t->n_nodes >= 1 && t->n_leaves >= 1 && t->parent[0] == -1);
    for (int32_t i = 0; i < t->n_nodes; i++) {
        size_t length;
        const char *label = kanon__taxonomy_label(t, i, &length);
        bool is_leaf = t->height[i] == 0, is_own = i > 0 && own_leaf(t, t->parent[i]) == i;
        int32_t leaf = is_leaf ? i : own_leaf(t, i);
        n_own += is_own;
        require(kanon__taxonomy_node(t, label, length) == (is_own ? t->parent[i] : i));
        require(kanon__taxonomy_leaf(t, label, length) == (leaf >= 0 ? t->first_leaf[leaf] : -1));
        require(!is_leaf || t->leaf_node[t->first_leaf[i]] == i);
        if (i == 0)
            continue;
        int32_t parent = t->parent[i];
        require(parent >= 0 && parent < i && t->height[parent] > t->height[i]);
        require(t->first_leaf[parent] <= t->first_leaf[i] && t->last_leaf[i] <= t->last_leaf[parent]);
    }
    require(t->labels.n + n_own == (uint32_t)t->n_nodes);
}

static void check_lca(const kanon__taxonomy *t)
{
    for (int32_t lo = 0, hi = t->n_leaves - 1; lo <= hi; lo++, hi--) {
        int32_t lca = kanon__taxonomy_lca(t, lo, hi);
        require(t->first_leaf[lca] <= lo && hi <= t->last_leaf[lca]);
        for (int32_t i = lca + 1; i < t->n_nodes && t->first_leaf[i] <= lo; i++) /* nothing lower covers both */
            require(t->last_leaf[i] < hi);
        if (lo > 100)
            break;
    }
}

static kanon__taxonomy *finish(kanon__tree *tree, const char *extra)
{
    kanon__taxonomy *t = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon__taxonomy_from_tree(&t, tree, extra, extra != NULL ? strlen(extra) : 0, &err);
    kanon__tree_free(tree);
    require(st == KANON_OK || (extra != NULL && st == KANON_EDATA && err.message[0] != '\0' && t == NULL));
    if (t != NULL) {
        check_nodes(t);
        check_lca(t);
    }
    return t;
}

static void collect_leaves(kanon__dictionary *values, const kanon__taxonomy *t)
{
    for (int32_t l = 0; l < t->n_leaves; l++) {
        size_t length;
        uint32_t code;
        const char *label = kanon__taxonomy_label(t, t->leaf_node[l], &length);
        require(kanon__dictionary_add(values, &code, label, length, NULL) == KANON_OK && code == (uint32_t)l);
    }
}

static void make_from_values(const kanon__dictionary *values, const char *extra)
{
    kanon__tree *tree = NULL;
    require(kanon__tree_flat(&tree, values, NULL) == KANON_OK);
    kanon__taxonomy_free(finish(tree, extra));
    for (int left = 0; left < 2; left++) {
        kanon_status st = kanon__tree_mask(&tree, values, left, NULL);
        require(st == KANON_OK || (st == KANON_EDATA && tree == NULL));
        if (st == KANON_OK)
            kanon__taxonomy_free(finish(tree, extra));
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[] = "fuzz.csv";
    kanon__input input = {.path = path, .bytes = (const char *)data, .size = size};
    kanon__tree *tree = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    kanon_status st = kanon__tree_parse(&tree, &input, &err);
    if (st != KANON_OK) {
        require(st == KANON_EDATA && tree == NULL && strncmp(err.message, "fuzz.csv:", 9) == 0);
        require(strchr(err.message, '\n') == NULL);
        return 0;
    }
    kanon__taxonomy *t = finish(tree, size % 2 == 0 ? "a" : NULL);
    if (t != NULL) {
        kanon__dictionary values;
        require(kanon__dictionary_init(&values, NULL) == KANON_OK);
        collect_leaves(&values, t);
        make_from_values(&values, size % 2 == 0 ? "*" : NULL);
        kanon__dictionary_clear(&values);
    }
    kanon__taxonomy_free(t);
    return 0;
}
