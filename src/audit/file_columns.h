/* Columns of a file as texts: every row as the codes of its cells, so that two files can be compared column by column and
 * not only cell by cell. NAME_min and NAME_max are read as the one cell [min..max] of the column NAME. */
#ifndef KANON_AUDIT_FILE_COLUMNS_H
#define KANON_AUDIT_FILE_COLUMNS_H

#include "core/ticker.h"
#include "table/schema/schema.h"
#include "table/text/source.h"

typedef struct kanon__file_column {
    const char *name;
    int first, last;         /* columns of the file; two where NAME_min and NAME_max stand in place of NAME */
    bool plain;              /* its cells are values, not regions: numbers of one value are one text, as are missing ones */
    bool exact;              /* its texts are as they stand, with the white space at their ends */
    kanon__value_kind kind;  /* of the values of a plain column; KANON_TYPE_UNKNOWN: numbers are known by their form */
    kanon__dictionary texts; /* without the white space at their ends; one for all that the schema says to be the same */
    uint32_t *codes;         /* by row; KANON__NO_CODE: null, of a plain column never */
    int64_t capacity;
} kanon__file_column;

/* The text of every cell of a plain column that has no value; no cell of a file is like it. */
#define KANON__TEXT_MISSING "\0"
enum { KANON__TEXT_MISSING_LENGTH = 1 };

/* Bring a text, which has room for KANON__NUMBER_TEXT, to the one spelling of its number or date, if it is one; its
 * length. */
size_t kanon__file_text_canonical(char *text, size_t length, const kanon__value_kind *kind);
/* A column by its place in the file, with nothing read yet. */
kanon_status kanon__file_column_init(kanon__file_column *out, const char *name, int first, int last, bool plain,
                                     kanon_error *err);
void kanon__file_columns_clear(kanon__file_column *columns, int n);
/* Read `n` columns of all rows; *n_rows is how many there are. */
kanon_status kanon__file_columns_read(kanon__file_column *columns, int n, int64_t *n_rows, const kanon__source *source,
                                      const kanon_schema *schema, kanon__ticker *ticker, kanon_error *err);

#endif
