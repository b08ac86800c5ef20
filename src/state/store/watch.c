/* Notes of what a state's commands change; watch.h says what they are for. */
#include "state/store/watch.h"

#include "core/alloc.h"

#include <sqlite3.h>
#include <string.h>

kanon_status kanon__watch_new(kanon_state *s, kanon_error *err)
{
    return kanon__new_array(&s->watch, 1, "notes of changes", err);
}

void kanon__watch_restart(kanon_state *s)
{
    if (s->watch == NULL)
        return;
    kanon__free(s->watch->touched);
    kanon__free(s->watch->left);
    kanon__free(s->watch->members);
    *s->watch = (kanon__watch){0};
}

void kanon__watch_free(kanon_state *s)
{
    kanon__watch_restart(s);
    kanon__free(s->watch);
    s->watch = NULL;
}

void kanon__watch_give_up(kanon_state *s)
{
    if (s->watch != NULL)
        s->watch->whole = true;
}

/* The last command of the history, and whether it was the release of all groups as they are: then what is in the file was
 * released. Other commands may release, too; after them the next release is a whole one. */
static kanon_status read_last_command(kanon_state *s, int64_t *number, bool *released, kanon_error *err)
{
    kanon_status st = KANON_OK;
    sqlite3_stmt *row = NULL;
    bool found;
    *number = 0;
    *released = false;
    KANON_TRY(kanon__store_prepare(&s->store, &row,
                                   "SELECT h.number, h.command IN ('anonymize', 'release', 'release changes')"
                                   " AND r.withheld = 0 AND r.joint = 0 FROM history h, releases r"
                                   " WHERE h.number = (SELECT max(number) FROM history)"
                                   " AND r.number = (SELECT max(number) FROM releases)",
                                   err),
              out);
    KANON_TRY(kanon__store_step(&s->store, row, &found, err), out);
    if (found) {
        *number = sqlite3_column_int64(row, 0);
        *released = sqlite3_column_int(row, 1) != 0;
    }
out:
    sqlite3_finalize(row);
    return st;
}

kanon_status kanon__watch_begin(kanon_state *s, kanon_error *err)
{
    kanon__watch *w = s->watch;
    int64_t number;
    bool released;
    if (w == NULL)
        return KANON_OK;
    KANON_CHECK(read_last_command(s, &number, &released, err));
    if (!w->begun) {
        w->begun = true;
        w->whole = !released;
        w->n_suppressed = s->n_suppressed;
    } else {
        w->whole = w->whole || number != w->command;
    }
    w->n_left = w->n_left_kept;
    w->n_members = w->n_members_kept;
    w->command = number;
    w->pending = false;
    w->n_touched = 0;
    return KANON_OK;
}

void kanon__watch_commit(kanon_state *s)
{
    kanon__watch *w = s->watch;
    if (w == NULL || !w->pending)
        return;
    w->pending = false;
    w->command++; /* the row that the command has appended */
    w->n_left_kept = w->n_left;
    w->n_members_kept = w->n_members;
}

static kanon_status append(int64_t **numbers, int64_t *n, int64_t *capacity, int64_t number, kanon_error *err)
{
    KANON_CHECK(kanon__grow_array(numbers, capacity, *n + 1, "notes of changes", err));
    (*numbers)[(*n)++] = number;
    return KANON_OK;
}

kanon_status kanon__watch_touch(kanon_state *s, int64_t group, kanon_error *err)
{
    kanon__watch *w = s->watch;
    if (w == NULL || w->whole)
        return KANON_OK;
    return append(&w->touched, &w->n_touched, &w->touched_capacity, group, err);
}

kanon_status kanon__watch_leave(kanon_state *s, int64_t group, kanon_error *err)
{
    kanon__watch *w = s->watch;
    if (w == NULL || w->whole)
        return KANON_OK;
    return append(&w->left, &w->n_left, &w->left_capacity, group, err);
}
