/* kanon_table_check_key: two records of one key are found before a table is grouped for a state. Values are compared as
 * states do, without the white space at their ends. */
#include "core/alloc.h"
#include "core/context.h"
#include "core/text.h"
#include "core/ticker.h"
#include "table/read/table.h"
#include "table/schema/schema.h"
#include "table/text/csv.h"
#include "table/value/dictionary.h"

#include <string.h>

typedef struct key_check {
    kanon__dictionary seen;
    char *bytes; /* the key of a row: the length of each text, and the text */
    int64_t n, capacity;
} key_check;

static kanon_status add_cell(key_check *c, const kanon__cell *cell, kanon_error *err)
{
    int64_t wanted = c->n + (int64_t)(sizeof(size_t) + cell->length);
    kanon_status st = kanon__grow_array(&c->bytes, &c->capacity, wanted, "a key", err);
    if (st != KANON_OK)
        return st;
    char *to = c->bytes + c->n + sizeof(size_t);
    size_t length = cell->null ? 0 : kanon__csv_unescape(to, cell);
    const char *text = to;
    kanon__trim(&text, &length);
    if (length > 0)
        memmove(to, text, length);
    memcpy(c->bytes + c->n, &length, sizeof length);
    c->n += (int64_t)(sizeof length + length);
    return KANON_OK;
}

static kanon_status fail_twice(const kanon_table *t, int64_t row, kanon_error *err)
{
    char place[KANON__PLACE_TEXT];
    kanon_status st = kanon__fail(err, KANON_EDATA, "%s: key: another record has the same",
                                  kanon__source_place(place, t->source, row));
    return kanon__hint(err, st, "the columns below 'key' in the schema must tell all records apart");
}

static kanon_status check_rows(key_check *c, const kanon_table *t, const int *columns, int64_t n_columns, kanon_error *err)
{
    enum { ROW_NS = 500 };
    kanon_status st = KANON_OK;
    kanon__cursor *cursor = NULL;
    KANON_TRY(t->source->class->open(&cursor, t->source, err), out);
    for (int64_t row = 0; row < t->data.n_rows; row++) {
        bool has_row;
        uint32_t code;
        KANON_TRY(t->source->class->next(cursor, &has_row, err), out);
        if (!has_row)
            break;
        c->n = 0;
        for (int64_t i = 0; i < n_columns; i++)
            KANON_TRY(add_cell(c, &cursor->cells[columns[i]], err), out);
        KANON_TRY(kanon__dictionary_add(&c->seen, &code, c->bytes, (size_t)c->n, err), out);
        if ((int64_t)code != row) {
            st = fail_twice(t, row, err);
            goto out;
        }
        KANON_TRY(kanon__poll_tick(ROW_NS, err), out);
    }
out:
    t->source->class->close(cursor);
    return st;
}

static kanon_status check_key(const kanon_table *t, const kanon_schema *schema, kanon_error *err)
{
    kanon_status st = KANON_OK;
    key_check c = {.bytes = NULL};
    int *columns = NULL;
    int64_t n = 0;
    KANON_TRY(kanon__new_array(&columns, schema->key.n, "key columns", err), out);
    KANON_TRY(kanon__dictionary_init(&c.seen, err), out);
    for (int64_t i = 0; i < schema->key.n; i++)
        for (int column = 0; column < t->data.n_columns; column++)
            if (strcmp(t->data.columns[column].name, schema->key.items[i]) == 0)
                columns[n++] = column;
    if (n == schema->key.n && n > 0)
        st = check_rows(&c, t, columns, n, err);
out:
    kanon__dictionary_clear(&c.seen);
    kanon__free(c.bytes);
    kanon__free(columns);
    return st;
}

kanon_status kanon_table_check_key(const kanon_table *table, const kanon_schema *schema, kanon_tick tick, void *payload,
                                   kanon_error *err)
{
    kanon__call call;
    kanon__call_begin(&call, table->context);
    kanon__call_ticks(&tick, &payload);
    return kanon__call_end(&call, check_key(table, schema, err));
}
