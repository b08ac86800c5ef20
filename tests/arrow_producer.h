/* A producer of Arrow streams, written from the specification: tables of any supported type, in as many shapes as the
 * interface allows. Buffers are as large as they have to be and no larger, so that a sanitizer sees a read past their end;
 * rows that a consumer must not look at, and the slots of nulls, hold garbage. */
#ifndef KANON_TESTS_ARROW_PRODUCER_H
#define KANON_TESTS_ARROW_PRODUCER_H

#include <kanon_arrow.h>

#include <stdbool.h>

/* A column. A cell is the value as stored: whole numbers for integers, decimals, dates and timestamps, "0" or "1" for bool,
 * any text strtod reads for floats; NULL is null. */
typedef struct arrow_field {
    const char *name;
    const char *format;
    const char *entry_format; /* not NULL: a dictionary of these, with indices of type `format` */
    const char *const *cells;
} arrow_field;

typedef struct arrow_table {
    int n_columns;
    const arrow_field *fields;
    int64_t n_rows;
} arrow_table;

/* How the table is handed over. All zero: in one batch, as plainly as possible. */
typedef struct arrow_layout {
    int64_t batch_rows;   /* 0: all in one batch */
    int64_t array_offset; /* of the columns: rows before it are garbage */
    int64_t batch_offset; /* of the batches, likewise */
    int64_t rows_behind;  /* garbage rows past the end of each array */
    bool unknown_nulls;   /* null_count is -1 */
    bool always_validity; /* a validity buffer even where nothing is null */
    bool batch_validity;  /* batches have one, too */
    bool empty_batches;   /* one before each batch, and one at the end */
    bool unaligned;       /* buffers begin at odd addresses */
    bool odd_dictionary;  /* entries that no row has, entries that are twice there, and a null entry */
    int fail_schema;      /* errno of get_schema; 0: it does not fail */
    int fail_next;        /* errno of get_next */
    int64_t fail_at;      /* the call of get_next that fails */
    bool no_message;      /* get_last_error gives NULL */
    /* called with each array before it is handed over, to break it; NULL: not */
    void (*spoil)(struct ArrowArray *batch, int64_t number, void *payload);
    void (*spoil_schema)(struct ArrowSchema *schema, void *payload);
    void *payload;
} arrow_layout;

/* What was made and released. A release of something that was released before aborts. */
typedef struct arrow_counts {
    int streams, schemas, arrays;                      /* made, children not counted */
    int released_streams, released_schemas, released_arrays;
} arrow_counts;

/* A stream of the table. Table, layout and counts must live until it is released, the counts until all is. */
void arrow_produce(struct ArrowArrayStream *out, const arrow_table *table, const arrow_layout *layout, arrow_counts *counts);

#endif
