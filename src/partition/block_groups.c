/* See block_groups.h. */
#include "partition/block_groups.h"

#include "core/alloc.h"
#include "core/context.h"
#include "model/clusters.h"
#include "model/grouping.h"
#include "search/run.h"

#include <stdlib.h>
#include <string.h>

/* ---- costs without rows ------------------------------------------------------------------------------------------- */

int64_t kanon__host_increase(const kanon__space *space, int64_t size, const kanon__bound *box, const uint32_t *codes)
{
    int64_t with = 0, without = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        const kanon__dimension *d = &space->dimensions[i];
        uint32_t lo = box[2 * i], hi = box[2 * i + 1];
        without += kanon__dimension_units(d, lo, hi);
        with += kanon__dimension_units(d, codes[i] < lo ? codes[i] : lo, codes[i] > hi ? codes[i] : hi);
    }
    return (size + 1) * with - size * without;
}

int64_t kanon__host_distance(const kanon__space *space, const kanon__bound *around, const uint32_t *codes)
{
    int64_t units = 0;
    for (int i = 0; i < space->n_dimensions; i++) {
        uint32_t lo = around[2 * i], hi = around[2 * i + 1], own = codes[i], near = own < lo ? lo : own > hi ? hi : own;
        units += kanon__dimension_units(&space->dimensions[i], own < near ? own : near, own < near ? near : own);
    }
    return units;
}

/* ---- parts of the bytes ------------------------------------------------------------------------------------------- */

void kanon__pack_box(kanon__packer *p, const kanon__space *space, const kanon__bound *box)
{
    for (int i = 0; i < space->n_dimensions; i++) {
        kanon__pack_number(p, box[2 * i]);
        kanon__pack_number(p, box[2 * i + 1] - box[2 * i]);
    }
}

bool kanon__unpack_box(kanon__bound *out, kanon__unpacker *u, const kanon__space *space)
{
    for (int i = 0; i < space->n_dimensions; i++) {
        int64_t last = (int64_t)space->dimensions[i].n_codes - 1;
        out[2 * i] = (kanon__bound)kanon__unpack_upto(u, last);
        out[2 * i + 1] = out[2 * i] + (kanon__bound)kanon__unpack_upto(u, last - out[2 * i]);
    }
    return !u->damaged;
}

void kanon__pack_codes(kanon__packer *p, const kanon__space *space, const uint32_t *codes)
{
    for (int i = 0; i < space->n_dimensions; i++)
        kanon__pack_number(p, codes[i]);
}

void kanon__unpack_codes(uint32_t *out, kanon__unpacker *u, const kanon__space *space)
{
    for (int i = 0; i < space->n_dimensions; i++)
        out[i] = (uint32_t)kanon__unpack_upto(u, (int64_t)space->dimensions[i].n_codes - 1);
}

/* ---- one object --------------------------------------------------------------------------------------------------- */

static void free_groups(void *object)
{
    kanon__block_groups *g = object;
    kanon__free(g->codes);
    kanon__free(g->places);
    kanon__free(g->around);
    kanon__free(g->boxes);
    kanon__free(g->groups);
    kanon__space_free(g->space);
    kanon__piece_free(g->domain);
    kanon__free(g);
}

static kanon_status new_groups(kanon__block_groups **out, const kanon__whole *domain, int32_t block, int32_t n_blocks,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__block_groups *g = NULL;
    const kanon__data *data = &domain->data;
    KANON_TRY(kanon__new_array(&g, 1, "groups of a block", err), out);
    g->piece = kanon__piece_begin(&kanon__block_groups_kind);
    g->domain = kanon__whole_share(domain);
    g->block = block;
    g->n_blocks = n_blocks;
    KANON_TRY(kanon__space_new(&g->space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(kanon__new_array(&g->around, 2 * (int64_t)g->space->n_dimensions, "groups of a block", err), out);
    *out = g;
    g = NULL;
out:
    kanon__piece_free(g);
    return st;
}

static kanon_status make_room(kanon__block_groups *g, int64_t n_groups, int64_t n_left, kanon_error *err)
{
    int64_t m = g->space->n_dimensions;
    KANON_CHECK(kanon__new_array(&g->groups, n_groups, "groups of a block", err));
    KANON_CHECK(kanon__new_array(&g->boxes, n_groups * 2 * m, "groups of a block", err));
    KANON_CHECK(kanon__new_array(&g->places, n_left, "records left over", err));
    KANON_CHECK(kanon__new_array(&g->codes, n_left * m, "records left over", err));
    g->n_groups = n_groups;
    g->n_left = n_left;
    return KANON_OK;
}

/* ---- of a grouping ------------------------------------------------------------------------------------------------ */

static kanon_status check_input(const kanon_table *rows, const kanon_grouping *grouping, const kanon__cut_tree *cuts,
                                int64_t block, const int64_t *places, kanon_error *err)
{
    KANON_CHECK(kanon__whole_has(cuts->domain, rows, err));
    KANON_CHECK(kanon__cuts_check_block(cuts, block, err));
    KANON_CHECK(kanon__grouping_is_of(grouping, rows, err));
    if (grouping->ranks == NULL) {
        kanon_status st = kanon__fail(err, KANON_EINVAL, "the grouping is not that of a block");
        return kanon__hint(err, st, "it is made by kanon_block_group");
    }
    for (int64_t row = 1; row < rows->data.n_rows; row++)
        if (places[row] <= places[row - 1]) {
            kanon_status st = kanon__fail(err, KANON_EINVAL, "the places of the records do not rise");
            return kanon__hint(err, st, "a block holds its records in the order of their places, and no two share one");
        }
    return KANON_OK;
}

static int by_index(const void *left, const void *right)
{
    int32_t a = ((const kanon__host_group *)left)->index, b = ((const kanon__host_group *)right)->index;
    return a < b ? -1 : a > b;
}

/* Sizes and boxes of all groups, by index: groups in the order of their ranks. */
static kanon_status take_groups(kanon__block_groups *out, const kanon_grouping *g, const kanon__space *space,
                                kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__clusters c = {0};
    int64_t box = 2 * (int64_t)space->n_dimensions;
    KANON_TRY(kanon__clusters_init(&c, space, g->n_groups, err), out);
    kanon__box_start(space, out->around, 0);
    for (int64_t row = 0; row < g->n_rows; row++) {
        kanon__box_add(space, out->around, row);
        if (g->group_of[row] >= 0)
            kanon__clusters_join(&c, g->group_of[row], row);
    }
    for (int64_t i = 0; i < g->n_groups; i++)
        out->groups[i] = (kanon__host_group){out->block, g->ranks[i], i + 1, c.sizes[i]};
    if (g->n_groups > 0)
        qsort(out->groups, (size_t)g->n_groups, sizeof *out->groups, by_index);
    for (int64_t i = 0; i < g->n_groups; i++) {
        memcpy(out->boxes + i * box, kanon__clusters_box(&c, out->groups[i].number - 1), (size_t)box * sizeof *out->boxes);
        out->groups[i].index = (int32_t)i;
    }
out:
    kanon__clusters_clear(&c);
    return st;
}

static void take_left(kanon__block_groups *out, const kanon_grouping *g, const kanon__space *space, const int64_t *places)
{
    int64_t at = 0, m = space->n_dimensions;
    for (int64_t row = 0; row < g->n_rows; row++) {
        if (g->group_of[row] != KANON__LEFT_OVER)
            continue;
        for (int i = 0; i < m; i++)
            out->codes[at * m + i] = kanon__code_at(space->dimensions[i].codes, row);
        out->places[at++] = places[row];
    }
}

static kanon_status groups_of(kanon_block_groups **out, const kanon_table *rows, const kanon_grouping *grouping,
                              const kanon__cut_tree *cuts, int64_t block, const int64_t *places, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__block_groups *g = NULL;
    kanon__space *space = NULL;
    const kanon__data *data = &rows->data;
    KANON_TRY(check_input(rows, grouping, cuts, block, places, err), out);
    KANON_TRY(kanon__space_new(&space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    KANON_TRY(new_groups(&g, cuts->domain, (int32_t)block, (int32_t)cuts->n_leaves, err), out);
    KANON_TRY(make_room(g, grouping->n_groups, grouping->n_left, err), out);
    KANON_TRY(take_groups(g, grouping, space, err), out);
    take_left(g, grouping, space, places);
    *out = &g->piece;
    g = NULL;
out:
    kanon__piece_free(g);
    kanon__space_free(space);
    return st;
}

kanon_status kanon_block_groups_new(kanon_block_groups **out, const kanon_table *rows, const kanon_grouping *grouping,
                                    const kanon_cuts *cuts, int64_t block, const int64_t *places, kanon_error *err)
{
    const kanon__cut_tree *c = kanon__piece_as(cuts, &kanon__cuts_kind, err);
    *out = NULL;
    if (c == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(rows->context, groups_of(out, rows, grouping, c, block, places, err));
}

/* ---- bytes -------------------------------------------------------------------------------------------------------- */

static void pack(kanon__packer *p, const void *object)
{
    const kanon__block_groups *g = object;
    int64_t m = g->space->n_dimensions;
    kanon__pack_domain(p, g->domain);
    kanon__pack_number(p, (uint64_t)g->n_blocks);
    kanon__pack_number(p, (uint64_t)g->block);
    kanon__pack_box(p, g->space, g->around);
    kanon__pack_number(p, (uint64_t)g->n_groups);
    for (int64_t i = 0; i < g->n_groups; i++) {
        kanon__pack_number(p, (uint64_t)g->groups[i].number);
        kanon__pack_number(p, (uint64_t)g->groups[i].size);
        kanon__pack_box(p, g->space, g->boxes + i * 2 * m);
    }
    kanon__pack_number(p, (uint64_t)g->n_left);
    for (int64_t i = 0; i < g->n_left; i++) {
        kanon__pack_signed(p, g->places[i]);
        kanon__pack_codes(p, g->space, g->codes + i * m);
    }
}

/* The groups, then the records left over: numbers of groups are 1 .. n_groups, places rise. */
static kanon_status unpack_groups(kanon__block_groups *g, kanon__unpacker *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    int64_t m = g->space->n_dimensions;
    bool *seen = NULL, sound = true;
    kanon__unpack_box(g->around, u, g->space);
    int64_t n = kanon__unpack_count(u, 2 + 2 * m);
    KANON_TRY(kanon__unpacker_check(u, n <= INT32_MAX, err), out);
    KANON_TRY(make_room(g, n, 0, err), out);
    KANON_TRY(kanon__new_array(&seen, n + 1, "groups of a block", err), out);
    for (int64_t i = 0; i < n; i++) {
        int64_t number = kanon__unpack_upto(u, n), size = kanon__unpack_upto(u, KANON__MAX_ROWS);
        sound = sound && number > 0 && !seen[number] && size > 0;
        seen[number] = true;
        g->groups[i] = (kanon__host_group){g->block, (int32_t)i, number, size};
        kanon__unpack_box(g->boxes + i * 2 * m, u, g->space);
    }
    int64_t n_left = kanon__unpack_count(u, 1 + m);
    kanon__free(g->places);
    kanon__free(g->codes);
    g->places = NULL;
    g->codes = NULL;
    KANON_TRY(kanon__new_array(&g->places, n_left, "records left over", err), out);
    KANON_TRY(kanon__new_array(&g->codes, n_left * m, "records left over", err), out);
    g->n_left = n_left;
    for (int64_t i = 0; i < n_left; i++) {
        g->places[i] = kanon__unpack_signed(u);
        kanon__unpack_codes(g->codes + i * m, u, g->space);
        sound = sound && (i == 0 || g->places[i] > g->places[i - 1]);
    }
    KANON_TRY(kanon__unpacker_check(u, sound && n > 0, err), out);
out:
    kanon__free(seen);
    return st;
}

static kanon_status unpack(kanon_piece **out, kanon__unpacker *u, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__block_groups *g = NULL;
    KANON_TRY(kanon__unpack_domain(u, whole, err), out);
    int64_t n_blocks = kanon__unpack_upto(u, INT32_MAX), block = kanon__unpack_upto(u, n_blocks - 1);
    KANON_TRY(kanon__unpacker_check(u, true, err), out);
    KANON_TRY(new_groups(&g, whole, (int32_t)block, (int32_t)n_blocks, err), out);
    KANON_TRY(unpack_groups(g, u, err), out);
    *out = &g->piece;
    g = NULL;
out:
    kanon__piece_free(g);
    return st;
}

const kanon__piece_kind kanon__block_groups_kind = {
    .packed = {'G', '1', "groups of a block"}, .of_domain = true, .pack = pack, .unpack = unpack, .free = free_groups};
