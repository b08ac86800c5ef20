/* The trees of categorical columns: finding the node of a value, and adding nodes for values that are new.
 *
 * The code of a category is the number of its node. Nodes are only added, at the end, and never moved or renamed, so a code
 * keeps its meaning for the life of the state. Where a new value may go is the column's growth rule:
 *
 *     never       the taxonomy was given: only where the user asks for it, then below the root
 *     flat        no taxonomy: the same
 *     mask        below the longest mask that the value shares with others, with the masks between made on the way:
 *
 *                     *****                     *****
 *                       |        + 47205          |
 *                     4720*      ------->       4720*
 *                       |                       /    \
 *                     47203                 47203    47205 */
#include "core/alloc.h"
#include "state/store/state.h"
#include "table/schema/tree_internal.h"

#include <string.h>

/* ---- adding ------------------------------------------------------------------------------------------------------ */

/* The number of a node is also the code of its label in c->labels: both grow together or the file is damaged. */
kanon_status kanon__catalog_add_node(kanon__state_column *c, int32_t parent, const char *label, size_t length,
                                     kanon_error *err)
{
    uint32_t code = 0;
    int32_t node = 0;
    if (c->tree == NULL) {
        KANON_CHECK(kanon__new_array(&c->tree, 1, "a tree", err));
        KANON_CHECK(kanon__dictionary_init(&c->labels, err));
        c->tree->flat = c->growth == KANON__GROWS_FLAT;
    }
    if (c->labels.n != (uint32_t)c->tree->n_nodes || parent >= c->tree->n_nodes || (parent < 0) != (c->tree->n_nodes == 0) ||
        kanon__dictionary_find(&c->labels, label, length) != KANON__NO_CODE) {
        return kanon__fail(err, KANON_EDATA, "the state is damaged: a tree");
    }
    KANON_CHECK(kanon__grow_array(&c->inner, &c->inner_capacity, c->tree->n_nodes + 1, "tree nodes", err));
    KANON_CHECK(kanon__tree_add(c->tree, &node, parent, label, length, err));
    KANON_CHECK(kanon__dictionary_add(&c->labels, &code, label, length, err));
    c->inner[node] = false;
    if (parent >= 0)
        c->inner[parent] = true;
    return KANON_OK;
}

/* ---- categories -------------------------------------------------------------------------------------------------- */

enum { MASK_MOST = 255 };

/* The characters of a value: where each begins, and the end. 0: too many, or one is a star. */
static int characters_of(size_t starts[MASK_MOST + 1], const char *text, size_t length)
{
    int n = 0;
    if (!kanon__tree_can_mask(text, length) || length == 0)
        return 0;
    for (size_t i = 0; i < length; i++)
        if (((unsigned char)text[i] & 0xc0) != 0x80 || i == 0)
            starts[n++] = i;
    starts[n] = length;
    return n;
}

static int depth_of(const kanon__tree *tree, int32_t node)
{
    int depth = 0;
    for (; node > 0; node = tree->parent[node])
        depth++;
    return depth;
}

/* The number of levels of a mask: the longest path to the root. It is computed once, since no longer value is ever added. */
static int mask_levels(kanon__state_column *c)
{
    int most = c->levels;
    for (int32_t node = 0; c->levels == 0 && node < c->tree->n_nodes; node++) {
        int depth = depth_of(c->tree, node);
        most = depth > most ? depth : most;
    }
    return c->levels = most;
}

/* The label of a value with `level` of `levels` characters hidden, as table/schema/taxonomy_build.c writes it. */
static size_t mask_label(char *out, const char *text, const size_t *starts, int n, int levels, int level, bool from_left)
{
    int visible = n < levels - level ? n : levels - level;
    size_t begin = from_left ? starts[n - visible] : 0, size = (from_left ? starts[n] : starts[visible]) - begin;
    memset(out, '*', size + (size_t)level);
    memcpy(from_left ? out + level : out, text + begin, size);
    return size + (size_t)level;
}

/* Put a value below the masks that it shares with others. *out is -1 where it has more characters than the masks.
 *     1. Hide one character after the other until the mask is a node that there is; at worst that is the root.
 *     2. From there add the masks that were not there, one below the other, and last the value itself. */
static kanon_status add_masked(kanon__state_column *c, int64_t *out, const char *text, size_t length, kanon_error *err)
{
    kanon_status st = KANON_OK;
    size_t starts[MASK_MOST + 1], size;
    int n = characters_of(starts, text, length), levels = mask_levels(c), level = 0;
    bool from_left = c->growth == KANON__GROWS_MASK_LEFT;
    char *label = NULL;
    uint32_t code = KANON__NO_CODE;
    *out = -1;
    if (n == 0 || n > levels)
        return KANON_OK;
    KANON_TRY(kanon__new_array(&label, (int64_t)length + levels + 1, "a masked value", err), out);
    while (code == KANON__NO_CODE && ++level < levels) {
        size = mask_label(label, text, starts, n, levels, level, from_left);
        code = kanon__dictionary_find(&c->labels, label, size);
    }
    int32_t node = code == KANON__NO_CODE ? 0 : (int32_t)code;
    while (level > 0) {
        size = mask_label(label, text, starts, n, levels, --level, from_left);
        KANON_TRY(kanon__catalog_add_node(c, node, label, size, err), out);
        node = c->tree->n_nodes - 1;
    }
    *out = node;
out:
    kanon__free(label);
    return st;
}

/* All texts that mean "missing" share one node below the root; it is made for the first of them. */
static kanon_status missing_node(kanon__state_column *c, int64_t *out, const char *text, size_t length, const char **why,
                                 kanon_error *err)
{
    kanon_status st = KANON_OK;
    if (c->missing_node < 0) {
        uint32_t code = kanon__dictionary_find(&c->labels, text, length);
        if (code != KANON__NO_CODE && (c->tree->parent[code] != 0 || c->inner[code])) {
            *why = "a text that means 'missing' has another place in the taxonomy";
            return KANON_OK;
        }
        if (code == KANON__NO_CODE) {
            st = kanon__catalog_add_node(c, 0, text, length, err);
            code = (uint32_t)c->tree->n_nodes - 1;
        }
        if (st == KANON_OK)
            c->missing_node = (int32_t)code;
    }
    *out = c->missing_node;
    return st;
}

kanon_status kanon__catalog_node(kanon__state_column *c, int64_t *out, const char *text, size_t length, bool is_missing,
                                 bool grow, const char **why, kanon_error *err)
{
    *out = -1;
    *why = NULL;
    if (c->tree->n_nodes == 1) /* its only value is the root: nothing can stand beside it */
        grow = false;
    else if (is_missing)
        return missing_node(c, out, text, length, why, err);
    uint32_t code = kanon__dictionary_find(&c->labels, text, length);
    if (code != KANON__NO_CODE && !c->inner[code]) {
        *out = code;
        return KANON_OK;
    }
    if (code != KANON__NO_CODE) {
        *why = "value is no leaf of the column's taxonomy";
        return KANON_OK;
    }
    kanon_status st = KANON_OK;
    if (c->growth == KANON__GROWS_MASK_RIGHT || c->growth == KANON__GROWS_MASK_LEFT)
        st = add_masked(c, out, text, length, err);
    if (st != KANON_OK || *out >= 0)
        return st;
    if (!grow) {
        *why = c->growth == KANON__GROWS_NEVER  ? "value is no leaf of the column's taxonomy"
               : c->growth == KANON__GROWS_FLAT ? "no record had this value before"
                                                : "value does not fit the masks of the column";
        return KANON_OK;
    }
    st = kanon__catalog_add_node(c, 0, text, length, err);
    *out = c->tree->n_nodes - 1;
    return st;
}
