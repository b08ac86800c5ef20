#include "state/session.h"

#include "core/alloc.h"
#include "state/persons.h"

#include <time.h>

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

kanon_status kanon__session_regrow(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__space_now_regrow(s->space, s, err), out);
    KANON_TRY(kanon__ranges_read(s, err), out);
    kanon__group_index_free(s->index); /* its nodes know the leaves by their old numbers */
    s->index = NULL;
    KANON_TRY(kanon__group_index_new(&s->index, s, err), out);
out:
    return st;
}

static kanon_status load(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__catalog_load(s, err), out);
    st = kanon__space_now_new(&s->space, s, err);
    if (st == KANON_EDATA)
        st = kanon__store_damaged(&s->store, "a tree", err);
    if (st != KANON_OK)
        goto out;
    KANON_TRY(kanon__records_open(s, err), out);
    KANON_TRY(kanon__persons_open(s, err), out);
    KANON_TRY(kanon__ranges_read(s, err), out);
    KANON_TRY(kanon__group_index_new(&s->index, s, err), out);
out:
    return st;
}

kanon_status kanon__session_begin(kanon_state *s, bool write, kanon_error *err)
{
    kanon_status st = kanon__store_begin(&s->store, write, err);
    if (st == KANON_OK)
        st = load(s, err);
    if (st != KANON_OK)
        kanon__session_end(s);
    return st;
}

kanon_status kanon__session_save(kanon_state *s, const char *command, const char *detail, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *note = NULL;
    KANON_TRY(kanon__group_index_save(s->index, err), out);
    KANON_TRY(kanon__records_save(s, err), out);
    s->worth = s->space->worth;
    KANON_TRY(kanon__catalog_update(s, err), out);
    KANON_TRY(kanon__store_prepare(&s->store, &note,
                                   "INSERT INTO history(time, command, records, groups, detail) VALUES(?, ?, ?, ?, ?)", err),
              out);
    sqlite3_bind_int64(note, 1, (int64_t)time(NULL));
    sqlite3_bind_text(note, 2, command, -1, SQLITE_STATIC);
    sqlite3_bind_int64(note, 3, s->n_records);
    sqlite3_bind_int64(note, 4, s->n_groups);
    sqlite3_bind_text(note, 5, detail, -1, SQLITE_STATIC);
    KANON_TRY(kanon__store_step(&s->store, note, NULL, err), out);
out:
    sqlite3_finalize(note);
    return st;
}

void kanon__session_clear(kanon_state *s)
{
    kanon__group_index_free(s->index);
    s->index = NULL;
    kanon__persons_close(s);
    kanon__records_close(s);
    kanon__space_now_free(s->space);
    s->space = NULL;
    kanon__catalog_clear(s);
}

kanon_status kanon__session_commit(kanon_state *s, kanon_error *err)
{
    kanon__session_clear(s);
    return kanon__store_commit(&s->store, err);
}

void kanon__session_end(kanon_state *s)
{
    kanon__session_clear(s);
    kanon__store_rollback(&s->store);
}

kanon_status kanon__session_rescale(kanon_state *s, int column, int scale, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__state_column *c = &s->columns[column];
    kanon__dimension_now *d = &s->space->dimensions[c->dimension];
    int64_t factor = 1, lo, hi;
    for (int step = c->scale; step < scale; step++)
        factor *= 10;
    if (d->lo <= d->hi && (__builtin_mul_overflow(d->lo, factor, &lo) || __builtin_mul_overflow(d->hi, factor, &hi) ||
                           !kanon__place_fits(lo) || !kanon__place_fits(hi))) {
        st = kanon__fail(err, KANON_EDATA, "%s: the numbers of the column would have more digits than a state can hold",
                         c->name);
        return kanon__hint(err, st, "write fewer digits after the point");
    }
    d->extent *= factor; /* the same range with more digits */
    KANON_TRY(kanon__group_index_rescale(s->index, c->dimension, factor, err), out);
    KANON_TRY(kanon__group_index_save(s->index, err), out);
    KANON_TRY(kanon__records_rescale(s, column, scale, err), out);
    KANON_TRY(kanon__session_regrow(s, err), out);
out:
    return st;
}
