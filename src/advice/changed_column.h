/* A column with another domain: in bands, or behind a mask. */
#ifndef KANON_ADVICE_CHANGED_COLUMN_H
#define KANON_ADVICE_CHANGED_COLUMN_H

#include "table/read/table.h"

/* The column of `data`, read again as if the schema said `key: text` of it. Name and weight are shared. KANON_EDATA: it
 * cannot be read so. */
kanon_status kanon__changed_column(kanon__column *out, const kanon__data *data, int column, const kanon__source *source,
                                   kanon__column_key key, const char *text, kanon_error *err);
void kanon__changed_column_clear(kanon__column *column);
/* Bands that suit a column of numbers or dates; false: none do, or it has some. */
bool kanon__changed_column_bands(char *out, size_t size, const kanon__column *column);
/* Whether the values look like codes that can be masked from the right: all of one length, with digits, and many. */
bool kanon__changed_column_masks(const kanon__column *column);

#endif
