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

/* Records that are on their way from one group to another are in none; the first one in a group decides. */
kanon_status kanon__persons_group(kanon_state *s, kanon__group_at *out, int64_t record, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon__row own = {0}, other = {0};
    int64_t *places = NULL;
    bool found;
    *out = (kanon__group_at){0};
    KANON_TRY(kanon__row_init(&own, s, err), out);
    KANON_TRY(kanon__row_init(&other, s, err), out);
    KANON_TRY(kanon__new_array(&places, s->n_dimensions, "a record", err), out);
    KANON_TRY(kanon__record_get(s, NULL, record, &own, NULL, err), out);
    sqlite3_stmt *list = ask(s, LIST, record, own.cells);
    while (out->node == NULL) {
        KANON_TRY(kanon__store_step(&s->store, list, &found, err), out);
        if (!found)
            break;
        int64_t mate = sqlite3_column_int64(list, 0);
        KANON_TRY(kanon__record_get(s, NULL, mate, &other, places, err), out);
        if (kanon__rows_have_same_person(s, own.cells, other.cells)) /* and not only the same hash */
            KANON_TRY(kanon__group_index_group_of(s->index, out, mate, places, err), out);
    }
out:
    sqlite3_reset(s->persons[LIST]);
    kanon__free(places);
    kanon__row_clear(&other);
    kanon__row_clear(&own);
    return st;
}
