/* Which record of a table each row of another file is about, by the columns that name a record. Rows may be missing and
 * in any order. */
#ifndef KANON_AUDIT_KEY_ROWS_H
#define KANON_AUDIT_KEY_ROWS_H

#include "core/texts.h"
#include "core/ticker.h"
#include "table/text/source.h"

typedef struct kanon__key_rows kanon__key_rows;

/* Reads the keys of the table. *out is NULL where there is no key, or one of the two lacks a column of it. KANON_EDATA: two
 * records of the table have one key. `key` must outlive what is made. */
kanon_status kanon__key_rows_new(kanon__key_rows **out, const kanon__texts *key, const kanon__source *table,
                                 const kanon__source *file, kanon__ticker *ticker, kanon_error *err);
void kanon__key_rows_free(kanon__key_rows *rows);
/* The record of the table that has the key of the row where the cursor of the file stands. KANON_EDATA: none has, or an
 * earlier row is about it. */
kanon_status kanon__key_rows_find(kanon__key_rows *rows, int64_t *out, const kanon__cursor *cursor, kanon_error *err);

#endif
