/* Making taxonomies and looking at them, for the tests that do. */
#ifndef KANON_TESTS_TAXONOMY_HELPERS_H
#define KANON_TESTS_TAXONOMY_HELPERS_H

#include "core/alloc.h"
#include "table/schema/tree_internal.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* The tree that is drawn in taxonomy.h. */
#define DISEASE "Cancer;*\nHIV;Viral;*\nFlu;Viral;*\n"

static inline kanon__input in_memory(const char *path, const char *bytes, size_t size)
{
    return (kanon__input){.path = (char *)path, .bytes = bytes, .size = size};
}

static inline kanon_status parse(kanon__tree **out, const char *text, kanon_error *err)
{
    kanon__input input = in_memory("t.csv", text, strlen(text));
    return kanon__tree_parse(out, &input, err);
}

static inline kanon__taxonomy *finish(kanon__tree *tree, const char *extra)
{
    kanon__taxonomy *t = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    if (kanon__taxonomy_from_tree(&t, tree, extra, extra != NULL ? strlen(extra) : 0, &err) != KANON_OK)
        fail_msg("%s; %s", err.message, err.hint);
    kanon__tree_free(tree);
    return t;
}

static inline kanon__taxonomy *taxonomy_of(const char *text)
{
    kanon__tree *tree = NULL;
    kanon_error err = KANON_INIT(kanon_error);
    if (parse(&tree, text, &err) != KANON_OK)
        fail_msg("%s; %s", err.message, err.hint);
    return finish(tree, NULL);
}

static inline int32_t leaf(const kanon__taxonomy *t, const char *text)
{
    return kanon__taxonomy_leaf(t, text, strlen(text));
}

static inline int32_t node(const kanon__taxonomy *t, const char *text)
{
    return kanon__taxonomy_node(t, text, strlen(text));
}

static inline void assert_label(const kanon__taxonomy *t, int32_t of, const char *expected)
{
    size_t length;
    const char *label = kanon__taxonomy_label(t, of, &length);
    if (length != strlen(expected) || memcmp(label, expected, length) != 0)
        fail_msg("node %d is '%.*s', not '%s'", of, (int)length, label, expected);
}

static inline void assert_lca(const kanon__taxonomy *t, const char *a, const char *b, const char *expected, int32_t height)
{
    int32_t x = leaf(t, a), y = leaf(t, b);
    assert_true(x >= 0 && y >= 0);
    int32_t lca = kanon__taxonomy_lca(t, x < y ? x : y, x < y ? y : x);
    assert_label(t, lca, expected);
    assert_int_equal(t->height[lca], height);
    assert_int_equal(node(t, expected), lca);
}

/* All that the drawing in taxonomy.h promises, found again without its means. */
static inline void assert_sound(const kanon__taxonomy *t)
{
    int32_t n = t->n_nodes, n_leaves = 0;
    assert_int_equal(t->parent[0], -1);
    assert_int_equal(t->labels.n, n);
    for (int32_t i = 1; i < n; i++) {
        assert_in_range(t->parent[i], 0, i - 1);
        /* Depth-first: the parent is the node before, or an ancestor of it. */
        int32_t up = i - 1;
        while (up > t->parent[i])
            up = t->parent[up];
        assert_int_equal(up, t->parent[i]);
    }
    for (int32_t i = 0; i < n; i++) {
        bool is_leaf = i == n - 1 || t->parent[i + 1] != i;
        size_t length;
        const char *label = kanon__taxonomy_label(t, i, &length);
        assert_int_equal(kanon__taxonomy_node(t, label, length), i);
        assert_int_equal(kanon__taxonomy_leaf(t, label, length), is_leaf ? n_leaves : -1);
        assert_int_equal(t->height[i] == 0, is_leaf);
        if (is_leaf)
            assert_int_equal(t->leaf_node[n_leaves++], i);
    }
    assert_int_equal(t->n_leaves, n_leaves);
    assert_int_equal(t->first_leaf[0], 0);
    assert_int_equal(t->last_leaf[0], n_leaves - 1);
}

typedef kanon_status (*attempt)(const void *payload, kanon_error *err);

static inline kanon_status finish_attempt(kanon__tree *tree, kanon_error *err)
{
    kanon__taxonomy *t = (kanon__taxonomy *)&tree;
    kanon_status st = kanon__taxonomy_from_tree(&t, tree, "missing", 7, err);
    assert_int_equal(st == KANON_OK, t != NULL);
    kanon__taxonomy_free(t);
    kanon__tree_free(tree);
    return st;
}

/* Let every allocation fail in turn, alone and with all that follow. */
static inline void assert_survives(attempt what, const void *payload, kanon_status expected)
{
    kanon_error err = KANON_INIT(kanon_error);
    kanon__alloc_fail_at(0, false);
    assert_int_equal(what(payload, &err), expected);
    int64_t n = kanon__alloc_count();
    assert_true(n > 0);
    for (int64_t i = 1; i <= 2 * n; i++) {
        kanon__alloc_fail_at((i + 1) / 2, i % 2 == 0);
        kanon_status st = what(payload, &err);
        kanon__alloc_fail_at(0, false);
        assert_int_equal(st, KANON_ENOMEM);
    }
    assert_int_equal(what(payload, &err), expected);
}

#endif
