/* See rest.h: what is left over, the offers of a block, and merging both. Cost of an offer: the groups of the block for
 * every record that is near enough. Placing is in rest_place.c, bytes are in rest_bytes.c. */
#include "partition/rest.h"

#include "core/alloc.h"
#include "core/context.h"

#include <string.h>

/* More groups on offer: fewer rounds, more bytes, the same result. Where tests look, there is one, so that records wait. */
#ifdef KANON_TEST_HOOKS
enum { OFFERS = 1 };
#else
enum { OFFERS = 8 };
#endif

/* ---- objects ------------------------------------------------------------------------------------------------------ */

kanon_status kanon__rest_new(kanon__rest **out, const kanon__whole *domain, int32_t n_blocks, int64_t n_present, int64_t n,
                             kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__rest *r = NULL;
    const kanon__data *data = &domain->data;
    KANON_TRY(kanon__new_array(&r, 1, "records left over", err), out);
    r->piece = kanon__piece_begin(&kanon__rest_kind);
    r->domain = kanon__whole_share(domain);
    KANON_TRY(kanon__space_new(&r->space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    int64_t m = r->space->n_dimensions;
    r->n_blocks = n_blocks;
    r->n_present = n_present;
    r->n = n;
    KANON_TRY(kanon__new_array(&r->present, n_present, "records left over", err), out);
    KANON_TRY(kanon__new_array(&r->arounds, n_present * 2 * m, "records left over", err), out);
    KANON_TRY(kanon__new_array(&r->records, n, "records left over", err), out);
    KANON_TRY(kanon__new_array(&r->codes, n * m, "records left over", err), out);
    *out = r;
    r = NULL;
out:
    kanon__piece_free(r);
    return st;
}

void kanon__rest_free(void *rest)
{
    kanon__rest *r = rest;
    kanon__free(r->boxes);
    kanon__free(r->changed);
    kanon__free(r->codes);
    kanon__free(r->records);
    kanon__free(r->arounds);
    kanon__free(r->present);
    kanon__space_free(r->space);
    kanon__piece_free(r->domain);
    kanon__free(r);
}

kanon_status kanon__offers_new(kanon__offers **out, const kanon__whole *domain, int32_t n_blocks, int64_t n_present,
                               kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__offers *o = NULL;
    const kanon__data *data = &domain->data;
    KANON_TRY(kanon__new_array(&o, 1, "offers", err), out);
    o->piece = kanon__piece_begin(&kanon__offers_kind);
    o->domain = kanon__whole_share(domain);
    KANON_TRY(kanon__space_new(&o->space, data, data->quasi, data->n_quasi, KANON__TERMS_LOSS, err), out);
    o->n_blocks = n_blocks;
    o->n_present = n_present;
    KANON_TRY(kanon__new_array(&o->present, n_present, "offers", err), out);
    *out = o;
    o = NULL;
out:
    kanon__piece_free(o);
    return st;
}

void kanon__offers_free(void *offers)
{
    kanon__offers *o = offers;
    kanon__free(o->boxes);
    kanon__free(o->groups);
    kanon__free(o->lists);
    kanon__free(o->present);
    kanon__space_free(o->space);
    kanon__piece_free(o->domain);
    kanon__free(o);
}

kanon_status kanon__offers_add_list(kanon__offers *o, int64_t record, int32_t block, bool complete, kanon_error *err)
{
    kanon_status st = kanon__grow_array(&o->lists, &o->lists_capacity, o->n_lists + 1, "offers", err);
    if (st == KANON_OK)
        o->lists[o->n_lists++] = (kanon__offer_list){record, block, complete, o->n_groups};
    return st;
}

kanon_status kanon__offers_add_group(kanon__offers *o, const kanon__host_group *group, const kanon__bound *box,
                                     kanon_error *err)
{
    int64_t bounds = 2 * (int64_t)o->space->n_dimensions;
    KANON_CHECK(kanon__grow_array(&o->groups, &o->groups_capacity, o->n_groups + 1, "offers", err));
    KANON_CHECK(kanon__grow_array(&o->boxes, &o->boxes_capacity, (o->n_groups + 1) * bounds, "offers", err));
    memcpy(o->boxes + o->n_groups * bounds, box, (size_t)bounds * sizeof *box);
    o->groups[o->n_groups++] = *group;
    o->lists[o->n_lists - 1].end = o->n_groups;
    return KANON_OK;
}

/* ---- the rest of one block ---------------------------------------------------------------------------------------- */

static kanon__host host_in(const kanon__space *space, const kanon__host_group *group, const kanon__bound *box,
                           const uint32_t *codes)
{
    return (kanon__host){kanon__host_increase(space, group->size, box, codes), group->block, group->index, group->number};
}

static kanon_status rest_of(kanon_rest **out, const kanon__block_groups *g, kanon_error *err)
{
    kanon__rest *r = NULL;
    KANON_CHECK(kanon__rest_new(&r, g->domain, g->n_blocks, 1, g->n_left, err));
    int64_t m = g->space->n_dimensions;
    r->present[0] = g->block;
    memcpy(r->arounds, g->around, 2 * (size_t)m * sizeof *r->arounds);
    if (g->n_left > 0)
        memcpy(r->codes, g->codes, (size_t)(g->n_left * m) * sizeof *r->codes);
    for (int64_t i = 0; i < g->n_left; i++) {
        r->records[i] = (kanon__left_record){.place = g->places[i], .from_block = g->block, .host = {.block = -1}};
        for (int64_t j = 0; j < g->n_groups; j++) {
            kanon__host host = host_in(g->space, &g->groups[j], g->boxes + j * 2 * m, g->codes + i * m);
            if (kanon__host_better(&host, &r->records[i].host))
                r->records[i].host = host;
        }
    }
    *out = &r->piece;
    return KANON_OK;
}

kanon_status kanon_rest_new(kanon_rest **out, const kanon_block_groups *groups, kanon_error *err)
{
    const kanon__block_groups *g = kanon__piece_as(groups, &kanon__block_groups_kind, err);
    *out = NULL;
    if (g == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(groups->context, rest_of(out, g, err));
}

/* ---- merging rests ------------------------------------------------------------------------------------------------ */

static kanon_status fail_merge(const char *what, kanon_error *err)
{
    kanon_status st = kanon__fail(err, KANON_EINVAL,
                                  "%s of the same block, or of different tables or rounds, cannot be merged", what);
    return kanon__hint(err, st, "merge what every block gave once");
}

/* Two rising lists as one; `from_b` says by place where each came from. False: both have a number. */
static bool merge_numbers(int32_t *out, bool *from_b, const int32_t *a, int64_t n_a, const int32_t *b, int64_t n_b)
{
    for (int64_t i = 0, j = 0; i + j < n_a + n_b;) {
        if (i < n_a && j < n_b && a[i] == b[j])
            return false;
        bool is_b = i >= n_a || (j < n_b && b[j] < a[i]);
        from_b[i + j] = is_b;
        out[i + j] = is_b ? b[j] : a[i];
        i += !is_b;
        j += is_b;
    }
    return true;
}

/* The records of both by their places. False: two share one. */
static bool merge_records(kanon__rest *out, const kanon__rest *a, const kanon__rest *b)
{
    size_t m = (size_t)a->space->n_dimensions;
    for (int64_t i = 0, j = 0; i + j < out->n;) {
        if (i < a->n && j < b->n && a->records[i].place == b->records[j].place)
            return false;
        bool is_b = i >= a->n || (j < b->n && b->records[j].place < a->records[i].place);
        out->records[i + j] = is_b ? b->records[j] : a->records[i];
        memcpy(out->codes + (size_t)(i + j) * m, is_b ? b->codes + (size_t)j * m : a->codes + (size_t)i * m,
               m * sizeof *out->codes);
        i += !is_b;
        j += is_b;
    }
    return true;
}

kanon_status kanon__rest_merge(void *to, const void *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__rest *into = to, *sum = NULL, swap;
    const kanon__rest *other = from;
    bool *from_other = NULL;
    size_t bounds = 2 * (size_t)into->space->n_dimensions;
    if (into->round > 0 || other->round > 0 || into->n_blocks != other->n_blocks ||
        !kanon__whole_equal(into->domain, other->domain))
        return fail_merge("rests", err);
    KANON_TRY(
        kanon__rest_new(&sum, into->domain, into->n_blocks, into->n_present + other->n_present, into->n + other->n, err),
        out);
    KANON_TRY(kanon__new_array(&from_other, sum->n_present, "records left over", err), out);
    if (!merge_numbers(sum->present, from_other, into->present, into->n_present, other->present, other->n_present) ||
        !merge_records(sum, into, other))
        KANON_TRY(fail_merge("rests", err), out);
    for (int64_t at = 0, i = 0, j = 0; at < sum->n_present; at++) {
        const kanon__bound *box = from_other[at] ? other->arounds + (size_t)j++ * bounds
                                                 : into->arounds + (size_t)i++ * bounds;
        memcpy(sum->arounds + (size_t)at * bounds, box, bounds * sizeof *box);
    }
    swap = *into;
    *into = *sum;
    *sum = swap;
out:
    kanon__free(from_other);
    kanon__piece_free(sum);
    return st;
}

/* ---- what a block offers ------------------------------------------------------------------------------------------ */

bool kanon__rest_may_host(const kanon__rest *r, int64_t present, int64_t record, const kanon__host *best)
{
    int64_t m = r->space->n_dimensions;
    int64_t units = kanon__host_distance(r->space, r->arounds + present * 2 * m, r->codes + record * m);
    return best->block < 0 || units < best->increase || (units == best->increase && r->present[present] <= best->block);
}

int64_t kanon__rest_find_changed(const kanon__rest *r, int32_t block, int32_t index)
{
    int64_t low = 0, high = r->n_changed;
    while (low < high) {
        int64_t middle = (low + high) / 2;
        const kanon__host_group *c = &r->changed[middle];
        if (c->block < block || (c->block == block && c->index < index))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Whether each group of the block has changed: the driver knows those. */
static void mark_changed(bool *changed, const kanon__rest *r, const kanon__block_groups *g)
{
    for (int64_t i = kanon__rest_find_changed(r, g->block, 0); i < r->n_changed && r->changed[i].block == g->block; i++)
        if (r->changed[i].index < g->n_groups)
            changed[r->changed[i].index] = true;
}

/* The few best groups for one record, in order. */
static kanon_status offer_to(kanon__offers *out, int64_t record, const uint32_t *codes, const kanon__block_groups *g,
                             const bool *changed, kanon_error *err)
{
    kanon__host best[OFFERS];
    int n = 0;
    bool complete = true;
    int64_t bounds = 2 * (int64_t)g->space->n_dimensions;
    for (int64_t i = 0; i < g->n_groups; i++) {
        if (changed[i])
            continue;
        kanon__host host = host_in(g->space, &g->groups[i], g->boxes + i * bounds, codes);
        if (n == OFFERS) {
            complete = false;
            if (!kanon__host_better(&host, &best[n - 1]))
                continue;
            n--;
        }
        int at = n++;
        for (; at > 0 && kanon__host_better(&host, &best[at - 1]); at--)
            best[at] = best[at - 1];
        best[at] = host;
    }
    KANON_CHECK(kanon__offers_add_list(out, record, g->block, complete, err));
    for (int i = 0; i < n; i++)
        KANON_CHECK(kanon__offers_add_group(out, &g->groups[best[i].index], g->boxes + best[i].index * bounds, err));
    return KANON_OK;
}

/* The block's number among those of the rest; -1: it is none of them. */
static int64_t find_present(const int32_t *present, int64_t n, int32_t block)
{
    for (int64_t i = 0; i < n; i++)
        if (present[i] == block)
            return i;
    return -1;
}

static kanon_status offers_of(kanon_offers **out, const kanon__rest *r, const kanon__block_groups *g, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__offers *o = NULL;
    bool *changed = NULL;
    int64_t at = find_present(r->present, r->n_present, g->block);
    if (at < 0 || r->n_blocks != g->n_blocks || !kanon__whole_equal(r->domain, g->domain)) {
        st = kanon__fail(err, KANON_EINVAL, "the rest does not hold block %d", (int)g->block);
        return kanon__hint(err, st, "merge the rests of all blocks, also of those where nothing is left over");
    }
    KANON_TRY(kanon__offers_new(&o, g->domain, g->n_blocks, 1, err), out);
    o->round = r->round;
    o->present[0] = g->block;
    KANON_TRY(kanon__new_array(&changed, g->n_groups, "offers", err), out);
    mark_changed(changed, r, g);
    for (int64_t i = r->n_placed; i < r->n; i++)
        if (kanon__rest_may_host(r, at, i, &r->records[i].host))
            KANON_TRY(offer_to(o, i, r->codes + i * r->space->n_dimensions, g, changed, err), out);
    *out = &o->piece;
    o = NULL;
out:
    kanon__free(changed);
    kanon__piece_free(o);
    return st;
}

kanon_status kanon_rest_offer(kanon_offers **out, const kanon_rest *rest, const kanon_block_groups *groups, kanon_error *err)
{
    const kanon__rest *r = kanon__piece_as(rest, &kanon__rest_kind, err);
    const kanon__block_groups *g = r != NULL ? kanon__piece_as(groups, &kanon__block_groups_kind, err) : NULL;
    *out = NULL;
    if (g == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(groups->context, offers_of(out, r, g, err));
}

/* ---- merging offers ----------------------------------------------------------------------------------------------- */

static kanon_status copy_list(kanon__offers *to, const kanon__offers *from, int64_t list, kanon_error *err)
{
    const kanon__offer_list *l = &from->lists[list];
    int64_t bounds = 2 * (int64_t)from->space->n_dimensions;
    KANON_CHECK(kanon__offers_add_list(to, l->record, l->block, l->complete, err));
    for (int64_t i = list > 0 ? from->lists[list - 1].end : 0; i < l->end; i++)
        KANON_CHECK(kanon__offers_add_group(to, &from->groups[i], from->boxes + i * bounds, err));
    return KANON_OK;
}

static bool comes_first(const kanon__offer_list *a, const kanon__offer_list *b)
{
    return a->record != b->record ? a->record < b->record : a->block < b->block;
}

kanon_status kanon__offers_merge(void *to, const void *from, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__offers *into = to, *sum = NULL, swap;
    const kanon__offers *other = from;
    bool *from_other = NULL;
    if (into->round != other->round || into->n_blocks != other->n_blocks || !kanon__whole_equal(into->domain, other->domain))
        return fail_merge("offers", err);
    KANON_TRY(kanon__offers_new(&sum, into->domain, into->n_blocks, into->n_present + other->n_present, err), out);
    KANON_TRY(kanon__new_array(&from_other, sum->n_present, "offers", err), out);
    if (!merge_numbers(sum->present, from_other, into->present, into->n_present, other->present, other->n_present))
        KANON_TRY(fail_merge("offers", err), out);
    sum->round = into->round;
    for (int64_t i = 0, j = 0; i < into->n_lists || j < other->n_lists;) {
        bool is_other = i >= into->n_lists || (j < other->n_lists && comes_first(&other->lists[j], &into->lists[i]));
        KANON_TRY(is_other ? copy_list(sum, other, j++, err) : copy_list(sum, into, i++, err), out);
    }
    swap = *into;
    *into = *sum;
    *sum = swap;
out:
    kanon__free(from_other);
    kanon__piece_free(sum);
    return st;
}
