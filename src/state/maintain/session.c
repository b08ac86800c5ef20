/* Begins and ends sessions, and the two changes of the catalog that concern all codes or all coordinates.
 *
 * Order of loading: catalog, space (needs the columns), records and entity index (prepare statements), ranges (need the
 * tallies; they measure the space), index (needs the measured space). Clearing is the reverse. Calls store/ and index/. */
#include "state/maintain/session.h"

#include "state/store/entity_index.h"
#include "state/store/release_rows.h"
#include "state/store/watch.h"

void kanon__state_call_begin(kanon__state_call *c, kanon_state *s)
{
    c->state = s;
    c->tick = s->tick;
    c->payload = s->payload;
    kanon__call_begin(&c->call, s->context);
    kanon__call_ticks(&s->tick, &s->payload);
}

kanon_status kanon__state_call_end(kanon__state_call *c, kanon_status status)
{
    c->state->tick = c->tick;
    c->state->payload = c->payload;
    return kanon__call_end(&c->call, status);
}

kanon_status kanon__session_reload_trees(kanon_state *s, kanon_error *err)
{
    KANON_CHECK(kanon__current_space_update_trees(s->space, s, err));
    KANON_CHECK(kanon__ranges_read(s, err));
    kanon__group_index_free(s->index); /* its nodes have coordinates by the old leaf numbers */
    s->index = NULL;
    return kanon__group_index_new(&s->index, s, err);
}

static kanon_status load(kanon_state *s, bool write, kanon_error *err)
{
    KANON_CHECK(kanon__catalog_load(s, write, err));
    kanon_status st = kanon__current_space_new(&s->space, s, err);
    if (st == KANON_EDATA)
        st = kanon__store_damaged(&s->store, "a tree", err);
    if (st != KANON_OK)
        return st;
    KANON_CHECK(kanon__records_open(s, err));
    KANON_CHECK(kanon__entity_index_open(s, err));
    KANON_CHECK(kanon__ranges_read(s, err));
    KANON_CHECK(kanon__group_index_new(&s->index, s, err));
    return kanon__watch_begin(s, err);
}

kanon_status kanon__session_begin(kanon_state *s, bool write, kanon_error *err)
{
    kanon_status st = kanon__store_begin(&s->store, write, err);
    kanon__store_set_tick(&s->store, s->tick, s->payload);
    if (st == KANON_OK)
        st = load(s, write, err);
    if (st != KANON_OK)
        kanon__session_end(s);
    return st;
}

/* The index first: its save advances the counters that the catalog writes. */
kanon_status kanon__session_save(kanon_state *s, const char *command, const char *detail, kanon_error *err)
{
    KANON_CHECK(kanon__group_index_save(s->index, err));
    KANON_CHECK(kanon__records_save(s, err));
    s->worth = s->space->worth;
    KANON_CHECK(kanon__catalog_update(s, err));
    return kanon__command_rows_append(s, command, detail, err);
}

void kanon__session_clear(kanon_state *s)
{
    kanon__store_set_tick(&s->store, NULL, NULL); /* it is that of the call that ends */
    s->search_moves = 0;
    kanon__group_index_free(s->index);
    s->index = NULL;
    kanon__entity_index_close(s);
    kanon__records_close(s);
    kanon__current_space_free(s->space);
    s->space = NULL;
    kanon__catalog_clear(s);
}

kanon_status kanon__session_commit(kanon_state *s, kanon__last_step step, void *payload, kanon_error *err)
{
    kanon__session_clear(s);
    KANON_CHECK(kanon__store_commit_with(&s->store, step, payload, err));
    kanon__watch_commit(s);
    return KANON_OK;
}

void kanon__session_end(kanon_state *s)
{
    kanon__session_clear(s);
    kanon__store_rollback(&s->store);
}

/* Steps: 1. check that no code overflows; 2. the index, in memory, then written; 3. records and tallies, by SQL; 4. a new
 * index, since coordinates of nodes in memory are of the old ranges. */
kanon_status kanon__session_rescale(kanon_state *s, int column, int scale, kanon_error *err)
{
    kanon__state_column *c = &s->columns[column];
    kanon__current_dimension *d = &s->space->dimensions[c->dimension];
    int64_t factor = 1, lo, hi;
    for (int step = c->scale; step < scale; step++)
        factor *= 10;
    if (d->lo <= d->hi && (__builtin_mul_overflow(d->lo, factor, &lo) || __builtin_mul_overflow(d->hi, factor, &hi) ||
                           !kanon__code_fits(lo) || !kanon__code_fits(hi))) {
        kanon_status st = kanon__fail(
            err, KANON_EDATA, "%s: the numbers of the column would have more digits than a state can hold", c->name);
        return kanon__hint(err, st, "write fewer digits after the point");
    }
    if (d->rule != NULL && !kanon__band_rule_rescale(d->rule, scale)) {
        kanon_status st = kanon__fail(
            err, KANON_EDATA, "%s: the ends of its bands would have more digits than a state can hold", c->name);
        return kanon__hint(err, st, "write fewer digits after the point");
    }
    d->extent *= factor; /* the same range with more digits */
    KANON_CHECK(kanon__group_index_rescale(s->index, c->dimension, factor, err));
    KANON_CHECK(kanon__group_index_save(s->index, err));
    KANON_CHECK(kanon__records_rescale(s, column, scale, err));
    return kanon__session_reload_trees(s, err);
}
