/* Arrow arrays and schemas that belong to a consumer: every array is freed by its release callback, whatever became of the
 * table, the stream and the other arrays.
 *
 *     batch (struct)                    memory                     counted: arrays share a dictionary's buffers
 *     |-- age_min   buffers ----------> validity, values
 *     |-- job       buffers ----------> indices
 *     |   `-- dictionary -------------> offsets, bytes  <--------- the dictionary of the next batch
 *     `-- illness   buffers ----------> those of the table, which the memory holds a reference to
 *
 * A child or a dictionary may be moved out of its array and released alone. Arrays may be released on any thread. */
#ifndef KANON_RELEASE_SINK_ARROW_ARRAY_H
#define KANON_RELEASE_SINK_ARROW_ARRAY_H

#include "table/read/table.h"

#include <kanon_arrow.h>

/* ---- memory ------------------------------------------------------------------------------------------------------- */

enum { KANON__ARROW_BLOCKS = 3 };

typedef struct kanon__arrow_memory {
    int64_t references;                /* changed atomically */
    kanon_table *table;                /* whose buffers are used; NULL: none are */
    void *blocks[KANON__ARROW_BLOCKS]; /* freed with the last reference */
    size_t sizes[KANON__ARROW_BLOCKS]; /* in bytes */
    char *aside;                       /* in an unnamed temporary file; NULL: nothing is */
    size_t aside_size;
} kanon__arrow_memory;

/* With one reference. `table` (may be NULL) is shared. */
kanon_status kanon__arrow_memory_new(kanon__arrow_memory **out, const kanon_table *table, kanon_error *err);
/* Block `i`: `size` bytes, which are 0. */
kanon_status kanon__arrow_memory_block(kanon__arrow_memory *memory, int i, int64_t size, kanon_error *err);
kanon__arrow_memory *kanon__arrow_memory_share(kanon__arrow_memory *memory);
/* Drop one reference. */
void kanon__arrow_memory_free(kanon__arrow_memory *memory);

/* ---- arrays ------------------------------------------------------------------------------------------------------- */

/* An array with these buffers, which lie in `memory`; one reference of it is taken over in any case. */
kanon_status kanon__arrow_array_init(struct ArrowArray *out, kanon__arrow_memory *memory, int64_t length, int64_t null_count,
                                     const void *const *buffers, int64_t n_buffers, kanon_error *err);
/* Move `dictionary` into an array of indices. */
void kanon__arrow_array_adopt(struct ArrowArray *array, struct ArrowArray *dictionary);
/* The array is not looked at for a while: where it lies aside, its pages leave memory. */
void kanon__arrow_array_rest(const struct ArrowArray *array);
/* Where the buffers of the array are those of this column of the input, the two rest together. */
void kanon__arrow_array_rests_with(struct ArrowArray *array, const struct ArrowArray *given);
/* An array of records, whose children are released: they are to be filled in. */
kanon_status kanon__arrow_array_init_struct(struct ArrowArray *out, int64_t length, int n_children, kanon_error *err);
/* Put what the columns of an array of records have for themselves into an unnamed temporary file. */
kanon_status kanon__arrow_array_put_aside(struct ArrowArray *records, kanon_error *err);
/* Release an array unless it is released already. */
void kanon__arrow_array_clear(struct ArrowArray *array);

/* ---- schemas ------------------------------------------------------------------------------------------------------ */

typedef struct kanon__arrow_field {
    char *name, *format;
    int64_t flags;
    char *entry_format; /* of the dictionary's values; NULL: no dictionary */
    int64_t entry_flags;
} kanon__arrow_field;

/* Texts are copied. `suffix` is added to the name. */
kanon_status kanon__arrow_field_init(kanon__arrow_field *out, const char *name, const char *suffix, const char *format,
                                     const char *entry_format, kanon_error *err);
void kanon__arrow_field_clear(kanon__arrow_field *field);
/* The schema of records with these fields, of which nothing is kept. */
kanon_status kanon__arrow_schema_init(struct ArrowSchema *out, const kanon__arrow_field *fields, int n, kanon_error *err);
void kanon__arrow_schema_clear(struct ArrowSchema *schema);

#endif
