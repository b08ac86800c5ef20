#include "state/persons.h"

#include "core/alloc.h"
#include "state/wishes.h"

enum { NOTE, FORGET, LIST, N_STATEMENTS };

kanon_status kanon__persons_open(kanon_state *s, kanon_error *err)
{
    static const char *const texts[N_STATEMENTS] = {
        [NOTE] = "INSERT INTO persons VALUES(?, ?)",
        [FORGET] = "DELETE FROM persons WHERE entity = ? AND record = ?",
        [LIST] = "SELECT record FROM persons WHERE entity = ? AND record != ? ORDER BY record",
    };
    kanon_status st = KANON_OK;
    for (int i = 0; kanon__wishes_together(s) && i < N_STATEMENTS && st == KANON_OK; i++)
        st = kanon__store_prepare(&s->store, &s->persons[i], texts[i], err);
    return st;
}

void kanon__persons_close(kanon_state *s)
{
    for (int i = 0; i < N_STATEMENTS; i++) {
        sqlite3_finalize(s->persons[i]);
        s->persons[i] = NULL;
    }
}

static sqlite3_stmt *ask(kanon_state *s, int which, int64_t record, const kanon__cell *cells)
{
    sqlite3_bind_int64(s->persons[which], 1, (int64_t)kanon__row_person(s, cells));
    sqlite3_bind_int64(s->persons[which], 2, record);
    return s->persons[which];
}

kanon_status kanon__persons_note(kanon_state *s, int64_t record, const kanon__cell *cells, kanon_error *err)
{
    return kanon__wishes_together(s) ? kanon__store_step(&s->store, ask(s, NOTE, record, cells), NULL, err) : KANON_OK;
}

kanon_status kanon__persons_forget(kanon_state *s, int64_t record, const kanon__cell *cells, kanon_error *err)
{
    return kanon__wishes_together(s) ? kanon__store_step(&s->store, ask(s, FORGET, record, cells), NULL, err) : KANON_OK;
}

/* Go through the other records of an entity until somebody has seen enough. */
typedef struct mates {
    kanon_state *state;
    kanon__row own, other;
    int64_t *places;
} mates;

static kanon_status find_mates(mates *m, kanon_state *s, int64_t record, kanon_error *err)
{
    kanon_status st = KANON_OK;
    KANON_TRY(kanon__row_init(&m->own, s, err), out);
    KANON_TRY(kanon__row_init(&m->other, s, err), out);
    KANON_TRY(kanon__new_array(&m->places, s->n_dimensions, "a record", err), out);
    KANON_TRY(kanon__record_get(s, NULL, record, &m->own, NULL, err), out);
    ask(s, LIST, record, m->own.cells);
out:
    return st;
}

/* *mate is 0 past the last. */
static kanon_status next_mate(mates *m, int64_t *mate, kanon_error *err)
{
    kanon_status st = KANON_OK;
    bool found;
    for (;;) {
        *mate = 0;
        KANON_TRY(kanon__store_step(&m->state->store, m->state->persons[LIST], &found, err), out);
        if (!found)
            break;
        *mate = sqlite3_column_int64(m->state->persons[LIST], 0);
        KANON_TRY(kanon__record_get(m->state, NULL, *mate, &m->other, m->places, err), out);
        if (kanon__rows_have_same_person(m->state, m->own.cells, m->other.cells)) /* and not only the same hash */
            break;
    }
out:
    return st;
}

static void leave_mates(mates *m)
{
    sqlite3_reset(m->state->persons[LIST]);
    kanon__free(m->places);
    kanon__row_clear(&m->other);
    kanon__row_clear(&m->own);
}

/* Records that are on their way from one group to another are in none; the first one in a group decides. */
kanon_status kanon__persons_group(kanon_state *s, kanon__group_at *out, int64_t record, kanon_error *err)
{
    kanon_status st = KANON_OK;
    mates m = {.state = s};
    int64_t mate;
    *out = (kanon__group_at){0};
    KANON_TRY(find_mates(&m, s, record, err), out);
    while (out->node == NULL) {
        KANON_TRY(next_mate(&m, &mate, err), out);
        if (mate == 0)
            break;
        KANON_TRY(kanon__group_index_group_of(s->index, out, mate, m.places, err), out);
    }
out:
    leave_mates(&m);
    return st;
}

kanon_status kanon__persons_count(kanon_state *s, int64_t *out, int64_t record, kanon_error *err)
{
    kanon_status st = KANON_OK;
    mates m = {.state = s};
    int64_t mate;
    *out = 1;
    KANON_TRY(find_mates(&m, s, record, err), out);
    for (;; (*out)++) {
        KANON_TRY(next_mate(&m, &mate, err), out);
        if (mate == 0)
            break;
    }
out:
    leave_mates(&m);
    return st;
}
