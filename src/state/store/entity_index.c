/* Reads and writes the table `entity_index`: one row per record, (hash of the entity, record).
 *
 * Two entities may have the same hash, so the cells of a record are compared before it counts as one of the entity. */
#include "state/store/entity_index.h"

#include "core/alloc.h"
#include "state/store/state_requirements.h"

#include <sqlite3.h>

enum { ADD, REMOVE, HAS, LIST, N_STATEMENTS };

kanon_status kanon__entity_index_open(kanon_state *s, kanon_error *err)
{
    static const char *const texts[N_STATEMENTS] = {
        [ADD] = "INSERT INTO entity_index VALUES(?, ?)",
        [REMOVE] = "DELETE FROM entity_index WHERE entity = ? AND record = ?",
        [HAS] = "SELECT 1 FROM entity_index WHERE entity = ? AND record = ?",
        [LIST] = "SELECT record FROM entity_index WHERE entity = ? AND record != ? ORDER BY record",
    };
    kanon_status st = KANON_OK;
    for (int i = 0; kanon__entities_stay_together(s) && i < N_STATEMENTS && st == KANON_OK; i++)
        st = kanon__store_prepare(&s->store, &s->entity_statements[i], texts[i], err);
    return st;
}

void kanon__entity_index_close(kanon_state *s)
{
    for (int i = 0; i < N_STATEMENTS; i++) {
        sqlite3_finalize(s->entity_statements[i]);
        s->entity_statements[i] = NULL;
    }
}

static sqlite3_stmt *bind(kanon_state *s, int which, int64_t record, const kanon__cell *cells)
{
    sqlite3_bind_int64(s->entity_statements[which], 1, (int64_t)kanon__row_entity(s, cells));
    sqlite3_bind_int64(s->entity_statements[which], 2, record);
    return s->entity_statements[which];
}

kanon_status kanon__entity_index_add(kanon_state *s, int64_t record, const kanon__cell *cells, kanon_error *err)
{
    return kanon__entities_stay_together(s) ? kanon__store_step(&s->store, bind(s, ADD, record, cells), NULL, err)
                                            : KANON_OK;
}

kanon_status kanon__entity_index_remove(kanon_state *s, int64_t record, const kanon__cell *cells, kanon_error *err)
{
    return kanon__entities_stay_together(s) ? kanon__store_step(&s->store, bind(s, REMOVE, record, cells), NULL, err)
                                            : KANON_OK;
}

kanon_status kanon__entity_index_has(kanon_state *s, bool *out, int64_t record, const kanon__cell *cells, kanon_error *err)
{
    sqlite3_stmt *has = bind(s, HAS, record, cells);
    kanon_status st = kanon__store_step(&s->store, has, out, err);
    sqlite3_reset(has);
    return st;
}

/* ---- the records of one entity ----------------------------------------------------------------------------------- */

/* One walk: the cells of the record that was asked about, and of the one at hand. */
typedef struct entity_walk {
    kanon__row own, other;
    int64_t *codes;
} entity_walk;

static kanon_status begin_walk(entity_walk *w, kanon_state *s, int64_t record, kanon_error *err)
{
    KANON_CHECK(kanon__row_init(&w->own, s, err));
    KANON_CHECK(kanon__row_init(&w->other, s, err));
    KANON_CHECK(kanon__new_array(&w->codes, s->n_dimensions, "a record", err));
    KANON_CHECK(kanon__record_get(s, NULL, record, &w->own, NULL, err));
    bind(s, LIST, record, w->own.cells);
    return KANON_OK;
}

kanon_status kanon__entity_visit_others(kanon_state *s, int64_t record, kanon__entity_visitor visitor, void *payload,
                                        kanon_error *err)
{
    kanon_status st = KANON_OK;
    entity_walk w = {0};
    sqlite3_stmt *list = s->entity_statements[LIST];
    bool stop = false;
    KANON_TRY(begin_walk(&w, s, record, err), out);
    while (!stop && kanon__store_next(&s->store, list, &st, err)) {
        int64_t other = sqlite3_column_int64(list, 0);
        KANON_TRY(kanon__record_get(s, NULL, other, &w.other, w.codes, err), out);
        if (kanon__rows_have_same_entity(s, w.own.cells, w.other.cells)) /* and not only the same hash */
            KANON_TRY(visitor(other, w.codes, &stop, payload, err), out);
    }
out:
    sqlite3_reset(list);
    kanon__free(w.codes);
    kanon__row_clear(&w.other);
    kanon__row_clear(&w.own);
    return st;
}

static kanon_status count_record(int64_t record, const int64_t *codes, bool *stop, void *payload, kanon_error *err)
{
    (void)record, (void)codes, (void)stop, (void)err;
    ++*(int64_t *)payload;
    return KANON_OK;
}

kanon_status kanon__entity_count_records(kanon_state *s, int64_t *out, int64_t record, kanon_error *err)
{
    *out = 1;
    return kanon__entity_visit_others(s, record, count_record, out, err);
}
