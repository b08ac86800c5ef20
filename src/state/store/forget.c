/* Takes labels out of the file that no record has any more.
 *
 * The tree of a column without a taxonomy, of a masked one, and of one that was allowed to grow is made of values of
 * records. When the last record with a value goes, its label must go, too, and so must masks that only this value had:
 *
 *     *****                               *****
 *       |        47203 has no record       |
 *     4720*      ------------------->      -       the nodes stay, since codes are numbers of nodes; their labels are
 *       |                                  |       NULL in the file, and in memory a text that no value can be
 *     47203                                -
 *
 * Which leaves have records is in the tallies; of sensitive columns, which have none, it is found by reading all
 * records, but only where their tree has grown. */
#include "state/store/forget.h"

#include "core/alloc.h"
#include "state/store/records.h"
#include "table/schema/tree_internal.h"

#include <sqlite3.h>
#include <stdio.h>

/* Which nodes of a column's tree have a record below them. */
typedef struct use {
    kanon_state *state;
    int column;
    bool *used; /* by node */
    kanon__cell_reader reader;
    kanon__row row;
} use;

static void mark(use *u, int64_t node)
{
    const kanon__tree *tree = u->state->columns[u->column].tree;
    for (; node >= 0 && node < tree->n_nodes && !u->used[node]; node = tree->parent[node])
        u->used[node] = true;
}

static kanon_status mark_tallied(use *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = u->state;
    sqlite3_stmt *leaves = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &leaves, "SELECT code FROM tallies WHERE dimension = ?", err), out);
    sqlite3_bind_int(leaves, 1, s->columns[u->column].dimension);
    while (kanon__store_next(&s->store, leaves, &st, err))
        mark(u, sqlite3_column_int64(leaves, 0));
out:
    sqlite3_finalize(leaves);
    return st;
}

static kanon_status mark_cell(const kanon__record *record, const char *cells, size_t size, const int64_t *codes,
                              void *payload, kanon_error *err)
{
    use *u = payload;
    const char *why, *hint;
    int64_t node;
    int scale = 0;
    (void)record;
    (void)codes;
    KANON_CHECK(kanon__row_take(u->state, &u->row, cells, size, err));
    KANON_CHECK(kanon__cell_code(&u->reader, u->column, &u->row.cells[u->column], &node, &scale, &why, &hint, err));
    mark(u, node);
    return KANON_OK;
}

static kanon_status forget_unused(const use *u, kanon_error *err)
{
    kanon_status st = KANON_OK;
    kanon_state *s = u->state;
    const kanon__state_column *c = &s->columns[u->column];
    sqlite3_stmt *forget = NULL;
    KANON_TRY(kanon__store_prepare(&s->store, &forget,
                                   "UPDATE trees SET label = NULL WHERE col = ? AND node = ? AND label IS NOT NULL", err),
              out);
    for (int32_t node = c->n_given; node < c->tree->n_nodes; node++) {
        if (u->used[node] || node == c->missing_node)
            continue;
        sqlite3_bind_int(forget, 1, u->column);
        sqlite3_bind_int(forget, 2, node);
        KANON_TRY(kanon__store_step(&s->store, forget, NULL, err), out);
    }
out:
    sqlite3_finalize(forget);
    return st;
}

kanon_status kanon__labels_forget(kanon_state *s, kanon_error *err)
{
    kanon_status st = KANON_OK;
    use u = {.state = s, .reader = {.state = s}};
    KANON_TRY(kanon__row_init(&u.row, s, err), out);
    for (u.column = 0; u.column < s->n_columns; u.column++) {
        const kanon__state_column *c = &s->columns[u.column];
        if (c->tree == NULL || c->tree->n_nodes <= c->n_given)
            continue;
        kanon__free(u.used);
        u.used = NULL;
        KANON_TRY(kanon__new_array(&u.used, c->tree->n_nodes, "tree nodes", err), out);
        KANON_TRY(c->dimension >= 0 ? mark_tallied(&u, err) : kanon__records_visit(s, mark_cell, &u, err), out);
        KANON_TRY(forget_unused(&u, err), out);
    }
out:
    kanon__free(u.used);
    kanon__cell_reader_clear(&u.reader);
    kanon__row_clear(&u.row);
    return st;
}

size_t kanon__forgotten_label(char out[KANON__FORGOTTEN_BYTES], int32_t node)
{
    return (size_t)snprintf(out, KANON__FORGOTTEN_BYTES, "\xff%d", (int)node);
}
