/* Which record of a table each row of another file is about, by the columns that name a record. Rows may be missing and
 * in any order. */
#ifndef KANON_AUDIT_KEY_ROWS_H
#define KANON_AUDIT_KEY_ROWS_H

#include "core/texts.h"
#include "core/ticker.h"
#include "table/text/source.h"
#include "table/value/dictionary.h"

typedef struct kanon__key_rows kanon__key_rows;

/* Whether there is a key, and both have its columns. */
bool kanon__key_is_in(const kanon__texts *key, const kanon__source *table, const kanon__source *file);
/* Reads the keys of the table. *out is NULL where there is no key, or one of the two lacks a column of it. KANON_EDATA: two
 * records of the table have one key. `key` must outlive what is made. */
kanon_status kanon__key_rows_new(kanon__key_rows **out, const kanon__texts *key, const kanon__source *table,
                                 const kanon__source *file, kanon__ticker *ticker, kanon_error *err);
void kanon__key_rows_free(kanon__key_rows *rows);
/* The record of the table that has the key of the row where the cursor of the file stands. KANON_EDATA: none has, or an
 * earlier row is about it. */
kanon_status kanon__key_rows_find(kanon__key_rows *rows, int64_t *out, const kanon__cursor *cursor, kanon_error *err);
/* The same, and neither is an error: *out is -1 where the table has no such record, *again tells of an earlier row. */
kanon_status kanon__key_rows_look(kanon__key_rows *rows, int64_t *out, bool *again, const kanon__cursor *cursor,
                                  kanon_error *err);

/* The key of each row of a file as a number: new keys get the next ones, so that files share their numbers. *numbers, of
 * *n_rows, is freed with kanon__free. KANON_EDATA: two rows have one key. The file has the columns of the key. */
kanon_status kanon__keys_number(kanon__dictionary *keys, uint32_t **numbers, int64_t *n_rows, const kanon__texts *key,
                                const kanon__source *file, kanon__ticker *ticker, kanon_error *err);

#endif
