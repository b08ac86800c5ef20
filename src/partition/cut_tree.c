/* See cut_tree.h. Cost of a level: the merged histograms, once. Ties are those of gap_cut.h, dimensions in their order.
 * Numbers of nodes depend on the levels alone, so equal cuts are equal bytes. */
#include "partition/cut_tree.h"

#include "core/alloc.h"
#include "core/context.h"
#include "partition/cut_counts.h"
#include "partition/gap_cut.h"

#include <string.h>

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

static void pack(kanon__packer *p, const void *object)
{
    const kanon__cut_tree *c = object;
    kanon__pack_domain(p, c->domain);
    kanon__pack_number(p, (uint64_t)c->least);
    kanon__pack_number(p, (uint64_t)c->level);
    kanon__pack_number(p, (uint64_t)c->n_nodes);
    for (int64_t i = 0; i < c->n_nodes; i++) {
        const kanon__cut_node *node = &c->nodes[i];
        kanon__pack_number(p, (uint64_t)node->left);
        if (node->left == 0) {
            kanon__pack_number(p, node->open >= 0);
            kanon__pack_number(p, (uint64_t)node->n_rows);
        } else {
            kanon__pack_number(p, (uint64_t)node->dimension);
            kanon__pack_number(p, node->code);
        }
    }
}

static kanon_status take_fingerprint(kanon__cut_tree *c, kanon_error *err)
{
    kanon__packer p;
    kanon__packer_init(&p, &kanon__cuts_kind.packed, err);
    pack(&p, c);
    kanon_status st = kanon__packer_fingerprint(c->fingerprint, &p);
    kanon__packer_clear(&p);
    return st;
}

/* ---- the tree ----------------------------------------------------------------------------------------------------- */

/* Number the leaves and the open leaves from left to right. The way down is kept on a stack: a tree may be as deep as there
 * are parts. */
static kanon_status number_leaves(kanon__cut_tree *c, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int32_t *stack = NULL;
    int64_t n = 0;
    KANON_TRY(kanon__grow_array(&c->leaves, &c->leaves_capacity, c->n_nodes / 2 + 1, "cuts", err), out);
    KANON_TRY(kanon__new_array(&stack, c->n_nodes + 1, "cuts", err), out);
    c->n_leaves = c->n_open = 0;
    stack[n++] = 0;
    while (n > 0) {
        int32_t at = stack[--n];
        kanon__cut_node *node = &c->nodes[at];
        if (node->left > 0) {
            stack[n++] = node->left + 1;
            stack[n++] = node->left;
            continue;
        }
        node->leaf = (int32_t)c->n_leaves;
        c->leaves[c->n_leaves++] = at;
        if (node->open >= 0)
            node->open = (int32_t)c->n_open++;
    }
    KANON_TRY(take_fingerprint(c, err), out);
out:
    kanon__free(stack);
    return st;
}

/* A leaf for so many records, open where they can be cut again. */
static kanon__cut_node new_leaf(const kanon__cut_tree *c, int64_t n_rows)
{
    return (kanon__cut_node){.n_rows = n_rows, .open = kanon__gap_cut_fits(n_rows, c->least) ? 0 : -1};
}

/* Cut an open leaf, or close it where there is no cut. */
static kanon_status cut_leaf(kanon__cut_tree *c, int32_t at, const kanon__gap_cut *best, kanon_error *err)
{
    c->nodes[at].open = -1;
    if (best->dimension < 0)
        return KANON_OK;
    KANON_CHECK(kanon__grow_array(&c->nodes, &c->nodes_capacity, c->n_nodes + 2, "cuts", err));
    kanon__cut_node *node = &c->nodes[at];
    node->left = (int32_t)c->n_nodes;
    node->dimension = best->dimension;
    node->code = best->code;
    c->nodes[c->n_nodes++] = new_leaf(c, best->left);
    c->nodes[c->n_nodes++] = new_leaf(c, node->n_rows - best->left);
    return KANON_OK;
}

/* ---- the first cut ------------------------------------------------------------------------------------------------ */

static kanon_status best_of_domain(kanon__gap_cut *out, const kanon__cut_tree *c, kanon_error *err)
{
    const kanon__data *data = &c->domain->data;
    int64_t *counts = NULL;
    *out = KANON__NO_CUT;
    for (int i = 0; i < c->space->n_dimensions; i++) {
        const kanon__dimension *d = &c->space->dimensions[i];
        kanon__gap_scan scan = kanon__gap_scan_begin(d, i, c->domain->n_rows, c->least);
        KANON_CHECK(kanon__new_array(&counts, d->n_codes, "histograms", err));
        kanon__whole_histogram(counts, &c->domain->columns[data->quasi[i]]);
        for (uint32_t code = 0; code < d->n_codes; code++)
            if (counts[code] > 0)
                kanon__gap_scan_code(&scan, code, counts[code]);
        if (kanon__gap_cut_better(&scan.best, out))
            *out = scan.best;
        kanon__free(counts);
        counts = NULL;
    }
    return KANON_OK;
}

static kanon_status new_cuts(kanon__cut_tree **out, const kanon__whole *domain, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cut_tree *c = NULL;
    KANON_TRY(kanon__new_array(&c, 1, "cuts", err), out);
    c->piece = kanon__piece_begin(&kanon__cuts_kind);
    c->domain = kanon__whole_share(domain);
    const kanon__data *data = &domain->data;
    KANON_TRY(kanon__space_new(&c->space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    *out = c;
    c = NULL;
out:
    kanon__piece_free(c);
    return st;
}

static kanon_status first_cut(kanon_cuts **out, const kanon__whole *domain, int64_t least, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cut_tree *c = NULL;
    kanon__gap_cut best;
    if (least < 2)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "blocks of %lld records", (long long)least),
                           "a block has at least k records, better 100000");
    KANON_TRY(new_cuts(&c, domain, err), out);
    c->least = least;
    KANON_TRY(kanon__grow_array(&c->nodes, &c->nodes_capacity, 1, "cuts", err), out);
    c->nodes[c->n_nodes++] = new_leaf(c, domain->n_rows);
    if (c->nodes[0].open >= 0) {
        KANON_TRY(best_of_domain(&best, c, err), out);
        KANON_TRY(cut_leaf(c, 0, &best, err), out);
        c->level = 1;
    }
    KANON_TRY(number_leaves(c, err), out);
    *out = &c->piece;
    c = NULL;
out:
    kanon__piece_free(c);
    return st;
}

kanon_status kanon_cuts_new(kanon_cuts **out, const kanon_domain *domain, int64_t least, kanon_error *err)
{
    const kanon__whole *whole = NULL;
    *out = NULL;
    KANON_CHECK(kanon__whole_take(&whole, domain, err));
    KANON_RETURN_IN(domain->context, first_cut(out, whole, least, err));
}

static void free_cuts(void *object)
{
    kanon__cut_tree *c = object;
    kanon__free(c->leaves);
    kanon__free(c->nodes);
    kanon__space_free(c->space);
    kanon__piece_free(c->domain);
    kanon__free(c);
}

/* ---- the next level ----------------------------------------------------------------------------------------------- */

static kanon_status fail_counts(kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EDATA, "the counts are not those of all records of the table");
    return kanon__hint(err, st, "count every part of the table once, with the cuts as they are now");
}

/* The best cut of an open leaf by its histograms, which must be those of all its records. */
static kanon_status best_of_counts(kanon__gap_cut *out, const kanon__cut_tree *c, const kanon__cut_node *node,
                                   const kanon__cut_counts *counts, kanon_error *err)
{
    int m = c->space->n_dimensions;
    *out = KANON__NO_CUT;
    for (int i = 0; i < m; i++) {
        int64_t list = (int64_t)node->open * m + i, n = 0;
        const kanon__dimension *d = &c->space->dimensions[i];
        kanon__gap_scan scan = kanon__gap_scan_begin(d, i, node->n_rows, c->least);
        for (int64_t at = list > 0 ? counts->ends[list - 1] : 0; at < counts->ends[list]; at++) {
            const kanon__code_count *e = &counts->entries[at];
            if (e->code >= d->n_codes || e->n > node->n_rows - n)
                return fail_counts(err);
            kanon__gap_scan_code(&scan, e->code, e->n);
            n += e->n;
        }
        if (n != node->n_rows)
            return fail_counts(err);
        if (kanon__gap_cut_better(&scan.best, out))
            *out = scan.best;
    }
    return KANON_OK;
}

/* Nothing changes unless all counts are right. */
static kanon_status next_level(kanon__cut_tree *c, const kanon__cut_counts *counts, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__gap_cut *best = NULL;
    if (c->n_open == 0)
        return KANON_OK;
    if (memcmp(counts->of_cuts, c->fingerprint, sizeof c->fingerprint) != 0 ||
        counts->n_lists != c->n_open * c->space->n_dimensions)
        return fail_counts(err);
    KANON_TRY(kanon__new_array(&best, c->n_leaves, "cuts", err), out);
    KANON_TRY(kanon__grow_array(&c->nodes, &c->nodes_capacity, c->n_nodes + 2 * c->n_open, "cuts", err), out);
    for (int64_t i = 0; i < c->n_leaves; i++)
        if (c->nodes[c->leaves[i]].open >= 0)
            KANON_TRY(best_of_counts(&best[i], c, &c->nodes[c->leaves[i]], counts, err), out);
    for (int64_t i = 0, n = c->n_leaves; i < n; i++)
        if (c->nodes[c->leaves[i]].open >= 0)
            KANON_TRY(cut_leaf(c, c->leaves[i], &best[i], err), out);
    c->level++;
    KANON_TRY(number_leaves(c, err), out);
out:
    kanon__free(best);
    return st;
}

kanon_status kanon_cuts_next(kanon_cuts *cuts, const kanon_counts *counts, kanon_error *err)
{
    kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, err);
    const kanon__cut_counts *n = c != NULL ? kanon__piece_as(counts, &kanon__counts_kind, err) : NULL;
    if (n == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(cuts->context, next_level(c, n, err));
}

/* ---- where rows are ----------------------------------------------------------------------------------------------- */

kanon_status kanon__cuts_codes(kanon__codes **out, const kanon__cut_tree *c, const kanon_table *part, kanon_error *err)
{
    KANON_CHECK(kanon__whole_has(c->domain, part, err));
    KANON_CHECK(kanon__new_array(out, c->space->n_dimensions, "cuts", err));
    for (int i = 0; i < c->space->n_dimensions; i++)
        (*out)[i] = part->data.columns[part->data.quasi[i]].codes;
    return KANON_OK;
}

static int32_t leaf_below(const kanon__cut_tree *c, const kanon__codes *codes, int64_t row, int32_t at)
{
    while (c->nodes[at].left > 0) {
        const kanon__cut_node *node = &c->nodes[at];
        at = node->left + (kanon__code_at(codes[node->dimension], row) > node->code);
    }
    return at;
}

int32_t kanon__cuts_leaf(const kanon__cut_tree *c, const kanon__codes *codes, int64_t row)
{
    return leaf_below(c, codes, row, 0);
}

/* Nodes keep their numbers as the tree grows, and which tree grows depends only on the table and the size of blocks. */
kanon_status kanon__cuts_walk(const kanon__cut_tree *c, kanon__part_codes *codes, kanon_error *err)
{
    bool goes_on = codes->least == c->least && codes->n_nodes <= c->n_nodes;
    if (codes->whole == NULL || !kanon__whole_equal(codes->whole, c->domain))
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the codes are not of this domain"),
                           "seal them with the domain that the cuts were made with");
    if (!goes_on || !kanon__codes_hold(codes->nodes, (uint32_t)c->n_nodes - 1)) {
        KANON_CHECK(kanon__codes_move(&codes->nodes, goes_on ? codes->n_rows : 0, codes->n_rows, (uint32_t)c->n_nodes,
                                      false, err));
    }
    codes->least = c->least;
    codes->n_nodes = c->n_nodes;
    for (int64_t row = 0; row < codes->n_rows; row++)
        kanon__code_set(codes->nodes, row,
                        (uint32_t)leaf_below(c, codes->columns, row, (int32_t)kanon__code_at(codes->nodes, row)));
    return KANON_OK;
}

static kanon_status blocks_of_table(int32_t *out, const kanon__cut_tree *c, const kanon_table *part, kanon_error *err)
{
    kanon__codes *codes = NULL;
    kanon_status st = kanon__cuts_codes(&codes, c, part, err);
    for (int64_t row = 0; st == KANON_OK && row < part->data.n_rows; row++)
        out[row] = c->nodes[kanon__cuts_leaf(c, codes, row)].leaf;
    kanon__free(codes);
    return st;
}

kanon_status kanon_cuts_block_of(int32_t *out, const kanon_cuts *cuts, const kanon_table *part, kanon_error *err)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, err);
    if (c == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(part->context, blocks_of_table(out, c, part, err));
}

static kanon_status blocks_of_codes(int32_t *out, const kanon__cut_tree *c, kanon__part_codes *codes, kanon_error *err)
{
    KANON_CHECK(kanon__cuts_walk(c, codes, err));
    for (int64_t row = 0; row < codes->n_rows; row++)
        out[row] = c->nodes[kanon__code_at(codes->nodes, row)].leaf;
    return KANON_OK;
}

kanon_status kanon_codes_block_of(int32_t *out, kanon_codes *codes, const kanon_cuts *cuts, kanon_error *err)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, err);
    kanon__part_codes *own = c != NULL ? kanon__piece_as(codes, &kanon__codes_kind, err) : NULL;
    if (own == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(codes->context, blocks_of_codes(out, c, own, err));
}

kanon_status kanon__cuts_check_block(const kanon__cut_tree *c, int64_t block, kanon_error *err)
{
    if (c->n_open > 0)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "the table is not cut into blocks yet"),
                           "count and cut until no part is open");
    if (block < 0 || block >= c->n_leaves)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "there is no block %lld", (long long)block),
                           "blocks are numbered from 0");
    return KANON_OK;
}

int kanon_cuts_done(const kanon_cuts *cuts)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, NULL);
    return c != NULL && c->n_open == 0;
}

int kanon_cuts_level(const kanon_cuts *cuts)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, NULL);
    return c != NULL ? c->level : 0;
}

int64_t kanon_cuts_blocks(const kanon_cuts *cuts)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, NULL);
    return c != NULL ? c->n_leaves : 0;
}

int64_t kanon__cuts_rows(const kanon__cut_tree *c, int64_t block)
{
    return block >= 0 && block < c->n_leaves ? c->nodes[c->leaves[block]].n_rows : 0;
}

int64_t kanon_cuts_rows(const kanon_cuts *cuts, int64_t block)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, NULL);
    return c != NULL ? kanon__cuts_rows(c, block) : 0;
}

/* ---- from bytes --------------------------------------------------------------------------------------------------- */

/* Children come in pairs, in the order of their parents or not, but each node but the first is the child of one before
 * it. */
static bool unpack_node(kanon__cut_node *node, kanon__unpacker *u, const kanon__cut_tree *c, int64_t at, bool *is_child)
{
    node->left = (int32_t)kanon__unpack_upto(u, c->n_nodes > 2 ? c->n_nodes - 2 : 0);
    node->open = -1;
    if (node->left == 0) {
        node->open = kanon__unpack_upto(u, 1) > 0 ? 0 : -1;
        node->n_rows = kanon__unpack_upto(u, c->domain->n_rows);
        return node->n_rows > 0;
    }
    node->dimension = (int32_t)kanon__unpack_upto(u, c->space->n_dimensions - 1);
    node->code = (uint32_t)kanon__unpack_upto(u, (int64_t)c->space->dimensions[node->dimension].n_codes - 1);
    if (node->left <= at || is_child[node->left] || is_child[node->left + 1])
        return false;
    is_child[node->left] = is_child[node->left + 1] = true;
    return true;
}

/* Records of inner nodes are those of their children, and all together those of the table. */
static bool add_rows(kanon__cut_tree *c, const bool *is_child)
{
    for (int64_t i = c->n_nodes - 1; i >= 0; i--) {
        kanon__cut_node *node = &c->nodes[i];
        if (node->left > 0)
            node->n_rows = c->nodes[node->left].n_rows + c->nodes[node->left + 1].n_rows;
        if (node->n_rows > c->domain->n_rows || (i > 0 && !is_child[i]))
            return false;
    }
    return c->nodes[0].n_rows == c->domain->n_rows;
}

static kanon_status unpack_nodes(kanon__cut_tree *c, kanon__unpacker *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool *is_child = NULL, sound = true;
    KANON_TRY(kanon__grow_array(&c->nodes, &c->nodes_capacity, c->n_nodes, "cuts", err), out);
    memset(c->nodes, 0, (size_t)c->n_nodes * sizeof *c->nodes);
    KANON_TRY(kanon__new_array(&is_child, c->n_nodes + 2, "cuts", err), out);
    for (int64_t i = 0; i < c->n_nodes && sound && !u->damaged; i++)
        sound = unpack_node(&c->nodes[i], u, c, i, is_child);
    KANON_TRY(kanon__unpacker_check(u, sound && add_rows(c, is_child), err), out);
    KANON_TRY(number_leaves(c, err), out);
out:
    kanon__free(is_child);
    return st;
}

static kanon_status unpack(kanon_piece **out, kanon__unpacker *u, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__cut_tree *c = NULL;
    KANON_TRY(kanon__unpack_domain(u, whole, err), out);
    KANON_TRY(new_cuts(&c, whole, err), out);
    c->least = kanon__unpack_upto(u, INT64_MAX);
    c->level = (int)kanon__unpack_upto(u, INT32_MAX);
    c->n_nodes = kanon__unpack_count(u, 3);
    KANON_TRY(kanon__unpacker_check(u, c->n_nodes > 0 && c->n_nodes < INT32_MAX && c->least >= 2, err), out);
    KANON_TRY(unpack_nodes(c, u, err), out);
    *out = &c->piece;
    c = NULL;
out:
    kanon__piece_free(c);
    return st;
}

const kanon__piece_kind kanon__cuts_kind = {
    .packed = {'C', '1', "cuts"}, .of_domain = true, .pack = pack, .unpack = unpack, .free = free_cuts};
