/* Rests and offers in bytes (core/packed.h): lists in their order, boxes and codes of the domain. What comes back is
 * sorted and inside the domain, so that placing can rely on it. */
#include "core/alloc.h"
#include "core/context.h"
#include "partition/rest.h"

/* ---- parts that both have ----------------------------------------------------------------------------------------- */

static void pack_group(kanon__packer *p, const kanon__space *space, const kanon__host_group *g, const kanon__bound *box)
{
    kanon__pack_number(p, (uint64_t)g->index);
    kanon__pack_number(p, (uint64_t)g->number);
    kanon__pack_number(p, (uint64_t)g->size);
    kanon__pack_box(p, space, box);
}

static kanon__host_group unpack_group(kanon__unpacker *u, int32_t block)
{
    kanon__host_group g = {.block = block};
    g.index = (int32_t)kanon__unpack_upto(u, INT32_MAX);
    g.number = kanon__unpack_upto(u, INT32_MAX);
    g.size = kanon__unpack_upto(u, INT32_MAX);
    return g;
}

static void pack_present(kanon__packer *p, int32_t n_blocks, const int32_t *present, int64_t n)
{
    kanon__pack_number(p, (uint64_t)n_blocks);
    kanon__pack_number(p, (uint64_t)n);
    for (int64_t i = 0; i < n; i++)
        kanon__pack_number(p, (uint64_t)present[i]);
}

/* Blocks rise. */
static bool unpack_present(int32_t *out, kanon__unpacker *u, int32_t n_blocks, int64_t n)
{
    bool sound = true;
    for (int64_t i = 0; i < n; i++) {
        out[i] = (int32_t)kanon__unpack_upto(u, (int64_t)n_blocks - 1);
        sound = sound && (i == 0 || out[i] > out[i - 1]);
    }
    return sound;
}

/* ---- rests -------------------------------------------------------------------------------------------------------- */

static void pack_record(kanon__packer *p, const kanon__rest *r, int64_t i)
{
    const kanon__left_record *record = &r->records[i];
    kanon__pack_signed(p, record->place);
    kanon__pack_number(p, (uint64_t)record->from_block);
    kanon__pack_number(p, (uint64_t)(record->host.block + 1));
    kanon__pack_number(p, (uint64_t)record->host.index);
    kanon__pack_number(p, (uint64_t)record->host.number);
    kanon__pack_number(p, (uint64_t)record->host.increase);
    kanon__pack_codes(p, r->space, r->codes + i * r->space->n_dimensions);
}

static void pack_rest(kanon__packer *p, const void *object)
{
    const kanon__rest *r = object;
    int64_t bounds = 2 * (int64_t)r->space->n_dimensions;
    kanon__pack_domain(p, r->domain);
    pack_present(p, r->n_blocks, r->present, r->n_present);
    for (int64_t i = 0; i < r->n_present; i++)
        kanon__pack_box(p, r->space, r->arounds + i * bounds);
    kanon__pack_number(p, (uint64_t)r->round);
    kanon__pack_number(p, (uint64_t)r->n);
    kanon__pack_number(p, (uint64_t)r->n_placed);
    for (int64_t i = 0; i < r->n; i++)
        pack_record(p, r, i);
    kanon__pack_number(p, (uint64_t)r->n_changed);
    for (int64_t i = 0; i < r->n_changed; i++) {
        kanon__pack_number(p, (uint64_t)r->changed[i].block);
        pack_group(p, r->space, &r->changed[i], r->boxes + i * bounds);
    }
}

/* Places rise; a record that is placed has a group. */
static bool unpack_records(kanon__rest *r, kanon__unpacker *u)
{
    bool sound = true;
    for (int64_t i = 0; i < r->n; i++) {
        kanon__left_record *record = &r->records[i];
        record->place = kanon__unpack_signed(u);
        record->from_block = (int32_t)kanon__unpack_upto(u, (int64_t)r->n_blocks - 1);
        record->host.block = (int32_t)kanon__unpack_upto(u, r->n_blocks) - 1;
        record->host.index = (int32_t)kanon__unpack_upto(u, INT32_MAX);
        record->host.number = kanon__unpack_upto(u, INT32_MAX);
        record->host.increase = kanon__unpack_upto(u, INT64_MAX);
        kanon__unpack_codes(r->codes + i * r->space->n_dimensions, u, r->space);
        sound = sound && (i == 0 || record->place > r->records[i - 1].place) &&
                (i >= r->n_placed || (record->host.block >= 0 && record->host.number > 0));
    }
    return sound;
}

/* Groups rise by block and index. */
static kanon_status unpack_changed(kanon__rest *r, kanon__unpacker *u, kanon_error *err)
{
    int64_t bounds = 2 * (int64_t)r->space->n_dimensions, n = kanon__unpack_count(u, 4 + bounds);
    bool sound = true;
    KANON_CHECK(kanon__grow_array(&r->changed, &r->changed_capacity, n, "records left over", err));
    KANON_CHECK(kanon__grow_array(&r->boxes, &r->boxes_capacity, n * bounds, "records left over", err));
    for (; r->n_changed < n; r->n_changed++) {
        kanon__host_group *g = &r->changed[r->n_changed];
        *g = unpack_group(u, (int32_t)kanon__unpack_upto(u, (int64_t)r->n_blocks - 1));
        kanon__unpack_box(r->boxes + r->n_changed * bounds, u, r->space);
        sound = sound &&
                (r->n_changed == 0 || g[-1].block < g->block || (g[-1].block == g->block && g[-1].index < g->index));
    }
    return kanon__unpacker_check(u, sound, err);
}

static kanon_status unpack_rest(kanon_piece **out, kanon__unpacker *u, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__rest *r = NULL;
    KANON_TRY(kanon__unpack_domain(u, whole, err), out);
    int32_t n_blocks = (int32_t)kanon__unpack_upto(u, INT32_MAX);
    int64_t n_present = kanon__unpack_count(u, 1), bounds = 2 * (int64_t)whole->data.n_quasi;
    KANON_TRY(kanon__rest_new(&r, whole, n_blocks, n_present, 0, err), out);
    bool sound = unpack_present(r->present, u, n_blocks, n_present);
    for (int64_t i = 0; i < n_present; i++)
        kanon__unpack_box(r->arounds + i * bounds, u, r->space);
    r->round = kanon__unpack_upto(u, INT64_MAX - 1);
    int64_t n = kanon__unpack_count(u, 6 + bounds / 2);
    KANON_TRY(kanon__unpacker_check(u, sound, err), out);
    kanon__free(r->records);
    kanon__free(r->codes);
    r->records = NULL;
    r->codes = NULL;
    KANON_TRY(kanon__new_array(&r->records, n, "records left over", err), out);
    KANON_TRY(kanon__new_array(&r->codes, n * bounds / 2, "records left over", err), out);
    r->n = n;
    r->n_placed = kanon__unpack_upto(u, n);
    KANON_TRY(kanon__unpacker_check(u, unpack_records(r, u), err), out);
    KANON_TRY(unpack_changed(r, u, err), out);
    *out = &r->piece;
    r = NULL;
out:
    kanon__piece_free(r);
    return st;
}

const kanon__piece_kind kanon__rest_kind = {.packed = {'R', '1', "a rest"},
                                            .of_domain = true,
                                            .pack = pack_rest,
                                            .unpack = unpack_rest,
                                            .merge = kanon__rest_merge,
                                            .free = kanon__rest_free};

/* ---- offers ------------------------------------------------------------------------------------------------------- */

static void pack_offers(kanon__packer *p, const void *object)
{
    const kanon__offers *o = object;
    int64_t bounds = 2 * (int64_t)o->space->n_dimensions, at = 0, before = 0;
    kanon__pack_domain(p, o->domain);
    pack_present(p, o->n_blocks, o->present, o->n_present);
    kanon__pack_number(p, (uint64_t)o->round);
    kanon__pack_number(p, (uint64_t)o->n_lists);
    for (int64_t list = 0; list < o->n_lists; list++) {
        const kanon__offer_list *l = &o->lists[list];
        kanon__pack_number(p, (uint64_t)(l->record - before));
        kanon__pack_number(p, (uint64_t)l->block);
        kanon__pack_number(p, l->complete);
        kanon__pack_number(p, (uint64_t)(l->end - at));
        for (; at < l->end; at++)
            pack_group(p, o->space, &o->groups[at], o->boxes + at * bounds);
        before = l->record;
    }
}

/* Lists rise by record and block. */
static kanon_status unpack_list(kanon__offers *o, kanon__unpacker *u, kanon__bound *box, kanon_error *err)
{
    const kanon__offer_list none = {.record = 0, .block = -1};
    kanon__offer_list before = o->n_lists > 0 ? o->lists[o->n_lists - 1] : none;
    int64_t record = before.record + kanon__unpack_upto(u, INT64_MAX - before.record);
    int32_t block = (int32_t)kanon__unpack_upto(u, (int64_t)o->n_blocks - 1);
    bool complete = kanon__unpack_upto(u, 1) > 0;
    int64_t n = kanon__unpack_count(u, 3 + 2 * (int64_t)o->space->n_dimensions);
    KANON_CHECK(kanon__unpacker_check(u, record > before.record || block > before.block, err));
    KANON_CHECK(kanon__offers_add_list(o, record, block, complete, err));
    for (int64_t i = 0; i < n; i++) {
        kanon__host_group g = unpack_group(u, block);
        kanon__unpack_box(box, u, o->space);
        KANON_CHECK(kanon__unpacker_check(u, g.number > 0 && g.size > 0, err));
        KANON_CHECK(kanon__offers_add_group(o, &g, box, err));
    }
    return KANON_OK;
}

static kanon_status unpack_offers(kanon_piece **out, kanon__unpacker *u, const kanon__whole *whole, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__offers *o = NULL;
    kanon__bound *box = NULL;
    KANON_TRY(kanon__unpack_domain(u, whole, err), out);
    int32_t n_blocks = (int32_t)kanon__unpack_upto(u, INT32_MAX);
    int64_t n_present = kanon__unpack_count(u, 1);
    KANON_TRY(kanon__offers_new(&o, whole, n_blocks, n_present, err), out);
    bool sound = unpack_present(o->present, u, n_blocks, n_present);
    o->round = kanon__unpack_upto(u, INT64_MAX - 1);
    int64_t n = kanon__unpack_count(u, 4);
    KANON_TRY(kanon__unpacker_check(u, sound, err), out);
    KANON_TRY(kanon__new_array(&box, 2 * (int64_t)o->space->n_dimensions, "offers", err), out);
    for (int64_t i = 0; i < n; i++)
        KANON_TRY(unpack_list(o, u, box, err), out);
    *out = &o->piece;
    o = NULL;
out:
    kanon__free(box);
    kanon__piece_free(o);
    return st;
}

const kanon__piece_kind kanon__offers_kind = {.packed = {'O', '1', "offers"},
                                              .of_domain = true,
                                              .pack = pack_offers,
                                              .unpack = unpack_offers,
                                              .merge = kanon__offers_merge,
                                              .free = kanon__offers_free};
