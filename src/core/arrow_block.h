/* Arrow arrays and schemas that are made here: every array is freed by its release callback, whatever became of the table,
 * the stream and the other arrays.
 *
 *     batch (struct)                    memory                     counted: arrays share a dictionary's buffers
 *     |-- age_min   buffers ----------> validity, values
 *     |-- job       buffers ----------> indices
 *     |   `-- dictionary -------------> offsets, bytes  <--------- the dictionary of the next batch
 *     `-- illness   buffers ----------> those of the table, which the memory holds a reference to
 *
 * Memory has up to three blocks of a heap, or one room for many columns, each of which takes whole pages. A room can lie in
 * an unnamed temporary file (core/spill.h): its columns leave memory while they are not looked at. Arrays may lie in the
 * room, too: small pieces of a heap that a driver uses meanwhile would keep all that it leaves there from going back to the
 * system.
 *
 * A child or a dictionary may be moved out of its array and released alone. Arrays may be released on any thread. */
#ifndef KANON_CORE_ARROW_BLOCK_H
#define KANON_CORE_ARROW_BLOCK_H

#include "core/status.h"

#include <kanon_arrow.h>
#include <stdbool.h>

/* ---- memory ------------------------------------------------------------------------------------------------------- */

enum { KANON__ARROW_BLOCKS = 3 };

typedef struct kanon__arrow_memory {
    int64_t references;                /* changed atomically */
    void *owner;                       /* of buffers that lie elsewhere; NULL: none do */
    void (*drop)(void *owner);         /* its reference */
    void *blocks[KANON__ARROW_BLOCKS]; /* freed with the last reference */
    size_t sizes[KANON__ARROW_BLOCKS]; /* in bytes */
    char *room;                        /* NULL: none */
    size_t room_size, room_used;
    size_t column; /* where the present column of the room begins */
    bool spilled; /* the room lies in a file */
} kanon__arrow_memory;

/* With one reference. `owner` (may be NULL) is taken over in any case. */
kanon_status kanon__arrow_memory_new(kanon__arrow_memory **out, void *owner, void (*drop)(void *), kanon_error *err);
/* Block `i`: `size` bytes, which are 0. */
kanon_status kanon__arrow_memory_block(kanon__arrow_memory *memory, int i, int64_t size, kanon_error *err);
kanon__arrow_memory *kanon__arrow_memory_share(kanon__arrow_memory *memory);
/* Drop one reference. */
void kanon__arrow_memory_free(kanon__arrow_memory *memory);

/* The room: `size` bytes, which are 0. */
kanon_status kanon__arrow_room_new(kanon__arrow_memory *memory, size_t size, bool spilled, kanon_error *err);
/* The next bytes of it; the room was made large enough. */
char *kanon__arrow_room_take(kanon__arrow_memory *memory, size_t size);
/* Sizes as a room counts them: what is taken, each column, and the arrays of a batch, some of which have a dictionary. */
size_t kanon__arrow_room_piece(size_t size);
size_t kanon__arrow_room_pages(size_t size);
size_t kanon__arrow_room_arrays(int n_columns, int n_encoded);

/* ---- arrays ------------------------------------------------------------------------------------------------------- */

/* An array with these buffers, which lie in `memory`; one reference of it is taken over in any case. NULL: they are set
 * later. The array lies in the room where memory has one, and this cannot fail then. */
kanon_status kanon__arrow_array_init(struct ArrowArray *out, kanon__arrow_memory *memory, int64_t length, int64_t null_count,
                                     const void *const *buffers, int64_t n_buffers, kanon_error *err);
/* An array of records, whose children are released: they are to be filled in. `memory` has the room for it, or is NULL. */
kanon_status kanon__arrow_array_init_struct(struct ArrowArray *out, kanon__arrow_memory *memory, int64_t length,
                                            int n_children, kanon_error *err);
/* Move `dictionary` into an array of indices. */
void kanon__arrow_array_adopt(struct ArrowArray *array, struct ArrowArray *dictionary);
/* What is taken of the room between the two belongs to the column, which leaves memory then. */
void kanon__arrow_column_begin(kanon__arrow_memory *memory);
void kanon__arrow_column_end(struct ArrowArray *column);
/* The array is not looked at for a while: where it lies in a file of ours, its pages leave memory. */
void kanon__arrow_array_rest(const struct ArrowArray *array);
/* Where the buffers of the array are those of this column of the input, the two rest together. */
void kanon__arrow_array_rests_with(struct ArrowArray *array, const struct ArrowArray *given);
/* Put what the columns of an array of records have for themselves into an unnamed temporary file. */
kanon_status kanon__arrow_array_put_aside(struct ArrowArray *records, kanon_error *err);
/* Release an array unless it is released already. */
void kanon__arrow_array_clear(struct ArrowArray *array);

/* ---- schemas ------------------------------------------------------------------------------------------------------ */

typedef struct kanon__arrow_field {
    const char *name, *format;
    const char *metadata; /* which outlives everything; NULL: none */
    int64_t flags;
    const char *entry_format; /* of the dictionary's values; NULL: no dictionary */
    int64_t entry_flags;
} kanon__arrow_field;

/* A field that owns its texts, which are copied. `suffix` is added to the name. */
kanon_status kanon__arrow_field_init(kanon__arrow_field *out, const char *name, const char *suffix, const char *format,
                                     const char *entry_format, kanon_error *err);
void kanon__arrow_field_clear(kanon__arrow_field *field);
/* The schema of records with these fields, of which nothing is kept. */
kanon_status kanon__arrow_schema_init(struct ArrowSchema *out, const kanon__arrow_field *fields, int n, kanon_error *err);
void kanon__arrow_schema_clear(struct ArrowSchema *schema);

#endif
