/* Placing the records left over, as far as the offers of a round reach; rest.h says why and when a record has to wait.
 * Cost: for each record the boxes around all blocks, and the changed groups of those that are near enough. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/take_options.h"
#include "partition/rest.h"

#include <string.h>

/* One round. */
typedef struct placing {
    kanon__rest *rest;
    const kanon__offers *offers;
    int64_t list;      /* the first list of the record at hand */
    int64_t *own_list; /* by block among those present: its list for the record at hand; -1: it offered nothing */
    int64_t *changed;  /* by block among those present: where its changed groups begin; one more for the end */
} placing;

static int64_t first_group(const kanon__offers *o, int64_t list)
{
    return list > 0 ? o->lists[list - 1].end : 0;
}

/* The lists of a record, by block. Lists are sorted, and so are blocks. */
static void enter_record(placing *p, int64_t record)
{
    const kanon__offers *o = p->offers;
    while (p->list < o->n_lists && o->lists[p->list].record < record)
        p->list++;
    int64_t list = p->list;
    for (int64_t at = 0; at < p->rest->n_present; at++) {
        bool offered = list < o->n_lists && o->lists[list].record == record && o->lists[list].block == p->rest->present[at];
        p->own_list[at] = offered ? list++ : -1;
    }
}

static bool is_changed(const kanon__rest *r, const kanon__host_group *g)
{
    int64_t at = kanon__rest_find_changed(r, g->block, g->index);
    return at < r->n_changed && r->changed[at].block == g->block && r->changed[at].index == g->index;
}

static void consider(kanon__host *best, const kanon__rest *r, const kanon__host_group *g, const kanon__bound *box,
                     int64_t record)
{
    const uint32_t *codes = r->codes + record * r->space->n_dimensions;
    kanon__host host = {kanon__host_increase(r->space, g->size, box, codes), g->block, g->index, g->number};
    if (kanon__host_better(&host, best))
        *best = host;
}

/* The best group that is known: of those offered that did not change, and of those that did. */
static kanon__host best_known(const placing *p, int64_t record)
{
    const kanon__rest *r = p->rest;
    const kanon__offers *o = p->offers;
    kanon__host best = {.block = -1};
    int64_t bounds = 2 * (int64_t)r->space->n_dimensions;
    for (int64_t at = 0; at < r->n_present; at++)
        for (int64_t i = p->own_list[at] >= 0 ? first_group(o, p->own_list[at]) : 0;
             p->own_list[at] >= 0 && i < o->lists[p->own_list[at]].end; i++)
            if (!is_changed(r, &o->groups[i]))
                consider(&best, r, &o->groups[i], o->boxes + i * bounds, record);
    for (int64_t at = 0; at < r->n_present; at++)
        if (p->changed[at] < p->changed[at + 1] && kanon__rest_may_host(r, at, record, &best))
            for (int64_t i = p->changed[at]; i < p->changed[at + 1]; i++)
                consider(&best, r, &r->changed[i], r->boxes + i * bounds, record);
    return best;
}

/* Whether a group that nobody has told of may be better. */
static bool must_wait(const placing *p, int64_t record, const kanon__host *best)
{
    const kanon__rest *r = p->rest;
    const kanon__offers *o = p->offers;
    for (int64_t at = 0; at < r->n_present; at++) {
        int64_t list = p->own_list[at];
        if (list < 0) {
            if (kanon__rest_may_host(r, at, record, best))
                return true;
            continue;
        }
        if (o->lists[list].complete || o->lists[list].end == first_group(o, list))
            continue;
        int64_t last = o->lists[list].end - 1, bounds = 2 * (int64_t)r->space->n_dimensions;
        kanon__host bound = {.block = -1};
        consider(&bound, r, &o->groups[last], o->boxes + last * bounds, record);
        if (kanon__host_better(&bound, best))
            return true;
    }
    return false;
}

/* The host as a changed group: there already, or put in its place. */
static kanon_status change_group(int64_t *out, placing *p, const kanon__host *host, int64_t record, kanon_error *err)
{
    kanon__rest *r = p->rest;
    const kanon__offers *o = p->offers;
    int64_t bounds = 2 * (int64_t)r->space->n_dimensions, from = -1;
    int64_t at = kanon__rest_find_changed(r, host->block, host->index);
    *out = at;
    if (at < r->n_changed && r->changed[at].block == host->block && r->changed[at].index == host->index)
        return KANON_OK;
    for (int64_t list = p->list; list < o->n_lists && o->lists[list].record == record; list++)
        for (int64_t i = first_group(o, list); i < o->lists[list].end; i++)
            if (o->groups[i].block == host->block && o->groups[i].index == host->index)
                from = i;
    if (from < 0)
        return kanon__fail(err, KANON_EINTERNAL, "a record left over was placed in a group that nobody offered");
    KANON_CHECK(kanon__grow_array(&r->changed, &r->changed_capacity, r->n_changed + 1, "records left over", err));
    KANON_CHECK(kanon__grow_array(&r->boxes, &r->boxes_capacity, (r->n_changed + 1) * bounds, "records left over", err));
    memmove(r->changed + at + 1, r->changed + at, (size_t)(r->n_changed - at) * sizeof *r->changed);
    memmove(r->boxes + (at + 1) * bounds, r->boxes + at * bounds, (size_t)((r->n_changed - at) * bounds) * sizeof *r->boxes);
    r->changed[at] = o->groups[from];
    memcpy(r->boxes + at * bounds, o->boxes + from * bounds, (size_t)bounds * sizeof *r->boxes);
    r->n_changed++;
    for (int64_t i = 0; i <= r->n_present; i++)
        p->changed[i] += i == r->n_present || r->present[i] > host->block;
    return KANON_OK;
}

static kanon_status join(placing *p, const kanon__host *host, int64_t record, kanon_error *err)
{
    kanon__rest *r = p->rest;
    int64_t at, m = r->space->n_dimensions;
    KANON_CHECK(change_group(&at, p, host, record, err));
    r->changed[at].size++;
    for (int i = 0; i < m; i++) {
        uint32_t code = r->codes[record * m + i];
        kanon__bound *box = r->boxes + at * 2 * m + 2 * i;
        box[0] = code < box[0] ? code : box[0];
        box[1] = code > box[1] ? code : box[1];
    }
    r->records[record].host = *host;
    r->n_placed++;
    return KANON_OK;
}

/* The first record that waits, and those behind it: what is best by now tells blocks that are too far away. */
static void estimate_rest(placing *p)
{
    kanon__rest *r = p->rest;
    for (int64_t record = r->n_placed; record < r->n; record++) {
        enter_record(p, record);
        kanon__host best = best_known(p, record);
        if (best.block >= 0)
            r->records[record].host = best;
    }
}

/* Of every block, of this round, for records that are left. */
static bool fits(const kanon__rest *r, const kanon__offers *o)
{
    if (o->round != r->round || o->n_blocks != r->n_blocks || r->n_present != r->n_blocks || o->n_present != r->n_present ||
        !kanon__whole_equal(r->domain, o->domain))
        return false;
    for (int64_t i = 0; i < o->n_lists; i++)
        if (o->lists[i].record < r->n_placed || o->lists[i].record >= r->n)
            return false;
    return true;
}

static kanon_status place(kanon__rest *r, const kanon__offers *offers, kanon_error *err)
{
    kanon_status st = KANON_OK;
    placing p = {.rest = r, .offers = offers};
    if (!fits(r, offers)) {
        st = kanon__fail(err, KANON_EDATA, "the offers are not those of all blocks to the records that are left");
        return kanon__hint(err, st, "merge the offers of every block to the rest as it is now");
    }
    KANON_TRY(kanon__new_array(&p.own_list, r->n_present, "records left over", err), out);
    KANON_TRY(kanon__new_array(&p.changed, r->n_present + 1, "records left over", err), out);
    for (int64_t i = 0; i < r->n_present; i++)
        p.changed[i] = kanon__rest_find_changed(r, r->present[i], 0);
    p.changed[r->n_present] = r->n_changed;
    r->round++;
    for (int64_t record = r->n_placed, first = record; record < r->n; record++) {
        enter_record(&p, record);
        kanon__host best = best_known(&p, record);
        bool waits = best.block < 0 || must_wait(&p, record, &best);
        if (waits && record == first) { /* bytes that were made by nobody's offers */
            st = kanon__fail(err, KANON_EDATA, "the offers lack groups of a block");
            st = kanon__hint(err, st, "merge the offers of every block to the rest as it is now");
            goto out;
        }
        if (waits) {
            estimate_rest(&p);
            break;
        }
        KANON_TRY(join(&p, &best, record, err), out);
    }
out:
    kanon__free(p.changed);
    kanon__free(p.own_list);
    return st;
}

kanon_status kanon_rest_place(kanon_rest *rest, const kanon_offers *offers, kanon_error *err)
{
    kanon__rest *r = kanon__piece_as(rest, &kanon__rest_kind, err);
    const kanon__offers *o = r != NULL ? kanon__piece_as(offers, &kanon__offers_kind, err) : NULL;
    if (o == NULL)
        return KANON_EINVAL;
    KANON_RETURN_IN(rest->context, place(r, o, err));
}

int kanon_rest_done(const kanon_rest *rest)
{
    const kanon__rest *r = kanon__piece_as(rest, &kanon__rest_kind, NULL);
    return r != NULL && r->n_placed == r->n;
}

int64_t kanon_rest_count(const kanon_rest *rest)
{
    const kanon__rest *r = kanon__piece_as(rest, &kanon__rest_kind, NULL);
    return r != NULL ? r->n : 0;
}

kanon_status kanon_rest_at(kanon_rest_record *out, const kanon_rest *rest, int64_t i, kanon_error *err)
{
    const kanon__rest *r = kanon__piece_as(rest, &kanon__rest_kind, err);
    if (r == NULL)
        return KANON_EINVAL;
    KANON_CHECK(kanon__check_out(out, err));
    if (i < 0 || i >= r->n_placed)
        return kanon__hint(err, kanon__fail(err, KANON_EINVAL, "record %lld left over has no group", (long long)i),
                           "ask for records that are placed");
    const kanon__left_record *record = &r->records[i];
    kanon_rest_record own = {.place = record->place,
                             .from_block = record->from_block,
                             .to_block = record->host.block,
                             .to_group = record->host.number};
    kanon__give_out(out, &own, sizeof own);
    return KANON_OK;
}
